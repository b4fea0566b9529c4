"""ATen operators that torch itself writes with others, which have rows: no kernel is lost by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch._decomp import get_decompositions

_NAMES = """
    addmm_ aminmax binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits celu
    clamp_max_ clamp_min_ dist glu glu_backward huber_loss huber_loss_backward hardsigmoid_ hardswish_ hardtanh_
    l1_loss linalg_cross mse_loss mse_loss_backward native_group_norm_backward rrelu_with_noise_backward selu
    sinc smooth_l1_loss smooth_l1_loss_backward soft_margin_loss soft_margin_loss_backward softshrink
    softshrink_backward stack std_mean unfold_backward addcmul_ addcdiv_ logaddexp xlogy
    isposinf isneginf nan_to_num mish_backward hardshrink dot_ vdot square heaviside reflection_pad1d reflection_pad2d
    _safe_softmax expm1_ addbmm pixel_shuffle pixel_unshuffle channel_shuffle
"""


@cache
def decompositions() -> dict[torch._ops.OperatorBase, Callable[..., object]]:
    """Return torch's decompositions of operators that have no row."""
    packets = [getattr(torch.ops.aten, name) for name in _NAMES.split() if hasattr(torch.ops.aten, name)]
    return get_decompositions(packets)
