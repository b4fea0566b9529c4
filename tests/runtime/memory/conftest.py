"""Fixtures of executable memory: every rung in turn, and a process without remembered refusals."""

import ctypes
import mmap
import os

import pytest

from tests.guard import PAGE
from tests.runtime.memory.rungs import RUNGS
from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.system import environment


@pytest.fixture
def fresh(monkeypatch):
    """No rung is forced or remembered, and nothing is remembered for other tests. The code that makes owners exists."""
    memory._owning()
    monkeypatch.delenv(environment.EXECMEM, raising=False)
    monkeypatch.setattr(memory, "_refused", {})


def asked_otherwise(rung):
    """Request executable pages by Python's own system calls; raise OSError if this host does not permit them."""
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
    """Each rung in turn, forced, if this host permits it. The check does not use our code, so that its mistakes
    show."""
    try:
        asked_otherwise(request.param)
    except OSError as refusal:
        pytest.skip(f"{request.param}: {refusal}")
    monkeypatch.setenv(environment.EXECMEM, request.param)
    return request.param
