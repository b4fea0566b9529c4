"""Emit attention on tiles, strip by strip, as its plan says (strip_plan.py). No decisions are made here."""

from __future__ import annotations

from collections.abc import Callable

from .blocks import QueryBlocks
from .emit import Emitter
from .plan import AttentionPlan
from .strip_plan import OF_STRIP, strip_keys


class StripEmitter(Emitter):
    """The loops of attention on vectors, with a loop over strips around each part of a block. A stack slot holds the
    address of the current strip's places."""

    plan: AttentionPlan
    counters = ("queries before", "vectors", "strip", "strips")

    def place(self, name: str) -> tuple[str, int]:
        """Return where an intermediate value is, as a buffer and an offset in bytes."""
        return "strip" if name in OF_STRIP else "scratch", getattr(self.plan.places, name)

    def begin(self, blocks: QueryBlocks) -> None:
        """Emit the setup of a block of queries, before its first key."""
        self.block = blocks

        def strip(stored: int) -> None:
            if stored < self.plan.rows:
                self.elementwise("cleared", self.plan.rows, y=self.place("queries"))
            self.begin_rows(self.plan.rows, stored)

        self._strips(("q",), strip)

    def end(self, blocks: QueryBlocks) -> None:
        """Emit the results of a block."""
        names = ("out", "lse") if self.spec.lse else ("out",)
        self._strips(names, lambda stored: self.end_rows(self.plan.rows, stored))

    def lay_by(self, blocks: QueryBlocks) -> None:
        """Add the sums of all strips to those that are laid by, and set them to 0."""
        self._strips((), lambda stored: self.lay_rows_by(self.plan.rows))

    def keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """Emit one block of keys, for all strips of the block of queries."""
        self.m.note(f"a block of {keys} keys")
        values = self._moved("v", 0, keys)
        moving = tuple(name for name in ("mask", *self.numbered) if name in self._bytes_of_query())
        if hidden:
            self._crossed(keys, values, moving)
        else:
            self._strips(moving, lambda stored: self._strip(stored, keys, values))
        self.move_keys(keys)

    def _crossed(self, keys: int, values: tuple[str, int], moving: tuple[str, ...]) -> None:
        """Emit the strips of a block that the causal mask crosses. Each has its own number of keys."""
        m, plan = self.m, self.plan
        m.copy(self.at["strip"], self.at["scratch"])
        strips = self.block.rows // plan.rows
        for number in range(strips):
            stored = min(plan.rows, self.block.stored - number * plan.rows)
            self._strip(stored, strip_keys(plan.rows, number, keys), values, number)
            if number < strips - 1:
                self._next_strip(moving)
        self._back(moving, strips - 1)

    def _strip(self, stored: int, keys: int, values: tuple[str, int], number: int | None = None) -> None:
        """Emit a strip by a block of keys. number: which strip it is, if the causal mask crosses the block."""
        rows, sums, correction = self.plan.rows, self.place("sums"), self.place("correction")
        self.masked(stored, keys)
        self.product("scores", rows, keys, self.place("queries"), ("k", 0), self.place("scores"))
        self.scored(rows, keys)
        first = 0 if number is None else number * -(-rows // self.plan.vector)
        self.softmax(rows, keys, number is not None, 0, first)
        self.elementwise("corrected", rows, o=sums, y=sums, correction=correction)
        self.product("sums", rows, keys, self.place("powers"), values, sums)

    def _strips(self, moving: tuple[str, ...], strip: Callable[[int], None]) -> None:
        """Call strip(queries that exist) for the strips of a block. The pointers of `moving` operands advance with the
        strips, and are reset after the last one."""
        m, rows, stored = self.m, self.plan.rows, self.block.stored
        whole, rest = divmod(stored if moving else self.block.rows, rows)
        self.reclaim()
        m.copy(self.at["strip"], self.at["scratch"])
        if whole:
            with m.loop(self.at["strips"], whole):
                strip(rows)
                self._next_strip(moving)
        if rest:
            strip(rest)
        self._back(moving, whole)

    def _next_strip(self, moving: tuple[str, ...]) -> None:
        self.reclaim()
        self.m.advance(self.at["strip"], self.plan.state)
        self._back(moving, -1)

    def _back(self, moving: tuple[str, ...], strips: int) -> None:
        """Move the pointers of operands back by some strips."""
        for name in moving:
            self.m.advance(self.at[name], -strips * self.plan.rows * self._bytes_of_query()[name])
