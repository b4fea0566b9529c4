"""`tilesmith bench call`: a call from Python, compared with NumPy, cffi and ctypes in the same run.

Every contender is called in the same loop of the interpreter, and the time of the empty loop is subtracted. What
remains is the call with its checks and the arithmetic.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ....encoder.records import dataclass
from ....microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE
from ....microkernels.operands import RUNTIME
from ...api.brgemm import brgemm
from ...api.dispatch import Dispatch, dispatch
from ...fastcall import entry
from ...fastcall.guards import FUNCTION
from ...kernel.callable import Kernel
from ...memory.executable import publish
from ...ops.gemm import gemm
from ...ops.linear import linear
from ...ops.matmul import matmul
from ...ops.mlp import mlp
from ...system.libc import ffi
from ..runner import Bench, Run, Table
from ..table import Goal, Row

SIZE = 4
VARIANTS = 8  # kernels of the handle
PRODUCT = 16  # rows and columns of a small product of ts.matmul
LAYERS = 4  # of a network of ts.mlp
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
WANTED: tuple[tuple[str, float, Sequence[str], str], ...] = (
    ("a 4x4x4 call with all checks", 25e-9, (OURS,), "s"),
    ("an empty kernel with all checks", 25e-9, (EMPTY,), "s"),
    ("np.add on 16 elements, by ours", 6, (ADD, OURS), ""),
    ("np.matmul at 4x4x4, by ours", 20, (MATMUL, OURS), ""),
    ("with the GIL released", 80e-9, (GIL,), "s"),
    ("with a new output", 80e-9, (NEW,), "s"),
    (f"a handle with {VARIANTS} kernels", 40e-9, (POLY,), "s"),
    (f"{PRODUCTS}{INTO}, beyond the kernel", 15e-9, (PRODUCTS + INTO, KERNEL + INTO), "s"),
    (f"{PRODUCTS}{INTO}, by numpy", 6, (NUMPYS + INTO, PRODUCTS + INTO), ""),
    (f"{PRODUCTS}{WITHOUT}, beyond the kernel", 25e-9, (PRODUCTS + WITHOUT, KERNEL + WITHOUT), "s"),
    (f"{PRODUCTS}{WITHOUT}, by numpy", 3.5, (NUMPYS + WITHOUT, PRODUCTS + WITHOUT), ""),
    ("torch tensors", 150e-9, (TENSORS,), "s"),
    ("torch tensors, by ts.matmul", 150e-9, (f"{TENSORS}, ts.matmul",), "s"),
)
"""The goals: a bound of one contender's seconds, of a difference in seconds, or of a ratio of two contenders."""


@dataclass(frozen=True)
class CallLoop:
    """CallLoop calls with the same arguments. Without a function it is the empty loop."""

    function: Callable[..., object] | None
    args: tuple[Any, ...] = ()
    keep: object = None

    def run(self, count: int) -> None:
        """CallLoop with two and three arguments are written as a program would write them."""
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


def _measured(run: Run) -> Iterator[Row]:
    """Yield the seconds per call of all contenders, which take turns, without the loop."""
    best = run.turns({"loop": CallLoop(None), **ours(), **_baselines()})
    loop = best.pop("loop")
    run.remark(f"calls: {entry.refusal() or 'machine code'}; less the empty loop ({loop * 1e9:.1f} ns)")
    for name, seconds in best.items():
        yield {"call": name, "seconds": seconds - loop, "by ours": (seconds - loop) / (best[OURS] - loop)}


def goals(rows: Iterable[Row]) -> Iterator[Goal]:
    """Yield the goals. A figure of two contenders is their ratio, or their difference if it is in seconds."""
    seconds = {row["call"]: row["seconds"] for row in rows}
    for what, wanted, names, unit in WANTED:
        found, *other = (seconds.get(name, float("nan")) for name in names)
        for each in other:
            found = found - each if unit else found / each
        yield Goal(what, wanted, found, unit)


# Contenders


def _operands() -> tuple[Any, Any, Any]:
    a, b, c = (np.zeros((SIZE, SIZE), np.float32) for _ in range(3))
    return a, b, c


def ours() -> dict[str, CallLoop]:
    """Return our contenders."""
    a, b, c = _operands()
    size, whole = SIZE * SIZE * 4, np.zeros((4, SIZE, SIZE), np.float32)
    offsets = np.arange(4) * size
    addresses = (offsets + whole.__array_interface__["data"][0]).astype(np.uint64)

    def kernel(**request: Any) -> Kernel:
        return brgemm(SIZE, SIZE, SIZE, **request)

    runtime = dict.fromkeys(("lda", "ldb", "ldc"), RUNTIME)
    found = {
        OURS: CallLoop(kernel(), (a, b, c)),
        "4x4x4, leading dimensions from the strides": CallLoop(kernel(**runtime), (a, b, c)),
        GIL: CallLoop(kernel(release_gil=True), (a, b, c)),
        NEW: CallLoop(kernel(beta=0), (a, b)),
        POLY: CallLoop(_handle(), (a, b, c)),
        "4 pairs, STRIDE": CallLoop(kernel(batch=STRIDE), (whole, whole, c, 4, size, size)),
        "4 pairs, STRIDE, numpy.int64": CallLoop(
            kernel(batch=STRIDE), (whole, whole, c, *map(np.int64, (4, size, size)))),
        "4 pairs, OFFSET": CallLoop(kernel(batch=OFFSET), (whole, whole, c, offsets, offsets)),
        "4 pairs, ADDRESS": CallLoop(kernel(batch=ADDRESS), (addresses, addresses, c), keep=whole),
        "4x4x4 through Python": CallLoop(kernel()._checked, (a, b, c)),
    }
    empty = _empty_kernel()
    if empty is not None:
        found[EMPTY] = CallLoop(empty, (a, b, c))
    return found | _products() | _tensors(kernel)


def _products() -> dict[str, CallLoop]:
    """Return calls of products of two small matrices, into an array that exists and into a new one."""
    a, b, c = (np.zeros((PRODUCT, PRODUCT), np.float32) for _ in range(3))
    kernel = brgemm(PRODUCT, PRODUCT, PRODUCT, beta=0)
    functions: dict[str, Callable[..., object]] = {KERNEL: kernel, PRODUCTS: matmul, NUMPYS: np.matmul}
    into = {name + INTO: CallLoop(function, (a, b, c)) for name, function in functions.items()}
    layer = linear(PRODUCT, PRODUCT, PRODUCT, bias=False)
    net = mlp(PRODUCT, [PRODUCT] * (LAYERS + 1))
    weights, biases = net.pack([b] * LAYERS), [np.zeros(PRODUCT, np.float32)] * LAYERS
    into |= {
        f"{SIZES}, ts.gemm": CallLoop(gemm(PRODUCT, PRODUCT, PRODUCT, beta=0.0), (a, b, c)),
        f"{SIZES}, ts.gemm, B packed": CallLoop(gemm(PRODUCT, PRODUCT, PRODUCT, beta=0.0, order="CFC"), (a, b.T, c)),
        f"{SIZES}, ts.linear": CallLoop(layer, (a, layer.pack(b), c)),
        f"{LAYERS} layers of that size, ts.mlp": CallLoop(net, (a, weights, biases, c)),
    }
    return into | {name + WITHOUT: CallLoop(function, (a, b)) for name, function in functions.items()}


def _tensors(kernel: Callable[..., Kernel]) -> dict[str, CallLoop]:
    """Return calls with torch's tensors if torch is installed. Kernels of all these types run everywhere."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return {}

    def zeros(*names: str) -> tuple[Any, ...]:
        return tuple(torch.zeros(SIZE, SIZE, dtype=getattr(torch, name)) for name in names)

    floats, halves, bytes_ = zeros(*["float32"] * 3), zeros(*["bfloat16"] * 3), zeros(*["float8_e4m3fn"] * 2, "float32")
    return {
        TENSORS: CallLoop(kernel(), floats),
        f"{TENSORS}, bf16": CallLoop(kernel(dtype="bf16"), halves),
        f"{TENSORS}, 8-bit floats": CallLoop(kernel(dtype=("f8e4m3", "f8e4m3", "f32")), bytes_),
        f"{TENSORS}, c left out: a new tensor": CallLoop(kernel(beta=0), floats[:2]),
        f"{TENSORS}, a handle": CallLoop(_handle(), floats),
        f"{TENSORS}, ts.matmul": CallLoop(matmul, floats),
        "torch.mm(a, b, out)": CallLoop(lambda: torch.mm(floats[0], floats[1], out=floats[2])),
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


def _baselines() -> dict[str, CallLoop]:
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
        ADD: CallLoop(np.add, (a, b, c)),
        MATMUL: CallLoop(np.matmul, (a, b, c)),
        "cffi, pointers at hand, no checks": CallLoop(function, pointers, kernel),
        "cffi, ffi.from_buffer, no checks": CallLoop(from_buffer, (a, b, c)),
        "ctypes, pointers at hand, no checks": CallLoop(foreign, voids),
        "ctypes, array.ctypes.data, no checks": CallLoop(data, (a, b, c)),
    }


BENCH = Bench("call", __doc__, (Table("calls", "call; ns=seconds:1n; by ours:1", ((),), _measured, goals=goals),))
