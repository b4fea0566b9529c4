"""The modules that `import tilesmith` imports at once: those between a request and a kernel that is kept on disk.

Every program that makes a kernel needs them, so they are part of the import for which it waits anyway. Everything else
is imported when it is first used. Planners and emitters are not included, because a kernel that is kept on disk does
not need them.
"""

from __future__ import annotations

from ..cache import stamp as stamp
from ..cache import store as store
from ..host import detect
from ..kernel import kinds as kinds
from ..memory import owner as owner
from . import brgemm as brgemm

detect.import_probe()
