"""A game of random players through PettingZoo, in which the mask says what is legal."""

from ra_env import ra_v0


def main() -> None:
    """Play one game and print how it ended."""
    env = ra_v0.env(num_players=4, render_mode="ansi")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            print(f"{agent}: {reward:+.2f}")
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
    print(env.render())
    env.close()


if __name__ == "__main__":
    main()
