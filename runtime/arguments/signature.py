"""The texts that `inspect.signature` and `help` show for a kernel."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, GemmSpec
from ...microkernels.operands import RUNTIME, Number, Operand, View, last_outputs, runtime_leading
from .gemm import layout_of
from .operands import ArraySpec, contiguous

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
}  # fmt: skip


def output_names(spec: Any) -> tuple[str, ...]:
    """Return the names of the outputs that `out=` stands for."""
    if isinstance(spec, GemmSpec):
        return ("c", *(result.name for result in getattr(spec, "results", ())))
    return tuple(output.name for output in last_outputs(spec.arguments))


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
    """Return the documentation of a kernel."""
    batch = f"({spec.batch}, " if isinstance(spec.batch, int) else "("
    lines = [f"mm{signature(spec)}", "", formula(spec, "C", "sum_i A_i @ B_i"), ""]
    for each in spec.operands:
        shape = f"{'(' if each.name == 'c' else batch}{', '.join(map(str, each.shape))})"
        what = f"{each.name}   {each.dtype} {shape}, order {each.view.order!r}, leading dimension {each.view.leading!r}"
        lines.append(what + _packed(spec, each))
    lines += leading_lines(spec.operands)
    if spec.batch in _PAIRS:
        lines += ["", _PAIRS[spec.batch]]
    if spec.beta == 0:
        lines += ["", "Without c the call returns a new array."]
    return "\n".join(lines)


def leading_lines(operands: Iterable[Operand]) -> list[str]:
    """Return a line for each leading dimension that the call gives."""
    return [f"ld{each.name}   the leading dimension of {each.name} in "
            + ("elements" if each.group == 1 else f"groups of {each.group} elements")
            for each in operands if each.view.leading is RUNTIME]  # fmt: skip


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
    rows, columns = (spec.m, spec.k) if operand.name == "a" else (spec.k, spec.n)
    layout = layout_of(spec, operand.name)
    if operand.name == "a" and layout.startswith("vnni"):
        return f"\n    packed: groups of {operand.group} neighbours along k, as a plain matrix has them"
    made = f'ts.transform("{layout}", {rows}, {columns}, "{operand.dtype}")(x)'
    return f"\n    packed: {made} makes it of x ({rows}, {columns})"


def array_signature(spec: ArraySpec) -> inspect.Signature:
    """Return the arguments of a call. Outputs that come last have a default."""
    parameters = [inspect.Parameter(argument.name, inspect.Parameter.POSITIONAL_ONLY) for argument in spec.arguments]
    for output in range(-len(last_outputs(spec.arguments)), 0):
        parameters[output] = parameters[output].replace(default=None)
    keywords = [f"ld{name}" for name in runtime_leading(spec.arguments)]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in keywords]
    return inspect.Signature(parameters)


def _place(operand: Operand) -> str:
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
    lines = [f"k{array_signature(spec)}", "", spec.equation, ""]
    for argument in spec.arguments:
        if isinstance(argument, Number):
            most = f"at least {argument.least}" if argument.most is None else f"{argument.least} to {argument.most}"
            lines.append(f"{argument.name}   an integer of {most}")
        elif argument.vector:
            lines.append(f"{argument.name}   {argument.dtype} {argument.shape}")
        else:
            place = "contiguous" if argument.name in contiguous(spec) else _place(argument)
            lines.append(f"{argument.name}   {argument.dtype} {argument.shape}, {place}")
    lines += leading_lines(each for each in spec.arguments if isinstance(each, Operand))
    if spec.in_place:
        which = "An output" if len(last_outputs(spec.arguments)) > 1 else "The output"
        lines += ["", f"{which} may be the same array as {' or '.join(spec.in_place)}."]
    return "\n".join(lines)
