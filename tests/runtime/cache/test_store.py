"""Cache entries: an entry is found as written, and any modification of it makes a lookup miss with a warning."""

import os
import shutil
import time
import warnings

import pytest

from tests.profiles import is_soak
from tilesmith.runtime.cache import folder, sealed, store
from tilesmith.runtime.cache.store import CacheWarning
from tilesmith.runtime.system import environment


def missed(request, match="."):
    """Return whether the lookup misses with one warning; earlier warnings are forgotten first."""
    store._warned.clear()
    with pytest.warns(CacheWarning, match=match) as said:
        found = store.find(request)
    return found is None and len(said) == 1


def silent(request):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return store.find(request)


def test_a_written_entry_is_found(place, kept):
    kept("one", {"features": ["AVX2"], "labels": {"a": 3}}, (b"code", b"", b"text"))
    entry = silent("one")
    assert (entry.facts["features"], entry.facts["labels"], entry.sections) == (
        ["AVX2"],
        {"a": 3},
        (b"code", b"", b"text"),
    )
    assert silent("two") is None


def test_nothing_is_written_before_there_is_time(place):
    store.keep("one", lambda: ({}, [b""]))
    assert not place.exists()
    for number in range(store.WAITING - 1):
        store.keep(f"more {number}", lambda: ({}, [b""]))
    assert len(list(place.glob("*.kernel"))) == store.WAITING


def test_off_keeps_and_finds_nothing(place, kept, monkeypatch):
    kept("one")
    monkeypatch.setenv(environment.CACHE, "off")
    store.keep("two", lambda: ({}, [b""]))
    assert not store._waiting and environment.cache_folder() is None and silent("one") is None


def test_every_changed_byte_is_a_miss(kept):
    path = kept("one", {"features": [], "name": "k"}, (bytes(range(8)),))
    whole = path.read_bytes()
    for position in range(len(whole)):
        for mask in range(1, 256) if is_soak() else (1 << position % 8, 0xFF):
            changed = bytearray(whole)
            changed[position] ^= mask
            path.write_bytes(changed)
            assert missed("one"), position
    path.write_bytes(whole)
    assert silent("one").sections == (bytes(range(8)),)


def test_every_length_but_the_right_one_is_a_miss(kept):
    path = kept("one")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert missed("one"), length
    path.write_bytes(whole + b"\0")
    assert missed("one")


def test_an_entry_of_another_folder_is_a_miss(kept, place, monkeypatch, tmp_path):
    path = kept("one")
    other = tmp_path / "other"
    monkeypatch.setenv(environment.CACHE, str(other))
    kept("two")
    shutil.copy(path, other)
    assert missed("one", "copied from elsewhere") and silent("two")


def test_an_entry_under_another_name_is_a_miss(kept, place):
    path = kept("one")
    path.rename(place / sealed.name_of("two"))
    assert missed("two", "the entry of another request") and silent("one") is None


def test_a_link_to_a_true_entry_is_a_miss(kept, tmp_path):
    path = kept("one")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert missed("one", "cannot be opened")


def test_an_entry_that_others_may_read_or_write_is_a_miss(kept):
    path = kept("one")
    path.chmod(0o644)
    assert missed("one", "open to others")


def test_another_owner_is_a_miss(kept, place, monkeypatch):
    kept("one")
    real = os.fstat

    def foreign(file):
        found = real(file)
        return os.stat_result([*found[:4], found.st_uid + (found.st_nlink == 1), *found[5:]])  # folders have more links

    monkeypatch.setattr(os, "fstat", foreign)
    assert missed("one", "belongs to user")


def test_a_folder_without_its_secret_answers_nothing(kept, place):
    kept("one")
    (place / "secret").unlink()
    assert silent("one") is None
    (place / "secret").write_bytes(b"short")
    (place / "secret").chmod(0o600)
    assert missed("one", "secret has 5 bytes")


def test_one_warning_for_each_file(kept):
    first, second = kept("one"), kept("two")
    first.write_bytes(b"")
    second.write_bytes(b"")
    with pytest.warns(CacheWarning) as said:
        for _ in range(3):
            assert store.find("one") is None and store.find("two") is None
    assert len(said) == 2


def test_a_damaged_entry_is_written_again(kept):
    path = kept("one", sections=(b"right",))
    path.write_bytes(b"wrong")
    assert missed("one")
    kept("one", sections=(b"right",))
    assert silent("one").sections == (b"right",)


def test_a_whole_entry_stays(kept):
    path = kept("one")
    before = os.stat(path)
    kept("one")
    assert os.stat(path).st_ino == before.st_ino


def test_least_recently_used_entries_are_removed_first(kept, place, monkeypatch):
    size = kept("first").stat().st_blocks * 512
    others = sum((place / name).stat().st_blocks * 512 for name in (".", folder.SECRET))
    monkeypatch.setenv(environment.CACHE_SIZE, str(4 * size + size // 2 + others))
    now = time.time()
    for age, request in enumerate(("third", "again", "older")):
        os.utime(kept(request), (0, now - 10_000 * (age + 2)))
    os.utime(place / sealed.name_of("first"), (0, now - 15_000))
    assert silent("older")  # the lookup makes it the most recently used
    kept("new")
    assert [each for each in ("first", "third", "again", "older", "new") if silent(each)] == [
        "first",
        "third",
        "older",
        "new",
    ]


def test_abandoned_temporary_files_are_removed(kept, place):
    place.mkdir(mode=0o700)
    old, fresh = place / f"{folder.TEMPORARY}1-old", place / f"{folder.TEMPORARY}2-fresh"
    for path in (old, fresh):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    kept("one")
    assert fresh.exists() and not old.exists()


def test_all_files_are_checked_occasionally(kept, place, monkeypatch):
    looks = []
    look = store.shrink
    monkeypatch.setattr(store, "shrink", lambda where: looks.append(where) or look(where))
    for number in range(5):
        kept(f"small {number}")
    assert looks == [str(place)]
    kept("large", sections=(bytes(folder.most_bytes() // store._SHARE),))
    assert looks == [str(place)] * 2


def test_an_unwritable_folder_gives_no_warning(monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.delenv(environment.CACHE)  # a folder that it names is warned of: test_cache_folder_that_cannot_be_made
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    store._warned.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.keep("one", lambda: ({}, [b""]))
        store.flush()


def test_a_forked_child_leaves_writing_to_its_parent(place):
    store.keep("one", lambda: ({}, [b""]))
    child = os.fork()
    if not child:
        os._exit(len(store._waiting))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.flush()
    assert silent("one")
