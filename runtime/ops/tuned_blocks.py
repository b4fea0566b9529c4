"""The blocks that `tune` has found for products on this machine: kept in tuned.json of the cache folder.

An entry is of a product's extents, types, orders and leading dimensions and of the target, whatever alpha, beta,
epilogue and number of threads a request has: blocks decide the order of a sum, which must not depend on threads.
"""

from __future__ import annotations

import functools
from typing import Any

from ...encoder.features import Target
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from ..cache.digest import blake2b
from ..loops.machine_facts import entries, keep, machine
from .blocks import Blocks

FILE = "tuned.json"
_GROUP = 4
"""Steps of k that are packed side by side, at most: blocks are whole groups deep."""
_SIZES = ("mb", "nb", "kb", "nc", "ng")


def tuned_blocks(product: GemmSpec, target: Target) -> Blocks | None:
    """What `tune` has found for such a product, if anything."""
    kept = _entries()
    return _restored(kept.get(question(product, target)), product) if kept else None


def keep_blocks(product: GemmSpec, target: Target, plan: Blocks) -> None:
    """Keep what was found, for this process and for later ones."""
    entry = {"blocks": {name: getattr(plan, name) for name in _SIZES}, "packs_a": plan.packs_a,
             "packs_b": plan.packs_b, "own_b": plan.own_b, "gain": plan.gain}  # fmt: skip
    name = question(product, target)
    fresh = {**(entries(FILE).get(_host()) or {}), name: entry}
    keep(_host(), fresh, FILE)
    _entries()[name] = entry


def question(product: GemmSpec, target: Target) -> str:
    """What tells products apart that are cut in different ways."""
    facts = product.dtypes, product.acc_dtype, product.order, product.leading, product.numerics
    features = blake2b(" ".join(sorted(target.features)).encode(), digest_size=4).hexdigest()
    return f"gemm {product.m} x {product.n} x {product.k} {'/'.join(product.dtypes)} {target.name} " + blake2b(
        repr((*facts, features)).encode(), digest_size=8).hexdigest()  # fmt: skip


@functools.cache
def _entries() -> dict[str, Any]:
    """Those of this machine, read once for each process."""
    found = entries(FILE).get(_host())
    return dict(found) if isinstance(found, dict) else {}


def forget() -> None:
    """Read the file anew when blocks are asked for again."""
    _entries.cache_clear()


def _host() -> str:
    return f"products of {machine()}"


def _restored(entry: Any, product: GemmSpec) -> Blocks | None:
    """The blocks of an entry, if they cut the product."""
    if not isinstance(entry, dict) or {"own_b", *entry} != {"blocks", "packs_a", "packs_b", "own_b", "gain"}:
        return None
    sizes, gain = entry["blocks"], entry["gain"]
    packings = [entry["packs_a"], entry["packs_b"], entry.get("own_b", False)]  # the last one is in newer files
    whole = isinstance(sizes, dict) and set(sizes) == set(_SIZES) and all(type(each) is int for each in sizes.values())
    if not whole or any(type(each) is not bool for each in packings) or type(gain) is not float:
        return None
    packs_a, packs_b, own_b = packings
    found = Blocks(product.m, product.n, product.k, **sizes, packs_a=packs_a, packs_b=packs_b, own_b=own_b,
                   gain=gain)  # fmt: skip
    return found if cuts(found, product) else None


def cuts(plan: Blocks, product: GemmSpec) -> bool:
    """Whether the nest of such blocks computes the product."""
    narrowest = min(ELEMENT_BYTES[each] for each in product.dtypes[:2])
    inside = 0 < plan.mb <= plan.m and 0 < plan.nb <= plan.ng <= plan.nc <= plan.n and 0 < plan.kb <= plan.k
    whole = all(size % plan.nb == 0 or size == plan.n for size in (plan.ng, plan.nc))
    deep = plan.kb == plan.k or (plan.kb % _GROUP == 0 and product.dtypes[2] == product.acc_dtype)
    as_it_lies = product.order[:2] == ("C", "C") and not plan.packs_a and (
        narrowest >= 4 or (narrowest > 1 and plan.kb == plan.k))  # fmt: skip
    own = not plan.own_b or (plan.packs_b and not plan.packs_a and plan.nc == plan.ng == plan.nb)
    taken = (plan.packs_b or as_it_lies) and (plan.packs_a or product.order[0] == "C")
    return inside and whole and deep and own and taken
