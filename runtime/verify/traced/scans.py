"""The definition of a scan along rows, in the order that its plan has: within a vector by distances of 1, 2, 4 and
so on, then the vectors one after the other. So a scan of floats has a proof bit for bit, as an elementwise function."""

from __future__ import annotations

from functools import partial

import numpy as np

from ....emulation.numerics.expressions import SEMANTICS
from ....emulation.symbolic.lanes import Lanes
from ....microkernels.expr.program import Step
from ....microkernels.reduce.scans import start_of
from ..definition.algebra import Array, NodeAlgebra, nodes_of

_OPERATIONS = {"sum": "add", "product": "mul", "max": "max", "min": "min"}


def scanned(step: Step, x: Lanes, columns: int, vector: int, algebra: NodeAlgebra) -> Lanes:
    """Return the elements of a scan of x, whose rows have this many columns and are cut into vectors."""
    table, dtype = algebra.table, x.dtype
    (name, exclusive), rows = step.value, (x.shape or (1,))[0]
    operation = _OPERATIONS[name]
    apply = partial(algebra.operations.get(operation, SEMANTICS[operation]), value=None)
    start = np.array(start_of(name, step.dtype), f"u{dtype.itemsize}").view(dtype)
    neutral, nodes = nodes_of(start, (rows, 1), table), nodes_of(x, (rows, columns), table)

    def lanes(each: Array) -> Lanes:
        return Lanes(table.bytes_of(np.ascontiguousarray(each), dtype.itemsize), dtype, table)

    def joined(a: Array, b: Array) -> Array:
        return nodes_of(apply(lanes(a), lanes(b)), b.shape, table)

    def lagging(each: Array, distance: int) -> Array:
        count = each.shape[1]
        return np.hstack([np.repeat(neutral, min(distance, count), 1), each[:, : max(0, count - distance)]])

    found, carry = list[Array](), neutral
    for first in range(0, columns, vector):
        within, distance = nodes[:, first : first + vector], 1
        while distance < vector:
            within, distance = joined(lagging(within, distance), within), 2 * distance
        found.append(joined(np.repeat(carry, within.shape[1], 1), lagging(within, 1) if exclusive else within))
        carry = joined(carry, within[:, -1:])
    return lanes(np.hstack(found))
