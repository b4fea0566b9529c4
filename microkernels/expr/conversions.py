"""Conversions between the type of stored elements and the type of the arithmetic.

A load gives and a store takes one of a few types (`CARRIED`). The rest of a conversion is part of the expression.
Floats are rounded to nearest even, once (expr/minifloat.py). A float becomes an integer by rounding to nearest even and
saturation to the type's range; NaN becomes 0. Integers become narrower by saturation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..dtypes import FLOAT8, FOUR_BITS
from ..errors import UnsupportedError
from .graph import (
    MASKS,
    Expr,
    apply,
    bits,
    clamp,
    constant,
    floor,
    fma,
    is_nan,
    maximum,
    minimum,
    number_of,
    operand,
    rebuilt,
    rint,
    round_int,
    select,
    shift_right_logical,
    to_float,
    to_int,
    with_args,
)
from .minifloat import narrowed_bits, widened_bits

STORAGE = ("f64", "f32", "bf16", "f16", *FLOAT8, "i32", "i8", "u8", "i16", "u16", "i64", *FOUR_BITS, "bits")
"""Element types of elementwise kernels. "bits" is a mask: eight elements in a byte, the lowest bit first."""

RANGE = {
    "i8": (-(1 << 7), (1 << 7) - 1),
    "u8": (0, (1 << 8) - 1),
    "i16": (-(1 << 15), (1 << 15) - 1),
    "u16": (0, (1 << 16) - 1),
    "i32": (-(1 << 31), (1 << 31) - 1),
    "i4": (-(1 << 3), (1 << 3) - 1),
    "u4": (0, (1 << 4) - 1),
}
_SHORT = ("i8", "u8", "i16", "u16")
_HALVES = ("bf16", "f16")

CARRIED = {
    **{(half, compute): compute for half in _HALVES for compute in ("f32", "f64")},
    ("f32", "f64"): "f64",
    ("f64", "f32"): "f32",
    ("i32", "f32"): "i32",
    **{(narrow, compute): "i32" for narrow in (*_SHORT, *FOUR_BITS) for compute in ("i32", "f32")},
    **{(narrow, compute): "i64" for narrow in (*_SHORT, *FOUR_BITS, "i32") for compute in ("i64", "f64")},
    **dict.fromkeys(((byte, "f32") for byte in FLOAT8), "i32"),
    **dict.fromkeys(((byte, "f64") for byte in FLOAT8), "i64"),
    ("i64", "f64"): "i64",
    ("bits", "f32"): "m32",
    ("bits", "i32"): "m32",
    ("bits", "f64"): "m64",
    ("bits", "i64"): "m64",
}
"""The type that a load gives, keyed by (element type, compute type)."""


def carried(storage: str, compute: str) -> str:
    """Return the type that a load of `storage` gives if `compute` is wanted."""
    if storage == compute:
        return compute
    loaded = CARRIED.get((storage, compute))
    if loaded is None:
        pairs = ", ".join(of for of, to in CARRIED if to == compute)
        wider = next((f'; compute="{to}" takes them' for to in ("f32", "f64") if (storage, to) in CARRIED), "")
        raise UnsupportedError(
            f"elements of type {storage} computed in {compute}: no conversion; {compute} and {pairs} work{wider}"
        )
    return loaded


def widened(outputs: Sequence[Expr], storage: Mapping[str, str]) -> tuple[Expr, ...]:
    """Return the expressions with each input in the type that its load gives."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == "to_int" and _is_exact(args[0], storage):
            return args[0].args[0]
        if expr.op != "input":
            return with_args(expr, args)
        if expr.dtype in MASKS or expr.value not in storage:
            return expr
        stored = storage[expr.value]
        loaded = operand(expr.value, carried(stored, expr.dtype))
        if stored in FLOAT8:
            return widened_bits(loaded, stored)
        if stored in FOUR_BITS:
            loaded = _lower_half(loaded, stored)
        if loaded.dtype == expr.dtype:
            return loaded
        return long_to_float(loaded) if stored == "i64" else to_float(loaded)

    return rebuilt(outputs, change)


def _is_exact(x: Expr, storage: Mapping[str, str]) -> bool:
    """Whether x is an f32 converted from an element of 16 bits or less, which it holds without rounding."""
    loaded = x.args[0] if x.op == "to_float" else x
    return loaded is not x and loaded.op == "input" and storage.get(loaded.value) in _SHORT


def narrowed(result: Expr, storage: str, converts: bool = False) -> Expr:
    """Return a result in the type that a store to `storage` takes: the storage type itself, or an integer whose low
    bits are the element. converts: whether the store takes an f32."""
    if result.dtype in MASKS or storage == result.dtype:
        return result
    if converts:
        return result if result.dtype == "f32" else to_float(result)
    converted = _NARROWED[result.dtype](result, storage)
    if converted is None:
        raise UnsupportedError(
            f"results of type {result.dtype} stored as {storage}: no conversion; f32 is stored as every type but i64, "
            f'f64 and integers as every type; compute="f64" converts'
        )
    return converted & 15 if storage in FOUR_BITS else converted


def _lower_half(byte: Expr, storage: str) -> Expr:
    """Return the integer in the lower half of a byte."""
    code = byte & 15
    return (code ^ 8) - 8 if storage == "i4" else code


def _of_f32(x: Expr, storage: str) -> Expr | None:
    if storage == "bf16":
        half = _upper_half(x)
        return to_bf16(x) if half is None else shift_right_logical(half, 16)
    if storage in FLOAT8:
        return narrowed_bits(x, storage)
    if storage in RANGE:
        return to_whole(x, storage)
    return x if storage in ("f16", "f64") else None


def _of_f64(x: Expr, storage: str) -> Expr | None:
    if storage in (*FLOAT8, *_HALVES):
        return narrowed_bits(x, storage)
    if storage in RANGE:
        return to_whole(x, storage)
    return to_long(x) if storage == "i64" else x


def _of_i32(n: Expr, storage: str) -> Expr | None:
    if storage in RANGE:
        return _saturated(n, storage)
    return n if storage in ("f64", "i64") else _of_f32(to_float(n), storage) if storage != "f32" else to_float(n)


def _of_i64(n: Expr, storage: str) -> Expr | None:
    if storage in RANGE:
        return _saturated(n, storage)
    return long_to_float(n) if storage == "f64" else _of_f64(to_float_odd(n), storage)


_NARROWED = {"f32": _of_f32, "f64": _of_f64, "i32": _of_i32, "i64": _of_i64}


def _saturated(n: Expr, storage: str) -> Expr:
    """Return an integer saturated to the range of a narrower one."""
    low, high = RANGE[storage]
    if _fits(n, high):
        return n
    if n.dtype == "i32" and storage in _SHORT:
        return apply("saturate", n, value=storage)
    return minimum(maximum(n, low), high)


def _upper_half(x: Expr) -> Expr | None:
    """Return bits whose upper half is an f32 known to be a bf16, because its last operation clears the lower half; else
    None."""
    if x.op != "from_bits" or x.args[0].op != "and":
        return None
    whole, mask = x.args[0].args
    if mask.op != "const" or mask.value & 0xFFFF:
        return None
    return whole if mask.value & 0xFFFF0000 == 0xFFFF0000 else x.args[0]


def _fits(n: Expr, high: int) -> bool:
    """Whether an integer is known to be from 0 to `high`, because its last operation clears the upper bits."""
    if n.op == "and":
        last = n.args[1]
        return last.op == "const" and last.dtype == n.dtype and 0 <= last.value <= high
    return n.op == "shr" and n.dtype == "i32" and 0xFFFFFFFF >> n.value <= high


def to_bf16(x: Expr) -> Expr:
    """Return the upper half of an f32, rounded to nearest even. A NaN stays a NaN, with the quiet bit set."""
    word = bits(x)
    odd = shift_right_logical(word, 16) & 1
    rounded = word + 0x7FFF + odd  # carries into the upper half if that is nearer, or equally near and even
    return shift_right_logical(select(is_nan(x), word | 0x400000, rounded), 16)


_ONES = 2.0**52 + 2.0**51
"""The last bit of a sum with this number is worth 1. The sum is therefore rounded to a whole number, held in its low
bits."""


def to_whole(x: Expr, storage: str) -> Expr:
    """Return a float rounded to nearest even and saturated to the range of `storage`; NaN becomes 0. For f64 the low 32
    bits of the result are the integer."""
    low, high = RANGE[storage]
    x = _unlimited(x, low, high)
    if x.dtype == "f32" and storage in _SHORT:
        return apply("to_whole", x, value=storage)
    least = float(low) if low else -0.0  # some machines need fewer instructions to compare with -0 than with +0
    if x.dtype == "f64":
        whole = bits(clamp(x, least, float(high)) + _ONES)
    elif storage == "i32":  # 2^31 - 1 is no f32: numbers from 2^31 on select it
        whole = round_int(clamp(x, least, 2.0**31 - 128))
        whole = select(x < 2.0**31, whole, constant(high, "i32"))
    else:
        whole = round_int(clamp(x, least, float(high)))
    return select(is_nan(x), constant(0, whole.dtype), whole)


def _unlimited(x: Expr, low: int, high: int) -> Expr:
    """Return x without final operations that the conversion to a whole number from low to high repeats: rounding to
    nearest even, a maximum with a number up to low, a minimum with a number from high on. All of them keep a NaN."""
    while True:
        limit = next((arg for arg in x.args if arg.op == "const"), None) if x.op in ("max", "min") else None
        number = None if limit is None else number_of(limit.value, limit.dtype)
        idle = number is not None and (number <= low if x.op == "max" else number >= high)
        if x.op != "rint" and not idle:
            return x
        x = next((arg for arg in x.args if arg is not limit), x.args[0])


# Operations convert an i64 only below 2^51: larger numbers are converted in two halves


def to_long(x: Expr) -> Expr:
    """Return an f64 as an i64, rounded to nearest even and saturated; NaN becomes 0."""
    whole = rint(clamp(x, -(2.0**63), 2.0**63 - 1024))
    high = floor(whole * 2.0**-32)
    low = fma(high, -(2.0**32), whole)  # exact, because all its bits are bits of `whole`
    number = select(x < 2.0**63, (to_int(high) << 32) + to_int(low), constant((1 << 63) - 1, "i64"))
    return select(is_nan(x), constant(0, "i64"), number)


def long_to_float(n: Expr) -> Expr:
    """Return an i64 as an f64, rounded once."""
    return fma(to_float(n >> 32), 2.0**32, to_float(n & 0xFFFFFFFF))


def to_float_odd(n: Expr) -> Expr:
    """Return an i64 as an f64 that rounds to narrower types as n does: from 2^53 on, the last ten bits become one
    sticky bit.

    This is rounding to odd: the result is midway between two numbers of a narrower type only if n is. Source: Boldo and
    Melquiond, When double rounding is odd, 2005.
    """
    last = (1 << 10) - 1
    sticky = select((n & last) == 0, constant(0, "i64"), constant(last + 1, "i64"))
    return long_to_float(select(abs(n) < 1 << 53, n, (n | sticky) & ~last))
