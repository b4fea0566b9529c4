"""Functions of JAX in programs: loops, threads, devices, optimizers, traced functions, and what is refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.7")

import jax.numpy as jnp  # noqa: E402  # after the check that JAX is there
from jax.test_util import check_grads  # noqa: E402

import tilesmith as ts  # noqa: E402
from tests import profiles  # noqa: E402
from tests.guard import run_forked  # noqa: E402
from tilesmith.integrations import jax as tsj  # noqa: E402
from tilesmith.runtime.integrations.jax import targets  # noqa: E402


def drawn(*shape, dtype="float32"):
    """Return an array of random numbers."""
    return jnp.asarray(np.random.default_rng(sum(shape)).standard_normal(shape)).astype(dtype)


X, W = drawn(8, 8), drawn(8, 8) / 4


def steps(softmax, matmul):
    """Return what carries a product and a softmax through a loop."""
    return lambda carried, x: (softmax(matmul(carried, x) * 2), carried.sum())


OURS, THEIRS = steps(tsj.softmax, tsj.matmul), steps(jax.nn.softmax, jnp.matmul)


def test_loops():
    xs = jnp.stack([W, X, W])
    for one, other in zip(*(jax.jit(partial(jax.lax.scan, each))(X, xs) for each in (OURS, THEIRS))):
        assert np.allclose(one, other, atol=1e-5)
    made, wanted = (
        jax.jit(lambda x, each=each: jax.lax.fori_loop(0, 100, lambda _, x: each(x, W)[0], x))(X)
        for each in (OURS, THEIRS)
    )
    assert np.allclose(made, wanted, atol=1e-5)


def test_gradients_through_loops_and_checkpoints():
    xs = jnp.stack([W, X, W])
    losses = (lambda x, each=each: (jax.lax.scan(jax.checkpoint(each), x, xs)[0] ** 2).sum() for each in (OURS, THEIRS))
    made, wanted = (jax.jit(jax.grad(each))(X) for each in losses)
    assert np.allclose(made, wanted, atol=1e-5)


def test_gradients_of_a_batch():
    loss = lambda f: lambda x: (jax.vmap(f)(x) ** 2).sum()  # noqa: E731
    made, wanted = (jax.jit(jax.grad(loss(each)))(X) for each in (tsj.softmax, jax.nn.softmax))
    assert np.allclose(made, wanted, atol=1e-6)
    made, wanted = (
        jax.jit(jax.vmap(jax.grad(lambda x, f=f: (f(x) ** 3).sum())))(X) for f in (tsj.softmax, jax.nn.softmax)
    )
    assert np.allclose(made, wanted, atol=1e-6)


def test_threads_call_handlers_at_a_time():
    """Threads of Python's, each of which runs two products that do not depend on each other, on workers of ours."""
    a, b, c = drawn(200, 300), drawn(300, 150), drawn(260, 130)
    run = jax.jit(lambda a, b, c: (tsj.matmul(a, b), tsj.matmul(b.T, a.T), tsj.softmax(c), tsj.softmax(-c)))
    before = ts.num_threads()
    ts.set_num_threads(2)
    try:
        wanted = [np.asarray(each) for each in run(a, b, c)]
        assert np.allclose(wanted[0], np.asarray(a, "f8") @ np.asarray(b, "f8"), atol=1e-4)
        with ThreadPoolExecutor(4) as pool:
            for made in pool.map(lambda _: run(a, b, c), range(60)):
                assert all((one == other).all() for one, other in zip(made, wanted))
    finally:
        ts.set_num_threads(before)


def test_a_handler_refuses_other_buffers():
    """As a program that was changed by hand would give it."""
    tsj.softmax(drawn(3, 24)).block_until_ready()
    name = next(name for name, plan in targets._registered.items() if plan.arguments[0].shape == (3, 24))
    x = drawn(3, 25)
    call = jax.jit(jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(x.shape, x.dtype), vmap_method="sequential"))
    with pytest.raises(Exception, match=r"argument 0: not f32\[3,24\], for which the kernel was made"):
        call(x).block_until_ready()


def test_equal_calls_share_a_handler():
    first = len(targets._registered)
    for _ in range(3):
        jax.jit(lambda x: tsj.softmax(x) + 1)(drawn(5, 23))
    assert len(targets._registered) == first + 1


def optimizers():
    """Return our optimizers, and a step of each by its formula."""

    def sgd(w, g, state):
        return w - 0.1 * (g + 0.01 * w), state

    def momentum(w, g, v):
        v = 0.9 * (0 if v is None else v) + g
        return w - 0.1 * v, v

    def adamw(w, g, state):
        step, m, v = state or (0, 0, 0)
        step, m, v = step + 1, 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        return w - 0.1 * (m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8) + 0.02 * w), (step, m, v)

    def lion(w, g, m):
        m = 0 if m is None else m
        return w - 0.1 * (np.sign(0.8 * m + 0.2 * g) + 0.02 * w), 0.9 * m + 0.1 * g

    def rmsprop(w, g, v):
        v = 0.9 * (0 if v is None else v) + 0.1 * g**2
        return w - 0.1 * g / (np.sqrt(v) + 1e-8), v

    def adagrad(w, g, v):
        v = (0 if v is None else v) + g**2
        return w - 0.1 * g / (np.sqrt(v) + 1e-10), v

    def lamb(w, g, state):
        step, m, v = state or (0, 0, 0)
        step, m, v = step + 1, 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g**2
        u = m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.99**step)) + 1e-6) + 0.02 * w
        return w - 0.1 * np.linalg.norm(w) / np.linalg.norm(u) * u, (step, m, v)

    return {
        "lamb": (tsj.LAMB(0.1, (0.9, 0.99), weight_decay=0.02), lamb),
        "lion": (tsj.Lion(0.1, (0.8, 0.9), weight_decay=0.02), lion),
        "rmsprop": (tsj.RMSprop(0.1, alpha=0.9), rmsprop),
        "adagrad": (tsj.Adagrad(0.1), adagrad),
        "sgd": (tsj.SGD(0.1, weight_decay=0.01), sgd),
        "momentum": (tsj.SGD(0.1, momentum=0.9), momentum),
        "adamw": (tsj.AdamW(0.1, weight_decay=0.02), adamw),
    }


def test_a_test_that_forks_does_not_warn_of_threads():
    """JAX warns at each fork of a process that imported it; a child of a test runs one function and exits."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert run_forked(lambda: None) == 0
    assert not found


def test_an_optimizer_names_the_option_that_is_meant():
    for given, meant in (("learning_rate", "lr"), ("weight_decy", "weight_decay")):
        with pytest.raises(TypeError, match=f"AdamW: {given}= is no argument of it; .* did you mean {meant}="):
            tsj.AdamW(**{given: 1e-3})


@pytest.mark.parametrize("name", optimizers())
def test_steps_of_optimizers(name):
    ours, formula = optimizers()[name]
    params = {"w": drawn(7, 9), "more": [drawn(130)]}
    wide = [np.asarray(each, "f8") for each in jax.tree.leaves(params)]
    state, states = ours.init(params), [None, None]
    step = jax.jit(ours.step, donate_argnums=(0, 2))
    for _ in range(3):
        grads = jax.tree.map(jnp.cos, params)
        before, (params, state) = params, step(params, grads, state)
        assert all(each.is_deleted() for each in jax.tree.leaves(before))  # whose memory the new ones have
        found = [formula(w, np.asarray(g, "f8"), s) for w, g, s in zip(wide, jax.tree.leaves(grads), states)]
        wide, states = zip(*found)
        for one, other in zip(jax.tree.leaves(params), wide):
            assert np.allclose(one, other, atol=1e-5)


def test_numbers_of_steps_are_as_wide_as_the_arithmetic():
    """1 - 0.999^t is 0 in bf16, so that nothing would move; and weights of zeros begin to."""
    w = jnp.linspace(1.0, 2.0, 64, dtype=jnp.bfloat16)
    for optimizer in (tsj.AdamW(0.1), tsj.LAMB(0.1, weight_decay=0.0)):
        moved, _ = optimizer.step(w, jnp.ones_like(w), optimizer.init(w))
        norm = float(np.linalg.norm(np.asarray(w, "f8"))) / 8 if isinstance(optimizer, tsj.LAMB) else 1.0
        wanted = np.asarray(w, "f8") * (1.0 if isinstance(optimizer, tsj.LAMB) else 0.999) - 0.1 * norm
        assert np.allclose(np.asarray(moved, "f8"), wanted, rtol=2**-8)
    zeros = jnp.zeros(5)
    moved, _ = tsj.LAMB(0.1).step(zeros, jnp.ones(5), tsj.LAMB(0.1).init(zeros))
    assert np.allclose(moved, -0.1, atol=1e-5)


def gated(x, w):
    """Return an expression, of Tilesmith's or of JAX's."""
    tanh = jnp.tanh if isinstance(x, jax.Array) else ts.tanh
    return tanh(x) * w + x


GATED = tsj.equation(gated, gradient=lambda g, x, w: (g * (w * (1 - ts.tanh(x) * ts.tanh(x)) + 1), g * ts.tanh(x)))


@pytest.mark.grid(3)
@pytest.mark.parametrize("shapes", [((5, 6), (6,)), ((2, 3, 8), (8,)), ((4, 7), (4, 1)), ((9,), (9,)), ((3, 4), ())])
def test_traced_functions(shapes):
    x, w = (drawn(*shape, dtype="float64") for shape in shapes)
    assert np.allclose(GATED(x, w), gated(x, w), atol=1e-10)
    check_grads(jax.jit(GATED), (x, w), order=1, modes=("rev",), atol=1e-5, rtol=1e-5)
    several = jnp.stack([x, x + 1])
    assert np.allclose(jax.vmap(GATED, (0, None))(several, w), jax.vmap(gated, (0, None))(several, w), atol=1e-10)


def test_traced_functions_have_several_results():
    split = tsj.equation(lambda x: (ts.sum(x, axis=1), x - ts.max(x, axis=1)))
    x = drawn(2, 3, 8)
    total, rest = split(x)
    assert np.allclose(total, x.sum(-1, keepdims=True), atol=1e-5)
    assert np.allclose(rest, x - x.max(-1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_weak_types_and_numpy(dtype):
    x = drawn(3, 4, dtype=dtype)
    assert tsj.matmul(x, np.ones((4, 2), x.dtype)).dtype == dtype
    assert GATED(x, 2.0).dtype == dtype
    assert tsj.softmax([1.0, 2.0]).shape == (2,)


EMPTY = {
    "no rows": (lambda: tsj.softmax(jnp.ones((0, 3))), np.zeros((0, 3))),
    "no columns": (lambda: tsj.softmax(jnp.ones((3, 0))), np.zeros((3, 0))),
    "no terms": (lambda: tsj.matmul(jnp.ones((2, 0)), jnp.ones((0, 3))), np.zeros((2, 3))),
    "no batch": (lambda: tsj.matmul(jnp.ones((0, 2, 3)), jnp.ones((0, 3, 4))), np.zeros((0, 2, 4))),
    "no inputs": (lambda: tsj.linear(jnp.ones((2, 0)), jnp.ones((0, 3)), jnp.full(3, -1.0), "relu"), np.zeros((2, 3))),
    "no samples": (lambda: jax.vmap(tsj.softmax)(jnp.ones((0, 3))), np.zeros((0, 3))),
    "no keys": (lambda: tsj.attention(jnp.ones((2, 3, 8)), *[jnp.ones((2, 0, 8))] * 2), np.zeros((2, 3, 8))),
    "no images": (lambda: tsj.conv(jnp.ones((0, 3, 8, 8)), jnp.ones((4, 3, 3, 3))), np.zeros((0, 4, 6, 6))),
    "no channels": (
        lambda: tsj.conv(jnp.ones((1, 0, 4, 4)), jnp.ones((2, 0, 3, 3)), jnp.asarray([1.0, 2.0])),
        np.broadcast_to(np.array([1, 2]).reshape(1, 2, 1, 1), (1, 2, 2, 2)),
    ),
    "a gradient without rows": (
        lambda: jax.grad(lambda w: tsj.layer_norm(jnp.ones((0, 3)), w).sum())(jnp.ones(3)),
        np.zeros(3),
    ),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_arrays(name):
    compute, wanted = EMPTY[name]
    made = compute()
    assert made.shape == wanted.shape and np.allclose(made, wanted)


REFUSED = {
    "integers": (lambda: tsj.softmax(jnp.ones((3, 4), jnp.int32)), TypeError, "x: float32, .*not int32"),
    "two types": (lambda: tsj.matmul(X, W.astype("bfloat16")), TypeError, "b: float32, the type of the first array"),
    "terms": (lambda: tsj.matmul(X, drawn(7, 8)), ValueError, r"b: 8 rows, as many as a \(8, 8\) has columns"),
    "a number": (lambda: tsj.matmul(X, 2.0), ValueError, "b: a vector, a matrix"),
    "an axis": (lambda: tsj.softmax(X, 2), ValueError, "axis: from -2 to 1, not 2"),
    "a float axis": (lambda: tsj.softmax(X, 0.5), TypeError, "axis: a whole number, not 0.5"),
    "no axis": (lambda: tsj.softmax(1.0), ValueError, "x: at least one axis"),
    "a transposed weight": (lambda: tsj.linear(X, drawn(5, 8)), ValueError, r"weight: shape \(8, out\).*weight.T"),
    "a bias": (lambda: tsj.linear(X, W, drawn(7)), ValueError, r"bias: shape \(8,\)"),
    "an activation": (lambda: tsj.linear(X, W, None, "swish"), ValueError, "activation: one of none, gelu"),
    "a norm's weight": (lambda: tsj.layer_norm(X, drawn(7)), ValueError, r"weight: shape \(8,\)"),
    "heads": (lambda: tsj.attention(drawn(3, 4, 8), *[drawn(2, 4, 8)] * 2), ValueError, "k: a number of heads"),
    "a mask": (
        lambda: tsj.attention(*[drawn(2, 4, 8)] * 3, mask=jnp.ones((2, 4, 4), bool)),
        ValueError,
        "mask: shape",
    ),
    "channels": (lambda: tsj.conv(X, W, channels="NHWC"), ValueError, "channels: first or last, not 'NHWC'"),
    "padding": (lambda: tsj.conv(drawn(1, 3, 8), drawn(4, 3, 3), padding="FULL"), ValueError, "padding: numbers, or"),
    "groups": (lambda: tsj.conv(drawn(1, 3, 8), drawn(4, 3, 3), groups=2), ValueError, "groups: 2 do not divide"),
    "forward mode": (lambda: jax.jvp(tsj.softmax, (X,), (X,)), TypeError, "jvp"),
    "a derivative of a derivative": (
        lambda: jax.grad(lambda x: jax.grad(lambda x: (tsj.softmax(x) ** 2).sum())(x).sum())(X),
        ts.UnsupportedError,
        "softmax_inv has no derivative",
    ),
    "no gradient": (
        lambda: jax.grad(lambda x: tsj.equation(lambda x: ts.exp(x))(x).sum())(X),
        ts.UnsupportedError,
        "equation: no gradient is given",
    ),
    "operands": (lambda: GATED(X), TypeError, "equation: 2 arrays, x, w, not 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(name):
    call, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.seconds
def test_several_devices():
    """A process of its own with four devices, which checks some cases, others each day: see devices.py."""
    script = Path(__file__).with_name("devices.py")
    source = script.read_text()
    names = re.findall(r'^    "([a-z ]+)": \(', source, re.MULTILINE) + ["shard_map", "pmap"]
    drawn_today = Random(profiles.rotation()).sample(names, profiles.scaled(3, len(names)))
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    more = {"XLA_FLAGS": flags, "PYTHONPATH": os.pathsep.join(sys.path)}
    call = [sys.executable, str(script), *drawn_today]
    done = subprocess.run(call, env={**os.environ, **more}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]


def test_without_jax():
    """The error says what to install."""
    program = "import sys; sys.modules['jax'] = None; import tilesmith.integrations.jax"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "needs JAX 0.7 or newer, which is not installed: pip install jax" in done.stderr
