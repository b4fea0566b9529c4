"""The targets that a request may name; each has a machine (`registry`)."""

from __future__ import annotations

from ...encoder.a64.targets import TARGETS as _A64_TARGETS
from ...encoder.features import TARGETS as _X86_TARGETS
from ...encoder.features import Target

TARGETS: dict[str, Target] = {**_X86_TARGETS, **_A64_TARGETS}
