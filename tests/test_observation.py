"""An observation shows exactly what its seat may know: no more, no less, and from its own place."""

import hashlib
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from steered import EVEN, RICH_BAG, STEERED, engine_game

from ra_env import Rules, observation
from ra_env.batch import check_states
from ra_env.layout import (
    AUCTION,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD,
    EPOCH_POINTS,
    FACE_DOWN,
    FACE_UP,
    FIELDS,
    GODS,
    HELD,
    HELD_KINDS,
    HIGH_BID,
    HIGH_SEAT,
    MIDDLE_SUN,
    NUM_PLAYERS,
    OVER,
    PASSED,
    PHASE,
    PHASE_NAMES,
    RA_SEAT,
    SCORE,
    SEAT,
    STATE_SIZE,
    TRACK,
    TRACK_COUNT,
    State,
    held,
    set_sun_bits,
    sun_bits,
)
from ra_env.legality import legal_actions
from ra_env.observation import OBSERVATION_SIZE, VIEWS, Observation, describe, observe, view_id
from ra_env.rules import END_HELD, GOD, MAX_PLAYERS, MAX_SUN, NUM_TILES, RA
from ra_env.scoring import (
    civilization_points,
    god_points,
    gold_points,
    monument_points,
    nile_points,
    pharaoh_points,
    sun_total,
)

DIGESTS = {
    2: "24a92b8cc045f531",
    3: "7d7fc68a94d4766c",
    4: "6dcd6e7740efe9e5",
    5: "efe6f783c23fd18f",
}
"""Of all observations of `positions`, version 1."""

PIECES = {piece.name: piece for piece in describe()}


@cache
def standard_positions(num_players: int) -> list[State]:
    """Every tenth position of standard games of all kinds."""
    games = (
        engine_game(Rules(num_players), 1, weights).rows[::10].copy()
        for weights in (EVEN, *STEERED.values())
    )
    return [row for rows in games for row in rows]


@cache
def positions(num_players: int) -> list[State]:
    """These, and others from games with many gods and disasters: every one in which gods are spent
    or tiles given up, and the ends."""
    found = standard_positions(num_players).copy()
    for weights in (EVEN, *STEERED.values()):
        rows = engine_game(Rules(num_players, bag=RICH_BAG), 2, weights).rows
        is_rare = np.isin(rows[:, PHASE], [GODS, DISCARD, OVER])
        found += [row.copy() for row in rows[is_rare]]
    return found


def view_of(state: State, seat: int, view: str = "memory") -> Observation:
    """What a seat sees. The array is full of nonsense before, so that all of it must be written."""
    seen = np.full(OBSERVATION_SIZE, np.nan, dtype=np.float32)
    observe(state, seat, view_id(view), seen)
    return seen


def rotated(state: State, by: int) -> State:
    """The same position with everybody moved `by` seats to the left."""
    row = state.copy()
    num_players = int(row[NUM_PLAYERS])
    blocks = [(BIDS, 1), (FACE_UP, 1), (FACE_DOWN, 1), (SCORE, 1), (HELD, HELD_KINDS)]
    blocks += [(EPOCH_POINTS + epoch * MAX_PLAYERS, 1) for epoch in range(3)]
    for start, size in blocks:
        seats = row[start : start + num_players * size].reshape(num_players, size)
        seats[:] = np.roll(seats, by, axis=0)
    for offset in (SEAT, RA_SEAT, HIGH_SEAT):
        if row[offset] >= 0:
            row[offset] = (row[offset] + by) % num_players
    return row


# --- the table of pieces -------------------------------------------------------------------------


def test_pieces_cover_every_number_once() -> None:
    """The public table leaves no number without a name and gives none two."""
    covered = [index for piece in describe() for index in range(OBSERVATION_SIZE)[piece.slice]]
    assert covered == list(range(OBSERVATION_SIZE))
    assert len(PIECES) == len(describe())
    for piece in describe():
        assert piece.slice == slice(piece.start, piece.start + piece.size)
        assert piece.size > 0
        assert piece.scale
        assert piece.meaning
        assert piece.hidden in ("", "all", "opponents")


def test_an_unknown_view_is_named_and_the_known_ones_listed() -> None:
    """A wrong name is told what there is."""
    with pytest.raises(ValueError, match=r"unknown view 'all'; views: memory, table"):
        view_id("all")


# --- what may be known ---------------------------------------------------------------------------


def sound_changes(state: State) -> Iterator[State]:
    """Positions that differ from `state` in one thing. Only those that can be are wanted."""
    num_players = int(state[NUM_PLAYERS])
    suns = range(FACE_UP, FACE_DOWN + MAX_PLAYERS)
    for offset in (offset for offset in range(STATE_SIZE) if offset not in suns):
        for change in (-1, 1):
            yield changed(state, (offset, change))
    for tile in range(NUM_TILES):
        for change in (-1, 1):
            yield changed(state, (TRACK + tile, change), (TRACK_COUNT, change))
            yield changed(state, (BAG + tile, change), (BAG_COUNT, change))
    for seat in range(num_players):
        yield from _other_suns(state, seat)
        yield from _other_bids(state, seat)


def changed(state: State, *changes: tuple[int, int]) -> State:
    row = state.copy()
    for offset, change in changes:
        row[offset] += change
    return row


def _other_suns(state: State, seat: int) -> Iterator[State]:
    """One of the seat's suns turned over, or exchanged for the one in the middle."""
    for side, other in ((FACE_UP, FACE_DOWN), (FACE_DOWN, FACE_UP)):
        suns = sun_bits(state, side + seat)
        for sun in range(1, MAX_SUN + 1):
            bit = 1 << (sun - 1)
            if suns & bit:
                row = state.copy()
                set_sun_bits(row, side + seat, suns ^ bit)
                set_sun_bits(row, other + seat, sun_bits(state, other + seat) | bit)
                yield row
                row = state.copy()
                set_sun_bits(row, side + seat, suns ^ bit ^ (1 << (int(state[MIDDLE_SUN]) - 1)))
                row[MIDDLE_SUN] = sun
                yield row


def _other_bids(state: State, seat: int) -> Iterator[State]:
    """Another bid or a pass of a seat that has been asked."""
    if state[PHASE] != AUCTION or state[BIDS + seat] == 0:
        return
    for bid in (PASSED, *range(1, MAX_SUN + 1)):
        row = state.copy()
        row[BIDS + seat] = bid
        bids = row[BIDS : BIDS + MAX_PLAYERS]
        row[HIGH_BID] = max(bids.max(), 0)
        row[HIGH_SEAT] = bids.argmax() if row[HIGH_BID] else -1
        yield row


def is_sound(state: State) -> bool:
    try:
        check_states(state.reshape(1, STATE_SIZE))
    except ValueError:
        return False
    return True


def is_known(offset: int, seat: int, view: str) -> bool:
    """Whether a seat may know a number of the row. What past epochs brought is left out by design:
    it is in the scores."""
    if EPOCH_POINTS <= offset < EPOCH_POINTS + 3 * MAX_PLAYERS:
        return False
    if view == "table" and (offset >= BAG or offset == BAG_COUNT):
        return False
    is_score = SCORE <= offset < SCORE + MAX_PLAYERS
    return not (view == "table" and is_score and offset != SCORE + seat)


@pytest.mark.compiled
def test_an_observation_changes_if_and_only_if_something_known_does(num_players: int) -> None:
    """Every number of the row, changed in every sound way: what a seat may know is seen, and what
    it may not know (in table view others' points and the bag) leaves no trace, to the bit."""
    names = np.array([field.name for field in FIELDS for _ in range(field.size)])
    met = set()
    for state in positions(num_players)[::9]:
        views = {(s, v): view_of(state, s, v) for s in range(num_players) for v in VIEWS}
        for row in sound_changes(state):
            difference = np.flatnonzero(row != state)
            if not len(difference) or not is_sound(row):
                continue
            met |= set(names[difference])
            for (seat, view), seen in views.items():
                should_differ = any(is_known(int(o), seat, view) for o in difference)
                differs = view_of(row, seat, view).tobytes() != seen.tobytes()
                assert differs == should_differ, (names[difference], seat, view)
    assert met == {field.name for field in FIELDS} - {"num_players"}


@pytest.mark.boundscheck
def test_hidden_pieces_are_zero_in_table_view_and_nothing_else_changes(num_players: int) -> None:
    """The two views differ exactly in the pieces that the table says are hidden."""
    hidden = np.zeros(OBSERVATION_SIZE, dtype=bool)
    for piece in describe():
        if piece.hidden == "all":
            hidden[piece.slice] = True
        elif piece.hidden == "opponents":
            hidden[piece.start + 1 : piece.start + piece.size] = True
    for state in positions(num_players)[::20]:
        for seat in range(num_players):
            table, memory = (view_of(state, seat, view) for view in ("table", "memory"))
            assert not table[hidden].any()
            assert (table[~hidden] == memory[~hidden]).all()
            assert memory[PIECES["bag"].slice].any()


# --- from where ----------------------------------------------------------------------------------


@pytest.mark.boundscheck
def test_the_view_turns_with_the_seats(num_players: int) -> None:
    """Egocentric: who moves to another seat together with all others sees the same as before."""
    for state in positions(num_players)[::10]:
        for by in range(1, num_players):
            moved = rotated(state, by)
            assert is_sound(moved)
            assert legal_actions(moved) == legal_actions(state)
            for seat in range(num_players):
                for view in VIEWS:
                    before = view_of(state, seat, view)
                    after = view_of(moved, (seat + by) % num_players, view)
                    assert before.tobytes() == after.tobytes()


def test_the_own_seat_comes_first() -> None:
    """Of every piece that goes seat by seat, the first part is the observer's."""
    state = positions(5)[40]
    for seat in range(5):
        seen = view_of(state, seat)
        for name, offset, size, scale in (
            ("score", SCORE, 1, 50),
            ("held", HELD, HELD_KINDS, 4),
        ):
            own = seen[PIECES[name].start : PIECES[name].start + size]
            row = state[offset + seat * size : offset + (seat + 1) * size]
            assert own == pytest.approx(row / scale)
        assert seen[PIECES["on_turn"].start] == (state[SEAT] == seat)


def test_absent_seats_are_zero(num_players: int) -> None:
    """Blocks of seats that are not there hold nothing."""
    per_seat = [p for p in describe() if p.start >= PIECES["present"].start]
    for state in positions(num_players)[::20]:
        for seat in range(num_players):
            seen = view_of(state, seat)
            for piece in per_seat:
                seats = seen[piece.slice].reshape(MAX_PLAYERS, -1)
                assert not seats[num_players:].any(), piece.name
            assert seen[PIECES["present"].slice].sum() == num_players
            assert seen[PIECES["players"].slice].argmax() == num_players - 2


# --- what the numbers are ------------------------------------------------------------------------


def points_without_final_ones(state: State, seat: int) -> int:
    return int(
        god_points(state, seat)
        + gold_points(state, seat)
        + pharaoh_points(state, seat)
        + nile_points(state, seat)
        + civilization_points(state, seat)
    )


def with_lot(state: State, seat: int) -> State:
    """The position in which a seat has the tiles of the track, and no disaster has struck."""
    row = state.copy()
    row[held(seat, GOD) : held(seat, END_HELD)] += row[TRACK + GOD : TRACK + END_HELD]
    return row


def test_points_are_those_of_the_scoring_functions(num_players: int) -> None:
    """What would be scored now and with the track's tiles is what scoring says, for every seat."""
    for state in positions(num_players)[::3]:
        for seat in range(num_players):
            seen = view_of(state, seat)
            for place in range(num_players):
                other = (seat + place) % num_players
                lot = with_lot(state, other)
                now = points_without_final_ones(state, other)
                gain = points_without_final_ones(lot, other) - now
                monuments = int(monument_points(state, other))
                expected = {
                    "points_now": now / 20,
                    "points_lot": gain / 20,
                    "monuments_now": monuments / 20,
                    "monuments_lot": (int(monument_points(lot, other)) - monuments) / 20,
                    "sun_total": int(sun_total(state, other)) / 40,
                }
                shown = {name: seen[PIECES[name].start + place] for name in expected}
                assert shown == pytest.approx(expected)


def test_chances_are_those_of_the_bag(num_players: int) -> None:
    """The chance of a Ra and of a disaster is their share of the bag; none of an empty one."""
    for state in positions(num_players)[::10]:
        bag = state[BAG : BAG + NUM_TILES]
        total = max(bag.sum(), 1)
        chances = view_of(state, 0)[PIECES["chances"].slice]
        assert chances == pytest.approx([bag[RA] / total, bag[END_HELD:].sum() / total])


def test_one_hot_pieces_have_one_place_set(num_players: int) -> None:
    """Exactly one where there is always one; at most one where there may be none."""
    for state in positions(num_players)[::10]:
        seen = view_of(state, 0)
        for name in ("players", "epochs_left", "phase", "middle_sun"):
            assert seen[PIECES[name].slice].sum() == 1
        for name in ("auction", "high_bid", "on_turn", "ra_player", "high_seat"):
            assert seen[PIECES[name].slice].sum() in (0, 1)
        phase = int(seen[PIECES["phase"].slice].argmax())
        assert PHASE_NAMES[phase] == PHASE_NAMES[state[PHASE]]


@pytest.mark.compiled
def test_numbers_are_finite_and_of_the_size_that_networks_like(num_players: int) -> None:
    """Written completely and finite; in standard games none is below -1 or above 2, and hardly
    any above 1."""
    standard = standard_positions(num_players)
    seen = np.array([view_of(state, s) for state in standard for s in range(num_players)])
    assert seen.min() >= -1
    assert seen.max() <= 2
    assert (seen > 1).mean() < 0.01
    others = np.array([view_of(state, 0) for state in positions(num_players)])
    assert np.isfinite(others).all()


def test_the_numbers_of_a_version_stay_the_same_to_the_bit(num_players: int) -> None:
    """Policies are trained on them: if this fails, either it is a mistake or a new version."""
    digest = hashlib.sha256()
    for state in positions(num_players):
        for seat in range(num_players):
            for view in VIEWS:
                digest.update(view_of(state, seat, view).astype("<f4").tobytes())
    assert observation.VERSION == 1
    assert digest.hexdigest()[:16] == DIGESTS[num_players]
