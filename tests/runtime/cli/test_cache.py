"""`tilesmith cache` and `tilesmith freeze`."""

import subprocess
import sys

import pytest

import tilesmith as ts
from tilesmith.runtime.cache import folder, records, stamp, store
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system import environment


@pytest.fixture
def place(monkeypatch, tmp_path):
    monkeypatch.setenv(environment.CACHE, str(tmp_path / "cache"))
    store._waiting.clear()
    store._warned.clear()
    return tmp_path / "cache"


@pytest.fixture
def filled(place):
    """Write two kernels to the cache."""
    for k in (3, 4):
        Kernel(ts.gemm_spec(5, 6, k), ts.host())
    store.flush()
    return place


def test_list_of_entries(filled, capsys):
    assert main(["cache"]) == 0
    kernels = len(list(filled.glob("*.kernel")))
    assert capsys.readouterr().out == f"{filled}: {kernels} entries, 0.0 of 64.0 MiB; {kernels} of this version\n"
    assert main(["cache", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == kernels and sum("ts_brgemm_f32_5x6x3_" in line for line in lines) == 1
    assert main(["cache", "check"]) == 0
    assert f"{kernels} entries decoded, 0 of them wrong; 0 of other versions" in capsys.readouterr().out


def test_wrong_entries_are_listed(filled, capsys):
    path = min(filled.glob("*.kernel"))
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["cache", "check"]) == 1
    assert f"{path.name}: its seal does not fit" in capsys.readouterr().out
    assert main(["cache", "list"]) == 0
    assert f"damaged {path.name}" in capsys.readouterr().out


def test_check_decodes(filled, capsys):
    """`cache check` reports sealed entries whose code needs more features than listed, or does not decode."""
    with folder.opened(str(filled)) as place:
        request = f"kernel {stamp.stamp()} forged"
        facts = {"kind": "kernel", "name": "k", "arch": "x86", "features": [], "text_size": 4}
        store.put(place, request, facts, [bytes.fromhex("c5fc58c1"), b""])  # vaddps ymm0, ymm0, ymm1
        store.put(place, request + " too", {**facts, "features": ["AVX"]}, [bytes.fromhex("06060606"), b""])
    assert main(["cache", "check"]) == 1
    out = capsys.readouterr().out
    assert "its code needs AVX, which its list of features lacks" in out and "no instruction of the table" in out


def test_entries_of_other_versions_are_known_and_removed(filled, capsys):
    damaged = min(filled.glob("*.kernel"))
    with folder.opened(str(filled)) as place:
        store.put(place, "kernel other request", {"kind": "kernel", "name": "old"}, [b"", b""])
        for each in (stamp.stamp(), "other"):
            facts = {"kind": stamp.SOURCES, "name": f"digest {each}", "decoded": False, "stamp": each}
            store.put(place, f"{stamp.SOURCES} of {each}", facts, [b"", b""])
    kept = {path.name for path in filled.iterdir()} - {damaged.name}
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert main(["cache", "list"]) == 0
    listed = capsys.readouterr().out
    assert "old  (another version)" in listed and "digest other  (another version)" in listed
    assert f"digest {stamp.stamp()}\n" in listed
    assert main(["cache"]) == 0
    assert "\n3 of other versions or damaged take 0.0 MiB: `tilesmith cache prune` removes" in capsys.readouterr().out
    assert main(["cache", "prune"]) == 0 and "3 files removed" in capsys.readouterr().out
    left = {path.name for path in filled.iterdir()}
    assert len(kept - left) == 2 and left <= kept
    assert main(["cache", "check"]) == 0 and " 0 of other versions" in capsys.readouterr().out


def test_prune_needs_to_know_its_version(filled, monkeypatch, capsys):
    """While modules of the package change, no entry is known as its own, and none is removed."""
    monkeypatch.setattr(stamp, "stamp", lambda: "")
    before = sorted(filled.iterdir())
    assert main(["cache", "prune"]) == 2 and "is not known" in capsys.readouterr().err
    assert sorted(filled.iterdir()) == before


def test_clear_removes_all(filled, capsys):
    """Also what was measured, which the same secret seals; but no file that is none of the cache's."""
    assert all(records.keep("fact", 1, name) for name in records.FILES)
    (filled / "other.json").write_text("{}")
    assert main(["cache", "clear"]) == 0
    assert [path.name for path in filled.iterdir()] == ["other.json"]
    assert main(["cache"]) == 0 and capsys.readouterr().out.endswith("empty\n")


def test_off_and_unusable(place, monkeypatch, capsys):
    place.mkdir()
    place.chmod(0o777)
    assert main(["cache", "list"]) == 2 and "can be written to by others" in capsys.readouterr().out
    monkeypatch.setenv(environment.CACHE, "off")
    assert main(["cache"]) == 0 and capsys.readouterr().out == "off: TILESMITH_CACHE=off\n"


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("missing_module:mm", "module: 'missing_module' cannot be imported"),
        ("math:pi", "names: pi of math must be a kernel, or kernels by name, not 3.14"),
        ("math", "names: math holds no kernels"),
        ("math:mm", "names: math has no mm; its kernels: none"),
        (":mm", "module: '' cannot be imported"),
    ],
)
def test_objects_that_cannot_be_frozen_are_named(tmp_path, capsys, named, message):
    assert main(["freeze", named, "-o", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "out").exists()


@pytest.mark.usefixtures("few_stubs")
def test_freeze_names_skipped_kernels(tmp_path, monkeypatch, capsys):
    (tmp_path / "some_kernels.py").write_text(
        "import numpy as np, tilesmith as ts\nrelu = ts.unary('relu', 2, 3)\n"
        "weights = ts.linear(2, 3, 4).pack(np.ones((4, 3), np.float32))\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["freeze", "some_kernels", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "relu.kernel" in said.out
    assert said.err.startswith("weights is left out: a PackedWeights is not code; kernels can be frozen")
    assert main(["freeze", "some_kernels:weights", "-o", str(tmp_path / "out")]) == 2
    assert "names: weights of some_kernels: a PackedWeights is not code" in capsys.readouterr().err


LARGE = """
import tilesmith as ts

copy = ts.unary("identity", 4, 4)
block = (6, 4, 4), "f32"
product = ts.gemm(60, 70, 80, threads=2)
layer = ts.linear(20, 40, 30, activation=ts.relu)
net = ts.mlp(20, [30, 40, 50], activation=ts.gelu)
rows = ts.spread(ts.fused("softmax", 300, 20))
walk = ts.nest("B", {"b": (0, 6, 1)}, lambda i, x, y: copy(x[i.b], y[i.b]), x=block, y=block)
"""


@pytest.mark.seconds
@pytest.mark.usefixtures("few_stubs")
def test_products_layers_and_nests_are_made_again_of_frozen_kernels(tmp_path, monkeypatch, capsys):
    (tmp_path / "large_kernels.py").write_text(LARGE)
    monkeypatch.chdir(tmp_path)
    names = "product", "layer", "net", "rows", "walk"
    assert main(["freeze", f"large_kernels:{','.join(names)}", "-o", "out"]) == 0
    assert capsys.readouterr().err.count("the program makes the ") == len(names)
    again = f"""
from tilesmith.runtime.kernel.origin import CachedCode
import tilesmith
kernels = tilesmith.load("out")
{LARGE}
for each in ({", ".join(names)}):
    for kernel in each.called():
        assert kernel is kernels[kernel.name] and isinstance(kernel._origin, CachedCode), (each, kernel)
"""
    done = subprocess.run([sys.executable, "-B", "-c", again], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
