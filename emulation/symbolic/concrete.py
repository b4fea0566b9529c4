"""What nodes are for given inputs: every operation by its own function, on arrays of samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .values import Array, Table, place

Given = Callable[[int], Array]
"""The bytes of a leaf for each sample: (samples, size) of uint8."""


def evaluated(table: Table, roots: Sequence[int], given: Given, samples: int,
              known: Mapping[int, Array] | None = None) -> dict[int, Array]:  # fmt: skip
    """Every node below the roots as its bytes, (samples, size) of uint8; those of some may be known."""
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
    """Bytes, each a constant or one of a node."""
    result = np.empty((samples, len(data)), np.uint8)
    for at, byte in enumerate(data):
        if byte < 0:
            result[:, at] = -1 - byte
        else:
            node, which = place(byte)
            result[:, at] = found[node][:, which]
    return result
