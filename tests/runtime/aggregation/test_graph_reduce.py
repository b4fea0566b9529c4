"""Reductions over graphs against numpy in f64, with the bits of one thread on any number of them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.aggregation.job import job_for, request_of
from tilesmith.runtime.aggregation.pieces import LONG, compressed

Array = np.ndarray[Any, Any]
COMBINE = {"mul": np.multiply, "add": np.add, "sub": np.subtract, "div": np.divide}
REDUCE = {"sum": np.add, "mean": np.add, "max": np.maximum, "min": np.minimum}
TYPES = (np.float32, np.float64, ml_dtypes.bfloat16, np.float16)
KINDS = ("empty", "few", "full", "power law")
EXACT = (-4, -3, -2, -1, 1, 2, 3, 4)


def graph(kind: str, rows: int, sources: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the ends of rows, and indices."""
    lengths = {
        "empty": np.zeros(rows, np.int64),
        "few": rng.integers(0, 4, rows),
        "full": np.full(rows, sources),
        "power law": np.minimum(rng.zipf(1.4, rows), 30_000),
    }[kind]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    return ends, rng.integers(0, sources, int(ends[-1])) if sources else np.zeros(0, np.int64)


def terms_of(ends: Array, indices: Array, table: Array, combine: str, operand: dict[str, Any]) -> Array:
    """Return the term of each entry, in f64."""
    made = table.astype(np.float64)[indices]
    for name, value in operand.items():
        if name == "pairs":
            other = value[0].astype(np.float64)[value[1]]
        elif name == "rows":
            other = np.repeat(value.astype(np.float64), np.diff(ends), axis=0)
        else:
            other = value.astype(np.float64)[:, None] if value.ndim == 1 else value.astype(np.float64)
        made = (made * other).sum(1, keepdims=True) if combine == "dot" else COMBINE[combine](made, other)
    return made


def reduced(ends: Array, terms: Array, op: str) -> tuple[Array, Array]:
    """Return the reduction of each row, and the first entry of each extremum."""
    y, arg = np.zeros((len(ends) - 1, terms.shape[1])), np.full((len(ends) - 1, terms.shape[1]), -1)
    for row, (first, last) in enumerate(zip(ends, ends[1:])):
        if last > first:
            y[row] = REDUCE[op].reduce(terms[first:last], axis=0) / (last - first if op == "mean" else 1)
            if op in ("max", "min"):
                arg[row] = first + (terms[first:last] == y[row]).argmax(axis=0)
    return y, arg


def operand_of(name: str, ends: Array, entries: int, table: Array, rng: np.random.Generator) -> dict[str, Any]:
    """Return the operand with this name, of powers of two, by which every product and quotient is exact."""
    rows = {"weights": entries, "edges": entries, "rows": len(ends) - 1, "pairs": 5}.get(name, 0)
    shape = (rows,) if name == "weights" else (rows, table.shape[1])
    made = rng.choice([-2.0, -1, 1, 2], shape).astype(table.dtype)
    return {} if not name else {name: (made, rng.integers(0, 5, entries, np.int32)) if name == "pairs" else made}


@settings(max_examples=scaled(40, 4000), deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    rows=st.integers(0, 40),
    sources=st.integers(1, 30),
    n=st.sampled_from((1, 5, 16, 39)),
    dtype=st.sampled_from(TYPES),
    index=st.sampled_from((np.int32, np.int64)),
    op=st.sampled_from(("sum", "mean", "max", "min", "each")),
    name=st.sampled_from(("", "weights", "edges", "rows", "pairs")),
    combine=st.sampled_from(("mul", "add", "sub", "div", "dot")),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 1 << 16),
)
def test_any_graph(
    kind: str,
    rows: int,
    sources: int,
    n: int,
    dtype: Any,
    index: Any,
    op: Any,
    name: str,
    combine: Any,
    side: str,
    seed: int,
) -> None:
    """Whole numbers, whose sums are exact in any order."""
    rng = np.random.default_rng(seed)
    ends, indices = graph(kind, rows, sources, rng)
    table = rng.choice(EXACT, (sources, n)).astype(dtype)
    combine = "mul" if not name or (name == "weights" and combine == "dot") else combine
    operand = operand_of(name, ends, len(indices), table, rng)
    terms = terms_of(ends, indices, table, combine, operand)
    wanted, where = (terms, np.zeros(0)) if op == "each" else reduced(ends, terms, op)
    wanted = wanted[:, 0] if combine == "dot" else wanted
    out = guarded(np.full(wanted.shape, 7, np.float64 if dtype == np.float64 else np.float32), side, writable=True)
    search = op in ("max", "min")
    given_ = guarded(ends.astype(index), side), guarded(indices.astype(index), side), guarded(table, side)
    found = ts.graph_reduce(*given_, op, combine=combine, **operand, arg=search, out=out, threads=1)
    np.testing.assert_allclose(out, wanted, rtol=1e-6)
    check_canary(out)
    if search:
        np.testing.assert_array_equal(found[1].reshape(where.shape), where)
    for threads in (2, 3, 7):
        other = ts.graph_reduce(*given_, op, combine=combine, **operand, threads=threads)
        assert other.tobytes() == out.tobytes()


@pytest.mark.parametrize("op", ["sum", "mean", "max", "min"])
def test_long_rows(op: Any) -> None:
    """Rows of more entries than are reduced at once, beside short and empty ones."""
    rng = np.random.default_rng(1)
    lengths = np.array([3, 0, 3 * LONG + 17, LONG, LONG + 1, 0, 5])
    ends = np.concatenate([[0], np.cumsum(lengths)])
    indices, table = rng.integers(0, 90, int(ends[-1])), rng.standard_normal((90, 21)).astype(np.float32)
    weights, rows = rng.standard_normal(len(indices)).astype(np.float32), np.ones((7, 21), np.float32)
    rows[2] = -1
    for operand in ({}, {"weights": weights}, {"rows": rows}):
        wanted, where = reduced(ends, terms_of(ends, indices, table, "mul", operand), op)
        exact = op in ("max", "min") and "weights" not in operand
        made = [ts.graph_reduce(ends, indices, table, op, **operand, threads=threads) for threads in (1, 2, 3, 7)]
        np.testing.assert_allclose(made[0], wanted, rtol=0 if exact else 1e-4, atol=0 if exact else 2e-3)
        assert all(each.tobytes() == made[0].tobytes() for each in made)
        if exact:
            y, arg = ts.graph_reduce(ends, indices, table, op, **operand, arg=True)
            assert y.tobytes() == made[0].tobytes()
            np.testing.assert_array_equal(arg, where)


def test_wide_tables_in_panels() -> None:
    """A table whose rows fit in the second-level cache only in panels of columns."""
    rng = np.random.default_rng(2)
    a = sp.random_array((60, 1500), density=0.2, format="csr", dtype=np.float32, rng=rng)
    b = rng.standard_normal((1500, 700)).astype(np.float32)
    spec = ts.graph_reduce(a, b, threads=1)
    np.testing.assert_allclose(spec, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)
    assert ts.graph_reduce(a, b, threads=3).tobytes() == spec.tobytes()


def test_matrices_of_scipy() -> None:
    rng = np.random.default_rng(3)
    a = sp.random_array((9, 7), density=0.4, format="csr", rng=rng)
    x = rng.standard_normal((7, 5)).astype(np.float32)
    np.testing.assert_allclose(ts.graph_reduce(a, x), a @ x, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ts.graph_reduce(a, x[:, 0].astype(float)), a @ x[:, 0], rtol=1e-12, atol=1e-12)
    dense = np.where(a.toarray() != 0, a.toarray(), -np.inf)
    wanted = (dense[:, :, None] + x).max(axis=1)
    np.testing.assert_allclose(
        ts.graph_reduce(a, x, "max", combine="add"), np.where(np.isinf(wanted), 0, wanted), rtol=1e-6
    )
    with pytest.raises(ts.UnsupportedError, match="a.tocsr()"):
        ts.graph_reduce(a.tocsc(), x)
    with pytest.raises(TypeError, match="a matrix has its own indices"):
        ts.graph_reduce(a, a.indices, x)


def test_indices_that_lie() -> None:
    """Every kind of index outside is an error that names it, for every number of threads; nothing outside is read."""
    rng = np.random.default_rng(4)
    ends, x = np.arange(0, 4001, 8), guarded(rng.standard_normal((30, 9)).astype(np.float32), "end")
    for value in (30, -1, 1 << 40, -(1 << 62)):
        indices = rng.integers(0, 30, 4000)
        indices[[1234, 3999]] = value
        for threads in (1, 3):
            with pytest.raises(IndexError, match=f"indices: entry 1234 is {value}; the table has 30 rows"):
                ts.graph_reduce(ends, indices, x, threads=threads)
    good, other = rng.integers(0, 30, 4000), rng.integers(0, 30, 4000)
    other[77] = 30
    with pytest.raises(IndexError, match="index of pairs: entry 77 is 30; the table has 30 rows"):
        ts.graph_reduce(ends, good.astype(np.int32), x, "max", combine="add", pairs=(x, other))
    with pytest.raises(IndexError, match="indptr: entry 500 is 4000; entries must not decrease"):
        ts.graph_reduce(ends, good[:-1], x)
    with pytest.raises(IndexError, match="indptr: entry 2 is 3; entries must not decrease"):
        ts.graph_reduce(np.array([0, 5, 3]), good, x)
    with pytest.raises(IndexError, match="indptr: entry 0 is -1"):
        ts.graph_reduce(np.array([-1, 5]), good, x)


@pytest.mark.parametrize(("target", "workers"), [("avx2", 1), ("avx2", 2), ("neon", 2), ("sve256", 1)])
def test_the_job_in_the_emulator(target: str, workers: int) -> None:
    """Workers take pieces without a race, on machines that are not this one."""
    rng = np.random.default_rng(5)
    ends, indices = graph("few", 300, 6, rng)
    of, x, t = compressed(ends, indices), rng.choice(EXACT, (6, 5)).astype(np.float32), np.ones((300, 5), np.float32)
    job = job_for(
        request_of(
            5,
            (5, 5, 5),
            "f32",
            index="i64",
            name="max",
            combine="sub",
            second="rows",
            arg=True,
            pieces=of.pieces.number,
            sources=6,
            target=TARGETS[target],
        )
    )
    y, arg, bad = np.full((300, 5), 7, np.float32), np.zeros((300, 5), np.int32), np.zeros(of.pieces.number, np.int64)
    named = {"x": x, "index": indices, "t": t, "offsets": of.ends, "ranges": of.pieces.ranges, "y": y, "arg": arg}
    job.run([*named.values(), bad], workers)
    wanted, where = reduced(ends, terms_of(ends, indices, x, "sub", {"rows": t}), "max")
    assert of.pieces.number > 1 and (bad == -1).all() and (y == wanted).all() and (arg == where).all()


@pytest.mark.parametrize("op", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients(op: Any, weighted: bool) -> None:
    """The gradients of f64 are the central differences of the definition."""
    rng = np.random.default_rng(6)
    ends, indices = graph("few", 12, 7, rng)
    x, dy = rng.standard_normal((7, 3)), rng.standard_normal((12, 3))
    weights = rng.standard_normal(len(indices)) if weighted else np.ones(len(indices))
    given_ = {"weights": weights} if weighted else {}

    def loss(x: Array, w: Array) -> float:
        terms = terms_of(ends, indices, x, "mul", {"weights": w})
        return float((dy * reduced(ends, terms, op)[0]).sum())

    transpose = ts.graph_transpose(ends, indices, 7)
    for more in ({}, {"transpose": transpose}):
        dx, dw = ts.graph_reduce_backward(dy, ends, indices, x, op, **given_, **more)
        np.testing.assert_allclose(dx, _differences(lambda x: loss(x, weights), x), atol=1e-7)
        if weighted:
            np.testing.assert_allclose(dw, _differences(lambda w: loss(x, w), weights), atol=1e-7)
        else:
            assert dw is None


def _differences(function: Any, at: Array) -> Array:
    made, step = np.zeros_like(at), 1e-6
    for place in np.ndindex(*at.shape):
        moved = np.zeros_like(at)
        moved[place] = step
        made[place] = (function(at + moved) - function(at - moved)) / (2 * step)
    return made


def test_the_transposed_graph() -> None:
    rng = np.random.default_rng(7)
    a = sp.random_array((40, 30), density=0.2, format="csr", rng=rng)
    made = ts.graph_transpose(a.indptr, a.indices, 30)
    turned = sp.csr_array((a.data[made.entries], made.indices, made.indptr), shape=(30, 40))
    assert (turned.toarray() == a.toarray().T).all()
    with pytest.raises(IndexError, match="the table has 3 rows"):
        ts.graph_transpose(a.indptr, a.indices, 3)


@pytest.mark.parametrize(
    ("error", "match", "asked"),
    [
        (ValueError, "op: 'sum'", {"op": "product"}),
        (ValueError, "combine: ", {"combine": "power"}),
        (TypeError, "combine: 'add' needs one of weights", {"combine": "add"}),
        (ValueError, "arg: only of", {"arg": True}),
        (TypeError, "one operand beside the table", {"weights": np.ones(3), "edges": np.ones((3, 2), np.float32)}),
        (ValueError, "weights: a vector of 3", {"weights": np.ones(4)}),
        (ValueError, "edges: a matrix, 3 x 2", {"edges": np.ones((3, 3), np.float32)}),
        (TypeError, "rows: float32 as the table", {"rows": np.ones((2, 2))}),
        (TypeError, "pairs: ", {"pairs": np.ones(2)}),
        (ts.UnsupportedError, "a dot product is of two rows", {"weights": np.ones(3), "combine": "dot"}),
        (ts.UnsupportedError, "table: f64, f32, bf16, f16, not i32", {"table": np.ones((2, 2), np.int32)}),
        (TypeError, "indices: int32 or int64", {"indices": np.ones(3)}),
        (TypeError, "out: float32", {"out": np.ones((2, 2))}),
        (ValueError, "out: shape", {"out": np.ones((3, 2), np.float32)}),
        (ValueError, "out: rows of neighbouring", {"out": np.ones((2, 2), np.float32).T}),
    ],
)
def test_refusals(error: type[Exception], match: str, asked: dict[str, Any]) -> None:
    first = {"indptr": np.array([0, 1, 3]), "indices": np.array([0, 1, 1]), "table": np.ones((2, 2), np.float32)}
    with pytest.raises(error, match=match):
        ts.graph_reduce(**{**first, **asked})
    shared = first["table"]
    with pytest.raises(ValueError, match="out: shares memory with table"):
        ts.graph_reduce(first["indptr"], first["indices"], shared, out=shared)
