"""Arrays of symbolic elements that the emulator's own semantics compute with: numpy's functions, on nodes.

    a = Lanes(data, np.float32, table)      data: bytes (values.py), of each element along the last axis
    a[::2], np.concatenate([a, b]), np.where(mask, a, 0)      move bytes
    a + b, np.maximum(a, b), fp.fma(a, b, c, env)              make nodes

`Lanes` stands where an array of a register or of memory stands: slices and views of other types write through. What
moves data needs no semantics of its own here, and what computes makes one node for each element; elements that are
constant are computed. Where data would decide (an index, a branch, an address), `Undecided` is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .values import Array, Key, Table, Undecided, decoded, encoded, undecided
from .words import Word

HANDLERS: dict[Any, Callable[..., Any]] = {}
"""numpy's functions on symbolic elements; see `movements`."""
_RESULTS: dict[Key, tuple[Key, tuple[str, ...], str]] = {}


class Lanes(NDArrayOperatorsMixin):
    """An array of symbolic elements."""

    __slots__ = ("raw", "dtype", "table")

    def __init__(self, raw: Array, dtype: Any, table: Table) -> None:
        self.raw, self.dtype, self.table = raw, np.dtype(dtype), table

    # What arrays have

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return tuple(self.raw.shape[:-1])

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self.raw.ndim - 1

    @property
    def itemsize(self) -> int:
        """As of an array."""
        return int(self.dtype.itemsize)

    @property
    def size(self) -> int:
        """As of an array."""
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return len(self.raw)

    def view(self, dtype: Any) -> Lanes:
        """The same bytes as elements of another type; writing to it writes here."""
        dtype = np.dtype(dtype)
        if dtype.itemsize == self.itemsize:
            return Lanes(self.raw, dtype, self.table)
        raw = self.raw.view()
        shape = (*raw.shape[:-2], raw.shape[-2] * raw.shape[-1] // dtype.itemsize, dtype.itemsize)
        try:
            raw.shape = shape
        except AttributeError:  # in another order: what was computed, to which nothing is written
            raw = raw.reshape(shape)
        return Lanes(raw, dtype, self.table)

    def reshape(self, *shape: Any) -> Lanes:
        """As of an array."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        rest = self.size
        for extent in wanted:
            rest //= extent if extent > 0 else 1
        filled = tuple(rest if extent < 0 else extent for extent in wanted)
        return Lanes(self.raw.reshape(*filled, self.raw.shape[-1]), self.dtype, self.table)

    def transpose(self, *axes: int) -> Lanes:
        """As of an array."""
        return Lanes(self.raw.transpose(*axes, self.ndim), self.dtype, self.table)

    def copy(self) -> Lanes:
        """As of an array."""
        return Lanes(self.raw.copy(), self.dtype, self.table)

    def __getitem__(self, index: Any) -> Lanes:
        if isinstance(index, Lanes) and index.dtype != bool and index.concrete() is None:
            made: Lanes = PICKED[0](self, index)
            return made
        return Lanes(self.raw[_index(index)], self.dtype, self.table)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.raw[_index(index)] = -1 if type(value) is int and value == 0 else self.as_raw(value)

    def as_raw(self, value: Any) -> Array:
        """The bytes of a value as elements of this array."""
        if isinstance(value, Lanes):
            return value.astype(self.dtype).raw
        if isinstance(value, Word):
            return np.array(value.bytes(self.itemsize), np.int64)
        return encoded(np.asarray(value).astype(self.dtype, copy=False))

    def fill(self, value: Any) -> None:
        """As of an array."""
        self[:] = value

    def astype(self, dtype: Any, copy: bool = True) -> Lanes:
        """As of an array: a conversion where the type changes."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype or dtype.kind == "V":
            return self
        mine, wanted = self.dtype.kind, dtype.kind
        if mine in "iu" and wanted in "iu" and dtype.itemsize <= self.itemsize:
            return Lanes(self.raw[..., : dtype.itemsize], dtype, self.table)
        if mine in "iu" and wanted in "iu" and (mine == "u" or (self.raw[..., -1] == -1).all()):
            zeros = np.full((*self.shape, dtype.itemsize - self.itemsize), -1, np.int64)
            return Lanes(np.concatenate([self.raw, zeros], axis=-1), dtype, self.table)
        if mine == "V":
            raise Undecided(f"elements of {self.dtype} as {dtype}")
        if mine == wanted == "i" and (inner := self._before_extension()) is not None:
            return inner.astype(dtype)
        key = ("astype", self.dtype.str[1:], dtype.str[1:])
        made: Lanes = apply(key, lambda x: x.astype(dtype), [self], dtype)
        return made

    def _before_extension(self) -> Lanes | None:
        """What these integers extend by their signs, where all are extensions of one type, or none."""
        table, flat = self.table, self.nodes().reshape(-1).tolist()
        parts = [table.parts(node) for node in flat if table.value(node) is None]
        types = {each.types[0] if each is not None and each.name == "astype" else "" for each, _ in parts}
        if len(types) != 1 or (name := types.pop())[:1] != "i":
            return None
        dtype, found = np.dtype(name), []
        for node in flat:
            value = table.value(node)
            if value is not None and min(value, (1 << 8 * self.itemsize) - 1 - value) >> 8 * dtype.itemsize - 1:
                return None
            ones = (1 << 8 * dtype.itemsize) - 1
            found.append(table.parts(node)[1][0] if value is None else table.constant(value & ones, dtype.itemsize))
        nodes: Array = np.array(found, np.int64).reshape(self.shape)
        return Lanes(table.bytes_of(nodes, dtype.itemsize), dtype, table)

    # Concrete values

    def concrete(self) -> Array | None:
        """The elements, None if some are not constant."""
        return decoded(self.raw, self.dtype)

    def decided(self) -> Array:
        """The elements; Undecided if some are not constant."""
        found = self.concrete()
        if found is None:
            raise undecided(self.table, self.raw.reshape(-1).tolist(),
                            "data decides on an address, an index, a mask or a branch")  # fmt: skip
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        found = self.decided()
        return found if dtype is None else found.astype(dtype)

    def tolist(self) -> Any:
        """As of an array, where all is constant."""
        return self.decided().tolist()

    def tobytes(self) -> bytes:
        """As of an array, where all is constant."""
        return self.decided().tobytes()

    def __int__(self) -> int:
        return int(self.decided())

    def __index__(self) -> int:
        return int(self.decided())

    def __float__(self) -> float:
        return float(self.decided())

    def __bool__(self) -> bool:
        return bool(self.decided())

    def as_word(self) -> Any:
        """One element as what a general register holds."""
        found = self.concrete()
        return Word(tuple(self.raw.reshape(-1).tolist()), self.table) if found is None else int(found)

    def any(self) -> Any:
        """As of an array, where all is constant."""
        return self.decided().any()

    def as_number(self) -> Any:
        """Booleans as the bits of a mask register: a number, or a `Mask` where data decides."""
        found = self.concrete()
        return MASK[0](self) if found is None else sum(int(bit) << at for at, bit in enumerate(found.tolist()))

    def may_hold(self) -> bool:
        """Whether it may be true of an element."""
        found = self.concrete()
        return True if found is None else bool(found.any())

    def all(self) -> Any:
        """As of an array, where all is constant."""
        return self.decided().all()

    def sum(self, axis: int = -1) -> Any:
        """Sums along the last axis, from its first element on."""
        if axis not in (-1, self.ndim - 1):
            raise Undecided(f"a sum along axis {axis}")
        total: Any = self[..., 0]
        for at in range(1, self.shape[-1]):
            total = total + self[..., at]
        return total

    # Nodes

    def nodes(self) -> Array:
        """The number of each element."""
        return self.table.nodes_of(self.raw)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        out = named.pop("out", (None,))[0]
        named.pop("where", None)
        if method != "__call__" or named:
            return getattr(ufunc, method)(*[settled(each) for each in inputs], **named)
        special = SPECIAL.get(ufunc.__name__)
        made = special(*inputs) if special is not None else None
        if made is None:
            key, types, to = _result(ufunc, inputs)
            if ufunc.__name__ in _MODULAR and types[0][0] == "i":
                return _modular(ufunc, inputs, types[0], out)
            made = apply(key, ufunc, inputs, np.dtype(to), types)
        if isinstance(out, Lanes):
            out[...] = made
            return out
        return made

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        handler = HANDLERS.get(function)
        if handler is not None:
            return handler(*args, **kwargs)
        return function(*settled(args), **{name: settled(value) for name, value in kwargs.items()})

    def apply_primitive(self, function: Callable[..., Any], given: Sequence[Any]) -> Any:
        """A function of the emulator's arithmetic as one node."""
        return PRIMITIVE[0](function, given)


MASK: list[Callable[..., Any]] = []
"""What makes a mask register of conditions; see `masks`."""
PRIMITIVE: list[Callable[..., Any]] = []
"""What makes nodes of the emulator's arithmetic; see `primitives`."""
PICKED: list[Callable[..., Any]] = []
"""What makes nodes of elements that data selects; see `primitives`."""
SPECIAL: dict[str, Callable[..., Any]] = {}
"""Universal functions that may be movements of bytes: the result, or None where they are not."""


def _index(index: Any) -> Any:
    if isinstance(index, tuple):
        found = tuple(each.decided() if isinstance(each, Lanes) else each for each in index)
        return (*found, slice(None)) if any(each is Ellipsis for each in found) else found
    if index is Ellipsis:
        return slice(None)
    return index.decided() if isinstance(index, Lanes) else index


def settled(value: Any) -> Any:
    """A value of arrays alone; Undecided where elements are not constant."""
    if isinstance(value, Lanes):
        return value.decided()
    if isinstance(value, (list, tuple)):
        return type(value)(settled(each) for each in value)
    return value


def _result(ufunc: Any, inputs: Sequence[Any]) -> tuple[Key, tuple[str, ...], str]:
    """(key, types of the operands, type of the result) of a universal function."""
    asked = (ufunc.__name__, *[each.dtype.str if hasattr(each, "dtype") else type(each) for each in inputs])
    found = _RESULTS.get(asked)
    if found is None:
        given = [np.zeros(1, each.dtype) if hasattr(each, "dtype") else each for each in inputs]
        with np.errstate(all="ignore"):
            made = ufunc(*given)
        common = np.result_type(*given)
        types = tuple((common if common.kind != "b" else np.dtype(bool)).str[1:] for _ in inputs)
        found = _RESULTS[asked] = ((ufunc.__name__, types[0]), types, made.dtype.str[1:])
    return found


def _modular(ufunc: Any, inputs: Sequence[Any], name: str, out: Any) -> Any:
    """An operation on signed integers that gives the same bits of unsigned ones: one node for both."""
    unsigned = f"u{name[1:]}"
    parts = [each if isinstance(each, Lanes) else np.asarray(each) for each in inputs]
    made = ufunc(*[each.astype(name).view(unsigned) for each in parts])
    made = made if made.dtype == bool else made.view(name)
    if isinstance(out, Lanes):
        out[...] = made
        return out
    return made


def table_of(values: Sequence[Any]) -> Table:
    """The table that symbolic operands belong to."""
    return next(each.table for each in values if isinstance(each, Lanes))


def raw_of(value: Any, dtype: Any) -> Array:
    """The bytes of an operand as elements of a type."""
    if isinstance(value, Lanes):
        value = value if value.dtype == dtype else value.astype(dtype)
    if isinstance(value, Lanes):
        return value.raw
    if isinstance(value, Word):
        return np.array(value.bytes(np.dtype(dtype).itemsize))
    return encoded(np.asarray(value).astype(dtype, copy=False))


def apply(key: Key, function: Callable[..., Any], given: Sequence[Any], to: np.dtype[Any],
          types: Sequence[str] | None = None) -> Any:  # fmt: skip
    """An operation on elements: concrete where all are constant, else nodes."""
    table = table_of(given)
    if types is not None and (few := _of_few(key, function, given, to, types)) is not None:
        return few
    if all(not isinstance(each, Lanes) or each.concrete() is not None for each in given):
        with np.errstate(all="ignore"):
            return function(*[each.decided() if isinstance(each, Lanes) else each for each in given])
    if types is None:
        types = tuple(each.dtype.str[1:] for each in given)
    raws = [raw_of(each, np.dtype(name)) for each, name in zip(given, types)]
    shapes = {raw.shape[:-1] for raw in raws}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    raws = [raw if raw.shape[:-1] == shape else np.broadcast_to(raw, (*shape, raw.shape[-1])) for raw in raws]
    alike = len({raw.shape[-1] for raw in raws}) == 1
    operands = list(table.nodes_of(np.stack(raws))) if alike else [table.nodes_of(raw) for raw in raws]
    name = key[0]
    if name in COMMUTING:
        operands[:2] = np.minimum(operands[0], operands[1]), np.maximum(operands[0], operands[1])
    nodes = table.apply(key, function, types, to.str[1:], operands)
    return Lanes(table.bytes_of(nodes, to.itemsize), to, table)


def _of_few(key: Key, function: Callable[..., Any], given: Sequence[Any], to: np.dtype[Any], types: Sequence[str]
            ) -> Any:  # fmt: skip
    """`apply` to a few elements of one shape, one by one, which is quicker than by arrays of them; None where they are
    many, or numbers, or of other types."""
    shape: tuple[int, ...] = given[0].raw.shape if isinstance(given[0], Lanes) else ()
    if len(shape) != 2 or shape[0] > _FEW:
        return None
    rows = []
    for each, name in zip(given, types):
        if not isinstance(each, Lanes) or each.dtype.str[1:] != name:
            return None
        lanes = each.raw.tolist()
        if each.raw.shape != shape:
            if each.raw.shape != (1, shape[1]):
                return None
            lanes *= shape[0]  # one element for all
        rows.append(lanes)
    table = given[0].table
    made = table.apply_few(key, function, types, to.str[1:], rows, key[0] in COMMUTING)
    return None if made is None else Lanes(np.array(made, np.int64), to, table)


_FEW = 8
_MODULAR = frozenset(("add", "subtract", "multiply", "negative", "left_shift", "invert", "equal", "not_equal",
                      "bitwise_and", "bitwise_or", "bitwise_xor"))  # fmt: skip
COMMUTING = frozenset(("add", "multiply", "fma", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "not_equal"))
"""Operations whose first two operands may be exchanged; of floats the payload of a NaN aside."""
