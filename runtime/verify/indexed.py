"""Calls of traced functions with indexed rows, with different indices. What has reductions or products is proved in
traced/by_index.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...microkernels.chain.spec import ChainSpec
from ...microkernels.errors import UnsupportedError
from ...microkernels.fused.spec import FusedSpec
from ...microkernels.indexed.spec import IndexedSpec
from .operands import Call, array_of, call_with, number_of, numbers_of

Array = np.ndarray[Any, Any]
_DRAWS = 3


def has_reductions(spec: Any) -> bool:
    """Whether a request reduces the rows that it gathers, or multiplies them."""
    return isinstance(spec, IndexedSpec) and isinstance(spec.request, (FusedSpec, ChainSpec))


def calls_of(spec: Any, kind: Any) -> tuple[str, Iterator[Call]]:
    """Return a description of the calls, and an iterator over them."""
    distinct = has_reductions(spec) and bool(spec.scattered)
    words = "indices of which none repeats" if distinct else "indices drawn, repeated, at both ends"
    if not distinct:
        return words, (_call(spec, kind, draw, False) for draw in range(_DRAWS + 4 * (spec.bounds == "kernel")))
    if spec.bounds == "kernel" or any(rows < spec.m for _, rows in spec.limits.values()):
        raise UnsupportedError(
            f"verify: {spec.stem}: reductions whose rows are scattered have a specification only "
            'with bounds="call", and where no index has to repeat'
        )
    return words, (_call(spec, kind, draw, True) for draw in range(_DRAWS))


def _call(spec: Any, kind: Any, draw: int, distinct: bool) -> Call:
    rng = np.random.default_rng(draw)
    given: dict[str, Any] = {
        each.name: array_of(each) if hasattr(each, "dtype") else number_of(each) for each in spec.arguments
    }
    for name, (_, rows) in spec.limits.items():
        drawn = rng.permutation(rows)[: spec.m] if distinct else rng.integers(0, rows, spec.m)
        if not distinct and draw:
            place = (rows - 1, 0, rows, -1, rows + 1, -1)[draw - 1]
            drawn = (
                np.where((np.arange(spec.m) + draw) % 3 == 2, drawn, place)
                if draw < _DRAWS
                else np.where(((np.arange(spec.m) + draw) % 3 == 2) | (draw == _DRAWS + 3), place, drawn)
            )  # of three one, then all
        given[name][...] = drawn.reshape(given[name].shape)
    without = (*spec.limits, "bad")
    data = [each for name, each in given.items() if isinstance(each, np.ndarray) and name not in without]
    made = call_with(spec, kind, list(given.values()), data)
    return made._replace(numbers=numbers_of(spec.request), concrete=frozenset(without), indices=frozenset(spec.limits))
