"""ts.fused took eps=-1, beta1=2, most=-1 and the like; the kernels gave NaN, or weights that grow without bound."""

import math

import pytest

import tilesmith as ts
from tilesmith.microkernels.fused.composites import COMPOSITES

NONE = {  # of each option: numbers without a meaning, and the last ones with one
    "eps": ((-1, -1e-8), (0, 1e-8)),
    "rate": ((-0.1, 1.1), (0, 1)),
    "momentum": ((-0.5,), (0, 1)),
    "beta1": ((-0.1, 1, 2), (0, 0.999)),
    "beta2": ((-0.1, 1, 2), (0, 0.999)),
    "decay": ((-0.01,), (0, 0.01)),
    "most": ((0, -1), (0.5,)),
    "smoothing": ((-0.1, 1.1), (0, 1)),
    "alpha": ((-0.1, 1, 2), (0, 0.99)),
}
CASES = [(name, option) for name, each in COMPOSITES.items() for option in each.options]


@pytest.mark.parametrize(("name", "option"), CASES)
def test_numbers_of_kernels(name, option):
    wrong, right = NONE[option]
    for number in (*wrong, math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"^{option}: .*, not {number}$|^{option}: .*; not {number}$"):
            ts.fused(name, 4, 4, **{option: number})
    for number in right:
        assert ts.fused(name, 4, 4, **{option: number}).code


@pytest.mark.parametrize(("name", "option"), [case for case in CASES if not COMPOSITES[case[0]].grouped])
def test_numbers_inside_traced_functions(name, option):
    inputs = COMPOSITES[name].inputs

    def traced(number):
        def function(x):
            made = ts.composite(name, *[x] * len(inputs), **{option: number})
            return made[0] if isinstance(made, tuple) else made

        return ts.equation(function, x=(4, 4))

    for number in (*NONE[option][0], math.nan):
        with pytest.raises(ValueError, match=f"{option}: "):
            traced(number)


def test_functions_of_norms():
    for norm in (ts.layernorm, ts.rmsnorm):
        vectors = ("gamma", "beta")[: 2 if norm is ts.layernorm else 1]
        with pytest.raises(ValueError, match="eps: at least 0"):
            ts.equation(lambda x: norm(x, *[x] * len(vectors), axis=1, eps=-1), x=(4, 4))  # noqa: B023
