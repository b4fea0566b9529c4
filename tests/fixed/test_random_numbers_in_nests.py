"""A kernel of random numbers drew the same ones in every block of a nest and in every call, without a word: its seed
and the first row were constants of the nest."""

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.threefry_model import words

M, N, BM, BN = 24, 40, 4, 8
BLOCKS = {"b": (0, M, BM), "c": (0, N, BN)}
SHAPE = (M, N), "f32"
SEEDS = [0, 7, 0x123456789ABCDEF, 2**63 - 1]
X = np.random.default_rng(0).standard_normal((M, N)).astype(np.float32)


def blocked(kernel, string="BC", **more):
    """Return a nest of blocks of BM x BN, each at its own place."""

    def body(i, x, y, seed):
        kernel(x[i.b, i.c], seed, i.b, i.c, y[i.b, i.c])

    return ts.nest(string, BLOCKS, body, x=SHAPE, y=((M, N), more.get("out", "f32")), seed=ts.RUNTIME)


@pytest.mark.parametrize("name, more", [("dropout", {"rate": 0.5}), ("round_stochastic", {"out": "f16"})])
def test_blocks_draw_what_the_whole_matrix_draws(name, more):
    whole = ts.unary(name, M, N, **more)
    nest = blocked(ts.unary(name, BM, BN, origin=ts.RUNTIME, ldx=N, ldy=N, **more), **more)
    drawn = []
    for seed in SEEDS:
        wanted = whole(X, seed)
        for workers in (1, 2):
            y = np.zeros_like(wanted)
            nest(X, y, seed, threads=workers)
            assert y.tobytes() == wanted.tobytes()
        if name == "dropout":
            assert np.array_equal(wanted != 0, words(M, N, seed).astype(np.uint32).view(np.int32) >= 0)
        drawn.append(wanted.tobytes())
    assert len(set(drawn)) == len(SEEDS)


def test_random_bits_of_blocks_without_a_matrix():
    kernel = ts.unary("random", BM, N, origin=ts.RUNTIME)
    y: Any = np.zeros((M // BM, BM, N), np.int32)
    nest = ts.nest(
        "B",
        {"b": (0, M // BM, 1)},
        lambda i, y, seed: kernel(seed, BM * i.b, 0, y[i.b]),
        y=(y.shape, "i32"),
        seed=ts.RUNTIME,
    )
    nest(y, seed=SEEDS[2], threads=2)
    assert np.array_equal(y.reshape(M, N).view(np.uint32), words(M, N, SEEDS[2]))


def test_an_epilogue_with_dropout():
    a, b = (np.random.default_rng(1).integers(-3, 4, shape).astype(np.float32) for shape in ((M, 5), (5, N)))
    product = ts.brgemm(BM, BN, 5, beta=0, epilogue=lambda c: ts.dropout(c, 0.5), origin=ts.RUNTIME, ldb=N, ldc=N)
    nest = ts.nest(
        "BC",
        BLOCKS,
        lambda i, a, b, c, seed: product(a[i.b, 0], b[0, i.c], c[i.b, i.c], seed, i.b, i.c),
        a=((M, 5), "f32"),
        b=((5, N), "f32"),
        c=SHAPE,
        seed=ts.RUNTIME,
    )
    for seed in SEEDS:
        c = np.empty((M, N), np.float32)
        nest(a, b, c, seed, threads=2)
        kept = words(M, N, seed).astype(np.uint32).view(np.int32) >= 0
        assert np.array_equal(c, 2 * kept * (a.astype(float) @ b))


def test_any_number_of_rows_and_a_rest():
    fused = ts.equation(lambda x: ts.dropout(ts.softmax(x, axis=1), 0.5), x=(ts.RUNTIME, N), origin=ts.RUNTIME)
    whole = ts.equation(lambda x: ts.dropout(ts.softmax(x, axis=1), 0.5), x=(M, N))

    def body(i, x, y, seed):
        with ts.when(i.b < 20):
            fused(x[i.b, 0], seed, i.b, 0, y[i.b, 0], 10)
        with ts.when(i.b == 20):
            fused(x[i.b, 0], seed, i.b, 0, y[i.b, 0], 4)

    nest = ts.nest("B", {"b": (0, M, 10)}, body, x=SHAPE, y=SHAPE, seed=ts.RUNTIME)
    y = np.zeros((M, N), np.float32)
    nest(X, y, 99, threads=2)
    assert y.tobytes() == whole(X, 99).tobytes()


def test_a_region_and_the_emulator():
    kernel = ts.unary("dropout", BM, N, rate=0.5, origin=ts.RUNTIME)
    first = ts.nest(
        "B",
        {"b": (0, M, BM)},
        lambda i, x, h, seed: kernel(x[i.b, 0], seed, i.b, 0, h[i.b, 0]),
        x=SHAPE,
        h=SHAPE,
        seed=ts.RUNTIME,
    )
    then = ts.nest(
        "B",
        {"b": (0, M, BM)},
        lambda i, seed, h, y: kernel(h[i.b, 0], seed + 1, i.b, 0, y[i.b, 0]),
        seed=ts.RUNTIME,
        h=SHAPE,
        y=SHAPE,
    )
    region = ts.region(first, then)
    whole = ts.unary("dropout", M, N, rate=0.5)
    h, y = np.zeros((M, N), np.float32), np.zeros((M, N), np.float32)
    for run in (
        region,
        lambda *args: region.run(*args, workers=2),
        lambda x, h, seed, y: region.run(x, h, y=y, seed=seed, turns=5, workers=2),
    ):
        h[...] = y[...] = 0
        run(X, h, SEEDS[1], y)
        assert y.tobytes() == whole(whole(X, SEEDS[1]), SEEDS[1] + 1).tobytes()


@pytest.mark.parametrize(
    "more, call, said",
    [
        ({}, lambda k, i, x, y, seed: k(x[i.b, 0], seed, y[i.b, 0]), "origin=ts.RUNTIME"),
        ({}, lambda k, i, x, y, seed: k(x[i.b, 0], 7, y[i.b, 0]), "seed=ts.RUNTIME"),
        ({"origin": ts.RUNTIME}, lambda k, i, x, y, seed: k(x[i.b, 0], seed, 0, 0, y[i.b, 0]), "overlap"),
        ({"origin": ts.RUNTIME}, lambda k, i, x, y, seed: k(x[i.b, 0], seed, 0, i.b, y[i.b, 0]), "overlap"),
    ],
)
def test_what_would_draw_twice_is_refused(more, call, said):
    kernel = ts.unary("dropout", BM, N, rate=0.5, **more)
    with pytest.raises(ts.UnsupportedError, match=said):
        ts.nest(
            "B", {"b": (0, M, BM)}, lambda i, x, y, seed: call(kernel, i, x, y, seed), x=SHAPE, y=SHAPE, seed=ts.RUNTIME
        )


def test_an_origin_before_the_matrix():
    kernel = ts.unary("dropout", BM, N, rate=0.5, origin=ts.RUNTIME)
    with pytest.raises(ValueError, match="row .*0 or more, not -4"):
        ts.nest(
            "B",
            {"b": (0, M, BM)},
            lambda i, x, y, seed: kernel(x[i.b, 0], seed, i.b - 4, 0, y[i.b, 0]),
            x=SHAPE,
            y=SHAPE,
            seed=ts.RUNTIME,
        )


def test_other_numbers_are_known_when_the_nest_is_made():
    kernel = ts.unary("relu", ts.RUNTIME, N)
    with pytest.raises(ts.UnsupportedError, match="rows, which the call gives, can be a seed, row or column"):
        ts.nest(
            "b", {"b": (0, 1, 1)}, lambda i, x, y, rows: kernel(x[0], y[0], rows), x=SHAPE, y=SHAPE, rows=ts.RUNTIME
        )


def test_seeds_of_calls_are_checked():
    nest = blocked(ts.unary("dropout", BM, BN, rate=0.5, origin=ts.RUNTIME, ldx=N, ldy=N))
    for seed, error in ((-1, ValueError), (1.5, TypeError), (2**64, (ValueError, OverflowError))):
        with pytest.raises(error, match="seed"):
            nest(X, np.zeros_like(X), seed)
