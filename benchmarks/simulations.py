"""Strength of the tree search by its budget: `python -m benchmarks.simulations --picture FILE`.

One match against the heuristic for each number of simulations, all on the same seeds, so that the
budgets are compared on the same luck: each with the one before it, seed by seed.

With `--out` finished games are kept, and the same command goes on where it was interrupted.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from benchmarks.charts import COLOUR, check_picture, write_figure
from benchmarks.contest import Outcome, run
from benchmarks.files import check_folders
from benchmarks.match import CHALLENGER, summary
from benchmarks.plan import Plan, check_agents
from benchmarks.results import Results, as_list, versions
from benchmarks.statistics import mean_interval
from benchmarks.store import Folder
from benchmarks.timing import table

BUDGETS = (100, 300, 1000, 3000)


def play(plan: Plan, processes: int, out: Path | None) -> Outcome:
    """The match of one budget; `out` is the folder of all matches."""
    name = f"{plan.players}_{plan.agents[CHALLENGER].partition('=')[2]}"
    store = None if out is None else Folder(out / name, plan, versions(plan.agents))
    return run(plan, processes=processes, store=store)


def compare(outcome: Outcome, smaller: Outcome | None) -> dict[str, Any]:
    """The result of a match, and how much more it won than the match of a smaller budget: the mean
    over the seeds that both have played."""
    result = summary(outcome)
    if smaller is not None:
        wins, before = _wins_by_seed(outcome), _wins_by_seed(smaller)
        gains = np.array([wins[seed] - before[seed] for seed in wins.keys() & before.keys()])
        result["gain"] = float(gains.mean())
        result["gain_ci95"] = as_list(mean_interval(gains))
        result["gain_seeds"] = len(gains)
    return result


def _wins_by_seed(outcome: Outcome) -> dict[int, float]:
    wins = Results.of(outcome.blocks).wins(CHALLENGER)
    return {block.seed: float(win) for block, win in zip(outcome.blocks, wins, strict=True)}


def draw(path: Path, results: dict[int, dict[str, Any]]) -> None:
    """Win rates with their intervals over the budgets."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    rates = np.array([result["challenger"]["win_rate"] for result in results.values()])
    ends = np.array([result["challenger"]["ci95"] for result in results.values()])
    budgets = list(results)
    axes.errorbar(budgets, rates, yerr=np.abs(ends.T - rates), marker="o", capsize=4, color=COLOUR)
    first = results[budgets[0]]
    axes.axhline(first["fair_share"], color="grey", linestyle=":")
    axes.set_xscale("log")
    axes.set_xticks(budgets, [f"{b}\n{r['games']} games" for b, r in results.items()])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel("simulations for each decision")
    axes.set_ylabel("win rate against heuristics\n(dotted: fair share)")
    axes.set_title(f"mcts, {first['players']} players, seeds from {first['first_seed']}")
    axes.spines[["top", "right"]].set_visible(False)
    write_figure(path, figure)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Strength of mcts by its simulations.")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=200, help="games of each budget")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--out", type=Path, help="keep finished games in this folder")
    parser.add_argument("--picture", type=Path, help="draw the win rates into this file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    try:
        if options.picture is not None:
            check_picture(options.picture)
            check_folders(options.picture)
        plans = {
            budget: Plan.match(
                f"mcts:sims={budget}", "heuristic", options.players, options.games, options.seed
            )
            for budget in sorted(set(options.budgets))
        }
        check_agents([plan.agents[CHALLENGER] for plan in plans.values()])
    except ValueError as error:
        parser.error(str(error))
    smaller = None
    results = {}
    for budget, plan in plans.items():
        outcome = play(plan, options.processes, options.out)
        if len(outcome.blocks) > 1:
            results[budget] = compare(outcome, smaller)
            smaller = outcome
        if outcome.is_interrupted:
            break
    if not results:
        raise SystemExit("fewer than two seeds were finished, so there is nothing to report")
    if options.picture is not None:
        draw(options.picture, results)
    if options.json:
        print(json.dumps(results, indent=2))
        return
    rows: list[tuple[str, ...]] = [
        ("simulations", "win rate", "95 %", "more than above", "95 %", "score", "games")
    ]
    rows += [(str(budget), *_cells(result)) for budget, result in results.items()]
    print(table(f"mcts against heuristics, {options.players} players", rows))


def _cells(result: dict[str, Any]) -> tuple[str, ...]:
    challenger = result["challenger"]
    low, high = challenger["ci95"]
    gain = ("", "")
    if "gain" in result:
        least, most = result["gain_ci95"]
        gain = f"{result['gain']:+.1%}", f"{least:+.1%} to {most:+.1%}"
    return (
        f"{challenger['win_rate']:.1%}",
        f"{low:.1%} to {high:.1%}",
        *gain,
        f"{challenger['mean_score']:.1f}",
        str(result["games"]),
    )


if __name__ == "__main__":
    main()
