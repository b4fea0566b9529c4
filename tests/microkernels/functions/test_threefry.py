"""Random numbers: known answers, the same bits on every machine as a scalar model in Python, statistics, dropout,
stochastic rounding.

The model below is written from the paper in numpy's unsigned integers; it shares no code with the kernels.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, NATIVE, check, floats, sizes, strided
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.operands import RUNTIME
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]

FEW, MANY = scaled(12, 12), scaled(40, 1000)
machines = pytest.mark.parametrize("name", MACHINES)

KNOWN = (
    ((0, 0), (0, 0), 0x9D1C5EC6, 0x8BD50731),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), 0xFD36D048, 0x2D17272C),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), 0xBA3E4725, 0xF27D669E),
)
"""threefry2x32 with 13 rounds: counter, key, both words; tests/kat_vectors of the Random123 distribution."""


def model(counter0: Array, counter1: Array, key: tuple[int, int]) -> Array:
    """The first word for arrays of counters."""
    return both_words(counter0, counter1, key)[0]


def both_words(counter0: Array, counter1: Array, key: tuple[int, int], rounds: int = 13) -> tuple[Array, Array]:
    """Both."""
    x, y = counter0.astype(np.uint32), counter1.astype(np.uint32)
    keys = [np.uint32(key[0]), np.uint32(key[1]), np.uint32(key[0] ^ key[1] ^ 0x1BD11BDA)]
    with np.errstate(over="ignore"):
        x, y = x + keys[0], y + keys[1]
        for i in range(rounds):
            turn = (13, 15, 26, 6, 17, 29, 16, 24)[i % 8]
            x = x + y
            y = ((y << np.uint32(turn)) | (y >> np.uint32(32 - turn))) ^ x
            if i % 4 == 3:
                group = i // 4 + 1
                x, y = x + keys[group % 3], y + keys[(group + 1) % 3] + np.uint32(group)
    return x, y


def words(m: int, n: int, seed: int, row: int = 0, column: int = 0) -> Array:
    """The words of a matrix that begins at an origin."""
    return (long_words(m, n, seed, row, column) >> np.uint64(32)).astype(np.uint32)


def long_words(m: int, n: int, seed: int, row: int = 0, column: int = 0) -> Array:
    """Both words of each element as one, the first above."""
    i, j = np.meshgrid(np.arange(m) + row, np.arange(n) + column, indexing="ij")
    counters = j.astype(np.uint64) & 0xFFFFFFFF, i.astype(np.uint64) & 0xFFFFFFFF
    high, low = both_words(*counters, (seed & 0xFFFFFFFF, seed >> 32))
    return high.astype(np.uint64) << np.uint64(32) | low


@pytest.mark.parametrize(("counter", "key", "first", "second"), KNOWN)
def test_the_model_gives_the_known_answers(counter, key, first, second):
    assert both_words(np.array([counter[0]]), np.array([counter[1]]), key) == (first, second)


def call(spec: EltwiseSpec, name: str, request: Any, arrays: list[Array], numbers: list[int], side: str) -> list[Array]:
    """The outputs, by machine code between guard pages."""
    kernel, target = Kernel(spec, MACHINES[name]), MACHINES[name]
    outputs = [strided(np.zeros(y.shape, numpy_dtype(y.dtype)), int(y.view.leading)) for y in spec.outputs]  # type: ignore[arg-type]
    if name in NATIVE:
        ins = [guarded(each, side, writable=False) for each in arrays]
        outs = [guarded(each, side) for each in outputs]
        kernel(*ins, *numbers, *outs)
        for each in outs:
            check_canary(each)
        return outs
    server = request.getfixturevalue("aarch64")
    for each in arrays:
        each.setflags(write=False)
    bits = target.vector_bits if target.isa == "sve" else None
    server.call(kernel.code, *arrays, *numbers, *outputs, side=side, vector_bits=bits)
    return outputs


seeds = st.one_of(st.integers(0, 3), st.integers(0, (1 << 63) - 1))


@st.composite
def drawn(draw: st.DrawFn) -> tuple[int, int, int, int, tuple[int, int] | None, str]:
    origin = draw(st.sampled_from([None, (0, 0), (5, 17), ((1 << 32) - 2, (1 << 32) - 3), (1 << 40, 7)]))
    return draw(st.integers(1, 7)), draw(sizes), draw(seeds), draw(st.sampled_from([0, 0, 5])), origin, draw(
        st.sampled_from(SIDES))  # fmt: skip


def property_of(name: str, request: Any, examples: int) -> None:
    @settings(max_examples=examples)
    @given(drawn())
    def test(case: Any) -> None:
        m, n, seed, gap, origin, side = case
        for out, unsigned, wanted in (("i32", np.uint32, words), ("i64", np.uint64, long_words)):
            spec = primitive("unary", "random", m, n, out=out, ldy=n + gap, origin=RUNTIME if origin else None)
            (found,) = call(spec, name, request, [], [seed, *(origin or ())], side)
            assert (found.view(unsigned) == wanted(m, n, seed, *(origin or ()))).all()

    test()


@machines
def test_the_same_words_everywhere(name, request):
    property_of(name, request, FEW)


@pytest.mark.slow
@machines
def test_the_same_words_everywhere_often(name, request):
    property_of(name, request, MANY)


@machines
def test_known_answers_of_machine_code(name, request):
    """The origin is the counter, the seed is the key."""
    for (column, row), (low, high), first, second in KNOWN:
        for out, answer in (("i32", first), ("i64", first << 32 | second)):
            spec = primitive("unary", "random", 1, 1, out=out, origin=RUNTIME)
            if high < 1 << 31:  # the seed is a number of 63 bits
                (found,) = call(spec, name, request, [], [low | high << 32, row, column], "end")
                assert int(found[0, 0]) & (1 << 8 * found.itemsize) - 1 == answer


@machines
def test_a_tile_has_the_numbers_of_the_whole(name, request):
    (whole,) = call(primitive("unary", "uniform", 12, 90), name, request, [], [11], "end")
    tile = primitive("unary", "uniform", 5, 37, origin=RUNTIME)
    for row, column in ((0, 0), (7, 53), (3, 16)):
        (found,) = call(tile, name, request, [], [11, row, column], "start")
        assert (found == whole[row : row + 5, column : column + 37]).all()


# Floats


@machines
@pytest.mark.parametrize(
    ("out", "count"), [("f64", 53), ("f32", 24), ("bf16", 8), ("f16", 11), ("f8e5m2", 3), ("f8e4m3", 4)]
)
def test_uniform(name, request, out, count):
    (found,) = call(primitive("unary", "uniform", 3, 131, out=out), name, request, [], [9], "end")
    wanted = (long_words(3, 131, 9) >> np.uint64(64 - count)).astype(np.float64) * 2.0**-count
    assert found.dtype == numpy_dtype(out)
    assert (found.astype(np.float64) == wanted).all()
    assert (found >= 0).all() and (found < 1).all()


# Dropout


@machines
@pytest.mark.parametrize("dtype", ["f64", "f32", "bf16", "f16", "f8e4m3"])
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_dropout(name, request, dtype, rate):
    """Bit for bit, with the mask; and the inverse from the mask. f64 has the mask that f32 has."""
    m, n = 4, 77
    computed = np.float64 if dtype == "f64" else np.float32
    x = floats(dtype, (m, n), np.random.default_rng(4))
    spec = primitive("unary", "dropout_mask", m, n, dtype=dtype, out=(dtype, "bits"), rate=rate)
    y, mask = call(spec, name, request, [x], [123456789012345], "end")
    kept = words(m, n, 123456789012345).view(np.int32).astype(np.int64) + (1 << 31) >= round(rate * 2**32)
    assert (np.unpackbits(mask, axis=1, bitorder="little")[:, :n] == kept).all()
    with np.errstate(all="ignore"):
        scaled = x if rate in (0, 1) else (x.astype(computed) * computed(1 / (1 - rate))).astype(x.dtype)
    wanted = np.where(kept, scaled, np.zeros((), x.dtype)).astype(x.dtype)
    check([y], [wanted])
    plain = call(
        primitive("unary", "dropout", m, n, dtype=dtype, rate=rate), name, request, [x], [123456789012345], "start"
    )
    check(plain, [wanted])
    inverse = primitive("binary", "dropout_inv", m, n, dtype=dtype, rate=rate)
    check(call(inverse, name, request, [x, mask], [], "end"), [wanted])


def test_the_rate_may_be_numpy_s():
    x = np.ones((5, 7), np.float32)
    single = np.float32(0.1)  # another number than 0.1, which it is taken for as it is
    assert (ts.unary("dropout", 5, 7, rate=single)(x, 3) == ts.unary("dropout", 5, 7, rate=float(single))(x, 3)).all()


def test_rate_0_and_1_are_exact():
    x = floats("f32", (64, 64), np.random.default_rng(5))
    check([ts.unary("dropout", 64, 64, rate=0.0)(x, 3)], [x])
    gone, mask = np.empty_like(x), np.full((64, 8), 7, np.uint8)
    ts.unary("dropout_mask", 64, 64, rate=1.0, out=("f32", "bits"))(x, 3, gone, mask)
    assert (gone.view(np.uint32) == 0).all() and (mask == 0).all()


def test_in_a_traced_function():
    k = ts.equation(lambda x, b: ts.dropout(ts.relu(x + b), 0.25), x=(6, 40), b=(1, 40))
    assert [each.name for each in k.spec.arguments] == ["x", "b", "seed", "y"]
    x, b = np.random.default_rng(1).standard_normal((6, 40), np.float32), np.full((1, 40), 0.5, np.float32)
    kept = words(6, 40, 8).view(np.int32) >= (1 << 30) - (1 << 31)
    wanted = np.where(kept, np.maximum(x + b, 0) * np.float32(1 / 0.75), np.float32(0))
    assert (k(x, b, 8) == wanted).all()


@pytest.mark.parametrize("name", NATIVE)
def test_every_argument_at_once(name):
    """Nine arguments, some of them on the stack: origin, mask, leading dimensions given at the call."""
    m, n, rate = 5, 43, 0.3
    k = ts.unary("dropout_mask", m, n, rate=rate, out=("f32", "bits"), origin=ts.RUNTIME, ldx=ts.RUNTIME,
                 ldy0=ts.RUNTIME, ldy1=ts.RUNTIME, target=name)  # fmt: skip
    x = strided(np.ones((m, n), np.float32), n + 3)
    y, mask = strided(np.zeros((m, n), np.float32), n + 1), strided(np.zeros((m, 6), np.uint8), 8)
    k(x, 99, 4, 1000, y, mask)
    kept = words(m, n, 99, 4, 1000).view(np.int32).astype(np.int64) + (1 << 31) >= round(rate * 2**32)
    assert ((y != 0) == kept).all()
    assert (np.unpackbits(mask, axis=1, bitorder="little")[:, :n] == kept).all()


def test_in_place_and_in_tiles():
    x = np.random.default_rng(1).standard_normal((40, 64)).astype(np.float32)
    whole = ts.unary("dropout", 40, 64, rate=0.4)(x, 12)
    tile = ts.equation(lambda x: ts.dropout(x, 0.4), x=(8, 16), ldx=64, ldy=64, origin=ts.RUNTIME)
    for row in range(0, 40, 8):
        for column in range(0, 64, 16):
            part = x[row : row + 8, column : column + 16]
            tile(part, 12, row, column, part)
    assert (x == whole).all()


# Stochastic rounding


def neighbours(x: Array, to: Any) -> tuple[Array, Array]:
    """The numbers of the narrower type next to |x|, below and above, as f64."""
    size = np.abs(x).astype(np.float64)
    with np.errstate(over="ignore"):
        near = size.astype(np.float32).astype(to)
    word = near.view(np.uint16)
    below = np.where(near.astype(np.float64) <= size, word, word - 1).astype(np.uint16)
    above = np.where(below.view(to).astype(np.float64) == size, below, below + 1).astype(np.uint16)
    return below.view(to).astype(np.float64), above.view(to).astype(np.float64)


def stochastic(x: Array, random: Array, out: str) -> Array:
    """The model, in f64: up where the random number is below the part of the way."""
    to = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}[out]
    finite = np.where(np.isfinite(x), x, 0).astype(np.float32)
    below, above = neighbours(finite, to)
    size = np.abs(finite).astype(np.float64)
    largest = float(ml_dtypes.finfo(to).max)
    step = np.where(np.isinf(above) | (above == below), np.spacing(np.float64(1)), above - below)
    step = np.where(np.isinf(above), 2.0 ** (np.floor(np.log2(largest)) - (7 if out == "bf16" else 10)), step)
    part = (size - below) / step
    if out == "bf16":
        up = (random & np.uint32(0xFFFF)) + np.floor(part * 65536) >= 65536
        denormal = np.zeros_like(up)
    else:
        up = (random & np.uint32(0x1FFF)) + np.floor(part * 8192) >= 8192
        denormal = size < 2.0**-14
    up = np.where(denormal, (random >> np.uint32(8)) * 2.0**-24 < part, up) & (part > 0)
    chosen = np.copysign(np.where(up, above, below), x)
    with np.errstate(all="ignore"):
        narrow = np.where(size > largest * 2, np.copysign(np.inf, x), chosen).astype(np.float32).astype(to)
        return np.where(np.isfinite(x), narrow, x.astype(to)).astype(to)


@machines
@pytest.mark.parametrize("out", ["bf16", "f16"])
def test_round_stochastic(name, request, out):
    rng = np.random.default_rng(6)
    exact = floats(out, (3, 64), rng).astype(np.float32)
    x = np.concatenate([floats("f32", (3, 140), rng), exact, exact * np.float32(1.0000305)], axis=1)
    if out == "f16":  # around its largest number, and among its denormals
        edge = np.array([65504, 65519, 65520, 65535.9, 65536, 1e38, 6e-8, 2e-8, 1e-30, 6.1e-5, 6.0e-5], np.float32)
        x = np.concatenate([x, np.tile(edge, (3, 1)), -np.tile(edge, (3, 1))], axis=1)
    n = x.shape[1]
    spec = primitive("unary", "round_stochastic", 3, n, out=out)
    found = call(spec, name, request, [np.ascontiguousarray(x)], [42], "end")
    check(found, [stochastic(x, words(3, n, 42), out)])


def step_of(size: Fraction, out: str) -> Fraction:
    """The distance of the numbers of a type around a number, as if it had no largest one."""
    info = ml_dtypes.finfo(numpy_dtype(out))
    scale = Fraction(float(info.smallest_normal))
    while size >= 2 * scale:
        scale *= 2
    return scale * Fraction(1, 1 << info.nmant)


def exactly(x: float, random: int, out: str, computed: str) -> float:
    """The definition for one number, in fractions; `random` has as many bits as the type that is computed in."""
    if not np.isfinite(x):
        return x
    info, fraction = ml_dtypes.finfo(numpy_dtype(out)), {"f32": 23, "f64": 52}[computed]
    size = abs(Fraction(x))
    step = step_of(size, out)
    below = size // step
    part = size / step - below
    if size < Fraction(float(info.smallest_normal)):
        bits, width = {"f32": (24, 32), "f64": (50, 64)}[computed]
        up = Fraction(random >> width - bits, 1 << bits) < part
    else:
        cut = fraction - info.nmant
        up = (random & (1 << cut) - 1) + int(part * (1 << cut)) >= 1 << cut
    found = (below + up) * step
    beyond = np.nan if out == "f8e4m3" else np.inf
    return float(np.copysign(beyond if found > Fraction(float(info.max)) else float(found), x))


@machines
@pytest.mark.parametrize(
    ("computed", "out"),
    [*(("f64", out) for out in ("f32", "bf16", "f16", "f8e5m2", "f8e4m3")), ("f32", "f8e5m2"), ("f32", "f8e4m3")],
)
def test_round_stochastic_exactly(name, request, computed, out):
    """Special values, the edges of the type, its numbers and what lies between them; a seed of its own."""
    rng, to = np.random.default_rng(8), numpy_dtype(out)
    info = ml_dtypes.finfo(to)
    edges = [float(each) for each in (info.max, info.smallest_normal, info.smallest_subnormal)]
    near = np.array([edge * factor for edge in edges for factor in (1, 1.01, 0.99, 1.06, 0.3, 1.5, 2, 1e-6)])
    exact = floats(out, (90,), rng).astype(numpy_dtype(computed))
    with np.errstate(all="ignore"):
        x = np.concatenate([near, -near, floats(computed, (90,), rng), exact, exact * (1 + 2.0**-20)])
    x = x.astype(numpy_dtype(computed)).reshape(2, -1)
    n = x.shape[1]
    spec = primitive("unary", "round_stochastic", 2, n, dtype=computed, out=out)
    (found,) = call(spec, name, request, [np.ascontiguousarray(x)], [77], "end")
    random = long_words(2, n, 77) if computed == "f64" else words(2, n, 77)
    wanted = [exactly(*pair, out, computed) for pair in zip(x.ravel().tolist(), random.ravel().tolist())]
    with np.errstate(all="ignore"):
        check([found], [np.array(wanted).reshape(x.shape).astype(np.float32).astype(to)])


@pytest.mark.parametrize(
    ("out", "value"),
    [("f32", 1 / 3), ("f32", 1e-40), ("bf16", -np.pi), ("f16", 1e-6), ("f8e4m3", 0.3), ("f8e5m2", 7e-5)],
)
def test_the_mean_is_the_number_in_f64(out, value):
    x = np.full((256, 512), value)
    y = ts.unary("round_stochastic", 256, 512, dtype="f64", out=out)(x, 17).astype(np.float64)
    low, high = np.unique(y)
    assert low < value < high
    assert abs(y.mean() - value) < 5 * (high - low) / 2 / np.sqrt(y.size)


@pytest.mark.parametrize("out", ["bf16", "f16"])
@pytest.mark.parametrize("value", [1.0009765625 / 1.5, 3.14159, -2.7182817, 1e-6, 5.2e-8])
def test_the_mean_is_the_number(out, value):
    x = np.full((256, 1024), value, np.float32)
    y = ts.unary("round_stochastic", 256, 1024, out=out)(x, 17).astype(np.float64)
    assert len(np.unique(y)) == 2
    low, high = np.unique(y)
    assert low < x[0, 0] < high
    deviation = (high - low) / 2 / np.sqrt(y.size)
    assert abs(y.mean() - float(x[0, 0])) < 5 * deviation


# Statistics: bounds are quantiles of the distribution of ideal numbers; the seeds are fixed, so nothing is by chance


def bits_of(seed: int, m: int = 512, n: int = 512) -> Array:
    return ts.unary("random", m, n)(seed).view(np.uint32)


def chi_square(counts: Array, expected: Any) -> float:
    """Deviations from the mean in standard deviations, of a chi-square with len - 1 degrees of freedom."""
    freedom = counts.size - 1
    value = float(((counts - expected) ** 2 / expected).sum())
    return (value - freedom) / np.sqrt(2 * freedom)


@pytest.mark.parametrize("seed", [0, 1, 2, 0xDEADBEEF, 1 << 62])
def test_every_byte_is_equally_likely(seed):
    words_ = bits_of(seed)
    for byte in range(4):
        counts = np.bincount((words_.ravel() >> np.uint32(8 * byte)) & 255, minlength=256)
        assert abs(chi_square(counts, words_.size / 256)) < 4.5


@pytest.mark.parametrize("step", [(0, 1), (1, 0), (1, 1), (0, 16), (0, 256), (64, 0)])
def test_neighbours_are_independent(step):
    """Pairs of the top four bits, and correlation."""
    words_ = bits_of(5)
    m, n = (size - move for size, move in zip(words_.shape, step))
    one, other = words_[:m, :n], words_[step[0] :, step[1] :]
    counts = np.bincount(((one >> 28) * 16 + (other >> 28)).ravel(), minlength=256)
    assert abs(chi_square(counts, m * n / 256)) < 4.5
    correlation = np.corrcoef(one.ravel().astype(np.float64), other.ravel().astype(np.float64))[0, 1]
    assert abs(correlation) < 4.5 / np.sqrt(m * n)


@pytest.mark.parametrize(("seed", "other"), [(0, 1), (1, 2), (7, 7 | 1 << 32), (0, 1 << 62)])
def test_seeds_are_independent(seed, other):
    """Words of neighbouring seeds differ in half of their bits."""
    different = np.unpackbits((bits_of(seed) ^ bits_of(other)).view(np.uint8))
    assert abs(different.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(different.size)


def test_each_bit_of_place_and_seed_changes_half_of_the_bits():
    """Avalanche: every bit of the counter and the key."""
    rng = np.random.default_rng(3)
    base = rng.integers(0, 1 << 31, (2000, 2), np.uint64)
    for part, bit in [(part, bit) for part in range(2) for bit in range(0, 31, 3)]:
        other = base.copy()
        other[:, part] ^= np.uint64(1 << bit)
        changed = np.unpackbits((model(base[:, 0], base[:, 1], (5, 6)) ^ model(other[:, 0], other[:, 1], (5, 6)))
                                .view(np.uint8))  # fmt: skip
        assert abs(changed.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(changed.size)


def test_uniform_f64():
    """Moments; the last byte of 53 bits; the first 24 bits are those of f32."""
    u = ts.unary("uniform", 512, 512, out="f64")(3)
    assert abs(u.mean() - 0.5) < 4.5 * np.sqrt(1 / 12 / u.size)
    assert abs(((u - 0.5) ** 2).mean() - 1 / 12) < 4.5 * np.sqrt(1 / 180 / u.size)
    whole = (u * 2.0**53).astype(np.uint64)
    assert (whole * 2.0**-53 == u).all()
    for byte in range(6):
        counts = np.bincount(((whole >> np.uint64(8 * byte)) & np.uint64(255)).ravel().astype(np.int64), minlength=256)
        assert abs(chi_square(counts, u.size / 256)) < 4.5
    assert (np.floor(u * 2.0**24) * 2.0**-24 == ts.unary("uniform", 512, 512)(3)).all()


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9])
def test_the_rate_is_met(rate, dtype):
    ones = np.ones((512, 512), numpy_dtype(dtype))
    kept = ts.unary("dropout", 512, 512, rate=rate, dtype=dtype)(ones, 77) != 0
    assert abs((~kept).mean() - rate) < 4.5 * np.sqrt(rate * (1 - rate) / kept.size)


@pytest.mark.seconds
def test_birthdays():
    """2^18 words of 32 bits repeat as often as chance has it: a Poisson number with mean 2^36 / 2^33 = 8."""
    repeats = [bits_of(seed).size - np.unique(bits_of(seed)).size for seed in range(20)]
    assert abs(np.mean(repeats) - 8) < 4.5 * np.sqrt(8 / 20)


# Requests that cannot be met, and calls


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (TypeError, "give rate=", lambda: ts.unary("dropout", 4, 4)),
        (ValueError, "from 0 to 1", lambda: ts.unary("dropout", 4, 4, rate=1.5)),
        (ValueError, "from 0 to 1", lambda: ts.binary("dropout_inv", 4, 4, rate=-0.1)),
        (TypeError, "rate: a number", lambda: ts.unary("dropout", 4, 4, rate="half")),
        (TypeError, "rate: a number", lambda: ts.unary("dropout", 4, 4, rate=True)),
        (UnsupportedError, "no fractions", lambda: ts.unary("dropout", 4, 4, rate=0.5, dtype="i8")),
        (UnsupportedError, "f64 in a kernel that computes in f32",
         lambda: ts.equation(lambda x: ts.uniform("f64"), x=(4, 4))),
        (UnsupportedError, "out is bf16, f16", lambda: ts.unary("round_stochastic", 4, 4)),
        (UnsupportedError, "out is f32, bf16", lambda: ts.unary("round_stochastic", 4, 4, dtype="f64")),
        (UnsupportedError, "uniform gives floats", lambda: ts.unary("random", 4, 4, out="f32")),
        (ValueError, "origin", lambda: ts.unary("relu", 4, 4, origin=ts.RUNTIME)),
        (ValueError, "origin", lambda: ts.unary("dropout", 4, 4, rate=0.5, origin=3)),
        (ValueError, "seed", lambda: ts.equation(lambda seed: ts.dropout(seed, 0.5), seed=(4, 4))),
        (ValueError, "seed: 0 or more", lambda: ts.unary("uniform", 4, 4)(-1)),
        (TypeError, "2 arguments", lambda: ts.unary("uniform", 4, 4)()),
        (UnsupportedError, "epilogue", lambda: ts.brgemm(4, 4, 4, epilogue=lambda c: ts.dropout(c, 0.5))),
    ],
)  # fmt: skip
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()
