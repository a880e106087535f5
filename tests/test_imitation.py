"""Imitating a teacher: its choices are learnt, and what its games bring."""

import numpy as np
import pytest

from ra_env.layout import State
from ra_env.legality import legal_actions
from training.imitation import LEARNING_RATE, imitate
from training.learner import SelfPlayPPO
from training.settings import Settings

pytestmark = pytest.mark.compiled


class Highest:
    """Always plays the legal action with the highest number: easy to tell from chance."""

    def act(self, state: State, word: np.uint64) -> int:
        return int(legal_actions(state)).bit_length() - 1


def test_the_teachers_choices_are_learnt() -> None:
    settings = Settings(players=(2, 4), games=64, steps=64, hidden=(64,), threads=1)
    learner = SelfPlayPPO(settings)
    agreement = []
    for _ in range(12):
        imitate(learner, Highest())
        rollout = learner.rollout_buffer
        seen = rollout.observations.reshape(-1, rollout.observations.shape[2])
        logits, _ = learner.export().evaluate(seen)
        legal = rollout.masks.reshape(len(seen), -1) > 0
        chosen = np.where(legal, logits, -np.inf).argmax(axis=1)
        agreement.append(float((chosen == rollout.actions.ravel()).mean()))
    assert agreement[-1] > 0.95
    assert learner.num_timesteps == 12 * settings.games * settings.steps
    assert learner.updates == 12
    # With this teacher games end, so what the seats expect is something between the places.
    assert learner.games_played > 0
    assert np.abs(learner.expected_by_all_seats()).max() <= 1.5


def test_the_step_size_falls_while_the_teacher_teaches() -> None:
    settings = Settings(games=4, steps=4, hidden=(8,), threads=1, teacher_share=0.5)
    learner = SelfPlayPPO(settings)
    rates = []
    for progress in (0.0, 0.25, 0.5):
        learner.progress = progress
        imitate(learner, Highest())
        rates.append(learner.policy.optimizer.param_groups[0]["lr"])
    np.testing.assert_allclose(rates, [LEARNING_RATE, 0.55 * LEARNING_RATE, 0.1 * LEARNING_RATE])
