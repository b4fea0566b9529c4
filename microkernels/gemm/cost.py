"""The estimated cycles of a call, by which plans of products of every kind are compared."""

from __future__ import annotations

from typing import Any

from ..choice import Plan


class ProductPlan(Plan):
    """A plan whose calls multiply the pairs of a batch, perhaps on tile registers that each call configures."""

    spec: Any
    cycles: Any
    """The estimate for one pair of the batch."""
    tile_shapes: Any
    """Shapes of the tile registers; empty where none are used."""
    tuning: Any
    """The table of the target."""

    @property
    def call_cycles(self) -> float:
        """The estimate for one call: all pairs (a likely count where the call gives it) and configuration."""
        batch, tuning = self.spec.batch, self.tuning
        pairs = 1 if batch is None else batch if isinstance(batch, int) else tuning.likely_pairs
        return float(self.cycles * pairs + (tuning.configure_cycles if self.tile_shapes else 0))
