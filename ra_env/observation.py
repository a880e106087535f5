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
    Eight,
    Order,
    Sixteen,
    columns,
    count_ones,
    count_up,
    excess,
    first_half,
    highest_of_others,
    join,
    nonzero,
    rotate,
    second_half,
    write_bits,
    write_eight,
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
    FUNERAL,
    GOD,
    MAX_AUCTION_SPACES,
    MAX_EPOCHS,
    MAX_PLAYERS,
    MAX_RA_SPACES,
    MAX_SUN,
    MIN_PLAYERS,
    NILE,
    NUM_TILES,
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
# Of the kinds that can lie in front of a player, from the nile on.
_CIVILIZATION_BITS: Final = 0b11111 << (FIRST_CIVILIZATION - NILE)
_MONUMENT_BITS: Final = 0b11111111 << (FIRST_MONUMENT - NILE)
# Of each view: what the table view hides is zero.
_BAG_SCALE: Final = np.array([1.0 / np.array(STANDARD_BAG), np.zeros(NUM_TILES)], np.float32)
_BAG_COUNT_SCALE: Final = np.array([1 / 180, 0], np.float32)
_SHARE: Final = np.array([1, 0], np.float32)
# Four numbers are written as fast as three.
_SETTINGS_SCALE: Final = np.array(
    [1 / MAX_EPOCHS, 1 / MAX_RA_SPACES, 1 / MAX_AUCTION_SPACES, 0], np.float32
)
_ORDERS: Final = np.array(
    [
        [[(seat + i) % n if i < n else i for i in range(MAX_PLAYERS)] for seat in range(8)]
        for n in range(8)
    ],
    np.uint8,
)
"""The seats at the places of a table, by the number of players and the first of them."""
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
# From the front to the end, because the cache fetches what comes next: another order takes 5 ns
# more. Where a piece is shorter than what is written at once, the next one goes over the rest. What
# goes seat by seat is worked out for all seats at once, and nothing hangs on a branch: one that is
# guessed wrong costs as much as all points, and the compiler moves nothing across it. Points take
# longest, so they are begun before the first number is written and worked out in between. Indices
# that might be negative cost a test each; `& 7` says that they are not.


@njit
def observe(state: State, seat: int, view: int, out: Observation) -> None:
    """Write what `seat` sees into `out`."""
    seat, num_players = seat & 7, int(state[NUM_PLAYERS]) & 7
    order, places = _order(seat, num_players), count_up()
    present = places < num_players

    civilizations, monuments, equal, tiles = _count_tiles(state, order)
    _observe_course(state, out)
    final = 5 * equal + _monument_points(monuments)
    _observe_tiles(state, view, out)
    points = _epoch_points(civilizations, tiles, present)
    _observe_roles(state, seat, num_players, places, present, out)
    _observe_auction(state, seat, num_players, out)
    seen = num_players if view == MEMORY else 1
    write_eight(rotate(state, SCORE, seat, num_players) * (places < seen), _F(0.02), out, _SCORE)
    _write_points(points, present, out, _POINTS_NOW, _POINTS_LOT)
    _write_points(final, present, out, _MONUMENTS_NOW, _MONUMENTS_LOT)
    write_eight(first_half(civilizations), _F(0.2), out, _CIVILIZATION_KINDS)
    write_eight(first_half(monuments), _F(0.125), out, _MONUMENT_KINDS)
    _observe_suns(state, seat, num_players, order, out)
    for place in range(MAX_PLAYERS):
        own, mine = HELD + int(order[place]) * HELD_KINDS, _HELD + place * HELD_KINDS
        write_scaled(state, own, HELD_KINDS, _F(0.25), out, mine)


@njit
def _observe_course(state: State, out: Observation) -> None:
    epochs_left, kind = int(state[NUM_EPOCHS]) - int(state[EPOCH]), int(state[AUCTION_KIND])
    flags = (
        1 << epochs_left
        | 1 << (_PHASE - _EPOCHS_LEFT + int(state[PHASE]))
        | (1 << kind >> DRAWN) << (_AUCTION - _EPOCHS_LEFT)
    )
    write_bits(1 << (int(state[NUM_PLAYERS]) - MIN_PLAYERS), 4, out, _PLAYERS)
    write_scaled(state, NUM_EPOCHS, 4, _SETTINGS_SCALE, out, _SETTINGS)
    write_bits(flags, 16, out, _EPOCHS_LEFT)
    out[_BOAT] = _F(state[RA_COUNT]) * _F(0.1)
    out[_BOAT + 1] = _F(int(state[RA_SPACES]) - int(state[RA_COUNT])) * _F(0.1)
    write_bits(1 << int(state[MIDDLE_SUN]) >> 1, 16, out, _MIDDLE_SUN)
    write_bits(1 << int(state[HIGH_BID]) >> 1, 16, out, _HIGH_BID)


@njit
def _observe_tiles(state: State, view: int, out: Observation) -> None:
    write_scaled(state, DISCARD_CIVILIZATIONS, 2, _F(0.25), out, _TO_DISCARD)
    out[_TRACK_COUNT] = _F(state[TRACK_COUNT]) * _F(0.125)
    write_scaled(state, TRACK + GOD, _TRACK_KINDS, _F(0.5), out, _TRACK)
    view = view & 1
    out[_BAG_COUNT] = _F(state[BAG_COUNT]) * _BAG_COUNT_SCALE[view]
    write_scaled(state, BAG, NUM_TILES, _BAG_SCALE[view], out, _BAG)
    disasters = 0
    for tile in range(FUNERAL, NUM_TILES):
        disasters += state[BAG + tile]
    share = _SHARE[view] / _F(max(int(state[BAG_COUNT]), 1))
    out[_CHANCES] = _F(state[BAG + RA]) * share
    out[_CHANCES + 1] = _F(disasters) * share


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
def _observe_auction(state: State, seat: int, num_players: int, out: Observation) -> None:
    bids = rotate(state, BIDS, seat, num_players)
    write_eight(bids * (bids > 0), _F(1 / MAX_SUN), out, _BID)
    write_true(bids == PASSED, out, _PASSED)


@njit
def _observe_suns(
    state: State, seat: int, num_players: int, order: Order, out: Observation
) -> None:
    up = rotate(state, FACE_UP, seat, num_players)
    down = rotate(state, FACE_DOWN, seat, num_players)
    write_eight(count_ones(up), _F(0.25), out, _SUNS_LEFT)
    write_eight(_sun_totals(up | down), _F(1 / 40), out, _SUN_TOTAL)
    for place in range(MAX_PLAYERS):
        suns = int(state[FACE_UP + order[place]])
        write_bits(suns, MAX_SUN, out, _FACE_UP + place * MAX_SUN)
    for place in range(MAX_PLAYERS):
        suns = int(state[FACE_DOWN + order[place]])
        write_bits(suns, MAX_SUN, out, _FACE_DOWN + place * MAX_SUN)


# --- points --------------------------------------------------------------------------------------
#
# As the tiles lie, and with those of the track, both at once: the first eight of sixteen numbers
# are without these tiles, the second with them.


@njit
def _count_tiles(
    state: State, order: Order
) -> tuple[Sixteen, Sixteen, Sixteen, tuple[Sixteen, ...]]:
    """Different civilizations, different monuments, equal monuments above two, up to three of each
    kind, and the columns of gods, pharaohs, niles, floods and gold."""
    kinds = nonzero(state, held(0, NILE), HELD_KINDS, order, TRACK + NILE)
    equal = excess(state, held(0, FIRST_MONUMENT), HELD_KINDS, order, TRACK + FIRST_MONUMENT, 2, 3)
    tiles = columns(state, held(0, GOD), HELD_KINDS, order, TRACK + GOD, 5)
    civilizations = count_ones(kinds & _CIVILIZATION_BITS)
    return civilizations, count_ones(kinds & _MONUMENT_BITS), equal, tiles


@njit
def _epoch_points(civilizations: Sixteen, tiles: tuple[Sixteen, ...], present: Eight) -> Sixteen:
    gods, pharaohs, niles, floods, gold = tiles
    points = 2 * gods + 3 * gold + (niles + floods) * (floods > 0)
    return points + _pharaoh_points(pharaohs, present) + _civilization_points(civilizations)


@njit
def _write_points(points: Sixteen, present: Eight, out: Observation, now: int, change: int) -> None:
    before, after = first_half(points), second_half(points)
    write_eight(before * present, _F(0.05), out, now)
    write_eight((after - before) * present, _F(0.05), out, change)


@njit
def _pharaoh_points(pharaohs: Sixteen, present: Eight) -> Sixteen:
    """5 for the most and -2 for the fewest, which cancel out where all have equally many.

    The others have as many as they have now.
    """
    now = first_half(pharaohs)
    others = highest_of_others(join(now, (32767 - now) * present))
    most, fewest = first_half(others), 32767 - second_half(others)
    has_most, has_fewest = pharaohs >= join(most, most), pharaohs <= join(fewest, fewest)
    return 5 * has_most - 2 * has_fewest - 3 * (has_most & has_fewest)


@njit
def _civilization_points(kinds: Sixteen) -> Sixteen:
    """-5 without any, 5 for three kinds, 10 for four, 15 for five."""
    return 5 * (kinds - 2) * (kinds > 2) - 5 * (kinds == 0)


@njit
def _monument_points(kinds: Sixteen) -> Sixteen:
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
