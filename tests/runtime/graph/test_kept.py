"""Programs in the cache folder: what an entry answers, what it brings back, and that nothing is lowered again."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import tilesmith as ts
from tests.profiles import scaled
from tests.runtime.graph.programs import programs
from tilesmith.runtime.cache import store
from tilesmith.runtime.cache.store import CacheWarning
from tilesmith.runtime.graph import lower, program
from tilesmith.runtime.graph.compiled import CompiledGraph, compile
from tilesmith.runtime.host import detect as host

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.fixture
def place(monkeypatch, tmp_path):
    """A cache folder of the test's own."""
    where = tmp_path / "cache"
    monkeypatch.setenv("TILESMITH_CACHE", str(where))
    store._waiting.clear()
    store._warned.clear()
    yield where
    store._waiting.clear()


def lowered(*_):
    raise AssertionError("a program that is kept was lowered")


def found(graph, **options) -> CompiledGraph:
    """Return a program from the cache folder. Fails if it is partitioned and lowered."""
    store.flush()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower, "LoweredProgram", lowered)
        return compile(graph, **options)


def as_tuple(made):
    return made if isinstance(made, tuple) else (made,)


# Cases: a program, its inputs, and what numpy computes for them in f64


def small(*shape):
    """Integers of f32, whose sums of products are exact."""
    return RNG.integers(-3, 4, shape).astype(np.float32)


def layers():
    """Products whose weights are packed, numbers in code, constants that are folded and seen by views."""
    g, (w, v, b) = ts.graph(), (small(64, 192), small(192, 64), small(64))
    x, array = g.input((32, 64)), small(32, 64)
    scale = g.square(g.constant(np.full(64, 0.5, np.float32)))
    h = g.relu(g.linear(x, g.constant(w)))
    y = g.linear(h, g.permute(g.constant(np.ascontiguousarray(v.T)), axes=(1, 0)), g.constant(b))
    return g.finish(y * scale + 0.25), [array], [(np.maximum(array @ w, 0) @ v + b) * 0.25 + 0.25]


def images():
    """A convolution whose weights are packed, one on an image that is padded, and a pooling."""
    g, w, array = ts.graph(), small(8, 4, 3, 3), small(2, 4, 9, 9)
    y, _ = g.max_pool(g.conv(g.input(array.shape), g.constant(w), padding=1), window=3, strides=3)
    padded = np.pad(array.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    exact = np.einsum("nchwij,kcij->nkhw", windows, w)
    return g.finish(y), [array], [exact.reshape(2, 8, 3, 3, 3, 3).max((3, 5))]


def resized():
    """A job with tables of its own."""
    g, array = ts.graph(), normal(1, 3, 4, 4)
    y = g.resize(g.input(array.shape), size=(8, 8), mode="nearest")
    return g.finish(y), [array], [array.astype(float).repeat(2, 2).repeat(2, 3)]


def gathered():
    """Indices that each call checks, of arguments and of intermediate results."""
    g, table = ts.graph(), normal(10, 16)
    i = g.input((5,), np.int64)
    y = g.gather(g.gather(g.constant(table), i), g.constant(np.array([4, 0], np.int64)), negative=False) * 2.0
    index = np.array([3, -1, 0, 9, 2])
    return g.finish(y), [index], [table.astype(float)[index][[4, 0]] * 2]


def python_functions():
    """Functions of the caller, whole operators that Python calls, and masks that are added."""
    g, array = ts.graph(), normal(4, 3, 5, 6)
    x = g.input(array.shape)
    turned = g.foreign(np.cumsum, [g.reshape(x, shape=(-1,))], [((360,), np.float32)], name="cumsum", reason="none")
    y, mean, _ = g.batch_norm_training(x, None, None)
    exact = array.astype(float)
    deviation = np.sqrt(exact.var((0, 2, 3), keepdims=True) + 1e-5)
    wanted = [np.cumsum(exact) + 1, (exact - exact.mean((0, 2, 3), keepdims=True)) / deviation, exact.mean((0, 2, 3))]
    return g.finish(turned + 1.0, y, mean), [array], wanted


def masked_attention():
    g, arrays = ts.graph(), [normal(1, 2, 4, 8) for _ in range(3)]
    mask = RNG.random((1, 1, 4, 4)) < 0.8
    mask[..., 0] = True
    values = [g.input(each.shape) for each in arrays]
    y, _ = g.attention(*values, g.input(mask.shape, bool))
    q, k, v = (each.astype(float) for each in arrays)
    scores = np.where(mask, q @ k.swapaxes(2, 3) / np.sqrt(8), -np.inf)
    parts = np.exp(scores - scores.max(-1, keepdims=True))
    return g.finish(y), [*arrays, mask], [parts / parts.sum(-1, keepdims=True) @ v]


def empty_sums():
    g, array = ts.graph(), np.empty((3, 0), np.float32)
    return g.finish(g.sum(g.input((3, 0)), axes=1)), [array], [np.zeros(3)]


CASES = [layers, images, resized, gathered, python_functions, masked_attention, empty_sums]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_an_entry_brings_a_program_back(place, case):
    graph, inputs, exact = case()
    made = compile(graph)
    first = as_tuple(made(*inputs))
    for each, wanted in zip(first, exact):
        assert np.allclose(each, wanted, rtol=1e-4, atol=1e-4)
    again = found(graph)
    assert all(map(np.array_equal, as_tuple(again(*inputs)), first))
    assert all(map(np.array_equal, as_tuple(again(*inputs, threads=2)), first))
    assert str(again.explain()) == str(made.explain()) and repr(again) == repr(made) and again.arena == made.arena


@given(drawn=programs())
@settings(max_examples=scaled(6, 20_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_drawn_programs_come_back(place, drawn):
    graph, inputs, results = drawn
    compile(graph)
    made = as_tuple(found(graph)(*inputs))
    for each, known in zip(made, results, strict=True):
        assert not (np.abs(each.astype(float) - known.exact) > known.error + 1e-300).any()


def test_weights_are_no_part_of_an_entry(place):
    """Programs with other weights are the same entry, whose calls read their own weights; numbers are in the code."""

    def layer(w, number):
        g = ts.graph()
        return g.finish(g.linear(g.input((32, 64)), g.constant(w)) * number)

    x, w, v = small(32, 64), small(64, 192), small(64, 192)
    compile(layer(w, 2.0))
    assert np.array_equal(found(layer(v, 2.0))(x), 2 * (x @ v))
    with pytest.raises(AssertionError, match="lowered"):
        found(layer(w, 3.0))


def request(change=None, threads=None, target=None):
    """The request of a program, with one thing of it changed."""
    asked = {"shape": (4, 6), "dtype": np.float32, "strides": None, "axis": 1, "name": "softmax", "number": 2.0}
    asked |= {"weights": np.zeros((4, 6), np.float32), "wanted": None, "label": "", "reason": "none"} | (change or {})
    g = ts.graph()
    x = g.input(asked["shape"], asked["dtype"], name=asked["label"], strides=asked["strides"])
    y = g.apply(asked["name"], x, axis=asked["axis"]) + g.constant(asked["weights"].astype(asked["dtype"]))
    y = g.foreign(lambda a: a, [y * asked["number"]], [((4, 6), asked["dtype"])], name="own", reason=asked["reason"])
    graph = g.finish(y, strides=[asked["wanted"]])
    return program.request_of(graph, threads, host.resolve(target))


CHANGES = [
    {"dtype": np.float64},
    {"strides": (1, 4)},
    {"axis": 0},
    {"name": "log_softmax"},
    {"number": 2.5},
    {"number": -0.0},
    {"weights": np.zeros((6, 4), np.float32).T},
    {"weights": np.zeros(6, np.float32)},
    {"wanted": (1, 4)},
    {"reason": "another"},
]


def test_the_content_of_a_program_is_its_request(place, monkeypatch):
    base = request()
    assert base is not None and request() == base
    assert request({"label": "another"}) == base, "names are those of the program at hand"
    assert request({"weights": np.ones((4, 6), np.float32)}) == base, "weights are those of the program at hand"
    sse = next(each for each in ("sse", "neon") if host.host().arch == host.resolve(each).arch)
    others = [request(each) for each in CHANGES] + [request(threads=2), request(target=sse)]
    ts.set_accuracy("fast")
    others.append(request())
    ts.set_accuracy("standard")
    workers = ts.num_threads()
    ts.set_num_threads(workers + 1)
    others.append(request())
    ts.set_num_threads(workers)
    monkeypatch.setattr(program, "tuned_products", lambda: "blocks that ts.tune found")
    others.append(request())
    monkeypatch.undo()
    monkeypatch.setenv("TILESMITH_CACHE", str(place))
    monkeypatch.setattr(program.stamp, "stamp", lambda: "another version")
    others.append(request())
    assert len({base, *others}) == 1 + len(others)


def test_nothing_is_kept_without_a_cache_or_for_other_machines(place, monkeypatch):
    other = "neon" if host.host().arch == "x86" else "sse"
    assert request(target=other) is None
    monkeypatch.setenv("TILESMITH_VERIFY", "1")
    assert request() is None, "kernels are proved as they are made"
    monkeypatch.delenv("TILESMITH_VERIFY")
    monkeypatch.setenv("TILESMITH_CACHE", "off")
    assert request() is None


def entry_of(place):
    """The file of the only program in the folder."""
    store.flush()
    return next(each for each in place.glob("*.kernel") if b"'kind': 'graph'" in each.read_bytes())


@pytest.mark.parametrize("damage", ["cut", "changed", "foreign", "open to others"])
def test_damaged_entries_are_made_again(place, damage):
    graph, inputs, (exact,) = images()
    compile(graph)
    path = entry_of(place)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(data[:-100])
    elif damage == "changed":
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    elif damage == "foreign":
        path.write_bytes(max((each for each in place.glob("*.kernel") if each != path), key=str).read_bytes())
    else:
        path.chmod(0o644)
    store._warned.clear()
    with pytest.warns(CacheWarning, match=path.name):
        made = compile(graph)
    assert np.array_equal(made(*inputs), exact)
    assert np.array_equal(found(graph)(*inputs), exact), "it is written again"


def test_an_entry_for_other_instructions_is_made_again(place, monkeypatch):
    graph, inputs, (exact,) = resized()

    def keep(request, make):
        facts, sections = make()
        stored(request, lambda: ({**facts, "features": ["none"]}, sections))

    stored = store.keep
    monkeypatch.setattr(store, "keep", keep)
    compile(graph)
    with pytest.raises(AssertionError, match="lowered"):
        found(graph)
    assert np.array_equal(compile(graph)(*inputs), exact)


def test_a_folder_that_cannot_be_written_changes_nothing(place):
    graph, inputs, (exact,) = resized()
    place.write_text("no folder")
    with pytest.warns(CacheWarning):
        made = compile(graph)
        store.flush()
    assert np.array_equal(made(*inputs), exact)


def test_what_calls_raise_reaches_the_caller(place):
    graph, (index,), _ = gathered()
    compile(graph)
    index[2] = 10
    with pytest.raises(IndexError, match="entry 2 is 10"):
        found(graph)(index)

    def refuses(x):
        raise RuntimeError("not today")

    g = ts.graph()
    graph = g.finish(g.foreign(refuses, [g.input((2, 2))], [((2, 2), np.float32)], name="refuses", reason="none"))
    compile(graph)
    with pytest.raises(RuntimeError, match="not today"):
        found(graph)(normal(2, 2))


def test_steps_are_made_if_somebody_asks(place):
    """The code of a program that was found is that of its steps, which are proved."""
    graph, inputs, _ = layers()
    made = compile(graph)
    again = found(graph)
    (kept,), (segment,) = again._program.calls.parts, again.executor.segments
    assert kept.job.data == segment.job.data == made.executor.segments[0].job.data
    assert again.executor.verify_schedule().holds and str(again.executor) == str(made.executor)
    assert len(again.steps) == len(made.steps)
    assert np.array_equal(pickle.loads(pickle.dumps(again))(*inputs), made(*inputs))


def test_an_entry_that_waits_holds_no_weights(place):
    g = ts.graph()
    made = compile(g.finish(g.linear(g.input((32, 64)), g.constant(small(64, 192)))))
    gone = weakref.ref(made)
    assert store._waiting
    del g, made
    gc.collect()
    assert gone() is None


SECOND = """
import sys, numpy as np, tilesmith as ts
from tilesmith.runtime.kernel import origin
from tilesmith.runtime.loops import job
counts = {"kernels": 0, "nests": 0}
def counted(what, function):
    def call(*args, **named):
        counts[what] += 1
        return function(*args, **named)
    return call
origin.Emitted.__init__ = counted("kernels", origin.Emitted.__init__)
job.Job.__init__ = counted("nests", job.Job.__init__)
g = ts.graph()
w, v = (np.arange(n * 64, dtype=np.float32).reshape(64, n) % 7 - 3 for n in (192, 64))
x = g.input((32, 64))
f = g.compile(g.softmax(g.linear(g.relu(g.linear(x, g.constant(w))), g.constant(np.ascontiguousarray(w.T @ v / 500)))))
y = f(np.arange(32 * 64, dtype=np.float32).reshape(32, 64) % 5 - 2)
planners = [name for name in sys.modules if name.endswith((".graph.partition", ".graph.lower", ".executor.run"))]
print(counts["kernels"], counts["nests"], len(planners), y.tobytes().hex())
"""


def test_a_second_process_makes_nothing(place):
    """It imports neither the partition nor the lowering, makes no kernel and no nest, and computes the same bits."""
    outputs = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", SECOND], capture_output=True, text=True, check=True)
        outputs.append(done.stdout.split())
    (kernels, nests, planners, bits), again = outputs
    assert int(kernels) and int(nests) and int(planners) == 3
    assert again == ["0", "0", "0", bits]
