"""`tilesmith bench precision`: rows and JSON; no figure of speed is judged."""

import json

import pytest

from tilesmith.runtime.bench import precision as bench_precision
from tilesmith.runtime.host import detect as host


@pytest.mark.skipif(host.arch() != "x86", reason="the benchmark emits x86 loops")
def test_rows_and_json(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench_precision, "EXTENTS", (13,))
    rows = bench_precision.bench_precision(None, 0.001, tmp_path / "rows.json")
    assert [row.products for row in rows] == [3, 6, 36, 105]
    assert [row.error < limit for row, limit in zip(rows, (-14, -22, -52, -100))] == [True] * 4
    assert len(json.loads((tmp_path / "rows.json").read_text())) == 4 and "13^3" in capsys.readouterr().out
