"""Kernel: machine code that can be called, read, and saved."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from ..encoder.code import Code
from ..encoder.elf import relocatable
from ..encoder.features import Target
from ..encoder.listing import listing
from ..microkernels import gemm
from ..microkernels.errors import UnsupportedError
from ..microkernels.gemm_frame import parameters
from ..microkernels.gemm_plan import GemmPlan, plan
from ..microkernels.gemm_spec import GemmSpec
from ..microkernels.machines.registry import machine_class, machine_for
from . import host
from .gemm_call import GemmCall
from .libc import ffi
from .memory import ExecutableBlock, publish

_LISTING_HEAD = 24  # lines of the listing that repr shows


class Kernel:
    """A compiled request. Call it with arrays; see `listing`, `save` and the attributes for everything else.

    spec, plan, target: what was asked, how it is done, for which processor. code: the bytes, constants included.
    flops: of one call (of one pair where the batch is given at the call). address: of the entry in this process, None
    when this host cannot execute the target's instructions. emulated: whether instructions that the host lacks are
    replaced by others.
    """

    emulated = False

    def __init__(self, spec: GemmSpec, target: Target) -> None:
        self.spec, self.target = spec, target
        self.plan: GemmPlan = plan(spec, machine_class(target).facts_of(target))
        machine = machine_for(target)
        gemm.emit(machine, self.plan)
        self._code: Code = machine.asm.finish(symbol(spec, target))
        self.flops = spec.flops
        self._refusal = host.runs(target)
        self._block: ExecutableBlock | None = None if self._refusal else publish(self._code.data)
        self._function: Callable[..., None] | None = None
        if self._block is not None:
            types = ", ".join(["int64_t"] * len(parameters(spec)))
            self._function = ffi.cast(f"void(*)({types})", self._block.address)
        self._arguments = GemmCall(spec)

    def __call__(self, *args: Any, **leading: Any) -> None:
        """Run the kernel; see `gemm_call` for the arguments of each batch mode."""
        if self._function is None:
            raise UnsupportedError(f"{self._refusal}. Listings and objects of this kernel work here, calls do not.")
        integers, keep = self._arguments(*args, **leading)
        self._function(*integers)
        del keep

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[GemmSpec, Target]]:
        """A pickle holds the request: whoever loads it generates the code anew, or finds it in the cache."""
        return kernel, (self.spec, self.target)

    @property
    def code(self) -> bytes:
        """The machine code and its constants, position-independent."""
        return self._code.data

    @property
    def address(self) -> int | None:
        """The entry's address in this process."""
        return None if self._block is None else self._block.address

    @property
    def name(self) -> str:
        """The C symbol of the kernel."""
        return self._code.name

    @property
    def c_prototype(self) -> str:
        """The C declaration of the kernel."""
        return f"void {self.name}({', '.join(kind + name for kind, name in parameters(self.spec))});"

    def listing(self, syntax: str = "intel") -> str:
        """The instructions as text: "intel" with offsets, bytes and notes, "gas" to assemble to exactly `code`."""
        return listing(self._code, syntax)

    def save(self, path: str | Path) -> None:
        """Write a .s (GNU as), .o (relocatable object, a C-callable symbol) or .bin (raw bytes) file."""
        path = Path(path)
        if path.suffix == ".s":
            path.write_text(self.listing("gas"))
        elif path.suffix == ".o":
            path.write_bytes(relocatable(self._code))
        elif path.suffix == ".bin":
            path.write_bytes(self.code)
        else:
            raise ValueError(f"path: a name ending in .s, .o or .bin, not {str(path)!r}")

    def __repr__(self) -> str:
        lines = self.listing().splitlines()
        head = lines[:_LISTING_HEAD]
        more = f"\n... {len(lines) - len(head)} more lines: k.listing()" if len(lines) > len(head) else ""
        where = f"at {self.address:#x}" if self.address else "not executable here"
        return f"{self.plan}\n{self.c_prototype}\n{len(self.code)} bytes for {self.target.name}, {where}\n" + (
            "\n".join(head) + more
        )


_alive: WeakValueDictionary[tuple[GemmSpec, Target], Kernel] = WeakValueDictionary()


def kernel(spec: GemmSpec, target: Target) -> Kernel:
    """The kernel of a request: one object for all who ask, while anyone holds it."""
    key = spec, target
    found = _alive.get(key)
    # setdefault: of threads that ask at the same time, all get the kernel of the first to finish
    return found if found is not None else _alive.setdefault(key, Kernel(*key))


def symbol(spec: GemmSpec, target: Target) -> str:
    """A C identifier, different for different requests and targets."""
    digest = zlib.crc32(repr((spec, target.name)).encode())
    return f"ts_brgemm_{spec.dtype}_{spec.m}x{spec.n}x{spec.k}_{digest:08x}"
