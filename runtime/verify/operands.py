"""Memory for the operands of a request, laid out as in a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from zlib import crc32

import numpy as np

from ...emulation.core.memory import Region, address_of
from ...emulation.symbolic.given.call import Open, Symbols
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import RUNTIME, Axes, Number, Operand
from ..arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
_CARRY = 1 << 16
_GAP = 3
_NO_DATA = ("index", "index_t", "offsets", "bad")


class Call(NamedTuple):
    """One call: its integer arguments, the regions that the code may access, the arrays that own the memory, and
    objects to keep alive."""

    integers: list[int]
    regions: list[Any]
    arrays: list[Array]
    keep: Any
    numbers: dict[str, int] = {}
    """The values that the call passes for the request's numbers, keyed by name."""
    aside: tuple[Any, ...] = ()
    concrete: frozenset[str] = frozenset(_NO_DATA)
    """The names of operands that hold indices or offsets instead of data."""
    indices: frozenset[str] = frozenset()
    """The names of those whose elements are words with a value: what they decide is recorded."""
    pinned: Mapping[int, str] = {}
    """The names of integers that are such words, by their position: counts and strides."""
    tables: Mapping[str, Mapping[int, Open]] = {}
    """The numbers among the words of a job's table of operands, by the name of the table and their position."""

    @property
    def everything(self) -> list[Any]:
        """All regions that the code may access, including scratch memory and operand tables."""
        return [*self.regions, *self.aside]

    def symbolic(self) -> dict[str, int]:
        """Return the element size in bytes of each region that holds symbolic data, keyed by name. Indices and tables
        of offsets or addresses are concrete. A result that overwrites an input starts with the input's elements."""
        tables = ("_offsets", "_addresses")
        read = [each.array for each in self.regions if not each.writable]
        sizes = {
            each.name: each.array.itemsize
            for each in self.regions
            if each.name in self.indices
            or not each.name.endswith(tables)
            and each.name not in self.concrete
            and not (each.writable and any(np.shares_memory(each.array, other) for other in read))
        }
        numbers = {self.integers.index(value): name for name, value in self.numbers.items() if value in self.integers}
        return Symbols(sizes, numbers, self.indices, self.pinned, self.tables)

    def opened(self) -> Call:
        """Return the call with its numbers as `Open`, which a job moves into its table of operands."""
        places = {value: Open(value, name) for name, value in self.numbers.items()}
        return self._replace(integers=[places.get(each, each) for each in self.integers])


def array_of(operand: Operand, count: int | Axes | None = None, gap: int = _GAP) -> Array:
    """Return an array for an operand, for `count` of its matrices one after the other, or for those of the levels of a
    batch. It starts one element before
    a multiple of 64 KiB: no vector alignment holds, and adding to its address carries into all higher bits, which tells
    a sum from an OR or from a sum of fewer bits. `gap` is how many elements longer than the rows a leading dimension
    given at the call is."""
    dtype = numpy_dtype(operand.dtype)
    place, lines = dtype.itemsize * operand.group, operand.lines
    leading = operand.length + gap if operand.view.leading is RUNTIME else int(operand.view.leading)
    step = leading * place
    inner = (dtype.itemsize,) if operand.group > 1 else ()
    strides = (place,) if operand.vector else ((step, place) if operand.view.order == "C" else (place, step)) + inner
    shape: tuple[int, ...] = operand.matrix.shape
    size = step * lines * (count or 1 if isinstance(count, int) else 1) + operand.length * place
    if isinstance(count, int):
        shape, strides = (count, *shape), (step * lines, *strides)
    elif count is not None:
        steps = [distance * place for distance in count.distances or ()]
        size += sum(n * each for n, each in zip(count.shape, steps))
        shape, strides = (*count.shape, *shape), (*steps, *strides)
    return _placed(shape, dtype, strides, size)


_MOST = 1 << 24
"""The largest number of bytes that an operand of a proof spans: each has a symbolic value of its own."""


def _placed(shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], size: int) -> Array:
    if size > _MOST:
        raise UnsupportedError(
            f"verify: an operand of {' x '.join(map(str, shape))} spans {size} bytes, and a proof "
            f"holds a symbol for each of at most {_MOST}; a kernel with smaller extents and leading "
            "dimensions has the same parts, and k.run executes the bytes on inputs"
        )
    memory = np.zeros(size + _CARRY, np.uint8)
    start = (-address_of(memory) - dtype.itemsize) % _CARRY
    made: Array = np.ndarray(shape, dtype, memory, start, strides)
    return made


def call_of(spec: Any, kind: Any) -> Call:
    """Return a call of a request whose arguments are matrices and numbers."""
    given: list[Any] = [number_of(each) if isinstance(each, Number) else array_of(each) for each in spec.arguments]
    made = call_with(spec, kind, given, [each for each in given if isinstance(each, np.ndarray)])
    return made._replace(numbers=numbers_of(spec))


def calls_of(spec: Any, kind: Any) -> tuple[str, Iterator[Call]]:
    """Return a description of the calls, and an iterator over calls of a request of matrices and numbers."""
    return "", iter([call_of(spec, kind)])


def any_of(names: Iterable[str]) -> str:
    """Return what a claim says of the numbers of a call, which have no value in a proof, or "" if there are none."""
    *first, last = list(names) or [""]
    return f"any {', '.join(first)}{' and ' if first else ''}{last} of 64 bits" if last else ""


def numbers_of(spec: Any) -> dict[str, int]:
    """Return the values of the request's numbers, keyed by name."""
    return {each.name: number_of(each) for each in getattr(spec, "numbers", ())}


def redrawn(call: Call, seed: int) -> tuple[list[int], dict[str, int]]:
    """Return the integers of a call with other values for its numbers, and these values. A seed of 0 keeps them."""
    numbers = dict(call.numbers)
    if seed:
        rng = np.random.default_rng(seed)
        numbers = {name: int(rng.integers(1 << 63)) for name in call.numbers}
    for region in call.aside:
        for at, each in call.tables.get(region.name, {}).items():
            region.array[at] = numbers[each.name] + each.ahead & (1 << 64) - 1
    places = {value: numbers[name] for name, value in call.numbers.items()}
    return [places.get(each, each) for each in call.integers], numbers


def call_with(spec: Any, kind: Any, given: list[Any], arrays: list[Array], **leading: int) -> Call:
    """Return a call with these arguments. `arrays` are those whose elements are data."""
    integers, keep = kind.call(spec)(*given, **leading)
    keep = [*keep, *_tables(integers, keep, arrays)]
    regions = [Region(*each) for each in kind.regions(spec, integers)]
    return Call(integers, regions, arrays, [keep, arrays])


def _tables(integers: list[int], keep: Any, arrays: list[Array]) -> list[Array]:
    """Copy the indices, offsets and addresses that a call passes to memory without any alignment."""
    data, moved = {id(each) for each in arrays}, []
    for table in keep:
        if not isinstance(table, np.ndarray) or id(table) in data or not table.size:
            continue
        address = address_of(table)
        if address in integers and not any(each.size and np.shares_memory(table, each) for each in arrays):
            copy = _placed(table.shape, table.dtype, table.strides, table.nbytes)
            copy[...] = table
            integers[integers.index(address)] = address_of(copy)
            moved.append(copy)
    return moved


def number_of(number: Number) -> int:
    """Return a value that a call may pass for a number: another one for each name. Executions on numbers use it; in
    proofs the number may be any."""
    drawn = max(number.least, 0x1E37_79B9_7F4A_7C15 + crc32(number.name.encode()))
    return drawn if number.most is None else min(drawn, number.most)
