"""Products by bit masks and non-zeros have the bits of the products by the dense weights, and read nothing else."""

import ctypes
import pickle

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import address, both_sides, guarded, run_forked
from tilesmith.microkernels.compressed.unmask_spec import unmask_spec
from tilesmith.runtime.kernel.callable import kept

TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "u8": np.uint8}
HERE = (None, "avx2") if ts.host().arch == "x86" else (None,)
"""Targets whose code this processor executes. AVX2 expands bit by bit."""
PRODUCTS = [("f32",) * 3, ("bf16", "bf16", "f32"), ("bf16",) * 3, ("i8", "i8", "i32"), ("u8", "i8", "i32")]
rng = np.random.default_rng(31)


def array(shape, dtype, draw=rng):
    if dtype in ("i8", "u8"):
        return draw.integers(1, 100, shape).astype(TYPES[dtype])
    return draw.standard_normal(shape).astype(TYPES[dtype])


def weights(k, n, dtype, density, seed=0):
    """Return weights with empty rows and columns, full ones, and others of a density."""
    draw = np.random.default_rng(seed)
    bits = draw.random((k, n)) < density
    bits[draw.random(k) < 0.2] = False
    bits[draw.random(k) < 0.2] = True
    bits[:, draw.random(n) < 0.1] = False
    return np.where(bits, array((k, n), dtype, draw), TYPES[dtype](0))


@given(
    m=st.sampled_from([1, 2, 3, 5, 16, 33, 70]),
    n=st.integers(1, 200),
    k=st.integers(1, 300),
    density=st.sampled_from([0, 0.1, 0.5, 1]),
    types=st.sampled_from(PRODUCTS),
    how=st.sampled_from(["matmul", "gemm", "linear"]),
    threads=st.sampled_from([1, 2, 3]),
    target=st.sampled_from(HERE),
)
@settings(max_examples=4)
def test_bits_are_those_of_the_dense_product(m, n, k, density, types, how, threads, target):
    _, of, out = types
    a, dense = array((m, k), types[0]), weights(k, n, of, density, seed=m + n + k)
    made = ts.compressed(dense, "bitmask")
    assert np.array_equal(made.dense(), dense)
    if how == "matmul":
        found, expected = (ts.matmul(a, b, dtype=out, threads=threads) for b in (made, dense))
    elif how == "gemm" or of == "i8":
        product = ts.gemm(m, n, k, dtype=types, beta=0, target=target)
        found, expected = (product(a, b, threads=threads) for b in (made, dense))
    else:
        layer = ts.linear(m, n, k, dtype=types, activation=ts.relu)
        bias = array(n, out)
        found, expected = (layer(a, b, bias, threads=threads) for b in (made, layer.pack(dense)))
    assert np.array_equal(found.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("target", ["avx2", "avx512", "avx10_2", "sse", "neon", "neon_bf16", "sve256"])
@pytest.mark.grid(1)
@pytest.mark.parametrize("types", [PRODUCTS[0], PRODUCTS[1], PRODUCTS[4]])
def test_targets_in_the_emulator(target, types):
    m, n, k = 1, 19, 11
    dense, a = weights(k, n, types[1], 0.5), array((m, k), types[0])
    product, made = ts.gemm(m, n, k, dtype=types, beta=0, target=target), ts.compressed(dense, "bitmask")
    found, expected = (product.run(a, b, workers=2) for b in (made, dense))
    assert np.array_equal(found.view(np.uint8), expected.view(np.uint8))
    one = ts.brgemm(m, n, k, dtype=types, beta=0, target=target)  # it reads rows as they are
    found, expected = product.by_weights(made.form, True).run(a, made), one.run(a, dense)
    assert np.array_equal(found.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize(("m", "n", "k"), [(200, 520, 300), (8, 64, 20000)])
def test_blocks_that_workers_share_and_parts_of_k(m, n, k):
    dense, a = weights(k, n, "f32", 0.3), array((m, k), "f32")
    made, product = ts.compressed(dense, "bitmask"), ts.gemm(m, n, k, beta=0, target=HERE[-1])
    assert product.by_weights(made.form).whole == (k == 20000) or ts.host().arch != "x86"
    for threads in (1, 2, 3):
        assert np.array_equal(product(a, made, threads=threads), product(a, dense))


def expanded(masks, nonzeros, rows, columns, group):
    """Return the rows from the definition: groups of rows, of each the columns, of each the rows."""
    bits = np.unpackbits(masks, bitorder="little").astype(bool)
    stored = np.zeros(bits.size, nonzeros.dtype)
    stored[bits] = nonzeros
    return stored.reshape(-1, 64, group).transpose(0, 2, 1).reshape(-1, 64)[:rows, :columns]


def at_the_ends_of_memory(side):
    for dtype, group in (("f32", 1), ("bf16", 2), ("i8", 4)):
        for rows, columns, packed, out in (
            (7, 64, True, dtype),
            (8, 37, True, dtype),
            (7, 37, False, dtype),
            (5, 3, False, "f32" if dtype == "bf16" else dtype),
        ):
            lines = -(-rows // group)
            bits = np.zeros((lines, 64, group), bool)
            bits[:, :columns] = rng.random((lines, columns, group)) < 0.5
            bits[-1, :, rows - (lines - 1) * group :] = False
            bits[-1, columns - 1, 0] = True
            masks = guarded(np.packbits(bits, bitorder="little").reshape(-1, 8), side, writable=False)
            nonzeros = guarded(array((1, np.count_nonzero(bits)), dtype), side, writable=False)
            expected = expanded(masks, nonzeros[0], rows, columns, group).astype(TYPES[out])
            if packed:
                whole = np.zeros((lines * group, columns), TYPES[out])
                whole[:rows] = expected
                expected = whole.reshape(lines, group, columns).transpose(0, 2, 1).reshape(lines, -1)
            for target in HERE:
                spec = unmask_spec(dtype, out, rows, columns, packed, expected.shape[1])
                kernel = kept(spec, ts.gemm(1, 1, 1, target=target).target)
                y = guarded(np.full(expected.shape, 1, TYPES[out]), side)
                call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel.address)
                call(*(address(each) for each in (masks, nonzeros, y)))
                assert np.array_equal(y, expected), (dtype, rows, columns, packed, target)


@both_sides
def test_no_more_nonzeros_are_read_than_bits_are_set(side):
    assert run_forked(lambda: at_the_ends_of_memory(side)) == 0


def products_at_the_ends_of_memory(side):
    for types in PRODUCTS:
        dense = weights(67, 70, types[1], 0.5)
        made = ts.compressed(dense, "bitmask")
        held = type(made)(made.form, guarded(made.data, side, writable=False))
        a = guarded(array((2, 67), types[0]), side, writable=False)
        for target in HERE:
            product = ts.gemm(2, 70, 67, dtype=types, beta=0, target=target)
            assert np.array_equal(product(a, held), product(a, dense))


@both_sides
def test_nothing_beside_the_weights_is_touched(side):
    assert run_forked(lambda: products_at_the_ends_of_memory(side)) == 0


def test_weights_are_immutable_and_pickled():
    dense = weights(77, 70, "bf16", 0.5)
    dense[3, 4], dense[5, 6] = -0.0, np.nan
    made = ts.compressed(dense, "bitmask")
    again = pickle.loads(pickle.dumps(made))
    assert again.form == made.form
    assert np.array_equal(again.data, made.data)
    assert np.array_equal(made.mask, dense != 0)
    assert not np.signbit(made.dense()[3, 4])
    assert np.isnan(made.dense("f32")[5, 6])
    assert made.nbytes == made.data.nbytes == 2 * 128 * 9 + np.count_nonzero(dense) * 2
    with pytest.raises(AttributeError, match="not changed"):
        made.data = None
    with pytest.raises(ValueError, match="read-only"):
        made.data[0] = 1
    assert "bitmask, 77 x 70 of bf16" in repr(made)


def test_given_masks():
    dense = weights(30, 43, "i8", 0.5)
    bits = dense != 0
    for mask in (bits, np.packbits(bits, axis=1, bitorder="little")):
        made = ts.compressed.from_bitmask(mask, dense[bits], k=30, n=43)
        assert np.array_equal(made.data, ts.compressed(dense, "bitmask").data)


def test_lies_and_what_is_refused():
    bits = rng.random((30, 43)) < 0.5
    packed, values = np.packbits(bits, axis=1, bitorder="little"), np.ones(np.count_nonzero(bits), np.float32)
    beyond = packed.copy()
    beyond[7, -1] |= 128
    made = ts.compressed.from_bitmask(bits, values, k=30, n=43)
    again, (form, stored, nonzeros) = made.__reduce__()
    outside = stored.copy()
    outside[-1] |= 128
    read = ts.compressed.from_bitmask
    x = np.ones((2, 30), np.float32)
    for error, match, call in (
        (ValueError, "as many as bits", lambda: read(bits, values[:-1], k=30, n=43)),
        (ValueError, "as many as bits", lambda: read(packed, np.append(values, 1), k=30, n=43)),
        (ValueError, "beyond the 43", lambda: read(beyond, np.append(values, 1), k=30, n=43)),
        (ValueError, "mask", lambda: read(packed, values, k=30, n=50)),
        (ValueError, "mask", lambda: read(bits, values, k=29, n=43)),
        (ts.UnsupportedError, "convert", lambda: read(bits, values.astype(np.float64), k=30, n=43)),
        (ValueError, "as many non-zeros", lambda: again(form, stored, nonzeros[:-4])),
        (ValueError, "as many non-zeros", lambda: again(form, outside, np.append(nonzeros, np.zeros(4, np.uint8)))),
        (ValueError, "masks of", lambda: again((30, 107, "f32"), stored, nonzeros)),
        (TypeError, "as they are", lambda: ts.compressed(x, "bitmask", scale=1.0)),
        (ts.UnsupportedError, "type of the weights", lambda: ts.matmul(x.astype(ml_dtypes.bfloat16), made)),
        (ValueError, "elements", lambda: ts.compressed(np.ones((0, 8), np.float32), "bitmask")),
    ):
        with pytest.raises(error, match=match):
            call()
