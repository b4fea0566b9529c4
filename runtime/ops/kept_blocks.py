"""Blocks that the rules chose for a product in an earlier process, kept in the cache folder.

The rules ask what a processor's instructions are, for which planners and encoders are imported. A process that finds
the blocks and the job of a product on disk (runtime/loops/job.py) imports none of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ...encoder.features import Target
from ...encoder.records import text_of
from ..cache.keeping import keeps, stamp, store
from ..system.architecture import arch
from ..system.environment import cache_folder
from .blocks import Blocks

_BLOCKS = "blocks"
"""What requests of blocks begin with in the cache."""


def kept_blocks(name: str, asked: tuple[Any, ...], target: Target, choose: Callable[[], Blocks]) -> Blocks:
    """Return what `choose` returns, from the cache folder if an earlier process kept it there. `asked` is everything
    that the choice depends on, besides the target and the number of processors."""
    where = cache_folder()
    if target.arch != arch() or where is None or not keeps(where):
        return choose()
    text = text_of((name, os.cpu_count() or 1, *asked))
    request = f"{_BLOCKS} {stamp.stamp()} {text} {text_of(target)}"
    found = store.find(request)
    if found is not None:
        return Blocks(**found.facts[_BLOCKS])
    made = choose()
    facts = {"kind": _BLOCKS, "name": name, "arch": target.arch, "decoded": False, _BLOCKS: asdict(made)}
    store.keep(request, lambda: (facts, []))
    return made
