"""What holds in every game, whatever is played, checked on millions of random steps.

Tiles and suns are conserved, somebody can always do something, every game ends, every row passes
the engine's own check of rows, copies are independent, and luck is a matter of the seed alone: not
of the players, not of the number of threads, and never visible before it comes.
"""

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from steered import EVEN, MAX_MOVES, RICH_BAG, STEERED, Weights, engine_game

from ra_env import NUM_ACTIONS, Game, Rules, batch
from ra_env._jit import njit
from ra_env.actions import DRAW, FIRST_BID, FIRST_DISCARD, FIRST_TAKE, INVOKE, PASS, TAKE
from ra_env.integrity import SOUND, first_fault
from ra_env.layout import (
    AUCTION_KIND,
    BAG,
    BAG_COUNT,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    EPOCH,
    FACE_DOWN,
    FACE_UP,
    FULL,
    HELD,
    HIGH_BID,
    MIDDLE_SUN,
    NUM_PLAYERS,
    OVER,
    PHASE,
    RA_COUNT,
    RA_SEAT,
    SEAT,
    TRACK,
    TRACK_COUNT,
    State,
    held,
    sun_bits,
)
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
    NILE,
    NUM_TILES,
    PHARAOH,
    RA,
    UNREST,
)
from ra_env.scoring import NUM_CATEGORIES, category_points

FEW = 2 if numba.config.DISABLE_JIT else 50
"""Games of each kind in the tests that run uncompiled too."""

VARIANTS = {
    "short": Rules(3, epochs=2, ra_spaces=4, auction_spaces=3),
    "one sun each, 16 among them": Rules(
        5, suns=((16,), (15,), (14,), (13,), (12,)), middle_sun=9, bag=RICH_BAG
    ),
    "five suns each": Rules(2, suns=((16, 12, 8, 4, 1), (15, 11, 7, 3, 2)), middle_sun=10),
}


# --- conservation, compiled ----------------------------------------------------------------------

ALL_WELL, UNSOUND, SUNS, BAG_CHANGED, APPEARED, VANISHED, STUCK = range(7)
VIOLATIONS = (
    "all is well",
    "the row is no position of the game",
    "a sun appeared or vanished",
    "the bag changed without a draw, or by more than one tile",
    "a tile appeared",
    "a tile vanished that should still be there",
    "no action is legal, or some are after the end",
)


@njit
def first_violation(
    rows: NDArray[np.int16], actions: NDArray[np.int64], legal: NDArray[np.int64]
) -> tuple[int, int]:
    """The first move after which something is wrong, and what; ALL_WELL if nothing is."""
    for i in range(len(rows)):
        if first_fault(rows[i]) != SOUND:
            return i, UNSOUND
        if all_suns(rows[i]) != all_suns(rows[0]):
            return i, SUNS
        if i > 0:
            wrong = tiles_violation(rows[i - 1], rows[i], actions[i - 1])
            if wrong != ALL_WELL:
                return i, wrong
        if (legal[i] == 0) != (rows[i, PHASE] == OVER) or (legal[i] == 0) != (i == len(actions)):
            return i, STUCK
    return 0, ALL_WELL


@njit
def all_suns(state: State) -> int:
    """All suns there are, as a bit set."""
    bits = 1 << (int(state[MIDDLE_SUN]) - 1)
    for seat in range(state[NUM_PLAYERS]):
        bits |= sun_bits(state, FACE_UP + seat) | sun_bits(state, FACE_DOWN + seat)
    return bits


@njit
def tiles_in_play(state: State, tile: int) -> int:
    """In the bag, on the track, in front of the seats or, for Ra, beside the boat."""
    count = int(state[BAG + tile]) + state[TRACK + tile]
    if tile == RA:
        return count + state[RA_COUNT]
    if tile < END_HELD:
        for seat in range(state[NUM_PLAYERS]):
            count += state[held(seat, tile)]
    return count


@njit
def lost(before: State, after: State, first: int, end: int) -> int:
    """How many tiles of the kinds from `first` to before `end` left the game with a move."""
    count = 0
    for tile in range(first, end):
        count += tiles_in_play(before, tile) - tiles_in_play(after, tile)
    return count


@njit
def tiles_violation(before: State, after: State, action: int) -> int:
    """Whether a move made tiles appear, or vanish where the rules let none leave the game."""
    drawn = 0
    for tile in range(NUM_TILES):
        if after[BAG + tile] > before[BAG + tile]:
            return BAG_CHANGED
        drawn += before[BAG + tile] - after[BAG + tile]
        if lost(before, after, tile, tile + 1) < 0:
            return APPEARED
    if drawn != (1 if action == DRAW else 0):
        return BAG_CHANGED
    if after[EPOCH] != before[EPOCH]:
        return ALL_WELL  # much is cleared away; what stays is a matter of the rules' own tests
    return vanished(before, after, action)


@njit
def vanished(before: State, after: State, action: int) -> int:
    """Within an epoch tiles leave by a god spent, a disaster, or a full track that nobody wants."""
    is_take = FIRST_TAKE <= action < FIRST_DISCARD
    is_bid = FIRST_BID <= action < FIRST_TAKE
    is_last = (action == PASS or is_bid) and before[SEAT] == before[RA_SEAT]
    is_sold = is_last and (is_bid or before[HIGH_BID] > 0)
    if is_last and not is_sold and before[AUCTION_KIND] == FULL:
        for tile in range(NUM_TILES):
            if lost(before, after, tile, tile + 1) != before[TRACK + tile]:
                return VANISHED
        return ALL_WELL
    for tile in range(FUNERAL, NUM_TILES):
        if lost(before, after, tile, tile + 1) != strikes(before, action, is_sold, tile):
            return VANISHED
    civilizations = before[DISCARD_CIVILIZATIONS] + 2 * strikes(before, action, is_sold, UNREST)
    monuments = before[DISCARD_MONUMENTS] + 2 * strikes(before, action, is_sold, EARTHQUAKE)
    if (
        lost(before, after, RA, GOD) != 0
        or lost(before, after, GOD, PHARAOH) != (1 if is_take else 0)
        or lost(before, after, PHARAOH, NILE) > 2 * strikes(before, action, is_sold, FUNERAL)
        or lost(before, after, NILE, FLOOD + 1) > 2 * strikes(before, action, is_sold, DROUGHT)
        or lost(before, after, FLOOD + 1, FIRST_CIVILIZATION) != 0
        or lost(before, after, FIRST_CIVILIZATION, END_CIVILIZATION) > civilizations
        or lost(before, after, FIRST_MONUMENT, END_MONUMENT) > monuments
    ):
        return VANISHED
    return ALL_WELL


@njit
def strikes(before: State, action: int, is_sold: bool, disaster: int) -> int:
    """How many disasters of a kind strike with this move."""
    if is_sold:
        return int(before[TRACK + disaster])
    return 1 if action == TAKE + disaster else 0


def check(rules: Rules, seeds: range, seat_weights: Weights) -> int:
    """Play and check a game for each seed; returns the number of moves."""
    moves = 0
    for seed in seeds:
        log = engine_game(rules, seed, seat_weights)
        assert len(log.actions) < MAX_MOVES, f"the game of seed {seed} does not end"
        number, violation = first_violation(log.rows, log.actions, log.legal)
        assert violation == ALL_WELL, f"seed {seed}, move {number}: {VIOLATIONS[violation]}"
        moves += len(log.actions)
    return moves


@pytest.mark.compiled
def test_millions_of_steps_keep_tiles_and_suns_and_come_to_an_end() -> None:
    """Random and steered games of every size: conserved, sound, never stuck, and over."""
    moves = 0
    for players in (2, 3, 4, 5):
        moves += check(Rules(players), range(3000), EVEN)
        for seat_weights in STEERED.values():
            moves += check(Rules(players), range(300), seat_weights)
            moves += check(Rules(players, bag=RICH_BAG), range(100), seat_weights)
    assert moves > 3_000_000


@pytest.mark.boundscheck
@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_variants_keep_tiles_and_suns_and_come_to_an_end(rules: Rules) -> None:
    """The same for other rules, and in runs that are slow."""
    for seat_weights in (EVEN, *STEERED.values()):
        check(rules, range(FEW), seat_weights)


def test_a_game_starts_with_180_tiles(num_players: int) -> None:
    """All of them in the bag, none anywhere else."""
    states, _ = batch.new_games(Rules(num_players), range(20))
    for state in states:
        assert sum(tiles_in_play(state, tile) for tile in range(NUM_TILES)) == 180
        assert state[BAG : BAG + NUM_TILES].sum() == state[BAG_COUNT] == 180


@pytest.mark.parametrize(
    ("offsets", "change", "violation"),
    [
        ([SEAT], 5, UNSOUND),
        ([MIDDLE_SUN], 15, SUNS),
        ([BAG + NILE, BAG_COUNT], -1, BAG_CHANGED),
        ([HELD + NILE - GOD], 1, APPEARED),
        ([TRACK + NILE, TRACK_COUNT], -1, VANISHED),
    ],
)
def test_the_checks_find_a_tampered_row(offsets: list[int], change: int, violation: int) -> None:
    """Conservation is not just never complained about: each complaint can be made."""
    game = Game(4, seed=0)
    game.play("draw", tile="nile")
    before = game.state
    game.play("invoke")
    rows = np.array([before, game.state])
    actions, legal = np.array([INVOKE]), np.array([1 << INVOKE, 0])
    rows[1, offsets] += change
    assert first_violation(rows, actions, legal) == (1, violation)


def test_the_checks_find_a_game_that_is_stuck() -> None:
    """No legal action in a game that goes on."""
    log = engine_game(Rules(2), 0, EVEN)
    log.legal[7] = 0
    assert first_violation(log.rows, log.actions, log.legal) == (7, STUCK)


# --- copies --------------------------------------------------------------------------------------


def test_a_copied_row_never_changes_its_original(num_players: int) -> None:
    """Playing on with copies of a game's rows leaves the rows alone, and the other way round."""
    rows = engine_game(Rules(num_players), 3, STEERED["long lots"]).rows[::10]
    originals, copies = rows.copy(), rows.copy()
    words = np.arange(len(copies), dtype=np.uint64)
    moves = batch.play_random(copies, words.copy(), words.copy())
    assert (originals == rows).all()
    assert (moves[:-1] > 0).all()
    ends = copies.copy()
    batch.play_random(originals, words.copy(), words.copy())
    assert (copies == ends).all()


def test_a_copied_game_never_changes_its_original(num_players: int) -> None:
    """A copy of a `Game` has the same luck to come, and neither sees the other's moves."""
    game = Game(num_players, seed=5)
    for _ in range(12):
        game.play(game.legal_actions()[0])
    state, moves, legal = game.state, game.moves, game.legal_moves()
    copy = game.copy()
    while not copy.is_over:
        copy.play(copy.legal_actions()[-1])
    assert (game.state == state).all()
    assert game.moves == moves
    assert game.legal_moves() == legal
    end = copy.state
    while not game.is_over:
        game.play(game.legal_actions()[-1])
    assert game == copy
    game.undo()
    assert (copy.state == end).all()


# --- luck ----------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.boundscheck
@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_changes_nothing(num_players: int, threads: int) -> None:
    """Every batch function gives the same arrays on one thread and on several."""
    rules = Rules(num_players)
    results = []
    for count in (1, threads):
        states, words = batch.new_games(rules, range(400))
        choices = np.arange(400, dtype=np.uint64)
        seen: list[NDArray[np.generic]] = []
        masks = batch.legal_masks(states, threads=count)
        for _ in range(60):
            actions = masks.argmax(axis=1)
            batch.step(states, words, actions, out=masks, threads=count)
            seen.append(masks.copy())
        seen.append(batch.play_forced(states, words, threads=count))
        seen += [states.copy(), words.copy()]
        seen.append(batch.play_random(states[:200], words[:200], choices[:200], threads=count))
        seen.append(batch.reset_finished(states, words, rules, threads=count))
        seen.append(batch.legal_masks(states, threads=count))
        results.append([*seen, states, words, choices])
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))


def test_a_seed_gives_the_same_game_again(num_players: int) -> None:
    """Same seed, same choices, same game; another seed, another one."""
    rules = Rules(num_players)
    first, again, other = (engine_game(rules, seed, EVEN).rows[-1].copy() for seed in (8, 8, 9))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("rules", [*map(Rules, (2, 3, 4, 5)), *VARIANTS.values()])
def test_games_of_a_batch_are_those_of_the_seeds(rules: Rules) -> None:
    """`new_games` deals what `Game` deals, and the same tiles come in both to the end."""
    seeds = [0, 1, 2**63, 2**64 - 1]
    states, words = batch.new_games(rules, np.array(seeds, dtype=np.uint64))
    games = [Game(rules=rules, seed=seed) for seed in seeds]
    while not all(game.is_over for game in games):
        assert (states == np.array([game.state for game in games])).all()
        actions = [0 if game.is_over else game.legal_actions()[0] for game in games]
        for game, action in zip(games, actions, strict=True):
            if not game.is_over:
                game.play(action)
        batch.step(states, words, actions)
    assert (states == np.array([game.state for game in games])).all()


def drawn_tiles(rules: Rules, seed: int, seat_weights: Weights) -> list[int]:
    """The tiles of a game in the order in which they were drawn."""
    bags = engine_game(rules, seed, seat_weights).rows[:, BAG : BAG + NUM_TILES]
    moves, tiles = np.nonzero(bags[:-1] - bags[1:])
    assert (np.diff(moves) > 0).all()
    return tiles.tolist()


@pytest.mark.boundscheck
def test_the_kth_drawn_tile_does_not_depend_on_the_players(num_players: int) -> None:
    """However the same seed is played, the tiles come in the same order."""
    rules = Rules(num_players)
    compared = 0
    for seed in range(FEW):
        first = drawn_tiles(rules, seed, EVEN)
        for seat_weights in STEERED.values():
            second = drawn_tiles(rules, seed, seat_weights)
            common = min(len(first), len(second))
            assert first[:common] == second[:common]
            compared += common
    assert compared > 10 * FEW * len(STEERED)


@pytest.mark.boundscheck
def test_a_replaced_random_word_is_not_seen_before_a_draw(num_players: int) -> None:
    """A move that is no draw does the same with any random word, and leaves the word alone; a draw
    changes the word, and brings other tiles with another one."""
    log = engine_game(Rules(num_players), 4, STEERED["long lots"])
    before, after, is_draw = log.rows[:-1], log.rows[1:], log.actions == DRAW
    draws = []
    for words in (np.arange(len(before), dtype=np.uint64), np.full(len(before), 2**60, np.uint64)):
        states, moved = before.copy(), words.copy()
        masks = np.empty((len(states), NUM_ACTIONS), dtype=np.int8)
        batch.step(states, moved, log.actions, out=masks)
        assert (states[~is_draw] == after[~is_draw]).all()
        assert (masks[~is_draw] == batch.legal_masks(after.copy())[~is_draw]).all()
        assert ((moved == words) == ~is_draw).all()
        draws.append(states[is_draw])
    assert (draws[0] != draws[1]).any()


def test_the_categories_add_up_to_the_points_of_the_epoch(num_players: int) -> None:
    """What brings points, one by one, is all that brings points."""
    log = engine_game(Rules(num_players), 6, STEERED["long lots"])
    for state, points in zip(log.rows[::5], log.points[::5], strict=True):
        for seat, total in enumerate(points):
            assert total == sum(category_points(state, seat, c) for c in range(NUM_CATEGORIES))


def test_no_two_seats_share_a_place(num_players: int) -> None:
    """Suns are unique, so the ranking is strict at every moment."""
    for seed in range(FEW):
        ranks = engine_game(Rules(num_players), seed, EVEN).ranks
        assert (np.sort(ranks, axis=1) == np.arange(num_players)).all()
