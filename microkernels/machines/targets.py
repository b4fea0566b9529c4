"""The targets that a request may name; each has a machine (`registry`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...encoder.deferred import deferred
from ...encoder.features import TARGETS as _X86_TARGETS
from ...encoder.features import Target


@deferred
def _a64_targets() -> dict[str, Target]:
    from ...encoder.a64.targets import TARGETS

    return TARGETS


class _Targets(Mapping[str, Target]):
    """The targets of both architectures. Those of AArch64 are made when one of their names is first looked up, because
    a request for the machine that it runs on names none."""

    def __getitem__(self, name: str) -> Target:
        return _X86_TARGETS[name] if name in _X86_TARGETS else _a64_targets()[name]

    def __iter__(self) -> Iterator[str]:
        yield from _X86_TARGETS
        yield from _a64_targets()

    def __len__(self) -> int:
        return len(_X86_TARGETS) + len(_a64_targets())


TARGETS = _Targets()
