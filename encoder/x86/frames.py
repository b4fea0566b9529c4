"""The effects of x86-64 instructions on the stack and on the caller's registers.

Source: System V psABI of x86-64, 3.2.2 (red zone), 3.7.1 (register numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..code import PADDING, Instruction
from ..frames import Assigned, Calls, ControlFlow, Effect, Frame, FrameConvention, Loads, Stores, Value, Writes
from ..operands import Label
from .abi import CALLEE_SAVED
from .effects import implicit
from .registers import REGISTERS, Mem, Reg, StaticRounding

_NUMBERS: tuple[int, ...] = (0, 2, 1, 3, 7, 6, 4, 5, *range(8, 16))  # DWARF numbers of rax rcx rdx rbx rsp rbp rsi rdi
_STACK, _POINTER, _LINK = 7, 6, 16
_WORD = 8
_UNSTATED = 1 << 14  # the most bytes that an instruction stores if it does not state the size of its memory
_ENDS = frozenset(("ret", "jmp", "ud2"))
# instructions that change the shadow stack
_SHADOW = frozenset(("wrssd", "wrssq", "incsspd", "incsspq", "saveprevssp"))


def _number(operand: Any) -> int | None:
    """The number of the general register that the operand is, or is part of."""
    if not isinstance(operand, Reg) or operand.file not in ("r64", "r32", "r16", "r8"):
        return None
    number: int = operand.num - 4 if operand.name in ("ah", "ch", "dh", "bh") else operand.num
    return _NUMBERS[number]


def _whole(operand: Any) -> int | None:
    """The number of the 64-bit general register that the operand is."""
    return _number(operand) if isinstance(operand, Reg) and operand.file == "r64" else None


def _based(operand: Any) -> int | None:
    """The base of a memory operand that is at a fixed distance from it."""
    plain = isinstance(operand, Mem) and operand.base is not None and operand.index is None
    return _number(operand.base) if plain else None


def _push(operands: tuple[Any, ...]) -> Iterator[Effect]:
    yield Assigned(_STACK, _STACK, -_WORD)
    yield Stores(_STACK, 0, _WORD, _whole(operands[0]) if operands else None)


def _pop(operands: tuple[Any, ...]) -> Iterator[Effect]:
    register = _whole(operands[0]) if operands else None
    if register == _STACK:
        yield Writes(_STACK)
        return
    if register is not None:
        yield Loads(register, _STACK, 0)
    yield Assigned(_STACK, _STACK, _WORD)
    base = _based(operands[0]) if operands else None
    if base is not None:
        yield Stores(base, operands[0].disp, _WORD)


def _leave(operands: tuple[Any, ...]) -> Iterator[Effect]:
    yield Assigned(_STACK, _POINTER)
    yield Loads(_POINTER, _STACK, 0)
    yield Assigned(_STACK, _STACK, _WORD)


def _call(operands: tuple[Any, ...]) -> Iterator[Effect]:
    yield Stores(_STACK, -_WORD, _WORD)
    yield Calls()


def _nothing(operands: tuple[Any, ...]) -> Iterator[Effect]:
    yield from ()


def _sum(operands: tuple[Any, ...], sign: int) -> Effect | None:
    first, second = (_whole(each) for each in operands)
    if first is None or second is None and not isinstance(operands[1], int):
        return None
    if second is None:
        return Assigned(first, first, sign * operands[1])
    return Assigned(first, first, 0, second, sign)


def _address(operands: tuple[Any, ...]) -> Effect | None:
    first, memory = _whole(operands[0]), operands[1]
    if first is None or memory.rip or memory.label is not None:
        return None
    return Assigned(first, _number(memory.base), memory.disp, _number(memory.index), memory.scale)


def _move(operands: tuple[Any, ...]) -> Effect | None:
    first, second = (_whole(each) for each in operands)
    if first is not None and second is not None:
        return Assigned(first, second)
    if isinstance(operands[1], int) and isinstance(operands[0], Reg) and operands[0].file in ("r64", "r32"):
        value = operands[1] if first is not None else operands[1] & 0xFFFF_FFFF
        return Assigned(_NUMBERS[operands[0].num], None, value)
    bases = [_based(each) for each in operands]
    if bases[0] is not None and second is not None:
        return Stores(bases[0], operands[0].disp, _WORD, second)
    if first is not None and bases[1] is not None:
        return Loads(first, bases[1], operands[1].disp)
    return None


_STACKED: dict[str, Callable[[tuple[Any, ...]], Iterator[Effect]]] = {
    "push": _push,
    "pushfq": _push,
    "pop": _pop,
    "popfq": _pop,
    "leave": _leave,
    "call": _call,
    "ret": _nothing,
}
_FOLLOWED: dict[str, Callable[[tuple[Any, ...]], Effect | None]] = {
    "add": lambda operands: _sum(operands, 1),
    "sub": lambda operands: _sum(operands, -1),
    "lea": _address,
    "mov": _move,
}


def _effects(form: Any, operands: tuple[Any, ...]) -> tuple[Effect, ...]:
    if form is PADDING:
        return ()
    if form.mnemonic in _STACKED:
        return tuple(_STACKED[form.mnemonic](operands))
    known = _FOLLOWED[form.mnemonic](operands) if form.mnemonic in _FOLLOWED else None
    return (known,) if known is not None else tuple(_others(form, operands))


def _others(form: Any, operands: tuple[Any, ...]) -> Iterator[Effect]:
    """Yield the effects of any other instruction, from its row."""
    plain = (operand for operand in operands if not isinstance(operand, StaticRounding))
    for operand, access, wanted in zip(plain, form.access, form.classes):
        if access == "r":
            continue
        number, base = _number(operand), _based(operand)
        if number is not None:
            yield Writes(number)
        elif base is not None:
            yield Stores(base, operand.disp, max(wanted.size, operand.size) // 8 or _UNSTATED)
    for name in implicit(form).writes:
        number = _number(REGISTERS.get(name))
        if number is not None:
            yield Writes(number)


def _step(instruction: Instruction) -> ControlFlow:
    offset, data, _, operands = instruction
    form: Any = instruction.form
    if form is PADDING:
        return ControlFlow()
    falls, mnemonic = form.mnemonic not in _ENDS, form.mnemonic
    if "D" in form.roles:
        label = operands[0]
        target = label.offset if isinstance(label, Label) else offset + len(data) + label
        return ControlFlow(called=target) if mnemonic == "call" else ControlFlow(falls, target)
    if mnemonic == "lea":
        memory = operands[1]
        if memory.label is not None and memory.label.offset is not None:
            return ControlFlow(taken=memory.label.offset + memory.disp)
        if memory.rip:
            return ControlFlow(taken=offset + len(data) + memory.disp)
    return ControlFlow(falls, leaves=mnemonic in ("ret", "jmp"))


def _start() -> Frame:
    return Frame({_STACK: Value(True, -_WORD)}, {_LINK: -_WORD}, [_LINK])


def _lands(instruction: Instruction, called: bool) -> bool:
    return instruction.form.mnemonic == "endbr64"


def _guarded(instructions: Sequence[Instruction], frames: Sequence[Frame | None]) -> bool:
    """Whether the shadow stack always matches the stack: if frames are known, no return address is altered."""
    return not any(each.form.mnemonic in _SHADOW for each in instructions)


CONVENTION = FrameConvention(
    stack=_STACK,
    pointer=_POINTER,
    link=_LINK,
    kept=frozenset(_NUMBERS[each.num] for each in CALLEE_SAVED),
    unit=_WORD,
    red_zone=128,
    start=_start,
    effects=_effects,
    step=_step,
    lands=_lands,
    guarded=_guarded,
)
