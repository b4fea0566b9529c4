"""The plan of a fused kernel whose columns are contiguous and have a length that is given at the call.

    while elements of the columns are left:     a block of at most BLOCK elements of every column
        for each walk:                          strips of several vectors; a count from the call masks the last one

A reduction along rows goes from column to column, so a strip holds its sums in registers. The walks are emitted once,
for a block of any length, and only strips have several widths. Blocks of several lengths, as in plan.py, would need the
code of all walks once per length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, Way, attempt, choose, refused
from ..contract.machine import Facts
from ..eltwise import plan as elementwise
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN
from ..fused.inside import room_of
from ..fused.spec import FusedSpec
from ..fused.sweeps import Sweep
from ..sweeps import columns_plan
from ..sweeps.columns_plan import ColumnsPlan
from ..sweeps.plan import ROOM, offsets_of, places_of, text_of
from .counted_plan import LEAST_MASKED, CountedPlan, sizes_of, too_many_generals
from .spec import RowwiseSpec

WAY = "walks over counted columns"
BLOCK = 256
"""The number of elements of a column that all walks process before the next block. It is a power of two because the
remainder is computed as a modulo; a mask can count fewer elements than this."""
SHORT = 4
"""The widest masked strip, in vectors. There is code for each width from 1 to this."""


class Part(NamedTuple):
    """A walk and its plan."""

    sweep: Sweep | None  # None if there is only one walk
    code: ColumnsPlan | CountedPlan

    @property
    def spec(self) -> EltwiseSpec:
        """The request of the walk, in terms of the transposed matrices."""
        return self.code.code.spec if isinstance(self.code, CountedPlan) else self.code.spec


@dataclass(frozen=True)
class CountedWalksPlan(Plan):
    """The walks in order. `offsets` gives the place of each named row of a block in scratch memory."""

    spec: RowwiseSpec
    parts: tuple[Part, ...]
    offsets: tuple[tuple[str, int], ...]
    bytes_of_rows: int
    room: int  # bytes of scratch memory for the walks themselves
    masked: bool  # whether the last vector is masked with a count from the call
    light: int  # the most operations per vector for which a walk has strips of more than SHORT vectors

    @cached_property
    def places(self) -> dict[str, str]:
        """The result in whose place a row between walks is kept, keyed by the row's name."""
        sweeps = [part.sweep for part in self.parts if part.sweep is not None]
        return places_of(sweeps, [each for each in self.spec.operands if each.output])

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(part.code.registers for part in self.parts)

    @property
    def cycles(self) -> float:
        """Estimated cycles per row of a call with many rows."""
        return sum(code.cycles if isinstance(code, CountedPlan) else code.cycles / code.columns
                   for code in (part.code for part in self.parts))  # fmt: skip

    @property
    def in_one_walk(self) -> bool:
        """Whether there is only one walk, in strips, so that no blocks are needed. Its unmasked strips leave fewer
        elements than a mask can count."""
        code = self.parts[0].code
        return len(self.parts) == 1 and isinstance(code, ColumnsPlan) and self.widths(code)[0] > 0

    def widths(self, code: ColumnsPlan) -> tuple[int, list[int]]:
        """Return the widths of a walk's strips: the number of vectors of the repeated, unmasked strips (0 if every
        strip is masked), and the numbers of elements of the strips for the remainder."""
        vector, most = code.vector, code.together
        if self.masked:
            short = min(SHORT, most)
            if len(self.parts) == 1 and not code.stored:  # only sums, for which fewer widths are fast enough
                return short, [vectors * vector - 1 for vectors in range(-(-short // 2), 0, -1)]
            wide = most > short and code.code.operations <= self.light
            return most * (wide or most == 1), [vectors * vector - 1 for vectors in range(short, 0, -1)]
        halves, vectors = [], most // 2
        while vectors:
            halves.append(vectors * vector)
            vectors //= 2
        return most, [*halves, *(vector >> n for n in range(1, vector.bit_length()))]

    def __str__(self) -> str:
        scratch = f"rows between them in {self.bytes_of_rows} bytes of scratch memory"
        walks = (f"{len(self.parts)} walks over {BLOCK} rows while they last, then over the rest; {scratch}"
                 if not self.in_one_walk else "one walk over all rows")  # fmt: skip
        lines = [str(self.spec), f"{walks}; {self.cycles:.1f} cycles a row"]
        outputs = [each for each in self.spec.operands if each.output]
        for number, part in enumerate(self.parts):
            made = text_of(part.sweep, part.spec, outputs) if part.sweep is not None else "all"
            lines += [f"walk {number}: {made}", *(f"  {line}" for line in str(part.code).splitlines()[1:])]
        return "\n".join(lines)


def candidates(spec: RowwiseSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the only way, or the reason why there is none."""
    if spec.by_columns and isinstance(spec.request, FusedSpec):
        yield Way(WAY, partial(_planned, spec, facts))
    else:
        yield refused(WAY, "nothing is reduced along rows whose columns are contiguous")


def _planned(spec: RowwiseSpec, facts: Facts) -> CountedWalksPlan:
    block = spec.of(BLOCK - 1)
    assert isinstance(block, FusedSpec)
    turned = block.turned
    masked = facts.counts_lanes(sizes_of(turned))
    walks: Sequence[tuple[Sweep | None, EltwiseSpec]] = [(None, turned)]
    offsets: dict[str, int] = {}
    end = 0
    if turned.swept or turned.divides_by_rows:  # strips compute the sums, and a later walk divides or uses them
        sweeps, requests = turned.cut_by(turned.m)
        walks = [*zip(sweeps, requests)]
        offsets, end = offsets_of(sweeps, requests)
    parts = tuple(Part(sweep, _code(sweep, walk, spec, facts, masked)) for sweep, walk in walks)
    vectors = {part.code.vector for part in parts}
    masked = masked and min(vectors) >= LEAST_MASKED
    room = max(room_of(part.code.code, facts) if isinstance(part.code, CountedPlan) else 0 for part in parts)
    if end + room > ROOM:
        raise UnsupportedError(f"{end} bytes of rows between walks beside {room} bytes for one: scratch memory has "
                               f"{ROOM}")  # fmt: skip
    return CountedWalksPlan(spec, parts, tuple(offsets.items()), end, room, masked,
                            facts.tuning.rowwise.operations_of_wide_strips)  # fmt: skip


def _code(sweep: Sweep | None, walk: EltwiseSpec, spec: RowwiseSpec, facts: Facts,
          masked: bool) -> ColumnsPlan | CountedPlan:  # fmt: skip
    """Plan a walk: strips of columns, whose sums stay in registers, or whole rows. A walk that reduces needs strips. A
    walk that does not takes whole rows if some operand has one element per row, which is then broadcast once per row,
    or if no strip has enough registers."""
    reduces = any(step.op in (ALONG, DOWN) for step in walk.program.steps)
    whole = [refused("strips of columns", "elements of each row")]
    if reduces or too_many_generals(walk) or not any(x.rows > 1 and x.columns == 1 for x in walk.inputs):
        strips = attempt("strips of columns", lambda: _strips(sweep, walk, facts))
        if isinstance(strips, ColumnsPlan):
            return strips
        if reduces:
            raise strips.error
        whole = [strips]
    found = choose([*whole, *elementwise.candidates(walk, facts)])
    assert isinstance(found, EltwisePlan) and found.columns == walk.n
    reason = too_many_generals(walk)
    if reason:
        raise UnsupportedError(reason)
    masked = masked and found.vector >= LEAST_MASKED
    if found.rows == 1:  # it takes no time beside walks over all columns, so it should take little code
        return CountedPlan(spec, found, 1, masked, each_masked=masked)
    return CountedPlan(spec, found, min(facts.tuning.rowwise.vectors_of_columns, found.code.unroll), masked)


def _strips(sweep: Sweep | None, walk: EltwiseSpec, facts: Facts) -> ColumnsPlan:
    found = choose(columns_plan.candidates(sweep, walk, facts, elements=True))
    assert isinstance(found, ColumnsPlan)
    return found
