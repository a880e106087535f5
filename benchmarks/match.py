"""A match: a challenger at one seat against copies of a field agent, at every seat in turn."""

from collections.abc import Sequence
from typing import Any, Final

from benchmarks.contest import Outcome
from benchmarks.play import Block
from benchmarks.results import Results, as_list, facts
from benchmarks.statistics import ALPHA, first_clear, mean_interval

CHALLENGER: Final = 0
FIELD: Final = 1


def is_clear(blocks: Sequence[Block]) -> int | None:
    """After how many seeds it is clear that the challenger wins more, or less, than its share."""
    results = Results.of(blocks)
    return first_clear(results.wins(CHALLENGER), 1 / results.seats.shape[2])


def summary(outcome: Outcome, *, until_clear: bool = False) -> dict[str, Any]:
    """The result of a match, ready for JSON. Something must have been played.

    With `until_clear` the interval of the challenger's win rate holds although the match was
    stopped when it suited.
    """
    plan = outcome.plan
    results = Results.of(outcome.blocks)
    fair = 1 / plan.players
    challenger, field = plan.agents
    figures = results.figures(CHALLENGER, challenger, anytime_alpha=ALPHA if until_clear else None)
    interval = figures["ci95"]
    difference = results.score_difference(CHALLENGER, FIELD)
    winning = results.winning_scores()
    return {
        "players": plan.players,
        "games": results.games,
        "seeds": len(outcome.blocks),
        "first_seed": plan.first_seed,
        "challenger": figures,
        "field": results.figures(FIELD, field),
        "fair_share": fair,
        "advantage": figures["win_rate"] - fair,
        "advantage_ci95": None if interval is None else [end - fair for end in interval],
        "verdict": _verdict(interval, fair),
        "score_difference": float(difference.mean()),
        "score_difference_ci95": as_list(mean_interval(difference)),
        "winning_score": float(winning.mean()),
        "winning_score_ci95": as_list(mean_interval(winning)),
        "intervals": "anytime" if until_clear else "fixed",
        **facts(outcome),
    }


def _verdict(interval: list[float] | None, fair: float) -> str:
    """What the interval of the win rate says."""
    if interval is None or interval[0] <= fair <= interval[1]:
        return "not clear"
    return "stronger" if interval[0] > fair else "weaker"
