"""Forward attention with 8 heads of 64, relative to brgemm's rate with operands in the nearest cache and to torch: a
part of `tilesmith bench fused`, and of `python -m tests.bench.attention`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....encoder.features import Target
from ....microkernels.errors import UnsupportedError
from ...api.attention import attention
from ...api.brgemm import brgemm
from ...arguments.arrays import Array, numpy_dtype
from ..measure import Contender, NativeCall, PythonCall
from ..operands import native, nearest_cache
from ..peers.elementwise import torch_module
from ..runner import Run, Table
from ..table import Goal, Row

HEADS, SIZE, LENGTHS = 8, 64, (128, 512, 2048)
OF_PEAK = {"f32": (0.80, 1.2), "bf16": (0.65, 1.5)}
"""The goals of attention: the share of peak from 512 keys on, and the speed relative to torch."""
COLUMNS = ("type; length; causal; in=place; ms=ours:2m; of peak:2; torch, of peak=torch of peak:2; "
           "times torch=by torch:2")


def table(target: Target | None, types: Sequence[str] = ("f32", "bf16"), lengths: Sequence[int] = ()) -> Table:
    """Return the cases of every type, length and mask."""
    return Table("attention", COLUMNS, [(dtype, length, causal, target) for dtype in types
                                        for length in lengths or LENGTHS for causal in (False, True)], measured,
                 f"attention, {HEADS} heads of {SIZE}, one thread", goals)


def measured(run: Run, dtype: Any, length: int, causal: bool, target: Target | None) -> Row | None:
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
    rate = 4 * HEADS * length * length * SIZE / (2 if causal else 1) / (work / best["peak"])
    return {"type": dtype, "length": length, "causal": "yes" if causal else "", **best,
            "place": nearest_cache(sum(each.nbytes for each in arrays)), "of peak": rate / best["ours"],
            "torch of peak": rate / best["torch"], "by torch": best["torch"] / best["ours"]}


def peak_call(dtype: Any, target: Target | None) -> tuple[NativeCall, int]:
    """Return a product whose operands lie in the nearest cache, and its number of operations."""
    more: dict[str, Any] = {"b_layout": "vnni", "numerics": "fast"} if dtype == "bf16" else {}
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


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals of the types that have some."""
    for row in rows:
        if row["type"] in OF_PEAK:
            of_peak, times = OF_PEAK[row["type"]]
            what = f"attention {row['type']} {row['length']}{', causal' * bool(row['causal'])} ({row['place']})"
            yield Goal(f"{what}, torch by ours", times, row["by torch"])
            if row["length"] >= 512:
                yield Goal(f"{what}, of peak", of_peak, row["of peak"])
