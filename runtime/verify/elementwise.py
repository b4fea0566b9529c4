"""The expected value of each element of an elementwise request: its expression, evaluated on symbolic elements.

The expression is the request's own, with functions expanded to their operations (`EltwiseSpec.expanded`); the code that
generates kernels is not used. The operations are those of emulation/numerics/expressions.py: numpy computes them on
numbers, and on elements of a table they create nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ...emulation.numerics.expressions import NUMPY, SEMANTICS
from ...emulation.symbolic.exact import OPERATIONS
from ...emulation.symbolic.lanes import Lanes
from ...emulation.symbolic.masks import bits_of, packed
from ...emulation.symbolic.values import Table, encoded
from ...encoder.features import Target
from ...microkernels.codegen.selection import arithmetic_of
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.coordinates import COLUMN, ROW, number_word
from ...microkernels.expr.graph import EITHER, NEARLY, Expr, node, program, rebuilt
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import ORIGIN
from .conversions import NUMPY_TYPES, loaded, stored
from .layouts import array_of, matrix_of

_SCALES = ("ldexp", "scale", "scale_floor")
Array = np.ndarray[Any, Any]


def computed(
    spec: Any, table: Table, inputs: Mapping[str, Array], target: Target, numbers: Mapping[str, int]
) -> dict[str, Array]:
    """Return the bytes of each output. The target matters because machines choose different forms of some functions."""
    if spec.compute not in NUMPY:
        raise UnsupportedError(
            f"verify: {spec.name}: {spec.compute} has no specification yet; {', '.join(NUMPY)} have one"
        )
    refuse_flushed(spec, target)
    read = {step.value: NUMPY[step.dtype] for step in spec.program.steps if step.op == "input"}
    given: dict[str, Any] = {}
    for x in spec.inputs:
        if x.name in spec.bits:
            given[x.name] = conditions(table, inputs[x.name][..., 0], spec.n)
            continue
        own = np.dtype(NUMPY_TYPES[x.dtype])
        nodes = matrix_of(inputs[x.name][..., 0], _layout(spec, x), own.itemsize, spec.m, spec.n)
        to = read.get(x.name, NUMPY[spec.compute])
        given[x.name] = loaded(Lanes(table.bytes_of(nodes, own.itemsize), own, table), x.dtype, to)
    given |= _places(spec, table, inputs, numbers)
    arithmetic = arithmetic_of(facts_of(target), spec.numerics)
    whole = program(*scaled(spec.expanded(arithmetic.tables), arithmetic))
    types = [whole.steps[place].dtype for place in whole.outputs]
    results = evaluated(whole, given, OPERATIONS[target.arch])
    return {
        y.name: packed_bits(table, value, spec.m, spec.n)
        if y.name in spec.bits
        else _array(spec, y, value if y.dtype == of else stored(value, y.dtype))
        for y, of, value in zip(spec.outputs, types, results)
    }


def refuse_flushed(spec: Any, target: Target) -> None:
    """Raise UnsupportedError if numerics="fast" leaves it open whether denormal results become zeros."""
    facts = facts_of(target)
    differs = spec.numerics != "exact" and arithmetic_of(facts, spec.numerics) is not arithmetic_of(facts)
    if differs and any(y.dtype == "bf16" for y in spec.outputs):
        raise UnsupportedError(
            f"verify: {spec.name}: results of bf16 under numerics='fast' may have zeros for "
            "denormals, which has no specification; numerics='exact' has one"
        )


def conditions(table: Table, nodes: Array, columns: int) -> Any:
    """Return the bits of bytes as conditions, cut to `columns` per row."""
    return bits_of(table.bytes_of(nodes, 1)[..., 0], table)[:, :columns]


def packed_bits(table: Table, value: Any, rows: int, columns: int) -> Array:
    """Return conditions as bits packed into whole bytes for each row. The bits after the last element are zero."""
    raw = value.raw if isinstance(value, Lanes) else encoded(np.asarray(value))
    whole = np.full((rows, -(-columns // 8) * 8, 1), -1, np.int64)
    whole[:, :columns] = np.broadcast_to(raw, (rows, columns, 1))
    nodes = table.nodes_of(whole).reshape(rows, -(-columns // 8), 8)
    made = [[packed(table, conditions) for conditions in row] for row in nodes.tolist()]
    return table.bytes_of(np.array(made, np.int64).reshape(nodes.shape[:2]), 1)


def bits_in_a_row(operand: Any, own: int, columns: int) -> int:
    """Return the number of mask elements per row, where the operand's columns count bytes. It is `own`, the number of
    columns of the mask's value, or `columns`, whichever fills the bytes; otherwise 1, a single value per row."""
    return next((each for each in (own, columns) if -(-each // 8) == operand.columns), 1)


def _places(spec: Any, table: Table, inputs: Mapping[str, Array], numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return the row and column numbers of elements, and the words of the request's numbers, as 32-bit integers."""
    rows, columns = np.arange(spec.m, dtype=np.int32)[:, None], np.arange(spec.n, dtype=np.int32)[None, :]
    given: dict[str, Any] = {ROW: rows, COLUMN: columns}
    if spec.moved:
        row, column = (word_of(table, inputs, numbers, name, 0) for name in ORIGIN)
        given = {ROW: row + rows, COLUMN: column + columns}
    for name, _ in spec.program.inputs:
        if (word := number_word(name)) is not None:
            given[name] = word_of(table, inputs, numbers, *word)
    return given


def word_of(table: Table, inputs: Mapping[str, Array], numbers: Mapping[str, int], name: str, word: int) -> Any:
    """Return the low (0) or high (1) 32 bits of a number that the call gives: those of its nodes if it may be any, and
    otherwise of its value."""
    if name in inputs:
        return Lanes(table.bytes_of(inputs[name][word : word + 1], 4), np.int32, table)
    return np.array([numbers[name] >> 32 * word & 0xFFFFFFFF], np.uint32).view(np.int32)


def scaled(outputs: Sequence[Expr], arithmetic: Any) -> tuple[Expr, ...]:
    """Return the expressions with open choices made as the machine makes them. The choices are multiplications by
    powers of two, which are exact under the request's promise, and a * b + c that need not be rounded once."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        made = node(expr.op, args, expr.dtype, expr.value)
        if made.op == "fma" and arithmetic.rounds_twice and made.value == EITHER:
            return args[0] * args[1] + args[2]
        chosen = expr.op in _SCALES or made.value == NEARLY
        rule = arithmetic.rules.get((expr.op, expr.args[-1].dtype)) if chosen else None
        return made if rule is None else scaled([rule(made)], arithmetic)[0]

    return rebuilt(outputs, change)


def evaluated(
    of: Any,
    given: Mapping[str, Any],
    operations: Mapping[str, Any],
    others: Mapping[str, Callable[[Any, list[Any]], Any]] = MappingProxyType({}),
) -> list[Any]:
    """Return the results of a program. `others` compute steps that are not elementwise from all values before them."""
    values: list[Any] = []
    for step in of.steps:
        if step.op == "input":
            value = given[step.value]
        elif step.op == "const":
            to = NUMPY[step.dtype]
            value = np.array(step.value, f"u{to.itemsize}").view(to)
        elif step.op in others:
            value = others[step.op](step, values)
        else:
            operation = operations.get(step.op, SEMANTICS[step.op])
            value = operation(*(values[arg] for arg in step.args), value=step.value)
        values.append(value)
    return [values[output] for output in of.outputs]


def _layout(spec: Any, operand: Any) -> str:
    return spec.layout_of(operand) if spec.layouts else ""


def _array(spec: Any, y: Any, value: Any) -> Array:
    return array_of(_whole(spec, value), _layout(spec, y), ELEMENT_BYTES[y.dtype])


def _whole(spec: Any, value: Any) -> Array:
    raw = value.raw if isinstance(value, Lanes) else encoded(np.asarray(value))
    return np.ascontiguousarray(np.broadcast_to(raw, (spec.m, spec.n, raw.shape[-1])))
