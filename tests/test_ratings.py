"""Plackett-Luce ratings: the most likely strengths, whatever the order, with honest intervals."""

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmarks.ratings import ELO, Finishes, count_finishes, rate, rating_intervals
from benchmarks.schedule import tournament_seating


def sample(
    rng: np.random.Generator, strengths: np.ndarray, seeds: int, players: int
) -> tuple[np.ndarray, np.ndarray]:
    """Seats and ranks of games by the model: the log of a strength plus Gumbel noise decides."""
    seats = np.array([rng.permutation(len(strengths))[:players] for _ in range(seeds)])
    noisy = strengths[seats] + rng.gumbel(size=seats.shape)
    ranks = (-noisy).argsort(axis=1).argsort(axis=1)
    return seats[:, np.newaxis], ranks[:, np.newaxis]


def ratings_by_search(seats: np.ndarray, ranks: np.ndarray, agents: int) -> np.ndarray:
    """The maximum of the likelihood as it stands in the books, found by a general search."""

    def loss(strengths: np.ndarray) -> float:
        total = np.sum(np.logaddexp(0, strengths) + np.logaddexp(0, -strengths))
        for table, places in zip(seats.reshape(-1, seats.shape[2]), ranks[:, 0], strict=True):
            order = strengths[table[places.argsort()]]
            total += sum(np.log(np.exp(order[i:]).sum()) - order[i] for i in range(len(order)))
        return float(total)

    found = minimize(loss, np.zeros(agents), tol=1e-10).x
    result: np.ndarray = ELO * (found - found.mean())
    return result


def test_the_ratings_are_the_most_likely_ones() -> None:
    """A general search for the maximum finds the same, also with the same agent at two seats."""
    rng = np.random.default_rng(0)
    seats, ranks = sample(rng, np.array([0.0, 0.5, 1.0, -1.0]), 60, 3)
    assert rate(count_finishes(seats, ranks, 4)) == pytest.approx(
        ratings_by_search(seats, ranks, 4), abs=0.01
    )
    doubled = np.where(seats == 3, 0, seats)
    assert rate(count_finishes(doubled, ranks, 3)) == pytest.approx(
        ratings_by_search(doubled, ranks, 3), abs=0.01
    )


def test_two_agents_get_the_elo_difference_of_their_results() -> None:
    """640 of 1000 games won are 100 points, as in Elo."""
    seats = np.tile([0, 1], (1000, 1, 1))
    ranks = np.where(np.arange(1000) < 640, 0, 1)[:, np.newaxis, np.newaxis]
    ranks = np.concatenate([ranks, 1 - ranks], axis=2)
    first, second = rate(count_finishes(seats, ranks, 2))
    assert first - second == pytest.approx(100, abs=0.5)
    assert first + second == pytest.approx(0, abs=1e-9)


def test_the_order_of_games_does_not_matter() -> None:
    """Games looked at in another order, and seats listed in another order: the same ratings."""
    rng = np.random.default_rng(1)
    seats, ranks = sample(rng, np.array([0.0, 0.3, 1.0]), 80, 3)
    ratings = rate(count_finishes(seats, ranks, 3))
    shuffled = rng.permutation(80)
    assert rate(count_finishes(seats[shuffled], ranks[shuffled], 3)) == pytest.approx(ratings)
    assert rate(count_finishes(seats[..., ::-1], ranks[..., ::-1], 3)) == pytest.approx(ratings)


def test_strengths_are_found_again() -> None:
    """From 3000 games of six agents at tables of four, within 25 points."""
    strengths = np.array([0.0, 0.2, 0.5, 1.0, 1.1, -0.5])
    seats, ranks = sample(np.random.default_rng(2), strengths, 3000, 4)
    wanted = ELO * (strengths - strengths.mean())
    assert rate(count_finishes(seats, ranks, 6)) == pytest.approx(wanted, abs=25)


def test_intervals_hold_about_as_often_as_they_say() -> None:
    """In 60 contests of three agents the 180 intervals miss the truth in about 5 %."""
    strengths = np.array([0.0, 0.4, 0.8])
    wanted = ELO * (strengths - strengths.mean())
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(60):
        intervals = rating_intervals(count_finishes(*sample(rng, strengths, 80, 3), 3))
        assert intervals is not None
        held += sum(low <= w <= high for (low, high), w in zip(intervals, wanted, strict=True))
    assert 0.88 <= held / 180 <= 0.995


def test_a_clean_sweep_is_finite_and_leaves_a_doubt() -> None:
    """Whoever wins every game is not infinitely strong, and the interval is no point."""
    seats = np.tile([0, 1], (30, 1, 1))
    finishes = count_finishes(seats, seats, 2)
    first, second = rate(finishes)
    assert 300 < first - second < 2000
    intervals = rating_intervals(finishes)
    assert intervals is not None
    assert all(high - low > 100 for low, high in intervals)


def test_a_long_and_nearly_clean_sweep_settles() -> None:
    """Sums of many games leave rounding errors, and a sweep has little to hold against them."""
    seats = np.tile(tournament_seating(2, 4, 0), (6000, 1, 1))
    ranks = seats.argsort(axis=2, kind="stable").argsort(axis=2, kind="stable")
    ranks[:2, 0] = [0, 2, 1, 3]
    finishes = count_finishes(seats, ranks, 2)
    first, second = rate(finishes)
    assert 1000 < first - second < 3000
    intervals = rating_intervals(finishes)
    assert intervals is not None
    assert all(low < r < high for (low, high), r in zip(intervals, (first, second), strict=True))


def test_one_seed_has_no_interval() -> None:
    """There is nothing to draw from."""
    seats = np.zeros((1, 4, 2), np.int64)
    seats[..., 1] = 1
    assert rating_intervals(count_finishes(seats, seats, 2)) is None


def test_counts_are_those_of_the_finishing_orders() -> None:
    """One game of three: the winner was chosen out of three, the second out of two."""
    seats = np.array([[[2, 0, 1]]])
    ranks = np.array([[[1, 0, 2]]])  # 0 before 2 before 1
    finishes: Finishes = count_finishes(seats, ranks, 3)
    assert finishes.wins.tolist() == [[1, 0, 1]]
    counted = {
        tuple(group): count
        for group, count in zip(finishes.groups.tolist(), finishes.counts[0], strict=True)
    }
    assert counted == {(1, 1, 1): 1, (0, 1, 1): 1}
