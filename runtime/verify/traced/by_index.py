"""Traced functions with indexed rows and reductions or products: find these in the code's expressions of the rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ....emulation.symbolic.machine import Done
from ....encoder.features import Target
from ....microkernels.chain.spec import ChainSpec
from ..definition.indexed import RowsOfIndices
from ..gathers import symbols
from ..operands import Call
from ..proof import Claim, Refutation
from .rows import check, missing_of

Array = np.ndarray[Any, Any]


def values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every row is the request's expression of its reductions, and that all other rows are unchanged."""
    if isinstance(spec.request, ChainSpec):
        check(spec.request, target)
    rows, regions = RowsOfIndices(spec, symbols(call, done, target)), {each.name: each for each in call.regions}
    kept, places = rows.before(), {each.name: rows.index[each.by] for each in spec.scattered}

    def held(region: Any) -> Array:
        data = done.memory.held(region)
        return data[places[region.name]] if region.name in places else data

    for name, before in kept.items():
        others = np.setdiff1d(np.arange(len(before)), places[name])
        if (done.memory.held(regions[name])[others] != before[others]).any():
            return Claim("arithmetic", False, f"a row of {name} that no index names is written"), None
    if spec.bad and (done.memory.held(regions["bad"]) != rows.first_bad()).any():
        return Claim("arithmetic", False, "bad is not the number of the first row with an index outside"), None
    named = {name: done.table.nodes_of(raw)[..., None] for name, raw in rows.given({}).items()}
    memory = SimpleNamespace(inputs={**done.memory.inputs, **named}, held=held)
    missing, how = missing_of(spec.request, target, call, SimpleNamespace(table=done.table, memory=memory))
    return Claim("arithmetic", not missing, missing or how), None
