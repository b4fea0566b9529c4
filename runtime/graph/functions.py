"""`ts.graph`: programs of tensors, built operator by operator, as one callable."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...microkernels.names import nearest
from .builder import GraphBuilder
from .compiled import CompiledGraph, compile
from .values import OPERATORS, GraphValue

if TYPE_CHECKING:
    from ..api.typed import TargetLike


class TensorProgramBuilder(GraphBuilder):
    """A program of tensors under construction: see `ts.graph`. Every operator is a method."""

    def __getattr__(self, name: str) -> Callable[..., GraphValue]:
        """Return the function that adds an operator: g.relu(x) is g.apply("relu", x)."""
        if name not in OPERATORS:
            near = nearest(name, OPERATORS)
            raise AttributeError(f"a graph has no operator {name!r}" + (f"; did you mean {near}?" if near else ""))
        return lambda *values, **attributes: self.apply(name, *values, **attributes)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *OPERATORS} - {"foreign"})

    def compile(self, *results: GraphValue, threads: int | None = None, target: TargetLike = None) -> CompiledGraph:
        """Return the program with these results as one callable: y = f(x), of numpy arrays or of those of other
        libraries. `help(ts.graph)` says more."""
        return compile(self.finish(*results), threads=threads, target=target)


def graph() -> TensorProgramBuilder:
    """Build a program of tensors, which becomes a few kernels and one call.

        g = ts.graph()
        x = g.input((64, 256))
        h = g.gelu(g.linear(x, g.constant(w1), g.constant(b1)))
        y = g.softmax(g.linear(h, g.constant(w2)))
        f = g.compile(y)
        f(array)

    g.input(shape, dtype="float32", name=, strides=)   an array that calls give
    g.constant(array)    an array that is known, such as weights. What depends on constants alone is computed once
    g.relu(x), g.add(x, y), x + y, x @ w ...           operators; docs/graph.md lists them, and dir(g)
    g.foreign(function, values, kinds, name=, reason=) a Python function of arrays, where there is no operator
    g.compile(*results, threads=None)                  the callable

    f(x, out=None, threads=None) returns a result, or a tuple of them. f.explain() and print(f) show which nodes became
    which kernel. A node that no kernel takes raises UnsupportedError with the reason. Any number of threads gives the
    same bits. Source: Georganas et al., Tensor Processing Primitives, section 7.
    """
    return TensorProgramBuilder()
