"""`tilesmith bench gemm --dtype bf16 | f16 | i8 | u8i8 | i16`: mixed precision beside f32, the unit's peak and LIBXSMM.

For each shape, these contenders take turns on operands of the same values: our kernel in f32, the kernel of this
machine, the kernels that emulate its unit ("exact" and "fast") without the unit's instructions, a loop of only the
unit's instruction, and LIBXSMM if it has such a kernel. Operands are column-major and hot, and A is packed if the unit
needs it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.features import TARGETS, Target
from ...encoder.records import dataclass
from ...encoder.x86.abi import ARGUMENTS
from ...encoder.x86.assembler import X86Assembler
from ...encoder.x86.registers import TMM, YMM, ZMM, Mem
from ...microkernels.contract.dot_and_tile import TILED
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import GemmSpec, gemm_spec
from ...microkernels.machines.x86.amx import configuration
from ..arguments.arrays import numpy_dtype
from ..host import detect as host
from ..kernel.callable import kernel, shared
from ..memory.executable import publish
from . import measure
from .gemm import Shape
from .goals import Goal, WrongResult, geometric_mean, goal_table, write_json
from .measure import Contender, NativeCall
from .options import MIXED
from .peers import products as peers

Array = np.ndarray[Any, Any]

SHAPES = (*(Shape(n, n, n) for n in (4, 8, 13, 16, 17, 23, 32, 33, 48, 64, 65, 100, 128)),
          Shape(16, 6, 64), Shape(64, 6, 64), Shape(32, 32, 32, 16), Shape(64, 64, 64, 16))  # fmt: skip
_AT = Shape(64, 64, 64, 16)  # the shape of the goals
_PEAKS = {
    "bf16": (("tdpbf16ps", "AMX_BF16"), ("vdpbf16ps", "AVX512_BF16")),
    "f16": (("tdpfp16ps", "AMX_FP16"),),
    "i8": (("tdpbssd", "AMX_INT8"), ("vpdpbusd", "AVX512_VNNI")),
    "u8i8": (("tdpbusd", "AMX_INT8"), ("vpdpbusd", "AVX512_VNNI")),
    "i16": (("vpdpwssd", "AVX512_VNNI"),),
}
"""The instructions for a type that a processor may have, with their features, fastest first. Without any, it is an
FMA."""
_FLOPS = {"tdpbf16ps": 4, "tdpfp16ps": 4, "tdpbssd": 8, "tdpbusd": 8, "vdpbf16ps": 4, "vfmadd231ps": 2, "vpdpbusd": 8,
          "vpdpwssd": 4}  # of 32 bits  # fmt: skip
# dtype -> our speed relative to our f32, to the unit's peak; emulated, fast and emulated tiles relative to f32; the
# geometric mean relative to LIBXSMM
GOALS = {"bf16": (1.9, 0.92, 0.85, 0.92, 0.6, 1.05), "u8i8": (3.7, 0.92, 0.0, 0.0, 0.0, 0.0)}


@dataclass(frozen=True)
class MixedRow:
    """Operations per second of one shape; NaN if there is no such contender."""

    shape: str
    dtype: str
    f32: float
    native: float
    exact: float
    fast: float
    tiles: float  # in the order of tile registers, computed without them
    peak: float
    libxsmm: float
    code_bytes: int


def bench_mixed(dtype: str, seconds: float = 0.1, json_path: str | Path | None = None,
                console: Console | None = None) -> list[MixedRow]:  # fmt: skip
    """Measure and print; the rows are returned, and also written to `json_path`."""
    console = console or Console(width=None if sys.stdout.isatty() else 132)
    if dtype not in MIXED:
        raise UnsupportedError(f"dtype={dtype!r}: mixed precision knows {', '.join(MIXED)}")
    if host.arch() != "x86":
        raise UnsupportedError("bench gemm of mixed precision runs on x86-64 hosts")
    remarks: list[str] = []
    with measure.one_cpu():
        console.print(f"[bold]{host.brand()}[/], {measure.frequency() / 1e9:.2f} GHz, one thread, column-major")
        rows = [_measure(dtype, shape, seconds, remarks) for shape in measure.steps(SHAPES, "shapes")]
    console.print(_table(dtype, rows))
    console.print(goal_table(list(_goals(dtype, rows))))
    for remark in remarks:
        console.print(remark)
    if json_path is not None:
        write_json(json_path, [asdict(row) for row in rows])
    return rows


def base_target() -> Target:
    """Return this machine without tensor units, as the target that emulates them with its own pipes."""
    this = host.host()
    return replace(this, name=f"{this.isa} of this host", features=TARGETS[this.isa].features)


def _measure(dtype: str, shape: Shape, seconds: float, remarks: list[str]) -> MixedRow:
    types = MIXED[dtype]
    kernels = {
        "f32": kernel(_spec(shape, ("f32",) * 3), base_target()),
        "native": kernel(_spec(shape, types), host.host()),
    }
    if kernels["native"].emulated:
        remarks += ["this machine lacks the unit: `native` is emulated too"] if not remarks else []
    if types[0] == "bf16":
        kernels["exact"] = kernel(_spec(shape, types), base_target())
        kernels["fast"] = kernel(replace(_spec(shape, types), numerics="fast"), base_target())
        kernels["tiles"] = shared(replace(_spec(shape, types), numerics=TILED), base_target())
    elif types[2] == "i32":
        kernels["exact"] = kernel(_spec(shape, types), base_target())
    contenders: dict[str, Contender] = {}
    operands = {name: _operands(each.spec, shape) for name, each in kernels.items()}
    for name, each in kernels.items():
        a, b, c = operands[name][:3]
        assert each.address is not None
        contenders[name] = NativeCall(each.address, tuple(map(_address, (a, b, c))), (each, a, b, c))
        _check(f"{name} {shape} {dtype}", contenders[name], *operands[name][2:])
    peak, flops = _peak(dtype)
    contenders["peak"] = peak
    if types[0] == "bf16":
        try:
            a, b, c, *_ = _operands(kernels["native"].spec, shape)
            contenders["libxsmm"] = peers.libxsmm_bf16(a, b, c)
        except peers.BaselineMissing as missing:
            remarks += [str(missing)] if str(missing) not in remarks else []
    timings = measure.seconds_per_call(contenders, seconds)

    def speed(name: str, work: int = shape.flops) -> float:
        return work / timings[name].best if name in timings else math.nan

    return MixedRow(str(shape), dtype, speed("f32"), speed("native"), speed("exact"), speed("fast"), speed("tiles"),
                    speed("peak", flops), speed("libxsmm"), len(kernels["native"].code))  # fmt: skip


def _spec(shape: Shape, types: tuple[str, ...]) -> GemmSpec:
    """Return a column-major product. A is packed for units that multiply groups."""
    m, n, k, batch = shape
    packed = types[0] in ("bf16", "i8", "u8", "i16")
    layout = "vnni" if packed else "plain"
    return gemm_spec(m, n, k, dtype=types, order="F", batch=batch or None, a_layout=layout)


def _operands(spec: Any, shape: Shape) -> tuple[Array, Array, Array, Array, Array]:
    """Return a, b and c in memory layout, aligned to 64 bytes, and the plain values of A and B."""
    values = np.random.default_rng(1)
    pairs, arrays = max(1, shape.batch), []
    extents = (spec.m, spec.k), (spec.k, spec.n), (1, spec.m * spec.n)
    plain = [_random(values, (pairs, *extent), dtype) for extent, dtype in zip(extents, spec.dtypes)]
    for number, (operand, array) in enumerate(zip(spec.operands, plain)):
        if number == 0:  # by columns, or by columns of groups
            group = operand.group
            padded = np.pad(array, ((0, 0), (0, 0), (0, -spec.k % group)))
            array = padded.reshape(pairs, spec.m, -1, group).transpose(0, 2, 1, 3)
        elif number == 1:
            array = array.transpose(0, 2, 1)
        arrays.append(_aligned(array if number < 2 else array[:1]))
    return arrays[0], arrays[1], arrays[2], plain[0], plain[1]


def _random(values: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Return whole numbers whose sums are exact in every type."""
    return values.integers(0 if dtype == "u8" else -3, 4, shape).astype(numpy_dtype(dtype))


def _aligned(array: Array) -> Array:
    block = np.empty(array.nbytes + 64, np.uint8)
    made: Array = np.ndarray(array.shape, array.dtype, block, -_address(block) % 64)
    made[...] = array
    return made


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def _check(name: str, contender: Contender, c: Array, x: Array, y: Array) -> None:
    """Check that a call adds the products of x and y, which are A and B unpacked, to C exactly, since the values are
    small integers."""
    before = c.copy().ravel()
    contender.run(1)
    product = (x.astype(np.float64) @ y.astype(np.float64)).sum(0)
    if not np.array_equal(c.ravel().astype(np.float64), before.astype(np.float64) + product.ravel(order="F")):
        raise WrongResult(f"{name}: not the product")


def _peak(dtype: str) -> tuple[NativeCall, int]:
    """Return a loop of independent instructions of the unit (or of FMAs if there is no unit), and its number of
    operations."""
    this = host.host()
    name = next((name for name, feature in _PEAKS[dtype] if feature in this.features), "vfmadd231ps")
    asm = X86Assembler(this)
    if name.startswith("t"):
        return _tile_peak(name, asm)
    x, y, *sums = ZMM if this.isa == "avx512" else YMM[:16]
    for register in (x, y, *sums):  # zeros: the clock of integer units does not depend on their operands
        (asm.vpxord if this.isa == "avx512" else asm.vpxor)(register, register, register)
    with asm.loop(ARGUMENTS[0], align=64):
        for register in sums * 4:
            getattr(asm, name)(register, x, y)
    asm.vzeroupper()
    asm.ret()
    block = publish(asm.finish("peak").data)
    operations = 200 * 4 * len(sums) * (this.vector_bits // 32) * _FLOPS[name]
    return NativeCall(block.address, (200,), block), operations


def _tile_peak(name: str, asm: X86Assembler) -> tuple[NativeCall, int]:
    """Return the loop of a tile instruction with six accumulators, of 16 rows by 16 columns by 16 groups."""
    asm.ldtilecfg(Mem(label=asm.const(configuration([(16, 64)] * 8))))
    with asm.loop(ARGUMENTS[0], align=64):
        for tile in TMM[:6] * 4:
            getattr(asm, name)(tile, *TMM[6:8])
    asm.tilerelease()
    asm.ret()
    block = publish(asm.finish("peak").data)
    return NativeCall(block.address, (200,), block), 200 * 4 * 6 * 16**3 * _FLOPS[name]


# Goals and printing


def _goals(dtype: str, rows: list[MixedRow]) -> Iterator[Goal]:
    if dtype not in GOALS:
        return
    by_f32, of_peak, exact, fast, tiles, by_libxsmm = GOALS[dtype]
    at = next(row for row in rows if row.shape == str(_AT))
    yield Goal(f"{dtype} {_AT}: by our f32", by_f32, at.native / at.f32)
    yield Goal(f"{dtype} {_AT}: of peak", of_peak, at.native / at.peak)
    if exact:
        yield Goal(f"{dtype} {_AT}: emulated, by our f32", exact, at.exact / at.f32)
        yield Goal(f"{dtype} {_AT}: emulated fast, by our f32", fast, at.fast / at.f32)
        yield Goal(f"{dtype} {_AT}: emulated tiles, by our f32", tiles, at.tiles / at.f32)
    if by_libxsmm:
        ratios = [row.native / row.libxsmm for row in rows if not math.isnan(row.libxsmm)]
        what = f"{dtype}: by LIBXSMM, geometric mean of {len(ratios)} shapes"
        yield Goal(what, by_libxsmm, geometric_mean(ratios) if ratios else math.nan)


def _table(dtype: str, rows: list[MixedRow]) -> Table:
    table = Table(title=f"{', '.join(MIXED[dtype])}: Gop/s; in brackets by our f32", title_justify="left")
    for heading in (
        "m x n x k",
        "f32",
        dtype,
        "% of peak",
        "emulated exact",
        "fast",
        "tiles",
        "LIBXSMM",
        "ratio",
        "bytes",
    ):
        table.add_column(heading, justify="left" if heading[0] == "m" else "right", no_wrap=True)
    for row in rows:
        by = [f"{_figure(figure)} ({figure / row.f32:.2f})" if figure == figure else "-" for figure in
              (row.native, row.exact, row.fast, row.tiles)]  # fmt: skip
        ratio = "-" if math.isnan(row.libxsmm) else f"{row.native / row.libxsmm:.2f}"
        table.add_row(row.shape, _figure(row.f32), by[0], f"{100 * row.native / row.peak:.1f}", *by[1:],
                      _figure(row.libxsmm), ratio, str(row.code_bytes))  # fmt: skip
    return table


def _figure(value: float) -> str:
    return "-" if math.isnan(value) else f"{value / 1e9:,.1f}"
