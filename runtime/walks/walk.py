"""Walks: a function of elements, or a copy, over arrays of any number of axes, as calls of kernels inside of loops.

Kernels take matrices whose columns are neighbours. A walk drops axes of one element, joins axes that lie in every
operand as one, takes the columns and the rows of a kernel from what is left, and makes loops of the rest. If two arrays
have different neighbours, a copy is a transpose of the plane of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.expr.graph import Expr
from ...microkernels.expr.trace import with_parameters
from ..api.eltwise import equation, unary
from ..api.transforms import transpose
from ..loops.code import Address, Affine, Call, Header, Loop, Node, Share, affine, index, once

if TYPE_CHECKING:
    from ..api.typed import DType
    from ..kernel.callable import Kernel


class Side(NamedTuple):
    """An operand of a walk.

    at      its place in the job's table
    start   bytes from its address to the first element
    steps   elements from one to the next along each axis of the walk; 0 along axes that it is repeated along
    """

    at: int
    dtype: str
    start: Affine
    steps: tuple[int, ...]

    @property
    def address(self) -> Address:
        """The address of the first element."""
        return Address(self.at, self.start)

    @property
    def named(self) -> DType:
        """The type, as functions of kernels declare it."""
        return cast("DType", self.dtype)


Function = Callable[[Mapping[str, Expr]], Expr | tuple[Expr, ...]]
"""A function of operands by name. It returns one result, or a tuple of them."""


def kernel_of(
    function: Function,
    inputs: Mapping[str, Side],
    shapes: Mapping[str, tuple[int, int]],
    leading: Mapping[str, int],
    results: Sequence[str],
    compute: str | None,
    target: Target,
) -> Kernel:
    """Return the kernel of a function of operands of these shapes and leading dimensions, with results of these
    types."""

    def traced(*given: Expr, **named: Expr) -> Expr | tuple[Expr, ...]:
        return function({**dict(zip(inputs, given)), **named})

    asked: dict[str, Any] = {**shapes, **{f"ld{name}": each for name, each in leading.items()}}
    asked |= {"dtype": {name: each.dtype for name, each in inputs.items()}, "compute": compute}
    asked |= {"out": results[0] if len(results) == 1 else tuple(results)}
    return equation(with_parameters(traced, list(inputs)), target=target, **asked)


def folded(extents: Sequence[int], sides: Sequence[Side]) -> tuple[list[int], list[list[int]]]:
    """Return the extents of as few axes as possible, in the order of the last side's memory, and the steps of each side
    along them."""
    last = sides[-1].steps
    axes = sorted((axis for axis, extent in enumerate(extents) if extent > 1), key=lambda axis: -abs(last[axis]))
    made: list[int] = []
    steps: list[list[int]] = [[] for _ in sides]
    for axis in axes:
        if made and all(done[-1] == side.steps[axis] * extents[axis] for done, side in zip(steps, sides)):
            made[-1] *= extents[axis]
            for done, side in zip(steps, sides):
                done[-1] = side.steps[axis]
            continue
        made.append(extents[axis])
        for done, side in zip(steps, sides):
            done.append(side.steps[axis])
    return made, steps


def computed(
    function: Function,
    extents: Sequence[int],
    inputs: Mapping[str, Side],
    outputs: Sequence[Side],
    target: Target,
    compute: Literal["f64", "f32"] | None = None,
) -> list[Node]:
    """Return the nodes that compute a function of elements: one result, or a tuple, for each output."""
    if 0 in extents:
        return []
    sides = (*inputs.values(), *outputs)
    whole, steps = folded(extents, sides)
    columns, rows = _matrix(whole, steps, len(inputs))
    m, n = (whole[axis] if axis is not None else 1 for axis in (rows, columns))
    shapes, leading = dict[str, tuple[int, int]](), dict[str, int]()
    for name, each in zip(inputs, steps):
        down, across = (each[axis] if axis is not None else 0 for axis in (rows, columns))
        shapes[name] = (m if down else 1, n if across else 1)
        if down and m > 1:
            leading[name] = down
    for number, each in enumerate(steps[len(inputs) :]):
        if rows is not None:
            leading["y" if len(outputs) == 1 else f"y{number}"] = each[rows]
    kernel = kernel_of(function, inputs, shapes, leading, [each.dtype for each in outputs], compute, target)
    return _around(whole, steps, sides, (rows, columns), kernel)


def copied(extents: Sequence[int], source: Side, to: Side, target: Target) -> list[Node]:
    """Return the nodes that copy elements, converting them if the types differ."""
    if 0 in extents:
        return []
    whole, (read, written) = folded(extents, (source, to))
    if 0 in read:
        return computed(lambda given: given["x"], extents, {"x": source}, (to,), target)
    turned = plane_of(whole, read, written)
    if turned is not None:
        rows, columns = turned  # of what is read
        m, n = whole[rows], whole[columns]
        out = to.named if to.dtype != source.dtype else None
        kernel = transpose(m, n, dtype=source.named, out=out, ldx=read[rows], ldy=written[columns], target=target)
        return _around(whole, [read, written], (source, to), turned, kernel)
    columns_, rows_ = _matrix(whole, [read, written], 1)
    m, n = (whole[axis] if axis is not None else 1 for axis in (rows_, columns_))
    ldx, ldy = (None, None) if rows_ is None else (read[rows_], written[rows_])
    copy = unary("identity", m, n, dtype=source.named, out=to.named, ldx=ldx, ldy=ldy, target=target)
    return _around(whole, [read, written], (source, to), (rows_, columns_), copy)


def filled(extents: Sequence[int], side: Side, value: int, target: Target) -> list[Node]:
    """Return the nodes that fill elements with 0, or whole ones with another number."""
    if 0 in extents:
        return []
    whole, steps = folded(extents, (side,))
    columns, rows = _matrix(whole, steps, 0)
    m, n = (whole[axis] if axis is not None else 1 for axis in (rows, columns))
    apart = None if rows is None else steps[0][rows]
    kernel: Kernel
    if value == 0:
        kernel = unary("zero", m, n, dtype=side.named, ldx=apart, ldy=apart, target=target)
    else:
        kernel = equation(lambda x: x * 0 + value, x=(m, n), dtype=side.named, ldx=apart, ldy=apart, target=target)
    return _around(whole, steps * 2, (side, side), (rows, columns), kernel)


def dealt_out(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return nodes whose outermost loops are dealt to the workers; one of them makes the calls outside of loops."""
    return tuple(Share((each.header,), each.body) if isinstance(each, Loop) else once([each]) for each in nodes)


def plane_of(extents: Sequence[int], read: Sequence[int], written: Sequence[int]) -> tuple[int, int] | None:
    """Return the rows and columns of a plane that a transpose copies, or None if another kernel copies it."""
    columns = next((axis for axis, step in enumerate(read) if step == 1), None)
    rows = next((axis for axis, step in enumerate(written) if step == 1), None)
    if columns is None or rows is None or rows == columns:
        return None
    fits = read[rows] >= extents[columns] and written[columns] >= extents[rows]
    return (rows, columns) if fits else None


def _matrix(extents: Sequence[int], steps: Sequence[Sequence[int]], inputs: int) -> tuple[int | None, int | None]:
    """Return the axes of a kernel's columns and rows."""

    def near(axis: int) -> bool:
        spans = not inputs or any(each[axis] for each in steps[:inputs])  # a kernel has the extents of its inputs
        return spans and all(
            each[axis] == 1 or (place < inputs and each[axis] == 0) for place, each in enumerate(steps)
        )

    columns = next((axis for axis in reversed(range(len(extents))) if near(axis)), None)

    def apart(axis: int) -> bool:
        if inputs and not any(each[axis] for each in steps[:inputs]):
            return False
        for place, each in enumerate(steps):
            wide = 1 if columns is None or each[columns] == 0 else extents[columns]
            if each[axis] < wide and not (place < inputs and each[axis] == 0):
                return False
        return True

    fit = [axis for axis in range(len(extents)) if axis != columns and apart(axis)]
    return columns, max(fit, key=lambda axis: extents[axis], default=None)


def _around(
    extents: Sequence[int],
    steps: Sequence[Sequence[int]],
    sides: Sequence[Side],
    taken: Sequence[int | None],
    kernel: Kernel,
) -> list[Node]:
    """Return a call inside of loops over the axes that it does not take itself."""
    outer = [axis for axis in range(len(extents)) if axis not in taken]
    names = {axis: f"axis {place}" for place, axis in enumerate(outer)}
    arguments = []
    for side, each in zip(sides, steps):
        offset = affine(side.start)
        for axis, name in names.items():
            offset += index(name) * (each[axis] * ELEMENT_BYTES[side.dtype])
        arguments.append(Address(side.at, offset))
    body: list[Node] = [Call(kernel, tuple(arguments))]
    for axis in reversed(outer):
        header = Header(names[axis], affine(0), (affine(extents[axis]),), 1, extents[axis])
        body = [Loop(header, tuple(body))]
    return body
