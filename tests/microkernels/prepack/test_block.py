"""GEMM of operands that are packed on the fly. microkernels/gemm/test_emit.py draws random requests of all eight
orders. The tests here cover the blocks of rows and of k, groups of pairs, the printed plan, and the size of scratch
memory."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.gemm_cases import LEADING, RUNNING, Case, cases, dense, run
from tests.guard import SIDES, check_canary, guarded
from tests.microkernels.gemm.test_aarch64 import check as check_aarch64
from tests.profiles import scaled
from tilesmith.emulation.qemu.server import Server
from tilesmith.microkernels.contract.machine import SCRATCH_LIMIT
from tilesmith.microkernels.gemm.plan import GemmPlan
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.prepack.operand_plan import OperandPrepackPlan
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

PACKED = (("C", "C", "F"), ("C", "F", "F"), ("C", "F", "C"), ("F", "F", "C"))
LAYING = (("C", "C", "C"), ("F", "C", "C"), ("F", "C", "F"), ("F", "F", "F"))
CUTS = ((9, 7, 700, None), (300, 5, 40, None), (5, 300, 40, 3), (140, 150, 130, 2), (64, 64, 64, 3), (16, 16, 16, 16))
LARGEST_CODE = 32 << 10


@pytest.mark.parametrize("target", RUNNING)
@pytest.mark.parametrize("order", PACKED, ids="".join)
def test_blocks(order, target):
    """There are several blocks of rows, of k and of pairs, with remainders of each."""
    cases = [
        dense(Case(m, n, k, dtype, order, batch=batch, beta=beta, alpha=alpha))
        for m, n, k, batch in CUTS
        for dtype, alpha, beta in (("f32", 1, 1), ("f64", 2, 0), ("f32", 1, -2))
    ]
    kernels = [case.kernel(target) for case in cases]
    survives(lambda: [run(case, kernel) for case, kernel in zip(cases, kernels)])


@pytest.mark.parametrize("order", LAYING, ids="".join)
def test_operands_that_need_no_packing_are_not_packed(order):
    assert isinstance(ts.brgemm(20, 30, 40, order=order, target="avx512").plan, GemmPlan)


@pytest.mark.parametrize("name", ["avx2", "avx512", "neon", "sve256"])
def test_plan_shows_the_packing(name):
    plan = Kernel(ts.gemm_spec(64, 64, 64, order=("C", "F", "C"), batch=16), TARGETS[name]).plan
    assert isinstance(plan, OperandPrepackPlan)
    text = str(plan)
    assert "b is packed" in text and "cycles a block" in text and "% of the work" in text
    whole = plan.whole
    assert plan.cycles == pytest.approx(whole.pack.cycles + whole.product.cycles, rel=0.5)


@pytest.mark.parametrize("name", ["avx2", "avx512", "neon", "sve512"])
@pytest.mark.parametrize("shape", [(512, 512, 512), (511, 17, 509), (3, 512, 77)], ids=str)
def test_code_and_scratch_are_bounded(name, shape):
    for order in PACKED:
        kernel = Kernel(ts.gemm_spec(*shape, order=order), TARGETS[name])
        plan = kernel.plan
        assert isinstance(plan, OperandPrepackPlan)
        assert prod(plan.part) * 4 <= SCRATCH_LIMIT
        assert len(kernel.code) <= 2 * LARGEST_CODE


@pytest.mark.parametrize("order", PACKED, ids="".join)
@pytest.mark.parametrize("name", ["neon", "sve256"])
def test_blocks_on_a64(aarch64: Server, name, order):
    for m, n, k in ((9, 7, 700), (40, 33, 29)):
        kernel = Kernel(ts.gemm_spec(m, n, k, order=order, beta=2), TARGETS[name])
        generator = np.random.default_rng(m)
        shapes = ((m, k), (k, n), (m, n))
        a, b, c = (
            np.asarray(generator.integers(-4, 5, shape).astype(np.float32), order=each)
            for shape, each in zip(shapes, order)
        )
        expected = 2 * c + a @ b
        bits = kernel.target.vector_bits if kernel.target.isa == "sve" else None
        aarch64.call(kernel._code, a, b, c, vector_bits=bits)
        assert np.array_equal(c, expected)


@pytest.mark.parametrize("target", RUNNING)
@pytest.mark.parametrize("order", PACKED, ids="".join)
def test_leading_dimensions_of_the_call(order, target):
    """Leading dimensions given at the call work in every batch mode and with several blocks of k."""

    @settings(max_examples=scaled(12, 1000))
    @given(cases("f32", _SIZES, [order], _SOME_AT_THE_CALL))
    def test(case):
        kernel = case.kernel(target)
        a, b, _ = kernel.spec.operands
        assert isinstance(kernel.plan, OperandPrepackPlan) or 1 in a.shape + b.shape
        survives(lambda: run(case, kernel))

    in_one_child(test)


_SOME_AT_THE_CALL = [kinds for kinds in LEADING if "runtime" in kinds]
_SIZES = st.fixed_dictionaries({"m": st.integers(1, 40), "n": st.integers(1, 40), "k": st.sampled_from((3, 33, 700))})


@pytest.mark.parametrize("name", ["neon", "sve256"])
@given(data=st.data())
@settings(max_examples=scaled(12, 1000))
def test_leading_dimensions_of_the_call_on_a64(aarch64: Server, name, data):
    drawn = cases("f32", _SIZES, PACKED, _SOME_AT_THE_CALL)
    check_aarch64(aarch64, data.draw(drawn), TARGETS[name], data.draw(st.sampled_from(SIDES)))


SUMS = {"f32": "f32", "bf16": "f32", "f16": "f32"}


@pytest.mark.parametrize("target", [*(name for name in RUNNING if name not in ("sse", "avx")), None], ids=str)
@pytest.mark.parametrize("order", PACKED, ids="".join)
@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize("leading", [None, ts.RUNTIME], ids=str)
def test_epilogues_and_narrow_results(leading, dtype, order, target):
    """A product in several parts is rounded once to C's type, and the epilogue gets the sums before that."""
    options = {"dtype": dtype, "order": order, "lda": leading, "ldb": leading, "target": target, "beta": 2}
    shapes = ((9, 7, 700), (21, 37, 29))
    kernels = [
        (shape, function, ts.brgemm(*shape, **options, **({"epilogue": function} if function else {})))
        for shape in shapes
        for function in (None, lambda c, bias: c * 0.25 + bias)
    ]
    survives(lambda: [_in_parts(*each, dtype, order) for each in kernels])


def _in_parts(shape, function, kernel, dtype, order):
    m, n, k = shape
    generator = np.random.default_rng(k)
    given_type = numpy_dtype(dtype)

    def matrix(rows, columns, kind):
        return np.asarray(generator.integers(-3, 4, (rows, columns)).astype(given_type), order=kind)

    a, b, c = matrix(m, k, order[0]), matrix(k, n, order[1]), matrix(m, n, order[2])
    bias = matrix(1, n, "C")[0]
    sums = 2 * c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64)
    expected = sums * 0.25 + bias.astype(np.float64) if function else sums
    side = SIDES[k % 2]
    a, b, bias = (guarded(each, side, writable=False) for each in (a, b, bias))
    c = guarded(c, side)
    kernel(a, b, c, *[bias] * bool(function))
    assert np.array_equal(c, expected.astype(np.float32).astype(given_type)), (shape, function)
    check_canary(c)


def test_a_narrow_result_needs_the_distance_of_its_rows():
    with pytest.raises(ts.UnsupportedError, match="ldc that is a number"):
        ts.brgemm(9, 7, 700, dtype="bf16", order=("C", "F", "C"), ldc=ts.RUNTIME, target="avx2")


def test_mixed_types_are_packed_too():
    m, n, k = 20, 24, 18
    generator = np.random.default_rng(0)
    kernel = ts.brgemm(m, n, k, dtype=("bf16", "bf16", "f32"), order=("C", "F", "C"), target="avx2")
    assert isinstance(kernel.plan, OperandPrepackPlan)
    bf16 = numpy_dtype("bf16")
    a = generator.integers(-4, 5, (m, k)).astype(bf16)
    b = np.asarray(generator.integers(-4, 5, (k, n)).astype(bf16), order="F")
    c = np.ones((m, n), np.float32)
    kernel(a, b, c)
    assert np.array_equal(c, 1 + a.astype(np.float32) @ b.astype(np.float32))
