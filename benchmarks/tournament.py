"""A tournament: any agents at mixed tables, rated by their finishing orders."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.contest import Outcome
from benchmarks.play import Block
from benchmarks.ratings import count_finishes, rate, rating_intervals
from benchmarks.results import Results, as_list, facts
from benchmarks.statistics import (
    ALPHA,
    anytime_interval,
    first_clear,
    mean_interval,
    share_interval,
)


def is_clear(blocks: Sequence[Block]) -> int | None:
    """After how many seeds it is clear for every two agents which of them is placed before the
    other more often. The chance of an error is divided among the pairs."""
    results = Results.of(blocks)
    agents = int(results.seats.max()) + 1
    alpha = ALPHA / len(list(combinations(range(agents), 2)))
    needed = 0
    for agent, other in combinations(range(agents), 2):
        count = first_clear(results.ahead(agent, other), 0.5, alpha)
        if count is None:
            return None
        needed = max(needed, _seeds_for_meetings(results, agent, other, count))
    return needed


def _seeds_for_meetings(results: Results, agent: int, other: int, meetings: int) -> int:
    """After how many seeds two agents have met in so many of them."""
    met = results.have_met(agent, other).any(axis=1)
    return int(np.flatnonzero(met)[meetings - 1]) + 1


def summary(outcome: Outcome, *, until_clear: bool = False) -> dict[str, Any]:
    """The result of a tournament, ready for JSON. Something must have been played.

    With `until_clear` the intervals of "ahead" hold although the games were stopped when it
    suited, for all pairs together.
    """
    plan = outcome.plan
    names = plan.agents
    results = Results.of(outcome.blocks)
    finishes = count_finishes(results.seats, results.ranks, len(names))
    ratings = rate(finishes)
    intervals = rating_intervals(finishes, seed=plan.first_seed)
    agents = [
        {
            **results.figures(i, name),
            "rating": float(ratings[i]),
            "rating_ci95": as_list(intervals[i] if intervals else None),
        }
        for i, name in enumerate(names)
    ]
    pairs = list(combinations(range(len(names)), 2))
    alpha = ALPHA / len(pairs) if until_clear else None
    winning = results.winning_scores()
    return {
        "players": plan.players,
        "games": results.games,
        "seeds": len(outcome.blocks),
        "first_seed": plan.first_seed,
        "games_per_seed": plan.games_per_seed,
        "agents": sorted(agents, key=lambda agent: (-agent["rating"], agent["name"])),
        "pairs": [_pair(results, names, a, b, alpha) for a, b in pairs],
        "winning_score": float(winning.mean()),
        "winning_score_ci95": as_list(mean_interval(winning)),
        "intervals": "anytime" if until_clear else "fixed",
        **facts(outcome),
    }


def _pair(
    results: Results, names: Sequence[str], agent: int, other: int, alpha: float | None
) -> dict[str, Any]:
    """Two agents compared on the same luck."""
    ahead = results.ahead(agent, other)
    difference = results.score_difference(agent, other)
    games = int(results.have_met(agent, other).sum())
    interval = share_interval(ahead, games) if alpha is None else anytime_interval(ahead, alpha)
    return {
        "agent": names[agent],
        "other": names[other],
        "ahead": float(ahead.mean()) if len(ahead) else None,
        "ahead_ci95": as_list(interval),
        "score_difference": float(difference.mean()),
        "score_difference_ci95": as_list(mean_interval(difference)),
    }
