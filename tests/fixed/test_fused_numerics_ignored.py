"""numerics="fast" was ignored in fused kernels, and ts.fused mistook it for a leading dimension."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import TARGETS
from tilesmith.emulation.numerics import bf16
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host


@pytest.mark.parametrize("target", ["avx512", "avx512_bf16", "neon_bf16", "avx2"])
@pytest.mark.parametrize("shape", [(3, 133), (2, 1), (1, 16)])
def test_denormals_may_become_zeros(target: str, shape: tuple[int, int]):
    """ "fast" stores x + 0 max x, with denormals, as bf16 by VCVTNEPS2BF16 if the target has it, and otherwise like
    "exact"."""
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    x[:, ::3].view(np.uint32)[:] &= 0x807FFFFF
    kernels = [
        ts.equation(
            lambda x: (x + 0.0 * ts.max(x, axis=1), ts.max(x, axis=1)),
            x=shape,
            out="bf16",
            numerics=each,
            target=target,
        )
        for each in ("exact", "fast")
    ]
    exact, fast = ([y.view(np.uint16) for y in kernel.run(x)] for kernel in kernels)
    sources = (x + np.float32(0.0) * x.max(1, keepdims=True), x.max(1, keepdims=True))
    flushes = target == "avx512_bf16"
    for source, kept, quick in zip(sources, exact, fast):
        kept, quick = (each.reshape(source.shape) for each in (kept, quick))
        assert np.array_equal(kept, bf16.bfcvt(source))
        assert np.array_equal(quick, bf16.vcvtneps2bf16(source) if flushes else kept)
    assert ("vcvtneps2bf16" in kernels[1].listing()) == flushes
    assert "vcvtneps2bf16" not in kernels[0].listing()


def test_composites_take_it():
    with pytest.raises(ValueError, match="numerics: one of 'exact', 'fast', not 'fats'"):
        ts.fused("softmax", 4, 40, numerics="fats")
    exact, fast = (
        ts.fused("softmax", 4, 40, dtype="bf16", target="avx512_bf16", numerics=each) for each in ("exact", "fast")
    )
    assert len(fast.code) < len(exact.code)
    x = np.random.default_rng(2).normal(size=(4, 40)).astype(numpy_dtype("bf16"))
    if host.runs(TARGETS["avx512_bf16"]):
        assert np.array_equal(exact(x).view(np.uint16), fast(x).view(np.uint16))  # none of the results is denormal
