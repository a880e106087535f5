"""Exact numbers of continuations from fixed positions, as chess programs count them.

`perft(position, depth)` is the number of different sequences of that many moves, where a draw is
one move for each kind of tile in the bag; a game that ends earlier has none. The number depends on
every legal set on the way, so a single wrong one shows. The engine and the reference count the
shallow depths, and both agree with the numbers here; the engine alone counts the deep ones.
"""

import pickle
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from positions import play_all, reference_game
from reference import ReferenceGame

from ra_env import NUM_ACTIONS, Game, Rules
from ra_env._jit import njit
from ra_env.actions import DRAW
from ra_env.layout import BAG, STATE_SIZE, State, copy_row
from ra_env.legality import legal_actions
from ra_env.rules import NUM_TILES
from ra_env.transitions import apply

AFFORDABLE = 15_000
"""The reference counts to the depth with so many continuations: it is slow."""


class Position(NamedTuple):
    """A game after some moves, and its numbers of continuations of one move, two, three, ..."""

    rules: Rules
    moves: str
    counts: tuple[int, ...]


TINY = Rules(
    2,
    epochs=1,
    ra_spaces=2,
    auction_spaces=2,
    bag={"ra": 2, "god": 1, "unrest": 1, "art": 1},
    suns=((4,), (3,)),
    middle_sun=5,
)

POSITIONS = {
    "start of two": Position(Rules(2), "", (24, 538, 11_866, 261_649, 5_765_637, 126_939_630)),
    "start of three": Position(Rules(3), "", (24, 538, 11_869, 260_932, 5_736_157, 125_958_071)),
    "start of four": Position(Rules(4), "", (24, 536, 11_813, 259_755, 5_705_314, 125_241_757)),
    "start of five": Position(Rules(5), "", (24, 536, 11_813, 259_755, 5_706_429, 125_221_938)),
    "drawn auction": Position(
        Rules(4), "draw nile, draw gold, draw ra", (4, 11, 25, 55, 1320, 29_466)
    ),
    "full track": Position(
        Rules(3),
        "draw nile, draw god, draw gold, draw unrest, draw art, draw writing, draw sphinx, "
        "draw pharaoh",
        (1, 5, 18, 56, 1344, 30_375),
    ),
    "two gods to spend": Position(
        Rules(2),
        "draw god, draw god, draw art, draw writing, draw religion, draw temple, invoke, bid 8, "
        "pass, draw unrest, draw pharaoh, draw drought, draw temple",
        (28, 552, 14_505, 274_074, 2_051_881, 15_092_107),
    ),
    "choice of civilizations, then of monuments": Position(
        Rules(2),
        "draw art, draw writing, draw religion, draw temple, draw sphinx, draw sphinx, "
        "draw earthquake, draw unrest, invoke, bid 8, bid 9",
        (3, 6, 12, 156, 3498, 77_214),
    ),
    "next Ra ends the epoch": Position(
        Rules(2, ra_spaces=2),
        "draw nile, draw flood, draw ra, pass, pass",
        (24, 557, 12_805, 293_759, 6_724_330, 153_578_018),
    ),
    "last player alone": Position(
        Rules(3, suns=((13, 4), (12, 5), (11, 6))),
        "draw god, invoke, bid 6, pass, pass, draw art, invoke, pass, pass, bid 4, invoke, pass, "
        "pass, bid 5, draw gold, invoke, pass, pass, bid 13, invoke, pass, bid 12, draw writing, "
        "draw gold",
        (26, 596, 13_649, 312_052, 7_121_389, 162_204_696),
    ),
    "last epoch, sun 16 in play": Position(
        Rules(2, epochs=1, suns=((16, 2), (15, 3)), middle_sun=14),
        "draw pyramid, draw pyramid, invoke, bid 3, bid 16, draw earthquake",
        (24, 533, 11_643, 255_826, 5_565_012, 121_754_853),
    ),
    "tiny game to its end": Position(
        TINY, "", (5, 16, 25, 62, 182, 281, 421, 584, 786, 786, 660, 522, 348, 102, 0)
    ),
}


@njit
def count_moves(state: State) -> int:
    """The moves of a position, where a draw is one for each kind of tile."""
    bits = legal_actions(state)
    moves = 0
    if bits >> DRAW & 1:
        bits ^= 1 << DRAW
        for tile in range(NUM_TILES):
            moves += 1 if state[BAG + tile] > 0 else 0
    while bits:
        bits &= bits - 1
        moves += 1
    return moves


@njit
def perft(
    rows: NDArray[np.int16], legal: NDArray[np.int64], branches: NDArray[np.int64], depth: int
) -> int:
    """The number of continuations of `depth` moves from the position in `rows[0]`.

    The arrays are a stack: positions, their legal sets and the next branch to follow from each.
    The first branches are the actions; in place of DRAW come those after them, one for each tile.
    """
    if depth == 1:
        return count_moves(rows[0])
    total = 0
    level = 0
    legal[0] = legal_actions(rows[0])
    branches[0] = DRAW + 1
    while level >= 0:
        branch = branches[level]
        branches[level] += 1
        if branch == NUM_ACTIONS + NUM_TILES:
            level -= 1
            continue
        tile = max(branch - NUM_ACTIONS, 0)
        action = branch if branch < NUM_ACTIONS else DRAW
        is_possible = branch < NUM_ACTIONS or rows[level, BAG + tile] > 0
        if not is_possible or not legal[level] >> action & 1:
            continue
        copy_row(rows[level], rows[level + 1])
        apply(rows[level + 1], action, tile)
        if level + 2 == depth:
            total += count_moves(rows[level + 1])
        else:
            level += 1
            legal[level] = legal_actions(rows[level])
            branches[level] = DRAW + 1
    return total


def engine_perft(state: State, depth: int) -> int:
    rows = np.zeros((depth, STATE_SIZE), dtype=np.int16)
    rows[0] = state
    legal, branches = np.zeros((2, depth), dtype=np.int64)
    return perft(rows, legal, branches, depth)


def reference_counts(game: ReferenceGame, depth: int) -> list[int]:
    """The numbers of continuations of one move, two, ... and `depth`, by the reference."""
    counts, positions = [], [game]
    while True:
        moves = [reference_moves(position) for position in positions]
        counts.append(sum(map(len, moves)))
        if len(counts) == depth:
            return counts
        positions = [
            after_move(frozen, move, tile)
            for frozen, branches in zip(map(pickle.dumps, positions), moves, strict=True)
            for move, tile in branches
        ]


def reference_moves(game: ReferenceGame) -> list[tuple[str, str | None]]:
    """The moves of a position, where a draw is one for each kind of tile."""
    legal = game.legal_moves()
    draws = [("draw", tile) for tile in game.bag] if "draw" in legal else []
    return [*((move, None) for move in legal if move != "draw"), *draws]


def after_move(frozen: bytes, move: str, tile: str | None) -> ReferenceGame:
    """The position after a move; pickles are the fastest copies of plain objects."""
    game: ReferenceGame = pickle.loads(frozen)
    game.play(move, tile)
    return game


def reached(position: Position) -> tuple[Game, ReferenceGame]:
    """The position, in both implementations."""
    game = Game(rules=position.rules, suns=position.rules.suns, seed=0)
    reference = reference_game(position.rules, game.state)
    moves = position.moves.split(", ") if position.moves else []
    play_all(game, *moves)
    play_all(reference, *moves)
    return game, reference


@pytest.mark.boundscheck
@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_engine_and_reference_count_the_same(position: Position) -> None:
    """Both find the pinned numbers, to the depth that the reference can afford."""
    game, reference = reached(position)
    counts = [count for count in position.counts if count <= AFFORDABLE]
    assert reference_counts(reference, len(counts)) == counts
    assert [engine_perft(game.state, depth + 1) for depth in range(len(counts))] == counts


@pytest.mark.compiled
@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_the_engine_counts_on(position: Position) -> None:
    """The engine finds the pinned numbers at every depth."""
    game, _ = reached(position)
    counts = [engine_perft(game.state, depth + 1) for depth in range(len(position.counts))]
    assert counts == list(position.counts)
