"""Numbers for the operands of a request, on which kernels that are wrong show it.

    draws_of(spec)          those on which numpy's definition says every result, and whether the request sums
    directed(spec)          beside them, for code beside a kernel that is proved
    fill(call, draw, seed)

Draws are chosen for what kernels get wrong: whole numbers whose sums are exact, zeros of each sign, NaN of all kinds,
infinities, denormals, the ends of integers, bits of any kind; in each place of a reduction one element that decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..operands import Call

Array = np.ndarray[Any, Any]
Draw = Callable[[np.random.Generator, Array], Any]
Draws = tuple[tuple[str, Draw], ...]
_WHOLE_TYPES = frozenset(("i8", "u8", "i16", "u16", "i32"))
_WHOLE = ("GemmSpec", "StackSpec", "EpilogueSpec")
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, 3.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-40, 6e-8, 3e38,
            65504.0)  # fmt: skip
_SUMS_OF = ("sum", "mean", "product")
_PLACES = 32
"""Most places in which an element that decides is put."""


def _range(low: int, high: int) -> Draw:
    def draw(rng: np.random.Generator, array: Array) -> Any:
        return rng.integers(0 if array.dtype.kind == "u" else low, high, array.shape, endpoint=True)

    return draw


def _sparse(rng: np.random.Generator, array: Array) -> Any:
    return (rng.random(array.shape) < 0.25) * rng.integers(1, 3, array.shape, endpoint=True)


def _factors(rng: np.random.Generator, array: Array) -> Any:
    return rng.choice([1, 2] if array.dtype.kind == "u" else [-2, -1, 1, 2], array.shape)


def _bits(rng: np.random.Generator, array: Array) -> Any:
    return np.frombuffer(rng.bytes(array.size * array.itemsize), array.dtype).reshape(array.shape)


def _special(rng: np.random.Generator, array: Array) -> Any:
    if array.dtype.kind in "iu":
        ends = np.iinfo(array.dtype)
        return rng.choice(np.array([0, 1, ends.min, ends.max, ends.max - 1, ends.max // 2], array.dtype), array.shape)
    return rng.choice(np.array(_SPECIAL).astype(array.dtype), array.shape)


def _normal(rng: np.random.Generator, array: Array) -> Any:
    if array.dtype.kind in "iu":
        return _bits(rng, array)
    return rng.normal(size=array.shape) * 10.0 ** rng.integers(-2, 3, array.shape)


def _least(rng: np.random.Generator, array: Array) -> Any:
    return np.full(array.shape, np.iinfo(array.dtype).min if array.dtype.kind in "iu" else -np.inf)


def _infinite(rng: np.random.Generator, array: Array) -> Any:
    return rng.choice(np.array([0, 0, 0, 1, 1, -2, np.inf]).astype(array.dtype), array.shape)


_SUMS: Draws = (
    ("small whole numbers", _range(-3, 3)), ("few numbers that are not zero", _sparse),
    ("whole numbers", _range(-100, 100)), ("powers of two", _factors), *[("whole numbers", _range(-24, 24))] * 3,
)  # fmt: skip
_WIDE: Draws = (
    ("whole numbers", _range(-1000, 1000)), *[("zeros and infinities", _infinite)] * 6,
)  # fmt: skip
_INTEGERS: Draws = (("bits", _bits), ("the ends of integers", _special))
_ANY: Draws = (
    ("small whole numbers", _range(-3, 3)), ("special numbers", _special), ("numbers", _normal), ("bits", _bits),
    ("the least number", _least), *[("special numbers", _special), ("numbers", _normal)] * 3,
)  # fmt: skip


def draws_of(spec: Any) -> tuple[Draws, bool]:
    """(numbers for the operands of a request, whether it sums them)."""
    product, reduced = type(spec).__name__ in _WHOLE, type(spec).__name__ == "ReduceSpec"
    if type(spec).__name__ == "BagSpec" or getattr(spec, "converts", False):  # no machine need fuse what they compute
        return _SUMS, False
    if reduced and spec.name not in _SUMS_OF:
        return (*_ANY, *_extremes(spec)), False
    if not product and not reduced:
        return _ANY, False
    types = set(spec.dtypes) if product else {spec.dtype, spec.compute, spec.out}
    if types <= {"f32", "f64"}:
        return (*_SUMS, *_WIDE[: 7 if product and spec.alpha else 1]), True
    return ((*_SUMS, *_INTEGERS) if "i32" in types and types <= _WHOLE_TYPES else _SUMS), True


def fill(call: Call, draw: Draw, seed: int, free: bool = False) -> None:
    """Numbers in every operand. free: operands that are no part of sums get special ones at every other draw."""
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        for array in call.arrays:
            array[...] = np.asarray(draw(rng, array)).astype(array.dtype)
        for region in call.regions:
            if free and seed % 2 and region.name[:1] not in "abcxyi" and region.array.flags.writeable:
                region.array[...] = np.asarray(_special(rng, region.array)).astype(region.array.dtype)


# One element that decides


def directed(spec: Any) -> Draws:
    """Numbers on which every order of sums gives the same, but for which a definition on numbers says too little:
    those that are not finite, ties of the type of results, and what is rounded off."""
    usual, sums = draws_of(spec)
    if type(spec).__name__ == "ReduceSpec" and sums:
        return tuple(_of_sums(spec))
    return (("kinds of numbers", _kinds),) * 8 if not sums and usual is not _SUMS else ()


def _of_sums(spec: Any) -> Iterator[tuple[str, Draw]]:
    for place in _places(spec):
        yield "a NaN in one place", _placed(spec, place, _range(1, 3), _nan)
        yield "an infinity in one place", _placed(spec, place, _range(1, 3), _infinity)
        yield "a number in one place that sums round off", _placed(spec, place, _range(1, 3), _tiny)
    if spec.name != "product" and not spec.squared:
        for seed in range(_TIES):
            yield "ties", _ties(spec, 0.0)
            yield "numbers beside ties", _ties(spec, (-1.0) ** seed * 2.0**-40)


_TIES = 16


def _extremes(spec: Any) -> Iterator[tuple[str, Draw]]:
    """Each element of a reduction in turn is the one that it takes."""
    low, high = ((10, 16), (100, 100)) if spec.name in ("max", "argmax") else ((10, 16), (0, 0))
    for place in _places(spec):
        if spec.name == "absmax":
            yield "the extreme in one place", _placed(spec, place, _range(-9, 9), _signed(100))
        else:
            yield "the extreme in one place", _placed(spec, place, _range(*low), _range(*high))
        yield "a NaN in one place", _placed(spec, place, _range(-3, 3), _nan)
        yield "0 in one place, -0 elsewhere", _placed(spec, place, _constant(-0.0), _constant(0.0))
        yield "-0 in one place, 0 elsewhere", _placed(spec, place, _constant(0.0), _constant(-0.0))
        if spec.name in ("max", "argmax"):
            yield "-0 in one place, less elsewhere", _placed(spec, place, _range(-9, -1), _constant(-0.0))
        elif spec.name in ("min", "argmin"):
            yield "0 in one place, more elsewhere", _placed(spec, place, _range(1, 9), _constant(0.0))


def _places(spec: Any) -> list[int]:
    count = _elements(spec)
    return sorted({round(at * (count - 1) / max(min(count, _PLACES) - 1, 1)) for at in range(min(count, _PLACES))})


def _elements(spec: Any) -> int:
    """Of each result."""
    return int(spec.m * spec.n // max(spec.count, 1))


def _placed(spec: Any, place: int, usual: Draw, special: Draw) -> Draw:
    """Numbers with a special one for each result: in row i, column place - i of the rows, where rows are summed."""
    count = _elements(spec)

    def draw(rng: np.random.Generator, array: Array) -> Any:
        made = np.asarray(usual(rng, array)).astype(array.dtype)
        return np.where(_place_of(spec, array) % count == place, np.asarray(special(rng, array)).astype(array.dtype),
                        made)  # fmt: skip

    return draw


def _place_of(spec: Any, array: Array) -> Array:
    """The sum of the indices of each element; the number of the element where all are one result's."""
    numbers = np.arange(array.size).reshape(array.shape)
    made: Array = numbers if spec.axis is None else np.indices(array.shape).sum(axis=0)
    return made


def _nan(rng: np.random.Generator, array: Array) -> Any:
    """NaN of each sign, quiet and signalling ones, with the least and the largest payload."""
    if array.dtype.kind in "iu" or array.itemsize == 1:
        return _special(rng, array)
    infinity = int(np.array(np.inf).astype(array.dtype).view(f"u{array.itemsize}"))
    lowest = infinity & -infinity  # bit of the exponent, above the fraction
    fractions = [1, lowest - 1, lowest >> 1, lowest >> 2, lowest - 2]
    bits = [sign | infinity | each for each in fractions for sign in (0, 1 << 8 * array.itemsize - 1)]
    return rng.choice(np.array(bits, f"u{array.itemsize}"), array.shape).view(array.dtype)


def _infinity(rng: np.random.Generator, array: Array) -> Any:
    return _special(rng, array) if array.dtype.kind in "iu" else rng.choice([np.inf, -np.inf], array.shape)


def _tiny(rng: np.random.Generator, array: Array) -> Any:
    """Below half a unit of 1, of either sign."""
    return _factors(rng, array) if array.dtype.kind in "iu" else rng.choice([2.0**-70, -(2.0**-70)], array.shape)


def _constant(number: float) -> Draw:
    return lambda rng, array: np.full(array.shape, 0 if array.dtype.kind in "iu" else number)


def _signed(number: int) -> Draw:
    def draw(rng: np.random.Generator, array: Array) -> Any:
        return rng.choice([number] if array.dtype.kind == "u" else [number, -number], array.shape)

    return draw


def _kinds(rng: np.random.Generator, array: Array) -> Any:
    """NaN of all kinds between special and ordinary numbers."""
    made = [np.asarray(each(rng, array)).astype(array.dtype) for each in (_nan, _special, _normal, _bits)]
    return np.choose(rng.integers(0, 4, array.shape), [each.view(f"u{array.itemsize}") for each in made]).astype(
        f"u{array.itemsize}").view(array.dtype)  # fmt: skip


def _ties(spec: Any, beside: float) -> Draw:
    """Elements whose sum, or mean, lies in the middle of two numbers of eight bits, where no order of sums rounds; and
    beside it, by a number that every order rounds off."""
    count = _elements(spec)

    def draw(rng: np.random.Generator, array: Array) -> Any:
        if array.dtype.kind in "iu" or count < len(_PARTS):
            return _range(-100, 100)(rng, array)
        place, first = _place_of(spec, array) % count, int(rng.integers(0, count))
        tie = int(257 + 2 * rng.integers(0, 127)) * (count if spec.divisor > 1 else 1)
        parts = [tie & mask for mask in _PARTS]
        made = np.full(array.shape, 0.0)
        for number, part in enumerate((*parts, beside)[:count]):
            made[place == (first + number) % count] = part
        return made

    return draw


_PARTS = (~0 << 10, 0x3F8, 7)
"""Bits of a tie, as masks: each fits eight bits."""
