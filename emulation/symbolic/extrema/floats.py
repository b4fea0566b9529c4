"""The largest or least of a set: what an expression is the extremum of, in whatever order elements are compared.

    Extrema(prover, "max", "i4", ()).of_integers(node)          the set that a node is the maximum of
    found = Extrema(prover, "max", "f4", elements)
    found.look(roots)
    found.of(root)                                              its set, None where there is no proof

An extremum is associative and commutative, and an element that counts twice counts once. Integers are minima and
maxima by their operations. Of floats NaN is one value and wins, and -0 is below +0; machines keep that in several
registers, so from the elements up every part is given what it is proved to be of a set S (partial.py), and counts for
its readers as that alone: in a proof the nearest parts that are known are variables, so that one proof serves all parts
of the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..concrete import evaluated
from ..equality import Prover
from ..sweep import sampled
from ..values import Array
from .partial import CONDITIONS, Form, Forms, Kind, Part

_NAMES = {"max": "maximum", "min": "minimum", "absmax": "maximum"}
_SAMPLES = 48
_MOST = 4
Found = frozenset[int]
Known = dict[Kind, Found]
_VALUES = tuple(kind for kind in Kind if kind not in (*CONDITIONS, Kind.SIZE))
_SIGNED = (Kind.NUMERIC, Kind.SIGN)
_IMPLIED = {Kind.EXACT: (Kind.ORDERED, Kind.NUMERIC, Kind.NAN), Kind.ORDERED: (Kind.NUMERIC,),
            Kind.MASK: (Kind.NAN,)}  # fmt: skip


class Extrema:
    """What nodes are the extremum of. elements: the nodes that are compared; name: max, min, or absmax of floats."""

    def __init__(self, prover: Prover, name: str, dtype: str, elements: Sequence[int]) -> None:
        self.prover, self.table, self.name, self.dtype = prover, prover.table, name, np.dtype(dtype)
        element = (Kind.SIZE,) if name == "absmax" else (Kind.EXACT, Kind.SIGN)
        self.known: dict[int, Known] = {each: dict.fromkeys(element, frozenset([each])) for each in elements}
        self.elements = frozenset(elements)
        self.forms = Forms(self.table, name, self.dtype)
        self.sizes: set[int] = set()  # of known parts without their signs, which count as the part
        self.values = tuple(kind for kind in _VALUES if name != "absmax" or kind not in _SIGNED)
        self._parts: dict[Any, Part] = {}
        self._made: dict[Any, tuple[Form, ...]] = {}
        self._proved: dict[tuple[Kind, int, int], bool] = {}
        self._same: dict[int, int] = {}  # what is another node, bit for bit
        self._wanted: dict[Found, tuple[Array, Array]] = {}

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

    def of(self, node: int) -> Found | None:
        """The elements that a node of which `look` has seen is proved to be the extremum of."""
        found = self.known.get(self._same.get(node, node), {})
        key = Kind.KEY if self.name == "absmax" else Kind.EXACT  # the key of a size is that float
        return found.get(Kind.EXACT, found.get(key))

    def has_no_sign(self, node: int) -> bool:
        """Whether a node is proved to be positive, if a NaN either."""
        return self.name == "absmax" and Kind.KEY in self.known.get(self._same.get(node, node), {})

    def look(self, roots: Sequence[int]) -> None:
        """Find what everything below these roots is, in `known`."""
        self.seen = self._samples(roots)
        self.sizes = {self.forms.absolute(each) for each in self.known if self.name == "absmax"}
        for node in self.table.below(roots):
            plain = node not in self.sizes or node in roots
            if plain and node not in self.known and node in self.seen and self.table.value(node) is None:
                found = self._found(node)
                if found:
                    self.known[node] = found
                if found and self.name == "absmax" and self.table.size(node) > 1:
                    self.sizes.add(self.forms.absolute(node))

    # One part

    def _found(self, node: int) -> Known:
        """All that a part is proved to be."""
        kinds = CONDITIONS if self.table.size(node) == 1 else self.values
        found: Known = {}
        for below in self._cones(node):
            every = frozenset().union(*[each for one in below for each in self.known[one].values()])
            agreeing = [kind for kind in kinds if self._agrees(node, kind, every)]
            if not agreeing and not (len(below) == 1 and self._alike(node, below[0])):
                continue
            parts = self._variables(below)
            variables = {one: part.node for one, part in zip(below, parts)}
            made = self.prover.rebuilt(node, variables | {each: variables[one] for each, one in self._same.items()
                                                          if one in variables})  # fmt: skip
            if len(parts) == 1 and self.prover.equal(made, parts[0].node, True):
                self._same[node] = below[0]
                return {}
            for kind in agreeing:
                told = kind in found or any(kind in _IMPLIED.get(other, ()) for other in found)
                if not told and self._is(kind, made, below, parts, every):
                    found[kind] = every
        return found

    def _is(self, kind: Kind, made: int, below: list[int], parts: tuple[Part, ...], every: Found) -> bool:
        """Whether a part is of a kind, of the set of all that it consists of."""
        return any(self._fits(form, below, every) and self._equal(kind, made, form)
                   for form in self._forms(kind, parts))  # fmt: skip

    def _alike(self, node: int, other: int) -> bool:
        """Whether both are the same on all samples."""
        a, b = self.seen[node], self.seen.get(other)
        return b is None or (a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))

    def _fits(self, form: Form, below: list[int], every: Found) -> bool:
        """Whether the sets of what is in a form are the whole set: each of them, or together."""
        sets = [self.known[below[at]][kind] for at, kind in form.parts]
        return all(each == every for each in sets) if form.alike else frozenset().union(*sets) == every

    def _equal(self, kind: Kind, made: int, form: Form) -> bool:
        told = kind, made, form.node
        if told not in self._proved:
            left, right = (self.forms.compared(kind, each) for each in (made, form.node))
            exact = kind not in (Kind.EXACT, Kind.ORDERED, Kind.NUMERIC)
            self._proved[told] = self.prover.equal(left, right, exact, form.facts)
        return self._proved[told]

    def _forms(self, kind: Kind, parts: tuple[Part, ...]) -> tuple[Form, ...]:
        told = kind, parts
        if told not in self._made:
            self._made[told] = tuple(self.forms.of(kind, parts))
        return self._made[told]

    def _variables(self, below: list[int]) -> tuple[Part, ...]:
        parts = []
        for at, node in enumerate(below):
            told = at, frozenset(self.known[node])
            if told not in self._parts:
                self._parts[told] = self.forms.part(*told)
            parts.append(self._parts[told])
        return tuple(parts)

    def _cones(self, node: int) -> Iterator[list[int]]:
        """The nearest parts that a node consists of: of any kind, then extrema alone."""
        seen: list[list[int]] = []
        for kinds in (set(Kind), {Kind.EXACT, Kind.SIZE}):
            below = self._nearest(node, kinds)
            if below and len(below) <= _MOST and below not in seen:
                seen.append(below)
                yield below

    def _nearest(self, node: int, kinds: set[Kind]) -> list[int]:
        """Parts of some kind, those that they consist of not among them; too many end the search."""
        found: list[int] = []
        stack, seen = list(self.table.arguments(node)), set()
        while stack and len(found) <= _MOST:
            each = stack.pop()
            if each in seen:
                continue
            seen.add(each)
            each = self._same.get(each, each)
            if each in found:
                continue
            if not kinds.isdisjoint(self.known.get(each, ())):
                found.append(each)
            else:
                stack.extend(self.table.arguments(each))
        return found

    # Samples, which no proof rests on: they say what is not worth one

    def _samples(self, roots: Sequence[int]) -> dict[int, Array]:
        rng = np.random.default_rng(1)
        found = evaluated(self.table, [*roots, *self.elements], lambda leaf: sampled(rng, self.table.size(leaf),
                                                                                      _SAMPLES), _SAMPLES)  # fmt: skip
        kinds = {self.dtype.itemsize: self.dtype, 1: np.dtype(bool)}
        return {node: np.ascontiguousarray(value).view(kinds[value.shape[1]]).reshape(-1)
                for node, value in found.items() if value.shape[1] in kinds}  # fmt: skip

    def _agrees(self, node: int, kind: Kind, of: Found) -> bool:
        sample, wanted, missing = self.seen[node], *self._expected(of)
        if kind in CONDITIONS:
            return np.array_equal(sample, missing == (kind is Kind.LOST))
        if kind is Kind.EXACT:
            return np.array_equal(sample, wanted, equal_nan=True)
        if kind in (Kind.ORDERED, Kind.NUMERIC):
            return np.array_equal(sample[~missing], wanted[~missing])
        if kind in (Kind.MASK, Kind.NAN):
            return np.array_equal(np.isnan(sample), missing)
        if kind is Kind.KEY:  # of positive numbers it is their bits
            above = wanted > 0
            return np.array_equal(sample[above], wanted[above])
        operation, args = self.table.parts(node)
        alone = 1 << 8 * self.dtype.itemsize - 1  # a sign without other bits is seen as what it is
        if (operation is None or operation.name not in ("bitwise_and", "bitwise_or")
                or alone in map(self.table.value, args)):  # fmt: skip
            return False
        signs = np.array([np.signbit(self.seen[each]) for each in of])
        return np.array_equal(np.signbit(sample), signs.all(0) if self.name == "max" else signs.any(0))

    def _expected(self, of: Found) -> tuple[Array, Array]:
        """(the extremum of these, whether one is a NaN) on each sample."""
        if of not in self._wanted:
            every = np.array([self.seen[each] for each in of])
            with np.errstate(all="ignore"):
                every = np.abs(every) if self.name == "absmax" else every
                found = getattr(np, _NAMES[self.name]).reduce(every)
            self._wanted[of] = found, np.isnan(found)
        return self._wanted[of]
