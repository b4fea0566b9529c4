"""The plan of a fused kernel whose columns are contiguous and have a length that is given at the call.

    while elements of the columns are left:     a block of at most BLOCK elements of every column
        for each walk:                          strips of at most as many vectors as the registers hold

A reduction along rows goes from column to column, so a strip holds its sums in registers. The walks are emitted once,
for a block of any length, and a strip has one code for any number of vectors: whole vectors until the strip has no
more, and a last one, which may be masked. Blocks of several lengths, as in plan.py, or strips of several widths would
need the code of the walks once per length or width.

Two walks take turns strip by strip if the first computes nothing but rows that only the second uses. Then the rows stay
in registers, and one code finds the strip for both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, Way, attempt, choose, refused
from ..codegen.scratch import SCRATCH_BYTES
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise import plan as elementwise
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN, SCANS
from ..fused.inside import level_bytes_of, scratch_bytes_of
from ..fused.spec import FusedSpec
from ..fused.sweeps import Sweep
from ..operands import RUNTIME
from ..sweeps import columns_plan
from ..sweeps.columns_plan import ColumnsPlan
from ..sweeps.plan import offsets_of, places_of, text_of
from .dynamic_plan import (
    HELD_GENERALS,
    LEAST_MASKED,
    MOST_GENERALS,
    DynamicRowsPlan,
    aside,
    sizes_of,
    too_many_generals,
)
from .loop_invariant import LoopInvariant, invariant_of, split
from .spec import Request
from .without_rows import WithoutRows, without_rows

WAY = "walks over dynamic columns"
BLOCK = 256
"""The number of elements of a column that all walks process before the next block. It is a power of two because the
remainder is computed as a modulo."""


class DynamicSweep(NamedTuple):
    """A walk and its plan."""

    sweep: Sweep | None  # None if there is only one walk
    code: ColumnsPlan | DynamicRowsPlan

    @property
    def spec(self) -> EltwiseSpec:
        """The request of the walk, in terms of the transposed matrices."""
        return self.code.code.spec if isinstance(self.code, DynamicRowsPlan) else self.code.spec

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows that the walk computes in registers."""
        code = self.code
        return () if isinstance(code, DynamicRowsPlan) else tuple(code.spec.outputs[n].name for n, _ in code.reduced)


@dataclass(frozen=True)
class DynamicStripsPlan(Plan):
    """The walks in order. `offsets` gives the place of each named row of a block in scratch memory."""

    spec: Request
    parts: tuple[DynamicSweep, ...]
    offsets: tuple[tuple[str, int], ...]
    bytes_of_rows: int
    scratch_bytes: int  # bytes of scratch memory for the walks themselves
    masked: bool  # whether the last vector is masked with a count from the call
    interleaved: tuple[int, ...]  # walks whose rows stay in registers for the next walk over the same strip
    shares: tuple[int, ...]  # the shares of a vector whose elements are moved without a mask
    alone: WithoutRows | None  # the code of a call without rows, if some results do not have them

    @cached_property
    def places(self) -> dict[str, str]:
        """The result in whose place a row between walks is kept, keyed by the row's name."""
        sweeps = [part.sweep for part in self.parts if part.sweep is not None]
        return places_of(sweeps, [each for each in self.spec.operands if each.output])

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(self.alone.code.registers if self.alone is not None else 0, *map(_registers, self.groups))

    @cached_property
    def groups(self) -> tuple[tuple[DynamicSweep, ...], ...]:
        """The walks, and pairs of walks whose strips take turns."""
        firsts = [number for number in range(len(self.parts)) if number - 1 not in self.interleaved]
        return tuple(self.parts[number : number + 1 + (number in self.interleaved)] for number in firsts)

    @property
    def cycles(self) -> float:
        """Estimated cycles per row of a call with many rows."""
        return sum(
            code.cycles if isinstance(code, DynamicRowsPlan) else code.cycles / code.columns
            for code in (part.code for part in self.parts)
        )

    @property
    def in_one_walk(self) -> bool:
        """Whether there is only one walk, so that no blocks are needed."""
        return len(self.parts) == 1

    def __str__(self) -> str:
        scratch = f"rows between them in {self.bytes_of_rows} bytes of scratch memory"
        walks = (
            f"{len(self.parts)} walks over {BLOCK} rows while they last, then over the rest; {scratch}"
            if not self.in_one_walk
            else "one walk over all rows"
        )
        lines = [str(self.spec), f"{walks}; {self.cycles:.1f} cycles a row"]
        outputs = [each for each in self.spec.operands if each.output]
        for number, part in enumerate(self.parts):
            turn = f", takes turns with walk {number + 1} after each strip" if number in self.interleaved else ""
            made = text_of(part.sweep, part.spec, outputs) if part.sweep is not None else "all"
            lines += [f"walk {number}: {made}{turn}", *(f"  {line}" for line in str(part.code).splitlines()[1:])]
        return "\n".join([*lines, *([str(self.alone)] if self.alone is not None else [])])


def candidates(spec: Request, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the only way, or the reason why there is none."""
    if spec.by_columns and isinstance(spec, FusedSpec):
        yield Way(WAY, partial(_planned, spec, facts))
    else:
        yield refused(WAY, "nothing is reduced along rows whose columns are contiguous")


def _planned(spec: Request, facts: Facts) -> DynamicStripsPlan:
    block = spec.of(BLOCK - 1)
    assert isinstance(block, FusedSpec)
    transposed = block.transposed
    masked = facts.counts_lanes(sizes_of(transposed))
    walks: Sequence[tuple[Sweep | None, EltwiseSpec]] = [(None, transposed)]
    offsets: dict[str, int] = {}
    end = 0
    if transposed.swept or transposed.divides_by_rows:  # strips compute the sums, and a later walk divides or uses them
        sweeps, requests = transposed.cut_by(transposed.m)
        walks = [*zip(sweeps, requests)]
        offsets, end = offsets_of(sweeps, requests)
    parts = tuple(DynamicSweep(sweep, _code(sweep, walk, spec, facts, masked)) for sweep, walk in walks)
    only = parts[0].code
    if len(parts) == 1 and isinstance(only, ColumnsPlan) and not only.stored:
        parts = (
            DynamicSweep(None, replace(only, interleave=min(only.interleave, facts.tuning.rowwise.vectors_of_sums))),
        )
    vectors = {part.code.vector for part in parts}
    masked = masked and min(vectors) >= LEAST_MASKED
    widths = facts.widths if masked and len(facts.widths) > 1 else ()  # otherwise all vectors have masks
    shares = tuple(widths[0] // width for width in widths)
    interleaved = _interleaved(parts, dict(offsets), facts)
    codes = [part.code.code if isinstance(part.code, DynamicRowsPlan) else part.code for part in parts]
    scratch_bytes = max(scratch_bytes_of(code, facts) for code in codes)
    alone = without_rows(spec, facts)
    scratch_bytes = max(scratch_bytes, alone.scratch_bytes if alone is not None else 0)
    if end + scratch_bytes > SCRATCH_BYTES + level_bytes_of(codes):
        raise UnsupportedError(
            f"{end} bytes of rows between walks beside {scratch_bytes} bytes for one: "
            f"scratch memory has {SCRATCH_BYTES}"
        )
    return DynamicStripsPlan(
        spec, parts, tuple(offsets.items()), end, scratch_bytes, masked, interleaved, shares, alone
    )


def _registers(parts: Sequence[DynamicSweep]) -> int:
    """Return the number of vector registers of one walk, or of two whose strips take turns."""
    registers = sum(part.code.registers for part in parts)
    return registers - sum(
        len(part.rows) * part.code.interleave for part in parts[:-1] if isinstance(part.code, ColumnsPlan)
    )


def _generals(walks: Sequence[EltwiseSpec], inside: Collection[str]) -> int:
    """Return the number of general registers of walks over strips. inside: rows that stay in vector registers."""
    operands = [each for walk in walks for each in walk.operands if each.name not in inside]
    sizes = {ELEMENT_BYTES[each.dtype] for each in operands if each.columns > 1}
    counts = len(("elements left", "elements before the last vector", "elements of it", "rows"))
    distances = sum(each.view.leading is RUNTIME for each in operands)
    return len({each.name for each in operands}) + distances + len(sizes) + counts


def _interleaved(parts: Sequence[DynamicSweep], between: Mapping[str, int], facts: Facts) -> tuple[int, ...]:
    """Return the numbers of the walks that only reduce, where the next walk is the only one that uses the rows. Both
    walks over a strip need not store and load them, and take the elements from a cache."""
    found: list[int] = []
    for number, (first, second) in enumerate(pairwise(parts)):
        a, b = first.code, second.code
        if not isinstance(a, ColumnsPlan) or not isinstance(b, ColumnsPlan) or number - 1 in found:
            continue
        used = {each.name for part in parts[number + 2 :] for each in part.spec.inputs}
        alone = not a.held and not a.stored and not b.reduced and set(b.held) == set(first.rows)
        masks = max(columns_plan.masks(code.spec, facts, code.vector) for code in (a, b))
        fits = _registers((first, second)) + masks <= facts.vector_registers
        own = len(("elements left", "rows"))  # of the second walk, until it takes those of the first
        fits = fits and _generals((first.spec, second.spec), first.rows) + own <= HELD_GENERALS
        if (
            alone
            and fits
            and (a.vector, a.interleave) == (b.vector, b.interleave)
            and not used & set(first.rows)
            and set(first.rows) <= set(between)
        ):
            found.append(number)
    return tuple(found)


def _code(
    sweep: Sweep | None, walk: EltwiseSpec, spec: Request, facts: Facts, masked: bool
) -> ColumnsPlan | DynamicRowsPlan:
    """Plan a walk: strips of columns, whose sums stay in registers, or whole rows. A walk that reduces needs strips. A
    walk that does not takes whole rows if there is only one, if no strip has enough registers, if it broadcasts an
    element of each row, or if it is the only walk and no row is an operand, which strips would hold: a fixed kernel has
    no strips for these, short pieces of columns that are 4096 bytes apart evict each other, and strips compute what is
    once per call for each vector."""
    reduces = any(step.op in (ALONG, DOWN, *SCANS) for step in walk.program.steps)
    whole = [refused("strips of columns", "one row, elements of whole rows, or a single walk over matrices alone")]
    elements = any(each.columns == 1 and each.rows > 1 for each in walk.inputs)
    shared = sweep is not None or any(each.rows == 1 and each.columns > 1 for each in walk.inputs)
    if (walk.m > 1 and not elements and shared) or reduces:
        strips = attempt("strips of columns", lambda: _strips(sweep, walk, facts))
        if isinstance(strips, ColumnsPlan):
            return strips
        if reduces:
            raise strips.error
        whole = [strips]
    found, invariant = _columns(walk, whole, facts)
    reason = too_many_generals(walk, found.code.slots)
    if reason:
        raise UnsupportedError(reason)
    masked = masked and found.vector >= LEAST_MASKED
    # a walk over one column takes no time beside walks over all columns, so it should take little code; a vector of
    # many instructions fills the processor's window
    tuning = facts.tuning.rowwise
    long = found.code.instructions > tuning.instructions_of_long_columns
    step = 1 if found.rows == 1 or long else min(tuning.vectors_of_columns, found.code.unroll)
    apart = aside(found, facts, tuning.instructions_of_a_copy_beside) if long and not masked else 0
    return DynamicRowsPlan(spec, found, step, masked, aside=apart, invariant=invariant)


def _columns(walk: EltwiseSpec, refusals: Sequence[Refusal], facts: Facts) -> tuple[EltwisePlan, LoopInvariant | None]:
    """Return the code of whole columns, and the values that are computed once as in a kernel for a number of rows, if
    there are any and registers suffice."""
    hoisted, values = (split(walk, facts) if isinstance(walk, FusedSpec) else None) or (None, ())
    if hoisted is not None:
        with suppress(UnsupportedError):
            found = choose(elementwise.candidates(walk, facts, hoisted=hoisted))
            assert isinstance(found, EltwisePlan)
            return found, invariant_of(hoisted, values, found, facts)
    found = choose([*refusals, *elementwise.candidates(walk, facts)])
    assert isinstance(found, EltwisePlan) and found.columns == walk.n
    return found, None


def _strips(sweep: Sweep | None, walk: EltwiseSpec, facts: Facts) -> ColumnsPlan:
    generals = _generals([walk], ())
    if generals > MOST_GENERALS:
        raise UnsupportedError(
            f"pointers, distances and counts of a strip need {generals} general registers, and some "
            f"machines have {MOST_GENERALS}"
        )
    found = choose(columns_plan.candidates(sweep, walk, facts, elements=True))
    assert isinstance(found, ColumnsPlan)
    return found
