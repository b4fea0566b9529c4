"""Measure the cost of a parallel region: `python -m tests.bench.regions`.

Machine code calls regions in a loop, so that Python is not measured. Each part of a job is a chain of dependent
multiplications of known length. Cold: the workers sleep before each region. Busy: another process computes all the time
on one of our processors; samples of regions and of one thread alternate. Claimed: regions of 16 parts that workers take
one after the other.
"""

import itertools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import tilesmith as ts
from tests.runtime.threads.jobs import Region
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main
from tilesmith.runtime.memory.executable import ExecutableBlock, publish
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.native import scalar_machine
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads import barrier, region

SAMPLES = 300
MULTIPLICATIONS_PER_US = 900  # approximate; the time of a part is measured


def job(barriers: bool) -> ExecutableBlock:
    """Return a job: a chain of argument[0] multiplications in each worker, or of argument[1] if there is only one. With
    barriers there are four chains of a quarter of the length, each followed by a barrier."""
    m = scalar_machine()
    argument, _, workers = m.arguments[:3]
    given, all_, count, left = m.kept[:4]
    top, done, one, alone = (m.asm.label() for _ in range(4))
    meet, state = barrier.barrier(ts.host())
    m.begin("job")
    m.open(0, m.kept[:4])
    m.move(given, argument)
    m.move(all_, workers)
    m.move(left, 4 if barriers else 1)
    m.asm.bind(top)
    m.move(count, ScalarMemory(given, 8))
    m.branch(all_, "==", 1, one)
    m.move(count, ScalarMemory(given))
    m.asm.bind(one)
    m.shift_right(count, 2 if barriers else 0)
    m.branch(count, "==", 0, done)
    m.move(m.x, 3)
    with m.loop(count):
        m.multiply(m.x, m.x)
    m.asm.bind(done)
    if barriers:
        m.branch(all_, "==", 1, alone)
        m.move(m.arguments[0], state)
        m.call(meet)
        m.asm.bind(alone)
    m.subtract(left, 1)
    m.branch(left, "!=", 0, top)
    m.close()
    m.ret()
    return publish(m.asm.finish("job").data)


def repeated() -> ExecutableBlock:
    """Return the code of void repeated(function, job, argument, workers, times, parts), which calls in a loop."""
    m = scalar_machine()
    function, job_, argument, workers, times = m.kept
    m.begin("repeated")
    m.open(1, m.kept)
    m.move(m.slot(0), m.arguments[5])
    for register, given in zip(m.kept, m.arguments[:5]):
        m.move(register, given)
    with m.loop(times):
        m.move(m.arguments[3], m.slot(0))
        for given, register in zip(m.arguments, (job_, argument, workers)):
            m.move(given, register)
        m.call(function)
    m.close()
    m.ret()
    return publish(m.asm.finish("repeated").data)


class Regions:
    """Times regions with parts of a given length: `parts` parts that are claimed, or if 0 one part per worker."""

    def __init__(self, barriers: bool = False, parts: int = 0) -> None:
        self.parts, self.region = parts, region.entry(ts.host(), region.CLAIMS if parts else "region")
        self.job, self.loop = job(barriers), repeated()
        self.argument = ffi.new("int64_t[2]")
        self.call = ffi.cast("void(*)(uintptr_t, uintptr_t, void *, int64_t, int64_t, int64_t)", self.loop.address)

    def seconds(self, work: int, workers: int, times: int) -> float:
        """Return the seconds of one region with `work` multiplications in all."""
        self.argument[0], self.argument[1] = work // (self.parts or workers), work
        start = time.perf_counter()
        self.call(self.region, self.job.address, self.argument, workers, times, self.parts)
        return (time.perf_counter() - start) / times


def warm(run: Run, us: float) -> Row:
    """Return a region of some length, with the work divided among workers, beside the same work on one thread."""
    regions, workers = Regions(), run.options.workers
    work, times = int(us * MULTIPLICATIONS_PER_US), max(5, int(5e-4 / max(us * 1e-6, 2e-7)))
    with Region().never_backing_off():  # other programs must not change what is measured
        samples = [[regions.seconds(work, n, times) for n in (1, workers)] for _ in range(SAMPLES)]
    one, all_ = (min(times) for times in zip(*samples))
    return {"work": us, "one": one, "all": all_, "times": one / all_, "overhead": all_ - one / workers}


def cold(run: Run, parts: int, us: int) -> Row:
    """Return regions whose workers sleep: with nothing to do, and with parts too long to be taken back."""
    regions, workers, found = Regions(parts=parts), run.options.workers, []
    work = workers * us * MULTIPLICATIONS_PER_US
    with Region().never_backing_off():
        part = min(regions.seconds(work // workers, 1, 20) for _ in range(15))
        for _ in range(100):
            time.sleep(0.002)
            found.append(regions.seconds(work, workers, 1) - part)
    return {"parts": "claimed" if parts else "one each", "work": us, "least": min(found),
            "median": statistics.median(found)}


def busy(run: Run) -> Iterator[Row]:
    """Yield the same work on one thread and on all, while another process runs on one of the processors."""
    regions = {"": Regions(), "claimed": Regions(parts=16), "four barriers": Regions(barriers=True)}
    workers, other = run.options.workers, subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.3)
        for (name, r), us in itertools.product(regions.items(), (10, 100, 1000)):
            work, times = us * MULTIPLICATIONS_PER_US, max(1, int(20e-3 / (us * 1e-6)))
            found, control = ([r.seconds(work, 1, times) / r.seconds(work, n, times) for _ in range(20)]
                              for n in (workers, 1))
            yield {"parts": name, "work": us, "median": statistics.median(found),
                   "range": f"{min(found):.2f} to {max(found):.2f}",
                   "control": f"{min(control):.2f} to {max(control):.2f}"}
    finally:
        other.kill()
        other.wait()


BENCH = Bench("regions", __doc__, (
    Table("warm", "work, us=work; 1 thread, us=one:3u; all=all:3u; speed-up=times:2; overhead, us=overhead:3u",
          (0, 0.2, 0.5, 1, 2, 5, 10, 50, 200), warm),
    Table("cold", "parts; us for each worker=work; us beyond that=least:1u; median=median:1u",
          [(parts, us) for parts in (0, 16) for us in (0, 200)], cold, "workers asleep"),
    Table("busy", "parts; work, us=work; of one thread, median=median:2; range; one with itself=control", ((),), busy,
          "another process on one of the processors")),
    {"--workers": {"type": int, "default": len(os.sched_getaffinity(0))}}, alone=False)

if __name__ == "__main__":
    main(BENCH)
