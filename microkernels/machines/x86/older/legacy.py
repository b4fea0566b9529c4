"""SSE4.2 under the names of AVX. Three operands become two, with a copy if the destination is not the first source.

Legacy encodings require memory operands of 16 bytes to be aligned. Constants of the pool are aligned; other operands
are loaded first. No instruction has a VEX prefix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from .....encoder.errors import EncodeError
from .....encoder.table import Emitter
from .....encoder.x86.assembler import TABLE
from .....encoder.x86.registers import XMM, Mem, Reg
from .....encoder.x86.words import LEGACY
from .face import Face, by_eax, sized
from .half import Emitting, to_half, to_single

_RENAMED = {"vpbroadcastd": "vbroadcastss", "vpbroadcastq": "vmovddup", "vbroadcastsd": "vmovddup"}
_COMMUTE = (
    "addps",
    "addpd",
    "mulps",
    "mulpd",
    "andps",
    "andpd",
    "orps",
    "orpd",
    "xorps",
    "xorpd",
    "paddd",
    "paddq",
    "pmulld",
    "pmaddwd",
    "pand",
    "por",
    "pxor",
    "pcmpeqd",
    "pcmpeqq",
    "pmaxsd",
    "pminsd",
)
_ANY_ADDRESS = ("movups", "movupd", "movdqu")
# legacy comparisons have only the first eight predicates, which differ from the others in signalling NaN
_PREDICATES = 7


class SseFace(Face):
    """The mnemonics of AVX on 128 bits. It uses xmm0 and the next two registers; blends take their mask from xmm0."""

    def replacement(self, name: str) -> Emitter | None:
        """Return the replacement: a method, or the legacy instruction of the same name."""
        name = _RENAMED.get(name, name)
        if name in _OWN:
            return partial(_OWN[name], self)
        if name.startswith("vfmadd231"):
            return partial(self._multiply_add, name[-2:])
        legacy = name[1:]
        if name[:1] != "v" or not _ways(legacy):
            return None
        emit = getattr(self.real, legacy)
        if "x" not in _ways(legacy):
            return partial(self._plain, emit, legacy)
        return partial(self._destructive, emit, legacy)

    # Operands

    def _aligned(self, operand: Any, name: str, into: int) -> Any:
        """Return the operand, or a register that it is loaded into if its address may not be a multiple of 16."""
        if not isinstance(operand, Mem) or operand.label is not None or not _reads_vector(name):
            return operand
        self.real.movups(XMM[into], operand)
        return XMM[into]

    def _plain(self, emit: Emitter, name: str, dst: Any, *sources: Any) -> None:
        """dst = op(source)."""
        if isinstance(dst, Reg) and dst.file == "xmm" and name not in _ANY_ADDRESS:
            sources = self._aligned(sources[0], name, dst.num), *sources[1:]
        emit(dst, *sources)

    def _destructive(self, emit: Emitter, name: str, dst: Any, *sources: Any) -> None:
        """dst = op(a, b), or op(a, number) for a shift. Loads and stores of one element have no a."""
        if len(sources) == 1:
            emit(dst, *sources)
            return
        first, second, *rest = sources
        if name.startswith("cmp"):
            rest = [rest[0] & _PREDICATES]
        second = self._aligned(second, name, self.temporary + 1)
        if isinstance(second, Reg) and second is dst and first is not dst:
            if name in _COMMUTE:
                emit(dst, first, *rest)
                return
            self.real.movaps(XMM[self.temporary + 1], second)
            second = XMM[self.temporary + 1]
        self._copy(dst, first)
        emit(dst, second, *rest)

    def _copy(self, dst: Reg, source: Reg) -> None:
        if dst.num != source.num:
            self.real.movaps(dst, source)

    # Instructions that need several others

    def _multiply_add(self, kind: str, acc: Reg, x: Reg, y: Reg | Mem) -> None:
        """acc += x * y, rounded twice."""
        product = XMM[self.temporary + 1]
        if isinstance(y, Mem) and kind in ("ps", "pd"):
            self.real.movups(product, y)
            y = x
        else:
            self.real.movaps(product, x)
        getattr(self.real, f"mul{kind}")(product, y)
        getattr(self.real, f"add{kind}")(acc, product)

    def _vbroadcastss(self, dst: Reg, source: Reg | Mem) -> None:
        if isinstance(source, Mem):
            self.real.movss(dst, source)
            source = dst
        if source.num == dst.num:
            self.real.shufps(dst, dst, 0)
        else:
            self.real.pshufd(dst, source, 0)

    def _vpbroadcastb(self, dst: Reg, source: Mem) -> None:
        byte = sized(source, 8)
        self.real.movd(dst, by_eax(self.real, lambda eax: self.real.movzx(eax, byte)))
        self.real.pshufd(dst, dst, 0)

    def _vpbroadcastw(self, dst: Reg, source: Mem) -> None:
        self.real.pinsrw(dst, source, 0)
        self.real.pshuflw(dst, dst, 0)
        self.real.pshufd(dst, dst, 0)

    def _vpermilps(self, dst: Reg, source: Reg, places: int) -> None:
        self.real.pshufd(dst, source, places)

    def _vpermilpd(self, dst: Reg, source: Reg, places: int) -> None:
        self.real.pshufd(dst, source, (0x44, 0x4E, 0xE4, 0xEE)[places & 3])

    def _blend(self, name: str, dst: Reg, no: Reg, yes: Reg | Mem, mask: Reg) -> None:
        """dst = yes where the mask's sign is set, else no. The mask goes to xmm0 before dst is written."""
        self._copy(XMM[0], mask)
        yes = self._aligned(yes, name, self.temporary + 1)
        if isinstance(yes, Reg) and yes.num == dst.num and no.num != dst.num:
            self.real.movaps(XMM[self.temporary + 1], yes)
            yes = XMM[self.temporary + 1]
        self._copy(dst, no)
        getattr(self.real, name)(dst, yes, XMM[0])

    def _vblendvps(self, *operands: Any) -> None:
        self._blend("blendvps", *operands)

    def _vblendvpd(self, *operands: Any) -> None:
        self._blend("blendvpd", *operands)

    def _vcvtph2ps(self, dst: Reg, source: Reg | Mem) -> None:
        found, *others = XMM[self.temporary : self.temporary + 3]
        to_single(Emitting(self.real, False), found, lambda register: self.real.pmovzxwd(register, source), *others)
        self.real.movaps(dst, found)

    def _vcvtps2ph(self, dst: Reg, source: Reg, rounding: int) -> None:
        assert rounding == 0, "f16 are rounded to nearest even"
        found, *others = XMM[self.temporary : self.temporary + 3]
        to_half(Emitting(self.real, False), found, lambda register: self.real.movaps(register, source), *others)
        self.real.movq(dst, found)

    def _vzeroupper(self) -> None:
        """Emit nothing: legacy instructions leave the upper halves of registers unchanged."""


_OWN: dict[str, Callable[..., None]] = {
    name.removeprefix("_"): method for name, method in vars(SseFace).items() if name.startswith("_v")
}
"""The replacements that are methods, by mnemonic."""


@cache
def _ways(name: str) -> frozenset[str]:
    """How the forms of a legacy vector instruction access their first operand; empty if there is no such
    instruction."""
    try:
        forms: Any = TABLE.forms(name)
    except EncodeError:
        return frozenset()
    vectors = [form for form in forms if form.prefix.encoding == LEGACY and form.row.key == form.mnemonic]
    return frozenset(form.access[0] for form in vectors if form.access)


@cache
def _reads_vector(name: str) -> bool:
    """Whether the instruction's memory operand has 16 bytes."""
    forms: Any = TABLE.forms(name)
    return any(c.touches_memory and c.size == 128 for form in forms for c in form.classes[1:])
