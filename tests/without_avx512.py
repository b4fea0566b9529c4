"""The tests as on a host without AVX-512: `python -m pytest -n auto --dist worksteal -p tests.without_avx512`.

The plugin answers XGETBV as an operating system does that saves no registers of AVX-512, so `ts.host()` is a machine of
AVX2 in this process and in the workers of pytest-xdist, and tests of kernels for AVX-512 take the emulator. Programs
that tests start see the whole machine, so the few tests that compare their kernels with those of this process fail.
"""

from __future__ import annotations

from tilesmith.runtime.host import x86

AVX512_STATE = 0xE0
"""The bits of XCR0 for mask registers and for the registers of 512 bits. Source: Intel SDM, volume 1, 13.3."""
whole = x86.xgetbv


def xgetbv() -> int:
    """Return XCR0 without the state of AVX-512."""
    return whole() & ~AVX512_STATE


x86.xgetbv = xgetbv
