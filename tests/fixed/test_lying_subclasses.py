"""A subclass of ndarray may misreport anything: a call must use the array's real properties and read them once."""

import numpy as np
import pytest

import tilesmith as ts
from tests.foreign_arrays import Interface
from tests.guard import run_forked
from tests.runtime.fastcall.call_cases import make

NOWHERE = {"data": (0x10, False), "shape": (4, 4), "strides": None, "typestr": "<f4", "version": 3}


class Liar(np.ndarray):
    """An array that answers every query wrongly."""

    __array_interface__ = property(lambda self: NOWHERE)
    base = property(lambda self: np.zeros(1 << 40, np.int8))
    dtype = property(lambda self: np.dtype(np.float64))
    shape = strides = property(lambda self: (4, 4))
    ndim = size = itemsize = property(lambda self: 2)
    flags = property(lambda self: np.zeros(1).flags)

    def _lie(self, *arguments, **keywords):
        return np.zeros((), np.int64)

    min = max = all = copy = view = reshape = ravel = astype = __mod__ = __lt__ = __ge__ = __or__ = _lie
    __array_function__ = __array_ufunc__ = __len__ = __getitem__ = _lie

    def __array_finalize__(self, of):
        pass


def liar(array):
    """Return the same elements as a Liar."""
    return np.ndarray.view(array, Liar)


def dense(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def gemm(mode, request, *behind, **keywords):
    """Return a call of a product whose operands are all Liars."""

    def call():
        a, b, c = dense(4, 4), dense(4, 4), np.zeros((4, 4), np.float32)
        mm = make(mode, 4, 4, 4, **request)
        mm(liar(a), liar(b), liar(c), *map(liar, behind), **keywords)
        assert (c == a @ b).all()

    return call


def gathers():
    x, y, index = dense(6, 4), np.zeros((3, 4), np.float32), np.array([5, 0, 2])
    ts.gather("rows", 3, 4, size=6)(liar(x), liar(index), liar(y))
    assert (y == x[index]).all()
    x[...] = 0
    ts.scatter("rows", 3, 4, size=6)(liar(y), liar(index), liar(x))
    assert (x[index] == y).all()


def bags():
    x, y, index, offsets = dense(6, 4), np.zeros((2, 4), np.float32), np.array([5, 0, 2]), np.array([0, 1, 3])
    ts.embedding_bag(2, 4, size=6, count=3)(liar(x), liar(index), liar(offsets), liar(y))
    assert (y == [x[5], x[0] + x[2]]).all()


def indices_outside():
    x, y, index = dense(6, 4), np.zeros((3, 4), np.float32), np.array([5, 1 << 40, 2])
    with pytest.raises(IndexError, match="entry 1 is 1099511627776"):
        ts.gather("rows", 3, 4, size=6)(x, liar(index), y)
    with pytest.raises(IndexError, match="entry 1 is 1099511627776"):
        ts.embedding_bag(2, 4, size=6, count=3)(x, liar(index), np.array([0, 1, 3]), y[:2])


def offsets_outside():
    a, b, c, far, near = dense(4, 4), dense(4, 4), dense(4, 4), np.full(2, 1 << 40), np.zeros(2, np.int64)
    for mode in ("native", "cffi"):
        with pytest.raises(ValueError, match="a_offsets: matrices must lie inside the memory of a, 64 bytes"):
            make(mode, 4, 4, 4, batch=ts.OFFSET)(liar(a), b, c, liar(far), near)


CASES = {
    "plain": gemm("native", {}),
    "through Python": gemm("cffi", {}),
    "keywords": gemm("native", {"lda": ts.RUNTIME}, lda=4),
    "offsets": gemm("native", {"batch": ts.OFFSET}, np.zeros(1, np.int64), np.zeros(1, np.int64)),
    "offsets through Python": gemm("cffi", {"batch": ts.OFFSET}, np.zeros(1, np.int64), np.zeros(1, np.int64)),
    **{function.__name__: function for function in (gathers, bags, indices_outside, offsets_outside)},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_a_subclass_says_does_not_matter(case):
    assert run_forked(case) == 0


class Pretender:
    """An object that isinstance takes for an array."""

    __class__ = np.ndarray


@pytest.mark.parametrize("mode", ("native", "cffi"))
def test_an_object_that_claims_the_class(mode):
    with pytest.raises(TypeError, match="a: an array .*, not Pretender"):
        make(mode, 4, 4, 4)(Pretender(), dense(4, 4), dense(4, 4))


class Changing(Interface):
    """An object that describes other memory from the second time on."""

    def __init__(self, first, later):
        self.left, self.keep = [first, first], (first, later)  # two accesses: is it there, what does it say

    @property
    def __array_interface__(self):
        return (self.left.pop() if self.left else self.keep[1]).__array_interface__


def test_an_output_that_describes_other_memory_the_second_time():
    """An epilogue's bias must not overlap c. The check used another description of c than the call."""
    mm = ts.brgemm(4, 4, 4, beta=0, epilogue=lambda c, bias: c + bias)
    memory = np.zeros(32, np.float32)
    c, bias = memory[:16].reshape(4, 4), memory[12:16]
    with pytest.raises(ValueError, match="c: must not overlap bias"):
        mm._checked(dense(4, 4), dense(4, 4), Changing(c, np.zeros((4, 4), np.float32)), bias)
