"""The agent that plays a policy file: legal, repeatable, and as the network says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.advice import INPUT_SIZE, POSITION_SIZE
from agents.lookahead import Lookahead
from agents.policy import Policy, PolicyError, load_policy, save_policy
from agents.ppo import PPO
from ra_env import NUM_ACTIONS, Game, Rules, batch
from ra_env.agent import Advisor, AgentError, BatchAgent, make_agent
from ra_env.layout import OVER, PHASE, TURN
from ra_env.rules import MAX_PLAYERS
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


def ahead(path: Path) -> Policy:
    """The policy with a network that says what positions are worth."""
    rng = np.random.default_rng(2)
    weight = rng.normal(size=(MAX_PLAYERS, POSITION_SIZE)).astype(np.float32)
    return replace(load_policy(path), worth=[(weight, np.zeros(MAX_PLAYERS, np.float32))])


def test_who_looks_ahead_prefers_what_leaves_more(path: Path) -> None:
    """An action that leaves a chance greater by 1 / 80 has e times the odds that it had."""
    policy = ahead(path)
    states, words = batch.new_games(Rules(3), range(20))
    batch.step(states, words, np.zeros(20, np.int64))
    for state in states[states[:, PHASE] == TURN]:
        legal = np.flatnonzero(batch.legal_masks(state[None])[0])
        alone, both = (PPO.of(p).preferences(state)[legal] for p in (load_policy(path), policy))
        worths = Lookahead(policy.worth).worths(state[None])[0, legal]
        wanted = alone * np.exp(80 * (worths - worths.max()))
        np.testing.assert_allclose(both, wanted / wanted.sum(), rtol=1e-2, atol=1e-6)


def test_looking_ahead_can_be_left_out(path: Path, tmp_path: Path) -> None:
    policy, file = ahead(path), tmp_path / "ahead.safetensors"
    save_policy(file, policy.tensors(), policy.metadata)
    states, _ = batch.new_games(Rules(4), range(20))
    batch.step(states, np.arange(20, dtype=np.uint64), np.zeros(20, np.int64))
    without, looking = make_agent(f"{file}:ahead=false"), make_agent(str(file))
    assert isinstance(without, PPO)
    assert isinstance(looking, PPO)
    plain = PPO(str(path)).evaluate(states)[0]
    np.testing.assert_array_equal(without.evaluate(states)[0], plain)
    assert (looking.evaluate(states)[0] != plain).any()


def test_whole_games_are_played_looking_ahead(path: Path) -> None:
    agent = PPO.of(ahead(path))
    states, words = batch.new_games(Rules(5), range(10))
    actions = np.zeros(10, np.int64)
    while (states[:, PHASE] != OVER).any():
        agent.act_batch(states, words, actions)
        alone = [agent.act(state, word) for state, word in zip(states[:2], words, strict=False)]
        assert alone == actions[:2].tolist()
        batch.step(states, words, actions)


def test_the_file_keeps_the_second_network(path: Path, tmp_path: Path) -> None:
    policy, file = ahead(path), tmp_path / "ahead.safetensors"
    save_policy(file, policy.tensors(), policy.metadata)
    np.testing.assert_array_equal(load_policy(file).worth[0][0], policy.worth[0][0])
    save_policy(file, policy.tensors() | {"worth.0.bias": np.zeros(4, np.float32)}, {})
    with pytest.raises(PolicyError):
        load_policy(file)
    fewer = replace(policy, worth=[(policy.worth[0][0][:4], np.zeros(4, np.float32))])
    save_policy(file, fewer.tensors(), policy.metadata)
    with pytest.raises(PolicyError, match="worth has 4 outputs, not 5"):
        load_policy(file)


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
