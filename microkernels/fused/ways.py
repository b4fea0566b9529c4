"""The ways to walk the rows of a fused kernel, in the order in which they are tried, and what speaks against each."""

from __future__ import annotations

from collections.abc import Iterator

from ...encoder.records import NamedTuple
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import FLOATS
from ..operands import RUNTIME
from ..tuning.fused import FusedTuning
from .parts import Banks
from .spec import FusedSpec


class RowSchedule(NamedTuple):
    """One way to walk the rows.

    interleave  rows in turn, so that one row hides the latency of the other
    unroll      accumulators of a reduction, or fewer if registers do not suffice
    least       the fewest accumulators
    banks       whether rows that several passes read stay in vector registers
    split       whether each reduction has a pass of its own, before the one that stores, so that nothing is read after
                it was overwritten
    spills      0, 1: values wait in scratch memory, or 2: those of rows too
    """

    interleave: int
    unroll: int
    least: int
    banks: bool = False
    split: bool = False
    spills: int = 0

    def __str__(self) -> str:
        vectors = str(self.unroll) if self.unroll == self.least else f"{self.unroll} to {self.least}"
        parts = [f"{self.interleave} rows in turn", f"{vectors} vectors at a time"]
        parts += ["rows in registers"] if self.banks else []
        parts += ["a pass for each reduction"] if self.split else []
        parts += ["values wait in scratch memory"] if self.spills else []
        parts += ["those of rows too"] if self.spills > 1 else []
        return ", ".join(parts)


def ways(tuning: FusedTuning) -> Iterator[RowSchedule]:
    """Yield the ways, best first; each needs fewer registers than the one before."""
    most = tuning.accumulators
    for banks in (True, False):
        for interleave in (2, 1):
            yield RowSchedule(interleave, most, most, banks)
        for interleave in (2, 1):
            yield RowSchedule(interleave, most, 2, banks)
    yield RowSchedule(1, 1, 1)
    yield from (RowSchedule(1, 1, 1, split=True, spills=spills) for spills in range(3))


def reason_against(way: RowSchedule, spec: FusedSpec, facts: Facts) -> str | None:
    """Return why the rows cannot be walked in this way, or None if nothing is known against it."""
    if way.banks and (reason := _not_in_registers(way.interleave, spec, facts)):
        return reason
    return _one_by_one(spec, facts.tuning.fused) if way.interleave > 1 else None


def vector_of(spec: FusedSpec, facts: Facts) -> int:
    """Return the number of elements of a whole vector."""
    size = max(ELEMENT_BYTES[dtype] for dtype in (spec.compute, *(each.dtype for each in spec.operands)))
    return facts.widths[0] // 8 // size


def _not_in_registers(interleave: int, spec: FusedSpec, facts: Facts) -> str | None:
    """Return the reason why rows do not stay in registers from one pass to the next, or None if they may."""
    vectors, registers = -(-spec.n // vector_of(spec, facts)), facts.vector_registers
    if interleave * vectors >= registers:
        return f"{interleave} rows of {vectors} vectors exceed the {registers} registers"
    if interleave == 1 and vectors < facts.tuning.fused.lone_vectors:
        return f"a row has {vectors} vectors: two rows in turn from L1 are faster"
    if spec.bits:
        return "masks are read and written as bits, bytes at a time"
    if not (banks := banks_of(spec, vectors)).places:
        return "no two passes read the same matrix"
    if (needed := interleave * banks.registers) >= registers:
        return f"{interleave} rows of {len(set(banks.places.values()))} matrices take {needed} of {registers} registers"
    return None


def banks_of(spec: FusedSpec, vectors: int) -> Banks:
    """Return the banks of registers of a request whose rows have this many vectors."""
    matrices = [x.name for x in spec.inputs if (x.rows, x.columns) == (spec.m, spec.n) and x.dtype in FLOATS]
    return Banks(spec.passes.passes, matrices, vectors)


def _one_by_one(spec: FusedSpec, tuning: FusedTuning) -> str | None:
    """Return the reason why two rows cannot alternate, or None if they can."""
    if spec.m == 1:
        return "there is one row"
    if any(each.view.leading is RUNTIME for each in spec.operands):
        return "the row stride is given at the call"
    size = sum(each.columns * ELEMENT_BYTES[each.dtype] for each in spec.operands)
    if size > tuning.l1_bytes:
        return f"a row has {size} bytes of all operands, and two such rows do not fit into the first-level cache"
    of_matrices = sum(each.columns * ELEMENT_BYTES[each.dtype] for each in spec.operands if each.rows == spec.m)
    if spec.m * of_matrices >= tuning.far_bytes and of_matrices > tuning.far_row_bytes:
        return (
            f"rows of {of_matrices} bytes come from memory, and one row at a time leaves the prefetchers fewer streams"
        )
    return None


def in_banks(spec: FusedSpec) -> FusedSpec:
    """Return the request for rows in registers. There an element costs nothing to keep, so it keeps more elements if
    they need no more banks."""
    fewer, more = (banks_of(each, 1).registers for each in (spec, spec.eager_form))
    return spec.eager_form if more <= fewer else spec
