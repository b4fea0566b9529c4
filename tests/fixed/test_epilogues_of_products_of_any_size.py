"""ts.gemm, ts.matmul and layers took epilogues with a result beside C or with random numbers. The nest passed no
address for the result and no seed, so kernels wrote to an arbitrary address. Small products of ts.matmul discarded the
result."""

import numpy as np
import pytest

import tilesmith as ts

EPILOGUES = {
    "result": (lambda c: (c, ts.relu(c)), r"further results \(y1\)"),
    "mask": (lambda c: (c, c > 0), r"further results \(y1\)"),
    "statistic": (lambda c: (c, ts.statistic("max", c, axis=0)), r"further results \(y1\)"),
    "dropout": (lambda c: ts.dropout(c, 0.5), r"random numbers \(seed\)"),
    "uniform": (lambda c: c * ts.uniform(), r"random numbers \(seed\)"),
}


@pytest.mark.parametrize("kind", EPILOGUES)
@pytest.mark.parametrize("size", [8, 300])
def test_refused_by_products(kind, size):
    function, words = EPILOGUES[kind]
    x = np.ones((size, size), np.float32)
    if kind in ("mask", "statistic"):  # ts.gemm has the others: tests/runtime/ops/test_results_beside_c.py
        with pytest.raises(ts.UnsupportedError, match="gemm: y1, a (mask of bits|statistic), is not supported"):
            ts.gemm(size, size, size, epilogue=function)
    for call in (lambda: ts.matmul(x, x, epilogue=function), lambda: ts.matmul(x[None], x, epilogue=function)):
        with pytest.raises(ts.UnsupportedError, match=words):
            call()


@pytest.mark.parametrize("kind", EPILOGUES)
def test_refused_by_layers(kind):
    function, words = EPILOGUES[kind]
    for make in (lambda: ts.linear(8, 8, 8, activation=function), lambda: ts.mlp(8, [8, 8], last=function)):
        with pytest.raises(ts.UnsupportedError, match=words):
            make()
