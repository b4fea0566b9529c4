"""All workers computed a convolution of one tile, and a small copy by `ts.permute`, each writing the same elements."""

import numpy as np

import tilesmith as ts


def test_one_worker_computes_one_tile():
    layer = ts.conv((1, 4, 3, 3), (8, 4, 3, 3))
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((1, 4, 3, 3), (8, 4, 3, 3)))
    y = layer.run(x, layer.pack(w), np.zeros(8, np.float32), workers=2)
    assert np.array_equal(y[0, :, 0, 0], np.einsum("kcrs,crs->k", w, x[0]))
