"""The arguments of gathers and embedding bags whose extents are read from the arrays."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.counted_spec import CountedSpec, Place, Request, parameters_of
from ...microkernels.operands import Operand, last_outputs
from .arrays import Made, as_array, numpy_dtype
from .gather import BagCall, GatherCall, gather_signature, lacks_last
from .matrices import miscounted
from .regions import Region, array_regions
from .signature import array_signature


class CountedCall:
    """Checks and converts the arguments of one spec's kernel. It keeps no state of a call, so threads may share it."""

    def __init__(self, spec: CountedSpec) -> None:
        self.spec = spec
        self.names = [each.name for each in spec.arguments]
        self.dtype = numpy_dtype(next(each.dtype for each in reversed(spec.request.arguments) if each.output))  # type: ignore[union-attr]

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        if len(args) != len(self.names):
            raise miscounted(self.spec.arguments, len(args))
        numbers = self._extents(dict(zip(self.names, args)))
        integers, keep = _call(self.spec.of(numbers))(*args, **leading)
        count = len(self.names)
        return [*integers[:count], *numbers.values(), *integers[count:]], keep

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new outputs or None, and the arguments including them. Outputs are new if the call left them, its
        last arguments, out."""
        inputs = len(self.names) - len(last_outputs(self.spec.arguments))
        if len(args) < inputs or any(each is not None for each in args[inputs:]):
            return None, args
        numbers = self._extents(dict(zip(self.names, args[:inputs])))
        return _call(self.spec.of(numbers)).with_output(args)

    def _extents(self, given: Mapping[str, Any]) -> dict[str, int]:
        """Return the extents that the arrays have."""
        arrays = {name: as_array(name, value) for name, value in given.items()}
        shapes = {name: each.shape for name, each in arrays.items()}
        request = self.spec.request
        if isinstance(request, BagSpec) and "bags" in self.spec.at_call and arrays["offsets"].ndim == 1:
            rows = shapes["y"][0] if shapes.get("y") else None
            if lacks_last(request, arrays["offsets"], arrays["index"].size, rows):
                shapes["offsets"] = (len(arrays["offsets"]) + 1,)  # as the kernel gets them
        return {name: self._extent(name, places, shapes) for name, places in self.spec.places.items()}

    def _extent(self, extent: str, places: Sequence[Place], shapes: Mapping[str, tuple[int, ...]]) -> int:
        found = {place.operand: shapes[place.operand][place.axis] - place.more for place in places
                 if place.operand in shapes and len(shapes[place.operand]) > place.axis}  # fmt: skip
        if not found:
            raise ValueError(f"{extent}: give an array as {' or '.join(place.operand for place in places)}; {extent} "
                             "is read from its shape")  # fmt: skip
        first, number = next(iter(found.items()))
        for name, other in found.items():
            if other != number:
                raise ValueError(f"{first}, {name}: must agree on {extent}, but {first} has {number} "
                                 f"and {name} {other}")  # fmt: skip
        if number < 0:
            raise ValueError(f"{first}: shape {shapes[first]} is too small, it leaves {number} {extent}")
        return number


def _call(request: Request) -> BagCall | GatherCall:
    return BagCall(request) if isinstance(request, BagSpec) else GatherCall(request)


def regions(spec: CountedSpec, integers: Sequence[int]) -> list[Region]:
    """Return the matrices of a call with these integers."""
    names = [name for _, name in parameters_of(spec)]
    values = dict(zip(names, integers))
    left = [value for name, value in zip(names, integers) if name not in spec.at_call]
    return array_regions(spec.of({name: values[name] for name in spec.at_call}), left)


def signature(spec: CountedSpec) -> inspect.Signature:
    """Return the arguments of a call. The output of a scatter has no default."""
    request = spec.request
    return array_signature(request) if isinstance(request, BagSpec) else gather_signature(request)


def description(spec: CountedSpec) -> str:
    """Return the documentation of a kernel."""
    lines = [f"k{signature(spec)}", "", spec.equation, ""]
    for each in spec.arguments:
        if isinstance(each, Operand):
            sizes = ", ".join(_size(spec, each, axis) for axis in range(len(each.shape)))
            leading = "" if each.vector else f", order {each.view.order!r}, leading dimension {each.view.leading!r}"
            lines.append(f"{each.name}   {each.dtype} ({sizes}{',' * each.vector}){leading}")
    said = "; ".join(f"{name} from {' and '.join(place.operand for place in places)}"
                     for name, places in spec.places.items())  # fmt: skip
    return "\n".join([*lines, "", f"The arrays say {said}."])


def _size(spec: CountedSpec, operand: Operand, axis: int) -> str:
    """Return an extent of an operand as text: a number, or a name with the number that is added to it."""
    for name, places in spec.places.items():
        for place in places:
            if (place.operand, place.axis) == (operand.name, axis):
                return f"{name} + {place.more}" if place.more else name
    return str(operand.shape[axis])
