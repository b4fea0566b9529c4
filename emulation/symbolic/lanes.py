"""Arrays of symbolic elements for the emulator's own semantics: numpy's functions, applied to nodes.

    a = Lanes(data, np.float32, table)      data: the bytes (values.py) of each element, along the last axis
    a[::2], np.concatenate([a, b]), np.where(mask, a, 0)      move bytes
    a + b, np.maximum(a, b), fp.fma(a, b, c, env)              make nodes

`Lanes` replaces the arrays of registers and memory; slices and views of other types write through to them. Instructions
that move data need no symbolic semantics of their own. Instructions that compute make one node per element, or a
constant if all operands are constant. If data would decide an index, a branch or an address, `Undecided` is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike

from .values import Array, Key, Table, Undecided, decoded, encoded, undecided
from .words import ELEMENT, Word, held

HANDLERS: dict[Any, Callable[..., Any]] = {}
"""numpy's functions on symbolic elements; `movements` adds them."""
_RESULTS: dict[Key, tuple[Key, tuple[str, ...], str]] = {}


class Lanes(NDArrayOperatorsMixin):
    """An array of symbolic elements."""

    __slots__ = ("raw", "dtype", "table")

    def __init__(self, raw: Array, dtype: Any, table: Table) -> None:
        self.raw, self.dtype, self.table = raw, np.dtype(dtype), table

    # The interface of arrays

    @property
    def shape(self) -> tuple[int, ...]:
        """Like the attribute of an array."""
        return tuple(self.raw.shape[:-1])

    @property
    def ndim(self) -> int:
        """Like the attribute of an array."""
        return self.raw.ndim - 1

    @property
    def itemsize(self) -> int:
        """Like the attribute of an array."""
        return int(self.dtype.itemsize)

    @property
    def size(self) -> int:
        """Like the attribute of an array."""
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return len(self.raw)

    def view(self, dtype: Any) -> Lanes:
        """Return the same bytes as elements of another type. Writing to the result writes to this array."""
        dtype = np.dtype(dtype)
        if dtype.itemsize == self.itemsize:
            return Lanes(self.raw, dtype, self.table)
        raw = self.raw.view()
        shape = (*raw.shape[:-2], raw.shape[-2] * raw.shape[-1] // dtype.itemsize, dtype.itemsize)
        try:
            raw.shape = shape
        except AttributeError:  # not contiguous: a computed value, which is never written to
            raw = raw.reshape(shape)
        return Lanes(raw, dtype, self.table)

    def reshape(self, *shape: Any) -> Lanes:
        """Like the method of an array."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        rest = self.size
        for extent in wanted:
            rest //= extent if extent > 0 else 1
        filled = tuple(rest if extent < 0 else extent for extent in wanted)
        return Lanes(self.raw.reshape(*filled, self.raw.shape[-1]), self.dtype, self.table)

    def transpose(self, *axes: int) -> Lanes:
        """Like the method of an array."""
        return Lanes(self.raw.transpose(*axes, self.ndim), self.dtype, self.table)

    def copy(self) -> Lanes:
        """Like the method of an array."""
        return Lanes(self.raw.copy(), self.dtype, self.table)

    def __getitem__(self, index: Any) -> Lanes:
        if isinstance(index, Lanes) and index.dtype != bool and index.concrete() is None:
            made: Lanes = PICKED[0](self, index)
            return made
        return Lanes(self.raw[_index(index)], self.dtype, self.table)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.raw[_index(index)] = -1 if type(value) is int and value == 0 else self.as_raw(value)

    def as_raw(self, value: Any) -> Array:
        """Return the bytes of a value, converted to the type of this array."""
        if isinstance(value, Lanes):
            return value.astype(self.dtype).raw
        if isinstance(value, Word) and isinstance(value := value.settled(), Word):
            return np.array(value.bytes(self.itemsize), np.int64)
        return encoded(np.asarray(value).astype(self.dtype, copy=False))

    def fill(self, value: Any) -> None:
        """Like the method of an array."""
        self[:] = value

    def astype(self, dtype: Any, copy: bool = True) -> Lanes:
        """Like the method of an array; converts the elements if the type changes."""
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
        """Return the integers before sign extension, if all elements are extensions from the same type, or None."""
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
        """Return the elements, or None if some are not constant."""
        return decoded(self.raw, self.dtype)

    def decided(self) -> Array:
        """Return the elements. Raise Undecided if some are not constant."""
        found = self.concrete()
        if found is None and self.table.words is not None:
            found = self.table.words.settled(self.raw, self.dtype)
        if found is None:
            raise undecided(
                self.table, self.raw.reshape(-1).tolist(), "data decides on an address, an index, a mask or a branch"
            )
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        found = self.decided()
        return found if dtype is None else found.astype(dtype)

    def tolist(self) -> Any:
        """Like the method of an array; all elements must be constant, or words that the call gives."""
        words = self.table.words
        if words is not None and self.ndim == 1 and self.dtype.kind in "iu" and self.concrete() is None:
            found = words.elements(self.raw, self.dtype)
            return self.decided().tolist() if found is None else found
        return self.decided().tolist()

    def tobytes(self) -> bytes:
        """Like the method of an array; all elements must be constant."""
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
        """Return a single element in the form in which a general register holds it."""
        found = self.concrete()
        return held(tuple(self.raw.reshape(-1).tolist()), self.table) if found is None else int(found)

    def any(self) -> Any:
        """Like the method of an array; all elements must be constant."""
        return self.decided().any()

    def as_number(self) -> Any:
        """Return booleans as the bits of a mask register: a number, or a `Mask` if they depend on data."""
        found = self.concrete()
        if found is None and self.table.words is not None:
            found = self.table.words.settled(self.raw, self.dtype)
        return MASK[0](self) if found is None else sum(int(bit) << at for at, bit in enumerate(found.tolist()))

    def may_hold(self) -> bool:
        """Whether an element may be true."""
        found = self.concrete()
        return True if found is None else bool(found.any())

    def all(self) -> Any:
        """Like the method of an array; all elements must be constant."""
        return self.decided().all()

    def sum(self, axis: int = -1) -> Any:
        """Return sums along the last axis, added in order from the first element."""
        if axis not in (-1, self.ndim - 1):
            raise Undecided(f"a sum along axis {axis}")
        total: Any = self[..., 0]
        for at in range(1, self.shape[-1]):
            total = total + self[..., at]
        return total

    # Nodes

    def nodes(self) -> Array:
        """Return the node number of each element."""
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
            if ufunc.__name__ in MODULAR and types[0][0] == "i":
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
        """Apply a function of the emulator's arithmetic as one node."""
        return PRIMITIVE[0](function, given)


MASK: list[Callable[..., Any]] = []
"""The function that makes a mask register of conditions; `masks` adds it."""
PRIMITIVE: list[Callable[..., Any]] = []
"""The function that makes nodes of the emulator's arithmetic; `primitives` adds it."""
PICKED: list[Callable[..., Any]] = []
"""The function that makes nodes of elements selected by data; `primitives` adds it."""
SPECIAL: dict[str, Callable[..., Any]] = {}
"""Handlers of universal functions that may only move bytes. They return the result, or None if that is not enough."""


def _index(index: Any) -> Any:
    if isinstance(index, tuple):
        found = tuple(each.decided() if isinstance(each, Lanes) else each for each in index)
        return (*found, slice(None)) if any(each is Ellipsis for each in found) else found
    if index is Ellipsis:
        return slice(None)
    return index.decided() if isinstance(index, Lanes) else index


def settled(value: Any) -> Any:
    """Return a value with symbolic arrays replaced by concrete ones. Raise Undecided if an element is not constant."""
    if isinstance(value, Lanes):
        return value.decided()
    if isinstance(value, (list, tuple)):
        return type(value)(settled(each) for each in value)
    return value


def _result(ufunc: Any, inputs: Sequence[Any]) -> tuple[Key, tuple[str, ...], str]:
    """Return the key, the operand types and the result type of a universal function."""
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
    """Apply an operation on signed integers as the same operation on unsigned ones, which has the same bits, so that
    both share a node."""
    unsigned = f"u{name[1:]}"
    parts = [each if isinstance(each, Lanes) else np.asarray(each) for each in inputs]
    made = ufunc(*[each.astype(name).view(unsigned) for each in parts])
    made = made if made.dtype == bool else made.view(name)
    if isinstance(out, Lanes):
        out[...] = made
        return out
    return made


def _element(word: Word, dtype: Any) -> Lanes:
    return Lanes(np.array([word.bytes(np.dtype(dtype).itemsize)], np.int64), dtype, word.table)


ELEMENT.append(_element)


def lane(table: Table, node: int, dtype: DTypeLike) -> Lanes:
    """Return a node as an array of one element."""
    return Lanes(table.bytes_of(np.array([node]), np.dtype(dtype).itemsize), dtype, table)


def table_of(values: Sequence[Any]) -> Table:
    """Return the table that the symbolic operands belong to."""
    return next(each.table for each in values if isinstance(each, Lanes))


def raw_of(value: Any, dtype: Any) -> Array:
    """Return the bytes of an operand as elements of a type."""
    if isinstance(value, Lanes):
        value = value if value.dtype == dtype else value.astype(dtype)
    if isinstance(value, Lanes):
        return value.raw
    if isinstance(value, Word) and isinstance(value := value.settled(), Word):
        return np.array(value.bytes(np.dtype(dtype).itemsize))
    return encoded(np.asarray(value).astype(dtype, copy=False))


def apply(
    key: Key, function: Callable[..., Any], given: Sequence[Any], to: np.dtype[Any], types: Sequence[str] | None = None
) -> Any:
    """Apply an operation to elements. The result is concrete if all operands are constant, and consists of nodes
    otherwise."""
    table = table_of(given)
    repeats = table.repeats
    asked = None if repeats is None else repeats.asked(key, given, to, types)
    if repeats is None or asked is None:
        return _applied(key, function, given, to, types, table)
    found = repeats.found.get(asked)
    if found is not None:
        return Lanes(found.copy(), to, table)
    made = _applied(key, function, given, to, types, table)
    if isinstance(made, Lanes):
        repeats.keep(asked, made.raw)
    return made


def _applied(
    key: Key,
    function: Callable[..., Any],
    given: Sequence[Any],
    to: np.dtype[Any],
    types: Sequence[str] | None,
    table: Table,
) -> Any:
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


def _of_few(
    key: Key, function: Callable[..., Any], given: Sequence[Any], to: np.dtype[Any], types: Sequence[str]
) -> Any:
    """Like `apply` for a few elements of one shape, one by one, which is faster than with arrays. Return None if there
    are many elements, if all are constants, or if their types differ."""
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
            lanes *= shape[0]  # one element is broadcast to all
        rows.append(lanes)
    table = given[0].table
    made = table.apply_few(key, function, types, to.str[1:], rows, key[0] in COMMUTING)
    return None if made is None else Lanes(np.array(made, np.int64), to, table)


_FEW = 8
MODULAR = frozenset(
    (
        "add",
        "subtract",
        "multiply",
        "negative",
        "left_shift",
        "invert",
        "equal",
        "not_equal",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
    )
)
COMMUTING = frozenset(("add", "multiply", "fma", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "not_equal"))
"""Operations whose first two operands may be exchanged. For floats this ignores the payload of a NaN."""
