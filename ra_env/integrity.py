"""Whether a row is a position of the game at all.

Compiled code trusts its rows: a wrong number could send it outside the array or into an endless
loop. Rows that come from outside go through `first_fault` first. What passes is safe for good:
every row that legal actions lead to passes too. Positions set up by hand are welcome: the points so
far need not follow from anything, and tiles may have left the game.
"""

from typing import Final

from ra_env._jit import njit
from ra_env.layout import (
    AUCTION,
    AUCTION_KIND,
    AUCTION_SPACES,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    DRAWN,
    EPOCH,
    EPOCH_POINTS,
    FACE_DOWN,
    FACE_UP,
    FULL,
    HELD,
    HELD_KINDS,
    HIGH_BID,
    HIGH_SEAT,
    MIDDLE_SUN,
    NO_AUCTION,
    NOBODY,
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
    TRACK,
    TRACK_COUNT,
    TURN,
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
    MAX_AUCTION_SPACES,
    MAX_BAG,
    MAX_EPOCHS,
    MAX_PLAYERS,
    MAX_RA_SPACES,
    MAX_SUN,
    MIN_PLAYERS,
    NUM_TILES,
    RA,
)

SOUND: Final = -1

MIN_EPOCH_POINTS: Final = -2 - 5 - 5
"""Fewest pharaohs, no civilization, lowest suns."""
MAX_EPOCH_POINTS: Final = 3 * MAX_BAG + 5 + 15 + (15 + 8 * 15) + 5
"""More than any epoch can bring: all tiles are gold, and the most for everything else."""
MAX_SCORE: Final = 2**15 - 1


@njit
def first_fault(state: State) -> int:
    """The offset of the first number that cannot be, or SOUND."""
    fault = _fault_in_course(state)
    if fault == SOUND:
        fault = _fault_in_points(state)
    if fault == SOUND:
        fault = _fault_in_tiles(state)
    if fault == SOUND:
        fault = _fault_in_suns(state)
    if fault == SOUND:
        fault = _fault_in_decision(state)
    if fault == SOUND:
        fault = _fault_in_discards(state)
    if fault == SOUND:
        fault = _fault_in_auction(state)
    return fault


@njit
def _is_outside(state: State, offset: int, low: int, high: int) -> bool:
    return bool(state[offset] < low or state[offset] > high)


@njit
def _fault_in_course(state: State) -> int:
    """The settings, the epoch and the boat."""
    if _is_outside(state, NUM_PLAYERS, MIN_PLAYERS, MAX_PLAYERS):
        return NUM_PLAYERS
    if _is_outside(state, NUM_EPOCHS, 1, MAX_EPOCHS):
        return NUM_EPOCHS
    if _is_outside(state, RA_SPACES, 1, MAX_RA_SPACES):
        return RA_SPACES
    if _is_outside(state, AUCTION_SPACES, 1, MAX_AUCTION_SPACES):
        return AUCTION_SPACES
    if _is_outside(state, PHASE, TURN, OVER):
        return PHASE
    is_over = state[PHASE] == OVER
    if _is_outside(state, EPOCH, state[NUM_EPOCHS] if is_over else 1, state[NUM_EPOCHS]):
        return EPOCH
    if _is_outside(state, RA_COUNT, 0, state[RA_SPACES] - (0 if is_over else 1)):
        return RA_COUNT
    return SOUND


@njit
def _fault_in_points(state: State) -> int:
    """Epochs to come have no points yet, and nothing that they can bring overflows a score."""
    finished = int(state[EPOCH]) - (0 if state[PHASE] == OVER else 1)
    highest = MAX_SCORE - (state[NUM_EPOCHS] - finished) * MAX_EPOCH_POINTS
    for seat in range(MAX_PLAYERS):
        is_there = seat < state[NUM_PLAYERS]
        if _is_outside(state, SCORE + seat, 0, highest if is_there else 0):
            return SCORE + seat
        for epoch in range(MAX_EPOCHS):
            is_scored = is_there and epoch < finished
            offset = EPOCH_POINTS + epoch * MAX_PLAYERS + seat
            low = MIN_EPOCH_POINTS if is_scored else 0
            if _is_outside(state, offset, low, MAX_EPOCH_POINTS if is_scored else 0):
                return offset
    return SOUND


@njit
def _fault_in_tiles(state: State) -> int:
    """Counts are not negative and add up, and the bag cannot run dry."""
    track = 0
    for tile in range(NUM_TILES):
        if _is_outside(state, TRACK + tile, 0, 0 if tile == RA else MAX_AUCTION_SPACES):
            return TRACK + tile
        track += int(state[TRACK + tile])
    if track != state[TRACK_COUNT] or track > state[AUCTION_SPACES]:
        return TRACK_COUNT
    bag = 0
    for tile in range(NUM_TILES):
        if _is_outside(state, BAG + tile, 0, MAX_BAG):
            return BAG + tile
        bag += int(state[BAG + tile])
    if bag != state[BAG_COUNT]:
        return BAG_COUNT
    epochs_left = state[NUM_EPOCHS] - state[EPOCH] + 1
    if state[BAG + RA] < epochs_left * state[RA_SPACES] - state[RA_COUNT]:
        return BAG + RA
    tiles = track + bag
    for offset in range(HELD, HELD + MAX_PLAYERS * HELD_KINDS):
        is_there = offset < HELD + state[NUM_PLAYERS] * HELD_KINDS
        if _is_outside(state, offset, 0, MAX_BAG if is_there else 0):
            return offset
        tiles += int(state[offset])
    return BAG_COUNT if tiles > MAX_BAG else SOUND


@njit
def _fault_in_suns(state: State) -> int:
    """No sun is there twice, and every seat owns equally many."""
    if _is_outside(state, MIDDLE_SUN, 1, MAX_SUN):
        return MIDDLE_SUN
    seen = 1 << (int(state[MIDDLE_SUN]) - 1)
    each = count_bits(sun_bits(state, FACE_UP) | sun_bits(state, FACE_DOWN))
    for seat in range(MAX_PLAYERS):
        face_up = sun_bits(state, FACE_UP + seat)
        if face_up & seen:
            return FACE_UP + seat
        seen |= face_up
        face_down = sun_bits(state, FACE_DOWN + seat)
        if face_down & seen:
            return FACE_DOWN + seat
        seen |= face_down
        wanted = max(each, 1) if seat < state[NUM_PLAYERS] else 0
        if count_bits(face_up | face_down) != wanted:
            return FACE_UP + seat
    return SOUND


@njit
def _fault_in_decision(state: State) -> int:
    """Someone with a face-up sun decides; after the end nobody. A winner who gives up tiles may
    have spent the last sun."""
    if state[PHASE] == OVER:
        return SOUND if state[SEAT] == NOBODY else SEAT
    if _is_outside(state, SEAT, 0, state[NUM_PLAYERS] - 1):
        return SEAT
    may_lack_sun = state[PHASE] == DISCARD and state[AUCTION_KIND] != NO_AUCTION
    if not may_lack_sun and state[FACE_UP + state[SEAT]] == 0:
        return SEAT
    return SOUND


@njit
def _fault_in_discards(state: State) -> int:
    """Tiles are to be given up in the phase for it, and only if there is something to choose."""
    most = 2 * MAX_AUCTION_SPACES if state[PHASE] == DISCARD else 0
    if _is_outside(state, DISCARD_CIVILIZATIONS, 0, most):
        return DISCARD_CIVILIZATIONS
    if _is_outside(state, DISCARD_MONUMENTS, 0, most):
        return DISCARD_MONUMENTS
    if state[PHASE] != DISCARD:
        return SOUND
    if state[DISCARD_CIVILIZATIONS] > 0:
        has_choice = _has_choice(state, DISCARD_CIVILIZATIONS, FIRST_CIVILIZATION, END_CIVILIZATION)
        return SOUND if has_choice else DISCARD_CIVILIZATIONS
    has_choice = _has_choice(state, DISCARD_MONUMENTS, FIRST_MONUMENT, END_MONUMENT)
    return SOUND if has_choice else DISCARD_MONUMENTS


@njit
def _has_choice(state: State, due: int, first: int, end: int) -> bool:
    """Whether the seat owns more than it has to give up, and more than one kind."""
    owned = 0
    kinds = 0
    for tile in range(first, end):
        number = int(state[held(state[SEAT], tile)])
        owned += number
        kinds += 1 if number > 0 else 0
    return bool(owned > state[due] > 0 and kinds > 1)


@njit
def _fault_in_auction(state: State) -> int:
    """An auction runs in the phase for it, and until its winner has given up tiles."""
    phase = state[PHASE]
    kind = state[AUCTION_KIND]
    may_run = phase in (AUCTION, DISCARD)
    if _is_outside(state, AUCTION_KIND, NO_AUCTION, FULL if may_run else NO_AUCTION):
        return AUCTION_KIND
    if kind == NO_AUCTION:
        return AUCTION_KIND if phase == AUCTION else _fault_without_auction(state)
    if phase == AUCTION and not _fits(state, kind):
        return AUCTION_KIND
    if _is_outside(state, RA_SEAT, 0, state[NUM_PLAYERS] - 1):
        return RA_SEAT
    if phase == AUCTION:
        return RA_SEAT if state[FACE_UP + state[RA_SEAT]] == 0 else _fault_in_bids(state)
    # The winner has paid: the bid lies in the middle, and the tiles are no longer on the track.
    if state[HIGH_SEAT] != state[SEAT]:
        return HIGH_SEAT
    if state[HIGH_BID] != state[MIDDLE_SUN]:
        return HIGH_BID
    return TRACK_COUNT if state[TRACK_COUNT] > 0 else _fault_in_bids(state)


@njit
def _fits(state: State, kind: int) -> bool:
    """Whether an auction of this kind can be opened with this track and boat."""
    is_full = state[TRACK_COUNT] == state[AUCTION_SPACES]
    if kind == DRAWN:
        return bool(state[RA_COUNT] > 0)
    return bool(is_full if kind == FULL else not is_full)


@njit
def _fault_without_auction(state: State) -> int:
    if state[RA_SEAT] != NOBODY:
        return RA_SEAT
    if state[HIGH_BID] != 0:
        return HIGH_BID
    if state[HIGH_SEAT] != NOBODY:
        return HIGH_SEAT
    for seat in range(MAX_PLAYERS):
        if state[BIDS + seat] != 0:
            return BIDS + seat
    return SOUND


@njit
def _fault_in_bids(state: State) -> int:
    """Who had a sun was asked, up to the seat on turn; each bid is a sun above those before."""
    is_asked = True
    high = 0
    high_seat = NOBODY
    seat = int(state[RA_SEAT])
    for _ in range(state[NUM_PLAYERS]):
        seat = seat + 1 if seat + 1 < state[NUM_PLAYERS] else 0
        suns = sun_bits(state, FACE_UP + seat)
        if state[PHASE] == AUCTION:
            is_asked = is_asked and seat != state[SEAT]
        elif seat == state[HIGH_SEAT]:
            suns |= 1 << (int(state[MIDDLE_SUN]) - 1)
        bid = int(state[BIDS + seat])
        if not is_asked or suns == 0:
            if bid != 0:
                return BIDS + seat
        elif bid != PASSED:
            if bid <= high or bid > MAX_SUN or not (suns >> (bid - 1)) & 1:
                return BIDS + seat
            high = bid
            high_seat = seat
    for empty in range(state[NUM_PLAYERS], MAX_PLAYERS):
        if state[BIDS + empty] != 0:
            return BIDS + empty
    if state[HIGH_BID] != high:
        return HIGH_BID
    return SOUND if state[HIGH_SEAT] == high_seat else HIGH_SEAT
