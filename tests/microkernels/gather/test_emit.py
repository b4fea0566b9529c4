"""Gathers and scatters equal numpy's indexing exactly, between guard pages, on every machine."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, NATIVE, sizes
from tests.guard import SIDES, address, guarded, run_forked
from tests.kernel_runs import call, few_and_many
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.gather.spec import GatherSpec, gather_spec
from tilesmith.microkernels.operands import RUNTIME
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system import libc

Array = np.ndarray[Any, Any]

FEW, MANY = 20, 40
DTYPES = ("f32", "f64", "bf16", "f16", "i8", "i16", "i64", "c64", "f8e4m3")


def bits_matrix(dtype: str, rows: int, columns: int, leading: int, rng: np.random.Generator) -> Array:
    """Return random bits, with a distance of `leading` elements between rows."""
    size = numpy_dtype(dtype).itemsize
    words = rng.integers(0, 256, (rows, leading * size), np.uint8)
    return words.view(f"V{size}")[:, :columns]


@st.composite
def requests(draw: st.DrawFn) -> tuple[GatherSpec, int, str]:
    verb, by = (
        draw(st.sampled_from(["gather", "scatter"])),
        draw(st.sampled_from(["rows", "columns", "offsets", "stride"])),
    )
    m, n = draw(st.integers(1, 9)), draw(sizes)
    options: dict[str, Any] = {"dtype": draw(st.sampled_from(DTYPES)), "index": draw(st.sampled_from(["i32", "i64"]))}
    if by == "stride":
        options["step"] = draw(st.sampled_from([1, 2, 3, 17, 1100]))
    else:
        options["size"] = draw(st.integers(1, 300))
        options["bounds"] = draw(st.sampled_from(["call", "kernel"]))
    plain = gather_spec(verb, by, m, n, **options)
    gap = draw(st.sampled_from([0, 0, 1, 9, RUNTIME]))
    for name, each in (("ldx", plain.ldx), ("ldy", plain.ldy)):
        wide = (name == "ldx") == (verb == "gather")
        if gap and not (by == "offsets" and wide):
            options[name] = RUNTIME if gap is RUNTIME else each + gap
    return gather_spec(verb, by, m, n, **options), draw(st.integers(0, 1 << 20)), draw(st.sampled_from(SIDES))


def indices_of(spec: GatherSpec, rng: np.random.Generator) -> Array:
    """Return indices with repetitions. If the kernel checks bounds, some lie outside."""
    assert spec.indices is not None
    index = rng.integers(0, spec.size, spec.indices.shape, numpy_dtype(spec.index))
    if spec.bad is not None and rng.integers(0, 2):
        ends = np.iinfo(index.dtype)
        wrong = rng.choice(np.array([-1, spec.size, ends.min, ends.max], index.dtype), index.shape)
        index = np.where(rng.random(index.shape) < 0.1, wrong, index)
    return index


def expected(spec: GatherSpec, x: Array, index: Array | None, y: Array) -> tuple[Array, int]:
    """Compute the result by definition, in loops over numpy scalars, and the first bad index."""
    made, bad = np.array(y), -1
    for number, (i, j) in enumerate(np.ndindex(spec.m, spec.n)):
        where: tuple[Any, ...]
        if index is None:
            where = (i, j * spec.step)
        else:
            place = {"rows": i, "columns": j, "offsets": number}[spec.by]
            value = int(index.ravel()[place])
            if not 0 <= value < spec.size:
                bad = place if bad < 0 else bad
                if spec.verb == "gather":
                    made[i, j] = np.zeros((), made.dtype)
                continue
            where = {"rows": (value, j), "columns": (i, value), "offsets": (value,)}[spec.by]
        if spec.verb == "gather":
            made[i, j] = x[where]
        else:
            made[where] = x[i, j]
    return made, bad


def one(spec: GatherSpec, seed: int, side: str, name: str, server: Any) -> None:
    rng = np.random.default_rng(seed)
    arrays = {}
    for each in (spec.wide, spec.narrow):
        leading = each.columns + 5 if each.view.leading is RUNTIME else int(each.view.leading)
        found = bits_matrix(spec.dtype, each.rows, each.columns, leading, rng)
        arrays[each.name] = found[0] if each.vector else found
    index = None if spec.indices is None else indices_of(spec, rng)
    wanted, first = expected(spec, arrays["x"], index, arrays["y"])
    typed = {key: each.view(numpy_dtype(spec.dtype)) for key, each in arrays.items()}
    others = {"bad": np.zeros(1, np.int64)} | ({} if index is None else {"index": index})
    made = call(spec, MACHINES[name], typed | others, server, side)
    assert made["y"].tobytes() == wanted.tobytes(), spec
    if spec.bad is not None:
        assert made["bad"][0] == first, spec


test_some, test_many = few_and_many(requests(), one, FEW, MANY)


@pytest.mark.parametrize("name", NATIVE)
def test_long_rows(name):
    """Long rows are copied in a loop of vectors with a tail."""
    for dtype, n in (("f32", 300), ("i8", 1000), ("f64", 77), ("bf16", 513)):
        for verb in ("gather", "scatter"):
            for bounds in ("call", "kernel"):
                one(gather_spec(verb, "rows", 5, n, size=7, dtype=dtype, bounds=bounds), 3, "end", name, None)


def test_rows_that_are_not_named_are_not_touched():
    """Of 4,096 rows only the last exists; the others would lie on pages without access, so reading one would fault."""

    def run() -> None:
        row = guarded(np.arange(64, dtype=np.float32), "end", writable=False)
        index, y = np.array([4095, 4095], np.int64), np.empty((2, 64), np.float32)
        kernel = Kernel(gather_spec("gather", "rows", 2, 64, size=4096), ts.host())
        function = libc.ffi.cast("void(*)(int64_t, int64_t, int64_t)", kernel.address)
        function(address(row) - 4095 * row.nbytes, address(index), address(y))
        assert (y == row).all()

    assert run_forked(run) == 0


def test_numpy_take():
    """Large operands give the results of numpy's functions, with 32- and 64-bit indices."""
    rng = np.random.default_rng(4)
    table = rng.standard_normal((5000, 96), np.float32)
    for index_type in ("i32", "i64"):
        index = rng.integers(0, 5000, 700, numpy_dtype(index_type))
        assert (ts.gather("rows", 700, 96, size=5000, index=index_type)(table, index) == table[index]).all()
        columns = rng.integers(0, 96, 50, numpy_dtype(index_type))
        found = ts.gather("columns", 5000, 50, size=96, index=index_type)(table, columns)
        assert (found == table[:, columns]).all()
        offsets = rng.integers(0, table.size, (40, 30), numpy_dtype(index_type))
        found = ts.gather("offsets", 40, 30, size=table.size, index=index_type)(table.ravel(), offsets)
        assert (found == table.ravel()[offsets]).all()
    assert (ts.gather("stride", 5000, 24, step=4, ldx=96)(table[:, :93]) == table[:, ::4]).all()


def test_leading_dimensions_of_the_call():
    """One kernel handles rows at any distance."""
    k = ts.gather("rows", 3, 4, size=10, ldx=ts.RUNTIME, ldy=ts.RUNTIME)
    index = np.array([7, 0, 9])
    for leading in (4, 5, 40):
        x = np.arange(10 * leading, dtype=np.float32).reshape(10, leading)[:, :4]
        assert (k(x, index) == x[index]).all()
    with pytest.raises(IndexError, match="x has 10 rows"):
        k(x, index + 1)


def test_the_last_of_repeated_indices_stays():
    y = np.full((3, 2), 9, np.float32)
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    ts.scatter("rows", 4, 2, size=3)(x, np.array([2, 0, 2, 2]), y)
    assert y.tolist() == [[2, 3], [9, 9], [6, 7]]


@pytest.mark.parametrize("index", [-1, 10, 1 << 40, -(1 << 63)])
def test_a_call_refuses_an_index_outside(index):
    k = ts.gather("rows", 3, 4, size=10)
    y = np.full((3, 4), 5, np.float32)
    with pytest.raises(IndexError, match=f"entry 1 is {index}; x has 10 rows"):
        k(np.zeros((10, 4), np.float32), np.array([0, index, 99]), y)
    assert (y == 5).all()
    with pytest.raises(IndexError, match="y has 10 elements"):
        ts.scatter("offsets", 1, 2, size=10)(
            np.zeros((1, 2), np.float32), np.array([[0, index]]), np.zeros(10, np.float32)
        )


def test_a_scatter_needs_its_output():
    k = ts.scatter("rows", 2, 2, size=3)
    with pytest.raises(TypeError, match="3 arguments"):
        k(np.zeros((2, 2), np.float32), np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="y"):
        x = np.zeros((4, 2), np.float32)
        ts.scatter("rows", 2, 2, size=3)(x[:2], np.zeros(2, np.int64), x[1:])


def test_pickle_and_objects(tmp_path):
    k = ts.gather("rows", 3, 4, size=10)
    assert pickle.loads(pickle.dumps(k)) is k
    k.save(tmp_path / "k.o")
    k.save(tmp_path / "k.h")
    assert "const int64_t *index" in (tmp_path / "k.h").read_text()
    assert ts.gather("rows", 3, 4, size=10, target="neon").code


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (ValueError, "by: one of", lambda: ts.gather("row", 4, 4, size=4)),
        (TypeError, "size", lambda: ts.gather("rows", 4, 4)),
        (ValueError, "size: from 1", lambda: ts.gather("rows", 4, 4, size=0)),
        (TypeError, "has no index, so no size", lambda: ts.gather("stride", 4, 4, size=4, step=1)),
        (TypeError, "step: only by", lambda: ts.scatter("rows", 4, 4, size=4, step=1)),
        (ValueError, "index: i32 or i64", lambda: ts.gather("rows", 4, 4, size=4, index="i16")),
        (ValueError, "bounds: one of", lambda: ts.gather("rows", 4, 4, size=4, bounds="none")),
        (ValueError, "one-dimensional", lambda: ts.gather("offsets", 4, 4, size=4, ldx=5)),
        (ValueError, "at least 4", lambda: ts.gather("rows", 4, 4, size=4, ldy=3)),
        (UnsupportedError, "at most 8 bytes", lambda: ts.gather("rows", 4, 4, size=4, dtype="c128")),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()
