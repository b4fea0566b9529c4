"""Programs of any number of rows, lowered once.

A program whose inputs have a number of rows that each call gives is built, as a graph, for two numbers that stand in
for it, and both graphs are lowered. If they become the same steps, with the same numbers but for the sizes of arrays,
which are multiples of the rows, then these steps compute the program for any number of rows: their kernels take rows
of the call, and the executor reads from tables how many there are. Otherwise the program is refused, with the reason.

A call of a new number of rows builds its graph, which is compared with the one that was lowered. So what looks at the
number itself, such as a slice that ends where the array does, is found at each number, and costs no machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from ...microkernels.errors import UnsupportedError
from ...microkernels.tuning.products import PROGRAMS
from ..arguments.arrays import Array, address_of
from ..executor.buffers import assigned
from ..executor.rows import ROWS, rounded
from ..executor.run import Executor, GraphSlot
from ..executor.steps import ArenaPart, GraphStep, PythonEntry
from ..host import detect as host
from .compiled import CompiledGraph, simplified
from .lower import explained, lowered, settled
from .lowering import Lowering, arranged, lives_of
from .on_arrays import OnArrays
from .program import Explanation, GraphProgram
from .storage import Storage, ValuePlace, extent_of
from .values import GraphNode, GraphValue, RowsRefused, TensorGraph, TensorType
from .views import contiguous

if TYPE_CHECKING:
    from ..api.typed import TargetLike


class RowsProgram:
    """A program that was lowered once, for calls of any number of rows.

    of(graph, rows)   the program for so many rows, whose graph this is; None if it is another program
    """

    def __init__(
        self, graph_of: Callable[[int], TensorGraph], threads: int | None = None, target: TargetLike = None
    ) -> None:
        """Lower the graphs that a function returns for numbers of rows. Raises RowsRefused."""
        self.threads, self.target = threads, host.resolve(target)
        for numbers in PROGRAMS.stand_ins:
            one, other = (_graph(graph_of, rows) for rows in numbers)
            self._counts = _counts(one, other)
            (one, _), (other, _) = (_with_operands(each, self._counts) for each in (one, other))
            reason = difference(one, numbers[0], other, numbers[1])
            if not reason:
                break
        else:
            raise RowsRefused(reason)
        self.rows, self.graph = numbers[0], one
        try:
            first = lowered(simplified(one), threads, self.target, numbers[0])
            second = lowered(simplified(other), threads, self.target, numbers[1], first)
        except UnsupportedError as error:
            raise RowsRefused(str(error)) from None
        counted = _compared(first, second, numbers)
        self._values = dict[int, list[Array]]()
        self.results, self.explanation = first.results, explained(first)
        self._others = second.results
        self.inputs = one.inputs[: len(one.inputs) - len(self._counts)]
        self._place(first, counted)
        constants = [each.constant for each in self._constants if each.constant is not None]
        self.steps = tuple(settled(call, counted) for call in first.calls)
        slots = [
            GraphSlot("arena", self.arena, True),
            *(
                self._slot(
                    value.name, extent_of(value.kind, each), False, bool(value.size and value.size % self.rows == 0)
                )
                for value in self.inputs
                for each in (value.strides or contiguous(value.shape),)
            ),
            *(
                self._slot(f"result {number}", each.storage.bytes, True, each.storage in counted)
                for number, each in enumerate(self.results)
            ),
            *(GraphSlot(f"constant {number}", constant=each) for number, each in enumerate(constants)),
            *(GraphSlot(f"number {at}", table=_NumberOfRows(self._values, at)) for at in range(len(self._counts))),
        ]
        self.executor = Executor(self.steps, slots, threads, self.parts)

    def _slot(self, name: str, size: int, written: bool, counted: bool = False) -> GraphSlot:
        """Return the slot of an argument. counted: whether its size depends on the rows of calls."""
        if not counted:
            return GraphSlot(name, size, written)
        return GraphSlot(name, None, written, per_row=size // self.rows if size % self.rows == 0 else 0)

    def _place(self, lowering: Lowering, counted: set[Storage]) -> None:
        """Give all blocks of memory their places: those of the rows are parts of the arena behind the others."""
        lives, blocks = lives_of(lowering.calls)
        pairs = list(zip(lives, blocks))
        fixed = [(life, block) for life, block in pairs if block not in counted]
        self.arena = arranged([life for life, _ in fixed], [block for _, block in fixed])
        moving = [(life._replace(size=life.size // self.rows), block) for life, block in pairs if block in counted]
        found = assigned([life for life, _ in moving])
        self.parts = tuple(ArenaPart(size, sum(found.sizes[:at])) for at, size in enumerate(found.sizes))
        for (_, block), buffer in zip(moving, found.of):
            block.slot = -1 - buffer
        self._constants = list(dict.fromkeys(lowering.constants))
        for result in lowering.results:
            assert result.storage.slot is not None
            result.storage.slot -= len(self._counts)
        first = 1 + len(self.inputs) + len(self.graph.results)
        given = (lowering.places[value].storage for value in self.graph.inputs[len(self.inputs) :])
        for number, each in enumerate((*self._constants, *given)):
            each.slot = first + number

    def of(self, graph: TensorGraph, rows: int) -> CompiledGraph | None:
        """Return the program for so many rows, which is this graph; None if steps of this program do not compute it, as
        the largest elements of none, or functions of Python on arrays without elements."""
        extreme = (node for node in graph.nodes if node.operator.name in ("max", "min"))
        functions = any(isinstance(step.entry, PythonEntry) for step in self.steps)
        if not rows and (functions or any(not node.operands[0].size and node.results[0].size for node in extreme)):
            return None
        try:
            same, self._values[rows] = _with_operands(graph, self._counts)
        except IndexError:
            return None
        for oldest in list(self._values)[: len(self._values) - PROGRAMS.kept]:
            self._values.pop(oldest, None)
        return None if difference(self.graph, self.rows, same, rows) else SizedGraph(self, same, rows)

    def explain(self) -> Explanation:
        """Return the units of the program, with the kernels that compute them."""
        return self.explanation

    def result(self, number: int, rows: int, kind: TensorType) -> ValuePlace:
        """Return where a result of a call of so many rows lies."""
        one, other = self.results[number], self._others[number]
        strides = tuple(a if a == b else a // self.rows * rows for a, b in zip(one.strides, other.strides, strict=True))
        return ValuePlace(Storage(kind.bytes, one.storage.slot), one.offset, kind, strides)


class SizedGraph(CompiledGraph):
    """A program of any number of rows for calls of one number of them. It has no machine code of its own."""

    def __init__(self, program: RowsProgram, graph: TensorGraph, rows: int) -> None:
        self.graph, self.threads, self.program = graph, program.threads, program
        inputs = graph.inputs[: len(program.inputs)]
        self._inputs = [value.kind for value in inputs]
        self._strides = [value.strides or contiguous(value.shape) for value in inputs]
        self._results = tuple(program.result(number, rows, each.kind) for number, each in enumerate(graph.results))
        self._executor = program.executor.of_rows(rows)
        held = [each.constant for each in self._executor.slots if each.constant is not None]
        arena = program.arena + rounded(rows) * sum(each.bytes for each in program.parts)
        self._program = GraphProgram(
            self._executor, held, self._results, arena, len(program.steps), program.explanation
        )

    @property
    def executor(self) -> Executor:
        """The steps as machine code, for so many rows."""
        return self._executor

    @property
    def steps(self) -> tuple[GraphStep, ...]:
        """The steps."""
        return self.program.steps


def _graph(graph_of: Callable[[int], TensorGraph], rows: int) -> TensorGraph:
    try:
        return graph_of(rows)
    except (UnsupportedError, ValueError, TypeError) as error:
        raise RowsRefused(f"it is no program of {rows} rows: {error}") from None


class _NumberOfRows:
    """The table of a number that depends on the rows of a call, which the graph of each number of rows has.
    `numbers` are those of each."""

    def __init__(self, numbers: Mapping[int, Sequence[Array]], place: int) -> None:
        self._numbers, self._place = numbers, place

    def words(self, rows: int) -> Array:
        """Return the number, an array of one element."""
        return self._numbers[rows][self._place]


# Two graphs


def _counts(one: TensorGraph, other: TensorGraph) -> list[tuple[int, int]]:
    """Return the operands that are another number in another graph: each the number of its node and its own."""
    found = []
    for place, (node, twin) in enumerate(zip(one.nodes, other.nodes)):
        if (
            node.operator.kind != "pointwise"
            or node.operator.name != twin.operator.name
            or node.operator.name == "power"
        ):
            continue
        for at, (mine, its) in enumerate(zip(node.inputs, twin.inputs)):
            if mine is not None and its is not None and None not in (mine.number, its.number):
                found += [(place, at)] if mine.dtype == its.dtype and mine.number != its.number else []
    return found


def _with_operands(graph: TensorGraph, places: Sequence[tuple[int, int]]) -> tuple[TensorGraph, list[Array]]:
    """Return a graph with further inputs in place of numbers, and these numbers. Raises IndexError for a graph without
    numbers there."""
    given, numbers = list[GraphValue](), list[Array]()
    for place, at in places:
        node = graph.nodes[place]
        value = node.inputs[at]
        if value is None or value.constant is None or value.number is None:
            raise IndexError(at)
        given.append(GraphValue(value.kind, f"number {len(given)}"))
        numbers.append(value.constant.reshape(1))
        node.inputs = (*node.inputs[:at], given[-1], *node.inputs[at + 1 :])
    return graph._replace(inputs=(*graph.inputs, *given)), numbers


def difference(one: TensorGraph, rows: int, other: TensorGraph, others: int) -> str:
    """Return how two graphs differ beside their numbers of rows, of which extents and attributes have multiples; "" if
    they do not."""
    if len(one.inputs) != len(other.inputs) or len(one.nodes) != len(other.nodes):
        return "operators that depend on the number of rows"
    same: dict[GraphValue, GraphValue] = {}
    for mine, its in zip(one.inputs, other.inputs):
        if mine.dtype != its.dtype or not _alike((mine.shape, mine.strides), rows, (its.shape, its.strides), others):
            return f"{mine.name}: strides that depend on the number of rows"
        same[mine] = its
    for node, twin in zip(one.nodes, other.nodes):
        name = node.operator.name
        if name != twin.operator.name or len(node.inputs) != len(twin.inputs):
            return "operators that depend on the number of rows"
        if name == "foreign":
            return f"{node.attributes['name']}: a function of Python, whose results have known shapes"
        if not _alike(node.attributes, rows, twin.attributes, others):
            return f"{name}: attributes that depend on the number of rows"
        if not all(_same_value(a, b, same, rows, others) for a, b in zip(node.inputs, twin.inputs)):
            return f"{name}: numbers or constants that depend on the number of rows"
        for mine, its in zip(node.results, twin.results, strict=True):
            if mine.dtype != its.dtype or not _alike(mine.shape, rows, its.shape, others):
                return f"{name}: a shape that is no multiple of the number of rows"
            same[mine] = its
    results = zip(one.results, other.results, strict=True)
    if not all(_same_value(a, b, same, rows, others) for a, b in results):
        return "results that depend on the number of rows"
    return "" if _alike(one.layouts, rows, other.layouts, others) else "strides of results that depend on the rows"


def _same_value(
    mine: GraphValue | None, its: GraphValue | None, same: dict[GraphValue, GraphValue], rows: int, others: int
) -> bool:
    if mine is None or its is None:
        return mine is its
    if mine in same:
        return same[mine] is its
    a, b = mine.constant, its.constant
    return a is not None and b is not None and _same_array(a, b)


def _same_array(one: Array, other: Array) -> bool:
    """Whether two constants are the same."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if address_of(one) == address_of(other) and one.strides == other.strides:
        return True
    return one.nbytes <= PROGRAMS.compared and one.tobytes() == other.tobytes()


def _alike(one: object, rows: int, other: object, others: int) -> bool:
    """Whether shapes, strides or attributes are the same, with as many times the rows where there are any."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(each, rows, other[key], others) for key, each in one.items())
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(_alike(a, rows, b, others) for a, b in zip(one, other))
    if isinstance(one, int) and not isinstance(one, bool) and isinstance(other, int):
        return other == (one // rows * others if one % rows == 0 else one)
    if isinstance(one, float) and isinstance(other, float) and isnan(one):
        return isnan(other)
    return type(one) is type(other) and one == other


# Two lowerings


def _compared(one: Lowering, other: Lowering, numbers: tuple[int, int]) -> set[Storage]:
    """Return the blocks of memory whose sizes are multiples of the rows. Raises RowsRefused unless both lowerings are
    the same steps."""
    if [call.name for call in one.calls] != [call.name for call in other.calls]:
        raise RowsRefused("kernels that depend on the number of rows")
    pairs: dict[Storage, Storage] = {}
    for call, twin in zip(one.calls, other.calls):
        if isinstance(call.entry, ROWS) and call.entry != twin.entry:
            raise RowsRefused(f"{call.name}: distances between elements that depend on the number of rows")
        if isinstance(call.entry, OnArrays) and not _same_function(call.entry, twin.entry):
            raise RowsRefused(f"{call.name}: a function of Python that depends on the number of rows")
        for mine, its in zip(call.operands, twin.operands, strict=True):
            if not isinstance(mine, ValuePlace) or not isinstance(its, ValuePlace):
                if mine != its:
                    raise RowsRefused(f"{call.name}: a number that depends on the rows")
                continue
            if mine.offset != its.offset or pairs.setdefault(mine.storage, its.storage) is not its.storage:
                raise RowsRefused(f"{call.name}: an array whose place depends on the number of rows")
    for mine, its in zip(one.results, other.results):
        pairs.setdefault(mine.storage, its.storage)
    return set(_counted(pairs, numbers))


def _same_function(one: OnArrays, other: object) -> bool:
    """Whether two entries call the same function, on arrays of numbers of rows that are all that differs."""
    if not isinstance(other, OnArrays) or isinstance(one.what, GraphNode) != isinstance(other.what, GraphNode):
        return False
    if isinstance(one.what, GraphNode) and isinstance(other.what, GraphNode):
        if one.what.attributes != other.what.attributes:
            return False
    elif one.what != other.what:
        return False
    places = [(*each.inputs, *each.outputs) for each in (one, other)]
    shapes = [[None if place is None else (*place.kind.shape, *place.strides) for place in each] for each in places]
    return _alike(shapes[0], one.rows, shapes[1], other.rows) if one.rows else shapes[0] == shapes[1]


def _counted(pairs: dict[Storage, Storage], numbers: tuple[int, int]) -> Iterator[Storage]:
    rows, others = numbers
    for mine, its in pairs.items():
        if mine.bytes == its.bytes:
            continue
        apart, step = mine.bytes - its.bytes, rows - others
        known = mine.slot is not None and apart % step == 0  # an argument, whose last row may end before its gap
        if mine.constant is not None or not known and mine.bytes * others != its.bytes * rows:
            raise RowsRefused("an array whose size is no multiple of the number of rows")
        yield mine
