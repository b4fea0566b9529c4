"""Archives of objects: GNU ar makes the same bytes of the same objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.encoder.targets import EVERYTHING
from tests.oracles import tools
from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import relocatable
from tilesmith.encoder.files.archive import archive
from tilesmith.encoder.x86.assembler import X86Assembler


def returning(name: str) -> Code:
    """Return a function that does nothing."""
    asm = X86Assembler(EVERYTHING)
    asm.ret()
    return asm.finish(name)


@pytest.mark.parametrize(
    "names", [("one",), ("even", "names"), ("thirteen_long", "fourteen_long_"), ("x", "a_longer_name_3", "a" * 72)]
)
def test_the_bytes_are_those_of_gnu_ar(tmp_path: Path, names: tuple[str, ...]) -> None:
    """The names have 13 to 15 letters and more, and the index and the table of names even and odd sizes."""
    codes = [returning(name) for name in names]
    for code in codes:
        (tmp_path / f"{code.symbol}.o").write_bytes(relocatable(code))
    made = tmp_path / "theirs.a"
    tools.run("ar", "rcsD", str(made), *(str(tmp_path / f"{name}.o") for name in names))
    assert archive(codes) == made.read_bytes()
