"""`tilesmith bench jax`: functions of JAX beside JAX's own, in compiled programs.

A call is one of a compiled program from Python, until its result is there; most of a short one is JAX's dispatch. In a
loop, a program makes the calls itself, each on the result of the one before. A kernel is called on arrays of numpy's.
Contenders stay on one processor, and XLA's threads with them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from ....encoder.deferred import lazy
from ...api.attention import attention
from ...api.brgemm import brgemm
from ...api.fused import fused
from ...arguments.arrays import Array
from ...kernel.callable import Kernel
from ...ops.gemm import Gemm, gemm
from ..measure import Contender, PythonCall
from ..operands import native
from ..peers.products import BaselineMissing
from ..runner import Bench, Run, Table
from ..table import Row, Wanted

if TYPE_CHECKING:
    from types import ModuleType

    from ...integrations.jax import functions

functions = lazy(__package__, "...integrations.jax.functions")

Function: TypeAlias = Callable[..., Array]
TIMES = 100
"""The calls in a loop."""
CALL, BEYOND = 9e-6, 0.3e-6
"""The goals: the most seconds of a short call, and of a call in a loop beyond the kernel."""


class JaxCase:
    """A function of ours and one of JAX's, and a kernel that computes the same of arrays of these shapes."""

    def __init__(self, ours: Function, theirs: Function, kernel: Kernel | Gemm, *shapes: tuple[int, ...]) -> None:
        self.ours, self.theirs, self.kernel = ours, theirs, kernel
        rng = np.random.default_rng(0)
        self.arrays: list[Array] = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
        if len(shapes) == 2:  # the factor of a product in a loop, which neither grows nor vanishes
            self.arrays[1] = np.ascontiguousarray(np.linalg.qr(self.arrays[1])[0])

    def alone(self, result: Array) -> Contender:
        """Return the kernel by itself: its machine code, or, of a nest, a call from Python."""
        arrays, kernel = [*self.arrays, result], self.kernel
        return native(kernel, arrays) if isinstance(kernel, Kernel) else PythonCall(lambda: kernel(*arrays))


def case(kind: str, *extents: int) -> JaxCase:
    """Return a case. Raises BaselineMissing if JAX is not installed."""
    jax, jnp = modules()
    if kind == "softmax":
        m, n = extents
        return JaxCase(functions.softmax, jax.nn.softmax, fused("softmax", m, n), (m, n))
    if kind == "product":
        m, n, k = extents
        made = brgemm(m, n, k, beta=0.0) if m * n * k <= 64**3 else cast("Gemm", gemm(m, n, k, beta=0.0))
        return JaxCase(functions.matmul, jnp.matmul, made, (m, k), (k, n))

    def attend(q: Array, k: Array, v: Array) -> Array:
        found: Array = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5) @ v
        return found

    heads, length, size = extents
    return JaxCase(functions.attention, attend, attention(heads, length, length, size), *[extents] * 3)


def modules() -> tuple[ModuleType, ModuleType]:
    """Return JAX and its numpy. Raises BaselineMissing if it is not installed."""
    try:
        return import_module("jax"), import_module("jax.numpy")
    except ImportError:
        raise BaselineMissing("JAX is not installed: pip install jax") from None


def called(run: Run, kind: str, *extents: int) -> Row | None:
    """Return the seconds of a call."""
    compared = run.baseline(lambda: case(kind, *extents))
    if compared is None:
        return None
    jax, jnp = modules()
    arrays = [jnp.asarray(each) for each in compared.arrays]
    ours, theirs = (jax.jit(each) for each in (compared.ours, compared.theirs))
    np.testing.assert_allclose(ours(*arrays), theirs(*arrays), rtol=1e-4, atol=1e-4)
    best = run.turns(
        {
            "kernel": compared.alone(np.empty_like(ours(*arrays))),
            "ours": PythonCall(lambda: ours(*arrays).block_until_ready()),
            "jax": PythonCall(lambda: theirs(*arrays).block_until_ready()),
        }
    )
    return {"what": title(kind, *extents), **best, "by jax": best["jax"] / best["ours"]}


def repeated(run: Run, kind: str, *extents: int) -> Row | None:
    """Return the seconds of a call in a loop."""
    compared = run.baseline(lambda: case(kind, *extents))
    if compared is None:
        return None
    jax, jnp = modules()
    first, *others = (jnp.asarray(each) for each in compared.arrays)

    def loop(function: Function) -> Callable[[], object]:
        program = jax.jit(lambda x: jax.lax.fori_loop(0, TIMES, lambda _, y: function(y, *others), x))
        return lambda: program(first).block_until_ready()

    contenders = {"ours": PythonCall(loop(compared.ours)), "jax": PythonCall(loop(compared.theirs))}
    best = {who: seconds / TIMES for who, seconds in run.turns(contenders).items()}
    best |= run.turns({"kernel": compared.alone(np.empty_like(compared.arrays[0]))})
    beyond, times = best["ours"] - best["kernel"], best["jax"] / best["ours"]
    return {"what": title(kind, *extents), **best, "beyond": beyond, "by jax": times}


def differentiated(run: Run, kind: str, *extents: int) -> Row | None:
    """Return the seconds of a result with its gradients."""
    compared = run.baseline(lambda: case(kind, *extents))
    if compared is None:
        return None
    jax, jnp = modules()
    arrays = [jnp.asarray(each) for each in compared.arrays]
    places = tuple(range(len(arrays)))

    def slopes(function: Function) -> PythonCall:
        compiled = jax.jit(jax.value_and_grad(lambda *x: (function(*x) ** 2).sum(), places))
        return PythonCall(lambda: jax.block_until_ready(compiled(*arrays)))

    best = run.turns({"ours": slopes(compared.ours), "jax": slopes(compared.theirs)})
    return {"what": title(kind, *extents), **best, "by jax": best["jax"] / best["ours"]}


def title(kind: str, *extents: int) -> str:
    """Return the name of a case."""
    return f"{kind} {' x '.join(map(str, extents))}"


SHORT = ("softmax", 16, 64), ("product", 16, 16, 16)
CASES = (*SHORT, ("softmax", 64, 384), ("product", 64, 64, 64), ("product", 256, 256, 256), ("attention", 8, 128, 64))
NAMES = [title(*each) for each in SHORT]
CALLS = "what; kernel us=kernel:2u; ours us=ours:2u; jax us=jax:2u; times jax=by jax:2~"
LOOPS = "what; kernel us=kernel:3u; ours us=ours:3u; beyond us=beyond:3u; jax us=jax:3u; times jax=by jax:2~"
SLOPES = "what; ours us=ours:1u; jax us=jax:1u; times jax=by jax:2~"
OF_CALLS = [Wanted("a call of {what}", CALL, "ours", unit="s", where={"what": name}) for name in NAMES]
OF_LOOPS = [Wanted("{what} in a loop, beyond the kernel", BEYOND, "beyond", unit="s", where={"what": n}) for n in NAMES]
BENCH = Bench(
    "jax",
    __doc__,
    (
        Table("calls", CALLS, CASES, called, goals=OF_CALLS),
        Table("loops", LOOPS, CASES, repeated, goals=OF_LOOPS),
        Table("gradients", SLOPES, CASES, differentiated),
    ),
)
