"""Stacks, networks and kernels beside numpy and torch, in a process for each number of threads:
`tilesmith bench threads [--threads 1 2]`.

    stacks     stacks of small products beside numpy, torch and their bounds. Operands fill half of L2, or 96 MiB. Each
               stack is one call from Python. "of peak" is the share of the speed of a loop that only multiplies and
               adds on the same number of cores, "of copy" that of numpy's copy on one core, in bytes read and written
    networks   an MLP as in the paper's figure 2 (Georganas et al., PARLOOPER, section 5.1.2): 512 rows, layers of 512
               to 8192, bias and relu, in shares of the peak. Weights are packed before
    kernels    fused kernels and attention on all cores by ts.spread, beside the kernel itself on one, and torch

`tilesmith bench regions`: parallel regions beside the same work on one thread. Machine code calls them in a loop, so
that Python is not measured. Each part of a job is a chain of dependent multiplications of known length. Cold: the
workers sleep before each region. Busy: another process computes all the time on one of our processors; samples of
regions and of one thread alternate. Claimed: regions of 16 parts that workers take one after the other.
"""

import itertools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tests.runtime.threads.jobs import Region
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.cases.matmul import TYPES, peak
from tilesmith.runtime.bench.measure import PythonCall, asleep, seconds_per_call
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, ratios, threads_of_child
from tilesmith.runtime.bench.table import WrongResult
from tilesmith.runtime.memory.executable import ExecutableBlock, publish
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.native import scalar_machine
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads import barrier, region

FAR = 96 << 20


def contenders(name: Any, size: int, count: int, threads: int) -> dict[str, Callable[[], Any]]:
    """Return the contenders that compute the stack, and a copy of as many bytes."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((count, size, size)).astype(numpy_dtype(name)) for _ in range(2))
    c, copy = np.zeros_like(a), np.zeros_like(a)
    kernel: Any = ts.gemm(size, size, size, dtype=name, stack=count, beta=0.0)
    kernel(a, b, c)
    assert np.allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    found: dict[str, Callable[[], Any]] = {
        "ours": lambda: kernel(a, b, c), "numpy": lambda: np.matmul(a, b, c), "copy": lambda: np.copyto(copy, a),
    }
    if torch := torch_module(threads):
        x, y, z = map(torch.from_numpy, (a, b, c))
        found["torch"] = lambda: torch.bmm(x, y, out=z)
    return found


def stacks(run: Run, name: str, place: str, size: int) -> Row:
    threads, room = threads_of_child(), FAR if place == "memory" else ts.host().l2 // 2
    count = max(1, room // (3 * size * size * (4 if name == "f32" else 8)))
    call, flops = peak(name, threads)
    calls = contenders(name, size, count, threads)
    least = {**asleep({"peak": call}, run.seconds), **asleep(calls, run.seconds, 1 if room == FAR else 20)}
    ours = least["ours"]
    times = {who: least[who] / ours for who in ("numpy", "torch") if who in least}
    return {"type": name, "place": place, "size": size, "products": count, "each": ours / count, **times,
            "of peak": 2 * size**3 * count / ours / (flops / least["peak"]), "best": min(times.values()),
            "of copy": 1.5 * least["copy"] / ours}  # a copy moves two of the three matrices


ROWS = 512


def network(name: Any, size: int, layers: int) -> tuple[Any, float]:
    """Return a call of the network and its number of operations, after checking some rows against numpy in f32."""
    rng, dtype = np.random.default_rng(0), numpy_dtype(TYPES[name][0])
    net = ts.mlp(ROWS, [size] * (layers + 1), dtype=name, activation=ts.relu, last=ts.relu)
    x = rng.standard_normal((ROWS, size), np.float32).astype(dtype)
    weights = [(rng.standard_normal((size, size), np.float32) / size**0.5).astype(dtype) for _ in range(layers)]
    biases = [rng.standard_normal(size, np.float32).astype(dtype) for _ in range(layers)]
    packed, out, wanted = net.pack(weights), np.empty((ROWS, size), dtype), x[:4].astype(np.float32)
    for w, b in zip(weights, biases):
        wanted = np.maximum(wanted @ w.astype(np.float32) + b.astype(np.float32), 0).astype(dtype).astype(np.float32)
    net(x, packed, biases, out)
    error = float(np.abs(out[:4].astype(np.float32) - wanted).max() / np.abs(wanted).max())
    if error > 0.02 * layers:
        raise WrongResult(f"{name} {size}: relative error {error}")
    return lambda: net(x, packed, biases, out), float(net.flops)


def networks(run: Run, name: str, size: int) -> Row:
    threads = threads_of_child()
    (loop, flops), (call, own) = peak(name, threads), network(name, size, run.options.layers)
    timings = seconds_per_call({"net": PythonCall(call), "peak": PythonCall(loop)}, run.seconds)
    rate, net = flops / timings["peak"].best, timings["net"]
    return {"type": name, "size": size, "speed": own / net.best, "of peak": own / net.best / rate,
            "median": own / net.median / rate}


KERNELS: dict[str, tuple[Callable[[], Any], Callable[..., Any]]] = {
    "softmax 4096 x 1024": (lambda: ts.fused("softmax", 4096, 1024), lambda f, x, y: f.softmax(x, 1)),
    "layernorm 4096 x 1024": (lambda: ts.fused("layernorm", 4096, 1024),
                              lambda f, x, gamma, beta, y: f.layer_norm(x, (1024,), gamma[0], beta[0])),
    "gelu 4096 x 1024": (lambda: ts.unary("gelu", 4096, 1024), lambda f, x, y: f.gelu(x)),
    "attention 8 x 512 x 64": (lambda: ts.attention(8, 512, 512, 64),
                               lambda f, q, k, v, out: f.scaled_dot_product_attention(q[None], k[None], v[None])),
}
"""The kernels, and torch's calls on the same operands."""


def spread(run: Run, name: str) -> Row:
    make, other = KERNELS[name]
    kernel, rng = make(), np.random.default_rng(0)
    whole: Any = ts.spread(kernel)
    operands = getattr(kernel.spec, "arguments", None) or kernel.spec.operands
    arrays = [rng.standard_normal(each.shape, np.float32) for each in operands]
    calls: dict[str, Callable[[], Any]] = {"one": lambda: kernel(*arrays), "ours": lambda: whole(*arrays)}
    if torch := torch_module(threads_of_child()):
        tensors = [torch.from_numpy(each) for each in arrays]
        calls["torch"] = lambda: other(torch.nn.functional, *tensors)
    least = asleep(calls, run.seconds)
    return {"kernel": name, **least, **dict(ratios(least))}


def _tables(run: Run) -> Iterator[Table]:
    asked = run.options
    columns = ("threads; type; operands in=place; size; products:0; ns each=each:1n; of peak:2; of copy:2; numpy:2; "
               "torch:2; times the best=best:2~")
    for name in ("f64", "f32"):
        for place in ("half of L2", "memory"):
            yield Table(f"stacks {name} {place}", columns, [(name, place, size) for size in asked.sizes], stacks)
    yield Table("networks", "type; threads; size; GFLOP/s=speed:0G; of peak:2; median of peak=median:2",
                [(name, size) for name in asked.types for size in asked.widths], networks)
    yield Table("kernels", "threads; kernel; us=ours:0u; times one thread=by one:2; times torch=by torch:2", KERNELS,
                spread)


BENCH = Bench("threads", __doc__, _tables, {
    "--threads": {"type": int, "nargs": "+", "default": [1, 2]},
    "--sizes": {"type": int, "nargs": "+", "default": [4, 8, 13, 16, 23, 32], "help": "of stacked matrices"},
    "--types": {"nargs": "+", "default": ["bf16"], "choices": ["bf16", "f32", "f64"], "help": "of networks"},
    "--widths": {"type": int, "nargs": "+", "default": [512, 1024, 2048, 4096, 8192], "help": "of networks"},
    "--layers": {"type": int, "default": 3, "help": "of networks"}}, seconds=0.5, alone=False, threads=True, share=2.0,
    quick=("--threads", "2", "--sizes", "4", "16", "--widths", "512", "1024"))

# Regions

SAMPLES = 300
MULTIPLICATIONS_PER_US = 900  # approximate; the time of a part is measured


def job(barriers: bool) -> ExecutableBlock:
    """Return a job: a chain of argument[0] multiplications in each worker, or of argument[1] if there is only one. With
    barriers there are four chains of a quarter of the length, each followed by a barrier."""
    m = scalar_machine()
    argument, _, workers = m.arguments[:3]
    given, all_, count, left = m.kept[:4]
    top, done, one, alone = (m.asm.label() for _ in range(4))
    meet, state = barrier.barrier(ts.host())
    m.begin("job")
    m.open(0, m.kept[:4])
    m.move(given, argument)
    m.move(all_, workers)
    m.move(left, 4 if barriers else 1)
    m.asm.bind(top)
    m.move(count, ScalarMemory(given, 8))
    m.branch(all_, "==", 1, one)
    m.move(count, ScalarMemory(given))
    m.asm.bind(one)
    m.shift_right(count, 2 if barriers else 0)
    m.branch(count, "==", 0, done)
    m.move(m.x, 3)
    with m.loop(count):
        m.multiply(m.x, m.x)
    m.asm.bind(done)
    if barriers:
        m.branch(all_, "==", 1, alone)
        m.move(m.arguments[0], state)
        m.call(meet)
        m.asm.bind(alone)
    m.subtract(left, 1)
    m.branch(left, "!=", 0, top)
    m.close()
    m.ret()
    return publish(m.asm.finish("job").data)


def repeated() -> ExecutableBlock:
    """Return the code of void repeated(function, job, argument, workers, times, parts), which calls in a loop."""
    m = scalar_machine()
    function, job_, argument, workers, times = m.kept
    m.begin("repeated")
    m.open(1, m.kept)
    m.move(m.slot(0), m.arguments[5])
    for register, given in zip(m.kept, m.arguments[:5]):
        m.move(register, given)
    with m.loop(times):
        m.move(m.arguments[3], m.slot(0))
        for given, register in zip(m.arguments, (job_, argument, workers)):
            m.move(given, register)
        m.call(function)
    m.close()
    m.ret()
    return publish(m.asm.finish("repeated").data)


class Regions:
    """Times regions with parts of a given length: `parts` parts that are claimed, or if 0 one part per worker."""

    def __init__(self, barriers: bool = False, parts: int = 0) -> None:
        self.parts, self.region = parts, region.entry(ts.host(), region.CLAIMS if parts else "region")
        self.job, self.loop = job(barriers), repeated()
        self.argument = ffi.new("int64_t[2]")
        self.call = ffi.cast("void(*)(uintptr_t, uintptr_t, void *, int64_t, int64_t, int64_t)", self.loop.address)

    def seconds(self, work: int, workers: int, times: int) -> float:
        """Return the seconds of one region with `work` multiplications in all."""
        self.argument[0], self.argument[1] = work // (self.parts or workers), work
        start = time.perf_counter()
        self.call(self.region, self.job.address, self.argument, workers, times, self.parts)
        return (time.perf_counter() - start) / times


def warm(run: Run, us: float) -> Row:
    """Return a region of some length, with the work divided among workers, beside the same work on one thread."""
    regions, workers = Regions(), run.options.workers
    work, times = int(us * MULTIPLICATIONS_PER_US), max(5, int(5e-4 / max(us * 1e-6, 2e-7)))
    with Region().never_backing_off():  # other programs must not change what is measured
        samples = [[regions.seconds(work, n, times) for n in (1, workers)] for _ in range(SAMPLES)]
    one, all_ = (min(times) for times in zip(*samples))
    return {"work": us, "one": one, "all": all_, "times": one / all_, "overhead": all_ - one / workers}


def cold(run: Run, parts: int, us: int) -> Row:
    """Return regions whose workers sleep: with nothing to do, and with parts too long to be taken back."""
    regions, workers, found = Regions(parts=parts), run.options.workers, []
    work = workers * us * MULTIPLICATIONS_PER_US
    with Region().never_backing_off():
        part = min(regions.seconds(work // workers, 1, 20) for _ in range(15))
        for _ in range(100):
            time.sleep(0.002)
            found.append(regions.seconds(work, workers, 1) - part)
    return {"parts": "claimed" if parts else "one each", "work": us, "least": min(found),
            "median": statistics.median(found)}


def busy(run: Run) -> Iterator[Row]:
    """Yield the same work on one thread and on all, while another process runs on one of the processors."""
    regions = {"": Regions(), "claimed": Regions(parts=16), "four barriers": Regions(barriers=True)}
    workers, other = run.options.workers, subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.3)
        for (name, r), us in itertools.product(regions.items(), (10, 100, 1000)):
            work, times = us * MULTIPLICATIONS_PER_US, max(1, int(20e-3 / (us * 1e-6)))
            found, control = ([r.seconds(work, 1, times) / r.seconds(work, n, times) for _ in range(20)]
                              for n in (workers, 1))
            yield {"parts": name, "work": us, "median": statistics.median(found),
                   "range": f"{min(found):.2f} to {max(found):.2f}",
                   "control": f"{min(control):.2f} to {max(control):.2f}"}
    finally:
        other.kill()
        other.wait()


REGIONS = Bench("regions", __doc__, (
    Table("warm", "work, us=work; 1 thread, us=one:3u; all=all:3u; speed-up=times:2; overhead, us=overhead:3u",
          (0, 0.2, 0.5, 1, 2, 5, 10, 50, 200), warm),
    Table("cold", "parts; us for each worker=work; us beyond that=least:1u; median=median:1u",
          [(parts, us) for parts in (0, 16) for us in (0, 200)], cold, "workers asleep"),
    Table("busy", "parts; work, us=work; of one thread, median=median:2; range; one with itself=control", ((),), busy,
          "another process on one of the processors")),
    {"--workers": {"type": int, "default": len(os.sched_getaffinity(0))}}, alone=False)
