"""Section C of first-contact.md: packed operands and formulas of primitives. test_dispatch.py has C2 and C8."""

import pydoc
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.functions.activations import FUNCTIONS

BF16 = ml_dtypes.bfloat16
RNG = np.random.default_rng(0)


def test_c4_packed_operands():
    """The help states the shape that a call needs and the transform that makes it; its result is an operand."""
    mm = ts.brgemm(16, 128, 32, dtype=("bf16", "bf16", "f32"), b_layout="vnni", beta=0)
    text = pydoc.render_doc(mm)
    assert "b   bf16 (16, 128, 2)" in text and 'ts.transform("vnni2", 32, 128, "bf16")(x)' in text
    a, b = (RNG.integers(-4, 4, s).astype(BF16) for s in ((16, 32), (32, 128)))
    packed = ts.transform("vnni2", 32, 128, BF16)(b)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    for each in (packed, packed.reshape(16, 128, 2)):
        np.testing.assert_array_equal(mm(a, each), expected)
    with pytest.raises(
        ValueError, match=r'b: shape \(16, 128, 2\), not \(32, 128\); it must be packed: .*ts.transform\("vnni2"'
    ):
        mm(a, b)
    with pytest.raises(ValueError, match="b: shape"):
        mm(a, packed[:, ::2])


@pytest.mark.parametrize("packed", ["a", "b"])
def test_c4_packed_operands_of_columns(packed):
    """What the help says makes operands in order "F", of which b has neighbours along k side by side as it is."""
    layout: dict[str, Any] = {f"{packed}_layout": "vnni"}
    mm = ts.brgemm(16, 6, 32, dtype=("bf16", "bf16", "f32"), order="F", beta=0, **layout)
    a, b = (np.asfortranarray(RNG.integers(-4, 4, s).astype(BF16)) for s in ((16, 32), (32, 6)))
    expected = a.astype(np.float32) @ b.astype(np.float32)
    if packed == "a":
        made = 'ts.transform("vnni2", 32, 16, "bf16")(x.T).T'
        assert f"packed: {made} makes it of x (16, 32)" in pydoc.render_doc(mm)
        for wrong in (a, np.ascontiguousarray(a), a.reshape(16, 16, 2)):
            with pytest.raises(ValueError, match=r'packed: ts.transform\("vnni2", columns, rows, "bf16"\)\(x.T\).T'):
                mm(wrong, b)
        a = eval(made, {"ts": ts, "x": a})
    np.testing.assert_array_equal(mm(a, b), expected)


def test_c5_a_formula_for_each_primitive():
    known = ts.primitives()
    for kind, function in (("unary", ts.unary), ("binary", ts.binary), ("ternary", ts.ternary)):
        names = known[kind]
        assert list(names) == sorted(names) and names[0] in names and len(names) == len(set(names))
        for name in names:
            assert names[name].startswith(f"{name}(") and " = " in names[name]
            assert names[name] in repr(names) and names[name] in function.__doc__


@pytest.mark.parametrize("name", FUNCTIONS)
def test_c5_gradients_are_derivatives_times_their_first_operand(name):
    text = ts.primitives()["binary"][f"{name}_inv"]
    assert text.startswith(f"{name}_inv(g, x) = g")
    assert f"the derivative of {name} at x times g, the gradient of {name}(x)" in text
    x, h = np.linspace(0.3, 2, 40).reshape(1, 40), 2.0**-20
    function = ts.unary(name, 1, 40, dtype="f64", accuracy="accurate")
    slope = (function(x + h) - function(x - h)) / (2 * h)
    g = np.full((1, 40), 3.0)
    found = ts.binary(f"{name}_inv", 1, 40, dtype="f64", accuracy="accurate")(g, x)
    np.testing.assert_allclose(found, 3 * slope, rtol=1e-8, atol=1e-9)


def test_c5_help_says_what_inv_is():
    assert '"_inv" is a gradient, for backward passes' in ts.binary.__doc__
