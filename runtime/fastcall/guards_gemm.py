"""The entries of batch-reduce GEMMs: one kind of guards for each batch mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, GemmSpec, parameters
from ...microkernels.operands import RUNTIME, Operand
from .guards import Addresses, Entry, Int, Offsets, Stack, Steps, Table
from .guards_array import Builder, size_of, stacked

_SIGNED, _UNSIGNED = ((np.dtype(a), np.dtype(b)) for a, b in (("l", "q"), ("L", "Q")))


def gemm_entry(spec: GemmSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """(structure, constants but the function's address) for kernels of this request; None: no call can pass."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading[:2]):
        return None  # nothing to read, or leading dimensions that are keywords
    builder = Builder(release_above)
    matrices(builder, spec, len(spec.operands))
    return builder.entry([name for _, name in parameters(spec)], release, allocated(spec))


def allocated(spec: GemmSpec) -> Operand | None:
    """c, where a call may leave it out."""
    return spec.operands[2] if spec.beta == 0 else None


def matrices(builder: Builder, spec: GemmSpec, behind: int) -> None:
    """Guards of a, b and c, and of what says where the pairs of a batch are: arguments from position `behind` on."""
    guards: Callable[..., None] = {STRIDE: _strided, OFFSET: _offsets, ADDRESS: _addresses}.get(spec.batch, _fixed)  # type: ignore[arg-type]
    if spec.strides is RUNTIME:
        _apart(builder, spec)
        return
    guards(builder, spec, behind)


def _fixed(builder: Builder, spec: GemmSpec, behind: int) -> None:
    a, b, c = spec.operands
    depth = spec.batch if isinstance(spec.batch, int) else 0
    for position, (operand, count) in enumerate(((a, depth), (b, depth), (c, 0))):
        builder.array(position, operand, count)
    for operand in (a, b):
        builder.apart(c, operand, depth=depth)


def _apart(builder: Builder, spec: GemmSpec) -> None:
    """A fixed batch: whole arrays, whose first axis steps any number of elements."""
    a, b, c = spec.operands
    count = builder.amount(int(spec.batch))  # type: ignore[arg-type]
    for position, operand in enumerate((a, b)):
        stacked(builder, position, operand)
    builder.array(2, c)
    for operand in (a, b):
        array, stride = builder.arrays[operand.name], f"{operand.name}_stride"
        builder.add(Stack(array, stride, builder.extent(operand), count, True))
        builder.add(Steps(array, stride, builder.extent(operand), builder.extent(c), count))


def _first_and_c(builder: Builder, spec: GemmSpec) -> None:
    for position, (operand, depth) in enumerate(zip(spec.operands, (None, None, 0))):
        builder.array(position, operand, depth)


def _strided(builder: Builder, spec: GemmSpec, behind: int) -> None:
    a, b, c = spec.operands
    _first_and_c(builder, spec)
    builder.add(Int(behind, "count", 1, 1))
    for position, operand in enumerate((a, b), behind + 1):
        builder.add(Int(position, f"{operand.name}_stride", None, size_of(operand)))
    for operand in (a, b):
        extents = builder.extent(operand), builder.extent(c)
        builder.add(Steps(builder.arrays[operand.name], f"{operand.name}_stride", *extents))


def _offsets(builder: Builder, spec: GemmSpec, behind: int) -> None:
    a, b, c = spec.operands
    _first_and_c(builder, spec)
    for position, operand in enumerate((a, b), behind):
        _table(builder, position, f"{operand.name}_offsets", _SIGNED, operand is a)
    for operand in (a, b):
        extents = builder.extent(operand), builder.extent(c)
        builder.add(Offsets(builder.arrays[operand.name], f"{operand.name}_offsets", *extents))


def _addresses(builder: Builder, spec: GemmSpec, behind: int) -> None:
    a, b, c = spec.operands
    for position, operand in enumerate((a, b)):
        _table(builder, position, operand.name, _UNSIGNED, operand is a)
    builder.array(2, c)
    for operand in (a, b):
        builder.add(Addresses(operand.name, builder.extent(operand), builder.extent(c), size_of(operand)))


def _table(builder: Builder, position: int, to: str, dtypes: Sequence[np.dtype[Any]], counts: bool) -> None:
    usual, other = dtypes
    builder.add(Table(position, to, builder.constant(id(usual)), (usual.num, other.num), counts))
