"""Products of lines that overlap, and batches of levels, against exact integers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.children import in_one_child, survives
from tests.guard import SIDES
from tests.overlap_cases import cases
from tests.profiles import scaled
from tilesmith.microkernels.errors import UnsupportedError

EMULATED = (
    "avx2",
    "avx512",
    "avx512_vnni",
    "avx512_bf16",
    "amx",
    "sse",
    "avx",
    "neon",
    "neon_bf16",
    "sve256",
    "sme256",
)


def test_calls_on_this_host():
    """Vectors and strided views, with guard pages on both sides of the memory that the request describes."""

    @settings(max_examples=scaled(60, 20_000), deadline=None)
    @given(cases(), st.sampled_from(SIDES), st.booleans())
    def test(case, side, flat):
        try:
            kernel = case.kernel()
        except UnsupportedError:
            return
        survives(lambda: case.check(kernel, side, flat=flat))

    in_one_child(test)


@pytest.mark.parametrize("target", EMULATED)
def test_in_the_emulator(target):
    @settings(max_examples=scaled(3, 500), deadline=None)
    @given(cases(most=9))
    def test(case):
        try:
            kernel = case.kernel(target)
        except UnsupportedError:
            return
        case.check(kernel, "end", run=True)

    test()
