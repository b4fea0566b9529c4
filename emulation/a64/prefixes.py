"""Conditions of movprfx: what may follow it. Anything else is CONSTRAINED UNPREDICTABLE, so it is refused.

The instruction behind movprfx must be an SVE instruction that keeps a part of its destination, or takes it as a source
(`x:` in the rows), except for those in `NEVER`. It must have the destination of movprfx, name this register as no other
source, and, if movprfx is predicated, have the same governing predicate, merging, and the same size of elements.

Source: Arm ARM (DDI 0487) C8.2, "Operational information" of each instruction; MOVPRFX (predicated), (unpredicated).
`tests/emulation/a64/test_prefixes.py` compares every SVE form with LLVM's assembler, which knows these conditions too.
"""

from __future__ import annotations

from typing import Any

from ...encoder.a64.registers import Element, RegList
from ...encoder.a64.slots import Repeat
from .operands import SIZES

PREFIX = "movprfx"
_NEVER = """
    addhnt aesd aese aesimc aesmc bfcvtnt fcvtlt fcvtnt fcvtxnt mova pmov raddhnt rshrnt rsubhnt shrnt sli sm4e sqrshrnt
    sqrshrunt sqshrnt sqshrunt sqxtnt sqxtunt sri subhnt tbx tbxq uqrshrnt uqshrnt uqxtnt
"""
NEVER = frozenset(_NEVER.split())
"""Instructions that keep a part of their destination, or have it as a source, and must not be prefixed."""


def unpaired(prefix: Any, following: Any) -> str:
    """Return why an instruction must not follow a movprfx, or "". Both are decoded; None if there is none."""
    wrong = "" if following is None else _wrong(prefix.operands, following.form, following.operands)
    if following is not None and not wrong:
        return ""
    behind = "nothing" if following is None else following.form.text(following.operands)
    return (
        "movprfx is CONSTRAINED UNPREDICTABLE before what it may not prefix: "
        f"{behind} follows{', ' + wrong if wrong else ''}"
    )


def _wrong(prefix: tuple[Any, ...], form: Any, operands: tuple[Any, ...]) -> str:
    if not operands:
        return "which it never prefixes"
    target, first = prefix[0], operands[0]
    if _vectors(first) is None or isinstance(first, (Element, RegList)) or not _may(form, operands):
        return "which it never prefixes"
    if first.num != target.num:
        return f"whose destination is not z{target.num}"
    others = [
        each
        for slot, operand in zip(form.slots[1:], operands[1:])
        if not isinstance(slot, Repeat)
        for each in _vectors(operand) or ()
    ]
    if target.num in others:
        return f"which also has z{target.num} as another source"
    return _unlike(prefix, form, operands) if len(prefix) > 2 else ""


def _may(form: Any, operands: tuple[Any, ...]) -> bool:
    """Whether an instruction may be prefixed at all. `mov Zd,Pg/M,Zn` is a selection, which may not."""
    selects = form.mnemonic == "mov" and _vectors(operands[-1]) is not None
    return form.access[:1] == "x" and form.mnemonic not in NEVER and not selects


def _unlike(prefix: tuple[Any, ...], form: Any, operands: tuple[Any, ...]) -> str:
    """Return in what an instruction differs from a predicated prefix, or ""."""
    governing = next((each for each in operands if getattr(each, "kind", "") == "p/m"), None)
    if governing is None:
        return "which has no merging predicate"
    if governing.num != prefix[1].num:
        return f"whose governing predicate is not p{prefix[1].num}"
    size = max(_size(each) for each in (operands[0], *(() if _destructive(form) else operands[1:])))
    return "" if size == _size(prefix[0]) else f"whose elements have {size} bytes, not {_size(prefix[0])}"


def _destructive(form: Any) -> bool:
    """Whether the destination is a source, whose elements then have the size that counts."""
    return any(isinstance(slot, Repeat) for slot in form.slots) or form.slots[0].text[:3] == "Zda"


def _vectors(operand: Any) -> tuple[int, ...] | None:
    """Return the numbers of the scalable vectors of an operand, or None if it is something else."""
    if isinstance(operand, Element):
        operand = operand.of
    if isinstance(operand, RegList):
        return tuple(each.num for each in operand.regs) if operand.regs[0].kind[:1] == "z" else None
    kind = getattr(operand, "kind", "")
    if kind[:1] == "z" and kind not in ("za", "zt0"):
        return (operand.num,)
    return (operand.num,) if kind in SIZES else None


def _size(operand: Any) -> int:
    """Return the bytes of an element, 0 for other operands."""
    arrangement, kind = getattr(operand, "arrangement", ""), getattr(operand, "kind", "")
    return SIZES[arrangement[-1]] if arrangement and kind[:1] == "z" else SIZES.get(kind, 0)
