"""Judging a position inside a search: each seat's chance to win.

At the end of the game points decide. Before it a seat has points, tiles and suns, and its chance is
in proportion to e to the power of their weighted sum. The weights are fitted to games of the
heuristic (`python -m agents.tune_search`), so they foretell who wins if everyone plays like it.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic_auction import TILES, TOTAL, WORTH, Work, weigh_seats
from agents.heuristic_tiles import count_epochs_left
from ra_env._jit import njit, njit_apart
from ra_env.layout import FACE_UP, NUM_PLAYERS, OVER, PHASE, SCORE, State, sun_bits
from ra_env.rules import MIN_PLAYERS

POINTS: Final = 0
WEALTH: Final = 1
"""What the heuristic thinks the seat's tiles and face-up suns are worth."""
SUN_SUM: Final = 2
"""The sum of all its suns."""
NUM_FEATURES: Final = 3

WEIGHTS: Final = np.array(
    [
        [(0.109, 0.149, 0.034), (0.176, 0.201, 0.073)],
        [(0.145, 0.183, 0.044), (0.212, 0.238, 0.069)],
        [(0.170, 0.222, 0.045), (0.259, 0.291, 0.069)],
        [(0.179, 0.245, 0.052), (0.268, 0.312, 0.082)],
    ]
)
"""By number of players; by whether this epoch is the last one; by feature."""


@njit_apart
def judge(
    state: State,
    lead: float,
    parameters: NDArray[np.float64],
    work: Work,
    features: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write each seat's result, about its chance to win: they add up to 1. At the end of the game
    `lead` points more make a seat e**2 times as likely to win.

    `parameters` are the heuristic's, `work` and `features` scratch.
    """
    num_players = int(state[NUM_PLAYERS])
    if state[PHASE] == OVER:
        for seat in range(num_players):
            out[seat] = 2.0 * state[SCORE + seat] / lead
    else:
        read_features(state, parameters, work, features)
        is_last = 1 if count_epochs_left(state) == 0 else 0
        for seat in range(num_players):
            out[seat] = 0.0
            for feature in range(NUM_FEATURES):
                weight = WEIGHTS[num_players - MIN_PLAYERS, is_last, feature]
                out[seat] += weight * features[seat * NUM_FEATURES + feature]
    best = out[0]
    for seat in range(1, num_players):
        best = max(best, out[seat])
    total = 0.0
    for seat in range(num_players):
        out[seat] = math.exp(out[seat] - best)
        total += out[seat]
    for seat in range(num_players):
        out[seat] /= total


@njit
def read_features(
    state: State,
    parameters: NDArray[np.float64],
    work: Work,
    out: NDArray[np.float64],
) -> None:
    """Write what each seat has: NUM_FEATURES numbers for each seat, one seat after the other."""
    num_players = int(state[NUM_PLAYERS])
    every = 0
    for seat in range(num_players):
        every |= sun_bits(state, FACE_UP + seat)
    weigh_seats(state, every, parameters[num_players - MIN_PLAYERS], work)
    for seat in range(num_players):
        place = seat * NUM_FEATURES
        out[place + POINTS] = state[SCORE + seat]
        out[place + WEALTH] = work[TILES + seat] + work[WORTH + seat]
        out[place + SUN_SUM] = work[TOTAL + seat]
