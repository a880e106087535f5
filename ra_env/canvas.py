"""A canvas for pictures: panels, texts that never outgrow their room, tiles and suns.

Measures are in units, of which a canvas is `WIDTH` wide. Needs Pillow (the extra `render`), and its
own font alone. Knows nothing of states.
"""

import unicodedata
from functools import lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ra_env.symbols import panel_image, tile_image

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

WIDTH: Final = 1280
"""The width of a canvas in units."""

BACKGROUND: Final = "#f1e8d3"
PANEL: Final = "#fffaf0"
LINE: Final = "#d8cbb0"
TEXT: Final = "#2b2621"

_STROKE: Final = 0.45
"""How much thicker bold letters are drawn, on either side: the font comes in one weight only."""


class Canvas:
    """A picture under way. Takes measures in units; a unit is a whole number of pixels, because
    small letters only keep their spacing at the sizes that they were tried at."""

    def __init__(self, height: int, scale: int) -> None:
        self.scale = scale
        size = (WIDTH * scale, height * scale)
        self.image: Image = load_pillow()[0].new("RGB", size, BACKGROUND)

    def to_array(self, width: int) -> NDArray[np.uint8]:
        """The pixels, `width` wide and an even number high, because video formats want it so."""
        height = 2 * round(self.image.height * width / self.image.width / 2)
        return np.array(self.image.resize((width, height)))

    def pixels(self, *units: float) -> list[int]:
        return [round(unit * self.scale) for unit in units]

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        colour: str = TEXT,
        anchor: str = "lm",
        room: float = WIDTH,
        bold: bool = False,
    ) -> float:
        """Write a line, cut off with dots if it is wider than `room`; returns its width."""
        pixels = round(size * self.scale)
        stroke = _STROKE * self.scale if bold else 0.0
        text, length = _fitted(text, pixels, room * self.scale - 2 * stroke)
        mask, left, top = _text_mask(text, pixels, stroke, anchor)
        across, down = self.pixels(x, y)
        self.image.paste(colour, (across + left, down + top), mask)
        return length / self.scale

    def length(self, text: str, size: float) -> float:
        """The width that a line would have."""
        return _font(round(size * self.scale)).getlength(text) / self.scale

    def panel(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = PANEL,
        rim: str = LINE,
        line: float = 1,
        radius: float = 6,
    ) -> None:
        """A rectangle with round corners; a disc, if the radius is half its size."""
        x0, y0, x1, y1 = self.pixels(x, y, x + width, y + height)
        image = panel_image(x1 - x0, y1 - y0, radius * self.scale, fill, rim, line * self.scale)
        self.image.paste(image, (x0, y0), image)

    def tile(self, tile: int, x: float, y: float, size: float, *, is_there: bool = True) -> None:
        """A tile; one that is not there is only hinted at."""
        image = tile_image(tile, self.pixels(size)[0], is_there)
        left, top = self.pixels(x, y)
        self.image.paste(image, (left, top), image)

    def sun(self, x: float, y: float, size: float, look: tuple[str, str, str], text: str) -> None:
        """A disc with a number, by its upper left corner. A look is fill, rim and ink."""
        fill, rim, ink = look
        half = size / 2
        self.panel(x, y, size, size, fill=fill, rim=rim, line=size / 14, radius=half)
        self.text(x + half, y + half, text, size / 2, anchor="mm", colour=ink, bold=True)


def load_pillow() -> tuple[Any, Any, Any]:
    """Pillow's modules Image, ImageDraw and ImageFont, or an error that names the extra."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError(
            "pictures need Pillow; install ra-env with the extra 'render': pip install "
            "'ra-env[render]'"
        ) from None
    return Image, ImageDraw, ImageFont


@lru_cache(maxsize=64)
def _font(size: int) -> "FreeTypeFont":
    """Pillow's own font, laid out in the one way that every build of Pillow knows."""
    module = load_pillow()[2]
    font: FreeTypeFont = module.load_default(size=size)
    return font.font_variant(layout_engine=module.Layout.BASIC)


# Letters are what takes longest to draw, and most of them stand there again in the next picture.


@lru_cache(maxsize=4096)
def _fitted(text: str, size: int, room: float) -> tuple[str, float]:
    """The text, cut off with dots if it is longer than `room` pixels, and its length."""
    font = _font(size)
    length = font.getlength(text)
    while length > room and text.strip("."):
        text = text.rstrip(".")[:-1] + "..."
        length = font.getlength(text)
    return text, length


@lru_cache(maxsize=4096)
def _text_mask(text: str, size: int, stroke: float, anchor: str) -> "tuple[Image, int, int]":
    """Where a text at the origin covers the ground, and the upper left corner of that."""
    image_module, draw_module, _ = load_pillow()
    font = _font(size)
    left, top, right, bottom = font.getbbox(text, stroke_width=stroke, anchor=anchor)
    left, top = floor(left), floor(top)
    mask = image_module.new("L", (ceil(right) - left, ceil(bottom) - top))
    draw_module.Draw(mask).text((-left, -top), text, 255, font, anchor, stroke_width=stroke)
    return mask, left, top


def drawable(text: str) -> str:
    """The text in one line and in the letters that Pillow's own font has."""
    letters = unicodedata.normalize("NFKD", " ".join(text.split()))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plain.encode("ascii", "replace").decode()
