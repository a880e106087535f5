"""What a rollout collects, and how the learner reads it.

All seats of all games decide into one rectangle of `steps x games`; decisions of opponents are in
it too, so that every seat's rewards are counted right, but they are not samples. Nor are most of
those that were all but certain: nearly no gradient comes from them, and they are the majority.
"""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples

from ra_env.actions import NUM_ACTIONS
from ra_env.rules import MAX_PLAYERS
from training.advantages import seat_advantages


class Rollout:
    """The decisions between two updates. Takes the place of a stable-baselines3 rollout buffer."""

    def __init__(
        self,
        steps: int,
        games: int,
        inputs: int,
        discount: float,
        smoothing: float,
        certain_share: float,
    ) -> None:
        shape = (steps, games)
        self.discount, self.smoothing, self.certain_share = discount, smoothing, certain_share
        self.observations = np.zeros((*shape, inputs), np.float32)
        """What the network gets: observations, and advice if there is any."""
        self.masks = np.zeros((*shape, NUM_ACTIONS), np.int8)
        self.actions = np.zeros(shape, np.int64)
        self.seats = np.zeros(shape, np.int64)
        self.is_sample = np.zeros(shape, np.bool_)
        self.is_certain = np.zeros(shape, np.bool_)
        self.log_probs = np.zeros(shape, np.float32)
        self.all_values = np.zeros(shape, np.float32)
        self.rewards = np.zeros((*shape, MAX_PLAYERS), np.float32)
        self.done = np.zeros(shape, np.bool_)
        self.advantages = np.zeros(shape, np.float32)
        self._scratch = np.zeros((3, MAX_PLAYERS), np.float64)

    def finish(self, last_values: NDArray[np.float32], order: np.random.Generator) -> None:
        """Compute the advantages; `last_values (B, 5)` is what every seat expects now."""
        seat_advantages(
            self.seats,
            self.all_values,
            self.rewards,
            self.done,
            last_values,
            self.discount,
            self.smoothing,
            self._scratch,
            self.advantages,
        )
        self._order = order
        is_kept = ~self.is_certain | (order.random(self.is_certain.shape) < self.certain_share)
        self._samples = np.flatnonzero(self.is_sample & is_kept)

    @property
    def values(self) -> NDArray[np.float32]:
        """The expected rewards of the samples."""
        return self.all_values.ravel()[self._samples]

    @property
    def returns(self) -> NDArray[np.float32]:
        """What the samples brought, as far as it is known."""
        return self.values + self.advantages.ravel()[self._samples]

    def __len__(self) -> int:
        """The number of samples."""
        return len(self._samples)

    def get(self, batch_size: int) -> Iterator[MaskableRolloutBufferSamples]:
        """The samples in random order, in batches of nearly equal size.

        A last batch of what is left could be a single sample, of which no deviation can be taken.
        """
        samples = self._order.permutation(self._samples)
        observations = self.observations.reshape(-1, self.observations.shape[2])
        masks = self.masks.reshape(-1, NUM_ACTIONS)
        for rows in np.array_split(samples, -(-len(samples) // batch_size) or 1):
            values = self.all_values.ravel()[rows]
            advantages = self.advantages.ravel()[rows]
            yield MaskableRolloutBufferSamples(
                observations=torch.from_numpy(observations[rows]),
                actions=torch.from_numpy(self.actions.ravel()[rows, None]),
                old_values=torch.from_numpy(values),
                old_log_prob=torch.from_numpy(self.log_probs.ravel()[rows]),
                advantages=torch.from_numpy(advantages),
                returns=torch.from_numpy(values + advantages),
                action_masks=torch.from_numpy(masks[rows]),
            )
