"""What the workers of the current region call: a barrier, at which all wait, and the numbers that they claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import BARRIER
from .pool import pool
from .region import entry

if TYPE_CHECKING:
    from ...encoder.features import Target


def barrier(target: Target) -> tuple[int, int]:
    """Return the addresses of void barrier(void *state) and of the state of the pool's region.

    A job calls the barrier only if it has workers > 1, and then in every worker: the state belongs to one region, and
    jobs that run alone may do so at the same time. Raises the errors of `region.entry`.
    """
    entry(target)
    return pool().barrier, pool().state + BARRIER


def claim(target: Target) -> int:
    """Return the address of long claim(void *state), whose argument is that of the barrier: it gives the workers of a
    region the numbers 0, 1, 2 and so on, each once. The same jobs may call it. Raises the errors of `region.entry`.
    """
    entry(target)
    return pool().claim
