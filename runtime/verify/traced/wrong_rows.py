"""Show that a fused kernel is wrong on small numbers: the emulator executes the code, numpy computes the definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....emulation.core.faults import Fault
from ....emulation.cpu import execute
from ....emulation.numerics.expressions import NUMPY
from ....microkernels.expr.along import ALONG, SCANS
from ....microkernels.expr.products import PRODUCT
from ....microkernels.expr.program import Program
from ....microkernels.reduce.scans import start_of
from .. import refutation
from ..definition.algebra import NumberAlgebra
from ..definition.elementwise import bits_in_a_row, inputs_of
from ..definition.programs import evaluated
from ..operands import Call, numbers_of
from ..proof import Refutation

Array = np.ndarray[Any, Any]
Definition = Callable[[Any, Any, dict[str, Array]], list[Array]]
_TRIES = 4
_FAR = 1 / 64
"""The tolerated error, as a fraction of the largest result. On small numbers, no order of summation and no rounding of
a result causes an error this large."""
_SCANS: dict[str, np.ufunc] = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}
_REDUCTIONS: dict[str, Any] = {
    "sum": np.sum,
    "product": np.prod,
    "max": np.max,
    "min": np.min,
    "absmax": lambda x, axis, keepdims: np.max(np.abs(x), axis=axis, keepdims=keepdims),
}


def shown(
    code: bytes,
    target: Any,
    spec: Any,
    call: Call,
    program: Program | None,
    by: Definition | None = None,
    draw: Callable[[Call, int], None] | None = None,
) -> Refutation | None:
    """Return a refutation by an element that the emulator computes wrong, or None. `by` computes the expected results;
    the default is `defined`. `draw` fills the operands from a seed; the default is `fill`."""
    arrays = {each.name: each.array for each in call.regions}
    for seed in range(_TRIES):
        (draw or fill)(call, seed)
        before = {name: np.array(array) for name, array in arrays.items()}
        wanted = (by or defined)(spec, program, arrays)
        try:
            execute(code, target, call.integers, call.everything)
        except Fault as fault:
            return refutation.of_fault(fault)
        except RuntimeError:  # the calling convention was violated, which another claim reports
            continue
        for y, value in zip(spec.outputs, wanted):
            held = _elements(spec, y, arrays[y.name], (np.shape(value) or (1,))[-1])
            if (wrong := differing(y.name, held, value, seed)) is not None:
                text, place = wrong
                place = (*place[:-1], place[-1] // 8) if y.name in getattr(spec, "bits", ()) else place
                return refutation.of_numbers(text, code, target, call, y.name, place, before)
    return None


def _elements(spec: Any, operand: Any, array: Array, own: int) -> Array:
    """Return the elements of an operand; for a mask, its bits in the order of the elements. `own` is the number of
    columns of the mask's value."""
    if operand.name not in getattr(spec, "bits", ()):
        return array
    columns = bits_in_a_row(operand, own, spec.n)
    return np.unpackbits(array, axis=-1, count=columns, bitorder="little").astype(bool)


def fill(call: Call, seed: int) -> None:
    """Fill the operands with small numbers. Odd seeds use multiples of 1/4 that are not negative, so that roots and
    logarithms are defined."""
    rng = np.random.default_rng(seed)
    for array in call.arrays:
        low = 0 if array.dtype.kind == "u" else -3
        drawn = rng.integers(low, 4, array.shape)
        array[...] = (drawn if array.dtype.kind in "iu" else np.abs(drawn) / 4 if seed % 2 else drawn / 2).astype(
            array.dtype
        )


def differing(name: str, held: Array, wanted: Array, seed: int) -> tuple[str, tuple[int, ...]] | None:
    """Return a description and the index of the first element that is far from the expected one, or None."""
    with np.errstate(all="ignore"):
        held = held.astype(np.float64)
        wanted = np.broadcast_to(wanted, held.shape).astype(np.float64)
        finite = np.isfinite(wanted)
        size = np.abs(wanted[finite]).max(initial=0)
        far = np.where(finite, ~(np.abs(held - wanted) <= _FAR * size), np.isfinite(held))
    if not far.any():
        return None
    place = tuple(int(at) for at in np.argwhere(far)[0])
    where = f"{name}[{', '.join(map(str, place))}]"
    return (
        f"refuted: {where} becomes {held[place]:g} but should be {wanted[place]:g}; {int(far.sum())} elements of "
        f"{far.size} are wrong\n  confirmed in the emulator on small numbers, seed {seed}"
    ), place


def defined(spec: Any, program: Program | None, arrays: dict[str, Array]) -> list[Array]:
    """Return the results computed by numpy, with sums in f64."""
    assert program is not None, "only a definition of its own needs none"
    dtype, algebra = NUMPY[spec.compute], NumberAlgebra(arrays, numbers_of(spec))

    def reduced(step: Any, parts: list[Any]) -> Any:
        if step.op == PRODUCT:
            left, right = (each.astype(np.float64) for each in parts)
            return (left @ right).astype(dtype)
        if step.op in SCANS:
            name, exclusive = step.value
            values = np.broadcast_to(parts[0], (spec.m, spec.n)).astype(np.float64)
            found = _SCANS[name].accumulate(values, axis=1)
            first = np.full((spec.m, 1), start_of(name, spec.compute), f"u{dtype.itemsize}").view(dtype)
            return (np.hstack([first, found[:, :-1]]) if exclusive else found).astype(dtype)
        along = step.op == ALONG
        shape = np.broadcast_shapes(np.shape(parts[0]), (1 if along else spec.m, 1))
        values = np.broadcast_to(parts[0], shape).astype(np.float64)
        return _REDUCTIONS[step.value](values, axis=int(along), keepdims=True).astype(dtype)

    with np.errstate(all="ignore"):
        return evaluated(program, inputs_of(spec, algebra, program), algebra.operations, reduced)
