"""What `ra-env match` and `ra-env tournament` do: check what is asked for, play, and report it."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from benchmarks import match, tournament, yardstick
from benchmarks.contest import OnError, Outcome, Progress, Store, run
from benchmarks.files import check_folders, write_whole
from benchmarks.plan import Plan, check_agents
from benchmarks.play import block_records
from benchmarks.report import match_report, tournament_report, write_csv
from benchmarks.results import versions
from benchmarks.store import Folder
from ra_env.record import write_games

INTERRUPTED: Final = 130
"""The exit code of a program that was ended by Ctrl-C."""
SHOWN_FAILURES: Final = 3
"""So many failures are shown in full."""
PLAIN_WIDTH: Final = 120
"""Columns of a table where there is no terminal to say how wide it is."""


@dataclass(frozen=True)
class Wishes:
    """How a contest is to be played, and what is wanted of it."""

    until_clear: bool = False
    processes: int = 1
    time_limit: float | None = None
    on_error: OnError = "stop"
    out: Path | None = None
    keep_records: Path | None = None
    as_json: bool = False
    csv: Path | None = None
    picture: Path | None = None


def prepare(plan: Plan, wishes: Wishes) -> Store:
    """Check everything before the first game; `ValueError` or `OSError` says what is wrong."""
    check_agents(plan.agents)
    limit = wishes.time_limit
    if limit is not None and not 0 < limit < np.inf:
        raise ValueError(f"a time limit is a number of seconds above 0, not {limit:g}")
    check_folders(wishes.keep_records, wishes.csv, wishes.picture)
    if wishes.picture is not None:
        from benchmarks.charts import check_picture  # matplotlib is slow to import

        check_picture(wishes.picture)
    return Store() if wishes.out is None else Folder(wishes.out, plan, versions(plan.agents))


def play_and_report(plan: Plan, wishes: Wishes, store: Store) -> int:
    """Play a contest and say what came out in every way that was asked for; the exit code."""
    module: Any = match if plan.kind == "match" else tournament
    try:
        with _progress_bar() as progress:
            outcome = run(
                plan,
                processes=wishes.processes,
                time_limit=wishes.time_limit,
                on_error=wishes.on_error,
                store=store,
                is_clear=module.is_clear if wishes.until_clear else None,
                progress=progress,
            )
    except RuntimeError as error:  # no game could be played
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if isinstance(store, Folder):
        store.write_failures(outcome.failures)
    _show_failures(outcome)
    if outcome.blocks:
        _report(outcome, module.summary(outcome, until_clear=wishes.until_clear), wishes)
    else:
        print("no seed was finished, so there is nothing to report", file=sys.stderr)
    if outcome.is_interrupted:
        return INTERRUPTED
    return int(not outcome.blocks or (wishes.on_error == "stop" and bool(outcome.failures)))


def evaluate_and_report(
    agent: str,
    players: Sequence[int] | None,
    games: int | None,
    processes: int,
    out: Path | None,
    as_json: bool,
) -> int:
    """Measure an agent with the yardstick and say what came out; the exit code."""
    try:
        with _progress_bar() as progress:
            result = yardstick.measure(
                agent,
                players=sorted(set(players or yardstick.PLAYERS)),
                games=games or yardstick.GAMES,
                processes=processes,
                progress=progress,
            )
    except KeyboardInterrupt:
        print("interrupted, so there is nothing to report", file=sys.stderr)
        return INTERRUPTED
    except RuntimeError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if out is not None:
        write_whole(out, json.dumps(result, indent=2).encode())
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        _console().print(yardstick.yardstick_table(result))
    return 0


def _console() -> Console:
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def _report(outcome: Outcome, summary: dict[str, Any], wishes: Wishes) -> None:
    plan = outcome.plan
    if wishes.keep_records is not None:
        records = (block_records(block, plan.rules, plan.agents) for block in outcome.blocks)
        write_games(wishes.keep_records, (record for part in records for record in part))
    if wishes.csv is not None:
        write_csv(wishes.csv, summary)
    if wishes.picture is not None:
        from benchmarks.charts import write_picture

        write_picture(wishes.picture, outcome, summary)
    if wishes.as_json:
        print(json.dumps(summary, indent=2))
        return
    report = match_report(summary) if plan.kind == "match" else tournament_report(summary)
    _console().print(report)


def _show_failures(outcome: Outcome) -> None:
    """Who failed, where, and the game up to there."""
    for failure in outcome.failures[:SHOWN_FAILURES]:
        print(
            f"agent {failure.agent!r} failed at seat {failure.seat} with seed {failure.seed} "
            f"after {len(failure.record['moves'])} moves: {failure.reason}\n"
            f"  {json.dumps(failure.record)}",
            file=sys.stderr,
        )
    more = len(outcome.failures) - SHOWN_FAILURES
    if more > 0:
        print(f"... and {more} more", file=sys.stderr)


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """A bar on the terminal; where there is none, nothing."""
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("games", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
