"""A mutant of a column of an instruction table, and the oracles that kill it, for the command column_mutants."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Mutant(NamedTuple):
    """A row with one column changed."""

    name: str
    killed_by: Callable[[], str | None]
    """Runs the oracles of that column on the changed row; returns the one that finds it, or None if it survives."""
