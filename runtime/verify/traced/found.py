"""The reductions of a request, looked for in what its code made.

    held = Held(table, roots, "f32", formats)
    sums = held.totals("sum", elements, factors)      a variable for each row of elements, None where one is missing
    held.roots                                        the roots, made of these variables

From inside outwards: a reduction that is found becomes a variable of its own, of which nothing more is known. A sum is
found over the reals, where what is summed, or the two factors of it, are variables too; so its elements are those of
the request bit for bit, and only the order and the roundings of the sum itself are left open. An extremum is found bit
for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....emulation.symbolic.concrete import evaluated
from ....emulation.symbolic.equality import Prover
from ....emulation.symbolic.extrema.floats import Extrema
from ....emulation.symbolic.facts import NOTHING
from ....emulation.symbolic.reals import PRIME, Point, measured, multiplied_by_zero
from ....emulation.symbolic.rewrites import unsigned_part
from ....emulation.symbolic.sweep import sampled, swept
from ....emulation.symbolic.terms import SAME, Terms
from ....emulation.symbolic.values import UNDEFINED, Table
from ..chance import POINTS
from ..conversions import NUMPY_TYPES
from ..products import chance

Array = np.ndarray[Any, Any]
_EXTREMA = {"max": np.maximum, "min": np.minimum, "absmax": np.maximum}
_SAMPLES = 32
_BUDGET = 1200
"""Comparisons of a proof: the ends of a logarithm alone take more than the usual 300."""
_FEW = 2
"""Roundings of a sum beyond one for each summand that its bound allows: of folding, as of products."""


class TooLong(Exception):
    """A sum with more roundings than its bound allows."""


class Held:
    """What memory holds, made of variables where the reductions of the request were found.

    compute   the type of the arithmetic
    formats   the types of the elements of operands, by name
    """

    def __init__(self, table: Table, roots: Sequence[int], compute: str, formats: Mapping[str, str]) -> None:
        self.table, self.roots, self.compute, self.formats = table, list(roots), compute, dict(formats)
        self.dtype = np.dtype(NUMPY_TYPES[compute])
        self.prover = Prover(table, _BUDGET)
        self.longest, self.most, self.highest, self.sums, self.extrema = 0, 0, 0, 0, 0

    # Sums and products

    def totals(self, name: str, groups: Array, factors: Sequence[Array] = ()) -> Array | None:
        """For each row of elements the variable that its total is; factors: of which each element is the product."""
        every = np.unique(groups).tolist()

        def wanted(point: Point) -> list[int]:
            value = {node: point.real(node, self.compute) for node in every}
            return [_total(name, [value[node] for node in group]) for group in groups.tolist()]

        found = self.searched([groups] if not factors else list(factors), every, wanted, groups.shape[1])
        return None if found is None else self.named(name, found, [set(group.tolist()) for group in groups])

    def products(self, left: Array, right: Array) -> Array | None:
        """The variables that the elements of a product of two matrices are."""

        def wanted(point: Point) -> list[int]:
            a, b = ([[point.real(node, self.compute) for node in row] for row in each.tolist()]
                    for each in (left, right.T))  # fmt: skip
            return [sum(x * y for x, y in zip(row, column)) % PRIME for row in a for column in b]

        every = np.unique(np.concatenate([left.reshape(-1), right.reshape(-1)])).tolist()
        found = self.searched([left, right], every, wanted, left.shape[1])
        if found is None:
            return None
        named = self.named("product", found, [set()] * len(found))
        return named.reshape(left.shape[0], right.shape[1])

    def searched(self, parts: Sequence[Array], every: Sequence[int], wanted: Callable[[Point], list[int]], count: int,
                 needed: Sequence[bool] = ()) -> list[list[int]] | None:  # fmt: skip
        """Nodes that are the sums of so many summands, for each sum; parts: what is a variable in them; needed: which
        of the sums there are."""
        found = self._totals(parts, every, wanted, count, needed)
        if found is None:  # the elements have another form in the code
            self.sweep(np.unique(np.concatenate([each.reshape(-1) for each in parts])).tolist())
            found = self._totals(parts, every, wanted, count, needed)
        self.sums += len(found or ())
        return found

    def _totals(self, parts: Sequence[Array], every: Sequence[int], wanted: Callable[[Point], list[int]], count: int,
                needed: Sequence[bool]) -> list[list[int]] | None:  # fmt: skip
        terms = self._terms(parts)
        candidates = list(self._candidates())
        keys = [terms.key(node, self.compute) for node in (*candidates, *every)]
        plan = terms.below(keys)
        held: list[list[int]] = []
        sums: list[list[int]] = []
        for seed in range(POINTS):
            point = Point(terms, seed)
            point.evaluate(plan)
            held.append([point.real(node, self.compute) for node in candidates])
            sums.append(wanted(point))
        places: dict[tuple[int, ...], list[int]] = {}
        for node, told in zip(candidates, zip(*held)):
            places.setdefault(told, []).append(node)
        found = [places.get(told, []) for told in zip(*sums)]
        if any(not each and (not needed or needed[at]) for at, each in enumerate(found)):
            return None
        nodes = [node for each in found for node in each]
        keys = [terms.key(node, self.compute) for node in nodes]
        if multiplied_by_zero(terms, terms.below(keys)) or self.unwritten(nodes):
            return None
        longest, highest = measured(terms, keys, plan)
        self.highest = max(self.highest, highest)
        if longest > count + _FEW:
            raise TooLong(f"{longest} roundings one after the other in a sum of {count}")
        if longest > self.longest:
            self.longest, self.most = longest, count + _FEW
        return found

    def _terms(self, parts: Sequence[Array]) -> Terms:
        """Terms in which what is summed is a variable, its sign and numbers aside."""
        every = {unsigned_part(self.table, int(node), self.dtype.itemsize)[0] for each in parts for node in each.flat}
        return Terms(self.table, self.formats, frozenset(each for each in every if not each & 1))

    def _candidates(self) -> Iterator[int]:
        for node in self.table.below(self.roots):
            operation, _ = self.table.parts(node)
            made = operation is None or (operation.to[0] == "f" and operation.name != "divide")  # x / 1 is no sum
            if made and self.table.size(node) == self.dtype.itemsize:
                yield node

    def unwritten(self, nodes: Sequence[int]) -> bool:
        """Whether these are made of something that nobody has written."""
        leaves = (self.table.leaf(node) for node in self.table.below(nodes))
        return any(leaf is not None and leaf[0] == UNDEFINED for leaf in leaves)

    # Extrema

    def extremes(self, name: str, groups: Array) -> Array | None:
        """For each row of elements the variable that its extremum is."""
        found = self._extremes(name, groups)
        if found is None:
            self.sweep(np.unique(groups).tolist())
            found = self._extremes(name, groups)
        if found is None:
            return None
        self.extrema += len(found)
        return self.named(name, found, [set(group.tolist()) for group in groups])

    def _extremes(self, name: str, groups: Array) -> list[list[int]] | None:
        likely = self._likely(name, groups)
        if likely is None:
            return None
        roots = sorted({node for each in likely for node in each})
        search = Extrema(self.prover, name, self.dtype.str[1:], np.unique(groups).tolist())
        search.look(roots)
        found = [[node for node in nodes if search.of(node) == frozenset(group)]
                 for nodes, group in zip(likely, groups.tolist())]  # fmt: skip
        return None if [] in found else found

    def _likely(self, name: str, groups: Array) -> list[list[int]] | None:
        """Nodes that have the value of each extremum on samples of the inputs."""
        rng = np.random.default_rng(3)
        elements = np.unique(groups).tolist()
        seen = evaluated(self.table, [*self.roots, *elements],
                         lambda leaf: sampled(rng, self.table.size(leaf), _SAMPLES), _SAMPLES)  # fmt: skip

        def real(node: int) -> Array:
            return np.ascontiguousarray(seen[node]).view(self.dtype).reshape(-1)

        places: dict[bytes, list[int]] = {}
        for node in self.table.below(self.roots):
            if self.table.size(node) == self.dtype.itemsize:  # selections of floats are those of their bits
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
        """Put the request's parts where the code has others that are proved to be equal."""
        self.roots = swept(self.prover, [each for each in wanted if not each & 1], self.roots)

    def named(self, name: str, found: list[list[int]], elements: Sequence[set[int]]) -> Array:
        """A variable for each reduction, which stands for all nodes that are it; one of one element is that element."""
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
    """These nodes with others in the place of some."""
    facts, memo = NOTHING._replace(values=dict(new)), dict[int, int]()
    for node in prover.table.below(list(roots)):
        memo[node] = prover.rebuilt_once(node, facts, memo)
    return [memo[root] for root in roots]


def rounded_from(table: Table, node: int) -> int | None:
    """The f32 that a bf16 is rounded from to nearest, denormals kept."""
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
    """The bytes of floats, NaN being one value, and so zeros."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(values), np.nan, values + 0.0).astype(values.dtype).tobytes()


def told(held: Held) -> str:
    """What was found, in words."""
    words = []
    if held.sums:
        words.append(f"{held.sums} sums over the reals, in an order of their own, "
                     f"{chance([0] * held.sums, held.highest)}, at most {held.longest} roundings one "
                     f"after the other, the bound allows {held.most}")  # fmt: skip
    if held.extrema:
        words.append(f"{held.extrema} extrema, bit for bit")
    return "; ".join(words)
