"""Further numbers for code that is not yet told apart from a kernel.

    further = Further(beside, nodes)    of an `Executed` and `Nodes`
    further.found(code)                 Found(...) on many more numbers, None where all results are the same
    further.found_by_all(code)          on every number of 16 bits
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain, count, islice
from typing import Any

import numpy as np

from tests.side_by_side.executed import Draw, Executed, Found, sums_computed
from tests.side_by_side.nodes import Nodes
from tests.side_by_side.orderless import of_computed_sums
from tests.side_by_side.sampled import Sampled
from tilesmith.runtime.verify.check import uncollected
from tilesmith.runtime.verify.numbers.draws import directed, draws_of, fill
from tilesmith.runtime.verify.operands import Call

_WIDE = 24
"""Draws of each call that are executed, beside the directed ones."""
_SAMPLED = 24_000
"""Draws of all calls that are evaluated together."""


class Further:
    """The draws of one kernel."""

    def __init__(self, beside: Executed, nodes: Nodes) -> None:
        self.beside, self.nodes = beside, nodes

    def found(self, code: bytes) -> Found | None:
        """How other code is wrong, on many more numbers."""
        found = self.beside.first(code, self._executed)
        if found is None:
            with uncollected():
                told_apart = islice(self._sampled.differing(code), 8)
                found = next((wrong for draw in told_apart if (wrong := self.beside.first(code, [draw]))), None)
        return found

    def found_by_all(self, code: bytes) -> Found | None:
        """The same on every number of 16 bits, where an elementwise request is of such."""
        return self.beside.first(code, self._all)

    @cached_property
    def _executed(self) -> list[Draw]:
        return list(chain.from_iterable(islice(more(spec, call), executed_draws(spec))
                                        for spec, call in self.beside.calls))  # fmt: skip

    @cached_property
    def _sampled(self) -> Sampled:
        calls = self.nodes.calls
        return Sampled(self.nodes, [list(islice(more(spec, call), _SAMPLED // len(calls))) for spec, call in calls])

    @cached_property
    def _all(self) -> list[Draw]:
        return [each for spec, call in self.beside.calls for each in every_number(spec, call)]


def executed_draws(spec: Any) -> int:
    """How many of a call are executed before any are evaluated together."""
    return _WIDE + (0 if sums_computed(spec) else len(directed(spec)))


def more(spec: Any, call: Call) -> Iterator[Draw]:
    """Many more numbers, without an end."""
    if sums_computed(spec):
        yield from of_computed_sums(spec, call)
        return
    found, sums = draws_of(spec)
    chosen = [*directed(spec), *found]
    for seed in count(len(found)):
        words, draw = chosen[(seed - len(found)) % len(chosen)]
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
