"""Calls of BRGEMM kernels with an epilogue: the arguments of the plain kernel, with the epilogue's operands after c.

    mm(a, b, c, bias)                        likewise in the other batch modes: the arguments after c follow bias
    mm(a, b, c, bias, seed, y1, y2)          numbers follow operands; results beside c are the last arguments

An operand of one row, one column or one element is one-dimensional, or a matrix of one row or column. A statistic is
one-dimensional. Results that the call leaves out are new arrays; so is c if beta is 0.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.operands import Number, Operand, parameters
from . import signature as signatures
from .arrays import Array, Made, address_of, as_array
from .gemm import GemmCall, adds_to_c
from .matrices import empty, matrix, no_overlap, scalar, writable
from .operands import number_of
from .regions import TouchedMemory, gemm_regions, matrix_region

BEHIND = 3
"""The position of the epilogue's first operand: a, b and c come first."""


class EpilogueCall(GemmCall):
    """Checks and converts the arguments of one spec's kernel."""

    def __init__(self, spec: EpilogueSpec) -> None:
        super().__init__(spec)
        self.extras = [as_vector(extra) for extra in spec.extras]
        self.numbers = spec.numbers
        self.results = results(spec)
        self.names = list(signature(spec).parameters)[: -len(self.runtime) or None]

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        extras, numbers, made = len(self.extras), len(self.numbers), len(self.results)
        count = extras + numbers
        if len(args) < BEHIND + count + made:
            lacking = ", ".join(self.names[len(args) :])
            hint = self._where_c_is() if len(args) == BEHIND - 1 + count else ""
            raise TypeError(f"this kernel takes {', '.join(self.names)}; {lacking} missing{hint}")
        given = args[BEHIND : BEHIND + extras]
        last = len(args) - made
        a, b, c = args[:BEHIND]
        c = as_array("c", c)  # read once: an object might return other memory the next time
        outputs = {result.name: as_array(result.name, value) for result, value in zip(self.results, args[last:])}
        integers, keep = super().__call__(a, b, c, *args[BEHIND + count : last], **leading)
        arrays = {extra.name: _array(extra, value) for extra, value in zip(self.extras, given)}
        values = [number_of(*each) for each in zip(self.numbers, args[BEHIND + extras : BEHIND + count])]
        no_overlap("c", c, **arrays)
        stored = {result.name: _array(result, outputs[result.name]) for result in self.results}
        self._no_overlap(c, arrays, stored, integers)
        integers += [*map(address_of, arrays.values()), *values, *map(address_of, stored.values())]
        return integers, [*keep, *arrays.values(), *stored.values()]

    def _where_c_is(self) -> str:
        """Return the advice for a call that lacks as many arguments as if it had left out c."""
        if self.spec.beta != 0:
            return f"; {adds_to_c(self.spec)}"
        return f"; {self.names[BEHIND - 1]} comes before {self.names[BEHIND]}: pass None for it to get a new array"

    def _no_overlap(self, c: Array, arrays: dict[str, Array], stored: dict[str, Array], integers: list[int]) -> None:
        """Require that no result shares an element with anything else that the call reads or stores."""
        if not stored:
            return
        inputs = [region for region in gemm_regions(self.spec, integers) if region.name != "c"]
        others = {"c": c, **{region.name: region.array for region in inputs}, **arrays}
        for name, array in stored.items():
            writable(name, array)
            no_overlap(name, array, **others)
            others[name] = array

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new outputs or None, and the arguments including them. New are the results that the call left out,
        and c if it is never read."""
        if not self.results:
            return super().with_output(args)
        missing = len(self.names) - len(args)
        c_too = self.spec.beta == 0 and len(self.names) == BEHIND + len(self.results)  # no other argument follows it
        last = len(self.results) + c_too
        if 0 < missing <= last:
            args = (*args, *(None,) * missing)
        if len(args) != len(self.names):
            return None, args
        wanted = {BEHIND - 1: self.operands["c"]} if self.spec.beta == 0 else {}
        wanted |= dict(enumerate(self.results, len(args) - len(self.results)))
        made = {place: empty(operand) for place, operand in wanted.items() if args[place] is None}
        full = tuple(made.get(place, value) for place, value in enumerate(args))
        return (None if not made else tuple(made.values()) if len(made) > 1 else next(iter(made.values()))), full


def results(spec: EpilogueSpec) -> list[Operand]:
    """Return the results beside c in the form that a call takes: a statistic is one-dimensional."""
    return [as_vector(result) if result.name in spec.statistics else result for result in spec.results]


def as_vector(operand: Operand) -> Operand:
    """Return an operand of one row, column or element as a one-dimensional operand."""
    if 1 not in (operand.rows, operand.columns):
        return operand
    return operand._replace(rows=1, columns=operand.columns if operand.rows == 1 else operand.rows, vector=True)


def _array(operand: Operand, value: Any) -> Array:
    array = scalar(operand, value) if isinstance(value, (int, float)) else as_array(operand.name, value)
    if operand.vector and array.ndim == 2 and 1 in array.shape:
        array = array[0] if array.shape[0] == 1 else array[:, 0]
    elif operand.vector and array.ndim == 0:
        array = array.reshape(1)
    return matrix(operand, array, asked=False)[0]


def signature(spec: EpilogueSpec) -> inspect.Signature:
    """Return the arguments of a call."""
    plain = list(signatures.signature(spec).parameters.values())
    positional = [each for each in plain if each.kind is each.POSITIONAL_ONLY]
    own = [_positional(name) for _, name in parameters([*spec.extras, *spec.numbers])]
    last = [_positional(each.name).replace(default=None) for each in spec.results]
    positional[BEHIND - 1] = positional[BEHIND - 1].replace(default=inspect.Parameter.empty)
    keywords = plain[len(positional) :]
    return inspect.Signature([*positional[:BEHIND], *own, *positional[BEHIND:], *last, *keywords])


def _positional(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY)


def description(spec: EpilogueSpec) -> str:
    """Return the documentation of a kernel."""
    names = ", ".join(["c", *(extra.name for extra in spec.extras)])
    product = signatures.description(spec).partition("\n\n")[2].replace("Without c", "With None for c")
    made = ", ".join(["C", *(result.name for result in spec.results)])
    lines = [f"mm{signature(spec)}", "", product, "", f"then {made} = f({names})"]
    lines += [f"{extra.name}   {extra.dtype} {extra.shape}" for extra in map(as_vector, spec.extras)]
    lines += [f"{number.name}   an integer of at least {number.least}" for number in spec.numbers]
    lines += [f"{each.name}   {each.dtype} {each.shape}{_meaning(spec, each)}" for each in results(spec)]
    if spec.results:
        names = ", ".join(each.name for each in spec.results)
        lines += ["", f"A call allocates and returns those of {names} that are left out."]
    return "\n".join(lines)


def _meaning(spec: EpilogueSpec, result: Operand) -> str:
    """Return the meaning of a result, if its shape and type do not show it."""
    reduction = spec.statistics.get(result.name)
    if reduction is not None:
        return f", {reduction} over the {'rows' if result.columns == spec.n and spec.order[2] == 'C' else 'columns'}"
    return ", a bit for each element, the lowest first" if result.name in spec.elementwise.bits else ""


def regions(spec: EpilogueSpec, integers: Sequence[int]) -> list[TouchedMemory]:
    """Return the memory that a call with these integers may touch."""
    own: list[Operand | Number] = [*map(as_vector, spec.extras), *spec.numbers, *results(spec)]
    count = len(integers) - len(own)
    pairs = zip(own, integers[count:])
    touched = [matrix_region(each, each.name, address, {}) for each, address in pairs if isinstance(each, Operand)]
    return [*gemm_regions(spec, integers[:count]), *touched]
