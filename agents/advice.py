"""What the heuristic makes of a position, as numbers that a network can start from.

What every action is worth takes auctions that are solved to their end, which a small network
cannot work out from an observation. Beside the observation it may therefore be given this: how far
each action is behind the best one in the heuristic's eyes, how the seats stand, and how they would
stand after each action.

The heuristic sees what a player with perfect memory knows, so its advice does too.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import choose, value_actions
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.judgement import NUM_FEATURES, POINTS, WEALTH, judge
from ra_env._jit import njit, njit_apart
from ra_env.actions import DRAW, NUM_ACTIONS
from ra_env.batch import run
from ra_env.layout import (
    BAG,
    BAG_COUNT,
    NUM_PLAYERS,
    OVER,
    PHASE,
    SEAT,
    STATE_SIZE,
    TURN,
    State,
    copy_row,
)
from ra_env.legality import legal_actions
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import (
    END_MONUMENT,
    FIRST_MONUMENT,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_TILES,
    RA,
)
from ra_env.transitions import apply

VERSION: Final = 2
"""Changes whenever any number of an advice changes, as it does with the heuristic. Stored with
weights."""

ADVISERS: Final = ("heuristic", "none")
"""Who can be asked."""

_CHANCES: Final = OBSERVATION_SIZE
_STANDINGS: Final = _CHANCES + MAX_PLAYERS
POSITION_SIZE: Final = _STANDINGS + MAX_PLAYERS
"""An observation and how the seats stand. Seat by seat from the observer on: the chance to win, and
points with what tiles and suns seem to be worth, in parts of 50."""
_WORTHS: Final = POSITION_SIZE
_PROSPECTS: Final = _WORTHS + NUM_ACTIONS
INPUT_SIZE: Final = _PROSPECTS + NUM_ACTIONS
"""All that, and what is said of actions to the seat on turn. First one number for each action,
1 / (1 + points behind the best), 0 where it is not legal. Then again one for each: how much smaller
the chance to win is after it, and after what heuristics make of the auction, than after the best,
in tenths; a draw has the mean of its tiles."""

_LEAD: Final = 10.0
_POINTS: Final = 0.02
_TENTHS: Final = 10.0

Inputs = NDArray[np.float32]


class Scratch(NamedTuple):
    """Arrays that compiled code works in."""

    parameters: NDArray[np.float64]
    """The heuristic's numbers."""
    work: NDArray[np.float64]
    worths: NDArray[np.float64]
    chances: NDArray[np.float64]
    prospects: NDArray[np.float64]
    state: State


def new_scratch() -> Scratch:
    """Room to work in; each thread needs its own."""
    return Scratch(
        tuned_parameters(),
        np.zeros(WORK_SIZE),
        np.zeros(NUM_ACTIONS),
        np.zeros(MAX_PLAYERS),
        np.zeros(NUM_ACTIONS),
        np.zeros(STATE_SIZE, np.int16),
    )


def input_size(adviser: str) -> int:
    """How many numbers a network gets that asks this adviser."""
    return OBSERVATION_SIZE if adviser == "none" else INPUT_SIZE


def advise(
    states: NDArray[np.int16], seats: NDArray[np.int64], out: Inputs, threads: int = 1
) -> None:
    """Write the advice to `seats[i]` in `states[i]` behind its observation in `out[i]`; where a
    game is over, or there is no such seat, that is zeros."""
    run(_advise_some, threads, states, seats, out)


def _advise_some(
    states: NDArray[np.int16], seats: NDArray[np.int64], out: Inputs, start: int, stop: int
) -> None:
    _advise(states, seats, new_scratch(), out, start, stop)


@njit
def _advise(
    states: NDArray[np.int16],
    seats: NDArray[np.int64],
    scratch: Scratch,
    out: Inputs,
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        state, seat = states[game], seats[game]
        for i in range(OBSERVATION_SIZE, INPUT_SIZE):
            out[game, i] = 0.0
        if state[PHASE] == OVER or seat >= state[NUM_PLAYERS]:
            continue
        if state[SEAT] == seat:
            _advise_on_actions(state, scratch, out[game])
        advise_on_seats(state, seat, scratch, out[game])


@njit
def _advise_on_actions(state: State, scratch: Scratch, out: NDArray[np.float32]) -> None:
    """What the legal actions are worth, and what becomes of them."""
    bits = legal_actions(state)
    parameters = scratch.parameters[state[NUM_PLAYERS] - MIN_PLAYERS]
    value_actions(state, parameters, scratch.work, scratch.worths)
    best = _best(bits, scratch.worths)
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            out[_WORTHS + action] = 1.0 / (1.0 + best - scratch.worths[action])
    _foresee(state, bits, scratch)
    best = _best(bits, scratch.prospects)
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            out[_PROSPECTS + action] = (scratch.prospects[action] - best) * _TENTHS


@njit
def advise_on_seats(state: State, seat: int, scratch: Scratch, out: NDArray[np.float32]) -> None:
    """Write how the seats stand, as `seat` sees it, behind an observation."""
    num_players = int(state[NUM_PLAYERS])
    judge_seats(state, scratch)
    for place in range(num_players):
        other = (seat + place) % num_players
        out[_CHANCES + place] = scratch.chances[other]
        start = other * NUM_FEATURES
        points = scratch.worths[start + POINTS] + scratch.worths[start + WEALTH]
        out[_STANDINGS + place] = points * _POINTS


@njit
def judge_seats(state: State, scratch: Scratch) -> None:
    """Fill `scratch.chances`: each seat's chance to win."""
    judge(state, _LEAD, scratch.parameters, scratch.work, scratch.worths, scratch.chances)


@njit_apart
def _foresee(state: State, bits: int, scratch: Scratch) -> None:
    """Fill `scratch.prospects`: the chance to win after each legal action of the seat on turn."""
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            if action == DRAW:
                scratch.prospects[DRAW] = _chance_after_draw(state, scratch)
            else:
                scratch.prospects[action] = _chance_after(state, action, RA, scratch)


@njit
def _chance_after_draw(state: State, scratch: Scratch) -> float:
    """The mean of all tiles. Most of them only lie on the track then, which makes no difference to
    how the seats stand, so these are judged once."""
    mean, usual = 0.0, -1.0
    for tile in range(NUM_TILES):
        share = state[BAG + tile] / state[BAG_COUNT]
        if share == 0.0:
            continue
        if tile == RA or _is_scarce_monument(state, tile):
            chance = _chance_after(state, DRAW, tile, scratch)
        else:
            if usual < 0.0:
                usual = _chance_after(state, DRAW, tile, scratch)
            chance = usual
        mean += share * chance
    return mean


@njit
def _is_scarce_monument(state: State, tile: int) -> bool:
    """Whether it counts that one more of them has left the bag: whoever collects them hopes for up
    to two."""
    return bool(FIRST_MONUMENT <= tile < END_MONUMENT and state[BAG + tile] <= 2)


@njit_apart
def _chance_after(state: State, action: int, tile: int, scratch: Scratch) -> float:
    """The chance of the seat on turn when heuristics have finished what the action began."""
    copy_row(state, scratch.state)
    apply(scratch.state, action, tile)
    settle(scratch)
    judge_seats(scratch.state, scratch)
    return float(scratch.chances[state[SEAT]])


@njit
def settle(scratch: Scratch) -> None:
    """Let heuristics finish what goes on in `scratch.state`, an auction for instance."""
    state = scratch.state
    while state[PHASE] != TURN and state[PHASE] != OVER:
        apply(state, choose(state, scratch.parameters, scratch.work, scratch.worths), RA)


@njit
def _best(bits: int, numbers: NDArray[np.float64]) -> float:
    best = -np.inf
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            best = max(best, numbers[action])
    return best
