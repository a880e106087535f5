"""The 54 actions: their ids and texts, and reading one from anything that is thrown at it."""

import numpy as np
import pytest

from ra_env import ACTION_TEXTS, NUM_ACTIONS, TILE_NAMES, IllegalAction
from ra_env.actions import BID, DISCARD_TILE, TAKE, action_bits_to_list, parse_action
from ra_env.rules import TILE_IDS


def test_the_table_of_actions() -> None:
    assert NUM_ACTIONS == len(ACTION_TEXTS) == len(set(ACTION_TEXTS)) == 54
    assert ACTION_TEXTS[:4] == ("draw", "invoke", "end", "pass")
    assert ACTION_TEXTS[4:20] == tuple(f"bid {sun}" for sun in range(1, 17))
    assert ACTION_TEXTS[20:24] == ("take pharaoh", "take nile", "take flood", "take gold")
    assert ACTION_TEXTS[24:41] == tuple(f"take {tile}" for tile in TILE_NAMES[6:])
    assert ACTION_TEXTS[36:41] == (
        *("take sphinx", "take funeral", "take drought", "take unrest", "take earthquake"),
    )
    assert ACTION_TEXTS[41:46] == (
        *("discard astronomy", "discard agriculture", "discard writing"),
        *("discard religion", "discard art"),
    )
    assert ACTION_TEXTS[46:] == tuple(f"discard {tile}" for tile in TILE_NAMES[11:19])


def test_the_offsets_lead_to_the_texts() -> None:
    assert ACTION_TEXTS[BID + 7] == "bid 7"
    assert ACTION_TEXTS[TAKE + TILE_IDS["nile"]] == "take nile"
    assert ACTION_TEXTS[DISCARD_TILE + TILE_IDS["sphinx"]] == "discard sphinx"


@pytest.mark.parametrize("action", range(NUM_ACTIONS), ids=lambda action: ACTION_TEXTS[action])
def test_every_action_is_read_from_its_text_and_its_id(action: int) -> None:
    assert parse_action(ACTION_TEXTS[action]) == action
    assert parse_action(action) == action


@pytest.mark.parametrize("text", ["Bid 7", "  bid   7 ", "BID\t7", "bid 7\n"])
def test_case_and_blanks_do_not_matter(text: str) -> None:
    assert parse_action(text) == ACTION_TEXTS.index("bid 7")


@pytest.mark.parametrize("number", [np.int64(3), np.uint8(3), np.array(3), np.array([3])[0]])
def test_an_id_may_be_of_any_integer_type(number: object) -> None:
    assert parse_action(number) == 3
    assert type(parse_action(number)) is int


@pytest.mark.parametrize(
    "action",
    [
        *("", " ", "bid", "bid 0", "bid 17", "bid 07", "bid seven", "7", "take ra", "take god"),
        *("discard nile", "draw nile", "pass pass", "bid \u0667", "\ud800", "x" * 100_000),
        *(-1, 54, 10**30, 10**5000, -(10**5000), np.int64(54), np.uint64(2**64 - 1)),
        *(True, False, np.True_, 3.0, np.float64(3), 1j, float("nan"), None, b"draw"),
        *([], [3], (0,), {}, {"draw"}, np.array([0]), np.zeros(3), object(), int, ...),
    ],
    ids=lambda action: type(action).__name__,
)
def test_anything_else_is_refused_in_one_short_sentence(action: object) -> None:
    with pytest.raises(IllegalAction) as refused:
        parse_action(action)
    message = str(refused.value)
    assert "0 to 53" in message
    assert len(message) < 250


def test_the_message_shows_what_was_given() -> None:
    with pytest.raises(IllegalAction, match=r"unknown action 'bet 7'"):
        parse_action("bet 7")
    with pytest.raises(IllegalAction, match=r"unknown action id 54"):
        parse_action(54)
    with pytest.raises(IllegalAction, match=r"not 3\.0"):
        parse_action(3.0)


@pytest.mark.parametrize("ids", [[], [0], [53], [0, 1, 2, 52, 53], list(range(54))])
def test_a_bit_set_is_read_in_ascending_order(ids: list[int]) -> None:
    assert action_bits_to_list(sum(1 << action for action in ids)) == ids
