"""What finished games say about each agent: figures with their intervals.

Knows no process and no file, and does not care whether it was a match or a tournament.
"""

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contest import Outcome
from benchmarks.play import Block, Numbers
from benchmarks.statistics import Floats, Interval, anytime_interval, mean_interval, share_interval
from benchmarks.store import failure_record
from ra_env.agent import GROUP, POLICY_SUFFIX
from ra_env.scoring import CATEGORIES


@dataclass(frozen=True)
class Results:
    """All finished games, as arrays `(seeds, games, players)`."""

    seats: Numbers
    scores: Numbers
    ranks: Numbers
    points: Numbers

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> "Results":
        """The games of some blocks, at least one."""
        return cls(
            np.stack([block.seats for block in blocks]),
            np.stack([block.scores for block in blocks]),
            np.stack([block.ranks for block in blocks]),
            np.stack([block.points for block in blocks]),
        )

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.seats.shape[0] * self.seats.shape[1]

    def seed_means(self, values: Numbers, agent: int) -> Floats:
        """The mean of an agent's values, for each seed."""
        is_agent = self.seats == agent
        means: Floats = (values * is_agent).sum(axis=(1, 2)) / is_agent.sum(axis=(1, 2))
        return means

    def wins(self, agent: int) -> Floats:
        """For each seed, the share of its seats at which the agent won."""
        return self.seed_means(self.ranks == 0, agent)

    def have_met(self, agent: int, other: int) -> NDArray[np.bool_]:
        """In which games two agents sat at the same table: `(seeds, games)`."""
        met: NDArray[np.bool_] = (self.seats == agent).any(2) & (self.seats == other).any(2)
        return met

    def ahead(self, agent: int, other: int) -> Floats:
        """For each seed in which both met, how often the agent was placed before the other."""
        ranks, seats = self.ranks, self.seats
        met = (seats == agent)[..., :, np.newaxis] & (seats == other)[..., np.newaxis, :]
        is_before = ranks[..., :, np.newaxis] < ranks[..., np.newaxis, :]
        times = met.sum(axis=(1, 2, 3))
        before = (met & is_before).sum(axis=(1, 2, 3))
        shares: Floats = before[times > 0] / times[times > 0]
        return shares

    def figures(
        self, agent: int, name: str, *, anytime_alpha: float | None = None
    ) -> dict[str, Any]:
        """The figures of an agent. With `anytime_alpha` the interval of the win rate is one that
        holds although the games were stopped when the answer was clear."""
        wins = self.wins(agent)
        scores = self.seed_means(self.scores, agent)
        sat = int((self.seats == agent).any(axis=2).sum())
        shares = np.bincount(self.ranks[self.seats == agent], minlength=self.seats.shape[2])
        return {
            "name": name,
            "win_rate": float(wins.mean()),
            "ci95": as_list(
                share_interval(wins, sat)
                if anytime_alpha is None
                else anytime_interval(wins, anytime_alpha)
            ),
            "mean_score": float(scores.mean()),
            "score_ci95": as_list(mean_interval(scores)),
            "mean_rank": 1 + float(self.seed_means(self.ranks, agent).mean()),
            "places": [float(share) for share in shares / shares.sum()],
            "points": {
                category: float(self.seed_means(self.points[..., i], agent).mean())
                for i, category in enumerate(CATEGORIES)
            },
        }

    def score_difference(self, agent: int, other: int) -> Floats:
        """For each seed, the agent's mean score less the other's."""
        return self.seed_means(self.scores, agent) - self.seed_means(self.scores, other)

    def winning_scores(self) -> Floats:
        """For each seed, the mean score of those who won."""
        won = (self.scores * (self.ranks == 0)).sum(axis=2)
        means: Floats = won.mean(axis=1)
        return means


def as_list(interval: Interval | None) -> list[float] | None:
    """An interval as JSON has it; there is none for a single seed."""
    return None if interval is None else [float(end) for end in interval]


def facts(outcome: Outcome) -> dict[str, Any]:
    """How a contest was played and how it ended: what every report of it says."""
    return {
        "interrupted": outcome.is_interrupted,
        "stopped_when_clear": outcome.is_clear,
        "failures": [failure_record(failure) for failure in outcome.failures],
        "versions": versions(outcome.plan.agents),
    }


def versions(agents: Sequence[str]) -> dict[str, Any]:
    """What the games were played with."""
    return {
        "ra-env": version("ra-env"),
        "python": platform.python_version(),
        "numba": version("numba"),
        "numpy": version("numpy"),
        "agents": {name: _agent_version(name) for name in agents},
    }


def _agent_version(name: str) -> str:
    """The package that an agent comes from; of a policy file the beginning of its hash."""
    base = name.partition(":")[0].strip()
    if base.endswith(POLICY_SUFFIX):
        return f"sha256 {hashlib.sha256(Path(base).read_bytes()).hexdigest()[:16]}"
    for entry in entry_points(group=GROUP):
        if entry.name == base and entry.dist is not None:
            return f"{entry.dist.name} {entry.dist.version}"
    raise PackageNotFoundError(base)
