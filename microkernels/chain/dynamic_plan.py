"""The plan of a traced function with products whose number of rows is given at the call.

    for each band, of as many rows as are left but at most `rows`:
        for each stage:    elements of the band, or the product of the band with a right factor

The code of a stage takes any number of rows up to that of the longest band. Thus a remainder of rows needs no code of
its own, and right factors are read as often as in a kernel for a known number of rows. If few rows more than a band are
left, the next two bands have about half a band each: a short band would read the right factors for few rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..choice import Refusal, Way, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..products.untiled import without_tiles
from ..rows.search import MANY
from .code_size import of_chain
from .cut import StageProduct
from .dynamic_parts import DynamicPlanner, rows_of_blocks
from .parts import PlannedStage
from .plan import ROWS, ChainPlan, bands_of, chosen, name_of, scratch_beside, sizes
from .spec import ChainSpec

_WAY = "bands whose rows the call counts"
_ARGUMENTS = 8
"""The most arguments for which registers and stack slots suffice, beside those that every stage of a band needs."""
_FEW = 4
"""Fewer rows than this do not fill a block of registers. If right factors do not stay in L1, single rows then take less
time, because their panels are wider: on a Zen 3, one to three rows of 512 x 512 took 1.5 to 2.5 times as long in a
band."""
_KNOWN = (64, 100)
"""The numbers of rows of the kernels whose code bounds that of any number of rows."""
_SLOTS = 64
"""Bytes of scratch memory that a kernel without bands claims, because its frame then has more stack slots."""


def candidates(spec: ChainSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield ways with bands of different heights, in the order of preference of a kernel for a known number of rows."""
    facts = without_tiles(facts)
    if any(isinstance(stage, StageProduct) and stage.transposed for stage in spec.stages):
        yield refused(_WAY, "a transposed right factor is packed for bands of a known number of rows")
        return
    if len(spec.arguments) > _ARGUMENTS:
        yield refused(_WAY, f"{len(spec.arguments)} arguments leave too few registers; at most {_ARGUMENTS} work")
        return
    for stages, rows, columns in sizes(spec, [each for each in ROWS if each > 1]):
        yield Way(f"{_WAY}: {name_of(rows, columns)}", partial(_short, spec, facts, stages, rows, columns))


def _short(spec: ChainSpec, facts: Facts, stages: Sequence[Any], most: int, columns: int) -> ChainPlan:
    """Plan bands of at most `most` rows whose code is not much longer than that of kernels for known numbers of rows.

    If it would be, there is no code for single rows, and a call of few rows has a band. If it still would be, products
    get fewer register blocks for a remainder of rows.
    """
    plan = _planned(spec, facts, stages, most, columns, ())
    limit = facts.tuning.gemm.most_code_of_bands * min([_code(spec.of(rows), facts) for rows in _KNOWN])
    own = of_chain(plan, facts)
    if own > limit:
        bounds = tuple([min(most, rows) for rows in MANY])
        return replace(_planned(spec, facts, stages, most, columns, bounds), least=1)
    fits = plan.least == 1 or own + _code(spec.of(1), facts) <= limit
    return plan if fits else replace(plan, least=1)


def _code(spec: ChainSpec, facts: Facts) -> float:
    """Return the instructions of a kernel for a known number of rows."""
    plan = chosen(spec, facts)
    assert isinstance(plan, ChainPlan)
    return of_chain(plan, facts)


def _planned(
    spec: ChainSpec, facts: Facts, stages: Sequence[Any], most: int, columns: int, bounds: tuple[int, ...]
) -> ChainPlan:
    """Plan bands of `most` rows, or of somewhat fewer if all stages then compute whole blocks of registers. bounds: as
    in CountedPlanner."""
    rows, parts = most, _parts(spec, facts, stages, most, columns, bounds)
    whole = rows_of_blocks(parts)
    if 2 * whole <= most and most % whole:
        rows = most // whole * whole
        parts = _parts(spec, facts, stages, rows, columns, bounds)
    bands = bands_of(spec, stages, rows, columns)
    scratch_bytes = scratch_beside(bands, parts, facts) or (0 if bands.end else _SLOTS)
    of_half = whole if 2 * whole <= rows else _FEW
    least = _FEW if rows >= _FEW and _bytes_of_factors(spec) > facts.l1_bytes else 1
    return ChainPlan(
        spec.of(rows),
        rows,
        tuple(bands.places.items()),
        scratch_bytes,
        parts,
        (),
        dynamic=True,
        half=rows // 2 // of_half * of_half,
        least=least,
    )


def _bytes_of_factors(spec: ChainSpec) -> int:
    return sum(each.rows * each.columns * ELEMENT_BYTES[each.dtype] for each in spec.inputs if each.name in spec.whole)


def _parts(
    spec: ChainSpec, facts: Facts, stages: Sequence[Any], rows: int, columns: int, bounds: tuple[int, ...]
) -> tuple[PlannedStage, ...]:
    planner = DynamicPlanner(spec.of(rows), facts, rows, bands_of(spec, stages, rows, columns), columns, bounds)
    return tuple(planner.parts(stages))
