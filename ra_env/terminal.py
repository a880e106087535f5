"""A game on the screen, move by move: what `ra-env` play, watch and replay have in common.

On a terminal the table is drawn anew after each move; where the output goes elsewhere, each move is
a line. Knows no agents and no files.
"""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from ra_env.actions import ACTION_TEXTS, DRAW
from ra_env.ansi import draw_ansi, tile_name
from ra_env.game import Game
from ra_env.layout import State
from ra_env.notation import parse_move
from ra_env.rules import TILE_IDS

RECENT_MOVES: Final = 8
"""So many moves stay on the screen below the table."""
_CLEAR: Final = "\x1b[2J\x1b[H"

Pause = Callable[[], None]


class Leave(Exception):
    """Whoever is watching has seen enough."""


def move_line(move: str, names: Sequence[str]) -> str:
    """A move in words: `seat 1, heuristic: bid 7`."""
    parsed = parse_move(move)
    words = ACTION_TEXTS[parsed.action].replace("_", " ")
    if parsed.action == DRAW and parsed.tile is not None:
        words = f"draw: {tile_name(TILE_IDS[parsed.tile])}"
    return f"seat {parsed.seat}, {names[parsed.seat]}: {words}"


def epoch_line(game: Game, names: Sequence[str]) -> str:
    """What the last epoch brought."""
    points = game.epoch_points
    brought = ", ".join(
        f"{name} {gain:+} = {score}"
        for name, gain, score in zip(names, points[-1], game.scores, strict=True)
    )
    return f"--- epoch {len(points)} is over: {brought}"


def result_lines(game: Game, names: Sequence[str]) -> list[str]:
    """The final ranking."""
    return [
        f"{place}. {names[seat]} (seat {seat}): {game.scores[seat]} points"
        for place, seat in enumerate(game.ranking(), start=1)
    ]


def draw(state: State, names: Sequence[str]) -> str:
    """The table, in colour on a terminal."""
    return draw_ansi(state, colour=sys.stdout.isatty(), names=names)


def told(game: Game, moves: Iterable[str], names: Sequence[str]) -> Iterator[list[str]]:
    """What each move of `game` is told as, while `moves` plays it."""
    epochs = len(game.epoch_points)
    for move in moves:
        lines = [move_line(move, names)]
        if len(game.epoch_points) > epochs:
            epochs += 1
            lines.append(epoch_line(game, names))
        yield lines


def show_game(
    game: Game, moves: Iterable[str], names: Sequence[str], pause: Pause = lambda: None
) -> None:
    """Show a game while `moves` plays it; `pause` is called after each move, and may `Leave`."""
    is_terminal = sys.stdout.isatty()
    recent: deque[str] = deque(maxlen=RECENT_MOVES)
    if not is_terminal:
        print(draw(game.state, names))
    for lines in told(game, moves, names):
        recent.extend(lines)
        if is_terminal:
            print(_CLEAR + draw(game.state, names), "", *recent, sep="\n", flush=True)
        else:
            print(*lines, sep="\n", flush=True)
        if not game.is_over:
            pause()
    if not is_terminal:
        print(draw(game.state, names))
    if game.is_over:
        print("", *result_lines(game, names), sep="\n")


def pause_for(seconds: float) -> Pause:
    """A pause of fixed length."""
    return lambda: time.sleep(seconds)


def pause_for_key() -> None:
    """Wait for the enter key; `q` or the end of input leaves."""
    try:
        answer = input("enter: next move, q: leave ")
    except EOFError:
        raise Leave from None
    if answer.strip().lower() in ("q", "quit"):
        raise Leave
