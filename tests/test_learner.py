"""Self-play with MaskablePPO: what is collected, that it learns, and that it goes on exactly."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.advice import INPUT_SIZE, POSITION_SIZE
from agents.policy import PolicyError, load_policy, save_policy
from ra_env import NUM_ACTIONS, Rules, batch
from ra_env.layout import OVER, PHASE, SEAT
from ra_env.observation import OBSERVATION_SIZE, observe
from ra_env.scoring import rank
from training.checkpoint import CheckpointError, read_checkpoint, restore, save_checkpoint
from training.learner import SelfPlayPPO
from training.settings import Settings

pytestmark = pytest.mark.compiled

SMALL = Settings(
    decisions=1,
    players=(2, 3),
    games=16,
    steps=24,
    batch=128,
    epochs=2,
    hidden=(32, 32),
    opponent_share=0.5,
    opponents=("random",),
    snapshot_every=2,
    snapshots=2,
    threads=1,
    precision="float32",
    teacher="random",
)

FACTS = {"view": "memory", "advice": "heuristic"}


def update(learner: SelfPlayPPO, count: int) -> None:
    """So many rollouts, each with its update."""
    for _ in range(count):
        learner.update()


def weights(learner: SelfPlayPPO) -> np.ndarray:
    return np.concatenate([p.detach().numpy().ravel() for p in learner.policy.parameters()])


def test_samples_are_the_learners_decisions_and_always_a_choice() -> None:
    learner = SelfPlayPPO(SMALL)
    update(learner, 5)
    rollout = learner.rollout_buffer
    share = rollout.is_sample.mean()
    assert 0.5 < share < 1.0  # in half of the games one seat of two or three is the learner's
    rows = np.arange(SMALL.games) >= learner.opponents.rows
    assert rollout.is_sample[:, rows].all()
    assert (rollout.masks.sum(axis=2) > 1).all()
    chosen = np.take_along_axis(rollout.masks, rollout.actions[..., None], axis=2)
    assert chosen.all()


def test_batches_hold_every_sample_once_with_its_own_numbers() -> None:
    learner = SelfPlayPPO(SMALL)
    update(learner, 3)
    rollout = learner.rollout_buffer
    seen = torch.cat([part.returns for part in rollout.get(50)]).numpy()
    np.testing.assert_allclose(np.sort(seen), np.sort(rollout.returns), rtol=1e-6)
    assert len(seen) == len(rollout) == rollout.is_sample.sum()


def test_points_are_paid_as_parts_of_twenty() -> None:
    """Whoever is paid in points learns numbers of the same size as whoever is paid for places."""
    paid = {}
    for reward in ("placement", "score"):
        learner = SelfPlayPPO(replace(SMALL, reward=reward, opponent_share=0.0, steps=400))
        learner.update()
        paid[reward] = learner.rollout_buffer.rewards
    points = 20 * paid["score"]
    np.testing.assert_allclose(points, points.round(), atol=1e-4)
    assert np.abs(points).max() > 5
    assert 0.5 < np.abs(paid["score"]).max() < 5
    assert np.abs(paid["placement"]).max() == 1


def test_probabilities_are_those_that_the_loss_will_compute() -> None:
    """Otherwise the first gradient step would already take the policy for another one."""
    learner = SelfPlayPPO(replace(SMALL, opponent_share=0.0, learning_rate=1e-9))
    learner.update()
    rollout = learner.rollout_buffer
    steps = slice(0, 10)
    values, log_probs, _ = learner.policy.evaluate_actions(
        torch.from_numpy(rollout.observations[steps].reshape(-1, learner.input_size)),
        torch.from_numpy(rollout.actions[steps].ravel()),
        torch.from_numpy(rollout.masks[steps].reshape(-1, NUM_ACTIONS)),
    )
    np.testing.assert_allclose(
        log_probs.detach(), rollout.log_probs[steps].ravel(), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(
        values.detach()[:, 0], rollout.all_values[steps].ravel(), rtol=1e-4, atol=1e-5
    )


def test_the_network_gets_the_advice_of_the_seat_that_it_decides_for() -> None:
    learner = SelfPlayPPO(SMALL)
    learner.update()
    rollout = learner.rollout_buffer
    actions = rollout.observations[..., POSITION_SIZE : POSITION_SIZE + NUM_ACTIONS]
    assert (actions.max(axis=2)[rollout.is_sample] == 1).all()  # the heuristic's favourite
    assert not actions[rollout.masks == 0].any()
    alone = SelfPlayPPO(replace(SMALL, advice="none"))
    alone.update()
    assert alone.rollout_buffer.observations.shape[2] == OBSERVATION_SIZE


def test_advice_goes_to_networks_alone() -> None:
    """Agents do without: where one is on turn, nothing stands behind the observation."""
    learner = SelfPlayPPO(replace(SMALL, opponent_share=1.0, players=(3,), snapshot_every=100))
    learner.opponents.snapshots.clear()
    learner.updates = 1  # no earlier self is kept
    learner.opponents.seat_players(np.arange(SMALL.games))
    learner.update()
    rollout = learner.rollout_buffer
    advised = rollout.observations[..., OBSERVATION_SIZE:].any(axis=2)
    np.testing.assert_array_equal(advised, rollout.is_sample)
    assert 0 < advised.mean() < 1


def test_certain_decisions_are_thinned_out_and_all_others_kept() -> None:
    learner = SelfPlayPPO(
        replace(SMALL, advice="none", opponent_share=0.0, certain_share=0.25, steps=200)
    )
    with torch.no_grad():
        learner.policy.action_net.weight.mul_(2000)  # a network that is sure of nearly everything
    learner.update()
    rollout = learner.rollout_buffer
    certain = rollout.is_certain.sum()
    assert 0.2 < certain / rollout.is_certain.size < 1
    assert (np.exp(rollout.log_probs[~rollout.is_certain]) <= 0.99 + 1e-6).all()
    uncertain = rollout.is_certain.size - certain
    assert len(rollout) - uncertain == pytest.approx(0.25 * certain, rel=0.15)


def test_the_policy_that_is_exported_plays_as_the_network_does() -> None:
    learner = SelfPlayPPO(SMALL)
    update(learner, 2)
    seen = learner.rollout_buffer.observations[-1]
    logits, values = learner.export().evaluate(seen)
    with torch.no_grad():
        features = learner.policy.extract_features(torch.from_numpy(seen))
        wanted = learner.policy.action_net(features).numpy()
        expected = learner.policy.predict_values(torch.from_numpy(seen)).numpy()[:, 0]
    np.testing.assert_allclose(logits, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-5)


def test_an_interrupted_run_goes_on_exactly(tmp_path: Path) -> None:
    through = SelfPlayPPO(SMALL)
    update(through, 6)
    stopped = SelfPlayPPO(SMALL)
    update(stopped, 3)
    path = tmp_path / "resume.pt"
    save_checkpoint(path, stopped, {"minutes": 1.0})
    update(stopped, 1)  # whatever happens after the checkpoint does not matter
    resumed = SelfPlayPPO(SMALL)
    torch.manual_seed(99)
    restore(resumed, read_checkpoint(path))
    update(resumed, 3)
    np.testing.assert_array_equal(weights(resumed), weights(through))
    np.testing.assert_array_equal(resumed.games.states, through.games.states)
    assert resumed.num_timesteps == through.num_timesteps
    assert resumed.games_played == through.games_played


def test_damaged_or_foreign_checkpoints_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "resume.pt"
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        read_checkpoint(path)
    learner = SelfPlayPPO(SMALL)
    save_checkpoint(path, learner, {})
    whole = path.read_bytes()
    for damaged in (b"", b"hello", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="not a checkpoint, or is damaged"):
            read_checkpoint(path)
    torch.save({"versions": {"format": "ra-checkpoint/0"}}, path)
    with pytest.raises(CheckpointError, match="another version: format is 'ra-checkpoint/0'"):
        read_checkpoint(path)


def test_a_policy_file_gives_back_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    policy = SelfPlayPPO(SMALL).export()
    save_policy(path, policy.tensors(), FACTS | {"settings": SMALL.to_dict()})
    loaded = load_policy(path)
    seen = np.random.default_rng(0).random((7, INPUT_SIZE), np.float32)
    for mine, theirs in zip(policy.evaluate(seen), loaded.evaluate(seen), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert Settings.from_dict(loaded.metadata["settings"]) == SMALL


def test_policy_files_that_cannot_be_played_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    with pytest.raises(PolicyError, match="there is no policy file"):
        load_policy(path)
    path.write_bytes(b"not a policy")
    with pytest.raises(PolicyError, match="not a policy file, or is damaged"):
        load_policy(path)
    tensors = SelfPlayPPO(SMALL).export().tensors()
    for change, message in (
        ({"policy.bias": None}, "'policy.bias' is missing"),
        ({"value.weight": np.zeros((2, 32), np.float32)}, "value is float32 of shape"),
        ({"trunk.0.bias": np.full(32, np.nan, np.float32)}, "not finite"),
    ):
        changed = {k: v for k, v in (tensors | change).items() if v is not None}
        save_policy(path, changed, FACTS)
        with pytest.raises(PolicyError, match=message):
            load_policy(path)
    for change, message in (
        ({"observation_version": 0}, "another version: observation_version is 0"),
        ({"advice_version": 0}, "another version: advice_version is 0"),
        ({"view": "all"}, "does not say what it sees: view is 'all'"),
        ({"advice": "me"}, "does not say who advises it: advice is 'me'"),
        ({"advice": "none"}, "trunk.0 is float32 of shape"),
    ):
        save_policy(path, tensors, FACTS | change)
        with pytest.raises(PolicyError, match=message):
            load_policy(path)


def test_a_short_run_beats_random_play() -> None:
    """100,000 decisions from nothing, without advice; chance alone would not win 125 of 200
    games in a lifetime."""
    settings = Settings(
        decisions=1,
        players=(2,),
        games=64,
        steps=64,
        batch=512,
        epochs=4,
        hidden=(64,),
        learning_rate=3e-3,
        advice="none",
        opponent_share=0.0,
        threads=1,
    )
    learner = SelfPlayPPO(settings)
    update(learner, 25)
    policy = learner.export()
    games = 200
    states, words = batch.new_games(Rules(2), np.arange(games) // 2 + 10_000)
    masks = batch.legal_masks(states)
    rng = np.random.default_rng(0)
    seen = np.zeros((games, OBSERVATION_SIZE), np.float32)
    seats = np.arange(games) % 2
    while (states[:, PHASE] != OVER).any():
        for game in np.flatnonzero(states[:, PHASE] != OVER):
            observe(states[game], int(states[game, SEAT]), 0, seen[game])
        logits, _ = policy.evaluate(seen)
        best = np.where(masks > 0, logits, -np.inf).argmax(axis=1)
        random = (rng.random(masks.shape) * masks).argmax(axis=1)
        batch.step(states, words, np.where(states[:, SEAT] == seats, best, random), out=masks)
    won = sum(int(rank(states[game], int(seats[game])) == 0) for game in range(games))
    assert won > 125
