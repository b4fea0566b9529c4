"""Attention: emits what the plan says (plan.py), and decides nothing.

Pointers into the operands and counters lie in the stack frame; every part claims registers while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..contract.dot_and_tile import OWN
from ..contract.machine import General, Machine, Slot
from ..contract.repeats import repeated
from ..dtypes import ELEMENT_BYTES
from ..eltwise.pipeline import emit_inside
from ..gemm.emit import emit_product
from ..gemm.plan import GemmPlan
from ..gemm.state import KernelState
from ..operands import parameters
from .blocks import Blocks
from .plan import AttentionPlan
from .spec import FULL
from .step import SoftmaxStep

_SPARE = 12
"""General registers that a part may need: they are saved once, before any loop."""


def emit(m: Machine, plan: AttentionPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    Emitter(m, plan).run()
    m.leave()


class Emitter:
    """Slots: the operands' pointers at the head and block at hand, scratch memory, counters."""

    def __init__(self, m: Machine, plan: AttentionPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.element_bytes = {each.name: ELEMENT_BYTES[each.dtype] for each in plan.spec.arguments}
        self.wide = ELEMENT_BYTES[plan.spec.compute]
        names = [name for _, name in parameters(plan.spec.arguments)]
        given = dict(zip(names, m.arguments(len(names))))
        self.at: dict[str, General | Slot] = {
            name: value if isinstance(value, Slot) else m.park(value) for name, value in given.items()
        }
        base = m.general("scratch memory")
        m.copy(base, m.scratch(plan.places.end))
        self.at["scratch"] = m.park(base)
        counters = ("kv heads", "heads", "blocks of queries", "blocks of keys", *self.counters)
        counters += ("queries to the next",) if any(each.again for each in plan.blocks) else ()
        self.at |= {name: m.counter(name) for name in counters}
        for _ in range(min(_SPARE, m.generals_left() or _SPARE)):
            m.general("saved before any loop")

    per_query: tuple[str, ...] = ("q", "out")
    """The operands that are walked with the queries."""
    per_key: tuple[str, ...] = ("k", "v")
    counters: tuple[str, ...] = ("queries before", "vectors")
    beyond = 0  # places of the block at hand behind the last query

    @property
    def aside(self) -> Sequence[General | Slot]:
        """Registers that parts may claim as well."""
        return ()

    def run(self) -> None:
        """All heads, with tile registers configured once where products are on them."""
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
        with m.loop(self.at["kv heads"], spec.kv_heads):
            self.begin_keys()
            with m.loop(self.at["heads"], spec.group):
                self._head()
            for name in self.per_key:
                m.advance(self.at[name], spec.keys * self.bytes_of_line(name))

    def prepare(self) -> None:
        """What serves all heads."""
        if self.spec.causal:
            SoftmaxStep(self, self.plan).window()

    def begin_keys(self) -> None:
        """What a head of k and v needs first."""

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
        if spec.mask == FULL:
            m.advance(self.at["mask"], -spec.queries * spec.keys * self.wide)

    def _next_queries(self, blocks: Blocks) -> None:
        """All pointers along queries to the next block."""
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
        """From a query to the next, in each operand that is walked with them."""
        spec, steps = self.spec, {name: self.bytes_of_line(name) for name in self.per_query}
        steps |= {"lse": self.wide} if spec.lse else {}
        return steps | ({"mask": spec.keys * self.wide} if spec.mask == FULL else {})

    def _queries(self, blocks: Blocks) -> None:
        """A block of queries."""
        m, rows = self.m, blocks.rows
        m.note(f"a block of {rows} queries")
        self.begin(blocks)
        if blocks.whole is None:
            self.reclaim()
            with m.unless_zero(self.at["queries before"]), m.loop(self.at["blocks of keys"], self.at["queries before"]):
                self.keys(rows, self.plan.keys, False)
        elif blocks.whole:
            with m.loop(self.at["blocks of keys"], blocks.whole):
                self.keys(rows, self.plan.keys, False)
        for first, queries, keys in blocks.parts(self.plan.step):
            self.keys(queries, keys, blocks.hidden, first)
        for name in self.moving:  # back to the first key
            if blocks.whole is None:
                m.advance(self.at[name], self.at["queries before"], -self.plan.keys * self.bytes_of_key(name))
            m.advance(self.at[name], -((blocks.whole or 0) * self.plan.keys + blocks.last) * self.bytes_of_key(name))
        self.end(blocks)

    def begin(self, blocks: Blocks) -> None:
        """What a block of queries needs before its first key."""
        places, rows = self.plan.places, blocks.rows
        self.beyond = blocks.beyond
        self.walk("queries", blocks.stored, q=("q", 0), y=("scratch", places.queries))
        self.walk("start", rows, y=("scratch", places.sums))
        self.walk("begun", rows, y0=("scratch", places.largest), y1=("scratch", places.total))

    def end(self, blocks: Blocks) -> None:
        """The results of a block."""
        places, rows = self.plan.places, blocks.rows
        total, inverse = ("scratch", places.total), ("scratch", places.correction)
        if self.spec.lse:
            self.walk("finished", blocks.stored, total=total, largest=("scratch", places.largest), y0=inverse,
                      y1=("lse", 0))  # fmt: skip
        else:
            self.walk("finished", rows, total=total, y=inverse)
        self.walk("out", blocks.stored, o=("scratch", places.sums), r=("scratch", places.correction), y=("out", 0))

    @property
    def moving(self) -> Sequence[str]:
        """The operands that are walked with the keys."""
        return ("k", "v") if self.spec.mask is None else ("k", "v", "mask")

    def keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """A block of keys, for the queries of a block from `first` on."""
        m, spec, skipped = self.m, self.spec, first * self.wide
        queries, scores, powers, sums, correction = (
            ("scratch", getattr(self.plan.places, name) + skipped)
            for name in ("queries", "scores", "powers", "sums", "correction")
        )
        m.note(f"a block of {keys} keys")
        if spec.mask == FULL:
            self.walk("mask", rows - self.beyond, keys, mask=("mask", first * spec.keys * self.wide), y=scores)
        self.product("scores", rows, keys, queries, ("k", 0), scores)
        self.softmax(rows, keys, hidden, skipped)
        self.walk("corrected", rows, o=sums, y=sums, correction=correction)
        self.product("sums", rows, keys, powers, self._values(keys), sums)
        self.move_keys(keys)

    def _values(self, keys: int) -> tuple[str, int]:
        """Where the block of v lies; products on tiles take it transposed."""
        if ("turned", 0, keys) not in self.plan.walk:
            return "v", 0
        values = ("scratch", self.plan.places.values)
        self.walk("turned", 0, keys, v=("v", 0), y=values)
        return values

    def move_keys(self, keys: int) -> None:
        """Behind a block of keys."""
        for name in self.moving:
            self.m.advance(self.at[name], keys * self.bytes_of_key(name))

    def bytes_of_key(self, name: str) -> int:
        """From a key to the next."""
        return self.wide if name == "mask" else self.bytes_of_line(name)

    def bytes_of_line(self, name: str) -> int:
        """Of a query or a key in an operand."""
        return self.spec.size * self.element_bytes[name]

    # Parts

    def walk(self, name: str, rows: int, keys: int = 0, **operands: tuple[str, int]) -> None:
        """An elementwise part; operands by name, each a buffer and an offset in bytes."""
        plan = self.plan.walk[name, rows, keys]

        def emit() -> None:
            self.m.note(name)
            pointers = {operand: self.pointer(*place) for operand, place in operands.items()}
            with self.m.set_aside(self.aside):
                emit_inside(self.m, plan, pointers, {})

        self._part(name, plan, operands, emit)

    def product(self, name: str, rows: int, keys: int, *operands: tuple[str, int]) -> None:
        """A product of what lies at these places."""
        plan = self.plan.product[name, rows, keys]

        def emit() -> None:
            self.m.note(name)
            pointers = [self.pointer(*each) for each in operands]
            with self.m.set_aside(self.aside), self._reconfigured(plan):
                state = KernelState(self.m, plan, pointers)
                if plan.tile_shapes:
                    state.tile_scratch = self.pointer("scratch", self.plan.places.tiles)
                emit_product(state)

        self._part(name, plan, dict(enumerate(operands)), emit)

    def softmax(self, rows: int, keys: int, hidden: bool, skipped: int) -> None:
        """The softmax step of a block; skipped: bytes of the queries before those at hand."""
        plan, spec = self.plan, self.spec
        key = "softmax", plan.places, plan.rows, plan.vector, spec.dtype, spec.mask, rows, keys, hidden, skipped
        self._part(key, plan.softmax, {}, lambda: SoftmaxStep(self, plan).block(rows, keys, hidden, skipped))

    def _part(self, name: Hashable, plan: Any, operands: Mapping[Any, tuple[str, int]],
              emit: Callable[[], None]) -> None:  # fmt: skip
        """A part of this plan on operands at these places, with all registers free: what stays is in slots. Where
        the same was emitted before, it is appended again."""
        self.reclaim()
        places = tuple((each, *place) for each, place in operands.items())
        repeated(self.m, (name, id(plan), places, tuple(self.at.items())), plan, emit)

    @contextmanager
    def _reconfigured(self, plan: GemmPlan) -> Iterator[None]:
        """Around a product, one whose tiles have other shapes than most: remainders."""
        other = plan.tile_shapes not in ((), self.plan.tile_shapes)
        if other:
            self.tiles.configure(plan.tile_shapes)
        yield
        if other:
            self.tiles.configure(self.plan.tile_shapes)

    def reclaim(self) -> None:
        """Free all registers: every value that stays is in a slot."""
        self.m.reclaim([*self.at.values()])

    def pointer(self, name: str, disp: int) -> Any:
        """A register with an address."""
        register = self.m.general(name)
        self.m.copy(register, self.at[name])
        self.m.advance(register, disp)
        return register
