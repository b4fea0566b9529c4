"""Kernels of attention on tiles took the softmax step of an earlier kernel that had another scale, in one process."""

import ml_dtypes
import numpy as np

import tilesmith as ts
from tilesmith.microkernels.attention.blocks import AttentionSchedule


def test_the_scale_of_an_earlier_kernel():
    k = (np.arange(32 * 32).reshape(1, 32, 32) % 7 - 3).astype(ml_dtypes.bfloat16)
    q = k[:, :16].copy()
    score = q[0].astype(float) @ k[0].astype(float).T
    for scale in (0.5, 0.0625):
        kernel = ts.attention(1, 16, 32, 32, dtype="bf16", target="amx", scale=scale)
        assert kernel.plan.schedule is AttentionSchedule.STRIPS
        out = np.zeros_like(q)
        kernel.run(q, k, k, out)
        power = np.exp(score * scale - (score * scale).max(axis=1, keepdims=True))
        wanted = power / power.sum(axis=1, keepdims=True) @ k[0].astype(float)
        assert np.all(abs(out[0].astype(float) - wanted) <= 2.0**-7 * abs(k).astype(float).max())
