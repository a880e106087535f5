"""The random numbers are splitmix64's, fair, and apart for neighbouring seeds."""

from itertools import pairwise

import numpy as np
import pytest

from ra_env.rng import below, mix, next_word, seed_word

# The first numbers of splitmix64 from the word 1234567, as its published test values give them.
PUBLISHED = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)


def words_from(word: int, count: int) -> list[np.uint64]:
    words = [np.uint64(word)]
    while len(words) <= count:
        words.append(np.uint64(next_word(words[-1])))
    return words[1:]


def test_the_published_numbers_come_out() -> None:
    assert [int(mix(word)) for word in words_from(1234567, 5)] == list(PUBLISHED)


def test_a_word_moves_on_across_the_end_of_64_bits() -> None:
    last = np.uint64(2**64 - 1)
    assert int(next_word(last)) == 0x9E3779B97F4A7C15 - 1


@pytest.mark.parametrize("bound", [1, 2, 3, 23, 180, 3000, 2**31 - 1])
def test_below_is_the_upper_half_scaled_to_the_bound(bound: int) -> None:
    for word in words_from(bound, 50):
        assert int(below(word, bound)) == (int(mix(word)) >> 32) * bound >> 32 < bound


def test_below_is_fair() -> None:
    """6,000 throws of a die: each side within 4 standard deviations of 1,000."""
    throws = [int(below(word, 6)) for word in words_from(7, 6000)]
    counts = np.bincount(throws, minlength=6)
    assert np.abs(counts - 1000).max() < 4 * (6000 * 1 / 6 * 5 / 6) ** 0.5


def test_neighbouring_seeds_begin_far_apart() -> None:
    """The words of seeds 0 to 999 all differ, and half of their bits do, more or less."""
    words = [int(seed_word(np.uint64(seed))) for seed in range(1000)]
    assert len(set(words)) == 1000
    apart = [(one ^ other).bit_count() for one, other in pairwise(words)]
    assert 31 < sum(apart) / len(apart) < 33
    assert min(apart) > 12


def test_the_streams_of_neighbouring_seeds_do_not_overlap() -> None:
    """No game of seeds 0 to 99 meets the words of another within 2,000 numbers."""
    seen: set[int] = set()
    for seed in range(100):
        seen.update(map(int, words_from(int(seed_word(np.uint64(seed))), 2000)))
    assert len(seen) == 100 * 2000
