"""Who sits where: balanced, and all arrangements where they are few."""

import numpy as np
import pytest

from benchmarks.schedule import (
    MAX_ARRANGEMENTS,
    count_arrangements,
    match_seating,
    tournament_seating,
)

SIZES = [(agents, players) for agents in range(2, 9) for players in range(2, 6)]


def test_a_challenger_sits_at_every_seat_once(num_players: int) -> None:
    """In a match every game has one challenger, each time at another seat."""
    seating = match_seating(num_players)
    assert np.argwhere(seating == 0).tolist() == [[i, i] for i in range(num_players)]


@pytest.mark.parametrize(("agents", "players"), SIZES)
def test_every_agent_sits_at_every_seat_equally_often(agents: int, players: int) -> None:
    """With each single seed, for any number of agents and players."""
    for seed in (0, 1):
        seating = tournament_seating(agents, players, seed)
        for seat in range(players):
            assert len(set(np.bincount(seating[:, seat], minlength=agents))) == 1


@pytest.mark.parametrize(("agents", "players"), SIZES)
def test_few_arrangements_are_all_played(agents: int, players: int) -> None:
    """No table comes twice, no agent sits there more often than need be, and none is left out."""
    seating = tournament_seating(agents, players, 0)
    assert len(np.unique(seating, axis=0)) == len(seating)
    for table in seating:
        times = np.bincount(table, minlength=agents)
        assert times.max() - times.min() <= 1
    count = count_arrangements(agents, players)
    assert len(seating) == (count if count <= MAX_ARRANGEMENTS else agents)


def test_known_numbers_of_arrangements() -> None:
    """Four agents at a table of four: 4!; two: 4 choose 2; five at a table of two: 5 * 4."""
    assert [count_arrangements(*size) for size in [(4, 4), (2, 4), (5, 2), (3, 4)]] == [
        24,
        6,
        20,
        3 * 12,
    ]


def test_over_many_seeds_everybody_meets_everybody_equally_often() -> None:
    """The circle of five agents at tables of three is shuffled by the seed."""
    met = np.zeros((5, 5))
    left_of = np.zeros((5, 5))
    for seed in range(2000):
        for table in tournament_seating(5, 3, seed):
            met[np.ix_(table, table)] += 1
            left_of[table, np.roll(table, -1)] += 1
    others = ~np.eye(5, dtype=bool)
    # Each pair is expected in 3000 of 10000 games; the standard deviation is about 22 (ordered
    # neighbours: 1500, about 32). Five of them are allowed.
    assert np.abs(met[others] - 3000).max() < 110
    assert np.abs(left_of[others] - 1500).max() < 160
