"""ts.embedding_bag lost the last bag, without a word, of offsets in torch's default form, which lack the end of the
index."""

import pickle

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded

R = ts.RUNTIME
ROWS, N, COUNT = 20, 12, 17
FULL = np.array([0, 3, 3, 9, COUNT])
TABLE = np.random.default_rng(0).integers(-9, 10, (ROWS, N)).astype(np.float32)
INDEX = np.random.default_rng(1).integers(0, ROWS, COUNT)
WANTED = np.stack([TABLE[INDEX[first:last]].sum(0) for first, last in zip(FULL, FULL[1:])])
FORMS = {None: (FULL, FULL[:-1]), True: (FULL,), False: (FULL[:-1],)}


def made(bags, count=COUNT, **more):
    return ts.embedding_bag(bags, N, size=ROWS, count=count, **more)


@pytest.mark.parametrize("bounds", ["call", "kernel"])
@pytest.mark.parametrize("asked", FORMS)
@pytest.mark.parametrize("bags, count", [(4, COUNT), (R, COUNT), (R, R), (4, R)])
def test_both_forms(bags, count, asked, bounds):
    kernel = made(bags, count, bounds=bounds, include_last_offset=asked)
    for offsets in FORMS[asked]:
        for side in SIDES:
            y = guarded(np.full((4, N), np.nan, np.float32), side, writable=True)
            args = guarded(TABLE, side), guarded(INDEX, side), guarded(offsets, side), y
            bad = [np.zeros(1, np.int64)] if bounds == "kernel" else []
            for call in (kernel, pickle.loads(pickle.dumps(kernel))):
                y[...] = np.nan
                call(*args, *bad)
                assert np.array_equal(y, WANTED)
                check_canary(y)
            assert not bad or bad[0][0] == -1
            if not bad and (bags == 4 or asked is not None or len(offsets) == 5):
                assert np.array_equal(kernel(*args[:3]), WANTED)


def test_weights_means_and_the_emulator():
    weights = np.arange(COUNT, dtype=np.float32)
    kernel = made(4, weights=True, include_last_offset=False)
    rows = TABLE[INDEX] * weights[:, None]
    wanted = np.stack([rows[first:last].sum(0) for first, last in zip(FULL, FULL[1:])])
    assert np.array_equal(kernel(TABLE, INDEX, weights, FULL[:-1]), wanted)
    y = np.zeros((4, N), np.float32)
    kernel.run(TABLE, INDEX, weights, FULL[:-1], y)
    assert np.array_equal(y, wanted)


@pytest.mark.parametrize("options", [{}, {"include_last_offset": True}, {"include_last_offset": False}])
def test_dispatch(options):
    handle = ts.dispatch(ts.embedding_bag, **options)
    for offsets in FORMS[options.get("include_last_offset")]:
        for _ in range(2):
            y = np.zeros((4, N), np.float32)
            handle(TABLE, INDEX, offsets, y)
            assert np.array_equal(y, WANTED)
        if options or len(offsets) == 5:
            assert np.array_equal(handle(TABLE, INDEX, offsets), WANTED)


@pytest.mark.parametrize(
    "bags, asked, offsets, says",
    [
        (4, None, FULL[:3], "5 entries, or 4 without the end of the last bag"),
        (4, True, FULL[:-1], "must have 5 entries"),
        (4, False, FULL, "must have 4 entries without"),
        (R, None, FULL[:-1], "include_last_offset=False"),
        (R, None, FULL[:0], "include_last_offset=False"),
        (4, None, np.append(FULL, COUNT), "not 6"),
    ],
)
def test_what_fits_neither_is_refused(bags, asked, offsets, says):
    with pytest.raises(ValueError, match=says):
        made(bags, include_last_offset=asked)(TABLE, INDEX, offsets)
    handle = ts.dispatch(ts.embedding_bag)
    with pytest.raises(ValueError, match="include_last_offset=False"):
        handle(TABLE, INDEX, FULL[:-1])


def test_the_option_is_checked():
    with pytest.raises(TypeError, match="include_last_offset: True, False or None, not 1"):
        made(4, include_last_offset=1)
    with pytest.raises(ValueError, match="offsets, y: must agree on bags"):
        made(R)(TABLE, INDEX, FULL, np.zeros((3, N), np.float32))
