"""An elementwise request computed by numpy: what its kernel must give, bit for bit.

Inputs are converted to the compute type, the expression is evaluated (emulation/numpy_machine.py), results are
converted: rounded to nearest even, integers held within their range, NaN as 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..emulation.numpy_machine import NUMPY, evaluate
from ..microkernels.eltwise_spec import EltwiseSpec
from ..microkernels.expr import program
from ..microkernels.places import COLUMN, ROW, number_word
from .arrays import Array, numpy_dtype


def outputs_of(spec: EltwiseSpec, arrays: Mapping[str, Array], numbers: Mapping[str, int] | None = None,
               tables: int = 0) -> list[Array]:  # fmt: skip
    """The results for these inputs by name, and the numbers that the request asks for.

    tables: how many f32 the target's instruction looks up; functions may choose their form by it.
    """
    compute, given = numpy_dtype(spec.compute), dict(numbers or {})
    inputs: dict[str, Any] = {}
    for x in spec.inputs:
        if x.name in spec.bits:
            inputs[x.name] = np.unpackbits(arrays[x.name], axis=1, bitorder="little")[:, : spec.n].astype(bool)
        else:
            inputs[x.name] = np.asarray(arrays[x.name]).astype(compute)
    if spec.compute not in NUMPY:  # a copy of elements that are not computed with
        sources = (spec.program.steps[number].value for number in spec.program.outputs)
        return [np.broadcast_to(inputs[name], (spec.m, spec.n)) for name in sources]
    whole = {4: np.int32, 8: np.int64}[compute.itemsize]
    for name, _ in spec.program.inputs:
        word = number_word(name)
        if word:
            part = given[word[0]] >> 32 * word[1] & 0xFFFFFFFF
            inputs[name] = np.array(part, np.uint32).view(np.int32).astype(whole)
    inputs[ROW] = (np.arange(spec.m) + given.get("row", 0)).astype(whole)[:, None]
    inputs[COLUMN] = (np.arange(spec.n) + given.get("column", 0)).astype(whole)[None, :]
    results = evaluate(program(*spec.expanded(tables)), **inputs)
    made = []
    for y, value in zip(spec.outputs, results):
        full = np.broadcast_to(value, (spec.m, spec.n))
        made.append(np.packbits(full, axis=1, bitorder="little") if y.name in spec.bits else converted(full, y.dtype))
    return made


def converted(value: Array, dtype: str) -> Array:
    """Of another type, as a store converts it."""
    to = numpy_dtype(dtype)
    with np.errstate(all="ignore"):
        if to.kind in "iu":
            info = np.iinfo(to)
            if value.dtype.kind == "f":
                wide = np.rint(value.astype(np.float64))
                value = np.where(np.isnan(wide), 0, wide)
            return np.asarray(np.clip(value, info.min, info.max).astype(np.int64).astype(to))
        return np.asarray(value).astype(to)


def same_bits(x: Array, y: Array) -> Any:
    """Where two arrays have the same bits, or both a NaN."""
    unsigned = np.dtype(f"u{x.itemsize}")
    same = np.ascontiguousarray(x).view(unsigned) == np.ascontiguousarray(y).view(unsigned)
    if x.dtype.kind not in "iub":
        with np.errstate(invalid="ignore"):  # what signaling NaN raise
            same |= np.isnan(x) & np.isnan(y)
    return same
