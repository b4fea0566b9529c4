"""The targets that a request may name; each has a machine (`registry`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.features import TARGETS as _X86_TARGETS
from ...encoder.features import Target

if TYPE_CHECKING:
    from ...encoder.a64 import targets

targets = lazy(__package__, "...encoder.a64.targets")


class _Targets(Mapping[str, Target]):
    """The targets of both architectures. Those of AArch64 are made when one of their names is first looked up, because
    a request for the machine that it runs on names none."""

    def __getitem__(self, name: str) -> Target:
        return _X86_TARGETS[name] if name in _X86_TARGETS else targets.TARGETS[name]

    def __iter__(self) -> Iterator[str]:
        yield from _X86_TARGETS
        yield from targets.TARGETS

    def __len__(self) -> int:
        return len(_X86_TARGETS) + len(targets.TARGETS)


TARGETS = _Targets()
