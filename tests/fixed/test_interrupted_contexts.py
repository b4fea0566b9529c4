"""An exception of a signal handler between taking scratch memory, or entering `ts.threads`, and the `try` around its
use lost a slot of scratch memory for good, or left the context open. Another one left the lock of a table closed."""

import dis
import functools
import sys

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.api.dispatch_table import HashTable
from tilesmith.runtime.loops import scratch
from tilesmith.runtime.threads import policy

CHECKED = ("RESUME", "CALL", "JUMP_BACKWARD", "JUMP_ABSOLUTE", "POP_JUMP")
"""Prefixes of the instructions after which CPython runs signal handlers, whose exceptions appear there."""


class Interrupted(Exception):
    pass


@functools.cache
def names(code):
    return {each.offset: each.opname for each in dis.get_instructions(code)}


def places(function, number=None):
    """Call a function. At the place of this number at which a signal handler could run, in this or any function of
    Python that it calls, raise Interrupted. Return the count of such places."""
    count, before = 0, {}

    def trace(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes = True
        if event != "opcode":
            return trace
        last = before.get(id(frame), "")
        before[id(frame)] = names(frame.f_code)[frame.f_lasti]
        if last.startswith(CHECKED):
            count += 1
            if count - 1 == number:
                raise Interrupted
        return trace

    old = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(old)
    return count


def interrupted_everywhere(function, state):
    """Interrupt a function at each place, and compare the state afterwards; return how many places there were."""
    function()
    wanted, count = state(), places(function)
    for number in range(count):
        try:
            places(function, number)
        except Interrupted:
            pass
        else:
            pytest.fail(f"not interrupted at place {number} of {count}")
        assert state() == wanted, f"interrupted at place {number} of {count}"
    function()
    assert state() == wanted
    return count


def slots():
    """Return how many slots of scratch memory are free, with a buffer or without one."""
    free = len(scratch._free) if without_gil() else sum(bool(scratch._slots[2 * each]) for each in range(4))
    return free + len(scratch._empty)


def without_gil():
    return bool(scratch.difference())


@pytest.mark.parametrize("kept", [False, True])
def test_buffers(kept, monkeypatch):
    monkeypatch.setattr(scratch, "forget_all", lambda: None)  # what it frees differs from call to call
    ts.trim()

    def use():
        with scratch.buffer(5000):
            len(())
        if not kept:
            ts.trim()

    assert slots() == 4
    assert interrupted_everywhere(use, slots) > 20
    ts.trim()


def test_trim(monkeypatch):
    monkeypatch.setattr(scratch, "forget_all", lambda: None)  # what it frees differs from call to call

    def use():
        with scratch.buffer(5000), scratch.buffer(6000):
            pass
        ts.trim()

    assert interrupted_everywhere(use, slots) > 20


def test_products():
    a, b = np.ones((140, 160), np.float32), np.ones((150, 160), np.float32)
    made = ts.gemm(140, 150, 160, beta=0.0, threads=1, order="CFC")
    c = np.zeros((140, 150), np.float32)
    addresses = [each.ctypes.data for each in (a, b, c)]
    assert any(made._scratch)
    assert interrupted_everywhere(lambda: made.at(addresses, 1), slots) > 20
    assert (c == 160).all()


def test_tables_of_handles():
    table, kernel = HashTable(), ts.unary("square", 4, 4)

    def use():
        table.forget()
        table.add((1, 2), kernel)

    def state():
        table.add((3, 4), kernel)
        return table.busy.locked(), (3, 4) in table.records, len(table.waiting)

    assert interrupted_everywhere(use, state) > 20 and state() == (False, True, 0)


def open_contexts():
    return ts.num_threads(), len(policy._of_thread.contexts), policy.words() and list(policy._words[0])[0], slots()


@pytest.mark.parametrize("default", [0, 3])
def test_threads(default):
    def use():
        with ts.threads(5):
            assert ts.num_threads() == 5
            with ts.threads(7):
                assert ts.num_threads() == 7
            assert ts.num_threads() == 5

    ts.set_num_threads(default)
    try:
        assert interrupted_everywhere(use, open_contexts) > 20
    finally:
        ts.set_num_threads(0)


def test_a_context_that_is_entered_twice():
    def use():
        both = ts.threads(5)
        with ts.threads(4):
            try:
                with both, ts.threads(6), both:
                    assert ts.num_threads() == 5
                    assert len(policy._of_thread.contexts) == 4
            finally:
                if len(policy._of_thread.contexts) > 1:
                    assert policy._of_thread.contexts[-1].owner() is both  # interrupted at the start of its exit

    assert interrupted_everywhere(use, open_contexts) > 20


def test_a_context_closes_those_inside_it():
    """An exit that was interrupted at its start is made up for by the next one."""
    both, other = ts.threads(5), ts.threads(6)
    before = ts.num_threads()
    both.__enter__()
    other.__enter__()
    both.__enter__()  # which is not left
    other.__exit__(None, None, None)
    assert ts.num_threads() == 5 and len(policy._of_thread.contexts) == 1
    both.__exit__(None, None, None)
    assert ts.num_threads() == before and not policy._of_thread.contexts
    other.__enter__()  # the object goes without a call of its exit
    assert ts.num_threads() == 6
    del other
    assert ts.num_threads() == before and not policy._of_thread.contexts and not policy._open
