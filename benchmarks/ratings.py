"""Plackett-Luce ratings from finishing orders, by maximum likelihood.

The model: each agent has a strength, and among those who are not placed yet the next place goes to
each with a chance in proportion to it. Finishing orders count as a whole, not only wins. The most
likely strengths depend on how often what happened, and not on the order in which games are looked
at, unlike ratings that move after every game.

So that nobody who always wins becomes infinitely strong, each agent has besides won once and lost
once against an average player. After a hundred games that is hardly noticed.

Ratings have the scale of Elo: of two agents 100 points apart, the better one is placed before the
other in 64 % of games, with 400 points in 91 %. Their mean is 0.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from benchmarks.play import Numbers
from benchmarks.statistics import ALPHA, Floats, Interval

ELO: Final = 400 / np.log(10)
RESAMPLES: Final = 1000
_SLICE: Final = 100
"""So many resamples are fitted at a time, to save memory."""
_MAX_STEPS: Final = 200
_PRECISION: Final = 1e-6
"""The last step of a fit is shorter than this. The next one would be about its square; a much finer
limit would be lost in rounding where many games have all ended alike."""


@dataclass(frozen=True)
class Finishes:
    """What the ratings depend on: how often somebody was placed next, and out of whom."""

    wins: Floats
    """`(seeds, agents)` how often each agent was placed next."""
    groups: Floats
    """`(groups, agents)` how many of each agent a group of those not yet placed has."""
    counts: Floats
    """`(seeds, groups)` how often each group was there."""


def count_finishes(seats: Numbers, ranks: Numbers, agents: int) -> Finishes:
    """Count the finishing orders of all games; both arrays are `(seeds, games, players)`."""
    seeds, games, players = seats.shape
    order = np.take_along_axis(seats, ranks.argsort(axis=2), axis=2).reshape(-1, players)
    is_agent = (order[:, :, np.newaxis] == np.arange(agents)).astype(np.int8)
    left = np.concatenate([is_agent[:, place:].sum(axis=1) for place in range(players - 1)])
    groups, group_of = np.unique(left, axis=0, return_inverse=True)
    wins = np.zeros((seeds, agents))
    counts = np.zeros((seeds, len(groups)))
    seed_of = np.tile(np.repeat(np.arange(seeds), games), players - 1)
    np.add.at(wins, (seed_of, order[:, : players - 1].T.ravel()), 1)
    np.add.at(counts, (seed_of, group_of.ravel()), 1)
    return Finishes(wins, groups.astype(np.float64), counts)


def rate(finishes: Finishes) -> Floats:
    """The rating of each agent."""
    ratings: Floats = _to_elo(_fit_all(finishes)[0])[0]
    return ratings


def rating_intervals(finishes: Finishes, seed: int = 0) -> list[Interval] | None:
    """The 95 % interval of each rating; None with fewer than two seeds.

    By drawing the seeds again with replacement, and by the curvature of the likelihood; the lower
    of the lower ends and the higher of the higher ones. Drawing again respects that games with the
    same seed belong together, but knows no doubt where every game has ended alike.
    """
    seeds, agents = finishes.wins.shape
    if seeds < 2:
        return None
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(RESAMPLES // _SLICE):
        times = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=_SLICE).astype(np.float64)
        strengths, _ = _fit(times @ finishes.wins, finishes.groups, times @ finishes.counts)
        parts.append(_to_elo(strengths))
    low, high = np.quantile(np.concatenate(parts), [ALPHA / 2, 1 - ALPHA / 2], axis=0)
    strengths, curve = _fit_all(finishes)
    centre = np.eye(agents) - 1 / agents
    variance = np.diagonal(centre @ np.linalg.inv(curve[0]) @ centre)
    half = ELO * NormalDist().inv_cdf(1 - ALPHA / 2) * np.sqrt(variance)
    ratings = _to_elo(strengths)[0]
    low, high = np.minimum(low, ratings - half), np.maximum(high, ratings + half)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _fit_all(finishes: Finishes) -> tuple[Floats, Floats]:
    wins, counts = finishes.wins.sum(axis=0), finishes.counts.sum(axis=0)
    return _fit(wins[np.newaxis], finishes.groups, counts[np.newaxis])


def _to_elo(strengths: Floats) -> Floats:
    ratings: Floats = ELO * (strengths - strengths.mean(axis=1, keepdims=True))
    return ratings


def _fit(wins: Floats, groups: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """The most likely log strengths of several samples, by Newton's method: `(samples, agents)`;
    and how sharply the likelihood falls around them: `(samples, agents, agents)`.

    The likelihood has one maximum. Steps are kept short, because from far away the full one would
    leave it behind.
    """
    strengths = np.zeros_like(wins)
    diagonal = np.arange(wins.shape[1])
    for _ in range(_MAX_STEPS):
        share = groups * np.exp(strengths)[:, np.newaxis]
        share /= share.sum(axis=2, keepdims=True)
        expected = counts[:, :, np.newaxis] * share
        ahead = 1 / (1 + np.exp(-strengths))  # of the average player
        slope = wins - expected.sum(axis=1) + 1 - 2 * ahead
        curve = -np.einsum("sga,sgb->sab", expected, share, optimize=True)
        curve[:, diagonal, diagonal] += expected.sum(axis=1) + 2 * ahead * (1 - ahead)
        change = np.linalg.solve(curve, slope[:, :, np.newaxis])[:, :, 0]
        longest = np.abs(change).max(axis=1, keepdims=True)
        strengths += change / np.maximum(longest, 1)
        if longest.max() < _PRECISION:
            return strengths, curve
    raise ArithmeticError("the ratings did not settle")
