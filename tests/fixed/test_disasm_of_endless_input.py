"""`tilesmith disasm -` and `tilesmith disasm /dev/zero` read until the memory was full."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tilesmith.runtime.cli import objects
from tilesmith.runtime.cli.main import main

NOPS = 64


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "MOST_BYTES", NOPS)


@pytest.mark.parametrize("count", [NOPS, NOPS + 1])
def test_standard_input(count: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x90" * count)))
    status, (out, err) = main(["disasm", "-", "--arch", "x86"]), capsys.readouterr()
    if count > NOPS:
        assert status == 2 and err.startswith("tilesmith: file: - has more than ") and "give its name" in err
    else:
        assert status == 0 and out.count("nop") == NOPS


def test_a_device_and_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="^file: /dev/zero has more than"):
        objects.read(Path("/dev/zero"))
    (tmp_path / "k.bin").write_bytes(b"\x90" * (NOPS + 1))  # its size is known
    assert len(objects.read(tmp_path / "k.bin")) == NOPS + 1
