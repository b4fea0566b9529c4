"""GDB finds kernels and entries by name and unwinds through them; the library that GDB looks for can be loaded."""

import os
import subprocess
import sys

import _cffi_backend
import pytest

import tilesmith as ts
from tests.oracles import tools
from tests.runtime.debug.test_profilers import PROGRAM
from tilesmith.runtime.debug import gdb
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.system.libc import ffi


@pytest.mark.seconds
def test_gdb_sees_the_kernel_and_its_callers(tmp_path):
    if entry.refusal() or "QEMU_CPU" in os.environ:
        pytest.skip(entry.refusal() or "gdb would see the emulator")
    name = ts.brgemm(4, 4, 4).name
    commands = ["set breakpoint pending on", "set debuginfod enabled off", f"break {name}", "run", "bt 4"]
    arguments = [part for command in commands for part in ("-ex", command)]
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "TILESMITH_GDB": "1", "TILESMITH_EXECMEM": "anonymous"}
    command = [tools.require("gdb"), "-batch", *arguments, "--args", sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    frames = [line for line in done.stdout.splitlines() if line.startswith("#")]
    assert f"in {name}" in frames[0] and "in ts_entry" in frames[1], done.stdout
    assert any("_PyEval_EvalFrameDefault" in frame for frame in frames[2:]), done.stdout  # GDB unwound through both


def test_registered_code_is_a_list():
    """The descriptor that GDB reads holds the version, the current entry and a doubly linked list of the entries."""
    debugger = gdb.Debugger(gdb.MACHINE[entry.arch()], b"\xc0\x03\x5f\xd6" if entry.arch() == "a64" else b"\xc3")
    codes = [ts.brgemm(n, n, n)._code for n in (2, 3, 4)]
    for i, code in enumerate(codes):
        debugger.register(code, 0x10000 * (i + 1))
    assert debugger.actions[0] == 1 and debugger.actions[1] == gdb._REGISTER
    place, seen, before = debugger.links[1], [], 0
    while place:
        following, previous, image, size = ffi.cast("uint64_t *", place)[0:4]
        assert previous == before
        seen.append(bytes(ffi.buffer(ffi.cast("char *", image), size)))
        place, before = following, place
    assert seen == [gdb.symbol_file(code, 0x10000 * (i + 1)) for i, code in reversed(list(enumerate(codes)))]


def test_the_library_has_both_symbols(tmp_path):
    if entry.refusal():
        pytest.skip(entry.refusal())
    path = tmp_path / "hook.so"
    path.write_bytes(gdb.hook_library(gdb.MACHINE[entry.arch()], b"\xc0\x03\x5f\xd6" * 2))
    library = _cffi_backend.load_library(str(path), 2)
    for name in ("__jit_debug_register_code", "__jit_debug_descriptor"):
        assert library.load_function(ffi.typeof("void(*)(void)"), name)
