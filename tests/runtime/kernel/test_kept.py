"""Kernels from the disk cache equal newly made ones: the same attributes, results and refusals."""

import inspect
import os
import pickle
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, check_canary, guarded
from tilesmith.encoder.records import text_of
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.cache import folder, sealed, store
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.kernel import origin
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.kinds import kind_of
from tilesmith.runtime.kernel.origin import CachedCode, Emitted, request_of
from tilesmith.runtime.kernel.texts import value_of
from tilesmith.runtime.system import environment

ROOT = Path(__file__).parents[3]
PLANNERS = (
    "microkernels.machines.x86",
    "microkernels.machines.a64",
    "microkernels.products",
    "microkernels.prepack",
    "microkernels.gemm.blocking",
    "microkernels.gemm.plan",
    "microkernels.eltwise.plan",
    "encoder.x86",
    "microkernels.transform.plan",
    "microkernels.codegen.linear_scan",
    "encoder.a64.rows",
    "encoder.a64.assembler",
    "runtime.scalar.x86",
    "runtime.scalar.a64",
)
SPECS = {
    "brgemm": lambda: ts.brgemm(13, 17, 19, beta=0.0),
    "batch": lambda: ts.brgemm(5, 6, 7, batch=ts.STRIDE),
    "stack": lambda: ts.brgemm(5, 6, 7, stack=3),
    "leading": lambda: ts.brgemm(5, 6, 7, lda=ts.RUNTIME, dtype="f64"),
    "bf16": lambda: ts.brgemm(8, 16, 12, dtype="bf16"),
    "epilogue": lambda: ts.brgemm(9, 9, 9, epilogue=lambda c, bias: ts.gelu(c + bias)),
    "unary": lambda: ts.unary("exp", 6, 9),
    "dropout": lambda: ts.unary("dropout", 6, 9, rate=0.5),
    "reduce": lambda: ts.reduce("argmax", 6, 9, axis=1),
    "transpose": lambda: ts.transpose(7, 5, dtype="bf16"),
    "gather": lambda: ts.gather("rows", 4, 8, size=20),
    "bag": lambda: ts.embedding_bag(4, 8, size=20, count=10),
    "bags": lambda: ts.embedding_bag(ts.RUNTIME, 8, size=ts.RUNTIME, count=ts.RUNTIME),
    "fused": lambda: ts.fused("softmax", 4, 9),
    "rows": lambda: ts.unary("gelu", ts.RUNTIME, 9),
    "products": lambda: ts.equation(lambda x, w: ts.relu(x @ w), x=(5, 9), w=(9, 7)),
    "attention": lambda: ts.attention(1, 4, 4, 8),
}


@pytest.fixture
def place(monkeypatch, tmp_path):
    where = tmp_path / "cache"
    monkeypatch.setenv(environment.CACHE, str(where))
    store._waiting.clear()
    store._warned.clear()
    entry.code_of.cache_clear()  # so that entries are looked up too
    yield where
    store._waiting.clear()


def pair(name):
    """Return a kernel as it was made, and the kernel that the cache then returns for the request."""
    spec = SPECS[name]().spec
    made = Kernel(spec, ts.host())
    store.flush()
    entry.code_of.cache_clear()
    found = Kernel(spec, ts.host())
    assert isinstance(made._origin, Emitted) and isinstance(found._origin, CachedCode)
    return made, found


def described(kernel):
    return {
        **{name: getattr(kernel, name) for name in ("code", "name", "c_prototype", "flops", "emulated", "spec")},
        "plan": (str(kernel.plan), str(kernel.plan.rejected), kernel.plan == kernel.plan),
        "listings": [kernel.listing(syntax) for syntax in ("intel", "gas")],
        "tables": (kernel.registers(), kernel.costs()),
        "shown": [re.sub("at 0x[0-9a-f]+", "at", each) for each in (str(kernel), repr(kernel), kernel._repr_html_())],
        "help": pydoc.plain(pydoc.render_doc(kernel)),
        "signature": inspect.signature(kernel),
        "features": kernel._origin.features,
    }


@pytest.mark.parametrize("name", SPECS)
def test_a_kept_kernel_describes_itself_like_a_new_one(place, name, tmp_path):
    made, found = pair(name)
    assert described(found) == described(made)
    assert found.address and found.address != made.address
    for suffix in (".o", ".s", ".h", ".bin"):
        for kernel, stem in ((made, "made"), (found, "found")):
            kernel.save(tmp_path / f"{stem}{suffix}")
        assert (tmp_path / f"made{suffix}").read_bytes() == (tmp_path / f"found{suffix}").read_bytes()
    for value in (found.spec, found.target):
        assert value_of(text_of(value)) == value and text_of(value_of(text_of(value))) == text_of(value)
    again = pickle.loads(pickle.dumps(found))
    assert (again.spec, again.target) == (found.spec, found.target)


@both_sides
def test_a_kept_kernel_touches_its_operands_only(place, side):
    made, found = pair("brgemm")
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((13, 19), (19, 17)))
    c = guarded(np.full((13, 17), np.nan, np.float32), side)
    held = [guarded(each, side, writable=False) for each in (a, b)]
    found(*held, c)
    check_canary(c)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = 19 * 2.0**-23 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    assert (np.abs(c - exact) <= bound).all()
    assert np.array_equal(c, made(a, b)) and np.array_equal(c, found.run(a, b))
    emulated = np.zeros((13, 17), np.float32)
    assert found.emulate(a, b, emulated).steps == made.emulate(a, b, emulated).steps


WRONG = [
    lambda a, b, c: (a, b, c[:5]),
    lambda a, b, c: (a.astype("f8"), b, c),
    lambda a, b, c: (a, b),
    lambda a, b, c: (a,),
    lambda a, b, c: (a, b.T, c),
    lambda a, b, c: (a, b, a),
    lambda a, b, c: (a.astype(">f4"), b, c),
    lambda a, b, c: (),
    lambda a, b, c: (a, b, None),
    lambda a, b, c: (1, 2, 3),
    lambda a, b, c: (a, c, c),
    lambda a, b, c: (a, b, c, c),
]


def outcome(kernel, args):
    try:
        return kernel(*args)
    except Exception as error:
        return type(error), str(error)


def test_a_kept_kernel_refuses_the_same_calls(place):
    spec = ts.gemm_spec(13, 17, 19)
    made = Kernel(spec, ts.host())
    store.flush()
    entry.code_of.cache_clear()
    found = Kernel(spec, ts.host())
    right = [np.ones(shape, np.float32) for shape in ((13, 19), (19, 17), (13, 17))]
    for change in WRONG:
        args = change(*right)
        assert outcome(found, args) == outcome(made, args)
    frozen = right[2].copy()
    frozen.flags.writeable = False
    assert outcome(found, (*right[:2], frozen)) == outcome(made, (*right[:2], frozen))


def test_release_of_the_gil_is_decided_as_before(place):
    for name in ("brgemm", "batch"):
        made, found = pair(name)
        assert made._origin.pair_cycles == found._origin.pair_cycles


def forged(spec, target, **facts):
    """Write a cache entry of this request with some facts changed."""
    given, sections = origin.entry_of(Emitted(spec, target, kind_of(spec)))
    with folder.opened(os.environ[environment.CACHE], create=True) as opened:
        store.put(opened, request_of(spec, target), {**given, **facts}, sections)


def test_code_that_needs_other_features_is_never_mapped(place, monkeypatch):
    spec = ts.gemm_spec(3, 4, 5)
    forged(spec, ts.host(), features=[*ts.host().features, "AVX512_ELSEWHERE"])
    assert isinstance(Kernel(spec, ts.host())._origin, Emitted)


def test_each_processor_has_entries_of_its_own(place):
    spec = ts.gemm_spec(3, 4, 5)
    requests = {request_of(spec, target) for target in (ts.host(), *TARGETS.values())}
    assert len(requests) == 1 + len(TARGETS)
    assert len({sealed.name_of(each) for each in requests}) == len(requests)


def test_a_damaged_entry_is_made_anew(place):
    spec = SPECS["transpose"]().spec
    right = Kernel(spec, ts.host()).code
    store.flush()
    for path in place.glob("*.kernel"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    entry.code_of.cache_clear()
    with pytest.warns(store.CacheWarning):
        made = Kernel(spec, ts.host())
    assert isinstance(made._origin, Emitted) and made.code == right


def test_code_of_other_architectures_is_not_kept(place):
    foreign = next(target for target in TARGETS.values() if target.arch != ts.host().arch)
    Kernel(ts.gemm_spec(3, 4, 5), foreign)
    assert not store._waiting


HIT = """
import sys
import numpy as np
import tilesmith as ts
from tilesmith.runtime.system import environment
{make}
a, b, c = (np.full(shape, 2, np.float32) for shape in ((13, 19), (19, 17), (13, 17)))
mm(a, b, c)
assert (c == 78).all()
y = np.empty((6, 9), np.float32)
up(np.ones((6, 9), np.float32), y)
assert np.allclose(y, np.e, rtol=1e-5)
for wrong in ((a, b, c.T), (a, b), (a, b, c.astype(np.float64))):
    try:
        mm(*wrong)
    except (TypeError, ValueError):
        continue
    raise AssertionError("accepted")
print(" ".join(name.removeprefix("tilesmith.") for name in sys.modules if name.startswith("tilesmith.")))
"""
MADE = 'mm, up = ts.brgemm(13, 17, 19), ts.unary("exp", 6, 9)'


def modules(script, cwd, **environment):
    """Return the names of the project's modules that a process with this script has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.split()


def planners(names):
    return [name for name in names if name.startswith(PLANNERS)]


@pytest.mark.seconds
def test_a_new_process_finds_kernels_without_planners(tmp_path):
    script, where = HIT.format(make=MADE), {environment.CACHE: str(tmp_path / "cache")}
    first, second = (modules(script, tmp_path, **where) for _ in range(2))
    assert planners(first)
    assert not planners(second)


@pytest.mark.seconds
def test_frozen_kernels_are_loaded_without_planners(tmp_path):
    (tmp_path / "mine.py").write_text(f"import tilesmith as ts\n{MADE}\n")
    off = {environment.CACHE: "off"}
    freeze = "import sys; from tilesmith.runtime.cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", freeze, "freeze", "mine:mm,up", "-o", "out"],
        cwd=tmp_path,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **off},
        capture_output=True,
    )
    assert done.returncode == 0 and "out/mm.kernel" in done.stdout.split(), done.stderr
    load = 'kernels = ts.load("out"); mm, up = kernels["mm"], kernels["up"]'
    assert not planners(modules(HIT.format(make=load), tmp_path, **off))
