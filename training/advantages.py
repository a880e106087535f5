"""Returns and advantages of every seat along its own decisions.

A rollout is `steps x games` decisions. Between two decisions of a seat others decide and pay it
rewards; those belong to its earlier decision. So the pass goes backwards with one accumulator per
seat, and never mixes seats.
"""

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.rules import MAX_PLAYERS


@njit
def seat_advantages(
    seats: NDArray[np.int64],
    values: NDArray[np.float32],
    rewards: NDArray[np.float32],
    done: NDArray[np.bool_],
    last_values: NDArray[np.float32],
    discount: float,
    smoothing: float,
    scratch: NDArray[np.float64],
    out: NDArray[np.float32],
) -> None:
    """Write the advantage of each decision into `out (T, B)`.

    `seats (T, B)` decided, `values (T, B)` is what they expected; `rewards (T, B, 5)` is what every
    seat got in the step, `done (T, B)` whether the game ended in it, and `last_values (B, 5)` what
    every seat expects after the rollout. `scratch` is `(3, 5)`.
    """
    advantage, next_value, paid = scratch[0], scratch[1], scratch[2]
    for game in range(seats.shape[1]):
        for seat in range(MAX_PLAYERS):
            advantage[seat] = 0.0
            paid[seat] = 0.0
            next_value[seat] = last_values[game, seat]
        for step in range(seats.shape[0] - 1, -1, -1):
            for seat in range(MAX_PLAYERS):
                if done[step, game]:
                    advantage[seat] = 0.0
                    paid[seat] = 0.0
                    next_value[seat] = 0.0
                paid[seat] += rewards[step, game, seat]
            seat = seats[step, game]
            value = float(values[step, game])
            error = paid[seat] + discount * next_value[seat] - value
            advantage[seat] = error + discount * smoothing * advantage[seat]
            out[step, game] = advantage[seat]
            next_value[seat] = value
            paid[seat] = 0.0
