"""Arguments of kernels that take matrices and numbers, tested with a kind of kernel made for it: y = x by rows."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.choice import Pipeline, Plan
from tilesmith.microkernels.contract.machine import Facts, Machine
from tilesmith.microkernels.gemm.spec import GemmSpec
from tilesmith.microkernels.operands import RUNTIME, Interface, Number, Operand, View, aliasing_of, dense, parameters
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel import kinds
from tilesmith.runtime.kernel.callable import kernel
from tilesmith.runtime.kernel.kind import ARRAYS


@dataclass(frozen=True)
class CopySpec:
    rows: int
    columns: int
    order: str = "C"
    ldx: object = None
    ldy: object = None
    numbers: tuple[Number, ...] = ()
    in_place: tuple[str, ...] = ("x",)
    dtype: str = "f32"

    @property
    def arguments(self):
        least = dense(self.order, self.rows, self.columns)
        x, y = (View(self.order, least if given is None else given) for given in (self.ldx, self.ldy))
        return (
            Operand("x", self.rows, self.columns, x, self.dtype),
            *self.numbers,
            Operand("y", self.rows, self.columns, y, self.dtype, output=True),
        )

    @property
    def interface(self):
        return Interface(self.arguments, aliasing=aliasing_of(self.arguments, self.in_place))

    @property
    def stem(self):
        return f"copy_{self.dtype}_{self.rows}x{self.columns}"

    def again(self):
        return dataclasses.replace(self)

    equation = "y = x"
    flops = 0


@dataclass(frozen=True)
class CopyPlan(Plan):
    spec: CopySpec
    facts: Facts
    cycles: float = 1.0


def emit(m: Machine, plan: CopyPlan) -> None:
    """Copy every line with whole and partial vectors. Runtime leading dimensions are in elements of 4 bytes."""
    spec = plan.spec
    x, y = (each for each in spec.arguments if isinstance(each, Operand))
    length = dense(spec.order, spec.rows, spec.columns)
    lines = spec.columns if spec.order == "F" else spec.rows
    m.enter(4)
    places = m.arguments(len(parameters(spec.arguments)))
    leading = iter(places[len(spec.arguments) :])
    steps = []
    for operand in (x, y):
        step = next(leading) if operand.view.leading is RUNTIME else operand.view.leading * 4
        if operand.view.leading is RUNTIME:
            m.shift_left(step, 2)
        steps.append(step)
    source, target = places[0], places[len(spec.arguments) - 1]
    whole = plan.facts.widths[0] // 32
    with m.predicates(), m.vectors(1, "x") as (register,), m.loop(m.counter("lines"), lines):
        for start in range(0, length, whole):
            lanes = m.lanes("f32", min(whole, length - start))
            m.load(register, m.at(source, 4 * start), lanes)
            m.store(m.at(target, 4 * start), register, lanes)
        m.advance(source, steps[0])
        m.advance(target, steps[1])
    m.leave()


COPY = Pipeline(lambda spec, facts: [CopyPlan(spec, facts)], {CopyPlan: emit})


@pytest.fixture(autouse=True)
def _kind(monkeypatch):
    monkeypatch.setitem(kinds.KINDS, CopySpec, ARRAYS._replace(pipeline=lambda: COPY))


def make(*args, **kwargs):
    return kernel(CopySpec(*args, **kwargs), host.host())


def matrix(rows, columns, order="C", leading=None):
    least = dense(order, rows, columns)
    shape = (rows, leading or least) if order == "C" else (leading or least, columns)
    whole = np.arange(np.prod(shape), dtype=np.float32).reshape(shape, order=order)
    return whole[:rows, :columns]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("ldx", "ldy"), [(None, None), (9, 11), (RUNTIME, None), (None, RUNTIME), (RUNTIME, RUNTIME)])
def test_strides_are_those_of_the_request(order, ldx, ldy):
    k = make(5, 7, order, ldx, ldy)
    x = matrix(5, 7, order, 13 if ldx is RUNTIME else ldx)
    y = matrix(5, 7, order, 12 if ldy is RUNTIME else ldy)
    y[:] = 0
    assert k(x, y) is None
    np.testing.assert_array_equal(x, y)
    if ldx is None:
        with pytest.raises(ValueError, match="x: strides"):
            k(matrix(5, 7, order, 20), y)


def test_the_output_may_be_left_out():
    k = make(5, 7)
    x = matrix(5, 7)
    for made in (k(x), k(x, None)):
        assert made.dtype == np.float32 and made is not x
        np.testing.assert_array_equal(made, x)
    assert k(matrix(5, 7, "C")).flags.c_contiguous
    assert make(5, 7, "F")(matrix(5, 7, "F")).flags.f_contiguous


def test_numbers_are_checked():
    k = make(5, 7, numbers=(Number("seed"), Number("offset", -3)))
    x = matrix(5, 7)
    np.testing.assert_array_equal(k(x, 3, -3), x)
    np.testing.assert_array_equal(k(x, 1 << 40, 0), x)  # more than one digit of a Python int
    np.testing.assert_array_equal(k(x, np.int32(3), -3), x)
    for wrong, error, text in [
        ((-1, 0), ValueError, "seed: 0 or more, not -1"),
        ((0, -4), ValueError, "offset: -3 or more, not -4"),
        ((0.5, 0), TypeError, "seed: an integer, not 0.5"),
        ((True, 0), TypeError, "seed: an integer, not True"),
        ((0, 1 << 63), ValueError, "offset: an integer from -9223372036854775808 to "),
    ]:
        with pytest.raises(error, match=text):
            k(x, *wrong)


def test_wrong_arguments_are_named():
    k, x, y = make(5, 7), matrix(5, 7), matrix(5, 7)
    read_only = y.copy()
    read_only.flags.writeable = False
    for wrong, error, text in [
        ((x[:4], y), ValueError, r"x: shape \(5, 7\), not \(4, 7\)"),
        ((x, y.astype("f8")), TypeError, "y: dtype float32 in native byte order, not float64"),
        ((x, read_only), ValueError, "y: a writable array"),
        ((x,) * 3, TypeError, r"takes 2 arguments \(x, y; y may be left out\), not 3"),
        ((x, [1, 2]), TypeError, "y: an array"),
    ]:
        for _ in range(3):  # the first call and later ones
            with pytest.raises(error, match=text):
                k(*wrong)
    with pytest.raises(TypeError, match="ldx: not an argument of this kernel; it takes x, y, out="):
        k(x, y, ldx=7)
    with pytest.raises(TypeError, match="oit: not an argument .* out=; did you mean out=?"):
        k(x, oit=y)


def test_in_place_only_exactly():
    store = np.arange(100, dtype=np.float32)
    x, shifted = store[:35].reshape(5, 7), store[1:36].reshape(5, 7)
    k = make(5, 7)
    k(x, x)
    with pytest.raises(ValueError, match="y: must not overlap x"):
        k(x, shifted)
    with pytest.raises(ValueError, match="y: must not overlap x"):
        make(5, 7, in_place=())(x, x)


def test_a_vector_is_one_dimensional():
    class VectorSpec(CopySpec):
        @property
        def arguments(self):
            return tuple(each._replace(vector=True) for each in super().arguments)

    kinds.KINDS[VectorSpec] = kinds.KINDS[CopySpec]
    try:
        k = kernel(VectorSpec(1, 7), host.host())
        x = np.arange(7, dtype=np.float32)
        np.testing.assert_array_equal(k(x), x)
        assert k(x).shape == (7,)
        with pytest.raises(ValueError, match=r"x: shape \(7,\), not \(1, 7\)"):
            k(x[None])
        with pytest.raises(ValueError, match="x: contiguous"):
            k(np.arange(14, dtype=np.float32)[::2])
    finally:
        del kinds.KINDS[VectorSpec]


def test_it_describes_itself():
    k = make(5, 7, ldx=RUNTIME, numbers=(Number("seed"),))
    assert str(inspect.signature(k)) == "(x, seed, y=None, /, *, ldx=None)"
    assert k.__doc__.splitlines()[2] == "y = x" and "seed   an integer of at least 0" in k.__doc__
    assert k.c_prototype.startswith("void ts_copy_f32_5x7_")
    assert k.c_prototype.endswith("(const float *x, int64_t seed, float *y, int64_t ldx);")
    assert pickle.loads(pickle.dumps(k)) is k


def test_requests_have_a_kind():
    with pytest.raises(TypeError, match="request: what ts.gemm_spec"):
        kernel("brgemm", host.host())  # type: ignore[arg-type]
    assert ts.brgemm(4, 4, 4).kind is kinds.KINDS[GemmSpec]
