"""The notation of moves and the shape of records: what is taken, and what is named when it is not.

Records here are written by hand from the description of the format, as another program would.
"""

import copy
from typing import Any

import numpy as np
import pytest

from ra_env import ACTION_TEXTS, Game, IllegalAction, RecordError, Rules
from ra_env.notation import Move, parse_move, parse_record

# Two seats, one epoch. Seat 0 wins flood and nile with its 2 and takes sun 1; seat 1 wins gold with
# its 4 and takes sun 2; the second Ra ends the epoch.
# Seat 0: river 2, no civilization -5, suns 9 + 6 + 5 + 1 = 21 the highest +5: 2 points.
# Seat 1: gold 3, no civilization -5, suns 8 + 7 + 3 + 2 = 20 the lowest -5: -7 points.
FINISHED: dict[str, Any] = {
    "format": "ra-game/1",
    "players": 2,
    "rules": {"epochs": 1, "ra_spaces": 2, "bag": {"ra": 2, "nile": 2, "flood": 1, "gold": 1}},
    "suns": [[9, 6, 5, 2], [8, 7, 4, 3]],
    "moves": [
        *("0 draw flood", "1 draw nile", "0 invoke", "1 pass", "0 bid 2"),
        *("1 draw gold", "0 draw ra", "1 bid 4", "0 pass", "1 draw ra"),
    ],
    "epoch_points": [[2, -7]],
    "scores": [12, 3],
    "ranking": [0, 1],
}
UNDER_WAY: dict[str, Any] = {
    "suns": [[13, 6, 2], [11, 8, 4], [12, 7, 3], [10, 9, 5]],
    "moves": ["0 draw nile", "1 draw ra", "2 pass", "3 bid 9", "0 pass", "1 pass", "2 invoke"],
}


def changed(record: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(record), **changes}


def without(record: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in copy.deepcopy(record).items() if key not in keys}


def with_move(number: int, move: object) -> dict[str, Any]:
    moves = list(FINISHED["moves"])
    moves[number - 1] = move
    return changed(FINISHED, moves=moves)


# --- records that are right ----------------------------------------------------------------------


def test_a_finished_game_written_by_hand_replays() -> None:
    game = Game.from_record(FINISHED)
    assert game.is_over
    assert game.scores == [12, 3]
    assert game.suns(0) == ([9, 6, 5], [1])
    assert game.suns(1) == ([8, 7, 3], [2])
    assert without(game.to_record(), "seed") == FINISHED


def test_a_game_under_way_needs_its_suns_and_moves_alone() -> None:
    game = Game.from_record(UNDER_WAY)
    assert game.num_players == 4
    assert (game.phase, game.current_seat, game.ra_seat) == ("auction", 3, 2)
    assert game.tiles(3) == {"nile": 1}
    assert game.suns(3) == ([10, 5], [1])
    assert game.middle_sun == 9


def test_a_game_that_has_not_begun_is_one_too() -> None:
    assert Game.from_record(changed(UNDER_WAY, moves=[])).moves == []


def test_what_the_format_does_not_know_is_left_alone() -> None:
    more = {"date": "today", "seed": None, "agents": None, "comment": {"deep": [1.5, None]}}
    assert Game.from_record(changed(FINISHED, **more)).scores == [12, 3]
    named = changed(FINISHED, seed=2**64 - 1, agents=["ppo", "random"])
    assert Game.from_record(named).seed == 2**64 - 1


def test_tuples_do_as_lists() -> None:
    record = changed(
        FINISHED,
        suns=((9, 6, 5, 2), (8, 7, 4, 3)),
        moves=tuple(FINISHED["moves"]),
        epoch_points=((2, -7),),
        scores=(12, 3),
        ranking=(0, 1),
        agents=("a", "b"),
    )
    assert Game.from_record(record) == Game.from_record(FINISHED)


def test_the_results_of_finished_epochs_may_stand_in_a_game_under_way() -> None:
    for results in ({"epoch_points": []}, {"scores": [10] * 4}, {"ranking": [0, 2, 1, 3]}):
        assert Game.from_record(changed(UNDER_WAY, **results)) == Game.from_record(UNDER_WAY)
    with pytest.raises(RecordError, match=r"'scores' should be \[10, 10, 10, 10\]"):
        Game.from_record(changed(UNDER_WAY, scores=[11, 10, 10, 10]))


def test_a_variant_carries_its_rules_and_the_standard_game_none() -> None:
    assert parse_record(FINISHED).rules == Rules(
        2, epochs=1, ra_spaces=2, bag={"ra": 2, "nile": 2, "flood": 1, "gold": 1}
    )
    assert parse_record(UNDER_WAY).rules == Rules(4)
    assert "rules" not in Game(4, seed=0).to_record()


# --- moves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [text for text in ACTION_TEXTS if text != "draw"])
def test_a_move_is_a_seat_and_an_action(text: str) -> None:
    move = f"3 {text}"
    assert parse_move(move) == Move(3, ACTION_TEXTS.index(text), None, move)


def test_a_draw_names_its_tile() -> None:
    assert parse_move("0 draw nile") == Move(0, 0, "nile", "0 draw nile")
    assert parse_move("4 draw step_pyramid").tile == "step_pyramid"


def test_blanks_and_case_do_not_matter() -> None:
    assert parse_move(" 2  Draw\tNILE ").tile == "nile"
    assert parse_move("2 BID 7").action == ACTION_TEXTS.index("bid 7")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *((text, "a move is a text") for text in (7, None, True, ["0 pass"], {}, b"0 pass")),
        *((text, "a seat and an action") for text in ("", " ", "0", "pass", "draw nile", "x pass")),
        *(
            (text, "a seat and an action")
            for text in ("00 pass", "-1 pass", "0.0 pass", "\u0663 pass")
        ),
        *(
            (text, "a seat and an action")
            for text in ("9" * 5000 + " pass", "\u00b2 pass", "10 pass")
        ),
        *((text, "names the tile") for text in ("0 draw", "0 draw cat", "0 draw nile nile")),
        *(
            (text, "unknown action")
            for text in ("0 bid", "0 bid 17", "0 take god", "0 0", "0 discard")
        ),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_anything_else_is_no_move(text: object, reason: str) -> None:
    with pytest.raises(IllegalAction, match=reason):
        parse_move(text)


# --- records that are wrong, each told apart -----------------------------------------------------


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        # not a record
        (None, "a record is an object, not a NoneType"),
        ([FINISHED], "a record is an object, not a list"),
        ("{}", "a record is an object, not a str"),
        ({}, "'suns' must be there, as a list"),
        # the format
        (changed(FINISHED, format="ra-game/2"), "the format is 'ra-game/2', not 'ra-game/1'"),
        (changed(FINISHED, format=None), "the format is None"),
        (changed(FINISHED, format=["ra-game/1"]), "the format is"),
        # the start
        (without(FINISHED, "suns"), "'suns' must be there, as a list"),
        (changed(FINISHED, suns={"0": [9]}), "'suns' must be there, as a list"),
        (changed(FINISHED, suns=[]), "'players' is 2, but there are 0 sun sets"),
        (changed(UNDER_WAY, suns=[]), "the rules are impossible: num_players must be"),
        (changed(FINISHED, suns=[9, 8]), "the deal is impossible: suns must be one list"),
        (changed(FINISHED, suns=[[9, 6, 5, 2], [8, 7, 4, 4]]), "impossible: sun 4 is there twice"),
        (changed(FINISHED, suns=[[9, 6, 5, 2], [8, 7, 4, "3"]]), "a sun must be a whole number"),
        (changed(FINISHED, suns=[[9, 6, 5, 2], [8, 7, 4, 3.0]]), "a sun must be a whole number"),
        (
            changed(FINISHED, suns=[[9, 6, 4, 2], [8, 7, 5, 3]]),
            "the deal is impossible: .* not a deal",
        ),
        (changed(FINISHED, players=3), "'players' is 3, but there are 2 sun sets"),
        (changed(FINISHED, players=2.0), r"'players' is 2\.0, but there are 2 sun sets"),
        (changed(FINISHED, players=None), "'players' is None, but there are 2 sun sets"),
        (changed(FINISHED, players=[2]), r"'players' is \[2\], but there are 2 sun sets"),
        (changed(FINISHED, rules={"epochs": 7}), "the rules are impossible: epochs must be"),
        (changed(FINISHED, rules={"epochs": True}), "the rules are impossible: epochs must be"),
        (changed(FINISHED, rules={"moons": 7}), "the rules are impossible: unknown rule 'moons'"),
        (changed(FINISHED, rules=None), "the rules are impossible: rules must be an object"),
        (changed(FINISHED, rules={"bag": {"ra": 1}}), "the rules are impossible: the bag has 1 ra"),
        # what may be there
        (
            changed(FINISHED, seed=-1),
            r"'seed' must be a whole number from 0 to 2\*\*64 - 1, not -1",
        ),
        (changed(FINISHED, seed=2**64), "'seed' must be a whole number"),
        (changed(FINISHED, seed=7.0), r"'seed' must be a whole number .*, not 7\.0"),
        (changed(FINISHED, seed=True), "'seed' must be a whole number .*, not True"),
        (changed(FINISHED, seed="7"), "'seed' must be a whole number .*, not '7'"),
        (changed(FINISHED, agents=["ppo"]), "'agents' must be a list of 2 names"),
        (changed(FINISHED, agents="ab"), "'agents' must be a list of 2 names, not 'ab'"),
        (changed(FINISHED, agents=[1, 2]), r"'agents' must be a list of 2 names, not \[1, 2\]"),
        # the moves
        (without(FINISHED, "moves"), "'moves' must be there, as a list"),
        (changed(FINISHED, moves="0 draw nile"), "'moves' must be there, as a list"),
        (with_move(2, 7), r"move 2 \(7\): a move is a text"),
        (with_move(3, "0 sing"), r"move 3 \('0 sing'\): unknown action 'sing'"),
        (with_move(1, "0 draw"), r"move 1 \('0 draw'\): a draw names the tile"),
        (with_move(2, "0 draw nile"), r"move 2 \('0 draw nile'\): seat 1 is on turn, not 0"),
        (with_move(2, "7 draw nile"), r"move 2 \('7 draw nile'\): seat 1 is on turn, not 7"),
        (with_move(5, "0 bid 3"), r"move 5 \('0 bid 3'\): seat 0 cannot 'bid 3' .*legal: bid 2, "),
        (with_move(5, "0 pass"), r"move 5 \('0 pass'\): seat 0 cannot 'pass' in phase 'auction'"),
        (with_move(6, "1 draw flood"), r"move 6 \('1 draw flood'\): no flood is left in the bag"),
        (
            changed(FINISHED, moves=[*FINISHED["moves"], "0 draw nile"]),
            r"move 11 \('0 draw nile'\): 'draw' is not possible: the game is over",
        ),
        # the results
        *(
            (without(FINISHED, key), f"the game is over, but '{key}' is missing")
            for key in ("format", "players", "epoch_points", "scores", "ranking")
        ),
        (changed(FINISHED, scores=[12, 4]), r"'scores' should be \[12, 3\], not \[12, 4\]"),
        (changed(FINISHED, scores=[12]), r"'scores' should be \[12, 3\], not \[12\]"),
        (changed(FINISHED, ranking=[1, 0]), r"'ranking' should be \[0, 1\], not \[1, 0\]"),
        (
            changed(FINISHED, epoch_points=[[2, -5]]),
            r"'epoch_points' should be \[\[2, -7\]\], not \[\[2, -5\]\]",
        ),
        (changed(FINISHED, epoch_points=[]), r"'epoch_points' should be \[\[2, -7\]\], not \[\]"),
        *(
            (changed(FINISHED, scores=scores), "'scores' must be a list of whole numbers, not")
            for scores in ([12.0, 3], ["12", 3], [12, None], 12, None, {"0": 12}, [[12], [3]])
        ),
        (changed(FINISHED, ranking=[False, True]), "'ranking' must be a list of whole numbers"),
        *(
            (
                changed(FINISHED, epoch_points=points),
                "'epoch_points' must be a list of lists of whole",
            )
            for points in ([2, -7], [[2.0, -7]], None, "2", [[True, -7]], [None])
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_named(record: object, reason: str) -> None:
    before = copy.deepcopy(record)
    with pytest.raises(RecordError, match=reason):
        Game.from_record(record)
    assert record == before


def test_an_array_is_no_format() -> None:
    """It compares item by item, so it is neither equal nor unequal to a text."""
    with pytest.raises(RecordError, match="the format is array"):
        Game.from_record(changed(FINISHED, format=np.zeros(3)))


def test_the_first_mistake_is_the_one_that_is_named() -> None:
    record = with_move(5, "0 bid 3")
    record |= {"scores": [0, 0], "moves": [*record["moves"], "1 draw nile"]}
    with pytest.raises(RecordError, match=r"^move 5 "):
        Game.from_record(record)
