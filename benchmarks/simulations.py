"""Strength of the tree search by its budget: `python -m benchmarks.simulations --picture FILE`.

One match against the heuristic for each number of simulations, all on the same seeds, so that the
budgets are compared on the same luck.
"""

import argparse
import io
import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from benchmarks.charts import COLOUR, check_picture
from benchmarks.contest import run
from benchmarks.files import check_folders, write_whole
from benchmarks.match import summary
from benchmarks.plan import Plan
from benchmarks.timing import table

BUDGETS = (100, 300, 1000, 3000)


def measure(budget: int, players: int, games: int, seed: int, processes: int) -> dict[str, Any]:
    """The result of the match of one budget."""
    plan = Plan.match(f"mcts:sims={budget}", "heuristic", players, games, seed)
    return summary(run(plan, processes=processes))


def draw(path: Path, results: list[dict[str, Any]], budgets: list[int]) -> None:
    """Win rates with their intervals over the budgets."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    rates = [result["challenger"]["win_rate"] for result in results]
    intervals = [result["challenger"]["ci95"] for result in results]
    below = [rate - low for rate, (low, _) in zip(rates, intervals, strict=True)]
    above = [high - rate for rate, (_, high) in zip(rates, intervals, strict=True)]
    axes.errorbar(budgets, rates, yerr=[below, above], marker="o", capsize=4, color=COLOUR)
    axes.axhline(results[0]["fair_share"], color="grey", linestyle=":")
    axes.set_xscale("log")
    axes.set_xticks(budgets, [str(budget) for budget in budgets])
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel("simulations for each decision")
    axes.set_ylabel("win rate against heuristics\n(dotted: fair share)")
    axes.set_title(
        f"mcts, {results[0]['players']} players, {results[0]['games']} games each, "
        f"seeds from {results[0]['first_seed']}"
    )
    axes.spines[["top", "right"]].set_visible(False)
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix.lower()[1:], dpi=130)
    write_whole(path, content.getvalue())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Strength of mcts by its simulations.")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=200, help="games of each budget")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--picture", type=Path, help="draw the win rates into this file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.picture is not None:
        check_picture(options.picture)
        check_folders(options.picture)
    results = [
        measure(budget, options.players, options.games, options.seed, options.processes)
        for budget in options.budgets
    ]
    if options.picture is not None:
        draw(options.picture, results, options.budgets)
    if options.json:
        print(json.dumps(dict(zip(map(str, options.budgets), results, strict=True)), indent=2))
        return
    rows = [("simulations", "win rate", "95 % interval", "mean score", "games")]
    for budget, result in zip(options.budgets, results, strict=True):
        challenger = result["challenger"]
        low, high = challenger["ci95"]
        rows.append(
            (
                str(budget),
                f"{challenger['win_rate']:.1%}",
                f"{low:.1%} to {high:.1%}",
                f"{challenger['mean_score']:.1f}",
                str(result["games"]),
            )
        )
    print(table(f"mcts against heuristics, {options.players} players", rows))


if __name__ == "__main__":
    main()
