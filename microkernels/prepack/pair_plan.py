"""GEMM on tiles whose operands are transposed pair by pair, because the call gives the pairs, or they are too many.

    S = 0, or C itself
    for pair of the batch:   scratch = transpose of A_i, of B_i, or of both;   S = S + scratch @ ...
    C = beta * C + alpha * S                                                    if S is not C

Each pair is one product that starts from the sums so far. Sums of 32 bits lose nothing in memory, so the result has the
bits of one product of the whole batch. S is C itself if nothing is left to be done with it, else scratch memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..choice import Refusal, refused
from ..codegen.laid_by import WIDE, LaidBy, of_matrix
from ..codegen.long_sums import DYNAMIC_TERMS, MOST_TERMS, levels_of_product
from ..contract.dot_and_tile import HELD, OWN, TILED
from ..contract.machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from ..dtypes import DTYPES, ELEMENT_BYTES
from ..expr.graph import FLOATS
from ..gemm.plan import GemmPlan, planned, scratch_sizes, unpacked_plan
from ..gemm.products import changes
from ..gemm.spec import GemmSpec, PairBatch
from .operand_plan import PACKED, TRANSPOSED, Changed, OperandPrepackPlan, PackedPart, PackLoop, packed_first

PAIR_BY_PAIR = "operands of each pair {} first"
_FINISH = 6  # instructions per vector of sums: loads, alpha and beta, and the store


def candidates(
    spec: GemmSpec, facts: Facts, scratch_bytes: int = SCRATCH_LIMIT
) -> list[GemmPlan | OperandPrepackPlan | Refusal]:
    """Return the product with operands transposed, without packing, and with operands also packed as tiles need them.

    scratch_bytes: bytes of scratch memory. Kernels that stand in for tiles only transpose.
    """
    transposed, tile = changes(spec, 1), facts.tile(spec.dtypes[0], spec.dtypes[1])
    if spec.numerics == TILED:
        return _every(spec, facts, scratch_bytes, transposed, TRANSPOSED)
    assert tile is not None, "see `wants_changes`"
    packed = changes(spec, tile.depth)
    candidates: list[GemmPlan | OperandPrepackPlan | Refusal] = []
    if transposed:
        candidates += _every(spec, facts, scratch_bytes, transposed, TRANSPOSED)
    candidates.append(unpacked_plan(spec, facts))
    if packed:
        candidates += (
            _every(spec, facts, scratch_bytes, packed, PACKED)
            if transposed
            else [packed_first(spec, facts, scratch_bytes, packed, PACKED)]
        )
    return candidates


def _every(
    spec: GemmSpec, facts: Facts, scratch_bytes: int, changes: Mapping[str, str], way: str
) -> list[GemmPlan | OperandPrepackPlan | Refusal]:
    """Pack all pairs at once if their number is known and they fit, else pair by pair."""
    together = packed_first(spec, facts, scratch_bytes, changes, way)
    if isinstance(together, OperandPrepackPlan) or spec.batch is None:
        return [together]
    return [pair_by_pair(spec, facts, changes, scratch_bytes), together]


def _sums_bytes(spec: GemmSpec) -> int:
    """Return the bytes of the sums of C."""
    return spec.m * spec.n * ELEMENT_BYTES[spec.acc_dtype]


def pair_by_pair(
    spec: GemmSpec, facts: Facts, changes: Mapping[str, str], scratch_bytes: int = SCRATCH_LIMIT
) -> OperandPrepackPlan | Refusal:
    """Return the plan. `changes` holds the new layout of each operand, as in gemm/products.py."""
    way = PAIR_BY_PAIR.format("packed" if any("vnni" in each for each in changes.values()) else "transposed")
    order, apart = spec.order[2], not _sums_are_c(spec)
    packed = next((each.name for each in spec.operands[:2] if each.name in changes and each.group > 1), None)
    if packed is not None:
        return refused(
            way,
            f'{spec}: tiles take operands in the order of C, "{order}". {packed} is packed; '
            f'pass it plain, or as it lies in order "{order}"',
        )
    changed = Changed.of(spec, facts, changes)
    dtypes = (*spec.dtypes[:2], spec.acc_dtype)
    ldc = (spec.n if order == "C" else spec.m) if apart else spec.leading[2]
    one = replace(
        spec,
        order=(order,) * 3,
        leading=(*changed.leading, ldc),
        groups=changed.groups,
        dtypes=dtypes,
        batch=None,
        strides=None,
        alpha=1.0,
        beta=1.0,
        tiles=HELD if spec.tiles == OWN else spec.tiles,
    )
    product = planned(one, facts)
    if isinstance(product, Refusal):
        return product._replace(way=way)
    scratch_of = changed.scratch_of | ({"sums": _sums_bytes(spec)} if apart else {}) | {"tiles": _tile_bytes(product)}
    needed = sum(SCRATCH_ALIGNMENT + size for size in scratch_of.values())
    if needed > scratch_bytes:
        return refused(
            way,
            f"{spec}: {needed} bytes for the packed operands of a pair and its sums, a kernel has "
            f"{max(scratch_bytes, 0)}; use smaller blocks, or pass operands in order {order!r}",
        )
    zero = planned(replace(one, batch=0, beta=0.0), facts) if apart or spec.beta == 0 else None
    if isinstance(zero, Refusal):
        return zero._replace(way=way)
    vectors = spec.m * spec.n * ELEMENT_BYTES[spec.acc_dtype] * 8 / facts.widths[0]
    finish = _FINISH * vectors / product.tuning.vector_instructions_a_cycle * apart
    every = _every_addition(spec, product)
    levels = _levels(spec, product, every)
    if levels is None and every > MOST_TERMS:
        return refused(
            way,
            f"{spec}: sums of so many pairs need {_sums_bytes(spec)} bytes for each of their levels, and a kernel has "
            f"{WIDE}; use blocks with fewer rows or columns, or pass operands in order {order!r}",
        )
    size = spec.m if order == "F" else spec.n, spec.k, 1
    parts, loop = {size: PackedPart(changed.plans, product)}, PackLoop(True, zero, finish)
    return OperandPrepackPlan(spec, size, parts, needed, scratch_of, loop, levels, way=way, rejected=product.rejected)


def _additions(product: GemmPlan) -> int:
    return product.additions(product.product.k)


def _every_addition(spec: GemmSpec, product: GemmPlan) -> int:
    """Return the most additions to a sum that rounds, over all pairs; 0 for whole numbers."""
    if spec.acc_dtype not in FLOATS:
        return 0
    return DYNAMIC_TERMS if isinstance(spec.batch, PairBatch) else _additions(product) * (spec.batch or 1)


def _levels(spec: GemmSpec, product: GemmPlan, every: int) -> LaidBy | None:
    """Return the levels of the sums of all pairs, or None if they need none or do not fit."""
    if every <= MOST_TERMS:
        return None
    extents = spec.m, spec.n, spec.order[2]
    return of_matrix(*extents, levels_of_product(every), product.vector, spec.acc_dtype, every)


def _tile_bytes(product: GemmPlan) -> int:
    """Return the bytes of scratch memory that the product of a pair uses, including those for comparing
    configurations."""
    return sum(scratch_sizes(product)) + 2 * 64 * (product.spec.tiles not in (HELD, OWN))


def _sums_are_c(spec: GemmSpec) -> bool:
    """Whether nothing is left to be done with the sums."""
    same = DTYPES[spec.dtype].real == DTYPES[spec.acc_dtype].real
    return spec.dtype == spec.acc_dtype and same and spec.alpha == 1 and spec.beta in (0, 1)
