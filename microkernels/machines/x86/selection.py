"""Instruction selection that AVX2 and AVX-512 share: emitters of rows, and rewrite rules.

Only the last operand of an instruction (before an immediate) can be memory. vmaxps returns its second operand if both
are equal or one is a NaN. The row `max_second` is that instruction, and the rules build `max` from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....encoder.operands import Label
from ....encoder.x86.registers import Mem, Reg
from ...codegen.selection import Emission, InstructionRow, Operand, Rule, own
from ...expr.graph import BITS, INTEGER_OF, Expr, apply, bits, constant, constant_bits, from_bits, rebuilt, with_args

PACKED = {"f32": "ps", "f64": "pd"}
WHOLE = {"i32": "d", "i64": "q"}
# immediates of vround and vrndscale; they signal no inexact result
ROUND = {"rint": 8, "floor": 9, "ceil": 10, "trunc": 11}
ORDERED = {"lt": 0x11, "le": 0x12, "eq": 0x00, "ne": 0x04}  # predicates of vcmp that signal no quiet NaN

Memory = Callable[[Any, Any, Any], Mem]  # (machine, constant, lanes)
_OF_POOL = Mem(label=Label("constant")), Mem(label=Label("constant"), broadcast=1)


def pooled(m: Any, data: bytes, broadcast: bool = False) -> Mem:
    """A constant of the pool as an operand, perhaps broadcast by the instruction."""
    return _OF_POOL[broadcast].at(0, m.asm.const(data))


class Emitters:
    """Builds rows of instruction selection; `memory` addresses a constant of the pool."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def operand(self, m: Any, e: Emission, source: Operand) -> Reg | Mem:
        """Return a register, or the memory operand of a constant."""
        found: Reg | Mem = e.lanes.ops.file[source] if isinstance(source, int) else self.memory(m, source, e.lanes)
        return found

    def one(self, name: str, *immediates: int) -> InstructionRow:
        """Emit dst = op(a)."""

        def emit(m: Any, e: Emission) -> None:
            getattr(m.asm, name)(e.lanes.ops.file[e.dst], self.operand(m, e, e.srcs[0]), *immediates)

        return InstructionRow(emit, memory=(0,))

    def two(self, name: str, *immediates: int, commutes: bool = False) -> InstructionRow:
        """Emit dst = op(a, b)."""

        def emit(m: Any, e: Emission) -> None:
            a, b = e.srcs if isinstance(e.srcs[0], int) else e.srcs[::-1]
            file = e.lanes.ops.file
            getattr(m.asm, name)(file[e.dst], file[a], self.operand(m, e, b), *immediates)

        return InstructionRow(emit, memory=(1, 0) if commutes else (1,))

    def swapped(self, name: str) -> InstructionRow:
        """Emit dst = op(b, a)."""

        def emit(m: Any, e: Emission) -> None:
            a, b = e.srcs
            file = e.lanes.ops.file
            getattr(m.asm, name)(file[e.dst], file[b], self.operand(m, e, a))

        return InstructionRow(emit, memory=(0,))

    def shift(self, name: str) -> InstructionRow:
        """Emit dst = op(a, value)."""

        def emit(m: Any, e: Emission) -> None:
            file = e.lanes.ops.file
            getattr(m.asm, name)(file[e.dst], file[e.srcs[0]], e.value)

        return InstructionRow(emit)

    def fma(self, stem: str, packed: str) -> InstructionRow:
        """Emit a * b + c into dst, which is one of the three. The digits name the factors, and the last may be
        memory."""

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
            file = e.lanes.ops.file
            getattr(m.asm, name)(file[e.dst], file[second], self.operand(m, e, third))

        return InstructionRow(emit, ties=(0, 2, 1), memory=(2, 1, 0))


FUSED = {(True, False): "fnma", (False, True): "fms", (True, True): "fnms"}


def shared_rows(make: Emitters) -> dict[tuple[str, str], InstructionRow]:
    """Return the rows whose mnemonics AVX2 and AVX-512 share."""
    rows: dict[tuple[str, str], InstructionRow] = {}
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
    rows["least_int", "f32"] = rows["round_int", "f32"]  # -2^31 for numbers that do not fit
    rows["to_float", "i32"] = make.one("vcvtdq2ps")
    return rows


# Maximum and minimum of IEEE 754-2019


def extremum(general: Rule, without_sign: Rule) -> Rule:
    """Return the rule for `max` or `min` of a constant operand, by the instruction that returns its second operand.

    If the first operand is a constant that is neither zero nor NaN, the second is a NaN or the result is correct. A
    zero is different, because the other operand may be a zero of the other sign: max(x, +0) is `without_sign`, and
    min(x, -0) is computed as -max(-x, +0).
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
    """Replace select(a < b, a, b) by vminps(a, b) and select(a < b, b, a) by vmaxps(b, a).

    These instructions give the same results for zeros and NaN too.
    """

    def change(old: Expr, args: tuple[Expr, ...]) -> Expr:
        if old.op == "select" and old.dtype in PACKED and args[0].op == "lt" and args[0].args[0].dtype in PACKED:
            (a, b), yes, no = args[0].args, *args[1:]
            if a is yes and b is no:
                return own("min_second", old.dtype, yes, no)
            if a is no and b is yes:
                return own("max_second", old.dtype, yes, no)
        return with_args(old, args)

    return rebuilt(outputs, change)


def _is_nan(expr: Expr) -> bool:
    infinity = {"f32": 0x7F800000, "f64": 0x7FF << 52}[expr.dtype]
    return bool(expr.value & (1 << BITS[expr.dtype] - 1) - 1 > infinity)


def minus_infinity(dtype: str) -> Expr:
    """Return the bits of -infinity as an integer.

    In signed order, the bits of all other negative floats are below it; those of NaN with a sign and of floats without
    one are above. Integer comparisons avoid the floating-point pipes, on which denormals slow some processors down.
    """
    return constant_bits({"f32": 0xFF800000, "f64": 0xFFF << 52}[dtype], INTEGER_OF[dtype])


def extremum_by_both_orders(expr: Expr) -> Expr:
    """Combine both operand orders: AND or OR joins the signs of zeros, and a last select inserts NaN."""
    a, b = expr.args
    one, other = (bits(own(f"{expr.op}_second", expr.dtype, *pair)) for pair in ((a, b), (b, a)))
    combined = one & other if expr.op == "max" else one | other
    return from_bits(combined | own("unordered_bits", combined.dtype, a, b))
