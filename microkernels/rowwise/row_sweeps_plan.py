"""The plan of a fused kernel for any number of rows that uses reductions down the columns again, in several walks.

A walk over all rows consists of blocks of rows, as in a kernel of one walk, or of strips of columns, which hold their
sums in registers while all rows pass. One walk hands single rows on to the next, in scratch memory or in the place of a
result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, Rejected, Way, choose, tried
from ..codegen.scratch import SCRATCH_BYTES
from ..contract.machine import Facts
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..fused.inside import level_bytes_of, scratch_bytes_of
from ..fused.plan import FusedPlan
from ..fused.spec import FusedSpec
from ..fused.sweeps import Sweep
from ..sweeps import columns_plan
from ..sweeps.columns_plan import ColumnsPlan
from ..sweeps.plan import offsets_of, places_of, text_of
from . import plan as blocks
from .plan import RowwisePlan
from .spec import Request

Code = RowwisePlan | ColumnsPlan | EltwisePlan | FusedPlan


class PlannedRowSweep(NamedTuple):
    """A walk and its plan: a RowwisePlan or a ColumnsPlan if it goes over all rows, another if it goes over one row."""

    sweep: Sweep
    code: Code

    @property
    def spec(self) -> EltwiseSpec:
        """The request of the walk, of any number of rows if it goes over all of them."""
        code = self.code
        made = code.spec
        assert isinstance(made, EltwiseSpec)
        return made


@dataclass(frozen=True)
class RowSweepsPlan(Plan):
    """The walks in order. `offsets` gives the place of each named row in scratch memory."""

    spec: Request
    parts: tuple[PlannedRowSweep, ...]
    offsets: tuple[tuple[str, int], ...]
    bytes_of_rows: int
    scratch_bytes: int  # bytes of scratch memory for the walks themselves

    @cached_property
    def places(self) -> dict[str, str]:
        """The result in whose place a row between walks is kept, keyed by the row's name."""
        return places_of([part.sweep for part in self.parts], [each for each in self.spec.operands if each.output])

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(part.code.registers for part in self.parts)

    @property
    def cycles(self) -> float:
        """Estimated cycles per row of a call with many rows."""
        whole = (part.code for part in self.parts if part.sweep.whole)
        return float(sum(code.cycles if isinstance(code, RowwisePlan) else code.cycles / code.rows for code in whole))

    def __str__(self) -> str:
        lines = [
            str(self.spec),
            f"{len(self.parts)} walks; rows between them in {self.bytes_of_rows} bytes of scratch "
            f"memory; {self.cycles:.1f} cycles a row",
        ]
        outputs = [each for each in self.spec.operands if each.output]
        for number, part in enumerate(self.parts):
            rows = "all rows" if part.sweep.whole else "one row"
            lines += [
                f"walk {number}, {rows}: {text_of(part.sweep, part.spec, outputs)}",
                *(f"  {line}" for line in str(part.code).splitlines()[1:]),
            ]
        return "\n".join(lines)


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the only way."""
    yield Way("walks over all rows", partial(_planned, spec, facts))


def _planned(spec: FusedSpec, facts: Facts) -> RowSweepsPlan:
    sweeps, walks = spec.cut_by(spec.extent)
    parts = tuple(PlannedRowSweep(sweep, _code(sweep, walk, facts)) for sweep, walk in zip(sweeps, walks))
    offsets, end = offsets_of(sweeps, walks)
    scratch_bytes = max(scratch_bytes_of(part.code, facts) for part in parts)
    if end + scratch_bytes > SCRATCH_BYTES + max(level_bytes_of(_codes(part.code)) for part in parts):
        raise UnsupportedError(
            f"rows given at the call (ts.RUNTIME): {end} bytes of rows between walks beside {scratch_bytes} "
            f"bytes for one, scratch memory has {SCRATCH_BYTES}; fewer columns, or a number of rows, "
            "work"
        )
    rejected = Rejected(
        each._replace(way=f"walk {number}: {each.way}")
        for number, part in enumerate(parts)
        for each in part.code.rejected
    )
    return RowSweepsPlan(spec, parts, tuple(offsets.items()), end, scratch_bytes, rejected=rejected)


def _code(sweep: Sweep, walk: EltwiseSpec, facts: Facts) -> Code:
    """Plan a walk: in strips of columns or, if these are refused, in blocks of rows. A walk over one row has the plan
    of a fixed number of rows."""
    if not sweep.whole:
        made = blocks.code_of(walk, facts)
        assert isinstance(made, Code)
        return made
    in_strips = partial(columns_plan.candidates, sweep, walk.likely, facts, regular=False, dynamic=True)
    found: Plan | Refusal = tried("strips of columns", lambda: choose(in_strips()))
    if isinstance(found, Refusal):
        found = choose([found, *blocks.candidates(walk, facts)])
    assert isinstance(found, Code)
    return found


def _codes(code: Code) -> list[object]:
    """Return the plans of some rows."""
    return [block.code for block in code.blocks] if isinstance(code, RowwisePlan) else [code]
