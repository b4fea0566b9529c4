"""MXCSR: its bits, and which instructions follow it. Source: Intel SDM volume 1, 10.2.3, and volume 2 (SIMD exceptions
of each form). `tests/microkernels/contract/test_own_rounding.py` compares with processors.
"""

from __future__ import annotations

from functools import cache

USUAL = 0x1F80
"""MXCSR as programs start: to nearest even, denormals kept, every exception masked."""
CONTROL, FLAGS, MASKS = 0xFFC0, 0x3F, 0x1F80
"""The bits that control instructions, the sticky flags of exceptions, and the bits that mask exceptions."""
_SUFFIXES = ("ps", "pd", "ph", "ss", "sd", "sh")
_ARITHMETIC = frozenset(
    {  # mnemonics without the suffix of the elements
        "add",
        "sub",
        "addsub",
        "hadd",
        "hsub",
        "mul",
        "div",
        "sqrt",
        "max",
        "min",
        "minmax",
        "range",
        "dp",
        "cmp",
        "com",
        "comi",
        "comx",
        "ucom",
        "ucomi",
        "ucomx",
        "round",
        "rndscale",
        "reduce",
        "scalef",
        "getexp",
        "getmant",
        "fixupimm",
        "fpclass",
        "rcp14",
        "rsqrt14",
        "fmaddc",
        "fcmaddc",
        "fmulc",
        "fcmulc",
        *(
            f"{sign}m{verb}{order}"
            for sign in ("f", "fn")
            for verb in ("add", "sub", "addsub", "subadd")
            for order in (132, 213, 231)
        ),
    }
)
# conversions that ignore MXCSR: to bf16, which round by themselves, and of i32, exact in f64
_CONVERSIONS_WITHOUT = ("cvtne", "cvtdq2pd", "cvtudq2pd")


@cache
def follows(mnemonic: str) -> bool:
    """Whether it is arithmetic on floats or a conversion, with or without the v of VEX and EVEX: its results or its
    exceptions depend on MXCSR."""
    name = mnemonic.removeprefix("v")
    if name.startswith("cvt"):
        return not name.startswith(_CONVERSIONS_WITHOUT)
    return name[-2:] in _SUFFIXES and name[:-2] in _ARITHMETIC
