"""A simulation of training steps on many machines: measured compute, and Hockney's model of messages.

A message of n bytes takes alpha + n / beta seconds. Collectives are sequences of messages: an allreduce is a ring, or
recursive halving and doubling where that is faster (R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective
Communication Operations in MPICH, 2005), an alltoall is pairwise. A step computes its forward pass, then its gradients
from the last layer to the first; each bucket of gradients is summed as soon as it is there and the one before is sent.
Exchanges of embedding rows are not hidden.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....encoder.records import NamedTuple


class Link(NamedTuple):
    """A network: seconds of a message without bytes, and bytes per second."""

    alpha: float
    beta: float

    def allreduce(self, size: float, processes: int) -> float:
        """Return the seconds in which processes sum `size` bytes each."""
        if processes == 1:
            return 0.0
        moved = 2 * (processes - 1) / processes * size / self.beta
        return min(2 * (processes - 1), 2 * math.ceil(math.log2(processes))) * self.alpha + moved

    def alltoall(self, size: float, processes: int) -> float:
        """Return the seconds in which processes exchange `size` bytes each."""
        return (processes - 1) * (self.alpha + size / processes / self.beta)


LINKS = {
    "10 Gb Ethernet": Link(20e-6, 1.25e9),
    "100 Gb": Link(2e-6, 12.5e9),
    "HDR 200": Link(1.5e-6, 25e9),
}
"""Networks of clusters: latency and bandwidth of one port, as their vendors state them."""


class TrainingStep(NamedTuple):
    """What a process does in a step: seconds of the forward pass and of the gradients; bytes of each bucket of
    gradients, in the order in which they are finished, of pooled rows, and of indices."""

    forward: float
    backward: float
    buckets: tuple[float, ...]
    rows: float = 0.0
    indices: float = 0.0

    @property
    def compute(self) -> float:
        """The seconds of a step of one process."""
        return self.forward + self.backward

    def seconds(self, link: Link, processes: int, overlap: bool = True) -> float:
        """Return the simulated seconds of a step on several processes. overlap: whether messages cost the processes no
        time of their own; on one machine, whose processors copy the messages, they do."""
        exchanges = [0.0, self.indices, self.rows, self.rows] if self.rows else []  # the first has the sizes of others
        begin, sent = self.forward, 0.0
        for number, size in enumerate(self.buckets, 1):
            ready = begin + self.backward * number / len(self.buckets)
            sent = max(sent, ready) + link.allreduce(size, processes)
        gradients = sum(link.allreduce(size, processes) for size in self.buckets)
        ends = max(self.compute, sent) if overlap else self.compute + gradients
        return ends + sum(link.alltoall(size, processes) for size in exchanges)

    def efficiency(self, link: Link, processes: int) -> float:
        """Return the part of the speed of as many single processes, each of which has as many samples."""
        return self.compute / self.seconds(link, processes)


def fitted(sizes: Sequence[float], seconds: Sequence[float], messages: int, share: float) -> Link:
    """Return the link whose collective of `messages` messages that move `share` of the bytes takes these seconds, by
    least squares of relative errors."""
    rows = [(messages / time, share * size / time) for size, time in zip(sizes, seconds, strict=True)]
    aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = sum(row[0] for row in rows), sum(row[1] for row in rows)
    determinant = aa * bb - ab * ab
    alpha, inverse = (a * bb - b * ab) / determinant, (aa * b - ab * a) / determinant
    return Link(max(alpha, 0.0), 1 / max(inverse, 1e-15))
