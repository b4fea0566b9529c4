"""Parts and numbers that workers claim: each is run once by some worker, and a late one does not delay the others."""

import pytest

from tests.runtime.threads import jobs
from tests.runtime.threads.jobs import CELLS
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads.layout import BARRIER, MOST, NEXT, PARTS


@pytest.fixture
def claims(region):
    call = ffi.cast("void(*)(uintptr_t, uintptr_t, int64_t, int64_t)", region.pool.claims)

    def run(job, argument, workers, parts):
        call(job, argument.__array_interface__["data"][0], workers, parts)

    return run


@pytest.fixture(scope="module")
def count():
    return jobs.placed(jobs.count)


@pytest.mark.parametrize("workers", (2, 3, 7))
def test_every_part_is_run_once(region, claims, count, workers):
    """Regions with claimed and with fixed parts alternate: a worker finds out anew which kind it runs."""
    for parts in (7, 8, 21, CELLS, 9):
        argument = jobs.cells()
        for times in range(1, 4):
            claims(count, argument, workers, parts)
            assert argument[:CELLS].tolist() == [times] * parts + [0] * (CELLS - parts)
            assert argument[CELLS : CELLS + parts].tolist() == [parts] * parts
            region(count, argument, workers)
            argument[:workers] -= 1
            argument[CELLS : CELLS + workers] = parts
    assert region.state[NEXT // 8] == 0 == region.state[PARTS // 8]


@pytest.mark.parametrize("workers", (1, 2, 7))
def test_every_number_is_given_once(region, workers):
    """Numbers that a job claims for itself begin at 0 in each region."""
    numbered, argument = jobs.placed(jobs.numbered(region.pool.claim, region.pool.state + BARRIER)), jobs.cells()
    for times in range(1, 9):
        region(numbered, argument, workers)
        assert argument[:CELLS].tolist() == [times] * (CELLS - 1) + [0]


@pytest.mark.parametrize("workers", (-1, 0, 1, MOST + 1))
def test_one_worker_has_one_part(claims, count, workers):
    argument = jobs.cells()
    claims(count, argument, workers, 9)
    assert argument[:2].tolist() == [1, 0] and argument[CELLS] == 1


def test_in_a_region_it_runs_alone(region, claims, count):
    """Inside a region the pool is taken, so a nested region runs all parts alone."""
    inner = jobs.placed(jobs.nested(region.pool.region, count, 3))
    argument = jobs.cells()
    claims(inner, argument, 2, 5)
    assert argument[2 * CELLS : 2 * CELLS + 6].tolist() == [1] * 5 + [0]
    assert argument[0] == 5


def test_a_part_that_is_held_up_holds_up_no_other(region, claims):
    """Part 0 waits for a word that the last part sets, so another worker must run all parts between."""

    def until_the_last(v):
        m = v.m
        argument, part, parts = m.arguments[:3]
        m.begin("job")
        last, top, done = (m.asm.label() for _ in range(3))
        m.address(m.x, argument, part, 8)
        m.increment(ScalarMemory(m.x))
        m.add(part, 1)
        m.branch(part, "==", parts, last)
        m.branch(part, "!=", 1, done)
        m.asm.bind(top)
        m.branch(ScalarMemory(argument, 8 * (CELLS - 1)), "==", 0, top)
        m.jump(done)
        m.asm.bind(last)
        m.increment(ScalarMemory(argument, 8 * (CELLS - 1)))
        m.asm.bind(done)
        m.ret()

    argument = jobs.cells()
    claims(jobs.placed(until_the_last), argument, 2, 30)
    assert argument[:30].tolist() == [1] * 30 and argument[CELLS - 1] == 1
