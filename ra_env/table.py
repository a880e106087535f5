"""The table as plain text: what `print(game)` shows. Reads a state, knows nothing of `Game`."""

from ra_env.layout import (
    AUCTION_KIND,
    AUCTION_NAMES,
    AUCTION_SPACES,
    BAG,
    BAG_COUNT,
    BIDS,
    DISCARD_CIVILIZATIONS,
    DISCARD_MONUMENTS,
    EPOCH,
    FACE_DOWN,
    FACE_UP,
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
    State,
    suns_at,
)
from ra_env.rules import GOD, RA, TILE_NAMES
from ra_env.scoring import points_now, rank

_ASKED = ("takes a turn", "may spend another god or end the turn", "bids", "gives up a tile")


def draw_table(state: State) -> str:
    """The whole table, one line for the track and one or two for each seat."""
    lines = [_headline(state), _track_line(state), ""]
    for seat in range(state[NUM_PLAYERS]):
        lines += _seat_lines(state, seat)
    return "\n".join(lines)


def _headline(state: State) -> str:
    boat = "*" * int(state[RA_COUNT]) + "." * int(state[RA_SPACES] - state[RA_COUNT])
    asked = "game over"
    if state[PHASE] != OVER:
        asked = f"seat {state[SEAT]} {_ASKED[state[PHASE]]}"
    if state[AUCTION_KIND] != NO_AUCTION:
        asked += f" ({AUCTION_NAMES[state[AUCTION_KIND]]} auction by seat {state[RA_SEAT]})"
    return f"epoch {state[EPOCH]} of {state[NUM_EPOCHS]}   ra {boat}   {asked}"


def _track_line(state: State) -> str:
    tiles = _tile_list(state[TRACK:BAG], first=RA)
    return (
        f"track {state[TRACK_COUNT]}/{state[AUCTION_SPACES]}: {tiles}   "
        f"middle sun {state[MIDDLE_SUN]}   "
        f"bag {state[BAG_COUNT]} tiles, {state[BAG + RA]} of them ra"
    )


def _seat_lines(state: State, seat: int) -> list[str]:
    mark = ">" if state[SEAT] == seat else " "
    points = f"{state[SCORE + seat]} points"
    if state[PHASE] == OVER:
        points += f", place {rank(state, seat) + 1}"
    else:
        points += f" ({points_now(state, seat):+d} now)"
    suns = " ".join(map(str, suns_at(state, FACE_UP + seat))) or "-"
    won = " ".join(map(str, suns_at(state, FACE_DOWN + seat)))
    tiles = state[HELD + seat * HELD_KINDS : HELD + (seat + 1) * HELD_KINDS]
    return [
        f"{mark} seat {seat}: {points}   suns {suns}{f' (face down {won})' if won else ''}"
        + _note(state, seat),
        f"    {_tile_list(tiles, first=GOD)}",
    ]


def _note(state: State, seat: int) -> str:
    bid = int(state[BIDS + seat])
    if bid:
        return "   passes" if bid == PASSED else f"   bids {bid}"
    due = int(state[DISCARD_CIVILIZATIONS]), int(state[DISCARD_MONUMENTS])
    if state[SEAT] == seat and any(due):
        return f"   has to give up {due[0]} civilizations, {due[1]} monuments"
    return ""


def _tile_list(counts: State, first: int) -> str:
    named = [(TILE_NAMES[first + i], int(n)) for i, n in enumerate(counts) if n]
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in named) or "-"
