"""How many keys an emitter of attention walks over before the last ones of a block of queries, where the call or the
number of the block says it, and which keys before a window it leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.machine import General, Machine, Slot
from .plan import AttentionPlan
from .spec import SEEN, AttentionSpec

_BEFORE, _LEFT, _BLOCKS = "keys before those of the queries", "keys left", "blocks in the window"


class KeysWalked:
    """The part of an emitter that counts keys."""

    m: Machine
    plan: AttentionPlan
    spec: AttentionSpec
    at: dict[str, General | Slot]

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
            return (_BLOCKS,) if spec.window else ()
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
        if spec.window:
            self._leave_out(self.dynamic_count, left, spec.window - spec.causal, 1)
        else:
            m.copy(left, self.dynamic_count)
        return left

    def blocks_before(self) -> General | Slot:
        """Return the counter of the blocks of keys before the queries of the block, as many as blocks of queries, of
        which those before the window are left out."""
        self.reclaim()
        if not self.spec.window:
            return self.at["queries before"]
        most = -(-(self.spec.window - 1) // self.plan.keys)  # the first query sees so many keys before it
        self._leave_out(self.at["queries before"], self.at[_BLOCKS], most, self.plan.keys)
        return self.at[_BLOCKS]

    def _leave_out(self, before: General | Slot, left: General | Slot, most: int, keys: int) -> None:
        """Count blocks of so many keys, at most the last ones of those `before`, and advance the pointers to them."""
        m = self.m
        count, limit = m.general("blocks"), m.general("the most blocks")
        m.copy(count, before)
        m.copy(limit, most)
        m.copy(left, limit)
        with m.within(count, limit):
            m.copy(left, count)
        m.advance(count, left, -1)
        for name in self.moving:
            m.advance(self.at[name], count, keys * self.bytes_of_key(name))
