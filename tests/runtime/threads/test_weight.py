"""Light regions run on their caller, unless workers are awake or a loop of regions makes waking them worthwhile."""

import time

import pytest

from tests.runtime.threads import jobs
from tests.runtime.threads.jobs import CELLS, NEVER
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads.layout import (
    ASLEEP,
    FIRST,
    IDLE,
    LEAST_WORK,
    LIGHT,
    LIGHT_AT,
    LINE,
    MAIL,
    PATIENCE,
    SPIN,
    WORTH_WAKING,
)

LEAST, WORTH = 100, 1000
"""Cycles, as the tests tell the region."""


@pytest.fixture
def weighed(region):
    """Return run(cycles, workers), which returns a region's number of workers; pauses between regions do not count."""
    places = [place // 8 for place in (LEAST_WORK, WORTH_WAKING)]
    before = [region.settings[place] for place in places]
    region.settings[places[0]], region.settings[places[1]] = LEAST, WORTH
    region.state[LIGHT // 8] = 0
    call = ffi.cast("void(*)(uintptr_t, uintptr_t, int64_t, int64_t)", region.pool.weighed)
    count = jobs.placed(jobs.count)

    def run(cycles, workers=2):
        argument = jobs.cells()
        call(count, argument.__array_interface__["data"][0], workers, cycles)
        found = int(argument[CELLS])
        assert argument[:workers].tolist() == [1] * found + [0] * (workers - found)
        return found

    yield run
    for place, value in zip(places, before):
        region.settings[place] = value


def mail(worker):
    return (FIRST + (worker - 1) * LINE + MAIL) // 8


def fall_asleep(region, workers):
    end = time.monotonic() + 20
    while any(region.state[mail(worker)] != ASLEEP for worker in range(1, workers)):
        assert time.monotonic() < end
        time.sleep(0.001)


def test_light_ones_never_leave_their_caller(region, weighed):
    """Light regions run alone even if workers are awake; heavy ones always have workers, and wake sleeping ones."""
    assert weighed(WORTH, 3) == 3
    fall_asleep(region, 3)
    assert [weighed(each, 3) for each in (WORTH, LEAST - 1, 0, -1)] == [3, 1, 1, 1]
    fall_asleep(region, 3)
    assert weighed(WORTH - 1, 3) == 1
    assert weighed(WORTH, 1) == 1


def test_workers_that_spin_take_light_ones(region, weighed):
    """The caller reads the state of its workers, and runs alone if one of them sleeps."""
    assert weighed(WORTH, 3) == 3
    fall_asleep(region, 3)
    region.state[mail(1)] = IDLE  # as if the caller had taken its part back
    assert weighed(LEAST, 2) == 2 and weighed(LEAST, 3) == 1
    region.state[mail(1)] = ASLEEP


def test_a_loop_of_light_ones_wakes_workers(region, weighed):
    """The region that makes the loop heavy enough wakes the workers; after a pause longer than a spin the count
    restarts.
    """
    patient = region.settings[SPIN // 8]
    region.settings[SPIN // 8] = NEVER  # all regions count as adjacent, and workers do not fall asleep
    assert weighed(WORTH) == 2
    region.state[PATIENCE // 8] = 0
    fall_asleep(region, 2)
    assert [weighed(LEAST * 3) for _ in range(4)] == [1, 1, 1, 2]
    assert weighed(LEAST) == 2, "they are awake"
    region.settings[SPIN // 8] = patient
    region.state[PATIENCE // 8] = 0
    fall_asleep(region, 2)
    for _ in range(5):
        region.state[LIGHT_AT // 8] -= NEVER // 2
        assert weighed(LEAST * 3) == 1
    assert region.state[LIGHT // 8] == LEAST * 3
