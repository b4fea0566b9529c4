"""Execute a kernel and other code for the same calls in the emulator, and find the first draw on which they differ.

    beside = Executed(kernel)
    beside.found(code)          Found("element", "y[0, 3] is 7.0 instead of 5.0, on whole numbers"), or None

The kernel is proved to compute its request. So any other result is a wrong element, if the request determines every bit
of it. If the request leaves the order of sums open, elements are compared bit for bit on numbers for which every order
gives the same sum; on other numbers they may differ by a fraction of the largest element. The calls are those of the
proof. There are also calls in place, callers in another floating-point mode, and other bits in the registers at entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tilesmith.emulation.core.faults import AbiViolation, Fault, TooLong
from tilesmith.emulation.cpu import execute
from tilesmith.microkernels.expr.along import has_reductions
from tilesmith.runtime.verify.bitwise import computes
from tilesmith.runtime.verify.callers.in_place import placed_calls
from tilesmith.runtime.verify.callers.mode import UNUSUAL, USUAL_WORDS
from tilesmith.runtime.verify.definition.evaluate import DEFINITIONS
from tilesmith.runtime.verify.numbers.draws import draws_of, fill
from tilesmith.runtime.verify.operands import Call
from tilesmith.runtime.verify.requests import every_call, numbers_of
from tilesmith.runtime.verify.trusted import kind

Array = np.ndarray[Any, Any]
ELEMENT, ACCESS, CONVENTION, ENDLESS = "wrong element", "refused access", "convention", "endless"
LIMIT = 10_000_000
NEAR = 2.0**-8
"""The largest difference allowed, relative to the largest element of a result. No order of sums changes an element by
this much if all numbers are of similar size."""


class Found(NamedTuple):
    """How code is wrong: one of the words above, and a description of what was seen."""

    what: str
    text: str

    def __str__(self) -> str:
        return self.text


class Draw(NamedTuple):
    """The inputs of a call, and the state of the caller."""

    call: Call
    words: str
    fill: Callable[[Call], None]
    near: bool = False
    """Whether results may differ by a fraction of the largest element."""
    junk: int | bytes | None = None
    control: int | None = None


class Executed:
    """A kernel, and its results for each draw."""

    def __init__(self, kernel: Any) -> None:
        self.kernel, self.target, spec = kernel, kernel.target, kernel.spec
        self.calls = list(every_call(spec, kernel.kind)[1])
        self.payload = type(spec) in DEFINITIONS and not computes(spec)
        self.draws = [each for number in range(2) for each in self._of(number)]
        self._given: dict[int, tuple[int, list[Array]]] = {}

    def _of(self, part: int) -> Iterator[Draw]:
        """Yield the first draw of every call (part 0), or all others (part 1). Most wrong code fails on the first
        ones."""
        for spec, call in self.calls:
            usual = list(draws(spec, call))
            yield from usual[:1] if part == 0 else usual[1:]
            if part == 1:
                first, last, arch = usual[0], usual[-1], self.target.arch
                yield last._replace(words=f"{last.words}, in another mode", junk=7, control=UNUSUAL[arch])
                yield first._replace(
                    words=f"{first.words}, where the stack holds the usual mode",
                    junk=USUAL_WORDS[arch].to_bytes(4, "little"),
                    control=UNUSUAL[arch],
                )
        kernel = self.kernel
        for spec in dict.fromkeys(one for one, _ in self.calls) if part == 1 else ():
            for words, call in placed_calls(kernel.spec, kernel.kind, spec):
                yield from (each._replace(words=f"{each.words}, {words}") for each in list(draws(spec, call))[:3])

    def found(self, code: bytes) -> Found | None:
        """Return how other code is wrong, or None if no draw shows it."""
        return self.first(code, self.draws)

    def first(self, code: bytes, chosen: Sequence[Draw]) -> Found | None:
        return next((wrong for draw in chosen if (wrong := self._beside(code, draw)) is not None), None)

    def _beside(self, code: bytes, draw: Draw) -> Found | None:
        if id(draw) not in self._given:
            self._given[id(draw)] = self._executed(self.kernel.code, draw, LIMIT)
        steps, wanted = self._given[id(draw)]
        try:
            _, held = self._executed(code, draw, 1000 + 100 * steps)
        except TooLong as error:
            return Found(ENDLESS, f"{error}: a hundred times those of the kernel")
        except Fault as error:
            return Found(ACCESS, f"{error}; on {draw.words}")
        except AbiViolation as error:
            return Found(CONVENTION, f"{error}; on {draw.words}")
        regions = (each for each in draw.call.regions if each.writable)
        for region, one, other in zip(regions, held, wanted):
            differs = far(one, other, draw.near, self.payload)
            if differs.any():
                place = tuple(int(at) for at in np.argwhere(differs)[0])
                where = f"{region.name}[{', '.join(map(str, place))}]"
                return Found(ELEMENT, f"{where} is {one[place]} instead of {other[place]}, on {draw.words}")
        return None

    def _executed(self, code: bytes, draw: Draw, limit: int) -> tuple[int, list[Array]]:
        """Execute code on a draw and return (number of instructions, results)."""
        call = draw.call
        draw.fill(call)
        done = execute(
            code, self.target, call.integers, call.everything, limit=limit, junk=draw.junk, control=draw.control
        )
        return done.steps, [np.array(region.array) for region in call.regions if region.writable]


OTHERS = (*range(101), 138, 200, 300)
"""The numbers on which kernels are executed that a call gives numbers, besides a few that are drawn."""


def with_other_numbers(kernel: Any, seed: int = 0) -> Iterator[Draw]:
    """Yield a draw for each of many numbers that a call of the kernel may give, all that proofs do not take included.
    There is none for a kernel without such numbers."""
    numbers = numbers_of(kernel.spec, kernel.kind)
    if numbers is None:
        return
    rng = np.random.default_rng(seed)
    for number in (*OTHERS, *rng.integers(101, 400, 4).tolist()):
        drawn = tuple(rng.integers(0, number + 1, len(numbers.names)).tolist())
        for given in dict.fromkeys([(number,) * len(numbers.names), drawn if len(drawn) > 1 else (number,)]):
            spec, call = next(numbers.of(tuple(map(max, given, numbers.least))))
            draw = next(draws(spec, call))
            yield draw._replace(words=f"{draw.words}, {numbers.text([given])}")


def far(one: Array, other: Array, near: bool, payload: bool) -> Array:
    """Return which elements differ: in any bit, or if `near`, by more than a fraction of the largest one. All NaN are
    equal unless `payload`."""
    if near and one.dtype.kind not in "iub":
        with np.errstate(all="ignore"):
            first, second = one.astype(np.float64), other.astype(np.float64)
            nan = np.isnan(first) != np.isnan(second)
            large = np.abs(second)[np.isfinite(second)].max(initial=1e-30)
            apart: Array = nan | (np.abs(first - second) > NEAR * large) & (first != second)
        return apart
    raw = f"u{one.itemsize}"
    differs: Array = np.ascontiguousarray(one).view(raw) != np.ascontiguousarray(other).view(raw)
    if not payload and one.dtype.kind not in "iub":
        with np.errstate(all="ignore"):
            differs &= ~(np.isnan(one.astype(np.float64)) & np.isnan(other.astype(np.float64)))
    return differs


# Draws


def draws(spec: Any, call: Call) -> Iterator[Draw]:
    """Yield the draws for a request: those of `draws_of`, or of `_sums_of_computed` if it sums computed elements."""
    if sums_computed(spec):
        yield from _sums_of_computed(spec, call)
        return
    found, sums = draws_of(spec)
    for seed, (words, draw) in enumerate(found):
        yield Draw(call, f"{words}, draw {seed}", partial(fill, draw=draw, seed=seed, free=sums), junk=seed or None)


def sums_computed(spec: Any) -> bool:
    name = kind(spec)
    return name in ("ChainSpec", "AttentionSpec", "GroupedSpec") or (
        name == "FusedSpec" and has_reductions(step.op for step in spec.program.steps)
    )


def _sums_of_computed(spec: Any, call: Call) -> Iterator[Draw]:
    """Yield numbers of similar size, for which results may differ a little, and numbers for which the order of sums
    does not matter."""
    exact = _ORDERLESS.get(getattr(spec, "name", "")) or _ORDERLESS.get(kind(spec))
    for seed in range(4):
        if exact is not None:
            yield Draw(call, f"{exact[0]}, draw {seed}", _filled(exact[1], seed), junk=seed or None)
        yield Draw(call, f"numbers, draw {seed}", _filled(_ordinary, seed), True, seed or None)


def _filled(draw: Callable[[np.random.Generator, Array], Any], seed: int) -> Callable[[Call], None]:
    def fill(call: Call) -> None:
        rng = np.random.default_rng(seed)
        for array in call.arrays:
            array[...] = np.asarray(draw(rng, array)).astype(array.dtype)

    return fill


def _ordinary(rng: np.random.Generator, array: Array) -> Any:
    return rng.normal(size=array.shape)


def _whole(rng: np.random.Generator, array: Array) -> Any:
    return rng.integers(-3, 3, array.shape, endpoint=True)


def _opposite(rng: np.random.Generator, array: Array) -> Any:
    """Return rows of pairs a and -a: their mean is zero, and the sum of their squares is exact."""
    half = rng.integers(-5, 5, (*array.shape[:-1], array.shape[-1] // 2), endpoint=True)
    middle = np.zeros((*array.shape[:-1], array.shape[-1] % 2))
    rows = np.concatenate([half, middle, -half], axis=-1)
    made: Array = rng.permuted(rows, axis=-1) if array.ndim > 1 else rng.normal(size=array.shape)
    return made


def _two(rng: np.random.Generator, array: Array) -> Any:
    """Return rows with two numbers that count; the powers of all others are zero relative to theirs."""
    rows = np.full(array.shape, -10_000.0)
    places = np.argsort(rng.random(array.shape), axis=-1)[..., :2]
    np.put_along_axis(rows, places, rng.normal(size=places.shape) * 3, axis=-1)
    return rows


_ORDERLESS: dict[str, tuple[str, Callable[[np.random.Generator, Array], Any]]] = {
    "softmax": ("rows of two numbers", _two),
    "layernorm": ("rows of opposite numbers", _opposite),
    "ChainSpec": ("whole numbers", _whole),
}
"""Numbers for which sums are exact or have only two nonzero summands, keyed by the name or class of a request."""
