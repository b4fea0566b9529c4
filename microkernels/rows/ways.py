"""The ways to compute a product with an extent given at the call: on vectors or tiles, with the other factor as it lies
or transposed or packed first.

As for known extents, a target that is named for its tiles uses them whenever they take the operands. If a target leaves
the choice open, the estimate for NOMINAL_ROWS decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..choice import Plan, Refusal, refused
from ..contract.dot_and_tile import HALF, TILED
from ..contract.machine import Facts
from ..epilogue.plan import candidates as epilogue_candidates
from ..epilogue.spec import EpilogueSpec
from ..gemm.plan import planned
from ..gemm.products import changes
from ..gemm.spec import GemmSpec
from ..prepack.ways import ALWAYS_TILED, UNTILED
from ..products.untiled import on_vectors, without_tiles
from .plan import plans_with_epilogue, unpacked_plans

if TYPE_CHECKING:
    from . import inner_plan, prepack_plan

inner_plan = lazy(__package__, ".inner_plan")
prepack_plan = lazy(__package__, ".prepack_plan")

TRANSPOSED, PACKED = "the other operand transposed first", "the other operand packed first"


def candidates(spec: GemmSpec, facts: Facts, inside: tuple[int, ...] | None = None) -> list[Plan | Refusal]:
    """Return all plans and refusals. If there is no plan, the first refusal gives the reason. inside: as in
    `unpacked_plans`."""
    if spec.counted == "k":
        return _of_any_depth(spec, facts)
    if spec.inner:
        return inner_plan.of_any_length(spec, without_tiles(facts))
    if isinstance(spec, EpilogueSpec):
        return [*plans_with_epilogue(spec, on_vectors(facts))]
    tiled = _on_tiles(spec, facts)
    if facts.untiled is None and any(isinstance(each, Plan) for each in tiled):
        return [*tiled, refused(UNTILED, ALWAYS_TILED)]
    vectors = without_tiles(facts)
    transposed = changes(spec.likely, 1) if spec.numerics == TILED else {}
    if transposed:
        return [prepack_plan.changed_first(spec, vectors, transposed, TRANSPOSED)]
    return [*unpacked_plans(spec, vectors, inside), *tiled]


def _of_any_depth(spec: GemmSpec, facts: Facts) -> list[Plan | Refusal]:
    """Return the plans of a product whose depth the call gives, on vectors and accumulators, and the refusals. No
    operand is packed first, since its size is not known."""
    vectors = on_vectors(facts)
    if isinstance(spec, EpilogueSpec):
        return [*epilogue_candidates(spec, vectors, planned(spec.product, vectors))]
    return [planned(spec, each) for each in dict.fromkeys((without_tiles(facts), vectors))]


def _on_tiles(spec: GemmSpec, facts: Facts) -> list[Plan | Refusal]:
    """Return the plans on tile registers, if the target has some for these operands. Requests for the bits of tiles
    without tile registers are excluded: they run on vectors."""
    types = dict(zip("ab", spec.dtypes))
    tile = facts.tile(types[spec.shared], types["b" if spec.shared == "a" else "a"])
    if tile is None or spec.numerics in (HALF, TILED) or not spec.mixed:
        return []
    transposed, packed = (changes(spec.likely, depth) for depth in (1, tile.depth))
    made: list[Plan | Refusal] = [] if transposed else [*unpacked_plans(spec, facts)]
    if transposed:
        made.append(prepack_plan.changed_first(spec, facts, transposed, TRANSPOSED))
    if packed and packed != transposed:
        made.append(prepack_plan.changed_first(spec, facts, packed, PACKED))
    return made
