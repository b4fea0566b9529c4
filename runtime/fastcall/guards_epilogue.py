"""The entries of batch-reduce GEMMs with an epilogue, and of products by compressed weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.epilogue.spec import parameters as epilogue_parameters
from ...microkernels.gemm.spec import ADDRESS, GemmSpec
from ...microkernels.operands import RUNTIME, Number, Operand
from ..arguments.epilogue import BEHIND, as_vector, results
from .guards import CallEntry
from .guards_array import Builder, allocated, matrices, no_alias_with_pairs

Own = list["Operand | Number"]


def epilogue_entry(spec: EpilogueSpec, release: str, release_above: int) -> tuple[CallEntry, list[int]] | None:
    """Return the structure and the constants, without the function's address, or None if calls go through Python."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading):
        return None  # nothing to read, or leading dimensions are keywords
    builder, beside = Builder(release_above), results(spec)
    own: Own = [*map(as_vector, spec.extras), *spec.numbers]
    matrices(builder, spec, BEHIND + len(own), tuple(beside))
    _behind(builder, spec, own, beside, lambda result: no_alias_with_pairs(builder, spec, result))
    made = None if beside else allocated(spec)
    return builder.entry([name for _, name in epilogue_parameters(spec)], release, made)


def weights_entry(
    spec: GemmSpec | EpilogueSpec, weights: Operand, names: Sequence[str], release: str
) -> tuple[CallEntry, list[int]] | None:
    """Return the same of a product of one pair whose b are the bytes of compressed weights. names: of all parameters."""
    product = getattr(spec, "product", spec)
    (a, _, c), builder = product.operands, Builder(0)
    own: Own = [*map(as_vector, getattr(spec, "extras", ())), *getattr(spec, "numbers", ())]
    beside = results(spec) if isinstance(spec, EpilogueSpec) else []
    for position, each in enumerate((a, weights, c)):
        builder.array(position, each)

    def apart(result: Operand) -> None:
        for each in (a, weights):
            builder.no_alias(result, each)

    apart(c)
    _behind(builder, spec, own, beside, apart)
    return builder.entry([*names], release, None if beside else allocated(product))


def _behind(
    builder: Builder,
    spec: GemmSpec | EpilogueSpec,
    own: Own,
    beside: Sequence[Operand],
    apart: Callable[[Operand], None],
) -> None:
    """Add the guards of an epilogue's operands and results. apart: adds those that keep a result apart from a and b."""
    for position, each in enumerate(own, BEHIND):
        if isinstance(each, Number):
            builder.number(position, each)
            continue
        builder.array(position, each)
        builder.no_alias(spec.operands[2], each)
    extras = [each for each in own if isinstance(each, Operand)]
    for number, result in enumerate(beside):
        builder.array(builder.arguments, result)
        apart(result)
        for other in (spec.operands[2], *extras, *beside[:number]):
            builder.no_alias(result, other)
