"""BRGEMM with f16 sums (dtype "f16xf16") has the bits of half-precision FMAs in sequence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.guard import check_canary
from tests.mixed_cases import F16, SIDES, Mixed, call_of, mixed, same
from tests.oracles import llvm
from tests.profiles import scaled
from tilesmith.emulation.numerics import fp16
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host import detect as host

TARGET = "avx512_fp16"
FEW = scaled(40, 1000)
REFUSAL = host.runs(TARGETS[TARGET])


def request(case: Mixed) -> dict:
    return {**case.request, "dtype": "f16xf16", "numerics": "exact", "target": TARGET}


def wanted(case: Mixed, values: list[list[np.ndarray]]) -> np.ndarray:
    """Compute C = beta C + alpha sum in f16. A sum starts as C if both factors are 1, else as +0."""
    c, one = values[2][0], case.alpha == case.beta == 1
    if case.count == 0 and case.beta == 1:
        return c
    sums = c if one else np.zeros_like(c)
    with np.errstate(all="ignore"):
        for a, b in zip(*values[:2]):
            for k in range(case.k):
                sums = fp16.vfmaddph(a[:, k, None], b[None, k], sums)
        if case.alpha != 1:
            sums = fp16.vmulph(sums, np.float16(case.alpha))
        if case.beta == 1 and not one:
            sums = fp16.vaddph(sums, c)
        elif case.beta and not one:
            sums = fp16.vfmaddph(np.float16(case.beta), c, sums)
    return sums


@st.composite
def half_cases(draw: st.DrawFn, most: int = 24) -> Mixed:
    case = draw(mixed(F16, most=most))
    return replace(case, alpha=draw(st.sampled_from((1.0, 1.0, 0.1, -3.0))))


@pytest.mark.seconds
@settings(max_examples=FEW)
@given(half_cases())
def test_the_bytes_give_what_half_precision_gives(case):
    call = call_of(case, "end")
    ts.brgemm(**request(case)).run(*call.arguments, **call.keywords)
    same(np.array(call.c), wanted(case, call.values))
    check_canary(call.c)


@pytest.mark.skipif(bool(REFUSAL), reason=REFUSAL or "-")
def test_calls_give_what_half_precision_gives():
    @settings(max_examples=4 * FEW)
    @given(half_cases(most=70))
    def test(case):
        kernel = ts.brgemm(**request(case))

        def called():
            for side in SIDES:
                call = call_of(case, side)
                kernel(*call.arguments, **call.keywords)
                same(np.array(call.c), wanted(case, call.values))
                check_canary(call.c)

        survives(called)

    in_one_child(test)


@pytest.mark.parametrize("n", (1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65))
def test_every_width_of_vectors(n):
    """Every n is exact: whole registers, their first 4 and 8 bytes, masks, single rows, with denormals, infinities and
    NaN."""
    for order in ("CCC", "FFF"):
        case = Mixed(n, 3, 5, F16, order=tuple(order), values="any", alpha=0.5, beta=0.1)
        call = call_of(case, "end")
        ts.brgemm(**request(case)).run(*call.arguments)
        case = replace(case, beta=float(np.float16(0.1)))
        same(np.array(call.c), wanted(case, call.values))


def test_f16_and_f32_sums_differ():
    """In 2048 + 1 + 1..., sums in f16 lose the ones, since f16 has eleven significant bits."""
    a, b = np.ones((1, 4), np.float16), np.array([[2048], [1], [1], [1]], np.float16)
    narrow, wide = (np.zeros((1, 1), np.float16) for _ in range(2))
    ts.brgemm(1, 1, 4, dtype="f16xf16", target=TARGET).run(a, b, narrow)
    ts.brgemm(1, 1, 4, dtype="f16", target=TARGET).run(a, b, wide)
    assert (narrow[0, 0], wide[0, 0]) == (2048, 2052)  # 2051 is halfway between 2050 and 2052


def test_the_instructions_are_those_of_half_precision():
    kernel = ts.brgemm(64, 64, 64, dtype="f16xf16", target=TARGET)
    assert not kernel.emulated and "VFMADD231PH" in str(kernel.plan)
    a, b, c = (np.zeros((64, 64), np.float16) for _ in range(3))
    counts = kernel.emulate(a, b, c).counts
    assert counts["vfmadd231ph"] == 64 * 64 * 64 // 32
    assert not [name for name in counts if name.startswith("vcvt")]
    single = ts.brgemm(16, 32, 16, dtype="f16xf16", target=TARGET)
    assert "{1to32}" in single.listing()


def test_the_assembler_makes_the_same_bytes():
    for shape, factors in (((40, 37, 5), {}), ((1, 1, 3), {"alpha": 0.5, "beta": 0.25}), ((8, 32, 64), {"beta": 0})):
        kernel = ts.brgemm(*shape, dtype="f16xf16", target=TARGET, **factors)
        assert llvm.program(kernel.listing("gas"))[: len(kernel.code)] == kernel.code


@pytest.mark.parametrize("target", ("avx2", "avx512", "avx512_bf16", "neon", "sve256"))
def test_targets_without_half_precision_name_those_with_it(target):
    with pytest.raises(
        ts.UnsupportedError,
        match="no f16 by f16 with sums of f16; targets that do: avx512_fp16, avx10_2, amx, amx_fp16$",
    ):
        ts.brgemm(8, 8, 8, dtype="f16xf16", target=target)


def test_factors_fit_into_f16():
    with pytest.raises(ValueError, match="alpha: finite in f16"):
        ts.brgemm(8, 8, 8, dtype="f16xf16", alpha=1e6, target=TARGET)
