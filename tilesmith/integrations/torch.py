"""Kernels in PyTorch.

    from tilesmith.integrations import torch as tst

    y = tst.linear(x, weight, bias, activation="gelu")     # functions, with gradients
    torch.ops.tilesmith.softmax(x, -1)                     # operators, for torch.compile, vmap, autocast, export
    model = nn.Sequential(tst.Linear(64, 128, activation="gelu"), tst.LayerNorm(128))
    print(tst.freeze(model.eval()))                        # packs constant weights
    optimizer = tst.AdamW(model.parameters())              # a step is one call for all parameters
    fast = torch.compile(model, backend="tilesmith")       # whole models; print(tst.explain(model, x))

See docs/torch.md.
"""

from ..runtime.integrations.torch.absent import no_attribute as _no_attribute
from ..runtime.integrations.torch.compiling.explaining import CompilationReport, explain
from ..runtime.integrations.torch.compiling.registration import backend
from ..runtime.integrations.torch.functions import (
    activation,
    attention,
    avg_pool,
    bmm,
    conv,
    cross_entropy,
    embedding_bag,
    gelu,
    layer_norm,
    linear,
    linear_packed,
    log_softmax,
    max_pool,
    mm,
    pack,
    rms_norm,
    scaled_dot_product_attention,
    softmax,
)
from ..runtime.integrations.torch.modules import ActivationModule as Activation
from ..runtime.integrations.torch.modules import CompressedLinear, FrozenReport, PackedLinear, freeze
from ..runtime.integrations.torch.modules import GRUModule as GRU
from ..runtime.integrations.torch.modules import LayerNormModule as LayerNorm
from ..runtime.integrations.torch.modules import LinearModule as Linear
from ..runtime.integrations.torch.modules import LSTMModule as LSTM
from ..runtime.integrations.torch.modules import RMSNormModule as RMSNorm
from ..runtime.integrations.torch.modules import RNNModule as RNN
from ..runtime.integrations.torch.modules import SoftmaxModule as Softmax
from ..runtime.integrations.torch.optimizers import LAMB, SGD, Adagrad, Adam, AdamW, Lion, RMSprop, SplitSGD

__all__ = [
    "GRU",
    "LAMB",
    "LSTM",
    "RNN",
    "SGD",
    "Activation",
    "Adam",
    "AdamW",
    "Adagrad",
    "Lion",
    "RMSprop",
    "CompilationReport",
    "CompressedLinear",
    "FrozenReport",
    "LayerNorm",
    "Linear",
    "PackedLinear",
    "RMSNorm",
    "Softmax",
    "SplitSGD",
    "activation",
    "attention",
    "avg_pool",
    "backend",
    "bmm",
    "conv",
    "cross_entropy",
    "embedding_bag",
    "explain",
    "freeze",
    "gelu",
    "layer_norm",
    "linear",
    "linear_packed",
    "log_softmax",
    "max_pool",
    "mm",
    "pack",
    "rms_norm",
    "scaled_dot_product_attention",
    "softmax",
]


def __getattr__(name: str) -> object:
    raise _no_attribute(name, __all__)
