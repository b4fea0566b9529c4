"""Units over the rows of a call that no kernel of any number of rows computes: a loop over the rows.

A convolution, attention, a pool or a product of as many matrices computes each row of the call by itself, and so do
regions whose rows lie between other axes. The unit becomes a program of a single row, which is lowered as any program
is, and a step that repeats its steps for each row (`executor.members`). What depends on several rows is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.errors import UnsupportedError
from ..executor.members import rows_members
from ..executor.steps import RepeatedOperand, RepeatedStep
from ..walks.permute import Reordered, moved, permutation
from .lowering import LoweredMembers, PlannedStep, arranged, completed, lives_of
from .spaces import behind
from .storage import Storage, ValuePlace, operand_array
from .values import Attribute, GraphNode, GraphValue, RowsRefused, TensorGraph, TensorType
from .views import fake

if TYPE_CHECKING:
    from .lowering import Lowering
    from .partition import Unit

_BYTE = np.dtype(np.uint8)
_BY_ROWS: dict[str, tuple[int, ...] | None] = {
    "conv": (0,),
    "conv_transpose": (0,),
    "gather": (1,),
    **dict.fromkeys(("attention", "attention_backward", "concatenate", "pad", "resize")),
    **dict.fromkeys(("max_pool", "max_pool_backward", "avg_pool", "avg_pool_backward")),
    **dict.fromkeys(("adaptive_avg_pool", "adaptive_avg_pool_backward")),
}
"""Operators that compute each element along the first axis of their results by itself, with the operands of which an
element along the first axis belongs to it; None: all of them."""


def lower_members(lowering: Lowering, unit: Unit, lowered: Callable[[TensorGraph], Lowering]) -> None:
    """Add the step of a unit as a loop over the rows of the call. `lowered` returns the steps of a program of a row.
    Raises RowsRefused for a unit of which a row depends on others, or whose steps are no loop."""
    body = MembersBody(lowering, unit)
    made = lowering.members.get(lowering.unit)
    if made is None or made.body is None or not _same(made.body, body.graph):
        try:
            made = _lowered(lowering, body, lowered)
        except UnsupportedError as error:
            raise RowsRefused(str(error)) from None
        lowering.members[lowering.unit] = made
    operands = [*body.inputs, *body.results, *made.constants]
    lowering.step(made.entry, operands, body.results, made.name)
    for place, to in zip(body.results, body.written):
        if place is not to:
            lowering.copy(place, to)


def _same(one: TensorGraph, other: TensorGraph) -> bool:
    """Whether two programs of a row are the same one, on the same constants."""
    names: list[dict[GraphValue, object]] = [{}, {}]

    def said(graph: TensorGraph, known: dict[GraphValue, object]) -> Iterator[object]:
        for number, value in enumerate(graph.inputs):
            known[value] = number
            yield value.kind, value.strides
        for place, node in enumerate(graph.nodes):
            yield node.operator.name, node.attributes, [None if v is None else known.get(v, v) for v in node.inputs]
            known |= {value: (place, number) for number, value in enumerate(node.results)}
        yield [known[value] for value in graph.results], graph.wanted

    def alike(mine: object, its: object) -> bool:
        if isinstance(mine, (list, tuple)) and isinstance(its, (list, tuple)):
            return len(mine) == len(its) and all(map(alike, mine, its))
        if isinstance(mine, GraphValue) and isinstance(its, GraphValue):
            a, b = mine.constant, its.constant
            return a is not None and b is not None and (a is b or a.dtype == b.dtype and np.array_equal(a, b))
        return mine == its

    return alike(*(list(said(*each)) for each in zip((one, other), names)))


# The program of a row


class MembersBody:
    """The nodes of a unit as a program of one row of the call.

    graph     the program; each value has the part of a row
    inputs    where its inputs lie, for all rows
    results   where its results are computed; they are copied to `written`, if that is elsewhere
    steps     the bytes from one row of each input and result to the next
    """

    def __init__(self, lowering: Lowering, unit: Unit) -> None:
        self.lowering, self.rows = lowering, lowering.rows
        self.name = " ".join(node.operator.name for node in unit.nodes)
        self.inputs: list[ValuePlace] = []
        self._given: list[GraphValue] = []
        self._known: dict[GraphValue, GraphValue] = {}
        self._nodes: list[GraphNode] = []
        inside = {value for node in unit.nodes for value in node.results}
        for node in unit.nodes:
            self._check(node)
            inputs = [None if value is None else self._value(value, inside) for value in node.inputs]
            self._add(node, inputs)
        made = [value for node in unit.nodes for value in node.results if lowering.is_read(value, unit)]
        self.written = [self._result(value) for value in made]
        self.results = [
            lowering.new(place.kind) if any(map(lowering.counted, place.strides[1:])) else place
            for place in self.written
        ]
        wanted = tuple(place.strides for place in self.results)
        self.graph = TensorGraph(
            tuple(self._given), tuple(self._nodes), tuple(self._known[value] for value in made), wanted
        )
        self.steps = [self._step(place) for place in (*self.inputs, *self.results)]

    def _refused(self, why: str) -> RowsRefused:
        return RowsRefused(f"{self.name}: {why}")

    def _counted(self, value: GraphValue) -> bool:
        return value.constant is None and self.lowering.counted(value.size)

    def _part(self, kind: TensorType) -> TensorType:
        """Return the part of an array that belongs to a row."""
        if not self.lowering.counted(kind.size):
            return kind
        first, *others = kind.shape
        if not self.lowering.counted(first) or any(map(self.lowering.counted, others)):
            raise self._refused("the rows of the call lie between other axes of an operand or a result")
        return TensorType((first // self.rows, *others), kind.dtype)

    def _moves(self, place: ValuePlace) -> bool:
        """Whether the part of a row lies by numbers that depend on how many rows there are."""
        return any(map(self.lowering.counted, (place.offset, *place.strides[1:])))

    def _step(self, place: ValuePlace) -> int:
        """Return the bytes from a row to the next one."""
        counted = self.lowering.counted(place.kind.size)
        return place.steps[0] * (place.kind.shape[0] // self.rows) if counted else 0

    def _result(self, value: GraphValue) -> ValuePlace:
        """Return where a result is written."""
        if not self._counted(value):
            raise self._refused("a result that all rows of the call have in common")
        order = self.lowering.preferred(value)
        inside = order is not None and any(map(self.lowering.counted, order[1:]))
        return self.lowering.result(value, None if inside else order)

    def _value(self, value: GraphValue, inside: set[GraphValue]) -> GraphValue:
        """Return the part of a value that a row has."""
        if value in self._known:
            return self._known[value]
        base, chain = behind(value)
        if base in inside:
            for node in chain:
                if node.results[0] not in self._known:
                    self._check_view(node)
                    self._add(node, [self._known[node.operands[0]]])
            return self._known[value]
        if value.constant is not None:
            return value
        place = self.lowering.place(value)
        if self._moves(place):
            place = self.lowering.copied(place)
        made = GraphValue(self._part(place.kind), value.name, place.strides)
        self.inputs.append(place)
        self._given.append(made)
        self._known[value] = made
        return made

    def _add(self, node: GraphNode, inputs: Sequence[GraphValue | None]) -> None:
        """Add a node on the part of a row."""
        kinds = [self._part(each.kind) for each in node.results]
        made = GraphNode(node.operator, inputs, _of_row(node.attributes, self.rows), kinds)  # type: ignore[arg-type]
        self._nodes.append(made)
        self._known.update(zip(node.results, made.results))

    # What a row depends on

    def _check(self, node: GraphNode) -> None:
        """Raise RowsRefused unless each row of a node's results depends on the same row of its operands only."""
        name, kind = node.operator.name, node.operator.kind
        counted = [place for place, each in enumerate(node.inputs) if each is not None and self._counted(each)]
        allowed: Sequence[int] | None = None
        if name == "matmul":
            allowed = (0, 1) if node.results[0].ndim > 2 else (0,)
        elif kind not in ("pointwise", "rowwise"):
            allowed = _BY_ROWS.get(name, ())
        if node.attributes.get("dropout") or node.attributes.get("score"):
            raise self._refused("dropout or a function of scores, which count heads over all rows of the call")
        if 0 in self._joined(node):
            raise self._refused("a reduction over the rows of the call")
        if allowed is not None and any(place not in allowed for place in counted):
            raise self._refused("an operand that has the rows of the call, and no part for each row of the result")
        if kind == "pointwise" or name == "matmul":
            own = node.results[0].ndim
            if any(node.inputs[place].ndim != own for place in counted):  # type: ignore[union-attr]
                raise self._refused("the rows of the call lie between other axes of an operand or a result")

    def _joined(self, node: GraphNode) -> tuple[int, ...]:
        """Return the axes of a node's first operand along which elements depend on each other, as far as they may be
        the first."""
        ndim, more = node.operands[0].ndim, node.attributes
        if node.operator.name == "pad":
            ends = more["before"], more["after"]
            return (0,) if any(each[0] for each in ends) else ()  # type: ignore[index]
        if node.operator.name == "concatenate":
            return (int(more.get("axis", 0)) % ndim,)  # type: ignore[call-overload]
        if node.operator.kind != "rowwise":
            return ()
        axes = more.get("axes", 1)
        return axes if isinstance(axes, tuple) else tuple(range(ndim - int(axes), ndim))  # type: ignore[call-overload]

    def _check_view(self, node: GraphNode) -> None:
        """Raise RowsRefused unless the part of a view that a row has is the view of the part of its operand."""
        value, source, view = node.results[0], node.operands[0], node.operator.view
        assert view is not None
        of_row = _of_row(node.attributes, self.rows)
        assert isinstance(of_row, dict)
        parts = self._part(source.kind), self._part(value.kind)
        whole = view(fake(source.shape, None, source.dtype), **node.attributes)
        part = view(fake(parts[0].shape, None, source.dtype), **of_row)
        apart = whole.strides[0] * (value.shape[0] // self.rows) if self._counted(value) else 0
        own = parts[0].bytes if self._counted(source) else 0
        steps = [[step for step, extent in zip(each.strides, parts[1].shape) if extent > 1] for each in (whole, part)]
        if part.shape != parts[1].shape or apart != own or steps[0] != steps[1]:
            raise self._refused(f"{node.operator.name}: a view of other rows of the call")


def _of_row(attribute: Attribute, rows: int) -> Attribute:
    """Return an attribute for a single row: what is a multiple of the rows is so many times one row."""
    if isinstance(attribute, dict):
        return {name: _of_row(each, rows) for name, each in attribute.items()}
    if isinstance(attribute, (tuple, list)):
        return tuple(_of_row(each, rows) for each in attribute)
    if isinstance(attribute, int) and not isinstance(attribute, bool) and attribute % rows == 0:
        return attribute // rows
    return attribute


# The step


def _lowered(lowering: Lowering, body: MembersBody, lowered: Callable[[TensorGraph], Lowering]) -> LoweredMembers:
    """Return the loop over the rows of a body."""
    inside = lowered(body.graph)
    size = arranged(*lives_of(inside.calls))
    slots = {number: at for at, number in enumerate(range(1, 1 + len(body.steps)))}
    moved = sum(value.kind.bytes for value in (*body.graph.inputs, *body.graph.results))
    return _loop(lowering, inside.calls, slots, body.steps, (body.graph, size, moved))


def _loop(
    lowering: Lowering,
    calls: Sequence[PlannedStep],
    slots: Mapping[int, int],
    advance: Sequence[int],
    more: tuple[TensorGraph | None, int, int],
) -> LoweredMembers:
    """Return the loop of the steps of a row.

    slots     the operands that lie in the slots of the steps; advance: the bytes from one row of each to the next
    more      the program of a row, the bytes between its steps, and those of all operands
    """
    constants: dict[Storage, int] = {}
    body, size, moved = more
    given = [(call, completed(lowering, call)) for call in calls]
    for _, operands in given:
        for each in operands:
            if isinstance(each, ValuePlace) and each.storage.constant is not None:
                constants.setdefault(each.storage, len(advance) + len(constants))
    lowering.constants += constants
    count = len(advance) + len(constants)

    def operand(place: ValuePlace) -> RepeatedOperand:
        if place.storage in constants:
            return RepeatedOperand(constants[place.storage], place.offset)
        if place.storage.slot is None:
            return RepeatedOperand(count, place.storage.offset + place.offset)
        at = slots[place.storage.slot]
        return RepeatedOperand(at, place.offset, advance[at])

    steps = tuple(
        RepeatedStep(
            call.entry,
            tuple(operand(each) if isinstance(each, ValuePlace) else each for each in operands),
            call.name,
            tuple(map(operand_array, operands)),
        )
        for call, operands in given
    )
    names = ", ".join(dict.fromkeys(step.name for step in steps))
    places = tuple(ValuePlace(each, 0, TensorType((each.bytes,), _BYTE), (1,)) for each in constants)
    return LoweredMembers(body, rows_members(steps, count, size, moved), f"rows x ({names})", places)


def copy_rows(lowering: Lowering, source: ValuePlace, to: ValuePlace) -> None:
    """Add a step that copies an array of the rows of the call. Raises RowsRefused for one with several axes of them."""
    shape, pair = source.kind.shape, (source, to)
    counted = [axis for axis, extent in enumerate(shape) if lowering.counted(extent)]
    if len(counted) != 1:
        raise RowsRefused("copy: an array with several axes of the call's rows")
    (row,), rows = counted, lowering.rows
    around = [axis for axis in range(len(shape)) if axis != row and any(map(lowering.counted, _apart(pair, axis)))]
    inner = [row, *(axis for axis in range(len(shape)) if axis not in (row, *around))]
    kind = TensorType((shape[row] // rows, *(shape[axis] for axis in inner[1:])), source.kind.dtype)
    parts = [
        ValuePlace(Storage(0, slot), 0, kind, tuple(each.strides[axis] for axis in inner))
        for slot, each in enumerate(pair)
    ]
    trips = tuple(shape[axis] for axis in around)
    apart = tuple(
        tuple(
            (0, step // rows) if lowering.counted(step) else (step, 0) for step in (each.steps[axis] for axis in around)
        )
        for each in pair
    )
    begin = tuple(each.offset // rows if lowering.counted(each.offset) else 0 for each in pair)
    key = "copy", kind, *(each.strides for each in parts), trips, apart, begin
    made = lowering.members.get(key)
    if made is None:
        array = fake(kind.shape, parts[0].strides, kind.dtype)
        try:
            job = permutation(Reordered(*moved("x", array, parts[1].steps), lowering.target))
        except UnsupportedError as error:
            raise RowsRefused(f"copy: {error}") from None
        call = PlannedStep(job, tuple(parts), (parts[1],), "copy", lowering.unit)
        advance = [each.steps[0] * kind.shape[0] for each in parts]
        made = _loop(lowering, [call], {0: 0, 1: 1}, advance, (None, 0, 2 * kind.bytes))
        rest = len(made.constants)
        entry = made.entry._replace(
            around=trips, apart=(*apart, *((((0, 0),) * len(trips),) * rest)), begin=(*begin, *(0,) * rest)
        )
        made = made._replace(entry=entry)
        lowering.members[key] = made
    source, to = (each._replace(offset=0) if first else each for each, first in zip(pair, begin))
    lowering.step(made.entry, [source, to, *made.constants], [to], "copy")


def _apart(pair: Sequence[ValuePlace], axis: int) -> list[int]:
    """Return the elements between neighbours along an axis, of two arrays."""
    return [each.strides[axis] for each in pair]
