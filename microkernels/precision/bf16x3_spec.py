"""The request for an f32 product on a dot-product unit for bf16 (precision/bf16x3.py)."""

from __future__ import annotations

from typing import Any

from ...encoder.records import dataclass
from ..contract.vector_verbs import SCRATCH_LIMIT
from ..dtypes import BF16X3
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec, gemm_spec
from .composed_spec import composed, composed_of, whole_product

PARTS = 3
PART_BYTES = 2


@dataclass(frozen=True)
class Bf16x3Spec(GemmSpec):
    """An f32 GEMM computed by six products of bf16."""

    @property
    def stem(self) -> str:
        """Return the part of the C symbol that names the kernel."""
        return f"brgemm_{BF16X3}_{self.m}x{self.n}x{self.k}"

    def again(self) -> Bf16x3Spec:
        """Return the request made again by its function, which checks it."""
        return bf16x3_spec(self.m, self.n, self.k, **composed_of(self))

    def __str__(self) -> str:
        return super().__str__().replace(" f32 ", f" {BF16X3} ", 1)


def bf16x3_spec(m: int, n: int, k: int, **request: Any) -> Bf16x3Spec:
    """Return a checked request for dtype="f32x3bf16". The arguments are those of `gemm_spec` without dtype."""
    numerics = request.pop("numerics", "exact")
    spec = whole_product(BF16X3, m, n, k, "f32", request)
    inner = gemm_spec(m, n, k, dtype=("bf16", "bf16", "f32"), numerics=numerics)
    needed = PARTS * PART_BYTES * (m * k + k * n)
    if needed > SCRATCH_LIMIT:
        raise UnsupportedError(
            f"{BF16X3}: needs {needed} bytes for the parts of a and b, and a kernel "
            f"has {SCRATCH_LIMIT}; use smaller blocks: m * k + k * n up to 10,922 "
            "elements; ts.ladder takes any size"
        )
    return composed(Bf16x3Spec, spec, inner.numerics)
