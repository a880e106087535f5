"""The heuristic's advice: what it says of actions and seats, and to whom."""

import numpy as np
import pytest

from agents.advice import ADVISERS, INPUT_SIZE, VERSION, advise, input_size
from agents.heuristic import Heuristic
from ra_env import NUM_ACTIONS, Rules, batch
from ra_env.layout import OVER, PHASE, SEAT
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import MAX_PLAYERS

pytestmark = pytest.mark.compiled

ACTIONS = slice(OBSERVATION_SIZE, OBSERVATION_SIZE + NUM_ACTIONS)
CHANCES = slice(ACTIONS.stop, ACTIONS.stop + MAX_PLAYERS)
STANDINGS = slice(CHANCES.stop, INPUT_SIZE)


def positions(players: int, moves: int = 60) -> np.ndarray:
    """Games of heuristics after so many moves."""
    states, words = batch.new_games(Rules(players), range(20))
    actions = np.zeros(len(states), np.int64)
    for _ in range(moves):
        Heuristic().act_batch(states, words, actions)
        batch.step(states, words, actions)
    return states[states[:, PHASE] != OVER]


def advice(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    out = np.full((len(states), INPUT_SIZE), 7.0, np.float32)
    advise(states, seats.astype(np.int64), out)
    return out


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_an_action_counts_by_how_far_it_is_behind_the_best(players: int) -> None:
    states = positions(players)
    seen = advice(states, states[:, SEAT])
    for state, row in zip(states, seen, strict=True):
        liked = Heuristic().preferences(state)
        wanted = np.where(np.isfinite(liked), 1 / (1 + liked.max() - liked), 0)
        np.testing.assert_allclose(row[ACTIONS], wanted, rtol=1e-6)
        assert row[ACTIONS].max() == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_each_seat_sees_itself_first_and_all_see_the_same(players: int) -> None:
    states = positions(players)
    own = advice(states, np.zeros(len(states)))
    assert own[:, CHANCES].sum(axis=1) == pytest.approx(1)
    for seat in range(1, players):
        other = advice(states, np.full(len(states), seat))
        for piece in (CHANCES, STANDINGS):
            rolled = np.roll(own[:, piece][:, :players], -seat, axis=1)
            np.testing.assert_array_equal(other[:, piece][:, :players], rolled)
            assert not other[:, piece][:, players:].any()


def test_only_the_seat_on_turn_hears_of_actions() -> None:
    states = positions(4)
    seen = advice(states, (states[:, SEAT] + 1) % 4)
    assert not seen[:, ACTIONS].any()
    assert seen[:, STANDINGS].any()


def test_the_observation_before_it_is_left_alone() -> None:
    states = positions(3)
    assert (advice(states, states[:, SEAT])[:, :OBSERVATION_SIZE] == 7).all()


def test_nobody_is_advised_where_nobody_sits_or_the_game_is_over() -> None:
    states = positions(3)
    assert not advice(states, np.full(len(states), 3))[:, OBSERVATION_SIZE:].any()
    states[:, PHASE] = OVER
    assert not advice(states, np.zeros(len(states)))[:, OBSERVATION_SIZE:].any()


def test_a_network_without_an_adviser_gets_the_observation_alone() -> None:
    assert {name: input_size(name) for name in ADVISERS} == {
        "heuristic": INPUT_SIZE,
        "none": OBSERVATION_SIZE,
    }


def test_the_advice_is_that_of_its_version() -> None:
    """Networks are trained on these numbers: whoever changes the heuristic raises the version, and
    trains the bundled policy anew."""
    states = positions(4)
    seen = advice(states, states[:, SEAT])
    found = [seen[:, piece].sum() for piece in (ACTIONS, CHANCES, STANDINGS)]
    assert VERSION == 1
    np.testing.assert_allclose(found, [30.143337, 20.0, 45.270584], rtol=1e-5)
