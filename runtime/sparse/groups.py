"""Dense matrices whose rows lie side by side in groups (VNNI), as factors and results of products with sparse ones.

    element (i, j) of a matrix (k, n)     array[i // g, j, i % g] of an array (ceil(k / g), n, g)

A product reads and writes groups where they lie if blocks are whole groups. All others are moved to plain rows first,
or from plain rows afterwards, by all workers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.choice import Refusal, tried
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import GROUP_BYTES, OFFSET, PLAIN
from ...microkernels.names import chosen
from ..api.brgemm import product_spec
from ..grouped.operands import with_sums
from ..kernel.kinds import kind_of
from ..kernel.origin import planned
from ..kernel.request_cache import RECENT, forgetting
from ..walks.permute import permute

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import Layout
    from ..arguments.arrays import Array
    from .nest import TableSizes

_LAYOUTS = PLAIN, "vnni", "vnni2", "vnni4"


def group_of(name: str, layout: Layout, dtype: str) -> int:
    """Return how many rows of elements of a type lie side by side in a layout."""
    asked, group = chosen(name, layout, _LAYOUTS), GROUP_BYTES // ELEMENT_BYTES[dtype]
    if asked == PLAIN:
        return 1
    if group > 1 and asked in ("vnni", f"vnni{group}"):
        return group
    own = f'"plain", or "vnni{group}" ("vnni", which is the same)' if group > 1 else '"plain" only'
    raise UnsupportedError(f"{name}={layout!r}: elements of {dtype} may be {own}")


def reads_groups(group: int, columns: int, block: tuple[int, int], types: tuple[str, str, str], target: Target) -> bool:
    """Whether kernels read a dense factor in groups where it lies: the columns of blocks are whole groups, so that
    nothing that fills up the last group is read, and a unit of the target multiplies groups."""
    whole = group > 1 and columns > 0 and block[1] % group == 0 and columns % group == 0
    return whole and _multiplies(block, types, target)


@lru_cache(maxsize=RECENT)
def _multiplies(block: tuple[int, int], types: tuple[str, str, str], target: Target) -> bool:
    sums = with_sums(types)

    def product() -> object:
        spec = product_spec(*block, block[1], dtype=sums, batch=OFFSET, beta=0.0, b_layout="vnni")
        return planned(spec, target, kind_of(spec))

    return not isinstance(tried("vnni", product), Refusal)


forgetting.append(_multiplies.cache_clear)


def writes_groups(group: int, block: tuple[int, int], sizes: TableSizes) -> bool:
    """Whether kernels write the result in groups: rows of blocks are whole groups, and none is summed in parts."""
    return group > 1 and block[0] % group == 0 and not sizes.parts


def flat(array: Array) -> Array:
    """Return groups as a matrix with a row for each row of groups, a view if they lie one behind the other."""
    lines, across, group = array.shape
    made: Array = array.reshape(lines, across * group)
    return made


def plain_of(array: Array, rows: int, workers: int) -> Array:
    """Return a matrix of so many rows from its groups. What fills up the last group is left out."""
    lines, across, group = array.shape
    made = np.asarray(permute(array, (0, 2, 1), threads=workers))
    return made.reshape(lines * group, across)[:rows]


def grouped(plain: Array, to: Array, workers: int) -> None:
    """Write a matrix, whose rows are filled up to whole groups, to an array of groups."""
    lines, across, group = to.shape
    permute(plain.reshape(lines, group, across), (0, 2, 1), out=to, threads=workers)
