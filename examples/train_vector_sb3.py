"""Train a learner on many games at once with sb3-contrib (needs `ra-env[train]`)."""

import argparse

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

from ra_env.sb3 import RaVecEnv


def main() -> None:
    """Train, judge by other games, and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300_000, help="decisions to learn from")
    parser.add_argument("--envs", type=int, default=256, help="games side by side")
    parser.add_argument("--games", type=int, default=512, help="games to be judged by")
    options = parser.parse_args()
    torch.set_num_threads(1)  # for a network this small, more threads only wait for each other
    env = VecMonitor(RaVecEnv(options.envs, num_players=4, opponents="random", seat="random"))
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=1.0,
        seed=0, verbose=1,
    )  # fmt: skip
    model.learn(options.steps)
    judge = VecMonitor(RaVecEnv(options.envs, num_players=4, reward="win", seed=1))
    wins, _ = evaluate_policy(model, judge, options.games)
    print(f"won {wins:.1%} of {options.games} games against three random players")
    model.save("ra_ppo_vector")


if __name__ == "__main__":
    main()
