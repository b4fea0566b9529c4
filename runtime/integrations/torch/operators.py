"""The operators of the namespace `tilesmith`: `torch.ops.tilesmith.softmax(x, -1)`.

Each row of the table has a schema, the function that computes it on tensors, the function that makes its results of
fake tensors, and perhaps its gradient, an operator too, so that aot_autograd and torch.compile trace both. They are
registered when this module is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch

from ...api.eltwise import binary, unary
from ...api.fused import fused
from . import attending, products, rowwise
from .boxed import BoxedOperator
from .eager import DIRECT, Context, TorchOperator, eager_function, vmap_rule, without_gradient
from .eager import calls as calls
from .library import NAMESPACE, Value
from .recurrent import RECURRENT_OPERATORS
from .stable_abi import stable_abi


def _like(x: torch.Tensor, *_: object) -> torch.Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _likes(*places: int) -> Callable[..., Value]:
    """Return what makes a result like each of these arguments."""

    def fake(*args: Value) -> Value:
        made = tuple(_like(args[place]) for place in places)
        return made if len(made) > 1 else made[0]

    return fake


def _keeping(*places: int, results: tuple[int, ...] = ()) -> Callable[[Context, Sequence[Value], object], None]:
    """Return what keeps these arguments and these results, which are tensors or None, and all numbers. Autograd raises
    an error if a tensor that is kept is changed before the gradient is computed."""

    def keep(ctx: Context, inputs: Sequence[Value], output: Value) -> None:
        made = output if isinstance(output, tuple) else (output,)
        ctx.save_for_backward(*(inputs[place] for place in places), *(made[place] for place in results))
        ctx.rest = [None if isinstance(each, torch.Tensor) else each for each in inputs]

    return keep


def _backward(name: str, numbers: int, absent: int) -> Callable[..., tuple[Value, ...]]:
    """Return the gradient that another operator computes of what is kept.

    numbers  the place of the first argument that it takes, too
    absent   the number of last arguments that have no gradient
    """

    def gradient(context: Context, g: torch.Tensor) -> tuple[Value, ...]:
        made = getattr(calls, name)(g, *context.saved_tensors, *context.rest[numbers:])
        return *(made if isinstance(made, tuple) else (made,)), *[None] * absent

    return gradient


# Products


def _linear_fake(x: torch.Tensor, weight: torch.Tensor, *_: object) -> torch.Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def _linear_gradients(g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, *_: object) -> tuple[torch.Tensor, ...]:
    return _like(x), _like(weight), weight.new_empty(weight.shape[:1])


def _linear_gradient(context: Context, g: torch.Tensor) -> tuple[Value, ...]:
    x, weight, bias = context.saved_tensors
    gx, gweight, gbias = calls.linear_backward(g.contiguous(), x, weight, bias, context.rest[3])
    return gx, gweight, None if bias is None else gbias, None


def _mm_gradient(context: Context, g: torch.Tensor) -> tuple[Value, ...]:
    a, b = context.saved_tensors
    return calls.mm(g, b.t()), calls.mm(a.t(), g)


def _bmm_gradient(context: Context, g: torch.Tensor) -> tuple[Value, ...]:
    a, b = context.saved_tensors
    return calls.bmm(g, b.transpose(1, 2)), calls.bmm(a.transpose(1, 2), g)


def _windows(
    extents: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil: bool = False,
) -> list[int]:
    """Return the number of windows along each axis. ceil: also one that begins before the end of x or its first
    padding, and ends behind the other padding."""
    made = []
    for extent, taps, step, pad, far in zip(extents, kernel, stride, padding, dilation, strict=True):
        space = extent + 2 * pad - far * (taps - 1) - 1
        count = (space + (step - 1 if ceil else 0)) // step + 1
        made.append(count - 1 if ceil and (count - 1) * step >= extent + pad else count)
    return made


def _images(x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """Return images whose channels lie as those of x do."""
    wide = [axis for axis in range(x.dim()) if x.shape[axis] > 1]
    if 1 in wide and all(x.stride(1) <= x.stride(axis) for axis in wide):
        order = [0, *range(2, x.dim()), 1]
        back = sorted(range(x.dim()), key=order.__getitem__)
        return x.new_empty([shape[axis] for axis in order]).permute(back)
    return x.new_empty(shape)


def _conv_fake(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, *more: Value) -> torch.Tensor:
    extents = _windows(x.shape[2:], weight.shape[2:], *more[:3])
    return _images(x, [x.shape[0], weight.shape[0], *extents])


def _conv_gradients(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, *_: object
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return _images(x, x.shape), _like(weight), weight.new_empty(weight.shape[:1])


def _conv_gradient(context: Context, g: torch.Tensor) -> tuple[Value, ...]:
    x, weight, bias = context.saved_tensors
    gx, gweight, gbias = calls.conv_backward(g, x, weight, *context.rest[3:])
    return gx, gweight, None if bias is None else gbias, None, None, None, None


def _max_pool_fake(x: torch.Tensor, kernel: Sequence[int], *more: Value) -> tuple[torch.Tensor, torch.Tensor]:
    made = _images(x, [*x.shape[:2], *_windows(x.shape[2:], kernel, *more)])
    return made, torch.empty_like(made, dtype=torch.int64)


def _max_pool_gradient(context: Context, g: torch.Tensor, _: object) -> tuple[Value, ...]:
    x, indices = context.saved_tensors
    return calls.max_pool_backward(g, indices, x, *context.rest[1:]), *[None] * 5


def _avg_pool_fake(x: torch.Tensor, kernel: Sequence[int], *more: Value) -> torch.Tensor:
    stride, padding, ceil, *_ = more
    return _images(x, [*x.shape[:2], *_windows(x.shape[2:], kernel, stride, padding, [1] * len(kernel), ceil)])


# Attention and bags


def _attention_fake(q: torch.Tensor, *_: object) -> tuple[torch.Tensor, torch.Tensor]:
    wide = q.dtype if q.dtype in (torch.float32, torch.float64) else torch.float32
    return _like(q), q.new_empty(q.shape[:-1], dtype=wide)


def _attention_gradient(context: Context, g: torch.Tensor, _: object) -> tuple[Value, ...]:
    q, k, v, mask, seed, out, lse = context.saved_tensors
    *rest, _, score = context.rest[4:]  # causal, scale and dropout
    return *calls.attention_backward(g, q, k, v, mask, out, lse, *rest, seed, score), *[None] * (3 + len(rest))


def _bag_fake(weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, mode: str) -> torch.Tensor:
    return weight.new_empty((offsets.shape[0], weight.shape[1]))


_CONV = "int[] stride, int[] padding, int[] dilation, int groups"
_POOL = "int[] kernel, int[] stride, int[] padding"
_MAX_POOL, _AVG_POOL = f"{_POOL}, int[] dilation, bool ceil", f"{_POOL}, bool ceil, bool count_pad, int? divisor"
_BF16 = torch.bfloat16


def _along(name: str) -> tuple[TorchOperator, TorchOperator]:
    """Return a function of rows along an axis, and its gradient, which needs the result."""
    inverse = f"{name}_inv"
    return (
        TorchOperator(
            f"{name}(Tensor x, int dim) -> Tensor",
            partial(rowwise.along, name),
            _like,
            _keeping(results=(0,)),
            _backward(f"{name}_backward", 1, 1),
            rows=True,
            cast=torch.float32,
            boxed="tn",
            kernel=lambda x, dim: rowwise.kernel_of_rows(fused, name, x, dim=dim),
        ),
        TorchOperator(
            f"{name}_backward(Tensor g, Tensor y, int dim) -> Tensor",
            partial(rowwise.along, inverse),
            _likes(1),
            boxed="ttn",
            kernel=lambda g, y, dim: rowwise.kernel_of_rows(fused, inverse, g, y, dim=dim),
        ),
    )


OPERATORS: tuple[TorchOperator, ...] = (
    *_along("softmax"),
    *_along("log_softmax"),
    TorchOperator(
        "activation(Tensor x, str name) -> Tensor",
        rowwise.activation,
        _like,
        _keeping(0),
        _backward("activation_backward", 1, 1),
        rows=True,
        boxed="ts",
        kernel=lambda x, name: rowwise.kernel_of_elements(unary, name, x),
    ),
    TorchOperator(
        "activation_backward(Tensor g, Tensor x, str name) -> Tensor",
        rowwise.activation_backward,
        _like,
        boxed="tts",
        kernel=lambda g, x, name: rowwise.kernel_of_elements(binary, f"{name}_inv", g, x),
    ),
    TorchOperator(
        "layer_norm(Tensor x, Tensor weight, Tensor bias, float eps) -> Tensor",
        rowwise.layer_norm,
        _like,
        _keeping(0, 1),
        _backward("layer_norm_backward", 3, 1),
        cast=torch.float32,
        boxed="tttn",
        kernel=lambda x, weight, bias, eps: rowwise.kernel_of_rows(
            fused, "layernorm", x, others=(weight, bias), eps=eps
        ),
    ),
    TorchOperator(
        "layer_norm_backward(Tensor g, Tensor x, Tensor weight, float eps) -> (Tensor, Tensor, Tensor)",
        rowwise.layer_norm_backward,
        _likes(1, 2, 2),
        boxed="tttn",
        kernel=lambda g, x, weight, eps: rowwise.kernel_of_rows(
            fused, "layernorm_inv", g, x, others=(weight,), sums=2, eps=eps
        ),
    ),
    TorchOperator(
        "rms_norm(Tensor x, Tensor weight, float eps) -> Tensor",
        rowwise.rms_norm,
        _like,
        _keeping(0, 1),
        _backward("rms_norm_backward", 2, 1),
        cast=torch.float32,
        boxed="ttn",
        kernel=lambda x, weight, eps: rowwise.kernel_of_rows(fused, "rmsnorm", x, others=(weight,), eps=eps),
    ),
    TorchOperator(
        "rms_norm_backward(Tensor g, Tensor x, Tensor weight, float eps) -> (Tensor, Tensor)",
        rowwise.rms_norm_backward,
        _likes(1, 2),
        boxed="tttn",
        kernel=lambda g, x, weight, eps: rowwise.kernel_of_rows(
            fused, "rmsnorm_inv", g, x, others=(weight,), sums=1, eps=eps
        ),
    ),
    TorchOperator(
        "cross_entropy(Tensor x, Tensor labels, int ignore, float smoothing) -> Tensor",
        rowwise.cross_entropy,
        lambda x, labels, *_: x.new_empty(x.shape[:1]),
        _keeping(0, 1),
        _backward("cross_entropy_backward", 2, 3),
        cast=torch.float32,
    ),
    TorchOperator(
        "cross_entropy_backward(Tensor g, Tensor x, Tensor labels, int ignore, float smoothing) -> Tensor",
        rowwise.cross_entropy_backward,
        _likes(1),
    ),
    TorchOperator(
        "mm(Tensor a, Tensor b) -> Tensor",
        products.mm,
        lambda a, b: a.new_empty((a.shape[0], b.shape[1])),
        _keeping(0, 1),
        _mm_gradient,
        cast=_BF16,
        boxed="tt",
        kernel=products.kernel_of_product,
    ),
    TorchOperator(
        "bmm(Tensor a, Tensor b) -> Tensor",
        products.bmm,
        lambda a, b: a.new_empty((a.shape[0], a.shape[1], b.shape[2])),
        _keeping(0, 1),
        _bmm_gradient,
        cast=_BF16,
        boxed="tt",
        kernel=products.kernel_of_product,
    ),
    TorchOperator(
        "linear(Tensor x, Tensor weight, Tensor? bias, str activation) -> Tensor",
        products.linear,
        _linear_fake,
        _keeping(0, 1, 2),
        _linear_gradient,
        cast=_BF16,
        boxed="tt?s",
        kernel=products.kernel_of_layer,
    ),
    TorchOperator(
        "linear_backward(Tensor g, Tensor x, Tensor weight, Tensor? bias, str activation) -> (Tensor, Tensor, Tensor)",
        products.linear_backward,
        _linear_gradients,
        boxed="ttt?s",
        kernel=products.kernels_of_layer_gradients,
        temporary=2,
    ),
    TorchOperator(
        "linear_packed(Tensor x, Tensor packed, Tensor? bias, int outputs, str activation, str kind) -> Tensor",
        products.linear_packed,
        lambda x, packed, bias, outputs, activation, kind: x.new_empty((*x.shape[:-1], outputs)),
    ),
    TorchOperator(
        f"conv(Tensor x, Tensor weight, Tensor? bias, {_CONV}) -> Tensor",
        products.conv,
        _conv_fake,
        _keeping(0, 1, 2),
        _conv_gradient,
        cast=_BF16,
    ),
    TorchOperator(
        f"conv_backward(Tensor g, Tensor x, Tensor weight, {_CONV}) -> (Tensor, Tensor, Tensor)",
        products.conv_backward,
        _conv_gradients,
    ),
    TorchOperator(
        f"max_pool(Tensor x, {_MAX_POOL}) -> (Tensor, Tensor)",
        products.max_pool,
        _max_pool_fake,
        _keeping(0, results=(1,)),
        _max_pool_gradient,
    ),
    TorchOperator(
        f"max_pool_backward(Tensor g, Tensor indices, Tensor x, {_MAX_POOL}) -> Tensor",
        products.max_pool_backward,
        lambda g, indices, x, *_: _images(g, x.shape),
    ),
    TorchOperator(
        f"avg_pool(Tensor x, {_AVG_POOL}) -> Tensor",
        products.avg_pool,
        _avg_pool_fake,
        _keeping(0),
        _backward("avg_pool_backward", 1, 6),
    ),
    TorchOperator(
        f"avg_pool_backward(Tensor g, Tensor x, {_AVG_POOL}) -> Tensor",
        products.avg_pool_backward,
        lambda g, x, *_: _images(g, x.shape),
    ),
    TorchOperator(
        "attention(Tensor q, Tensor k, Tensor v, Tensor? mask, bool causal, float scale, float dropout, "
        "Tensor? seed, str score) -> (Tensor, Tensor)",
        attending.attention,
        _attention_fake,
        _keeping(0, 1, 2, 3, 7, results=(0, 1)),
        _attention_gradient,
        cast=_BF16,
        boxed="ttt?nnn?s",
        kernel=attending.kernel_of_attention,
    ),
    TorchOperator(
        "attention_backward(Tensor g, Tensor q, Tensor k, Tensor v, Tensor? mask, Tensor out, Tensor lse, bool causal, "
        "float scale, float dropout, Tensor? seed, str score) -> (Tensor, Tensor, Tensor)",
        attending.attention_backward,
        _likes(1, 2, 2),
        boxed="tttt?ttnnn?s",
        kernel=attending.kernel_of_attention_backward,
    ),
    TorchOperator(
        "embedding_bag(Tensor weight, Tensor indices, Tensor offsets, str mode) -> Tensor",
        attending.embedding_bag,
        _bag_fake,
        _keeping(0, 1, 2),
        _backward("embedding_bag_backward", 3, 3),
        boxed="tiis",
        kernel=attending.kernel_of_bags,
    ),
    TorchOperator(
        "embedding_bag_backward(Tensor g, Tensor weight, Tensor indices, Tensor offsets, str mode) -> Tensor",
        attending.embedding_bag_backward,
        _likes(1),
    ),
)
"""All operators but those of recurrent layers (`recurrent`), gradients after what they belong to."""


def _registered(operators: Sequence[TorchOperator]) -> torch.library.Library:
    """Register the operators, and return the handle that keeps them registered."""
    library, abi = torch.library.Library(NAMESPACE, "FRAGMENT"), stable_abi()
    for each in operators:
        library.define(each.schema)
        if each.boxed and abi is not None:
            for name in (f"_{each.name}", f"{DIRECT}{each.name}"):
                library.define(name + each.schema.removeprefix(each.name))
                library.impl(name, torch.library.fallthrough_kernel, "Autograd")
            if each.cast is not None:
                library.impl(f"{DIRECT}{each.name}", _by_its_rules(each.name), "AutocastCPU")
            names, results = (each.name, f"{DIRECT}{each.name}"), each.schema.partition("->")[2].count("Tensor")
            boxed = BoxedOperator(abi, names, each.boxed, (results, each.temporary))
            library.impl(f"_{each.name}", _twin(each, boxed), "CPU")
        else:
            library.impl(each.name, each.compute, "CPU")
        torch.library.register_fake(each.qualified, each.fake, lib=library)
        gradient = each.gradient or without_gradient(each.name)
        torch.library.register_autograd(each.qualified, gradient, setup_context=each.keep, lib=library)
        if each.cast is not None:
            torch.library.register_autocast(each.qualified, "cpu", each.cast, lib=library)
        torch.library.register_vmap(each.qualified, vmap_rule(each, torch.ops.tilesmith), lib=library)
    return library


def _by_its_rules(name: str) -> Callable[..., Value]:
    """Return what calls the operator whose rules torch knows."""
    return lambda *args: getattr(torch.ops.tilesmith, name)(*args)


def _twin(operator: TorchOperator, boxed: BoxedOperator) -> Callable[..., Value]:
    """Return what computes a call that machine code does not know, and tells it of the kernel."""

    def compute(*args: Value) -> Value:
        made = operator.compute(*args)
        if boxed.is_new(args):
            call = operator.kernel(*args) if operator.kernel else None
            if call is not None:
                boxed.remember(call, args, made if isinstance(made, tuple) else (made,))
        return made

    return compute


LIBRARY = _registered((*OPERATORS, *RECURRENT_OPERATORS))
for _each in (*OPERATORS, *RECURRENT_OPERATORS):
    setattr(calls, _each.name, eager_function(_each))
