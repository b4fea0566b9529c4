"""Callers, barriers, nested regions, ends of the pool, forks and changing numbers of workers, all at once."""

import os
import random
import threading
import time

from tests import profiles
from tests.guard import run_forked
from tests.runtime.threads import jobs
from tests.runtime.threads.jobs import CELLS
from tests.threads import together
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.threads import barrier

ROUNDS = 20


def caller(region, works, seed, go_on):
    """Run regions of random kinds while `go_on()` is true: each runs on all its workers or alone."""
    rng = random.Random(seed)
    count, meet, nested = works
    while go_on():
        argument, workers, job = jobs.cells(), rng.choice((1, 2, 2, 3, 5)), rng.choice((count, meet, nested))
        region(job, argument, workers)
        counts = (argument[2 * CELLS :] if job == nested else argument[:CELLS]).tolist()
        each = ROUNDS if job == meet else 1
        assert counts in ([each] * some + [0] * (CELLS - some) for some in (1, workers))
        assert job != meet or argument[CELLS] == 0


def test_all_at_once(region):
    count = jobs.placed(jobs.count)
    works = (
        count,
        jobs.placed(jobs.meet(*barrier.barrier(host()), ROUNDS)),
        jobs.placed(jobs.nested(region.pool.region, count, 2)),
    )
    stop = threading.Event()

    def ends_and_forks():
        end = time.monotonic() + profiles.scaled(40, 6000) / 100
        try:
            while time.monotonic() < end:
                region.end()
                time.sleep(0.002)
                assert run_forked(lambda: child(region, works)) == 0
        finally:
            stop.set()

    together(
        ends_and_forks, *(lambda seed=seed: caller(region, works, seed, lambda: not stop.is_set()) for seed in range(3))
    )


def child(region, works):
    """Run a few regions in a forked child."""
    left = list(range(5))
    caller(region, works, 7, lambda: left and (left.pop(), True))
    os._exit(0)
