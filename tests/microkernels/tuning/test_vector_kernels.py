"""Tuning tables of reductions, elementwise kernels, gathers and generated code: every number has an effect.

If one number of a processor family's table changes, the code of one of the requests below changes. This shows that each
number is read, and that the table of a new family has an effect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.microkernels.machines.registry import TARGETS, facts_of
from tilesmith.microkernels.tuning.default import DEFAULT
from tilesmith.microkernels.tuning.families import FAMILIES
from tilesmith.runtime.kernel.callable import Kernel

REQUESTS: dict[str, Callable[[], Any]] = {
    "sum of rows": lambda: ts.reduce("sum", 9, 200, axis=1, target="avx512"),
    "sum of long rows": lambda: ts.reduce("sum", 500, 3000, axis=1, target="avx512"),
    "sum of interleaved rows": lambda: ts.reduce("sum", 64, 120, axis=1, target="avx512"),
    "max of interleaved rows": lambda: ts.reduce("max", 56, 100, axis=1, target="avx512"),
    "sum of all": lambda: ts.reduce("sum", 9, 2000, target="avx512"),
    "sum of few": lambda: ts.reduce("sum", 1, 1500, target="avx512"),
    "sums of columns": lambda: ts.reduce("sum", 16, 384, axis=0, target="avx512"),
    "sums of a few columns": lambda: ts.reduce("sum", 16, 192, axis=0, target="avx512"),
    "sums of columns of a large matrix": lambda: ts.reduce("sum", 600, 1600, axis=0, target="avx512"),
    "argmax": lambda: ts.reduce("argmax", 3, 5000, target="avx512"),
    "argmax of rows": lambda: ts.reduce("argmax", 2, 3000, axis=1, target="avx512"),
    "argmax of rows beyond L1": lambda: ts.reduce("argmax", 63, 528, axis=1, target="avx512"),
    "argmax of columns": lambda: ts.reduce("argmax", 16, 384, axis=0, target="avx512"),
    "max of bytes": lambda: ts.reduce("max", 9, 43, axis=0, dtype="f8e4m3", target="avx2"),
    "absmax": lambda: ts.reduce("absmax", 9, 700, axis=0, dtype="f8e4m3", target="avx2"),
    "gelu": lambda: ts.unary("gelu", 3, 500, accuracy="accurate", target="avx2"),
    "fast gelu": lambda: ts.unary("gelu", 3, 500, accuracy="fast", target="avx2"),
    "relu of strided rows": lambda: ts.equation(
        lambda a, b, c, d: (a + b, c + d, a * c), a=(9, 40), b=(9, 40), c=(9, 40), d=(9, 40), lda=41, target="avx2"
    ),
    "epilogue": lambda: ts.brgemm(16, 24, 16, epilogue=lambda c: ts.tanh(c), accuracy="fast", target="avx512"),
    "softmax": lambda: ts.fused("softmax", 64, 384, target="avx512"),
    "softmax of long rows": lambda: ts.fused("softmax", 4096, 1024, target="avx512"),
    "norm": lambda: ts.fused("layernorm", 64, 384, target="avx512"),
    "batch": lambda: ts.fused("batchnorm_training", 64, 384, target="avx512"),
    "softmax of counted columns": lambda: ts.fused("softmax", ts.RUNTIME, 48, order="F", target="avx2"),
    "narrowed": lambda: ts.unary("relu", 4, 256, out="u8", target="avx512"),
    "rows": lambda: ts.gather("rows", 5, 300, size=9, target="avx512"),
    "elements": lambda: ts.gather("columns", 5, 300, size=9, target="avx512"),
    "checked elements": lambda: ts.gather("columns", 5, 300, size=9, bounds="kernel", target="avx512"),
    "bag": lambda: ts.embedding_bag(3, 300, size=9, count=7, target="avx512"),
    "found": lambda: ts.equation(lambda x, i: ts.gather(x, i) * 2.0, x=(9000, 30), i=(50,), target="avx512"),
}
CHANGES: dict[tuple[str, str], tuple[str, Any]] = {
    ("codegen", "unrolled_time"): ("fast gelu", (1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0)),
    ("codegen", "constant_time"): ("fast gelu", 9.0),
    ("codegen", "shared_unroll"): ("fast gelu", 1),
    ("eltwise", "unroll"): ("fast gelu", 1),
    ("eltwise", "unroll_in_epilogue"): ("epilogue", 1),
    ("eltwise", "register_arguments"): ("relu of strided rows", 0),
    ("eltwise", "packs_what_stores_narrow"): ("narrowed", False),
    ("fused", "accumulators"): ("softmax", 1),
    ("fused", "lone_operations"): ("norm", 3),
    ("fused", "lone_vectors"): ("norm", 25),
    ("fused", "l1_bytes"): ("softmax", 1 << 10),
    ("fused", "far_bytes"): ("norm", 1 << 10),
    ("fused", "far_row_bytes"): ("softmax of long rows", 1 << 20),
    ("fused", "busy"): ("softmax of long rows", 1 << 10),
    ("fused", "strip_row_bytes"): ("batch", 1 << 10),
    ("fused", "vectors_of_loaded_rows"): ("softmax of counted columns", 2),
    ("fused", "instructions_of_loaded_rows"): ("softmax of counted columns", 9),
    ("gather", "row_vectors"): ("rows", 2),
    ("gather", "unrolled_elements"): ("elements", 3),
    ("gather", "checked_elements"): ("checked elements", 1),
    ("gather", "bag_vectors"): ("bag", 3),
    ("gather", "line_bytes"): ("bag", 128),
    ("gather", "ahead"): ("found", 4),
    ("gather", "near_table_bytes"): ("found", 1 << 30),
    ("reduce", "row_step"): ("sum of rows", 2),
    ("reduce", "long_row_step"): ("sum of long rows", 2),
    ("reduce", "long_row"): ("sum of long rows", 1000),
    ("reduce", "all_step"): ("sum of all", 3),
    ("reduce", "straight_vectors"): ("sum of few", 128),
    ("reduce", "body_vectors"): ("sum of all", 16),
    ("reduce", "folded_rows"): ("sum of long rows", (4, 1)),
    ("reduce", "interleaved_body"): ("sum of interleaved rows", 8),
    ("reduce", "row_block_cost"): ("max of interleaved rows", 50),
    ("reduce", "column_step"): ("sums of columns of a large matrix", 2),
    ("reduce", "near_block_vectors"): ("sums of columns", 24),
    ("reduce", "block_vectors"): ("sums of columns of a large matrix", 8),
    ("reduce", "rows_per_turn"): ("sums of columns", 2),
    ("reduce", "light_operations"): ("sums of a few columns", 1),
    ("reduce", "line_bytes"): ("sums of columns of a large matrix", 128),
    ("reduce", "arg_blocks"): ("argmax", ((128, (2,)),)),
    ("reduce", "arg_blocks_beside_quick"): ("argmax of rows", ((128, (2,)),)),
    ("reduce", "quick_unroll"): ("argmax of columns", (1,)),
    ("reduce", "quick_time"): ("argmax of rows beyond L1", 1.0),
    ("reduce", "code_registers"): ("absmax", 9),
    ("reduce", "few_registers"): ("max of bytes", (8,)),
}
"""For each number, the request whose code changes with its value."""
ESTIMATES = {
    ("eltwise", "instructions_per_cycle"): {"fast gelu"},
    ("gather", "row_cycles"): {"rows", "bag"},
    ("gather", "element_cycles"): {"elements"},
    ("gather", "checked_cycles"): {"checked elements"},
}
"""Numbers that change only the estimate of a plan, or its choice among nearly equal ways, with a request for each."""
PARTS = ("codegen", "eltwise", "fused", "gather", "reduce")


def kernel(spec: Any, target: str, family: str) -> Kernel:
    """Return a kernel for a processor of a family, whose prefetchers do not follow a walk from row to row."""
    return Kernel(spec, replace(TARGETS[target], family=family, follows_rows=False))


def other_family(monkeypatch: pytest.MonkeyPatch, part: str, name: str, value: Any) -> str:
    """Register a family whose table differs in one number, and return its name."""
    family = f"{part} {name} {value}"
    table = DEFAULT
    monkeypatch.setitem(FAMILIES, family, table.replaced(**{part: replace(getattr(table, part), **{name: value})}))
    return family


@pytest.mark.parametrize("part, name", CHANGES)
def test_a_number_decides(part: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    request, value = CHANGES[part, name]
    public = REQUESTS[request]()
    default = kernel(public.spec, public.target.name, "a family without a table")
    changed = kernel(public.spec, public.target.name, other_family(monkeypatch, part, name, value))
    assert changed.code != default.code


@pytest.mark.parametrize("part, name", ESTIMATES)
def test_an_estimate_follows(part: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    family = other_family(monkeypatch, part, name, 100.0)
    changed = set()
    for request in set().union(*ESTIMATES.values()):
        default = REQUESTS[request]()
        if kernel(default.spec, default.target.name, family).plan.pair_cycles != default.plan.pair_cycles:
            changed.add(request)
    assert changed == ESTIMATES[part, name]


def test_every_number_is_tried() -> None:
    table = DEFAULT
    names = {(part, field.name) for part in PARTS for field in fields(getattr(table, part))}
    assert names == set(CHANGES) | set(ESTIMATES)


def test_facts_have_the_table_of_the_family(monkeypatch: pytest.MonkeyPatch) -> None:
    family = other_family(monkeypatch, "reduce", "row_step", 77)
    assert facts_of(replace(TARGETS["neon"], family=family)).tuning.reduce.row_step == 77
    assert facts_of(TARGETS["neon"]).tuning is DEFAULT
