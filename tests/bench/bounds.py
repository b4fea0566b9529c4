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

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import tilesmith as ts
from tests.oracles import mca
from tilesmith.encoder.code import Instruction
from tilesmith.encoder.records import NamedTuple
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench import fused as layers
from tilesmith.runtime.bench import fused_steps, measure
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel

SHAPES = (64, 384), (1024, 384), (4096, 1024)
FEW = 4
"""The number of rows of the kernel whose passes are counted; all rows take equally many."""
TILES = ("tile", "tdp")
"""The prefixes of the mnemonics of instructions on tiles."""
BRANCHES = ("j", "b.", "cbnz", "tbnz")
"""The prefixes of the mnemonics of conditional branches."""
X86_CPU = "znver4"
TILE_CYCLES = 16
"""The cycles of a product of two tiles of 16 rows of 64 bytes (Intel, Optimization Reference Manual, chapter 20)."""
ATTENTION = (("f32", 128), ("f32", 512), ("bf16", 128), ("bf16", 512))
HEAD = 64
A64_CPUS = ("neoverse-v1", "neoverse-v2")
A64_TARGETS = ("neon", "sve256")
A64_LAYERS = (("softmax", "standard"), ("softmax", "fast"), ("layernorm", "standard"))


class Loop(NamedTuple):
    """An inner loop: its instructions, of which the last is the branch back, and the number of executed passes."""

    body: tuple[Instruction, ...]
    passes: int


def inner_loops(kernel: Kernel, done: Any) -> list[Loop]:
    """Return the innermost loops with the passes that the emulator executed."""
    instructions = kernel._code.instructions
    branches = [i for i in instructions if i.form.mnemonic.startswith(BRANCHES)]
    back = [(i.operands[-1].offset, i.offset) for i in branches if i.operands[-1].offset < i.offset]
    inner = [loop for loop in back if not any(o != loop and loop[0] <= o[0] and o[1] <= loop[1] for o in back)]
    bodies = (tuple(i for i in instructions if first <= i.offset <= last) for first, last in inner)
    loops = [Loop(body, done.offsets.get(body[-1].offset, 0)) for body in bodies]
    return [loop for loop in loops if loop.passes]


def port_cycles(loop: Loop, arch: str, cpu: str) -> float:
    """Return the cycles per pass that the ports need in llvm-mca's model, independent of the schedule."""
    body = [i for i in loop.body[:-1] if not (arch == "x86" and i.form.mnemonic.startswith(TILES))]
    return mca.cycles(body, arch, cpu).by_ports


def bound_by_ports(kernel: Kernel, arguments: list[Any], cpu: str) -> tuple[float, float]:
    """Return (cycles of all inner loops by their ports, their share of the executed instructions)."""
    done = kernel.emulate(*arguments)
    loops, arch = inner_loops(kernel, done), kernel.target.arch
    cycles = sum(loop.passes * port_cycles(loop, arch, cpu) for loop in loops)
    return cycles, sum(loop.passes * len(loop.body) for loop in loops) / done.steps


def arguments_of(kernel: Kernel) -> list[Any]:
    """Return arrays of normally distributed numbers for all operands."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal(each.shape).astype(numpy_dtype(each.dtype)) for each in kernel.spec.operands]  # type: ignore[union-attr]


def layer(name: str, accuracy: str, shape: tuple[int, int], target: Any) -> Kernel:
    eps: dict[str, Any] = {"eps": 1e-5} if "norm" in name else {}
    made: Kernel = ts.fused(name, *shape, accuracy=accuracy, target=target, **eps)
    return made


def on_this_host(seconds: float, cpu: str) -> Table:
    """Return a row for each layer and size: ns per element of the bounds and measured, and the share of the larger
    bound."""
    table = Table(title=f"Bounds, ns an element; ports by llvm-mca-19 -mcpu={cpu}, bytes by a copy in the same run")
    for heading in ("layer", "rows x columns", "in", "ports", "bytes", "measured", "bound by", "share", "of ports"):
        table.add_column(heading, justify="left" if heading in ("layer", "in", "bound by") else "right", no_wrap=True)
    target, clock = host.native(None), measure.frequency()
    with measure.one_cpu():
        for name, accuracy in layers.KERNELS:
            for m, n in SHAPES:
                few = layer(name, accuracy, (FEW, n), target.name)
                cycles, _ = bound_by_ports(few, arguments_of(few), cpu)
                row = layers._row(name, accuracy, (m, n), target, seconds)
                moved = sum(each.rows * each.columns for each in few.spec.operands) / (2 * FEW * n)
                ports = cycles / (FEW * n) / clock * 1e9
                bytes_ = row.seconds["copy"] * moved / (m * n) * 1e9
                ours = row.seconds["ours"] / (m * n) * 1e9
                label = f"{'fast ' * (accuracy == 'fast')}{name}"
                by = "ports" if ports > bytes_ else "bytes"
                table.add_row(label, f"{m} x {n}", row.place, f"{ports:.3f}", f"{bytes_:.3f}", f"{ours:.3f}", by,
                              f"{max(ports, bytes_) / ours:.2f}", f"{ports / ours:.2f}")  # fmt: skip
    return table


def attention_arguments(kernel: Kernel) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(each.shape).astype(numpy_dtype(each.dtype)) for each in kernel.spec.arguments]


def attention(seconds: float, cpu: str) -> Table:
    """Return a row for each type and length: cycles per score, bounds and measured, and the share of the larger."""
    table = Table(title=f"Attention of one head of {HEAD}, cycles a score; ports by llvm-mca-19 -mcpu={cpu}")
    for heading in ("type", "keys", "causal", "ports", "tiles", "products alone", "measured", "share"):
        table.add_column(heading, justify="left" if heading in ("type", "causal") else "right")
    target, clock = host.native(None), measure.frequency()
    flops = measure.fma_peak(target, "f32") / clock
    with measure.one_cpu():
        for dtype, keys in ATTENTION:
            for causal in (False, True):
                kernel: Any = ts.attention(1, keys, keys, HEAD, causal=causal, dtype=dtype, target=target.name)
                given = attention_arguments(kernel)
                done = kernel.emulate(*given)
                products = sum(count for name, count in done.counts.items() if name.startswith("tdp"))
                ports = sum(loop.passes * port_cycles(loop, "x86", cpu) for loop in inner_loops(kernel, done))
                ports += TILE_CYCLES * products / 2  # a product of tiles occupies one of the two units for FMA
                taken = measure.seconds_per_call({"ours": fused_steps.native(kernel, given)}, seconds)["ours"].best
                scores = keys * keys / (2 if causal else 1)
                bounds = ports / scores, TILE_CYCLES * products / scores
                alone = 4 * HEAD / flops if dtype == "f32" else 4 * HEAD / (2 * 16 * 16 * 32 / TILE_CYCLES)
                cycles = taken * clock / scores
                table.add_row(dtype, str(keys), "yes" if causal else "no", *(f"{each:.2f}" for each in bounds),
                              f"{alone:.2f}", f"{cycles:.2f}", f"{max(bounds) / cycles:.2f}")  # fmt: skip
    return table


def aarch64() -> Table:
    """Return the executed instructions per element, and the cycles per element that the ports of inner loops need."""
    table = Table(title="AArch64, an element: executed (emulator), cycles of inner loops by their ports (llvm-mca-19)")
    headings = ("kernel", "target", "instructions", "in inner loops", *A64_CPUS)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("kernel", "target") else "right", no_wrap=True)
    for target in A64_TARGETS:
        cases = [(f"{'fast ' * (accuracy == 'fast')}{name} {FEW} x 384", layer(name, accuracy, (FEW, 384), target),
                  FEW * 384) for name, accuracy in A64_LAYERS]  # fmt: skip
        attention = ts.attention(1, 64, 64, 64, target=target)
        cases.append(("attention 64 x 64 x 64, a score", attention, 64 * 64))
        for label, kernel, elements in cases:
            given = attention_arguments(kernel) if kernel is attention else arguments_of(kernel)
            executed = kernel.emulate(*given).steps
            bounds = [bound_by_ports(kernel, given, cpu) for cpu in A64_CPUS]
            table.add_row(label, target, f"{executed / elements:.2f}", f"{bounds[0][1]:.0%}",
                          *(f"{cycles / elements:.2f}" for cycles, _ in bounds))  # fmt: skip
    return table


def main() -> None:
    """Print the requested table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aarch64", action="store_true")
    parser.add_argument("--attention", action="store_true")
    parser.add_argument("--cpu", default=X86_CPU, help="llvm-mca's model of this host, such as cooperlake")
    parser.add_argument("seconds", nargs="?", type=float, default=0.1, help="for each measurement")
    given = parser.parse_args()
    on_host = attention if given.attention else on_this_host
    Console(width=130).print(aarch64() if given.aarch64 else on_host(given.seconds, given.cpu))


if __name__ == "__main__":
    main()
