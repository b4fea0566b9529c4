"""What an epilogue costs: kernels with one beside the plain kernel, in one run.

python -m tests.bench.epilogue
"""

from __future__ import annotations

import numpy as np

import tilesmith as ts
from tilesmith.runtime import host, measure

M = N = K = 64
SECONDS = 0.4


def main() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((16, M, K)).astype(np.float32), rng.standard_normal((16, K, N)).astype(np.float32)
    c, bias = np.zeros((M, N), np.float32), rng.standard_normal(N).astype(np.float32)
    functions = {"bias + relu": lambda c, bias: ts.relu(c + bias), "bias + gelu": lambda c, bias: ts.gelu(c + bias)}
    for target in (None, *(name for name in ("avx512", "avx2", "neon") if not host.runs(host.resolve(name)))):
        for batch in (16, None):
            kernels = {"plain": (ts.brgemm(M, N, K, batch=batch, beta=0, target=target), (a, b, c))}
            for name, function in functions.items():
                for accuracy in ("fast", "accurate"):
                    made = ts.brgemm(M, N, K, batch=batch, beta=0, target=target, epilogue=function, accuracy=accuracy)
                    kernels[f"{name} {accuracy}"] = made, (a, b, c, bias)
            contenders = {
                name: measure.NativeCall(kernel.address, tuple(x.ctypes.data for x in arrays), (kernel,))
                for name, (kernel, arrays) in kernels.items()
            }
            with measure.one_cpu():
                timings = measure.seconds_per_call(contenders, SECONDS)
            plain = timings["plain"].best
            print(f"{target or 'host'}, {M} x {N} x {K}, batch {batch}: plain {plain * 1e6:.2f} us")
            for name, timing in timings.items():
                if name != "plain":
                    print(f"  {name:24} {timing.best / plain:.3f}")


if __name__ == "__main__":
    main()
