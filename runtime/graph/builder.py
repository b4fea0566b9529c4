"""`GraphBuilder`: programs, an operator after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from ...encoder.errors import shown
from ...microkernels.errors import UnsupportedError
from ...microkernels.names import nearest
from ..arguments.arrays import NoArray, as_array
from ..fastcall.foreign import of_tensor
from . import composites, pointwise, rowwise, views, whole  # noqa: F401  # their rows
from .gradients import loops, rules, slopes  # noqa: F401  # their rules
from .operators import check_operands, dtype_of, type_name
from .operators import pointwise as pointwise_kinds
from .recurrence import layers, scan, topk  # noqa: F401  # their rows
from .values import (
    OPERATORS,
    Attribute,
    DType,
    Given,
    GraphNode,
    GraphValue,
    Operator,
    TensorGraph,
    TensorType,
    Values,
    add,
)

if TYPE_CHECKING:
    from ..api.typed import ArrayLike

add(Operator("foreign", "foreign"))


class GraphBuilder:
    """Builds a program: `x = g.input((64, 256))`, `y = g.apply("relu", x)`, `g.finish(y)`."""

    def __init__(self) -> None:
        self._inputs: list[GraphValue] = []
        self._nodes: list[GraphNode] = []

    def another(self) -> GraphBuilder:
        """Return a builder of the same kind, for a program inside of this one."""
        return type(self)()

    @property
    def nodes(self) -> Sequence[GraphNode]:
        """The nodes so far."""
        return self._nodes

    def input(
        self,
        shape: Sequence[int],
        dtype: object = np.float32,
        *,
        name: str = "",
        strides: Sequence[int] | None = None,
    ) -> GraphValue:
        """Add an array that calls give. strides: how it lies, in elements; None: in C order without gaps."""
        kind = TensorType(_shape(shape), dtype_of(dtype))
        type_name(kind.dtype)
        value = GraphValue(kind, name or f"x{len(self._inputs)}", None if strides is None else tuple(strides))
        self._inputs.append(value)
        return self._own(value)

    def constant(self, array: ArrayLike, dtype: object = None, *, name: str = "") -> GraphValue:
        """Return a value that is known now, such as weights. The array is not copied and must not change."""
        made = (
            array
            if isinstance(array, np.ndarray)
            else np.asarray(array)
            if isinstance(array, (bool, int, float, list, tuple, np.generic))
            else as_array("array", of_tensor("array", array))
        )
        made = made if dtype is None else made.astype(dtype_of(dtype), copy=False)
        type_name(made.dtype)
        return self._own(GraphValue(TensorType(made.shape, made.dtype), name, constant=made))

    def _own(self, value: GraphValue) -> GraphValue:
        value.apply = self.apply
        return value

    def results(self, name: str, *values: GraphValue | float | None, **attributes: Attribute) -> tuple[GraphValue, ...]:
        """Add an operator, and return its results as a tuple, also if there is one: see `apply`."""
        made: Values = self.apply(name, *values, **attributes)
        return made if isinstance(made, tuple) else (made,)

    def apply(self, name: str, *values: GraphValue | float | None, **attributes: Attribute) -> GraphValue:
        """Add an operator, and return its result; of an operator with several results, such as layer_norm, a tuple of
        them, for which `results` is typed.

        values      in the order of the operator: values, numbers (of the type of the other operands), None for an
                    operand that is left out

        Raises UnsupportedError if the operator is unknown or no kernel takes such operands.
        """
        row = OPERATORS.get(name)
        if row is None:
            near = nearest(name, OPERATORS)
            raise UnsupportedError(
                f"no operator {name!r}; "
                + (f"did you mean {near}? " if near else "")
                + "g.foreign calls a Python function"
            )
        for each in attributes:
            if each not in row.takes.split():
                raise TypeError(_refused(row, each))
        inputs = self._values(row, values)
        check_operands(row, len(inputs))
        if "dtype" in attributes and attributes["dtype"] is not None:
            attributes["dtype"] = dtype_of(attributes["dtype"])
        if row.expand is not None:
            made = row.expand(self, *inputs, **attributes)
            if made is not None:
                return cast("GraphValue", made)
        given: Given = [None if each is None else each.kind for each in inputs]
        if row.kind == "pointwise" and row.infer is None:
            kinds: Sequence[TensorType] = pointwise_kinds(row, given, attributes)
        else:
            assert row.infer is not None
            kinds = row.infer(given, **attributes)
        return self._added(GraphNode(row, inputs, attributes, kinds))

    def foreign(
        self,
        function: Callable[..., object],
        values: Sequence[GraphValue | None],
        kinds: Sequence[tuple[Sequence[int], object]],
        *,
        name: str,
        reason: str,
        ordered: bool = False,
    ) -> GraphValue:
        """Add a function that no kernel computes: function(*arrays) returns an array or a tuple of them.

        kinds     the shape and type of each result
        name, reason   what it is, and why it is no kernel; `explain` shows both
        ordered   whether it keeps its place among other ordered ones and is computed even if nothing reads it
        """
        results = [TensorType(tuple(map(int, shape)), dtype_of(dtype)) for shape, dtype in kinds]
        attributes = {"function": function, "name": name, "reason": reason, "ordered": ordered}
        return self._added(GraphNode(OPERATORS["foreign"], values, attributes, results))

    def finish(self, *results: GraphValue, strides: Sequence[Sequence[int] | None] | None = None) -> TensorGraph:
        """Return the program with these results. strides: how each is wanted, in elements; None: as is best."""
        for each in results:
            if not isinstance(each, GraphValue):
                raise TypeError(f"results: values of this graph, one argument each, not {type(each).__name__}")
        self._check_own(results)
        wanted = tuple(None if each is None else tuple(each) for each in strides or ())
        return TensorGraph(tuple(self._inputs), tuple(self._nodes), tuple(results), wanted)

    def _check_own(self, results: Sequence[GraphValue]) -> None:
        """Raise ValueError if a result depends on a value of another graph."""
        known = {*self._inputs, *(value for node in self._nodes for value in node.results)}
        for value in (*results, *(each for node in self._nodes for each in node.operands)):
            if value.constant is None and value not in known:
                raise ValueError(f"{value.name or 'a value'}: of another graph; g.input makes an array that calls give")

    def _added(self, node: GraphNode) -> GraphValue:
        self._nodes.append(node)
        for value in node.results:
            self._own(value)
        return node.results[0] if len(node.results) == 1 else cast("GraphValue", node.results)

    def _values(self, row: Operator, values: Sequence[GraphValue | float | None]) -> list[GraphValue | None]:
        """Return the operands, with constants in place of numbers, of the type of the first operand that has one."""
        arrays = [each for each in values if isinstance(each, GraphValue)]
        typed = [each.dtype for each in arrays if each.dtype != np.bool_]
        inputs: list[GraphValue | None] = []
        for each in values:
            if each is None or isinstance(each, GraphValue):
                inputs.append(each)
                continue
            if isinstance(each, (np.ndarray, list, tuple)):
                takes = f"; {row.takes.replace(' ', ', ')}: by name" if row.takes else ""
                if any(isinstance(one, GraphValue) for one in each):
                    raise TypeError(
                        f"{row.name}: values of this graph, an argument each, not a {type(each).__name__}{takes}"
                    )
                raise TypeError(
                    f"{row.name}: values of this graph, or numbers; wrap arrays by g.constant(array){takes}"
                )
            inputs.append(self.constant(each, _number_type(row.name, each, typed)))
        return inputs


def _shape(shape: Sequence[int]) -> tuple[int, ...]:
    if isinstance(shape, (int, np.integer)):
        shape = (int(shape),)
    for each in shape:
        if not isinstance(each, (int, np.integer)) or each < 0:
            raise ValueError(f"shape: extents of 0 or more, and ts.RUNTIME as the first one, not {shown(each)}")
    return tuple(map(int, shape))


def _refused(row: Operator, attribute: str) -> str:
    """Return what is wrong with an attribute that a row does not take."""
    near = nearest(attribute, row.takes.split())
    takes = f"it takes {row.takes.replace(' ', ', ')}" if row.takes else "it takes none"
    return f"{row.name}: no attribute {attribute!r}; " + (f"did you mean {near}?" if near else takes)


def _number_type(name: str, number: object, typed: Sequence[DType]) -> DType:
    """Return the type that a number has beside operands of these types."""
    if not isinstance(number, (bool, int, float, np.generic)):
        told = f"; {number.taken_by}" if isinstance(number, NoArray) else ""
        raise TypeError(
            f"{name}: values of this graph, arrays of numpy, numbers or None, not {type(number).__name__}{told}"
        )
    if not typed:
        return np.dtype(np.bool_ if isinstance(number, bool) else np.float32)
    if typed[0].kind in "iu" and float(number) != int(number):
        if name == "power":
            return np.dtype(np.float32)
        raise TypeError(f"{name}: {number} beside elements of {typed[0]}; cast them to a float type first")
    return np.dtype(np.float64) if name == "power" else typed[0]
