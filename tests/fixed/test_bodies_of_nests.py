"""Mistakes in the body of a nest were not reported. A loop over an operand never ended, kernels of two targets were
noticed at the first call, an unknown loop was an AttributeError of SimpleNamespace, and arguments by name were not
accepted. Also, an index could not be multiplied by np.int64 or negated."""

import numpy as np
import pytest

import tilesmith as ts

SHAPE, LOOPS = (4, 4), {"b": (0, 6, 1)}
OF = {"x": ((6, *SHAPE), "f32"), "y": ((6, *SHAPE), "f32")}


@pytest.fixture(scope="module")
def copied():
    return ts.unary("identity", *SHAPE)


def nest(body):
    return ts.nest("B", LOOPS, body, **OF)


def test_an_operand_is_no_sequence(copied):
    with pytest.raises(TypeError, match=r"x: index it by .* as in x\[i\.a\]"):
        nest(lambda i, x, y: [copied(each, y[i.b]) for each in x])


def test_kernels_of_one_target(copied):
    other = ts.unary("relu", *SHAPE, target="avx2" if ts.host().arch == "a64" else "neon")
    with pytest.raises(ValueError, match=f"{other.name} is made for .*, the nest for host"):
        nest(lambda i, x, y: (copied(x[i.b], y[i.b]), other(y[i.b], y[i.b])))
    with pytest.raises(ValueError, match=f"{other.name} is made for"):
        ts.nest("B", LOOPS, lambda i, x, y: copied(x[i.b], y[i.b]), init=lambda x, y: other(y[0], y[0]), **OF)


def test_loops_that_are_not_there(copied):
    with pytest.raises(AttributeError, match=r"no loop 'q'; the values of its loops are i\.b"):
        nest(lambda i, x, y: copied(x[i.q], y[i.b]))


def test_arguments_by_name(copied):
    for body in (lambda i, x, y: copied(x=x[i.b], y=y[i.b]), lambda i, x, y: copied(x[i.b], out=y[i.b])):
        with pytest.raises(ts.UnsupportedError, match="kernels in a nest take positional arguments only"):
            nest(body)


def test_affine_indices(copied):
    x = np.arange(96, dtype=np.float32).reshape(6, *SHAPE)
    for place in (lambda b: -b + 5, lambda b: 5 - b * np.int64(1), lambda b: np.int32(5) - b):
        y = np.zeros_like(x)
        nest(lambda i, x, y, place=place: copied(x[place(i.b)], y[i.b]))(x, y)
        assert np.array_equal(y, x[::-1])
    with pytest.raises(TypeError, match="an index times a whole number"):
        nest(lambda i, x, y: copied(x[i.b * True], y[i.b]))


@pytest.mark.parametrize(("workers", "error"), [(True, TypeError), ("2", TypeError), (2.0, TypeError), (0, ValueError)])
def test_workers_of_the_emulator(copied, workers, error):
    x = np.zeros((6, *SHAPE), np.float32)
    with pytest.raises(error, match="workers: "):
        nest(lambda i, x, y: copied(x[i.b], y[i.b])).run(x, x.copy(), workers=workers)
