"""A row is a position of the game or is refused with the field at fault; what passes is safe.

Safe means: whatever is played from there, compiled code stays inside the row, comes to an end, and
every row on the way passes too. To show it, rows of real games are damaged at random. Most of them
are refused; those that pass are played to the end and looked at after every move.
"""

from bisect import bisect_left

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from random_play import SMALL, game_in, mixed_games, random_actions, random_game

from ra_env import Game, Rules, batch
from ra_env._jit import njit
from ra_env.batch import States
from ra_env.integrity import SOUND, first_fault
from ra_env.layout import (
    AUCTION_KIND,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    DRAWN,
    EPOCH,
    FACE_DOWN,
    FACE_UP,
    FIELDS,
    FULL,
    HELD_KINDS,
    MIDDLE_SUN,
    OVER,
    PHASE,
    RA_COUNT,
    RA_SEAT,
    SCORE,
    SEAT,
    STATE_SIZE,
    TRACK,
    TRACK_COUNT,
    VOLUNTARY,
    State,
    held,
)
from ra_env.rules import FIRST_CIVILIZATION, FIRST_MONUMENT, GOD, GOLD, MAX_BAG, RA

COMPILED = not numba.config.DISABLE_JIT
MANY = 8_000 if COMPILED else 150
"""Damaged rows per variant."""

VARIANTS = [
    *(Rules(players) for players in (2, 3, 4, 5)),
    SMALL,
    Rules(5, ra_spaces=1, auction_spaces=1, suns=((12,), (13,), (14,), (15,), (16,))),
    Rules(2, epochs=1, bag={"ra": 9, "gold": MAX_BAG - 9}),
]


@njit
def write_faults(states: States, out: NDArray[np.int64]) -> None:
    for game in range(len(states)):
        out[game] = first_fault(states[game])


def faults_of(states: States) -> NDArray[np.int64]:
    out = np.empty(len(states), np.int64)
    write_faults(states, out)
    return out


def name_of(offset: int) -> str:
    return next(field.name for field in reversed(FIELDS) if field.offset <= offset)


def fault_of(state: State) -> str | None:
    offset = int(first_fault(state))
    return None if offset == SOUND else name_of(offset)


def damaged(state: State, **changes: int) -> State:
    """A copy with the first number of each named field changed."""
    row = state.copy()
    offsets = {field.name: field.offset for field in FIELDS}
    for name, value in changes.items():
        row[offsets[name]] = value
    return row


# --- sound rows ----------------------------------------------------------------------------------


@pytest.mark.boundscheck
@pytest.mark.parametrize("rules", VARIANTS, ids=range(len(VARIANTS)))
def test_every_row_that_play_reaches_is_sound(rules: Rules) -> None:
    count = 500 if COMPILED else 10
    states, words = batch.new_games(rules, range(count))
    choose = np.random.default_rng(0)
    assert (faults_of(states) == SOUND).all()
    while not (states[:, PHASE] == OVER).all():
        batch.step(states, words, random_actions(states, choose), check=False)
        assert (faults_of(states) == SOUND).all()


def test_positions_set_up_by_hand_are_sound() -> None:
    """Points need not follow from the epochs before, and tiles may have left the game."""
    state = random_game(4, moves=0).state
    state[SCORE : SCORE + 4] = (0, 7, 100, 1000)
    state[held(2, GOD)] = 3
    state[BAG + GOD] = 0
    state[BAG_COUNT] -= 8
    assert fault_of(state) is None


# --- each field at fault is named ----------------------------------------------------------------

ON_TURN = game_in("turn").state
AFTER_A_GOD = game_in("gods").state
IN_AUCTION = game_in("auction").state
DISCARDING = game_in("discard").state
FINISHED = random_game(4).state


@pytest.mark.parametrize(
    ("state", "field", "values"),
    [
        (ON_TURN, "num_players", (-1, 0, 1, 6, 32767)),
        (ON_TURN, "num_epochs", (0, 4, -3)),
        (ON_TURN, "ra_spaces", (0, 11, -1)),
        (ON_TURN, "auction_spaces", (0, 9, -8)),
        (ON_TURN, "epoch", (0, 4, -1)),
        (FINISHED, "epoch", (1, 2)),
        (ON_TURN, "ra_count", (-1, 9, 10)),
        (FINISHED, "ra_count", (-1, 10)),
        (ON_TURN, "phase", (-1, 5, 32767)),
        (ON_TURN, "seat", (-1, 4, -32768)),
        (FINISHED, "seat", (0, 3, -2)),
        (ON_TURN, "middle_sun", (0, 17, -1)),
        (ON_TURN, "track_count", (-1, 9, 100)),
        (ON_TURN, "bag_count", (-1, 0, 181, 32767)),
        (ON_TURN, "auction", (-1, DRAWN, VOLUNTARY, FULL, 4)),
        (AFTER_A_GOD, "auction", (DRAWN, VOLUNTARY, FULL)),
        (FINISHED, "auction", (DRAWN, VOLUNTARY, FULL)),
        (IN_AUCTION, "auction", (0, -1, 4)),
        (ON_TURN, "ra_seat", (0, 3, 4, -2, 1000)),
        (IN_AUCTION, "ra_seat", (-1, 4, 1000)),
        (ON_TURN, "high_bid", (1, 16, 1000, -1)),
        (IN_AUCTION, "high_bid", (17, -1, 1000)),
        (ON_TURN, "high_seat", (0, 3, 1000, -2)),
        (IN_AUCTION, "high_seat", (4, 1000, -2)),
        (DISCARDING, "high_seat", (-1, 4, 1000)),
        (DISCARDING, "high_bid", (0, 17)),
        (ON_TURN, "discard_civilizations", (1, -1)),
        (DISCARDING, "discard_civilizations", (-1, 17)),
        (ON_TURN, "discard_monuments", (1, -1)),
        (DISCARDING, "discard_monuments", (-1, 17)),
        (ON_TURN, "bids", (1, -1, 16)),
        (FINISHED, "bids", (1, -1)),
        (IN_AUCTION, "bids", (-2, 17, 1000)),
        (ON_TURN, "face_up", (0, -1, 1)),
        (ON_TURN, "face_down", (-1, 1)),
        (ON_TURN, "score", (-1, 32767)),
        (ON_TURN, "epoch_points", (1, -1)),
        (FINISHED, "epoch_points", (-13, 32767)),
        (ON_TURN, "held", (-1, MAX_BAG + 1)),
        (ON_TURN, "track", (1, -1)),
        (ON_TURN, "bag", (-1, MAX_BAG + 1)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_number_that_cannot_be_is_named(
    state: State, field: str, values: tuple[int, ...]
) -> None:
    assert fault_of(state) is None
    for value in values:
        row = damaged(state, **{field: value})
        assert fault_of(row) == field, value
        with pytest.raises(ValueError, match=rf"states\[1\] .*: {field} \(.*\) cannot be {value}$"):
            batch.check_states(np.stack([state, row]))


def test_every_field_can_be_at_fault() -> None:
    """The table above leaves no field out."""
    (table,) = (
        mark.args[1] for mark in test_a_number_that_cannot_be_is_named.pytestmark if mark.args
    )
    assert {field for _, field, _ in table} == {field.name for field in FIELDS}


@pytest.mark.parametrize("seat", [2, 3, 4])
@pytest.mark.parametrize("field", ["score", "held", "face_up", "face_down", "bids", "epoch_points"])
def test_a_seat_that_is_not_there_has_nothing(field: str, seat: int) -> None:
    state = random_game(2, moves=0).state
    offset = next(entry.offset for entry in FIELDS if entry.name == field)
    state[offset + seat * (HELD_KINDS if field == "held" else 1)] = (
        -1 if field == "bids" else 1 << 13
    )
    assert fault_of(state) == ("face_up" if field == "face_down" else field)


# --- what would send compiled code astray --------------------------------------------------------


def test_bids_left_over_before_an_auction() -> None:
    """The auction would go on from them, and give the tiles to a seat outside the row."""
    row = damaged(ON_TURN, high_bid=16, high_seat=1000)
    assert fault_of(row) == "high_bid"
    assert fault_of(damaged(row, high_bid=0)) == "high_seat"


def test_discards_without_a_choice() -> None:
    """They would be counted down below zero, or asked for without a tile to give."""
    row = DISCARDING.copy()
    seat = row[SEAT]
    row[DISCARD_CIVILIZATIONS] = row[DISCARD_MONUMENTS] = 0
    assert fault_of(row) == "discard_monuments"
    for due, first in (
        (DISCARD_CIVILIZATIONS, FIRST_CIVILIZATION),
        (DISCARD_MONUMENTS, FIRST_MONUMENT),
    ):
        row = DISCARDING.copy()
        row[DISCARD_CIVILIZATIONS] = row[DISCARD_MONUMENTS] = 0
        row[held(seat, FIRST_CIVILIZATION) : held(seat, GOD) + HELD_KINDS] = 0
        row[due] = 2
        assert fault_of(row) == name_of(due)
        row[held(seat, first)] = 3  # more than has to go, but of one kind
        assert fault_of(row) == name_of(due)
        row[held(seat, first)] = 1  # two kinds, but no more than has to go
        row[held(seat, first + 1)] = 1
        assert fault_of(row) == name_of(due)
        row[held(seat, first)] = 2
        assert fault_of(row) is None


def test_a_table_without_suns() -> None:
    """The search for the next bidder would never end."""
    for row in (ON_TURN.copy(), IN_AUCTION.copy(), DISCARDING.copy()):
        row[FACE_UP : FACE_DOWN + 5] = 0
        assert fault_of(row) == "face_up"


def test_a_seat_on_turn_or_a_ra_player_without_a_face_up_sun() -> None:
    row = ON_TURN.copy()
    seat = row[SEAT]
    row[FACE_DOWN + seat], row[FACE_UP + seat] = row[FACE_UP + seat], 0
    assert fault_of(row) == "seat"
    row = IN_AUCTION.copy()
    seat = row[RA_SEAT]
    assert row[SEAT] != seat
    row[FACE_DOWN + seat] |= row[FACE_UP + seat]
    row[FACE_UP + seat] = 0
    assert fault_of(row) == "ra_seat"


def test_a_sun_that_is_there_twice() -> None:
    row = ON_TURN.copy()
    row[FACE_DOWN + 1] |= row[FACE_UP]
    assert fault_of(row) in ("face_up", "face_down")
    row = ON_TURN.copy()
    row[MIDDLE_SUN] = int(row[FACE_UP]).bit_length()
    assert fault_of(row) == "face_up"


def test_a_bag_that_could_run_dry() -> None:
    row = ON_TURN.copy()
    needed = 9 * (4 - row[EPOCH]) - row[RA_COUNT]
    row[BAG_COUNT] -= row[BAG + RA] - needed
    row[BAG + RA] = needed
    assert fault_of(row) is None
    row[BAG + RA] -= 1
    row[BAG_COUNT] -= 1
    assert fault_of(row) == "bag"


def test_more_tiles_than_a_game_can_have() -> None:
    """Each number alone could be, but together they could overflow a score."""
    row = ON_TURN.copy()
    row[held(0, GOLD)] = row[held(1, GOLD)] = MAX_BAG // 2
    assert fault_of(row) == "bag_count"


def overflows(state: State, score: int) -> bool:
    return fault_of(damaged(state, score=score)) == "score"


def test_a_score_that_could_overflow() -> None:
    """The highest points that pass stay in 16 bits, even with all the gold that there can be."""
    states, words = batch.new_games(Rules(2, bag={"ra": 18, "gold": MAX_BAG - 18}), [0])
    state = states[0]
    highest = bisect_left(range(2**15), True, key=lambda score: overflows(state, score)) - 1
    assert highest > 4000
    state[SCORE] = highest
    state[held(0, GOLD)] = state[BAG + GOLD]
    state[BAG + GOLD] = 0
    state[BAG_COUNT] = state[BAG + RA]
    assert fault_of(state) is None
    batch.play_random(states, words, words.copy())
    assert state[SCORE] > highest + 3 * (MAX_BAG - 18) - 40
    assert fault_of(state) is None


@pytest.mark.parametrize(("kind", "track"), [(FULL, 7), (VOLUNTARY, 8)])
def test_an_auction_that_does_not_fit_the_track(kind: int, track: int) -> None:
    row = IN_AUCTION.copy()
    row[TRACK : TRACK + 23] = 0
    row[TRACK + GOD] = row[TRACK_COUNT] = track
    row[AUCTION_KIND] = FULL + VOLUNTARY - kind
    assert fault_of(row) is None
    row[AUCTION_KIND] = kind
    assert fault_of(row) == "auction"


def test_an_auction_drawn_without_a_ra() -> None:
    row = IN_AUCTION.copy()
    row[RA_COUNT], row[AUCTION_KIND] = 1, DRAWN
    assert fault_of(row) is None
    row[RA_COUNT] = 0
    assert fault_of(row) == "auction"


def auction_row() -> State:
    """Seat 3 has called, seat 0 has passed, seat 1 has bid its 6, seat 2 is asked now."""
    game = Game(4, seed=0, suns=[[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]])
    game.play("draw", tile="nile")
    game.play("draw", tile="nile")
    for move in ("invoke", "pass", "bid 6"):
        game.play(move)
    return game.state


@pytest.mark.parametrize(
    ("seat", "said"),
    [(0, 0), (0, 13), (0, 9), (1, 0), (1, -1), (1, 5), (1, 2), (2, -1), (2, 7), (3, -1), (3, 8)],
)
def test_bids_that_nobody_can_have_made(seat: int, said: int) -> None:
    """Not asked though it was the seat's turn, a sun of someone else, below the bid before,
    not the bid that stands, or asked too early."""
    row = auction_row()
    assert fault_of(row) is None
    row[BIDS + seat] = said
    assert fault_of(row) in ("bids", "high_bid")


# --- damage at random ----------------------------------------------------------------------------


def damage_at_random(states: States, seed: int) -> States:
    """One to four numbers of each row are replaced, mostly by numbers that are not far off."""
    choose = np.random.default_rng(seed)
    rows = states.copy()
    games = np.arange(len(rows))
    heading = next(field.offset for field in FIELDS if field.name == "score")
    for _ in range(4):
        hit = games[choose.random(len(rows)) < 0.5]
        near_the_front = choose.random(len(hit)) < 0.7
        where = np.where(
            near_the_front,
            choose.integers(0, heading, len(hit)),
            choose.integers(0, STATE_SIZE, len(hit)),
        )
        nearby = np.clip(rows[hit, where].astype(int) + choose.integers(-2, 3, len(hit)), -9, 32767)
        small = choose.integers(-2, 18, len(hit))
        anything = choose.integers(-(2**15), 2**15, len(hit))
        rows[hit, where] = np.choose(choose.integers(0, 3, len(hit)), [nearby, small, anything])
    return rows


@pytest.mark.boundscheck
@pytest.mark.parametrize("rules", VARIANTS, ids=range(len(VARIANTS)))
def test_what_passes_is_played_safely_to_the_end(rules: Rules) -> None:
    states, words = mixed_games(rules, MANY)
    rows = damage_at_random(states, seed=1)
    faults = faults_of(rows)
    assert len(set(map(name_of, faults[faults != SOUND].tolist()))) > 15
    passing = (faults == SOUND) & (rows != states).any(axis=1)
    assert passing.sum() > MANY // 200
    rows, words = rows[passing], words[passing]
    choose = np.random.default_rng(2)
    for _ in range(int(rows[:, BAG_COUNT].max()) * 40):
        if (rows[:, PHASE] == OVER).all():
            break
        batch.step(rows, words, random_actions(rows, choose), check=False)
        assert (faults_of(rows) == SOUND).all()
    assert (rows[:, PHASE] == OVER).all()


@pytest.mark.boundscheck
def test_noise_is_refused_and_nothing_happens() -> None:
    """Rows of any 16-bit numbers, looked at by every function: refused, without a crash."""
    choose = np.random.default_rng(3)
    for _ in range(20):
        rows = choose.integers(-(2**15), 2**15, (50, STATE_SIZE)).astype(np.int16)
        words = choose.integers(0, 2**63, 50).astype(np.uint64)
        before = rows.copy(), words.copy()
        for call in (
            lambda r, w: batch.check_states(r),
            lambda r, w: batch.legal_masks(r),
            lambda r, w: batch.step(r, w, np.zeros(50, np.int64)),
            lambda r, w: batch.play_forced(r, w),
            lambda r, w: batch.play_random(r, w, w.copy()),
            lambda r, w: batch.reset_finished(r, w, Rules(4)),
        ):
            with pytest.raises(ValueError, match=r"states\[0\] is not a position of the game"):
                call(rows, words)
        assert (rows == before[0]).all()
        assert (words == before[1]).all()
