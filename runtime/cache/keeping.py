"""Whether kernels are kept on disk. Every start asks this before it imports the modules that keep them."""

from __future__ import annotations

from types import ModuleType

from ...encoder.deferred import deferred


@deferred
def stamp() -> ModuleType:
    """Import the module that identifies the version of the package."""
    from . import stamp

    return stamp


@deferred
def store() -> ModuleType:
    """Import the module of the entries."""
    from . import store

    return store


def keeps(folder: str | None) -> bool:
    """Whether kernels are kept in this folder, if there is one. The package's version must be identifiable for that."""
    return folder is not None and stamp().stamp() != ""
