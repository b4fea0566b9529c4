"""What the kind of products with an epilogue consists of, imported when the first such request is made."""

from __future__ import annotations

from ...microkernels.epilogue.spec import parameters as parameters
from ..arguments.epilogue import EpilogueCall as EpilogueCall
from ..arguments.epilogue import description as description
from ..arguments.epilogue import regions as regions
from ..arguments.epilogue import signature as signature
from ..fastcall.guards_epilogue import epilogue_entry as epilogue_entry
