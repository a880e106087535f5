"""A head start: learning to play as a teacher does, from games that the teacher plays.

The teacher sits at every seat. The network learns which action it chooses, and from how its games
end what every seat can expect. Own play goes on from there.
"""

from typing import Any, Final

import numpy as np
from torch.nn.functional import cross_entropy, mse_loss

from ra_env.agent import Agent, act_batch
from training.learner import ILLEGAL, SelfPlayPPO, falling

BATCH: Final = 1024
LEARNING_RATE: Final = 2e-3
"""Answers that are known bear smaller batches and larger steps than those that play has to find."""


def imitate(learner: SelfPlayPPO, teacher: Agent) -> None:
    """One rollout of the teacher's games, and one pass over it."""
    _collect(learner, teacher)
    _learn(learner)
    learner.updates += 1


def _collect(learner: SelfPlayPPO, teacher: Agent) -> None:
    games, rollout = learner.games, learner.rollout_buffer
    # Leaving out what the network is sure of, as own play does, makes it a poorer pupil.
    rollout.is_sample[:], rollout.is_certain[:] = True, False
    rows = np.arange(games.num_games)
    for step in range(learner.settings.steps):
        learner.look(games.seats, games.observations, rollout.observations[step])
        rollout.masks[step] = games.masks
        rollout.seats[step] = games.seats
        words = learner.rng.integers(0, 2**64, games.num_games, np.uint64)
        act_batch(teacher, games.states, words, rollout.actions[step])
        rollout.all_values[step] = learner.judge_games(rollout.observations[step], rows)[1].numpy()
        learner.step_games(step)
    learner.num_timesteps += rollout.is_sample.size
    rollout.finish(learner.expected_by_all_seats(), learner.rng)


def _learn(learner: SelfPlayPPO) -> None:
    policy = learner.policy
    policy.set_training_mode(True)
    settings = learner.settings
    rate = LEARNING_RATE * falling(learner.progress / max(settings.teacher_share, 1e-9))
    for group in policy.optimizer.param_groups:
        group["lr"] = rate
    errors = []
    for part in learner.rollout_buffer.get(BATCH):
        features = policy.extract_features(part.observations)
        logits = policy.action_net(features).masked_fill(part.action_masks == 0, ILLEGAL)
        action_error = cross_entropy(logits, part.actions[:, 0])
        value_error = mse_loss(policy.value_net(features)[:, 0], part.returns)
        policy.optimizer.zero_grad()
        error: Any = action_error + settings.value_weight * value_error
        error.backward()
        policy.optimizer.step()
        errors.append((action_error.item(), value_error.item()))
    means = np.mean(errors, axis=0)
    learner.logger.record("imitate/action_error", float(means[0]))
    learner.logger.record("imitate/value_error", float(means[1]))
