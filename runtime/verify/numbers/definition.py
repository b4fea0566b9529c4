"""The expected results of a request on given numbers, by its definition, so that a wrong result can be shown.

    expected = definition(spec, call, target)      None if this kind of request has no definition here
    expected(before)["y"].wrong(held)              which elements differ from what the request asks for

`before` holds every operand as it was before the call, keyed by name. Sums are computed exactly. If results have to be
rounded, an element counts as wrong only if its error exceeds what any order of summation and any rounding can cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ....emulation.symbolic.values import encoded
from ....encoder.records import NamedTuple
from ....microkernels.dtypes import DTYPES, FOUR_BITS
from ....microkernels.epilogue.spec import EpilogueSpec
from ....microkernels.errors import UnsupportedError
from ....microkernels.gather.bag_spec import BagSpec
from ....microkernels.gemm.spec import GemmSpec
from ....microkernels.reduce.spec import ReduceSpec
from ....microkernels.stack.spec import StackSpec
from .. import epilogues
from ..bitwise import computes
from ..definition import sums
from ..definition.algebra import NumberAlgebra, reals, sizes, whole
from ..definition.evaluate import DEFINITIONS, as_array, computed
from ..definition.traced import on_numbers
from ..gathers import compared
from ..indexed import has_reductions
from ..operands import Call

Array = np.ndarray[Any, Any]
Before = Mapping[str, Array]
_FAR = 1 / 64
"""The tolerated error, as a fraction of the sum of magnitudes. On small numbers, no order of summation and no rounding
of a result causes an error this large."""
_DIGITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "f8e4m3": 4, "f8e5m2": 3}


class Expected(NamedTuple):
    """The expected elements of an operand after the call, and the tolerated error of each (None: bit for bit)."""

    value: Array
    slack: Array | None = None
    payload: bool = False
    """Whether the sign and payload of a NaN must match. They must if elements are only moved."""
    near: bool = False
    """Whether any infinity and NaN will do where one of them is expected."""

    def wrong(self, held: Array) -> Array:
        """Return which elements differ from what they should be."""
        with np.errstate(all="ignore"):
            if self.slack is not None:
                number = held.astype(np.float64)
                off, no_number = np.abs(number - self.value), np.isinf if self.near else np.isnan
                both = (np.isnan(number) | no_number(number)) & (np.isnan(self.value) | no_number(self.value))
                right: Array = (off <= self.slack) | (number == self.value) | both | np.isinf(self.slack)
                return ~right
            raw = f"u{held.itemsize}" if held.itemsize in (1, 2, 4, 8) else None
            pair = [np.ascontiguousarray(each).view(raw) if raw else each for each in (held, self.value)]
            differ: Array = pair[0] != pair[1]
            if not self.payload and held.dtype.kind not in "iub":
                differ &= ~(np.isnan(held.astype(np.float64)) & np.isnan(self.value.astype(np.float64)))
        return differ


Definition = Callable[[Before], dict[str, Expected]]


def definition(spec: Any, call: Call, target: Any) -> Definition | None:
    """Return the definition of a request on numbers, or None if it has none."""
    kind = type(spec)
    if kind in (GemmSpec, StackSpec) and _summed(spec.dtypes[2]):
        return lambda before: {each.name: _sum(spec, before, each.name) for each in call.regions if each.writable}
    if kind is EpilogueSpec and not spec.results and not spec.numbers and _summed(spec.acc_dtype):
        return partial(_epilogue, spec, target)
    if kind is ReduceSpec and _reduces(spec):
        return partial(_reductions, spec)
    if (near := on_numbers(spec)) is not None:
        return lambda before: _near(near(NumberAlgebra(before, call.numbers, target)), before)
    if kind not in DEFINITIONS or has_reductions(spec) or compared(spec):
        return None
    return partial(_elements, spec, call, target)


def _summed(dtype: str) -> bool:
    return DTYPES[dtype].real or dtype == "i32"


def _reduces(spec: Any) -> bool:
    if not {spec.dtype, spec.out}.isdisjoint(FOUR_BITS):
        return False
    return spec.name in (*sums.SEARCHES, *sums.EXTREMA) or DTYPES[spec.out].real or spec.out == spec.compute == "i32"


def _elements(spec: Any, call: Call, target: Any, before: Before) -> dict[str, Expected]:
    """Return elements that are moved, or computed one by one."""
    made = computed(spec, before, call.numbers, target)
    payload = not computes(spec)
    found = {name: Expected(value, None, payload) for name, value in made.items()}
    if isinstance(spec, BagSpec) and spec.acc_dtype in _DIGITS:  # the order of summation and fused operations are free
        value = made["y"].astype(np.float64)
        found["y"] = Expected(value, np.abs(value) * 2.0 ** (4 - _DIGITS[spec.acc_dtype]))
    return found


def _near(made: Mapping[str, Array], before: Before) -> dict[str, Expected]:
    """Return sums of computed elements, which differ from others by a part of the largest of them."""
    found = {}
    for name, results in made.items():
        shape = before[name].shape
        value = np.broadcast_to(results, shape if len(shape) > 1 else (1, *shape)).reshape(shape).astype(np.float64)
        size = np.abs(value[np.isfinite(value)]).max(initial=0)
        found[name] = Expected(value, np.full(shape, _FAR * size), near=True)
    return found


# Products


def _sum(spec: Any, before: Before, name: str) -> Expected:
    """Return beta C + alpha sum A B."""
    dtype = spec.dtypes[2]
    with np.errstate(all="ignore"):
        value, size, finite = (
            sums.product(spec, ring, name) for ring in (reals(before), sizes(before), sizes(before, True))
        )
    if not DTYPES[dtype].real:
        return Expected(value.astype(np.int64).astype(np.int32))
    return _rounded(value, size, finite, dtype, spec.alpha, spec.beta)


_LARGEST = {"f16": 65504.0, "f8e4m3": 448.0, "f8e5m2": 57344.0}


def _rounded(value: Array, size: Array, finite: Array, dtype: str, *factors: float) -> Expected:
    """Return sums of whole numbers. `size` and `finite` bound their magnitudes, `finite` what may overflow besides the
    infinities. A sum is exact if every partial sum is representable in the type. bf16 accumulates
    in f32 and rounds once."""
    unit = next((2.0**-each for each in range(7) if all((factor * 2.0**each).is_integer() for factor in factors)), 0.0)
    near = dtype == "bf16"
    digits = _DIGITS["f32" if near else dtype]
    with np.errstate(all="ignore"):
        exact = (size <= unit * 2.0**digits) | ~np.isfinite(size)
        held = value.astype(np.float32).astype(DTYPES[dtype].numpy).astype(np.float64) if near else value
        slack = np.where(exact, 0.0, _FAR * size)
        slack[size > _LARGEST.get(dtype, np.inf)] = np.inf
        slack[finite > np.finfo(np.float32 if dtype != "f64" else np.float64).max] = np.inf
    return Expected(held, slack)


def _epilogue(spec: Any, target: Any, before: Before) -> dict[str, Expected]:
    """Return the epilogue's expression of the sums, if these are exact."""
    if spec.scratch and spec.beta:
        raise UnsupportedError("verify: an epilogue that adds C itself has no definition on numbers")
    summed = _sum(spec.plain, before, "c")
    if summed.slack is not None and summed.slack.any():
        return {}
    exact = summed.value.astype(DTYPES[spec.acc_dtype].numpy)
    with np.errstate(all="ignore"):
        made = epilogues.results(spec, NumberAlgebra(before, target=target), encoded(exact))["c"]
    made = epilogues.as_operand(made, (*before["c"].shape, made.shape[-1]), spec.order[2] == "F")
    return {"c": Expected(as_array(made, before["c"], before["c"].dtype))}


# Reductions


def _reductions(spec: Any, before: Before) -> dict[str, Expected]:
    if spec.name in (*sums.SEARCHES, *sums.EXTREMA) or not (DTYPES[spec.out].real and DTYPES[spec.compute].real):
        return {name: Expected(value) for name, value in computed(spec, before).items()}
    least = int(spec.name == "product")
    pairs = zip(spec.outputs, sums.totals(spec, whole(before)), sums.totals(spec, whole(before, least)))
    return {y.name: _once_rounded(spec, *(each.reshape(before[y.name].shape) for each in pair)) for y, *pair in pairs}


_MOST = 1 << 200


def _once_rounded(spec: Any, total: Array, sizes: Array) -> Expected:
    """Return totals of elements in any order, over a divisor, rounded to the type of the results. `sizes` are those of
    magnitudes, which no partial sum exceeds. If the sums are exact, only the division, or the multiplication by the
    divisor's inverse, rounds, by at most two units. The accepted results are the roundings of all numbers that near."""
    value = total.astype(np.float64)
    size = np.minimum(sizes * spec.divisor, _MOST).astype(np.float64)
    count = spec.m * spec.n // max(spec.count, 1)
    unit = 2.0 ** -_DIGITS.get(spec.compute, 53)
    whole = spec.divisor & (spec.divisor - 1) == 0
    rounded = 2 * unit * np.abs(value) * (not whole)
    near = np.where(size * unit <= 1, rounded, (count + 4) * unit * size / spec.divisor)
    with np.errstate(all="ignore"):
        low, held, high = (_nearest(each, spec.out) for each in (value - near, value, value + near))
        slack = np.maximum(high - held, held - low)
        slack[~(size < _LARGEST.get(spec.out, 1e38)) | ~(size < _LARGEST.get(spec.compute, 1e38))] = np.inf
    return Expected(held, slack)


def _nearest(value: Array, dtype: str) -> Array:
    """Round to the nearest numbers of a type."""
    made: Array = value.astype(np.float32 if dtype != "f64" else np.float64).astype(DTYPES[dtype].numpy)
    return made.astype(np.float64)
