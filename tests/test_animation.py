"""Animations: one frame a move, true to the pictures, and whole files or none."""

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from random_play import SMALL, random_game

from ra_env import Game, RecordError
from ra_env.animation import LAST_FRAME, draw_frames, write_animation
from ra_env.picture import MIN_WIDTH, draw_picture

pytestmark = pytest.mark.compiled  # nothing here is compiled, so running it once is enough

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def game() -> Game:
    """A short game, played to its end."""
    return random_game(rules=SMALL, seed=3)


def read_frames(path: Path) -> tuple[list[NDArray[np.float64]], list[int]]:
    """What a viewer shows: the frames one after the other, and how long each stays."""
    frames, durations = [], []
    with Image.open(path) as image:
        for number in range(image.n_frames):  # type: ignore[attr-defined]
            image.seek(number)
            frames.append(np.asarray(image.convert("RGB"), dtype=float))
            durations.append(image.info["duration"])
    return frames, durations


def test_one_frame_for_the_start_and_one_for_each_move(game: Game, tmp_path: Path) -> None:
    """Each frame shows what the picture shows, in somewhat fewer colours, through all the
    differences that the file is made of; the last one stays longer."""
    path = tmp_path / "game.gif"
    write_animation(game, path, width=MIN_WIDTH, milliseconds=200)
    frames, durations = read_frames(path)
    pictures = list(draw_frames(game, width=MIN_WIDTH))
    assert len(frames) == len(pictures) == len(game.moves) + 1
    for frame, picture in zip(frames, pictures, strict=True):
        assert np.abs(frame - picture).mean() < 2
    assert durations == [200] * len(game.moves) + [200 * LAST_FRAME]
    assert [file.name for file in tmp_path.iterdir()] == ["game.gif"]


def test_only_differences_are_stored(game: Game, tmp_path: Path) -> None:
    """The file is a small part of what its frames would take one by one."""
    path = tmp_path / "game.gif"
    write_animation(game, path, width=MIN_WIDTH)
    single = tmp_path / "single.gif"
    Image.fromarray(next(draw_frames(game, width=MIN_WIDTH))).save(single)
    assert path.stat().st_size < 0.5 * single.stat().st_size * (len(game.moves) + 1)


@pytest.mark.parametrize("every", [1, 4, 7, 1000])
def test_every_nth_position_and_always_the_last(game: Game, every: int) -> None:
    last = len(game.moves)
    shown = sorted({*range(0, last, every), last})
    frames = list(draw_frames(game, width=MIN_WIDTH, every=every))
    assert len(frames) == len(shown)
    caption = f"move {last}: {game.moves[-1]}"
    final = draw_picture(game.state, width=MIN_WIDTH, caption=caption)
    assert np.array_equal(frames[-1], final)


def test_a_game_without_moves_is_one_frame(tmp_path: Path) -> None:
    path = tmp_path / "start.GIF"
    write_animation(Game(2, seed=0), path, width=MIN_WIDTH)
    assert len(read_frames(path)[0]) == 1


def test_a_record_or_its_line_is_as_good_as_the_game(game: Game) -> None:
    """And the names of its agents are shown, unless others are given."""
    agents = ["anna", "ben"]
    record = game.to_record(agents=agents)
    wanted = list(draw_frames(game, names=agents, every=9, width=MIN_WIDTH))
    for given in (record, json.dumps(record) + "\n"):
        frames = list(draw_frames(given, every=9, width=MIN_WIDTH))
        assert np.array_equal(frames, wanted)
    renamed = list(draw_frames(record, names=["cleo", "dan"], every=9, width=MIN_WIDTH))
    assert not np.array_equal(renamed, wanted)
    assert len(game.moves) == len(record["moves"])  # the game itself has not been undone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0}, "every must be a whole number from 1 to"),
        ({"every": 1.5}, "every must be a whole number from 1 to"),
        ({"milliseconds": 10}, "milliseconds must be a whole number from 20 to"),
        ({"milliseconds": True}, "milliseconds must be a whole number from 20 to"),
        ({"width": 10}, "width must be a whole number"),
        ({"names": ["one"]}, "names must be a list of 2 names"),
    ],
)
def test_wrong_settings_are_refused(
    game: Game, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        write_animation(game, tmp_path / "game.gif", **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{", "not a line of a file of games"),
        ("[1]", "a record is an object"),
        ({"suns": [[9, 6, 5, 2], [8, 7, 4, 3]], "moves": ["0 bid 9"]}, "move 1"),
    ],
)
def test_a_wrong_record_is_refused(tmp_path: Path, given: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        write_animation(given, tmp_path / "game.gif")
    assert list(tmp_path.iterdir()) == []


def test_another_kind_of_file_is_refused(game: Game, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a \.gif file, not 'game\.mp4'"):
        write_animation(game, tmp_path / "game.mp4")


@pytest.mark.parametrize("broken", ["replace", "fsync"])
def test_a_file_is_written_whole_or_not_at_all(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """When writing fails, what was there before is still there, and nothing else."""

    def fail(*arguments: Any) -> None:
        raise OSError("the disk is full")

    path = tmp_path / "game.gif"
    path.write_bytes(b"before")
    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="the disk is full"):
        write_animation(game, path, every=1000, width=MIN_WIDTH)
    assert path.read_bytes() == b"before"
    assert [file.name for file in tmp_path.iterdir()] == ["game.gif"]


def test_a_folder_that_is_not_there_is_named(game: Game, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        write_animation(game, tmp_path / "missing" / "game.gif", every=1000, width=MIN_WIDTH)
    assert list(tmp_path.iterdir()) == []


def test_the_images_of_the_documents(tmp_path: Path) -> None:
    """The script that the page names draws some of the images; all are shown, and small."""
    spec = importlib.util.spec_from_file_location("draw_images", DOCS / "draw_images.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    drawn = {file.name for file in tmp_path.iterdir()}
    images = {file.name: file.stat().st_size for file in (DOCS / "images").iterdir()}
    assert drawn
    assert drawn <= images.keys()
    pages = [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    for name, size in images.items():
        assert f"images/{name}" in text, name
        assert size < (1_500_000 if name.endswith(".gif") else 150_000), name
