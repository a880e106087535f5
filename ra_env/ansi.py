"""The table as coloured text for a terminal, and the words in which any picture of it speaks.

Fits `COLUMNS` columns for any number of players at any time of the game. Reads a state; knows
nothing of `Game` and of drawings.
"""

import unicodedata
from collections.abc import Sequence
from typing import Final

import numpy as np

from ra_env.batch import check_states
from ra_env.layout import (
    AUCTION,
    AUCTION_KIND,
    AUCTION_NAMES,
    AUCTION_SPACES,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    EPOCH,
    FACE_DOWN,
    FACE_UP,
    HIGH_BID,
    HIGH_SEAT,
    MIDDLE_SUN,
    NO_AUCTION,
    NUM_EPOCHS,
    NUM_PLAYERS,
    OVER,
    PASSED,
    PHASE,
    RA_COUNT,
    RA_SEAT,
    RA_SPACES,
    SCORE,
    SEAT,
    STATE_SIZE,
    TRACK,
    TRACK_COUNT,
    State,
    held,
    suns_at,
)
from ra_env.rules import (
    END_CIVILIZATION,
    END_HELD,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    NILE,
    PHARAOH,
    RA,
    TILE_NAMES,
)
from ra_env.scoring import points_now, rank

COLUMNS: Final = 100
NAME_COLUMNS: Final = 14

GROUPS: Final = (
    (GOD,),
    (GOLD,),
    (PHARAOH,),
    (NILE, FLOOD),
    tuple(range(FIRST_CIVILIZATION, END_CIVILIZATION)),
    tuple(range(FIRST_MONUMENT, END_MONUMENT)),
)
"""The tiles that are scored together, in the order of `scoring.CATEGORIES`."""

BOLD: Final = "1"
FAINT: Final = "2"
_CIVILIZATION_COLOUR: Final = "38;5;208"
_MONUMENT_COLOUR: Final = "38;5;137"
_DISASTER_COLOUR: Final = "1;38;5;196"
_TILE_COLOURS: Final = {
    RA: "1;38;5;202",
    GOD: "38;5;135",
    PHARAOH: "38;5;35",
    NILE: "38;5;39",
    FLOOD: "38;5;33",
    GOLD: "38;5;220",
}
_SUN_COLOUR: Final = "38;5;214"
_BID_COLOUR: Final = "1;38;5;214"


# --- words ---------------------------------------------------------------------------------------


def checked_state(state: object) -> State:
    """A copy of the row, if it is a position of the game; otherwise `ValueError` says why not."""
    if not isinstance(state, np.ndarray) or state.shape != (STATE_SIZE,):
        shape = f"an array of shape {state.shape}" if isinstance(state, np.ndarray) else repr(state)
        raise ValueError(f"a state is one int16 row of {STATE_SIZE} numbers, not {shape[:80]}")
    row = state.copy()
    check_states(row[np.newaxis])
    return row


def seat_names(state: State, names: Sequence[str] | None) -> list[str]:
    """One name for each seat, on one line and without control characters; by default `seat 0`."""
    players = int(state[NUM_PLAYERS])
    if names is None:
        return [f"seat {seat}" for seat in range(players)]
    if isinstance(names, str) or len(names) != players:
        raise ValueError(f"names must be a list of {players} names, one for each seat")
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ValueError(f"a name must be a text, not {wrong[0]!r}")
    lines = [" ".join("".join(c if c.isprintable() else " " for c in n).split()) for n in names]
    return [line or f"seat {seat}" for seat, line in enumerate(lines)]


def status(state: State, names: Sequence[str]) -> str:
    """Who has to decide what; after the end, who has won."""
    phase = state[PHASE]
    if phase == OVER:
        winner = next(seat for seat in range(state[NUM_PLAYERS]) if rank(state, seat) == 0)
        return f"game over: {names[winner]} wins with {state[SCORE + winner]} points"
    asked = {
        AUCTION: "bids or passes",
        DISCARD: f"gives up {_due(state)}",
    }.get(int(phase), "takes a turn" if phase != GODS else "spends another god or ends the turn")
    return f"{names[state[SEAT]]} {asked}"
