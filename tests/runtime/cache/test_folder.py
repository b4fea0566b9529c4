"""The cache's folder: its location, its owner and permissions, and files that are written completely or not at all."""

import os
import stat

import pytest

from tilesmith.runtime.cache import folder
from tilesmith.runtime.cache.folder import Unusable
from tilesmith.runtime.system import environment


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("text", ["off", "OFF", "0", "no", "false"])
def test_off_means_no_folder(monkeypatch, text):
    monkeypatch.setenv(environment.CACHE, text)
    assert environment.cache_folder() is None


@pytest.mark.parametrize(
    ("named", "base", "expected"),
    [
        ("/x/y", "/base", "/x/y"),
        ("~/x", "/base", "/home/somebody/x"),
        ("", "/base", "/base/tilesmith"),
        ("", "not/absolute", "/home/somebody/.cache/tilesmith"),
        ("", "", "/home/somebody/.cache/tilesmith"),
    ],
)
def test_the_folder_is_named_by_the_variable_or_the_platform(monkeypatch, named, base, expected):
    monkeypatch.setenv(environment.CACHE, named)
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert environment.cache_folder() == expected


def test_a_program_that_acts_for_another_user_has_no_cache(monkeypatch, place):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert environment.cache_folder() is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 64 << 20), ("100", 100), ("2k", 2048), ("3MiB", 3 << 20), ("1G", 1 << 30), ("5MB", 5 << 20)],
)
def test_sizes(monkeypatch, text, expected):
    monkeypatch.setenv(environment.CACHE_SIZE, text)
    assert folder.most_bytes() == expected


@pytest.mark.parametrize("text", ["much", "1.5M", "-1", "M"])
def test_invalid_sizes_are_refused_by_name(monkeypatch, text):
    monkeypatch.setenv(environment.CACHE_SIZE, text)
    with pytest.raises(ValueError, match=f"{environment.CACHE_SIZE}={text}: a number of bytes"):
        folder.most_bytes()


def test_a_new_folder_is_its_owners_alone(place):
    os.umask(old := os.umask(0))
    os.umask(0)
    try:
        with folder.opened(str(place), create=True) as opened:
            folder.write(opened.descriptor, "file", b"data")
    finally:
        os.umask(old)
    assert [mode(place), mode(place / "secret"), mode(place / "file")] == [0o700, 0o600, 0o600]
    assert len((place / "secret").read_bytes()) == folder.SECRET_BYTES


@pytest.mark.parametrize("bits", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_refused(place, bits):
    with folder.opened(str(place), create=True):
        pass
    place.chmod(bits)
    with pytest.raises(Unusable, match="can be written to by others"), folder.opened(str(place)):
        pass


def test_a_folder_of_another_user_is_refused(monkeypatch, place):
    with folder.opened(str(place), create=True):
        pass
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(Unusable, match="belongs to user"), folder.opened(str(place)):
        pass


def test_root_makes_no_folder_in_the_home_of_somebody_else(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    found = os.stat(tmp_path)
    theirs = os.stat_result([*found[:4], 1000, *found[5:]])
    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", lambda *_, **__: theirs)
        with (
            pytest.raises(Unusable, match="this process is root's") as refused,
            folder.opened(str(tmp_path / "home" / "cache"), create=True),
        ):
            pass
    assert not refused.value.suspicious and not (tmp_path / "home").exists()


def test_a_missing_folder_is_no_cause_for_suspicion(place):
    with pytest.raises(Unusable) as refused, folder.opened(str(place)):
        pass
    assert not refused.value.suspicious


@pytest.fixture
def opened(place):
    with folder.opened(str(place), create=True) as found:
        yield found


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_open_is_refused(place, opened, bits):
    folder.write(opened.descriptor, "file", b"data")
    (place / "file").chmod(bits)
    with pytest.raises(Unusable, match="open to others"):
        folder.read(opened.descriptor, "file")


def test_links_pipes_and_folders_are_no_files(place, opened):
    (place / "plain").write_bytes(b"data")
    (place / "link").symlink_to("plain")
    os.mkfifo(place / "pipe", 0o600)
    (place / "folder").mkdir(0o700)
    for name in ("link", "pipe", "folder"):
        with pytest.raises(Unusable):
            folder.read(opened.descriptor, name)


def test_a_file_of_another_user_is_refused(monkeypatch, opened):
    folder.write(opened.descriptor, "file", b"data")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(Unusable, match="belongs to user"):
        folder.read(opened.descriptor, "file")


@pytest.fixture(params=["unnamed files", "named files"])
def way(request, monkeypatch):
    """Simulate file systems with and without O_TMPFILE (files that have no name yet)."""
    if request.param == "named files":
        real = os.open

        def refusing(path, flags, *rest, **more):
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                raise OSError(95, "Operation not supported")
            return real(path, flags, *rest, **more)

        monkeypatch.setattr(os, "open", refusing)
    return request.param


def test_a_file_is_written_whole_and_nothing_stays_beside_it(way, place, opened):
    folder.write(opened.descriptor, "file", b"first")
    folder.write(opened.descriptor, "file", b"second")
    assert (place / "file").read_bytes() == b"first"
    folder.write(opened.descriptor, "file", b"third", replace=True)
    assert (place / "file").read_bytes() == b"third"
    assert sorted(os.listdir(place)) == ["file", "secret"]


def test_a_link_in_the_place_of_an_entry_is_replaced_and_not_followed(way, place, opened, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"theirs")
    (place / "file").symlink_to(victim)
    folder.write(opened.descriptor, "file", b"ours", replace=True)
    assert victim.read_bytes() == b"theirs"
    assert not (place / "file").is_symlink() and (place / "file").read_bytes() == b"ours"


def test_a_failed_write_leaves_nothing(way, monkeypatch, place, opened):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        folder.write(opened.descriptor, "file", b"data")
    monkeypatch.undo()
    assert os.listdir(place) == ["secret"]
