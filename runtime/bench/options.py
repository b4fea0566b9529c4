"""The choices of `tilesmith bench`, which the command line shows without importing a benchmark."""

KINDS = (
    "gemm",
    "call",
    "eltwise",
    "reduce",
    "fused",
    "transpose",
    "stack",
    "nest",
    "tuned",
    "precision",
    "start",
    "matmul",
    "conv",
    "pooling",
    "graph",
    "tensorize",
    "network",
    "decode",
    "spmm",
    "sparse_kernel",
    "all",
)
"""The benchmarks: the files of their cases are in `cases/`. `all` runs them all (every.py)."""
SHAPES = ("big", "small")
"""The sets of shapes of `tilesmith bench gemm`."""
MIXED = {
    "bf16": ("bf16", "bf16", "f32"),
    "f16": ("f16", "f16", "f32"),
    "i8": ("i8", "i8", "i32"),
    "u8i8": ("u8", "i8", "i32"),
    "i16": ("i16", "i16", "i32"),
}
"""The types of A, B and C of `tilesmith bench gemm` in mixed precision, keyed by the name in `--dtype`."""
