"""The plan of a fused kernel of any number of rows whose reductions down the columns are used again: several walks.

Each walk over all rows has blocks of rows as a kernel of one walk has them, or strips of columns, which hold sums in
registers while all rows pass. What lies between two walks is one row, in scratch memory or where a result goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, Rejected, Way, choose
from ..contract.machine import Facts
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..fused.inside import room_of
from ..fused.plan import FusedPlan
from ..fused.sweeps import Sweep
from ..sweeps import columns_plan
from ..sweeps.columns_plan import ColumnsPlan
from ..sweeps.plan import ROOM, offsets_of, places_of, text_of
from . import plan as blocks
from .plan import RowwisePlan
from .spec import RowwiseSpec


class Part(NamedTuple):
    """A walk and its plan: over all rows the first two, over one the others."""

    sweep: Sweep
    code: RowwisePlan | ColumnsPlan | EltwisePlan | FusedPlan

    @property
    def spec(self) -> EltwiseSpec:
        """Its request, of as many rows as a call is thought to have."""
        code = self.code
        made = code.spec.request if isinstance(code, RowwisePlan) else code.spec
        assert isinstance(made, EltwiseSpec)
        return made


@dataclass(frozen=True)
class WalksPlan(Plan):
    """The walks one after the other; `offsets` are those of rows in scratch memory, by their names."""

    spec: RowwiseSpec
    parts: tuple[Part, ...]
    offsets: tuple[tuple[str, int], ...]
    bytes_of_rows: int
    room: int  # bytes of scratch memory for walks

    @cached_property
    def places(self) -> dict[str, str]:
        """The results that names between walks stand for."""
        return places_of([part.sweep for part in self.parts], [each for each in self.spec.operands if each.output])

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        return max(part.code.registers for part in self.parts)

    @property
    def cycles(self) -> float:
        """The estimate for one row of many."""
        whole = (part.code for part in self.parts if part.sweep.whole)
        return float(sum(code.cycles if isinstance(code, RowwisePlan) else code.cycles / code.rows for code in whole))

    def __str__(self) -> str:
        lines = [str(self.spec), f"{len(self.parts)} walks; rows between them in {self.bytes_of_rows} bytes of scratch "
                 f"memory; {self.cycles:.1f} cycles a row"]  # fmt: skip
        outputs = [each for each in self.spec.operands if each.output]
        for number, part in enumerate(self.parts):
            rows = "all rows" if part.sweep.whole else "one row"
            lines += [f"walk {number}, {rows}: {text_of(part.sweep, part.spec, outputs)}",
                      *(f"  {line}" for line in str(part.code).splitlines()[1:])]  # fmt: skip
        return "\n".join(lines)


def candidates(spec: RowwiseSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """One way."""
    yield Way("walks over all rows", partial(_planned, spec, facts))


def _planned(spec: RowwiseSpec, facts: Facts) -> WalksPlan:
    parts = tuple(Part(sweep, _code(sweep, walk, facts)) for sweep, walk in spec.walks)
    offsets, end = offsets_of([sweep for sweep, _ in spec.walks], [walk for _, walk in spec.walks])
    room = max(_room(part.code, facts) for part in parts)
    if end + room > ROOM:
        raise UnsupportedError(f"rows given at the call (ts.RUNTIME): {end} bytes of rows between walks beside {room} "
                               f"bytes for one, scratch memory has {ROOM}; fewer columns, or a number of rows, "
                               "work")  # fmt: skip
    rejected = Rejected(each._replace(way=f"walk {number}: {each.way}")
                        for number, part in enumerate(parts) for each in part.code.rejected)  # fmt: skip
    return WalksPlan(spec, parts, tuple(offsets.items()), end, room, rejected=rejected)


def _code(sweep: Sweep, walk: EltwiseSpec, facts: Facts) -> RowwisePlan | ColumnsPlan | EltwisePlan | FusedPlan:
    """Strips of columns or blocks of rows; of one row the code of that."""
    if not sweep.whole:
        made = blocks.code_of(walk, facts)
        assert isinstance(made, (EltwisePlan, FusedPlan))
        return made
    try:
        found = choose(columns_plan.candidates(sweep, walk, facts, regular=False))
    except UnsupportedError as error:
        found = choose([Refusal("strips of columns", error), *blocks.candidates(RowwiseSpec(walk), facts)])
    assert isinstance(found, (RowwisePlan, ColumnsPlan))
    return found


def _room(code: RowwisePlan | ColumnsPlan | EltwisePlan | FusedPlan, facts: Facts) -> int:
    """Bytes that a walk may claim."""
    if isinstance(code, RowwisePlan):
        return code.room
    return 0 if isinstance(code, ColumnsPlan) else room_of(code, facts)
