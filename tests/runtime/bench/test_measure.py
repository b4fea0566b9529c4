"""Measuring: the emitted loop passes every argument the requested number of times; sampling, with a simulated clock."""

import importlib
import itertools
import os

import numpy as np
import pytest

from tests.oracles import mca
from tilesmith.encoder.features import Target
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.bench import measure, measure_code
from tilesmith.runtime.fastcall.entry import scalar_machine
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.scalar.machine import ScalarMemory

PRODUCTS = ("mulp", "vmulp", "vfmadd", "fmla")
BRANCHES = ("j", "b.", "cbnz", "tbnz")
on_a_processor = pytest.mark.skipif("QEMU_CPU" in os.environ, reason="the speed of an emulator says nothing")

STACK_ARGUMENT = importlib.import_module(f"tilesmith.encoder.{host.arch()}.abi").STACK_ARGUMENT
ON_STACK = 6  # number of stack arguments that the witness copies
REGISTERS = measure_code.register_arguments()
MISALIGNED = {"x86": 8, "a64": 0}[host.arch()]
"""The stack pointer on entry, modulo 16: the call of x86 has pushed the return address."""


# The repeat loop


@pytest.fixture(scope="module")
def witness():
    """void witness(uint64_t *out, ...): out[0] counts calls, out[1] gets the stack pointer, the others the arguments.

    It overwrites everything that the calling convention allows: argument registers and stack arguments.
    """
    s = scalar_machine()
    out, *others = s.arguments
    s.begin("witness")
    s.increment(ScalarMemory(out))
    for i, register in enumerate((s.stack, *others)):
        s.move(s.x, register)
        s.move(ScalarMemory(out, 8 + 8 * i), s.x)
    for register in others:
        s.move(register, -1)
    for i in range(ON_STACK):
        place = ScalarMemory(s.stack, STACK_ARGUMENT + 8 * i)
        s.move(s.x, place)
        s.move(ScalarMemory(out, 16 + 8 * (len(others) + i)), s.x)
        s.move(s.x, -1)
        s.move(place, s.x)
    s.move(out, 0)
    s.ret()
    return memory.publish(s.asm.finish("witness").data)


@pytest.mark.parametrize("count", [1, 2, 1000])
@pytest.mark.parametrize("given", [REGISTERS + ON_STACK - 1, REGISTERS + ON_STACK])
def test_repeat_passes_every_argument_every_time(witness, count, given):
    out = np.zeros(2 + REGISTERS + ON_STACK, np.uint64)
    values = [0x1111_0000_0000_0001 * (i + 1) for i in range(given - 1)]
    call = measure.NativeCall(witness.address, (out.__array_interface__["data"][0], *values), (witness, out))
    call.run(count)
    assert out[0] == count
    assert int(out[1]) % 16 == MISALIGNED
    assert out[2 : 2 + len(values)].tolist() == values


def test_repeat_takes_negative_arguments():
    """Negative arguments have the bits of unsigned ones; the called stub returns at once and ignores them."""
    block = measure._published(measure_code.empty)
    measure.repeat(block.address, (-1, 2**64 - 1), 3)


@pytest.mark.parametrize("count", [0, -1])
def test_repeat_needs_a_call(witness, count):
    with pytest.raises(ValueError, match=f"count={count}: at least one call"):
        measure.repeat(witness.address, (), count)


# Sampling


class Clock:
    """A replacement of the time module whose time passes only when a contender runs."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(measure, "time", self)

    def perf_counter(self):
        return self.now

    def perf_counter_ns(self):
        return round(self.now * 1e9)


class Fake:
    """A contender that takes `seconds` per call; every `slow_every`-th sample takes three times as long."""

    def __init__(self, clock, name, seconds, log, slow_every=0):
        self.clock, self.name, self.seconds, self.log, self.slow_every = clock, name, seconds, log, slow_every
        self.runs = 0

    def run(self, count):
        self.runs += 1
        disturbed = self.slow_every and self.runs % self.slow_every == 0
        self.clock.now += self.seconds * count * (3 if disturbed else 1)
        self.log.append((self.name, count))


@pytest.mark.parametrize("slow_every", [0, 2, 3])
@pytest.mark.parametrize("seconds", [1.3e-9, 1e-6, 37e-6])
def test_the_best_sample_is_the_undisturbed_one(monkeypatch, seconds, slow_every):
    clock, log = Clock(monkeypatch), []
    fakes = {"a": Fake(clock, "a", seconds, log, slow_every), "b": Fake(clock, "b", 2 * seconds, log)}
    timings = measure.seconds_per_call(fakes, budget=0.05)
    assert timings["a"].best == pytest.approx(seconds, rel=1e-4)
    assert timings["b"].best == timings["b"].median == pytest.approx(2 * seconds, rel=1e-4)
    assert timings["a"].median in (
        pytest.approx(seconds, rel=1e-4),
        pytest.approx(3 * seconds, rel=1e-4),
        pytest.approx(2 * seconds, rel=1e-4),
    )
    for timing, undisturbed in zip(timings.values(), (seconds, 2 * seconds)):
        assert measure.SAMPLE / 2 <= timing.calls * undisturbed <= measure.SAMPLE * 2


def test_contenders_alternate_and_keep_to_the_budget(monkeypatch):
    clock, log = Clock(monkeypatch), []
    fakes = {name: Fake(clock, name, seconds, log) for name, seconds in (("a", 1e-7), ("b", 3e-6), ("c", 2e-8))}
    timings = measure.seconds_per_call(fakes, budget=0.1)
    samples = timings["a"].samples
    assert [timing.samples for timing in timings.values()] == [samples] * 3
    assert samples == pytest.approx(0.1 / measure.SAMPLE, rel=0.1)
    rounds = [name for name, _ in log[-3 * samples :]]
    assert all(set(rounds[i : i + 3]) == {"a", "b", "c"} for i in range(0, len(rounds), 3))
    assert rounds[:6] in (list("abccba"), list("cbaabc")), "the order turns round after each round"


def test_a_slow_contender_runs_once_per_sample(monkeypatch):
    clock, log = Clock(monkeypatch), []
    timings = measure.seconds_per_call({"slow": Fake(clock, "slow", 0.2, log)}, budget=0.1)
    assert timings["slow"].calls == 1 and timings["slow"].samples == measure.MIN_SAMPLES


def test_python_calls_are_counted():
    calls = []
    measure.PythonCall(lambda: calls.append(1)).run(7)
    assert len(calls) == 7


def test_one_cpu_is_undone():
    before = os.sched_getaffinity(0)
    with measure.one_cpu() as cpu:
        assert os.sched_getaffinity(0) == {cpu} <= before
    assert os.sched_getaffinity(0) == before


# Peaks: the bounds tell seconds from nanoseconds, since other work on the machine slows these without limit


@on_a_processor
def test_empty_call_takes_some_cycles():
    assert 0.1e-9 < measure.empty_call_seconds() < 0.1


@on_a_processor
def test_frequency_is_a_clock():
    assert 1e6 < measure.frequency() < 1e10


PIPES = {
    "haswell": {"avx": 1, "avx2": 2},
    "skylake-avx512": {"avx2": 2, "avx512": 2},
    "znver4": {"avx2": 2, "avx512": 1},
    "neoverse-v1": {"neon": 4, "sve256": 2},
}
"""Full-vector FMAs, or pairs of a product and a sum, that a processor starts in a cycle (llvm-mca-19; Arm, Neoverse V1
Software Optimization Guide, section 3)."""


@pytest.mark.parametrize("cpu, name", [(cpu, name) for cpu, names in PIPES.items() for name in names])
@pytest.mark.parametrize("dtype", measure.BYTES)
def test_the_fma_loop_keeps_every_pipe_busy(cpu, name, dtype):
    code, fmas = measure_code.fmas(TARGETS[name], dtype)
    first = next(n for n, i in enumerate(code.instructions) if i.form.mnemonic.startswith(PRODUCTS))
    body = list(itertools.takewhile(lambda i: not i.form.mnemonic.startswith(BRANCHES), code.instructions[first:]))
    assert mca.cycles(body, TARGETS[name].arch, cpu).simulated == pytest.approx(fmas / PIPES[cpu][name], rel=0.01)


def runnable():
    return [None, *(name for name in TARGETS if not host.runs(TARGETS[name]))]


@pytest.mark.parametrize("name", runnable())
@pytest.mark.parametrize("dtype", measure.BYTES)
def test_fma_loop_runs_and_counts_its_flops(name, dtype):
    target = host.resolve(name)
    peak = measure.fma_loop(target, dtype)
    code, fmas = measure_code.fmas(target, dtype)
    (passes,) = peak.call.args
    named = [i for i in code.instructions if i.form.mnemonic.startswith(PRODUCTS)]
    assert len(named) == fmas > 40
    assert peak.flops == 2 * passes * fmas * target.vector_bits // {"f32": 32, "f64": 64}[dtype]
    peak.call.run(3)


def test_peak_of_a_target_that_does_not_run_here():
    here = host.host()
    needy = Target("needy", here.arch, here.isa, frozenset({"TELEPATHY"}), here.vector_bits, here.fma_bits)
    with pytest.raises(UnsupportedError, match="needs TELEPATHY"):
        measure.fma_peak(needy, "f32")
    with pytest.raises(UnsupportedError, match="no FMA loop for 'f8': use one of f32, f64"):
        measure.fma_peak(here, "f8")
