"""Errors that new users met and that did not say what was wrong, or what to write."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.emulation.assembled import AVX2, assembled, fault_of
from tilesmith.runtime.cli.main import main


def test_numbers_in_the_place_of_a_mask():
    with pytest.raises(TypeError, match="write x != 0 to make a mask"):
        ts.equation(lambda mask: ts.select(mask, 1.0, 0.0), mask=(4, 4))
    x = np.array([[0, 2, 0, -1]], np.float32)
    assert np.array_equal(ts.equation(lambda mask: ts.select(mask != 0, 1.0, 0.0), mask=(1, 4))(x), x != 0)


def test_the_truth_value_of_a_mask():
    with pytest.raises(TypeError, match=r"& and \| and ~ instead of and, or, not"):
        ts.equation(lambda x: ts.select(not (x > 0), 1.0, 0.0), x=(1, 4))
    x = np.array([[0, 2, 0, -1]], np.float32)
    assert np.array_equal(ts.equation(lambda x: ts.select(~(x > 0), 1.0, 0.0), x=(1, 4))(x), ~(x > 0))


def _nest(number):
    drop = ts.unary("dropout", 4, 8, rate=0.5, origin=ts.RUNTIME)

    def body(i, seed, x, y):
        drop(*number(i, seed, x[i.b], y[i.b]))

    shape = (6, 4, 8), "f32"
    return ts.nest("b", loops={"b": (0, 6, 1)}, body=body, seed=ts.RUNTIME, x=shape, y=shape)


def test_numbers_of_the_call_in_nests():
    """A number on the right of an index, differences, and what cannot be."""
    x = np.ones((6, 4, 8), np.float32)
    made = [
        _nest(each)
        for each in (
            lambda i, seed, x, y: (x, seed + i.b, 4 * i.b, 0, y),
            lambda i, seed, x, y: (x, i.b + seed, 4 * i.b, 0, y),
            lambda i, seed, x, y: (x, seed + 1 + i.b - 1, 4 * i.b, 0, y),
        )
    ]
    outs = [np.zeros_like(x) for _ in made]
    for nest, out in zip(made, outs):
        nest(5, x, out)
    assert outs[0].any() and all(np.array_equal(outs[0], each) for each in outs[1:])
    with pytest.raises(TypeError, match="can only be added to"):
        _nest(lambda i, seed, x, y: (x, 2 * seed, 4 * i.b, 0, y))
    with pytest.raises(TypeError, match="row of ts_dropout.*: a whole number or an index of the nest, not a block"):
        _nest(lambda i, seed, x, y: (x, seed, y, 4 * i.b, 0))


def test_numbers_beyond_64_bits():
    x = np.ones((2, 2), np.float32)
    with pytest.raises(ValueError, match="from -9223372036854775808 to 9223372036854775807"):
        ts.brgemm(2, 2, 2, batch=ts.STRIDE)(x, x, x.copy(), 1, 2**63, 0)


def test_counters_are_no_clocks():
    assert "counter of the processor" in fault_of(assembled(AVX2, lambda a: a.rdpmc()), AVX2).reason
    assert "steps" not in fault_of(assembled(AVX2, lambda a: a.rdtsc()), AVX2).reason


def test_the_command_line(tmp_path, capsys):
    (tmp_path / "empty.bin").write_bytes(b"")
    assert main(["disasm", str(tmp_path / "empty.bin")]) == 2 and "it is empty" in capsys.readouterr().err
    for command in (["elf", "-o", str(tmp_path / "k.o")], ["asm"]):
        wrong = [command[0], "unary", "relu", "4", "4", *command[1:], "--name", "a-b"]
        assert main(wrong) == 2 and "--name: letters" in capsys.readouterr().err


def test_plans_of_products_are_one_line():
    plan = ts.gemm(300, 300, 300).plan
    assert repr(plan) == f"<Blocks: {plan}>"
