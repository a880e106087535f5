"""Tests of the vector instructions: they do what their Python says, on every lane, and touch
nothing beside. With NUMBA_DISABLE_JIT=1 the Python itself is tested."""

import numpy as np
import pytest

from ra_env import lanes
from ra_env._jit import njit
from ra_env.lanes import Floats, Order

NUMBERS = np.array([(7 * i * i) % 11 - 2 for i in range(60)], np.int16)
COUNTS = np.array([i * i % 7 for i in range(150)], np.int16)
COUNTS[41] = 3000
SCALES = np.linspace(0.5, 3, 23).astype(np.float32)
THREE_SCALES = SCALES[:3].copy()
ORDER = (2, 3, 0, 1, 4)
STRIDE = 18
TRACK = 120


def fresh(size: int = 40) -> Floats:
    """An array that shows what was not written."""
    return np.full(size, np.nan, np.float32)


# --- from an array into an array -----------------------------------------------------------------


@njit
def _write_scaled_by_one(out: Floats) -> None:
    lanes.write_scaled(NUMBERS, 3, 18, np.float32(0.25), out, 5)


@njit
def _write_scaled_by_many(out: Floats) -> None:
    lanes.write_scaled(NUMBERS, 3, 23, SCALES, out, 5)


@njit
def _write_three_scaled(out: Floats) -> None:
    lanes.write_scaled(NUMBERS, 3, 3, THREE_SCALES, out, 5)


@pytest.mark.parametrize(
    ("write", "size", "scale"),
    [
        (_write_scaled_by_one, 18, np.float32(0.25)),
        (_write_scaled_by_many, 23, SCALES),
        (_write_three_scaled, 3, THREE_SCALES),
    ],
)
def test_numbers_are_scaled_and_nothing_beside_them_is_touched(write, size, scale) -> None:  # type: ignore[no-untyped-def]
    out, expected = fresh(), fresh()
    write(out)
    expected[5 : 5 + size] = NUMBERS[3 : 3 + size].astype(np.float32) * scale
    assert out.tobytes() == expected.tobytes()


@njit
def _write_flags(bits: int, out: Floats) -> None:
    lanes.write_bits(bits, 16, out, 5)


@pytest.mark.parametrize("bits", [0, 1, 0x8000, 0xFFFF, 0x1234, 0xF0001, -1])
def test_flags_are_the_lowest_sixteen_bits(bits: int) -> None:
    out, expected = fresh(), fresh()
    _write_flags(bits, out)
    expected[5:21] = [bits >> i & 1 for i in range(16)]
    assert out.tobytes() == expected.tobytes()


@njit
def _write_few_flags(bits: int, out: Floats) -> None:
    lanes.write_bits(bits, 4, out, 2)
    lanes.write_bits(bits, 21, out, 7)


@pytest.mark.parametrize("bits", [0, 1, 0b1010, 0b110110, 0x1F0000, 0xABCDEF])
def test_any_number_of_flags_can_be_written(bits: int) -> None:
    out, expected = fresh(), fresh()
    _write_few_flags(bits, out)
    expected[2:6] = [bits >> i & 1 for i in range(4)]
    expected[7:28] = [bits >> i & 1 for i in range(21)]
    assert out.tobytes() == expected.tobytes()


@njit
def _write_bits(bits: int, out: np.ndarray) -> None:
    lanes.write_bits(bits, 54, out, 1)


@pytest.mark.parametrize("bit", range(64))
def test_bits_are_written_where_they_belong(bit: int) -> None:
    out = np.full(60, 7, np.int8)
    _write_bits(1 << bit if bit < 63 else -1, out)
    expected = [7] + [int(bit in (i, 63)) for i in range(54)] + [7] * 5
    assert out.tolist() == expected


# --- eight numbers -------------------------------------------------------------------------------


@njit
def _calculate(start: int, number: int, out: Floats) -> None:
    places = lanes.count_up()
    values = lanes.rotate(NUMBERS, start, 2, 5)
    one = np.float32(1)
    lanes.write_eight(values + places, one, out, 0)
    lanes.write_eight(values - number, one, out, 8)
    lanes.write_eight(number * values, one, out, 16)
    lanes.write_eight((values & number) + 100 * (values | places), one, out, 24)
    lanes.write_eight((values < number) + 10 * (values <= number), one, out, 32)
    lanes.write_eight((values > number) + 10 * (values >= number), one, out, 40)
    lanes.write_eight(1 * (values == places), one, out, 48)
    lanes.write_true((values > 0) & (places < 4), out, 56)


@pytest.mark.parametrize("start", [5, 6, 9, 30])
@pytest.mark.parametrize("number", [-2, 0, 3])
def test_eight_numbers_are_calculated_with_like_numbers(start: int, number: int) -> None:
    out = fresh(64)
    _calculate(start, number, out)
    own = [int(NUMBERS[start + i]) for i in (2, 3, 4, 0, 1)] + [0, 0, 0]
    expected = [
        [value + i for i, value in enumerate(own)],
        [value - number for value in own],
        [value * number for value in own],
        [(value & number) + 100 * (value | i) for i, value in enumerate(own)],
        [(value < number) + 10 * (value <= number) for value in own],
        [(value > number) + 10 * (value >= number) for value in own],
        [value == i for i, value in enumerate(own)],
        [value > 0 and i < 4 for i, value in enumerate(own)],
    ]
    assert out.reshape(8, 8).tolist() == expected


@njit
def _write_sixteen(numbers: lanes.Sixteen, out: Floats, at: int) -> None:
    lanes.write_eight(lanes.first_half(numbers), np.float32(1), out, at)
    lanes.write_eight(lanes.second_half(numbers), np.float32(1), out, at + 8)


@njit
def _calculate_with_sixteen(start: int, out: Floats) -> None:
    values = lanes.join(lanes.rotate(NUMBERS, start, 2, 5), lanes.count_up())
    _write_sixteen(values, out, 0)
    _write_sixteen(10 * values - (values > 2) + 3 * (values == values), out, 16)


@pytest.mark.parametrize("start", [5, 9, 30])
def test_sixteen_numbers_are_eight_and_eight(start: int) -> None:
    out = fresh(32)
    _calculate_with_sixteen(start, out)
    own = [int(NUMBERS[start + i]) for i in (2, 3, 4, 0, 1)] + [0, 0, 0, *range(8)]
    assert out[:16].tolist() == own
    assert out[16:].tolist() == [10 * value - (value > 2) + 3 for value in own]


@njit
def _columns(order: Order, out: Floats) -> None:
    first, second, third = lanes.columns(COUNTS, 4, STRIDE, order, TRACK, 3)
    _write_sixteen(first, out, 0)
    _write_sixteen(second, out, 16)
    _write_sixteen(third, out, 32)


def test_columns_take_one_number_of_each_row_and_add_another() -> None:
    out = fresh(48)
    _columns(ORDER, out)
    rows = np.array([COUNTS[4 + STRIDE * row :][:3] for row in ORDER])
    columns = out.reshape(3, 2, 8)
    assert columns[:, 0, :5].T.tolist() == rows.tolist()
    assert columns[:, 1, :5].T.tolist() == (rows + COUNTS[TRACK : TRACK + 3]).tolist()
    assert not columns[:, :, 5:].any()


@njit
def _nonzero(order: Order, out: Floats) -> None:
    found = lanes.nonzero(COUNTS, 4, STRIDE, order, TRACK)
    _write_sixteen(found & 0xFF, out, 0)
    _write_sixteen(lanes.count_ones(found & 0xFF00), out, 16)


def test_bit_sets_say_what_is_not_zero() -> None:
    out = fresh(32)
    _nonzero(ORDER, out)
    rows = np.array([COUNTS[4 + STRIDE * row :][:16] for row in ORDER])
    for half, numbers in enumerate((rows, rows + COUNTS[TRACK : TRACK + 16])):
        is_there = numbers != 0
        sets, counts = out[:16].reshape(2, 8)[half], out[16:].reshape(2, 8)[half]
        assert sets[:5].tolist() == (is_there[:, :8] << np.arange(8)).sum(axis=1).tolist()
        assert counts[:5].tolist() == is_there[:, 8:].sum(axis=1).tolist()


@njit
def _excess_above_two(order: Order, out: Floats) -> None:
    _write_sixteen(lanes.excess(COUNTS, 4, STRIDE, order, TRACK, 2, 3), out, 0)


@njit
def _excess_above_none(order: Order, out: Floats) -> None:
    _write_sixteen(lanes.excess(COUNTS, 4, STRIDE, order, TRACK, 0, 31), out, 0)


@pytest.mark.parametrize(
    ("function", "low", "most"), [(_excess_above_two, 2, 3), (_excess_above_none, 0, 31)]
)
def test_the_excess_is_what_is_above_the_low_but_no_more_than_the_most(
    function, low: int, most: int
) -> None:  # type: ignore[no-untyped-def]
    out = fresh(16)
    function(ORDER, out)
    rows = np.array([COUNTS[4 + STRIDE * row :][:8] for row in ORDER])
    assert rows.max() == 3000  # what is far too high counts no more than what is too high
    for sums, numbers in ((out[:8], rows), (out[8:], rows + COUNTS[TRACK : TRACK + 8])):
        assert sums[:5].tolist() == (numbers - low).clip(0, most).sum(axis=1).tolist()


@njit
def _others_and_ones(start: int, out: Floats) -> None:
    values = lanes.rotate(NUMBERS, start, 0, 5)
    others = lanes.join(values, lanes.rotate(NUMBERS, start + 7, 0, 5))
    _write_sixteen(lanes.highest_of_others(others), out, 0)
    lanes.write_eight(lanes.count_ones(values), np.float32(1), out, 16)


@pytest.mark.parametrize("start", range(5, 30))
def test_the_highest_of_the_others_and_the_bits_of_each(start: int) -> None:
    out = fresh(24)
    _others_and_ones(start, out)
    for at, first in ((0, start), (8, start + 7)):
        own = [int(number) for number in NUMBERS[first : first + 5]]
        others = [max(0, *own[:i], *own[i + 1 :]) for i in range(5)]
        assert out[at : at + 5].tolist() == others
        assert out[at + 5 : at + 8].tolist() == [max(0, *own)] * 3
    own = [int(number) for number in NUMBERS[start : start + 5]]
    assert out[16:].tolist() == [bin(number & 0xFFFF).count("1") for number in own] + [0] * 3
