"""How many keys an emitter of attention walks over before the last ones of a block of queries, where the call or the
number of the block says it, and which keys before a window it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..contract.machine import General, Machine, Slot
from .plan import AttentionPlan
from .spec import SEEN, AttentionSpec

_BEFORE, _LEFT = "keys before those of the queries", "keys left"
_CROSSED, _BLOCKS = "blocks that the edge of the window crosses", "blocks in the window"


class KeysWalked:
    """The part of an emitter that counts keys."""

    m: Machine
    plan: AttentionPlan
    spec: AttentionSpec
    at: dict[str, General | Slot]
    crossed = False  # whether the edge of a window crosses the current block

    @property
    def moving(self) -> Sequence[str]:
        """The operands whose pointers advance with the keys."""
        raise NotImplementedError

    def bytes_of_key(self, name: str) -> int:
        """Return the bytes between adjacent keys of an operand."""
        raise NotImplementedError

    def reclaim(self) -> None:
        """Free all registers."""
        raise NotImplementedError

    @property
    def counters_of_keys(self) -> tuple[str, ...]:
        """The counters that this part needs."""
        spec = self.spec
        if not spec.seen:
            return (_CROSSED, _BLOCKS) if spec.window else ()
        return (_LEFT, _BEFORE) if spec.causal else (_LEFT,)

    @property
    def dynamic_count(self) -> General | Slot:
        """The number of keys, or of those before the queries of a block, where the call gives it."""
        return self.at[_BEFORE if self.spec.causal else SEEN]

    def keys_left(self) -> General | Slot:
        """Return the counter of the keys that the call counts; with the causal mask, of those before the queries of the
        block."""
        m, spec, left = self.m, self.spec, self.at[_LEFT]
        self.reclaim()
        if spec.causal:
            m.copy(self.dynamic_count, self.at[SEEN])
            m.advance(self.dynamic_count, -spec.queries)
            m.advance(self.dynamic_count, self.at["queries before"], self.plan.block_rows)
        self.crossed = spec.crossed
        if spec.window:
            self._leave_out(self.dynamic_count, left, spec.window - spec.causal, 1)
        else:
            m.copy(left, self.dynamic_count)
        return left

    def blocks_before(self) -> Iterator[General | Slot]:
        """Yield counters of the blocks of keys before the queries of the block: of as many as blocks of queries, or of
        those in the window that its edge crosses, and then of the others."""
        before, (keys, window) = self.at["queries before"], (self.plan.keys, self.spec.window)
        self.reclaim()
        if not window:
            yield before
            return
        crossed, whole = self.at[_CROSSED], self.at[_BLOCKS]
        self._leave_out(before, crossed, -(-(window - 1) // keys), keys)  # the first query sees that far
        self._last(crossed, whole, max(0, window // keys - 1))  # and the last one
        self.m.advance(crossed, whole, -1)
        self.crossed = True
        yield crossed
        self.crossed = False
        self.reclaim()
        yield whole

    def _last(self, every: General | Slot, last: General | Slot, most: int) -> None:
        """Set `last` to the number of blocks that it counts, at most the last ones of all."""
        m = self.m
        count, limit = m.general("blocks"), m.general("the most blocks")
        m.copy(count, every)
        m.copy(limit, most)
        m.copy(last, limit)
        with m.within(count, limit):
            m.copy(last, count)

    def _leave_out(self, before: General | Slot, left: General | Slot, most: int, keys: int) -> None:
        """Count blocks of so many keys, at most the last ones of those `before`, and advance the pointers to them."""
        m = self.m
        self._last(before, left, most)
        self.reclaim()
        count = m.general("blocks before the window")
        m.copy(count, before)
        m.advance(count, left, -1)
        for name in self.moving:
            m.advance(self.at[name], count, keys * self.bytes_of_key(name))
