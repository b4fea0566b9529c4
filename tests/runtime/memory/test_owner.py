"""Ownership of pages: by capsules if this interpreter has them, otherwise by objects with a finaliser."""

import gc
import os
import sys

import pytest

from tests.guard import PAGE
from tests.this_process import mapped
from tests.threads import switching, together
from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.memory import owner
from tilesmith.runtime.system import libc

ADDRESS_OF_NOTHING = 0


def pages():
    """Map two pages of a new file: anonymous pages could be merged into an adjacent mapping."""
    fd = os.memfd_create("owned")
    try:
        os.truncate(fd, 2 * PAGE)
        return libc.mmap(0, 2 * PAGE, libc.PROT_READ, libc.MAP_SHARED, fd, 0)
    finally:
        os.close(fd)


@pytest.fixture(params=["capsule", "finaliser"])
def own(request):
    if request.param == "finaliser":
        return owner.Finalised
    owning = owner.capsules(memory.publish_for_good)
    if owning is None:
        pytest.skip("this interpreter has no capsules")
    return lambda address, size: memory._owned(owning, address, size)


def test_pages_go_with_the_last_reference(own):
    address = pages()
    first = second = own(address, 2 * PAGE)
    del first
    assert mapped(address)
    del second
    assert not mapped(address)


def test_pages_of_a_cycle_go_with_it(own):
    address = pages()
    cycle = [own(address, 2 * PAGE)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert not mapped(address)


def test_finalisers_find_the_pages_mapped():
    """Finalisers of a cycle run before any object of the cycle is freed, so they find its pages mapped."""
    found = []

    class Holder:
        def __init__(self, block):
            self.block, self.cycle = block, self

        def __del__(self):
            found.append(mapped(self.block.address))

    holders = [Holder(memory.publish(b"\xc3" * 4)) for _ in range(5)]
    holders[0].others = holders
    addresses = [holder.block.address for holder in holders]
    del holders
    gc.collect()
    assert found == [True] * 5
    assert not any(map(mapped, addresses))


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="no capsules")
def test_without_memory_for_a_capsule(monkeypatch):
    """CPython makes no capsule for address 0, as if memory were short; the pages are then unmapped."""
    unmapped = []
    monkeypatch.setattr(libc, "munmap", lambda *range_: unmapped.append(range_))
    owning = owner.capsules(memory.publish_for_good)
    for _ in range(2):  # the second call finds no error of the first
        with pytest.raises(MemoryError, match="owns a kernel's pages"):
            memory._owned(owning, ADDRESS_OF_NOTHING, PAGE)
    assert unmapped == [(ADDRESS_OF_NOTHING, PAGE)] * 2


def test_interpreters_without_capsules(monkeypatch):
    monkeypatch.setattr(owner, "symbol", lambda name: 0)
    assert owner.capsules(memory.publish_for_good) is None
    monkeypatch.undo()
    monkeypatch.setattr(owner, "arch", lambda: "riscv64")
    assert owner.capsules(memory.publish_for_good) is None


@pytest.mark.seconds
def test_threads_that_publish_and_drop():
    """Capsules are made and unmap their pages while other threads do the same."""

    def work():
        for _ in range(200):
            block = memory.publish(b"\xc3" * 4)
            assert mapped(block.address)

    with switching(1e-5):
        together(work, work, work)


def test_code_for_good_outlives_everything():
    address = memory.publish_for_good(b"\xc3" * 4)
    gc.collect()
    assert mapped(address)
    libc.munmap(address, 4)
