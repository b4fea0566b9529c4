"""For tests of kernels: arrays between guard pages, references with error bounds, and what hypothesis draws.

    x = ts.testing.guarded(array, side="end", writable=False)      # a byte outside of it faults
    expected, bound = ts.testing.brgemm_reference([a], [b], c, alpha=1.0, beta=1.0)
    ts.testing.check(result, expected, bound)                       # names the worst element
    from tilesmith.testing import strategies                        # needs the package hypothesis

The project's own tests use the same functions.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from .encoder.deferred import lazy
from .runtime.testing.guard import SIDES, check_canary, guarded, guarded_pair, run_forked
from .runtime.testing.reference import brgemm as brgemm_reference
from .runtime.testing.reference import check
from .runtime.testing.reference import exact_brgemm as exact_brgemm_reference

__all__ = [
    "SIDES",
    "brgemm_reference",
    "check",
    "check_canary",
    "exact_brgemm_reference",
    "guarded",
    "guarded_pair",
    "run_forked",
    "strategies",
]

if TYPE_CHECKING:
    from .runtime.testing import strategies
    from .runtime.testing import strategies as testing_strategies

testing_strategies = lazy(__package__, ".runtime.testing.strategies")


def __getattr__(name: str) -> ModuleType:
    if name != "strategies":
        raise AttributeError(f"module 'tilesmith.testing' has no attribute {name!r}")
    try:
        return testing_strategies
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("tilesmith.testing.strategies needs hypothesis: pip install hypothesis") from error
