"""A loop without an end took a proof a minute and gigabytes; `verify` had no bound on time."""

from __future__ import annotations

from time import perf_counter

import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.verify.check import verify

LOAD, STORE = bytes.fromhex("c5fc1007"), bytes.fromhex("c5fc1106c5f877c3")
ADD = bytes.fromhex("c5fc58c0")  # vaddps ymm0, ymm0, ymm0
BODIES = {
    "the same sum": ADD * 8,
    "two jumps": bytes.fromhex("eb00") + ADD,
    "nothing": b"",
    "a sum of integers": bytes.fromhex("c5fdfec0"),
    "a counter that is kept": bytes.fromhex("48ffc648ffce"),
}


@pytest.mark.parametrize("body", BODIES)
def test_registers_that_repeat_are_a_refutation(body: str) -> None:
    kernel = ts.unary("identity", 1, 8, target="avx2")
    code = LOAD + BODIES[body] + bytes([0xEB, 254 - len(BODIES[body])]) + STORE
    proof = verify(code, kernel.target, kernel.spec, kernel.kind, False)
    assert proof.refuted and "a loop without an end" in str(proof)


def test_a_counter_that_never_ends_has_no_verdict() -> None:
    """The result pointer counts up, and nothing is accessed by it."""
    kernel = ts.unary("identity", 1, 8, target="avx2")
    body = bytes.fromhex("48ffc6") + ADD  # inc rsi
    with pytest.raises(UnsupportedError, match=r"it goes on after 10,\d\d\d iterations, more than the operands"):
        verify(LOAD + body + bytes([0xEB, 254 - len(body)]) + STORE, kernel.target, kernel.spec, kernel.kind, False)


def test_a_timeout_says_what_would_work() -> None:
    for proved in (ts.brgemm(64, 64, 64, target="neon"), ts.gemm(96, 96, 96)):
        with pytest.raises(UnsupportedError, match=r"timeout=0.05 seconds; a larger timeout .* or a request of fewer"):
            proved.verify(timeout=0.05)
    assert ts.transpose(4, 4, target="neon").verify(timeout=60)


def test_timeouts_are_seconds() -> None:
    kernel = ts.transpose(4, 4, target="neon")
    for wrong, error in (
        (0, ValueError),
        (-1.5, ValueError),
        (float("nan"), ValueError),
        ("3", TypeError),
        (True, TypeError),
    ):
        with pytest.raises(error, match="timeout: "):
            kernel.verify(timeout=wrong)


def test_the_command_line_takes_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "gemm", "64", "64", "64", "--target", "neon", "--timeout", "0.05"]) == 2
    assert "timeout=0.05" in capsys.readouterr().err


def test_a_bound_around_a_proof_is_not_widened() -> None:
    from tilesmith.emulation.symbolic.bounds import OutOfTime, bounded, check

    began = perf_counter()
    with bounded(0.01), bounded(60.0), pytest.raises(OutOfTime, match="timeout=0.01"):
        while perf_counter() < began + 5:
            check()
    check()
