"""BRGEMM with an epilogue, in every batch mode, order and type, between guard pages.

The kernel without an epilogue, which has its own tests, gives the product. The epilogue must have the bits that numpy
computes from that product.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, NATIVE, check
from tests.guard import check_canary, guarded
from tests.kernel_runs import server_for
from tests.profiles import quick, scaled
from tilesmith.microkernels.epilogue.spec import epilogue_spec
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.arguments.epilogue import as_vector
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]
WAYS = ("row", "col", "scalar", None)


def function(c: Any, p: Any, q: Any) -> Any:
    return ts.relu(c * p - q) + 0.25


def reference(c: Array, p: Array, q: Array) -> Array:
    of = c.dtype.type
    return np.maximum(c * p - q, of(0)) + of(0.25)


def shaped(way: str | None, m: int, n: int, rng: np.random.Generator, dtype: Any, order: str) -> tuple[Array, Array]:
    """Return an operand as the call takes it, and as numpy broadcasts it."""
    shape = {"row": (1, n), "col": (m, 1), "scalar": (1, 1), None: (m, n)}[way]
    values = rng.standard_normal(shape).astype(dtype)
    whole = np.asarray(values, order=order if way is None else "C")
    return (whole if way is None else values.reshape(-1)), values


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    ways = st.sampled_from(WAYS)
    return {
        "m": draw(st.integers(1, 30)),
        "n": draw(st.integers(1, 40)),
        "k": draw(st.integers(1, 20)),
        "order": draw(st.sampled_from(["C", "F"])),
        "beta": draw(st.sampled_from([0.0, 1.0, 0.5])),
        "dtype": draw(st.sampled_from(["f32", "f64"])),
        "ways": draw(st.tuples(ways, ways)),
        "pad": draw(st.sampled_from([0, 3])),
        "seed": draw(st.integers(0, 999)),
        "side": draw(st.sampled_from(["start", "end"])),
    }


def property_of(name: str, server: Any, examples: int) -> None:
    @settings(max_examples=examples)
    @given(cases())
    def test(case: dict[str, Any]) -> None:
        target = MACHINES[name]
        m, n, k, order, side = case["m"], case["n"], case["k"], case["order"], case["side"]
        rng, dtype = np.random.default_rng(case["seed"]), numpy_dtype(case["dtype"])
        a, b = (np.asarray(rng.standard_normal(shape), dtype, order=order) for shape in ((m, k), (k, n)))
        ldc = (n if order == "C" else m) + case["pad"]
        wide = np.asarray(rng.standard_normal((m, ldc) if order == "C" else (ldc, n)), dtype, order=order)
        c = wide[:, :n] if order == "C" else wide[:m]
        given_p, p = shaped(case["ways"][0], m, n, rng, dtype, order)
        given_q, q = shaped(case["ways"][1], m, n, rng, dtype, order)
        plain = ts.gemm_spec(m, n, k, dtype=case["dtype"], order=order, beta=case["beta"], ldc=ldc)
        spec = epilogue_spec(plain, function, dict(zip("pq", case["ways"])))
        sums, out = _like(c, ldc, order), _like(c, ldc, order)
        if server is None:
            Kernel(plain, target)(a, b, sums)
            ins = [guarded(each, side, writable=False) for each in (a, b)]
            out = guarded(out, side)
            extras = [guarded(each, side, writable=False) for each in (given_p, given_q)]
            Kernel(spec, target)(*ins, out, *extras)
            check_canary(out)
        else:
            bits = target.vector_bits if target.isa == "sve" else None
            server.call(Kernel(plain, target).code, a, b, sums, side=side, vector_bits=bits)
            server.call(Kernel(spec, target).code, a, b, out, given_p, given_q, side=side, vector_bits=bits)
        check([np.ascontiguousarray(out)], [np.ascontiguousarray(reference(np.asarray(sums), p, q))])

    test()


def _like(c: Array, leading: int, order: str) -> Array:
    """Return a copy with the same strides."""
    wide = np.zeros((c.shape[0], leading) if order == "C" else (leading, c.shape[1]), c.dtype, order=order)
    view = wide[:, : c.shape[1]] if order == "C" else wide[: c.shape[0]]
    view[...] = c
    return view


@pytest.mark.parametrize("name", MACHINES)
def test_some(name, request):
    property_of(name, server_for(name, request), quick(15))


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_many(name, request):
    property_of(name, server_for(name, request), scaled(20, 5000))


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("batch", [None, 3, ts.STRIDE, ts.OFFSET, ts.ADDRESS, 0])
def test_batch_modes(target, batch):
    m, n, k, count = 9, 21, 12, 0 if batch == 0 else 3
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((3, m, k)).astype(np.float32), rng.standard_normal((3, k, n)).astype(np.float32)
    c, bias = rng.standard_normal((m, n)).astype(np.float32), rng.standard_normal(n).astype(np.float32)
    arguments: dict[Any, tuple[Any, tuple[Any, ...]]] = {
        None: ((a[0], b[0]), ()),
        0: ((a[:0], b[:0]), ()),
        3: ((a, b), ()),
        ts.STRIDE: ((a, b), (3, a.strides[0], b.strides[0])),
        ts.OFFSET: ((a, b), (np.arange(3) * a.strides[0], np.arange(3) * b.strides[0])),
        ts.ADDRESS: (tuple(np.array([x[i].ctypes.data for i in range(3)], np.uint64) for x in (a, b)), ()),
    }
    inputs, rest = arguments[batch]
    plain = ts.brgemm(m, n, k, batch=batch, target=target)
    fused = ts.brgemm(m, n, k, batch=batch, target=target, epilogue=lambda c, bias: ts.relu(c + bias))
    want, found = c.copy(), c.copy()
    plain(*inputs, want, *rest)
    fused(*inputs, found, bias, *rest)
    check([found], [np.maximum(want + bias, np.float32(0))])
    assert count or (want == c).all()


@pytest.mark.parametrize("beta", [0.0, 1.0, 0.5])
@pytest.mark.parametrize("order", ["C", "F"])
def test_narrow_results_are_rounded_once(beta, order):
    """The sums reach the epilogue as f32, although C is bf16."""
    m, n, k = 13, 24, 40
    rng = np.random.default_rng(2)
    a, b, c = (
        np.asarray(rng.standard_normal(shape).astype(ml_dtypes.bfloat16), order=order)
        for shape in ((m, k), (k, n), (m, n))
    )
    bias = rng.standard_normal(n).astype(np.float32)
    sums = np.zeros((m, n), np.float32, order=order)
    ts.brgemm(m, n, k, dtype=("bf16", "bf16", "f32"), order=order, beta=0, target="avx512")(a, b, sums)
    fused = ts.brgemm(
        m,
        n,
        k,
        dtype="bf16",
        order=order,
        beta=beta,
        target="avx512",
        epilogue=lambda c, bias: ts.relu(c + bias),
        operands={"bias": ("row", "f32")},
    )
    total = sums + np.float32(beta) * c.astype(np.float32)
    want = np.maximum(total + bias, np.float32(0)).astype(ml_dtypes.bfloat16)
    fused(a, b, c, bias)
    # 0.5 * C is exact, so the fused sum rounds like numpy's two steps
    check([np.ascontiguousarray(c)], [np.ascontiguousarray(want)])


@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_exact_functions_take_integer_sums(target):
    """relu and square have neither accuracies nor tables, so they take i32 sums as well as floats."""
    m, n, k = 7, 19, 30
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 5, (m, k), np.uint8), rng.integers(-5, 6, (k, n), np.int8)
    bias, c = rng.integers(-60, 60, n, np.int32), np.zeros((m, n), np.int8)
    fused = ts.brgemm(
        m,
        n,
        k,
        dtype=("u8", "i8", "i8"),
        beta=0,
        target=target,
        operands={"bias": ("row", "i32")},
        epilogue=lambda c, bias: ts.relu(c + bias) - ts.square(bias),
    )
    fused(a, b, c, bias)
    want = np.maximum(a.astype(np.int32) @ b + bias, 0) - bias * bias
    check([c], [np.clip(want, -128, 127).astype(np.int8)])


@pytest.mark.parametrize(
    ("error", "match", "options"),
    [
        (UnsupportedError, "ldc=RUNTIME", {"epilogue": lambda c: c, "ldc": ts.RUNTIME}),
        (UnsupportedError, "return masks after it", {"epilogue": lambda c: c > 0}),
        (TypeError, "a function", {"epilogue": 3}),
        (TypeError, "only an epilogue takes operands=", {"operands": {"bias": "row"}}),
        (TypeError, "an expression", {"epilogue": lambda c: 1.0}),
        (TypeError, "a shape for each name", {"epilogue": lambda c, s: c * s, "operands": ["row"]}),
        (UnsupportedError, "for products of dtype 'f64xi8'", {"epilogue": lambda c: c, "dtype": "f64xi8"}),
        (ValueError, "no parameter", {"epilogue": lambda c: c, "operands": {"bias": "row"}}),
        (ValueError, '"row", "col"', {"epilogue": lambda c, bias: c, "operands": {"bias": "rows"}}),
        (ValueError, 'operands: b is "row"', {"epilogue": lambda c, b: c, "operands": {"b": "rows"}}),
        (ValueError, "accuracy", {"epilogue": lambda c: c, "accuracy": "best"}),
    ],
)
def test_refusals(error, match, options):
    shape = {"m": 8, "n": 8, "k": 8} | options
    with pytest.raises(error, match=match):
        ts.brgemm(**shape)


def test_calls():
    mm = ts.brgemm(4, 6, 5, epilogue=lambda c, bias, s: (c + bias) * s, operands={"s": "col"})
    a, b, c = (np.ones(shape, np.float32) for shape in ((4, 5), (5, 6), (4, 6)))
    bias, s = np.arange(6, dtype=np.float32), np.arange(4, dtype=np.float32)
    mm(a, b, c, bias, s)
    want = (6 + bias) * s[:, None]
    assert (c == want).all()
    c[...] = 1
    mm(a, b, c, bias[None], s[:, None])  # matrices of one row or one column are also accepted
    assert (c == want).all()
    fresh = ts.brgemm(4, 6, 5, beta=0, epilogue=lambda c, bias: c + bias)
    assert (fresh(a, b, None, bias) == 5 + bias).all()
    with pytest.raises(TypeError, match="bias, s"):
        mm(a, b, c)
    with pytest.raises(ValueError, match=r"bias: shape \(6,\)"):
        mm(a, b, c, bias[:5], s)
    with pytest.raises(ValueError, match="overlap"):
        mm(a, b, c, c[0], s)
    with pytest.raises(TypeError, match="float32"):
        mm(a, b, c, bias.astype(np.float64), s)
    assert [each.shape for each in map(as_vector, mm.spec.extras)] == [(6,), (4,)]
    assert "bias" in mm.c_prototype and "bias" in str(mm.__signature__)
