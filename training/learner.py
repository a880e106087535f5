"""The learner: sb3-contrib's MaskablePPO, with rollouts collected from self-play.

Policy, optimiser, loss, logger and callbacks are those of stable-baselines3. Only the collection of
rollouts is ours: B games run side by side, one forward pass serves them all, and
decisions of every seat that the learner has are samples.
"""

import math
import time
from typing import Any, Final

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from agents.advice import advise, input_size
from agents.policy import Policy
from ra_env.actions import NUM_ACTIONS
from ra_env.batch import Observations
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import MAX_PLAYERS
from ra_env.selfplay import SelfPlay
from training.opponents import Opponents
from training.rollout import Rollout
from training.settings import Settings

FINAL_SHARE: Final = 0.1
"""Learning rate and entropy bonus fall in a straight line to this share of their start."""
CERTAIN: Final = 0.99
"""A decision is all but certain when an action has a higher probability than this."""
UNADVISED: Final = MAX_PLAYERS
"""No seat: advice takes time, and only networks hear it."""
ILLEGAL: Final = -1e8
"""The logit of an action that is not legal, as sb3-contrib sets it."""
SCALES: Final = {"placement": 1.0, "win": 1.0, "score": 0.05, "margin": 0.05}
"""What a network learns is of about the size of one, so points are paid as parts of twenty."""


class Trunk(BaseFeaturesExtractor):  # type: ignore[misc]  # its types are optional, like itself
    """The layers that policy and value share."""

    def __init__(
        self, observation_space: spaces.Box, hidden: tuple[int, ...], precision: str
    ) -> None:
        super().__init__(observation_space, features_dim=hidden[-1])
        sizes = (observation_space.shape[0], *hidden)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, hidden, strict=False))
        self.is_short = precision == "bfloat16" or (precision == "auto" and has_bfloat16())

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The features of a batch of observations."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.is_short):
            for layer in self.layers:
                observations = torch.relu(layer(observations))
        return observations.float()


class Spaces(VecEnv):  # type: ignore[misc]  # as above
    """Tells stable-baselines3 what is observed and done. The games themselves are in `SelfPlay`."""

    def __init__(self, num_envs: int, inputs: int) -> None:
        box = spaces.Box(-np.inf, np.inf, (inputs,), np.float32)
        super().__init__(num_envs, box, spaces.Discrete(NUM_ACTIONS))

    def reset(self) -> Any:
        """Nothing to see: rollouts do not come from here."""
        return np.zeros((self.num_envs, *self.observation_space.shape), np.float32)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """No environment has any attribute, a render mode for instance."""
        return [None] * self.num_envs

    def _unused(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("the games are played by SelfPlay")

    step_async = step_wait = close = set_attr = env_method = env_is_wrapped = _unused


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO whose rollouts are self-play of all seats."""

    games: SelfPlay
    opponents: Opponents

    def __init__(self, settings: Settings, **kwargs: Any) -> None:
        self.settings = settings
        self.progress = 0.0
        self.updates = 0
        self.games_played = 0
        self.seconds = {"engine": 0.0, "forward": 0.0, "gradient": 0.0}
        torch.set_num_threads(settings.threads)
        self.input_size = input_size(settings.advice)
        self._spaces = Spaces(settings.games, self.input_size)
        super().__init__(
            MaskableActorCriticPolicy,
            self._spaces,
            learning_rate=lambda left: settings.learning_rate * falling(1.0 - left),
            n_steps=settings.steps,
            batch_size=settings.batch,
            n_epochs=settings.epochs,
            gamma=settings.discount,
            gae_lambda=settings.smoothing,
            clip_range=settings.clip,
            ent_coef=settings.entropy,
            vf_coef=settings.value_weight,
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {
                    "hidden": settings.hidden,
                    "precision": settings.precision,
                },
                "net_arch": {"pi": [], "vf": []},
                "activation_fn": nn.ReLU,
            },
            seed=settings.seed,
            device="cpu",
            **kwargs,
        )
        self.set_logger(configure(None, []))  # silent, until somebody sets another

    def _setup_model(self) -> None:
        settings = self.settings
        super()._setup_model()
        self.rng = np.random.default_rng(settings.seed)
        self.rollout_buffer = Rollout(  # type: ignore[assignment]  # stands in for SB3's buffer
            *(settings.steps, settings.games, self.input_size),
            *(settings.discount, settings.smoothing, settings.certain_share),
        )
        self.games = SelfPlay(
            settings.players,
            settings.games,
            settings.seed,
            reward=settings.reward,
            view=settings.view,
            threads=settings.threads,
        )
        self.opponents = Opponents(
            self.games.num_players,
            settings.opponent_share,
            settings.opponents,
            settings.snapshots,
            self.rng,
        )
        self._views = np.zeros((settings.games, OBSERVATION_SIZE), np.float32)
        self._inputs = np.zeros((settings.games, self.input_size), np.float32)

    def update(self, callback: BaseCallback | None = None) -> None:
        """Collect a rollout and learn from it. `progress` says how far the run is."""
        if callback is None:
            callback = CallbackList([])
            callback.init_callback(self)
        self._update_current_progress_remaining(0, 0)
        self.collect_rollouts(self._spaces, callback, self.rollout_buffer, self.settings.steps)
        self.train()

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play `n_rollout_steps` decisions in every game."""
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        if self.updates % self.settings.snapshot_every == 0:
            self.opponents.add_snapshot(self.export())
        self.opponents.choose_snapshot()
        rollout: Rollout = rollout_buffer
        games = self.games
        for step in range(n_rollout_steps):
            started = time.perf_counter()
            advised = np.where(self.opponents.reads_inputs(games.seats), games.seats, UNADVISED)
            self.look(advised, games.observations, rollout.observations[step])
            rollout.masks[step] = games.masks
            rollout.seats[step] = games.seats
            rollout.is_sample[step] = self.opponents.is_learners_turn(games.seats)
            self._decide(rollout, step)
            self.seconds["forward"] += time.perf_counter() - started
            started = time.perf_counter()
            self.opponents.act(
                *(games.seats, games.states, rollout.observations[step]),
                *(games.masks, rollout.actions[step]),
            )
            self.step_games(step)
            self.seconds["engine"] += time.perf_counter() - started
            self.num_timesteps += int(rollout.is_sample[step].sum())
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout.finish(self.expected_by_all_seats(), self.rng)
        callback.on_rollout_end()
        return True

    def _decide(self, rollout: Rollout, step: int) -> None:
        """One forward pass for all games in which the learner is on turn."""
        rows = np.flatnonzero(rollout.is_sample[step])
        if not len(rows):
            return
        log_probs, values = self.judge_games(rollout.observations[step], rows)
        actions = torch.multinomial(log_probs.exp(), 1)
        rollout.actions[step, rows] = actions.numpy()[:, 0]
        rollout.all_values[step, rows] = values.numpy()
        rollout.log_probs[step, rows] = log_probs.gather(1, actions).numpy()[:, 0]
        rollout.is_certain[step, rows] = log_probs.amax(dim=1).numpy() > math.log(CERTAIN)

    def look(self, seats: NDArray[np.int64], observations: Observations, out: Observations) -> None:
        """Write what the network gets when these seats see this: with advice, if it has any, where
        the seat is not `UNADVISED`."""
        out[:, :OBSERVATION_SIZE] = observations
        if self.settings.advice != "none":
            advise(self.games.states, seats, out, self.settings.threads)

    def judge_games(
        self, inputs: Observations, rows: NDArray[np.int64]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """For the seats on turn in these games: the logarithms of the probabilities of all actions
        `(B, 54)`, and what they expect `(B,)`."""
        policy: Any = self.policy
        with torch.no_grad():
            features = policy.extract_features(torch.from_numpy(inputs[rows]))
            logits = policy.action_net(features)
            logits.masked_fill_(torch.from_numpy(self.games.masks[rows] == 0), ILLEGAL)
            return torch.log_softmax(logits, dim=1), policy.value_net(features)[:, 0]

    def step_games(self, step: int) -> None:
        """Play the actions of a step; where a game has ended, seat players for the next one."""
        rollout = self.rollout_buffer
        rewards, rollout.done[step] = self.games.step(rollout.actions[step])
        np.multiply(rewards, SCALES[self.settings.reward], out=rollout.rewards[step])
        finished = np.flatnonzero(self.games.done)
        self.games_played += len(finished)
        self.opponents.seat_players(finished)

    def expected_by_all_seats(self) -> NDArray[np.float32]:
        """What every seat of every game expects, from its own view `(B, 5)`."""
        expected = np.zeros((self.games.num_games, MAX_PLAYERS), np.float32)
        for seat in range(MAX_PLAYERS):
            there = self.games.num_players > seat
            seats = np.where(there, seat, 0)
            self.games.observe_seats(seats, self._views)
            self.look(seats, self._views, self._inputs)
            with torch.no_grad():
                values = self.policy.predict_values(torch.from_numpy(self._inputs))
            expected[:, seat] = np.where(there, values.numpy()[:, 0], 0.0)
        return expected

    def train(self) -> None:
        """One update from the rollout."""
        started = time.perf_counter()
        self.ent_coef = self.settings.entropy * falling(self.progress)
        super().train()
        self.updates += 1
        self.seconds["gradient"] += time.perf_counter() - started

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        # The run's own measure of progress, which may be time, in place of the number of steps.
        self._current_progress_remaining = 1.0 - self.progress

    def export(self) -> Policy:
        """The policy as it is now, to play with."""
        arrays = [
            (layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
            for layer in self._layers()
        ]
        return Policy(arrays[:-2], arrays[-2], arrays[-1], self.facts())

    def facts(self) -> dict[str, str]:
        """What a policy must say of itself to be played."""
        return {"view": self.settings.view, "advice": self.settings.advice}

    def begin_with(self, policy: Policy) -> None:
        """Take over the weights of a policy with layers as wide as those here."""
        arrays = [*policy.trunk, policy.policy, policy.value]
        with torch.no_grad():
            for layer, (weight, bias) in zip(self._layers(), arrays, strict=True):
                layer.weight.copy_(torch.from_numpy(weight))
                layer.bias.copy_(torch.from_numpy(bias))

    def _layers(self) -> list[Any]:
        extractor: Any = self.policy.features_extractor
        return [*extractor.layers, self.policy.action_net, self.policy.value_net]


def has_bfloat16() -> bool:
    """Whether this processor has instructions for bfloat16; without them it would be slow."""
    known: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()  # older: cannot say
    return bool(known.get("avx512_bf16") or known.get("amx_bf16"))


def falling(progress: float) -> float:
    """What is left of a number that falls in a straight line, as `progress` goes from 0 to 1."""
    return 1.0 - (1.0 - FINAL_SHARE) * min(max(progress, 0.0), 1.0)
