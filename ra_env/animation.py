"""A whole game as an animated GIF, one picture a move (the extra `render`).

GIF alone: every browser, chat and editor plays it, and Pillow writes it without further packages.
`draw_frames` hands the pictures to whatever else writes films.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ra_env.canvas import load_pillow
from ra_env.errors import RecordError, shown
from ra_env.files import whole_file
from ra_env.game import Game
from ra_env.picture import draw_picture
from ra_env.rules import whole_number

if TYPE_CHECKING:
    from PIL.Image import Image

DEFAULT_WIDTH: Final = 960
DEFAULT_MILLISECONDS: Final = 800
MIN_MILLISECONDS: Final = 20
"""Browsers slow faster animations down."""
MAX_MILLISECONDS: Final = 60_000
MAX_EVERY: Final = 10_000
LAST_FRAME: Final = 5
"""The final position stays as long as so many others."""

_COLOURS: Final = 128
_SAMPLES: Final = 6
"""About so many frames decide on the colours of all."""


def write_animation(
    game: "Game | Mapping[str, Any] | str",
    path: str | Path,
    *,
    milliseconds: int = DEFAULT_MILLISECONDS,
    every: int = 1,
    names: Sequence[str] | None = None,
    width: int = DEFAULT_WIDTH,
) -> None:
    """Write a game as an animated GIF, whole or not at all.

    `game` is a `Game`, a record, or a line of a file of records. `every=5` shows every fifth
    position, and always the last. Names are those of the record's agents, if none are given.
    """
    path = Path(path)
    if path.suffix.lower() != ".gif":
        raise ValueError(f"an animation is a .gif file, not {path.name!r}")
    milliseconds = _checked("milliseconds", milliseconds, MIN_MILLISECONDS, MAX_MILLISECONDS)
    every = _checked("every", every, 1, MAX_EVERY)
    game, names = _read(game, names)
    count = len(_shown_moves(game, every))
    samples = draw_frames(game, every=every * max(count // _SAMPLES, 1), names=names, width=width)
    palette = _palette([_to_image(frame) for frame in samples])
    frames = draw_frames(game, every=every, names=names, width=width)
    durations = [milliseconds] * (count - 1) + [milliseconds * LAST_FRAME]
    content = _encode(frames, palette, durations)
    with whole_file(path) as file:
        file.write(content)


def draw_frames(
    game: "Game | Mapping[str, Any] | str",
    *,
    every: int = 1,
    names: Sequence[str] | None = None,
    width: int = DEFAULT_WIDTH,
) -> Iterator[NDArray[np.uint8]]:
    """The pictures of a game one after the other: its start, and the table after each move."""
    every = _checked("every", every, 1, MAX_EVERY)
    game, names = _read(game, names)
    moves = game.moves
    states = [game.state]
    replay = game.copy()
    while replay.moves:
        replay.undo()
        states.append(replay.state)
    states.reverse()
    for number in _shown_moves(game, every):
        caption = f"move {number}: {moves[number - 1]}" if number else "start"
        yield draw_picture(states[number], names=names, width=width, caption=caption)


def _shown_moves(game: Game, every: int) -> list[int]:
    """The numbers of the moves after which the table is shown; 0 is the start."""
    last = len(game.moves)
    return [number for number in range(last + 1) if number % every == 0 or number == last]


def _read(
    game: "Game | Mapping[str, Any] | str", names: Sequence[str] | None
) -> tuple[Game, Sequence[str] | None]:
    """The game, replayed and checked, and the names to show."""
    if isinstance(game, Game):
        return game, names
    if isinstance(game, str):
        try:
            game = json.loads(game)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"this is not a line of a file of games ({error})") from None
    replayed = Game.from_record(game)
    if names is None and isinstance(game, Mapping) and game.get("agents") is not None:
        names = [str(agent) for agent in game["agents"]]
    return replayed, names


# --- the file ------------------------------------------------------------------------------------


def _to_image(frame: NDArray[np.uint8]) -> "Image":
    image: Image = load_pillow()[0].fromarray(frame)
    return image


def _palette(samples: "list[Image]") -> "Image":
    """An image that has the colours for all frames."""
    from PIL.Image import Quantize

    width, height = samples[0].size
    sheet: Image = load_pillow()[0].new("RGB", (width, height * len(samples)))
    for i, sample in enumerate(samples):
        sheet.paste(sample, (0, i * height))
    # Of Pillow's methods the one that keeps rare colours: a tile is small beside the background.
    return sheet.quantize(_COLOURS, method=Quantize.FASTOCTREE)


def _encode(
    frames: Iterator[NDArray[np.uint8]], palette: "Image", durations: Sequence[int]
) -> bytes:
    """The frames as a GIF in which each holds only what differs from the one before."""
    from PIL.Image import Dither

    # Without dithering, because its noise would make everything differ.
    images = (_to_image(frame).quantize(palette=palette, dither=Dither.NONE) for frame in frames)
    buffer = BytesIO()
    next(images).save(
        buffer,
        "GIF",
        save_all=True,
        append_images=images,
        duration=durations,
        loop=0,
        optimize=True,
    )
    return buffer.getvalue()


def _checked(name: str, value: object, low: int, high: int) -> int:
    number = whole_number(value)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {shown(value)}")
    return number
