"""What a nest reads lies between the first and the last byte of its operand, in whatever rows; exact at both ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import guarded
from tilesmith.microkernels.errors import UnsupportedError

ROWS, WIDE, C, K = 6, 7, 4, 16  # an image of C channels, and the channels of its convolution


def filled(shape: tuple[int, ...], seed: int) -> Any:
    """Return small integers, so that sums are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def taps(x: Any, w: Any, stride: int) -> Any:
    """Return the convolution of (H, W, C) by (R, S, C, K) without padding, in f64."""
    rows, wide = (x.shape[0] - w.shape[0]) // stride + 1, (x.shape[1] - w.shape[1]) // stride + 1
    views = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), w.shape[:2], (0, 1))
    return np.einsum("pqcrs,rsck->pqk", views[::stride, ::stride][:rows, :wide], w.astype(np.float64))


@pytest.mark.parametrize("stride", [1, 2])
def test_a_batch_over_the_rows_of_an_image(stride: int) -> None:
    """A batch of three rows of pixels, `stride` apart, for each tap of a row of the filter."""
    x, w = filled((ROWS, WIDE, C), 1), filled((3, 3, C, K), 2)
    wanted = taps(x, w, stride)
    rows, wide = wanted.shape[:2]
    first, more = (ts.brgemm(wide, K, C, lda=stride * C, batch=ts.STRIDE, beta=beta) for beta in (0, 1))
    steps = 3, 4 * WIDE * C, 4 * 3 * C * K

    def body(i: Any, x: Any, w: Any, y: Any) -> None:
        with ts.when(i.s.first):
            first(x[stride * i.p, i.s, 0], w[0, i.s, 0, 0], y[i.p], *steps)
        with ts.when(i.s > 0):
            more(x[stride * i.p, i.s, 0], w[0, i.s, 0, 0], y[i.p], *steps)

    loops = {"p": (0, rows, 1), "s": (0, 3, 1)}
    shapes = {"x": (x.shape, "f32"), "w": (w.shape, "f32"), "y": (wanted.shape, "f32")}
    nest = ts.nest("Ps", loops, body, **shapes)
    for threads in (1, 2, 3, 7):
        y = np.full(wanted.shape, 7, np.float32)
        nest(guarded(x, "end"), guarded(w, "end"), y, threads=threads)
        np.testing.assert_array_equal(y, wanted)
    y = np.full(wanted.shape, 7, np.float32)
    nest.run(x, w, y, workers=3)
    np.testing.assert_array_equal(y, wanted)
    with pytest.raises(IndexError, match=r"x: .* reads as far as 6 along axis 0, which has 6 where i.p is"):
        ts.nest("Ps", {**loops, "p": (0, rows + 1, 1)}, body, **{**shapes, "y": ((rows + 1, wide, K), "f32")})


def test_one_element_past_either_end() -> None:
    """A batch whose last matrix ends one element past the array in the last iteration only, or begins before it."""
    mm = ts.brgemm(2, 16, 3, batch=ts.STRIDE, beta=0)
    shapes = {"b": ((2, 3, 16), "f32"), "y": ((4, 2, 16), "f32")}

    def nest(elements: int, start: int = 0, step: int = 12) -> None:
        def body(i: Any, a: Any, b: Any, y: Any) -> None:
            mm(a[start + 6 * i.p], b[0], y[i.p], 2, step, 4 * 48)

        ts.nest("P", {"p": (0, 4, 1)}, body, a=((elements,), "f32"), **shapes)

    nest(27)  # 18 to 27 in the last iteration: 6 elements, and 6 that begin 3 behind
    with pytest.raises(IndexError, match="as far as 26 along axis 0, which has 26 where i.p is 3: element 26 of 26"):
        nest(26)
    nest(27, 3, -12)
    with pytest.raises(IndexError, match="as far as -1 along axis 0, which has 27 where i.p is 0"):
        nest(27, 2, -12)
    with pytest.raises(ValueError, match="multiples of 4 bytes"):
        nest(27, 0, 6)


def test_a_row_of_every_channel() -> None:
    """The transpose of one row of an image in NCHW reads a row of every channel."""
    x = filled((3, 5, 8, 16), 3)
    turn = ts.transpose(5, 16, ldx=8 * 16)
    shapes = {"x": (x.shape, "f32"), "y": ((3, 8, 16, 5), "f32")}
    nest = ts.nest("NP", {"n": (0, 3, 1), "p": (0, 8, 1)}, lambda i, x, y: turn(x[i.n, 0, i.p], y[i.n, i.p]), **shapes)
    y = np.empty((3, 8, 16, 5), np.float32)
    nest(guarded(x, "end"), y, threads=2)
    np.testing.assert_array_equal(y, x.transpose(0, 2, 3, 1))
    with pytest.raises(IndexError, match="as far as 3 along axis 0, which has 3 where i.n is 2 and i.p is 0"):
        ts.nest("NP", {"n": (0, 3, 1), "p": (0, 8, 1)}, lambda i, x, y: turn(x[i.n, 1, i.p], y[i.n, i.p]), **shapes)
    with pytest.raises(IndexError, match="accesses 1 elements from 8 on along axis 2, which has 8 where i.p is 8"):
        ts.nest("NP", {"n": (0, 3, 1), "p": (1, 9, 1)}, lambda i, x, y: turn(x[0, 0, i.p], y[i.n, i.p - 1]), **shapes)


def test_what_is_written_keeps_its_box() -> None:
    turn = ts.transpose(16, 5, ldy=8 * 16)
    with pytest.raises(UnsupportedError, match="y is .5, 8, 16. and written; index fewer axes"):
        shapes = {"x": ((8, 16, 5), "f32"), "y": ((5, 8, 16), "f32")}
        ts.nest("p", {"p": (0, 8, 1)}, lambda i, x, y: turn(x[i.p], y[0, i.p]), **shapes)


def test_reads_of_what_other_workers_write() -> None:
    """A read that spans rows of an operand that is also written is in the box of whole rows that holds it."""
    add = ts.brgemm(2, 4, 4, batch=ts.STRIDE)
    double = ts.unary("square", 2, 4)
    shapes = {"x": ((6, 3, 2, 4), "f32"), "b": ((3, 4, 4), "f32"), "y": ((6, 2, 4), "f32")}

    def own(i: Any, x: Any, b: Any, y: Any) -> None:
        double(x[i.p, 0], x[i.p, 1])
        add(x[i.p, 0], b[0], y[i.p], 3, 4 * 2 * 4, 4 * 16)

    ts.nest("P", {"p": (0, 6, 1)}, own, **shapes)

    def others(i: Any, x: Any, b: Any, y: Any) -> None:
        double(x[i.p, 0], x[i.p, 1])
        add(x[i.p, 1], b[0], y[i.p], 3, 4 * 2 * 4, 4 * 16)  # the third matrix is x[i.p + 1, 0]

    with pytest.raises(ts.RaceError, match="another writes"):
        ts.nest("P", {"p": (0, 5, 1)}, others, **shapes)


def test_offsets_in_the_body() -> None:
    """A table of offsets is part of the code, and what it reads is checked when the nest is made."""
    x, w = filled((ROWS, WIDE, C), 1), filled((3, 3, C, K), 2)
    wanted = taps(x, w, 1)
    rows, wide = wanted.shape[:2]
    mm = ts.brgemm(wide, K, C, batch=ts.OFFSET, beta=0)
    places = [(r, s) for r in range(3) for s in range(3)]
    of_x = np.array([4 * (r * WIDE + s) * C for r, s in places])
    of_w = [4 * (3 * r + s) * C * K for r, s in places]
    shapes = {"x": (x.shape, "f32"), "w": (w.shape, "f32"), "y": (wanted.shape, "f32")}

    def nest(of_x: Any = of_x, count: int = 9, rows: int = rows) -> Any:
        def body(i: Any, x: Any, w: Any, y: Any) -> None:
            mm(x[i.p], w[0], y[i.p], of_x, of_w, count)

        return ts.nest("P", {"p": (0, rows, 1)}, body, **shapes)

    made = nest()
    for threads in (1, 2, 3, 7):
        y = np.full(wanted.shape, 7, np.float32)
        made(guarded(x, "end"), guarded(w, "end"), y, threads=threads)
        np.testing.assert_array_equal(y, wanted)
    y[...] = 7
    made.run(x, w, y, workers=2)
    np.testing.assert_array_equal(y, wanted)
    assert "a table of 9" in str(made)
    with pytest.raises(IndexError, match="as far as 6 along axis 0, which has 6 where i.p is 3"):
        nest(of_x + 4 * C)
    with pytest.raises(IndexError, match="as far as -1 along axis 0, which has 6 where i.p is 0"):
        nest(of_x - 4 * C)
    with pytest.raises(ValueError, match="0 to 9, the length of a_offsets, not 10"):
        nest(count=10)
    with pytest.raises(ValueError, match="multiples of 4 bytes"):
        nest(of_x + 2)
    with pytest.raises(TypeError, match="a_offsets: offsets in bytes, a one-dimensional array"):
        nest(of_x.astype(np.float32))


def test_offsets_in_an_operand() -> None:
    """Each call checks the offsets that an array has, before anything is computed."""
    mm = ts.brgemm(2, 16, 3, batch=ts.OFFSET, beta=0)
    x, w = filled((5, 2, 3), 1), filled((4, 3, 16), 2)

    def body(i: Any, x: Any, w: Any, of_x: Any, of_w: Any, y: Any) -> None:
        mm(x[i.p], w[0], y[i.p], of_x[i.p], of_w[0], 2)

    table = ((3, 2), "i64")
    shapes = {"x": (x.shape, "f32"), "w": (w.shape, "f32"), "of_x": table, "of_w": ((2,), "i64")}
    nest = ts.nest("P", {"p": (0, 3, 1)}, body, **shapes, y=((3, 2, 16), "f32"))
    rows, panels = np.array([[0, 4], [3, -1], [2, -2]]), np.array([3, 1])
    wanted = [sum(x[p + row] @ w[panel] for row, panel in zip(rows[p], panels)) for p in range(3)]
    y = np.full((3, 2, 16), 7, np.float32)
    for threads in (1, 2, 3, 7):
        nest(guarded(x, "end"), guarded(w, "end"), rows * 24, panels * 192, y, threads=threads)
        np.testing.assert_array_equal(y, wanted)
    y[...] = 7
    nest.run(x, w, rows * 24, panels * 192, y, workers=2)
    np.testing.assert_array_equal(y, wanted)
    for place, wrong, least, most in (((0, 1), 100, 0, 96), ((1, 1), -25, -24, 72), ((2, 0), 52, -48, 48)):
        offsets = rows * 24
        offsets[place] = wrong
        y[...] = 7
        with pytest.raises(
            (IndexError, ValueError), match=rf"of_x\[{place[0]}, {place[1]}\] is {wrong}: .* {least} to {most}"
        ):
            nest(x, w, offsets, panels * 192, y)
        assert (y == 7).all()
    with pytest.raises(ValueError, match="of_x: multiples of 4 bytes, .*entry 0 is 2"):
        nest(x, w, np.array([[2, 96], [72, -24], [48, -48]]), panels * 192, y)
    with pytest.raises(TypeError, match="a_offsets of .*: must be i64, but of_x is i32"):
        ts.nest("P", {"p": (0, 3, 1)}, body, **{**shapes, "of_x": ((3, 2), "i32")}, y=((3, 2, 16), "f32"))
    with pytest.raises(IndexError, match="of_x: .*accesses 1 elements from 3 on along axis 0, which has 3"):
        ts.nest("P", {"p": (0, 4, 1)}, body, **shapes, y=((4, 2, 16), "f32"))
    with pytest.raises(UnsupportedError, match="x: .* may be written by the nest or be scratch memory"):
        ts.nest("p", {"p": (0, 3, 1)}, body, **{**shapes, "x": ts.scratch(x.shape)}, y=((3, 2, 16), "f32"))
    number = ts.nest(
        "p", {"p": (0, 1, 1)}, lambda i, of_x: ts.unary("identity", 3, 2, dtype="i64")(of_x[()], of_x[()]), of_x=table
    )
    with pytest.raises(ValueError, match="of_x: has offsets, which are checked when the region is called"):
        ts.region(number, nest)


def test_a_proof_with_offsets() -> None:
    mm, shape = ts.brgemm(1, 4, 2, batch=ts.OFFSET, beta=0), ((2, 4), "f32")
    nest = ts.nest(
        "p",
        {"p": (0, 2, 1)},
        lambda i, x, w, y: mm(x[i.p], w[0], y[i.p], [0, 8], [0, 32], 2),
        x=((2, 2, 1, 2), "f32"),
        w=((2, 2, 4), "f32"),
        y=shape,
    )
    assert nest.verify()
