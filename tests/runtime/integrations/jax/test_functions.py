"""Functions of JAX: numpy's and JAX's own in double precision are the oracle, and `check_grads` that of gradients."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.7")

import jax.numpy as jnp  # noqa: E402  # after the check that JAX is there
from jax.test_util import check_grads  # noqa: E402

from tilesmith.integrations import jax as tsj  # noqa: E402

TYPES = {"float64": 1e-10, "float32": 3e-5, "bfloat16": 4e-2, "float16": 6e-3}


def drawn(*shape, dtype="float64", seed=0):
    """Return an array of random numbers."""
    made = np.random.default_rng(seed + sum(shape)).standard_normal(shape)
    return jnp.asarray(made).astype(dtype)


def layer_norm(x, weight, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight + bias


def rms_norm(x, weight):
    return x / jnp.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * weight


def attention(q, k, v, mask=None, causal=False):
    k, v = (jnp.repeat(each, q.shape[-3] // k.shape[-3], axis=-3) for each in (k, v))
    scores = jnp.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = jnp.where(mask, scores, -jnp.inf)
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jax.nn.softmax(scores) @ v


def conv(x, w, bias=None, last=False, **named):
    letters = "".join("DHW"[-(x.ndim - 2) :])
    numbers = (f"N{letters}C", f"{letters}IO", f"N{letters}C") if last else (f"NC{letters}", f"OI{letters}") * 2
    y = jax.lax.conv_general_dilated(
        x, w, dimension_numbers=numbers[:3] if last else (*numbers[:2], numbers[0]), **named
    )
    return y if bias is None else y + (bias if last else bias.reshape(-1, *[1] * (x.ndim - 2)))


MASK = jnp.arange(30).reshape(5, 6) % 4 != 1
PAIRS = [(1, 1), (1, 1)]
CASES = {
    "matmul": (tsj.matmul, jnp.matmul, [(3, 4), (4, 5)]),
    "matmul of vectors": (tsj.matmul, jnp.matmul, [(4,), (4,)]),
    "matmul of a vector": (tsj.matmul, jnp.matmul, [(2, 3, 4), (4,)]),
    "matmul by a vector": (tsj.matmul, jnp.matmul, [(4,), (2, 4, 3)]),
    "matmul of batches": (tsj.matmul, jnp.matmul, [(2, 1, 3, 4), (5, 4, 6)]),
    "matmul of a batch": (tsj.matmul, jnp.matmul, [(2, 3, 4), (4, 5)]),
    "matmul by a batch": (tsj.matmul, jnp.matmul, [(3, 4), (2, 4, 5)]),
    "large matmul": (tsj.matmul, jnp.matmul, [(70, 130), (130, 90)]),
    "linear": (
        partial(tsj.linear, activation="gelu"),
        lambda x, w, b: jax.nn.gelu(x @ w + b, approximate=False),
        [(2, 3, 8), (8, 5), (5,)],
    ),
    "linear without a bias": (
        partial(tsj.linear, activation="silu"),
        lambda x, w: jax.nn.silu(x @ w),
        [(7, 8), (8, 5)],
    ),
    "large linear": (
        partial(tsj.linear, activation="tanh"),
        lambda x, w, b: jnp.tanh(x @ w + b),
        [(80, 96), (96, 112), (112,)],
    ),
    "softmax": (partial(tsj.softmax, axis=1), partial(jax.nn.softmax, axis=1), [(2, 3, 8)]),
    "log_softmax": (tsj.log_softmax, jax.nn.log_softmax, [(3, 7)]),
    "large softmax": (tsj.softmax, jax.nn.softmax, [(160, 130)]),
    "softmax of a vector": (tsj.softmax, jax.nn.softmax, [(9,)]),
    "layer_norm": (tsj.layer_norm, layer_norm, [(2, 3, 8), (8,), (8,)]),
    "large layer_norm": (tsj.layer_norm, layer_norm, [(200, 96), (96,), (96,)]),
    "rms_norm": (tsj.rms_norm, rms_norm, [(4, 8), (8,)]),
    "attention": (
        partial(tsj.attention, mask=MASK),
        partial(attention, mask=MASK),
        [(2, 4, 5, 8), *[(2, 2, 6, 8)] * 2],
    ),
    "causal attention": (partial(tsj.attention, causal=True), partial(attention, causal=True), [(2, 2, 6, 8)] * 3),
    "large attention": (tsj.attention, attention, [(4, 40, 48)] * 3),
    "conv1d": (
        partial(tsj.conv, padding=2, dilation=2),
        partial(conv, window_strides=[1], padding=[(2, 2)], rhs_dilation=[2]),
        [(2, 3, 9), (4, 3, 3)],
    ),
    "conv2d": (
        partial(tsj.conv, stride=2, padding=1, groups=2),
        partial(conv, window_strides=[2, 2], padding=PAIRS, feature_group_count=2),
        [(2, 4, 6, 7), (6, 2, 3, 3), (6,)],
    ),
    "conv2d with channels last": (
        partial(tsj.conv, padding="SAME", channels="last"),
        partial(conv, window_strides=[1, 1], padding="SAME", last=True),
        [(2, 6, 7, 4), (3, 3, 4, 5), (5,)],
    ),
    "depthwise conv2d": (
        partial(tsj.conv, padding=1, groups=8, channels="last"),
        partial(conv, window_strides=[1, 1], padding=PAIRS, feature_group_count=8, last=True),
        [(1, 6, 6, 8), (3, 3, 1, 8)],
    ),
    "conv3d": (
        partial(tsj.conv, padding="VALID"),
        partial(conv, window_strides=[1, 1, 1], padding="VALID"),
        [(1, 3, 4, 5, 6), (4, 3, 2, 2, 3)],
    ),
}


def arguments(name, dtype="float64"):
    """Return the arrays of a case."""
    return [drawn(*shape, dtype=dtype, seed=number) for number, shape in enumerate(CASES[name][2])]


def with_slopes(f, *slope):
    """Return a compiled function that returns the results of f and its gradients, given that by the result."""

    def compute(*operands):
        made, pull = jax.vjp(f, *operands)
        return made, pull(*slope or (jnp.cos(made),))

    return jax.jit(compute)


def of_size(wanted, dtype):
    """Return an absolute error for results as large as these."""
    return TYPES[dtype] * max(1.0, float(np.abs(wanted).max()))


@pytest.mark.grid(6)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients_are_those_of_jax(name, dtype):
    ours, theirs, _ = CASES[name]
    given = arguments(name, dtype)
    g = drawn(*jax.eval_shape(theirs, *given).shape, dtype=dtype)
    made, slopes = with_slopes(ours, g)(*given)
    wide = [np.asarray(each, "f8") for each in given]
    wanted, others = with_slopes(theirs, np.asarray(g, "f8"))(*wide)
    assert made.dtype == dtype and made.shape == wanted.shape
    assert np.allclose(np.asarray(made, "f8"), wanted, atol=of_size(wanted, dtype), rtol=TYPES[dtype])
    for one, other in zip(slopes, others):
        assert np.allclose(np.asarray(one, "f8"), other, atol=4 * of_size(other, dtype), rtol=4 * TYPES[dtype])


@pytest.mark.grid(2)
@pytest.mark.parametrize("name", CASES)
def test_calls_outside_of_programs_have_the_same_bits(name):
    ours, given = CASES[name][0], arguments(name, "float32")
    assert (ours(*given) == jax.jit(ours)(*given)).all()


@pytest.mark.grid(2)
@pytest.mark.parametrize("name", CASES)
def test_gradients_are_differences(name):
    ours, _, _ = CASES[name]
    check_grads(jax.jit(ours), arguments(name), order=1, modes=("rev",), atol=1e-5, rtol=1e-5)


@pytest.mark.grid(4)
@pytest.mark.parametrize("which", ["first", "all", "others"])
@pytest.mark.parametrize("name", CASES)
def test_vmap_is_a_loop_over_samples(name, which):
    """Of results and gradients, with the batch in one operand, in the others, and in all."""
    ours, theirs, _ = CASES[name]
    given = arguments(name, "float64")
    axes = [0 if which == "all" or (number == 0) == (which == "first") else None for number in range(len(given))]
    if not any(axis == 0 for axis in axes):
        pytest.skip("no others")
    given = [jnp.stack([x, x + 1, 2 * x]) if axis == 0 else x for x, axis in zip(given, axes)]

    batched = (jax.jit(jax.vmap(with_slopes(each), in_axes=tuple(axes))) for each in (ours, theirs))
    for one, other in zip(*(jax.tree.leaves(each(*given)) for each in batched)):
        assert np.allclose(one, other, atol=1e-10)


@pytest.mark.grid(1)
@pytest.mark.parametrize("name", ["matmul of batches", "softmax", "linear", "attention", "conv2d"])
def test_vmap_of_vmap(name):
    ours, theirs, _ = CASES[name]
    given = [jnp.stack([jnp.stack([x, x + 1]), jnp.stack([x * 2, x - 1]), jnp.stack([x, -x])]) for x in arguments(name)]
    for outer in (0, 1):
        made, wanted = (jax.jit(jax.vmap(jax.vmap(each), in_axes=outer))(*given) for each in (ours, theirs))
        assert np.allclose(made, wanted, atol=1e-10)


def test_products_have_derivatives_of_any_order():
    a, b = arguments("matmul")
    check_grads(jax.jit(lambda a, b: tsj.matmul(a, b) ** 2), (a, b), order=2, modes=("rev",), atol=1e-4, rtol=1e-4)
