"""Sums of gathered rows have the bits of the definition, between guard pages, on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, check, elements, sizes, strided
from tests.guard import SIDES, address
from tests.kernel_runs import call, few_and_many, server_for
from tilesmith.emulation.numerics import fp
from tilesmith.microkernels.dtypes import FLOAT8
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.gather.bag_spec import NAMES, SUMS, BagSpec, bag_spec
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]

FEW, MANY = 20, 40
machines = pytest.mark.parametrize("name", MACHINES)


@st.composite
def requests(draw: st.DrawFn) -> tuple[BagSpec, int, str]:
    bags, n = draw(st.integers(1, 5)), draw(st.one_of(sizes, st.integers(1, 300)))
    spec = bag_spec(
        bags,
        n,
        size=draw(st.integers(1, 40)),
        count=draw(st.integers(1, 30)),
        dtype=draw(st.sampled_from(list(SUMS))),
        index=draw(st.sampled_from(["i32", "i64"])),
        weights=draw(st.booleans()),
        prefetch=draw(st.sampled_from([0, 1, 8, 100])),
        bounds=draw(st.sampled_from(["call", "kernel"])),
        ldx=n + draw(st.sampled_from([0, 3])),
        ldy=n + draw(st.sampled_from([0, 5])),
        name=draw(st.sampled_from(NAMES)),
    )
    return spec, draw(st.integers(0, 1 << 20)), draw(st.sampled_from(SIDES))


def drawn(spec: BagSpec, seed: int) -> dict[str, Array]:
    """Return random operands. If the kernel checks bounds, some indices and offsets lie outside."""
    rng = np.random.default_rng(seed)
    sums = numpy_dtype(spec.acc_dtype)
    index = rng.integers(0, spec.size, spec.count, numpy_dtype(spec.index))
    offsets = np.sort(rng.integers(0, spec.count + 1, spec.bags + 1))
    if spec.bounds == "kernel" and rng.integers(0, 2):
        ends = np.iinfo(index.dtype)
        wrong = rng.choice(np.array([-1, spec.size, ends.min, ends.max], index.dtype), index.shape)
        index = np.where(rng.random(index.shape) < 0.2, wrong, index)
        offsets = rng.choice([*offsets, -3, spec.count + 9, 1 << 40], offsets.shape)
    shape, to = (spec.size, spec.n), numpy_dtype(spec.dtype)
    whole = to.kind in "iu"  # i32 of all magnitudes, which round as f32 and wrap in their sums
    x = elements(spec.dtype, shape, rng) if whole else rng.standard_normal(shape).astype(to)
    made = {"x": strided(x, spec.ldx), "index": index, "offsets": offsets.astype(np.int64)}
    if spec.weighted:
        made["weights"] = rng.standard_normal(spec.count).astype(sums)
    return made


def expected(spec: BagSpec, given: dict[str, Array]) -> tuple[Array, int]:
    """Compute the result by definition, term by term. An offset outside stands for the end of the index."""
    sums = numpy_dtype(spec.acc_dtype)
    y, first = np.zeros((spec.bags, spec.n), sums), -1
    lowest, highest = (-np.inf, np.inf) if sums.kind == "f" else (-(1 << 31), (1 << 31) - 1)
    start = {"max": lowest, "min": highest}.get(spec.name, 0)
    joined = {"max": _maximum, "min": lambda a, b: -_maximum(-a, -b) if sums.kind == "f" else np.minimum(a, b)}.get(
        spec.name
    )
    ends = [each if 0 <= each < spec.count else spec.count for each in given["offsets"].tolist()]
    for b in range(spec.bags):
        if ends[b] < ends[b + 1]:
            y[b] = start
        for p in range(ends[b], ends[b + 1]):
            at = int(given["index"][p])
            if not 0 <= at < spec.size:
                first = p if first < 0 or p < first else first
                continue
            row = given["x"][at].astype(sums)
            weight = np.broadcast_to(given["weights"][p], row.shape) if spec.weighted else None
            if joined is not None:
                y[b] = joined(y[b], row if weight is None else row * weight)
            else:
                y[b] = y[b] + row if weight is None else fp.fma(row, weight, y[b])
        if spec.name == "mean" and ends[b] < ends[b + 1]:
            y[b] = y[b] / sums.type(ends[b + 1] - ends[b])
    return y, first


def _maximum(a: Array, b: Array) -> Array:
    """Return the maximum of IEEE 754-2019: +0 is above -0."""
    return np.where((a == 0) & (b == 0), a + b, np.maximum(a, b)) if a.dtype.kind == "f" else np.maximum(a, b)


def one(spec: BagSpec, seed: int, side: str, name: str, server: Any) -> None:
    given = drawn(spec, seed)
    wanted, first = expected(spec, given)
    outputs = {"y": strided(np.ones_like(wanted), spec.ldy), "bad": np.zeros(1, np.int64)}
    found = call(spec, MACHINES[name], given | outputs, server, side)
    assert found["y"].tobytes() == wanted.tobytes(), spec
    if spec.bounds == "kernel":
        assert found["bad"][0] == first, spec


test_some, test_many = few_and_many(requests(), one, FEW, MANY)


def test_other_names():
    """As in torch's EmbeddingBag, an empty bag gives 0, and NaN propagates."""
    x, index = np.array([[1, -2], [5, np.nan], [-3, -4]], np.float32), np.array([0, 2, 1])
    offsets = np.array([0, 2, 2, 3])
    made = {
        name: ts.embedding_bag(3, 2, size=3, count=3, name=name)(x, index, offsets) for name in ("mean", "max", "min")
    }
    np.testing.assert_array_equal(made["mean"], np.array([[-1, -3], [0, 0], [5, np.nan]], np.float32))
    np.testing.assert_array_equal(made["max"], np.array([[1, -2], [0, 0], [5, np.nan]], np.float32))
    np.testing.assert_array_equal(made["min"], np.array([[-3, -4], [0, 0], [5, np.nan]], np.float32))


def test_calls():
    x, index = np.arange(12, dtype=np.float32).reshape(4, 3), np.array([3, 0, 1])
    k = ts.embedding_bag(2, 3, size=4, count=3)
    assert k(x, index, np.array([0, 2, 3])).tolist() == [[9, 11, 13], [3, 4, 5]]
    with pytest.raises(IndexError, match="index: entry 1 is 4; x has 4 rows"):
        k(x, np.array([3, 4, 1]), np.array([0, 2, 3]))
    with pytest.raises(IndexError, match="offsets: entry 2 is 4; offsets are from 0 to 3, the length of the index"):
        k(x, index, np.array([0, 2, 4]))
    with pytest.raises(IndexError, match="offsets: must not decrease, but entry 1 is 1, below"):
        k(x, index, np.array([2, 1, 3]))


@machines
@pytest.mark.parametrize("dtype", FLOAT8)
def test_every_byte_of_a_float(name, dtype, request):
    """Infinities and NaN in the table propagate to the sums."""
    every = np.arange(256, dtype=np.uint8).view(numpy_dtype(dtype)).reshape(2, 128)
    for weights in (False, True):
        spec = bag_spec(2, 128, size=2, count=2, dtype=dtype, weights=weights)
        given = {"x": every.copy(), "index": np.array([1, 0]), "offsets": np.array([0, 1, 2])}
        given |= {"weights": np.array([0.5, -2], np.float32)} if weights else {}
        given["y"] = np.ones((2, 128), np.float32)
        found = call(spec, MACHINES[name], given, server_for(name, request), "end")
        with np.errstate(invalid="ignore"):
            wide = every[::-1].astype(np.float32) * (np.array([[0.5], [-2]], np.float32) if weights else np.float32(1))
        check([found["y"]], [wide + np.float32(0)])


@machines
@pytest.mark.parametrize("dtype", SUMS)
def test_blocks_and_a_rest(name, dtype, request):
    """All sums, a weight, a mask and the conversion fit in the registers together."""
    for weights in (False, True):
        spec = bag_spec(2, 8 * 16 + 37, size=5, count=6, dtype=dtype, weights=weights, bounds="kernel")
        one(spec, 3, "end", name, server_for(name, request))


def test_quantized_tables():
    """Rows of i8 are multiplied by scales of their own, which are the weights; i32 rows are added as integers."""
    rng = np.random.default_rng(1)
    x, scale = rng.integers(-128, 128, (9, 70)).astype(np.int8), rng.random(9).astype(np.float32)
    index, offsets = np.array([8, 0, 0, 3]), np.array([0, 3, 4])
    found = ts.embedding_bag(2, 70, size=9, count=4, dtype="i8", weights=True)(x, index, scale[index], offsets)
    rows = x[index] * scale[index].astype(np.float64)[:, None]
    np.testing.assert_allclose(found, np.stack([rows[:3].sum(0), rows[3]]), rtol=1e-5, atol=1e-4)
    wide = x.astype(np.int32) << 23
    sums = ts.embedding_bag(2, 70, size=9, count=4, dtype="i32")(wide, index, offsets)
    assert sums.dtype == np.int32 and (sums == np.stack([wide[index[:3]].sum(0, dtype=np.int32), wide[3]])).all()


def test_a_prefetch_beyond_the_table_is_harmless():
    """An index far outside the table is prefetched before the kernel refuses it."""
    x, y, bad = np.ones((2, 64), np.float32), np.zeros((1, 64), np.float32), np.zeros(1, np.int64)
    index = np.array([1, 1 << 40, -(1 << 50), 0])
    ts.embedding_bag(1, 64, size=2, count=4, prefetch=2, bounds="kernel")(x, index, np.array([0, 4]), y, bad)
    assert (y == 2).all() and bad[0] == 1
    assert address(x)


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (UnsupportedError, "dtype: f64, i32, f32", lambda: ts.embedding_bag(2, 3, size=4, count=3, dtype="i64")),
        (TypeError, "dtype: an element type", lambda: ts.embedding_bag(2, 3, size=4, count=3, dtype=["f32"])),
        (ValueError, "prefetch", lambda: ts.embedding_bag(2, 3, size=4, count=3, prefetch=-1)),
        (TypeError, "weights", lambda: ts.embedding_bag(2, 3, size=4, count=3, weights=1)),
        (ValueError, "count: from 1", lambda: ts.embedding_bag(2, 3, size=4, count=0)),
        (ValueError, "ldx", lambda: ts.embedding_bag(2, 3, size=4, count=3, ldx=2)),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()
