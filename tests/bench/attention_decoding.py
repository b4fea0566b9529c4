"""Compare attention of few queries over many keys, as a decoder has it, with torch's, in one run on one thread.

PYTHONPATH=... python -m tests.bench.attention_decoding [SECONDS]      with torch in that path

A line gives the least microseconds of calls from Python in turns: of a kernel for this number of keys, of one for any
number (`seen=ts.RUNTIME`), and of torch. GB/s are the bytes of k and v over the first of these times.
"""

from typing import Any

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

SIZE = 64
CASES = (8, 8, 1, 2048), (8, 2, 1, 2048), (32, 8, 1, 512), (8, 8, 4, 2048), (8, 2, 4, 2048)
"""Heads, heads of k and v, queries, keys."""
TYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}


def measured(run: Run, dtype: Any, heads: int, kv_heads: int, queries: int, keys: int) -> Row | None:
    torch = torch_module()
    if torch is None:
        return run.remark("torch is not installed")
    q, k, v = (torch.randn(shape).to(getattr(torch, TYPES[dtype])) for shape in
               ((heads, queries, SIZE), (kv_heads, keys, SIZE), (kv_heads, keys, SIZE)))
    out, one, attend = torch.empty_like(q), [each[None] for each in (q, k, v)], torch.nn.functional
    fixed, free = (ts.attention(heads, queries, keys, SIZE, kv_heads=kv_heads, dtype=dtype, **more)
                   for more in ({}, {"seen": ts.RUNTIME}))
    best = run.turns({
        "fixed": PythonCall(lambda: fixed(q, k, v, out)), "any": PythonCall(lambda: free(q, k, v, keys, out)),
        "torch": PythonCall(lambda: attend.scaled_dot_product_attention(*one, enable_gqa=True)),
    })
    return {"type": dtype, "heads": heads, "kv heads": kv_heads, "queries": queries, "keys": keys, **best,
            "by torch": best["torch"] / best["fixed"], "rate": 2 * k.nbytes / best["fixed"]}


BENCH = Bench("attention_decoding", __doc__, (
    Table("decoding", "type; heads; kv heads; queries; keys; fixed=fixed:0u; any=any:0u; torch=torch:0u; "
          "times torch=by torch:2; GB/s=rate:1G", [(dtype, *case) for dtype in TYPES for case in CASES], measured),),
    {"seconds": {"type": float, "nargs": "?", "default": 2.0}}, quick=("0.2",))

if __name__ == "__main__":
    main(BENCH)
