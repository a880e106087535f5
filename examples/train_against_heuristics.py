"""The way most people would start: MaskablePPO at one seat, heuristics at all others.

    python examples/train_against_heuristics.py --minutes 2 --out runs/plain

Needs `ra-env[train]`. The learning curve is measured with the same games as that of `ra-env train`:

    python -m training.curve runs/plain runs/self-play --picture curves.png
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

import ra_env
from ra_env import batch
from ra_env.files import whole_file
from ra_env.layout import SEAT
from ra_env.observation import MEMORY, OBSERVATION_SIZE, observe
from training.measure import win_rates

PLAYERS = 4


class Student:
    """The model as an agent, so that every tool can measure it."""

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    def act(self, state: np.ndarray, word: np.uint64) -> int:
        """Its best action."""
        out = np.empty(1, np.int64)
        self.act_batch(state[None], np.array([word]), out)
        return int(out[0])

    def act_batch(self, states: np.ndarray, words: np.ndarray, out: np.ndarray) -> None:
        """Its best action in each game."""
        seen = np.zeros((len(states), OBSERVATION_SIZE), np.float32)
        for state, row in zip(states, seen, strict=True):
            observe(state, int(state[SEAT]), MEMORY, row)
        masks = batch.legal_masks(states)
        out[:] = self.model.predict(seen, action_masks=masks, deterministic=True)[0]


class Curve(BaseCallback):
    """Measures the model now and then, and stops when the time is up."""

    def __init__(self, out: Path, minutes: float, points: int, games: int) -> None:
        super().__init__()
        self.out, self.minutes, self.games = out, minutes, games
        self.due = list(np.linspace(0, minutes, points))
        self.points: list[dict[str, Any]] = []

    def _on_training_start(self) -> None:
        win_rates(Student(self.model), PLAYERS, 1)  # compiles
        self.started = time.perf_counter()

    def _on_step(self) -> bool:
        minutes = (time.perf_counter() - self.started) / 60
        if self.due and minutes >= self.due[0]:
            self.due.pop(0)
            against = win_rates(Student(self.model), PLAYERS, self.games)
            self.points.append(
                {
                    "decisions": self.num_timesteps,
                    "minutes": minutes,
                    "players": PLAYERS,
                    "against": against,
                }
            )
            wins = ", ".join(f"{name} {r['win_rate']:.1%}" for name, r in against.items())
            print(f"{minutes:5.1f} min  {self.num_timesteps:9,} decisions  wins against {wins}")
            with whole_file(self.out / "curve.json") as file:
                file.write(json.dumps({"points": self.points}, indent=2).encode())
        return minutes < self.minutes


def main() -> None:
    """Train for some minutes, measure, and save."""
    parser = argparse.ArgumentParser(description="Train with plain MaskablePPO.")
    parser.add_argument("--minutes", type=float, default=2.0, help="[%(default)s]")
    parser.add_argument("--points", type=int, default=9, help="of the curve [%(default)s]")
    parser.add_argument("--games", type=int, default=200, help="for each point [%(default)s]")
    parser.add_argument("--out", type=Path, default=Path("runs/plain"), help="[%(default)s]")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # for a network this small, more threads only wait for each other
    gymnasium.register_envs(ra_env)

    def table() -> gymnasium.Env:
        return gymnasium.make(
            "ra_env/Ra-v0", num_players=PLAYERS, opponents="heuristic", seat="random"
        )

    model = MaskablePPO("MlpPolicy", DummyVecEnv([table] * 8), gamma=1.0, seed=0)
    model.learn(10**9, Curve(options.out, options.minutes, options.points, options.games))
    model.save(options.out / "model")


if __name__ == "__main__":
    main()
