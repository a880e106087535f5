"""Looking ahead: every legal action is tried many times from one saved position.

A snapshot brings everything back, the luck of the bag too. A player may not know that luck, so each
try gets a random word of its own.
"""

from dataclasses import replace

import numpy as np

from ra_env import ACTION_TEXTS, ra_v0

TRIES = 20


def main() -> None:
    """Print what each first action brings its player, if all play on at random."""
    rng = np.random.default_rng(0)
    env = ra_v0.raw_env(num_players=3, play_forced=True)
    env.reset(seed=7)
    player, start = env.agent_selection, env.get_state()
    for first in np.flatnonzero(env.observe(player)["action_mask"]):
        total = 0.0
        for _ in range(TRIES):
            env.set_state(replace(start, word=int(rng.integers(2**63))))
            env.step(first)
            while not env.terminations[player]:
                mask = env.infos[env.agent_selection]["action_mask"]
                env.step(rng.choice(np.flatnonzero(mask)))
            total += env.rewards[player]
        print(f"{player}: {ACTION_TEXTS[first]}: mean reward {total / TRIES:+.2f}")
    env.set_state(start)
    print("back at the start:", env.agent_selection == player)


if __name__ == "__main__":
    main()
