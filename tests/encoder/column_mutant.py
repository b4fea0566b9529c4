"""One mutant of a row's columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Mutant(NamedTuple):
    """A row with one column changed: what was changed, and which test sees it (None: none does)."""

    name: str
    killed_by: Callable[[], str | None]
