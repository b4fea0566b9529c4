"""Find what bounds softmax, norms and attention: the ports in each kernel's inner loops by llvm-mca, or its bytes.

python -m tests.bench.bounds [--cpu cooperlake]          on this processor: bounds of layers beside measurements
python -m tests.bench.bounds --attention [--cpu cooperlake]        the same of attention, 1 head; takes three minutes
python -m tests.bench.bounds --aarch64                   executed instructions and bounds of AArch64 targets

Each innermost loop is given to llvm-mca-19 as it stands in the listing. Its bound is the block throughput, which no
schedule beats in that model, times its passes, which the emulator counts. The bytes are bounded by the faster of two
copies in the same run, scaled to the bytes that the kernel moves. The share is the larger bound over the measured time.

The models of Ice Lake and later give multiply-adds of 512 bits one port, although Xeons have two, so for those the
model of Cooper Lake is the right one. It has no tiles: TDPBF16PS occupies the FMA unit of port 5 for 16 cycles.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tests.bench.loops import CPUS, Loop, innermost_loops
from tests.oracles import mca
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.cases import fused as layers
from tilesmith.runtime.bench.operands import aligned, arguments_of, filled, native
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel

SHAPES = (64, 384), (1024, 384), (4096, 1024)
FEW = 4
"""The number of rows of the kernel whose passes are counted; all rows take equally many."""
TILES = ("tile", "tdp")
"""The prefixes of the mnemonics of instructions on tiles."""
X86_CPU = "znver4"
TILE_CYCLES = 16
"""The cycles of a product of two tiles of 16 rows of 64 bytes (Intel, Optimization Reference Manual, chapter 20)."""
ATTENTION = (("f32", 128), ("f32", 512), ("bf16", 128), ("bf16", 512))
HEAD = 64
A64_TARGETS = ("neon", "sve256")
A64_LAYERS = (("softmax", "standard"), ("softmax", "fast"), ("layernorm", "standard"))


def port_cycles(loop: Loop, arch: str, cpu: str) -> float:
    """Return the cycles per pass that the ports need in llvm-mca's model, independent of the schedule."""
    body = [i for i in loop[:-1] if not (arch == "x86" and i.form.mnemonic.startswith(TILES))]
    return mca.cycles(body, arch, cpu).by_ports


def bound_by_ports(kernel: Kernel, done: Any, cpu: str) -> tuple[float, float]:
    """Return (cycles of all inner loops by their ports, their share of the executed instructions)."""
    loops = [(loop, done.offsets.get(loop[-1].offset, 0)) for loop in innermost_loops(kernel._code)]
    cycles = sum(passes * port_cycles(loop, kernel.target.arch, cpu) for loop, passes in loops if passes)
    return cycles, sum(passes * len(loop) for loop, passes in loops) / done.steps


def given(kernel: Kernel) -> list[Any]:
    """Return arrays of normally distributed numbers for all operands."""
    rng = np.random.default_rng(0)
    return [filled(aligned(each.shape, each.dtype), rng) for each in arguments_of(kernel)]


def layer(name: str, accuracy: Any, shape: tuple[int, int], target: Any) -> Kernel:
    """Return the kernel of a layer."""
    eps: dict[str, Any] = {"eps": 1e-5} if "norm" in name else {}
    made: Kernel = ts.fused(name, *shape, accuracy=accuracy, target=target, **eps)
    return made


def on_this_host(run: Run, name: str, accuracy: Any, m: int, n: int) -> Row:
    """Return ns per element of the bounds and measured, and the share of the larger bound."""
    target = host.native(None)
    few = layer(name, accuracy, (FEW, n), target.name)
    cycles, _ = bound_by_ports(few, few.emulate(*given(few)), run.options.cpu)
    row = layers.layer(run, name, accuracy, (m, n), target)
    moved = sum(each.rows * each.columns for each in few.spec.operands) / (2 * FEW * n)  # type: ignore[union-attr]
    ports, copied = cycles / (FEW * n) / run.frequency, row["copy"] * moved / (m * n)
    ours = row["per element"]
    return {**row, "ports": ports, "bytes": copied, "measured": ours, "bound": "ports" if ports > copied else "bytes",
            "share": max(ports, copied) / ours, "of ports": ports / ours}


def attention(run: Run, dtype: Any, keys: int, causal: bool) -> Row:
    """Return cycles per score, bounds and measured, and the share of the larger."""
    target = host.native(None)
    kernel: Any = ts.attention(1, keys, keys, HEAD, causal=causal, dtype=dtype, target=target.name)
    arrays = given(kernel)
    done = kernel.emulate(*arrays)
    products = sum(count for name, count in done.counts.items() if name.startswith("tdp"))
    # a product of tiles occupies one of the two units for FMA
    ports = bound_by_ports(kernel, done, run.options.cpu)[0] + TILE_CYCLES * products / 2
    scores = keys * keys / (2 if causal else 1)
    cycles = run.turns({"ours": native(kernel, arrays)})["ours"] * run.frequency / scores
    flops = measure.fma_peak(target, "f32") / run.frequency if dtype == "f32" else 2 * 16 * 16 * 32 / TILE_CYCLES
    bounds = {"ports": ports / scores, "tiles": TILE_CYCLES * products / scores}
    return {"type": dtype, "keys": keys, "causal": "yes" if causal else "no", **bounds, "alone": 4 * HEAD / flops,
            "measured": cycles, "share": max(bounds.values()) / cycles}


def aarch64(run: Run, target: str) -> Iterator[Row]:
    """Yield the executed instructions per element, and the cycles per element that the ports of inner loops need."""
    cases = [(f"{'fast ' * (accuracy == 'fast')}{name} {FEW} x 384", layer(name, accuracy, (FEW, 384), target),
              FEW * 384) for name, accuracy in A64_LAYERS]
    cases.append(("attention 64 x 64 x 64, a score", ts.attention(1, 64, 64, 64, target=target), 64 * 64))
    for label, kernel, elements in cases:
        done = kernel.emulate(*given(kernel))
        found = [bound_by_ports(kernel, done, cpu) for cpu in CPUS]
        yield {"kernel": label, "target": target, "steps": done.steps / elements, "inside": found[0][1],
               **{cpu: cycles / elements for cpu, (cycles, _) in zip(CPUS, found)}}


def _tables(run: Run) -> Iterator[Table]:
    by = f"ports by llvm-mca-19 -mcpu={run.options.cpu}"
    if run.options.aarch64:
        yield Table("aarch64", "kernel; target; instructions=steps:2; in inner loops %=inside:0%"
                    + "".join(f"; {cpu}:2" for cpu in CPUS), A64_TARGETS, aarch64,
                    "AArch64, an element: executed (emulator), cycles of inner loops by their ports (llvm-mca-19)")
    elif run.options.attention:
        yield Table("attention", "type; keys; causal; ports:2; tiles:2; products alone=alone:2; measured:2; share:2",
                    [(*each, causal) for each in ATTENTION for causal in (False, True)], attention,
                    f"Attention of one head of {HEAD}, cycles a score; {by}")
    else:
        yield Table("layers", "layer; rows x columns=shape; in=place; ports=ports:3n; bytes=bytes:3n; "
                    "measured=measured:3n; bound by=bound; share:2; of ports:2",
                    [(*kernel, *shape) for kernel in layers.KERNELS for shape in SHAPES], on_this_host,
                    f"Bounds, ns an element; {by}, bytes by a copy in the same run")


BENCH = Bench("bounds", __doc__, _tables, {
    "--aarch64": {"action": "store_true"}, "--attention": {"action": "store_true"},
    "--cpu": {"default": X86_CPU, "help": "llvm-mca's model of this host, such as cooperlake"},
    "seconds": {"nargs": "?", "type": float, "default": 0.1, "help": "for each measurement"}}, share=2.0)

if __name__ == "__main__":
    main(BENCH)
