"""Proofs from the command line, and with TILESMITH_VERIFY=1, under which a wrong kernel is never called."""

from __future__ import annotations

import warnings

import pytest

import tilesmith as ts
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.origin import origin_of
from tilesmith.runtime.verify.proof import RefutedError


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ("transpose 5 7 --target neon", 0, "35 elements are those of the request"),
        ("gemm 5 7 3 --target sve256", 0, "35 sums"),
        ("unary relu 3 5 --target avx512", 0, "proved"),
        ("gather rows 4 8 --size 9 --target avx2", 0, "proved"),
        ("fused adam 2 9 --target avx2", 0, "proved"),
        ("attention 1 2 3 2 --dtype bf16 --target avx2", 0, "proved"),
        ("brgemm 3 5 4 --dtype f32x3bf16 --target avx2", 2, "no specification"),
    ],
)
def test_the_command_line(words: str, status: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *words.split()]) == status
    told = capsys.readouterr()
    assert says in told.out + told.err


def test_the_status_of_a_wrong_kernel(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(
        Kernel, "code", property(lambda kernel: kernel._code.data.replace(b"\x58", b"\x5c"))
    )  # addps becomes subps
    assert main(["verify", "binary", "add", "3", "5", "--target", "avx2"]) == 1
    assert "refuted" in capsys.readouterr().out


def test_a_kernel_that_is_wrong_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of one request is given to another."""
    monkeypatch.setenv("TILESMITH_VERIFY", "1")
    plus, minus = ts.binary("add", 3, 5), ts.binary("sub", 3, 5)
    with pytest.raises(RefutedError, match="confirmed in the emulator") as caught:
        Kernel(plus.spec, plus.target, origin=origin_of(minus.spec, minus.target, minus.kind))
    assert caught.value.proof.refuted
    monkeypatch.setenv("TILESMITH_VERIFY", "0")
    Kernel(plus.spec, plus.target, origin=origin_of(minus.spec, minus.target, minus.kind))


def test_a_kernel_without_a_proof_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESMITH_VERIFY", "1")
    with pytest.warns(RuntimeWarning, match="without a proof: verify: no specification of attention_inv yet"):
        ts.attention_inv(1, 2, 3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.attention_inv(1, 2, 3, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.transpose(3, 8)
