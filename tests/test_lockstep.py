"""The engine and the plain reference game play the same games and agree after every move.

The engine plays a whole game with its own random tiles and writes everything down; the reference
then follows move by move. Compared are the complete row (seat, phase, epoch, tiles, suns, track,
bag, bids, scores, points of the epochs, ...), the legal moves, and now and then what the epoch
would bring and who is ahead. Evenly random play hardly sees the corners of the rules, so further
games are steered towards them, and the tests count how often each corner was reached.
"""

import random
from collections import Counter
from functools import cache

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from positions import differences, reference_game, reference_row
from reference import ReferenceGame
from steered import EVEN, RICH_BAG, STEERED, Log, Weights, engine_game, random_variant

from ra_env import ACTION_TEXTS, TILE_NAMES, Game, Rules
from ra_env.actions import (
    DRAW,
    END,
    FIRST_BID,
    FIRST_DISCARD,
    FIRST_TAKE,
    INVOKE,
    PASS,
    TAKE,
    action_bits_to_list,
)
from ra_env.layout import (
    AUCTION,
    AUCTION_KIND,
    AUCTION_SPACES,
    BAG,
    DISCARD,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    EPOCH,
    EPOCH_POINTS,
    FACE_UP,
    FULL,
    GODS,
    HELD,
    HELD_KINDS,
    HIGH_BID,
    NO_AUCTION,
    NUM_PLAYERS,
    OVER,
    PHASE,
    RA_SEAT,
    SCORE,
    SEAT,
    TRACK,
    TRACK_COUNT,
    TURN,
    VOLUNTARY,
)
from ra_env.rules import (
    DROUGHT,
    FIRST_MONUMENT,
    FUNERAL,
    GOD,
    MAX_PLAYERS,
    NUM_TILES,
    PHARAOH,
)

LOOK_CLOSELY = 16
"""Every so many moves the points of the moment and the ranking are compared too."""


# --- the reference follows -----------------------------------------------------------------------


@cache
def texts_of(bits: int) -> list[str]:
    return [ACTION_TEXTS[action] for action in action_bits_to_list(bits)]


def compare(rules: Rules, log: Log) -> None:
    """Play the logged game with the reference; fails at the first difference."""
    rows, actions, legal = log.rows.tolist(), log.actions.tolist(), log.legal.tolist()
    game = reference_game(rules, log.rows[0])
    last_auction = None
    played: list[str] = []
    for number, row in enumerate(rows):
        if game.auction is not None:
            last_auction = game.auction
        expected = reference_row(game, last_auction)
        if row != expected:
            pytest.fail("\n".join([*played[-12:], *differences(row, expected)]))
        assert texts_of(legal[number]) == game.legal_moves(), played[-12:]
        if number % LOOK_CLOSELY == 0 or game.is_over:
            assert log.points[number].tolist() == game.points_if_scored_now(), played[-12:]
            assert log.ranks[number].argsort().tolist() == game.ranking(), played[-12:]
        if number < len(actions):
            move = ACTION_TEXTS[actions[number]]
            tile = drawn_tile(row, rows[number + 1]) if move == "draw" else None
            played.append(f"move {number + 1}: seat {game.seat} {move} {tile or ''}")
            game.play(move, tile)
    assert game.is_over


def drawn_tile(before: list[int], after: list[int]) -> str:
    """The tile that left the bag."""
    return next(name for k, name in enumerate(TILE_NAMES) if before[BAG + k] != after[BAG + k])


# --- corners -------------------------------------------------------------------------------------


def count_corners(log: Log) -> Counter[str]:
    """How often each corner of the rules was seen in one game."""
    before, after, action = log.rows[:-1], log.rows[1:], log.actions
    n = int(before[0, NUM_PLAYERS])
    phase, kind = before[:, PHASE], before[:, AUCTION_KIND]
    is_bid = (action >= FIRST_BID) & (action < FIRST_TAKE)
    is_take = (action >= FIRST_TAKE) & (action < FIRST_DISCARD)
    is_discard = action >= FIRST_DISCARD
    closes = (phase == AUCTION) & (before[:, SEAT] == before[:, RA_SEAT])
    sold = closes & ((before[:, HIGH_BID] > 0) | is_bid)
    is_full = before[:, TRACK_COUNT] == before[:, AUCTION_SPACES]
    disasters = before[:, TRACK + FUNERAL : TRACK + NUM_TILES].sum(axis=1)
    both_due = (before[:, DISCARD_CIVILIZATIONS] > 0) & (before[:, DISCARD_MONUMENTS] > 0)
    with_suns = (before[:, FACE_UP : FACE_UP + n] != 0).sum(axis=1)
    opens = (phase != AUCTION) & (after[:, PHASE] == AUCTION)
    ends = (after[:, EPOCH] != before[:, EPOCH]) | (after[:, PHASE] == OVER)

    seen = {
        "draw with a god in hand": (action == DRAW) & _has_god(before),
        "second god in a turn": is_take & (phase == GODS),
        "turn ended with gods to spare": (action == END) & _has_god(before),
        "god spent on a full track": is_take & is_full,
        "god spent on a disaster": is_take & (action >= TAKE + FUNERAL),
        "choice after a god on a disaster": is_discard & (kind == NO_AUCTION),
        "full track sold": sold & (kind == FULL),
        "full track thrown away": closes & ~sold & (kind == FULL),
        "call on an empty track": (action == INVOKE) & (before[:, TRACK_COUNT] == 0),
        "call with some tiles": opens & (action == INVOKE) & (before[:, TRACK_COUNT] > 0),
        "drawn auction without a bid": closes & ~sold & (kind != FULL),
        "Ra player has to bid": closes & (kind == VOLUNTARY) & (before[:, HIGH_BID] == 0),
        "nothing left but to pass": (action == PASS) & (log.legal[:-1] == 1 << PASS),
        "two or more disasters in a lot": sold & (disasters >= 2),
        "three or more disasters in a lot": sold & (disasters >= 3),
        "two funerals or droughts in a lot": sold
        & (before[:, TRACK + FUNERAL : TRACK + DROUGHT + 1] >= 2).any(axis=1),
        "civilizations given up before monuments": both_due
        & is_discard
        & (after[:, PHASE] == DISCARD)
        & (after[:, DISCARD_CIVILIZATIONS] == 0),
        "second choice of the same disaster": is_discard & (after[:, PHASE] == DISCARD),
        "choice made by a seat without suns": is_discard & (_suns_on_turn(before) == 0),
        "last player alone on turn": (with_suns == 1) & (action == DRAW),
        "auction of the last player alone": closes & (with_suns == 1),
        "seat without suns is skipped": (with_suns < n) & (with_suns > 1) & (phase == TURN),
        "epoch ended by Ra": ends & (action == DRAW),
        "epoch ended by the last sun": ends & (action != DRAW),
        "epoch ended after a choice": ends & is_discard,
        "lot lost at the end of an epoch": ends & (before[:, TRACK_COUNT] > 0),
    }
    counts = {name: int(np.count_nonzero(where)) for name, where in seen.items()}
    return Counter(counts | _count_scoring_corners(log, ends))


def _has_god(rows: NDArray[np.int16]) -> NDArray[np.bool_]:
    offsets = HELD + np.maximum(rows[:, SEAT], 0) * HELD_KINDS
    return rows[np.arange(len(rows)), offsets] > 0


def _suns_on_turn(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    return rows[np.arange(len(rows)), FACE_UP + rows[:, SEAT]]


def _count_scoring_corners(log: Log, ends: NDArray[np.bool_]) -> Counter[str]:
    counts: Counter[str] = Counter()
    n = int(log.rows[0, NUM_PLAYERS])
    last = log.rows[-1]
    for number in np.flatnonzero(ends):
        old, new = log.rows[number], log.rows[number + 1]
        epoch = int(old[EPOCH]) - 1
        points = new[EPOCH_POINTS + epoch * MAX_PLAYERS :][:n]
        counts["total lifted to zero"] += int((old[SCORE : SCORE + n] + points < 0).sum())
        pharaohs = sorted(new[HELD + PHARAOH - GOD :: HELD_KINDS][:n].tolist())
        counts["all pharaohs equal"] += pharaohs[0] == pharaohs[-1]
        if pharaohs[0] != pharaohs[-1]:
            counts["most pharaohs tied"] += pharaohs[-1] == pharaohs[-2]
            counts["fewest pharaohs tied"] += pharaohs[0] == pharaohs[1]
    scores = last[SCORE : SCORE + n].tolist()
    counts["equal scores at the end"] += len(set(scores)) < n
    counts["winner decided by suns"] += scores.count(max(scores)) > 1
    monuments = last[HELD : HELD + n * HELD_KINDS].reshape(n, HELD_KINDS)[:, FIRST_MONUMENT - GOD :]
    counts["seven or more kinds of monument"] += int(((monuments > 0).sum(axis=1) >= 7).sum())
    counts["three or more equal monuments"] += int((monuments >= 3).any(axis=1).sum())
    return counts


NEEDS_THREE_PLAYERS = {
    "seat without suns is skipped",
    "most pharaohs tied",
    "fewest pharaohs tied",
}
"""With two players a tie is between all, and whoever is not skipped is alone."""


# --- the tests -----------------------------------------------------------------------------------


AT_LEAST = 10
"""Each corner is to be seen so often for each number of players."""

FEW = 2 if numba.config.DISABLE_JIT else 20
"""Games of each kind in the tests that run uncompiled too."""


def play_and_compare(rules: Rules, seeds: range, seat_weights: Weights) -> Counter[str]:
    """Play a game for each seed, compare it move by move, and count the corners."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        log = engine_game(rules, seed, seat_weights)
        compare(rules, log)
        seen.update(count_corners(log))
    return seen


def play_into_corners(num_players: int, games: int) -> Counter[str]:
    """So many games with each way of steering, from the box's bag and from the rich one."""
    seen: Counter[str] = Counter()
    for rules in (Rules(num_players), Rules(num_players, bag=RICH_BAG)):
        for seat_weights in STEERED.values():
            seen.update(play_and_compare(rules, range(games), seat_weights))
    return seen


@pytest.mark.compiled
def test_two_thousand_random_games(num_players: int) -> None:
    """The engine and the reference agree after every move of evenly random games."""
    for seed in range(2000):
        compare(Rules(num_players), engine_game(Rules(num_players), seed, EVEN))


@pytest.mark.compiled
def test_games_steered_into_the_corners(num_players: int) -> None:
    """Both agree in the corners of the rules too, and each corner was seen many times."""
    seen = play_into_corners(num_players, games=50)
    if num_players == 2:
        assert all(seen.pop(corner) == 0 for corner in NEEDS_THREE_PLAYERS)
    assert {corner: count for corner, count in seen.items() if count < AT_LEAST} == {}


@pytest.mark.compiled
def test_hundreds_of_variants() -> None:
    """Both agree with any number of epochs and spaces, any bag and any suns."""
    rng = random.Random(1)
    variants = [random_variant(rng) for _ in range(800)]
    for seed, rules in enumerate(variants):
        compare(rules, engine_game(rules, seed, rng.choice([EVEN, *STEERED.values()])))
    assert {(rules.num_players, rules.auction_spaces) for rules in variants} == {
        (players, spaces) for players in range(2, 6) for spaces in range(1, 9)
    }
    assert {(rules.epochs, rules.ra_spaces) for rules in variants} == {
        (epochs, spaces) for epochs in range(1, 4) for spaces in range(1, 11)
    }
    assert {len(rules.suns[0]) for rules in variants} == {1, 2, 3, 4, 5}
    assert {rules.middle_sun for rules in variants} == set(range(1, 17))


@pytest.mark.boundscheck
def test_a_few_games_of_every_kind(num_players: int) -> None:
    """Random, steered and rich games in small numbers, for runs that are slow."""
    play_and_compare(Rules(num_players), range(5 * FEW), EVEN)
    play_into_corners(num_players, games=FEW)


@pytest.mark.boundscheck
def test_a_few_variants() -> None:
    """Variants in small numbers, for runs that are slow."""
    rng = random.Random(2)
    for seed in range(20 * FEW):
        rules = random_variant(rng)
        play_and_compare(rules, range(seed, seed + 1), rng.choice([EVEN, *STEERED.values()]))


def test_game_shows_what_the_reference_shows(num_players: int) -> None:
    """Everything that `Game` tells by name, number and text, after every move."""
    rng = random.Random(num_players)
    for seed in range(2 * FEW):
        game = Game(num_players, seed=seed)
        reference = reference_game(game.rules, game.state)
        compare_views(game, reference)
        while not game.is_over:
            legal = game.legal_moves()
            move = rng.choices(legal, weights=[6 if m == "draw" else 1 for m in legal])[0]
            _, _, tile = game.play(move).partition("draw ")
            reference.play(move, tile or None)
            compare_views(game, reference)


def compare_views(game: Game, reference: ReferenceGame) -> None:
    """All that both offer under their names."""
    assert game.current_seat == reference.seat
    assert game.phase == reference.phase
    assert game.is_over == reference.is_over
    assert game.epoch == reference.epoch
    assert game.legal_moves() == reference.legal_moves()
    assert game.track == reference.track
    assert game.bag == reference.bag
    assert game.middle_sun == reference.middle_sun
    assert game.ra_count == reference.ra_count
    assert game.scores == reference.scores
    assert game.epoch_points == reference.epoch_points
    assert game.points_if_scored_now() == reference.points_if_scored_now()
    assert game.ranking() == reference.ranking()
    for seat in range(game.num_players):
        assert game.tiles(seat) == reference.tiles(seat)
        face_up, face_down = game.suns(seat)
        assert set(face_up) == reference.face_up(seat)
        assert set(face_down) == reference.face_down(seat)
    if reference.phase != "discard":  # the reference closes an auction before the discards
        assert game.bids == reference.bids
        assert game.auction == (reference.auction.kind if reference.auction else None)
