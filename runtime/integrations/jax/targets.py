"""Handlers as targets of XLA: published, registered by name, and called.

A name has a checksum of the machine code and of the buffers. So equal calls share a handler, and a compiled program
that JAX kept on disk finds the same computation in another process, or none, which XLA reports. Handlers and what they
call are kept for the process, because XLA keeps their addresses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

import jax
import jax.ffi

from ...fastcall.entry import gil_function
from ...memory.executable import publish_for_good
from ...scalar.native import scalar_machine
from ...system.cpython import symbol
from ..xla.handler import Handler, emit
from .arrays import NUMPY_TYPES, Array, axes_of, varying

PLATFORM = "cpu"
_registered: dict[str, Handler] = {}


def target_of(plan: Handler) -> str:
    """Return the name under which XLA calls this handler, which is registered first if need be."""
    digest = blake2b(plan.callee.code + plan.structure.encode(), digest_size=8)
    name = f"tilesmith.{plan.name}.{digest.hexdigest()}"
    if name not in _registered:
        code = emit(scalar_machine(), plan._replace(minor=_minor_version()))
        jax.ffi.register_ffi_target(name, _capsule(publish_for_good(code.data)), platform=PLATFORM)
        _registered[name] = plan
    return name


@cache
def _minor_version() -> int:
    """Return the minor version of XLA's interface, as the header says that JAX has for compilers."""
    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    found = re.search(r"#define XLA_FFI_API_MINOR (\d+)", header.read_text()) if header.exists() else None
    return int(found[1]) if found else Handler._field_defaults["minor"]


def _capsule(address: int) -> object:
    """Return a capsule of a function, as JAX takes it."""
    call = gil_function()
    made: list[object] = [None]
    capsule = call(symbol("PyCapsule_New"), address, 0, 0)
    if not capsule:
        raise MemoryError("no memory for the capsule of a handler")
    call(symbol("PyList_SetItem"), id(made), 0, capsule)  # takes the reference
    return made[0]


def called(plan: Handler, operands: Sequence[Array], aliases: Mapping[int, int] | None = None) -> tuple[Array, ...]:
    """Return the results of a handler in a program of XLA's. aliases: arguments whose memory a result takes over."""
    results = [jax.ShapeDtypeStruct(each.shape, NUMPY_TYPES[each.dtype]) for each in plan.allocated]
    call = jax.ffi.ffi_call(
        target_of(plan), results, vmap_method="sequential", input_output_aliases=dict(aliases or {})
    )
    made, axes = call(*operands), axes_of(operands)
    return tuple(varying(each, axes) for each in made[: len(plan.results)])
