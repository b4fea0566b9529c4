"""Two checkouts that differed in one module of the same size and time had one stamp, so one ran the other's kernels."""

import os
import py_compile
import shutil
import time
from types import SimpleNamespace

import pytest

from tilesmith.runtime.cache import folder, sealed, stamp, store


@pytest.fixture
def cache(tmp_path, monkeypatch):
    where = tmp_path / "cache"
    where.mkdir(mode=0o700)
    monkeypatch.setenv("TILESMITH_CACHE", str(where))
    yield where
    store._waiting.clear()


@pytest.fixture
def checkouts(tmp_path, monkeypatch):
    """Two folders with a module of another text, and the same size and time."""
    made = [tmp_path / name for name in ("one", "other")]
    for number, home in enumerate(made):
        home.mkdir()
        (home / "rows.py").write_text(f"OPCODE = 0x5{number}\n")
        os.utime(home / "rows.py", ns=(10**18 + 5, 10**18 + 5))
    monkeypatch.setattr(stamp, "_IMPORTED", 1 << 62)
    monkeypatch.setattr(stamp, "_RECENT", -(1 << 62))  # as if the files were old enough to be known by their times
    return made


def stamp_of(home, keep=True):
    """Return the stamp that a process finds which runs this checkout."""
    known, stamp._FOLDERS = stamp._FOLDERS, {"rows": SimpleNamespace(__path__=[str(home)])}
    try:
        found = stamp.stamp.__wrapped__()
    finally:
        stamp._FOLDERS = known
    store.flush() if keep else store._waiting.clear()
    return found


def kept(cache):
    return [name for name in os.listdir(cache) if sealed.is_name(name)]


def test_in_one_cache_one_after_the_other(cache, checkouts):
    stamps = [stamp_of(home) for home in (*checkouts, *checkouts)]
    assert stamps[0] != stamps[1] and stamps[2:] == stamps[:2] and len(kept(cache)) == 2


def test_a_known_stamp_reads_no_module(cache, checkouts, monkeypatch):
    found = stamp_of(checkouts[0])
    monkeypatch.setattr(stamp, "_text", None)
    assert stamp_of(checkouts[0]) == found


@pytest.mark.parametrize("change", ["written", "copied", "moved", "linked", "folders exchanged"])
def test_changes_that_keep_size_and_time(cache, checkouts, change):
    one, other = (home / "rows.py" for home in checkouts)
    before = [stamp_of(home) for home in checkouts]
    found = one.stat()
    if change == "written":
        one.write_text(other.read_text())
    elif change == "copied":
        shutil.copy2(other, one)
    elif change == "moved":
        shutil.copy2(other, one.with_name("new"))
        one.with_name("new").rename(one)
    elif change == "linked":
        one.unlink()
        one.symlink_to(other)
    else:
        for old, new in (("one", "third"), ("other", "one"), ("third", "other")):
            (one.parents[1] / old).rename(one.parents[1] / new)
    if change == "written":
        os.utime(one, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert (one.stat().st_size, one.stat().st_mtime_ns) == (found.st_size, found.st_mtime_ns)
    assert stamp_of(checkouts[0]) == before[1]
    if change == "folders exchanged":
        assert stamp_of(checkouts[1]) == before[0]


def test_damage_is_a_miss(cache, checkouts):
    found = stamp_of(checkouts[0])
    (name,) = kept(cache)
    data = bytearray((cache / name).read_bytes())
    data[-40] ^= 1
    (cache / name).write_bytes(bytes(data))
    with pytest.warns(store.CacheWarning, match="seal"):
        assert stamp_of(checkouts[0]) == found
    with folder.opened(str(cache)) as place:  # it has been written again
        assert sealed.unsealed((cache / name).read_bytes(), place.secret).facts["stamp"] == found


def test_a_cache_that_cannot_be_written(cache, checkouts, monkeypatch):
    def refuse(*given, **more):
        raise OSError("read-only file system")

    monkeypatch.setattr(folder, "write", refuse)
    assert stamp_of(checkouts[0]) != stamp_of(checkouts[1]) and not kept(cache)


def test_what_times_do_not_tell_is_not_remembered(cache, checkouts, monkeypatch):
    """A file that has just changed, whole seconds (of images), and a file system that is only read."""
    monkeypatch.setattr(stamp, "_RECENT", 2_000_000_000)
    first = stamp_of(checkouts[0])
    monkeypatch.setattr(stamp, "_RECENT", -(1 << 62))
    with monkeypatch.context() as patch:
        patch.setattr(stamp, "_SECOND", 1)
        assert stamp_of(checkouts[0]) == first
    with monkeypatch.context() as patch:
        patch.setattr(os, "statvfs", lambda home: SimpleNamespace(f_flag=os.ST_RDONLY))
        assert stamp_of(checkouts[0]) == first
    assert not kept(cache)


def test_a_module_that_changes_after_the_import(cache, checkouts, monkeypatch):
    """The process may run the older text, and the stamp would be that of the newer one."""
    monkeypatch.setattr(stamp, "_IMPORTED", time.time_ns() - 10**9)
    assert stamp_of(checkouts[0]) == "" and not kept(cache)


def test_bytecode_of_another_text(cache, checkouts):
    """Python goes on to execute the bytecode of the text before, if size and time are the same."""
    one, other = (home / "rows.py" for home in checkouts)
    py_compile.compile(str(one))
    fresh = [stamp_of(home) for home in checkouts]
    one.write_text(other.read_text())
    os.utime(one, ns=(other.stat().st_atime_ns, other.stat().st_mtime_ns))
    stale = [stamp_of(checkouts[0]) for _ in range(2)]
    assert stale[0] == stale[1] and stale[0] not in fresh
    shutil.rmtree(one.with_name("__pycache__"))
    assert stamp_of(checkouts[0]) == fresh[1]
    assert len(kept(cache)) == 3  # the two texts, and the text with bytecode of its own
