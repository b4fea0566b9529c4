"""An entry of tuned.json that passed a check of its blocks gave wrong products and corrupted the heap: the records of
the cache folder were not sealed, and the check accepted blocks that no nest computes with. `freeze` wrote through a
link that somebody had planted, and `ts.load` waited for a pipe and raised KeyError."""

from __future__ import annotations

import json
import os
import random
import warnings
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests import profiles
from tests.guard import guarded
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.cache import sealed, store
from tilesmith.runtime.kernel import frozen
from tilesmith.runtime.loops import machine_facts
from tilesmith.runtime.loops.kernel_times import _complete
from tilesmith.runtime.ops.schedules import Blocks, SharedB, as_data
from tilesmith.runtime.ops.tuned_blocks import FILE, _restored, forget, keep_blocks, question, tuned_blocks

FILES = "tuned.json", "machine_facts.json", "kernel_times.json"
WRONG = {
    "turned, FFF": ((107, 242, 273), {"order": "FFF"}, (53, 25, 220), SharedB(200, 175, True), {"turned": True}),
    "widened, f16 CCF": (
        (36, 85, 4),
        {"order": "CCF", "dtype": "f16"},
        (36, 85, 4),
        SharedB(85, 85),
        {"widened": True},
    ),
    "turned, CCF": (
        (451, 10, 178),
        {"order": "CCF"},
        (225, 10, 176),
        SharedB(10, 10, packs_a=True, lines=1),
        {"turned": True},
    ),
}
"""Blocks that were accepted and are wrong: see shared/faults/tuned_json.py."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    store._warned.clear()
    forget()
    yield tmp_path / "cache"
    store._warned.clear()
    forget()


def entry_of(plan: Blocks) -> dict[str, Any]:
    return {"blocks": as_data(plan), "gain": 1.0, "threads": 1, "adds": False}


@pytest.mark.parametrize("name", list(WRONG))
def test_blocks_that_no_nest_computes_with(name: str) -> None:
    size, request, sizes, schedule, facts = WRONG[name]
    product: Any = ts.gemm(*size, beta=0, **request)  # type: ignore[call-overload]
    assert _restored(entry_of(Blocks(*size, *sizes, schedule, **facts)), product.product, product.target) is None


def test_mutants_of_records() -> None:
    """A mutant of a record is refused, or it computes the right product between guard pages."""
    rng = random.Random(5)
    cases: tuple[Any, ...] = (
        ({}, (67, 53, 141)),
        ({"order": "FFF"}, (40, 70, 150)),
        ({"dtype": "bf16"}, (33, 48, 90)),
        ({"order": "CCF", "dtype": "f16"}, (36, 85, 60)),
        ({"dtype": ("u8", "i8", "i32")}, (30, 64, 70)),
    )
    accepted = 0
    for request, size in cases:
        op: Any = ts.gemm(*size, beta=0.0, **request)
        start = entry_of(op._blocks())
        for _ in range(profiles.scaled(60, 5000)):
            entry = deepcopy(start)
            for _ in range(rng.choice((1, 1, 2, 3))):
                where = rng.choice((entry, entry["blocks"], entry["blocks"]["schedule"]))
                name = rng.choice([each for each in where if each not in ("blocks", "schedule", "name")] or ["more"])
                if name == "more":
                    continue
                where[name] = rng.choice(
                    (not where[name], where[name])
                    if isinstance(where[name], bool)
                    else (
                        rng.choice((16, 24, 32, 48, 64, 128, 192, 256)),
                        rng.randrange(1, 300),
                        min(size[1], 4 * 16),
                        0,
                        -1,
                        *size,
                    )
                )
            found = _restored(entry, op.product, op.target)
            if found is not None:
                accepted += 1
                _computes(op, found, size)
    assert accepted > 20


def _computes(op: Any, plan: Any, size: tuple[int, int, int]) -> None:
    made = type(op)(op.request, op.threads)
    made.__dict__["plan"] = plan
    m, n, k = size
    rng = np.random.default_rng(plan.mb)
    of = [numpy_dtype(each) for each in op.product.dtypes]
    shapes = (m, k), (k, n), (m, n)
    arrays = []
    side = str(rng.choice(("start", "end")))
    for shape, dtype, order, output in zip(shapes, of, op.product.order, (False, False, True)):
        values = np.zeros(shape) if output else rng.integers(0 if dtype.kind == "u" else -2, 3, shape)
        lying = guarded(np.ascontiguousarray(values.T if order == "F" else values).astype(dtype), side)
        arrays.append(lying.T if order == "F" else lying)
    made(*arrays)
    right = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64)
    np.testing.assert_array_equal(arrays[2].astype(np.float64), right.astype(of[2]).astype(np.float64), str(plan))


def test_damaged_files_are_missing_with_a_warning(cache: Any) -> None:
    """Any changed byte, a cut, another file's contents, and a file of version 1."""
    op: Any = ts.gemm(200, 170, 230, beta=0.0)
    keep_blocks(op.product, op.target, replace(op._blocks(), gain=1.5), 1)
    machine_facts.keep("x", {"levels": []}, FILES[1])
    data = (cache / FILE).read_bytes()
    assert json.loads(data)["version"] == 2 and tuned_blocks(op.product, op.target) is not None
    rng = random.Random(1)
    damaged = [
        data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :]
        for at in rng.sample(range(len(data)), profiles.scaled(20, len(data)))
    ]
    old = json.dumps({"version": 1, "entries": json.loads(data)["entries"]}).encode()
    for each in (*damaged, data[:50], b"", b"{", b"[]", data + b" ", old, (cache / FILES[1]).read_bytes()):
        (cache / FILE).write_bytes(each)
        store._warned.clear()
        forget()
        with pytest.warns(store.CacheWarning, match="seal does not fit.*Measurements are made anew"):
            assert tuned_blocks(op.product, op.target) is None
    (cache / FILE).write_bytes(data)
    forget()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tuned_blocks(op.product, op.target) is not None


JUNK: tuple[Any, ...] = (
    None,
    [],
    {},
    "x",
    1,
    -1,
    1.5,
    float("nan"),
    float("inf"),
    True,
    10**30,
    [1, 2, 3],
    {"levels": 1},
)


def test_sealed_records_of_other_types() -> None:
    """Whoever seals a record, its fields are checked."""
    op: Any = ts.gemm(64, 64, 64, beta=0.0)
    right = entry_of(op._blocks())
    facts = {"levels": [[1 << 15, 1e9, 1e9], [1 << 20, 1e9, 1e9], [0, 1e9, 1e9]], "region": 1e-5, "workers": 2}
    assert _restored(right, op.product, op.target) is not None and machine_facts.restored(facts) is not None
    for junk in JUNK:
        assert _restored(junk, op.product, op.target) is None and machine_facts.restored(junk) is None
        assert not _complete(junk, 3, 4) and not _complete([junk, junk], 3, 4)
        assert junk == [] or not _complete([1.0, [junk]], 1, 4)
        for name in right:
            if junk != right[name]:
                _restored({**right, name: junk}, op.product, op.target)  # never another exception
        for name in facts:
            machine_facts.restored({**facts, name: junk})
            machine_facts.restored({**facts, "levels": [junk, *facts["levels"][1:]]})  # type: ignore[index]
        machine_facts.keep(machine_facts.key(), junk)
        machine_facts.keep(machine_facts.key(), junk, FILES[2])
        machine_facts.keep(f"products of {machine_facts.machine()}", junk, FILE)
        forget()
        assert tuned_blocks(op.product, op.target) is None
        machine_facts.keep(f"products of {machine_facts.machine()}", {question(op.product, op.target): junk}, FILE)
        forget()
        assert tuned_blocks(op.product, op.target) is None


@pytest.mark.usefixtures("few_stubs")
def test_freeze_beside_planted_links(tmp_path: Any) -> None:
    victim, where = tmp_path / "victim", tmp_path / "shared"
    victim.write_text("precious")
    where.mkdir(mode=0o755)
    for name in ("mm.kernel", "mm.kernel.new"):
        (where / name).symlink_to(victim)
    frozen.freeze({"mm": ts.unary("relu", 3, 4)}, str(where))
    assert victim.read_text() == "precious" and not (where / "mm.kernel").is_symlink()
    assert set(ts.load(where)) == {"mm"}


@pytest.mark.usefixtures("few_stubs")
def test_load_of_what_is_no_kernel(tmp_path: Any) -> None:
    """A pipe does not block, and each malformed entry is named."""
    frozen.freeze({"mm": ts.unary("relu", 3, 4)}, str(tmp_path))
    file = tmp_path / "mm.kernel"
    entry = sealed.unsealed(file.read_bytes(), frozen._KEY)
    for name in [*entry.facts]:
        for value in (None, ..., 3.5, [], [7], "x", "3"):
            facts = {**entry.facts, name: value}
            if value is ...:
                del facts[name]
            facts.pop("sections", None)
            data = sealed.sealed(facts, entry.sections, frozen._KEY)
            file.write_bytes(data)
            os.chmod(file, 0o644)
            kinds = {**frozen._OF_KERNELS, "kind": (), "contents": ()}.get(name)
            if kinds is None or name not in ("request", "spec", "target") and type(value) in kinds:
                continue  # it is not read, or may have this value
            with pytest.raises(ValueError, match=r"mm\.kernel"):
                ts.load(tmp_path)
    file.unlink()
    os.mkfifo(file, 0o644)
    with pytest.raises(ValueError, match="no plain file"):
        ts.load(tmp_path)
