"""threads= of a call of ts.gemm, a network or a nest was not checked: 0 was taken for None, 2**70 raised an
OverflowError, and True meant one thread everywhere."""

import numpy as np
import pytest

import tilesmith as ts

X = np.ones((8, 8), np.float32)


def _nest():
    double = ts.equation(lambda x: x + x, x=(8, 8))
    of = ((2, 8, 8), "f32")
    return ts.nest("B", {"b": (0, 2, 1)}, lambda i, x, y: double(x[i.b], y[i.b]), x=of, y=of)


def _calls():
    net, nest, x = ts.mlp(8, [8, 8]), _nest(), np.ones((2, 8, 8), np.float32)
    packed = net.pack([X])
    return {
        "gemm": lambda **named: ts.gemm(8, 8, 8, beta=0)(X, X, **named),
        "matmul": lambda **named: ts.matmul(X, X, **named),
        "mlp": lambda **named: net(X, packed, [X[0]], **named),
        "nest": lambda **named: nest(x, np.empty_like(x), **named),
    }


@pytest.mark.parametrize("kind", ["gemm", "matmul", "mlp", "nest"])
def test_a_number_of_threads_is_one(kind):
    call = _calls()[kind]
    call(threads=2)
    for wrong, error in (
        (0, ValueError),
        (-1, ValueError),
        (2**70, ValueError),
        (1.5, TypeError),
        ("2", TypeError),
        ([], TypeError),
        (True, TypeError),
        (False, TypeError),
    ):
        with pytest.raises(error, match="threads: "):
            call(threads=wrong)


def test_a_truth_value_is_no_number_of_threads():
    for wrong in (True, False):
        for call in (
            ts.set_num_threads,
            ts.threads,
            lambda n: ts.spread(ts.unary("relu", 8, 8), threads=n),
            lambda n: ts.gemm(8, 8, 8, threads=n),
            lambda n: ts.linear(8, 8, 8, threads=n),
        ):
            with pytest.raises(TypeError, match="a whole number of threads, not bool"):
                call(wrong)
