"""Calls of operators that take the cheapest way to a kernel.

Without a gradient a plain tensor goes to the kernel in Python. With one it goes through an autograd.Function, which
costs less than the gradient of an operator. Everything else (torch.compile, vmap, autocast, modes of torch, tensors of
other classes) goes to the operator, whose rules torch knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch

from ...kernel.callable import Kernel
from .library import NAMESPACE, Value

Context: TypeAlias = torch.autograd.function.FunctionCtx
_Tensor, _Parameter = torch.Tensor, torch.nn.Parameter


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
    boxed      "t" and "n" for the tensors and numbers of its arguments, if machine code may call a kernel of its own
    kernel     (arguments): the kernel of tensors like these, whose parameters are the tensors and the result, or None
    """

    schema: str
    compute: Callable[..., Value]
    fake: Callable[..., Value]
    keep: Callable[..., None] | None = None
    gradient: Callable[..., Value] | None = None
    rows: bool = False
    cast: torch.dtype | None = None
    boxed: str = ""
    kernel: Callable[..., Kernel | None] | None = None

    @property
    def name(self) -> str:
        """The name without the namespace."""
        return self.schema.partition("(")[0]

    @property
    def qualified(self) -> str:
        """The name with the namespace."""
        return f"{NAMESPACE}::{self.name}"


class EagerFunction:
    """An operator that is called on tensors."""

    __slots__ = ("_apply", "_compute", "_name", "_operator")

    def __init__(self, operator: TorchOperator) -> None:
        self._compute, self._name = operator.compute, operator.name
        self._operator = getattr(torch.ops.tilesmith, operator.name).default
        self._apply = _differentiable(operator).apply if operator.gradient else self._operator

    def __call__(self, *args: Value) -> Value:
        """Return the results in new tensors."""
        if _special():
            return self._operator(*args)
        wanted, differs = torch.is_grad_enabled(), False
        for each in args:
            kind = type(each)
            if kind is _Tensor or kind is _Parameter:
                if not each.is_cpu:
                    raise TypeError(
                        f"tilesmith.{self._name}: tensors on the CPU, not on {each.device}; x.cpu() copies one"
                    )
                differs = differs or (wanted and each.requires_grad)
            elif isinstance(each, _Tensor):
                return self._operator(*args)
        try:
            return self._apply(*args) if differs else self._compute(*args)
        except AttributeError:
            self._check_tensors(args)
            raise

    def _check_tensors(self, args: tuple[Value, ...]) -> None:
        """Raise TypeError for an argument that should be a tensor. It is checked when something has failed, so that
        other calls do not pay for it."""
        for argument, given in zip(self._operator._schema.arguments, args):
            if "Tensor" in str(argument.type) and given is not None and not isinstance(given, _Tensor):
                raise TypeError(f"{argument.name}: a tensor, not {type(given).__name__}") from None


class OperatorCalls:
    """The operators by name: calls.softmax(x, -1)."""

    def __getattr__(self, name: str) -> EagerFunction:
        raise AttributeError(f"no operator {name!r}")


calls = OperatorCalls()


def _special() -> bool:
    """Whether a transformation or a mode of torch is active that must see operators."""
    return (
        torch.compiler.is_compiling()
        or torch._C._len_torch_dispatch_stack() > 0
        or torch._C._len_torch_function_stack() > 0
        or torch._C._functorch.peek_interpreter_stack() is not None
        or torch.is_autocast_enabled("cpu")
    )


def _differentiable(operator: TorchOperator) -> type[torch.autograd.Function]:
    class Differentiable(torch.autograd.Function):
        """An operator with its gradient."""

        @staticmethod
        def forward(ctx: Context, *args: Value) -> Value:
            results = operator.compute(*args)
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
