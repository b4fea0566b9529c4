"""Try many more numbers on code that is not yet told apart from a kernel.

further = Further(beside, nodes)    from an `Executed` and `Nodes`
further.found(code)                 Found(...) on many more numbers, or None if all results are the same
further.found_by_all(code)          the same on every number of 16 bits
further.found_elsewhere(code)       the same with operands at other addresses
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain, count, islice
from typing import Any

import numpy as np

from tests.side_by_side.elsewhere import at_nan_addresses
from tests.side_by_side.executed import Draw, Executed, Found, sums_computed, with_other_numbers
from tests.side_by_side.nodes import Nodes
from tests.side_by_side.orderless import of_computed_sums
from tests.side_by_side.other_words import with_other_words
from tests.side_by_side.sampled import Sampled
from tilesmith.runtime.verify.check import uncollected
from tilesmith.runtime.verify.numbers.draws import directed, draws_of, fill
from tilesmith.runtime.verify.operands import Call
from tilesmith.runtime.verify.requests import every_call

Array = np.ndarray[Any, Any]
_WIDE = 24
"""The number of draws of each call that are executed, besides the directed ones."""
SAMPLED = 24_000
"""The number of draws, over all calls, that are evaluated together."""
_MORE_OF_SUMS = 5
"""The factor by which there are more draws for sums of computed elements, as few of their roundings reach a result."""


UNDEFINED = "undefined"
"""The verdict if results depend on registers or memory that were never written."""


class Further:
    """The draws of one kernel."""

    def __init__(self, beside: Executed, nodes: Nodes, sampled: int = SAMPLED) -> None:
        """`sampled` is the number of draws that are evaluated together."""
        self.beside, self.nodes, self.sampled = beside, nodes, sampled

    def found_with_other_numbers(self, code: bytes) -> Found | None:
        """Return how other code is wrong if the call gives other rows, columns, pairs or indices than the proof's."""
        return self.beside.first(code, self._numbers)

    @cached_property
    def _numbers(self) -> list[Draw]:
        return list(with_other_numbers(self.beside.kernel))

    def found(self, code: bytes) -> Found | None:
        """Return how other code is wrong on many more numbers, or None."""
        found = self.beside.first(code, self._executed)
        return found or self._found_together(code)

    def _found_together(self, code: bytes) -> Found | None:
        """Return how other code is wrong on draws that are evaluated together. A draw counts only if its execution
        confirms it, unless a result depends on what was never written: the emulator does not try every value there."""
        told_apart: Draw | None = None
        with uncollected():
            for told_apart in islice(self._sampled.differing(code), 8):
                found = self.beside.first(code, [told_apart])
                if found is not None:
                    return found
            unwritten = None if told_apart is None else self._sampled.undefined(code)
        if told_apart is None or unwritten is None:
            return None
        return Found(UNDEFINED, f"results depend on {unwritten} at entry, on {told_apart.words}")

    def found_by_all(self, code: bytes) -> Found | None:
        """Return how other code is wrong on any number of 16 bits, if the request is elementwise on such numbers."""
        return self.beside.first(code, self._all)

    def found_elsewhere(self, code: bytes) -> Found | None:
        """Return how other code is wrong if operands lie at other addresses."""
        return self.beside.first(code, self._elsewhere)

    @cached_property
    def _elsewhere(self) -> list[Draw]:
        kernel = self.beside.kernel
        with at_nan_addresses():
            calls = list(every_call(kernel.spec, kernel.kind)[1])
        return [
            each._replace(words=f"{each.words}, where addresses are NaN")
            for spec, call in calls
            for each in islice(more(spec, call), 1)
        ]

    @cached_property
    def _executed(self) -> list[Draw]:
        found = [islice(more(spec, call), executed_draws(spec)) for spec, call in self.beside.calls]
        found += [islice(more(spec, call), 3) for spec, call in with_other_words(self.beside.calls)]
        return list(chain.from_iterable(found))

    @cached_property
    def _sampled(self) -> Sampled:
        calls = self.nodes.calls
        each = self.sampled * (_MORE_OF_SUMS if sums_computed(calls[0][0]) else 1) // len(calls)
        return Sampled(self.nodes, [list(islice(more(spec, call), each)) for spec, call in calls])

    @cached_property
    def _all(self) -> list[Draw]:
        return [each for spec, call in self.beside.calls for each in every_number(spec, call)]


def executed_draws(spec: Any) -> int:
    """Return how many draws of a call are executed before any are evaluated together."""
    return _WIDE + (0 if sums_computed(spec) else len(directed(spec)) + len(_of_kind(spec)))


def more(spec: Any, call: Call) -> Iterator[Draw]:
    """Yield draws of many more numbers, without end."""
    if sums_computed(spec):
        yield from of_computed_sums(spec, call)
        return
    found, sums = draws_of(spec)
    chosen = [*directed(spec), *_of_kind(spec), *found]
    for seed in count(len(found)):
        words, draw = chosen[(seed - len(found)) % len(chosen)]
        yield Draw(call, f"{words}, draw {seed}", partial(fill, draw=draw, seed=seed, free=sums), junk=seed)


def _of_kind(spec: Any) -> tuple[tuple[str, Any], ...]:
    """Return draws that only this kind of request needs; they alternate with the common ones."""
    one_nan = (("one NaN", _one_nan),) * 2
    if type(spec).__name__ == "BagSpec":
        return (*one_nan, ("special numbers", _special)) if spec.name == "max" else ()
    if type(spec).__name__ == "ReduceSpec":
        return (*one_nan, ("the greatest number", _greatest))
    return ()


def _greatest(rng: np.random.Generator, array: Array) -> Any:
    return np.full(array.shape, np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.inf)


def _one_nan(rng: np.random.Generator, array: Array) -> Any:
    """Return integers, with a NaN of any kind in one place."""
    made = rng.integers(-24, 25, array.shape).astype(array.dtype)
    if array.dtype.kind not in "iu" and array.size:
        infinity = int(np.array(np.inf).astype(array.dtype).view(f"u{array.itemsize}"))
        sign = int(rng.integers(0, 2)) << 8 * array.itemsize - 1
        fraction = (infinity & -infinity) - 1 if rng.integers(0, 2) else 1 + int(rng.integers(0, 1 << 20)) % 100
        made.reshape(-1).view(f"u{array.itemsize}")[rng.integers(array.size)] = sign | infinity | fraction
    return made


def _special(rng: np.random.Generator, array: Array) -> Any:
    return rng.choice([0.0, -0.0, 1.0, -1.0, 2.0, np.inf, -np.inf, np.nan, -np.nan], array.shape)


def every_number(spec: Any, call: Call) -> Iterator[Draw]:
    """Yield all 65,536 numbers of an elementwise request on 16 bits, as many per call as fit."""
    if type(spec).__name__ != "EltwiseSpec" or any(array.itemsize != 2 for array in call.arrays):
        return
    fewest = min(array.size for array in call.arrays)
    for first in range(0, 1 << 16, max(fewest, 1)):

        def every(each: Call, first: int = first) -> None:
            for array in each.arrays:
                bits = np.arange(first, first + array.size).astype(np.uint16).reshape(array.shape)
                array.view(np.uint16)[...] = bits

        yield Draw(call, f"the elements from {first:#x} on", every)
