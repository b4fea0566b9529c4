"""ts.matmul(epilogue=f) ignored that values which f reads had changed, if f was the same function, method or partial;
and ts.gemm and ts.linear read them again when they were first called."""

import functools
import pickle
import types

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.kernel.reads import state_of
from tilesmith.runtime.ops import gemm as gemm_module

SCALE = 1.0
LIST = [1.0]
OTHER = types.ModuleType("other")
SIZES = [2, 40, 200]  # by machine code's entry, as one kernel, as a nest


def scaled_by_another(c):
    return c * SCALE


def scaled(value):
    """Give the global a value and return a function that reads it."""
    global SCALE
    SCALE = value
    return scaled_by_another


def through_another(value):
    scaled(value)
    return calls_another


def calls_another(c):
    return scaled_by_another(c) + 0


def of_list(value):
    LIST[0] = value
    return reads_list


def reads_list(c):
    return c * LIST[0]


def of_module(value):
    OTHER.inner = OTHER
    OTHER.scale = value
    return reads_module


def reads_module(c):
    return c * OTHER.inner.scale


class Layer:
    factor = 1.0

    def __init__(self):
        self.temp, self.nested, self.hidden = 1.0, types.SimpleNamespace(temp=1.0), 1.0

    def method(self, c):
        return c * self.temp

    def __call__(self, c):
        return c * self.temp

    @property
    def twice(self):
        return 2 * self.hidden

    def set(self, value):
        self.temp = self.nested.temp = value
        return self


LAYER = Layer()
METHOD, PARTIAL = LAYER.method, functools.partial(lambda c, by: c * by.temp, by=LAYER)


def imports(c):
    import tests.fixed.test_what_epilogues_read as here

    return c * here.SCALE


@functools.wraps(ts.relu)
def disguised(c):
    return c * SCALE


def of_variable(value):
    return lambda c: c * float(value)


def plus(value):
    return lambda c: c + value


def plus_row(read):
    return lambda c, b: read(c) + b


def enclosed():
    value = 1.0

    def change(new):
        nonlocal value
        value = new
        return read

    def read(c):
        return c * value

    return change


def with_default(value):
    WITH_DEFAULT.__defaults__ = (value,)
    return WITH_DEFAULT


def WITH_DEFAULT(c, by=1.0):  # noqa: N802
    return c * by


def of_property(value):
    LAYER.hidden = value / 2
    return lambda c: c * LAYER.twice


def of_class(value):
    Layer.factor = value
    return lambda c: c * LAYER.factor


def with_code(value):
    namespace = {"value": value}
    exec("def made(c): return c * value", namespace)
    WITH_CODE.__code__ = namespace["made"].__code__.replace(co_consts=(None, value))
    WITH_CODE.__globals__["value"] = value
    return WITH_CODE


WITH_CODE = types.FunctionType((lambda c: c).__code__, {})
KINDS = {
    "a global": scaled,
    "a function that reads a global": through_another,
    "an item of a list": of_list,
    "an attribute of a module": of_module,
    "a method": lambda value: LAYER.set(value) and METHOD,
    "a partial": lambda value: LAYER.set(value) and PARTIAL,
    "an object": lambda value: LAYER.set(value),
    "written in the call": lambda value: lambda c: c * value,
    "an attribute": lambda value: LAYER.set(value) and (lambda c: c * LAYER.temp),
    "an attribute of an attribute": lambda value: LAYER.set(value) and (lambda c: c * LAYER.nested.temp),
    "a method that is called": lambda value: LAYER.set(value) and (lambda c: LAYER.method(c)),
    "a property": of_property,
    "a class": of_class,
    "an import": lambda value: scaled(value) and imports,
    "a variable": enclosed(),
    "a default": with_default,
    "new code": with_code,
    "under another name": lambda value: scaled(value) and disguised,
    "a nested function": lambda value: lambda c: (lambda d: d * value)(c),
    "an item of a tuple": lambda value: lambda c, of=(0, value): c * of[1],
    "a scalar of numpy": lambda value: of_variable(np.float32(value)),
    "a call of float": lambda value: lambda c: c * max(float(value), -9.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_the_call(kind):
    a = np.eye(3, dtype=np.float32)
    for value in (1.0, 1.0, 10.0, 10.0, 2.0, 1.0, 1.0, 10.0):
        assert ts.matmul(a, a, epilogue=KINDS[kind](value))[0, 0] == value


@pytest.mark.parametrize("size", SIZES)
def test_sizes_and_batches(size):
    a, bias = np.ones((size, size), np.float32), np.ones(size, np.float32)
    for value in (1.0, 3.0, 3.0, 1.0):
        read = scaled(value)
        made = ts.matmul(a, a, epilogue=plus_row(read), operands={"b": bias})
        assert (made == value * size + 1).all()
        many = ts.matmul(np.broadcast_to(a[:2], (5, 2, size)), a, epilogue=read)
        assert (many == value * size).all()


def test_equal_values_are_told_apart():
    """1, 1.0 and True are equal, as 0.0 and -0.0 are, and a NaN is not equal to itself."""
    a = np.full((2, 2), 3.0, np.float32)
    zero, shift = (lambda value: lambda c: 0 * c + value), (lambda value: lambda c: ts.select(c > 9, c, c * 0) * value)

    def signed(value):
        return lambda c: ts.maximum(c, c) * 0 + value

    for value in (0.0, -0.0, 0.0, -0.0):
        assert np.signbit(ts.matmul(-a, a, epilogue=signed(value))).all() == np.signbit(value)
    assert np.isnan(ts.matmul(a, a, epilogue=zero(float("nan")))).all()
    assert (ts.matmul(a, a, epilogue=zero(1)) == 1).all()
    assert (ts.matmul(a, a, epilogue=shift(2.0)) == 36).all()


def test_equal_traces_have_one_kernel(monkeypatch):
    made = []
    real = gemm_module.Gemm.__init__
    monkeypatch.setattr(gemm_module.Gemm, "__init__", lambda self, *args: (made.append(self), real(self, *args))[1])
    a = np.ones((220, 220), np.float32)
    for value in (5.0, 5.0, 6.0, 5.0, 6.0):
        for function in (plus(value), KINDS["a method"](value)):
            ts.matmul(a, a, epilogue=function)
    assert len(made) == 4  # two values, c + value and c * value


def test_the_accuracy_of_the_process():
    a, b = np.eye(4, dtype=np.float32), np.linspace(-3, 3, 16, dtype=np.float32).reshape(4, 4)
    results = {}
    before = ts.set_accuracy("standard")
    try:
        for accuracy in ("standard", "fast", "accurate", "fast", "standard"):
            ts.set_accuracy(accuracy)
            made = ts.matmul(a, b, epilogue=ts.gelu).tobytes()
            wanted = ts.brgemm(4, 4, 4, beta=0, epilogue=ts.gelu, accuracy=accuracy)(a, b).tobytes()
            assert made == wanted == results.setdefault(accuracy, made)
    finally:
        ts.set_accuracy(before)


def test_products_keep_what_was_read_when_they_were_made():
    a = np.ones((300, 300), np.float32)
    operands = {"b": "row"}
    read = scaled(1.0)
    product = ts.gemm(300, 300, 300, beta=0.0, epilogue=lambda c, b: read(c) + b, operands=operands)
    layer = ts.linear(300, 300, 300, activation=read, bias=False)
    scaled(10.0)
    operands["b"] = "scalar"
    assert (product(a, a, None, np.ones(300, np.float32)) == 301).all()
    assert (layer(a, layer.pack(a)) == 300).all()
    again = ts.linear(300, 300, 300, activation=read, bias=False)
    assert (again(a, again.pack(a)) == 3000).all()
    assert pickle.loads(pickle.dumps(again)).product == again.product


def test_what_is_decided_without_a_trace():
    value = 2.0
    for function in (lambda c, b: ts.relu(c + b), lambda c: c * value, lambda c: c * LAYER.temp, scaled(1.0)):
        assert state_of(function) == state_of(function) is not None
    for function in (reads_list, LAYER.method, imports, lambda c: LAYER.method(c), disguised, LAYER, PARTIAL):
        assert state_of(function) is None
