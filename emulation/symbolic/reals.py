"""Values over the real numbers: nodes at a random point of a prime field (the Schwartz-Zippel lemma).

    point = Point(Terms(table, formats), seed=1)
    point.real(node, "f32"), point.integers.value(node)

Every input is a random element of the field of 2^61 - 1 numbers. Sums, products, fused multiply-adds and quotients are
those of the field, and roundings and conversions between floats change nothing (terms.py). All other operations, such
as comparisons and functions, are random functions of their operands: equal operands give equal values, and nothing more
is assumed. So two nodes that differ as polynomials of degree d agree at one point with a probability of at most d /
(2^61 - 1).

Integers are in integers.py.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Container, Sequence
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import Any

from . import terms as kinds
from .bounds import counted
from .facts import bounds
from .integers import PRIME as PRIME
from .integers import Integers
from .terms import Part, Terms
from .values import Table

_FORMS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_SIGNIFICAND = {"f16": 11, "f32": 24, "f64": 53}


def _atom(seed: int, *key: Any) -> int:
    """Return the value of something about which nothing is known except what it depends on."""
    data = repr((seed, key)).encode()
    return int.from_bytes(hashlib.blake2b(data, digest_size=16).digest(), "little") % PRIME


class Point:
    """The values of a table at one random point."""

    def __init__(self, terms: Terms, seed: int) -> None:
        self.terms, self.table, self.seed = terms, terms.table, seed
        self._reals: dict[int, int] = {}
        self.atom = partial(_atom, seed)
        self.integers = Integers(self.table, self.atom)
        self.opaque = self.integers.opaque  # operations that were treated as arbitrary functions

    def real(self, node: int, fmt: str) -> int:
        """Return the value of a float in a format."""
        wanted = self.terms.key(node, fmt)
        found = self._reals.get(wanted)
        if found is None:
            self.evaluate(self.terms.below([wanted]))
            found = self._reals[wanted]
        return found

    def constant(self, value: float | Fraction) -> int:
        """Return the value of a number."""
        exact = Fraction(value)
        return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME

    def given(self, node: int, fmt: str, value: int) -> None:
        """Set the value of a variable."""
        self._reals[self.terms.key(node, fmt)] = value

    def evaluate(self, terms: list[tuple[int, int, Part]]) -> None:
        """Compute the values of terms, which are listed parts first."""
        known, fused, product, total = self._reals, kinds.FUSED, kinds.PRODUCT, kinds.SUM
        for key, code, parts in counted("sums", terms):
            if key in known:
                continue
            if code == fused:
                a, b, c = parts
                known[key] = (known[a] * known[b] + known[c]) % PRIME
            elif code == product:
                a, b = parts
                known[key] = known[a] * known[b] % PRIME
            elif code == total and len(parts) == 2:
                a, b = parts
                known[key] = (known[a] + known[b]) % PRIME
            else:
                known[key] = self._value(key, code, parts)

    def whole(self, node: int) -> int:
        """Return the value of an integer. Equal values mean equal bits."""
        return self.integers.value(node)

    def _value(self, key: int, code: int, parts: Part) -> int:
        if code >= kinds.FUNCTION:
            return self._of_bits(key, code, parts)
        values = [self._reals[part] for part in parts]
        if code == kinds.SUM:
            return sum(values) % PRIME
        if code == kinds.PRODUCT:
            return values[0] * values[1] % PRIME
        if code == kinds.DIFFERENCE:
            return (values[0] - values[1]) % PRIME
        if code == kinds.QUOTIENT:
            return values[0] * pow(values[1], -1, PRIME) % PRIME if values[1] else self.atom("undefined", *values)
        return values[0] if code == kinds.SAME else -values[0] % PRIME

    def _of_bits(self, key: int, code: int, parts: Part) -> int:
        """Return the value of a term that is not an operation on floats."""
        node, fmt = self.terms.told(key)
        if code == kinds.LEAF:
            return self.atom("leaf", node)
        if code == kinds.INTEGER:
            return self.integers.number(parts[0], "iu"[parts[1]])
        if code == kinds.NUMBER:
            return self._number(self.table.value(node) or 0, fmt)
        return self._function(node, fmt, parts)

    def _function(self, node: int, fmt: str, parts: Part) -> int:
        operation, _ = self.table.parts(node)
        if operation is None:
            self.opaque.add(f"bits as {fmt}")
            return self.atom("bits", node, fmt)
        self.opaque.add(operation.name)
        if not parts:
            return self.atom("bits", node, fmt)
        return self.atom(*operation.key, *[self._reals[part] for part in parts])

    def _number(self, value: int, fmt: str) -> int:
        exact = decoded(value, fmt)
        if exact is None:
            return self.atom("number", value, fmt)
        return self.constant(exact)


def measured(terms: Terms, roots: list[int], plan: list[tuple[int, int, Part]]) -> tuple[int, int]:
    """Return the number of rounded operations on the longest path to a root, and the largest degree of a root as a
    polynomial. Functions count as variables, and quotients as degree 2^61. Adding zero, or a product with zero, as
    padding does, is exact and not counted."""
    rounds: dict[int, int] = {}
    degrees: dict[int, int] = {}
    zeros: set[int] = set()
    fused, product, total = kinds.FUSED, kinds.PRODUCT, kinds.SUM
    for key, code, parts in plan:
        if code == fused:
            a, b, c = parts
            most = max(rounds[a], rounds[b], rounds[c])
            rounds[key] = most if a in zeros or b in zeros else most + 1
            degrees[key] = max(degrees[a] + degrees[b], degrees[c])
            continue
        if code == product:
            a, b = parts
            rounds[key], degrees[key] = max(rounds[a], rounds[b]) + 1, degrees[a] + degrees[b]
            continue
        if code == total and len(parts) == 2:
            a, b = parts
            exact = a in zeros or b in zeros
            rounds[key], degrees[key] = max(rounds[a], rounds[b]) + (not exact), max(degrees[a], degrees[b])
            continue
        if code > kinds.FUNCTION:
            rounded = code == kinds.INTEGER and not _exact(terms, key, parts[0])
            rounds[key], degrees[key] = int(rounded), _degree(terms, key, code, parts)
            if code == kinds.NUMBER and not terms.table.value(parts[0]):
                zeros.add(key)
            continue
        below = [degrees[part] for part in parts]
        exact = code >= kinds.SAME or (code == kinds.SUM and not zeros.isdisjoint(parts))
        rounds[key] = max([rounds[part] for part in parts], default=0) + (not exact)
        degrees[key] = PRIME if code == kinds.QUOTIENT else 1 if code == kinds.FUNCTION else max(below)
    return max((rounds[root] for root in roots), default=0), max((degrees[root] for root in roots), default=0)


def _exact(terms: Terms, key: int, node: int) -> bool:
    """Whether an integer is certain to be itself as a float. Sums of integers count as rounded."""
    table = terms.table
    operation, (size, fmt) = table.parts(node)[0], (table.size(node), terms.told(key)[1])
    most = 1 << _SIGNIFICAND.get(fmt, 0)
    if 1 << 8 * size <= most:
        return True
    if operation is not None and operation.name not in ("astype", "right_shift"):
        return False
    low, high = bounds(table, node, size)
    return -most <= low and high <= most


def multiplied_by_zero(terms: Terms, plan: list[tuple[int, int, Part]]) -> bool:
    """Whether a product has one factor that is zero and another that is not a finite constant."""
    known = {
        key: decoded(terms.table.value(parts[0]) or 0, terms.told(key)[1])
        for key, code, parts in plan
        if code == kinds.NUMBER
    }
    numbers = {key for key, value in known.items() if value is not None}
    zeros = {key for key, value in known.items() if value == 0}
    if zeros:
        for _, code, parts in plan:
            if code == kinds.FUSED or code == kinds.PRODUCT:
                a, b = parts[:2]
                if (a in zeros and b not in numbers) or (b in zeros and a not in numbers):
                    return True
    return False


def zero_times(terms: Terms, roots: Sequence[int], points: Sequence[Point], finite: Container[int]) -> bool:
    """Whether a term has a product with a factor that is zero at every point. Over the reals the product is zero; for
    floats only if the other factor is finite. `finite` lists terms that are known to be finite and whose products are
    wanted even if they are zero."""

    plan = terms.below(list(roots))
    same = {key: parts[0] for key, code, parts in plan if code == kinds.SAME}

    def number(key: int) -> bool:
        while key not in finite and key in same:
            key = same[key]
        return key in finite

    def zero(key: int) -> bool:
        return not number(key) and not any(point.real(*terms.told(key)) for point in points)

    for _, code, parts in plan:
        if code in (kinds.PRODUCT, kinds.FUSED):
            a, b = parts[:2]
            if (zero(a) and not number(b) and not zero(b)) or (zero(b) and not number(a) and not zero(a)):
                return True
    return False


def decoded(value: int, fmt: str) -> Fraction | None:
    """Return the number that bits represent in a format. Return None for infinities and NaN, and for formats that are
    not handled here."""
    if fmt == "bf16":  # the upper half of an f32
        value, fmt = value << 16, "f32"
    if fmt not in _FORMS:
        return None
    real = struct.unpack(_FORMS[fmt], value.to_bytes(kinds.BYTES[fmt], "little"))[0]
    return Fraction(real) if isfinite(real) else None


def _degree(terms: Terms, key: int, code: int, parts: Part) -> int:
    if code == kinds.INTEGER:
        return degree(terms.table, [parts[0]])
    return 0 if code == kinds.NUMBER else 1


def degree(table: Table, roots: list[int]) -> int:
    """Return the largest degree of the nodes as polynomials. Functions count as variables, and quotients as degree
    2^61."""
    found: dict[int, int] = {}
    for node in table.below(roots):
        operation, args = table.parts(node)
        below = [found[arg] for arg in args]
        name = operation.name if operation is not None else ""
        if name in ("multiply", "fma"):
            found[node] = max(below[0] + below[1], *below[2:], 0)
        elif name == "divide":
            found[node] = PRIME
        else:
            found[node] = max((found[arg] for arg in table.arguments(node)), default=0 if node & 1 else 1)
    return max((found[root] for root in roots), default=0)
