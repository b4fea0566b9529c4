"""`tilesmith bench gemm --dtype bf16`: results are checked; table, goals and JSON. No figure is judged."""

import json
import math

import pytest

from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.bench import mixed as bench_mixed
from tilesmith.runtime.bench.gemm import Shape
from tilesmith.runtime.bench.goals import WrongResult
from tilesmith.runtime.bench.options import MIXED
from tilesmith.runtime.host import detect as host

on_x86 = pytest.mark.skipif(host.arch() != "x86", reason="the benchmark emits x86 loops")


@on_x86
@pytest.mark.parametrize("dtype", MIXED)
def test_every_type_is_measured(dtype, monkeypatch, tmp_path, capsys):
    shapes = (Shape(16, 5, 7), Shape(64, 64, 64, 16))
    monkeypatch.setattr(bench_mixed, "SHAPES", shapes)
    rows = bench_mixed.bench_mixed(dtype, 0.001, tmp_path / "rows.json")
    assert [row.shape for row in rows] == [str(shape) for shape in shapes]
    assert all(row.f32 > 0 and row.native > 0 and row.peak > 0 for row in rows)
    assert all((row.exact > 0) == (dtype != "f16") and (row.fast > 0) == (dtype == "bf16") for row in rows)
    found = json.loads((tmp_path / "rows.json").read_text())
    assert found[0]["dtype"] == dtype and (found[0]["fast"] is None) == math.isnan(rows[0].fast)
    assert "64x64x64 b16" in capsys.readouterr().out


@on_x86
def test_a_wrong_product_is_no_figure():
    spec = bench_mixed._spec(Shape(8, 8, 8), ("i8", "i8", "i32"))
    _, _, c, x, y = bench_mixed._operands(spec, Shape(8, 8, 8))

    class Nothing:
        def run(self, count: int) -> None:
            pass

    with pytest.raises(WrongResult, match="not the product"):
        bench_mixed._check("nothing", Nothing(), c, x, y)


def test_other_types_are_refused():
    with pytest.raises(UnsupportedError, match="mixed precision knows bf16"):
        bench_mixed.bench_mixed("f8e5m2")
