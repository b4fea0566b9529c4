"""Arithmetic of SVE: masks are in predicates. Instructions work on whole registers, whatever the lanes are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from ....encoder.a64.registers import D, P, S, X, Z, listed, mem, vl
from ...codegen import expansions as rules
from ...codegen.selection import LAG, LAST, Arithmetic, Constant, Emission, InstructionRow, Rule, own
from ...expr.graph import Expr, rint
from .iota import sve_iota
from .lanes import A64Lanes
from .sve_conversions import LOADS, STORES, WIDE_LOADS, WIDE_STORES, load_bits, splat, store_bits

_VIEW = {"f32": "s", "i32": "s", "f64": "d", "i64": "d", "m32": "s", "m64": "d"}
_FLOATS, _WHOLES, _MASKS = ("f32", "f64"), ("i32", "i64"), ("m32", "m64")
_ALL = P[0]
MASK_REGISTERS = P[8:16]
"""Predicates for the masks of expressions. p1 to p7 are for lanes, because loads and stores can name no others."""


def _constant(m: Any, dst: int, value: Constant, lanes: A64Lanes) -> None:
    if value.bits == 0:
        m.asm.dup(Z[dst].d, 0)
    elif isinstance(value.bits, int):
        scalar, view = (S, "s") if value.size == 32 else (D, "d")
        m.asm.ldr(scalar[dst], m.asm.const(value.data(value.size // 8)))
        whole = getattr(Z[dst], view)
        m.asm.dup(whole, whole[0])
    else:
        count = value.registers(m.bytes)
        m.asm.adr(X[16], m.asm.const(value.data(count * m.bytes), 16))
        for number in range(count):
            m.asm.ldr(Z[dst + number], mem[X[16], number * vl] if number else mem[X[16]])


def _move(m: Any, dst: Any, src: Any, lanes: A64Lanes) -> None:
    if isinstance(dst, int):
        m.asm.mov(Z[dst].d, Z[src].d)
    else:
        m.asm.mov(dst.b, src.b)


def _views(view: str, *registers: Any) -> list[Any]:
    return [getattr(Z[register] if isinstance(register, int) else register, view) for register in registers]


def _plain(name: str, view: str) -> InstructionRow:
    """Emit dst = op(operands), unpredicated."""

    def emit(m: Any, e: Emission) -> None:
        getattr(m.asm, name)(*_views(view, e.dst, *e.srcs))

    return InstructionRow(emit)


def _merging(name: str, view: str) -> InstructionRow:
    """Emit dst = op(a) with all elements active."""

    def emit(m: Any, e: Emission) -> None:
        dst, src = _views(view, e.dst, *e.srcs)
        getattr(m.asm, name)(dst, _ALL.m, src)

    return InstructionRow(emit)


def _destructive(name: str, view: str, reverse: str = "") -> InstructionRow:
    """Emit dst = op(dst, b), or op(a, dst) by the reversed instruction."""

    def emit(m: Any, e: Emission) -> None:
        dst, other = _views(view, e.dst, e.srcs[1 - (e.tied or 0)])
        getattr(m.asm, reverse if e.tied else name)(dst, _ALL.m, dst, other)

    return InstructionRow(emit, ties=(0, 1) if reverse else (0,))


def _fused(addend: str, factor: str, view: str) -> InstructionRow:
    """Emit a fused multiply-add whose addend or factor is dst."""

    def emit(m: Any, e: Emission) -> None:
        if e.tied == 2:
            name, (one, other) = addend, e.srcs[:2]
        else:
            name, one, other = factor, e.srcs[1 - (e.tied or 0)], e.srcs[2]
        dst, one, other = _views(view, e.dst, one, other)
        getattr(m.asm, name)(dst, _ALL.m, one, other)

    return InstructionRow(emit, ties=(2, 0, 1))


def _shift(name: str, view: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        dst, src = _views(view, e.dst, *e.srcs)
        if e.value:
            getattr(m.asm, name)(dst, src, e.value)
        elif e.dst != e.srcs[0]:
            _move(m, e.dst, e.srcs[0], e.lanes)

    return InstructionRow(emit)


def _compare(name: str, view: str, swapped: bool = False) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        a, b = _views(view, *(e.srcs[::-1] if swapped else e.srcs))
        getattr(m.asm, name)(getattr(e.dst, view), _ALL.z, a, b)

    return InstructionRow(emit, mask=True)


def _of_masks(name: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        getattr(m.asm, name)(e.dst.b, _ALL.z, *(src.b for src in e.srcs))

    return InstructionRow(emit, mask=True)


def _select(view: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        mask, *values = e.srcs
        dst, yes, no = _views(view, e.dst, *values)
        m.asm.sel(dst, mask, yes, no)

    return InstructionRow(emit)


def _table(view: str) -> InstructionRow:
    """Emit tbl on (table, indices); an index beyond the table gives zero. `value` is the number of its registers."""

    def emit(m: Any, e: Emission) -> None:
        (first, places), number = e.srcs, e.value or 1
        dst, places, *table = _views(view, e.dst, places, *range(first, first + number))
        m.asm.tbl(dst, listed(*table), places)

    return InstructionRow(emit)


def _lag() -> InstructionRow:
    """Elements from the last ones of `fill`, which the result replaces, on."""

    def emit(m: Any, e: Emission) -> None:
        dst, x = Z[e.dst].b, Z[e.srcs[0]].b
        m.asm.ext(dst, dst, x, m.bytes - e.value * m.bytes // e.lanes.capacity)

    return InstructionRow(emit, ties=(1,))


def _last(view: str) -> InstructionRow:
    def emit(m: Any, e: Emission) -> None:
        dst, x = _views(view, e.dst, *e.srcs)
        m.asm.dup(dst, x[e.lanes.capacity - 1])

    return InstructionRow(emit)


def _float_rows(dtype: str, view: str) -> dict[tuple[str, str], InstructionRow]:
    rows = {(op, dtype): _plain(f"f{op}", view) for op in ("add", "sub", "mul")}
    for op, name in {
        "neg": "fneg",
        "abs": "fabs",
        "sqrt": "fsqrt",
        "rint": "frintn",
        "floor": "frintm",
        "ceil": "frintp",
        "trunc": "frintz",
        "to_int": "fcvtzs",
    }.items():
        rows[op, dtype] = _merging(name, view)
    rows["div", dtype] = _destructive("fdiv", view, "fdivr")
    rows["max", dtype], rows["min", dtype] = _destructive("fmax", view, "fmax"), _destructive("fmin", view, "fmin")
    for op, names in {
        "fma": ("fmla", "fmad"),
        "fnma": ("fmls", "fmsb"),
        "fms": ("fnmls", "fnmsb"),
        "fnms": ("fnmla", "fnmad"),
    }.items():
        rows[op, dtype] = _fused(*names, view)
    rows["lt", dtype], rows["le", dtype] = _compare("fcmgt", view, swapped=True), _compare("fcmge", view, swapped=True)
    rows["eq", dtype], rows["ne", dtype] = _compare("fcmeq", view), _compare("fcmne", view)
    rows["select", dtype] = _select(view)
    return rows


def _whole_rows(dtype: str, view: str) -> dict[tuple[str, str], InstructionRow]:
    rows = {(op, dtype): _plain(op, view) for op in ("add", "sub")}
    for op, name in {"neg": "neg", "abs": "abs_", "not": "not_", "to_float": "scvtf"}.items():
        rows[op, dtype] = _merging(name, view)
    for op, name in {"mul": "mul", "max": "smax", "min": "smin"}.items():
        rows[op, dtype] = _destructive(name, view, name)
    for op, name in {"and": "and_", "or": "orr", "xor": "eor"}.items():
        rows[op, dtype] = _plain(name, "d")
    for op, name in {"shl": "lsl", "sar": "asr", "shr": "lsr"}.items():
        rows[op, dtype] = _shift(name, view)
    rows["lt", dtype], rows["le", dtype] = _compare("cmpgt", view, swapped=True), _compare("cmpge", view, swapped=True)
    rows["eq", dtype], rows["ne", dtype] = _compare("cmpeq", view), _compare("cmpne", view)
    rows["select", dtype], rows["tbl", dtype] = _select(view), _table(view)
    rows["ldexp", dtype] = _destructive("fscale", view)
    return rows


def _rows() -> dict[tuple[str, str], InstructionRow]:
    rows: dict[tuple[str, str], InstructionRow] = {}
    for dtype in _FLOATS:
        rows |= _float_rows(dtype, _VIEW[dtype])
    for dtype in _WHOLES:
        rows |= _whole_rows(dtype, _VIEW[dtype])
    rows["whole_int", "f32"] = rows["to_int", "f32"]
    for dtype in (*_FLOATS, *_WHOLES):
        rows[LAG, dtype], rows[LAST, dtype] = _lag(), _last(_VIEW[dtype])
    for dtype in _MASKS:
        for op, name in {"and": "and_", "or": "orr", "xor": "eor", "not": "not_"}.items():
            rows[op, dtype] = _of_masks(name)
    return rows


def _by_whole_float(expr: Expr) -> Expr:
    """Round to a whole float first. The conversion rounds towards zero, saturates and turns NaN into 0."""
    return own("whole_int", "i32", rint(expr.args[0]))


def _lookups(vector_bits: int, registers: int) -> dict[tuple[str, str], Rule]:
    """Return the rules that cut tables into so many registers of a vector length."""
    return {
        ("lookup", dtype): rules.lookup_by_sum(registers * vector_bits // size, "tbl", registers)
        for dtype, size in (("i32", 32), ("i64", 64))
    }


@cache
def arithmetic(vector_bits: int, pairs: bool) -> Arithmetic:
    """Return the arithmetic for a vector length. pairs: whether the target looks up in pairs of registers."""
    rules_by_key: dict[tuple[str, str], Rule] = {}
    for dtype in _FLOATS:
        rules_by_key["round_int", dtype], rules_by_key["scale", dtype] = rules.round_int_by_rint, rules.scale_by_ldexp
        rules_by_key |= {(name, dtype): rule for name, rule in rules.OF_FLOATS.items()}
    for dtype in _WHOLES:
        rules_by_key["rotl", dtype] = rules.rotl_by_shifts
    rules_by_key |= _lookups(vector_bits, 1)
    rules_by_key["low_word", "i32"] = rules.low_word_by_and
    rules_by_key["to_whole", "f32"] = rules.to_whole_by_saturation
    rules_by_key["saturate", "i32"] = rules.saturate_by_extrema
    rules_by_key["saturated_int", "f32"] = _by_whole_float
    fused = {(True, False): "fnma", (False, True): "fms", (True, True): "fnms"}
    made = Arithmetic(
        _rows(),
        rules_by_key,
        _constant,
        _move,
        masks=len(MASK_REGISTERS),
        tables=vector_bits // 32,
        fused=fused,
        loads=LOADS,
        stores=STORES,
        splat=splat,
        load_bits=load_bits,
        store_bits=store_bits,
        iota=sve_iota,
        spare=2,
        packed=False,
        wide_loads=WIDE_LOADS,
        wide_stores=WIDE_STORES,
    )
    if not pairs:
        return made
    in_pairs = {**rules_by_key, **_lookups(vector_bits, 2)}
    return replace(made, neighbours=replace(made, rules=in_pairs, register_bytes=vector_bits // 8))
