"""The loops of a nest as plain frozen data: `grammar` makes them from a string, `emission` makes machine code.

Indices have names. Besides those of the loops, every nest has WORKER, the number of the worker that runs the job,
WORKERS, the number of workers (both known only at run time), and the position of the job in a grid, one index per axis.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ...encoder.records import dataclass

if TYPE_CHECKING:
    from ..kernel.callable import Kernel

WORKER, WORKERS = "@worker", "@workers"
AXES = "RCL"
"""The axes of a grid of workers: rows, columns and layers."""
_COUNTS = "count", "m"
"""The names of arguments that say how many pairs, products or rows a call has."""
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Affine:
    """An affine form: constant + sum of coefficient * index."""

    constant: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: Affine | int) -> Affine:
        other = affine(other)
        factors = dict(self.terms)
        for name, factor in other.terms:
            factors[name] = factors.get(name, 0) + factor
        return Affine(self.constant + other.constant, tuple((name, f) for name, f in factors.items() if f))

    def __mul__(self, factor: int) -> Affine:
        return Affine(self.constant * factor, tuple((name, f * factor) for name, f in self.terms if factor))

    def __sub__(self, other: Affine | int) -> Affine:
        return self + affine(other) * -1

    def value(self, indices: Mapping[str, int]) -> int:
        """Return the value of the form for these values of the indices."""
        return self.constant + sum(factor * indices[name] for name, factor in self.terms)

    def __str__(self) -> str:
        shown = "".join(_signed(factor, name) for name, factor in self.terms)
        shown += _signed(self.constant) if self.constant or not shown else ""
        return f"-{shown[3:]}" if shown.startswith(" -") else shown[3:]


def _signed(factor: int, name: str = "") -> str:
    """Return a term with the sign that joins it to the terms before it."""
    size = [str(abs(factor))] if abs(factor) != 1 or not name else []
    return f" {'-' if factor < 0 else '+'} {' '.join([*size, *([name] if name else [])])}"


def affine(value: Affine | int) -> Affine:
    """Return a number as an affine form without terms."""
    return value if isinstance(value, Affine) else Affine(value)


def index(name: str) -> Affine:
    """Return the affine form that is the value of an index."""
    return Affine(0, ((name, 1),))


@dataclass(frozen=True)
class Header:
    """A loop header: for index in range(start, min(stop), step). There are `trips` iterations unless a bound other than
    the first clips them."""

    index: str
    start: Affine
    stop: tuple[Affine, ...]
    step: int
    trips: int


@dataclass(frozen=True)
class Loop:
    """A loop that each worker runs in full. With an axis, each worker runs the part that belongs to its position on the
    grid."""

    header: Header
    body: tuple[Node, ...]
    axis: str = ""


@dataclass(frozen=True)
class Share:
    """Collapsed loops, innermost last, whose iterations are divided among all workers.

    schedule   "static": each worker has one run of neighbouring iterations; "turns": workers take `chunk` iterations in
               turn; "claims": a worker that has nothing to do claims the next `chunk` iterations; "whole": every worker
               has all iterations
    curve      whether the iterations of the two loops follow a Hilbert curve
    team       of claims: the operand that a `Barrier` would name. `operands[team + 2]` is the address of a function
               long claim(void *state), which returns 0, 1, 2 and so on, each number to one worker. A single worker does
               not call it
    """

    headers: tuple[Header, ...]
    body: tuple[Node, ...]
    schedule: str = "static"
    chunk: int = 1
    curve: bool = False
    team: int = -1


@dataclass(frozen=True)
class Grid:
    """Run the body once for each cell of a grid. Worker g mod workers runs cell g, so no cell is left out.

    ways   (axis, extent) in the order of AXES. An extent of 0, allowed once, is as large as the number of workers
           permits
    """

    ways: tuple[tuple[str, int], ...]
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Group:
    """Run the body by some of the workers: those from workers * begin // of on, below workers * end // of, but at least
    one. The loops inside are divided among them alone, and no barrier is inside. Neighbouring groups, the end of one of
    which is the begin of the next one, have a worker in common only if there are too few for each to have its own."""

    begin: int
    end: int
    of: int
    body: tuple[Node, ...]


@dataclass(frozen=True)
class When:
    """Run the body if left <condition> 0. The conditions are "==", "!=", "<", "<=", ">" and ">="."""

    left: Affine
    condition: str
    body: tuple[Node, ...]

    def holds(self, indices: Mapping[str, int]) -> bool:
        """Whether the condition holds for these values of the indices."""
        return COMPARISONS[self.condition](self.left.value(indices), 0)


@dataclass(frozen=True)
class Address:
    """The address in `operands[operand]` plus a byte offset, and for masks the bytes of an offset in bits, which is a
    multiple of 8 and not negative."""

    operand: int
    offset: Affine = Affine()
    bits: Affine = Affine()


@dataclass(frozen=True)
class Constants:
    """Numbers of 64 bits in the constants of the code; the argument is their address."""

    data: bytes

    def __str__(self) -> str:
        return f"a table of {len(self)}"

    def __len__(self) -> int:
        return len(self.data) // 8


@dataclass(frozen=True)
class Call:
    """A call of a kernel. Pointer arguments are addresses and tables; the others are numbers, in affine form if they
    change."""

    kernel: Kernel
    arguments: tuple[Address | Affine | Constants, ...]


@dataclass(frozen=True)
class Load:
    """Read neighbouring words from a table in memory. They are the values of these indices in the body: places of
    operands, bounds of loops, numbers of rows. `operands[operand]` is the address of the table, `place` a byte offset.
    Whoever fills the table checks it, and lets nobody write there; the code checks nothing.

    bounds   the least and the greatest value of each index, as the owner of the table states them; none if it does not
    bytes    of a word, 8 or 4. Words of 4 bytes are not negative
    """

    indices: tuple[str, ...]
    operand: int
    place: Affine
    body: tuple[Node, ...]
    bounds: tuple[tuple[int, int], ...] = ()
    bytes: int = 8


@dataclass(frozen=True)
class Barrier:
    """All workers reach this place before one goes on. `operands[operand]` is the address of a function void
    barrier(void *state), `operands[operand + 1]` its state. A single worker does not call it."""

    operand: int


Node: TypeAlias = "Loop | Share | Grid | Group | When | Load | Call | Barrier"


def calls(nodes: tuple[Node, ...]) -> list[Call]:
    """Return all calls of a nest in the order of its text."""
    found: list[Call] = []
    for node in nodes:
        if isinstance(node, Call):
            found.append(node)
        elif not isinstance(node, Barrier):
            found += calls(node.body)
    return found


def inner(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Yield all nodes, nested ones included."""
    for node in nodes:
        yield node
        if not isinstance(node, (Call, Barrier)):
            yield from inner(node.body)


def has_barriers(nodes: tuple[Node, ...]) -> bool:
    """Whether workers wait for each other."""
    return any(isinstance(node, Barrier) for node in inner(nodes))


def claims(nodes: tuple[Node, ...]) -> list[Share]:
    """Return the loops whose iterations workers claim as they come."""
    return [node for node in inner(nodes) if isinstance(node, Share) and node.schedule == "claims"]


def is_parallel(nodes: tuple[Node, ...]) -> bool:
    """Whether any iterations are divided among workers."""
    return any(isinstance(node, Grid) or isinstance(node, Share) and node.schedule != "whole" for node in inner(nodes))


def placed(nodes: tuple[Node, ...], places: Mapping[int, int | Address | Affine]) -> tuple[Node, ...]:
    """Return the same nodes with other operands. `places` says for each position of an operand which one takes its
    place: the one at another position, the address of another one plus an offset, or a number in place of a number."""
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Barrier):
            made.append(Barrier(_moved(Address(node.operand), places).operand))
        elif isinstance(node, Call):
            moved = (_argument(each, places) if isinstance(each, Address) else each for each in node.arguments)
            made.append(Call(node.kernel, tuple(moved)))
        elif isinstance(node, Load):
            table = _moved(Address(node.operand, node.place), places)
            made.append(replace(node, operand=table.operand, place=table.offset, body=placed(node.body, places)))
        elif isinstance(node, Share) and node.schedule == "claims":
            team = _moved(Address(node.team), places).operand
            made.append(replace(node, team=team, body=placed(node.body, places)))
        else:
            made.append(replace(node, body=placed(node.body, places)))
    return tuple(made)


def _argument(given: Address, places: Mapping[int, int | Address | Affine]) -> Address | Affine:
    number = places[given.operand]
    return number + given.offset if isinstance(number, Affine) else replace(_moved(given, places), bits=given.bits)


def _moved(given: Address, places: Mapping[int, int | Address | Affine]) -> Address:
    place = places[given.operand]
    if isinstance(place, Affine):
        raise ValueError(f"operand {given.operand}: an address, not the number {place}")
    to = Address(place) if isinstance(place, int) else place
    return Address(to.operand, to.offset + given.offset)


def without_barriers(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the same nodes without barriers, for one worker that runs them all."""
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Call):
            made.append(node)
        elif not isinstance(node, Barrier):
            made.append(replace(node, body=without_barriers(node.body)))
    return tuple(made)


def by_one(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the same nodes for a single worker of several, whichever it is: it has all iterations, also those of the
    first worker only, and waits for nobody. Raises ValueError for other nodes that say themselves which worker runs
    them."""
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Call):
            made.append(node)
        elif isinstance(node, When) and (node.left, node.condition) == (index(WORKER), "=="):
            made += by_one(node.body)
        elif isinstance(node, Grid) or isinstance(node, When) and WORKER in dict(node.left.terms):
            raise ValueError("these loops say which worker runs them, so no other one may run them alone")
        elif isinstance(node, Group):
            made += by_one(node.body)
        elif isinstance(node, Share):
            made.append(replace(node, schedule="whole", body=by_one(node.body)))
        elif not isinstance(node, Barrier):
            made.append(replace(node, body=by_one(node.body)))
    return tuple(made)


def estimate(nodes: tuple[Node, ...], of: Callable[[Kernel], float], trips: Mapping[str, int] | None = None) -> float:
    """Return the sum over all calls of what `of` returns for a kernel, roughly: loops are not clipped, and of the
    conditions only those that one index has one value are considered. `trips` are those of the loops around."""
    total, known = 0.0, trips or {}
    for node in nodes:
        if isinstance(node, Call):
            total += of(node.kernel) * math.prod(_repeats(node))
        elif isinstance(node, When):
            names = [name for name, _ in node.left.terms]
            share = known.get(names[0], 1) if node.condition == "==" and len(names) == 1 else 1
            total += estimate(node.body, of, known) / share
        elif isinstance(node, (Grid, Group, Load)):
            total += estimate(node.body, of, known)
        elif not isinstance(node, Barrier):
            inside = {each.index: each.trips for each in _headers(node)}
            total += estimate(node.body, of, {**known, **inside}) * math.prod(inside.values())
    return total


def operations(nodes: tuple[Node, ...], indices: Mapping[str, int]) -> int:
    """Return the number of arithmetic operations of a worker that runs all iterations. `indices` are the values of the
    indices that the nodes are inside of, and of WORKER."""
    total = 0
    for node in nodes:
        if isinstance(node, Load):
            raise ValueError(f"{node.indices[0]} is read from memory: the number of operations is not known here")
        if isinstance(node, Call):
            total += node.kernel.flops * math.prod(_repeats(node))
        elif isinstance(node, (Grid, Group, When)):
            happens = not isinstance(node, When) or node.holds(indices)
            total += operations(node.body, indices) if happens else 0
        elif not isinstance(node, Barrier):
            total += sum(_iterated(_headers(node), each, indices) for each in node.body)
    return total


def _iterated(headers: tuple[Header, ...], body: Node, indices: Mapping[str, int]) -> int:
    """Return the operations of loops inside each other. If nothing inside depends on the index of a loop, one of its
    iterations counts for all."""
    if not headers:
        return operations((body,), indices)
    (loop, *more), total = headers, 0
    values = range(loop.start.value(indices), min(each.value(indices) for each in loop.stop), loop.step)
    differ = loop.index in {name for form in _forms(tuple(more), body) for name, _ in form.terms}
    for value in values if differ else values[:1]:
        total += _iterated(tuple(more), body, {**indices, loop.index: value})
    return total if differ else total * len(values)


def _forms(headers: tuple[Header, ...], body: Node) -> Iterator[Affine]:
    """Yield the forms on which the number of iterations and of calls depends."""
    for node in inner((body,)):
        if isinstance(node, When):
            yield node.left
        elif isinstance(node, (Loop, Share)):
            headers += _headers(node)
    for loop in headers:
        yield from (loop.start, *loop.stop)


def _headers(node: Loop | Share) -> tuple[Header, ...]:
    return (node.header,) if isinstance(node, Loop) else node.headers


def _repeats(call: Call) -> list[int]:
    """Return the number of pairs, products or rows of a call, for kernels that count the operations of one. It is the
    same in all iterations."""
    if not any(isinstance(each, Affine) for each in call.arguments):
        return []
    names = [name for _, name in call.kernel.kind.parameters(call.kernel.spec)]
    return [each.constant for name, each in zip(names, call.arguments) if name in _COUNTS and isinstance(each, Affine)]


# Cutting a dimension into blocks


@dataclass(frozen=True)
class Piece:
    """The full blocks of a dimension in a loop, or its remainder."""

    start: Affine
    loop: Header | None

    def around(self, body: list[Node]) -> list[Node]:
        return [Loop(self.loop, tuple(body))] if self.loop else body


def pieces(name: str, extent: int, block: int) -> Iterator[tuple[Piece, int]]:
    """Yield the full blocks of a dimension with their extent, and the remainder with its own, if there is one."""
    whole = extent // block * block
    if whole:
        yield Piece(index(name), Header(name, affine(0), (affine(whole),), block, whole // block)), block
    if whole < extent:
        yield Piece(affine(whole), None), extent - whole


def blocks_of(name: str, extent: int, block: int) -> Header:
    """Return the loop over all blocks of a dimension, the last of which may be smaller: see `cases`."""
    return Header(name, affine(0), (affine(extent),), block, -(-extent // block))


def once(nodes: Sequence[Node]) -> Share:
    """Return nodes that one worker runs. Nodes that are dealt to nobody are run by every worker."""
    return Share((blocks_of("once", 1, 1),), tuple(nodes))


Case = Callable[[list[Node]], list[Node]]


def cases(name: str, extent: int, block: int) -> Iterator[tuple[Case, int]]:
    """Yield a wrapper and an extent for full blocks, and another for the last block if it is smaller. A wrapper puts
    nodes under the condition that selects such blocks."""
    whole, rest = extent // block * block, extent % block
    if not rest:
        yield list, block
        return
    if whole:
        yield lambda nodes: [When(index(name) - whole, "<", tuple(nodes))], block
    yield (lambda nodes: [When(index(name) - whole, "==", tuple(nodes))] if whole else nodes), rest
