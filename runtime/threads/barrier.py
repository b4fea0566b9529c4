"""The barrier of the region at hand: all its workers wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import BARRIER
from .pool import pool
from .region import entry

if TYPE_CHECKING:
    from ...encoder.features import Target


def barrier(target: Target) -> tuple[int, int]:
    """The addresses of void barrier(void *state), and of the state of the pool's region.

    A job calls it only where it is given workers > 1, and then in every worker: the state belongs to one region, and
    jobs that run alone may do so at the same time. Raises as `region.entry`.
    """
    entry(target)
    return pool().barrier, pool().state + BARRIER
