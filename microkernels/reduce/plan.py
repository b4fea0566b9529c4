"""The plan of a reduction: how its matrix is walked, the number of accumulators, and the code of each part."""

from __future__ import annotations

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan
from ..codegen.long_sums import Levels, levels_of
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import FLOATS, MASKS
from .code import Exact, IndexCounter, Output
from .spec import MEAN, ReduceSpec


class Extents(NamedTuple):
    """The matrix as it is walked: a matrix without gaps between its rows that is reduced to one element is one row."""

    rows: int
    columns: int
    vector: int  # elements of a whole vector

    @property
    def row_vectors(self) -> int:
        """The number of vectors per row, including its tail."""
        return -(-self.columns // self.vector)


def row_blocks(rows: int, height: int) -> list[tuple[int, int]]:
    """Divide rows into blocks of interleaved rows. Return (rows per block, number of such blocks) for each height. No
    block is higher than `height`, heights differ by at most one row, and the higher blocks come first."""
    count = -(-rows // height)
    higher = rows - (height - 1) * count
    return [(block_rows, times) for block_rows, times in ((height, higher), (height - 1, count - higher)) if times]


@dataclass(frozen=True)
class ReducePlan(Plan):
    """The code of each part; `step` is unrolled over the accumulators that take turns."""

    spec: ReduceSpec
    rows: int  # as they are walked: see `Extents`
    columns: int
    vector: int
    step: Lowered
    single: Lowered  # the step for one vector
    tail: Lowered | None  # the step for the tail of a row
    first: Lowered | None  # the step that starts a row or a block of columns, instead of the identity
    outputs: tuple[Output, ...]
    arithmetic: Arithmetic
    cycles: float
    folded_rows: int = 1  # the most rows that are folded together
    steps_per_block: int = 1  # steps along a block of columns
    interleaved_rows: int = 0  # the most rows per block; 0: rows are walked one after the other
    register_elements: tuple[int, ...] = ()  # elements of the registers of each width, the widest first
    constants_stay: bool = False  # constants stay in registers from the first row or block of columns to the last
    prefetches: bool = False  # the next row's columns are prefetched
    in_loops: bool = False  # loops are as short as they can be: less code, for rows that few calls have
    folds_by_masks: bool = False  # folding has the mask registers that it can make use of
    steps_per_turn: int = 1  # steps down a few columns that go by before the next columns
    index: IndexCounter | None = None  # of an index search
    exact: Exact | None = None  # the steps that replace a quick index search if there is a NaN

    @property
    def accumulators(self) -> int:
        """The number of accumulators; each holds one state of every output."""
        return self.interleaved_rows or self.step.unroll * self.steps_per_block

    @property
    def searches_blocks(self) -> bool:
        """Whether it is an index search whose steps take a block of vectors."""
        return self.index is not None and self.index.first_match is not None

    @property
    def tail_elements(self) -> int:
        """The elements of a row's last vector if that vector is incomplete and is loaded as a tail, else 0."""
        return 0 if self.searches_blocks else self.columns % self.vector

    @property
    def vectors_per_step(self) -> int:
        """Vectors that one accumulator takes at a time."""
        return self.outputs[0].running.together

    @property
    def types(self) -> tuple[str, ...]:
        """The element types of an accumulator's registers."""
        return tuple(dtype for output in self.outputs for dtype in output.running.types)

    @cached_property
    def in_masks(self) -> tuple[bool, ...]:
        """Whether each register of an accumulator is a mask register."""
        return tuple(dtype in MASKS and self.arithmetic.masks > 0 for dtype in self.types)

    @property
    def starts(self) -> list[int]:
        """The nonzero bit patterns that vector registers start with; they are kept in registers if constants are."""
        if self.first is not None:
            return []
        bits = [start for output in self.outputs for start in output.running.start]
        return sorted({start for start, in_mask in zip(bits, self.in_masks) if start and not in_mask})

    @property
    def group(self) -> int:
        """The number of rows that are folded together."""
        return min(self.folded_rows, self.rows, self.vector) if self.spec.axis == 1 else 1

    @property
    def lines(self) -> int:
        """The number of lines of scratch memory: one for the registers of each row of a group, and one more for the
        folded result of a search in blocks."""
        return (self.group if self.group > 1 else 0) + self.searches_blocks

    @property
    def bytes_of_lines(self) -> int:
        """Bytes of scratch memory for these lines."""
        parts = sum(output.parts for output in self.outputs)
        return self.lines * parts * self.vector * ELEMENT_BYTES[self.spec.compute]

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory: the lines, then the levels of long sums."""
        if self.levels is None:
            return self.bytes_of_lines
        vector_bytes = self.vector * ELEMENT_BYTES[self.spec.compute]
        return self.bytes_of_lines + self.levels.bytes(self.sums_laid_by, vector_bytes)

    # Long sums

    @property
    def steps_of_row(self) -> int:
        """The additions of a row to one of its accumulators."""
        accumulators = 1 if self.interleaved_rows else self.step.unroll
        return -(-Extents(1, self.columns, self.vector).row_vectors // accumulators)

    @cached_property
    def levels(self) -> Levels | None:
        """The levels in memory of sums of floats with many terms."""
        if self.spec.name not in ("sum", MEAN) or self.spec.compute not in FLOATS:
            return None
        if self.spec.axis == 0:
            return levels_of(self.rows, 1)
        rows = self.rows if self.spec.axis is None else 1
        return levels_of(rows * self.steps_of_row, self.vector)

    @property
    def sums_laid_by(self) -> int:
        """The number of registers that are added to a level. The accumulators of a row are joined first."""
        joined = self.spec.axis != 0 and not self.interleaved_rows
        return len(self.outputs) * (1 if joined else self.accumulators)

    @cached_property
    def stored(self) -> set[int]:
        """The numbers of results stored at a time: those of a group, or whole vectors of columns and their tail."""
        if self.spec.axis is None:
            return {1}
        if self.interleaved_rows:
            return {count for rows, _ in self.row_blocks for count in self._stored_of_block(rows)}
        count, most = (self.columns, self.vector) if self.spec.axis == 0 else (self.rows, self.group)
        return {min(most, count), count % most} - {0}

    def _stored_of_block(self, rows: int) -> set[int]:
        """Return the numbers of results that a block of interleaved rows stores at a time."""
        width = min([count for count in self.register_elements if count >= rows], default=self.vector)
        return {min(width, rows), rows % width} - {0}

    @property
    def partial_counts(self) -> set[int]:
        """The element counts of lanes that do not fill a register of any width."""
        return {self.tail_elements, *self.stored} - {0, self.vector, *self.register_elements}

    @property
    def row_blocks(self) -> list[tuple[int, int]]:
        """The blocks of interleaved rows: see `row_blocks`."""
        return row_blocks(self.rows, self.interleaved_rows)

    @property
    def narrower(self) -> tuple[int, ...]:
        """Elements of the narrower registers into which accumulators may be folded before the tree."""
        return tuple(count for count in self.register_elements if count < self.vector) if self.spec.axis != 0 else ()

    @property
    def codes(self) -> list[Lowered]:
        """The code that runs for every row."""
        codes = [self.step, *([self.single] if self.vectors_per_step > 1 else []), self.tail, self.first]
        codes += [code for output in self.outputs for code in (output.join, output.settle, output.fold)]
        if self.index is not None:
            codes += [self.index.advance, *self.index.later]
            codes += [match.look, match.add, match.lowest.fold] if (match := self.index.first_match) else []
        return [code for code in (*codes, *(self.exact or ())) if code is not None]

    @property
    def resident(self) -> list[Lowered]:
        """The code whose registers are held throughout. Down columns this is only the code of the results, as their
        blocks are short."""
        if not self.constants_stay:
            return []
        if self.searches_blocks:
            return [self.step]
        return [output.result for output in self.outputs] if self.spec.axis == 0 else self.codes

    @property
    def _temporary(self) -> list[Lowered]:
        """The code that holds its registers only while it runs."""
        resident = {id(code) for code in self.resident}
        codes = (*self.codes, *(output.result for output in self.outputs))
        return [code for code in codes if id(code) not in resident]

    @cached_property
    def tree(self) -> int:
        """The number of registers that the deepest fold takes: a line for each level that combines two different lines,
        and a spare line.

        A row that is folded alone has no lines: it takes the registers of all outputs and the spare ones of one output.
        """
        if self.spec.axis == 0:
            return 0
        parts = [output.parts for output in self.outputs]
        if self.interleaved_rows:
            return self.states + max(parts)
        levels = (self.group - 1).bit_length()
        return max(parts) * (levels + 2) if self.group > 1 else sum(parts) + max(parts)

    @property
    def states(self) -> int:
        """The number of vector registers of all accumulators."""
        return self.accumulators * (len(self.types) - sum(self.in_masks))

    @property
    def own_masks(self) -> int:
        """The number of accumulators that have their own masks. A quick search shares masks among its steps, since it
        only asks whether there was a NaN in any of them."""
        return self.step.unroll if self.exact is not None else self.accumulators

    @cached_property
    def vectors(self) -> int:
        """The most vector registers that are held at a time."""
        code = max((code.vectors for code in self._temporary), default=0)
        code = sum(code.vectors for code in self.resident) + max(code, 1 if self.levels is not None else 0)
        starts = len(self.starts) if self.constants_stay else 0
        indices = (2 if self.exact is None else 3) if self.index is not None else 0
        return max(self.states, self.tree) + indices + code + starts + self.arithmetic.spare

    @cached_property
    def masks(self) -> int:
        """The most mask registers that are held at a time."""
        code = sum(code.masks for code in self.resident) + max((code.masks for code in self._temporary), default=0)
        return self.own_masks * sum(self.in_masks) + code

    def __str__(self) -> str:
        walk = ", the next row prefetched" if self.prefetches else ""
        if self.interleaved_rows:
            heights = " + ".join(f"{times} x {rows}" for rows, times in self.row_blocks)
            walk += f", one for each interleaved row ({heights})"
        walk += ", computed again if there is a NaN" if self.exact is not None else ""
        walk += f", {self.levels}" if self.levels is not None else ""
        accumulators = f"{self.accumulators} accumulators of {self.vector}, {self.vectors_per_step} vectors at a time"
        return f"{self.spec}\n{accumulators}{walk}; {self.step}; {self.cycles:.0f} cycles"
