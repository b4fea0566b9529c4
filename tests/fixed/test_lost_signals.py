"""Ctrl-C in large products of ts.matmul was lost: machine code took every error, also that of a signal handler, for a
refusal of the arguments and computed the product a second time. Python's part of other calls did the same with
exceptions of the types that its checks raise."""

import functools
import os
import signal
import sys

import numpy as np
import pytest

import tilesmith as ts
from tests import profiles
from tilesmith.runtime.system import libc


class Stopped(BaseException):
    """What no check raises."""


class LateValue(ValueError):
    """What a program may derive from the errors of checks."""


class LateType(TypeError):
    """The same."""


class LateRuntime(RuntimeError):
    """The same for errors of DLPack."""


KINDS = (KeyboardInterrupt, TimeoutError, Stopped, LateValue, LateType, LateRuntime, ValueError, TypeError)
SIZE = 200
SQUARE, SMALL = np.ones((SIZE, SIZE), np.float32), np.ones((8, 8), np.float32)
STACK = np.ones((3, 8, 8), np.float32)
BIAS = np.zeros(SIZE, np.float32)


class Exporter:
    """An array that is not numpy's, by one of the protocols."""

    def __init__(self, array, meanwhile=lambda: None):
        self.array, self.meanwhile = array, meanwhile


class Interface(Exporter):
    @property
    def __array_interface__(self):
        self.meanwhile()
        return self.array.__array_interface__


class DLPack(Exporter):
    def __dlpack__(self, **options):
        self.meanwhile()
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return 1, 0


class Buffer(Exporter):
    """Its DLPack is that of a library before version 1."""

    def __dlpack__(self):
        self.meanwhile()
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


def finished(c, bias):
    return ts.relu(c + bias)


def entries():
    """Return calls, by name, that have been made before, and the result of each."""
    kernel, handle = ts.brgemm(8, 8, 8, beta=0), ts.dispatch(ts.brgemm, beta=0)
    big, layer = ts.gemm(SIZE, SIZE, SIZE, beta=0), ts.linear(SIZE, SIZE, SIZE)
    net = ts.mlp(SIZE, [SIZE, SIZE])
    softmax, spread = ts.fused("softmax", 8, 8), ts.spread(ts.fused("softmax", SIZE, SIZE))
    weights, many = layer.pack(SQUARE), net.pack([SQUARE])
    out, into = np.empty_like(SQUARE), np.empty_like(SMALL)
    column = np.asfortranarray(SQUARE)
    return {
        "matmul": (lambda: ts.matmul(SQUARE, SQUARE), SIZE),
        "matmul, out=": (lambda: ts.matmul(SQUARE, SQUARE, out=out), SIZE),
        "matmul, threads=": (lambda: ts.matmul(SQUARE, SQUARE, threads=1), SIZE),
        "matmul, small": (lambda: ts.matmul(SMALL, SMALL, into, threads=1), 8),
        "matmul, a few": (lambda: ts.matmul(STACK, STACK, threads=1), 8),
        "matmul, by columns": (lambda: ts.matmul(column, SQUARE.T, threads=1), SIZE),
        "matmul, epilogue": (lambda: ts.matmul(SQUARE, SQUARE, epilogue=finished, operands={"bias": BIAS}), SIZE),
        "gemm": (lambda: big(SQUARE, SQUARE), SIZE),
        "linear": (lambda: layer(SQUARE, weights, BIAS), SIZE),
        "mlp": (lambda: net(SQUARE, many, [BIAS]), SIZE),
        "spread": (lambda: spread(SQUARE), np.float32(1 / SIZE)),
        "kernel, by name": (lambda: kernel(SMALL, b=SMALL, out=into), 8),
        "kernel, memoryview": (lambda: kernel(memoryview(SMALL), SMALL), 8),
        "kernel, interface": (lambda: kernel(Interface(SMALL), SMALL), 8),
        "kernel, DLPack": (lambda: kernel(DLPack(SMALL), SMALL), 8),
        "kernel, old DLPack": (lambda: softmax(Buffer(SMALL)), 0.125),
        "handle": (lambda: handle(Interface(SMALL), SMALL), 8),
        "matmul, DLPack": (lambda: ts.matmul(DLPack(SQUARE), SQUARE), SIZE),
    }


ENTRIES = entries()


def first(made):
    return np.asarray(made).ravel()[0]


@pytest.fixture(scope="module", autouse=True)
def made_before():
    for call, right in ENTRIES.values():
        for _ in range(3):
            assert first(call()) == right


@pytest.mark.parametrize("name", list(ENTRIES))
@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_that_raises_before_the_first_step_in_python(name, kind):
    """The signal is pending when the call begins: C code sends it and then calls, so the handler runs in the first
    Python function that the call reaches, or after it. Where the number of threads depends on a context, machine code
    asks Python."""

    def handler(*_):
        raise kind("late")

    call, right = ENTRIES[name]
    before = signal.signal(signal.SIGUSR1, handler)
    kill = libc.ffi.cast("int(*)(int, int)", libc.address("kill"))
    both = [functools.partial(kill, os.getpid(), signal.SIGUSR1), functools.partial(call.__call__)]
    try:
        with ts.threads(2):
            if name.startswith("matmul") and "DLPack" not in name and "," not in name:
                both[1] = functools.partial(ts.matmul, SQUARE, SQUARE)  # no Python function before machine code
            with pytest.raises(kind, match="late"):
                list(map(functools.partial.__call__, both))
                first(call())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert first(call()) == right


@pytest.mark.parametrize("exporter", [Interface, DLPack, Buffer])
@pytest.mark.parametrize("kind", KINDS[:-2])
def test_a_handler_that_raises_while_an_exporter_is_asked(exporter, kind):
    def handler(*_):
        raise kind("late")

    before = signal.signal(signal.SIGUSR1, handler)
    kernel, handle = ts.brgemm(8, 8, 8, beta=0), ts.dispatch(ts.brgemm, beta=0)
    try:
        for call in (kernel, handle, ts.matmul):
            with pytest.raises(kind, match="late"):
                call(exporter(SMALL, lambda: os.kill(os.getpid(), signal.SIGUSR1)), SMALL)
    finally:
        signal.signal(signal.SIGUSR1, before)


def lines(call, kind=None, number=-1):
    """Return how many lines of this package a call executes; raise an exception at one of them."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if not frame.f_globals.get("__name__", "").startswith("tilesmith"):
            return None
        if event == "line":
            if count == number:
                raise kind("late")
            count += 1
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("name", list(ENTRIES))
def test_an_exception_at_any_line(name):
    """A signal handler may raise between any two steps in Python; a tracing function raises at each of them."""
    call, right = ENTRIES[name]
    count = lines(call)
    step = 1 if profiles.is_soak() else max(1, count // profiles.scaled(12, 12))
    for kind in KINDS[:-2] if profiles.is_soak() else (LateValue, LateType, LateRuntime):
        for number in range(0, count, step):
            try:
                assert lines(call, kind, number) <= number  # if this call takes a shorter way than the first one
            except kind as error:
                assert "late" in str(error)
    assert first(call()) == right
