"""What `ra-env agents` shows: the agents that are installed, and their parameters."""

import inspect
from importlib.metadata import entry_points
from typing import Any

from ra_env.agent import GROUP


def describe_agents() -> list[dict[str, Any]]:
    """Name, description, parameters with their defaults, and origin of each agent.

    One that cannot be loaded says so in its description, and does not hide the others.
    """
    return [_describe(entry) for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name)]


def _describe(entry: Any) -> dict[str, Any]:
    parameters = {}
    try:
        factory = entry.load()
        text = inspect.getdoc(factory) or ""
        parameters = {
            name: parameter.default
            for name, parameter in inspect.signature(factory).parameters.items()
            if isinstance(parameter.default, (bool, int, float, str))
        }
    except Exception as error:
        text = f"cannot be loaded: {type(error).__name__}: {error}"
    origin = "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
    return {
        "name": entry.name,
        "description": text.split("\n", 1)[0],
        "parameters": parameters,
        "package": origin,
    }
