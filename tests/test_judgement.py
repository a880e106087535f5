"""Chances to win: they add up to 1, follow from the features, and foretell who wins."""

import numpy as np
import pytest

from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.judgement import NUM_FEATURES, POINTS, SUN_SUM, WEIGHTS, judge, read_features
from agents.tune_search import chances, collect, fit, surprise
from ra_env import Game
from ra_env.layout import EPOCH, FACE_DOWN, FACE_UP, OVER, PHASE, SCORE, held
from ra_env.rules import GOLD


def judged(state: np.ndarray, lead: float = 10.0) -> np.ndarray:
    """The results of the seats as things lie."""
    results = np.zeros(5)
    judge(state, lead, tuned_parameters(), np.zeros(WORK_SIZE), np.zeros(54), results)
    return results


def features(state: np.ndarray, players: int) -> np.ndarray:
    """One row for each seat."""
    found = np.zeros(players * NUM_FEATURES)
    read_features(state, tuned_parameters(), np.zeros(WORK_SIZE), found)
    return found.reshape(players, NUM_FEATURES)


def test_a_position_is_judged_by_points_tiles_and_suns() -> None:
    state = Game(4, seed=3).state
    before = judged(state)
    assert before[:4].sum() == pytest.approx(1)
    for place, more in ((SCORE + 1, 5), (held(1, GOLD), 2)):
        richer = state.copy()
        richer[place] += more
        after = judged(richer)
        assert after[1] > before[1]
        assert (after[[0, 2, 3]] < before[[0, 2, 3]]).all()


def test_higher_suns_in_hand_for_later_epochs_count() -> None:
    """Face down they bring nothing in this epoch; still the higher ones are judged better."""
    state = Game(4, seed=3).state
    for seat in range(4):
        state[FACE_UP + seat] = 0
        state[FACE_DOWN + seat] = 1 << (seat + 1)
    assert (np.diff(judged(state)[:4]) > 0).all()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("epoch", [1, 2, 3])
def test_chances_follow_from_the_weights_of_table_and_epoch(players: int, epoch: int) -> None:
    game = Game(players, seed=5)
    state = game.state
    state[EPOCH] = epoch
    state[SCORE : SCORE + players] = np.arange(players) * 3
    seats = features(state, players)
    assert seats[:, POINTS].tolist() == [3 * seat for seat in range(players)]
    assert seats[:, SUN_SUM].tolist() == [sum(game.suns(seat)[0]) for seat in range(players)]
    expected = chances(WEIGHTS[players - 2, int(epoch == 3)], seats[np.newaxis])[0]
    np.testing.assert_allclose(judged(state)[:players], expected)


@pytest.mark.parametrize("lead", [5.0, 10.0])
def test_at_the_end_points_alone_count(lead: float) -> None:
    """`lead` points more count as e**2 to 1."""
    state = Game(2, seed=5).state
    state[PHASE] = OVER
    state[SCORE : SCORE + 2] = 20, 30
    state[held(0, GOLD)] = 5
    results = judged(state, lead)
    assert results[1] / results[0] == pytest.approx(np.exp(20 / lead))


def test_the_fit_finds_the_weights_behind_the_wins() -> None:
    rng = np.random.default_rng(1)
    weights = np.array([0.2, 0.1, 0.05])
    seats = rng.normal(0, 8, (20_000, 4, NUM_FEATURES))
    lots = rng.random((20_000, 1))
    winners = (chances(weights, seats).cumsum(axis=1) < lots).sum(axis=1)
    found = fit(seats, np.eye(4)[winners])
    np.testing.assert_allclose(found, weights, atol=0.01)


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_the_weights_foretell_who_wins(players: int) -> None:
    """Much better than equal chances, and hardly worse than weights fitted to these very games."""
    seats, wins = collect(players, 2_000)
    for epoch in range(2):
        ours = surprise(WEIGHTS[players - 2, epoch], seats[:, epoch], wins)
        best = surprise(fit(seats[:, epoch], wins), seats[:, epoch], wins)
        assert best <= ours < best + 0.01
        assert ours < 0.85 * np.log(players)
