"""The backend that torch finds by the entry point `torch_dynamo_backends` of the installed package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from .....encoder.deferred import lazy

if TYPE_CHECKING:
    from . import backend as compiling

compiling = lazy(__package__, ".backend")
"""It imports torch._dynamo, which takes a second."""


def backend(
    module: torch.fx.GraphModule,
    inputs: Sequence[torch.Tensor],
    *,
    options: Mapping[str, bool] | None = None,
    mode: str | None = None,
) -> Callable[..., object]:
    """Compile a graph of torch.compile: `torch.compile(model, backend="tilesmith")`, or `backend=tst.backend`.

    options   {"freeze": True}: parameters and buffers never change, so that inference packs them once
              {"strict": True}: an operator that no kernel computes raises UnsupportedError. Otherwise torch computes
              it, and `explain` names it with the reason
              {"fallback_random": True}: attention with dropout draws what torch's eager mode does, by its operators
              Other names raise ValueError
    mode      torch's, which changes nothing here: machine code calls the kernels of a graph in every mode
    """
    return compiling.compiled(module, inputs, compiling.GraphOptions.of(options))
