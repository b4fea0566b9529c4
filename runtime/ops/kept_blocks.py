"""Blocks that the rules chose for a product in an earlier process, kept in the cache folder.

The rules ask what a processor's instructions are, for which planners and encoders are imported. A process that finds
the blocks and the job of a product on disk (runtime/loops/job.py) imports none of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ...encoder.features import Target
from ...encoder.records import text_of
from ...microkernels.gemm.spec import GemmSpec
from ..cache.keeping import keeps, stamp, store
from ..system.architecture import arch
from ..system.environment import cache_folder
from .schedules import Blocks, as_data, from_data

_BLOCKS = "blocks"
"""What requests of blocks begin with in the cache."""


def kept_blocks(
    name: str, product: GemmSpec, asked: tuple[object, ...], target: Target, choose: Callable[[], Blocks]
) -> Blocks:
    """Return what `choose` returns, from the cache folder if an earlier process kept it there. `asked` is everything
    that the choice depends on, besides the product, the target and the number of processors."""
    where = cache_folder()
    if target.arch != arch() or where is None or not keeps(where):
        return choose()
    text = text_of((name, os.cpu_count() or 1, product, *asked))
    request = f"{_BLOCKS} {stamp.stamp()} {text} {text_of(target)}"
    found = store.find(request)
    if found is not None:
        kept = from_data(product, found.facts[_BLOCKS])
        if kept is not None:
            return kept
    made = choose()
    facts = {"kind": _BLOCKS, "name": name, "arch": target.arch, "decoded": False, _BLOCKS: as_data(made)}
    store.keep(request, lambda: (facts, []))
    return made
