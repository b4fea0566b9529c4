"""Kernels with more pointers, leading dimensions and counters than general registers keep some in the stack frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak
from tilesmith.encoder import walk
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines import registry
from tilesmith.microkernels.machines.spilled import claims
from tilesmith.microkernels.machines.spilled import machine as spilled_machine
from tilesmith.runtime.host.detect import runs
from tilesmith.runtime.kernel import origin
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.kinds import kind_of

Array = np.ndarray[Any, Any]
SPILLED = "values beyond the registers"
ROWS = 21


def drawn(*shape: int, dtype: Any = np.float64, order: Any = "C") -> Array:
    return np.asarray(np.random.default_rng(sum(shape)).uniform(0.5, 2, shape), dtype, order=order)


def sum_of(count: int, more: str = "") -> Callable[..., Any]:
    """Return a function of `count` operands to trace."""
    names = [f"x{number}" for number in range(count)]
    function: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {' + '.join(names)}{more}", {"ts": ts})
    return function


def close(found: Any, wanted: Any, error: float) -> None:
    for made, right in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        np.testing.assert_allclose(np.asarray(made, float), right, error, error)


# The results, by numpy in f64


@pytest.mark.parametrize(("target", "count"), [("sse", 14), ("avx2", 14), ("avx512", 30), ("neon", 28), ("sve256", 28)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [ts.RUNTIME, ROWS])
def test_many_operands(target, count, order, rows):
    k = ts.equation(
        sum_of(count, " - ts.sum(x0, axis=1)"),
        order=order,
        target=target,
        **{f"x{number}": (rows, 9) for number in range(count)},
    )
    inputs = [drawn(ROWS, 9, dtype=np.float32, order=order) + np.float32(number) for number in range(count)]
    exact = sum(x.astype(float) for x in inputs) - inputs[0].sum(1, float, keepdims=True)
    assert SPILLED in k.listing()
    close(k.run(*inputs), [exact], 1e-4)


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_many_results(target):
    """Reductions down the columns start from memory, and all results have pointers of their own."""
    k = ts.equation(lambda x: (*(x + i for i in range(30)), ts.sum(x, axis=0)), x=(ts.RUNTIME, 9), target=target)
    x = drawn(5, 9, dtype=np.float32)
    assert SPILLED in k.listing()
    close(k.run(x), [*(x + i for i in range(30)), x.sum(0, float, keepdims=True)], 1e-6)


@pytest.mark.parametrize("rows", [ts.RUNTIME, ROWS])
def test_leading_dimensions_of_a_call(rows):
    k = ts.equation(
        sum_of(8),
        target="avx2",
        ldy=ts.RUNTIME,
        **{f"x{number}": (rows, 9) for number in range(8)},
        **{f"ldx{number}": ts.RUNTIME for number in range(8)},
    )
    inputs = [drawn(ROWS, 9 + number, dtype=np.float32)[:, :9] for number in range(8)]
    y = np.zeros((ROWS, 40), np.float32)
    assert SPILLED in k.listing()
    k.run(*inputs, y[:, :9])
    close(y[:, :9], [sum(x.astype(float) for x in inputs)], 1e-6)
    assert not y[:, 9:].any()


@pytest.mark.parametrize("target", ["avx2", "sse"])
def test_adam_of_counted_columns(target):
    k = ts.fused("adam", ts.RUNTIME, 20, order="F", dtype="f64", target=target)
    w, m, v, g = (drawn(ROWS, 20 + number, order="F")[:, :20] for number in range(4))
    rate, c1, c2 = (np.full((1, 1), value) for value in (0.1, 0.9, 0.99))
    made, one, two = k.run(*map(np.asfortranarray, (w, m, v, g)), rate, c1, c2)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    assert SPILLED in k.listing()
    close((one, two), (m, v), 1e-14)
    close(made, [w - 0.1 / 0.9 * m / (np.sqrt(v / 0.99) + 1e-8)], 1e-13)


@pytest.mark.parametrize("target", ["avx2", "sse"])
def test_batchnorm_inv_of_counted_columns(target):
    k = ts.fused("batchnorm_inv", ts.RUNTIME, 20, order="F", target=target)
    g, x = (drawn(ROWS, 20 + number, dtype=np.float32)[:, :20] for number in range(2))
    mean, inverse, gamma, ggamma, gbeta = (drawn(1, 20, dtype=np.float32) * np.float32(n) for n in (1, 2, 3, 4, 5))
    share = np.full((1, 1), 1 / ROWS, np.float32)
    made = k.run(np.asfortranarray(g), np.asfortranarray(x), mean, inverse, gamma, ggamma, gbeta, share)
    z = (x.astype(float) - mean) * inverse
    assert SPILLED in k.listing()
    close(made, [gamma * inverse * (g.astype(float) - share * gbeta - z * share * ggamma)], 1e-5)


@pytest.mark.parametrize("target", ["avx2", "amx"])
def test_epilogue_of_a_batch_by_addresses(target):
    k = ts.brgemm(
        33,
        40,
        24,
        batch=ts.ADDRESS,
        beta=0,
        target=target,
        epilogue=lambda c, x, y, z: c + x + y + z,
        operands={"x": None, "y": "row", "z": "col"},
    )
    rng = np.random.default_rng(3)
    a, b = rng.integers(-2, 3, (5, 33, 24)).astype(np.float32), rng.integers(-2, 3, (5, 24, 40)).astype(np.float32)
    more = [rng.integers(-9, 9, shape).astype(np.float32) for shape in ((33, 40), (1, 40), (33, 1))]
    c = np.zeros((33, 40), np.float32)
    places = (np.array([each.ctypes.data for each in several], np.uint64) for several in (a, b))
    k.run(*places, c, *more)
    assert SPILLED in k.listing()
    assert np.array_equal(c, (a.astype(float) @ b.astype(float)).sum(0) + sum(more))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ["sse", "avx2", "avx512"])
def test_between_guard_pages(target, side):
    if reason := runs(ts_target(target)):
        pytest.skip(reason)
    k = ts.equation(sum_of(16), target=target, **{f"x{number}": (ts.RUNTIME, 9) for number in range(16)})
    inputs = [guarded(drawn(3, 9, dtype=np.float32) * np.float32(number), side, writable=False) for number in range(16)]
    y = guarded(np.zeros((3, 9), np.float32), side, writable=True)
    k(*inputs, y)
    check_canary(y)
    close(y, [sum(x.astype(float) for x in inputs)], 1e-6)


def ts_target(name: str) -> Target:
    return registry.TARGETS[name]


# The code of every kind of kernel, on machines without a free register


class Starved:
    """The part of a machine that gives away no general register of the processor but those of arguments."""

    _free_general: Any

    def received(self, registers: Any) -> Any:
        self._starve()
        return registers

    def reclaim(self, preserved: Any) -> None:
        super().reclaim(preserved)  # type: ignore[misc]
        self._starve()

    def _starve(self) -> None:
        self._free_general = [each for each in self._free_general if hasattr(each, "number")]


def starved(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Return the kernel of the same plan whose code has no free general register."""
    mixin, assembler = registry._SPILLED[kernel.target.arch]()
    machine = registry.machine_class(kernel.target)
    described = {"described": machine, "values": 256, "memory": ()}
    classes = type("Starving", (Starved, mixin, machine), described), assembler
    with monkeypatch.context() as patch:
        patch.setattr(registry, "classes_of", lambda target: classes)
        made = origin.Emitted(kernel.spec, kernel.target, kind_of(kernel.spec))
    return Kernel(kernel.spec, kernel.target, origin=made)


KINDS: dict[str, tuple[Callable[[str], Any], tuple[tuple[int, ...], ...]]] = {
    "elements": (lambda t: ts.binary("add", 5, 19, bcast=(None, "row"), target=t), ((5, 19), (1, 19))),
    "masks": (
        lambda t: ts.equation(
            lambda x, y: (x < y, ts.select(x < y, x, y)), out=["bits", "f32"], x=(4, 24), y=(4, 24), target=t
        ),
        ((4, 24), (4, 24)),
    ),
    "softmax": (lambda t: ts.fused("softmax", ts.RUNTIME, 37, target=t), ((5, 37),)),
    "norm down columns": (
        lambda t: ts.fused("batchnorm_training", ts.RUNTIME, 20, target=t),
        ((6, 20), (1, 20), (1, 20)),
    ),
    "sums of rows": (lambda t: ts.reduce("sum", 9, 37, axis=1, target=t), ((9, 37),)),
    "argmax": (lambda t: ts.reduce("argmax", 6, 37, axis=1, target=t), ((6, 37),)),
    "transpose": (lambda t: ts.transpose(13, 19, target=t), ((13, 19),)),
    "product": (lambda t: ts.brgemm(13, 19, 11, beta=0, target=t), ((13, 11), (11, 19))),
    "product of any rows": (lambda t: ts.brgemm(ts.RUNTIME, 19, 11, beta=0, target=t), ((13, 11), (11, 19))),
    "two products": (
        lambda t: ts.equation(lambda x, v, w: ts.relu(x @ v) @ w, x=(13, 8), v=(8, 12), w=(12, 9), target=t),
        ((13, 8), (8, 12), (12, 9)),
    ),
    "attention": (lambda t: ts.attention(1, 9, 11, 8, target=t), ((1, 9, 8), (1, 11, 8), (1, 11, 8))),
}


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (target, kind)
        for row, target in enumerate(("sse", "avx2", "avx512", "sve256", "neon"))
        for at, kind in enumerate(KINDS)
        if is_soak() or (row + at) % 2 == 0
    ],
)
def test_bits_are_those_of_the_usual_code(kind, target, monkeypatch):
    """The arithmetic is the same; only the places of pointers and counters differ. A soak tests every kind on every
    target; otherwise each kind has half of them, of both architectures."""
    make, shapes = KINDS[kind]
    usual = make(target)
    other = starved(usual, monkeypatch)
    inputs = [drawn(*shape, dtype=np.float32) for shape in shapes]
    wanted, found = usual.run(*inputs), other.run(*inputs)
    several = isinstance(wanted, tuple)
    for made, right in zip(found if several else (found,), wanted if several else (wanted,), strict=True):
        assert np.asarray(made).tobytes() == np.asarray(right).tobytes()
    assert other.code != usual.code


@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256", "sme256"])
def test_the_callers_registers_and_stack_come_back(target, monkeypatch):
    """The walk along the code finds every register of the caller in the frame, and the stack as it was at each end."""
    for kind in ("softmax", "two products"):
        code = starved(KINDS[kind][0](target), monkeypatch)._origin.code
        assert not walk.trace(code).lost


def test_values_beyond_the_memory_are_named(monkeypatch):
    monkeypatch.setattr(registry, "SPILLED", (2,))
    with pytest.raises(ts.UnsupportedError, match="no general register left for .*; a kernel with fewer operands"):
        ts.equation(sum_of(31), target="avx2", **{f"x{number}": (4, 8) for number in range(31)})


def test_the_values_in_memory_are_those_that_were_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many registers as are free are saved before a loop. Their number must not shift the claims after them."""
    spec = ts.fused("groupnorm_inv", ts.RUNTIME, 20, order="F", target="avx2").spec
    chosen: list[set[str]] = []
    found: dict[int, set[str]] = {}
    in_memory, general = claims.RegisterClaims.in_memory, spilled_machine.Spilled.general

    def choosing(self: Any, registers: int) -> Any:
        made = in_memory(self, registers)
        chosen.append({role for role, _ in made} - {"saved before any loop"})
        return made

    def claiming(self: Any, role: str) -> Any:
        register = general(self, role)
        if self.is_virtual(register):
            found.setdefault(id(self), set()).add(role)
        return register

    monkeypatch.setattr(claims.RegisterClaims, "in_memory", choosing)
    monkeypatch.setattr(spilled_machine.Spilled, "general", claiming)
    Kernel(spec, ts_target("avx2"))
    assert len(chosen) == 1 and [*found.values()][-1] == chosen[0]
