"""What sums are made of: each term of the definition occurs exactly once, and nothing else is added.

    Sums(terms, "f32").right(found, wanted)     of the nodes found for each sum, those that are made of its terms alone

Over the reals (t + 1e30) - 1e30 is t, and so is t + x - x; floats give something else. So besides its value, each sum
has a *count* at a random point (`Occurrences`): the same polynomial with every difference taken as a sum, and every
constant other than zero as one. Counts have no negative coefficients, so nothing cancels in them. A sum whose value and
count are those of the definition has every term once, with its factor, and no constant. Its error is then at most that
of the roundings that the most exposed term passes, times the sum of the magnitudes of the terms.

A term may pass one factor at most, that of the definition (alpha, beta, a divisor, the scale of a score), and where the
definition has it: on the whole sum, not on its terms nor on a factor of a product, which may overflow or become zero
where the sum does not. It may pass no operation in a type that is narrower than that of the sum, nor a conversion to
one, except for the end. Two things look as if they cancelled, and are understood (`_Tracked`):

    n = a + b,  r = b + (a - n)             the rounding error of n, which a compensated sum adds to the next summand
    high = (x + c) - c,  low = x - high     two parts of x, for a constant c

There n and high are unknown numbers, which the sum must contain as often as what is left of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from fractions import Fraction

from . import terms as kinds
from .reals import PRIME, Point, decoded
from .terms import FORMATS, Part, Terms
from .values import Table

_BITS = {"f8e5m2": 3, "f8e4m3": 4, "bf16": 8, "f16": 11, "f32": 24, "f64": 53, "none": 0}
"""The bits of significands."""
_LARGEST_CUT = {"f16": 2**4, "f32": 2**102, "f64": 2**969}
"""A constant up to which x + c is finite for every finite x."""
_ROUNDED = (kinds.SUM, kinds.PRODUCT, kinds.FUSED, kinds.DIFFERENCE, kinds.QUOTIENT)
_PLAIN = frozenset((kinds.SUM, kinds.PRODUCT, kinds.FUSED, kinds.SAME, kinds.LEAF, kinds.NUMBER))
_ADDING = frozenset(("add", "multiply", "astype", "left_shift", "right_shift"))
"""Operations on integers that no term leaves with another sign."""
ADDED = (
    "a sum is right over the reals, but adds what cancels, scales a term and scales it back, or rounds it to a "
    "narrower type, so that floats lose its terms"
)
"""What a claim says of sums with the right value and another count."""
Plan = list[tuple[int, int, Part]]
Wanted = Callable[[Point], Sequence[int]]


class Occurrences(Point):
    """Counts: how often each product of variables occurs in a sum, whatever its sign and its factor.

    unknown   terms that are unknown numbers
    left      terms that are two others less an unknown number
    values    the values at the same point
    same      terms whose counts are their values
    """

    def __init__(
        self,
        terms: Terms,
        seed: int,
        unknown: Sequence[int] = (),
        left: Mapping[int, tuple[Part, int]] | None = None,
        values: Point | None = None,
        same: Iterable[int] = (),
    ) -> None:
        super().__init__(terms, seed)
        self.left = left or {}
        if values is not None:
            self._reals.update((key, values._reals[key]) for key in same)
        self._reals.update((key, self.atom("unknown", key)) for key in unknown)

    def constant(self, value: float | Fraction) -> int:
        """Return the count of a factor."""
        return int(value != 0)

    def evaluate(self, terms: Plan) -> None:
        """Compute the counts of terms, which are listed parts first."""
        if not self.left:
            super().evaluate(terms)
            return
        known = self._reals
        for each in terms:
            parts = self.left.get(each[0])
            if parts is None:
                super().evaluate([each])
            elif each[0] not in known:
                known[each[0]] = (sum(known[part] for part in parts[0]) - known[parts[1]]) % PRIME

    def _value(self, key: int, code: int, parts: Part) -> int:
        known = self._reals
        if code == kinds.DIFFERENCE:
            return (known[parts[0]] + known[parts[1]]) % PRIME
        if code == kinds.NEGATED:
            return known[parts[0]]
        if code == kinds.QUOTIENT:
            return known[parts[0]] if _constant(self.terms, parts[1]) else self.atom("quotient", key)
        if code == kinds.INTEGER and not _adds(self.table, parts[0]):
            return self.atom("integers", parts[0])
        return super()._value(key, code, parts)

    def _number(self, value: int, fmt: str) -> int:
        exact = decoded(value, fmt)
        return self.atom("number", value, fmt) if exact is None else int(exact != 0)


def _adds(table: Table, node: int) -> bool:
    """Whether an integer is a sum of products of elements, none of which may have changed its sign."""
    operations = (table.parts(each)[0] for each in table.below([node]))
    return all(each is None or each.name in _ADDING for each in operations)


class Sums:
    """The sums of a table, which are rounded to `fmt` after each operation. `give` sets the values of variables at a
    point. `scaled` is how many factors the definition has, each of a whole sum or of an operand; None if it has one on
    each term."""

    def __init__(
        self, terms: Terms, fmt: str, give: Callable[[Point], None] | None = None, scaled: int | None = 1
    ) -> None:
        self.terms, self.fmt, self.give, self.scaled = terms, fmt, give or (lambda point: None), scaled
        self.narrow = frozenset(at for at, each in enumerate(FORMATS) if _BITS[each] < _BITS[fmt])

    def right(
        self, found: Sequence[Sequence[int]], wanted: Wanted, points: Sequence[Point], fmt: str = ""
    ) -> list[list[int]]:
        """Return, of the nodes that were found for each sum, those that are made of its terms alone.

        wanted    returns the sums at a point by their definition
        points    those at which the values of the nodes were found
        fmt       the type of the nodes, if it is not that of the sums
        """
        keys = [[self.terms.key(node, fmt or self.fmt) for node in nodes] for nodes in found]
        every = dict.fromkeys(key for each in keys for key in each)
        plan = self.terms.below(list(every))
        if self._plain(plan, every.keys()):
            return [list(nodes) for nodes in found]
        made_of = {key: (code, parts) for key, code, parts in plan}
        apart = self._apart(plan)
        strange = self._strange(apart)
        good = [{key for key in each if _end(key, made_of) not in strange} for each in keys]
        good = self._counted(good, (plan, apart), wanted, points, made_of)
        return [[node for node, key in zip(*pair) if key in each] for *pair, each in zip(found, keys, good)]

    def _plain(self, plan: Plan, ends: Set[int]) -> bool:
        """Whether terms are only added and multiplied, so that counts are values: no differences, no constants, no
        conversions to narrower types but the last ones."""
        narrow, terms, last = self.narrow, self.terms, False
        for code, fmt in {(code, key % kinds.TOP) for key, code, _ in plan}:
            if code not in _PLAIN or (code in _ROUNDED and fmt in narrow):
                return False
        for key, code, parts in plan:
            if code == kinds.SAME and _narrows(key, parts[0]):
                last = True
                if key not in ends:
                    return False
            elif code == kinds.NUMBER and decoded(terms.table.value(parts[0]) or 0, terms.told(key)[1]) != 0:
                return False
        return not last or all(code > kinds.FUNCTION or ends.isdisjoint(parts) for _, code, parts in plan)

    def _apart(self, plan: Plan) -> Plan:
        """Return the part of a plan whose counts may differ from its values."""
        found, apart, table, narrow = set[int](), list[tuple[int, int, Part]](), self.terms.table, self.narrow
        for each in plan:
            key, code, parts = each
            if code >= kinds.FUNCTION:
                differs = (
                    code == kinds.FUNCTION
                    or (code == kinds.NUMBER and _constant(self.terms, key) != 0)
                    or (code == kinds.INTEGER and not _adds(table, parts[0]))
                )
            elif code == kinds.SAME:
                differs = parts[0] in found or _narrows(key, parts[0])
            else:
                differs = code not in _PLAIN or key % kinds.TOP in narrow or not found.isdisjoint(parts)
            if differs:
                found.add(key)
                apart.append(each)
        return apart

    def _strange(self, plan: Plan) -> set[int]:
        """Return the terms that are rounded to a narrower type, or that are scaled otherwise than in the definition:
        below which a term passes more than one factor, or a part of a product passes one, or parts of a sum pass one
        each."""
        strange: set[int] = set()
        factors: dict[int, int] = {}
        scalings: dict[int, frozenset[int]] = {}
        for key, code, parts in plan:
            if code >= kinds.FUNCTION:
                continue
            known = [factors.get(part, 0) for part in parts]
            scales = apart = False
            if code in (kinds.PRODUCT, kinds.FUSED):
                scales = any(self._scales(part) for part in parts[:2])
                apart = any(known[:2]) and all(_constant(self.terms, part) is None for part in parts[:2])
                factors[key] = max([sum(known[:2]) + scales, *known[2:]])
            else:
                scales = code == kinds.QUOTIENT and self._scales(parts[1])
                factors[key] = max(known) + scales
            if self.scaled is not None:
                below = (scalings[part] for part in parts if part in scalings)
                scalings[key] = frozenset((key,) if scales else ()).union(*below)
            rounded = key % kinds.TOP in self.narrow and (
                code in _ROUNDED or (code == kinds.SAME and _narrows(key, parts[0]))
            )
            spread = self.scaled is not None and (apart or len(scalings[key]) > self.scaled)
            if rounded or spread or factors[key] > 1 or not strange.isdisjoint(parts):
                strange.add(key)
        return strange

    def _scales(self, key: int) -> bool:
        """Whether a term is a constant other than 0, 1 and -1."""
        found = _constant(self.terms, key)
        return found is not None and abs(found) not in (0, 1)

    def _counted(
        self,
        keys: list[set[int]],
        plans: tuple[Plan, Plan],
        wanted: Wanted,
        points: Sequence[Point],
        made_of: Mapping[int, tuple[int, Part]],
    ) -> list[set[int]]:
        """Return the terms whose counts are those of the definition. plans: all terms, and those whose counts may
        differ from their values"""
        plan, apart = plans
        differ = {key for key, _, _ in apart}
        same = [key for key, _, _ in plan if key not in differ]
        good = self._agreeing(
            keys, apart, wanted, [Occurrences(self.terms, point.seed, values=point, same=same) for point in points]
        )
        if good == keys:
            return good
        tracked = _Tracked(self.terms, plan, made_of)
        if not tracked.unknown:
            return good
        values, counts = list[Point](), list[Point]()
        for each in points:
            values.append(point := Point(self.terms, each.seed))
            for key in tracked.unknown:
                point.given(*self.terms.told(key), point.atom("unknown", key))
            counts.append(Occurrences(self.terms, each.seed, tracked.unknown, tracked.left))
        more = self._agreeing(keys, plan, wanted, [*values, *counts])
        return [one | other for one, other in zip(good, more)]

    def _agreeing(self, keys: list[set[int]], plan: Plan, wanted: Wanted, points: Sequence[Point]) -> list[set[int]]:
        """Return the terms that equal the definition at all points."""
        for point in points:
            self.give(point)
            point.evaluate(plan)
            told = wanted(point)
            keys = [
                {key for key in each if point.real(*point.terms.told(key)) == value} for each, value in zip(keys, told)
            ]
        return keys


class _Tracked:
    """The rounding errors and the parts of terms below which the counts of sums are compared.

    unknown   terms that are unknown numbers
    left      terms that are others less one of these
    """

    def __init__(self, terms: Terms, plan: Plan, made_of: Mapping[int, tuple[int, Part]]) -> None:
        self.terms, self.made_of = terms, made_of
        self.unknown: list[int] = []
        self.left: dict[int, tuple[Part, int]] = {}
        for key, code, parts in plan:
            if code == kinds.SUM and len(parts) == 2 and self._cut_of(key):
                self.unknown.append(key)
        cuts = frozenset(self.unknown)
        for key, code, _ in plan:
            if code in (kinds.SUM, kinds.DIFFERENCE):
                self._look(key, cuts)

    def _look(self, key: int, cuts: frozenset[int]) -> None:
        for first, second in self._differences(key):
            if second in cuts and first in self._cut_of(second):
                self.left[key] = (first,), second
                return
        code, parts = self.made_of[key]
        for rest, b in (parts, parts[::-1]) if code == kinds.SUM and len(parts) == 2 else ():
            for a, total in self._differences(rest):
                added, of = self.made_of[total]
                if added == kinds.SUM and sorted(of) == sorted((a, b)):
                    self.left[key] = (a, b), total
                    self.unknown.append(total)
                    return

    def _differences(self, key: int) -> list[Part]:
        """Return the ways to read a term as first - second."""
        code, parts = self.made_of[key]
        if code == kinds.DIFFERENCE:
            return [parts]
        if code != kinds.SUM or len(parts) != 2:
            return []
        return [(a, self.made_of[b][1][0]) for a, b in (parts, parts[::-1]) if self.made_of[b][0] == kinds.NEGATED]

    def _cut_of(self, key: int) -> list[int]:
        """Return x if a term is (x + c) - c."""
        found, most = [], _LARGEST_CUT.get(self.terms.told(key)[1], 0)
        for inner, constant in self._with_constant(key):
            if self.made_of[inner][0] == kinds.SUM and abs(constant) <= most:
                found += [x for x, other in self._with_constant(inner) if other == -constant != 0]
        return found

    def _with_constant(self, key: int) -> list[tuple[int, Fraction]]:
        """Return the ways to read a sum as a term and a constant."""
        _, parts = self.made_of[key]
        read = [(a, _constant(self.terms, b)) for a, b in (parts, parts[::-1])] if len(parts) == 2 else []
        return [(a, c) for a, c in read if c is not None]


def _constant(terms: Terms, key: int) -> Fraction | None:
    """Return the number that a term is, or None."""
    node, fmt = terms.told(key)
    value = terms.table.value(node)
    return None if value is None else decoded(value, fmt)


def _narrows(key: int, part: int) -> bool:
    """Whether a term has fewer bits than the term that it is a conversion of."""
    return _BITS[FORMATS[key % kinds.TOP]] < _BITS[FORMATS[part % kinds.TOP]]


def _end(key: int, made_of: Mapping[int, tuple[int, Part]]) -> int:
    """Return the term before the conversions to narrower types at its end."""
    while made_of[key][0] == kinds.SAME and _narrows(key, part := made_of[key][1][0]):
        key = part
    return key
