"""Products by compressed weights have the bits of the products by the expanded weights, and these those of a model."""

import pickle

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import both_sides, guarded, run_forked

TYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
HERE = (None, "avx2") if ts.host().arch == "x86" else (None,)
"""Targets whose code this processor executes."""
rng = np.random.default_rng(58)


def weights(k, n, format="i4", group=32, scales="f32", zeros=False, offsets=False, seed=0):
    """Return weights of random integers, and what they are of: integers, scales, zero points, offsets."""
    draw = np.random.default_rng(seed)
    low, high = {"i4": (-8, 7), "u4": (0, 15), "i8": (-128, 127), "u8": (0, 255)}[format]
    groups = -(-k // (group or k))
    integers = draw.integers(low, high + 1, (k, n))
    scale = (draw.standard_normal((groups, n)) / 8).astype(TYPES[scales])
    zero = draw.integers(low, low + 256, (groups, n)) if zeros else None
    offset = draw.standard_normal((groups, n)).astype(TYPES[scales]) if offsets else None
    made = ts.compressed(integers, format, group=group, scale=scale, zero=zero, offset=offset)
    return made, (integers, scale, zero, offset)


def model(of, format, group, dtype):
    """Return the weights from the definition: rounded once to f32, then to the type of the product."""
    integers, scale, zero, offset = of
    k = len(integers)
    spread = lambda each: np.repeat(each.astype(np.longdouble), group or k, 0)[:k]  # noqa: E731
    centre = {"i4": 0, "u4": 8, "i8": 0, "u8": 128}[format] if zero is None else spread(zero)
    exact = spread(scale) * (integers - centre)  # 64 bits hold it
    if offset is not None:
        exact = exact + spread(offset)
    return exact.astype(np.float32).astype(TYPES[dtype])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", ["i4", "u4", "i8", "u8"])
def test_expanded_weights_are_those_of_the_definition(format, dtype):
    cases = (32, False, False, "f32"), (None, True, True, "bf16"), (16, True, False, "f16")
    for group, zeros, offsets, scales in cases:
        made, of = weights(77, 70, format, group, scales, zeros, offsets)
        assert np.array_equal(made.dense(dtype), model(of, format, group, dtype))
        assert np.array_equal(made.integers, of[0])
        assert np.array_equal(made.scale, of[1])


@given(
    m=st.sampled_from([1, 2, 3, 4, 5, 16, 33, 70]),
    n=st.integers(1, 200),
    k=st.integers(1, 300),
    group=st.sampled_from([16, 32, 48, 64, 128, 256, None]),
    format=st.sampled_from(["i4", "u4", "i8", "u8"]),
    scales=st.sampled_from([*TYPES]),
    zeros=st.booleans(),
    offsets=st.booleans(),
    types=st.sampled_from([("f32", "f32"), ("bf16", "bf16"), ("bf16", "f32"), ("f16", "f16"), ("f16", "f32")]),
    how=st.sampled_from(["matmul", "gemm", "linear"]),
    threads=st.sampled_from([1, 2, 3, 7]),
    target=st.sampled_from(HERE),
)
@settings(max_examples=4)
def test_bits_are_those_of_the_dense_product(
    m, n, k, group, format, scales, zeros, offsets, types, how, threads, target
):
    made, _ = weights(k, n, format, group, scales, zeros, offsets, seed=m + n + k)
    dtype, out = types
    a = rng.standard_normal((m, k)).astype(TYPES[dtype])
    dense = made.dense(dtype)
    if how == "matmul":
        found, expected = (ts.matmul(a, b, dtype=out, threads=threads) for b in (made, dense))
    elif how == "gemm":
        product = ts.gemm(m, n, k, dtype=(dtype, dtype, out), beta=0, target=target)
        found, expected = (product(a, b, threads=threads) for b in (made, dense))
    else:
        layer = ts.linear(m, n, k, dtype=(dtype, dtype, out), activation=ts.relu)
        bias = rng.standard_normal(n).astype(TYPES[out])
        found, expected = (layer(a, b, bias, threads=threads) for b in (made, layer.pack(dense)))
    assert np.array_equal(found.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("target", ["avx2", "avx512", "avx512_bf16", "amx", "sse", "neon", "neon_bf16", "sve256"])
@pytest.mark.grid(2)
@pytest.mark.parametrize("types", [("f32", "f32"), ("bf16", "bf16"), ("f16", "f32")])
@pytest.mark.parametrize("format", ["u4", "i8"])
def test_targets_in_the_emulator(target, types, format):
    m, n, k = 2, 37, 35
    made, _ = weights(k, n, format, 16, "f16", True)
    product = ts.gemm(m, n, k, dtype=(types[0], *types), beta=0, target=target)
    a = rng.standard_normal((m, k)).astype(TYPES[types[0]])
    found, expected = (product.run(a, b, workers=2) for b in (made, made.dense(types[0])))
    assert np.array_equal(found.view(np.uint8), expected.view(np.uint8))


def test_narrow_layers_in_registers():
    """The epilogue reads the sums of strips of fewer than 64 columns where they are."""
    for (m, n, k), format in zip(((2, 2, 1), (2, 5, 8), (8, 30, 8), (3, 70, 8)), ("i4", "i8", "u4", "u8")):
        made, _ = weights(k, n, format, group=16)
        layer = ts.linear(m, n, k)
        assert layer.by_weights(made.form).strips is not None or ts.host().arch != "x86"
        a, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), (n,)))
        assert np.array_equal(layer(a, made, bias), layer(a, layer.pack(made.dense()), bias))


@both_sides
def test_later_calls_are_machine_code(side, monkeypatch):
    """They check the arguments as the first one does, which Python checked."""
    m, n, k = 2, 70, 64
    made, _ = weights(k, n, "i8")
    layer = ts.linear(m, n, k, activation=lambda x, r: ts.relu(x + r), operands={"r": None})
    x, bias, r = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), (n,), (m, n)))
    wanted = layer(x, layer.pack(made.dense()), bias, r)
    layer(x, made, bias, r)
    monkeypatch.setattr(type(layer), "_placed", None)  # what Python would check with
    found = guarded(np.full((m, n), np.nan, np.float32), side)
    given = [guarded(each, side, writable=False) for each in (x, bias, r)]
    layer(given[0], made, *given[1:], found)
    assert np.array_equal(found, wanted) and np.array_equal(layer(given[0], made, *given[1:]), wanted)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="x: "):
        layer(x[:1], made, bias, r, found)
    with pytest.raises(TypeError, match="bias"):
        layer(x, made, bias.astype(np.float64), r, found)
    with pytest.raises(ValueError, match="overlap"):
        layer(x, made, bias, found, found)
    with pytest.raises(ValueError, match=r"b: compressed weights \(64, 70\), not \(70, 64\)"):
        layer(x, weights(n, k)[0], bias, r)


def test_the_unit_is_that_of_the_dense_product():
    """Tiles add in another order than vectors, and serve packed operands that vectors serve as they are."""
    for n in (1, 2, 3):
        made, _ = weights(300, n)
        a = rng.standard_normal((2, 300)).astype(ml_dtypes.bfloat16)
        dense = made.dense("bf16")
        assert np.array_equal(ts.matmul(a, made, dtype="f32"), ts.matmul(a, dense, dtype="f32"))


@pytest.mark.parametrize("k", [1, 8, 20, 77, 4100])
def test_sums_of_negative_zeros(k):
    """A sum starts with its first product or with +0, as that of the dense product."""
    made = ts.compressed(np.zeros((k, 70), np.int8), scale=1.0)
    for m in (1, 3, 16):
        x = np.full((m, k), -1, np.float32)
        for product in (ts.matmul, ts.gemm(m, 70, k, beta=0), ts.gemm(m, 70, k, beta=0, target=HERE[-1])):
            found, expected = (product(x, b) for b in (made, made.dense()))
            assert np.array_equal(found.view(np.int32), expected.view(np.int32))


def test_sums_of_many_terms():
    for m, n, k in ((1, 70, 5000), (40, 64, 9000)):
        made, _ = weights(k, n, group=128)
        a = rng.standard_normal((m, k)).astype(np.float32)
        assert np.array_equal(ts.matmul(a, made), ts.matmul(a, made.dense()))


@pytest.mark.parametrize("format, zeros", [("i4", False), ("i8", True)])
def test_fast_sums_are_those_of_the_model(format, zeros):
    m, n, k, unit = 3, 70, 201, 32
    made, (integers, scale, zero, _) = weights(k, n, format, unit, "f32", zeros)
    fast = made.with_numerics("fast")
    x = rng.standard_normal((m, k)).astype(np.float32)
    whole = (integers - (0 if zero is None else np.repeat(zero, unit, 0)[:k])).astype(np.longdouble)
    y = np.zeros((m, n), np.float32)
    for first in range(0, k, unit):
        total = np.zeros((m, n), np.float32)
        for r in range(first, min(first + unit, k)):
            total = (total + x[:, r, None].astype(np.longdouble) * whole[r]).astype(np.float32)
        y = (y + total.astype(np.longdouble) * scale[first // unit]).astype(np.float32)
    found = ts.matmul(x, fast, threads=2)
    assert np.array_equal(found, y)
    size = abs(x).astype(np.float64) @ abs(np.repeat(scale.astype(np.float64), unit, 0)[:k] * whole.astype(np.float64))
    exact = x.astype(np.float64) @ made.dense().astype(np.float64)
    assert (abs(found - exact) <= (unit + -(-k // unit) + 3) * 2.0**-24 * size).all()
    assert not np.array_equal(found, ts.matmul(x, made))
    dense = made.dense("bf16")  # what no kernel sums so is exact
    assert np.array_equal(ts.matmul(x.astype(dense.dtype), fast), ts.matmul(x.astype(dense.dtype), dense))


def test_products_by_weights_are_pickled_and_not_proved():
    made, _ = weights(64, 70)
    product = ts.gemm(2, 70, 64, beta=0).by_weights(made.form)
    x = rng.standard_normal((2, 64)).astype(np.float32)
    again = pickle.loads(pickle.dumps(product))
    assert np.array_equal(again(x, made), product(x, made))
    with pytest.raises(ts.UnsupportedError, match="specification"):
        product.verify()


def test_an_epilogue_and_a_batch():
    made, _ = weights(96, 80)
    a = rng.standard_normal((2, 3, 96)).astype(np.float32)
    operands = {
        "bias": rng.standard_normal(80).astype(np.float32),
        "y": rng.standard_normal((2, 3, 80)).astype(np.float32),
        "s": rng.standard_normal((2, 3, 1)).astype(np.float32),
    }
    found, expected = (
        ts.matmul(a, b, epilogue=lambda c, bias, y, s: ts.relu(c + bias) * s + y, operands=operands)
        for b in (made, made.dense())
    )
    assert found.shape == (2, 3, 80)
    assert np.array_equal(found, expected)
    assert np.array_equal(ts.matmul(a[0, 0], made), ts.matmul(a[0, 0], made.dense()))
    out = np.empty((3, 2, 80), np.float32).swapaxes(0, 1)
    assert ts.matmul(a, made, out) is out
    assert np.array_equal(out, ts.matmul(a, made.dense()))


def test_weights_are_immutable_and_pickled():
    made, _ = weights(96, 80, zeros=True)
    again = pickle.loads(pickle.dumps(made))
    assert again.form == made.form
    assert np.array_equal(again.dense(), made.dense())
    assert again.data.ctypes.data % 64 == 0
    for name in ("form", "data"):
        with pytest.raises(AttributeError, match="not changed"):
            setattr(made, name, None)
    with pytest.raises(ValueError, match="read-only"):
        made.data[0] = 1
    assert made.nbytes == made.data.nbytes < 96 * 128


def at_the_end_of_memory(side):
    made, _ = weights(80, 70, "u4", 16, "f16", True)
    held = type(made)(made.form, guarded(made.data, side, writable=False))
    a = guarded(rng.standard_normal((2, 80)).astype(np.float32), side, writable=False)
    for dtype in ("f32", "bf16"):
        x = guarded(a.astype(TYPES[dtype]), side, writable=False)
        for target in HERE:
            product = ts.gemm(2, 70, 80, dtype=dtype, beta=0, target=target)
            assert np.array_equal(product(x, held), product(x, made.dense(dtype)))
            fast = held.with_numerics("fast")
            assert np.allclose(product(x, fast).astype(np.float32), product(x, made).astype(np.float32), atol=0.1)


@both_sides
def test_nothing_beside_the_weights_is_touched(side):
    assert run_forked(lambda: at_the_end_of_memory(side)) == 0


def test_quantised_floats_are_the_nearest():
    w = rng.standard_normal((100, 30)).astype(np.float32)
    for format, steps in (("i4", 14), ("u4", 15), ("i8", 254), ("u8", 255)):
        made = ts.compressed(w, format, group=32)
        scale = np.repeat(made.scale, 32, 0)[:100]
        assert (abs(made.dense() - w) <= scale * 0.5001).all()
        groups = np.concatenate((w, np.zeros((28, 30), np.float32))).reshape(4, 32, 30)
        spread = 2 * abs(groups).max(1) if format[0] == "i" else np.maximum(groups.max(1), 0) - groups.min(1)
        assert np.allclose(made.scale, spread / steps, rtol=1e-6)
    given = ts.compressed(w, "u4", scale=0.25, zero=4)
    assert np.array_equal(given.integers, np.clip(np.rint(w / 0.25) + 4, 0, 15))
    assert ts.compressed(w.astype(np.float16)).form.scale == "f16"
    int4 = rng.integers(-8, 8, (32, 8)).astype(ml_dtypes.int4)
    assert np.array_equal(ts.compressed(int4, scale=1.0).dense(), int4.astype(np.float32))


def test_what_is_refused_says_why():
    w = np.ones((64, 8), np.float32)
    made, net = ts.compressed(w), ts.mlp(2, [64, 8, 8])
    for error, match, call in (
        (ValueError, "format", lambda: ts.compressed(w, "i3")),
        (ts.UnsupportedError, "multiple of 16", lambda: ts.compressed(w, group=24)),
        (TypeError, "scale", lambda: ts.compressed(w.astype(np.int8))),
        (ValueError, "from -8 to 7", lambda: ts.compressed(np.full((64, 8), 8), scale=1.0)),
        (ValueError, "broadcast", lambda: ts.compressed(w, scale=np.ones((3, 8), np.float32))),
        (ValueError, "offset=", lambda: ts.compressed(w, "u4", scale=1.0, zero=0.5)),
        (ValueError, "finite", lambda: ts.compressed(w * np.inf)),
        (ValueError, 'scales="f32"', lambda: ts.compressed(w, scale=1e30, scales="f16")),
        (ts.UnsupportedError, "dense", lambda: ts.matmul(np.ones((2, 64), np.int8), made)),
        (ValueError, "rows", lambda: ts.matmul(np.ones((2, 32), np.float32), made)),
        (ValueError, "64, 8", lambda: ts.gemm(2, 9, 64, beta=0)(np.ones((2, 64), np.float32), made)),
        (ValueError, "elements", lambda: ts.compressed(np.ones((0, 8), np.float32))),
        (ts.UnsupportedError, r"y = layer\(x, weights, bias\) for each of net.layers", lambda: net.pack([made, made])),
        (ts.UnsupportedError, r"net.layers", lambda: net(w[:2, :8], [made, made], [w[0]] * 2)),
    ):
        with pytest.raises(error, match=match):
            call()
