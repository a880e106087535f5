"""Learning curves: drawn from a run's file, and refused when the file is something else."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from training.curve import draw_curves, main, read_curve


def point(minutes: float, rate: float) -> dict[str, Any]:
    result = {"win_rate": rate, "ci95": [rate - 0.1, rate + 0.1], "games": 100}
    return {
        "decisions": int(minutes * 1000),
        "minutes": minutes,
        "players": 4,
        "against": {"random": result, "heuristic": result | {"ci95": None}},
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    points = [point(0, 0.2), point(1, 0.5), point(2, 0.8)]
    (tmp_path / "curve.json").write_text(json.dumps({"settings": {}, "points": points}))
    return tmp_path


def test_curves_become_one_picture(folder: Path) -> None:
    curve = read_curve(folder)
    draw_curves(folder / "one.png", {"one": curve})
    draw_curves(folder / "two.png", {"one": curve, "two": curve})
    one, two = (Image.open(folder / name) for name in ("one.png", "two.png"))
    assert one.size == two.size
    assert one.tobytes() != two.tobytes()  # the second run is in the legend


def test_the_command_draws_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = folder / "curves.svg"
    main([str(folder), str(folder / "curve.json"), "--picture", str(picture)])
    assert picture.read_text().startswith("<?xml")
    assert str(picture) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("{", "is not a learning curve"),
        ('{"points": []}', "nothing was measured yet"),
        ('{"points": [{"minutes": 1}]}', "is not a learning curve"),
    ],
)
def test_other_files_are_refused(
    content: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "curve.json").write_text(content)
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--picture", str(tmp_path / "x.png")])
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x.png").exists()
