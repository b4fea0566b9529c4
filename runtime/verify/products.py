"""Products: compare every sum that a kernel leaves with the sum of the request at random points of a finite field.

The sums of a request are computed from their definition, not by the code that generates kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import ceil, log2
from typing import Any

import numpy as np

from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.provenance import ADDED, Sums
from ...emulation.symbolic.reals import PRIME, Point, degree, measured, multiplied_by_zero
from ...emulation.symbolic.terms import FUNCTION, INTEGER, Part, Terms
from ...encoder.features import Target
from ...microkernels.dtypes import DTYPES
from .bounds import FEW, exposed
from .operands import Call
from .proof import Claim, Refutation

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
"""The expression node of each element of each operand, keyed by the operand's name. The last axis has length one."""
POINTS = 2
"""The number of random points at which sums are compared."""
PRODUCTS = ("GemmSpec", "StackSpec")
"""The class names of the requests that this module covers."""


def values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that C, or every C of a stack, is what the request asks for."""
    regions = [each for each in call.regions if each.writable]
    terms, result = Terms(done.table, formats(spec, call)), spec.dtypes[2]
    roots = [node for region in regions for node in _nodes(done, region).reshape(-1).tolist()]
    real = DTYPES[result].real
    keys = [terms.key(root, result) for root in roots] if real else []
    plan = terms.below(keys)
    points, known = [Point(terms, seed) for seed in range(POINTS)], Known()
    for point in points:
        point.evaluate(plan)
        for region in regions:
            place = _differing(spec, point, done, region, known)
            if place is not None:
                how = f"{region.name}{list(place)} is not the sum over the reals"
                return Claim("arithmetic", False, how), None
    if real:
        found = [[root] for root in roots]
        wanted = partial(_wanted, spec, done, regions, known)
        if not all(Sums(terms, type_of_sums(spec), scaled=factors_of(spec)).right(found, wanted, points, result)):
            return Claim("arithmetic", False, ADDED), None
    if strange := strangers(spec, done, terms, roots, plan):
        return Claim("arithmetic", False, f"{strange}: a NaN there counts"), None
    if not real:
        how = f"{len(roots)} sums are those of the request modulo 2^32"
        return Claim("arithmetic", True, f"{how}; {chance(roots, degree(done.table, roots))}"), None
    longest, highest = measured(terms, keys, plan)
    most = spec.k * sum(each.name.startswith("a[") for each in call.regions) + FEW
    how = (
        f"{len(roots)} sums are those of the request over the reals, in an order of their own; "
        f"{chance(roots, highest)}; {exposed(longest, most)}"
    )
    return Claim("arithmetic", longest <= most, how), None


def strangers(spec: Any, done: Done, terms: Terms, roots: list[int], plan: list[tuple[int, int, Part]]) -> str:
    """Return a description of something that is part of a result although it does not affect its value over the reals,
    or "" if there is nothing. A NaN in such a part would change the result."""
    known, padded = done.memory.inputs, _padding(spec, done, roots)
    # if no term is an opaque function, only the integer nodes have leaves that are not among the terms
    if plan and all(code != FUNCTION for _, code, _ in plan):
        roots = [parts[0] for _, code, parts in plan if code == INTEGER]
    leaves = (done.table.leaf(node) for node in done.table.below(roots))
    if any(leaf is not None and leaf[1] not in known for leaf in leaves):
        return "something that nobody has written is part of a sum"
    if spec.alpha and multiplied_by_zero(terms, plan):
        return "a product of zero and data is part of a sum"
    return "the padding of a packed operand is part of a sum" if padded else ""


def _padding(spec: Any, done: Done, roots: list[int]) -> bool:
    """Whether padding elements of a packed floating-point operand are part of a result."""
    padding: set[int] = set()
    packed = {name: at for at, name in enumerate("ab") if spec.groups[at] > 1 and DTYPES[spec.dtypes[at]].real}
    for name, nodes in done.memory.inputs.items():
        operand = name.partition("[")[0]
        if operand in packed:
            padding |= set(nodes.reshape(-1).tolist()) - set(unpacked(spec, nodes[..., 0], packed[operand]).flat)
    return bool(padding) and not padding.isdisjoint(done.table.below(roots))


def factors_of(spec: Any) -> int:
    """Return how many factors other than 0, 1 and -1 a request has: alpha, and beta."""
    return sum(abs(each) not in (0, 1) for each in (spec.alpha, spec.beta))


def type_of_sums(spec: Any) -> str:
    """Return the type to which sums are rounded after each operation."""
    return str(spec.acc_dtype if DTYPES[spec.acc_dtype].real else spec.dtypes[2])


def _wanted(spec: Any, done: Done, regions: Sequence[Any], known: Known, point: Point) -> list[int]:
    """Return the results of the request at a point."""
    return [
        each
        for region in regions
        for row in product(spec, point, done.memory.inputs, region.name, known)
        for each in row
    ]


def _nodes(done: Done, region: Any) -> Array:
    return done.table.nodes_of(done.memory.held(region))


def _differing(spec: Any, point: Point, done: Done, region: Any, known: Known) -> tuple[int, ...] | None:
    """Return the index of the first element that differs from the request, or None."""
    wanted = product(spec, point, done.memory.inputs, region.name, known)
    value = value_of(spec.dtypes[2]) if DTYPES[spec.dtypes[2]].real else Point.whole
    return next(
        (
            place
            for place, node in np.ndenumerate(_nodes(done, region))
            if value(point, int(node)) != wanted[place[0]][place[1]]
        ),
        None,
    )


def chance(roots: list[int], highest: int) -> str:
    """Return a bound, in words, on the probability that different sums of this degree agree at all points."""
    one = log2(2 * max(len(roots), 1) * max(highest, 3) / PRIME)  # values and counts (provenance.py)
    return f"chance of a false proof below 2^{ceil(POINTS * one)}" if one < 0 else "no bound for a false proof"


# The definition of the request


class Known(dict[tuple[int, str], list[list[int]]]):
    """The sums of products at points that were computed already, by seed and result: values and counts share them."""


def product(spec: Any, point: Point, inputs: Inputs, name: str, known: Known) -> list[list[int]]:
    """Return the rows of beta C + alpha sum_i A_i B_i at a point. `name` is the result: c, or c[0], c[1]... of a
    stack."""
    alpha, beta = point.constant(spec.alpha), point.constant(spec.beta)
    total = known.get((point.seed, name))
    if total is None:
        total = known[point.seed, name] = _sums_of_products(spec, point, inputs, name)
    if not beta:
        return [[alpha * each % PRIME for each in row] for row in total]
    kind, c = value_of(spec.dtypes[2]), inputs[name][..., 0].tolist()
    return [[(alpha * t + beta * kind(point, old)) % PRIME for t, old in zip(*rows)] for rows in zip(total, c)]


def _sums_of_products(spec: Any, point: Point, inputs: Inputs, name: str) -> list[list[int]]:
    total = [[0] * spec.n for _ in range(spec.m)]
    for first, second in pairs_of(inputs, name):
        a, b = _matrix(spec, point, inputs[first], 0), _matrix(spec, point, inputs[second], 1)
        for i, row in enumerate(a):
            total[i] = [t + sum(x * y for x, y in zip(row, column)) for t, column in zip(total[i], b)]
    return total


def pairs_of(inputs: Collection[str], name: str) -> list[tuple[str, str]]:
    """Return the names of the pairs of matrices whose products are summed. A matrix that a stack shares is the only one
    of its operand."""
    counts = [sum(each.startswith(f"{operand}[") for each in inputs) for operand in "ab"]
    if "[" not in name:
        return [(f"a[{at}]", f"b[{at}]") for at in range(counts[0])]
    number = int(name[2:-1])
    first, second = (min(number, count - 1) for count in counts)
    return [(f"a[{first}]", f"b[{second}]")]


def _matrix(spec: Any, point: Point, nodes: Array, which: int) -> list[list[int]]:
    """Return the values of A (m x k), or of the transpose of B (n x k), at a point."""
    kind = value_of(spec.dtypes[which])
    return [[kind(point, node) for node in row] for row in unpacked(spec, nodes[..., 0], which).tolist()]


def unpacked(spec: Any, nodes: Array, which: int) -> Array:
    """Return the elements of A (m x k), or of the transpose of B (n x k), without the padding of their layout."""
    group, others = spec.groups[which], (spec.m, spec.n)[which]
    if group > 1 and spec.blocks[which]:  # (rows / 2, k / g, 2 g): the g elements of one row, then those of the other
        nodes = nodes.reshape(*nodes.shape[:2], 2, group // 2).transpose(0, 2, 1, 3)
        nodes = nodes.reshape(2 * nodes.shape[0], -1)
    elif group > 1 and which:  # (k / g, n, g)
        nodes = nodes.transpose(1, 0, 2).reshape(nodes.shape[1], -1)
    elif group > 1:  # (m, k / g, g)
        nodes = nodes.reshape(nodes.shape[0], -1)
    elif which:
        nodes = nodes.T
    return nodes[:others, : spec.k]


def formats(spec: Any, call: Call) -> dict[str, str]:
    """Return the element types, keyed by the names of the regions."""
    types = {each.name: each.dtype for each in (*spec.operands, *getattr(spec, "extras", ()))}
    return {each.name: types.get(each.name.partition("[")[0], "none") for each in call.regions}


def value_of(dtype: str) -> Callable[[Point, int], int]:
    """Return the function that evaluates an element of a type at a point."""
    if DTYPES[dtype].real:
        return lambda point, node: point.real(node, dtype)
    kind = "u" if dtype[0] == "u" else "i"
    return lambda point, node: point.integers.number(node, kind)
