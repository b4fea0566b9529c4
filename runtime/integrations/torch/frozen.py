"""Frozen modules: what they have in common, and convolutions of constant weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import nn

from ....microkernels.tuning.integrations import INTEGRATIONS
from ...convolution.layers import conv as layer_of
from . import functions
from .eager import is_plain
from .library import DTYPES, Value, detached, dtype_of, not_scripted
from .products import NONE, function_of

if TYPE_CHECKING:
    from ...contraction.layer import PackedFactor
    from ...convolution.layer import Convolution

ConvModule: TypeAlias = "nn.Conv1d | nn.Conv2d | nn.Conv3d"


class FrozenModule(nn.Module):
    """A layer of constant weights. It cannot be trained."""

    bias: torch.Tensor | None
    __prepare_scriptable__ = not_scripted

    def __init__(self, bias: torch.Tensor | None, activation: str) -> None:
        super().__init__()
        self.activation = activation
        self.register_buffer("bias", None if bias is None else bias.detach().clone())

    def train(self, mode: bool = True) -> FrozenModule:
        """Raise RuntimeError for mode True: the weights are constants."""
        if mode:
            raise RuntimeError(f"{type(self).__name__}: its weights are constants; train the model that was frozen")
        super().train(False)
        return self


class _KeptConvolutions:
    """The layers of one module by the shape, strides and type of x, with its weights, which layers share that read the
    same panels. It is made again where a module is copied, loaded or converted."""

    def __init__(self) -> None:
        self.layers: dict[tuple[object, ...], tuple[Convolution, PackedFactor]] = {}

    def __reduce__(self) -> tuple[type[_KeptConvolutions], tuple[()]]:
        return _KeptConvolutions, ()

    def weights_for(self, layer: Convolution, weight: torch.Tensor) -> PackedFactor:
        """Return the weights in the panels that a layer reads."""
        for other, packed in self.layers.values():
            if other.panel_layout == layer.panel_layout:
                return packed
        return layer.pack(weight)


class PackedConvolution(FrozenModule):
    """A convolution of sequences, images or volumes by constant weights, which are packed at the first call of a shape:
    the order in which kernels read them depends on it. Its state dict is that of torch's module."""

    weight: torch.Tensor

    def __init__(self, layer: ConvModule, activation: str = NONE) -> None:
        super().__init__(layer.bias, activation)
        self.register_buffer("weight", layer.weight.detach().clone())
        self.stride, self.padding, self.dilation, self.groups = (
            layer.stride,
            layer.padding,
            layer.dilation,
            layer.groups,
        )
        self._kept = _KeptConvolutions()
        self.eval()

    def _load_from_state_dict(self, *args: Value, **named: Value) -> None:
        self._kept = _KeptConvolutions()
        super()._load_from_state_dict(*args, **named)

    def _apply(self, *args: Value, **named: Value) -> PackedConvolution:
        self._kept = _KeptConvolutions()
        super()._apply(*args, **named)
        return self

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return activation(the convolution + bias) of x (n, c, ...) or (c, ...)."""
        if input.dim() == self.weight.dim() - 1:
            return self(input.unsqueeze(0)).squeeze(0)
        plain = is_plain(input) and not input.requires_grad and input.is_cpu
        if not plain or input.dtype != self.weight.dtype or input.dim() != self.weight.dim() or not input.numel():
            window = self.stride, self.padding, self.dilation, self.groups
            sums = functions.conv(input, self.weight, self.bias, *window)  # names what it does not take
            return sums if self.activation == NONE else functions.activation(sums, self.activation)
        (x,) = detached(input)
        last = not x.is_contiguous() and x.movedim(1, -1).is_contiguous()
        x = x if last else x.contiguous()
        key = tuple(x.shape), last
        found = self._kept.layers.get(key)
        if found is None:
            layer = self._layer(x, last)
            while len(self._kept.layers) >= INTEGRATIONS.sizes:
                self._kept.layers.pop(next(iter(self._kept.layers)), None)
            found = self._kept.layers.setdefault(key, (layer, self._kept.weights_for(layer, self.weight)))
        layer, packed = found
        made: torch.Tensor = layer(x, packed) if self.bias is None else layer(x, packed, self.bias)
        return made

    def _layer(self, x: torch.Tensor, last: bool) -> Convolution:
        axes = "DHW"[5 - x.dim() :]
        return layer_of(
            tuple(x.shape),
            tuple(self.weight.shape),
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            groups=self.groups,
            bias=self.bias is not None,
            activation=None if self.activation == NONE else function_of(self.activation),
            layout=f"N{axes}C" if last else None,
            dtype=dtype_of("input", x),  # type: ignore[arg-type]
        )

    def extra_repr(self) -> str:
        """Return the shape of the weights, the window and the activation."""
        window = f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, groups={self.groups}"
        return f"weight={tuple(self.weight.shape)}, {window}, activation={self.activation}"


def frozen_convolution(module: ConvModule, activation: str, dtype: str | None) -> tuple[nn.Module | None, str]:
    """Return what replaces a convolution and how it is computed, or None and the reason. dtype: as in `freeze`; weights
    of convolutions keep their own."""
    own = module.weight.dtype
    if own not in DTYPES:
        return None, f"weights of {own}"
    if module.padding_mode != "zeros":
        return None, f"padding_mode {module.padding_mode}"
    stay = "" if dtype is None or (dtype == "bf16" and own == torch.bfloat16) else f", which stay {own}"
    if dtype in ("i8", "i4"):
        stay += ": convolutions by weights of 8 bits take x of 8 bits, too, as tilesmith.conv does"
    return PackedConvolution(module, activation), f"weights packed at the first call of a shape{stay}"
