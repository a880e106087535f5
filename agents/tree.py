"""What the tree searches share: which action to look at next, and going on from there.

A tree is a named tuple of arrays that belong to the caller; every search has its own. Used here are
`rows`, `legal`, `priors`, `children`, `visits` and `values`, which mean the same in all of them.
"""

import math
from typing import Any, Final

from ra_env._jit import njit, njit_apart
from ra_env.layout import SEAT, State, count_bits
from ra_env.legality import legal_actions, lowest_action
from ra_env.rules import RA
from ra_env.transitions import apply

NONE: Final = 0
"""No child: node 0 is a root, which is nobody's child."""


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
