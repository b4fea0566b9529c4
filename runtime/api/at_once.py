"""What `import tilesmith` imports at once: the modules between a request and a kernel that is kept on disk.

Every program that makes a kernel needs these, so they belong to the import that it waits for anyway; all else is
imported when it is first asked for. Planners and emitters are not among them: a kernel that is kept needs none.
"""

from __future__ import annotations

from ..cache import requests as requests
from ..cache import stamp as stamp
from ..cache import store as store
from ..host import detect
from ..kernel import products as products
from ..memory import owner as owner
from . import brgemm as brgemm

detect.import_probe()
