"""Renamed positions are the same game: what is legal, what follows, what the heuristic thinks."""

import numpy as np
import pytest

from agents.advice import INPUT_SIZE, POSITION_SIZE, advise
from ra_env import NUM_ACTIONS, Rules, batch
from ra_env.actions import DRAW
from ra_env.layout import AUCTION, BAG, DISCARD, GODS, OVER, PHASE, SEAT, TURN
from ra_env.rules import (
    END_CIVILIZATION,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    NILE,
    NUM_TILES,
)
from ra_env.transitions import apply
from training.symmetry import Renaming, random_renaming

pytestmark = pytest.mark.compiled


def positions(players: int) -> np.ndarray:
    """Games at all stages, from random play."""
    rng = np.random.default_rng(players)
    states, words = batch.new_games(Rules(players), range(400))
    kept = []
    for _ in range(120):
        masks = batch.legal_masks(states)
        batch.step(states, words, (masks * rng.random(masks.shape)).argmax(axis=1))
        kept.append(states[(rng.random(len(states)) < 0.05) | (states[:, PHASE] == DISCARD)])
    rows = np.concatenate(kept)
    return rows[rows[:, PHASE] != OVER]


def renamed_tile(renaming: Renaming, tile: int) -> int:
    """The new number of a tile: where the bag has what it had of it before."""
    return int(np.flatnonzero(renaming.columns[BAG : BAG + NUM_TILES] == BAG + tile)[0])


@pytest.mark.parametrize("players", [2, 5])
def test_a_renamed_game_goes_on_as_before(players: int) -> None:
    rng = np.random.default_rng(1)
    rows = positions(players)
    assert {int(phase) for phase in rows[:, PHASE]} == {TURN, GODS, AUCTION, DISCARD}
    for row in rows:
        renaming = random_renaming(rng)
        other = row[renaming.columns]
        batch.check_states(other[None])
        masks = batch.legal_masks(np.stack([row, other]))
        np.testing.assert_array_equal(masks[1][renaming.actions], masks[0])
        for action in np.flatnonzero(masks[0]):
            tiles = np.flatnonzero(row[-NUM_TILES:]) if action == DRAW else [0]
            tile = int(rng.choice(tiles))
            after, other_after = row.copy(), other.copy()
            apply(after, int(action), tile)
            apply(other_after, int(renaming.actions[action]), renamed_tile(renaming, tile))
            np.testing.assert_array_equal(other_after, after[renaming.columns])


def test_the_heuristic_does_not_care_for_names() -> None:
    """Its advice to a renamed position is the same, under the actions' new numbers."""
    rng = np.random.default_rng(2)
    rows = positions(4)
    renaming = random_renaming(rng)
    seen = np.zeros((2, len(rows), INPUT_SIZE), np.float32)
    others = np.ascontiguousarray(rows[:, renaming.columns])
    for states, out in zip((rows, others), seen, strict=True):
        advise(states, states[:, SEAT].astype(np.int64), out)
    worths = slice(POSITION_SIZE, POSITION_SIZE + NUM_ACTIONS)
    assert seen[0][:, worths].any()
    np.testing.assert_allclose(
        seen[1][:, worths][:, renaming.actions], seen[0][:, worths], atol=1e-5
    )


def test_every_name_can_become_every_other_of_its_sort() -> None:
    rng = np.random.default_rng(3)
    found = {renamed_tile(random_renaming(rng), FIRST_CIVILIZATION + 1) for _ in range(200)}
    assert found == set(range(FIRST_CIVILIZATION, END_CIVILIZATION))
    found = {renamed_tile(random_renaming(rng), FIRST_MONUMENT + 1) for _ in range(200)}
    assert found == set(range(FIRST_MONUMENT, END_MONUMENT))
    assert renamed_tile(random_renaming(rng), NILE) == NILE
