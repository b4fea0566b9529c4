"""The baselines of fused kernels: numpy, PyTorch if installed, and gcc's code of the same loops.

gcc compiles each layer with constant extents, -O3 -march=native -ffast-math, into a shared object in the user's cache.
The loops are those of Georganas et al., Tensor Processing Primitives, section 5: row by row, the maximum, the powers
and their sum, and the division, each a loop that gcc vectorises (expf by glibc's libmvec).
"""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...arguments.arrays import Array, address_of
from ...system.libc import ffi
from ..measure import NativeCall, PythonCall
from .elementwise import torch_module
from .products import Library, compiled

EPS = 1e-5
_SOURCE = """
#include <math.h>
#define ROWS for (long i = 0; i < M; ++i)
#define EACH for (long j = 0; j < N; ++j)
#define R restrict
typedef const float *restrict in;
void softmax(in x, float *R y) {
  ROWS { in a = x + i * N; float *R b = y + i * N;
    float top = a[0], sum = 0;
    EACH top = a[j] > top ? a[j] : top;
    EACH { float e = expf(a[j] - top); b[j] = e; sum += e; }
    float r = 1 / sum;
    EACH b[j] *= r; } }
void layernorm(in x, in w, in z, float *R y) {
  ROWS { in a = x + i * N; float *R b = y + i * N;
    float mean = 0, square = 0;
    EACH mean += a[j];
    mean /= N;
    EACH { float d = a[j] - mean; square += d * d; }
    float r = 1 / sqrtf(square / N + EPS);
    EACH b[j] = (a[j] - mean) * r * w[j] + z[j]; } }
void rmsnorm(in x, in w, float *R y) {
  ROWS { in a = x + i * N; float *R b = y + i * N;
    float square = 0;
    EACH square += a[j] * a[j];
    float r = 1 / sqrtf(square / N + EPS);
    EACH b[j] = a[j] * r * w[j]; } }
void softmax_inv(in g, in p, float *R y) {
  ROWS { in a = g + i * N; in q = p + i * N; float *R b = y + i * N;
    float sum = 0;
    EACH sum += a[j] * q[j];
    EACH b[j] = q[j] * (a[j] - sum); } }
void layernorm_inv(in g, in x, in w, float *R y, float *R gw, float *R gz) {
  EACH gw[j] = gz[j] = 0;
  ROWS { in a = x + i * N; in h = g + i * N; float *R b = y + i * N;
    float mean = 0, square = 0, first = 0, second = 0;
    EACH mean += a[j];
    mean /= N;
    EACH { float d = a[j] - mean; square += d * d; }
    float r = 1 / sqrtf(square / N + EPS);
    EACH { float s = h[j] * w[j], z = (a[j] - mean) * r;
      first += s; second += s * z; gw[j] += h[j] * z; gz[j] += h[j]; }
    first /= N; second /= N;
    EACH { float z = (a[j] - mean) * r; b[j] = (h[j] * w[j] - first - z * second) * r; } } }
void rmsnorm_inv(in g, in x, in w, float *R y, float *R gw) {
  EACH gw[j] = 0;
  ROWS { in a = x + i * N; in h = g + i * N; float *R b = y + i * N;
    float square = 0, second = 0;
    EACH square += a[j] * a[j];
    float r = 1 / sqrtf(square / N + EPS);
    EACH { float z = a[j] * r; second += h[j] * w[j] * z; gw[j] += h[j] * z; }
    second /= N;
    EACH b[j] = (h[j] * w[j] - a[j] * r * second) * r; } }
"""
LAYERS = ("softmax", "layernorm", "rmsnorm", "softmax_inv", "layernorm_inv", "rmsnorm_inv")
"""The layers that gcc and torch have."""
_WEIGHTS = {"softmax": 0, "layernorm": 2, "rmsnorm": 1}
"""The number of weight vectors that a layer of torch takes after x."""


def gcc_call(name: str, shape: tuple[int, int], arrays: Sequence[Array]) -> NativeCall:
    """Return gcc's code of a layer for these operands. Raises BaselineMissing if gcc is not installed."""
    library = _library(*shape)
    function = library.load_function(ffi.typeof("void(*)(void)"), name)
    return NativeCall(int(ffi.cast("uintptr_t", function)), tuple(map(address_of, arrays)), (library, arrays))


@functools.cache
def _library(m: int, n: int) -> Library:
    flags = [f"-DM={m}L", f"-DN={n}L", f"-DEPS={EPS}f", "-O3", "-march=native", "-ffast-math"]
    return compiled(f"fused-{m}x{n}", _SOURCE, flags, ["-lm"])


def numpy_call(name: str, arrays: Sequence[Array]) -> PythonCall | None:
    """Return the layer as a user of numpy writes it, or None for derivatives."""
    x = arrays[0]

    def softmax() -> Array:
        powers = np.exp(x - x.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def layernorm() -> Array:
        middle = x - x.mean(axis=1, keepdims=True)
        size = np.sqrt((middle * middle).mean(axis=1, keepdims=True) + np.float32(EPS))
        return np.asarray(middle / size * arrays[1] + arrays[2])

    def rmsnorm() -> Array:
        return np.asarray(x / np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(EPS)) * arrays[1])

    found: dict[str, Callable[[], Array]] = {"softmax": softmax, "layernorm": layernorm, "rmsnorm": rmsnorm}
    return PythonCall(found[name]) if name in found else None


def torch_call(name: str, arrays: Sequence[Array]) -> PythonCall | None:
    """Return PyTorch's function in eager mode, or its derivative alone; None without torch."""
    torch = torch_module()
    if torch is None:
        return None
    held = [torch.from_numpy(each.reshape(-1) if len(each) == 1 else each) for each in arrays]
    backward = name.endswith("_inv")
    x = held[1].clone().requires_grad_() if backward else held[0]
    weights = held[1:]
    if backward:
        weights = [held[2].clone().requires_grad_(), torch.zeros(x.shape[1], requires_grad=True)]
    given = (x, *weights[: _WEIGHTS[name.removesuffix("_inv")]])
    made = _torch_forward(torch, name.removesuffix("_inv"))
    if not backward:
        return PythonCall(lambda: made(*given))
    result = made(*given)
    return PythonCall(lambda: torch.autograd.grad(result, given, held[0], retain_graph=True))


def compiled_call(name: str, arrays: Sequence[Array]) -> PythonCall | None:
    """Return the forward function compiled by torch.compile for this shape; None without torch or a C++ compiler."""
    torch = torch_module()
    if torch is None or name.endswith("_inv") or shutil.which("g++") is None:
        return None
    held = [torch.from_numpy(each.reshape(-1) if len(each) == 1 else each) for each in arrays]
    given = held[: 1 + _WEIGHTS[name]]
    made = torch.compile(_torch_forward(torch, name), dynamic=False)
    made(*given)
    return PythonCall(lambda: made(*given))


def _torch_forward(torch: Any, name: str) -> Callable[..., Any]:
    """Return a layer of torch as a function of x and its weights."""
    functional = torch.nn.functional
    layers: dict[str, Callable[..., Any]] = {
        "softmax": lambda x: torch.softmax(x, 1),
        "layernorm": lambda x, w, b: functional.layer_norm(x, x.shape[1:], w, b, EPS),
        "rmsnorm": lambda x, w: functional.rms_norm(x, x.shape[1:], w, EPS),
    }
    return layers[name]
