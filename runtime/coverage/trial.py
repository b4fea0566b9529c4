"""A trial call of a kernel, with its expected result, for the tables of coverage."""

from __future__ import annotations

from typing import Any

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array


class CoverageTrial(NamedTuple):
    """A request, the arguments of a call, the last of which is its output, and the expected output."""

    spec: Any
    arguments: list[Array]
    wanted: Array
