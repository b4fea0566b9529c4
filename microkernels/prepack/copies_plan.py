"""GEMM whose broadcast operand is copied to scratch memory first, with several adjacent copies of each element.

On SSE, a 32-bit element is broadcast by a load and a shuffle, and the shuffles limit a product's speed: of the four
floating-point pipes of a Zen 4 two multiply, two add, and shuffles compete with both. Two copies of an element are 64
bits, which movddup loads into both halves of a register.
"""

from __future__ import annotations

from dataclasses import replace

from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..contract.machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, blocking_of
from ..gemm.spec import GemmSpec

COPIED = "elements that are broadcast copied side by side first"
_STORE_CYCLES = 1.0  # per vector of copies: one a cycle


@dataclass(frozen=True)
class CopiesPlan(Prepacked, AroundProduct):
    """The lines of the operand, the elements of a line, and the product of the copies."""

    spec: GemmSpec
    lines: int
    length: int
    pitch: int  # elements between two lines of copies
    product: GemmPlan
    scratch: int  # bytes of scratch memory
    vector: int  # elements that are copied at a time

    @property
    def copying(self) -> float:
        """Cycles of the copies."""
        return self.lines * -(-self.length // self.vector) * self.product.product.b.copies * _STORE_CYCLES

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        return self.copying + self.product.cycles

    def __str__(self) -> str:
        b, product = self.product.product.b, str(self.product).splitlines()
        first = f"  elements of {b.argument} {b.copies} times in scratch memory, about {self.copying:.0f} cycles"
        return "\n".join([str(self.spec), first, "  then:", *(f"  {line}" for line in product)])


def candidate(unpacked: GemmPlan, facts: Facts, scratch_bytes: int = SCRATCH_LIMIT) -> CopiesPlan | Refusal:
    """Return the unpacked product with its broadcast operand copied. scratch_bytes: bytes of scratch memory."""
    spec, product = unpacked.spec, unpacked.product
    b, size = product.b, ELEMENT_BYTES[spec.dtype]
    if spec.batch is not None or not isinstance(b.leading, int):
        return refused(COPIED, "possible only for one pair of matrices whose leading dimensions are numbers")
    copies, vector = facts.copies(size), facts.widths[0] // 8 // size
    lines, length = (product.n, product.k) if b.order == "F" else (product.k, product.n)
    pitch = -(-length // vector) * vector
    scratch = lines * pitch * size * copies + SCRATCH_ALIGNMENT
    if scratch > scratch_bytes:
        return refused(
            COPIED, f"needs {scratch} bytes of scratch memory for copies, and a kernel has {max(scratch_bytes, 0)}"
        )
    doubled = b._replace(leading=pitch, distance=pitch * lines, place=size * copies, copies=copies)
    made = blocking_of(spec, facts, replace(product, b=doubled))
    if isinstance(made, Refusal):
        return made._replace(way=COPIED)
    return CopiesPlan(spec, lines, length, pitch, made, scratch, vector, way=COPIED)
