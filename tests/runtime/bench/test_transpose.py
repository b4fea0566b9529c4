"""`tilesmith bench transpose` and the commands that print and save these kernels; no figure is judged."""

import subprocess

import numpy as np
import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import transpose as bench_transpose
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.operands import aligned
from tilesmith.runtime.bench.table import WrongResult
from tilesmith.runtime.cli import main as cli
from tilesmith.runtime.host import detect as host

on_x86 = pytest.mark.skipif(host.arch() != "x86", reason="the benchmark emits x86 loops")


@on_x86
def test_rows_and_goals(monkeypatch, capsys):
    monkeypatch.setattr(bench_transpose, "LARGE", (128, 128, "f32"))
    report = runner.run(bench_transpose.BENCH, ("--seconds", "0.001"))
    assert [len(rows) for rows in report.tables.values()] == [15, 6, 2]
    assert all(row["seconds"] > 0 and row["by numpy"] > 0 for row in report.tables["moves"])
    assert len(report.goals) >= 9
    out = capsys.readouterr().out
    assert "transpose 16 x 16 f32" in out and "brgemm 64^3" in out


@on_x86
def test_a_wrong_transpose_is_no_figure():
    x, y = np.zeros((4, 4), np.uint8), np.zeros((4, 4), np.uint8)
    contenders = {"numpy": PythonCall(lambda: np.copyto(y, x.T)), "wrong": PythonCall(lambda: np.copyto(y, x))}
    with pytest.raises(WrongResult, match="wrong and numpy disagree"):
        bench_transpose.check("4 x 4", x, y, contenders)


def test_asm_prints_plan_and_stages(capsys):
    assert cli.main(["asm", "transpose", "16", "16", "--dtype", "f32", "--target", "avx512"]) == 0
    text = capsys.readouterr().out
    assert "4 stages of shuffles" in text
    assert sum(text.count(f"; stage {stage}: ") for stage in (1, 2, 3, 4)) == 64


def test_asm_of_a_change_of_layout(capsys):
    assert cli.main(["asm", "transform", "vnni2", "4", "8", "--target", "neon"]) == 0
    assert "plain to vnni2 4 x 8 bf16" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [["transpose", "9", "5"], ["transform", "vnni2t", "9", "5"]])
def test_elf_links(tmp_path, kind):
    """gcc links the object with a program that includes its header."""
    path = tmp_path / "k.o"
    assert cli.main(["elf", *kind, "--target", "avx2", "-o", str(path)]) == 0
    main = tmp_path / "main.c"
    name = ts.transpose(9, 5, target="avx2").name if kind[0] == "transpose" else None
    main.write_text('#include "k.h"\nint main(void) { return 0; }\n')
    built = tmp_path / "main"
    subprocess.run([tools.require("gcc"), str(main), str(path), "-o", str(built)], check=True)
    assert subprocess.run([str(built)]).returncode == 0
    assert name is None or name in (tmp_path / "k.h").read_text()


def test_loads_and_stores_move_the_bytes():
    x, y = (aligned((512,), "f32") for _ in "xy")
    x[...] = np.arange(512)
    bench_transpose.moves_only(x.nbytes, x, y).run(1)
    assert (x == y).all()
