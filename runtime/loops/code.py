"""The loops of a nest as plain frozen data: what `grammar` makes of a string and `emission` turns into machine code.

Indices are named. Besides those of loops there are three that every nest has: WORKER, the number of the worker that
runs the job, WORKERS, how many there are, both known only at run time; and the position of the job in a grid, one for
each axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ...encoder.records import dataclass

if TYPE_CHECKING:
    from ..kernel.callable import Kernel

WORKER, WORKERS = "@worker", "@workers"
AXES = "RCL"
"""Rows, columns and layers of a grid of workers."""


@dataclass(frozen=True)
class Affine:
    """constant + sum of coefficient * index."""

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
        """The number that it is where the indices have these values."""
        return self.constant + sum(factor * indices[name] for name, factor in self.terms)

    def __str__(self) -> str:
        parts = [f"{factor} {name}" if factor != 1 else name for name, factor in self.terms]
        parts += [str(self.constant)] if self.constant or not parts else []
        return " + ".join(parts)


def affine(value: Affine | int) -> Affine:
    """A number as an affine form without terms."""
    return value if isinstance(value, Affine) else Affine(value)


def index(name: str) -> Affine:
    """The value of an index."""
    return Affine(0, ((name, 1),))


@dataclass(frozen=True)
class Header:
    """for index in range(start, min(stop), step), of `trips` iterations where no bound but the first clips it."""

    index: str
    start: Affine
    stop: tuple[Affine, ...]
    step: int
    trips: int


@dataclass(frozen=True)
class Loop:
    """A loop that the worker runs in full or, with an axis, the part of its position on the grid."""

    header: Header
    body: tuple[Node, ...]
    axis: str = ""


@dataclass(frozen=True)
class Share:
    """Collapsed loops, innermost last, whose iterations are dealt out among all workers.

    schedule    "static": one run of neighbouring iterations each; "turns": `chunk` iterations in turn, worker by
                worker; "whole": every worker has all of them
    curve       whether the iterations of the two loops follow one another along a Hilbert curve
    """

    headers: tuple[Header, ...]
    body: tuple[Node, ...]
    schedule: str = "static"
    chunk: int = 1
    curve: bool = False


@dataclass(frozen=True)
class Grid:
    """The body once for each cell of a grid: cell g is run by worker g mod workers, so no cell is left out.

    ways    (axis, how many, or 0: as many as the number of workers gives) in the order of AXES; at most one has 0
    """

    ways: tuple[tuple[str, int], ...]
    body: tuple[Node, ...]


@dataclass(frozen=True)
class When:
    """The body where left <condition> 0; conditions are "==", "!=", "<", "<=", ">" and ">="."""

    left: Affine
    condition: str
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Address:
    """The address in `operands[operand]`, and bytes that are added to it."""

    operand: int
    offset: Affine = Affine()


@dataclass(frozen=True)
class Call:
    """kernel(arguments...): pointers are addresses, all other arguments are numbers, affine where they change."""

    kernel: Kernel
    arguments: tuple[Address | Affine, ...]


@dataclass(frozen=True)
class Barrier:
    """All workers reach this place before one goes on: `operands[operand]` is the address of a function
    void barrier(void *state), operands[operand + 1] its state. One worker alone does not call it."""

    operand: int


Node: TypeAlias = "Loop | Share | Grid | When | Call | Barrier"


def calls(nodes: tuple[Node, ...]) -> list[Call]:
    """All calls of a nest, in the order of its text."""
    found: list[Call] = []
    for node in nodes:
        if isinstance(node, Call):
            found.append(node)
        elif not isinstance(node, Barrier):
            found += calls(node.body)
    return found


def inner(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """All nodes, also those inside others."""
    for node in nodes:
        yield node
        if not isinstance(node, (Call, Barrier)):
            yield from inner(node.body)


def has_barriers(nodes: tuple[Node, ...]) -> bool:
    """Whether workers wait for each other."""
    return any(isinstance(node, Barrier) for node in inner(nodes))


def is_parallel(nodes: tuple[Node, ...]) -> bool:
    """Whether anything is dealt out among workers."""
    return any(isinstance(node, Grid) or isinstance(node, Share) and node.schedule != "whole" for node in inner(nodes))


def placed(nodes: tuple[Node, ...], places: Mapping[int, int]) -> tuple[Node, ...]:
    """The same nodes with other places of operands."""
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Barrier):
            made.append(Barrier(places[node.operand]))
        elif isinstance(node, Call):
            moved = (Address(places[each.operand], each.offset) if isinstance(each, Address) else each
                     for each in node.arguments)  # fmt: skip
            made.append(Call(node.kernel, tuple(moved)))
        else:
            made.append(replace(node, body=placed(node.body, places)))
    return tuple(made)


def without_barriers(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same nodes for one worker that runs them all."""
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Call):
            made.append(node)
        elif not isinstance(node, Barrier):
            made.append(replace(node, body=without_barriers(node.body)))
    return tuple(made)
