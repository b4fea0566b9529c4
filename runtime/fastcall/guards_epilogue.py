"""The entries of batch-reduce GEMMs with an epilogue."""

from __future__ import annotations

from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.epilogue.spec import parameters as epilogue_parameters
from ...microkernels.gemm.spec import ADDRESS
from ...microkernels.operands import RUNTIME, Number, Operand
from ..arguments.epilogue import BEHIND, as_vector, results
from .guards import CallEntry
from .guards_array import Builder, allocated, counted_in, matrices, no_alias_with_pairs


def epilogue_entry(spec: EpilogueSpec, release: str, release_above: int) -> tuple[CallEntry, list[int]] | None:
    """Return the structure and the constants, without the function's address, or None if calls go through Python."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading):
        return None  # nothing to read, or leading dimensions are keywords
    own: list[Operand | Number] = [*map(as_vector, spec.extras), *spec.numbers]
    beside = results(spec)
    every = [each for each in (*spec.operands, *own, *beside) if isinstance(each, Operand)]
    dynamic = counted_in(spec, every)
    if dynamic is None:
        return None
    builder = Builder(release_above, dynamic=dynamic)
    matrices(builder, spec, BEHIND + len(own), tuple(beside))
    for position, each in enumerate(own, BEHIND):
        if isinstance(each, Number):
            builder.number(position, each)
            continue
        builder.array(position, each)
        builder.no_alias(spec.operands[2], each)
    extras = [each for each in own if isinstance(each, Operand)]
    for number, result in enumerate(beside):
        builder.array(builder.arguments, result)
        no_alias_with_pairs(builder, spec, result)
        for other in (spec.operands[2], *extras, *beside[:number]):
            builder.no_alias(result, other)
    made = None if beside else allocated(spec)
    return builder.entry([name for _, name in epilogue_parameters(spec)], release, made, spec.counted or "count")
