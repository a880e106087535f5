"""Speed of a tournament on one process and on several: `python -m benchmarks.scaling`.

Times are those that a user waits, with everything that starting processes costs; the code has been
compiled before. Taken in turns, and the best repetition counts: other programs can only make it
longer.
"""

import argparse
import json
from time import perf_counter

from benchmarks.contest import run
from benchmarks.plan import Plan
from benchmarks.timing import machine, table


def measure(plan: Plan, processes: int) -> float:
    """Games in a second."""
    start = perf_counter()
    outcome = run(plan, processes=processes)
    games = sum(len(block.seats) for block in outcome.blocks)
    return games / (perf_counter() - start)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Speed of a tournament on several processes.")
    parser.add_argument("agents", nargs="*", default=["heuristic", "random"])
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=60_000)
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    plan = Plan.tournament(options.agents, options.players, options.games, seed=0)
    run(Plan.tournament(options.agents, options.players, 1, seed=0))  # compiles
    speeds = dict.fromkeys(options.processes, 0.0)
    for _ in range(options.repetitions):
        for processes, best in speeds.items():
            speeds[processes] = max(best, measure(plan, processes))
    first = next(iter(speeds.values()))
    if options.json:
        print(json.dumps({"machine": machine(), "games_per_second": speeds}, indent=2))
        return
    rows = [("processes", "games/s", "times as fast")]
    rows += [(str(p), f"{speed:,.0f}", f"{speed / first:.2f}") for p, speed in speeds.items()]
    print(table(f"{', '.join(plan.agents)}; {plan.players} players, {options.games} games", rows))


if __name__ == "__main__":
    main()
