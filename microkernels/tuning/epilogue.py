"""Constants by which the planner of epilogues compares work on accumulators with a separate pass over C (epilogue/)."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class EpilogueTuning:
    """Default values."""

    most_operations: int = 40
    """The most operations of an expression that is computed on accumulators although a separate pass over C, a walk, is
    possible. The body of a walk is short and has all registers. Source: measured on a Zen 4; gelu (19 or 33 operations,
    by vector length) takes the same time either way, and an expression of 100 operations is faster in the walk."""
    most_instructions: int = 2500
    """The most instructions of an epilogue that is unrolled for the accumulators of all blocks. Source: at 8 bytes
    each, they fill half of an L1 instruction cache."""
    most_instructions_without_walk: int = 8000
    """The most instructions of such an epilogue if no walk is possible, because C is narrower than the accumulators and
    these do not fit into scratch memory. Beyond it the request is refused. Source: estimate, not measured."""
    most_lines_beside_products: int = 1200
    """The most instructions, in all copies together, of an epilogue on tile registers that is unrolled beside the
    products. Source: estimate, not measured; about 8 KiB, a quarter of an L1 instruction cache."""
    walk_start_instructions: int = 60
    """The time, in instructions, that a walk waits for the data that the product has just stored. Source: estimate, not
    measured."""
    register_step: int = 8
    """The step, in vector registers, of the search for the expression's allocation. Source: planning time."""
