"""`tilesmith bench mixed --dtype bf16`: results are checked; rows. No figure is judged."""

import math

import pytest

from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import mixed
from tilesmith.runtime.bench.cases.gemm import GemmShape
from tilesmith.runtime.bench.cases.mixed import MIXED
from tilesmith.runtime.bench.table import WrongResult
from tilesmith.runtime.host import detect as host

on_x86 = pytest.mark.skipif(host.arch() != "x86", reason="the benchmark emits x86 loops")


@on_x86
@pytest.mark.parametrize("dtype", MIXED)
def test_every_type_is_measured(dtype, monkeypatch, capsys):
    shapes = (GemmShape(16, 5, 7), GemmShape(64, 64, 64, 16))
    monkeypatch.setattr(mixed, "SHAPES", shapes)
    rows = runner.run(mixed.BENCH, ("--dtype", dtype, "--seconds", "0.001")).tables[dtype]
    assert [row["shape"] for row in rows] == [str(shape) for shape in shapes]
    assert all(row["f32"] > 0 and row["native"] > 0 and row["peak"] > 0 for row in rows)
    assert all((row["exact"] > 0) == (dtype != "f16") and math.isnan(row["fast"]) == (dtype != "bf16") for row in rows)
    assert "64x64x64 b16" in capsys.readouterr().out


@on_x86
def test_a_wrong_product_is_no_figure():
    spec = mixed.spec_of(GemmShape(8, 8, 8), ("i8", "i8", "i32"))
    _, _, c, x, y = mixed.operands(spec, GemmShape(8, 8, 8))

    class Nothing:
        def run(self, count: int) -> None:
            pass

    with pytest.raises(WrongResult, match="not the product"):
        mixed.check("nothing", Nothing(), c, x, y)


def test_other_types_are_refused():
    with pytest.raises(SystemExit):
        runner.run(mixed.BENCH, ("--dtype", "f8e5m2"))
