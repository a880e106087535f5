"""The table as coloured text for a terminal, and the words in which any picture of it speaks.

Fits `COLUMNS` columns for any number of players at any time of the game. Reads a state; knows
nothing of `Game` and of drawings.
"""

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ra_env.actions import PASS
from ra_env.batch import check_states
from ra_env.errors import shown
from ra_env.layout import (
    AUCTION,
    AUCTION_KIND,
    AUCTION_NAMES,
    AUCTION_SPACES,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    EPOCH,
    FACE_DOWN,
    FACE_UP,
    GODS,
    HIGH_BID,
    HIGH_SEAT,
    MIDDLE_SUN,
    NO_AUCTION,
    NUM_EPOCHS,
    NUM_PLAYERS,
    OVER,
    PASSED,
    PHASE,
    RA_COUNT,
    RA_SEAT,
    RA_SPACES,
    SCORE,
    SEAT,
    STATE_SIZE,
    TRACK,
    TRACK_COUNT,
    TURN,
    State,
    held,
    suns_at,
)
from ra_env.legality import legal_actions
from ra_env.rules import (
    END_CIVILIZATION,
    END_MONUMENT,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    GOD,
    GOLD,
    NILE,
    NUM_TILES,
    PHARAOH,
    RA,
    TILE_NAMES,
)
from ra_env.scoring import points_now, rank

COLUMNS: Final = 100
"""No line is longer."""

GROUPS: Final = (
    (GOD,),
    (GOLD,),
    (PHARAOH,),
    (NILE, FLOOD),
    tuple(range(FIRST_CIVILIZATION, END_CIVILIZATION)),
    tuple(range(FIRST_MONUMENT, END_MONUMENT)),
)
"""The tiles that are scored together, in the order of `scoring.CATEGORIES`."""

_NAME_COLUMNS: Final = 14
_BOLD: Final = "1"
_FAINT: Final = "2"
_ORANGE: Final = "38;5;208"
_BROWN: Final = "38;5;137"
_RED: Final = "1;31"
_SUN: Final = "1;38;5;214"
_TILE_COLOURS: Final = (
    *(_RED, "38;5;135", "38;5;35", "38;5;39", "38;5;33", "38;5;220"),  # ra, god, ... gold
    *([_ORANGE] * (END_CIVILIZATION - FIRST_CIVILIZATION)),
    *([_BROWN] * (END_MONUMENT - FIRST_MONUMENT)),
    *([_RED] * (NUM_TILES - END_MONUMENT)),
)
_Paint = Callable[[str, str], str]


def draw_ansi(state: State, *, colour: bool = True, names: Sequence[str] | None = None) -> str:
    """The whole table in at most `COLUMNS` columns; without `colour` as plain text."""
    state = checked_state(state)
    names = [_cut(name, _NAME_COLUMNS) for name in seat_names(state, names)]
    paint = _escape if colour else _plain
    lines = [_course_line(state, paint), _track_line(state, paint)]
    lines += [paint(status(state, names), _BOLD) + _in_brackets(auction_words(state, names))]
    lines += ["", _heading_line(paint)]
    for seat in range(state[NUM_PLAYERS]):
        lines += [_seat_line(state, seat, names[seat], paint), _tile_line(state, seat, paint)]
    return "\n".join(lines)


# --- words ---------------------------------------------------------------------------------------


def checked_state(state: object) -> State:
    """A copy of the row, if it is a position of the game; otherwise `ValueError` says why not."""
    if not isinstance(state, np.ndarray) or state.shape != (STATE_SIZE,):
        given = f"shape {state.shape}" if isinstance(state, np.ndarray) else type(state).__name__
        raise ValueError(f"a state is one int16 row of {STATE_SIZE} numbers, not {given}")
    row = state.copy()
    check_states(row[np.newaxis])
    return row


def seat_names(state: State, names: Sequence[str] | None) -> list[str]:
    """One name for each seat, in one line and without control characters; by default `seat 0`."""
    players = int(state[NUM_PLAYERS])
    if names is None:
        names = [""] * players
    if isinstance(names, str) or len(names) != players:
        raise ValueError(f"names must be a list of {players} names, one for each seat")
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"a name must be a text, not {shown(name)}")
    clean = ["".join(c if c.isprintable() else " " for c in name) for name in names]
    return [" ".join(name.split()) or f"seat {seat}" for seat, name in enumerate(clean)]


def status(state: State, names: Sequence[str]) -> str:
    """Who has to decide what; after the end, who has won."""
    phase = int(state[PHASE])
    if phase == OVER:
        winner = seats_by_place(state)[0]
        return f"game over: {names[winner]} wins with {counted(state[SCORE + winner], 'point')}"
    asked = {
        TURN: "takes a turn",
        GODS: "spends another god or ends the turn",
        AUCTION: _bidding(state),
        DISCARD: f"gives up {_due(state)}",
    }
    return f"{names[state[SEAT]]} {asked[phase]}"


def _bidding(state: State) -> str:
    """Whoever opens an auction of free will has to bid if nobody else does; without a sun above the
    highest bid there is nothing but passing."""
    legal = int(legal_actions(state))
    if legal == 1 << PASS:
        return "has to pass"
    return "bids or passes" if legal >> PASS & 1 else "has to bid"


def auction_words(state: State, names: Sequence[str]) -> str:
    """The kind of the running auction, who opened it and its highest bid; empty without one."""
    kind = int(state[AUCTION_KIND])
    if kind == NO_AUCTION:
        return ""
    opened = f"{AUCTION_NAMES[kind]} auction by {names[state[RA_SEAT]]}"
    if not state[HIGH_BID]:
        return f"{opened}, no bid yet"
    return f"{opened}, highest bid {state[HIGH_BID]} by {names[state[HIGH_SEAT]]}"


def seat_note(state: State, seat: int) -> str:
    """In a word or two: what a seat has to do, or has said in the running auction, or that it is
    out until the next epoch, for want of suns."""
    bid = int(state[BIDS + seat])
    if state[SEAT] == seat:
        return {AUCTION: "to bid", DISCARD: "gives up"}.get(int(state[PHASE]), "on turn")
    if bid:
        return "passed" if bid == PASSED else f"bids {bid}"
    return "out" if state[PHASE] != OVER and not state[FACE_UP + seat] else ""


def counted(number: int, word: str) -> str:
    """So many of something: `1 tile`, `2 tiles`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def tile_name(tile: int) -> str:
    """The name of a tile as a person writes it."""
    return TILE_NAMES[tile].replace("_", " ")


def seats_by_place(state: State) -> list[int]:
    """The seats by points so far, best first."""
    return sorted(range(state[NUM_PLAYERS]), key=lambda seat: int(rank(state, seat)))


def _due(state: State) -> str:
    due = (
        (int(state[DISCARD_CIVILIZATIONS]), "civilization"),
        (int(state[DISCARD_MONUMENTS]), "monument"),
    )
    return ", then ".join(counted(n, what) for n, what in due if n)


# --- lines ---------------------------------------------------------------------------------------


def _course_line(state: State, paint: _Paint) -> str:
    reached, spaces = int(state[RA_COUNT]), int(state[RA_SPACES])
    boat = paint("*" * reached, _RED) + "." * (spaces - reached)
    return (
        f"epoch {state[EPOCH]} of {state[NUM_EPOCHS]}   boat {boat} {reached}/{spaces}   "
        f"middle sun {paint(str(state[MIDDLE_SUN]), _SUN)}   "
        f"bag {counted(state[BAG_COUNT], 'tile')}, {state[BAG + RA]} of them ra"
    )


def _track_line(state: State, paint: _Paint) -> str:
    tiles = [
        paint(tile_name(tile) if count == 1 else f"{count} {tile_name(tile)}", _TILE_COLOURS[tile])
        for tile, count in enumerate(state[TRACK:BAG])
        if count
    ]
    return f"track {state[TRACK_COUNT]}/{state[AUCTION_SPACES]}: {', '.join(tiles) or '-'}"


def _heading_line(paint: _Paint) -> str:
    """Names over the columns of tiles; those of civilizations and monuments are cut short."""
    return _columns(paint, lambda tile: (_heading(tile), _TILE_COLOURS[tile]))


def _tile_line(state: State, seat: int, paint: _Paint) -> str:
    def cell(tile: int) -> tuple[str, str]:
        count = int(state[held(seat, tile)])
        return (str(count), _TILE_COLOURS[tile]) if count else (".", _FAINT)

    return _columns(paint, cell)


def _columns(paint: _Paint, cell: Callable[[int], tuple[str, str]]) -> str:
    """One cell for each tile that can be held; bars before civilizations and monuments."""
    line = "  "
    for tile in (tile for group in GROUPS for tile in group):
        text, colour = cell(tile)
        bar = " |" if tile in (FIRST_CIVILIZATION, FIRST_MONUMENT) else ""
        line += bar + paint(text.rjust(len(_heading(tile)) + 1), colour)
    return line


def _heading(tile: int) -> str:
    return TILE_NAMES[tile] if tile < FIRST_CIVILIZATION else TILE_NAMES[tile][:4].rjust(4)


def _seat_line(state: State, seat: int, name: str, paint: _Paint) -> str:
    is_asked = state[SEAT] == seat
    won = " ".join(map(str, suns_at(state, FACE_DOWN + seat)))
    parts = [
        paint(("> " if is_asked else "  ") + _padded(name), _BOLD),
        f"{state[SCORE + seat]:4} points",
        f"place {rank(state, seat) + 1}"
        if state[PHASE] == OVER
        else f"({points_now(state, seat):+} now)".ljust(9),
        "suns " + paint(" ".join(map(str, suns_at(state, FACE_UP + seat))) or "-", _SUN),
        paint(f"face down {won}", _FAINT) if won else "",
        paint("Ra player", _RED) if state[RA_SEAT] == seat else "",
        paint(seat_note(state, seat), _BOLD),
    ]
    return "  ".join(part for part in parts if part)


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _padded(name: str) -> str:
    return name + " " * (_NAME_COLUMNS - _width(name))


def _cut(name: str, columns: int) -> str:
    """The name, or as much of it as fits so many columns."""
    if _width(name) <= columns:
        return name
    while _width(name) > columns - 2:
        name = name[:-1]
    return name + ".."


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: Chinese characters and the like need two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _escape(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text else ""


def _plain(text: str, code: str) -> str:
    return text
