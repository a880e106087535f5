"""Who sits where: the arrangements of agents over seats that are played with one seed.

A seating is an int64 array `(games, players)` of agent indices. In every seating each agent sits at
each seat equally often, so neither a seat nor a deal of suns favours anybody.
"""

from collections.abc import Iterator
from functools import cache
from math import comb, factorial
from typing import Final

import numpy as np

from benchmarks.play import Numbers
from ra_env.rng import below, next_word, seed_word

MAX_ARRANGEMENTS: Final = 24
"""Up to so many arrangements are all played with every seed: four agents at a table of four."""

_SALT: Final = np.uint64(0x5EA7)
"""So that the order of the circle has nothing to do with the luck of the bag."""


def match_seating(players: int) -> Numbers:
    """Agent 0 at every seat in turn, agent 1 at all others."""
    return 1 - np.eye(players, dtype=np.int64)


def tournament_seating(agents: int, players: int, seed: int) -> Numbers:
    """All arrangements if there are few; otherwise a circle of the agents that is turned round.

    The circle's order comes from the seed, so over many seeds everybody meets everybody, on either
    side.
    """
    if count_arrangements(agents, players) <= MAX_ARRANGEMENTS:
        return _all_arrangements(agents, players)
    circle = _shuffled(agents, seed)
    turns = np.arange(agents)[:, np.newaxis] + np.arange(players)
    seating: Numbers = circle[turns % agents]
    return seating


def count_arrangements(agents: int, players: int) -> int:
    """How many different tables there are, each agent sitting there about equally often."""
    copies, more = divmod(players, agents)
    orders: int = factorial(players) // factorial(copies) ** agents // (copies + 1) ** more
    return comb(agents, more) * orders


@cache
def _all_arrangements(agents: int, players: int) -> Numbers:
    seating = np.array(list(_arrangements(agents, players)), np.int64)
    seating.setflags(write=False)  # it is shared by all seeds
    return seating


def _arrangements(agents: int, players: int) -> Iterator[tuple[int, ...]]:
    """All of them, in ascending order."""
    copies, more = divmod(players, agents)

    def extend(table: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(table) == players:
            yield table
            return
        has_most = sum(table.count(agent) > copies for agent in range(agents))
        for agent in range(agents):
            count = table.count(agent)
            if count < copies or (count == copies and has_most < more):
                yield from extend((*table, agent))

    return extend(())


def _shuffled(agents: int, seed: int) -> Numbers:
    order = np.arange(agents)
    word = np.uint64(seed_word(np.uint64(seed) ^ _SALT))
    for last in range(agents - 1, 0, -1):
        word = np.uint64(next_word(word))
        other = int(below(word, last + 1))
        order[[last, other]] = order[[other, last]]
    return order
