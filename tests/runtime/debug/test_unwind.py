"""Call frames of emitted code, as binutils read them and as libgcc's unwinder follows them."""

import _cffi_backend
import pytest

import tilesmith as ts
from tests.oracles import tools
from tests.runtime.fastcall.call_cases import needs_native, right
from tilesmith.encoder.cfi import eh_frame
from tilesmith.encoder.conventions import convention_of
from tilesmith.encoder.walk import frames
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.debug import gdb
from tilesmith.runtime.fastcall import entry, entry_code, guards_array
from tilesmith.runtime.fastcall.guards import FUNCTION
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.scalar.x86 import X86Scalar
from tilesmith.runtime.system.libc import ffi

MACHINES = {"x86": X86Scalar, "a64": A64Scalar}
RUNTIME = entry_code.Runtime(*range(96, 96 + 8 * len(entry_code.Runtime._fields), 8))
ADDRESS = 0x7F0000001000


def entry_of(arch, **request):
    structure, _ = guards_array.gemm_entry(ts.gemm_spec(4, 4, 4, **request), "count", 7)
    return entry_code.emit(structure, RUNTIME, MACHINES[arch]())


def check(code, depth=None):
    """Check the deepest stack, and that the function leaves with the caller's stack pointer and registers."""
    convention, known = convention_of(code.arch), frames(code)
    assert all(known)
    deepest = max(-frame.values[convention.stack].amount for frame in known)
    assert depth is None or deepest == depth
    ends = [frame for frame, i in zip(known, code.instructions) if i.form.mnemonic in ("ret", "br")]
    start = convention.start()
    assert ends and all((end.saved, end.changed) == (start.saved, start.changed) for end in ends)
    assert all(end.values[convention.stack] == start.values[convention.stack] for end in ends)


@pytest.mark.parametrize(("arch", "depth"), [("x86", 8 + 4 * 8 + 9 * 8), ("a64", 16 + 10 * 8)])
def test_frames_of_an_entry(arch, depth):
    """The depth is return address or frame record, saved registers, three slots of strides, thread, result, spills."""
    check(entry_of(arch, batch=ts.STRIDE), depth)


@pytest.mark.parametrize("target", TARGETS)
def test_frames_of_kernels(target):
    for shape in ((1, 1, 1), (13, 29, 7), (64, 48, 64)):
        for batch in (None, ts.ADDRESS):
            kernel = ts.brgemm(*shape, batch=batch, lda=None if batch else ts.RUNTIME, target=target)
            check(kernel._code)


@pytest.mark.parametrize(("arch", "saved"), [("x86", "r3 (rbx) at cfa-16"), ("a64", "r30 (x30) at cfa-8")])
def test_binutils_read_the_symbol_file(tmp_path, arch, saved):
    path = tmp_path / "symbols"
    path.write_bytes(gdb.symbol_file(entry_of(arch, batch=ts.STRIDE), ADDRESS))
    symbols = tools.run("readelf", "-sW", str(path)).stdout
    assert any(f"{ADDRESS:016x}" in line and line.endswith("ts_entry") for line in symbols.splitlines())
    done = tools.run("readelf", "--debug-dump=frames", str(path))
    assert f"pc={ADDRESS:016x}" in done.stdout and f"DW_CFA_offset: {saved}" in done.stdout and not done.stderr


def test_vector_registers_have_extended_rules(tmp_path):
    """The kernel saves d8 to d15, whose DWARF numbers are above 63 and need the extended rules."""
    kernel = ts.brgemm(64, 48, 64, target="neon")
    saves = [i for i in kernel._code.instructions if i.form.mnemonic == "stp"]
    path = tmp_path / "symbols"
    path.write_bytes(gdb.symbol_file(kernel._code, ADDRESS))
    frames = tools.run("readelf", "--debug-dump=frames", str(path)).stdout
    assert saves and all(f"DW_CFA_offset_extended: r{72 + i} (v{8 + i})" in frames for i in range(8))
    assert "cfa-64" in frames and "DW_CFA_restore_extended: r79 (v15)" in frames


class Unwinder:
    """libgcc's unwinder, which follows the frames that are registered with it."""

    def __init__(self, library):
        load = library.load_function
        self.ip = load(ffi.typeof("uintptr_t(*)(void *)"), "_Unwind_GetIP")
        self.each = load(ffi.typeof("int(*)(int(*)(void *, void *), void *)"), "_Unwind_Backtrace")
        self.register, self.deregister = (
            load(ffi.typeof("void(*)(char *)"), f"__{name}_frame") for name in ("register", "deregister")
        )

    def backtrace(self):
        """Return the addresses of the frames of this thread."""
        found = []

        @ffi.callback("int(void *, void *)")
        def visit(context, _):
            found.append(self.ip(context))
            return 0

        self.each(visit, ffi.NULL)
        return found

    def frames_around(self, code, address, call):
        """Return the numbers of frames below the code, and from it upwards, during `call`; None if none lies in the
        code.
        """
        described = ffi.new("char[]", eh_frame(code, address))
        self.register(described)
        try:
            found = call()
        finally:
            self.deregister(described)
        inside = [i for i, ip in enumerate(found) if address <= ip < address + code.text_size]
        return (inside[0], len(found) - inside[0]) if inside else None


@pytest.fixture(scope="module")
def unwinder():
    try:
        return Unwinder(_cffi_backend.load_library("libgcc_s.so.1", 1))
    except OSError as error:
        tools.missing(str(error))


@needs_native
@pytest.mark.parametrize("batch", (None, ts.STRIDE))
@pytest.mark.parametrize("release", ("never", "always"))
def test_an_unwinder_passes_through_an_entry(unwinder, batch, release):
    """The kernel is a callback that takes a backtrace, which must reach the interpreter's frames beyond the entry."""
    structure, values = guards_array.gemm_entry(ts.gemm_spec(3, 5, 4, batch=batch), release, 0)
    native, found = entry.native_type(Kernel), []

    @ffi.callback("void(void)")
    def kernel():
        found.extend(unwinder.backtrace())

    values[FUNCTION] = int(ffi.cast("uintptr_t", kernel))
    constants = entry.constants_of(values)
    code = entry_code.emit(structure, entry._runtime(native), entry.scalar_machine())
    address = entry.stay(code)
    target = object.__new__(native.type)

    def slow(*args):
        raise AssertionError("these arguments are right")

    slow.keep = constants, kernel
    native.install(target, address, constants, slow)

    def call():
        target(*right(batch))
        return found

    below, above = unwinder.frames_around(code, address, call)
    assert below > 2 and above > 10


@needs_native
def test_an_unwinder_passes_through_a_stub(unwinder):
    code = entry.with_gil_code(entry.scalar_machine())
    address = entry.stay(code)
    call = ffi.cast("intptr_t(*)(intptr_t, intptr_t, intptr_t, intptr_t)", address)
    found = []

    @ffi.callback("intptr_t(intptr_t, intptr_t, intptr_t)")
    def function(x, y, z):
        found.extend(unwinder.backtrace())
        return x + 10 * y + 100 * z

    def run():
        assert call(int(ffi.cast("uintptr_t", function)), 1, 2, 3) == 321
        return found

    below, above = unwinder.frames_around(code, address, run)
    assert below > 2 and above > 10
