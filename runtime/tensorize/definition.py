"""Tensor programs by their definition, as places of memory: what the proof of a kernel compares its calls with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arguments.arrays import Array
from ..contraction.form import Contraction
from ..verify.terms import SumOfProducts


def defined(whole: Contraction, summed: Sequence[str]) -> SumOfProducts:
    """Return a sum of products, of whose loops some are summed over."""
    loops, a, b, c, more = whole.loops, whole.a, whole.b, whole.c, whole.more
    outside = [each for each in loops if each[0] not in summed]
    inside = [each for each in loops if each[0] in summed]
    of_a, of_b = (each.places(inside, 0) for each in (a, b))
    begin_a, begin_b = (each.places(outside, each.address.constant) for each in (a, b))

    def terms(begin: Array, inner: Array, chosen: Array) -> Array:
        return np.asarray(1 + begin[chosen, None] + inner)

    return SumOfProducts(
        c.places(outside, c.address.constant),
        begin_a,
        begin_b,
        lambda chosen: terms(begin_a, of_a, chosen),
        lambda chosen: terms(begin_b, of_b, chosen),
        tuple(each.places(outside, each.address.constant) for each in more),
        0,
    )
