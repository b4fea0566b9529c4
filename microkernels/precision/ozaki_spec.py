"""A request for an f64 product on a tensor unit for int8: slices of 7 bits (precision/ozaki_plan.py)."""

from __future__ import annotations

from typing import Any

from ...encoder.records import dataclass
from ..contract.values import SCRATCH_ALIGNMENT, SCRATCH_LIMIT
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec, gemm_spec
from ..operands import RUNTIME

DTYPE = "f64xi8"
SLICES = 9
_F64, _I32 = 8, 4


@dataclass(frozen=True)
class OzakiSpec(GemmSpec):
    """An f64 GEMM by 45 products of int8."""

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        return f"brgemm_{DTYPE}_{self.m}x{self.n}x{self.k}"

    def __str__(self) -> str:
        return super().__str__().replace(" f64 ", f" {DTYPE} ", 1)


def places(m: int, n: int, k: int) -> dict[str, int]:
    """Where what is in scratch memory begins; "end" is its size.

    rests: what is left of an operand while it is split; digits: a slice of it as i32. Both are done with when sums and
    totals are needed, which lie in the same place. p and q: powers of two of each row of A and column of B, and 32
    divided by them.
    """
    widest = max(m * k, k * n, m * n)
    sizes = {"slices of a": SLICES * m * k, "slices of b": SLICES * k * n, "p": _F64 * m, "p inverse": _F64 * m,
             "q": _F64 * n, "q inverse": _F64 * n, "rests": _F64 * widest, "digits": _I32 * widest}  # fmt: skip
    found, at = {}, 0
    for name, size in sizes.items():
        found[name] = at
        at += -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
    return {**found, "totals": found["rests"], "sums": found["digits"], "end": at}


def ozaki_spec(m: int, n: int, k: int, **request: Any) -> OzakiSpec:
    """A checked request for dtype="f64xi8"; the arguments of `gemm_spec` but dtype."""
    numerics = request.pop("numerics", "exact")
    spec = gemm_spec(m, n, k, dtype="f64", **request)
    if spec.batch is not None or RUNTIME in spec.leading:
        raise UnsupportedError(f"{DTYPE}: one pair of matrices with leading dimensions that are numbers, not {spec}")
    inner = gemm_spec(m, n, k, dtype="i8", numerics=numerics)
    needed = places(m, n, k)["end"]
    if needed > SCRATCH_LIMIT:
        raise UnsupportedError(f"{DTYPE}: {needed} bytes for slices of a and b, a kernel has {SCRATCH_LIMIT}; use "
                               "smaller blocks: 9 (m k + k n) + 12 max(m k, k n, m n) up to 65,000")  # fmt: skip
    values = {name: getattr(spec, name) for name in ("m", "n", "k", "dtypes", "order", "leading", "batch")}
    return OzakiSpec(**values, alpha=spec.alpha, beta=spec.beta, numerics=inner.numerics)
