"""Playing a position on inside a search, and judging where it leads."""

import math

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import choose
from agents.heuristic_auction import TILES, WORTH, weigh_seats
from ra_env._jit import njit_apart
from ra_env.batch import random_action
from ra_env.layout import FACE_UP, NUM_PLAYERS, OVER, PHASE, SCORE, State, sun_bits
from ra_env.legality import legal_actions
from ra_env.rng import next_word
from ra_env.rules import MIN_PLAYERS
from ra_env.transitions import step

ROLLOUTS = ("random", "heuristic")
RANDOM = 0
HEURISTIC = 1


@njit_apart
def rollout(
    state: State,
    kind: int,
    horizon: int,
    word: np.uint64,
    parameters: NDArray[np.float64],
    work: NDArray[np.float64],
    values: NDArray[np.float64],
) -> np.uint64:
    """Play at most `horizon` moves, or to the end of the game; returns the random word after it.

    `parameters` are the heuristic's, `work` and `values` its scratch.
    """
    bits = legal_actions(state)
    while bits != 0 and horizon > 0:
        if kind == HEURISTIC:
            action = choose(state, parameters, work, values)
        else:
            word = next_word(word)
            action = random_action(bits, word)
        word = step(state, action, word)
        bits = legal_actions(state)
        horizon -= 1
    return word


@njit_apart
def judge(
    state: State,
    lead: float,
    parameters: NDArray[np.float64],
    work: NDArray[np.float64],
    standings: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write each seat's result, from 0 to 1: a half for a tie, nearly 1 for `lead` points ahead.

    Before the end, points count together with what the heuristic thinks tiles and suns are worth.
    """
    num_players = int(state[NUM_PLAYERS])
    for seat in range(num_players):
        standings[seat] = state[SCORE + seat]
    if state[PHASE] != OVER:
        every = 0
        for seat in range(num_players):
            every |= sun_bits(state, FACE_UP + seat)
        weigh_seats(state, every, parameters[num_players - MIN_PLAYERS], work)
        for seat in range(num_players):
            standings[seat] += work[TILES + seat] + work[WORTH + seat]
    for seat in range(num_players):
        best = -1e9
        for other in range(num_players):
            if other != seat:
                best = max(best, standings[other])
        out[seat] = 1.0 / (1.0 + math.exp(-2.0 * (standings[seat] - best) / lead))
