"""How several devices share an operation under jax.jit: along which axes, and what they add up.

Each device calls a handler for its own part of the arrays, which is made when XLA partitions the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from .arrays import Array

LETTERS = "abcdefABCDEFGHIJKLMNOPQRSTUVWX"
Compute: TypeAlias = Callable[..., tuple[Array, ...]]
Shardings: TypeAlias = tuple[NamedSharding, ...]


class SharedAxes(NamedTuple):
    """Axes of an operation, a letter each: equal letters are shared alike.

    operands, results   the axes of each array. Axes of operands that no result has are summed over
    whole               axes that every device has whole
    """

    operands: tuple[str, ...]
    results: tuple[str, ...]
    whole: str = ""


def partitioned(compute: Compute, axes: SharedAxes) -> Compute:
    """Return a function whose work devices share."""
    made = custom_partitioning(compute)

    def partition(
        mesh: Mesh, operands: Sequence[jax.ShapeDtypeStruct], results: object
    ) -> tuple[Mesh, Compute, Shardings, Shardings]:
        names = _names(axes, [each.sharding for each in operands])

        def compute_part(*parts: Array) -> tuple[Array, ...]:
            found = compute(*parts)
            return tuple(_total(each, letters, names) for each, letters in zip(found, axes.results))

        return mesh, compute_part, _shardings(mesh, axes.results, names), _shardings(mesh, axes.operands, names)

    spaced = (", ".join(" ".join(each) for each in side) for side in (axes.operands, axes.results))
    made.def_partition(partition, sharding_rule=" -> ".join(spaced))
    function: Compute = made
    return function


def _names(axes: SharedAxes, shardings: Sequence[NamedSharding]) -> dict[str, tuple[str, ...]]:
    """Return the axes of the mesh along which each axis of the operation is cut, as far as an operand is cut there."""
    found: dict[str, tuple[str, ...]] = {}
    taken = set[str]()
    for letters, sharding in zip(axes.operands, shardings):
        for letter, entry in zip(letters, sharding.spec):
            names = (entry,) if isinstance(entry, str) else tuple(entry or ())
            if names and letter not in axes.whole and letter not in found and not taken & set(names):
                found[letter] = names
                taken |= set(names)
    return found


def _shardings(mesh: Mesh, arrays: Sequence[str], names: dict[str, tuple[str, ...]]) -> Shardings:
    """Return how arrays of these axes are cut."""
    return tuple(NamedSharding(mesh, PartitionSpec(*(names.get(each) for each in letters))) for letters in arrays)


def _total(result: Array, letters: str, names: dict[str, tuple[str, ...]]) -> Array:
    """Return a result, added up over the axes that it lacks."""
    missing = [name for letter, each in names.items() if letter not in letters for name in each]
    return jax.lax.psum(result, tuple(missing)) if missing else result
