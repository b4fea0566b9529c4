"""Which instructions need an aligned memory operand.

Source: Intel SDM volume 1, 4.1.1 and 14.9, volume 3, 6.15 (#GP).
"""

from __future__ import annotations

from .forms import X86Form
from .words import LEGACY

_ALIGNED = ("vmovaps", "vmovapd", "vmovdqa", "vmovntps", "vmovntpd", "vmovntdq")
"""The first letters of instructions in VEX and EVEX that need a multiple of their vector's size."""
UNALIGNED = ("movups", "movupd", "movdqu", "lddqu", "pcmpestri", "pcmpestrm", "pcmpistri", "pcmpistrm")
"""Instructions in a legacy encoding that accept any address of 16 bytes; all others need a multiple of 16."""
_LEGACY = 16
LINE = 64
"""The alignment that movdir64b needs of the address in its first operand."""


def needed(form: X86Form) -> int:
    """Return the number of which the address of the memory operand must be a multiple, 1 if any address is accepted."""
    if form.memory < 0:
        return 1
    if form.prefix.encoding == LEGACY:
        wide = form.classes[form.memory].size == 8 * _LEGACY
        return _LEGACY if wide and form.mnemonic not in UNALIGNED else 1
    return form.prefix.length // 8 if form.mnemonic.startswith(_ALIGNED) else 1
