"""Learning the answers of a search: they are learnt, and habits are kept."""

from pathlib import Path

import numpy as np
import pytest

from agents.advice import INPUT_SIZE
from agents.mcts import MCTS
from agents.policy import Policy, load_policy, save_policy, with_advice
from agents.ppo import PPO
from ra_env import NUM_ACTIONS, Rules, batch
from ra_env.observation import OBSERVATION_SIZE
from training import study
from training.answers import Answers, ask, probabilities, save_answers
from training.study import Habits, habits_of

pytestmark = pytest.mark.compiled


def network(advice: str, inputs: int, sureness: float = 3.0) -> Policy:
    """Random weights; the larger, the surer it is of what it does."""
    rng = np.random.default_rng(1)

    def layer(outputs: int, inputs: int, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        weight = scale * rng.normal(size=(outputs, inputs)) / inputs**0.5
        return weight.astype(np.float32), np.zeros(outputs, np.float32)

    head = layer(NUM_ACTIONS, 64, sureness)
    return Policy([layer(64, inputs)], head, layer(1, 64), {"view": "memory", "advice": advice})


@pytest.fixture(scope="module")
def policy() -> Policy:
    return network("heuristic", INPUT_SIZE)


@pytest.fixture(scope="module")
def answers(policy: Policy) -> Answers:
    asked = ask(PPO.of(policy), MCTS(sims=20), seed=1)
    parts = [next(asked) for _ in range(150)]
    return Answers(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


@pytest.fixture
def habits(monkeypatch: pytest.MonkeyPatch) -> Habits:
    monkeypatch.setattr(study, "FIRST_STEPS", 2)
    monkeypatch.setattr(study, "GAMES", 64)
    return habits_of(network("heuristic", INPUT_SIZE, sureness=1000.0), 300, seed=3)


def choices(policy: Policy, rows: np.ndarray) -> np.ndarray:
    return probabilities(PPO.of(policy), rows).argmax(axis=1)


def test_habits_are_what_the_policy_is_sure_of(habits: Habits) -> None:
    assert len(habits.rows) == len(habits.chances) == 300
    assert (habits.chances.max(axis=1) >= 0.97).all()
    sure = network("heuristic", INPUT_SIZE, sureness=1000.0)
    np.testing.assert_allclose(
        probabilities(PPO.of(sure), habits.rows), habits.chances, rtol=1e-3, atol=1e-5
    )


def test_a_policy_without_habits_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_STEPS", "PATIENCE"):
        monkeypatch.setattr(study, name, 2)
    monkeypatch.setattr(study, "GAMES", 64)
    with pytest.raises(ValueError, match="is never sure"):
        habits_of(network("heuristic", INPUT_SIZE, sureness=0.0), 300, seed=3)


def test_answers_are_learnt_and_habits_kept(
    policy: Policy, answers: Answers, habits: Habits
) -> None:
    before = (choices(policy, answers.rows) == answers.actions).mean()
    better = study.study(policy, answers, habits, passes=60, seed=0)
    assert (choices(better, answers.rows) == answers.actions).mean() > max(before + 0.1, 0.8)
    wanted = habits.chances.argmax(axis=1)
    assert (choices(better, habits.rows) == wanted).mean() > 0.85
    again = study.study(policy, answers, habits, passes=60, seed=0)
    np.testing.assert_allclose(again.policy[0], better.policy[0], rtol=1e-4, atol=1e-6)


def test_the_value_fits_how_games_end() -> None:
    """Whatever the value was before: on average each seat of two is worth a half."""
    fitted = study.with_value(network("heuristic", INPUT_SIZE), 64, seed=0)
    states, _ = batch.new_games(Rules(2), range(200))
    assert PPO.of(fitted).evaluate(states)[1].mean() == pytest.approx(0.5, abs=0.15)
    states, _ = batch.new_games(Rules(5), range(200))
    assert PPO.of(fitted).evaluate(states)[1].mean() == pytest.approx(0.2, abs=0.15)


def test_what_is_paid_on_the_way_is_refused() -> None:
    policy = network("heuristic", INPUT_SIZE)
    policy.metadata["settings"] = {"reward": "score"}
    with pytest.raises(ValueError, match="the policy is paid by score"):
        study.with_value(policy, 8, seed=0)


def test_more_at_stake_counts_more() -> None:
    weights = study.weights_of(np.array([-0.1, 0.0, 0.02, 0.04, 1.0], np.float32))
    assert weights.mean() == pytest.approx(1)
    np.testing.assert_allclose(weights / weights[2], [0.1, 0.1, 1, 2, 4], rtol=1e-5)


def test_advice_that_is_new_changes_nothing_at_first() -> None:
    alone = network("none", OBSERVATION_SIZE)
    advised = with_advice(alone)
    assert advised.adviser == "heuristic"
    assert with_advice(advised) is advised
    states, _ = batch.new_games(Rules(4), range(20))
    for mine, theirs in zip(
        PPO.of(alone).evaluate(states), PPO.of(advised).evaluate(states), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-5)


def test_the_command_writes_a_policy(
    answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "FIRST_STEPS", 2)
    monkeypatch.setattr(study, "VALUE_GAMES", 8)
    policy = network("heuristic", INPUT_SIZE, sureness=1000.0)
    start, out = tmp_path / "start.safetensors", tmp_path / "better.safetensors"
    save_policy(start, policy.tensors(), policy.metadata)
    save_answers(tmp_path / "0-0.npz", [answers])
    arguments = [str(start), "--answers", str(tmp_path), "--out", str(out)]
    study.main([*arguments, "--passes", "1", "--habits", "50", "--threads", "1"])
    assert load_policy(out).metadata["study"]["answers"] == len(answers.actions)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["--passes", "0"], "passes, habits and threads must be at least 1"),
        (["--out", "nowhere/better.safetensors"], "there is no folder nowhere"),
        (["--answers", "nothing"], "there are no answers in nothing"),
    ],
)
def test_what_cannot_be_studied_is_named(
    policy: Policy,
    changes: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    start, out = tmp_path / "start.safetensors", tmp_path / "better.safetensors"
    save_policy(start, policy.tensors(), policy.metadata)
    arguments = [str(start), "--answers", str(tmp_path), "--out", str(out)]
    with pytest.raises(SystemExit):
        study.main([*arguments, *changes])
    assert message in capsys.readouterr().err
    assert not out.exists()
