"""This machine as a Target: `x86` asks CPUID, `a64` asks Linux; the one that this machine needs is imported."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol

from ...encoder.deferred import deferred
from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.targets import TARGETS
from ...microkernels.names import chosen
from ..system.architecture import arch as arch

_NAMES = {"x86": "x86-64", "a64": "AArch64"}
"""Target.arch -> as people call it."""


class Probe(Protocol):
    """What the modules `x86` and `a64` offer."""

    def host(self) -> Target:
        """This machine; UnsupportedError where no kernel can run."""

    def brand(self) -> str:
        """The processor's name."""

    def available(self) -> frozenset[str]:
        """The features that can be used."""

    def denied(self, lacks: frozenset[str]) -> str:
        """What to say of missing features that the processor has, but not for this process; empty if it has none."""

    @property
    def refusal(self) -> Callable[[Target], str] | None:
        """Why code whose features are all available runs nevertheless not, empty if it does; None: it always does."""


@functools.cache
def host() -> Target:
    """This machine: `features` are what its instructions need, `isa` is "avx2", "avx512", "neon" or "sve".

    Its name is "host": kernels for it may use everything that it has. What its makers call it: `tilesmith info`.
    Raises UnsupportedError where no kernel can run: on another architecture, on x86-64 without AVX2 and FMA.
    """
    return _probe().host()


@functools.cache
def brand() -> str:
    """The processor's name, e.g. "AMD EPYC 9654 96-Core Processor" or "Neoverse V1"; empty where it has none."""
    return _probe().brand()


HERE = ("host", "native")
"""Names of this machine as a target."""


def runs(target: Target) -> str:
    """Empty if this machine executes code for the target, else the reason why it cannot."""
    if target.arch != arch():
        return f"target {target.name} is {_NAMES[target.arch]} code, and this machine is {_NAMES.get(arch(), arch())}"
    probe = _probe()
    lacks = target.features - probe.available()
    if lacks:
        return f"target {target.name} needs {', '.join(sorted(lacks))}, which this machine lacks{probe.denied(lacks)}"
    return probe.refusal(target) if probe.refusal else ""


@functools.cache
def always_runs(target: Target) -> bool:
    """Whether this machine executes code for the target, whatever the state of the thread that calls it."""
    return runs(target) == "" and _probe().refusal is None


def lacks(arch_: str, features: frozenset[str]) -> str:
    """Empty if this machine executes code that needs these features, else the reason why it cannot."""
    if arch_ != arch():
        return f"this is {_NAMES[arch_]} code, and this machine is {_NAMES.get(arch(), arch())}"
    missing = features - _probe().available()
    return f"the code needs {', '.join(sorted(missing))}, which this machine lacks" if missing else ""


def resolve(target: str | Target | None) -> Target:
    """The Target of that name, in either case; "host", "native" or None is this machine, a Target is itself."""
    if target is None:
        return host()
    if isinstance(target, Target):
        return target
    name = target.lower().replace("-", "_") if isinstance(target, str) else target
    if isinstance(name, str) and name in HERE:
        return host()
    if not isinstance(name, str) or name not in TARGETS:
        name = chosen("target", target, TARGETS, ', "host" or None for this machine')  # raises
    return TARGETS[name]


def native(target: str | Target | None) -> Target:
    """The target that `resolve` finds, of which this machine executes code. UnsupportedError where it does not."""
    resolved = resolve(target)
    reason = runs(resolved)
    if reason:
        raise UnsupportedError(reason)
    return resolved


def import_probe() -> None:
    """Import what asks this machine, where kernels run on it; nothing is asked yet."""
    if arch() in _PROBES:
        _PROBES[arch()]()


def _probe() -> Probe:
    found = arch()
    if found not in _PROBES:
        raise UnsupportedError(f"this machine is {found}: kernels run on x86-64 and on AArch64")
    return _PROBES[found]()


@deferred
def _x86() -> Probe:
    from . import x86

    return x86


@deferred
def _a64() -> Probe:
    from . import a64

    return a64


_PROBES = {"x86": _x86, "a64": _a64}
