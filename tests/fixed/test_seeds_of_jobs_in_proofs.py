"""Proofs of nests, regions and spread kernels took one number for the seed, and those of spread kernels claimed any.

Code of a nest that computes seed + 1 in another way was proved if that way gives the same for this one number. The
words of a job's table are now as symbolic as the integers of a call.
"""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tests.profiles import is_soak

ADD, OR, XOR, MOV = 0x03, 0x0B, 0x33, 0x8B


def nest(target: str) -> Any:
    """Return a nest whose first call takes the seed, and whose second one takes seed + 2."""
    kernel = ts.unary("random", 1, 4, target=target, origin=ts.RUNTIME)

    def body(i: Any, y: Any, z: Any, seed: Any) -> None:
        kernel(seed, i.b, 0, y[i.b, 0])
        kernel(seed + 2, i.b, 0, z[i.b, 0])

    shape = (2, 4), "i32"
    return ts.nest("b", {"b": (0, 2, 1)}, body, y=shape, z=shape, seed=ts.RUNTIME)


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_a_right_nest(target: str) -> None:
    proof = nest(target).verify()
    assert proof, str(proof)
    assert "any seed of 64 bits, and rows and columns of blocks as the loops give them" in str(proof)


@pytest.mark.parametrize("changed", [OR, XOR, (MOV, "32"), (ADD, "32")], ids=["or", "xor", "mov32", "add32"])
def test_other_sums_of_the_seed(changed: Any) -> None:
    made = nest("avx2")
    code, places = bytearray(made.code), []
    for each in made._code.instructions:  # acc += operands[2]
        if each.form.mnemonic == "add" and "[" in each.form.text(each.operands):
            places.append(each.offset)
    at = [at for at in places if code[at + 3] == 16 or code[at + 4] == 16][1]  # that of seed + 2
    opcode = changed if isinstance(changed, int) else changed[0]
    code[at + 1] = opcode
    if not isinstance(changed, int):
        code[at] &= ~8  # without REX.W
    made._blob.data = bytes(code)
    proof = made.verify()
    assert not proof, str(proof)


def test_the_seed_of_parts() -> None:
    spread = ts.spread(ts.unary("random", 2, 3, target="avx2", origin=ts.RUNTIME))
    assert (proof := spread.verify()), str(proof)
    assert "any seed, row and column of 64 bits" in str(proof)
    blob, place = spread.job.blob, [name for _, name in spread.kernel.kind.parameters(spread.kernel.spec)].index("seed")
    code = bytearray(blob.data)
    sums = [each for each in blob.code.instructions if each.form.mnemonic == "add"]
    sums = [each for each in sums if "[" in each.form.text(each.operands)]
    at = next(each.offset for each in sums if code[each.offset + 3] == 8 * place)
    code[at] &= ~8  # 32 bits of the seed
    blob.data = bytes(code)
    assert not (proof := spread.verify()), str(proof)


@pytest.mark.skipif(not is_soak(), reason="takes a minute: make soak runs it")
@pytest.mark.parametrize("name", ["row", "seed"])
def test_parts_whose_rows_the_call_counts(name: str) -> None:
    spread = ts.spread(ts.unary("random", ts.RUNTIME, 3, target="avx2", origin=ts.RUNTIME))
    assert (proof := spread.verify()), str(proof)
    own, at = type(spread._parts).operands, spread._parts.names.index(name)

    class Parts(type(spread._parts)):  # type: ignore[misc]
        """Parts of which those behind the first have the row of the first, or seeds of their own."""

        def operands(self, integers: Any, parts: int) -> list[int]:
            table: list[int] = own(self, integers, parts)
            count = len(table) // parts
            for part in range(1, parts):
                table[part * count + at] = table[at] if name == "row" else table[part * count + at] + part
            return table

    spread._parts.__class__ = Parts
    assert not (proof := spread.verify()), str(proof)
