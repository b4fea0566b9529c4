"""The plan of a traced function in sweeps: the plan of each walk, the places of the rows between two walks, and loops.

Each walk is planned as a kernel of its own: an elementwise or fused one, or one with products and transposes. Rows
between walks lie in scratch memory, or in results of the function. Each walk may use all registers.

Loops repeat walks for parts of the matrices one after the other: for bands of columns (bands.py, phases.py), or for
groups of rows and samples (microkernels/grouped).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

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
BLOCK = 256
"""The number of elements of a column that all walks process before the next block, if the call gives its length. It is
a power of two because the remainder is computed as a modulo."""

Code = EltwisePlan | FusedPlan | MovedPlan | ColumnsPlan | ChainPlan


class PlannedSweep(NamedTuple):
    """A walk and its plan: a `Code` or, over rows whose number each call gives, a plan of any number of rows
    (rowwise/)."""

    sweep: Sweep | None  # None if there is no other walk
    code: Any

    @property
    def some(self) -> Any:
        """The plan of a fixed number of rows: of the whole walk, or of its widest block."""
        return self.code if isinstance(self.code, Code) else self.code.blocks[0].code

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows that strips of columns compute in registers."""
        code = self.code
        return tuple(code.spec.outputs[n].name for n, _ in code.reduced) if isinstance(code, ColumnsPlan) else ()


class Total(NamedTuple):
    """A reduction along rows, kept in scratch memory between phases of bands of columns."""

    name: str
    reduction: str
    rows: int
    phase: int

    def bytes(self, dtype: str) -> int:
        """Return its bytes of scratch memory, rounded up to whole cache lines."""
        return lined(self.rows * ELEMENT_BYTES[dtype])


class PointerStep(NamedTuple):
    """How far a pointer or a number in the frame moves: `amount` times the value `by`, if that is set."""

    name: str
    amount: int
    by: str = ""


class WalkLoop(NamedTuple):
    """A plan that is repeated for parts of the matrices: for bands of columns, or groups of rows.

    counter        the name of the counter
    times          a number, or the extent that each call gives
    body           the plan of a part
    each           what a part is, for texts
    rows, columns  where the next part of the results begins, from the beginning of a part
    steps, after   how far pointers and numbers move after each part, and at the end
    starts         the totals that begin with the value of no columns
    unrolled       whether each part has code of its own
    """

    counter: str
    times: int
    body: SweepPlan
    each: str
    rows: int = 0
    columns: int = 0
    steps: tuple[PointerStep, ...] = ()
    after: tuple[PointerStep, ...] = ()
    starts: tuple[Total, ...] = ()
    unrolled: bool = False


class StripMining(NamedTuple):
    """How walks over columns of a length that the call gives take turns: block by block, or strip by strip
    (rowwise/dynamic_strips_plan.py)."""

    masked: bool  # whether the last vector is masked with a count from the call
    interleaved: tuple[int, ...]  # walks whose rows stay in registers for the next walk over the same strip
    shares: tuple[int, ...]  # the shares of a vector whose elements are moved without a mask
    alone: Any  # the code of a call without rows, or None if all results have them


@dataclass(frozen=True)
class SweepPlan(Plan):
    """The walks one after the other, then the loops.

    offsets  the places of rows in scratch memory, by name
    totals   reductions between phases; they lie behind all other scratch memory
    shared   further inputs that lie in the memory of a result, with its name
    """

    spec: Any  # of one group or all, of a number of rows or one that each call gives
    parts: tuple[PlannedSweep, ...]
    offsets: tuple[tuple[str, int], ...]
    bytes_of_rows: int
    scratch_bytes: int  # bytes of scratch memory for the walks
    strips: StripMining | None = None  # if the length of contiguous columns is given at the call
    loops: tuple[WalkLoop, ...] = ()
    totals: tuple[Total, ...] = ()
    shared: tuple[tuple[str, str], ...] = ()

    @cached_property
    def places(self) -> dict[str, str]:
        """The names of the results in whose memory rows between walks and other inputs lie, keyed by their names."""
        found = places_of([part.sweep for part in self.parts if part.sweep is not None], self.spec.outputs)
        return found | dict(self.shared)

    @cached_property
    def groups(self) -> tuple[tuple[PlannedSweep, ...], ...]:
        """The walks, and pairs of walks whose strips take turns."""
        turns = () if self.strips is None else self.strips.interleaved
        firsts = [number for number in range(len(self.parts)) if number - 1 not in turns]
        return tuple(self.parts[number : number + 1 + (number in turns)] for number in firsts)

    @property
    def codes(self) -> list[Lowered]:
        """The straight-line code of all walks."""
        return [each for part in self.parts if not isinstance(part.code, ChainPlan) for each in part.code.codes]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        alone = self.strips.alone if self.strips is not None else None
        inside: list[int] = [alone.code.registers] if alone is not None else []
        return max([*inside, *(loop.body.registers for loop in self.loops), *map(vectors_of, self.groups)])

    @property
    def cycles(self) -> float:
        """Estimated cycles per call, or per row of a call with many rows if it gives their number."""
        if self.loops:
            of_parts = sum(part.code.cycles for part in self.parts)
            return float(of_parts + sum(loop.times * loop.body.cycles for loop in self.loops))
        if not self.spec.dynamic:
            return float(sum(part.code.cycles for part in self.parts))
        return sum(self._cycles_per_row(part) for part in self.parts)

    def _cycles_per_row(self, part: PlannedSweep) -> float:
        if part.code is not part.some:
            return float(part.code.cycles)
        spec, whole = part.code.spec, part.sweep is None or part.sweep.whole
        return float(part.code.cycles / spec.n if self.strips is not None else part.code.cycles / spec.m * whole)

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory: the rows between walks, the walks' own, and columns between phases."""
        return self.bytes_of_rows + self.scratch_bytes + sum(each.bytes(self.spec.compute) for each in self.totals)

    @property
    def bytes_of_operands(self) -> int:
        """Bytes of matrices that all walks read and write."""
        return sum(_bytes(each) for part in self.parts for each in part.code.spec.operands)

    def texts(self, around: str = "") -> list[str]:
        """Return a text for each plan inside the loops, with the loops that are around it."""
        own = [f"{around}: {replace(self, loops=())}"] if self.parts else []
        more = around and f"{around}, "
        return own + [text for loop in self.loops for text in loop.body.texts(f"{more}{loop.times} x {loop.each}")]

    def __str__(self) -> str:
        if self.loops:
            return "\n".join([str(self.spec), self.way, *self.texts(), f"{self.cycles:.0f} cycles in all"])
        dynamic, strips = self.spec.dynamic, self.strips
        if len(self.parts) == 1 and strips is None and not dynamic:
            return str(self.parts[0].code)
        walks = f"{len(self.parts)} walks"
        walks += f" over {BLOCK} rows while they last, then over the rest" if strips is not None else ""
        walks += "" if dynamic else f", {self.bytes_of_operands} bytes of operands walked in all"
        walks += f"; rows between them in {self.bytes_of_rows} bytes of scratch memory{self.spec.schedule.summary}"
        if strips is not None and len(self.parts) == 1:
            walks = "one walk over all rows"
        lines = [str(self.spec), walks]
        for number, part in enumerate(self.parts):
            turn = f", takes turns with walk {number + 1} after each strip"
            what = self._text(part) + turn * (strips is not None and number in strips.interleaved)
            lines += [f"walk {number}, {what}", *(f"  {line}" for line in str(part.code).splitlines()[1:])]
        lines += [f"{self.cycles:.1f} cycles a row" if dynamic else f"{self.cycles:.0f} cycles"]
        return "\n".join([*lines, *([str(strips.alone)] if strips is not None and strips.alone is not None else [])])

    def _text(self, part: PlannedSweep) -> str:
        spec = part.some.spec
        if part.sweep is None:
            return "all"
        if self.strips is not None:
            return text_of(part.sweep, spec, self.spec.outputs)
        rows = "one row" if spec.m == 1 else "all rows" if self.spec.dynamic else f"{spec.m} rows"
        size = "" if self.spec.dynamic else f"; {sum(map(_bytes, spec.operands))} bytes"
        return f"{rows}: {text_of(part.sweep, spec, self.spec.outputs)}{size}"


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


def of_loops(spec: Any, loops: Sequence[WalkLoop], totals: tuple[Total, ...] = ()) -> SweepPlan:
    """Return the plan of these loops alone, whose bodies use the same scratch memory."""
    scratch_bytes = max(each.body.bytes_of_scratch for each in loops)
    return SweepPlan(spec, (), (), 0, scratch_bytes, loops=tuple(loops), totals=totals)


def and_back(loops: Sequence[WalkLoop]) -> list[WalkLoop]:
    """Return loops after which pointers and numbers are where they began."""
    moved = dict[str, int]()
    for loop in loops:
        for times, steps in ((loop.times, loop.steps), (1, loop.after)):
            moved |= {each.name: moved.get(each.name, 0) + times * each.amount for each in steps}
    back = tuple(PointerStep(name, -amount) for name, amount in moved.items() if amount)
    return [*loops[:-1], loops[-1]._replace(after=loops[-1].after + back)]


def planned(spec: FusedSpec | ChainSpec, facts: Facts) -> SweepPlan:
    """Return the walks of a request."""
    return sweep_plan_of(spec, spec.sweeps, spec.requests_of_sweeps, facts)


def sweep_plan_of(
    spec: FusedSpec | ChainSpec,
    sweeps: Sequence[Sweep],
    walks: Sequence[EltwiseSpec | ChainSpec],
    facts: Facts,
    code_of: Callable[[Sweep, Any, Facts], Plan] | None = None,
) -> SweepPlan:
    """Return the plan of these walks, one after the other. code_of: plans a walk, if not of a number of rows."""
    planned = code_of or partial(_code, regular=not spec.by_index)
    parts = tuple(PlannedSweep(sweep, planned(sweep, walk, facts)) for sweep, walk in zip(sweeps, walks))
    offsets, end = offsets_of(sweeps, walks)
    scratch_bytes = fitting(end, parts, facts)
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


def vectors_of(parts: Sequence[PlannedSweep]) -> int:
    """Return the number of vector registers of one walk, or of two whose strips take turns."""
    shared: int = sum(len(part.rows) * part.code.interleave for part in parts[:-1])
    return sum(int(part.code.registers) for part in parts) - shared


def fitting(end: int, parts: Sequence[PlannedSweep], facts: Facts, least: int = 0) -> int:
    """Return the bytes of scratch memory, at least `least`, that the walk which needs the most has beside `end` bytes
    of rows. Raises UnsupportedError if they do not fit."""
    scratch_bytes = max(least, *(_scratch_of(part.code, facts) for part in parts))
    codes = [part.code for part in parts]
    blocks = (each for code in codes for each in ([code] if isinstance(code, Code) else [b.code for b in code.blocks]))
    if end + scratch_bytes > SCRATCH_BYTES + level_bytes_of(blocks):
        raise UnsupportedError(
            f"{end} bytes of values between walks and {scratch_bytes} bytes for one walk exceed "
            f"scratch memory, which has {SCRATCH_BYTES}; compute the largest of these values with a kernel of its own"
        )
    return scratch_bytes


def _scratch_of(code: Any, facts: Facts) -> int:
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
