"""Numbers for the operands of a request, chosen to expose wrong kernels.

    draws_of(spec)          draws for which numpy's definition decides every result, and whether the request sums
    directed(spec)          further draws, for comparing code with a kernel that is proved
    fill(call, draw, seed)

The draws target typical errors of kernels: whole numbers whose sums are exact, zeros of each sign, all kinds of NaN,
infinities, denormals, the limits of integers and random bits. For reductions, one decisive element is put in each
position in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....microkernels.attention.spec import AttentionSpec
from ....microkernels.gather.bag_spec import BagSpec
from ....microkernels.gemm.spec import GemmSpec
from ....microkernels.reduce.spec import ReduceSpec
from ..definition.traced import on_numbers
from ..operands import Call

Array = np.ndarray[Any, Any]
Draw = Callable[[np.random.Generator, Array], Any]
Draws = tuple[tuple[str, Draw], ...]
Free = Callable[[str], Draw | None]
_WHOLE_TYPES = frozenset(("i8", "u8", "i16", "u16", "i32"))
_SPECIAL = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    1.5,
    3.0,
    np.inf,
    -np.inf,
    np.nan,
    -np.nan,
    1e-45,
    -1e-40,
    6e-8,
    3e38,
    65504.0,
)
_SUMS_OF = ("sum", "mean", "product")
_PLACES = 32
"""The largest number of positions in which a decisive element is put."""


def _range(low: int, high: int) -> Draw:
    def draw(rng: np.random.Generator, array: Array) -> Any:
        least = 0 if array.dtype.kind == "u" else low
        return rng.integers(least, max(least, high), array.shape, endpoint=True)

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


def _halves(rng: np.random.Generator, array: Array) -> Any:
    drawn = _range(-3, 3)(rng, array)
    return drawn if array.dtype.kind in "iu" else drawn / 2


def _quarters(rng: np.random.Generator, array: Array) -> Any:
    """Return multiples of 1/4 that are not negative, so that roots and logarithms are defined."""
    drawn = _range(-3, 3)(rng, array)
    return drawn if array.dtype.kind in "iu" else np.abs(drawn) / 4


def _hiding(rng: np.random.Generator, array: Array) -> Any:
    return np.where((drawn := _halves(rng, array)) < -1, -np.inf, drawn)


_SMALL: Draws = (("small numbers", _halves), ("small numbers", _quarters)) * 2
_SUMS: Draws = (
    ("small whole numbers", _range(-3, 3)),
    ("few numbers that are not zero", _sparse),
    ("whole numbers", _range(-100, 100)),
    ("powers of two", _factors),
    *[("whole numbers", _range(-24, 24))] * 3,
)
_WIDE: Draws = (
    ("whole numbers", _range(-1000, 1000)),
    *[("zeros and infinities", _infinite)] * 6,
)
_INTEGERS: Draws = (("bits", _bits), ("the ends of integers", _special))
_ANY: Draws = (
    ("small whole numbers", _range(-3, 3)),
    ("special numbers", _special),
    ("numbers", _normal),
    ("bits", _bits),
    ("the least number", _least),
    *[("special numbers", _special), ("numbers", _normal)] * 3,
)


def draws_of(spec: Any) -> tuple[Draws, Free | None]:
    """Return the draws for the operands of a request, and what every other draw has for some operands if the request
    sums others."""
    if on_numbers(spec) is not None:
        return _SMALL, _of_masks if isinstance(spec, AttentionSpec) else None
    product, reduced = isinstance(spec, GemmSpec), isinstance(spec, ReduceSpec)
    # machines need not fuse the operations of these
    if isinstance(spec, BagSpec) or getattr(spec, "converts", False):
        return _SUMS, None
    if reduced and spec.name not in _SUMS_OF:
        return (*_ANY, *_extremes(spec)), None
    if not product and not reduced:
        return _ANY, None
    types = set(spec.dtypes) if product else {spec.dtype, spec.compute, spec.out}
    if types <= {"f32", "f64"}:
        return (*_SUMS, *_WIDE[: 7 if product and spec.alpha else 1]), _of_others
    return ((*_SUMS, *_INTEGERS) if "i32" in types and types <= _WHOLE_TYPES else _SUMS), _of_others


def _of_others(name: str) -> Draw | None:
    """Special numbers for operands that are no part of a sum."""
    return _special if name[:1] not in "abcxyi" else None


def _of_masks(name: str) -> Draw | None:
    """Masks that hide some keys."""
    return _hiding if name == "mask" else None


def fill(call: Call, draw: Draw, seed: int, free: Free | None = None) -> None:
    """Fill every operand with numbers. In every other draw, the operands for which `free` returns a draw have those of
    that one."""
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        for array in call.arrays:
            array[...] = np.asarray(draw(rng, array)).astype(array.dtype)
        for region in call.regions:
            other = free(region.name) if free and seed % 2 else None
            if other is not None and region.array.flags.writeable:
                region.array[...] = np.asarray(other(rng, region.array)).astype(region.array.dtype)


# One decisive element


def directed(spec: Any) -> Draws:
    """Return draws on which every order of summation gives the same result, but for which the definition on numbers is
    too weak: numbers that are not finite, ties in the type of the results, and numbers that are rounded off."""
    usual, sums = draws_of(spec)
    if isinstance(spec, ReduceSpec) and sums:
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
    """Yield draws in which each element of a reduction in turn is the extremum."""
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
    """Return the number of elements per result."""
    return int(spec.m * spec.n // max(spec.count, 1))


def _placed(spec: Any, place: int, usual: Draw, special: Draw) -> Draw:
    """Return a draw with one special number for each result. If rows or columns are reduced, it lies where row + column
    equals `place` modulo the number of elements."""
    count = _elements(spec)

    def draw(rng: np.random.Generator, array: Array) -> Any:
        made = np.asarray(usual(rng, array)).astype(array.dtype)
        return np.where(
            _place_of(spec, array) % count == place, np.asarray(special(rng, array)).astype(array.dtype), made
        )

    return draw


def _place_of(spec: Any, array: Array) -> Array:
    """Return the sum of the indices of each element, or the element's number if all elements belong to one result."""
    numbers = np.arange(array.size).reshape(array.shape)
    made: Array = numbers if spec.axis is None else np.indices(array.shape).sum(axis=0)
    return made


def _nan(rng: np.random.Generator, array: Array) -> Any:
    """Return NaNs of both signs, quiet and signalling, with the smallest and the largest payloads."""
    if array.dtype.kind in "iu" or array.itemsize == 1:
        return _special(rng, array)
    infinity = int(np.array(np.inf).astype(array.dtype).view(f"u{array.itemsize}"))
    lowest = infinity & -infinity  # the lowest bit of the exponent, just above the fraction
    fractions = [1, lowest - 1, lowest >> 1, lowest >> 2, lowest - 2]
    bits = [sign | infinity | each for each in fractions for sign in (0, 1 << 8 * array.itemsize - 1)]
    return rng.choice(np.array(bits, f"u{array.itemsize}"), array.shape).view(array.dtype)


def _infinity(rng: np.random.Generator, array: Array) -> Any:
    return _special(rng, array) if array.dtype.kind in "iu" else rng.choice([np.inf, -np.inf], array.shape)


def _tiny(rng: np.random.Generator, array: Array) -> Any:
    """Return numbers of either sign that are far below half an ulp of 1."""
    return _factors(rng, array) if array.dtype.kind in "iu" else rng.choice([2.0**-70, -(2.0**-70)], array.shape)


def _constant(number: float) -> Draw:
    return lambda rng, array: np.full(array.shape, 0 if array.dtype.kind in "iu" else number)


def _signed(number: int) -> Draw:
    def draw(rng: np.random.Generator, array: Array) -> Any:
        return rng.choice([number] if array.dtype.kind == "u" else [number, -number], array.shape)

    return draw


def _kinds(rng: np.random.Generator, array: Array) -> Any:
    """Return all kinds of NaN mixed with special and ordinary numbers."""
    made = [np.asarray(each(rng, array)).astype(array.dtype) for each in (_nan, _special, _normal, _bits)]
    return (
        np.choose(rng.integers(0, 4, array.shape), [each.view(f"u{array.itemsize}") for each in made])
        .astype(f"u{array.itemsize}")
        .view(array.dtype)
    )


def _ties(spec: Any, beside: float) -> Draw:
    """Return a draw whose sums or means lie halfway between two numbers of eight significant bits, where no order of
    summation rounds. `beside` is a small number added to the tie, which every order rounds off."""
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
"""Masks that split the bits of a tie into parts; each part has at most eight significant bits."""
