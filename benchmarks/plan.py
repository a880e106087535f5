"""Which games belong to a match or a tournament: agents, seeds, and who sits where."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from benchmarks.play import Numbers
from benchmarks.schedule import match_seating, tournament_seating
from ra_env.agent import Agent, AgentError, make_agent
from ra_env.rules import Rules

Kind = Literal["match", "tournament"]

CHUNKS: Final = 32
"""A contest is cut into about so many chunks, whatever the number of processes."""
MAX_CHUNK_GAMES: Final = 512
MAX_SEED: Final = 2**64 - 1


@dataclass(frozen=True)
class Plan:
    """Which games are played. In a match agent 0 is the challenger and agent 1 the field."""

    kind: Kind
    agents: tuple[str, ...]
    players: int
    first_seed: int
    seeds: int

    def __post_init__(self) -> None:
        Rules(self.players)
        if self.seeds < 1:
            raise ValueError(f"at least one seed has to be played, not {self.seeds}")
        if not 0 <= self.first_seed <= MAX_SEED - self.seeds + 1:
            raise ValueError(f"seeds are 0 to 2**64 - 1, so {self.first_seed} cannot be the first")

    @classmethod
    def match(cls, challenger: str, field: str, players: int, games: int, seed: int) -> "Plan":
        """The challenger at each seat in turn; `games` is rounded up to whole seeds."""
        return cls("match", (challenger, field), players, seed, -(-games // players))

    @classmethod
    def tournament(cls, agents: Sequence[str], players: int, games: int, seed: int) -> "Plan":
        """Mixed tables of all agents, whose order does not matter; likewise rounded up."""
        names = tuple(sorted(agents))
        if len(names) < 2:
            raise ValueError("a tournament needs at least two agents")
        for name, following in pairwise(names):
            if name == following:
                raise ValueError(f"agent {name!r} is there twice")
        games_per_seed = len(tournament_seating(len(names), players, seed))
        return cls("tournament", names, players, seed, -(-games // games_per_seed))

    @property
    def rules(self) -> Rules:
        """What the games are played with."""
        return Rules(self.players)

    @property
    def games_per_seed(self) -> int:
        """How many games are played with each seed."""
        return len(self.seating(self.first_seed))

    def seating(self, seed: int) -> Numbers:
        """Who sits where in the games with this seed."""
        if self.kind == "match":
            return match_seating(self.players)
        return tournament_seating(len(self.agents), self.players, seed)

    def make_agents(self) -> list[tuple[str, Agent]]:
        """Names and agents."""
        return [(name, make_agent(name)) for name in self.agents]

    def all_seeds(self) -> range:
        """The seeds of all games."""
        return range(self.first_seed, self.first_seed + self.seeds)

    def chunks(self) -> list[range]:
        """The seeds in pieces that are played side by side."""
        size = min(MAX_CHUNK_GAMES // self.games_per_seed, -(-self.seeds // CHUNKS))
        seeds = self.all_seeds()
        return [seeds[i : i + max(size, 1)] for i in range(0, self.seeds, max(size, 1))]


def check_agents(names: Sequence[str]) -> None:
    """Raise `AgentError` if one of these agents cannot be made."""
    for name in names:
        try:
            make_agent(name)
        except AgentError:
            raise
        except Exception as error:
            raise AgentError(
                f"agent {name!r} cannot be made: {type(error).__name__}: {error}"
            ) from error
