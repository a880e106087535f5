"""Random play beside other libraries' games, in one run: `python -m benchmarks.peers [--json]`.

Each peer has one small function that returns its workload, a unit of which is a step: one action
applied, by a player or by chance. Chance counts although a draw and its tile are one step here: the
choice that favours the peer.

Two comparisons: the engine beside OpenSpiel's games in C++, and the PettingZoo environment beside
PettingZoo's Connect Four, raw and in the wrappers that both have. Where a library is missing, its
comparison is left out, with a word on how to install it.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final

import numpy as np

from benchmarks.throughput import PLAYERS, random_play
from benchmarks.timing import Timing, Workload, machine, measure, table
from ra_env import ra_v0

REPETITIONS: Final = 100
OURS: Final = {"open_spiel": "ra_env/4", "raw": "ra_v0/raw", "wrapped": "ra_v0/wrapped"}
"""What the peers of each kind are compared with."""

OPEN_SPIEL_GAMES: Final = {
    "hearts": "hearts",
    "crazy_eights": "crazy_eights",
    "goofspiel": "turn_based_simultaneous_game(game=goofspiel())",
}
LIBRARIES: Final = {"pyspiel": "open_spiel", "pygame": "pygame-ce"}
"""The modules that the peers need, and the packages that they come in."""
MISSING: Final = (
    "Left out, as {package} is missing: {games}. In the project's folder, `make peers` installs "
    "it and measures; by hand: pip install -c constraints.txt -e '.[peers]'"
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


def aec_episodes(module: Any, wrapped: bool, episodes: int, **arguments: Any) -> Workload:
    """Whole episodes of a PettingZoo environment with random legal actions, as its page shows it.

    A unit is a step of a player; those with which the players leave at the end take time and do
    not count, here and there.
    """
    env = module.env(**arguments) if wrapped else module.raw_env(**arguments)
    rng = np.random.default_rng(0)

    def run() -> int:
        steps = 0
        for seed in range(episodes):
            env.reset(seed=seed)
            for _ in env.agent_iter():
                seen, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = seen["action_mask"].nonzero()[0]
                env.step(int(legal[int(rng.random() * len(legal))]))
                steps += 1
        return steps

    return Workload(run)


def workloads(quick: bool) -> dict[str, Workload]:
    """Ours, and those of the peers whose libraries are there, by name."""
    found = {
        f"ra_env/{players}": random_play(players, 64 if quick else 1024) for players in PLAYERS
    }
    for kind in ("raw", "wrapped"):
        found[f"ra_v0/{kind}"] = aec_episodes(ra_v0, kind == "wrapped", episodes=1)
    if has("pygame"):
        connect_four = import_module("pettingzoo.classic.connect_four_v3")
        for kind in ("raw", "wrapped"):
            name, episodes = f"connect_four_v3/{kind}", 5  # together as long as one of Ra
            found[name] = aec_episodes(connect_four, kind == "wrapped", episodes)
    if has("pyspiel"):
        for name, game in OPEN_SPIEL_GAMES.items():
            found[f"open_spiel/{name}"] = open_spiel_rollouts(game, 20 if quick else 300)
    return found


def has(module: str) -> bool:
    """Whether a library can be imported."""
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return False
    return True


def ours(name: str) -> str:
    """Which figure of ours a figure is compared with."""
    group, _, kind = name.partition("/")
    return OURS.get(kind) or OURS.get(group) or OURS["open_spiel"]


def report(timings: Mapping[str, Timing]) -> dict[str, Any]:
    """The figures as one JSON object; a ratio is how many of our steps one of theirs takes."""
    packages = {package: version(package) for module, package in LIBRARIES.items() if has(module)}
    return {
        "ns_per_step": {name: timing.nanoseconds for name, timing in timings.items()},
        "ratio": {
            name: timing.seconds / timings[ours(name)].seconds for name, timing in timings.items()
        },
        "spread": {name: timing.spread for name, timing in timings.items()},
        "machine": machine() | {"pettingzoo": version("pettingzoo")} | packages,
    }


def as_text(figures: Mapping[str, Any]) -> str:
    """The report for people."""
    rows = [("random play, one core", "ns/step", "times", "of", "median")]
    for name, nanoseconds in figures["ns_per_step"].items():
        ratio, spread = figures["ratio"][name], figures["spread"][name]
        rows.append((name, f"{nanoseconds:,.1f}", f"{ratio:.2f}", ours(name), f"+{spread:.0%}"))
    software = [(name, str(value)) for name, value in figures["machine"].items()]
    return table("Best of several repetitions, in turns", rows) + "\n\n" + table("On", software)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compare random play with other libraries.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="few repetitions: rough figures")
    options = parser.parse_args(arguments)
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would stand in the JSON
    for module, games in (("pyspiel", "OpenSpiel's games"), ("pygame", "PettingZoo's games")):
        if not has(module):
            print(MISSING.format(package=LIBRARIES[module], games=games), file=sys.stderr)
    figures = report(measure(workloads(options.quick), 2 if options.quick else REPETITIONS))
    print(json.dumps(figures, indent=2) if options.json else as_text(figures))


if __name__ == "__main__":
    main()
