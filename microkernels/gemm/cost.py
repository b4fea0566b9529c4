"""What a call of a product costs: the one place that compares products of every kind, in cycles."""

from __future__ import annotations

from typing import Any

from ..choice import Plan


class ProductPlan(Plan):
    """A plan whose calls multiply the pairs of a batch, perhaps on tile registers that each call configures."""

    spec: Any
    cycles: Any
    """Of one pair."""
    tile_shapes: Any
    """Of the tile registers; empty where none are used."""
    tuning: Any
    """The table of the target."""

    @property
    def call_cycles(self) -> float:
        """Of one call: all pairs, as many as are likely where the call says how many, and the tiles' configuration."""
        batch, tuning = self.spec.batch, self.tuning
        pairs = 1 if batch is None else batch if isinstance(batch, int) else tuning.likely_pairs
        return float(self.cycles * pairs + (tuning.configure_cycles if self.tile_shapes else 0))
