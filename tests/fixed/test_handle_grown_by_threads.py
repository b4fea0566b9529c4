"""Threads that grew the table of one `ts.dispatch` handle at the same time could spoil it; now one thread at a time
changes it, and every legal call is answered."""

import os
import signal
import sys
import threading

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.api import dispatch_table as dispatch
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.fastcall.dispatch_code import KERNEL, KEY

THREADS, SHAPES = 8, [(m, k, n) for m in range(1, 6) for k in range(1, 6) for n in range(1, 6)]
native = pytest.mark.skipif(bool(entry.refusal()), reason=entry.refusal())


@pytest.fixture
def quick_switches():
    """Make threads switch as often as the interpreter allows."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def in_threads(work):
    """Run `work` in several threads, each with its number, and return the errors of all threads."""
    wrong = []

    def run(number):
        try:
            work(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def found_in(table):
    """Return the addresses of the kernels by key in the newest table, and the number of used records."""
    words, size = table.table, KEY + table.words
    records = [[words[1 + size * i + j] for j in range(size)] for i in range(words[0] + 1)]
    used = [record for record in records if record[KERNEL]]
    return {tuple(record[KEY:]): record[KERNEL] for record in used}, len(used)


def key(m, k, n, number=0):
    """Return a key of three matrices."""
    return (8 * number + 2, m, k, *[0] * 4, 2, k, n, *[0] * 4, 2, m, n, 0, 0)


def test_calls_of_shapes_that_all_threads_meet_for_the_first_time(quick_switches):
    handle = ts.dispatch(ts.brgemm, beta=0)

    def work(number):
        rng = np.random.default_rng(number)
        for m, k, n in rng.permutation(SHAPES)[:60]:
            a, b, c = np.full((m, k), 2, np.float32), np.ones((k, n), np.float32), np.zeros((m, n), np.float32)
            handle(a, b, c)
            assert (c == 2 * k).all()

    assert in_threads(work) == []


@native
@pytest.mark.parametrize("turn", range(5))
def test_a_table_grown_by_threads_has_every_record_once(quick_switches, turn):
    kernel, table = ts.brgemm(2, 2, 2), dispatch.HashTable()
    keys = [key(m, k, n, number) for number in range(2) for m, k, n in SHAPES]

    def work(number):
        for each in keys[number :: THREADS // 2]:  # two threads add each key
            table.add(each, kernel)

    assert in_threads(work) == []
    found, used = found_in(table)
    assert used == len(found) == len(keys)
    assert set(found) == set(keys) and set(found.values()) == {id(kernel)}
    assert 2 * used <= table.table[0] + 1


@native
def test_a_signal_in_the_middle_of_a_change_grows_the_same_handle(monkeypatch):
    """The record that the signal handler adds waits until the interrupted change is finished."""
    kernel, table, insert = ts.brgemm(2, 2, 2), dispatch.HashTable(), dispatch._insert
    inner, outer = key(1, 2, 3), key(4, 5, 6)

    def interrupted(words, count, each, record, time):
        if each == outer:
            table.add(inner, kernel)
        insert(words, count, each, record, time)

    monkeypatch.setattr(dispatch, "_insert", interrupted)
    table.add(outer, kernel)
    assert set(found_in(table)[0]) == {inner, outer}


@native
def test_a_child_forked_while_a_thread_changes_the_table_goes_on(monkeypatch):
    kernel, table, insert = ts.brgemm(2, 2, 2), dispatch.HashTable(), dispatch._insert
    begun, go = threading.Event(), threading.Event()
    first, second = key(1, 2, 3), key(4, 5, 6)

    def slow(*args):
        begun.set()
        go.wait(10)
        insert(*args)

    monkeypatch.setattr(dispatch, "_insert", slow)
    thread = threading.Thread(target=table.add, args=(first, kernel))
    thread.start()
    begun.wait(10)
    child = os.fork()
    if not child:
        signal.alarm(10)
        dispatch._insert = insert
        table.add(second, kernel)
        os._exit(0 if set(found_in(table)[0]) == {first, second} else 1)
    go.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
