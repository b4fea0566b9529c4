"""Rows or columns of C given at the call: every target against numpy in float64, between guard pages."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.fewer_types import FEWER
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak, scaled
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
NUMPY: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
TYPES: tuple[tuple[str, str, str], ...] = (
    ("bf16", "bf16", "f32"),
    ("bf16", "bf16", "bf16"),
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("u8", "i8", "i32"),
    ("i8", "u8", "i32"),
    ("i8", "i8", "i32"),
    ("u8", "u8", "f32"),
    ("i16", "i16", "i32"),
    ("f8e5m2", "f8e5m2", "f32"),
    ("bf16", "f32", "f32"),
)
"""Types of a, b and c that a unit or its replacement multiplies."""
UNITS = (
    "avx2",
    "avx512",
    "avx2_vnni",
    "avx512_vnni",
    "avx512_bf16",
    "amx",
    "neon",
    "neon_dotprod",
    "neon_bf16",
    "sve256",
    "sme512",
)
EMULATED = ("sse", "avx2", "avx512", "neon", "sve256") if not is_soak() else tuple(ts.targets())


def values(rng: np.random.Generator, rows: int, columns: int, dtype: str, gap: int = 0, order: str = "C") -> Array:
    """Return integers so small that every sum is exact. Lines are followed by `gap` further elements."""
    shape = (rows, columns) if order == "C" else (columns, rows)
    made: Array = rng.integers(-4, 5, (shape[0], shape[1] + gap)).astype(NUMPY[dtype])[:, : shape[1]]
    return made if order == "C" else made.T


def expected(a: Array, b: Array, c: Array, alpha: float, beta: float) -> Array:
    """Return the result of numpy in float64, with the former C."""
    product: Array = alpha * (a.astype(np.float64) @ b.astype(np.float64))
    return product + beta * c.astype(np.float64) if beta else product


@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("dtype", NUMPY)
def test_every_number_of_rows_in_the_emulator(target: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    if ts.supported(ts.brgemm(ts.RUNTIME, 11, 5, dtype=dtype, target="avx2").spec, target) is not True:
        pytest.skip("accumulators of this target are its own")
    mm = ts.brgemm(ts.RUNTIME, 11, 5, dtype=dtype, target=target)
    for m in range(0, 70, 1 if is_soak() else 23):
        a, b, c = (values(rng, *shape, dtype) for shape in ((m, 5), (5, 11), (m, 11)))
        wanted = expected(a, b, c, 1, 1)
        mm.run(a, b, c)
        assert (c == wanted).all(), m


@settings(max_examples=scaled(40, 3000), deadline=None)
@given(
    extent=st.integers(0, 100),
    other=st.integers(1, 40),
    k=st.integers(1, 40),
    dtype=st.sampled_from(sorted(NUMPY)),
    scale=st.sampled_from(((1, 0), (1, 1), (2, -1), (-1, 0))),
    order=st.sampled_from(("CCC", "CFC", "FFF", "CFF")),
    gaps=st.tuples(*[st.integers(0, 3)] * 3),
    runtime=st.booleans(),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_extents_between_guard_pages(
    extent: int,
    other: int,
    k: int,
    dtype: str,
    scale: tuple[int, int],
    order: str,
    gaps: tuple[int, int, int],
    runtime: bool,
    side: str,
    seed: int,
) -> None:
    (alpha, beta), rng = scale, np.random.default_rng(seed)
    rows = order[2] == "C"
    m, n = (extent, other) if rows else (other, extent)
    shapes = ((m, k), (k, n), (m, n))
    lines = [shape[1] if way == "C" else shape[0] for shape, way in zip(shapes, order)]
    leading = [ts.RUNTIME if runtime else line + gap for line, gap in zip(lines, gaps)]
    asked = (ts.RUNTIME, n) if rows else (m, ts.RUNTIME)
    request = {"dtype": dtype, "order": order, "alpha": alpha, "beta": beta}
    if len({*order}) > 1 and other > 1:  # vectors lie along a strided dimension; one element has both orders
        with pytest.raises(ts.UnsupportedError, match="of order"):
            ts.brgemm(*asked, k + 1, **request)
        return
    mm = ts.brgemm(*asked, k, **request, lda=leading[0], ldb=leading[1], ldc=leading[2])
    arrays = [values(rng, *shape, dtype, gap, way) for shape, gap, way in zip(shapes, gaps, order)]
    wanted = expected(*arrays, alpha, beta)
    if not extent:
        mm(*arrays)
        return
    a, b, c = (guarded(x, side, writable=x is arrays[2]) for x in arrays)
    mm(a, b, c)
    assert (c == wanted).all()
    check_canary(c)


def packed(x: Array, along: int) -> Array:
    """Return the operand with groups of four bytes along k side by side."""
    group = 4 // x.itemsize
    x = x if along else x.T
    whole = np.zeros((x.shape[0], -(-x.shape[1] // group) * group), x.dtype)
    whole[:, : x.shape[1]] = x
    made = whole.reshape(x.shape[0], whole.shape[1] // group, group)
    return made if along else np.ascontiguousarray(made.transpose(1, 0, 2))


def laid(x: Array, order: str) -> Array:
    """Return the same array in this order; groups stay together."""
    if order == "C":
        return x
    return np.ascontiguousarray(x.transpose(1, 0, *range(2, x.ndim))).transpose(1, 0, *range(2, x.ndim))


@pytest.mark.slow
@pytest.mark.parametrize("target", UNITS if not is_soak() else ts.targets())
def test_narrow_types_on_every_unit(target: str) -> None:
    """Every remainder has its own block: rows in order C, columns in order F, with plain and packed operands. A soak
    tests all of them on every target; otherwise a unit has a third or an eighth, other ones for each."""
    rng, made, native = np.random.default_rng(2), 0, not runs(TARGETS[target])
    for number, (types, layout, outer) in enumerate(
        (types, layout, outer) for types in TYPES for layout in ("", "a", "b") for outer in "mn"
    ):
        if not is_soak() and (number + number // 6 + UNITS.index(target)) % (3 if native else 8):
            continue
        other, k, order = 19, 11, "C" if outer == "m" else "F"
        request: dict[str, Any] = {"dtype": types, "order": order, "target": target}
        request |= {f"{layout}_layout": "vnni"} if layout else {}
        try:
            mm = ts.brgemm(*((ts.RUNTIME, other) if outer == "m" else (other, ts.RUNTIME)), k, **request)
        except ts.UnsupportedError:
            if target != "amx":  # amx has tiles for some types that vectors do not multiply
                with pytest.raises(ts.UnsupportedError):
                    ts.brgemm(other, other, k, **request)
            continue
        made += 1
        for extent in (0, 1, 22, 37)[number % 2 :: 2]:
            m, n = (extent, other) if outer == "m" else (other, extent)
            a, b, c = (
                rng.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(numpy_dtype(dtype))
                for shape, dtype in zip(((m, k), (k, n), (m, n)), types)
            )
            wanted = (c.astype(float) + a.astype(float) @ b.astype(float)).astype(c.dtype)
            arrays = [laid(packed(x, x is a) if layout == name else x, order) for name, x in zip("ab", (a, b))]
            c = laid(c, order)
            if native and extent:
                side = SIDES[number % len(SIDES)]
                arrays, c = [guarded(x, side) for x in arrays], guarded(c, side, writable=True)
                mm(*arrays, c)
                check_canary(c)
            else:
                mm.run(*arrays, c)
            assert (c == wanted).all(), (types, layout, outer, extent, str(mm.plan))
        if number % 8 == 0:
            assert pickle.loads(pickle.dumps(mm)).code == mm.code
    assert made >= 4


def test_sums_that_round_are_those_of_a_fixed_kernel_within_its_bound() -> None:
    rng = np.random.default_rng(3)
    mm = ts.brgemm(ts.RUNTIME, 50, 70, beta=0)
    for m in (1, 2, 31, 64, 100):
        a, b = rng.standard_normal((m, 70), np.float32), rng.standard_normal((70, 50), np.float32)
        bound = 70 * 2.0**-24 * (abs(a).astype(float) @ abs(b).astype(float))
        assert (abs(mm(a, b) - a.astype(float) @ b.astype(float)) <= bound).all()


def test_c_may_be_left_out_and_any_number_of_rows_is_one_kernel(tmp_path: Path) -> None:
    mm = ts.brgemm(ts.RUNTIME, 8, 4, beta=0)
    for m in (0, 1, 5, 33):
        c = mm(np.ones((m, 4), np.float32), np.ones((4, 8), np.float32))
        assert c.shape == (m, 8) and (c == 4).all()
    assert "int64_t m)" in mm.c_prototype
    again = pickle.loads(pickle.dumps(mm))
    assert again.code == mm.code and copy.copy(mm).spec == mm.spec
    assert "RUNTIME" in str(mm.plan) and mm.listing()
    mm.save(str(tmp_path / "rows.h"))
    assert "int64_t m)" in (tmp_path / "rows.h").read_text()
    assert mm.verify()


@pytest.mark.parametrize(
    ("shapes", "rule"),
    [
        (((5, 4), (4, 8), (6, 8)), "a, c: must agree on m, but a has 5 and c 6"),
        (((5, 3), (4, 8), (5, 8)), r"a: shape \(5, 4\)"),
        (((5, 4), (4, 8), (5, 7)), r"c: shape \(5, 8\)"),
        (((5,), (4, 8), (5, 8)), r"a: shape \(5, 4\), not \(5,\)"),
    ],
)
def test_arrays_that_do_not_agree(shapes: Any, rule: str) -> None:
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(ValueError, match=rule):
        ts.brgemm(ts.RUNTIME, 8, 4)(*arrays)
    assert (arrays[2] == 1).all()


@pytest.mark.parametrize(
    ("asked", "request_", "rule"),
    [
        ((ts.RUNTIME, ts.RUNTIME, 4), {}, "one of them"),
        ((8, ts.RUNTIME, 4), {}, 'order "F"'),
        ((ts.RUNTIME, 8, 4), {"order": "FCC"}, "a of order"),
        ((ts.RUNTIME, 8, 4), {"dtype": "bf16", "target": FEWER}, "this target multiplies no"),
        ((8, ts.RUNTIME, 8), {"dtype": "bf16", "order": "F", "b_layout": "mmla", "target": "neon_bf16"}, "two columns"),
        ((ts.RUNTIME, 8, 4), {"batch": 3}, "one pair"),
        ((ts.RUNTIME, 8, 4), {"stack": 3}, "stack"),
        ((ts.RUNTIME, 8, 4), {"prefetch": "a"}, "prefetch"),
        ((ts.RUNTIME, 8, 4), {"epilogue": ts.relu}, "epilogue"),
        ((ts.RUNTIME, 8, 4), {"dtype": "f64xi8"}, "not supported for dtype"),
    ],
    ids=range(10),
)
def test_what_is_not_made_says_what_works(asked: Any, request_: Any, rule: str) -> None:
    with pytest.raises(ts.UnsupportedError, match=rule):
        ts.brgemm(*asked, **request_)
