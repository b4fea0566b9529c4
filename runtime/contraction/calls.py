"""The arrays of a contraction's calls: their checks in Python, and by machine code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ...encoder.records import cached_property, dataclass
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype
from ..arguments.infer import type_of
from ..arguments.layouts import MemoryLayout
from ..fastcall.foreign import of_tensor
from ..fastcall.guards import RELEASE_ABOVE, NoAlias
from ..fastcall.guards_array import Builder
from ..kernel.callable import LONG
from ..loops.job import JobCall


@dataclass(frozen=True)
class CallArray:
    """An array that every call passes: its name, element type, shape, and strides in elements."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def checked(self, value: object, name: str = "") -> Array:
        """Return an argument as such an array. Errors call it by its own name, or by another one."""
        name = name or self.name
        array = as_array(name, of_tensor(name, value))
        if array.shape != self.shape:
            order, back = self.layout.turns
            turned = array.shape == tuple(self.shape[axis] for axis in order)
            told = f"; {name}.transpose{back} has it" if turned else ""
            raise ValueError(f"{name}: shape {self.shape}, not {array.shape}{told}")
        if type_of(name, array) != self.dtype:
            raise TypeError(f"{name}: {self.dtype}, not {array.dtype}")
        steps = zip(self.shape, array.strides, self.steps)
        if array.strides != self.steps and any(extent > 1 and step != wanted for extent, step, wanted in steps):
            raise ValueError(
                f"{name}: strides of {self.steps} bytes, as the layer was made for, not {array.strides}; "
                f"{self.layout.copied(name)} copies it, or make a layer for its layout"
            )
        if address_of(array) % array.itemsize:
            raise ValueError(f"{name}: elements aligned to {array.itemsize} bytes; {name}.copy() aligns them")
        return array

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """Its strides in bytes."""
        size = numpy_dtype(self.dtype).itemsize
        return tuple(step * size for step in self.strides)

    @property
    def layout(self) -> MemoryLayout:
        """How it lies in memory."""
        return MemoryLayout(self.dtype, self.strides)


def by_name(
    names: Sequence[str], operands: Sequence[object], named: Mapping[str, object], packed: bool
) -> tuple[object, ...]:
    """Return the further operands of a call in their order, which were given by place and by name. packed: whether
    another one came with a packed factor."""
    given = dict(zip(names, operands))
    takes = ", ".join(names) if names else "none"
    whose = "with weights that have a bias, this layer" if packed else "this layer"
    if len(operands) > len(names):
        raise TypeError(f"{whose} takes further operands: {takes}; {len(operands)} are given")
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"{name}: {whose} takes further operands: {takes}, out= and threads=")
        if name in given:
            raise TypeError(f"{name}: given by its place and by its name")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise TypeError(
            f"{whose} takes further operands: {takes}; {len(given)} are given, so that {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing; give them by place or by name, {missing[0]}="
        )
    return tuple(given[name] for name in names)


def native_calls(
    call: JobCall, arrays: Sequence[CallArray], in_place: Collection[str] = (), threads: int | None = None
) -> Callable[..., object] | None:
    """Return an object whose calls machine code handles, or None: `f(a, b, c, *more)` returns None if it has computed,
    and anything else if Python is to look at the arguments.

    arrays     A, B or its panels, C, and the further operands
    in_place   further operands that may be the array of C
    """
    builder, result = Builder(RELEASE_ABOVE, False, {}), arrays[2].name
    spans = {}
    for position, each in enumerate(arrays):
        dtype = numpy_dtype(each.dtype)
        spans[each.name] = builder.laid(position, each.name, dtype, each.shape, each.steps, each.name == result)
    for name in spans:
        if name != result:
            builder.add(NoAlias(spans[result], spans[name], name in in_place))
    structure = builder.entry([each.name for each in arrays], "always" if call.cycles > LONG else "never")
    return call.native(structure, threads)
