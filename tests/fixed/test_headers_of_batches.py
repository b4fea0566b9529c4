"""Headers did not say what the parameters of a batch mean, nor in which unit strides and leading dimensions are."""

from __future__ import annotations

import inspect

import pytest

import tilesmith as ts


def header(tmp_path, kernel):
    kernel.save(tmp_path / "k.h")
    return (tmp_path / "k.h").read_text()


@pytest.mark.parametrize(
    "batch, wanted",
    [
        (ts.STRIDE, "A_i begins i * a_stride bytes behind a, B_i i * b_stride bytes behind b, for each i below count."),
        (
            ts.OFFSET,
            "A_i begins a_offsets[i] bytes behind the first element of a, B_i b_offsets[i] bytes behind that of b",
        ),
        (
            ts.ADDRESS,
            "the address of the first element of each A_i and B_i; in C they are a and b, with count addresses",
        ),
    ],
)
def test_batches(tmp_path, batch, wanted):
    for epilogue in (None, lambda c, bias: c + bias):
        kernel = ts.brgemm(4, 5, 3, batch=batch, beta=0, epilogue=epilogue, target="avx2")
        assert wanted in header(tmp_path, kernel)
        assert wanted in inspect.getdoc(kernel)


def test_strides_of_stacks(tmp_path):
    text = header(tmp_path, ts.brgemm(4, 5, 3, stack=ts.RUNTIME, lda=ts.RUNTIME, target="avx2"))
    assert "any multiple of the element size, in C in bytes" in text
    assert "lda   the leading dimension of a in elements" in text


@pytest.mark.parametrize(
    "make, name, unit",
    [
        (lambda: ts.brgemm(4, 5, 3, ldb=ts.RUNTIME, target="avx2"), "b", "elements"),
        (
            lambda: ts.brgemm(4, 5, 3, dtype="bf16", b_layout="vnni", ldb=ts.RUNTIME, target="avx2"),
            "b",
            "groups of 2 elements",
        ),
        (lambda: ts.brgemm(ts.RUNTIME, 5, 3, ldc=ts.RUNTIME, target="avx2"), "c", "elements"),
        (lambda: ts.unary("relu", 4, 5, ldy=ts.RUNTIME, target="avx2"), "y", "elements"),
    ],
)
def test_leading_dimensions(tmp_path, make, name, unit):
    text = header(tmp_path, make())
    assert f"ld{name}   the leading dimension of {name} in {unit}\n" in text or f"{name} in {unit} */" in text
