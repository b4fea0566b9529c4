"""The entries of gathers, scatters and embedding bags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .guards import Entry
from .guards_array import array_entry

if TYPE_CHECKING:
    from ...microkernels.gather.bag_spec import BagSpec
    from ...microkernels.gather.spec import GatherSpec
    from ...microkernels.indexed.spec import IndexedSpec


def bag_entry(spec: BagSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Return the entry if the kernel checks indices and offsets itself and calls may give all offsets; other calls go
    through Python."""
    if spec.bounds == "call" or spec.include_last_offset is False:
        return None
    return array_entry(spec, release, release_above)


def gather_entry(spec: GatherSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Return the entry, unless the call must check the index, or a scatter's output is the last argument: entries allow
    that to be left out."""
    looks = spec.indices is not None and spec.bounds == "call"
    needs_output = spec.verb == "scatter" and spec.bad is None
    return None if looks or needs_output else array_entry(spec, release, release_above)


def indexed_entry(spec: IndexedSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Return the entry if the kernel checks indices itself and no output is scattered: entries allow an output to be
    left out."""
    if spec.bounds == "call" or spec.scattered:
        return None
    return array_entry(spec, release, release_above, lines=True)
