"""Emit attention as its plan says (plan.py). No decisions are made here.

Pointers into the operands and counters lie in the stack frame. Each part claims registers only while it runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ...encoder.records import cached_property
from ..contract.dot_and_tile import OWN
from ..contract.machine import General, Machine, Slot
from ..contract.repeats import repeated
from ..dtypes import ELEMENT_BYTES
from ..eltwise.pipeline import emit_inside
from ..expr.transformed import HEAD
from ..gemm.emit import emit_product
from ..gemm.plan import GemmPlan
from ..gemm.state import KernelState
from ..operands import ORIGIN, SEED, parameters
from .blocks import QueryBlocks, further, pieces
from .keys_walked import KeysWalked
from .plan import AttentionPlan
from .spec import DISTANCE, ROW, SEEN
from .step import SoftmaxStep

_LAID_BY = "blocks since sums were laid by"


class Emitter(KeysWalked):
    """The loops over heads and blocks. Stack slots hold the operands' pointers at the current head and block, the
    scratch memory's address, and counters."""

    def __init__(self, m: Machine, plan: AttentionPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.element_bytes = {each.name: ELEMENT_BYTES[each.dtype] for each in plan.spec.operands}
        self.wide = ELEMENT_BYTES[plan.spec.compute]
        given = m.named_arguments(parameters(plan.spec.arguments))
        self.at: dict[str, General | Slot] = {name: m.in_slot(value) for name, value in given.items()}
        base = m.general("scratch memory")
        m.copy(base, m.scratch(plan.places.end))
        self.at["scratch"] = m.to_slot(base)
        counters = ("kv heads", "heads", "blocks of queries", "blocks of keys", *self.counters)
        counters += ("sequences",) if plan.spec.sequences > 1 else ()
        counters += ("queries to the next",) if any(each.again for each in plan.blocks) else ()
        counters += self.counters_of_keys
        counters += (_LAID_BY,) if plan.laid_by else ()
        counters += self.numbered
        self.at |= {name: m.counter(name) for name in counters}
        self.claim_levels()
        m.save_for_parts()

    def claim_levels(self) -> None:
        """Claim memory for the levels of sums in memory."""

    @property
    def preserved(self) -> Sequence[General | Slot]:
        """The registers and slots that no part may claim."""
        return self._preserved

    def claim_pointers(self) -> None:
        """Claim nothing: each part claims its registers."""

    per_query: tuple[str, ...] = ("q", "out")
    """The operands whose pointers advance with the queries."""
    per_key: tuple[str, ...] = ("k", "v")
    counters: tuple[str, ...] = ("queries before", "vectors")
    first = 0  # query of the block at which a part begins
    beyond = 0  # rows of the current block past the last query

    sets_aside = False
    """Whether parts may also use the registers of frame values. Where these stay in registers, they are most of
    the registers."""

    @property
    def aside(self) -> Sequence[General | Slot]:
        """The registers of frame values to set aside for parts."""
        return [each for each in self.at.values() if not isinstance(each, Slot)] if self.sets_aside else ()

    def run(self) -> None:
        """Emit all heads. Tile registers, if products use them, are configured once."""
        shapes = self.plan.tile_shapes
        if not shapes:
            self._heads()
            return
        self.tiles = self.m.tiles(self.spec.dtype, self.spec.dtype)
        with self.tiles.opened(shapes, OWN, None):
            self._heads()

    def _heads(self) -> None:
        m, spec = self.m, self.spec
        self.prepare()
        self._begin_positions()
        if spec.sequences == 1:
            self._heads_of_sequence(spec.kv_heads)
            return
        with m.loop(self.at["sequences"], spec.sequences):
            self._heads_of_sequence(spec.kv_heads // spec.sequences)
            of_sequences, of_heads = spec.masks
            ahead = (of_heads if of_sequences > 1 else 0) - (of_heads if of_heads > 1 else 0)
            m.advance(self.at["mask"], ahead * self._bytes_of_mask)

    def _heads_of_sequence(self, kv_heads: int) -> None:
        m, spec = self.m, self.spec
        with m.loop(self.at["kv heads"], kv_heads):
            self.begin_keys()
            with m.loop(self.at["heads"], spec.group):
                self._head()
            self.end_keys()
            for name in self.per_key:
                m.advance(self.at[name], spec.head_step(name) * self.element_bytes[name])

    def _begin_positions(self) -> None:
        """Set the numbers of the first query, key and head, and the pointer to the mask of their pair."""
        m, spec = self.m, self.spec
        for name in self.numbered:
            m.copy(self.at[name], 0)
            if name == "query" and spec.causal and spec.seen:
                m.advance(self.at[name], self.at[SEEN])
                m.advance(self.at[name], -spec.queries)
            if spec.part and name in (HEAD, "line"):
                m.advance(self.at[name], self.at[ORIGIN[0]], spec.part * (1 if name == HEAD else spec.queries))
        if spec.mask == DISTANCE:
            m.advance(self.at["mask"], (spec.keys - 1) * self.wide)

    def prepare(self) -> None:
        """Emit the setup that all heads share."""
        if self.spec.causal:
            SoftmaxStep(self, self.plan).window()

    def begin_keys(self) -> None:
        """Emit the setup of one head of k and v."""

    def end_keys(self) -> None:
        """Emit the end of one head of k and v, after all heads that share it."""

    def _head(self) -> None:
        m, spec = self.m, self.spec
        if spec.causal:
            m.copy(self.at["queries before"], 0)
        for blocks in self.plan.blocks:
            if blocks.again:
                m.copy(self.at["queries to the next"], blocks.rows - blocks.again)
            if blocks.back:
                for name, size in self._bytes_of_query().items():
                    m.advance(self.at[name], -blocks.back * size)
            with m.loop(self.at["blocks of queries"], blocks.times):
                self._queries(blocks)
                self._next_queries(blocks)
        if spec.mask is not None:
            next_mask = self._bytes_of_mask if spec.masks[1] > 1 else 0
            m.advance(self.at["mask"], next_mask - spec.queries * spec.mask_steps[0] * self.wide)
        for name, step in (("query", -spec.queries), (HEAD, 1)):
            if name in self.numbered:
                m.advance(self.at[name], step)
        for name in self.per_query:
            beyond = spec.head_step(name) - spec.queries * spec.row_step(name)
            m.advance(self.at[name], beyond * self.element_bytes[name])

    def _next_queries(self, blocks: QueryBlocks) -> None:
        """Advance all pointers along queries to the next block."""
        m, spec = self.m, self.spec
        for name, size in self._bytes_of_query().items():
            if blocks.again:
                m.advance(self.at[name], self.at["queries to the next"], size)
            else:
                m.advance(self.at[name], blocks.stored * size)
        if blocks.again:
            m.copy(self.at["queries to the next"], blocks.rows)
        if spec.causal:
            m.advance(self.at["queries before"], 1)

    def _bytes_of_query(self) -> dict[str, int]:
        """Return the bytes between adjacent queries, for each operand that advances with the queries."""
        spec, steps = self.spec, {name: self.bytes_of_line(name) for name in self.per_query}
        steps |= {"lse": self.wide} if spec.lse else {}
        steps |= {"mask": spec.mask_steps[0] * self.wide} if spec.of_pairs else {}
        return steps | {name: 1 for name in ("query", "line") if name in self.numbered}

    @property
    def _bytes_of_mask(self) -> int:
        mask = next(each for each in self.spec.inputs if each.name == "mask")
        return math.prod(mask.shape) // math.prod(self.spec.masks) * self.wide

    @cached_property
    def numbered(self) -> tuple[str, ...]:
        """The numbers of the current query, key and head that parts read. A line is a query of all heads."""
        dropped = ("key", "line") if self.spec.rate else ()
        return tuple(sorted({*dropped, *self.spec.positions}))

    def _queries(self, blocks: QueryBlocks) -> None:
        """Emit one block of queries."""
        m, rows = self.m, blocks.rows
        m.note(f"a block of {rows} queries")
        self.begin(blocks)
        if self.plan.laid_by:
            m.copy(self.at[_LAID_BY], 0)
        if blocks.most is not None:
            left = self.keys_left()
            for keys in blocks.lengths(self.plan.keys):
                self.reclaim()
                with m.while_at_least(left, keys):
                    self.keys(rows, keys, False)
                    self._lay_by(blocks)
        elif blocks.whole is None:
            for count in self.blocks_before():
                with m.unless_zero(count), m.loop(self.at["blocks of keys"], count):
                    self.keys(rows, self.plan.keys, False)
                    self._lay_by(blocks)
        elif blocks.whole:
            with m.loop(self.at["blocks of keys"], blocks.whole):
                self.keys(rows, self.plan.keys, False)
                self._lay_by(blocks)
        self.crossed = 0 < self.spec.window < rows
        for first, queries, keys in blocks.parts(self.plan.step):
            self.keys(queries, keys, blocks.hidden, first)
        whole = blocks.whole or 0
        for name in self.moving:  # back to the first key
            if blocks.most is not None:
                m.advance(self.at[name], self.dynamic_count, -self.bytes_of_key(name))
            elif blocks.whole is None:
                m.advance(self.at[name], self.at["queries before"], -self.plan.keys * self.bytes_of_key(name))
            m.advance(self.at[name], -(whole * self.plan.keys + blocks.last) * self.bytes_of_key(name))
        self.end(blocks)

    def _lay_by(self, blocks: QueryBlocks) -> None:
        """After a block of keys, add its sums to those that are laid by, if enough blocks have added to them."""
        if self.plan.laid_by:
            self.reclaim()
            self.m.advance(self.at[_LAID_BY], 1)
            with self.m.while_at_least(self.at[_LAID_BY], self.plan.laid_by):
                self.lay_by(blocks)

    def lay_by(self, blocks: QueryBlocks) -> None:
        """Add the sums of all queries of a block to those that are laid by, and set them to 0."""
        self.lay_rows_by(blocks.rows)

    def lay_rows_by(self, rows: int) -> None:
        """The same for some rows. Both sums then have the largest score of all blocks so far."""
        total, sums, far_total, far_largest, far_sums, correction = map(
            self.place, ("total", "sums", "far_total", "far_largest", "far_sums", "far_correction")
        )
        self.elementwise(
            "folded",
            rows,
            largest=self.place("largest"),
            total=total,
            before=far_largest,
            far=far_total,
            y0=correction,
            y1=far_total,
            y2=far_largest,
            y3=total,
        )
        self.elementwise("laid", rows, o=sums, far=far_sums, correction=correction, y=far_sums)
        self.elementwise("start", rows, y=sums)

    def place(self, name: str) -> tuple[str, int]:
        """Return where an intermediate value is, as a buffer and an offset in bytes."""
        return "scratch", getattr(self.plan.places, name)

    def begin(self, blocks: QueryBlocks) -> None:
        """Emit the setup of a block of queries, before its first key."""
        self.beyond = blocks.beyond
        self.begin_rows(blocks.rows, blocks.stored)

    def begin_rows(self, rows: int, stored: int) -> None:
        """Emit Q' and the initial sums of `rows` queries, of which the first `stored` exist."""
        self.elementwise("queries", stored, q=("q", 0), y=self.place("queries"))
        self.elementwise("start", rows, y=self.place("sums"))
        self.elementwise("begun", rows, y0=self.place("largest"), y1=self.place("total"))
        if self.plan.laid_by:
            self.elementwise("start", rows, y=self.place("far_sums"))
            self.elementwise("begun", rows, y0=self.place("far_largest"), y1=self.place("far_total"))

    def end(self, blocks: QueryBlocks) -> None:
        """Emit the results of a block."""
        self.end_rows(blocks.rows, blocks.stored)

    def end_rows(self, rows: int, stored: int) -> None:
        """Emit the results of `rows` queries, of which the first `stored` exist."""
        far = "far_" if self.plan.laid_by else ""
        if far:
            self.lay_rows_by(rows)
        total, inverse = self.place(f"{far}total"), self.place("correction")
        if self.spec.lse:
            self.elementwise("finished", stored, total=total, largest=self.place("largest"), y0=inverse, y1=("lse", 0))
        else:
            self.elementwise("finished", rows, total=total, y=inverse)
        self.elementwise("out", stored, o=self.place(f"{far}sums"), r=inverse, y=("out", 0))

    @property
    def moving(self) -> Sequence[str]:
        """The operands whose pointers advance with the keys."""
        return (*self.per_key, *(["mask"] if self.spec.mask else []), *(["key"] if "key" in self.numbered else []))

    def keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """Emit one block of keys, for the queries of the block from `first` on."""
        m, skipped = self.m, first * self.wide
        queries, scores, powers, sums, correction = (
            further(self.place(name), skipped) for name in ("queries", "scores", "powers", "sums", "correction")
        )
        m.note(f"a block of {keys} keys")
        self.masked(rows - self.beyond, keys, first)
        line = self.plan.rows * self.wide
        for key, count in pieces(keys, self.plan.piece):
            self.product("scores", rows, count, queries, self._moved("k", key, count), further(scores, key * line))
        self.scored(rows, keys, first)
        self.softmax(rows, keys, hidden, skipped)
        self.elementwise("corrected", rows, o=sums, y=sums, correction=correction)
        for key, count in pieces(keys, self.plan.piece):
            self.product("sums", rows, count, further(powers, key * line), self._moved("v", key, count), sums)
        self.move_keys(keys)

    def masked(self, stored: int, keys: int, first: int = 0) -> None:
        """Copy the mask of `stored` queries from `first` on, as the initial value of their scores or beside these."""
        spec = self.spec
        if spec.of_pairs:
            name, place = ("mask", "scores") if spec.begins_as_mask else ("mask beside", "beside")
            skipped, at = first * self.wide, ("mask", first * spec.mask_steps[0] * self.wide)
            self.elementwise(name, stored, keys, mask=at, y=further(self.place(place), skipped))

    def scored(self, rows: int, keys: int, first: int = 0) -> None:
        """Emit what becomes of the scores of a block before the softmax step, and the factors of its powers."""
        spec, self.first = self.spec, first
        scores, beside, kept = (further(self.place(name), first * self.wide) for name in ("scores", "beside", "kept"))
        crossed = self.crossed and spec.crossed
        if crossed or spec.score is not None:
            masks = {"mask": ("mask", 0) if spec.mask == ROW else beside} if spec.mask_of_score else {}
            made = {"y0": scores, "y1": beside} if spec.inverse and spec.score is not None else {"y": scores}
            self.elementwise("windowed" if crossed else "scored", rows, keys, score=scores, **masks, **made)
        if spec.rate:
            self.elementwise("kept", rows, keys, y=kept)

    def _moved(self, name: str, first: int, keys: int) -> tuple[str, int]:
        """Return the place of a piece of k or v. Some products read a copy that is transposed or converted."""
        place = name, first * self.bytes_of_line(name)
        if (f"{name} moved", 0, keys) not in self.plan.elementwise:
            return place
        copy = ("scratch", self.plan.places.values)
        self.elementwise(f"{name} moved", 0, keys, x=place, y=copy)
        return copy

    def move_keys(self, keys: int) -> None:
        """Advance the pointers past a block of keys."""
        for name in self.moving:
            self.m.advance(self.at[name], keys * self.bytes_of_key(name))

    def bytes_of_key(self, name: str) -> int:
        """Return the bytes between adjacent keys of an operand."""
        if name in ("key", "mask"):
            return 1 if name == "key" else self.spec.mask_steps[1] * self.wide
        return self.bytes_of_line(name)

    def bytes_of_line(self, name: str) -> int:
        """Return the bytes between adjacent queries or keys of an operand of lines."""
        return self.spec.row_step(name) * self.element_bytes[name]

    # Parts

    def elementwise(self, name: str, rows: int, keys: int = 0, **operands: tuple[str, int]) -> None:
        """Emit an elementwise part. Each operand is given as a buffer and an offset in bytes."""
        plan = self.plan.elementwise[name, rows, keys]

        def emit(registers: Sequence[General]) -> None:
            with self.m.set_aside(self.aside):
                self.emit_elementwise(plan, dict(zip(operands, registers)), self._numbers(name, plan))

        self._part(name, plan, operands, emit)

    def _numbers(self, name: str, plan: Any) -> dict[str, General]:
        """Return registers with the numbers that a part of a block of scores reads: its first row and column, the head
        and the seed."""
        if name not in ("scored", "windowed", "kept"):
            return {}
        spec, queries = plan.spec, "line" if name == "kept" else "query"
        of_row, of_column = (queries, "key") if self.plan.upright else ("key", queries)
        slots = {"row": of_row, "column": of_column} | {each.name: each.name for each in spec.numbers}
        used = {each for each, _ in spec.program.inputs}
        made: dict[str, General] = {}
        for number, slot in slots.items():
            if f"@{number}" in used or number in (HEAD, SEED):
                made[number] = self.m.general(number)
                self.m.copy(made[number], self.at[slot])
                if slot == queries:
                    self.m.advance(made[number], self.first)
        return made

    def emit_elementwise(self, plan: Any, pointers: dict[str, General], numbers: dict[str, General]) -> None:
        """Emit an elementwise part with these pointers and numbers."""
        emit_inside(self.m, plan, pointers, numbers)

    def product(self, name: str, rows: int, keys: int, *operands: tuple[str, int]) -> None:
        """Emit the product of the operands at these places."""
        plan = self.plan.product[name, rows, keys]

        def emit(registers: Sequence[General]) -> None:
            with self.m.set_aside(self.aside), self._reconfigured(plan):
                state = KernelState(self.m, plan, registers)
                if plan.tile_shapes:
                    state.tile_scratch = self.pointer("scratch", self.plan.places.tiles)
                emit_product(state)

        self._part(name, plan, dict(enumerate(operands)), emit)

    def softmax(self, rows: int, keys: int, hidden: bool, skipped: int, before: int = 0) -> None:
        """Emit the softmax step of a block. skipped: bytes of the queries before the first one; before: the vectors of
        queries of the block before the first one, if keys are hidden."""
        plan, spec = self.plan, self.spec
        kind = spec.compute, spec.row_mask, bool(spec.rate), id(plan.softmax)
        key = "softmax", plan.places, plan.rows, plan.vector, kind, rows, keys, hidden, skipped, before
        self.reclaim()
        repeated(
            self.m,
            (key, self._frame_values),
            plan.softmax,
            lambda: SoftmaxStep(self, plan).block(rows, keys, hidden, skipped, before),
        )

    def _part(
        self, name: str, plan: Any, operands: Mapping[Any, tuple[str, int]], emit: Callable[[Sequence[General]], None]
    ) -> None:
        """Emit a part with all registers free; values that outlive it are in slots. If the same part on the same places
        was emitted before, its code is appended again. If several parts have this plan, that is also done on other
        places: only the pointers differ."""
        self.reclaim()
        tiles = bool(getattr(plan, "tile_shapes", ())) and (self.plan.tile_shapes, self.plan.places.tiles)

        def pointers() -> list[General]:
            self.m.note(name)
            return [self.pointer(*place) for place in operands.values()]

        if id(plan) in self._shared:
            registers = pointers()
            key = "of pointers", id(plan), tuple(operands), tuple(registers), tiles, self.first, self._frame_values
            repeated(self.m, key, plan, lambda: emit(registers))
            return
        places = tuple([(each, *place) for each, place in operands.items()])
        repeated(self.m, (name, id(plan), places, tiles, self._frame_values), plan, lambda: emit(pointers()))

    @cached_property
    def _frame_values(self) -> str:
        """Where every value that outlives a part is, as text, whose hash is kept."""
        return str(self.at)

    @cached_property
    def _preserved(self) -> tuple[General | Slot, ...]:
        return tuple(self.at.values())

    @cached_property
    def _shared(self) -> set[int]:
        """The plans that several parts have, by identity."""
        often = Counter([id(plan) for _, plan in (*self.plan.products, *self.plan.elementwise_parts)])
        return {plan for plan, count in often.items() if count > 1}

    @contextmanager
    def _reconfigured(self, plan: GemmPlan) -> Iterator[None]:
        """Reconfigure the tiles around a product whose tile shapes differ from the common ones, as those of a remainder
        do."""
        other = plan.tile_shapes not in ((), self.plan.tile_shapes)
        if other:
            self.tiles.configure(plan.tile_shapes)
        yield
        if other:
            self.tiles.configure(self.plan.tile_shapes)

    def reclaim(self) -> None:
        """Free all registers. Every value that outlives a part is in a slot."""
        self.m.reclaim(self._preserved)

    def pointer(self, name: str, disp: int) -> Any:
        """Return a register with an address."""
        register = self.m.general(name)
        self.m.copy(register, self.at[name])
        self.m.advance(register, disp)
        return register
