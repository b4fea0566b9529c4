"""Networks called through machine code: after the first call, with results between layers in scratch memory."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.threads import together
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.ops.mlp import Mlp

pytestmark = pytest.mark.skipif(bool(entry.refusal()), reason="calls go through Python here")

TYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}
ROWS = 33


@pytest.fixture(autouse=True)
def unset() -> Iterator[None]:
    yield
    ts.set_num_threads(0)


class Case:
    """A network of these sizes whose sums are exact, its arguments and its result."""

    def __init__(self, sizes: list[int], dtype: str = "f32", threads: int | None = None) -> None:
        rng = np.random.default_rng(len(sizes))
        # powers of two and zeros, so that results of layers stay exact in bf16
        self.x = rng.integers(0, 2, (ROWS, sizes[0])).astype(TYPES[dtype])
        self.weights = [
            np.where(rng.random((k, n)) < 1.5 / k, 1, 0).astype(TYPES[dtype]) for k, n in zip(sizes, sizes[1:])
        ]
        self.biases = [rng.integers(-1, 2, n).astype(TYPES[dtype]) for n in sizes[1:]]
        made: Any = ts.mlp(ROWS, sizes, dtype=dtype, activation=ts.relu)
        self.net = Mlp(made.layers, threads)
        self.packed = self.net.pack(self.weights)
        y = self.x.astype(np.float64)
        for number, (w, bias) in enumerate(zip(self.weights, self.biases), 1):
            y = y @ w.astype(np.float64) + bias.astype(np.float64)
            y = np.maximum(y, 0) if number < len(self.weights) else y
        self.exact = y.astype(TYPES[dtype])
        assert np.array_equal(self.exact.astype(np.float64), y)

    def check(self, **named: Any) -> None:
        """Compare a call with a new result, and one into an array."""
        out = np.full_like(self.exact, 77)
        assert np.array_equal(self.net(self.x, self.packed, self.biases, **named), self.exact)
        assert self.net(self.x, tuple(self.packed), tuple(self.biases), out, **named) is out
        assert np.array_equal(out, self.exact)


@pytest.fixture
def no_python(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function after whose call no call may be checked in Python."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("this call went through Python")

    return lambda: monkeypatch.setattr(Mlp, "_placed", refuse)


@pytest.mark.parametrize("sizes", [[20, 9], [70, 30, 40], [40, 30, 80, 10, 20], [300] * 8], ids=len)
@pytest.mark.parametrize("dtype", TYPES)
def test_calls_after_the_first(dtype: str, sizes: list[int], no_python: Any) -> None:
    case = Case(sizes, dtype)
    case.check(threads=7)  # Python makes the scratch memory that seven threads need
    no_python()
    for count in (1, 2, 7):
        ts.set_num_threads(count)
        case.check()


def test_a_fixed_number_of_threads(no_python: Any) -> None:
    case = Case([40, 30, 20], threads=2)
    case.check(threads=3)
    no_python()
    case.check()


@pytest.mark.parametrize("side", SIDES)
def test_machine_code_stays_inside_the_operands(side: str, no_python: Any) -> None:
    case = Case([37, 41, 11])
    case.check()
    no_python()
    case.x, case.biases = guarded(case.x, side), [guarded(each, side) for each in case.biases]
    out = guarded(np.full_like(case.exact, 77), side, writable=True)
    assert case.net(case.x, case.packed, case.biases, out) is out and np.array_equal(out, case.exact)
    check_canary(out)


def test_errors_are_those_of_the_first_call() -> None:
    case = Case([20, 20, 20])
    x, packed, biases = case.x, case.packed, case.biases
    sealed = np.zeros_like(case.exact)
    sealed.flags.writeable = False
    wrong = [
        (x[:-1], packed, biases),
        (x.astype(np.float64), packed, biases),
        (x, packed[:1], biases),
        (x, packed, None),
        (x, packed, [biases[0], None]),
        (x, packed, [biases[0], biases[1][:-1]]),
        (x, case.weights, biases),
        (x, packed, biases, sealed),
        (x, packed, biases, case.exact[:-1]),
        (x, [*packed[:1], None], biases),
    ]
    found = []
    for _ in range(2):  # before the first correct call, and after it
        for number, args in enumerate(wrong):
            with pytest.raises((TypeError, ValueError)) as error:
                case.net(*args)  # type: ignore[arg-type]
            found.append((number, type(error.value), str(error.value)))
        case.check()
    assert found[: len(wrong)] == found[len(wrong) :]


def test_a_result_over_x_and_other_arrays() -> None:
    """Several layers may write over x, which the first one has read by then; other layouts of x are accepted too."""
    case = Case([20, 30, 20])
    case.check()
    over = case.x.copy()
    assert case.net(over, case.packed, case.biases, over) is over and np.array_equal(over, case.exact)
    gaps = np.zeros((ROWS, 50), np.float32)
    gaps[:, :20] = case.x
    with pytest.raises(ValueError, match="x: "):
        case.net(gaps[:, :20], case.packed, case.biases)
    case.check()


@pytest.mark.parametrize("threads", [1, 6])  # more calls at a time than slots of scratch memory
def test_several_python_threads(threads: int) -> None:
    case = Case([60, 50, 40, 30])
    case.check()

    def work() -> None:
        for turn in range(40):
            case.check()
            if turn % 8 == 0:
                ts.trim()

    together(*[work] * threads)
    ts.trim()
    case.net(case.x, case.packed, case.biases)
    between, places = case.net._between
    assert places == (0, between // 2) and between >= 2 * ROWS * 50 * 4
    assert ts.trim() == between + ts.num_threads() * case.net.bytes_own


def test_a_network_is_freed_and_pickled() -> None:
    case = Case([20, 30, 20])
    case.check()
    again = pickle.loads(pickle.dumps(case.net))
    assert np.array_equal(again(case.x, again.pack(case.weights), case.biases), case.exact)
    gone = weakref.ref(case.net)
    del case.net
    gc.collect()
    assert gone() is None
