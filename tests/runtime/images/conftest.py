"""Spread all regions of these tests over threads, so that threads compute small products too."""

from collections.abc import Iterator

import pytest

from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads import layout, pool


@pytest.fixture(autouse=True)
def nothing_is_light() -> Iterator[None]:
    """Set the thresholds of `weighed` regions to 0 during the test."""
    if pool.refusal():
        yield
        return
    settings = ffi.cast("int64_t *", pool.pool().settings)
    places = [place // 8 for place in (layout.LEAST_WORK, layout.WORTH_WAKING)]
    before = [settings[place] for place in places]
    for place in places:
        settings[place] = 0
    yield
    for place, value in zip(places, before):
        settings[place] = value
