"""Whether kernels are kept on disk. Every start asks this before it imports the modules that keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy

if TYPE_CHECKING:
    from . import stamp as stamp
    from . import store as store

stamp = lazy(__package__, ".stamp")
store = lazy(__package__, ".store")


def keeps(folder: str | None) -> bool:
    """Whether kernels are kept in this folder, if there is one. The package's version must be identifiable for that."""
    return folder is not None and stamp.stamp() != ""
