"""Several processes write one cache and are killed at random: no kernel is wrong and no temporary file remains."""

import pytest

from tests.guard import run_forked
from tests.profiles import is_soak
from tests.runtime.cache.race import race
from tilesmith.runtime.host import detect as host

pytestmark = [pytest.mark.seconds, pytest.mark.skipif(bool(host.runs(host.host())), reason="kernels run nowhere here")]


def test_processes_that_are_killed_leave_whole_entries(place):
    size = (8, 1000, 100) if is_soak() else (3, 20, 5)
    assert run_forked(lambda: race(str(place), *size), timeout=0) == 0
