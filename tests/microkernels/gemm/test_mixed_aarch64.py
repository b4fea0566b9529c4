"""BRGEMM in mixed precision on NEON and SVE against the models, run by the kernel server between guard pages."""

from __future__ import annotations

import platform
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary
from tests.mixed_cases import (
    BF16,
    BF16_F32,
    BYTES,
    F16,
    F16_F32,
    FP8,
    INTEGERS,
    SCALED,
    WEIGHTS,
    WORDS,
    Mixed,
    call_of,
    draw_values,
    expected,
    flat,
    in_integers,
    in_order,
    matrix,
    mixed,
    narrowed_on_arm,
    pairs_by_bfdot,
    passed,
    same,
)
from tests.profiles import scaled
from tilesmith.emulation.numerics.rounding import ARM
from tilesmith.emulation.qemu.server import Pointers, Server
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

FEW = scaled(12, 1000)  # cases of each type on each target
MACHINES = {name: TARGETS[name] for name in ("neon", "neon_dotprod", "neon_bf16", "sve128", "sve256", "sve512")}
TYPES = (BF16_F32, BF16, *INTEGERS, SCALED[0], F16_F32, F16, *FP8)
OF_MMLA = (BF16_F32, BF16, *BYTES, SCALED[0])


def takes_blocks(dtypes: tuple[str, str, str], name: str) -> bool:
    """Whether a target multiplies blocks of two rows: bytes if it has SMMLA, bf16 always."""
    return dtypes in OF_MMLA and ("bf16" in dtypes or "I8MM" in TARGETS[name].features)


def fused(sums: Any, a: Any, b: Any) -> Any:
    """Add products by FMAs in sequence under the default FPCR; a missing odd factor is +0."""
    pad = a.shape[1] % 2
    zeros = np.zeros((len(a), pad), a.dtype), np.zeros((pad, b.shape[1]), b.dtype)
    return in_order(sums, np.concatenate([a, zeros[0]], 1), np.concatenate([b, zeros[1]]), ARM)


def model_of(case: Mixed) -> Any:
    """Return the model of the sums of a case."""
    if all(numpy_dtype(each).kind in "iu" for each in case.dtypes[:2]):
        return in_integers
    if case.dtypes[:2] != ("bf16", "bf16"):
        return partial(in_order, env=ARM)
    return pairs_by_bfdot if case.numerics == "exact" else fused


def check(server: Server, case: Mixed, target: Any, side: str) -> None:
    rng = np.random.default_rng(case.seed)
    memories, values = zip(*(flat(case, operand, rng) for operand in range(3)))
    c = passed(case, 2, matrix(case, 2, memories[2]))
    wanted = expected(case, list(values), model_of(case), narrowed_on_arm, ARM)
    offsets = [np.arange(case.count, dtype=np.int64) * case.distance(i) * memories[i].itemsize for i in range(2)]
    inputs: list[Any] = list(memories[:2])
    rest: list[Any] = []
    if case.batch is ts.STRIDE:
        rest = [case.count, *(case.distance(i) * memories[i].itemsize for i in range(2))]
    elif case.batch is ts.OFFSET:
        rest = [*offsets, case.count]
    elif case.batch is ts.ADDRESS:
        inputs = [
            Pointers([np.asarray(memories[i][n * case.distance(i) :]) for n in range(case.count)]) for i in range(2)
        ]
        rest = [case.count]
    leading = [case.leading(i) for i, kind in enumerate(case.kinds) if kind == "runtime"]
    kernel = Kernel(ts.gemm_spec(**case.request), target)
    bits = target.vector_bits if target.isa == "sve" else None
    server.call(kernel.code, *inputs, c, *rest, *leading, side=side, vector_bits=bits)
    same(np.array(c), wanted)


@pytest.mark.parametrize("name", ("neon", "sve256"))
def test_operands_of_different_types_are_bit_exact(aarch64, name):
    @settings(max_examples=scaled(30, 10_000))
    @given(st.sampled_from(WEIGHTS).flatmap(partial(mixed, most=24)), st.sampled_from(SIDES))
    def test(case, side):
        if case.count == 0:
            case = replace(case, batch=None, count=1)
        check(aarch64, case, MACHINES[name], side)

    test()


@pytest.mark.parametrize("bits", (128, 256, 512))
def test_types_without_an_outer_product_are_multiplied_in_vector_registers(bits):
    """SVE's units in streaming mode give SVE's bits for 16-bit integers, 8-bit floats and operands of different
    types."""

    @settings(max_examples=scaled(16, 2000))
    @given(st.sampled_from((*WORDS, *FP8, *WEIGHTS)).flatmap(partial(mixed, most=24)), st.sampled_from(SIDES))
    def test(case, side):
        model = in_integers if case.dtypes in WORDS else partial(in_order, env=ARM)
        call = call_of(case, side)
        wanted = expected(case, call.values, model, narrowed_on_arm, ARM)
        ts.brgemm(**case.request, target=f"sme{bits}").run(*call.arguments, **call.keywords)
        same(np.array(call.c), wanted)
        check_canary(call.c)

    test()


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
def test_units_give_the_bits_of_their_models(aarch64, dtypes, name):
    @settings(max_examples=FEW)
    @given(mixed(dtypes, most=24), st.sampled_from(SIDES))
    def test(case, side):
        if case.count == 0:  # an empty operand has no pages that could be guarded
            case = replace(case, batch=None, count=1)
        check(aarch64, case, MACHINES[name], side)

    test()


@pytest.mark.parametrize("dtypes", (BF16_F32, BF16), ids="-".join)
def test_fast_numerics_are_fused_steps_in_order(aarch64, dtypes):
    @settings(max_examples=FEW)
    @given(mixed(dtypes, most=24), st.sampled_from(SIDES))
    def test(case, side):
        check(aarch64, replace(case, numerics="fast", batch=None, count=1), MACHINES["neon"], side)

    test()


@pytest.mark.parametrize(
    ("dtypes", "name"),
    [(dtypes, name) for dtypes in OF_MMLA for name in MACHINES if takes_blocks(dtypes, name)],
)
def test_blocks_of_two_rows(aarch64, dtypes, name):
    @settings(max_examples=FEW)
    @given(mixed(dtypes, most=24, blocks=True), st.sampled_from(SIDES))
    def test(case, side):
        if case.count == 0:
            case = replace(case, batch=None, count=1)
        check(aarch64, case, MACHINES[name], side)

    test()


@pytest.mark.parametrize("name", ("neon", "neon_dotprod", "neon_bf16", "sve256"))
@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
def test_the_emulator_gives_the_same_bits(dtypes, name):
    @settings(max_examples=max(2, FEW // 3))
    @given(mixed(dtypes, most=10, blocks=takes_blocks(dtypes, name)))
    def test(case):
        call = call_of(case, "end")
        wanted = expected(case, call.values, model_of(case), narrowed_on_arm, ARM)
        ts.brgemm(**case.request, target=name).run(*call.arguments, **call.keywords)
        same(np.array(call.c), wanted)
        check_canary(call.c)

    test()


@pytest.mark.skipif(platform.machine() != "aarch64", reason="runs in `make arm`, on a Neoverse N1")
@pytest.mark.parametrize("dtypes", BYTES, ids="-".join)
def test_bytes_on_this_arm(dtypes):
    rng = np.random.default_rng(3)
    for m, n, k, more in ((9, 17, 35, {}), (33, 40, 64, {"order": "F"}), (5, 8, 19, {"batch": 3})):
        pairs = (more["batch"],) if "batch" in more else ()
        a, b = (draw_values(rng, (*pairs, *shape), dtype, "any") for shape, dtype in zip(((m, k), (k, n)), dtypes))
        order = more.get("order", "C")
        c = np.zeros((m, n), np.int32, order)
        wanted = (a.astype(np.int64) @ b.astype(np.int64)).reshape(-1, m, n).sum(0)
        ts.brgemm(m, n, k, dtype=dtypes, beta=0, **more)(np.asarray(a, order=order), np.asarray(b, order=order), c)
        np.testing.assert_array_equal(c, wanted)


def test_what_is_native_and_what_is_emulated():
    def emulated(dtype: Any, target: str) -> bool:
        return ts.brgemm(8, 8, 8, dtype=dtype, target=target).emulated

    for dtype in ("bf16", "i8", ("u8", "i8", "i32")):
        assert emulated(dtype, "neon") and not emulated(dtype, "neon_bf16") and not emulated(dtype, "sve256")
        assert emulated(dtype, "neon_dotprod") == (dtype == "bf16")
    assert not emulated("i16", "neon") and not emulated("f16", "neon")


@pytest.mark.parametrize(
    ("target", "request_", "message"),
    [
        ("neon", {"dtype": "i8", "a_layout": "mmla"}, "targets that have one: neon_bf16, sve128"),
        ("avx2", {"dtype": "bf16", "b_layout": "mmla2x4t"}, "no unit of this target takes blocks of two rows"),
        ("neon_bf16", {"dtype": "bf16", "b_layout": "mmla2x4"}, '"mmla2x4t" or "mmla"'),
        ("neon_bf16", {"dtype": "bf16", "a_layout": "mmla2x8"}, '"mmla2x4" or "mmla"'),
        ("neon_bf16", {"dtype": "bf16", "a_layout": "mmla", "lda": ts.RUNTIME}, "lda: must be a number for a layout"),
        ("neon_bf16", {"dtype": "bf16", "a_layout": "mmla", "order": ("C", "F", "C")}, 'c="C" with b="C"'),
        ("sve256", {"dtype": "i16", "a_layout": "mmla"}, 'may be "plain"'),
    ],
    ids=str,
)
def test_what_blocks_are_refused(target, request_, message):
    with pytest.raises(ts.UnsupportedError, match=message):
        ts.brgemm(4, 5, 6, **request_, target=target)


@pytest.mark.parametrize("name", ("neon_bf16", "sve256"))
@pytest.mark.parametrize("dtypes", (BF16_F32, BYTES[0]), ids="-".join)
def test_transforms_pack_for_mmla(dtypes, name):
    m, n, k = 13, 7, 21
    rng = np.random.default_rng(8)
    a, b = (draw_values(rng, shape, dtype, "ordinary") for shape, dtype in zip(((m, k), (k, n)), dtypes))
    depth = 8 // a.itemsize
    packed_a = ts.transform(f"mmla2x{depth}", m, k, dtype=dtypes[0]).run(a)
    packed_b = ts.transform(f"mmla2x{depth}t", k, n, dtype=dtypes[1]).run(b)
    c = ts.brgemm(m, n, k, dtype=dtypes, beta=0, a_layout="mmla", b_layout="mmla", target=name).run(
        packed_a.reshape(-1, -(-k // depth), 2 * depth), packed_b.reshape(-1, -(-k // depth), 2 * depth)
    )
    model = pairs_by_bfdot if dtypes == BF16_F32 else in_integers
    same(c, model(np.zeros((m, n), numpy_dtype(dtypes[2])), a, b))


@pytest.mark.parametrize("name", ("neon_bf16", "sve256"))
def test_the_ladder_keeps_its_bound(name):
    """The bound is that of microkernels/precision/bf16x3.py, for units that round to odd."""
    m, n, k = 9, 6, 40
    rng = np.random.default_rng(9)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), (k, n)))
    found = ts.brgemm(m, n, k, dtype="f32x3bf16", beta=0, target=name).run(a, b)
    steps = (6 * k + 9) * 2.0**-23
    gamma = steps / (1 - steps)
    limit = (2**-22.99 + gamma * (1 + 2**-6.9)) * (np.abs(a).astype(float) @ np.abs(b).astype(float))
    assert (np.abs(found - a.astype(float) @ b.astype(float)) <= limit).all()


@pytest.mark.slow
@pytest.mark.parametrize("beta", (0.0, 1.0))
@pytest.mark.parametrize("name", ("neon", "neon_bf16", "sve256"))
def test_epilogues_on_mmla(name, beta):
    """The epilogue runs on the sums in registers, also for an odd column and a partial row vector."""
    case = Mixed(13, 9, 21, BF16_F32, layouts=("mmla", "mmla"), beta=beta, seed=3)
    call = call_of(case, "end")
    wanted = np.maximum(
        expected(case, call.values, pairs_by_bfdot, narrowed_on_arm, ARM) + np.float32(1), np.float32(0)
    )
    kernel = ts.brgemm(**case.request, epilogue=lambda c: ts.relu(c + 1.0), target=name)
    assert "BFMMLA" in str(kernel.plan) and "on the sums in registers" in str(kernel.plan)
    kernel.run(*call.arguments)
    same(np.array(call.c), wanted)
