"""Playing a position on inside a search."""

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import choose
from ra_env._jit import njit_apart
from ra_env.batch import random_action
from ra_env.layout import EPOCH, State
from ra_env.legality import legal_actions
from ra_env.rng import next_word
from ra_env.transitions import step

ROLLOUTS = ("random", "heuristic")
RANDOM = 0
HEURISTIC = 1


@njit_apart
def rollout(
    state: State,
    kind: int,
    epochs: int,
    word: np.uint64,
    parameters: NDArray[np.float64],
    work: NDArray[np.float64],
    values: NDArray[np.float64],
) -> np.uint64:
    """Play on until so many epochs or the game have ended; returns the random word after it.

    An epoch's end is a good place to judge: no lot is at stake and everyone has all suns.
    `parameters` are the heuristic's, `work` and `values` its scratch.
    """
    end = int(state[EPOCH]) + epochs
    bits = legal_actions(state)
    while bits != 0 and state[EPOCH] < end:
        if kind == HEURISTIC:
            action = choose(state, parameters, work, values)
        else:
            word = next_word(word)
            action = random_action(bits, word)
        word = step(state, action, word)
        bits = legal_actions(state)
    return word
