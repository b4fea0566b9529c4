"""The entries of batch-reduce GEMMs with an epilogue."""

from __future__ import annotations

from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.epilogue.spec import parameters as epilogue_parameters
from ...microkernels.gemm.spec import ADDRESS
from ...microkernels.operands import RUNTIME
from ..arguments.epilogue import BEHIND, as_vector
from .guards import Entry
from .guards_array import Builder
from .guards_gemm import allocated, matrices


def epilogue_entry(spec: EpilogueSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """(structure, constants but the function's address) for kernels of this request; None: calls go through Python."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading):
        return None  # nothing to read, or leading dimensions that are keywords
    builder = Builder(release_above)
    matrices(builder, spec, BEHIND + len(spec.extras))
    for position, extra in enumerate(map(as_vector, spec.extras), BEHIND):
        builder.array(position, extra)
        builder.apart(spec.operands[2], extra)
    return builder.entry([name for _, name in epilogue_parameters(spec)], release, allocated(spec))
