"""The numbers of the heuristic: their names, what they mean, and their tuned values.

A game with few players is another game, so each number has one value for each number of players.
`agents/tune_heuristic.py` found them by simulation. This module knows nothing of states.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ra_env.rules import MAX_PLAYERS, MIN_PLAYERS

Parameters = NDArray[np.float64]
"""One row of values: those for one number of players."""


class Parameter(NamedTuple):
    """One number of the heuristic."""

    name: str
    meaning: str
    values: tuple[float, float, float, float]
    """For 2, 3, 4 and 5 players."""


PARAMETERS: Final = (
    Parameter("time_sun", "time left in the epoch: weight of the seat's own suns", (0.77,) * 4),
    Parameter("time_ra", "time left in the epoch: weight of the Ra spaces left", (0.346,) * 4),
    Parameter("god_later", "worth of a god above its 2 points", (1.336,) * 4),
    Parameter("flood_now", "chance of a flood later in this epoch", (0.688,) * 4),
    Parameter("flood_later", "chance of a flood in each later epoch", (0.387,) * 4),
    Parameter("pharaoh_now", "softness of this epoch's pharaoh prize, in tiles", (1.334,) * 4),
    Parameter("pharaoh_later", "softness of a later epoch's pharaoh prize, in tiles", (3.346,) * 4),
    Parameter("pharaoh_share", "weight of a later epoch's pharaoh prize", (1.335,) * 4),
    Parameter(
        "pharaoh_rivals", "weight of what others lose by the winner's pharaohs", (0.611,) * 4
    ),
    Parameter("civilization_0", "worth of no civilization while there is time", (-0.717,) * 4),
    Parameter("civilization_1", "worth of 1 kind of civilization", (0.833,) * 4),
    Parameter("civilization_2", "worth of 2 kinds", (3.136,) * 4),
    Parameter("civilization_3", "worth of 3 kinds", (6.521,) * 4),
    Parameter("civilization_4", "worth of 4 kinds", (8.537,) * 4),
    Parameter("civilization_5", "worth of all 5 kinds", (16.377,) * 4),
    Parameter("monument_time", "epochs left at which half of a monument is hope", (1.019,) * 4),
    Parameter("monument_kind", "hope in each kind of monument", (1.039,) * 4),
    Parameter("monument_kinds", "hope in many kinds, for the square of their number", (0.069,) * 4),
    Parameter("monument_1", "hope in a single monument to become three", (0.0,) * 4),
    Parameter("monument_2", "hope in two equal monuments", (1.935,) * 4),
    Parameter("monument_3", "hope in three equal monuments", (1.573,) * 4),
    Parameter("monument_4", "hope in four equal monuments", (0.711,) * 4),
    Parameter("monument_quake", "loss of a monument to an earthquake", (1.088,) * 4),
    Parameter("sun_worth", "most that a sun can bring in an epoch", (13.647,) * 4),
    Parameter("sun_half", "Ra spaces for each sun at which it brings half of that", (1.268,) * 4),
    Parameter(
        "sun_danger", "share of the next Ra space that brings nothing any more", (0.465,) * 4
    ),
    Parameter("sun_rank", "how much more high suns bring than low ones", (0.274,) * 4),
    Parameter("sun_many", "loss by many own suns with few Ra spaces left", (0.0,) * 4),
    Parameter("sun_next", "points for each higher number on a sun, in each epoch", (0.322,) * 4),
    Parameter("sun_total", "softness of the final prize for suns", (0.898,) * 4),
    Parameter("rivalry", "weight of the others' gain against one's own", (0.616,) * 4),
    Parameter("leader", "how much more the gain of leading rivals counts, per point", (0.02,) * 4),
    Parameter("draw_base", "worth of letting the others go on", (0.749,) * 4),
    Parameter("draw_next", "weight of what happens when others call", (0.422,) * 4),
    Parameter("draw_tile", "worth of letting go on, for each tile on the track", (0.329,) * 4),
    Parameter("draw_alone", "worth of one more tile when only I have suns", (1.452,) * 4),
    Parameter("call_at", "gain at which another is as likely to call as not", (0.0,) * 4),
    Parameter("call_soft", "softness of that", (1.0,) * 4),
    Parameter("take_base", "worth of spending a god instead of drawing", (-0.075,) * 4),
    Parameter("take_more", "least gain for which one more god is spent", (0.674,) * 4),
)
"""All numbers, in the order in which compiled code finds them. Worths are in points."""

NUM_PARAMETERS: Final = len(PARAMETERS)
_INDEX: Final = {parameter.name: i for i, parameter in enumerate(PARAMETERS)}

TIME_SUN: Final = _INDEX["time_sun"]
TIME_RA: Final = _INDEX["time_ra"]
GOD_LATER: Final = _INDEX["god_later"]
FLOOD_NOW: Final = _INDEX["flood_now"]
FLOOD_LATER: Final = _INDEX["flood_later"]
PHARAOH_NOW: Final = _INDEX["pharaoh_now"]
PHARAOH_LATER: Final = _INDEX["pharaoh_later"]
PHARAOH_SHARE: Final = _INDEX["pharaoh_share"]
PHARAOH_RIVALS: Final = _INDEX["pharaoh_rivals"]
CIVILIZATION_0: Final = _INDEX["civilization_0"]
MONUMENT_TIME: Final = _INDEX["monument_time"]
MONUMENT_KIND: Final = _INDEX["monument_kind"]
MONUMENT_KINDS: Final = _INDEX["monument_kinds"]
MONUMENT_1: Final = _INDEX["monument_1"]
MONUMENT_QUAKE: Final = _INDEX["monument_quake"]
SUN_WORTH: Final = _INDEX["sun_worth"]
SUN_HALF: Final = _INDEX["sun_half"]
SUN_DANGER: Final = _INDEX["sun_danger"]
SUN_RANK: Final = _INDEX["sun_rank"]
SUN_MANY: Final = _INDEX["sun_many"]
SUN_NEXT: Final = _INDEX["sun_next"]
SUN_TOTAL: Final = _INDEX["sun_total"]
RIVALRY: Final = _INDEX["rivalry"]
LEADER: Final = _INDEX["leader"]
DRAW_BASE: Final = _INDEX["draw_base"]
DRAW_NEXT: Final = _INDEX["draw_next"]
DRAW_TILE: Final = _INDEX["draw_tile"]
DRAW_ALONE: Final = _INDEX["draw_alone"]
CALL_AT: Final = _INDEX["call_at"]
CALL_SOFT: Final = _INDEX["call_soft"]
TAKE_BASE: Final = _INDEX["take_base"]
TAKE_MORE: Final = _INDEX["take_more"]


def tuned_parameters() -> NDArray[np.float64]:
    """The tuned values: one row for each number of players, `(4, NUM_PARAMETERS)`."""
    values = np.array([parameter.values for parameter in PARAMETERS], dtype=np.float64)
    assert values.shape == (NUM_PARAMETERS, MAX_PLAYERS - MIN_PLAYERS + 1)
    return np.ascontiguousarray(values.T)
