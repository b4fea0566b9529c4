"""The guard pages of `tilesmith.testing`, and the mark that runs a test on both sides of them."""

from __future__ import annotations

import pytest

from tilesmith.runtime.testing.guard import GUARD as GUARD
from tilesmith.runtime.testing.guard import PAGE as PAGE
from tilesmith.runtime.testing.guard import SIDES as SIDES
from tilesmith.runtime.testing.guard import TIMEOUT as TIMEOUT
from tilesmith.runtime.testing.guard import Array as Array
from tilesmith.runtime.testing.guard import address as address
from tilesmith.runtime.testing.guard import check_canary as check_canary
from tilesmith.runtime.testing.guard import guarded as guarded
from tilesmith.runtime.testing.guard import guarded_pair as guarded_pair
from tilesmith.runtime.testing.guard import run_forked as run_forked

both_sides = pytest.mark.parametrize("side", SIDES)
