"""Points of a learning curve: how an agent under training does against agents that stay the same.

The games are fixed, so curves of different ways of training can be laid over each other. They are
not those of the yardstick (`benchmarks.yardstick`), which only a finished policy is measured with.
"""

from typing import Any, Final

from benchmarks.plan import Plan
from benchmarks.play import play_blocks
from benchmarks.results import Results, as_list
from benchmarks.statistics import share_interval
from ra_env.agent import Agent, make_agent

OPPONENTS: Final = ("random", "heuristic")
"""Each in turn sits at all seats but the learner's."""
FIRST_SEED: Final = 4_000_000


def win_rates(learner: Agent, players: int, games: int) -> dict[str, dict[str, Any]]:
    """The learner's share of wins against each opponent, with its 95 % interval."""
    against = {}
    for name in OPPONENTS:
        plan = Plan.match("learner", name, players, games, FIRST_SEED)
        seeds = list(plan.all_seeds())
        named = [("learner", learner), (name, make_agent(name))]
        blocks = play_blocks(named, plan.rules, seeds, [plan.seating(seed) for seed in seeds])
        results = Results.of(blocks)
        wins = results.wins(0)
        against[name] = {
            "win_rate": float(wins.mean()),
            "ci95": as_list(share_interval(wins, results.games)),
            "games": results.games,
        }
    return against
