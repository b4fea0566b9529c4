"""A traced function with products: emits what the plan says (plan.py), and decides nothing.

Pointers into the operands lie in the stack frame; every stage claims registers while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..eltwise.pipeline import emit_inside
from ..epilogue.emit import emit_on_sums
from ..fused.emit import emit_rows
from ..fused.plan import FusedPlan
from ..operands import parameters
from ..prepack.emit import emit_product
from .cut import Product
from .hidden import Hidden
from .parts import HiddenPlan, Part, beside, right_of
from .plan import ChainPlan
from .with_epilogue import Epilogue

_SPARE = 12
"""General registers that a stage may need: they are saved once, before any loop."""


def emit(m: Machine, plan: ChainPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    _Emitter(m, plan).run()
    m.leave()


class _Emitter:
    """Slots: the operands' pointers at the band at hand, right factors, scratch memory."""

    def __init__(self, m: Machine, plan: ChainPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        names = [name for _, name in parameters(plan.spec.arguments)]
        self.at: dict[str, General | Slot] = {
            name: value if isinstance(value, Slot) else m.park(value)
            for name, value in zip(names, m.arguments(len(names)))
        }
        self._claim_scratch()
        self.moving = self._pitches()
        for name in sorted(self.spec.whole & self.moving.keys()):
            register = m.general(name)
            m.copy(register, self.at[name])
            self.at[_whole(name)] = m.park(register)
        self.at["bands"] = m.counter("bands")
        self._claim_for_blocks()
        for _ in range(min(_SPARE, m.generals_left() or _SPARE)):
            m.general("saved before any loop")

    def _claim_scratch(self) -> None:
        size = self.plan.bytes_of_bands + self.plan.room
        if size:
            base = self.m.general("scratch memory")
            self.m.copy(base, self.m.scratch(size))
            self.at["scratch"] = self.m.park(base)

    def _claim_for_blocks(self) -> None:
        """A counter of blocks of columns, and pointers that move with them."""
        plans = [part.code for part in (*self.plan.whole, *self.plan.rest) if isinstance(part.code, HiddenPlan)]
        names = sorted({each.pointer for plan in plans for each in plan.moving})
        self.at |= {name: self.m.counter(name) for name in ("blocks", *names) if plans}
        self.in_block: set[str] = set()  # pointers at the block of columns at hand

    def _pitches(self) -> dict[str, int]:
        """Bytes from a row to the next of the operands that are walked in bands."""
        return {each.name: int(each.view.leading) * ELEMENT_BYTES[each.dtype]  # type: ignore[arg-type]
                for each in self.spec.operands if each.name in self.spec.banded and self.spec.m > 1}  # fmt: skip

    def run(self) -> None:
        """All bands."""
        m = self.m
        for rows, times, parts in self.plan.blocks:
            m.reclaim([*self.at.values()])
            with m.loop(self.at["bands"], times):
                for part in parts:
                    self._stage(part)
                for name, pitch in self.moving.items():
                    m.advance(self.at[name], rows * pitch)

    def _stage(self, part: Part) -> None:
        m, stage = self.m, part.stage
        m.reclaim([*self.at.values()])
        m.note(str(stage))
        if isinstance(stage, Hidden):
            self._hidden(stage, part.code)
            return
        if part.then is not None:
            self._with_epilogue(part, part.then)
            return
        if isinstance(stage, Product):
            pointers = [self._pointer(stage.left), self._factor(stage), self._pointer(stage.band.name)]
            with self._set_aside():
                emit_product(m, part.code, pointers, self.kept)
            return
        named = {each.name: self._operand(each.name) for each in part.code.spec.operands}
        with self._set_aside():
            if isinstance(part.code, FusedPlan):
                emit_rows(m, part.code, named, {})
            else:
                emit_inside(m, part.code, named, {})

    def _with_epilogue(self, part: Part, then: Epilogue) -> None:
        """A product whose sums go through an expression."""
        m, stage = self.m, part.stage
        assert isinstance(stage, Product)
        given = {"a": self._pointer(stage.left), "b": self._factor(stage),
                 "c": self._pointer(then.walk.results[0][1].name)}  # fmt: skip
        given |= {extra.name: self._operand(name) for extra, name in zip(then.extras, then.names)}
        with self._set_aside():
            emit_on_sums(m, part.code, given)

    @contextmanager
    def _set_aside(self) -> Iterator[None]:
        """What a stage does not need is saved where it lies in registers, and scratch memory is its room."""
        room = self._pointer("scratch", self.plan.bytes_of_bands) if self.plan.room else None
        aside = [each for each in self.at.values() if not isinstance(each, Slot)]
        with self.m.set_aside(aside), self.m.scratch_within(room, self.plan.room):
            yield

    @property
    def kept(self) -> list[Slot]:
        """What a stage that frees registers must not free."""
        return [each for each in self.at.values() if isinstance(each, Slot)]

    def _hidden(self, stage: Hidden, plan: HiddenPlan) -> None:
        """Blocks of columns."""
        m = self.m
        self._stage(plan.zero)
        m.reclaim([*self.at.values()])
        for each in plan.moving:
            right = each.pointer != beside(each.operand)
            register = self._right(each.operand) if right else self._pointer(each.operand)
            m.copy(self.at[each.pointer], register)
            m.release(register)
        self.in_block = {each.pointer for each in plan.moving}
        for columns, times, parts in plan.blocks:
            with m.loop(self.at["blocks"], times):
                for part in parts:
                    self._stage(part)
                for each in plan.moving:
                    m.advance(self.at[each.pointer], columns * each.step)
        self.in_block = set()

    def _right(self, name: str) -> Any:
        """A register with the address of a right factor."""
        return self._pointer(_whole(name) if name in self.moving else name)

    def _factor(self, stage: Product) -> Any:
        """A register with the address of the right factor, at the block of columns at hand."""
        moved = right_of(stage)
        return self._pointer(moved) if moved in self.in_block else self._right(stage.right)

    def _operand(self, name: str) -> Any:
        """A register with the address of an operand of a walk, or of a band, at the block of columns at hand."""
        return self._pointer(beside(name) if beside(name) in self.in_block else name)

    def _pointer(self, name: str, offset: int = 0) -> Any:
        """A register with the address of an operand or a band."""
        register = self.m.general(name)
        place = self.plan.place.get(name)
        self.m.copy(register, self.at["scratch" if place else self.plan.stored.get(name, name)])
        self.m.advance(register, place.offset if place else offset)
        return register


def _whole(name: str) -> str:
    """The slot of a right factor that is walked in bands as well."""
    return f"all of {name}"
