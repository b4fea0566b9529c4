"""The calls of a nest that loads indices write each element of C once, and stay inside of A, of B's panels and of the
table; an index outside of its bounds is an error of the walk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.sparse_cases import Held
from tilesmith.emulation.cpu import Region, execute
from tilesmith.microkernels.tuning.sparse import SPARSE
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.loops.blob import Blob
from tilesmith.runtime.loops.code import Address, Affine, Call, Header, Load, Loop, index, placed
from tilesmith.runtime.loops.job import Job
from tilesmith.runtime.loops.text import text
from tilesmith.runtime.sparse.nest import OWN, SHARED, TABLE, VALUES, C
from tilesmith.runtime.verify.nests import ALONE, calls_made


def known(handle: Any, n: int) -> Any:
    """Return the job of a product with n columns, and its table."""
    return handle.plan(n, threads=1)[:2]


@pytest.mark.parametrize(
    ("blocks", "n", "long"), [(1, 70, False), ((3, 5), 33, False), (1, 40, True), ((2, 1), 9, True)]
)
def test_calls_write_each_element_once(blocks: Any, n: int, long: bool) -> None:
    rng = np.random.default_rng(7)
    m, k = (5, SPARSE.entries + 9) if long else (50, 61)
    a = (rng.random((m, k)) < (0.02 if long else 0.1)).astype(np.float32)
    a[1], a[3] = int(long), 0
    rows, columns = np.nonzero(a)
    handle = ts.sparse(Held("coo", a.shape, row=rows, col=columns, data=a[rows, columns]), blocks=blocks)
    job, table = known(handle, n)
    written, parts = np.zeros((m, n), int), 0
    for kernel, arguments in calls_made(job.nodes, ALONE, {TABLE: table.view(np.uint8)}):
        operand, offset = (
            arguments[-1] if kernel.name.startswith("ts_identity") else arguments[min(2, len(arguments) - 1)]
        )
        rows_of, columns_of = kernel.spec.m, kernel.spec.n
        if kernel.name.startswith("ts_brgemm"):
            (at, first), (_, of_a), (_, of_b), count = arguments[0], arguments[3], arguments[4], arguments[5]
            assert at == VALUES and 0 <= first <= first + count * handle.values[0].nbytes <= handle.values.nbytes
            assert max(of_a, of_b) + 8 * count <= table.nbytes and operand in (C, SHARED)
            parts += operand == SHARED
        if operand == C:
            line, column = divmod(offset // 4, n)
            written[line : line + rows_of, column : column + columns_of] += 1
        else:
            assert operand in (SHARED, OWN) and offset >= 0
    assert (written == 1).all() and (parts > 0) == long


def test_an_index_outside_of_its_bounds() -> None:
    handle = ts.sparse(Held("coo", (4, 4), row=np.arange(4), col=np.arange(4), data=np.ones(4, np.float32)))
    job, table = known(handle, 8)
    wrong = table.copy()
    wrong[2] = 9  # where row 1 ends and row 2 begins
    with pytest.raises(ValueError, match="last: 9 is not from 0 to 4"):
        list(calls_made(job.nodes, ALONE, {TABLE: wrong.view(np.uint8)}))
    with pytest.raises(ValueError, match="first, last: bytes 0 to 16 of a table of 8"):
        list(calls_made((Load(("first", "last"), 0, Affine(), ()),), ALONE, {0: np.zeros(8, np.uint8)}))


def test_words_of_four_bytes_and_their_text() -> None:
    load = Load(("row", "stop"), 2, Affine(4, (("piece", 8),)), (), ((0, 7), (1, 8)), 4)
    held = np.arange(6, dtype=np.uint32).view(np.uint8)
    assert list(calls_made((load,), {**ALONE, "piece": 1}, {2: held})) == []
    with pytest.raises(ValueError, match="row: 3 is not from 0 to 2"):
        list(calls_made((Load(("row",), 2, Affine(12), (), ((0, 2),), 4),), ALONE, {2: held}))
    assert text((load,), {2: "table"}) == ["row, stop = words of table + 8 piece + 4    # from 0 to 7, 1 to 8"]
    (moved,) = placed((load,), {2: 5})
    assert isinstance(moved, Load) and moved.operand == 5 and moved.place == load.place


@pytest.mark.parametrize(("dtype", "target"), [(np.uint32, None), (np.int64, None), (np.uint32, "neon")])
def test_loops_between_loaded_bounds(dtype: Any, target: str | None) -> None:
    made = host.resolve(target)
    copy = ts.unary("identity", 1, 4, dtype="f32", target=target)
    line = index("i") * 16
    loop = Loop(Header("i", index("row"), (index("stop"),), 1, 4), (Call(copy, (Address(0, line), Address(1, line))),))
    nodes = (Load(("row", "stop"), 2, Affine(0), (loop,), (), np.dtype(dtype).itemsize),)
    x, y, table = np.arange(40, dtype=np.float32).reshape(10, 4), np.zeros((10, 4), np.float32), np.array([3, 8], dtype)
    words = [each.__array_interface__["data"][0] for each in (x, y, table)]
    if target is None:
        Job(nodes, made).run(words, 1)
    else:
        whole = np.array(words, np.uint64)
        regions = [Region("words", whole, False), Region("x", x, False), Region("y", y), Region("t", table, False)]
        execute(Blob(nodes, made).data, made, [whole.__array_interface__["data"][0], 0, 1], regions)
    assert np.array_equal(y[3:8], x[3:8]) and not y[:3].any() and not y[8:].any()
