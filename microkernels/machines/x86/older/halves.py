"""AVX without AVX2 and FMA: 256-bit integers in halves, and a product and a sum instead of a multiply-add."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from .....encoder.table import Emitter
from .....encoder.x86.assembler import TABLE
from .....encoder.x86.registers import XMM, YMM, Mem, Reg
from .....encoder.x86.words import VEX
from .face import Face, by_eax, further, sized
from .half import Emitting, to_half, to_single, wide_to_half, wide_to_single

_SAME = {
    **{f"vp{op}": f"v{op}ps" for op in ("and", "andn", "or", "xor")},
    "vperm2i128": "vperm2f128",
    "vinserti128": "vinsertf128",
    "vextracti128": "vextractf128",
}
"""Instructions of AVX that move the same bits."""
_F16C = ("vcvtph2ps", "vcvtps2ph")
_PARTS = {"bw": 2, "wd": 2, "dq": 2, "bd": 4, "wq": 4, "bq": 8}  # of an extension: the factor by which elements grow


class AvxFace(Face):
    """The mnemonics of AVX2 and FMA on a processor with AVX. Replacements destroy the two registers from `temporary`
    on, those of conversions of f16 the third one too."""

    def replacement(self, name: str) -> Emitter | None:
        """Return the replacement: a method, or two halves if the 256-bit instruction needs AVX2."""
        if name in _SAME:
            return self._either(getattr(self.real, name, None), getattr(self.real, _SAME[name]))
        if name in _OWN and not (name in _F16C and "F16C" in self.real.target.features):
            return partial(_OWN[name], self)
        if name.startswith("vfmadd231"):
            return partial(self._multiply_add, name[-2:])
        if name.startswith(("vpmovzx", "vpmovsx")):
            return partial(self._extended, name)
        return partial(self._halved, getattr(self.real, name)) if _needs_avx2(name) else None

    @staticmethod
    def _either(integer: Any, float_: Emitter) -> Emitter:
        """Use the integer instruction at 128 bits and its float equivalent at 256."""

        def emit(*operands: Any) -> None:
            wide = any(isinstance(operand, Reg) and operand.file == "ymm" for operand in operands)
            (float_ if wide else integer)(*operands)

        return emit

    def _multiply_add(self, kind: str, acc: Reg, x: Reg, y: Reg | Mem) -> None:
        """acc += x * y, rounded twice."""
        product = (YMM if acc.file == "ymm" else XMM)[self.temporary]
        getattr(self.real, f"vmul{kind}")(product, x, y)
        getattr(self.real, f"vadd{kind}")(acc, acc, product)

    def _halved(self, emit: Emitter, dst: Any, *sources: Any) -> None:
        """Emit an instruction for both halves, the upper half first, because dst may be a source."""
        if not isinstance(dst, Reg) or dst.file != "ymm":
            emit(dst, *sources)
            return
        upper: list[Any] = []
        lower: list[Any] = []
        temporaries = [self.temporary, self.temporary + 1]
        held: dict[int, Reg] = {}
        for source in sources:
            if isinstance(source, Reg):
                if source.num not in held:
                    held[source.num] = XMM[temporaries[len(held)]]
                    self.real.vextractf128(held[source.num], YMM[source.num], 1)
                upper.append(held[source.num])
                lower.append(XMM[source.num])
            else:
                upper.append(further(source, 16) if isinstance(source, Mem) else source)
                lower.append(further(source, 0) if isinstance(source, Mem) else source)
        emit(XMM[self.temporary], *upper)
        emit(XMM[dst.num], *lower)
        self.real.vinsertf128(dst, dst, XMM[self.temporary], 1)

    def _extended(self, name: str, dst: Reg, source: Reg | Mem) -> None:
        """Extend half of the elements from the source's first bytes, and half from the bytes behind them."""
        emit = getattr(self.real, name)
        if dst.file != "ymm":
            emit(dst, source)
            return
        behind, upper = 16 // _PARTS[name[-2:]], XMM[self.temporary]
        if isinstance(source, Mem):
            emit(upper, further(source, behind))
            source = further(source, 0)
        else:
            self.real.vpsrldq(upper, source, behind)
            emit(upper, upper)
        emit(XMM[dst.num], source)
        self.real.vinsertf128(dst, dst, upper, 1)

    # Moves across lanes

    def _vpermq(self, dst: Reg, source: Reg, places: int) -> None:
        """Join the low halves of both lanes, the only permutation that is used. The upper half of dst becomes 0."""
        assert places == 0x08, "packed words are joined"
        self.real.vextractf128(XMM[self.temporary], source, 1)
        self.real.vpunpcklqdq(XMM[dst.num], XMM[source.num], XMM[self.temporary])

    def _doubled(self, dst: Reg) -> None:
        if dst.file == "ymm":
            self.real.vinsertf128(dst, dst, XMM[dst.num], 1)

    def _vbroadcastss(self, dst: Reg, source: Reg | Mem) -> None:
        if isinstance(source, Mem):
            self.real.vbroadcastss(dst, source)
            return
        self.real.vpermilps(XMM[dst.num], source, 0)
        self._doubled(dst)

    _vpbroadcastd = _vbroadcastss

    def _vpbroadcastq(self, dst: Reg, source: Reg | Mem) -> None:
        if isinstance(source, Mem) and dst.file == "ymm":
            self.real.vbroadcastsd(dst, source)
            return
        self.real.vmovddup(XMM[dst.num], source)
        self._doubled(dst)

    _vbroadcastsd = _vpbroadcastq

    def _vpbroadcastb(self, dst: Reg, source: Mem) -> None:
        byte = sized(source, 8)
        self.real.vmovd(XMM[dst.num], by_eax(self.real, lambda eax: self.real.movzx(eax, byte)))
        self._vbroadcastss(dst, XMM[dst.num])

    def _vpbroadcastw(self, dst: Reg, source: Mem) -> None:
        word = XMM[dst.num]
        self.real.vpinsrw(word, word, source, 0)
        self.real.vpshuflw(word, word, 0)
        self._vbroadcastss(dst, word)

    # Conversions of f16

    @property
    def _own(self) -> tuple[Reg, Reg, Reg]:
        first, second, third = XMM[self.temporary : self.temporary + 3]
        return first, second, third

    def _vcvtph2ps(self, dst: Reg, source: Reg | Mem) -> None:
        if dst.file == "ymm":
            low, high = (further(source, 0), further(source, 8)) if isinstance(source, Mem) else (source, source)
            wide_to_single(self.real, dst, low, high, self._own)
            return
        found, *others = self._own
        to_single(Emitting(self.real, True), found, lambda register: self.real.vpmovzxwd(register, source), *others)
        self.real.vmovaps(dst, found)

    def _vcvtps2ph(self, dst: Reg, source: Reg, rounding: int) -> None:
        assert rounding == 0, "f16 are rounded to nearest even"
        if source.file == "ymm":
            wide_to_half(self.real, dst, source, self._own)
            return
        found, *others = self._own
        to_half(Emitting(self.real, True), found, lambda register: self.real.vmovaps(register, source), *others)
        self.real.vmovq(dst, found)


_OWN: dict[str, Emitter] = {
    name.removeprefix("_"): method
    for name, method in vars(AvxFace).items()
    if name.startswith(("_vpb", "_vpe", "_vb", "_vcvt"))
}
"""The replacements that are methods, by mnemonic."""


@cache
def _needs_avx2(name: str) -> bool:
    """Whether the 256-bit form of an instruction came with AVX2."""
    if not name.startswith("v") or name not in TABLE:
        return False
    forms: Any = TABLE.forms(name)
    wide = [form for form in forms if form.prefix.encoding == VEX and form.prefix.length == 256]
    return any("AVX2" in form.features for form in wide)
