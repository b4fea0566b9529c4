"""`tilesmith bench jax`: functions of JAX beside JAX's own, in compiled programs.

A call is one of a compiled program from Python, until its result is there; most of a short one is JAX's dispatch. In a
loop, a program makes the calls itself, each on the result of the one before. A kernel is called on arrays of numpy's.
Contenders stay on one processor, and XLA's threads with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....encoder.deferred import lazy
from ...api.attention import attention
from ...api.brgemm import brgemm
from ...api.fused import fused
from ...arguments.arrays import Array
from ...kernel.callable import Kernel
from ...ops.gemm import gemm
from ..measure import Contender, PythonCall
from ..operands import native
from ..peers.products import BaselineMissing
from ..runner import Bench, Run, Table
from ..table import Row, Wanted

if TYPE_CHECKING:
    from types import ModuleType

    from ...integrations.jax import functions

functions = lazy(__package__, "...integrations.jax.functions")

TIMES = 100
"""The calls in a loop."""
CALL, BEYOND = 9e-6, 0.3e-6
"""The goals: the most seconds of a short call, and of a call in a loop beyond the kernel."""
SHORT = "softmax 16 x 64", "product 16^3"


class Compared:
    """Two functions of JAX's arrays, and a kernel that computes the same."""

    def __init__(
        self, ours: Callable[..., Any], theirs: Callable[..., Any], kernel: Any, shapes: Sequence[tuple[int, ...]]
    ) -> None:
        self.ours, self.theirs, self.kernel = ours, theirs, kernel
        rng = np.random.default_rng(0)
        self.arrays: list[Array] = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
        if len(shapes) == 2:  # the factor of a product in a loop, which neither grows nor vanishes
            self.arrays[1] = np.ascontiguousarray(np.linalg.qr(self.arrays[1])[0])

    def alone(self, result: Array) -> Contender:
        """Return the kernel by itself: its machine code, or, of a nest, a call from Python."""
        arrays, kernel = [*self.arrays, result], self.kernel
        return native(kernel, arrays) if isinstance(kernel, Kernel) else PythonCall(lambda: kernel(*arrays))


def cases() -> dict[str, Callable[[], Compared]]:
    """Return what is compared, by name."""
    jax, jnp = modules()
    made: dict[str, Callable[[], Compared]] = {
        f"softmax {m} x {n}": lambda m=m, n=n: Compared(
            functions.softmax, jax.nn.softmax, fused("softmax", m, n), [(m, n)]
        )
        for m, n in ((16, 64), (64, 384))
    }
    made |= {
        f"product {n}^3": lambda n=n: Compared(
            functions.matmul, jnp.matmul, (brgemm if n < 100 else gemm)(n, n, n, beta=0.0), [(n, n)] * 2
        )
        for n in (16, 64, 256)
    }

    def attend(q: Any, k: Any, v: Any) -> Any:
        return jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5) @ v

    made["attention 8 x 128 x 64"] = lambda: Compared(
        functions.attention, attend, attention(8, 128, 128, 64), [(8, 128, 64)] * 3
    )
    return made


def modules() -> tuple[ModuleType, ModuleType]:
    """Return JAX and its numpy. Raises BaselineMissing if it is not installed."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        raise BaselineMissing("JAX is not installed: pip install jax") from None
    return jax, jnp


def called(run: Run, name: str) -> Row | None:
    """Return the seconds of a call."""
    found = run.baseline(cases)
    if found is None:
        return None
    compared, (jax, jnp) = found[name](), modules()
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
    return {"what": name, **best, "by jax": best["jax"] / best["ours"]}


def repeated(run: Run, name: str) -> Row | None:
    """Return the seconds of a call in a loop."""
    found = run.baseline(cases)
    if found is None:
        return None
    compared, (jax, jnp) = found[name](), modules()
    first, *others = (jnp.asarray(each) for each in compared.arrays)

    def loop(function: Callable[..., Any]) -> Callable[[], object]:
        program = jax.jit(lambda x: jax.lax.fori_loop(0, TIMES, lambda _, y: function(y, *others), x))
        return lambda: program(first).block_until_ready()

    contenders = {"ours": PythonCall(loop(compared.ours)), "jax": PythonCall(loop(compared.theirs))}
    best = {who: seconds / TIMES for who, seconds in run.turns(contenders).items()}
    best |= run.turns({"kernel": compared.alone(np.empty_like(compared.arrays[0]))})
    return {"what": name, **best, "beyond": best["ours"] - best["kernel"], "by jax": best["jax"] / best["ours"]}


def differentiated(run: Run, name: str) -> Row | None:
    """Return the seconds of a result with its gradients."""
    found = run.baseline(cases)
    if found is None:
        return None
    compared, (jax, jnp) = found[name](), modules()
    arrays = [jnp.asarray(each) for each in compared.arrays]
    places = tuple(range(len(arrays)))
    ours, theirs = (
        jax.jit(jax.value_and_grad(lambda *x, f=f: (f(*x) ** 2).sum(), places))
        for f in (compared.ours, compared.theirs)
    )
    best = run.turns(
        {who: PythonCall(lambda f=f: jax.block_until_ready(f(*arrays))) for who, f in (("ours", ours), ("jax", theirs))}
    )
    return {"what": name, **best, "by jax": best["jax"] / best["ours"]}


NAMES = (*SHORT, "softmax 64 x 384", "product 64^3", "product 256^3", "attention 8 x 128 x 64")
CALLS = "what; kernel us=kernel:2u; ours us=ours:2u; jax us=jax:2u; times jax=by jax:2~"
LOOPS = "what; kernel us=kernel:3u; ours us=ours:3u; beyond us=beyond:3u; jax us=jax:3u; times jax=by jax:2~"
SLOPES = "what; ours us=ours:1u; jax us=jax:1u; times jax=by jax:2~"
OF_CALLS = [Wanted("a call of {what}", CALL, "ours", unit="s", where={"what": name}) for name in SHORT]
OF_LOOPS = [Wanted("{what} in a loop, beyond the kernel", BEYOND, "beyond", unit="s", where={"what": n}) for n in SHORT]
BENCH = Bench(
    "jax",
    __doc__,
    (
        Table("calls", CALLS, [(name,) for name in NAMES], called, goals=OF_CALLS),
        Table("loops", LOOPS, [(name,) for name in NAMES], repeated, goals=OF_LOOPS),
        Table("gradients", SLOPES, [(name,) for name in NAMES], differentiated),
    ),
)
