"""Functions on arrays of JAX's, each one kernel, with gradients and rules of batching: see `operation`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import index
from typing import Literal

import jax
import jax.numpy as jnp

from ....microkernels.names import chosen
from ...convolution.geometry import ConvolutionWindow
from .arrays import Array, ArrayLike, array_of
from .attending import AttentionOperation, Mask
from .convolutions import ConvolutionOperation
from .operation import differentiable
from .products import ACTIVATIONS, NONE, ProductOperation
from .rowwise import NormOperation, SoftmaxOperation

Padding = int | str | tuple[int, ...] | tuple[tuple[int, int], ...]
Layout = Literal["first", "last"]


def matmul(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the product of two vectors, matrices, or batches whose leading axes are broadcast, as jnp.matmul does."""
    return _matmul(*_factors(a, b))


def _factors(a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    first = array_of("a", a)
    second = array_of("b", b, first)
    for name, each in (("a", first), ("b", second)):
        if not each.ndim:
            raise ValueError(f"{name}: a vector, a matrix or a batch of matrices, not a number; * multiplies by one")
    depth = second.shape[0 if second.ndim == 1 else -2]
    if first.shape[-1] != depth:
        raise ValueError(f"b: {first.shape[-1]} rows, as many as a {first.shape} has columns, not shape {second.shape}")
    return first, second


@partial(jax.jit, inline=True)
def _matmul(a: Array, b: Array) -> Array:
    x = a[None] if a.ndim == 1 else a
    y = b[:, None] if b.ndim == 1 else b
    if y.ndim == 2:  # the rows of all samples
        made = _two(x.reshape(-1, x.shape[-1]), y) if x.size else jnp.zeros((0, 0), a.dtype)
        made = made.reshape(*x.shape[:-1], y.shape[-1]) if x.size else _nothing(x, y)
    else:
        batch = jnp.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        stacks = [
            each if each.ndim == 2 else jnp.broadcast_to(each, (*batch, *each.shape[-2:])).reshape(-1, *each.shape[-2:])
            for each in (x, y)
        ]
        made = _two(*stacks).reshape(*batch, x.shape[-2], y.shape[-1])
    if a.ndim == 1:
        made = made[..., 0, :]
    return made[..., 0] if b.ndim == 1 else made


def _two(a: Array, b: Array) -> Array:
    return differentiable(ProductOperation(), a, b)[0]


def _nothing(x: Array, y: Array) -> Array:
    return jnp.zeros((*x.shape[:-1], y.shape[-1]), x.dtype)


def linear(x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None, activation: str | None = NONE) -> Array:
    """Return activation(x @ weight + bias) in one kernel. x (..., in), weight (in, out), bias (out,).

    activation: None or "none", or gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh, elu, leaky_relu
    """
    rows = array_of("x", x)
    of_layer = array_of("weight", weight, rows)
    shift = None if bias is None else array_of("bias", bias, rows)
    activation = chosen("activation", activation or NONE, (NONE, *ACTIVATIONS))
    inputs = rows.shape[-1] if rows.ndim else 1
    if of_layer.ndim != 2 or not rows.ndim or of_layer.shape[0] != inputs:
        hint = "; weight.T has it" if of_layer.ndim == 2 and of_layer.shape[1] == inputs else ""
        raise ValueError(f"weight: shape ({inputs}, out), not {of_layer.shape}{hint}")
    if shift is not None and shift.shape != of_layer.shape[1:]:
        raise ValueError(f"bias: shape {of_layer.shape[1:]}, not {shift.shape}")
    return _linear(rows, of_layer, shift, activation)


@partial(jax.jit, static_argnums=3, inline=True)
def _linear(x: Array, weight: Array, bias: Array | None, activation: str) -> Array:
    if not x.size and x.shape[-1]:
        return _nothing(x, weight)
    given = [] if bias is None else [bias]
    rows = 1
    for extent in x.shape[:-1]:
        rows *= extent
    (made,) = differentiable(
        ProductOperation(activation=activation, biased=bias is not None), x.reshape(rows, x.shape[-1]), weight, *given
    )
    return made.reshape(*x.shape[:-1], weight.shape[1])


def softmax(x: ArrayLike, axis: int = -1) -> Array:
    """Return the softmax of x along an axis, as jax.nn.softmax does."""
    return _along(array_of("x", x), _SOFTMAX, _whole(axis))


def log_softmax(x: ArrayLike, axis: int = -1) -> Array:
    """Return the logarithm of the softmax of x along an axis, as jax.nn.log_softmax does."""
    return _along(array_of("x", x), _LOG_SOFTMAX, _whole(axis))


_SOFTMAX, _LOG_SOFTMAX = (SoftmaxOperation("fused", name) for name in ("softmax", "log_softmax"))


def _whole(axis: int) -> int:
    try:
        return index(axis)
    except TypeError:
        raise TypeError(f"axis: a whole number, not {axis!r}") from None


@partial(jax.jit, static_argnums=(1, 2), inline=True)
def _along(x: Array, operation: SoftmaxOperation, axis: int) -> Array:
    if not x.ndim or not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis: from {-x.ndim} to {x.ndim - 1}, not {axis}" if x.ndim else "x: at least one axis")
    if axis in (-1, x.ndim - 1):
        return differentiable(operation, x)[0]
    (made,) = differentiable(operation, jnp.moveaxis(x, axis, -1))
    return jnp.moveaxis(made, -1, axis)


def layer_norm(
    x: ArrayLike, weight: ArrayLike | None = None, bias: ArrayLike | None = None, eps: float = 1e-5
) -> Array:
    """Return the layer norm of x along its last axis: (x - mean) / sqrt(variance + eps) * weight + bias."""
    rows, (scale, shift) = _normalised(x, ("weight", weight), ("bias", bias))
    return _norm(NormOperation("fused", "layernorm", fixed=(("eps", float(eps)),)), rows, scale, shift)


def rms_norm(x: ArrayLike, weight: ArrayLike | None = None, eps: float = 1e-6) -> Array:
    """Return the RMS norm of x along its last axis: x / sqrt(mean of squares + eps) * weight."""
    rows, (scale,) = _normalised(x, ("weight", weight))
    return _norm(NormOperation("fused", "rmsnorm", fixed=(("eps", float(eps)),)), rows, scale)


@partial(jax.jit, static_argnums=0, inline=True)
def _norm(operation: NormOperation, x: Array, *others: Array) -> Array:
    return differentiable(operation, x, *others)[0]


def _normalised(x: ArrayLike, *vectors: tuple[str, ArrayLike | None]) -> tuple[Array, list[Array]]:
    rows = array_of("x", x)
    if not rows.ndim:
        raise ValueError("x: at least one axis, along which it is normalised")
    found = []
    for name, value in vectors:
        default = jnp.ones if name == "weight" else jnp.zeros
        each = default(rows.shape[-1:], rows.dtype) if value is None else array_of(name, value, rows)
        if each.shape != rows.shape[-1:]:
            raise ValueError(f"{name}: shape {rows.shape[-1:]}, that of the last axis of x, not {each.shape}")
        found.append(each)
    return rows, found


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
) -> Array:
    """Return softmax(scale * q @ k.T + mask) @ v.

    q      (..., heads, queries, size)
    k, v   (..., heads of k, keys, size), whose heads each serve as many neighbouring heads of q. Axes are not those of
           jax.nn.dot_product_attention, where heads come behind queries: q.swapaxes(-2, -3)
    mask   (keys,) or (queries, keys), the same for all heads: floats that are added, or booleans, where True lets a key
           count. It has no gradient; jax.vmap gives each sample a mask of its own
    causal whether key i counts for queries from i on only
    scale  None: size ** -0.5
    """
    queries = array_of("q", q)
    keys, values = (array_of(name, each, queries) for name, each in (("k", k), ("v", v)))
    lead = queries.ndim - 3
    if lead < 0:
        raise ValueError(f"q: (..., heads, queries, size), not {queries.shape}; q[None] is of one head")
    if keys.ndim != queries.ndim or keys.shape[:lead] != queries.shape[:lead]:
        raise ValueError(f"k: (..., heads, keys, size), with the axes of q {queries.shape}, not {keys.shape}")
    if keys.shape[-1] != queries.shape[-1] or queries.shape[-3] % max(1, keys.shape[-3]):
        raise ValueError(f"k: a number of heads that divides that of q {queries.shape}, and its size, not {keys.shape}")
    if values.shape != keys.shape:
        raise ValueError(f"v: shape {keys.shape}, that of k, not {values.shape}")
    given, kind = _mask(mask, queries, keys)
    factor = queries.shape[-1] ** -0.5 if scale is None else float(scale)
    return _attention(AttentionOperation(causal, factor, kind), queries, keys, values, *given)


def _mask(mask: ArrayLike | None, q: Array, k: Array) -> tuple[list[Array], Mask]:
    if mask is None:
        return [], None
    array = jnp.asarray(mask)
    shapes = (k.shape[-2],), (q.shape[-2], k.shape[-2])
    if array.shape not in shapes:
        raise ValueError(f"mask: shape {shapes[0]} or {shapes[1]}, the same for all heads, not {array.shape}")
    wide = q.dtype if q.dtype == jnp.float64 else jnp.float32
    if array.dtype == jnp.bool_:
        array = jnp.where(array, 0.0, -jnp.inf)
    return [jax.lax.stop_gradient(array.astype(wide))], "row" if array.ndim == 1 else "full"


@partial(jax.jit, static_argnums=0, inline=True)
def _attention(operation: AttentionOperation, *operands: Array) -> Array:
    return differentiable(operation, *operands)[0]


def conv(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: int | Sequence[int] = 1,
    padding: Padding | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    channels: Layout = "first",
) -> Array:
    """Return a convolution of sequences, images or volumes, a cross-correlation as in every framework.

    channels "first"   x (n, c, ...), weight (k, c / groups, ...), as jax.lax.conv has them
             "last"    x (n, ..., c), weight (..., c / groups, k), as flax has them
    stride, dilation   a number, or one for each axis
    padding            a number, one for each axis, pairs ((before, after), ...), "SAME" or "VALID"
    """
    images = array_of("x", x)
    taps = array_of("weight", weight, images)
    shift = None if bias is None else array_of("bias", bias, images)
    if channels not in ("first", "last"):
        raise ValueError(f"channels: first or last, not {channels!r}")
    if images.ndim not in (3, 4, 5):
        raise ValueError(f"x: images, channels and one to three further axes, not shape {images.shape}")
    outputs = taps.shape[-1 if channels == "last" else 0] if taps.ndim else 0
    if shift is not None and shift.shape != (outputs,):
        raise ValueError(f"bias: shape ({outputs},), an element for each channel, not {shift.shape}")
    window = ConvolutionWindow(_axes(stride), _padding(padding), _axes(dilation), int(groups))
    last = channels == "last"
    alone = last and taps.ndim == images.ndim and taps.shape[-2] == 1  # whose taps kernels read side by side
    operation = ConvolutionOperation(window, last, last and not alone, shift is not None)
    return _conv(operation, images, jnp.moveaxis(taps, (-1, -2), (0, 1)) if alone else taps, *_given(shift))


def _given(value: Array | None) -> list[Array]:
    return [] if value is None else [value]


def _axes(value: int | Sequence[int]) -> int | tuple[int, ...]:
    return value if isinstance(value, int) else tuple(map(int, value))


def _padding(value: Padding | Sequence[int]) -> Padding:
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, int):
        return value
    return tuple(each if isinstance(each, int) else tuple(each) for each in value)  # type: ignore[return-value]


@partial(jax.jit, static_argnums=0, inline=True)
def _conv(operation: ConvolutionOperation, *operands: Array) -> Array:
    return differentiable(operation, *operands)[0]
