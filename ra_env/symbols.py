"""Small drawings: one for each tile, and smooth panels and discs. Plain shapes of our own making.

A symbol is data: shapes on a square of 100 by 100 units, drawn large once and shrunk, so that its
edges are smooth. Knows nothing of states; needs Pillow (the extra `render`).
"""

from functools import lru_cache
from math import cos, pi, sin
from typing import TYPE_CHECKING, Final, NamedTuple

from ra_env.rules import TILE_NAMES

if TYPE_CHECKING:
    from PIL.Image import Image

OVERSAMPLING: Final = 4
INK: Final = "#fff8e7"

Points = tuple[float, ...]
"""Coordinates x, y, x, y, ..."""


class Polygon(NamedTuple):
    """A filled polygon."""

    points: Points
    colour: str = INK


class Ellipse(NamedTuple):
    """A filled ellipse in a box x0, y0, x1, y1."""

    box: Points
    colour: str = INK


class Line(NamedTuple):
    """A line through points, with round corners."""

    points: Points
    width: float = 7
    colour: str = INK


Shape = Polygon | Ellipse | Line


class Symbol(NamedTuple):
    """What is drawn on a tile, and the colour of the tile."""

    ground: str
    shapes: tuple[Shape, ...]


def _box(x0: float, y0: float, x1: float, y1: float, colour: str = INK) -> Polygon:
    return Polygon((x0, y0, x1, y0, x1, y1, x0, y1), colour)


def _star(corners: int, outer: float, inner: float, colour: str = INK) -> Polygon:
    """A star round the middle, one corner up."""
    points: list[float] = []
    for i in range(2 * corners):
        radius = inner if i % 2 else outer
        angle = pi * i / corners
        points += (50 + radius * sin(angle), 50 - radius * cos(angle))
    return Polygon(tuple(points), colour)


def _wave(y: float) -> Line:
    points: list[float] = []
    for x in range(12, 89, 4):
        points += (x, y + 6 * sin((x - 12) * pi / 19))
    return Line(tuple(points), 8)


_RED: Final = "#c8321f"
_YELLOW: Final = "#ffd54a"
_PURPLE: Final = "#6a3fa0"
_GOLD: Final = "#d9a400"
_GREEN: Final = "#2f8f4e"
_LIGHT_BLUE: Final = "#3d9fd8"
_BLUE: Final = "#1c4f96"
_ORANGE: Final = "#df7a1c"
_BROWN: Final = "#8a6a4a"
_BLACK: Final = "#33302e"
_FIRE: Final = "#ff6a4d"

SYMBOLS: Final = {
    "ra": Symbol(_RED, (_star(12, 42, 27, _YELLOW), Ellipse((32, 32, 68, 68), "#fff3b0"))),
    "god": Symbol(
        _PURPLE,
        (
            Polygon((10, 50, 30, 32, 50, 26, 70, 32, 90, 50, 70, 68, 50, 74, 30, 68)),
            Ellipse((34, 34, 66, 66), _PURPLE),
            Ellipse((43, 43, 57, 57), _YELLOW),
        ),
    ),
    "pharaoh": Symbol(
        _GREEN,
        (
            Polygon((50, 12, 72, 22, 84, 82, 64, 82, 36, 82, 16, 82, 28, 22), _YELLOW),
            Ellipse((33, 26, 67, 70), INK),
            Ellipse((40, 42, 46, 48), _BLACK),
            Ellipse((54, 42, 60, 48), _BLACK),
            _box(46, 68, 54, 90, _BLACK),
        ),
    ),
    "nile": Symbol(_LIGHT_BLUE, (_wave(38), _wave(62))),
    "flood": Symbol(_BLUE, (_wave(26), _wave(44), _wave(62), _wave(80))),
    "gold": Symbol(
        _GOLD,
        (
            Polygon((36, 24, 64, 24, 72, 46, 28, 46)),
            Polygon((16, 54, 42, 54, 48, 76, 8, 76)),
            Polygon((58, 54, 84, 54, 92, 76, 52, 76)),
        ),
    ),
    "astronomy": Symbol(_ORANGE, (_star(5, 42, 17),)),
    "agriculture": Symbol(
        _ORANGE,
        (
            Line((50, 90, 50, 24), 6),
            *(Ellipse((26, y, 48, y + 14)) for y in (26, 44, 62)),
            *(Ellipse((52, y, 74, y + 14)) for y in (26, 44, 62)),
            Ellipse((43, 8, 57, 28)),
        ),
    ),
    "writing": Symbol(
        _ORANGE,
        (
            _box(22, 12, 78, 88),
            *(Line((32, y, 68, y), 6, _ORANGE) for y in (28, 43, 58)),
            Line((32, 73, 52, 73), 6, _ORANGE),
        ),
    ),
    "religion": Symbol(
        _ORANGE,
        (
            Ellipse((34, 8, 66, 50)),
            Ellipse((43, 18, 57, 40), _ORANGE),
            _box(44, 46, 56, 92),
            _box(22, 52, 78, 63),
        ),
    ),
    "art": Symbol(
        _ORANGE,
        (
            _box(36, 10, 64, 18),
            _box(42, 16, 58, 30),
            Ellipse((24, 24, 76, 80)),
            _box(36, 76, 64, 88),
            Line((30, 46, 40, 54, 50, 46, 60, 54, 70, 46), 5, _ORANGE),
        ),
    ),
    "fortress": Symbol(
        _BROWN,
        (
            _box(14, 36, 86, 86),
            *(_box(x, 20, x + 15, 40) for x in (14, 42, 71)),
            _box(42, 58, 58, 86, _BROWN),
        ),
    ),
    "obelisk": Symbol(
        _BROWN, (Polygon((50, 6, 60, 20, 66, 80, 34, 80, 40, 20)), _box(24, 80, 76, 90))
    ),
    "palace": Symbol(
        _BROWN,
        (
            _box(8, 26, 92, 36),
            _box(8, 78, 92, 88),
            *(_box(x, 36, x + 11, 78) for x in (13, 34, 55, 76)),
        ),
    ),
    "pyramid": Symbol(
        _BROWN,
        (
            Polygon((50, 16, 94, 84, 6, 84)),
            Polygon((50, 16, 94, 84, 62, 84), "#d8c8ac"),
        ),
    ),
    "temple": Symbol(
        _BROWN,
        (
            Polygon((50, 10, 92, 36, 8, 36)),
            *(_box(x, 42, x + 12, 78) for x in (16, 44, 72)),
            _box(8, 80, 92, 90),
        ),
    ),
    "statue": Symbol(
        _BROWN,
        (
            Ellipse((39, 8, 61, 32)),
            Polygon((30, 36, 70, 36, 64, 62, 62, 78, 38, 78, 36, 62)),
            _box(26, 80, 74, 92),
        ),
    ),
    "step_pyramid": Symbol(
        _BROWN,
        (
            _box(40, 18, 60, 35),
            _box(29, 35, 71, 52),
            _box(18, 52, 82, 69),
            _box(7, 69, 93, 86),
        ),
    ),
    "sphinx": Symbol(
        _BROWN,
        (
            Polygon((16, 16, 40, 16, 46, 52, 10, 52)),
            Ellipse((19, 20, 37, 44), "#d8c8ac"),
            Polygon((20, 50, 46, 46, 78, 50, 92, 64, 92, 84, 4, 84, 4, 74, 20, 72)),
        ),
    ),
    "funeral": Symbol(
        _BLACK,
        (
            Polygon((36, 8, 64, 8, 76, 32, 62, 92, 38, 92, 24, 32), _FIRE),
            Ellipse((40, 16, 60, 38), _BLACK),
            *(_box(34, y, 66, y + 6, _BLACK) for y in (48, 62, 76)),
        ),
    ),
    "drought": Symbol(
        _BLACK,
        (
            *(_box(x, y, x + 24, y + 15, _FIRE) for y in (54, 75) for x in (9, 38, 67)),
            Ellipse((36, 12, 64, 40), _FIRE),
            Line((50, 2, 50, 50), 4, _FIRE),
            Line((24, 26, 76, 26), 4, _FIRE),
            Line((33, 9, 67, 43), 4, _FIRE),
            Line((67, 9, 33, 43), 4, _FIRE),
        ),
    ),
    "unrest": Symbol(
        _BLACK,
        (
            Line((20, 14, 76, 80), 9, _FIRE),
            Line((80, 14, 24, 80), 9, _FIRE),
            Line((14, 66, 38, 90), 8, _FIRE),
            Line((86, 66, 62, 90), 8, _FIRE),
        ),
    ),
    "earthquake": Symbol(
        _BLACK,
        (
            Polygon((8, 22, 50, 22, 36, 42, 52, 54, 40, 76, 8, 76), _FIRE),
            Polygon((66, 36, 92, 36, 92, 90, 56, 90, 68, 66, 52, 56), _FIRE),
        ),
    ),
}
"""The symbols by the name of the tile."""


@lru_cache(maxsize=512)
def tile_image(tile: int, size: int, is_there: bool = True) -> "Image":
    """A tile as a picture of `size` by `size` pixels; one that is not there is only hinted at.

    Not to be changed: it is kept for the next time.
    """
    from PIL import Image, ImageDraw

    symbol = SYMBOLS[TILE_NAMES[tile]]
    side = size * OVERSAMPLING
    unit = side / 100
    image = Image.new("RGBA", (side, side), symbol.ground + "00")
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, side - 1, side - 1), radius=12 * unit, fill=symbol.ground)
    for shape in symbol.shapes:
        if isinstance(shape, Polygon):
            draw.polygon([c * unit for c in shape.points], fill=shape.colour)
        elif isinstance(shape, Ellipse):
            draw.ellipse([c * unit for c in shape.box], fill=shape.colour)
        else:
            points = [c * unit for c in shape.points]
            draw.line(points, fill=shape.colour, width=round(shape.width * unit), joint="curve")
    image = image.reduce(OVERSAMPLING)
    if not is_there:
        image.putalpha(image.getchannel("A").point(lambda alpha: alpha // 8))
    return image


@lru_cache(maxsize=256)
def panel_image(
    width: int, height: int, radius: float, fill: str, rim: str, line: float
) -> "Image":
    """A rectangle with round corners and a rim, or with a large radius a disc. Kept, too."""
    from PIL import Image, ImageDraw

    image = Image.new("RGBA", (width * OVERSAMPLING, height * OVERSAMPLING), rim + "00")
    ImageDraw.Draw(image).rounded_rectangle(
        (0, 0, image.width - 1, image.height - 1),
        radius=radius * OVERSAMPLING,
        fill=fill,
        outline=rim,
        width=round(line * OVERSAMPLING),
    )
    return image.reduce(OVERSAMPLING)
