"""What an instruction does besides its operands: registers and flags that it reads and writes, and the alignment that
its memory operand needs (Intel SDM volume 1, 4.1.1 and 14.9, volume 3, 6.15).
"""

from __future__ import annotations

from ..records import NamedTuple
from .forms import X86Form
from .words import LEGACY

FLAGS = ("cf", "pf", "af", "zf", "sf", "of")


class Effects(NamedTuple):
    """Names of implicit registers (general registers by their 64-bit names) and flags."""

    reads: frozenset[str]
    writes: frozenset[str]


def implicit(form: X86Form) -> Effects:
    """Return what the form reads and writes besides its operands, from the effects column of its row."""
    reads: set[str] = set()
    writes: set[str] = set()
    for part in form.row.effects.split():
        role, _, names = part.partition(":")
        listed = [flag for name in names.split(",") for flag in (FLAGS if name == "flags" else (name,))]
        if role in "rx":
            reads.update(listed)
        if role in "wx":
            writes.update(listed)
    return Effects(frozenset(reads), frozenset(writes))


# Alignment

_ALIGNED = ("vmovaps", "vmovapd", "vmovdqa", "vmovntps", "vmovntpd", "vmovntdq")
"""The first letters of instructions in VEX and EVEX that need a multiple of their vector's size."""
UNALIGNED = ("movups", "movupd", "movdqu", "lddqu", "pcmpestri", "pcmpestrm", "pcmpistri", "pcmpistrm")
"""Instructions in a legacy encoding that accept any address of 16 bytes; all others need a multiple of 16."""
_LEGACY = 16
LINE = 64
"""The alignment that movdir64b needs of the address in its first operand."""


def alignment(form: X86Form) -> int:
    """Return the number of which the address of the memory operand must be a multiple, 1 if any address is accepted."""
    if form.memory < 0:
        return 1
    if form.prefix.encoding == LEGACY:
        wide = form.classes[form.memory].size == 8 * _LEGACY
        return _LEGACY if wide and form.mnemonic not in UNALIGNED else 1
    return form.prefix.length // 8 if form.mnemonic.startswith(_ALIGNED) else 1
