"""Issues of a user of torch with quantized and bf16 inference, met on 2026-11-28: errors without a way out, tracebacks
through the package, and unaligned arrays."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.arguments import foreign_arrays

Array = np.ndarray[Any, Any]


def ones(*shape: int, dtype: Any = np.float32) -> Array:
    return np.ones(shape, dtype)


def unaligned(array: Array) -> Array:
    """Return a copy whose elements are not aligned."""
    made = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


class ByDlpack:
    """An array of another library."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def scaled(c: Any, z: Any) -> Any:
    return c * 2.0 + z


# Tracebacks


def frames(call: Callable[[], object]) -> int:
    """Return the number of frames of the package in the traceback of an error."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    files = [each.filename for each in traceback.extract_tb(caught.value.__traceback__)]
    return sum(file != __file__ and "_pytest" not in file for file in files)


def test_tracebacks_of_other_arrays_layers_and_large_products_show_the_callers_frames() -> None:
    product, layer, network = ts.brgemm(3, 4, 5, beta=0), ts.linear(3, 4, 5), ts.mlp(3, [5, 4])
    weights, wrong = layer.pack(ones(5, 4)), ones(7)
    assert frames(lambda: product(ByDlpack(ones(3, 6)), ones(5, 4))) == 1
    assert frames(lambda: layer(ones(3, 5), weights, wrong)) == 1
    assert frames(lambda: layer.pack(wrong)) == 1
    assert frames(lambda: network(ones(3, 5), [weights], [wrong])) == 1
    assert frames(lambda: network.pack([wrong])) <= 2  # of the network and of the layer
    assert frames(lambda: ts.gemm(3, 4, 5, beta=0)(ones(3, 6), ones(5, 4))) == 1
    assert frames(lambda: ts.spread(ts.unary("relu", 300, 4))(wrong)) <= 2


# Layers


def test_weights_of_a_linear_module_are_the_transpose() -> None:
    with pytest.raises(ValueError, match=r"pass weights\.T if they are \(n, k\), as those of torch\.nn\.Linear"):
        ts.linear(6, 3, 4).pack(ones(3, 4))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((2, 3, 4), r"x\.reshape\(6, 4\) has this shape"),
        ((5, 4), "a layer or network for 5 rows takes the same packed weights"),
        ((4, 6), r"not float32 of shape \(4, 6\)$"),  # as many elements, but a reshape would mix rows
    ],
)
def test_another_number_of_rows_names_the_way_out(shape: Any, words: str) -> None:
    layer = ts.linear(6, 3, 4)
    with pytest.raises(ValueError, match=words):
        layer(ones(*shape), layer.pack(ones(4, 3)), ones(3))


def test_requests_of_layers_name_what_works() -> None:
    with pytest.raises(ts.UnsupportedError, match="has n as rows, m=ts.RUNTIME"):
        ts.linear(3, ts.RUNTIME, 4)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"not of s as well; ts\.linear makes a layer whose calls take further operands"
    ):
        ts.mlp(6, [4, 3], activation=lambda c, s: c * s)
    with pytest.raises(ts.UnsupportedError, match=r"mlp: .*further results \(y1\)"):
        ts.mlp(6, [4, 3], last=lambda c: (c, c))
    net = ts.mlp(6, [4, 3])
    with pytest.raises(TypeError, match="biases: an array for each layer, not None for layer 1"):
        net(ones(6, 4), net.pack([ones(4, 3)]), [None])


def test_the_bias_of_bytes_is_f32_as_the_docstring_says() -> None:
    layer = ts.linear(2, 3, 4, dtype=("u8", "i8", "i8"))
    y = layer(ones(2, 4, dtype=np.uint8), layer.pack(ones(4, 3, dtype=np.int8)), ones(3) * 0.75)
    assert np.array_equal(y, np.full((2, 3), 5)), "4.75 is rounded to 5"
    assert "f32 if y is i8" in str(ts.linear.__doc__)


# Traced functions and names


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: ts.sum(x, dim=1), "'dim': write axis=1"),  # type: ignore[call-arg]
        (lambda x: ts.max(x, axis=1, keepdim=True), "'keepdim': leave it out"),  # type: ignore[call-arg]
        (lambda x: ts.softmax(x, dim=1), "write axis= instead"),
        (lambda x: x**x, "not an expression; for positive x"),
        (lambda x: ts.select(x, x, 0.0), "write x != 0 to make a mask of numbers"),
    ],
)
def test_words_of_torch_in_traced_functions(function: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        ts.equation(function, x=(3, 4))


def test_names_of_other_functions() -> None:
    with pytest.raises(ValueError, match=r'it is elementwise: ts\.unary\("gelu", m, n\)'):
        ts.fused("gelu", 3, 4)
    with pytest.raises(ValueError, match=r'softmax is a composite, not elementwise: ts\.fused\("softmax", m, n\)'):
        ts.unary("softmax", 3, 4)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="index= is the type of labels"):
        ts.fused("cross_entropy", 3, 4, dtype={"labels": "i64"})
    with pytest.raises(ValueError, match=r"'bool'; store masks as .*ts\.select\(m != 0, a, b\)"):
        ts.equation(lambda x, m: ts.select(m, x, 0.0), x=(3, 4), m=(3, 4), dtype={"x": "f32", "m": np.bool_})


def test_a_call_without_an_operand_of_the_epilogue_names_it() -> None:
    kernel = ts.brgemm(3, 4, 5, beta=0, epilogue=lambda c, s: c * s)
    with pytest.raises(TypeError, match=r"^this kernel takes a, b, c, s; s missing; c comes before s: pass None"):
        kernel(ones(3, 5), ones(5, 4))


# Arrays


def test_subclasses_of_tensors_and_masks_name_the_way_out() -> None:
    torch = pytest.importorskip("torch")
    subclass = type("Subclass", (torch.Tensor,), {})
    product = ts.brgemm(2, 2, 2, beta=0)
    with pytest.raises(TypeError, match=r"pass a\.as_subclass\(torch\.Tensor\)"):
        product(torch.ones(2, 2).as_subclass(subclass), torch.ones(2, 2))
    with pytest.raises(TypeError, match=r"a\.view\(torch\.uint8\) is its bytes"):
        product(torch.ones(2, 2, dtype=torch.bool), torch.ones(2, 2))


def test_the_fault_of_a_subclass_needs_no_torch() -> None:
    plain = type("Tensor", (), {})
    torch = SimpleNamespace(Tensor=plain, nn=SimpleNamespace(Parameter=type("Parameter", (plain,), {})))
    assert "a.as_subclass(torch.Tensor)" in foreign_arrays._fault(torch, "a", type("Sub", (plain,), {})())


@pytest.mark.parametrize("shape", [(5, 6, 7), (300, 17, 200)])
@pytest.mark.parametrize("which", range(3))
def test_matmul_copies_what_is_not_aligned_whatever_was_called_before(shape: Any, which: int) -> None:
    m, n, k = shape
    given = ones(m, k) * np.arange(1, k + 1, dtype=np.float32) % 8, ones(k, n), ones(m, n)
    wanted = given[0].astype("f8") @ given[1].astype("f8")
    for _ in range(3):  # remembered calls
        ts.matmul(given[0], given[1], out=given[2])
        ts.matmul(given[0], given[1])
    a, b, c = (unaligned(each) if number == which else each for number, each in enumerate(given))
    for _ in range(3):
        c[...] = 0
        assert np.array_equal(ts.matmul(a, b), wanted)
        assert np.array_equal(ts.matmul(a, b, out=c), wanted) and np.array_equal(c, wanted)


@pytest.mark.parametrize("shape", [(5, 6, 7), (300, 17, 200)])
def test_operands_of_epilogues_need_not_be_aligned(shape: Any) -> None:
    m, n, k = shape
    z = np.arange(n, dtype=np.float32)
    for bias in (z, z, unaligned(z), unaligned(z), unaligned(ones(m, n) * z)):
        assert np.array_equal(
            ts.matmul(ones(m, k), ones(k, n), epilogue=scaled, operands={"z": bias}), np.full((m, n), 2 * k) + z
        )


def test_unaligned_arrays_of_kernels_name_the_way_out() -> None:
    with pytest.raises(ValueError, match=r"; x\.copy\(\) aligns them$"):
        ts.unary("relu", 3, 4)(unaligned(ones(3, 4)))


def test_sums_of_int64_are_named() -> None:
    with pytest.raises(TypeError, match=r"operands: z must not be int64.*z\.to\(torch\.int32\)"):
        ts.matmul(
            ones(3, 4, dtype=np.uint8),
            ones(4, 5, dtype=np.int8),
            dtype="f32",
            epilogue=scaled,
            operands={"z": np.ones(5, np.int64)},
        )


def test_arrays_without_axes_are_operands_of_callables_for_many_shapes() -> None:
    scale = ts.dispatch(ts.equation, lambda x, g: x * g)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for _ in range(2):
        for two in (np.float32(2), np.array(2, np.float32), np.full((1, 1), 2, np.float32)):
            assert np.array_equal(scale(x, two), 2 * x)
    assert scale(np.array(3, np.float32), np.array(2, np.float32)) == 6
    with pytest.raises(TypeError, match=r"write np\.float32\(2\) for a number"):
        scale(x, 2.0)


def test_a_c_that_would_be_rounded_in_parts_names_both_ways_out() -> None:
    request = {"batch": 3, "beta": 0, "target": "amx"}
    with pytest.raises(ts.UnsupportedError, match="pass b in order 'C', or make a kernel whose c has .* f32$"):
        ts.brgemm(65, 200, 129, dtype=("bf16", "i8", "bf16"), order="CFC", **request)  # type: ignore[call-overload]
    for dtype, order in ((("bf16", "i8", "bf16"), "CCC"), (("bf16", "i8", "f32"), "CFC")):
        assert ts.brgemm(65, 200, 129, dtype=dtype, order=order, **request).plan  # type: ignore[call-overload]
