"""A tournament: fair to everybody, the same in any order, and safe from interruption."""

import json
from pathlib import Path
from typing import Any

import doubles
import numpy as np
import pytest

from benchmarks import tournament
from benchmarks.contest import Outcome, run
from benchmarks.plan import Plan
from benchmarks.results import Results, versions
from benchmarks.store import Folder, StoreError
from ra_env.record import read_games


@pytest.fixture(autouse=True)
def _doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doubles.install(tmp_path / "doubles", monkeypatch)


def plan(*agents: str, players: int = 2, games: int = 60) -> Plan:
    return Plan.tournament(agents, players, games, seed=11)


def played(*agents: str, players: int = 2, games: int = 60, **options: Any) -> Outcome:
    return run(plan(*agents, players=players, games=games), **options)


def test_the_order_on_the_command_line_changes_nothing() -> None:
    """Not one digit, with fewer agents than seats, as many, and more."""
    for players in (2, 3, 4):
        one = tournament.summary(played("last", "random", "first", players=players, games=24))
        other = tournament.summary(played("first", "last", "random", players=players, games=24))
        assert one == other


def test_figures_are_those_of_the_games() -> None:
    """Each agent's mean score and each pair's difference, counted game by game."""
    outcome = played("first", "last", "random", players=3, games=36)
    summary = tournament.summary(outcome)
    results = Results.of(outcome.blocks)
    assert summary["games"] == 36
    assert summary["games_per_seed"] == 6
    assert summary["seeds"] == 6
    scores = {
        name: [
            int(score)
            for block in outcome.blocks
            for seats, row in zip(block.seats, block.scores, strict=True)
            for agent, score in zip(seats, row, strict=True)
            if outcome.plan.agents[agent] == name
        ]
        for name in outcome.plan.agents
    }
    for agent in summary["agents"]:
        assert agent["mean_score"] == pytest.approx(np.mean(scores[agent["name"]]))
        assert agent["rating_ci95"][0] <= agent["rating"] <= agent["rating_ci95"][1]
    ratings = [agent["rating"] for agent in summary["agents"]]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) == pytest.approx(0, abs=1e-6)
    assert sum(agent["win_rate"] for agent in summary["agents"]) == pytest.approx(1)
    pair = summary["pairs"][0]
    assert (pair["agent"], pair["other"]) == ("first", "last")
    assert pair["score_difference"] == pytest.approx(
        np.mean(scores["first"]) - np.mean(scores["last"])
    )
    before = [
        table.tolist()[seats.tolist().index(0)] < table.tolist()[seats.tolist().index(1)]
        for seats, table in zip(
            results.seats.reshape(-1, 3), results.ranks.reshape(-1, 3), strict=True
        )
    ]
    assert pair["ahead"] == pytest.approx(np.mean(before))


def test_the_summary_is_json() -> None:
    """Every figure can be written, intervals that do not exist too."""
    json.dumps(tournament.summary(played("first", "random", games=2)), allow_nan=False)


@pytest.mark.compiled
def test_it_stops_when_every_pair_is_clear() -> None:
    """The strong agent is placed before the weak one, and nothing more is needed to know it."""
    outcome = played("heuristic", "random", games=400, is_clear=tournament.is_clear)
    assert outcome.is_clear
    assert tournament.is_clear(outcome.blocks) == len(outcome.blocks)
    assert tournament.is_clear(outcome.blocks[:-1]) is None
    (pair,) = tournament.summary(outcome, until_clear=True)["pairs"]
    assert pair["ahead_ci95"][0] > 0.5


def test_agents_are_given_once_and_at_least_two() -> None:
    """What would not be a tournament is refused."""
    with pytest.raises(ValueError, match="at least two agents"):
        plan("random")
    with pytest.raises(ValueError, match="agent 'random' is there twice"):
        plan("random", "first", "random")


# --- keeping games -------------------------------------------------------------------------------


def folder(path: Path, of: Plan) -> Folder:
    return Folder(path, of, versions(of.agents))


def stop_after(games: int) -> Any:
    """A progress bar before which somebody presses Ctrl-C."""

    def progress(done: int, total: int) -> None:
        if done >= games:
            raise KeyboardInterrupt

    return progress


def test_an_interruption_keeps_what_was_played() -> None:
    """What was finished by then is the result."""
    outcome = played("first", "random", progress=stop_after(20))
    assert outcome.is_interrupted
    assert sum(len(block.seats) for block in outcome.blocks) == 20
    assert tournament.summary(outcome)["interrupted"]


def test_an_interrupted_tournament_goes_on_where_it_was(tmp_path: Path) -> None:
    """The same plan and folder play what is missing, and nothing twice; the result is the same."""
    wanted = plan("first", "random")
    run(wanted, store=folder(tmp_path / "cup", wanted), progress=stop_after(20))
    done: list[int] = []
    again = folder(tmp_path / "cup", wanted)
    assert len(again.blocks) == 10
    outcome = run(wanted, store=again, progress=lambda games, total: done.append(games))
    assert done[0] == 20
    assert done[-1] == 60
    assert tournament.summary(outcome) == tournament.summary(played("first", "random"))
    lines = (tmp_path / "cup" / "blocks.jsonl").read_text().splitlines()
    assert len({json.loads(line)["seed"] for line in lines}) == len(lines) == 30


def test_a_folder_can_be_used_for_more_games(tmp_path: Path) -> None:
    """Only what is new is played; with fewer games only those count."""
    small, large = plan("first", "random", games=20), plan("first", "random", games=40)
    run(small, store=folder(tmp_path, small))
    more = run(large, store=folder(tmp_path, large))
    assert tournament.summary(more) == tournament.summary(played("first", "random", games=40))
    fewer = run(small, store=folder(tmp_path, small))
    assert tournament.summary(fewer) == tournament.summary(played("first", "random", games=20))


def test_a_line_that_was_cut_off_is_played_again(tmp_path: Path) -> None:
    """A crash while a line is written costs that line alone."""
    wanted = plan("first", "random", games=20)
    run(wanted, store=folder(tmp_path, wanted))
    file = tmp_path / "blocks.jsonl"
    file.write_bytes(file.read_bytes()[:-30])
    again = folder(tmp_path, wanted)
    assert len(again.blocks) == 9
    assert len(run(wanted, store=again).blocks) == 10
    assert len(folder(tmp_path, wanted).blocks) == 10


def test_another_tournament_or_damage_is_refused(tmp_path: Path) -> None:
    """A folder is of one contest; what differs or is damaged is named, and nothing is written."""
    wanted = plan("first", "random", games=4)
    run(wanted, store=folder(tmp_path, wanted))
    before = {path: path.read_bytes() for path in tmp_path.glob("*.json*")}
    with pytest.raises(StoreError, match=r"agents is \['first', 'random'\] there"):
        folder(tmp_path, plan("last", "random", games=4))
    with pytest.raises(StoreError, match="players is 2 there and 3 here"):
        folder(tmp_path, plan("first", "random", players=3))
    assert {path: path.read_bytes() for path in tmp_path.glob("*.json*")} == before
    file = tmp_path / "blocks.jsonl"
    file.write_text('{"seed": 11}\n' + file.read_text())
    with pytest.raises(StoreError, match=r"blocks\.jsonl, line 1 is damaged"):
        folder(tmp_path, wanted)


def test_failed_games_are_kept_as_records_and_played_again(tmp_path: Path) -> None:
    """Their records replay; a seed that failed does not count as played."""
    wanted = plan("cheats", "first", games=4)
    store = folder(tmp_path, wanted)
    outcome = run(wanted, store=store, on_error="skip")
    store.write_failures(outcome.failures)
    games = list(read_games(tmp_path / "failures.jsonl"))
    assert len(games) == len(outcome.failures) > 0
    lines = (tmp_path / "failures.jsonl").read_text().splitlines()
    assert all(json.loads(line)["failure"]["agent"] == "cheats" for line in lines)
    assert not folder(tmp_path, wanted).blocks
    store.write_failures(())
    assert not (tmp_path / "failures.jsonl").exists()
