"""Random games of the engine, steered where evenly random play hardly comes, and written down.

Whoever tests the course of whole games starts here. What a compiled function of this file calls
beyond the engine stands in this file too: numba's cache would not notice a change in another one.
"""

import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ra_env import ACTION_TEXTS, NUM_ACTIONS, TILE_NAMES, Rules
from ra_env._jit import njit
from ra_env.batch import new_games
from ra_env.layout import NUM_PLAYERS, SEAT, STATE_SIZE, State, copy_row
from ra_env.legality import legal_actions
from ra_env.rng import below, next_word
from ra_env.rules import MAX_PLAYERS, NUM_TILES, RA
from ra_env.scoring import points_now, rank
from ra_env.transitions import step

MAX_MOVES = 2000
"""No game is so long; one that were would stop here, unfinished."""

Weights = NDArray[np.int64]
"""The chance of each action among the legal ones, `(5, 54)`: one line for each seat."""

# --- how games are steered -----------------------------------------------------------------------


def weights(**changes: int) -> Weights:
    """The same for all seats: by the first word of an action's text, 1 if it is not named.

    `pass` is a word of Python's own, so it is written `pass_`.
    """
    named = {verb.rstrip("_"): weight for verb, weight in changes.items()}
    verbs = [text.partition(" ")[0] for text in ACTION_TEXTS]
    each_seat = np.array([named.get(verb, 1) for verb in verbs], dtype=np.int64)
    return np.tile(each_seat, (MAX_PLAYERS, 1))


def one_seat_waits() -> Weights:
    """Seat 0 passes and draws, the others spend their suns: seat 0 is left alone."""
    table = weights(invoke=6, bid=4)
    table[0] = weights(draw=60, pass_=200)[0]
    return table


EVEN = weights()
STEERED = {
    "long lots": weights(draw=40, pass_=12),
    "long lots and many bids": weights(draw=12, bid=8),
    "full tracks": weights(draw=400, pass_=60),
    "gods are kept, then spent together": weights(draw=40, take=3, pass_=8),
    "gods are spent at once": weights(draw=20, take=400, end=20, pass_=8),
    "calls on an empty track": weights(invoke=30, bid=4),
    "hardly a bid": weights(draw=10, pass_=300),
    "one seat waits": one_seat_waits(),
}


RICH_BAG = dict(zip(TILE_NAMES, Rules(2).bag, strict=True)) | {
    "god": 20,
    "pharaoh": 10,
    "nile": 10,
    **dict.fromkeys(("writing", "art"), 15),
    **dict.fromkeys(("funeral", "drought", "unrest", "earthquake"), 8),
}
"""More gods, disasters and what they destroy than in the box, where they seldom come together."""


def random_variant(rng: random.Random) -> Rules:
    """Any allowed rules: a short track, a small or lopsided bag, other suns, ..."""
    num_players = rng.randint(2, 5)
    epochs, ra_spaces = rng.randint(1, 3), rng.randint(1, 10)
    kinds = rng.sample(range(1, NUM_TILES), rng.randint(0, NUM_TILES - 1))
    bag = [0] * NUM_TILES
    for kind in kinds:
        bag[kind] = rng.choice((1, 2, 5, 9, 30))
    bag[RA] = epochs * ra_spaces + rng.choice((0, 0, 1, 20))
    per_seat = rng.randint(1, min(5, 15 // num_players))
    middle_sun, *suns = rng.sample(range(1, 17), num_players * per_seat + 1)
    return Rules(
        num_players,
        epochs=epochs,
        ra_spaces=ra_spaces,
        auction_spaces=rng.randint(1, 8),
        bag=tuple(bag),
        suns=tuple(tuple(suns[i::num_players]) for i in range(num_players)),
        middle_sun=middle_sun,
    )


# --- games written down --------------------------------------------------------------------------


class Log(NamedTuple):
    """One game as the engine played it. Entry 0 is the start, entry k comes after the k-th move."""

    rows: NDArray[np.int16]
    actions: NDArray[np.int64]
    legal: NDArray[np.int64]
    points: NDArray[np.int64]
    ranks: NDArray[np.int64]


BUFFERS = Log(
    np.zeros((MAX_MOVES + 1, STATE_SIZE), dtype=np.int16),
    np.zeros(MAX_MOVES, dtype=np.int64),
    np.zeros(MAX_MOVES + 1, dtype=np.int64),
    np.zeros((MAX_MOVES + 1, MAX_PLAYERS), dtype=np.int64),
    np.zeros((MAX_MOVES + 1, MAX_PLAYERS), dtype=np.int64),
)


@njit
def weighted_action(bits: int, action_weights: Weights, word: np.uint64) -> int:
    """A legal action, picked by the random word with the given weights."""
    total = 0
    for action in range(NUM_ACTIONS):
        total += action_weights[action] * ((bits >> action) & 1)
    left = below(word, total)
    for action in range(NUM_ACTIONS):
        left -= action_weights[action] * ((bits >> action) & 1)
        if left < 0:
            return action
    return -1


@njit
def play_logged(
    state: State,
    words: NDArray[np.uint64],
    seat_weights: Weights,
    rows: NDArray[np.int16],
    actions: NDArray[np.int64],
    legal: NDArray[np.int64],
    points: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> int:
    """Play to the end and write everything down; returns the number of moves.

    `words` are the random words of the bag and of the players.
    """
    moves = 0
    while True:
        bits = legal_actions(state)
        copy_row(state, rows[moves])
        legal[moves] = bits
        for seat in range(state[NUM_PLAYERS]):
            points[moves, seat] = points_now(state, seat)
            ranks[moves, seat] = rank(state, seat)
        if bits == 0 or moves == MAX_MOVES:
            return moves
        words[1] = next_word(words[1])
        actions[moves] = weighted_action(bits, seat_weights[state[SEAT]], words[1])
        words[0] = step(state, actions[moves], words[0])
        moves += 1


def engine_game(rules: Rules, seed: int, seat_weights: Weights) -> Log:
    """Play a game. The log lives in shared buffers: the next game overwrites it."""
    states, words = new_games(rules, [seed])
    both = np.array([words[0], np.uint64(seed)])
    moves = play_logged(states[0], both, seat_weights, *BUFFERS)
    return Log(
        BUFFERS.rows[: moves + 1],
        BUFFERS.actions[:moves],
        BUFFERS.legal[: moves + 1],
        BUFFERS.points[: moves + 1, : rules.num_players],
        BUFFERS.ranks[: moves + 1, : rules.num_players],
    )
