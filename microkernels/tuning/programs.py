"""The numbers by which programs are cut into kernels.

spread     the elements from which a region, attention or a gather runs on all cores. Waking a worker takes about 2 us,
           and f32 of 16,384 elements in L2 about 4 (prototype of torch.compile, docs/log/graph.md)
products   the products of a batch above which a loop in machine code calls their kernel, in place of a step for each:
           making such a loop takes 0.8 ms, as long as some 600 calls (runtime/ops/calls.py)
kept       the numbers of rows whose programs are kept: as many lengths as a server meets, at some 100 KB of code each
power      the largest exponent that becomes multiplications: seven of them, of which each rounds once
"""

from ...encoder.records import NamedTuple


class ProgramTuning(NamedTuple):
    """See above."""

    spread: int
    products: int
    power: int
    kept: int


PROGRAMS = ProgramTuning(spread=16_384, products=64, power=64, kept=64)
