"""GDB was not told about registers saved by mov, and code that moves the stack by a register raised a TypeError."""

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.runtime.debug import gdb

SAVING = ("avx2", {"batch": ts.STRIDE}, "DW_CFA_offset: r3 (rbx) at cfa-16")
LARGE = ("neon", {"order": ("C", "F", "C")}, "DW_CFA_def_cfa_offset: 12416")  # 64 of them: saved vector registers


@pytest.mark.parametrize(("target", "request_", "told"), [SAVING, LARGE], ids=["saved by mov", "moved by a register"])
def test_the_debugger_is_told(tmp_path, target, request_, told):
    kernel = ts.brgemm(64, 48, 64, target=target, **request_)
    path = tmp_path / "symbols"
    path.write_bytes(gdb.symbol_file(kernel._code, 0x7F0000001000))
    assert told in tools.run("readelf", "--debug-dump=frames", str(path)).stdout
