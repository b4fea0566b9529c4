"""What the proofs of nests accept is right, on random nests: races by brute force, scratch memory by poison."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.profiles import scaled
from tests.runtime.threads.jobs import Team
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.loops.accesses import CallAccess, Touched
from tilesmith.runtime.loops.code import Affine, Call, When
from tilesmith.runtime.loops.grammar import Range, parsed
from tilesmith.runtime.loops.races import RaceError, check_races
from tilesmith.runtime.loops.trace import NestMatrix
from tilesmith.runtime.system.libc import ffi

LOOPS = {"a": Range(0, 3, 1), "b": Range(0, 8, 2), "t": Range(0, 2, 1)}
NAMES = {"a": "a0", "b": "b0", "t": "t0"}
KERNEL = ts.unary("square", 1, 8)

forms = st.builds(
    lambda constant, factors: Affine(constant, tuple((f"{name}0", each) for name, each in zip("abt", factors) if each)),
    st.integers(0, 3),
    st.tuples(*[st.sampled_from([0, 0, 0, 1, 2, 4, 8, -1])] * 3),
)
conditions = st.lists(
    st.builds(
        lambda name, value, how: When(Affine(-value, ((name, 1),)), how, ()),
        st.sampled_from(["t0", "a0"]),
        st.integers(0, 2),
        st.sampled_from(["==", "<", ">=", "!="]),
    ),
    max_size=1,
).map(tuple)


@st.composite
def accesses(draw: st.DrawFn) -> list[CallAccess]:
    """Draw boxes of one operand of two axes that a body reads and writes."""
    matrix, found = NestMatrix("y", 0, (99, 99), "f32", 4), []
    for number in range(draw(st.integers(1, 3))):
        places, extents = (draw(forms), draw(forms)), (draw(st.integers(1, 3)), draw(st.integers(1, 2)))
        found.append(
            CallAccess(
                Call(KERNEL, ()),
                matrix,
                places,
                extents,
                number == 0 or draw(st.booleans()),
                draw(conditions),
                0,
                (Touched(0, 4, (1,), (4,)),),
            )
        )
    return found


@settings(max_examples=scaled(120, 20000))
@given(
    st.sampled_from(["AB", "tA", "tAB|", "tB|", "At", "tAB", "t|AB", "bA|", "abT"]),
    st.sampled_from(["", "@schedule(dynamic)"]),
    accesses(),
)
def test_races(string: str, schedule: str, found: list[CallAccess]) -> None:
    """No element that an iteration writes is touched by another worker's iteration between two barriers. With a dynamic
    schedule, that may be any iteration of the loops around the divided ones."""
    used = {letter: loop for letter, loop in LOOPS.items() if letter in string.lower()}
    names = {letter: NAMES[letter] for letter in used}
    outside = [
        each
        for each in found
        for form in (*each.places, *(one.left for one in each.conditions))
        if {name for name, _ in form.terms} - set(names.values())
    ]
    if outside:
        return
    spec = parsed(string + schedule, used)
    try:
        check_races(spec, found, used, names)
    except RaceError:
        return
    dealt = [level.letter for level in spec.levels if level.parallel]
    if schedule:
        last = max(at for at, level in enumerate(spec.levels) if level.parallel)
        dealt = [level.letter for level in spec.levels[: last + 1]]
    bar = max((at for at, level in enumerate(spec.levels) if level.barrier), default=0)
    fixed = [level.letter for level in spec.levels[:bar] if not level.parallel]
    touched: dict[Any, list[tuple[Any, bool]]] = defaultdict(list)
    for values in product(*(range(each.start, each.stop, each.step) for each in used.values())):
        index = dict(zip(names.values(), values))
        at = dict(zip(used, values))
        who, when = tuple(at[each] for each in dealt), tuple(at[each] for each in fixed)
        for access in found:
            if all(each.holds(index) for each in access.conditions):
                starts = [form.value(index) for form in access.places]
                for element in product(*(range(start, start + n) for start, n in zip(starts, access.extents))):
                    touched[when, element].append((who, access.writes))
    for all_of in touched.values():
        writers = {who for who, writes in all_of if writes}
        assert not writers or {who for who, _ in all_of} == writers and len(writers) == 1


SQUARE, ADD = ts.unary("square", 1, 8), ts.binary("add", 1, 8)
step = st.tuples(
    st.sampled_from(["write", "read", "read", "move"]),
    st.sampled_from(["", "", "a.first", "b.first", "a.last", "b>2"]),
    st.sampled_from(["0", "0", "1", "a"]),
    st.sampled_from(["0", "0", "1", "b"]),
)
first = st.tuples(
    st.just("write"), st.sampled_from(["", "a.first", "b.first"]), st.just("0"), st.sampled_from(["0", "a", "b"])
)
DYNAMIC = "AB@schedule(dynamic)"
steps = st.builds(lambda first, rest: [first, *rest], first, st.lists(step, min_size=1, max_size=3))


@settings(max_examples=scaled(40, 5000))
@given(
    st.sampled_from(["AB", "Ab", "aB", "ab", "bA", "B{R}a", "aAb", "AB@schedule(static,1)", "aB@schedule(dynamic)"]),
    steps,
)
def test_scratch_memory(string: str, body_steps: list[tuple[str, str, str, str]]) -> None:
    """A nest that is accepted leaves the same numbers for any number of workers, and none of them is what was in the
    memory before."""

    def body(i: Any, x: Any, s: Any, y: Any) -> None:
        places = {"0": 0, "1": 1, "a": i.a, "b": i.b}
        for number, (what, condition, place, other) in enumerate(body_steps):
            conditions = {"": i.a >= 0, "a.first": i.a.first, "b.first": i.b.first, "a.last": i.a.last, "b>2": i.b > 2}
            with ts.when(conditions[condition]):
                if what == "write":
                    SQUARE(x[places[other]], s[places[place]])
                elif what == "read":
                    ADD(s[places[place]], s[places[other]], y[i.a, i.b, number])
                else:
                    SQUARE(s[places[other]], s[places[place]])

    loops = {"a": (0, 3, 1, [2]), "b": (0, 4, 1)}
    shapes = {"x": ((4, 1, 8), "f32"), "y": ((3, 4, 5, 1, 8), "f32")}
    try:
        nest = ts.nest(string, loops, body, x=shapes["x"], s=ts.scratch((4, 1, 8)), y=shapes["y"])
    except RaceError:
        return
    x = np.random.default_rng(0).uniform(0.5, 0.9, shapes["x"][0]).astype(np.float32)
    found = []
    for workers in (1, 2, 3, 7) if nest.parallel else (1,):
        y, own = np.zeros(shapes["y"][0], np.float32), nest.scratch[1]
        memory = np.full(workers * own // 4, np.nan, np.float32)
        words, team = [address_of(x), address_of(y), 0, address_of(memory)][: 4 if own else 2], Team()
        table = ffi.new("uintptr_t[]", [*words, *team.words])
        call = ffi.cast("void(*)(void *, long, long)", nest.job.block.address)
        for worker in reversed(range(workers)):
            call(ffi.cast("void *", table), worker, workers)
        assert not np.isnan(y).any()
        found.append(y)
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])
