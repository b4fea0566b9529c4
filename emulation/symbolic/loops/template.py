"""The stores of all iterations at once, as expressions of what each iteration loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory import WRITE
from ..addresses import Base
from ..lanes import COMMUTING
from ..values import UNDEFINED, Array, Table, place
from .body import PLACEHOLDERS, BodyAccess, NoSummary, moved, roots_of
from .carried import SIGNED, Carried

Owners = list[Base | None]
"""What the address of each memory operand begins at, or None for what the call gives."""
_NONE, _EVERY = -1, -2
"""The owners of bytes that no iteration stores, and that each one stores."""


class Template:
    """The stores of an iteration as expressions of its loads."""

    def __init__(self, table: Table, accesses: list[BodyAccess], memory: Any) -> None:
        self.table, self.accesses, self.memory = table, accesses, memory

    def spans(self, addresses: Array, owners: Owners) -> list[tuple[BodyAccess, Any, Array]]:
        """Return each access with its segment and its start in the segment in each iteration. Raise Rejected for
        accesses that would fault. owners: what the address of each memory operand begins at, or None"""
        found = []
        for each in self.accesses:
            begin = addresses[:, each.operand] + each.offset
            segment = self.memory.segment(int(begin[0]))
            owner = owners[each.operand]
            if owner is not None and self.memory.bases.at(segment.start) is not owner:
                raise NoSummary("an access to another operand than that of its address")
            low, high = int(begin.min()), int(begin.max()) + each.size
            if low < segment.start or high > segment.end or not segment.access & each.access:
                raise NoSummary("an access outside of its operand")
            start = begin - segment.start
            if segment.floor is not None and low < segment.floor():
                raise NoSummary("an access below the stack")
            if segment.allowed is not None:
                inside = np.cumsum(np.concatenate([[0], (segment.allowed & each.access) != 0]))
                if (inside[start + each.size] - inside[start] != each.size).any():
                    raise NoSummary("an access between elements")
            found.append((each, segment, start))
        return found

    def require_apart(self, spans: list[tuple[BodyAccess, Any, Array]], addresses: Array) -> None:
        """Raise Rejected if iterations store to the same byte, but for an address that is the same in all of them; if a
        byte is loaded that another iteration stores; or if an iteration has other bytes from its own stores than the
        first one has. What an iteration loads before it stores to the same place is what the loop begins with."""
        for each, _, _ in spans:
            for other in each.over:
                apart = addresses[:, each.operand] - addresses[:, self.accesses[other].operand]
                if (apart != apart[0]).any():
                    raise NoSummary("accesses that overlap are not always as far apart")
        owners: dict[int, Array] = {}  # of each byte, the iteration that stores it, or _EVERY
        counts: dict[int, Array] = {}
        stores = [span for span in spans if span[0].access & WRITE]
        for each, segment, start in stores:
            size = segment.end - segment.start
            owner = owners.setdefault(segment.start, np.full(size, _NONE, np.int32))
            count = counts.setdefault(segment.start, np.zeros(size, np.int32))
            index = self._bytes(each, start)
            own = np.arange(len(index), dtype=np.int32)[:, None] if each.varying else _EVERY
            if ((owner[index] != _NONE) & (owner[index] != own)).any():
                raise NoSummary("iterations store to the same place")
            owner[index] = own
            if (owner[index] != own).any():
                raise NoSummary("iterations store to the same place")
            count[index] += 1
        meets = any(each.over for each, _, _ in stores)
        for each, segment, start in stores:
            count = counts[segment.start][self._bytes(each, start)]
            if (count != count[0]).any() or (not meets and count.max() > 1):
                raise NoSummary("iterations store to the same place")
        earlier = {begin: np.zeros(len(owner), bool) for begin, owner in owners.items()}
        for each, segment, start in spans:
            if segment.start not in owners:
                continue
            index = self._bytes(each, start)
            if each.access & WRITE:
                earlier[segment.start][index] = True
            elif self._loads_stored(each, owners[segment.start][index], earlier[segment.start][index]):
                raise NoSummary("the loop loads what it stores")

    @staticmethod
    def _bytes(access: BodyAccess, start: Array) -> Array:
        """Return the bytes of an access in each iteration, or once if they are the same in all."""
        return (start if access.varying else start[:1])[:, None] + np.arange(access.size)

    @staticmethod
    def _loads_stored(access: BodyAccess, owner: Array, earlier: Array) -> bool:
        """Whether a load has a byte that an iteration stores, but for those that it has from its own iteration, and
        those that only its own iteration stores, later on. earlier: which bytes a store before the load may write"""
        stored = owner != _NONE
        if access.varying:
            stored &= earlier | (owner != np.arange(len(owner), dtype=np.int32)[:, None])
        return bool((stored if access.own is None else stored & ~access.own).any())

    def write(self, spans: list[tuple[BodyAccess, Any, Array]], count: int, carried: Carried) -> None:
        """Write what all iterations store, and compute the registers after the last iteration."""
        known: dict[int, Array] = {}
        for each, segment, start in spans:
            if each.access & WRITE or not each.varying:
                continue
            ids = self.memory.tracks[segment.start].ids
            for first, size, node in each.elements:
                known[node] = moved(ids, start + first, size)
        stores = [each for each, _, _ in spans if each.access & WRITE]
        if carried.read:
            known = carried.iterated(known, count)
        made = [self._stored(each, known, count) for each in stores]
        for each, segment, start in spans:
            track, index = self.memory.tracks[segment.start], start[:, None] + np.arange(each.size)
            if each.access & WRITE:
                data = made.pop(0)
                index, data = (index, data) if each.varying else (index[-1], data[-1])  # that of the last iteration
                track.ids[index] = data
                track.writer[index] = each.at
            else:
                index = index[track.read[index] < 0]
                track.read[index] = each.at

    def _stored(self, each: BodyAccess, known: dict[int, Array], count: int) -> Array:
        data = each.raw.tolist()
        for node in self.table.below(roots_of(each.raw), known):
            known[node] = self._made(node, known, count)
        result = np.empty((count, len(data)), np.int64)
        split: dict[int, Array] = {}
        for at, byte in enumerate(data):
            if byte < 0:
                result[:, at] = byte
                continue
            node, which = place(byte)
            if node not in split:
                split[node] = self.table.bytes_of(known[node], self.table.size(node))
            result[:, at] = split[node][:, which]
        return result

    def _made(self, node: int, known: dict[int, Array], count: int) -> Array:
        """Return the value of a node in each iteration."""
        table, args = self.table, self.table.arguments(node)
        if not args or all(known[arg][0] == arg and (known[arg] == arg).all() for arg in args):
            leaf = table.leaf(node)
            if leaf is not None and leaf[0] == UNDEFINED and leaf[1] in PLACEHOLDERS:
                raise NoSummary("an iteration depends on the one before")
            return np.full(count, node, np.int64)
        if node & 1:
            data = table.specials[node >> 1]
            parts = [
                np.full(count, byte)
                if byte < 0
                else table.bytes_of(known[place(byte)[0]], table.size(place(byte)[0]))[:, place(byte)[1]]
                for byte in data
            ]
            return table.nodes_of(np.stack(parts, axis=-1))
        operation, _, _ = table.entries[node >> 1]
        operands = [known[arg] for arg in args]
        if operation.name in COMMUTING:
            operands[:2] = np.minimum(operands[0], operands[1]), np.maximum(operands[0], operands[1])
        if operation.name in SIGNED and table.flips:  # the sign of a product is that of its first factor
            return table.apply(operation.key, operation.function, operation.types, operation.to, operands)
        return table.instances(operation, operands)
