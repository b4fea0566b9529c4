"""How much the tests draw. One profile holds for a whole run, and every count of a test goes through `scaled`.

    make test     normal      minutes: a slice of everything
    make check    fast        one case of each test, a tenth of the draws
    make arm      emulated    as few, and every case: the processor is emulated
    make soak     soak        what is exhaustive: hours

`pytest --fast` is the fast profile; HYPOTHESIS_PROFILE names another one, HYPOTHESIS_PROFILE=soak say, for one file.
"""

from __future__ import annotations

import os

NAMES = ("normal", "fast", "emulated", "soak")
EXAMPLES = {"normal": 150, "fast": 20, "emulated": 25, "soak": 10_000}
"""Cases that a property draws unless it says otherwise."""
_SMALL = 20  # draws that even the fast profile leaves as they are


def chosen() -> str:
    """The profile of this run."""
    name = os.environ.get("HYPOTHESIS_PROFILE", "normal")
    if name not in NAMES:
        raise ValueError(f"HYPOTHESIS_PROFILE={name}: one of {', '.join(NAMES)}")
    return name


def choose(name: str) -> None:
    """Make it the profile of this run, before test modules are imported."""
    os.environ["HYPOTHESIS_PROFILE"] = name


def is_soak() -> bool:
    """Whether everything is wanted."""
    return chosen() == "soak"


def scaled(normal: int, soak: int) -> int:
    """How many there are to be: the number of `make test` and that of `make soak`, scaled for the other profiles."""
    if is_soak():
        return soak
    return normal if chosen() == "normal" else min(normal, max(_SMALL, normal // 10))
