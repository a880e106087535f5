"""Rewards by name: what a seat gets for the last step.

`placement` and `win` are paid once, at the end of the game; `score` and `margin` whenever an epoch
is scored. `placement` and `margin` add up to zero over the seats.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.layout import NUM_PLAYERS, OVER, PHASE, SCORE, State
from ra_env.scoring import rank

REWARDS: Final = ("placement", "win", "score", "margin")
"""`placement`: from +1 for the first to -1 for the last. `win`: 1 for the winner. `score`: the
points that were just scored. `margin`: these, less the mean of the other seats'."""
PLACEMENT: Final = 0
WIN: Final = 1
SCORE_POINTS: Final = 2
MARGIN: Final = 3


def reward_id(name: str) -> int:
    """The number of a reward, as compiled code takes it."""
    if name not in REWARDS:
        raise ValueError(f"unknown reward {name!r}; rewards: {', '.join(REWARDS)}")
    return REWARDS.index(name)


@njit
def reward(state: State, before: NDArray[np.int16], seat: int, kind: int) -> float:
    """What `seat` gets for the step that led to `state`; `before` are the scores ahead of it."""
    num_players = int(state[NUM_PLAYERS])
    if kind in (PLACEMENT, WIN):
        if state[PHASE] != OVER:
            return 0.0
        place = rank(state, seat)
        if kind == WIN:
            return 1.0 if place == 0 else 0.0
        return 1.0 - 2.0 * place / (num_players - 1)
    mine = int(state[SCORE + seat]) - int(before[seat])
    if kind == SCORE_POINTS:
        return float(mine)
    total = 0
    for other in range(num_players):
        total += int(state[SCORE + other]) - int(before[other])
    return mine - (total - mine) / (num_players - 1)
