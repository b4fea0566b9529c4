"""Parts of `tilesmith bench fused`: optimizers relative to copy bandwidth, attention relative to the peak of products,
and times of code generation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.fused.spec import FusedSpec
from ..api import fused as functions
from ..api.attention import attention as attention_kernel
from ..api.attention import attention_inv
from ..api.brgemm import brgemm
from ..api.eltwise import equation, unary
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..kernel.callable import Kernel
from . import measure
from .goals import Goal
from .peers.elementwise import memcpy, torch_module
from .places import nearest_cache, placed

PLACES = {"L2": 384 << 10, "memory": 192 << 20}
"""Bytes of all operands of an optimizer together."""
ROW = 1024
STEPS = {"momentum": 0.9, "split_sgd": 0.9, "adam": 0.9}
"""Optimizers and the share of copy bandwidth that each should reach."""
HEADS, SIZE, LENGTHS = 8, 64, (128, 512, 2048)
OF_PEAK = {"f32": (0.80, 1.2), "bf16": (0.65, 1.5)}
"""The goals of attention: the share of peak from 512 keys on, and the speed relative to torch."""
GENERATED = {"softmax": 10e-3, "attention": 25e-3, "attention, causal": 25e-3, "attention backward": math.nan,
             "40 nodes": 15e-3}  # fmt: skip
"""The most seconds that generating a kernel's code may take; NaN means no goal."""

REPEATED = 12


class Figure(NamedTuple):
    """A figure with its description and its goals: (what, wanted, found, unit)."""

    what: str
    figure: str
    beside: str
    wanted: tuple[tuple[str, float, float, str], ...]

    @property
    def goals(self) -> Iterator[Goal]:
        """The goals in the report's form."""
        for what, wanted, found, unit in self.wanted:
            yield Goal(f"{self.what}{what}", wanted, found, unit)


def print_figures(console: Console, figures: Sequence[Figure]) -> None:
    """Print the figures as a table."""
    table = Table()
    for heading in ("what", "figure", "beside"):
        table.add_column(heading, no_wrap=True)
    for each in figures:
        table.add_row(each.what, each.figure, each.beside)
    console.print(table)


# Optimizers


def optimizers(target: Target, seconds: float) -> Iterator[Figure]:
    """Measure in-place steps, relative to the faster of two copies that move half of the operands' bytes to the other
    half."""
    for place, name in measure.steps(((place, name) for place in PLACES for name in STEPS), "optimizers"):
        stored, moved, best = _step(name, PLACES[place], target, seconds)
        ours = moved / best["ours"]
        copy = stored / min(best["copy"], best["libc"])
        share = ours / copy
        goals = ((", by copy", STEPS[name], share, ""),)
        yield Figure(f"{name} in place, in {place}", f"{ours / 1e9:.1f} GB/s",
                     f"{share:.2f} of a copy, {copy / 1e9:.1f} GB/s", goals)  # fmt: skip


def _step(name: str, size: int, target: Target, seconds: float) -> tuple[int, int, dict[str, float]]:
    """Return the bytes of all matrices, the bytes read and written, and the times of a call."""
    probe = cast(FusedSpec, functions.fused(name, 1, ROW, target=target).spec)
    matrices = [each for each in probe.inputs if each.columns > 1]
    row = sum(ELEMENT_BYTES[each.dtype] for each in matrices) * ROW
    rows = size // row
    kernel = functions.fused(name, rows, ROW, target=target)
    spec = cast(FusedSpec, kernel.spec)
    arrays = [placed((each.rows, each.columns), each.dtype, len(spec.inputs) - i)
              for i, each in enumerate(spec.inputs)]  # fmt: skip
    rng = np.random.default_rng(0)
    for each, operand in zip(arrays, spec.inputs):
        each[...] = rng.integers(1, 9, each.shape) if operand.dtype == "u16" else rng.random(each.shape, np.float32)
    results = arrays[: len(spec.outputs)]
    written = sum(each.nbytes for each in results)
    x, y = (placed((rows * row // 8 // ROW, ROW), "f32", place) for place in (1, 0))
    copied: Any = unary("identity", *x.shape, target=target)
    turns = {"ours": native(kernel, [*arrays, *results]), "copy": native(copied, [x, y]), "libc": memcpy(x, y)}
    best = {who: timing.best for who, timing in measure.seconds_per_call(turns, seconds).items()}
    best = {who: time if who == "ours" else time * rows * row / (2 * x.nbytes) for who, time in best.items()}
    return rows * row, rows * row + written, best


def native(kernel: Kernel, arrays: Sequence[Array]) -> measure.NativeCall:
    """Return the call of the machine code on these arrays."""
    assert kernel.address is not None
    return measure.NativeCall(kernel.address, tuple(map(address_of, arrays)), (kernel, arrays))


# Attention


def attention(target: Target, seconds: float) -> Iterator[Figure]:
    """Measure forward attention with 8 heads of 64, relative to brgemm's rate with operands in the nearest cache."""
    for dtype, (of_peak, times) in OF_PEAK.items():
        try:
            peak = _peak(dtype, target)
        except UnsupportedError:
            continue
        alone = measure.seconds_per_call({"peak": peak[0]}, seconds)["peak"].best
        asked = [(length, causal) for length in LENGTHS for causal in (False, True)]
        for length, causal in measure.steps(asked, f"attention in {dtype}"):
            yield _attended(dtype, length, causal, (*peak, alone), target, seconds, (of_peak, times))


def _attended(dtype: Any, length: int, causal: bool, peak: tuple[measure.NativeCall, int, float], target: Target,
              seconds: float, wanted: tuple[float, float]) -> Figure:  # fmt: skip
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((HEADS, length, SIZE)).astype(numpy_dtype(dtype)) for _ in range(4)]
    kernel = attention_kernel(HEADS, length, length, SIZE, causal=causal, dtype=dtype, target=target)
    turns: dict[str, measure.Contender] = {"ours": native(kernel, arrays), "peak": peak[0]}
    theirs = _torch_attention(arrays[:3], causal)
    turns |= {"torch": theirs} if theirs is not None else {}
    best = {who: timing.best for who, timing in measure.seconds_per_call(turns, seconds).items()}
    flops = 4 * HEADS * length * length * SIZE / (2 if causal else 1)
    share = flops / best["ours"] * min(best["peak"], peak[2]) / peak[1]
    faster = best.get("torch", math.nan) / best["ours"]
    goals = [(", torch by ours", wanted[1], faster, "")]
    goals += [(", of peak", wanted[0], share, "")] if length >= 512 else []
    where = nearest_cache(sum(each.nbytes for each in arrays))
    masked = ", causal" if causal else ""
    return Figure(f"attention {dtype} {HEADS} x {length} x {SIZE}{masked} ({where})", f"{share:.2f} of peak",
                  "-" if math.isnan(faster) else f"{faster:.2f} times torch", tuple(goals))  # fmt: skip


def _peak(dtype: Any, target: Target) -> tuple[measure.NativeCall, int]:
    """Return a product whose operands lie in the nearest cache, and its number of operations."""
    more: dict[str, Any] = {"b_layout": "vnni", "numerics": "fast"} if dtype == "bf16" else {}
    kernel: Any = brgemm(48, 64, 64, batch=16, dtype=(dtype, dtype, "f32"), target=target, **more)
    a, b, c = (np.ones(shape, numpy_dtype(dtype)) for shape in ((16, 48, 64), (16, 64, 64), (48, 64)))
    return native(kernel, [a, b, c.astype(np.float32)]), int(kernel.flops)


def _torch_attention(arrays: Sequence[Array], causal: bool) -> measure.PythonCall | None:
    torch = torch_module()
    if torch is None:
        return None
    held = [(torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.itemsize == 2 else torch.from_numpy(x))[None]
            for x in arrays]  # fmt: skip
    function = torch.nn.functional.scaled_dot_product_attention
    return measure.PythonCall(lambda: function(*held, is_causal=causal))


# Code generation


def generation(target: Target) -> Iterator[Figure]:
    """Measure the seconds from a new request to a kernel: the best of several requests with different constants."""
    makers: dict[str, Callable[[int], object]] = {
        "softmax": lambda i: functions.fused("softmax", 64 + i, 384, target=target),
        "attention": lambda i: attention_kernel(8, 256, 256, 64, scale=0.1 + i / 64, target=target),
        "attention, causal": lambda i: attention_kernel(
            8, 256, 256, 64, scale=0.1 + i / 64, causal=True, target=target
        ),
        "attention backward": lambda i: attention_inv(8, 256, 256, 64, scale=0.1 + i / 64, target=target),
        "40 nodes": lambda i: equation(forty_nodes, x=(64 + i, 384), w=(384,), target=target),
    }
    for name, make in measure.steps(makers.items(), "code"):
        best = math.inf
        for number in range(REPEATED):
            start = time.perf_counter()
            make(number)
            best = min(best, time.perf_counter() - start)
        wanted = GENERATED[name]
        goals = () if math.isnan(wanted) else ((f", {wanted * 1e3:g} ms", wanted, best, "s"),)
        yield Figure(f"code of {name}", f"{best * 1e3:.1f} ms", "", goals)


def forty_nodes(x: Expr, w: Expr) -> tuple[Expr, ...]:
    """Return eight reductions, functions and arithmetic, some 40 nodes: as much as one kernel of a large layer may
    have."""
    value, results = x, []
    for number in range(4):
        middle = value - functions.mean(value, axis=1)
        size = functions.sum(middle * middle, axis=1)
        value = middle * w + (value + 1.0 / (number + 2)) * 0.5
        results.append(size + number)
        value = value * 0.25 + w
    return (value, *results)
