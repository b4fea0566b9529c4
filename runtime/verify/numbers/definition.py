"""The expected results of a request on given numbers, computed by numpy, so that a wrong result can be shown.

    expected = definition(spec, call, target)      None if this kind of request has no definition here
    expected(before)["y"].wrong(held)              which elements differ from what the request asks for

`before` holds every operand as it was before the call, keyed by name. Sums are computed exactly. If results have to be
rounded, an element counts as wrong only if its error exceeds what any order of summation and any rounding can cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np

from ....emulation.symbolic.values import Table, decoded
from ....encoder.records import NamedTuple
from ....microkernels.dtypes import DTYPES
from ....microkernels.errors import UnsupportedError
from .. import epilogues, gathers, indexed, products, searches, specification
from ..elementwise import computed
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

    def wrong(self, held: Array) -> Array:
        """Return which elements differ from what they should be."""
        with np.errstate(all="ignore"):
            if self.slack is not None:
                number = held.astype(np.float64)
                off, both = np.abs(number - self.value), np.isnan(number) & np.isnan(self.value)
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
    name = type(spec).__name__
    if name in ("GemmSpec", "StackSpec") and _summed(spec.dtypes[2]):
        return partial(_products, spec, call)
    if name in epilogues.EPILOGUES and not spec.results and not spec.numbers and _summed(spec.acc_dtype):
        return partial(_epilogue, spec, target)
    if name == "ReduceSpec" and _reduces(spec):
        return partial(_reductions, spec)
    if name == indexed.INDEXED and not indexed.has_reductions(spec):
        return partial(_elements, spec, call, target)
    if name in gathers.GATHERS and gathers.compared(spec):
        return None
    if (name in specification.MOVEMENTS and not getattr(spec, "bits", ())) or name in gathers.GATHERS:
        return partial(_elements, spec, call, target)
    return None


def _summed(dtype: str) -> bool:
    return DTYPES[dtype].real or dtype == "i32"


def _reduces(spec: Any) -> bool:
    if spec.name in searches.SEARCHES:
        return True
    if spec.name in _EXTREMA:
        return bool(spec.dtype == spec.out and (not spec.squared or spec.dtype == spec.compute))
    return spec.name in _SUMS and (DTYPES[spec.out].real or spec.out == spec.compute == "i32")


# Elements that are moved, or computed one by one


def _elements(spec: Any, call: Call, target: Any, before: Before) -> dict[str, Expected]:
    table = Table()
    inputs = {name: _constants(table, array) for name, array in before.items()}
    known: Any = SimpleNamespace(table=table, memory=SimpleNamespace(inputs=inputs))
    if type(spec).__name__ == indexed.INDEXED:
        made = indexed.expected(spec, call, known, target)
    elif type(spec).__name__ in gathers.GATHERS:
        made = gathers.expected(spec, call, known, target)
    else:
        made = specification.MOVEMENTS[type(spec).__name__](spec, table, inputs, target, call.numbers)
    # the order of summation and fused operations are free
    if type(spec).__name__ == "BagSpec" and spec.acc_dtype in _DIGITS:
        value = _decoded(made["y"], before["y"]).astype(np.float64)
        slack = np.abs(value) * 2.0 ** (4 - _DIGITS[spec.acc_dtype])
        bad = {name: Expected(_decoded(data, before[name])) for name, data in made.items() if name != "y"}
        return {"y": Expected(value, slack), **bad}
    payload = not specification.computes(spec)
    return {name: Expected(_decoded(data, before[name]), None, payload) for name, data in made.items()}


def _constants(table: Table, array: Array) -> Array:
    """Return the elements of an operand as constant nodes, with a last axis of length one."""
    size = array.itemsize
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(-1, size)
    nodes = [table.joined(tuple(-1 - byte for byte in element)) for element in data.tolist()]
    return np.array(nodes, np.int64).reshape(*array.shape, 1)


def _decoded(data: Array, like: Array) -> Array:
    found = decoded(data, like.dtype)
    if found is None:
        raise UnsupportedError("verify: the definition of the request leaves a value open")
    shaped: Array = found.reshape(like.shape)
    return shaped


# Products


def _products(spec: Any, call: Call, before: Before) -> dict[str, Expected]:
    names = [each.name for each in call.regions if each.writable]
    return {name: _sum(spec, before, name) for name in names}


def _sum(spec: Any, before: Before, name: str) -> Expected:
    """Return beta C + alpha sum A B."""
    total, size, finite = np.zeros((3, spec.m, spec.n))
    for first, second in products.pairs_of(before, name):
        a, b = (products.unpacked(spec, before[each], at).astype(np.float64) for at, each in enumerate((first, second)))
        with np.errstate(all="ignore"):
            total += a @ b.T
            size += np.abs(a) @ np.abs(b).T
            finite += _finite(a) @ _finite(b).T
    c = before[name].astype(np.float64) if spec.beta else np.zeros((spec.m, spec.n))
    with np.errstate(all="ignore"):
        value, size = spec.alpha * total + spec.beta * c, abs(spec.alpha) * size + abs(spec.beta) * np.abs(c)
        finite = max(1.0, abs(spec.alpha)) * finite + abs(spec.beta) * _finite(c)
    dtype = spec.dtypes[2]
    if not DTYPES[dtype].real:
        return Expected(value.astype(np.int64).astype(np.int32))
    found = _rounded(value, size, dtype, spec.alpha, spec.beta)
    assert found.slack is not None
    return found._replace(
        slack=np.where(finite > np.finfo(np.float32 if dtype != "f64" else np.float64).max, np.inf, found.slack)
    )


def _finite(x: Array) -> Array:
    """Return absolute values, with 0 for infinities. They bound what may overflow besides the infinities."""
    return np.where(np.isfinite(x), np.abs(x), 0.0)


_LARGEST = {"f16": 65504.0, "f8e4m3": 448.0, "f8e5m2": 57344.0}


def _rounded(value: Array, size: Array, dtype: str, *factors: float) -> Expected:
    """Return sums of whole numbers. A sum is exact if every partial sum is representable in the type. bf16 accumulates
    in f32 and rounds once."""
    unit = next((2.0**-each for each in range(7) if all((factor * 2.0**each).is_integer() for factor in factors)), 0.0)
    near = dtype == "bf16"
    digits = _DIGITS["f32" if near else dtype]
    with np.errstate(all="ignore"):
        exact = (size <= unit * 2.0**digits) | ~np.isfinite(size)
        held = value.astype(np.float32).astype(DTYPES[dtype].numpy).astype(np.float64) if near else value
        slack = np.where(exact, 0.0, _FAR * size)
        slack[size > _LARGEST.get(dtype, np.inf)] = np.inf
    return Expected(held, slack)


def _epilogue(spec: Any, target: Any, before: Before) -> dict[str, Expected]:
    """Return the epilogue's expression of the sums, if these are exact."""
    names = dict.fromkeys(name for name in before if name[0] in "ab" and name[1:2] == "[")
    if spec.scratch and spec.beta:
        raise UnsupportedError("verify: an epilogue that adds C itself has no definition on numbers")
    summed = _sum(spec.plain, {"c": before["c"], **{name: before[name] for name in names}}, "c")
    if summed.slack is not None and summed.slack.any():
        return {}
    sums = summed.value.astype(DTYPES[spec.acc_dtype].numpy)
    walk, flipped, table = spec.elementwise, spec.order[2] == "F", Table()
    given = {"c": sums, **{each.name: before[each.name] for each in walk.inputs[1:]}}
    shaped = {each.name: _turned(given[each.name], flipped).reshape(each.rows, each.columns) for each in walk.inputs}
    made = computed(walk, table, {name: _constants(table, each) for name, each in shaped.items()}, target, {})["y"]
    made = epilogues.as_operand(made, (*before["c"].shape, made.shape[-1]), flipped)
    return {"c": Expected(_decoded(np.ascontiguousarray(made), before["c"]))}


def _turned(array: Array, flipped: bool) -> Array:
    return array.T if flipped and array.ndim == 2 else array


# Reductions

_SUMS = ("sum", "mean", "product")
_EXTREMA = ("max", "min", "absmax")


def _reductions(spec: Any, before: Before) -> dict[str, Expected]:
    found = {}
    if spec.name in searches.SEARCHES:
        return {"y": Expected(searches.places(spec, before["x"]).reshape(before["y"].shape))}
    for at, (y, name) in enumerate(zip(spec.outputs, spec.reductions)):
        start = before[spec.inits[at].name].reshape(-1) if spec.init else None
        value = _extremum if spec.name in _EXTREMA else _total
        made = value(spec, name, before["x"], start)
        shape = before[y.name].shape
        found[y.name] = made._replace(
            value=made.value.reshape(shape), slack=None if made.slack is None else made.slack.reshape(shape)
        )
    return found


def _groups(spec: Any, x: Array) -> list[Array]:
    """Return the elements that each result reduces."""
    return {0: list(x.T), 1: list(x), None: [x.reshape(-1)]}[spec.axis]


def _total(spec: Any, name: str, x: Array, start: Array | None) -> Expected:
    """Return sums and products of whole numbers, computed exactly with Python integers and rounded once to the type of
    the results."""
    groups = _groups(spec, x.astype(np.float64))
    value, size = np.zeros(len(groups)), np.zeros(len(groups))
    for at, group in enumerate(groups):
        elements = [int(each) ** (1 + name.endswith("squares")) for each in group.tolist()]
        elements += [int(start[at])] if start is not None else []
        whole = prod(elements) if name.startswith("product") else sum(elements)
        if not DTYPES[spec.compute].real:
            whole = (whole + (1 << 31)) % (1 << 32) - (1 << 31)
        value[at] = whole / spec.divisor
        size[at] = min(
            prod(abs(each) or 1 for each in elements) if name.startswith("product") else sum(map(abs, elements)), _MOST
        )
    if not DTYPES[spec.out].real:
        return Expected(value.astype(np.int64).astype(np.int32))
    return _once_rounded(value, size, max(map(len, groups), default=0), spec)


_MOST = 1 << 200


def _once_rounded(value: Array, size: Array, count: int, spec: Any) -> Expected:
    """Return totals of `count` elements in any order, over a divisor, rounded to the type of the results. `size` holds
    the sums of magnitudes, which no partial sum exceeds. If the sums are exact, only the division, or the
    multiplication by the divisor's inverse, rounds, by at most two units. The accepted results are the roundings of all
    numbers that near."""
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


def _extremum(spec: Any, name: str, x: Array, start: Array | None) -> Expected:
    """Return extrema bit for bit: a NaN wins, and -0 lies below +0. The absolute value of the least integer saturates
    if the computed type is wider; otherwise it is that integer itself."""
    made = []
    for at, group in enumerate(_groups(spec, x)):
        if spec.name == "absmax" and x.dtype.kind == "i" and spec.compute != spec.dtype:
            group = np.maximum(group, -np.iinfo(x.dtype).max)
        elements = group * group if name.endswith("squares") else group
        elements = np.concatenate(
            [
                np.abs(elements) if spec.name == "absmax" else elements,
                start[at : at + 1].astype(group.dtype) if start is not None else group[:0],
            ]
        )
        with np.errstate(all="ignore"):
            key = elements.astype(np.float64 if elements.dtype.kind not in "iu" else elements.dtype)
        if key.dtype.kind == "f" and np.isnan(key).any():
            made.append(elements[np.isnan(key).argmax()])
            continue
        order = np.lexsort((~np.signbit(key), key)) if key.dtype.kind == "f" else np.argsort(key, kind="stable")
        made.append(elements[order[0 if spec.name == "min" else -1]])
    return Expected(np.array(made, x.dtype).astype(DTYPES[spec.out].numpy))
