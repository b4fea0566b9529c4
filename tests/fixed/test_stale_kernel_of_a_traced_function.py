"""A traced function that reads changed state got its old kernel; a request is now keyed by the traced expression."""

import dataclasses
import gc
import math
import weakref

import numpy as np
import pytest

import tilesmith as ts

M, N, K = 4, 5, 3
SCALE = 2.0


def fused(epilogue, **request):
    """Return the result of a fused product of ones: K for each element, then the epilogue."""
    return ts.brgemm(M, N, K, beta=0, epilogue=epilogue, **request)(np.ones((M, K), "f4"), np.ones((K, N), "f4"))


def mapped(function, **request):
    """Return the result of an equation on a matrix filled with K."""
    return ts.equation(function, c=(M, N), **request)(np.full((M, N), K, "f4"))


@dataclasses.dataclass
class Model:
    scale: float

    def act(self, c):
        return c * self.scale


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A function that is equal to another and has its hash if their numbers compare equal, such as 0.0 and -0.0."""

    added: float

    def __call__(self, c):
        return c * -0.0 + self.added


class Alike:
    """A function that equals every other of its class."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, c):
        return c * self.scale

    def __eq__(self, other):
        return isinstance(other, Alike)

    def __hash__(self):
        return 1


@pytest.mark.parametrize("compute", [fused, mapped])
def test_state_of_an_object(compute):
    model = Model(2.0)
    first = compute(model.act)
    model.scale = 3.0
    assert (first == 2 * K).all() and (compute(model.act) == 3 * K).all()


@pytest.mark.parametrize("compute", [fused, mapped])
def test_a_global_name(compute, monkeypatch):
    def act(c):
        return c * SCALE

    first = compute(act)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert (first == 2 * K).all() and (compute(act) == 3 * K).all()


@pytest.mark.parametrize("compute", [fused, mapped])
def test_an_attribute_of_the_function_a_cell_and_a_default(compute):
    factor = 2.0

    def act(c):
        return c * act.scale * factor

    act.scale = 1.0
    seen = [compute(act)]
    act.scale = 2.0
    seen.append(compute(act))
    factor = 3.0
    seen.append(compute(act))
    assert [each[0, 0] / K for each in seen] == [2, 4, 6]


@pytest.mark.parametrize("compute", [fused, mapped])
def test_objects_that_compare_equal(compute):
    assert (compute(Alike(2.0)) == 2 * K).all() and (compute(Alike(5.0)) == 5 * K).all()
    for added in (0.0, -0.0, 0.0):
        assert (np.signbit(compute(Frozen(added))) == (math.copysign(1, added) < 0)).all()


def test_equal_functions_still_give_the_same_kernel():
    kernels = [ts.brgemm(M, N, K, epilogue=lambda c, bias: ts.relu(c + bias)) for _ in range(2)]
    assert kernels[0] is kernels[1]


def test_a_kernel_with_an_epilogue_stays_alive():
    """A repeated request finds the kernel although nothing else refers to it."""
    seen = weakref.ref(ts.brgemm(M, N, 7, epilogue=lambda c: c * 2.0))
    gc.collect()
    assert seen() is not None and ts.brgemm(M, N, 7, epilogue=lambda c: c * 2.0) is seen()


def test_a_handle_keeps_the_epilogue_that_it_began_with():
    """A handle uses the epilogue as first traced, also for shapes that it meets after a change, so results do not
    depend on the order of calls."""
    model = Model(2.0)
    handle = ts.dispatch(ts.brgemm, beta=0, epilogue=model.act)
    ones = [(np.ones((m, K), "f4"), np.ones((K, N), "f4")) for m in (2, 3)]
    assert (handle(*ones[0]) == 2 * K).all()
    model.scale = 3.0
    assert (handle(*ones[0]) == 2 * K).all() and (handle(*ones[1]) == 2 * K).all()


def test_a_function_that_raises_is_called_once():
    calls = []

    def act(c):
        calls.append(c)
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        ts.brgemm(M, N, K, epilogue=act)
    assert len(calls) == 1


class Number:
    """An index whose value changes, with a hash by identity."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_an_argument_that_changes():
    m = Number(4)
    assert ts.brgemm(m, N, K).spec.m == 4 and ts.unary("relu", m, N).spec.m == 4 and ts.transpose(m, N).spec.m == 4
    m.value = 6
    assert ts.brgemm(m, N, K).spec.m == 6 and ts.unary("relu", m, N).spec.m == 6 and ts.transpose(m, N).spec.m == 6
