"""Whether kernels are kept: what every start asks, before it imports what keeps them."""

from __future__ import annotations

from types import ModuleType

from ...encoder.deferred import deferred
from . import folder


@deferred
def stamp() -> ModuleType:
    """Which version of the package makes an entry."""
    from . import stamp

    return stamp


@deferred
def store() -> ModuleType:
    """The entries."""
    from . import store

    return store


def keeps() -> bool:
    """Whether kernels are kept: there may be a folder for them, and what makes them can be told from other versions."""
    return folder.path() is not None and stamp().stamp() != ""
