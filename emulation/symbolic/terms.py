"""Nodes as real numbers: sums and products of other nodes, each read in the format that its reader expects.

    terms = Terms(table, {"a[0]": "bf16", "c": "f32"})
    for term, code, parts in terms.below([terms.key(node, "f32")]): ...

The same bits are different numbers in different formats, so a term is a node together with a format. A bf16 whose bytes
are read as f16 is no longer that number but an unknown value. A conversion to another format is the number itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..numerics import fp8
from ..numerics.rounding import Rounding
from . import narrowing
from .concrete import evaluated
from .values import Array, Operation, Table

FORMATS = ("f16", "f32", "f64", "bf16", "f8e5m2", "f8e4m3", "none")
BYTES = {"f16": 2, "f32": 4, "f64": 8, "bf16": 2, "f8e5m2": 1, "f8e4m3": 1}
OF_TYPE = {"f2": "f16", "f4": "f32", "f8": "f64"}
TOP = 16
Part = tuple[int, ...]
SUM, PRODUCT, FUSED, DIFFERENCE, QUOTIENT, SAME, NEGATED, FUNCTION, INTEGER, NUMBER, LEAF = range(11)
_CODES = {
    "add": SUM,
    "dotted": SUM,
    "paired": SUM,
    "multiply": PRODUCT,
    "fma": FUSED,
    "subtract": DIFFERENCE,
    "divide": QUOTIENT,
}
_SAME = frozenset(("extend", "convert", "nearest", "flushed", "wide", "astype"))
_NAMES = {"f16": "f16", "f32": "f32", "bf16": "bf16", "e5m2": "f8e5m2", "e4m3": "f8e4m3"}
_DIRECTED = frozenset(each.name.lower() for each in Rounding if each is not Rounding.NEAREST)


class Terms:
    """The terms of a table. `formats` holds the element types of operands by name; other leaves are unknown values.
    `variables` are nodes that are treated as variables whatever they are made of."""

    def __init__(self, table: Table, formats: Mapping[str, str], variables: frozenset[int] = frozenset()) -> None:
        self.table, self.formats, self.variables = table, formats, variables
        self._small = any(name[:2] == "f8" for name in formats.values())
        self._halves = "f16" in formats.values()
        self._equal: dict[int, int | None] = {}
        self._flushes = not {"bf16", "f16"}.isdisjoint(formats.values())  # their dot-product units may flush denormals
        self._usual: dict[Any, tuple[int, int, list[int]]] = {}
        self._only: dict[int, int] = {}

    def key(self, node: int, fmt: str) -> int:
        """Return the number of a term."""
        return node * TOP + FORMATS.index(fmt)

    def told(self, key: int) -> tuple[int, str]:
        """Return the node and the format of a term."""
        return key // TOP, FORMATS[key % TOP]

    def below(self, roots: Sequence[int]) -> list[tuple[int, int, Part]]:
        """Return (term, code, parts) for all terms below the roots, parts first. The code says what the term is, and
        the parts are the terms, or other data, that it consists of."""
        return self._in_order(roots) or self._by_depth(roots)

    def _in_order(self, roots: Sequence[int]) -> list[tuple[int, int, Part]]:
        """Return `below` by scanning nodes from the last to the first, since each node was made after its parts. Return
        an empty list if a node is read in two formats, or if a concatenation has parts: its number does not tell when
        it was made."""
        table, read, usual_of = self.table, self._read, {} if self._small else self._usual
        at = max((key // TOP >> 1 for key in roots if not key // TOP & 1), default=-1) + 1
        is_read, formats = bytearray(at), bytearray(at)  # of each node: whether it is read, and in which format
        odd: dict[int, None] = {}
        order: list[tuple[int, int, Part]] = []
        waiting: Sequence[int] = roots
        while True:
            for key in waiting:
                node, wanted = key // TOP, key % TOP
                if node & 1:
                    odd[key] = None
                elif not is_read[node >> 1]:
                    is_read[node >> 1], formats[node >> 1] = 1, wanted
                elif formats[node >> 1] != wanted:
                    return []
            # Tables of products are dense; others have thousands of undefined nodes, which are skipped at once.
            at = at - 1 if at > 0 and is_read[at - 1] else is_read.rfind(1, 0, at)
            if at < 0:
                break
            operation, args, _ = table.entries[at]
            own, usual = formats[at], usual_of.get(operation)
            if usual is not None and usual[1] == own and at << 1 not in self.variables:
                waiting = tuple([arg * TOP + to for arg, to in zip(args, usual[2])])
                order.append(((at << 1) * TOP + own, usual[0], waiting))
                continue
            found = read(at << 1, FORMATS[own])
            order.append(((at << 1) * TOP + own, *found))
            waiting = found[1] if found[0] <= FUNCTION else ()
        for key in odd:
            found = read(key // TOP, FORMATS[key % TOP])
            if found[0] <= FUNCTION and found[1]:
                return []
            order.append((key, *found))
        return order[::-1]

    def _by_depth(self, roots: Sequence[int]) -> list[tuple[int, int, Part]]:
        order: list[tuple[int, int, Part]] = []
        seen: set[int] = set()
        waiting: dict[int, tuple[int, Part]] = {}
        stack = list(reversed(roots))
        entries, usual_of = self.table.entries, {} if self._small else self._usual
        while stack:
            key = stack.pop()
            if key in seen:
                continue
            found = waiting.get(key)
            if found is None:
                node = key // TOP
                usual = None if node & 1 or node in self.variables else usual_of.get(entries[node >> 1][0])
                if usual is not None and usual[1] == key % TOP:
                    found = usual[0], tuple([arg * TOP + at for arg, at in zip(entries[node >> 1][1], usual[2])])
                else:
                    found = self._read(node, FORMATS[key % TOP])
                missing = [part for part in found[1] if part not in seen] if found[0] <= FUNCTION else None
                if missing:
                    waiting[key] = found
                    stack.append(key)
                    stack += missing
                    continue
            seen.add(key)
            order.append((key, *found))
        return order

    def _read(self, node: int, fmt: str) -> tuple[int, Part]:
        """Return what a node is in a format, and its parts."""
        table = self.table
        if table.size(node) != BYTES.get(fmt):
            return FUNCTION, ()
        if node in self.variables:
            return LEAF, ()
        if fmt == "bf16" and (rounded := narrowing.source(table, node)) is not None:
            return SAME, (self.key(rounded, "f32"),)
        if fmt == "f16" and (converted := narrowing.half(table, node)) is not None:
            node = converted
        if self._small and fmt == "f32" and (leaf := self._widened(node)) is not None:
            return SAME, (leaf,)
        if node & 1:
            return self._joined(node, fmt)
        operation, args = table.parts(node)
        if operation is None:
            known = self.formats.get((table.leaf(node) or ("", "", 0))[1]) == fmt
            return (LEAF, ()) if known else (FUNCTION, ())
        if operation.name == "bitwise_xor":
            top = 1 << 8 * table.size(node) - 1
            base = next((b for a, b in (args, args[::-1]) if table.value(a) == top), None)
            return (FUNCTION, ()) if base is None else (NEGATED, (self.key(base, fmt),))
        found = self._operation(operation, args, fmt)
        if found[0] == FUNCTION and fmt == "f32" and self._halves and (leaf := self._widened(node)) is not None:
            return SAME, (leaf,)
        return found

    def _operation(self, operation: Operation, args: tuple[int, ...], fmt: str) -> tuple[int, Part]:
        name, kinds = operation.name, operation.types
        if made_format(operation) != fmt or not (self._flushes or _keeps_denormals(operation)):
            return FUNCTION, ()
        if name == "astype" and kinds[0][0] in "iu":
            return INTEGER, (args[0], int(kinds[0][0] == "u"))
        if kinds[0] == "u2" and name == "wide":
            return SAME, (self.key(args[0], "bf16"),)
        if any(kind not in OF_TYPE for kind in kinds):
            return FUNCTION, ()
        parts = tuple(self.key(arg, OF_TYPE[kind]) for arg, kind in zip(args, kinds))
        if name in _CODES:
            self._usual[operation] = _CODES[name], FORMATS.index(fmt), [part % TOP for part in parts]
            return _CODES[name], parts
        return (SAME, parts) if name in _SAME else (FUNCTION, parts)

    def _joined(self, node: int, fmt: str) -> tuple[int, Part]:
        """Interpret a constant, or a concatenation whose upper bytes are a narrower format."""
        data = self.table.specials[node >> 1]
        if max(data) < 0:
            return NUMBER, (node,)
        half = len(data) // 2
        narrow = {"f32": "bf16", "f16": "f8e5m2"}.get(fmt)
        if narrow is not None and max(data[:half]) < 0 and set(data[:half]) == {-1}:
            inner = self.table.joined(data[half:])
            if not inner & 1:
                return SAME, (self.key(inner, narrow),)
        return FUNCTION, ()

    # Functions of one narrow element

    def _widened(self, node: int) -> int | None:
        """Return the element of f16 or of 8 bits that a node equals in f32 for all values of the element, or None."""
        leaf = self.table.only_leaf(node, self._only)
        named = self.table.leaf(leaf) if leaf >= 0 and leaf != node else None
        fmt = self.formats.get(named[1]) if named is not None else None
        if fmt not in ("f16", "f8e5m2", "f8e4m3"):
            return None
        if node not in self._equal:
            self._equal[node] = self.key(leaf, fmt) if self._widens(node, fmt) else None
        return self._equal[node]

    def _widens(self, node: int, fmt: str) -> bool:
        """Whether a node of one element is its value in f32, for all values of the element."""
        size = BYTES[fmt]
        count = 1 << 8 * size
        every: Array = np.arange(count, dtype=f"u{size}")
        made = evaluated(self.table, [node], lambda each: every.view(np.uint8).reshape(count, size), count)[node]
        held = np.ascontiguousarray(made).view(np.float32).reshape(-1)
        if fmt == "f16":
            wanted = every.view(np.float16).astype(np.float32)
        else:
            wanted = fp8.widened(every, getattr(fp8, fmt[2:].upper()))
        return bool(((held.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(held) & np.isnan(wanted))).all())


def _keeps_denormals(operation: Operation) -> bool:
    """Whether an operation runs in an environment that flushes nothing."""
    return operation.name != "flushed" and not any(str(part).startswith("nearest ") for part in operation.key[1:])


def made_format(operation: Operation) -> str:
    """Return the format of an operation's result, or "none" if the result is not rounded to nearest."""
    if any(str(part).split(" ")[0] in _DIRECTED for part in operation.key[1:]):
        return "none"
    if operation.to in OF_TYPE:
        return OF_TYPE[operation.to]
    if operation.name == "nearest":
        return "bf16"
    return _NAMES.get(operation.key[2], "none") if operation.name == "convert" else "none"
