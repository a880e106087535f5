"""ra-env: a fast environment for the auction game Ra, for 2 to 5 players."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ra_env.registration import register

if TYPE_CHECKING:
    from ra_env.actions import ACTION_TEXTS, NUM_ACTIONS
    from ra_env.errors import IllegalAction, RecordError, RulesError
    from ra_env.game import Game
    from ra_env.rules import TILE_NAMES, Rules
    from ra_env.warmup import warm_up

__version__ = "0.1.0"

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

_HOMES = {
    "ACTION_TEXTS": "actions",
    "NUM_ACTIONS": "actions",
    "TILE_NAMES": "rules",
    "Game": "game",
    "IllegalAction": "errors",
    "RecordError": "errors",
    "Rules": "rules",
    "RulesError": "errors",
    "warm_up": "warmup",
}

register()


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is asked for: to show a help text takes no compiler."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ra_env' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ra_env.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
