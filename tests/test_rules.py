"""What a game may be played with: every limit, with the reason, and what goes into a record."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ra_env import TILE_NAMES, Rules, RulesError
from ra_env.rules import MAX_BAG, STANDARD_BAG, STANDARD_SUNS, whole_number

COUNTS = {
    **{"ra": 30, "god": 8, "pharaoh": 25, "nile": 25, "flood": 12, "gold": 5},
    **dict.fromkeys(("astronomy", "agriculture", "writing", "religion", "art"), 5),
    **dict.fromkeys(("fortress", "obelisk", "palace", "pyramid"), 5),
    **dict.fromkeys(("temple", "statue", "step_pyramid", "sphinx"), 5),
    **{"funeral": 2, "drought": 2, "unrest": 4, "earthquake": 2},
}


def test_the_standard_bag_has_the_180_tiles_of_the_box() -> None:
    assert dict(zip(TILE_NAMES, STANDARD_BAG, strict=True)) == COUNTS
    assert sum(STANDARD_BAG) == 180


def test_the_standard_game(num_players: int) -> None:
    rules = Rules(num_players)
    assert rules.is_standard
    assert rules.epochs == 3
    assert rules.auction_spaces == 8
    assert rules.ra_spaces == {2: 6, 3: 8, 4: 9, 5: 10}[num_players]
    assert rules.middle_sun == 1
    assert rules.suns == STANDARD_SUNS[num_players]
    assert sorted(sun for suns in rules.suns for sun in suns) == list(
        range(2, 2 + num_players * len(rules.suns[0]))
    )
    assert rules.to_dict() == {}


@pytest.mark.parametrize(
    ("setting", "low", "high"),
    [("epochs", 1, 3), ("ra_spaces", 1, 10), ("auction_spaces", 1, 8), ("middle_sun", 10, 16)],
)
def test_both_ends_of_every_range_can_be_played(setting: str, low: int, high: int) -> None:
    for value in (low, high):
        assert getattr(Rules(2, **{setting: value}), setting) == value


@pytest.mark.parametrize(
    ("setting", "limits", "outside"),
    [
        ("num_players", "2 to 5", (1, 6)),
        ("epochs", "1 to 3", (0, 4)),
        ("ra_spaces", "1 to 10", (0, 11)),
        ("auction_spaces", "1 to 8", (0, 9)),
        ("middle_sun", "1 to 16", (0, 17)),
    ],
)
def test_a_number_outside_is_refused_with_its_limits(
    setting: str, limits: str, outside: tuple[int, int]
) -> None:
    unfit = (-1, 10**5000, 2.0, True, False, None, "4", [4], float("nan"), np.True_, 1j)
    if setting == "ra_spaces":  # None stands for the standard number
        unfit = tuple(value for value in unfit if value is not None)
    for value in (*outside, *unfit):
        with pytest.raises(RulesError, match=rf"^{setting} must be a whole number from {limits}"):
            Rules(**{"num_players": 4, setting: value})


def test_numbers_may_be_of_any_integer_type_and_are_kept_as_plain_ones() -> None:
    rules = Rules(
        np.int64(2),
        epochs=np.uint8(1),
        bag=(np.int32(30), *STANDARD_BAG[1:]),
        suns=((np.int16(3), 4), (5, 6)),
    )
    assert type(rules.num_players) is type(rules.epochs) is type(rules.bag[0]) is int
    assert json.loads(json.dumps(rules.to_dict())) == {"epochs": 1, "suns": [[4, 3], [6, 5]]}


@pytest.mark.parametrize(
    ("bag", "reason"),
    [
        ({"nile": 3}, "has 0 ra tiles, but 3 epochs of 6 ra spaces need at least 18"),
        ({"ra": 17}, "has 17 ra tiles, but 3 epochs of 6 ra spaces need at least 18"),
        ({"ra": 18, "cat": 1}, "unknown tile 'cat' in bag; tiles: ra, god, "),
        ({"ra": 18, 3: 1}, "unknown tile 3 in bag"),
        ({"ra": 18, "nile": -1}, "number of nile tiles must be a whole number from 0 to"),
        ({"ra": 18, "nile": 1.0}, "number of nile tiles must be a whole number from 0 to"),
        ({"ra": MAX_BAG + 1}, "number of ra tiles must be a whole number from 0 to"),
        ({"ra": MAX_BAG, "nile": 1}, f"has {MAX_BAG + 1} tiles; at most {MAX_BAG} are possible"),
        ((18, 1), "must name tiles or give 23 numbers"),
        ((*STANDARD_BAG, 0), "must name tiles or give 23 numbers"),
        ("ra" * 23, "must name tiles or give 23 numbers"),
        (b"\x1e" * 23, "must name tiles or give 23 numbers"),
        (range(10**30), "must name tiles or give 23 numbers"),
        (None, "must name tiles or give 23 numbers"),
        (18, "must name tiles or give 23 numbers"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bag_that_cannot_be_is_refused_with_the_reason(bag: Any, reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        Rules(2, bag=bag)


def test_the_smallest_and_the_largest_bag() -> None:
    smallest = Rules(2, epochs=1, ra_spaces=1, bag={"ra": 1})
    assert smallest.bag == (1, *[0] * 22)
    assert sum(Rules(2, bag={"ra": 18, "gold": MAX_BAG - 18}).bag) == MAX_BAG


@pytest.mark.parametrize(
    ("suns", "reason"),
    [
        (((2, 3),), "given for 1 seats, but there are 2"),
        (((2,), (3,), (4,)), "given for 3 seats, but there are 2"),
        ((), "given for 0 seats, but there are 2"),
        (((2, 3), (4,)), "every seat needs equally many suns, at least one"),
        (((), ()), "every seat needs equally many suns, at least one"),
        (((2, 3), (3, 4)), "sun 3 is there twice"),
        (((2, 2), (3, 4)), "sun 2 is there twice"),
        (((1, 2), (3, 4)), r"sun 1 is there twice \(the middle sun is 1\)"),
        (((0, 2), (3, 4)), "a sun must be a whole number from 1 to 16, not 0"),
        (((2, 17), (3, 4)), "a sun must be a whole number from 1 to 16, not 17"),
        (((2.0, 5), (3, 4)), r"a sun must be a whole number from 1 to 16, not 2\.0"),
        ((True, False), "must be one list of suns for each seat"),
        ((2, 3), "must be one list of suns for each seat"),
        (("25", "34"), "must be one list of suns for each seat"),
        ("ab", "must be one list of suns for each seat"),
        ({0: [2], 1: [3]}, "must be one list of suns for each seat"),
        (np.array([[2], [3]]), "must be one list of suns for each seat"),
    ],
    ids=str,
)
def test_suns_that_cannot_be_are_refused_with_the_reason(suns: Any, reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        Rules(2, suns=suns)


def test_sun_sets_are_kept_highest_first() -> None:
    assert Rules(2, suns=((2, 9), (4, 3))).suns == ((9, 2), (4, 3))


def test_a_deal_is_the_sets_of_the_rules_in_any_order() -> None:
    rules = Rules(2)
    assert rules.dealt([[3, 4, 7, 8], [9, 6, 5, 2]]) == ((8, 7, 4, 3), (9, 6, 5, 2))
    with pytest.raises(RulesError, match=r"not a deal of the sets .* other sets are a variant"):
        rules.dealt([[9, 8, 5, 2], [7, 6, 4, 3]])


def test_rules_are_values() -> None:
    assert Rules(4) == Rules(4, epochs=3) != Rules(4, epochs=2)
    assert len({Rules(4), Rules(4), Rules(5)}) == 2
    with pytest.raises(AttributeError):
        Rules(4).epochs = 1


def test_the_dictionary_names_what_differs_and_nothing_else() -> None:
    rules = Rules(2, epochs=1, bag={"ra": 6, "nile": 4})
    assert rules.to_dict() == {"epochs": 1, "bag": {"ra": 6, "nile": 4}}
    assert not rules.is_standard


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "rules must be an object with some of epochs, ra_spaces, auction_spaces, bag, "),
        ([], "rules must be an object"),
        ("epochs", "rules must be an object"),
        ({"epoch": 1}, "unknown rule 'epoch'; allowed: epochs, "),
        ({"num_players": 4}, "unknown rule 'num_players'"),
        ({7: 1}, "unknown rule 7"),
        ({"epochs": 9}, "epochs must be a whole number from 1 to 3, not 9"),
        ({"ra_spaces": 0}, "ra_spaces must be a whole number from 1 to 10, not 0"),
    ],
    ids=str,
)
def test_a_dictionary_that_is_none_is_refused(given: Any, reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        Rules.from_dict(4, given)


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Any rules that are allowed."""
    players = draw(st.integers(2, 5))
    epochs = draw(st.integers(1, 3))
    ra_spaces = draw(st.integers(1, 10))
    each = draw(st.integers(1, 15 // players))
    suns = draw(st.permutations(range(1, 17)))
    bag = draw(st.lists(st.integers(0, 130), min_size=23, max_size=23))
    bag[0] = draw(st.integers(epochs * ra_spaces, 130))
    return Rules(
        players,
        epochs=epochs,
        ra_spaces=ra_spaces,
        auction_spaces=draw(st.integers(1, 8)),
        bag=tuple(bag),
        suns=tuple(tuple(suns[1 + seat * each :][:each]) for seat in range(players)),
        middle_sun=suns[0],
    )


@settings(max_examples=200, derandomize=True, deadline=None)
@given(any_rules())
def test_a_dictionary_brings_the_rules_back_through_json(rules: Rules) -> None:
    written = json.loads(json.dumps(rules.to_dict()))
    assert Rules.from_dict(rules.num_players, written) == rules
    assert rules.is_standard is (written == {})
    assert "num_players" not in written


@pytest.mark.parametrize("value", [7, np.int8(7), np.uint64(7), np.array(7)])
def test_a_whole_number_is_of_any_integer_type(value: object) -> None:
    assert whole_number(value) == 7
    assert type(whole_number(value)) is int


@pytest.mark.parametrize("value", [True, np.False_, 7.0, "7", None, [7], np.array([7, 8])], ids=str)
def test_nothing_else_is_a_whole_number(value: object) -> None:
    assert whole_number(value) is None
