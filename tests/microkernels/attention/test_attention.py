"""Attention on every machine against numpy in f64 and long double, with error bounds derived from the operands."""

from __future__ import annotations

import mmap
import pickle
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.kernel_runs import MACHINES, called, runs_here
from tests.profiles import scaled
from tilesmith.microkernels.contract.vector_verbs import STACK_LIMIT
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.testing.guard import SIDES

UNIT = {"f32": 2.0**-24, "f64": 2.0**-53}
HALF = 2.0**-8  # half a unit of bf16, to which powers of the second product and out are rounded
EXP = 8  # units of an error of 4 ulp in the exponential function
EXP_PAIRS = 64  # units of an error of 2^-18, in bf16 without a mask


def wanted(
    kernel: Any, q: Any, k: Any, v: Any, mask: Any = None, function: Any = None, kept: Any = 1.0
) -> tuple[Any, Any, Any, Any]:
    """Return out and lse in higher precision, and the largest permitted error of each.

    A score is a sum of `size` products of k and of q, which was scaled and rounded once. Its error is at most (size +
    4) units of the sum of the products' magnitudes. Its distance to the largest score adds two further roundings. The
    sum of these errors is the relative error of the power, besides that of the exponential function. out and the total
    are sums of at most `keys` powers, with one rounding for each term and each block.

    mask      as it is added to (heads, queries, keys)
    function  of scores, whose slope is at most 1, and whose own error is at most 8 units of the scores
    kept      the factors of probabilities
    """
    spec = kernel.spec
    u = UNIT[spec.compute]
    wide = np.float64 if spec.compute == "f32" else np.longdouble
    q, k, v = (np.asarray(each, wide) for each in (q, k, v))
    k, v = (np.repeat(each, spec.group, axis=0) for each in (k, v))
    score, size = (x @ y.transpose(0, 2, 1) * spec.scale for x, y in ((q, k), (abs(q), abs(k))))
    size = size * abs(spec.scale) / spec.scale
    if function is not None:
        score = function(score)
    if mask is not None:
        score, size = score + mask, size + abs(np.where(np.isfinite(mask), mask, 0))
    if spec.causal:
        first = spec.keys - spec.queries if spec.seen else 0  # the first query has the number of this key
        after = np.arange(spec.keys) - first - np.arange(spec.queries)[:, None]
        score = np.where((after > 0) | (after <= -(spec.window or np.inf)), -np.inf, score)
    largest = score.max(axis=2, keepdims=True)
    finite = np.where(np.isfinite(largest), largest, 0)
    power = np.exp(score - finite)
    total = power.sum(axis=2, keepdims=True)
    p = power / np.where(total == 0, 1, total)
    units = EXP_PAIRS if spec.dtype == "bf16" and not spec.natural else EXP
    of_function = 4 if function is None else 12
    off = 1.1 * u * ((spec.size + 4) * size + of_function * (abs(np.where(p > 0, score, 0)) + abs(finite)) + units)
    sums = (2 * spec.keys + 20) * u
    far = (p * off).sum(axis=2)
    p = p * kept
    out = p @ v
    bound = (p * off) @ abs(v) + abs(out) * far[..., None] + sums * (p @ abs(v)) + 1e-44
    if spec.dtype == "bf16":
        bound = 1.1 * bound + HALF * (p @ abs(v) + 1.1 * abs(out)) + 1e-37  # VDPBF16PS takes denormals for zeros
    if spec.dtype == "f16":  # products are of f32, out is rounded
        bound = 1.1 * bound + 2.0**-11 * abs(out) + 2.0**-25
    with np.errstate(divide="ignore"):
        lse = (finite + np.log(total))[..., 0]
    far = far + sums + 8 * u * abs(np.where(np.isfinite(lse), lse, 0)) + 8 * u * abs(finite[..., 0])
    return out, bound, lse, far


def arrays(spec: Any, rng: np.random.Generator, spread: float = 1.0) -> list[Any]:
    """Return random operands of a request."""
    return [(rng.standard_normal(each.shape) * spread).astype(numpy_dtype(each.dtype)) for each in spec.inputs]


def check(kernel: Any, operands: list[Any], side: str = "end") -> None:
    found = called(kernel, operands, side)
    out, bound, lse, far = wanted(kernel, *operands)
    assert np.all(abs(found[0] - out) <= bound)
    if kernel.spec.lse:
        same = found[1] == lse  # infinities must be equal
        assert np.all(same | (abs(found[1] - np.where(same, 0, lse)) <= far))


MASKS = (None, "row", "full")


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_any_lengths(machine):
    native = runs_here(machine)
    most = 110 if native else 22

    @settings(max_examples=scaled(6 if native else 3, 400))
    @given(
        st.integers(1, 3),
        st.integers(1, 2),
        st.integers(1, most),
        st.integers(1, most),
        st.integers(2, most),
        st.booleans(),
        st.sampled_from(MASKS),
        st.booleans(),
        st.sampled_from(["f32", "bf16", "f16", "f64"]),
        st.sampled_from(SIDES),
        st.sampled_from([0.3, 1.0, 6.0]),
    )
    @example(1, 2, most, most - 3, 18, True, "full", True, "f32", "end", 1.0)
    @example(2, 1, most - 5, most - 2, 7, True, "row", True, "f16", "end", 1.0)
    def run(kv, group, queries, keys, size, causal, mask, lse, dtype, side, spread):
        kernel = ts.attention(
            kv * group,
            queries,
            keys,
            size,
            causal=causal,
            mask=mask,
            kv_heads=kv,
            lse=lse,
            dtype=dtype,
            target=MACHINES[machine].name,
        )
        check(kernel, arrays(kernel.spec, np.random.default_rng(queries), spread), side)

    run()


@pytest.mark.parametrize("target", ["sse", "avx", "avx2", "avx512", "amx"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.grid(4)
def test_several_blocks(target, causal):
    """Whole blocks, remainders, and queries beyond the last key give correct results."""
    for queries, keys in ((200, 330), (330, 100)):
        kernel = ts.attention(2, queries, keys, 64, causal=causal, lse=True, target=target)
        if kernel.address is None:
            pytest.skip("emulating it takes long")
        check(kernel, arrays(kernel.spec, np.random.default_rng(1)))


@pytest.mark.parametrize(
    ("target", "dtype", "mask", "window"),
    [
        ("avx512", "f32", None, 70),
        ("avx2", "bf16", "full", 64),
        ("amx", "bf16", None, 1),
        ("sse", "f32", "row", 9),
        ("neon", "f16", None, 3),
    ],
)
@pytest.mark.grid(3)
def test_window(target, dtype, mask, window):
    """A query sees its own key and those right before it. With a number of keys of the call, the others are not
    read."""
    native = runs_here(target)
    queries, size = (150, 10) if native else (10, 4)
    options = {"causal": True, "window": window, "dtype": dtype, "lse": True, "kv_heads": 1, "target": target}
    kernel = ts.attention(2, queries, queries, size, mask=mask, **options)
    operands = arrays(kernel.spec, np.random.default_rng(window))
    check(kernel, operands)
    few = min(3, queries)
    kernel = ts.attention(2, few, queries, size, seen=ts.RUNTIME, **options)
    q, k, v = (operands[0][:, :few].copy(), *operands[1:3])
    seen, found = queries - 1, [np.empty(each.shape, numpy_dtype(each.dtype)) for each in kernel.spec.outputs]
    exact, bound, lse, far = wanted(SimpleNamespace(spec=replace(kernel.spec, keys=seen)), q, k[:, :seen], v[:, :seen])
    for each in (k, v):
        each[:, seen:] = each[:, : max(0, seen - few - window + 1)] = np.nan
    (kernel if native else kernel.run)(q, k, v, seen, *found)
    assert (abs(found[0] - exact) <= bound).all() and (abs(found[1] - lse) <= far).all()


def test_windows_that_are_refused():
    with pytest.raises(ts.UnsupportedError, match="window: needs causal=True"):
        ts.attention(1, 4, 4, 4, window=2)
    with pytest.raises(ts.UnsupportedError, match="window: needs as many keys as queries"):
        ts.attention(1, 5, 4, 4, causal=True, window=2)
    with pytest.raises(ValueError, match="window: .*; window=1 sees the query's own key"):
        ts.attention(1, 4, 4, 4, causal=True, window=0)
    assert ts.attention(1, 4, 4, 4, causal=True, window=4) is ts.attention(1, 4, 4, 4, causal=True)
    kernel = ts.attention(1, 4, 4, 4, causal=True, window=2)
    assert kernel.flops == 4 * 4 * 7 and pickle.loads(pickle.dumps(kernel)).spec == kernel.spec


@pytest.mark.parametrize("accuracy", ["fast", "accurate"])
def test_accuracies(accuracy):
    kernel = ts.attention(2, 70, 100, 48, accuracy=accuracy)
    check(kernel, arrays(kernel.spec, np.random.default_rng(2)))


@pytest.mark.parametrize("target", ["avx2", "avx512_bf16", "neon_bf16", "sve128", "amx"])
def test_bf16(target):
    """Products of bf16 pairs handle an odd number of keys, an odd head size, whole blocks and parts of blocks."""
    for queries, keys, size, causal in ((9, 7, 5, True), (33, 67, 9, False)):
        kernel = ts.attention(1, queries, keys, size, causal=causal, lse=True, dtype="bf16", target=target)
        check(kernel, arrays(kernel.spec, np.random.default_rng(3)))


def test_f16_of_all_sizes():
    """Scores far beyond the range of f16, weights below its smallest number and subnormal values are summed in f32."""
    kernel = ts.attention(1, 40, 50, 24, dtype="f16", scale=1.0, lse=True)
    q, k, v = arrays(kernel.spec, np.random.default_rng(4), 60.0)
    v[:, ::2] *= np.float16(2.0**-20)
    check(kernel, [q, k, v])
    check(kernel, [q / 60, k / 60, np.full_like(v, 65504)])


def test_scale():
    kernel = ts.attention(1, 20, 30, 16, scale=-1.5, lse=True)
    check(kernel, arrays(kernel.spec, np.random.default_rng(2), 0.5))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_a_query_that_sees_nothing_gives_zero(target):
    kernel = ts.attention(1, 20, 37, 16, mask="full", lse=True, target=target)
    q, k, v, mask = arrays(kernel.spec, np.random.default_rng(3))
    mask[3] = mask[19] = -np.inf
    mask[5, 4:] = -np.inf
    out, lse = called(kernel, [q, k, v, mask], "end")
    check(kernel, [q, k, v, mask])
    assert not out[0, [3, 19]].any() and np.all(lse[0, [3, 19]] == -np.inf)
    mask[:] = np.finfo(np.float32).min  # every key has the same finite mask value: all weights are equal
    assert np.allclose(called(kernel, [0 * q, k, v, mask], "end")[0], v.mean(axis=1), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["avx2", "avx512", "sve256"])
def test_special_values(target):
    """NaN and infinity affect only the query, head and column that they belong to, and very large scores are
    handled."""
    kernel = ts.attention(2, 21, 40, 24, lse=True, target=target)
    q, k, v = arrays(kernel.spec, np.random.default_rng(4))
    clean, _ = called(kernel, [q, k, v], "end")
    q[0, 5, 3], k[1, 7, 2], v[0, 9, 11] = np.nan, np.inf, np.nan
    out, lse = called(kernel, [q, k, v], "end")
    assert np.isnan(out[0, 5]).all() and np.isnan(lse[0, 5])
    assert np.isnan(out[0, :, 11]).all()
    rest = np.ones((21, 24), bool)
    rest[5], rest[:, 11] = False, False
    assert np.array_equal(out[0][rest], clean[0][rest])
    assert np.all(np.isnan(out[1]).all(axis=1) | (q[1, :, 2] < 0))  # a score of -inf is hidden, of inf gives NaN
    q, k, v = arrays(kernel.spec, np.random.default_rng(5), 1e15)
    out, _ = called(kernel, [q, k, v], "end")
    best = (q.astype(float) @ k.transpose(0, 2, 1).astype(float)).argmax(axis=2)
    assert np.array_equal(out, np.take_along_axis(v, best[..., None], axis=1))


def test_causal_leaves_out_the_keys_behind():
    """A block of queries does not read blocks of keys beyond its last query, so NaN in them changes nothing."""
    kernel = ts.attention(1, 64, 4096, 64, causal=True)
    q, k, v = arrays(kernel.spec, np.random.default_rng(6))
    short = ts.attention(1, 64, 64, 64, causal=True)
    k[:, 64:], v[:, 64:] = np.nan, np.nan
    assert np.array_equal(kernel(q, k, v), short(q, k[:, :64].copy(), v[:, :64].copy()))


def memory(name: str) -> int:
    """Return a line of this process's memory status in KiB: VmRSS is its present size, VmHWM the peak since the last
    reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16"])
@pytest.mark.parametrize("make", [ts.attention, ts.attention_inv], ids=["forward", "backward"])
def test_no_buffer_of_all_scores(make, dtype):
    """The scores of 1024 x 1024 pairs in 8 heads take at least 16 MiB, and the kernel must not hold them all. The peak
    is reset before the call, so that memory that this process used before does not hide such a buffer."""
    kernel = make(8, 1024, 1024, 64, dtype=dtype)
    operands = [np.ones(each.shape, numpy_dtype(each.dtype)) for each in kernel.spec.arguments]
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM: man 5 proc
    before = memory("VmRSS")
    kernel(*operands)
    assert memory("VmHWM") - before < 4096
    with mmap.mmap(-1, 8 * 1024 * 1024 * 2) as buffer:  # the measurement must notice such a buffer
        buffer.write(bytes(len(buffer)))
    assert memory("VmHWM") - before > 8192


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve512"])
@pytest.mark.parametrize("size", [2, 7, 64, 128, 500, 1024])
@pytest.mark.grid(5)
def test_scratch_is_bounded(target, size):
    for dtype in ("f32", "f64"):
        for causal in (False, True):
            plan = ts.attention(1, 3000, 5000, size, causal=causal, dtype=dtype, target=target).plan
            assert plan.places.end <= STACK_LIMIT
            assert plan.rejected is not None and f"{plan.rows} queries" in str(plan)


def test_equals_torch():
    torch = pytest.importorskip("torch")
    for causal in (False, True):
        kernel = ts.attention(4, 100, 100, 32, causal=causal)
        operands = arrays(kernel.spec, np.random.default_rng(8))
        tensors = [torch.from_numpy(each)[None] for each in operands]
        theirs = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal)[0].numpy()
        assert np.allclose(kernel(*operands), theirs, atol=1e-5)


def test_requests():
    kernel = ts.attention(4, 10, 12, 8, causal=True, kv_heads=2, mask="row", lse=True)
    assert ts.attention(4, 10, 12, 8, causal=True, kv_heads=2, mask="row", lse=True) is kernel
    assert pickle.loads(pickle.dumps(kernel)).spec == kernel.spec
    assert kernel.flops == 4 * 4 * 8 * (10 * 11 // 2)
    assert "mask" in kernel.c_prototype and "lse" in kernel.c_prototype
    with pytest.raises(ValueError, match="kv_heads: a divisor of 4"):
        ts.attention(4, 10, 12, 8, kv_heads=3)
    with pytest.raises(ValueError, match="mask"):
        ts.attention(4, 10, 12, 8, mask="col")
    with pytest.raises(ts.UnsupportedError, match="convert"):
        ts.attention(4, 10, 12, 8, dtype="f8e4m3")
    with pytest.raises(ts.UnsupportedError, match="size: must be 2 or more"):
        ts.attention(4, 10, 12, 1)
    with pytest.raises(ts.UnsupportedError, match="scratch memory"):
        ts.attention(1, 10, 12, 1 << 16)
    with pytest.raises(TypeError, match="causal"):
        ts.attention(4, 10, 12, 8, causal=1)
    with pytest.raises(ValueError, match="scale"):
        ts.attention(4, 10, 12, 8, scale=float("inf"))
    with pytest.raises(ValueError, match=r"q: shape \(4, 10, 8\), not \(4, 8, 10\)"):
        kernel(np.zeros((4, 8, 10), np.float32), *[None] * 3)


@pytest.mark.parametrize(("dtype", "queries"), [("f32", 125), ("f16", 190), ("bf16", 127), ("f64", 63)])
def test_queries_computed_twice(dtype, queries):
    """A last block that is nearly as large as the others overlaps the block before it instead of being partial. On
    tiles, its last strip has queries that do not exist. The plan has no code for a smaller block, and results between
    guard pages equal those of the last query computed alone."""
    options = {"dtype": dtype, "lse": True, "mask": "full", "kv_heads": 2}
    kernel = ts.attention(4, queries, 60, 20, **options)
    on_tiles = bool(kernel.plan.tile_shapes)
    assert [each.again > 0 for each in kernel.plan.blocks] == [not on_tiles]
    assert [each.beyond > 0 for each in kernel.plan.blocks] == [on_tiles]
    assert {keys for (_, _, keys), _ in kernel.plan.products} == {60}
    operands = arrays(kernel.spec, np.random.default_rng(5))
    for side in SIDES:
        check(kernel, operands, side)
    q, k, v, mask = operands
    last = called(ts.attention(4, 1, 60, 20, **options), [q[:, -1:].copy(), k, v, mask[-1:].copy()], "end")
    whole = called(kernel, operands, "end")
    close = 2.0**-7 if dtype == "bf16" else 2.0**-9
    assert np.allclose(whole[0][:, -1:].astype(float), last[0].astype(float), rtol=close, atol=close)
