"""BRGEMM in mixed precision against the models of the units, between guard pages, and the requests that are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.guard import check_canary
from tests.mixed_cases import (
    BF16,
    BF16_F32,
    F16,
    F16_F32,
    FP8,
    INTEGERS,
    SCALED,
    WEIGHTS,
    Mixed,
    call_of,
    expected,
    in_integers,
    in_order,
    mixed,
    pairs_by_fma,
    run,
    same,
)
from tests.profiles import scaled
from tilesmith.emulation.numerics.rounding import X86
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host

FEW = scaled(12, 2000)  # cases of each type on each target
FEWER = scaled(5, 2000)  # cases of each of eight types of integers
UNITS = ("avx2", "avx512", "avx2_vnni", "avx512_vnni", "avx512_bf16", "avx2_vnni_int8", "avx10_2")
RUNNING = [name for name in UNITS if not host.runs(TARGETS[name])]
OLDER = ("sse", "avx")  # these multiply integers only

each_target = pytest.mark.parametrize("target", RUNNING)


@pytest.mark.parametrize("target", (*RUNNING, *OLDER))
@pytest.mark.parametrize("dtypes", (*INTEGERS, *SCALED), ids="-".join)
def test_integers_are_exact(dtypes, target):
    @settings(max_examples=FEWER if target in RUNNING else max(2, FEWER // 3))
    @given(mixed(dtypes))
    def test(case):
        survives(lambda: run(case, ts.brgemm(**case.request, target=target), in_integers))

    in_one_child(test)


@pytest.mark.parametrize("target", [name for name in UNITS if name not in RUNNING])
@pytest.mark.parametrize("dtypes", INTEGERS, ids="-".join)
def test_targets_that_this_machine_lacks_are_emulated(dtypes, target):
    @settings(max_examples=FEWER)
    @given(mixed(dtypes, most=24))
    def test(case):
        call = call_of(case, "end")
        wanted = expected(case, call.values, in_integers)
        ts.brgemm(**case.request, target=target).run(*call.arguments, **call.keywords)
        same(np.array(call.c), wanted)
        check_canary(call.c)

    test()


@each_target
@pytest.mark.parametrize("dtypes", (BF16_F32, BF16), ids="-".join)
def test_pairs_of_bf16_are_bit_exact(dtypes, target):
    @settings(max_examples=FEW)
    @given(mixed(dtypes))
    def test(case):
        survives(lambda: run(case, ts.brgemm(**case.request, target=target), pairs_by_fma))

    in_one_child(test)


@pytest.mark.parametrize("target", [name for name in RUNNING if name in ("avx2", "avx512")])
@pytest.mark.parametrize("dtypes", (F16_F32, F16, *FP8), ids="-".join)
def test_converted_floats_are_bit_exact(dtypes, target):
    @settings(max_examples=FEW)
    @given(mixed(dtypes))
    def test(case):
        survives(lambda: run(case, ts.brgemm(**case.request, target=target), in_order))

    in_one_child(test)


@pytest.mark.parametrize("target", [name for name in RUNNING if name in ("avx2", "avx512")])
def test_operands_of_different_types_are_bit_exact(target):
    """Elements of different types are multiplied as f32 in sequence, with the rounding of an FMA."""

    @settings(max_examples=scaled(60, 20_000))
    @given(st.sampled_from(WEIGHTS).flatmap(mixed))
    def test(case):
        survives(lambda: run(case, ts.brgemm(**case.request, target=target), in_order))

    in_one_child(test)


@pytest.mark.parametrize("target", [name for name in RUNNING if name in ("avx2", "avx512")])
@pytest.mark.parametrize("dtype", ("f8e5m2", "f8e4m3", "f16"))
def test_every_number_is_converted(dtype, target):
    """Every number is converted exactly, as A times 1 and as B."""
    numpy = numpy_dtype(dtype)
    bits = np.arange(256 if numpy.itemsize == 1 else 1 << 16, dtype=f"u{numpy.itemsize}").view(numpy)
    one, rows = np.ones((1, 1), numpy), bits.reshape(-1, 16)
    for a, b in ((bits[:, None], one), *((one, row[None]) for row in rows[:256])):
        found = ts.brgemm(len(a), b.shape[1], 1, dtype=(dtype, dtype, "f32"), beta=0, target=target)(a, b)
        with np.errstate(invalid="ignore"):
            same(found, a.astype(np.float32) * b.astype(np.float32) + np.float32(0))


@pytest.mark.parametrize("target", ("avx2", "avx512"))
def test_fast_numerics_follow_the_mode_of_the_caller(target):
    if target not in RUNNING:
        pytest.skip(f"this machine lacks {target}")
    for k in (1, 2, 7, 64):
        case = Mixed(9, 21, k, BF16_F32, numerics="fast", values="any", seed=k)
        run(case, ts.brgemm(**case.request, target=target), lambda sums, a, b: pairs_by_fma(sums, a, b, X86))


@pytest.mark.parametrize("shape", ((64, 64, 64), (100, 33, 130), (1, 64, 257), (200, 1, 31), (3, 200, 12)), ids=str)
@each_target
def test_larger_shapes_with_loops(target, shape):
    for dtypes, model in ((BF16_F32, pairs_by_fma), *((each, in_integers) for each in INTEGERS)):
        for layout in ("plain", "vnni"):
            case = Mixed(*shape, dtypes, layouts=("plain", layout), seed=sum(shape))
            run(case, ts.brgemm(**case.request, target=target), model)


def test_what_is_native_and_what_is_emulated():
    def emulated(dtype, target):
        return ts.brgemm(8, 16, 8, dtype=dtype, target=target).emulated

    assert not emulated("bf16", "avx512_bf16") and emulated("bf16", "avx512_vnni") and emulated("bf16", "avx2")
    assert not emulated("i8", "avx512_vnni") and not emulated("i8", "avx2_vnni") and emulated("i8", "avx512")
    assert not emulated("f32", "avx2")


def mnemonics(dtype, target):
    return set(ts.brgemm(16, 32, 32, dtype=dtype, target=target).listing().split())


def test_units_use_their_instructions():
    assert "vdpbf16ps" in mnemonics(BF16_F32, "avx512_bf16")
    for dtypes, suffix in zip(INTEGERS, ("busd", "bsud", "bssd", "buud", "wssd", "wuud", "wusd", "wsud")):
        swapped = "bsud" if suffix == "busd" else "busd" if suffix == "bsud" else suffix
        swapped = {"wusd": "wsud", "wsud": "wusd"}.get(suffix, swapped)  # row vectors are of B: C' = B' A'
        for target in ("avx2_vnni_int8", "avx10_2"):
            assert f"vpdp{swapped}" in mnemonics(dtypes, target), (dtypes, target)
    for name in ("vpdpbusd", "vpdpwssd"):
        dtype = "i8" if name == "vpdpbusd" else "i16"
        assert name in mnemonics(dtype, "avx512_vnni") and name in mnemonics(dtype, "avx2_vnni")
        assert name not in mnemonics(dtype, "avx512") and "vpmaddubsw" not in mnemonics(dtype, "avx512")


# Requests


def test_one_name_for_three():
    assert ts.gemm_spec(4, 5, 6, dtype="bf16").dtypes == BF16
    assert ts.gemm_spec(4, 5, 6, dtype="i8").dtypes == ("i8", "i8", "i32")
    assert ts.gemm_spec(4, 5, 6, dtype="f8e5m2").dtypes == ("f8e5m2", "f8e5m2", "f32")
    spec = ts.gemm_spec(4, 5, 6, dtype=BF16_F32, b_layout="vnni")
    assert spec == ts.gemm_spec(4, 5, 6, dtype=list(BF16_F32), b_layout="vnni2") and spec.groups == (1, 2)
    assert str(spec) == "brgemm 4 x 5 x 6 bf16,bf16,f32 order CCC b vnni2 alpha 1 beta 1"
    assert [operand.shape for operand in ts.gemm_spec(4, 5, 7, dtype="i8", b_layout="vnni").operands] == [
        (4, 7),
        (2, 5, 4),
        (4, 5),
    ]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"dtype": ("bf16", "bf16", "i32")}, "brgemm supports"),
        ({"dtype": "u32"}, "'i8'"),
        ({"dtype": "i8", "b_layout": "vnni2"}, "vnni4"),
        ({"dtype": "bf16", "a_layout": "vnni4"}, 'may be "plain", "vnni2"'),
        ({"dtype": "f32", "b_layout": "vnni"}, 'may be "plain"'),
        ({"dtype": "i8", "alpha": 2.0}, "alpha: 1 for sums of type i32"),
        ({"dtype": "i8", "beta": 0.5}, "beta: 0 or 1"),
        ({"dtype": "bf16", "order": ("C", "F", "C"), "b_layout": "vnni"}, "order"),
    ],
    ids=str,
)
def test_what_is_not_supported_says_what_is(request_, message):
    with pytest.raises(ts.UnsupportedError, match=message):
        ts.brgemm(4, 5, 6, **request_)
    with pytest.raises(ValueError, match="numerics: one of 'exact', 'fast'"):
        ts.brgemm(4, 5, 6, dtype="bf16", numerics="loose")


def test_packed_arrays_are_checked():
    bf16 = numpy_dtype("bf16")
    mm = ts.brgemm(4, 16, 7, dtype=BF16_F32, b_layout="vnni")
    a, b, c = np.zeros((4, 7), bf16), np.zeros((4, 16, 2), bf16), np.zeros((4, 16), np.float32)
    mm(a, b, c)
    with pytest.raises(ValueError, match=r"b: shape \(4, 16, 2\), not \(7, 16\)"):
        mm(a, np.zeros((7, 16), bf16), c)
    with pytest.raises(ValueError, match="b: strides"):
        mm(a, np.zeros((4, 2, 16), bf16).transpose(0, 2, 1), c)
    with pytest.raises(TypeError, match="a: dtype bfloat16"):
        mm(a.astype(np.float32), b, c)
    with pytest.raises(TypeError, match="c: dtype float32"):
        mm(a, b, c.astype(bf16))
    assert "b   bf16" in ts.brgemm(4, 16, 7, dtype=BF16_F32, b_layout="vnni").__doc__
