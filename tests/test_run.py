"""Training runs: begun, interrupted, killed, resumed, measured, and refused with a reason."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.policy import load_policy
from agents.ppo import PPO
from ra_env import Rules, batch
from ra_env.agent import AgentError, make_agent
from training.checkpoint import CheckpointError
from training.run import CHECKPOINT, CURVE, POLICY, Run, begin, resume, train, warm_up
from training.settings import Settings, SettingsError

pytestmark = pytest.mark.compiled

SMALL = Settings(
    decisions=4000,
    players=(2, 3),
    games=16,
    steps=24,
    batch=128,
    epochs=2,
    hidden=(32, 32),
    opponent_share=0.5,
    opponents=("random",),
    teacher="random",
    snapshot_every=2,
    snapshots=2,
    threads=1,
    precision="float32",
    evaluations=2,
    evaluation_games=6,
)


def weights(run: Run) -> np.ndarray:
    return np.concatenate([array.ravel() for array in run.learner.export().tensors().values()])


def without_time(curve: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in point.items() if k != "minutes"} for point in curve]


def after_updates(count: int) -> Any:
    """Asks to stop when it was asked so often."""
    asked = iter(range(count))
    return lambda: next(asked, None) is None


def test_a_run_leaves_a_policy_a_curve_and_a_checkpoint(tmp_path: Path) -> None:
    run = begin(SMALL, tmp_path / "run")
    train(run)
    assert run.learner.num_timesteps >= SMALL.decisions
    policy = load_policy(run.out / POLICY)
    assert policy.metadata["decisions"] == run.learner.num_timesteps
    assert Settings.from_dict(policy.metadata["settings"]) == SMALL
    points = json.loads((run.out / CURVE).read_text())["points"]
    assert [point["decisions"] for point in points] == sorted(p["decisions"] for p in points)
    assert len(points) == SMALL.evaluations + 1
    assert all(point["against"]["random"]["games"] == 6 for point in points)
    assert list((run.out / "tensorboard").glob("events*"))
    make_agent(str(run.out / POLICY))


def test_interrupted_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    """Also when the interruption falls into the time of the teacher, and after a warm-up."""
    through = begin(SMALL, tmp_path / "through")
    train(through)
    for stop in (1, 5):
        out = tmp_path / f"stopped{stop}"
        stopped = begin(SMALL, out)
        train(stopped, is_asked_to_stop=after_updates(stop))
        assert 0 < stopped.progress < 1
        torch.manual_seed(99)
        resumed = resume(out, {})
        warm_up(resumed)
        assert resumed.learner.num_timesteps == stopped.learner.num_timesteps
        train(resumed)
        np.testing.assert_array_equal(weights(resumed), weights(through))
        assert without_time(resumed.curve) == without_time(through.curve)


def test_the_teacher_comes_first_and_then_own_play(tmp_path: Path) -> None:
    """An update of the teacher's play collects no log-probabilities; own play does."""
    settings = replace(SMALL, teacher_share=0.5)
    run = begin(settings, tmp_path)
    imitated = []

    def watch(run: Run) -> None:
        imitated.append(not run.learner.rollout_buffer.log_probs.any())

    train(run, watch=watch)
    assert imitated == sorted(imitated, reverse=True)
    assert 0.3 < np.mean(imitated) < 0.7


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    out = tmp_path / "run"
    config = tmp_path / "run.toml"
    values = SMALL.to_dict() | {"decisions": 10**9, "checkpoint_minutes": 0.0}
    config.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items()))
    command = [sys.executable, "-m", "ra_env.cli", "train", "--config", config, "--out", out]
    log = (tmp_path / "log").open("w")
    with subprocess.Popen(command, stdout=log, stderr=log, env=os.environ) as process:
        while not (out / CHECKPOINT).exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)  # so that it is somewhere, often in the middle of writing
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, (tmp_path / "log").read_text()
    load_policy(out / POLICY)
    run = resume(out, {"decisions": 1})
    assert run.learner.num_timesteps > 0
    assert run.learner.updates > 0
    drafts = [path for path in out.iterdir() if path.name.startswith(".")]
    assert len(drafts) <= 1  # what was being written, beside what is there


def test_a_run_can_begin_with_a_policy(tmp_path: Path) -> None:
    first = begin(SMALL, tmp_path / "first")
    train(first, is_asked_to_stop=after_updates(1))
    path = tmp_path / "first" / POLICY
    settings = replace(SMALL, start=str(path), hidden=(8,))
    second = begin(settings, tmp_path / "second")
    assert second.settings.hidden == SMALL.hidden
    np.testing.assert_array_equal(weights(second), weights(first))
    with pytest.raises(SettingsError, match="trained with view 'memory', not 'table'"):
        begin(replace(settings, view="table", advice="none"), tmp_path / "third")
    with pytest.raises(SettingsError, match="needs advice 'heuristic', not 'none'"):
        begin(replace(settings, advice="none"), tmp_path / "third")


def test_a_policy_that_was_never_advised_plays_the_same_with_advice_at_first(
    tmp_path: Path,
) -> None:
    alone = begin(replace(SMALL, advice="none"), tmp_path / "alone")
    train(alone, is_asked_to_stop=after_updates(1))
    start = str(tmp_path / "alone" / POLICY)
    advised = begin(replace(SMALL, start=start), tmp_path / "advised")
    states, _ = batch.new_games(Rules(4), range(20))
    before, after = (PPO.of(run.learner.export()).evaluate(states) for run in (alone, advised))
    for mine, theirs in zip(before, after, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def test_what_cannot_be_trained_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="unknown agent 'nobody'"):
        begin(replace(SMALL, opponents=("nobody",)), tmp_path / "run")
    with pytest.raises(AgentError, match="unknown agent 'nobody'"):
        begin(replace(SMALL, teacher="nobody"), tmp_path / "run")
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        resume(tmp_path / "run", {})
    assert not (tmp_path / "run").exists()


def test_a_folder_holds_one_run_and_its_settings_stay(tmp_path: Path) -> None:
    run = begin(SMALL, tmp_path)
    train(run, is_asked_to_stop=after_updates(1))
    with pytest.raises(SettingsError, match=r"holds a run already; go on with it \(--resume\)"):
        begin(SMALL, tmp_path)
    with pytest.raises(SettingsError, match="players is fixed when a run begins"):
        resume(tmp_path, {"players": (4,)})
    assert resume(tmp_path, {"decisions": 9000}).settings == replace(SMALL, decisions=9000)
    whole = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CheckpointError, match="not a checkpoint, or is damaged"):
        resume(tmp_path, {})
