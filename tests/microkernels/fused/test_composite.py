"""Composites inside traced functions have the bits of their own kernels, and errors say what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.fused.composites import COMPOSITES
from tilesmith.runtime.arguments.arrays import numpy_dtype

ROWS, COLUMNS = 6, 40


def drawn(operand: Any, rng: np.random.Generator) -> np.ndarray:
    """Return positive numbers near 1, which have roots and logarithms, or integers for labels and halves of weights."""
    dtype = np.dtype(numpy_dtype(operand.dtype))
    shape = operand.rows, operand.columns
    if dtype.kind in "iu":
        return rng.integers(0, COLUMNS, shape).astype(dtype)
    return rng.uniform(0.5, 1.5, shape).astype(dtype)


@pytest.mark.parametrize("name", [name for name, each in COMPOSITES.items() if not each.grouped])
def test_traced_as_its_own_kernel(name: str) -> None:
    own = ts.fused(name, ROWS, COLUMNS)
    reads = [each for each in own.spec.operands if not each.output]
    writes = [each for each in own.spec.operands if each.output]

    names = ", ".join(each.name for each in reads)
    function = eval(f"lambda {names}: composite(name, {names})", {"composite": ts.composite, "name": name})
    traced = ts.equation(
        function,
        dtype={each.name: each.dtype for each in reads},
        out=tuple(each.dtype for each in writes),
        **{each.name: (each.rows, each.columns) for each in reads},
    )
    rng = np.random.default_rng(3)
    arrays = [drawn(each, rng) for each in reads]
    seed = [7] if "rate" in COMPOSITES[name].options else []
    results = [[np.empty((each.rows, each.columns), numpy_dtype(each.dtype)) for each in writes] for _ in range(2)]
    for kernel, made in zip((own, traced), results):
        kernel(*arrays, *seed, *made)
    for ours, other in zip(*results):
        assert ours.tobytes() == other.tobytes()


def test_mistakes_in_composites_are_named() -> None:
    cases = (
        (ValueError, "did you mean swiglu", lambda a: ts.composite("swigl", a, a)),
        (TypeError, "swiglu: takes 2 expressions .a, b. .*not 1", lambda a: ts.composite("swiglu", a)),
        (TypeError, "option", lambda a: ts.composite("swiglu", a, a, eps=1.0)),
        (UnsupportedError, "make a kernel", lambda a: ts.composite("groupnorm_training", a, a, a)),
    )
    for kind, words, function in cases:
        with pytest.raises(kind, match=words):
            ts.equation(function, a=(4, 8))
    with pytest.raises(TypeError, match="not ndarray; for arrays make a kernel"):
        ts.composite("softmax", np.ones((2, 3)))
