"""The plan of a traced function with rows by an index: the plan of its request, one row at a time, and scratch memory.

A kernel that checks its indices reads a row of zeros in scratch memory if an index is out of bounds, and writes results
out of bounds to another row there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...encoder.records import dataclass
from ..chain.plan import ChainPlan, chosen
from ..chain.spec import ChainSpec
from ..choice import Plan, Refusal, Way, choose, tried
from ..codegen.scratch import SCRATCH_BYTES, lined
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise import plan as elementwise
from ..eltwise.plan import EltwisePlan
from ..errors import UnsupportedError
from ..fused.inside import level_bytes_of, scratch_bytes_of
from ..fused.plan import FusedPlan
from ..fused.spec import FusedSpec
from ..operands import Operand
from ..sweeps import phases
from ..sweeps import plan as sweeps
from ..sweeps.plan import SweepPlan
from .spec import IndexedSpec

Code = EltwisePlan | FusedPlan | SweepPlan | ChainPlan


@dataclass(frozen=True)
class IndexedPlan(Plan):
    """The code of the rows.

    zeros, dump   bytes of the rows that replace rows out of bounds, for reads and for writes; they lie behind the
                  `bytes_of_scratch` of the code
    ahead, far    the number of rows by which the rows of the tables in `far` are prefetched
    """

    spec: IndexedSpec
    code: Code
    zeros: int
    dump: int
    bytes_of_scratch: int
    ahead: int
    far: tuple[str, ...]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return self.code.registers

    @property
    def cycles(self) -> float:
        """Estimated cycles per call. An index takes about four instructions."""
        return self.code.cycles + self.spec.m * len(self.spec.found)

    def __str__(self) -> str:
        rows = [
            f"  rows of {each.table} by {each.by}: {self._bytes(each.table)} bytes each, found before each row"
            for each in self.spec.found
        ]
        outside = f"  rows outside: {self.zeros + self.dump} bytes of scratch memory" if self.spec.bad else ""
        prefetch = f"  prefetches: rows of {', '.join(self.far)}, {self.ahead} rows ahead"
        more = [*([outside] if outside else []), *([prefetch] if self.far else [])]
        lines = [str(self.spec), *rows, *more, *str(self.code).splitlines()[1:]]
        return "\n".join(lines)

    def _bytes(self, table: str) -> int:
        return row_bytes(self.spec.operand(table))


def row_bytes(operand: Operand, most: int | None = None) -> int:
    """Return the bytes of a row of a table, or of at most `most` of its columns."""
    columns = operand.columns if most is None else min(operand.columns, most)
    return columns * ELEMENT_BYTES[operand.dtype]


def candidates(spec: IndexedSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    """Yield one row at a time; or parts of rows in bands of columns, if that takes too much scratch memory."""
    request = spec.request
    if isinstance(request, FusedSpec) and request.swept:
        whole = tried("one row at a time", lambda: around(spec, sweeps.planned(request, facts), facts))
        if isinstance(whole, Refusal):
            for each in phases.in_bands(request, facts):
                yield Way(each.name, partial(_in_bands, spec, each, facts)) if isinstance(each, Way) else each
        yield whole
    else:
        yield Way("one row at a time", partial(_by_rows, spec, facts))


def _by_rows(spec: IndexedSpec, facts: Facts) -> IndexedPlan:
    request = spec.request
    if isinstance(request, ChainSpec):
        code: Plan = chosen(request, facts)
    elif isinstance(request, FusedSpec):
        code = choose(sweeps.candidates(request, facts))
    else:
        code = choose(elementwise.candidates(request, facts))
    assert isinstance(code, Code), "rows of order C are walked"
    return around(spec, code, facts)


def _in_bands(spec: IndexedSpec, way: Way, facts: Facts) -> IndexedPlan:
    code = way.plan()
    assert isinstance(code, SweepPlan)
    return around(spec, code, facts)


def around(spec: IndexedSpec, code: Code, facts: Facts) -> IndexedPlan:
    """Return the plan with this code of the rows."""
    checks, bands = bool(spec.bad), code.loops if isinstance(code, SweepPlan) else ()
    widest = max((band.columns for band in bands), default=None)
    zeros, dump = (
        max((lined(row_bytes(spec.operand(each.table), widest)) for each in found), default=0) * checks
        for found in (spec.gathered, spec.scattered)
    )
    tuning = facts.tuning.gather
    tables = [spec.operand(name) for name in dict.fromkeys(each.table for each in spec.gathered)]
    far = tuple(each.name for each in tables if each.rows * row_bytes(each) > tuning.near_table_bytes)
    far = far if spec.m > tuning.ahead and not bands else ()
    own = scratch_bytes_of(code, facts)
    if zeros + dump + own > SCRATCH_BYTES + level_bytes_of([code]):
        raise UnsupportedError(
            f'bounds="kernel": rows for indices out of bounds need {zeros + dump} '
            f"bytes of scratch memory in addition to {own}, and there are {SCRATCH_BYTES}; "
            'bounds="call" needs none'
        )
    return IndexedPlan(spec, code, zeros, dump, own, tuning.ahead, far)
