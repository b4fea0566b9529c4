"""Kernels that are frozen to a folder: written, loaded, and refused if the folder has changed."""

import os
import re
import shutil
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import run_forked
from tilesmith.runtime.cache import stamp
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel import callable
from tilesmith.runtime.kernel.callable import Kernel, shared
from tilesmith.runtime.kernel.frozen import freeze
from tilesmith.runtime.kernel.origin import CachedCode

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    """Return a folder with two frozen kernels."""
    where = tmp_path_factory.mktemp("frozen") / "kernels"
    freeze({"mm": ts.brgemm(13, 17, 19), "act": ts.unary("gelu", 6, 9)}, str(where))
    return where


@pytest.fixture
def folder(frozen, tmp_path, monkeypatch):
    """Return a copy of the folder, with no kernel alive."""
    monkeypatch.setattr(callable, "_alive", WeakValueDictionary())  # as in another process
    return Path(shutil.copytree(frozen, tmp_path / "kernels"))


load = ts.load


def test_kernels_come_back_by_their_names(folder):
    kernels = load(folder)
    assert list(kernels) == ["act", "mm"]
    mm = kernels["mm"]
    assert isinstance(mm._origin, CachedCode) and mm.listing() == Kernel(mm.spec, mm.target).listing()
    a, b, c = (np.full(shape, 3, np.float32) for shape in ((13, 19), (19, 17), (13, 17)))
    mm(a, b, c)
    assert (c == 3 + 9 * 19).all()
    assert ts.brgemm(13, 17, 19, beta=0.5) is not mm


def test_the_kernel_of_an_equal_request_is_the_loaded_one(folder):
    mm = load(folder)["mm"]
    assert shared(mm.spec, mm.target) is mm


def test_every_changed_byte_is_refused(folder):
    path = folder / "mm.kernel"
    whole = path.read_bytes()
    for position in range(0, len(whole), 1 + len(whole) // 100):
        changed = bytearray(whole)
        changed[position] ^= 1 << position % 8
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=r"mm\.kernel: its seal does not fit"):
            load(folder)
    for size in (0, 1, 47, 48, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"mm\.kernel: .*; freeze it again"):
            load(folder)


def test_a_renamed_file_is_refused(folder):
    (folder / "mm.kernel").rename(folder / "other.kernel")
    with pytest.raises(ValueError, match="holds the kernel mm"):
        load(folder)


@pytest.mark.parametrize("what", ["", "mm.kernel"])
@pytest.mark.parametrize("bits", [0o020, 0o002])
def test_files_that_others_may_write_are_refused(folder, what, bits):
    path = folder / what
    path.chmod(path.stat().st_mode | bits)
    with pytest.raises(ValueError, match="can be written to by others"):
        load(folder)


def test_another_users_folder_is_refused_and_roots_is_not(folder, monkeypatch):
    real = os.stat(folder).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: real + 1)
    if real:
        with pytest.raises(ValueError, match=f"belongs to user {real}"):
            load(folder)
    else:
        load(folder)


def test_other_sources_are_refused(folder, monkeypatch):
    monkeypatch.setattr(stamp, "contents", lambda: "others")
    with pytest.raises(ValueError, match="made by other sources of Tilesmith"):
        load(folder)


def test_a_folder_without_kernels_says_how_they_come_there(tmp_path):
    with pytest.raises(ValueError, match="holds no kernels; `tilesmith freeze module:names -o"):
        ts.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        ts.load(tmp_path / "missing")


@pytest.mark.slow
@pytest.mark.usefixtures("few_stubs")
def test_kernels_of_a_processor_that_this_one_is_not_are_loaded_and_not_mapped(tmp_path):
    lacking = {host.resolve(name).arch: name for name in ts.targets() if host.runs(host.resolve(name))}
    foreign = list(lacking.values())  # one target per architecture for which this processor lacks a feature
    freeze({f"k{i}": ts.transpose(5, 7, target=name) for i, name in enumerate(foreign)}, str(tmp_path / "out"))
    x, y = np.arange(35, dtype=np.float32).reshape(5, 7), np.zeros((7, 5), np.float32)
    kernels = load(tmp_path / "out")
    for number, name in enumerate(foreign):
        kernel = kernels[f"k{number}"]
        assert kernel.target.name == name and kernel.address is None
        with pytest.raises(ts.UnsupportedError):
            kernel(x, y)
        kernel.run(x, y)
        assert np.array_equal(y, x.T)


def test_names_are_identifiers(tmp_path):
    with pytest.raises(ValueError, match="name: an identifier, not '../up'"):
        freeze({"../up": ts.transpose(5, 7)}, str(tmp_path))


@pytest.mark.slow
def test_the_page_shows_what_happens(tmp_path, monkeypatch):
    """Run the example of docs/cache.md."""
    text = (ROOT / "docs" / "cache.md").read_text()
    module = re.search(r"^\$ cat model\.py\n(.*?)^\$ (tilesmith .*?)$", text, re.MULTILINE | re.DOTALL)
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "model.py").write_text(module[1])

    def run() -> None:
        monkeypatch.chdir(tmp_path)
        assert main(module[2].split()[1:]) == 0
        shapes = {"a": (64, 64), "b": (64, 48), "c": (64, 48)}
        names = {name: np.ones(shape, np.float32) for name, shape in shapes.items()}
        exec(block, names)
        assert (names["c"] == 65).all() and list(names["kernels"]) == ["act", "mm"]

    if host.runs(host.resolve("avx2")):
        pytest.skip("runs AVX2 code")
    assert run_forked(run) == 0
