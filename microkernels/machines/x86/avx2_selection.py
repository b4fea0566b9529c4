"""Arithmetic of AVX2: masks are vectors, and a constant in memory fills 32 bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....encoder.x86.registers import XMM, YMM, Mem
from ...codegen import expansions as rules
from ...codegen.selection import LAG, LAST, Arithmetic, Constant, Emission, InstructionRow, Rule, own
from ...expr.graph import INTEGER_OF, Expr, bits, constant_bits, from_bits, node, select
from .conversions import JOINED, LOADS, PACKING_STORES, WIDE_LOADS, WIDE_STORES, load_sign_bits, splat, store_sign_bits
from .core import X86Lanes
from .extrema import of_avx2
from .iota import iota_by_move
from .selection import (
    FUSED,
    ORDERED,
    PACKED,
    ROUND,
    WHOLE,
    Emitters,
    extrema_of_selects,
    extremum,
    extremum_by_both_orders,
    minus_infinity,
    pooled,
    shared_rows,
)


def _memory(m: Any, value: Constant, lanes: X86Lanes) -> Mem:
    return pooled(m, value.data(32))


def _constant(m: Any, dst: int, value: Constant, lanes: X86Lanes) -> None:
    if value.bits == 0:
        m.asm.vxorps(XMM[dst], XMM[dst], XMM[dst])
    elif isinstance(value.bits, int) and value.size == 32:
        m.asm.vbroadcastss(lanes.ops.file[dst], pooled(m, value.data(4)))
    elif isinstance(value.bits, int):
        m.asm.vpbroadcastq(lanes.ops.file[dst], pooled(m, value.data(8)))
    else:
        m.asm.vmovups(YMM[dst], _memory(m, value, lanes))


def _move(m: Any, dst: int, src: int, lanes: X86Lanes) -> None:
    m.asm.vmovaps(YMM[dst], YMM[src])


_make = Emitters(_memory)


def _select(packed: str) -> InstructionRow:
    """A selection by the mask's sign bits: where one is set, the first of the two operands."""

    def emit(m: Any, e: Emission) -> None:
        mask, yes, no = e.srcs
        file = e.lanes.ops.file
        getattr(m.asm, f"vblendv{packed}")(file[e.dst], file[no], _make.operand(m, e, yes), file[mask])

    return InstructionRow(emit, memory=(1,))


def _permute() -> InstructionRow:
    """dst = the entries of a table of eight words at these indices."""

    def emit(m: Any, e: Emission) -> None:
        table, index = e.srcs
        m.asm.vpermps(YMM[e.dst], YMM[index], YMM[table] if isinstance(table, int) else _memory(m, table, e.lanes))

    return InstructionRow(emit, memory=(0,))


def _lag(size: int) -> InstructionRow:
    """Elements of `size` bytes, moved within halves of 128 bits, after the lower half where there are two."""

    def emit(m: Any, e: Emission) -> None:
        (x, fill), file, moved = e.srcs, e.lanes.ops.file, e.value * size
        below = _make.operand(m, e, fill)
        if file is YMM:
            m.asm.vperm2i128(YMM[e.dst], YMM[x], below, 0x02)  # the low halves of `below` and of x
            below = YMM[e.dst]
        if moved < 16:
            m.asm.vpalignr(file[e.dst], file[x], below, 16 - moved)

    return InstructionRow(emit, memory=(1,), early=True, instructions=2)


def _last(name: str, places: int) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        file, x = e.lanes.ops.file, e.srcs[0]
        if file is YMM:
            m.asm.vperm2i128(YMM[e.dst], YMM[x], YMM[x], 0x11)  # the high half twice
            x = e.dst
        getattr(m.asm, name)(file[e.dst], file[x], places)

    return InstructionRow(emit, instructions=2)


def _rows() -> dict[tuple[str, str], InstructionRow]:
    rows = shared_rows(_make)
    for dtype, size, name, places in (("f32", 4, "vpermilps", 0xFF), ("f64", 8, "vpermilpd", 0xF)):
        for each in (dtype, INTEGER_OF[dtype]):
            rows[LAG, each], rows[LAST, each] = _lag(size), _last(name, places)
    for dtype, p in PACKED.items():
        for op, predicate in ORDERED.items():
            rows[op, dtype] = _make.two(f"vcmp{p}", predicate)
            rows[f"not_{op}", dtype] = _make.two(f"vcmp{p}", predicate ^ 4)  # true also if an operand is NaN
        rows["unordered_bits", dtype] = _make.two(f"vcmp{p}", 3)
        for op, immediate in ROUND.items():
            rows[op, dtype] = _make.one(f"vround{p}", immediate)
        rows["select", dtype] = rows["select", {"f32": "i32", "f64": "i64"}[dtype]] = _select(p)
    for dtype, w in WHOLE.items():
        rows["lt", dtype] = rows["lt_bits", dtype] = _make.swapped(f"vpcmpgt{w}")
        rows["eq", dtype] = _make.two(f"vpcmpeq{w}", commutes=True)
        rows["perm", dtype] = _permute()
    for dtype in ("i32", "i64", "m32", "m64"):
        for op in ("and", "or", "xor"):
            rows[op, dtype] = _make.two(f"vp{op}", commutes=True)
    return rows


def _not(expr: Expr) -> Expr:
    """Return the opposite comparison of floats, or an inverted mask."""
    (mask,) = expr.args
    if mask.op in ORDERED and mask.args[0].dtype in PACKED:
        return own(f"not_{mask.op}", expr.dtype, *mask.args)
    return rules.mask_not_by_xor(expr)


def _without_sign(x: Expr) -> Expr:
    """x if it is a NaN or has no sign, else +0."""
    integer = bits(x)
    return from_bits(integer & own("lt_bits", integer.dtype, minus_infinity(x.dtype), integer))


def select_by_bit(index: Expr, half: int, high: Expr, low: Expr) -> Expr:
    """Select by one bit of the index, moved to the sign bit, which the selection reads."""
    width = {"i32": 32, "i64": 64}[index.dtype]
    return select(node("bits", (index << width - half.bit_length(),), f"m{width}"), high, low)


def _lookup64(expr: Expr) -> Expr:
    """Look up a table with four entries in a register, each as two words with the indices 2n and 2n + 1."""
    (index,), (dtype, entries) = expr.args, expr.value
    pairs = (index << 1) | ((index << 33) + constant_bits(1 << 32, "i64"))

    def entry(part: tuple[int, ...]) -> Expr:
        return own("perm", dtype, rules.table_of(part, dtype), pairs)

    return rules.lookup_tree(index, entries, 4, entry, select_by_bit)


def _lookup32(expr: Expr) -> Expr:
    (index,), (dtype, entries) = expr.args, expr.value
    if len(entries) == 8:
        index = rules.without_mask(index, 7)  # the instruction reads only the last bits

    def entry(part: tuple[int, ...]) -> Expr:
        return own("perm", dtype, rules.table_of(part, dtype), index)

    return rules.lookup_tree(index, entries, 8, entry, select_by_bit)


def _rules() -> dict[tuple[str, str], Rule]:
    rules_by_key: dict[tuple[str, str], Rule] = {}
    for dtype in PACKED:
        rules_by_key["max", dtype] = rules_by_key["min", dtype] = extremum(extremum_by_both_orders, _without_sign)
        rules_by_key["neg", dtype], rules_by_key["abs", dtype] = rules.neg_by_xor, rules.abs_by_and
        rules_by_key["scale", dtype] = rules.SCALE[dtype]
        rules_by_key |= {(name, dtype): rule for name, rule in rules.OF_FLOATS.items()}
    for dtype in WHOLE:
        rules_by_key["neg", dtype], rules_by_key["not", dtype] = rules.neg_by_sub, rules.not_by_xor
        rules_by_key["le", dtype], rules_by_key["ne", dtype] = rules.le_by_lt, rules.ne_by_eq
        rules_by_key["ldexp", dtype], rules_by_key["rotl", dtype] = rules.ldexp_by_products, rules.rotl_by_shifts
    for dtype in ("m32", "m64"):
        rules_by_key["not", dtype] = _not
    rules_by_key["to_int", "f64"] = rules_by_key["round_int", "f64"] = rules.to_int_by_sum
    rules_by_key["to_float", "i64"], rules_by_key["low_word", "i32"] = rules.to_float_by_sum, rules.low_word_by_and
    rules_by_key["sar", "i64"], rules_by_key["abs", "i64"] = rules.sar_by_shr, rules.abs_by_select
    rules_by_key["max", "i64"], rules_by_key["min", "i64"] = rules.max_by_select, rules.min_by_select
    rules_by_key["to_whole", "f32"] = rules.to_whole_by_least
    rules_by_key["saturate", "i32"] = rules.saturate_by_store
    rules_by_key["lookup", "i32"], rules_by_key["lookup", "i64"] = _lookup32, _lookup64
    return rules_by_key


_PLAIN = Arithmetic(
    _rows(),
    _rules(),
    _constant,
    _move,
    masks=0,
    tables=8,
    fused=FUSED,
    combine=extrema_of_selects,
    loads=LOADS,
    stores=PACKING_STORES,
    splat=splat,
    load_bits=load_sign_bits,
    store_bits=store_sign_bits,
    iota=iota_by_move,
    running=of_avx2,
    wide_loads=WIDE_LOADS,
    wide_stores=WIDE_STORES,
)
ARITHMETIC = replace(_PLAIN, joining=replace(_PLAIN, joined=JOINED, spare=1))
