"""The methods of `ts.graph()` have names, signatures and documentation: `help(ts.graph().sum)`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.graph.values import OPERATORS


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("sum", "(x, /, *, axes=None, keepdims=False)"),
        ("relu", "(x, /)"),
        ("where", "(mask, a, b, /)"),
        ("batch_norm", "(x, w, b, mean, variance, /, *, eps=1e-05)"),
        ("conv", "(x, w, b=None, /, *, strides=1, padding=0, dilations=1, groups=1, output_padding=0, dtype=None)"),
        ("concatenate", "(*values, axis=0)"),
        ("reshape", "(x, /, *, shape)"),
    ],
)
def test_signatures(name, signature):
    assert str(inspect.signature(getattr(ts.graph(), name))) == signature


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_operator_is_described(name):
    method = getattr(ts.graph(), name)
    assert method.__name__ == name and method.__doc__
    if name != "foreign":  # a method of its own
        named = [each.name for each in inspect.signature(method).parameters.values() if each.kind is each.KEYWORD_ONLY]
        assert named == OPERATORS[name].takes.split()


def test_a_described_method_adds_its_operator():
    g = ts.graph()
    made = g.compile(g.sum(g.input((2, 3)), axes=1))
    assert np.array_equal(made(np.ones((2, 3), np.float32)), [3, 3])
