"""The request for an f64 product on a tensor unit for int8: slices of 7 bits (precision/ozaki_plan.py)."""

from __future__ import annotations

from typing import Any

from ...encoder.records import dataclass
from ..contract.vector_verbs import SCRATCH_ALIGNMENT, SCRATCH_LIMIT
from ..dtypes import OZAKI
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec, gemm_spec
from .composed_spec import composed, composed_of, whole_product

SLICES = 9
_F64, _I32 = 8, 4


@dataclass(frozen=True)
class OzakiSpec(GemmSpec):
    """A request for an f64 GEMM that is computed from 45 products of int8 slices."""

    @property
    def stem(self) -> str:
        """Return the part of the C symbol that names the kernel."""
        return f"brgemm_{OZAKI}_{self.m}x{self.n}x{self.k}"

    def again(self) -> OzakiSpec:
        """Return the request made again by its function, which checks it."""
        return ozaki_spec(self.m, self.n, self.k, **composed_of(self))

    def __str__(self) -> str:
        return super().__str__().replace(" f64 ", f" {OZAKI} ", 1)


def places(m: int, n: int, k: int) -> dict[str, int]:
    """Return the offset of each buffer in scratch memory; "end" is the size of all.

    "rests" holds the remainder of an operand while it is split, and "digits" one slice of it as i32. Totals and sums
    reuse the memory of these two, which are dead by then. "p" and "q" hold the power of two of each row of A and column
    of B; their inverses hold 32 divided by it.
    """
    widest = max(m * k, k * n, m * n)
    sizes = {
        "slices of a": SLICES * m * k,
        "slices of b": SLICES * k * n,
        "p": _F64 * m,
        "p inverse": _F64 * m,
        "q": _F64 * n,
        "q inverse": _F64 * n,
        "rests": _F64 * widest,
        "digits": _I32 * widest,
    }
    offsets, end = {}, 0
    for name, size in sizes.items():
        offsets[name] = end
        end += -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
    return {**offsets, "totals": offsets["rests"], "sums": offsets["digits"], "end": end}


def ozaki_spec(m: int, n: int, k: int, **request: Any) -> OzakiSpec:
    """Return a checked request for dtype="f64xi8"; the arguments are those of `gemm_spec` without dtype."""
    numerics = request.pop("numerics", "exact")
    spec = whole_product(OZAKI, m, n, k, "f64", request)
    inner = gemm_spec(m, n, k, dtype="i8", numerics=numerics)
    needed = places(m, n, k)["end"]
    if needed > SCRATCH_LIMIT:
        raise UnsupportedError(
            f"{OZAKI}: needs {needed} bytes for slices of a and b, and a kernel has "
            f"{SCRATCH_LIMIT}; use smaller blocks: 9 (m k + k n) + 12 max(m k, k n, "
            "m n) up to 65,000; ts.ladder takes any size"
        )
    return composed(OzakiSpec, spec, inner.numerics)
