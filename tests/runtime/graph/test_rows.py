"""Programs of any number of rows: one lowering for all of them, where it computes them, and what is refused why."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.graph.builder import GraphBuilder
from tilesmith.runtime.graph.rows import RowsProgram

RNG = np.random.default_rng(0)
SIZES = 0, 1, 2, 7, 33, 100


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf, otypes="d")(x / math.sqrt(2)))


def normed(x, w, b):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * w + b


def block():
    """A block of a network over (rows, 3, 16), and what it computes in f64. Its second product has so many weights
    that they are read in blocks."""
    g = ts.graph()
    x = g.input((ts.RUNTIME, 3, 16))
    w, b, up, own = normal(16), normal(16), normal(16, 40) / 4, normal(40)
    down, head = normal(40, 240) / 6, normal(240, 5) / 16
    h, mean, _ = g.layer_norm(x, g.constant(w), g.constant(b))
    h = g.gelu(g.linear(h, g.constant(up), g.constant(own)))
    h = g.relu(g.linear(h, g.constant(down)))
    y = g.softmax(g.linear(h, g.constant(head)))
    f = g.compile(y, x * 2.0 + mean)

    def exact(array):
        x = array.astype(np.float64)
        h = gelu(normed(x, w, b) @ up + own)
        powers = np.exp(np.maximum(h @ down, 0) @ head)
        return powers / powers.sum(axis=-1, keepdims=True), x * 2 + x.mean(axis=-1, keepdims=True)

    return f, exact


def sums():
    """Results that depend on all rows, as gradients of weights do, and what they are in f64."""
    g = ts.graph()
    x, w = g.input((ts.RUNTIME, 3, 16)), normal(16, 40)
    flat = g.reshape(x, shape=(-1, 16))
    h = g.relu(flat @ g.constant(w))
    turned = g.permute(flat, axes=(1, 0))
    f = g.compile(turned @ h, g.sum(h, axes=0), x - g.mean(x, axes=0, keepdims=True), g.sum(x))

    def exact(array):
        x = array.astype(np.float64)
        flat = x.reshape(-1, 16)
        h = np.maximum(flat @ w, 0)
        mean = x.mean(axis=0) if len(x) else 0
        return flat.T @ h, h.sum(axis=0), x - mean, x.sum()

    return f, exact


PROGRAMS = {"block": block(), "sums": sums()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_lowering_computes_any_number_of_rows(name):
    f, exact = PROGRAMS[name]
    for rows in SIZES:
        array = normal(rows, 3, 16)
        for found, wanted in zip(f(array), exact(array)):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5 * max(1, rows))
    assert not f.explain().each_size
    jobs = {id(each.job) for rows in SIZES for each in f.of(rows).executor.segments}
    assert len(jobs) == 1, "one machine code for all numbers of rows"


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_touch_only_their_rows_on_any_number_of_threads(name, side):
    f, _ = PROGRAMS[name]
    for rows in (1, 7, 130):
        compiled, array = f.of(rows), normal(rows, 3, 16)
        expected = f(array)
        given = guarded(array, side, False)
        for threads in (1, 2, 3):
            made = [guarded(np.zeros_like(each).reshape(-1, 1), side) for each in expected]
            compiled.run([address_of(given)], [address_of(each) for each in made], threads)
            for found, wanted in zip(made, expected):
                check_canary(found)
                assert np.array_equal(found.ravel(), wanted.ravel()), "the bits depend on the number of threads"


def test_parts_of_a_reduction_of_the_rows_are_joined():
    """What parts have is of the type of the arithmetic: integers are exact, and a sum of f16 is rounded once."""
    g = ts.graph()
    x, n, half = (g.input((ts.RUNTIME, 24), kind) for kind in ("float32", "int32", "float16"))
    means = g.mean(half * 0.5, axes=0), g.mean(half * 0.5)
    f = g.compile(g.max(x, axes=0), g.min(x, axes=(0, 1)), x + g.prod(x), g.sum(n), g.sum(half * 0.5, axes=0), *means)
    for rows in (1, 3000):
        array, numbers = normal(rows, 24), RNG.integers(-(1 << 15), 1 << 15, (rows, 24)).astype(np.int32)
        eighths = (RNG.integers(-8, 9, (rows, 24)) / 8).astype(np.float16)
        array.ravel()[2:] = np.sign(array.ravel()[2:])  # so that their product is exact
        largest, least, moved, total, sums, *means = f(array, numbers, eighths)
        for mean, axes in zip(means, (0, None)):
            exact = eighths.astype(np.float32).sum(axis=axes) / 2  # which the number of terms divides in f32
            assert np.array_equal(mean, (exact / np.float32(eighths.size / exact.size)).astype(np.float16))
        assert np.array_equal(largest, array.max(axis=0)) and least == array.min()
        assert np.array_equal(moved, array + np.prod(array, dtype=np.float64).astype(np.float32))
        assert total == numbers.sum(dtype=np.int64)
        assert np.array_equal(sums, (eighths.astype(np.float64).sum(axis=0) / 2).astype(np.float16))
    assert not f.explain().each_size


@pytest.mark.seconds
def test_workers_do_not_race_and_the_code_is_proved():
    g = ts.graph()
    x = g.input((ts.RUNTIME, 8))
    y = g.cast(g.cast(x * 2.0, dtype="float16"), dtype="float32") - 1.0
    f = g.compile(y, g.max(x, axes=0))
    for rows in (3, 400):  # one part, and two
        array, found, most = np.round(normal(rows, 8) * 8), np.zeros((rows, 8), np.float32), np.zeros(8, np.float32)
        f.of(rows).executor.emulated([array, found, most], workers=2, turns=1)
        assert np.array_equal(found, (array * 2).astype(np.float16).astype(np.float32) - 1)
        assert np.array_equal(most, array.max(axis=0))
    assert f.of(3).executor.verify() and f.of(400).executor.verify_schedule().holds


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def images(x, w):
    """A convolution with padding of one, an activation and the largest of each window of two by two."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    made = np.maximum(np.einsum("bcijhw,ochw->boij", windows, w), 0)
    return made.reshape(*made.shape[:2], 2, 2, 2, 2).max(axis=(3, 5))


def heads(x, w):
    qkv = (x @ w).reshape(-1, 5, 3, 2, 12).transpose(2, 0, 3, 1, 4)
    mixed = shares(qkv[0] @ qkv[1].swapaxes(-1, -2) / math.sqrt(12)) @ qkv[2]
    return mixed.transpose(0, 2, 1, 3).reshape(-1, 5, 24)


def build_heads(g, x, w):
    qkv = g.permute(g.reshape(g.linear(x, w), shape=(-1, 5, 3, 2, 12)), axes=(2, 0, 3, 1, 4))
    q, k, v = (g.squeeze(each, axes=0) for each in g.split(qkv, sizes=(1, 1, 1)))
    return g.reshape(g.permute(g.attention(q, k, v)[0], axes=(0, 2, 1, 3)), shape=(-1, 5, 24))


def stacked(g, x, w):
    """Three arrays one behind the other, of which two are read side by side."""
    parts = [g.reshape(each, shape=(1, -1, 3, 4)) for each in (x, g.exp(x), x * 2.0)]
    return g.permute(g.concatenate(*parts, axis=0), axes=(1, 0, 3, 2)) + w


def taken(x, w):
    return w[np.clip(np.abs(x), 0, 8).astype(int)] * 2


BY_ROWS = {
    "attention": ((5, 24), normal(24, 72) / 5, build_heads, heads),
    "images": (
        (3, 4, 4),
        normal(6, 3, 3, 3) / 5,
        lambda g, x, w: g.max_pool(g.relu(g.conv(x, w, padding=1)), window=2)[0],
        images,
    ),
    "as many products": (
        (4, 6),
        normal(6, 6),
        lambda g, x, w: x @ g.permute(x, axes=(0, 2, 1)) @ (x @ w),
        lambda x, w: x @ x.swapaxes(1, 2) @ (x @ w),
    ),
    "rows between axes": (
        (3, 4),
        normal(4, 3),
        stacked,
        lambda x, w: np.stack((x, np.exp(x), x * 2)).transpose(1, 0, 3, 2) + w,
    ),
    "rows by indices": (
        (5,),
        normal(9, 16),
        lambda g, x, w: g.gather(w, g.cast(g.clip(g.absolute(x), low=0.0, high=8.0), dtype="int64")) * 2.0,
        taken,
    ),
}


def by_rows(name):
    shape, weights, build, _ = BY_ROWS[name]
    g = ts.graph()
    return g.compile(build(g, g.input((ts.RUNTIME, *shape)), g.constant(weights)))


@pytest.mark.parametrize("name", BY_ROWS)
def test_a_loop_over_the_rows_computes_what_has_no_kernel_of_any_number(name):
    shape, weights, _, exact = BY_ROWS[name]
    f = by_rows(name)
    for rows in (1, 2, 33):
        array = guarded(normal(rows, *shape), SIDES[0], False)
        found = [f(array, threads=threads) for threads in (1, 2, 3)]
        np.testing.assert_allclose(found[0], exact(array.astype(np.float64), weights), rtol=1e-4, atol=1e-5)
        assert all(np.array_equal(found[0], each) for each in found[1:]), "the bits depend on the number of threads"
    assert not f.explain().each_size


def test_workers_do_not_race_in_a_loop_over_the_rows():
    array, made = normal(3, 3, 4), np.zeros((3, 3, 4, 3), np.float32)
    _, weights, _, exact = BY_ROWS["rows between axes"]
    by_rows("rows between axes").of(3).executor.emulated([array, made], workers=2, turns=1)
    np.testing.assert_allclose(made, exact(array, weights), rtol=1e-4, atol=1e-5)


def test_indices_of_the_rows_are_checked():
    g = ts.graph()
    f = g.compile(g.gather(g.constant(normal(9, 4)), g.input((ts.RUNTIME, 2), "int64"), negative=False))
    assert f(np.full((3, 2), 8)).shape == (3, 2, 4) and not f.explain().each_size
    with pytest.raises(IndexError):
        f(np.array([[0, 9]]))


def test_a_number_that_depends_on_the_rows_is_an_operand():
    def graph(rows):
        g = GraphBuilder()
        return g.finish(g.input((rows, 4)) * (1 / rows))

    program = RowsProgram(graph)
    for rows in (4, 7):
        array, made = normal(rows, 4), np.zeros((rows, 4), np.float32)
        program.of(graph(rows), rows).run([address_of(array)], [address_of(made)])
        assert np.array_equal(made, array * np.float32(1 / rows))


def attention(g, x):
    return g.attention(*(g.reshape(x, shape=(1, 1, -1, 8)) for _ in range(3)))[0]


def attended(x):
    scores = x @ x.T / math.sqrt(8)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True) @ x)[None, None]


REFUSED = {
    "the place of the largest": (lambda g, x: g.argmax(x, axis=0), lambda x: x.argmax(axis=0), "a reduction over"),
    "attention over them": (attention, attended, "attention: no kernel of any number of rows"),
    "products of them": (lambda g, x: x @ g.permute(x, axes=(1, 0)), lambda x: x @ x.T, "with the rows of the call"),
    "an order of them": (lambda g, x: g.flip(x, axes=0) + 1.0, lambda x: x[::-1] + 1, "depend on the number of rows"),
    "a joined axis": (
        lambda g, x: g.softmax(g.permute(x, axes=(1, 0))) * 2.0,
        lambda x: 2 * (np.exp(x) / np.exp(x).sum(axis=0)).T,
        "a reduction over the rows",
    ),
    "their last ones": (
        lambda g, x: g.slice(x, starts=(-2,), stops=(None,), axes=(0,)) * 2.0,
        lambda x: x[-2:] * 2,
        "",
    ),
}


def test_the_largest_of_no_rows_is_refused():
    g = ts.graph()
    f = g.compile(g.max(g.input((ts.RUNTIME, 8)), axes=0))
    array = normal(5, 8)
    assert np.array_equal(f(array), array.max(axis=0)) and not f.explain().each_size
    with pytest.raises(ValueError, match="max"):
        f(normal(0, 8))


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_the_number_has_a_program_for_each(name):
    build, exact, reason = REFUSED[name]
    g = ts.graph()
    f = g.compile(build(g, g.input((ts.RUNTIME, 8))))
    for rows in (3, 33):
        array = normal(rows, 8)
        np.testing.assert_allclose(f(array), exact(array.astype(np.float64)), rtol=1e-4, atol=1e-5)
    assert reason in f.explain().each_size and f.explain().each_size in str(f)


def test_a_number_whose_graph_is_another_one_has_a_program_of_its_own():
    g = ts.graph()
    x = g.input((ts.RUNTIME, 4))
    f = g.compile(g.sqrt(g.slice(x, starts=(0,), stops=(50,), axes=(0,))), x + 1.0)
    for rows in (3, 50, 120):
        array = np.abs(normal(rows, 4))
        root, more = f(array)
        assert np.array_equal(root, np.sqrt(array[:50])) and np.array_equal(more, array + 1)
    assert not f.explain().each_size


def test_operands_lie_where_they_do():
    """Rows with gaps between them are read and written in place; those of broadcast operands are read again."""
    g = ts.graph()
    x, scale = g.input((ts.RUNTIME, 4, 24)), g.input((4, 1))
    part = g.slice(x, starts=(0,), stops=(16,), axes=(2,))
    y = g.concatenate(g.relu(g.linear(part, g.constant(w := normal(16, 8)))), g.exp(part), axis=2)
    f = g.compile(y, part * scale)
    for rows in (1, 9):
        array, by = normal(rows, 4, 24), normal(4, 1)
        left = array[..., :16].astype(np.float64)
        joined, scaled = f(array, by)
        np.testing.assert_allclose(joined, np.concatenate((np.maximum(left @ w, 0), np.exp(left)), 2), 1e-4, 1e-5)
        assert np.array_equal(scaled, array[..., :16] * by)


@pytest.mark.parametrize("columns", (1, 3))
@pytest.mark.parametrize("dtype", (np.float32, np.int32))
def test_calls_without_rows_are_those_of_numpy(columns, dtype):
    """Sums, products of matrices and products of no elements have a value; extrema and their positions have none."""
    x, kind = np.zeros((0, columns), dtype), np.dtype(dtype).name
    asked = {
        "sum": lambda g, x: g.sum(x, axes=0),
        "prod": lambda g, x: g.prod(x, axes=(0,)),
        "matmul": lambda g, x: g.matmul(g.permute(x, axes=(1, 0)), x),
        "max": lambda g, x: g.max(x, axes=0),
        "min": lambda g, x: g.min(x, axes=(0, 1)),
        "argmax": lambda g, x: g.argmax(x, axis=0),
    }
    for name, build in asked.items():
        if name == "matmul" and dtype is np.int32:
            continue  # no kernel multiplies them
        g = ts.graph()
        f = g.compile(build(g, g.input((ts.RUNTIME, columns), dtype=kind)))
        if name in ("max", "min", "argmax"):
            with pytest.raises(ValueError, match=f"{name}: x \\(0, {columns}\\) has no elements along"):
                f(x)
        else:
            wanted = x.T @ x if name == "matmul" else getattr(np, name)(x, axis=0)
            assert np.array_equal(f(x), wanted)
        ones = np.ones((2, columns), dtype)  # one number of rows does not spoil another one
        assert f(ones).size == (1 if name == "min" else columns * columns if name == "matmul" else columns)
