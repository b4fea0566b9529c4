"""Instructions as text: Intel syntax, and its variant from which GNU as makes the same bytes."""

from __future__ import annotations

from typing import Any

from ..features import closure
from ..form import Names
from .classes import OperandClass
from .encoding import Encoding
from .registers import Mem, StaticRounding
from .words import EVEX, LEGACY, VEX

_POINTER_NAMES = {
    8: "byte",
    16: "word",
    32: "dword",
    64: "qword",
    80: "tbyte",
    128: "xmmword",
    256: "ymmword",
    512: "zmmword",
}


def intel(form: Encoding, operands: tuple[Any, ...], names: Names) -> str:
    """The instruction in Intel syntax as LLVM prints it."""
    plain = tuple(operand for operand in operands if not isinstance(operand, StaticRounding))
    shown = [_operand(o, c, names) for o, c in zip(plain, form.classes)]
    controls = [repr(operand) for operand in operands if isinstance(operand, StaticRounding)]
    if controls:
        shown[form.control_place : form.control_place] = controls
    wide = form.roles == "OI" and form.classes[1].size == 64  # a 64-bit mov, whatever the value
    return f"{'movabs' if wide else form.mnemonic} {', '.join(shown)}".strip()


def gas(form: Encoding, operands: tuple[Any, ...], data: bytes, names: Names) -> str:
    """The text from which GNU as makes exactly `data`. A pseudo prefix is added if `as` would choose other bytes."""
    if "D" in form.roles and isinstance(operands[0], int):  # a distance; `.` is the address of the instruction
        text = f"{form.mnemonic} . + {operands[0] + len(data)}"
    else:
        text = intel(form, operands, names)
        if any(_decorated_absolute(operand) for operand in operands):
            text = text.replace(" ptr [", " ptr ds:[")
        if form.prefix.encoding == LEGACY:  # movdir64b: `as` accepts zmmword only in vector instructions
            text = text.replace("zmmword ptr ", "")
    return _pseudo_prefix(form, operands, data) + text


def _decorated_absolute(operand: Any) -> bool:
    """Whether `as` would take the operand for an immediate: a bare number in brackets, with a mask or a broadcast."""
    if not isinstance(operand, Mem) or operand.base or operand.index or operand.label or operand.rip:
        return False
    return bool(operand.broadcast) or operand.mask is not None


def _pseudo_prefix(form: Encoding, operands: tuple[Any, ...], data: bytes) -> str:
    if form.near and len(data) > 4 and -128 <= _short_distance(operands[0], data) <= 127:
        return "{disp32} "  # a forward branch, whose target was not known to be close
    if form.prefix.encoding == EVEX and any(f.prefix.encoding == VEX and f.accepts(operands) for f in form.siblings):
        return "{evex} "
    if form.prefix.encoding == VEX and _later(form, operands):
        return "{vex} "
    if form.prefix.encoding == VEX and _reversible(form, data):
        return "{vex3} "  # as, too, has {load}, which clang does not know
    return ""


def _later(form: Encoding, operands: tuple[Any, ...]) -> bool:
    """Whether `as` would take the EVEX form, because the VEX form was added to processors later (AVX-VNNI,
    AVX-IFMA)."""
    return any(
        f.prefix.encoding == EVEX and not form.features <= closure(f.features) and f.accepts(operands)
        for f in form.siblings
    )


def _short_distance(target: Any, data: bytes) -> int:
    """The distance of a near branch if it were short: for a label, the branch's end moves with it."""
    near = int.from_bytes(data[-4:], "little", signed=True)
    return near + len(data) - 2 if isinstance(target, int) else near


def _reversible(form: Encoding, data: bytes) -> bool:
    """Whether `as` would take the store opcode of a move between registers, because its prefix is a byte shorter."""
    only_b = data[0] == 0xC4 and data[1] == 0xC1 and not data[2] >> 7  # R and X clear, B set, map 0F, W0
    if not only_b or not form.roles.endswith("M") or any(c.touches_memory for c in form.classes):
        return False
    last = form.classes[-1].file
    return any(f.roles[0] == "M" and f.classes[0].touches_memory and f.classes[-1].file == last for f in form.siblings)


def _operand(operand: Any, wanted: OperandClass, names: Names) -> str:
    if not isinstance(operand, Mem):
        return names(operand)
    size = 0 if wanted.kind == "gather" else wanted.size or operand.size
    pointer = f"{_POINTER_NAMES[size]} ptr " if size else ""
    broadcast = f"{{1to{wanted.count}}}" if operand.broadcast else ""
    mask = f" {{{operand.mask.name}}}" if operand.mask else ""
    return f"{pointer}{address(operand, names)}{broadcast}{mask}"


def address(mem: Mem, names: Names = str) -> str:
    """A memory operand in brackets."""
    parts = [f"rip + {names(mem.label)}"] if mem.label else ["rip"] if mem.rip else []
    parts += [mem.base.name] if mem.base else []
    parts += [f"{mem.scale}*{mem.index.name}"] if mem.index else []
    text = " + ".join(parts)
    if mem.disp or not text:
        text += f" {'-' if mem.disp < 0 else '+'} {abs(mem.disp)}" if text else str(mem.disp)
    return f"[{text}]"
