"""The costs of instructions on xmm0, on registers from 16 on and on masked ones were left out."""

from __future__ import annotations

import pytest

from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.targets import TARGETS
from tilesmith.runtime.kernel import costs
