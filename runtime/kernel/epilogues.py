"""The kind of products with an epilogue."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.epilogue.packed_spec import PackedSpec
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.epilogue.spec import parameters as epilogue_parameters
from ..arguments import epilogue
from ..fastcall.guards_epilogue import epilogue_entry
from .kind import Kind, pipeline_of, revalidation

if TYPE_CHECKING:
    from ...microkernels.products import pipeline as products_pipeline

products_pipeline = lazy(__package__, "...microkernels.products.pipeline")

_EPILOGUE = Kind(
    pipeline_of(products_pipeline, "EPILOGUE"),
    epilogue_parameters,
    epilogue.EpilogueCall,
    epilogue_entry,
    epilogue.signature,
    epilogue.description,
    epilogue.regions,
    attrgetter("pairs"),
    lambda spec: revalidation.epilogue(spec),
)
ROWS: dict[type, Kind] = {
    EpilogueSpec: _EPILOGUE,
    PackedSpec: _EPILOGUE._replace(again=lambda spec: revalidation.packed(spec)),
}
