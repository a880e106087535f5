"""The 54 actions: ids, texts, and reading one from what a person or program gives.

Bids name suns and gods name tiles, never slots, so an action means the same on every table and for
any number of players. Sets of actions are int64 bit sets: bit `a` is action `a`.
"""

from typing import Final

from ra_env.errors import IllegalAction, shown
from ra_env.rules import (
    END_MONUMENT,
    FIRST_CIVILIZATION,
    MAX_SUN,
    NUM_TILES,
    PHARAOH,
    TILE_NAMES,
    whole_number,
)

DRAW: Final = 0
INVOKE: Final = 1
END: Final = 2
PASS: Final = 3
FIRST_BID: Final = 4
FIRST_TAKE: Final = FIRST_BID + MAX_SUN
FIRST_DISCARD: Final = FIRST_TAKE + NUM_TILES - PHARAOH
NUM_ACTIONS: Final = FIRST_DISCARD + END_MONUMENT - FIRST_CIVILIZATION

BID: Final = FIRST_BID - 1
"""BID + sun is the action that bids the sun."""
TAKE: Final = FIRST_TAKE - PHARAOH
"""TAKE + tile is the action that spends a god on the tile."""
DISCARD_TILE: Final = FIRST_DISCARD - FIRST_CIVILIZATION
"""DISCARD_TILE + tile is the action that gives up the tile."""

ACTION_TEXTS: Final = (
    *("draw", "invoke", "end", "pass"),
    *(f"bid {sun}" for sun in range(1, MAX_SUN + 1)),
    *(f"take {name}" for name in TILE_NAMES[PHARAOH:]),
    *(f"discard {name}" for name in TILE_NAMES[FIRST_CIVILIZATION:END_MONUMENT]),
)
"""The text of each action, by id."""

_IDS: Final = {text: action for action, text in enumerate(ACTION_TEXTS)}


def parse_action(action: object) -> int:
    """The id of an action given as id (any integer type) or text (`"bid 7"`)."""
    if isinstance(action, str):
        found = _IDS.get(" ".join(action.lower().split()))
        if found is None:
            raise IllegalAction(f"unknown action {shown(action)}; {_KNOWN}")
        return found
    number = whole_number(action)
    if number is None:
        raise IllegalAction(f"an action is an id or a text, not {shown(action)}; {_KNOWN}")
    if not 0 <= number < NUM_ACTIONS:
        raise IllegalAction(f"unknown action id {shown(number)}; ids are 0 to {NUM_ACTIONS - 1}")
    return number


_KNOWN: Final = (
    "actions are draw, invoke, end, pass, bid SUN, take TILE and discard TILE, or an id from 0 to "
    f"{NUM_ACTIONS - 1}"
)


def action_bits_to_list(bits: int) -> list[int]:
    """The ids in a bit set of actions, ascending."""
    ids = []
    while bits:
        lowest = bits & -bits
        ids.append(lowest.bit_length() - 1)
        bits ^= lowest
    return ids
