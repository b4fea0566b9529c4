"""The blocks that `tune` has found for products on this machine, kept in tuned.json of the cache folder.

An entry depends on a product's extents, types, orders and leading dimensions and on the target, but not on alpha, beta,
the epilogue or the number of threads: blocks decide the order of a sum, which must not depend on the number of threads.

An entry also says with how many threads and with which kind of beta its product was tuned, which decides what the
candidates were. Only blocks that are among them are used: whatever an entry says, its blocks are some that `tune` would
have called.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...microkernels.gemm.spec import GemmSpec
from ..cache import records
from ..cache.digest import blake2b
from ..host.detect import host
from ..loops.machine_facts import entries, keep, machine
from ..threads.layout import MOST
from .blocks import L2, lanes_of, may_transpose_blocks
from .schedules import Blocks, as_data, from_data

if TYPE_CHECKING:
    from . import block_model, block_rules

block_model = lazy(__package__, ".block_model")
block_rules = lazy(__package__, ".block_rules")


FILE = records.TUNED
_TUNED: dict[str, type] = {"threads": int, "adds": bool, "gain": float}
"""How the product was tuned: the number of threads, whether it added to C, and what was gained."""


def tuned_blocks(product: GemmSpec, target: Target) -> Blocks | None:
    """Return the blocks that `tune` has found for such a product, or None."""
    kept = _entries()
    return _restored(kept.get(question(product, target)), product, target) if kept else None


def tuned_products() -> str:
    """Return a digest of all that `tune` has found for products on this machine, "" if nothing: plans depend on it."""
    kept = _entries()
    return blake2b(repr(sorted(kept.items())).encode(), digest_size=16).hexdigest() if kept else ""


def keep_blocks(product: GemmSpec, target: Target, plan: Blocks, threads: int) -> None:
    """Keep blocks, found with so many threads, for this process and for later ones."""
    entry = {
        "blocks": as_data(plan),
        "gain": plan.gain,
        "threads": threads,
        "adds": product.beta != 0,
        "tried": list(plan.tried),
    }
    name = question(product, target)
    kept = entries(FILE).get(_host())
    keep(_host(), {**(kept if isinstance(kept, dict) else {}), name: entry}, FILE)
    _entries()[name] = entry


def question(product: GemmSpec, target: Target) -> str:
    """Return the key of a product: it differs for products that may be cut differently."""
    facts = product.dtypes, product.acc_dtype, product.order, product.leading, product.numerics
    features = blake2b(" ".join(sorted(target.features)).encode(), digest_size=4).hexdigest()
    return (
        f"gemm {product.m} x {product.n} x {product.k} {'/'.join(product.dtypes)} {target.name} "
        + blake2b(repr((*facts, features)).encode(), digest_size=8).hexdigest()
    )


@functools.cache
def _entries() -> dict[str, Any]:
    """Return the entries of this machine, read once per process."""
    found = entries(FILE).get(_host())
    return dict(found) if isinstance(found, dict) else {}


def forget() -> None:
    """Read the file again the next time that blocks are asked for."""
    _entries.cache_clear()


def _host() -> str:
    return f"products of {machine()}"


def _restored(entry: Any, product: GemmSpec, target: Target | None = None) -> Blocks | None:
    """Return the blocks of an entry, or None unless `tune` may have found them for the product."""
    if not isinstance(entry, dict) or {"tried": [0, 0], **entry}.keys() != {"blocks", "tried", *_TUNED}:
        return None
    plan, tried = from_data(product, entry["blocks"]), entry.get("tried", [0, 0])
    if plan is None or any(type(entry[name]) is not kind for name, kind in _TUNED.items()):
        return None
    threads, gain = entry["threads"], entry["gain"]
    if not isinstance(tried, list) or [*map(type, tried)] != [int, int]:
        return None
    if not 0 < threads <= MOST or not 0 < gain < math.inf:
        return None
    target = target or host()
    tuned = replace(product, beta=float(entry["adds"]))
    untuned = block_rules.rules(tuned, target, threads, may_transpose_blocks(tuned), tuned.beta == 0)
    lanes, l2 = lanes_of(product, target), target.l2 or L2
    if not block_model.is_candidate(plan, untuned, tuned, lanes, l2, threads):
        return None
    return replace(plan, gain=gain, tried=tuple(tried))
