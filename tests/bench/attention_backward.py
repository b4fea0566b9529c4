"""Time the backward pass of attention in bf16 with 8 heads of size 64: with products of f32, of pairs, and on tiles.

python -m tests.bench.attention_backward [LENGTHS]

Operands begin at cache lines, like torch's. Targets that this processor does not run are left out.
"""

import numpy as np

import tilesmith as ts
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.bench.cases.attention import HEADS, SIZE
from tilesmith.runtime.bench.operands import aligned, filled, native
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main
from tilesmith.runtime.host import detect as host

WAYS = {"avx512": "of f32", "avx512_bf16": "of pairs", "amx": "on tiles"}


def measured(run: Run, length: int, causal: bool) -> Row:
    """Return the times of the targets that run here, which take turns."""
    calls, rng = {}, np.random.default_rng(0)
    for target, name in WAYS.items():
        if not host.runs(TARGETS[target]):
            kernel = ts.attention_inv(HEADS, length, length, SIZE, causal=causal, dtype="bf16", target=target)
            inputs = [filled(aligned(each.shape, each.dtype), rng) for each in kernel.spec.inputs]
            inputs[-1][...] = 0.5 + np.log(length)  # roughly the lse of such scores
            calls[name] = native(kernel, [*inputs, *(aligned(each.shape, each.dtype) for each in kernel.spec.outputs)])
    return {"length": length, "causal": "yes" if causal else "", **(run.turns(calls) if calls else {})}


BENCH = Bench("attention_backward", __doc__, lambda run: [
    Table("backward", "length; causal" + "".join(f"; {name}, ms={name}:2m" for name in WAYS.values()),
          [(length, causal) for length in run.options.lengths for causal in (False, True)], measured)],
    {"lengths": {"type": int, "nargs": "*", "default": (512, 1024)}}, seconds=0.3)

if __name__ == "__main__":
    main(BENCH)
