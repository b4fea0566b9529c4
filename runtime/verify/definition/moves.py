"""Requests that move elements to other places, and sums of products with constants or weights in one order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....emulation.numerics.expressions import NUMPY
from ....emulation.symbolic.values import encoded
from ....microkernels.baked.spec import BakedSpec
from ....microkernels.depthwise.spec import DepthwiseSpec
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.transform.spec import TransformSpec
from .algebra import Algebra, Array, raw_of
from .conversions import loaded, stored
from .elementwise import elementwise
from .layouts import places


def transform(spec: TransformSpec, algebra: Algebra) -> dict[str, Array]:
    """Return y = x, element by element, with x and y each in its own layout. The padding of y is zero."""
    size = ELEMENT_BYTES[spec.dtype]
    source, result = spec.layouts
    y = np.full((*result.shape(spec.m, spec.n), size), -1, np.int64)
    y[places(result, spec.m, spec.n)] = algebra.raw("x", size)[places(source, spec.m, spec.n)]
    return {"y": y}


def depthwise(spec: DepthwiseSpec, algebra: Algebra) -> dict[str, Array]:
    """Return y = f(sums)."""
    return elementwise(spec.elementwise, with_sums(spec, algebra))


def with_sums(spec: DepthwiseSpec, algebra: Algebra) -> Algebra:
    """Return the algebra with the sum of each pixel and channel as the first input of f. A sum takes its taps in the
    order of rows, columns and channels, starting from 0."""
    compute = NUMPY[spec.acc_dtype]
    x, w = (algebra.loaded(name, dtype, compute) for name, dtype in zip("xw", spec.dtypes))
    rows, columns = spec.extents
    n, ((top, _), (left, _)) = spec.channels, spec.padding
    sums = np.broadcast_to(encoded(np.zeros(1, compute)), (rows, columns, n, compute.itemsize)).copy()
    for tap, (r, s, d) in enumerate(np.ndindex(*spec.taps, spec.depth)):
        i = np.arange(rows) * spec.stride[0] - top + r * spec.dilation[0]
        j = np.arange(columns) * spec.stride[1] - left + s * spec.dilation[1]
        inside = np.ix_(np.flatnonzero((i >= 0) & (i < spec.height)), np.flatnonzero((j >= 0) & (j < spec.width)))
        pixels = i[inside[0]] * spec.pitch + j[inside[1]]
        if pixels.size:
            terms, weights = x[pixels, d * n : (d + 1) * n], w[np.full(pixels.shape, tap)]
            sums[inside] = raw_of(algebra.multiply_add(terms, weights, algebra.lanes(sums[inside], compute)))
    sums = sums.reshape(rows * columns, n, -1)
    if spec.whole:
        sums = raw_of(algebra.run("to_int", algebra.lanes(sums, compute)))
    return algebra.having({spec.elementwise.inputs[0].name: sums})


def baked(spec: BakedSpec, algebra: Algebra) -> dict[str, Array]:
    """Return c. Each of its elements is a sum of products of entries in the order of k, starting from 0 or from c."""
    compute, of_c, right = NUMPY[spec.acc_dtype], spec.dtypes[1], int(spec.side == "right")
    b = _lines(algebra.loaded("b", spec.dtypes[0], compute), right)
    old = _lines(algebra.stored("c", of_c), right) if spec.adds else None
    starts = None if old is None else loaded(old, of_c, compute)
    if spec.given:
        values = algebra.loaded("values", spec.acc_dtype, compute).reshape(-1)
    else:
        values = np.frombuffer(bytes.fromhex(spec.a.values), compute)
    rows = [np.empty((0, *b.shape[1:], ELEMENT_BYTES[of_c]), np.int64)]
    for row, entries in enumerate(spec.sums):
        total = np.zeros(b.shape[1:], compute) if starts is None else starts[row]
        for k, number in entries:
            total = algebra.multiply_add(b[k], np.broadcast_to(values[number], b.shape[1:]), total)
        rows.append(raw_of(old[row] if old is not None and not entries else stored(total, of_c))[None])
    return {"c": np.concatenate(rows).swapaxes(0, right)}


def _lines(values: Any, right: int) -> Any:
    """Return the rows of a matrix, or its columns if the sparse one is on the right."""
    return values.transpose(right, 1 - right, *range(2, values.ndim))
