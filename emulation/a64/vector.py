"""Integer arithmetic, logic and comparisons of vectors. Maps operations to factories of closures."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.closures import Run, called
from .integer import reversed_bits
from .lanes import accumulated, compare, each, lanes, narrowing, places, swapped, wide
from .operands import A64Context, Array, Semantic

Function = Callable[..., Array]
_KINDS = {"s": "i", "u": "u"}


def _exactly(function: Callable[[Any, Any], Any]) -> Function:
    """Compute 64-bit elements in Python integers, narrower ones in 64 bits; cut the result to the element."""

    def run(a: Array, b: Array) -> Array:
        if a.dtype.itemsize < 8:
            return np.asarray(function(a.astype(np.int64), b.astype(np.int64))).astype(a.dtype)
        ones = (1 << 64) - 1
        x, y = np.broadcast_arrays(a, b)
        values = [int(function(p, q)) & ones for p, q in zip(x.tolist(), y.tolist())]
        return np.array(values, np.uint64).view(a.dtype)

    return run


def _clamped(function: Callable[[Any, Any], Any]) -> Function:
    """Saturate the result to the range of the type."""

    def run(a: Array, b: Array) -> Array:
        info = np.iinfo(a.dtype)
        if a.dtype.itemsize < 8:
            result: Array = np.clip(function(a.astype(np.int64), b.astype(np.int64)), info.min, info.max).astype(
                a.dtype
            )
            return result
        x, y = np.broadcast_arrays(a, b)
        values = [min(max(int(function(p, q)), info.min), info.max) for p, q in zip(x.tolist(), y.tolist())]
        return np.array(values, a.dtype)

    return run


def nearest(value: Array, dtype: Any) -> Array:
    """Return the nearest value that is representable in a narrower type."""
    info = np.iinfo(dtype)
    low = 0 if value.dtype.kind == "u" else info.min
    return np.clip(value, low, info.max).astype(dtype)


def _difference(a: Array, b: Array) -> Array:
    return np.where(a > b, a - b, b - a)


def _quotient(a: Array, b: Array) -> Array:
    """Divide and round towards zero; a division by zero gives zero."""
    x, y = np.broadcast_arrays(a, b)
    info = np.iinfo(a.dtype)
    quotients = [
        0 if not q else abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(x.tolist(), y.tolist())
    ]
    return np.array([info.min if value > info.max else value for value in quotients], a.dtype)


def _high_product(a: Array, b: Array) -> Array:
    bits = 8 * a.dtype.itemsize
    return _exactly(lambda x, y: x * y >> bits)(a, b)


def _doubled_high(rounds: bool) -> Function:
    """sqdmulh, sqrdmulh: return the high half of twice the product, saturated."""

    def function(a: Array, b: Array) -> Array:
        bits = 8 * a.dtype.itemsize
        return _clamped(lambda x, y: (x * y + (rounds << bits - 2)) >> bits - 1)(a, b)

    return function


def _saturated(add: bool, kind: str, ctx: A64Context) -> Run:
    """sqadd, uqsub and their like: of vectors, or with a constant that is never negative."""
    function, constant = _clamped(operator.add if add else operator.sub), ctx.operands[-1]
    if not isinstance(constant, int):
        return lanes(function, kind, 2)(ctx)
    given = np.array([constant], np.int64)
    return called(lambda a: function(a, given), [ctx.source(0, kind)], ctx.target(0, kind))


def _selected_bits(ctx: A64Context) -> Run:
    """bsl: select bits of the first source where the mask (NEON: the destination) is set, else of the second."""
    if ctx.lanes(0).scalable:
        return lanes(lambda a, b, mask: a & mask | b & ~mask, "u", 3)(ctx)
    return lanes(lambda mask, a, b: a & mask | b & ~mask, "u", 3)(ctx)


def _high_narrow(subtract: bool, rounds: bool) -> Function:
    """addhn, subhn: return the high half of a sum or difference."""

    def function(a: Array, b: Array) -> Array:
        bits = 8 * a.dtype.itemsize
        total = (a - b if subtract else a + b) + a.dtype.type(rounds << bits // 2 - 1)
        result: Array = (total >> a.dtype.type(bits // 2)).astype(f"u{a.dtype.itemsize // 2}")
        return result

    return function


# One source


def _each_value(function: Callable[[int, int], int]) -> Function:
    """Apply a function of Python integers, (value, bits) to value, to every element."""

    def run(a: Array) -> Array:
        bits = 8 * a.dtype.itemsize
        return np.array([function(value, bits) for value in a.tolist()], a.dtype)

    return run


def _leading_signs(value: int, bits: int) -> int:
    number = value - (1 << bits) if value >> bits - 1 else value
    return bits - 1 - (~number if number < 0 else number).bit_length()


def _reversed(group: int) -> Semantic:
    """rev64, rev32, rev16 reverse elements in groups of bytes; revb, revh, revw reverse parts in every element."""

    def predecode(ctx: A64Context) -> Run:
        size = ctx.lanes(0).size
        per = group // size
        return lanes(lambda a: a.reshape(-1, per)[:, ::-1].reshape(-1), "u", 1)(ctx)

    return predecode


def _parts_reversed(part: int) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        size = ctx.lanes(0).size
        function = lambda a: a.view(f"u{part}").reshape(-1, size // part)[:, ::-1].reshape(-1).copy().view(a.dtype)  # noqa: E731
        return lanes(function, "u", 1)(ctx)

    return predecode


def _extend_part(kind: str, size: int) -> Semantic:
    """SVE sxtb and its like: extend the low part of every element."""

    def function(a: Array) -> Array:
        result: Array = a.copy().view(f"{kind}{size}")[:: a.dtype.itemsize // size].astype(a.dtype)
        return result

    return lanes(function, kind, 1)


def _pairwise(function: Function, kind: str, ctx: A64Context) -> Run:
    """addp, smaxp: combine neighbours of both sources, concatenated (SVE: interleaved), or the two elements of one
    source.
    """
    if len(ctx.operands) == 2:
        pair, put = ctx.source(1, kind), ctx.target(0, kind)
        return lambda: put(function(pair()[:1], pair()[1:2]))
    a, b = (ctx.source(at, kind) for at in places(ctx, 2)[-2:])
    write, scalable = ctx.target(0, kind), ctx.lanes(0).scalable

    def run() -> None:
        x, y = a(), b()
        first, second = function(x[::2], x[1::2]), function(y[::2], y[1::2])
        write(np.stack([first, second], axis=1).reshape(-1) if scalable else np.concatenate([first, second]))

    return run


def _paired_long(kind: str, accumulate: bool, ctx: A64Context) -> Run:
    """saddlp, sadalp: add neighbours into elements of twice the width."""
    at = places(ctx, 1)[0]
    to = np.dtype(f"{kind}{ctx.lanes(0).size}")
    read, old, write = ctx.source(at, kind), ctx.source(0, kind), ctx.target(0, kind)

    def run() -> None:
        x = read().astype(to)
        total = x[::2] + x[1::2]
        write(old() + total if accumulate else total)

    return run


def _across(function: Callable[[Array], Any], kind: str, wide_result: bool, neutral: str, ctx: A64Context) -> Run:
    """addv, smaxv and their like: reduce all elements, in SVE the active ones."""
    at = places(ctx, 1)[0]
    size = ctx.lanes(at).size
    read, active = ctx.source(at, kind), ctx.active(size) if ctx.governing is not None else None
    into = np.dtype(f"{kind}{ctx.lanes(0).size}")
    write, ones = ctx.target(0, "u"), (1 << 8 * into.itemsize) - 1
    info = np.iinfo(f"{kind}{size}")
    start = {"zero": 0, "low": info.min, "high": info.max, "ones": -1 if kind == "i" else info.max}[neutral]

    def run() -> None:
        values = read() if active is None else read()[active]
        result: Any = function(values.astype(into) if wide_result else values) if len(values) else start
        if hasattr(result, "nodes"):  # symbolic
            write(result.astype(into).reshape(1).view(f"u{into.itemsize}"))
            return
        result = int(result)
        write(np.array([result & ones], f"u{into.itemsize}"))

    return run


_SIGNED_TWO: dict[str, Function] = {
    "max": np.maximum,
    "min": np.minimum,
    "abd": _difference,
    "div": _quotient,
    "divr": swapped(_quotient),
    "mulh": _high_product,
    "qsubr": _clamped(lambda x, y: y - x),
    "hadd": _exactly(lambda x, y: x + y >> 1),
    "hsub": _exactly(lambda x, y: x - y >> 1),
    "hsubr": _exactly(lambda x, y: y - x >> 1),
    "rhadd": _exactly(lambda x, y: x + y + 1 >> 1),
}
"""Functions of two sources of one signedness; the mnemonics begin with s or u."""
_TWO: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "subr": swapped(np.subtract),
    "mul": np.multiply,
    "and": np.bitwise_and,
    "orr": np.bitwise_or,
    "eor": np.bitwise_xor,
    "bic": lambda a, b: a & ~b,
    "orn": lambda a, b: a | ~b,
}
_THREE: dict[str, Function] = {
    "mla": lambda d, a, b: d + a * b,
    "mls": lambda d, a, b: d - a * b,
    "mad": lambda d, a, b: b + d * a,
    "msb": lambda d, a, b: b - d * a,
    "bit": lambda d, a, b: b & a | ~b & d,
    "bif": lambda d, a, b: ~b & a | b & d,
    "eor3": lambda a, b, c: a ^ b ^ c,
    "bcax": lambda a, b, c: a ^ b & ~c,
    "nbsl": lambda a, b, c: ~(a & c | b & ~c),
    "bsl1n": lambda a, b, c: ~a & c | b & ~c,
    "bsl2n": lambda a, b, c: a & c | ~b & ~c,
}
_WIDE: dict[str, tuple[Function, int]] = {
    "addl": (np.add, 2),
    "subl": (np.subtract, 2),
    "mull": (np.multiply, 2),
    "abdl": (_difference, 2),
    "addw": (np.add, 2),
    "subw": (np.subtract, 2),
    "mlal": (lambda d, a, b: d + a * b, 3),
    "mlsl": (lambda d, a, b: d - a * b, 3),
    "abal": (lambda d, a, b: d + _difference(a, b), 3),
}
_RELATIONS = {
    "eq": ("i", np.equal),
    "ne": ("i", np.not_equal),
    "ge": ("i", np.greater_equal),
    "gt": ("i", np.greater),
    "le": ("i", np.less_equal),
    "lt": ("i", np.less),
    "hs": ("u", np.greater_equal),
    "hi": ("u", np.greater),
    "lo": ("u", np.less),
    "ls": ("u", np.less_equal),
}


def _relation(kind: str, function: Function) -> Semantic:
    """The semantics of a comparison with elements of the same size, or in SVE with 64-bit elements."""

    def predecode(ctx: A64Context) -> Run:
        a, b = places(ctx, 2)
        if not ctx.is_vector(b) or ctx.lanes(b).size == ctx.lanes(a).size:
            return compare(function, kind)(ctx)
        values, others = ctx.source(b, kind, 8), ctx.source(a, kind)
        step = 8 // ctx.lanes(a).size
        wide_kind = f"{kind}8"

        def widened(x: Array, _: Array) -> Array:
            return function(others().astype(wide_kind), np.repeat(values(), step))

        return compare(widened, kind)(ctx)

    return predecode


def _table() -> dict[str, Semantic]:
    table: dict[str, Semantic] = {name: lanes(function, "u", 2) for name, function in _TWO.items()}
    table |= {name: lanes(function, "u", 3) for name, function in _THREE.items()}
    table["bsl"] = _selected_bits
    for sign, kind in _KINDS.items():
        table |= {sign + name: lanes(function, kind, 2) for name, function in _SIGNED_TWO.items()}
        table[f"{sign}qadd"], table[f"{sign}qsub"] = (partial(_saturated, add, kind) for add in (True, False))
        table[f"{sign}aba"] = accumulated(kind, _difference)
        for name, (function, count) in _WIDE.items():
            for end in ("", "2", "b", "t"):
                table[f"{sign}{name}{end}"] = wide(function, kind, count)
        if sign == "s":
            for name, ends in (("addl", ("bt",)), ("subl", ("bt", "tb"))):
                table |= {f"s{name}{end}": wide(_WIDE[name][0], kind, 2) for end in ends}
        for name, larger in (("max", np.maximum), ("min", np.minimum)):
            table[f"{sign}{name}p"] = partial(_pairwise, larger, kind)
        table[f"{sign}maxv"] = partial(_across, np.max, kind, False, "low")
        table[f"{sign}minv"] = partial(_across, np.min, kind, False, "high")
        table[f"{sign}addlv"] = table[f"{sign}addv"] = partial(_across, np.sum, kind, True, "zero")
        table[f"{sign}addlp"], table[f"{sign}adalp"] = (
            partial(_paired_long, kind, False),
            partial(_paired_long, kind, True),
        )
        table |= {f"{sign}xtl{end}": wide(lambda a: a, kind, 1) for end in ("", "2")}
        table |= {f"{sign}xt{letter}": _extend_part(kind, size) for letter, size in (("b", 1), ("h", 2), ("w", 4))}
        for end in ("", "2", "b", "t"):
            table[f"{sign}qxtn{end}"] = narrowing(
                lambda a: nearest(a, f"{a.dtype.kind}{a.dtype.itemsize // 2}"), kind, 1
            )
    for end in ("", "2", "b", "t"):
        table[f"sqxtun{end}"] = narrowing(lambda a: nearest(np.maximum(a, 0), f"u{a.dtype.itemsize // 2}"), "i", 1, "u")
        for name, subtract, rounds in (
            ("addhn", False, False),
            ("raddhn", False, True),
            ("subhn", True, False),
            ("rsubhn", True, True),
        ):
            table[name + end] = narrowing(_high_narrow(subtract, rounds), "u", 2)
    return table


TABLE: dict[str, Semantic] = {
    **_table(),
    **{f"xtn{end}": narrowing(lambda a: a.astype(f"u{a.dtype.itemsize // 2}"), "u", 1) for end in ("", "2")},
    "sqdmulh": lanes(_doubled_high(False), "i", 2),
    "sqrdmulh": lanes(_doubled_high(True), "i", 2),
    "neg": lanes(np.negative, "i", 1),
    "abs": lanes(np.abs, "i", 1),
    "not": lanes(np.invert, "u", 1),
    "cnot": lanes(lambda a: (a == 0).astype(a.dtype), "u", 1),
    "clz": lanes(_each_value(lambda value, bits: bits - value.bit_length()), "u", 1),
    "cls": lanes(_each_value(_leading_signs), "u", 1),
    "rbit": lanes(_each_value(reversed_bits), "u", 1),
    "cnt": lanes(_each_value(lambda value, bits: value.bit_count()), "u", 1),
    "rev64": _reversed(8),
    "rev32": _reversed(4),
    "rev16": _reversed(2),
    "revb": _parts_reversed(1),
    "revh": _parts_reversed(2),
    "revw": _parts_reversed(4),
    "addp": partial(_pairwise, np.add, "u"),
    "addv": partial(_across, np.sum, "u", True, "zero"),
    "andv": partial(_across, np.bitwise_and.reduce, "u", False, "ones"),
    "orv": partial(_across, np.bitwise_or.reduce, "u", False, "zero"),
    "eorv": partial(_across, np.bitwise_xor.reduce, "u", False, "zero"),
    **{f"cm{name}": _relation(kind, function) for name, (kind, function) in _RELATIONS.items()},
    "cmtst": compare(lambda a, b: a & b != 0, "u"),
    **each("sclamp", lambda name: lanes(lambda d, a, b: np.minimum(np.maximum(a, d), b), "i", 3)),
    **each("uclamp", lambda name: lanes(lambda d, a, b: np.minimum(np.maximum(a, d), b), "u", 3)),
}
