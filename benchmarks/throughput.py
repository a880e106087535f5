"""Speed of the engine: `python -m benchmarks.throughput [--json] [--quick]`.

Each figure has one small function that returns its workload, here or, of what plays, in
`benchmarks.agent_speed`; `workloads` names them all, and `report` says what is printed of their
timings.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import agent_speed
from benchmarks.agent_speed import random_actions
from benchmarks.timing import (
    REFERENCE_START,
    Timing,
    Workload,
    compiled_reference,
    fresh_process,
    machine,
    measure,
    measure_once,
    python_reference,
    table,
)
from ra_env import Game, Rules, batch
from ra_env._jit import njit
from ra_env.layout import OVER, PHASE, copy_row
from ra_env.observation import OBSERVATION_SIZE

PLAYERS: Final = (4, 2, 3, 5)
"""Four first: the table that figures without a number of players are about."""
BATCH_SIZES: Final = (1, 64, 1024, 16384)
OBSERVED: Final = 1024
"""Games in the batch whose observations are written."""
REPETITIONS: Final = 50
QUICK_REPETITIONS: Final = 2
STARTS: Final = 7
"""Repetitions of what starts a process."""

SCRIPT_LENGTH: Final = 32
"""Actions in each game's script for `batch.step`, as long as all scripts together have no more
than SCRIPT_STEPS: a long repetition is hardly ever left in peace."""
SCRIPT_STEPS: Final = 16_384
SCRIPT_SPAN: Final = 148
"""Scripts begin after 0 to this many moves, so few of the games, 180 moves long, end in them."""

FIRST_GAME: Final = """
from ra_env import Game
game = Game(4, seed=0)
while not game.is_over:
    game.play(game.legal_actions()[0])
"""


# --- one function for each figure ----------------------------------------------------------------


def random_play(num_players: int, games: int, threads: int = 1) -> Workload:
    """Whole games inside the engine, from the deal to the end; a unit is a step.

    Starting threads takes a while, so with several of them more games give a truer figure.
    """
    rules = Rules(num_players)
    states, words = batch.new_games(rules, np.arange(games))
    choices = words + np.uint64(1)
    batch.play_random(states, words, choices)

    def run() -> int:
        batch.reset_finished(states, words, rules, threads=threads, check=False)
        moves = batch.play_random(states, words, choices, threads=threads, check=False)
        return int(moves.sum())

    return Workload(run)


def batch_step(size: int, check: bool) -> Workload:
    """`batch.step` with legal masks, for actions chosen beforehand; a unit is a step."""
    script = _script(size)
    states, words = script.states.copy(), script.words.copy()
    masks = batch.legal_masks(states)

    def prepare() -> None:
        states[:], words[:] = script.states, script.words

    def run() -> int:
        for actions in script.actions:
            batch.step(states, words, actions, out=masks, check=check)
        return script.steps

    return Workload(run, prepare)


def batch_step_observe(size: int) -> Workload:
    """The same, unchecked, with observations of the seat on turn; a unit is a step."""
    script = _script(size)
    states, words = script.states.copy(), script.words.copy()
    masks = batch.legal_masks(states)
    seen = np.zeros((size, OBSERVATION_SIZE), np.float32)

    def prepare() -> None:
        states[:], words[:] = script.states, script.words

    def run() -> int:
        for actions in script.actions:
            batch.step(states, words, actions, out=masks, observations=seen, check=False)
        return script.steps

    return Workload(run, prepare)


def copy_state(rows: int = 256, passes: int = 256) -> Workload:
    """Copies of a state inside compiled code, as a search makes them; a unit is a copy."""
    states, _ = batch.new_games(Rules(4), np.arange(rows))
    out = np.empty_like(states)

    def run() -> int:
        for _ in range(passes):
            _copy_rows(states, out)
        return rows * passes

    return Workload(run)


def copy_state_from_python(copies: int = 1024) -> Workload:
    """Copies of a state by numpy, called from Python; a unit is a copy."""
    state = Game(4, seed=0).state

    def run() -> int:
        for _ in range(copies):
            state.copy()
        return copies

    return Workload(run)


def game_play(games: int = 5) -> Workload:
    """Random games through `Game`: list the legal actions, play one; a unit is a step."""
    rng = random.Random(0)
    numbers = [rng.random() for _ in range(400 * games)]
    tables: list[Game] = []

    def prepare() -> None:
        tables[:] = [Game(4, seed=seed) for seed in range(games)]

    def run() -> int:
        steps = 0
        for game in tables:
            while not game.is_over:
                legal = game.legal_actions()
                game.play(legal[int(numbers[steps] * len(legal))])
                steps += 1
        return steps

    return Workload(run, prepare)


# --- all of them ---------------------------------------------------------------------------------


def workloads(quick: bool) -> dict[str, Workload]:
    """Everything that is measured inside this process, by name."""
    games = 256 if quick else 1024
    found = {
        "reference/compiled": compiled_reference(threads=1, draws=100_000),
        # As long as random play on two threads: a core may be free for a moment only.
        "reference/compiled_threads_2": compiled_reference(threads=2, draws=500_000),
        "reference/python": python_reference(),
    }
    for players in PLAYERS:
        found[f"random_play/{players}"] = random_play(players, games)
        found[f"random_play_threads_2/{players}"] = random_play(players, 4 * games, threads=2)
    for size in BATCH_SIZES:
        found[f"batch_step/checked/{size}"] = batch_step(size, check=True)
        found[f"batch_step/unchecked/{size}"] = batch_step(size, check=False)
    found["batch_step_observe"] = batch_step_observe(OBSERVED)
    found["copy"] = copy_state()
    found["copy_from_python"] = copy_state_from_python()
    found["game_play"] = game_play()
    return found | agent_speed.workloads(quick)


def measure_starts(repetitions: int) -> dict[str, Timing]:
    """Everything that is measured by starting processes; the first finds nothing compiled."""
    with tempfile.TemporaryDirectory(prefix="ra-env-benchmark-") as folder:
        compiled = Path(folder)
        first_game = fresh_process(FIRST_GAME, compiled)
        cold = measure_once(first_game)
        starts = {
            "reference/start": fresh_process(REFERENCE_START, compiled),
            "warm_start": first_game,
            "import": fresh_process("import ra_env", compiled),
            "import_game": fresh_process("from ra_env import Game", compiled),
        }
        return {"cold_start": cold} | measure(starts, repetitions)


def measure_all(quick: bool) -> dict[str, Timing]:
    """Everything."""
    timings = measure(workloads(quick), QUICK_REPETITIONS if quick else REPETITIONS)
    return timings | measure_starts(1 if quick else STARTS)


def report(timings: Mapping[str, Timing]) -> dict[str, Any]:
    """The figures of the timings as one JSON object: steps per second unless the name says."""

    def rates(name: str) -> dict[str, float]:
        found = {k.rpartition("/"): t.per_second for k, t in timings.items()}
        return {last: rate for (group, _, last), rate in found.items() if group == name}

    one, two, machine_alone = map(rates, ("random_play", "random_play_threads_2", "reference"))
    copy, observed = timings["copy"], timings["batch_step_observe"]
    return {
        "random_play": one,
        "random_play_threads_2": two,
        "threads_2_ratio": {players: two[players] / one[players] for players in one},
        "threads_2_ratio_reference": machine_alone["compiled_threads_2"]
        / machine_alone["compiled"],
        "batch_step": {kind: rates(f"batch_step/{kind}") for kind in ("checked", "unchecked")},
        "batch_step_observe": observed.per_second,
        "batch_step_observe_ratio": {
            "random_play": observed.seconds / timings["random_play/4"].seconds,
            "batch_step": observed.seconds / timings[f"batch_step/unchecked/{OBSERVED}"].seconds,
        },
        "self_play": timings["self_play"].per_second,
        "vector_env": timings["vector_env"].per_second,
        "heuristic_games": timings["heuristic_games"].per_second,
        "heuristic_match": timings["heuristic_match"].per_second,
        "mcts": rates("mcts"),
        "copy_ns": copy.nanoseconds,
        "copy_steps": copy.seconds / timings["random_play/4"].seconds,
        "copy_from_python_ns": timings["copy_from_python"].nanoseconds,
        "game_play": timings["game_play"].per_second,
        "cold_start_s": timings["cold_start"].seconds,
        "warm_start_s": timings["warm_start"].seconds,
        "import_s": timings["import"].seconds,
        "import_game_s": timings["import_game"].seconds,
        "spread": {name: timing.spread for name, timing in timings.items()},
        "machine": machine(),
    }


def as_text(figures: Mapping[str, Any]) -> str:
    """The report for people."""
    play = [("players", "steps/s", "ns/step", "2 threads steps/s", "ratio")]
    for players, rate in figures["random_play"].items():
        two, ratio = figures["random_play_threads_2"][players], figures["threads_2_ratio"][players]
        play.append((players, f"{rate:,.0f}", f"{1e9 / rate:.1f}", f"{two:,.0f}", f"{ratio:.2f}"))
    steps = [("games", "checked steps/s", "ns/step", "unchecked steps/s", "ns/step")]
    for size, checked in figures["batch_step"]["checked"].items():
        unchecked = figures["batch_step"]["unchecked"][size]
        rates = (f for rate in (checked, unchecked) for f in (f"{rate:,.0f}", f"{1e9 / rate:.1f}"))
        steps.append((size, *rates))
    ratio = figures["batch_step_observe_ratio"]
    playing = [
        ("batch.step with observations", f"{figures['batch_step_observe']:,.0f} /s"),
        ("  in random steps", f"{ratio['random_play']:.2f}"),
        ("  in steps with masks alone", f"{ratio['batch_step']:.2f}"),
        ("decisions in SelfPlay", f"{figures['self_play']:,.0f} /s"),
        ("the learner's decisions in RaVectorEnv", f"{figures['vector_env']:,.0f} /s"),
        ("games of heuristics", f"{figures['heuristic_games']:,.0f} /s"),
        ("  in a match", f"{figures['heuristic_match']:,.0f} /s"),
        ("mcts, simulations to the end", f"{figures['mcts']['simulations']:,.0f} /s"),
        ("mcts, nodes", f"{figures['mcts']['nodes']:,.0f} /s"),
    ]
    others = [
        ("copy of a state, compiled", f"{figures['copy_ns']:.1f} ns"),
        ("  in random steps", f"{figures['copy_steps']:.2f}"),
        ("copy of a state, from Python", f"{figures['copy_from_python_ns']:.0f} ns"),
        ("steps through Game", f"{figures['game_play']:,.0f} /s"),
        ("first game, nothing compiled yet", f"{figures['cold_start_s']:.2f} s"),
        ("first game, compiled before", f"{figures['warm_start_s']:.2f} s"),
        ("import ra_env", f"{figures['import_s']:.2f} s"),
        ("from ra_env import Game", f"{figures['import_game_s']:.2f} s"),
        ("median over best, median figure", f"+{np.median(list(figures['spread'].values())):.0%}"),
        *((name, str(value)) for name, value in figures["machine"].items()),
    ]
    return "\n\n".join(
        (
            table("Random games inside the engine", play),
            table("batch.step with legal masks, 4 players", steps),
            table(f"Playing, 4 players, one core, {OBSERVED} games", playing),
            table("4 players, one core", others),
        )
    )


# --- helpers -------------------------------------------------------------------------------------


class Script(NamedTuple):
    """Games at all stages, and legal actions to go on with."""

    states: batch.States
    words: batch.Words
    actions: NDArray[np.int64]
    """One row of actions, one for each game, for each step of the batch."""
    steps: int
    """Actions that are played: those of a game that has ended are not."""


@cache
def _script(size: int) -> Script:
    rng = np.random.default_rng(0)
    states, words = batch.new_games(Rules(4), np.arange(size))
    for move in range(SCRIPT_SPAN):
        still = size * (SCRIPT_SPAN - move) // SCRIPT_SPAN
        actions = _random_actions(states[:still], rng)
        batch.step(states[:still], words[:still], actions, check=False)
    start = states.copy(), words.copy()
    script, steps = [], 0
    for _ in range(min(SCRIPT_LENGTH, SCRIPT_STEPS // size)):
        steps += int((states[:, PHASE] != OVER).sum())
        script.append(_random_actions(states, rng))
        batch.step(states, words, script[-1], check=False)
    return Script(*start, np.array(script), steps)


def _random_actions(states: batch.States, rng: np.random.Generator) -> NDArray[np.int64]:
    return random_actions(batch.legal_masks(states, check=False), rng)


@njit
def _copy_rows(states: batch.States, out: batch.States) -> None:
    for row in range(len(states)):
        copy_row(states[row], out[row])


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure the speed of the engine.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="few repetitions: rough figures")
    options = parser.parse_args(arguments)
    figures = report(measure_all(options.quick))
    print(json.dumps(figures, indent=2) if options.json else as_text(figures))


if __name__ == "__main__":
    main()
