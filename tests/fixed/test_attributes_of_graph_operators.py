"""Operators of ts.graph ignored attributes that they do not know: g.sum(a, axis=1) added up all elements."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.graph.values import OPERATORS

WRONG = {
    "sum": ({"axis": 1}, "did you mean axes"),
    "mean": ({"dim": 1}, "takes axes, keepdims"),
    "argmax": ({"axes": 0}, "did you mean axis"),
    "softmax": ({"axes": 0}, "did you mean axis"),
    "max": ({"keepdim": True}, "did you mean keepdims"),
    "clip": ({"min": 1}, "takes low, high"),
    "leaky_relu": ({"alpha": 0.1}, "takes slope"),
    "gelu": ({"approximate": "tanh"}, "takes none"),
    "layer_norm": ({"epsilon": 100.0}, "did you mean eps|takes axes, eps"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_unknown_attribute_is_an_error(name):
    attributes, advice = WRONG[name]
    g = ts.graph()
    more = (None, None) if name == "layer_norm" else ()
    with pytest.raises(TypeError, match=f"{name}: no attribute .*{advice}"):
        g.apply(name, g.input((4, 8)), *more, **attributes)


def test_every_attribute_is_an_identifier_once():
    for row in OPERATORS.values():
        names = row.takes.split()
        assert all(name.isidentifier() for name in names) and len(set(names)) == len(names)


def test_values_of_another_graph_and_what_is_no_value():
    g, other = ts.graph(), ts.graph()
    x, y = g.input((4, 8)), other.input((4, 8))
    with pytest.raises(ValueError, match="another graph"):
        g.compile(g.add(x, y))
    with pytest.raises(TypeError, match="one value of this graph"):
        g.compile()
    with pytest.raises(TypeError, match="not list"):
        ts.graph().compile([x])
    with pytest.raises(ValueError, match="extents of 0 or more"):
        g.input((-1, 4))
    with pytest.raises(ValueError, match="RUNTIME as the first"):
        g.input((4, ts.RUNTIME))
    with pytest.raises(TypeError, match="shape: by name"):
        g.reshape(x, (32,))
    assert ts.graph().input(8).shape == (8,)


def test_a_sum_of_elements_that_views_have_put_in_another_order():
    """The region that computed them read them, too, which was an AssertionError."""
    g = ts.graph()
    a = g.input((2, 16, 64))
    turned = g.reshape(g.permute(a * 2.0, axes=(1, 0, 2)), shape=(32, 64))
    f = g.compile(g.sum(turned, axes=0), g.max(turned, axes=1))
    x = np.random.default_rng(0).standard_normal((2, 16, 64)).astype(np.float32)
    wanted = 2 * x.astype(np.float64).transpose(1, 0, 2).reshape(32, 64)
    added, largest = f(x)
    assert np.allclose(added, wanted.sum(0), rtol=1e-5, atol=1e-5) and np.array_equal(largest, wanted.max(1))
