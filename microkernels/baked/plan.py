"""The plan of a product with a fixed sparse matrix: the rows and vectors whose sums are in registers.

With its pattern as code, a block is some rows of results by some vectors of columns. Its entries come in the order of
k, so that a vector of b which several rows need is loaded once. All blocks of rows are code, one after the other; a
loop runs over the columns. Where that is too much code, a loop runs over the entries of a row, whose values and places
are tables of constants.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, choose, refused, tried
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic, arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..expr.conversions import narrowed
from ..expr.graph import operand
from ..gemm.spec import gemm_spec
from ..products.pipeline import GEMM
from ..tuning.baked import GROUPS
from .spec import BakedSpec

AS_CODE, IN_LOOP, DENSE = "the pattern as code", "the entries of a row in a loop", "the dense product"


class RunsOfVectors(NamedTuple):
    """Where vectors lie: `run` neighbours share an entry of a; so many runs for each of `times` products. Steps are in
    bytes: of b from k to k, of c from row to row, and of both from product to product."""

    run: int
    times: int
    b_step: int
    c_step: int
    next_b: int
    next_c: int


def lines_of(spec: BakedSpec) -> RunsOfVectors | None:
    """Return the runs of a request, or None if the elements that share an entry of a lie apart."""
    left, sizes = spec.side == "left", [ELEMENT_BYTES[each] * spec.packed for each in spec.dtypes]
    b_line, c_line = spec.ldb * sizes[0], spec.ldc * sizes[1]
    if left == (spec.order == "C"):
        return RunsOfVectors(spec.n * spec.packed, 1, b_line, c_line, 0, 0)
    if left or spec.packed == 1:
        return None
    return RunsOfVectors(spec.packed, spec.n, sizes[0], sizes[1], b_line, c_line)


class StepEntries(NamedTuple):
    """The entries of a block for one k: pairs of a row of the block and the number of an entry."""

    k: int
    entries: tuple[tuple[int, int], ...]


class BlockOfRows(NamedTuple):
    """A block of rows."""

    first: int
    rows: int
    steps: tuple[StepEntries, ...]

    @property
    def longest(self) -> int:
        """The most entries of a row."""
        counts = [0] * self.rows
        for step in self.steps:
            for row, _ in step.entries:
                counts[row] += 1
        return max(counts)


class BlocksOfColumns(NamedTuple):
    """Blocks of columns that are alike: their number, and the elements of each vector."""

    times: int
    counts: tuple[int, ...]


def rows_of(spec: BakedSpec, most: int) -> tuple[BlockOfRows, ...]:
    """Return blocks of at most so many rows, as equal as they can be."""
    sums, count = spec.sums, len(spec.sums)
    blocks = -(-count // most)
    made = []
    for number in range(blocks):
        first, end = count * number // blocks, count * (number + 1) // blocks
        found: dict[int, list[tuple[int, int]]] = {}
        for row in range(first, end):
            for k, entry in sums[row]:
                found.setdefault(k, []).append((row - first, entry))
        made.append(BlockOfRows(first, end - first, tuple(StepEntries(k, tuple(found[k])) for k in sorted(found))))
    return tuple(made)


def columns_of(run: int, vector: int, together: int) -> tuple[BlocksOfColumns, ...]:
    """Return the blocks of a run, `together` vectors each."""
    full, tail = divmod(run, vector)
    times, rest = divmod(full, together)
    made = [BlocksOfColumns(times, (vector,) * together)] if times else []
    if rest or tail:
        made.append(BlocksOfColumns(1, (vector,) * rest + (tail,) * bool(tail)))
    return tuple(made)


@dataclass(frozen=True)
class BakedPlan(Plan):
    """The blocks. `rows` and `together` are the most rows and vectors of one, `keeps` says whether vectors of b that
    several rows need are kept in registers; `entries_in_group` of entries are loaded by one instruction.

    code       of a result, if a store does not narrow sums itself
    """

    spec: BakedSpec
    vector: int
    rows: int
    together: int
    keeps: bool
    entries_in_group: int
    registers: int
    cycles: float
    code: Lowered | None = None
    looped: bool = False

    @cached_property
    def blocks(self) -> tuple[BlockOfRows, ...]:
        """The blocks of rows."""
        return rows_of(self.spec, self.rows)

    @property
    def lines(self) -> RunsOfVectors:
        """Where vectors lie."""
        found = lines_of(self.spec)
        assert found is not None, "the planner refuses others"
        return found

    @property
    def columns(self) -> tuple[BlocksOfColumns, ...]:
        """The blocks of columns."""
        return columns_of(self.lines.run, self.vector, self.together)

    def __str__(self) -> str:
        blocks = f"blocks of {self.rows} rows by {self.together} vectors of {self.vector}"
        return f"{self.spec}\n{self.way}: {blocks}, {self.registers} registers; {self.cycles:.0f} cycles"


def candidates(spec: BakedSpec, facts: Facts) -> list[BakedPlan | Refusal]:
    """Return the plans of all ways, or why there are none."""
    arithmetic = arithmetic_of(facts)
    b, c = spec.dtypes
    for storage, moves in ((b, arithmetic.loads), (c, arithmetic.stores)):
        if storage != spec.acc_dtype and (storage, spec.acc_dtype) not in moves:
            reason = f"{storage} computed in {spec.acc_dtype}: this target has no conversion for it"
            return [refused(AS_CODE, reason)]
    if (lines := lines_of(spec)) is None:
        apart = (
            "the elements that share an entry of a lie apart in memory; give b and c in the other order, or several "
            "simulations with packed, or multiply by the dense matrix with ts.brgemm"
        )
        return [refused(AS_CODE, apart)]
    search = _SumsSearch(spec, facts, lines, arithmetic)
    code = search.as_code()
    return [code, search.in_loop(), _dense(spec, facts, lines, code)]


class _SumsSearch:
    """Weighs blocks by estimated cycles."""

    def __init__(self, spec: BakedSpec, facts: Facts, lines: RunsOfVectors, arithmetic: Arithmetic) -> None:
        self.spec, self.facts, self.lines, self.tuning = spec, facts, lines, facts.tuning.baked
        size = ELEMENT_BYTES[spec.acc_dtype]
        self.bits = facts.widths[0] if lines.run * size * 8 > facts.widths[0] else facts.lanes_bits(lines.run, size)
        self.vector = facts.widths[0] // 8 // size
        self.group = 1 if spec.given else facts.group(size)
        self.converts, self.narrows = (each != spec.acc_dtype for each in spec.dtypes)
        self.spare = arithmetic.spare if self.converts or self.narrows else 0
        self.code = _narrowing(spec, facts, arithmetic) if self.narrows else None
        if self.code is not None:
            self.spare += self.code.vectors
        tail = lines.run % self.vector
        sizes = {ELEMENT_BYTES[each] for each in (*spec.dtypes, spec.acc_dtype)}
        masks = sum(facts.needs_mask_register(tail, each) for each in sizes) if tail else 0
        self.registers = facts.vector_registers - masks
        self.vectors = -(-lines.run // self.vector)

    def as_code(self) -> BakedPlan | Refusal:
        """Return the plan of the block with the fewest cycles that is not too much code."""
        made = [
            BakedPlan(self.spec, self.vector, rows, together, keeps, self.group, held, cycles, self.code, way=AS_CODE)
            for rows, together, keeps, held, cycles in self._blocks()
        ]
        if made:
            return min(made, key=lambda plan: plan.cycles)
        count = len(self.spec.a.places)
        return refused(
            AS_CODE, f"{count} entries take more than {self.tuning.most_instructions} instructions, so they are no code"
        )

    def _blocks(self) -> Iterator[tuple[int, int, bool, int, float]]:
        """Yield blocks, the registers that they need and their cycles."""
        if len(self.spec.a.places) * self.facts.multiply_add > self.tuning.most_instructions:
            return
        sums = len(self.spec.sums)
        counts = {-(-sums // blocks) for blocks in range(1, sums + 1)}
        for rows in sorted(each for each in counts if each <= self.registers):
            blocks = None
            for together in range(1, min(self.vectors, self.tuning.most_together) + 1):
                for keeps in (True, False) if not self._always_loads else (True,):
                    held = rows * together + self._others(together if keeps else 1)
                    if held > self.registers:
                        continue
                    blocks = blocks or [_BlockCosts.of(each) for each in rows_of(self.spec, rows)]
                    instructions, cycles = self._cost(blocks, together, keeps)
                    if instructions <= self.tuning.most_instructions:
                        yield rows, together, keeps, held, cycles

    @property
    def _always_loads(self) -> bool:
        """Whether vectors of b are in registers because instructions take them from nowhere else."""
        return self.converts or self.facts.separate_loads or self.facts.multiply_add > 1 or self.group > 1

    def _others(self, vectors: int) -> int:
        """Registers of vectors of b and of entries."""
        return max(vectors + (GROUPS if self.group > 1 else 1), self.spare)

    def _cost(self, blocks: list[_BlockCosts], together: int, keeps: bool) -> tuple[int, float]:
        """Return the instructions as they are written, and the cycles."""
        written, cycles = 0, 0.0
        for columns in columns_of(self.lines.run, self.vector, together):
            instructions, spent = 0, 0.0
            for block in blocks:
                own, of_block = self._of_block(block, len(columns.counts), keeps)
                instructions, spent = instructions + own, spent + of_block
            loop = self.tuning.loop_instructions
            written += instructions + loop
            cycles += columns.times * (spent + loop / self.facts.issue_width)
        return written, cycles * self.lines.times

    def _of_block(self, block: _BlockCosts, vectors: int, keeps: bool) -> tuple[int, float]:
        """Return the instructions and the cycles of a block."""
        facts, convert = self.facts, self.tuning.converted_load
        fmas = block.entries * vectors * facts.multiply_add
        loads = vectors * (block.steps if self._always_loads else block.shared * keeps)
        operands = 0 if self._always_loads else (block.single if keeps else block.entries) * vectors
        embedded = facts.embedded_broadcast and vectors == 1 and keeps
        factors = -(-block.entries // self.group) if self.group > 1 else block.entries
        results = block.rows * vectors
        moves = results * (convert if self.narrows else 1) * (2 if self.spec.adds else 1)
        of_loads = loads * (convert if self.converts else 1)
        of_factors = factors - (block.entries - block.single if embedded else 0)
        instructions = fmas + of_loads + of_factors + moves + (0 if self.spec.adds else results)
        pipes = (loads + operands + results * self.spec.adds) * facts.load_cycles(self.bits)
        pipes += factors * facts.broadcast_cycles
        throughput = max(fmas * facts.fma_cycles(self.bits), pipes, instructions / facts.issue_width)
        latency = block.longest * facts.fma_latency * min(1.0, instructions / self.tuning.window)
        return instructions, max(throughput, latency)

    def in_loop(self) -> BakedPlan | Refusal:
        """Return the plan of a loop over the entries of a row."""
        tuning, facts, entries, rows = self.tuning, self.facts, len(self.spec.a.places), len(self.spec.sums)
        most = min(self.vectors, tuning.most_together)
        made = []
        for together in range(1, most + 1):
            held = together + self._others(1)
            if held > self.registers:
                continue
            cycles = 0.0
            for columns in columns_of(self.lines.run, self.vector, together):
                vectors = len(columns.counts)
                load = tuning.converted_load if self.converts else facts.separate_loads
                executed = (tuning.entry_instructions + vectors * (facts.multiply_add + load)) / facts.issue_width
                pipes = vectors * facts.load_cycles(self.bits) + facts.broadcast_cycles
                each = max(executed, pipes, facts.fma_latency, vectors * facts.fma_cycles(self.bits))
                cycles += columns.times * (entries * each + rows * (tuning.row_cycles + vectors))
            cycles *= self.lines.times
            made.append(
                BakedPlan(self.spec, self.vector, 1, together, False, 1, held, cycles, self.code, True, way=IN_LOOP)
            )
        return min(made, key=lambda plan: plan.cycles)


class _BlockCosts(NamedTuple):
    """What a block of rows costs: entries, steps, those of several rows, entries of the others, the longest row."""

    rows: int
    entries: int
    steps: int
    shared: int
    single: int
    longest: int

    @classmethod
    def of(cls, block: BlockOfRows) -> _BlockCosts:
        uses = [len(step.entries) for step in block.steps]
        single = uses.count(1)
        return cls(block.rows, sum(uses), len(uses), len(uses) - single, single, block.longest)


SUM = "sum"


def _narrowing(spec: BakedSpec, facts: Facts, arithmetic: Arithmetic) -> Lowered | None:
    """Return the code that makes a sum what a store takes, in the fewest registers; None if that is the sum itself."""
    c = spec.dtypes[1]
    total = operand(SUM, spec.acc_dtype)
    made = narrowed(total, c, (c, spec.acc_dtype) in arithmetic.converts)
    if made is total:
        return None
    straight = Straight.of([made], facts, arithmetic=arithmetic)
    codes = (straight.fitted(vectors, 1, (SUM,)) for vectors in range(facts.vector_registers))
    return next(code for code in codes if code is not None)


def _dense(spec: BakedSpec, facts: Facts, lines: RunsOfVectors, code: BakedPlan | Refusal) -> Refusal:
    """Return why a dense product is not taken: it is another function. If the pattern is too much code, the reason says
    what it would take."""
    why = "it multiplies the zeros of a, too, so that an infinity or NaN of b beside them reaches c"
    if isinstance(code, Refusal) and lines.times == 1:
        shape = (spec.a.rows, spec.a.columns) if spec.side == "left" else (spec.a.columns, spec.a.rows)
        (m, k), types = shape, (spec.acc_dtype, *spec.dtypes)
        made = gemm_spec(m, lines.run, k, dtype=types, beta=float(spec.beta))
        product = tried(DENSE, lambda: choose(GEMM.candidates(made, facts)))
        if not isinstance(product, Refusal):
            why += f"; ts.brgemm{(m, lines.run, k)} takes about {product.call_cycles:.0f} cycles"
    return refused(DENSE, why)
