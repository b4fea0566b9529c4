"""A call through machine code that found no memory for its result kept its scratch memory: `trim` could no longer free
it, and after four such calls no call through machine code found any."""

import resource
from pathlib import Path

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import run_forked

LEFT = 8 << 20  # bytes of address space, of which the result needs more


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the size of the address space from Linux")
def test_scratch_memory_is_returned_without_a_result():
    product = ts.gemm(2048, 2048, 4, order="FFC", beta=0.0, threads=1)  # a result of 16 MiB, and operands to be packed
    a, b = np.ones((4, 2048), np.float32).T, np.ones((2048, 4), np.float32).T
    c = np.empty((2048, 2048), np.float32)

    def without_memory():
        ts.trim()
        for _ in range(3):
            product(a, b, c)
        assert product.direct
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + LEFT, used + LEFT))
        for _ in range(5):
            with pytest.raises(MemoryError):
                product(a, b)
        assert ts.trim() >= sum(product._scratch)
        product(a, b, c)
        assert (c == 4).all()

    assert run_forked(without_memory) == 0
