"""Profiles: how much the tests draw. A whole run has one profile, and every count of a test goes through `scaled`.

    make test     normal      minutes: a sample of everything
    make check    fast        one case of each test, a tenth of the draws
    make arm      emulated    as few draws, but every case: the processor is emulated
    make soak     soak        days: exhaustive

A grid is the cases of a parametrised test. Of a large one, `make test` runs some that are drawn anew each day; the last
line of its output gives the number with which they were drawn. `TILESMITH_GRIDS=739949` draws those of that number
again, and `TILESMITH_GRIDS=all` runs every case, as a soak and a run of `make arm` do.

`pytest --fast` is the fast profile; HYPOTHESIS_PROFILE=soak, for example, selects another one for any run. A soak with
TILESMITH_SOAK_SHARE=0.01 makes a hundredth of its draws, but no fewer than `make test`, and with 0 as many as that: all
tests that only a soak has run, in hours.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date
from random import Random
from typing import TypeVar

T = TypeVar("T")
NAMES = ("normal", "fast", "emulated", "soak")
EXAMPLES = {"normal": 75, "fast": 20, "emulated": 25, "soak": 10_000}
"""The number of cases that a property draws by default."""
GRID = 4
"""The number of cases of a grid that `make test` runs. `@pytest.mark.grid(4)` is another number for a grid of long
cases."""
_SMALL = 20  # numbers of draws up to this one are not scaled down
_OF_A_DAY = 0.5  # the share of a larger number that `make test` draws, anew each day
_BOTH = 3  # draws of a quick test if the slow one runs, too


def share() -> float:
    """Return the share of its draws that a soak makes."""
    text = os.environ.get("TILESMITH_SOAK_SHARE", "1")
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise ValueError(f"TILESMITH_SOAK_SHARE={text}: a number from 0 to 1")
    return found


def chosen() -> str:
    """Return the name of the profile of this run."""
    name = os.environ.get("HYPOTHESIS_PROFILE", "normal")
    if name not in NAMES:
        raise ValueError(f"HYPOTHESIS_PROFILE={name}: one of {', '.join(NAMES)}")
    return name


def choose(name: str) -> None:
    """Set the profile of this run; call this before test modules are imported."""
    os.environ["HYPOTHESIS_PROFILE"] = name


def is_soak() -> bool:
    """Whether this is an exhaustive run."""
    return chosen() == "soak"


def scaled(normal: int, soak: int) -> int:
    """Return a count for this profile: `normal`, or a day's share of it if it is large, for `make test`, `soak` or its
    share for `make soak`, and fewer for the others."""
    if is_soak():
        return max(min(normal, soak), round(soak * share()))
    return min(normal, max(_SMALL, round(normal * _OF_A_DAY) if chosen() == "normal" else normal // 10))


def quick(few: int) -> int:
    """Return a count for a quick test of a property that a slow test draws more often. `make check` and `make arm`
    leave slow tests out; `make test` runs both, so the quick one draws little."""
    return scaled(_BOTH, few) if chosen() in ("normal", "soak") else scaled(few, few)


def rotation() -> str:
    """Return what cases of grids are drawn with: a number that changes each day, or "all" if none is left out. The
    processes that share a run inherit it."""
    if chosen() != "normal":
        return "all"
    found = os.environ.setdefault("TILESMITH_GRIDS", str(date.today().toordinal()))
    if found != "all" and not found.isdecimal():
        raise ValueError(f"TILESMITH_GRIDS={found}: a number, or all")
    return found


def of_grid(
    cases: Sequence[T], name: str, most: int = GRID, values: Callable[[T], Iterable[Hashable]] = lambda case: ()
) -> list[T]:
    """Return the cases that this run executes of the grid of a test, at most some, in their order.

    values: those of the parameters of a case. Each case drawn has the values that those before it have least, so that
    few cases have every target, type and option between them. The first one is any.
    """
    if rotation() == "all" or len(cases) <= most:
        return list(cases)
    places = Random(f"{name} {rotation()}").sample(range(len(cases)), len(cases))
    held = [tuple(values(case)) for case in cases]
    count, chosen = Counter[Hashable](), list[int]()
    for _ in range(most):
        place = min(places, key=lambda each: sum([count[value] for value in held[each]]))
        places.remove(place)
        chosen.append(place)
        count.update(held[place])
    return [cases[place] for place in sorted(chosen)]
