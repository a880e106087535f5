"""Random numbers from one 64-bit word (splitmix64).

A word lives outside the game's row, so that a row holds no look into the future. `next_word` moves
it on; `mix` turns a word into a random number. The generator costs about 2 ns, can be saved,
copied and replaced, and gives the same numbers on any number of threads.

From Python, pass words as `np.uint64`: compiled code hands plain numbers back, and a plain number
would be compiled for once more, as a signed one.
"""

import numpy as np

from ra_env._jit import njit

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@njit
def next_word(word: np.uint64) -> np.uint64:
    """The word after `word`."""
    return np.uint64(np.uint64(word) + GAMMA)


@njit
def mix(word: np.uint64) -> np.uint64:
    """The random number that belongs to `word`."""
    z = np.uint64(word)
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return np.uint64(z ^ (z >> _S31))


@njit
def below(word: np.uint64, bound: int) -> int:
    """A random number from 0 to `bound` - 1 (bound < 2**31), by the upper 32 bits of `mix(word)`.

    The multiplication favours some results by at most bound / 2**32: nothing that could be noticed
    with bags of a few hundred tiles.
    """
    return int(np.int64(((mix(word) >> _S32) * np.uint64(bound)) >> _S32))


@njit
def seed_word(seed: np.uint64) -> np.uint64:
    """The first word of the game with this seed; neighbouring seeds give unrelated games."""
    return mix(next_word(seed))
