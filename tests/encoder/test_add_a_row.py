"""Adding a row at run time is enough for an instruction: the examples of docs/add-an-instruction.md.

Each example runs in its own process, since a row cannot be removed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.oracles import gnu, gnu_a64, llvm_a64

DOCUMENT = Path(__file__).parents[2] / "docs/add-an-instruction.md"
# Prints a program's `code` and `asm` before and after the row is added; decoders must notice the new row.
_BEFORE = """
import json
from tilesmith.encoder.decode import decode
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.listing import listing
before = [decode(bytes.fromhex(data), 0, {arch!r}) for data in {encodings!r}]
"""
_AFTER = """
def message(mnemonic, operands):
    try:
        getattr(type(asm)(asm.target), mnemonic)(*operands)
    except EncodeError as error:
        return str(error)

def again(found):
    return found.form.encode(found.operands).hex()

wrong = [message(name, eval(operands)) for name, operands in {wrong!r}]
lacking = type(asm)(target_without)
getattr(lacking, code.instructions[0].form.mnemonic)(*code.instructions[0].operands)
try:
    lacking.finish()
except EncodeError as error:
    wrong.append(str(error))
after = [decode(i.data, 0, {arch!r}) for i in code.instructions]
print(json.dumps(dict(
    unknown=[found is None for found in before], data=code.data.hex(), text=[i.text for i in code.instructions],
    bytes=[i.data.hex() for i in code.instructions], intel=listing(code), gas=listing(code, "gas"),
    decoded=[found and found.text for found in after], again=[again(found) for found in after], wrong=wrong,
)))
"""


class Example(NamedTuple):
    """An example, and what its process must print."""

    arch: str
    number: int  # of the Python block in the document
    target_without: str  # an expression: a target that lacks the feature
    wrong: tuple[tuple[str, str, str], ...]  # mnemonic, operands, what the message must say


X86 = Example(
    "x86",
    0,
    "avx2",
    (
        ("vfmaddps", "(ymm1, ymm2, xmm9, ymm3)", "xmm9 is not a ymm register"),
        ("vfmaddps", "(ymm1, ymm2, ymm3, 3)", "3 is not"),
        ("vfmaddps", "(ymm1, ymm2, ymm3)", "takes 4 operands, not 3"),
        ("vfmaddps", "(REGISTERS['ymm16'], ymm2, ymm3, ymm1)", "above 15"),
    ),
)
A64 = Example(
    "a64",
    1,
    "neon",
    (
        ("ldraa", "(X[0], mem[sp, 4096])", "must be from -4096 to 4088 in steps of 8"),
        ("ldraa", "(X[0], mem[sp, 4])", "must be from -4096 to 4088 in steps of 8"),
        ("pacga", "(sp, X[1], sp)", "sp is not one of"),
        ("pacga", "(X[0], X[1])", "takes 3 operands, not 2"),
    ),
)


def shown(example: Example, encodings: tuple[str, ...]) -> dict[str, Any]:
    """Return what the example's process prints."""
    program = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)[example.number]
    wrong = [(mnemonic, operands) for mnemonic, operands, _ in example.wrong]
    parts = (
        _BEFORE.format(arch=example.arch, encodings=encodings),
        program,
        f"target_without = {example.target_without}",
        _AFTER.format(arch=example.arch, wrong=wrong),
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(parts)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-4000:]
    made: dict[str, Any] = json.loads(done.stdout)
    return made


@pytest.mark.seconds
@pytest.mark.parametrize("example", [X86, A64], ids=["x86", "a64"])
def test_a_row_is_all_that_an_instruction_needs(example: Example):
    made = shown(example, shown(example, ())["bytes"])
    assert made["unknown"] == [True] * len(made["bytes"]), "the table has these instructions by itself"
    assert len(made["bytes"]) == 2
    assert made["decoded"] == made["text"] and made["again"] == made["bytes"]
    assert all(text in made["intel"] for text in made["text"])
    for message, (mnemonic, operands, expected) in zip(made["wrong"], example.wrong):
        assert message and expected in message, f"{mnemonic} {operands}: {message}"
    assert "has no FMA4" in made["wrong"][-1] or "has no PAUTH" in made["wrong"][-1]


@pytest.mark.seconds
def test_x86_bytes_are_those_of_gnu():
    assert gnu.assemble(shown(X86, ())["gas"]).hex() == shown(X86, ())["data"]


@pytest.mark.seconds
def test_a64_words_are_those_of_gnu_and_llvm():
    made = shown(A64, ())
    assert gnu_a64.assemble(made["gas"]).hex() == made["data"]
    words = llvm_a64.assemble(made["text"])
    assert [word if isinstance(word, str) else word.to_bytes(4, "little").hex() for word in words] == made["bytes"]


@pytest.mark.parametrize(
    ("imports", "row", "call"),
    [
        (
            "x86.assembler import TABLE, X86Assembler as A",
            "vpmulld  X,X,X  RVM VEX.128.66.0F3A 40 /r  AVX",
            "from tilesmith.encoder.x86.registers import *; o = XMM[1:4]",
        ),
        (
            "a64.assembler import TABLE, A64Assembler as A",
            "smaddl  Xd,Xn,Xm  10011011001 Rm:5 0 11111 Rn:5 Rd:5  -",
            "from tilesmith.encoder.a64.registers import *; o = X[1:4]",
        ),
    ],
    ids=["x86", "a64"],
)
def test_a_form_of_a_mnemonic_that_was_used_before(imports: str, row: str, call: str):
    """Forms that were made from the earlier rows are dropped when a row is added."""
    mnemonic = row.split()[0]
    program = f"""
from tilesmith.encoder.{imports}
before = len(TABLE.forms({mnemonic!r}))
TABLE.add({row!r})
assert len(TABLE.forms({mnemonic!r})) == before + 1, "the row is not seen"
{call}
assert TABLE.forms({mnemonic!r})[-1].accepts(tuple(o))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
