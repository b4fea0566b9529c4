"""Extrema of sets: find the set whose extremum an expression is, whatever the order in which elements are compared.

    Extrema(prover, "max", "i4", ()).of_integers(node)          the set whose maximum a node is
    found = Extrema(prover, "max", "f4", elements)
    found.look(roots)
    found.of(root)                                              its set, or None if there is no proof

An extremum is associative, commutative and idempotent. Integer extrema are recognised by their operations. For floats,
NaN is one value and wins, and -0 is below +0. Machines keep this information in several registers. So, from the
elements up, every part is proved to be of certain kinds for a set S (partial.py), and its readers use only that. In a
proof, the nearest known parts are variables, so one proof serves all parts of the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..concrete import evaluated
from ..equality import Prover
from ..sweep import sampled
from ..values import Array
from .partial import CONDITIONS, ExtremumForm, ExtremumForms, ExtremumPart, PartKind

_NAMES = {"max": "maximum", "min": "minimum", "absmax": "maximum"}
_SAMPLES = 48
_MOST = 4
Found = frozenset[int]
Known = dict[PartKind, Found]
_VALUES = tuple(kind for kind in PartKind if kind not in (*CONDITIONS, PartKind.SIZE))
_SIGNED = (PartKind.NUMERIC, PartKind.SIGN)
_IMPLIED = {
    PartKind.EXACT: (PartKind.ORDERED, PartKind.NUMERIC, PartKind.NAN),
    PartKind.ORDERED: (PartKind.NUMERIC,),
    PartKind.MASK: (PartKind.NAN,),
}


class Extrema:
    """What nodes are the extremum of. `elements` are the compared nodes; `name` is max, min, or absmax of floats."""

    def __init__(self, prover: Prover, name: str, dtype: str, elements: Sequence[int]) -> None:
        self.prover, self.table, self.name, self.dtype = prover, prover.table, name, np.dtype(dtype)
        element = (PartKind.SIZE,) if name == "absmax" else (PartKind.EXACT, PartKind.SIGN)
        self.known: dict[int, Known] = {each: dict.fromkeys(element, frozenset([each])) for each in elements}
        self.elements = frozenset(elements)
        self.forms = ExtremumForms(self.table, name, self.dtype)
        self.sizes: set[int] = set()  # known parts without their signs, which count as the part itself
        self.values = tuple(kind for kind in _VALUES if name != "absmax" or kind not in _SIGNED)
        self._parts: dict[Any, ExtremumPart] = {}
        self._made: dict[Any, tuple[ExtremumForm, ...]] = {}
        self._proved: dict[tuple[PartKind, int, int], bool] = {}
        self._equals: dict[tuple[int, int], bool] = {}
        self._same: dict[int, int] = {}  # nodes that equal another node, bit for bit
        self._wanted: dict[Found, tuple[Array, Array]] = {}

    def of_integers(self, node: int) -> Found:
        """Return the operands of nested minima or maxima of integers."""
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
        """Return the elements whose extremum a node is proved to be, or None. `look` must have visited the node."""
        found = self.known.get(self._same.get(node, node), {})
        key = PartKind.KEY if self.name == "absmax" else PartKind.EXACT  # the key of an absolute value is that float
        return found.get(PartKind.EXACT, found.get(key))

    def has_no_sign(self, node: int) -> bool:
        """Whether a node is proved to have a clear sign bit, even if it is a NaN."""
        return self.name == "absmax" and PartKind.KEY in self.known.get(self._same.get(node, node), {})

    def look(self, roots: Sequence[int]) -> None:
        """Find out what every node below the roots is, and record it in `known`."""
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
        """Return all kinds that a part is proved to have, with their sets."""
        kinds = CONDITIONS if self.table.size(node) == 1 else self.values
        found: Known = {}
        for below in self._cones(node):
            every = frozenset().union(*[each for one in below for each in self.known[one].values()])
            agreeing = [kind for kind in kinds if self._agrees(node, kind, every)]
            if not agreeing and not (len(below) == 1 and self._alike(node, below[0])):
                continue
            parts = self._variables(below)
            variables = {one: part.node for one, part in zip(below, parts)}
            made = self.prover.rebuilt(
                node, variables | {each: variables[one] for each, one in self._same.items() if one in variables}
            )
            if len(parts) == 1 and self._is_part(made, parts[0].node):
                self._same[node] = below[0]
                return {}
            for kind in agreeing:
                told = kind in found or any(kind in _IMPLIED.get(other, ()) for other in found)
                if not told and self._is(kind, made, below, parts, every):
                    found[kind] = every
        return found

    def _is_part(self, made: int, part: int) -> bool:
        """Whether both nodes are the same, bit for bit."""
        if (made, part) not in self._equals:
            self._equals[made, part] = self.prover.equal(made, part, True)
        return self._equals[made, part]

    def _is(self, kind: PartKind, made: int, below: list[int], parts: tuple[ExtremumPart, ...], every: Found) -> bool:
        """Whether a part has a kind, for the set of all elements that it uses."""
        return any(
            self._fits(form, below, every) and self._equal(kind, made, form) for form in self._forms(kind, parts)
        )

    def _alike(self, node: int, other: int) -> bool:
        """Whether both nodes are the same on all samples."""
        a, b = self.seen[node], self.seen.get(other)
        return b is None or (a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))

    def _fits(self, form: ExtremumForm, below: list[int], every: Found) -> bool:
        """Whether the sets of the parts of a form match the whole set: each of them, or their union."""
        sets = [self.known[below[at]][kind] for at, kind in form.parts]
        return all(each == every for each in sets) if form.alike else frozenset().union(*sets) == every

    def _equal(self, kind: PartKind, made: int, form: ExtremumForm) -> bool:
        told = kind, made, form.node
        if told not in self._proved:
            left, right = (self.forms.compared(kind, each) for each in (made, form.node))
            exact = kind not in (PartKind.EXACT, PartKind.ORDERED, PartKind.NUMERIC)
            self._proved[told] = self.prover.equal(left, right, exact, form.facts)
        return self._proved[told]

    def _forms(self, kind: PartKind, parts: tuple[ExtremumPart, ...]) -> tuple[ExtremumForm, ...]:
        told = kind, parts
        if told not in self._made:
            self._made[told] = tuple(self.forms.of(kind, parts))
        return self._made[told]

    def _variables(self, below: list[int]) -> tuple[ExtremumPart, ...]:
        parts = []
        for at, node in enumerate(below):
            told = at, frozenset(self.known[node])
            if told not in self._parts:
                self._parts[told] = self.forms.part(*told)
            parts.append(self._parts[told])
        return tuple(parts)

    def _cones(self, node: int) -> Iterator[list[int]]:
        """Yield the nearest known parts that a node is made of: first of any kind, then only extrema."""
        seen: list[list[int]] = []
        for kinds in (set(PartKind), {PartKind.EXACT, PartKind.SIZE}):
            below = self.table.nearest(node, partial(self._has, kinds), _MOST, self._same)
            if below and len(below) <= _MOST and below not in seen:
                seen.append(below)
                yield below

    def _has(self, kinds: set[PartKind], node: int) -> bool:
        """Whether a node is a known part of one of these kinds."""
        return not kinds.isdisjoint(self.known.get(node, ()))

    # Samples. No proof relies on them; they show which proofs are not worth trying

    def _samples(self, roots: Sequence[int]) -> dict[int, Array]:
        rng = np.random.default_rng(1)
        found = evaluated(
            self.table, [*roots, *self.elements], lambda leaf: sampled(rng, self.table.size(leaf), _SAMPLES), _SAMPLES
        )
        kinds = {self.dtype.itemsize: self.dtype, 1: np.dtype(bool)}
        return {
            node: np.ascontiguousarray(value).view(kinds[value.shape[1]]).reshape(-1)
            for node, value in found.items()
            if value.shape[1] in kinds
        }

    def _agrees(self, node: int, kind: PartKind, of: Found) -> bool:
        sample, wanted, missing = self.seen[node], *self._expected(of)
        if kind in CONDITIONS:
            return np.array_equal(sample, missing == (kind is PartKind.LOST))
        if kind is PartKind.EXACT:
            return np.array_equal(sample, wanted, equal_nan=True)
        if kind in (PartKind.ORDERED, PartKind.NUMERIC):
            return np.array_equal(sample[~missing], wanted[~missing])
        if kind in (PartKind.MASK, PartKind.NAN):
            return np.array_equal(np.isnan(sample), missing)
        if kind is PartKind.KEY:  # for positive numbers, the key is their bits
            above = wanted > 0
            return np.array_equal(sample[above], wanted[above])
        operation, args = self.table.parts(node)
        alone = 1 << 8 * self.dtype.itemsize - 1  # a bare sign bit is recognised as the part that it is taken from
        if (
            operation is None
            or operation.name not in ("bitwise_and", "bitwise_or")
            or alone in map(self.table.value, args)
        ):
            return False
        signs = np.array([np.signbit(self.seen[each]) for each in of])
        return np.array_equal(np.signbit(sample), signs.all(0) if self.name == "max" else signs.any(0))

    def _expected(self, of: Found) -> tuple[Array, Array]:
        """Return the extremum of a set on each sample, and whether it is a NaN."""
        if of not in self._wanted:
            every = np.array([self.seen[each] for each in of])
            with np.errstate(all="ignore"):
                every = np.abs(every) if self.name == "absmax" else every
                found = getattr(np, _NAMES[self.name]).reduce(every)
            self._wanted[of] = found, np.isnan(found)
        return self._wanted[of]
