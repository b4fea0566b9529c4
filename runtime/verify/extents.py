"""Calls of kernels whose extents the call gives: a proof for each of a few numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...microkernels.errors import UnsupportedError
from . import gathers
from .operands import Call, array_of, call_with, number_of

_ROWS = (0, 1, 138)
"""None, one, and two of the widest block of 64, then narrower ones of 8 and 1."""
_COUNTED = {"m": (0, 1, 5), "bags": (0, 1, 4), "size": (1, 7), "count": (0, 9)}
COUNTED = ("RowwiseSpec", "CountedSpec")


def calls_of(spec: Any, kind: Any) -> tuple[str, Iterator[tuple[Any, Call]]]:
    """(for what, in words; requests of the numbers, and calls with them)."""
    if type(spec).__name__ == "RowwiseSpec":
        if type(spec.request).__name__ not in ("EltwiseSpec", "ReduceSpec"):
            raise UnsupportedError("verify: fused kernels have no specification yet; elementwise kernels and "
                                   "reductions have one, of any number of rows too")  # fmt: skip
        numbers = _ROWS[type(spec.request).__name__ == "ReduceSpec" :]  # of no rows there is nothing to reduce
        return f"rows {', '.join(map(str, numbers))}", ((spec.of(rows), _rows(spec, kind, rows)) for rows in numbers)
    length = max(len(_COUNTED[name]) for name in spec.at_call)
    every = [{name: _COUNTED[name][min(at, len(_COUNTED[name]) - 1)] for name in spec.at_call} for at in range(length)]
    words = "; ".join(f"{name} {', '.join(str(each[name]) for each in every)}" for name in spec.at_call)
    made = ((spec.of(numbers), spec) for numbers in every)
    return f"{words}; {gathers.WORDS}", ((one, call) for one, asked in made
                                         for call in gathers.calls_of(one, kind, asked))  # fmt: skip


def _rows(spec: Any, kind: Any, rows: int) -> Call:
    given: list[Any] = []
    for each in spec.arguments:
        given.append(array_of(spec.counted(each, rows)) if hasattr(each, "dtype") else number_of(each))
    return call_with(spec, kind, given, [each for each in given if isinstance(each, np.ndarray)])
