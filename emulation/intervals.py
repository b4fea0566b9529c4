"""Which ways of branches no number can take: intervals of what general registers and words of the stack hold.

    possible = ways(code, "x86", {3: (0, 1 << 47)})        integer argument 3 is a number from 0 on

The intervals hold for every call whose arguments lie in theirs. They follow moves, sums, products and comparisons;
whatever else an instruction writes may be anything. An interval has a step: the numbers of elements of m rows of three
are 0, 3, 6 and so on, so that after blocks of six no two pairs are left.

Words of the stack are those at fixed distances from the stack pointer at entry. A store through the stack pointer ends
what was known of the words that it overlaps, and so does a store of a general register through another pointer, of the
words of the own frame, if the code makes pointers to its stack. It is assumed that vectors are not stored through such
a pointer over a word that holds a counter: if they were, the symbolic execution would find data where it needs a
number, and refuse. On AArch64, TPIDR2_EL0 is 0, as executions have it: no caller has left the saving of ZA to its
callees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import Any

from ..encoder.a64.abi import ARGUMENTS as ARGUMENTS_A64
from ..encoder.decode import Instruction, decode
from ..encoder.records import NamedTuple
from ..encoder.x86.abi import ARGUMENTS as ARGUMENTS_X86
from ..encoder.x86.effects import FLAGS, implicit
from ..encoder.x86.registers import Mem as X86Mem
from ..encoder.x86.registers import Reg
from .coverage import Way, ways_of
from .selects import FAILED, HELD, LEFT, condition

Interval = tuple[int, int, int]
"""(least, most, step): every number is the least one and some steps, and so is the most. One number has the step 0."""
Place = tuple[str, int]
"""A general register ("r", number) or a word of the stack ("s", offset from the stack pointer at entry)."""
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_TOP: Interval = (_LEAST, _MOST, 1)
_WORD = 8
_FRAMES, _FRAME = -(1 << 50), 1 << 32
"""Where frames lie whose distance from the stack pointer at entry is unknown, and how far apart."""
_SOMEWHERE: Place = ("s", -(1 << 62))
"""Any word of the stack, where the stack pointer is not followed."""
_PATIENCE = 4
"""How often an instruction is met before its intervals grow in larger steps."""
_LIMIT = 60_000
"""The most steps of an analysis; beyond, every way counts as possible."""
_CONDITIONS = {
    "l": "lt",
    "ge": "ge",
    "le": "le",
    "g": "gt",
    "b": "lo",
    "ae": "hs",
    "be": "ls",
    "a": "hi",
    "e": "eq",
    "ne": "ne",
    "lt": "lt",
    "gt": "gt",
    "lo": "lo",
    "cc": "lo",
    "hs": "hs",
    "cs": "hs",
    "ls": "ls",
    "hi": "hi",
    "eq": "eq",
}
_NAMES_A64 = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv")
_OPPOSITE = {
    "lt": "ge",
    "ge": "lt",
    "le": "gt",
    "gt": "le",
    "lo": "hs",
    "hs": "lo",
    "ls": "hi",
    "hi": "ls",
    "eq": "ne",
    "ne": "eq",
}


_UNSIGNED = ("lo", "hs", "ls", "hi")


class _Compared(NamedTuple):
    """What the flags tell: how `left` compares with `right`. `place` still holds left, `result` their difference.
    `carries` says that they tell it of unsigned numbers, too: DEC leaves the carry flag as it was."""

    left: Interval
    right: Interval
    place: Place | None
    result: Place | None
    carries: bool = True


class _State(NamedTuple):
    """What is known before an instruction: intervals, the distance of the stack pointer from entry, and the flags."""

    held: dict[Place, Interval]
    stack: int | None
    flags: _Compared | None
    numbers: frozenset[Place] = frozenset()
    """The places whose values depend on a number of the call."""

    def at(self, place: Place | None) -> Interval:
        """Return the interval of a place."""
        return _TOP if place is None else self.held.get(place, _TOP)

    def set(self, place: Place | None, found: Interval) -> _State:
        """Return the state after a place was written."""
        if place is None:
            return self
        held = dict(self.held)
        if place[0] == "s":
            held = _without(held, place[1], place[1] + _WORD)
        held.pop(place, None)
        if found != _TOP:
            held[place] = found
        flags = self.flags
        if flags is not None and place in (flags.place, flags.result):
            flags = flags._replace(
                place=None if place == flags.place else flags.place,
                result=None if place == flags.result else flags.result,
            )
        return self._replace(held=held, flags=flags)


def _without(held: dict[Place, Interval], first: int, end: int) -> dict[Place, Interval]:
    """Return what is held without the words of the stack that a store to these bytes overlaps."""
    return {(file, at): found for (file, at), found in held.items() if file == "r" or at + _WORD <= first or end <= at}


class Reachable(NamedTuple):
    """What calls may do whose numbers lie in some intervals.

    ways     the ways that they can take
    narrow   the offsets of instructions that read fewer bits of a number, or of what was computed of one, than it has
    """

    ways: set[Way]
    narrow: tuple[int, ...]


def ways(code: bytes, arch: str, numbers: Mapping[int, tuple[int, int]]) -> set[Way] | None:
    """Return the ways that a call can take whose integer arguments lie in these intervals, by their position; None if
    the analysis does not come to an end."""
    found = reached(code, arch, numbers)
    return None if found is None else found.ways


def reached(code: bytes, arch: str, numbers: Mapping[int, tuple[int, int]]) -> Reachable | None:
    """Return what a call can do whose integer arguments lie in these intervals, by their position; None if the analysis
    does not come to an end."""
    machine: _X86 | _A64 = _X86() if arch == "x86" else _A64()
    machine.configures_tiles = any(each.form.mnemonic == "ldtilecfg" for each in _instructions(code, arch))
    machine.points_to_stack = any(machine.is_pointer_to_stack(each) for each in _instructions(code, arch))
    held = {machine.argument(position): _from(*found) for position, found in numbers.items()}
    states: dict[int, _State] = {0: _State(held, 0, None, frozenset(held))}
    visits: dict[int, int] = {}
    decoded: dict[int, Instruction | None] = {}
    steps = thresholds(code, arch)
    waiting, possible = [0], set[Way]()
    for _ in range(_LIMIT):
        if not waiting:
            read = [(at, found) for at, found in sorted(decoded.items(), key=lambda each: each[0]) if found is not None]
            return Reachable(possible, tuple(at for at, found in read if machine.is_narrow(found, states[at])))
        at = waiting.pop()
        found = decoded[at] if at in decoded else decoded.setdefault(at, decode(code, at, arch))
        if found is None:
            continue
        chosen = condition(arch, found.form.mnemonic, found.operands)
        if chosen is not None:
            possible |= {(at, way) for way in machine.chosen(states[at], chosen, found)}
        for goes, after in machine.after(found, at, arch, states[at]):
            possible.add((at, goes))
            if not 0 <= goes < len(code):
                continue
            before = states.get(goes)
            visits[goes] = visits.get(goes, 0) + 1
            joined = after if before is None else _joined(before, after, steps if visits[goes] > _PATIENCE else None)
            if joined != before:
                states[goes] = joined
                waiting.append(goes)
    return None


def thresholds(code: bytes, arch: str) -> list[int]:
    """Return the numbers at which growing intervals stop: those that the code names, and their neighbours."""
    found = {0, _LEAST, _MOST}
    for one in _instructions(code, arch):
        for each in one.operands:
            if isinstance(each, int):
                found |= {sign * each + more for sign in (1, -1) for more in (-1, 0, 1)}
    return sorted(each for each in found if _LEAST <= each <= _MOST)


def _instructions(code: bytes, arch: str) -> Iterator[Instruction]:
    """Yield what the decoder finds from the first byte to the last one, constants included."""
    at = 0
    while at < len(code):
        one = decode(code, at, arch)
        at += one.length if one else (1 if arch == "x86" else 4)
        if one:
            yield one


def _joined(one: _State, other: _State, steps: list[int] | None) -> _State:
    held = {}
    for place, before in one.held.items():
        found = _hull(before, other.held.get(place, _TOP))
        if steps is not None:
            found = _grown(before, found, steps)
        if found != _TOP:
            held[place] = found
    same = one.stack == other.stack
    if not same:
        held = {place: found for place, found in held.items() if place[0] == "r"}
    numbers = one.numbers | other.numbers
    if not same:
        numbers = _somewhere(numbers)
    return _State(held, one.stack if same else None, _either(one.flags, other.flags), numbers)


def _somewhere(places: frozenset[Place]) -> frozenset[Place]:
    """Return places where the stack pointer is not followed any more."""
    return frozenset(place if place[0] == "r" else _SOMEWHERE for place in places)


def _hull(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1]), gcd(a[2], b[2], a[0] - b[0])


def _grown(before: Interval, found: Interval, steps: list[int]) -> Interval:
    """Return an interval that has all of `found` and, at each end at which it exceeds `before`, reaches the next of
    these numbers."""
    low, high, step = found
    if low < before[0]:
        low -= (low - max(each for each in steps if each <= low)) // step * step
    if high > before[1]:
        high += (min(each for each in steps if each >= high) - high) // step * step
    return low, high, step


def _either(one: _Compared | None, other: _Compared | None) -> _Compared | None:
    """Return what flags tell that were set in one of two ways."""
    if one is None or other is None or one == other:
        return one if one == other else None
    return _Compared(
        _hull(one.left, other.left),
        _hull(one.right, other.right),
        one.place if one.place == other.place else None,
        one.result if one.result == other.result else None,
        one.carries and other.carries,
    )


# Arithmetic. What may exceed 64 bits may be anything.


def _from(low: int, high: int) -> Interval:
    """Return all numbers from one to another."""
    return low, high, int(low != high)


def _one(number: int) -> Interval:
    """Return one number, which code may have written without its sign."""
    signed = (number - _LEAST) % (1 << 64) + _LEAST
    return signed, signed, 0


def _bounded(low: int, high: int, step: int) -> Interval:
    return (low, high, step) if low >= _LEAST and high <= _MOST else _TOP


def _sum(a: Interval, b: Interval) -> Interval:
    return _bounded(a[0] + b[0], a[1] + b[1], gcd(a[2], b[2]))


def _difference(a: Interval, b: Interval) -> Interval:
    return _bounded(a[0] - b[1], a[1] - b[0], gcd(a[2], b[2]))


def _product(a: Interval, b: Interval) -> Interval:
    every = [x * y for x in a[:2] for y in b[:2]]
    return _bounded(min(every), max(every), gcd(a[2] * b[0], a[0] * b[2], a[2] * b[2]))


def _masked(a: Interval, b: Interval) -> Interval:
    most = [each[1] for each in (a, b) if each[0] >= 0]
    return _from(0, min(most)) if most else _TOP


def _shifted(a: Interval, by: int) -> Interval:
    if by == 0:
        return a
    return _from(a[0] >> by, a[1] >> by) if a[0] >= 0 else _from(0, (1 << 64 - by) - 1)


def _within(found: Interval, least: int, most: int) -> Interval | None:
    """Return the numbers of an interval from one to another; None if there are none."""
    low, high, step = found
    if step:
        low += max(-(-(least - low) // step), 0) * step
        high -= max(-(-(high - most) // step), 0) * step
    elif not least <= low <= most:
        return None
    return (low, high, step if low != high else 0) if low <= high else None


def _refined(condition: str, left: Interval, right: Interval) -> Interval | None:
    """Return the interval of `left` where the condition holds; None if it cannot hold."""
    least, most, _ = right
    if condition in ("lo", "ls") and least >= 0:
        nonnegative = _within(left, 0, _MOST)
        return None if nonnegative is None else _refined({"lo": "lt", "ls": "le"}[condition], nonnegative, right)
    if condition in ("hs", "hi"):
        if left[0] < 0 or least < 0:
            return left
        condition = {"hs": "ge", "hi": "gt"}[condition]
    if condition in ("lt", "le"):
        return _within(left, _LEAST, most - (condition == "lt"))
    if condition in ("ge", "gt"):
        return _within(left, least + (condition == "gt"), _MOST)
    if condition == "eq":
        return _within(left, least, most)
    if condition == "ne" and least == most:
        return _within(left, left[0] + (left[0] == least), left[1] - (left[1] == least))
    return left


def _branched(state: _State, condition: str | None) -> _State | None:
    """Return the state where a condition on the flags holds; None if it cannot hold."""
    flags = state.flags
    if flags is None or condition is None or (condition in _UNSIGNED and not flags.carries):
        return state
    left = _refined(condition, flags.left, flags.right)
    if left is None:
        return None
    right = flags.right
    if flags.place is not None:
        state = state.set(flags.place, left)
    if flags.result is not None:
        state = state.set(flags.result, _difference(left, right))
    return state._replace(flags=flags._replace(left=left))


After = list[tuple[int, _State]]


def _is_zero(found: Instruction) -> bool:
    """Whether an instruction is a zero however its register is set, as the difference of it and itself."""
    name, operands = found.form.mnemonic, found.operands
    return name in ("xor", "sub", "eor") and len(operands) >= 2 and operands[-1] == operands[-2]


class _Machine(ABC):
    """What instructions do to a state. Subclasses read the operands of an architecture."""

    configures_tiles = False
    """Whether the code loads a configuration of tiles."""
    points_to_stack = False
    """Whether the code makes pointers to its stack."""
    pushed = 0
    """The bytes that a call puts on the stack."""

    def after(self, found: Instruction, at: int, arch: str, state: _State) -> After:
        """Return the offsets at which execution may go on, each with the state there."""
        name, known = found.form.mnemonic, ways_of(found, at, arch)
        if name in ("call", "bl", "blr"):
            return [
                (known[0], _State({}, state.stack, None, state.numbers)),
                *((goes, self._called(state)) for goes in known[1:]),
            ]
        if len(known) == 2 or name.startswith(("b.", "cb", "tb")):
            return self.branch(found, state, known)
        after = self.followed(found, state, self.step(found, state, at))
        return [(goes, after) for goes in known]

    def _called(self, state: _State) -> _State:
        """Return the state at the entry of code that is called, with words by their distance from there."""
        if state.stack is None:
            return self.lost_stack(state)._replace(stack=0, flags=None)
        below = state.stack - self.pushed
        held = {(file, at - below * (file == "s")): found for (file, at), found in state.held.items()}
        numbers = frozenset((file, at - below * (file == "s")) for file, at in state.numbers)
        return _State(held, 0, None, numbers)

    def lost_stack(self, state: _State, at: int | None = None) -> _State:
        """Return the state after the stack pointer became something that is not followed: an aligned one, for example.
        Words from there on are a frame of their own, if `at` is the offset of the instruction that made it."""
        held = {place: each for place, each in state.held.items() if place[0] == "r"}
        frame = None if at is None else _FRAMES - at * _FRAME
        return _State(held, frame, None, _somewhere(state.numbers))

    @abstractmethod
    def read(self, found: Instruction, state: _State) -> list[tuple[Place, int]]:
        """Return the places that an instruction reads, each with the number of bits."""

    @abstractmethod
    def written(self, found: Instruction, state: _State) -> list[Place]:
        """Return the places that an instruction writes as a whole."""

    def is_narrow(self, found: Instruction, state: _State) -> bool:
        """Whether an instruction reads fewer bits of what depends on a number than that may have. Bits that a constant
        selects are all that is asked for. Bytes that are stored where tiles are configured are rows, of which LDTILECFG
        refuses more than 16."""
        name, last = found.form.mnemonic, found.operands[-1] if found.operands else None
        if self.configures_tiles and name == "mov" and getattr(found.operands[0], "size", 0) == 8:
            return False
        if _is_zero(found) or name in ("tbz", "tbnz") or (name in ("test", "and", "tst") and isinstance(last, int)):
            return False
        return any(
            place in state.numbers and not 0 <= state.at(place)[0] <= state.at(place)[1] < 1 << bits
            for place, bits in self.read(found, state)
            if bits < 8 * _WORD
        )

    def followed(self, found: Instruction, state: _State, after: _State) -> _State:
        """Return the state after an instruction with the places that depend on numbers there."""
        written = frozenset(self.written(found, state))
        lost = _SOMEWHERE in state.numbers
        depends = any(
            place in state.numbers or (lost and place[0] == "s" and place not in state.held)
            for place, _ in self.read(found, state)
        ) and not _is_zero(found)
        numbers = state.numbers | written if depends else state.numbers - (written - {_SOMEWHERE})
        return after if numbers == after.numbers else after._replace(numbers=numbers)

    @abstractmethod
    def is_pointer_to_stack(self, found: Instruction) -> bool:
        """Whether an instruction writes a pointer to the stack into another register."""

    def elsewhere(self, state: _State) -> _State:
        """Return the state after a number was stored through a pointer other than the stack pointer."""
        held = (
            state.held
            if not self.points_to_stack
            else {place: found for place, found in state.held.items() if place[0] == "r" or place[1] >= 0}
        )
        return state._replace(held=held)

    @abstractmethod
    def branch(self, found: Instruction, state: _State, known: list[int]) -> After:
        """Return what follows a conditional branch: behind it, and at its target."""

    @abstractmethod
    def step(self, found: Instruction, state: _State, at: int) -> _State:
        """Return the state after an instruction that is no branch."""

    def chosen(self, state: _State, condition: str | int, found: Instruction) -> list[int]:
        """Return what an instruction may choose by a condition on the flags, or leave of what it shifts."""
        if condition == LEFT:
            ((place, _), *_), by = self.read(found, state), found.operands[-1]
            return [HELD] if isinstance(by, int) and _shifted(state.at(place), by)[1] > 0 else [FAILED]
        name = _CONDITIONS.get(_NAMES_A64[condition] if isinstance(condition, int) else condition)
        pairs = ((FAILED, _branched(state, _OPPOSITE.get(name or ""))), (HELD, _branched(state, name)))
        return [way for way, after in pairs if after is not None]

    def both(self, state: _State, condition: str | None, known: list[int]) -> After:
        """Return what follows a branch on the flags."""
        away = _OPPOSITE.get(condition or "")
        pairs = ((known[0], _branched(state, away)), (known[1], _branched(state, condition)))
        return [(goes, after) for goes, after in pairs if after is not None]

    def computed(
        self, state: _State, to: Place | None, found: Interval, compared: tuple[Any, ...] | None, carries: bool = True
    ) -> _State:
        """Return the state after `to` was written. `compared` holds the intervals and the place that set the flags."""
        after = state.set(to, found)
        if compared is None:
            return after
        left, right, place = compared
        return after._replace(flags=_Compared(left, right, None if place == to else place, to, carries))


_SP_X86 = 4


def _access(found: Instruction) -> str:
    """Return a letter for each operand: r, w, or another one if it is read and written. Empty: all are read."""
    letters: str = getattr(found.form, "access")  # noqa: B009
    return letters


class _X86(_Machine):
    pushed = _WORD

    def is_pointer_to_stack(self, found: Instruction) -> bool:
        name, operands = found.form.mnemonic, found.operands
        given = operands if name == "push" else operands[1:]
        lea = name == "lea" and any(
            isinstance(each, X86Mem) and getattr(each.base, "num", -1) == _SP_X86 for each in operands
        )
        return lea or any(isinstance(each, Reg) and each.file == "r64" and each.num == _SP_X86 for each in given)

    def _word(self, operand: X86Mem, state: _State) -> Place | None:
        """Return the word of the stack that an operand in memory is, None if it is no part of the stack."""
        if operand.rip or operand.base is None or operand.base.num != _SP_X86:
            return None
        return self._place(operand, state) or _SOMEWHERE

    def read(self, found: Instruction, state: _State) -> list[tuple[Place, int]]:
        places: list[tuple[Place, int]] = []
        for operand, access in zip(found.operands, _access(found) or "r" * len(found.operands)):
            if isinstance(operand, Reg) and operand.file in _BITS and (access != "w" or _BITS[operand.file] < 32):
                places.append((("r", operand.num), 64 if access == "w" else _BITS[operand.file]))
            elif isinstance(operand, X86Mem):
                if found.form.mnemonic == "lea":
                    places += [(("r", each.num), 64) for each in (operand.base, operand.index) if each is not None]
                word = self._word(operand, state)
                if word is not None and access != "w":
                    places.append((word, operand.size or 64))
        return places

    def written(self, found: Instruction, state: _State) -> list[Place]:
        hidden = implicit(getattr(found, "form")).writes  # noqa: B009
        places: list[Place] = [("r", _HIDDEN[name]) for name in hidden if name in _HIDDEN]
        for operand, access in zip(found.operands, _access(found) or "r" * len(found.operands)):
            if isinstance(operand, Reg) and operand.file in _BITS and access != "r":
                places.append(("r", operand.num))
            elif isinstance(operand, X86Mem) and access != "r":
                word = self._word(operand, state)
                places += [word] if word is not None else []
        if found.form.mnemonic == "push":
            places.append(_SOMEWHERE if state.stack is None else ("s", state.stack - _WORD))
        return places

    def argument(self, position: int) -> Place:
        if position < len(ARGUMENTS_X86):
            return "r", ARGUMENTS_X86[position].num
        return "s", 8 * (position - len(ARGUMENTS_X86) + 1)

    def branch(self, found: Instruction, state: _State, known: list[int]) -> After:
        name = found.form.mnemonic
        if name.startswith("loop"):
            return [(goes, state.set(("r", _HIDDEN["rcx"]), _TOP)) for goes in known]
        return self.both(state, _CONDITIONS.get(name[1:]), known)

    def _place(self, operand: Any, state: _State) -> Place | None:
        if isinstance(operand, Reg) and operand.file == "r64":
            return "r", operand.num
        stack = isinstance(operand, X86Mem) and operand.base is not None and operand.base.num == _SP_X86
        if stack and operand.index is None and state.stack is not None and not operand.rip:
            return "s", state.stack + operand.disp
        return None

    def _read(self, operand: Any, state: _State) -> Interval:
        return _one(operand) if isinstance(operand, int) else state.at(self._place(operand, state))

    def step(self, found: Instruction, state: _State, at: int) -> _State:
        after = self._step(found, state, at)
        if not found.operands and found.form.mnemonic.startswith(("stos", "movs", "rep")):
            return self.elsewhere(after)
        to = found.operands[0] if found.operands else None
        if not isinstance(to, X86Mem) or found.form.mnemonic in _READS_ONLY:
            return after
        if to.rip or to.base is None or to.base.num != _SP_X86:
            vector = any(isinstance(each, Reg) and not each.file.startswith("r") for each in found.operands)
            return after if vector else self.elsewhere(after)
        exact = self._place(to, state)
        if exact is None:
            return after._replace(held={place: each for place, each in after.held.items() if place[0] == "r"})
        kept, size = after.held.get(exact), (getattr(to, "size", 0) or 512) // 8
        held = _without(after.held, exact[1], exact[1] + size)
        return after._replace(held=held if kept is None else {**held, exact: kept})

    def _step(self, found: Instruction, state: _State, at: int) -> _State:
        name, operands = found.form.mnemonic, found.operands
        general = [each for each in operands if isinstance(each, Reg) and each.file.startswith("r")]
        if general and general[0] is operands[0] and general[0].num == _SP_X86 and name not in _READS_ONLY:
            return self._stack(name, operands, state, at)
        if name in ("push", "pop"):
            moved = None if state.stack is None else state.stack + (_WORD if name == "pop" else -_WORD)
            if name == "pop":
                return state.set(self._place(operands[0], state), _TOP)._replace(stack=moved)
            word = None if moved is None else ("s", moved)
            return state.set(word, self._read(operands[0], state))._replace(stack=moved)
        wide = all(each.file == "r64" for each in general)
        memory = [each for each in operands if isinstance(each, X86Mem)]
        words = general or (memory and getattr(memory[0], "size", 0) == 8 * _WORD)
        if wide and operands and name in _ARITHMETIC_X86 and words and (name != "imul" or len(operands) > 1):
            return self._arithmetic(name, operands, state)
        if name == "xor" and len(general) == 2 and general[0] is general[1] and general[0].file in ("r32", "r64"):
            return state.set(("r", general[0].num), _one(0))._replace(flags=None)
        if name == "mov" and general and general[0] is operands[0] and general[0].file == "r32":
            low = _one(operands[1]) if isinstance(operands[1], int) else _from(0, (1 << 32) - 1)
            return state.set(("r", general[0].num), low if low[0] >= 0 else _TOP)
        return self._forgotten(found, state)

    def _forgotten(self, found: Instruction, state: _State) -> _State:
        """Return the state after an instruction that may write anything to what it names."""
        effects = implicit(getattr(found, "form"))  # noqa: B009
        for operand in found.operands:
            if isinstance(operand, Reg) and operand.file.startswith("r"):
                half = operand.file == "r32" and operand is found.operands[0]
                state = state.set(("r", operand.num), _from(0, (1 << 32) - 1) if half else _TOP)
            elif isinstance(operand, X86Mem):
                state = state.set(self._place(operand, state), _TOP)
        for hidden in effects.writes - {*FLAGS, "mxcsr", "xmm0"}:
            state = state.set(("r", _HIDDEN.get(hidden, -1)), _TOP)
        return state._replace(flags=None) if effects.writes & {*FLAGS} else state

    def _stack(self, name: str, operands: tuple[Any, ...], state: _State, at: int) -> _State:
        by = operands[1] if name in ("add", "sub") and isinstance(operands[1], int) else None
        if by is None or state.stack is None:
            return self.lost_stack(state, at)
        return state._replace(stack=state.stack + (by if name == "add" else -by), flags=None)

    def _arithmetic(self, name: str, operands: tuple[Any, ...], state: _State) -> _State:
        to, first = self._place(operands[0], state), self._read(operands[0], state)
        second = self._read(operands[1], state) if len(operands) > 1 else _one(1)
        if name == "mov":
            return state.set(to, second)
        if name == "lea":
            mem = operands[1]
            plain = mem.base is not None and not mem.rip and mem.base.num != _SP_X86
            base = self._read(mem.base, state) if plain else _TOP
            index = _product(self._read(mem.index, state), _one(mem.scale)) if mem.index is not None else _one(0)
            return state.set(to, _sum(_sum(base, index), _one(mem.disp)))
        if name == "imul":
            factors = (second, self._read(operands[2], state)) if len(operands) == 3 else (first, second)
            return state.set(to, _product(*factors))._replace(flags=None)
        if name in ("sub", "dec", "cmp"):
            return self.computed(
                state,
                None if name == "cmp" else to,
                _difference(first, second),
                (first, second, to),
                carries=name != "dec",
            )
        if name == "test":
            same = to is not None and to == self._place(operands[1], state)
            return state._replace(flags=_Compared(first, _one(0), to, None) if same else None)
        if name in ("add", "inc"):
            return state.set(to, _sum(first, second))._replace(flags=None)
        if name == "and":
            return state.set(to, _masked(first, second))._replace(flags=None)
        return state.set(to, _shifted(first, second[0]) if second[0] == second[1] else _TOP)._replace(flags=None)


_READS_ONLY = ("cmp", "test", "push")
_ARITHMETIC_X86 = ("mov", "lea", "imul", "sub", "dec", "cmp", "test", "add", "inc", "and", "shr")
_BITS = {"r64": 64, "r32": 32, "r16": 16, "r8": 8}
_HIDDEN = {"rax": 0, "rcx": 1, "rdx": 2, "rbx": 3, "rbp": 5, "rsi": 6, "rdi": 7}


class _A64(_Machine):
    def is_pointer_to_stack(self, found: Instruction) -> bool:
        kinds = [getattr(each, "kind", "") for each in found.operands]
        return "sp" in kinds[1:] and kinds[0] != "sp"

    def _words(self, found: Instruction, state: _State) -> list[Place]:
        """Return the words of the stack that an instruction loads or stores."""
        (mem,) = [each for each in found.operands if type(each).__name__ == "Mem"]
        if mem.base.kind != "sp":
            return []
        if state.stack is None or not isinstance(mem.offset, int):
            return [_SOMEWHERE]
        at = state.stack + (0 if mem.mode == "," else mem.offset)
        return [("s", at + _WORD * number) for number in range(len(found.operands) - 1)]

    def _registers(self, operands: Iterable[object]) -> list[tuple[Place, int]]:
        inside = [getattr(each, "reg", each) for each in operands]
        kinds = [(each, getattr(each, "kind", "")) for each in inside]
        given = [(each, kind) for each, kind in kinds if kind in ("x", "w")]
        return [(("r", getattr(each, "num")), 64 if kind == "x" else 32) for each, kind in given]  # noqa: B009

    def read(self, found: Instruction, state: _State) -> list[tuple[Place, int]]:
        name, operands = found.form.mnemonic, found.operands
        if any(type(each).__name__ == "Mem" for each in operands):
            if name.startswith("st"):
                return self._registers(operands)
            narrow = name not in ("ldr", "ldp", "ldur") or any(kind == 32 for _, kind in self._registers(operands))
            return [(place, 32 if narrow else 64) for place in self._words(found, state)]
        own = name in (*_READS_FIRST_A64, "movk", "bfi", "bfxil", "bfm") or name.startswith(("cb", "tb", "ccm"))
        read = self._registers(operands if own else operands[1:])
        to_the_left = name == "ubfm" and operands[3] + 1 == operands[2]
        return [(place, 32) for place, _ in read] if name in _FIELDS_A64 and not to_the_left else read

    def written(self, found: Instruction, state: _State) -> list[Place]:
        name, operands = found.form.mnemonic, found.operands
        if any(type(each).__name__ == "Mem" for each in operands):
            if name.startswith("st"):
                return self._words(found, state)
            return [place for place, _ in self._registers(operands[:-1])]
        if (
            name in _READS_FIRST_A64
            or name.startswith(("b", "cb", "tb", "ccm"))
            and name not in ("bfi", "bfxil", "bic")
        ):
            return []
        return [place for place, _ in self._registers(operands[:1])]

    def argument(self, position: int) -> Place:
        count = len(ARGUMENTS_A64)
        return ("r", position) if position < count else ("s", 8 * (position - count))

    def branch(self, found: Instruction, state: _State, known: list[int]) -> After:
        name = found.form.mnemonic
        if name in ("cbz", "cbnz"):
            place = self._place(found.operands[0])
            asked = state._replace(flags=_Compared(state.at(place), _one(0), place, None) if place else None)
            return self.both(asked, "eq" if name == "cbz" else "ne", known)
        if name.startswith("b."):
            return self.both(state, _CONDITIONS.get(name[2:], "ne" if name[2:] == "ne" else None), known)
        return [(goes, state) for goes in known]

    def _place(self, operand: Any) -> Place | None:
        return ("r", operand.num) if getattr(operand, "kind", "") == "x" else None

    def _read(self, operand: Any, state: _State) -> Interval:
        if isinstance(operand, int):
            return _one(operand)
        kind = getattr(operand, "kind", "")
        if kind == "xzr":
            return _one(0)
        if kind == _TO_THE_LEFT:
            return _product(state.at(("r", operand.num)), _one(1 << operand.amount))
        return state.at(self._place(operand))

    def step(self, found: Instruction, state: _State, at: int) -> _State:
        name, operands = found.form.mnemonic, found.operands
        kinds = [getattr(each, "kind", "") for each in operands]
        memory = [each for each in operands if type(each).__name__ == "Mem"]
        if memory:
            return self._access(name, operands, kinds, memory[0], state)
        if kinds and kinds[0] in ("sp", "wsp"):
            by = operands[2] if name in ("add", "sub") and kinds[1] == "sp" and isinstance(operands[2], int) else None
            if by is None or state.stack is None:
                return self.lost_stack(state, at)
            return state._replace(stack=state.stack + (by if name == "add" else -by))
        if (
            kinds
            and kinds[0] in ("x", "xzr")
            and name in _ARITHMETIC_A64
            and all(isinstance(each, int) or kind in ("x", "xzr", _TO_THE_LEFT) for each, kind in zip(operands, kinds))
        ):
            return self._arithmetic(name, operands, state)
        if name == "mrs" and str(operands[1]) == "tpidr2_el0":
            return state.set(self._place(operands[0]), _one(0))
        if name == "csel" and kinds[0] == "x":
            one, other = (self._read(each, state) for each in operands[1:3])
            return state.set(self._place(operands[0]), _hull(one, other))
        for operand, kind in zip(operands, kinds):
            if kind in ("x", "w"):
                half = kind == "w" and operand is operands[0]
                state = state.set(("r", operand.num), _from(0, (1 << 32) - 1) if half else _TOP)
        return state._replace(flags=None) if _sets_flags(found.form) else state

    def _access(self, name: str, operands: tuple[Any, ...], kinds: list[str], mem: Any, state: _State) -> _State:
        """Return the state after a load or a store, of words of the stack if the base is the stack pointer."""
        stack, fixed = mem.base.kind == "sp", isinstance(mem.offset, int)
        at = None
        if stack and fixed and state.stack is not None:
            at = state.stack + (0 if mem.mode == "," else mem.offset)
        if name.startswith(_STORES_A64):
            state = self._stored_over(state, kinds, at, stack)
        for number, (operand, kind) in enumerate(zip(operands, kinds)):
            place = ("s", at + 8 * number) if at is not None and kind in ("x", "xzr") else None
            if name in ("str", "stp", "stur"):
                state = state.set(place, self._read(operand, state)) if kind in ("x", "xzr", "w") else state
            elif kind in ("x", "w"):
                whole = kind == "x" and name in ("ldr", "ldp", "ldur")
                state = state.set(("r", operand.num), state.at(place) if whole else _TOP)
        if not mem.mode:
            return state
        if not stack:
            return state.set(self._place(mem.base), _TOP)
        moved = state.stack + mem.offset if state.stack is not None and fixed else None
        held = state.held if moved is not None else {place: e for place, e in state.held.items() if place[0] == "r"}
        return state._replace(held=held, stack=moved)

    def _stored_over(self, state: _State, kinds: list[str], at: int | None, stack: bool) -> _State:
        """Return the state without the words that a store overlaps, before what it stores is noted."""
        given = [each for each in kinds if not each.startswith("[")]
        if not stack:
            return self.elsewhere(state) if all(each in _GENERAL_A64 for each in given) else state
        if at is None or any(each not in _BYTES_A64 for each in given):
            return state._replace(held={place: each for place, each in state.held.items() if place[0] == "r"})
        return state._replace(held=_without(state.held, at, at + sum(_BYTES_A64[each] for each in given)))

    def _arithmetic(self, name: str, operands: tuple[Any, ...], state: _State) -> _State:
        to, given = self._place(operands[0]), [self._read(each, state) for each in operands[1:]]
        if name == "mov":
            return state.set(to, given[0])
        if name == "movz":
            return state.set(to, _one(operands[1] << (operands[2] if len(operands) > 2 else 0)))
        if name in ("sub", "subs"):
            flags = (given[0], given[1], self._place(operands[1])) if name == "subs" else None
            return self.computed(state, to, _difference(*given[:2]), flags)
        if name == "cmp":
            first = self._read(operands[0], state)
            return self.computed(state, None, _TOP, (first, given[0], to))
        if name in ("add", "adds"):
            after = state.set(to, _sum(*given[:2]))
            return after._replace(flags=None) if name == "adds" else after
        if name == "madd":
            return state.set(to, _sum(_product(given[0], given[1]), given[2]))
        if name == "mul":
            return state.set(to, _product(*given))
        if name == "and":
            return state.set(to, _masked(*given))
        return state.set(to, _shifted(given[0], given[1][0]) if given[1][0] == given[1][1] >= 0 else _TOP)


_ARITHMETIC_A64 = ("mov", "movz", "sub", "subs", "cmp", "add", "adds", "madd", "mul", "and", "lsr")
_TO_THE_LEFT = "x lsl"
_READS_FIRST_A64 = ("cmp", "cmn", "tst")
_FIELDS_A64 = ("ubfx", "sbfx", "ubfiz", "sbfiz", "bfxil", "bfi", "ubfm", "sbfm", "bfm")
"""Instructions that read some bits of a register, which count as the lower half."""
_STORES_A64 = ("st", "swp", "cas", "ldadd", "ldclr", "ldeor", "ldset", "ldsm", "ldum")
_GENERAL_A64 = ("x", "xzr", "w", "wzr")
_BYTES_A64 = {"x": 8, "xzr": 8, "w": 4, "wzr": 4, "d": 8, "s": 4, "h": 2, "b": 1, "q": 16}


def _sets_flags(form: object) -> bool:
    """Whether an instruction writes the flags."""
    effects: str = getattr(form, "row").effects  # noqa: B009
    return any(part[:2] in ("w:", "x:") and "nzcv" in part for part in effects.split())
