"""One move ahead: what each action leaves, to whoever takes it.

After an action heuristics finish what it has begun, an auction for instance; then a network says
how likely its seat is to win from there. A draw has the mean of its tiles. The network is learnt by
`python -m training.worth` from games of the heuristic.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.advice import POSITION_SIZE, Inputs, Scratch, advise_on_seats, new_scratch, settle
from agents.layers import Floats, Layer, forward
from ra_env._jit import njit
from ra_env.actions import DRAW, NUM_ACTIONS
from ra_env.layout import BAG, BAG_COUNT, NUM_PLAYERS, OVER, PHASE, SEAT, copy_row
from ra_env.legality import legal_actions
from ra_env.observation import MEMORY, observe
from ra_env.rules import MAX_PLAYERS, NUM_TILES
from ra_env.scoring import rank
from ra_env.transitions import apply

ROWS: Final = 256
"""Positions that are looked at together."""
MOST_LEAVES: Final = 40
"""A turn can draw one of 22 kinds, invoke, end, and take one of 8: fewer ways on than this."""


class Lookahead:
    """Says what each action is worth by looking one move ahead."""

    def __init__(self, worth: list[Layer]) -> None:
        self.worth = worth
        self._make_room(1)

    def _make_room(self, rows: int) -> None:
        leaves = rows * MOST_LEAVES
        self._inputs = np.zeros((leaves, POSITION_SIZE), np.float32)
        self._places = np.zeros((leaves, 2), np.int64)
        self._shares = np.zeros(leaves)
        self._known = np.zeros(leaves)

    def worths(self, rows: NDArray[np.int16]) -> NDArray[np.float64]:
        """The chance to win after each action, `(B, 54)`; -inf where it is not legal."""
        rows = np.ascontiguousarray(rows)
        room = min(len(rows), ROWS)
        if len(self._inputs) < room * MOST_LEAVES:
            self._make_room(room)
        out = np.full((len(rows), NUM_ACTIONS), -np.inf)
        for start in range(0, len(rows), ROWS):
            self._look(rows[start : start + ROWS], out[start : start + ROWS])
        return out

    def _look(self, rows: NDArray[np.int16], out: NDArray[np.float64]) -> None:
        count = _expand(rows, new_scratch(), self._inputs, self._places, self._shares, self._known)
        games, actions = self._places[:count].T
        known = self._known[:count]
        chances = chance_to_win(self.worth, self._inputs[:count], rows[games, NUM_PLAYERS])
        out[games, actions] = 0.0
        chances = np.where(known >= 0, known, chances)
        np.add.at(out, (games, actions), chances * self._shares[:count])


def chance_to_win(worth: list[Layer], inputs: Inputs, num_players: NDArray[np.int16]) -> Floats:
    """What the network gives the seat that looks, `(B,)`."""
    logits = forward(worth, inputs)
    logits[np.arange(MAX_PLAYERS) >= num_players[:, None]] = -np.inf
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights[:, 0] / weights.sum(axis=1), np.float32)


@njit
def _expand(
    rows: NDArray[np.int16],
    scratch: Scratch,
    inputs: Inputs,
    places: NDArray[np.int64],
    shares: NDArray[np.float64],
    known: NDArray[np.float64],
) -> int:
    """Write all positions that can follow, as the seat on turn before sees them; where they come
    from (`places`, row and action), how likely they are, and what is known to come of them: 1 a
    game that is won, 0 one that is lost, -1 one that goes on. Returns their number."""
    count = 0
    for game in range(len(rows)):
        row = rows[game]
        seat = int(row[SEAT])
        bits = legal_actions(row)
        for action in range(NUM_ACTIONS):
            if not (bits >> action) & 1:
                continue
            for tile in range(NUM_TILES if action == DRAW else 1):
                share = row[BAG + tile] / row[BAG_COUNT] if action == DRAW else 1.0
                if share == 0.0:
                    continue
                state = scratch.state
                copy_row(row, state)
                apply(state, action, tile)
                settle(scratch)
                places[count, 0], places[count, 1] = game, action
                shares[count], known[count] = share, -1.0
                if state[PHASE] == OVER:
                    known[count] = 1.0 if rank(state, seat) == 0 else 0.0
                observe(state, seat, MEMORY, inputs[count])
                advise_on_seats(state, seat, scratch, inputs[count])
                count += 1
    return count
