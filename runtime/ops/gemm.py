"""Products of any size on all cores: `gemm` makes one nest of machine code around BRGEMM kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from ...encoder.deferred import lazy
from ...encoder.records import cached_property
from ...microkernels.choice import Refusal, tried
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import STRIDE, GemmSpec, PairBatch
from ...microkernels.operands import RUNTIME
from ...microkernels.tuning.products import GROUPS
from ..api.brgemm import brgemm, product_spec
from ..arguments.arrays import address_of
from ..arguments.compressed import form_of
from ..arguments.epilogue import BEHIND
from ..arguments.keywords import KeywordOrder, with_threads
from ..arguments.tracebacks import shortening
from ..fastcall import entry
from ..fastcall.known_calls import KnownCalls
from ..fastcall.slow_path import keyword_order_of, positional, result
from ..host import detect as host
from ..kernel.callable import LONG
from ..kernel.kind import Kind, PerKernel
from ..kernel.kinds import kind_of
from ..kernel.request_cache import remembered
from ..loops.blob import Blob
from ..loops.code import has_barriers
from ..loops.job import (
    Job,
    JobCall,
    JobKernel,
    JobWord,
    barrier_words,
    drawn,
    emulated_barrier,
    job_of,
    parameter,
    scratch,
    scratch_words,
)
from ..loops.scratch import KEPT, buffer, slots
from ..loops.text import text
from ..threads import called
from ..threads.barrier import barrier
from ..threads.called_code import JobTable
from ..threads.policy import checked, default, num_threads, workers_of
from .blocks import L2, balanced_columns, lanes_of, may_transpose_blocks
from .kept_blocks import kept_blocks
from .product_nest import BARRIER, EXTRAS, PACKED_A, PACKED_B, A, B, C, ProductNest
from .product_parts import BlockKernels, check_results, in_bytes, places, product_of, settled
from .rows_of_calls import CalledByRows, check_counted
from .schedules import Blocks
from .tuned_blocks import tuned_blocks

if TYPE_CHECKING:
    import inspect

    from ...microkernels.compressed.form import CompressedForm
    from ...microkernels.operands import Leading
    from ..api.typed import DTypes, Numerics, Operands, Orders, ProductDTypes, TargetLike
    from ..kernel.accuracy import Accuracy
    from . import block_rules, expanding, listed_stack, proofs, spread
    from .listed_stack import ListedStack
    from .spread import Spread

block_rules = lazy(__package__, ".block_rules")
spread = lazy(__package__, ".spread")
expanding = lazy(__package__, ".expanding")
listed_stack = lazy(__package__, ".listed_stack")
proofs = lazy(__package__, ".proofs")

CLAIMED = 8
"""The most parts per thread that are claimed in products without scratch memory."""
_COUNTS = 8
"""The most numbers of threads for which a product is kept."""


_CLASS_DOC = """A product of fixed shape and types: C = beta * C + alpha * A @ B, of any size, on any number of threads.

k(a, b, c)   compute on the arrays; k(a, b) returns a new C. An epilogue's operands follow c
k.plan       the blocks; print(k): the loops and their calls; k.listing(): the machine code; k.code: its bytes
k.save(path) an object for C programs, and its header; k.run(a, b, c, workers=3) executes the code in the emulator
"""


class Gemm(JobKernel):
    __doc__ = PerKernel(_CLASS_DOC, lambda product: product._about())
    __signature__ = PerKernel(None, lambda product: product._signature())
    _stem, _names = "gemm", ("A", "B", "C")
    request: dict[str, Any]
    threads: int | None
    spec: Any
    product: GemmSpec
    kind: Kind
    flops: int
    _installed = _direct = _prepacked = False
    refusing: Any = None
    """An object that computes the same product, if machine code handles calls: see `entry.refusing`."""
    _fixed: dict[int, Gemm] = {}

    def __new__(cls, *_: Any) -> Gemm:
        """Create an object that is called through machine code after its first call, where that works."""
        native = entry.native_type(Gemm) if cls is Gemm else None
        made: Gemm = object.__new__(native.type if native else cls)
        return made

    def __init__(self, request: dict[str, Any], threads: int | None) -> None:
        self._settled = settled(request)
        spec: Any = product_spec(**{name: value for name, value in self._settled.items() if name != "target"})
        self._keep(
            request=request,
            threads=threads,
            target=host.resolve(request["target"]),
            spec=spec,
            product=product_of(spec),
            kind=kind_of(spec),
            flops=spec.flops,
        )
        self._call, self._guards = self.kind.call(self.spec), self.kind.entry
        self._known = KnownCalls([2])  # c
        self._check_rows()
        reason = block_rules.refusal(self.product, self.target) if self.product.mixed else ""
        if reason:
            raise UnsupportedError(f"gemm: {reason}")
        if self.product.order[2] == "F" and ELEMENT_BYTES[self.product.dtypes[0]] < 4:
            self._check_blocks()

    def _check_rows(self) -> None:
        """Raise UnsupportedError if blocks cannot write what the epilogue returns."""
        check_results(self._stem, self.spec)

    def _check_blocks(self) -> None:
        """Raise UnsupportedError if no kernel computes a block of narrow elements into a C of order "F"."""
        plan = self.plan
        kernels = BlockKernels(self._settled, self.spec, plan, self.target)
        block = tried("a block", lambda: kernels.multiply(plan.mb, plan.nb, plan.kb, True, True))
        if isinstance(block, Refusal):
            raise UnsupportedError(
                f"gemm: no kernel computes blocks of {plan.mb} x {plan.nb} x {plan.kb} of such narrow elements into a "
                "column-major C; compute its transpose, ts.gemm(n, m, k, ...) of b.T and a.T into a row-major C"
            ) from block.error

    @cached_property
    def kernels(self) -> BlockKernels:
        """The kernels of the blocks; each is made when it is first asked for."""
        return BlockKernels(self._settled, self.spec, self.plan, self.target, self._prepacked)

    @cached_property
    def plan(self) -> Blocks:
        """The blocks that ts.tune found for this product on this machine, or those that the rules choose."""
        found, threads = tuned_blocks(self.product, self.target), self.threads or num_threads()
        plan = balanced_columns(found, threads) if found and self._takes(found) else self._blocks()
        return in_bytes(self.spec, plan)

    def _blocks(self) -> Blocks:
        threads, turns, only = self.threads or num_threads(), self._turns(), self._only_product()
        return kept_blocks(
            "gemm",
            self.product,
            (threads, turns, only),
            self.target,
            lambda: block_rules.rules(self.product, self.target, threads, turns, only),
        )

    def _takes(self, plan: Blocks) -> bool:
        """Whether blocks that were found for such products suit the beta and the epilogue of this one."""
        adds = self.product.dtypes[2] != self.product.acc_dtype or self.request["beta"] == 0
        parts = not plan.of_k or self._only_product()
        return (not plan.turned or self._turns()) and (not plan.rb or adds) and parts

    def _only_product(self) -> bool:
        """Whether C is the product only, so that it may be the total of several."""
        return bool(self.spec.beta == 0) and self.request["epilogue"] is None

    def _turns(self) -> bool:
        """Whether blocks of C may come from scratch memory. Products of integers with an epilogue have no beta of their
        own, since their sums become floats before beta * C is added."""
        alone = not (getattr(self.spec, "results", ()) or getattr(self.spec, "numbers", ()))
        return alone and self.spec.beta == 0 and may_transpose_blocks(self.product, getattr(self.spec, "extras", ()))

    @cached_property
    def nest(self) -> ProductNest:
        """The loop nest."""
        return self._nest()

    def _nest(self) -> ProductNest:
        a, b, c = places(self.product)
        kernels = self.kernels
        return ProductNest(
            self.plan,
            kernels.parts(),
            a,
            b,
            c,
            kernels.bytes_own,
            kernels.bytes_b,
            kernels.sums,
            bytes_part=kernels.bytes_part,
        )

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        stem = self.spec.stem.replace("brgemm", self._stem, 1)
        return job_of((self.spec, self.plan), lambda: self.nest.nodes(), self.target, stem)

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def _words(self) -> list[JobWord]:
        a, b, c, *extras = (parameter(*each) for each in self.kind.parameters(self.spec))
        return [a, b, c, *scratch_words(*self._scratch), *barrier_words(has_barriers(self._blob.nodes)), *extras]

    def _about(self) -> str:
        description: str = self.kind.description(self.spec)
        return description

    def _signature(self) -> inspect.Signature:
        return with_threads(self.kind.signature(self.spec))

    @shortening
    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute the product. Outputs that are only written and left out are new arrays, which the call returns."""
        threads = workers_of(named.pop("threads", None), self.threads)
        if (found := self._places.find(args, named) if named else (args, None)) is not None:
            (args, out), named = found, {}
        else:
            args, named, out = positional(self.kind, self.spec, args, named, threads=True)
        made, given = self._call.with_output(args)
        if (form := form_of(given)) is not None:
            self.by_weights(form).multiply(given, named, threads)
            return result(made, out, args)
        integers, keep = self._call(*given, **named) if named else self.checked(*given)
        self.at(integers, threads)
        del keep
        if not self._installed:
            self._install()
        return result(made, out, args)

    def _install(self) -> None:
        """Let machine code handle calls with all arrays, or without c."""
        self._installed = True
        itself = ref(self)

        def slow(*args: Any, **named: Any) -> Any:
            product: Any = itself()
            if product.threads is None and not named.keys() - {"threads"}:
                return product.on(workers_of(named.get("threads"), None))(*args)
            return Gemm.__call__(product, *args, **named)

        self._direct = self._install_in(self, slow)
        self._keep(refusing=entry.refusing(self) if self._direct else None)

    def _install_in(self, target: Any, slow: Callable[..., Any]) -> bool:
        """Let machine code handle the calls of an object of a native type, and return whether it does."""
        shared, own = self._scratch
        workers = self.threads or default()
        parts = 0 if shared + own else self.claimed(workers)
        slow.keep = self.job.block  # type: ignore[attr-defined]
        structure = self._guards(self.spec, "always" if self.cycles > LONG else "never", 0)
        made = called.Called(
            self.job.block.address,
            self.cycles,
            self.threads,
            shared,
            own,
            slots(),
            KEPT,
            self.job_call.table,
            parts=parts if parts > workers > 1 else 0,
        )
        return called.install(target, structure, made, self.target, slow)

    @cached_property
    def job_call(self) -> JobCall:
        """The calls of the job, with the addresses of a, b, c and what the epilogue is given."""
        behind = len(self.kind.parameters(self.spec)) - BEHIND
        table = JobTable((A, B, C, *range(EXTRAS, EXTRAS + behind)), PACKED_B, PACKED_A, BARRIER)
        return JobCall(self.job, table, self._scratch, self.cycles, any(self._scratch))

    @property
    def direct(self) -> bool:
        """Whether machine code handles calls."""
        return self._direct

    def on(self, threads: int) -> Gemm:
        """Return the same product on this number of threads, with the same machine code."""
        found = self._fixed.get(threads)
        if found is None:
            found = Gemm.__new__(Gemm)
            found.__dict__.update(self.__dict__, threads=threads, _fixed={})
            found._install()
            self._fixed = {**(self._fixed if len(self._fixed) < _COUNTS else {}), threads: found}
        return found

    def run(self, *args: Any, workers: int = 1, turns: int = 0, **named: Any) -> Any:
        """Compute in the emulator, which executes the code for any target on any host. The workers take turns, whose
        order and lengths are drawn from the number `turns`, which may be called seed= unless that is an argument. A
        `Race` is raised if two workers access a byte between two barriers and one of them writes."""
        turns = drawn(turns, named, (each[1] for each in self.kind.parameters(self.spec)))
        args, named, out = positional(self.kind, self.spec, args, named)
        made, given = self._call.with_output(args)
        if (form := form_of(given)) is not None:
            self.by_weights(form).emulate(given, named, checked(workers, "workers"), turns)
            return result(made, out, args)
        integers, keep = self._call(*given, **named)
        self._emulated(integers, checked(workers, "workers"), turns)
        del keep
        return result(made, out, args)

    def by_weights(self, form: CompressedForm, single: bool = False) -> Any:
        """Return the product by compressed weights of a form, which has the bits of this one by the expanded weights.
        Calls with such weights as b compute it. single: with the bits of a single kernel."""
        found = self._by_form.get((form, single))
        if found is None:
            found = self._by_form[form, single] = expanding.by_weights(Gemm, self, form, single)
        return found

    @cached_property
    def _by_form(self) -> dict[tuple[CompressedForm, bool], Any]:
        return {}

    @cached_property
    def _places(self) -> KeywordOrder:
        return keyword_order_of(self.kind, self.spec)

    def _emulated(self, integers: Sequence[int], workers: int, seed: int) -> None:
        """Compute in the emulator on operands at these addresses."""
        a, b, c, *extras = integers
        packed, own = self._scratch
        memory = scratch(packed + workers * own)
        first = address_of(memory)
        words = first if packed else 0, first + packed if own else 0  # as the header says what is not read
        operands = a, b, c, *words, *emulated_barrier(), *extras
        self._emulate(self._blob, operands, [*self._regions(integers), ("scratch memory", memory)], workers, seed)

    def _regions(self, integers: Sequence[int]) -> list[Any]:
        """Return the operands' memory as the emulator takes it."""
        return self.kind.regions(self.spec, integers)

    def checked(self, *args: Any) -> tuple[list[int], list[Any]]:
        """Check the arguments. Return their addresses and the objects that must stay alive during the call."""
        arrays = len(args) == 3 + len(getattr(self.spec, "extras", ()))
        found = self._known.find(args) if arrays else None
        if found is None:
            found = self._call(*args)
            if arrays:
                self._known.keep(args, found[0])
        return found

    def at(self, integers: Sequence[int], threads: int | None = None) -> None:
        """Compute on operands at these addresses, without checks."""
        self._run(integers, threads or self.threads or num_threads())

    def _run(self, integers: Sequence[int], workers: int) -> None:
        a, b, c, *extras = integers
        packed, own = self._scratch
        if not packed + own:
            self.job.run((a, b, c, 0, 0, 0, 0, *extras), workers, self.claimed(workers), self.cycles)
            return
        with buffer(packed + workers * own) as scratch:
            state = barrier(self.target) if workers > 1 else (0, 0)
            words = a, b, c, scratch.address, scratch.address + packed, *state, *extras
            self.job.run(words, workers, cycles=self.cycles)

    def claimed(self, workers: int) -> int:
        """Return how many parts the workers claim, or 0 if each gets a fixed share: if k is cut, since the same columns
        of B are read again, or if the caches still hold a worker's operands from the call before."""
        plan = self.plan
        if plan.kb < plan.k or self._bytes <= workers * (self.target.l2 or L2):
            return 0
        return min(-(-plan.m // plan.mb) * -(-plan.n // plan.ng), CLAIMED * workers)

    @cached_property
    def _bytes(self) -> int:
        """The bytes of A, B and C."""
        m, n, k = self.product.m, self.product.n, self.product.k
        return sum(count * ELEMENT_BYTES[dtype] for count, dtype in zip((m * k, k * n, m * n), self.product.dtypes))

    @cached_property
    def cycles(self) -> int:
        """The approximate cycles of one thread, from which weighed regions choose their number of workers."""
        return int(self.flops / (GROUPS.per_cycle * lanes_of(self.product, self.target)))

    @cached_property
    def _scratch(self) -> tuple[int, int]:
        """The bytes of scratch memory: shared by all workers, and per worker."""
        return self.kernels.bytes_packed, self.kernels.bytes_own

    def verify(self, *, timeout: float | None = None) -> Any:
        """Return a proof that the code computes the product on any number of threads, no two of which touch the same
        memory: see docs/soundness.md. It is truthy, and says how it was found. Raises UnsupportedError without one."""
        return proofs.of_gemm(self, timeout=timeout)

    def __reduce__(self) -> tuple[Callable[..., Gemm], tuple[Any, ...]]:
        return _again, (self.request, self.threads)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._title()} for {self.target.name}: {self.plan}>"

    def __str__(self) -> str:
        """Return the request, the blocks, and the loops with their calls as text."""
        names = [*self._names, "shared scratch", "own scratch", "barrier", "its argument"]
        names += [name for _, name in self.kind.parameters(self.spec)[3:]]
        head = f"{type(self).__name__.lower()} {self._title()} for {self.target.name}"
        return "\n".join([head, f"  {self.plan}", *text(self._blob.nodes, dict(enumerate(names)), "  ")])

    def _title(self) -> str:
        return str(self.spec).removeprefix("brgemm ")


class RowsGemm(CalledByRows, Gemm):  # type: ignore[misc]  # with another nest, and the plan of it
    _base = Gemm
    __doc__ = f"{_CLASS_DOC}k.table(rows)   the words of a call of so many rows, for C programs\n"


@remembered
def gemm(
    m: int | Leading,
    n: int,
    k: int,
    *,
    dtype: ProductDTypes = "f32",
    order: Orders = "C",
    lda: int | None = None,
    ldb: int | None = None,
    ldc: int | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    epilogue: Callable[..., Any] | None = None,
    operands: Operands | None = None,
    out: DTypes | None = None,
    origin: Leading | None = None,
    numerics: Numerics = "exact",
    accuracy: Accuracy | None = None,
    stack: int | Leading | PairBatch | None = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> Gemm | Spread | ListedStack:
    """Make a product of any size, C = beta * C + alpha * A @ B: k(a, b, c), or k(a, b), which returns a new C.

    Arguments are those of `brgemm`; leading dimensions are numbers. m may be ts.RUNTIME: any number of rows. Blocks of
    A and B are packed into about 4 MiB of scratch memory, and a fifth of L2 per thread. k.plan shows their sizes.

    epilogue  may return values of C's shape after c, which a call returns beside c if it leaves them out, and may draw
              random numbers, whose seed follows the operands: each element gets those of one kernel over C
    threads   the number of threads; None: `num_threads()` at each call. Any number of them gives the same bits
    stack     ts.OFFSET: k(a, b, c, a_numbers, b_numbers, c_numbers) computes C[c[l]] += A[a[l]] @ B[b[l]] for lists of
              numbers; ts.ADDRESS: k(a_addresses, b_addresses, c_addresses). Entries of one C are summed in order.
              N or ts.RUNTIME: independent products of a (N, m, k), b (N, k, n), c (N, m, n), or one a or b for all.
              They should be small, since each is computed by one thread: `ts.spread(ts.brgemm(..., stack=N))`

    Raises UnsupportedError with what would work, TypeError or ValueError naming the argument.
    """
    leading: tuple[object, ...] = lda, ldb, ldc
    if any(each is RUNTIME for each in leading):
        raise UnsupportedError("gemm: leading dimensions must be numbers; ts.brgemm takes ts.RUNTIME")
    request = {
        "m": m,
        "n": n,
        "k": k,
        "dtype": dtype,
        "order": order,
        "lda": lda,
        "ldb": ldb,
        "ldc": ldc,
        "alpha": alpha,
        "beta": beta,
        "epilogue": epilogue,
        "operands": operands,
        "out": out,
        "origin": origin,
        "numerics": numerics,
        "accuracy": accuracy,
        "target": target,
    }
    if isinstance(stack, PairBatch):
        if stack is STRIDE:
            raise UnsupportedError("stack: N or ts.RUNTIME for matrices at equal distances, not ts.STRIDE")
        of_lists = {**request, "epilogue": settled(request)["epilogue"]}
        return listed_stack.ListedStack(of_lists, stack, None if threads is None else checked(threads, "threads"))
    if stack is not None:
        made: Any = brgemm
        return spread.spread(made(stack=stack, **request), threads=threads)
    check_counted(m, n, k, order)
    made_of = RowsGemm if m is RUNTIME else Gemm
    return made_of(request, None if threads is None else checked(threads, "threads"))


def _again(request: dict[str, Any], threads: int | None) -> Gemm:
    return cast(Gemm, gemm(**request, threads=threads))
