"""What a compiled program promises beside its numbers: memory, threads, units, errors, layouts."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tests.runtime.graph.programs import programs
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.graph.compiled import compile

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@given(programs(), st.sampled_from(SIDES))
@settings(max_examples=scaled(8, 20_000), deadline=None)
def test_programs_touch_only_their_arrays_on_any_number_of_threads(drawn, side):
    graph, inputs, results = drawn
    compiled = compile(graph)
    expected = compiled(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    given_ = [guarded(each, side, False) for each in inputs]
    for threads in (1, 2, 3):
        made = []
        for place in compiled.result_layouts:
            flat = guarded(
                np.zeros((1, max(place.storage.bytes // place.kind.dtype.itemsize, 1)), place.kind.dtype), side
            )
            made.append(flat)
        compiled.run([address_of(each) for each in given_], [address_of(each) for each in made], threads)
        for each, place, wanted in zip(made, compiled.result_layouts, expected):
            check_canary(each)
            found = np.lib.stride_tricks.as_strided(each, place.kind.shape, place.steps)
            assert np.array_equal(found, wanted, equal_nan=True)


@given(programs(most=20))
@settings(max_examples=scaled(6, 10_000), deadline=None)
def test_intermediate_results_are_read_before_they_are_overwritten(drawn):
    graph, _, _ = drawn
    assert compile(graph).executor.verify_schedule().holds


def block(batch, rows, width, heads):
    """A block of a transformer, and what it computes in f64."""
    from math import erf

    g = ts.graph()
    x = g.input((batch, rows, width))
    weights = {
        name: normal(*shape) * shape[0] ** -0.5
        for name, shape in {
            "qkv": (width, 3 * width),
            "out": (width, width),
            "up": (width, 4 * width),
            "down": (4 * width, width),
        }.items()
    }
    w, b = normal(width), normal(width)
    c = {name: g.constant(each) for name, each in weights.items()}
    norm = lambda x: g.layer_norm(x, g.constant(w), g.constant(b))[0]  # noqa: E731
    size = width // heads
    qkv = g.permute(g.reshape(g.linear(norm(x), c["qkv"]), shape=(batch, rows, 3, heads, size)), axes=(2, 0, 3, 1, 4))
    q, k, v = (g.reshape(each, shape=(batch, heads, rows, size)) for each in g.split(qkv, sizes=(1, 1, 1)))
    out, _ = g.attention(q, k, v)
    y = x + g.linear(g.reshape(g.permute(out, axes=(0, 2, 1, 3)), shape=x.shape), c["out"])
    f = g.compile(y + g.linear(g.gelu(g.linear(norm(y), c["up"])), c["down"]))

    def exact(x):
        def normed(x):
            centre = x - x.mean(axis=-1, keepdims=True)
            return centre / np.sqrt((centre**2).mean(axis=-1, keepdims=True) + 1e-5) * w + b

        x = x.astype(np.float64)
        q, k, v = (normed(x) @ weights["qkv"]).reshape(batch, rows, 3, heads, size).transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(-1, -2) * size**-0.5
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (powers / powers.sum(axis=-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(x.shape)
        y = x + mixed @ weights["out"]
        h = normed(y) @ weights["up"]
        return y + (0.5 * h * (1 + np.vectorize(erf)(h / np.sqrt(2)))) @ weights["down"]

    return f, exact


@pytest.mark.parametrize("extents", [(2, 16, 64, 4), (3, 7, 48, 3), (1, 5, 8, 1)])
def test_a_transformer_block_is_few_kernels(extents):
    f, exact = block(*extents)
    x = normal(*extents[:3])
    np.testing.assert_allclose(f(x), exact(x), rtol=1e-4, atol=1e-4)
    kinds = [each.kind for each in f.explain()]
    assert kinds == ["region", "product", "whole", "product", "region", "product", "product"]
    assert not f.explain().foreign
    assert np.array_equal(pickle.loads(pickle.dumps(f))(x), f(x))


def test_convolutions_take_batch_norms_and_residuals():
    g = ts.graph()
    x = g.input((2, 8, 9, 10))
    scale, shift, mean, variance = normal(8), normal(8), normal(8), np.abs(normal(8)) + 0.5
    w, w2 = normal(8, 8, 3, 3), normal(8, 8, 1, 1)
    h = g.conv(x, g.constant(w), g.constant(normal(8) * 0), padding=1)
    h = g.relu(g.batch_norm(h, *map(g.constant, (scale, shift, mean, variance))))
    f = g.compile(g.relu(g.conv(h, g.constant(w2)) + x))
    assert [each.kind for each in f.explain()] == ["product", "product"]
    array = normal(2, 8, 9, 10)
    padded = np.pad(array.astype(np.float64), [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    sums = np.einsum("nchwij,kcij->nkhw", windows, w)
    turn = (slice(None), None, None)
    factor = scale / np.sqrt(variance + 1e-5)
    normed = np.maximum(sums * factor[turn] + (shift - mean * factor)[turn], 0)
    exact = np.maximum(np.einsum("nchw,kc->nkhw", normed, w2[:, :, 0, 0]) + array, 0)
    np.testing.assert_allclose(f(array), exact, rtol=1e-4, atol=1e-4)


def test_parts_of_a_concatenation_are_computed_in_place():
    g = ts.graph()
    x = g.input((6, 10))
    f = g.compile(g.concatenate(g.relu(x), g.tanh(x), axis=0) * 1.0)
    assert all("copy" not in each.kernels for each in f.explain())
    array = normal(6, 10)
    np.testing.assert_allclose(f(array), np.concatenate([np.maximum(array, 0), np.tanh(array)]), rtol=1e-6)


def test_inputs_and_results_lie_as_asked():
    g = ts.graph()
    x = g.input((3, 4, 5), strides=(1, 3, 12))
    y = g.relu(x)
    f = compile(g.finish(y, y, strides=[(20, 5, 1), (1, 3, 12)]))
    array = normal(5, 4, 3).transpose(2, 1, 0)
    for made, strides in zip(f(array), ((80, 20, 4), (4, 12, 48))):
        assert np.array_equal(made, np.maximum(array, 0)) and made.strides == strides
    assert np.array_equal(f(np.ascontiguousarray(array))[0], np.maximum(array, 0))


def test_results_may_be_inputs_constants_views_and_each_other():
    g = ts.graph()
    x = g.input((3, 4))
    y = g.tanh(x)
    made = g.compile(x, g.constant(np.arange(3.0)), g.permute(y), y, y, g.slice(y, starts=(1,), stops=(2,)))
    array = normal(3, 4)
    given_, constant, turned, one, other, part = made(array)
    assert np.array_equal(given_, array) and np.array_equal(constant, np.arange(3.0))
    assert np.array_equal(turned.T, one) and np.array_equal(one, other) and np.array_equal(part, one[1:2])
    memory = [given_, constant, turned, one, other, part]
    assert not any(np.shares_memory(a, b) for n, a in enumerate(memory) for b in memory[:n])
    assert not np.shares_memory(given_, array)


def test_functions_of_the_caller_are_named_with_their_reason():
    g = ts.graph()
    x = g.input((3, 4))
    sorted_ = g.foreign(
        lambda x: np.sort(x, axis=1), [g.relu(x)], [((3, 4), np.float32)], name="sort", reason="no kernel sorts"
    )
    f = g.compile(sorted_ * 2)
    array = normal(3, 4)
    assert np.array_equal(f(array), np.sort(np.maximum(array, 0), axis=1) * 2)
    assert f.explain().foreign == {"sort": "no kernel sorts"} and "no kernel sorts" in str(f)

    def fails(x):
        raise KeyError("mine")

    broken = g.compile(g.foreign(fails, [x], [((3, 4), np.float32)], name="fails", reason="it does"))
    with pytest.raises(KeyError, match="mine"):
        broken(array)


def test_calls_are_checked():
    g = ts.graph()
    x = g.input((3, 4), name="images")
    f = g.compile(g.relu(x))
    for wrong, error, text in (
        ((), TypeError, "images"),
        ((normal(3, 5),), ValueError, r"images: shape \(3, 4\)"),
        ((np.zeros((3, 4)),), TypeError, "float32"),
    ):
        with pytest.raises(error, match=text):
            f(*wrong)
    out = np.zeros((4, 3), np.float32).T
    assert f(normal(3, 4), out=out) is out and out.any()
    with pytest.raises(AttributeError, match="relu"):
        g.rellu(x)
    with pytest.raises(UnsupportedError, match="no operator"):
        g.apply("fft", g.input((3,)))


def test_any_number_of_rows():
    g = ts.graph()
    w, b = normal(8, 6), normal(6)
    x, other = g.input((ts.RUNTIME, 4, 2)), g.input((ts.RUNTIME, 6))
    h = g.linear(g.reshape(x, shape=(-1, 8)), g.constant(w), g.constant(b))
    f = g.compile(g.softmax(h + other), g.sum(h, axes=0))
    for rows in (3, 1, 65, 3):
        array, more = normal(rows, 4, 2), normal(rows, 6)
        sums = array.reshape(rows, 8).astype(np.float64) @ w + b
        powers = np.exp(sums + more)
        softmax, total = f(array, more)
        np.testing.assert_allclose(softmax, powers / powers.sum(axis=1, keepdims=True), rtol=1e-4)
        np.testing.assert_allclose(total, sums.sum(axis=0), rtol=1e-4, atol=1e-4)
    assert list(f.programs) == [3, 1, 65] and "65" in repr(f)
    assert pickle.loads(pickle.dumps(f))(array, more)[0].shape == (3, 6)
    with pytest.raises(ValueError, match="one number of rows"):
        f(normal(3, 4, 2), normal(4, 6))
    fixed = ts.graph()
    with pytest.raises(ValueError, match="reshape"):
        fixed.reshape(fixed.input((ts.RUNTIME, 4)), shape=(101, 2, 2))


def test_programs_of_numbers_alone():
    g = ts.graph()
    two = g.constant(np.float32(2))
    f = g.compile(g.broadcast_to(two * 3.0, shape=(2, 3)), g.sqrt(two + two), g.input((1,)))
    full, root, _ = f(normal(1))
    assert np.array_equal(full, np.full((2, 3), 6)) and root == 2 and root.shape == ()
    build = ts.graph()
    x = build.input((4, 3))
    y = build.where(build.greater(x, 0.0), build.exp(build.constant(np.float32(0))), x)
    array = normal(4, 3)
    assert np.array_equal(build.compile(y)(array), np.where(array > 0, 1, array))


def test_broadcasts_over_many_outer_axes_are_few_calls():
    g = ts.graph()
    x, y = g.input((100, 6, 7, 5)), g.input((6, 1, 5))
    f = g.compile(x * y, g.sum(x * y, axes=(0, 1)))
    assert len(f.steps) < 10
    array, more = normal(100, 6, 7, 5), normal(6, 1, 5)
    product, total = f(array, more)
    np.testing.assert_allclose(product, array * more, rtol=1e-6)
    np.testing.assert_allclose(total, (array * more).sum(axis=(0, 1)), rtol=1e-4, atol=1e-4)


def units(program):
    """The nodes of each unit."""
    return [each.nodes for each in program.explain()]


def test_products_take_what_joins_again():
    """x * sigmoid(x) and its like read the sums twice; what a second product needs is not taken."""
    x, w, b, rest = normal(2, 6, 20), normal(20, 24), normal(24), normal(2, 6, 24)
    g = ts.graph()
    s = g.matmul(g.input(x.shape), g.constant(w)) + g.constant(b)
    masked = g.where(g.less(s, 0.0), s * 0.1, s)
    f = g.compile(masked * g.sigmoid(masked) + g.input(rest.shape))
    assert units(f) == [("matmul", "add", "less", "multiply", "where", "sigmoid", "multiply", "add")]
    sums = x.astype(np.float64) @ w + b
    leaky = np.where(sums < 0, sums * 0.1, sums)
    assert np.allclose(f(x, rest), leaky / (1 + np.exp(-leaky)) + rest, rtol=1e-5, atol=1e-5)

    g = ts.graph()
    s = g.matmul(g.input(x.shape), g.constant(w))
    more = g.matmul(g.exp(s * 0.1), g.constant(w.T.copy()))
    f = g.compile(g.sigmoid(s) * g.sum(more, axes=-1, keepdims=True))
    assert units(f)[0] == ("matmul",)
    sums = x.astype(np.float64) @ w
    gates = 1 / (1 + np.exp(-sums))
    wanted = (np.exp(sums * 0.1) @ w.T).sum(-1, keepdims=True) * gates
    terms = (np.exp(sums * 0.1) @ np.abs(w.T)).sum(-1, keepdims=True) * gates
    assert (np.abs(f(x) - wanted) <= 1e-5 * terms).all()

    g = ts.graph()
    s = g.matmul(g.input(x.shape), g.constant(w))
    gate = g.sigmoid(s)
    f = g.compile(s * gate, gate)
    product, found = f(x)
    assert np.allclose(found, gates, atol=1e-5) and np.allclose(product, sums * gates, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mask", [None, (2, 1, 1, 7), (1, 3, 5, 7), (5, 7)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_around_a_softmax_are_attention(mask, dtype):
    shapes = (2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8), *([mask] if mask else [])
    q, k, v, *added = (normal(*each).astype(dtype) for each in shapes)
    if mask:
        added[0][..., 2] = -np.inf
    g = ts.graph()
    given_ = [g.input(each.shape, dtype) for each in (q, k, v, *added)]
    scores = g.matmul(given_[0] * 2.0, g.permute(given_[1], axes=(0, 1, 3, 2))) / 3.0
    scores = given_[3] + scores if mask else scores
    f = g.compile(g.relu(g.matmul(g.softmax(scores), given_[2])))
    assert ("attention",) in units(f)
    wide = 2 / 3 * q.astype(np.float64) @ np.swapaxes(k, -1, -2) + (added[0] if mask else 0)
    powers = np.exp(wide - wide.max(-1, keepdims=True))
    wanted = np.maximum(powers / powers.sum(-1, keepdims=True) @ v, 0)
    assert np.allclose(f(q, k, v, *added), wanted, rtol=1e-5 if dtype == np.float32 else 1e-12, atol=1e-6)


def test_products_around_a_softmax_stay_where_attention_has_no_kernel():
    """Shares that are a result, products whose heads differ or are long, and elements that are rounded in between."""
    for size, dtype, shared in ((8, np.float32, True), (300, np.float32, False), (8, np.float16, False)):
        q, k, v = (normal(3, 5, size).astype(dtype) for _ in range(3))
        g = ts.graph()
        a, b, c = (g.input(each.shape, dtype) for each in (q, k, v))
        shares = g.softmax(g.matmul(a, g.permute(b, axes=(0, 2, 1))))
        f = g.compile(*(g.matmul(shares, c), *([shares] if shared else [])))
        assert ("attention",) not in units(f)
        made = f(q, k, v)[0] if shared else f(q, k, v)
        scores = q.astype(np.float64) @ np.swapaxes(k, -1, -2)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        wanted = powers / powers.sum(-1, keepdims=True) @ v
        assert np.allclose(
            made, wanted, rtol=2e-2 if dtype == np.float16 else 1e-4, atol=1e-2 if dtype == np.float16 else 1e-5
        )


def test_matrices_times_the_same_one_are_one_product():
    x, w = normal(3, 4, 20), normal(20, 24)
    g = ts.graph()
    f = g.compile(g.matmul(g.input(x.shape), g.constant(w)))
    assert len(f.steps) == 1 and np.allclose(f(x), x.astype(np.float64) @ w, rtol=1e-5, atol=1e-5)
    assert np.array_equal(f(x), f(x, threads=2))
