"""`tilesmith bench attention`: attention of 8 heads of 64, relative to brgemm's rate in the nearest cache and to torch.

    forward    attention with as many queries as keys, a part of `tilesmith bench fused` as well
    decoding   few queries over many keys, as a decoder has them, in calls from Python: a kernel for this number of
               keys, and one for any number (`seen=ts.RUNTIME`). GB/s are the bytes of k and v over the first of these
               times
    masks      f32 with a mask that adds a number to the scores of every other key: what it costs beside no mask, since
               instructions are slow whose results are too small for a normal number
    backward   in bf16, with products of f32, of pairs and on tiles; targets that this processor lacks are left out

Operands of kernels begin at cache lines, like torch's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....encoder.features import Target
from ....microkernels.errors import UnsupportedError
from ....microkernels.machines.registry import TARGETS
from ....microkernels.operands import RUNTIME
from ...api.attention import attention, attention_inv
from ...api.brgemm import brgemm
from ...api.typed import DType
from ...arguments.arrays import Array, numpy_dtype
from ...host import detect as host
from ..measure import Contender, NativeCall, PythonCall
from ..operands import aligned, filled, native, nearest_cache
from ..peers.elementwise import torch_module
from ..runner import Bench, Run, Table
from ..table import Named, Row, Wanted

HEADS, SIZE, LENGTHS = 8, 64, (128, 512, 2048)
OF_PEAK = {"f32": (0.80, 1.2), "bf16": (0.65, 1.5)}
"""The goals of attention: the share of peak from 512 keys on, and the speed relative to torch."""
GOALS = (Wanted("attention {type} {length}{words} ({place}), torch by ours", "wanted of torch", "by torch"),
         Wanted("attention {type} {length}{words} ({place}), of peak", "wanted of peak", "of peak"))
DECODED = (8, 8, 1, 2048), (8, 2, 1, 2048), (32, 8, 1, 512), (8, 8, 4, 2048), (8, 2, 4, 2048)
"""Heads, heads of k and v, queries, keys."""
TYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}
WAYS = {"avx512": "of f32", "avx512_bf16": "of pairs", "amx": "on tiles"}
COLUMNS = ("type; length; causal; in=place; ms=ours:2m; of peak:2; torch, of peak=torch of peak:2; "
           "times torch=by torch:2")


def table(target: Target | None, types: Sequence[str] = ("f32", "bf16"), lengths: Sequence[int] = (),
          name: str = "attention") -> Table:
    """Return the cases of every type, length and mask."""
    return Table(name, COLUMNS, [(dtype, length, causal, target) for dtype in types
                                        for length in lengths or LENGTHS for causal in (False, True)], measured,
                 f"attention, {HEADS} heads of {SIZE}, one thread", GOALS)


def measured(run: Run, dtype: DType, length: int, causal: bool, target: Target | None) -> Row | None:
    """Return a row, or None where brgemm has no such type."""
    try:
        peak, work = peak_call(dtype, target)
    except UnsupportedError:
        return None
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((HEADS, length, SIZE)).astype(numpy_dtype(dtype)) for _ in range(4)]
    kernel = attention(HEADS, length, length, SIZE, causal=causal, dtype=dtype, target=target)
    turns: dict[str, Contender] = {"ours": native(kernel, arrays), "peak": peak}
    theirs = torch_call(arrays[:3], causal)
    turns |= {"torch": theirs} if theirs is not None else {}
    best = {"torch": math.nan, **run.turns(turns)}
    best["peak"] = min(best["peak"], run.turns({"peak": peak}, run.seconds / 4)["peak"])  # cooler, and alone
    of_peak, of_torch = OF_PEAK.get(dtype, (0.0, 0.0))
    rate = 4 * HEADS * length * length * SIZE / (2 if causal else 1) / (work / best["peak"])
    return {"type": dtype, "length": length, "causal": "yes" if causal else "", **best,
            "place": nearest_cache(sum(each.nbytes for each in arrays)), "of peak": rate / best["ours"],
            "words": ", causal" * causal, "wanted of torch": of_torch, "wanted of peak": of_peak * (length >= 512),
            "torch of peak": rate / best["torch"], "by torch": best["torch"] / best["ours"]}


def peak_call(dtype: DType, target: Target | None) -> tuple[NativeCall, int]:
    """Return a product whose operands lie in the nearest cache, and its number of operations."""
    more: Named = {"b_layout": "vnni", "numerics": "fast"} if dtype == "bf16" else {}
    kernel: Any = brgemm(48, 64, 64, batch=16, dtype=(dtype, dtype, "f32"), target=target, **more)
    a, b, c = (np.ones(shape, numpy_dtype(dtype)) for shape in ((16, 48, 64), (16, 64, 64), (48, 64)))
    return native(kernel, [a, b, c.astype(np.float32)]), int(kernel.flops)


def torch_call(arrays: Sequence[Array], causal: bool) -> PythonCall | None:
    """Return torch's scaled_dot_product_attention on the same arrays, or None without torch."""
    torch = torch_module()
    if torch is None:
        return None
    held = [(torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.dtype.name == "bfloat16"
             else torch.from_numpy(x))[None] for x in arrays]
    function = torch.nn.functional.scaled_dot_product_attention
    return PythonCall(lambda: function(*held, is_causal=causal))


def decoded(run: Run, dtype: DType, heads: int, kv_heads: int, queries: int, keys: int) -> Row | None:
    torch = torch_module()
    if torch is None:
        run.remark("torch is not installed")
        return None
    q, k, v = (torch.randn(shape).to(getattr(torch, TYPES[dtype])) for shape in
               ((heads, queries, SIZE), (kv_heads, keys, SIZE), (kv_heads, keys, SIZE)))
    out, one, attend = torch.empty_like(q), [each[None] for each in (q, k, v)], torch.nn.functional
    more: Named = {"kv_heads": kv_heads, "dtype": dtype}
    fixed: Any = attention(heads, queries, keys, SIZE, **more)
    free: Any = attention(heads, queries, keys, SIZE, seen=RUNTIME, **more)
    best = run.turns({
        "fixed": PythonCall(lambda: fixed(q, k, v, out)), "any": PythonCall(lambda: free(q, k, v, keys, out)),
        "torch": PythonCall(lambda: attend.scaled_dot_product_attention(*one, enable_gqa=True)),
    })
    return {"type": dtype, "heads": heads, "kv heads": kv_heads, "queries": queries, "keys": keys, **best,
            "by torch": best["torch"] / best["fixed"], "rate": 2 * k.nbytes / best["fixed"]}


def masked(run: Run, length: int, added: float) -> Row:
    """Return the times with a mask that has a number for every other key."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((HEADS, length, SIZE)).astype(np.float32) for _ in range(4)]
    mask = np.zeros((length, length), np.float32)
    mask[:, 1::2] = added
    plain, kernel = (attention(HEADS, length, length, SIZE, mask=each) for each in (None, "full"))
    best = run.turns({"plain": native(plain, arrays), "ours": native(kernel, [*arrays[:3], mask, arrays[3]])})
    return {"length": length, "added": f"{added:g}", **best, "by plain": best["plain"] / best["ours"]}


def backward(run: Run, length: int, causal: bool) -> Row:
    """Return the times of the targets that run here, which take turns."""
    calls, rng = dict[str, Contender](), np.random.default_rng(0)
    for name, target in ((name, TARGETS[target]) for target, name in WAYS.items()):
        if not host.runs(target):
            kernel: Any = attention_inv(HEADS, length, length, SIZE, causal=causal, dtype="bf16", target=target)
            inputs = [filled(aligned(each.shape, each.dtype), rng) for each in kernel.spec.inputs]
            inputs[-1][...] = 0.5 + np.log(length)  # roughly the lse of such scores
            calls[name] = native(kernel, [*inputs, *(aligned(each.shape, each.dtype) for each in kernel.spec.outputs)])
    return {"length": length, "causal": "yes" if causal else "", **(run.turns(calls) if calls else {})}


def _tables(run: Run) -> Iterator[Table]:
    lengths = run.options.lengths
    yield table(None, tuple(TYPES), lengths, "forward")
    yield Table("decoding", "type; heads; kv heads; queries; keys; fixed=fixed:0u; any=any:0u; torch=torch:0u; "
                "times torch=by torch:2; GB/s=rate:1G", [(dtype, *case) for dtype in TYPES for case in DECODED],
                decoded)
    yield Table("masks", "length; added; ms=ours:2m; without a mask, ms=plain:2m; that by ours=by plain:2",
                [(512, added) for added in (0.0, -20.0, -100.0, -1e4, -math.inf)], masked,
                f"f32, {HEADS} heads of {SIZE}, one thread, every other key with a number added",
                (Wanted("{added} added: time without a mask by ours", 0.7, "by plain"),))
    yield Table("backward", "length; causal" + "".join(f"; {name}, ms={name}:2m" for name in WAYS.values()),
                [(length, causal) for length in lengths for causal in (False, True)], backward)


BENCH = Bench("attention", __doc__, _tables, {
    "--lengths": {"type": int, "nargs": "+", "default": (128, 256, 512, 1024, 2048)}}, seconds=0.3)
