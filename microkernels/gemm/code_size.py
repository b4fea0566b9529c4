"""Estimates of how many instructions the code of a product has. Planners weigh them against time."""

from __future__ import annotations

from collections.abc import Iterable

from ..contract.machine import Facts
from .blocking import BlockedProduct, Panel, ProductBlock, Scheme
from .plan import GemmPlan

OF_A_SUM, OF_A_BLOCK = 2.5, 12
"""Instructions of a block outside its steps of k: `OF_A_SUM` per accumulator, and `OF_A_BLOCK` for loops and
pointers."""

_REACHED = 256
"""The vectors behind an address that every load reaches, on a machine whose loads are apart."""
_SAVED = 0.6
"""The part of a load that an instruction with an operand in memory saves: one to three bytes for an address replace six
or seven for a load."""


def of_block(block: ProductBlock, k: int, row_vectors: int) -> float:
    """Return the instructions of a block: its steps of k, and those that initialise and store the sums."""
    return block.step * block.steps(k) + OF_A_SUM * block.columns * row_vectors * block.split + OF_A_BLOCK


def of_panels(panels: Iterable[Panel], k: int, vector: int) -> float:
    """Return the instructions of all blocks of panels. k: its steps; vector: elements of the widest register, of which
    a step along k takes one."""
    total = 0.0
    for panel in panels:
        steps = k // vector if panel.scheme is Scheme.ALONG_K else k
        total += sum([of_block(block, steps, len(panel.row_vectors)) for block in panel.blocks])
    return total


def of_product(plan: GemmPlan, facts: Facts) -> float:
    """Return the instructions of a product on unpacked operands, with those for addresses of A."""
    fma = [(panel, block) for panel in plan.panels if panel.scheme is Scheme.FMA for block in panel.blocks]
    of_addresses = sum([_of_addresses(plan.product, block, facts) * len(panel.row_vectors) for panel, block in fma])
    return of_panels(plan.panels, plan.product.k, plan.vector) + of_addresses


def _of_addresses(product: BlockedProduct, block: ProductBlock, facts: Facts) -> float:
    """Return the instructions for the addresses of a row vector of A in all steps. If loads are apart, two of them make
    an address that a load does not reach. Otherwise an FMA of a single column loads A itself."""
    if not facts.separate_loads:
        return -_SAVED * block.steps(product.k) if block.columns == 1 else 0.0
    if not isinstance(product.a.leading, int):
        return 0.0
    reached = _REACHED * facts.widths[0] // 8 // max(1, product.a.leading * product.a.place)
    return 2.0 * max(0, block.steps(product.k) - 1 - reached)
