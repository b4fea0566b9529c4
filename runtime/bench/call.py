"""`tilesmith bench call`: a call from Python, compared with NumPy, cffi and ctypes in the same run.

Every contender is called in the same loop of the interpreter, and the time of the empty loop is subtracted. What
remains is the call with its checks and the arithmetic. Contenders take turns, and each is timed by its best sample.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.records import dataclass
from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE
from ...microkernels.operands import RUNTIME
from ..api.brgemm import brgemm
from ..api.dispatch import Dispatch, dispatch
from ..fastcall import entry
from ..fastcall.guards import FUNCTION
from ..host import detect as host
from ..kernel.callable import Kernel
from ..memory.executable import publish
from ..ops.gemm import gemm
from ..ops.linear import linear
from ..ops.matmul import matmul
from ..ops.mlp import mlp
from ..system.libc import ffi
from . import measure
from .goals import Goal, saved, write_json

SIZE = 4
VARIANTS = 8  # kernels of the handle
CALL, RELEASED, ALLOCATING, HANDLE, TORCH = 25e-9, 80e-9, 80e-9, 40e-9, 150e-9
ADD_RATIO, MATMUL_RATIO = 6, 20
PRODUCT = 16  # rows and columns of a small product of ts.matmul
LAYERS = 4  # of a network of ts.mlp
BEYOND, BEYOND_NEW, PRODUCT_RATIO, PRODUCT_RATIO_NEW = 15e-9, 25e-9, 6, 3.5

OURS, EMPTY, ADD, MATMUL = (
    "4x4x4, all checks",
    "an empty kernel, all checks",
    "np.add(a, b, out)",
    "np.matmul(a, b, out)",
)
GIL, NEW, POLY, TENSORS = (
    "the GIL released",
    "c left out: a new array",
    f"a handle with {VARIANTS} kernels",
    "torch tensors",
)
SIZES = f"{PRODUCT}x{PRODUCT}x{PRODUCT}"
KERNEL, PRODUCTS, NUMPYS = f"{SIZES}, the kernel", f"{SIZES}, ts.matmul", f"{SIZES}, np.matmul"
INTO, WITHOUT = ", into c", ", a new array"


@dataclass(frozen=True)
class Calls:
    """Repeated calls with the same arguments. Without a function it is the empty loop."""

    function: Callable[..., object] | None
    args: tuple[Any, ...] = ()
    keep: object = None

    def run(self, count: int) -> None:
        """Calls with two and three arguments are written as a program would write them."""
        call, rounds = self.function, itertools.repeat(None, count)
        if call is None:
            for _ in rounds:
                pass
        elif len(self.args) == 3:
            a, b, c = self.args
            for _ in rounds:
                call(a, b, c)
        elif len(self.args) == 2:
            a, b = self.args
            for _ in rounds:
                call(a, b)
        else:
            args = self.args
            for _ in rounds:
                call(*args)


@dataclass
class CallReport:
    """Seconds per call without the loop, keyed by contender, and the goals."""

    machine: str
    python: str
    numpy: str
    mode: str
    loop: float
    seconds: dict[str, float]
    goals: list[Goal]

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        write_json(path, {**asdict(self), "goals": saved(self.goals)})


def bench_call(seconds: float = 0.3, json_path: str | Path | None = None, console: Console | None = None) -> CallReport:
    """Measure with `seconds` per contender, and print. The report is returned, and also written to `json_path`."""
    console = console or Console(width=None if sys.stdout.isatty() else 110)
    contenders = {"loop": Calls(None), **_ours(), **_baselines()}
    with measure.one_cpu():
        timings = measure.seconds_per_call(contenders, seconds)
    loop = timings.pop("loop").best
    beyond = {name: timing.best - loop for name, timing in timings.items()}
    mode = entry.refusal() or "machine code"
    report = CallReport(host.brand(), sys.version.split()[0], np.__version__, mode, loop, beyond, _goals(beyond))
    _print(console, report)
    if json_path is not None:
        report.save(json_path)
    return report


# Contenders


def _operands() -> tuple[Any, Any, Any]:
    a, b, c = (np.zeros((SIZE, SIZE), np.float32) for _ in range(3))
    return a, b, c


def _ours() -> dict[str, Calls]:
    a, b, c = _operands()
    size, whole = SIZE * SIZE * 4, np.zeros((4, SIZE, SIZE), np.float32)
    offsets = np.arange(4) * size
    addresses = (offsets + whole.__array_interface__["data"][0]).astype(np.uint64)

    def kernel(**request: Any) -> Kernel:
        return brgemm(SIZE, SIZE, SIZE, **request)

    runtime = dict.fromkeys(("lda", "ldb", "ldc"), RUNTIME)
    found = {
        OURS: Calls(kernel(), (a, b, c)),
        "4x4x4, leading dimensions from the strides": Calls(kernel(**runtime), (a, b, c)),
        GIL: Calls(kernel(release_gil=True), (a, b, c)),
        NEW: Calls(kernel(beta=0), (a, b)),
        POLY: Calls(_handle(), (a, b, c)),
        "4 pairs, STRIDE": Calls(kernel(batch=STRIDE), (whole, whole, c, 4, size, size)),
        "4 pairs, STRIDE, numpy.int64": Calls(kernel(batch=STRIDE), (whole, whole, c, *map(np.int64, (4, size, size)))),
        "4 pairs, OFFSET": Calls(kernel(batch=OFFSET), (whole, whole, c, offsets, offsets)),
        "4 pairs, ADDRESS": Calls(kernel(batch=ADDRESS), (addresses, addresses, c), keep=whole),
        "4x4x4 through Python": Calls(kernel()._checked, (a, b, c)),
    }
    empty = _empty_kernel()
    if empty is not None:
        found[EMPTY] = Calls(empty, (a, b, c))
    return found | _products() | _tensors(kernel)


def _products() -> dict[str, Calls]:
    """Return calls of products of two small matrices, into an array that exists and into a new one."""
    a, b, c = (np.zeros((PRODUCT, PRODUCT), np.float32) for _ in range(3))
    kernel = brgemm(PRODUCT, PRODUCT, PRODUCT, beta=0)
    functions: dict[str, Callable[..., object]] = {KERNEL: kernel, PRODUCTS: matmul, NUMPYS: np.matmul}
    into = {name + INTO: Calls(function, (a, b, c)) for name, function in functions.items()}
    layer = linear(PRODUCT, PRODUCT, PRODUCT, bias=False)
    net = mlp(PRODUCT, [PRODUCT] * (LAYERS + 1))
    weights, biases = net.pack([b] * LAYERS), [np.zeros(PRODUCT, np.float32)] * LAYERS
    into |= {
        f"{SIZES}, ts.gemm": Calls(gemm(PRODUCT, PRODUCT, PRODUCT, beta=0.0), (a, b, c)),
        f"{SIZES}, ts.gemm, B packed": Calls(gemm(PRODUCT, PRODUCT, PRODUCT, beta=0.0, order="CFC"), (a, b.T, c)),
        f"{SIZES}, ts.linear": Calls(layer, (a, layer.pack(b), c)),
        f"{LAYERS} layers of that size, ts.mlp": Calls(net, (a, weights, biases, c)),
    }
    return into | {name + WITHOUT: Calls(function, (a, b)) for name, function in functions.items()}


def _tensors(kernel: Callable[..., Kernel]) -> dict[str, Calls]:
    """Return calls with torch's tensors if torch is installed. Kernels of all these types run everywhere."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return {}

    def zeros(*names: str) -> tuple[Any, ...]:
        return tuple(torch.zeros(SIZE, SIZE, dtype=getattr(torch, name)) for name in names)

    floats, halves, bytes_ = zeros(*["float32"] * 3), zeros(*["bfloat16"] * 3), zeros(*["float8_e4m3fn"] * 2, "float32")
    return {
        TENSORS: Calls(kernel(), floats),
        f"{TENSORS}, bf16": Calls(kernel(dtype="bf16"), halves),
        f"{TENSORS}, 8-bit floats": Calls(kernel(dtype=("f8e4m3", "f8e4m3", "f32")), bytes_),
        f"{TENSORS}, c left out: a new tensor": Calls(kernel(beta=0), floats[:2]),
        f"{TENSORS}, a handle": Calls(_handle(), floats),
        f"{TENSORS}, ts.matmul": Calls(matmul, floats),
        "torch.mm(a, b, out)": Calls(lambda: torch.mm(floats[0], floats[1], out=floats[2])),
    }


def _handle() -> Dispatch:
    handle = dispatch(brgemm)
    for size in range(SIZE + VARIANTS - 1, SIZE - 1, -1):
        handle(*(np.zeros((size, size), np.float32) for _ in range(3)))
    return handle


def _empty_kernel() -> Callable[..., Any] | None:
    """Return an object whose calls are checked like those of the 4x4x4 kernel and then do nothing."""
    native, kernel = entry.native_type(Kernel), brgemm(SIZE, SIZE, SIZE)
    if native is None:
        return None
    found = kernel.kind.entry(kernel.spec, "never", 0)
    assert found is not None
    structure, values = found
    block = publish(b"\xc3")  # ret
    values[FUNCTION] = block.address
    constants = entry.constants_of(values)
    empty: Callable[..., Any] = object.__new__(native.type)

    def slow(*args: Any) -> Any:
        raise TypeError("the empty kernel takes right arguments only")

    slow.keep = block, constants  # type: ignore[attr-defined]
    native.install(empty, entry.code_of(structure, native), constants, slow)
    return empty


def _baselines() -> dict[str, Calls]:
    a, b, c = _operands()
    kernel = brgemm(SIZE, SIZE, SIZE)
    address = kernel.address
    function = ffi.cast("void(*)(float *, float *, float *)", address)
    pointers = tuple(ffi.cast("float *", x.__array_interface__["data"][0]) for x in (a, b, c))
    ctypes = importlib.import_module("ctypes")  # a baseline: nothing of tilesmith uses it
    foreign = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)
    voids = tuple(ctypes.c_void_p(x.ctypes.data) for x in (a, b, c))

    def from_buffer(a: Any, b: Any, c: Any) -> None:
        function(ffi.from_buffer("float[]", a), ffi.from_buffer("float[]", b), ffi.from_buffer("float[]", c))

    def data(a: Any, b: Any, c: Any) -> None:
        foreign(a.ctypes.data, b.ctypes.data, c.ctypes.data)

    return {
        ADD: Calls(np.add, (a, b, c)),
        MATMUL: Calls(np.matmul, (a, b, c)),
        "cffi, pointers at hand, no checks": Calls(function, pointers),
        "cffi, ffi.from_buffer, no checks": Calls(from_buffer, (a, b, c)),
        "ctypes, pointers at hand, no checks": Calls(foreign, voids),
        "ctypes, array.ctypes.data, no checks": Calls(data, (a, b, c)),
    }


# Goals and printing


def _goals(seconds: dict[str, float]) -> list[Goal]:
    nothing = float("nan")
    ours = seconds[OURS]
    return [
        Goal("a 4x4x4 call with all checks", CALL, ours, "s"),
        Goal("an empty kernel with all checks", CALL, seconds.get(EMPTY, nothing), "s"),
        Goal("np.add on 16 elements, by ours", ADD_RATIO, seconds[ADD] / ours),
        Goal("np.matmul at 4x4x4, by ours", MATMUL_RATIO, seconds[MATMUL] / ours),
        Goal("with the GIL released", RELEASED, seconds[GIL], "s"),
        Goal("with a new output", ALLOCATING, seconds[NEW], "s"),
        Goal(f"a handle with {VARIANTS} kernels", HANDLE, seconds[POLY], "s"),
        *_goals_of_products(seconds, INTO, BEYOND, PRODUCT_RATIO),
        *_goals_of_products(seconds, WITHOUT, BEYOND_NEW, PRODUCT_RATIO_NEW),
        Goal("torch tensors", TORCH, seconds.get(TENSORS, nothing), "s"),
        Goal("torch tensors, by ts.matmul", TORCH, seconds.get(f"{TENSORS}, ts.matmul", nothing), "s"),
    ]


def _goals_of_products(seconds: dict[str, float], how: str, beyond: float, ratio: float) -> list[Goal]:
    """Return the goals of ts.matmul: its time beyond the kernel's, and its ratio to numpy."""
    kernel, ours, numpys = (seconds[name + how] for name in (KERNEL, PRODUCTS, NUMPYS))
    return [
        Goal(f"{PRODUCTS}{how}, beyond the kernel", beyond, ours - kernel, "s"),
        Goal(f"{PRODUCTS}{how}, by numpy", ratio, numpys / ours),
    ]


def _print(console: Console, report: CallReport) -> None:
    console.print(f"[bold]{report.machine}[/], Python {report.python}, numpy {report.numpy}, calls: {report.mode}")
    console.print(f"best sample, less the empty loop ({report.loop * 1e9:.1f} ns)")
    ours = report.seconds[OURS]
    _table(console, ("call", "ns", "by ours"), (
        (name, f"{value * 1e9:,.1f}", f"{value / ours:.1f}") for name, value in report.seconds.items()
    ))  # fmt: skip
    _table(console, ("goal", "wanted", "found", ""), (
        (goal.what, _figure(goal.wanted, goal.unit, "<= " if goal.unit else ">= "), _figure(goal.found, goal.unit),
         goal.state) for goal in report.goals
    ))  # fmt: skip


def _figure(value: float, unit: str, relation: str = "") -> str:
    if value != value:
        return "-"
    return f"{relation}{value * 1e9:,.1f} ns" if unit else f"{relation}{value:.1f}"


def _table(console: Console, headings: Sequence[str], rows: Any) -> None:
    table = Table()
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="right" if 0 < i < 3 else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row, style="red" if "NOT REACHED" in row else "")
    console.print(table)
