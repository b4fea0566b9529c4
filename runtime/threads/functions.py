"""The functions of a pool, over the verbs of any architecture."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..cache.stubs import Symbol
from . import barrier_code, grow_code, region_code, worker_code
from .layout import CLAIMS, WEIGHED

if TYPE_CHECKING:
    from ...encoder.code import Code
    from .verbs import Verbs

_STATE, _SETTINGS, _CREATE = (Symbol(name) for name in ("state", "settings", "pthread_create"))
FUNCTIONS: dict[str, Callable[[Verbs], Code]] = {
    "worker": lambda v: worker_code.emit(v, _STATE, _SETTINGS),
    "grow": lambda v: grow_code.grow(v, _STATE, _SETTINGS, Symbol("worker"), _CREATE),
    "region": lambda v: region_code.emit(v, _STATE, _SETTINGS, Symbol("grow")),
    "claims": lambda v: region_code.emit(v, _STATE, _SETTINGS, Symbol("grow"), CLAIMS),
    "weighed": lambda v: region_code.emit(v, _STATE, _SETTINGS, Symbol("grow"), WEIGHED),
    "barrier": barrier_code.emit,
    "claim": barrier_code.claim,
    "end": lambda v: grow_code.end(v, _STATE),
}
"""Each emitter refers to the functions before it by name, where their addresses go."""
