"""The course of play: what each action does to a state.

`apply` is the one dispatcher. It is deterministic: a draw is told which tile it brings, so chance
stays outside (`draw_tile` picks a tile by a random word). Nothing here checks that an action is
legal; callers that cannot be trusted go through `Game` or the checked functions of `batch`.
"""

import numpy as np

from ra_env._jit import njit
from ra_env.actions import (
    BID,
    DISCARD_TILE,
    DRAW,
    END,
    FIRST_DISCARD,
    FIRST_TAKE,
    INVOKE,
    PASS,
    TAKE,
)
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
    GODS,
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
    VOLUNTARY,
    State,
    held,
    highest_sun,
    set_sun_bits,
    sun_bits,
)
from ra_env.rng import below, next_word
from ra_env.rules import (
    DROUGHT,
    EARTHQUAKE,
    END_CIVILIZATION,
    END_HELD,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    MAX_PLAYERS,
    NILE,
    NUM_TILES,
    PHARAOH,
    RA,
    UNREST,
)
from ra_env.scoring import points_now


@njit
def deal(state: State, word: np.uint64) -> np.uint64:
    """Deal the sun sets to the seats at random and begin; returns the word after it.

    Takes as many random numbers as there are seats, whatever comes out.
    """
    for last in range(state[NUM_PLAYERS] - 1, -1, -1):
        word = next_word(word)
        other = below(word, last + 1)
        suns = state[FACE_UP + last]
        state[FACE_UP + last] = state[FACE_UP + other]
        state[FACE_UP + other] = suns
    begin(state)
    return word


@njit
def begin(state: State) -> None:
    """Give the turn to the owner of the highest sun."""
    highest = 0
    for seat in range(state[NUM_PLAYERS]):
        sun = highest_sun(sun_bits(state, FACE_UP + seat))
        if sun > highest:
            highest = sun
            state[SEAT] = seat
    state[PHASE] = TURN


@njit
def draw_tile(state: State, word: np.uint64) -> int:
    """The tile that a draw brings with this random word; it stays in the bag for now."""
    left = below(word, state[BAG_COUNT])
    tile = 0
    while left >= state[BAG + tile]:
        left -= state[BAG + tile]
        tile += 1
    return tile


@njit
def step(state: State, action: int, word: np.uint64) -> np.uint64:
    """Play a legal action with chance decided by `word`; returns the word after it.

    Only a draw uses a random number, so the k-th tile drawn does not depend on what else is played.
    """
    if action == DRAW:
        word = next_word(word)
        apply_draw(state, draw_tile(state, word))
    else:
        apply(state, action, RA)
    return word


@njit
def apply(state: State, action: int, tile: int) -> None:
    """Play a legal action; `tile` is what a draw brings, and ignored by other actions."""
    if action == DRAW:
        apply_draw(state, tile)
    elif action == INVOKE:
        apply_invoke(state)
    elif action == END:
        apply_end(state)
    elif action == PASS:
        apply_pass(state)
    elif action < FIRST_TAKE:
        apply_bid(state, action - BID)
    elif action < FIRST_DISCARD:
        apply_take(state, action - TAKE)
    else:
        apply_discard(state, action - DISCARD_TILE)


@njit
def apply_draw(state: State, tile: int) -> None:
    """Draw: a Ra tile moves the boat, any other tile goes to the track."""
    state[BAG + tile] -= 1
    state[BAG_COUNT] -= 1
    if tile != RA:
        state[TRACK + tile] += 1
        state[TRACK_COUNT] += 1
        _pass_turn(state, state[SEAT])
        return
    state[RA_COUNT] += 1
    if state[RA_COUNT] == state[RA_SPACES]:
        _end_epoch(state)
    else:
        _open_auction(state, DRAWN)


@njit
def apply_invoke(state: State) -> None:
    """Call an auction; with a full track nobody has to bid."""
    is_full = state[TRACK_COUNT] == state[AUCTION_SPACES]
    _open_auction(state, FULL if is_full else VOLUNTARY)


@njit
def apply_take(state: State, tile: int) -> None:
    """Spend a god on a tile of the track; a disaster strikes at once."""
    seat = state[SEAT]
    state[held(seat, GOD)] -= 1
    state[TRACK + tile] -= 1
    state[TRACK_COUNT] -= 1
    if tile < END_HELD:
        state[held(seat, tile)] += 1
        state[PHASE] = GODS
    else:
        _strike(state, seat, tile == FUNERAL, tile == DROUGHT, tile == UNREST, tile == EARTHQUAKE)
        _go_on_after_discards(state, seat)


@njit
def apply_end(state: State) -> None:
    """End the turn after spending gods."""
    _pass_turn(state, state[SEAT])


@njit
def apply_pass(state: State) -> None:
    """Make no bid."""
    seat = state[SEAT]
    state[BIDS + seat] = PASSED
    _ask_next_bidder(state, seat)


@njit
def apply_bid(state: State, sun: int) -> None:
    """Bid a sun higher than all before."""
    seat = state[SEAT]
    state[BIDS + seat] = sun
    state[HIGH_BID] = sun
    state[HIGH_SEAT] = seat
    _ask_next_bidder(state, seat)


@njit
def apply_discard(state: State, tile: int) -> None:
    """Give up a civilization or monument of one's choice."""
    seat = state[SEAT]
    state[held(seat, tile)] -= 1
    state[DISCARD_CIVILIZATIONS if tile < END_CIVILIZATION else DISCARD_MONUMENTS] -= 1
    _go_on_after_discards(state, seat)


@njit
def _pass_turn(state: State, seat: int) -> None:
    """The turn goes to the first seat left of `seat` with a face-up sun; without one, the epoch
    is over."""
    num_players = state[NUM_PLAYERS]
    for _ in range(num_players):
        seat = seat + 1 if seat + 1 < num_players else 0
        if state[FACE_UP + seat] != 0:
            state[SEAT] = seat
            state[PHASE] = TURN
            return
    _end_epoch(state)


@njit
def _open_auction(state: State, kind: int) -> None:
    seat = state[SEAT]
    state[PHASE] = AUCTION
    state[AUCTION_KIND] = kind
    state[RA_SEAT] = seat
    state[SEAT] = _next_with_sun(state, seat)


@njit
def _next_with_sun(state: State, seat: int) -> int:
    """The next seat with a face-up sun. There is one: the Ra player's, at the latest."""
    num_players = state[NUM_PLAYERS]
    while True:
        seat = seat + 1 if seat + 1 < num_players else 0
        if state[FACE_UP + seat] != 0:
            return seat


@njit
def _ask_next_bidder(state: State, seat: int) -> None:
    """After the bid or pass of `seat`: the next one, or the end after the Ra player's."""
    if seat != state[RA_SEAT]:
        state[SEAT] = _next_with_sun(state, seat)
    elif state[HIGH_BID] > 0:
        _award(state)
    elif state[AUCTION_KIND] == FULL:
        _clear_track(state)
        _close_auction(state)
    else:
        _close_auction(state)


@njit
def _award(state: State) -> None:
    """The highest bidder takes the tiles and the middle sun; then disasters strike."""
    seat = int(state[HIGH_SEAT])
    bid = int(state[HIGH_BID])
    won = int(state[MIDDLE_SUN])
    state[MIDDLE_SUN] = bid
    set_sun_bits(state, FACE_UP + seat, sun_bits(state, FACE_UP + seat) & ~(1 << (bid - 1)))
    set_sun_bits(state, FACE_DOWN + seat, sun_bits(state, FACE_DOWN + seat) | (1 << (won - 1)))
    for tile in range(GOD, END_HELD):
        state[held(seat, tile)] += state[TRACK + tile]
    _strike(
        state,
        seat,
        state[TRACK + FUNERAL],
        state[TRACK + DROUGHT],
        state[TRACK + UNREST],
        state[TRACK + EARTHQUAKE],
    )
    _clear_track(state)
    _go_on_after_discards(state, seat)


@njit
def _clear_track(state: State) -> None:
    for tile in range(NUM_TILES):
        state[TRACK + tile] = 0
    state[TRACK_COUNT] = 0


@njit
def _strike(
    state: State, seat: int, funerals: int, droughts: int, unrests: int, earthquakes: int
) -> None:
    """Each disaster removes two matching tiles, or as many as there are.

    A drought takes floods before niles. Civilizations and monuments are the player's choice and
    are only counted here.
    """
    if funerals > 0:
        _remove(state, held(seat, PHARAOH), 2 * funerals)
    if droughts > 0:
        left = _remove(state, held(seat, FLOOD), 2 * droughts)
        _remove(state, held(seat, NILE), left)
    state[DISCARD_CIVILIZATIONS] = 2 * unrests
    state[DISCARD_MONUMENTS] = 2 * earthquakes


@njit
def _remove(state: State, offset: int, count: int) -> int:
    """Take up to `count` tiles away; returns how many were missing."""
    removed = min(count, int(state[offset]))
    state[offset] -= removed
    return count - removed


@njit
def _go_on_after_discards(state: State, seat: int) -> None:
    """Ask `seat` what to give up; once nothing is left to ask, play goes on."""
    if _has_choice(
        state, seat, DISCARD_CIVILIZATIONS, FIRST_CIVILIZATION, END_CIVILIZATION
    ) or _has_choice(state, seat, DISCARD_MONUMENTS, FIRST_MONUMENT, END_MONUMENT):
        state[PHASE] = DISCARD
        state[SEAT] = seat
    elif state[AUCTION_KIND] == NO_AUCTION:
        state[PHASE] = GODS
    else:
        _close_auction(state)


@njit
def _has_choice(state: State, seat: int, due: int, first: int, end: int) -> bool:
    """Whether the seat can choose what it gives up; what leaves no choice goes without asking.

    There is none when the seat owns no more than has to go, or only one kind.
    """
    count = int(state[due])
    if count == 0:
        return False
    owned = 0
    kinds = 0
    for tile in range(first, end):
        number = state[held(seat, tile)]
        owned += number
        kinds += 1 if number > 0 else 0
    if owned > count and kinds > 1:
        return True
    for tile in range(first, end):
        count = _remove(state, held(seat, tile), count)
    state[due] = 0
    return False


@njit
def _close_auction(state: State) -> None:
    """Play goes on to the left of the Ra player, whoever won."""
    ra_seat = state[RA_SEAT]
    state[AUCTION_KIND] = NO_AUCTION
    state[RA_SEAT] = NOBODY
    state[HIGH_BID] = 0
    state[HIGH_SEAT] = NOBODY
    for bidder in range(MAX_PLAYERS):
        state[BIDS + bidder] = 0
    _pass_turn(state, ra_seat)


@njit
def _end_epoch(state: State) -> None:
    """Score; then the next epoch begins, or the game is over."""
    epoch = int(state[EPOCH])
    for seat in range(state[NUM_PLAYERS]):
        points = points_now(state, seat)
        state[EPOCH_POINTS + (epoch - 1) * MAX_PLAYERS + seat] = points
        state[SCORE + seat] = max(state[SCORE + seat] + points, 0)
    if epoch == state[NUM_EPOCHS]:
        state[PHASE] = OVER
        state[SEAT] = NOBODY
        return
    state[EPOCH] = epoch + 1
    state[RA_COUNT] = 0
    _clear_track(state)
    for seat in range(state[NUM_PLAYERS]):
        state[held(seat, GOD)] = 0
        state[held(seat, FLOOD)] = 0
        state[held(seat, GOLD)] = 0
        for tile in range(FIRST_CIVILIZATION, END_CIVILIZATION):
            state[held(seat, tile)] = 0
        # Disjoint bit sets, so adding them is their union.
        state[FACE_UP + seat] += state[FACE_DOWN + seat]
        state[FACE_DOWN + seat] = 0
    begin(state)
