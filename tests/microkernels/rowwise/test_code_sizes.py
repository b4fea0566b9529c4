"""The code of a kernel for any number of rows is at most twice as large as for a fixed number (docs/fused.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts

Make = Callable[[Any, str], Any]
ROWS = (64, 100, 256, 1000)
LONG_SUMS = (5000,)
"""The numbers of rows beside which functions with sums down the columns are: their kernels for any number of rows fold
sums of more than 4,096 rows, which those for fewer rows have no code for."""
DOWN = ("clip_own_norm of 16 columns", "batchnorm_training of 100 columns")
PAIRS = ("bf16", "bf16", "f32")


def product(n: int, k: int, types: Any, layout: str = "") -> Make:
    """Return a maker of C = A B with any number of rows."""
    more = {"b_layout": layout} if layout else {}
    return lambda m, target: ts.brgemm(m, n, k, dtype=types, beta=0, target=target, **more)


def mask(name: str, kind: str, dtype: str = "f32") -> Make:
    """Return a maker of a function whose operand or result has a bit for each element."""
    return lambda m, target: getattr(ts, kind)(name, m, 48, dtype=dtype, target=target)


def sums(n: int) -> Make:
    """Return a maker of sums of each row."""
    return lambda m, target: ts.reduce("sum", m, n, axis=1, target=target)


def gathered(n: int) -> Make:
    """Return a maker of products of a matrix with gathered rows of a table."""
    return lambda m, target: ts.equation(
        lambda x, t, i: x * ts.gather(t, i), x=(m, n), t=(1000, n), i=(m,), target=target
    )


def elements(function: Callable[[Any], Any]) -> Make:
    """Return a maker of a function of each element with contiguous columns."""
    return lambda m, target: ts.equation(function, x=(m, 48), order="F", target=target)


def by_columns(n: int) -> Make:
    """Return a maker of sums of each row with contiguous columns."""
    return lambda m, target: ts.equation(lambda x: ts.sum(x, axis=1), x=(m, n), order="F", target=target)


def centred(n: int) -> Make:
    """Return a maker of a matrix with contiguous columns minus the sums of its rows."""
    return lambda m, target: ts.equation(lambda x: x - ts.sum(x, axis=1), x=(m, n), order="F", target=target)


def norm(name: str, n: int) -> Make:
    """Return a maker of a norm of each row with contiguous columns."""
    return lambda m, target: ts.fused(name, m, n, order="F", target=target)


def by_rows(name: str, n: int, dtype: str = "f32") -> Make:
    """Return a maker of a function of each row with contiguous rows."""
    return lambda m, target: ts.fused(name, m, n, dtype=dtype, target=target)


def columns(name: str, dtype: str) -> Make:
    """Return a maker of a function of each element with contiguous columns."""
    return lambda m, target: ts.unary(name, m, 48, dtype=dtype, order="F", target=target)


def layers(n: int, h: int) -> Make:
    """Two products with gelu between them."""
    return lambda m, target: ts.equation(
        lambda x, w, b, v: ts.gelu(x @ w + b) @ v, x=(m, n), w=(n, h), b=(1, h), v=(h, n), target=target
    )


def gathered_product(n: int) -> Make:
    """A product of rows of a table."""
    return lambda m, target: ts.equation(
        lambda x, i, w: ts.gather(x, i) @ w, x=(1000, n), i=(m,), w=(n, n), target=target
    )


EVERY = ("avx512", "avx2", "neon", "sve256")
MADE: dict[str, tuple[Make, tuple[str, ...]]] = {
    **{f"sums of {n} columns": (sums(n), EVERY) for n in (16, 384, 1024)},
    "sums of 64 columns": (sums(64), ("avx512", "neon", "sve256")),
    **{f"gathered rows of {n} columns": (gathered(n), EVERY) for n in (16, 64)},
    "relu in order F": (elements(ts.relu), ("avx512", "avx2", "avx", "sve256", "sme256")),
    "gelu in order F": (elements(ts.gelu), (*EVERY, "avx", "sse", "sme256")),
    "sum of two in order F": (elements(lambda x: x * 2 + x), (*EVERY, "avx", "sse", "sme256")),
    "sums in order F": (by_columns(48), (*EVERY, "sse")),
    **{f"matrix of {n} columns minus sums in order F": (centred(n), (*EVERY, "sse")) for n in (48, 384)},
    "layer norm in order F": (norm("layernorm", 48), (*EVERY, "sse")),
    "softmax in order F": (norm("softmax", 48), (*EVERY, "avx", "sse")),
    "softmax of 16 columns": (by_rows("softmax", 16), (*EVERY, "sse")),
    **{f"{name} of 16 columns": (by_rows(name, 16), EVERY) for name in ("layernorm", "clip_own_norm", "batchnorm_inv")},
    "momentum of 16 columns": (by_rows("momentum", 16), ("avx512", "neon")),
    "layer norm of 1024 columns": (by_rows("layernorm", 1024), ("avx512", "sve256")),
    "layers of 64 and 256 columns": (layers(64, 256), EVERY),
    "layers of 512 columns": (layers(512, 512), EVERY),
    "gathered rows by a matrix of 64 columns": (gathered_product(64), EVERY),
    "gathered rows by a matrix of 128 columns": (gathered_product(128), ("avx2", "neon")),
    "product in f32": (product(64, 64, "f32"), EVERY),
    "product in f64": (product(48, 32, "f64"), EVERY),
    "product in pairs of bf16": (product(48, 32, PAIRS, "vnni"), ("avx512_bf16", "neon_bf16")),
    "product in bf16": (product(256, 64, PAIRS), ("avx512_bf16", "neon_bf16")),
    "product of bytes by fours": (product(256, 64, ("u8", "i8", "i32"), "vnni"), ("avx512_vnni", "sve256")),
    "products by a vector": (product(1, 64, "f32"), (*EVERY, "avx")),
    "products by a vector in f64": (product(1, 64, "f64"), (*EVERY, "avx")),
    "product of bf16 on tiles": (product(64, 64, PAIRS, "vnni"), ("amx",)),
    "product of bf16 on tiles, k ends within a group": (product(17, 33, PAIRS, "vnni"), ("amx",)),
    "product of plain bf16 on tiles": (product(512, 256, PAIRS), ("amx",)),
    "product of bf16 on tiles, few columns": (product(4, 512, PAIRS, "vnni"), ("amx",)),
    "product of bytes on tiles": (product(256, 64, ("u8", "i8", "i32"), "vnni"), ("amx",)),
    "product with bf16 results on tiles": (product(100, 100, "bf16"), ("amx",)),
    "comparison to bits": (mask("ge", "binary"), (*EVERY, "avx", "sse")),
    "relu and its bits": (mask("relu_mask", "unary", "bf16"), (*EVERY, "avx", "sse")),
    "blend of bytes by bits": (mask("blend", "ternary", "i8"), (*EVERY, "avx", "sse")),
    "rope in order F": (norm("rope", 48), ("neon", "sve256")),
    "split momentum step in order F": (norm("split_sgd", 48), ("avx2", "sse")),
    "momentum step in order F": (norm("momentum", 48), ("avx",)),
    **{f"{name} in order F": (norm(name, 48), ("avx512", "neon", "sve256")) for name in ("adam", "adamw")},
    "adam in order F on 16 registers": (norm("adam", 48), ("avx2",)),
    "batchnorm_inv in order F": (norm("batchnorm_inv", 48), EVERY),
    "gelu of bf16 in order F": (columns("gelu", "bf16"), ("avx512", "sve256", "sme256")),
    "clip_norm in order F": (norm("clip_norm", 48), (*EVERY, "sse")),
    "relu in order F, by name": (columns("relu", "f32"), ("avx512", "avx2", "sve256")),
    "rope of 100 columns in bf16": (by_rows("rope", 100, "bf16"), ("avx2",)),
    "batchnorm_training of 100 columns": (by_rows("batchnorm_training", 100), EVERY),
    "product on outer-product accumulators": (product(64, 64, "f32"), ("sme128", "sme256", "sme512")),
    "product of bytes on outer-product accumulators": (product(256, 64, ("u8", "i8", "i32")), ("sme256",)),
    "product of bf16 on outer-product accumulators": (product(17, 33, PAIRS), ("sme256",)),
    "product of bf16 on single tiles": (product(16, 16, PAIRS, "vnni"), ("amx",)),
    "product of bytes on single tiles": (product(1, 64, ("u8", "i8", "i32"), "vnni"), ("amx",)),
    "product of bf16 on pairs of tiles": (product(48, 32, PAIRS, "vnni"), ("amx",)),
    "product in f16": (product(256, 64, ("f16", "f16", "f32")), ("avx512",)),
}


@pytest.mark.parametrize(
    ("name", "target"), [(name, target) for name, (_, targets) in MADE.items() for target in targets]
)
def test_code_is_at_most_twice_that_of_a_kernel_of_a_number(name: str, target: str) -> None:
    make, _ = MADE[name]
    any_rows = len(make(ts.RUNTIME, target).code)
    for rows in LONG_SUMS if name in DOWN else ROWS:
        fixed = len(make(rows, target).code)
        assert any_rows <= 2 * fixed, f"{rows} rows: {any_rows} bytes beside {fixed}"
