"""Facts of the machine are measured once, kept for the host, and measured again if the kept ones are not usable."""

from __future__ import annotations

import json
import os
import stat

import pytest

from tilesmith.runtime.loops import machine_facts
from tilesmith.runtime.loops.machine_facts import FILE, CacheLevel, MachineFacts, entries, facts, keep, key

MADE_UP = MachineFacts(
    (CacheLevel(32768, 4e11, 8e11), CacheLevel(1 << 20, 2e11, 4e11), CacheLevel(0, 2e10, 3e10)), 1e-6, 2
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Use an empty cache folder."""
    where = tmp_path / "cache"
    monkeypatch.setenv("TILESMITH_CACHE", str(where))
    facts.cache_clear()
    yield where
    facts.cache_clear()


def test_measured_facts_are_plausible():
    found = machine_facts.measured()
    assert [each.size > 0 for each in found.levels[:-1]] == [True] * (len(found.levels) - 1)
    assert found.levels[-1].size == 0
    for each in found.levels:
        assert 1e6 < each.alone < 1e15 and 1e6 < each.together < 1e16  # bytes per second, not per ns
    assert 0 < found.region < 1


def test_kept_for_this_host(cache, monkeypatch):
    monkeypatch.setattr(machine_facts, "measured", lambda: MADE_UP)
    assert facts() == MADE_UP
    assert stat.S_IMODE(os.stat(cache / FILE).st_mode) == 0o600
    assert sorted(os.listdir(cache)) == [FILE, "secret"]
    assert keep("another host", {"levels": []})
    facts.cache_clear()
    monkeypatch.setattr(machine_facts, "measured", lambda: pytest.fail("it was kept"))
    assert facts() == MADE_UP
    assert set(entries()) == {key(), "another host"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 0, "entries": {}}', '{"version": 1, "entries": {"KEY": {}}}']
)
def test_unusable_facts_are_measured_again(cache, monkeypatch, text):
    keep("x", {})
    (cache / FILE).write_text(text.replace("KEY", key()))
    monkeypatch.setattr(machine_facts, "measured", lambda: MADE_UP)
    assert facts() == MADE_UP
    assert json.loads((cache / FILE).read_text())["entries"][key()]["workers"] == 2


def test_facts_are_not_kept_without_a_cache(monkeypatch):
    monkeypatch.setenv("TILESMITH_CACHE", "off")
    assert not keep("x", {})
    assert entries() == {}


def test_bandwidth_of_several_workers():
    assert MADE_UP.bandwidth(2, 1) == 2e10
    assert MADE_UP.bandwidth(2, 2) == MADE_UP.bandwidth(2, 9) == 1.5e10
