"""The plan of a traced function in sweeps: the plan of each walk, and the places of the rows between two walks.

Each walk is planned as a kernel of its own: an elementwise or fused one, or one with products and transposes. Rows
between walks lie in scratch memory, or in results of the function. Each walk may use all registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..chain import plan as chain
from ..chain.plan import ChainPlan
from ..chain.spec import ChainSpec
from ..choice import Plan, Refusal, Rejected, Way, choose, tried
from ..codegen.lowered import Lowered
from ..codegen.scratch import SCRATCH_BYTES, Buffers, lined
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise import plan as elementwise
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.graph import expressions
from ..fused import plan as fused
from ..fused.inside import level_bytes_of, scratch_bytes_of
from ..fused.plan import FusedPlan
from ..fused.spec import FusedSpec
from ..fused.sweeps import StoredValue, Sweep
from ..operands import Operand
from . import columns_plan
from .columns_plan import ColumnsPlan

WAY = "rows between walks in scratch memory"

Code = EltwisePlan | FusedPlan | MovedPlan | ColumnsPlan | ChainPlan


class PlannedSweep(NamedTuple):
    """A walk and its plan."""

    sweep: Sweep
    code: Code


@dataclass(frozen=True)
class SweepPlan(Plan):
    """The walks one after the other. `offsets` are the places of rows in scratch memory, by name."""

    spec: FusedSpec | ChainSpec
    parts: tuple[PlannedSweep, ...]
    offsets: tuple[tuple[str, int], ...]
    bytes_of_rows: int
    scratch_bytes: int  # bytes of scratch memory for the walks

    @cached_property
    def places(self) -> dict[str, str]:
        """The names of the results that hold rows between walks, keyed by the rows' names."""
        return places_of([part.sweep for part in self.parts], self.spec.outputs)

    @property
    def codes(self) -> list[Lowered]:
        """The straight-line code of all walks."""
        return [each for part in self.parts if not isinstance(part.code, ChainPlan) for each in part.code.codes]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(part.code.registers for part in self.parts)

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        return float(sum(part.code.cycles for part in self.parts))

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory: the rows between walks, and the walks' own."""
        return self.bytes_of_rows + self.scratch_bytes

    @property
    def bytes_of_operands(self) -> int:
        """Bytes of matrices that all walks read and write."""
        return sum(_bytes(each) for part in self.parts for each in part.code.spec.operands)

    def __str__(self) -> str:
        if len(self.parts) == 1:
            return str(self.parts[0].code)
        scratch = f"rows between them in {self.bytes_of_rows} bytes of scratch memory"
        lines = [
            str(self.spec),
            f"{len(self.parts)} walks, {self.bytes_of_operands} bytes of operands walked in all; {scratch}"
            f"{self.spec.schedule.summary}",
        ]
        for number, part in enumerate(self.parts):
            lines += [f"walk {number}, {self._text(part)}", *(f"  {line}" for line in str(part.code).splitlines()[1:])]
        return "\n".join([*lines, f"{self.cycles:.0f} cycles"])

    def _text(self, part: PlannedSweep) -> str:
        spec = part.code.spec
        rows = f"{spec.m} rows" if spec.m > 1 else "one row"
        return f"{rows}: {text_of(part.sweep, spec, self.spec.outputs)}; {sum(map(_bytes, spec.operands))} bytes"


def text_of(sweep: Sweep, spec: EltwiseSpec | ChainSpec, outputs: Sequence[Operand]) -> str:
    """Return a text with the results and inputs of a walk."""
    made = []
    for expr, place in sweep.made:
        name = outputs[place.result].name if place.result is not None else ""
        where = f"{name} ({place.name})" if name and place.name else name or place.name
        made.append(f"{where} = {expr.value} down the columns" if expr.op == "down" else where)
    return f"{', '.join(made)}; reads {', '.join(x.name for x in spec.inputs)}"


def _bytes(operand: Operand) -> int:
    return operand.rows * operand.columns * ELEMENT_BYTES[operand.dtype]


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    """Yield one walk if one suffices, else a walk for each reduction down the columns that is used again."""
    if not spec.swept:
        yield from fused.candidates(spec, facts)
        return
    yield Way(WAY, partial(planned, spec, facts))


def of_one_walk(code: FusedPlan, facts: Facts) -> SweepPlan:
    """Return the plan of a kernel of one walk, with no rows between walks."""
    made = tuple((expr, StoredValue("", number)) for number, expr in enumerate(expressions(code.spec.program)))
    return SweepPlan(code.spec, (PlannedSweep(Sweep(True, True, made), code),), (), 0, scratch_bytes_of(code, facts))


def planned(spec: FusedSpec | ChainSpec, facts: Facts) -> SweepPlan:
    """Return the walks of a request."""
    return sweep_plan_of(spec, spec.sweeps, spec.requests_of_sweeps, facts)


def sweep_plan_of(
    spec: FusedSpec | ChainSpec, sweeps: Sequence[Sweep], walks: Sequence[EltwiseSpec | ChainSpec], facts: Facts
) -> SweepPlan:
    """Return the plan of these walks, one after the other."""
    regular = not spec.by_index
    parts = tuple(PlannedSweep(sweep, _code(sweep, walk, facts, regular)) for sweep, walk in zip(sweeps, walks))
    offsets, end = offsets_of(sweeps, walks)
    scratch_bytes = max(_scratch_of(part.code, facts) for part in parts)
    if end + scratch_bytes > SCRATCH_BYTES + level_bytes_of(part.code for part in parts):
        raise UnsupportedError(
            f"{end} bytes of values between walks and {scratch_bytes} bytes for one walk exceed "
            f"scratch memory, which has {SCRATCH_BYTES}; compute the largest of these values with a kernel of its own"
        )
    rejected = Rejected(
        each._replace(way=f"walk {number}: {each.way}")
        for number, part in enumerate(parts)
        for each in part.code.rejected
    )
    return SweepPlan(spec, parts, tuple(offsets.items()), end, scratch_bytes, rejected=rejected)


def _code(sweep: Sweep, walk: EltwiseSpec | ChainSpec, facts: Facts, regular: bool) -> Code:
    """Return the plan of a walk in strips of columns, or else along whole rows."""
    if isinstance(walk, ChainSpec):
        bands = chain.chosen(walk, facts)
        assert isinstance(bands, ChainPlan)
        return bands
    in_strips = partial(columns_plan.candidates, sweep, walk, facts, regular)
    found: Plan | Refusal = tried("strips of columns", lambda: choose(in_strips()))
    if isinstance(found, Refusal):
        rows = fused.candidates(walk, facts) if isinstance(walk, FusedSpec) else elementwise.candidates(walk, facts)
        found = choose([found, *rows])
    assert isinstance(found, Code)
    return found


def _scratch_of(code: Code, facts: Facts) -> int:
    return code.bytes_with_levels if isinstance(code, ChainPlan) else scratch_bytes_of(code, facts)


def places_of(sweeps: Sequence[Sweep], outputs: Sequence[Operand]) -> dict[str, str]:
    """Return the names of the results that hold rows between walks, keyed by the rows' names."""
    return {
        place.name: outputs[place.result].name
        for sweep in sweeps
        for _, place in sweep.made
        if place.name and place.result is not None
    }


def offsets_of(sweeps: Sequence[Sweep], walks: Sequence[EltwiseSpec | ChainSpec]) -> tuple[dict[str, int], int]:
    """Return the offsets of rows in scratch memory, and their end. A place is free after the last walk that reads
    it."""
    last = {x.name: number for number, walk in enumerate(walks) for x in walk.inputs}
    buffers, found = Buffers(), {}
    for number, (sweep, walk) in enumerate(zip(sweeps, walks)):
        for (_, place), y in zip(sweep.made, walk.outputs):
            if place.result is None:
                found[place.name] = buffers.claim(place.name, lined(_bytes(y)))
        for name in [name for name in buffers.held if last[name] == number]:
            del buffers.held[name]
    return found, buffers.end
