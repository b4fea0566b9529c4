"""What became of the operators of a model: `print(tst.explain(model, x))`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import torch
from torch.utils import _pytree as pytree

from .....encoder.deferred import lazy

if TYPE_CHECKING:
    from . import backend as compiling
    from .backend import CompiledFunction
    from .call import GraphReport

compiling = lazy(__package__, ".backend")


class CompilationReport(tuple["GraphReport", ...]):
    """The graphs of a model, each with its kernels and with what torch computes. Printed, a line for each.

    kernels     the number of kernels that a call of each graph runs, in all
    fallbacks   the operators that torch computes, and why
    """

    @property
    def kernels(self) -> int:
        """The number of kernels."""
        return sum(each.compiled.explain().kernels for each in self if each.compiled is not None)

    @property
    def fallbacks(self) -> dict[str, str]:
        """The operators that torch computes, by name, with the reasons."""
        return {each.name: each.reason for report in self for each in report.fallbacks}

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no graph: torch.compile found nothing to compile"


def explain(
    model: Callable[..., object], *args: object, options: Mapping[str, bool] | None = None, **kwargs: object
) -> CompilationReport:
    """Compile a model, call it with these arguments, and return what became of its operators.

    model     a module or function, or what torch.compile has made of one; `options` are those of the backend

    Under torch.no_grad the graphs are those of inference; otherwise, if a result needs a gradient, those of the
    forward and the backward pass, which computes gradients and adds them to no `grad`. The model runs once: statistics
    of batch norm and random numbers move on.
    """
    functions: list[CompiledFunction] = []

    def collecting(module: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> CompiledFunction:
        functions.append(compiling.compiled(module, inputs, dict(options or {})))
        return functions[-1]

    plain: Callable[..., object] = getattr(model, "_orig_mod", getattr(model, "_torchdynamo_orig_callable", model))
    results = torch.compile(plain, backend=collecting)(*args, **kwargs)
    wanted = [each for each in pytree.tree_leaves(results) if isinstance(each, torch.Tensor) and each.requires_grad]
    if wanted:
        given = [*pytree.tree_leaves((args, kwargs)), *getattr(plain, "parameters", list)()]
        leaves = [each for each in given if isinstance(each, torch.Tensor) and each.requires_grad]
        torch.autograd.grad([each.sum() for each in wanted], leaves, allow_unused=True)
    return CompilationReport(report for function in functions for graph in function.graphs for report in graph.reports)
