"""The entries of batch-reduce GEMMs with an epilogue, and of products by compressed weights."""

from __future__ import annotations

from collections.abc import Sequence

from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.epilogue.spec import parameters as epilogue_parameters
from ...microkernels.gemm.spec import ADDRESS, GemmSpec
from ...microkernels.operands import RUNTIME, Number, Operand, View
from ..arguments.epilogue import BEHIND, as_vector, results
from .guards import CallEntry
from .guards_array import Builder, allocated, counted_in, matrices, no_alias_with_pairs


def epilogue_entry(spec: EpilogueSpec, release: str, release_above: int) -> tuple[CallEntry, list[int]] | None:
    """Return the structure and the constants, without the function's address, or None if calls go through Python."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading):
        return None  # nothing to read, or leading dimensions are keywords
    beside = results(spec)
    every = [*spec.operands, *map(as_vector, spec.extras), *beside]
    dynamic = counted_in(spec, every)
    if dynamic is None:
        return None
    builder = Builder(release_above, dynamic=dynamic)
    matrices(builder, spec, BEHIND + len(spec.extras) + len(spec.numbers), tuple(beside))
    extras = _operands(builder, spec, spec.operands[2])
    for number, result in enumerate(beside):
        builder.array(builder.arguments, result)
        no_alias_with_pairs(builder, spec, result)
        for other in (spec.operands[2], *extras, *beside[:number]):
            builder.no_alias(result, other)
    made = None if beside else allocated(spec)
    return builder.entry([name for _, name in epilogue_parameters(spec)], release, made, spec.counted or "count")


def weights_entry(
    size: int, names: Sequence[str], spec: GemmSpec | EpilogueSpec, release: str, release_above: int
) -> tuple[CallEntry, list[int]] | None:
    """Return the same of a product of one pair and one result, whose b are `size` bytes of compressed weights. names:
    of all parameters."""
    product = spec.product if isinstance(spec, EpilogueSpec) else spec
    (a, b, c), builder = product.operands, Builder(release_above)
    weights = Operand(b.name, 1, size, View("C", size), "u8", vector=True)
    for position, each in enumerate((a, weights, c)):
        builder.array(position, each)
    for each in (a, weights):
        builder.no_alias(c, each)
    if isinstance(spec, EpilogueSpec):
        _operands(builder, spec, c)
    return builder.entry([*names], release, allocated(product))


def _operands(builder: Builder, spec: EpilogueSpec, c: Operand) -> list[Operand]:
    """Add the guards of an epilogue's operands and numbers, and return the operands."""
    own: list[Operand | Number] = [*map(as_vector, spec.extras), *spec.numbers]
    for position, each in enumerate(own, BEHIND):
        if isinstance(each, Number):
            builder.number(position, each)
            continue
        builder.array(position, each)
        builder.no_alias(c, each)
    return [each for each in own if isinstance(each, Operand)]
