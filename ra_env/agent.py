"""What an agent is, and finding one by its name.

An agent is a function of a row and a random word: it sees what a player with perfect memory knows,
and all its luck comes from outside. So the same words give the same game, in one process or in
many, and no agent can look into the bag.

Agents are found through the entry-point group `ra_env.agents`, in which the bundled ones stand like
anybody else's: `make_agent("heuristic")`, `make_agent("mcts:sims=1000,c=1.2")`. A path to a
`.safetensors` file is a name too: that of a trained policy.
"""

import inspect
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ra_env.errors import shown
from ra_env.layout import State

GROUP = "ra_env.agents"
POLICY_SUFFIX = ".safetensors"
POLICY_AGENT = "ppo"
"""The agent that plays a policy file."""
_KINDS = {bool: "true or false", int: "a whole number", float: "a number"}


class AgentError(ValueError):
    """There is no such agent, or not with these parameters."""


class Agent(Protocol):
    """Decides for the seat on turn."""

    def act(self, state: State, word: np.uint64) -> int:
        """A legal action in `state`. `word` is a random word of this decision's own."""
        ...


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that decides in many games at once."""

    def act(self, state: State, word: np.uint64) -> int:
        """A legal action in `state`."""
        ...

    def act_batch(
        self, states: NDArray[np.int16], words: NDArray[np.uint64], out: NDArray[np.int64]
    ) -> None:
        """Write a legal action for each row into `out`, as `act` would choose it."""
        ...


@runtime_checkable
class Advisor(Protocol):
    """An agent that can say how much it likes each action."""

    def preferences(self, state: State) -> NDArray[np.float64]:
        """A number for each of the 54 actions, larger is better; -inf where it is not legal."""
        ...


def act_batch(
    agent: Agent,
    states: NDArray[np.int16],
    words: NDArray[np.uint64],
    out: NDArray[np.int64],
) -> None:
    """The agent's actions for all rows: at once if it can, otherwise one by one."""
    if isinstance(agent, BatchAgent):
        agent.act_batch(states, words, out)
    else:
        for game in range(len(states)):
            out[game] = agent.act(states[game], words[game])


def make_agent(name: str) -> Agent:
    """The agent of a name like `heuristic`, `mcts:sims=1000,c=1.2` or `runs/mine.safetensors`."""
    if not isinstance(name, str) or not name.strip():
        raise AgentError(f"an agent is given by its name, not by {name!r}; {_known()}")
    entries = _entries()
    whole, path = name.strip(), {}
    name, _, text = whole.partition(":")
    if name not in entries and POLICY_SUFFIX in whole:
        # A path may have a colon of its own: its parameters come after the ending.
        stem, suffix, text = whole.rpartition(POLICY_SUFFIX)
        name, path, text = POLICY_AGENT, {"path": stem + suffix}, text.removeprefix(":")
    parameters = path | _parse_parameters(name, text)
    found = entries.get(name)
    if found is None:
        raise AgentError(f"unknown agent {name!r}; {_known()}")
    factory = found.load()
    agent: Agent = factory(**_converted(name, factory, parameters))
    return agent


def checked_opponent(opponent: Any) -> Agent:
    """An opponent given as an agent or by its name."""
    if isinstance(opponent, str):
        return make_agent(opponent)
    if isinstance(opponent, type) or not callable(getattr(opponent, "act", None)):
        raise AgentError(f"an opponent is an agent or its name, not {shown(opponent)}")
    agent: Agent = opponent
    return agent


def list_agents() -> dict[str, str]:
    """The agents that can be made: name and first line of their description."""
    described = {}
    for name, entry in sorted(_entries().items()):
        try:
            text = inspect.getdoc(entry.load()) or ""
        except ImportError as error:
            text = f"cannot be loaded: {error}"
        described[name] = text.split("\n", 1)[0]
    return described


def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _known() -> str:
    return f"known agents: {', '.join(sorted(_entries())) or 'none'}"


def _parse_parameters(name: str, text: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in filter(str.strip, text.split(",")):
        key, _, value = (side.strip() for side in part.partition("="))
        if not key or not value:
            raise AgentError(
                f"cannot read {part!r}; parameters look like {name}:key=value,key=value"
            )
        if key in parameters:
            raise AgentError(f"parameter {key!r} of agent {name!r} is given twice")
        parameters[key] = value
    return parameters


def _converted(
    name: str, factory: Callable[..., Any], parameters: dict[str, str]
) -> dict[str, Any]:
    """The parameters as the types of the factory's defaults; texts where there is no default."""
    allowed = inspect.signature(factory).parameters
    needed = [key for key, p in allowed.items() if p.default is p.empty and key not in parameters]
    unknown = [key for key in parameters if key not in allowed]
    if needed or unknown:
        problem = f"needs {needed[0]!r}" if needed else f"has no parameter {unknown[0]!r}"
        listed = ", ".join(str(p.replace(annotation=p.empty)) for p in allowed.values()) or "none"
        raise AgentError(f"agent {name!r} {problem}; parameters: {listed}")
    converted: dict[str, Any] = {}
    for key, text in parameters.items():
        kind = type(allowed[key].default)
        try:
            converted[key] = _convert(text, kind)
        except ValueError:
            raise AgentError(
                f"parameter {key!r} of agent {name!r} must be {_KINDS[kind]}, not {text!r}"
            ) from None
    return converted


def _convert(text: str, kind: type) -> Any:
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError
        return text.lower() == "true"
    if kind in (int, float):
        return kind(text)
    return text
