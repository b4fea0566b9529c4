"""Functions on tensors, each one kernel: see `eager` for the way that a call takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch.nn import functional as F

from . import products
from .attending import score_name
from .operators import calls
from .products import NONE

_softmax = calls.softmax  # without a look-up at each call, because its kernel may take half a microsecond


def _pairs(value: int | Sequence[int], dims: int) -> list[int]:
    return [value] * dims if isinstance(value, int) else list(value)


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return the softmax of x along an axis, as torch.softmax does. dtype: to which x is converted first."""
    return _softmax(x if dtype is None else x.to(dtype), dim)


def log_softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return the logarithm of the softmax of x along an axis, as torch.log_softmax does."""
    return calls.log_softmax(x if dtype is None else x.to(dtype), dim)


def layer_norm(
    x: torch.Tensor,
    normalized_shape: int | Sequence[int],
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Return the layer norm of x along its last axes, whose extents are `normalized_shape`, as
    torch.nn.functional.layer_norm does."""
    axes = _last_axes(x, normalized_shape)
    weight = x.new_ones(axes) if weight is None else weight
    bias = torch.zeros_like(weight) if bias is None else bias
    if len(axes) == 1:
        return calls.layer_norm(x, weight, bias, eps)
    rows = x.flatten(-len(axes))
    return calls.layer_norm(rows, weight.flatten(), bias.flatten(), eps).view(x.shape)


def rms_norm(
    x: torch.Tensor,
    normalized_shape: int | Sequence[int],
    weight: torch.Tensor | None = None,
    eps: float | None = None,
) -> torch.Tensor:
    """Return the RMS norm of x along its last axes, whose extents are `normalized_shape`, as
    torch.nn.functional.rms_norm does. eps: None is that of the type of x."""
    axes = _last_axes(x, normalized_shape)
    weight = x.new_ones(axes) if weight is None else weight
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    if len(axes) == 1:
        return calls.rms_norm(x, weight, eps)
    return calls.rms_norm(x.flatten(-len(axes)), weight.flatten(), eps).view(x.shape)


def _last_axes(x: torch.Tensor, normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(normalized_shape, torch.Tensor):
        raise TypeError("normalized_shape: the extents of the last axes, an int or several, before the weight")
    axes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not axes or tuple(x.shape[-len(axes) :]) != axes:
        raise ValueError(f"normalized_shape: the last extents of x {tuple(x.shape)}, not {axes}")
    return axes


def cross_entropy(
    x: torch.Tensor,
    target: torch.Tensor,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    """Return the loss of logits x by labels, as torch.nn.functional.cross_entropy does.

    x (n, classes, ...) or (classes,); target has a label for each place, its shape is that of x without the classes.
    Places whose label is ignore_index have no loss; other negative labels are errors
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction: mean, sum or none, not {reduction!r}")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing: from 0 to 1, not {label_smoothing}")
    axis = 0 if x.dim() == 1 else 1
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    if not x.dim() or target.shape != shape:
        hint = "; classes by probabilities are F.cross_entropy's of torch" if target.shape == x.shape else ""
        raise ValueError(
            f"target: a label for each row of x {tuple(x.shape)}, {shape}, not {tuple(target.shape)}{hint}"
        )
    if x.dim() != 2:
        x = x.movedim(axis, -1)
    rows, labels = x.reshape(-1, x.shape[-1]), target.reshape(-1)
    losses = calls.cross_entropy(rows, labels, ignore_index, float(label_smoothing))
    if reduction == "none":
        return losses.view(shape)
    return losses.sum() if reduction == "sum" else losses.sum() / (labels != ignore_index).sum()


def activation(x: torch.Tensor, name: str) -> torch.Tensor:
    """Return a function of each element of x: gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh, elu, leaky_relu."""
    return calls.activation(x, name)


def gelu(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """Return the GELU of each element, as torch.nn.functional.gelu does. approximate: "none" or "tanh"."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate: none or tanh, not {approximate!r}")
    return calls.activation(x, "gelu_tanh" if approximate == "tanh" else "gelu")


def mm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices."""
    return calls.mm(a, b)


def bmm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the products of two batches of matrices."""
    return calls.bmm(a, b)


def linear(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, activation: str | None = NONE
) -> torch.Tensor:
    """Return activation(x @ weight.T + bias) in one kernel. weight is (out, in), as that of torch.nn.Linear.

    activation: None or "none", gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh, elu or leaky_relu
    """
    return calls.linear(x, weight, bias, activation or NONE)


def linear_packed(
    x: torch.Tensor,
    packed: torch.Tensor,
    bias: torch.Tensor | None,
    outputs: int,
    activation: str = NONE,
    kind: str = "",
) -> torch.Tensor:
    """Return activation(x @ weight.T + bias) of a weight that `pack` made bytes of, which are read once in order. kind:
    the type to which `pack` rounded it."""
    return calls.linear_packed(x, packed, bias, outputs, activation, kind)


pack = products.pack


def conv(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> torch.Tensor:
    """Return a convolution of sequences, images or volumes, as torch.nn.functional.conv1d, conv2d and conv3d do.

    x (n, c, ...) or (c, ...), with as many further axes as weight has. padding: also "valid", none, and "same", so that
    the result has the extents of x; what is odd lies behind
    """
    dims = weight.dim() - 2
    if x.dim() == dims + 1:
        return conv(x.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    steps, apart = _pairs(stride, dims), _pairs(dilation, dims)
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(f"padding: numbers, same or valid, not {padding!r}")
        if padding == "same" and steps != [1] * dims:
            raise ValueError(f"padding: same is for a stride of 1, not {steps}")
        reach = [far * (taps - 1) if padding == "same" else 0 for far, taps in zip(apart, weight.shape[2:])]
        if any(each % 2 for each in reach):
            x = F.pad(x, [each for side in reversed(reach) for each in (0, side % 2)])
        padding = [each // 2 for each in reach]
    return calls.conv(x, weight, bias, steps, _pairs(padding, dims), apart, groups)


def max_pool(
    x: torch.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Return the maximum of each window, as torch.nn.functional.max_pool1d to 3d do for x (n, c, ...), and with
    return_indices its place in the image."""
    dims = x.dim() - 2
    windows = (_pairs(each, dims) for each in (kernel_size, stride or kernel_size, padding, dilation))
    made = calls.max_pool(x, *windows, ceil_mode)
    return made if return_indices else made[0]


def avg_pool(
    x: torch.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> torch.Tensor:
    """Return the mean of each window, as torch.nn.functional.avg_pool1d to 3d do for x (n, c, ...).

    ceil_mode           whether a last window may reach beyond the padding
    count_include_pad   whether padding counts
    divisor_override    a number by which sums are divided instead
    """
    dims = x.dim() - 2
    windows = (_pairs(each, dims) for each in (kernel_size, stride or kernel_size, padding))
    return calls.avg_pool(x, *windows, ceil_mode, count_include_pad, divisor_override)


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
    seed: int | None = None,
    score: Callable[..., object] | None = None,
) -> torch.Tensor:
    """Return dropout(softmax(scale * q @ k.T + mask)) @ v, as torch.nn.functional.scaled_dot_product_attention does.

    q (..., heads, queries, size), k and v (..., heads of k, keys, size), whose heads each serve as many neighbouring
    heads of q; mask broadcasts to (..., heads, queries, keys), of floats that are added or of booleans

    dropout  the probability with which a probability counts 0; seed: which ones, as `ts.attention` says; None draws one
             from torch's generator
    score    a function of scores as that of `ts.attention`, which is traced: lambda s: 50 * ts.tanh(s / 50). Heads are
             numbered over all samples. It is kept for the process, so define it once
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return calls.attention(
        q, k, v, mask, causal, scale, float(dropout), _seed(seed) if dropout else None, _score(score)
    )[0]


@torch.compiler.assume_constant_result
def _score(score: Callable[..., object] | None) -> str:
    return "" if score is None else score_name(score)


def _seed(seed: int | None) -> torch.Tensor:
    """Return a seed in memory, where compiled programs read it."""
    if seed is not None and not 0 <= seed < 1 << 63:
        raise ValueError(f"seed: an integer from 0 to 2^63 - 1, not {seed}")
    return torch.randint(0, (1 << 63) - 1, ()) if seed is None else torch.tensor(seed, dtype=torch.int64)


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """Return attention as torch.nn.functional.scaled_dot_product_attention does, whose arguments these are.

    What dropout drops follows from a seed that is drawn from torch's generator, and is not what torch drops.
    """
    if query.shape[-3] != key.shape[-3] and not enable_gqa:
        raise ValueError(f"key: {query.shape[-3]} heads, those of query, or enable_gqa=True, not {key.shape[-3]}")
    return attention(query, key, value, attn_mask, causal=is_causal, scale=scale, dropout=dropout_p)


def embedding_bag(
    indices: torch.Tensor, weight: torch.Tensor, offsets: torch.Tensor | None = None, mode: str = "mean"
) -> torch.Tensor:
    """Return the sum, mean or maximum of the rows of a table in each bag, as torch.nn.functional.embedding_bag does.

    offsets: where each bag begins among the indices; None: each row of indices (bags, entries) is a bag
    """
    if offsets is None:
        if indices.dim() != 2:
            raise ValueError(f"offsets: where each bag begins, beside indices {tuple(indices.shape)} of one axis")
        bags, entries = indices.shape
        offsets = torch.arange(0, bags * entries, entries) if entries else torch.zeros(bags, dtype=torch.int64)
        indices = indices.reshape(-1)
    return calls.embedding_bag(weight, indices, offsets, mode)
