"""The blocks that `tune` has found for products on this machine, kept in tuned.json of the cache folder.

An entry depends on a product's extents, types, orders and leading dimensions and on the target, but not on alpha, beta,
the epilogue or the number of threads: blocks decide the order of a sum, which must not depend on the number of threads.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from ..cache.digest import blake2b
from ..loops.machine_facts import entries, keep, machine
from .blocks import Blocks

FILE = "tuned.json"
_GROUP, _LINE = 4, 64
"""`_GROUP`: the most steps of k that are packed side by side; blocks are whole groups deep. `_LINE`: bytes of k in a
tile."""
_SIZES = ("mb", "nb", "kb", "nc", "ng")
_FACTS: dict[str, type] = {"packs_a": bool, "packs_b": bool, "own_b": bool, "rb": int, "lines": int, "whole": int,
                           "turned": bool, "widened": bool, "gain": float}  # fmt: skip
_LATER = {"own_b": False, "rb": 0, "lines": 0, "whole": 1, "turned": False, "widened": False}
"""Defaults of the fields that only newer files have."""


class Search(NamedTuple):
    """How far blocks were searched.

    budget    the longest budget in seconds
    of        the number of candidates
    measured  the digests of those that were measured
    """

    budget: float = 0.0
    of: int = 0
    measured: frozenset[str] = frozenset()

    def enough(self, budget: float) -> bool:
        """Whether a search with this budget would find nothing new."""
        return budget <= self.budget or 0 < self.of <= len(self.measured)


def tuned_blocks(product: GemmSpec, target: Target) -> Blocks | None:
    """Return the blocks that `tune` has found for such a product, or None."""
    kept = _entries()
    return _restored(kept.get(question(product, target)), product) if kept else None


def search_of(product: GemmSpec, target: Target) -> Search:
    """Return how far `tune` has searched for such a product."""
    entry = _entries().get(question(product, target))
    return _search(entry.get("search")) or Search() if isinstance(entry, dict) else Search()


def digest(plan: Blocks) -> str:
    """Return a digest of blocks, to tell those that were measured."""
    facts = [getattr(plan, name) for name in (*_SIZES, *_FACTS) if name != "gain"]
    return blake2b(repr(facts).encode(), digest_size=4).hexdigest()


def keep_blocks(product: GemmSpec, target: Target, plan: Blocks, search: Search = Search()) -> None:  # noqa: B008
    """Keep blocks for this process and for later ones."""
    entry = {"blocks": {name: getattr(plan, name) for name in _SIZES}, **{name: getattr(plan, name) for name in _FACTS},
             "search": search._asdict() | {"measured": sorted(search.measured)}}  # fmt: skip
    name = question(product, target)
    fresh = {**(entries(FILE).get(_host()) or {}), name: entry}
    keep(_host(), fresh, FILE)
    _entries()[name] = entry


def question(product: GemmSpec, target: Target) -> str:
    """Return the key of a product: it differs for products that may be cut differently."""
    facts = product.dtypes, product.acc_dtype, product.order, product.leading, product.numerics
    features = blake2b(" ".join(sorted(target.features)).encode(), digest_size=4).hexdigest()
    return f"gemm {product.m} x {product.n} x {product.k} {'/'.join(product.dtypes)} {target.name} " + blake2b(
        repr((*facts, features)).encode(), digest_size=8).hexdigest()  # fmt: skip


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


def _restored(entry: Any, product: GemmSpec) -> Blocks | None:
    """Return the blocks of an entry if they cut the product."""
    if not isinstance(entry, dict):
        return None
    facts = {**_LATER, **entry}
    sizes, search = facts.pop("blocks", None), _search(facts.pop("search", {}))
    if not isinstance(sizes, dict) or set(sizes) != set(_SIZES) or set(facts) != set(_FACTS):
        return None
    numbers = [*sizes.items(), *facts.items()]
    if search is None or any(type(value) is not _FACTS.get(name, int) for name, value in numbers):
        return None
    found = Blocks(product.m, product.n, product.k, **sizes, **facts, tried=(len(search.measured), search.of))
    return found if cuts(found, product) else None


def _search(kept: Any) -> Search | None:
    """Return the search of an entry; older entries have none. The result is None for anything else."""
    if kept == {}:
        return Search()
    if not isinstance(kept, dict) or set(kept) != set(Search._fields):
        return None
    budget, of, measured = kept["budget"], kept["of"], kept["measured"]
    if type(budget) is not float or type(of) is not int or not isinstance(measured, list):
        return None
    if not 0 <= budget < math.inf or of < 0 or not all(isinstance(each, str) for each in measured):
        return None
    return Search(budget, of, frozenset(measured))


def cuts(plan: Blocks, product: GemmSpec) -> bool:
    """Whether the nest of such blocks computes the product."""
    narrowest = min(ELEMENT_BYTES[each] for each in product.dtypes[:2])
    inside = 0 < plan.mb <= plan.m and 0 < plan.nb <= plan.ng <= plan.nc <= plan.n and 0 < plan.kb <= plan.k
    whole = all(size % plan.nb == 0 or size == plan.n for size in (plan.ng, plan.nc))
    narrow = product.dtypes[2] != product.acc_dtype or (plan.widened and plan.rb > 0)
    deep = plan.kb == plan.k or (plan.kb % _GROUP == 0 and narrow == (plan.rb > 0))
    summed = not plan.rb or (plan.packs_a and plan.packs_b and plan.ng == plan.nc and plan.rb <= plan.mb
                             and narrow and (plan.turned or product.order[2] == "C"))  # fmt: skip
    filled = plan.whole == 1 or (plan.whole == _LINE // narrowest and plan.packs_a and plan.packs_b
                                 and (plan.kb == plan.k or plan.kb % plan.whole == 0))  # fmt: skip
    as_it_lies = product.order[:2] == ("C", "C") and not plan.packs_a and (
        narrowest >= 4 or (narrowest > 1 and plan.kb == plan.k))  # fmt: skip
    streamed = not plan.lines or (plan.lines > 0 and plan.packs_b and not plan.own_b and narrowest >= 4
                                  and product.order[1] == "C" and plan.whole == 1)  # fmt: skip
    own = not plan.own_b or (plan.packs_b and plan.packs_a == (plan.rb > 0) and plan.nc == plan.ng == plan.nb)
    taken = (plan.packs_b or as_it_lies) and (plan.packs_a or product.order[0] == "C")
    return inside and whole and deep and own and taken and summed and plan.rb >= 0 and filled and streamed
