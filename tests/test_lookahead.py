"""One move ahead: every way on is counted once, and valued as a plain reference does."""

from itertools import pairwise

import numpy as np
import pytest

from agents.advice import INPUT_SIZE, POSITION_SIZE, advise
from agents.heuristic import Heuristic
from agents.layers import Layer
from agents.lookahead import Lookahead, chance_to_win
from ra_env import Rules, batch
from ra_env.actions import DRAW, NUM_ACTIONS
from ra_env.layout import BAG, BAG_COUNT, DISCARD, NUM_PLAYERS, OVER, PHASE, SEAT, TURN
from ra_env.observation import OBSERVATION_SIZE, observe
from ra_env.rules import MAX_PLAYERS, NUM_TILES, RA
from ra_env.scoring import rank
from ra_env.transitions import apply

pytestmark = pytest.mark.compiled


def positions(players: int) -> np.ndarray:
    """Positions of all kinds, from play that is partly random; some close to the end."""
    rng = np.random.default_rng(players)
    states, words = batch.new_games(Rules(players), range(60))
    kept, liked = [], np.zeros(len(states), np.int64)
    while (states[:, PHASE] != OVER).any():
        masks = batch.legal_masks(states)
        Heuristic().act_batch(states, words, liked)
        random = (masks * rng.random(masks.shape)).argmax(axis=1)
        batch.step(states, words, np.where(rng.random(len(states)) < 0.3, random, liked))
        is_rare = (states[:, PHASE] == DISCARD) | (states[:, 4] == 3)
        kept.append(states[rng.random(len(states)) < np.where(is_rare, 0.05, 0.01)])
    rows = np.concatenate(kept)
    return rows[rows[:, PHASE] != OVER]


def network() -> list[Layer]:
    """Random weights that make a difference."""
    rng = np.random.default_rng(1)
    sizes = (POSITION_SIZE, 32, MAX_PLAYERS)
    return [
        (rng.normal(size=(b, a)).astype(np.float32) / a**0.5, np.zeros(b, np.float32))
        for a, b in pairwise(sizes)
    ]


def chance_after(ahead: Lookahead, row: np.ndarray, action: int, tile: int) -> float:
    """What an action and a tile leave."""
    state, seat = row.copy(), int(row[SEAT])
    apply(state, action, tile)
    while state[PHASE] not in (TURN, OVER):
        apply(state, Heuristic().act(state, np.uint64(0)), RA)
    if state[PHASE] == OVER:
        return float(rank(state, seat) == 0)
    seen = np.zeros((1, INPUT_SIZE), np.float32)
    observe(state, seat, 0, seen[0, :OBSERVATION_SIZE])
    advise(state[None], np.array([seat]), seen)
    inputs = np.ascontiguousarray(seen[:, :POSITION_SIZE])
    return float(chance_to_win(ahead.worth, inputs, row[NUM_PLAYERS : NUM_PLAYERS + 1])[0])


@pytest.mark.parametrize("players", [2, 4])
def test_each_action_is_worth_what_it_leaves(players: int) -> None:
    ahead, rows = Lookahead(network()), positions(players)
    found = ahead.worths(rows)
    ended = 0
    for row, worths in zip(rows, found, strict=True):
        mask = batch.legal_masks(row[None])[0]
        assert (np.isfinite(worths) == (mask > 0)).all()
        for action in np.flatnonzero(mask):
            if action == DRAW:
                shares = row[BAG : BAG + NUM_TILES] / row[BAG_COUNT]
                tiles = np.flatnonzero(shares)
                left = [chance_after(ahead, row, DRAW, int(tile)) for tile in tiles]
                wanted = float(shares[tiles] @ left)
                ended += any(chance in (0.0, 1.0) for chance in left)
            else:
                wanted = chance_after(ahead, row, int(action), RA)
            assert worths[action] == pytest.approx(wanted, abs=1e-5)
    assert len(rows) > 40
    assert ended > 0


def test_how_many_are_looked_at_together_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = positions(3)
    together = Lookahead(network()).worths(rows)
    monkeypatch.setattr("agents.lookahead.ROWS", 3)
    few = Lookahead(network()).worths(rows)
    assert together.shape == (len(rows), NUM_ACTIONS)
    np.testing.assert_allclose(few, together, atol=1e-6)


def test_chances_go_to_seats_that_are_there() -> None:
    """With all logits equal each seat has its fair share."""
    level = [(np.zeros((MAX_PLAYERS, POSITION_SIZE), np.float32), np.zeros(5, np.float32))]
    inputs = np.ones((4, POSITION_SIZE), np.float32)
    players = np.array([2, 3, 4, 5], np.int16)
    np.testing.assert_allclose(chance_to_win(level, inputs, players), 1 / players)
