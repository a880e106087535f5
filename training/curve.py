"""Pictures of learning curves, from the `curve.json` of one run or several.

python -m training.curve runs/one runs/other --picture curves.png
"""

import argparse
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from benchmarks.charts import check_picture
from benchmarks.files import check_folders, write_whole

COLOURS: Final = ("#b3541e", "#2a6f97", "#4f772d", "#7b2d8b", "#6c757d", "#c9a227")
Curve = dict[str, Any]


def read_curve(path: Path) -> Curve:
    """The curve of a run: its folder, or the file itself. `ValueError` says what is wrong."""
    file = path / "curve.json" if path.is_dir() else path
    try:
        curve: Curve = json.loads(file.read_text(encoding="utf-8"))
        if not curve["points"]:
            raise ValueError("nothing was measured yet")
        for point in curve["points"]:
            point["minutes"], point["decisions"], point["against"]["random"]["ci95"]
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} is not a learning curve: {error}") from None
    return curve


def draw_curves(path: Path, curves: dict[str, Curve]) -> None:
    """Draw named curves into one picture: a panel for each yardstick."""
    check_picture(path)
    points = [point for curve in curves.values() for point in curve["points"]]
    yardsticks = list(points[0]["against"])
    figure = Figure(figsize=(5.5 * len(yardsticks), 4), layout="constrained")
    panels = figure.subplots(1, len(yardsticks), squeeze=False)[0]
    for axes, yardstick in zip(panels, yardsticks, strict=True):
        for colour, (name, curve) in zip(_colours(len(curves)), curves.items(), strict=True):
            _draw(axes, curve["points"], yardstick, name, colour)
        axes.axhline(1 / points[0]["players"], color="grey", linestyle=":", label="fair share")
        axes.set_title(f"against {points[0]['players'] - 1} x {yardstick}")
        axes.set_xlabel("minutes")
        axes.set_ylabel("games won, with 95 % interval")
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
        axes.legend(loc="best", frameon=False)
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix.lower()[1:], dpi=120)
    write_whole(path, content.getvalue())


def _draw(axes: Axes, points: list[dict[str, Any]], yardstick: str, name: str, colour: str) -> None:
    minutes = [point["minutes"] for point in points]
    results = [point["against"][yardstick] for point in points]
    rates = np.array([result["win_rate"] for result in results])
    ends = np.array([result["ci95"] or [result["win_rate"]] * 2 for result in results])
    axes.plot(minutes, rates, "o-", color=colour, label=name, markersize=4)
    axes.fill_between(minutes, ends[:, 0], ends[:, 1], color=colour, alpha=0.15, linewidth=0)


def _colours(count: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(count)]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(description="Draw the learning curves of training runs.")
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs, or their curve.json")
    parser.add_argument("--picture", type=Path, default=Path("curves.png"), help="[%(default)s]")
    given = parser.parse_args(arguments)
    try:
        check_picture(given.picture)
        check_folders(given.picture)
        draw_curves(given.picture, {str(run): read_curve(run) for run in given.runs})
    except ValueError as error:
        parser.error(str(error))
    print(given.picture)


if __name__ == "__main__":
    main()
