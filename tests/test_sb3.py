"""`RaVecEnv` is what Stable-Baselines3 expects of a `VecEnv`, and MaskablePPO learns on it."""

import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize
from test_selfplay import random_actions

from ra_env import Rules, batch
from ra_env.observation import OBSERVATION_SIZE
from ra_env.sb3 import RaVecEnv
from ra_env.vector import RaVectorEnv

pytestmark = pytest.mark.compiled

ONE_EPOCH = Rules(2, epochs=1)
"""Short games, so that many end."""


def play(env: VecEnv, steps: int) -> list[tuple[Any, ...]]:
    """Everything that so many steps with random legal actions bring."""
    rng = np.random.default_rng(0)
    return [env.step(random_actions(get_action_masks(env), rng)) for _ in range(steps)]


# --- what a VecEnv has to do ---------------------------------------------------------------------


def test_spaces_types_and_infos(num_players: int) -> None:
    """Arrays of the right shape and type, and a dictionary of its own for each game."""
    env = RaVecEnv(5, num_players, seed=0)
    assert env.reset().shape == (5, OBSERVATION_SIZE)
    for observations, rewards, dones, infos in play(env, 40):
        assert observations.dtype == rewards.dtype == np.float32
        assert all(env.observation_space.contains(observation) for observation in observations)
        assert rewards.shape == dones.shape == (5,)
        assert dones.dtype == np.bool_
        assert len({id(info) for info in infos}) == 5
        assert not any(info["TimeLimit.truncated"] for info in infos)
        assert [("terminal_observation" in info) for info in infos] == dones.tolist()
    env.close()


def test_the_same_games_as_the_gymnasium_environment() -> None:
    """The same seeds and actions give the same steps; the ends are told in the words of SB3."""
    ours, other = RaVecEnv(6, rules=ONE_EPOCH), RaVectorEnv(6, rules=ONE_EPOCH)
    seeds = ours.seed(5)
    wanted, infos = other.reset(seed=seeds)
    assert (ours.reset() == wanted).all()
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(60):
        actions = random_actions(infos["action_mask"], rng)
        observations, rewards, dones, listed = ours.step(actions)
        wanted, wanted_rewards, wanted_dones, _, infos = other.step(actions)
        assert (observations == wanted).all()
        assert (rewards == wanted_rewards).all()
        assert (dones == wanted_dones).all()
        for i in np.flatnonzero(dones):
            final, ends = infos["final_info"], ends + 1
            assert (listed[i]["terminal_observation"] == infos["final_obs"][i]).all()
            assert listed[i]["scores"] == final["scores"][i, :2].tolist()
            for key in ("seat", "rank", "illegal_action"):
                assert listed[i][key] == final[key][i]
    assert ends > 0


def test_masks() -> None:
    """`env_method("action_masks")` gives one row for each game, as sb3-contrib asks for them."""
    env = RaVecEnv(300, [2, 5], seed=1)
    env.reset()
    assert is_masking_supported(env)
    play(env, 20)
    masks = get_action_masks(env)
    assert masks.shape == (300, 54)
    assert masks.dtype == np.bool_
    assert (masks == batch.legal_masks(env.games.states)).all()
    some = env.env_method("action_masks", indices=[7, 2])
    assert (np.stack(some) == masks[[7, 2]]).all()
    assert (env.env_method("action_masks", indices=3)[0] == masks[3]).all()
    some[0][:] = False
    assert (get_action_masks(env) == masks).all()


def test_seeds() -> None:
    """`seed` and the argument decide the games of the next `reset`; after it, luck goes on."""

    def first(env: RaVecEnv) -> NDArray[np.float32]:
        observations: NDArray[np.float32] = env.reset()
        return observations

    one, two = RaVecEnv(8, seed=3), RaVecEnv(8, seed=3)
    start = first(one)
    assert (first(two) == start).all()
    assert (first(one) == first(two)).all()
    seeds = one.seed(4)
    assert len(set(seeds)) == 8
    assert two.seed(4) == seeds
    again = first(one)
    assert (again == first(two)).all()
    assert (again != start).any(axis=1).all()
    assert one.seed() != one.seed()


def test_attributes_belong_to_all_games() -> None:
    """Attributes can be read for some games and set for all; there are no others."""
    env = RaVecEnv(4, seed=0)
    assert env.get_attr("render_mode") == [None] * 4
    assert env.get_attr("games", indices=[0, 2]) == [env.games] * 2
    assert env.has_attr("action_masks")
    assert not env.has_attr("something")
    env.set_attr("note", 7)
    assert env.get_attr("note", indices=1) == [7]
    with pytest.raises(ValueError, match="'note' belongs to all games together"):
        env.set_attr("note", 8, indices=[0, 1])
    with pytest.raises(AttributeError, match="not fly"):
        env.env_method("fly")
    assert env.env_is_wrapped(Monitor) == [False] * 4
    assert env.env_is_wrapped(Monitor, indices=2) == [False]


def test_wrappers() -> None:
    """`VecMonitor` adds up each episode, beside `VecNormalize`; masks come through both."""
    env = VecMonitor(VecNormalize(RaVecEnv(16, rules=ONE_EPOCH, reward="score"), norm_reward=False))
    env.seed(0)
    env.reset()
    ends = [info for *_, infos in play(env, 60) for info in infos if "episode" in info]
    assert len(ends) > 16
    for info in ends:
        assert info["episode"]["r"] == info["scores"][info["seat"]] - 10
        assert info["episode"]["l"] > 0


# --- learning ------------------------------------------------------------------------------------


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Small networks are no faster on several threads, and slower where others want them too."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_maskable_ppo_learns_to_beat_random_players() -> None:
    """After a short training the learner wins about six of ten games of four; at random it would
    win a quarter. Not one game ends by an illegal action: the masks are used throughout."""
    model = MaskablePPO(
        "MlpPolicy",
        VecMonitor(RaVecEnv(128, 4, seed=0)),
        n_steps=32,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        seed=0,
        device="cpu",
    )
    model.learn(40_000)
    games: list[dict[str, Any]] = []
    rewards, _ = evaluate_policy(
        model,
        VecMonitor(RaVecEnv(256, 4, seed=1)),
        n_eval_episodes=256,
        deterministic=False,
        return_episode_rewards=True,
        callback=lambda now, _: games.extend([now["info"]] if now["done"] else []),
    )
    assert len(games) >= 256
    assert not any(info["illegal_action"] for info in games)
    assert np.mean([info["rank"] == 0 for info in games]) > 0.45
    assert np.mean(rewards) > 0.3


@pytest.mark.usefixtures("one_thread")
def test_the_example_of_training_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It trains for a moment, judges and saves what it has learned."""
    example = Path(__file__).resolve().parent.parent / "examples" / "train_vector_sb3.py"
    monkeypatch.chdir(tmp_path)
    few = ["--steps", "1", "--envs", "8", "--games", "8"]
    monkeypatch.setattr(sys, "argv", [str(example), *few])
    runpy.run_path(str(example), run_name="__main__")
    assert re.search(r"won \d+\.\d% of 8 games against three random", capsys.readouterr().out)
    assert (tmp_path / "ra_ppo_vector.zip").is_file()
