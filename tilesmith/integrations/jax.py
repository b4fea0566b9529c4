"""Kernels in JAX, on the CPU.

    from tilesmith.integrations import jax as tsj

    y = tsj.linear(x, weight, bias, activation="gelu")        # with jit, grad, vmap, scan, shard_map

See docs/jax.md.
"""

from ..runtime.integrations.jax.equations import equation
from ..runtime.integrations.jax.functions import (
    attention,
    conv,
    layer_norm,
    linear,
    log_softmax,
    matmul,
    rms_norm,
    softmax,
)
from ..runtime.integrations.jax.optimizers import SGD, AdamState, AdamW, SGDState

__all__ = [
    "SGD",
    "AdamState",
    "AdamW",
    "SGDState",
    "attention",
    "conv",
    "equation",
    "layer_norm",
    "linear",
    "log_softmax",
    "matmul",
    "rms_norm",
    "softmax",
]
