"""Speed of a tournament on one process and on several: `python -m benchmarks.scaling`.

Times are those that a user waits, with everything that starting processes costs; the code has been
compiled before. Taken in turns, and the best repetition counts: other programs can only make it
longer.

Beside each tournament a fixed piece of work that starts nothing and shares nothing is done on as
many threads. What it gains is the most that the machine had to give at that time.
"""

import argparse
import json
from time import perf_counter

from benchmarks.contest import run
from benchmarks.plan import Plan
from benchmarks.timing import compiled_reference, machine, table

REFERENCE_DRAWS = 30_000_000
"""Draws of the reference for each thread: about a second."""
FREE = 0.9
"""Cores that give less than this share of their work to the reference were not free."""


def measure(plan: Plan, processes: int) -> float:
    """Games in a second."""
    start = perf_counter()
    outcome = run(plan, processes=processes)
    games = sum(len(block.seats) for block in outcome.blocks)
    return games / (perf_counter() - start)


def measure_reference(threads: int) -> float:
    """Draws in a second."""
    workload = compiled_reference(threads, REFERENCE_DRAWS)
    start = perf_counter()
    return workload.run() / (perf_counter() - start)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Speed of a tournament on several processes.")
    parser.add_argument("agents", nargs="*", default=["heuristic", "random"])
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=120_000)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if min(options.processes) < 1 or options.repetitions < 1:
        parser.error("processes and repetitions are at least 1")
    plan = Plan.tournament(options.agents, options.players, options.games, seed=0)
    run(Plan.tournament(options.agents, options.players, 1, seed=0))  # compiles
    compiled_reference(1, 1).run()  # likewise
    speeds = dict.fromkeys(options.processes, 0.0)
    references = dict.fromkeys(options.processes, 0.0)
    for _ in range(options.repetitions):
        for processes in speeds:
            references[processes] = max(references[processes], measure_reference(processes))
            speeds[processes] = max(speeds[processes], measure(plan, processes))
    first = options.processes[0]
    gains = {p: (speeds[p] / speeds[first], references[p] / references[first]) for p in speeds}
    if options.json:
        found = {
            p: {
                "games_per_second": speeds[p],
                "times_as_fast": gains[p][0],
                "times_as_fast_reference": gains[p][1],
            }
            for p in speeds
        }
        print(json.dumps({"machine": machine(), "games": options.games, "by_processes": found}))
        return
    rows = [("processes", "games/s", "times as fast", "the machine alone")]
    rows += [
        (str(p), f"{speeds[p]:,.0f}", f"{gain:.2f}", f"{most:.2f}")
        for p, (gain, most) in gains.items()
    ]
    title = f"{', '.join(plan.agents)}; {plan.players} players, {options.games} games"
    print(table(f"{title}, best of {options.repetitions}", rows))
    for p, (_, most) in gains.items():
        if most < FREE * p / first:
            print(
                f"{p} cores were not free all the time, so {p} processes can do better than this."
            )


if __name__ == "__main__":
    main()
