"""Whether kernels are kept: what every start asks, before it imports what keeps them."""

from __future__ import annotations

from types import ModuleType

from ...encoder.deferred import deferred


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


def keeps(folder: str | None) -> bool:
    """Whether kernels are kept in this folder, if there is one: what makes them must be told from other versions."""
    return folder is not None and stamp().stamp() != ""
