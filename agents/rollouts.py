"""Playing a position on inside a search, and judging where it leads."""

import math

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import choose
from agents.heuristic_auction import TILES, TOTAL, WORTH, Work, sun_prize, weigh_seats
from agents.heuristic_parameters import SUN_NEXT, SUN_TOTAL, SUN_TOTALS, Parameters
from agents.heuristic_tiles import count_epochs_left
from ra_env._jit import njit, njit_apart
from ra_env.batch import random_action
from ra_env.layout import (
    EPOCH,
    FACE_UP,
    NUM_PLAYERS,
    OVER,
    PHASE,
    SCORE,
    State,
    count_bits,
    sun_bits,
)
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


@njit_apart
def judge(
    state: State,
    lead: float,
    parameters: NDArray[np.float64],
    work: NDArray[np.float64],
    standings: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write each seat's result, about its chance to win: they add up to 1, and `lead` points more
    make a seat e**2 times as likely to win.

    Before the end, points count together with what the heuristic thinks tiles and suns are worth.
    """
    num_players = int(state[NUM_PLAYERS])
    for seat in range(num_players):
        standings[seat] = state[SCORE + seat]
    if state[PHASE] != OVER:
        every = 0
        for seat in range(num_players):
            every |= sun_bits(state, FACE_UP + seat)
        p = parameters[num_players - MIN_PLAYERS]
        weigh_seats(state, every, p, work)
        for seat in range(num_players):
            standings[seat] += work[TILES + seat] + work[WORTH + seat]
            standings[seat] += sum_worth(state, seat, count_bits(every), p, work)
    best = standings[0]
    for seat in range(1, num_players):
        best = max(best, standings[seat])
    total = 0.0
    for seat in range(num_players):
        out[seat] = math.exp(2.0 * (standings[seat] - best) / lead)
        total += out[seat]
    for seat in range(num_players):
        out[seat] /= total


@njit
def sum_worth(state: State, seat: int, suns: int, p: Parameters, work: Work) -> float:
    """What the numbers on a seat's suns are worth, in later epochs and for the final prize, when
    `suns` of all seats lie face up. `work` comes from `weigh_seats`."""
    num_players = int(state[NUM_PLAYERS])
    most = 0.0
    fewest = 1e9
    for other in range(num_players):
        if other != seat:
            most = max(most, work[TOTAL + other])
            fewest = min(fewest, work[TOTAL + other])
    epochs = count_epochs_left(state)
    softness = p[SUN_TOTAL] * suns / num_players + p[SUN_TOTALS] * epochs
    prize = sun_prize(work[TOTAL + seat], most, fewest, softness)
    return float(prize + p[SUN_NEXT] * epochs * work[TOTAL + seat])
