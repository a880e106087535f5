"""What a seat sees: one float32 vector, built from a named list of pieces.

Egocentric: blocks of seats begin with the observer's own seat and go on clockwise, so the same
network plays from every seat; seats that are not there are zero, so it plays at every table. Two
views: `"memory"`, what a player with perfect memory knows, and `"table"`, what can be seen on the
table alone, without the opponents' points and the contents of the bag.

Nothing in an observation depends on what nobody can know: the order of the bag. The points of
past epochs are left out, because they have no influence on what is still to come.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.layout import (
    AUCTION_KIND,
    AUCTION_SPACES,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    DRAWN,
    EPOCH,
    FACE_DOWN,
    FACE_UP,
    HELD,
    HELD_KINDS,
    HIGH_BID,
    HIGH_SEAT,
    MIDDLE_SUN,
    NUM_EPOCHS,
    NUM_PLAYERS,
    PASSED,
    PHASE,
    RA_COUNT,
    RA_SEAT,
    RA_SPACES,
    SCORE,
    SEAT,
    TRACK,
    TRACK_COUNT,
    State,
    count_bits,
    held,
    sun_bits,
)
from ra_env.rules import (
    END_CIVILIZATION,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    MAX_AUCTION_SPACES,
    MAX_EPOCHS,
    MAX_PLAYERS,
    MAX_RA_SPACES,
    MAX_SUN,
    MIN_PLAYERS,
    NILE,
    NUM_TILES,
    PHARAOH,
    RA,
    STANDARD_BAG,
)
from ra_env.scoring import sun_total

VERSION: Final = 1
"""Changes whenever the meaning of any number of an observation changes. Stored with weights."""

VIEWS: Final = ("memory", "table")
MEMORY: Final = 0
TABLE: Final = 1

Observation = NDArray[np.float32]


class Piece(NamedTuple):
    """One named stretch of the observation."""

    name: str
    start: int
    size: int
    scale: str
    meaning: str
    hidden: str
    """What the table view hides of it: "", "all" or "opponents"."""

    @property
    def slice(self) -> "slice":
        """Where the piece lies: `observation[piece.slice]`."""
        return slice(self.start, self.start + self.size)


def _pieces(*entries: tuple[str, int, str, str, str]) -> tuple[Piece, ...]:
    table, start = [], 0
    for name, size, scale, meaning, hidden in entries:
        table.append(Piece(name, start, size, scale, meaning, hidden))
        start += size
    return tuple(table)


_SEATS: Final = MAX_PLAYERS
PIECES: Final = _pieces(
    ("players", 4, "one-hot", "number of players, 2 to 5", ""),
    ("settings", 3, "1/3, 1/10, 1/8", "epochs of the game, Ra spaces, auction spaces", ""),
    ("epochs_left", 3, "one-hot", "epochs after this one: 0, 1, 2", ""),
    ("boat", 2, "1/10", "Ra tiles drawn in this epoch; Ra tiles until it ends", ""),
    ("phase", 5, "one-hot", "turn, gods, auction, discard, over", ""),
    ("auction", 3, "one-hot", "running auction: drawn, voluntary, full", ""),
    ("middle_sun", MAX_SUN, "one-hot", "the sun in the middle, 1 to 16", ""),
    ("high_bid", MAX_SUN, "one-hot", "the highest bid, 1 to 16", ""),
    ("to_discard", 2, "1/4", "civilizations, monuments that the seat on turn must give up", ""),
    ("track_count", 1, "1/8", "tiles on the auction track", ""),
    ("track", NUM_TILES - 1, "1/2", "tiles on the track by kind, god to earthquake", ""),
    ("bag_count", 1, "1/180", "tiles left in the bag", "all"),
    ("bag", NUM_TILES, "1/standard number", "tiles left in the bag by kind", "all"),
    ("chances", 2, "1", "chance that the next tile is a Ra, a disaster", "all"),
    ("present", _SEATS, "flag", "the seat is there", ""),
    ("on_turn", _SEATS, "flag", "the seat that decides", ""),
    ("ra_player", _SEATS, "flag", "the seat that drew or invoked Ra", ""),
    ("high_seat", _SEATS, "flag", "the seat with the highest bid", ""),
    ("bid", _SEATS, "1/16", "the seat's bid in the running auction", ""),
    ("passed", _SEATS, "flag", "the seat has passed in the running auction", ""),
    ("score", _SEATS, "1/50", "points so far", "opponents"),
    ("points_now", _SEATS, "1/20", "points if the epoch ended now, without the final ones", ""),
    ("points_lot", _SEATS, "1/20", "change of these with the track's tiles, no disasters", ""),
    ("monuments_now", _SEATS, "1/20", "points for monuments if the game ended now", ""),
    ("monuments_lot", _SEATS, "1/20", "change of these with the track's tiles, no disasters", ""),
    ("civilization_kinds", _SEATS, "1/5", "different civilizations", ""),
    ("monument_kinds", _SEATS, "1/8", "different monuments", ""),
    ("suns_left", _SEATS, "1/4", "number of face-up suns", ""),
    ("sun_total", _SEATS, "1/40", "sum of all suns, face up and face down", ""),
    ("face_up", _SEATS * MAX_SUN, "flags", "suns 1 to 16 face up, seat by seat", ""),
    ("face_down", _SEATS * MAX_SUN, "flags", "suns 1 to 16 face down, seat by seat", ""),
    ("held", _SEATS * HELD_KINDS, "1/4", "tiles by kind, god to sphinx, seat by seat", ""),
)
"""The observation, piece by piece. Pieces of `5 x ...` go seat by seat from the observer on."""

OBSERVATION_SIZE: Final = PIECES[-1].start + PIECES[-1].size

_AT: Final = {piece.name: piece.start for piece in PIECES}
_PLAYERS: Final = _AT["players"]
_SETTINGS: Final = _AT["settings"]
_EPOCHS_LEFT: Final = _AT["epochs_left"]
_BOAT: Final = _AT["boat"]
_PHASE: Final = _AT["phase"]
_AUCTION: Final = _AT["auction"]
_MIDDLE_SUN: Final = _AT["middle_sun"]
_HIGH_BID: Final = _AT["high_bid"]
_TO_DISCARD: Final = _AT["to_discard"]
_TRACK_COUNT: Final = _AT["track_count"]
_TRACK: Final = _AT["track"]
_BAG_COUNT: Final = _AT["bag_count"]
_BAG: Final = _AT["bag"]
_CHANCES: Final = _AT["chances"]
_PRESENT: Final = _AT["present"]
_ON_TURN: Final = _AT["on_turn"]
_RA_PLAYER: Final = _AT["ra_player"]
_HIGH_SEAT: Final = _AT["high_seat"]
_BID: Final = _AT["bid"]
_PASSED: Final = _AT["passed"]
_SCORE: Final = _AT["score"]
_POINTS_NOW: Final = _AT["points_now"]
_POINTS_LOT: Final = _AT["points_lot"]
_MONUMENTS_NOW: Final = _AT["monuments_now"]
_MONUMENTS_LOT: Final = _AT["monuments_lot"]
_CIVILIZATION_KINDS: Final = _AT["civilization_kinds"]
_MONUMENT_KINDS: Final = _AT["monument_kinds"]
_SUNS_LEFT: Final = _AT["suns_left"]
_SUN_TOTAL: Final = _AT["sun_total"]
_FACE_UP: Final = _AT["face_up"]
_FACE_DOWN: Final = _AT["face_down"]
_HELD: Final = _AT["held"]

_BAG_SCALE: Final = (1.0 / np.array(STANDARD_BAG)).astype(np.float32)
_FLAGS: Final = np.array([[n >> bit & 1 for bit in range(8)] for n in range(256)], np.float32)
"""The eight bits of a byte as numbers: two of these are copied faster than 16 bits are tested."""
_ONE: Final = np.float32(1.0)
_F: Final = np.float32


def describe() -> list[Piece]:
    """The pieces of an observation: name, slice, scale, meaning, and what the table view hides."""
    return list(PIECES)


def view_id(view: str) -> int:
    """The number of a view, as compiled code takes it."""
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r}; views: {', '.join(VIEWS)}")
    return VIEWS.index(view)


@njit
def observe(state: State, seat: int, view: int, out: Observation) -> None:
    """Write what `seat` sees into `out`."""
    seat &= 7
    for i in range(OBSERVATION_SIZE):
        out[i] = 0.0
    _observe_course(state, out)
    _observe_auction(state, out)
    if view == MEMORY:
        _observe_bag(state, out)
    _observe_held(state, seat, out)
    num_players = int(state[NUM_PLAYERS])
    for place in range(num_players):
        other = seat + place
        if other >= num_players:
            other -= num_players
        other &= 7  # says that it is not negative, which spares a test at every index
        _observe_seat(state, other, place, out)
        _observe_suns(state, other, place, out)
        most, fewest = _others_pharaohs(state, other)
        _observe_points(state, other, place, most, fewest, out)
        if view == MEMORY or place == 0:
            out[_SCORE + place] = state[SCORE + other] * _F(0.02)


@njit
def _observe_course(state: State, out: Observation) -> None:
    out[_PLAYERS + int(state[NUM_PLAYERS]) - MIN_PLAYERS] = _ONE
    out[_SETTINGS] = state[NUM_EPOCHS] * _F(1 / MAX_EPOCHS)
    out[_SETTINGS + 1] = state[RA_SPACES] * _F(1 / MAX_RA_SPACES)
    out[_SETTINGS + 2] = state[AUCTION_SPACES] * _F(1 / MAX_AUCTION_SPACES)
    out[_EPOCHS_LEFT + int(state[NUM_EPOCHS]) - int(state[EPOCH])] = _ONE
    out[_BOAT] = state[RA_COUNT] * _F(0.1)
    out[_BOAT + 1] = (int(state[RA_SPACES]) - int(state[RA_COUNT])) * _F(0.1)
    out[_PHASE + int(state[PHASE])] = _ONE


@njit
def _observe_auction(state: State, out: Observation) -> None:
    if state[AUCTION_KIND] >= DRAWN:
        out[_AUCTION + int(state[AUCTION_KIND]) - DRAWN] = _ONE
    out[_MIDDLE_SUN + int(state[MIDDLE_SUN]) - 1] = _ONE
    if state[HIGH_BID] > 0:
        out[_HIGH_BID + int(state[HIGH_BID]) - 1] = _ONE
    out[_TO_DISCARD] = state[DISCARD_CIVILIZATIONS] * _F(0.25)
    out[_TO_DISCARD + 1] = state[DISCARD_MONUMENTS] * _F(0.25)
    out[_TRACK_COUNT] = state[TRACK_COUNT] * _F(0.125)
    _copy_scaled(state[TRACK + GOD : BAG], _F(0.5), out[_TRACK : _TRACK + NUM_TILES - GOD])


@njit
def _observe_bag(state: State, out: Observation) -> None:
    for tile in range(NUM_TILES):
        out[_BAG + tile] = state[BAG + tile] * _BAG_SCALE[tile]
    out[_BAG_COUNT] = state[BAG_COUNT] * _F(1 / 180)
    if state[BAG_COUNT] > 0:
        share = _ONE / _F(state[BAG_COUNT])
        disasters = 0
        for tile in range(FUNERAL, NUM_TILES):
            disasters += state[BAG + tile]
        out[_CHANCES] = state[BAG + RA] * share
        out[_CHANCES + 1] = disasters * share


@njit
def _observe_held(state: State, seat: int, out: Observation) -> None:
    """The tiles of all seats, from `seat` on, as two long stretches: those are copied fastest."""
    own = HELD + seat * HELD_KINDS
    ahead = state[own : HELD + int(state[NUM_PLAYERS]) * HELD_KINDS]
    behind = state[HELD:own]
    _copy_scaled(ahead, _F(0.25), out[_HELD : _HELD + len(ahead)])
    _copy_scaled(behind, _F(0.25), out[_HELD + len(ahead) : _HELD + len(ahead) + len(behind)])


@njit
def _copy_scaled(counts: State, scale: np.float32, out: Observation) -> None:
    for i in range(len(counts)):
        out[i] = _F(counts[i]) * scale


@njit
def _observe_seat(state: State, seat: int, place: int, out: Observation) -> None:
    out[_PRESENT + place] = _ONE
    out[_ON_TURN + place] = _ONE if state[SEAT] == seat else _F(0)
    out[_RA_PLAYER + place] = _ONE if state[RA_SEAT] == seat else _F(0)
    out[_HIGH_SEAT + place] = _ONE if state[HIGH_SEAT] == seat else _F(0)
    bid = state[BIDS + seat]
    out[_BID + place] = _F(max(bid, 0)) * _F(1 / MAX_SUN)
    out[_PASSED + place] = _ONE if bid == PASSED else _F(0)


@njit
def _observe_suns(state: State, seat: int, place: int, out: Observation) -> None:
    up = sun_bits(state, FACE_UP + seat)
    down = sun_bits(state, FACE_DOWN + seat)
    _write_flags(up, out, _FACE_UP + place * MAX_SUN)
    _write_flags(down, out, _FACE_DOWN + place * MAX_SUN)
    out[_SUNS_LEFT + place] = _F(count_bits(up)) * _F(0.25)
    out[_SUN_TOTAL + place] = _F(sun_total(state, seat)) * _F(1 / 40)


@njit
def _write_flags(bits: int, out: Observation, start: int) -> None:
    """Write 16 bits, each as a number."""
    low = bits & 255
    high = bits >> 8
    for bit in range(8):
        out[start + bit] = _FLAGS[low, bit]
    for bit in range(8):
        out[start + 8 + bit] = _FLAGS[high, bit]


@njit
def _others_pharaohs(state: State, seat: int) -> tuple[int, int]:
    """The highest and the lowest number of pharaohs among the other seats."""
    most, fewest = -1, 32767
    for other in range(state[NUM_PLAYERS]):
        count = int(state[held(other, PHARAOH)])
        if other != seat:
            most = max(most, count)
            fewest = min(fewest, count)
    return most, fewest


@njit
def _observe_points(
    state: State, seat: int, place: int, others_most: int, others_fewest: int, out: Observation
) -> None:
    """The points of a seat as its tiles lie, and what the track's tiles would add to them."""
    points, kinds = _epoch_points(state, seat, 0, others_most, others_fewest)
    monuments, monument_kinds = _monument_points(state, seat, 0)
    out[_POINTS_NOW + place] = _F(points) * _F(0.05)
    out[_CIVILIZATION_KINDS + place] = _F(kinds) * _F(0.2)
    out[_MONUMENTS_NOW + place] = _F(monuments) * _F(0.05)
    out[_MONUMENT_KINDS + place] = _F(monument_kinds) * _F(0.125)
    if state[TRACK_COUNT] > 0:
        lot_points, _ = _epoch_points(state, seat, 1, others_most, others_fewest)
        lot_monuments, _ = _monument_points(state, seat, 1)
        out[_POINTS_LOT + place] = _F(lot_points - points) * _F(0.05)
        out[_MONUMENTS_LOT + place] = _F(lot_monuments - monuments) * _F(0.05)


@njit
def _count(state: State, seat: int, tile: int, lot: int) -> int:
    """Tiles of a kind that a seat has, or with `lot` 1 would have with those of the track."""
    return int(state[held(seat, tile)]) + lot * int(state[TRACK + tile])


@njit
def _epoch_points(
    state: State, seat: int, lot: int, others_most: int, others_fewest: int
) -> tuple[int, int]:
    """The points of every epoch's end, and the number of different civilizations."""
    floods = _count(state, seat, FLOOD, lot)
    points = 2 * _count(state, seat, GOD, lot) + 3 * _count(state, seat, GOLD, lot)
    points += floods + _count(state, seat, NILE, lot) if floods > 0 else 0
    pharaohs = _count(state, seat, PHARAOH, lot)
    most = max(pharaohs, others_most)
    fewest = min(pharaohs, others_fewest)
    if most > fewest:
        points += 5 if pharaohs == most else -2 if pharaohs == fewest else 0
    kinds = 0
    for tile in range(FIRST_CIVILIZATION, END_CIVILIZATION):
        kinds += 1 if _count(state, seat, tile, lot) > 0 else 0
    return points + (-5 if kinds == 0 else 5 * max(kinds - 2, 0)), kinds


@njit
def _monument_points(state: State, seat: int, lot: int) -> tuple[int, int]:
    """The points for monuments, and the number of different ones."""
    kinds = 0
    equal = 0
    for tile in range(FIRST_MONUMENT, END_MONUMENT):
        count = _count(state, seat, tile, lot)
        kinds += 1 if count > 0 else 0
        equal += min(max(count - 2, 0), 3)
    return 5 * equal + (kinds if kinds < 7 else 5 * (kinds - 5)), kinds
