"""The origin of a kernel's code: planned and emitted in this process, or kept on disk by an earlier one.

Both offer the same interface. Data that a kept kernel lacks is made on demand: the record of its instructions is
decoded (encoder/restore.py), and its request is planned again.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import cached_property, seldom, text_of
from ..cache.keeping import keeps, stamp, store
from ..system.architecture import arch
from ..system.environment import cache_folder
from .kinds import AnyRequest, Kind

if TYPE_CHECKING:
    import zlib

    from ...encoder import restore
    from ...encoder.code import Code
    from ...microkernels import choice
    from ...microkernels.choice import Plan
    from ...microkernels.machines import registry as machines_registry
    from ..cache.sealed import SealedEntry
    from ..cache.store import Made
    from . import texts

zlib = lazy(None, "zlib")
machines_registry = lazy(__package__, "...microkernels.machines.registry")
choice = lazy(__package__, "...microkernels.choice")
restore = lazy(__package__, "...encoder.restore")
texts = lazy(__package__, ".texts")

KERNEL = "kernel"


class Origin(Protocol):
    """The interface of both origins."""

    name: str
    data: bytes
    features: frozenset[str]
    pair_cycles: float
    emulated: bool
    stand_in: Any
    scratch: int

    @property
    def code(self) -> Code:
        """The code with the record of its instructions."""

    @property
    def plan(self) -> Plan:
        """How the request is computed."""


def planned(spec: AnyRequest, target: Target, kind: Kind) -> Plan:
    """Return the plan of a request."""
    return choice.choose(kind.pipeline().candidates(spec, machines_registry.facts_of(target)))


RECENT = 64
"""The number of kernels whose plan and record of instructions are kept. Those of other kernels are made again on
demand: they take ten times as much memory as the bytes."""


class _Record:
    """The plan and the code of a kernel as they were made."""

    __slots__ = ("__weakref__", "code", "plan")

    def __init__(self, plan: Plan, code: Code) -> None:
        self.plan, self.code = plan, code


_recent: deque[_Record] = deque(maxlen=RECENT)


class Emitted:
    """Code that was emitted in this process."""

    def __init__(self, spec: AnyRequest, target: Target, kind: Kind) -> None:
        self._spec, self._target, self._kind = spec, target, kind
        made = self._emitted()
        plan, code = made.plan, made.code
        self.name, self.data, self.features = code.name, code.data, code.features
        self.pair_cycles = plan.pair_cycles
        self.emulated = bool(getattr(plan, "emulated", False))
        self.stand_in = getattr(plan, "stand_in", None)

    def _emitted(self) -> _Record:
        plan = planned(self._spec, self._target, self._kind)
        registry, target = machines_registry, self._target
        machine_of, assembler_of = registry.classes_of(target)
        first = machine_of(target, assembler_of(target))
        machine = self._kind.pipeline().emitted(plan, first, lambda emit: registry.spilled(target, emit))
        code: Code = machine.asm.finish(symbol(self._spec, self._target))
        self.scratch: int = machine.claimed
        made = _Record(plan, code)
        self._made = ref(made)
        _recent.append(made)
        return made

    @property
    def _record(self) -> _Record:
        made = self._made()
        if made is None:
            made = self._emitted()
            assert made.code.data == self.data, "the same request and target give the same bytes"
        return made

    @property
    def code(self) -> Code:
        """The code, which is emitted again if it is not one of the latest."""
        return self._record.code

    @property
    def plan(self) -> Plan:
        """The plan, likewise."""
        return self._record.plan


def forget_records() -> None:
    """Drop the plans and the records of instructions that are kept."""
    _recent.clear()


class CachedCode:
    """Code that was found in a cache folder."""

    def __init__(self, spec: AnyRequest, target: Target, kind: Kind, entry: SealedEntry) -> None:
        facts = entry.facts
        self._spec, self._target, self._kind = spec, target, kind
        self._text_size: int = facts["text_size"]
        self.name: str = facts["name"]
        self.data, self._text = entry.sections
        self.features = frozenset(facts["features"])
        self.pair_cycles = float(facts["pair_cycles"])
        self.emulated: bool = facts["emulated"]
        self.scratch: int = facts["scratch"]
        self.stand_in = texts.value_of(facts["stand_in"]) if facts["stand_in"] else None

    @cached_property
    def code(self) -> Code:
        """The code, decoded on demand."""
        made: Code = restore.restored(self.name, self._target, self.data, self._text_size, self._text)
        return made

    @cached_property
    def plan(self) -> Plan:
        """The plan, computed again on demand."""
        return planned(self._spec, self._target, self._kind)


def request_of(spec: AnyRequest, target: Target) -> str:
    """Return the text that identifies the kernel in a cache. It contains everything that the code depends on."""
    return f"{KERNEL} {stamp.stamp()} {text_of(spec)} {text_of(target)}"


def origin_of(spec: AnyRequest, target: Target, kind: Kind) -> Origin:
    """Return the code of a request. Code for other architectures is not kept: it cannot be executed here; nor that of
    instructions of one's own, which no text identifies."""
    where = cache_folder()
    if target.arch != arch() or target.units or where is None or not keeps(where):
        with seldom():
            return Emitted(spec, target, kind)
    request = request_of(spec, target)
    found = store.find(request)
    if found is not None and target.features.issuperset(found.facts["features"]):
        return CachedCode(spec, target, kind, found)
    with seldom():
        made = Emitted(spec, target, kind)
        store.keep(request, lambda: entry_of(made))
        return made


def entry_of(made: Origin) -> Made:
    """Return the facts and sections of a kernel's cache entry. Raise EncodeError if decoding the code does not
    reproduce it."""
    found = restore.kept(made.code)
    stand_in = None if made.stand_in is None else text_of(made.stand_in)
    facts = {
        "kind": KERNEL,
        "name": made.name,
        "arch": made.code.arch,
        "features": sorted(found.features),
        "text_size": made.code.text_size,
        "pair_cycles": float(made.pair_cycles),
        "emulated": made.emulated,
        "stand_in": stand_in,
        "scratch": made.scratch,
    }
    return facts, [made.data, found.text]


def symbol(spec: AnyRequest, target: Target) -> str:
    """Return a C identifier that differs for different requests and targets, as the key of the cache does."""
    digest = zlib.crc32(f"{text_of(spec)} {target.name}".encode())
    return f"ts_{spec.stem}_{digest:08x}"
