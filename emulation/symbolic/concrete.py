"""Evaluate nodes for given inputs, with each operation's own function on arrays of samples, and print nodes as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .values import Array, Table, place

Given = Callable[[int], Array]
"""Returns the bytes of a leaf for each sample, as (samples, size) of uint8."""


def evaluated(
    table: Table, roots: Sequence[int], given: Given, samples: int, known: Mapping[int, Array] | None = None
) -> dict[int, Array]:
    """Return the bytes of every node below the roots, as (samples, size) of uint8. `known` holds some."""
    found: dict[int, Array] = dict(known or {})
    with np.errstate(all="ignore"):
        for node in table.below(roots, known or ()):
            found[node] = _bytes(table, node, found, given, samples)
    return found


def _bytes(table: Table, node: int, found: dict[int, Array], given: Given, samples: int) -> Array:
    if node & 1:
        return joined(table.specials[node >> 1], found, samples)
    operation, args = table.parts(node)
    if operation is None:
        return given(node)
    operands = [
        np.ascontiguousarray(found[arg]).view(name).reshape(samples) for arg, name in zip(args, operation.types)
    ]
    result = np.ascontiguousarray(np.asarray(operation.function(*operands)).astype(operation.to, copy=False))
    return result.reshape(samples, 1).view(np.uint8)


def joined(data: Sequence[int], found: dict[int, Array], samples: int) -> Array:
    """Return bytes that are each a constant or a byte of a node."""
    result = np.empty((samples, len(data)), np.uint8)
    for at, byte in enumerate(data):
        if byte < 0:
            result[:, at] = -1 - byte
        else:
            node, which = place(byte)
            result[:, at] = found[node][:, which]
    return result


# Text

_SIGNS = {"add": " + ", "subtract": " - ", "multiply": " * ", "divide": " / "}
_DEPTH = 6

Named = Callable[[str, int], str]
"""Returns the text of an element of an operand, from the operand's name and the element's number."""


def _plain(name: str, number: int) -> str:
    return f"{name}[{number}]"


def text(table: Table, node: int, named: Named = _plain, depth: int = _DEPTH) -> str:
    """Return a node as the text of an expression. Parts deeper than `depth` operations are shown as three dots."""
    if node & 1:
        return text_of_bytes(table, table.specials[node >> 1], named, depth)
    leaf = table.leaf(node)
    if leaf is not None:
        kind, name, number = leaf
        return named(name, number) if kind == "input" else f"undefined ({name} at entry)"
    if not depth:
        return "..."
    operation, args = table.parts(node)
    parts = [text(table, arg, named, depth - 1) for arg in args]
    name = operation.name if operation is not None else ""
    if name in _SIGNS and operation is not None and operation.types[0][0] == "f":
        return f"({_SIGNS[name].join(parts)})"
    return f"{name}({', '.join(parts)})"


def text_of_bytes(table: Table, data: tuple[int, ...], named: Named = _plain, depth: int = _DEPTH) -> str:
    """Return bytes as text: a number, a node, or the contents of each byte."""
    if max(data) < 0:
        value = sum((-1 - byte) << 8 * at for at, byte in enumerate(data))
        if len(data) in (4, 8) and value:
            real = np.array([value], f"u{len(data)}").view(f"f{len(data)}")[0]
            return f"{real:g}" if 1e-30 < abs(real) < 1e30 else f"{value:#x}"
        return str(value)
    node = table.joined(data)
    if not node & 1:
        return text(table, node, named, depth)
    parts = []
    for byte in data:
        if byte < 0:
            parts.append(f"{-1 - byte:#04x}")
        else:
            inner, which = place(byte)
            parts.append(f"byte {which} of {text(table, inner, named, depth and depth - 1)}")
    return f"bytes({', '.join(dict.fromkeys(parts) if len(set(parts)) == 1 else parts)})"
