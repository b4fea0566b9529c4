"""The kinds of gathers, scatters and embedding bags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.counted_spec import CountedSpec, parameters_of
from ...microkernels.gather.spec import GatherSpec
from ..arguments import counted
from ..arguments.gather import BagCall, GatherCall, gather_signature
from ..fastcall.guards_gather import bag_entry, gather_entry
from ..fastcall.guards_rows import counted_entry
from .kind import Kind, array_kind, pipeline_of, revalidation

if TYPE_CHECKING:
    from ...microkernels.gather import pipeline as gather_pipeline

gather_pipeline = lazy(__package__, "...microkernels.gather.pipeline")

ROWS: dict[type, Kind] = {
    BagSpec: array_kind(pipeline_of(gather_pipeline, "BAG"), lambda spec: revalidation.bag(spec))._replace(
        call=BagCall,
        entry=bag_entry,
    ),
    GatherSpec: array_kind(pipeline_of(gather_pipeline, "GATHER"), lambda spec: revalidation.gather(spec))._replace(
        call=GatherCall,
        entry=gather_entry,
        signature=gather_signature,
    ),
    CountedSpec: Kind(
        pipeline_of(gather_pipeline, "COUNTED"),
        parameters_of,
        counted.CountedCall,
        counted_entry,
        counted.signature,
        counted.description,
        counted.regions,
        None,
        lambda spec: revalidation.counted_extents(spec),
    ),
}
