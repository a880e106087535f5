"""Whether more simulations choose better moves: tried out in the same positions with equal luck."""

import json

import numpy as np
import pytest

from benchmarks import decisions
from benchmarks.decisions import PLAYER, Trial, compare, positions
from benchmarks.play import moves_of
from ra_env import Game
from ra_env.agent import make_agent
from ra_env.layout import SCORE, SEAT
from ra_env.legality import legal_actions, lowest_action

pytestmark = pytest.mark.compiled

Capture = pytest.CaptureFixture[str]


def test_positions_are_all_decisions_of_one_seat_in_turn() -> None:
    for seed, states in zip((5, 6), positions(2, [5, 6]), strict=True):
        assert {int(state[SEAT]) for state in states} == {seed % 2}
        agents = [make_agent("heuristic"), make_agent("heuristic")]
        agents[seed % 2] = make_agent(PLAYER)
        game = Game(2, seed=seed)
        asked = 0
        moves = moves_of(game, agents)
        while not game.is_over:
            asked += game.current_seat == seed % 2 and len(game.legal_actions()) > 1
            next(moves)
        assert len(states) == asked


def test_moves_are_tried_out_with_the_same_luck() -> None:
    """The same answer each time; and a lead that nobody makes up for wins whatever is played."""
    state = Game(3, seed=1).state
    action = int(lowest_action(legal_actions(state)))
    shares = [Trial(state, 200, np.uint64(3)).wins(action) for _ in range(2)]
    assert shares[0] == shares[1]
    assert 0 < shares[0] < 1
    state[SCORE + state[SEAT]] = 500
    assert Trial(state, 20, np.uint64(3)).wins(action) == 1


def test_a_budget_gains_where_it_chooses_otherwise() -> None:
    found = compare(2, range(3), [1, 40], playouts=50)
    assert list(found) == [40]
    result = found[40]
    assert result["than"] == 1
    assert 0 < result["different"] < 1
    assert result["gain_ci95"][0] <= result["gain"] <= result["gain_ci95"][1]
    assert compare(2, range(3), [1, 40], playouts=50) == found


def test_the_command_prints_a_table_or_json(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    arguments = ["decisions", "--players", "2", "--games", "2", "--budgets", "4", "2"]
    arguments += ["--playouts", "5"]
    monkeypatch.setattr("sys.argv", arguments)
    decisions.main()
    assert "2 players" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", [*arguments, "--json"])
    decisions.main()
    assert list(json.loads(capsys.readouterr().out)) == ["4"]


@pytest.mark.parametrize("wrong", ["--players 6", "--games 1", "--budgets 0 3", "--playouts 0"])
def test_a_wrong_argument_is_answered_with_what_is_right(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, wrong: str
) -> None:
    monkeypatch.setattr("sys.argv", ["decisions", *wrong.split()])
    with pytest.raises(SystemExit, match="2"):
        decisions.main()
    assert "are" in capsys.readouterr().err
