"""Agents are found by name, made with their parameters, and asked for one game or many."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ra_env.agent
from ra_env.agent import Advisor, AgentError, BatchAgent, act_batch, list_agents, make_agent


class Drawing:
    """Always draws.

    This line is not part of the description.
    """

    def act(self, state: np.ndarray, word: np.uint64) -> int:
        return 0


class Tuned:
    """Takes parameters of every type."""

    def __init__(
        self, sims: int = 10, c: float = 1.5, greedy: bool = False, path: str = "none"
    ) -> None:
        self.given = (sims, c, greedy, path)

    def act(self, state: np.ndarray, word: np.uint64) -> int:
        return 0


def strict(depth: int, sims: int = 1) -> Drawing:
    """Cannot be made without a parameter."""
    return Drawing()


def describeless() -> Drawing:
    return Drawing()


class FakeEntry:
    """An entry point, as an installed package would have it."""

    def __init__(self, name: str, factory: Callable[..., Any]) -> None:
        self.name = name
        self.factory = factory

    def load(self) -> Callable[..., Any]:
        return self.factory


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five agents are installed, whatever the environment of the test has."""
    groups = {
        "ra_env.agents": [
            FakeEntry("tuned", Tuned),
            FakeEntry("drawing", Drawing),
            FakeEntry("plain", describeless),
            FakeEntry("ppo", Tuned),
            FakeEntry("strict", strict),
        ]
    }
    monkeypatch.setattr(ra_env.agent, "entry_points", lambda group: groups[group])


def test_a_name_makes_a_new_agent_each_time() -> None:
    """Names with and without space around them."""
    assert isinstance(make_agent("drawing"), Drawing)
    assert isinstance(make_agent("  drawing "), Drawing)
    assert make_agent("drawing") is not make_agent("drawing")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("tuned", (10, 1.5, False, "none")),
        ("tuned:sims=500", (500, 1.5, False, "none")),
        ("tuned: sims=500 , c=2 ", (500, 2.0, False, "none")),
        ("tuned:greedy=TRUE,path=a b/c.npz", (10, 1.5, True, "a b/c.npz")),
        ("tuned:greedy=false,c=1e-3", (10, 0.001, False, "none")),
        ("runs/mine.safetensors", (10, 1.5, False, "runs/mine.safetensors")),
        ("C:/mine.safetensors", (10, 1.5, False, "C:/mine.safetensors")),
        ("ppo:path=a.safetensors,sims=4", (4, 1.5, False, "a.safetensors")),
        ("runs/mine.safetensors:sims=3", (3, 1.5, False, "runs/mine.safetensors")),
    ],
)
def test_parameters_get_the_type_of_their_default(name: str, given: tuple[Any, ...]) -> None:
    """Texts become int, float, bool or stay texts; a policy file is the ppo agent's path."""
    made = make_agent(name)
    assert isinstance(made, Tuned)
    assert made.given == given
    assert [type(value) for value in made.given] == [int, float, bool, str]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("best", "unknown agent 'best'; known agents: drawing, plain, ppo, strict, tuned"),
        ("", "given by its name, not by ''; known agents: drawing, plain, ppo, strict, tuned"),
        (7, "given by its name, not by 7; known agents: drawing"),
        (None, "given by its name, not by None"),
        ("drawing:sims=3", "agent 'drawing' has no parameter 'sims'; parameters: none"),
        (
            "tuned:sim=3",
            "no parameter 'sim'; parameters: sims=10, c=1.5, greedy=False, path='none'",
        ),
        ("strict", "agent 'strict' needs 'depth'; parameters: depth, sims=1"),
        ("tuned:c=1,c=2", "parameter 'c' of agent 'tuned' is given twice"),
        ("tuned:sims", "cannot read 'sims'; parameters look like tuned:key=value,key=value"),
        ("tuned:sims=", "cannot read 'sims='"),
        ("tuned:=3", "cannot read '=3'"),
        ("tuned:sims=many", "parameter 'sims' of agent 'tuned' must be a whole number, not 'many'"),
        ("tuned:sims=1.5", "parameter 'sims' of agent 'tuned' must be a whole number, not '1.5'"),
        ("tuned:c=x", "parameter 'c' of agent 'tuned' must be a number, not 'x'"),
        ("tuned:greedy=1", "parameter 'greedy' of agent 'tuned' must be true or false, not '1'"),
    ],
)
def test_a_wrong_name_is_told_what_there_is(name: Any, message: str) -> None:
    """Every mistake is named, and the error lists what would have been right."""
    with pytest.raises(AgentError) as error:
        make_agent(name)
    assert message in str(error.value)


def test_without_any_agent_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty list reads as a sentence too."""
    monkeypatch.setattr(ra_env.agent, "entry_points", lambda group: [])
    with pytest.raises(AgentError, match="unknown agent 'random'; known agents: none"):
        make_agent("random")


def test_the_list_has_names_in_order_and_first_lines() -> None:
    """What there is, with one line each."""
    assert list_agents() == {
        "drawing": "Always draws.",
        "plain": "",
        "ppo": "Takes parameters of every type.",
        "strict": "Cannot be made without a parameter.",
        "tuned": "Takes parameters of every type.",
    }


def test_an_agent_that_cannot_be_loaded_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An agent may need a package that is not installed."""

    class Broken(FakeEntry):
        def load(self) -> Callable[..., Any]:
            raise ImportError("No module named 'tensors'")

    entries = [Broken("broken", Drawing), FakeEntry("drawing", Drawing)]
    monkeypatch.setattr(ra_env.agent, "entry_points", lambda group: entries)
    assert list_agents() == {
        "broken": "cannot be loaded: No module named 'tensors'",
        "drawing": "Always draws.",
    }


def test_act_batch_asks_one_by_one_if_the_agent_cannot_do_more() -> None:
    """Each game's own row and word reach the agent, in order."""

    class Echo:
        def act(self, state: np.ndarray, word: np.uint64) -> int:
            return int(state[0]) + int(word)

    states = np.arange(6, dtype=np.int16).reshape(3, 2)
    out = np.full(3, -1)
    agent = Echo()
    assert not isinstance(agent, BatchAgent)
    act_batch(agent, states, np.array([10, 20, 30], dtype=np.uint64), out)
    assert out.tolist() == [10, 22, 34]


def test_act_batch_asks_once_if_the_agent_can() -> None:
    """An agent that decides for all games at once is not asked game by game."""

    class AtOnce:
        def act(self, state: np.ndarray, word: np.uint64) -> int:
            raise AssertionError("asked one by one")

        def act_batch(self, states: np.ndarray, words: np.ndarray, out: np.ndarray) -> None:
            out[:] = states[:, 1]

    states = np.arange(6, dtype=np.int16).reshape(3, 2)
    out = np.full(3, -1)
    agent = AtOnce()
    assert isinstance(agent, BatchAgent)
    assert not isinstance(agent, Advisor)
    act_batch(agent, states, np.zeros(3, dtype=np.uint64), out)
    assert out.tolist() == [1, 3, 5]
