"""Every primitive computes what its name says, compared with independent formulas in float64 on values of both signs.

The coverage table compares kernels with the numpy evaluation of their own expression, so it would accept a primitive
whose expression computes another function. Here each name has a formula that shares no code with the package; gradients
are compared with difference quotients.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.api.eltwise import request
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.coverage.table import SAMPLE
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]
SHAPE = M, N = 7, 300
CLOSE = {"rtol": 2e-5, "atol": 2e-6}  # larger than any error that the functions state in f32
FAST = {
    "rtol": 1e-3,
    "atol": 1e-3,
}  # only the meaning is tested here; microkernels/functions/test_activations.py tests the stated errors
STEP = 1e-4  # step of the differences


def _gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


UNARY: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "decrement": lambda x: x - 1,
    "increment": lambda x: x + 1,
    "negate": lambda x: -x,
    "identity": lambda x: x,
    "zero": np.zeros_like,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "rsqrt": lambda x: np.abs(x) ** -0.5,
    "log": lambda x: np.log(np.abs(x)),
    "exp": np.exp,
    "exp2": np.exp2,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "gelu": lambda x: 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2))),
    "gelu_tanh": _gelu_tanh,
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "relu": lambda x: np.where(x > 0, x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "relu_mask": lambda x: np.where(x > 0, x, 0),
}
POSITIVE = ("sqrt", "rsqrt", "log")
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
TERNARY: dict[str, Callable[[Array, Array, Array], Array]] = {
    "muladd": lambda a, b, c: a * b + c,
    "nmuladd": lambda a, b, c: c - a * b,
}
OWN = {
    "dropout",
    "dropout_mask",
    "dropout_inv",
    "random",
    "uniform",
    "round_stochastic",
    "quantize",
    "dequantize",
    "unpack",
    "pack",
    "split2",
    "split3",
    "replicate_columns",
    "relu_mask_inv",
    "blend",
}
"""These have tests of their own below."""


def made(kind: str, name: str, *arrays: Any, **options: Any) -> list[Array]:
    """Return the outputs of a kernel for this processor."""
    spec = request(kind, name, M, N, **options)
    found = [np.zeros(y.shape, numpy_dtype(y.dtype)) for y in spec.outputs]
    Kernel(spec, ts.host())(*arrays, *found)
    return found


def values(seed: int = 0) -> Array:
    """Return numbers of both signs, at a distance from 0, where slopes jump."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.01, 4, SHAPE) * rng.choice([1, -1], SHAPE)
    return x.astype(np.float32)


def bits_of(mask: Array) -> Array:
    return np.packbits(mask, axis=1, bitorder="little")


def test_every_name_is_here():
    for kind, known in (("unary", UNARY), ("binary", BINARY), ("ternary", TERNARY)):
        gradients = {f"{name}_inv" for name in UNARY if kind == "binary"}
        assert set(ts.primitives()[kind]) <= set(known) | gradients | OWN


@pytest.mark.parametrize("accuracy", ["fast", "accurate"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, accuracy):
    x = np.abs(values()) if name in POSITIVE else values()
    found = made("unary", name, x, accuracy=accuracy, **({"out": ("f32", "bits")} if name == "relu_mask" else {}))
    error = FAST if accuracy == "fast" else CLOSE
    np.testing.assert_allclose(found[0], UNARY[name](x.astype(np.float64)), **error)
    assert (found[0] == x).all() == (name == "identity")
    if name == "relu_mask":
        assert (found[1] == bits_of(x > 0)).all()


def test_no_two_are_the_same():
    x = np.abs(values())
    seen = {name: made("unary", name, x)[0].tobytes() for name in UNARY if name != "relu_mask"}
    alike = {"abs", "identity", "relu", "leaky_relu", "elu"}  # these agree on positive numbers
    assert len(set(seen.values())) == len(seen) - len(alike) + 1


@pytest.mark.parametrize(
    "name",
    [name for name in ts.primitives()["binary"] if name[:-4] in UNARY and name.endswith("_inv") and name not in OWN],
)
def test_gradients(name):
    """A gradient is g times the slope, which central differences of the formula give."""
    g, x = values(1), np.abs(values()) if name[:-4] in POSITIVE else values()
    function, wide = UNARY[name[:-4]], x.astype(np.float64)
    slope = (function(wide + STEP) - function(wide - STEP)) / (2 * STEP)
    np.testing.assert_allclose(made("binary", name, g, x)[0], g * slope, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    a, b = values(1), values(2)
    b = np.where(values(3) > 2, a, b).astype(np.float32)  # some elements are equal
    (found,) = made("binary", name, a, b)
    wanted = BINARY[name](a.astype(np.float64), b.astype(np.float64))
    if wanted.dtype == bool:
        assert (found == bits_of(wanted)).all()
    else:
        np.testing.assert_allclose(found, wanted, **CLOSE)


@pytest.mark.parametrize("name", TERNARY)
def test_ternary(name):
    arrays = [values(i) for i in range(3)]
    np.testing.assert_allclose(made("ternary", name, *arrays)[0], TERNARY[name](*map(np.float64, arrays)), **CLOSE)


def test_masks():
    a, b, mask = values(1), values(2), values(3) > 0.5
    assert (made("ternary", "blend", a, b, bits_of(mask))[0] == np.where(mask, b, a)).all()
    assert (made("binary", "relu_mask_inv", a, bits_of(mask))[0] == np.where(mask, a, 0)).all()


def test_dropout():
    rate = SAMPLE["rate"]
    x = values()
    y, bits = made("unary", "dropout_mask", x, 5, rate=rate, out=("f32", "bits"))
    kept = np.unpackbits(bits, axis=1, bitorder="little")[:, :N].astype(bool)
    assert abs(kept.mean() - (1 - rate)) < 0.05
    np.testing.assert_allclose(y, np.where(kept, x / (1 - rate), 0), **CLOSE)
    assert (made("unary", "dropout", x, 5, rate=rate)[0] == y).all()
    np.testing.assert_allclose(made("binary", "dropout_inv", x, bits, rate=rate)[0], y, **CLOSE)


def test_random_numbers():
    words = made("unary", "random", 5)[0]
    assert len(np.unique(words)) > 0.99 * words.size
    numbers = made("unary", "uniform", 5)[0]
    assert numbers.min() >= 0 and numbers.max() < 1 and abs(numbers.mean() - 0.5) < 0.03


def test_stochastic_rounding():
    x = values()
    y = made("unary", "round_stochastic", x, 5, out="bf16")[0].astype(np.float64)
    ulp = 2.0 ** (np.floor(np.log2(np.abs(x))) - 7)
    assert (np.abs(y - x) < ulp).all() and (y % ulp == 0).all() and abs(((y - x) / ulp).mean()) < 0.05


def test_quantization():
    scale, zero = SAMPLE["scale"], SAMPLE["zero"]
    x = values()
    wanted = np.clip(np.rint(x.astype(np.float64) / scale) + zero, -128, 127)
    (q,) = made("unary", "quantize", x, out="i8", scale=scale, zero=zero)
    assert (np.abs(q - wanted) <= 1).all() and (q == wanted).mean() > 0.99  # the scale is rounded: ties differ
    (back,) = made("unary", "dequantize", q, dtype="i8", scale=scale, zero=zero)
    np.testing.assert_allclose(back, (q.astype(np.float64) - zero) * scale, **CLOSE)
    scales, zeros = np.full((M, 1), scale, np.float32), np.full((M, 1), zero, np.int32)
    assert (made("ternary", "quantize", x, scales, zeros, bcast="col", out="i8")[0] == q).all()
    np.testing.assert_allclose(made("ternary", "dequantize", q, scales, zeros, bcast="col", dtype="i8")[0], back)
    plain = made("binary", "quantize", x, scales, bcast="col", out="i8")[0]
    assert (plain == np.clip(np.rint(x / np.float32(scale)), -128, 127)).all()
    found = made("binary", "dequantize", plain, scales, bcast="col", dtype="i8")[0]
    np.testing.assert_allclose(found, plain * np.float64(np.float32(scale)), **CLOSE)


def test_parts():
    x = values()
    high, low = made("unary", "unpack", x)
    words = x.view(np.uint32)
    assert (high.view(np.uint16) == words >> 16).all() and (low == words & 0xFFFF).all()
    assert (made("binary", "pack", high, low)[0] == x).all()
    two, three = made("unary", "split2", x), made("unary", "split3", x)
    assert (np.abs(x - sum(part.astype(np.float64) for part in two)) <= 2.0**-16 * np.abs(x)).all()
    assert (x == sum(part.astype(np.float64) for part in three)).all()
    column = x[:, :1].copy()
    assert (made("unary", "replicate_columns", column)[0] == column).all()
