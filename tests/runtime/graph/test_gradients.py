"""Gradients of programs, against torch's in f64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError

torch = pytest.importorskip("torch")
F = torch.nn.functional


def given(shape: Sequence[int], seed: int) -> np.ndarray[Any, Any]:
    """Return numbers away from 0, where some functions have corners."""
    return np.random.default_rng(seed).uniform(0.1, 0.9, shape) * np.resize([1, -1, 1], shape)


def compare(
    program: Callable[..., Any], expected: Callable[..., Any], shapes: Sequence[Sequence[int]], seed: int = 0
) -> Any:
    """Compare results and gradients, of gradients of the results that are drawn, and return the compiled program."""
    arrays = [given(shape, seed + n) for n, shape in enumerate(shapes)]
    tensors = [torch.tensor(each, requires_grad=True) for each in arrays]
    wanted = expected(*tensors)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    drawn = [given(each.shape, seed + 50 + n) for n, each in enumerate(wanted)]
    gradients = torch.autograd.grad(wanted, tensors, [torch.tensor(each) for each in drawn])
    g = ts.graph()
    inputs = [g.input(shape, "f64") for shape in shapes]
    results = program(g, *inputs)
    results = results if isinstance(results, tuple) else (results,)
    seeds = [g.input(each.shape, "f64") for each in drawn]
    f = g.compile(*results, *g.gradients(results, inputs, seeds))
    found = f(*arrays, *drawn)
    for made, other in zip(found, [*wanted, *gradients], strict=True):
        # each is a few dozen roundings of numbers near 1
        np.testing.assert_allclose(made, other.detach().numpy(), rtol=1e-12, atol=1e-12)
    return f


UNARY: dict[str, Any] = {
    **{name: getattr(torch, name) for name in ("negative", "absolute", "sqrt", "rsqrt", "square", "reciprocal")},
    **{name: getattr(torch, name) for name in ("exp", "exp2", "log", "erf", "sigmoid", "tanh", "floor")},
    **{name: getattr(F, name) for name in ("relu", "gelu", "silu", "softplus", "elu", "selu", "mish", "softsign")},
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.01),
    "hard_sigmoid": lambda x: (x / 6 + 0.5).clamp(0, 1),  # torch's own takes 1/6 in f32
    "hard_swish": lambda x: x * (x / 6 + 0.5).clamp(0, 1),
}
_POSITIVE = ("sqrt", "rsqrt", "log")


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.grid(3)
def test_functions(name: str) -> None:
    positive = name in _POSITIVE
    compare(
        lambda g, x: getattr(g, name)(abs(x) if positive else x),
        lambda x: UNARY[name](x.abs() if positive else x),
        [(9,)],
    )


def test_operators_that_broadcast() -> None:
    def program(g: Any, a: Any, b: Any, c: Any) -> Any:
        mixed = g.where(a > b, a * b, a / (c + 2.0)) + g.maximum(a, c) - g.minimum(b, a)
        return mixed, g.clip(a, low=-0.3, high=0.4) * b, (a + 1.0) ** 3 + (c + 2.0) ** -0.5

    def expected(a: Any, b: Any, c: Any) -> Any:
        mixed = torch.where(a > b, a * b, a / (c + 2)) + torch.maximum(a, c) - torch.minimum(b, a)
        return mixed, a.clip(-0.3, 0.4) * b, (a + 1) ** 3 + (c + 2) ** -0.5

    compare(program, expected, [(2, 3, 5), (3, 1), (5,)])


def test_views_reductions_and_joins() -> None:
    def program(g: Any, x: Any) -> Any:
        turned = g.permute(x, axes=(2, 0, 1))
        steps = g.slice(x, starts=(2, -1), stops=(None, None), steps=(2, -2), axes=(2, 1))
        sums = g.sum(g.slice(x, starts=1, stops=4, axes=2), axes=2, keepdims=True)
        apart = g.slice(x, starts=0, stops=2, axes=2) * sums
        joined = g.concatenate(g.flip(x, axes=1), g.exp(x), axis=0)
        padded = g.pad(g.reshape(x, shape=(-1, 6)), before=(1, 0), after=(0, 2))
        wide = g.broadcast_to(g.sum(x, axes=(0, 1)), shape=(2, 6))
        reduced = g.cumsum(x, axis=1), g.mean(x, axes=1), g.max(x, axes=2), g.min(x), g.var(x, axes=0)
        return turned, steps, apart, joined, padded, wide, *reduced

    def expected(x: Any) -> Any:
        turned = x.permute(2, 0, 1)
        steps = x.flip(1)[:, ::2, 2::2]
        apart = x[:, :, :2] * x[:, :, 1:4].sum(2, keepdim=True)
        joined = torch.cat((x.flip(1), x.exp()))
        padded = F.pad(x.reshape(-1, 6), (0, 2, 1, 0))
        wide = x.sum((0, 1)).expand(2, 6)
        extrema = x.amax(2), x.amin()
        return turned, steps, apart, joined, padded, wide, x.cumsum(1), x.mean(1), *extrema, x.var(0, correction=0)

    compare(program, expected, [(4, 3, 6)])


@pytest.mark.parametrize("axis", [0, 1])
def test_scans_and_elements_by_an_index(axis: int) -> None:
    """Products over zeros too, in which nothing is divided."""
    some = np.ones((5, 4))
    some[1, 2] = some[3, 2] = some[2, 0] = 0
    places = np.random.default_rng(0).integers(0, 4, (3, 4))

    def program(g: Any, x: Any, v: Any) -> Any:
        index = g.constant(places)
        products = g.cumprod(x * some, axis=axis), g.cumprod(x * some, axis=axis, exclusive=True)
        extrema = g.cummax(x, axis=axis), g.cummin(g.rint(x * 2.0) + x * 0.0, axis=axis)
        best, _ = g.topk(x, k=3, axis=axis, largest=bool(axis))
        written = (g.scatter_elements(x, index, v, axis=axis, add=True), g.gather_elements(x, index, axis=axis))
        return *products, *extrema, best, *written

    def expected(x: Any, v: Any) -> Any:
        index, zeros = torch.tensor(places), x * torch.tensor(some)
        ones = torch.ones_like(x.narrow(axis, 0, 1))
        before = torch.cat((ones, zeros.narrow(axis, 0, x.shape[axis] - 1)), axis).cumprod(axis)
        extrema = x.cummax(axis).values, ((x * 2).round() + x * 0).cummin(axis).values
        best = x.topk(3, axis, largest=bool(axis)).values
        return zeros.cumprod(axis), before, *extrema, best, x.scatter_add(axis, index, v), x.gather(axis, index)

    compare(program, expected, [(5, 4), (3, 4)])


def test_layers() -> None:
    def program(g: Any, x: Any, w: Any, b: Any, q: Any, image: Any, taps: Any) -> Any:
        rows, _, _ = g.layer_norm(x, b, None)
        mixed, _ = g.attention(q, q, q * 0.5, causal=True)
        pooled, _ = g.max_pool(g.conv(image, taps, padding=1), window=2)
        each = g.softmax(g.linear(x, w, b)), g.log_softmax(x, axis=0), g.rms_norm(x, b, eps=1e-6)[0]
        return rows, *each, mixed, g.matmul(g.permute(q, axes=(0, 1, 3, 2)), q), pooled

    def expected(x: Any, w: Any, b: Any, q: Any, image: Any, taps: Any) -> Any:
        mixed = F.scaled_dot_product_attention(q, q, q * 0.5, is_causal=True)
        pooled = F.max_pool2d(F.conv2d(image, taps, padding=1), 2)
        each = (x @ w + b).softmax(-1), x.log_softmax(0), F.rms_norm(x, (5,), b, 1e-6)
        return F.layer_norm(x, (5,), b), *each, mixed, q.transpose(2, 3) @ q, pooled

    shapes = [(3, 5), (5, 5), (5,), (1, 2, 4, 6), (2, 3, 6, 6), (4, 3, 3, 3)]
    f = compare(program, expected, shapes)
    assert "conv_backward" in str(f)


def test_gathers_count_each_row() -> None:
    table, indices = given((5, 3), 0), np.array([4, 0, 4, -1])
    g = ts.graph()
    x, i = g.input(table.shape, "f64"), g.input(indices.shape, "i64")
    f = g.compile(*g.gradients(g.sum(g.gather(x, i)), [x]))
    assert np.array_equal(f(table, indices), np.array([1, 0, 0, 0, 3])[:, None] * np.ones((1, 3)))


# Loops


def test_loops_of_functions() -> None:
    """States that change places, a sequence, a value of all steps that is no matrix of a product, and a loop in it."""

    def inner(g: Any, power: Any, matrix: Any) -> Any:
        return g.matmul(power, matrix)

    def step(g: Any, a: Any, b: Any, row: Any, matrix: Any, scale: Any) -> Any:
        (power,) = g.scan(a, matrix, function=inner, states=1, sequences=0, steps=2)
        return b * scale, g.tanh(power + row), power

    def program(g: Any, a: Any, b: Any, rows: Any, matrix: Any, scale: Any) -> Any:
        return g.scan(a, b, rows, matrix, scale, function=step, states=2, sequences=1, reverse=True)

    def expected(a: Any, b: Any, rows: Any, matrix: Any, scale: Any) -> Any:
        powers = []
        for row in rows.flip(0):
            power = a @ matrix @ matrix
            a, b = b * scale, torch.tanh(power + row)
            powers.append(power)
        return a, b, torch.stack(powers[::-1])

    f = compare(program, expected, [(2, 3), (2, 3), (5, 2, 3), (3, 3), (2, 3)])
    assert not f.explain().foreign


def test_loops_without_steps() -> None:
    g = ts.graph()
    a, rows, w = g.input((2, 3)), g.input((0, 2, 3)), g.input((3, 3))
    (last,) = g.scan(a, rows, w, function=lambda g, a, x, w: g.matmul(a, w) + x, states=1, sequences=1)
    f = g.compile(*g.gradients(g.sum(last), [a, w]))
    of_a, of_w = f(np.ones((2, 3), np.float32), np.ones((0, 2, 3), np.float32), np.ones((3, 3), np.float32))
    assert (of_a == 1).all() and not of_w.any()


def test_rows_of_calls() -> None:
    """The gradients of weights are sums over as many rows as each call gives."""
    g = ts.graph()
    x, w = g.input((ts.RUNTIME, 4)), g.input((4, 3))
    f = g.compile(*g.gradients(g.sum(g.square(g.matmul(x, w))), [x, w]))
    assert not f.explain().each_size
    for rows in (5, 2):
        one, other = given((rows, 4), rows).astype(np.float32), given((4, 3), 9).astype(np.float32)
        of_x, of_w = f(one, other)
        np.testing.assert_allclose(of_x, 2 * (one @ other) @ other.T, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(of_w, one.T @ (2 * (one @ other)), rtol=1e-5, atol=1e-5)


def test_refusals() -> None:
    g = ts.graph()
    x, n = g.input((2, 3)), g.input((2, 3), "i32")
    with pytest.raises(ValueError, match="given=, the gradients of the results"):
        g.gradients(x * 2, [x])
    with pytest.raises(ValueError, match="a gradient for each of 1 results, not 2"):
        g.gradients([x * 2], [x], [x, x])
    with pytest.raises(ValueError, match="2x3 float32 for the gradient of a result, not scalar float32"):
        g.gradients([x * 2], [x], [g.sum(x)])
    with pytest.raises(TypeError, match="wanted value 0 is int32; g.input makes floats"):
        g.gradients(g.sum(x), [n])
    with pytest.raises(TypeError, match="wanted value 1 is a constant"):
        g.gradients(g.sum(x), [x, g.constant(np.ones(3, np.float32))])
    with pytest.raises(UnsupportedError, match="prod: no rule for its gradient"):
        g.gradients(g.prod(x), [x])
