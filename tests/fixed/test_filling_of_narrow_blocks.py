"""On tiles, packed blocks of B are filled up with zeros to whole tiles. If the last block was narrower than the others
and its columns were not grouped, its zeros were written to the wrong place, so that products read what an earlier call
had left in scratch memory: a NaN there was a NaN in C. The emulator's scratch memory was zero, which hid it."""

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tilesmith.encoder.features import TARGETS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def product():
    features = TARGETS["amx"].features | TARGETS["avx512_bf16"].features
    target = replace(TARGETS["amx"], name="tiles and dot products", features=features, chooses_tiles=True)
    made = ts.gemm(2, 193, 130, dtype=("bf16", "bf16", "f32"), order="CCF", beta=0.0, target=target, threads=1)
    assert made.plan.whole == 32 and made.plan.nb < 193
    return made


def test_zeros_lie_where_the_product_reads(product):
    width = 193 % product.plan.nb
    filling, multiply = product.kernels.fill_b(130, width), product.kernels.multiply(2, width, 130, True, True)
    (zeros,), (_, leading, _) = filling.kernel.spec.inputs, multiply.spec.leading
    assert zeros.view.leading == leading * product.kernels.group
    assert filling.begin == 130 * leading * 2 and zeros.rows == (multiply.spec.k - 130) // product.kernels.group


def test_no_element_of_scratch_memory_is_read_that_nobody_wrote(product):
    rng = np.random.default_rng(28)
    a, b = (rng.integers(-8, 8, shape).astype(ml_dtypes.bfloat16) for shape in ((2, 130), (130, 193)))
    assert (product.run(a, b) == a.astype(np.float64) @ b.astype(np.float64)).all()
