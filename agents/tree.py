"""The parts of a tree search that know nothing of how a position is judged: nodes, which action to
look at next, and going on from there.

A tree is a named tuple of arrays that belong to the caller. Used here are `rows`, `legal`,
`priors`, `children`, `visits` and `values`.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit, njit_apart
from ra_env.actions import NUM_ACTIONS
from ra_env.layout import SEAT, State, copy_row, count_bits
from ra_env.legality import legal_actions, lowest_action
from ra_env.rules import MAX_PLAYERS, RA
from ra_env.transitions import apply

NONE: Final = 0
"""No child: node 0 is a root, which is nobody's child."""


@njit_apart
def begin_node(tree: Any, node: int, state: State) -> None:
    """Make a node one of this position, without children or visits."""
    copy_row(state, tree.rows[node])
    tree.legal[node] = legal_actions(state)
    tree.visits[node] = 0
    for branch in range(NUM_ACTIONS):
        tree.children[node, branch] = NONE
    for seat in range(MAX_PLAYERS):
        tree.values[node, seat] = 0.0


@njit_apart
def write_priors(tree: Any, node: int, worths: NDArray[np.floating], softness: float) -> None:
    """Give each legal action its share: e times as much if it is worth `softness` more."""
    bits = tree.legal[node]
    best = -np.inf
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            best = max(best, worths[action])
    total = 0.0
    for action in range(NUM_ACTIONS):
        share = math.exp((worths[action] - best) / softness) if (bits >> action) & 1 else 0.0
        tree.priors[node, action] = share
        total += share
    for action in range(NUM_ACTIONS):
        tree.priors[node, action] /= total


@njit_apart
def advance(state: State, action: int, tile: int) -> None:
    """Play an action, and on while there is only one; that is never a draw."""
    apply(state, action, tile)
    bits = legal_actions(state)
    while count_bits(bits) == 1:
        apply(state, lowest_action(bits), RA)
        bits = legal_actions(state)


@njit
def choose(tree: Any, node: int, c: float) -> int:
    """The action with the best sum of its mean result and a bonus for being promising and rare.

    An action that was never tried counts as much as the node itself.
    """
    seat = int(tree.rows[node, SEAT])
    spread = c * math.sqrt(tree.visits[node])
    untried = tree.values[node, seat] / tree.visits[node]
    bits = tree.legal[node]
    best = -1.0
    chosen = 0
    while bits:
        action = lowest_action(bits)
        bits &= bits - 1
        child = tree.children[node, action]
        mean = untried
        visits = 0
        if child != NONE:
            visits = tree.visits[child]
            mean = tree.values[child, seat] / visits
        bound = mean + spread * tree.priors[node, action] / (1.0 + visits)
        if bound > best:
            best = bound
            chosen = action
    return chosen


@njit
def read_visits(tree: Any, root: int, out: NDArray[np.int64]) -> None:
    """Write how often each action was simulated from a node; -1 where it is not legal."""
    for action in range(NUM_ACTIONS):
        out[action] = -1
        if (tree.legal[root] >> action) & 1:
            child = tree.children[root, action]
            out[action] = tree.visits[child] if child != NONE else 0


def visit_shares(visits: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of the simulations that went to each action; -inf where it is not legal."""
    return np.where(visits >= 0, visits / max(int(visits.clip(0).sum()), 1), -np.inf)
