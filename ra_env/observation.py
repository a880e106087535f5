"""What a seat sees: one float32 vector, built from a named list of pieces.

Egocentric: blocks of seats begin with the observer's own seat and go on clockwise, so the same
network plays from every seat; seats that are not there are zero, so it plays at every table. Two
views: `"memory"`, what a player with perfect memory knows, and `"table"`, what can be seen on the
table alone, without the opponents' points and the contents of the bag.

Nothing in an observation depends on what nobody can know: the order of the bag. The points of
past epochs are left out, because they have no influence on what is still to come.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic
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

WIDTH: Final = 16
"""Numbers in a vector."""

_TRACK_KINDS: Final = NUM_TILES - GOD
_BAG_SCALE: Final = (1.0 / np.array(STANDARD_BAG)).astype(np.float32)
_ONE: Final = np.float32(1.0)
_NONE: Final = np.float32(0.0)
_F: Final = np.float32

# Bit sets of kinds from NILE on, of a seat and, WIDTH bits higher, of a seat with the lot.
_CIVILIZATIONS: Final = (1 << (END_CIVILIZATION - NILE)) - (1 << (FIRST_CIVILIZATION - NILE))
_MONUMENTS: Final = (1 << (END_MONUMENT - NILE)) - (1 << (FIRST_MONUMENT - NILE))
_ALL_MONUMENTS: Final = _MONUMENTS | _MONUMENTS << WIDTH
_CIVILIZATION_POINTS: Final = np.array([-5, 0, 0, 5, 10, 15])
_MONUMENT_POINTS: Final = np.array([0, 1, 2, 3, 4, 5, 6, 10, 15])
"""By the number of different ones."""


def describe() -> list[Piece]:
    """The pieces of an observation: name, slice, scale, meaning, and what the table view hides."""
    return list(PIECES)


def view_id(view: str) -> int:
    """The number of a view, as compiled code takes it."""
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r}; views: {', '.join(VIEWS)}")
    return VIEWS.index(view)


# --- sixteen numbers at once ---------------------------------------------------------------------
#
# A short loop is compiled into single instructions, because it is unrolled, and because its two
# arrays might overlap. So the vector instructions are asked for by name. Each of `write_scaled`,
# `write_flags` and `bits_above` is written twice: in Python, which says what it does and is what
# runs without the compiler, and as instructions, which LLVM translates for any processor. None of
# them checks an index.

_Function = TypeVar("_Function", bound=Callable[..., object])

_SHORTS: Final = ir.VectorType(ir.IntType(16), WIDTH)
_FLOATS: Final = ir.VectorType(ir.FloatType(), WIDTH)
_BITS: Final = ir.VectorType(ir.IntType(1), WIDTH)
_LANES: Final = ir.VectorType(ir.IntType(32), WIDTH)


def _compiled_as(instructions: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """In compiled code, these instructions take the place of the decorated function."""

    def choose(function: _Function) -> _Function:
        if numba.config.DISABLE_JIT:
            return function
        compiled: _Function = intrinsic(prefer_literal=True)(instructions)
        return compiled

    return choose


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any, vector: Any) -> Any:
    """Where a vector begins in an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any, index: Any, vector: Any) -> Any:
    place = _place(context, builder, kind, array, index, vector)
    return builder.load(place, align=kind.dtype.bitwidth // 8)


def _fill(builder: Any, value: Any, vector: Any) -> Any:
    """A vector of equal numbers."""
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(_LANES, [0] * WIDTH))


def _scaled_instructions(
    _: Any, numbers: Any, start: Any, size: Any, scale: Any, out: Any, at: Any
) -> Any:
    count = size.literal_value
    # The last vector ends where the numbers do, so it may repeat some of those before it.
    steps = [*range(0, count - WIDTH, WIDTH), count - WIDTH]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, _, factor, target, place = arguments
        for step in steps:
            offset = ir.Constant(first.type, step)
            index = builder.add(first, offset)
            shorts = _load(context, builder, numbers, source, index, _SHORTS)
            if isinstance(scale, types.Array):
                factors = _load(context, builder, scale, factor, offset, _FLOATS)
            else:
                factors = _fill(builder, factor, _FLOATS)
            scaled = builder.fmul(builder.sitofp(shorts, _FLOATS), factors)
            index = builder.add(place, offset)
            builder.store(scaled, _place(context, builder, out, target, index, _FLOATS), align=4)
        return context.get_dummy_value()

    return types.void(numbers, types.intp, size, scale, out, types.intp), generate


def _flags_instructions(_: Any, bits: Any, out: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, target, place = arguments
        flags = builder.bitcast(builder.trunc(number, ir.IntType(16)), _BITS)
        ones, zeros = (ir.Constant(_FLOATS, [value] * WIDTH) for value in (1.0, 0.0))
        values = builder.select(flags, ones, zeros)
        builder.store(values, _place(context, builder, out, target, place, _FLOATS), align=4)
        return context.get_dummy_value()

    return types.void(types.int64, out, types.intp), generate


def _above_instructions(_: Any, numbers: Any, start: Any, added: Any, limit: Any) -> Any:
    both = ir.VectorType(ir.IntType(32), 2 * WIDTH)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, second, bound = arguments
        alone = _load(context, builder, numbers, source, first, _SHORTS)
        more = _load(context, builder, numbers, source, second, _SHORTS)
        total = builder.add(alone, more)
        side_by_side = ir.Constant(both, list(range(2 * WIDTH)))
        values = builder.shuffle_vector(alone, total, side_by_side)
        bounds = _fill(builder, builder.trunc(bound, ir.IntType(16)), _SHORTS)
        bounds = builder.shuffle_vector(bounds, bounds, side_by_side)
        flags = builder.bitcast(builder.icmp_signed(">", values, bounds), ir.IntType(32))
        return builder.zext(flags, ir.IntType(64))

    return types.int64(numbers, types.intp, types.intp, types.int64), generate


@_compiled_as(_scaled_instructions)
def write_scaled(
    numbers: State,
    start: int,
    size: int,
    scale: np.float32 | Observation,
    out: Observation,
    at: int,
) -> None:
    """Write `size` (a constant, at least 16) numbers from `start` on, times one scale or as many
    of them, into `out` from `at` on."""
    out[at : at + size] = numbers[start : start + size] * scale


@_compiled_as(_flags_instructions)
def write_flags(bits: int, out: Observation, at: int) -> None:
    """Write the lowest 16 bits, each as a number, into `out` from `at` on."""
    for bit in range(WIDTH):
        out[at + bit] = bits >> bit & 1


@_compiled_as(_above_instructions)
def bits_above(numbers: State, start: int, added: int, limit: int) -> int:
    """Which of 16 numbers from `start` on are above `limit`, as a bit set; and from bit 16 on,
    which of them are together with those from `added` on."""
    bits = 0
    for i in range(WIDTH):
        alone = int(numbers[start + i])
        bits |= (alone > limit) << i
        bits |= (alone + int(numbers[added + i]) > limit) << (WIDTH + i)
    return bits


# --- what is written ------------------------------------------------------------------------------
#
# Every number is written once or, where few of many are not zero, after the stretch was cleared.
# Indices that might be negative cost a test each; `& 7` says that they are not. Choices between two
# numbers are not branches, which would be guessed wrong half of the time.


@njit
def observe(state: State, seat: int, view: int, out: Observation) -> None:
    """Write what `seat` sees into `out`."""
    seat &= 7
    num_players = int(state[NUM_PLAYERS]) & 7
    _observe_course(state, out)
    _observe_tiles(state, view, out)
    _observe_roles(state, seat, num_players, out)
    pharaohs = _extreme_pharaohs(state, num_players)
    lot = _lot(state)
    for place in range(num_players):
        other = seat + place
        other = (other - num_players if other >= num_players else other) & 7
        _observe_seat(state, other, place & 7, out)
        _observe_points(state, other, place & 7, pharaohs, lot, out)
    for place in range(num_players, MAX_PLAYERS):
        _observe_nobody(place & 7, out)
    if view != MEMORY:
        for place in range(1, MAX_PLAYERS):
            out[_SCORE + place] = _NONE


@njit
def _observe_course(state: State, out: Observation) -> None:
    for i in range(_TO_DISCARD):
        out[i] = _NONE
    out[_PLAYERS + ((int(state[NUM_PLAYERS]) - MIN_PLAYERS) & 7)] = _ONE
    out[_SETTINGS] = _F(state[NUM_EPOCHS]) * _F(1 / MAX_EPOCHS)
    out[_SETTINGS + 1] = _F(state[RA_SPACES]) * _F(1 / MAX_RA_SPACES)
    out[_SETTINGS + 2] = _F(state[AUCTION_SPACES]) * _F(1 / MAX_AUCTION_SPACES)
    out[_EPOCHS_LEFT + ((int(state[NUM_EPOCHS]) - int(state[EPOCH])) & 7)] = _ONE
    out[_BOAT] = _F(state[RA_COUNT]) * _F(0.1)
    out[_BOAT + 1] = _F(int(state[RA_SPACES]) - int(state[RA_COUNT])) * _F(0.1)
    out[_PHASE + (int(state[PHASE]) & 7)] = _ONE
    out[_MIDDLE_SUN + ((int(state[MIDDLE_SUN]) - 1) & 15)] = _ONE
    kind = int(state[AUCTION_KIND])
    out[_AUCTION + (max(kind - DRAWN, 0) & 3)] = _ONE if kind >= DRAWN else _NONE
    high = int(state[HIGH_BID])
    out[_HIGH_BID + (max(high - 1, 0) & 15)] = _ONE if high > 0 else _NONE


@njit
def _observe_tiles(state: State, view: int, out: Observation) -> None:
    out[_TO_DISCARD] = _F(state[DISCARD_CIVILIZATIONS]) * _F(0.25)
    out[_TO_DISCARD + 1] = _F(state[DISCARD_MONUMENTS]) * _F(0.25)
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
def _observe_roles(state: State, seat: int, num_players: int, out: Observation) -> None:
    """Who is there, and who has which part; all else that goes seat by seat is cleared."""
    write_flags((1 << num_players) - 1, out, _PRESENT)
    for i in range(_PRESENT + WIDTH, _FACE_UP):
        out[i] = _NONE
    _observe_role(int(state[SEAT]), seat, num_players, out, _ON_TURN)
    _observe_role(int(state[RA_SEAT]), seat, num_players, out, _RA_PLAYER)
    _observe_role(int(state[HIGH_SEAT]), seat, num_players, out, _HIGH_SEAT)


@njit
def _observe_role(who: int, seat: int, num_players: int, out: Observation, start: int) -> None:
    place = who - seat if who >= seat else who - seat + num_players
    out[start + (place & 7 if who >= 0 else 0)] = _ONE if who >= 0 else _NONE


@njit
def _observe_seat(state: State, seat: int, place: int, out: Observation) -> None:
    bid = int(state[BIDS + seat])
    out[_BID + place] = _F(max(bid, 0)) * _F(1 / MAX_SUN)
    out[_PASSED + place] = _ONE if bid == PASSED else _NONE
    out[_SCORE + place] = _F(state[SCORE + seat]) * _F(0.02)
    up = sun_bits(state, FACE_UP + seat)
    down = sun_bits(state, FACE_DOWN + seat)
    out[_SUNS_LEFT + place] = _F(count_bits(up)) * _F(0.25)
    out[_SUN_TOTAL + place] = _F(sun_total(state, seat)) * _F(1 / 40)
    write_flags(up, out, _FACE_UP + place * MAX_SUN)
    write_flags(down, out, _FACE_DOWN + place * MAX_SUN)
    own, mine = HELD + seat * HELD_KINDS, _HELD + place * HELD_KINDS
    write_scaled(state, own, HELD_KINDS, _F(0.25), out, mine)


@njit
def _observe_nobody(place: int, out: Observation) -> None:
    """A seat that is not there, as far as it was not cleared before."""
    for i in range(MAX_SUN):
        out[_FACE_UP + place * MAX_SUN + i] = _NONE
    for i in range(MAX_SUN):
        out[_FACE_DOWN + place * MAX_SUN + i] = _NONE
    for i in range(HELD_KINDS):
        out[_HELD + place * HELD_KINDS + i] = _NONE


@njit
def _extreme_pharaohs(state: State, num_players: int) -> tuple[int, int, int, int]:
    """The two highest and the two lowest numbers of pharaohs among the seats."""
    most, second_most = -1, -1
    fewest, second_fewest = 32767, 32767
    for seat in range(num_players):
        count = int(state[held(seat & 7, PHARAOH)])
        second_most = max(second_most, min(most, count))
        most = max(most, count)
        second_fewest = min(second_fewest, max(fewest, count))
        fewest = min(fewest, count)
    return most, second_most, fewest, second_fewest


@njit
def _lot(state: State) -> tuple[int, int, int, int]:
    """What the track has for every seat alike: sure points, pharaohs, niles, floods."""
    sure = 2 * int(state[TRACK + GOD]) + 3 * int(state[TRACK + GOLD])
    return sure, int(state[TRACK + PHARAOH]), int(state[TRACK + NILE]), int(state[TRACK + FLOOD])


@njit
def _observe_points(
    state: State,
    seat: int,
    place: int,
    pharaohs: tuple[int, int, int, int],
    lot: tuple[int, int, int, int],
    out: Observation,
) -> None:
    """The points of a seat as its tiles lie, and what the track's tiles would add to them."""
    kinds = bits_above(state, held(seat, NILE), TRACK + NILE, 0)
    civilizations = count_bits(kinds & _CIVILIZATIONS)
    monuments = count_bits(kinds & _MONUMENTS)
    equal, lot_equal = _count_equal_monuments(state, seat)
    most, second_most, fewest, second_fewest = pharaohs
    mine = int(state[held(seat, PHARAOH)])
    others_most = second_most if mine == most else most
    others_fewest = second_fewest if mine == fewest else fewest
    sure, lot_pharaohs, lot_niles, lot_floods = lot
    niles, floods = int(state[held(seat, NILE)]), int(state[held(seat, FLOOD)])

    now = _nile_points(niles, floods) + _pharaoh_points(mine, others_most, others_fewest)
    now += _CIVILIZATION_POINTS[civilizations]
    then = _nile_points(niles + lot_niles, floods + lot_floods)
    then += _pharaoh_points(mine + lot_pharaohs, others_most, others_fewest)
    then += _CIVILIZATION_POINTS[count_bits(kinds & (_CIVILIZATIONS << WIDTH))]
    final = 5 * equal + _MONUMENT_POINTS[monuments]
    lot_final = 5 * lot_equal + _MONUMENT_POINTS[count_bits(kinds & (_MONUMENTS << WIDTH))]

    own = 2 * int(state[held(seat, GOD)]) + 3 * int(state[held(seat, GOLD)])
    out[_POINTS_NOW + place] = _F(now + own) * _F(0.05)
    out[_POINTS_LOT + place] = _F(then - now + sure) * _F(0.05)
    out[_MONUMENTS_NOW + place] = _F(final) * _F(0.05)
    out[_MONUMENTS_LOT + place] = _F(lot_final - final) * _F(0.05)
    out[_CIVILIZATION_KINDS + place] = _F(civilizations) * _F(0.2)
    out[_MONUMENT_KINDS + place] = _F(monuments) * _F(0.125)


@njit
def _count_equal_monuments(state: State, seat: int) -> tuple[int, int]:
    """How many monuments a seat has that are the third, fourth or fifth of their kind: as its
    tiles lie, and with the lot."""
    own = held(seat, NILE)
    third = bits_above(state, own, TRACK + NILE, 2) & _ALL_MONUMENTS
    fourth = bits_above(state, own, TRACK + NILE, 3) & _ALL_MONUMENTS
    fifth = bits_above(state, own, TRACK + NILE, 4) & _ALL_MONUMENTS
    # Monuments are the upper half of the kinds, so those of two sets fit side by side.
    two = (third >> (WIDTH // 2)) | fourth
    low = (1 << WIDTH) - 1
    equal = count_bits((two & low) | ((fifth & low) << WIDTH))
    return equal, count_bits((two >> WIDTH) | (fifth & ~low))


@njit
def _nile_points(niles: int, floods: int) -> int:
    return niles + floods if floods > 0 else 0


@njit
def _pharaoh_points(mine: int, others_most: int, others_fewest: int) -> int:
    """5 for the most and -2 for the fewest, which cancel out where all have equally many."""
    has_most, has_fewest = mine >= others_most, mine <= others_fewest
    both = 3 if has_most and has_fewest else 0
    return (5 if has_most else 0) - (2 if has_fewest else 0) - both
