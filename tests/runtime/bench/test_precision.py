"""`tilesmith bench precision`: its rows; no figure of speed is judged."""

import pytest

from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import precision
from tilesmith.runtime.host import detect as host


@pytest.mark.skipif(host.arch() != "x86", reason="the benchmark emits x86 loops")
def test_rows(monkeypatch, capsys):
    monkeypatch.setattr(precision, "EXTENTS", (13,))
    rows = runner.run(precision.BENCH, ("--seconds", "0.001")).tables["rungs"]
    assert [row["products"] for row in rows] == [3, 6, 36, 105]
    assert [row["error"] < limit for row, limit in zip(rows, (-14, -22, -52, -100))] == [True] * 4
    assert "13^3" in capsys.readouterr().out
