"""Kernels in JAX, on the CPU.

    from tilesmith.integrations import jax as tsj

    y = tsj.linear(x, weight, bias, activation="gelu")        # with jit, grad, vmap, scan, shard_map

See docs/jax.md.
"""

from ..runtime.integrations.jax.absent import no_attribute as _no_attribute
from ..runtime.integrations.jax.arrays import FLOATS
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
from ..runtime.integrations.jax.optimizers import AdamState, MeanState, SGDState
from ..runtime.integrations.jax.optimizers import FunctionalAdagrad as Adagrad
from ..runtime.integrations.jax.optimizers import FunctionalAdamW as AdamW
from ..runtime.integrations.jax.optimizers import FunctionalLAMB as LAMB
from ..runtime.integrations.jax.optimizers import FunctionalLion as Lion
from ..runtime.integrations.jax.optimizers import FunctionalRMSprop as RMSprop
from ..runtime.integrations.jax.optimizers import FunctionalSGD as SGD

__all__ = [
    "FLOATS",
    "SGD",
    "Adagrad",
    "AdamState",
    "AdamW",
    "LAMB",
    "Lion",
    "MeanState",
    "RMSprop",
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


def __getattr__(name: str) -> object:
    raise _no_attribute(name, __all__)
