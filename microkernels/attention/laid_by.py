"""Sums over many blocks of keys, which are laid by after some of them with their totals and largest scores: see
codegen/long_sums.py.

Both sums are relative to the largest score so far. What is laid by is corrected when sums are added to it.
"""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.long_sums import MOST_TERMS, STEPS_OF_PRODUCTS, most_of_block
from ..errors import UnsupportedError
from ..expr.graph import Expr, constant, fma_or_twice
from .softmax import Softmax

TOGETHER = STEPS_OF_PRODUCTS
"""Blocks of keys whose sums are added before they are laid by, if blocks are many."""
FAR = ("far_sums", "far_largest", "far_total", "far_correction")
"""The places of what is laid by."""


_LONG = TOGETHER
"""Keys of a block with which 2^31 keys have few enough blocks."""


def _most(piece: int) -> int:
    """Return the most products of so many keys: a term passes additions to the sum of one, of TOGETHER, and of all."""
    return TOGETHER * (MOST_TERMS - TOGETHER - piece)


def keys_of_block(keys: int, wanted: int) -> int:
    """Return the keys of a block: those that are wanted, unless there are so many keys that sums would be too long."""
    return wanted if -(-keys // wanted) <= _most(wanted) else _LONG


def blocks_laid_by(keys: int, block: int, piece: int) -> int:
    """Return the blocks of keys after which sums are laid by, or 0. piece: the keys of a product, of which a block may
    have several. Raises UnsupportedError if what is laid by would take the sums of too many blocks."""
    pieces, together = -(-keys // piece), max(1, TOGETHER * piece // block)
    if pieces <= most_of_block(True):
        return 0
    if pieces > (most := _most(piece)):
        raise UnsupportedError(
            f"attention over {keys} keys: sums have at most {most} blocks of {piece} keys, here {pieces}; give parts "
            "of the keys to kernels with lse=True, and add their results times exp(lse - the lse of all)"
        )
    return together


def lengths(size: int, line: int) -> dict[str, int]:
    """Return the bytes of the places, for lines of so many bytes."""
    return dict(zip(FAR, (size * line, line, line, line)))


def folded(softmax: Softmax) -> Callable[[Expr, Expr, Expr, Expr], tuple[Expr, ...]]:
    """Return a function that gives the correction of what is laid by, its total with that of the blocks since then, its
    maximum, and the total of 0 from which further blocks start."""

    def function(largest: Expr, total: Expr, before: Expr, far: Expr) -> tuple[Expr, ...]:
        correction = softmax.power(before - largest)
        return correction, fma_or_twice(far, correction, total), largest, constant(0.0, softmax.dtype)

    return function


def laid(o: Expr, far: Expr, correction: Expr) -> Expr:
    """Return sums that are laid by, corrected, with those of the blocks since then."""
    return fma_or_twice(far, correction, o)
