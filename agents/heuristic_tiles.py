"""What tiles are worth to a seat: points now, and what may still come of them.

Exact where nothing can change any more; before that, a blend of the points of now and of hope, in
proportion to the time that the seat has left. Everything is in points and about one seat. Each
worth can be asked for as things lie, with the whole lot won in addition (`lot` = 1; its disasters
strike), or with `change` more of one `tile` (-1 as `tile` for none).
"""

from agents.heuristic_parameters import (
    CIVILIZATION_0,
    FLOOD_LATER,
    FLOOD_NOW,
    GOD_LATER,
    MONUMENT_2,
    MONUMENT_KIND,
    MONUMENT_KINDS,
    MONUMENT_QUAKE,
    MONUMENT_TIME,
    PHARAOH_LATER,
    PHARAOH_NOW,
    PHARAOH_SHARE,
    TIME_RA,
    TIME_SUN,
    Parameters,
)
from ra_env._jit import njit
from ra_env.layout import (
    BAG,
    EPOCH,
    FACE_UP,
    NUM_EPOCHS,
    NUM_PLAYERS,
    RA_COUNT,
    RA_SPACES,
    TRACK,
    State,
    count_bits,
    held,
    sun_bits,
)
from ra_env.rules import (
    DROUGHT,
    EARTHQUAKE,
    END_CIVILIZATION,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    MAX_BAG,
    NILE,
    PHARAOH,
    UNREST,
)


@njit
def count_ra_left(state: State) -> int:
    """The Ra tile with this number from now on ends the epoch."""
    return int(state[RA_SPACES]) - int(state[RA_COUNT])


@njit
def count_epochs_left(state: State) -> int:
    """Epochs after this one."""
    return int(state[NUM_EPOCHS]) - int(state[EPOCH])


@njit
def time_left(suns: int, ra_left: int, p: Parameters) -> float:
    """How much of an epoch a seat with so many suns still has before it, from 0 to 1."""
    time = min(p[TIME_SUN] * suns, p[TIME_RA] * ra_left)
    return float(time / (time + 1.0))


@njit
def seat_time(state: State, seat: int, p: Parameters) -> float:
    """`time_left` of a seat."""
    return time_left(count_bits(sun_bits(state, FACE_UP + seat)), count_ra_left(state), p)


@njit
def soft(lead: float, softness: float) -> float:
    """The chance to be ahead in the end with a lead of now: 0 or 1 without softness."""
    return 0.5 * (1.0 + lead / (softness + abs(lead)))


@njit
def tiles_worth(
    state: State,
    seat: int,
    lot: int,
    tile: int,
    change: int,
    time: float,
    p: Parameters,
) -> float:
    """What all tiles of a seat are worth to it."""
    return (
        _god_worth(state, seat, lot, time, p)
        + 3.0 * _count(state, seat, GOLD, lot, tile, change)
        + _pharaoh_worth(state, seat, lot, tile, change, p)
        + _nile_worth(state, seat, lot, tile, change, time, p)
        + _civilization_worth(state, seat, lot, tile, change, time, p)
        + _monument_worth(state, seat, lot, tile, change, time, p)
    )


@njit
def changes_pharaohs(state: State) -> bool:
    """Whether the lot brings or takes pharaohs."""
    return bool(state[TRACK + PHARAOH] > 0 or state[TRACK + FUNERAL] > 0)


@njit
def pharaohs_after(state: State, seat: int, lot: int, tile: int, change: int) -> int:
    """The pharaohs that a seat has then."""
    funerals = _count_disasters(state, FUNERAL, lot, tile, change)
    return max(_count(state, seat, PHARAOH, lot, tile, change) - 2 * funerals, 0)


@njit
def pharaoh_prize(state: State, count: int, most: int, fewest: int, p: Parameters) -> float:
    """The prizes of this and later epochs for `count` pharaohs, when the others have from `fewest`
    to `most`. A tie is a lead of half a tile: tied seats are paid in full."""
    ahead = count - most + 0.5
    behind = fewest - count + 0.5
    softness = p[PHARAOH_NOW] * count_ra_left(state) / state[RA_SPACES]
    worth = 5.0 * soft(ahead, softness) - 2.0 * soft(behind, softness)
    epochs = count_epochs_left(state)
    if epochs > 0:
        softness = p[PHARAOH_LATER]
        later = 5.0 * soft(ahead, softness) - 2.0 * soft(behind, softness)
        worth += epochs * p[PHARAOH_SHARE] * later
    return worth


@njit
def _count(state: State, seat: int, kind: int, lot: int, tile: int, change: int) -> int:
    number = int(state[held(seat, kind)])
    if lot:
        number += state[TRACK + kind]
    if tile == kind:
        number += change
    return number


@njit
def _count_disasters(state: State, kind: int, lot: int, tile: int, change: int) -> int:
    number = int(state[TRACK + kind]) if lot else 0
    if tile == kind:
        number += change
    return number


@njit
def _god_worth(state: State, seat: int, lot: int, time: float, p: Parameters) -> float:
    return _count(state, seat, GOD, lot, -1, 0) * god_price(time, p)


@njit
def god_price(time: float, p: Parameters) -> float:
    """What a god is worth: its points, and what it may take."""
    return float(2.0 + p[GOD_LATER] * time)


@njit
def _pharaoh_worth(
    state: State, seat: int, lot: int, tile: int, change: int, p: Parameters
) -> float:
    most = 0
    fewest = MAX_BAG
    for other in range(state[NUM_PLAYERS]):
        if other != seat:
            number = int(state[held(other, PHARAOH)])
            most = max(most, number)
            fewest = min(fewest, number)
    return pharaoh_prize(state, pharaohs_after(state, seat, lot, tile, change), most, fewest, p)


@njit
def _nile_worth(
    state: State,
    seat: int,
    lot: int,
    tile: int,
    change: int,
    time: float,
    p: Parameters,
) -> float:
    niles = _count(state, seat, NILE, lot, tile, change)
    floods = _count(state, seat, FLOOD, lot, tile, change)
    dry = 2 * _count_disasters(state, DROUGHT, lot, tile, change)
    if dry > 0:
        niles = max(niles - max(dry - floods, 0), 0)
        floods = max(floods - dry, 0)
    now = niles + floods if floods > 0 else niles * p[FLOOD_NOW] * time
    return float(now + niles * p[FLOOD_LATER] * count_epochs_left(state))


@njit
def _civilization_worth(
    state: State,
    seat: int,
    lot: int,
    tile: int,
    change: int,
    time: float,
    p: Parameters,
) -> float:
    kinds = 0
    owned = 0
    for kind in range(FIRST_CIVILIZATION, END_CIVILIZATION):
        number = _count(state, seat, kind, lot, tile, change)
        owned += number
        kinds += 1 if number > 0 else 0
    lost = 2 * _count_disasters(state, UNREST, lot, tile, change)
    if lost > 0:  # doubles go first
        kinds = max(kinds - max(lost - (owned - kinds), 0), 0)
    points = -5.0 if kinds == 0 else 5.0 * max(kinds - 2, 0)
    return float((1.0 - time) * points + time * p[CIVILIZATION_0 + kinds])


@njit
def _monument_worth(
    state: State,
    seat: int,
    lot: int,
    tile: int,
    change: int,
    time: float,
    p: Parameters,
) -> float:
    kinds = 0
    equal = 0.0
    hope = 0.0
    for kind in range(FIRST_MONUMENT, END_MONUMENT):
        number = _count(state, seat, kind, lot, tile, change)
        if number > 0:
            kinds += 1
            equal += 5.0 * min(max(number - 2, 0), 3)
            if 2 <= number < 5:  # another one helps, if any is left
                hope += p[MONUMENT_2 + number - 2] * (0.5 * min(int(state[BAG + kind]), 2))
    points = kinds if kinds < 7 else 10.0 if kinds == 7 else 15.0
    hope += (p[MONUMENT_KIND] + p[MONUMENT_KINDS] * kinds) * kinds
    left = count_epochs_left(state) + time
    share = left / (left + p[MONUMENT_TIME])
    worth = equal + (1.0 - share) * points + share * hope
    lost = 2 * _count_disasters(state, EARTHQUAKE, lot, tile, change)
    if lost > 0:
        worth = max(worth - min(lost, kinds) * p[MONUMENT_QUAKE], 0.0)
    return float(worth)
