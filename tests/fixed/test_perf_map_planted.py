"""TILESMITH_PERF=map wrote to any file that another user had placed at the map's predictable path."""

import os
import subprocess
import sys

import pytest

from tilesmith.runtime.debug import profilers

PROGRAM = """
import os, pathlib
path, victim = pathlib.Path(f"/tmp/perf-{os.getpid()}.map"), pathlib.Path("victim")
victim.write_text("precious\\n")
PLANT
import tilesmith as ts
try:
    print(ts.brgemm(4, 4, 4).name)
except OSError as error:
    print(error)
finally:
    print("in the map:", path.is_file() and "ts_brgemm" in path.read_text())
    print("victim:", victim.read_text())
    path.unlink(missing_ok=True)
"""


def output(plant, tmp_path):
    environment = {**os.environ, "TILESMITH_PERF": "map"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("PLANT", plant)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=10,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.seconds
@pytest.mark.parametrize(
    "plant",
    [
        "path.symlink_to(victim.absolute())",
        "path.symlink_to(pathlib.Path('nowhere').absolute())",
        "os.mkfifo(path)",
        "victim.rename(path); os.link(path, victim)",
    ],
    ids=["link", "dangling link", "pipe", "second name"],
)
def test_what_was_planted_is_refused(plant, tmp_path):
    found = output(plant, tmp_path)
    assert "TILESMITH_PERF: /tmp/perf-" in found and "remove it" in found
    assert "in the map: False" in found and "victim: precious" in found
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.seconds
def test_this_users_own_map_is_extended(tmp_path):
    """The map may hold perf's names of Python's own functions, or lines that the process wrote before exec."""
    found = output("path.write_text('1000 10 earlier\\n'); os.chmod(path, 0o600)", tmp_path)
    assert found.startswith("ts_brgemm") and "in the map: True" in found


def test_a_file_of_another_user_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "perf-1.map"
    path.write_text("earlier\n")
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="not a plain file of this user"):
        profilers._opened(path, os.O_RDWR | os.O_NOFOLLOW | os.O_TRUNC)
    assert path.read_text() == "earlier\n"
