"""The region of this process, in which workers are used however late they are."""

import pytest

from tests.runtime.threads.jobs import Region
from tilesmith.runtime.threads import pool


@pytest.fixture
def region():
    if pool.refusal():
        pytest.skip(pool.refusal())
    with Region().never_backing_off() as region:
        yield region
