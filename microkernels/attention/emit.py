"""Attention: emits what the plan says (plan.py), and decides nothing.

Pointers into the operands and counters lie in the stack frame; every part claims registers while it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..eltwise.pipeline import emit_inside
from ..gemm.emit import emit_product
from ..gemm.state import KernelState
from ..operands import parameters
from .plan import AttentionPlan, Blocks
from .spec import FULL
from .step import SoftmaxStep

_SPARE = 12
"""General registers that a part may need: they are saved once, before any loop."""


def emit(m: Machine, plan: AttentionPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    _Emitter(m, plan).run()
    m.leave()


class _Emitter:
    """Slots: the operands' pointers at the head and block at hand, scratch memory, counters."""

    def __init__(self, m: Machine, plan: AttentionPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.size = ELEMENT_BYTES[plan.spec.dtype]
        self.wide = ELEMENT_BYTES[plan.spec.compute]
        names = [name for _, name in parameters(plan.spec.arguments)]
        given = dict(zip(names, m.arguments(len(names))))
        self.at: dict[str, General | Slot] = {
            name: value if isinstance(value, Slot) else m.park(value) for name, value in given.items()
        }
        base = m.general("scratch memory")
        m.copy(base, m.scratch(plan.places.end))
        self.at["scratch"] = m.park(base)
        counters = ("kv heads", "heads", "blocks of queries", "blocks of keys", "queries before", "k block", "v block",
                    "mask block", "vectors")  # fmt: skip
        self.at |= {name: m.counter(name) for name in counters}
        for _ in range(min(_SPARE, m.generals_left() or _SPARE)):
            m.general("saved before any loop")

    def run(self) -> None:
        """All heads."""
        m, spec = self.m, self.spec
        if spec.causal:
            SoftmaxStep(self, self.plan).window()
        with m.loop(self.at["kv heads"], spec.kv_heads):
            with m.loop(self.at["heads"], spec.group):
                self._head()
            for name in "kv":
                m.advance(self.at[name], spec.keys * spec.size * self.size)

    def _head(self) -> None:
        m, spec = self.m, self.spec
        if spec.causal:
            m.copy(self.at["queries before"], 0)
        for blocks in self.plan.blocks:
            with m.loop(self.at["blocks of queries"], blocks.times):
                self._queries(blocks)
                for name in ("q", "out"):
                    m.advance(self.at[name], blocks.rows * spec.size * self.size)
                if spec.lse:
                    m.advance(self.at["lse"], blocks.rows * self.wide)
                if spec.mask == FULL:
                    m.advance(self.at["mask"], blocks.rows * spec.keys * self.wide)
                if spec.causal:
                    m.advance(self.at["queries before"], 1)
        if spec.mask == FULL:
            m.advance(self.at["mask"], -spec.queries * spec.keys * self.wide)

    def _queries(self, blocks: Blocks) -> None:
        """A block of queries."""
        m, places, rows = self.m, self.plan.places, blocks.rows
        m.note(f"a block of {rows} queries")
        self._walk("queries", rows, q=("q", 0), y=("scratch", places.queries))
        self._walk("start", rows, y=("scratch", places.sums))
        self._walk("begun", rows, y0=("scratch", places.largest), y1=("scratch", places.total))
        for name in self._moving:
            self._copy(f"{name} block", name)
        if blocks.whole is None:
            self.reclaim()
            with m.unless_zero(self.at["queries before"]), m.loop(self.at["blocks of keys"], self.at["queries before"]):
                self._keys(rows, self.plan.keys, False)
        elif blocks.whole:
            with m.loop(self.at["blocks of keys"], blocks.whole):
                self._keys(rows, self.plan.keys, False)
        for first, queries, keys in blocks.parts(self.plan.step):
            self._keys(queries, keys, blocks.hidden, first)
        total, inverse = ("scratch", places.total), ("scratch", places.correction)
        if self.spec.lse:
            self._walk("finished", rows, total=total, largest=("scratch", places.largest), y0=inverse, y1=("lse", 0))
        else:
            self._walk("finished", rows, total=total, y=inverse)
        self._walk("out", rows, o=("scratch", places.sums), r=("scratch", places.correction), y=("out", 0))

    @property
    def _moving(self) -> Sequence[str]:
        """The operands that are walked with the keys."""
        return ("k", "v") if self.spec.mask is None else ("k", "v", "mask")

    def _keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """A block of keys, for the queries of a block from `first` on."""
        m, spec, skipped = self.m, self.spec, first * self.wide
        queries, scores, powers, sums, correction = (
            ("scratch", getattr(self.plan.places, name) + skipped)
            for name in ("queries", "scores", "powers", "sums", "correction")
        )
        m.note(f"a block of {keys} keys")
        if spec.mask == FULL:
            self._walk("mask", rows, keys, mask=("mask block", first * spec.keys * self.wide), y=scores)
        self._product("scores", rows, keys, queries, ("k block", 0), scores)
        self.reclaim()
        SoftmaxStep(self, self.plan).block(rows, keys, hidden, skipped)
        self._walk("corrected", rows, o=sums, y=sums, correction=correction)
        self._product("sums", rows, keys, powers, ("v block", 0), sums)
        for name in self._moving:
            step = keys * (self.wide if name == "mask" else spec.size * self.size)
            m.advance(self.at[f"{name} block"], step)

    # Parts

    def _walk(self, name: str, rows: int, keys: int = 0, **operands: tuple[str, int]) -> None:
        """An elementwise part; operands by name, each a buffer and an offset in bytes."""
        self.reclaim()
        self.m.note(name)
        pointers = {operand: self.pointer(*place) for operand, place in operands.items()}
        emit_inside(self.m, self.plan.walk[name, rows, keys], pointers, {})

    def _product(self, name: str, rows: int, keys: int, *operands: tuple[str, int]) -> None:
        self.reclaim()
        self.m.note(name)
        state = KernelState(self.m, self.plan.product[name, rows, keys], [self.pointer(*each) for each in operands])
        emit_product(state)

    def reclaim(self) -> None:
        """Free all registers: every value that stays is in a slot."""
        self.m.reclaim([*self.at.values()])

    def _copy(self, dst: str, src: str) -> None:
        self.reclaim()
        self.m.copy(self.at[dst], self.pointer(src, 0))

    def pointer(self, name: str, disp: int) -> Any:
        """A register with an address."""
        register = self.m.general(name)
        self.m.copy(register, self.at[name])
        self.m.advance(register, disp)
        return register
