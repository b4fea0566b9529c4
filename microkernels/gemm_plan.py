"""How a GEMM is cut into register blocks: `plan(spec, facts)`, a pure function that prints.

Everything is planned as a column-major product: the rows m of C lie contiguously and fill vector registers, its columns
n and the sum k do not. A row-major product is the column-major product of the transposes, C' = B' A'.

A *panel* is a group of rows held in a few vector registers (chunks). It is combined with the columns of B in blocks:

    outer   acc[i][j] += A[chunk i, k] * broadcast(B[k, j])         one FMA per chunk, column and k
    dot     acc[j] += A[row, k..] * B[k.., j], summed over elements  for one to three leftover rows, when B is
            at the end by a tree of shuffles and adds               contiguous along k

`outer` wastes what a chunk has room for beyond its rows; `dot` wastes nothing but the tree. The planner tries the
sensible cuts and keeps the one with the fewest cycles on the busiest resource (FMA pipes, load pipes, issue slots).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .dtypes import ELEMENT_BYTES
from .errors import UnsupportedError
from .gemm_spec import Batch, GemmSpec
from .machine import Facts
from .operands import RUNTIME, LeadingDimension, View, dense, views

STRAIGHT = 320  # instructions of a sum over k that is written out without a loop
BODY = 160  # instructions of a loop body over k
_MOST_CHUNKS = 8  # vector registers for one column of a panel
_MOST_CHUNKS_OF_MANY = 5  # the same where columns are plenty: near a square of accumulators fewest loads are needed
_FEW_COLUMNS = 5
_MOST_DOT_ROWS = 3
_LATE_C = 64  # longest sum over k for which C is added at its end: longer sums hide the wait for C by themselves
_PER_INSTRUCTION = (
    0.02  # cycles that an instruction costs even off the busiest resource: between equals the shorter wins
)
_MOST_HELD = 4  # registers for rows of A that a dot panel keeps
_RUNTIME_COLUMNS = 6  # columns of B addressed by multiples of a leading dimension in a register
_WINDOW = 200  # instructions a processor looks ahead: shorter blocks overlap with their neighbours


class Operand(NamedTuple):
    """A matrix of the column-major product: the order it is stored in, its leading dimension, whose argument it is.

    `distance` is that of the next matrix of a dense batch, in elements. It follows from the view that was asked for: an
    equivalent view of a single row or column has a leading dimension of its own.
    """

    order: str
    leading: LeadingDimension
    argument: str
    distance: LeadingDimension


@dataclass(frozen=True)
class Product:
    """The column-major product that is computed; a and c are stored by columns."""

    m: int
    n: int
    k: int
    dtype: str
    a: Operand
    b: Operand
    c: Operand
    pairs: int | Batch  # 1 where the whole batch is one long k

    @property
    def fixed(self) -> bool:
        """Whether every leading dimension is a number."""
        return RUNTIME not in (self.a.leading, self.b.leading, self.c.leading)


class Block(NamedTuple):
    """`columns` columns of a panel, `repeat` times side by side."""

    columns: int
    repeat: int
    unroll: int  # steps of k in the loop body; all of k when there is no loop
    split: int  # sets of accumulators that share the sum over k, to hide the latency of the FMA
    group: int = 1  # elements of B that one load brings, multiplied by their place in a register; 1: each is broadcast
    work: int = 0  # vector registers beside the accumulators (outer)


class Panel(NamedTuple):
    """Rows in `chunks` (elements of each register), `repeat` times one below the other."""

    scheme: str  # "outer" or "dot"
    chunks: tuple[int, ...]
    repeat: int
    blocks: tuple[Block, ...]
    cycles: float
    held: int = 0  # registers that keep the rows of A for all blocks (dot)

    @property
    def rows(self) -> int:
        """Rows of one repetition."""
        return sum(self.chunks)

    @property
    def registers(self) -> int:
        """Vector registers that a block holds at most, without masks."""
        if self.scheme == "outer":
            return max(block.columns * len(self.chunks) * block.split + block.work for block in self.blocks)
        return max(block.columns for block in self.blocks) * self.rows + dot_work(self.rows, self.held)


@dataclass(frozen=True)
class GemmPlan:
    """The cut, and why."""

    spec: GemmSpec
    product: Product
    panels: tuple[Panel, ...]
    late_c: bool  # C is added to the finished sum instead of starting it: shortens the chain from call to call
    vector: int  # elements of the widest register
    cycles: float  # estimate for one pair

    def __str__(self) -> str:
        p = self.product
        lines = [str(self.spec)]
        operand = {"a": "A", "b": "B", "c": "C"}
        kind = "row-major: computed as C' = B' A'" if p.a.argument == "b" else "column-major"
        lines.append(f"  {kind}; vectors along {'n' if p.a.argument == 'b' else 'm'} of {operand[p.a.argument]},"
                     f" elements of {operand[p.b.argument]} are broadcast")  # fmt: skip
        pairs = p.pairs if isinstance(p.pairs, int) else p.pairs.value
        folded = self.spec.k != p.k
        lines.append(f"  k {p.k}" + (" (the batch lies contiguously along k)" if folded else f", batch {pairs}"))
        lines += [_describe(panel, p) for panel in self.panels]
        early = self.spec.alpha == 1 and self.spec.beta == 1 and not self.late_c
        when = "starts the accumulators" if early else "added to the finished sum" if self.spec.beta else "not read"
        lines.append(f"  C {when}; alpha {self.spec.alpha:g}, beta {self.spec.beta:g}")
        ideal = p.m * p.n * p.k / self.vector
        lines.append(
            f"  about {self.cycles:.0f} cycles a pair; {ideal:.0f} FMA instructions on full vectors would do the work"
        )
        return "\n".join(lines)


def _describe(panel: Panel, product: Product) -> str:
    chunks = "+".join(map(str, panel.chunks))
    times = f"{panel.repeat} x " if panel.repeat > 1 else ""
    text = f"  panel {times}{panel.rows} rows ({panel.scheme}, {chunks}):"
    for block in panel.blocks:
        registers = block.columns * len(panel.chunks) * block.split
        loop = "k unrolled" if block.unroll == product.k else f"k by {block.unroll}"
        split = f", {block.split} sets" if block.split > 1 else ""
        split += f", B by {block.group}" if block.group > 1 else ""
        count = f"{block.repeat} x " if block.repeat > 1 else ""
        text += f" {count}{block.columns} columns [{registers} accumulators{split}, {loop}]"
    return text


def plan(spec: GemmSpec, facts: Facts) -> GemmPlan:
    """The best cut of the best column-major product that the operands' orders allow."""
    products = list(_products(spec))
    if not products:
        raise UnsupportedError(
            f"{spec}: order {spec.order!r} has no operand contiguous along a dimension of C that C shares. "
            'Supported: c="F" with a="F", or c="C" with b="C"; the other operand in either order. '
            "Pass a transposed copy, or wait for the transposes."
        )
    search = _Search(facts, spec)
    candidates = [(search.panels(product), product) for product in products]
    panels, product = min(candidates, key=lambda item: sum(panel.cycles for panel in item[0]))
    if spec.batch == 0 and spec.beta == 1:
        panels = ()  # C stays as it is
    cycles = sum(panel.cycles for panel in panels)
    pairs = product.pairs if isinstance(product.pairs, int) else 1
    late = spec.beta == 1 and spec.alpha == 1 and product.k * pairs <= _LATE_C
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.dtype]
    return GemmPlan(spec, product, panels, late, vector, cycles)


def _products(spec: GemmSpec) -> Iterator[Product]:
    """The column-major products that compute the spec: as it is, and transposed."""
    a, b, c = (each.view for each in spec.operands)
    m, n, k = spec.m, spec.n, spec.k
    straight = (m, n, ("a", m, k, a), ("b", k, n, b), ("c", m, n, c))
    flipped = (n, m, ("b", n, k, _flip(b)), ("a", k, m, _flip(a)), ("c", n, m, _flip(c)))
    for rows, columns, first, second, third in (straight, flipped):
        by_columns = [[v for v in views(view, r, s) if v.order == "F"] for _, r, s, view in (first, third)]
        if all(by_columns):
            for view in views(second[3], second[1], second[2]):
                operands = (
                    Operand(*by_columns[0][0], first[0], _distance(*first[1:])),
                    Operand(*view, second[0], _distance(*second[1:])),
                    Operand(*by_columns[1][0], third[0], _distance(*third[1:])),
                )
                yield _fold(Product(rows, columns, k, spec.dtype, *operands, _pairs(spec)))


def _flip(view: View) -> View:
    return View("F" if view.order == "C" else "C", view.leading)


def _pairs(spec: GemmSpec) -> int | Batch:
    return 1 if spec.batch is None else spec.batch


def _fold(product: Product) -> Product:
    """A fixed batch whose pairs follow each other along k is one product with a longer k."""
    pairs, a, b = product.pairs, product.a, product.b
    if isinstance(pairs, int) and pairs > 1 and _continues(a, "F", product.k) and _continues(b, "C", product.k):
        return Product(product.m, product.n, product.k * pairs, product.dtype, a, b, product.c, 1)
    return product


def _continues(operand: Operand, order: str, k: int) -> bool:
    """Whether the next matrix of a dense batch begins where step k of this one would."""
    fixed = isinstance(operand.leading, int)
    return fixed and operand.order == order and operand.distance == operand.leading * k  # type: ignore[operator]


def _distance(rows: int, columns: int, view: View) -> LeadingDimension:
    """Elements from one matrix of a dense batch to the next; RUNTIME if it follows from a runtime leading dimension."""
    steps = columns if view.order == "F" else rows
    if isinstance(view.leading, int):
        return view.leading * steps
    return RUNTIME if steps > 1 else dense(view.order, rows, columns)


class _Search:
    """The cuts of a product on a machine, and what they cost in cycles."""

    def __init__(self, facts: Facts, spec: GemmSpec) -> None:
        self.facts, self.spec = facts, spec

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """The cheapest list of panels that covers all rows."""
        self.product = product
        self.size = ELEMENT_BYTES[product.dtype]
        self.capacities = [bits // 8 // self.size for bits in self.facts.widths if bits >= 8 * self.size]
        self.vector = self.capacities[0]
        self._made: dict[tuple[int, ...], Panel] = {}
        best: tuple[Panel, ...] = ()
        least = float("inf")
        for dot_rows in self._dot_rows():
            tail = (self._dot_panel(dot_rows),) if dot_rows else ()
            for panels in self._outer_cuts(product.m - dot_rows):
                cycles = sum(panel.cycles for panel in (*panels, *tail))
                if cycles < least:
                    best, least = (*panels, *tail), cycles
        return best

    def _dot_rows(self) -> set[int]:
        """How many rows may be worth a dot panel: none, or those that are left over from full registers."""
        rows = self.product.m
        if not self.product.fixed or self.product.b.order != "F":
            return {0}
        left = {rows % capacity for capacity in self.capacities} | {rows}
        return {0} | {count for count in left if count <= _MOST_DOT_ROWS}

    def _outer_cuts(self, rows: int) -> Iterator[tuple[Panel, ...]]:
        """Rows in full registers, in panels of equal size, and a tail; few rows also in registers of half the width."""
        if rows == 0:
            yield ()
            return
        for capacity in self.capacities[: 2 if rows <= self.vector else 1]:
            full, rest = divmod(rows, capacity)
            most = min(full, _MOST_CHUNKS if self.product.n < _FEW_COLUMNS else _MOST_CHUNKS_OF_MANY)
            for tail in self._tails(rest, capacity):
                for size in range(1 if full < 3 else 2, most + 1):
                    repeat, left = divmod(full, size)
                    last = (capacity,) * left + tail
                    yield self._cut((capacity,) * size, repeat, last)
                    if last and size + len(last) <= _MOST_CHUNKS:
                        yield self._cut((capacity,) * size, repeat - 1, (capacity,) * size + last)
                if not full:
                    yield self._cut((), 0, tail)

    def _tails(self, rest: int, widest: int) -> Iterator[tuple[int, ...]]:
        """A tail in one register, or split over two narrower ones."""
        yield (rest,) if rest else ()
        for capacity in self.capacities:
            if capacity < widest and capacity < rest <= 2 * capacity:
                yield capacity, rest - capacity

    def _cut(self, chunks: tuple[int, ...], repeat: int, last: tuple[int, ...]) -> tuple[Panel, ...]:
        first = [self._outer_panel(chunks)] if repeat else []
        panels = [panel._replace(repeat=repeat, cycles=panel.cycles * repeat) for panel in first]
        return (*panels, self._outer_panel(last)) if last else tuple(panels)

    def _outer_panel(self, chunks: tuple[int, ...]) -> Panel:
        """The best panel of these chunks, searched once for a product."""
        if chunks not in self._made:
            self._made[chunks] = self._make_outer_panel(chunks)
        return self._made[chunks]

    def _make_outer_panel(self, chunks: tuple[int, ...]) -> Panel:
        n = self.product.n
        bits = tuple(self.facts.lanes_bits(count, self.size) for count in chunks)
        best: tuple[float, tuple[Block, ...]] = (float("inf"), ())
        for group in {1, self.facts.group(self.size)}:
            most = self._most_columns(chunks, group)
            fewest = -(-n // most) if most else 0
            for parts in range(fewest, min(fewest + 1, n) + 1) if most else ():
                narrow, wider = divmod(n, parts)
                cut = [(narrow + 1, wider), (narrow, parts - wider)]
                blocks = [(self._outer_block(chunks, bits, columns, group), count) for columns, count in cut if count]
                cycles = sum(cost * count for (cost, _), count in blocks) + 2 * len(blocks)
                if cycles < best[0]:
                    best = cycles, tuple(block._replace(repeat=count) for (_, block), count in blocks)
        return Panel("outer", chunks, 1, best[1], best[0])

    def _most_columns(self, chunks: tuple[int, ...], group: int) -> int:
        """Columns whose accumulators fit, with the work registers they need."""
        most = min(self.product.n, self.facts.vector_registers // len(chunks))
        if self.product.b.leading is RUNTIME and self.product.b.order == "F":
            most = min(most, _RUNTIME_COLUMNS)
        while most and (
            most * len(chunks) > self._accumulators(chunks, most, group)
            or (group > 1 and self._groups(most, group) > self.facts.group_registers(self.size))
        ):
            most -= 1
        return most

    def _accumulators(self, chunks: tuple[int, ...], columns: int, group: int) -> int:
        """Vector registers left for accumulators."""
        masks = sum(self.facts.needs_mask_register(count, self.size) for count in {*chunks})
        return self.facts.vector_registers - masks - self._work(len(chunks), columns, group)

    def _work(self, chunks: int, columns: int, group: int) -> int:
        """Vector registers beside the accumulators: for A and B, and later for beta and C."""
        broadcast = chunks + (0 if embedded(chunks, self.facts) else 1)
        work = broadcast if group == 1 else 2 + self._groups(columns, group)
        return max(work, 1 if self.spec.beta in (0, 1) else 2)

    def _groups(self, columns: int, group: int) -> int:
        """Registers of B: one for each column where B is contiguous along k, else one for `group` columns."""
        return columns if self.product.b.order == "F" else -(-columns // group)

    def _outer_block(
        self, counts: tuple[int, ...], bits: tuple[int, ...], columns: int, group: int
    ) -> tuple[float, Block]:
        """(cycles, the block) for one block of an outer-product panel."""
        facts, k = self.facts, self.product.k
        chunks = len(bits)
        along_k = group > 1 and self.product.b.order == "F"
        fmas = columns * sum(map(facts.fma_cycles, bits))
        of_b = columns if group == 1 else self._groups(columns, group) / (group if along_k else 1)
        loads = sum(map(facts.load_cycles, bits)) + of_b * facts.broadcast_cycles
        instructions = chunks * columns + chunks / facts.loads_together + (0 if embedded(chunks, facts) else of_b)
        step = max(fmas, loads, instructions / facts.issue_width)
        split = 1
        if instructions * k > _WINDOW:
            registers = self._accumulators(counts, columns, group)
            while (
                step < facts.fma_latency / split and (split + 1) * chunks * columns <= registers and split < min(4, k)
            ):
                split += 1
            step = max(step, facts.fma_latency / split)
        update = columns * sum(2 * facts.load_cycles(b) for b in bits) + 4
        step += _PER_INSTRUCTION * instructions
        steps = unroll(instructions, k, group if along_k else 1)
        return step * k + update, Block(columns, 1, steps, split, group, self._work(chunks, columns, group))

    def _dot_panel(self, rows: int) -> Panel:
        """Leftover rows, each multiplied along k with every column of B."""
        facts, n, k = self.facts, self.product.n, self.product.k
        widest, vector = facts.widths[0], self.vector
        chunks, strided = -(-k // vector), self.product.a.leading != 1
        held = rows * chunks if strided and self.product.pairs == 1 and rows * chunks <= _MOST_HELD else 0
        work = dot_work(rows, held)
        masks = 2 if self.product.c.leading == 1 else 0  # sums of at most two lengths
        work += masks + facts.needs_mask_register(k % vector or vector, self.size)
        most = max(1, min(vector, (facts.vector_registers - work) // rows, n))
        parts = -(-n // most)
        narrow, wider = divmod(n, parts)
        cut = [(columns, count) for columns, count in ((narrow + 1, wider), (narrow, parts - wider)) if count]
        # held rows are named by their place in k, so all of k is unrolled
        body = [k // vector if held else unroll((rows + 1) * columns + rows, k // vector) for columns, _ in cut]
        blocks = tuple(Block(columns, count, steps, 1) for (columns, count), steps in zip(cut, body))
        products = max(n * rows * facts.fma_cycles(widest), n * facts.load_cycles(widest)) * chunks
        tree = 3 * n * rows * facts.fma_cycles(widest)
        gathers = 2 * rows * k * (1 if held else parts) / facts.issue_width if strided else 0
        scattered = self.product.c.leading != 1 or rows > 1
        update = n * rows * (4 if scattered else 1) / facts.issue_width + 10 * parts
        return Panel("dot", (1,) * rows, 1, blocks, products + tree + gathers + update, held)


def embedded(chunks: int, facts: Facts) -> bool:
    """Whether elements of B are broadcast by the FMA itself: worth it when no second FMA needs them."""
    return facts.embedded_broadcast and chunks == 1


def dot_work(rows: int, held: int) -> int:
    """Vector registers that a dot panel needs beside its accumulators: four for B and C, and the rows of A."""
    return 4 + (held + 1 if held else rows)


def unroll(instructions: float, steps: int, multiple: int = 1) -> int:
    """Steps in a loop body: all of them if they are few, or the multiple that leaves the smallest remainder."""
    if instructions * steps <= STRAIGHT:
        return steps
    most = max(1, int(BODY / instructions) // multiple)
    return multiple * min(range(most, max(1, most // 2) - 1, -1), key=lambda u: (steps % (u * multiple), -u))
