"""The table of a handle: its most recently called kernels, keyed by the types, shapes and strides of the arguments."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Sequence
from threading import Lock
from typing import Any
from weakref import WeakSet

import numpy as np

from ...encoder.records import NamedTuple
from ..fastcall import entry
from ..fastcall.dispatch_code import ABSENT, CLOCK, ENTRY, KERNEL, KEY, STAMP, TABLE, home_slot, words_of
from ..system import cpython
from ..system.libc import ffi

LARGEST = 256
"""The most kernels of a handle. When one more is added, the eighth of them with the oldest calls is removed."""
_OUT = sys.intern("out")  # interned, so it is the same object as the callers' keyword names
_SMALLEST = 16  # the fewest records of a table, at most half of which are in use

Key = tuple[int, ...]


def key_of(args: Sequence[Any], axes: Sequence[int]) -> Key:
    """Return the key of a kernel, as machine code computes it. It is longer for arrays with more axes than that."""
    words: list[int] = []
    for position, most in enumerate(axes):
        array = args[position] if position < len(args) else None
        if type(array) is not np.ndarray:
            words += [ABSENT, *[0] * (2 * most)]
            continue
        words.append(8 * array.dtype.num + array.ndim)
        steps = [word for pair in zip(array.shape, array.strides) for word in pair]
        words += steps + [0] * (2 * most - len(steps))
    return tuple(words)


class Record(NamedTuple):
    """A kernel or an operation of kernels, which the handle keeps alive, and its entry code, or 0 if calls go through
    Python."""

    kernel: Any
    code: int
    transposed: bool = False  # whether it is called with the transposes of its arguments


class HashTable:
    """The hash table that machine code searches. A handle's constants point to `head`.

    Machine code searches the table while its thread holds the GIL, so it only sees states between two stores of
    Python's; a build without the GIL has no such code (cpython.refusal). Every intermediate state can be searched: a
    record is free until its last word is stored, and a table is complete before `head` points to it. A full table is
    replaced by one of twice the size. One with LARGEST records is replaced by one without those whose last calls are
    the oldest. Machine code never reads a table while Python changes `head`, and it holds a reference to the kernel
    that it calls.

    Only one thread at a time changes the table, and no thread waits for another: records stay in `waiting` until the
    working thread inserts them. So a signal handler or a finaliser that calls the handle during a change never meets a
    lock that its own thread holds, and a child process never meets one held by a thread that it does not have.
    """

    def __init__(self, axes: Sequence[int] = (3, 3, 2)) -> None:
        self.axes, self.words = tuple(axes), words_of(axes)
        self.head = ffi.new("uintptr_t[5]", [id(np.ndarray), 0, 0, id(int), id(_OUT)])
        self.records: dict[Key, Record] = {}
        self.seen: dict[Key, int] = {}  # when Python last found a record; machine code records its own times
        self.waiting: deque[tuple[Key, Record] | None] = deque()  # None: all records are dropped
        self.busy = Lock()
        self.table: Any = None
        self._renew(_SMALLEST, {})
        _tables.add(self)

    def find(self, key: Key) -> Record | None:
        """Return the record of a key, which is being called now."""
        record = self.records.get(key)
        if record is not None:
            self.seen[key] = self._now()
        return record

    def add(self, key: Key, kernel: Any, transposed: bool = False) -> Record:
        """Keep the kernel, and let machine code find it if it can call it."""
        native = entry.native_of(kernel)
        code = cpython.word(id(kernel) + native.vectorcall) if native else 0
        record = Record(kernel, 0 if transposed or len(key) != self.words else code, transposed)
        self.seen[key] = self._now()
        self._change((key, record))
        return record

    def forget(self) -> None:
        """Drop all kernels. Each is found again by the call that needs it."""
        self._change(None)

    def _change(self, change: tuple[Key, Record] | None) -> None:
        """Insert a record, or drop all."""
        self.waiting.append(change)
        # The working thread looks again after it has finished, so changes that came too late for it are not left
        # behind. A signal handler may raise between two calls, so a single step in C takes the lock and notes it.
        mine = [True]
        while self.waiting and mine:
            mine = []
            try:
                mine += filter(None, map(self.busy.acquire, (False,)))
                if mine:
                    self._publish()
            finally:
                for _ in mine:
                    self.busy.release()

    def _publish(self) -> None:
        """Make the waiting changes. A record waits until it is inserted, so a forked process inserts it itself."""
        while self.waiting:
            change = self.waiting[0]
            if change is None:
                self._renew(_SMALLEST, {})
                self.records, self.seen = {}, {}
                self.waiting.popleft()
                continue
            key, record = change
            if key not in self.records:
                size, kept = self.table[0] + 1, self.records
                if len(kept) >= LARGEST:
                    kept = self._latest(LARGEST - LARGEST // 8)
                if kept is not self.records or 2 * (len(kept) + 1) > size:
                    kept = {**kept, key: record}
                    self._renew(size if 2 * len(kept) <= size else 2 * size, kept)
                    # kernels that are dropped are freed only after machine code can no longer find them
                    self.records = kept
                    self.seen = {each: time for each, time in list(self.seen.items()) if each in kept}
                else:
                    if record.code:
                        _insert(self.table, self.axes, key, record, self._now())
                    self.records[key] = record
            self.waiting.popleft()

    def _now(self) -> int:
        self.head[CLOCK] += 1
        return int(self.head[CLOCK])

    def _latest(self, count: int) -> dict[Key, Record]:
        """Return the records with the latest calls, in their old order."""
        times, seen = _times(self.table, self.words), self.seen
        order = {key: (max(times.get(key, 0), seen.get(key, 0)), i) for i, key in enumerate(self.records)}
        chosen = set(sorted(order, key=order.__getitem__)[-count:])
        return {key: record for key, record in self.records.items() if key in chosen}

    def _renew(self, size: int, records: dict[Key, Record]) -> None:
        times = {} if self.table is None else _times(self.table, self.words)
        table = ffi.new("int64_t[]", 1 + (KEY + self.words) * size)
        table[0] = size - 1
        for key, record in records.items():
            if record.code:
                _insert(table, self.axes, key, record, times.get(key) or self._now())
        self.head[TABLE] = int(ffi.cast("uintptr_t", table))
        self.table = table


def _times(table: Any, words: int) -> dict[Key, int]:
    """Return the time of each record's last call."""
    size = KEY + words
    starts = [1 + size * i for i in range(table[0] + 1)]
    return {tuple(table[start + KEY : start + size]): table[start + STAMP] for start in starts if table[start + KERNEL]}


def _insert(table: Any, axes: tuple[int, ...], key: Key, record: Record, time: int) -> None:
    """Insert a record. The kernel is stored last; before that the record is free."""
    mask, size = table[0], KEY + len(key)
    i = home_slot(key, mask, axes)
    while table[1 + size * i + KERNEL]:
        i = (i + 1) & mask
    start = 1 + size * i
    for offset, value in enumerate(key):
        table[start + KEY + offset] = value
    table[start + STAMP], table[start + ENTRY] = time, record.code
    table[start + KERNEL] = id(record.kernel)


_tables: WeakSet[HashTable] = WeakSet()


def _forked() -> None:
    """Renew the locks in a child process, because the thread that was changing a table may not exist there."""
    for table in _tables:
        table.busy = Lock()


os.register_at_fork(after_in_child=_forked)
