"""A table's rows were removed before they were parsed, so another thread or a forked child did not find the
instruction."""

import threading

from tilesmith.encoder.table import InstructionTable


def test_a_second_reader_finds_all_rows():
    begun, asked = threading.Event(), threading.Event()

    class Slow(str):
        """A text that blocks its first reader."""

        def splitlines(self, keepends=False):
            if not begun.is_set():
                begun.set()
                assert asked.wait(10)
            return super().splitlines(keepends)

    def expand(row):
        raise AssertionError("nothing is encoded")

    table = InstructionTable([Slow("first  a  b  c"), "second  a  b  c\nother  = first"], expand)
    found = []
    reader = threading.Thread(target=lambda: found.extend(table))
    reader.start()
    assert begun.wait(10)
    try:
        assert [name in table for name in ("first", "second", "other", "third")] == [True, True, True, False]
    finally:
        asked.set()
        reader.join()
    assert found == list(table) == ["first", "second"]
