"""Further numbers for code that is not yet told apart from a kernel.

    further = Further(beside)           of an `Executed`
    further.found(code)                 Found(...) on many more numbers, None where all results are the same
    further.found_by_all(code)          on every number of 16 bits
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np

from tests.side_by_side.executed import Draw, Executed, Found, sums_computed
from tilesmith.runtime.verify.numbers.draws import directed, draws_of, fill
from tilesmith.runtime.verify.operands import Call

_WIDE = 24
"""Draws of those that nothing else tells apart."""


class Further:
    """The draws of one kernel."""

    def __init__(self, beside: Executed) -> None:
        self.beside = beside

    def found(self, code: bytes) -> Found | None:
        """How other code is wrong, on many more numbers."""
        return self.beside.first(code, self._more)

    def found_by_all(self, code: bytes) -> Found | None:
        """The same on every number of 16 bits, where an elementwise request is of such."""
        return self.beside.first(code, self._all)

    @cached_property
    def _more(self) -> list[Draw]:
        return [each for spec, call in self.beside.calls for each in more(spec, call)]

    @cached_property
    def _all(self) -> list[Draw]:
        return [each for spec, call in self.beside.calls for each in every_number(spec, call)]


def more(spec: Any, call: Call) -> Iterator[Draw]:
    """Many more numbers."""
    if sums_computed(spec):
        return
    found, sums = draws_of(spec)
    chosen = [*directed(spec), *(found[seed % len(found)] for seed in range(len(found), len(found) + _WIDE))]
    for seed, (words, draw) in enumerate(chosen, len(found)):
        yield Draw(call, f"{words}, draw {seed}", partial(fill, draw=draw, seed=seed, free=sums), junk=seed)


def every_number(spec: Any, call: Call) -> Iterator[Draw]:
    """All 65,536 elements of an elementwise request of 16 bits, as many in a call as fit."""
    if type(spec).__name__ != "EltwiseSpec" or any(array.itemsize != 2 for array in call.arrays):
        return
    fewest = min(array.size for array in call.arrays)
    for first in range(0, 1 << 16, max(fewest, 1)):
        def every(each: Call, first: int = first) -> None:
            for array in each.arrays:
                bits = np.arange(first, first + array.size).astype(np.uint16).reshape(array.shape)
                array.view(np.uint16)[...] = bits

        yield Draw(call, f"the elements from {first:#x} on", every)
