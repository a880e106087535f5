"""What the heuristic makes of a position, as numbers that a network can start from.

What every action is worth takes auctions that are solved to their end, which a small network
cannot work out from an observation. Beside the observation it may therefore be given this: how far
each action is behind the best one in the heuristic's eyes, and how the seats stand.

The heuristic sees what a player with perfect memory knows, so its advice does too.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import value_actions
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.judgement import NUM_FEATURES, POINTS, WEALTH, judge
from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.layout import NUM_PLAYERS, OVER, PHASE, SEAT
from ra_env.legality import legal_actions
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import MAX_PLAYERS, MIN_PLAYERS

VERSION: Final = 1
"""Changes whenever any number of an advice changes, as it does with the heuristic. Stored with
weights."""

ADVISERS: Final = ("heuristic", "none")
"""Who can be asked."""

_CHANCES: Final = OBSERVATION_SIZE + NUM_ACTIONS
_STANDINGS: Final = _CHANCES + MAX_PLAYERS
INPUT_SIZE: Final = _STANDINGS + MAX_PLAYERS
"""An observation and the advice behind it: first one number for each action, 1 / (1 + points behind
the best), 0 where it is not legal or the seat is not on turn. Then, seat by seat from the observer
on: the chance to win, and points with what tiles and suns seem to be worth, in parts of 50."""

_LEAD: Final = 10.0
_POINTS: Final = 0.02

Inputs = NDArray[np.float32]


def input_size(adviser: str) -> int:
    """How many numbers a network gets that asks this adviser."""
    return OBSERVATION_SIZE if adviser == "none" else INPUT_SIZE


def advise(states: NDArray[np.int16], seats: NDArray[np.int64], out: Inputs) -> None:
    """Write the advice to `seats[i]` in `states[i]` behind its observation in `out[i]`; where a
    game is over, or there is no such seat, that is zeros."""
    scratch = np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS), np.zeros(MAX_PLAYERS)
    _advise(states, seats, tuned_parameters(), *scratch, out)


@njit
def _advise(
    states: NDArray[np.int16],
    seats: NDArray[np.int64],
    parameters: NDArray[np.float64],
    work: NDArray[np.float64],
    worths: NDArray[np.float64],
    chances: NDArray[np.float64],
    out: Inputs,
) -> None:
    for game in range(len(states)):
        state, seat = states[game], seats[game]
        num_players = int(state[NUM_PLAYERS])
        for i in range(OBSERVATION_SIZE, INPUT_SIZE):
            out[game, i] = 0.0
        if state[PHASE] == OVER or seat >= num_players:
            continue
        if state[SEAT] == seat:
            value_actions(state, parameters[num_players - MIN_PLAYERS], work, worths)
            _write_actions(legal_actions(state), worths, out[game])
        judge(state, _LEAD, parameters, work, worths, chances)
        for place in range(num_players):
            other = (seat + place) % num_players
            out[game, _CHANCES + place] = chances[other]
            points = worths[other * NUM_FEATURES + POINTS] + worths[other * NUM_FEATURES + WEALTH]
            out[game, _STANDINGS + place] = points * _POINTS


@njit
def _write_actions(bits: int, worths: NDArray[np.float64], out: Inputs) -> None:
    best = -np.inf
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            best = max(best, worths[action])
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            out[OBSERVATION_SIZE + action] = 1.0 / (1.0 + best - worths[action])
