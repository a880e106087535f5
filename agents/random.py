"""The player without a plan: every legal action is equally likely."""

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.batch import random_action
from ra_env.layout import State
from ra_env.legality import legal_actions


class Random:
    """Plays any legal action, all equally likely."""

    def act(self, state: State, word: np.uint64) -> int:
        """The legal action that `word` picks."""
        return int(_act(state, np.uint64(word)))

    def act_batch(
        self, states: NDArray[np.int16], words: NDArray[np.uint64], out: NDArray[np.int64]
    ) -> None:
        """Write the action of each row into `out`; 0 where the game is over."""
        _act_batch(states, words, out)


@njit
def _act(state: State, word: np.uint64) -> int:
    bits = legal_actions(state)
    return random_action(bits, word) if bits != 0 else 0


@njit
def _act_batch(
    states: NDArray[np.int16], words: NDArray[np.uint64], out: NDArray[np.int64]
) -> None:
    for game in range(len(states)):
        out[game] = _act(states[game], words[game])
