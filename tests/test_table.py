"""The table as text: it says what a player needs to see, and fits the screen."""

import pytest
from positions import draw_all, play_all
from random_play import game_in, random_game

from ra_env import Game, Rules
from ra_env.layout import HELD, HELD_KINDS
from ra_env.rules import MAX_BAG
from ra_env.table import WIDTH, draw_table

DEAL = [[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]]


def test_the_table_of_a_fresh_game() -> None:
    assert str(Game(4, suns=DEAL, seed=0)).splitlines() == [
        "epoch 1 of 3   ra .........   middle sun 1   bag 180 tiles, 30 of them ra",
        "track 0/8: -",
        "seat 1 takes a turn",
        "",
        "  seat 0: 10 points (-5 if scored now)   suns 10 9 5",
        "    -",
        "> seat 1: 10 points (-5 if scored now)   suns 13 6 2",
        "    -",
        "  seat 2: 10 points (-5 if scored now)   suns 12 7 3",
        "    -",
        "  seat 3: 10 points (-5 if scored now)   suns 11 8 4",
        "    -",
    ]


def test_an_auction_shows_who_called_it_and_what_was_said() -> None:
    game = Game(4, suns=DEAL, seed=0)
    play_all(game, "draw nile", "draw nile", "draw flood", "draw ra", "pass", "bid 7")
    assert str(game).splitlines()[:9] == [
        "epoch 1 of 3   ra *........   middle sun 1   bag 176 tiles, 29 of them ra",
        "track 3/8: 2 nile, flood",
        "seat 3 bids or passes (drawn auction by seat 0)",
        "",
        "  seat 0: 10 points (-5 if scored now)   suns 10 9 5",
        "    -",
        "  seat 1: 10 points (-5 if scored now)   suns 13 6 2   passes",
        "    -",
        "  seat 2: 10 points (-5 if scored now)   suns 12 7 3   bids 7",
    ]
    play_all(game, "pass", "pass")
    assert str(game).splitlines()[2:] == [
        "seat 1 takes a turn",
        "",
        "  seat 0: 10 points (-5 if scored now)   suns 10 9 5",
        "    -",
        "> seat 1: 10 points (-5 if scored now)   suns 13 6 2",
        "    -",
        "  seat 2: 10 points (-2 if scored now)   suns 12 3 (face down 1)",
        "    2 nile, flood",
        "  seat 3: 10 points (-5 if scored now)   suns 11 8 4",
        "    -",
    ]


def test_the_other_decisions_are_put_into_words() -> None:
    game = Game(4, suns=DEAL, seed=0)
    draw_all(game, god=2, unrest=1, art=3, religion=1, temple=1)
    play_all(game, "invoke", "pass", "pass", "pass", "bid 2")
    assert "seat 1 gives up a tile: 2 civilizations to go (full auction by seat 1)" in str(game)
    play_all(game, "discard art")
    assert "seat 1 gives up a tile: 1 civilization to go (full auction by seat 1)" in str(game)
    play_all(game, "discard art", *["draw nile"] * 3, "take nile")
    assert "seat 1 spends another god or ends the turn" in str(game)


def test_both_families_are_named_when_both_have_to_go() -> None:
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=0)
    draw_all(game, unrest=1, earthquake=1, art=1, religion=1, writing=1)
    draw_all(game, temple=1, palace=1, statue=1)
    play_all(game, "invoke", "pass", "bid 2")
    assert "seat 0 gives up a tile: 2 civilizations and 2 monuments to go (full" in str(game)


def test_a_game_that_is_over_shows_the_places() -> None:
    game = random_game(5, seed=3)
    lines = str(game).splitlines()
    assert lines[2] == "game over"
    assert ">" not in str(game)
    assert "if scored now" not in str(game)
    for place, seat in enumerate(game.ranking(), start=1):
        points = game.scores[seat]
        head = f"  seat {seat}: {points} point{'' if points == 1 else 's'}, place {place}   suns "
        assert lines[4 + 2 * seat].startswith(head)


@pytest.mark.parametrize("phase", ["turn", "gods", "auction", "discard"])
def test_whoever_decides_is_marked(phase: str) -> None:
    game = game_in(phase)
    marked = [line for line in str(game).splitlines() if line.startswith(">")]
    assert len(marked) == 1
    assert marked[0].startswith(f"> seat {game.current_seat}: ")


def test_no_line_is_too_long_in_random_games(num_players: int) -> None:
    game = random_game(num_players, seed=1)
    while game.moves:
        assert max(map(len, str(game).splitlines())) <= WIDTH
        game.undo()


def test_the_longest_lines_are_broken_between_tiles() -> None:
    """Every kind of tile in front of a seat, many of each, and the longest names on the track."""
    suns = tuple(tuple(range(2 + 7 * seat, 9 + 7 * seat)) for seat in (0, 1))
    bag = dict.fromkeys(("astronomy", "agriculture", "fortress", "step_pyramid"), 5)
    game = Game(rules=Rules(2, bag={"ra": 30, "earthquake": 5, "sphinx": 5, **bag}, suns=suns))
    draw_all(game, astronomy=1, agriculture=2, fortress=2, step_pyramid=2, sphinx=1)
    play_all(game, "invoke", "pass")
    state = game.state
    state[HELD : HELD + 2 * HELD_KINDS] = MAX_BAG
    lines = draw_table(state).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) > 4 + 2 * 2
    for line in lines[5:]:
        assert line.startswith(("    3000 ", "  seat 1: ", "> seat 1: "))
        assert line.endswith((",", "sphinx", "passes")) or "suns" in line
