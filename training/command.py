"""What `ra-env train` does: check what is asked for, train with a progress bar, show the result."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from benchmarks.command import INTERRUPTED, PLAIN_WIDTH
from benchmarks.files import write_whole
from benchmarks.yardstick import measure, yardstick_table
from training.curve import draw_curves, read_curve
from training.run import POLICY, Run, train

PICTURE: Final = "curve.png"
RESULTS: Final = "results.json"


def train_and_report(run: Run, final_games: int) -> int:
    """Train, show what came out, and say how to use it; the exit code."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    settings = run.settings
    length = (
        f"{settings.decisions:,} decisions" if settings.decisions else f"{settings.minutes:g} min"
    )
    players = ", ".join(map(str, settings.players))
    console.print(f"Training for {length} at {players} players, into [bold]{run.out}[/].")
    with _polite_interrupt() as is_asked_to_stop:
        with _bar(console) as bar:
            task = bar.add_task("", total=1.0, figures="")
            bar.update(task, completed=run.progress)
            seen = len(run.curve)

            def watch(run: Run) -> None:
                nonlocal seen
                if len(run.curve) > seen and not console.is_terminal:
                    console.print(f"{100 * run.progress:3.0f} %  {_figures(run)}")
                seen = len(run.curve)
                bar.update(task, completed=run.progress, figures=_figures(run))

            train(run, watch=watch, is_asked_to_stop=is_asked_to_stop)
        draw_curves(run.out / PICTURE, {run.out.name: read_curve(run.out)})
        if is_asked_to_stop():
            console.print(
                f"Stopped at {100 * run.progress:.0f} %. To go on: "
                f"ra-env train --resume --out {run.out}"
            )
            return INTERRUPTED
    _show_result(run, final_games, console)
    return 0


def _show_result(run: Run, games: int, console: Console) -> None:
    path = run.out / POLICY
    columns = (TextColumn("measuring"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        result = measure(
            str(path),
            players=run.settings.players,
            games=games,
            processes=run.settings.threads,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    write_whole(run.out / RESULTS, json.dumps(result, indent=2).encode())
    console.print(yardstick_table(result))
    console.print(
        f"{run.learner.num_timesteps:,} decisions and {run.learner.games_played:,} games in "
        f"{run.seconds / 60:.1f} min.\n"
        f"Learning curve: {run.out / PICTURE}   Logs: tensorboard --logdir {run.out}\n"
        f"Play against it: ra-env play --against {path}\n"
        f"Compare it:      ra-env match {path} heuristic\n"
        f"Train on:        ra-env train --resume --out {run.out} --minutes "
        f"{max(2 * run.seconds / 60, 1):.0f}"
    )


def _figures(run: Run) -> str:
    learner = run.learner
    parts = [
        f"{learner.num_timesteps / max(run.seconds, 1e-9) / 1000:.1f}k decisions/s",
        f"{learner.games_played:,} games",
    ]
    if run.curve:
        against: dict[str, Any] = run.curve[-1]["against"]
        wins = ", ".join(f"{name} {100 * r['win_rate']:.0f} %" for name, r in against.items())
        parts.append(f"wins at {run.yardstick_players} players: {wins}")
    return " | ".join(parts)


def _bar(console: Console) -> Progress:
    return Progress(
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[figures]}"),
        console=console,
        disable=not console.is_terminal,
    )


@contextmanager
def _polite_interrupt() -> Iterator[Any]:
    """Ctrl-C lets the update under way finish, so that it can be saved; a second one does not."""
    asked = False

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    previous = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, previous)
