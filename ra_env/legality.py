"""Which actions are allowed in a state, as a bit set. Reads a state and changes nothing."""

from ra_env._jit import njit
from ra_env.actions import DISCARD_TILE, DRAW, END, FIRST_BID, INVOKE, PASS, TAKE
from ra_env.layout import (
    AUCTION,
    AUCTION_KIND,
    AUCTION_SPACES,
    DISCARD,
    DISCARD_CIVILIZATIONS,
    FACE_UP,
    GODS,
    HIGH_BID,
    PHASE,
    RA_SEAT,
    SEAT,
    TRACK,
    TRACK_COUNT,
    TURN,
    VOLUNTARY,
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
    GOD,
    NUM_TILES,
    PHARAOH,
)


@njit
def legal_actions(state: State) -> int:
    """The actions of the seat on turn, as an int64 bit set; 0 when the game is over."""
    phase = state[PHASE]
    if phase == TURN:
        return _legal_on_turn(state)
    if phase == AUCTION:
        return _legal_bids(state)
    if phase == GODS:
        return (1 << END) | _legal_takes(state)
    if phase == DISCARD:
        return _legal_discards(state)
    return 0


@njit
def _legal_on_turn(state: State) -> int:
    """Draw unless the track is full; invoke always; spend a god if there is one and a tile."""
    bits = 1 << INVOKE
    if state[TRACK_COUNT] < state[AUCTION_SPACES]:
        bits |= 1 << DRAW
    return bits | _legal_takes(state)


@njit
def _legal_takes(state: State) -> int:
    """A god takes any tile of the track but another god."""
    bits = 0
    if state[held(state[SEAT], GOD)] > 0:
        for tile in range(PHARAOH, NUM_TILES):
            if state[TRACK + tile] > 0:
                bits |= 1 << (TAKE + tile)
    return bits


@njit
def _legal_bids(state: State) -> int:
    """Pass, or one of the own suns above the highest bid.

    The Ra player has to bid in a voluntary auction in which nobody else has.
    """
    seat = state[SEAT]
    high = int(state[HIGH_BID])
    higher = (sun_bits(state, FACE_UP + seat) >> high) << high
    bits = higher << FIRST_BID
    if high > 0 or state[AUCTION_KIND] != VOLUNTARY or seat != state[RA_SEAT]:
        bits |= 1 << PASS
    return bits


@njit
def _legal_discards(state: State) -> int:
    """Civilizations that have to go come before monuments."""
    seat = state[SEAT]
    if state[DISCARD_CIVILIZATIONS] > 0:
        return _legal_discards_of(state, seat, FIRST_CIVILIZATION, END_CIVILIZATION)
    return _legal_discards_of(state, seat, FIRST_MONUMENT, END_MONUMENT)


@njit
def _legal_discards_of(state: State, seat: int, first: int, end: int) -> int:
    bits = 0
    for tile in range(first, end):
        if state[held(seat, tile)] > 0:
            bits |= 1 << (DISCARD_TILE + tile)
    return bits


@njit
def lowest_action(bits: int) -> int:
    """The action with the lowest id in a bit set that is not empty."""
    return count_bits((bits & -bits) - 1)


@njit
def nth_action(bits: int, n: int) -> int:
    """The action with `n` smaller ones in a bit set."""
    for _ in range(n):
        bits &= bits - 1
    return lowest_action(bits)
