"""Arithmetic of AVX without AVX2 and FMA: that of AVX2, without the operations that have no replacement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....codegen import expansions as rules
from ....codegen.exact_fma import fma_of_parts
from ....codegen.selection import Arithmetic, InstructionRow, Rule
from ....expr.graph import Expr, constant_bits
from ..avx2_selection import ARITHMETIC as OF_AVX2
from ..avx2_selection import select_by_bit
from .exact_fma import FMA

_FUSED = ("fma", "fnma", "fms", "fnms")


def lookup_by_selects(expr: Expr) -> Expr:
    """Look up a table of constants by selections, one per bit of the index."""
    (index,), (dtype, entries) = expr.args, expr.value

    def entry(part: tuple[int, ...]) -> Expr:
        return constant_bits(part[0], dtype)

    return rules.lookup_tree(index, entries, 1, entry, select_by_bit)


def without_avx2(rows: Mapping[tuple[str, str], InstructionRow]) -> Arithmetic:
    """AVX2's arithmetic without FMA and permutations of whole registers. `rows` replace some of its rows."""
    kept = {key: row for key, row in OF_AVX2.rows.items() if key[0] not in (*_FUSED, "perm")}
    more: dict[tuple[str, str], Rule] = {("fma", "f64"): fma_of_parts}
    more |= {("lookup", dtype): lookup_by_selects for dtype in ("i32", "i64")}

    return replace(
        OF_AVX2,
        rows={**kept, ("fma", "f32"): FMA, **rows},
        rules={**OF_AVX2.rules, **more},
        tables=0,
        fused={},
        rounds_twice=True,
        joining=None,
    )


ARITHMETIC = without_avx2({})
