"""What bounds fused kernels, by llvm-mca and by bare loops:
`tilesmith bench bounds [--tables layers] [--cpu cooperlake]`.

    layers     softmax and norms: the ports in each kernel's inner loops by llvm-mca, or its bytes
    attention  the same of attention of one head
    aarch64    executed instructions and bounds by ports of AArch64 targets, which need no such processor
    bare       layers beside bare loops of x86-64: the same loads and stores of each row, and no arithmetic. A bare loop
               walks each row once, or once to read it and once more to read and store it, as a kernel must whose result
               depends on a reduction. It stores as usual or past the caches, in pieces of 16 bytes, and prefetches the
               next row or not
    lines      kernels on arrays that begin at a cache line, and the same on arrays 16 bytes behind one, as numpy's are

Each innermost loop is given to llvm-mca-19 as it stands in the listing. Its bound is the block throughput, which no
schedule beats in that model, times its passes, which the emulator counts. The bytes are bounded by the faster of two
copies in the same run, scaled to the bytes that the kernel moves. The share is the larger bound over the measured time.
The models of Ice Lake and later give multiply-adds of 512 bits one port, although Xeons have two, so for those the
model of Cooper Lake is the right one. It has no tiles: TDPBF16PS occupies the FMA unit of port 5 for 16 cycles.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import tilesmith as ts
from tests.bench.counts import CPUS, Loop, innermost_loops
from tests.oracles import mca
from tilesmith import x86
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.cases import fused as layers
from tilesmith.runtime.bench.measure import NativeCall
from tilesmith.runtime.bench.operands import address_of, aligned, arguments_of, at, filled, native
from tilesmith.runtime.bench.peers.elementwise import memcpy
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
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


# Bare loops, and where arrays begin

LAYERS = {1: ("softmax", "layernorm", "rmsnorm"), 2: ("softmax_inv", "layernorm_inv", "rmsnorm_inv")}
"""The number of input matrices, and the layers that have so many."""
LINES = [(name, *shape) for name in LAYERS[1] for shape in ((64, 384), (256, 384), (128, 1024))]
BEHIND = 16
"""Bytes from a cache line to the first element of a large array of numpy."""
POINTERS = x86.rdi, x86.rsi, x86.rdx, x86.rcx
STEP, PIECE = 256, 16
"""Bytes of a row in one pass of a bare loop, and of a store past the caches: an array seldom begins at a cache line."""
WIDTH = 64 if "AVX512F" in ts.host().features else 32


def vector(number: int, width: int = WIDTH) -> Any:
    """Return a register of this many bytes."""
    return getattr(x86, f"{'xyz'[(16, 32, 64).index(width)]}mm{number}")


def rows(arrays: Sequence[Any], walks: int, streaming: bool, ahead: bool) -> NativeCall:
    """Return a loop over the rows of the inputs and, last, the result: once, or once to read and once more to read and
    store. It stores past the caches if `streaming`, and prefetches the next row if `ahead`."""
    asm: Any = ts.assembler(None)
    pointers, row = POINTERS[: len(arrays)], arrays[0].shape[1] * 4
    asm.mov(x86.r11, arrays[0].shape[0])
    with asm.loop(x86.r11, align=64):
        for last in (False, True)[2 - walks :]:
            asm.mov(x86.r8, row // STEP)
            with asm.loop(x86.r8, align=32):
                for place in range(0, STEP, WIDTH):
                    for number, pointer in enumerate(pointers[:-1]):
                        asm.vmovups(vector(number), x86.ptr[pointer + place])
                        if last and ahead and place % 64 == 0:
                            asm.prefetcht1(x86.ptr[pointer + place + row])
                    if last and streaming:
                        _stream(asm, pointers[-1], place)
                    elif last:
                        asm.vmovups(x86.ptr[pointers[-1] + place], vector(0))
                for pointer in pointers:
                    asm.add(pointer, STEP)
            for pointer in () if last else pointers:
                asm.sub(pointer, row)
    asm.sfence()
    asm.vzeroupper()
    asm.ret()
    kernel = asm.finish("bare").kernel(**{f"x{number}": "f32 *" for number in range(len(arrays))})
    return NativeCall(kernel.address, tuple(map(address_of, arrays)), (kernel, arrays))


def _stream(asm: Any, pointer: Any, place: int) -> None:
    """Append the stores of vector 0 past the caches."""
    asm.vmovntps(x86.ptr[pointer + place], vector(0, PIECE))
    for piece in range(1, WIDTH // PIECE):
        (asm.vextractf32x4 if WIDTH == 64 else asm.vextractf128)(vector(8 + piece, PIECE), vector(0), piece)
        asm.vmovntps(x86.ptr[pointer + place + piece * PIECE], vector(8 + piece, PIECE))


def beside_bare(run: Run, count: int) -> Iterator[Row]:
    rows_, columns = map(int, run.options.shape.split("x"))
    if columns * 4 % STEP:
        raise ValueError(f"--shape: the columns must be a multiple of {STEP // 4}, not {columns}")
    rng, offset = np.random.default_rng(0), run.options.offset
    arrays = [filled(at((rows_, columns), "f32", offset), rng) for _ in range(count + 1)]
    turns: dict[str, Any] = {"copy": memcpy(arrays[0], arrays[-1])}
    for walks, streaming, ahead in ((w, s, a) for w in (1, 2) for s in (False, True) for a in (False, True)):
        name = f"bare, walks {walks}{', streaming' * streaming}{', prefetches' * ahead}"
        turns[name] = rows(arrays, walks, streaming, ahead)
    for name in LAYERS[count]:
        kernel: Any = ts.fused(name, rows_, columns)
        inputs, given = iter(arrays[:-1]), {each.name for each in kernel.spec.inputs}
        turns[name] = native(kernel, [
            filled(at(each.shape, "f32", offset), rng) if 1 in each.shape
            else next(inputs) if each.name in given else arrays[-1] for each in kernel.spec.operands])
    best = run.turns(turns)
    best["copy"] *= (count + 1) / 2
    for who, seconds in best.items():
        yield {"inputs": count, "loop": who, "seconds": seconds / (rows_ * columns), "of copy": best["copy"] / seconds}


def lines(run: Run, name: str, m: int, n: int) -> Row:
    kernel, rng = ts.fused(name, m, n), np.random.default_rng(0)
    best = run.turns({key: native(kernel, [filled(at(each.shape, each.dtype, offset, 64), rng)
                                           for each in kernel.spec.operands])
                      for key, offset in (("line", 0), ("behind", BEHIND))})
    return {"layer": name, "shape": f"{m} x {n}", **{key: each / (m * n) for key, each in best.items()},
            "ratio": best["behind"] / best["line"]}


def _tables(run: Run) -> tuple[Table, ...]:
    by = f"ports by llvm-mca-19 -mcpu={run.options.cpu}"
    return (
        Table("layers", "layer; rows x columns=shape; in=place; ports=ports:3n; bytes=bytes:3n; measured=measured:3n; "
              "bound by=bound; share:2; of ports:2", [(*each, *shape) for each in layers.KERNELS for shape in SHAPES],
              on_this_host, f"Bounds, ns an element; {by}, bytes by a copy in the same run"),
        Table("attention", "type; keys; causal; ports:2; tiles:2; products alone=alone:2; measured:2; share:2",
              [(*each, causal) for each in ATTENTION for causal in (False, True)], attention,
              f"Attention of one head of {HEAD}, cycles a score; {by}"),
        Table("aarch64", "kernel; target; instructions=steps:2; in inner loops %=inside:0%"
              + "".join(f"; {cpu}:2" for cpu in CPUS), A64_TARGETS, aarch64,
              "AArch64, an element: executed (emulator), cycles of inner loops by their ports (llvm-mca-19)"),
        Table("bare", "inputs; loop; ns/element=seconds:3n; of a copy=of copy:2", LAYERS, beside_bare),
        Table("lines", "layer; rows x columns=shape; at a line, ns/element=line:3n; "
              f"{BEHIND} bytes behind=behind:3n; ratio:2", LINES, lines))


BENCH = Bench("bounds", __doc__, _tables, {
    "--cpu": {"default": X86_CPU, "help": "llvm-mca's model of this host, such as cooperlake"},
    "--shape": {"default": "4096x1024", "help": "rows x columns beside bare loops"},
    "--offset": {"type": int, "default": BEHIND, "help": "bytes from a page to the arrays of bare loops"}}, share=2.0)
