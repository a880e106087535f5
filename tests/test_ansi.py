"""The coloured table: it says what is on the table, and fits the screen whatever lies there."""

import re
import unicodedata

import numpy as np
import pytest
from positions import draw_all, play_all
from random_play import SMALL, game_in, random_game
from tables import crowded_row, many_suns_row

from ra_env import Game
from ra_env.ansi import COLUMNS, draw_ansi
from ra_env.layout import FIELDS, PHASE_NAMES, State

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
DEAL = [[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]]
NAMES = ["anna", "ben", "cleo", "dan", "eve"]


def width(line: str) -> int:
    """Columns that a line takes on the screen."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in ESCAPE.sub("", line))


def assert_fits(state: State, names: list[str] | None = None) -> None:
    """Both tables say the same, no line is too long, and plain means plain."""
    plain = draw_ansi(state, colour=False, names=names)
    coloured = draw_ansi(state, names=names)
    assert "\x1b" not in plain
    assert "\x1b" in coloured
    assert ESCAPE.sub("", coloured) == plain
    assert max(width(line) for line in plain.splitlines()) <= COLUMNS


def test_the_table_of_an_auction() -> None:
    """Bids, passes, the Ra player, tiles, suns and points stand where they are looked for."""
    game = Game(4, suns=DEAL, seed=0)
    play_all(game, "draw nile", "draw nile", "draw flood", "draw god", "draw temple")
    play_all(game, "invoke", "pass", "bid 5", "bid 6", "pass")
    play_all(game, "draw art", "draw unrest", "draw ra", "bid 7", "pass")
    assert draw_ansi(game.state, colour=False, names=NAMES[:4]).splitlines() == [
        "epoch 1 of 3   boat *........ 1/9   middle sun 6   bag 172 tiles, 29 of them ra",
        "track 2/8: art, unrest",
        "anna bids or passes (drawn auction by ben, highest bid 7 by cleo)",
        "",
        "   god gold pharaoh nile flood | astr agri writ reli  art |"
        " fort obel pala pyra temp stat step sphi",
        "> anna              10 points  (-5 now)   suns 10 9 5  to bid",
        "     .    .       .    .     . |    .    .    .    .    . |"
        "    .    .    .    .    .    .    .    .",
        "  ben               10 points  (+0 now)   suns 13 2  face down 1  Ra player",
        "     1    .       .    2     1 |    .    .    .    .    . |"
        "    .    .    .    .    1    .    .    .",
        "  cleo              10 points  (-5 now)   suns 12 7 3  bids 7",
        "     .    .       .    .     . |    .    .    .    .    . |"
        "    .    .    .    .    .    .    .    .",
        "  dan               10 points  (-5 now)   suns 11 8 4  passed",
        "     .    .       .    .     . |    .    .    .    .    . |"
        "    .    .    .    .    .    .    .    .",
    ]


def test_every_decision_is_put_into_words() -> None:
    """Discards name what has to go, gods ask for more, and the end names the winner."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=0)
    draw_all(game, unrest=1, earthquake=1, art=1, religion=1, writing=1)
    draw_all(game, temple=1, palace=1, statue=1)
    play_all(game, "invoke", "pass", "bid 2")
    text = draw_ansi(game.state, colour=False)
    assert "seat 0 gives up 2 civilizations, then 2 monuments (full auction by seat 0," in text
    play_all(game, "discard art")
    assert "seat 0 gives up 1 civilization, then 2 mon" in draw_ansi(game.state, colour=False)
    asked = draw_ansi(game_in("gods").state, colour=False)
    assert "spends another god or ends the turn" in asked
    over = random_game(3)
    winner = over.ranking()[0]
    text = draw_ansi(over.state, colour=False)
    assert f"game over: seat {winner} wins with {over.scores[winner]} points" in text
    assert sorted(re.findall(r"place (\d)", text)) == ["1", "2", "3"]


def test_an_auction_that_leaves_no_choice_is_put_into_words() -> None:
    """Nobody else has bid in an auction of free will; or all own suns are below the highest bid."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=0)
    play_all(game, "invoke")
    assert "seat 1 bids or passes (voluntary" in draw_ansi(game.state, colour=False)
    play_all(game, "pass")
    assert "seat 0 has to bid (voluntary" in draw_ansi(game.state, colour=False)
    play_all(game, "bid 9", "invoke", "pass", "bid 8", "invoke", "bid 7")
    assert "seat 0 has to pass (voluntary" in draw_ansi(game.state, colour=False)


def test_who_has_no_suns_left_is_out() -> None:
    """A seat that is skipped until the next epoch is marked."""
    game = Game(rules=SMALL, suns=[[7, 3], [6, 4]], seed=0)
    for bid in ("bid 7", "bid 3"):
        while game.current_seat != 0:
            game.play("draw", tile="nile")
        play_all(game, "invoke", "pass", bid)
    lines = draw_ansi(game.state, colour=False).splitlines()
    assert [line.endswith("  out") for line in lines if " points " in line] == [True, False]


def test_it_fits_at_any_time(num_players: int) -> None:
    """Every phase, from the start to the end, with and without colours."""
    for phase in PHASE_NAMES:
        assert_fits(game_in(phase, num_players).state)
    for moves in (0, 60, 120):
        assert_fits(random_game(num_players, moves=moves).state)


def test_it_fits_whatever_lies_on_the_table(num_players: int) -> None:
    """More tiles than anyone ever had, more suns than the standard game has, and long names."""
    assert_fits(crowded_row(num_players), ["W" * 50] * num_players)
    assert_fits(crowded_row(num_players), ["王" * 50] * num_players)
    assert_fits(many_suns_row(), ["W" * 50] * 2)
    # The eight longest names that can lie on the track side by side.
    game = Game(num_players, seed=0)
    draw_all(game, step_pyramid=1, agriculture=1, earthquake=1, astronomy=1)
    draw_all(game, religion=1, fortress=1, pharaoh=1, writing=1)
    assert_fits(game.state)


def test_names_cannot_break_the_table() -> None:
    """Control characters do not reach the terminal, and a name stays in its line."""
    state = Game(2, seed=0).state
    text = draw_ansi(state, colour=False, names=["a\x1b[31m\nb", "\t "])
    assert "\x1b" not in text
    assert len(text.splitlines()) == len(draw_ansi(state).splitlines())
    assert "a [31m b" in text
    assert "seat 1" in text


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "names must be a list of 2 names"),
        ("ab", "names must be a list of 2 names"),
        (["a", 3], "a name must be a text, not 3"),
    ],
)
def test_wrong_names_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw_ansi(Game(2, seed=0).state, names=names)


def test_what_is_no_state_is_refused() -> None:
    """Compiled code would trust it, so it is looked at first; the row given is left alone."""
    state = Game(2, seed=0).state
    with pytest.raises(ValueError, match=r"one int16 row of \d+ numbers, not shape \(2, "):
        draw_ansi(np.stack([state, state]))
    with pytest.raises(ValueError, match=r"one int16 row of \d+ numbers, not list"):
        draw_ansi(list(state))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="int16"):
        draw_ansi(state.astype(np.int64))
    for field in FIELDS[:2]:
        wrong = state.copy()
        wrong[field.offset] = 99
        with pytest.raises(ValueError, match=field.name):
            draw_ansi(wrong)
    before = state.copy()
    draw_ansi(state)
    assert (state == before).all()
