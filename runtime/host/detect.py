"""This machine as a Target: `x86` queries CPUID, `a64` queries Linux. Only the module that this machine needs is
imported."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ...encoder.deferred import import_now, lazy
from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.targets import TARGETS
from ...microkernels.names import chosen
from ..system.architecture import arch as arch

if TYPE_CHECKING:
    from . import a64, x86

x86 = lazy(__package__, ".x86")
a64 = lazy(__package__, ".a64")

_NAMES = {"x86": "x86-64", "a64": "AArch64"}
"""The common names of architectures, keyed by Target.arch."""


class HostProbe(Protocol):
    """The interface of the modules `x86` and `a64`."""

    def host(self) -> Target:
        """Return this machine. Raises UnsupportedError if no kernel can run."""

    def brand(self) -> str:
        """Return the processor's name."""

    def available(self) -> frozenset[str]:
        """Return the features that can be used."""

    def denied(self, lacks: frozenset[str]) -> str:
        """Return a remark on missing features that the processor has, but not for this process; empty if there are
        none."""

    @property
    def refusal(self) -> Callable[[Target], str] | None:
        """A function that explains why code does not run although all its features are available (empty: it runs).
        None: it always runs."""


@functools.cache
def host() -> Target:
    """Return this machine: `features` are those of its instructions, `isa` is "sse", "avx", "avx2", "avx512", "neon" or
    "sve".

    Its name is "host", and kernels for it may use everything that it has. `tilesmith info` shows its model. Raises
    UnsupportedError if no kernel can run: on another architecture, or on x86-64 without SSE4.2.
    """
    return _probe().host()


@functools.cache
def brand() -> str:
    """Return the processor's name, e.g. "AMD EPYC 9654 96-Core Processor" or "Neoverse V1"; empty if it has none."""
    return _probe().brand()


HERE = ("host", "native")
"""Names of this machine as a target."""


def runs(target: Target) -> str:
    """Return the reason why this machine cannot execute code for the target, or an empty text."""
    if target.arch != arch():
        return f"target {target.name} is {_NAMES[target.arch]} code, and this machine is {_NAMES.get(arch(), arch())}"
    probe = _probe()
    lacks = target.features - probe.available()
    if lacks:
        return f"target {target.name} needs {', '.join(sorted(lacks))}, which this machine lacks{probe.denied(lacks)}"
    return probe.refusal(target) if probe.refusal else ""


@functools.cache
def always_runs(target: Target) -> bool:
    """Whether this machine executes code for the target, whatever the state of the calling thread."""
    return runs(target) == "" and _probe().refusal is None


def lacks(arch_: str, features: frozenset[str]) -> str:
    """Return the reason why this machine cannot execute code that needs these features, or an empty text."""
    if arch_ != arch():
        return f"this is {_NAMES[arch_]} code, and this machine is {_NAMES.get(arch(), arch())}"
    missing = features - _probe().available()
    return f"the code needs {', '.join(sorted(missing))}, which this machine lacks" if missing else ""


def resolve(target: str | Target | None) -> Target:
    """Return the Target of that name, in either case. "host", "native" or None is this machine; a Target is returned as
    it is."""
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
    """Return the target of `resolve` if this machine executes its code. Raises UnsupportedError otherwise."""
    resolved = resolve(target)
    reason = runs(resolved)
    if reason:
        raise UnsupportedError(reason)
    return resolved


def import_probe() -> None:
    """Import the module that queries this machine, if kernels run on it. Nothing is queried yet."""
    if arch() in _PROBES:
        import_now(_PROBES[arch()])


def _probe() -> HostProbe:
    found = arch()
    if found not in _PROBES:
        raise UnsupportedError(f"this machine is {found}: kernels run on x86-64 and on AArch64")
    return _PROBES[found]


_PROBES: dict[str, HostProbe] = {"x86": x86, "a64": a64}
