"""Constants for planning elementwise kernels."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class EltwiseTuning:
    """Default values, each with its source.

    unroll                  the most vectors of a loop body if nothing else needs registers. Eight vectors of ten
                            operations take 0.94 of the time of four (Zen 4, fast activations)
    unroll_in_epilogue      the same for an expression beside the accumulators of a product, which leave registers for
                            few vectors (Zen 4, epilogues of gelu)
    instructions_per_cycle  the average number of instructions that a busy core completes per cycle (Zen 4, fast
                            activations)
    packs_what_stores_narrow   whether two or four vectors are packed into one, which fills a cache line, although
                            stores can narrow a vector by themselves (AVX-512). Source: Intel's optimization manual,
                            example 20-24
    register_arguments      the number of pointers and numbers of a call up to which the row counter gets a general
                            register too. Beyond it the machine may keep that counter in memory. Derived from x86-64,
                            which has the fewest general registers
    """

    unroll: int = 8
    unroll_in_epilogue: int = 4
    instructions_per_cycle: float = 3.0
    packs_what_stores_narrow: bool = True
    register_arguments: int = 8
