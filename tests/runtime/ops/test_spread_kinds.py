"""Kernels that move or reduce elements give the bits of one call on any number of threads, between guard pages. Sums
that are cut are of whole numbers, so that their order makes no difference, or are compared with numpy in f64."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tilesmith.microkernels.operands import Operand
from tilesmith.runtime.kernel.callable import Kernel

TYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "i8": np.int8,
}
ROWS = 50  # of tables
KERNELS: dict[str, Callable[[], Kernel]] = {
    "sums of rows": lambda: ts.reduce("sum", 700, 40, axis=1),
    "sums of many columns": lambda: ts.reduce("sum", 90, 2001, axis=0),
    "sums of few columns": lambda: ts.reduce("sum", 3001, 20, axis=0, ldx=23),
    "sums and squares of all, with init": lambda: ts.reduce("sum", 900, 33, squared=True, init=True),
    "sum and squares": lambda: ts.reduce("sum", 900, 33, axis=0, squared="both"),
    "largest squares": lambda: ts.reduce("max", 900, 33, axis=0, squared=True, dtype="i8"),
    "absmax of all": lambda: ts.reduce("absmax", 900, 33, keepdims=True),
    "places of the largest of columns": lambda: ts.reduce("argmax", 90, 2001, axis=0),
    "transpose": lambda: ts.transpose(301, 77, ldx=79, ldy=303),
    "transpose of bytes": lambda: ts.transpose(3001, 7, dtype="u8"),
    "pairs": lambda: ts.transform("vnni2", 301, 1001, dtype="bf16"),
    "fours of the transpose": lambda: ts.transform("vnni4t", 301, 1001, dtype="u8"),
    "blocks": lambda: ts.transform("mmla2x4", 1001, 31, dtype="bf16"),
    "transpose that converts": lambda: ts.transpose(301, 770, out="bf16", ldx=771, ldy=303),
    "transpose of few rows with an epilogue": lambda: ts.transpose(
        7, 1500, epilogue=lambda x, s, t: x * s + t, operands={"s": "row", "t": "col"}
    ),
    "pairs of rounded weights": lambda: ts.transform(
        "vnni2", 301, 700, "f32", out="bf16", epilogue=lambda x, s: x * s, operands={"s": "row"}
    ),
    "fours of the transpose, quantised": lambda: ts.transform("vnni4t", 301, 701, "f32", out="i8"),
    "columns contiguous": lambda: ts.binary("add", 301, 700, order="F"),
    "one operand by columns": lambda: ts.binary("add", 301, 700, order={"x1": "F"}),
    "tiles": lambda: ts.transform("amxb", 101, 1001, dtype="bf16"),
    "gather of rows": lambda: ts.gather("rows", 300, 70, size=ROWS, out="bf16", scale="row", bias="col"),
    "gather of columns": lambda: ts.gather("columns", 300, 70, size=ROWS, index="i64"),
    "gather of elements": lambda: ts.gather("offsets", 300, 70, size=ROWS),
    "gather in steps": lambda: ts.gather("stride", 300, 70, step=3),
    "scatter of rows": lambda: ts.scatter("rows", 30, 2001, size=ROWS),
    "scatter of columns": lambda: ts.scatter("columns", 300, 70, size=ROWS + 20),
    "bags": lambda: ts.embedding_bag(130, 64, size=ROWS, count=900),
    "bags with weights": lambda: ts.embedding_bag(130, 64, size=ROWS, count=900, weights=True, dtype="bf16"),
    "rows by an index, added in order": lambda: ts.equation(
        lambda x, i, j: ts.scatter(ts.gather(x, i) * 0.3, j, ROWS, add=True), x=(ROWS, 2001), i=(70,), j=(70,)
    ),
    "columns' sums beside rows": lambda: ts.equation(lambda x: (x * 2.0, ts.sum(x, axis=0)), x=(3001, 20)),
    "a mean of all rows": lambda: ts.equation(lambda x: x - ts.max(x, axis=0), x=(900, 33)),
    "norms of groups": lambda: ts.fused("groupnorm_training", 8 * 3, 1000, groups=4, channels=8),
    "norms of groups of one sample": lambda: ts.fused("groupnorm_training", 12, 3000, groups=4),
    "norms of groups of many samples": lambda: ts.fused("groupnorm_training", 8 * 9, 500, groups=4, channels=8),
    "norms of channels": lambda: ts.fused("batchnorm", 3000, 64),
    "gradients of norms of channels": lambda: ts.fused("batchnorm_inv", 3000, 64),
    "sums for the gradients of norms of channels": lambda: ts.fused("batchnorm_sums", 3000, 64),
    "gradients of norms of groups": lambda: ts.fused("groupnorm_training_inv", 8 * 3, 1000, groups=4, channels=8),
}


def arguments(kernel: Kernel) -> list[Any]:
    """Return arguments of whole numbers between guard pages; outputs are 7."""
    rng, made = np.random.default_rng(0), []
    spec: Any = kernel.spec
    for each in spec.arguments:
        assert isinstance(each, Operand)
        dtype = TYPES[each.dtype]
        if each.name == "offsets":
            values = np.sort(rng.integers(0, spec.count + 1, each.shape))
            values[0], values[-1] = 0, spec.count
        elif each.dtype in ("i32", "i64") and not each.output:  # columns are scattered to places that differ
            places = rng.permutation(ROWS + 20)[: each.columns]
            values = places if spec.stem.startswith("scatter_columns") else rng.integers(0, ROWS, each.shape)
        else:
            values = np.full(each.shape, 7) if each.output else rng.integers(-4, 5, each.shape)
        leading = each.view.leading
        if len(each.shape) == 2 and isinstance(leading, int) and leading > each.columns and not each.vector:
            whole = np.zeros((each.rows, leading), dtype)
            whole[:, : each.columns] = values
            made.append(guarded(whole[:, : each.columns], "end", writable=each.output))
        elif each.view.order == "F" and len(each.shape) == 2:
            made.append(guarded(np.asfortranarray(values.astype(dtype)), "end", writable=each.output))
        else:
            made.append(guarded(np.asarray(values).astype(dtype), "end", writable=each.output))
    return made


@pytest.mark.parametrize("name", KERNELS)
def test_parts_have_the_bits_of_the_whole(name: str) -> None:
    kernel = KERNELS[name]()
    wanted = arguments(kernel)
    kernel(*wanted)
    spread = ts.spread(kernel)
    assert spread._whole.parts > 1
    for threads in (1, 2, 3, 7):
        found = arguments(kernel)
        integers, keep = spread._call(*found)
        spread.at(integers, threads)
        del keep
        for one, other in zip(found, wanted, strict=True):
            assert one.tobytes() == other.tobytes()
            check_canary(one)
    found = arguments(kernel)
    spread(*found, threads=2)
    assert all(one.tobytes() == other.tobytes() for one, other in zip(found, wanted))


def test_sums_that_are_cut_are_near_the_exact_ones() -> None:
    rng = np.random.default_rng(1)
    x, g = rng.standard_normal((2, 3000, 64)).astype(np.float32)
    wide = x.astype(np.float64)
    for axis in (0, None):
        for name, exact in (("sum", wide.sum(axis)), ("mean", wide.mean(axis))):
            found = ts.spread(ts.reduce(name, 3000, 64, axis=axis))(x)
            assert np.allclose(found, exact, rtol=1e-5, atol=1e-4)
    training = ts.spread(ts.fused("batchnorm_training", 3000, 64))
    gamma, beta = rng.standard_normal((2, 1, 64)).astype(np.float32)
    alone = ts.fused("batchnorm_training", 3000, 64)
    some = [training(x, gamma, beta, threads=threads) for threads in (1, 2, 7)]
    centred = wide - wide.mean(0)
    y = centred / np.sqrt((centred**2).mean(0) + 1e-5) * gamma + beta
    for each in some:
        assert all(one.tobytes() == other.tobytes() for one, other in zip(each, some[0]))
        assert np.allclose(each[0], y, atol=1e-4)
        assert all(np.allclose(one, other, rtol=1e-4, atol=1e-6) for one, other in zip(each, alone(x, gamma, beta)))
    assert "then parts of" in repr(training)
    deviation = np.sqrt(centred.var(0) + 1e-5)
    z, gz = centred / deviation, g.astype(np.float64)
    expected = (gamma / deviation * (gz - gz.mean(0) - z * (gz * z).mean(0)), (gz * z).sum(0), gz.sum(0))
    gradient = ts.spread(ts.fused("batchnorm_training_inv", 3000, 64))
    mean, inverse = (each.astype(np.float32).reshape(1, 64) for each in (wide.mean(0), 1 / deviation))
    for threads in (1, 2, 7):
        for one, other in zip(gradient(g, x, mean, inverse, gamma, threads=threads), expected):
            assert np.allclose(one, other, rtol=1e-4, atol=1e-3)
    backward = ts.fused("layernorm_inv", 3000, 64)
    given = g, x, gamma
    for one, other in zip(ts.spread(backward)(*given, threads=3), backward(*given)):
        assert np.allclose(one, other, atol=1e-3)


def test_workers_do_not_race_in_the_emulator() -> None:
    x = np.arange(300 * 20, dtype=np.float32).reshape(300, 20)
    kernel = ts.equation(lambda x: x - ts.max(x, axis=0), x=(300, 20), target="avx2")
    found = ts.spread(kernel).run(x, workers=2, turns=3)
    assert np.array_equal(found, x - x.max(0))


def test_saved_and_pickled() -> None:
    spread = ts.spread(ts.reduce("max", 3001, 20, axis=0))
    x = np.random.default_rng(2).standard_normal((3001, 20)).astype(np.float32)
    assert np.array_equal(pickle.loads(pickle.dumps(spread))(x), x.max(0))
    about = spread.declared("largest").about
    assert "scratch memory" in about and "returns when all workers have called it" in about


def test_indices_are_checked_in_every_call() -> None:
    spread = ts.spread(ts.gather("rows", 3000, 8, size=5, index="i32"))
    x, index = np.ones((5, 8), np.float32), np.zeros(3000, np.int32)
    assert (spread(x, index, threads=2) == 1).all()
    index[2999] = 5
    with pytest.raises(IndexError, match="entry 2999"):
        spread(x, index, threads=2)
    bags = ts.spread(ts.embedding_bag(300, 8, size=5, count=3000))
    offsets = np.arange(0, 3001, 10)
    index[2999] = 4
    assert (bags(x, index.astype(np.int64), offsets, threads=2) == 10).all()
    offsets[300] = 3001
    with pytest.raises((IndexError, ValueError), match="offsets"):
        bags(x, index.astype(np.int64), offsets, threads=2)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_extents_that_the_call_gives(threads: int) -> None:
    rng, any_ = np.random.default_rng(3), ts.RUNTIME
    x, index = rng.standard_normal((64, 64)).astype(np.float32), rng.integers(0, 64, 9000)
    offsets = np.sort(np.append(rng.integers(0, 9001, 2999), [0, 9000]))
    for kernel, given in (
        (ts.embedding_bag(3000, 64, size=64, count=any_), (x, index, offsets)),
        (ts.embedding_bag(any_, 64, size=any_, count=any_), (x, index, offsets)),
        (ts.gather("rows", any_, 64, size=64, index="i64"), (x, index)),
        (ts.gather("rows", 9000, 64, size=any_, index="i64"), (x, index)),
    ):
        found = guarded(np.zeros_like(kernel(*given)), "end")
        ts.spread(kernel)(*given, found, threads=threads)
        assert found.tobytes() == kernel(*given).tobytes()
    for by, rows in (("rows", 900), ("columns", 64)):
        kernel, to = ts.scatter(by, any_, 64, size=64, index="i64"), rng.permutation(64)
        of = index[:rows] if by == "rows" else to
        data = rng.standard_normal((rows, 64)).astype(np.float32)
        wanted, found = np.zeros((2, 64, 64), np.float32)
        kernel(data, of, wanted)
        ts.spread(kernel)(data, of, found, threads=threads)
        assert (wanted == found).all()


def test_what_is_refused() -> None:
    for make, reason in {
        lambda: ts.scatter("offsets", 40, 70, size=9): "in order",
        lambda: ts.reduce("argmax", 40, 70): "counts them from the first",
        lambda: ts.transpose(64, 64, in_place=True): "in place",
        lambda: ts.gather("rows", 40, 70, size=9, bounds="kernel"): 'bounds="call"',
        lambda: ts.embedding_bag(40, 70, size=9, count=9, bounds="kernel"): 'bounds="call"',
        lambda: ts.unary("relu", 50, 4, order="F", ldx=ts.RUNTIME): "must be a number",
    }.items():
        with pytest.raises(ts.UnsupportedError, match=reason):
            ts.spread(make())
