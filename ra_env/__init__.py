"""ra-env: a fast environment for the auction game Ra, for 2 to 5 players."""

from ra_env.actions import ACTION_TEXTS, NUM_ACTIONS
from ra_env.errors import IllegalAction, RecordError, RulesError
from ra_env.game import Game
from ra_env.registration import register
from ra_env.rules import TILE_NAMES, Rules
from ra_env.warmup import warm_up

__version__ = "0.1.0"

register()

__all__ = [
    "ACTION_TEXTS",
    "NUM_ACTIONS",
    "TILE_NAMES",
    "Game",
    "IllegalAction",
    "RecordError",
    "Rules",
    "RulesError",
    "warm_up",
]
