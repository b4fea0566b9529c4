"""The representation: `GraphValue`, an array that a program computes; `GraphNode`, an operator applied to values; and
`TensorGraph`, the program.

A program is functional: no node writes to its inputs, so nodes may run in any order that their values allow. A value
has a shape and an element type, and says nothing about memory unless the caller does: inputs may lie with given
strides, and results may be wanted so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol, TypeAlias, cast

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array

if TYPE_CHECKING:
    from ...microkernels.expr.graph import Expr

DType: TypeAlias = "np.dtype[np.generic]"
Attribute: TypeAlias = object
"""A number, a text, a type, None, or a tuple of such; `function` of a foreign node is a callable."""
Attributes: TypeAlias = Mapping[str, Attribute]


Shape: TypeAlias = "tuple[int, ...]"


class TensorType(NamedTuple):
    """The shape and the element type of an array."""

    shape: Shape
    dtype: DType

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The bytes of the elements."""
        return self.size * self.dtype.itemsize

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.shape)) or 'scalar'} {self.dtype}"


class GraphValue:
    """An array that a program takes, holds or computes. Values are compared by identity.

    shape, dtype   its extents and element type
    strides        of inputs: elements between neighbours along each axis; None: in C order without gaps
    constant       the array, if it is known when the program is made, such as weights
    name           for texts; need not be unique
    node           the node that computes it; None for inputs and constants

    The operators of Python and functions of numpy build further values: x + y, 2 * x, x @ w, x > 0, np.exp(x). Arrays
    beside a value are constants. x == y is an operator if one of both is an array, and compares identity otherwise.
    """

    __slots__ = ("apply", "constant", "dtype", "name", "node", "shape", "strides")
    apply: Callable[..., GraphValue]

    def __init__(
        self,
        kind: TensorType,
        name: str = "",
        strides: tuple[int, ...] | None = None,
        constant: Array | None = None,
        node: GraphNode | None = None,
    ) -> None:
        self.shape, self.dtype = kind
        self.name, self.strides, self.constant, self.node = name, strides, constant, node
        self.apply = _alone

    @property
    def kind(self) -> TensorType:
        """The shape and the element type."""
        return TensorType(self.shape, self.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def number(self) -> float | int | bool | None:
        """The number, if the value is a constant of one element and no axes: kernels then hold it in their code."""
        return None if self.constant is None or self.shape else self.constant.item()

    def __add__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("subtract", self, other)

    def __rsub__(self, other: float) -> GraphValue:
        return self.apply("subtract", other, self)

    def __mul__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("divide", self, other)

    def __rtruediv__(self, other: float) -> GraphValue:
        return self.apply("divide", other, self)

    def __matmul__(self, other: GraphValue) -> GraphValue:
        return self.apply("matmul", self, other)

    def __rmatmul__(self, other: GraphValue) -> GraphValue:
        return self.apply("matmul", other, self)

    def __pow__(self, other: float) -> GraphValue:
        return self.apply("power", self, other)

    def __lt__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("less", self, other)

    def __le__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("less_equal", self, other)

    def __gt__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("greater", self, other)

    def __ge__(self, other: GraphValue | float) -> GraphValue:
        return self.apply("greater_equal", self, other)

    def __neg__(self) -> GraphValue:
        return self.apply("negative", self)

    def __abs__(self) -> GraphValue:
        return self.apply("absolute", self)

    def __bool__(self) -> NoReturn:
        raise TypeError(f"a value of a graph is neither true nor false {UNKNOWN}; g.where(mask, a, b) chooses elements")

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise TypeError(f"{self}: has no elements {UNKNOWN}")

    def __array_function__(
        self, function: Callable[..., object], types: object, operands: object, named: object
    ) -> NoReturn:
        raise TypeError(_no_function(function.__name__))

    def __array_ufunc__(self, function: np.ufunc, method: str, *operands: object, **named: object) -> GraphValue:
        """Add the operator that is called as a function of numpy: np.exp(x), array * x, array @ x."""
        name = function.__name__
        if method != "__call__" or name not in OPERATORS:
            raise TypeError(_no_function(name))
        if named:
            raise TypeError(
                f"np.{name}: takes no {', '.join(named)}= beside values of a graph, whose operators write to no array; "
                "g.cast(x, dtype=) converts, g.where(mask, a, b) chooses"
            )
        return self.apply(name, *cast("tuple[GraphValue, ...]", operands))

    def __getstate__(self) -> tuple[object, ...]:
        return self.shape, self.dtype, self.name, self.strides, self.constant, self.node

    def __setstate__(self, state: tuple[object, ...]) -> None:
        for name, value in zip(("shape", "dtype", "name", "strides", "constant", "node"), state):
            setattr(self, name, value)
        self.apply = _alone

    def __repr__(self) -> str:
        return f"<{self.name or 'value'}: {self.kind}>"


UNKNOWN = "before the graph is compiled and called"


def _no_function(name: str) -> str:
    """Return what to write in place of a function of numpy on a value."""
    same = f"write g.{name}(...)" if name in OPERATORS else "dir(g) lists the operators of a graph"
    return f"np.{name} takes arrays, and this is a value of a graph: {same}"


def _alone(*_: object) -> GraphValue:
    raise TypeError("a value of no graph under construction")


class GraphNode:
    """An operator applied to values: it computes its results from its inputs. None stands for an operand that an
    operator may do without. `through` is a value that its gradient belongs to, and the rule, where that is none of its
    inputs: of the last node of several that a composite is."""

    __slots__ = ("attributes", "inputs", "operator", "results", "through")

    def __init__(
        self,
        operator: Operator,
        inputs: Sequence[GraphValue | None],
        attributes: Attributes,
        kinds: Sequence[TensorType],
        name: str = "",
    ) -> None:
        self.operator, self.inputs, self.attributes = operator, tuple(inputs), dict(attributes)
        self.results = tuple(GraphValue(kind, name, node=self) for kind in kinds)
        self.through: tuple[GraphValue, Callable[..., Sequence[GraphValue | None]]] | None = None

    @property
    def operands(self) -> tuple[GraphValue, ...]:
        """The inputs that are given."""
        return tuple(each for each in self.inputs if each is not None)

    def __str__(self) -> str:
        spelled = str(self.attributes.get("name", "")) if self.operator.name == "foreign" else self.operator.name
        shown = ", ".join(
            f"{name}={_shown(value)}" for name, value in self.attributes.items() if value is not None and name != "name"
        )
        kinds = ", ".join(str(each.kind) for each in self.results)
        return f"{spelled}({', '.join(filter(None, (*(each.name for each in self.operands), shown)))}): {kinds}"

    __repr__ = __str__


def _shown(value: object) -> str:
    if isinstance(value, TensorGraph):
        return f"a program of {len(value.nodes)} nodes"
    return getattr(value, "__name__", "a function") if isinstance(value, Callable) else str(value)  # type: ignore[arg-type]


class RowsRefused(Exception):
    """A program depends on the number of rows of a call in a way that no kernel takes; the message says how."""


class TensorGraph(NamedTuple):
    """A program: what it takes, its nodes in an order in which they may run, and what it returns.

    wanted   for each result, the strides that its array shall have, in elements; None, or none at all: as is best
    """

    inputs: tuple[GraphValue, ...]
    nodes: tuple[GraphNode, ...]
    results: tuple[GraphValue, ...]
    wanted: tuple[tuple[int, ...] | None, ...] = ()

    @property
    def layouts(self) -> tuple[tuple[int, ...] | None, ...]:
        """The strides that are wanted of each result."""
        return self.wanted or (None,) * len(self.results)

    def __str__(self) -> str:
        """Return the program as text, a node a line."""
        names: dict[GraphValue, str] = {}
        lines = ["graph"]
        for number, value in enumerate(self.inputs):
            names[value] = value.name or f"x{number}"
            lines.append(f"  {names[value]} = input: {value.kind}")
        for node in self.nodes:
            for value in node.operands:
                if value.constant is not None and value not in names:
                    names[value] = str(value.number) if value.number is not None else value.name or f"w{len(names)}"
            own = [value.name or f"v{len(names) + number}" for number, value in enumerate(node.results)]
            names.update(zip(node.results, own))
            given = ", ".join("-" if each is None else names[each] for each in node.inputs)
            more = "".join(f", {name}={_shown(value)}" for name, value in node.attributes.items() if value is not None)
            lines.append(f"  {', '.join(own)} = {node.operator.name}({given}{more}): {node.results[0].kind}")
        lines.append(f"  return {', '.join(names.get(each, each.name or 'constant') for each in self.results)}")
        return "\n".join(lines)


# Operators

Kind = Literal["pointwise", "rowwise", "view", "product", "whole", "composite", "foreign"]
Given: TypeAlias = "Sequence[TensorType | None]"
Values: TypeAlias = "GraphValue | tuple[GraphValue, ...]"
Expression: TypeAlias = "Callable[..., Expr | tuple[Expr, ...]]"


class Builds(Protocol):
    """What builds a program, as rows of composites use it: see `GraphBuilder`."""

    def another(self) -> Builds: ...

    def input(
        self, shape: Sequence[int], dtype: object = ..., *, name: str = "", strides: Sequence[int] | None = None
    ) -> GraphValue: ...

    def finish(self, *results: GraphValue) -> TensorGraph: ...

    def constant(self, array: Array, dtype: object = None, *, name: str = "") -> GraphValue: ...

    def apply(self, name: str, *values: GraphValue | float | None, **attributes: Attribute) -> GraphValue: ...

    def results(
        self, name: str, *values: GraphValue | float | None, **attributes: Attribute
    ) -> tuple[GraphValue, ...]: ...


class Operator(NamedTuple):
    """A row of the table.

    infer       the shapes and types of the results; of pointwise operators None: numpy's broadcasting
    expression  see above; takes expressions for the operands (None for those that are left out), and the attributes
    view        takes an array and the attributes, and returns another view of the same memory
    evaluate    takes arrays and the attributes, and `out`: arrays for the results, or None
    expand      takes the builder, the operands and the attributes. None as its result: the node stays
    wraps       whether results of integers leave the range of narrow types, and wrap
    takes       the names of its attributes, between spaces
    """

    name: str
    kind: Kind
    infer: Callable[..., Sequence[TensorType]] | None = None
    expression: Expression | None = None
    view: Callable[..., Array] | None = None
    evaluate: Callable[..., object] | None = None
    expand: Callable[..., Values | None] | None = None
    wraps: bool = False
    takes: str = ""

    def __reduce__(self) -> tuple[Callable[[str], Operator], tuple[str]]:
        return named, (self.name,)


OPERATORS: dict[str, Operator] = {}
"""All rows by name; the modules of this folder add theirs."""


def add(*rows: Operator) -> None:
    """Add rows to the table."""
    for row in rows:
        if row.name in OPERATORS:
            raise ValueError(f"{row.name}: two rows of one name")
        OPERATORS[row.name] = row


def named(name: str) -> Operator:
    """Return the row of a name, of a program from a pickle."""
    return OPERATORS[name]
