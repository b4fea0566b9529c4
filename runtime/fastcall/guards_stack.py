"""The entries of stacks of products: three arrays of matrices, whose strides give the distances."""

from __future__ import annotations

from ...microkernels.stack.spec import StackSpec, parameters
from .guards import CallEntry, Stack, StackNoAlias
from .guards_array import Builder, stacked


def stack_entry(spec: StackSpec, release: str, release_above: int) -> tuple[CallEntry, list[int]] | None:
    """Return the structure and the constants, without the function's address, or None if no call can pass."""
    if spec.stack == 0:
        return None  # nothing to read, and strides without meaning
    builder = Builder(release_above)
    made: list[Stack] = []
    count = builder.amount(spec.stack) if isinstance(spec.stack, int) else None
    for position, operand in enumerate(spec.operands):
        stacked(builder, position, operand)
    for operand in spec.operands:
        known = count is not None or bool(made)
        made.append(
            Stack(builder.arrays[operand.name], f"{operand.name}_stride", builder.extent(operand), count, known)
        )
        builder.add(made[-1])
    for other in made[:2]:
        builder.add(StackNoAlias(made[2], other))
    return builder.entry([name for _, name in parameters(spec)], release)
