"""Arithmetic of AVX-512 (F, BW, DQ, VL): masks are in k registers, and a constant in memory is one element,
broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....encoder.x86.registers import XMM, ZMM, Mem
from ...codegen import expansions as rules
from ...codegen.selection import LAG, LAST, Arithmetic, Constant, Emission, InstructionRow, Rule, own
from ...expr.conversions import RANGE
from ...expr.graph import INTEGER_OF, Expr, bits, constant, constant_bits, maximum, select
from .conversions import (
    BFLOAT,
    BFLOAT_JOINED,
    BFLOAT_STORES,
    LOADS,
    NARROW_JOINED,
    SATURATING_STORES,
    SIGNED_STORES,
    WIDE_LOADS,
    WIDE_STORES,
    load_mask_bits,
    splat,
    store_mask_bits,
)
from .core import X86Lanes
from .extrema import of_avx512
from .iota import iota_by_broadcast
from .selection import (
    FUSED,
    ORDERED,
    PACKED,
    ROUND,
    WHOLE,
    Emitters,
    extrema_of_selects,
    extremum,
    minus_infinity,
    pooled,
    shared_rows,
)
from .ternary_logic import combine, logic_row

_SIGNED = {"eq": 0, "lt": 1, "le": 2, "ne": 4}  # predicates of vpcmpd
_MASK_REGISTERS, _FURTHER = 5, 2  # of seven; the further ones may be taken by the masks of partial lanes


def _memory(m: Any, value: Constant, lanes: X86Lanes) -> Mem:
    if isinstance(value.bits, int):
        return pooled(m, value.data(value.size // 8), broadcast=True)
    return pooled(m, value.data(64))


def _constant(m: Any, dst: Any, value: Constant, lanes: X86Lanes) -> None:
    if not isinstance(dst, int):
        (m.asm.kxnorw if value.bits else m.asm.kxorw)(dst, dst, dst)
    elif value.bits == 0:
        m.zero(dst, lanes)
    elif isinstance(value.bits, int):
        broadcast = m.asm.vbroadcastss if value.size == 32 else m.asm.vpbroadcastq
        broadcast(lanes.ops.file[dst], pooled(m, value.data(value.size // 8)))
    else:
        m.asm.vmovups(ZMM[dst], _memory(m, value, lanes))


def _move(m: Any, dst: int, src: int, lanes: X86Lanes) -> None:
    if isinstance(dst, int):
        m.asm.vmovaps(ZMM[dst], ZMM[src])
    else:
        m.asm.kmovw(dst, src)


_make = Emitters(_memory)


def _compare(name: str, predicate: int) -> InstructionRow:
    """A comparison into a mask register, with a bit for each element."""

    def emit(m: Any, e: Emission) -> None:
        a, b = e.srcs
        getattr(m.asm, name)(e.dst, e.lanes.ops.file[a], _make.operand(m, e, b), predicate)

    return InstructionRow(emit, memory=(1,), mask=True)


def _of_masks(name: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        getattr(m.asm, name)(e.dst, *e.srcs)

    return InstructionRow(emit, mask=True)


def _select(name: str) -> InstructionRow:
    """Where the mask bit is set, the first of the two operands, else the second."""

    def emit(m: Any, e: Emission) -> None:
        mask, yes, no = e.srcs
        file = e.lanes.ops.file
        getattr(m.asm, name)(file[e.dst].k(mask), file[no], _make.operand(m, e, yes))

    return InstructionRow(emit, memory=(1,))


def _where(name: str) -> InstructionRow:
    """(mask, a, b, c): op(a, b) where the bit is set, else c, in c's register."""

    def emit(m: Any, e: Emission) -> None:
        mask, a, b, _ = e.srcs
        getattr(m.asm, name)(e.lanes.ops.file[e.dst].k(mask), e.lanes.ops.file[a], _make.operand(m, e, b))

    return InstructionRow(emit, ties=(3,), memory=(2,))


def _one_where(name: str) -> InstructionRow:
    """(mask, a): op(a) where the bit is set, else 0."""

    def emit(m: Any, e: Emission) -> None:
        mask, a = e.srcs
        getattr(m.asm, name)(e.lanes.ops.file[e.dst].kz(mask), e.lanes.ops.file[a])

    return InstructionRow(emit)


def _keep_nan(name: str) -> InstructionRow:
    """(kept, x, kinds): replace elements in kept's register by the action that `kinds` gives for x's kind of number."""

    def emit(m: Any, e: Emission) -> None:
        _, x, kinds = e.srcs
        getattr(m.asm, name)(e.lanes.ops.file[e.dst], e.lanes.ops.file[x], _make.operand(m, e, kinds), 0)

    return InstructionRow(emit, ties=(0,), memory=(2,))


def _compare_where(name: str, predicate: int) -> InstructionRow:
    """(mask, a, b): the mask with the bits cleared where the comparison is false."""

    def emit(m: Any, e: Emission) -> None:
        mask, a, b = e.srcs
        getattr(m.asm, name)(e.dst.k(mask), e.lanes.ops.file[a], _make.operand(m, e, b), predicate)

    return InstructionRow(emit, memory=(2,), mask=True)


def _permute(name: str) -> InstructionRow:
    """(table, index): looks up in a whole register, whatever the lanes are."""

    def emit(m: Any, e: Emission) -> None:
        table, index = e.srcs
        of = ZMM[table] if isinstance(table, int) else _memory(m, table, e.lanes)
        getattr(m.asm, name)(ZMM[e.dst], ZMM[index], of)

    return InstructionRow(emit, memory=(0,))


def _permute_two(name: str) -> InstructionRow:
    """(index, low, high): looks up in a table of two registers. The result replaces the index."""

    def emit(m: Any, e: Emission) -> None:
        _, low, high = e.srcs
        of = ZMM[high] if isinstance(high, int) else _memory(m, high, e.lanes)
        getattr(m.asm, name)(ZMM[e.dst], ZMM[low], of)

    return InstructionRow(emit, ties=(0,), memory=(2,))


def _lag(name: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        (x, fill), file = e.srcs, e.lanes.ops.file
        getattr(m.asm, name)(file[e.dst], file[x], _make.operand(m, e, fill), e.lanes.capacity - e.value)

    return InstructionRow(emit, memory=(1,))


def _last(name: str, broadcast: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        dst, x = e.lanes.ops.file[e.dst], e.lanes.ops.file[e.srcs[0]]
        getattr(m.asm, name)(dst, x, x, e.lanes.capacity - 1)
        getattr(m.asm, broadcast)(dst, XMM[e.dst])

    return InstructionRow(emit, instructions=2)


def _rows() -> dict[tuple[str, str], InstructionRow]:
    rows = shared_rows(_make)
    for dtype, w, broadcast in (("f32", "d", "vbroadcastss"), ("f64", "q", "vpbroadcastq")):
        for each in (dtype, INTEGER_OF[dtype]):
            rows[LAG, each], rows[LAST, each] = _lag(f"valign{w}"), _last(f"valign{w}", broadcast)
    for dtype, p in PACKED.items():
        integer, mask = {"f32": ("i32", "m32"), "f64": ("i64", "m64")}[dtype]
        for op, predicate in ORDERED.items():
            rows[op, dtype] = _compare(f"vcmp{p}", predicate)
            rows[f"{op}_where", dtype] = _compare_where(f"vcmp{p}", predicate)
            rows[f"not_{op}_where", dtype] = _compare_where(f"vcmp{p}", predicate ^ 4)  # true also if an operand is NaN
        rows["unordered", dtype], rows["ordered", dtype] = _compare(f"vcmp{p}", 3), _compare(f"vcmp{p}", 7)
        rows["still_ordered", dtype] = _compare_where(f"vcmp{p}", 7)
        rows["keep_nan", integer] = _keep_nan(f"vfixupimm{p}")
        rows["range_max", dtype], rows["range_min", dtype] = _make.two(f"vrange{p}", 5), _make.two(f"vrange{p}", 4)
        for op in ("add", "sub", "mul"):
            rows[f"{op}_where", dtype] = _where(f"v{op}{p}")
        rows["scale", dtype] = rows["scale_floor", dtype] = _make.two(f"vscalef{p}")
        rows["fraction", dtype] = _make.one(f"vreduce{p}", 1)  # x minus the next lower whole number
        rows["size_within", dtype] = _make.two(f"vrange{p}", 0b1010)  # the smaller magnitude, with its sign cleared
        rows["range_absmax", dtype] = _make.two(f"vrange{p}", 0b1011)  # the larger magnitude
        for op, immediate in ROUND.items():
            rows[op, dtype] = _make.one(f"vrndscale{p}", immediate)
        rows["select", dtype] = _select(f"vblendm{p}")
        rows["perm", integer] = _permute(f"vperm{p}")
        rows["perm2", dtype] = rows["perm2", integer] = _permute_two(f"vpermi2{p}")
        for op in ("and", "or", "xor"):
            rows[op, mask] = _of_masks(f"k{op}w")
        rows["not", mask] = _of_masks("knotw")
    for dtype, w in WHOLE.items():
        for op, predicate in _SIGNED.items():
            rows[op, dtype] = _compare(f"vpcmp{w}", predicate)
            rows[f"{op}_where", dtype] = _compare_where(f"vpcmp{w}", predicate)
            rows[f"not_{op}_where", dtype] = _compare_where(f"vpcmp{w}", predicate ^ 4)
        for op in ("and", "or", "xor"):
            rows[op, dtype] = _make.two(f"vp{op}{w}", commutes=True)
        rows["select", dtype] = _select(f"vpblendm{w}")
        rows["logic", dtype] = logic_row(f"vpternlog{w}", _make.operand)
        rows["rotl", dtype] = _make.shift(f"vprol{w}")
    rows["max", "i64"], rows["min", "i64"] = _make.two("vpmaxsq", commutes=True), _make.two("vpminsq", commutes=True)
    rows["abs", "i64"], rows["sar", "i64"] = _make.one("vpabsq"), _make.shift("vpsraq")
    rows["unsigned_int", "f32"] = _make.one("vcvtps2udq")  # 2^32 - 1 for numbers that do not fit
    rows["least_int_where", "f32"] = _one_where("vcvtps2dq")
    rows["to_int", "f64"], rows["round_int", "f64"] = _make.one("vcvttpd2qq"), _make.one("vcvtpd2qq")
    rows["to_float", "i64"] = _make.one("vcvtqq2pd")
    return rows


def _without_sign(x: Expr) -> Expr:
    """x if it is a NaN or has no sign, else +0."""
    return select(bits(x) > minus_infinity(x.dtype), x, 0.0)


def _extremum_by_range(expr: Expr) -> Expr:
    """The maximum or minimum by vrange, which orders zeros but prefers numbers to NaN. If an operand is NaN, a sum
    inserts NaN."""
    a, b = expr.args
    mask = {"f32": "m32", "f64": "m64"}[expr.dtype]
    ordered = own(f"range_{expr.op}", expr.dtype, a, b)
    return own("add_where", expr.dtype, own("unordered", mask, a, b), a, b, ordered)


_ENDS = {"log_ends": 0x03530421, "root_ends": 0x03530121}
"""Tables of vfixupimm, four bits for each kind from quiet NaN up: 0 the value, 1 x, 2 quiet x, 3 NaN, 4 and 5
infinity. The third digit from the right is that of zeros."""


def _ends(expr: Expr) -> Expr:
    """Select by x's kind of number."""
    value, x = expr.args
    return own("keep_nan", expr.dtype, value, x, constant_bits(_ENDS[expr.op], INTEGER_OF[x.dtype]))


def _lookup(expr: Expr) -> Expr:
    """Look up in one or two registers of entries. In larger tables, masks choose among the parts."""
    (index,), (dtype, entries) = expr.args, expr.value
    capacity = {"i32": 16, "i64": 8}[index.dtype]

    if len(entries) in (capacity, 2 * capacity):  # the instruction reads only the last bits
        index = rules.without_mask(index, len(entries) - 1)

    def entry(part: tuple[int, ...]) -> Expr:
        if len(part) <= capacity:
            return own("perm", dtype, rules.table_of(part, dtype), index)
        low, high = (rules.table_of(half, dtype) for half in (part[:capacity], part[capacity:]))
        return own("perm2", dtype, index, low, high)

    def choose(index: Expr, half: int, high: Expr, low: Expr) -> Expr:
        return select(constant(half - 1, index.dtype) < index, high, low)

    return rules.lookup_tree(index, entries, 2 * capacity, entry, choose)


def _to_whole(expr: Expr) -> Expr:
    """Convert f32 to a saturated whole number. For signed types, the conversion writes zeros where a mask marks NaN.
    For unsigned types, the instruction saturates above 0, and the maximum replaces NaN by its second operand."""
    (x,), (low, high) = expr.args, RANGE[expr.value]
    if not low:
        return own("unsigned_int", "i32", own("max_second", "f32", x, constant(0.0, "f32")))
    limited = own("min_second", "f32", constant(float(high), "f32"), x)
    return own("least_int_where", "i32", own("ordered", "m32", x, x), limited)


def _to_whole_signed(expr: Expr) -> Expr:
    """Convert f32 as `_to_whole` does, for a store that saturates signed words."""
    return _to_whole(expr) if RANGE[expr.value][0] else rules.to_whole_by_least(expr)


def _saturate(expr: Expr) -> Expr:
    """Do nothing for signed types, because stores saturate. Stores to unsigned types take unsigned words."""
    (n,) = expr.args
    return n if RANGE[expr.value][0] else maximum(n, 0)


def _rules() -> dict[tuple[str, str], Rule]:
    rules_by_key: dict[tuple[str, str], Rule] = {}
    for dtype in PACKED:
        rules_by_key["max", dtype] = rules_by_key["min", dtype] = extremum(_extremum_by_range, _without_sign)
        rules_by_key["neg", dtype], rules_by_key["abs", dtype] = rules.neg_by_xor, rules.abs_by_and
        rules_by_key["log_ends", dtype] = rules_by_key["root_ends", dtype] = _ends
    for dtype in WHOLE:
        rules_by_key["neg", dtype], rules_by_key["not", dtype] = rules.neg_by_sub, rules.not_by_xor
        rules_by_key["ldexp", dtype] = rules.ldexp_by_scale
        rules_by_key["lookup", dtype] = _lookup
    rules_by_key["low_word", "i32"] = rules.low_word_by_and
    rules_by_key["to_whole", "f32"] = _to_whole
    rules_by_key["saturate", "i32"] = _saturate
    return rules_by_key


def _combine(outputs: Sequence[Expr]) -> tuple[Expr, ...]:
    return combine(extrema_of_selects(outputs))


_PLAIN = Arithmetic(
    _rows(),
    _rules(),
    _constant,
    _move,
    masks=_MASK_REGISTERS,
    further_masks=_FURTHER,
    tables=16,
    fused=FUSED,
    combine=_combine,
    loads=LOADS,
    stores=SATURATING_STORES,
    splat=splat,
    load_bits=load_mask_bits,
    store_bits=store_mask_bits,
    iota=iota_by_broadcast,
    running=of_avx512,
    wide_loads=WIDE_LOADS,
    wide_stores=WIDE_STORES,
)
_SIGNED_RULES = {("to_whole", "f32"): _to_whole_signed, ("saturate", "i32"): rules.saturate_by_store}
_JOINING = replace(_PLAIN, rules={**_PLAIN.rules, **_SIGNED_RULES}, stores=SIGNED_STORES, joined=NARROW_JOINED, spare=1)
ARITHMETIC = replace(_PLAIN, joining=_JOINING)
_BFLOAT_JOINING = replace(
    _JOINING, stores=SIGNED_STORES | BFLOAT_STORES, converts=frozenset({BFLOAT}), joined=NARROW_JOINED | BFLOAT_JOINED
)
_FAST = replace(_PLAIN, stores=SATURATING_STORES | BFLOAT_STORES, converts=frozenset({BFLOAT}), joining=_BFLOAT_JOINING)
BFLOAT_ARITHMETIC = replace(ARITHMETIC, fast=_FAST)
"""The arithmetic with AVX512_BF16, whose conversions flush denormals to zero."""
