"""The agent that plays a policy file: legal, repeatable, and as the network says."""

from pathlib import Path

import numpy as np
import pytest

from agents.advice import INPUT_SIZE
from agents.policy import PolicyError, save_policy
from agents.ppo import PPO
from ra_env import NUM_ACTIONS, Game, Rules, batch
from ra_env.agent import Advisor, AgentError, BatchAgent, make_agent
from ra_env.layout import OVER, PHASE
from training.measure import win_rates

pytestmark = pytest.mark.compiled

WORDS = np.arange(30, dtype=np.uint64)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A network of random weights: it has opinions on everything."""
    rng = np.random.default_rng(1)
    sizes = {"trunk.0": (16, INPUT_SIZE), "policy": (NUM_ACTIONS, 16), "value": (1, 16)}
    tensors = {}
    for name, shape in sizes.items():
        tensors[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
        tensors[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    file = tmp_path / "policy.safetensors"
    save_policy(file, tensors, {"view": "memory", "advice": "heuristic"})
    return file


@pytest.mark.parametrize("mode", ["greedy", "sample"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games_are_played_with_legal_actions(path: Path, players: int, mode: str) -> None:
    agent = PPO(str(path), mode)
    assert isinstance(agent, BatchAgent)
    states, words = batch.new_games(Rules(players), range(30))
    actions = np.zeros(30, np.int64)
    while (states[:, PHASE] != OVER).any():
        agent.act_batch(states, WORDS + np.uint64(states[0, 5]), actions)
        batch.step(states, words, actions)


@pytest.mark.parametrize("mode", ["greedy", "sample"])
def test_one_decision_is_the_same_alone_and_among_many(path: Path, mode: str) -> None:
    agent = PPO(str(path), mode)
    states, _ = batch.new_games(Rules(4), range(30))
    together = np.zeros(30, np.int64)
    agent.act_batch(states, WORDS, together)
    alone = [agent.act(state, word) for state, word in zip(states, WORDS, strict=True)]
    assert alone == together.tolist()


def test_sampling_follows_the_probabilities(path: Path) -> None:
    game = Game(4, seed=1)
    agent = PPO(str(path), "sample")
    assert isinstance(agent, Advisor)
    liked = agent.preferences(game.state)
    legal = game.legal_actions()
    assert liked[legal].sum() == pytest.approx(1)
    assert np.isneginf(np.delete(liked, legal)).all()
    states = np.repeat(game.state[None], 4000, axis=0)
    actions = np.zeros(4000, np.int64)
    agent.act_batch(states, np.arange(4000, dtype=np.uint64), actions)
    for action in legal:
        share = liked[action]
        error = 4 * (share * (1 - share) / 4000) ** 0.5
        assert abs((actions == action).mean() - share) <= error + 1e-9


def test_the_path_is_a_name_in_every_tool(path: Path) -> None:
    agent = make_agent(f"{path}:mode=sample")
    assert isinstance(agent, PPO)
    assert agent.mode == "sample"
    assert isinstance(make_agent(f"ppo:path={path}"), PPO)


def test_what_cannot_be_played_is_named(path: Path, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="unknown mode 'best'; modes: greedy, sample"):
        make_agent(f"{path}:mode=best")
    with pytest.raises(PolicyError, match="there is no policy file"):
        make_agent(str(tmp_path / "other.safetensors"))


def test_the_bundled_policy_says_where_it_comes_from() -> None:
    agent = make_agent("ppo")
    assert isinstance(agent, PPO)
    assert {"settings", "decisions", "minutes", "versions"} <= agent.policy.metadata.keys()


@pytest.mark.parametrize("players", [2, 4])
def test_the_bundled_policy_beats_the_heuristic(players: int) -> None:
    """Its fair share is 50 % and 25 %; it wins far more, so few games are enough."""
    rates = win_rates(make_agent("ppo"), players, 200)
    assert rates["heuristic"]["ci95"][0] > 1 / players
    assert rates["random"]["win_rate"] > 0.97
