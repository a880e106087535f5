"""Where everything lies in a state: one int16 row per game, shape `(STATE_SIZE,)`.

A row is the whole of what lies on the table, and nothing else: the bag is kept as counts of what
is left, so there is no hidden order in it. `FIELDS` is the public table of the row; the constants
below it are offsets into the row, and the small functions find a tile of a seat.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.rules import (
    END_HELD,
    GOD,
    MAX_EPOCHS,
    MAX_PLAYERS,
    MAX_SUN,
    NUM_TILES,
    START_POINTS,
    Rules,
)

State = NDArray[np.int16]
"""One game: an int16 row of `STATE_SIZE` numbers."""

# Phases: what the seat on turn has to decide.
TURN: Final = 0
GODS: Final = 1
AUCTION: Final = 2
DISCARD: Final = 3
OVER: Final = 4
PHASE_NAMES: Final = ("turn", "gods", "auction", "discard", "over")

# Kinds of auction.
NO_AUCTION: Final = 0
DRAWN: Final = 1
VOLUNTARY: Final = 2
FULL: Final = 3
AUCTION_NAMES: Final = ("none", "drawn", "voluntary", "full")

PASSED: Final = -1
"""The entry in BIDS of a seat that has passed; 0 is a seat that has not been asked yet."""
NOBODY: Final = -1
"""A seat that is not there: on turn after the end, Ra player or highest bidder without one."""

HELD_KINDS: Final = END_HELD - GOD
"""Tile kinds that can lie in front of a player."""


class Field(NamedTuple):
    """One named stretch of the row."""

    name: str
    offset: int
    size: int
    meaning: str


def _fields(*entries: tuple[str, int, str]) -> tuple[Field, ...]:
    table, offset = [], 0
    for name, size, meaning in entries:
        table.append(Field(name, offset, size, meaning))
        offset += size
    return tuple(table)


FIELDS: Final = _fields(
    ("num_players", 1, "number of players, 2 to 5"),
    ("num_epochs", 1, "number of epochs of the game"),
    ("ra_spaces", 1, "the Ra tile with this number ends the epoch"),
    ("auction_spaces", 1, "spaces of the auction track"),
    ("epoch", 1, "the epoch being played, from 1"),
    ("ra_count", 1, "Ra tiles drawn in this epoch"),
    ("phase", 1, "what is to be decided: 0 turn, 1 gods, 2 auction, 3 discard, 4 over"),
    ("seat", 1, "the seat that decides, -1 after the end"),
    ("middle_sun", 1, "the sun in the middle"),
    ("track_count", 1, "tiles on the auction track"),
    ("bag_count", 1, "tiles left in the bag"),
    ("auction", 1, "kind of the running auction: 0 none, 1 drawn, 2 voluntary, 3 full"),
    ("ra_seat", 1, "the seat that drew or invoked Ra in the running auction, -1 without one"),
    ("high_bid", 1, "the highest bid of the running auction, 0 without one"),
    ("high_seat", 1, "the seat that made it, -1 without one"),
    ("discard_civilizations", 1, "civilizations that the seat still has to give up"),
    ("discard_monuments", 1, "monuments that the seat still has to give up"),
    ("bids", MAX_PLAYERS, "each seat's bid in the running auction; -1 passed, 0 not asked yet"),
    ("face_up", MAX_PLAYERS, "each seat's usable suns as a bit set: bit 0 is sun 1, bit 15 sun 16"),
    ("face_down", MAX_PLAYERS, "each seat's suns won in this epoch, as a bit set"),
    ("score", MAX_PLAYERS, "each seat's points"),
    ("epoch_points", MAX_EPOCHS * MAX_PLAYERS, "points of each finished epoch, seat by seat"),
    ("held", MAX_PLAYERS * HELD_KINDS, "tiles of each seat: god to sphinx, in the order of kinds"),
    ("track", NUM_TILES, "tiles on the auction track, by kind"),
    ("bag", NUM_TILES, "tiles left in the bag, by kind"),
)
"""The row, field by field: name, offset, size, meaning."""

_OFFSET: Final = {f.name: f.offset for f in FIELDS}
STATE_SIZE: Final = FIELDS[-1].offset + FIELDS[-1].size

NUM_PLAYERS: Final = _OFFSET["num_players"]
NUM_EPOCHS: Final = _OFFSET["num_epochs"]
RA_SPACES: Final = _OFFSET["ra_spaces"]
AUCTION_SPACES: Final = _OFFSET["auction_spaces"]
EPOCH: Final = _OFFSET["epoch"]
RA_COUNT: Final = _OFFSET["ra_count"]
PHASE: Final = _OFFSET["phase"]
SEAT: Final = _OFFSET["seat"]
MIDDLE_SUN: Final = _OFFSET["middle_sun"]
TRACK_COUNT: Final = _OFFSET["track_count"]
BAG_COUNT: Final = _OFFSET["bag_count"]
AUCTION_KIND: Final = _OFFSET["auction"]
RA_SEAT: Final = _OFFSET["ra_seat"]
HIGH_BID: Final = _OFFSET["high_bid"]
HIGH_SEAT: Final = _OFFSET["high_seat"]
DISCARD_CIVILIZATIONS: Final = _OFFSET["discard_civilizations"]
DISCARD_MONUMENTS: Final = _OFFSET["discard_monuments"]
BIDS: Final = _OFFSET["bids"]
FACE_UP: Final = _OFFSET["face_up"]
FACE_DOWN: Final = _OFFSET["face_down"]
SCORE: Final = _OFFSET["score"]
EPOCH_POINTS: Final = _OFFSET["epoch_points"]
HELD: Final = _OFFSET["held"]
TRACK: Final = _OFFSET["track"]
BAG: Final = _OFFSET["bag"]


@njit
def held(seat: int, tile: int) -> int:
    """The offset of the number of `tile` (god to sphinx) that `seat` holds."""
    return HELD + seat * HELD_KINDS + tile - GOD


@njit
def sun_bits(state: State, offset: int) -> int:
    """The bit set at `offset` (of FACE_UP or FACE_DOWN) as a number from 0 to 2**16 - 1."""
    return int(state[offset]) & 0xFFFF


@njit
def set_sun_bits(state: State, offset: int, bits: int) -> None:
    """Store a bit set of suns; sun 16 is the sign bit of the int16."""
    state[offset] = bits - ((bits & 0x8000) << 1)


@njit
def count_bits(bits: int) -> int:
    """How many bits are set (counted in parallel: one instruction on most machines)."""
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((bits * 0x0101010101010101) >> 56) & 0xFF


@njit
def highest_sun(bits: int) -> int:
    """The highest sun in a bit set, 0 if it is empty."""
    sun = 0
    while bits:
        bits >>= 1
        sun += 1
    return sun


def suns_at(state: State, offset: int) -> list[int]:
    """The suns of the bit set at `offset`, highest first."""
    bits = int(sun_bits(state, offset))
    return [sun for sun in range(MAX_SUN, 0, -1) if bits >> (sun - 1) & 1]


@njit
def copy_row(state: State, out: State) -> None:
    """Copy a state."""
    for i in range(STATE_SIZE):
        out[i] = state[i]


def starting_row(rules: Rules) -> State:
    """The row before the suns are dealt: seat i has set i, and nobody is on turn yet."""
    row = np.zeros(STATE_SIZE, dtype=np.int16)
    row[NUM_PLAYERS] = rules.num_players
    row[NUM_EPOCHS] = rules.epochs
    row[RA_SPACES] = rules.ra_spaces
    row[AUCTION_SPACES] = rules.auction_spaces
    row[EPOCH] = 1
    row[MIDDLE_SUN] = rules.middle_sun
    row[SEAT] = row[RA_SEAT] = row[HIGH_SEAT] = NOBODY
    row[SCORE : SCORE + rules.num_players] = START_POINTS
    row[BAG : BAG + NUM_TILES] = rules.bag
    row[BAG_COUNT] = sum(rules.bag)
    for seat, suns in enumerate(rules.suns):
        set_sun_bits(row, FACE_UP + seat, sum(1 << (sun - 1) for sun in suns))
    return row
