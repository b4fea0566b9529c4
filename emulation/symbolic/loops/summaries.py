"""Summarise loops whose body is straight-line code: execute one iteration on arbitrary elements, derive the others.

    loops = Loops(process)
    loops.at(steps, step, head, left)      at a backward branch: summarises all remaining iterations but the last

The body is executed once on placeholders. Loads that access different elements in each iteration return unknown
elements, and vector registers that the body changes start undefined. If nothing undefined remains in what is stored, no
iteration depends on the previous one, and iteration n stores the same expression of what it loads. Otherwise the
contents of the registers are substituted, iteration after iteration (carried.py). General registers, flags and the
branch are executed for each iteration, so addresses and the trip count come from the code and are not extrapolated.
An iteration may load what it has stored itself, at addresses that are always as far apart, and may keep it at an
address that is the same for all iterations. Loops that do not fit are executed in full: those with inner branches,
general registers in vector instructions, loads of data that other iterations have stored, or accesses that would fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...core.faults import CannotRun, Fault
from ...core.memory import WRITE, MemoryFault
from ...core.u64 import WORD
from ...cpu import CODE, Step
from ..addresses import Address
from ..bounds import Endless
from ..lanes import Lanes
from ..values import UNDEFINED, Array, Table, Undecided
from .body import (
    ELEMENT,
    BodyAccess,
    CarriedBytes,
    Changed,
    NoSummary,
    body_of,
    changes,
    changes_but,
    contents,
    put_back,
    undefine,
)
from .carried import Carried
from .template import Owners, Template

_RUNS = 4
_ITERATIONS = 10_000
"""How many iterations a loop may make besides one for each byte of the operands."""
FEWEST = 4
"""The smallest number of iterations for which a loop is summarised."""
_WRONG = (
    NoSummary,
    MemoryFault,
    CannotRun,
    Undecided,
    Fault,
    TypeError,
    ValueError,
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
)


class Loops:
    """The loops of one execution."""

    def __init__(self, process: Any) -> None:
        self.process, self.state = process, process.state
        self.memory, self.table = process.state.memory, process.state.memory.table
        self.general: list[int] = process.general
        self.flags = process.flags
        self.summaries: dict[int, str] = {}
        self._rejected: set[int] = set()
        # by branch, the result of the placeholder iteration when the loop was last met
        self._made: dict[int, _Made] = {}
        self._carried: dict[int, tuple[Changed, Any]] = {}  # by branch, the registers that the body changes
        self._waiting: dict[int, int] = {}  # by branch, for how many iterations it is ignored

    def at(self, steps: Mapping[int, Step], branch: Step, head: int, left: int) -> int:
        """Summarise as many iterations as possible and return the number of instructions left of the limit."""
        key = branch.offset
        if key in self._rejected:
            return left
        if self._waiting.get(key, 0) > 0:
            self._waiting[key] -= 1
            return left
        try:
            body = body_of(self.process, steps, head, branch)
        except NoSummary:
            self._rejected.add(key)
            return left
        entry = self._general()
        try:
            addresses, owners, last = self._simulated(body, head, left // len(body))
            self._waiting[key] = len(addresses)
            if len(addresses) < FEWEST:
                return left
            self._restore(entry)
            places = np.array(addresses, np.int64).reshape(len(addresses), -1)
            if (places % [each.align for each in body if each.address is not None]).any():
                raise NoSummary("an access that is not aligned")
            self._summarised(key, body, places, owners)
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

    def _simulated(self, body: Any, head: int, most: int) -> tuple[list[list[int]], Owners, Any]:
        """Return the addresses of the memory operands in each iteration but the last, what each begins at, and the
        general registers before the last iteration."""
        found: list[list[int]] = []
        first: Owners = []
        entry, before = self._general(), None
        most = min(most, _ITERATIONS + sum(each.array.nbytes for each in self.memory.regions))
        try:
            for _ in range(most):
                if before == self._general():
                    raise Endless("a loop without an end: its registers do not change", True)
                before, places, owners = self._general(), [], Owners()
                goes = None
                for each in body:
                    if each.address is not None:
                        address = each.address(self.general)
                        places.append(self._settled(address, each.step.offset))
                        owners.append(getattr(address, "base", None))
                    elif each.scalar:
                        goes = each.step.run()
                if goes != head:
                    return found, first, before
                found.append(places)
                first = first or owners
                if owners != first:
                    raise NoSummary("iterations access other operands")
        finally:
            self._restore(entry)
        raise Endless(
            f"a loop without an end: it goes on after {most:,} iterations, more than the operands have bytes", False
        )

    def _settled(self, address: Any, offset: int) -> int:
        """Return an address in this execution. If it depends on words that the call gives, it is recorded."""
        if isinstance(address, Address):
            return address.settle(1, offset)
        return address if isinstance(address, int) else int((address & WORD).address(1, offset))

    # Executing the body on placeholders

    def _summarised(self, key: int, body: Any, addresses: Array, owners: Owners) -> None:
        varying, first = (addresses != addresses[0]).any(axis=0), addresses[0].tolist()
        made = self._made.get(key)
        if made is None or not made.holds(contents(self.state), varying, first, self.memory):
            made = self._made[key] = self._placeholders(key, body, varying, first)
        template, registers = Template(self.table, made.accesses, self.memory), made.registers
        if not registers.read and not registers.stored:
            raise NoSummary("nothing is left of an iteration")
        spans = template.spans(addresses, owners)
        template.require_apart(spans, addresses)
        template.write(spans, len(addresses), registers)
        undefine(self.state, made.changed, self.table)
        registers.put()

    def _placeholders(self, key: int, body: Any, varying: Array, first: list[int]) -> _Made:
        """Return the result of one iteration in which every register that it changes starts undefined."""
        carried, like = self._carried.get(key, ({}, None))
        entry = contents(self.state)
        for _ in range(_RUNS):
            accesses, changed, slots, held = self._executed(body, varying, first, carried, like)
            if all(not (mask & ~carried.get(name, False)).any() for name, mask in changed.items()):
                break
            carried = {name: mask | carried.get(name, False) for name, mask in changed.items()}
            like = held
        else:
            raise NoSummary("other registers change in each iteration")
        self._carried[key] = carried, like
        registers = Carried(self.table, slots, held, accesses, self.state)
        return _Made(entry, carried, varying, accesses, registers, first)

    def _executed(
        self, body: Any, varying: Array, first: list[int], carried: Changed, like: Any
    ) -> tuple[list[BodyAccess], Changed, list[CarriedBytes], dict[str, Any]]:
        """Execute one iteration on placeholders. Return its accesses, what it changes, the placeholders in registers,
        and the final contents of the registers."""
        state, entry, saved = self.state, self._general(), contents(self.state)
        slots = undefine(state, carried, self.table, like)
        before = contents(state)
        recorder = _Recorder(self.memory, varying.tolist(), first)
        self.memory.recorder = recorder
        try:
            with np.errstate(all="ignore"):
                for each in body[:-1]:
                    self._one(each, recorder)
            held = contents(state)
            return recorder.finished(), changes(before, held), slots, held
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
            raise NoSummary("a vector instruction changes general registers or flags")


class _Made:
    """The result of one iteration on placeholders, and the state that it depends on."""

    def __init__(
        self,
        entry: dict[str, Any],
        changed: Changed,
        varying: Array,
        accesses: list[BodyAccess],
        registers: Carried,
        first: list[int],
    ) -> None:
        self.entry, self.changed, self.varying = entry, changed, varying
        self.accesses, self.registers = accesses, registers
        meets = any(each.over for each in accesses)
        self.together = [each.operand for each in accesses if meets and (each.over or each.access & WRITE)]
        """The memory operands whose distances decide which bytes an iteration has from its own stores."""
        self.distances = self._distances(first)

    def _distances(self, first: list[int]) -> list[int]:
        return [first[each] - first[self.together[0]] for each in self.together]

    def holds(self, entry: dict[str, Any], varying: Array, first: list[int], memory: Any) -> bool:
        """Whether an iteration would have the same result now: only what placeholders stand for differs."""
        changed = changes_but(self.changed, self.entry, entry)
        return (
            not changed
            and np.array_equal(varying, self.varying)
            and self._distances(first) == self.distances
            and all(
                _held(memory, first[each.operand] + each.offset, each)
                for each in self.accesses
                if not each.varying and not each.access & WRITE
            )
        )


def _held(memory: Any, address: int, access: BodyAccess) -> bool:
    """Whether memory holds the same values as when the access loaded them."""
    segment = memory._find(address, access.size, access.access)
    start = address - segment.start
    held = memory.tracks[segment.start].ids[start : start + access.size]
    same = held == access.raw
    return bool(same.all() if access.own is None else (same | access.own).all())


class _Recorder:
    """Replaces memory while the body is executed on placeholders."""

    def __init__(self, memory: Any, varying: list[bool], first: list[int]) -> None:
        self.memory, self.varying, self.first = memory, varying, first
        self.accesses: list[BodyAccess] = []
        self.at, self.body = -1, None  # the number of the memory operand whose instruction executes

    def begin(self, body: Any) -> None:
        self.body = body
        if body.address is not None:
            self.at += 1

    def view(self, start_of: int, address: int, size: int, access: int) -> Any:
        table: Table = self.memory.table
        track, start = self.memory.tracks[start_of], address - start_of
        held = track.ids[start : start + size]
        if self.body is None or self.body.address is None:
            if start_of != CODE:
                raise NoSummary("memory is accessed by what has no memory operand")
            return Lanes(held[:, None], np.uint8, table)  # a constant, whose address the instruction says
        raw, own, over = held.copy(), None, self._over(address, size)
        elements: tuple[tuple[int, int, int], ...] = ()
        if access & WRITE:
            raw[...] = _UNWRITTEN
        else:
            own = self._stored(raw, over, address) if over else None
            if self.varying[self.at]:
                elements = tuple(_elements(table, held.tolist(), own))
                for first, length, node in elements:
                    raw[first : first + length] = table.split(node, length)
        at = address - self.first[self.at]
        self.accesses.append(
            BodyAccess(
                self.at, at, size, access, raw, elements, self.body.step.offset, self.varying[self.at], own, tuple(over)
            )
        )
        return Lanes(raw[:, None], np.uint8, table)

    def _over(self, address: int, size: int) -> list[int]:
        """Return the numbers of the stores of this iteration that overlap these bytes."""
        return [
            at
            for at, each in enumerate(self.accesses)
            if each.access & WRITE and -each.size < self._start(each) - address < size
        ]

    def _start(self, access: BodyAccess) -> int:
        return self.first[access.operand] + access.offset

    def _stored(self, raw: Array, over: list[int], address: int) -> Array:
        """Replace bytes by what stores of this iteration wrote. Return which."""
        own = np.zeros(len(raw), bool)
        for each in map(self.accesses.__getitem__, over):
            at = self._start(each) - address
            low, high = max(at, 0), min(at + each.size, len(raw))
            raw[low:high] = each.raw[low - at : high - at]
            own[low:high] = True
        return own

    def finished(self) -> list[BodyAccess]:
        if any((each.raw == _UNWRITTEN).any() for each in self.accesses if each.access & WRITE):
            raise NoSummary("a store of which a part is kept")
        return self.accesses


_UNWRITTEN = -(1 << 40)


def _elements(table: Table, data: list[int], own: Array | None) -> Iterator[tuple[int, int, int]]:
    """Yield the first byte, the size and a placeholder of each whole node among the loaded bytes, except for those that
    the iteration has stored itself."""
    at = 0
    while at < len(data):
        if own is not None and own[at]:
            at += 1
            continue
        size = 1 << (data[at] >> 4 & 3)
        if data[at] < 0 or data[at] & 15 or data[at : at + size] != list(range(data[at], data[at] + size)):
            raise NoSummary("a load of numbers, or of parts of elements")
        if own is not None and own[at : at + size].any():
            raise NoSummary("a load of a part of an element that the iteration has stored in part")
        yield at, size, int(table.inputs(ELEMENT, 1, size, UNDEFINED)[0])
        at += size
