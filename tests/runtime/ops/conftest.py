"""Regions of these tests are spread however small they are, so that small products are computed by threads too."""

from collections.abc import Iterator

import pytest

from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads import layout, pool


@pytest.fixture(autouse=True)
def nothing_is_light() -> Iterator[None]:
    """What `weighed` regions go by is 0 meanwhile."""
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
