"""`tilesmith bench mixed`: products of narrow types beside f32, the unit's peak and LIBXSMM.

For each shape, these contenders take turns on operands of the same values: our kernel in f32, the kernel of this
machine, the kernels that emulate its unit ("exact" and "fast", and in the order of tile registers) without the unit's
instructions, a loop of only the unit's instruction, and LIBXSMM if it has such a kernel. Operands are column-major and
hot, and A is packed if the unit needs it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ....encoder.features import TARGETS, Target
from ....encoder.x86.abi import ARGUMENTS
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import TMM, YMM, ZMM, Mem
from ....microkernels.contract.dot_and_tile import TILED
from ....microkernels.errors import UnsupportedError
from ....microkernels.gemm.spec import GemmSpec, gemm_spec
from ....microkernels.machines.x86.amx import configuration
from ...arguments.arrays import Array, numpy_dtype
from ...host import detect as host
from ...kernel.callable import kernel, shared
from ...memory.executable import publish
from ..measure import Contender, NativeCall
from ..operands import aligned, native
from ..peers import products as peers
from ..runner import Bench, Run, Table
from ..table import Row, Wanted, WrongResult, geometric_mean
from .gemm import GemmShape

MIXED = {"bf16": ("bf16", "bf16", "f32"), "f16": ("f16", "f16", "f32"), "i8": ("i8", "i8", "i32"),
         "u8i8": ("u8", "i8", "i32"), "i16": ("i16", "i16", "i32")}
"""The types of A, B and C of `tilesmith bench mixed`, keyed by the name in `--dtype`."""
SHAPES = (*(GemmShape(n, n, n) for n in (4, 8, 13, 16, 17, 23, 32, 33, 48, 64, 65, 100, 128)),
          GemmShape(16, 6, 64), GemmShape(64, 6, 64), GemmShape(32, 32, 32, 16), GemmShape(64, 64, 64, 16))
_AT = GemmShape(64, 64, 64, 16)  # the shape of the goals
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
          "vpdpwssd": 4}  # of 32 bits
FIGURES = "native by f32", "of peak", "exact by f32", "fast by f32", "tiles by f32"
BOUNDS = {"bf16": (1.9, 0.92, 0.85, 0.92, 0.6), "u8i8": (3.7, 0.92)}
GOALS = (*(Wanted(f"{{dtype}} {{shape}}: {figure}", bound, figure, where={"dtype": dtype, "shape": str(_AT)})
           for dtype, bounds in BOUNDS.items() for figure, bound in zip(FIGURES, bounds)),
         Wanted("{dtype}: by LIBXSMM, geometric mean", 1.05, "by LIBXSMM", geometric_mean, where={"dtype": "bf16"}))
COLUMNS = ("m x n x k=shape; f32:1G; native:1G; by f32=native by f32:2; % of peak=of peak:1%; emulated exact=exact:1G; "
           "by f32=exact by f32:2; fast:1G; by f32=fast by f32:2; tiles:1G; by f32=tiles by f32:2; LIBXSMM=libxsmm:1G; "
           "ratio=by LIBXSMM:2~; bytes=code:0")


def _tables(run: Run) -> Iterator[Table]:
    chosen = run.options.dtype
    if host.arch() != "x86":
        raise UnsupportedError("bench gemm of mixed precision runs on x86-64 hosts")
    for dtype in [chosen] if chosen else MIXED:
        yield Table(dtype, COLUMNS, [(dtype, shape) for shape in SHAPES], measured,
                    f"{', '.join(MIXED[dtype])}: Gop/s, column-major", GOALS)


def base_target() -> Target:
    """Return this machine without tensor units, as the target that emulates them with its own pipes."""
    this = host.host()
    return replace(this, name=f"{this.isa} of this host", features=TARGETS[this.isa].features)


def measured(run: Run, dtype: str, shape: GemmShape) -> Row:
    """Return the operations per second of one shape; NaN if there is no such contender."""
    types = MIXED[dtype]
    kernels = {
        "f32": kernel(spec_of(shape, ("f32",) * 3), base_target()),
        "native": kernel(spec_of(shape, types), host.host()),
    }
    if kernels["native"].emulated:
        run.remark("this machine lacks the unit: `native` is emulated too")
    if types[0] == "bf16":
        kernels["exact"] = kernel(spec_of(shape, types), base_target())
        kernels["fast"] = kernel(replace(spec_of(shape, types), numerics="fast"), base_target())
        kernels["tiles"] = shared(replace(spec_of(shape, types), numerics=TILED), base_target())
    elif types[2] == "i32":
        kernels["exact"] = kernel(spec_of(shape, types), base_target())
    contenders: dict[str, Contender] = {}
    for name, each in kernels.items():
        arrays = operands(each.spec, shape)
        contenders[name] = native(each, arrays[:3])
        check(f"{name} {shape} {dtype}", contenders[name], *arrays[2:])
    contenders["peak"], flops = peak_loop(dtype)
    if types[0] == "bf16":
        arrays = operands(kernels["native"].spec, shape)
        other = run.baseline(lambda: peers.libxsmm_bf16(*arrays[:3]))
        contenders |= {"libxsmm": other} if other is not None else {}
    best = run.turns(contenders)
    rate = dict.fromkeys(("exact", "fast", "tiles", "libxsmm"), math.nan) | {
        name: (flops if name == "peak" else shape.flops) / seconds for name, seconds in best.items()}
    return {"shape": str(shape), "dtype": dtype, **rate, "code": len(kernels["native"].code),
            "of peak": rate["native"] / rate["peak"], "by LIBXSMM": rate["native"] / rate["libxsmm"],
            **{f"{name} by f32": rate[name] / rate["f32"] for name in ("native", "exact", "fast", "tiles")}}


def spec_of(shape: GemmShape, types: tuple[str, ...]) -> GemmSpec:
    """Return a column-major product. A is packed for units that multiply groups."""
    m, n, k, batch = shape
    layout = "vnni" if types[0] in ("bf16", "i8", "u8", "i16") else "plain"
    return gemm_spec(m, n, k, dtype=types, order="F", batch=batch or None, a_layout=layout)


def operands(spec: Any, shape: GemmShape) -> tuple[Array, Array, Array, Array, Array]:
    """Return a, b and c in memory layout, aligned to 64 bytes, and the plain values of A and B: whole numbers whose
    sums are exact in every type."""
    values = np.random.default_rng(1)
    pairs, arrays = max(1, shape.batch), []
    extents = (spec.m, spec.k), (spec.k, spec.n), (1, spec.m * spec.n)
    plain = [values.integers(0 if dtype == "u8" else -3, 4, (pairs, *extent)).astype(numpy_dtype(dtype))
             for extent, dtype in zip(extents, spec.dtypes)]
    for number, (operand, array) in enumerate(zip(spec.operands, plain)):
        if number == 0:  # by columns, or by columns of groups
            group = operand.group
            padded = np.pad(array, ((0, 0), (0, 0), (0, -spec.k % group)))
            array = padded.reshape(pairs, spec.m, -1, group).transpose(0, 2, 1, 3)
        elif number == 1:
            array = array.transpose(0, 2, 1)
        array = array if number < 2 else array[:1]
        arrays.append(aligned(array.shape, array.dtype))
        arrays[-1][...] = array
    return arrays[0], arrays[1], arrays[2], plain[0], plain[1]


def check(name: str, contender: Contender, c: Array, x: Array, y: Array) -> None:
    """Check that a call adds the products of x and y, which are A and B unpacked, to C exactly, since the values are
    small integers."""
    before = c.copy().ravel()
    contender.run(1)
    product = (x.astype(np.float64) @ y.astype(np.float64)).sum(0)
    if not np.array_equal(c.ravel().astype(np.float64), before.astype(np.float64) + product.ravel(order="F")):
        raise WrongResult(f"{name}: not the product")


def peak_loop(dtype: str) -> tuple[NativeCall, int]:
    """Return a loop of independent instructions of the unit (or of FMAs if there is no unit), and its number of
    operations."""
    this = host.host()
    name = next((name for name, feature in _PEAKS[dtype] if feature in this.features), "vfmadd231ps")
    asm = X86Assembler(this)
    if name.startswith("t"):  # tiles: six accumulators, of 16 rows by 16 columns by 16 groups
        asm.ldtilecfg(Mem(label=asm.const(configuration([(16, 64)] * 8))))
        *sums, x, y = TMM
        operations, end = 16**3, asm.tilerelease
    else:
        x, y, *sums = ZMM if this.isa == "avx512" else YMM[:16]
        operations, end = this.vector_bits // 32, asm.vzeroupper
        for register in (x, y, *sums):  # zeros: the clock of integer units does not depend on their operands
            (asm.vpxord if this.isa == "avx512" else asm.vpxor)(register, register, register)
    with asm.loop(ARGUMENTS[0], align=64):
        for register in [*sums] * 4:
            getattr(asm, name)(register, x, y)
    end()
    asm.ret()
    block = publish(asm.finish("peak").data)
    return NativeCall(block.address, (200,), block), 200 * 4 * len(sums) * operations * _FLOPS[name]


BENCH = Bench("mixed", __doc__, _tables, {"--dtype": {"choices": tuple(MIXED)}}, quick=("--seconds", "0.03"))
