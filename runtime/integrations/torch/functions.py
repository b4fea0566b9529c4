"""Functions on tensors, each one kernel: see `eager` for the way that a call takes."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from . import products
from .operators import calls
from .products import NONE

_softmax = calls.softmax  # without a look-up at each call, because its kernel may take half a microsecond


def _pairs(value: int | Sequence[int], dims: int) -> list[int]:
    return [value] * dims if isinstance(value, int) else list(value)


def softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return the softmax of x along an axis, as torch.softmax does."""
    return _softmax(x, dim)


def log_softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return the logarithm of the softmax of x along an axis, as torch.log_softmax does."""
    return calls.log_softmax(x, dim)


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor | None = None, bias: torch.Tensor | None = None, eps: float = 1e-5
) -> torch.Tensor:
    """Return the layer norm of x along its last axis."""
    weight = x.new_ones(x.shape[-1:]) if weight is None else weight
    return calls.layer_norm(x, weight, torch.zeros_like(weight) if bias is None else bias, eps)


def rms_norm(x: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-6) -> torch.Tensor:
    """Return the RMS norm of x along its last axis."""
    return calls.rms_norm(x, x.new_ones(x.shape[-1:]) if weight is None else weight, eps)


def cross_entropy(x: torch.Tensor, labels: torch.Tensor, reduction: str = "mean", ignore: int = -100) -> torch.Tensor:
    """Return the loss of rows of logits x (m, n) by labels (m,), as torch.nn.functional.cross_entropy does. Rows whose
    label is `ignore` have no loss; other negative labels are errors."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction: mean, sum or none, not {reduction!r}")
    losses = calls.cross_entropy(x, labels, ignore)
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / (labels != ignore).sum()


def activation(x: torch.Tensor, name: str) -> torch.Tensor:
    """Return a function of each element of x: gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh, elu, leaky_relu."""
    return calls.activation(x, name)


def mm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices."""
    return calls.mm(a, b)


def bmm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the products of two batches of matrices."""
    return calls.bmm(a, b)


def linear(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, activation: str = NONE
) -> torch.Tensor:
    """Return activation(x @ weight.T + bias) in one kernel. weight is (out, in), as that of torch.nn.Linear."""
    return calls.linear(x, weight, bias, activation)


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
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> torch.Tensor:
    """Return a convolution of sequences, images or volumes, as torch.nn.functional.conv1d, conv2d and conv3d do."""
    dims = x.dim() - 2
    axes = (_pairs(each, dims) for each in (stride, padding, dilation))
    return calls.conv(x, weight, bias, *axes, groups)


def max_pool(
    x: torch.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
) -> torch.Tensor:
    """Return the maximum of each window."""
    dims = x.dim() - 2
    stride = kernel_size if stride is None else stride
    return calls.max_pool(x, *(_pairs(each, dims) for each in (kernel_size, stride, padding, dilation)))[0]


def avg_pool(
    x: torch.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
) -> torch.Tensor:
    """Return the mean of each window, in which padding counts."""
    dims = x.dim() - 2
    stride = kernel_size if stride is None else stride
    return calls.avg_pool(x, *(_pairs(each, dims) for each in (kernel_size, stride, padding)))


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """Return softmax(scale * q @ k.T + mask) @ v, as torch.nn.functional.scaled_dot_product_attention does.

    q (..., heads, queries, size), k and v (..., heads of k, keys, size), whose heads each serve as many neighbouring
    heads of q; mask (keys,) or (queries, keys), the same for all heads, of floats that are added or of booleans
    """
    return calls.attention(q, k, v, mask, causal, q.shape[-1] ** -0.5 if scale is None else scale)[0]


def embedding_bag(
    indices: torch.Tensor, weight: torch.Tensor, offsets: torch.Tensor, mode: str = "mean"
) -> torch.Tensor:
    """Return the sum, mean or maximum of the rows of a table in each bag, as torch.nn.functional.embedding_bag does."""
    return calls.embedding_bag(weight, indices, offsets, mode)
