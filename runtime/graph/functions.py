"""`ts.graph`: programs of tensors, built operator by operator, as one callable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.names import nearest
from ...microkernels.tuning.products import PROGRAMS
from ..arguments.arrays import as_array
from .builder import GraphBuilder
from .by_rows import Recorded, RowsOfCalls, is_counted
from .compiled import CompiledGraph, compile
from .operators import signature_of
from .recurrence.methods import RecurrentMethods
from .values import OPERATORS, Attribute, DType, GraphValue

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike


_METHOD_DOC = """Add the operator {} and return its result, or a tuple of its results.

Operands are values of this graph, arrays of numpy, numbers, or None for one that is left out; the rest is given by
name. The page graph of the documentation lists the operators and what they take. Raises UnsupportedError if no kernel
takes such operands.
"""


class TensorProgramBuilder(GraphBuilder, RecurrentMethods):
    """A program of tensors under construction: see `ts.graph`. Every operator is a method."""

    def __init__(self) -> None:
        super().__init__()
        self._record: list[Recorded] = []
        self._depth = 0

    def __getattr__(self, name: str) -> Callable[..., GraphValue]:
        """Return the function that adds an operator: g.relu(x) is g.apply("relu", x)."""
        if name not in OPERATORS:
            near = nearest(name, OPERATORS)
            raise AttributeError(f"a graph has no operator {name!r}" + (f"; did you mean {near}?" if near else ""))

        def add(*values: GraphValue | float | None, **attributes: Attribute) -> GraphValue:
            return self.apply(name, *values, **attributes)

        add.__name__, add.__qualname__, add.__doc__ = name, f"graph.{name}", _METHOD_DOC.format(name)
        add.__signature__ = signature_of(name)  # type: ignore[attr-defined]
        return add

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *OPERATORS})

    def input(
        self,
        shape: Sequence[int],
        dtype: object = np.float32,
        *,
        name: str = "",
        strides: Sequence[int] | None = None,
    ) -> GraphValue:
        """Add an array that calls give. ts.RUNTIME as its first extent: as many rows as the call's array has. strides:
        how it lies, in elements; None: in C order without gaps."""
        if not is_counted(shape):
            made = super().input(shape, dtype, name=name, strides=strides)
        else:
            made = super().input((PROGRAMS.recorded, *shape[1:]), dtype, name=name)
            if strides is not None:
                raise TypeError("strides: of inputs whose number of rows is known; others are in C order")
        self._record.append(
            Recorded("input", (), {"shape": tuple(shape) if is_counted(shape) else made.shape, "dtype": dtype}, (made,))
        )
        return made

    def constant(self, array: ArrayLike, dtype: object = None, *, name: str = "") -> GraphValue:
        """Return a value that is known now, such as weights. The array is not copied and must not change."""
        made = super().constant(array, dtype, name=name)
        if not self._depth:
            self._check("constant", "shape", made.shape)
            self._record.append(Recorded("constant", (), {}, (made,)))
        return made

    def apply(self, name: str, *values: GraphValue | float | None, **attributes: Attribute) -> GraphValue:
        """Add an operator, and return its result; of an operator with several results, a tuple of them. Arrays of numpy
        among the values are constants, of which the graph keeps copies."""
        if not self._depth:
            values = tuple(self.constant(each.copy()) if isinstance(each, np.ndarray) else each for each in values)
            for key, attribute in attributes.items():
                self._check(name, key, attribute)
        self._depth += 1
        try:
            made = super().apply(name, *values, **attributes)
        finally:
            self._depth -= 1
        if not self._depth:
            found = made if isinstance(made, tuple) else (made,)
            self._record.append(Recorded(name, values, attributes, found))
        return made

    def gradients(
        self,
        results: GraphValue | Sequence[GraphValue],
        wanted: Sequence[GraphValue],
        given: Sequence[GraphValue] | None = None,
    ) -> tuple[GraphValue, ...]:
        """Return the gradient of each wanted value, of its shape and type, as nodes of this graph.

        results  values of floats
        wanted   inputs, or values that nodes compute
        given    the gradient of each result, of its shape and type; None: 1, of one result of one element

        The gradients of all results are added up. Of a loop (lstm, gru, rnn, scan) they are a loop from its last step
        to the first one, and one product for each matrix of weights. Compile the results and the gradients together:
        the program then keeps what both need. Raises UnsupportedError for an operator on the way that has no gradient.
        """
        found = (results,) if isinstance(results, GraphValue) else tuple(results)
        if given is None:
            if len(found) != 1 or found[0].size != 1:
                raise ValueError("gradients: given=, the gradients of the results, unless there is one of one element")
            given = (self.constant(np.ones(found[0].shape, found[0].dtype)),)
        if len(given) != len(found):
            raise ValueError(f"gradients: a gradient for each of {len(found)} results, not {len(given)}")
        return self.results("gradients", *found, *given, *wanted, results=len(found))

    def _check(self, name: str, key: str, given: Attribute) -> None:
        """Raise ValueError for an extent that was read from a shape with rows of calls, where it is no number."""
        if self._counted and _counts_rows(given):
            raise ValueError(
                f"{name}: {key}={given!r} has the {PROGRAMS.recorded:,} that stand for the rows of calls in shapes; "
                "a -1 in a reshape leaves them to the call, and operands with an extent of 1 are broadcast to them"
            )

    @property
    def _counted(self) -> bool:
        """Whether an input has as many rows as each call gives."""
        return any(each.name == "input" and is_counted(each.more["shape"]) for each in self._record)

    def compile(
        self, *results: GraphValue, threads: int | None = None, target: TargetLike = None
    ) -> CompiledGraph | RowsOfCalls:
        """Return the program with these results as one callable: y = f(x), of numpy arrays or of those of other
        libraries. `help(ts.graph)` says more."""
        if not results:
            raise TypeError("results: one value of this graph or more, which the calls return")
        if self._counted:
            if any(node.operator.name == "foreign" for node in self._nodes):
                raise UnsupportedError("foreign: only where all extents are known, since its results have fixed shapes")
            return RowsOfCalls(self._record, results, threads, target)
        return compile(self.finish(*results), threads=threads, target=target)


def _counts_rows(given: Attribute) -> bool:
    """Whether an attribute has a multiple of what stands for the rows of calls."""
    if isinstance(given, (tuple, list)):
        return any(map(_counts_rows, given))
    return isinstance(given, int) and given != 0 and given % PROGRAMS.recorded == 0


@lru_cache(maxsize=64)
def _topk(shape: tuple[int, ...], dtype: DType, k: int, axis: int, largest: bool) -> CompiledGraph:
    build = GraphBuilder()
    return compile(build.finish(*build.results("topk", build.input(shape, dtype), k=k, axis=axis, largest=largest)))


def topk(x: ArrayLike, k: int, *, axis: int = -1, largest: bool = True) -> tuple[ArrayLike, ArrayLike]:
    """Return the k largest elements of an array along an axis, and their places there, int64, in descending order.

    x          an array of f64, f32, f16 or bf16
    k          from 0 to the extent of the axis, which k replaces in the shapes of both results
    largest    False: the smallest elements, in ascending order

    NaN is above all numbers, as in torch. Of equal elements the one with the lower place comes first, which torch
    leaves open. Raises UnsupportedError for integers, ValueError for another k. A program of tensors is made for each
    shape, type and k, which the next calls find; any number of threads gives the same results.
    """
    array = as_array("x", x)
    found: tuple[ArrayLike, ArrayLike] = _topk(tuple(array.shape), array.dtype, k, axis, bool(largest))(x)
    return found


def graph() -> TensorProgramBuilder:
    """Build a program of tensors, which becomes a few kernels and one call.

        g = ts.graph()
        x = g.input((64, 256))
        h = g.gelu(g.linear(x, g.constant(w1), g.constant(b1)))
        y = g.softmax(g.linear(h, g.constant(w2)))
        f = g.compile(y)
        f(array)

    g.input(shape, dtype="float32", name=, strides=)   an array that calls give; ts.RUNTIME as its first extent: any
                         number of rows, by the same machine code unless f.explain() says why each number has its own.
                         Reshapes then leave the rows to a -1
    g.constant(array)    an array that is known, such as weights. What depends on constants alone is computed once
    g.relu(x), g.add(x, y), x + y, x @ w ...           operators; docs/graph.md lists them, and dir(g)
    g.foreign(function, values, kinds, name=, reason=) a Python function of arrays, where there is no operator
    g.compile(*results, threads=None)                  the callable

    f(x, out=None, threads=None) returns a result, or a tuple of them. f.explain() and print(f) show which nodes became
    which kernel. A node that no kernel takes raises UnsupportedError with the reason. Any number of threads gives the
    same bits. Source: Georganas et al., Tensor Processing Primitives, section 7.
    """
    return TensorProgramBuilder()
