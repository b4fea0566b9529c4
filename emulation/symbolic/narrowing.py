"""Roundings to bf16 that code makes of integer operations: recognised by their shape, each proved for all 2^32 numbers.

    source(table, node)      the f32 that a node of 16 bits is rounded from, None if its shape is not one of these

The shape of a node is the tree of its operations on the only float below it, without the order of what commutes. A
shape is listed in SHAPES after all 2^32 numbers were tried (tests/emulation/symbolic/test_narrowing.py, --soak): finite
ones become the nearest bf16, ties to even, where denormals may become zeros, and NaN stay NaN.
"""

from __future__ import annotations

import hashlib

from .lanes import COMMUTING
from .values import Operation, Table, place

SHAPES = frozenset(("a4d23f7a4d91f1cb70598525fdf95e75",))
"""Of AVX2 and AVX-512 without the instructions that convert: the rewrites make one of both."""
_MOST = 64  # operations


def source(table: Table, node: int) -> int | None:
    """The f32 that is rounded."""
    found = shape_of(table, node)
    return found[1] if found is not None and found[0] in SHAPES else None


def shape_of(table: Table, node: int) -> tuple[str, int] | None:
    """(the shape of a node, the only float below it), None if there is another number of them."""
    known: dict[int, str] = {}
    found: set[int] = set()
    try:
        shape = _shape(table, node, known, found)
    except _NoShape:
        return None
    return (shape, found.pop()) if len(found) == 1 else None


class _NoShape(Exception):
    """More operations, or more floats, than a rounding has."""


def _shape(table: Table, node: int, known: dict[int, str], floats: set[int]) -> str:
    if node in known:
        return known[node]
    if len(known) > _MOST or len(floats) > 1:
        raise _NoShape
    if node & 1:
        made = [
            str(byte) if byte < 0 else f"{place(byte)[1]} of {_shape(table, place(byte)[0], known, floats)}"
            for byte in table.specials[node >> 1]
        ]
        text = f"bytes {made}"
    else:
        operation, args = table.parts(node)
        if operation is None or operation.to[0] == "f":
            floats.add(node)
            text = f"x{table.size(node)}"
        else:
            text = _applied(operation, [_shape(table, arg, known, floats) for arg in args])
    known[node] = made_text = text if len(text) < 80 else hashlib.sha256(text.encode()).hexdigest()[:32]
    return made_text


def _applied(operation: Operation, parts: list[str]) -> str:
    if operation.key[0] in COMMUTING:
        parts[:2] = sorted(parts[:2])
    return f"{operation.key} {parts}"
