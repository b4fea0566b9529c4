"""The numbers by which the planner of epilogues weighs accumulators against a walk over C (epilogue/)."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class EpilogueTuning:
    """The defaults."""

    most_operations: int = 40
    """Operations of an expression that is computed on accumulators although a walk is possible: the body of a walk is
    short and has all registers. Source: measured on a Zen 4; gelu (19 or 33 operations, by vector length) takes the
    same time either way, an expression of 100 operations is faster in the walk."""
    most_instructions: int = 2500
    """Instructions of an epilogue that is written out for the accumulators of all blocks. Source: 8 bytes each fill
    half of a first-level instruction cache."""
    most_instructions_without_walk: int = 8000
    """The same where C is narrower than the accumulators and these do not fit into scratch memory, so that no walk is
    possible. Source: estimate, not measured; beyond it the request is refused."""
    most_lines_beside_products: int = 1200
    """Instructions of an epilogue on tile registers that is written out beside products, all copies together. Source:
    estimate, not measured; about 8 KiB, a quarter of a first-level instruction cache."""
    walk_start_instructions: int = 60
    """Instructions in the time that a walk waits for what the product has just stored. Source: estimate, not
    measured."""
    register_step: int = 8
    """Vector registers by which the search for an allocation of the expression grows. Source: planning time."""
