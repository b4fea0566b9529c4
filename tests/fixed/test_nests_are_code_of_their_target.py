"""On a machine without tile registers, kernels on tiles have stand-ins that give the same bits. Nests and products had
the code of the stand-ins even in saved objects, listings and the emulator: not that of their target, and with
instructions that the target may lack."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.encoder.features import TARGETS


@pytest.mark.parametrize("target", ["amx", "amx_fp16"])
def test_a_product_for_tiles_has_tiles_on_every_machine(target):
    product = ts.gemm(3, 8, 16, dtype=("u8", "i8", "i32"), beta=0.0, target=target)
    assert "tdpbusd" in product.listing() and "vpdpbusd" not in product.listing()
    assert product._blob.features <= TARGETS[target].features
    a, b = np.full((3, 16), 2, np.uint8), np.full((16, 8), -3, np.int8)
    assert (product.run(a, b) == -96).all()
