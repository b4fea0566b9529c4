"""Share one configuration of tile registers among kernels: `with ts.amx_config(first, second) as (first, second)`.

    LDTILECFG                    once, 204 cycles
        first(...), second(...)  each compares the configuration with its own: STTILECFG, 19 cycles
    TILERELEASE                  once

Tile registers belong to a thread, and so does the configuration of a context: every thread enters its own. The
context's kernels may be called anywhere. A kernel that finds a configuration other than its own sets up its own and
releases it, like kernels that share none. This happens in another thread, after code that has used tiles itself, or
after the context. Sources: Intel optimization manual, table 20-2; Linux, Documentation/arch/x86/xstate.rst.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.contract.dot_and_tile import SHARED, TileShape
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import GemmSpec
from ..host import detect as host
from .callable import Kernel, shared

if TYPE_CHECKING:
    from . import tile_scope_x86

tile_scope_x86 = lazy(__package__, ".tile_scope_x86")


def amx_config(*kernels: Kernel) -> AmxConfig:
    """A context in which these kernels find the tile registers configured, once for all of them.

    kernels  for a target with tile registers ("amx", "amx_fp16", or a host that has them), with tiles of the same
             shapes: kernels agree if m, n and k are multiples of 16, 16 and of a tile's extent along k (32 for 16 bits,
             64 for 8 bits), or if their m and n have the same minimum with 16, and their k the same remainder

    Returns a context manager that gives kernels for the same requests, in the same order. Contexts may nest, and each
    thread enters its own. On a host without tile registers it does nothing, and its kernels are called and emulated
    like the given ones; `native` and its text say so. Raises UnsupportedError for a kernel without tiles, or with tiles
    of other shapes than the first; TypeError for objects that are not kernels.
    """
    if not kernels:
        raise TypeError("amx_config: at least one kernel, of a target with tile registers")
    for number, each in enumerate(kernels):
        if not isinstance(each, Kernel):
            raise TypeError(f"amx_config: kernels, not {type(each).__name__} (argument {number})")
        shapes = shapes_of(each)
        if not shapes:
            raise UnsupportedError(
                f"amx_config: {each.spec} for {each.target.name} configures no tiles whose shapes "
                "are known before a call; use a product of 16 or 8 bits with numbers for m and n "
                'and target="amx" or "amx_fp16"'
            )
        if shapes != shapes_of(kernels[0]):
            raise UnsupportedError(
                f"amx_config: tiles of {each.spec} ({described(shapes)}) have other shapes than those of "
                f"{kernels[0].spec} ({described(shapes_of(kernels[0]))}); make a context for each"
            )
    return AmxConfig(kernels)


def shapes_of(each: Kernel) -> tuple[TileShape, ...]:
    """Return the shapes of the tile registers that a kernel configures; empty if it uses none."""
    shapes: tuple[TileShape, ...] = getattr(each.plan, "tile_shapes", ())
    return shapes


def described(shapes: tuple[TileShape, ...]) -> str:
    """Return each shape once, with the number of tiles that have it."""
    return ", ".join(f"{shapes.count(each)} of {each[0]} rows of {each[1]} bytes" for each in dict.fromkeys(shapes))


def _shared(each: Kernel) -> Kernel:
    """Return the kernel of the same request that keeps the current configuration if it is its own."""
    spec = each.spec
    assert isinstance(spec, GemmSpec), "no other kind has tiles"
    return shared(replace(spec, tiles=SHARED), each.target, each.release_gil)


class AmxConfig:
    """A context that configures the thread's tile registers. Entering it returns `kernels`."""

    def __init__(self, kernels: tuple[Kernel, ...]) -> None:
        self.shapes = shapes_of(kernels[0])
        self.native = all(not host.runs(each.target) for each in kernels)
        """Whether this machine has tile registers."""
        self.kernels = tuple(_shared(each) for each in kernels)

    def __enter__(self) -> tuple[Kernel, ...]:
        if self.native:
            tile_scope_x86.configure(self.shapes)
        _entered().append(self)
        return self.kernels

    def __exit__(self, *exception: object) -> None:
        entered = _entered()
        if not entered or entered[-1] is not self:
            raise RuntimeError(f"{self}: must be left in the thread that entered it, and in reverse order of entering")
        entered.pop()
        outer = next((each for each in reversed(entered) if each.native), None)
        if outer is not None:
            tile_scope_x86.configure(outer.shapes)
        elif self.native:
            tile_scope_x86.release()

    def __repr__(self) -> str:
        here = "" if self.native else "; this machine has no tile registers, calls go to other instructions"
        return f"amx_config for {len(self.kernels)} kernels, tiles {described(self.shapes)}{here}"


class _EnteredScopes(threading.local):
    """The contexts that a thread has entered, outermost first."""

    def __init__(self) -> None:
        self.contexts: list[AmxConfig] = []


_threads = _EnteredScopes()


def _entered() -> list[AmxConfig]:
    return _threads.contexts
