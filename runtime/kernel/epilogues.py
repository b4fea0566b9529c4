"""The kind of products with an epilogue."""

from __future__ import annotations

from operator import attrgetter

from ...microkernels.epilogue.packed_spec import PackedSpec
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.epilogue.spec import parameters as epilogue_parameters
from ..arguments import epilogue
from ..fastcall.guards_epilogue import epilogue_entry
from . import pipelines
from .kind import Kind, revalidation

_EPILOGUE = Kind(
    pipelines.epilogue, epilogue_parameters, epilogue.EpilogueCall, epilogue_entry, epilogue.signature,
    epilogue.description, epilogue.regions, attrgetter("pairs"), lambda spec: revalidation().epilogue(spec),
)  # fmt: skip
ROWS: dict[type, Kind] = {
    EpilogueSpec: _EPILOGUE,
    PackedSpec: _EPILOGUE._replace(again=lambda spec: revalidation().packed(spec)),
}
