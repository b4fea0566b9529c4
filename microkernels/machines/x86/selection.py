"""Arithmetic that AVX2 and AVX-512 share: how their rows are emitted, and rules for both.

A memory operand is the last one of an instruction (before an immediate). Of two equal maxima (or with a NaN) vmaxps
returns its second operand: the row `max_second` is that instruction, and the rules make of it what `max` means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....encoder.x86.registers import Mem, Reg
from ...codegen.selection import Emission, Operand, Row, Rule, own
from ...expr.graph import BITS, INTEGER_OF, Expr, apply, bits, constant, constant_bits, from_bits, node, rebuilt

PACKED = {"f32": "ps", "f64": "pd"}
WHOLE = {"i32": "d", "i64": "q"}
ROUND = {"rint": 8, "floor": 9, "ceil": 10, "trunc": 11}  # immediate of vround and vrndscale: inexact not signaled
ORDERED = {"lt": 0x11, "le": 0x12, "eq": 0x00, "ne": 0x04}  # predicates of vcmp that signal no quiet NaN

Memory = Callable[[Any, Any, Any], Mem]  # (machine, constant, lanes)


class Emitters:
    """Makes rows; `memory` is how the machine addresses a constant."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def operand(self, m: Any, e: Emission, source: Operand) -> Reg | Mem:
        """A register or the constant's place."""
        found: Reg | Mem = e.lanes.ops.file[source] if isinstance(source, int) else self.memory(m, source, e.lanes)
        return found

    def one(self, name: str, *immediates: int) -> Row:
        """dst = op(a)."""

        def emit(m: Any, e: Emission) -> None:
            getattr(m.asm, name)(e.lanes.ops.file[e.dst], self.operand(m, e, e.srcs[0]), *immediates)

        return Row(emit, memory=(0,))

    def two(self, name: str, *immediates: int, commutes: bool = False) -> Row:
        """dst = op(a, b)."""

        def emit(m: Any, e: Emission) -> None:
            a, b = e.srcs if isinstance(e.srcs[0], int) else e.srcs[::-1]
            getattr(m.asm, name)(e.lanes.ops.file[e.dst], self.operand(m, e, a), self.operand(m, e, b), *immediates)

        return Row(emit, memory=(1, 0) if commutes else (1,))

    def swapped(self, name: str) -> Row:
        """dst = op(b, a)."""

        def emit(m: Any, e: Emission) -> None:
            a, b = e.srcs
            getattr(m.asm, name)(e.lanes.ops.file[e.dst], self.operand(m, e, b), self.operand(m, e, a))

        return Row(emit, memory=(0,))

    def shift(self, name: str) -> Row:
        """dst = op(a, value)."""

        def emit(m: Any, e: Emission) -> None:
            file = e.lanes.ops.file
            getattr(m.asm, name)(file[e.dst], file[e.srcs[0]], e.value)

        return Row(emit)

    def fma(self, stem: str, packed: str) -> Row:
        """a * b + c in dst, which is one of them: the digits say which operand is which factor, the last is memory."""

        def emit(m: Any, e: Emission) -> None:
            a, b, c = e.srcs
            if e.tied == 2:  # op2 * op3 + op1
                digits, second, third = "231", a, b
                if not isinstance(second, int):
                    second, third = third, second
            elif isinstance(c, int) and not isinstance(e.srcs[1 - (e.tied or 0)], int):  # op1 * op3 + op2
                digits, second, third = "132", c, e.srcs[1 - (e.tied or 0)]
            else:  # op2 * op1 + op3
                digits, second, third = "213", e.srcs[1 - (e.tied or 0)], c
            name = f"{stem}{digits}{packed}"
            getattr(m.asm, name)(e.lanes.ops.file[e.dst], self.operand(m, e, second), self.operand(m, e, third))

        return Row(emit, ties=(0, 2, 1), memory=(2, 1, 0))


FUSED = {(True, False): "fnma", (False, True): "fms", (True, True): "fnms"}


def shared_rows(make: Emitters) -> dict[tuple[str, str], Row]:
    """What both have, with the same names."""
    rows: dict[tuple[str, str], Row] = {}
    for dtype, p in PACKED.items():
        for op in ("add", "mul"):
            rows[op, dtype] = make.two(f"v{op}{p}", commutes=True)
        for op in ("sub", "div"):
            rows[op, dtype] = make.two(f"v{op}{p}")
        rows["max_second", dtype], rows["min_second", dtype] = make.two(f"vmax{p}"), make.two(f"vmin{p}")
        rows["sqrt", dtype] = make.one(f"vsqrt{p}")
        for op, stem in (("fma", "vfmadd"), ("fnma", "vfnmadd"), ("fms", "vfmsub"), ("fnms", "vfnmsub")):
            rows[op, dtype] = make.fma(stem, p)
    for dtype, w in WHOLE.items():
        rows["add", dtype], rows["sub", dtype] = make.two(f"vpadd{w}", commutes=True), make.two(f"vpsub{w}")
        rows["shl", dtype], rows["shr", dtype] = make.shift(f"vpsll{w}"), make.shift(f"vpsrl{w}")
    rows["sar", "i32"] = make.shift("vpsrad")
    rows["mul", "i32"] = make.two("vpmulld", commutes=True)
    rows["max", "i32"], rows["min", "i32"] = make.two("vpmaxsd", commutes=True), make.two("vpminsd", commutes=True)
    rows["abs", "i32"] = make.one("vpabsd")
    rows["to_int", "f32"], rows["round_int", "f32"] = make.one("vcvttps2dq"), make.one("vcvtps2dq")
    rows["to_float", "i32"] = make.one("vcvtdq2ps")
    return rows


# max and min as IEEE 754-2019 has them


def extremum(general: Rule, without_sign: Rule) -> Rule:
    """`max` or `min` by the instruction that returns its second operand, where one operand is a constant.

    With a constant that is neither zero nor NaN first, the second is a NaN or the answer. A zero is another matter,
    because of the other's zero: max(x, +0) is `without_sign`, min(x, -0) is found with the signs changed.
    """

    def rule(expr: Expr) -> Expr:
        op, (a, b) = expr.op, expr.args
        if a.op == "const" and b.op != "const":
            a, b = b, a
        if b.op != "const" or _is_nan(b):
            return general(expr)
        sign = 1 << BITS[b.dtype] - 1
        if op == "min" and b.value == sign:
            return -apply("max", -a, constant(0.0, a.dtype))
        if op == "max" and b.value == 0:
            return without_sign(a)
        return own(f"{op}_second", expr.dtype, b, a)

    return rule


def extrema_of_selects(outputs: Sequence[Expr]) -> tuple[Expr, ...]:
    """select(a < b, a, b) is what vminps does, with zeros and NaN; with the last two exchanged vmaxps of b and a."""

    def change(old: Expr, args: tuple[Expr, ...]) -> Expr:
        if old.op == "select" and old.dtype in PACKED and args[0].op == "lt" and args[0].args[0].dtype in PACKED:
            (a, b), yes, no = args[0].args, *args[1:]
            if a is yes and b is no:
                return own("min_second", old.dtype, yes, no)
            if a is no and b is yes:
                return own("max_second", old.dtype, yes, no)
        return node(old.op, args, old.dtype, old.value)

    return rebuilt(outputs, change)


def _is_nan(expr: Expr) -> bool:
    infinity = {"f32": 0x7F800000, "f64": 0x7FF << 52}[expr.dtype]
    return bool(expr.value & (1 << BITS[expr.dtype] - 1) - 1 > infinity)


def minus_infinity(dtype: str) -> Expr:
    """As an integer: it lies above all other numbers with a sign, and below everything else. To compare so is no work
    of the floating-point pipes, for which some processors slow down."""
    return constant_bits({"f32": 0xFF800000, "f64": 0xFFF << 52}[dtype], INTEGER_OF[dtype])


def extremum_by_both_orders(expr: Expr) -> Expr:
    """Both orders of the operands differ for zeros, where and/or combine the signs, and for NaN, put in at last."""
    a, b = expr.args
    one, other = (bits(own(f"{expr.op}_second", expr.dtype, *pair)) for pair in ((a, b), (b, a)))
    combined = one & other if expr.op == "max" else one | other
    return from_bits(combined | own("unordered_bits", combined.dtype, a, b))
