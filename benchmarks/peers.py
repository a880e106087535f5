"""Random play beside other libraries' games, in one run: `python -m benchmarks.peers [--json]`.

Each peer has one small function that returns its workload, a unit of which is a step: one action
applied, by a player or by chance. Chance counts although a draw and its tile are one step here: the
choice that favours the peer.
"""

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final

from benchmarks.throughput import PLAYERS, random_play
from benchmarks.timing import Timing, Workload, machine, measure, table

REPETITIONS: Final = 30
OURS: Final = "ra_env/4"
"""What the peers are compared with."""

OPEN_SPIEL_GAMES: Final = {
    "hearts": "hearts",
    "crazy_eights": "crazy_eights",
    "goofspiel": "turn_based_simultaneous_game(game=goofspiel())",
}
MISSING: Final = (
    "This needs OpenSpiel. In the project's folder, `make peers` installs it and measures; by hand:"
    " pip install -c constraints.txt -e '.[peers]'"
)


def open_spiel_rollouts(game_name: str, rollouts: int, seed: int = 1) -> Workload:
    """Random games of OpenSpiel, played to the end in C++ from one position after the deal.

    A search with one simulation asks the evaluator once, for so many rollouts from its root, and
    does next to nothing else. It does not say how many steps they took: the mean length of games
    played in Python does.
    """
    pyspiel: Any = import_module("pyspiel")
    game = pyspiel.load_game(game_name)
    rng = random.Random(seed)
    state = game.new_initial_state()
    while state.is_chance_node():
        _play_randomly(state, rng)
    lengths = [_length(state.clone(), rng) for _ in range(400)]
    steps = round(rollouts * sum(lengths) / len(lengths))
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, seed, False)

    def run() -> int:
        bot.mcts_search(state)
        return steps

    return Workload(run)


def _length(state: Any, rng: random.Random) -> int:
    length = 0
    while not state.is_terminal():
        _play_randomly(state, rng)
        length += 1
    return length


def _play_randomly(state: Any, rng: random.Random) -> None:
    if state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(actions, weights)[0])
    else:
        state.apply_action(rng.choice(state.legal_actions()))


def workloads(quick: bool) -> dict[str, Workload]:
    """Ours for each number of players, and the peers', by name."""
    found = {
        f"ra_env/{players}": random_play(players, 64 if quick else 1024) for players in PLAYERS
    }
    for name, game in OPEN_SPIEL_GAMES.items():
        found[f"open_spiel/{name}"] = open_spiel_rollouts(game, 20 if quick else 300)
    return found


def report(timings: Mapping[str, Timing]) -> dict[str, Any]:
    """The figures as one JSON object; a ratio is how many of our steps one of theirs takes."""
    return {
        "ns_per_step": {name: timing.nanoseconds for name, timing in timings.items()},
        "ratio": {name: timing.seconds / timings[OURS].seconds for name, timing in timings.items()},
        "spread": {name: timing.spread for name, timing in timings.items()},
        "machine": machine() | {"open_spiel": version("open_spiel")},
    }


def as_text(figures: Mapping[str, Any]) -> str:
    """The report for people."""
    rows = [("random play, one core", "ns/step", f"times {OURS}", "median")]
    for name, nanoseconds in figures["ns_per_step"].items():
        ratio, spread = figures["ratio"][name], figures["spread"][name]
        rows.append((name, f"{nanoseconds:.1f}", f"{ratio:.2f}", f"+{spread:.0%}"))
    software = [(name, str(value)) for name, value in figures["machine"].items()]
    return table("Best of several repetitions, in turns", rows) + "\n\n" + table("On", software)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compare random play with other libraries.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="few repetitions: rough figures")
    options = parser.parse_args(arguments)
    try:
        found = workloads(options.quick)
    except ModuleNotFoundError as error:
        if error.name != "pyspiel":
            raise
        sys.exit(MISSING)
    figures = report(measure(found, 2 if options.quick else REPETITIONS))
    print(json.dumps(figures, indent=2) if options.json else as_text(figures))


if __name__ == "__main__":
    main()
