"""A match: what its figures mean, and that nothing but agents and seeds decides them."""

import json
from pathlib import Path
from typing import Any

import doubles
import numpy as np
import pytest

from benchmarks import match
from benchmarks.contest import Outcome, run
from benchmarks.plan import Plan
from benchmarks.play import block_records
from ra_env import Game
from ra_env.agent import AgentError


@pytest.fixture(autouse=True)
def _doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doubles.install(tmp_path / "doubles", monkeypatch)


def played(challenger: str, field: str, players: int, games: int, **options: Any) -> Outcome:
    return run(Plan.match(challenger, field, players, games, seed=3), **options)


def test_figures_are_those_of_the_records() -> None:
    """Win rate, scores, places and differences, counted again from the games themselves."""
    outcome = played("last", "random", 3, 30)
    summary = match.summary(outcome)
    records = [
        record
        for block in outcome.blocks
        for record in block_records(block, outcome.plan.rules, outcome.plan.agents)
    ]
    assert summary["games"] == len(records) == 30
    assert summary["seeds"] == 10
    assert sorted({record["seed"] for record in records}) == list(range(3, 13))
    mine = [record["agents"].index("last") for record in records]
    assert sorted(mine) == [0] * 10 + [1] * 10 + [2] * 10
    places = [record["ranking"].index(seat) for record, seat in zip(records, mine, strict=True)]
    challenger, field = summary["challenger"], summary["field"]
    assert challenger["win_rate"] == pytest.approx(np.mean([place == 0 for place in places]))
    assert challenger["mean_rank"] == pytest.approx(1 + np.mean(places))
    assert challenger["places"] == pytest.approx([np.mean(np.equal(places, i)) for i in range(3)])
    scores = np.array([r["scores"][seat] for r, seat in zip(records, mine, strict=True)])
    totals = np.array([sum(r["scores"]) for r in records])
    assert challenger["mean_score"] == pytest.approx(scores.mean())
    assert field["mean_score"] == pytest.approx((totals - scores).mean() / 2)
    assert summary["score_difference"] == pytest.approx(
        challenger["mean_score"] - field["mean_score"]
    )
    assert field["win_rate"] == pytest.approx((1 - challenger["win_rate"]) / 2)
    assert summary["winning_score"] == pytest.approx(np.mean([max(r["scores"]) for r in records]))
    gained = [
        sum(epoch[seat] for epoch in record["epoch_points"])
        for record, seat in zip(records, mine, strict=True)
    ]
    assert sum(challenger["points"].values()) == pytest.approx(np.mean(gained))


def test_the_json_has_what_programs_look_for() -> None:
    """The keys of the promise, and nothing that JSON does not know."""
    summary = json.loads(
        json.dumps(match.summary(played("first", "random", 2, 4)), allow_nan=False)
    )
    assert {"players", "games", "seeds", "challenger", "field"} <= summary.keys()
    for side, name in (("challenger", "first"), ("field", "random")):
        figures = summary[side]
        assert figures["name"] == name
        assert {"win_rate", "ci95", "mean_score", "mean_rank", "points"} <= figures.keys()
        assert figures["ci95"][0] <= figures["win_rate"] <= figures["ci95"][1]
    assert summary["versions"]["agents"]["first"] == "doubles-package 1.0"


def test_an_agent_wins_exactly_its_share_against_itself() -> None:
    """With the same luck at every seat the same game is played; somebody wins it."""
    summary = match.summary(played("random", "random", 4, 40))
    assert summary["challenger"]["win_rate"] == 0.25
    assert summary["challenger"]["mean_rank"] == 2.5
    assert summary["score_difference"] == pytest.approx(0)
    assert summary["verdict"] == "not clear"


def test_games_are_rounded_up_to_whole_seeds() -> None:
    """Five games at a table of four are two seeds, each with four games."""
    assert match.summary(played("first", "random", 4, 5))["games"] == 8


def test_one_seed_gives_figures_without_intervals() -> None:
    """A single seed says nothing about chance, and the summary says so."""
    summary = match.summary(played("first", "random", 2, 2))
    assert summary["challenger"]["ci95"] is None
    assert summary["verdict"] == "not clear"


@pytest.mark.compiled
def test_stopping_when_clear_plays_a_beginning_of_the_whole_match() -> None:
    """It stops at the first seed after which the answer is clear, with an interval that says so."""
    whole = played("heuristic", "random", 2, 400)
    early = played("heuristic", "random", 2, 400, is_clear=match.is_clear)
    assert early.is_clear
    assert 0 < len(early.blocks) < len(whole.blocks)
    for one, other in zip(early.blocks, whole.blocks, strict=False):
        assert one.decisions == other.decisions
    assert match.is_clear(early.blocks) == len(early.blocks)
    assert match.is_clear(early.blocks[:-1]) is None
    summary = match.summary(early, until_clear=True)
    assert summary["verdict"] == "stronger"
    assert summary["stopped_when_clear"]
    assert summary["intervals"] == "anytime"


def test_what_is_not_clear_is_played_to_the_end() -> None:
    """Against itself an agent is never clearly stronger."""
    outcome = played("random", "random", 2, 40, is_clear=match.is_clear)
    assert len(outcome.blocks) == 20
    assert not outcome.is_clear


# --- processes, and agents that bring trouble ----------------------------------------------------


@pytest.mark.compiled
def test_processes_do_not_change_the_result() -> None:
    """One process, two, or a process of its own with a time limit: the same games."""
    alone = played("last", "random", 3, 60)
    for options in ({"processes": 2}, {"processes": 2, "time_limit": 60.0}):
        assert match.summary(played("last", "random", 3, 60, **options)) == match.summary(alone)
    one = played("heuristic", "random", 2, 200, is_clear=match.is_clear)
    two = played("heuristic", "random", 2, 200, is_clear=match.is_clear, processes=2)
    assert [block.seed for block in one.blocks] == [block.seed for block in two.blocks]


@pytest.mark.parametrize(
    ("agent", "reason"),
    [("cheats", "action 53 (discard sphinx) is not legal"), ("raises", "KeyError: 'what now?'")],
)
def test_a_failing_agent_stops_the_match_or_is_skipped(agent: str, reason: str) -> None:
    """Either way it is named, with the game up to there."""
    stopped = played(agent, "first", 2, 8)
    skipped = played(agent, "first", 2, 8, on_error="skip")
    assert len({failure.seed for failure in stopped.failures}) == 1
    assert {failure.seed for failure in skipped.failures} == {3, 4, 5, 6}
    for failure in stopped.failures + skipped.failures:
        assert failure.agent == agent
        assert failure.reason.startswith(reason)
        assert Game.from_record(failure.record).epoch == 2


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("agent", "limit", "reason"),
    [("hangs", 3.0, "took longer than 3 seconds"), ("dies", None, "ended the process (3)")],
)
def test_an_agent_that_takes_its_process_along_is_named(
    agent: str, limit: float | None, reason: str
) -> None:
    """Hanging past the limit, or ending the process: agent, seat and game are known."""
    outcome = played(agent, "first", 2, 4, processes=2, time_limit=limit, on_error="skip")
    assert {failure.seed for failure in outcome.failures} == {3, 4}
    for failure in outcome.failures:
        assert failure.agent == agent
        assert failure.reason.startswith(reason)
        game = Game.from_record(failure.record)
        assert (game.epoch, game.phase) == (2, "auction")
        assert failure.record["agents"][failure.seat] == agent
        assert game.current_seat == failure.seat


def test_what_cannot_be_played_is_refused() -> None:
    """Wrong numbers and agents are named before anything is played."""
    with pytest.raises(ValueError, match="players must be a whole number from 2 to 5, not 6"):
        Plan.match("first", "random", 6, 10, 0)
    with pytest.raises(ValueError, match=r"seeds are 0 to 2\*\*64 - 1"):
        Plan.match("first", "random", 2, 10, 2**64 - 3)
    with pytest.raises(AgentError, match="unknown agent 'firs'"):
        played("firs", "random", 2, 2)
