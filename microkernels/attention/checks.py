"""Checks of the arguments of attention: masks, windows and the scale."""

from __future__ import annotations

import math

from ...encoder.errors import shown
from ..errors import UnsupportedError
from ..expr.coordinates import EXACT
from ..operands import extent, real

NO_WINDOW = "window=1 sees the query's own key only, and window=None all keys"


def window_of(value: object, causal: bool, queries: int, keys: int, dtype: str) -> int:
    """Return the keys of a window, or 0 for none."""
    if value is None:
        return 0
    number = extent("window", value, NO_WINDOW)
    if not causal:
        raise UnsupportedError(
            'window: needs causal=True; mask="distance" and score= hide keys by other rules, and all are computed'
        )
    if queries > keys:
        raise UnsupportedError(f"window: needs as many keys as queries, {queries}, not {keys}")
    if keys > EXACT and dtype == "f32":
        raise UnsupportedError(f"window: the numbers of keys are exact in f32 up to {EXACT}, not {keys}; f64 has more")
    return number if number < keys else 0


def masks_of(value: object, mask: str | None, heads: int, kv_heads: int) -> tuple[int, int]:
    """Return how many masks there are along sequences and along the heads of one, if heads can be divided so."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(f"masks: two numbers, of sequences and of heads that have a mask each, not {shown(value)}")
    of_sequences, of_heads = (extent("masks", each) for each in value)
    if of_sequences == of_heads == 1:
        return 1, 1
    if mask is None:
        raise ValueError(f"masks: {of_sequences} x {of_heads} of no mask; give mask=, which says what shape each has")
    sequences = of_sequences if of_sequences > 1 else heads // of_heads
    whole = of_sequences * of_heads == heads if 1 not in (of_sequences, of_heads) else sequences * of_heads <= heads
    if not whole or heads % (of_sequences * of_heads) or kv_heads % sequences:
        raise ValueError(
            f"masks: ({of_sequences}, {of_heads}) of {heads} heads over {kv_heads}: (sequences, heads of one), whose "
            "product are the heads, or 1 where masks are shared; each sequence has whole groups of heads"
        )
    return of_sequences, of_heads


def scale_of(value: object, size: int) -> float:
    """Return the factor of scores."""
    if value is None:
        return 1.0 / math.sqrt(size)
    number = real(value)
    if number is None or not math.isfinite(number):
        raise (TypeError if number is None else ValueError)(f"scale: None or a finite number, not {shown(value)}")
    return number
