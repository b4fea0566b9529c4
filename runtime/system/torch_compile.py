"""Keep torch.compile from tracing the Python code of this package.

torch.compile executes Python functions symbolically, with tensors that have no memory. The functions that check
arguments read the addresses of arrays, so they cannot be traced. They call `leave_trace` first. torch.compile does not
trace a function with the attribute `_torchdynamo_disable`, which `torch.compiler.disable` sets: it ends its graph
before the call, or raises an error with the text `_torchdynamo_disable_msg` if the graph must be whole. Then it makes
the call, which adds the folders of this package to those that torch.compile calls without tracing them. It does trace
the functions of `integrations`, which are made of operators.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable
from typing import Any, TypeVar

_DYNAMO = "torch._dynamo"
F = TypeVar("F", bound=Callable[..., Any])
_PACKAGE = __name__.partition(".runtime.")[0]
_REASON = (
    "a kernel of Tilesmith is machine code, which torch.compile cannot trace; torch.library.custom_op makes the "
    "call a node of the graph: docs/tutorial-torch.md, torch.compile"
)
_told: list[Any] = []
"""The modules of torch that know this package: none, or one."""


def untraced(function: F) -> F:
    """Decorate a function that torch.compile must call instead of tracing it."""
    vars(function).update(_torchdynamo_disable=True, _torchdynamo_disable_msg=_REASON)
    return function


@untraced
def leave_trace() -> None:
    """End the graph if torch.compile is tracing the caller. It does not trace functions of this package afterwards."""
    if _DYNAMO in sys.modules and not _told:
        rules = getattr(sys.modules[_DYNAMO], "trace_rules", None)
        add = getattr(rules, "add", None)
        if add is not None:
            _told.append(rules)
            runtime = sys.modules[f"{_PACKAGE}.runtime"]
            found = [each.name for each in pkgutil.iter_modules(runtime.__path__) if each.name != "integrations"]
            *most, last = (*(f"runtime.{each}" for each in found), "encoder", "microkernels", "emulation")
            folders = getattr(rules, "SKIP_DIRS", None)
            if isinstance(folders, list):  # `add` compiles a pattern of all folders each time, 3 ms of torch 2.13
                (root,) = sys.modules[_PACKAGE].__path__
                folders += (f"{root}/{name.replace('.', '/')}/" for name in most)
                most = []
            for name in (*most, last):
                add(f"{_PACKAGE}.{name}")
