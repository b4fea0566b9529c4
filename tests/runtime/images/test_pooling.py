"""Pooling and its gradients equal definitions in f64, for all parameters, layouts, types, threads and targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.convolution_cases import lay
from tests.guard import check_canary, guarded
from tests.profiles import scaled
from tests.runtime.images.definitions import LAYOUTS, TOLERANCES, TYPES, laid, pooled, poolings, windows
from tilesmith.runtime.arguments.layouts import lying
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.images import pooling
from tilesmith.runtime.images.job import Images
from tilesmith.runtime.images.nest import ImagesRequest

Array = np.ndarray[Any, Any]


def drawn(case: dict[str, Any], dtype: Any = np.float32) -> Array:
    """Return small whole numbers, of which many are equal."""
    values = np.random.default_rng(case["seed"]).integers(-4, 5, case["shape"])
    return laid(values.astype(dtype), case["layout"])


def given_to(case: dict[str, Any], dilation: bool = True) -> dict[str, Any]:
    more = {"dilation": case["dilation"]} if dilation else {}
    return {"stride": case["stride"], "padding": case["padding"], "ceil_mode": case["ceil"], **more}


@pytest.mark.parametrize("dims", [1, 2, 3])
@settings(max_examples=scaled(2, 2000), deadline=None)
@given(data=st.data())
def test_largest_elements_and_their_places(dims: int, data: st.DataObject) -> None:
    case = data.draw(poolings(dims))
    x = drawn(case, data.draw(st.sampled_from([np.float32, np.float64, np.uint8, np.int8, np.int32])))
    of_axes = windows(case["shape"][2:], *(case[name] for name in ("size", "stride", "padding", "dilation", "ceil")))
    inside = [[taps for _, taps in axis] for axis in of_axes]
    plane = np.arange(np.prod(case["shape"][2:])).reshape(1, 1, *case["shape"][2:])
    numbers = np.broadcast_to(plane, case["shape"])
    wanted = pooled(x, inside, lambda values, _: values.max(axis=2))

    def place(at: tuple[int, ...]) -> Array:
        box = (slice(None), slice(None), *np.ix_(*(axis[number] for axis, number in zip(inside, at))))
        values, places = (each[box].reshape(*case["shape"][:2], -1) for each in (x, numbers))
        return np.take_along_axis(places, values.argmax(axis=2)[..., None], 2)[..., 0]

    y, at = getattr(ts, f"max_pool{dims}d")(x, case["size"], **given_to(case), return_indices=True, threads=2)
    assert np.array_equal(y, wanted) and at.dtype == np.int64
    assert np.array_equal(at, pooled(x, inside, lambda _, number: place(number)))
    assert np.array_equal(y, getattr(ts, f"max_pool{dims}d")(x, case["size"], **given_to(case), threads=3))
    if x.dtype.kind == "f":
        dy = np.random.default_rng(1).integers(-9, 9, y.shape).astype(x.dtype)
        sums = np.zeros((*case["shape"][:2], int(np.prod(case["shape"][2:]))))
        images, channels = np.ogrid[: case["shape"][0], : case["shape"][1]]
        np.add.at(
            sums, (images[..., None], channels[..., None], at.reshape(*at.shape[:2], -1)), dy.reshape(*at.shape[:2], -1)
        )
        dx = getattr(ts, f"max_pool{dims}d_backward")(dy, at, x, case["size"], **given_to(case), threads=2)
        assert np.array_equal(dx, sums.reshape(case["shape"]))


@pytest.mark.parametrize("dims", [1, 2, 3])
@settings(max_examples=scaled(2, 2000), deadline=None)
@given(data=st.data())
def test_means(dims: int, data: st.DataObject) -> None:
    case = data.draw(poolings(dims))
    case["dilation"] = (1,) * dims
    case["padding"] = tuple(min(around, taps - 1) for around, taps in zip(case["padding"], case["size"]))
    dtype = data.draw(st.sampled_from(sorted(TYPES)))
    x = laid(np.random.default_rng(case["seed"]).random(case["shape"]).astype(TYPES[dtype]), case["layout"])
    counts, divisor = data.draw(st.booleans()), data.draw(st.sampled_from([None, 3]))
    of_axes = windows(case["shape"][2:], *(case[name] for name in ("size", "stride", "padding", "dilation", "ceil")))
    inside = [[taps for _, taps in axis] for axis in of_axes]

    def by(place: tuple[int, ...]) -> float:
        found = 1.0
        for number, at in enumerate(place):
            start, taps = of_axes[number][at]
            whole = min(start + case["size"][number], case["shape"][2 + number] + case["padding"][number]) - start
            found *= whole if counts else len(taps)
        return divisor or found

    wide = x.astype(np.float64)
    wanted = pooled(wide, inside, lambda values, place: values.sum(axis=2) / by(place))
    named = given_to(case, False) | {"count_include_pad": counts, "divisor_override": divisor}
    y = getattr(ts, f"avg_pool{dims}d")(x, case["size"], **named, threads=2)
    np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=TOLERANCES[dtype], atol=1e-30)
    dy = np.random.default_rng(1).random(y.shape).astype(x.dtype)
    sums = np.zeros(case["shape"])
    for place in np.ndindex(*wanted.shape[2:]):
        box = (slice(None), slice(None), *np.ix_(*(axis[at] for axis, at in zip(inside, place))))
        sums[box] += dy[(..., *place)].astype(np.float64).reshape(*dy.shape[:2], *[1] * dims) / by(place)
    dx = getattr(ts, f"avg_pool{dims}d_backward")(dy, x, case["size"], **named, threads=3)
    np.testing.assert_allclose(dx.astype(np.float64), sums, rtol=2 * TOLERANCES[dtype], atol=1e-30)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("results", [1, (3, None), (7, 4)])
def test_adaptive(results: Any, layout: str) -> None:
    x = laid(np.random.default_rng(0).random((2, 5, 9, 11)), layout)
    sizes = [each or 11 for each in (results if isinstance(results, tuple) else (results,) * 2)]
    inside = [
        [list(range(at * extent // size, -(-(at + 1) * extent // size))) for at in range(size)]
        for extent, size in zip((9, 11), sizes)
    ]
    y = ts.adaptive_avg_pool2d(x, results)
    np.testing.assert_allclose(y, pooled(x, inside, lambda values, _: values.mean(axis=2)), rtol=1e-14)
    assert np.array_equal(ts.adaptive_max_pool2d(x, results), pooled(x, inside, lambda values, _: values.max(axis=2)))
    dy = np.random.default_rng(1).random(y.shape)
    sums = np.zeros(x.shape)
    for p, q in np.ndindex(*y.shape[2:]):
        box = np.ix_(range(2), range(5), inside[0][p], inside[1][q])
        sums[box] += dy[:, :, p : p + 1, q : q + 1] / (len(inside[0][p]) * len(inside[1][q]))
    np.testing.assert_allclose(ts.adaptive_avg_pool2d_backward(dy, x.shape), sums, rtol=1e-14)


def test_a_nan_is_the_largest() -> None:
    """Of several, the place of the last is returned, as torch does."""
    x = np.array([[[[1, np.nan, 3, 4], [np.nan, 6, 7, -np.inf]]]], np.float32)
    y, at = ts.max_pool2d(x, 2, return_indices=True)
    np.testing.assert_array_equal(y, [[[[np.nan, 7]]]])
    np.testing.assert_array_equal(at, [[[[4, 6]]]])


@pytest.mark.parametrize("side", ["start", "end"])
@pytest.mark.parametrize("layout", ["first", "last"])
def test_reads_and_writes_nothing_else(layout: str, side: str) -> None:
    x = laid(np.random.default_rng(0).random((2, 19, 7, 9)).astype(np.float32), layout)
    wanted = ts.max_pool2d(x, 3, 2, 1)
    given, out = guarded(x, side, writable=False), guarded(np.full_like(wanted, 77), side)
    ts.max_pool2d(given, 3, 2, 1, out=out)
    assert np.array_equal(out, wanted)
    check_canary(out)


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_other_targets(target: str) -> None:
    """The emulator executes the code of any target: one with two workers, whose races it would report."""
    x = laid(np.random.default_rng(0).random((1, 5, 6, 7)).astype(np.float32), "first" if target == "neon" else "last")
    axes = pooling.windows((6, 7), (3, 2), (2, 2), ((1, 1), (0, 1)), (1, 1), False, True)
    wanted = ts.avg_pool2d(x, (3, 2), 2, ((1, 1), (0, 1)))
    y = np.full_like(wanted, 77)
    form = ImagesRequest(
        (1, 5), axes, lying(x).strides, lying(y).strides, pooling.MEAN, ("f32", "f32"), host.resolve(target)
    )
    Images(form).run([x, y], workers=2)
    np.testing.assert_allclose(y, wanted, rtol=1e-6)


def test_errors_name_the_argument() -> None:
    x = np.zeros((1, 2, 5, 6), np.float32)
    for words, call in {
        "padding: less than the window along the height": lambda: ts.max_pool2d(x, 3, 1, 3),
        "x: the width, 6 and padding 0, is less than the window of 7": lambda: ts.max_pool2d(x, (2, 7)),
        "kernel_size: a whole number, or 2 of them": lambda: ts.avg_pool2d(x, 2.5),
        "x: avg_pool2d of f64, f32, bf16 or f16, not i32": lambda: ts.avg_pool2d(x.astype(np.int32), 2),
        "out: shape": lambda: ts.max_pool2d(x, 2, out=np.zeros((1, 2, 3, 3), np.float32)),
        "x: images, channels, height, width": lambda: ts.max_pool2d(x[0, 0], 2),
        "dy: shape": lambda: ts.avg_pool2d_backward(x, x, 2),
    }.items():
        with pytest.raises((ValueError, TypeError, ts.UnsupportedError), match=words.replace("(", r"\(")):
            call()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("way", ["first", "last"])
def test_places_of_adaptive_maxima(way: str) -> None:
    """Windows are from floor(i n / m) to ceil((i + 1) n / m), as torch says; of equal elements the first counts."""
    x = np.random.default_rng(1).integers(0, 9, (2, 3, 11, 7)).astype(np.float32)
    y, at = ts.adaptive_max_pool2d(lay(x, way), (4, 3), return_indices=True)
    for p, q in np.ndindex(4, 3):
        rows, columns = (range(i * n // m, -(-(i + 1) * n // m)) for i, n, m in ((p, 11, 4), (q, 7, 3)))
        window = x[:, :, rows.start : rows.stop, columns.start : columns.stop].reshape(2, 3, -1)
        row, column = np.divmod(window.argmax(axis=2), len(columns))
        assert np.array_equal(y[:, :, p, q], window.max(axis=2)), (p, q)
        assert np.array_equal(at[:, :, p, q], (row + rows.start) * 7 + column + columns.start)
