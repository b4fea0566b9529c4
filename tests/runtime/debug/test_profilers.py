"""Names of emitted code in perf's map, in jitdump files and in dumps."""

import os
import subprocess
import sys

import pytest

import tilesmith as ts
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.host import detect as host

PROGRAM = """
import numpy as np, tilesmith as ts
k = ts.brgemm(4, 4, 4)
x = [np.zeros((4, 4), np.float32) for _ in range(3)]
k(*x)
print(k.name, f"{k.address:x}", f"{len(k.code):x}")
"""


def run(tmp_path, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **environment},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


@pytest.mark.seconds
def test_perf_map(tmp_path):
    program = "import os\n" + PROGRAM + "print(open(f'/tmp/perf-{os.getpid()}.map').read())"
    environment = {**os.environ, "TILESMITH_PERF": "map"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    first, *lines = done.stdout.splitlines()
    name, address, size = first.split()
    assert f"{address} {size} {name}" in lines
    if not entry.refusal():
        assert any(line.endswith(" ts_entry") for line in lines)


@pytest.mark.seconds
def test_jitdump(tmp_path):
    name, address, _ = run(tmp_path, TILESMITH_PERF="jitdump")
    (dump,) = tmp_path.glob("jit-*.dump")
    data = dump.read_bytes()
    assert data[:4] == b"DTiJ" and name.encode() + b"\0" in data
    code = ts.brgemm(4, 4, 4).code
    assert data[data.index(name.encode() + b"\0") + len(name) + 1 :].startswith(code)


@pytest.mark.seconds
def test_dump(tmp_path):
    name, *_ = run(tmp_path, TILESMITH_DUMP=str(tmp_path / "dump"))
    assert (tmp_path / "dump" / f"{name}.bin").read_bytes() == ts.brgemm(4, 4, 4).code
    assert {"x86": "vfmadd", "a64": "fmla"}[host.arch()] in (tmp_path / "dump" / f"{name}.s").read_text()


def test_unknown_profiler(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as failure:
        run(tmp_path, TILESMITH_PERF="gprof")
    assert "TILESMITH_PERF=gprof: use map or jitdump" in failure.value.stderr
