"""Products, convolutions, attention, pooling, bags and norms against torch, forwards and backwards."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.graph.builder import GraphBuilder
from tilesmith.runtime.graph.compiled import compile, evaluate

torch = pytest.importorskip("torch")
F = torch.nn.functional
RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


X, W, B = normal(2, 8, 9, 10), normal(12, 8, 3, 3), normal(12)
Q, K, V = normal(2, 4, 6, 8), normal(2, 2, 5, 8), normal(2, 2, 5, 8)
TABLE, INDEX, OFFSETS = normal(5, 6), np.array([1, 2, 3, 3]), np.array([0, 3])


def same(found, wanted, **more):
    wanted = wanted.detach().numpy()
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, **{"rtol": 1e-4, "atol": 1e-4, **more})


def t(*arrays):
    made = [torch.tensor(each, requires_grad=each.dtype.kind == "f") for each in arrays]
    return made[0] if len(made) == 1 else made


FORWARDS = {
    "conv": (lambda: evaluate("conv", X, W, B, padding=1), lambda: F.conv2d(t(X), t(W), t(B), padding=1)),
    "conv strided": (
        lambda: evaluate("conv", X, W, B, padding=((1, 0), (0, 1)), strides=2, dilations=2),
        lambda: F.conv2d(F.pad(t(X), (0, 1, 1, 0)), t(W), t(B), stride=2, dilation=2),
    ),
    "conv depthwise": (
        lambda: evaluate("conv", X, W[:8, :1].copy(), None, groups=8),
        lambda: F.conv2d(t(X), t(W[:8, :1].copy()), groups=8),
    ),
    "conv of sequences": (
        lambda: evaluate("conv", X[0], W[:, :9, 0].repeat(9, 1)[:, :9].copy(), None),
        lambda: F.conv1d(t(X[0]), t(W[:, :9, 0].repeat(9, 1)[:, :9].copy())),
    ),
    "conv_transpose": (
        lambda: evaluate("conv_transpose", X, W[:8], None, strides=2, output_padding=1),
        lambda: F.conv_transpose2d(t(X), t(W[:8]), stride=2, output_padding=1),
    ),
    "avg_pool": (
        lambda: evaluate("avg_pool", X, window=3, strides=2, padding=1, count_include_pad=False),
        lambda: F.avg_pool2d(t(X), 3, 2, 1, count_include_pad=False),
    ),
    "adaptive_avg_pool": (
        lambda: evaluate("adaptive_avg_pool", X, shape=(2, 3)),
        lambda: F.adaptive_avg_pool2d(t(X), (2, 3)),
    ),
    "resize nearest": (
        lambda: evaluate("resize", X, size=(5, 21), mode="nearest"),
        lambda: F.interpolate(t(X), (5, 21)),
    ),
    "resize linear": (
        lambda: evaluate("resize", X, size=(5, 21), align_corners=True),
        lambda: F.interpolate(t(X), (5, 21), mode="bilinear", align_corners=True),
    ),
    "group_norm": (
        lambda: evaluate("group_norm", X, B[:8], B[4:], groups=2),
        lambda: F.group_norm(t(X), 2, t(B[:8]), t(B[4:])),
    ),
    "embedding_bag": (
        lambda: evaluate("embedding_bag", TABLE, INDEX, OFFSETS, mode="mean"),
        lambda: F.embedding_bag(t(INDEX), t(TABLE), t(OFFSETS), mode="mean"),
    ),
    "attention": (
        lambda: evaluate("attention", Q, K, V, scale=0.3)[0],
        lambda: F.scaled_dot_product_attention(t(Q), t(K), t(V), scale=0.3, enable_gqa=True),
    ),
}


@pytest.mark.parametrize("name", FORWARDS)
def test_forwards(name):
    found, wanted = FORWARDS[name]
    same(found(), wanted())


@pytest.mark.parametrize("shape", [(5,), (6, 5), (2, 1, 1, 5), (1, 4, 6, 5), (2, 4, 6, 5), (6, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.bool_])
def test_masks_of_attention(shape, dtype):
    mask = normal(*shape) if dtype == np.float32 else RNG.random(shape) > 0.3
    if dtype == np.bool_:
        mask[..., :1] = True
    full = torch.tensor(np.atleast_2d(mask))  # torch takes no mask of one axis
    wanted = F.scaled_dot_product_attention(t(Q), t(K), t(V), attn_mask=full, enable_gqa=True)
    same(evaluate("attention", Q, K, V, mask)[0], wanted)


def test_largest_elements():
    options = {"window": 3, "strides": 2, "padding": 1}
    y, places = evaluate("max_pool", X, **options)
    x = t(X)
    wanted, indices = F.max_pool2d(x, 3, 2, 1, return_indices=True)
    same(y, wanted, rtol=0)
    assert np.array_equal(places, indices)
    g = normal(*y.shape)
    wanted.backward(torch.tensor(g))
    same(evaluate("max_pool_backward", g, places, shape=X.shape, **options), x.grad)


BACKWARDS = {
    "conv": (
        lambda x, w, b: F.conv2d(x, w, b, padding=1),
        (X, W, B),
        lambda g: evaluate("conv_backward", g, X, W, padding=1),
    ),
    "avg_pool": (
        lambda x: F.avg_pool2d(x, 2),
        (X,),
        lambda g: (evaluate("avg_pool_backward", g, shape=X.shape, window=2),),
    ),
    "adaptive_avg_pool": (
        lambda x: F.adaptive_avg_pool2d(x, (2, 3)),
        (X,),
        lambda g: (evaluate("adaptive_avg_pool_backward", g, shape=X.shape),),
    ),
    "embedding": (
        lambda w: F.embedding(torch.tensor(INDEX), w),
        (TABLE,),
        lambda g: (evaluate("embedding_backward", g, INDEX, rows=5),),
    ),
    "softmax": (
        lambda x: F.softmax(x, 1),
        (X,),
        lambda g: (evaluate("softmax_backward", g, np.asarray(F.softmax(torch.tensor(X), 1)), axis=1),),
    ),
    "log_softmax": (
        lambda x: F.log_softmax(x, -1),
        (X,),
        lambda g: (evaluate("log_softmax_backward", g, np.asarray(F.log_softmax(torch.tensor(X), -1))),),
    ),
    "gelu": (F.gelu, (X,), lambda g: (evaluate("gelu_backward", g, X),)),
    "silu": (F.silu, (X,), lambda g: (evaluate("silu_backward", g, X),)),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.2), (X,), lambda g: (evaluate("leaky_relu_backward", g, X, slope=0.2),)),
}


@pytest.mark.parametrize("name", BACKWARDS)
def test_backwards(name):
    function, arrays, backward = BACKWARDS[name]
    inputs = [t(each) for each in arrays]
    y = function(*inputs)
    g = normal(*y.shape)
    y.backward(torch.tensor(g))
    for found, wanted in zip(backward(g), inputs, strict=True):
        same(found, wanted.grad, atol=2e-4)


def test_gradients_of_norms_are_one_kernel_each():
    x, w, b, g = t(normal(4, 5, 16), normal(16), normal(16)) + [normal(4, 5, 16)]
    F.layer_norm(x, (16,), w, b).backward(torch.tensor(g))
    build = GraphBuilder()
    values = [build.input(each.shape) for each in (x, w, b, g)]
    _, mean, inverse = build.results("layer_norm", *values[:3])
    f = compile(build.finish(*build.results("layer_norm_backward", values[3], values[0], mean, inverse, values[1])))
    for found, wanted in zip(f(*(each.detach().numpy() for each in (x, w, b)), g), (x, w, b), strict=True):
        same(found, wanted.grad)
    assert [each.kind for each in f.explain()] == ["region"] * len(f.explain()) and len(f.explain()) <= 3


@pytest.mark.parametrize("shape", [(1, 4, 6, 5), (2, 4, 1, 5)])
def test_gradients_of_attention_with_a_mask_of_each_head(shape):
    q, k, v = t(Q, K, V)
    mask, g = normal(*shape), normal(*Q.shape)
    F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor(mask), enable_gqa=True).backward(torch.tensor(g))
    out, sums = evaluate("attention", Q, K, V, mask)
    for found, wanted in zip(evaluate("attention_backward", g, Q, K, V, out, sums, mask), (q, k, v), strict=True):
        same(found, wanted.grad)


def test_gradients_of_attention_and_batch_norm():
    q, k, v = t(Q, K.repeat(2, 1), V.repeat(2, 1))
    g = normal(*Q.shape)
    F.scaled_dot_product_attention(q, k, v).backward(torch.tensor(g))
    arrays = [each.detach().numpy() for each in (q, k, v)]
    out, sums = evaluate("attention", *arrays)
    for found, wanted in zip(evaluate("attention_backward", g, *arrays, out, sums), (q, k, v), strict=True):
        same(found, wanted.grad)
    x, w, b = t(X, normal(8), normal(8))
    y = F.batch_norm(x, None, None, w, b, training=True)
    g = normal(*X.shape)
    y.backward(torch.tensor(g))
    made, mean, inverse = evaluate("batch_norm_training", X, w.detach().numpy(), b.detach().numpy())
    same(made, y)
    for found, wanted in zip(
        evaluate("batch_norm_backward", g, X, mean, inverse, w.detach().numpy()), (x, w, b), strict=True
    ):
        same(found, wanted.grad, atol=1e-3)


def test_dropped_attention_is_that_of_one_call():
    """A program reads the seed in each call. Of heads side by side, each sample drops others; any number of threads."""
    q, k, v = (normal(3, 20, 4, 8).transpose(0, 2, 1, 3) for _ in range(3))
    g = GraphBuilder()
    given = [g.input(each.shape, strides=[step // 4 for step in each.strides]) for each in (q, k, v)]
    out, _ = g.apply("attention", *given, None, g.input((), "int64"), dropout=0.3)
    f = compile(g.finish(out, *g.results("gradients", out, g.constant(np.ones(q.shape, "f4")), *given)))
    options = {"dropout": 0.3, "dtype": "f32"}
    attend, back = ts.attention(12, 20, 20, 8, lse=True, **options), ts.attention_inv(12, 20, 20, 8, **options)
    heads = [np.ascontiguousarray(each).reshape(12, 20, 8) for each in (q, k, v)]
    for seed in (7, 2**62 + 1):
        once, sums = attend(*heads, seed)
        wanted = once, *back(np.ones_like(once), *heads, once, sums, seed)
        for threads in (1, 2):
            found = f(q, k, v, np.array(seed), threads=threads)
            assert all(np.array_equal(each.reshape(12, 20, 8), one) for each, one in zip(found, wanted, strict=True))
    for seed, rate in ((None, 0.3), (np.array(7), 0.0), (np.array(7.0), 0.3)):
        with pytest.raises(TypeError, match="seed"):
            evaluate("attention", Q, K, V, None, seed, dropout=rate)


@pytest.mark.parametrize("dtype", ["i1", "f4"])
def test_elements_by_an_index(dtype):
    """The last of several values for an element stays; no value, and an index outside of the axis."""
    rng = np.random.default_rng(0)
    x, v = (rng.integers(-9, 9, shape).astype(dtype) for shape in ((4, 5, 6), (4, 3, 6)))
    index = rng.integers(0, 5, v.shape)
    wanted, along = x.copy(), np.indices(v.shape)
    for place in np.ndindex(*v.shape):
        wanted[place[0], index[place], place[2]] = v[place]
    assert np.array_equal(evaluate("scatter_elements", x, index, v, axis=1), wanted)
    assert np.array_equal(evaluate("gather_elements", x, index, axis=1), x[along[0], index, along[2]])
    assert np.array_equal(evaluate("scatter", x, np.zeros(0, "i4"), v[:0, :1].repeat(5, 1)), x)
    for wrong in (5, -1):
        with pytest.raises(IndexError, match=f"is {wrong}"):
            evaluate("scatter_elements", x, index * 0 + wrong, v, axis=1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_places_of_running_extrema(dtype):
    """Of equal elements, and of NaNs, the last."""
    x = torch.randint(-3, 4, (5, 9), generator=torch.Generator().manual_seed(0)).to(dtype)
    if dtype.is_floating_point:
        x[2, 3] = x[2, 6] = torch.nan
        x[3, 0], x[1, 5] = torch.inf, -torch.inf
    for name in ("cummax", "cummin"):
        assert np.array_equal(np.asarray(evaluate(f"arg{name}", x, axis=1)), getattr(x, name)(1).indices)
