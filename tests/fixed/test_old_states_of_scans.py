"""Steps of g.scan that read a state after its next value was computed read the next value."""

import numpy as np
import pytest

import tilesmith as ts

BODIES = {
    "exchanged": (lambda g, a, b, x: (b, a + b), lambda a, b, x: (b, a + b)),
    "old as output": (lambda g, a, b, x: (a + x, b + a, a, b), lambda a, b, x: (a + x, b + a, a, b)),
    "moved on": (lambda g, a, b, x: (a + x, a, b), lambda a, b, x: (a + x, a, b)),
    "after a sum": (
        lambda g, a, b, x: (g.tanh(a) + x, b + g.sum(a, axes=0, keepdims=True), a * b),
        lambda a, b, x: (np.tanh(a) + x, b + a.sum(0, keepdims=True), a * b),
    ),
}


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("name", BODIES)
def test_steps_read_the_states_before_them(name, steps):
    body, definition = BODIES[name]
    rng = np.random.default_rng(steps)
    a, b, x = (rng.standard_normal(shape) for shape in ((3,), (3,), (steps, 3)))
    g = ts.graph()
    given = [g.input(each.shape, np.float64) for each in (a, b, x)]
    found = g.compile(*g.scan(*given, function=body, states=2, sequences=1))(a, b, x)
    outputs = []
    for row in x:
        a, b, *others = definition(a, b, row)
        outputs.append(others)
    wanted = [a, b, *map(np.stack, zip(*outputs))]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
