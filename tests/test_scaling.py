"""The speed of a tournament on several processes: what the command says of it."""

import json

import pytest

from benchmarks import scaling


def run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    machine: float,
    *arguments: str,
) -> str:
    """The output when two processes are 1.5 times as fast, and two threads `machine` times."""
    monkeypatch.setattr("sys.argv", ["scaling", "random", "heuristic", "--games", "6", *arguments])
    monkeypatch.setattr(scaling, "measure", lambda plan, processes: 100.0 * (1 + processes) / 2)
    monkeypatch.setattr(
        scaling, "measure_reference", lambda threads: {1: 7, 2: 7 * machine}[threads]
    )
    scaling.main()
    return capsys.readouterr().out


@pytest.mark.compiled
def test_it_says_when_the_second_core_was_not_free(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    free = run(monkeypatch, capsys, 1.95)
    assert "1.50" in free
    assert "1.95" in free
    assert "not free" not in free
    assert "2 cores were not free" in run(monkeypatch, capsys, 1.3)


@pytest.mark.compiled
def test_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(monkeypatch, capsys, 2.0, "--json"))["by_processes"]["2"]
    assert found == {
        "games_per_second": 150.0,
        "times_as_fast": 1.5,
        "times_as_fast_reference": 2.0,
    }


@pytest.mark.parametrize("wrong", [["--processes", "0"], ["--repetitions", "0"]])
def test_wrong_numbers_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, capsys, 2.0, *wrong)
