"""Kernel: machine code that can be called, read, and saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary, ref

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ..arguments.tracebacks import shortened
from ..fastcall import entry
from ..fastcall.guards import FUNCTION
from ..host import detect as host
from ..memory.executable import ExecutableBlock, publish
from ..memory.other_stack import LARGEST, on_other_stack
from ..system.environment import tells_tools, wants_proofs
from ..system.libc import ffi
from ..system.torch_compile import leave_trace, untraced
from .kind import PerKernel, for_c
from .kinds import KINDS, AnyRequest, Kind, kind_of, requested
from .origin import Origin, forget_records, origin_of
from .origin import symbol as symbol
from .request_cache import RECENT, Shared, forgetting

if TYPE_CHECKING:
    from pathlib import Path

    from ...emulation import cpu as emulation_cpu
    from ...encoder import listing as encoder_listing
    from ...encoder import walk
    from ...encoder.code import Code
    from ...encoder.files import header, store
    from ...encoder.files.header import Declared
    from ...microkernels.choice import Plan
    from ..arguments.arrays import Made
    from ..debug import profilers
    from ..fastcall import slow_path
    from ..verify.places import kernels
    from ..verify.proof import Proof
    from . import display

header = lazy(__package__, "...encoder.files.header")
store = lazy(__package__, "...encoder.files.store")
walk = lazy(__package__, "...encoder.walk")
encoder_listing = lazy(__package__, "...encoder.listing")
emulation_cpu = lazy(__package__, "...emulation.cpu")
slow_path = lazy(__package__, "..fastcall.slow_path")
profilers = lazy(__package__, "..debug.profilers")
kernels = lazy(__package__, "..verify.places.kernels")
display = lazy(__package__, ".display")

LONG = 45_000
"""Calls that take more cycles than this (15 us at 3 GHz) release the GIL, which costs about 50 ns."""


_CLASS_DOC = """A compiled request. Call it with arrays; see `listing`, `save` and the attributes for everything else.

spec, plan, target: what was asked, how it is done, for which processor. code: the bytes, constants included.
flops: of one call (of one pair where the batch is given at the call). address: of the entry in this process, None
when this host cannot execute the target's instructions. emulated: whether instructions that the target or this host
lacks are replaced by others: then a kernel of tile registers keeps its `code`, and calls execute the replacement.
"""


class Kernel(Shared):
    __doc__ = PerKernel(_CLASS_DOC, lambda kernel: kernel.kind.description(kernel.spec))
    __signature__ = PerKernel(None, lambda kernel: kernel.kind.signature(kernel.spec))

    __slots__ = (
        "spec",
        "kind",
        "target",
        "release_gil",
        "flops",
        "_origin",
        "_block",
        "_checked",
        "_stand_in",
        "__weakref__",
    )
    spec: AnyRequest
    kind: Kind
    target: Target
    release_gil: bool | None
    flops: int

    def __new__(
        cls, spec: AnyRequest, target: Target, release_gil: bool | None = None, origin: Origin | None = None
    ) -> Kernel:
        """Create an object that is called through machine code where that works: see `entry`."""
        native = entry.native_type(Kernel)
        made: Kernel = object.__new__(native.type if native else cls)
        return made

    def __init__(
        self, spec: AnyRequest, target: Target, release_gil: bool | None = None, origin: Origin | None = None
    ) -> None:
        kind = kind_of(spec) if getattr(spec, "dynamic", False) else KINDS.get(type(spec)) or kind_of(spec)
        self._keep(spec=spec, target=target, release_gil=release_gil, kind=kind, flops=spec.flops)
        self._origin = origin or origin_of(spec, target, kind)
        refusal = ""
        if not host.always_runs(target) or not self._origin.features <= target.features:
            refusal = host.runs(target) or host.lacks(target.arch, self._origin.features)
        self._stand_in = self._other_instructions() if refusal else None
        self._block: ExecutableBlock | None = None if refusal else publish(_runnable(self._origin, kind, spec))
        if self._stand_in is not None:
            self._block = self._stand_in._block
        if tells_tools():
            profilers.announce(self._code, None if self._block is None else self._block.address)
        if self._block is not None and self._stand_in is None and wants_proofs():
            kernels.require(self)
        if self._block is None:
            self._checked = _refusing(refusal)
        else:
            self._checked = _checked(self.kind, spec, self._block)
            _install(self, self._block, self._checked)

    @property
    def plan(self) -> Plan:
        """How the request is computed. If the kernel came from disk, the request is planned again."""
        return self._origin.plan

    @property
    def _code(self) -> Code:
        """The code with the record of its instructions."""
        return self._origin.code

    @untraced
    def __call__(self, /, *args: Any, **leading: Any) -> Made:
        """Run the kernel; `help(kernel)` names its arguments.

        Outputs that are only written may be left out (None where other arguments follow): then they are new arrays,
        which the call returns, several of them as a tuple. Arrays given as out= are returned, too. Otherwise the call
        returns None. Arguments may be given by name, which takes a few microseconds more.
        """
        nest = next((each for each in (*args, *leading.values()) if hasattr(type(each), "__nest_call__")), None)
        if nest is not None:  # the body of a nest is being traced: runtime/loops/trace.py
            return nest.__nest_call__(self, args, leading)  # type: ignore[no-any-return]
        try:
            made: Made = self._checked(*args, **leading)
        except (TypeError, ValueError, IndexError) as error:
            raise shortened(error)  # noqa: B904
        return made

    def run(self, *args: Any, **leading: Any) -> Any:
        """Call the kernel in the emulator, which executes the emitted code for any target on any host.

        Raises `emulation.cpu.Fault`, with the instruction and the address, for an access outside of the operands and
        for an instruction that the target does not have.
        """
        args, leading, out = self._placed(args, leading)
        made, all_args = self.kind.call(self.spec).with_output(args)
        self.emulate(*all_args, **leading)
        return slow_path.result(made, out, args)

    def verify(self, *, timeout: float | None = None) -> Proof:
        """Return a `Proof` that the emitted code computes the request for all inputs. It is truthy if everything holds;
        its text says what was proved and what is trusted. Raises UnsupportedError if there is no proof yet or it meets
        a bound (docs/soundness.md): `timeout` seconds, 5,000,000 instructions of an execution, or 4,000,000 values."""
        made: Proof = kernels.verify_kernel(self, timeout)
        return made

    def _placed(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
        """Return the positional arguments, the remaining keywords, and the value of out=."""
        return slow_path.positional(self.kind, self.spec, args, named)

    def emulate(self, *args: Any, **leading: Any) -> Any:
        """Like `run` with all arguments. Return the `emulation.cpu.Execution`, which counts instructions."""
        args, leading, _ = self._placed(args, leading)
        integers, keep = self.kind.call(self.spec)(*args, **leading)
        cpu = emulation_cpu
        regions = [cpu.Region(*region) for region in self.kind.regions(self.spec, integers)]
        done = cpu.execute(self.code, self.target, integers, regions)
        del keep
        return done

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[AnyRequest, Target, bool | None]]:
        """Pickle the request. Loading it generates the code again, or finds it in the cache."""
        return kernel, (self.spec, self.target, self.release_gil)

    def _other_instructions(self) -> Kernel | None:
        """Return a kernel for this host that gives the same bits and takes the calls, if the plan knows one."""
        spec = self._origin.stand_in
        if spec is None or self.target.arch != host.arch():
            return None
        return Kernel(spec, host.host(), self.release_gil)

    @property
    def emulated(self) -> bool:
        """Whether instructions that the target or this host lacks are replaced by others that give the same bits."""
        return self._stand_in is not None or self._origin.emulated

    @property
    def code(self) -> bytes:
        """The position-independent machine code, including its constants."""
        return self._origin.data

    @property
    def address(self) -> int | None:
        """The entry's address in this process, or None if this host cannot execute the code."""
        return None if self._block is None else self._block.address

    @property
    def stack_bytes(self) -> int:
        """The bytes of stack that the code needs where it is called, such as in C. Kernels that this process calls take
        those beyond 16 KiB from the C library's memory instead."""
        found: int = walk.stack_bytes(self._code)
        return found

    @property
    def name(self) -> str:
        """The C symbol of the kernel."""
        return self._origin.name

    @property
    def c_prototype(self) -> str:
        """The C declaration of the kernel."""
        return f"void {self.name}({', '.join(header.c_parameter(*each) for each in self.kind.parameters(self.spec))});"

    def listing(self, syntax: str = "intel") -> str:
        """Return the instructions as text: "intel" with offsets, bytes and notes; "gas" assembles to exactly `code`."""
        shown: str = encoder_listing.listing(self._code, syntax)
        return shown

    def declared(self, name: str | None = None) -> Declared:
        """Return the function as a header declares it, under its own name or another one."""
        code = self._code if name is None else replace(self._code, name=header.c_name(name))
        parameters = tuple(header.c_parameter(*each) for each in self.kind.parameters(self.spec))
        made: Declared = header.Declared(code, "void", parameters, for_c(self.kind.description(self.spec)))
        return made

    def save(self, path: str | Path, name: str | None = None) -> None:
        """Write the kernel as a .s (GNU as), .o (object with a C-callable symbol), .a (archive), .so (shared library),
        .h (C header), .f90 (Fortran module) or .bin (raw bytes) file.

        The first four contain call frames (backtraces and C++ exceptions pass through) and promise IBT, SHSTK or BTI.
        `name` is the C function's name instead of `k.name`. `ts.save` writes several kernels to one file. Raises
        ValueError for another ending, and for names that the language does not allow.
        """
        store.write(path, [self.declared(name)])

    def registers(self) -> str:
        """Return a table of the vector registers: what each holds, and in which part of the code."""
        shown: str = display.registers(self)
        return shown

    def costs(self) -> str:
        """Return a table of the cycles that each instruction and innermost loop occupies the FMA, load and shuffle
        pipes, by the planner's numbers. `listing("gas")` piped to llvm-mca simulates the same code."""
        shown: str = display.costs(self)
        return shown

    def __repr__(self) -> str:
        if not hasattr(self, "_origin"):  # of `_install`, or of `entry.refusing`
            return "<the machine code of a kernel's calls>"
        where = f"at {self.address:#x}" if self.address else "not executable here"
        return f"<Kernel {self.spec.stem} for {self.target.name}, {len(self.code)} bytes {where}>"

    def __str__(self) -> str:
        """Return the plan, the C declaration, the registers and the beginning of the listing."""
        shown: str = display.text(self) if hasattr(self, "_origin") else repr(self)
        return shown

    def _repr_html_(self) -> str:
        """Return the same for notebooks, with the whole listing."""
        shown: str = display.html(self) if hasattr(self, "_origin") else display.page(repr(self))
        return shown


def _runnable(origin: Origin, kind: Kind, spec: AnyRequest) -> bytes:
    """Return the code as this process runs it."""
    data = origin.data
    return data if origin.scratch <= LARGEST else on_other_stack(data, len(kind.parameters(spec)), origin.scratch)


# Calls


def _checked(kind: Kind, spec: AnyRequest, block: ExecutableBlock) -> Callable[..., Any]:
    """Return the call through Python, which checks every argument; the first call makes the checking code."""
    run: list[Callable[..., Any]] = []

    def checked(*args: Any, **leading: Any) -> Any:
        leave_trace()
        if not run:
            types = ", ".join(["int64_t"] * len(kind.parameters(spec)))
            run.append(slow_path.checked(kind, spec, ffi.cast(f"void(*)({types})", block.address)))
        return run[0](*args, **leading)

    checked.keep = block  # type: ignore[attr-defined]
    return checked


def _refusing(reason: str) -> Callable[..., Any]:
    def refuse(*args: Any, **leading: Any) -> Any:
        raise UnsupportedError(f"{reason}. What works here: listings, objects, and k.run(...), which emulates it.")

    return refuse


def _install(kernel: Kernel, block: ExecutableBlock, checked: Callable[..., Any]) -> None:
    """Let the kernel be called through machine code, if this process and this request allow it."""
    native = entry.native_of(kernel)
    found = native and kernel.kind.entry(kernel.spec, *release(kernel))
    if native is None or found is None:
        return
    structure, values = found
    values[FUNCTION] = block.address
    constants = entry.constants_of(values)
    code = entry.code_of(structure, native)
    # `inner` makes the same call without conversions. If they do not help, it explains what is wrong.
    inner: Callable[..., Any] = object.__new__(native.type)
    itself, kind, spec = ref(kernel), kernel.kind, kernel.spec
    again: list[Callable[..., Any]] = []

    def convert(*args: Any, **leading: Any) -> Any:
        leave_trace()
        if any(hasattr(type(each), "__nest_call__") for each in (*args, *leading.values())):
            return Kernel.__call__(itself(), *args, **leading)  # type: ignore[arg-type]  # the body of a nest
        if not again:
            again.append(slow_path.Again(inner, structure, kind, spec))
        try:
            found = again[0](args, leading)
            return checked(*args, **leading) if found is None else found[0]
        except (TypeError, ValueError, IndexError) as error:
            raise shortened(error)  # noqa: B904

    checked.constants = constants  # type: ignore[attr-defined]
    native.install(inner, code, constants, checked)
    native.install(kernel, code, constants, convert)


def release(kernel: Kernel) -> tuple[str, int]:
    """Return when a call releases the GIL ("never", "always", "count": above a number that the call gives), and that
    number."""
    if kernel.release_gil is not None:
        return ("always" if kernel.release_gil else "never"), 0
    pairs = kernel.kind.pairs(kernel.spec) if kernel.kind.pairs else 1
    cycles = kernel._origin.pair_cycles
    if pairs is None:  # cycles of one pair, one row, or of the likely number of what the call gives
        return "count", int(LONG * getattr(kernel.spec, "likely_number", 1) / max(cycles, 1))
    return ("always" if cycles * pairs > LONG else "never"), 0


# Requests

_Request = tuple[AnyRequest, Target, bool | None]
_alive: WeakValueDictionary[_Request, Kernel] = WeakValueDictionary()


def kernel(spec: AnyRequest, target: Target, release_gil: bool | None = None) -> Kernel:
    """Return the kernel of a request from anywhere, such as a pickle: it is checked like a new request."""
    return shared(requested(spec), target, release_gil)


def shared(spec: AnyRequest, target: str | Target | None, release_gil: bool | None = None) -> Kernel:
    """Return the kernel of a request. Everyone who asks gets the same object as long as it is alive."""
    key = spec, host.host() if target is None else host.resolve(target), _truth(release_gil)
    found = _alive.get(key)
    # With setdefault, threads that ask at the same time all get the kernel of the first to finish.
    return found if found is not None else _alive.setdefault(key, Kernel(*key))


def frozen(spec: AnyRequest, target: Target, release_gil: bool | None, origin: Origin) -> Kernel:
    """Return the kernel of a request whose code is available, or the one that is already alive."""
    key = spec, target, _truth(release_gil)
    found = _alive.get(key)
    return found if found is not None else _alive.setdefault(key, Kernel(*key, origin))


def kept(spec: AnyRequest, target: str | Target | None, release_gil: bool | None = None) -> Kernel:
    """Like `shared`, if arguments cannot be a key: the latest kernels stay alive even if nobody holds them."""
    key: Any = spec
    return _kept(key, host.resolve(target), _truth(release_gil))


def _truth(release_gil: Any) -> bool | None:
    if release_gil is not None and not isinstance(release_gil, bool):
        raise TypeError(f"release_gil: True, False or None, not {release_gil!r}")
    return release_gil


@lru_cache(maxsize=RECENT, typed=True)
def _kept(spec: Any, target: Target, release_gil: bool | None) -> Kernel:
    return shared(spec, target, release_gil)


forgetting += [_kept.cache_clear, forget_records]
