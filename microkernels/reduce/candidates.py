"""The ways to compute a reduction, in order of preference: the first one for which the registers suffice is chosen.

Each way states how many accumulators there are and which vectors a step takes. Its plan is made only when it is tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial

from ..choice import Refusal, Way, choose
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.graph import BITS
from .bodies import Bodies
from .ops import FLOATS, of_elements
from .plan import Extents, ReducePlan, row_blocks
from .spec import ReduceSpec


def candidates(spec: ReduceSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Return all ways, the best first."""
    arithmetic = arithmetic_of(facts)
    tables = [(spec.dtype, arithmetic.loads), *([] if spec.arg_reduction else [(spec.out, arithmetic.stores)])]
    for dtype, table in tables:
        if dtype != spec.compute and (dtype, spec.compute) not in table:
            others = ", ".join(sorted({stored for stored, computed in table if computed == spec.compute}))
            raise UnsupportedError(
                f"{dtype} computed in {spec.compute}: this target has no conversion for it; it has conversions for "
                f"{others}"
            )
    return _ways(spec, facts).all()


def interleaved(spec: ReduceSpec, facts: Facts) -> ReducePlan:
    """All rows as one block of interleaved ones, whether or not their accumulators wait for each other."""
    return _ways(spec, facts).block()


def _ways(spec: ReduceSpec, facts: Facts) -> _Ways:
    one_row = spec.axis is None and spec.ldx == spec.n
    rows, columns = (1, spec.m * spec.n) if one_row else (spec.m, spec.n)
    return _Ways(spec, facts, Extents(rows, columns, facts.widths[0] // BITS[spec.compute]))


class _Ways:
    """The ways of one request."""

    def __init__(self, spec: ReduceSpec, facts: Facts, matrix: Extents) -> None:
        self.spec, self.facts, self.matrix = spec, facts, matrix
        self.tuning = facts.tuning.reduce
        self.bytes = matrix.rows * matrix.columns * ELEMENT_BYTES[spec.dtype]
        self.latency_vectors = facts.fma_latency / facts.load_cycles(facts.widths[0])
        """The number of vectors that are loaded during the latency of one operation: with at least this many
        accumulators, operations do not wait for each other."""
        self.bodies: Callable[..., Bodies] = cache(partial(Bodies, spec, facts, matrix))
        self.quick = spec.arg_reduction and facts.branches_on_masks and spec.compute in FLOATS
        """Whether an index search may ignore NaN and be repeated by an exact one if it met a NaN."""

    def all(self) -> Iterator[Way | Refusal]:
        """Yield all ways, the best first."""
        if self.spec.axis == 0:
            yield from self._down_columns()
            return
        blocks = self._arg_blocks() if self.spec.arg_reduction else ()
        interleaved: Iterable[Way | Refusal] = ()
        if self.spec.axis == 1 and self.bytes <= self.facts.l2_bytes:
            interleaved = self._interleaved_rows()
        if self.quick and self.bytes > self.facts.l1_bytes:  # loads from beyond L1 take longer than quick steps
            yield from (*interleaved, *blocks)
        else:
            yield from (*blocks, *interleaved)
        yield from self._row_by_row()

    # Along rows

    def _row_by_row(self) -> Iterator[Way]:
        """Yield the ways that walk one row after the other, or all elements, the most accumulators first."""
        tuning, bodies, whole = self.tuning, self.bodies(2, 0), "a row" if self.spec.axis == 1 else "all elements"
        most = tuning.all_step
        if self.spec.axis == 1:
            most = tuning.long_row_step if self.matrix.row_vectors > tuning.long_row else tuning.row_step
        counts = [bodies.accumulators(vectors) for vectors in range(min(most, self.matrix.row_vectors), 0, -1)]
        for count in dict.fromkeys(counts):
            way = f"{count} accumulators for {whole}" if count > 1 else f"1 accumulator for {whole}"
            yield Way(way, partial(self._rows_folded, count, tuning.code_registers))
        for few in tuning.few_registers:
            yield Way(f"1 accumulator for {whole}, {few} registers for its code", partial(self._rows_folded, 1, few))

    def _rows_folded(self, accumulators: int, registers: int) -> ReducePlan:
        """Return the plan that folds as many rows together as there are registers for."""
        plan = self.bodies(2, 0).plan(accumulators, registers)
        together = self.tuning.folded_rows if self.spec.axis == 1 else (1,)
        return self._fitting(
            replace(plan, constants_stay=stay, folded_rows=rows)
            for rows in together
            for stay in ((True, False) if self.matrix.rows > 1 and rows > self.tuning.folded_rows[-1] else (False,))
        )

    def _arg_blocks(self) -> Iterator[Way]:
        """Yield index searches along long rows that first find the best element of a block of vectors, then its
        index."""
        tuning, vectors = self.tuning, self.matrix.columns // self.matrix.vector
        interleaves = self.quick and self.spec.axis == 1 and self.matrix.rows > 1 and self.bytes <= self.facts.l1_bytes
        table = tuning.arg_blocks_beside_quick if interleaves else tuning.arg_blocks
        sizes = next((sizes for least, sizes in table if vectors >= least), ())
        for block in sizes:
            yield Way(f"blocks of {block} vectors of a row", partial(self._arg_blocks_folded, block))

    def _arg_blocks_folded(self, block: int) -> ReducePlan:
        plan = self.bodies(2, block).plan(1, self.tuning.code_registers)
        together = self.tuning.folded_rows if self.spec.axis == 1 else self.tuning.folded_rows[-1:]
        return self._fitting(
            replace(plan, constants_stay=stay, folded_rows=rows) for rows in together for stay in (True, False)
        )

    def _interleaved_rows(self) -> Iterator[Way | Refusal]:
        """Yield the ways that walk several rows side by side, each with one accumulator. The matrix lies in a near
        cache, where several walks are as fast as one.

        The heights of row blocks that take the least time to fold come first. Blocks are so high that accumulators do
        not wait for each other; heights that only just suffice for this come last.
        """
        rows = self.matrix.rows
        latency = self.latency_vectors / (self.tuning.quick_time if self.quick else 1)
        near = self.bytes <= self.facts.l1_bytes
        most = self.facts.interleaved_rows if near else self.facts.interleaved_rows // 2
        heights = {-(-rows // -(-rows // height)) for height in range(2, most + 1)}
        if not heights:
            return
        bodies = self.bodies(2, 0, self.quick)
        vectors_per_step = bodies.vectors_per_step
        tight: list[Way] = []
        for height in sorted(heights, key=self._folding_time):
            in_flight = row_blocks(rows, height)[-1][0] * vectors_per_step
            for unroll in self.tuning.quick_unroll if self.quick else (height, -(-height // 2)):
                way = Way(f"{height} interleaved rows, {unroll} in a step", partial(self._interleaved, height, unroll))
                if in_flight > latency:
                    yield way
                elif in_flight == latency:
                    tight.append(way)
                else:
                    reason = (
                        f"{in_flight} vectors are in flight, and {latency:g} are needed to hide the latency of "
                        "an operation"
                    )
                    yield Refusal(way.name, UnsupportedError(reason))
        yield from tight

    def block(self) -> ReducePlan:
        """One block of all rows."""
        unrolled = self.tuning.quick_unroll if self.quick else (self.matrix.rows, -(-self.matrix.rows // 2))
        ways = [Way(f"{unroll} in a step", partial(self._interleaved, self.matrix.rows, unroll)) for unroll in unrolled]
        made = choose(ways)
        assert isinstance(made, ReducePlan)
        return made

    def _folding_time(self, height: int) -> int:
        """Return the time of folding all row blocks, relative to folding one row. The rows of a block are rounded up to
        a power of two."""
        cost = self.tuning.row_block_cost
        blocks = row_blocks(self.matrix.rows, height)
        return sum(times * ((1 << (rows - 1).bit_length()) + cost) for rows, times in blocks)

    def _interleaved(self, height: int, unroll: int) -> ReducePlan:
        plan = self.bodies(2, 0, self.quick).plan(unroll, self.tuning.code_registers, height)
        return self._fitting(replace(plan, constants_stay=stay) for stay in (True, False))

    # Down columns

    def _down_columns(self) -> Iterator[Way]:
        """Yield the ways that walk down blocks of columns. The blocks whose accumulators wait least for each other come
        first.

        Several rows are accumulated at a time if a vector takes so few instructions that loads take most of the time. A
        step takes the vectors of two rows if the machine has a special state for that. This pays only in a near cache,
        because the registers for it make blocks narrow.
        """
        spec, facts, tuning = self.spec, self.facts, self.tuning
        near = self.bytes <= facts.l1_bytes or (facts.follows_rows and self.bytes <= facts.l2_bytes)
        far = self.matrix.rows > 1 and not near
        yield from self._quick_blocks(far)
        blocks = self._column_blocks(far)
        own = all(
            arithmetic_of(facts).running(of_elements(name)[0], spec.compute, 2) is not None for name in spec.reductions
        )
        for rows in (2, 1) if own and self.matrix.rows > 1 and not far else (1,):
            ways = [(*block, tuning.code_registers) for block in self._least_waiting(blocks, rows)]
            for unroll, steps, registers in dict.fromkeys((*ways, *((1, 1, few) for few in tuning.few_registers))):
                way = f"blocks of {unroll * steps} vectors of columns, {unroll} in a step"
                way += f", {rows} rows at a time" if rows > 1 else ""
                way += f", {registers} registers for its code" if registers in tuning.few_registers else ""
                yield Way(way, partial(self._column_block, unroll, steps, registers, rows, far))

    def _quick_blocks(self, far: bool) -> Iterator[Way]:
        """Yield index searches of two rows at a time. A step has few vectors, as there are few mask registers."""
        if not self.quick or self.matrix.rows == 1:
            return
        tuning, vectors = self.tuning, self.matrix.row_vectors
        wide = tuning.block_vectors if far else tuning.near_block_vectors
        blocks = [
            (unroll, steps)
            for unroll in tuning.quick_unroll
            for steps in range(max(1, wide // unroll), 0, -1)
            if (steps - 1) * unroll < vectors
        ]
        for unroll, steps in self._least_waiting(blocks, 2):
            way = f"blocks of {unroll * steps} vectors of columns, {unroll} in a step, 2 rows at a time, no NaN"
            yield Way(way, partial(self._quick_block, unroll, steps, far))

    def _quick_block(self, unroll: int, steps: int, far: bool) -> ReducePlan:
        plan = self.bodies(2, 0, True).plan(unroll, self.tuning.code_registers)
        turn = self.tuning.rows_per_turn // 2 if steps == 1 and not far else 1
        plan = replace(plan, prefetches=far and not self.facts.follows_rows, steps_per_block=steps, steps_per_turn=turn)
        return self._fitting(replace(plan, constants_stay=stay) for stay in (True, False))

    def _column_blocks(self, far: bool) -> list[tuple[int, int]]:
        """Return (vectors per step, steps) of the blocks that may pay."""
        tuning, vectors = self.tuning, self.matrix.row_vectors
        least = tuning.column_step
        step = least if far else max(least, math.ceil(self.latency_vectors))
        narrow, wide = max(1, tuning.near_block_vectors // step), tuning.block_vectors // step
        runs = range(wide, 0, -1) if far else (*range(narrow, wide + 1), *range(narrow - 1, 0, -1))
        blocks = [(step, steps) for steps in runs if (steps - 1) * step < vectors]
        single = [unroll for unroll in (least, *range(2 * least, 0, -1)) if unroll <= vectors and unroll != step]
        return blocks + [(unroll, 1) for unroll in single]

    def _least_waiting(self, blocks: Iterable[tuple[int, int]], rows: int) -> list[tuple[int, int]]:
        """Sort block sizes by the time that all blocks take. A block with too few vectors to hide the latency of an
        operation takes as long as one with just enough."""

        def time(block: tuple[int, int]) -> float:
            vectors = block[0] * block[1]
            full, rest = divmod(self.matrix.row_vectors, vectors)
            hidden = self.latency_vectors / rows
            return full * max(vectors, hidden) + (max(rest, hidden) if rest else 0)

        # blocks wider than the matrix are narrowed to it, so several sizes may become the same
        reached = [(min(unroll, self.matrix.row_vectors), steps) for unroll, steps in sorted(blocks, key=time)]
        return list(dict.fromkeys(reached))

    def _column_block(self, unroll: int, steps: int, registers: int, rows: int, far: bool) -> ReducePlan:
        plan = self.bodies(rows, 0).plan(unroll, registers)
        limit = self.tuning.light_operations
        if steps > 1 and not far and (plan.step.operations > limit or self.spec.arg_reduction):
            raise UnsupportedError(
                f"with data in a near cache several steps pay off only up to {limit} "
                "operations a vector, and never for index searches; this step takes "
                f"{plan.step.operations}"
            )
        plan = replace(
            plan,
            prefetches=far and not self.facts.follows_rows,
            steps_per_block=steps,
            steps_per_turn=1 if far else self.tuning.rows_per_turn // rows,
        )
        return self._fitting(replace(plan, constants_stay=stay) for stay in (True, False))

    # Registers

    def _fitting(self, variants: Iterable[ReducePlan]) -> ReducePlan:
        """Return the first variant for which the registers suffice; UnsupportedError says what the last one lacks."""
        arithmetic = arithmetic_of(self.facts)
        shortage = ""
        for plan in variants:
            further = arithmetic.further_masks
            masks = arithmetic.masks + (further - len(plan.partial_counts) if further else 0)
            vectors = plan.vectors + _lane_masks(plan, self.facts)
            if vectors > self.facts.vector_registers:
                shortage = f"needs {vectors} vector registers, the target has {self.facts.vector_registers}"
            elif plan.masks > masks:
                shortage = f"needs {plan.masks} mask registers, {masks} are free"
            else:
                by_masks = self.spec.axis != 0 and masks - plan.masks >= self.facts.fold_masks > 0
                return replace(plan, folds_by_masks=by_masks)
        raise UnsupportedError(shortage)


def _lane_masks(plan: ReducePlan, facts: Facts) -> int:
    """Return the number of vector registers that the masks of lanes take."""
    spec, tail = plan.spec, plan.tail_elements
    loaded = {(tail, dtype) for dtype in (spec.compute, spec.dtype)} if tail else set()
    stored = {(count, dtype) for count in plan.stored for dtype in (spec.compute, spec.out)}
    return sum(facts.needs_mask_register(count, ELEMENT_BYTES[dtype]) for count, dtype in loaded | stored)
