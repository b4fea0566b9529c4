"""What the tables of coverage have of a kernel: a call, and what must come of it."""

from __future__ import annotations

from typing import Any

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array


class Trial(NamedTuple):
    """A request, the arguments of a call, the last of which is its output, and what it must become."""

    spec: Any
    arguments: list[Array]
    wanted: Array
