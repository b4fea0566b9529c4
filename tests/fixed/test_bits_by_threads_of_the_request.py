"""The rows of blocks were balanced for the request's threads, and kernels of other heights add in another order, so
ts.gemm(..., threads=1) and threads=2 gave different bits."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.ops.blocks import blocks, is_balanced


@pytest.mark.parametrize("m, n, k, dtype", [(127, 153, 22, "f64"), (115, 299, 191, "f32"), (300, 700, 40, "f32")])
def test_bits_are_equal(m: int, n: int, k: int, dtype: str) -> None:
    rng = np.random.default_rng(0)
    numpy_type = {"f32": np.float32, "f64": np.float64}[dtype]
    a, b = rng.standard_normal((m, k)).astype(numpy_type), rng.standard_normal((k, n)).astype(numpy_type)
    found = set()
    for threads in (1, 2, 3, 7):
        product = ts.gemm(m, n, k, dtype=dtype, beta=0.0, threads=threads)
        c = np.zeros((m, n), numpy_type)
        integers, keep = product.checked(a, b, c)
        product._run(integers, threads)
        del keep
        found.add(c.tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("cores", [1, 2, 4, 8, 64])
@pytest.mark.parametrize("size", [(333, 333, 333), (1024, 1024, 1024), (1000, 1111, 999), (20, 3000, 500)])
def test_blocks_do_not_depend_on_threads(size: tuple[int, int, int], cores: int) -> None:
    spec = ts.gemm_spec(*size)
    plans = [blocks(spec, 1 << 20, 16, threads, cores) for threads in (1, 2, 3, 7, 30)]
    assert len({(each.mb, each.nb, each.kb, each.nc, each.packs_a, each.packs_b) for each in plans}) == 1
    if cores <= 8 and plans[0].packs_b and size[0] == 1024:
        assert is_balanced(1024, plans[0].mb, cores)


def test_every_core_has_rows_of_a_product_that_is_not_packed() -> None:
    for cores in (1, 2, 8, 64):
        plan = blocks(ts.gemm_spec(8192, 100, 100), 1 << 20, 16, cores, cores)
        assert not plan.packs_b and -(-8192 // plan.mb) >= cores
