"""Calls of every public function, in a process that a processor without AVX2 executes (under qemu-x86_64).

    qemu-x86_64 -cpu Nehalem python -m tests.older_host sse [name...]

Each case compares its result with numpy's in f64 and prints its name; without names all cases run. The first argument
is the instruction set that `ts.host()` must find.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import tilesmith as ts

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(1)
CASES: dict[str, Callable[[], None]] = {}


def case(function: Callable[[], None]) -> Callable[[], None]:
    """Add a case under the name of its function."""
    CASES[function.__name__] = function
    return function


def drawn(*shape: int, dtype: Any = np.float32) -> Array:
    """Return random numbers of a type."""
    return RNG.standard_normal(shape).astype(dtype)


def check(found: Array, wanted: Array, error: float = 1e-5) -> None:
    """Compare with a result in f64, relative to the largest element."""
    wanted = np.asarray(wanted, np.float64)
    assert found.shape == wanted.shape
    assert np.abs(found.astype(np.float64) - wanted).max() <= error * max(1, np.abs(wanted).max())


def product(a: Array, b: Array) -> Array:
    """Return a @ b in f64."""
    return a.astype(np.float64) @ b.astype(np.float64)


def softmax(x: Array) -> Array:
    """Return the softmax of the last axis in f64."""
    powers = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@case
def brgemm() -> None:
    a, b = drawn(9, 11), drawn(11, 7)
    for target in (None, ts.host().isa):
        k = ts.brgemm(9, 7, 11, target=target)
        for call in (k, k.run):
            c = np.ones((9, 7), np.float32)
            call(a, b, c)
            check(c, product(a, b) + 1)
        assert k.listing() and k.emulated is False
    try:
        k(a, b[:, :6], c)
    except ValueError:
        pass
    else:
        raise AssertionError("a wrong shape was accepted")


@case
def batches() -> None:
    """Offsets are copied and compared by vectors on newer processors."""
    a, b = drawn(13, 8, 8), drawn(13, 8, 8)
    k = ts.brgemm(8, 8, 8, batch=ts.OFFSET, beta=0.0)
    for count in (1, 2, 3, 4, 13):
        offsets, c = RNG.permutation(13)[:count].astype(np.int64) * 256, np.empty((8, 8), np.float32)
        k(a, b, c, offsets, offsets)
        check(c, sum(product(a[i // 256], b[i // 256]) for i in offsets))  # type: ignore[arg-type]
        offsets[count // 2] = 13 * 256
        try:
            k(a, b, c, offsets, offsets)
        except (ValueError, IndexError):
            pass
        else:
            raise AssertionError("an offset outside was accepted")
    c = np.empty((13, 8, 8), np.float32)
    ts.brgemm(8, 8, 8, stack=ts.RUNTIME, beta=0.0)(a, b, c)
    check(c, np.matmul(a.astype(np.float64), b))


@case
def elementwise() -> None:
    x = drawn(5, 21)
    check(ts.dispatch(ts.unary, "exp")(x), np.exp(x.astype(np.float64)))
    check(ts.dispatch(ts.unary, "exp")(x), np.exp(x.astype(np.float64)))  # through machine code
    y = ts.equation(lambda x, w: ts.tanh(x) * w, x=x.shape, w=(1, 21))(x, x[:1].copy())
    check(y, np.tanh(x.astype(np.float64)) * x[:1])


@case
def rows() -> None:
    x = drawn(17, 33)
    check(ts.fused("softmax", 17, 33)(x), softmax(x))
    check(ts.spread(ts.fused("softmax", 17, 33), threads=2)(x), softmax(x))
    check(ts.reduce("sum", 17, 33, axis=1)(x), x.sum(1, dtype=np.float64))
    check(ts.transpose(17, 33)(x), x.T)
    index = RNG.integers(0, 17, 5)
    check(ts.gather("rows", 5, 33, size=17)(x, index), x[index])


@case
def narrow() -> None:
    for dtype, error in ((np.float16, 1e-3), (ml_dtypes.bfloat16, 1e-2)):
        x, y = drawn(5, 19, dtype=dtype), drawn(19, 6, dtype=dtype)
        check(ts.dispatch(ts.unary, "tanh")(x), np.tanh(x.astype(np.float64)), error)
        check(ts.dispatch(ts.brgemm, dtype=(str(x.dtype), str(x.dtype), "f32"), beta=0.0)(x, y), product(x, y))
    x8, y8 = drawn(5, 19, dtype=ml_dtypes.float8_e4m3fn), drawn(19, 6, dtype=ml_dtypes.float8_e4m3fn)
    check(ts.brgemm(5, 6, 19, dtype="f8e4m3", beta=0.0)(x8, y8), product(x8, y8))


@case
def matmul() -> None:
    a, b = drawn(70, 29), drawn(29, 31)
    for threads in (1, 2):
        check(ts.matmul(a, b, threads=threads), product(a, b))
    check(ts.matmul(a, b, epilogue=ts.relu), np.maximum(product(a, b), 0))
    narrow_a, narrow_b = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16)
    check(ts.matmul(narrow_a, narrow_b, dtype="f32"), product(narrow_a, narrow_b))
    u8, i8 = RNG.integers(0, 256, (9, 20), np.uint8), RNG.integers(-128, 128, (20, 7), np.int8)
    assert np.array_equal(ts.matmul(u8, i8), u8.astype(np.int32) @ i8.astype(np.int32))
    wide, tall = drawn(130, 140), drawn(140, 150)
    check(ts.gemm(130, 150, 140, threads=2, beta=0.0)(wide, tall), product(wide, tall))


@case
def layers() -> None:
    x, w, bias = drawn(9, 50), drawn(50, 40), drawn(40)
    layer = ts.linear(9, 40, 50, activation=ts.relu, threads=2)
    check(layer(x, layer.pack(w), bias), np.maximum(product(x, w) + bias, 0))
    net = ts.mlp(9, [50, 40, 10], activation=ts.relu)
    weights = [w, drawn(40, 10)]
    found = net(x, net.pack(weights), [bias, np.zeros(10, np.float32)])
    check(found, product(np.maximum(product(x, w) + bias, 0), weights[1]), 1e-4)


@case
def nest() -> None:
    double = ts.equation(lambda x: x + x, x=(4, 4))
    shape = ((6, 4, 4), "f32")
    k = ts.nest("B", {"b": (0, 6, 1)}, lambda i, x, y: double(x[i.b], y[i.b]), x=shape, y=shape)
    x, y = drawn(6, 4, 4), np.zeros((6, 4, 4), np.float32)
    k(x, y, threads=2)
    check(y, x * 2.0)


@case
def attention() -> None:
    q, k, v = drawn(2, 16, 16), drawn(2, 20, 16), drawn(2, 20, 16)
    scores = softmax(np.matmul(q.astype(np.float64), k.transpose(0, 2, 1)) / 4)
    check(ts.attention(2, 16, 20, 16)(q, k, v), np.matmul(scores, v))


@case
def products_in_functions() -> None:
    x, w = drawn(17, 33), drawn(33, 12)
    check(ts.equation(lambda x, w: ts.softmax(x @ w, axis=1), x=x.shape, w=w.shape)(x, w), softmax(product(x, w)))


@case
def proofs() -> None:
    assert ts.brgemm(8, 8, 8).verify()
    assert ts.brgemm(4, 4, 4, dtype=("bf16", "bf16", "f32")).verify()


def main(isa: str, *names: str) -> None:
    """Run the cases of these names."""
    assert ts.host().isa == isa, ts.host()
    assert "AVX2" not in ts.host().features
    for name in names or CASES:
        CASES[name]()
        print(name, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
