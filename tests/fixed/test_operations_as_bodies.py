"""ts.linear, a kernel or an operation as the body of a nest: the error named weights or numbers, and not the body."""

import numpy as np
import pytest

import tilesmith as ts

OF = dict.fromkeys("xy", ((2, 32, 64), "f32"))
LOOPS = {"a": (0, 2, 1)}
FUNCTIONS = [ts.linear, ts.matmul, ts.mlp, ts.gemm, ts.fused, ts.softmax, ts.pack_weights, ts.unary]


@pytest.mark.parametrize("body", FUNCTIONS, ids=lambda each: each.__name__)
def test_functions(body):
    said = rf"^body: a function .*, not ts\.{body.__name__} itself; .*lambda i, x, y: k\("
    with pytest.raises(TypeError, match=said):
        ts.nest("a", LOOPS, body, **OF)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.linear(64, 64, 64),
        lambda: ts.gemm(64, 64, 64),
        lambda: ts.unary("exp", 32, 64),
        lambda: ts.spread(ts.unary("exp", 32, 64)),
        lambda: ts.nest("a", LOOPS, lambda i, x, y: copy(x[i.a], y[i.a]), **OF),
    ],
)
def test_kernels_and_operations(make):
    made = make()
    with pytest.raises(TypeError, match=f"^body: a function .*, not {type(made).__name__} {made.name} itself; make a"):
        ts.nest("a", LOOPS, made, **OF)
    with pytest.raises(TypeError, match="^init: .* itself; .* init=lambda x, y: k"):
        ts.nest("a", LOOPS, lambda i, x, y: copy(x[i.a], y[i.a]), init=made, **OF)


def copy(x, y):
    ts.unary("identity", 32, 64)(x, y)


def test_what_the_error_advises():
    k = ts.unary("identity", 32, 64)
    x, y = np.random.default_rng(1).standard_normal((2, 32, 64)).astype(np.float32), np.zeros((2, 32, 64), np.float32)
    ts.nest("a", LOOPS, body=lambda i, x, y: k(x[i.a], y[i.a]), **OF)(x, y)
    assert (x == y).all()
