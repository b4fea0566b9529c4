"""Steps in machine code: every kind of kernel, on any number of threads, in the emulator, between guard pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address, both_sides, guarded, run_forked
from tests.threads import together
from tilesmith.emulation.workers import Race
from tilesmith.runtime.arguments.arrays import array_at
from tilesmith.runtime.cache import store
from tilesmith.runtime.graph.executor import Executor, Slot
from tilesmith.runtime.graph.schedule import Phase, Span, first_race
from tilesmith.runtime.graph.stages import Touched
from tilesmith.runtime.graph.steps import At, OnArrays, Step
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.images.job import Images, job_for
from tilesmith.runtime.images.nest import ImagesRequest
from tilesmith.runtime.images.pooling import LARGEST, windows
from tilesmith.runtime.loops.job import CachedJob
from tilesmith.runtime.ops.spread_stack import Batch

Array = np.ndarray[Any, Any]
WORKERS = (1, 2, 3, 7)
M, K, N = 33, 24, 40
LINE = 64


def up(size: int) -> int:
    return -(-size // LINE) * LINE


class Program:
    """Steps on arrays by name, for an executor: values between steps lie one behind the other in the arena."""

    def __init__(self, threads: int | None = None) -> None:
        self.steps: list[Step] = []
        self.arena, self.threads = 0, threads
        self.inputs: dict[str, Array] = {}
        self.results: dict[str, Array] = {}
        self.constants: dict[str, Array] = {}
        self.places: dict[str, int] = {}

    def between(self, name: str, size: int) -> str:
        self.places[name] = self.arena
        self.arena += up(size)
        return name

    def step(self, entry: Any, *operands: str | int, name: str = "") -> None:
        self.steps.append(Step(entry, operands, name))  # type: ignore[arg-type]  # names become places in `made`

    def made(self) -> Executor:
        given = {**self.inputs, **self.results, **self.constants}
        number = {name: place for place, name in enumerate(given, 1)}

        def at(operand: Any) -> Any:
            if not isinstance(operand, str):
                return operand
            name, _, offset = operand.partition("+")
            more = int(offset or 0)
            return At(0, self.places[name] + more) if name in self.places else At(number[name], more)

        slots = [Slot("arena", self.arena, True)]
        slots += [Slot(name, each.nbytes) for name, each in self.inputs.items()]
        slots += [Slot(name, each.nbytes, True) for name, each in self.results.items()]
        slots += [Slot(name, constant=each) for name, each in self.constants.items()]
        steps = [each._replace(operands=tuple(map(at, each.operands))) for each in self.steps]
        return Executor(steps, slots, self.threads)

    @property
    def arguments(self) -> list[Array]:
        return [*self.inputs.values(), *self.results.values()]

    def run(self, made: Executor, threads: int | None = None) -> None:
        made.run([address(each) for each in self.arguments], threads)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def random(*shape: int, seed: int = 0) -> Array:
    found: Array = rng(seed).standard_normal(shape, dtype=np.float32)
    return found


def chain(side: str = "end", target: str | None = None) -> tuple[Program, Array]:
    """A product, a bias with an activation, a softmax and a product by packed weights; what they should give."""
    x, w, bias, v = random(M, K), random(K, N, seed=1), random(N, seed=2), random(N, K, seed=3)
    program = Program()
    product = ts.gemm(M, N, K, beta=0.0, target=target)
    activated = ts.equation(lambda x, b: ts.relu(x + b), x=(M, N), b=(1, N), target=target)
    softmax = ts.fused("softmax", M, N, target=target)
    layer = ts.linear(M, K, N, bias=False, target=target)
    program.inputs = {"x": guarded(x, side, writable=False), "bias": guarded(bias, side, writable=False)}
    program.results = {"y": guarded(np.zeros((M, K), np.float32), side)}
    packed = layer.packing.run(v) if target else layer.pack(v)
    program.constants = {"w": w, "v": packed.array}
    for name in "abc":
        program.between(name, 4 * M * N)
    program.step(product, "x", "w", "a")
    program.step(activated, "a", "bias", "b")
    program.step(softmax, "b", "c")
    program.step(layer, "c", "v", "y")
    rows = np.maximum(x.astype(float) @ w.astype(float) + bias, 0)
    rows = np.exp(rows - rows.max(1, keepdims=True))
    return program, (rows / rows.sum(1, keepdims=True)) @ v.astype(float)


@both_sides
def test_a_chain(side: str) -> None:
    program, wanted = chain(side)
    made = program.made()
    found = []
    for threads in (*WORKERS, None):
        program.results["y"][...] = np.nan
        program.run(made, threads)
        found.append(program.results["y"].copy())
    assert np.allclose(found[0], wanted, rtol=1e-5, atol=1e-6)
    assert all(np.array_equal(found[0], each) for each in found[1:])
    assert len(made.segments) == 1 and made.verify_schedule().holds


@pytest.mark.parametrize("target", ["avx512", "neon", "sve256", "amx", "avx2"])
def test_a_chain_in_the_emulator(target: str) -> None:
    program, wanted = chain(target=target)
    made = program.made()
    for workers in (1, 3):
        program.results["y"][...] = np.nan
        made.emulated(program.arguments, workers, turns=workers)
        assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)


# Every kind of entry, between two kernels of one core


def softmax_of(x: Array) -> Array:
    rows = np.exp(x.astype(float) - x.max(-1, keepdims=True))
    found: Array = rows / rows.sum(-1, keepdims=True)
    return found


def attention_of(x: Array) -> Array:
    q, k, v = x.astype(float).reshape(3, 2, 8, 16)
    return softmax_of(q @ k.swapaxes(1, 2) / 4) @ v


def pool(target: str | None) -> Images:
    axes = windows((8, 8), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1), False, False)
    strides = (4 * 64, 64, 8, 1), (4 * 16, 16, 4, 1)
    return job_for(ImagesRequest((2, 4), axes, *strides, LARGEST, ("f32", "f32"), host.resolve(target)))


class Case(NamedTuple):
    """An entry of one matrix x (32, 24) and one result; the operands between and behind them; what it computes."""

    make: Callable[[str | None], Any]
    operands: Callable[[Any], Sequence[str | int]]
    shape: tuple[int, ...]
    wanted: Callable[[Array], Array]
    rows: int = 32
    columns: int = 24


CASES = {
    "spread": Case(
        lambda t: ts.spread(ts.fused("softmax", 32, 24, target=t)), lambda _: ("x", "y"), (32, 24), softmax_of
    ),
    "columns": Case(
        lambda t: ts.spread(ts.reduce("sum", 512, 24, axis=0, target=t)),
        lambda _: ("x", "y"),
        (24,),
        lambda x: x.sum(0, dtype=float),
        rows=512,
    ),
    "attention": Case(
        lambda t: ts.spread(ts.attention(2, 8, 8, 16, target=t)),
        lambda _: ("x", "x+1024", "x+2048", "y"),
        (2, 8, 16),
        attention_of,
    ),
    "stack": Case(
        lambda t: ts.spread(ts.brgemm(4, 4, 4, stack=48, beta=0.0, target=t)),
        lambda _: ("x", "x", "y", 64, 64, 64),
        (48, 4, 4),
        lambda x: x.reshape(48, 4, 4) @ x.reshape(48, 4, 4),
    ),
    "counted stack": Case(
        lambda t: ts.spread(ts.brgemm(4, 4, 4, stack=ts.RUNTIME, beta=0.0, target=t)),
        lambda _: ("x", "x", "y", 11, 64, 0, 64),
        (11, 4, 4),
        lambda x: x.reshape(48, 4, 4)[:11] @ x.reshape(48, 4, 4)[0],
    ),
    "batch": Case(
        lambda t: Batch(ts.brgemm(4, 4, 4, beta=0.0, target=t), 48, (64, 64, 64)),
        lambda _: ("x", "x", "y"),
        (48, 4, 4),
        lambda x: x.reshape(48, 4, 4) @ x.reshape(48, 4, 4),
    ),
    "rows": Case(
        lambda t: ts.spread(ts.unary("relu", ts.RUNTIME, 24, target=t)),
        lambda _: ("x", "y", 32),
        (32, 24),
        lambda x: np.maximum(x, 0),
    ),
    "pool": Case(
        pool, lambda job: ("x", "y", "tables"), (2, 4, 4, 4), lambda x: x.reshape(2, 4, 4, 2, 4, 2).max((3, 5)), 8, 64
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_entry(name: str) -> None:
    for target in (None, "avx2", "sve256"):
        program, wanted = around(CASES[name], target)
        made, found = program.made(), []
        for workers in WORKERS if target is None else (1, 3):
            program.results["z"][...] = np.nan
            if target is None:
                program.run(made, workers)
            else:
                made.emulated(program.arguments, workers)
            found.append(program.results["z"].copy())
        assert np.allclose(found[0], wanted, rtol=1e-5, atol=1e-5)
        assert all(np.array_equal(found[0], each) for each in found[1:])
        assert made.verify_schedule().holds and len(made.segments) == 1


def around(case: Case, target: str | None) -> tuple[Program, Array]:
    """Return -f(-x) as a program."""
    x, size = random(case.rows, case.columns), int(np.prod(case.shape))
    program, entry = Program(), case.make(target)
    program.inputs = {"given": guarded(x, "start", writable=False)}
    program.results = {"z": guarded(np.zeros(size, np.float32), "end")}
    program.between("x", x.nbytes)
    program.between("y", 4 * size)
    program.constants = {"tables": entry.tables} if hasattr(entry, "tables") else {}
    program.step(ts.unary("negate", case.rows, case.columns, target=target), "given", "x")
    program.step(entry, *case.operands(entry))
    program.step(ts.unary("negate", 1, size, target=target), "y", "z")
    return program, -case.wanted(-x).ravel()


@pytest.mark.parametrize("target", [None, "avx512", "neon"])
def test_convolutions(target: str | None) -> None:
    x, w = random(2, 3, 9, 9), random(4, 3, 3, 3, seed=1)
    layer = ts.conv(x.shape, w.shape, bias=False, activation=ts.relu, padding=1, target=target)
    program = Program()
    program.inputs, program.results = {"x": x}, {"y": np.zeros((2, 4, 9, 9), np.float32)}
    program.constants = {"w": layer.panels(w) if target is None else layer.panels(w)}
    program.between("a", program.results["y"].nbytes)
    program.step(layer, "x", "w", "a")
    program.step(ts.unary("negate", 8, 81, target=target), "a", "y")
    made = program.made()
    if target is None:
        program.run(made, 2)
    else:
        made.emulated(program.arguments, 3)
    padded = np.pad(x.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    assert np.allclose(program.results["y"], -np.maximum(np.einsum("nchwij,kcij->nkhw", seen, w), 0), atol=1e-5)


def test_nests() -> None:
    """A nest says itself who runs what, so that all workers run it."""
    kernel = ts.unary("negate", 2, 8)
    nest = ts.nest(
        "B", {"b": (0, 16, 1)}, lambda i, x, y: kernel(x[i.b], y[i.b]), x=((16, 2, 8), "f32"), y=((16, 2, 8), "f32")
    )
    x = random(32, 8)
    program = Program()
    program.inputs, program.results = {"x": x}, {"y": np.zeros_like(x)}
    program.between("a", x.nbytes)
    program.step(nest, "x", "a", name="first")
    program.step(nest, "a", "y", name="second")
    made = program.made()
    program.run(made, 3)
    assert np.array_equal(program.results["y"], x)
    assert [len(phase.divided) for phase in made.segments[0].schedule] == [1, 1]
    made.emulated(program.arguments, 3)


# Phases


def test_strands() -> None:
    """Two long chains that do not depend on each other are strands; a step that reads both waits for them."""
    program = Program()
    program.inputs = {"x": random(64, 256)}
    program.results = {"y": np.zeros((64, 256), np.float32)}
    tanh, add = ts.unary("tanh", 64, 256), ts.binary("add", 64, 256)
    for name in ("a", "b", "c", "d"):
        program.between(name, 64 * 256 * 4)
    for before, after in (("x", "a"), ("a", "b"), ("x", "c"), ("c", "d")):
        program.step(tanh, before, after, name=after)
    program.step(add, "b", "d", "y", name="sum")
    made = program.made()
    first, second = made.segments[0].schedule
    assert [[each.name for each in strand] for strand in first.strands] == [["a", "b"], ["c", "d"]]
    assert [[each.name for each in strand] for strand in second.strands] == [["sum"]]
    assert made.verify_schedule().holds
    found = []
    for threads in WORKERS:
        program.run(made, threads)
        found.append(program.results["y"].copy())
    wanted = 2 * np.tanh(np.tanh(program.inputs["x"].astype(float)))
    assert np.allclose(found[0], wanted, atol=1e-6) and all(np.array_equal(each, found[0]) for each in found)
    made.emulated(program.arguments, 2, turns=1)
    assert np.array_equal(program.results["y"], found[0])


def test_few_steps_are_not_worth_a_barrier() -> None:
    program = Program()
    program.inputs, program.results = {"x": random(2, 8)}, {"y": np.zeros((2, 8), np.float32)}
    for name in "ab":
        program.between(name, 64)
        program.step(ts.unary("negate", 2, 8), "x", name, name=name)
    program.step(ts.binary("add", 2, 8), "a", "b", "y", name="sum")
    made = program.made()
    (phase,) = made.segments[0].schedule
    assert [[each.name for each in strand] for strand in phase.strands] == [["a", "b", "sum"]]
    assert not made.segments[0].parallel


def raced() -> Executor:
    """Return an executor whose schedule is wrong: the second step may run before the first one has ended."""
    program = Program()
    program.inputs, program.results = {"x": random(8, 8)}, {"y": np.zeros((8, 8), np.float32)}
    program.between("a", 256)
    program.step(ts.unary("negate", 8, 8), "x", "a", name="first")
    program.step(ts.unary("negate", 8, 8), "a", "y", name="second")
    made = program.made()
    (segment,) = made.segments
    segment.schedule = (Phase((), tuple((each,) for each in segment.stages)),)
    segment.parallel = True
    return made


def test_a_wrong_schedule_is_found() -> None:
    made = raced()
    claim = made.verify_schedule()
    assert not claim.holds and "first and second" in claim.how
    with pytest.raises(Race):
        for turns in range(20):
            made.emulated([random(8, 8), np.zeros((8, 8), np.float32)], 2, turns)


def test_columns_of_one_buffer_do_not_race() -> None:
    """Two results whose elements lie between each other: no byte is common."""
    one, other = (span(written=True, offset=each) for each in (0, 16))
    assert not race_between(one, other) and race_between(one, span(written=False, offset=8))
    assert not race_between(span(written=False), span(written=False))


def span(written: bool, offset: int = 0) -> Span:
    return Span.of(1, offset, Touched(0, written, 0, (4, 4), (32, 4), 4))


def race_between(one: Span, other: Span) -> bool:
    (stage,) = raced().segments[0].stages[:1]
    strands = tuple((stage._replace(spans=(each,)),) for each in (one, other))
    return first_race([Phase((), strands)]) is not None


# What is refused, and what is raised


def relu_program() -> Program:
    program = Program()
    program.inputs, program.results = {"x": random(4, 8)}, {"y": np.zeros((4, 8), np.float32)}
    program.between("a", 128)
    return program


@pytest.mark.parametrize(
    ("operands", "said"),
    [
        (("x+4", "y"), "touches bytes 4 to 131 of x, which has 128"),
        (("x", "y+64"), "touches bytes 64 to 191 of y, which has 128"),
        (("x", "a+128"), "of arena, which has 128"),
        (("x+-4", "y"), "touches bytes -4"),
        (("x", "x"), "is written, but x is only read"),
        (("x+2", "y"), "no multiple of 4 bytes"),
        (("a", "y"), "reads byte 0 of the arena, which no step before it writes"),
        (("x",), "takes 2 operands, not 1"),
        (("x", 7), "is an address"),
    ],
)
def test_wrong_addresses_are_refused(operands: tuple[str | int, ...], said: str) -> None:
    program = relu_program()
    program.step(ts.unary("relu", 4, 8), *operands, name="step")
    with pytest.raises(ValueError, match=said):
        program.made()


def test_an_unknown_slot_is_refused() -> None:
    step = Step(ts.unary("relu", 4, 8), (At(1), At(3)), "step")
    with pytest.raises(ValueError, match="slot 3"):
        Executor([step], [Slot("arena"), Slot("x"), Slot("y", written=True)])
    with pytest.raises(ValueError, match="slots"):
        Executor([], [Slot("arena"), Slot("w", constant=random(1)), Slot("x")])


def test_entries_that_are_no_steps_are_refused() -> None:
    program = relu_program()
    program.step(len, "x", "y")
    with pytest.raises(ts.UnsupportedError, match="neither a kernel"):
        program.made()
    program = relu_program()
    program.step(ts.brgemm(2, 2, 2, batch=ts.ADDRESS), "x", "x", "y", 1)
    with pytest.raises(ts.UnsupportedError, match="table in memory"):
        program.made()


def test_too_few_addresses() -> None:
    program = relu_program()
    program.step(ts.unary("relu", 4, 8), "x", "y")
    with pytest.raises(TypeError, match="takes 2 addresses, not 1"):
        program.made().run([0])


class Broken(Exception):
    pass


def foreign_program(function: Callable[..., None]) -> Program:
    program = relu_program()
    program.between("b", 128)
    program.step(ts.unary("negate", 4, 8), "x", "a")
    program.step(OnArrays(function, [], [], "python"), "a", "b")
    program.step(ts.unary("negate", 4, 8), "b", "y")
    return program


def at(place: int) -> Array:
    return array_at(place, (4, 8), (32, 4), np.dtype(np.float32), writable=True)


def test_foreign_steps() -> None:
    program = foreign_program(lambda out: None)
    program.steps[1] = program.steps[1]._replace(entry=Doubling([], [], "python"))
    made = program.made()
    assert [type(part).__name__ for part in made.parts] == ["Segment", "ForeignCall", "Segment"]
    for threads in (1, 2, None):
        program.results["y"][...] = 0
        program.run(made, threads)
        assert np.array_equal(program.results["y"], 2 * program.inputs["x"])
    assert "Python: python" in str(made)


class Doubling(OnArrays):
    """Doubles an array."""

    def __init__(self, *given: Any) -> None:
        super().__init__(lambda: None, *given)

    def __call__(self, *addresses: int) -> None:
        x, y = map(at, addresses)
        y[...] = 2 * x


class Raising(Doubling):
    """Raises."""

    def __call__(self, *addresses: int) -> None:
        raise Broken("no result")


def test_exceptions_of_foreign_steps() -> None:
    program = foreign_program(lambda out: None)
    program.steps[1] = program.steps[1]._replace(entry=Raising([], [], "python"))
    made = program.made()
    for _ in range(3):
        with pytest.raises(Broken, match="no result"):
            program.run(made)


# Indices


def gathered(computed: bool) -> Program:
    """Return rows of a table by an index, of the call or computed from it by a step."""
    program = Program()
    table, number = random(10, 8), np.array([3, 0, 9, 3], np.int64)
    program.inputs = {"table": table, "index": guarded(number, "end", writable=False)}
    program.results = {"y": np.zeros((4, 8), np.float32)}
    program.between("i", 32)
    program.between("a", 128)
    if computed:
        program.step(ts.equation(lambda i: -i, i=(1, 4), dtype="i64"), "index", "i", name="negate")
    program.step(ts.gather("rows", 4, 8, size=10), "table", "i" if computed else "index", "a", name="gather")
    program.step(ts.unary("negate", 4, 8), "a", "y", name="neg")
    return program


@pytest.mark.parametrize("computed", [False, True])
def test_indices(computed: bool) -> None:
    program = gathered(computed)
    if computed:
        program.inputs["index"] = -program.inputs["index"]
    made = program.made()
    names = [type(part).__name__ for part in made.parts]
    assert names == (["Segment", "IndexCheck", "Segment"] if computed else ["IndexCheck", "Segment"])
    index = -program.inputs["index"] if computed else program.inputs["index"]
    for threads in (1, 3, None):
        program.results["y"][...] = 0
        program.run(made, threads)
        assert np.array_equal(program.results["y"], -program.inputs["table"][index])
    made.emulated(program.arguments, 2)
    kernel = ts.gather("rows", 4, 8, size=10)
    wrong = np.array([3, 0, 10, 3], np.int64)
    with pytest.raises(IndexError) as alone:
        kernel(program.inputs["table"], wrong, program.results["y"])
    program.inputs["index"] = -wrong if computed else wrong
    program.results["y"][...] = 7
    with pytest.raises(IndexError) as together:
        program.run(made)
    assert str(together.value) == str(alone.value) and (program.results["y"] == 7).all()


# Threads and processes


def test_calls_of_several_threads_at_once() -> None:
    program, wanted = chain()
    made = program.made()
    failed: list[str] = []

    def calls(seed: int) -> None:
        out = np.zeros((M, K), np.float32)
        x = program.inputs["x"] * seed
        given = [address(x), address(program.inputs["bias"]), address(out)]
        made.run(given, 1)
        first = out.copy()
        for _ in range(50):
            out[...] = np.nan
            made.run(given)
            if not np.array_equal(out, first):
                failed.append(f"{seed}: another result")

    together(*(lambda seed=seed: calls(seed) for seed in range(1, 5)))
    assert not failed
    program.run(made)
    assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)


def test_a_forked_child() -> None:
    program, wanted = chain()
    made = program.made()
    program.run(made, 3)

    def child() -> None:
        for threads in (None, 3):
            program.results["y"][...] = np.nan
            program.run(made, threads)
            assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)

    run_forked(child)


def test_kept_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine code comes from the cache folder, without the nest and its kernels."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    for kept in (False, True):
        program, wanted = chain()
        made = program.made()
        program.run(made)
        assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)
        assert isinstance(made.segments[0].job, CachedJob) == kept
        store.flush()


def test_proofs() -> None:
    x = random(3, 8)
    program = Program()
    program.inputs, program.results = {"x": x}, {"y": np.zeros((3, 8), np.float32)}
    program.constants = {"w": random(8, 8)}
    program.between("a", 96)
    program.step(ts.gemm(3, 8, 8, beta=0.0), "x", "w", "a")
    program.step(ts.unary("relu", 3, 8), "a", "y")
    proof = program.made().verify()
    assert proof and {"arithmetic", "memory", "places"} <= {each.what for each in proof.claims}
    assert not raced().verify()


def test_reads_that_nobody_has_written() -> None:
    """A step that reads between the rows that an earlier one has written."""
    program = relu_program()
    program.arena = 512
    program.step(ts.unary("negate", 4, 8, ldy=16), "x", "a", name="every other row")
    program.step(ts.unary("negate", 4, 8), "a", "y", name="rows")
    made = program.made()
    claim = made.verify_schedule()
    assert not claim.holds and "rows reads bytes" in claim.how
