"""Rows of the AArch64 table stated fewer effects than their instructions have, required too few features, or were
missing.

The expected values come from the Arm ARM (DDI 0487), C6.2 and C7.2 at each instruction, as qemu executes them, and from
llvm-mc-19's encodings of the texts. tests/encoder/test_a64_columns.py has the oracles.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.encoder.a64_targets import EVERYTHING
from tilesmith.encoder.a64.assembler import TABLE, A64Assembler
from tilesmith.encoder.a64.names import PATTERNS, SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import PN, ZA, D, H, P, V, W, X, Z, listed, mem, vl, xzr, za, zt0

ROLES: dict[str, tuple[tuple[Any, ...], str]] = {
    "str": ((X[1], mem[X[2], 8]), "rw"),
    "stp": ((X[1], X[3], mem[X[2], 16]), "rrw"),
    "st1": ((listed(V[0].s4), mem[X[2]]), "rw"),
    "st1w": ((listed(Z[0].s), P[0], mem[X[2], vl]), "rrw"),
    "stxr": ((W[1], X[3], mem[X[2]]), "wrw"),
    "ldadd": ((X[1], X[3], mem[X[2]]), "rwx"),
    "stadd": ((X[1], mem[X[2]]), "rx"),
    "cas": ((X[1], X[3], mem[X[2]]), "xrx"),
    "msr": ((SYSTEM_REGISTERS["nzcv"], X[1]), "wr"),
}
EFFECTS = {
    "setf8": "x:nzcv",
    "setf16": "x:nzcv",
    "fjcvtzs": "w:nzcv",
    "paciasp": "x:x30 r:sp",
    "pacibsp": "x:x30 r:sp",
    "autiasp": "x:x30 r:sp",
    "autibsp": "x:x30 r:sp",
    "xpaclri": "x:x30",
    "smstart": "x:svcr,z,p,ffr,za,zt0",
    "smstop": "x:svcr,z,p,ffr,za,zt0",
}
_TWO, _FOUR = (listed(Z[0].s, Z[1].s), listed(Z[0].h, Z[1].h, Z[2].h, Z[3].h))
MISSING: dict[str, tuple[str, tuple[Any, ...], int]] = {
    "adrp x1, #4096": ("adrp", (X[1], 4096), 0xB0000001),
    "casp x0, x1, x2, x3, [x4]": ("casp", (X[0], X[1], X[2], X[3], mem[X[4]]), 0x48207C82),
    "scvtf d0, w1, #1": ("scvtf", (D[0], W[1], 1), 0x1E42FC20),
    "fcvtzs w1, h2, #32": ("fcvtzs", (W[1], H[2], 32), 0x1ED88041),
    "ldff1w { z0.s }, p1/z, [x2]": ("ldff1w", (listed(Z[0].s), P[1].z, mem[X[2]]), 0xA55F6440),
    "ld1w { z0.s, z1.s }, pn8/z, [x2, xzr, lsl #2]": ("ld1w", (_TWO, PN[8].z, mem[X[2], xzr.lsl(2)]), 0xA01F4040),
    "bfmopa za1.h, p0/m, p1/m, z2.h, z3.h": ("bfmopa", (ZA[1].h, P[0].m, P[1].m, Z[2].h, Z[3].h), 0x81A32049),
    "movt x3, zt0[56]": ("movt", (X[3], zt0[56]), 0xC04C73E3),
    "pmov p2.s, z14[3]": ("pmov", (P[2].s, Z[14][3]), 0x056E39C2),
    "svdot za.d[w8, 1, vgx4], ...": ("svdot", (za.d[W[8], 1, 4], _FOUR, Z[5].h[1]), 0xC1D58C09),
    "sqrshrn z1.h, { z2.s, z3.s }, #3": ("sqrshrn", (Z[1].h, listed(Z[2].s, Z[3].s), 3), 0x45BD2841),
    "and z1.b, z1.b, #60": ("and", (Z[1].b, Z[1].b, 60), 0x05803661),
    "uqdech w1, mul3": ("uqdech", (W[1], PATTERNS["mul3"]), 0x0460FFC1),
    "staddb w1, [x2]": ("staddb", (W[1], mem[X[2]]), 0x3821005F),
    "ldnt1w { z0.s }, p1/z, [z2.s]": ("ldnt1w", (listed(Z[0].s), P[1].z, mem[Z[2].s]), 0x851FA440),
    "mov x1, #-2": ("mov", (X[1], -2), 0x92800021),
    "mov x1, #0x120000": ("mov", (X[1], 0x120000), 0xD2A00241),
    "mov z1.h, z2.h[3]": ("mov", (Z[1].h, Z[2].h[3]), 0x052E2041),
    "nots p1.b, p2/z, p3.b": ("nots", (P[1].b, P[2].z, P[3].b), 0x25424A61),
    "clrex #7": ("clrex", (7,), 0xD503375F),
    "sumlall za.s[w8, 0:3], z1.b, z2.b[3]": ("sumlall", (za.s[W[8], 0:3], Z[1].b, Z[2].b[3]), 0xC1020C34),
    "fcvtl { z0.s, z1.s }, z5.h": ("fcvtl", (_TWO, Z[5].h), 0xC1A0E0A1),
}


@pytest.mark.parametrize("mnemonic", ROLES)
def test_what_is_written_is_said(mnemonic: str) -> None:
    operands, roles = ROLES[mnemonic]
    assert TABLE.match(mnemonic, operands).access == roles  # type: ignore[attr-defined]


@pytest.mark.parametrize("mnemonic", EFFECTS)
def test_effects(mnemonic: str) -> None:
    assert {row.effects for row in TABLE.rows(mnemonic)} == {EFFECTS[mnemonic]}


def test_acquiring_loads_with_an_offset_need_more_than_those_without() -> None:
    """FEAT_LRCPC2 is a separate bit of HWCAP: with FEAT_LRCPC alone, these instructions raise SIGILL."""
    assert {row.features for row in TABLE.rows("ldapr")} == {"RCPC"}
    assert {row.features for name in ("ldapur", "stlurb", "ldapursw") for row in TABLE.rows(name)} == {"RCPC2"}


@pytest.mark.parametrize("text", MISSING)
def test_forms_that_were_missing(text: str) -> None:
    mnemonic, operands, word = MISSING[text]
    asm = A64Assembler(EVERYTHING)
    getattr(asm, mnemonic)(*operands)
    assert int.from_bytes(asm.buffer, "little") == word
