"""Elementwise kernels on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.cli.main import main


def test_asm_prints_the_kernel_that_the_api_makes(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "asm",
                "unary",
                "gelu",
                "5",
                "37",
                "--accuracy",
                "accurate",
                "--out",
                "bf16",
                "--ldx",
                "40",
                "--target",
                "avx512",
            ]
        )
        == 0
    )
    kernel = ts.unary("gelu", 5, 37, accuracy="accurate", out="bf16", ldx=40, target="avx512")
    assert capsys.readouterr().out.endswith(kernel.listing() + "\n")


def test_inputs_are_broadcast(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["binary", "add", "4", "9", "--bcast", "none,row", "--dtype", "f32,bf16", "--ldx0", "runtime"]
    assert main(["asm", *arguments, "--target", "neon"]) == 0
    request = {"bcast": (None, "row"), "dtype": ("f32", "bf16"), "ldx0": ts.RUNTIME}
    assert ts.binary("add", 4, 9, target="neon", **request).listing() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "make"),
    [
        (
            "fused rmsnorm 4 20 --option eps=1e-3 --dtype bf16",
            lambda: ts.fused("rmsnorm", 4, 20, dtype="bf16", eps=1e-3),
        ),
        (
            "fused groupnorm_training 12 5 --option groups=3 --option channels=6",
            lambda: ts.fused("groupnorm_training", 12, 5, groups=3, channels=6),
        ),
        ("fused softmax runtime 20", lambda: ts.fused("softmax", ts.RUNTIME, 20)),
        ("unary relu runtime 5 --ldx 8", lambda: ts.unary("relu", ts.RUNTIME, 5, ldx=8)),
        ("bag runtime 5 --size runtime --count 9", lambda: ts.embedding_bag(ts.RUNTIME, 5, size=ts.RUNTIME, count=9)),
        (
            "attention 2 8 8 16 --causal --window 5",
            lambda: ts.attention(2, 8, 8, 16, causal=True, window=5),
        ),
        ("attention_inv 1 8 8 4 --seen", lambda: ts.attention_inv(1, 8, 8, 4, seen=ts.RUNTIME)),
        (
            "attention 4 1 8 16 --kv-heads 2 --seen --mask row --order F --lse",
            lambda: ts.attention(4, 1, 8, 16, kv_heads=2, seen=ts.RUNTIME, mask="row", order="F", lse=True),
        ),
    ],
)
def test_other_kinds_and_extents_of_the_call(arguments: str, make: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["asm", *arguments.split()]) == 0
    assert capsys.readouterr().out.endswith(make().listing() + "\n")


def test_objects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["elf", "ternary", "muladd", "8", "8", "--target", "sve256", "-o", str(tmp_path / "k.o")]) == 0
    assert (tmp_path / "k.o").read_bytes()[:4] == b"\x7fELF"
    prototype = ts.ternary("muladd", 8, 8, target="sve256").c_prototype
    assert prototype in (tmp_path / "k.h").read_text() and prototype in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unary", "tanhh", "4", "4"], "did you mean 'tanh'"),
        (["unary", "sqrt", "4", "4", "--dtype", "i8"], "sqrt of i8"),
        (["binary", "add", "4", "4", "--bcast", "rows,none"], "bcast"),
        (["unary", "dropout", "4", "4"], "dropout: give rate="),
        (["gather", "rows", "4", "4"], "size: required"),
        (["bag", "4", "4", "--size", "9"], "count: required, the number of indices of all bags, or ts.RUNTIME"),
        (["bag", "4", "4"], "size: required, the number of rows of x, or ts.RUNTIME"),
        (["fused", "sotfmax", "4", "4"], "did you mean softmax"),
    ],
)
def test_requests_that_cannot_be_met(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["asm", *arguments]) == 2
    assert message in capsys.readouterr().err
