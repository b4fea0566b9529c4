"""Products: compare every sum that a kernel leaves with the sum of the request at random points of a finite field.

The sums of a request are computed from their definition, not by the code that generates kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.provenance import ADDED, Sums
from ...emulation.symbolic.reals import Point, degree, measured, multiplied_by_zero
from ...emulation.symbolic.terms import FUNCTION, INTEGER, Part, Terms
from ...encoder.features import Target
from ...microkernels.dtypes import DTYPES
from .bounds import FEW, POINTS, chance, exposed
from .definition import sums
from .definition.algebra import field, value_of
from .operands import Call
from .proof import Claim, Refutation

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
"""The expression node of each element of each operand, keyed by the operand's name. The last axis has length one."""


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
        return Claim("arithmetic", True, f"{how}; {chance(len(roots), degree(done.table, roots))}"), None
    longest, highest = measured(terms, keys, plan)
    most = spec.k * sum(each.name.startswith("a[") for each in call.regions) + FEW
    how = (
        f"{len(roots)} sums are those of the request over the reals, in an order of their own; "
        f"{chance(len(roots), highest)}; {exposed(longest, most)}"
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
            padding |= set(nodes.reshape(-1).tolist()) - set(sums.unpacked(spec, nodes[..., 0], packed[operand]).flat)
    return bool(padding) and not padding.isdisjoint(done.table.below(roots))


def factors_of(spec: Any) -> int:
    """Return how many factors other than 0, 1 and -1 a request has: alpha, and beta."""
    return sum(abs(each) not in (0, 1) for each in (spec.alpha, spec.beta))


def type_of_sums(spec: Any) -> str:
    """Return the type to which sums are rounded after each operation."""
    return str(spec.acc_dtype if DTYPES[spec.acc_dtype].real else spec.dtypes[2])


def _wanted(spec: Any, done: Done, regions: Sequence[Any], known: Known, point: Point) -> list[int]:
    """Return the results of the request at a point."""
    made = (product(spec, point, done.memory.inputs, region.name, known) for region in regions)
    return [each for values in made for each in values.reshape(-1).tolist()]


def _nodes(done: Done, region: Any) -> Array:
    return done.table.nodes_of(done.memory.held(region))


def _differing(spec: Any, point: Point, done: Done, region: Any, known: Known) -> tuple[int, ...] | None:
    """Return the index of the first element that differs from the request, or None."""
    wanted = product(spec, point, done.memory.inputs, region.name, known)
    value = value_of(spec.dtypes[2]) if DTYPES[spec.dtypes[2]].real else Point.whole
    return next(
        (place for place, node in np.ndenumerate(_nodes(done, region)) if value(point, int(node)) != wanted[place]),
        None,
    )


class Known(dict[tuple[int, str], Array]):
    """The sums of products at points that were computed already, by seed and result: values and counts share them."""


def product(spec: Any, point: Point, inputs: Inputs, name: str, known: Known) -> Array:
    """Return beta C + alpha sum_i A_i B_i at a point. `name` is the result: c, or c[0], c[1]... of a stack."""
    ring, key = field(point, inputs), (point.seed, name)
    if key not in known:
        known[key] = sums.pairs_added(spec, ring, name)
    return sums.product(spec, ring, name, known[key])


def formats(spec: Any, call: Call) -> dict[str, str]:
    """Return the element types, keyed by the names of the regions."""
    types = {each.name: each.dtype for each in (*spec.operands, *getattr(spec, "extras", ()))}
    return {each.name: types.get(each.name.partition("[")[0], "none") for each in call.regions}
