"""Every operator on arrays, against numpy in f64."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.graph.builder import GraphBuilder
from tilesmith.runtime.graph.compiled import compile, evaluate
from tilesmith.runtime.graph.values import OPERATORS

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (3, 5, 7)).astype(np.float32)
Y = RNG.uniform(0.5, 2, (5, 1)).astype(np.float32)
I = RNG.integers(-100, 100, (3, 5, 7))  # noqa: E741
B = I > 0


def _erf(x):
    from math import erf

    return np.vectorize(erf, [float])(x)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _softplus(x):
    return np.log1p(np.exp(x))


FLOATS = {
    "add": (lambda x, y: x + y, X, Y),
    "subtract": (lambda x, y: x - y, X, Y),
    "multiply": (lambda x, y: x * y, X, Y),
    "divide": (lambda x, y: x / y, X, Y),
    "maximum": (np.maximum, X, Y),
    "minimum": (np.minimum, X, Y),
    "negative": (np.negative, X),
    "absolute": (np.abs, X),
    "sign": (np.sign, X),
    "reciprocal": (lambda y: 1 / y, Y),
    "sqrt": (np.sqrt, Y),
    "rsqrt": (lambda y: 1 / np.sqrt(y), Y),
    "square": (np.square, X),
    "floor": (np.floor, X),
    "ceil": (np.ceil, X),
    "rint": (np.rint, X),
    "trunc": (np.trunc, X),
    "exp": (np.exp, X),
    "exp2": (np.exp2, X),
    "log": (np.log, Y),
    "tanh": (np.tanh, X),
    "sigmoid": (_sigmoid, X),
    "silu": (lambda x: x * _sigmoid(x), X),
    "gelu": (lambda x: 0.5 * x * (1 + _erf(x / np.sqrt(2))), X),
    "gelu_tanh": (lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))), X),
    "softplus": (_softplus, X),
    "relu": (lambda x: np.maximum(x, 0), X),
    "elu": (lambda x: np.where(x > 0, x, np.expm1(x)), X),
    "leaky_relu": (lambda x: np.where(x > 0, x, x * 0.01), X),
    "clip": (lambda x: np.clip(x, -1, 0.5), X),
    "erf": (_erf, X),
    "selu": (lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)), X),
    "celu": (lambda x: np.where(x > 0, x, np.expm1(x)), X),
    "mish": (lambda x: x * np.tanh(_softplus(x)), X),
    "softsign": (lambda x: x / (1 + np.abs(x)), X),
    "hard_sigmoid": (lambda x: np.clip(x / 6 + 0.5, 0, 1), X),
    "hard_swish": (lambda x: x * np.clip(x / 6 + 0.5, 0, 1), X),
}
OPTIONS = {"clip": {"low": -1.0, "high": 0.5}}


@pytest.mark.parametrize("name", FLOATS)
def test_functions_of_floats(name):
    function, *arrays = FLOATS[name]
    exact = function(*(each.astype(np.float64) for each in arrays))
    found = evaluate(name, *arrays, **OPTIONS.get(name, {}))
    assert found.dtype == np.float32 and found.shape == exact.shape
    np.testing.assert_allclose(found, exact, rtol=2**-19, atol=2**-21)  # a few roundings, of results up to 8


WHOLE = {
    "equal": (np.equal, I, 3),
    "not_equal": (np.not_equal, I, I[:, :1]),
    "less": (np.less, I, 3),
    "less_equal": (np.less_equal, I, 3),
    "greater": (np.greater, I, 3),
    "greater_equal": (np.greater_equal, I, 3),
    "logical_and": (np.logical_and, B, B[:1]),
    "logical_or": (np.logical_or, B, B[:1]),
    "logical_xor": (np.logical_xor, B, B[:1]),
    "logical_not": (np.logical_not, B),
    "bitwise_and": (np.bitwise_and, I, I[:1]),
    "bitwise_or": (np.bitwise_or, I, I[:1]),
    "bitwise_xor": (np.bitwise_xor, I, I[:1]),
    "where": (np.where, B, I, I[:1]),
    "isnan": (np.isnan, np.where(B, X, np.nan)),
    "isinf": (np.isinf, np.where(B, X, -np.inf)),
    "any": (lambda b: b.any(axis=(0, 2)), B),
    "all": (lambda b: b.all(axis=(0, 2)), B),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int16, np.uint8], ids=lambda d: np.dtype(d).name)
def test_functions_of_whole_numbers(name, dtype):
    function, *arrays = WHOLE[name]
    arrays = [
        each.astype(dtype) if isinstance(each, np.ndarray) and each.dtype == np.int64 else each for each in arrays
    ]
    expected = function(*arrays)
    found = evaluate(name, *arrays, **({"axes": (0, 2)} if name in ("any", "all") else {}))
    assert found.dtype == expected.dtype and np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int16, np.uint16, np.int8, np.uint8])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "negative", "absolute", "maximum", "sign"])
def test_integers_wrap_as_in_numpy(name, dtype):
    info = np.iinfo(dtype)
    x = np.array([[info.min, info.max, 3, 7, 100]], dtype)
    arrays = (x, x[:, ::-1].copy()) if name in ("add", "subtract", "multiply", "maximum") else (x,)
    with np.errstate(over="ignore"):
        expected = getattr(np, name)(*arrays)
    if name == "multiply" and dtype == np.int64:
        with pytest.raises(UnsupportedError, match="cast"):
            evaluate(name, *arrays)
        return
    assert np.array_equal(evaluate(name, *arrays), expected)


CASTS = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int64, np.int32, np.int16, np.uint8, np.bool_]


@pytest.mark.parametrize("before", CASTS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("after", CASTS, ids=lambda d: np.dtype(d).name)
def test_casts(before, after):
    x = np.array([[0, 1, 2.75, 3.5, 100, 7]]).astype(before)
    if {np.dtype(before).kind, np.dtype(after).kind} <= set("iu"):  # others of integers wrap, as numpy's
        x[:, 1:3] = np.iinfo(before).max, np.iinfo(before).min + 5
    found = evaluate("cast", x, dtype=after)
    assert found.dtype == np.dtype(after) and np.array_equal(found, x.astype(after))


def test_a_cast_to_a_narrower_type_rounds_what_others_read():
    g = GraphBuilder()
    x = g.input((1, 8))
    y = g.apply("cast", g.apply("cast", x, dtype=ml_dtypes.bfloat16), dtype=np.float32)
    array = RNG.standard_normal((1, 8)).astype(np.float32)
    made = compile(g.finish(g.apply("add", y, 1.0)))(array)
    assert np.array_equal(made, array.astype(ml_dtypes.bfloat16).astype(np.float32) + 1)


@pytest.mark.parametrize("axes", [0, 1, 2, (0, 1), (0, 2), (1, 2), None, ()])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "var", "logsumexp", "argmax", "argmin"])
def test_reductions(name, axes):
    functions = {"logsumexp": lambda x, axis, keepdims: np.log(np.exp(x).sum(axis=axis, keepdims=keepdims))}
    function = functions.get(name) or getattr(np, name)
    for keepdims in (False, True):
        if name.startswith("arg"):
            if isinstance(axes, tuple):
                continue
            found, expected = evaluate(name, X, axis=axes), function(X, axis=axes)
            assert found.dtype == np.int64 and np.array_equal(found, expected)
            continue
        exact = function(X.astype(np.float64), axis=axes, keepdims=keepdims)
        found = evaluate(name, X, axes=axes, keepdims=keepdims)
        assert found.shape == np.shape(exact)
        np.testing.assert_allclose(found, exact, rtol=2**-16, atol=2**-16)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scans(axis):
    for dtype in (np.int32, np.int8, np.bool_):
        x = (I * (2**24 if dtype == np.int32 else 1)).astype(dtype)  # sums beyond the range of the operand
        found = evaluate("cumsum", x, axis=axis)
        assert found.dtype == np.int64 and np.array_equal(found, np.cumsum(x, axis))
        for name, exact in (("cumprod", np.cumprod(x, axis, np.int32)), ("prod", np.prod(x, axis, np.int32))):
            found = evaluate(name, x, **{"axes" if name == "prod" else "axis": axis})
            assert found.dtype == np.int32 and np.array_equal(found, exact)
    assert np.array_equal(evaluate("cummax", B, axis=axis), np.maximum.accumulate(B, axis))
    assert np.array_equal(evaluate("prod", I[:, :0].astype(np.int8), axes=1), np.ones((3, 7)))
    exact = np.cumsum(X.astype(np.float64), axis)
    np.testing.assert_allclose(evaluate("cumsum", X, axis=axis, exclusive=True), exact - X, rtol=2**-16, atol=2**-16)
    with pytest.raises(UnsupportedError, match="cumprod of int64.*cast"):
        evaluate("cumprod", I.astype(np.int64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("columns, k", [(40, 40), (900, 7)], ids=["steps", "blocks"])
@pytest.mark.grid(4)
def test_topk(columns, k, largest, dtype):
    """Of equal elements, infinities and NaN, in the total order of value and place."""
    x = RNG.integers(-9, 9, (3, columns, 2)).astype(dtype)
    x[1, 3::5] = np.nan
    x[2] = -np.inf if largest else np.inf
    x[2, columns // 2] = 1
    keys = np.where(np.isnan(x), 100, np.clip(x.astype(float), -50, 50)).astype(int) * (-1 if largest else 1)
    places = np.argsort(keys, 1, kind="stable")[:, :k]
    values, found = ts.topk(x, k, axis=1, largest=largest)
    assert found.dtype == np.int64 and np.array_equal(found, places)
    exact = np.take_along_axis(x, places, 1).astype(float)
    assert values.dtype == x.dtype and np.array_equal(values.astype(float), exact, equal_nan=True)


def test_topk_refusals():
    for kind, words, x, k in (
        (UnsupportedError, "topk of int32.*cast to float64", np.ones((2, 3), np.int32), 1),
        (ValueError, "k from 0 to 3", np.ones((2, 3), np.float32), 4),
        (ValueError, "k from 0 to 3", np.ones((2, 3), np.float32), True),
    ):
        with pytest.raises(kind, match=words):
            ts.topk(x, k)
    values, places = ts.topk(np.ones((2, 3), np.float16), 0, axis=0)
    assert values.shape == places.shape == (0, 3) and values.dtype == np.float16 and places.dtype == np.int64
    values, places = ts.topk(np.float32(5), 1)
    assert (values, places, places.shape) == (5, 0, ())


@pytest.mark.parametrize("dtype", [np.int32, np.int16, np.uint8])
def test_sums_of_integers_are_int64(dtype):
    x = I.astype(dtype)
    found = evaluate("sum", x, axes=(0, 2))
    assert found.dtype == np.int64 and np.array_equal(found, x.sum(axis=(0, 2), dtype=np.int64))
    assert np.array_equal(evaluate("max", x, axes=1), x.max(axis=1))


def test_indices_and_infinities():
    x = np.array([[-np.inf, -np.inf], [np.inf, 1], [0, 1]], np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.array([-np.inf, np.inf, np.log(1 + np.e)])
    np.testing.assert_allclose(evaluate("logsumexp", x, axes=1), expected, rtol=1e-6)
    table = RNG.standard_normal((5, 4, 3)).astype(np.float32)
    index = np.array([[0, -1], [4, -5]])
    for axis in range(3):
        assert np.array_equal(evaluate("gather", table, index % 3, axis=axis), np.take(table, index % 3, axis))
    assert np.array_equal(evaluate("gather", table, index), table[index])
    with pytest.raises(IndexError):
        evaluate("gather", table, np.array([5]))


def test_powers():
    for exponent in (0, 1, 2, 3, 7, -1, -2, 0.5, 1.5, -0.5):
        exact = Y.astype(np.float64) ** exponent
        np.testing.assert_allclose(evaluate("power", Y, exponent), exact, rtol=2**-19)
    with pytest.raises(UnsupportedError, match="exp"):
        evaluate("power", Y, 0.3)


def test_joins_and_parts():
    pieces = [X, X[:, :2].copy(), X[:, ::2].copy()]
    assert np.array_equal(evaluate("concatenate", *pieces, axis=1), np.concatenate(pieces, 1))
    widths = {"before": (1, 0, 2), "after": (0, 3, 1)}
    expected = np.pad(X, list(zip(*widths.values())), constant_values=4)
    assert np.array_equal(evaluate("pad", X, value=4.0, **widths), expected)
    assert np.array_equal(evaluate("pad", X, before=(0, -1, 0), after=(0, 0, -2)), X[:, 1:, :5])
    for part, other in zip(evaluate("split", X, sizes=(2, 3), axis=1), np.split(X, [2], 1)):
        assert np.array_equal(part, other)
    assert np.array_equal(evaluate("flip", X, axes=(0, 2)), X[::-1, :, ::-1])


def test_matrices():
    a, b = RNG.standard_normal((2, 3, 4, 5)), RNG.standard_normal((3, 5, 6))
    np.testing.assert_allclose(evaluate("matmul", a, b), a @ b, rtol=1e-12)
    np.testing.assert_allclose(evaluate("matmul", a, b[0, :, 0].copy()), a @ b[0, :, 0], rtol=1e-12)
    np.testing.assert_allclose(evaluate("matmul", b[0, :, 0].copy(), b[1]), b[0, :, 0] @ b[1], rtol=1e-12)
    u, i = RNG.integers(0, 255, (4, 8)).astype(np.uint8), RNG.integers(-128, 127, (8, 5)).astype(np.int8)
    assert np.array_equal(evaluate("matmul", u, i), u.astype(np.int32) @ i)


def test_errors_name_what_would_work():
    g = GraphBuilder()
    x, y = g.input((3, 4)), g.input((3, 4), np.float64)
    for wrong, error, text in (
        (lambda: g.apply("rellu", x), UnsupportedError, "relu"),
        (lambda: g.apply("add", x, y), TypeError, "cast"),
        (lambda: g.apply("add", x, g.input((3, 5))), ValueError, "broadcast"),
        (lambda: g.apply("matmul", x, g.apply("permute", y)), TypeError, "float64"),
        (lambda: g.apply("tanh", g.input((3,), np.int32)), UnsupportedError, "cast"),
        (lambda: g.apply("add", *[g.input((3,), np.complex64)] * 2), UnsupportedError, "move"),
        (lambda: g.apply("sum", x, axes=2), ValueError, "axes"),
    ):
        with pytest.raises(error, match=text):
            wrong()


def test_every_row_is_one_of_a_kind():
    assert {row.kind for row in OPERATORS.values()} == {
        "pointwise",
        "rowwise",
        "view",
        "product",
        "whole",
        "composite",
        "foreign",
    }
    assert all((row.expand is not None) == (row.infer is None) for row in OPERATORS.values() if row.kind == "composite")


def test_booleans_and_narrow_integers_are_counted_in_int64():
    g = GraphBuilder()
    x = g.input(X.shape)
    count = g.apply("sum", g.apply("cast", g.apply("greater", x, 0.0), dtype=np.int64), axes=1, keepdims=True)
    share = g.apply("divide", x, g.apply("cast", count, dtype=np.float32))
    found, wanted = compile(g.finish(count, share))(X), (X > 0).sum(axis=1, keepdims=True)
    assert found[0].dtype == np.int64 and np.array_equal(found[0], wanted)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found[1], X / wanted, rtol=1e-6)
    assert np.array_equal(evaluate("sum", B, axes=(0, 1)), B.sum(axis=(0, 1)))
    with pytest.raises(UnsupportedError, match="float64"):
        evaluate("sum", I, axes=0)
