"""Sums were compared as polynomials alone: (sum + 1e30) - 1e30 was proved, as was another row that cancels."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
import tilesmith.x86 as x86
from tilesmith.emulation.cpu import call
from tilesmith.x86 import ptr, rdi, rsi

ROWS, COLUMNS = 2, 5
SMALL = np.full((ROWS, COLUMNS), 2.0**-20, np.float32)
a, b, c = x86.xmm0, x86.xmm1, x86.xmm2
Change = Callable[[Any, Any], None]


def routine(change: Change, before: bool = False) -> Any:
    """Return a sum of each row, in which something is done to the sum, or to each element before it is added."""
    asm = ts.assembler("avx2")
    asm.vmovss(c, ptr[asm.const(struct.pack("<f", 1e30))])
    for row in range(ROWS):
        asm.vxorps(a, a, a)
        for column in range(COLUMNS):
            asm.vmovss(b, ptr[rdi + 4 * (COLUMNS * row + column)])
            if before:
                change(asm, b)
            asm.vaddss(a, a, b)
        if not before:
            change(asm, a)
        asm.vmovss(ptr[rsi + 4 * row], a)
    asm.vzeroupper()
    asm.ret()
    return asm.finish("routine")


def nothing(asm: Any, x: Any) -> None:
    """The sum as it is."""


def large(asm: Any, x: Any) -> None:
    asm.vaddss(x, x, c)
    asm.vsubss(x, x, c)


def other_row(asm: Any, x: Any) -> None:
    for each in (asm.vaddss, asm.vsubss):
        each(x, x, ptr[rdi + 4 * COLUMNS])


def twice_less_once(asm: Any, x: Any) -> None:
    asm.vaddss(c, x, x)
    asm.vsubss(x, c, x)


def _scaled(*factors: float) -> Change:
    def change(asm: Any, x: Any) -> None:
        for factor in factors:
            asm.vmulss(x, x, ptr[asm.const(struct.pack("<f", factor))])

    return change


def halves(asm: Any, x: Any) -> None:
    _scaled(0.5)(asm, x)
    asm.vaddss(x, x, x)


def narrow(asm: Any, x: Any) -> None:
    asm.vcvtps2ph(x, x, 0)
    asm.vcvtph2ps(x, x)


WRONG = {
    "a large constant": (large, False),
    "a large constant beside each": (large, True),
    "another row": (other_row, False),
    "twice less once": (twice_less_once, False),
    "scaled up": (_scaled(2.0**100, 2.0**-100), False),
    "scaled down": (_scaled(2.0**-120, 2.0**120), True),
    "scaled in four steps": (_scaled(2.0, 2.0, 0.5, 0.5), False),
    "halves": (halves, True),
    "rounded to f16": (narrow, True),
    "the sum rounded to f16": (narrow, False),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_sums_have_no_proof(name: str) -> None:
    proof = ts.verify(routine(*WRONG[name]), _kernel())
    assert not proof
    assert "a sum is right over the reals, but adds what cancels" in str(proof)


def test_the_sum_itself_is_proved_with_its_bound() -> None:
    proof = ts.verify(routine(nothing), _kernel())
    assert proof and "at most 4 roundings one after the other, so an error of at most 4 u times" in str(proof)


@pytest.mark.parametrize("name", ["a large constant", "another row"])
def test_such_sums_are_wrong(name: str) -> None:
    """Ten elements of 2^-20, beside a row of 1e30."""
    x, y = SMALL.copy(), np.zeros(ROWS, np.float32)
    x[1] = 1e30
    call(routine(*WRONG[name]), _kernel().target, x, y)
    assert y[0] == 0 != SMALL[0].sum()


@pytest.mark.parametrize(
    "kernel",
    [
        lambda: ts.fused("softmax", 1, 70, target="avx2"),
        lambda: ts.equation(lambda x: ts.softmax(x, axis=0), x=(17, 1), target="avx2"),
    ],
    ids=["compensated", "parts"],
)
def test_rounding_errors_and_parts_that_are_added_are_proved(kernel: Any) -> None:
    """They look like terms that cancel."""
    assert kernel().verify()


def _kernel() -> Any:
    return ts.reduce("sum", ROWS, COLUMNS, axis=1, target="avx2")
