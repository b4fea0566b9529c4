"""The request for a product whose precision is composed of products of a narrower type: f32 from bf16 (bf16x3.py), f64
from int8 (ozaki_plan.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...encoder.records import NamedTuple, dataclass
from ..contract.vector_verbs import SCRATCH_ALIGNMENT, SCRATCH_LIMIT
from ..dtypes import BF16X3, OZAKI
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec, gemm_spec
from ..operands import RUNTIME

PARTS = 3
"""The bf16 that an f32 is split into."""
PART_BYTES = 2
SLICES = 9
"""The slices of 7 bits that an f64 is split into."""
_F64, _I32 = 8, 4


def places(m: int, n: int, k: int) -> dict[str, int]:
    """Return the offset of each buffer of a product of slices in scratch memory; "end" is the size of all.

    "rests" holds the remainder of an operand while it is split, and "digits" one slice of it as i32. Totals and sums
    reuse the memory of these two, which are dead by then; maxima by halving are where slices come later. "p" and "q"
    hold the power of two of each row of A and column of B; their inverses hold 32 divided by it.
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
    shared = {"totals": "rests", "sums": "digits", "halves of a": "slices of a", "halves of b": "slices of b"}
    return {**offsets, **{name: offsets[other] for name, other in shared.items()}, "end": end}


class Composition(NamedTuple):
    """How a precision is composed.

    dtype    of the operands
    inner    types of the products
    scratch  the bytes of scratch memory for operands of given m, n and k
    what     lies there; most: what fits
    """

    dtype: str
    inner: str | tuple[str, str, str]
    scratch: Callable[[int, int, int], int]
    what: str
    most: str


COMPOSITIONS = {
    BF16X3: Composition(
        "f32",
        ("bf16", "bf16", "f32"),
        lambda m, n, k: PARTS * PART_BYTES * (m * k + k * n),
        "the parts of a and b",
        "m * k + k * n up to 10,922 elements",
    ),
    OZAKI: Composition(
        "f64",
        "i8",
        lambda m, n, k: places(m, n, k)["end"],
        "slices of a and b",
        "9 (m k + k n) + 12 max(m k, k n, m n) up to 65,000",
    ),
}
"""The composed precisions by the dtype that asks for them."""


@dataclass(frozen=True)
class ComposedSpec(GemmSpec):
    """A request for a product in a composed precision: `composition` is one of COMPOSITIONS."""

    composition: str = BF16X3

    @property
    def stem(self) -> str:
        """Return the part of the C symbol that names the kernel."""
        return f"brgemm_{self.composition}_{self.m}x{self.n}x{self.k}"

    def again(self) -> ComposedSpec:
        """Return the request made again by its function, which checks it."""
        request = {name: value for name, value in self.asked.items() if name != "dtype"}
        return composed_spec(self.composition, self.m, self.n, self.k, **request)

    def __str__(self) -> str:
        return super().__str__().replace(f" {self.dtype} ", f" {self.composition} ", 1)


def composed_spec(composition: str, m: int, n: int, k: int, **request: Any) -> ComposedSpec:
    """Return a checked request. The arguments after `composition` are those of `gemm_spec` without dtype."""
    dtype, inner, scratch, what, most = COMPOSITIONS[composition]
    numerics = request.pop("numerics", "exact")
    spec = gemm_spec(m, n, k, dtype=dtype, **request)
    if spec.batch is not None or RUNTIME in spec.leading:
        raise UnsupportedError(
            f"{composition}: supports one pair of matrices with constant leading dimensions, not {spec}; "
            "ts.ladder takes batches and any leading dimension"
        )
    numerics = gemm_spec(m, n, k, dtype=inner, numerics=numerics).numerics
    needed = scratch(m, n, k)
    if needed > SCRATCH_LIMIT:
        raise UnsupportedError(
            f"{composition}: needs {needed} bytes for {what}, and a kernel has {SCRATCH_LIMIT}; use smaller blocks: "
            f"{most}; ts.ladder takes any size"
        )
    names = ("m", "n", "k", "dtypes", "order", "leading", "batch", "alpha", "beta")
    values = {name: getattr(spec, name) for name in names}
    return ComposedSpec(**values, numerics=numerics, composition=composition)
