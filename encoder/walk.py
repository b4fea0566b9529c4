"""A walk along the jumps of emitted code: the frame before each instruction, and the entries of the code.

Where paths meet, the frame keeps what they agree on. The walk follows numbers added to registers, saves and restores by
`mov`, `push`, `str` and similar instructions, frame pointers, calls and subroutines. Code is untraceable in three
cases:

    the stack pointer is moved by an unknown amount while no other register keeps its distance to the frame
    a register of the caller is changed, and is neither saved in the frame nor restored from there
    the code returns or jumps elsewhere while the stack is not as it was at entry
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .code import PADDING, Code
from .conventions import convention_of
from .frames import Effect, Frame, Untraceable, cfa
from .records import NamedTuple


class Flow:
    """Where control goes in a piece of code, and where it enters from elsewhere."""

    def __init__(self, code: Code) -> None:
        self.convention = convention_of(code.arch)
        self.instructions = code.instructions
        self.steps = [self.convention.step(each) for each in self.instructions]
        self.index = {each.offset: number for number, each in enumerate(self.instructions)}
        self.size = code.text_size
        taken = [self._number(step.taken) for step in self.steps if step.taken is not None]
        self.landings = list(dict.fromkeys([0, *(each for each in taken if each is not None and self._is_code(each))]))
        """Instructions where the code is entered by an address: its beginning, and labels whose address is taken."""
        reached = self.reached(self.landings)
        # labels that no branch leads to are entered by an address from elsewhere
        for offset in sorted(code.labels.values()):
            number = self._number(offset)
            if number is not None and number not in reached and self._is_code(number):
                self.landings.append(number)
                reached |= self.reached([number])
        called = (self._number(step.called) for step in self.steps if step.called is not None)
        self.entries = list(dict.fromkeys([*self.landings, *(each for each in called if each is not None)]))
        """The landings, and the beginnings of the code's subroutines."""

    def _is_code(self, number: int) -> bool:
        """Whether an instruction stands there, not bytes between parts of the code, such as constants of the first."""
        return self.instructions[number].form is not PADDING

    def _number(self, offset: int) -> int | None:
        """The number of the instruction at an offset; None outside the code."""
        if not 0 <= offset < self.size:
            return None
        if offset not in self.index:
            raise Untraceable(f"no instruction begins at {offset:#x}, where control goes")
        return self.index[offset]

    def following(self, number: int) -> Iterator[int]:
        """Instructions that may come next."""
        step = self.steps[number]
        if step.falls and number + 1 < len(self.instructions):
            yield number + 1
        target = None if step.target is None else self._number(step.target)
        if target is not None:
            yield target

    def leaves(self, number: int) -> bool:
        """Whether control may leave the code and not return."""
        step = self.steps[number]
        return step.leaves or step.target is not None and self._number(step.target) is None

    def reached(self, entries: Iterable[int]) -> set[int]:
        """Instructions that control may reach from these entries."""
        reached: set[int] = set()
        waiting = list(entries)
        while waiting:
            number = waiting.pop()
            if number in reached:
                continue
            reached.add(number)
            waiting.extend(self.following(number))
            called = self.steps[number].called
            waiting.extend(each for each in [None if called is None else self._number(called)] if each is not None)
        return reached


def frames(code: Code) -> list[Frame | None]:
    """Return the frame before each instruction, None for unreachable ones. Untraceable names the responsible
    instruction."""
    return _frames(Flow(code))


def stack_bytes(code: Code) -> int:
    """Return how many bytes below the return address, or on AArch64 below the stack pointer, a call of the code uses.
    Functions at addresses that the caller gives, such as barriers, come on top of that."""
    flow = Flow(code)
    found, pointer = _frames(flow), flow.convention.stack
    first = flow.convention.start().values[pointer].amount
    least = min(flow.convention.start().values[pointer].amount, 0)

    def below(number: int) -> int:
        frame = found[number]
        value = None if frame is None else frame.values.get(pointer)
        return 0 if value is None or not value.framed else first - value.amount

    known: dict[int, int] = {}

    def deepest(entry: int) -> int:
        if entry in known:
            return known[entry]
        known[entry] = most = 0
        waiting, seen = [entry], set()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            waiting.extend(flow.following(number))
            called = flow.steps[number].called
            callee = None if called is None else flow._number(called)
            most = max(most, below(number) + (0 if callee is None else deepest(callee) - least))
        known[entry] = most
        return most

    return max(map(deepest, flow.entries)) + flow.convention.red_zone


def _frames(flow: Flow) -> list[Frame | None]:
    found: list[Frame | None] = [None] * len(flow.instructions)
    effects: dict[tuple[Any, ...], tuple[Effect, ...]] = {}
    waiting: list[tuple[int, Frame]] = [(number, flow.convention.start()) for number in reversed(flow.entries)]
    while waiting:
        number, frame = waiting.pop()
        known = found[number]
        if known is not None:
            frame = known.meet(frame)
            if frame == known:
                continue
        found[number] = frame
        _, _, form, operands = flow.instructions[number]
        key = form, operands
        if key not in effects:
            effects[key] = flow.convention.effects(form, operands)
        if effects[key]:
            frame = frame.copy()
            for effect in effects[key]:
                effect.on(frame, flow.convention)
        waiting.extend((each, frame) for each in flow.following(number))
    for number, known in enumerate(found):
        if known is not None:
            _check(flow, number, known)
    return found


def _check(flow: Flow, number: int, frame: Frame) -> None:
    """Raise Untraceable unless the frame gives the caller's, and equals the frame at entry if the function ends
    here."""
    convention, instruction = flow.convention, flow.instructions[number]
    here = f"at {instruction.offset:x} ({instruction.form.text(instruction.operands)})"
    cfa(frame, convention, here)
    lost = (convention.kept & frame.changed) - set(frame.saved)
    if lost or convention.link in frame.changed - set(frame.saved):
        raise Untraceable(f"{here} a register of the caller, or the return address, is not in the frame")
    if flow.leaves(number):
        start = convention.start()
        if frame.values.get(convention.stack) != start.values[convention.stack] or frame.signed:
            raise Untraceable(f"{here} the function ends, and the stack is not as it began")
        if convention.link in frame.changed - start.changed:
            raise Untraceable(f"{here} the function ends without its return address")


class Trace(NamedTuple):
    """The results for a piece of code: its flow, and the frames or the reason that there are none."""

    flow: Flow | None
    frames: list[Frame | None]
    lost: str  # empty if the frames are known


def trace(code: Code) -> Trace:
    """Trace the frames of some code, or find the reason that there are none."""
    if not code.record:
        return Trace(None, [], "there are no instructions")
    try:
        flow = Flow(code)
    except Untraceable as reason:
        return Trace(None, [], str(reason))
    try:
        return Trace(flow, _frames(flow), "")
    except Untraceable as reason:
        return Trace(flow, [], str(reason))
