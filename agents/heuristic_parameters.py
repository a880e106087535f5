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
    Parameter(
        "time_sun",
        "time left in the epoch: weight of the seat's own suns",
        (0.734, 0.969, 0.91, 0.91),
    ),
    Parameter(
        "time_ra",
        "time left in the epoch: weight of the Ra spaces left",
        (0.455, 0.362, 0.357, 0.357),
    ),
    Parameter("god_later", "worth of a god above its 2 points", (1.156, 1.366, 1.366, 1.366)),
    Parameter("flood_now", "chance of a flood later in this epoch", (0.618, 0.796, 0.796, 0.796)),
    Parameter("flood_later", "chance of a flood in each later epoch", (0.349, 0.385, 0.385, 0.385)),
    Parameter(
        "pharaoh_now",
        "softness of this epoch's pharaoh prize, in tiles",
        (1.78, 1.781, 1.824, 1.824),
    ),
    Parameter(
        "pharaoh_later",
        "softness of a later epoch's pharaoh prize, in tiles",
        (3.871, 4.495, 3.458, 3.458),
    ),
    Parameter(
        "pharaoh_share", "weight of a later epoch's pharaoh prize", (1.502, 1.614, 1.457, 1.457)
    ),
    Parameter(
        "pharaoh_rivals",
        "weight of what others lose by the winner's pharaohs",
        (0.626, 0.68, 0.682, 0.682),
    ),
    Parameter(
        "civilization_0",
        "worth of no civilization while there is time",
        (-0.637, -0.757, -0.757, -0.757),
    ),
    Parameter("civilization_1", "worth of 1 kind of civilization", (0.442, 0.684, 0.684, 0.684)),
    Parameter("civilization_2", "worth of 2 kinds", (2.641, 2.808, 2.8, 2.8)),
    Parameter("civilization_3", "worth of 3 kinds", (4.457, 6.377, 6.377, 6.377)),
    Parameter("civilization_4", "worth of 4 kinds", (5.338, 9.082, 9.082, 9.082)),
    Parameter("civilization_5", "worth of all 5 kinds", (13.205, 14.574, 14.574, 14.574)),
    Parameter(
        "monument_time",
        "epochs left at which half of a monument is hope",
        (1.158, 0.675, 0.675, 0.675),
    ),
    Parameter("monument_kind", "hope in each kind of monument", (0.869, 0.971, 0.971, 0.971)),
    Parameter(
        "monument_kinds",
        "hope in many kinds, for the square of their number",
        (0.007, 0.063, 0.063, 0.063),
    ),
    Parameter("monument_2", "hope in two equal monuments", (2.215, 2.768, 2.129, 2.129)),
    Parameter("monument_3", "hope in three equal monuments", (1.402, 1.463, 1.463, 1.463)),
    Parameter("monument_4", "hope in four equal monuments", (0.915, 0.668, 0.668, 0.668)),
    Parameter(
        "monument_quake", "loss of a monument to an earthquake", (1.163, 1.135, 1.135, 1.135)
    ),
    Parameter(
        "sun_worth", "most that a sun can bring in an epoch", (11.128, 13.849, 13.849, 13.849)
    ),
    Parameter("sun_later", "more of that for each epoch that follows", (1.4, 1.4, 1.4, 1.4)),
    Parameter(
        "sun_half",
        "Ra spaces for each sun at which it brings half of the most",
        (0.969, 1.251, 1.251, 1.251),
    ),
    Parameter(
        "sun_danger",
        "share of the next Ra space that brings nothing any more",
        (0.397, 0.365, 0.365, 0.365),
    ),
    Parameter("sun_rank", "how much more high suns bring than low ones", (0.093, 0.1, 0.1, 0.1)),
    Parameter(
        "sun_next", "points for each higher number on a sun, in each epoch", (0.1, 0.1, 0.1, 0.1)
    ),
    Parameter(
        "sun_total",
        "softness of the final prize for suns, for each sun of a seat",
        (0.505, 1.515, 1.515, 1.515),
    ),
    Parameter(
        "sun_totals",
        "more softness of it for each epoch that follows",
        (2.523, 7.575, 7.575, 7.575),
    ),
    Parameter(
        "rivalry", "weight of the others' gain against one's own", (0.839, 0.953, 0.953, 0.953)
    ),
    Parameter("draw_base", "worth of drawing, against a call", (0.0, 0.0, -0.1, 0.0)),
    Parameter(
        "draw_lead",
        "more of that for each point that the own suns are ahead",
        (0.19, 0.19, 0.19, 0.19),
    ),
    Parameter("draw_alone", "worth of one more tile when only I have suns", (1.6, 1.6, 1.6, 1.6)),
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
MONUMENT_2: Final = _INDEX["monument_2"]
MONUMENT_QUAKE: Final = _INDEX["monument_quake"]
SUN_WORTH: Final = _INDEX["sun_worth"]
SUN_LATER: Final = _INDEX["sun_later"]
SUN_HALF: Final = _INDEX["sun_half"]
SUN_DANGER: Final = _INDEX["sun_danger"]
SUN_RANK: Final = _INDEX["sun_rank"]
SUN_NEXT: Final = _INDEX["sun_next"]
SUN_TOTAL: Final = _INDEX["sun_total"]
SUN_TOTALS: Final = _INDEX["sun_totals"]
RIVALRY: Final = _INDEX["rivalry"]
DRAW_BASE: Final = _INDEX["draw_base"]
DRAW_LEAD: Final = _INDEX["draw_lead"]
DRAW_ALONE: Final = _INDEX["draw_alone"]


def tuned_parameters() -> NDArray[np.float64]:
    """The tuned values: one row for each number of players, `(4, NUM_PARAMETERS)`."""
    values = np.array([parameter.values for parameter in PARAMETERS], dtype=np.float64)
    assert values.shape == (NUM_PARAMETERS, MAX_PLAYERS - MIN_PLAYERS + 1)
    return np.ascontiguousarray(values.T)
