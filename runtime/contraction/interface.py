"""What every kind of loops of a contraction offers: a nest, scratch memory, and a packed B."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array
from ..loops.code import Node


class PackingPlaces(NamedTuple):
    """Positions of operands in a job's table: B as it is given, its panels, and the workers' scratch memory."""

    source: int
    panels: int
    own: int


PackingNest = tuple[Callable[[], list[Node]], int]
"""What makes the nodes that pack B, and their bytes of scratch memory per worker."""


class ContractionLoops(Protocol):
    """The loops of a contraction, and how B is packed for them.

    bytes_own  bytes of scratch memory per worker
    bytes_b    bytes of the panels of B
    lie        how these lie: equal if they are the same bytes of the same B
    asked      everything but the target that the loops depend on
    cycles     the estimated cycles of one core
    """

    @property
    def bytes_own(self) -> int: ...

    @property
    def bytes_b(self) -> int: ...

    @property
    def lie(self) -> tuple[object, ...]: ...

    @property
    def asked(self) -> tuple[object, ...]: ...

    @property
    def cycles(self) -> float: ...

    def nodes(self, own: int) -> tuple[Node, ...]:
        """Return the nest, of workers that have so many bytes of scratch memory."""

    def packing(self, strides: Sequence[int], places: PackingPlaces) -> PackingNest | None:
        """Return the nest that packs a B of these strides, in elements; None if no kernels pack it."""

    def pack(self, b: Array, to: Array) -> None:
        """Write the panels of B to these bytes, which are zero."""
