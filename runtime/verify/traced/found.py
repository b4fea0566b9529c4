"""Find the reductions of a request in the expressions that its code computed.

    held = Held(table, roots, "f32", formats)
    sums = held.totals("sum", elements, factors)      a variable for each row of elements, or None if one is missing
    held.roots                                        the roots, with the reductions replaced by these variables

The search works from the inside outwards. A reduction that is found becomes a new variable about which nothing more is
known. A sum is found over the reals, with its summands, or the two factors of each summand, as variables. So the
summands are the request's bit for bit, and only the order and the roundings of the sum itself are left open. An
extremum is found bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ....emulation.symbolic.concrete import evaluated
from ....emulation.symbolic.equality import ARITHMETIC, Prover
from ....emulation.symbolic.exhaustive import Exhaustive
from ....emulation.symbolic.extrema.elements import Elements
from ....emulation.symbolic.extrema.floats import Extrema
from ....emulation.symbolic.facts import NOTHING
from ....emulation.symbolic.lanes import COMMUTING
from ....emulation.symbolic.provenance import Sums
from ....emulation.symbolic.reals import PRIME, Point, measured, multiplied_by_zero
from ....emulation.symbolic.rewrites import unsigned_part
from ....emulation.symbolic.sweep import sampled, swept
from ....emulation.symbolic.terms import SAME, Terms
from ....emulation.symbolic.values import UNDEFINED, Table, place
from ..bounds import FEW, POINTS, allowed, by_values, chance, exposed
from ..definition.algebra import values_of
from ..definition.conversions import NAN, NUMPY_TYPES

Array = np.ndarray[Any, Any]
Key = tuple[object, ...]
_EXTREMA = {"max": np.maximum, "min": np.minimum, "absmax": np.maximum}
_SAMPLES = 512
_BUDGET = 1200
"""Budget of comparisons per proof. The ends of a logarithm alone take more than the default of 300."""
_PARTS = 3
"""Further roundings that the bound allows if summands are added up in parts: two that make a part, and one that joins
the sums."""


_SEVERAL = frozenset((-1, -2))
"""Stands for more than one leaf."""


class TooManyRoundings(Exception):
    """A sum has more roundings than its bound allows."""


class Held:
    """The expressions that memory holds, with variables in place of the reductions that were found.

    compute   the type of the arithmetic
    formats   the element types of the operands, keyed by name
    in_parts  whether the kernel cuts summands into parts
    """

    def __init__(
        self, table: Table, roots: Sequence[int], compute: str, formats: Mapping[str, str], in_parts: bool = False
    ) -> None:
        self.few = FEW + (_PARTS if in_parts else 0)
        self.table, self.roots, self.compute, self.formats = table, list(roots), compute, dict(formats)
        self.dtype = np.dtype(NUMPY_TYPES[compute])
        self.prover = Prover(table, _BUDGET)
        self.longest, self.most, self.highest, self.sums, self.extrema = 0, 0, 0, 0, 0

    # Sums and products

    def totals(self, name: str, groups: Array, factors: Sequence[Array] = ()) -> Array | None:
        """Return a variable for the total of each row of elements, or None. `factors` holds the two factors of each
        element, if elements are products. The total of a single element that the code does not add up is the element.
        """
        every = np.unique(groups).tolist()

        def wanted(point: Point) -> list[int]:
            value = {node: point.real(node, self.compute) for node in every}
            return [_total(name, [value[node] for node in group]) for group in groups.tolist()]

        found = self.searched([groups] if not factors else list(factors), every, wanted, groups.shape[1])
        if found is None:
            return self._single(groups, factors) if groups.shape[1] == 1 else None
        return self.named(name, found, [set(group.tolist()) for group in groups])

    def _single(self, groups: Array, factors: Sequence[Array]) -> Array:
        """Return the totals of single elements: the elements, or the factors that they are once."""
        one = int.from_bytes(np.ones(1, self.dtype).tobytes(), "little")
        for each, other in zip(factors, reversed(factors)):
            if all(self.table.value(node) == one for node in other.flat):
                return np.ascontiguousarray(each[:, 0])
        return np.ascontiguousarray(groups[:, 0])

    def products(self, left: Array, right: Array) -> Array | None:
        """Return the variables for the elements of a matrix product, or None."""

        def wanted(point: Point) -> list[int]:
            a, b = (values_of(point, each, self.compute) for each in (left, right))
            return list((a @ b % PRIME).flat)

        every = np.unique(np.concatenate([left.reshape(-1), right.reshape(-1)])).tolist()
        found = self.searched([left, right], every, wanted, left.shape[1])
        if found is None:
            return None
        named = self.named("product", found, [set()] * len(found))
        return named.reshape(left.shape[0], right.shape[1])

    def searched(
        self,
        parts: Sequence[Array],
        every: Sequence[int],
        wanted: Callable[[Point], list[int]],
        count: int,
        needed: Sequence[bool] = (),
        scaled: bool = False,
    ) -> list[list[int]] | None:
        """Return the nodes that equal each sum of `count` summands, or None. `parts` are the nodes that are treated as
        variables, `every` are the nodes that `wanted` evaluates, and `needed` tells which sums must exist. `scaled`
        says that a factor may be on each term."""
        scaled = scaled or any(self.table.value(node) is not None for each in parts for node in each.flat)
        found = self._totals(parts, every, wanted, count, needed, scaled)
        if found is None:  # the elements may have another form in the code
            summands = np.unique(np.concatenate([each.reshape(-1) for each in parts])).tolist()
            self.sweep(summands)
            self._put_in([node for node in summands if node & 1])
            found = self._totals(parts, every, wanted, count, needed, scaled)
        self.sums += len(found or ())
        return found

    def _totals(
        self,
        parts: Sequence[Array],
        every: Sequence[int],
        wanted: Callable[[Point], list[int]],
        count: int,
        needed: Sequence[bool],
        scaled: bool,
    ) -> list[list[int]] | None:
        terms = self._terms(parts)
        candidates = list(self._candidates())
        keys = [terms.key(node, self.compute) for node in (*candidates, *every)]
        plan = terms.below(keys)
        points = [Point(terms, seed) for seed in range(POINTS)]
        places = by_values(points, plan, candidates, self.compute)
        sums = [wanted(point) for point in points]
        made_of = Sums(terms, self.compute, scaled=None if scaled else 1)
        found = made_of.right([places.get(told, []) for told in zip(*sums)], wanted, points)
        if any(not each and (not needed or needed[at]) for at, each in enumerate(found)):
            return None
        nodes = [node for each in found for node in each]
        keys = [terms.key(node, self.compute) for node in nodes]
        if multiplied_by_zero(terms, terms.below(keys)) or self.unwritten(nodes):
            return None
        longest, highest = measured(terms, keys, plan)
        self.highest = max(self.highest, highest)
        most = allowed(count, self.few)
        if longest > most:
            raise TooManyRoundings(
                f"{longest} roundings one after the other in a sum of {count}, the bound allows {most}"
            )
        if longest > self.longest:
            self.longest, self.most = longest, most
        return found

    def _terms(self, parts: Sequence[Array]) -> Terms:
        """Return terms in which the summands are variables. Signs are stripped, and constants stay constants."""
        every = {unsigned_part(self.table, int(node), self.dtype.itemsize)[0] for each in parts for node in each.flat}
        return Terms(self.table, self.formats, frozenset(each for each in every if not each & 1))

    def _candidates(self) -> Iterator[int]:
        for node in self.table.below(self.roots):
            operation, _ = self.table.parts(node)
            made = operation is None or (operation.to[0] == "f" and operation.name != "divide")  # x / 1 is not a sum
            if made and self.table.size(node) == self.dtype.itemsize:
                yield node

    def unwritten(self, nodes: Sequence[int]) -> bool:
        """Whether any of these nodes depends on something that was never written."""
        leaves = (self.table.leaf(node) for node in self.table.below(nodes))
        return any(leaf is not None and leaf[0] == UNDEFINED for leaf in leaves)

    # Extrema

    def extremes(self, name: str, groups: Array) -> Array | None:
        """Return a variable for the extremum of each row of elements, or None."""
        found = self._extremes(name, groups)
        if found is None:
            self.sweep(np.unique(groups).tolist())
            found = self._extremes(name, groups)
        found = found or self._of_narrow(name, groups)
        if found is None:
            return None
        self.extrema += len(found)
        return self.named(name, found, [set(group.tolist()) for group in groups])

    def _of_narrow(self, name: str, groups: Array) -> list[list[int]] | None:
        """Search the expressions with elements put in for bits of narrow ones that are combined in their own type, as
        the signs of all of them are. Return nodes of the code as it is."""
        elements = Elements(self.prover, np.unique(groups).tolist(), NAN.get(self.compute), again=False)
        roots = self.roots
        self.roots = elements.put_in(roots)
        found = self._extremes(
            name, np.array([[elements.made.get(each, each) for each in of] for of in groups.tolist()])
        )
        self.roots = roots
        of: dict[int, list[int]] = {}
        for node, new in elements.new.items():
            of.setdefault(new, []).append(node)
        return None if found is None else [[node for new in nodes for node in of.get(new, ())] for nodes in found]

    def _extremes(self, name: str, groups: Array) -> list[list[int]] | None:
        likely = self._likely(name, groups)
        if likely is None:
            return None
        first = self._first_alike(likely, groups)
        roots = sorted({node for at in set(first) for node in likely[at]})
        search = Extrema(self.prover, name, self.dtype.str[1:], np.unique(groups).tolist())
        search.look(roots)
        held = {at: [search.of(node) == frozenset(groups[at].tolist()) for node in likely[at]] for at in set(first)}
        found = [[node for node, holds in zip(nodes, held[at]) if holds] for nodes, at in zip(likely, first)]
        return None if [] in found else found

    def _first_alike(self, likely: Sequence[Sequence[int]], groups: Array) -> list[int]:
        """Return, for each extremum, the number of the first one whose nodes and elements are the same expressions of
        other inputs of the same operands, input by input: what is proved of those holds of these."""
        first: dict[Key, int] = {}
        numbers: dict[Key, int] = {}
        found: list[int] = []
        for at, (nodes, group) in enumerate(zip(likely, groups.tolist())):
            memo: dict[int, int] = {}
            for count, node in enumerate(self.table.below([*group, *nodes])):
                leaf = self.table.leaf(node)
                told = (
                    key_of(self.table, node, memo)
                    if leaf is None
                    else ("leaf", *leaf[:2], self.table.size(node), count)
                )
                memo[node] = numbers.setdefault(told, len(numbers))
            key = tuple(memo[node] for node in (*group, *nodes))
            found.append(first.setdefault(key, at))
        return found

    def _likely(self, name: str, groups: Array) -> list[list[int]] | None:
        """Return the nodes that equal each extremum on random samples of the inputs, or None if one has none."""
        rng = np.random.default_rng(3)
        elements = np.unique(groups).tolist()
        seen = evaluated(
            self.table, [*self.roots, *elements], lambda leaf: sampled(rng, self.table.size(leaf), _SAMPLES), _SAMPLES
        )

        def real(node: int) -> Array:
            return np.ascontiguousarray(seen[node]).view(self.dtype).reshape(-1)

        places: dict[bytes, list[int]] = {}
        for node in self.table.below(self.roots):
            if self.table.size(node) == self.dtype.itemsize:  # selections of floats may be done on their bits
                places.setdefault(_plain(real(node)), []).append(node)
        found = []
        for group in groups.tolist():
            each = np.array([real(node) for node in group])
            with np.errstate(all="ignore"):
                told = _EXTREMA[name].reduce(np.abs(each) if name == "absmax" else each)
            found.append(places.get(_plain(told), []))
        return None if [] in found else found

    # Variables

    def sweep(self, wanted: Sequence[int]) -> None:
        """Replace nodes of the code by the request's nodes where they are proved to be equal."""
        self.roots = swept(self.prover, [each for each in wanted if not each & 1], self.roots)

    def _put_in(self, wanted: Sequence[int]) -> None:
        """Replace what equals a widened element of a narrow type, NaN as one value, where only float arithmetic reads
        it: a row that is rounded again before it is kept in its own type has other NaNs, which are NaN in any sum."""
        leaves = [[each for each in self.table.below([node]) if self.table.leaf(each) is not None] for node in wanted]
        elements = {each[0]: node for each, node in zip(leaves, wanted) if len(each) == 1}
        below, by_inputs = list(self.table.below(self.roots)), Exhaustive(self.table)
        only: dict[int, frozenset[int]] = {}
        moved = set(self.roots)
        for node in below:
            operation, args = self.table.parts(node)[0], self.table.arguments(node)
            own = frozenset([node] if self.table.leaf(node) else ()).union(*[only[arg] for arg in args])
            only[node] = own if len(own) < 2 else _SEVERAL
            if operation is None or operation.name not in ARITHMETIC or operation.types[0][0] != "f":
                moved.update(args)
        new: dict[int, int] = {}
        for node in below:
            element = elements.get(*only[node]) if len(only[node]) == 1 else None
            if element is None or node in moved or self.table.size(node) != self.dtype.itemsize:
                continue
            if by_inputs.of_few(node, element, NAN.get(self.compute)):
                new[node] = element
        if new:
            self.roots = replaced(self.prover, self.roots, new)

    def named(self, name: str, found: list[list[int]], elements: Sequence[set[int]]) -> Array:
        """Return one variable for each reduction, which replaces all nodes that equal it. A reduction of a single
        element is that element."""
        label = f"the {name} {len(self.formats)}"
        self.formats[label] = self.compute
        variables = self.table.inputs(label, len(found), self.dtype.itemsize)
        first: dict[tuple[int, ...], int] = {}
        for at, nodes in enumerate(found):
            variables[at] = variables[first.setdefault(tuple(nodes), at)] if nodes else variables[at]
            same = next((node for node in nodes if node in elements[at] or node & 1), None)
            if same is not None:
                variables[at] = same
        new = {node: int(variable) for nodes, variable in zip(found, variables) for node in nodes}
        self.roots = replaced(self.prover, self.roots, new)
        return variables


def replaced(prover: Prover, roots: Sequence[int], new: Mapping[int, int]) -> list[int]:
    """Return these roots with some nodes replaced by others."""
    facts, memo = NOTHING._replace(values=dict(new)), dict(new)
    for node in prover.table.below(list(roots), new):  # what only they are made of stays as it is
        memo[node] = prover.rebuilt_once(node, facts, memo)
    return [memo[root] for root in roots]


def rounded_from(table: Table, node: int) -> int | None:
    """Return the f32 node that a bf16 node is the rounding of (to nearest, denormals kept), or None."""
    terms = Terms(table, {})
    _, code, parts = terms.below([terms.key(node, "bf16")])[-1]
    if code != SAME or terms.told(parts[0])[1] != "f32":
        return None
    return terms.told(parts[0])[0]


def _total(name: str, group: Sequence[int]) -> int:
    total = int(name != "sum")
    for each in group:
        total = (total + each if name == "sum" else total * each) % PRIME
    return total


def _plain(values: Array) -> bytes:
    """Return the bytes of floats with one representation for NaN and one for zero."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(values), np.nan, values + 0.0).astype(values.dtype).tobytes()


class HasFound(Protocol):
    """How many reductions were found, the largest degree, the most roundings, and how many the bound allows."""

    sums: int
    extrema: int
    highest: int
    longest: int
    most: int


def told(held: HasFound) -> str:
    """Return a description of what was found."""
    words = []
    if held.sums:
        words.append(
            f"{held.sums} sums over the reals, in an order of their own, "
            f"{chance(held.sums, held.highest)}, {exposed(held.longest, held.most)}"
        )
    if held.extrema:
        words.append(f"{held.extrema} extrema, bit for bit")
    return "; ".join(words)


def key_of(table: Table, node: int, memo: Mapping[int, int]) -> Key:
    """Return what tells an expression from others, in the tables of all executions of one code."""
    if node & 1:
        data = table.specials[node >> 1]
        return "bytes", *[byte if byte < 0 else (memo[place(byte)[0]], place(byte)[1]) for byte in data]
    operation, args = table.parts(node)
    if operation is None:
        return "leaf", *(table.leaf(node) or ()), table.size(node)
    parts = [memo[arg] for arg in args]
    if operation.name in COMMUTING:
        parts[:2] = sorted(parts[:2])
    return operation.key, operation.function, operation.types, operation.to, *parts
