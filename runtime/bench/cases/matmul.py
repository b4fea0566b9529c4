"""`tilesmith bench matmul`: ts.matmul beside numpy, torch if it is installed, and the peak of the same number of cores.

tilesmith bench matmul [--threads 1 2] [--types f32 bf16 f16 f8] [--shapes 512 64x512x128 ...] [--seconds 1]
PYTHONPATH=... tilesmith bench matmul with torch in that path

Contenders and the peak take turns, and the best sample of each counts. Each number of threads has its own process, in
which the other libraries use the same number.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from ...arguments.arrays import Array, numpy_dtype
from ...host import detect as host
from ...ops.matmul import matmul
from ...system.libc import ffi
from ...threads.region import entry
from .. import measure
from ..peers.elementwise import torch_module
from ..runner import Bench, Run, Table, threads_of_child
from ..table import Row
from . import mixed

SHAPES = ("512", "1024", "2048", "4096", "1000x1111x999", "4096x64x4096", "64x4096x4096", "4096x4096x64", "333",
          "4096x4096x1", "17x4096x1000", "130")
TYPES = {"f32": ("f32", "f32", "f32"), "f64": ("f64", "f64", "f64"), "bf16": ("bf16", "bf16", "bf16"),
         "u8i8": ("u8", "i8", "i32"), "f16": ("f16", "f16", "f16"), "f8": ("f8e4m3", "f8e4m3", "f32"),
         "f32i8": ("f32", "i8", "f32"), "bf16i8": ("bf16", "i8", "bf16")}
OF_TORCH = ("f32", "f64", "bf16", "f16")
"""The types that torch multiplies too."""


def shape(text: str) -> tuple[int, int, int]:
    """Return the extents that a text names: MxNxK, or one number for all three."""
    try:
        found = tuple(map(int, text.split("x")))
        m, n, k = found * 3 if len(found) == 1 else found
    except ValueError:
        raise argparse.ArgumentTypeError(f"MxNxK, as 512x64x128, or one number for a cube, not {text!r}") from None
    if min(m, n, k) < 1:
        raise argparse.ArgumentTypeError(f"extents of 1 or more, not {text!r}")
    return m, n, k


def _tables(run: Run) -> Iterator[Table]:
    threads = threads_of_child()
    for name in run.options.types:
        yield Table(name, "threads; type; m x n x k=shape; of peak=ours:2; numpy:2; torch:2; "
                    "times the best of them=best:2~",
                    [(name, each, threads) for each in run.options.shapes], measured)


def measured(run: Run, name: str, extents: tuple[int, int, int], threads: int) -> Row:
    """Return the shares of the peak of one product."""
    m, n, k = extents
    call, flops = peak(name, threads)
    least = measure.asleep({"peak": call, **_contenders(name, operands(name, m, n, k), threads)}, run.seconds)
    rate = flops / least.pop("peak")
    shares = {who: 2 * m * n * k / taken / rate for who, taken in least.items()}
    theirs = [share for who, share in shares.items() if who != "ours"]
    best = {"best": shares["ours"] / max(theirs)} if theirs else {}
    return {"type": name, "shape": f"{m} x {n} x {k}", **shares, **best}


def peak(name: str, threads: int) -> tuple[Callable[[], None], float]:
    """Return a call that only multiplies and adds on this many threads at once, and its number of operations."""
    if name in ("bf16", "u8i8") and host.arch() == "x86":
        call, flops = mixed.peak_loop("bf16" if name == "bf16" else "i8")
    else:  # the others are multiplied as f32
        loop = measure.fma_loop(host.host(), "f64" if name == "f64" else "f32")
        call, flops = loop.call, loop.flops
    (passes,) = call.args
    region = ffi.cast("void(*)(uintptr_t, uintptr_t, long)", entry(host.host()))
    return lambda: region(call.address, 40 * passes, threads), 40.0 * flops * threads


def operands(name: str, m: int, n: int, k: int) -> tuple[Array, Array, Array]:
    """Return operands of small random numbers."""
    rng, shapes = np.random.default_rng(0), ((m, k), (k, n), (m, n))
    a, b, c = (rng.integers(0, 9, each).astype(numpy_dtype(dtype)) for each, dtype in zip(shapes, TYPES[name]))
    return a, b, c


def _contenders(name: str, arrays: tuple[Array, Array, Array], threads: int) -> dict[str, Callable[[], object]]:
    """Return the contenders that compute the product."""
    a, b, c = arrays
    found: dict[str, Callable[[], object]] = {"ours": lambda: matmul(a, b, c)}
    if name in ("f32", "f64"):
        found["numpy"] = lambda: np.matmul(a, b, c)
    torch = torch_module(threads) if name in OF_TORCH else None
    if torch is not None:
        x, y, z = (torch.from_numpy(each.view(np.int16)).view(torch.bfloat16) if name == "bf16"
                   else torch.from_numpy(each) for each in arrays)
        found["torch"] = lambda: torch.mm(x, y, out=z)
    return found


BENCH = Bench("matmul", __doc__, _tables, {
    "--threads": {"type": int, "nargs": "+", "default": [1, 2]},
    "--types": {"nargs": "+", "default": list(TYPES), "choices": list(TYPES)},
    "--shapes": {"type": shape, "nargs": "+", "default": [*map(shape, SHAPES)], "help": "512x64x128; 512 is a cube"},
}, seconds=1.0, alone=False, threads=True, share=4.0,
    quick=("--threads", "2", "--types", "f32", "bf16", "--shapes", "512", "1024", "333", "--seconds", "0.3"))
