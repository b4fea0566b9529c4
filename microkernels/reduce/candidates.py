"""How a reduction is cut: the candidates, the best first, until one fits into the registers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.graph import BITS
from .bodies import parts
from .plan import ReducePlan, row_blocks
from .spec import ReduceSpec

MOST = {1: 4, None: 8}
"""Vectors that a step takes, by axis: along rows accumulators are joined for each row, and the next row begins while
they wait, so there are no more than needed."""
BLOCKS = {128: (8, 4), 32: (4,)}
"""Vectors of the blocks of a search, the best first, by those of a row, at least: to look at a block once more takes
about as long for each of its vectors as two of the row's."""
LONG = 64, 8
"""Vectors of a row that is long, and those that a step takes there."""
STEP, NARROW, WIDE = 4, 8, 24
"""The same down columns, at least, and the vectors of a block: in a near cache blocks are narrow, so that a few rows of
some columns go by before the same rows of the next ones; elsewhere they are wide, as prefetchers follow those."""
ROWS, LIGHT = 4, 5
"""Rows that go by in a near cache before the next columns, or a loop's next turn, and up to how many operations for a
vector a block of several steps pays there."""
BAND = 3
"""What a band of rows takes to begin and end, by what folding one row of a power of two takes: of a maximum in L1, 4
rows are faster than 5 or 6 where rows have two vectors or more (of a Zen 4), 8 than 4."""
ROOM, TIGHT = 64, 7
"""Registers that the code of a part may take: all that it wants, or so many, with constants in memory."""
GROUPS = 16, 4, 1
"""Rows that are folded together, at most: one after the other would wait for each other's loads and stores. Fewer where
registers are short."""


def plan(spec: ReduceSpec, facts: Facts) -> ReducePlan:
    """As many accumulators as there are registers for, up to what pays."""
    arithmetic = arithmetic_of(facts)
    vector = facts.widths[0] // BITS[spec.compute]
    tables = [(spec.dtype, arithmetic.loads), *([] if spec.arg_reduction else [(spec.out, arithmetic.stores)])]
    for dtype, table in tables:
        if dtype != spec.compute and (dtype, spec.compute) not in table:
            raise UnsupportedError(f"{dtype} computed in {spec.compute}: this target does not convert them")
    whole = spec.axis is None and spec.ldx == spec.n
    rows, columns = (1, spec.m * spec.n) if whole else (spec.m, spec.n)
    for made in _candidates(spec, facts, rows, columns, vector):
        left = arithmetic.masks + max(0, arithmetic.further_masks - len(made.partial)) - made.masks
        if made.vectors + _lane_masks(made, facts) <= facts.vector_registers and left >= 0:
            return replace(made, blends=spec.axis != 0 and left >= facts.fold_masks > 0)
    raise UnsupportedError(f"{spec.equation}: this target has too few registers for one accumulator of each kind")


def _candidates(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int) -> Iterator[ReducePlan]:
    """The best first."""
    vectors = -(-columns // vector)
    size = rows * columns * ELEMENT_BYTES[spec.dtype]
    near = size <= facts.l1_bytes
    if spec.arg_reduction and spec.axis != 0:
        yield from _blocks(spec, facts, rows, columns, vector)
    if spec.axis == 1 and size <= facts.l2_bytes:
        yield from _side_by_side(
            spec, facts, rows, columns, vector, facts.interleaved_rows if near else facts.interleaved_rows // 2
        )
    if spec.axis == 0:
        followed = near or (facts.follows_rows and size <= facts.l2_bytes)
        yield from _down_columns(spec, facts, rows, columns, vector, rows > 1 and not followed)
        return
    most = LONG[1] if spec.axis == 1 and vectors > LONG[0] else MOST[spec.axis]
    tried = [(unroll, ROOM) for unroll in range(min(most, vectors), 0, -1)]
    for unroll, room in (*tried, (1, TIGHT)):
        made = parts(spec, facts, rows, columns, vector, unroll, room)
        if made is None:
            continue
        for together in GROUPS if spec.axis == 1 else (1,):
            held = (True, False) if rows > 1 and together > GROUPS[-1] else (False,)
            yield from (replace(made, held=each, together_rows=together) for each in held)


def _blocks(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int) -> Iterator[ReducePlan]:
    """A search along long rows, of blocks of vectors."""
    sizes = next((sizes for least, sizes in BLOCKS.items() if columns >= least * vector), ())
    for block in sizes:
        made = parts(spec, facts, rows, columns, vector, 1, ROOM, block=block)
        if made is not None:
            together = GROUPS if spec.axis == 1 else GROUPS[-1:]
            yield from (replace(made, held=held, together_rows=each) for each in together for held in (True, False))


def _down_columns(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int,
                  far: bool) -> Iterator[ReducePlan]:  # fmt: skip
    """Blocks of columns: of those that registers allow, the ones whose accumulators wait least for each other. Several
    rows go by at a time where a vector takes so few instructions that loads are what takes time, and a step takes the
    vectors of two where the machine has a way of its own: in a near cache, as the registers for it make blocks
    narrow."""
    vectors, between = -(-columns // vector), facts.fma_latency / facts.load_cycles(facts.widths[0])
    step = STEP if far else max(STEP, math.ceil(between))

    def waiting(block: tuple[int, int], together: int) -> float:
        full, rest = divmod(vectors, block[0] * block[1])
        each = between / together
        return full * max(block[0] * block[1], each) + (max(rest, each) if rest else 0)

    narrow, wide = max(1, NARROW // step), WIDE // step
    runs = range(wide, 0, -1) if far else (*range(narrow, wide + 1), *range(narrow - 1, 0, -1))
    blocks = [(step, times) for times in runs if (times - 1) * step < vectors]
    alone = [unroll for unroll in (STEP, *range(2 * STEP, 0, -1)) if unroll <= vectors and unroll != step]
    blocks += [(unroll, 1) for unroll in alone]
    own = all(arithmetic_of(facts).running(name, spec.compute, 2) is not None for name in spec.reductions)
    for together in (2, 1) if own and rows > 1 and not far else (1,):
        tried = [(*block, ROOM) for block in sorted(blocks, key=lambda block: waiting(block, together))]
        for unroll, times, room in (*tried, (1, 1, TIGHT)):
            made = parts(spec, facts, rows, columns, vector, unroll, room, together=together)
            light = made is not None and times > 1 and made.step.operations <= LIGHT and not spec.arg_reduction
            if made is not None and (far or light or times == 1):
                made = replace(made, ahead=far and not facts.follows_rows, runs=times,
                               deep=1 if far else ROWS // together)  # fmt: skip
                yield from (replace(made, held=held) for held in (True, False))


def _side_by_side(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int,
                  most: int) -> Iterator[ReducePlan]:  # fmt: skip
    """The same along up to `most` rows that are walked side by side: of a matrix in a near cache, where several walks
    are as good as one. Of the heights of bands that registers allow, those that take least to fold; bands are so high
    that accumulators do not wait, those that just do not wait the last ones."""
    between = facts.fma_latency / facts.load_cycles(facts.widths[0])

    def folding(height: int) -> int:
        return sum(times * ((1 << (each - 1).bit_length()) + BAND) for each, times in row_blocks(rows, height))

    heights = {-(-rows // -(-rows // height)) for height in range(2, most + 1)}
    tight: list[ReducePlan] = []
    for interleaved_rows in sorted(heights, key=folding):
        for unroll in (interleaved_rows, -(-interleaved_rows // 2)):
            made = parts(spec, facts, rows, columns, vector, unroll, ROOM, interleaved_rows)
            least = made.row_blocks[-1][0] * made.together if made is not None else 0
            if made is not None and least > between:
                yield from (replace(made, held=held) for held in (True, False))
            elif made is not None and least == between:
                tight += (replace(made, held=held) for held in (True, False))
    yield from tight


def _lane_masks(made: ReducePlan, facts: Facts) -> int:
    """Vector registers that the masks of lanes take."""
    spec, rest = made.spec, made.rest
    loaded = {(rest, dtype) for dtype in (spec.compute, spec.dtype)} if rest else set()
    stored = {(count, dtype) for count in made.stored for dtype in (spec.compute, spec.out)}
    return sum(facts.needs_mask_register(count, ELEMENT_BYTES[dtype]) for count, dtype in loaded | stored)
