"""`ts.verify`: examples of the page on hand-written code print what the page shows; wrong code and uses are refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.a64 import X
from tilesmith.encoder.code import Code
from tilesmith.x86 import ptr, rdi, rsi, ymm0

PAGE = Path(__file__).parents[3] / "docs" / "prove-by-hand.md"
SECONDS, ADDRESS = re.compile(r"\d+\.\d\d s"), re.compile(r"0x[0-9a-f]{12}")


def words(text: str) -> str:
    """Return the text without times and addresses, on one line."""
    return " ".join(ADDRESS.sub("0x", SECONDS.sub("0 s", text)).split())


def test_the_page_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    told = re.findall(r"^```(python|)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in told] == ["python", "", "python", "", "python", "python", "", "python"]
    for (kind, text), (_, shown) in zip(told, [*told[1:], ("", "")]):
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            printed = words(capsys.readouterr().out)
            missing = [part for part in re.split(r"(?m)^(?=refuted)|^ *\.\.\.$", shown) if words(part) not in printed]
            assert not printed or not missing


def copy() -> Code:
    asm = ts.assembler("avx2")
    asm.vmovups(ymm0, ptr[rdi])
    asm.vmovups(ptr[rsi], ymm0)
    asm.vzeroupper()
    asm.ret()
    return asm.finish("copy")


def test_modes() -> None:
    assert ts.verify(copy(), lambda x: x, x=(1, 8), any_mode=True)
    assert not ts.verify(copy(), lambda x: x, x=(1, 9))
    assert ts.verify(copy(), lambda x: x, x=(1, 7)).refuted  # the code reads and writes one element behind the operands


def test_wrong_uses() -> None:
    with pytest.raises(TypeError, match=r"asm\.finish"):
        ts.verify(copy().data, lambda x: x, x=(1, 8))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not possible with a kernel"):
        ts.verify(copy(), ts.transpose(8, 1, target="avx2"), x=(1, 8))
    asm = ts.assembler("neon")
    asm.ret(X[30])
    with pytest.raises(ValueError, match="the code for neon"):
        ts.verify(asm.finish("nothing"), ts.transpose(8, 1, target="avx2"))


LINE = (1, 8), "f32"


def test_operands_by_name() -> None:
    assert ts.verify(copy(), lambda x: x, {"x": (*LINE, "in"), "y": (*LINE, "out")})
    assert ts.verify(copy(), lambda x: x, {"x": ((1, 4), "f64", "in"), "y": ((4,), "f64", "out")})
    proof = ts.verify(copy(), lambda x: -x, operands={"x": (*LINE, "in"), "y": (*LINE, "out")}, accuracy="accurate")
    assert proof.refuted
    nine = (1, 9), "f32"
    assert not ts.verify(copy(), lambda x: x, {"x": (*nine, "in"), "y": (*nine, "out")})


@pytest.mark.parametrize(
    ("operands", "error", "words"),
    [
        ({"x": (*LINE, "in")}, ValueError, 'results with "out"'),
        ({"x": (*LINE, "in"), "z": (*LINE, "in"), "y": (*LINE, "out")}, ValueError, "not x, z, y"),
        ({"y": (*LINE, "out"), "x": (*LINE, "in"), "n": 8.0}, TypeError, "or an integer, not 8.0"),
        ({"x": (*LINE, "inout")}, ts.UnsupportedError, 'x must be "in" or "out"'),
        ({"x": (*LINE, "in"), "y": ((1, 9), "f32", "out")}, ValueError, r"y has the shape \(1, 8\)"),
        ({"x": (*LINE, "from"), "y": (*LINE, "out")}, ValueError, "not 'from'"),
        ({"x": (1, 8), "y": (*LINE, "out")}, TypeError, "operands: x:"),
        ({"x": (8, "f32", "in"), "y": (*LINE, "out")}, TypeError, "operands: x has a shape"),
        ([*LINE], TypeError, "by name"),
    ],
)
def test_wrong_operands(operands: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ts.verify(copy(), lambda x: x, operands)


def test_operands_twice() -> None:
    whole = {"x": (*LINE, "in"), "y": (*LINE, "out")}
    with pytest.raises(TypeError, match="x=: operands= says"):
        ts.verify(copy(), lambda x: x, whole, x=(1, 8))
    with pytest.raises(TypeError, match="dtype=: operands= says"):
        ts.verify(copy(), lambda x: x, whole, dtype="f32")
    with pytest.raises(TypeError, match="not possible with a kernel"):
        ts.verify(copy(), ts.transpose(8, 1, target="avx2"), whole)
