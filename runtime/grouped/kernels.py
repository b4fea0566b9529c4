"""The kernels of products of any number of terms, which pack blocks, multiply as many pairs of a few steps of k as
their call says, and finish sums."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import dataclass
from ...microkernels.gemm.spec import STRIDE, GemmSpec, gemm_spec
from ...microkernels.operands import RUNTIME
from ...microkernels.tuning.products import GROUPS
from ..api.brgemm import brgemm
from ..kernel.callable import Kernel, kept
from ..ops.blocks import even, lanes_of
from ..ops.row_kernels import Finishing, late

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api import eltwise

eltwise = lazy(__package__, "..api.eltwise")


@dataclass(frozen=True)
class DepthKernels:
    """The kernels of products of any number of terms: C_g (m, n) = A (m, terms) @ B (terms, n).

    A product of `pair` steps of k is repeated as often as the call says, and one of a single step for the rest. Blocks
    of floats are packed first, as f32 if they are narrower, which is exact; bytes are multiplied where they lie.
    """

    m: int
    n: int
    dtypes: tuple[str, str, str]
    order: str
    lda: int
    ldb: int
    ldc: int
    direct: bool
    target: Target

    @cached_property
    def packs(self) -> bool:
        """Whether blocks of A and B are packed."""
        return self.dtypes[2] != "i32"

    @property
    def types(self) -> tuple[str, str, str]:
        """The types that kernels multiply."""
        return (self.dtypes[2],) * 3 if self.packs else self.dtypes

    @cached_property
    def rows(self) -> int:
        """The rows of a block of C."""
        return even(self.m, GROUPS.high, 8)

    @cached_property
    def columns(self) -> int:
        """The columns of a block of B."""
        product: GemmSpec = gemm_spec(self.rows, self.n, GROUPS.terms, dtype=self.types, beta=0.0)
        return min(self.n, 3 * lanes_of(product, self.target))

    @cached_property
    def across(self) -> int:
        """The columns of a block of C: whole blocks of B."""
        return min(self.n, max(1, GROUPS.wide // self.columns) * self.columns)

    def pack(self, name: str, columns: int) -> Kernel:
        """Return the kernel that packs some columns of A' or of B, of any number of terms."""
        of, leading = (self.dtypes[0], self.lda) if name == "a" else (self.dtypes[1], self.ldb)
        given: dict[str, Any] = {"dtype": of, "out": self.types[0], "ldx": leading, "target": self.target}
        return eltwise.unary("identity", RUNTIME, columns, **given)

    def multiply(self, rows: int, columns: int, steps: int, first: bool) -> Kernel:
        """Return the kernel of any number of pairs of so many steps of k."""
        made = brgemm(
            rows,
            columns,
            steps,
            dtype=self.types,  # type: ignore[arg-type]
            order="FCC" if self.packs or self.order == "F" else "CCC",
            lda=rows if self.packs else self.lda,
            ldb=columns if self.packs else self.ldb,
            ldc=self.ldc if self.direct else self.across,
            batch=STRIDE,
            beta=0.0 if first else 1.0,
            target=self.target,
        )
        return made if first or self.dtypes[2] == "i32" else late(made)

    def finish(self, finishing: Finishing, rows: int, columns: int) -> Kernel:
        """Return the kernel that computes a block of the result from its sums."""
        return kept(finishing.spec(rows, columns, self.across), self.target)
