"""The outcome of a request depended on earlier ones; it must be the same error or the same kernel, for every public
function."""

import enum
import fractions
import functools
import gc

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.kernel import callable as kernels


class Text(str):
    """A string of another type."""


class Whole(enum.IntEnum):
    """The integers of the requests below, which `Whole(number)` finds."""

    ONE = 1
    FOUR = 4


class Liar:
    """An object that equals a string and has its hash."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return other == self.text

    def __hash__(self):
        return hash(self.text)


REQUESTS = {
    "brgemm": (ts.brgemm, (4, 4, 4), {}),
    "fused": (ts.brgemm, (4, 4, 4), {"epilogue": lambda c, bias: ts.relu(c + bias), "operands": {"bias": "row"}}),
    "unary": (ts.unary, ("relu", 4, 4), {}),
    "dropout": (ts.unary, ("dropout", 4, 4), {"rate": 1}),
    "quantize": (ts.unary, ("quantize", 4, 4), {"scale": 1, "zero": 3}),
    "binary": (ts.binary, ("add", 4, 4), {"bcast": (None, "row")}),
    "ternary": (ts.ternary, ("muladd", 4, 4), {}),
    "equation": (ts.equation, (lambda x: ts.relu(x),), {"x": (4, 4)}),
    "reduce": (ts.reduce, ("sum", 4, 4), {"axis": 1}),
    "transpose": (ts.transpose, (4, 4), {}),
    "transform": (ts.transform, ("vnni2", 4, 4), {}),
    "gather": (ts.gather, ("rows", 4, 4), {"size": 4}),
    "scatter": (ts.scatter, ("rows", 4, 4), {"size": 4}),
    "embedding_bag": (ts.embedding_bag, (4, 4), {"size": 4, "count": 4}),
}
LEADING = {"brgemm": "lda", "fused": "ldb", "binary": "ldx0", "ternary": "ldx2"}


def variants(value):
    """Return values that compare equal to this one, or nearly."""
    if isinstance(value, bool):
        return [int(value), np.bool_(value), float(value)]
    if isinstance(value, (int, float)):
        whole = [bool(value), *([Whole(value)] if value in (1, 4) else [])]
        return [float(value), *whole, np.int64(value), np.float32(value), np.bool_(value), fractions.Fraction(value)]
    if isinstance(value, str):
        return [Text(value), np.str_(value), Liar(value), value.encode()]
    if isinstance(value, tuple):
        changed = [(*value[:i], other, *value[i + 1 :]) for i, each in enumerate(value) for other in variants(each)]
        return [*changed, list(value)]
    return []


MORE = {
    "brgemm": [{"alpha": 1}, {"beta": 1}, {"batch": 1}, {"order": ("C", "C", "C")}, {"dtype": ("f32",) * 3}],
    "fused": [{"alpha": 1}, {"batch": 1}, {"order": ("C", "C", "C")}, {"accuracy": "fast"}],
    "unary": [{"dtype": "f32"}, {"out": "f32"}, {"accuracy": "fast"}, {"compute": "f32"}, {"bcast": "row"}],
    "binary": [{"dtype": ("f32", "f32")}, {"compute": "f32"}],
    "ternary": [{"dtype": ("f32",) * 3}, {"bcast": ("row", None, None)}],
    "equation": [{"dtype": "f32"}, {"out": "f32"}, {"accuracy": "fast"}, {"compute": "f32"}],
    "reduce": [{"squared": True}, {"init": True}, {"compute": "f32"}, {"out": "f32"}],
    "transpose": [{"in_place": True}, {"loads": "whole"}, {"order": "C"}],
    "embedding_bag": [{"weights": True}, {"prefetch": 1}, {"bounds": "call"}],
}


def exact_requests(name):
    """Yield right requests of this function: arguments, keywords, and the keywords to vary."""
    _, args, keywords = REQUESTS[name]
    yield args, keywords, keywords
    for more in ({LEADING.get(name, "ldx"): 4}, {"target": "avx2"}, {"release_gil": True}, *MORE.get(name, ())):
        yield (), {**keywords, **more}, more


def requests(name):
    """Yield pairs of a right request and the same with one argument replaced by an equal or nearly equal value."""
    right = REQUESTS[name][1]
    for args, keywords, looked_at in exact_requests(name):
        for i, value in enumerate(args):
            yield from (((right, keywords), ((*args[:i], odd, *args[i + 1 :]), keywords)) for odd in variants(value))
        for key in looked_at:
            yield from (((right, keywords), (right, {**keywords, key: odd})) for odd in variants(keywords[key]))


HELD = []
"""Kernels that are kept alive, so that equal requests find them."""


def outcome(function, args, keywords):
    """Return what a program sees of the request."""
    try:
        kernel = function(*args, **keywords)
    except Exception as error:
        return type(error), str(error)
    HELD.append(kernel)
    return kernel.name, kernel.spec, repr(kernel.spec), kernel.release_gil, kernel.code


@pytest.fixture(scope="module")
def forget():
    """Yield a function that empties the caches of requests."""
    modules = ("tilesmith.runtime.api", "tilesmith.runtime.kernel")
    gc.unfreeze()  # tests/conftest.py freezes live objects, which would hide them from this list
    alive = gc.get_objects()
    gc.freeze()
    # By type, not isinstance: that asks an object for its __class__, and weak proxies of dead objects raise.
    caches = [each for each in alive if type(each) is functools._lru_cache_wrapper]
    caches = [each for each in caches if str(getattr(each, "__module__", "")).startswith(modules)]
    assert caches

    held = dict(kernels._alive)

    def all_of_them():
        for each in caches:
            each.cache_clear()
        kernels._alive.clear()
        HELD.clear()

    yield all_of_them
    kernels._alive.update(held)  # other tests hold kernels and expect to get them again


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.grid(6)
def test_what_equals_a_right_request(name, forget):
    """The outcome of an odd request is the same alone, after the right one, and before it."""
    function, seen = REQUESTS[name][0], 0
    for (args, keywords), odd in requests(name):
        forget()
        alone = outcome(function, *odd)
        after = outcome(function, args, keywords)
        forget()
        assert outcome(function, args, keywords) == after, odd
        assert outcome(function, *odd) == alone, odd
        seen += 1
    assert seen > 20


def test_what_the_issue_names(forget):
    for request, error in (
        (lambda: ts.unary("relu", 4, 4, ldx=4.0), "ldx: a positive integer, not 4.0"),
        (lambda: ts.unary("relu", 4, 4, ldx=True), "ldx: a positive integer, not True"),
        (lambda: ts.unary("dropout", 4, 4, rate=True), "rate: a number from 0 to 1, not True"),
        (lambda: ts.unary("quantize", 4, 4, scale=1.0, zero=3.0), "zero: a whole number, not 3.0"),
        (lambda: ts.reduce("sum", 4, 4, axis=1.0), "axis: 0 .*, not 1.0"),
        (lambda: ts.reduce("sum", 4, 4, squared=1), "squared: .*, not 1"),
    ):
        forget()
        held = [
            ts.unary("relu", 4, 4, ldx=4),
            ts.unary("dropout", 4, 4, rate=1),
            ts.unary("quantize", 4, 4, scale=1.0, zero=3),
            ts.reduce("sum", 4, 4, axis=1),
            ts.reduce("sum", 4, 4, squared=True),
        ]
        with pytest.raises((TypeError, ValueError), match=error):
            request()
        assert len(set(map(id, held))) == len(held)


def test_zeros_of_both_signs_are_one_request():
    assert ts.brgemm(4, 4, 4, beta=-0.0) is ts.brgemm(4, 4, 4, beta=0.0)
    assert ts.unary("dropout", 4, 4, rate=-0.0) is ts.unary("dropout", 4, 4, rate=0.0)
