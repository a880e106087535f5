"""Positions that differ in names alone.

The five civilizations are alike, and so are the eight monuments: give each another one's name,
everywhere, and the game goes on as before. So whatever is learnt of a position holds for all of its
renamings, and a network sees more positions than were played.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ra_env.actions import DISCARD_TILE, NUM_ACTIONS, TAKE
from ra_env.layout import BAG, STATE_SIZE, TRACK, held
from ra_env.rules import (
    END_CIVILIZATION,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    MAX_PLAYERS,
)

_ALIKE: Final = (
    np.arange(FIRST_CIVILIZATION, END_CIVILIZATION),
    np.arange(FIRST_MONUMENT, END_MONUMENT),
)
_PLACES: Final = (TRACK, BAG, *(int(held(seat, 0)) for seat in range(MAX_PLAYERS)))


class Renaming(NamedTuple):
    """Other names for civilizations and monuments."""

    columns: NDArray[np.int64]
    """`rows[:, columns]` are the renamed positions."""
    actions: NDArray[np.int64]
    """`(54,)` the new number of each action."""


def random_renaming(rng: np.random.Generator) -> Renaming:
    """All renamings are equally likely."""
    columns, actions = np.arange(STATE_SIZE), np.arange(NUM_ACTIONS)
    for kinds in _ALIKE:
        old = rng.permutation(kinds)
        for place in _PLACES:
            columns[place + kinds] = place + old
        for action in (TAKE, DISCARD_TILE):
            actions[action + old] = action + kinds
    return Renaming(columns, actions)
