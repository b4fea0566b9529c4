"""The entries of batch-reduce GEMMs: one kind of guards for each batch mode."""

from __future__ import annotations

import numpy as np

from ..microkernels.gemm_frame import parameters
from ..microkernels.gemm_spec import ADDRESS, OFFSET, STRIDE, GemmSpec
from ..microkernels.operands import RUNTIME
from .guards import Addresses, Entry, Int, Offsets, Steps, Table
from .guards_array import Builder, size_of

_SIGNED, UNSIGNED = ((np.dtype(a).num, np.dtype(b).num) for a, b in (("l", "q"), ("L", "Q")))


def gemm_entry(spec: GemmSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """(structure, constants but the function's address) for kernels of this request; None: no call can pass."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading[:2]):
        return None  # nothing to read, or leading dimensions that are keywords
    builder = Builder(release_above)
    {STRIDE: _strided, OFFSET: _offsets, ADDRESS: _addresses}.get(spec.batch, _fixed)(builder, spec)  # type: ignore[arg-type]
    made = spec.operands[2] if spec.beta == 0 and spec.batch not in (STRIDE, OFFSET) else None
    return builder.entry([name for _, name in parameters(spec)], release, made)


def _fixed(builder: Builder, spec: GemmSpec) -> None:
    a, b, c = spec.operands
    depth = spec.batch if isinstance(spec.batch, int) else 0
    for position, (operand, count) in enumerate(((a, depth), (b, depth), (c, 0))):
        builder.array(position, operand, count)
    for operand in (a, b):
        builder.apart(c, operand, depth=depth)


def _first_and_c(builder: Builder, spec: GemmSpec) -> None:
    for position, (operand, depth) in enumerate(zip(spec.operands, (None, None, 0))):
        builder.array(position, operand, depth)


def _strided(builder: Builder, spec: GemmSpec) -> None:
    a, b, c = spec.operands
    _first_and_c(builder, spec)
    builder.add(Int(3, "count", 1, 1))
    for position, operand in enumerate((a, b), 4):
        builder.add(Int(position, f"{operand.name}_stride", None, size_of(operand)))
    for operand in (a, b):
        extents = builder.extent(operand), builder.extent(c)
        builder.add(Steps(builder.arrays[operand.name], f"{operand.name}_stride", *extents))


def _offsets(builder: Builder, spec: GemmSpec) -> None:
    a, b, c = spec.operands
    _first_and_c(builder, spec)
    for position, operand in enumerate((a, b), 3):
        builder.add(Table(position, f"{operand.name}_offsets", _SIGNED, counts=operand is a))
    for operand in (a, b):
        extents = builder.extent(operand), builder.extent(c)
        builder.add(Offsets(builder.arrays[operand.name], f"{operand.name}_offsets", *extents))


def _addresses(builder: Builder, spec: GemmSpec) -> None:
    a, b, c = spec.operands
    for position, operand in enumerate((a, b)):
        builder.add(Table(position, operand.name, UNSIGNED, counts=operand is a))
    builder.array(2, c)
    for operand in (a, b):
        builder.add(Addresses(operand.name, builder.extent(operand), builder.extent(c), size_of(operand)))
