"""Train a learner with sb3-contrib against three random players (needs `ra-env[train]`)."""

import argparse

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

import ra_env


def main() -> None:
    """Train, judge by other games, and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000, help="decisions to learn from")
    parser.add_argument("--games", type=int, default=200, help="games to be judged by")
    options = parser.parse_args()
    torch.set_num_threads(1)  # for a network this small, more threads only wait for each other
    gymnasium.register_envs(ra_env)
    env = gymnasium.make("ra_env/Ra-v0", num_players=4, opponents="random", seat="random")
    model = MaskablePPO("MlpPolicy", env, gamma=1.0, seed=0)
    model.learn(options.steps)
    mean, _ = evaluate_policy(model, env, options.games, warn=False)
    print(f"mean reward in {options.games} games: {mean:+.2f} (random players: 0)")
    model.save("ra_ppo")


if __name__ == "__main__":
    main()
