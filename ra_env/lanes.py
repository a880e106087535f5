"""Many numbers at once: vector instructions for compiled code, asked for by name.

A short loop is compiled into single instructions, because it is unrolled, and because its arrays
might overlap. The functions here are not left to chance. Each is written twice: in Python, which
says what it does and is what runs without the compiler, and as instructions, which LLVM translates
for any processor. None of them checks an index.

`Eight` are eight whole numbers, one for each place at the table and some to spare. They are added,
subtracted, multiplied and compared like numbers, with each other or with one number; a comparison
gives 1 where it is true and 0 where it is not. Without the compiler they are a numpy array.

This module knows nothing about the game.
"""

import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model
from numpy.typing import NDArray

WIDTH: Final = 16
"""Numbers that are written at once."""
LANES: Final = 8
"""Numbers in an `Eight`."""
PLACES: Final = 5
"""Rows of numbers in an `Order`: the numbers of an `Eight` that mean something."""
CLAMP: Final = 8
"""`sum_clamped` cannot tell numbers above this apart."""

Numbers: TypeAlias = NDArray[np.int16]
Floats: TypeAlias = NDArray[np.float32]
Eight: TypeAlias = Any
Order: TypeAlias = tuple[np.int64, np.int64, np.int64, np.int64, np.int64]
"""Five rows of numbers, in any order."""

_Function = TypeVar("_Function", bound=Callable[..., object])

_BYTE, _SHORT, _INT, _LONG = (ir.IntType(bits) for bits in (8, 16, 32, 64))
_FLOATS: Final = ir.VectorType(ir.FloatType(), WIDTH)
_BITS: Final = ir.VectorType(ir.IntType(1), WIDTH)
_EIGHT: Final = ir.VectorType(_INT, LANES)
_EIGHT_SHORTS: Final = ir.VectorType(_SHORT, LANES)
_EIGHT_LONGS: Final = ir.VectorType(_LONG, LANES)
_EIGHT_FLOATS: Final = ir.VectorType(ir.FloatType(), LANES)
_EIGHT_BYTES: Final = ir.VectorType(_BYTE, LANES)
_ALL_BYTES: Final = ir.VectorType(_BYTE, LANES * LANES)


class _EightType(types.Type):  # type: ignore[misc]  # numba is taken as untyped
    """Eight whole numbers, as numba knows them."""

    def __init__(self) -> None:
        super().__init__(name="Eight")


@register_model(_EightType)
class _EightModel(models.PrimitiveModel):  # type: ignore[misc]
    """One vector of the processor."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _EIGHT)


_eight: Final = _EightType()


def _compiled_as(instructions: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """In compiled code, these instructions take the place of the decorated function."""

    def choose(function: _Function) -> _Function:
        if numba.config.DISABLE_JIT:
            return function
        compiled: _Function = intrinsic(prefer_literal=True)(instructions)
        return compiled

    return choose


# --- small parts of instructions -----------------------------------------------------------------


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any, vector: Any) -> Any:
    """Where a vector begins in an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any, index: Any, vector: Any) -> Any:
    place = _place(context, builder, kind, array, index, vector)
    return builder.load(place, align=kind.dtype.bitwidth // 8)


def _store(context: Any, builder: Any, kind: Any, array: Any, index: Any, value: Any) -> None:
    place = _place(context, builder, kind, array, index, value.type)
    builder.store(value, place, align=kind.dtype.bitwidth // 8)


def _cut(size: int, width: int) -> list[tuple[int, int]]:
    """Where to begin the vectors that cover `size` numbers, and their widths, `width` and less.

    The last one ends where the numbers do, so it may repeat some of those before it.
    """
    full, rest = divmod(size, width)
    vectors = [(width * i, width) for i in range(full)]
    if rest:
        last = min(1 << (rest - 1).bit_length(), size)
        vectors.append((size - last, last))
    return vectors


def _same(vector: Any, value: float) -> Any:
    """A constant vector of equal numbers."""
    return ir.Constant(vector, [value] * vector.count)


def _fill(builder: Any, value: Any, vector: Any) -> Any:
    """A vector of equal numbers."""
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_INT, 0))
    return _shuffle(builder, first, nothing, [0] * vector.count)


def _shuffle(builder: Any, first: Any, second: Any, lanes: list[int]) -> Any:
    """These lanes of two vectors, those of the second counted on from the first."""
    return builder.shuffle_vector(
        first, second, ir.Constant(ir.VectorType(_INT, len(lanes)), lanes)
    )


def _least(builder: Any, first: Any, second: Any) -> Any:
    return builder.select(builder.icmp_signed("<", first, second), first, second)


def _most(builder: Any, first: Any, second: Any) -> Any:
    return builder.select(builder.icmp_signed(">", first, second), first, second)


# --- from an array into an array -----------------------------------------------------------------


def _scaled_instructions(
    _: Any, numbers: Any, start: Any, size: Any, scale: Any, out: Any, at: Any
) -> Any:
    vectors = _cut(size.literal_value, WIDTH)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, _, factor, target, place = arguments
        for step, width in vectors:
            shorts, floats = ir.VectorType(_SHORT, width), ir.VectorType(ir.FloatType(), width)
            offset = ir.Constant(first.type, step)
            index = builder.add(first, offset)
            values = _load(context, builder, numbers, source, index, shorts)
            if isinstance(scale, types.Array):
                factors = _load(context, builder, scale, factor, offset, floats)
            else:
                factors = _fill(builder, factor, floats)
            scaled = builder.fmul(builder.sitofp(values, floats), factors)
            _store(context, builder, out, target, builder.add(place, offset), scaled)
        return context.get_dummy_value()

    return types.void(numbers, types.intp, size, scale, out, types.intp), generate


@_compiled_as(_scaled_instructions)
def write_scaled(
    numbers: Numbers, start: int, size: int, scale: np.float32 | Floats, out: Floats, at: int
) -> None:
    """Write `size` (a constant) numbers from `start` on, times one scale or as many
    of them, into `out` from `at` on."""
    out[at : at + size] = numbers[start : start + size] * scale


def _flags_instructions(_: Any, bits: Any, out: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, target, place = arguments
        flags = builder.bitcast(builder.trunc(number, _SHORT), _BITS)
        values = builder.select(flags, _same(_FLOATS, 1.0), _same(_FLOATS, 0.0))
        _store(context, builder, out, target, place, values)
        return context.get_dummy_value()

    return types.void(types.int64, out, types.intp), generate


@_compiled_as(_flags_instructions)
def write_flags(bits: int, out: Floats, at: int) -> None:
    """Write the lowest 16 bits, each as a number, into `out` from `at` on."""
    for bit in range(WIDTH):
        out[at + bit] = bits >> bit & 1


def _bits_instructions(_: Any, bits: Any, count: Any, out: Any) -> Any:
    vectors = _cut(count.literal_value, 2 * WIDTH)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, _, target = arguments
        for start, width in vectors:
            place = ir.Constant(number.type, start)
            part = builder.trunc(builder.lshr(number, place), ir.IntType(width))
            flags = builder.bitcast(part, ir.VectorType(ir.IntType(1), width))
            values = builder.zext(flags, ir.VectorType(_BYTE, width))
            _store(context, builder, out, target, place, values)
        return context.get_dummy_value()

    return types.void(types.int64, count, out), generate


@_compiled_as(_bits_instructions)
def write_bits(bits: int, count: int, out: NDArray[np.int8]) -> None:
    """Write the lowest `count` (a constant, at least 8) bits, each as a number, into `out`."""
    for bit in range(count):
        out[bit] = bits >> bit & 1


# --- eight numbers -------------------------------------------------------------------------------


def _operate(function: Any, instruct: Callable[[Any, Any, Any], Any]) -> None:
    """Let an operator take `Eight`, one of them or both."""
    cases = [(_eight, _eight), (_eight, types.int64), (types.int64, _eight)]

    def as_eight(builder: Any, value: Any) -> Any:
        if value.type == _EIGHT:
            return value
        return _fill(builder, builder.trunc(value, _INT), _EIGHT)

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return instruct(builder, *(as_eight(builder, value) for value in arguments))

    template = type(
        "EightTemplate",
        (ConcreteTemplate,),
        {"key": function, "cases": [signature(_eight, *case) for case in cases]},
    )
    infer_global(function)(template)
    for case in cases:
        lower_builtin(function, *case)(lower)


def _comparison(sign: str) -> Callable[[Any, Any, Any], Any]:
    def instruct(builder: Any, first: Any, second: Any) -> Any:
        return builder.zext(builder.icmp_signed(sign, first, second), _EIGHT)

    return instruct


_operate(operator.add, lambda builder, a, b: builder.add(a, b))
_operate(operator.sub, lambda builder, a, b: builder.sub(a, b))
_operate(operator.mul, lambda builder, a, b: builder.mul(a, b))
_operate(operator.and_, lambda builder, a, b: builder.and_(a, b))
_operate(operator.or_, lambda builder, a, b: builder.or_(a, b))
_operate(operator.lt, _comparison("<"))
_operate(operator.le, _comparison("<="))
_operate(operator.gt, _comparison(">"))
_operate(operator.ge, _comparison(">="))
_operate(operator.eq, _comparison("=="))


def _count_up_instructions(_: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(_EIGHT, list(range(LANES)))

    return _eight(), generate


@_compiled_as(_count_up_instructions)
def count_up() -> Eight:
    """The numbers 0 to 7."""
    return np.arange(LANES, dtype=np.int32)


def _rotate_instructions(_: Any, numbers: Any, start: Any, first: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, begin, shift, size = arguments
        index = builder.add(begin, shift)
        ahead = _load(context, builder, numbers, source, index, _EIGHT_SHORTS)
        index = builder.sub(index, size)
        behind = _load(context, builder, numbers, source, index, _EIGHT_SHORTS)
        lanes = ir.Constant(_EIGHT_SHORTS, list(range(LANES)))

        def below(limit: Any) -> Any:
            limits = _fill(builder, builder.trunc(limit, _SHORT), _EIGHT_SHORTS)
            return builder.icmp_signed("<", lanes, limits)

        found = builder.select(below(builder.sub(size, shift)), ahead, behind)
        found = builder.select(below(size), found, _same(_EIGHT_SHORTS, 0))
        return builder.sext(found, _EIGHT)

    return _eight(numbers, types.intp, types.intp, types.intp), generate


@_compiled_as(_rotate_instructions)
def rotate(numbers: Numbers, start: int, first: int, count: int) -> Eight:
    """`count` numbers from `start` on, those before `first` behind the others; then zeros.

    Five numbers before them and eight after them can be read.
    """
    found = np.zeros(LANES, np.int32)
    found[:count] = np.roll(numbers[start : start + count], -first)
    return found


def _columns_instructions(
    _: Any, numbers: Any, start: Any, stride: Any, order: Any, count: Any
) -> Any:
    result = types.UniTuple(_eight, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, step, order_, _ = arguments
        rows = _rows(context, builder, (numbers, source), first, step, order_, len(order))
        columns = []
        for column in range(count.literal_value):
            lanes = list(range(column, rows.type.count, LANES))
            shorts = _shuffle(builder, rows, ir.Constant(rows.type, ir.Undefined), lanes)
            columns.append(builder.sext(shorts, _EIGHT))
        return context.make_tuple(builder, signature.return_type, columns)

    return result(numbers, types.intp, types.intp, order, count), generate


def _rows(
    context: Any, builder: Any, array: Any, first: Any, step: Any, order: Any, count: int
) -> Any:
    """Eight numbers of each of eight rows, one row after the other; zeros if there are fewer."""
    kind, source = array
    rows = [_same(_EIGHT_SHORTS, 0)] * LANES
    for lane in range(count):
        index = builder.add(first, builder.mul(builder.extract_value(order, lane), step))
        rows[lane] = _load(context, builder, kind, source, index, _EIGHT_SHORTS)
    while len(rows) > 1:
        lanes = list(range(2 * rows[0].type.count))
        pairs = zip(rows[::2], rows[1::2], strict=True)
        rows = [_shuffle(builder, one, other, lanes) for one, other in pairs]
    return rows[0]


@_compiled_as(_columns_instructions)
def columns(
    numbers: Numbers, start: int, stride: int, order: Order, count: int
) -> tuple[Eight, ...]:
    """The first `count` (a constant up to 8) numbers of each row of `stride` numbers from `start`
    on: all first ones, all second ones, and so on."""
    found = np.zeros((count, LANES), np.int32)
    for lane, row in enumerate(order):
        found[:, lane] = numbers[start + stride * row : start + stride * row + count]
    return tuple(found)


def _sum_instructions(
    _: Any,
    numbers: Any,
    start: Any,
    size: Any,
    stride: Any,
    order: Any,
    added: Any,
    low: Any,
    high: Any,
) -> Any:
    count, least, most = (value.literal_value for value in (size, low, high))

    def as_bytes(builder: Any, shorts: Any) -> Any:
        small = _least(builder, shorts, _same(shorts.type, CLAMP))
        return builder.trunc(small, ir.VectorType(_BYTE, shorts.type.count))

    def total(builder: Any, values: Any) -> Any:
        """The sum of eight bytes is the highest byte of their product with as many ones."""
        kind = ir.FunctionType(_ALL_BYTES, [_ALL_BYTES, _ALL_BYTES])
        minus = cgutils.get_or_insert_function(builder.module, kind, "llvm.usub.sat.v64i8")
        values = builder.call(minus, [values, _same(_ALL_BYTES, least)])
        limits = [most - least if i % LANES < count else 0 for i in range(_ALL_BYTES.count)]
        values = _least(builder, values, ir.Constant(_ALL_BYTES, limits))
        longs = builder.bitcast(values, _EIGHT_LONGS)
        product = builder.mul(longs, _same(_EIGHT_LONGS, 0x0101010101010101))
        return builder.trunc(builder.lshr(product, _same(_EIGHT_LONGS, 56)), _EIGHT)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, _, step, order_, second, _, _ = arguments
        rows = _rows(context, builder, (numbers, source), first, step, order_, len(order))
        own = as_bytes(builder, rows)
        more = as_bytes(builder, _load(context, builder, numbers, source, second, _EIGHT_SHORTS))
        more = _shuffle(builder, more, more, list(range(LANES)) * LANES)
        sums = total(builder, own), total(builder, builder.add(own, more))
        return context.make_tuple(builder, signature.return_type, sums)

    result = types.UniTuple(_eight, 2)
    intp = types.intp
    return result(numbers, intp, size, intp, order, intp, low, high), generate


@_compiled_as(_sum_instructions)
def sum_clamped(
    numbers: Numbers,
    start: int,
    size: int,
    stride: int,
    order: Order,
    added: int,
    low: int,
    high: int,
) -> tuple[Eight, Eight]:
    """By how much `size` numbers from `start` on exceed `low`, each by at most `high - low`, in
    each row of `stride` numbers; and the same of their sums with the numbers from `added` on.

    `size`, `low` and `high` are constants up to 8; the numbers are not negative, and eight of each
    can be read.
    """
    alone, together = np.zeros(LANES, np.int32), np.zeros(LANES, np.int32)
    more = numbers[added : added + size]
    for lane, row in enumerate(order):
        own = numbers[start + stride * row : start + stride * row + size]
        alone[lane] = (own.clip(low, high) - low).sum()
        together[lane] = ((own + more).clip(low, high) - low).sum()
    return alone, together


def _highest_instructions(_: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (values,) = arguments
        for step in (4, 2, 1):
            lanes = [(i + step) % LANES for i in range(LANES)]
            values = _most(builder, values, _shuffle(builder, values, values, lanes))
        return values

    return _eight(_eight), generate


@_compiled_as(_highest_instructions)
def highest(numbers: Eight) -> Eight:
    """The highest of the eight numbers, eight times."""
    return np.full(LANES, numbers.max(), np.int32)


def _others_instructions(_: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (values,) = arguments
        lowest = _same(_EIGHT, -(2**31))
        found = lowest
        for lane in range(PLACES):
            lanes = [LANES if i == lane else lane for i in range(LANES)]
            found = _most(builder, found, _shuffle(builder, values, lowest, lanes))
        return found

    return _eight(_eight), generate


@_compiled_as(_others_instructions)
def most_of_others(numbers: Eight) -> Eight:
    """For each number the highest of the others among the first five."""
    found = np.zeros(LANES, np.int32)
    for lane in range(LANES):
        found[lane] = max(numbers[other] for other in range(PLACES) if other != lane)
    return found


def _count_instructions(_: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_EIGHT, [_EIGHT])
        count = cgutils.get_or_insert_function(builder.module, kind, "llvm.ctpop.v8i32")
        return builder.call(count, arguments)

    return _eight(_eight), generate


@_compiled_as(_count_instructions)
def count_ones(numbers: Eight) -> Eight:
    """How many bits are set in each number."""
    return np.array([bin(int(number) & 0xFFFFFFFF).count("1") for number in numbers], np.int32)


def _write_instructions(_: Any, numbers: Any, scale: Any, out: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, factor, target, place = arguments
        floats = builder.sitofp(values, _EIGHT_FLOATS)
        scaled = builder.fmul(floats, _fill(builder, factor, _EIGHT_FLOATS))
        _store(context, builder, out, target, place, scaled)
        return context.get_dummy_value()

    return types.void(_eight, types.float32, out, types.intp), generate


@_compiled_as(_write_instructions)
def write_eight(numbers: Eight, scale: np.float32, out: Floats, at: int) -> None:
    """Write eight numbers, times `scale`, into `out` from `at` on."""
    out[at : at + LANES] = numbers * scale


def _true_instructions(_: Any, flags: Any, out: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, target, place = arguments
        are_true = builder.icmp_signed("!=", values, _same(_EIGHT, 0))
        ones, zeros = _same(_EIGHT_FLOATS, 1.0), _same(_EIGHT_FLOATS, 0.0)
        _store(context, builder, out, target, place, builder.select(are_true, ones, zeros))
        return context.get_dummy_value()

    return types.void(_eight, out, types.intp), generate


@_compiled_as(_true_instructions)
def write_true(flags: Eight, out: Floats, at: int) -> None:
    """Write eight results of comparisons, 1 or 0 each, into `out` from `at` on."""
    out[at : at + LANES] = flags != 0
