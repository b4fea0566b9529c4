"""Elementwise and fused kernels as parts of other ones: the scratch memory that they claim, and their code."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from ..contract.machine import Amount, Facts, General, Machine, Slot
from ..eltwise.emit import Finder, emit_walk
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.pipeline import emit_inside
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from .emit import emit_rows
from .plan import FusedPlan

_LINE = 64


class FoundRows(Protocol):
    """The rows that indices find, for kernels of several walks: microkernels/indexed/emit.py makes it."""

    @property
    def kept(self) -> Collection[General | Slot]:
        """What walks read while they run, wherever else values are set aside."""

    @property
    def tables(self) -> Mapping[str, str]:
        """Of each operand whose rows are found, the name under which the pointer to its table is parked."""

    def of(self, spec: EltwiseSpec) -> Collection[str]:
        """The operands of a walk whose rows are found."""

    def walk(self, spec: EltwiseSpec) -> tuple[dict[str, General], Finder | None]:
        """Pointers to those operands, and what sets them before each row; None where there are none."""

    def next(self, rows: int) -> None:
        """So many rows are done, in all of their walks."""


def room_of(code: EltwisePlan | MovedPlan | FusedPlan, facts: Facts) -> int:
    """Bytes that it may claim."""
    vector = facts.widths[0] // 8
    if isinstance(code, FusedPlan):
        slots = code.slots + len(code.stored) + 16 if code.slots or code.stored or code.passes else 0
        return len(code.scratch) * code.line * code.together + slots * vector + 2 * _LINE
    if isinstance(code, MovedPlan):
        return code.bytes_of_scratch(vector)
    return code.code.slots * vector + 2 * _LINE if code.code.slots else 0


def emit_elements(m: Machine, code: EltwisePlan | MovedPlan | FusedPlan, pointers: dict[str, General],
                  values: dict[str, General], finder: Finder | None = None, started: bool = False,
                  rows: Amount | None = None) -> None:  # fmt: skip
    """Append the code: pointers to its operands by name, and the other arguments of a call. finder: points at rows that
    do not follow each other. started: as in `emit_rows`. rows: as in `emit_walk`."""
    if isinstance(code, FusedPlan):
        emit_rows(m, code, pointers, values, finder, started)
    elif isinstance(code, EltwisePlan) and finder is not None:
        emit_walk(m, code, pointers, values, finder, rows)
    else:
        emit_inside(m, code, pointers, values)
