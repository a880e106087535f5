"""The table as a picture: an array of pixels, drawn with Pillow (the extra `render`).

Every tile has its column and every seat its row, so that seats can be compared at a glance. No
window system is needed, except by `show`. Reads a state; knows nothing of `Game`.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ra_env.ansi import (
    GROUPS,
    auction_words,
    checked_state,
    counted,
    seat_names,
    seat_note,
    seats_by_place,
    status,
    tile_name,
)
from ra_env.canvas import BACKGROUND, LINE, PANEL, TEXT, WIDTH, Canvas, drawable
from ra_env.errors import shown
from ra_env.layout import (
    AUCTION_SPACES,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD,
    DISCARD_CIVILIZATIONS,
    EPOCH,
    EPOCH_POINTS,
    FACE_DOWN,
    FACE_UP,
    HIGH_SEAT,
    MIDDLE_SUN,
    NUM_EPOCHS,
    OVER,
    PHASE,
    RA_COUNT,
    RA_SEAT,
    RA_SPACES,
    SCORE,
    SEAT,
    TRACK,
    TRACK_COUNT,
    State,
    held,
    suns_at,
)
from ra_env.rules import FIRST_CIVILIZATION, FIRST_MONUMENT, MAX_PLAYERS, RA, whole_number
from ra_env.scoring import CATEGORIES, category_points, points_now, rank, sun_points
from ra_env.window import show_array

DEFAULT_WIDTH: Final = 1280
MIN_WIDTH: Final = 640
MAX_WIDTH: Final = 3840

# Colours.
_ACTIVE_PANEL: Final = "#fff0b8"
_STRONG: Final = "#c77700"
_SOFT: Final = "#7d7263"
_GOOD: Final = "#1c7a3c"
_BAD: Final = "#b3261e"
_YELLOW: Final = "#ffc531"
_SUN: Final = (_YELLOW, "#b87700", TEXT)
_SUN_BID: Final = (_YELLOW, _BAD, TEXT)
_SUN_DOWN: Final = ("#8d8a86", "#5d5a57", PANEL)
_SEATS: Final = ("#0072b2", "#d55e00", "#008c67", "#b4548a", "#4d4d9f")

# Measures.
_MARGIN: Final = 16
_HEADER: Final = 74
_BOARD: Final = 158
_HEADINGS: Final = 46
_ROW: Final = 106
_SUNS_X: Final = 214
_SUNS_WIDTH: Final = 182
_TILES_X: Final = 402
_SLOT: Final = 47.0
_GROUP_GAP: Final = 3.0
_ICON: Final = 38
_TRACK_SLOT: Final = 92
_TRACK_ICON: Final = 84
_RIGHT_X: Final = 776

_GROUP_TITLES: Final = ("", "", "", "River", "Civilizations", "Monuments")
_SHORT: Final = {"astronomy": "astron.", "agriculture": "agricult.", "step pyramid": "steps"}
_NAME_LENGTH: Final = 24
_PLACES: Final = ("1st", "2nd", "3rd", "4th", "5th")


def draw_picture(
    state: State,
    *,
    names: Sequence[str] | None = None,
    width: int = DEFAULT_WIDTH,
    caption: str = "",
) -> NDArray[np.uint8]:
    """The table as pixels, uint8 `(height, width, 3)`. The height depends on the players alone.

    `caption` is a line for the upper right corner, such as the last move.
    """
    state = checked_state(state)
    names = [drawable(name) for name in seat_names(state, names)]
    pixels = whole_number(width)
    if pixels is None or not MIN_WIDTH <= pixels <= MAX_WIDTH:
        raise ValueError(
            f"width must be a whole number of {MIN_WIDTH} to {MAX_WIDTH} pixels, not {shown(width)}"
        )
    rows_y = _HEADER + _BOARD + _HEADINGS
    height = rows_y + len(names) * _ROW + _MARGIN
    canvas = Canvas(height, scale=ceil(pixels / WIDTH))
    _draw_header(canvas, state, names, drawable(caption))
    if state[PHASE] == OVER:
        _draw_ranking(canvas, state, names)
    else:
        _draw_track(canvas, state)
    _draw_boat(canvas, state)
    _draw_middle(canvas, state)
    _draw_headings(canvas, state, _HEADER + _BOARD)
    for seat, name in enumerate(names):
        _draw_seat(canvas, state, seat, name, rows_y + seat * _ROW)
    return canvas.to_array(pixels)


def show(state_or_array: NDArray[Any]) -> None:
    """Show a state, or a picture that is already drawn, in a window (`render_mode="human"`).

    The window stays open and takes the next picture; `ra_env.window.close_window` closes it.
    """
    is_picture = isinstance(state_or_array, np.ndarray) and state_or_array.ndim == 3
    show_array(state_or_array if is_picture else draw_picture(state_or_array))


def _shortened(name: str) -> str:
    """A name for use in a sentence, whose end shall not be cut off."""
    return name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 3] + "..."


# --- the upper half ------------------------------------------------------------------------------


def _draw_header(canvas: Canvas, state: State, names: list[str], caption: str) -> None:
    canvas.panel(0, 0, WIDTH, _HEADER - 10, fill=TEXT, rim=TEXT, radius=0)
    middle = (_HEADER - 10) / 2
    epoch = f"Epoch {state[EPOCH]} of {state[NUM_EPOCHS]}"
    canvas.text(_MARGIN, middle, epoch, 24, colour=_YELLOW, room=180, bold=True)
    names = [_shortened(name) for name in names]
    words = auction_words(state, names)
    line_y = middle - 13 if words else middle
    canvas.text(_SUNS_X, line_y, status(state, names), 24, colour=PANEL, room=740, bold=True)
    if words:
        canvas.text(_SUNS_X, middle + 15, words, 17, colour=LINE, room=740)
    canvas.text(WIDTH - _MARGIN, middle, caption, 18, colour=LINE, anchor="rm", room=290)


def _draw_track(canvas: Canvas, state: State) -> None:
    spaces = int(state[AUCTION_SPACES])
    detail = f"{state[TRACK_COUNT]} of {counted(spaces, 'tile')}"
    _draw_title(canvas, _MARGIN, "Auction track", detail)
    tiles = [tile for tile, count in enumerate(state[TRACK:BAG]) for _ in range(count)]
    y = _HEADER + 28
    for space in range(spaces):
        x = _MARGIN + space * _TRACK_SLOT
        if space >= len(tiles):
            canvas.panel(x, y, _TRACK_ICON, _TRACK_ICON, fill=BACKGROUND, line=2)
            continue
        canvas.tile(tiles[space], x, y, _TRACK_ICON)
        middle = x + _TRACK_ICON / 2
        canvas.text(
            middle, y + _TRACK_ICON + 13, tile_name(tiles[space]), 15, anchor="mm", room=_TRACK_SLOT
        )


def _draw_ranking(canvas: Canvas, state: State, names: list[str]) -> None:
    """In place of the track, once the game is over."""
    _draw_title(canvas, _MARGIN, "Final ranking", "points of each epoch below the total")
    step = 8 * _TRACK_SLOT / MAX_PLAYERS
    y = _HEADER + 28
    for place, seat in enumerate(seats_by_place(state)):
        x = _MARGIN + place * step
        fill = _ACTIVE_PANEL if place == 0 else PANEL
        canvas.panel(x, y, step - 8, 112, fill=fill, rim=_SEATS[seat], line=3)
        middle = x + (step - 8) / 2
        room = step - 24
        canvas.text(middle, y + 20, _PLACES[place], 22, anchor="mm", bold=True)
        canvas.text(middle, y + 44, names[seat], 17, anchor="mm", colour=_SEATS[seat], room=room)
        canvas.text(middle, y + 71, f"{state[SCORE + seat]}", 28, anchor="mm", bold=True)
        epochs = ", ".join(f"{points:+}" for points in _epoch_points(state, seat))
        canvas.text(middle, y + 97, epochs, 15, anchor="mm", colour=_SOFT, room=room)


def _draw_boat(canvas: Canvas, state: State) -> None:
    count, spaces = int(state[RA_COUNT]), int(state[RA_SPACES])
    detail = f"the boat is at {count} of {spaces}; the last ends the epoch"
    _draw_title(canvas, _RIGHT_X, "Ra track", detail)
    y = _HEADER + 28
    for space in range(spaces):
        x = _RIGHT_X + space * 49
        is_last = space == spaces - 1
        if space < count:
            canvas.tile(RA, x, y, 43)
        else:
            rim = _BAD if is_last else LINE
            canvas.panel(x, y, 43, 43, fill=BACKGROUND, rim=rim, line=2)
            colour = _BAD if is_last else _SOFT
            canvas.text(x + 21.5, y + 21.5, str(space + 1), 18, anchor="mm", colour=colour)


def _draw_middle(canvas: Canvas, state: State) -> None:
    y = _HEADER + 84
    canvas.sun(_RIGHT_X, y, 56, _SUN, str(state[MIDDLE_SUN]))
    canvas.text(_RIGHT_X + 68, y + 18, "Middle sun", 18, bold=True)
    if state[PHASE] != OVER:
        canvas.text(_RIGHT_X + 68, y + 41, "goes to the highest bidder", 15, colour=_SOFT)
    bag, ra = int(state[BAG_COUNT]), int(state[BAG + RA])
    x = _RIGHT_X + 272
    canvas.text(x, y + 18, f"Bag: {counted(bag, 'tile')}", 18, bold=True)
    share = f" ({100 * ra / bag:.0f} %)" if bag else ""
    canvas.text(x, y + 41, f"{ra} of them Ra{share}", 15, colour=_SOFT)


def _draw_title(canvas: Canvas, x: float, title: str, detail: str) -> None:
    y = _HEADER + 10
    width = canvas.text(x, y, title, 18, bold=True)
    canvas.text(x + width + 12, y, detail, 15, colour=_SOFT)


# --- the seats -----------------------------------------------------------------------------------


def _slots() -> list[list[float]]:
    """The left edges of the columns of tiles, group by group."""
    x, edges = float(_TILES_X), []
    for group in GROUPS:
        edges.append([x + i * _SLOT for i in range(len(group))])
        x += len(group) * _SLOT + _GROUP_GAP
    return edges


def _draw_headings(canvas: Canvas, state: State, y: float) -> None:
    x = float(_SUNS_X)
    for look, meaning in ((_SUN, "face up"), (_SUN_DOWN, "face down")):
        canvas.sun(x, y + 25, 14, look, "")
        x += 20 + canvas.text(x + 20, y + 32, meaning, 13, colour=_SOFT) + 12
    canvas.text(_SUNS_X, y + 12, "Suns", 15, bold=True)
    canvas.text(_MARGIN, y + 12, "Points", 15, bold=True)
    meaning = "and place" if state[PHASE] == OVER else "and if the epoch ended now"
    canvas.text(_MARGIN, y + 32, meaning, 13, colour=_SOFT, room=190)
    for title, edges, group in zip(_GROUP_TITLES, _slots(), GROUPS, strict=True):
        middle = (edges[0] + edges[-1] + _SLOT) / 2
        if title:
            canvas.text(middle, y + 12, title, 15, anchor="mm", bold=True)
        for x, tile in zip(edges, group, strict=True):
            name = _SHORT.get(tile_name(tile), tile_name(tile))
            canvas.text(x + _SLOT / 2, y + 32, name, 11, anchor="mm", colour=_SOFT, room=_SLOT)


def _draw_seat(canvas: Canvas, state: State, seat: int, name: str, y: float) -> None:
    left, width, height = _MARGIN / 2, WIDTH - _MARGIN, _ROW - 6
    if state[SEAT] == seat:
        canvas.panel(left, y, width, height, rim=_STRONG, line=3)
        canvas.panel(left, y, _SUNS_X - 16, height, fill=_ACTIVE_PANEL, rim=_STRONG, line=3)
    else:
        canvas.panel(left, y, width, height)
    _draw_points(canvas, state, seat, name, y)
    _draw_suns(canvas, state, seat, y)
    for category, (group, edges) in enumerate(zip(GROUPS, _slots(), strict=True)):
        _draw_group(canvas, state, seat, category, edges, y)
        for x, tile in zip(edges, group, strict=True):
            _draw_held(canvas, int(state[held(seat, tile)]), tile, x, y)


def _draw_points(canvas: Canvas, state: State, seat: int, name: str, y: float) -> None:
    canvas.panel(_MARGIN, y + 10, 26, 26, fill=_SEATS[seat], rim=_SEATS[seat])
    canvas.text(_MARGIN + 13, y + 23, str(seat), 17, anchor="mm", colour=PANEL, bold=True)
    canvas.text(_MARGIN + 34, y + 23, name, 18, room=150, bold=True)
    score = canvas.text(_MARGIN, y + 58, str(state[SCORE + seat]), 32, bold=True)
    x = _MARGIN + score + 12
    if state[PHASE] == OVER:
        canvas.text(x, y + 58, _PLACES[rank(state, seat)], 20, bold=True)
    else:
        points = int(points_now(state, seat))
        canvas.text(x, y + 60, f"{points:+} now", 18, colour=_points_colour(points))
    epochs = [f"{points:+}" for points in _epoch_points(state, seat)]
    if epochs:
        text = f"epochs {', '.join(epochs)}"
        canvas.text(_MARGIN, y + 84, text, 14, colour=_SOFT, room=190)


def _draw_suns(canvas: Canvas, state: State, seat: int, y: float) -> None:
    up, down = suns_at(state, FACE_UP + seat), suns_at(state, FACE_DOWN + seat)
    bid = int(state[BIDS + seat])
    step = min(46.0, _SUNS_WIDTH / max(len(up) + len(down), 1))
    for i, sun in enumerate(up + down):
        look = _SUN_BID if sun == bid else _SUN if sun in up else _SUN_DOWN
        canvas.sun(_SUNS_X + i * step, y + 10 + (46 - step) / 2, step - 4, look, str(sun))
    note = seat_note(state, seat)
    x: float = _SUNS_X
    if note:
        is_best = state[HIGH_SEAT] == seat
        colour = _STRONG if state[SEAT] == seat else _GOOD if is_best else _SOFT
        x += _draw_chip(canvas, x, y + 66, note, colour)
    if state[RA_SEAT] == seat:
        _draw_chip(canvas, x, y + 66, "Ra player", _BAD)
    if state[EPOCH] == state[NUM_EPOCHS]:
        points = int(sun_points(state, seat))
        _draw_category_points(canvas, _SUNS_X + _SUNS_WIDTH - 14, y, points)


def _draw_chip(canvas: Canvas, x: float, y: float, text: str, colour: str) -> float:
    """A word on a coloured ground; returns the room that it takes."""
    width = canvas.length(text, 15) + 14
    canvas.panel(x, y, width, 24, fill=colour, rim=colour, radius=5)
    canvas.text(x + width / 2, y + 12, text, 15, anchor="mm", colour=PANEL)
    return width + 6


def _draw_group(
    canvas: Canvas, state: State, seat: int, category: int, edges: list[float], y: float
) -> None:
    """The frame of a group of tiles and the points that it brings now."""
    x, width = edges[0] + 1, edges[-1] - edges[0] + _SLOT - 2
    has_to_go = _group_that_has_to_go(state) == category and state[SEAT] == seat
    rim = _BAD if has_to_go else LINE
    canvas.panel(x, y + 6, width, 88, fill=PANEL, rim=rim, line=3 if has_to_go else 1)
    middle = x + width / 2
    if CATEGORIES[category] == "monument" and state[EPOCH] < state[NUM_EPOCHS]:
        text = "scored after the last epoch"
        canvas.text(middle, y + 83, text, 14, anchor="mm", colour=_SOFT)
    else:
        _draw_category_points(canvas, middle, y, int(category_points(state, seat, category)))


def _draw_category_points(canvas: Canvas, x: float, y: float, points: int) -> None:
    text = f"{points:+}" if points else "0"
    colour = _points_colour(points)
    canvas.text(x, y + 83, text, 14, anchor="mm", colour=colour, bold=bool(points))


def _group_that_has_to_go(state: State) -> int | None:
    """The category of tiles of which the seat on turn has to give up one."""
    if state[PHASE] != DISCARD:
        return None
    first = FIRST_CIVILIZATION if state[DISCARD_CIVILIZATIONS] else FIRST_MONUMENT
    return next(category for category, group in enumerate(GROUPS) if first in group)


def _draw_held(canvas: Canvas, count: int, tile: int, x: float, y: float) -> None:
    canvas.tile(tile, x + (_SLOT - _ICON) / 2, y + 10, _ICON, is_there=count > 0)
    if count:
        size = 20 if count < 1000 else 15
        canvas.text(x + _SLOT / 2, y + 60, str(count), size, anchor="mm", bold=True)


def _points_colour(points: int) -> str:
    return _GOOD if points > 0 else _BAD if points < 0 else _SOFT


def _epoch_points(state: State, seat: int) -> list[int]:
    """The points of each finished epoch."""
    finished = int(state[EPOCH]) - (0 if state[PHASE] == OVER else 1)
    return [int(state[EPOCH_POINTS + i * MAX_PLAYERS + seat]) for i in range(finished)]
