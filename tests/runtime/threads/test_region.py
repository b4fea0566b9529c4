"""Regions run every part once and return when all are done, whichever workers run them and whatever interrupts them."""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests import profiles
from tests.guard import run_forked
from tests.runtime.threads import jobs
from tests.runtime.threads.jobs import CELLS
from tests.threads import together
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.threads import barrier
from tilesmith.runtime.threads import region as region_
from tilesmith.runtime.threads.layout import MOST, TAKEN_BACK
from tilesmith.runtime.threads.pool import GUARD, STACK

COUNTS = 2, 3, 7


def parts(argument, part=0):
    return argument[part * CELLS : (part + 1) * CELLS].tolist()


def of(count, value):
    """Return the cells that `count` workers leave if each does something `value` times."""
    return [value] * count + [0] * (CELLS - count)


@pytest.fixture(scope="module")
def count():
    return jobs.placed(jobs.count)


def test_every_worker_is_called_once(region, count):
    for workers in (1, 2, 3, 7, 64, 5):
        argument = jobs.cells()
        for times in range(1, 4):
            region(count, argument, workers)
            assert parts(argument) == of(workers, times)
        assert parts(argument, 1) == of(workers, workers)


@pytest.mark.parametrize("workers", (-1, 0, 1, MOST + 1))
def test_numbers_that_no_pool_has_are_one_worker(region, count, workers):
    argument = jobs.cells()
    region(count, argument, workers)
    assert parts(argument) == of(1, 1) and parts(argument, 1) == of(1, 1)


def test_many_regions(region, count):
    """A loop in machine code calls regions, as a nest does."""

    def repeat(v):
        m = v.m
        argument, left = m.kept[:2]
        m.begin("repeat")
        m.open(0, m.kept[:2])
        m.move(argument, m.arguments[0])
        m.move(left, ScalarMemory(argument, 8 * 2 * CELLS))
        with m.loop(left):
            m.move(m.arguments[0], count)
            m.move(m.arguments[1], argument)
            m.move(m.arguments[2], ScalarMemory(argument, 8 * (2 * CELLS + 1)))
            m.call(region.pool.region)
        m.close()
        m.ret()

    repeated = jobs.placed(repeat)
    for workers in (2, 3):
        argument = jobs.cells()
        argument[2 * CELLS], argument[2 * CELLS + 1] = profiles.scaled(10_000, 1_000_000), workers
        region(repeated, argument, 1)
        assert parts(argument) == of(workers, argument[2 * CELLS])


@pytest.mark.parametrize("workers", COUNTS)
def test_barriers(region, workers):
    """No worker is a round ahead or behind."""
    rounds = profiles.scaled(200, 20_000)
    meet = jobs.placed(jobs.meet(*barrier.barrier(host()), rounds))
    argument = jobs.cells()
    for times in range(1, 4):
        argument[:] = 0
        region(meet, argument, workers)
        assert parts(argument) == of(workers, rounds), times
        assert argument[CELLS] == 0


def test_nested_regions_run_alone(region, count):
    inner = jobs.placed(jobs.nested(region.pool.region, count, 3))
    argument = jobs.cells()
    region(inner, argument, 2)
    assert parts(argument, 2) == of(2, 1)
    assert argument[0] == 2 and parts(argument)[1:] == of(0, 0)[1:]
    assert parts(argument, 1) == of(1, 1)


def test_a_second_caller_runs_alone(region, count):
    hold, held, argument = jobs.placed(jobs.hold), jobs.cells(), jobs.cells()
    first = threading.Thread(target=region, args=(hold, held, 2))
    first.start()
    try:
        until(lambda: held[0] and held[1])
        region(count, argument, 3)
        assert parts(argument) == of(1, 1) and parts(argument, 1) == of(1, 1)
    finally:
        held[CELLS - 1] = 1
        first.join()
    assert parts(held)[:-1] == of(2, 1)[:-1]
    region(count, argument, 3)
    assert parts(argument)[:3] == [2, 1, 1]


def test_two_python_threads_at_once(region, count):
    """Each region runs with all its workers or alone, while the requested number changes from call to call."""

    def work(seed):
        argument = jobs.cells()
        for i in range(300):
            workers = (2, 3, 7, 2)[(i + seed) % 4]
            argument[:] = 0
            region(count, argument, workers)
            assert parts(argument) in (of(1, 1), of(workers, 1))

    together(*(lambda seed=seed: work(seed) for seed in range(3)))


def test_parts_that_no_worker_began_are_taken_back(region, count):
    """A caller that finishes before its workers wake takes their parts back instead of waiting."""
    region(count, jobs.cells(), 2)
    argument, before = jobs.cells(), region.state[TAKEN_BACK // 8]
    for times in range(1, 100):
        time.sleep(0.002)
        region(count, argument, 2)
        assert parts(argument) == of(2, times)
        if region.state[TAKEN_BACK // 8] > before:
            return
    raise AssertionError("the caller has waited for a worker each time")


def test_floating_point_control_and_stacks(region):
    """Workers have the floating-point control of their caller, and stacks of their own above inaccessible pages."""
    found, job = jobs.cells(), jobs.placed(jobs.hold_with_control)
    threading.Timer(0.05, lambda: found.__setitem__(CELLS - 1, 1)).start()
    control = jobs.placed(_with_other_rounding(region.pool.region, job))
    region(control, found, 1)
    assert found[CELLS] == found[CELLS + 1] == found[CELLS + 2]
    assert found[CELLS] & 0x6000 == 0x4000 or host().arch != "x86"
    maps = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    spans = [(*(int(end, 16) for end in words[0].split("-")), words[1]) for words in maps]
    for stack in found[1:3]:
        at = next(i for i, (start, end, _) in enumerate(spans) if start <= stack < end)
        assert spans[at][2] == "rw-p" and spans[at - 1][2] == "---p"
        assert spans[at - 1][1] == spans[at][0] and spans[at - 1][1] - spans[at - 1][0] >= GUARD
        assert stack - spans[at][0] > STACK * 9 // 10


def _with_other_rounding(region, job):
    """Emit a caller of three workers that sets rounding towards plus infinity."""

    def emit(v):
        m = v.m
        m.begin("caller")
        m.open(2, ())
        v.save_control(m.slot(0))
        m.move(m.x, m.slot(0))
        m.move(m.slot(1), m.x)
        if host().arch == "x86":
            m.bits_or(m.x, 0x4000)
            m.move(m.slot(1), m.x)
        v.load_control(m.slot(1))
        m.move(m.arguments[1], m.arguments[0])
        m.move(m.arguments[0], job)
        m.move(m.arguments[2], 3)
        m.call(region)
        v.load_control(m.slot(0))
        m.close()
        m.ret()

    return emit


def workers_of(name="tilesmith"):
    """Return the threads of the pool, as Linux lists them."""
    return [task for task in Path("/proc/self/task").iterdir() if _comm(task) == name]


def _comm(task):
    try:
        return (task / "comm").read_text().strip()
    except OSError:  # the thread has ended
        return ""


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.0005)


def test_workers_have_names_and_take_no_signals(region, count):
    region(count, jobs.cells(), 3)
    until(lambda: len(workers_of()) >= 2)
    for task in workers_of():
        line = next(line for line in (task / "status").read_text().splitlines() if line.startswith("SigBlk"))
        blocked = {number + 1 for number in range(64) if int(line.split()[1], 16) >> number & 1}
        assert {signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGPROF, signal.SIGCHLD} <= blocked
        assert not {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, 33} & blocked


def test_workers_wake_elsewhere(region, count):
    """A worker that slept may run on every processor of its caller except the one that the caller was on."""
    mine = os.sched_getaffinity(0)
    if len(mine) == 1:
        pytest.skip("there is one processor")
    region.end()
    until(lambda: not workers_of())
    region(count, jobs.cells(), 2)
    for _ in range(100):
        time.sleep(0.002)
        region(count, jobs.cells(), 2)
        allowed = [os.sched_getaffinity(int(task.name)) for task in workers_of()]
        if all(len(each) == len(mine) - 1 and each < mine for each in allowed):
            return
    raise AssertionError(f"workers may run on {allowed}, their caller on {mine}")


def test_idle_workers_use_no_processor(region, count):
    """Workers use no processor soon after a region; Linux counts nanoseconds."""
    region(count, jobs.cells(), 7)
    for _ in range(20):  # until deferred work of the system is done
        time.sleep(0.005)
        before = {task: (task / "schedstat").read_text().split()[0] for task in workers_of()}
        time.sleep(0.05)
        if before == {task: (task / "schedstat").read_text().split()[0] for task in workers_of()}:
            return
    raise AssertionError("workers run while nobody needs them")


def test_signals_interrupt_no_region(region, count):
    """Python's signal handlers run after the region, and so does what they raise; the next region is right."""
    argument = jobs.cells()
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1) or 1 / 0)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        with pytest.raises(ZeroDivisionError):
            while True:
                argument[:] = 0
                region(count, argument, 3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen
    argument[:] = 0
    region(count, argument, 3)
    assert parts(argument) == of(3, 1)


def test_a_child_of_a_fork_makes_its_own_workers(region, count):
    """The parent forks while its pool runs a region in another thread; the child has no worker and starts its own."""
    hold, held = jobs.placed(jobs.hold), jobs.cells()
    other = threading.Thread(target=region, args=(hold, held, 3))
    other.start()

    def child():
        assert not workers_of()
        for _ in range(3):
            argument = jobs.cells()
            region(count, argument, 3)
            assert parts(argument) == of(3, 1)
        until(lambda: len(workers_of()) == 2)
        os._exit(0)

    try:
        until(lambda: held[:3].all())
        assert run_forked(child) == 0
    finally:
        held[CELLS - 1] = 1
        other.join()
    assert parts(held)[:3] == [1, 1, 1]


def test_threads_end_and_come_back(region, count):
    """As at the interpreter's exit, the threads end; later regions start new ones."""
    region(count, jobs.cells(), 7)
    region.end()
    until(lambda: not workers_of())
    for workers in (3, 2, 7):
        argument = jobs.cells()
        region(count, argument, workers)
        region.end()
        region(count, argument, workers)
        assert parts(argument) == of(workers, 2)


def test_code_of_another_architecture_has_no_region():
    with pytest.raises(UnsupportedError, match="call the job itself"):
        region_.entry(replace(host(), arch="none"))
