"""Kernels on the rows of tensors: softmax, norms, cross-entropy, activations, and their gradients.

Tensors of any rank are matrices whose rows lie along the last axis, or along `dim`, which is moved to the end. A kernel
belongs to the shape and type of its first call; `ts.dispatch` finds it again by machine code. Large tensors take all
cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import torch

from ....microkernels.names import chosen
from ...api.dispatch import dispatch
from ...api.eltwise import binary, unary
from ...api.fused import fused
from ...kernel.callable import Kernel
from ...ops.spread import Spread, spread
from .boxed import BoxedCall, boxed_call, unused_operands
from .library import Value, detached, dtype_of, spreads

ACTIVATIONS = ("gelu", "gelu_tanh", "relu", "sigmoid", "silu", "softplus", "tanh", "elu", "leaky_relu")
"""Names of elementwise functions that have a gradient."""


@lru_cache(maxsize=256)
def _handle(request: Callable[..., Kernel], name: str, fixed: tuple[tuple[str, float], ...]) -> Callable[..., Value]:
    return dispatch(request, name, **dict(fixed))


@lru_cache(maxsize=256)
def _spread(
    request: Callable[..., Kernel], name: str, rows: int, columns: int, dtype: str, fixed: tuple[tuple[str, float], ...]
) -> Spread:
    return spread(request(name, rows, columns, dtype=dtype, **dict(fixed)))


def computed(
    request: Callable[..., Kernel],
    name: str,
    matrices: Sequence[torch.Tensor],
    others: Sequence[torch.Tensor] = (),
    **fixed: float,
) -> Value:
    """Return the results of a kernel on matrices of one shape and on further operands, in new tensors."""
    first, options = matrices[0], tuple(fixed.items())
    dtype = dtype_of("x", first)
    large = spreads(first.numel())
    if large or any(each.stride() != first.stride() for each in matrices[1:]):
        matrices = [each.contiguous() for each in matrices]
    if large:
        return _spread(request, name, *first.shape, dtype, options)(*matrices, *others)
    return _handle(request, name, options)(*matrices, *others)


def as_rows(tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return a tensor as a matrix whose rows lie along `dim`; a copy if neighbours in memory are none in it."""
    if tensor.dim() == 2 and dim in (-1, 1) and tensor.is_contiguous():
        return tensor
    turned = tensor if dim in (-1, tensor.dim() - 1) else tensor.movedim(dim, -1)
    rows = turned.reshape(-1, turned.shape[-1] if turned.dim() else 1)
    return rows if rows.is_contiguous() or sorted(rows.stride())[0] == 1 else rows.contiguous()


def _matching(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Return tensors of one shape as matrices of rows without gaps."""
    return [as_rows(each).contiguous() for each in tensors]


def as_before(rows: torch.Tensor, like: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return rows in the shape of the tensor that they were made of."""
    if like.dim() == 2 and dim in (-1, 1):
        return rows
    if dim in (-1, like.dim() - 1):
        return rows.view(like.shape)
    return rows.view(like.movedim(dim, -1).shape).movedim(-1, dim).contiguous()


def along(name: str, *arguments: Value) -> torch.Tensor:
    """Return a fused kernel's result on the rows of tensors of one shape, along an axis, the last argument."""
    *tensors, dim = arguments
    first, *_ = given = detached(*tensors)
    if not first.numel():
        return torch.empty_like(first, memory_format=torch.contiguous_format)
    axes = first.dim() or 1
    if not -axes <= dim < axes:
        raise IndexError(f"dim: from {-axes} to {axes - 1}, not {dim}")
    result = computed(fused, name, [as_rows(each, dim) for each in given])
    return as_before(result, first, dim)


def kernel_of_rows(
    request: Callable[..., Kernel],
    name: str,
    *matrices: torch.Tensor,
    others: Sequence[torch.Tensor] = (),
    sums: int = 0,
    dim: int = -1,
    **fixed: float,
) -> BoxedCall | None:
    """Return the call of the kernel that computes the rows of tensors like these without a copy on one core; None if
    there is none. matrices: of one shape, that of the first result; others: of their last axis, as the shapes of
    `sums` further results are."""
    x, given = matrices[0], (*matrices, *others)
    if not all(each.is_contiguous() for each in given) or not x.dim() or dim not in (-1, x.dim() - 1):
        return None
    if not x.numel() or spreads(x.numel()) or any(each.dtype != x.dtype for each in given):
        return None
    if any(each.shape != x.shape for each in matrices) or any(each.shape != x.shape[-1:] for each in others):
        return None
    columns = x.shape[-1]
    return _contiguous_call(request, name, (x.numel() // columns, columns), x, range(len(given) + 1 + sums), **fixed)


def kernel_of_elements(
    request: Callable[..., Kernel], name: str, *tensors: torch.Tensor, places: Sequence[int] = ()
) -> BoxedCall | None:
    """Return the call of the kernel that computes the elements of tensors like these on one core, or None. places: of
    the tensors and the result; they are in this order otherwise."""
    x = tensors[0]
    if (
        not x.numel()
        or spreads(x.numel())
        or any(not each.is_contiguous() or each.dtype != x.dtype or each.shape != x.shape for each in tensors)
    ):
        return None
    return _contiguous_call(request, name, (_rows_of(x.numel()), -1), x, places or range(len(tensors) + 1))


def _contiguous_call(
    request: Callable[..., Kernel],
    name: str,
    shape: tuple[int, int],
    x: torch.Tensor,
    places: Sequence[int],
    **fixed: float,
) -> BoxedCall | None:
    """Return the call of a kernel whose operands are contiguous tensors and results at these places."""
    rows, columns = shape[0], x.numel() // shape[0]
    kernel = request(name, rows, columns, dtype=dtype_of("x", x), **fixed)
    unused = unused_operands(kernel)
    if len(unused) != len(places) or any(each.dtype != unused[0].dtype for each in unused):
        return None
    return boxed_call(kernel, unused, places)


def _flat(request: Callable[..., Kernel], name: str, *tensors: torch.Tensor) -> torch.Tensor:
    """Return an elementwise kernel's result in the shape of its first operand."""
    first, *others = detached(*tensors)
    if not first.numel():
        return torch.empty_like(first)
    dense = first.is_contiguous() and all(each.is_contiguous() for each in others)
    given = [first, *others] if dense else [each.contiguous() for each in (first, *others)]
    rows = _rows_of(first.numel())
    result = computed(request, name, [each.view(rows, -1) for each in given])
    return result.view(first.shape)


def _rows_of(elements: int) -> int:
    """Return the rows of a matrix as which so many elements are computed: one, or rows that cores share."""
    return next((rows for rows in (64, 32, 16, 8) if elements % rows == 0), 1) if spreads(elements) else 1


def activation(x: torch.Tensor, name: str) -> torch.Tensor:
    """Return a function of each element, one of `ACTIVATIONS`."""
    return _flat(unary, known_activation(name), x)


def activation_backward(g: torch.Tensor, x: torch.Tensor, name: str) -> torch.Tensor:
    """Return the gradient of such a function by x."""
    return _flat(binary, f"{known_activation(name)}_inv", g, x)


def known_activation(name: str, *others: str) -> str:
    """Return the name of an activation, or of `others`. Raises ValueError with the nearest name, and TypeError for what
    is no name, such as a module."""
    return chosen("activation", name, (*others, *ACTIVATIONS))


def _normalised(x: torch.Tensor, weight: torch.Tensor, *more: torch.Tensor) -> list[torch.Tensor]:
    for name, each in zip(("weight", "bias"), (weight, *more)):
        if each.dim() != 1 or not x.dim() or each.shape[0] != x.shape[-1]:
            raise ValueError(
                f"{name}: shape ({x.shape[-1] if x.dim() else 1},), that of the last axis of x, not {tuple(each.shape)}"
            )
    return [each if each.is_contiguous() else each.contiguous() for each in detached(weight, *more)]


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    """Return the layer norm of x along its last axis."""
    (x,), others = detached(x), _normalised(x, weight, bias)
    if not x.numel():
        return torch.empty_like(x, memory_format=torch.contiguous_format)
    return as_before(computed(fused, "layernorm", [as_rows(x)], others, eps=eps), x)


def layer_norm_backward(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the gradients of layer_norm by x, weight and bias."""
    (g, x), (weight,) = detached(g, x), _normalised(x, weight)
    if not x.numel():
        return torch.empty_like(x), torch.zeros_like(weight), torch.zeros_like(weight)
    gx, gweight, gbias = _handle(fused, "layernorm_inv", (("eps", eps),))(*_matching(g, x), weight)
    return as_before(gx, x), gweight.view(-1), gbias.view(-1)


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Return the RMS norm of x along its last axis."""
    (x,), others = detached(x), _normalised(x, weight)
    if not x.numel():
        return torch.empty_like(x, memory_format=torch.contiguous_format)
    return as_before(computed(fused, "rmsnorm", [as_rows(x)], others, eps=eps), x)


def rms_norm_backward(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the gradients of rms_norm by x and weight."""
    (g, x), (weight,) = detached(g, x), _normalised(x, weight)
    if not x.numel():
        return torch.empty_like(x), torch.zeros_like(weight)
    gx, gweight = _handle(fused, "rmsnorm_inv", (("eps", eps),))(*_matching(g, x), weight)
    return as_before(gx, x), gweight.view(-1)


def cross_entropy(x: torch.Tensor, labels: torch.Tensor, ignore: int, smoothing: float) -> torch.Tensor:
    """Return the loss of each row of x (m, n) by its label; 0 where the label is `ignore`."""
    x, labels = detached(x, _labels(x, labels, ignore))
    if not x.numel():
        return x.new_zeros(x.shape[0])
    return _handle(fused, "cross_entropy", (("smoothing", smoothing),))(as_rows(x), labels.view(-1, 1)).view(-1)


def cross_entropy_backward(
    g: torch.Tensor, x: torch.Tensor, labels: torch.Tensor, ignore: int, smoothing: float
) -> torch.Tensor:
    """Return the gradient of cross_entropy by x."""
    g, x, labels = detached(g, x, _labels(x, labels, ignore))
    if not x.numel():
        return torch.empty_like(x)
    handle = _handle(fused, "cross_entropy_inv", (("smoothing", smoothing),))
    return handle(g.contiguous().view(-1, 1), as_rows(x), labels.view(-1, 1))


def _labels(x: torch.Tensor, labels: torch.Tensor, ignore: int) -> torch.Tensor:
    """Return the labels as i32, checked; those of rows without a loss are -1, as the kernels take them."""
    if x.dim() != 2 or labels.shape != x.shape[:1]:
        raise ValueError(f"labels: one for each row of x {tuple(x.shape)}, not shape {tuple(labels.shape)}")
    if labels.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"labels: torch.int64 or torch.int32, not {labels.dtype}")
    found = torch.where(labels == ignore, -1, labels)
    wrong = (found >= x.shape[1]) | ((found < 0) & (labels != ignore))
    if bool(wrong.any()):
        odd = int(labels[wrong][0])
        raise IndexError(
            f"labels: below {x.shape[1]}, the columns of x, or {ignore} for rows without a loss, not {odd}"
        )
    return found.to(torch.int32)
