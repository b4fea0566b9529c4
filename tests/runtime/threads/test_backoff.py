"""Callers run alone for a while after joins that came later than one thread would have finished, or without help."""

import time

import pytest

from tests.runtime.threads import jobs
from tests.runtime.threads.jobs import CELLS, NEVER
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.threads import barrier, pool
from tilesmith.runtime.threads.layout import (
    BACKOFF,
    HOPE,
    LATE_JOINS,
    LATENESS,
    LEAST_BACKOFF,
    MOST_BACKOFF,
    PROMPT,
    UNTIL,
)

LEAST, MOST = 10.0, 30.0  # seconds, more than a test takes
ALWAYS = -NEVER
LONG = 5_000_000
"""Multiplications that take several milliseconds."""


@pytest.fixture
def slow_region():
    """Return a region that backs off for long, and only after late joins, and a function of its current backoff."""
    if pool.refusal():
        pytest.skip(pool.refusal())
    region = jobs.Region()
    places = [place // 8 for place in (LATENESS, LEAST_BACKOFF, MOST_BACKOFF, HOPE, PROMPT)]
    before = [region.settings[place] for place in places]
    second = before[1] / pool.LEAST_BACKOFF
    for place, value in zip(places, (ALWAYS, LEAST * second, MOST * second, NEVER)):
        region.settings[place] = int(value)
    region.state[BACKOFF // 8] = 0
    yield region, lambda: region.state[BACKOFF // 8] / second
    region.state[BACKOFF // 8] = 0
    for place, value in zip(places, before):
        region.settings[place] = value


def late(v):
    """Emit a job whose part 0 ends when part 1 has begun, and whose part 1 runs argument[2 * CELLS] multiplications."""
    m = v.m
    argument, worker, workers = m.arguments[:3]
    top, done, other = (m.asm.label() for _ in range(3))
    m.begin("job")
    m.move(ScalarMemory(argument, 8 * CELLS), workers)
    m.branch(workers, "==", 1, done)
    m.branch(worker, "!=", 0, other)
    m.asm.bind(top)
    m.branch(ScalarMemory(argument), "==", 0, top)
    m.ret()
    m.asm.bind(other)
    m.increment(ScalarMemory(argument))
    m.move(m.y, ScalarMemory(argument, 8 * 2 * CELLS))
    with m.loop(m.y):
        m.multiply(m.x, m.x)
    m.asm.bind(done)
    m.ret()


def workers_in(region, job, length=1):
    """Return the number of workers of a region that asks for two."""
    argument = jobs.cells()
    argument[2 * CELLS] = length
    region(job, argument, 2)
    return int(argument[CELLS])


def be_late(region, job):
    """Run regions until a caller has waited for its worker."""
    before = region.state[LATE_JOINS // 8]
    for _ in range(100):
        assert workers_in(region, job, LONG) == 2
        if region.state[LATE_JOINS // 8] > before:
            return
    raise AssertionError("no region of a hundred was late")


def test_late_joins(slow_region):
    region, backoff = slow_region
    job = jobs.placed(late)
    for seconds in (LEAST, 2 * LEAST, MOST, MOST):
        be_late(region, job)
        assert backoff() == pytest.approx(seconds, rel=1e-3)
        assert workers_in(region, job) == 1
        region.state[UNTIL // 8] = 0  # as if the time had passed
    assert workers_in(region, job) == 2


def late_at_barrier(meet, state):
    """Emit a job whose part 1 is long, after which all parts meet at a barrier."""

    def emit(v):
        m = v.m
        argument, worker, workers = m.arguments[:3]
        done, short = m.asm.label(), m.asm.label()
        m.begin("job")
        m.open(0, ())
        m.move(ScalarMemory(argument, 8 * CELLS), workers)
        m.branch(workers, "==", 1, done)
        m.branch(worker, "==", 0, short)
        m.move(m.x, ScalarMemory(argument, 8 * 2 * CELLS))
        with m.loop(m.x):
            m.multiply(m.arguments[2], m.arguments[2])
        m.asm.bind(short)
        m.move(m.arguments[0], state)
        m.call(meet)
        m.asm.bind(done)
        m.close()
        m.ret()

    return emit


def test_waiting_in_barriers_counts(slow_region):
    """The waiting time in a barrier counts, although the join itself finds all workers done."""
    region, backoff = slow_region
    region.settings[LATENESS // 8] = region.settings[LEAST_BACKOFF // 8] // int(LEAST / 0.001)
    be_late(region, jobs.placed(late_at_barrier(*barrier.barrier(host()))))
    assert backoff() == pytest.approx(LEAST, rel=1e-3)


def test_long_stops_count_more(slow_region):
    """After a region that lost milliseconds, callers run alone for at least eight times as long."""
    region, backoff = slow_region
    millisecond = region.settings[LEAST_BACKOFF // 8] // int(LEAST / 0.001)
    region.settings[LATENESS // 8], region.settings[LEAST_BACKOFF // 8] = millisecond, 1
    be_late(region, jobs.placed(late))
    assert 0.008 <= backoff() <= MOST


def test_good_joins_end_it(slow_region):
    """A join in time halves the backoff, down to zero."""
    region, backoff = slow_region
    job = jobs.placed(late)
    be_late(region, job)
    region.state[UNTIL // 8] = 0
    region.settings[LATENESS // 8] = NEVER
    region.settings[LEAST_BACKOFF // 8] //= 1 << 12
    region.state[BACKOFF // 8] //= 1 << 10
    seen = [backoff()]
    end = time.monotonic() + 20
    while backoff():
        assert workers_in(region, job, LONG // 10) == 2
        assert time.monotonic() < end
        seen.append(backoff())
    assert sorted({round(each / seen[0], 3) for each in seen}) == [0, 0.25, 0.5, 1]


def test_help_that_never_comes(slow_region):
    """The caller backs off if it always finishes before the other worker has woken."""
    region, backoff = slow_region
    region.settings[HOPE // 8] = region.settings[PROMPT // 8] = 0
    count = jobs.placed(jobs.count)
    for _ in range(200):
        argument = jobs.cells()
        region(count, argument, 2)
        if backoff():
            break
        time.sleep(0.002)
    assert backoff()
    argument = jobs.cells()
    region(count, argument, 2)
    assert argument[0] == 1 and argument[1] == 0
