"""Strength by simulations: budgets are compared on the same seeds, and finished games are kept."""

import json
from pathlib import Path

import pytest

from benchmarks import simulations

pytestmark = pytest.mark.compiled

Capture = pytest.CaptureFixture[str]


def run(monkeypatch: pytest.MonkeyPatch, capsys: Capture, *arguments: str) -> str:
    monkeypatch.setattr("sys.argv", ["simulations", "--games", "6", *arguments])
    simulations.main()
    return capsys.readouterr().out


def test_each_budget_is_compared_with_the_one_before(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    picture = tmp_path / "search.png"
    arguments = ("--budgets", "8", "2", "--picture", str(picture))
    found = json.loads(run(monkeypatch, capsys, *arguments, "--json"))
    assert list(found) == ["2", "8"]
    assert "gain" not in found["2"]
    rates = [found[budget]["challenger"]["win_rate"] for budget in found]
    assert found["8"]["gain"] == pytest.approx(rates[1] - rates[0])
    assert found["8"]["gain_ci95"][0] <= found["8"]["gain"] <= found["8"]["gain_ci95"][1]
    assert found["8"]["gain_seeds"] == 3
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "more than above" in run(monkeypatch, capsys, *arguments)


def test_finished_games_are_not_played_again(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    arguments = ("--budgets", "2", "4", "--out", str(tmp_path))
    first = run(monkeypatch, capsys, *arguments)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    assert sorted(path.parent.name for path in files) == ["2_2", "2_4"]
    assert run(monkeypatch, capsys, *arguments) == first
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")} == files


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (["--players", "6"], "num_players must be a whole number from 2 to 5"),
        (["--budgets", "0"], "sims >= 1"),
        (["--picture", "a.gif"], "ending in .png"),
    ],
)
def test_a_wrong_argument_is_answered_with_what_is_right(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, wrong: list[str], right: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, capsys, *wrong)
    assert right in capsys.readouterr().err
