"""Products of matrices and reductions: sums in any order, in a ring; extrema and the places of extrema, bit for bit."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from ....emulation.symbolic.exact import OPERATIONS
from ....microkernels.gemm.spec import GemmSpec
from ....microkernels.reduce.spec import ReduceSpec
from .algebra import Algebra, Array, Ring, raw_of
from .conversions import NUMPY_TYPES, stored

SUMS, EXTREMA, SEARCHES = ("sum", "squares"), ("max", "min", "absmax"), ("argmax", "argmin")


# Products


def product(spec: GemmSpec, ring: Ring, name: str, pairs: Array | None = None) -> Array:
    """Return beta C + alpha sum_i A_i B_i. `name` is the result: c, or c[0], c[1]... of a stack. `pairs` is the sum of
    the products, if it is known."""
    total = pairs_added(spec, ring, name) if pairs is None else pairs
    total = ring.constant(spec.alpha) * total
    if spec.beta:
        total = total + ring.constant(spec.beta) * ring.matrix(name, spec.dtypes[2])
    return ring.settled(total)


def pairs_added(spec: GemmSpec, ring: Ring, name: str) -> Array:
    """Return sum_i A_i B_i."""
    total: Array = np.zeros((spec.m, spec.n), ring.dtype)
    for names in pairs_of(ring.names, name) if spec.k else ():
        a, b = (unpacked(spec, ring.matrix(each, spec.dtypes[at]), at) for at, each in enumerate(names))
        total = ring.settled(total + a @ b.T)
    return total


def pairs_of(names: Collection[str], name: str) -> list[tuple[str, str]]:
    """Return the names of the pairs of matrices whose products are summed. A matrix that a stack shares is the only one
    of its operand."""
    counts = [sum(each.startswith(f"{operand}[") for each in names) for operand in "ab"]
    if "[" not in name:
        return [(f"a[{at}]", f"b[{at}]") for at in range(counts[0])]
    number = int(name[2:-1])
    first, second = (min(number, count - 1) for count in counts)
    return [(f"a[{first}]", f"b[{second}]")]


def unpacked(spec: GemmSpec, elements: Array, which: int) -> Array:
    """Return the elements of A (m x k), or of the transpose of B (n x k), without the padding of their layout."""
    group, others = spec.groups[which], (spec.m, spec.n)[which]
    if group > 1 and spec.blocks[which]:  # (rows / 2, k / g, 2 g): the g elements of one row, then those of the other
        elements = elements.reshape(*elements.shape[:2], 2, group // 2).transpose(0, 2, 1, 3)
        elements = elements.reshape(2 * elements.shape[0], -1)
    elif group > 1 and which:  # (k / g, n, g)
        elements = elements.transpose(1, 0, 2).reshape(elements.shape[1], -1)
    elif group > 1:  # (m, k / g, g)
        elements = elements.reshape(elements.shape[0], -1)
    elif which:
        elements = elements.T
    return elements[:others, : spec.k]


# Reductions


def groups_of(spec: ReduceSpec, x: Any) -> Any:
    """Return the elements of each result as one row."""
    if spec.axis is None:
        return x.reshape(1, -1)
    return x if spec.axis else x.transpose(1, 0)


def totals(spec: ReduceSpec, ring: Ring) -> list[Array]:
    """Return the results of each output of sums, means and products, before they are rounded."""
    groups, found = groups_of(spec, ring.matrix("x", spec.dtype)), []
    for at, name in enumerate(spec.reductions):
        total = np.full(len(groups), int(name not in SUMS), object)
        if spec.init:
            total = ring.matrix(spec.inits[at].name, spec.out).reshape(-1)
        for each in groups.T:
            term = each * each if name.endswith("squares") else each
            total = ring.settled(total + term if name in SUMS else total * term)
        found.append(ring.settled(total * ring.constant(Fraction(1, spec.divisor))))
    return found


def compared(spec: ReduceSpec, algebra: Algebra, at: int, sizes: bool) -> Any:
    """Return the elements, or their absolute values, of which each result of output number `at` is the extremum, as one
    row each, in the computed type."""
    compute = np.dtype(NUMPY_TYPES[spec.compute])
    x = algebra.loaded("x", spec.dtype, compute)
    each = groups_of(spec, x * x if spec.reductions[at].endswith("squares") else x)
    if spec.init:
        start = algebra.loaded(spec.inits[at].name, spec.out, compute)
        each = np.concatenate([each, start.reshape(-1, 1)], axis=1)
    return OPERATIONS["a64"]["abs"](each, None) if sizes else each


def extremum(spec: ReduceSpec, algebra: Algebra, at: int) -> Array:
    """Return the bytes of the results of output number `at`: the elements compared one after the other. -0 lies below
    +0, and a NaN wins."""
    choose = OPERATIONS["a64"]["min" if spec.name == "min" else "max"]
    each = compared(spec, algebra, at, spec.name == "absmax")
    total = reduce(lambda one, other: choose(one, other, None), (each[:, j] for j in range(each.shape[1])))
    return raw_of(total if spec.out == spec.compute else stored(total, spec.out))


def places(spec: ReduceSpec, x: Array) -> Array:
    """Return the position of the first extreme number, or of the first NaN, of each result; x has the computed type."""
    with np.errstate(all="ignore"):
        groups = groups_of(spec, x * x if spec.squared else x)
    return np.asarray(getattr(np, spec.name)(groups, axis=1).astype(NUMPY_TYPES[spec.out]))
