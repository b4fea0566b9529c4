"""Operands of AArch64 for `ts.assembler`: registers by number, memory, lists. docs/assembler.md describes them."""

from .encoder.a64.registers import PN, ZA, B, D, H, P, Q, S, V, W, X, Z, listed, mem, sp, vl, wsp, wzr, xzr, za

__all__ = [
    "PN",
    "ZA",
    "B",
    "D",
    "H",
    "P",
    "Q",
    "S",
    "V",
    "W",
    "X",
    "Z",
    "listed",
    "mem",
    "sp",
    "vl",
    "wsp",
    "wzr",
    "xzr",
    "za",
]
