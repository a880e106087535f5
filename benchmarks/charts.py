"""Pictures of matches and tournaments: strength with intervals, and how the scores are spread."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from benchmarks.contest import Outcome
from benchmarks.files import write_whole
from benchmarks.play import Numbers
from benchmarks.results import Results

SUFFIXES: Final = (".png", ".svg", ".pdf")
COLOUR: Final = "#b3541e"


def check_picture(path: Path) -> None:
    """Raise `ValueError` unless a picture can be written to such a file."""
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"a picture is a file ending in {', '.join(SUFFIXES)}, not {path.name!r}")


def write_picture(path: Path, outcome: Outcome, summary: dict[str, Any]) -> None:
    """Draw a match or a tournament; the file is there whole or not at all."""
    check_picture(path)
    is_match = outcome.plan.kind == "match"
    # The strongest at the top; a picture's own axis goes upwards.
    agents = [summary["challenger"], summary["field"]] if is_match else summary["agents"]
    indices = [0, 1] if is_match else [outcome.plan.agents.index(a["name"]) for a in agents]
    labels = [agent["name"] for agent in agents]
    if is_match:
        labels[1] = f"{labels[1]} (field)"
    results = Results.of(outcome.blocks)
    figure = Figure(figsize=(11, 1.8 + 0.55 * len(agents)), layout="constrained")
    strength, scores = figure.subplots(1, 2)
    if is_match:
        _draw_strength(strength, agents, "win_rate", "ci95")
        strength.axvline(summary["fair_share"], color="grey", linestyle=":")
        strength.xaxis.set_major_formatter(PercentFormatter(1.0))
        strength.set_xlabel("win rate of a seat with 95 % interval (dotted: fair share)")
    else:
        _draw_strength(strength, agents, "rating", "rating_ci95")
        strength.set_xlabel("Plackett-Luce rating with 95 % interval")
    strength.set_yticks(range(len(labels)), labels)
    _draw_scores(scores, [results.scores[results.seats == i] for i in indices])
    scores.set_yticks(range(len(labels)), [""] * len(labels))
    scores.set_xlabel("final score (box: middle half, line: median, diamond: mean)")
    for axes in (strength, scores):
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"{summary['players']} players, {summary['games']} games with {summary['seeds']} seeds"
    )
    write_figure(path, figure)


def write_figure(path: Path, figure: Figure) -> None:
    """Write a picture, whole or not at all."""
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix.lower()[1:], dpi=150)
    write_whole(path, content.getvalue())


def _draw_strength(axes: Axes, agents: Sequence[dict[str, Any]], key: str, interval: str) -> None:
    values = np.array([agent[key] for agent in agents])
    ends = np.array([agent[interval] or [agent[key]] * 2 for agent in agents])
    errors = np.abs(ends.T - values)
    axes.errorbar(
        values, range(len(agents)), xerr=errors, fmt="o", color=COLOUR, capsize=4, markersize=6
    )
    axes.grid(axis="x", alpha=0.3)


def _draw_scores(axes: Axes, scores: Sequence[Numbers]) -> None:
    positions = range(len(scores))
    violins: Any = axes.violinplot(
        scores, positions, orientation="horizontal", widths=0.85, showextrema=False
    )
    for body in violins["bodies"]:
        body.set_facecolor(COLOUR)
        body.set_alpha(0.25)
    axes.boxplot(
        scores,
        positions=positions,
        orientation="horizontal",
        widths=0.2,
        showfliers=False,
        showmeans=True,
        medianprops={"color": "black"},
        meanprops={"marker": "D", "markersize": 4, "markerfacecolor": COLOUR, "markeredgewidth": 0},
    )
    axes.grid(axis="x", alpha=0.3)
