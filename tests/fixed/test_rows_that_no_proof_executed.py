"""Kernels of any rows were proved at rows 0, 1 and 138: code that only other numbers execute could be anything."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.coverage import recorded, unreached
from tilesmith.emulation.cpu import call, execute
from tilesmith.emulation.intervals import reachable
from tilesmith.emulation.walk import Walker
from tilesmith.encoder.decode import decode
from tilesmith.runtime.verify import calls, check, extents
from tilesmith.runtime.verify.callers.mode import UNUSUAL
from tilesmith.runtime.verify.check import verify
from tilesmith.runtime.verify.coverage import choose, made_again

LEFT_OUT = {"avx512": ("vfmadd231ps", b"\x90", 1.0, 3.0), "neon": ("fmax", bytes.fromhex("1f2003d5"), -1.0, 0.0)}
"""An instruction, a nop of one byte or of a word, elements of x, and the elements of the result."""


def chain(target: str) -> Any:
    return ts.equation(lambda x, w: ts.relu(x @ w), x=(ts.RUNTIME, 3), w=(3, 5), target=target)


def executed(kernel: Any, rows: int) -> set[int]:
    """Return the offsets of the instructions that the emulator executes for these rows."""
    given = extents._rows(kernel.spec, kernel.kind, rows)
    return set(execute(kernel.code, kernel.target, given.integers, given.everything).offsets)


@pytest.mark.parametrize("target", LEFT_OUT)
@pytest.mark.grid(1)
def test_an_instruction_that_only_other_rows_execute(target: str) -> None:
    """Rows 0, 1 and 138 do not execute the instruction. Without it, results of other rows are wrong."""
    kernel, (name, nop, given, wanted) = chain(target), LEFT_OUT[target]
    usual = set().union(*(executed(kernel, rows) for rows in (0, 1, 138)))
    offset, length = next(
        (each.offset, len(each.data))
        for each in kernel._code.instructions
        if each.offset not in usual
        and (own := decode(kernel.code, each.offset, kernel.target.arch))
        and own.text.startswith(name)
    )
    code = kernel.code[:offset] + nop * (length // len(nop)) + kernel.code[offset + length :]
    rows = next(rows for rows in range(140) if offset in executed(kernel, rows))
    x, w, y = np.full((rows, 3), given, np.float32), np.ones((3, 5), np.float32), np.zeros((rows, 5), np.float32)
    call(code, kernel.target, x, w, y, rows)
    assert (y != wanted).any()
    assert not verify(code, kernel.target, kernel.spec, kernel.kind)


def test_the_claim_names_the_numbers_and_what_was_executed() -> None:
    kernel = ts.unary("relu", ts.RUNTIME, 3, target="avx512")
    with recorded() as seen:
        check._verified(kernel.code, kernel.target, kernel.spec, kernel.kind, True)
    proof = kernel.verify()
    claim = proof.claims[-1]
    assert proof and claim.what == "coverage" and "every instruction and both ways of every branch" in claim.how
    rows = [int(each) for each in re.search(r"rows ([\d, ]+)", str(proof)).group(1).split(", ")]
    assert {3 * each % 16 for each in rows} == set(range(16))  # each mask of the last elements
    assert not seen.of(kernel.code)  # what a proof executes counts for that proof


def test_numbers_of_masks_that_one_remainder_has() -> None:
    """`and r8, 15` leaves the remainder, and with another bit of 15 the same for half of the numbers."""
    kernel = ts.unary("relu", ts.RUNTIME, 3, target="avx512")
    at = kernel.code.index(bytes.fromhex("4983e00f"))
    for bit in (1, 2, 4, 8):
        code = kernel.code[: at + 3] + bytes([15 ^ bit]) + kernel.code[at + 4 :]
        assert not verify(code, kernel.target, kernel.spec, kernel.kind)


def test_code_that_no_number_reaches_has_no_verdict() -> None:
    """A branch for 2^30 rows, of which no proof is possible, leads to a store of zeros."""
    kernel = ts.unary("identity", ts.RUNTIME, 1, dtype="f64", target="avx2")
    far = bytes.fromhex("4881fa00000040") + bytes.fromhex("7501") + b"\xc3"  # cmp rdx, 1 << 30; jne; ret
    assert kernel.code.startswith(bytes.fromhex("f30f1efa"))
    proof = verify(far + kernel.code, kernel.target, kernel.spec, kernel.kind)
    assert not proof and not proof.refuted and "leads to 0x9-0xa, 0x7 to 0x9" in str(proof), proof


def test_unreached_code_of_fixed_extents_is_named() -> None:
    kernel = ts.unary("relu", 2, 8, target="neon")
    skips, moves = bytes.fromhex("600000b5"), bytes.fromhex("000080d2")  # cbnz x0, to the third word; mov x0, 0
    proof = verify(skips + moves + moves + kernel.code, kernel.target, kernel.spec, kernel.kind, False)
    assert proof and "unreached: 0x4-0xc" in str(proof)


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_intervals_hold_what_executions_do(target: str) -> None:
    """No walk takes a way that the intervals exclude, and those exclude the second iteration of the narrow blocks."""
    kernel = ts.brgemm(ts.RUNTIME, 5, 3, beta=0, target=target)
    walker, taken = Walker(kernel.code, kernel.target, 4), set()
    for rows in range(60):
        for _, given in calls.counts_of_lines(kernel.spec, kernel.kind).of((rows,)):
            taken |= walker.walk(given.integers, given.everything).ways
    possible = reachable.ways(kernel.code, kernel.target.arch, {3: (0, 1 << 47)})
    inside = {way for way in taken if 0 <= way[1] < len(kernel.code)}
    left = unreached(kernel.code, kernel.target.arch, taken).ways
    assert possible is not None and inside <= possible and any(way not in possible for way in left)


def test_a_loop_that_ends_after_one_iteration() -> None:
    """`subs x3, x3, #4` with another bit subtracts 2052: fewer numbers meet all that is left of the code."""
    kernel = ts.unary("relu", ts.RUNTIME, 3, target="neon")
    (at,) = [each.offset for each in kernel._code.instructions if each.text == "subs x3, x3, #4"][-1:]
    code = bytearray(kernel.code)
    code[at + 2] ^= 1 << 5
    assert not verify(bytes(code), kernel.target, kernel.spec, kernel.kind)


def test_wrong_code_does_not_say_which_numbers_are_proved() -> None:
    """Code that returns at once asks for no number but the least; right code asks for each remainder of sixteen."""
    kernel = ts.unary("relu", ts.RUNTIME, 3, target="avx512")
    right, control = made_again(kernel.spec, kernel.target, kernel.kind.pipeline()), UNUSUAL["x86"]
    assert right == kernel.code
    numbers = check.numbers_of(kernel.spec, kernel.kind)
    assert numbers is not None
    returns = bytes.fromhex("f30f1efac3") + kernel.code[5:]
    pairs = (returns, returns), (returns, right), (right, right)
    alone, with_right, of_right = (choose(code, kernel.target, numbers, control, other).given for code, other in pairs)
    assert set(alone) < set(with_right) == set(of_right)
