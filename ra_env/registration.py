"""Makes the environments known by name to Gymnasium and PettingZoo. `import ra_env` does it."""

import gymnasium
import pettingzoo

GYMNASIUM_ID = "ra_env/Ra-v0"
PETTINGZOO_ID = "ra_env/ra_v0"


def register() -> None:
    """Register `gymnasium.make("ra_env/Ra-v0")` and `pettingzoo.make("aec", "ra_env/ra_v0")`."""
    gymnasium.register(
        GYMNASIUM_ID,
        entry_point="ra_env.single_agent:RaEnv",
        vector_entry_point="ra_env.vector:RaVectorEnv",
    )
    # PettingZoo has a registry from 1.27 on; before that `ra_v0.env()` is the one way.
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="ra_env.ra_v0:env")
