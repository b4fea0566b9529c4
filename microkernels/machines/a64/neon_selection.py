"""Arithmetic of NEON: masks are vectors. Instructions work on whole registers, whatever the lanes are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ....encoder.a64.registers import Q, V, listed
from ...codegen import expansions as rules
from ...codegen.selection import LAG, LAST, Arithmetic, Constant, Emission, InstructionRow, Rule, own
from ...expr.graph import BITS, Expr, constant_bits, from_bits
from .iota import neon_iota
from .lanes import A64Lanes
from .neon_conversions import (
    BFLOAT,
    BFLOAT_JOINED,
    BFLOAT_STORES,
    JOINED,
    LOADS,
    STORES,
    WIDE_LOADS,
    WIDE_STORES,
    load_bits,
    splat,
    store_bits,
)

_VIEW = {"f32": "s4", "i32": "s4", "f64": "d2", "i64": "d2", "m32": "s4", "m64": "d2"}
_FLOATS, _WHOLES, _MASKS = ("f32", "f64"), ("i32", "i64"), ("m32", "m64")


def _constant(m: Any, dst: int, value: Constant, lanes: A64Lanes) -> None:
    if value.bits == 0:
        m.asm.movi(V[dst].d2, 0)
    else:
        count = value.registers(16)
        data = value.data(16 * count)
        for number in range(count):
            m.asm.ldr(Q[dst + number], m.asm.const(data[16 * number : 16 * number + 16]))


def _move(m: Any, dst: int, src: int, lanes: A64Lanes) -> None:
    m.asm.mov(V[dst].b16, V[src].b16)


def _plain(name: str, view: str, order: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple) -> InstructionRow:
    """Emit dst = op(operands)."""

    def emit(m: Any, e: Emission) -> None:
        getattr(m.asm, name)(getattr(V[e.dst], view), *(getattr(V[src], view) for src in order(e.srcs)))

    return InstructionRow(emit)


def _swapped(name: str, view: str) -> InstructionRow:
    return _plain(name, view, lambda srcs: srcs[::-1])


def _shift(name: str, view: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        dst, src = getattr(V[e.dst], view), getattr(V[e.srcs[0]], view)
        if e.value:
            getattr(m.asm, name)(dst, src, e.value)
        elif e.dst != e.srcs[0]:
            _move(m, e.dst, e.srcs[0], e.lanes)

    return InstructionRow(emit)


def _rotate(view: str) -> InstructionRow:
    """Shift left, then insert the bits that leave at the top."""

    def emit(m: Any, e: Emission) -> None:
        dst, src = getattr(V[e.dst], view), getattr(V[e.srcs[0]], view)
        m.asm.shl(dst, src, e.value)
        m.asm.sri(dst, src, {"s4": 32, "d2": 64}[view] - e.value)

    return InstructionRow(emit, early=True)


def _fused(name: str, view: str) -> InstructionRow:
    """Emit a fused multiply-add whose addend is dst."""

    def emit(m: Any, e: Emission) -> None:
        a, b, _ = e.srcs
        getattr(m.asm, name)(getattr(V[e.dst], view), getattr(V[a], view), getattr(V[b], view))

    return InstructionRow(emit, ties=(2,))


def _select() -> InstructionRow:
    """Emit bsl, bif or bit, depending on which operand dst is: the mask, the first or the second."""

    def emit(m: Any, e: Emission) -> None:
        mask, yes, no = (V[src].b16 for src in e.srcs)
        dst = V[e.dst].b16
        if e.tied == 0:
            m.asm.bsl(dst, yes, no)
        elif e.tied == 1:
            m.asm.bif(dst, no, mask)
        else:
            m.asm.bit(dst, yes, mask)

    return InstructionRow(emit, ties=(0, 1, 2))


def _table(name: str) -> InstructionRow:
    """Emit tbl on (table, indices), or tbx on (result for indices beyond, table, indices). Indices count bytes. `value`
    is the number of registers of the table."""

    def emit(m: Any, e: Emission) -> None:
        table, places = e.srcs[-2:]
        registers = listed(*(V[table + number].b16 for number in range(e.value or 1)))
        getattr(m.asm, name)(V[e.dst].b16, registers, V[places].b16)

    return InstructionRow(emit, ties=(0,) if name == "tbx" else ())


def _lag(size: int) -> InstructionRow:
    """16 bytes from the last elements of `fill` on, which have `size` bytes each."""

    def emit(m: Any, e: Emission) -> None:
        x, fill = (V[src].b16 for src in e.srcs)
        m.asm.ext(V[e.dst].b16, fill, x, 16 - e.value * size)

    return InstructionRow(emit)


def _last(view: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        m.asm.dup(getattr(V[e.dst], view), getattr(V[e.srcs[0]], view[0])[int(view[1:]) - 1])

    return InstructionRow(emit)


def _rows() -> dict[tuple[str, str], InstructionRow]:
    rows: dict[tuple[str, str], InstructionRow] = {}
    unary = {
        "neg": "fneg",
        "abs": "fabs",
        "sqrt": "fsqrt",
        "rint": "frintn",
        "floor": "frintm",
        "ceil": "frintp",
        "trunc": "frintz",
        "to_int": "fcvtzs",
        "round_int": "fcvtns",
    }
    binary = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "max": "fmax", "min": "fmin", "eq": "fcmeq"}
    for dtype in _FLOATS:
        view = _VIEW[dtype]
        for op, name in {**unary, **binary}.items():
            rows[op, dtype] = _plain(name, view)
        rows["lt", dtype], rows["le", dtype] = _swapped("fcmgt", view), _swapped("fcmge", view)
        rows["fma", dtype], rows["fnma", dtype] = _fused("fmla", view), _fused("fmls", view)
    for dtype in _WHOLES:
        view = _VIEW[dtype]
        for op, name in {
            "add": "add",
            "sub": "sub",
            "neg": "neg",
            "abs": "abs_",
            "eq": "cmeq",
            "to_float": "scvtf",
        }.items():
            rows[op, dtype] = _plain(name, view)
        rows["lt", dtype], rows["le", dtype] = _swapped("cmgt", view), _swapped("cmge", view)
        for op, name in {"shl": "shl", "sar": "sshr", "shr": "ushr"}.items():
            rows[op, dtype] = _shift(name, view)
        rows["rotl", dtype] = _rotate(view)
        rows["tbl", dtype], rows["tbx", dtype] = _table("tbl"), _table("tbx")
        rows["sub_bytes", dtype], rows["shl_bytes", dtype] = _plain("sub", "b16"), _shift("shl", "b16")
    for op, name in {"mul": "mul", "max": "smax", "min": "smin"}.items():
        rows[op, "i32"] = _plain(name, "s4")
    rows["saturated_int", "f32"] = _plain("fcvtns", "s4")
    for dtype in (*_WHOLES, *_MASKS):
        for op, name in {"and": "and_", "or": "orr", "xor": "eor", "not": "mvn"}.items():
            rows[op, dtype] = _plain(name, "b16")
    for dtype in (*_FLOATS, *_WHOLES):
        rows["select", dtype] = _select()
        rows[LAG, dtype], rows[LAST, dtype] = _lag(BITS[dtype] // 8), _last(_VIEW[dtype])
    return rows


def _bytes_of(index: Expr) -> Expr:
    """Return the byte indices of entry n: size * n + 0, 1, 2 and so on."""
    if index.dtype == "i32":
        return index * 0x04040404 + 0x03020100
    first = rules.table_of((0, 0x0808080808080808), "i64")  # the lowest byte of each element, eight times
    return own("shl_bytes", "i64", own("tbl", "i64", index, first), value=3) + 0x0706050403020100


def _lookup(expr: Expr, registers: int = 1) -> Expr:
    """Look up so many registers of the table at a time. tbx leaves elements unchanged whose index is beyond them."""
    (index,), (dtype, entries) = expr.args, expr.value
    integer, capacity = index.dtype, registers * {"i32": 4, "i64": 2}[index.dtype]
    indices = _bytes_of(index)
    bytes_of_each = constant_bits(int.from_bytes(bytes([registers * 16] * 8), "little"), integer)
    whole = min(registers, len(entries) * registers // capacity) or 1
    entry = own("tbl", integer, rules.table_of(entries[:capacity], dtype), indices, value=whole)
    for first in range(capacity, len(entries), capacity):
        indices = own("sub_bytes", integer, indices, bytes_of_each)
        table = rules.table_of(entries[first : first + capacity], dtype)
        entry = own("tbx", integer, entry, table, indices, value=whole)
    return from_bits(entry) if dtype != integer else entry


def _rules() -> dict[tuple[str, str], Rule]:
    rules_by_key: dict[tuple[str, str], Rule] = {}
    for dtype in _FLOATS:
        rules_by_key["ne", dtype], rules_by_key["scale", dtype] = rules.ne_by_eq, rules.SCALE[dtype]
        rules_by_key |= {(name, dtype): rule for name, rule in rules.OF_FLOATS.items()}
    for dtype in _WHOLES:
        rules_by_key["ne", dtype], rules_by_key["ldexp", dtype] = rules.ne_by_eq, rules.ldexp_by_products
        rules_by_key["lookup", dtype] = _lookup
    rules_by_key["max", "i64"], rules_by_key["min", "i64"] = rules.max_by_select, rules.min_by_select
    rules_by_key["low_word", "i32"] = rules.low_word_by_and
    rules_by_key["to_whole", "f32"] = rules.to_whole_by_saturation
    rules_by_key["saturate", "i32"] = rules.saturate_by_store
    return rules_by_key


_PLAIN = Arithmetic(
    _rows(),
    _rules(),
    _constant,
    _move,
    masks=0,
    fused={(True, False): "fnma"},
    loads=LOADS,
    stores=STORES,
    splat=splat,
    load_bits=load_bits,
    store_bits=store_bits,
    iota=neon_iota,
    spare=1,
    wide_loads=WIDE_LOADS,
    tables=4,
    wide_stores=WIDE_STORES,
)


def _with_neighbours(arithmetic: Arithmetic) -> Arithmetic:
    """Return the arithmetic with its variant that looks up in four registers at a time."""
    lookup = {("lookup", dtype): partial(_lookup, registers=4) for dtype in _WHOLES}
    variant = replace(arithmetic, rules={**arithmetic.rules, **lookup}, register_bytes=16)
    return replace(arithmetic, neighbours=variant)


_BFLOAT = replace(_PLAIN, stores=STORES | BFLOAT_STORES, converts=frozenset({BFLOAT}))
ARITHMETIC, BFLOAT_ARITHMETIC = (
    replace(_with_neighbours(plain), joining=_with_neighbours(replace(plain, joined=joined)))
    for plain, joined in ((_PLAIN, JOINED), (_BFLOAT, JOINED | BFLOAT_JOINED))
)
"""The arithmetic with FEAT_BF16, whose conversion keeps denormals."""
