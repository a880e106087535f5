"""Ra as a Stable-Baselines3 `VecEnv`: thousands of games in one array, for one learner.

`MaskablePPO("MlpPolicy", RaVecEnv(1024), ...)` works as it stands. This is the only module that
needs Stable-Baselines3, and no other one imports it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from ra_env.actions import NUM_ACTIONS
from ra_env.batch import Observations
from ra_env.live_game import RANDOM_SEAT
from ra_env.rules import Rules
from ra_env.selfplay import Seed
from ra_env.vector import (
    RANDOM_NAME,
    OneSeat,
    Opponent,
    chosen_tables,
    observation_space,
)

Indices = int | Iterable[int] | None


class RaVecEnv(VecEnv):  # type: ignore[misc]  # taken as untyped: it need not be installed
    """`num_envs` games side by side, a learner at one seat of each.

    The arguments are those of `ra_env.vector.RaVectorEnv`, and `seed` that of the first `reset`.
    The games are one array, not objects, so attributes belong to all of them together, and
    `action_masks` is the one method of a game. The info of a game that has ended has
    `terminal_observation`, the learner's `seat` and `rank` (0 is first), all `scores`, and
    `illegal_action`, whether it ended by one.
    """

    render_mode = None

    def __init__(
        self,
        num_envs: int = 1024,
        num_players: int | Sequence[int] | None = None,
        *,
        opponents: Opponent | Sequence[Opponent] = RANDOM_NAME,
        seat: int | str = RANDOM_SEAT,
        rules: Rules | None = None,
        reward: str = "placement",
        view: str = "memory",
        seed: Seed = None,
        threads: int = 1,
    ) -> None:
        self.games = OneSeat(
            chosen_tables(num_players, rules),
            num_envs,
            opponents=opponents,
            seat=seat,
            reward=reward,
            view=view,
            threads=threads,
        )
        super().__init__(num_envs, observation_space(), Discrete(NUM_ACTIONS))
        self._next_seed: Seed = seed
        self._actions: Any = None
        self._masks: NDArray[np.bool_] = np.zeros((num_envs, NUM_ACTIONS), np.bool_)

    # --- playing ---

    def seed(self, seed: int | None = None) -> list[int]:
        """Seed all games, from the next `reset` on; returns the seed of each."""
        rng = np.random.default_rng(seed)
        seeds = rng.integers(2**64, size=self.games.num_games, dtype=np.uint64)
        self._next_seed = seeds
        return [int(number) for number in seeds]

    def reset(self) -> Observations:
        """Begin all games anew."""
        observations, masks = self.games.reset(self._next_seed)
        self._next_seed = None
        self._masks = masks.view(np.bool_)
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learner's action in each game."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[Observations, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions: `observations, rewards, dones, infos`."""
        observations, masks, rewards, done = self.games.step(self._actions)
        self._masks = masks.view(np.bool_)
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        if done.any():
            for game, observation, seat, scores, rank, is_illegal in zip(
                *self.games.endings(done), strict=True
            ):
                infos[game] |= {
                    "terminal_observation": observation,
                    "seat": int(seat),
                    "scores": scores[: self.games.num_players[game]].tolist(),
                    "rank": int(rank),
                    "illegal_action": bool(is_illegal),
                }
        return observations, rewards, done, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """`(num_envs, 54)` which actions are legal now."""
        return self._masks.copy()

    def close(self) -> None:
        """There is nothing to close."""

    # --- one attribute or method of each game, as the base class has it ---

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the environment, once for each game."""
        return [getattr(self, attr_name)] * len(self._get_indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of the environment, which is that of all games."""
        if len(self._get_indices(indices)) != self.num_envs:
            raise ValueError(f"{attr_name!r} belongs to all games together, not to some of them")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method of each game: there is `action_masks`."""
        if method_name != "action_masks" or args or kwargs:
            raise AttributeError(f"games have the method action_masks(), not {method_name}")
        masks = self.action_masks()
        return list(masks if indices is None else masks[self._get_indices(indices)])

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """The games are in no wrapper."""
        return [False] * len(self._get_indices(indices))
