"""Executable memory: every rung, what must never be possible with its pages, and what is said when all are refused."""

import copy
import ctypes
import errno
import gc
import mmap
import os
import pickle
import platform
import signal
import subprocess
import sys

import pytest

from tests.guard import PAGE, run_forked
from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.system import libc

RUNGS = ("sealed", "memfd", "anonymous")
MEMFDS = RUNGS[:2]
FAULT = -signal.SIGSEGV


def answering(number):
    """A function that returns a number below 256; GNU as gives these bytes."""
    if platform.machine() == "aarch64":
        return (0x5280_0000 | number << 5).to_bytes(4, "little") + bytes.fromhex("c0035fd6")  # movz w0, #number; ret
    return bytes([0xB8, number]) + bytes.fromhex("000000c3")  # mov eax, number; ret


ANSWER = answering(42)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """No rung is forced or remembered, nothing stays remembered for other tests; what makes owners is there."""
    memory._owner()
    monkeypatch.delenv(memory.FORCE, raising=False)
    monkeypatch.setattr(memory, "_refused", {})


def asked_otherwise(rung):
    """Executable pages by Python's own system calls; OSError where this host gives none this way."""
    if rung == "anonymous":
        pages = mmap.mmap(-1, PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
        c = ctypes.CDLL(None, use_errno=True)
        address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        if c.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "mprotect")
        return
    fd = os.memfd_create("asked", os.MFD_ALLOW_SEALING if rung == "sealed" else 0)
    try:
        os.truncate(fd, PAGE)
        mmap.mmap(fd, PAGE, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
    finally:
        os.close(fd)


@pytest.fixture(params=RUNGS)
def rung(request, monkeypatch):
    """Each rung in turn, forced, where this host allows it: asked without our code, whose mistakes must show."""
    try:
        asked_otherwise(request.param)
    except OSError as refusal:
        pytest.skip(f"{request.param}: {refusal}")
    monkeypatch.setenv(memory.FORCE, request.param)
    return request.param


def call(block):
    return libc.ffi.cast("int(*)(void)", block.address)()


def contents(block):
    return bytes(libc.ffi.buffer(libc.ffi.cast("char *", block.address), block.size))


def write(where):
    libc.ffi.cast("char *", where)[0] = b"\xc3"


def mappings():
    """(first address, permissions, line) of every mapping of this process."""
    with open("/proc/self/maps") as maps:
        return [(int(line.split("-")[0], 16), line.split()[1], line) for line in maps]


def permissions(block):
    return [permission for address, permission, _ in mappings() if address == block.address]


def refuse(monkeypatch, rung, code, message="mmap: refused by the test"):
    """Make one rung fail; the list that is returned grows by one at each attempt."""
    attempts = []

    def refused(code_bytes):
        attempts.append(rung)
        raise OSError(code, message)

    monkeypatch.setitem(memory._RUNGS, rung, refused)
    return attempts


def failing(monkeypatch, name, code, when):
    """Make the libc function fail with an errno for the calls whose arguments satisfy `when`."""
    real = getattr(libc, name)

    def call(*arguments):
        if when(*arguments):
            raise OSError(code, f"{name}: {os.strerror(code)}")
        return real(*arguments)

    monkeypatch.setattr(libc, name, call)


# Every rung


def test_code_runs(rung):
    block = memory.publish(ANSWER)
    assert (call(block), block.size, block.method) == (42, len(ANSWER), rung)


@pytest.mark.parametrize("size", [1, PAGE - 1, PAGE, PAGE + 1, 5 * PAGE + 7])
def test_bytes_arrive_and_the_rest_of_the_page_is_zero(rung, size):
    code = bytes(range(1, 256)) * (size // 255 + 1)
    block = memory.publish(code[:size])
    assert contents(block) == code[:size]
    slack = libc.ffi.buffer(libc.ffi.cast("char *", block.address + size), -size % PAGE)
    assert not any(bytes(slack))


def test_pages_are_readable_and_executable_only(rung):
    (permission,) = permissions(memory.publish(ANSWER))
    assert permission in ("r-xs", "r-xp")


def test_writing_faults(rung):
    block = memory.publish(ANSWER)
    assert run_forked(lambda: write(block.address)) == FAULT
    assert contents(block) == ANSWER


def test_collected_block_is_unmapped(rung):
    block = memory.publish(ANSWER * PAGE)
    address = block.address
    assert permissions(block)
    del block
    gc.collect()
    assert not [line for first, _, line in mappings() if first == address]


def test_fork_shares_nothing_that_is_written(rung):
    block = memory.publish(ANSWER)

    def child():
        theirs = [memory.publish(answering(n)) for n in range(50)]
        assert [call(kernel) for kernel in theirs] == list(range(50))
        assert call(block) == 42

    assert run_forked(child) == 0
    assert call(block) == 42


def test_no_file_descriptor_stays_open(rung):
    before = os.listdir("/proc/self/fd")
    blocks = [memory.publish(ANSWER) for _ in range(20)]
    assert os.listdir("/proc/self/fd") == before
    assert len({block.address for block in blocks}) == 20


@pytest.mark.parametrize("rung", MEMFDS)
def test_descriptor_is_closed_when_mapping_fails(rung, monkeypatch):
    monkeypatch.setenv(memory.FORCE, rung)
    failing(monkeypatch, "mmap", errno.EACCES, lambda *_: True)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(memory.ExecutableMemoryError, match="mmap: Permission denied"):
        memory.publish(ANSWER)
    assert os.listdir("/proc/self/fd") == before


def test_anonymous_pages_are_unmapped_when_the_flip_is_refused(monkeypatch):
    monkeypatch.setenv(memory.FORCE, "anonymous")
    unmapped, munmap = [], libc.munmap
    monkeypatch.setattr(libc, "munmap", lambda *range_: unmapped.append(range_) or munmap(*range_))
    failing(monkeypatch, "mprotect", errno.EACCES, lambda *_: True)
    with pytest.raises(memory.ExecutableMemoryError, match="mprotect: Permission denied"):
        memory.publish(ANSWER)
    assert len(unmapped) == 1


@pytest.mark.seconds
def test_two_thousand_blocks_leave_no_mapping():
    def ours():
        return sum("memfd:tilesmith" in line for *_, line in mappings())

    gc.collect()
    before = ours()
    blocks = [memory.publish(ANSWER) for _ in range(2000)]
    assert ours() - before == 2000
    blocks.clear()
    for _ in range(2000):
        memory.publish(ANSWER)
    gc.collect()
    assert ours() == before


# Sealing


def test_sealed_is_the_first_choice():
    assert memory.publish(ANSWER).method == "sealed"


def sealed_file():
    fd = memory._memfd(ANSWER, libc.MFD_ALLOW_SEALING)
    libc.fcntl(fd, libc.F_ADD_SEALS, memory._SEALS)
    return fd


@pytest.mark.parametrize(
    "change",
    [
        lambda fd: libc.pwrite(fd, b"\xc3", 1, 0),
        lambda fd: os.ftruncate(fd, 0),
        lambda fd: os.ftruncate(fd, PAGE),
        lambda fd: libc.mmap(0, 1, libc.PROT_READ | libc.PROT_WRITE, libc.MAP_SHARED, fd, 0),
        lambda fd: libc.fcntl(fd, libc.F_ADD_SEALS, libc.F_SEAL_WRITE),
    ],
    ids=["write", "shrink", "grow", "map writable", "seal again"],
)
def test_sealed_file_refuses(change):
    fd = sealed_file()
    with pytest.raises(PermissionError):
        change(fd)
    os.close(fd)


def test_sealed_pages_cannot_be_made_writable():
    block = memory.publish(ANSWER)
    if permissions(block) == ["r-xp"]:
        pytest.skip("Linux < 6.7 maps a sealed file privately, where mprotect gives the caller a copy of its own")
    with pytest.raises(PermissionError, match="mprotect"):
        libc.mprotect(block.address, block.size, libc.PROT_READ | libc.PROT_WRITE)
    assert permissions(block) == ["r-xs"]


# Older kernels


def test_kernel_without_mfd_exec(monkeypatch):
    failing(monkeypatch, "memfd_create", errno.EINVAL, lambda name, flags: flags & libc.MFD_EXEC)
    assert memory.publish(ANSWER).method == "sealed"


def test_kernel_that_shares_no_sealed_file(monkeypatch):
    failing(monkeypatch, "mmap", errno.EPERM, lambda *arguments: arguments[3] == libc.MAP_SHARED)
    block = memory.publish(ANSWER)
    assert (block.method, permissions(block), contents(block)) == ("sealed", ["r-xp"], ANSWER)


def test_c_library_without_memfd_create(monkeypatch):
    monkeypatch.delitem(libc.__dict__, "memfd_create", raising=False)
    monkeypatch.setitem(libc._SIGNATURES, "memfd_create", "int(void)")

    class Missing:
        def load_function(self, ctype, name):
            raise AttributeError(name)

    monkeypatch.setattr(libc, "_PROCESS", Missing())
    with pytest.raises(OSError, match="memfd_create: this C library has no such function"):
        libc.memfd_create(b"tilesmith", 0)


# Refusals


@pytest.mark.parametrize("code", [errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL])
def test_refused_rung_is_not_tried_again(monkeypatch, code):
    attempts = refuse(monkeypatch, "sealed", code)
    assert [memory.publish(ANSWER).method for _ in range(3)] == ["memfd"] * 3
    assert len(attempts) == 1


@pytest.mark.parametrize("code", [errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC])
def test_rung_in_want_is_tried_again(monkeypatch, code):
    attempts = refuse(monkeypatch, "sealed", code)
    assert [memory.publish(ANSWER).method for _ in range(3)] == ["memfd"] * 3
    assert len(attempts) == 3


def test_all_rungs_are_asked_again_after_all_were_refused(monkeypatch):
    with monkeypatch.context() as lifted_later:
        refuse(lifted_later, "sealed", errno.EPERM)
        assert memory.publish(ANSWER).method == "memfd"
        for each in RUNGS:
            refuse(lifted_later, each, errno.EPERM)
        with pytest.raises(memory.ExecutableMemoryError, match=r"(?s)sealed.*memfd.*anonymous"):
            memory.publish(ANSWER)
    assert memory.publish(ANSWER).method == "sealed"


def test_forced_rung_is_not_left_nor_remembered(monkeypatch):
    refuse(monkeypatch, "memfd", errno.EPERM)
    monkeypatch.setenv(memory.FORCE, "memfd")
    with pytest.raises(memory.ExecutableMemoryError) as refusal:
        memory.publish(ANSWER)
    assert not any(each in str(refusal.value) for each in ("sealed", "anonymous"))
    assert memory._refused == {}


def test_refusal_lists_every_rung_with_its_error_and_the_policies(monkeypatch):
    for each in RUNGS:
        refuse(monkeypatch, each, errno.EPERM, f"call of {each}: no")
    system = {
        "/proc/sys/vm/memfd_noexec": "2",
        "/sys/fs/selinux/enforce": "1",
        "/proc/self/status": "Name:\tpython\nSeccomp:\t2\n",
    }
    monkeypatch.setattr(memory, "_read", lambda path: system.get(path, ""))
    with pytest.raises(memory.ExecutableMemoryError) as refusal:
        memory.publish(ANSWER)
    text = str(refusal.value)
    assert all(f"call of {each}: no" in text for each in RUNGS)
    assert (text.count("memfd_noexec = 2"), text.count("SELinux"), text.count("seccomp")) == (2, 3, 3)


def test_refusal_by_nobody_visible_says_so(monkeypatch):
    refuse(monkeypatch, "sealed", errno.EPERM)
    monkeypatch.setenv(memory.FORCE, "sealed")
    monkeypatch.setattr(memory, "_read", lambda path: "")
    with pytest.raises(memory.ExecutableMemoryError, match="no known policy is visible"):
        memory.publish(ANSWER)


def test_shortage_names_the_limit_and_no_policy(monkeypatch):
    refuse(monkeypatch, "sealed", errno.ENOMEM)
    monkeypatch.setenv(memory.FORCE, "sealed")
    with pytest.raises(memory.ExecutableMemoryError, match=r"max_map_count = \d+") as refusal:
        memory.publish(ANSWER)
    assert "policy" not in str(refusal.value)


def has_mdwe():
    try:
        return libc.prctl(libc.PR_GET_MDWE, 0, 0, 0, 0) >= 0
    except OSError:
        return False


@pytest.mark.skipif(not has_mdwe(), reason="this kernel has no PR_SET_MDWE (Linux 6.3)")
def test_under_mdwe_memfds_work_and_anonymous_pages_are_explained():
    def child():
        libc.prctl(libc.PR_SET_MDWE, libc.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)
        for each in MEMFDS:
            os.environ[memory.FORCE] = each
            assert contents(memory.publish(ANSWER)) == ANSWER
        del os.environ[memory.FORCE]
        assert memory.publish(ANSWER).method == "sealed"
        os.environ[memory.FORCE] = "anonymous"
        with pytest.raises(memory.ExecutableMemoryError, match=r"mprotect: Permission denied\n.*PR_SET_MDWE"):
            memory.publish(ANSWER)

    assert run_forked(child) == 0


NOEXEC = """
from tilesmith.runtime.memory import executable as memory
print(memory.publish(b"\\xc3").method, *memory._refused)
memory._RUNGS = {rung: memory._RUNGS[rung] for rung in ("sealed", "memfd")}
memory._refused.clear()
try:
    memory.publish(b"\\xc3")
except memory.ExecutableMemoryError as error:
    print(str(error).count("vm.memfd_noexec = 2 refuses"))
"""


def test_where_memfds_must_not_be_executable_anonymous_pages_serve():
    # The setting belongs to the pid namespace: nobody else on this host notices.
    namespace = ["unshare", "--pid", "--fork", "sh", "-c", 'echo 2 >/proc/sys/vm/memfd_noexec || exit 77; "$@"', "sh"]
    try:
        result = subprocess.run([*namespace, sys.executable, "-c", NOEXEC], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no unshare (util-linux)")
    if result.returncode and "Traceback" not in result.stderr:
        pytest.skip(f"cannot set vm.memfd_noexec in a namespace: {result.stderr.strip()}")
    assert result.stdout.splitlines() == ["anonymous sealed memfd", "2"], result.stderr


def test_unknown_force_is_explained(monkeypatch):
    monkeypatch.setenv(memory.FORCE, "malloc")
    with pytest.raises(ValueError, match=r"TILESMITH_EXECMEM=malloc.*sealed\|memfd\|anonymous"):
        memory.publish(ANSWER)
    monkeypatch.setenv(memory.FORCE, "")
    assert memory.publish(ANSWER).method == "sealed"


def test_no_code_is_an_error():
    with pytest.raises(ValueError, match="empty"):
        memory.publish(b"")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_block_has_one_owner(duplicate):
    with pytest.raises(TypeError, match="publish the code again"):
        duplicate(memory.publish(ANSWER))


# The process around it


def python(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)


def test_interpreter_shutdown_is_silent():
    program = """
from tilesmith.runtime.memory import executable as memory
class Cycle: pass
kept, cycle = memory.publish(b"\\xc3"), Cycle()
cycle.cycle, cycle.block = cycle, memory.publish(b"\\xc3")
memory.libc.kept = memory.publish(b"\\xc3")
"""
    assert python(program).stderr == ""


def test_import_needs_no_cffi_parser_ctypes_or_mmap():
    banned = {"cffi", "pycparser", "ctypes", "mmap"}
    program = (
        "import sys, numpy; before = set(sys.modules); import tilesmith; "
        f"print({banned} & (set(sys.modules) - before) or 'none')"
    )
    assert python(program).stdout.strip() == "none"


def test_libc_failure_names_the_call():
    with pytest.raises(OSError, match="mmap: Invalid argument") as failure:
        libc.mmap(0, 0, libc.PROT_READ, libc.MAP_PRIVATE | libc.MAP_ANONYMOUS, -1, 0)
    assert failure.value.errno == errno.EINVAL


def test_libc_lists_what_it_has():
    with pytest.raises(AttributeError, match="libc declares no 'fork'; it has memfd_create, "):
        _ = libc.fork
