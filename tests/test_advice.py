"""The heuristic's advice: what it says of actions and seats, and to whom."""

import numpy as np
import pytest

from agents.advice import ADVISERS, INPUT_SIZE, POSITION_SIZE, VERSION, advise, input_size
from agents.heuristic import Heuristic
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.judgement import judge
from ra_env import NUM_ACTIONS, Rules, batch
from ra_env.actions import DRAW
from ra_env.layout import BAG, BAG_COUNT, OVER, PHASE, SEAT, TURN
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import MAX_PLAYERS, NUM_TILES, RA
from ra_env.transitions import apply

pytestmark = pytest.mark.compiled

CHANCES = slice(OBSERVATION_SIZE, OBSERVATION_SIZE + MAX_PLAYERS)
STANDINGS = slice(CHANCES.stop, POSITION_SIZE)
ACTIONS = slice(POSITION_SIZE, POSITION_SIZE + NUM_ACTIONS)
PROSPECTS = slice(ACTIONS.stop, INPUT_SIZE)


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


def chance_after(state: np.ndarray, action: int, tile: int = 0) -> float:
    """The chance of the seat on turn when heuristics have finished what the action began."""
    after = state.copy()
    apply(after, action, tile)
    while after[PHASE] not in (TURN, OVER):
        apply(after, Heuristic().act(after, np.uint64(0)), RA)
    scratch = tuned_parameters(), np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS)
    chances = np.zeros(MAX_PLAYERS)
    judge(after, 10.0, *scratch, chances)
    return float(chances[state[SEAT]])


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_an_action_counts_by_the_chance_that_it_leaves(players: int) -> None:
    states = np.concatenate([positions(players, moves) for moves in (20, 41, 60)])
    seen = advice(states, states[:, SEAT])
    drawn = 0
    for state, row in zip(states, seen, strict=True):
        left = {}
        for action in np.flatnonzero(batch.legal_masks(state[None])[0]):
            if action == DRAW:
                shares = state[BAG : BAG + NUM_TILES] / state[BAG_COUNT]
                left[action] = sum(
                    share * chance_after(state, action, tile) for tile, share in enumerate(shares)
                )
                drawn += 1
            else:
                left[action] = chance_after(state, action)
        wanted = np.zeros(NUM_ACTIONS)
        for action, chance in left.items():
            wanted[action] = 10 * (chance - max(left.values()))
        np.testing.assert_allclose(row[PROSPECTS], wanted, atol=1e-5)
    assert 0 < drawn < len(states)


def test_threads_change_nothing() -> None:
    states = np.concatenate([positions(4, moves) for moves in range(10, 70)])
    alone = advice(states, states[:, SEAT])
    out = np.full((len(states), INPUT_SIZE), 7.0, np.float32)
    advise(states, states[:, SEAT].astype(np.int64), out, threads=3)
    assert len(states) > 1000
    np.testing.assert_array_equal(out, alone)


def test_only_the_seat_on_turn_hears_of_actions() -> None:
    states = positions(4)
    seen = advice(states, (states[:, SEAT] + 1) % 4)
    assert not seen[:, ACTIONS].any()
    assert not seen[:, PROSPECTS].any()
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
    found = [seen[:, piece].sum() for piece in (ACTIONS, CHANCES, STANDINGS, PROSPECTS)]
    assert VERSION == 2
    np.testing.assert_allclose(found, [30.143337, 20.0, 45.270584, -20.478153], rtol=1e-5)
