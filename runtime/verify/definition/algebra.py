"""The algebras in which requests are evaluated: what their elements are, and what the operations on them do.

Two of them compute every element bit for bit, in the type and in the order that the request says (`Algebra`):

    NodeAlgebra(table, nodes, target, numbers)     elements are nodes of a table: the algebra of proofs
    NumberAlgebra(arrays, numbers, target)         elements are numbers, and numpy computes

The others are rings, for sums and products of elements, whose order a request leaves open (`Ring`):

    field(point, nodes)                         values at a random point of a finite field: the algebra of proofs
    reals(arrays), sizes(arrays)                f64, and the magnitudes that bound what rounding may change
    whole(arrays), whole(arrays, least)         integers and fractions of Python, which are exact, and magnitudes

A definition is a function of a request and an algebra. It reads operands by their names, and returns its results by
theirs: the bytes of their elements along a last axis (`values.encoded`), or elements of the ring.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from ....emulation.numerics.expressions import NUMPY, SEMANTICS
from ....emulation.symbolic import movements as movements  # numpy's functions on elements
from ....emulation.symbolic import primitives as primitives
from ....emulation.symbolic.exact import OPERATIONS
from ....emulation.symbolic.lanes import Lanes
from ....emulation.symbolic.masks import bits_of, packed
from ....emulation.symbolic.reals import PRIME, Point
from ....emulation.symbolic.values import Table, encoded
from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ....microkernels.codegen.selection import arithmetic_of
from ....microkernels.dtypes import DTYPES
from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.coordinates import number_word
from ....microkernels.expr.graph import Expr, program
from ....microkernels.expr.program import Program
from ....microkernels.machines.registry import facts_of
from .conversions import NUMPY_TYPES, loaded
from .programs import scaled

Array = np.ndarray[Any, Any]


class Algebra:
    """An algebra that computes every element bit for bit. Its elements are those of a table, of which numbers are the
    constants: numpy computes with these.

    names       the operands that may be read
    arrays      operands whose elements are numbers in any algebra: indices and offsets
    numbers     the values of the request's numbers
    target      the machine whose form open choices have; None for the operations of emulation/numerics/expressions.py
    """

    def __init__(
        self,
        table: Table,
        names: Collection[str],
        arrays: Mapping[str, Array],
        numbers: Mapping[str, int],
        target: Target | None,
        tables: int = 0,
    ) -> None:
        self.table, self.names, self.arrays = table, names, arrays
        self.numbers, self.target, self.tables = numbers, target, tables
        self.given = dict[str, Array]()
        facts = None if target is None else facts_of(target)
        self.facts, self.rounds_twice = facts, facts is not None and facts.multiply_add > 1
        self.operations = SEMANTICS if target is None else SEMANTICS | OPERATIONS[target.arch]

    def having(self, given: Mapping[str, Array]) -> Algebra:
        """Return the algebra with the bytes of some operands given."""
        made = copy(self)
        made.given = {**self.given, **given}
        return made

    def raw(self, name: str, size: int) -> Array:
        """Return the bytes of the elements of an operand, along a last axis."""
        return self.given[name] if name in self.given else self._read(name, size)

    def _read(self, name: str, size: int) -> Array:
        """Return the bytes of an operand that is not given."""
        return encoded(self.arrays[name])

    def stored(self, name: str, dtype: str) -> Lanes:
        """Return the elements of an operand in the type of its memory."""
        own = np.dtype(NUMPY_TYPES[dtype])
        return Lanes(self.raw(name, own.itemsize), own, self.table)

    def lanes(self, raw: Array, dtype: np.dtype[Any]) -> Any:
        """Return elements of the computed type from their bytes."""
        return Lanes(raw, dtype, self.table)

    def loaded(self, name: str, dtype: str, to: np.dtype[Any]) -> Any:
        """Return the elements of an operand, converted to the computed type."""
        return loaded(self.stored(name, dtype), dtype, to)

    def run(self, op: str, *operands: Any) -> Any:
        """Apply an operation of the expression language."""
        return self.operations[op](*operands, value=None)

    def multiply_add(self, a: Any, b: Any, total: Any) -> Any:
        """Return a * b + total, rounded as the machine does: once, or the product too."""
        return self.run("add", total, self.run("mul", a, b)) if self.rounds_twice else self.run("fma", a, b, total)

    def program(self, numerics: str, expanded: Callable[[int], Sequence[Expr]]) -> Program:
        """Return the program of expressions, with open choices made as the machine makes them. `expanded` returns them
        from how many f32 a table lookup holds, with functions expanded."""
        if self.facts is None:
            return program(*expanded(self.tables))
        arithmetic = arithmetic_of(self.facts, numerics)
        return program(*scaled(expanded(arithmetic.tables), arithmetic))

    def word(self, name: str, word: int) -> Any:
        """Return the low (0) or high (1) 32 bits of a number that the call gives."""
        return np.array([self.numbers[name] >> 32 * word & 0xFFFFFFFF], np.uint32).view(np.int32)

    def words(self, program: Any) -> dict[str, Any]:
        """Return the inputs of a program that are words of numbers."""
        found = ((name, number_word(name)) for name, _ in program.inputs)
        return {name: self.word(*word) for name, word in found if word is not None}

    def conditions(self, name: str, columns: int) -> Any:
        """Return the bits of the bytes of an operand as conditions, cut to `columns` per row."""
        return bits_of(self.raw(name, 1)[..., 0], self.table)[:, :columns]

    def packed(self, value: Any, rows: int, columns: int) -> Array:
        """Return conditions as bits packed into whole bytes for each row. The bits after the last element are zero."""
        if not isinstance(value, Lanes):
            whole = np.broadcast_to(np.asarray(value), (rows, columns))
            return encoded(np.packbits(whole, axis=1, bitorder="little"))
        every = np.full((rows, -(-columns // 8) * 8, 1), -1, np.int64)
        every[:, :columns] = np.broadcast_to(value.raw, (rows, columns, 1))
        nodes = self.table.nodes_of(every).reshape(rows, -(-columns // 8), 8)
        made = [[packed(self.table, conditions) for conditions in row] for row in nodes.tolist()]
        return self.table.bytes_of(np.array(made, np.int64).reshape(nodes.shape[:2]), 1)


class NodeAlgebra(Algebra):
    """Elements are nodes of a table. `nodes` holds the node of each element of each operand, with a last axis of length
    one, and those of numbers that may be any."""

    def __init__(
        self,
        table: Table,
        nodes: Mapping[str, Array],
        target: Target | None = None,
        numbers: Mapping[str, int] = MappingProxyType({}),
        arrays: Mapping[str, Array] | None = None,
    ) -> None:
        super().__init__(table, nodes.keys(), arrays or {}, numbers, target)
        self.nodes = nodes

    def _read(self, name: str, size: int) -> Array:
        return self.table.bytes_of(self.nodes[name][..., 0], size)

    def word(self, name: str, word: int) -> Any:
        """Return the words of a number as nodes if it may be any."""
        if name not in self.nodes:
            return super().word(name, word)
        return Lanes(self.table.bytes_of(self.nodes[name][word : word + 1], 4), np.int32, self.table)


class NumberAlgebra(Algebra):
    """Elements are numbers. `arrays` holds the operands as they are before the call.

    target      None: choices that a request leaves open are made as numpy makes them, not as a machine does
    tables      then: how many f32 the machine's table lookup instruction holds; functions may choose their form by it
    """

    def __init__(
        self,
        arrays: Mapping[str, Array],
        numbers: Mapping[str, int] | None = None,
        target: Target | None = None,
        tables: int = 0,
    ) -> None:
        super().__init__(Table(), arrays.keys(), arrays, numbers or {}, target, tables)

    def loaded(self, name: str, dtype: str, to: np.dtype[Any]) -> Any:
        """Return the elements of an operand, converted to the computed type, as an array."""
        return np.asarray(super().loaded(name, dtype, to))

    def lanes(self, raw: Array, dtype: np.dtype[Any]) -> Any:
        """Return elements of the computed type from their bytes, as an array."""
        return np.asarray(super().lanes(raw, dtype))

    def conditions(self, name: str, columns: int) -> Array:
        """Return the bits of the bytes of an operand as truth values."""
        return np.unpackbits(self.arrays[name], axis=-1, count=columns, bitorder="little").astype(bool)


def nodes_of(value: Any, shape: tuple[int, ...], table: Table) -> Array:
    """Return the nodes of a value, broadcast to a shape."""
    raw = raw_of(value)
    return table.nodes_of(np.ascontiguousarray(np.broadcast_to(raw, (*shape, raw.shape[-1]))))


def raw_of(value: Any) -> Array:
    """Return the bytes of a value."""
    return value.raw if isinstance(value, Lanes) else encoded(np.asarray(value))


def type_of(dtype: str, name: str) -> np.dtype[Any]:
    """Return numpy's type for a computed type. Raise UnsupportedError for a type in which nothing is computed."""
    if dtype not in NUMPY:
        raise UnsupportedError(f"verify: {name}: {dtype} has no specification yet; {', '.join(NUMPY)} have one")
    return NUMPY[dtype]


# Rings


class Ring(NamedTuple):
    """Elements that are added and multiplied in any order.

    names       the operands
    matrix      returns the elements of an operand from its name and type
    constant    returns a factor of the request
    settled     returns values in the form in which equal ones are the same
    dtype       numpy's type of the elements
    """

    names: Collection[str]
    matrix: Callable[[str, str], Array]
    constant: Callable[..., Any]
    settled: Callable[[Array], Array] = lambda values: values
    dtype: type = object


def value_of(dtype: str) -> Callable[[Point, int], int]:
    """Return the function that evaluates an element of a type at a point."""
    if DTYPES[dtype].real:
        return lambda point, node: point.real(node, dtype)
    kind = "u" if dtype[0] == "u" else "i"
    return lambda point, node: point.integers.number(node, kind)


def values_of(point: Point, nodes: Array, dtype: str) -> Array:
    """Return the values of elements at a point."""
    value = value_of(dtype)
    return _objects([value(point, node) for node in nodes.reshape(-1).tolist()], nodes.shape)


def field(point: Point, nodes: Mapping[str, Array]) -> Ring:
    """Return the values of nodes at a random point."""

    def matrix(name: str, dtype: str) -> Array:
        return values_of(point, nodes[name][..., 0], dtype)

    return Ring(nodes.keys(), matrix, point.constant, lambda values: np.asarray(values % PRIME))


def reals(arrays: Mapping[str, Array]) -> Ring:
    """Return numbers as f64."""
    return Ring(arrays.keys(), lambda name, dtype: arrays[name].astype(np.float64), float, dtype=float)


def sizes(arrays: Mapping[str, Array], finite: bool = False) -> Ring:
    """Return magnitudes as f64, whose sums no partial sum exceeds. `finite`: with 0 in the place of infinities,
    and no factor below 1 of what is added before it is scaled."""

    def matrix(name: str, dtype: str) -> Array:
        made = np.abs(arrays[name].astype(np.float64))
        return np.where(np.isfinite(made), made, 0.0) if finite else made

    return Ring(arrays.keys(), matrix, lambda value: max(abs(float(value)), float(finite)), dtype=float)


def whole(arrays: Mapping[str, Array], least: int | None = None) -> Ring:
    """Return whole numbers as integers and fractions of Python, which are exact; or magnitudes. `least` is that of
    a zero: 1 if they are multiplied, as a partial product may come before the zero."""

    def matrix(name: str, dtype: str) -> Array:
        values = [int(each) for each in arrays[name].astype(np.float64).reshape(-1).tolist()]
        return _objects(values if least is None else [max(abs(each), least) for each in values], arrays[name].shape)

    return Ring(arrays.keys(), matrix, Fraction)


def _objects(values: list[int], shape: tuple[int, ...]) -> Array:
    made: Array = np.empty(len(values), object)
    made[:] = values
    return made.reshape(shape)
