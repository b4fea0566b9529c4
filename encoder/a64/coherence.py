"""Make new code visible to instruction fetch: the instructions to run between writing code and running it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .assembler import A64Assembler
from .names import BARRIERS, DATA_CACHE, INSTRUCTION_CACHE, SYSTEM_REGISTERS
from .registers import General, X

_TYPE, _LINE, _PLACE, _END = X[9:13]  # CTR_EL0, bytes of a line, the current line, the end

# CTR_EL0 (Arm ARM DDI 0487, D24.2.34)
_ILINE, _DLINE = 0, 16  # 4-bit fields: log2 of the words of the smallest line
_IDC, _DIC = 28, 29  # bits: data need not be cleaned; instructions need not be invalidated


def flush(asm: A64Assembler, start: General, size: General) -> None:
    """Make `size` bytes of code from `start` visible to this and other processors' instruction fetch.

    start is the beginning of a page, and size is not 0. Destroys x9 to x12 and the flags; preserves start and size.
    Another thread that runs the code needs an isb of its own, or an exception return, which includes one. Source: Arm
    ARM DDI 0487, B2.4.4.
    """
    asm.mrs(_TYPE, SYSTEM_REGISTERS["ctr_el0"])
    with _unless(asm, _IDC):
        _by_lines(asm, start, size, _DLINE, lambda: asm.dc(DATA_CACHE["cvau"], _PLACE))
    asm.dsb(BARRIERS["ish"])
    with _unless(asm, _DIC):
        _by_lines(asm, start, size, _ILINE, lambda: asm.ic(INSTRUCTION_CACHE["ivau"], _PLACE))
    asm.dsb(BARRIERS["ish"])
    asm.isb()


@contextmanager
def _unless(asm: A64Assembler, bit: int) -> Iterator[None]:
    """Run the body unless the bit of CTR_EL0 is set."""
    past = asm.label()
    asm.tbnz(_TYPE, bit, past)
    yield
    asm.bind(past)


def _by_lines(asm: A64Assembler, start: General, size: General, field: int, operate: Callable[[], None]) -> None:
    """Operate on the address of every cache line. A field of CTR_EL0 gives the size of the lines."""
    asm.ubfx(_LINE, _TYPE, field, 4)
    asm.load_immediate(_PLACE, 4)  # bytes of a word
    asm.lslv(_LINE, _PLACE, _LINE)
    asm.add(_END, start, size)
    asm.mov(_PLACE, start)
    top = asm.here()
    operate()
    asm.add(_PLACE, _PLACE, _LINE)
    asm.cmp(_PLACE, _END)
    asm.b_lo(top)
