"""Calls of operators that take the cheapest way to a kernel.

Without a gradient a plain tensor goes to the kernel in Python. With one it goes through an autograd.Function, which
costs less than the gradient of an operator. Everything else (torch.compile, vmap, autocast, modes of torch, tensors of
other classes) goes to the operator, whose rules torch knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch.autograd import forward_ad

from .boxed import BoxedCall, BoxedCalls
from .library import NAMESPACE, Value

Context: TypeAlias = torch.autograd.function.FunctionCtx
_Tensor, _Parameter = _PLAIN = torch.Tensor, torch.nn.Parameter
DIRECT = "_direct_"
"""What the name of an operator that has no rule for gradients begins with."""


@dataclass(frozen=True)
class TorchOperator:
    """An operator.

    schema     its arguments and results, as torch writes them, without the namespace
    compute    computes the results on tensors
    fake       makes results of the right shapes and types, of tensors without data
    keep       (context, inputs, results): what the gradient needs
    gradient   (context, *gradients of the results): the gradients of all arguments, None for those that have none
    rows       whether samples of a batch are further rows, so that vmap moves their axis to the front
    cast       the type of floats under autocast, None: they stay
    boxed      the kinds of its arguments, as `boxed` has them, if machine code may call a kernel of its own
    kernel     (*arguments): the call or calls of kernels that compute tensors like these, or None
    temporary  the most arrays between these calls
    """

    schema: str
    compute: Callable[..., Value]
    fake: Callable[..., Value]
    keep: Callable[..., None] | None = None
    gradient: Callable[..., Value] | None = None
    rows: bool = False
    cast: torch.dtype | None = None
    boxed: str = ""
    kernel: Callable[..., BoxedCall | BoxedCalls | None] | None = None
    temporary: int = 0

    @property
    def name(self) -> str:
        """The name without the namespace."""
        return self.schema.partition("(")[0]

    @property
    def qualified(self) -> str:
        """The name with the namespace."""
        return f"{NAMESPACE}::{self.name}"


def eager_function(operator: TorchOperator) -> Callable[..., Value]:
    """Return an operator as a function of tensors that returns results in new tensors. It is a closure, whose call is
    cheaper than that of an object."""
    compute, boxed = operator.compute, direct(operator)
    operated = getattr(torch.ops.tilesmith, operator.name).default
    apply = _outside_transformations(_differentiable(operator, boxed)) if operator.gradient else operated
    functional, arguments = _functional(operator).apply, operated._schema.arguments
    places = tuple(place for place, each in enumerate(arguments) if "Tensor" in str(each.type))
    unboxed = boxed is compute

    def call(*args: Value) -> Value:
        if (
            _is_compiling()  # first: torch.compile knows what it returns, and reads no further
            or _modes()
            or _tracing() is not None
            or (unboxed and _is_autocast_enabled("cpu"))  # torch knows the rule of machine code
        ):
            return operated(*args)
        transformation = _transformation()
        if transformation is not None:
            return transformed(transformation.key(), args)
        if forward_ad._current_level >= 0:
            _refuse_tangents(operator.name, args)
        for place in places:
            each = args[place]
            kind = type(each)
            if kind is _Tensor or kind is _Parameter:
                if each.requires_grad and _is_grad_enabled():
                    return differentiated(args)
            elif isinstance(each, _Tensor):
                return operated(*args)
        try:
            return boxed(*args)
        except (AttributeError, RuntimeError) as error:
            _check_tensors(operator.name, arguments, args)
            if unboxed or type(error) is AttributeError:
                raise
        return compute(*args)  # what it raises is not wrapped by torch

    def transformed(kind: object, args: tuple[Value, ...]) -> Value:
        if kind == _KINDS.Jvp:
            raise NotImplementedError(_FORWARD.format(operator.name))
        return functional(*args) if kind in (_KINDS.Grad, _KINDS.Vmap) else operated(*args)

    def differentiated(args: tuple[Value, ...]) -> Value:
        special = any(isinstance(args[place], _Tensor) and type(args[place]) not in _PLAIN for place in places)
        try:
            return (operated if special or _is_autocast_enabled("cpu") else apply)(*args)
        except (AttributeError, RuntimeError):
            _check_tensors(operator.name, arguments, args)
            if not unboxed:
                with torch.no_grad():
                    compute(*args)  # what it raises is not wrapped by torch
            raise

    return call


_FORWARD = "tilesmith.{}: no derivatives in forward mode; those of backward() and torch.func.grad are there"
_KINDS = torch._C._functorch.TransformType


def _refuse_tangents(name: str, args: tuple[Value, ...]) -> None:
    """Raise NotImplementedError for a tensor with a tangent, which torch would drop without a word."""
    for each in args:
        if isinstance(each, _Tensor) and forward_ad.unpack_dual(each).tangent is not None:
            raise NotImplementedError(_FORWARD.format(name))


def is_plain(x: torch.Tensor) -> bool:
    """Whether a kernel may compute with a tensor at once: no gradient is wanted, and nothing of torch must see it."""
    return not (
        _is_compiling()
        or _modes()
        or _tracing() is not None
        or _transformation() is not None
        or forward_ad._current_level >= 0
        or type(x) is not _Tensor
        or (x.requires_grad and _is_grad_enabled())
    )


def _check_tensors(name: str, arguments: Sequence[Value], args: tuple[Value, ...]) -> None:
    """Raise TypeError for an argument that should be a tensor on the CPU. It is checked when something has failed, so
    that other calls do not pay for it."""
    for argument, given in zip(arguments, args):
        if isinstance(given, _Tensor):
            if not given.is_cpu:
                raise TypeError(
                    f"tilesmith.{name}: tensors on the CPU, not on {given.device}; x.cpu() copies one"
                ) from None
        elif "Tensor" in str(argument.type) and given is not None:
            raise TypeError(f"{argument.name}: a tensor, not {type(given).__name__}") from None


def direct(operator: TorchOperator) -> Callable[..., Value]:
    """Return what computes on plain tensors without a gradient: machine code, as an operator that has no rule for
    gradients, so that torch does not look for one, or Python."""
    found = getattr(torch.ops.tilesmith, f"{DIRECT}{operator.name}", None) if operator.boxed else None
    return operator.compute if found is None else getattr(found.default, "_op", found.default)


class OperatorCalls:
    """The operators by name: calls.softmax(x, -1)."""

    def __getattr__(self, name: str) -> Callable[..., Value]:
        raise AttributeError(f"no operator {name!r}")


calls = OperatorCalls()


_is_compiling, _is_grad_enabled, _is_autocast_enabled = (
    torch.compiler.is_dynamo_compiling,
    torch.is_grad_enabled,
    torch.is_autocast_enabled,
)
_modes, _transformation = torch._C._len_torch_dispatch_stack, torch._C._functorch.peek_interpreter_stack
_tracing = torch._C._get_tracing_state
"""What must see operators: modes of torch, transformations such as vmap, and torch.jit.trace."""


def _functional(operator: TorchOperator) -> type[torch.autograd.Function]:
    """Return an operator as torch.func.grad and its kin differentiate it. Its forward pass is a call inside of what
    transforms remain."""

    class Functional(torch.autograd.Function):
        """An operator with its gradient."""

        @staticmethod
        def forward(*args: Value) -> Value:
            return getattr(calls, operator.name)(*args)

        @staticmethod
        def setup_context(ctx: Context, inputs: tuple[Value, ...], output: Value) -> None:
            if operator.keep is not None:
                operator.keep(ctx, inputs, output)
            if isinstance(output, tuple):
                ctx.mark_non_differentiable(*(each for each in output if not each.is_floating_point()))

        @staticmethod
        def backward(ctx: Context, *grads: torch.Tensor) -> Value:
            return (operator.gradient or without_gradient(operator.name))(ctx, *grads)

        @staticmethod
        def jvp(ctx: Context, *tangents: Value) -> Value:
            raise NotImplementedError(_FORWARD.format(operator.name))

        vmap = staticmethod(vmap_rule(operator, calls))

    Functional.__name__ = Functional.__qualname__ = f"tilesmith_{operator.name}"
    return Functional


def vmap_rule(operator: TorchOperator, called: object) -> Callable[..., tuple[Value, Value]]:
    """Return the rule of an operator for a batch of calls: samples are further rows, or are computed one by one.

    called: has what computes them, by the operator's name: torch.ops.tilesmith, or `calls`, which other transforms see
    """

    def of_rows(info: Value, axes: Sequence[int | None], x: torch.Tensor, *rest: Value) -> tuple[Value, Value]:
        axis, *_ = axes
        moved = [dim if dim < 0 else dim + 1 for dim in rest] if rest and isinstance(rest[0], int) else rest
        return getattr(called, operator.name)(x.movedim(axis, 0), *moved), 0

    def one_by_one(info: Value, axes: Sequence[int | None], *args: Value) -> tuple[Value, Value]:
        call = getattr(called, operator.name)
        samples = [
            call(*(each.select(axis, number) if isinstance(axis, int) else each for each, axis in zip(args, axes)))
            for number in range(info.batch_size)
        ]
        if isinstance(samples[0], tuple):
            return tuple(map(torch.stack, zip(*samples))), (0,) * len(samples[0])
        return torch.stack(samples), 0

    return of_rows if operator.rows else one_by_one


def without_gradient(name: str) -> Callable[..., Value]:
    """Return the gradient of an operator that has none."""

    def refuse(ctx: Context, *_: object) -> Value:
        if name == "linear_packed":
            raise NotImplementedError(
                "tilesmith::linear_packed has no gradient; tilesmith::linear of the weight has one"
            )
        raise NotImplementedError(
            f"tilesmith::{name} is a derivative and has none itself: second derivatives need torch's"
        )

    return refuse


def _outside_transformations(function: type[torch.autograd.Function]) -> Callable[..., Value]:
    """Return what applies a function where torch.func transforms nothing. The function's own `apply` asks whether it
    does, as `eager_function` has done, and takes 2 us for it."""
    applied: Callable[..., Value] = super(torch.autograd.Function, function).apply
    return applied


def _differentiable(operator: TorchOperator, compute: Callable[..., Value]) -> type[torch.autograd.Function]:
    class Differentiable(torch.autograd.Function):
        """An operator with its gradient."""

        @staticmethod
        def forward(ctx: Context, *args: Value) -> Value:
            results = compute(*args)
            assert operator.keep is not None
            operator.keep(ctx, args, results)
            if isinstance(results, tuple):
                ctx.mark_non_differentiable(*(each for each in results if not each.is_floating_point()))
            return results

        @staticmethod
        def backward(ctx: Context, *grads: torch.Tensor) -> Value:
            assert operator.gradient is not None
            return operator.gradient(ctx, *grads)

    Differentiable.__name__ = Differentiable.__qualname__ = f"tilesmith_{operator.name}"
    return Differentiable
