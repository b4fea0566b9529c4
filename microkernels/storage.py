"""Elements that are computed in another type than they are stored in: which pairs there are, and how they convert.

A load gives and a store takes one of a few types (`CARRIED`); what is left is part of the expression. Floats are
rounded to nearest even (8 bits: fp8.py). Numbers become integers rounded to nearest even and held within the type's
range, NaN becomes 0; integers become narrower ones held within the range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .dtypes import FLOAT8
from .errors import UnsupportedError
from .expr import (
    MASKS,
    Expr,
    bits,
    clamp,
    constant,
    is_nan,
    maximum,
    minimum,
    node,
    operand,
    rebuilt,
    round_int,
    select,
    shift_right_logical,
    to_float,
)
from .fp8 import narrowed_byte, widened_byte

STORAGE = ("f64", "f32", "bf16", "f16", *FLOAT8, "i32", "i8", "u8", "i16", "u16", "i64", "bits")
"""Types of elements of elementwise kernels; "bits" is a mask, eight elements in a byte, the lowest bit first."""

RANGE = {"i8": (-(1 << 7), (1 << 7) - 1), "u8": (0, (1 << 8) - 1), "i16": (-(1 << 15), (1 << 15) - 1),
         "u16": (0, (1 << 16) - 1), "i32": (-(1 << 31), (1 << 31) - 1)}  # fmt: skip

CARRIED = {
    ("f16", "f32"): "f32", ("bf16", "f32"): "f32", ("f32", "f64"): "f64",
    ("i32", "f32"): "i32", ("i32", "f64"): "i64",
    **{(narrow, "i32"): "i32" for narrow in ("i8", "u8", "i16", "u16")},
    **{(narrow, "f32"): "i32" for narrow in ("i8", "u8", "i16", "u16", *FLOAT8)},
    ("bits", "f32"): "m32", ("bits", "i32"): "m32", ("bits", "f64"): "m64", ("bits", "i64"): "m64",
}  # fmt: skip
"""(element type, compute type) -> the type that a load gives."""


def carried(storage: str, compute: str) -> str:
    """The type that a load of `storage` gives where `compute` is wanted."""
    if storage == compute:
        return compute
    found = CARRIED.get((storage, compute))
    if found is None:
        pairs = ", ".join(of for of, to in CARRIED if to == compute)
        raise UnsupportedError(
            f"elements of type {storage} computed in {compute}: no conversion; {compute} and {pairs} work"
        )
    return found


def widened(outputs: Sequence[Expr], storage: Mapping[str, str]) -> tuple[Expr, ...]:
    """The expressions with each input in the type that its load gives."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op != "input":
            return node(expr.op, args, expr.dtype, expr.value)
        if expr.dtype in MASKS or expr.value not in storage:
            return expr
        of = storage[expr.value]
        loaded = operand(expr.value, carried(of, expr.dtype))
        if of in FLOAT8:
            return widened_byte(loaded, of)
        return loaded if loaded.dtype == expr.dtype else to_float(loaded)

    return rebuilt(outputs, change)


def narrowed(result: Expr, storage: str) -> Expr:
    """A result in the type that a store to `storage` takes: its own, or an integer whose low bits are the element."""
    if result.dtype in MASKS or storage == result.dtype:
        return result
    pair = result.dtype, storage
    if pair == ("f32", "bf16"):
        return shift_right_logical(bits(result), 16) if _is_upper_half(result) else to_bf16(result)
    if result.dtype == "f32" and storage in FLOAT8:
        return narrowed_byte(result, storage)
    if pair in (("f32", "f16"), ("f64", "f32")):
        return result
    if storage in RANGE and (result.dtype == "f32" or pair == ("f64", "i32")):
        return to_whole(result, storage)
    if storage in RANGE and result.dtype == "i32":
        low, high = RANGE[storage]
        if _fits(result, high):
            return result
        return minimum(maximum(result, low), high)
    if result.dtype == "i32" and storage in ("f32", "bf16", "f16", *FLOAT8):
        return narrowed(to_float(result), storage)
    raise UnsupportedError(
        f"results of type {result.dtype} stored as {storage}: no conversion; f32 is stored as f32, bf16, f16, f8, i32 "
        f"and narrower, f64 as f64, f32 and i32, i32 as i32, floats and narrower integers"
    )


def _is_upper_half(x: Expr) -> bool:
    """Whether an f32 is plainly a bf16: its lower half has just been cleared."""
    last = x.args[0].args[1] if x.op == "from_bits" and x.args[0].op == "and" else None
    return last is not None and last.op == "const" and last.value & 0xFFFF == 0


def _fits(n: Expr, high: int) -> bool:
    """Whether an integer is plainly from 0 to `high`: its upper bits have just been cleared."""
    if n.op == "and":
        last = n.args[1]
        return last.op == "const" and last.dtype == "i32" and 0 <= last.value <= high
    return n.op == "shr" and 0xFFFFFFFF >> n.value <= high


def to_bf16(x: Expr) -> Expr:
    """The upper half of an f32, rounded to nearest even; NaN stays a NaN, with the quiet bit."""
    word = bits(x)
    odd = shift_right_logical(word, 16) & 1
    rounded = word + 0x7FFF + odd  # carries into the upper half when that is nearer, or as near and even
    return shift_right_logical(select(is_nan(x), word | 0x400000, rounded), 16)


def to_whole(x: Expr, storage: str) -> Expr:
    """To nearest even, held within the range; NaN becomes 0."""
    low, high = RANGE[storage]
    if storage == "i32" and x.dtype == "f32":  # 2^31 - 1 is no f32: what is above the last one that fits is put in
        whole = round_int(clamp(x, float(low), 2.0**31 - 128))
        whole = select(x < 2.0**31, whole, constant(high, "i32"))
    else:
        whole = round_int(clamp(x, float(low), float(high)))
    return select(is_nan(x), constant(0, whole.dtype), whole)
