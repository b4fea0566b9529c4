"""ATen operators that torch itself, or this module, writes with others, which have rows: no kernel is lost by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch._decomp import get_decompositions
from torch.nn import functional as F

_NAMES = """
    addmm_ aminmax binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits celu
    clamp_max_ clamp_min_ dist glu glu_backward huber_loss huber_loss_backward hardsigmoid_ hardswish_ hardtanh_
    l1_loss linalg_cross mse_loss mse_loss_backward native_group_norm_backward rrelu_with_noise_backward selu
    sinc smooth_l1_loss smooth_l1_loss_backward soft_margin_loss soft_margin_loss_backward softshrink
    softshrink_backward stack std_mean unfold_backward addcmul_ addcdiv_ logaddexp xlogy
    isposinf isneginf nan_to_num mish_backward hardshrink dot_ vdot square heaviside reflection_pad1d reflection_pad2d
    _safe_softmax expm1_ addbmm pixel_shuffle pixel_unshuffle channel_shuffle
"""


def _encoder_layer(
    x: torch.Tensor,
    width: int,
    heads: int,
    qkv: torch.Tensor,
    qkv_bias: torch.Tensor,
    out: torch.Tensor,
    out_bias: torch.Tensor,
    gelu: bool,
    norm_first: bool,
    eps: float,
    *others: torch.Tensor,
    mask: torch.Tensor | None = None,
    mask_type: int | None = None,
) -> torch.Tensor:
    """torch.nn.TransformerEncoderLayer in inference. others: weights and biases of both norms, then of both layers, and
    perhaps the mask and its type, of which 1 is (samples, keys). Elements of the mask that are not 0 hide a key."""
    weight1, bias1, weight2, bias2, up, up_bias, down, down_bias, *masks = others
    mask, mask_type = masks if len(masks) == 2 else (masks[0] if masks else mask, mask_type)
    seen = None if mask is None else ~mask.to(torch.bool)
    seen = seen[:, None, None] if seen is not None and mask_type == 1 else seen

    def attended(x: torch.Tensor) -> torch.Tensor:
        q, k, v = F.linear(x, qkv, qkv_bias).unflatten(-1, (3, heads, width // heads)).permute(2, 0, 3, 1, 4)
        made = F.scaled_dot_product_attention(q, k, v, seen)
        if seen is not None:  # where a query sees no key, torch's layer gives NaN
            made = torch.where(seen.any(-1, keepdim=True), made, torch.nan)
        return F.linear(made.transpose(1, 2).flatten(2), out, out_bias)

    def forward(x: torch.Tensor) -> torch.Tensor:
        hidden = F.linear(x, up, up_bias)
        return F.linear(F.gelu(hidden) if gelu else F.relu(hidden), down, down_bias)

    def norm1(x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (width,), weight1, bias1, eps)

    def norm2(x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (width,), weight2, bias2, eps)

    if norm_first:
        x = x + attended(norm1(x))
        return x + forward(norm2(x))
    x = norm1(x + attended(x))
    return norm2(x + forward(x))


@cache
def decompositions() -> dict[torch._ops.OperatorBase, Callable[..., object]]:
    """Return decompositions of operators that have no row."""
    packets = [getattr(torch.ops.aten, name) for name in _NAMES.split() if hasattr(torch.ops.aten, name)]
    own = {torch.ops.aten._transformer_encoder_layer_fwd.default: _encoder_layer}
    return {**get_decompositions(packets), **own}
