"""A separate cache folder for each test, and entries as an earlier process would have left them."""

import pytest

from tilesmith.runtime.cache import sealed, store
from tilesmith.runtime.system import environment


@pytest.fixture
def place(monkeypatch, tmp_path):
    """The path of the folder that TILESMITH_CACHE names; it does not exist yet."""
    where = tmp_path / "cache"
    monkeypatch.setenv(environment.CACHE, str(where))
    monkeypatch.delenv(environment.CACHE_SIZE, raising=False)
    store._waiting.clear()
    store._warned.clear()
    yield where
    store._waiting.clear()
    store._warned.clear()


@pytest.fixture
def kept(place):
    """A function that keeps an entry at once and returns the path of its file."""

    def keep(request, facts=None, sections=(b"code",)):
        store.keep(request, lambda: (facts or {"features": []}, sections))
        store.flush()
        return place / sealed.name_of(request)

    return keep
