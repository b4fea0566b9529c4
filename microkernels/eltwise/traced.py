"""The computation of elementwise and fused kernels: traced functions, the types of operands and of the arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...encoder.records import NamedTuple
from ..dtypes import DTYPES, ELEMENT_BYTES, FLOAT8, FOUR_BITS, element_type
from ..errors import UnsupportedError
from ..expr.conversions import STORAGE
from ..expr.graph import (
    FLOATS,
    INTEGER_OF,
    INTEGERS,
    MASK_OF,
    MASKS,
    Expr,
    ExpressionTypeError,
    Program,
    operand,
    program,
    rebuilt,
    with_args,
)
from ..expr.products import not_here
from ..expr.trace import results, trace
from ..functions.accuracies import ACCURACIES, STANDARD, checked_algorithm
from ..names import chosen

BITS = "bits"

COMPUTE = {
    "f64": "f64",
    "f32": "f32",
    "bf16": "f32",
    "f16": "f32",
    **dict.fromkeys(FLOAT8, "f32"),
    "i32": "i32",
    "i8": "i32",
    "u8": "i32",
    "i16": "i32",
    "u16": "i32",
    **dict.fromkeys(FOUR_BITS, "i32"),
    "i64": "i64",
}
"""The default type of the arithmetic for each element type."""

COMPUTED = ("f32", "f64", "i32", "i64")
"""The types of the arithmetic that a request may name."""


class TracedFunction(NamedTuple):
    """A function that was called with expressions: the types of its operands, of the arithmetic, and its results."""

    types: dict[str, str]
    compute: str
    results: tuple[Expr, ...]


class Computation(NamedTuple):
    """The computation of a kernel on each element, whatever its extents: the types of inputs and outputs by name, the
    type of the arithmetic, and the function as a program. `natural`: the request named no type of the arithmetic."""

    name: str
    types: dict[str, str]
    outs: dict[str, str]
    compute: str
    natural: bool
    program: Program
    accuracy: str
    algorithm: str | None


def computation(
    function: Callable[..., Any],
    name: str,
    inputs: Sequence[str],
    *,
    dtype: Any = "f32",
    compute: Any = None,
    out: Any = None,
    accuracy: str = STANDARD,
    algorithm: Any = None,
    by_name: bool = True,
    traced: TracedFunction | None = None,
) -> Computation:
    """Return the checked computation of a function of these inputs, as in `eltwise_spec`."""
    for what, label in (("name", name), *(("an operand's name", label) for label in inputs)):
        if not isinstance(label, str) or not label.isidentifier():
            raise ValueError(f"{what}: an identifier, because it becomes a name in C code, not {label!r}")
    accuracy = chosen("accuracy", accuracy, ACCURACIES)
    types, compute_type, made = traced or traced_function(function, inputs, dtype, compute, by_name)
    outs = {y: stored_type(f"out of {y}", each) for y, each in _output_types(made, out, types).items()}
    steps = program(*made)
    not_here((step.op for step in steps.steps), name)
    if compute_type in INTEGERS and any(step.dtype in FLOATS and step.op != "from_bits" for step in steps.steps):
        real = "f64" if compute_type == "i64" else "f32"
        raise ExpressionTypeError(f'a float in arithmetic of {compute_type}; compute="{real}" converts')
    functions = dict.fromkeys(step.value[0] for step in steps.steps if step.op == "call")
    algorithm = checked_algorithm(algorithm, accuracy, functions, compute_type)
    return Computation(name, types, outs, compute_type, compute is None, steps, accuracy, algorithm)


def traced_function(
    function: Callable[..., Any], inputs: Collection[str], dtype: Any, compute: Any = None, by_name: bool = True
) -> TracedFunction:
    """Return the expressions of a function with inputs of these names, called as in `eltwise_spec`."""
    types = {
        x: stored_type(f"dtype of {x}", value) for x, value in by_name_or_order(dtype, list(inputs), "dtype").items()
    }
    compute_type = _compute(compute, types)
    natural = by_name and compute is None  # a traced function without a requested type for the arithmetic
    operands = {x: traced_type(types[x], compute_type, natural) for x in inputs}
    made = trace(function, **operands) if by_name else results(function, [operand(*x) for x in operands.items()])
    return TracedFunction(
        types, compute_type, wrapped(made, {x for x in inputs if operands[x] == "i64" and types[x] != "i64"})
    )


def traced_type(dtype: str, compute: str, natural: bool) -> str:
    """Return the type of an operand in a traced function: that of the arithmetic. Integers of up to 32 bits beside
    floats are integers of the same size, if every operation has its natural type; they become floats where they meet
    one."""
    if dtype == BITS:
        return MASK_OF[compute]
    return INTEGER_OF[compute] if natural and compute in FLOATS and COMPUTE[dtype] == "i32" else compute


_WRAPS = ("add", "sub", "neg", "abs", "shl")


def wrapped(outputs: Sequence[Expr], narrow: Collection[str]) -> tuple[Expr, ...]:
    """Return the expressions with i32 arithmetic for the named inputs, which are i32 held in i64 (beside f64). Their
    sums wrap modulo 2^32."""
    if not narrow:
        return tuple(outputs)
    held: set[Expr] = set()  # new nodes that are an i32

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        result = with_args(expr, args)
        whole = expr.dtype == "i64" and all(arg in held or arg.op == "const" or arg.dtype in MASKS for arg in args)
        if expr.op == "input" and expr.value in narrow:
            held.add(result)
        elif whole and args and expr.op != "low_word":
            result = result << 32 >> 32 if expr.op in _WRAPS else result
            held.add(result)
        return result

    return rebuilt(outputs, change)


def by_name_or_order(value: Any, names: Sequence[str], what: str) -> dict[str, Any]:
    """Return a value for each name: one for all, or as many values as names, by name or in order."""
    if isinstance(value, dict):
        if set(value) != set(names):
            raise ValueError(f"{what}: a type for each of {', '.join(names)}, not for {', '.join(map(str, value))}")
        return dict(value)
    if not isinstance(value, (tuple, list)):
        return dict.fromkeys(names, value)
    values = tuple(value)
    if len(values) != len(names):
        raise ValueError(f"{what}: {len(names)} types ({', '.join(names)}), not {len(values)}")
    return dict(zip(names, values))


def stored_type(what: str, value: Any) -> str:
    name = element_type(what, value, BITS)
    if name not in STORAGE:
        raise UnsupportedError(f"{what}: elementwise kernels take {', '.join(STORAGE)}, not {name}")
    return name


def _compute(compute: Any, types: dict[str, str]) -> str:
    """Return the requested type, or a type that holds every input: floats before integers, the widest first."""
    if compute is not None:
        name = element_type("compute", compute)
        if name not in COMPUTED:
            raise UnsupportedError(f"compute: {', '.join(COMPUTED)}, not {name}")
        return name
    defaults = {COMPUTE[dtype] for dtype in types.values() if dtype != BITS}
    if defaults >= {"f32", "i64"}:
        return "f64"
    return next((dtype for dtype in ("f64", "f32", "i64", "i32") if dtype in defaults), "f32")


def _output_types(traced: Sequence[Expr], out: Any, types: dict[str, str]) -> dict[str, Any]:
    """Return the element type of each output by its name. Results of comparisons are bits."""
    names = result_names(types, len(traced))
    outs = by_name_or_order(_common(types) if out is None else out, names, "out")
    for y, result in zip(names, traced):
        if result.dtype in MASKS:
            outs[y] = BITS
        elif outs[y] == BITS:
            raise ValueError(f"out of {y}: only results of comparisons are stored as bits, this one is {result.dtype}")
    return {y: outs[y] for y in names}


def result_names(inputs: Collection[str], count: int) -> list[str]:
    """Return the names of `count` outputs: y, or y0, y1, ..., unless an input has one of them; then out, or result."""
    every = ([base] if count == 1 else [f"{base}{i}" for i in range(count)] for base in ("y", "out", "result"))
    return next(names for names in every if not set(names) & set(inputs))


def _common(types: dict[str, str]) -> str:
    """Return the default type of an output: the type of the inputs, or the widest float among them."""
    numbers = dict.fromkeys(dtype for dtype in types.values() if dtype != BITS)
    return max(numbers, key=lambda dtype: (DTYPES[dtype].real, ELEMENT_BYTES[dtype]), default="f32")
