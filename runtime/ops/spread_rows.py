"""Kernels of any number of rows on all cores: one part per worker, whose rows are computed at each call.

Parts begin at whole blocks of the kernel, so that a row is computed by the same code whatever the number of workers.
The last part has the rows behind the last whole block, and also that block if the code of these rows depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.eltwise.spec import ORIGIN, EltwiseSpec
from ...microkernels.operands import Operand
from ...microkernels.rowwise.counted_plan import CountedPlan
from ...microkernels.rowwise.plan import RowwisePlan
from ...microkernels.rowwise.reductions_plan import ReductionsPlan
from ...microkernels.rowwise.spec import RowwiseSpec, parameters_of
from ..kernel.callable import Kernel, kept
from ..loops.code import Address, Call, Header, Share, When, affine, index
from ..loops.job import Job


class RowsParts:
    """The cut of the rows: into as many parts as there are workers, since no row depends on another one."""

    def __init__(self, kernel: Kernel, spec: RowwiseSpec) -> None:
        self.spec, self.target = spec, kernel.target
        request, plan, each = spec.request, kernel.plan, spec
        if isinstance(request, EltwiseSpec) and request.placed:  # a part has to know where it begins
            each = RowwiseSpec(replace(request, moved=True))
        assert isinstance(plan, (RowwisePlan, CountedPlan, ReductionsPlan))
        self.kernel = kept(each, kernel.target)
        self.block = plan.rows_of_parts if isinstance(plan, RowwisePlan) else plan.rows
        self.whole = isinstance(plan, ReductionsPlan) or (isinstance(plan, RowwisePlan) and plan.in_bands)
        rows = f", beginning at a multiple of {self.block}" if self.block > 1 else ""
        self.own = f"its own rows{rows}"
        self.names = [name for _, name in parameters_of(each)]
        self._jobs: dict[int, Job] = {}

    def run(self, integers: Sequence[int], workers: int) -> None:
        """Compute with the arguments of the kernel."""
        self.job(workers).run(self.operands(integers, workers), workers)

    def job(self, parts: int) -> Job:
        """Return the job of this many parts. Each part has as many operands of its own as the kernel has parameters."""
        made = self._jobs.get(parts)
        if made is None:
            count = len(self.names)
            body = tuple(
                When(index("part") - part, "==",
                     (Call(self.kernel, tuple(Address(count * part + number) for number in range(count))),))
                for part in range(parts)
            )  # fmt: skip
            share = Share((Header("part", affine(0), (affine(parts),), 1, parts),), body)
            made = self._jobs[parts] = Job((share,), self.target, f"spread_{self.spec.stem}")
        return made

    def operands(self, integers: Sequence[int], parts: int) -> list[int]:
        """Return the job's operand table for the arguments of the kernel."""
        given = dict.fromkeys(ORIGIN, 0) | dict(zip((name for _, name in parameters_of(self.spec)), integers))
        rows, pitches = given[self.spec.extent], self._pitches(given)
        blocks = rows // self.block if self.whole else -(-rows // self.block)
        table: list[int] = []
        for part in range(parts):
            first, last = (min(rows, blocks * at // parts * self.block) for at in (part, part + 1))
            last = last if part < parts - 1 else rows
            own = {self.spec.extent: last - first, ORIGIN[0]: given[ORIGIN[0]] + first}
            own |= {name: given[name] + first * pitch for name, pitch in pitches.items()}
            table += [own.get(name, given[name]) for name in self.names]
        return table

    def _pitches(self, given: dict[str, int]) -> dict[str, int]:
        """Return the bytes between rows of each matrix whose rows the call counts, keyed by name."""
        return {each.name: _leading(each, given) * ELEMENT_BYTES[each.dtype] for each in self.spec.operands
                if each.name in self.spec.banded}  # fmt: skip


def _leading(operand: Operand, given: dict[str, Any]) -> int:
    if operand.vector:
        return 1
    leading = operand.view.leading
    return leading if isinstance(leading, int) else int(given[f"ld{operand.name}"])
