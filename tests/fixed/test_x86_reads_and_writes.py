"""Rows of x86-64 listed reads and writes that the instructions do not perform, or omitted some that they do (issue
18)."""

from __future__ import annotations

import pytest

from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.encoder.x86.effects import FLAGS, implicit

_TESTS = [f"vptest{n}m{size}" for n in ("", "n") for size in "bwdq"]
_SCATTERS = (
    ("vpscatterdd", "vz32{k}"),
    ("vpscatterqq", "vz64{k}"),
    ("vscatterdps", "vz32{k}"),
    ("vscatterqpd", "vz64{k}"),
)
_BITS = {"cf", "pf", "af", "sf", "of"}  # all but cf are undefined: SDM vol. 2A, BT


@pytest.mark.parametrize(
    ("mnemonic", "classes", "access", "reads", "writes"),
    [
        ("movss", "xmm, xmm", "xr", set(), set()),  # the upper three elements are kept
        ("movss", "xmm, m32", "wr", set(), set()),
        ("movsd", "xmm, xmm", "xr", set(), set()),
        ("movsd", "xmm, m64", "wr", set(), set()),
        ("vldmxcsr", "m32", "r", set(), set()),
        ("xsavec64", "m", "w", {"rax", "rdx"}, set()),  # unlike XSAVE it does not read the header
        ("syscall", "", "", {"rax", "df", *FLAGS}, {"rax", "rcx", "r11"}),  # r11 takes the flags
        *((name, "k{k}, zmm, zmm", "wrr", set(), set()) for name in _TESTS),
        *((name, f"{memory}, zmm", "wr", set(), set()) for name, memory in _SCATTERS),
        ("bt", "r64, r64", "rr", set(), _BITS),
        ("lock btc", "m32, u8", "xr", set(), _BITS),
    ],
)
def test_columns(mnemonic: str, classes: str, access: str, reads: set[str], writes: set[str]):
    form = next(f for f in TABLE.forms(mnemonic) if ", ".join(map(repr, f.classes)) == classes)  # type: ignore[attr-defined]
    assert (form.access, *implicit(form)) == (access, reads, writes)  # type: ignore[attr-defined, arg-type]
