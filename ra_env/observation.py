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
from ra_env.lanes import (
    WIDTH,
    Eight,
    Order,
    columns,
    count_ones,
    count_up,
    highest,
    most_of_others,
    rotate,
    sum_clamped,
    write_eight,
    write_flags,
    write_scaled,
    write_true,
)
from ra_env.layout import (
    AUCTION_KIND,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD_CIVILIZATIONS,
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
    held,
)
from ra_env.rules import (
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

_TRACK_KINDS: Final = NUM_TILES - GOD
_BAG_SCALE: Final = (1.0 / np.array(STANDARD_BAG)).astype(np.float32)
_SETTINGS_SCALE: Final = np.array([1 / MAX_EPOCHS, 1 / MAX_RA_SPACES, 1 / MAX_AUCTION_SPACES], "f4")
_ORDERS: Final = np.array(
    [
        [[(seat + i) % n if i < n else i for i in range(MAX_PLAYERS)] for seat in range(8)]
        for n in range(8)
    ],
    np.uint8,
)
"""The seats at the places of a table, by the number of players and the first of them."""
_ONE: Final = np.float32(1.0)
_NONE: Final = np.float32(0.0)
_F: Final = np.float32


def describe() -> list[Piece]:
    """The pieces of an observation: name, slice, scale, meaning, and what the table view hides."""
    return list(PIECES)


def view_id(view: str) -> int:
    """The number of a view, as compiled code takes it."""
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r}; views: {', '.join(VIEWS)}")
    return VIEWS.index(view)


# --- what is written ------------------------------------------------------------------------------
#
# Every number is written once or, where few of many are not zero, after the stretch was cleared.
# Indices that might be negative cost a test each; `& 7` says that they are not. What goes seat by
# seat is worked out for all seats at once, without a branch: one that is guessed wrong costs as
# much as all of it.


@njit
def observe(state: State, seat: int, view: int, out: Observation) -> None:
    """Write what `seat` sees into `out`."""
    _observe_course(state, out)
    _observe_tiles(state, view, out)
    _observe_seats(state, seat & 7, int(state[NUM_PLAYERS]) & 7, view, out)


@njit
def _observe_course(state: State, out: Observation) -> None:
    kind, epochs_left = int(state[AUCTION_KIND]), int(state[NUM_EPOCHS]) - int(state[EPOCH])
    flags = (
        1 << (_PLAYERS + int(state[NUM_PLAYERS]) - MIN_PLAYERS)
        | 1 << (_EPOCHS_LEFT + epochs_left)
        | 1 << (_PHASE + int(state[PHASE]))
        | (1 << kind >> DRAWN) << _AUCTION
    )
    write_flags(flags, out, 0)
    write_flags(flags >> WIDTH, out, WIDTH)
    write_flags(1 << int(state[MIDDLE_SUN]) >> 1, out, _MIDDLE_SUN)
    write_flags(1 << int(state[HIGH_BID]) >> 1, out, _HIGH_BID)
    write_scaled(state, NUM_EPOCHS, 3, _SETTINGS_SCALE, out, _SETTINGS)
    out[_BOAT] = _F(state[RA_COUNT]) * _F(0.1)
    out[_BOAT + 1] = _F(int(state[RA_SPACES]) - int(state[RA_COUNT])) * _F(0.1)


@njit
def _observe_tiles(state: State, view: int, out: Observation) -> None:
    write_scaled(state, DISCARD_CIVILIZATIONS, 2, _F(0.25), out, _TO_DISCARD)
    out[_TRACK_COUNT] = _F(state[TRACK_COUNT]) * _F(0.125)
    write_scaled(state, TRACK + GOD, _TRACK_KINDS, _F(0.5), out, _TRACK)
    if view != MEMORY:
        for i in range(_BAG_COUNT, _PRESENT):
            out[i] = _NONE
        return
    out[_BAG_COUNT] = _F(state[BAG_COUNT]) * _F(1 / 180)
    write_scaled(state, BAG, NUM_TILES, _BAG_SCALE, out, _BAG)
    disasters = 0
    for tile in range(FUNERAL, NUM_TILES):
        disasters += state[BAG + tile]
    share = _ONE / _F(max(int(state[BAG_COUNT]), 1))
    out[_CHANCES] = _F(state[BAG + RA]) * share
    out[_CHANCES + 1] = _F(disasters) * share


@njit
def _observe_seats(state: State, seat: int, num_players: int, view: int, out: Observation) -> None:
    """All that goes seat by seat, in the order of the pieces: eight numbers are written where five
    belong, and the next piece goes over the rest."""
    order = _order(seat, num_players)
    places = count_up()
    present = places < num_players
    for place in range(MAX_PLAYERS):
        own, mine = HELD + int(order[place]) * HELD_KINDS, _HELD + place * HELD_KINDS
        write_scaled(state, own, HELD_KINDS, _F(0.25), out, mine)
    _observe_roles(state, seat, num_players, places, present, out)
    bids = rotate(state, BIDS, seat, num_players)
    write_eight(bids * (bids > 0), _F(1 / MAX_SUN), out, _BID)
    write_true(bids == PASSED, out, _PASSED)
    seen = num_players if view == MEMORY else 1
    write_eight(rotate(state, SCORE, seat, num_players) * (places < seen), _F(0.02), out, _SCORE)
    _observe_points(state, order, present, out)
    up = rotate(state, FACE_UP, seat, num_players) & 0xFFFF
    down = rotate(state, FACE_DOWN, seat, num_players) & 0xFFFF
    write_eight(count_ones(up), _F(0.25), out, _SUNS_LEFT)
    write_eight(_sun_totals(up | down), _F(1 / 40), out, _SUN_TOTAL)
    for place in range(MAX_PLAYERS):
        other = order[place]
        write_flags(int(state[FACE_UP + other]), out, _FACE_UP + place * MAX_SUN)
    for place in range(MAX_PLAYERS):
        other = order[place]
        write_flags(int(state[FACE_DOWN + other]), out, _FACE_DOWN + place * MAX_SUN)


@njit
def _order(seat: int, num_players: int) -> Order:
    """The seats from `seat` on, clockwise, and then those that are not there."""
    seats = _ORDERS[num_players & 7, seat & 7]
    one, two, three = np.int64(seats[1]), np.int64(seats[2]), np.int64(seats[3])
    return np.int64(seats[0]), one, two, three, np.int64(seats[4])


@njit
def _observe_roles(
    state: State, seat: int, num_players: int, places: Eight, present: Eight, out: Observation
) -> None:
    """Who is there, and who has which part."""
    seats = places + seat
    seats = seats - num_players * (seats >= num_players)
    write_true(present, out, _PRESENT)
    write_true((seats == int(state[SEAT])) & present, out, _ON_TURN)
    write_true((seats == int(state[RA_SEAT])) & present, out, _RA_PLAYER)
    write_true((seats == int(state[HIGH_SEAT])) & present, out, _HIGH_SEAT)


@njit
def _observe_points(state: State, order: Order, present: Eight, out: Observation) -> None:
    """The points of the seats as their tiles lie, and what the track's tiles would add to them."""
    kinds, lot_kinds = sum_clamped(
        state, held(0, FIRST_CIVILIZATION), 5, HELD_KINDS, order, TRACK + FIRST_CIVILIZATION, 0, 1
    )
    monuments, lot_monuments = sum_clamped(
        state, held(0, FIRST_MONUMENT), 8, HELD_KINDS, order, TRACK + FIRST_MONUMENT, 0, 1
    )
    equal, lot_equal = sum_clamped(
        state, held(0, FIRST_MONUMENT), 8, HELD_KINDS, order, TRACK + FIRST_MONUMENT, 2, 5
    )
    gods, pharaohs, niles, floods, gold = columns(state, held(0, GOD), HELD_KINDS, order, 5)
    most = highest(pharaohs)
    fewest = 32767 - most_of_others((32767 - pharaohs) * present)

    now = _nile_points(niles, floods) + _pharaoh_points(pharaohs, most, fewest)
    now = now + _civilization_points(kinds)
    then = _nile_points(niles + int(state[TRACK + NILE]), floods + int(state[TRACK + FLOOD]))
    then = then + _pharaoh_points(pharaohs + int(state[TRACK + PHARAOH]), most, fewest)
    then = then + _civilization_points(lot_kinds)
    sure = 2 * int(state[TRACK + GOD]) + 3 * int(state[TRACK + GOLD])
    final = 5 * equal + _monument_points(monuments)
    lot_final = 5 * lot_equal + _monument_points(lot_monuments)

    write_eight((now + 2 * gods + 3 * gold) * present, _F(0.05), out, _POINTS_NOW)
    write_eight((then - now + sure) * present, _F(0.05), out, _POINTS_LOT)
    write_eight(final, _F(0.05), out, _MONUMENTS_NOW)
    write_eight((lot_final - final) * present, _F(0.05), out, _MONUMENTS_LOT)
    write_eight(kinds, _F(0.2), out, _CIVILIZATION_KINDS)
    write_eight(monuments, _F(0.125), out, _MONUMENT_KINDS)


@njit
def _nile_points(niles: Eight, floods: Eight) -> Eight:
    return (niles + floods) * (floods > 0)


@njit
def _pharaoh_points(mine: Eight, most: Eight, others_fewest: Eight) -> Eight:
    """5 for the most and -2 for the fewest, which cancel out where all have equally many.

    `most` is that of all seats: whoever has it keeps it with more.
    """
    has_most, has_fewest = mine >= most, mine <= others_fewest
    return 5 * has_most - 2 * has_fewest - 3 * (has_most & has_fewest)


@njit
def _civilization_points(kinds: Eight) -> Eight:
    """-5 without any, 5 for three kinds, 10 for four, 15 for five."""
    return 5 * (kinds - 2) * (kinds > 2) - 5 * (kinds == 0)


@njit
def _monument_points(kinds: Eight) -> Eight:
    """1 for each kind, but 10 for seven and 15 for eight."""
    return kinds + 3 * (kinds >= 7) + 4 * (kinds >= 8)


@njit
def _sun_totals(suns: Eight) -> Eight:
    # Bit i is sun i + 1: each counts 1, and as many more as the binary digits of i say.
    return (
        count_ones(suns)
        + count_ones(suns & 0xAAAA)
        + 2 * count_ones(suns & 0xCCCC)
        + 4 * count_ones(suns & 0xF0F0)
        + 8 * count_ones(suns & 0xFF00)
    )
