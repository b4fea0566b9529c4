"""The stamp of the sources: it differs after every change and is equal for equal files."""

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.profiles import is_soak
from tilesmith.runtime.cache import stamp

ROOT = Path(__file__).parents[3]


@pytest.fixture
def room(tmp_path, monkeypatch):
    """Replace all rooms by a package with a module and a sub-package."""
    home = tmp_path / "room"
    (home / "inner").mkdir(parents=True)
    (home / "module.py").write_text("a = 1\n")
    (home / "inner" / "other.py").write_text("b = 1\n")
    (home / "cli").mkdir()
    (home / "cli" / "main.py").write_text("c = 1\n")

    class Package:
        __path__ = [str(home)]

    monkeypatch.setattr(stamp, "_FOLDERS", {"folder": Package})
    monkeypatch.setattr(stamp, "_IMPORTED", 1 << 62)  # as if they had been written before this process began
    return home


def both():
    return stamp.stamp.__wrapped__(), stamp.contents.__wrapped__()


def test_packages_hold_nothing_but_docstrings():
    """The stamp leaves out __init__.py."""
    for name in stamp._FOLDERS:
        for file in (ROOT / name).rglob("__init__.py"):
            code = ast.parse(file.read_text()).body
            assert not code[1:] and all(isinstance(each, ast.Expr) for each in code), file


def test_a_changed_module_changes_both(room):
    before = both()
    assert both() == before
    (room / "module.py").write_text("a = 2\n")
    os.utime(room / "module.py", (1, 1))
    changed = both()
    assert changed[0] != before[0] and changed[1] != before[1]
    (room / "inner" / "new.py").write_text("")
    assert both()[0] != changed[0] and both()[1] != changed[1]
    (room / "inner" / "new.py").rename(room / "inner" / "newer.py")
    assert len({changed[1], both()[1]}) == 2


def test_a_touched_module_has_the_same_stamp(room):
    before = both()
    os.utime(room / "inner" / "other.py", (5, 5))
    assert both() == before


def test_a_copy_has_the_same_stamp(room, tmp_path, monkeypatch):
    before = both()
    shutil.copytree(room, tmp_path / "copy")

    class Copy:
        __path__ = [str(tmp_path / "copy")]

    monkeypatch.setattr(stamp, "_FOLDERS", {"folder": Copy})
    assert both() == before


def test_modules_that_decide_no_bytes_do_not_count(room):
    before = both()
    (room / "cli" / "main.py").write_text("c = 2\n")
    assert both() == before


def test_modules_that_are_nowhere_have_no_stamp(room, tmp_path, monkeypatch):
    class Frozen:
        __path__ = [str(tmp_path / "nowhere" / "room")]

    monkeypatch.setattr(stamp, "_FOLDERS", {"folder": Frozen})
    assert stamp.stamp.__wrapped__() == ""


@pytest.mark.skipif(not is_soak(), reason="compiles every module twice")
def test_an_archive_has_one(tmp_path):
    """A package in a zip file has a stamp: kernels are made, cached, and found by the next process."""
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for top in ("encoder", "microkernels", "runtime", "emulation"):
            for path in (ROOT / top).rglob("*.py"):
                out.write(path, f"tilesmith/{path.relative_to(ROOT)}")
        for path in (ROOT / "tilesmith").glob("*.py"):
            out.write(path, f"tilesmith/{path.name}")
    script = "import tilesmith as ts; k = ts.transpose(5, 7); print(type(k._origin).__name__, ts.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(archive), "TILESMITH_CACHE": str(tmp_path / "cache")}
    told = [
        subprocess.check_output(
            [sys.executable, "-S", "-c", f"import sys; sys.path += {sys.path}; {script}"],
            env=environment,
            cwd=tmp_path,
            text=True,
        )
        for _ in range(2)
    ]
    assert [each.split()[0] for each in told] == ["Emitted", "Kept"] and str(archive) in told[0]
