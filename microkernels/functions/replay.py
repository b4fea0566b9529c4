"""Programs that were not traced here, for example from a pickle: they are replayed step by step, so that every step is
checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..expr.along import ALONG, DOWN, REDUCTIONS, SCAN, SCANNED, SCANS, along, down, scan, scan_down
from ..expr.coordinates import COLUMN, ROW, number_word
from ..expr.graph import (
    BITS,
    EITHER,
    FLOATS,
    INTEGERS,
    NEARLY,
    TABLES,
    Expr,
    Program,
    Step,
    apply,
    call,
    constant_bits,
    node,
    operand,
    rotated,
    shift_right_logical,
)
from ..expr.node import product_of, products_summed
from ..expr.products import BATCHED, PLAIN, PRODUCT, TRANSPOSE, TRANSPOSED
from ..operands import whole
from .activations import FUNCTIONS, GRADIENTS, PARTS


def replayed(program: Program | None, types: Mapping[str, str]) -> tuple[Expr, ...]:
    """Return the expressions of a program that was not traced here. Every step is checked as the operators check it.

    types: the types of the inputs that it may have, besides row and column numbers and numbers given at the call.
    Raises TypeError or ValueError for steps that no function computes.
    """
    if not isinstance(program, Program):
        raise TypeError(f"program: the steps of a traced function, not {program!r}")
    made: list[Expr] = []

    def earlier(places: Sequence[Any]) -> tuple[Expr, ...]:
        numbers = [whole(each) for each in places]
        if any(each is None or not 0 <= each < len(made) for each in numbers):
            raise ValueError(f"program: numbers of earlier steps, not {places!r}")
        return tuple(made[each] for each in numbers if each is not None)

    for step in program.steps:
        expr = _step(step, earlier(step.args), types)
        if expr.dtype != step.dtype:
            raise ValueError(f"program: {step.op} gives {expr.dtype} here, not {step.dtype}")
        made.append(expr)
    return earlier(program.outputs)


def _step(step: Step, args: tuple[Expr, ...], types: Mapping[str, str]) -> Expr:
    op, dtype, value = step.op, step.dtype, step.value
    if op == "input":
        dtype = types.get(value) or ("i32" if value in (ROW, COLUMN) or number_word(value) else "")
        if not dtype:
            raise ValueError(f"program: an input {value!r}; there are {', '.join(types)}")
        return operand(str(value), dtype)
    if op == "const":
        bits = whole(value)
        if dtype not in (*FLOATS, *INTEGERS) or bits is None or bits >> BITS[dtype]:
            raise ValueError(f"program: the bits of a number of type {dtype}, not {value!r}")
        return constant_bits(bits, dtype)
    if op in (ALONG, DOWN):
        if value not in REDUCTIONS or len(args) != 1 or args[0].dtype not in FLOATS:
            raise ValueError(f"program: a reduction of one operand, not {value!r} of {len(args)}")
        return along(value, *args) if op == ALONG else down(value, *args)
    if op in SCANS:
        if len(args) != 1 or args[0].dtype not in (*FLOATS, *INTEGERS) or value not in _SCANS:
            raise ValueError(f"program: a scan of one operand, not {value!r} of {len(args)}")
        return (scan if op == SCAN else scan_down)(value[0], args[0], value[1])
    if op == PRODUCT:
        if value not in (PLAIN, TRANSPOSED, BATCHED) or len(args) != 2:
            raise ValueError(f"program: a product of two operands, not {value!r} of {len(args)}")
        if value == BATCHED:
            return products_summed(*args)
        return product_of(*args, value)
    if op == TRANSPOSE:
        if len(args) != 1:
            raise ValueError(f"program: a transpose of one operand, not of {len(args)}")
        return node(TRANSPOSE, args, args[0].dtype)
    if op == "call":
        arity = _ARITY.get(value[0])
        if len(value) != 1 or len(args) != arity:
            raise ValueError(f"program: a function of so many operands, not {value!r} of {len(args)}")
        return call(value[0], *args)
    return _SHIFTS[op](*args, value) if op in _SHIFTS else apply(op, *args, value=_value(op, value))


_ARITY = {**dict.fromkeys(FUNCTIONS, 1), **dict.fromkeys(GRADIENTS, 2), **{name: n for name, (n, _) in PARTS.items()}}
_SCANS = tuple((name, exclusive) for name in SCANNED for exclusive in (False, True))
_SHIFTS: dict[str, Callable[..., Expr]] = {
    "shl": Expr.__lshift__,
    "sar": Expr.__rshift__,
    "shr": shift_right_logical,
    "rotl": rotated,
}
_PROMISES = ("ldexp", "scale", "scale_floor")


def _value(op: str, value: Any) -> Any:
    """Return the checked value of an operation."""
    if op == "lookup":
        dtype, entries = value
        if len(entries) not in TABLES or dtype not in BITS or any(each >> BITS[dtype] for each in entries):
            raise ValueError(f"program: a table of {TABLES} entries of a type, not {value!r}")
        return str(dtype), tuple(map(int, entries))
    if op == "fma" and value in (EITHER, NEARLY):
        return str(value)
    if value is not None and (op not in _PROMISES or whole(value) is None):
        raise ValueError(f"program: {op} has no value {value!r}")
    return value
