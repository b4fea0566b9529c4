"""Constants that a job packs once, before the first call: weights in panels."""

from __future__ import annotations

from ...encoder.records import NamedTuple
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, address_of
from ..loops.job import Job
from ..loops.scratch import buffer


class PackingJob(NamedTuple):
    """A job that packs an array into so many bytes. Its table has the addresses of both, and of `own` bytes of scratch
    memory. The job depends on how the array lies, not on its elements."""

    job: Job
    bytes: int
    own: int

    def panels(self, array: Array) -> Array:
        """Return the packed array, read-only bytes that begin at a line. Raises UnsupportedError if this machine does
        not run the job."""
        made = bytes_at_a_line(self.bytes, zero=True)
        words = address_of(array), address_of(made)
        if self.own:
            with buffer(self.own) as memory:
                self.job.run((*words, memory.address), 1)
        else:
            self.job.run((*words, 0), 1)
        made.setflags(write=False)
        return made
