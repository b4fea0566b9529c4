"""Symbolic values: hash-consed nodes and the bytes that they consist of.

    table = Table()
    x = table.inputs("x", 6, 4)                          six elements of four bytes: node numbers
    table.apply(("add", "f4"), np.add, ("f4", "f4"), "f4", [x, x])

A node is an operation on nodes and is stored once, so equal node numbers mean equal values for all inputs. A *byte* is
the unit of registers and memory. It is either a constant from 0 to 255, stored as -1 - value, or byte j of a node,
packed into one integer (`bytes_of`). Bytes that are not exactly those of one node, in order, form a node of their own,
a concatenation. Concatenations have odd numbers, and splitting one returns its bytes. So data may move in any unit
without ever being mistaken for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from .bounds import check

Array = np.ndarray[Any, Any]
Key = tuple[Any, ...]
Simplify = Callable[["Table", tuple[int, ...], int], "int | None"]

_SHIFT = 6  # in a byte's number, bits below the node: two for the node's size, four for the byte's position
_LOG = {1: 0, 2: 1, 4: 2, 8: 3}
_PLACES = {size: np.arange(size) for size in (1, 2, 4, 8, 16)}
INPUT, UNDEFINED = "input", "undef"
WIDE = "wide"
"""The last part of the key of an operation that no rewrite may change until its operands change."""
_NONE: Mapping[int, int] = {}


class Undecided(Exception):
    """Data decides something that must be concrete; symbolic execution cannot continue."""


class Unknown(Undecided):
    """A value that is undefined at entry, in a register, a flag or memory, decides something that must be concrete."""


class Operation:
    """The meaning of a kind of node: a function of arrays, the types of its operands and the type of its result."""

    __slots__ = ("key", "name", "function", "types", "to", "size", "simplify")

    def __init__(
        self, key: Key, function: Callable[..., Any], types: tuple[str, ...], to: str, simplify: Simplify | None
    ) -> None:
        self.key, self.function, self.types, self.to, self.simplify = key, function, types, to, simplify
        self.name = str(key[0])  # the operation without its types
        self.size = int(np.dtype(to).itemsize)


MOST_VALUES = 4_000_000
"""The most values of one proof, which take some 3.5 GB of memory. A product has about one for each multiplication."""


_OFTEN = 1023
"""The time is looked at whenever the number of values has no bit of this."""
MOST_REPEATS = 100_000
"""The most operations on vectors that `Repeats` keeps, which take some 150 MB of memory."""


class Repeats:
    """Operations on whole vectors and their results, for code that is executed several times on one table.

    A result depends on nothing but the operation, the operands and the table, which gives the same node for the same
    operands. So a result that is found here is the one that applying the operation again would give.
    """

    def __init__(self) -> None:
        self.found: dict[Any, Array] = {}

    def asked(self, key: Key, given: Sequence[Any], to: np.dtype[Any], types: Any) -> Any:
        """Return the key of an operation, or None if an operand is not symbolic."""
        told: list[Any] = [key, to, types]
        for each in given:
            raw = getattr(each, "raw", None)
            if raw is None:
                return None
            told += raw.tobytes(), raw.shape, each.dtype
        return tuple(told)

    def keep(self, asked: Any, result: Array) -> None:
        """Keep a result, unless there are too many."""
        if len(self.found) < MOST_REPEATS:
            self.found[asked] = result.copy()


class Table:
    """All values of one proof. Raises Undecided beyond `MOST_VALUES` of them."""

    def __init__(self, simplifiers: dict[str, Simplify] | None = None) -> None:
        self.simplifiers = simplifiers or {}
        self.entries: list[tuple[Any, tuple[int, ...], int]] = []  # (operation or name, operands, size in bytes)
        self.specials: list[tuple[int, ...]] = []  # the bytes of constants and concatenations
        self._undefined = 0  # entries for undefined memory and registers, which take no memory of their own
        self.flips: set[int] = set()  # nodes that are exclusive ORs
        self.repeats: Repeats | None = None
        self.held: Callable[[tuple[int, ...]], Any] | None = None
        """What general registers hold of data, while the caller's mode is unknown (modes/)."""
        self.places: Any = None  # the places of the memory of the current execution (addresses.py)
        self.addresses: dict[object, int] = {}  # the nodes of addresses
        self.words: Any = None  # the words that the call of the current execution gives (given/words.py)
        self._special: dict[tuple[int, ...], int] = {}
        self._sources: dict[int, tuple[int, ...]] = {}  # the nodes that the bytes of concatenations come from
        self._operations: dict[Key, tuple[Operation, dict[tuple[int, ...], int]]] = {}

    # Leaves

    def inputs(self, name: str, count: int, size: int, kind: str = INPUT) -> Array:
        """Return the numbers of new nodes: elements of an operand, or undefined values."""
        first = len(self.entries)
        if kind == UNDEFINED:  # leaves that all proofs share
            self.entries.extend(_shared(kind, name, 1 << max(count - 1, 0).bit_length(), size)[:count])
            self._undefined += count
        else:
            self.entries.extend(_leaves(kind, name, count, size))
        return (first + np.arange(count)) << 1

    def constant(self, value: int, size: int) -> int:
        """Return the node of a constant of `size` bytes."""
        return self.joined(tuple(-1 - byte for byte in value.to_bytes(size, "little")))

    def joined(self, data: tuple[int, ...]) -> int:
        """Return the node that consists of these bytes."""
        first, size = data[0], len(data)
        if first >= 0 and first & 63 == _LOG.get(size, -1) << 4 and data == tuple(range(first, first + size)):
            return first >> _SHIFT
        found = self._special.get(data)
        if found is None:
            found = self._special[data] = len(self.specials) << 1 | 1
            self.specials.append(data)
        return found

    # Nodes and bytes

    def bytes_of(self, nodes: Array, size: int) -> Array:
        """Return the bytes of nodes, along a new last axis."""
        if not (nodes & 1).any():
            result: Array = ((nodes << _SHIFT) | (_LOG[size] << 4))[..., None] + _PLACES[size]
            return result
        flat = [self.split(node, size) for node in nodes.reshape(-1).tolist()]
        return np.array(flat, np.int64).reshape(*nodes.shape, size)

    def split(self, node: int, size: int) -> tuple[int, ...]:
        """Return the bytes of one node."""
        if node & 1:
            return self.specials[node >> 1]
        first = node << _SHIFT | _LOG[size] << 4
        return tuple(range(first, first + size))

    def nodes_of(self, data: Array) -> Array:
        """Return the nodes that the bytes along the last axis form."""
        first, size = data[..., 0], data.shape[-1]
        whole = (first & 63 == _LOG[size] << 4) & (first >= 0)
        if size > 1:
            whole = whole & (data == first[..., None] + _PLACES[size]).all(axis=-1)
        result: Array = np.asarray(first >> _SHIFT)
        if not whole.all():
            joined = self.joined
            result[~whole] = [joined(tuple(row)) for row in data[~whole].tolist()]
        return result

    def value(self, node: int) -> int | None:
        """Return the constant that a node is, or None if it is not constant."""
        if not node & 1:
            return None
        data = self.specials[node >> 1]
        if max(data) >= 0:
            return None
        return sum((-1 - byte) << 8 * at for at, byte in enumerate(data))

    def size(self, node: int) -> int:
        """Return the size of a node in bytes."""
        return len(self.specials[node >> 1]) if node & 1 else self.entries[node >> 1][2]

    def parts(self, node: int) -> tuple[Operation | None, tuple[int, ...]]:
        """Return the operation and operands of a node, or (None, ()) for an input, an undefined value, a constant or a
        concatenation."""
        if node & 1:
            return None, ()
        operation, operands, _ = self.entries[node >> 1]
        return (operation, operands) if isinstance(operation, Operation) else (None, ())

    def leaf(self, node: int) -> tuple[str, str, int] | None:
        """Return the kind (INPUT or UNDEFINED), the name and the element number of a leaf; None for other nodes."""
        if node & 1 or isinstance(self.entries[node >> 1][0], Operation):
            return None
        found: tuple[str, str, int] = self.entries[node >> 1][0]
        return found

    # Operations

    def apply(
        self, key: Key, function: Callable[..., Any], types: Sequence[str], to: str, operands: Sequence[Array]
    ) -> Array:
        """Return the nodes of an operation on nodes, element by element. Constant operands give constants."""
        operation, memo = self._operation(key, function, types, to)
        columns = [each.reshape(-1).tolist() for each in operands]
        get = memo.get
        made = [self._new(operation, memo, args) if (known := get(args)) is None else known for args in zip(*columns)]
        result: Array = np.array(made, np.int64).reshape(operands[0].shape)
        return result

    def applied(
        self, key: Key, function: Callable[..., Any], types: Sequence[str], to: str, args: tuple[int, ...]
    ) -> int:
        """Return the node of an operation on single nodes."""
        operation, memo = self._operation(key, function, types, to)
        node = memo.get(args)
        return self._new(operation, memo, args) if node is None else node

    def _operation(
        self, key: Key, function: Callable[..., Any], types: Sequence[str], to: str
    ) -> tuple[Operation, dict[tuple[int, ...], int]]:
        found = self._operations.get(key)
        if found is None:
            name = str(key[0]) + (".f" if types[0][0] == "f" else "")
            if (own := f"{name}.{types[0][0]}") in self.simplifiers and types[0][0] in "iub":
                name = own
            simplify = self.simplifiers.get(name if len(key) == 2 else " ".join(map(str, key)))
            operation = Operation(key, function, tuple(types), to, simplify)
            found = self._operations[key] = operation, {}
        return found

    def apply_few(
        self,
        key: Key,
        function: Callable[..., Any],
        types: Sequence[str],
        to: str,
        operands: Sequence[list[list[int]]],
        commutes: bool,
    ) -> list[tuple[int, ...]] | None:
        """Like `apply` for a few elements, which are passed and returned as bytes. Return None if all are constants."""
        operation, memo = self._operation(key, function, types, to)
        joined, size, made, some = self.joined, operation.size, [], False
        for lane in zip(*operands):
            args = tuple([joined(tuple(each)) for each in lane])
            some = some or not all(arg & 1 for arg in args)
            if commutes and args[0] > args[1]:
                args = args[1], args[0], *args[2:]
            node = memo.get(args)
            made.append(self.split(self._new(operation, memo, args) if node is None else node, size))
        return made if some else None

    def instances(self, operation: Operation, operands: Sequence[Array]) -> Array:
        """Return the nodes of an operation, element by element, without simplification. The operation must already be
        in its simplest form."""
        _, memo = self._operations[operation.key]
        made, get, entries, size = [], memo.get, self.entries, operation.size
        flips = self.flips if operation.key[0] == "bitwise_xor" else None
        for args in zip(*[each.tolist() for each in operands]):
            node = get(args)
            if node is None:
                node = memo[args] = len(entries) << 1
                entries.append((operation, args, size))
                if flips is not None:
                    flips.add(node)
            made.append(node)
        check()
        self._check_size()
        return np.array(made, np.int64)

    def _new(self, operation: Operation, memo: dict[tuple[int, ...], int], args: tuple[int, ...]) -> int:
        size = operation.size
        node = None
        if args[0] & 1 and all(arg & 1 for arg in args):
            values = [self.value(arg) for arg in args]
            if None not in values:
                node = self._folded(operation, [value for value in values if value is not None], size)
        if node is None and operation.simplify is not None:
            node = operation.simplify(self, args, size)
        if node is None:
            node = len(self.entries) << 1
            self.entries.append((operation, args, size))
            self._check_size()
            if operation.key[0] == "bitwise_xor":
                self.flips.add(node)
        memo[args] = node
        return node

    def _check_size(self) -> None:
        if not len(self.entries) & _OFTEN:
            check()
        if len(self.entries) - self._undefined > MOST_VALUES:
            raise Undecided(
                f"more than {MOST_VALUES:,} values, too many for one proof; verify a smaller request: products of "
                "fewer rows, columns or steps, and shorter rows, take the same instructions"
            )

    def _folded(self, operation: Operation, values: list[int], size: int) -> int:
        given = []
        for value, name in zip(values, operation.types):
            dtype = np.dtype(name)
            given.append(np.frombuffer(value.to_bytes(dtype.itemsize, "little"), dtype))
        with np.errstate(all="ignore"):
            result = np.ascontiguousarray(np.asarray(operation.function(*given)).astype(operation.to, copy=False))
        return self.joined(tuple(-1 - byte for byte in result.tobytes()[:size]))

    def below(self, roots: Sequence[int], known: Container[int] = ()) -> Iterator[int]:
        """Yield every node that the roots depend on, including the roots, except nodes in `known`. Operands come before
        the nodes that use them."""
        done: set[int] = set()
        stack = list(reversed(roots))
        while stack:
            node = stack[-1]
            if node in done or node in known:
                stack.pop()
                continue
            waiting = [arg for arg in self.arguments(node) if arg not in done and arg not in known]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            done.add(node)
            yield node

    def only_leaf(self, root: int, known: dict[int, int]) -> int:
        """Return the only leaf that a node depends on; -2 if there is none, -1 if there are several. known: what was
        found before, and is now."""
        for node in self.below([root], known):
            of = {known[arg] for arg in self.arguments(node)} - {-2} if self.leaf(node) is None else {node}
            known[node] = of.pop() if len(of) == 1 else -1 if of else -2
        return known[root]

    def nearest(
        self, node: int, is_part: Callable[[int], bool], most: int, same: Mapping[int, int] = _NONE
    ) -> list[int]:
        """Return the nearest parts that a node is made of. Parts inside these are excluded; more than `most` end the
        search. same: nodes that equal another one, which is taken instead"""
        found: list[int] = []
        stack, seen = list(self.arguments(node)), set()
        while stack and len(found) <= most:
            each = stack.pop()
            if each in seen:
                continue
            seen.add(each)
            each = same.get(each, each)
            if each in found:
                continue
            if is_part(each):
                found.append(each)
            else:
                stack.extend(self.arguments(each))
        return found

    def arguments(self, node: int) -> tuple[int, ...]:
        """Return the operands of a node; for a concatenation, the nodes that its bytes come from."""
        if not node & 1:
            return self.entries[node >> 1][1]
        found = self._sources.get(node)
        if found is None:
            data = self.specials[node >> 1]
            found = self._sources[node] = tuple(dict.fromkeys([byte >> _SHIFT for byte in data if byte >= 0]))
        return found


def _leaves(kind: str, name: str, count: int, size: int) -> Iterable[tuple[Any, tuple[int, ...], int]]:
    """Return the entries of leaves."""
    return zip(zip(repeat(kind), repeat(name), range(count)), repeat(()), repeat(size))


@lru_cache(maxsize=8)
def _shared(kind: str, name: str, count: int, size: int) -> Sequence[tuple[Any, tuple[int, ...], int]]:
    """Return `_leaves` that all tables share: every execution begins with the same undefined stack and registers."""
    return tuple(_leaves(kind, name, count, size))


def undecided(table: Table, data: Iterable[int], reason: str) -> Undecided:
    """Return the exception for a decision by these bytes: Unknown if they depend only on undefined values."""
    roots = list(dict.fromkeys(byte >> _SHIFT for byte in data if byte >= 0))
    kinds = {leaf[0] for node in table.below(roots) if (leaf := table.leaf(node)) is not None}
    if kinds == {UNDEFINED}:
        return Unknown("it depends on a register, a flag or memory that is undefined at entry")
    return Undecided(reason)


def place(byte: int) -> tuple[int, int]:
    """Return the node of a byte that is not constant, and the byte's position in it."""
    return byte >> _SHIFT, byte & 15


def encoded(array: Array) -> Array:
    """Return the bytes of concrete elements, along a new last axis."""
    array = np.asarray(array)
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return np.subtract(-1, data, dtype=np.int64).reshape(*array.shape, array.dtype.itemsize)


def decoded(data: Array, dtype: Any) -> Array | None:
    """Return the concrete elements that the bytes form, or None if some are not constant."""
    if data.size and data.max() >= 0:
        return None
    plain = (-1 - data).astype(np.uint8)
    elements: Array = np.ascontiguousarray(plain).reshape(-1).view(dtype).reshape(data.shape[:-1])
    return elements
