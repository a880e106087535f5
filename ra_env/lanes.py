"""Many numbers at once: vector instructions for compiled code, asked for by name.

A short loop is compiled into single instructions, because it is unrolled, and because its arrays
might overlap. The functions here are not left to chance. Each is written twice: in Python, which
says what it does and is what runs without the compiler, and as instructions, which LLVM translates
for any processor. None of them checks an index.

`Eight` are eight whole numbers of 16 bits, one for each place at the table and some to spare;
`Sixteen` are twice as many: the same eight numbers as they are, and as they would be with something
added, so that what follows from both is worked out at once. They are added, subtracted, multiplied
and compared like numbers, with their like or with one number; a comparison gives 1 where it is true
and 0 where it is not. Without the compiler they are a numpy array (of more bits, which makes no
difference as long as 16 are enough).

This module knows nothing about the game.
"""

import operator
from collections.abc import Callable
from functools import partial, reduce
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

Numbers: TypeAlias = NDArray[np.int16]
Floats: TypeAlias = NDArray[np.float32]
Eight: TypeAlias = Any
Sixteen: TypeAlias = Any
Order: TypeAlias = tuple[np.int64, np.int64, np.int64, np.int64, np.int64]
"""Five rows of numbers, in any order."""

_Function = TypeVar("_Function", bound=Callable[..., object])

_BYTE, _SHORT, _INT, _LONG = (ir.IntType(bits) for bits in (8, 16, 32, 64))
_EIGHT: Final = ir.VectorType(_SHORT, LANES)
_SIXTEEN: Final = ir.VectorType(_SHORT, 2 * LANES)
_EIGHT_FLOATS: Final = ir.VectorType(ir.FloatType(), LANES)


class _NumbersType(types.Type):  # type: ignore[misc]  # numba is taken as untyped
    """Several whole numbers, as numba knows them."""

    def __init__(self, name: str, vector: Any) -> None:
        super().__init__(name=name)
        self.vector = vector


@register_model(_NumbersType)
class _NumbersModel(models.PrimitiveModel):  # type: ignore[misc]
    """One vector of the processor."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


_eight: Final = _NumbersType("Eight", _EIGHT)
_sixteen: Final = _NumbersType("Sixteen", _SIXTEEN)


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

    The last one ends where the numbers do, so it may repeat some of those before it. Four numbers
    are as fast as two.
    """
    full, rest = divmod(size, width)
    vectors = [(width * i, width) for i in range(full)]
    if rest:
        last = min(max(1 << (rest - 1).bit_length(), 4), size)
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


def _join(builder: Any, first: Any, second: Any) -> Any:
    """One vector after the other."""
    return _shuffle(builder, first, second, list(range(2 * first.type.count)))


def _call(builder: Any, name: str, *vectors: Any) -> Any:
    """What LLVM has under this name for each number of vectors."""
    vector = vectors[0].type
    kind = ir.FunctionType(vector, [vector] * len(vectors))
    name = f"llvm.{name}.v{vector.count}i{vector.element.width}"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), vectors)


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


def _bits_instructions(_: Any, bits: Any, count: Any, out: Any, at: Any) -> Any:
    single = _BYTE if out.dtype == types.int8 else ir.FloatType()
    vectors = _cut(count.literal_value, WIDTH if out.dtype == types.float32 else 2 * WIDTH)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, _, target, place = arguments
        for start, width in vectors:
            offset = ir.Constant(number.type, start)
            part = builder.trunc(builder.lshr(number, offset), ir.IntType(width))
            flags = builder.bitcast(part, ir.VectorType(ir.IntType(1), width))
            vector = ir.VectorType(single, width)
            values = builder.select(flags, _same(vector, 1), _same(vector, 0))
            _store(context, builder, out, target, builder.add(place, offset), values)
        return context.get_dummy_value()

    return types.void(types.int64, count, out, types.intp), generate


@_compiled_as(_bits_instructions)
def write_bits(bits: int, count: int, out: Floats | NDArray[np.int8], at: int) -> None:
    """Write the lowest `count` (a constant) bits, each as a number, into `out` from `at` on."""
    for bit in range(count):
        out[at + bit] = bits >> bit & 1


# --- eight numbers -------------------------------------------------------------------------------


def _operate(function: Any, instruct: Callable[[Any, Any, Any], Any]) -> None:
    """Let an operator take `Eight` or `Sixteen`, one of them or both."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = signature.return_type.vector

        def widened(value: Any) -> Any:
            if value.type == vector:
                return value
            return _fill(builder, builder.trunc(value, _SHORT), vector)

        return instruct(builder, *(widened(value) for value in arguments))

    cases = [
        signature(kind, *pair)
        for kind in (_eight, _sixteen)
        for pair in ((kind, kind), (kind, types.int64), (types.int64, kind))
    ]
    template = type("NumbersTemplate", (ConcreteTemplate,), {"key": function, "cases": cases})
    infer_global(function)(template)
    for case in cases:
        lower_builtin(function, *case.args)(lower)


def _comparison(sign: str) -> Callable[[Any, Any, Any], Any]:
    def instruct(builder: Any, first: Any, second: Any) -> Any:
        return builder.zext(builder.icmp_signed(sign, first, second), first.type)

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
        ahead = _load(context, builder, numbers, source, index, _EIGHT)
        index = builder.sub(index, size)
        behind = _load(context, builder, numbers, source, index, _EIGHT)
        lanes = ir.Constant(_EIGHT, list(range(LANES)))

        def below(limit: Any) -> Any:
            limits = _fill(builder, builder.trunc(limit, _SHORT), _EIGHT)
            return builder.icmp_signed("<", lanes, limits)

        found = builder.select(below(builder.sub(size, shift)), ahead, behind)
        return builder.select(below(size), found, _same(_EIGHT, 0))

    return _eight(numbers, types.intp, types.intp, types.intp), generate


@_compiled_as(_rotate_instructions)
def rotate(numbers: Numbers, start: int, first: int, count: int) -> Eight:
    """`count` numbers from `start` on, those before `first` behind the others; then zeros.

    Five numbers before them and eight after them can be read.
    """
    found = np.zeros(LANES, np.int32)
    found[:count] = np.roll(numbers[start : start + count], -first)
    return found


def _rows(
    context: Any, builder: Any, array: Any, first: Any, step: Any, order: Any, vector: Any
) -> list[Any]:
    """The beginnings of the rows of an order, one vector each."""
    kind, source = array
    rows = []
    for place in range(PLACES):
        index = builder.add(first, builder.mul(builder.extract_value(order, place), step))
        rows.append(_load(context, builder, kind, source, index, vector))
    return rows


def _columns_instructions(
    _: Any, numbers: Any, start: Any, stride: Any, order: Any, added: Any, count: Any
) -> Any:
    result = types.UniTuple(_sixteen, count.literal_value)

    def interleave(builder: Any, one: Any, other: Any, width: int, half: int) -> Any:
        """`width` numbers of one and of the other in turn, from the lower or the upper half of each
        eight: one instruction, as nothing crosses from the first eight to the second."""
        lanes = []
        for eight in (0, LANES):
            for i in range(eight + half * LANES // 2, eight + (half + 1) * LANES // 2, width):
                lanes += [i + j for j in range(width)] + [2 * LANES + i + j for j in range(width)]
        return _shuffle(builder, one, other, lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, step, order_, second, _ = arguments
        more = _load(context, builder, numbers, source, second, _EIGHT)
        more = _join(builder, _same(_EIGHT, 0), more)
        rows = _rows(context, builder, (numbers, source), first, step, order_, _EIGHT)
        table = [[builder.add(_join(builder, row, row), more)] for row in rows]
        table += [[_same(_SIXTEEN, 0)]] * (LANES - PLACES)
        for width in (1, 2, 4):
            table = [
                [
                    interleave(builder, *pair, width, half)
                    for pair in zip(one, other, strict=True)
                    for half in (0, 1)
                ]
                for one, other in zip(table[::2], table[1::2], strict=True)
            ]
        return context.make_tuple(builder, signature.return_type, table[0][: len(result)])

    return result(numbers, types.intp, types.intp, order, types.intp, count), generate


@_compiled_as(_columns_instructions)
def columns(
    numbers: Numbers, start: int, stride: int, order: Order, added: int, count: int
) -> tuple[Sixteen, ...]:
    """The first `count` (a constant up to 8) numbers of each row of `stride` numbers from `start`
    on: all first ones, all second ones, and so on; and each with the number added that lies as
    far from `added`. Eight numbers of each row can be read."""
    found = np.zeros((count, 2, LANES), np.int32)
    for lane, row in enumerate(order):
        found[:, :, lane] = numbers[start + stride * row :][:count, None]
    found[:, 1, :PLACES] += numbers[added : added + count, None]
    return tuple(found.reshape(count, 2 * LANES))


def _nonzero_instructions(
    _: Any, numbers: Any, start: Any, stride: Any, order: Any, added: Any
) -> Any:
    def as_number(builder: Any, rows: list[Any]) -> Any:
        """One bit for each number of one row or of four."""
        flags = [builder.icmp_signed("!=", row, _same(_SIXTEEN, 0)) for row in rows]
        while len(flags) > 1:
            flags = [_join(builder, *flags[i : i + 2]) for i in range(0, len(flags), 2)]
        number = builder.bitcast(flags[0], ir.IntType(flags[0].type.count))
        return number if number.type == _LONG else builder.zext(number, _LONG)

    def as_eight(builder: Any, four: Any, others: Any) -> Any:
        vector = ir.VectorType(_LONG, 1)
        halves = (builder.bitcast(number, vector) for number in (four, others))
        return builder.bitcast(_join(builder, *halves), _EIGHT)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, step, order_, second = arguments
        rows = _rows(context, builder, (numbers, source), first, step, order_, _SIXTEEN)
        more = _load(context, builder, numbers, source, second, _SIXTEEN)
        own = [as_number(builder, rows[:4]), as_number(builder, rows[4:])]
        more = builder.mul(as_number(builder, [more]), ir.Constant(_LONG, 0x0001000100010001))
        together = [builder.or_(number, more) for number in own]
        return _join(builder, as_eight(builder, *own), as_eight(builder, *together))

    intp = types.intp
    return _sixteen(numbers, intp, intp, order, intp), generate


@_compiled_as(_nonzero_instructions)
def nonzero(numbers: Numbers, start: int, stride: int, order: Order, added: int) -> Sixteen:
    """Which of the first 16 numbers of each row of `stride` numbers from `start` on are not zero,
    as bit sets; and the same with those from `added` on, none of which is negative."""
    found = np.zeros((2, LANES), np.int32)
    more = numbers[added : added + WIDTH]
    for lane, row in enumerate(order):
        own = numbers[start + stride * row :][:WIDTH]
        for half, values in enumerate((own, own | more)):
            found[half, lane] = sum(1 << bit for bit in np.flatnonzero(values))
    found[1, PLACES:] = sum(1 << bit for bit in np.flatnonzero(more))
    return found.reshape(2 * LANES)


def _excess_instructions(
    _: Any,
    numbers: Any,
    start: Any,
    stride: Any,
    order: Any,
    added: Any,
    low: Any,
    most: Any,
) -> Any:
    bytes_, longs = ir.VectorType(_BYTE, 4 * LANES), ir.VectorType(_LONG, LANES // 2)

    def halved(builder: Any, one: Any, other: Any) -> Any:
        """The numbers of both in half as many bits, which is enough for them. One instruction, as
        nothing crosses from 128 bits to the next."""
        half = ir.VectorType(ir.IntType(one.type.element.width // 2), 2 * one.type.count)
        block = 128 // half.element.width
        lanes: list[int] = []
        for begin in range(0, half.count, block):
            for vector in (0, half.count):
                lanes += range(vector + begin, vector + begin + block, 2)
        return _shuffle(builder, builder.bitcast(one, half), builder.bitcast(other, half), lanes)

    def total(builder: Any, values: Any) -> Any:
        """The sum of eight bytes is the highest byte of their product with as many ones."""
        product = builder.mul(builder.bitcast(values, longs), _same(longs, 0x0101010101010101))
        return builder.lshr(product, _same(longs, 56))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, step, order_, second, _, _ = arguments
        rows = _rows(context, builder, (numbers, source), first, step, order_, _EIGHT)
        rows.append(_same(_EIGHT, 0))
        rows.append(_load(context, builder, numbers, source, second, _EIGHT))
        rows = [_call(builder, "umin", row, _same(_EIGHT, 255)) for row in rows]
        more = halved(builder, rows[-1], rows[-1])
        more = _join(builder, _same(more.type, 0), more)
        sums = []
        for i in (0, 2, 4):
            values = halved(builder, rows[i], rows[i + 1])
            values = _call(builder, "uadd.sat", _join(builder, values, values), more)
            values = _call(builder, "usub.sat", values, _same(bytes_, low.literal_value))
            values = _call(builder, "umin", values, _same(bytes_, most.literal_value))
            sums.append(total(builder, values))
        sums = [halved(builder, sums[0], sums[1]), halved(builder, sums[2], _same(longs, 0))]
        return halved(builder, *sums)

    intp = types.intp
    return _sixteen(numbers, intp, intp, order, intp, low, most), generate


@_compiled_as(_excess_instructions)
def excess(
    numbers: Numbers, start: int, stride: int, order: Order, added: int, low: int, most: int
) -> Sixteen:
    """By how much the first eight numbers of each row of `stride` numbers from `start` on exceed
    `low`, each by at most `most`, in all; and the same with the numbers from `added` on added.

    `low` and `most` are constants, the numbers are not negative, and a sum is at most 255.
    """
    found = np.zeros((2, LANES), np.int32)
    more = numbers[added : added + LANES]
    for lane, row in enumerate(order):
        own = numbers[start + stride * row :][:LANES]
        found[0, lane] = (own - low).clip(0, most).sum()
        found[1, lane] = (own + more - low).clip(0, most).sum()
    return found.reshape(2 * LANES)


def _join_instructions(_: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _join(builder, *arguments)

    return _sixteen(_eight, _eight), generate


@_compiled_as(_join_instructions)
def join(first: Eight, second: Eight) -> Sixteen:
    """Eight numbers, and eight others."""
    return np.concatenate((first, second))


def _half_instructions(start: int) -> Any:
    def instructions(_: Any, numbers: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (values,) = arguments
            return _shuffle(builder, values, values, list(range(start, start + LANES)))

        return _eight(_sixteen), generate

    return instructions


@_compiled_as(_half_instructions(0))
def first_half(numbers: Sixteen) -> Eight:
    """The first eight."""
    return numbers[:LANES]


@_compiled_as(_half_instructions(LANES))
def second_half(numbers: Sixteen) -> Eight:
    """The second eight."""
    return numbers[LANES:]


def _others_instructions(_: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (values,) = arguments
        nothing = _same(_SIXTEEN, 0)
        others = []
        for place in range(PLACES):
            lanes = [i - i % LANES + place for i in range(2 * LANES)]
            lanes[place] = lanes[LANES + place] = 2 * LANES
            others.append(_shuffle(builder, values, nothing, lanes))
        return reduce(partial(_call, builder, "smax"), others)

    return _sixteen(_sixteen), generate


@_compiled_as(_others_instructions)
def highest_of_others(numbers: Sixteen) -> Sixteen:
    """For each number the highest of the others among the first five of its eight, and of 0."""
    found = np.zeros((2, LANES), np.int32)
    for half, values in enumerate(numbers.reshape(2, LANES)):
        for lane in range(LANES):
            found[half, lane] = max(0, *(values[i] for i in range(PLACES) if i != lane))
    return found.reshape(2 * LANES)


def _count_instructions(_: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _call(builder, "ctpop", *arguments)

    return numbers(numbers), generate


@_compiled_as(_count_instructions)
def count_ones(numbers: Eight | Sixteen) -> Eight | Sixteen:
    """How many of the 16 bits of each number are set."""
    return np.array([bin(int(number) & 0xFFFF).count("1") for number in numbers], np.int32)


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
