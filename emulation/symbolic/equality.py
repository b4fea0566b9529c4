"""Prove that two nodes are equal for all inputs, by their operands or case by case.

    Prover(table).equal(x, y)

Nodes of the same operation are equal if their operands are. Otherwise the prover decides a comparison that one of the
nodes depends on each way and rebuilds both nodes with the facts of each case, until they are one node in every case.
The cases of two floats are: one is a NaN, less, greater, both are zeros (each pair of signs), or equal and not zero,
hence the same value. The cases of a value and a constant are ranges of the value's bits in which no comparison with the
constant changes. All NaNs count as equal: no contract specifies their sign and payload. False means that no proof was
found.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from .facts import INFINITY, NOTHING, Facts, cuts_of, ends_of, possible, range_of, with_nan, within
from .lanes import COMMUTING
from .rewrites import size_of
from .values import WIDE, Table, place

_COMPARISONS = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "=", "not_equal": "!"}
_TRUE_IF_LESS, _TRUE_IF_GREATER = frozenset(["<", "<=", "!"]), frozenset([">", ">=", "!"])
_MIRRORED = {"<": ">", ">": "<"}
ARITHMETIC = frozenset(("add", "subtract", "multiply", "fma", "divide", "sqrt", "rint", "floor", "ceil", "trunc"))
_NAN = ("isnan", "is_signaling")
_DEPTH, _BUDGET = 14, 300


class Prover:
    """Proofs about the nodes of one table. Results that hold unconditionally are remembered."""

    def __init__(self, table: Table, budget: int = _BUDGET) -> None:
        self.table, self.budget, self.spent = table, budget, 0
        self._proved: set[tuple[int, int, bool]] = set()

    def equal(self, x: int, y: int, exact: bool = False, facts: Facts = NOTHING) -> bool:
        """Whether the nodes are proved equal for all inputs, or under the given facts. If `exact` is set they must
        agree bit for bit; otherwise all NaNs count as one value."""
        self.spent = 0
        if facts is not NOTHING:
            memo: dict[int, int] = {}
            x, y = (self._rebuilt(each, facts, memo) for each in (x, y))
        return self._equal(x, y, facts, _DEPTH, exact)

    def rebuilt(self, root: int, new: dict[int, int]) -> int:
        """Return a node with some of its parts replaced."""
        return self._rebuilt(root, NOTHING, new)

    def _equal(self, x: int, y: int, facts: Facts, depth: int, exact: bool) -> bool:
        if x == y or (x, y, exact) in self._proved:
            return True
        if not exact and self._nan(x, facts) and self._nan(y, facts):
            return True
        self.spent += 1
        if self.spent > self.budget or depth <= 0:
            return False
        proved = self._congruent(x, y, facts, depth, exact) or self._by_cases(x, y, facts, depth, exact)
        if proved and facts is NOTHING:
            self._proved.add((x, y, exact))
        return proved

    def _congruent(self, x: int, y: int, facts: Facts, depth: int, exact: bool) -> bool:
        (f, first), (g, second) = self.table.parts(x), self.table.parts(y)
        if f is None or g is None or f.key != g.key or len(first) != len(second):
            return self._joined(x, y, facts, depth)
        if f.name == "where" and first[0] != second[0]:
            return False  # left to the case analysis
        sign = self._of_signs(f, first, second) if not exact else None
        wanted = [
            exact if f.name == "where" and at else arg == sign if sign is not None else not _ignores_payload(f)
            for at, arg in enumerate(first)
        ]
        if all(self._equal(a, b, facts, depth - (a != b), w) for a, b, w in zip(first, second, wanted)):
            return True
        if f.name not in COMMUTING:
            return False
        swapped = (second[1], second[0], *second[2:])
        return all(self._equal(a, b, facts, depth - (a != b), w) for a, b, w in zip(first, swapped, wanted))

    def _of_signs(self, operation: Any, first: tuple[int, ...], second: tuple[int, ...]) -> int | None:
        """Return the constant with which both nodes flip or clear the sign of a float; a NaN stays a NaN."""
        top = 1 << 8 * operation.size - 1
        number = {"bitwise_xor": top, "bitwise_and": top - 1}.get(operation.name)
        if number is None or operation.size not in INFINITY:
            return None
        return next((each for each in set(first) & set(second) if self.table.value(each) == number), None)

    def _joined(self, x: int, y: int, facts: Facts, depth: int) -> bool:
        """Compare concatenations: they are equal if the nodes that their bytes come from are."""
        table = self.table
        if not (x & 1 and y & 1):
            return False
        first, second = table.specials[x >> 1], table.specials[y >> 1]
        for a, b in zip(first, second):
            if a == b:
                continue
            if a < 0 or b < 0 or place(a)[1] != place(b)[1]:
                return False
            if not self._equal(place(a)[0], place(b)[0], facts, depth - 1, True):
                return False
        return len(first) == len(second)

    # Cases

    def _by_cases(self, x: int, y: int, facts: Facts, depth: int, exact: bool) -> bool:
        atom = self._atom(x)
        atom = self._atom(y) if atom is None else atom
        if atom is None:
            return False
        for case in self._cases(atom, facts):
            if not possible(case):
                continue
            memo: dict[int, int] = {}
            new = [self._rebuilt(each, case, memo) for each in (x, y)]
            if not self._equal(new[0], new[1], case, depth - 1, exact):
                return False
        return True

    def _atom(self, root: int) -> int | None:
        """Return the comparison to decide: the nearest one to the root, and then the innermost one among its
        operands."""
        level, seen = [root], {root}
        while level:
            below: list[int] = []
            for node in level:
                operation, args = self.table.parts(node)
                if _decides(operation):
                    return self._innermost(node)
                for arg in self.table.arguments(node):
                    if arg not in seen:
                        seen.add(arg)
                        below.append(arg)
            level = below
        return None

    def _innermost(self, atom: int) -> int:
        """Return a condition that this one depends on through selections and bit operations, or itself."""
        waiting, seen = list(self.table.arguments(atom)), set()
        while waiting:
            node = waiting.pop()
            operation, args = self.table.parts(node)
            if node in seen or operation is None:
                continue
            seen.add(node)
            if _decides(operation):
                return self._innermost(node)
            if operation.name in _MOVES or operation.types[0] == "b1":
                waiting.extend(args)
        return atom

    def _cases(self, atom: int, facts: Facts) -> Iterator[Facts]:
        operation, args = self.table.parts(atom)
        assert operation is not None
        kind = operation.types[0][0]
        if operation.name in (*_COMPARISONS, *_EXTREMA) and kind in "fiu" and len(args) == 2:
            yield from self._of_pair(args[0], args[1], operation.types[0], facts)
        elif operation.name in _NAN and kind == "f" and not self._nan(args[0], facts):
            yield from self._of_ranges(args[0], None, facts)
        else:
            for truth in (True, False):
                yield facts._replace(values={**facts.values, atom: self._truth(truth)})

    def _of_pair(self, a: int, b: int, name: str, facts: Facts) -> Iterator[Facts]:
        table, size, kind = self.table, self.table.size(a), name[0]
        if table.value(a) is not None or table.value(b) is not None:
            node, number = (b, table.value(a)) if table.value(b) is None else (a, table.value(b))
            yield from self._of_ranges(node, number, facts)
            return
        pair = (min(a, b), max(a, b))
        whole = facts._replace(whole=facts.whole | {a, b}) if kind == "f" else facts
        if a == b and kind == "f":  # it equals itself unless it is a NaN
            yield from (whole, with_nan(facts, a))
            return
        for order in "<>":
            yield whole._replace(order={**facts.order, (*pair, name): order})
        for node in (a, b):
            if kind == "f" and node not in facts.whole:
                yield with_nan(facts, node)
        if not any((*pair, f"{each}{size}") in facts.order for each in "fiu"):  # no order is known
            yield whole._replace(values={**facts.values, a: b})
        if kind == "f":
            zeros = [table.constant(0, size), table.constant(1 << 8 * size - 1, size)]
            for first, second in product(zeros, zeros):
                if within(first, a, table, facts) and within(second, b, table, facts):
                    yield whole._replace(values={**facts.values, a: first, b: second})

    def _of_ranges(self, node: int, number: int | None, facts: Facts) -> Iterator[Facts]:
        """Yield cases by ranges of a node's bits: below `number`, equal, above; zeros and NaNs are separate ranges."""
        size = self.table.size(node)
        low, high = facts.ranges.get(node) or ends_of(node, self.table)
        cuts = set(cuts_of(size)) | ({number, number + 1} if number is not None else set())
        inner = sorted(cut for cut in cuts if low < cut <= high)
        for first, behind in zip([low, *inner], [*inner, high + 1]):
            case = facts._replace(ranges={**facts.ranges, node: (first, behind - 1)})
            if first == behind - 1:
                case = case._replace(values={**facts.values, node: self.table.constant(first, size)})
            elif size in INFINITY and first & ~(1 << 8 * size - 1) > INFINITY[size]:
                if node in facts.whole:
                    continue
                case = with_nan(with_nan(case, node), size_of(self.table, node))
            elif size in INFINITY:
                case = case._replace(whole=case.whole | {node, size_of(self.table, node)})
            yield case

    def _truth(self, value: bool) -> int:
        return self.table.constant(int(value), 1)

    # Known facts

    def _nan(self, node: int, facts: Facts) -> bool:
        """Whether a node of a float type is known to be a NaN."""
        if node in facts.nan or size_of(self.table, node) in facts.nan:
            return True
        value, size = self.table.value(node), self.table.size(node)
        if value is not None:
            kind = {2: np.float16, 4: np.float32, 8: np.float64}.get(size)
            return kind is not None and bool(np.isnan(np.array([value], f"u{size}").view(kind)[0]))
        operation, args = self.table.parts(node)
        if operation is None:
            return False
        if operation.name in ARITHMETIC and operation.types[0][0] == "f":
            return any(self._nan(arg, facts) for arg in args)
        if operation.name == "bitwise_or":  # a constant with the bits of a NaN stays a NaN, whatever the other bits are
            return any(self.table.value(arg) is not None and self._nan(arg, facts) for arg in args)
        return operation.name == "where" and all(self._nan(arg, facts) for arg in args[1:])

    def _rebuilt(self, root: int, facts: Facts, memo: dict[int, int]) -> int:
        """Return a node with the known facts substituted."""
        for node in self.table.below([root], memo):
            memo[node] = self.rebuilt_once(node, facts, memo)
        return memo[root]

    def rebuilt_once(self, node: int, facts: Facts, memo: dict[int, int]) -> int:
        """Return a node rebuilt from the new values of its operands, which `memo` holds."""
        if node in facts.values:
            return facts.values[node]
        if node & 1:
            if all(memo[each] == each for each in self.table.arguments(node)):
                return node
            data = self.table.specials[node >> 1]
            moved = [
                b if b < 0 else self.table.split(memo[place(b)[0]], self.table.size(place(b)[0]))[place(b)[1]]
                for b in data
            ]
            return self.table.joined(tuple(moved))
        operation, args = self.table.parts(node)
        if operation is None:
            return node
        new = tuple(memo[arg] for arg in args)
        known = self._known(operation, new, facts)
        if known is not None:
            return self._truth(known)
        chosen = self._chosen(operation, new, facts)
        chosen = self._by_sign(operation, new, facts) if chosen is None else chosen
        if chosen is not None:
            return chosen
        if new == args:
            return node
        if operation.name in COMMUTING:
            new = (min(new[:2]), max(new[:2]), *new[2:])
        key = operation.key[:2] if operation.key[-1] == WIDE else operation.key
        made = self.table.applied(key, operation.function, operation.types, operation.to, new)
        return facts.values.get(made, made)

    def _chosen(self, operation: Any, args: tuple[int, ...], facts: Facts) -> int | None:
        """Return the minimum or maximum of two integers whose order is known, or None."""
        if operation.name not in _EXTREMA or operation.types[0][0] not in "iu":
            return None
        (a, b), least = args, operation.name == "minimum"
        order = self._order(a, b, operation.types[0], facts)
        if order is not None:
            return (min(a, b) if order == "<" else max(a, b)) if least else max(a, b) if order == "<" else min(a, b)
        low, high = zip(*(range_of(each, operation.types[0], facts, self.table) for each in args))
        for first, second in ((0, 1), (1, 0)):
            if high[first] <= low[second]:
                return args[first if least else second]
        return None

    def _by_sign(self, operation: Any, args: tuple[int, ...], facts: Facts) -> int | None:
        """Return the sign bit, or the other bits, of a float whose sign is known, or None."""
        name = operation.name
        if name not in ("bitwise_and", "right_shift"):
            return None
        for first, second in (args, args[::-1]) if name == "bitwise_and" else (args,):
            size, number = self.table.size(first), self.table.value(second)
            top = 1 << 8 * size - 1
            if number not in (top, top - 1, 8 * size - 1) or self.table.value(first) is not None:
                continue
            negative = self._negative(first, size, facts)
            if negative is None or (name == "right_shift") != (number == 8 * size - 1):
                continue
            if number == top - 1:
                return None if negative else first
            shifted = 2 * top - 1 if operation.types[0][0] == "i" else 1  # an arithmetic shift copies the sign
            return self.table.constant((top if number == top else shifted) if negative else 0, size)
        return None

    def _negative(self, node: int, size: int, facts: Facts) -> bool | None:
        """Whether the sign bit is set, or None if that is unknown."""
        found = facts.ranges.get(node)
        if found is not None:
            return bool(found[0] >> 8 * size - 1)
        operation, args = self.table.parts(node)
        if operation is None or operation.name != "bitwise_xor":
            return None
        for first, second in (args, args[::-1]):
            number, own = self.table.value(second), facts.ranges.get(first)
            if number is not None and own is not None:
                return bool((own[0] ^ number) >> 8 * size - 1)
        return None

    def _known(self, operation: Any, args: tuple[int, ...], facts: Facts) -> bool | None:
        """Return the value of a comparison in this case, or None if it is open."""
        kind = operation.types[0][0]
        if operation.name == "is_signaling" and args[0] in facts.whole:
            return False
        if operation.name == "isnan" and kind == "f":
            whole = args[0] in facts.whole or size_of(self.table, args[0]) in facts.whole
            return True if self._nan(args[0], facts) else False if whole else None
        sign = _COMPARISONS.get(operation.name)
        if sign is None or len(args) != 2:
            return None
        if kind == "f" and (self._nan(args[0], facts) or self._nan(args[1], facts)):
            return sign == "!"
        a, b = args
        if a == b and (kind != "f" or a in facts.whole):
            return sign in ("<=", ">=", "=")
        if self.table.value(b) is not None and a in facts.ranges:
            return self._at_ends(operation, facts.ranges[a], self.table.value(b), True)
        if self.table.value(a) is not None and b in facts.ranges:
            return self._at_ends(operation, facts.ranges[b], self.table.value(a), False)
        if sign in "=!" and self._differ(a, b, operation.types[0], facts):
            return sign == "!"
        order = self._order(a, b, operation.types[0], facts)
        if order is None:
            return None
        # `order` belongs to the operands of the comparison that was decided, as passed to `_of_pair`
        return self._by_order(sign, order, a, b)

    def _order(self, a: int, b: int, name: str, facts: Facts) -> str | None:
        """Return which of two nodes is less in a type ("<" or ">", with the smaller node number first), or None. Floats
        that are not NaN and have no sign are ordered like their bits."""
        first, second = min(a, b), max(a, b)
        found = facts.order.get((first, second, name))
        if found is None and name[1:] in ("4", "8") and a in facts.whole and b in facts.whole:
            low = 1 << 8 * int(name[1:]) - 1
            if all(ends_of(each, self.table)[1] < low for each in (a, b)):
                others = (facts.order.get((first, second, f"{kind}{name[1:]}")) for kind in "fiu")
                found = next((each for each in others if each is not None), None)
        return found

    def _differ(self, a: int, b: int, name: str, facts: Facts) -> bool:
        """Whether the bits of two integers are known to differ because one is less in some type, including floats."""
        return name[0] != "f" and any((min(a, b), max(a, b), f"{kind}{name[1:]}") in facts.order for kind in "fiu")

    def _at_ends(self, operation: Any, ends: tuple[int, int], number: int | None, first: bool) -> bool | None:
        """Return a comparison with a constant if it is the same at both ends of a range, in which it is monotone."""
        dtype = np.dtype(operation.types[0])
        found = np.array(ends, f"u{dtype.itemsize}").view(dtype)
        other = np.array([number, number], f"u{dtype.itemsize}").view(dtype)
        with np.errstate(all="ignore"):
            held = operation.function(found, other) if first else operation.function(other, found)
        return (
            bool(held[0])
            if held[0] == held[1] and operation.name not in ("equal", "not_equal")
            else (self._apart(operation, ends, number))
        )

    def _apart(self, operation: Any, ends: tuple[int, int], number: int | None) -> bool | None:
        """Return the value of an equality with a constant outside the range, or None. Zeros are ranges of their own."""
        if operation.name not in ("equal", "not_equal") or number is None or ends[0] <= number <= ends[1]:
            return None
        return bool(operation.name == "not_equal")

    def _by_order(self, sign: str, order: str, a: int, b: int) -> bool:
        order = order if a < b else _MIRRORED[order]
        return sign in (_TRUE_IF_LESS if order == "<" else _TRUE_IF_GREATER)


_LOGIC = frozenset(
    ("bitwise_and", "bitwise_or", "bitwise_xor", "invert", "logical_and", "logical_or", "logical_not", "where")
)
_EXTREMA = ("minimum", "maximum")


def _decides(operation: Any) -> bool:
    """Whether a node chooses between two values: a comparison, or a minimum or maximum of integers."""
    if operation is None:
        return False
    of_pair = operation.name in _EXTREMA and operation.types[0][0] in "iu"
    return of_pair or (operation.to == "b1" and operation.name not in _LOGIC)


_MOVES = _LOGIC | {"right_shift", "left_shift", "negative"}


def _ignores_payload(operation: Any) -> bool:
    """Whether all NaN operands give the same result, with NaN counting as one value."""
    name = operation.name
    return operation.types[0][0] == "f" and (name in ARITHMETIC or name in _COMPARISONS or name == "isnan")
