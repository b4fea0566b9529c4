"""The stores of all iterations at once, as expressions of what each iteration loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory import WRITE
from ..addresses import Base
from ..lanes import COMMUTING
from ..values import UNDEFINED, Array, Table, place
from .body import PLACEHOLDERS, Access, Rejected, moved, roots_of
from .carried import Carried

Owners = list[Base | None]
"""What the address of each memory operand begins at, or None for what the call gives."""


class Template:
    """The stores of an iteration as expressions of its loads."""

    def __init__(self, table: Table, accesses: list[Access], memory: Any) -> None:
        self.table, self.accesses, self.memory = table, accesses, memory

    def spans(self, addresses: Array, owners: Owners) -> list[tuple[Access, Any, Array]]:
        """Return each access with its segment and its start in the segment in each iteration. Raise Rejected for
        accesses that would fault. owners: what the address of each memory operand begins at, or None"""
        found = []
        for each in self.accesses:
            begin = addresses[:, each.operand] + each.offset
            segment = self.memory.segment(int(begin[0]))
            owner = owners[each.operand]
            if owner is not None and self.memory.bases.at(segment.start) is not owner:
                raise Rejected("an access to another operand than that of its address")
            if not each.varying and each.access & WRITE:
                raise Rejected("every iteration stores to the same place")
            low, high = int(begin.min()), int(begin.max()) + each.size
            if low < segment.start or high > segment.end or not segment.access & each.access:
                raise Rejected("an access outside of its operand")
            start = begin - segment.start
            if segment.floor is not None and low < segment.floor():
                raise Rejected("an access below the stack")
            if segment.allowed is not None:
                inside = np.cumsum(np.concatenate([[0], (segment.allowed & each.access) != 0]))
                if (inside[start + each.size] - inside[start] != each.size).any():
                    raise Rejected("an access between elements")
            found.append((each, segment, start))
        return found

    def require_apart(self, spans: list[tuple[Access, Any, Array]]) -> None:
        """Raise Rejected if a byte is stored twice, or if a stored byte is loaded."""
        stored: dict[int, Array] = {}
        for each, segment, start in spans:
            if each.access & WRITE:
                counts = stored.setdefault(segment.start, np.zeros(segment.end - segment.start, np.uint16))
                index = start[:, None] + np.arange(each.size)
                if (np.abs(np.diff(start)) < each.size).any():
                    raise Rejected("iterations store to the same place")
                counts[index] += 1
        if any(seen.max() > 1 for seen in stored.values()):
            raise Rejected("iterations store to the same place")
        for each, segment, start in spans:
            seen = None if each.access & WRITE else stored.get(segment.start)
            if seen is not None and seen[start[:, None] + np.arange(each.size)].any():
                raise Rejected("the loop loads what it stores")

    def write(self, spans: list[tuple[Access, Any, Array]], count: int, carried: Carried) -> None:
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
                track.ids[index] = made.pop(0)
                track.writer[index] = each.at
            else:
                index = index[track.read[index] < 0]
                track.read[index] = each.at

    def _stored(self, each: Access, known: dict[int, Array], count: int) -> Array:
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
                raise Rejected("an iteration depends on the one before")
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
        return table.instances(operation, operands)
