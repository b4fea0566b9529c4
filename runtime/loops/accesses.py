"""The elements that the calls of a nest read and write, and the check that they lie within the operands in every
iteration.

What a call touches is a property of its kernel: `touched_by` asks the kernel's own regions. Elements that are written
are in a *box*, a number of elements along each indexed axis, because the proof that workers do not race needs an axis
along which blocks lie apart. Elements that are only read may be anywhere between the first and the last byte of the
array: rows that overlap, pixels two apart, three rows of an image for each call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import ADDRESS
from ..arguments.arrays import Array
from .code import Affine, Call, Constants, Node, When, affine
from .grammar import Range
from .trace import GIVEN, OFFSETS, Block, NestMatrix, offset_of, parameters_of

if TYPE_CHECKING:
    from ...microkernels.eltwise import spec as eltwise

eltwise = lazy(__package__, "...microkernels.eltwise.spec")
_BASE = 40
"""While a kernel is asked for its regions, the bits from this one on identify the operand of an address."""
_MIDDLE = 1 << (_BASE - 1)
"""The address of an operand is in the middle of its range then: a kernel may read what lies before its argument."""
MOST = 1 << 22
"""The most iterations that are checked one by one for bounds."""


class Touched(NamedTuple):
    """The elements that a call touches, relative to a block's address: the byte offsets of the first element and past
    the last one, and the number of elements and the stride in bytes along each axis. An empty matrix has none."""

    start: int
    stop: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class CallAccess:
    """Elements of an operand that a call reads or writes from the block at `places` on. The operand is argument number
    `argument` of the call.

    extents   the elements along each indexed axis of the box that begins at `places` and holds them; () if only reads
              touch them and they are in no such box
    touched   the elements, relative to the block's first one
    table     the block of an operand that has the offsets of matrices from there; () is touched then, and
    matrices  what is read at each offset
    """

    call: Call
    matrix: NestMatrix
    places: tuple[Affine, ...]
    extents: tuple[int, ...]
    writes: bool
    conditions: tuple[When, ...]
    argument: int
    touched: tuple[Touched, ...] = ()
    table: Block | None = None
    matrices: tuple[Touched, ...] = ()

    @property
    def offset(self) -> Affine:
        """The bytes from the operand's first element."""
        return offset_of(self.matrix, self.places)

    @property
    def span(self) -> tuple[int, int]:
        """The bytes from the block's first element to the first one that is touched, and past the last one."""
        return min((each.start for each in self.touched), default=0), max(
            (each.stop for each in self.touched), default=0
        )

    @property
    def bytes(self) -> int:
        """The bytes that are touched, at most: elements of several matrices may be the same."""
        first, behind = self.span
        return min(behind - first, sum(math.prod(each.shape) for each in self.touched) * self.matrix.size)


def accesses(
    nodes: Sequence[Node], given: Mapping[int, tuple[Any, ...]], around: tuple[When, ...] = ()
) -> Iterator[CallAccess]:
    """Yield all accesses of a body. `given` maps the id of each call to its blocks."""
    for node in nodes:
        if isinstance(node, When):
            yield from accesses(node.body, given, (*around, node))
        elif isinstance(node, Call):
            yield from _of_call(node, given[id(node)], around)


def _of_call(call: Call, given: tuple[Any, ...], around: tuple[When, ...]) -> Iterator[CallAccess]:
    kernel = call.kernel
    parameters = parameters_of(kernel)
    names = [name for _, name in parameters]
    tables = _tables(call, names, given)
    integers = [
        _address(tables[number])
        if number in tables
        else ((number + 1) << _BASE) + _MIDDLE
        if isinstance(block, Block)
        else _number(kernel, name, value)
        for number, (name, block, value) in enumerate(zip(names, given, call.arguments))
    ]
    types, touched = (_touched if tables else touched_by)(kernel, tuple(integers))
    for number, ((kind, name), block) in enumerate(zip(parameters, given)):
        if not isinstance(block, Block):
            continue
        table = given[names.index(f"{name}_offsets")] if f"{name}_offsets" in names else None
        wanted = "i64" if name in OFFSETS else types.get(name, block.matrix.dtype)
        if wanted != block.matrix.dtype:
            raise TypeError(
                f"{name} of {kernel.name}: must be {wanted}, but {block.matrix.name} is {block.matrix.dtype}"
            )
        found, writes = tuple(touched.get(number + 1, ())), "const" not in kind
        if number in tables:
            found = (_relative(tables[number], 0),)
        if isinstance(table, Block):
            yield CallAccess(call, block.matrix, block.places, (), False, around, number, (), table, found)
            continue
        extents = _box(block, found)
        if extents is None and writes and not block.matrix.each:
            raise UnsupportedError(_no_box(kernel.name, block, found))
        yield CallAccess(call, block.matrix, block.places, extents or (), writes, around, number, found)


def _tables(call: Call, names: Sequence[str], given: tuple[Any, ...]) -> dict[int, Array]:
    """Return the tables of offsets of a call by the number of the argument: zeros if an operand has the offsets. Each
    is as long as the count."""
    if OFFSETS[0] not in names:
        return {}
    kernel, count = call.kernel, _number(call.kernel, "count", call.arguments[names.index("count")])
    found: dict[int, Array] = {}
    for number in map(names.index, OFFSETS):
        argument = call.arguments[number]
        table = (
            np.frombuffer(argument.data, "<i8") if isinstance(argument, Constants) else np.zeros(max(0, count), "<i8")
        )
        if not 0 <= count <= len(table):
            raise ValueError(f"count of {kernel.name}: 0 to {len(table)}, the length of {names[number]}, not {count}")
        found[number] = table[:count]
    return found


_known: WeakKeyDictionary[Any, dict[tuple[int, ...], Any]] = WeakKeyDictionary()


def touched_by(kernel: Any, integers: tuple[int, ...]) -> tuple[dict[str, str], dict[int, list[Touched]]]:
    """Return the element types of a kernel's operands, and what a call with these integers touches, keyed by argument.
    The answer is the same in every nest, so it is computed once per kernel."""
    calls = _known.setdefault(kernel, {})
    if integers in calls:
        return calls[integers]  # type: ignore[no-any-return]
    if reason := _reads_addresses(kernel.spec):
        raise UnsupportedError(f"{kernel.name}: {reason}")
    calls[integers] = _touched(kernel, integers)
    return calls[integers]  # type: ignore[no-any-return]


def _touched(kernel: Any, integers: tuple[int, ...]) -> tuple[dict[str, str], dict[int, list[Touched]]]:
    """Return the answer of `touched_by`. It must not be kept if an integer is the address of a table."""
    regions, unread = kernel.kind.regions(kernel.spec, integers), _unread(kernel.spec)
    found: dict[int, list[Touched]] = {}
    for array in [each.array for each in regions if each.array.size and each.name not in unread]:
        number, start = divmod(_address(array), 1 << _BASE)
        if number > len(integers):  # a table itself, which is in memory
            continue
        if start % array.itemsize:
            raise ValueError(
                f"{kernel.name}: elements of {array.itemsize} bytes must be aligned, so strides are multiples of "
                f"{array.itemsize} bytes"
            )
        found.setdefault(number, []).append(_relative(array, start - _MIDDLE))
    return {each.name: each.dtype for each in _operands(kernel.spec)}, found


def _unread(spec: object) -> set[str]:
    """Return the operands whose elements no result depends on, such as that of "zero": a kernel does not load them."""
    if not isinstance(spec, eltwise.EltwiseSpec):
        return set()
    return {each.name for each in spec.inputs} - {name for name, _ in spec.program.inputs}


def _relative(array: Array, start: int) -> Touched:
    """Return the elements of an array that begins so many bytes after the block's address."""
    ends = [(n - 1) * step for n, step in zip(array.shape, array.strides)]
    first, last = start + sum(min(each, 0) for each in ends), start + sum(max(each, 0) for each in ends)
    return Touched(first, last + array.itemsize, array.shape, array.strides)


def _reads_addresses(spec: Any) -> str:
    """Explain why the numbers in a table or an index decide what the kernel accesses, so that a nest cannot prove it;
    "" if they do not."""
    batch = getattr(getattr(spec, "product", spec), "batch", None)
    if batch is ADDRESS:
        return (
            "a nest computes the addresses of matrices itself, so it cannot call kernels that take tables of "
            "addresses; kernels with a batch of counts and strides, ts.STRIDE or ts.OFFSET work"
        )
    requests = spec, getattr(spec, "request", spec)
    if any(getattr(each, "bounds", "") == "call" and getattr(each, "indices", spec) is not None for each in requests):
        return 'in a nest no call checks its indices; bounds="kernel" checks them in the kernel'
    return ""


def _operands(spec: Any) -> list[Any]:
    named = ("arguments", "operands", "extras", "results")
    return [each for name in named for each in getattr(spec, name, ()) if hasattr(each, "dtype")]


def _number(kernel: Any, name: str, value: Any) -> int:
    if name in GIVEN:
        return 0
    if value.terms:
        raise UnsupportedError(
            f"{name} of {kernel.name}: must be the same number in every iteration; call kernels "
            "for other numbers under ts.when"
        )
    number: int = value.constant
    return number


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _box(block: Block, arrays: Sequence[Touched]) -> tuple[int, ...] | None:
    """Return the number of elements along each indexed axis that a kernel touches from the block's place on, or None if
    they are in no box that begins there."""
    matrix, count = block.matrix, len(block.places)
    if not arrays:
        return (0,) * count
    inner = math.prod(matrix.shape[count:]) * matrix.size
    first, behind = min(each.start for each in arrays), max(each.stop for each in arrays)
    if first >= 0 and behind <= inner:
        return (1,) * count
    if first >= 0 and len(arrays) == 1 and count == len(matrix.shape):
        array, axes = arrays[0], len(arrays[0].shape)
        strides, steps = array.strides[-min(axes, count) :], matrix.strides[-axes:]
        moves = [n == 1 or own == step for n, own, step in zip(array.shape, strides, steps)]
        if axes <= count and all(moves):
            return (*(1,) * (count - axes), *array.shape)
    return None


def _no_box(kernel: str, block: Block, arrays: Sequence[Touched]) -> str:
    """Explain why a kernel cannot write from a block's place on."""
    matrix, behind = block.matrix, max(each.stop for each in arrays)
    inner = math.prod(matrix.shape[len(block.places) :]) * matrix.size
    lines = ", ".join(str(each) for each in matrix.shape)
    all_axes = f"{matrix.name}[..., 0]"
    return (
        f"{kernel} touches {behind} bytes from {matrix.name}[...] on, but a block there has {inner}: "
        f"{matrix.name} is ({lines}) and written; index fewer axes, so that the block keeps as many as the kernel's "
        f"operand, or all axes, as {all_axes} with a 0 for each that is left, so that the kernel begins at an element "
        "and goes on to its neighbours; its leading dimension must then be the distance of the matrix's rows"
    )


def check_bounds(found: Sequence[CallAccess], names: Mapping[str, Range]) -> None:
    """Raise IndexError for elements that lie outside their operand in some iteration. `names` maps the innermost index
    of each loop to the loop.

    The box of written elements lies within the axes. Elements that are only read, and those of scratch memory of a
    worker, lie between the first and the last element of the operand, from a place within the axes on."""
    for access in found:
        if access.extents and _is_inside(access, names):
            continue  # inside whatever the conditions are
        free = access.touched and (not access.writes or bool(access.matrix.each))
        when = happening(access, access.places, names)
        extents = (1,) * len(access.places) if free or access.table else access.extents
        _check_axes(access, extents, when, when.holds)
        if free and np.any(outside := _outside(access, when)):
            _check_axes(access, access.extents, when, outside)  # says which axis of a box is too short
            raise IndexError(_beyond(access, when, outside))


def _outside(access: CallAccess, when: Happening) -> Array:
    """Return in which iterations a call touches bytes before or behind the operand."""
    place, (first, behind) = when.value(access.offset), access.span
    outside: Array = when.holds & ((place + first < 0) | (place + behind > access.matrix.bytes))
    return outside


def _check_axes(access: CallAccess, extents: Sequence[int], when: Happening, which: Array) -> None:
    """Raise IndexError if, in one of these iterations, so many elements from a block's place on exceed an axis."""
    for axis, (form, extent) in enumerate(zip(access.places, extents)):
        place, there = when.value(form), access.matrix.shape[axis]
        wrong = which & ((place < 0) | (place + extent > there))
        if np.any(wrong):
            first = int(np.broadcast_to(place, np.shape(wrong))[wrong].flat[0] if np.shape(wrong) else place)
            extent = access.extents[axis] if access.extents else extent
            raise IndexError(
                f"{access.matrix.name}: {access.call.kernel.name} accesses {extent} elements from {first} on along "
                f"axis {axis}, which has {there}{when.where(wrong)}; use `with ts.when(...):` to call another kernel "
                "for the last block"
            )


def _beyond(access: CallAccess, when: Happening, outside: Array) -> str:
    """Say which element along the first axis a call reads that the operand does not have."""
    matrix, (first, behind) = access.matrix, access.span
    places = np.broadcast_to(when.value(access.offset), np.shape(outside))
    place = int(places[outside].flat[0] if np.shape(outside) else places)
    end = place + first if place + first < 0 else place + behind - matrix.size
    row, total = end // matrix.strides[0], math.prod(matrix.shape)
    return (
        f"{matrix.name}: {access.call.kernel.name} {'writes' if access.writes else 'reads'} as far as {row} along axis "
        f"0, which has {matrix.shape[0]}{when.where(outside)}: element {end // matrix.size} of {total} in all; make "
        f"{matrix.name} larger, or use `with ts.when(...):` to call another kernel for the last block"
    )


class Happening(NamedTuple):
    """All combinations of the values of some indices. `grid` has their values by name, `holds` whether they fulfil the
    conditions of a call."""

    grid: Mapping[str, Any]
    holds: Any

    def value(self, form: Affine) -> Any:
        """Return the values of a form."""
        return form.constant + sum(factor * self.grid[name] for name, factor in form.terms)

    def where(self, which: Array) -> str:
        """Return the loops' values in the first of these iterations, as the end of a clause."""
        if not np.shape(which):
            return ""
        at = tuple(np.argwhere(which)[0])
        shown = [f"i.{name[0]} is {int(values[at])}" for name, values in self.grid.items()]
        return f" where {' and '.join(shown)}" if shown else ""


def happening(access: CallAccess, forms: Sequence[Affine], names: Mapping[str, Range]) -> Happening:
    """Return the iterations in which a call is made, of the loops on which these forms and its conditions depend."""
    decisive = (*forms, *(each.left for each in access.conditions))
    used = dict.fromkeys(name for form in decisive for name, _ in form.terms)
    values = [np.arange(names[name].start, names[name].stop, names[name].step) for name in used]
    if np.prod([len(each) for each in values], dtype=object) > MOST:
        raise UnsupportedError(
            f"{access.matrix.name}: an index takes more than {MOST} different values, too many to check"
        )
    found = Happening(dict(zip(used, np.meshgrid(*values, indexing="ij"))), True)
    holds: Any = np.ones([len(each) for each in values], bool)
    for each in access.conditions:
        holds = holds & HOLDS[each.condition](found.value(each.left), 0)
    return found._replace(holds=holds)


def _is_inside(access: CallAccess, names: Mapping[str, Range]) -> bool:
    """Whether the box of an access lies within the operand for all values of the indices."""
    shape = access.matrix.shape
    return all(map(_inside, access.places, access.extents, shape, [names] * len(shape)))


def enclosed(access: CallAccess, names: Mapping[str, Range]) -> CallAccess:
    """Return an access with the smallest box of whole axes that holds its elements, if its own box does not. The
    extents are () if there is no such box within the operand."""
    if access.extents and _is_inside(access, names) or not access.touched:
        return access
    matrix, (first, behind) = access.matrix, access.span
    for axis in reversed(range(len(access.places))):
        step = matrix.strides[axis]
        inner = offset_of(matrix, (*[affine(0)] * (axis + 1), *access.places[axis + 1 :]))
        low, high = ends(inner, names)
        start, stop = (low + first) // step, (high + behind - 1) // step + 1
        rest = len(access.places) - axis - 1
        places = (*access.places[:axis], access.places[axis] + start, *[affine(0)] * rest)
        extents = (*(1,) * axis, stop - start, *matrix.shape[axis + 1 : axis + 1 + rest])
        made = replace(access, places=places, extents=extents)
        if _is_inside(made, names):
            return made
    return replace(access, extents=())


def _inside(form: Affine, extent: int, there: int, names: Mapping[str, Range]) -> bool:
    """Whether a block lies within an axis for all values of its indices."""
    low, high = ends(form, names)
    return low >= 0 and high + extent <= there


def ends(form: Affine, names: Mapping[str, Range]) -> tuple[int, int]:
    """Return the least and the greatest value of a form."""
    low = high = form.constant
    for name, factor in form.terms:
        loop = names[name]
        ends = factor * loop.start, factor * (loop.start + (loop.stop - 1 - loop.start) // loop.step * loop.step)
        low, high = low + min(ends), high + max(ends)
    return low, high


HOLDS: Mapping[str, Callable[[Array, int], Array]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
