"""Points of a learning curve: the same games as a match, and usable for any learner."""

import json
import runpy
import sys
from pathlib import Path

import pytest
import torch

from agents.random import Random
from benchmarks import yardstick
from benchmarks.contest import run
from benchmarks.match import summary
from benchmarks.plan import Plan
from training.curve import read_curve
from training.measure import FIRST_SEED, OPPONENTS, win_rates

pytestmark = pytest.mark.compiled

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "train_against_heuristics.py"


def test_the_figures_are_those_of_a_match() -> None:
    found = win_rates(Random(), 3, 30)
    assert tuple(found) == OPPONENTS
    for name, result in found.items():
        wanted = summary(run(Plan.match("random", name, 3, 30, FIRST_SEED)))
        assert result["games"] == wanted["games"]
        assert result["win_rate"] == wanted["challenger"]["win_rate"]
        assert result["ci95"] == pytest.approx(wanted["challenger"]["ci95"], abs=1e-4)


def test_curve_and_yardstick_share_no_games() -> None:
    assert yardstick.FIRST_SEED - FIRST_SEED >= yardstick.GAMES


def test_the_example_writes_a_curve_that_can_be_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stops at its first look at the clock, having measured once."""
    threads = torch.get_num_threads()
    few = ["--minutes", "0", "--points", "1", "--games", "4", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *few])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    torch.set_num_threads(threads)
    points = read_curve(tmp_path)["points"]
    assert [point["against"]["heuristic"]["games"] for point in points] == [4]
    assert "wins against random" in capsys.readouterr().out
    assert (tmp_path / "model.zip").is_file()
    assert json.loads((tmp_path / "curve.json").read_text())["points"] == points
