"""Elementwise kernels with every remainder, leading dimension, broadcast, type and bit mask, between guard pages.

They give the bits of numpy's evaluation of the expression, which microkernels/expr/test_graph.py tests.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, NATIVE, check, expected, inputs_of, run, sizes
from tests.guard import SIDES
from tests.kernel_runs import server_for
from tests.profiles import quick, scaled
from tilesmith.microkernels.dtypes import FLOAT8
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.functions.catalogue import TABLES
from tilesmith.runtime.api.eltwise import request as primitive

FEW, MANY = quick(25), scaled(40, 10_000)
KINDS = {"unary": 1, "binary": 2, "ternary": 3}
BASIC = {
    "unary": (
        "identity",
        "zero",
        "square",
        "sqrt",
        "increment",
        "decrement",
        "negate",
        "abs",
        "reciprocal",
        "rsqrt",
        "relu",
        "leaky_relu",
        "relu_mask",
    ),
    "binary": (
        "add",
        "sub",
        "mul",
        "div",
        "max",
        "min",
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
        "relu_inv",
        "leaky_relu_inv",
        "relu_mask_inv",
    ),
    "ternary": ("muladd", "nmuladd", "blend"),
}
FLOATS = ("f32", "f64", "bf16", "f16", *FLOAT8)
WHOLES = ("i32", "i8", "u8", "i16", "u16")
TO = {
    "f32": (*FLOATS, *WHOLES),
    "f64": (*FLOATS, *WHOLES, "i64"),
    "bf16": ("bf16", "f32", "f64", "f16", "i8"),
    "f16": ("f16", "f32", "bf16", "u8"),
    "i32": (*WHOLES, "i64", "f64", "f32", "bf16", "f16"),
    "i8": (*WHOLES, "f32"),
    "u8": (*WHOLES, "f16"),
    "i16": (*WHOLES, "bf16"),
    "u16": (*WHOLES, "f32"),
    "f8e5m2": FLOATS[2:],
    "f8e4m3": ("f32", *FLOATS[2:]),
}
"""Types that a kernel may write, by the type of its inputs."""
FLOAT_ONLY = ("sqrt", "reciprocal", "rsqrt", "leaky_relu", "div", "leaky_relu_inv")


def test_the_names_are_all_tested():
    known = ts.primitives()
    for kind, names in BASIC.items():
        assert set(names) <= set(known[kind])


@st.composite
def requests(draw: st.DrawFn) -> EltwiseSpec:
    kind = draw(st.sampled_from(list(KINDS)))
    name = draw(st.sampled_from(BASIC[kind]))
    dtype = draw(st.sampled_from(FLOATS if name in FLOAT_ONLY else FLOATS + WHOLES))
    m, n = draw(st.integers(1, 9)), draw(sizes)
    inputs = ["x"] if kind == "unary" else [f"x{i}" for i in range(KINDS[kind])]
    ways = [
        draw(st.sampled_from([None, None, "row", *([] if TABLES[kind][name].mask == i else ["col", "scalar"])]))
        for i in range(len(inputs))
    ]
    compare = name in ("lt", "le", "gt", "ge", "eq", "ne")
    out = None
    if not compare:
        out = draw(st.sampled_from(TO[dtype]))
        out = (out, "bits") if name == "relu_mask" else out
    spec = primitive(kind, name, m, n, bcast=ways, dtype=dtype, out=out)
    leading: dict[str, Any] = {}
    for each in spec.arguments:
        least = each.columns
        leading[f"ld{each.name}"] = draw(st.sampled_from([None, None, least, least + 1, least + 13, ts.RUNTIME]))
    return primitive(kind, name, m, n, bcast=ways, dtype=dtype, out=out, **leading)


def property_of(name: str, server: Any, examples: int) -> None:
    @settings(max_examples=examples)
    @given(requests(), st.sampled_from(SIDES), st.integers(0, 1 << 30))
    def test(spec: EltwiseSpec, side: str, seed: int) -> None:
        arrays = inputs_of(spec, np.random.default_rng(seed))
        check(run(spec, MACHINES[name], arrays, server, side), expected(spec, arrays))

    test()


machines = pytest.mark.parametrize("name", MACHINES)


@machines
def test_some(name, request):
    property_of(name, server_for(name, request), FEW)


@pytest.mark.slow
@machines
def test_many(name, request):
    property_of(name, server_for(name, request), MANY)


@pytest.mark.parametrize("name", NATIVE)
@settings(max_examples=40)
@given(m=st.integers(1, 6), n=sizes, seed=st.integers(0, 99), leading=st.sampled_from([0, 0, 5]))
def test_in_place(name, m, n, seed, leading):
    spec = primitive("binary", "sub", m, n, bcast=(None, "row"), ldx0=n + leading, ldy=n + leading)
    assert spec.in_place == (("x0", "x1") if m == 1 and not leading else ("x0",))
    arrays = inputs_of(spec, np.random.default_rng(seed))
    wanted = expected(spec, arrays)
    check(run(spec, MACHINES[name], arrays, None, "end", in_place="x0"), wanted)


@machines
def test_fused(name, request):
    """A traced function has several operands, one of them broadcast in each way, and two results."""

    def function(x: Any, g: Any, b: Any, s: Any) -> Any:
        y = ts.relu(x * g + b) * s
        return y, y > 0.5

    spec = ts.eltwise_spec(
        function, "fused", {"x": (5, 83), "g": (1, 83), "b": (5, 1), "s": (1, 1)}, out=("bf16", "bits")
    )
    arrays = inputs_of(spec, np.random.default_rng(8))
    check(run(spec, MACHINES[name], arrays, server_for(name, request), "end"), expected(spec, arrays))


@machines
@pytest.mark.parametrize("dtype", ["f32", "f64", "i8"])
def test_unused_bits_of_negated_masks_are_zero(name, dtype, request):
    """`not` of a mask sets unused bits: they must reach neither the bits of other elements nor the last byte."""
    server = server_for(name, request)
    for n in (*range(1, 18), 35):
        shapes = {"x": (2, n), "g": (2, n)}
        spec = ts.eltwise_spec(lambda x, g: (~(x < g), (x <= g) ^ ~(g <= x)), "negated", shapes, dtype=dtype)
        arrays = inputs_of(spec, np.random.default_rng(n))
        check(run(spec, MACHINES[name], arrays, server, "end"), expected(spec, arrays))


# Refusals and calls


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (ValueError, "did you mean 'sqrt'", lambda: ts.unary("sqr", 4, 4)),
        (ValueError, "from 1 to", lambda: ts.unary("relu", 0, 4)),
        (ValueError, "dtype: no element type is called 'f128'", lambda: ts.unary("relu", 4, 4, dtype="f128")),
        (UnsupportedError, "elementwise kernels take", lambda: ts.unary("relu", 4, 4, dtype="c64")),
        (
            UnsupportedError,
            "sqrt of i32: a float in arithmetic of i32; compute=.f32. converts",
            lambda: ts.unary("sqrt", 4, 4, dtype="i32"),
        ),
        (
            UnsupportedError,
            "a float in arithmetic of i32; compute=.f32. converts",
            lambda: ts.unary("tanh", 4, 4, dtype="i16"),
        ),
        (
            UnsupportedError,
            'a float in arithmetic of i32; compute="f32" converts$',
            lambda: ts.unary("leaky_relu", 4, 4, dtype="i8"),
        ),
        (
            UnsupportedError,
            'a float in arithmetic of i64; compute="f64" converts$',
            lambda: ts.binary("leaky_relu_inv", 4, 4, dtype="i64"),
        ),
        (
            TypeError,
            'a float in arithmetic of i32; compute="f32" converts',
            lambda: ts.equation(lambda x: x * 0.5, x=(4, 4), dtype="i8"),
        ),
        (UnsupportedError, "f32 stored as i64", lambda: ts.unary("relu", 4, 4, dtype="bf16", out="i64")),
        (ValueError, "bcast", lambda: ts.binary("add", 4, 4, bcast=("rows", None))),
        (ValueError, "bcast", lambda: ts.binary("add", 4, 4, bcast=("row",))),
        (ValueError, "accuracy", lambda: ts.unary("relu", 4, 4, accuracy="best")),
        (ValueError, "at least 4 elements", lambda: ts.unary("relu", 4, 4, ldx=3)),
        (TypeError, "leading dimensions are ldx, ldy", lambda: ts.unary("relu", 4, 4, ldz=9)),
        (UnsupportedError, r"x2: .*ts\.select\(s != 0", lambda: ts.ternary("blend", 4, 4, bcast=(None, None, "col"))),
        (UnsupportedError, "x1: a bit mask", lambda: ts.binary("relu_mask_inv", 4, 4, bcast=(None, "scalar"))),
        (TypeError, "missing b", lambda: ts.equation(lambda a, b: a, a=(4, 4))),
        (ValueError, "neither", lambda: ts.equation(lambda a, b: a + b, a=(4, 4), b=(2, 4))),
        (TypeError, "not 'text'", lambda: ts.equation(lambda a: "text", a=(4, 4))),
        (TypeError, "of expressions, not 3", lambda: ts.equation(3, a=(4, 4))),
        (TypeError, "write ts.tanh", lambda: ts.equation(lambda a: np.tanh(a), a=(4, 4))),
        (TypeError, "is no operand of an expression", lambda: ts.equation(lambda a: np.ones(4) * a, a=(4, 4))),
        (TypeError, "truth value", lambda: ts.equation(lambda a: a if a > 0 else -a, a=(4, 4))),
        (TypeError, "relu: an expression", lambda: ts.relu(np.ones(4))),
        (TypeError, "relu: an expression", lambda: ts.relu(1.0)),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()


def test_calls():
    add = ts.binary("add", 3, 5, bcast=(None, "row"))
    x, row = np.ones((3, 5), np.float32), np.arange(5, dtype=np.float32).reshape(1, 5)
    assert (add(x, row) == x + row).all()
    assert add is ts.binary("add", 3, 5, bcast=(None, "row"))
    y = np.zeros((3, 5), np.float32)
    assert add(x, row, y) is None and (y == x + row).all()
    add(x, row, x)  # the result overwrites an operand
    assert (x == y).all()
    with pytest.raises(ValueError, match="overlap"):
        ts.unary("relu", 2, 5)(x[:2], x[1:])
    assert (add(np.ones_like(x), row[0]) == y).all()  # a row may be a vector
    by_column = ts.binary("mul", 3, 5, bcast=("col", "scalar"))
    assert (by_column(np.arange(3, dtype=np.float32), np.array(2, np.float32)) == [[0] * 5, [2] * 5, [4] * 5]).all()
    with pytest.raises(ValueError, match=r"x1: shape \(1, 5\)"):
        add(x, row[0, :4])
    assert "add" in add.c_prototype and "x0" in add.c_prototype


def test_a_kernel_is_generated_anew_from_its_pickle():
    kernel = ts.equation(lambda x: ts.relu(x) * 2, x=(3, 3))
    again = pickle.loads(pickle.dumps(kernel))
    x = np.linspace(-1, 1, 9, dtype=np.float32).reshape(3, 3)
    assert (again(x) == np.maximum(x, 0) * 2).all()
