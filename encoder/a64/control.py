"""FPCR: its bits, and which instructions follow it. Source: Arm ARM DDI 0487, FPCR and shared/functions/float.

Every bit of FPCR changes the results of some instruction, and programs start with all bits clear. The sticky flags are
in FPSR. Sign operations (FABS, FNEG) and products of bf16 count as depending on FPCR, because FPCR.AH and FPCR.EBF
change them. `tests/microkernels/contract/test_own_rounding.py` compares with processors.
"""

from __future__ import annotations

import re
from functools import cache

USUAL = 0
"""FPCR as programs start: to nearest even, denormals kept, no exception trapped."""
TRAPS = 0x9F00
"""The bits that let exceptions trap: IOE, DZE, OFE, UFE, IXE and IDE. Processors without trapping ignore them."""
ROUNDING = 3 << 22 | 1 << 24 | 1 << 19 | 1 << 25
"""RMode, FZ, FZ16 and DN."""
_FOLLOWS = re.compile("f(?!mov|dup|cpy|csel|expa).*|bf(?!i|c$|m$|xil).*|[su]cvtf")


@cache
def follows(mnemonic: str) -> bool:
    """True for float arithmetic, products of bf16, and conversions."""
    return _FOLLOWS.fullmatch(mnemonic) is not None
