"""A request from a pickle was not checked like a new one; now it raises the same errors, for every kind of kernel."""

import dataclasses
import pickle

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.compressed.form import CompressedForm
from tilesmith.microkernels.compressed.spec import decode_spec
from tilesmith.microkernels.compressed.unmask_spec import unmask_spec
from tilesmith.microkernels.expr import graph as expr
from tilesmith.microkernels.expr.graph import Program, Step
from tilesmith.microkernels.operands import View
from tilesmith.runtime.host.detect import resolve
from tilesmith.runtime.kernel.callable import kept, kernel
from tilesmith.runtime.kernel.kinds import every, requested


def made():
    """Yield kernels of every kind, made by every public function."""
    act, i8 = (lambda c, bias, far: ts.gelu(c + bias) * far), {"dtype": ("u8", "i8", "i32"), "target": "avx512_vnni"}
    yield from (ts.brgemm(5, 4, 3), ts.brgemm(4, 4, 6, order=("F", "C", "F"), lda=9, ldc=ts.RUNTIME, batch=ts.OFFSET))
    yield from (ts.brgemm(4, 4, 6, b_layout="vnni", **i8), ts.brgemm(4, 4, 4, dtype="f16xf16", target="avx512_fp16"))
    yield ts.brgemm(4, 4, 8, dtype="bf16", a_layout="mmla", b_layout="mmla", target="neon_bf16", batch=3, alpha=0.5)
    yield ts.brgemm(4, 4, 6, lda=2, batch=(3, 2), strides=((16, 24), (8, 48)), **i8)
    yield from (ts.brgemm(5, 4, 3, stack=7), ts.brgemm(5, 4, 3, stack=ts.RUNTIME, lda=9))
    yield from (ts.brgemm(ts.RUNTIME, 4, 3, lda=9), ts.brgemm(5, ts.RUNTIME, 3, order="F", ldc=ts.RUNTIME))
    yield ts.brgemm(16, 16, 16, dtype="f32x3bf16", target="avx512_bf16", beta=0)
    yield ts.brgemm(8, 8, 8, dtype="f64xi8", target="avx512_vnni", ldb=11)
    yield ts.brgemm(5, 4, 3, epilogue=act, operands={"bias": "col", "far": (None, "bf16")}, order="F", alpha=2.0)
    yield ts.brgemm(5, 4, 3, dtype="bf16", epilogue=lambda c, s: ts.relu(c) - s, operands={"s": "scalar"}, beta=0.5)
    yield ts.brgemm(4, 4, 4, epilogue=lambda c: (c + 3) >> 2, **{**i8, "dtype": ("u8", "i8", "i8")})
    yield ts.brgemm(5, 4, 3, dtype="bf16", epilogue=lambda c, s: ts.exp(c) - s, beta=0, c_layout="vnni", ldc=6)
    yield ts.brgemm(5, 4, 3, dtype="bf16", beta=0, c_layout="mmla2x4t")
    yield from (
        ts.unary("relu", 3, 9, order="FC", out="bf16", ldx=5),
        ts.binary("add", 3, 9, bcast=(None, "row"), order="F"),
    )
    yield ts.transform("vnni2t", 3, 9, "f32", out="bf16", epilogue=lambda x, s: x * s, operands={"s": "col"}, ldy=30)
    for name in ("relu", "tanh", "identity", "relu_mask", "zero", "random", "uniform"):
        yield ts.unary(name, 3, 9)
    yield from (ts.unary("identity", 3, 9, dtype=dtype, ldx=12) for dtype in ("bf16", "u8", "i64", "f64"))
    yield ts.unary("dropout_mask", 3, 9, rate=0.25, origin=ts.RUNTIME, dtype="f64")
    yield from (
        ts.unary("quantize", 3, 9, scale=0.5, zero=3),
        ts.unary("unpack", 3, 9),
        ts.unary("random", 3, 9, out="i64"),
    )
    yield from (ts.binary("lt", 3, 9, bcast=(None, "row"), dtype="i16"), ts.binary("pack", 3, 9))
    yield from (ts.binary("gelu_inv", 3, 9), ts.ternary("blend", 3, 9, dtype="f16", accuracy="accurate"))
    yield ts.equation(
        lambda x, unused: (x, ~(x < 2.0)), x=(3, 20), unused=(1, 20), dtype={"x": "f32", "unused": "bits"}
    )
    yield ts.equation(lambda n: (n << 3) ^ (n >> 1), n=(3, 1), dtype="i32", ldn=ts.RUNTIME)
    yield from (ts.reduce("sum", 3, 9, axis=1, dtype="i8", ldx=ts.RUNTIME), ts.reduce("argmax", 3, 9, dtype="f64"))
    yield ts.reduce("sum", 3, 9, squared="both", init=True, axis=0)
    yield from (ts.fused("softmax", 3, 9), ts.fused("layernorm", 3, 9, dtype="bf16", eps=1e-3, ldx=ts.RUNTIME))
    yield ts.fused("layernorm_inv", 3, 9)
    yield ts.fused("groupnorm_training", 8, 9, channels=4, groups=2, ldx=ts.RUNTIME)
    yield ts.equation(lambda x, w, b: ts.relu(x @ w + b) @ w.T * x, x=(3, 9), w=(9, 5), b=(1, 5), ldw=7)
    yield ts.equation(lambda x, w: x @ w, x=(3, 9), w=(9, 5), dtype={"x": "bf16", "w": "i8"}, out="f32")
    yield from (ts.attention(1, 3, 9, 8, causal=True), ts.attention_inv(1, 3, 9, 8))
    yield from (ts.transpose(3, 9, ldy=4), ts.transpose(8, 8, in_place=True, loads="pieces", dtype="c64"))
    yield from (ts.transform("vnni2", 5, 6), ts.transform("plaint", 5, 6), ts.transform("vnni4_to_vnni4t", 8, 8, "i8"))
    for make in (ts.gather, ts.scatter):
        yield from (make("rows", 3, 9, size=7, ldx=10, bounds="kernel"), make("stride", 3, 9, step=2, ldy=40))
        yield make("offsets", 3, 9, size=70, index="i32", dtype="u16")
    yield ts.depthwise(5, 6, 7, (3, 2), stride=(1, 2), padding=((1, 0), (2, 1)), dtype="bf16", ldx=9)
    yield ts.sparse_kernel(np.array([[0, 2, 1], [0, 0, 3]]), 5, side="right", packed=3, beta=1, dtype="bf16")
    yield ts.depthwise(5, 6, 7, dtype=("u8", "i8", "u8"), epilogue=lambda c, s: c * s, operands={"s": "scalar"})
    yield from (ts.embedding_bag(3, 9, size=7, count=5), ts.embedding_bag(3, 9, size=7, count=5, weights=True, ldx=12))


def of_weights():
    """Yield kernels of compressed weights, which have no public request of their own."""
    form = CompressedForm("i4", 64, 80, 32, "f16", True, False, 8)
    yield kept(decode_spec(form, 3, 64, 0, True, 70, 64), resolve("avx2"))
    yield kept(unmask_spec("bf16", "f32", 4, 30, False, 40), resolve("avx2"))


def of_any_rows():
    """Yield kernels whose number of rows is given at the call."""
    yield from (ts.unary("gelu", ts.RUNTIME, 9, ldx=12), ts.fused("layernorm", ts.RUNTIME, 9, ldy=ts.RUNTIME))
    yield ts.equation(lambda x, w: ts.relu(x @ w), x=(ts.RUNTIME, 9), w=(9, 5))
    yield ts.reduce("sum", ts.RUNTIME, 9, axis=1, ldx=12, squared="both")
    yield ts.gather("rows", ts.RUNTIME, 9, size=ts.RUNTIME, out="bf16", scale="col")
    yield ts.embedding_bag(3, 9, size=7, count=ts.RUNTIME)


def of_rows_by_an_index():
    """Yield traced functions with rows found by an index."""
    yield ts.equation(lambda x, i: ts.gather(x, i) * 2.0, x=(7, 9), i=(3,), ldx=12)
    yield ts.equation(lambda x, i, j: ts.scatter(ts.gather(x, i), j, 8, add=True), x=(7, 9), i=(3,), j=(3,))


KERNELS = [*made(), *of_weights(), *of_any_rows(), *of_rows_by_an_index()]


def loaded(spec, target=None, release_gil=None):
    """Return the kernel from a pickle with this request."""
    return pickle.loads(pickle.dumps(_Saved(spec, target, release_gil)))


class _Saved:
    """An object that is pickled as a kernel is."""

    def __init__(self, *request):
        self.request = request

    def __reduce__(self):
        return kernel, self.request


def test_every_kind_is_here():
    assert {type(each.spec) for each in KERNELS} == set(every())


@pytest.mark.parametrize("held", KERNELS, ids=lambda each: each.name)
@pytest.mark.grid(12)
def test_a_pickle_gives_the_same_kernel(held):
    assert pickle.loads(pickle.dumps(held)) is held
    assert requested(pickle.loads(pickle.dumps(held.spec))) == held.spec
    assert ts.supported(held.spec, held.target.name if held.target.name != "host" else None) is True


@pytest.mark.parametrize(
    ("fields", "error", "text"),
    [
        ({"leading": (-4, 4, 4)}, ValueError, "lda: from 0 to 2147483647, not -4"),
        ({"leading": (4, 4, 3)}, ValueError, "ldc: at least 4 elements"),
        ({"strides": ((2, 16, -1),)}, ValueError, "strides: the distances of b are from 0"),
        ({"strides": ((2, 16),)}, ValueError, "strides:"),
        ({"leading": (4.0, 4, 4)}, TypeError, "lda: a positive integer, not 4.0"),
        ({"leading": (4, 4)}, ValueError, "not enough values"),
        ({"batch": 2**62}, ValueError, "batch: a count from 0 to"),
        ({"batch": -1}, ValueError, "batch: a count from 0 to"),
        ({"m": 0}, ValueError, "m: from 1 to"),
        ({"m": 2**40}, ValueError, "m: from 1 to"),
        ({"m": True}, TypeError, "m: a positive integer"),
        ({"dtypes": ("f32", "f32", "f64")}, ts.UnsupportedError, "brgemm supports"),
        ({"order": "CCC"}, ValueError, "order"),
        ({"order": ("C", "C", "X")}, ValueError, "order of c"),
        ({"groups": (3, 1)}, ValueError, "not 'vnni3'"),
        ({"alpha": float("nan")}, ValueError, "alpha: a finite number"),
        ({"numerics": "tiled"}, ValueError, "numerics"),
        ({"tiles": "held"}, ValueError, "tiles"),
    ],
)
def test_a_product(fields, error, text):
    spec = dataclasses.replace(ts.gemm_spec(4, 4, 4), **fields)
    for check in (loaded, ts.supported, requested):
        if check is ts.supported and issubclass(error, ts.UnsupportedError):
            assert text in check(spec)
            continue
        with pytest.raises(error, match=text):
            check(spec)


HOSTILE = [None, -1, 0, 1 << 62, True, 2.5, "", "f32", "no such", (), (-4, 4, 4), [], object(), np.zeros(3), {}]


def spoiled(spec):
    """Yield the request with one field replaced, or with one part of a program, a tuple or an inner request
    replaced."""
    for each in dataclasses.fields(spec):
        value = getattr(spec, each.name)
        yield from (dataclasses.replace(spec, **{each.name: other}) for other in HOSTILE)
        if each.name == "request":
            yield from (dataclasses.replace(spec, request=other) for other in spoiled(value))
        elif isinstance(value, Program):
            changed = (dataclasses.replace(value, **part) for part in _programs(value))
            yield from (dataclasses.replace(spec, **{each.name: other}) for other in changed)
        elif isinstance(value, tuple):
            parts = ((*value[:i], part, *value[i + 1 :]) for i, old in enumerate(value) for part in _parts(old))
            yield from (dataclasses.replace(spec, **{each.name: other}) for other in parts)


def _parts(old):
    yield from HOSTILE
    if hasattr(old, "_replace"):
        yield from (old._replace(**{name: other}) for name in old._fields for other in (*HOSTILE, View("C", -1)))


def _programs(value):
    yield from ({"outputs": outputs} for outputs in ((), (99,), (-1,), (0, 0), None, (True,)))
    for i, step in enumerate(value.steps[:6]):
        for name in step._fields:
            for other in (
                None,
                -1,
                99,
                (99,),
                (-1,),
                (0, 0, 0),
                "f64",
                "i32",
                "lookup",
                "shl",
                "@seed.7",
                "@row",
                ("exp",),
            ):
                yield {"steps": (*value.steps[:i], step._replace(**{name: other}), *value.steps[i + 1 :])}


@pytest.mark.parametrize("held", KERNELS, ids=lambda each: each.name)
@pytest.mark.grid(8)
def test_spoiled_requests(held):
    """A loaded request is refused with a TypeError or ValueError, or it equals a request that a public function
    makes."""
    refused = 0
    for spec in spoiled(held.spec):
        try:
            found = requested(spec)
        except (TypeError, ValueError):
            refused += 1
        else:
            again = requested(found)
            assert repr(again) == repr(found) and found == again
    assert refused > 50


def test_requests_inside_others():
    """A request inside another one is of a class that the outer one has, or the outer one is refused."""
    first = {type(each.spec): each.spec for each in KERNELS}
    for outer in (each for each in first.values() if hasattr(each, "request")):
        for inner in first.values():
            spec = dataclasses.replace(outer, request=inner)
            try:
                found = requested(spec)
            except (TypeError, ValueError):
                continue
            assert found == spec and ts.supported(found) is True


def test_programs():
    """Programs with steps that no operator produces are refused."""
    x, mul = Step("input", "f32", (), "x"), Step("mul", "f32", (0, 0))
    spec = ts.equation(lambda x: x * x, x=(4, 4)).spec
    assert spec.program == Program((x, mul), (1,))
    for steps, outputs, error in (
        ((x, mul._replace(args=(0,))), (1,), ValueError),
        ((x, mul._replace(args=(0, 1))), (1,), ValueError),
        ((x, mul._replace(op="system")), (1,), ValueError),
        ((x, mul._replace(dtype="f64")), (1,), ValueError),
        ((x, Step("shl", "f32", (0,), 3)), (1,), expr.ExpressionTypeError),
        ((x, Step("const", "f32", (), 1 << 40)), (1,), ValueError),
        ((x, Step("call", "f32", (0,), ("system",))), (1,), ValueError),
        ((x._replace(value="z"), mul), (1,), ValueError),
        ((x, mul), (2,), ValueError),
        ((x, mul), (-1,), ValueError),
    ):
        wrong = dataclasses.replace(spec, program=Program(steps, outputs))
        for check in (loaded, ts.supported):
            with pytest.raises(error):
                check(wrong)


def test_what_is_no_request():
    for spec in (None, 5, "brgemm", object(), ts.GemmSpec):
        with pytest.raises(TypeError, match="request"):
            loaded(spec)
    with pytest.raises(TypeError, match="release_gil"):
        loaded(ts.gemm_spec(4, 4, 4), None, 1)
    with pytest.raises(ValueError, match="target: one of"):
        loaded(ts.gemm_spec(4, 4, 4), "z80")


def test_a_handle():
    handle = ts.dispatch(ts.brgemm, beta=0)
    for fixed, error in (({"beta": "x"}, TypeError), ({"lda": -4}, ValueError), ({"order": "X"}, ValueError)):
        handle.fixed = fixed
        text = pickle.dumps(handle)
        with pytest.raises(error):
            pickle.loads(text)


def test_cached_properties_of_a_pickle_are_ignored():
    """A cached property in a pickle is ignored, although it would decide where a call may write."""
    spec = dataclasses.replace(ts.unary("identity", 4, 4, ldy=8).spec)
    assert spec.in_place == ()
    spec.__dict__["in_place"] = ("x",)
    assert requested(pickle.loads(pickle.dumps(spec))).in_place == ()
