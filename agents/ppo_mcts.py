"""Tree search that a trained policy guides: it says which actions to try first.

Everything else is as in `agents.mcts`. The policy is asked once for each decision, at the root;
inside the tree the heuristic guides, which is far quicker to ask.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.mcts import MCTS
from agents.ppo import BUNDLED, PPO
from ra_env.layout import State

TRUST: Final = 0.75
"""The policy's part in what is tried first; the heuristic has the rest."""
EVENNESS: Final = 1.5
"""Above 1 the policy's doubts count for more: probabilities to the power of 1 / EVENNESS."""


class PPOMCTS(MCTS):
    """Tree search that a trained policy guides; its parameters are those of mcts, and a path."""

    def __init__(
        self,
        sims: int = 1000,
        ms: float = 0.0,
        c: float = 0.5,
        path: str = BUNDLED,
        reuse: bool = False,
        nodes: int = 50_000,
    ) -> None:
        super().__init__(sims, ms, c, reuse=reuse, nodes=nodes)
        self.policy = PPO(path)

    @classmethod
    def of(cls, policy: PPO, sims: int) -> "PPOMCTS":
        """A search with this guide."""
        agent = cls.__new__(cls)
        MCTS.__init__(agent, sims)
        agent.policy = policy
        return agent

    def _guide(self, priors: NDArray[np.float32], state: State) -> None:
        """Mix what the policy likes into the shares of the root's actions."""
        liked = self.policy.preferences(state)
        liked = np.where(np.isfinite(liked), liked, 0.0) ** (1.0 / EVENNESS)
        priors *= 1.0 - TRUST
        priors += TRUST * liked / liked.sum()
