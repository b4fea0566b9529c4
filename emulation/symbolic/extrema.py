"""The largest or least of a set: what an expression is the extremum of, in whatever order elements are compared.

    Extrema(prover, "max", "i4", ()).of_integers(node)          the set that a node is the maximum of
    Extrema(prover, "max", "f4", elements).of_floats(nodes)     for each node its set, None where there is no proof

An extremum is associative and commutative, and an element that counts twice counts once; of floats NaN is one value
and wins, and -0 is below +0. Integers are minima and maxima by their operations. Of floats, from the elements up, every
part that could be the extremum of two others is proved to be it (equality.py), and stands for its set from there on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .concrete import evaluated
from .equality import NOTHING, Prover
from .exact import OPERATIONS
from .lanes import Lanes
from .sweep import sampled
from .values import Array

_NAMES = {"max": "maximum", "min": "minimum"}
_SAMPLES = 48
Found = frozenset[int]


class Extrema:
    """What nodes are the extremum of. elements: the nodes that are compared; names: max or min."""

    def __init__(self, prover: Prover, name: str, dtype: str, elements: Sequence[int]) -> None:
        self.prover, self.table, self.name, self.dtype = prover, prover.table, name, np.dtype(dtype)
        self.elements = frozenset(elements)

    def of_integers(self, node: int) -> Found:
        """The operands of nested minima or maxima of integers."""
        found, stack = set(), [node]
        while stack:
            each = stack.pop()
            operation, args = self.table.parts(each)
            if operation is not None and operation.key == (_NAMES[self.name], self.dtype.str[1:]):
                stack.extend(args)
            else:
                found.add(each)
        return frozenset(found)

    def of_floats(self, roots: Sequence[int]) -> list[Found | None]:
        """For each root the elements that it is the extremum of."""
        seen = self._samples(roots)
        sets: dict[int, Found] = {}  # by the value that stands for an extremum
        new: dict[int, int] = {}
        for node in self.table.below(roots):
            if node in self.elements:
                sets[node], new[node] = frozenset([node]), node
                continue
            made = new[node] = self.prover.rebuilt_once(node, NOTHING, new)
            if made not in sets and self.table.size(node) == self.dtype.itemsize and self.table.value(made) is None:
                found = self._proved(made, seen[node], sets, seen)
                if found is not None:
                    new[node] = found[1]
                    sets[found[1]] = found[0]
        return [sets.get(new[root]) for root in roots]

    def _proved(self, made: int, sample: Array, sets: dict[int, Found], seen: dict[int, Array]
                ) -> tuple[Found, int] | None:  # fmt: skip
        """(the set, the value that stands for it) of a node that is an extremum of one or two others."""
        below = self._nearest(made, sets)
        if not 1 <= len(below) <= 2:
            return None
        union = frozenset().union(*[sets[each] for each in below])
        if not np.array_equal(sample, self._expected(union, seen), equal_nan=True):
            return None
        if len(below) == 1 and self.prover.equal(made, below[0], exact=True):
            return union, below[0]
        if not self.prover.equal(made, below[0] if len(below) == 1 else self._extremum(*below)):
            return None
        return union, self._value(made, below)

    def _nearest(self, node: int, closed: dict[int, Found]) -> list[int]:
        """The extrema that a node consists of, those that they consist of not among them; three end the search."""
        found: list[int] = []
        stack, seen = list(self.table.arguments(node)), set()
        while stack and len(found) < 3:
            each = stack.pop()
            if each in seen:
                continue
            seen.add(each)
            if each in closed:
                found.append(each)
            else:
                stack.extend(self.table.arguments(each))
        return found

    def _extremum(self, a: int, b: int) -> int:
        """The definition, on two values."""
        one, other = (self._lane(each) for each in (a, b))
        made = OPERATIONS["a64"][self.name](one, other, None)
        return int(made.nodes()[0])

    def _lane(self, node: int) -> Lanes:
        return Lanes(self.table.bytes_of(np.array([node]), self.dtype.itemsize), self.dtype, self.table)

    def _value(self, made: int, below: list[int]) -> int:
        """A value of its own, of which nothing else is known."""
        kind = self.dtype.str[1:]
        key = (f"extremum {self.name}", kind, made)
        operands = [np.array([each]) for each in below]
        return int(self.table.apply(key, self._function, (kind,) * len(below), kind, operands)[0])

    def _function(self, *given: Any) -> Any:
        return given[0] if len(given) == 1 else OPERATIONS["a64"][self.name](*given, None)

    def _samples(self, roots: Sequence[int]) -> dict[int, Array]:
        rng = np.random.default_rng(1)
        found = evaluated(self.table, [*roots, *self.elements], lambda leaf: sampled(rng, self.table.size(leaf),
                                                                                      _SAMPLES), _SAMPLES)  # fmt: skip
        size = self.dtype.itemsize
        return {node: np.ascontiguousarray(value).view(self.dtype).reshape(-1) for node, value in found.items()
                if value.shape[1] == size}  # fmt: skip

    def _expected(self, union: Found, seen: dict[int, Array]) -> Array:
        with np.errstate(all="ignore"):
            found: Array = getattr(np, _NAMES[self.name]).reduce([seen[each] for each in union])
        return found
