"""The effects of AArch64 instructions on the stack and on the caller's registers.

Sources: DWARF for the Arm 64-bit Architecture (aadwarf64), 4.1 (register numbers); AAPCS64, 6.1.2 (d8 to d15).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..code import Instruction
from ..frames import (
    Assigned,
    Calls,
    ControlFlow,
    Effect,
    Frame,
    FrameConvention,
    Inserts,
    Loads,
    Signs,
    Stores,
    Value,
    Writes,
)
from ..operands import Label
from .abi import CALLEE_SAVED, FRAME, LINK, VECTOR_CALLEE_SAVED
from .registers import Element, Mem, RegList, Shifted, View

_STACK, _VECTORS = 31, 64  # DWARF numbers of sp and v0
_KEPT_VECTORS = frozenset(_VECTORS + each.num for each in VECTOR_CALLEE_SAVED)
_BYTES = {"x": 8, "xzr": 8, "w": 4, "wzr": 4, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
_SCALABLE = 256  # bytes of the longest vector register
_ENDS = frozenset(("ret", "b", "b.al", "br", "udf", "brk", "hlt", "eret"))
_BRANCHES = ("b", "cbz", "cbnz", "tbz", "tbnz")
_SAVES, _RESTORES = frozenset(("str", "stur", "stp", "stnp")), frozenset(("ldr", "ldur", "ldp", "ldnp"))
_SIGNING: dict[str, Effect] = {
    "paciasp": Signs(),
    "autiasp": Signs(),
    "pacibsp": Writes(30),
    "autibsp": Writes(30),
    "xpaclri": Writes(30),
}
_HINTS = {
    25: "paciasp",
    27: "pacibsp",
    29: "autiasp",
    31: "autibsp",
    7: "xpaclri",
    34: "bti c",
    36: "bti j",
    38: "bti jc",
}
_CALLED, _JUMPED_TO = ("bti c", "bti jc", "paciasp", "pacibsp"), ("bti c", "bti j", "bti jc", "paciasp", "pacibsp")


def _name(instruction: Instruction) -> str:
    """The mnemonic. For a hint, it is the instruction that the hint stands for; bti includes its operand."""
    return _hint(instruction.form, instruction.operands)


def _hint(form: Any, operands: tuple[Any, ...]) -> str:
    mnemonic: str = form.mnemonic
    if mnemonic == "hint":
        return _HINTS.get(operands[0], mnemonic)
    return f"bti {operands[0].name}" if mnemonic == "bti" and operands else mnemonic


def _number(operand: Any) -> int | None:
    """The number of the general or vector register that the operand is, or is a view of."""
    while isinstance(operand, (Shifted, View)):
        operand = operand.reg
    kind = getattr(operand, "kind", "")
    if kind in ("sp", "wsp"):
        return _STACK
    if kind in ("x", "w"):
        return int(operand.num)
    return _VECTORS + int(operand.num) if kind in ("b", "h", "s", "d", "q", "v", "z") else None


def _numbers(operand: Any) -> Iterator[int]:
    """Yield the numbers of an operand's registers, including those of an element or a list."""
    while isinstance(operand, Element):
        operand = operand.of
    for each in operand.regs if isinstance(operand, RegList) else (operand,):
        number = _number(each)
        if number is not None:
            yield number


def _wide(operand: Any) -> int | None:
    """The number of the 64-bit general register that the operand is."""
    return _number(operand) if getattr(operand, "kind", "") in ("x", "sp") else None


def _sum(operands: tuple[Any, ...], sign: int) -> Effect | None:
    if len(operands) != 3:
        return None
    first, second, third = _wide(operands[0]), _wide(operands[1]), operands[2]
    if first is None or second is None:
        return None
    if isinstance(third, int):
        return Assigned(first, second, sign * third)
    scale = 1
    if isinstance(third, Shifted):
        if third.op not in ("lsl", "uxtx"):
            return None
        scale <<= third.amount
        third = third.reg
    index = _wide(third)
    return None if index is None else Assigned(first, second, 0, index, sign * scale)


def _move(operands: tuple[Any, ...]) -> Effect | None:
    first, second = (_wide(each) for each in operands[:2])
    return Assigned(first, second) if first is not None and second is not None else None


def _immediate(operands: tuple[Any, ...], inverted: bool) -> Effect | None:
    bits = {"x": 64, "w": 32}.get(operands[0].kind)
    if bits is None:
        return None
    value = operands[1] << (operands[2].num if len(operands) > 2 else 0)
    return Assigned(operands[0].num, None, (value ^ (1 << bits) - 1) if inverted else value)


def _insert(operands: tuple[Any, ...]) -> Effect | None:
    shift = operands[2].num if len(operands) > 2 else 0
    return Inserts(operands[0].num, operands[1], shift) if operands[0].kind == "x" else None


_FOLLOWED: dict[str, Callable[[tuple[Any, ...]], Effect | None]] = {
    "add": lambda operands: _sum(operands, 1),
    "sub": lambda operands: _sum(operands, -1),
    "mov": _move,
    "movz": lambda operands: _immediate(operands, False),
    "movn": lambda operands: _immediate(operands, True),
    "movk": _insert,
}


def _effects(form: Any, operands: tuple[Any, ...]) -> tuple[Effect, ...]:
    name = _hint(form, operands)
    if name in _SIGNING:
        return (_SIGNING[name],)
    known = _FOLLOWED[name](operands) if name in _FOLLOWED and len(operands) > 1 else None
    if known is not None:
        return (known,)
    memory = next((each for each in operands if isinstance(each, Mem)), None)
    found = list(_others(form, operands, memory)) if memory is None else list(_accesses(form, operands, memory))
    if name in ("smstart", "smstop") and (not operands or operands[0].name == "sm"):
        found.extend(Writes(each) for each in sorted(_KEPT_VECTORS))  # entering or leaving streaming mode clears them
    if name in ("bl", "blr"):
        found.append(Calls())
    return tuple(found)


def _others(form: Any, operands: tuple[Any, ...], memory: Mem | None) -> Iterator[Effect]:
    """Yield the effects of any other instruction, from its row."""
    for operand, access in zip(operands, form.access):
        if access != "r" and operand is not memory:
            yield from map(Writes, _numbers(operand))
    for part in form.row.effects.split():
        role, _, names = part.partition(":")
        if role in "wx" and LINK.name in names.split(","):
            yield Writes(LINK.num)


def _accesses(form: Any, operands: tuple[Any, ...], memory: Mem) -> Iterator[Effect]:
    """Yield the effects of loads and stores, which may move the base before or after the access."""
    base = _number(memory.base)
    if base is None:  # addresses in a vector
        yield from _others(form, operands, memory)
        return
    moved = Assigned(base, base, memory.offset) if isinstance(memory.offset, int) else Writes(base)
    if memory.mode == "!":
        yield moved
    offset = 0 if memory.mode else memory.offset
    if isinstance(offset, int):
        yield from _transfers(form, operands, memory, base, offset)
    elif offset.kind == "vl" and form.mnemonic.startswith("st"):
        reach = _SCALABLE * (abs(offset.num) + len(operands))  # the most bytes below or above the base
        yield Stores(base, -reach if offset.num < 0 else 0, reach)
    else:
        yield from _others(form, operands, memory)
    if memory.mode == ",":
        yield moved


def _transfers(form: Any, operands: tuple[Any, ...], memory: Mem, base: int, offset: int) -> Iterator[Effect]:
    """Yield the effects of accesses. Whole registers of the caller are handled one by one."""
    others = [each for each in operands if each is not memory]
    if form.mnemonic in _SAVES | _RESTORES and all(getattr(each, "kind", "") in _BYTES for each in others):
        for each in others:
            size, number = _BYTES[each.kind], _number(each)
            if form.mnemonic in _SAVES:
                yield Stores(base, offset, size, number if size >= 8 else None)
            elif number is not None:
                yield Loads(number, base, offset) if size >= 8 else Writes(number)
            offset += size
        return
    yield from _others(form, operands, memory)
    if form.mnemonic.startswith("st"):
        registers = sum(len(each.regs) if isinstance(each, RegList) else 1 for each in others)
        yield Stores(base, offset, _SCALABLE * registers)


def _step(instruction: Instruction) -> ControlFlow:
    mnemonic, operands = instruction.form.mnemonic, instruction.operands
    place = operands[-1] if operands else None
    target = place.offset if isinstance(place, Label) else None
    if isinstance(place, int):
        target = instruction.offset + place
    if mnemonic == "bl":
        return ControlFlow(called=target)
    if mnemonic.split(".")[0] in _BRANCHES or mnemonic.startswith("bc."):
        return ControlFlow(mnemonic not in _ENDS, target)
    if mnemonic == "adr" and not isinstance(operands[0], View) or mnemonic == "adrp" and isinstance(place, Label):
        return ControlFlow(taken=target)
    return ControlFlow(mnemonic not in _ENDS, leaves=mnemonic in ("ret", "br"))


def _start() -> Frame:
    return Frame({_STACK: Value(True, 0)}, {})


def _lands(instruction: Instruction, called: bool) -> bool:
    return _name(instruction) in (_CALLED if called else _JUMPED_TO)


def _guarded(instructions: Sequence[Instruction], frames: Sequence[Frame | None]) -> bool:
    """Whether return addresses are signed wherever they are in memory."""
    known = [frame for frame in frames if frame is not None]
    saved = [frame.signed for frame in known if LINK.num in frame.saved]
    return all(saved) and any(frame.signed for frame in known)


CONVENTION = FrameConvention(
    stack=_STACK,
    pointer=FRAME.num,
    link=LINK.num,
    kept=frozenset(each.num for each in (*CALLEE_SAVED, FRAME, LINK)) | _KEPT_VECTORS,
    unit=8,
    red_zone=0,
    start=_start,
    effects=_effects,
    step=_step,
    lands=_lands,
    guarded=_guarded,
)
