"""Attention: prove softmax(scale q k') v along rows, computed online, over the reals with a homomorphism for powers.

The scores are found as sums of products and become variables. A power is found by its expression, node by node: the
request's power of a difference. After that, the only property of powers used is 2^(a - b) 2^(b - c) = 2^(a - c). Every
score and every maximum gets a random number for its power, and the value of 2^(a - b) is the quotient of two of these.
So sums in any number of blocks, each corrected by powers of maxima, equal the request's. What is subtracted is proved
never to be below what it is subtracted from (`above`), so no power exceeds 1. The rest of each element, including the
division for a row without powers, is the request's bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....emulation.symbolic.extrema.floats import Extrema
from ....emulation.symbolic.lanes import Lanes, lane
from ....emulation.symbolic.machine import Done
from ....emulation.symbolic.provenance import ADDED, Sums
from ....emulation.symbolic.reals import PRIME, Point, measured, zero_times
from ....emulation.symbolic.rewrites import unsigned_part
from ....emulation.symbolic.sweep import swept
from ....emulation.symbolic.terms import Terms
from ....encoder.features import Target
from ....microkernels.attention.softmax import LEAST, Softmax
from ....microkernels.codegen.selection import arithmetic_of
from ....microkernels.expr.graph import expand, operand, select
from ....microkernels.functions.activations import ACTIVATIONS
from ....microkernels.machines.registry import facts_of
from ..bounds import POINTS, by_values, chance, exposed
from ..definition.algebra import NodeAlgebra, field, nodes_of
from ..definition.conversions import stored
from ..definition.programs import evaluated
from ..definition.traced import keys_of, of_each_pair, scores_of
from ..numbers import trials
from ..operands import Call
from ..proof import Claim, Refutation
from .above import Above, Found
from .found import Held, TooManyRoundings, rounded_from

Array = np.ndarray[Any, Any]
Powers = dict[int, tuple[int, int]]
"""Nodes that are powers, mapped to the (minuend, subtrahend) of their exponent."""
_SCORE, _SUM = 4, 20
"""Roundings that docs/attention.md allows beyond one per summand of a score, and beyond two per key of a sum."""


def values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that `out` is what the request asks for."""
    looked = _Attention(spec, target, call, done)
    try:
        looked.prove()
    except (_UnprovedPart, TooManyRoundings) as reason:
        return Claim("arithmetic", False, str(reason)), trials.wrong(code, target, spec, call, any_mode=False)
    return Claim("arithmetic", True, looked.how), None


class _UnprovedPart(Exception):
    """A part of the proof failed."""


class _Attention:
    """One request and the results of its code."""

    def __init__(self, spec: Any, target: Target, call: Call, done: Done) -> None:
        self.spec, self.table = spec, done.table
        regions = {each.name: each for each in call.regions}
        self.outputs = {y.name: done.table.nodes_of(done.memory.held(regions[y.name])) for y in spec.outputs}
        self.algebra = NodeAlgebra(done.table, done.memory.inputs, target)
        roots = [node for nodes in self.outputs.values() for node in nodes.reshape(-1).tolist()]
        self.held = Held(done.table, roots, spec.compute, {x.name: x.dtype for x in spec.inputs})
        self.dtype = self.held.dtype
        self.inputs = {
            x.name: self.algebra.loaded(x.name, x.dtype, self.dtype).reshape(regions[x.name].array.shape).nodes()
            for x in spec.inputs
        }
        self.elements_of_v = done.memory.inputs["v"]
        self.softmax = Softmax(spec.compute, spec.accuracy, spec.natural, facts_of(target))
        self.arithmetic = arithmetic_of(facts_of(target))
        self.least = int(nodes_of(self.dtype.type(LEAST[spec.compute]), (1, 1), done.table)[0, 0])
        self.how = ""

    def prove(self) -> None:
        """Prove all results, or raise _Missing."""
        if self.held.unwritten(self.held.roots):
            raise _UnprovedPart("something that nobody has written is part of a result")
        if not self.spec.keys:
            self._nothing()
            return
        scores = self._shown()
        above, among = self._maxima(scores)
        powers = self._powers(above)
        rows = {int(score): at // self.spec.keys for at, score in enumerate(scores.flat)}
        for minuend, subtrahend in powers.values():
            if self._is_infinite(minuend):
                continue
            low = above.get(minuend, frozenset())
            if not low or not low <= above.get(subtrahend, frozenset()):
                raise _UnprovedPart("an exponent that is not proved to be at most 0")
            if len({rows[each] for each in among[minuend] | among[subtrahend] if each in rows}) > 1:
                raise _UnprovedPart("what is subtracted is not proved to be the largest score of its row")
        longest, totals, largest = self._sums(scores, powers, above)
        self._rest(totals, largest)
        self.how = (
            f"{len(self.held.roots)} results are the request's over the reals, 2^(a - b) 2^(b - c) being "
            f"2^(a - c), {chance(len(self.held.roots), self.held.highest)}: {scores.size} scores, "
            f"{exposed(self.held.longest, self.held.most)}; {len(powers)} powers of 2, none above 1; sums with "
            f"{exposed(longest, 2 * self.spec.keys + _SUM)}; what they become is the request's for all "
            "inputs"
        )

    def _nothing(self) -> None:
        """Prove the results where no key counts: 0, and -infinity for lse."""
        for name, nodes in self.outputs.items():
            value = -np.inf if name == "lse" else 0.0
            size = self.table.size(int(nodes.flat[0]))
            bits = int(self.dtype.type(value).view(f"u{self.dtype.itemsize}"))  # lse has the type of sums
            wanted = self.table.constant(bits, size)
            if not all(self.held.prover.equal(node, wanted) for node in np.unique(nodes).tolist()):
                raise _UnprovedPart(f"{name} of no keys is not {value}")
        self.how = f"{len(self.held.roots)} results are those of no keys"

    # Scores

    def _shown(self) -> Array:
        """Return the scores with the mask, which may be -infinity. The mask is added to a score, bit for bit, or it is
        the initial value of the sum of products."""
        scores = self._scores(None)
        if self.spec.mask is None and scores is not None:
            return scores
        mask = None if self.spec.mask is None else of_each_pair(self.spec, self.inputs["mask"])
        if scores is None or mask is None:
            scores = None if mask is None else self._scores(mask)
            if scores is None:
                raise _UnprovedPart("a score that the request has was not found in what the code makes")
            return scores
        every = (self._lanes(scores) + self._lanes(mask)).nodes()
        also = (self._lanes(every) + np.zeros(1, self.dtype)).nodes()  # the form next to a mask that hides other keys
        found = [list(dict.fromkeys(map(int, pair))) for pair in zip(every.flat, also.flat)]
        made: Array = self.held.named("shown", found, [set()] * len(found)).reshape(scores.shape)
        return made

    def _scores(self, mask: Array | None) -> Array | None:
        """Return a variable for each head, query and key, or None. The code need not compute the score of a hidden key.
        `mask` is an additional summand."""
        spec = self.spec
        base = 1.0 if self.softmax.natural else math.log2(math.e)  # if the code uses powers of 2 instead of powers of e
        scale = float(self.dtype.type(spec.scale * base))
        q, k = self.inputs["q"], np.repeat(self.inputs["k"], spec.group, axis=0)
        nodes = {name: each[..., None] for name, each in self.inputs.items()}
        more = [] if mask is None else list(map(int, mask.flat))

        def wanted(point: Point) -> list[int]:
            return list(scores_of(spec, field(point, nodes), scale, masked=mask is not None).flat)

        every = np.unique([*q.flat, *k.flat, *more]).tolist()
        shown = np.zeros((spec.heads, spec.queries, spec.keys), bool)
        for query in range(spec.queries):
            shown[:, query, keys_of(self.spec, query)] = True
        needed = shown.ravel().tolist()
        found = self.held.searched([q, k], every, wanted, spec.size + _SCORE, needed, scaled=True)
        if found is None or not self._added([node for nodes in found for node in nodes], frozenset(more)):
            return None
        return self.held.named("score", found, [set()] * len(found)).reshape(spec.heads, spec.queries, spec.keys)

    def _added(self, nodes: Sequence[int], leaves: Found) -> bool:
        """Whether the leaves occur in the sums only as summands, so that an infinite leaf makes the sum infinite."""
        within = set(leaves)
        for node in self.table.below(nodes) if leaves else ():
            operation, args = self.table.parts(node)
            if within.isdisjoint(self.table.arguments(node)):
                continue
            factors = args[:2] if operation is not None and operation.name == "fma" else ()
            if operation is None or operation.name not in ("add", "fma") or not within.isdisjoint(factors):
                return False
            within.add(node)
        return True

    # Maxima

    def _maxima(self, scores: Array) -> tuple[dict[int, Found], dict[int, Found]]:
        """Return two maps: from each node to the scores that it is never below, and to the scores of which it is one.
        Their keys are the scores and the variables that replace the subtrahends."""
        found = {subtrahend: 0 for _, minuend, subtrahend in self._differences() if minuend in scores}
        nodes = self.table.below(self.held.roots)
        hidden = {each for each in nodes if self._hidden(each)}
        infinite = set(filter(self._is_infinite, hidden))  # below all others, and no part of a maximum
        elements = {int(each) for each in scores.flat} | {self.least} | hidden - infinite
        above = Above(self.held.prover, elements, self.dtype)
        sets = [above.of(each) for each in found]
        if not all(sets):  # maxima of integers in the order of floats
            extrema = Extrema(self.held.prover, "max", self.dtype.str[1:], sorted(elements))
            extrema.look(list(found))
            known = {node: extrema.of(node) for node in self.table.below(list(found))}
            above = Above(self.held.prover, elements, self.dtype, {node: of for node, of in known.items() if of})
            sets = [above.of(each) for each in found]
        variables = self.held.named("largest", [[each] for each in found], [set()] * len(found)).tolist()
        alone = {each: frozenset([each]) for each in elements | infinite}
        return alone | dict(zip(variables, sets)), alone | {
            variable: above.among.get(each, frozenset()) for variable, each in zip(variables, found)
        }

    def _hidden(self, node: int) -> bool:
        """Whether a node is -infinity, or a score to which it was added."""
        operation, args = self.table.parts(node)
        return any(map(self._is_infinite, args if operation is not None and operation.name == "add" else (node,)))

    def _is_infinite(self, node: int) -> bool:
        """Whether a node is -infinity."""
        return self.table.value(node) == int(self.dtype.type(-np.inf).view(f"u{self.dtype.itemsize}"))

    # Powers

    def _powers(self, above: Mapping[int, Found]) -> Powers:
        """Return the powers that the code computes, after powers of another form are replaced by the request's where
        they are proved equal."""
        present = set(self.table.below(self.held.roots))
        likely = [
            power
            for z, minuend, _ in self._differences()
            if minuend in above
            for power in self._nodes(z)
            if power not in present
        ]
        if likely:
            self.held.sweep(likely)
        return self._of_exponents(set(self.table.below(self.held.roots)))

    def _differences(self) -> Iterator[tuple[int, int, int]]:
        """Yield (node, minuend, subtrahend) of all differences of floats."""
        size = self.dtype.itemsize
        for node in list(self.table.below(self.held.roots)):
            operation, args = self.table.parts(node)
            if operation is None or operation.key != ("add", self.dtype.str[1:]):
                continue
            for first, second in (args, args[::-1]):
                base, negative = unsigned_part(self.table, second, size)
                if negative:
                    yield node, first, base

    def _of_exponents(self, present: set[int]) -> Powers:
        found: Powers = {}
        for node, minuend, subtrahend in self._differences():
            for power in self._nodes(node):
                if power in present:
                    found[power] = minuend, subtrahend
        return found

    def _nodes(self, exponent: int) -> list[int]:
        """Return the nodes of the power of an exponent, as the request expands it. In bf16, the powers of scores and of
        corrections have different forms."""
        ways = (self.softmax, self.softmax.of_pairs) if self.spec.dtype == "bf16" else (self.softmax,)
        expressions = [way.power(operand("x", self.spec.compute)) for way in ways]
        lanes = lane(self.table, exponent, self.dtype)
        return [int(made.nodes()[0]) for made in self._evaluated(expressions, {"x": lanes})]

    def _evaluated(self, expressions: Sequence[Any], given: Mapping[str, Any]) -> list[Any]:
        return evaluated(self.algebra.program("exact", lambda _: expressions), given, self.algebra.operations)

    # Sums

    def _sums(self, scores: Array, powers: Powers, above: dict[int, Found]) -> tuple[int, Array, Array]:
        """Return the most roundings, variables for each row (first the sum of powers, then the sums of powers times
        each column of v), and the subtrahend of each row."""
        spec, size = self.spec, self.dtype.itemsize
        leaves = frozenset(map(int, self.inputs["v"].flat) if spec.dtype == spec.compute else ())
        terms = Terms(self.table, self.held.formats, frozenset(self._values_of(powers)) | leaves)
        candidates = [node for node in self.table.below(self.held.roots) if self.table.size(node) == size]
        keys = [terms.key(node, spec.compute) for node in candidates]
        plan = terms.below(keys)
        points = [Point(terms, seed) for seed in range(POINTS)]
        values = self._values_of(powers)
        for point in points:
            self._give(point, values)
        places = by_values(points, plan, candidates, spec.compute)
        shifts = {subtrahend for _, subtrahend in powers.values()}
        found: list[list[int]] = []
        largest = []
        for head, query in np.ndindex(spec.heads, spec.queries):
            row = scores[head, query].tolist()
            every = [each for each in shifts if above[each].issuperset(row[keys_of(self.spec, query)])]
            wanted = {
                each: list(zip(*(self._wanted(point, row, (head, query), each) for point in points))) for each in every
            }
            best = next((each for each in every if all(value in places for value in wanted[each])), None)
            if best is None:
                raise _UnprovedPart("a sum of powers that the request has was not found in what the code makes")
            found += [places[value] for value in wanted[best]]
            largest.append(best)
        found = self._made_of_terms(terms, points, values, found, zip(np.ndindex(*scores.shape[:2]), largest), scores)
        roots = [terms.key(node, spec.compute) for nodes in found for node in nodes]
        finite = {terms.key(node, fmt) for node, (_, fmt) in values.items()}
        if spec.window:  # a power is the number 0 if no key of a block is in the window: v of hidden keys counts as 0 v
            finite |= {terms.key(node, spec.compute) for node in self.inputs["v"].ravel().tolist()}
            finite |= {terms.key(node, spec.dtype) for node in self.elements_of_v.ravel().tolist()}
        if zero_times(terms, roots, points, finite):
            raise _UnprovedPart("a product of zero with what may be infinite is part of a sum of powers")
        longest, highest = measured(terms, roots, plan)
        self.held.highest = max(self.held.highest, highest)
        if longest > 2 * spec.keys + _SUM:
            raise TooManyRoundings(f"{longest} roundings one after the other in sums of {spec.keys} powers")
        named = self.held.named("sum", found, [set()] * len(found))
        return longest, named.reshape(spec.heads, spec.queries, 1 + spec.size), np.array(largest)

    def _made_of_terms(
        self,
        terms: Terms,
        points: Sequence[Point],
        values: Mapping[int, Any],
        found: list[list[int]],
        shifts: Iterable[tuple[Any, int]],
        scores: Array,
    ) -> list[list[int]]:
        """Return, of the nodes that were found for each sum, those that add up its terms and nothing else. shifts: the
        head and query of each row, and what is subtracted from its scores"""
        rows = list(shifts)

        def wanted(point: Point) -> list[int]:
            return [each for place, shift in rows for each in self._wanted(point, scores[place].tolist(), place, shift)]

        found = Sums(terms, self.spec.compute, lambda point: self._give(point, values)).right(found, wanted, points)
        if [] in found:
            raise _UnprovedPart(f"sums of powers: {ADDED}")
        return found

    def _give(self, point: Point, values: Mapping[int, Any]) -> None:
        """Set the values of powers: the quotients of the random numbers of their minuends and subtrahends."""
        for node, (pair, fmt) in values.items():
            point.given(node, fmt, self._quotient(point, *pair) if pair else 0)

    def _values_of(self, powers: Powers) -> dict[int, tuple[tuple[int, int] | None, str]]:
        """Return, for each power and each power rounded to bf16, its (minuend, subtrahend) and its type. The pair is
        None for the power 0."""
        found: dict[int, Any] = {power: (pair, self.spec.compute) for power, pair in powers.items()}
        for power, pair in powers.items() if self.spec.dtype == "bf16" else ():
            zero = int((self._lanes(np.array([power])) - self._lanes(np.array([power]))).nodes()[0])
            for node, of in ((power, pair), (zero, None)):
                upper = self.table.split(self._half_up(node), 4)[2:]
                found[self.table.joined((-1, -1, *upper))] = of, "f32"
                found[self.table.joined(upper)] = of, "bf16"
        return found

    def _half_up(self, node: int) -> int:
        """Return an f32 whose upper half is a nonnegative number rounded to bf16, to nearest with halves rounded up."""
        bits = lane(self.table, node, np.uint32)
        return int((bits + np.uint32(0x8000)).nodes()[0])

    def _quotient(self, point: Point, minuend: int, subtrahend: int) -> int:
        if self._hidden(minuend):
            return 0
        first, second = (point.atom("power", each) or 1 for each in (minuend, subtrahend))
        return first * pow(second, -1, PRIME) % PRIME

    def _wanted(self, point: Point, row: Sequence[int], place: tuple[int, int], shift: int) -> list[int]:
        """Return the sum of the powers of a row of scores, of this head and query, and the sums of powers times each
        column of v, at a point."""
        (head, query), spec = place, self.spec
        keys = keys_of(self.spec, query)
        v = self.inputs["v"][head // spec.group, keys].tolist()
        powers = [self._quotient(point, score, shift) for score in row[keys]]
        columns = [
            sum(p * point.real(line[at], spec.compute) for p, line in zip(powers, v)) % PRIME for at in range(spec.size)
        ]
        return [sum(powers) % PRIME, *columns]

    # The rest

    def _rest(self, sums: Array, largest: Array) -> None:
        """Prove out = O / total, 0 if no key is seen, and lse = the logarithm of the sum of natural powers."""
        spec = self.spec
        total, o = operand("total", spec.compute), operand("o", spec.compute)
        inverse = select(total == 0.0, 0.0, 1.0 / total)
        given = {"total": self._lanes(sums[..., :1]), "o": self._lanes(sums[..., 1:])}
        out = self._evaluated((o * inverse,), given)[0]
        wanted = {"out": stored(out, spec.dtype)}
        if spec.lse:
            expression = expand(
                (self.softmax.lse(operand("largest", spec.compute), total),),
                ACTIVATIONS,
                accuracy=spec.accuracy,
                tables=self.arithmetic.tables,
            )[0]
            given = {"total": self._lanes(sums[..., 0]), "largest": self._lanes(largest.reshape(sums.shape[:2]))}
            wanted["lse"] = self._evaluated((expression,), given)[0]
        first = 0
        for name, nodes in self.outputs.items():
            held = self.held.roots[first : first + nodes.size]
            other = wanted[name].nodes().reshape(-1).tolist()
            if name == "out" and spec.dtype == "bf16":
                sources = [rounded_from(self.table, node) for node in held]
                held = [node if source is None else source for node, source in zip(held, sources)]
                other = [
                    node if source is None else before for node, source, before in zip(other, sources, out.nodes().flat)
                ]
            pairs = [pair for pair in zip(held, other) if pair[0] != pair[1]]
            new = swept(self.held.prover, [b for _, b in pairs], [a for a, _ in pairs]) if pairs else []
            if not all(self.held.prover.equal(a, b) for a, (_, b) in zip(new, pairs)):
                raise _UnprovedPart(f"{name} has no proof: its sums have one, what they become has none")
            first += nodes.size

    def _lanes(self, nodes: Array) -> Lanes:
        return Lanes(self.table.bytes_of(np.ascontiguousarray(nodes), self.dtype.itemsize), self.dtype, self.table)
