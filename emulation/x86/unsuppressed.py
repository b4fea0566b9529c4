"""Instructions whose mask does not suppress faults of their memory operand.

A masked instruction of EVEX leaves out the elements under a clear mask bit, and most do not access their memory. Those
here access all of it, also if the mask is clear: their elements cross positions, so that any element of memory may be
needed. Intel's manual (volume 2, 2.8) puts them into exception classes whose names end in NF, for "no fault
suppression". `tests/emulation/x86/test_unsuppressed.py` executes every masked form with a memory operand at the end of
a page, on this processor and in the emulator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.memory import MemoryFault

_BY_CLASS = {
    "E4NF": """
        valignd valignq vcvtne2ps2bf16 vdbpsadbw vgf2p8affineinvqb vgf2p8affineqb vmovshdup vmovsldup vpackssdw
        vpacksswb vpackusdw vpackuswb vpalignr vpconflictd vpconflictq vpermb vpermd vpermi2b vpermi2d vpermi2pd
        vpermi2ps vpermi2q vpermi2w vpermilpd vpermilps vpermpd vpermps vpermq vpermt2b vpermt2d vpermt2pd vpermt2ps
        vpermt2q vpermt2w vpermw vpmaddubsw vpmaddwd vpmultishiftqb vpshufb vpshufd vpshufhw vpshuflw vpunpckhbw
        vpunpckhdq vpunpckhqdq vpunpckhwd vpunpcklbw vpunpckldq vpunpcklqdq vpunpcklwd vshuff32x4 vshuff64x2 vshufi32x4
        vshufi64x2 vshufpd vshufps vunpckhpd vunpckhps vunpcklpd vunpcklps
    """,
    "E5NF": "vmovddup",
    "E6NF": """
        vextractf32x4 vextractf32x8 vextractf64x2 vextractf64x4 vextracti32x4 vextracti32x8 vextracti64x2 vextracti64x4
        vinsertf32x4 vinsertf32x8 vinsertf64x2 vinsertf64x4 vinserti32x4 vinserti32x8 vinserti64x2 vinserti64x4
    """,
}
CLASSES = {mnemonic: name for name, mnemonics in _BY_CLASS.items() for mnemonic in mnemonics.split()}
"""The exception class of each mnemonic."""
COUNTS = frozenset(["vpslld", "vpsllq", "vpsllw", "vpsrad", "vpsraq", "vpsraw", "vpsrld", "vpsrlq", "vpsrlw"])
"""Shifts, whose class is E4NF where the number of bits is in memory, and E4 where the elements are."""
_COUNT_AT = 2


def exception_class(mnemonic: str, at: int) -> str:
    """Return the class by which faults of the memory operand at this place are not suppressed, or ""."""
    return CLASSES.get(mnemonic, "E4NF" if mnemonic in COUNTS and at == _COUNT_AT else "")


def told(access: Callable[..., Any], mnemonic: str, name: str) -> Callable[..., Any]:
    """Return an access whose faults say that the mask does not suppress them."""

    def done(*given: Any) -> Any:
        try:
            return access(*given)
        except MemoryFault as fault:
            why = f"{fault}; the mask of {mnemonic} does not suppress faults (exception class {name})"
            raise MemoryFault(why, fault.address, fault.size, fault.name, fault.outside) from None

    return done
