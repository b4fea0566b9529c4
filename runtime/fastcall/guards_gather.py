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
    """Calls through machine code where the kernel looks at indices and offsets."""
    return None if spec.bounds == "call" else array_entry(spec, release, release_above)


def gather_entry(spec: GatherSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Calls through machine code, where nobody has to look at indices first and no output may be left out wrongly."""
    looks = spec.indices is not None and spec.bounds == "call"
    needs_output = spec.verb == "scatter" and spec.bad is None
    return None if looks or needs_output else array_entry(spec, release, release_above)


def indexed_entry(spec: IndexedSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Calls through machine code where the kernel looks at indices, and no output may be left out wrongly."""
    if spec.bounds == "call" or spec.scattered:
        return None
    return array_entry(spec, release, release_above, lines=True)
