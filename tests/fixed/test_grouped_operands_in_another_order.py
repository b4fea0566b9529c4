"""`ts.grouped_matmul` gave operands to kernels in the order of the dictionary, not of the epilogue's parameters, which
made wrong numbers; parameters named a, b or c raised KeyError."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts

ENDS = [3, 3, 10]


def _drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).integers(-3, 4, shape).astype(np.float32)


@pytest.mark.parametrize("names", [("s", "t"), ("t", "s"), ("b", "a"), ("c", "b"), ("b", "b_")])
@pytest.mark.parametrize("backward", [False, True])
def test_operands_are_found_by_name(names, backward):
    x, w, scale, shift = _drawn(10, 8), _drawn(3, 8, 4), _drawn(4), _drawn(10, 1)
    first, second = names
    epilogue = eval(f"lambda value, {first}, {second}: value * {first} + {second}")
    operands = {first: scale, second: shift}
    operands = dict(reversed(operands.items())) if backward else operands
    wanted = np.concatenate([x[:3] @ w[0], x[3:] @ w[2]]) * scale + shift
    assert (ts.grouped_matmul(x, w, ENDS, epilogue=epilogue, operands=operands) == wanted).all()


def test_operands_are_found_by_name_where_terms_are_cut():
    x, y, scale, shift = _drawn(8, 10), _drawn(10, 6), _drawn(6), _drawn(3, 1, 1)
    wanted = np.stack([x[:, :3] @ y[:3], x[:, 3:3] @ y[3:3], x[:, 3:] @ y[3:]]) * scale + shift
    operands = {"b": shift, "a": scale}
    assert (ts.grouped_matmul(x, y, ENDS, epilogue=lambda c, a, b: c * a + b, operands=operands) == wanted).all()


def test_other_names_are_refused():
    with pytest.raises(ValueError, match="operands: 'z' is no parameter of the epilogue"):
        ts.grouped_matmul(_drawn(10, 8), _drawn(3, 8, 4), ENDS, epilogue=lambda c: c, operands={"z": _drawn(4)})


def test_offsets_of_other_conventions_are_recognised():
    with pytest.raises(ValueError, match=r"without the 0 before them, are offsets\[1:\]"):
        ts.grouped_matmul(_drawn(10, 8), _drawn(3, 8, 4), [0, *ENDS])
    with pytest.raises(ValueError, match=r"np\.cumsum\(offsets\) makes ends"):
        ts.grouped_matmul(_drawn(10, 8), _drawn(3, 8, 4), [3, 0, 7])


def test_kernels_on_all_cores_are_not_spread():
    for kernel in (ts.gemm(8, 8, 8), ts.spread(ts.transpose(64, 64))):
        with pytest.raises(TypeError, match=f"not {type(kernel).__name__}, which runs on all cores as it is"):
            ts.spread(kernel)
