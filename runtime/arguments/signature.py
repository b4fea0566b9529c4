"""The texts that `inspect.signature` and `help` show for a kernel."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, GemmSpec
from ...microkernels.operands import RUNTIME, Interface, Leading, Number, Operand, View, last_outputs, runtime_leading
from .matrices import packing

_NAMES: dict[Any, tuple[str, ...]] = {
    STRIDE: ("a", "b", "c", "count", "a_stride", "b_stride"),
    OFFSET: ("a", "b", "c", "a_offsets", "b_offsets"),
    ADDRESS: ("a_addresses", "b_addresses", "c"),
}
_FIXED = ("a", "b", "c")
_PAIRS: dict[Any, str] = {
    STRIDE: "A_i begins i * a_stride bytes behind a, B_i i * b_stride bytes behind b, for each i below count.",
    OFFSET: "A_i begins a_offsets[i] bytes behind the first element of a, B_i b_offsets[i] bytes behind that of b; in "
    "C each array has count offsets.",
    ADDRESS: "The arrays hold the address of the first element of each A_i and B_i; in C they are a and b, with count "
    "addresses each.",
}


class ArraySpec(Protocol):
    """A request whose calls are described by an interface."""

    @property
    def interface(self) -> Interface:
        """What a call takes."""

    @property
    def equation(self) -> str:
        """The computation, in terms of the argument names."""


def output_names(spec: Any) -> tuple[str, ...]:
    """Return the names of the outputs that `out=` stands for."""
    if isinstance(spec, GemmSpec):
        return ("c", *(result.name for result in getattr(spec, "results", ())))
    return tuple(output.name for output in last_outputs(spec.interface.arguments))


def signature(spec: Any) -> inspect.Signature:
    """Return the arguments of a call of a product of any kind. c has a default if it may be left out; runtime leading
    dimensions are keywords."""
    names = _NAMES.get(getattr(spec, "batch", None), _FIXED)
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    if spec.beta == 0 and names[-1] == "c":
        parameters[-1] = parameters[-1].replace(default=None)
    keywords = [f"ld{name}" for name, value in zip("abc", spec.leading) if value is RUNTIME]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in keywords]
    return inspect.Signature(parameters)


def description(spec: GemmSpec) -> str:
    """Return the documentation of a kernel of products."""
    batch = "".join(f"{count}, " for count in spec.counts)
    shapes = {
        each.name: ("" if each.name == "c" else batch) + ", ".join(map(str, each.shape)) for each in spec.operands
    }
    product = "A @ B" if spec.counted and spec.batch is None else "sum_i A_i @ B_i"
    return product_description(spec, formula(spec, "C", product), shapes, "\n".join([*_counted(spec), *_where(spec)]))


def _counted(spec: GemmSpec) -> Iterator[str]:
    """Yield the sentence about an extent that the call gives."""
    if spec.counted:
        places = "c" if spec.batch is ADDRESS else ", ".join(spec.holders)
        groups = spec.whole_k if spec.counted == "k" else 1
        number = "any number" if groups == 1 else f"any multiple of {groups}"
        yield f"{spec.counted} is {number} from 0 on, read from the shape of {places}."


def _where(spec: GemmSpec) -> Iterator[str]:
    """Yield the sentences that say where the matrices of a batch lie, and which vectors stand for them."""
    fixed, levels = isinstance(spec.batch, int) and spec.strides is not RUNTIME, isinstance(spec.strides, tuple)
    if spec.batch in _PAIRS:
        yield _PAIRS[spec.batch]
    for each in spec.operands[:2]:
        leading = each.view.leading
        if levels:
            steps = ", ".join(map(str, spec.distances(each.name)))
            yield f"The matrices of {each.name} lie {steps} {'elements' if each.group == 1 else 'groups'} apart."
        if each.name in spec.holders:
            continue
        if isinstance(leading, int) and fixed:
            yield f"A vector of {spec.span(each.name)} elements may stand for {each.name}: its memory."
        elif isinstance(leading, int) and leading < each.length:
            yield f"A vector of {each.span} elements may stand for {each.name}, whose lines overlap: its memory."


def product_description(spec: GemmSpec, equation: str, shapes: Mapping[str, str], more: str) -> str:
    """Return the documentation of a kernel of products: what it computes, its matrices, and a further paragraph."""
    lines = [f"mm{signature(spec)}", "", equation, ""]
    for each in spec.operands:
        view = f"order {each.view.order!r}, leading dimension {each.view.leading!r}"
        lines.append(f"{each.name}   {each.dtype} ({shapes[each.name]}), {view}{_packed(spec, each)}")
    lines += leading_lines(spec.operands)
    lines += ["", more] * bool(more)
    if spec.beta == 0:
        lines += ["", "Without c the call returns a new array."]
    return "\n".join(lines)


def leading_lines(operands: Iterable[Operand]) -> list[str]:
    """Return a line for each leading dimension that the call gives."""
    return [
        f"ld{each.name}   the leading dimension of {each.name} in "
        + ("elements" if each.group == 1 else f"groups of {each.group} elements")
        for each in operands
        if each.view.leading is RUNTIME
    ]


def formula(spec: Any, c: str, product: str) -> str:
    """Return the formula for a matrix c, which is not read if beta is 0."""
    if not spec.beta:
        return f"{c} = {spec.alpha:g} * {product}, whatever {c} was"
    return f"{c} = {spec.beta:g} * {c} + {spec.alpha:g} * {product}"


def _packed(spec: GemmSpec, operand: Operand) -> str:
    """Return how to make a packed operand."""
    if operand.group == 1:
        return ""
    if operand.name == "c":
        return f"\n    packed: {getattr(spec, 'c_layout', '')}, as the next product reads it"
    m, n = (name if isinstance(value, Leading) else value for name, value in (("m", spec.m), ("n", spec.n)))
    rows, columns = (m, spec.k) if operand.name == "a" else (spec.k, n)
    return f"\n    packed: {packing(operand, spec.layout_of(operand.name), rows, columns)}"


def array_signature(spec: ArraySpec) -> inspect.Signature:
    """Return the arguments of a call. Outputs that it may leave out have a default."""
    interface = spec.interface
    parameters = [inspect.Parameter(each.name, inspect.Parameter.POSITIONAL_ONLY) for each in interface.arguments]
    for output in range(-len(interface.new), 0):
        parameters[output] = parameters[output].replace(default=None)
    keywords = [f"ld{name}" for name in runtime_leading(interface.arguments)]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in keywords]
    return inspect.Signature(parameters)


def _lengths(operand: Operand, interface: Interface) -> list[str]:
    """Return the lengths of an operand's axes as texts: numbers, and the names of those that the call gives."""
    given = {
        place[:2]: f"{extent.name} + {place.more}" if place.more else extent.name
        for extent in interface.extents
        for place in extent.places
    }
    return [given.get((operand.name, axis), str(length)) for axis, length in enumerate(operand.shape)]


def _extents(interface: Interface) -> str:
    """Return the lines that say from which arrays extents are read."""
    sources = {each.name: ", ".join(place.operand for place in each.places) for each in interface.extents}
    lines = (f"{name} is any number from 0 on, read from the shape of {each}." for name, each in sources.items())
    return "\n".join(lines)


def _layout(operand: Operand) -> str:
    """Return where the elements of an operand lie."""
    order, leading = operand.view
    if operand.group == 1 or leading is RUNTIME:
        return f"order {order!r}, leading dimension {leading!r}"
    if operand.view == View("C", operand.columns):
        return "contiguous"
    steps = (leading, 1) if order == "C" else (1, leading)
    return f"strides ({', '.join(str(step * operand.group) for step in steps)}, 1) in elements"


def array_description(spec: ArraySpec) -> str:
    """Return the documentation of a kernel."""
    interface = spec.interface
    lines = [f"k{array_signature(spec)}", "", spec.equation, ""]
    for each in interface.arguments:
        if isinstance(each, Number):
            most = f"at least {each.least}" if each.most is None else f"{each.least} to {each.most}"
            lines.append(f"{each.name}   an integer of {most}")
            continue
        lengths = _lengths(each, interface)
        shape = f"({', '.join(lengths)}{',' * (len(lengths) == 1)})"
        place = "contiguous" if each.name in interface.contiguous else _layout(each)
        lines.append(f"{each.name}   {each.dtype} {shape}" + ("" if each.vector else f", {place}"))
    lines += leading_lines(interface.operands)
    lines += ["", _extents(interface)] * bool(interface.extents)
    if interface.in_place:
        which = "An output" if len(last_outputs(interface.arguments)) > 1 else "The output"
        lines += ["", f"{which} may be the same array as {' or '.join(interface.in_place)}."]
    return "\n".join(lines)
