"""Readers of other programs' formats, against packers written from the formats' definitions, a code at a time."""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

rng = np.random.default_rng(5)
K, N, GROUP = 64, 24, 32


def dequantised(codes, scale, zero):
    """scale * (code - zero) in f64, one by one."""
    made = np.zeros(codes.shape)
    for r, c in np.ndindex(codes.shape):
        made[r, c] = np.float64(scale[r // GROUP, c]) * (int(codes[r, c]) - int(zero[r // GROUP, c]))
    return made


def quantities():
    codes = rng.integers(0, 16, (K, N))
    zero = rng.integers(1, 16, (K // GROUP, N))
    scale = (rng.random((K // GROUP, N)) / 16 + 0.01).astype(np.float16)
    return codes, scale, zero


@pytest.mark.parametrize("version", [1, 2])
def test_gptq(version):
    codes, scale, zero = quantities()
    qweight, qzeros = np.zeros((K // 8, N), np.uint32), np.zeros((K // GROUP, N // 8), np.uint32)
    for r in range(K):
        for c in range(N):
            qweight[r // 8, c] |= np.uint32(int(codes[r, c]) << 4 * (r % 8))
    for g in range(K // GROUP):
        for c in range(N):
            qzeros[g, c // 8] |= np.uint32((int(zero[g, c]) - (version == 1)) << 4 * (c % 8))
    w = ts.compressed.from_gptq(qweight.view(np.int32), qzeros.view(np.int32), scale, version=version)
    assert np.array_equal(w.dense("f32"), dequantised(codes, scale, zero).astype(np.float32))
    with pytest.raises(ts.UnsupportedError, match="argsort"):
        ts.compressed.from_gptq(qweight, qzeros, scale, g_idx=np.arange(K) % 2)


def test_awq():
    codes, scale, zero = quantities()

    def packed(values):
        words = np.zeros((len(values), N // 8), np.uint32)
        for row, column in np.ndindex(values.shape):
            bits = (0, 4, 1, 5, 2, 6, 3, 7)[column % 8] * 4  # the place of a column: the inverse of 0, 2, 4, 6, 1...
            words[row, column // 8] |= np.uint32(int(values[row, column]) << bits)
        return words.view(np.int32)

    w = ts.compressed.from_awq(packed(codes), packed(zero), scale)
    assert np.array_equal(w.dense("f32"), dequantised(codes, scale, zero).astype(np.float32))


def test_torchao():
    signed = rng.integers(-8, 8, (N, K))
    scale, zero = (rng.standard_normal((K // GROUP, N)).astype(ml_dtypes.bfloat16) for _ in "sz")
    scales, zeros = (np.repeat(each.astype(np.float64), GROUP, 0) for each in (scale, zero))
    expected = (signed.T * scales + zeros).astype(np.float32)  # exact in f64
    qdata = np.array([[(row[2 * j] & 15) | (row[2 * j + 1] & 15) << 4 for j in range(K // 2)] for row in signed])
    by_bytes = ts.compressed.from_torchao(qdata.astype(np.uint8), scale, zero)
    by_words = ts.compressed.from_torchao((signed + 8).astype(np.int32), np.stack((scale, zero), 2))
    for w in (by_bytes, by_words):
        assert w.form.scale == "bf16"
        assert np.array_equal(w.dense("f32"), expected)


@pytest.mark.parametrize("zeros", [None, "packed", "whole floats", "floats"])
@pytest.mark.parametrize("bits", [4, 8])
def test_onnx(bits, zeros):
    k, blocks, most = 80, 3, 1 << bits  # the last block is short
    codes = rng.integers(0, most, (N, blocks * 32))
    scale = rng.random((N, blocks)).astype(np.float32)
    b = np.zeros((N, blocks, 32 * bits // 8), np.uint8)
    for row, column in np.ndindex(codes.shape):
        block, inside = divmod(column, 32)
        b[row, block, inside * bits // 8] |= np.uint8(int(codes[row, column]) << (inside * bits % 8))
    points = np.full((N, blocks), most // 2) if zeros is None else rng.integers(0, most, (N, blocks))
    given = None
    if zeros == "packed":
        given = np.zeros((N, -(-blocks * bits // 8)), np.uint8)
        for row, block in np.ndindex(points.shape):
            given[row, block * bits // 8] |= np.uint8(int(points[row, block]) << (block * bits % 8))
    elif zeros:
        points = points + 0.5 * (zeros == "floats")
        given = points.astype(np.float32)
    w = ts.compressed.from_onnx(b, scale, given, k=k, n=N, bits=bits)
    exact = np.array(
        [[(codes[c, r] - points[c, r // 32]) * np.float64(scale[c, r // 32]) for c in range(N)] for r in range(k)]
    )
    if zeros == "floats":  # their offset is rounded
        assert np.allclose(w.dense("f32"), exact, rtol=1e-6, atol=1e-4)
    else:
        assert np.array_equal(w.dense("f32"), exact.astype(np.float32))


def test_q4_0_and_q8_0():
    scale = rng.random((N, K // 32)).astype(np.float16)
    four, eight = rng.integers(0, 16, (N, K)), rng.integers(-128, 128, (N, K))
    of_four, of_eight = b"", b""
    for row in range(N):
        for block in range(K // 32):
            values, d = four[row, block * 32 :][:32], scale[row, block].tobytes()
            of_four += d + bytes(int(values[i]) | int(values[i + 16]) << 4 for i in range(16))
            of_eight += d + eight[row, block * 32 :][:32].astype(np.int8).tobytes()
    scales = np.repeat(scale.astype(np.float64), 32, 1)
    for data, kind, whole in ((of_four, "Q4_0", four - 8), (of_eight, "Q8_0", eight)):
        w = ts.compressed.from_gguf(data, kind, k=K, n=N)
        assert w.form.scale == "f16"
        assert np.array_equal(w.dense("f32"), (whole * scales).T.astype(np.float32))
    with pytest.raises(ValueError, match="bytes of"):
        ts.compressed.from_gguf(of_four[:-1], "Q4_0", k=K, n=N)
    with pytest.raises(ts.UnsupportedError, match="Q4_K"):
        ts.compressed.from_gguf(of_four, "Q2_K", k=K, n=N)


def test_q4_k():
    n, k = 3, 512
    data, expected = b"", np.zeros((n, k))
    for row in range(n):
        for block in range(k // 256):
            d, least = rng.random(2).astype(np.float16)
            scales, minima = rng.integers(0, 64, 8), rng.integers(0, 64, 8)
            codes = rng.integers(0, 16, 256)
            six = [0] * 12  # get_scale_min_k4 of ggml-quants.c, inverted
            for j in range(4):
                six[j] = int(scales[j]) | int(scales[j + 4]) >> 4 << 6
                six[j + 4] = int(minima[j]) | int(minima[j + 4]) >> 4 << 6
                six[j + 8] = int(scales[j + 4]) & 15 | (int(minima[j + 4]) & 15) << 4
            halves = bytes(
                int(codes[64 * part + i]) | int(codes[64 * part + 32 + i]) << 4 for part in range(4) for i in range(32)
            )
            data += d.tobytes() + least.tobytes() + bytes(six) + halves
            for i, code in enumerate(codes):
                scale, minimum = np.float64(d) * scales[i // 32], np.float64(least) * minima[i // 32]
                expected[row, 256 * block + i] = scale * code - minimum
    exact = ts.compressed.from_gguf(data, "Q4_K", k=k, n=n, kept="f32")
    assert np.array_equal(exact.dense("f32"), expected.T.astype(np.float32))
    rounded = ts.compressed.from_gguf(data, "Q4_K", k=k, n=n)
    assert abs(rounded.dense("f32") - expected.T).max() < 0.6
