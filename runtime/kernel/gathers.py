"""The kinds of gathers, scatters and embedding bags."""

from __future__ import annotations

from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.counted_spec import CountedSpec, parameters_of
from ...microkernels.gather.spec import GatherSpec
from ..arguments import counted
from ..arguments.gather import BagCall, GatherCall, gather_signature
from ..fastcall.guards_gather import bag_entry, gather_entry
from ..fastcall.guards_rows import counted_entry
from . import pipelines
from .kind import Kind, array_kind, revalidation

ROWS: dict[type, Kind] = {
    BagSpec: array_kind(pipelines.bag, lambda spec: revalidation().bag(spec))._replace(
        call=BagCall, entry=bag_entry,
    ),
    GatherSpec: array_kind(pipelines.gather, lambda spec: revalidation().gather(spec))._replace(
        call=GatherCall, entry=gather_entry, signature=gather_signature,
    ),
    CountedSpec: Kind(
        pipelines.counted, parameters_of, counted.CountedCall, counted_entry, counted.signature, counted.description,
        counted.regions, None, lambda spec: revalidation().counted_extents(spec),
    ),
}  # fmt: skip
