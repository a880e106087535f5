"""Who sits at the tables: the learner, its earlier selves, and agents by name.

In the first `share` of the rows the learner has one seat, drawn anew for each game, and one
opponent has the others. In all other rows every seat is the learner's; most of its decisions come
from there.
"""

import numpy as np
from numpy.typing import NDArray

from agents.policy import Policy
from ra_env.agent import Agent, act_batch, make_agent
from ra_env.rng import GAMMA
from ra_env.rules import MAX_PLAYERS

LEARNER = 0
EARLIER_SELF = 1
FIRST_AGENT = 2


class Opponents:
    """Which seat of which game is played by whom, and the moves of those who do not learn."""

    def __init__(
        self,
        num_players: NDArray[np.int64],
        share: float,
        names: tuple[str, ...],
        max_snapshots: int,
        rng: np.random.Generator,
    ) -> None:
        self.rng = rng
        self.agents: list[Agent] = [make_agent(name) for name in names]
        self.snapshots: list[Policy] = []
        self.max_snapshots = max_snapshots
        self.active: Policy | None = None
        self.players = num_players
        self.rows = round(share * len(num_players))
        self.owner = np.full((len(num_players), MAX_PLAYERS), LEARNER, np.int64)
        self.words = rng.integers(0, 2**64, len(num_players), np.uint64)
        self.seat_players(np.arange(self.rows))

    def seat_players(self, rows: NDArray[np.int64]) -> None:
        """Draw opponent and seats for the new games in these rows."""
        rows = rows[rows < self.rows]
        kinds = [EARLIER_SELF] * bool(self.snapshots)
        kinds += range(FIRST_AGENT, FIRST_AGENT + len(self.agents))
        if not kinds or not len(rows):
            return
        self.owner[rows] = self.rng.choice(kinds, len(rows))[:, None]
        self.owner[rows, self.rng.integers(0, self.players[rows])] = LEARNER

    def add_snapshot(self, policy: Policy) -> None:
        """Keep an earlier self; when there are too many, a random one goes."""
        if len(self.snapshots) == self.max_snapshots:
            self.snapshots.pop(int(self.rng.integers(len(self.snapshots))))
        self.snapshots.append(policy)

    def choose_snapshot(self) -> None:
        """Draw the earlier self that plays from now on."""
        if self.snapshots:
            self.active = self.snapshots[int(self.rng.integers(len(self.snapshots)))]

    def is_learners_turn(self, seats: NDArray[np.int64]) -> NDArray[np.bool_]:
        """In which games the learner decides, when these seats are on turn."""
        is_learners: NDArray[np.bool_] = self._on_turn(seats) == LEARNER
        return is_learners

    def reads_inputs(self, seats: NDArray[np.int64]) -> NDArray[np.bool_]:
        """In which games a network decides: the learner, or an earlier self."""
        is_networks: NDArray[np.bool_] = self._on_turn(seats) < FIRST_AGENT
        return is_networks

    def _on_turn(self, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        on_turn: NDArray[np.int64] = self.owner[np.arange(len(seats)), seats]
        return on_turn

    def act(
        self,
        seats: NDArray[np.int64],
        states: NDArray[np.int16],
        inputs: NDArray[np.float32],
        masks: NDArray[np.int8],
        actions: NDArray[np.int64],
    ) -> None:
        """Put the opponents' moves into `actions`."""
        owner = self._on_turn(seats)
        rows = np.flatnonzero(owner == EARLIER_SELF)
        if len(rows) and self.active is not None:
            logits, _ = self.active.evaluate(inputs[rows])
            noise = self.rng.gumbel(size=logits.shape)
            actions[rows] = np.where(masks[rows] > 0, logits + noise, -np.inf).argmax(axis=1)
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero(owner == FIRST_AGENT + number)
            if len(rows):
                self.words[rows] += GAMMA
                chosen = np.empty(len(rows), np.int64)
                act_batch(agent, states[rows], self.words[rows], chosen)
                actions[rows] = chosen
