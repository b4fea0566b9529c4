"""`ts.einsum` did not compute products of matrices by `ts.matmul` (strides in bytes were compared with elements), but
with other bits, up to 8 times the time, and 200 us a call. Letters of one element were not broadcast, and advice was
wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts

Array = np.ndarray[Any, Any]


def rand(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def turned(a: Array, b: Array) -> Array:
    out = np.empty((b.shape[1], a.shape[0]), np.float32)
    ts.matmul(a, b, out.T)
    return out


AS: list[tuple[str, Array, Array, Callable[[Array, Array], Any]]] = [
    ("ik,kj->ij", rand(7, 300), rand(300, 50), ts.matmul),
    ("ba,ac->bc", rand(70, 5000), rand(5000, 9), ts.matmul),
    ("ik,jk", rand(33, 20), rand(11, 20), lambda a, b: ts.matmul(a, b.T)),
    ("ki,kj->ij", rand(33, 20), rand(33, 11), lambda a, b: ts.matmul(a.T, b)),
    ("ik,kj->ji", rand(33, 20), rand(20, 40), turned),
    ("...ik,...kj", rand(5, 9, 8), rand(5, 8, 7), ts.matmul),
    ("bik,bkj->bij", rand(1, 9, 8), rand(5, 8, 7), ts.matmul),
    ("nhwc,ck->nhwk", rand(2, 5, 6, 9), rand(9, 20), ts.matmul),
    (
        "bqhd,bkhd->bhqk",
        rand(2, 9, 3, 8),
        rand(2, 7, 3, 8),
        lambda a, b: ts.matmul(a.swapaxes(1, 2), b.transpose(0, 2, 3, 1)),
    ),
    ("ij,j->i", rand(9, 30), rand(30), ts.matmul),
    ("i,ij", rand(30), rand(30, 9), ts.matmul),
    ("i,i->", rand(300), rand(300), ts.matmul),
    ("i,j->ij", rand(30), rand(20), lambda a, b: ts.matmul(a[:, None], b[None])),
]


@pytest.mark.parametrize("subscripts, a, b, by_matmul", AS, ids=[each[0] for each in AS])
def test_the_bits_of_matmul(subscripts: str, a: Array, b: Array, by_matmul: Callable[[Array, Array], Any]) -> None:
    wanted = np.einsum(subscripts, a.astype(np.float64), b.astype(np.float64))
    for threads in (None, 1, 3):
        found = np.asarray(ts.einsum(subscripts, a, b, threads=threads))
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found, by_matmul(a, b))
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "subscripts, a, b",
    [
        ("bij,bjk->bik", (1, 3, 4), (5, 4, 2)),
        ("bij,bjk->bik", (5, 3, 4), (1, 4, 2)),
        ("ij,jk->ik", (3, 1), (5, 4)),
        ("ij,ij->ij", (3, 1), (1, 4)),
        ("ij,ij->", (3, 1), (1, 4)),
        ("...i,...i->...", (1, 3, 2), (4, 1, 2)),
        ("ij,jk->ik", (0, 1), (5, 4)),
        ("ij,jk->ik", (3, 0), (1, 4)),
    ],
)
def test_letters_of_one_element_are_broadcast(subscripts: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = rand(*a), rand(*b)
    wanted = np.einsum(subscripts, x, y)
    found = np.asarray(ts.einsum(subscripts, x, y))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_letters_of_one_factor_alone() -> None:
    """Of bytes and 16-bit floats they are summed with the products, in the type of the sums."""
    a = np.arange(-60, 60, dtype=np.int8).reshape(2, 3, 20)
    b = np.arange(6, dtype=np.int8).reshape(3, 2)
    assert np.array_equal(ts.einsum("ijk,jl->il", a, b), np.einsum("ijk,jl->il", a.astype(int), b.astype(int)))
    assert np.array_equal(ts.einsum("jl,ijk->il", b, a), np.einsum("ijk,jl->il", a.astype(int), b.astype(int)))
    half = np.full((3, 3000), 1.25, np.float16)
    assert np.array_equal(ts.einsum("ij,i->i", half, np.ones(3, np.float16)), np.full(3, 3750, np.float16))


def test_advice() -> None:
    a = rand(3, 4)
    with pytest.raises(TypeError, match=r"b: a second array.*ts.permute\(a, \(1, 0\)\) does what 'ij->ji' says"):
        ts.einsum("ij->ji", a)
    assert np.array_equal(ts.permute(a, (1, 0)), np.einsum("ij->ji", a))
    with pytest.raises(TypeError, match="a.sum"):
        ts.einsum("ij->i", a)
    with pytest.raises(ValueError, match="j has 4 elements and 3"):
        ts.einsum("ij,jk", a, a)
    with pytest.raises(ValueError, match="i has 1 elements and 4 in a"):
        ts.einsum("ii,i", a[:1], a[0])
    integers = np.ones((3, 3), np.int32)
    with pytest.raises(ts.UnsupportedError, match=r"a.astype\(np.float64\)"):
        ts.einsum("ij,jk", integers, integers)
    assert np.array_equal(ts.einsum("ij,jk", integers.astype(np.float64), integers.astype(np.float64)), 3 * integers)


def test_plans_are_kept_by_shapes_strides_and_types() -> None:
    a = rand(20, 20)
    for x in (a, a.T, a[::2], a.astype(np.float64), a[:, :1], a[::-1]):
        y = np.ascontiguousarray(x.T)
        for _ in range(2):
            np.testing.assert_allclose(ts.einsum("ij,jk->ki", x, y), (x @ y).T, rtol=1e-4, atol=1e-4)
    memory = np.zeros(401 * 4, np.uint8)
    apart = memory[3 : 3 + 1600].view(np.float32).reshape(20, 20)  # not aligned
    apart[...] = a
    for subscripts in ("ij,jk->ik", "ij,ij->ij"):
        np.testing.assert_allclose(ts.einsum(subscripts, apart, a), np.einsum(subscripts, a, a), rtol=1e-4, atol=1e-4)
        out = memory[3:1603].view(np.float32).reshape(20, 20)
        np.testing.assert_allclose(ts.einsum(subscripts, a, a, out), np.einsum(subscripts, a, a), rtol=1e-4, atol=1e-4)
        out[...] = a
