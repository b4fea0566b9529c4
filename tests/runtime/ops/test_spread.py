"""Kernels that run in parts on several threads give the bits of one call, between guard pages."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.operands import Operand
from tilesmith.runtime.kernel.callable import Kernel

KERNELS: dict[str, Callable[[], Kernel]] = {
    "relu of rows with gaps": lambda: ts.unary("relu", 130, 60, ldx=70),
    "gelu of a vector": lambda: ts.unary("gelu", 1, 20_003, dtype="bf16"),
    "broadcasts": lambda: ts.equation(lambda x, r, c, s: x * r + c * s, x=(333, 70), r=(1, 70), c=(333, 1), s=(1, 1)),
    "a mask of bits": lambda: ts.equation(lambda x, z: (x < z, x + z), x=(333, 61), z=(333, 61)),
    "softmax": lambda: ts.fused("softmax", 300, 77),
    "a result of rows": lambda: ts.equation(lambda x: ts.sum(x, axis=1), x=(300, 77)),
    "layernorm": lambda: ts.fused("layernorm", 301, 65, dtype="f64"),
    "dropout": lambda: ts.unary("dropout", 150, 70, rate=0.4),
    "dropout elsewhere": lambda: ts.unary("dropout", 150, 70, rate=0.4, origin=ts.RUNTIME),
    "attention": lambda: ts.attention(4, 33, 40, 16, kv_heads=2, mask="full", lse=True),
    "gradients of attention": lambda: ts.attention_inv(4, 33, 40, 16, kv_heads=2, mask="full"),
}


def arrays_of(kernel: Kernel) -> tuple[list[Any], list[Any]]:
    """Return arguments between guard pages, and outputs filled with 77."""
    rng, given, outputs = np.random.default_rng(0), [], []
    made, _ = kernel.kind.call(kernel.spec).with_output(
        tuple(each for each in kernel.spec.arguments if each not in kernel.spec.outputs)
    )
    for argument in kernel.spec.arguments:
        if not isinstance(argument, Operand):
            given.append(5)
        elif not argument.output:
            dtype = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}[argument.dtype]
            leading, shape = argument.view.leading, argument.shape
            values = rng.standard_normal(shape)
            if len(shape) == 2 and leading > shape[1]:
                whole = np.zeros((shape[0], leading))
                whole[:, : shape[1]] = values
                given.append(guarded(whole.astype(dtype)[:, : shape[1]], "end"))
            else:
                given.append(guarded(values.astype(dtype), "end"))
    for each in made if isinstance(made, tuple) else (made,):
        outputs.append(guarded(np.full_like(each, 77), "end", writable=True))
    return given, outputs


@pytest.mark.parametrize("name", KERNELS)
def test_parts_have_the_bits_of_the_whole(name: str) -> None:
    kernel = KERNELS[name]()
    given, wanted = arrays_of(kernel)
    kernel(*given, *wanted)
    spread = ts.spread(kernel)
    for workers, claimed in ((1, False), (2, False), (3, True), (7, False), (7, True)):
        _, found = arrays_of(kernel)
        integers, keep = spread._call(*given, *found)
        if claimed:
            spread.job.run(integers, workers, spread._whole.parts)
        else:
            spread.at(integers, workers)
        del keep
        for one, other in zip(found, wanted, strict=True):
            assert one.tobytes() == other.tobytes()
            check_canary(one)


@pytest.mark.parametrize("count", [3, 200])
@pytest.mark.parametrize("known", [True, False])
def test_stacks(count: int, known: bool) -> None:
    """Stacks of products that are not adjacent, with one shared operand; the products are added to C."""
    rng = np.random.default_rng(0)
    kernel = ts.brgemm(5, 6, 7, stack=count if known else ts.RUNTIME)
    a, b = rng.integers(-3, 4, (count, 2, 5, 7)).astype(np.float32)[:, 0], np.ones((7, 6), np.float32)
    before = rng.integers(-3, 4, (count, 5, 6)).astype(np.float32)
    spread = ts.spread(kernel)
    for workers in (1, 2, 3, 7):
        c = guarded(before, "end", writable=True)
        integers, keep = spread._call(a, b, c)
        spread.at(integers, workers)
        del keep
        np.testing.assert_array_equal(c, before + a @ b)
        check_canary(c)


def test_calls() -> None:
    kernel = ts.unary("relu", 500, 300)
    x = np.random.default_rng(0).standard_normal((500, 300)).astype(np.float32)
    spread = ts.spread(kernel, threads=2)
    assert (spread(x) == np.maximum(x, 0)).all()
    y = np.zeros_like(x)
    assert spread(x, out=y, threads=3) is y and (y == np.maximum(x, 0)).all()
    with pytest.raises(ValueError, match="threads"):
        spread(x, threads=-1)


def test_calls_like_an_earlier_one_are_known() -> None:
    """A call with other arrays of the same layout is checked only for alignment, writability and overlap."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 50, 32, 32))
    c = np.zeros((50, 32, 32))
    spread = ts.spread(ts.brgemm(32, 32, 32, dtype="f64", stack=50, beta=0), threads=2)
    assert spread._known.find((a, b, c)) is None
    spread._together((a, b, c), {}, 2)  # machine code does not take the stack
    integers, _ = spread._call(b, a, c)
    assert spread._known.find((b, a, c))[0] == integers
    whole = np.zeros((60, 32, 32))
    for wrong in ((a, b, a), (a, b, c.tolist()), (a, b, c[:, :, ::-1]), (whole[10:], b, whole[:50])):
        assert spread._known.find(wrong) is None
    fixed = c.copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="c: .*writable"):
        spread(a, b, fixed)
    unaligned = np.zeros(50 * 1024 * 8 + 4, np.uint8)[4:].view(np.float64).reshape(50, 32, 32)
    with pytest.raises(ValueError, match="aligned"):
        spread(a, unaligned, c)


def test_in_place_stays_known() -> None:
    x = np.random.default_rng(0).standard_normal((500, 300)).astype(np.float32)
    spread, wanted = ts.spread(ts.unary("relu", 500, 300), threads=2), np.maximum(x, 0)
    spread(x.copy(), np.empty_like(x))
    for _ in range(2):  # the first call is checked, the second is known; machine code takes neither
        y = x.copy()
        spread._together((y, y), {}, 2)
        assert (y == wanted).all()
    assert spread._known.find((y, y)) is not None
    both = np.zeros((501, 300), np.float32)
    with pytest.raises(ValueError, match="must not overlap"):
        spread(both[1:], both[:500])


def test_refusals() -> None:
    with pytest.raises(UnsupportedError, match="ts.gemm"):
        ts.spread(ts.brgemm(4, 4, 4))
    with pytest.raises(UnsupportedError, match="ts.gemm"):
        ts.spread(ts.brgemm(ts.RUNTIME, 4, 4))
    with pytest.raises(UnsupportedError, match="down the columns"):
        ts.spread(ts.equation(lambda x: ts.sum(x, axis=0), x=(ts.RUNTIME, 4)))
    with pytest.raises(UnsupportedError, match="ldx must be a number"):
        ts.spread(ts.unary("relu", 50, 4, ldx=ts.RUNTIME))
    with pytest.raises(TypeError, match="a kernel"):
        ts.spread(len)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        ts.spread(ts.unary("relu", 50, 4), threads=-1)


@pytest.mark.parametrize("workers", (2, 3, 7))
@pytest.mark.parametrize("count", (1, 2, 6, 50))
def test_machine_code_cuts_stacks_as_python_does(monkeypatch: pytest.MonkeyPatch, workers: int, count: int) -> None:
    """Leading dimensions beyond the argument registers, gaps between matrices, and one b for all."""
    rng = np.random.default_rng(count)
    a, b = rng.standard_normal((count, 9, 8)), np.broadcast_to(rng.standard_normal((8, 5)), (count, 8, 5))
    kernel = ts.brgemm(7, 5, 8, dtype="f64", lda=ts.RUNTIME, ldb=ts.RUNTIME, ldc=ts.RUNTIME, stack=ts.RUNTIME, beta=0)
    whole = np.zeros((2, count, 7, 6))
    c, wanted = whole[..., :5]
    for each in (None, c):
        found = ts.spread(kernel, threads=workers)
        if each is None:  # through Python
            found._together((a[:, 1:8], b, wanted), {}, workers)
            continue
        assert found(a[:, 1:8], b, c) is None
        monkeypatch.setattr(found, "_together", None)
        assert found(a[:, 1:8], b, c) is None, "machine code takes the second call, and the first"
    assert (c == wanted).all() and np.allclose(c, a[:, 1:8] @ b) and not whole[..., 5].any()


@pytest.mark.parametrize("name, extents", [("softmax", (700, 90)), ("layernorm", (300, 200))])
def test_rows_without_python(monkeypatch: pytest.MonkeyPatch, name: str, extents: tuple[int, int]) -> None:
    """The bits are those of the kernel, missing outputs are made, and Python explains refused arguments."""
    kernel = ts.fused(name, *extents)
    rng = np.random.default_rng(1)
    args = [rng.standard_normal((each.rows, each.columns)).astype(np.float32) for each in kernel.spec.inputs]
    found = ts.spread(kernel, threads=3)
    with pytest.raises(TypeError, match="x"):
        found(*[each.astype(np.float64) for each in args])
    monkeypatch.setattr(found, "_together", None)
    wanted, out = kernel(*args), np.empty(extents, np.float32)
    assert (found(*args) == wanted).all()
    found(*args, out)
    assert (out == wanted).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.fused("softmax", 60, 9),
        lambda: ts.fused("softmax", ts.RUNTIME, 9),
        lambda: ts.attention(3, 5, 4, 8),
        lambda: ts.equation(lambda x, w: ts.relu(x @ w), x=(60, 9), w=(9, 5)),
    ],
)
def test_pickles_make_the_same(make: Callable[[], Kernel]) -> None:
    found = ts.spread(make(), threads=2)
    again = pickle.loads(pickle.dumps(found))
    assert again.threads == 2 and again.kernel.code == found.kernel.code


def test_heads_side_by_side() -> None:
    """Workers start at the right heads, whatever the distance between them."""
    rng = np.random.default_rng(4)
    q, k, v = rng.standard_normal((3, 21, 4, 8)).astype(np.float32)
    kernel = ts.attention(4, 21, 21, 8, kv_heads=2, order={"q": "F", "k": "F"}, ldk=4 * 8, ldv=30 * 8)
    values = np.zeros((2, 30, 8), np.float32)
    values[:, :21] = v[:, :2].transpose(1, 0, 2)
    args = q.transpose(1, 0, 2), k[:, :2].transpose(1, 0, 2), values[:, :21]
    assert (ts.spread(kernel, threads=2)(*args) == kernel(*args)).all()
