"""Several processes write one cache and are killed at random: no kernel is wrong and no temporary file remains."""

import pytest

from tests.guard import run_forked
from tests.profiles import scaled
from tests.runtime.cache.race import race
from tilesmith.runtime.host import detect as host

pytestmark = [pytest.mark.seconds, pytest.mark.skipif(bool(host.runs(host.host())), reason="kernels run nowhere here")]


def test_processes_that_are_killed_leave_whole_entries(place):
    size = (scaled(3, 8), scaled(20, 1000), scaled(5, 100))
    assert run_forked(lambda: race(str(place), *size), timeout=0) == 0
