"""Small frictions of new users: usage lines in errors of the command line, a kind with another name than its function,
turns called seed in some emulators, nests without a plan, budgets in microseconds, objects whose repr raised."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.loops.contest import seconds_of


@pytest.mark.parametrize(
    "words",
    [
        "elf unary exp 4 5 --symbol x",
        "asm unary exp 4 five",
        "asm unary exp 4 5 --title x",
        "asm",
        "bench nothing",
        "nothing",
        "asm unary exp 4 5 --accuracy high",
        "",
    ],
)
def test_errors_of_the_command_line_are_one_line(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    out, err = capsys.readouterr()
    assert ended.value.code == 2 and not out
    assert err.startswith("tilesmith") and err.count("\n") == 1 and "--help lists" in err


def test_help_that_an_error_names(capsys):
    with pytest.raises(SystemExit):
        main(["elf", "unary", "exp", "4", "5"])
    told = capsys.readouterr().err.partition("(tilesmith ")[2].partition(" lists")[0]
    with pytest.raises(SystemExit) as ended:
        main(told.split())
    assert ended.value.code == 0 and "--output" in capsys.readouterr().out


def test_kinds_have_the_names_of_functions(capsys):
    texts = []
    for kind in ("bag", "embedding_bag"):
        assert main(["asm", kind, "4", "8", "--size", "9", "--count", "12", "--target", "avx2"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] and "embedding_bag" in texts[0]


def _nest():
    double = ts.equation(lambda x: x + x, x=(4, 8))
    shape = (6, 4, 8), "f32"
    return ts.nest("B", {"b": (0, 6, 1)}, lambda i, x, y: double(x[i.b], y[i.b]), x=shape, y=shape)


@pytest.mark.parametrize("word", ["turns", "seed"])
def test_turns_have_one_name(word):
    x = np.arange(16 * 16, dtype=np.float32).reshape(16, 16) % 7
    wanted = x @ x
    product, layer, net = ts.gemm(16, 16, 16, beta=0), ts.linear(16, 16, 16), ts.mlp(16, [16, 16])
    assert (product.run(x, x, workers=2, **{word: 3}) == wanted).all()
    assert (layer.run(x, x, x[0], workers=2, **{word: 3}) == wanted + x[0]).all()
    assert (net.run(x, [x], [x[0]], workers=2, **{word: 3}) == wanted + x[0]).all()
    spread = ts.spread(ts.equation(lambda x: x + x, x=(64, 8)))
    assert (spread.run(np.ones((64, 8), np.float32), workers=2, **{word: 3}) == 2).all()
    x, y = np.ones((6, 4, 8), np.float32), np.zeros((6, 4, 8), np.float32)
    _nest().run(x, y, workers=2, **{word: 3})
    assert (y == 2).all()


def test_a_seed_of_the_kernel_is_its_own():
    drop = ts.spread(ts.unary("dropout", 64, 8, rate=0.5))
    x = np.ones((64, 8), np.float32)
    by_place, by_name = drop.run(x, 5, turns=1), drop.run(x, seed=5, turns=2)
    assert np.array_equal(by_place, by_name) and not np.array_equal(by_place, drop.run(x, 6))


def test_unknown_words_of_run():
    x = np.ones((16, 16), np.float32)
    for op, args in ((ts.mlp(16, [16, 16]), (x, [x], [x[0]])), (ts.gemm(16, 16, 16), (x, x, x.copy()))):
        with pytest.raises(TypeError, match="sed"):
            op.run(*args, sed=1)


def test_plans_and_costs_of_loops():
    nest = _nest()
    assert str(nest.plan) == str(nest) and "for b0 from 0 below 6" in str(nest.plan)
    for op in (nest, ts.region(nest, nest), ts.gemm(16, 16, 16), ts.linear(16, 16, 16)):
        assert "FMA pipes" in op.costs() and "ymm" in op.registers() or "zmm" in op.registers()


@pytest.mark.parametrize("text, seconds", [("100us", 1e-4), ("2.5 ms", 2.5e-3), ("1h", 3600.0), (2, 2.0)])
def test_budgets(text, seconds):
    assert seconds_of(text) == pytest.approx(seconds)
    with pytest.raises(ValueError, match="units: us, ms, s, min, h"):
        seconds_of("3 days")


def test_the_type_of_c():
    """The advice is followed."""
    with pytest.raises(TypeError, match="the type of c is the last of dtype=") as raised:
        ts.brgemm(4, 4, 4, dtype="bf16", out="f32")
    told = eval(str(raised.value).partition("dtype=")[2])
    assert ts.brgemm(4, 4, 4, dtype=told).spec.dtypes == ("bf16", "bf16", "f32")


def test_every_kernel_has_a_repr():
    kept = [ts.brgemm(4, 4, 4), ts.dispatch(ts.brgemm), ts.matmul]
    ts.matmul(*np.ones((2, 4, 4), np.float32))
    found = [each for each in gc.get_objects() if issubclass(type(each), Kernel)]
    assert kept[0] in found and all(map(repr, found))
    inner = [each for each in found if not hasattr(each, "_origin")]  # what machine code calls for its errors
    assert all(str(each) and each._repr_html_() for each in (kept[0], *inner[:4]))
