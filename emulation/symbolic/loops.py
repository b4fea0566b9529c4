"""Loops whose body is straight code: one iteration on any elements, then all others by substitution.

    loops = Loops(process)
    loops.at(steps, step, head, left)      at a branch back: summarises what is left of the loop but its last iteration

The body is executed once on placeholders: where it loads other elements in each iteration it is given elements of which
nothing is known, and in vector registers that it changes there is something undefined. If what it stores has nothing
undefined in it, no iteration depends on the one before, and what iteration n stores is the same expression of what it
loads. General registers, flags and the branch are executed for each iteration, so addresses and the number of
iterations are those of the code and not extrapolated. What does not fit is executed whole: branches inside, general
registers in vector instructions, sums over iterations, data that the loop has stored itself, accesses that would fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..core.faults import Fault, Refusal
from ..core.memory import WRITE, MemoryFault
from ..cpu import CODE, Step
from .lanes import COMMUTING, Lanes
from .loop_body import (
    REGISTER,
    Access,
    Changed,
    Rejected,
    body_of,
    carries,
    changes,
    contents,
    moved,
    put_back,
    undefine,
)
from .values import UNDEFINED, Array, Table, Undecided, place

_RUNS = 4
FEWEST = 8
"""Iterations from which on a loop is summarised."""
_WRONG = (Rejected, MemoryFault, Refusal, Undecided, Fault, TypeError, ValueError, AttributeError, IndexError, KeyError,
          OverflowError)


class Loops:
    """Loops of one execution."""

    def __init__(self, process: Any) -> None:
        self.process, self.state = process, process.state
        self.memory, self.table = process.state.memory, process.state.memory.table
        self.general: list[int] = process.general
        self.flags = process.flags
        self.summaries: dict[int, str] = {}
        self._rejected: set[int] = set()
        self._waiting: dict[int, int] = {}  # branches that are not looked at again for so many iterations

    def at(self, steps: Mapping[int, Step], branch: Step, head: int, left: int) -> int:
        """The instructions that are left of the limit, after as many iterations as can be summarised."""
        key = branch.offset
        if key in self._rejected:
            return left
        if self._waiting.get(key, 0) > 0:
            self._waiting[key] -= 1
            return left
        try:
            body = body_of(self.process, steps, head, branch)
        except Rejected:
            self._rejected.add(key)
            return left
        entry = self._general()
        try:
            addresses, last = self._simulated(body, head, left // len(body))
            self._waiting[key] = len(addresses)
            if len(addresses) < FEWEST:
                return left
            self._restore(entry)
            self._summarised(body, np.array(addresses, np.int64).reshape(len(addresses), -1))
        except _WRONG:
            self._rejected.add(key)
            self._restore(entry)
            return left
        self._restore(last)
        self._waiting[key] = 0
        where, count = f"from {head - CODE:#x} to {key:#x}", len(addresses)
        self.summaries[key] = f"the loop {where}: {count} iterations follow from one on any elements"
        return left - len(addresses) * len(body)

    # General registers

    def _general(self) -> Any:
        return list(self.general), [getattr(self.state, name) for name in self.flags]

    def _restore(self, saved: Any) -> None:
        self.general[:] = saved[0]
        for name, value in zip(self.flags, saved[1]):
            setattr(self.state, name, value)

    def _simulated(self, body: Any, head: int, most: int) -> tuple[list[list[int]], Any]:
        """(where the memory operands lie in each iteration but the last, general registers before the last)."""
        found: list[list[int]] = []
        entry = self._general()
        try:
            for _ in range(most):
                before, places = self._general(), []
                goes = None
                for each in body:
                    if each.address is not None:
                        places.append(each.address(self.general))
                    elif each.scalar:
                        goes = each.step.run()
                if goes != head:
                    return found, before
                found.append(places)
        finally:
            self._restore(entry)
        raise Rejected("the loop does not end within the limit")

    # The body on placeholders

    def _summarised(self, body: Any, addresses: Array) -> None:
        carried: Changed = {}
        for _ in range(_RUNS):
            accesses, changed, held = self._executed(body, addresses, carried)
            if all(not (mask & ~carried.get(name, False)).any() for name, mask in changed.items()):
                break
            carried = {name: mask | carried.get(name, False) for name, mask in changed.items()}
        else:
            raise Rejected("other registers change in each iteration")
        if carries(held, carried, self.table) or not any(each.access & WRITE for each in accesses):
            raise Rejected("registers are computed over iterations")
        template = _Template(self.table, accesses, self.memory)
        spans = template.spans(addresses)
        template.require_apart(spans)
        template.write(spans)
        undefine(self.state, carried, self.table)

    def _executed(self, body: Any, addresses: Array, carried: Changed
                  ) -> tuple[list[Access], Changed, dict[str, Any]]:  # fmt: skip
        """(what one iteration on placeholders accesses, what it changes, what registers hold behind it)."""
        state, entry, saved = self.state, self._general(), contents(self.state)
        undefine(state, carried, self.table)
        before = contents(state)
        varying = (addresses != addresses[0]).any(axis=0)
        recorder = _Recorder(self.memory, varying.tolist(), addresses[0].tolist())
        self.memory.recorder = recorder
        try:
            with np.errstate(all="ignore"):
                for each in body[:-1]:
                    self._one(each, recorder)
            held = contents(state)
            return recorder.finished(), changes(before, held), held
        finally:
            self.memory.recorder = None
            put_back(state, saved)
            self._restore(entry)

    def _one(self, each: Any, recorder: _Recorder) -> None:
        if each.scalar:
            each.step.run()
            return
        general = self._general()
        recorder.begin(each)
        if each.step.run() is not None or self._general() != general:
            raise Rejected("a vector instruction changes general registers or flags")


class _Recorder:
    """Stands for memory while the body is executed on placeholders."""

    def __init__(self, memory: Any, varying: list[bool], first: list[int]) -> None:
        self.memory, self.varying, self.first = memory, varying, first
        self.accesses: list[Access] = []
        self.at, self.body = -1, None  # of the memory operands, the one whose instruction executes

    def begin(self, body: Any) -> None:
        self.body = body
        if body.address is not None:
            self.at += 1

    def view(self, address: int, size: int, access: int) -> Any:
        table: Table = self.memory.table
        if self.body is None or self.body.address is None:
            raise Rejected("memory is accessed by what has no memory operand")
        segment = self.memory._find(address, size, access)
        track, start = self.memory.tracks[segment.start], address - segment.start
        held = track.ids[start : start + size]
        raw = held.copy()
        elements: tuple[tuple[int, int, int], ...] = ()
        if access & WRITE:
            raw[...] = _UNWRITTEN
        elif self.varying[self.at]:
            elements = tuple(_elements(table, held.tolist()))
            for first, length, node in elements:
                raw[first : first + length] = table.split(node, length)
        self.accesses.append(Access(self.at, address - self.first[self.at], size, access, raw, elements,
                                    self.body.step.offset, self.varying[self.at]))  # fmt: skip
        return Lanes(raw[:, None], np.uint8, table)

    def finished(self) -> list[Access]:
        if any((each.raw == _UNWRITTEN).any() for each in self.accesses if each.access & WRITE):
            raise Rejected("a store of which a part is kept")
        return self.accesses


_UNWRITTEN = -(1 << 40)


def _elements(table: Table, data: list[int]) -> Iterator[tuple[int, int, int]]:
    """(first byte, size, a placeholder) of each whole node that loaded bytes are."""
    at = 0
    while at < len(data):
        size = 1 << (data[at] >> 4 & 3)
        if data[at] < 0 or data[at] & 15 or data[at : at + size] != list(range(data[at], data[at] + size)):
            raise Rejected("a load of numbers, or of parts of elements")
        yield at, size, int(table.inputs("element of a loop", 1, size, UNDEFINED)[0])
        at += size


class _Template:
    """What an iteration stores, as expressions of what it loads."""

    def __init__(self, table: Table, accesses: list[Access], memory: Any) -> None:
        self.table, self.accesses, self.memory = table, accesses, memory

    def spans(self, addresses: Array) -> list[tuple[Access, Any, Array]]:
        """(access, its segment, where in the segment it begins in each iteration)."""
        found = []
        for each in self.accesses:
            begin = addresses[:, each.operand] + each.offset
            segment = self.memory.segment(int(begin[0]))
            if not each.varying and each.access & WRITE:
                raise Rejected("every iteration stores to the same place")
            low, high = int(begin.min()), int(begin.max()) + each.size
            if low < segment.start or high > segment.end or not segment.access & each.access:
                raise Rejected("an access outside of its operand")
            start = begin - segment.start
            if each.varying and segment.floor is not None:
                raise Rejected("an access to the stack")
            if segment.allowed is not None:
                inside = np.cumsum(np.concatenate([[0], (segment.allowed & each.access) != 0]))
                if (inside[start + each.size] - inside[start] != each.size).any():
                    raise Rejected("an access between elements")
            found.append((each, segment, start))
        return found

    def require_apart(self, spans: list[tuple[Access, Any, Array]]) -> None:
        """No byte is stored twice, and none that is loaded."""
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

    def write(self, spans: list[tuple[Access, Any, Array]]) -> None:
        """What all iterations store."""
        known: dict[int, Array] = {}
        count = len(spans[0][2])
        for each, segment, start in spans:
            if each.access & WRITE or not each.varying:
                continue
            ids = self.memory.tracks[segment.start].ids
            for first, size, node in each.elements:
                known[node] = moved(ids, start + first, size)
        made = [self._stored(each, known, count) for each, _, _ in spans if each.access & WRITE]
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
        roots = list(dict.fromkeys(place(byte)[0] for byte in data if byte >= 0))
        for node in self.table.below(roots, known):
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
        """A node in each iteration."""
        table, args = self.table, self.table.arguments(node)
        if not args or all(known[arg][0] == arg and (known[arg] == arg).all() for arg in args):
            leaf = table.leaf(node)
            if leaf is not None and leaf[0] == UNDEFINED and leaf[1] in _PLACEHOLDERS:
                raise Rejected("an iteration depends on the one before")
            return np.full(count, node, np.int64)
        if node & 1:
            data = table.specials[node >> 1]
            parts = [np.full(count, byte) if byte < 0 else table.bytes_of(
                known[place(byte)[0]], table.size(place(byte)[0]))[:, place(byte)[1]] for byte in data]  # fmt: skip
            return table.nodes_of(np.stack(parts, axis=-1))
        operation, _, _ = table.entries[node >> 1]
        operands = [known[arg] for arg in args]
        if operation.name in COMMUTING:
            operands[:2] = np.minimum(operands[0], operands[1]), np.maximum(operands[0], operands[1])
        return table.instances(operation, operands)


_PLACEHOLDERS = (REGISTER, "element of a loop")
