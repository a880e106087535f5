"""Whether a row is a position of the game at all.

Compiled code trusts its rows: a wrong number could send it outside the array or into an endless
loop. Rows that come from outside go through `first_fault` first.
"""

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
    EPOCH,
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
    State,
    sun_bits,
)
from ra_env.legality import legal_actions
from ra_env.rules import (
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

SOUND = -1


@njit
def first_fault(state: State) -> int:
    """The offset of the first number that cannot be, or SOUND."""
    fault = _fault_in_course(state)
    if fault == SOUND:
        fault = _fault_in_tiles(state)
    if fault == SOUND:
        fault = _fault_in_suns(state)
    if fault == SOUND:
        fault = _fault_in_decision(state)
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
    if _is_outside(state, EPOCH, 1, state[NUM_EPOCHS]):
        return EPOCH
    is_over = state[PHASE] == OVER
    if _is_outside(state, RA_COUNT, 0, state[RA_SPACES] - (0 if is_over else 1)):
        return RA_COUNT
    for seat in range(MAX_PLAYERS):
        if state[SCORE + seat] < 0 or (seat >= state[NUM_PLAYERS] and state[SCORE + seat] != 0):
            return SCORE + seat
    return SOUND


@njit
def _fault_in_tiles(state: State) -> int:
    """Counts are not negative and add up, and the bag cannot run dry."""
    tiles = 0
    for tile in range(NUM_TILES):
        if state[TRACK + tile] < 0 or (tile == RA and state[TRACK + tile] > 0):
            return TRACK + tile
        tiles += state[TRACK + tile]
    if tiles != state[TRACK_COUNT] or tiles > state[AUCTION_SPACES]:
        return TRACK_COUNT
    tiles = 0
    for tile in range(NUM_TILES):
        if _is_outside(state, BAG + tile, 0, MAX_BAG):
            return BAG + tile
        tiles += state[BAG + tile]
    if tiles != state[BAG_COUNT] or tiles > MAX_BAG:
        return BAG_COUNT
    epochs_left = int(state[NUM_EPOCHS]) - state[EPOCH]
    if state[BAG + RA] < epochs_left * state[RA_SPACES] + state[RA_SPACES] - state[RA_COUNT]:
        return BAG + RA
    for offset in range(HELD, HELD + MAX_PLAYERS * HELD_KINDS):
        seat = (offset - HELD) // HELD_KINDS
        if _is_outside(state, offset, 0, MAX_BAG if seat < state[NUM_PLAYERS] else 0):
            return offset
    return SOUND


@njit
def _fault_in_suns(state: State) -> int:
    """No sun is there twice."""
    if _is_outside(state, MIDDLE_SUN, 1, MAX_SUN):
        return MIDDLE_SUN
    seen = 1 << (int(state[MIDDLE_SUN]) - 1)
    for seat in range(MAX_PLAYERS):
        for offset in (FACE_UP + seat, FACE_DOWN + seat):
            bits = sun_bits(state, offset)
            if bits & seen or (bits and seat >= state[NUM_PLAYERS]):
                return offset
            seen |= bits
    return SOUND


@njit
def _fault_in_decision(state: State) -> int:
    """Someone has something to decide, unless the game is over."""
    phase = state[PHASE]
    if phase == OVER:
        return SOUND if state[SEAT] == NOBODY else SEAT
    if _is_outside(state, SEAT, 0, state[NUM_PLAYERS] - 1):
        return SEAT
    if _is_outside(state, DISCARD_CIVILIZATIONS, 0, 2 * MAX_AUCTION_SPACES):
        return DISCARD_CIVILIZATIONS
    if _is_outside(state, DISCARD_MONUMENTS, 0, 2 * MAX_AUCTION_SPACES):
        return DISCARD_MONUMENTS
    if phase != DISCARD and state[FACE_UP + state[SEAT]] == 0:
        return SEAT
    fault = _fault_in_auction(state)
    if fault != SOUND:
        return fault
    return PHASE if legal_actions(state) == 0 else SOUND


@njit
def _fault_in_auction(state: State) -> int:
    kind = state[AUCTION_KIND]
    phase = state[PHASE]
    if kind < NO_AUCTION or kind > FULL:
        return AUCTION_KIND
    if (phase == AUCTION and kind == NO_AUCTION) or (
        phase != AUCTION and phase != DISCARD and kind != NO_AUCTION
    ):
        return AUCTION_KIND
    if kind == NO_AUCTION:
        return SOUND
    ra_seat = state[RA_SEAT]
    if _is_outside(state, RA_SEAT, 0, state[NUM_PLAYERS] - 1):
        return RA_SEAT
    if phase == AUCTION and state[FACE_UP + ra_seat] == 0:
        return RA_SEAT
    for seat in range(MAX_PLAYERS):
        if _is_outside(state, BIDS + seat, PASSED, MAX_SUN):
            return BIDS + seat
    if _is_outside(state, HIGH_BID, 0, MAX_SUN):
        return HIGH_BID
    if state[HIGH_BID] == 0:
        return SOUND if state[HIGH_SEAT] == NOBODY else HIGH_SEAT
    if _is_outside(state, HIGH_SEAT, 0, state[NUM_PLAYERS] - 1):
        return HIGH_SEAT
    bid = 1 << (int(state[HIGH_BID]) - 1)
    if phase == AUCTION and not sun_bits(state, FACE_UP + state[HIGH_SEAT]) & bid:
        return HIGH_BID
    return SOUND
