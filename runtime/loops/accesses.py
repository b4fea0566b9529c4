"""The blocks that the calls of a nest read and write, and the check that they lie within the operands in every
iteration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...encoder.records import NamedTuple, dataclass
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import ADDRESS, OFFSET
from .code import Affine, Call, Node, When
from .grammar import Range
from .trace import GIVEN, Block, Matrix, offset_of

_BASE = 40
"""While a kernel is asked for its regions, the bits from this one on identify the operand of an address."""
_BELOW = 1 << _BASE - 1
"""The most bytes that a call may touch below an address: a batch may lie at negative strides."""
_MOST = 1 << 22
"""The most iterations that are checked one by one for bounds."""


@dataclass(frozen=True)
class Access:
    """A box of an operand that a call reads or writes: along each axis it begins at `places` and has `extents`
    elements. The operand is argument number `argument` of the call."""

    call: Call
    matrix: Matrix
    places: tuple[Affine, ...]
    extents: tuple[int, ...]
    writes: bool
    conditions: tuple[When, ...]
    argument: int

    @property
    def offset(self) -> Affine:
        """The bytes from the operand's first element."""
        return offset_of(self.matrix, self.places)


def accesses(
    nodes: Sequence[Node], given: Mapping[int, tuple[Any, ...]], around: tuple[When, ...] = ()
) -> Iterator[Access]:
    """Yield all accesses of a body. `given` maps the id of each call to its blocks."""
    for node in nodes:
        if isinstance(node, When):
            yield from accesses(node.body, given, (*around, node))
        elif isinstance(node, Call):
            yield from _of_call(node, given[id(node)], around)


def _of_call(call: Call, given: tuple[Any, ...], around: tuple[When, ...]) -> Iterator[Access]:
    kernel = call.kernel
    parameters = kernel.kind.parameters(kernel.spec)
    integers = [
        (number + 1) << _BASE if isinstance(block, Block) else _number(kernel, name, value)
        for number, ((_, name), block, value) in enumerate(zip(parameters, given, call.arguments))
    ]
    types, touched = _touched(kernel, tuple(integers))
    for number, ((kind, name), block) in enumerate(zip(parameters, given)):
        if not isinstance(block, Block):
            continue
        if name in types and types[name] != block.matrix.dtype:
            raise TypeError(
                f"{name} of {kernel.name}: must be {types[name]}, but {block.matrix.name} is {block.matrix.dtype}"
            )
        extents = _box(kernel, block, touched.get(number + 1, ()))
        yield Access(call, block.matrix, block.places, extents, "const" not in kind, around, number)


class _Touched(NamedTuple):
    """The elements that a call touches, relative to a block's address: the byte offsets of the first element and past
    the last one, and the number of elements and the stride along each axis. An empty matrix has none."""

    start: int
    stop: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


_known: WeakKeyDictionary[Any, dict[tuple[int, ...], Any]] = WeakKeyDictionary()


def _touched(kernel: Any, integers: tuple[int, ...]) -> tuple[dict[str, str], dict[int, list[_Touched]]]:
    """Return the element types of a kernel's operands, and what a call with these integers touches, keyed by argument.
    The answer is the same in every nest, so it is computed once per kernel."""
    calls = _known.setdefault(kernel, {})
    if integers in calls:
        return calls[integers]  # type: ignore[no-any-return]
    if reason := _reads_places(kernel.spec):
        raise UnsupportedError(f"{kernel.name}: {reason}")
    regions = kernel.kind.regions(kernel.spec, integers)
    found: dict[int, list[_Touched]] = {}
    for array in [each.array for each in regions if each.array.size]:
        number, start = divmod(_address(array) + _BELOW, 1 << _BASE)
        start -= _BELOW
        stop = start + sum((n - 1) * s for n, s in zip(array.shape, array.strides)) + array.itemsize
        found.setdefault(number, []).append(_Touched(start, stop, array.shape, array.strides))
    calls[integers] = {each.name: each.dtype for each in _operands(kernel.spec)}, found
    return calls[integers]  # type: ignore[no-any-return]


def _reads_places(spec: Any) -> str:
    """Explain why the numbers in a table or an index decide what the kernel accesses, so that a nest cannot prove it;
    "" if they do not."""
    if getattr(getattr(spec, "product", spec), "batch", None) in (ADDRESS, OFFSET):
        return (
            "a nest computes the addresses of matrices itself, so it cannot call kernels that take tables of "
            "addresses or offsets; kernels with batch=N or ts.STRIDE work"
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


def _address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _box(kernel: Any, block: Block, arrays: Sequence[_Touched]) -> tuple[int, ...]:
    """Return the number of elements along each indexed axis that a kernel touches from the block's place on."""
    matrix, count = block.matrix, len(block.places)
    inner = math.prod(matrix.shape[count:]) * matrix.size
    if not arrays:
        return (0,) * count
    if (below := min(each.start for each in arrays)) < 0:
        raise UnsupportedError(
            f"{kernel.name} touches {-below} bytes before {matrix.name}[...], because its strides are negative; in a "
            "nest a call begins at the lowest matrix, so count from the last one on with positive strides"
        )
    behind = max(each.stop for each in arrays)
    if behind <= inner:
        return (1,) * count
    if len(arrays) == 1 and count == len(matrix.shape):
        array, axes = arrays[0], len(arrays[0].shape)
        strides, steps = array.strides[-min(axes, count) :], matrix.strides[-axes:]
        moves = [n == 1 or own == step for n, own, step in zip(array.shape, strides, steps)]
        if axes <= count and all(moves):
            return (*(1,) * (count - axes), *array.shape)
    lines = ", ".join(str(each) for each in matrix.shape)
    all_axes = f"{matrix.name}[..., 0]"
    raise UnsupportedError(
        f"{kernel.name} touches {behind} bytes from {matrix.name}[...] on, but a block there has {inner}: "
        f"{matrix.name} is ({lines}); index fewer axes, so that the block keeps as many as the kernel's operand, or "
        f"all axes, as {all_axes} with a 0 for each that is left, so that the kernel begins at an element and goes on "
        "to its neighbours; its leading dimension must then be the distance of the matrix's rows"
    )


def check_bounds(found: Sequence[Access], names: Mapping[str, Range]) -> None:
    """Raise IndexError for a block that lies outside its operand in some iteration. `names` maps the innermost index of
    each loop to the loop."""
    for access in found:
        if all(
            _inside(form, extent, there, names)
            for form, extent, there in zip(access.places, access.extents, access.matrix.shape)
        ):
            continue  # inside whatever the conditions are
        when = happening(access, access.places, names)
        for axis, (form, extent) in enumerate(zip(access.places, access.extents)):
            place = when.value(form)
            wrong = when.holds & ((place < 0) | (place + extent > access.matrix.shape[axis]))
            if np.any(wrong):
                first = int(np.broadcast_to(place, np.shape(wrong))[wrong].flat[0] if np.shape(wrong) else place)
                name, kernel, there = access.matrix.name, access.call.kernel.name, access.matrix.shape[axis]
                raise IndexError(
                    f"{name}: {kernel} accesses {extent} elements from {first} on along axis {axis}, "
                    f"which has {there}; use `with ts.when(...):` to call another kernel for the last "
                    "block"
                )


class Happening(NamedTuple):
    """All combinations of the values of some indices. `grid` has their values by name, `holds` whether they fulfil the
    conditions of a call."""

    grid: Mapping[str, Any]
    holds: Any

    def value(self, form: Affine) -> Any:
        """Return the values of a form."""
        return form.constant + sum(factor * self.grid[name] for name, factor in form.terms)


def happening(access: Access, forms: Sequence[Affine], names: Mapping[str, Range]) -> Happening:
    """Return the iterations in which a call is made, of the loops on which these forms and its conditions depend."""
    decisive = (*forms, *(each.left for each in access.conditions))
    used = dict.fromkeys(name for form in decisive for name, _ in form.terms)
    values = [np.arange(names[name].start, names[name].stop, names[name].step) for name in used]
    if np.prod([len(each) for each in values], dtype=object) > _MOST:
        raise UnsupportedError(
            f"{access.matrix.name}: an index takes more than {_MOST} different values, too many to check"
        )
    found = Happening(dict(zip(used, np.meshgrid(*values, indexing="ij"))), True)
    holds: Any = np.ones([len(each) for each in values], bool)
    for each in access.conditions:
        holds = holds & _HOLDS[each.condition](found.value(each.left), 0)
    return found._replace(holds=holds)


def _inside(form: Affine, extent: int, there: int, names: Mapping[str, Range]) -> bool:
    """Whether a block lies within an axis for all values of its indices."""
    low = high = form.constant
    for name, factor in form.terms:
        loop = names[name]
        ends = factor * loop.start, factor * (loop.start + (loop.stop - 1 - loop.start) // loop.step * loop.step)
        low, high = low + min(ends), high + max(ends)
    return low >= 0 and high + extent <= there


_HOLDS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
