"""The kernels whose mutants are judged: kernels of every kind, on targets of both architectures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError

TARGETS = ("sse", "avx2", "avx512", "avx512_bf16", "neon", "neon_bf16", "sve256", "sme512")
MAKERS: dict[str, Callable[[str], Any]] = {
    "transpose f32 5x7": lambda t: ts.transpose(5, 7, target=t),
    "transpose bf16 9x4": lambda t: ts.transpose(9, 4, dtype="bf16", target=t),
    "vnni2 bf16 6x5": lambda t: ts.transform("vnni2", 6, 5, target=t),
    "copy f32 3x9": lambda t: ts.unary("identity", 3, 9, target=t),
    "relu f32 3x5": lambda t: ts.unary("relu", 3, 5, target=t),
    "square f64 2x5": lambda t: ts.unary("square", 2, 5, dtype="f64", target=t),
    "add f32 3x5": lambda t: ts.binary("add", 3, 5, target=t),
    "muladd f32 2x9": lambda t: ts.ternary("muladd", 2, 9, target=t),
    "relu bf16 2x9": lambda t: ts.unary("relu", 2, 9, dtype="bf16", target=t),
    "sum of rows f32 3x11": lambda t: ts.reduce("sum", 3, 11, axis=1, target=t),
    "sum of columns f32 5x6": lambda t: ts.reduce("sum", 5, 6, axis=0, target=t),
    "mean of rows bf16 2x5": lambda t: ts.reduce("mean", 2, 5, axis=1, dtype="bf16", target=t),
    "max of rows f32 3x9": lambda t: ts.reduce("max", 3, 9, axis=1, target=t),
    "min of columns f64 5x3": lambda t: ts.reduce("min", 5, 3, axis=0, dtype="f64", target=t),
    "absmax of all f32 2x9": lambda t: ts.reduce("absmax", 2, 9, target=t),
    "max of rows bf16 2x5": lambda t: ts.reduce("max", 2, 5, axis=1, dtype="bf16", target=t),
    "argmax of columns i32 4x5": lambda t: ts.reduce("argmax", 4, 5, axis=0, dtype="i32", target=t),
    "argmin of columns f32 4x5": lambda t: ts.reduce("argmin", 4, 5, axis=0, target=t),
    "argmax of rows f32 2x9": lambda t: ts.reduce("argmax", 2, 9, axis=1, target=t),
    "argmin of rows i32 2x9": lambda t: ts.reduce("argmin", 2, 9, axis=1, dtype="i32", target=t),
    "fma f32 2x5": lambda t: ts.equation(ts.fma, a=(2, 5), b=(2, 5), c=(2, 5), target=t),
    "blend u8 2x9": lambda t: ts.ternary("blend", 2, 9, dtype="u8", target=t),
    "log f64 2x3": lambda t: ts.unary("log", 2, 3, dtype="f64", target=t),
    "split2 f32 2x9": lambda t: ts.unary("split2", 2, 9, dtype="f32", target=t),
    "log_softmax f32 2x5": lambda t: ts.fused("log_softmax", 2, 5, target=t),
    "split_sgd f32 2x5": lambda t: ts.fused("split_sgd", 2, 5, target=t),
    "brgemm f32 3x5x4": lambda t: ts.brgemm(3, 5, 4, target=t),
    "brgemm f64 3x3x2 beta 0": lambda t: ts.brgemm(3, 3, 2, dtype="f64", beta=0, target=t),
    "brgemm bf16 3x5x4": lambda t: ts.brgemm(3, 5, 4, dtype="bf16", target=t),
    "brgemm u8xi8 2x5x8": lambda t: ts.brgemm(2, 5, 8, dtype=("u8", "i8", "i32"), target=t),
    "brgemm f32 3x5x4 F": lambda t: ts.brgemm(3, 5, 4, order="F", batch=2, target=t),
    "gather of rows f32 3x5": lambda t: ts.gather("rows", 3, 5, size=4, bounds="kernel", target=t),
    "scatter by offsets f32 2x3": lambda t: ts.scatter("offsets", 2, 3, size=8, target=t),
    "scatter of rows f32 3x5": lambda t: ts.scatter("rows", 3, 5, size=4, bounds="kernel", target=t),
    "gather of columns i32 2x3": lambda t: ts.gather("columns", 2, 3, size=5, bounds="kernel", index="i32", target=t),
    "gather of rows i8 3x5": lambda t: ts.gather(
        "rows", 3, 5, size=4, dtype="i8", out="f32", scale="col", bounds="kernel", target=t
    ),
    "bag that checks f32 3x5": lambda t: ts.embedding_bag(3, 5, size=4, count=6, bounds="kernel", target=t),
    "bag f32 3x5": lambda t: ts.embedding_bag(3, 5, size=4, count=6, weights=True, target=t),
    "bag of max f32 3x5": lambda t: ts.embedding_bag(3, 5, size=4, count=6, name="max", target=t),
    "relu f32 of any rows": lambda t: ts.unary("relu", ts.RUNTIME, 3, target=t),
    "brgemm f32 of any rows": lambda t: ts.brgemm(ts.RUNTIME, 5, 3, beta=0, target=t),
    "dropout f32 2x5": lambda t: ts.unary("dropout", 2, 5, rate=0.25, target=t),
    "dropout f64 2x3": lambda t: ts.unary("dropout", 2, 3, rate=0.25, dtype="f64", target=t),
    "dropout of a sum f32 3x4": lambda t: ts.equation(
        lambda x, b: ts.dropout(ts.relu(x + b), 0.1), x=(3, 4), b=(1, 4), target=t
    ),
    "dropout of a product f32 2x5x2": lambda t: ts.brgemm(
        2, 5, 2, epilogue=lambda c: ts.dropout(c, 0.25), beta=0, target=t
    ),
    "dropout of any place f32 2x5": lambda t: ts.unary("dropout", 2, 5, rate=0.5, origin=ts.RUNTIME, target=t),
    "random i32 2x5": lambda t: ts.unary("random", 2, 5, target=t),
    "relu and its mask f32 2x9": lambda t: ts.equation(lambda x: (ts.relu(x), x > 0.0), x=(2, 9), target=t),
    "derivative of dropout f32 2x9": lambda t: ts.binary("dropout_inv", 2, 9, rate=0.1, target=t),
    "add f32 9x160 in a loop": lambda t: ts.binary("add", 9, 160, target=t),
    "transpose f32 160x8 in a loop": lambda t: ts.transpose(160, 8, target=t),
    "softmax f32 2x9": lambda t: ts.fused("softmax", 2, 9, target=t),
    "layernorm f32 2x11": lambda t: ts.fused("layernorm", 2, 11, target=t),
    "adam f32 2x9": lambda t: ts.fused("adam", 2, 9, target=t),
    "chain f32 2x3": lambda t: ts.equation(
        lambda x, w, b: ts.relu(x @ w + b) - x @ w, x=(2, 3), w=(3, 5), b=(5,), target=t
    ),
    "attention f32 1x2x3x2": lambda t: ts.attention(1, 2, 3, 2, target=t),
    "attention f32 1x2x3x2 with a mask": lambda t: ts.attention(1, 2, 3, 2, mask="full", target=t),
    "attention bf16 1x2x3x2": lambda t: ts.attention(1, 2, 3, 2, dtype="bf16", target=t),
    "rows by an index f32 3x5": lambda t: ts.equation(
        lambda x, i, e: ts.gather(x, i) * e, x=(4, 5), i=(3,), e=(3, 5), target=t
    ),
    "rows added by an index f32 3x5": lambda t: ts.equation(
        lambda x, i: ts.scatter(x * 2.0, i, 4, add=True), x=(3, 5), i=(3,), bounds="kernel", target=t
    ),
    "batchnorm_training f32 4x5": lambda t: ts.fused("batchnorm_training", 4, 5, target=t),
    "groupnorm_training f32 4x5": lambda t: ts.fused("groupnorm_training", 4, 5, channels=2, target=t),
    "derivative of groupnorm_training f32 4x5": lambda t: ts.fused(
        "groupnorm_training_inv", 4, 5, channels=2, target=t
    ),
    "dropout, residual, layernorm f32 2x9": lambda t: ts.fused("bias_dropout_residual_layernorm", 2, 9, target=t),
    "chain of any rows f32": lambda t: ts.equation(lambda x, w: ts.relu(x @ w), x=(ts.RUNTIME, 3), w=(3, 5), target=t),
    "bias and relu f32 3x5x4": lambda t: ts.brgemm(3, 5, 4, epilogue=lambda c, bias: ts.relu(c + bias), target=t),
    "relu u8 of any rows": lambda t: ts.unary("relu", ts.RUNTIME, 3, dtype="u8", target=t),
    "sum of any rows f32": lambda t: ts.reduce("sum", ts.RUNTIME, 5, axis=1, target=t),
    "max of any rows f32": lambda t: ts.reduce("max", ts.RUNTIME, 3, axis=1, target=t),
    "layernorm f32 of any rows": lambda t: ts.fused("layernorm", ts.RUNTIME, 5, target=t),
    "dropout f32 of any rows": lambda t: ts.unary("dropout", ts.RUNTIME, 3, rate=0.25, target=t),
    "brgemm f32 of any pairs": lambda t: ts.brgemm(2, 5, 3, batch=ts.STRIDE, target=t),
    "brgemm f32 of any offsets": lambda t: ts.brgemm(2, 5, 3, batch=ts.OFFSET, beta=0, target=t),
    "brgemm f32 of any addresses": lambda t: ts.brgemm(2, 5, 3, batch=ts.ADDRESS, target=t),
    "stack f32 of any products": lambda t: ts.brgemm(2, 5, 3, stack=ts.RUNTIME, target=t),
    "gather f32 of any rows": lambda t: ts.gather("rows", ts.RUNTIME, 5, size=ts.RUNTIME, bounds="kernel", target=t),
    "max of any bags f32": lambda t: ts.embedding_bag(
        ts.RUNTIME, 5, size=ts.RUNTIME, count=ts.RUNTIME, name="max", target=t
    ),
}


SMALL: dict[str, Callable[[str], Any]] = {
    "softmax f32 1x3": lambda t: ts.fused("softmax", 1, 3, target=t),
    "attention f32 1x1x2x2": lambda t: ts.attention(1, 1, 2, 2, target=t),
}
"""Smaller kernels, for kinds whose kernels above are too long to judge all of their mutants within minutes."""
CHOSEN = {
    "transpose f32 5x7": "avx512 neon",
    "transpose bf16 9x4": "avx2 sve256",
    "vnni2 bf16 6x5": "sse sme512",
    "copy f32 3x9": "avx512 sve256",
    "relu f32 3x5": "avx2 neon",
    "square f64 2x5": "sse sve256",
    "add f32 3x5": "avx512 neon",
    "muladd f32 2x9": "avx2 sme512",
    "relu bf16 2x9": "neon_bf16",
    "sum of rows f32 3x11": "avx2 neon",
    "sum of columns f32 5x6": "avx512 sve256",
    "mean of rows bf16 2x5": "avx2",
    "max of rows f32 3x9": "avx2 neon",
    "min of columns f64 5x3": "avx512 sve256",
    "absmax of all f32 2x9": "avx512 neon",
    "max of rows bf16 2x5": "neon_bf16",
    "argmax of columns i32 4x5": "avx2 sve256",
    "argmin of columns f32 4x5": "avx2 sve256",
    "brgemm f32 3x5x4": "avx512 sve256 neon",
    "brgemm f64 3x3x2 beta 0": "avx2 sse neon",
    "brgemm bf16 3x5x4": "avx512_bf16 sve256",
    "brgemm u8xi8 2x5x8": "avx512_bf16 sve256",
    "brgemm f32 3x5x4 F": "avx512",
    "gather of rows f32 3x5": "avx2 neon",
    "scatter by offsets f32 2x3": "sse avx512 sve256",
    "bag f32 3x5": "avx512 neon",
    "bag of max f32 3x5": "avx512 sve256",
    "relu f32 of any rows": "avx2",
    "dropout f32 2x5": "avx512",
    "relu and its mask f32 2x9": "avx512 neon",
    "derivative of dropout f32 2x9": "avx512 neon",
    "add f32 9x160 in a loop": "avx2 neon",
    "transpose f32 160x8 in a loop": "avx2",
    "layernorm f32 2x11": "avx512",
    "adam f32 2x9": "avx512",
    "chain f32 2x3": "avx512 sve256",
    "rows by an index f32 3x5": "avx2 neon",
    "rows added by an index f32 3x5": "avx512",
    "batchnorm_training f32 4x5": "avx512",
    "bias and relu f32 3x5x4": "avx512 sve256",
    "softmax f32 1x3": "avx512",
    "attention f32 1x1x2x2": "avx512 neon",
}
"""The kernels whose mutants are judged by default, small ones of every kind, and their targets."""
MAKERS |= SMALL


def named(only: str = "", every: bool = True) -> list[tuple[str, str]]:
    """Return (name, target) of the kernels whose names contain `only`: of all targets, or only of the chosen ones."""
    return [
        (name, target)
        for name in MAKERS
        for target in (TARGETS if every else CHOSEN.get(name, "").split())
        if only in f"{name} for {target}"
    ]


def kernel_of(name: str, target: str) -> Any:
    """Return a kernel, or None if it cannot be made or has no proof."""
    with suppress(UnsupportedError):
        kernel = MAKERS[name](target)
        if kernel.verify():
            return kernel
    return None


def kernels(only: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the kernels whose names contain `only`, if they can be made and are proved."""
    for name, target in named(only):
        kernel = kernel_of(name, target)
        if kernel is not None:
            yield f"{name} for {target}", kernel
