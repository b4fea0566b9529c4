"""The loop over rows in compressed form: the entries of row b are p from offsets[b] to offsets[b + 1] - 1.

Each entry names a row of a table by index[p], and may name one of a second table by index_t[p]. What has an element or
a row for each entry (weights, rows of edges, results of entries) is pointed at, too. If the kernel checks bounds,
entries that name a row outside are skipped, and the first of them is noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ...encoder.records import NamedTuple
from ..contract.machine import Amount, General, Machine, Slot
from ..contract.vector_verbs import claimed
from ..dtypes import ELEMENT_BYTES
from .bag_spec import BagSpec


class RowTable(NamedTuple):
    """A table of rows that an index names: the names of both among the pointers, the extent that limits the index, the
    bytes from row to row, and the register of a row's address."""

    name: str
    indexed_by: str
    size: str
    stride: int
    place: General


class Along(NamedTuple):
    """A pointer to what an entry has of its own: the name of the array among the pointers, the bytes of an entry, and
    the register of its address."""

    name: str
    stride: int
    place: General


class CompressedRows:
    """Emits the loop over the entries of a row.

    position        p, the number of the current entry
    left            the number of entries of the row that are left
    row             the index itself, or a limit that it is compared with
    """

    def __init__(
        self, m: Machine, spec: BagSpec, pointers: Mapping[str, General], extents: Mapping[str, Amount], checked: bool
    ) -> None:
        self.m, self.spec, self.pointers, self.extents = m, spec, pointers, extents
        self.position, self.left, self.row = (m.general(role) for role in ("p", "indices", "row"))
        bytes_in, bytes_out = ELEMENT_BYTES[spec.dtype], ELEMENT_BYTES[spec.acc_dtype]
        self.tables = [RowTable("x", "index", "size", spec.ldx * bytes_in, m.general("place"))]
        if spec.second == "table":
            self.tables.append(RowTable("t", "index_t", "second_size", spec.ldt * bytes_in, m.general("place of t")))
        along = {
            "weights": bytes_out if spec.weighted else 0,
            "t": spec.ldt * bytes_in if spec.second == "entries" else 0,
            "y": spec.ldy * bytes_out if spec.each else 0,
        }
        self.along = [Along(name, stride, m.general(f"{name} of p")) for name, stride in along.items() if stride]
        self.ahead = m.general("ahead") if spec.prefetch else None
        self.first_bad = m.general("first bad") if checked else None

    @property
    def place(self) -> General:
        """The address of the row of the table, which may be used for other values between entries."""
        return self.tables[0].place

    def places(self) -> dict[str, General]:
        """Return the registers that hold an address for the current entry, keyed by the arrays' names."""
        return {**{each.name: each.place for each in self.tables}, **{each.name: each.place for each in self.along}}

    def ends(self) -> None:
        """Load the position of the row's first entry, and the position after its last one."""
        m = self.m
        m.load_index(self.position, self.pointers["offsets"], 0, 8)
        m.load_index(self.left, self.pointers["offsets"], 8, 8)
        if self.first_bad is not None:  # offsets beyond the index are cut to its end
            m.copy(self.row, self.extents["count"])
            m.lower(self.position, self.row)
            m.lower(self.left, self.row)

    @contextmanager
    def unless_empty(self) -> Iterator[None]:
        """Run the body if the row has entries, whose number is in `left` then."""
        self.ends()
        with self.m.within(self.position, self.left):
            self.m.advance(self.left, self.position, -1)
            yield

    def begin(self) -> None:
        """Point at what the first entry has of its own."""
        for each in self.along:
            self.m.copy(each.place, self.pointers[each.name])
            self.m.advance(each.place, self.position, each.stride)

    @contextmanager
    def entries(self, columns: int) -> Iterator[None]:
        """Run the body for each of the entries that are left: of a block of this many columns, or of all."""
        m = self.m
        with m.loop(self.left, self.left):
            self._prefetch(columns)
            with self._named(0):
                yield
            m.advance(self.position, 1)
            for each in self.along:
                m.advance(each.place, each.stride)

    @contextmanager
    def _named(self, number: int) -> Iterator[None]:
        """Run the body with the addresses of the rows that the entry names, from this table on."""
        m = self.m
        if number == len(self.tables):
            yield
            return
        table = self.tables[number]
        m.load_index(self.row, self.pointers[table.indexed_by], 0, ELEMENT_BYTES[self.spec.index], self.position)
        with self._inside(table):
            self._point(table)
            with self._named(number + 1):
                yield

    @contextmanager
    def _inside(self, table: RowTable) -> Iterator[None]:
        """Run the body; if the kernel checks indices, only for those within bounds, and note the first that is not."""
        m = self.m
        if self.first_bad is None:
            yield
            return
        m.copy(table.place, self.extents[table.size])
        with m.beyond(self.row, table.place):
            m.lower(self.first_bad, self.position)
        with m.within(self.row, table.place):
            yield

    def _point(self, table: RowTable) -> None:
        self.m.copy(table.place, self.pointers[table.name])
        self.m.advance(table.place, self.row, table.stride)

    def _prefetch(self, columns: int) -> None:
        """Prefetch the cache lines of later rows; at the end of the index, those of the rows of the last entry. Rows
        that are needed after half of L1 was filled with others go to L2."""
        if self.ahead is None:
            return
        m, columns = self.m, columns * ELEMENT_BYTES[self.spec.dtype]
        far = self.spec.prefetch * columns > m.facts.l1_bytes // 2
        prefetch = m.prefetch_ahead if far else m.prefetch
        m.copy(self.ahead, self.position)
        m.advance(self.ahead, self.spec.prefetch)
        count = self.extents["count"]
        m.copy(self.row, count - 1 if isinstance(count, int) else count)
        if not isinstance(count, int):
            m.advance(self.row, -1)
        m.lower(self.ahead, self.row)
        for table in self.tables:
            m.load_index(self.row, self.pointers[table.indexed_by], 0, ELEMENT_BYTES[self.spec.index], self.ahead)
            self._point(table)
            for disp in range(0, columns, m.facts.tuning.gather.line_bytes):
                prefetch(table.place, disp)

    def report(self, bad: General | Slot) -> None:
        """Store the number of the first entry that names a row outside."""
        self.m.copy(self.place, bad)
        self.m.store_general(self.place, claimed(self.first_bad))
