"""What became of the operators of a model: `print(tst.explain(model, x))`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.utils import _pytree as pytree

from .....encoder.deferred import lazy
from .....microkernels.notebook import summary

if TYPE_CHECKING:
    from . import backend as compiling
    from .backend import CompiledFunction
    from .call import GraphReport

compiling = lazy(__package__, ".backend")


class GraphBreak(NamedTuple):
    """Something that torch.compile puts into no graph: Python runs it, and what is around it up to the next graph.

    name     what it is, such as `LSTM(8, 16)`
    reason   torch's, with its first advice
    """

    name: str
    reason: str

    def __str__(self) -> str:
        return f"in no graph of torch.compile: {self.name}: {self.reason}"


class CompilationReport(tuple["GraphReport", ...]):
    """The graphs of a model, each with its kernels and with what torch computes. Printed, a line for each.

    kernels     the number of kernels that a call of each graph runs, in all
    fallbacks   the operators that torch computes, and why
    breaks      what torch.compile puts into no graph, and why
    """

    breaks: tuple[GraphBreak, ...]

    def __new__(cls, graphs: Iterable[GraphReport], breaks: Iterable[GraphBreak] = ()) -> CompilationReport:
        """Return the report of these graphs."""
        made = super().__new__(cls, graphs)
        made.breaks = tuple(breaks)
        return made

    @property
    def kernels(self) -> int:
        """The number of kernels."""
        return sum(each.compiled.explain().kernels for each in self if each.compiled is not None)

    @property
    def fallbacks(self) -> dict[str, str]:
        """The operators that torch computes, by name, with the reasons."""
        return {each.name: each.reason for report in self for each in report.fallbacks}

    def __str__(self) -> str:
        graphs = list(map(str, self)) or ["no graph: torch.compile found nothing to compile"]
        return "\n".join([*graphs, *map(str, self.breaks)])

    def _repr_html_(self) -> str:
        """Return the same for notebooks: what torch computes, and the graphs in a folded section."""
        left = [f"{name}: {reason}" for name, reason in self.fallbacks.items()]
        title = f"{len(self)} graphs, {self.kernels} kernels, {len(left)} operators by torch, {len(self.breaks)} breaks"
        return summary(self, "graphs", "\n".join([title, *left, *map(str, self.breaks)]))


def explain(
    model: Callable[..., object], *args: object, options: Mapping[str, bool] | None = None, **kwargs: object
) -> CompilationReport:
    """Compile a model, call it with these arguments, and return what became of its operators.

    model     a module or function, or what torch.compile has made of one; `options` are those of the backend

    Under torch.no_grad the graphs are those of inference; otherwise, if a result needs a gradient, those of the
    forward and the backward pass, which computes gradients and adds them to no `grad`. The model runs once: statistics
    of batch norm and random numbers move on. As torch._dynamo.explain does, it resets torch.compile, so that what was
    compiled before is found again: compiled functions compile once more when they are next called.
    """
    if not callable(model):
        raise TypeError(f"model: a module or a function, not {type(model).__name__}")
    functions: list[CompiledFunction] = []
    chosen = compiling.GraphOptions.of(options)

    def collecting(module: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> CompiledFunction:
        functions.append(compiling.compiled(module, inputs, chosen))
        return functions[-1]

    plain: Callable[..., object] = getattr(model, "_orig_mod", getattr(model, "_torchdynamo_orig_callable", model))
    compiling.reset()
    before = _met()
    try:
        results = torch.compile(plain, backend=collecting)(*args, **kwargs)
        wanted = [each for each in pytree.tree_leaves(results) if isinstance(each, torch.Tensor) and each.requires_grad]
        if wanted:
            sums = [each.sum() for each in wanted]
            torch.autograd.grad(sums, _leaves(sums))
        breaks = [_break_of(text) for text, count in _met().items() if count > before[text]]
    finally:
        compiling.reset()
    reports = [report for function in functions for graph in function.graphs for report in graph.reports]
    return CompilationReport(reports, breaks)


def _leaves(results: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Return the tensors whose gradients a backward pass from the results computes, also those of closures."""
    found, left, seen = list[torch.Tensor](), [each.grad_fn for each in results], set[object]()
    while left:
        node = left.pop()
        if node is not None and node not in seen:
            seen.add(node)
            found += [node.variable] if hasattr(node, "variable") else []
            left += [each for each, _ in node.next_functions]
    return found


def _met() -> Counter[str]:
    """Return torch's texts about what it could not put into a graph, each with the times that it was met."""
    return Counter(compiling.counters["graph_break"]) + Counter(compiling.counters["unimplemented"])


def _break_of(text: str) -> GraphBreak:
    """Return what a text of torch's says: a title, and from torch 2.8 on parts with titles of their own."""
    title, _, rest = text.partition("\n")
    parts = dict[str, str]()
    for name, found in re.findall(r"^\s*(Explanation|Hint|Developer debug context): (.+)$", rest, re.MULTILINE):
        parts.setdefault(name, found.strip())
    said = [parts[each] for each in ("Explanation", "Hint") if each in parts]
    return GraphBreak(parts.get("Developer debug context") or title, " ".join(said) or title)
