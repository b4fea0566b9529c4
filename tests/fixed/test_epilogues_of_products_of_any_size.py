"""ts.gemm, ts.matmul and layers took epilogues with a result beside C or with random numbers. The nest passed no
address for the result and no seed, so kernels wrote to an arbitrary address. Small products of ts.matmul discarded the
result. What they take now is tested by tests/runtime/ops/test_results_of_matmul.py and test_results_beside_c.py; the
rest is refused."""

import numpy as np
import pytest

import tilesmith as ts

EPILOGUES = {
    "result": (lambda c: (c, ts.relu(c)), r"further results \(y1\)"),
    "mask": (lambda c: (c, c > 0), r"further results \(y1\)"),
    "dropout": (lambda c: ts.dropout(c, 0.5), r"random numbers \(seed\)"),
    "uniform": (lambda c: c * ts.uniform(), r"random numbers \(seed\)"),
}


@pytest.mark.parametrize("size", [8, 300])
def test_statistics_are_refused(size):
    def function(c):
        return c, ts.statistic("max", c, axis=0)

    x = np.ones((size, size), np.float32)
    for call in (
        lambda: ts.gemm(size, size, size, epilogue=function),
        lambda: ts.matmul(x, x, epilogue=function),
        lambda: ts.matmul(x[None], x, epilogue=function),
        lambda: ts.linear(8, 8, 8, activation=function),
        lambda: ts.mlp(8, [8, 8], last=function),
    ):
        with pytest.raises(ts.UnsupportedError, match="y1, a statistic, is not supported"):
            call()


@pytest.mark.parametrize("kind", ["dropout", "uniform"])
def test_a_product_without_its_seed_is_refused(kind):
    x = np.ones((8, 8), np.float32)
    with pytest.raises(TypeError, match="operands: seed missing"):
        ts.matmul(x, x, epilogue=EPILOGUES[kind][0])


@pytest.mark.parametrize("kind", EPILOGUES)
def test_refused_by_networks(kind):
    function, words = EPILOGUES[kind]
    with pytest.raises(ts.UnsupportedError, match=words):
        ts.mlp(8, [8, 8], last=function)
