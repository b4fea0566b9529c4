"""The command line."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilesmith as ts
from tests.oracles import tools
from tests.profiles import is_soak
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.host import detect as host

NATIVE = [None, *(name for name in ts.targets() if not host.runs(host.resolve(name)))]


def program(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a new process; most tests call `run`, which needs none."""
    return subprocess.run([sys.executable, "-m", "tilesmith", *arguments], capture_output=True, text=True, cwd=cwd)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in this process."""
    before, out, err = Path.cwd(), io.StringIO(), io.StringIO()
    os.chdir(cwd)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments)
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@pytest.mark.seconds
def test_info_names_the_targets_and_what_runs(tmp_path: Path) -> None:
    done = program("info", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ts.targets():
        assert f"target {name}:" in done.stdout
    assert "measured peak f32" in done.stdout


@pytest.mark.seconds
def test_demo_is_right_and_leaves_listings(tmp_path: Path) -> None:
    done = program("demo", "--seconds", "0.01", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" ok ") == 5
    assert len(list((tmp_path / "out").glob("*.lst"))) == 5


def test_asm_prints_the_kernel_that_the_api_makes(tmp_path: Path) -> None:
    done = program("asm", "brgemm", "9", "35", "15", "--order", "F", "--target", "avx2", cwd=tmp_path)
    kernel = ts.brgemm(9, 35, 15, order="F", target="avx2")
    assert done.returncode == 0
    assert kernel.listing() in done.stdout
    assert kernel.c_prototype in done.stdout


@pytest.mark.seconds
def test_asm_saves_every_format(tmp_path: Path) -> None:
    kernel = ts.brgemm(4, 4, 4, batch=ts.OFFSET, lda=ts.RUNTIME, target="avx512")
    for suffix in (".s", ".o", ".bin", ".lst"):
        syntax = {".s": ("--syntax", "gas"), ".lst": ("--syntax", "intel")}.get(suffix, ())
        done = run(
            "asm",
            "brgemm",
            "4",
            "4",
            "4",
            "--batch",
            "offset",
            "--lda",
            "runtime",
            "--target",
            "avx512",
            *syntax,
            "-o",
            f"k{suffix}",
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "k.bin").read_bytes() == kernel.code
    kernel.save(tmp_path / "reference.o")
    assert (tmp_path / "k.o").read_bytes() == (tmp_path / "reference.o").read_bytes()
    assert kernel.listing("gas") in (tmp_path / "k.s").read_text()


@pytest.mark.seconds
def test_a_bad_request_is_one_line_and_status_2(tmp_path: Path) -> None:
    for arguments, word in (
        (("asm", "brgemm", "4", "4", "4", "--target", "z80"), "z80"),
        (("asm", "brgemm", "4", "4", "4", "--order", "C,X,C"), "order"),
        (("asm", "brgemm", "4", "4", "4", "--dtype", "f32,f32,i8"), "dtype"),
        (("asm", "brgemm", "4", "4", "0"), "k:"),
        (("matmul", "no.npy", "such.npy", "-o", "c.npy"), "no.npy"),
    ):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert word in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("target", "dtype"),
    [
        (target, dtype)
        for number, target in enumerate(NATIVE)
        for other, dtype in enumerate((np.float32, np.float64))
        if target is None or is_soak() or number % 2 == other
    ],
)
def test_matmul_of_files(tmp_path: Path, target: str | None, dtype: type) -> None:
    values = np.random.default_rng(3)
    a, b = values.uniform(-1, 1, (137, 531)).astype(dtype), values.uniform(-1, 1, (531, 301)).astype(dtype)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", np.asfortranarray(b))
    chosen = ["--target", target] if target else []
    done = run("matmul", "a.npy", "b.npy", "-o", "c.npy", "--show", *chosen, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    c = np.load(tmp_path / "c.npy")
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    bound = 533 * np.finfo(dtype).eps / 2 * (abs(a).astype(np.longdouble) @ abs(b).astype(np.longdouble))
    assert c.dtype == dtype
    assert (abs(c - exact) <= bound).all()
    assert "void ts_brgemm_" in done.stdout


def test_matmul_refuses_what_does_not_multiply(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((3, 4), np.float32))
    np.save(tmp_path / "b.npy", np.zeros((5, 3), np.float32))
    done = run("matmul", "a.npy", "b.npy", "-o", "c.npy", cwd=tmp_path)
    assert done.returncode == 2
    assert "(3, 4)" in done.stderr
    assert not (tmp_path / "c.npy").exists()


def test_elf_writes_an_object_and_a_header_that_c_includes(tmp_path: Path) -> None:
    target = {"x86": "avx2", "a64": "neon"}[host.arch()]  # a target of the architecture that this gcc links for
    done = run("elf", "brgemm", "4", "4", "4", "--lda", "runtime", "--target", target, "-o", "k.o", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    name = ts.brgemm(4, 4, 4, lda=ts.RUNTIME, target=target).name
    pointer = f"void (*volatile f)(const float *, const float *, float *, int64_t) = {name};"
    (tmp_path / "main.c").write_text(f'#include "k.h"\nint main(void) {{ {pointer} return f == 0; }}\n')
    subprocess.run([tools.require("gcc"), "-Wall", "-Werror", "main.c", "k.o", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0


@pytest.mark.seconds
def test_disasm_reads_what_asm_wrote(tmp_path: Path) -> None:
    for target, arch, word in (("avx2", "x86", "vfmadd231ps"), ("neon", "a64", "fmla")):
        assert run("asm", "brgemm", "4", "4", "4", "--target", target, "-o", "k.bin", cwd=tmp_path).returncode == 0
        done = run("disasm", "k.bin", "--arch", arch, cwd=tmp_path)
        assert done.returncode == 0
        assert word in done.stdout


def test_commands_import_no_benchmark_that_they_do_not_run(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from tilesmith.runtime.cli.main import main\n"
        "main(['docs'])\n"
        "print(*(name for name in sys.modules if name.startswith('tilesmith.runtime.bench.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == "tilesmith.runtime.bench.options"
