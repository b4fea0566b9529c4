"""Saturating products, sums and shifts of vectors, and products of complex numbers. Maps operations to factories of
closures.

Results are computed in Python integers, which never overflow, and brought back to the element's range at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..core.closures import Run, called
from ..numerics import fp
from ..numerics.rounding import Environment
from .float import negated
from .lanes import lanes, wide
from .operands import A64Context, Array, Semantic

Function = Callable[..., Array]


def saturated(function: Callable[..., int], kinds: str = "") -> Function:
    """Compute function(values..., bits) for all elements, and saturate to the type of the first source. `kinds` are the
    types as which the sources are read, if these differ."""

    def run(*sources: Array) -> Array:
        dtype = sources[0].dtype
        info, bits = np.iinfo(dtype), 8 * dtype.itemsize
        read = [each.view(f"{kind}{dtype.itemsize}") for each, kind in zip(sources, kinds)] if kinds else sources
        columns = [each.tolist() for each in np.broadcast_arrays(*read)]
        return np.array([min(max(function(*each, bits), info.min), info.max) for each in zip(*columns)], dtype)

    return run


def _limited(value: int, bits: int) -> int:
    return min(max(value, -(1 << bits - 1)), (1 << bits - 1) - 1)


def _high(d: int, product: int, bits: int) -> int:
    """Return d + product / 2^bits, rounded."""
    return ((d << bits) + product + (1 << bits - 1)) >> bits


_DOUBLED: dict[str, tuple[Function, int]] = {
    "ull": (saturated(lambda a, b, bits: 2 * a * b), 2),
    "lal": (saturated(lambda d, a, b, bits: d + _limited(2 * a * b, bits)), 3),
    "lsl": (saturated(lambda d, a, b, bits: d - _limited(2 * a * b, bits)), 3),
}
"""Doubled products: alone, added and subtracted."""


def _unsigned_shift(a: Array, by: Array) -> Array:
    """sqshlu: shift signed numbers left and saturate to unsigned ones."""
    step, ones = int(by.reshape(-1)[0]), (1 << 8 * a.dtype.itemsize) - 1
    return np.array([min(max(value << step, 0), ones) for value in a.tolist()], f"u{a.dtype.itemsize}").view(a.dtype)


# Complex numbers: the real part is in an even element, the imaginary part in the odd one after it


def _rotation(ctx: A64Context) -> int:
    """Return how many right angles the second factor is rotated by."""
    angle: int = ctx.operands[-1]
    return angle // 90


def _parts(x: Array) -> tuple[Array, Array]:
    return x[::2].copy(), x[1::2].copy()


def _interleaved(real: Array, imaginary: Array) -> Array:
    return np.stack([real, imaginary], axis=1).reshape(-1)


def _factor(ctx: A64Context, kind: str) -> Callable[[], Array]:
    """Return a reader of the last vector; an index selects a complex number, in SVE one of each 128 bits."""
    at = len(ctx.operands) - 2
    operand = ctx.lanes(at)
    if operand.index is None:
        return ctx.source(at, kind)
    pair, index, count = 2 * operand.size, operand.index, ctx.lanes(0).bytes
    row = ctx.state.row(operand.number, f"u{pair}", operand.bytes if operand.scalable else 16)
    if operand.scalable:
        chosen = row.reshape(-1, 16 // pair)[:, index]
        return lambda: np.repeat(chosen, 16 // pair).view(f"{kind}{operand.size}")
    return lambda: np.repeat(row[index : index + 1], count // pair).view(f"{kind}{operand.size}")


def _complex_sum(saturates: bool, ctx: A64Context) -> Run:
    """cadd, sqcadd: add i b or -i b."""
    sign = 1 if _rotation(ctx) == 1 else -1
    add = saturated(lambda a, b, bits: a + b) if saturates else np.add
    subtract = saturated(lambda a, b, bits: a - b) if saturates else np.subtract
    real_part, imaginary_part = (subtract, add) if sign == 1 else (add, subtract)

    def function(a: Array, b: Array) -> Array:
        (x, y), (u, v) = _parts(a), _parts(b)
        return _interleaved(real_part(x, v), imaginary_part(y, u))

    return called(function, [ctx.source(1, "i"), ctx.source(2, "i")], ctx.target(0, "i"))


def _signs(turns: int) -> tuple[int, int, int, int]:
    """Return, for a product whose second factor is rotated: which part of the first factor is multiplied, by which part
    of the second one for the real result, and the signs of the two products."""
    odd = turns & 1
    return odd, odd, -1 if turns in (1, 2) else 1, -1 if turns >= 2 else 1


def _complex_product(combine: Callable[..., int] | None, ctx: A64Context) -> Run:
    """cmla, sqrdcmlah: add a half of a complex product. Two of them with rotations add a whole one."""
    chosen, same, real, imaginary = _signs(_rotation(ctx))
    add = saturated(combine) if combine is not None else None

    def one(d: Array, x: Array, y: Array, sign: int) -> Array:
        if add is None:
            product = x * y
            result: Array = d + product if sign > 0 else d - product
            return result
        return add(d, x, y, np.array([sign], d.dtype))

    def function(d: Array, a: Array, b: Array) -> Array:
        sources, factors, old = _parts(a), _parts(b), _parts(d)
        x = sources[chosen]
        return _interleaved(one(old[0], x, factors[same], real), one(old[1], x, factors[1 - same], imaginary))

    return called(function, [ctx.source(0, "i"), ctx.source(1, "i"), _factor(ctx, "i")], ctx.target(0, "i"))


def _complex_dot(ctx: A64Context) -> Run:
    """cdot: add the real or imaginary parts of two complex products."""
    chosen, size = _rotation(ctx) & 1, ctx.lanes(1).size
    sign = -1 if _rotation(ctx) in (0, 3) else 1
    into = np.dtype(f"i{ctx.lanes(0).size}")
    operand = ctx.lanes(2)
    second = ctx.source(2, "i", size)
    if operand.index is not None:  # an index selects two complex numbers of each 128 bits
        per, index = 16 // (4 * size), operand.index
        groups = ctx.state.row(operand.number, f"u{4 * size}", operand.bytes).reshape(-1, per)[:, index]
        second = lambda: np.repeat(groups, per).view(f"i{size}")  # noqa: E731

    def function(d: Array, a: Array, b: Array) -> Array:
        (x, y), factors = _parts(a.astype(into)), _parts(b.astype(into))
        total = x * factors[chosen] + y * factors[1 - chosen] * into.type(sign)
        result: Array = d + total[::2] + total[1::2]
        return result

    return called(function, [ctx.source(0, "i"), ctx.source(1, "i"), second], ctx.target(0, "i"))


def _float_sum(ctx: A64Context) -> Run:
    """fcadd: add i b or -i b."""
    turns, env = _rotation(ctx), ctx.env(ctx.lanes(0).size)
    first, second = len(ctx.operands) - 3, len(ctx.operands) - 2

    def function(a: Array, b: Array) -> Array:
        real, imaginary = _parts(b)
        turned = (negated(imaginary), real) if turns == 1 else (imaginary, negated(real))
        return fp.add(a, _interleaved(*turned), env())

    return called(function, [ctx.source(first, "f"), ctx.source(second, "f")], ctx.target(0, "f"))


def _float_product(ctx: A64Context) -> Run:
    """fcmla: add a half of a complex product, with one rounding for each element."""
    turns = _rotation(ctx)
    chosen, same, real, imaginary = _signs(turns)
    at = len(ctx.operands) - 3
    env: Callable[[], Environment] = ctx.env(ctx.lanes(0).size)

    def function(d: Array, a: Array, b: Array) -> Array:
        x, factors = _parts(a)[chosen], _parts(b)
        y, z = factors[same], factors[1 - same]
        turned = _interleaved(negated(y) if real < 0 else y, negated(z) if imaginary < 0 else z)
        return fp.fma(np.repeat(x, 2), turned, d.copy(), env())

    return called(function, [ctx.source(0, "f"), ctx.source(at, "f"), _factor(ctx, "f")], ctx.target(0, "f"))


def _table() -> dict[str, Semantic]:
    table: dict[str, Semantic] = {}
    for name, (function, count) in _DOUBLED.items():
        for end in ("", "2", "b", "t", "bt"):
            if name != "ull" or end != "bt":
                table[f"sqdm{name}{end}"] = wide(function, "i", count)
    for name, sign in (("sqrdmlah", 1), ("sqrdmlsh", -1)):
        table[name] = lanes(saturated(lambda d, a, b, bits, sign=sign: _high(d, 2 * sign * a * b, bits)), "i", 3)
    return table


TABLE: dict[str, Semantic] = {
    **_table(),
    "sqabs": lanes(saturated(lambda a, bits: abs(a)), "i", 1),
    "sqneg": lanes(saturated(lambda a, bits: -a), "i", 1),
    "suqadd": lanes(saturated(lambda d, n, bits: d + n, "iu"), "i", 2),
    "usqadd": lanes(saturated(lambda d, n, bits: d + n, "ui"), "u", 2),
    "sqshlu": lanes(_unsigned_shift, "i", 2),
    "cadd": partial(_complex_sum, False),
    "sqcadd": partial(_complex_sum, True),
    "cmla": partial(_complex_product, None),
    "cdot": _complex_dot,
    "sqrdcmlah": partial(_complex_product, lambda d, a, b, sign, bits: _high(d, 2 * sign * a * b, bits)),
    "fcadd": _float_sum,
    "fcmla": _float_product,
}
"""Operations of vectors."""
