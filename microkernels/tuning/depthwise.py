"""Constants for planning depthwise convolutions."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class DepthwiseTuning:
    """Default values; those without a measurement are estimates.

    most_rows           rows of results of a block
    most_instructions   instructions of the blocks of a kernel, about 40 KiB of code. More are read from L2 each time,
                        and take longer to make than a copy of the image with its rims takes
    l1_share            the part of L1 that the rows of x of a block may take, if the next block is to find them there
    line_cycles         cycles of a cache line that comes from L2
    alike               estimates up to this factor of the least are equal: the block with the least code is taken. On
                        an Emerald Rapids, MobileNet's shapes that exceed L2 take 0.83 to 0.93 of the time of the block
                        with the least estimate so, since the loads of the next block begin sooner
    converted_load      instructions of a load that converts
    loop_instructions   instructions of a loop over blocks: pointers, counter, branch
    parts               the most bands of rows of all images: enough for the cores of one machine
    part_bytes          the least bytes of an image and its result per band, if it has more than one
    halo                rows of results of a band for each row of x that the next band reads again
    conflict_bytes      weights and pixels a multiple of so many bytes apart share few sets of L1
    """

    most_rows: int = 4
    most_instructions: int = 6000
    l1_share: float = 0.5
    line_cycles: float = 2.0
    alike: float = 1.1
    converted_load: int = 3
    loop_instructions: int = 8
    parts: int = 64
    part_bytes: int = 64 << 10
    halo: int = 4
    conflict_bytes: int = 1024
