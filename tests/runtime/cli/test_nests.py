"""Kernels on several threads on the command line."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.cli.completion import places
from tilesmith.runtime.cli.main import _parser, main

KINDS: dict[str, Callable[[], Any]] = {
    "gemm 70 50 30 --beta 0 --threads 3": lambda: ts.gemm(70, 50, 30, beta=0.0, threads=3, target="avx2"),
    "gemm 5 6 7 --stack 9": lambda: ts.gemm(5, 6, 7, stack=9, target="avx2"),
    "linear 9 8 7 --activation relu": lambda: ts.linear(9, 8, 7, activation=ts.relu, target="avx2"),
    "linear 9 8 7 --no-bias --packing": lambda: ts.linear(9, 8, 7, bias=False, target="avx2").packing,
    "mlp 9 8 7 6 --activation relu --last tanh --accuracy fast": lambda: ts.mlp(
        9, [8, 7, 6], activation=ts.relu, last=ts.tanh, accuracy="fast", target="avx2"
    ),
    "spread fused softmax 64 512": lambda: ts.spread(ts.fused("softmax", 64, 512, target="avx2")),
    "spread unary gelu 64 512 --threads 2": lambda: ts.spread(ts.unary("gelu", 64, 512, target="avx2"), threads=2),
    "spread brgemm 5 6 7 --stack runtime": lambda: ts.spread(ts.brgemm(5, 6, 7, stack=ts.RUNTIME, target="avx2")),
}


def run(*arguments: str) -> tuple[int, str, str]:
    """Return the exit status, the output, and what was written to the standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("words", KINDS)
def test_asm_prints_what_the_api_makes(words: str) -> None:
    kernel = KINDS[words]()
    status, text, _ = run("asm", *words.split(), "--target", "avx2")
    assert status == 0 and kernel.listing() in text and f"; {kernel.c_prototype}\n" in text
    assert all(f"; {line}\n" in text for line in str(kernel).splitlines())
    found = json.loads(run("asm", *words.split(), "--target", "avx2", "--json")[1])
    assert found["code"] == kernel.code.hex() and found["plan"] == str(kernel).splitlines()
    assert (found["name"], found["flops"]) == (kernel.name, kernel.flops)


def test_elf_writes_what_save_writes(tmp_path: Path) -> None:
    words = ["gemm", "70", "50", "30", "--epilogue", "relu(c+bias)"]
    status, text, err = run("elf", *words, "--target", "neon", "-o", str(tmp_path / "k.o"))
    assert status == 0, err
    made = ts.gemm(70, 50, 30, epilogue=lambda c, bias: ts.relu(c + bias), target="neon")
    made.save(tmp_path / "wanted.o")
    assert made.c_prototype in text and made.c_prototype in (tmp_path / "k.h").read_text()
    assert (tmp_path / "k.o").read_bytes() == (tmp_path / "wanted.o").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["gemm 3 4 5", "linear 3 4 5", "linear 3 4 5 --packing", "mlp 3 4 5 6", "spread unary relu 64 64"]
)
def test_verify_proves_them(words: str) -> None:
    status, text, _ = run("verify", *words.split(), "--target", "avx2")
    assert status == 0 and "1, 2, 3, 7 workers leave the same bits" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("elf spread brgemm 5 6 7 --stack 9", "save the kernel of one part"),
        ("elf spread brgemm 5 6 7", "for products of any size use ts.gemm"),
        ("elf mlp 4 5", "sizes: two whole numbers or more"),
        ("elf gemm 4 5 6 --threads 0", "threads: 0 threads"),
    ],
)
def test_bad_requests_are_one_line_and_status_2(words: str, message: str, tmp_path: Path) -> None:
    status, _, err = run(*words.split(), "-o", str(tmp_path / "k.o"))
    assert status == 2 and message in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_unknown_activations_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["asm", "linear", "3", "4", "5", "--activation", "relo"])
    assert "no function relo; there are" in capsys.readouterr().err


def test_completion_knows_them() -> None:
    found = dict(places(_parser()))
    for command in ("asm", "elf", "verify"):
        assert {"gemm", "linear", "mlp", "spread"} <= set(found[command].words)
        assert {"--stack", "--threads", "--target"} <= set(found[f"{command} gemm"].words)
        assert {"unary", "fused", "attention", "brgemm"} <= set(found[f"{command} spread"].words)
        assert "--threads" in found[f"{command} spread fused"].words
