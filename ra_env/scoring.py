"""Points: of each category, of an epoch, and the final ranking.

Reads a state and says what it is worth; changes nothing. Every function is about one seat, so that
tests, agents and the table can ask for exactly what they need.
"""

from typing import Final

from ra_env._jit import njit
from ra_env.layout import (
    EPOCH,
    FACE_DOWN,
    FACE_UP,
    NUM_EPOCHS,
    NUM_PLAYERS,
    SCORE,
    State,
    count_bits,
    held,
    highest_sun,
    sun_bits,
)
from ra_env.rules import (
    END_CIVILIZATION,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    GOD,
    GOLD,
    NILE,
    PHARAOH,
)

CATEGORIES: Final = ("god", "gold", "pharaoh", "nile", "civilization", "monument", "sun")
"""The names of what brings points; `category_points` takes the index. The last two count only at
the end of the game."""
NUM_CATEGORIES: Final = len(CATEGORIES)


@njit
def god_points(state: State, seat: int) -> int:
    """2 points for each god."""
    return 2 * int(state[held(seat, GOD)])


@njit
def gold_points(state: State, seat: int) -> int:
    """3 points for each gold."""
    return 3 * int(state[held(seat, GOLD)])


@njit
def pharaoh_points(state: State, seat: int) -> int:
    """Most pharaohs +5, fewest -2, ties in full, nothing when all have equally many."""
    mine = state[held(seat, PHARAOH)]
    most = fewest = mine
    for other in range(state[NUM_PLAYERS]):
        count = state[held(other, PHARAOH)]
        most = max(most, count)
        fewest = min(fewest, count)
    return 0 if most == fewest else 5 if mine == most else -2 if mine == fewest else 0


@njit
def nile_points(state: State, seat: int) -> int:
    """1 point for each nile and flood, if there is a flood."""
    floods = state[held(seat, FLOOD)]
    return floods + state[held(seat, NILE)] if floods > 0 else 0


@njit
def civilization_points(state: State, seat: int) -> int:
    """None -5; 3, 4, 5 different ones 5, 10, 15; duplicates nothing."""
    kinds = 0
    for tile in range(FIRST_CIVILIZATION, END_CIVILIZATION):
        kinds += 1 if state[held(seat, tile)] > 0 else 0
    return -5 if kinds == 0 else 5 * max(kinds - 2, 0)


@njit
def monument_points(state: State, seat: int) -> int:
    """1 point a kind up to 6, 7 kinds 10, 8 kinds 15; and 3, 4, 5 equal ones 5, 10, 15."""
    kinds = 0
    equal = 0
    for tile in range(FIRST_MONUMENT, END_MONUMENT):
        count = state[held(seat, tile)]
        kinds += 1 if count > 0 else 0
        equal += 5 * min(max(count - 2, 0), 3)
    return equal + (kinds if kinds < 7 else 10 if kinds == 7 else 15)


@njit
def sun_total(state: State, seat: int) -> int:
    """The sum of a seat's suns, face up and face down."""
    bits = sun_bits(state, FACE_UP + seat) | sun_bits(state, FACE_DOWN + seat)
    # Bit i is sun i + 1: each counts 1, and as many more as the binary digits of i say.
    return (
        count_bits(bits)
        + count_bits(bits & 0xAAAA)
        + 2 * count_bits(bits & 0xCCCC)
        + 4 * count_bits(bits & 0xF0F0)
        + 8 * count_bits(bits & 0xFF00)
    )


@njit
def sun_points(state: State, seat: int) -> int:
    """Highest sum of suns +5, lowest -5, ties in full, nothing when all are equal."""
    mine = sun_total(state, seat)
    highest = lowest = mine
    for other in range(state[NUM_PLAYERS]):
        total = sun_total(state, other)
        highest = max(highest, total)
        lowest = min(lowest, total)
    return 0 if highest == lowest else 5 if mine == highest else -5 if mine == lowest else 0


@njit
def category_points(state: State, seat: int, category: int) -> int:
    """The points that a seat would get for one of `CATEGORIES` if the epoch ended now."""
    if category == 0:
        return god_points(state, seat)
    if category == 1:
        return gold_points(state, seat)
    if category == 2:
        return pharaoh_points(state, seat)
    if category == 3:
        return nile_points(state, seat)
    if category == 4:
        return civilization_points(state, seat)
    if state[EPOCH] < state[NUM_EPOCHS]:
        return 0
    if category == 5:
        return monument_points(state, seat)
    return sun_points(state, seat)


@njit
def points_now(state: State, seat: int) -> int:
    """The points that a seat would get if the epoch ended now; with the final ones in the last."""
    points = (
        god_points(state, seat)
        + gold_points(state, seat)
        + pharaoh_points(state, seat)
        + nile_points(state, seat)
        + civilization_points(state, seat)
    )
    if state[EPOCH] == state[NUM_EPOCHS]:
        points += monument_points(state, seat) + sun_points(state, seat)
    return points


@njit
def rank_key(state: State, seat: int) -> int:
    """Orders the seats: by points, then by the highest sun, which no two share."""
    suns = sun_bits(state, FACE_UP + seat) | sun_bits(state, FACE_DOWN + seat)
    return 32 * int(state[SCORE + seat]) + highest_sun(suns)


@njit
def rank(state: State, seat: int) -> int:
    """The place of a seat by points so far: 0 is first."""
    key = rank_key(state, seat)
    place = 0
    for other in range(state[NUM_PLAYERS]):
        place += 1 if rank_key(state, other) > key else 0
    return place
