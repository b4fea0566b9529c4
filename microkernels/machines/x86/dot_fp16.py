"""Products of f16 summed in f16: VFMADD231PH of AVX512-FP16, with one rounding to f16 per step.

MXCSR selects the rounding. f16 denormals are always used as they are, whatever MXCSR says. Source: Intel AVX512-FP16
architecture specification (document 347407), 3.2 and VFMADD231PH.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...contract.machine import Vector
from .core import X86Address, X86Lanes
from .dot import X86Unit


class HalfFma(X86Unit):
    """acc = fma(x, y, acc) in f16."""

    def load(self, phase: int, x: Vector, address: X86Address, lanes: X86Lanes, elements: int) -> None:
        """Load the row vector as it is stored."""
        self.m.load(x, address, lanes)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: X86Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the only row of a step."""
        self.m.load(x, places[0], lanes)

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Broadcast one element, by the product's own memory operand if `embed` allows it."""
        if embed:
            return self.m.scalar(address)
        self.m.broadcast(y, address, lanes)
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> Any:
        """Fetch the only element of a step."""
        return self.fetch(phase, y, places[0], lanes, False)

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit one vfmadd231ph."""
        self.m.fma(acc, x, y, lanes)
