"""A packed C has the bits of the plain C of the same product and epilogue after packing by numpy, on every machine and
unit. Kernels are called natively between guard pages if this processor runs them, else emulated. The next product reads
the packed C."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import runs_here
from tests.profiles import scaled
from tests.transform_cases import packed
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
MACHINES = ("avx2", "avx512", "avx512_bf16", "amx", "neon", "neon_bf16", "sve256", "sme256")
TYPES: dict[str, Any] = {"bf16": "bf16", "f16": "f16", "u8": ("u8", "i8", "u8"), "i8": ("i8", "i8", "i8")}
EPILOGUES: dict[str, Any] = {
    "none": (None, {}),
    "bias": (lambda c, b: ts.relu(c + b), {"b": ("row", "f32")}),
    "shifted": (lambda c, s, r: ts.exp(c * 0.125) * s + r, {"s": ("col", "f32"), "r": (None, "f32")}),
}


def drawn(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return random operands of moderate magnitude."""
    to = np.dtype(numpy_dtype(dtype))
    return rng.integers(0, 100, shape).astype(to) if to.kind in "iu" else rng.standard_normal(shape).astype(to)


def layouts(dtype: str, order: str) -> list[str]:
    """Return the packed layouts that a C of this type and order may have."""
    size = np.dtype(numpy_dtype(dtype)).itemsize
    return [f"vnni{4 // size}", *([f"mmla2x{8 // size}", f"mmla2x{8 // size}t"] if order == "C" else [])]


@pytest.mark.parametrize("target", MACHINES)
@pytest.mark.grid(4)
def test_equal_to_the_plain_c(target: str) -> None:
    @settings(max_examples=scaled(3, 300))
    @given(st.data())
    def test(data: st.DataObject) -> None:
        extent = st.integers(1, 70) if runs_here(target) else st.sampled_from([1, 2, 7, 16, 19])
        m, n, k = (data.draw(extent) for _ in "mnk")
        name = data.draw(st.sampled_from(list(TYPES)))
        dtypes = (TYPES[name],) * 3 if isinstance(TYPES[name], str) else TYPES[name]
        order = data.draw(st.sampled_from(["CCC", "CCF", "FFF", "FCC"]))
        what = data.draw(st.sampled_from(list(EPILOGUES) if name in ("bf16", "f16") else ["bias", "shifted"]))
        layout = data.draw(st.sampled_from(layouts(dtypes[2], order[2])))
        epilogue, operands = EPILOGUES[what]
        batch = data.draw(st.sampled_from([None, 2]))
        request: dict[str, Any] = {
            "dtype": TYPES[name],
            "beta": 0,
            "order": order,
            "target": target,
            "batch": batch,
            "epilogue": epilogue or (lambda c: c),
            "operands": operands,
        }
        plain = ts.brgemm(m, n, k, **request)
        made = ts.brgemm(m, n, k, **{**request, "epilogue": epilogue}, c_layout=layout)
        rng = np.random.default_rng(data.draw(st.integers(0, 99)))
        pairs = (batch,) if batch else ()
        given_arrays = [
            np.asarray(drawn(each, (*pairs, *shape), rng), order="C") for each, shape in zip(dtypes, ((m, k), (k, n)))
        ]
        given_arrays = [
            each if letter == "C" else np.swapaxes(np.swapaxes(each, -1, -2).copy(), -1, -2)
            for each, letter in zip(given_arrays, order)
        ]
        shapes = {"b": (n,), "s": (m,), "r": (m, n)}
        extras = [drawn("f32", shapes[each], rng) for each in operands]
        extras = [np.asarray(each, order=order[2]) for each in extras]
        found, wanted = called(made, given_arrays, extras, target, data), plain.run(*given_arrays, None, *extras)
        wanted = np.ascontiguousarray(wanted if order[2] == "C" else wanted.T)
        wanted = packed(wanted.view(f"u{wanted.itemsize}"), layout)
        found = found if order[2] == "C" else found.transpose(1, 0, 2)
        assert np.array_equal(found.reshape(wanted.shape).view(wanted.dtype), wanted)

    test()


def called(kernel: Any, inputs: list[Array], extras: list[Array], target: str, data: st.DataObject) -> Array:
    """Return C of a call."""
    if not runs_here(target):
        return kernel.run(*inputs, None, *extras)
    side = data.draw(st.sampled_from(SIDES))
    operand = kernel.spec.operands[2]
    c = np.full((operand.rows, operand.columns, operand.group), 77, np.uint8).astype(numpy_dtype(operand.dtype))
    if operand.view.order == "F":
        c = np.ascontiguousarray(c.transpose(1, 0, 2)).transpose(1, 0, 2)
    held = [guarded(each, side, writable=False) for each in (*inputs, *extras)]
    c = guarded(c, side)
    kernel(*held[:2], c, *held[2:])
    check_canary(c)
    return c


@pytest.mark.parametrize("order", ["CCC", "FFF"])
def test_the_next_product_reads_it(order: str) -> None:
    """A packed C is the b of a row-major product or the a of a column-major one."""
    rng = np.random.default_rng(7)
    a, b, x = (np.asarray(drawn("bf16", shape, rng), order=order[0]) for shape in ((33, 20), (20, 17), (9, 33)))
    first = ts.brgemm(33, 17, 20, dtype="bf16", beta=0, order=order, c_layout="vnni")
    plain = ts.brgemm(33, 17, 20, dtype="bf16", beta=0, order=order, epilogue=lambda c: c)(a, b, None)
    made = first(a, b)
    assert first(a, b, made) is None and made.flags.writeable
    if order == "CCC":
        found = ts.brgemm(9, 17, 33, dtype="bf16", beta=0, b_layout="vnni")(x, made)
        wanted = ts.brgemm(9, 17, 33, dtype="bf16", beta=0)(x, plain)
    else:
        x = np.asarray(drawn("bf16", (17, 9), rng), order="F")
        found = ts.brgemm(33, 9, 17, dtype="bf16", beta=0, order=order, a_layout="vnni")(made, x)
        wanted = ts.brgemm(33, 9, 17, dtype="bf16", beta=0, order=order)(plain, x)
    assert np.array_equal(found.view(np.uint16), wanted.view(np.uint16))
    assert "vnni2" in first.__doc__ and pickle.loads(pickle.dumps(first)).spec == first.spec
    assert made.dtype == ml_dtypes.bfloat16


def test_refusals() -> None:
    for keywords, reason in (
        ({"dtype": "bf16"}, "beta=0"),
        ({"dtype": "f32", "beta": 0}, "a C of f32"),
        ({"dtype": "bf16", "beta": 0, "c_layout": "vnni4"}, '"vnni2"'),
        ({"dtype": "bf16", "beta": 0, "ldc": ts.RUNTIME}, "ldc"),
        ({"dtype": "bf16", "beta": 0, "stack": 3}, "stack="),
        ({"dtype": "bf16", "beta": 0, "order": "F", "c_layout": "mmla2x4"}, 'order "F"'),
    ):
        with pytest.raises(UnsupportedError, match=reason):
            ts.brgemm(8, 8, 8, **{"c_layout": "vnni", **keywords})
    with pytest.raises(UnsupportedError, match="use a smaller block"):
        ts.brgemm(256, 256, 8, dtype="bf16", beta=0, c_layout="vnni")
