"""GEMM whose broadcast operand is copied to scratch memory first, with several adjacent copies of each element.

On SSE, a 32-bit element is broadcast by a load and a shuffle, and the shuffles limit a product's speed: of the four
floating-point pipes of a Zen 4 two multiply, two add, and shuffles compete with both. Two copies of an element are 64
bits, which movddup loads into both halves of a register.
"""

from __future__ import annotations

from dataclasses import replace

from ..choice import Refusal, refused
from ..contract.machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.plan import GemmPlan, blocking_of
from .operand_plan import CopiedElements, OperandPrepackPlan, PackedPart

COPIED = "elements that are broadcast copied side by side first"
_STORE_CYCLES = 1.0  # per vector of copies: one a cycle


def candidate(unpacked: GemmPlan, facts: Facts, scratch_bytes: int = SCRATCH_LIMIT) -> OperandPrepackPlan | Refusal:
    """Return the unpacked product with its broadcast operand copied. scratch_bytes: bytes of scratch memory."""
    spec, product = unpacked.spec, unpacked.product
    b, size = product.b, ELEMENT_BYTES[spec.dtype]
    if spec.batch is not None or not isinstance(b.leading, int):
        return refused(COPIED, "possible only for one pair of matrices whose leading dimensions are numbers")
    copies, vector = facts.copies(size), facts.widths[0] // 8 // size
    lines, length = (product.n, product.k) if b.order == "F" else (product.k, product.n)
    change = CopiedElements(lines, length, vector, copies, lines * -(-length // vector) * copies * _STORE_CYCLES)
    place, size_of_copies = size * copies, lines * change.pitch * size * copies
    scratch = size_of_copies + SCRATCH_ALIGNMENT
    if scratch > scratch_bytes:
        return refused(
            COPIED, f"needs {scratch} bytes of scratch memory for copies, and a kernel has {max(scratch_bytes, 0)}"
        )
    copied = b._replace(leading=change.pitch, distance=change.pitch * lines, place=place, copies=copies)
    made = blocking_of(spec, facts, replace(product, b=copied))
    if isinstance(made, Refusal):
        return made._replace(way=COPIED)
    whole, part = (lines, length, 1), PackedPart({b.argument: change}, made)
    return OperandPrepackPlan(spec, whole, {whole: part}, scratch, {b.argument: size_of_copies}, way=COPIED)
