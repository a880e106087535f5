"""The table as plain text: what `print(game)` shows. Reads a state, knows nothing of `Game`."""

import textwrap
from typing import Final

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
    HELD,
    HELD_KINDS,
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
    TRACK,
    TRACK_COUNT,
    TURN,
    State,
    suns_at,
)
from ra_env.rules import GOD, RA, TILE_NAMES
from ra_env.scoring import points_now, rank

WIDTH: Final = 100
"""No line is longer."""

_ASKED: Final = {
    TURN: "takes a turn",
    GODS: "spends another god or ends the turn",
    AUCTION: "bids or passes",
    DISCARD: "gives up a tile",
}


def draw_table(state: State) -> str:
    """The whole table: the course of the game, the track, who has to decide, and every seat."""
    lines = [_course_line(state), *_track_lines(state), _question_line(state), ""]
    for seat in range(state[NUM_PLAYERS]):
        lines += _seat_lines(state, seat)
    return "\n".join(lines)


def _course_line(state: State) -> str:
    boat = "*" * int(state[RA_COUNT]) + "." * int(state[RA_SPACES] - state[RA_COUNT])
    return (
        f"epoch {state[EPOCH]} of {state[NUM_EPOCHS]}   ra {boat}   "
        f"middle sun {state[MIDDLE_SUN]}   "
        f"bag {_count(state[BAG_COUNT], 'tile')}, {state[BAG + RA]} of them ra"
    )


def _track_lines(state: State) -> list[str]:
    head = f"track {state[TRACK_COUNT]}/{state[AUCTION_SPACES]}: "
    return _wrapped(head, _tile_list(state[TRACK:BAG], first=RA))


def _question_line(state: State) -> str:
    if state[PHASE] == OVER:
        return "game over"
    question = f"seat {state[SEAT]} {_ASKED[int(state[PHASE])]}"
    if state[PHASE] == DISCARD:
        due = (DISCARD_CIVILIZATIONS, "civilization"), (DISCARD_MONUMENTS, "monument")
        to_go = [_count(state[offset], word) for offset, word in due if state[offset]]
        question += f": {' and '.join(to_go)} to go"
    if state[AUCTION_KIND] != NO_AUCTION:
        question += f" ({AUCTION_NAMES[state[AUCTION_KIND]]} auction by seat {state[RA_SEAT]})"
    return question


def _seat_lines(state: State, seat: int) -> list[str]:
    mark = ">" if state[SEAT] == seat else " "
    points = _count(state[SCORE + seat], "point")
    if state[PHASE] == OVER:
        points += f", place {rank(state, seat) + 1}"
    else:
        points += f" ({points_now(state, seat):+d} if scored now)"
    suns = " ".join(map(str, suns_at(state, FACE_UP + seat))) or "-"
    won = " ".join(map(str, suns_at(state, FACE_DOWN + seat)))
    tiles = state[HELD + seat * HELD_KINDS : HELD + (seat + 1) * HELD_KINDS]
    return [
        f"{mark} seat {seat}: {points}   suns {suns}{f' (face down {won})' if won else ''}"
        + _bid(state, seat),
        *_wrapped("    ", _tile_list(tiles, first=GOD)),
    ]


def _bid(state: State, seat: int) -> str:
    bid = int(state[BIDS + seat])
    return "" if bid == 0 else "   passes" if bid == PASSED else f"   bids {bid}"


def _tile_list(counts: State, first: int) -> str:
    named = [(TILE_NAMES[first + i], int(n)) for i, n in enumerate(counts) if n]
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in named) or "-"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _wrapped(head: str, items: str) -> list[str]:
    """Lines that are broken after commas only: a hard space is none to `textwrap`."""
    text = items.replace(" ", "\xa0").replace(",\xa0", ", ")
    lines = textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
    return [line.replace("\xa0", " ") for line in lines]
