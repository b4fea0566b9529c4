"""Executable memory: every method of making it, the properties that its pages must have, and the process around it."""

import copy
import errno
import gc
import os
import pickle
import subprocess
import sys

import pytest

from tests.guard import PAGE, run_forked
from tests.runtime.memory.rungs import (
    ANSWER,
    FAULT,
    MEMFDS,
    answering,
    call,
    contents,
    failing,
    mappings,
    permissions,
    write,
)
from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.system import environment, libc

pytestmark = pytest.mark.usefixtures("fresh")

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
    monkeypatch.setenv(environment.EXECMEM, rung)
    failing(monkeypatch, "mmap", errno.EACCES, lambda *_: True)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(memory.ExecutableMemoryError, match="mmap: Permission denied"):
        memory.publish(ANSWER)
    assert os.listdir("/proc/self/fd") == before


def test_anonymous_pages_are_unmapped_when_the_flip_is_refused(monkeypatch):
    monkeypatch.setenv(environment.EXECMEM, "anonymous")
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
