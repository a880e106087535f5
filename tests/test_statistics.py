"""Intervals and when to stop: right as often as they say, also for whoever looks all the time."""

import numpy as np
import pytest

from benchmarks.statistics import (
    anytime_interval,
    first_clear,
    mean_interval,
    share_interval,
)


def clustered_shares(
    rng: np.random.Generator, seeds: int, share: float, games: int = 4, spread: float = 0.15
) -> np.ndarray:
    """Shares of games won, when some seeds are luckier than others."""
    luck = np.clip(share + spread * rng.choice([-1, 1], seeds), 0, 1)
    return rng.binomial(games, luck) / games


def test_the_interval_of_a_mean_is_students() -> None:
    """1, 2, 3, 4: mean 2.5, standard error 0.6455, and the table says 3.182 for 3 degrees."""
    assert mean_interval(np.array([1.0, 2, 3, 4])) == pytest.approx((0.4457, 4.5543), abs=1e-3)


def test_one_seed_says_nothing_about_chance() -> None:
    """There is no interval for a single value."""
    assert mean_interval(np.array([1.0])) is None
    assert share_interval(np.array([1.0]), 4) is None


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
def test_share_intervals_hold_in_95_of_100_cases(share: float) -> None:
    """Although games with the same seed hang together. With 1000 cases, 2.5 % are a lot."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        low, high = share_interval(clustered_shares(rng, 60, share), 240)  # type: ignore[misc]
        held += low <= share <= high
    assert held / 1000 == pytest.approx(0.95, abs=0.025)


def test_games_of_one_seed_are_not_taken_for_independent() -> None:
    """Four equal games a seed are worth as much as one."""
    values = np.tile([0.0, 1.0], 50)
    low, high = share_interval(values, 400)  # type: ignore[misc]
    once = share_interval(values, 100)
    assert once is not None
    assert (low, high) == pytest.approx(once, abs=1e-3)
    assert high - low > 0.19


def test_winning_everything_leaves_a_doubt() -> None:
    """100 of 100 is compatible with 97 %, by the rule of three; with 90 % it is not."""
    low, high = share_interval(np.ones(100), 400)  # type: ignore[misc]
    assert 0.95 < low < 0.97
    assert high == 1.0
    assert share_interval(np.zeros(100), 400) == pytest.approx((0.0, 1 - low))


def test_equal_seeds_are_not_more_than_the_games_played() -> None:
    """Where every seed gives the same share, the interval is that of independent games."""
    low, high = share_interval(np.full(50, 0.25), 200)  # type: ignore[misc]
    # Wilson's interval for 50 of 200 with Student's quantile for 49 degrees of freedom.
    assert (low, high) == pytest.approx((0.1939, 0.3161), abs=1e-3)


def test_looking_all_the_time_is_wrong_in_at_most_5_of_100_cases() -> None:
    """Under the fair share the answer is hardly ever clear, after any of 300 seeds; whoever looks
    at an ordinary interval after each of them is wrong several times as often."""
    rng = np.random.default_rng(2)
    cases, wrong, naively_wrong = 300, 0, 0
    for _ in range(cases):
        values = clustered_shares(rng, 300, 0.25)
        wrong += first_clear(values, 0.25) is not None
        looks = (mean_interval(values[:n]) for n in range(10, 300, 5))
        naively_wrong += any(not low <= 0.25 <= high for low, high in looks)  # type: ignore[misc]
    assert wrong <= 0.05 * cases
    assert naively_wrong > 0.15 * cases


def test_a_difference_becomes_clear_and_the_sooner_the_larger_it_is() -> None:
    """Twice the fair share is seen sooner than a little more than it."""
    rng = np.random.default_rng(3)
    needed = [first_clear(clustered_shares(rng, 5000, share), 0.25) for share in (0.3, 0.5)]
    assert None not in needed
    assert needed[0] > needed[1]  # type: ignore[operator]


def test_clear_means_outside_the_anytime_interval() -> None:
    """The decision to stop and the interval that is reported say the same."""
    rng = np.random.default_rng(4)
    for share in (0.25, 0.3, 0.4, 0.6):
        values = clustered_shares(rng, 150, share)
        low, high = anytime_interval(values)
        is_outside = not low <= 0.25 <= high
        # The interval ends are rounded outwards by a thousandth, so they may be later.
        if is_outside:
            assert first_clear(values, 0.25) is not None
        if first_clear(values, 0.25) is not None:
            assert not low + 0.002 < 0.25 < high - 0.002


def test_anytime_intervals_start_with_everything_and_only_shrink() -> None:
    """More values never take back what was ruled out."""
    values = clustered_shares(np.random.default_rng(5), 400, 0.4)
    assert anytime_interval(values[:0]) == (0.0, 1.0)
    low, high = 0.0, 1.0
    for count in (1, 10, 100, 400):
        new_low, new_high = anytime_interval(values[:count])
        assert low <= new_low < values[:400].mean() < new_high <= high
        low, high = new_low, new_high
    assert high - low < 0.15
