"""The row: a table without gaps, suns as bits, and the row a game starts from."""

import numpy as np
import pytest

from ra_env import Rules, layout
from ra_env.layout import (
    FACE_UP,
    FIELDS,
    HELD,
    HELD_KINDS,
    STATE_SIZE,
    copy_row,
    count_bits,
    held,
    highest_sun,
    set_sun_bits,
    starting_row,
    sun_bits,
    suns_at,
)
from ra_env.rules import END_HELD, GOD, STANDARD_BAG, STANDARD_SUNS

SETS = [0, 1, 2, 3, 0x7FFF, 0x8000, 0x8001, 0xFFFF, *(1 << sun for sun in range(16)), 0x5A5A]


def field_of(row: np.ndarray, name: str) -> list[int]:
    field = next(field for field in FIELDS if field.name == name)
    return [int(n) for n in row[field.offset : field.offset + field.size]]


def test_the_fields_follow_one_another_without_a_gap() -> None:
    end = 0
    for field in FIELDS:
        assert field.offset == end
        assert field.size > 0
        assert field.meaning
        end += field.size
    assert end == STATE_SIZE
    assert len({field.name for field in FIELDS}) == len(FIELDS)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_field_has_its_constant(field: layout.Field) -> None:
    constant = "AUCTION_KIND" if field.name == "auction" else field.name.upper()
    assert getattr(layout, constant) == field.offset


def test_every_tile_of_every_seat_has_a_place_of_its_own() -> None:
    places = [int(held(seat, tile)) for seat in range(5) for tile in range(GOD, END_HELD)]
    assert places == list(range(HELD, HELD + 5 * HELD_KINDS))


@pytest.mark.parametrize("bits", SETS)
def test_a_set_of_suns_survives_the_row(bits: int) -> None:
    """Sun 16 as well, which is the sign of a 16-bit number."""
    row = np.zeros(STATE_SIZE, np.int16)
    set_sun_bits(row, FACE_UP, bits)
    assert int(sun_bits(row, FACE_UP)) == bits
    assert suns_at(row, FACE_UP) == [sun for sun in range(16, 0, -1) if bits & 1 << (sun - 1)]
    assert not row[FACE_UP + 1 :].any()


@pytest.mark.parametrize("bits", SETS)
def test_highest_sun(bits: int) -> None:
    assert int(highest_sun(bits)) == bits.bit_length()


@pytest.mark.parametrize("bits", [*SETS, 2**53 - 1, 2**54 - 1, 1 << 53, 0x1234_5678_9ABC_DEF0])
def test_count_bits(bits: int) -> None:
    assert int(count_bits(bits)) == bits.bit_count()


def test_copy_row_copies_every_number() -> None:
    row = np.arange(STATE_SIZE, dtype=np.int16)
    out = np.zeros(STATE_SIZE, np.int16)
    copy_row(row, out)
    assert (out == np.arange(STATE_SIZE)).all()
    assert (row == out).all()


def test_the_starting_row_is_what_the_box_says(num_players: int) -> None:
    row = starting_row(Rules(num_players))
    empty = [0] * (5 - num_players)
    assert field_of(row, "num_players") == [num_players]
    assert field_of(row, "num_epochs") == [3]
    assert field_of(row, "ra_spaces") == [{2: 6, 3: 8, 4: 9, 5: 10}[num_players]]
    assert field_of(row, "auction_spaces") == [8]
    assert field_of(row, "epoch") == [1]
    assert field_of(row, "middle_sun") == [1]
    assert field_of(row, "score") == [10] * num_players + empty
    assert field_of(row, "bag") == list(STANDARD_BAG)
    assert field_of(row, "bag_count") == [180]
    for seat in range(num_players):
        assert suns_at(row, FACE_UP + seat) == list(STANDARD_SUNS[num_players][seat])
    for name in ("track", "held", "face_down", "bids", "epoch_points", "track_count", "ra_count"):
        assert not any(field_of(row, name))
    for name in ("seat", "ra_seat", "high_seat"):
        assert field_of(row, name) == [-1]


def test_the_starting_row_of_a_variant_carries_its_settings() -> None:
    rules = Rules(
        3,
        epochs=2,
        ra_spaces=1,
        auction_spaces=4,
        bag={"ra": 2, "gold": 6},
        suns=((16,), (9,), (2,)),
        middle_sun=5,
    )
    row = starting_row(rules)
    assert field_of(row, "num_epochs") == [2]
    assert field_of(row, "ra_spaces") == [1]
    assert field_of(row, "auction_spaces") == [4]
    assert field_of(row, "bag") == [2, 0, 0, 0, 0, 6, *[0] * 17]
    assert field_of(row, "bag_count") == [8]
    assert [suns_at(row, FACE_UP + seat) for seat in range(5)] == [[16], [9], [2], [], []]
    assert field_of(row, "middle_sun") == [5]
