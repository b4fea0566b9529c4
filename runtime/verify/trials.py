"""Code without a proof on numbers: the emulator executes it, numpy says what it should leave.

    trials.wrong(code, target, spec, call)      a refutation, None where every result is right

Draws are chosen for what kernels get wrong: whole numbers whose sums are exact, zeros of each sign, NaN, infinities,
denormals, the ends of integers, bits of any kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...emulation.core.faults import AbiViolation, Fault, TooLong
from ...emulation.cpu import execute
from ...microkernels.errors import UnsupportedError
from .definition import Definition, definition
from .mode import stale
from .operands import Call
from .proof import Refutation
from .refutation import of_fault

Array = np.ndarray[Any, Any]
Draw = Callable[[np.random.Generator, Array], Any]
Draws = tuple[tuple[str, Draw], ...]
LIMIT = 1_000_000
"""Instructions after which a trial is given up."""
_SHOWN = 48
"""Elements of operands that a refutation prints."""
_WHOLE_TYPES = frozenset(("i8", "u8", "i16", "u16", "i32"))
_WHOLE = ("GemmSpec", "StackSpec", "EpilogueSpec")
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, 3.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-40, 6e-8, 3e38,
            65504.0)  # fmt: skip


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


def wrong(code: bytes, target: Any, spec: Any, call: Call) -> Refutation | None:
    """An element that the emulator computes wrong; None where it finds none, or where no definition is known."""
    expected = definition(spec, call, target)
    if expected is None:
        return None
    draws, sums = draws_of(spec)
    for seed, (words, draw) in enumerate(draws):
        fill(call, draw, seed, free=sums)
        try:
            found = _differing(code, target, call, expected, seed)
        except UnsupportedError:
            return None
        if isinstance(found, Refutation):
            return found
        if found:
            return Refutation(f"{found}\n  confirmed in the emulator on {words}, draw {seed}", None, True)
    return stale(code, target, call)


def draws_of(spec: Any) -> tuple[Draws, bool]:
    """(numbers for the operands of a request, whether it sums them)."""
    product, reduced = type(spec).__name__ in _WHOLE, type(spec).__name__ == "ReduceSpec"
    if type(spec).__name__ == "BagSpec" or getattr(spec, "converts", False):  # no machine need fuse what they compute
        return _SUMS, False
    if not product and not (reduced and spec.name in ("sum", "mean", "product")):
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


def _differing(code: bytes, target: Any, call: Call, expected: Definition, seed: int) -> Refutation | str:
    """What is wrong with one execution: a text, or a refutation where it does not end as a call should."""
    before = {each.name: np.array(each.array) for each in call.regions}
    wanted = expected(before)
    try:
        execute(code, target, call.integers, call.everything, limit=LIMIT, junk=seed or None)
    except TooLong:
        return ""
    except Fault as fault:
        return of_fault(fault)
    except AbiViolation as lost:
        return Refutation(f"refuted: {lost}", None, True)
    for region in call.regions:
        if region.name not in wanted:
            continue
        far = wanted[region.name].wrong(region.array)
        if far.any():
            place = tuple(int(at) for at in np.argwhere(far)[0])
            return _text(region, place, wanted[region.name].value, int(far.sum()), before)
    return ""


def _text(region: Any, place: tuple[int, ...], value: Array, count: int, before: dict[str, Array]) -> str:
    where = f"{region.name}[{', '.join(map(str, place))}]"
    lines = [f"refuted: {where} becomes {region.array[place]} but should be {value[place]}; {count} elements of "
             f"{region.array.size} are wrong"]  # fmt: skip
    lines += [f"  {name} = {array.tolist()}" for name, array in before.items()
              if 0 < array.size <= _SHOWN and name != region.name]  # fmt: skip
    return "\n".join(lines)
