"""The canvas: what is written stays in its room, and everything scales together."""

import numpy as np
import pytest

from ra_env.canvas import BACKGROUND, WIDTH, Canvas, drawable

pytestmark = pytest.mark.compiled  # nothing here is compiled, so running it once is enough


def inked(canvas: Canvas) -> tuple[int, int, int, int]:
    """The box of everything that differs from the background: left, top, right, bottom."""
    pixels = np.asarray(canvas.image).astype(int)
    ground = [int(BACKGROUND[i : i + 2], 16) for i in (1, 3, 5)]
    rows, columns = np.nonzero((pixels != ground).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("room", [40, 80.5, 200])
def test_a_text_never_outgrows_its_room(room: float, bold: bool) -> None:
    canvas = Canvas(100, scale=1)
    width = canvas.text(300, 50, "a sentence too long for its room", 20, room=room, bold=bold)
    left, _, right, _ = inked(canvas)
    assert width <= room
    assert right - left <= room + 1
    assert right - left > 0.6 * room  # it is cut off no sooner than it has to be


def test_a_text_with_enough_room_is_written_in_full() -> None:
    """Its width is what `length` says."""
    canvas = Canvas(100, scale=1)
    assert canvas.text(300, 50, "short", 20, room=200) == canvas.length("short", 20)


def test_everything_scales_together() -> None:
    """At twice the scale the same things stand at the same place, twice as large."""
    boxes = []
    for scale in (1, 2):
        canvas = Canvas(100, scale)
        canvas.panel(20, 10, 50, 30)
        canvas.tile(3, 80, 20, 40)
        canvas.sun(200, 50, 40, ("#ffffff", "#000000", "#000000"), "16")
        assert canvas.image.size == (WIDTH * scale, 100 * scale)
        boxes.append(np.array(inked(canvas)))
    assert np.abs(boxes[1] - 2 * boxes[0]).max() <= 1


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("plain", "plain"), ("Zoë\n  René", "Zoe Rene"), ("王1", "?1"), ("", "")],
)
def test_letters_that_the_font_lacks_are_replaced(text: str, drawn: str) -> None:
    assert drawable(text) == drawn
