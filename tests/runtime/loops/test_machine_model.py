"""Machines that files describe: what is read is what was written, and strings are ranked by what the file says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tilesmith as ts
from tests.runtime.loops.test_nest import BLOCK, product
from tilesmith.runtime.loops import machine_facts, machine_model
from tilesmith.runtime.loops.machine_facts import CacheLevel, MachineFacts

DESCRIBED = ts.MachineModel(
    "invented", "here", 4, ((1 << 15, 1e11, 4e11), (1 << 20, 5e10, 2e11)), (1e10, 2e10), 0.0, {"f32": 1e11}
)
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "machines"


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.stem)
def test_files_are_read_as_they_were_written(path: Path, tmp_path: Path) -> None:
    found = ts.MachineModel.read(path)
    found.write(tmp_path / "copy.json")
    assert ts.MachineModel.read(str(tmp_path / "copy.json")) == found
    assert json.loads((tmp_path / "copy.json").read_text()) == json.loads(path.read_text())


def test_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured here can be written, edited and read. A last cache that is smaller than the one before holds
    what that one evicts, and all cores together are not slower than one."""
    levels = CacheLevel(32768, 1e11, 9e10), CacheLevel(1 << 21, 9e10, 2e11), CacheLevel(1 << 20, 8e10, 1e11)
    found = MachineFacts((*levels, CacheLevel(0, 3e10, 2e10)), 1e-6, 2)
    monkeypatch.setattr(machine_model, "facts", lambda: found)
    monkeypatch.setattr(machine_model, "_PRODUCTS", {"f32": "f32", "u8": ("u8", "i8", "i32")})
    here = ts.MachineModel.here()
    assert here.caches == ((32768, 1e11, 1e11), (1 << 21, 9e10, 2e11), (3 << 20, 8e10, 1e11))
    assert here.memory == (3e10, 3e10) and here.cores == 2 and set(here.peak) == {"f32", "u8"}
    assert all(1e7 < each < 1e14 for each in here.peak.values())
    here.write(tmp_path / "here.json")
    assert ts.MachineModel.read(tmp_path / "here.json") == here


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cores": 0}, "cores: a whole number from 1"),
        ({"cores": 2.0}, "cores: a whole number from 1"),
        ({"caches": []}, "caches: one or more"),
        ({"caches": [1]}, "each of caches: an object with bytes, one core, all cores, not 1"),
        ({"caches": [{"bytes": 9, "one core": 1e9, "all core": 1e9}]}, "each of caches: lacks all cores"),
        ({"caches": [{"bytes": 9, "one core": 1e9, "all cores": 1e8}]}, "caches: bytes per second of one core"),
        ({"caches": [{"bytes": 9, "one core": 1, "all cores": 1}] * 2}, "caches: each has more bytes"),
        ({"memory": {"one core": "1e9", "all cores": 1e9}}, "memory: bytes per second"),
        ({"memory": 1e9}, "memory: an object with one core, all cores"),
        ({"region": -1}, "region: seconds"),
        ({"peak": {}}, "peak: operations per second"),
        ({"peak": 1e9}, "peak: operations per second"),
        ({"peak": {"float": 1e9}}, "peak: element types are .* and not 'float'"),
        ({"name": 1}, "name, source: texts"),
        ({"clock": 1}, "the file: has clock, and takes name"),
    ],
)
def test_mistakes_in_a_file(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    where = tmp_path / "x.json"
    DESCRIBED.write(where)
    where.write_text(json.dumps(json.loads(where.read_text()) | change))
    with pytest.raises(ValueError, match=rf"x.json: {reason}"):
        ts.MachineModel.read(where)
    with pytest.raises(TypeError, match="machine: a ts.MachineModel, or the path of a file that describes one, not 3"):
        ts.tune([], machine=3)  # type: ignore[call-overload]
    where.write_text("{")
    with pytest.raises(ValueError, match=r"x.json: no JSON: .* line 1"):
        ts.MachineModel.read(where)


def test_times_follow_from_the_peak_and_the_bandwidths() -> None:
    """Blocks that are all in the first cache: a product takes its operations at the peak, unless that is faster than
    the bytes of its blocks; farther blocks take the difference of the bandwidths."""
    nest, (m, n, k) = product("abc", (2, 2, 2)), BLOCK
    name = next(each.call.kernel.name for each in nest.accesses)
    found = replace(DESCRIBED, peak={"f32": 1e9}).kernel_times(nest)[name]
    assert found.seconds == pytest.approx(2 * m * n * k / 1e9)
    size = 4 * (m * k + k * n + m * n)
    assert replace(DESCRIBED, peak={"f32": 1e15}).kernel_times(nest)[name].seconds == pytest.approx(size / 1e11)
    assert found.further[0][0] == pytest.approx(4 * m * k * (1 / 5e10 - 1 / 1e11))
    assert found.further[0][-1] == pytest.approx(4 * m * k * (1 / 1e10 - 1 / 1e11))
    with pytest.raises(ValueError, match="peak: invented has none of f32, which ts_brgemm.* reads; add f32"):
        replace(DESCRIBED, peak={"f64": 1e9}).kernel_times(nest)


def test_strings_are_ranked_for_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one core with equal caches every string takes the time of its kernels; on four the divided ones a quarter of
    it. Nothing is measured, nor asked of this machine."""
    monkeypatch.setattr(machine_facts, "measured", lambda *_: pytest.fail("measured"))
    flat = replace(DESCRIBED, caches=((1 << 15, 1e15, 4e15),), memory=(1e15, 4e15), peak={"f32": 1e9})
    given = product("abc", (4, 4, 4))
    shapes = {each.name: each.asked for each in given.operands}
    loops = dict.fromkeys("abc", (0, 4, 1))
    whole = given.flops / 1e9
    for cores, wanted in ((1, [whole, whole]), (4, [whole / 4, whole])):
        replace(flat, cores=cores).write(tmp_path / "flat.json")
        found = ts.tune(["bca", "BCa"], loops, given.body, machine=tmp_path / "flat.json", **shapes)
        assert [each.predicted for each in found.trials] == pytest.approx(wanted)
        assert all(each.measured is None for each in found.trials) and str(found).startswith("for invented")
    assert found.nest.spec.string == "BCa"
    alone = ts.tune(["bca", "BCa"], loops, given.body, machine=replace(flat, cores=4), threads=1, **shapes)
    assert [each.predicted for each in alone.trials] == pytest.approx([whole, whole])
    small = product("abc", (2, 2, 2))
    ranked = ts.tune(small, machine=flat, budget="50ms")
    assert ranked.nest.parallel and ranked.trials[0].predicted == pytest.approx(small.flops / 1e9 / 4)


def test_what_is_not_tuned_for_another_machine() -> None:
    with pytest.raises(TypeError, match="leave out again, measure, samples"):
        ts.tune(["abc"], {}, product, machine=DESCRIBED, measure=3)
    with pytest.raises(ts.UnsupportedError, match="machine: nests and rules"):
        ts.tune(ts.gemm(8, 8, 8), machine=DESCRIBED)
