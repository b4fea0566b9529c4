"""GemmSpec fills in defaults, is the same for equal requests only, and has a kernel for every order of single rows and
columns.

Wrong arguments are tested in tests/runtime/api/test_brgemm.py, where users pass them.
"""

import itertools
import pickle
import random
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.children import survives
from tests.gemm_cases import DTYPES, ORDERS, RUNNING, Case, cases, dense, run
from tests.profiles import is_soak, scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.gemm.plan import GemmPlan
from tilesmith.microkernels.prepack.operand_plan import OperandPrepackPlan

each_target = pytest.mark.parametrize("target", TARGETS)


def test_defaults():
    spec = ts.gemm_spec(3, 5, 4)
    assert (spec.m, spec.n, spec.k, spec.dtype, spec.order) == (3, 5, 4, "f32", ("C", "C", "C"))
    assert (spec.leading, spec.batch, spec.alpha, spec.beta) == ((4, 5, 5), None, 1.0, 1.0)
    assert ts.gemm_spec(3, 5, 4, order="F").leading == (3, 4, 3)
    assert ts.gemm_spec(3, 5, 4, order=("F", "C", "F")).leading == (3, 5, 3)


def test_operations_are_counted():
    assert ts.gemm_spec(3, 5, 4).flops == 2 * 3 * 5 * 4
    assert ts.gemm_spec(3, 5, 4, batch=7).flops == 2 * 3 * 5 * 4 * 7
    assert ts.gemm_spec(3, 5, 4, batch=0).flops == 0
    assert ts.gemm_spec(3, 5, 4, batch=ts.STRIDE).flops == 2 * 3 * 5 * 4


@given(st.floats(allow_nan=False, allow_infinity=False, width=32) | st.floats(-1e38, 1e38))
def test_factors_are_what_the_element_type_holds(value):
    held = ts.gemm_spec(3, 5, 4, alpha=value, dtype="f32").alpha
    assert held == np.float32(value)
    assert ts.gemm_spec(3, 5, 4, beta=value, dtype="f64").beta == value
    if held == 0:
        assert struct.pack("<d", held) == struct.pack("<d", 0.0)  # there is one zero


def test_text():
    assert str(ts.gemm_spec(3, 5, 4)) == "brgemm 3 x 5 x 4 f32 order CCC alpha 1 beta 1"
    text = str(ts.gemm_spec(3, 5, 4, dtype="f64", lda=7, ldc=ts.RUNTIME, batch=ts.OFFSET, alpha=-0.5, beta=0))
    assert text == "brgemm 3 x 5 x 4 f64 order CCC lda=7 ldc=RUNTIME batch OFFSET alpha -0.5 beta 0"
    assert [repr(value) for value in (ts.STRIDE, ts.OFFSET, ts.ADDRESS, ts.RUNTIME)] == [
        "STRIDE",
        "OFFSET",
        "ADDRESS",
        "RUNTIME",
    ]


@settings(max_examples=50)
@given(cases("f32"))
def test_pickles(case):
    spec = ts.gemm_spec(**case.request)
    assert pickle.loads(pickle.dumps(spec)) == spec


# Distinct requests


def neighbour(factor):
    """Return the next larger f32."""
    return float(np.nextafter(np.float32(factor), np.float32(np.inf)))


def other_values(case):
    """Yield requests that differ from the case's in exactly one field."""
    request = case.request
    changes = {
        "m": [case.m + 1],
        "n": [case.n + 1],
        "k": [case.k + 1],
        "dtype": ["f64" if case.dtype == "f32" else "f32"],
        "order": [order for order in ORDERS if order != case.order],
        "batch": [batch for batch in (None, 0, 1, 2, ts.STRIDE, ts.OFFSET, ts.ADDRESS) if batch != case.batch],
        "alpha": [neighbour(case.alpha)],
        "beta": [neighbour(case.beta)],
    }
    for name, shape, order, asked in zip("abc", case.shapes, case.order, case.asked):
        least = shape[1] if order == "C" else shape[0]
        same = least if asked is None else asked
        changes[f"ld{name}"] = [value for value in (least, least + 1, least + 64, ts.RUNTIME) if value != same]
    for field, values in changes.items():
        for value in values:
            different = {**request, field: value}
            if field in ("m", "n", "k", "order"):  # leading dimensions that suffice for both
                different = {**different, **{f"ld{x}": request[f"ld{x}"] or 100 for x in "abc"}}
            yield field, different


@pytest.mark.seconds
@settings(max_examples=scaled(12, 200))
@given(cases("f32", sizes=st.fixed_dictionaries(dict.fromkeys("mnk", st.integers(1, 9)))))
def test_requests_that_differ_never_share_a_spec_or_a_kernel(case):
    """LIBXSMM's dispatch finds the same kernel for some requests that differ (peers.md 1.6). Tilesmith has no such
    pair."""
    spec = ts.gemm_spec(**case.request)
    kernel = case.kernel("avx2")
    for field, different in other_values(case):
        try:
            other = ts.gemm_spec(**different)
        except ValueError:  # a leading dimension that is too small for the other order
            assert field in ("m", "n", "k", "order")
            continue
        assert other != spec, field
        if ts.supported(other, "avx2") is True:
            found = ts.brgemm(**different, target="avx2")
            assert found is not kernel and found.spec == other != kernel.spec
            assert found.name != kernel.name
    assert case.kernel("avx2") is kernel


@settings(max_examples=100)
@given(cases("f32"), cases("f32"))
def test_equal_specs_come_from_equal_requests_only(one, two):
    first, second = (ts.gemm_spec(**case.request) for case in (one, two))
    meaning = [
        (
            case.m,
            case.n,
            case.k,
            case.order,
            case.batch,
            np.float32(case.alpha),
            np.float32(case.beta),
            *(ts.RUNTIME if asked is ts.RUNTIME else leading for asked, leading in zip(case.asked, case.leading)),
        )
        for case in (one, two)
    ]
    assert (first == second) == (meaning[0] == meaning[1])
    assert first == ts.gemm_spec(**one.request) and hash(first) == hash(ts.gemm_spec(**one.request))


# Orders of matrices with a single row or column


LINES = list(itertools.product((1, 9), (1, 20), (1, 7)))


@each_target
@pytest.mark.parametrize("order", ORDERS, ids="".join)
@pytest.mark.parametrize("shape", LINES, ids=str)
def test_orders_of_single_rows_and_columns(shape, order, target):
    """Every order has a kernel, also with leading dimensions given at the call."""
    case = dense(Case(*shape, order=order))
    assert ts.supported(ts.gemm_spec(**case.request), target) is True
    case = replace(case, asked=(ts.RUNTIME,) * 3)
    assert ts.supported(ts.gemm_spec(**case.request), target) is True


@pytest.mark.parametrize("target", RUNNING)
@pytest.mark.parametrize("dtype", DTYPES)
def test_single_rows_and_columns_of_any_order_are_computed(dtype, target):
    layouts = itertools.product(LINES, ORDERS, (None, 3), (0, 2))
    every = [dense(Case(*shape, dtype, order, batch=batch), padding) for shape, order, batch, padding in layouts]
    if not is_soak():  # another half for each type and target
        every = random.Random(f"{target} {dtype}").sample(every, len(every) // 2)
    kernels = [case.kernel(target) for case in every]
    survives(lambda: [run(case, kernel) for case, kernel in zip(every, kernels)])


def test_padded_columns_are_not_contiguous():
    """The column of a row-major matrix is a vector only if it is dense. With gaps between its elements it is packed."""
    column = {"m": 9, "n": 20, "k": 1, "order": ("C", "C", "F")}
    assert isinstance(ts.brgemm(**column, target="avx2").plan, GemmPlan)
    assert isinstance(ts.brgemm(**column, lda=2, target="avx2").plan, OperandPrepackPlan)
    assert isinstance(ts.brgemm(**column, lda=ts.RUNTIME, target="avx2").plan, OperandPrepackPlan)
