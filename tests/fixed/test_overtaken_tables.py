"""Another thread could change indices and tables between the check and the kernel; now kernels read what was
checked."""

import gc
import threading
import time

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tilesmith as ts
from tests.guard import address, guarded, run_forked
from tests.threads import switching
from tilesmith.runtime.fastcall import entry

NAN = np.float32("nan")
SIZE, PAIRS = 128, 400
PLACES, LONG = 250, 1 << 16  # numpy releases the GIL for more than 500 elements, which it must not do here
each_way = pytest.mark.parametrize("way", ("machine code", "cffi"))


def way_of(kernel, way):
    """Return a function that calls the kernel by machine code or by Python."""
    if way == "machine code" and entry.refusal():
        pytest.skip(entry.refusal())
    return kernel if way == "machine code" else kernel._checked


def overtaken(call, *tables):
    """Make the call twice; in the second one, another thread writes to each table as soon as the GIL is released, which
    a kernel does. The first call imports what it needs, which releases the GIL, too, and so does a garbage collection
    that unmaps the code of an old kernel. The thread begins while none is forced to release the GIL, so it can only
    wait for the event once it is there, and not for the GIL with the usual interval."""
    call()
    gc.collect()
    gc.disable()
    begun = threading.Event()

    def write():
        begun.wait()
        for table, other in tables:
            table[...] = other

    thread = threading.Thread(target=write)
    try:
        with switching(100):  # seconds
            thread.start()
            while not begun._cond._waiters:
                time.sleep(0.001)
            begun.set()
            call()
    finally:
        gc.enable()
    thread.join()


@each_way
@pytest.mark.parametrize("batch", (ts.OFFSET, ts.ADDRESS), ids=str)
def test_tables_of_a_batch(batch, way):
    a, b, c = (np.ones((count, SIZE, SIZE), np.float32) for count in (2, 1, 1))
    a[1], c = NAN, np.zeros_like(c[0])
    mm = way_of(ts.brgemm(SIZE, SIZE, SIZE, batch=batch, release_gil=True), way)
    if batch is ts.OFFSET:
        table, other = np.zeros(PAIRS, np.int64), np.zeros(PAIRS, np.int64)
        overtaken(lambda: mm(a, b, c, table, other), (table, a[0].nbytes))
    else:
        table, other = np.full(PAIRS, address(a), np.uint64), np.full(PAIRS, address(b), np.uint64)
        overtaken(lambda: mm(table, other, c), (table, address(a[1])))
    assert (c == 2 * SIZE * PAIRS).all()


def test_index_of_a_gather():
    x, index, y = np.ones((2, LONG), np.float32), np.zeros(PLACES, np.int64), np.zeros((PLACES, LONG), np.float32)
    x[1] = NAN
    gather = ts.gather("rows", PLACES, LONG, size=2)
    overtaken(lambda: gather(x, index, y), (index, 1))
    assert (y == 1).all()


def checked(kernel, *given):
    """Return the positions of the arguments that the kernel gets without a copy."""
    integers, _ = kernel.kind.call(kernel.spec)(*given)
    return [place for place, (integer, array) in enumerate(zip(integers, given)) if integer == address(array)]


def test_what_a_call_looks_at_is_copied():
    """Every index and the offsets of bags are copied. These kernels are too fast for a test with another thread."""
    wide, narrow, line = np.ones((6, 6), np.float32), np.ones((2, 6), np.float32), np.ones(9, np.float32)
    two, six, offsets = np.arange(2), np.arange(6), np.array([0, 1, 2])
    for verb in (ts.gather, ts.scatter):
        for by, given in (
            ("rows", (wide, two, narrow)),
            ("columns", (np.ones((2, 9), np.float32), six, narrow)),
            ("offsets", (line, np.arange(6).reshape(2, 3), np.ones((2, 3), np.float32))),
        ):
            m, n = given[2].shape
            kernel = verb(by, m, n, size=given[0].shape[0 if by == "rows" else -1])
            assert checked(kernel, *(given if verb is ts.gather else given[::-1])) == [0, 2]
    bag = ts.embedding_bag(2, 6, size=6, count=6)
    assert checked(bag, wide, six, offsets, narrow) == [0, 3]
    weighted = ts.embedding_bag(2, 6, size=6, count=6, weights=True)
    assert checked(weighted, wide, six, np.ones(6, np.float32), offsets, narrow) == [0, 2, 4]


@pytest.mark.parametrize("way", ("offsets", "offsets without the GIL", "index"))
def test_an_entry_that_changes_all_the_time(way):
    """The writes need no GIL, so they also happen during a kernel that keeps it. No call may fault."""
    a = guarded(np.zeros((4, 4), np.float32), "end")
    table, places = np.zeros(1000, np.int64), np.zeros(1000, np.int64)
    if way == "index":
        gather, y = ts.gather("rows", 1000, 4, size=4, release_gil=True), np.zeros((1000, 4), np.float32)
        kernel, given = way_of(gather, "machine code"), (a, table, y)
    else:
        mm = ts.brgemm(4, 4, 4, batch=ts.OFFSET, release_gil=way != "offsets")
        b, c = np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32)
        kernel, given = way_of(mm, "machine code"), (a, b, c, table, places)
    values = np.tile(np.repeat(np.array([0, a.nbytes], np.int8), 1000), 2000)  # a microsecond each
    entry_500 = as_strided(table[500:], values.shape, (0,))

    def write():
        for _ in range(20):
            np.copyto(entry_500, values)

    def calls():
        writer = threading.Thread(target=write)
        with switching(1e-4):
            writer.start()
            while writer.is_alive():
                try:
                    kernel(*given)
                except (ValueError, IndexError) as error:
                    assert "inside the memory of a" in str(error) or "x has 4 rows" in str(error)

    assert run_forked(calls) == 0
