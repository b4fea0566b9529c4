"""Instructions that read, change and write memory in one step, and stores past the caches. Maps semantics keys to
factories of closures.

An emulated call has one thread, or threads that take turns between instructions, so every instruction is atomic. `lock
add` is `add`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import add, and_, or_, xor

from ...encoder.x86.effects import LINE
from ...encoder.x86.registers import Mem
from ..core.closures import Run
from ..core.memory import WRITE
from ..core.u64 import WORD
from . import bits, integer
from .control import CONDITIONS
from .integer import RAX, RCX, RDX, difference, total
from .operands import Semantic, X86Context
from .state import X86State

_RBX = 3


def accumulator(state: X86State, size: int) -> tuple[Callable[[], int], Callable[[int], None]]:
    """Return a reader and a writer of al, ax, eax or rax."""
    ones, kept = (1 << 8 * size) - 1, 0 if size >= 4 else ~((1 << 8 * size) - 1)

    def write(value: int) -> None:
        state.r[RAX] = state.r[RAX] & kept | value

    return (lambda: state.r[RAX] & ones), write


def _cmpxchg(ctx: X86Context) -> Run:
    """If the accumulator equals the destination, store the source there, otherwise load the destination."""
    state, size = ctx.state, ctx.size(0)
    get, put, new, (old, load) = ctx.get(0), ctx.put(0), ctx.get(1), accumulator(state, size)
    in_memory = isinstance(ctx.operands[0], Mem)

    def run() -> None:
        found, source = get(), new()
        difference(state, old(), found, 8 * size)
        if state.zf:
            put(source)
            return
        if in_memory:
            put(found)  # memory is written in either case, a register is not
        load(found)

    return run


def _cmpxchg_pair(ctx: X86Context) -> Run:
    """cmpxchg8b, cmpxchg16b: compare rdx:rax with memory, and store rcx:rbx there if they are equal."""
    state, size = ctx.state, ctx.size(0)
    half = 4 * size
    get, put, ones = ctx.get(0), ctx.put(0), (1 << half) - 1

    def pair(high: int, low: int) -> int:
        return (state.r[high] & ones) << half | state.r[low] & ones

    def run() -> None:
        found = get()
        state.zf = found == pair(RDX, RAX)
        put(pair(RCX, _RBX) if state.zf else found)
        if not state.zf:
            state.r[RDX], state.r[RAX] = found >> half, found & ones

    return run


def _xadd(ctx: X86Context) -> Run:
    state, a, b, put, exchange, width = ctx.state, ctx.get(0), ctx.get(1), ctx.put(0), ctx.put(1), 8 * ctx.size(0)
    in_memory = isinstance(ctx.operands[0], Mem)

    def run() -> None:
        first = a()
        result = total(state, first, b(), width)
        if in_memory:  # the address may depend on the register
            put(result)
            exchange(first)
        else:  # both operands may be the same register
            exchange(first)
            put(result)

    return run


def _compared_add(condition: Callable[[X86State], bool], ctx: X86Context) -> Run:
    """cmpbxadd and its like: compare memory with the second operand, which gets the old value, and add the third to
    memory if the condition holds."""
    state, width = ctx.state, 8 * ctx.size(0)
    get, put, other, old, addend = ctx.get(0), ctx.put(0), ctx.get(1), ctx.put(1), ctx.get(2)

    def run() -> None:
        found, extra = get(), addend()
        difference(state, found, other(), width)
        put(found + extra & (1 << width) - 1 if condition(state) else found)
        old(found)

    return run


def _remote(operation: Callable[[int, int], int], ctx: X86Context) -> Run:
    """aadd, aand, aor, axor: change memory without flags."""
    a, b, put, ones = ctx.get(0), ctx.get(1), ctx.put(0), (1 << 8 * ctx.size(0)) - 1
    return lambda: put(operation(a(), b()) & ones)


def _movdir64b(ctx: X86Context) -> Run:
    """Copy 64 bytes to the address in the first operand."""
    to, source, view = ctx.get(0), ctx.address(ctx.operands[1]), ctx.state.memory.view
    require = ctx.state.memory.require

    def run() -> None:
        require(to(), LINE)
        view(to() & WORD, LINE, WRITE)[:] = view(source(), LINE).copy()

    return run


_NAMES = {"nb": "ae", "z": "e", "nz": "ne", "nbe": "a", "nl": "ge", "nle": "g"}
"""Conditions that cmpccxadd spells otherwise than jcc."""
_CONDITIONS = ("o", "no", "b", "nb", "z", "nz", "be", "nbe", "s", "ns", "p", "np", "l", "nl", "le", "nle")
_LOCKED = ("adc", "add", "and", "btc", "btr", "bts", "dec", "inc", "neg", "not", "or", "sbb", "sub", "xor")

TABLE: dict[str, Semantic] = {
    "cmpxchg": _cmpxchg,
    "cmpxchg8b": _cmpxchg_pair,
    "cmpxchg16b": _cmpxchg_pair,
    "xadd": _xadd,
    **{f"cmp{name}xadd": partial(_compared_add, CONDITIONS[_NAMES.get(name, name)]) for name in _CONDITIONS},
    **{
        f"a{name}": partial(_remote, operation)
        for name, operation in (("add", add), ("and", and_), ("or", or_), ("xor", xor))
    },
    "movdiri": integer.TABLE["mov"],
    "movrs": integer.TABLE["mov"],
    "movdir64b": _movdir64b,
}
TABLE |= {f"lock {name}": (integer.TABLE | bits.TABLE)[name] for name in _LOCKED}
TABLE |= {f"lock {name}": TABLE[name] for name in ("cmpxchg", "cmpxchg8b", "cmpxchg16b", "xadd")}
