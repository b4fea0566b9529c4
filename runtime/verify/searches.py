"""argmax and argmin: prove the position of the first extreme element, or of the first NaN, in each row, column or
matrix.

    values(code, target, spec, call, done)      the claim, and a refutation
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.extrema.elements import Elements
from ...emulation.symbolic.extrema.searches import Proved, Search
from ...emulation.symbolic.machine import Done
from .definition.algebra import NodeAlgebra
from .definition.conversions import NAN, NUMPY_TYPES
from .definition.sums import groups_of
from .proof import Claim, Refutation

_BUDGET = 4000
"""Budget of comparisons per proof. All orders of two values and two positions are separate cases, and so are NaN and
the zeros of each sign."""


def values(code: bytes, target: Any, spec: Any, call: Any, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every result is the position that the request asks for."""
    table, region = done.table, next(each for each in call.regions if each.writable)
    roots = table.nodes_of(done.memory.held(region)).reshape(-1).tolist()
    compute, prover = np.dtype(NUMPY_TYPES[spec.compute]), Prover(table, _BUDGET)
    x = NodeAlgebra(table, done.memory.inputs).loaded("x", spec.dtype, compute)
    groups = groups_of(spec, (x * x if spec.squared else x).nodes())
    every = [int(node) for group in groups for node in group]
    elements = Elements(prover, every, NAN.get(spec.compute), again=False)
    roots, proved = elements.put_in(roots), Proved({}, {})
    index = np.dtype(NUMPY_TYPES[spec.out])
    for number, (root, group) in enumerate(zip(roots, groups)):
        nodes: dict[int, int] = {}
        for place, node in enumerate(map(int, group)):
            nodes.setdefault(elements.made.get(node, node), place)
        found = Search(prover, spec.name[3:], compute, index, nodes, proved).of(root)
        whole = frozenset(range(len(group)))
        if found is None or found.places != whole or found.beyond or min(found.every) < 0:
            return Claim(
                "arithmetic", False, f"{region.name}[{number}] has no proof as the {spec.name} of its elements"
            ), None
    how = f"{len(roots)} results are the places of the first {spec.name[3:]} of the elements that the request says"
    return Claim("arithmetic", True, f"{how}, or of the first NaN, for all inputs"), None
