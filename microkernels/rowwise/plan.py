"""The plan of a kernel for any number of rows: a chain of blocks with fewer and fewer rows, the last one of one row.

A block is the code of a kernel for a fixed number of rows. Each block repeats while enough rows are left for it. The
widest has enough rows that the work between two blocks, a few additions to pointers, does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from functools import partial
from math import gcd

from ...encoder.records import NamedTuple, dataclass
from ..chain import dynamic_plan
from ..chain.plan import ChainPlan, chosen
from ..chain.spec import ChainSpec
from ..choice import Plan, Refusal, Way, choose
from ..codegen.laid_by import LaidBy, laid_by
from ..codegen.long_sums import DYNAMIC_TERMS
from ..contract.machine import Facts
from ..eltwise import pipeline as elementwise
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.plan import EltwisePlan
from ..errors import UnsupportedError
from ..fused import plan as fused
from ..fused.inside import scratch_bytes_of
from ..fused.plan import FusedPlan
from ..fused.spec import FusedSpec
from ..indexed.pipeline import INDEXED
from ..indexed.plan import IndexedPlan, around
from ..indexed.spec import IndexedSpec
from ..reduce.pipeline import REDUCE
from ..reduce.plan import ReducePlan
from ..reduce.spec import ReduceSpec
from ..sweeps.pipeline import FUSED
from ..sweeps.plan import SweepPlan
from .loop_invariant import LoopInvariant
from .spec import Request
from .without_rows import WithoutRows, without_rows

_FRAME_VALUES = 18
"""The most values that a kernel may keep beside the registers that a stage of a band needs, on every machine."""

Code = EltwisePlan | MovedPlan | FusedPlan | SweepPlan | ChainPlan | ReducePlan | IndexedPlan


class RowBlock(NamedTuple):
    """The code for a fixed number of rows."""

    rows: int
    code: Code


class Remainder(Enum):
    """What computes the rows behind the last whole block. But for NARROWER, pointers stay in registers."""

    NARROWER = ", then of what is left {}"
    OVERLAPPED = ", then one more that ends with the last row; fewer than {} one after the other"
    SINGLE = ", then what is left one after the other"


class DynamicColumns(NamedTuple):
    """The remainder of a loop over the elements of a column, whose length the call gives (dynamic_plan.py): at most
    `step` vectors of `vector` elements at a time, then shorter vectors."""

    vector: int
    step: int
    masked: bool  # whether the remainder is one masked vector
    row: int = 0  # elements per row if all rows form one column, otherwise 0
    aside: int = 0  # elements of a vector in scratch memory, which is the last of the remainder, otherwise 0
    alone: int = 1  # vectors of the smallest step: those whose bits share a byte, otherwise 1
    invariant: LoopInvariant | None = None  # values that are not computed for each vector

    @property
    def shorter(self) -> list[int]:
        """The numbers of elements of the vectors for the remainder. Rows of 4 elements, say, leave no fewer than 4."""
        if self.row and self.row % self.vector == 0:
            return []
        least = max(self.aside, gcd(self.row, self.vector) if self.row else 1)
        halves = [self.vector >> n for n in range(1, self.vector.bit_length()) if self.vector >> n >= least]
        return [self.vector - 1] if self.masked else halves

    def text(self, code: EltwisePlan) -> str:
        """Return a text with the vectors of a column, whose elements this code computes."""
        rest = "one vector under a mask" if self.masked else f"vectors of {', '.join(map(str, self.shorter))}"
        if not self.shorter:
            rest = "no more"
        if self.aside:
            rest += f", and what is left of {self.aside} in scratch memory"
        what = f"all rows as one column of {self.row} elements each" if self.row else f"{code.rows} columns"
        if self.invariant is not None:
            often = "per column" if self.invariant.per_column else "per call"
            rest += f"; once {often}: {', '.join(self.invariant.names)}, {self.invariant.code.operations} operations"
        smallest = "single ones" if self.alone == 1 else self.alone
        return (
            f"{what} in {self.step} vectors of {self.vector} while they last, then {smallest} and {rest}; {code.code}"
        )


@dataclass(frozen=True)
class RowwisePlan(Plan):
    """The blocks, the widest first. Each repeats while it fits into the rows that the blocks before it left."""

    spec: Request
    blocks: tuple[RowBlock, ...]
    bytes_of_scratch: int  # bytes of scratch memory
    alone: WithoutRows | None = None  # the code of a call without rows, if some results do not have them
    dynamic: bool = False  # whether the loop of the first block covers all rows or, with products, bands of them
    remainder: Remainder | DynamicColumns = Remainder.NARROWER

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        codes = [block.code for block in self.blocks]
        own = [self.alone.code.registers] if self.alone is not None else []
        most = max(own + [code.vectors if isinstance(code, ReducePlan) else code.registers for code in codes])
        once = self.columns.invariant if self.columns is not None else None
        return most + (once.more if once is not None else 0)

    @property
    def columns(self) -> DynamicColumns | None:
        """The loop over columns of a dynamic length, if that is how rows are computed."""
        return self.remainder if isinstance(self.remainder, DynamicColumns) else None

    @property
    def inside(self) -> Plan:
        """The code of the widest block, without what finds its rows by an index."""
        return _inside(self.blocks[0].code)

    @property
    def laid_by(self) -> LaidBy | None:
        """The levels of sums down the columns that several blocks or bands of rows add to."""
        own = self.inside
        if isinstance(own, ChainPlan):
            return own.laid_by(DYNAMIC_TERMS)
        return _laid_by(own) if own is not self.blocks[0].code and isinstance(own, FusedPlan) else None

    @property
    def in_bands(self) -> bool:
        """Whether the call's number of rows is cut into bands by the code of a traced function with products."""
        return isinstance(self.inside, ChainPlan) and self.inside.dynamic

    @property
    def rests_on_blocks(self) -> bool:
        """Whether the code of the rows behind the last whole block depends on how many blocks are before them."""
        return self.in_bands or self.remainder in (Remainder.OVERLAPPED, Remainder.SINGLE)

    @property
    def rows_of_parts(self) -> int:
        """The number of rows that parts of a call are multiples of, so that the code for most rows serves them."""
        code = self.blocks[0].code
        if self.dynamic and isinstance(code, (EltwisePlan, FusedPlan)):
            return code.rows_of_body if isinstance(code, EltwisePlan) else code.interleave
        return self.blocks[0].rows

    @property
    def cycles(self) -> float:
        """Estimated cycles per row of a call with many rows."""
        rows, code = self.blocks[0]
        if self.columns is not None:
            assert isinstance(code, EltwisePlan)
            return code.cycles / code.columns * max(self.columns.row, 1)
        return float(code.cycles / rows)

    def __str__(self) -> str:
        widest, *narrower = self.blocks
        if isinstance(self.remainder, DynamicColumns):
            assert isinstance(widest.code, EltwisePlan)
            return f"{self.spec}\n{self.remainder.text(widest.code)}; {self.cycles:.1f} cycles a row"
        fewer = (each.rows for each in ([widest] if self.remainder is Remainder.OVERLAPPED else narrower))
        rest = self.remainder.value.format(", ".join(map(str, fewer))) if narrower else ""
        what = f"{widest.rows} rows while they last"
        if self.dynamic:
            what = f"bands of at most {widest.rows} rows" if self.in_bands else "all rows in one loop"
        what += rest
        lines = [str(self.spec), f"  {what}; {self.cycles:.1f} cycles a row"]
        lines += [f"  {self.laid_by}"] if self.laid_by is not None else []
        lines += [f"{each.rows} rows: {each.code}" for each in self.blocks]
        return "\n".join([*lines, *([str(self.alone)] if self.alone is not None else [])])


def candidates(spec: Request, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield ways with fewer and fewer rows in the widest block, from the number that is enough work. Fewer rows are
    needed if a plan takes too much scratch memory. Rows that are found by an index one at a time have a way in one
    loop."""
    chain = spec.likely.located
    for each in dynamic_plan.candidates(chain, facts) if isinstance(chain, ChainSpec) else ():
        yield Way(each.name, partial(_in_bands, spec, facts, each)) if isinstance(each, Way) else each
    likely = code_of(spec.likely, facts)
    inside, by_itself = _inside(likely), _inside(likely) is likely
    if by_itself:
        one = isinstance(inside, (EltwisePlan, FusedPlan)) and inside.rows == spec.likely.m and not spec.by_columns
    else:
        one = isinstance(inside, EltwisePlan) and inside.rows_of_body == 1
    if one:
        yield Way("one loop over all rows", partial(_in_one_loop, spec, facts))
        if by_itself and isinstance(inside, FusedPlan) and inside.spec.sums_of_rows:
            return  # which has levels of long sums; blocks of rows have none
    widest = _widest_of_columns(likely, facts) if spec.by_columns else _widest(likely, spec.likely.m, facts)
    while widest:
        yield Way(f"blocks of {widest} rows", partial(_planned, spec, facts, widest))
        widest //= 2


def _inside(code: Code) -> Plan:
    """Return the code of rows, without what finds them by an index."""
    return code.code if isinstance(code, IndexedPlan) else code


def _widest(likely: Code, of: int, facts: Facts) -> int:
    """Return the number of rows of the widest block: a power of two times the rows that are interleaved or, for
    products, the rows of a band. likely: the code of `of` rows."""
    inside = _inside(likely)
    if isinstance(inside, ChainPlan):
        return inside.rows
    tuning = facts.tuning.rowwise
    interleave = _interleaved_rows(likely)
    rows = interleave * tuning.turns if interleave > 1 else 1
    while rows < tuning.most_rows and likely.cycles * rows < tuning.block_cycles * of:
        rows *= 2
    return rows


def _widest_of_columns(likely: Code, facts: Facts) -> int:
    """Return the number of rows of the widest block if columns are contiguous. If a vector takes so many instructions
    that short pieces of memory cost nothing beside them, blocks are short, and there are fewer of them."""
    tuning = facts.tuning.rowwise
    assert not isinstance(likely, (ChainPlan, IndexedPlan)), "their rows are row-major"
    longest = max(each.instructions for each in likely.codes)
    return tuning.rows_of_long_columns if longest > tuning.instructions_of_long_columns else tuning.rows_of_columns


def _interleaved_rows(code: Code) -> int:
    """Return the number of rows whose instructions are interleaved so that they hide each other's latency."""
    if isinstance(code, ReducePlan):
        return max(code.interleaved_rows, code.group, 1)
    return code.interleave if isinstance(code, FusedPlan) else 1


def _planned(spec: Request, facts: Facts, widest: int) -> RowwisePlan:
    return _of_blocks(spec, facts, _sizes(spec, facts, widest))


def _in_one_loop(spec: Request, facts: Facts) -> RowwisePlan:
    """Plan rows that are found by an index one at a time: the loop for the likely rows takes any number."""
    rows = spec.likely.m
    code = code_of(spec.block(rows), facts)
    if isinstance(code, FusedPlan):
        code = replace(code, laid_by=_laid_by(code))
    return RowwisePlan(spec, (RowBlock(rows, code),), scratch_bytes_of(code, facts), dynamic=True)


def _in_bands(spec: Request, facts: Facts, way: Way) -> RowwisePlan:
    """Plan a traced function with products in bands whose rows the call counts, and single rows of a call with too few
    for a band."""
    chain = way.plan()
    assert isinstance(chain, ChainPlan)
    request = spec.block(chain.rows)
    code = around(request, chain, facts) if isinstance(request, IndexedSpec) else chain
    values = _frame_values(spec, code)
    if values > _FRAME_VALUES:
        raise UnsupportedError(
            f"{values} values stay in registers or slots through all stages; at most {_FRAME_VALUES} work"
        )
    blocks = [RowBlock(chain.rows, code)] + [RowBlock(1, code_of(spec.block(1), facts))] * (chain.least > 1)
    scratch_bytes = max(scratch_bytes_of(block.code, facts) for block in blocks)
    return _with_levels(RowwisePlan(spec, tuple(blocks), scratch_bytes, dynamic=True))


def _frame_values(spec: Request, code: Code) -> int:
    """Return the number of values that a kernel keeps through all stages of a band: its parameters, scratch memory, the
    bands' number and rows and first row, and for rows found by an index their places and numbers."""
    values = len(spec.interface.parameters()) + 4
    if isinstance(code, IndexedPlan):
        values += len({each.by for each in code.spec.found}) + 2 * bool(code.far) + 4 * bool(code.spec.bad)
    return values


def _of_blocks(spec: Request, facts: Facts, sizes: Iterable[int]) -> RowwisePlan:
    blocks = [RowBlock(rows, code_of(spec.block(rows), facts)) for rows in sizes]
    alone = without_rows(spec, facts)
    scratch_bytes = max(scratch_bytes_of(block.code, facts) for block in blocks)
    return _with_levels(
        RowwisePlan(spec, tuple(blocks), max(scratch_bytes, alone.scratch_bytes if alone is not None else 0), alone)
    )


def _with_levels(made: RowwisePlan) -> RowwisePlan:
    """Return the plan. Raises UnsupportedError if sums down the columns need levels for which there is no memory."""
    made.laid_by  # noqa: B018  # raises
    return made


def _sizes(spec: Request, facts: Facts, widest: int) -> Iterator[int]:
    """Yield the number of rows of each block. If columns are contiguous, a vector holds elements of several rows, so a
    block of a few rows takes as long as one of a whole vector. There are then more sizes, of which a call executes
    fewer blocks."""
    tuning, rows = facts.tuning.rowwise, widest
    factor = tuning.factor_of_columns if spec.by_columns else tuning.factor
    while rows:
        yield rows
        rows = rows // factor or int(rows > 1)


def code_of(request: Request, facts: Facts) -> Code:
    """Return the fastest plan of a request for a fixed number of rows."""
    if isinstance(request, ChainSpec):
        found: Plan = chosen(request, facts)
    elif isinstance(request, IndexedSpec):
        found = choose(INDEXED.candidates(request, facts))
    elif isinstance(request, ReduceSpec):
        found = choose(REDUCE.candidates(request, facts))
    elif isinstance(request, FusedSpec):
        ways = FUSED.candidates(request, facts) if request.layouts else fused.candidates(request, facts)
        found = choose(ways)
    else:
        found = elementwise.planned(request, facts)
    assert isinstance(found, Code), "rows are walked"
    return found


def _laid_by(code: FusedPlan) -> LaidBy | None:
    """Return the levels of the sums of any number of rows."""
    return laid_by(code.spec.sums_of_rows, code.spec.compute, DYNAMIC_TERMS, code.vector)
