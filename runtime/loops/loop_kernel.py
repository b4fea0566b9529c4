"""The common part of nests and regions: calls, the emulator, listings, objects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...emulation.core.memory import Region
from ...encoder.deferred import deferred
from ...encoder.elf import Declared, headers, relocatable
from ...encoder.features import Target
from ...encoder.listing import listing
from ...encoder.records import cached_property
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype, overlap
from ..threads.barrier import barrier
from ..threads.policy import checked, workers_of
from .blob import check_target
from .code import Node, is_parallel
from .job import Job
from .text import text
from .trace import Matrix

if TYPE_CHECKING:
    from ...encoder.code import Code


@deferred
def _emulator() -> ModuleType:
    from ...emulation import workers

    return workers


@deferred
def _proofs() -> ModuleType:
    from ..verify import nests

    return nests


class LoopKernel:
    """Loops around kernels as machine code, for any number of workers."""

    def __init__(self, title: str, matrices: Sequence[Matrix], written: Sequence[str], nodes: Sequence[Node],
                 target: Target, threads: int | None) -> None:  # fmt: skip
        check_target(nodes, target)
        self.title, self.matrices, self.written = title, tuple(matrices), tuple(written)
        self.nodes, self.target, self.threads = tuple(nodes), target, threads

    @cached_property
    def job(self) -> Job:
        """Loops and kernels in one piece of code."""
        return Job(self.nodes, self.target)

    @property
    def parallel(self) -> bool:
        """Whether any iterations are divided among workers."""
        return is_parallel(self.nodes)

    def __call__(self, *args: Any, threads: int | None = None, **named: Any) -> None:
        """Run on contiguous arrays of the operands' shapes and types, without the GIL."""
        workers = workers_of(threads, self.threads)
        with_names = self._arrays(args, named)
        workers = workers if self.parallel else 1
        state = barrier(self.target) if workers > 1 else (0, 0)
        self.job.run([*map(address_of, with_names), *state], workers)

    def _arrays(self, args: Sequence[Any], named: dict[str, Any]) -> list[Array]:
        names = [each.name for each in self.matrices]
        given = dict(zip(names, args)) | named
        if len(args) > len(names) or set(given) != set(names) or len(given) != len(args) + len(named):
            raise TypeError(f"this nest takes {', '.join(names)}")
        arrays = {name: as_array(name, given[name]) for name in names}
        for each in self.matrices:
            _check_array(each, arrays[each.name], each.name in self.written)
        for name in self.written:
            for other in names:
                if other != name and overlap(arrays[name], arrays[other]):
                    raise ValueError(f"{name}: is written, so it must not share memory with {other}")
        return [arrays[name] for name in names]

    def run(self, *args: Any, workers: int = 1, seed: int = 0, **named: Any) -> None:
        """Run in the emulator, on any host. The workers take turns of some instructions, whose order and lengths are
        drawn from the seed. If two workers access the same byte between two barriers and one of them writes, a `Race`
        is raised, even if the results were right in these turns."""
        arrays = self._arrays(args, named)
        workers = checked(workers, "workers") if self.parallel else 1
        emulator = _emulator()
        table = np.array([*map(address_of, arrays), emulator.BARRIER, 0], np.uint64)
        regions = [Region("operands", table, False)]
        regions += [Region(each.name, array, each.name in self.written) for each, array in zip(self.matrices, arrays)]
        calls = [[address_of(table), worker, workers] for worker in range(workers)]
        emulator.execute_together(self.code, self.target, calls, regions, seed=seed)

    def verify(self) -> Any:
        """Return a proof that the code has the effect of the body's calls on any number of workers, and that no two
        workers touch the same memory: see docs/soundness.md. Raises UnsupportedError if a kernel has no
        specification."""
        return _proofs().of_nest(self)

    @property
    def code(self) -> bytes:
        """The machine code and its constants, position-independent."""
        data: bytes = self.job.blob.data
        return data

    @property
    def name(self) -> str:
        """The C symbol."""
        return self.job.blob.name

    @property
    def c_prototype(self) -> str:
        """The C prototype. `operands` holds the addresses in order, then a barrier `void (*)(void *)` and its argument,
        which are read only if workers > 1 and the string has a barrier."""
        return f"void {self.name}(void *const *operands, long worker, long workers);"

    def listing(self, syntax: str = "intel") -> str:
        """Return the instructions as text, as for any kernel."""
        return listing(self._code, syntax)

    @property
    def _code(self) -> Code:
        return self.job.blob.code

    def save(self, path: str | Path) -> None:
        """Write a .s, .o, .h or .bin file. Call the function once for each worker, 0 to workers - 1, from threads of
        your own, such as OpenMP's; any number of them gives the same bits."""
        path = Path(path)
        declared = Declared(self._code, "void", ("void *const *operands", "long worker", "long workers"), str(self))
        if path.suffix == ".s":
            path.write_text(self.listing("gas"))
        elif path.suffix == ".o":
            path.write_bytes(relocatable(self._code))
        elif path.suffix == ".h":
            path.write_text(headers(self._code.symbol, [declared]))
        elif path.suffix == ".bin":
            path.write_bytes(self.code)
        else:
            raise ValueError(f"path: a name ending in .s, .o, .h or .bin, not {str(path)!r}")

    def __str__(self) -> str:
        """Return the loops, who runs them, and the calls as text."""
        places = {each.place: each.name for each in self.matrices}
        return "\n".join([self.title, *text(self.nodes, places, "  ")])


def _check_array(matrix: Matrix, array: Array, written: bool) -> None:
    if array.shape != matrix.shape or array.dtype != numpy_dtype(matrix.dtype):
        raise ValueError(f"{matrix.name}: {matrix.dtype} of shape {matrix.shape}, not {array.dtype} {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{matrix.name}: a contiguous array; np.ascontiguousarray({matrix.name}) copies it")
    if address_of(array) % array.itemsize:
        raise ValueError(f"{matrix.name}: elements aligned to {array.itemsize} bytes, not at {address_of(array):#x}")
    if written and not array.flags.writeable:
        raise ValueError(f"{matrix.name}: is written, but this array is read-only")
