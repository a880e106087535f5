"""Tuning the heuristic by simulation, and measuring what its rules are worth.

    python -m agents.tune_heuristic tune --players 4 --minutes 10 --out tuned.json
    python -m agents.tune_heuristic rules --players 4
    python -m agents.tune_heuristic measure --players 4

`tune` changes one number at a time and keeps the change if it wins: one seat plays with it against
the others without it, and the other way round, at every seat in turn on the same seeds. `rules`
switches off one rule at a time. `measure` gives the figures of docs/heuristic.md. `compare` plays
two files of numbers against each other. Seeds for tuning and for figures never overlap.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import Values, choose
from agents.heuristic_auction import WORK_SIZE, Work
from agents.heuristic_parameters import NUM_PARAMETERS, PARAMETERS, tuned_parameters
from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.batch import States, Words, new_games, random_action
from ra_env.layout import FACE_DOWN, FACE_UP, OVER, PHASE, SCORE, SEAT
from ra_env.legality import legal_actions
from ra_env.rng import next_word, seed_word
from ra_env.rules import MAX_PLAYERS, MIN_PLAYERS, Rules
from ra_env.transitions import step

Table = NDArray[np.float64]
"""Numbers of the heuristic, one row for each number of players."""
Seeds = NDArray[np.int64]

FIRST_TRAINING_SEED: Final = 1_000_000_000
FIRST_HELD_OUT_SEED: Final = 500_000_000

NAMES: Final = tuple(parameter.name for parameter in PARAMETERS)
POSITIVE: Final = (
    *("time_sun", "time_ra", "pharaoh_now", "pharaoh_later", "monument_time"),
    *("sun_half", "sun_total", "rivalry"),
)
"""Numbers that make no sense below zero; a hundredth is the least."""
STAGES: Final = (150, 300, 600, 1200)
"""Seeds on which a step is tried, as long as it looks good."""

RULES: Final = {
    "the lot's worth changes with the time left": {"time_sun": 1e-9, "time_ra": 1e-9},
    "a god is worth more than its points": {"god_later": 0.0},
    "niles hope for floods": {"flood_now": 0.0, "flood_later": 0.0},
    "later pharaoh prizes count": {"pharaoh_share": 0.0},
    "rivals' pharaoh prizes count": {"pharaoh_rivals": 0.0},
    "monuments hope for more": {"monument_time": 1e9},
    "a sun has a price": {"sun_worth": 0.0},
    "a sun brings more in early epochs": {"sun_later": 0.0},
    "high suns are worth more than low ones": {"sun_rank": 0.0},
    "suns count in the next epochs": {"sun_next": 0.0},
    "rivals' gains count": {"rivalry": 0.0},
    "drawing has a worth of its own": {"draw_base": 0.0},
    "whoever leads in suns can wait": {"draw_lead": 0.0},
    "one more tile is worth a risk, when alone": {"draw_alone": 0.0},
}
"""Each rule, and the numbers that switch it off."""


# --- playing -------------------------------------------------------------------------------------


@njit
def _play(
    states: States,
    words: Words,
    seats: NDArray[np.int64],
    rows: NDArray[np.int64],
    tables: NDArray[np.float64],
    against_random: bool,
    work: Work,
    values: Values,
) -> None:
    """Play each game to its end: the seat in `seats` with the table in `rows`, the others with
    the last table or at random."""
    field = len(tables) - 1
    for game in range(len(states)):
        state = states[game]
        word = words[game]
        choice = seed_word(word)
        while state[PHASE] != OVER:
            is_challenger = state[SEAT] == seats[game]
            if against_random and not is_challenger:
                choice = next_word(choice)
                action = random_action(legal_actions(state), choice)
            else:
                row = rows[game] if is_challenger else field
                action = choose(state, tables[row], work, values)
            word = step(state, action, word)


class Result(NamedTuple):
    """Games of challengers, one entry for each."""

    points: NDArray[np.float64]
    """The challenger's."""
    rivals: NDArray[np.float64]
    """The best of its rivals'."""
    is_won: NDArray[np.bool_]
    seconds: float


def play(num_players: int, seeds: Seeds, tables: Sequence[Table], field: Table | None) -> Result:
    """Every table as challenger at every seat on the same `seeds`, shape `(seats, ...)`.

    `seeds` has one row for each table. Arrays come as `(table, seat, seed)`. Without a `field`,
    the rivals play at random.
    """
    shape = (len(tables), num_players, seeds.shape[1])
    states, words = new_games(
        Rules(num_players), np.broadcast_to(seeds[:, None, :], shape).reshape(-1)
    )
    rows, seats = (index.reshape(-1) for index in np.indices(shape)[:2])
    everyone = np.stack([*tables, tables[0] if field is None else field])
    start = time.process_time()
    _play(
        *(states, words, seats, rows, everyone, field is None),
        *(np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS)),
    )
    seconds = time.process_time() - start
    scores = states[:, SCORE : SCORE + num_players].astype(np.float64)
    suns = states[:, FACE_UP : FACE_UP + num_players] | states[:, FACE_DOWN:][:, :num_players]
    keys = scores + suns.view(np.uint16) / 2**17  # the highest sun decides among equals
    own = np.arange(len(states)), seats
    is_won = keys.argmax(axis=1) == seats
    points = scores[own]
    scores[own] = -np.inf
    return Result(
        points.reshape(shape),
        scores.max(axis=1).reshape(shape),
        is_won.reshape(shape),
        seconds,
    )


# --- tuning --------------------------------------------------------------------------------------


def tune(num_players: int, table: Table, minutes: float, seed: int) -> Table:
    """Better numbers for one number of players than those of `table`.

    One number at a time takes a step up or down. A step is kept if it wins; then the next one is
    longer, and otherwise shorter.
    """
    rng = np.random.default_rng(seed)
    row = num_players - MIN_PLAYERS
    steps = 0.3 * np.maximum(np.abs(table[row]), 0.3)
    signs = np.ones(NUM_PARAMETERS)
    end = time.monotonic() + 60 * minutes
    while True:
        for i in rng.permutation(NUM_PARAMETERS):
            for sign in (signs[i], -signs[i]):
                if time.monotonic() > end:
                    return table
                changed = table.copy()
                changed[row, i] += sign * steps[i]
                if NAMES[i] in POSITIVE:
                    changed[row, i] = max(changed[row, i], 0.01)
                lead = lead_of(num_players, changed, table, rng)
                if lead > 0:
                    print(
                        f"{NAMES[i]} {changed[row, i]:.3f}: wins {100 * lead:+.1f} %",
                        flush=True,
                    )
                    table = changed
                    signs[i] = sign
                    steps[i] *= 1.5
                    break
            else:
                steps[i] *= 0.6


def lead_of(num_players: int, changed: Table, table: Table, rng: np.random.Generator) -> float:
    """How much more often one of `changed` wins among `table` than the other way round; 0 if it
    is not certain that it does.

    Both ways, because everyone foresees the others' bids best when they are like his own: whoever
    is alone of his kind is at a disadvantage, and a better player could stay unnoticed.
    """
    leads: NDArray[np.float64] = np.empty(0)
    for count in STAGES:
        seeds = FIRST_TRAINING_SEED + rng.integers(0, 2**50, (1, count))
        there = play(num_players, seeds, [changed], table).is_won[0].mean(axis=0)
        back = play(num_players, seeds, [table], changed).is_won[0].mean(axis=0)
        leads = np.append(leads, there - back)
        error = leads.std() / np.sqrt(len(leads)) + 1e-9
        if leads.mean() < 0.5 * error:
            return 0.0
        if leads.mean() > 4 * error:
            break
    return float(leads.mean()) if leads.mean() > 2 * error else 0.0


# --- figures -------------------------------------------------------------------------------------


def interval(by_seed: NDArray[np.float64]) -> str:
    """A mean over seeds with its 95 % interval, in percent."""
    half = 1.96 * by_seed.std(ddof=1) / np.sqrt(len(by_seed))
    return f"{100 * by_seed.mean():5.1f} ± {100 * half:.1f} %"


def held_out(count: int) -> Seeds:
    """Seeds that no tuning has seen."""
    return np.arange(FIRST_HELD_OUT_SEED, FIRST_HELD_OUT_SEED + count)[None]


def seeds_text(count: int) -> str:
    """Which seeds `held_out` gives."""
    return f"seeds from {FIRST_HELD_OUT_SEED}, {count} of them"


def print_rules(num_players: int, table: Table, count: int) -> None:
    """How often one seat without a rule wins among others with it, and the other way round."""
    print(f"{num_players} players, {num_players * count} games each way, {seeds_text(count)};")
    print(f"without a difference it would be {100 / num_players:.1f} %")
    print("| rule | one without it | one with it |")
    for rule, numbers in RULES.items():
        changed = table.copy()
        for name, value in numbers.items():
            changed[:, NAMES.index(name)] = value
        without = play(num_players, held_out(count), [changed], table)
        alone = play(num_players, held_out(count), [table], changed)
        rates = (interval(result.is_won[0].mean(axis=0)) for result in (without, alone))
        print(f"| {rule} | {' | '.join(rates)} |", flush=True)


def print_figures(num_players: int, table: Table, count: int) -> None:
    """Games lost against random players; points and speed among heuristics."""
    print(f"{num_players} players, {num_players * count} games each, {seeds_text(count)}")
    result = play(num_players, held_out(count), [table], None)
    print(f"lost against random players: {(~result.is_won).sum()} games")
    result = play(num_players, held_out(count)[:, :1], [table], table)  # compiles
    result = play(num_players, held_out(count), [table], table)
    winning = np.maximum(result.points, result.rivals)[0, 0]
    print(f"among heuristics: {result.points.mean():.1f} points, the winner {winning.mean():.1f}")
    print(f"{result.points.size / result.seconds:.0f} games/s")


def compare(num_players: int, table: Table, other: Table, count: int) -> None:
    """How often `table` wins against `other` at all other seats."""
    result = play(num_players, held_out(count), [table], other)
    print(f"{num_players} players: {interval(result.is_won[0].mean(axis=0))}")


def read(path: str | None) -> Table:
    """The numbers of a file that `tune` wrote; without one, the tuned ones."""
    if path is None:
        return tuned_parameters()
    with open(path, encoding="utf-8") as file:
        values = json.load(file)
    return np.array([values[name] for name in NAMES]).T.copy()


def write(path: str, table: Table) -> None:
    """Write numbers as JSON: for each name the values for 2, 3, 4 and 5 players."""
    values = {name: [round(v, 3) for v in table[:, i]] for i, name in enumerate(NAMES)}
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(values, file, indent=1)
    os.replace(path + ".part", path)


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(description="Tune and measure the heuristic.")
    parser.add_argument("what", choices=["tune", "rules", "measure", "compare"])
    parser.add_argument(
        "--players", type=int, default=4, choices=range(MIN_PLAYERS, MAX_PLAYERS + 1)
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to tune")
    parser.add_argument("--seed", type=int, default=0, help="of the tuning's own luck")
    parser.add_argument("--seeds", type=int, default=2000, help="held-out seeds for figures")
    parser.add_argument("--table", help="a file of numbers to use instead of the tuned ones")
    parser.add_argument("--other", help="a file of numbers to compare with")
    parser.add_argument("--out", default="tuned.json", help="where to write the tuned numbers")
    asked = parser.parse_args()
    table = read(asked.table)
    if asked.what == "tune":
        write(asked.out, tune(asked.players, table, asked.minutes, asked.seed))
    elif asked.what == "rules":
        print_rules(asked.players, table, asked.seeds)
    elif asked.what == "measure":
        print_figures(asked.players, table, asked.seeds)
    else:
        compare(asked.players, table, read(asked.other), asked.seeds)


if __name__ == "__main__":
    main()
