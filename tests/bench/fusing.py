"""What one kernel saves over the two kernels that it replaces: `tilesmith bench fusing [--tables NAME]`.

    epilogues  products with an epilogue beside the plain kernel, as multiples of its time
    moved      kernels that move elements and compute on the way beside two: a transpose or packing of unchanged
               elements, in the narrower type, and an elementwise kernel with one order. Operands are in the caches
    packed     a product with a packed C beside the plain product, and beside the product and a transform
    chains     gelu(x @ w1 + b1) @ w2 + b2 + x in f32 as one traced function, and as two kernels of `ts.brgemm` with the
               same epilogues, which keep the hidden matrix in memory, of at least 4 MiB; wide layers also by `ts.gemm`
    groups     group normalization and its derivative in one kernel beside two kernels, numpy and torch; each time is
               relative to ours. torch runs native_group_norm and its derivative by x, gamma and beta, which write new
               arrays

All run on one thread.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import address_of, numpy_dtype
from tilesmith.runtime.bench.measure import NativeCall, PythonCall, asleep
from tilesmith.runtime.bench.operands import aligned, filled, native
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, ratios
from tilesmith.runtime.host import detect as host

# Epilogues

SIZES = ((8, None), (16, None), (64, None), (64, 16))
"""The sizes of square matrices, and of their batch."""
TYPES: dict[str, tuple[Any, Any, str]] = {
    "f32": ("f32", "f32", "f32"), "bf16": ("bf16", "bf16", "bf16"),
    "u8 x i8": (("u8", "i8", "i32"), ("u8", "i8", "i8"), "f32"),
}
"""The dtypes of the plain kernel, of the kernel with an epilogue, and of the epilogue's operands."""
ACTIVATIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "bias + relu": ("fast", lambda c, bias: ts.relu(c + bias)),
    "bias + gelu": ("fast", lambda c, bias: ts.gelu(c + bias)),
    "bias + gelu, accurate": ("accurate", lambda c, bias: ts.gelu(c + bias)),
    "bias + relu, its mask": ("fast", lambda c, bias: (ts.relu(c + bias), c + bias > 0)),
    "bias + relu, what was before": ("fast", lambda c, bias: (ts.relu(c + bias), c + bias)),
    "bias + relu, sums and squares of columns": ("fast", lambda c, bias: (
        ts.relu(c + bias), ts.statistic("sum", c + bias), ts.statistic("squares", c + bias))),
    "bias + dropout, its mask": ("fast", lambda c, bias: ts.dropout_mask(c + bias, 0.1)),
}
QUANTIZE: dict[str, tuple[str, Callable[..., Any]]] = {"scale, zero point": ("fast", lambda c, bias: c * bias + 3)}


def epilogues(run: Run, target: str | None, name: str, size: int, batch: int | None) -> Iterator[Row]:
    plain_type, fused_type, extra = TYPES[name]
    rng, pairs = np.random.default_rng(1), () if batch is None else (batch,)
    plain = ts.brgemm(size, size, size, dtype=plain_type, batch=batch, beta=0, target=target)
    a, b, c = (filled(aligned(shape, each), rng, 0, 100) for each, shape in zip(
        plain.spec.dtypes, ((*pairs, size, size), (*pairs, size, size), (size, size))))
    bias = filled(aligned((size,), extra), rng, 0, 100)
    kernels: dict[str, tuple[Any, tuple[Any, ...]]] = {"plain": (plain, (a, b, c))}
    for what, (accuracy, function) in (QUANTIZE if name == "u8 x i8" else ACTIVATIONS).items():
        fused = ts.brgemm(size, size, size, dtype=fused_type, batch=batch, beta=0, target=target, epilogue=function,
                          operands={"bias": ("row", extra)}, accuracy=accuracy)
        more = [np.zeros(result.shape, numpy_dtype(result.dtype)) for result in fused.spec.results]
        seed = [7 for _ in fused.spec.numbers]
        kernels[what] = fused, (a, b, filled(aligned((size, size), fused.spec.dtype), rng, 0, 100), bias, *seed, *more)
    best = run.turns({what: NativeCall(kernel.address, tuple(
        each if isinstance(each, int) else address_of(each) for each in arrays), (kernel, arrays))
        for what, (kernel, arrays) in kernels.items()})
    for what, seconds in best.items():
        yield {"target": target or "host", "type": name, "shape": f"{size}^3" + (f" b{batch}" if batch else ""),
               "epilogue": what, "seconds": seconds, "by plain": seconds / best["plain"]}


def _epilogues() -> Iterator[tuple[Any, ...]]:
    for target in (None, *(name for name in ("avx512", "avx2", "neon") if not host.runs(host.resolve(name)))):
        yield from ((target, name, *size) for name in TYPES for size in SIZES)


# Elements that are moved, and a packed C

MOVED_SHAPES = ((64, 64), (256, 256), (500, 300))
MOVED = (
    ("relu, F to C", "plain", "relu", "f32", "f32"), ("relu, F to C", "plain", "relu", "bf16", "bf16"),
    ("relu, F to C", "plain", "relu", "f32", "bf16"), ("relu, F to C", "plain", "relu", "i8", "i8"),
    ("transpose, gelu", "plaint", "gelu", "f32", "bf16"), ("transpose, exp", "plaint", "exp", "f64", "f64"),
    ("convert, pack vnni2", "vnni2", "identity", "f32", "bf16"), ("relu, pack vnni2", "vnni2", "relu", "f32", "bf16"),
    ("convert, pack vnni2t", "vnni2t", "identity", "f32", "bf16"), ("relu, pack vnni4", "vnni4", "relu", "i8", "i8"),
)
FUNCTIONS = {"relu": ts.relu, "gelu": ts.gelu, "exp": ts.exp, "identity": None}


def apart(layout: str, name: str, m: int, n: int, dtype: Any, out: Any, target: Any) -> dict[str, Any]:
    """Return the kernel that does both, and the two separate kernels."""
    narrow = min((dtype, out), key=lambda each: numpy_dtype(each).itemsize)
    if layout == "plain":
        one = ts.unary(name, m, n, dtype=dtype, out=out, order="FC", target=target)
        move = ts.transpose(n, m, dtype=narrow, target=target)
    elif layout == "plaint":
        one = ts.transpose(m, n, dtype=dtype, out=out, epilogue=FUNCTIONS[name], target=target)
        move = ts.transpose(m, n, dtype=narrow, target=target)
    else:
        one = ts.transform(layout, m, n, dtype, out=out, epilogue=FUNCTIONS[name], target=target)
        move = ts.transform(layout, m, n, narrow, target=target)
    return {"one": one, "moves": move, "computes": ts.unary(name, m, n, dtype=dtype, out=out, target=target)}


def moved(run: Run, target: Any, text: str, layout: str, name: str, dtype: Any, out: Any, m: int, n: int) -> Row:
    best = run.turns({who: native(each) for who, each in apart(layout, name, m, n, dtype, out, target).items()})
    cycles = {who: each * run.frequency for who, each in best.items()}
    return {"target": target or "host", "request": text, "types": f"{dtype} to {out}", "shape": f"{m} x {n}", **cycles,
            "apart": (best["moves"] + best["computes"]) / best["one"]}


PACKED = ((32, 32, 32), (64, 64, 64), (64, 64, 512), (128, 128, 128))


def packed(run: Run, target: str | None, m: int, n: int, k: int) -> Row:
    request: dict[str, Any] = {"dtype": "bf16", "beta": 0, "target": target, "epilogue": ts.relu}
    best = run.turns({
        "packed": native(ts.brgemm(m, n, k, c_layout="vnni", **request)),
        "plain": native(ts.brgemm(m, n, k, **request)),
        "packs": native(ts.transform("vnni2", m, n, "bf16", target=target)),
    })
    return {"target": target or "host", "shape": f"{m} x {n} x {k}",
            **{who: each * run.frequency for who, each in best.items()},
            "of both": best["packed"] / (best["plain"] + best["packs"])}


# Chains of products

HIDDEN_BYTES = 4 << 20
CHAINS = ((16, 16), (16, 64), (32, 32), (32, 128), (64, 64), (64, 256), (256, 256), (256, 1024), (512, 512),
          (512, 2048), (1024, 1024), (1024, 4096))


def ways_of_chain(m: int, n: int, h: int) -> dict[str, Any]:
    """Return each way to compute a layer of width n with h hidden columns, after checking them against each other."""
    rng = np.random.default_rng(1)
    x, w1, b1, w2, b2 = (rng.standard_normal(shape).astype(np.float32) / 4
                         for shape in ((m, n), (n, h), (1, h), (h, n), (1, n)))
    hidden, y, wanted = np.empty((m, h), np.float32), np.empty((m, n), np.float32), np.empty((m, n), np.float32)
    first = {"beta": 0, "epilogue": lambda c, b: ts.gelu(c + b)}
    last = {"beta": 0, "epilogue": lambda c, b, x: c + b + x, "operands": {"b": "row", "x": None}}
    one = ts.equation(lambda x, w1, b1, w2, b2: ts.gelu(x @ w1 + b1) @ w2 + b2 + x,
                      x=(m, n), w1=(n, h), b1=(h,), w2=(h, n), b2=(n,))
    two = ts.brgemm(m, h, n, **first), ts.brgemm(m, n, h, **last)
    found = {"ours": lambda: one(x, w1, b1, w2, b2, y),
             "two": lambda: (two[0](x, w1, hidden, b1), two[1](hidden, w2, wanted, b2, x))}
    if n >= 256:
        large = ts.gemm(m, h, n, threads=1, **first), ts.gemm(m, n, h, threads=1, **last)
        found["gemm"] = lambda: (large[0](x, w1, hidden, b1), large[1](hidden, w2, wanted, b2, x))
    for call in found.values():
        call()
    np.testing.assert_allclose(y, wanted, rtol=1e-3, atol=1e-3 * h**0.5)
    return found


def chains(run: Run, n: int, h: int) -> Row:
    m = max(512, HIDDEN_BYTES // (4 * h))
    took = asleep(ways_of_chain(m, n, h), run.seconds)
    return {"width": n, "hidden": h, "rows": m, **took, **dict(ratios(took)), "speed": 4 * m * n * h / took["ours"]}


# Groups

Array = np.ndarray[Any, Any]
GROUPS = ((8, 64, 196, 32), (8, 64, 196, 64), (8, 64, 196, 1), (8, 256, 49, 32), (1, 64, 3136, 16), (1, 64, 12544, 16))
"""Samples, channels, positions, groups; the last ones are from Georganas et al., section 5.1.2."""
EPS = 1e-5


def groups(run: Run, *shape: int) -> Iterator[Row]:
    samples, channels, positions, count = shape
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=(2, samples * channels, positions)).astype(np.float32)
    gamma, beta = rng.normal(size=(2, channels)).astype(np.float32)
    y, mean, inverse = np.empty_like(x), *np.empty((2, samples * count, 1), np.float32)
    more: dict[str, Any] = {"channels": channels, "groups": count}
    forward = ts.fused("groupnorm_training", *x.shape, eps=EPS, **more)
    backward = ts.fused("groupnorm_training_inv", *x.shape, **more)
    forward(x, gamma, beta, y, mean, inverse)
    turns: dict[str, dict[str, Any]] = {
        "forward": {"ours": native(forward, [x, gamma, beta, y, mean, inverse]), **_by_two(x, gamma, beta, shape),
                    "numpy": PythonCall(lambda: _by_numpy(x, gamma, beta, shape))},
        "backward": {"ours": native(backward, [g, x, mean, inverse, gamma, np.empty_like(x),
                                               *np.empty((2, channels, 1), np.float32)])},
    }
    if torch := torch_module():
        tensors = (torch.from_numpy(each) for each in (x.reshape(shape[:3]), g.reshape(shape[:3]), gamma, beta))
        for name, call in zip(turns, _torch_calls(torch, shape, *tensors)):
            turns[name]["torch"] = call
    for name, contenders in turns.items():
        best = run.turns(contenders)
        if name == "forward":
            best["two kernels"] = best.pop("part 0") + best.pop("part 1")
        yield {"shape": " x ".join(map(str, shape[:3])), "groups": count, "pass": name, **best, **dict(ratios(best))}


def _by_two(x: Array, gamma: Array, beta: Array, shape: tuple[int, ...]) -> dict[str, Any]:
    """Return two calls: statistics of groups as rows, then normalization of channels as rows. The repetition of mean
    and inverse for the channels is not counted."""
    samples, channels, positions, groups = shape
    stats = ts.fused("group_stats", samples * groups, channels // groups * positions, eps=EPS)
    scale = ts.fused("groupnorm", samples * channels, positions)
    mean, inverse = np.zeros((2, samples * channels, 1), np.float32)
    columns = [np.ascontiguousarray(np.tile(each, samples)) for each in (gamma, beta)]
    held = [x, mean, inverse, *columns, np.empty_like(x)]
    return {"part 0": native(stats, held[:3]), "part 1": native(scale, held)}


def _by_numpy(x: Array, gamma: Array, beta: Array, shape: tuple[int, ...]) -> Any:
    """Compute the forward pass as a user of numpy would."""
    samples, channels, positions, groups = shape
    rows = x.reshape(samples * groups, -1)
    z = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + EPS)
    return z.reshape(samples, channels, positions) * gamma[:, None] + beta[:, None]


def _torch_calls(torch: Any, sizes: tuple[int, ...], x: Any, g: Any, gamma: Any, beta: Any) -> tuple[PythonCall, ...]:
    """Return calls of the forward and the backward pass."""
    _, mean, inverse = torch.native_group_norm(x, gamma, beta, *sizes, EPS)
    back = torch.ops.aten.native_group_norm_backward
    return (PythonCall(lambda: torch.native_group_norm(x, gamma, beta, *sizes, EPS)),
            PythonCall(lambda: back(g, x, mean, inverse, gamma, *sizes, [True] * 3)))


BENCH = Bench("fusing", __doc__, lambda run: (
    Table("epilogues", "target; type; shape; epilogue; ns=seconds:0n; by plain:3", _epilogues(), epilogues),
    Table("moved", "target; request; types; shape; cycles=one:0; moves:0; computes:0; apart, times as long=apart:2",
          [(target, *case, *shape) for target in run.options.targets for case in MOVED for shape in MOVED_SHAPES],
          moved),
    Table("packed", "target; m x n x k, bf16=shape; cycles=packed:0; plain:0; transform=packs:0; of both:2",
          [(target, *size) for target in run.options.targets for size in PACKED], packed),
    Table("chains", "width; hidden; rows; one kernel us=ours:0u; two kernels=by two:2; two of ts.gemm=by gemm:2; "
          "GFLOP/s=speed:0G", CHAINS, chains),
    Table("groups", "samples x channels x positions=shape; groups; pass; us=ours:1u; two kernels=by two kernels:2; "
          "numpy=by numpy:2; torch=by torch:2", GROUPS, groups)),
    {"--targets": {"nargs": "*", "default": (None, "avx2"), "help": "of moved and packed"}}, seconds=0.2, share=2.0)
