"""The request for an f32 product on a dot-product unit for bf16 (precision/bf16x3.py)."""

from __future__ import annotations

from typing import Any

from ...encoder.records import dataclass
from ..contract.vector_verbs import SCRATCH_LIMIT
from ..dtypes import BF16X3
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec, gemm_spec
from ..operands import RUNTIME

PARTS = 3
PART_BYTES = 2


@dataclass(frozen=True)
class Bf16x3Spec(GemmSpec):
    """An f32 GEMM computed by six products of bf16."""

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        return f"brgemm_{BF16X3}_{self.m}x{self.n}x{self.k}"

    def __str__(self) -> str:
        return super().__str__().replace(" f32 ", f" {BF16X3} ", 1)


def bf16x3_spec(m: int, n: int, k: int, **request: Any) -> Bf16x3Spec:
    """Return a checked request for dtype="f32x3bf16". The arguments are those of `gemm_spec` without dtype."""
    numerics = request.pop("numerics", "exact")
    spec = gemm_spec(m, n, k, dtype="f32", **request)
    if spec.batch is not None or RUNTIME in spec.leading:
        raise UnsupportedError(
            f"{BF16X3}: supports one pair of matrices with constant leading dimensions, not {spec}; ts.ladder takes "
            "batches and any leading dimension"
        )
    inner = gemm_spec(m, n, k, dtype=("bf16", "bf16", "f32"), numerics=numerics)
    needed = PARTS * PART_BYTES * (m * k + k * n)
    if needed > SCRATCH_LIMIT:
        raise UnsupportedError(f"{BF16X3}: needs {needed} bytes for the parts of a and b, and a kernel "
                               f"has {SCRATCH_LIMIT}; use smaller blocks: m * k + k * n up to 10,922 "
                               "elements; ts.ladder takes any size")  # fmt: skip
    values = {name: getattr(spec, name) for name in ("m", "n", "k", "dtypes", "order", "leading", "batch")}
    return Bf16x3Spec(**values, alpha=spec.alpha, beta=spec.beta, numerics=inner.numerics)
