"""The x86-64 assembler. Written by `python -m tilesmith.encoder.x86.stubs`; do not edit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import overload

from ..asm import Assembler, method_name
from ..operands import Label
from ..table import InstructionTable
from .registers import Mem, Reg, StaticRounding

TABLE: InstructionTable
Operand = Reg | Mem | Label | int

class X86Assembler(Assembler):
    """Appends x86-64 instructions: `asm.vaddps(zmm0, zmm1, zmm2)`."""

    def align(self, boundary: int) -> None:
        """Pad with nops up to a multiple of `boundary` bytes."""
    @contextmanager
    def loop(self, counter: Reg, count: int | Reg | None = None, align: int = 0) -> Iterator[Label]:
        """Run the body `count` times, counting `counter` down to 0; None: the counter is already loaded, at least 1."""
    def aadd(self, dst: Mem, src: Reg, /) -> None:
        """x:My,Ry"""
    def aand(self, dst: Mem, src: Reg, /) -> None:
        """x:My,Ry"""
    def adc(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def adcx(self, dst: Reg, src: Operand, /) -> None:
        """x:Ry,Ry/My"""
    def add(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def addpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def addps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def addsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def addss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def addsubpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def addsubps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def adox(self, dst: Reg, src: Operand, /) -> None:
        """x:Ry,Ry/My"""
    def aesdec(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def aesdeclast(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def aesenc(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def aesenclast(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def aesimc(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def aeskeygenassist(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """X,X/m128,u8"""
    def and_(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def andn(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Ry,Ry,Ry/My"""
    def andnpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def andnps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def andpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def andps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def aor(self, dst: Mem, src: Reg, /) -> None:
        """x:My,Ry"""
    def axor(self, dst: Mem, src: Reg, /) -> None:
        """x:My,Ry"""
    def bextr(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """Ry,Ry/My,Ry"""
    def blendpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def blendps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def blendvpd(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """x:X,X/m128,xmm0"""
    def blendvps(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """x:X,X/m128,xmm0"""
    def blsi(self, dst: Reg, src: Operand, /) -> None:
        """Ry,Ry/My"""
    def blsmsk(self, dst: Reg, src: Operand, /) -> None:
        """Ry,Ry/My"""
    def blsr(self, dst: Reg, src: Operand, /) -> None:
        """Ry,Ry/My"""
    def bsf(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def bsr(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def bswap(self, dst: Reg, /) -> None:
        """x:Ry"""
    def bt(self, src: Operand, src2: Operand, /) -> None:
        """r:Rv/Mv,Rv | r:Rv/Mv,u8"""
    def btc(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,Rv | x:Rv/Mv,u8"""
    def btr(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,Rv | x:Rv/Mv,u8"""
    def bts(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,Rv | x:Rv/Mv,u8"""
    def bzhi(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """Ry,Ry/My,Ry"""
    def call(self, src: Operand, /) -> None:
        """r:rel32 | r:r64/m64"""
    def cbw(self) -> None:
        """no operands"""
    def cdq(self) -> None:
        """no operands"""
    def cdqe(self) -> None:
        """no operands"""
    def clc(self) -> None:
        """no operands"""
    def cld(self) -> None:
        """no operands"""
    def cldemote(self, src: Mem, /) -> None:
        """r:m8"""
    def clflush(self, src: Mem, /) -> None:
        """r:m8"""
    def clflushopt(self, src: Mem, /) -> None:
        """r:m8"""
    def clwb(self, src: Mem, /) -> None:
        """r:m8"""
    def cmc(self) -> None:
        """no operands"""
    def cmova(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovae(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovb(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovbe(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovc(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmove(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovg(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovge(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovl(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovle(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovna(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnae(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnb(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnbe(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnc(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovne(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovng(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnge(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnl(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnle(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovno(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnp(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovns(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovnz(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovo(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovp(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovpe(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovpo(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovs(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmovz(self, dst: Reg, src: Operand, /) -> None:
        """x:Rv,Rv/Mv"""
    def cmp(self, src: Operand, src2: Operand, /) -> None:
        """r:Rv/Mv,i8 | r:rax,i32 | r:eax,i32 | r:ax,i16 | r:al,u8 | r:Rv/Mv,iv | r:r8/m8,u8 | r:Rv/Mv,Rv | r:Rv,Mv | r:r8/m8,r8 | r:r8,m8"""
    def cmpbexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpbxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmplexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmplxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnbexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnbxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnlexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnlxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnoxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnpxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnsxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpnzxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpoxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmppd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def cmpps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def cmppxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpsb(self) -> None:
        """no operands"""
    @overload
    def cmpsd(self) -> None:
        """ | x:X,X/m64,u8"""
    @overload
    def cmpsd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """ | x:X,X/m64,u8"""
    def cmpsq(self) -> None:
        """no operands"""
    def cmpss(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m32,u8"""
    def cmpsw(self) -> None:
        """no operands"""
    def cmpsxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def cmpxchg(self, dst: Operand, src: Reg, /) -> None:
        """x:Rv/Mv,Rv | x:r8/m8,r8"""
    def cmpxchg16b(self, dst: Mem, /) -> None:
        """x:m128"""
    def cmpxchg8b(self, dst: Mem, /) -> None:
        """x:m64"""
    def cmpzxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """x:My,x:Ry,Ry"""
    def comisd(self, src: Reg, src2: Operand, /) -> None:
        """r:X,X/m64"""
    def comiss(self, src: Reg, src2: Operand, /) -> None:
        """r:X,X/m32"""
    def cpuid(self) -> None:
        """no operands"""
    def cqo(self) -> None:
        """no operands"""
    def crc32(self, dst: Reg, src: Operand, /) -> None:
        """x:r32,r8/m8 | x:r32,r16/m16 | x:r32,r32/m32 | x:r64,r8/m8 | x:r64,r64/m64"""
    def cvtdq2pd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def cvtdq2ps(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def cvtpd2dq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def cvtpd2ps(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def cvtps2dq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def cvtps2pd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def cvtsd2si(self, dst: Reg, src: Operand, /) -> None:
        """Ry,X/m64"""
    def cvtsd2ss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def cvtsi2sd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,Ry/My"""
    def cvtsi2ss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,Ry/My"""
    def cvtss2sd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def cvtss2si(self, dst: Reg, src: Operand, /) -> None:
        """Ry,X/m32"""
    def cvttpd2dq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def cvttps2dq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def cvttsd2si(self, dst: Reg, src: Operand, /) -> None:
        """Ry,X/m64"""
    def cvttss2si(self, dst: Reg, src: Operand, /) -> None:
        """Ry,X/m32"""
    def cwd(self) -> None:
        """no operands"""
    def cwde(self) -> None:
        """no operands"""
    def dec(self, dst: Operand, /) -> None:
        """x:Rv/Mv | x:r8/m8"""
    def div(self, src: Operand, /) -> None:
        """r:Rv/Mv | r:r8/m8"""
    def divpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def divps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def divsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def divss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def dppd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def dpps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def endbr64(self) -> None:
        """no operands"""
    def enter(self, imm: int, imm2: int, /) -> None:
        """r:u16,r:u8"""
    def extractps(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32/m32,X,u8"""
    def fxrstor(self, src: Mem, /) -> None:
        """r:m"""
    def fxrstor64(self, src: Mem, /) -> None:
        """r:m"""
    def fxsave(self, dst: Mem, /) -> None:
        """m"""
    def fxsave64(self, dst: Mem, /) -> None:
        """m"""
    def gf2p8affineinvqb(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def gf2p8affineqb(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def gf2p8mulb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def haddpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def haddps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def hsubpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def hsubps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def idiv(self, src: Operand, /) -> None:
        """r:Rv/Mv | r:r8/m8"""
    @overload
    def imul(self, src: Operand, /) -> None:
        """r:Rv/Mv | r:r8/m8 | x:Rv,Rv/Mv | Rv,Rv/Mv,i8 | Rv,Rv/Mv,iv"""
    @overload
    def imul(self, dst: Reg, src: Operand, /) -> None:
        """r:Rv/Mv | r:r8/m8 | x:Rv,Rv/Mv | Rv,Rv/Mv,i8 | Rv,Rv/Mv,iv"""
    @overload
    def imul(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """r:Rv/Mv | r:r8/m8 | x:Rv,Rv/Mv | Rv,Rv/Mv,i8 | Rv,Rv/Mv,iv"""
    def inc(self, dst: Operand, /) -> None:
        """x:Rv/Mv | x:r8/m8"""
    def incsspd(self, src: Reg, /) -> None:
        """r:r32"""
    def incsspq(self, src: Reg, /) -> None:
        """r:r64"""
    def insertps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m32,u8"""
    def int3(self) -> None:
        """no operands"""
    def ja(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jae(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jb(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jbe(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jc(self, target: Label | int, /) -> None:
        """r:rel8"""
    def je(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jg(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jge(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jl(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jle(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jmp(self, src: Operand, /) -> None:
        """r:rel8 | r:r64/m64"""
    def jna(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnae(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnb(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnbe(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnc(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jne(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jng(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnge(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnl(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnle(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jno(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnp(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jns(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jnz(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jo(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jp(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jpe(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jpo(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jrcxz(self, target: Label | int, /) -> None:
        """r:rel8"""
    def js(self, target: Label | int, /) -> None:
        """r:rel8"""
    def jz(self, target: Label | int, /) -> None:
        """r:rel8"""
    def kaddb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kaddd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kaddq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kaddw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandnb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandnd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandnq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandnw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kandw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kmovb(self, dst: Operand, src: Operand, /) -> None:
        """K,K/m8 | m8,K | K,r32 | r32,K"""
    def kmovd(self, dst: Operand, src: Operand, /) -> None:
        """K,K/m32 | m32,K | K,r32 | r32,K"""
    def kmovq(self, dst: Operand, src: Operand, /) -> None:
        """K,K/m64 | m64,K | K,r64 | r64,K"""
    def kmovw(self, dst: Operand, src: Operand, /) -> None:
        """K,K/m16 | m16,K | K,r32 | r32,K"""
    def knotb(self, dst: Reg, src: Reg, /) -> None:
        """K,K"""
    def knotd(self, dst: Reg, src: Reg, /) -> None:
        """K,K"""
    def knotq(self, dst: Reg, src: Reg, /) -> None:
        """K,K"""
    def knotw(self, dst: Reg, src: Reg, /) -> None:
        """K,K"""
    def korb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kord(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def korq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kortestb(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def kortestd(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def kortestq(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def kortestw(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def korw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kshiftlb(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def kshiftld(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def kshiftlq(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def kshiftlw(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def kshiftrb(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def kshiftrd(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def kshiftrq(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def kshiftrw(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """K,K,u8"""
    def ktestb(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def ktestd(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def ktestq(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def ktestw(self, src: Reg, src2: Reg, /) -> None:
        """r:K,K"""
    def kunpckbw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kunpckdq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kunpckwd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxnorb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxnord(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxnorq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxnorw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxorb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxord(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxorq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def kxorw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """K,K,K"""
    def lahf(self) -> None:
        """no operands"""
    def lddqu(self, dst: Reg, src: Mem, /) -> None:
        """X,m128"""
    def ldmxcsr(self, src: Mem, /) -> None:
        """r:m32"""
    def ldtilecfg(self, src: Mem, /) -> None:
        """r:m"""
    def lea(self, dst: Reg, src: Mem, /) -> None:
        """Rv,m"""
    def leave(self) -> None:
        """no operands"""
    def lfence(self) -> None:
        """no operands"""
    def lock_adc(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_add(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_and(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_btc(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,Rv | x:Mv,u8"""
    def lock_btr(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,Rv | x:Mv,u8"""
    def lock_bts(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,Rv | x:Mv,u8"""
    def lock_cmpxchg(self, dst: Mem, src: Reg, /) -> None:
        """x:Mv,Rv | x:m8,r8"""
    def lock_cmpxchg16b(self, dst: Mem, /) -> None:
        """x:m128"""
    def lock_cmpxchg8b(self, dst: Mem, /) -> None:
        """x:m64"""
    def lock_dec(self, dst: Mem, /) -> None:
        """x:Mv | x:m8"""
    def lock_inc(self, dst: Mem, /) -> None:
        """x:Mv | x:m8"""
    def lock_neg(self, dst: Mem, /) -> None:
        """x:Mv | x:m8"""
    def lock_not(self, dst: Mem, /) -> None:
        """x:Mv | x:m8"""
    def lock_or(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_sbb(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_sub(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_xadd(self, dst: Mem, dst2: Reg, /) -> None:
        """x:Mv,x:Rv | x:m8,x:r8"""
    def lock_xor(self, dst: Mem, src: Operand, /) -> None:
        """x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lodsb(self) -> None:
        """no operands"""
    def lodsd(self) -> None:
        """no operands"""
    def lodsq(self) -> None:
        """no operands"""
    def lodsw(self) -> None:
        """no operands"""
    def loop_(self, target: Label | int, /) -> None:
        """r:rel8"""
    def loope(self, target: Label | int, /) -> None:
        """r:rel8"""
    def loopne(self, target: Label | int, /) -> None:
        """r:rel8"""
    def lzcnt(self, dst: Reg, src: Operand, /) -> None:
        """Rv,Rv/Mv"""
    def maskmovdqu(self, src: Reg, src2: Reg, /) -> None:
        """r:X,X"""
    def maxpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def maxps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def maxsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def maxss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def mfence(self) -> None:
        """no operands"""
    def minpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def minps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def minsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def minss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def mov(self, dst: Operand, src: Operand, /) -> None:
        """Rv/Mv,Rv | Rv,Mv | r8/m8,r8 | r8,m8 | r8,u8 | r16,u16 | r32,u32 | r64,i32 | r64,u64 | m32,u32 | m64,i32 | m16,u16 | m8,u8"""
    def movapd(self, dst: Operand, src: Operand, /) -> None:
        """X,X/m128 | m128,X"""
    def movaps(self, dst: Operand, src: Operand, /) -> None:
        """X,X/m128 | m128,X"""
    def movbe(self, dst: Operand, src: Operand, /) -> None:
        """Rv,Mv | Mv,Rv"""
    def movd(self, dst: Operand, src: Operand, /) -> None:
        """X,r32/m32 | r32/m32,X"""
    def movddup(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def movdir64b(self, src: Reg, src2: Mem, /) -> None:
        """r:r64,r:m512"""
    def movdiri(self, dst: Mem, src: Reg, /) -> None:
        """My,Ry"""
    def movdqa(self, dst: Operand, src: Operand, /) -> None:
        """X,X/m128 | m128,X"""
    def movdqu(self, dst: Operand, src: Operand, /) -> None:
        """X,X/m128 | m128,X"""
    def movhlps(self, dst: Reg, src: Reg, /) -> None:
        """x:X,X"""
    def movhpd(self, dst: Operand, src: Operand, /) -> None:
        """x:X,m64 | m64,X"""
    def movhps(self, dst: Operand, src: Operand, /) -> None:
        """x:X,m64 | m64,X"""
    def movlhps(self, dst: Reg, src: Reg, /) -> None:
        """x:X,X"""
    def movlpd(self, dst: Operand, src: Operand, /) -> None:
        """x:X,m64 | m64,X"""
    def movlps(self, dst: Operand, src: Operand, /) -> None:
        """x:X,m64 | m64,X"""
    def movmskpd(self, dst: Reg, src: Reg, /) -> None:
        """r32,X"""
    def movmskps(self, dst: Reg, src: Reg, /) -> None:
        """r32,X"""
    def movntdq(self, dst: Mem, src: Reg, /) -> None:
        """m128,X"""
    def movntdqa(self, dst: Reg, src: Mem, /) -> None:
        """X,m128"""
    def movnti(self, dst: Mem, src: Reg, /) -> None:
        """My,Ry"""
    def movntpd(self, dst: Mem, src: Reg, /) -> None:
        """m128,X"""
    def movntps(self, dst: Mem, src: Reg, /) -> None:
        """m128,X"""
    def movq(self, dst: Operand, src: Operand, /) -> None:
        """X,X/m64 | m64,X | X,r64 | r64,X"""
    def movrs(self, dst: Reg, src: Mem, /) -> None:
        """Rv,Mv | r8,m8"""
    def movsb(self) -> None:
        """no operands"""
    @overload
    def movsd(self) -> None:
        """ | x:X,X | X,m64 | m64,X"""
    @overload
    def movsd(self, dst: Operand, src: Operand, /) -> None:
        """ | x:X,X | X,m64 | m64,X"""
    def movshdup(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def movsldup(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def movsq(self) -> None:
        """no operands"""
    def movss(self, dst: Operand, src: Operand, /) -> None:
        """x:X,X | X,m32 | m32,X"""
    def movsw(self) -> None:
        """no operands"""
    def movsx(self, dst: Reg, src: Operand, /) -> None:
        """Rv,r8/m8 | Ry,r16/m16"""
    def movsxd(self, dst: Reg, src: Operand, /) -> None:
        """r64,r32/m32"""
    def movupd(self, dst: Operand, src: Operand, /) -> None:
        """X,X/m128 | m128,X"""
    def movups(self, dst: Operand, src: Operand, /) -> None:
        """X,X/m128 | m128,X"""
    def movzx(self, dst: Reg, src: Operand, /) -> None:
        """Rv,r8/m8 | Ry,r16/m16"""
    def mpsadbw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def mul(self, src: Operand, /) -> None:
        """r:Rv/Mv | r:r8/m8"""
    def mulpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def mulps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def mulsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def mulss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def mulx(self, dst: Reg, dst2: Reg, src: Operand, /) -> None:
        """Ry,w:Ry,Ry/My"""
    def neg(self, dst: Operand, /) -> None:
        """x:Rv/Mv | x:r8/m8"""
    @overload
    def nop(self) -> None:
        """ | r:Rv/Mv"""
    @overload
    def nop(self, src: Operand, /) -> None:
        """ | r:Rv/Mv"""
    def not_(self, dst: Operand, /) -> None:
        """x:Rv/Mv | x:r8/m8"""
    def or_(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def orpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def orps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pabsb(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def pabsd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def pabsw(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def packssdw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def packsswb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def packusdw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def packuswb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddsb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddusb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddusw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def paddw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def palignr(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def pand(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pandn(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pause(self) -> None:
        """no operands"""
    def pavgb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pavgw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pblendvb(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """x:X,X/m128,xmm0"""
    def pblendw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def pclmulqdq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def pcmpeqb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpeqd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpeqq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpeqw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpestri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def pcmpestrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def pcmpgtb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpgtd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpgtq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpgtw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pcmpistri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def pcmpistrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def pdep(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Ry,Ry,Ry/My"""
    def pext(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Ry,Ry,Ry/My"""
    def pextrb(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32/m8,X,u8"""
    def pextrd(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32/m32,X,u8"""
    def pextrq(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r64/m64,X,u8"""
    def pextrw(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32,X,u8 | m16,X,u8"""
    def phaddd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def phaddsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def phaddw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def phminposuw(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def phsubd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def phsubsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def phsubw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pinsrb(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,r32/m8,u8"""
    def pinsrd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,r32/m32,u8"""
    def pinsrq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,r64/m64,u8"""
    def pinsrw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,r32/m16,u8"""
    def pmaddubsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmaddwd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmaxsb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmaxsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmaxsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmaxub(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmaxud(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmaxuw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pminsb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pminsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pminsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pminub(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pminud(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pminuw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmovmskb(self, dst: Reg, src: Reg, /) -> None:
        """r32,X"""
    def pmovsxbd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m32"""
    def pmovsxbq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m16"""
    def pmovsxbw(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def pmovsxdq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def pmovsxwd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def pmovsxwq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m32"""
    def pmovzxbd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m32"""
    def pmovzxbq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m16"""
    def pmovzxbw(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def pmovzxdq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def pmovzxwd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m64"""
    def pmovzxwq(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m32"""
    def pmuldq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmulhrsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmulhuw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmulhw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmulld(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmullw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pmuludq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pop(self, dst: Operand, /) -> None:
        """r64 | m64"""
    def popcnt(self, dst: Reg, src: Operand, /) -> None:
        """Rv,Rv/Mv"""
    def popfq(self) -> None:
        """no operands"""
    def por(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def prefetchnta(self, src: Mem, /) -> None:
        """r:m8"""
    def prefetchrst2(self, src: Mem, /) -> None:
        """r:m8"""
    def prefetcht0(self, src: Mem, /) -> None:
        """r:m8"""
    def prefetcht1(self, src: Mem, /) -> None:
        """r:m8"""
    def prefetcht2(self, src: Mem, /) -> None:
        """r:m8"""
    def prefetchw(self, src: Mem, /) -> None:
        """r:m8"""
    def prefetchwt1(self, src: Mem, /) -> None:
        """r:m8"""
    def psadbw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pshufb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pshufd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """X,X/m128,u8"""
    def pshufhw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """X,X/m128,u8"""
    def pshuflw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """X,X/m128,u8"""
    def psignb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psignd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psignw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def pslld(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def pslldq(self, dst: Reg, imm: int, /) -> None:
        """x:X,u8"""
    def psllq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def psllw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def psrad(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def psraw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def psrld(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def psrldq(self, dst: Reg, imm: int, /) -> None:
        """x:X,u8"""
    def psrlq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def psrlw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,u8 | x:X,X/m128"""
    def psubb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psubd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psubq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psubsb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psubsw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psubusb(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psubusw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def psubw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def ptest(self, src: Reg, src2: Operand, /) -> None:
        """r:X,X/m128"""
    def punpckhbw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def punpckhdq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def punpckhqdq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def punpckhwd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def punpcklbw(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def punpckldq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def punpcklqdq(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def punpcklwd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def push(self, src: Operand, /) -> None:
        """r:r64 | r:i8 | r:i32 | r:m64"""
    def pushfq(self) -> None:
        """no operands"""
    def pxor(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def rcl(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def rcpps(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def rcpss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def rcr(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def rdfsbase(self, dst: Reg, /) -> None:
        """Ry"""
    def rdgsbase(self, dst: Reg, /) -> None:
        """Ry"""
    def rdpid(self, dst: Reg, /) -> None:
        """r64"""
    def rdpmc(self) -> None:
        """no operands"""
    def rdrand(self, dst: Reg, /) -> None:
        """Rv"""
    def rdseed(self, dst: Reg, /) -> None:
        """Rv"""
    def rdsspd(self, dst: Reg, /) -> None:
        """x:r32"""
    def rdsspq(self, dst: Reg, /) -> None:
        """x:r64"""
    def rdtsc(self) -> None:
        """no operands"""
    def rdtscp(self) -> None:
        """no operands"""
    def rep_lodsb(self) -> None:
        """no operands"""
    def rep_lodsd(self) -> None:
        """no operands"""
    def rep_lodsq(self) -> None:
        """no operands"""
    def rep_lodsw(self) -> None:
        """no operands"""
    def rep_movsb(self) -> None:
        """no operands"""
    def rep_movsd(self) -> None:
        """no operands"""
    def rep_movsq(self) -> None:
        """no operands"""
    def rep_movsw(self) -> None:
        """no operands"""
    def rep_stosb(self) -> None:
        """no operands"""
    def rep_stosd(self) -> None:
        """no operands"""
    def rep_stosq(self) -> None:
        """no operands"""
    def rep_stosw(self) -> None:
        """no operands"""
    def repe_cmpsb(self) -> None:
        """no operands"""
    def repe_cmpsd(self) -> None:
        """no operands"""
    def repe_cmpsq(self) -> None:
        """no operands"""
    def repe_cmpsw(self) -> None:
        """no operands"""
    def repe_scasb(self) -> None:
        """no operands"""
    def repe_scasd(self) -> None:
        """no operands"""
    def repe_scasq(self) -> None:
        """no operands"""
    def repe_scasw(self) -> None:
        """no operands"""
    def repne_cmpsb(self) -> None:
        """no operands"""
    def repne_cmpsd(self) -> None:
        """no operands"""
    def repne_cmpsq(self) -> None:
        """no operands"""
    def repne_cmpsw(self) -> None:
        """no operands"""
    def repne_scasb(self) -> None:
        """no operands"""
    def repne_scasd(self) -> None:
        """no operands"""
    def repne_scasq(self) -> None:
        """no operands"""
    def repne_scasw(self) -> None:
        """no operands"""
    @overload
    def ret(self) -> None:
        """ | r:u16"""
    @overload
    def ret(self, imm: int, /) -> None:
        """ | r:u16"""
    def rol(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def ror(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def rorx(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """Ry,Ry/My,u8"""
    def roundpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """X,X/m128,u8"""
    def roundps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """X,X/m128,u8"""
    def roundsd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m64,u8"""
    def roundss(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m32,u8"""
    def rsqrtps(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def rsqrtss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def sahf(self) -> None:
        """no operands"""
    def sal(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def sar(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def sarx(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """Ry,Ry/My,Ry"""
    def saveprevssp(self) -> None:
        """no operands"""
    def sbb(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def scasb(self) -> None:
        """no operands"""
    def scasd(self) -> None:
        """no operands"""
    def scasq(self) -> None:
        """no operands"""
    def scasw(self) -> None:
        """no operands"""
    def serialize(self) -> None:
        """no operands"""
    def seta(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setae(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setb(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setbe(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setc(self, dst: Operand, /) -> None:
        """r8/m8"""
    def sete(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setg(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setge(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setl(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setle(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setna(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnae(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnb(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnbe(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnc(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setne(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setng(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnge(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnl(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnle(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setno(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnp(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setns(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setnz(self, dst: Operand, /) -> None:
        """r8/m8"""
    def seto(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setp(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setpe(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setpo(self, dst: Operand, /) -> None:
        """r8/m8"""
    def sets(self, dst: Operand, /) -> None:
        """r8/m8"""
    def setz(self, dst: Operand, /) -> None:
        """r8/m8"""
    def sfence(self) -> None:
        """no operands"""
    def sha1msg1(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def sha1msg2(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def sha1nexte(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def sha1rnds4(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def sha256msg1(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def sha256msg2(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def sha256rnds2(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """x:X,X/m128,xmm0"""
    def shl(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def shld(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """x:Rv/Mv,Rv,u8 | x:Rv/Mv,Rv,cl"""
    def shlx(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """Ry,Ry/My,Ry"""
    def shr(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def shrd(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """x:Rv/Mv,Rv,u8 | x:Rv/Mv,Rv,cl"""
    def shrx(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """Ry,Ry/My,Ry"""
    def shufpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def shufps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """x:X,X/m128,u8"""
    def sqrtpd(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def sqrtps(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def sqrtsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def sqrtss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def stc(self) -> None:
        """no operands"""
    def std(self) -> None:
        """no operands"""
    def stmxcsr(self, dst: Mem, /) -> None:
        """m32"""
    def stosb(self) -> None:
        """no operands"""
    def stosd(self) -> None:
        """no operands"""
    def stosq(self) -> None:
        """no operands"""
    def stosw(self) -> None:
        """no operands"""
    def sttilecfg(self, dst: Mem, /) -> None:
        """m"""
    def sub(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def subpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def subps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def subsd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m64"""
    def subss(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m32"""
    def syscall(self) -> None:
        """no operands"""
    def tcmmimfp16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tcmmrlfp16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tcvtrowd2ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Z,T,r32 | Z,T,u8"""
    def tcvtrowps2bf16h(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Z,T,r32 | Z,T,u8"""
    def tcvtrowps2bf16l(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Z,T,r32 | Z,T,u8"""
    def tcvtrowps2phh(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Z,T,r32 | Z,T,u8"""
    def tcvtrowps2phl(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Z,T,r32 | Z,T,u8"""
    def tdpbf16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdpbf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdpbhf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdpbssd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdpbsud(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdpbusd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdpbuud(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdpfp16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdphbf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tdphf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def test(self, src: Operand, src2: Operand, /) -> None:
        """r:Rv/Mv,Rv | r:r8/m8,r8 | r:rax,i32 | r:eax,i32 | r:ax,i16 | r:al,u8 | r:Rv/Mv,iv | r:r8/m8,u8"""
    def tileloadd(self, dst: Reg, src: Mem, /) -> None:
        """T,sib"""
    def tileloaddrs(self, dst: Reg, src: Mem, /) -> None:
        """T,sib"""
    def tileloaddrst1(self, dst: Reg, src: Mem, /) -> None:
        """T,sib"""
    def tileloaddt1(self, dst: Reg, src: Mem, /) -> None:
        """T,sib"""
    def tilemovrow(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """Z,T,r32 | Z,T,u8"""
    def tilerelease(self) -> None:
        """no operands"""
    def tilestored(self, dst: Mem, src: Reg, /) -> None:
        """sib,T"""
    def tilezero(self, dst: Reg, /) -> None:
        """T"""
    def tmmultf32ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:T{ne},T{ne},T"""
    def tpause(self, src: Reg, /) -> None:
        """r:r32"""
    def tzcnt(self, dst: Reg, src: Operand, /) -> None:
        """Rv,Rv/Mv"""
    def ucomisd(self, src: Reg, src2: Operand, /) -> None:
        """r:X,X/m64"""
    def ucomiss(self, src: Reg, src2: Operand, /) -> None:
        """r:X,X/m32"""
    def ud2(self) -> None:
        """no operands"""
    def umonitor(self, src: Reg, /) -> None:
        """r:r64"""
    def umwait(self, src: Reg, /) -> None:
        """r:r32"""
    def unpckhpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def unpckhps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def unpcklpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def unpcklps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def vaddbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vaddpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b64{er}"""
    def vaddph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b16{er}"""
    def vaddps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{er}"""
    def vaddsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vaddsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{er}"""
    def vaddss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{er}"""
    def vaddsubpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vaddsubps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vaesdec(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vaesdeclast(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vaesenc(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vaesenclast(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vaesimc(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def vaeskeygenassist(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """X,X/m128,u8"""
    def valignd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b32,u8"""
    def valignq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vandnpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vandnps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vandpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vandps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vbcstnebf162ps(self, dst: Reg, src: Mem, /) -> None:
        """V,m16"""
    def vbcstnesh2ps(self, dst: Reg, src: Mem, /) -> None:
        """V,m16"""
    def vblendmpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vblendmps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vblendpd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V,V,V/M,u8"""
    def vblendps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V,V,V/M,u8"""
    def vblendvpd(self, dst: Reg, src: Reg, src2: Operand, src3: Reg, /) -> None:
        """V,V,V/M,V"""
    def vblendvps(self, dst: Reg, src: Reg, src2: Operand, src3: Reg, /) -> None:
        """V,V,V/M,V"""
    def vbroadcastf128(self, dst: Reg, src: Mem, /) -> None:
        """Y,m128"""
    def vbroadcastf32x2(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/m64"""
    def vbroadcastf32x4(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},m128"""
    def vbroadcastf32x8(self, dst: Reg, src: Mem, /) -> None:
        """Z{kz},m256"""
    def vbroadcastf64x2(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},m128"""
    def vbroadcastf64x4(self, dst: Reg, src: Mem, /) -> None:
        """Z{kz},m256"""
    def vbroadcasti128(self, dst: Reg, src: Mem, /) -> None:
        """Y,m128"""
    def vbroadcasti32x2(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/m64"""
    def vbroadcasti32x4(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},m128"""
    def vbroadcasti32x8(self, dst: Reg, src: Mem, /) -> None:
        """Z{kz},m256"""
    def vbroadcasti64x2(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},m128"""
    def vbroadcasti64x4(self, dst: Reg, src: Mem, /) -> None:
        """Z{kz},m256"""
    def vbroadcastsd(self, dst: Reg, src: Operand, /) -> None:
        """Y,X | Y,m64 | V{kz},X/m64"""
    def vbroadcastss(self, dst: Reg, src: Operand, /) -> None:
        """V,X | V,m32 | V{kz},X/m32"""
    def vcmpbf16(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M/b16,u8"""
    def vcmppd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V,V,V/M,u8 | K{k},V,V/M/b64{sae},u8"""
    def vcmpph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """K{k},V,V/M/b16{sae},u8"""
    def vcmpps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V,V,V/M,u8 | K{k},V,V/M/b32{sae},u8"""
    def vcmpsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X,X,X/m64,u8 | K{k},X,X/m64{sae},u8"""
    def vcmpsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """K{k},X,X/m16{sae},u8"""
    def vcmpss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X,X,X/m32,u8 | K{k},X,X/m32{sae},u8"""
    def vcomisbf16(self, src: Reg, src2: Operand, /) -> None:
        """r:X,X/m16"""
    def vcomisd(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m64{sae}"""
    def vcomish(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m16{sae}"""
    def vcomiss(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m32{sae}"""
    def vcompresspd(self, dst: Operand, src: Reg, /) -> None:
        """V{kz},V | M{k},V"""
    def vcompressps(self, dst: Operand, src: Reg, /) -> None:
        """V{kz},V | M{k},V"""
    def vcomxsd(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m64{sae}"""
    def vcomxsh(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m16{sae}"""
    def vcomxss(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m32{sae}"""
    def vcvt2ph2bf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vcvt2ph2bf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vcvt2ph2hf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vcvt2ph2hf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vcvt2ps2phx(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{er}"""
    def vcvtbf162ibs(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vcvtbf162iubs(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vcvtbiasph2bf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """H{kz},V,V/M/b16"""
    def vcvtbiasph2bf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """H{kz},V,V/M/b16"""
    def vcvtbiasph2hf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """H{kz},V,V/M/b16"""
    def vcvtbiasph2hf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """H{kz},V,V/M/b16"""
    def vcvtdq2pd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH/b32"""
    def vcvtdq2ph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b32{er}"""
    def vcvtdq2ps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{er}"""
    def vcvthf82ph(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH"""
    def vcvtne2ps2bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vcvtneebf162ps(self, dst: Reg, src: Mem, /) -> None:
        """V,M"""
    def vcvtneeph2ps(self, dst: Reg, src: Mem, /) -> None:
        """V,M"""
    def vcvtneobf162ps(self, dst: Reg, src: Mem, /) -> None:
        """V,M"""
    def vcvtneoph2ps(self, dst: Reg, src: Mem, /) -> None:
        """V,M"""
    def vcvtneps2bf16(self, dst: Reg, src: Operand, /) -> None:
        """H{kz},V/M/b32"""
    def vcvtpd2dq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{er}"""
    def vcvtpd2ph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},V/M/b64{er}"""
    def vcvtpd2ps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{er}"""
    def vcvtpd2qq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{er}"""
    def vcvtpd2udq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{er}"""
    def vcvtpd2uqq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{er}"""
    def vcvtph2bf8(self, dst: Reg, src: Operand, /) -> None:
        """H{kz},V/M/b16"""
    def vcvtph2bf8s(self, dst: Reg, src: Operand, /) -> None:
        """H{kz},V/M/b16"""
    def vcvtph2dq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b16{er}"""
    def vcvtph2hf8(self, dst: Reg, src: Operand, /) -> None:
        """H{kz},V/M/b16"""
    def vcvtph2hf8s(self, dst: Reg, src: Operand, /) -> None:
        """H{kz},V/M/b16"""
    def vcvtph2ibs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{er}"""
    def vcvtph2iubs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{er}"""
    def vcvtph2pd(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},X/MQ/b16{sae}"""
    def vcvtph2ps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH{sae}"""
    def vcvtph2psx(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b16{sae}"""
    def vcvtph2qq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},X/MQ/b16{er}"""
    def vcvtph2udq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b16{er}"""
    def vcvtph2uqq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},X/MQ/b16{er}"""
    def vcvtph2uw(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{er}"""
    def vcvtph2w(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{er}"""
    def vcvtps2dq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{er}"""
    def vcvtps2ibs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{er}"""
    def vcvtps2iubs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{er}"""
    def vcvtps2pd(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b32{sae}"""
    def vcvtps2ph(self, dst: Operand, src: Reg, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X/MH,V,u8 | H{kz},V{sae},u8 | MH{k},V,u8"""
    def vcvtps2phx(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b32{er}"""
    def vcvtps2qq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b32{er}"""
    def vcvtps2udq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{er}"""
    def vcvtps2uqq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b32{er}"""
    def vcvtqq2pd(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{er}"""
    def vcvtqq2ph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},V/M/b64{er}"""
    def vcvtqq2ps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{er}"""
    def vcvtsd2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vcvtsd2si(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m64{er}"""
    def vcvtsd2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vcvtsd2usi(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m64{er}"""
    def vcvtsh2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{sae}"""
    def vcvtsh2si(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m16{er}"""
    def vcvtsh2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{sae}"""
    def vcvtsh2usi(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m16{er}"""
    def vcvtsi2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X,X,Ry/My | X,X,r32/m32 | X,X,r64/m64{er}"""
    def vcvtsi2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X,X,Ry/My{er}"""
    def vcvtsi2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X,X,Ry/My{er}"""
    def vcvtss2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{sae}"""
    def vcvtss2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{er}"""
    def vcvtss2si(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m32{er}"""
    def vcvtss2usi(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m32{er}"""
    def vcvttbf162ibs(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vcvttbf162iubs(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vcvttpd2dq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{sae}"""
    def vcvttpd2dqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{sae}"""
    def vcvttpd2qq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{sae}"""
    def vcvttpd2qqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{sae}"""
    def vcvttpd2udq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{sae}"""
    def vcvttpd2udqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{sae}"""
    def vcvttpd2uqq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{sae}"""
    def vcvttpd2uqqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{sae}"""
    def vcvttph2dq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b16{sae}"""
    def vcvttph2ibs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{sae}"""
    def vcvttph2iubs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{sae}"""
    def vcvttph2qq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},X/MQ/b16{sae}"""
    def vcvttph2udq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b16{sae}"""
    def vcvttph2uqq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},X/MQ/b16{sae}"""
    def vcvttph2uw(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{sae}"""
    def vcvttph2w(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{sae}"""
    def vcvttps2dq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{sae}"""
    def vcvttps2dqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{sae}"""
    def vcvttps2ibs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{sae}"""
    def vcvttps2iubs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{sae}"""
    def vcvttps2qq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b32{sae}"""
    def vcvttps2qqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b32{sae}"""
    def vcvttps2udq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{sae}"""
    def vcvttps2udqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{sae}"""
    def vcvttps2uqq(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b32{sae}"""
    def vcvttps2uqqs(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},H/MH/b32{sae}"""
    def vcvttsd2si(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m64{sae}"""
    def vcvttsd2sis(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m64{sae}"""
    def vcvttsd2usi(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m64{sae}"""
    def vcvttsd2usis(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m64{sae}"""
    def vcvttsh2si(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m16{sae}"""
    def vcvttsh2usi(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m16{sae}"""
    def vcvttss2si(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m32{sae}"""
    def vcvttss2sis(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m32{sae}"""
    def vcvttss2usi(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m32{sae}"""
    def vcvttss2usis(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """Ry,X/m32{sae}"""
    def vcvtudq2pd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH/b32"""
    def vcvtudq2ph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b32{er}"""
    def vcvtudq2ps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{er}"""
    def vcvtuqq2pd(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{er}"""
    def vcvtuqq2ph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},V/M/b64{er}"""
    def vcvtuqq2ps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """H{kz},V/M/b64{er}"""
    def vcvtusi2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X,X,r32/m32 | X,X,r64/m64{er}"""
    def vcvtusi2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X,X,Ry/My{er}"""
    def vcvtusi2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X,X,Ry/My{er}"""
    def vcvtuw2ph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{er}"""
    def vcvtw2ph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{er}"""
    def vdbpsadbw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M,u8"""
    def vdivbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vdivpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b64{er}"""
    def vdivph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b16{er}"""
    def vdivps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{er}"""
    def vdivsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vdivsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{er}"""
    def vdivss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{er}"""
    def vdpbf16ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vdppd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,X/m128,u8"""
    def vdpphps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vdpps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V,V,V/M,u8"""
    def vexpandpd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V | V{kz},M"""
    def vexpandps(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V | V{kz},M"""
    def vextractf128(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """X/m128,Y,u8"""
    def vextractf32x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """X{kz},V,u8 | m128{k},V,u8"""
    def vextractf32x8(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextractf64x2(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """X{kz},V,u8 | m128{k},V,u8"""
    def vextractf64x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextracti128(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """X/m128,Y,u8"""
    def vextracti32x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """X{kz},V,u8 | m128{k},V,u8"""
    def vextracti32x8(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextracti64x2(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """X{kz},V,u8 | m128{k},V,u8"""
    def vextracti64x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextractps(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32/m32,X,u8"""
    def vfcmaddcph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz}{ne},V,V/M/b32{er}"""
    def vfcmaddcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz}{ne},X,X/m32{er}"""
    def vfcmulcph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz}{ne},V,V/M/b32{er}"""
    def vfcmulcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz}{ne},X,X/m32{er}"""
    def vfixupimmpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """x:V{kz},V,V/M/b64{sae},u8"""
    def vfixupimmps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """x:V{kz},V,V/M/b32{sae},u8"""
    def vfixupimmsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """x:X{kz},X,X/m64{sae},u8"""
    def vfixupimmss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """x:X{kz},X,X/m32{sae},u8"""
    def vfmadd132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfmadd132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmadd132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmadd132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmadd132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfmadd132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfmadd132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfmadd213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfmadd213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmadd213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmadd213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmadd213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfmadd213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfmadd213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfmadd231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfmadd231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmadd231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmadd231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmadd231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfmadd231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfmadd231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfmaddcph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz}{ne},V,V/M/b32{er}"""
    def vfmaddcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz}{ne},X,X/m32{er}"""
    def vfmaddsub132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmaddsub132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmaddsub132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmaddsub213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmaddsub213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmaddsub213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmaddsub231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmaddsub231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmaddsub231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmsub132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfmsub132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmsub132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmsub132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmsub132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfmsub132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfmsub132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfmsub213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfmsub213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmsub213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmsub213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmsub213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfmsub213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfmsub213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfmsub231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfmsub231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmsub231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmsub231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmsub231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfmsub231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfmsub231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfmsubadd132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmsubadd132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmsubadd132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmsubadd213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmsubadd213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmsubadd213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmsubadd231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfmsubadd231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfmsubadd231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfmulcph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz}{ne},V,V/M/b32{er}"""
    def vfmulcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz}{ne},X,X/m32{er}"""
    def vfnmadd132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfnmadd132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfnmadd132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfnmadd132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfnmadd132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfnmadd132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfnmadd132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfnmadd213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfnmadd213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfnmadd213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfnmadd213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfnmadd213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfnmadd213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfnmadd213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfnmadd231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfnmadd231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfnmadd231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfnmadd231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfnmadd231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfnmadd231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfnmadd231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfnmsub132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfnmsub132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfnmsub132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfnmsub132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfnmsub132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfnmsub132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfnmsub132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfnmsub213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfnmsub213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfnmsub213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfnmsub213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfnmsub213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfnmsub213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfnmsub213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfnmsub231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b16"""
    def vfnmsub231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b64{er}"""
    def vfnmsub231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b16{er}"""
    def vfnmsub231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:V{kz},V,V/M/b32{er}"""
    def vfnmsub231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m64{er}"""
    def vfnmsub231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m16{er}"""
    def vfnmsub231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """x:X{kz},X,X/m32{er}"""
    def vfpclassbf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """K{k},V/M/b16,u8"""
    def vfpclasspd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """K{k},V/M/b64,u8"""
    def vfpclassph(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """K{k},V/M/b16,u8"""
    def vfpclassps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """K{k},V/M/b32,u8"""
    def vfpclasssd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """K{k},X/m64,u8"""
    def vfpclasssh(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """K{k},X/m16,u8"""
    def vfpclassss(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """K{k},X/m32,u8"""
    @overload
    def vgatherdpd(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vgatherdpd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vgatherdps(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vgatherdps(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vgatherqpd(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    @overload
    def vgatherqpd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    @overload
    def vgatherqps(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    @overload
    def vgatherqps(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    def vgetexpbf16(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vgetexppd(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{sae}"""
    def vgetexpph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{sae}"""
    def vgetexpps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{sae}"""
    def vgetexpsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{sae}"""
    def vgetexpsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{sae}"""
    def vgetexpss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{sae}"""
    def vgetmantbf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b16,u8"""
    def vgetmantpd(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b64{sae},u8"""
    def vgetmantph(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b16{sae},u8"""
    def vgetmantps(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b32{sae},u8"""
    def vgetmantsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m64{sae},u8"""
    def vgetmantsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m16{sae},u8"""
    def vgetmantss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m32{sae},u8"""
    def vgf2p8affineinvqb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vgf2p8affineqb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vgf2p8mulb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vhaddpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vhaddps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vhsubpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vhsubps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vinsertf128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Y,Y,X/m128,u8"""
    def vinsertf32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,X/m128,u8"""
    def vinsertf32x8(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Z{kz},Z,Y/m256,u8"""
    def vinsertf64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,X/m128,u8"""
    def vinsertf64x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Z{kz},Z,Y/m256,u8"""
    def vinserti128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Y,Y,X/m128,u8"""
    def vinserti32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,X/m128,u8"""
    def vinserti32x8(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Z{kz},Z,Y/m256,u8"""
    def vinserti64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,X/m128,u8"""
    def vinserti64x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Z{kz},Z,Y/m256,u8"""
    def vinsertps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,X/m32,u8"""
    def vlddqu(self, dst: Reg, src: Mem, /) -> None:
        """V,M"""
    def vldmxcsr(self, src: Mem, /) -> None:
        """r:m32"""
    def vmaskmovdqu(self, src: Reg, src2: Reg, /) -> None:
        """r:X,X"""
    def vmaskmovpd(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """V,V,M | M,V,V"""
    def vmaskmovps(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """V,V,M | M,V,V"""
    def vmaxbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vmaxpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b64{sae}"""
    def vmaxph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b16{sae}"""
    def vmaxps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{sae}"""
    def vmaxsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{sae}"""
    def vmaxsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{sae}"""
    def vmaxss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{sae}"""
    def vminbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vminmaxbf16(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b16,u8"""
    def vminmaxpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V,V/M/b64{sae},u8"""
    def vminmaxph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V,V/M/b16{sae},u8"""
    def vminmaxps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V,V/M/b32{sae},u8"""
    def vminmaxsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m64{sae},u8"""
    def vminmaxsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m16{sae},u8"""
    def vminmaxss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m32{sae},u8"""
    def vminpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b64{sae}"""
    def vminph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b16{sae}"""
    def vminps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{sae}"""
    def vminsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{sae}"""
    def vminsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{sae}"""
    def vminss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{sae}"""
    def vmovapd(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovaps(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovd(self, dst: Operand, src: Operand, /) -> None:
        """X,r32/m32 | r32/m32,X | X,X"""
    def vmovddup(self, dst: Reg, src: Operand, /) -> None:
        """X{kz},X/m64 | Y{kz},Y/m256 | Z{kz},Z/m512"""
    def vmovdqa(self, dst: Operand, src: Operand, /) -> None:
        """V,V/M | M,V"""
    def vmovdqa32(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovdqa64(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovdqu(self, dst: Operand, src: Operand, /) -> None:
        """V,V/M | M,V"""
    def vmovdqu16(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovdqu32(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovdqu64(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovdqu8(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovhlps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """X,X,X"""
    @overload
    def vmovhpd(self, dst: Mem, src: Reg, /) -> None:
        """X,X,m64 | m64,X"""
    @overload
    def vmovhpd(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """X,X,m64 | m64,X"""
    @overload
    def vmovhps(self, dst: Mem, src: Reg, /) -> None:
        """X,X,m64 | m64,X"""
    @overload
    def vmovhps(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """X,X,m64 | m64,X"""
    def vmovlhps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """X,X,X"""
    @overload
    def vmovlpd(self, dst: Mem, src: Reg, /) -> None:
        """X,X,m64 | m64,X"""
    @overload
    def vmovlpd(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """X,X,m64 | m64,X"""
    @overload
    def vmovlps(self, dst: Mem, src: Reg, /) -> None:
        """X,X,m64 | m64,X"""
    @overload
    def vmovlps(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """X,X,m64 | m64,X"""
    def vmovmskpd(self, dst: Reg, src: Reg, /) -> None:
        """r32,V"""
    def vmovmskps(self, dst: Reg, src: Reg, /) -> None:
        """r32,V"""
    def vmovntdq(self, dst: Mem, src: Reg, /) -> None:
        """M,V"""
    def vmovntdqa(self, dst: Reg, src: Mem, /) -> None:
        """V,M"""
    def vmovntpd(self, dst: Mem, src: Reg, /) -> None:
        """M,V"""
    def vmovntps(self, dst: Mem, src: Reg, /) -> None:
        """M,V"""
    def vmovq(self, dst: Operand, src: Operand, /) -> None:
        """X,X | X,m64 | m64,X | X,r64 | r64,X"""
    def vmovrsb(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},M"""
    def vmovrsd(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},M"""
    def vmovrsq(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},M"""
    def vmovrsw(self, dst: Reg, src: Mem, /) -> None:
        """V{kz},M"""
    @overload
    def vmovsd(self, dst: Operand, src: Operand, /) -> None:
        """X{kz},X,X | X{kz},m64 | m64{k},X"""
    @overload
    def vmovsd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """X{kz},X,X | X{kz},m64 | m64{k},X"""
    @overload
    def vmovsh(self, dst: Operand, src: Operand, /) -> None:
        """X{kz},X,X | X{kz},m16 | m16{k},X"""
    @overload
    def vmovsh(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """X{kz},X,X | X{kz},m16 | m16{k},X"""
    def vmovshdup(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M"""
    def vmovsldup(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M"""
    @overload
    def vmovss(self, dst: Operand, src: Operand, /) -> None:
        """X{kz},X,X | X{kz},m32 | m32{k},X"""
    @overload
    def vmovss(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """X{kz},X,X | X{kz},m32 | m32{k},X"""
    def vmovupd(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovups(self, dst: Operand, src: Operand, /) -> None:
        """V{kz},V/M | M{k},V"""
    def vmovw(self, dst: Operand, src: Operand, /) -> None:
        """X,r32/m16 | r32/m16,X | X,X"""
    def vmpsadbw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V,V,V/M,u8 | V{kz},V,V/M,u8"""
    def vmulbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vmulpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b64{er}"""
    def vmulph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b16{er}"""
    def vmulps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{er}"""
    def vmulsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vmulsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{er}"""
    def vmulss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{er}"""
    def vorpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vorps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vp2intersectd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """P,V,V/M/b32"""
    def vp2intersectq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """P,V,V/M/b64"""
    def vpabsb(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M"""
    def vpabsd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b32"""
    def vpabsq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b64"""
    def vpabsw(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M"""
    def vpackssdw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpacksswb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpackusdw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpackuswb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpaddb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpaddd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpaddq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpaddsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpaddsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpaddusb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpaddusw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpaddw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpalignr(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M,u8"""
    def vpand(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpandd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpandn(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpandnd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpandnq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpandq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpavgb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpavgw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpblendd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V,V,V/M,u8"""
    def vpblendmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpblendmd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpblendmq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpblendmw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpblendvb(self, dst: Reg, src: Reg, src2: Operand, src3: Reg, /) -> None:
        """V,V,V/M,V"""
    def vpblendw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V,V,V/M,u8"""
    def vpbroadcastb(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/m8 | V{kz},r32"""
    def vpbroadcastd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/m32 | V{kz},r32"""
    def vpbroadcastmb2q(self, dst: Reg, src: Reg, /) -> None:
        """V,K"""
    def vpbroadcastmw2d(self, dst: Reg, src: Reg, /) -> None:
        """V,K"""
    def vpbroadcastq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/m64 | V{kz},r64"""
    def vpbroadcastw(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/m16 | V{kz},r32"""
    def vpclmulqdq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V,V,V/M,u8"""
    def vpcmpb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M,u8"""
    def vpcmpd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M/b32,u8"""
    def vpcmpeqb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M"""
    def vpcmpeqd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M/b32"""
    def vpcmpeqq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M/b64"""
    def vpcmpeqw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M"""
    def vpcmpestri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def vpcmpestrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def vpcmpgtb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M"""
    def vpcmpgtd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M/b32"""
    def vpcmpgtq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M/b64"""
    def vpcmpgtw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M | K{k},V,V/M"""
    def vpcmpistri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def vpcmpistrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """r:X,X/m128,u8"""
    def vpcmpq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M/b64,u8"""
    def vpcmpub(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M,u8"""
    def vpcmpud(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M/b32,u8"""
    def vpcmpuq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M/b64,u8"""
    def vpcmpuw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M,u8"""
    def vpcmpw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """K{k},V,V/M,u8"""
    def vpcompressb(self, dst: Operand, src: Reg, /) -> None:
        """V{kz},V | M{k},V"""
    def vpcompressd(self, dst: Operand, src: Reg, /) -> None:
        """V{kz},V | M{k},V"""
    def vpcompressq(self, dst: Operand, src: Reg, /) -> None:
        """V{kz},V | M{k},V"""
    def vpcompressw(self, dst: Operand, src: Reg, /) -> None:
        """V{kz},V | M{k},V"""
    def vpconflictd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b32"""
    def vpconflictq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b64"""
    def vpdpbssd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbssds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbsud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbsuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbusd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpdpbusds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpdpbuud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbuuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwssd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpdpwssds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpdpwsud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwsuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwusd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwusds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwuud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwuuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vperm2f128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Y,Y,Y/m256,u8"""
    def vperm2i128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """Y,Y,Y/m256,u8"""
    def vpermb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpermd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpermi2b(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M"""
    def vpermi2d(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpermi2pd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpermi2ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpermi2q(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpermi2w(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M"""
    def vpermilpd(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64 | V{kz},V/M/b64,u8"""
    def vpermilps(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32 | V{kz},V/M/b32,u8"""
    def vpermpd(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V{kz},V/M/b64,u8 | V{kz},V,V/M/b64"""
    def vpermps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpermq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V{kz},V/M/b64,u8 | V{kz},V,V/M/b64"""
    def vpermt2b(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M"""
    def vpermt2d(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpermt2pd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpermt2ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpermt2q(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpermt2w(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M"""
    def vpermw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpexpandb(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V | V{kz},M"""
    def vpexpandd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V | V{kz},M"""
    def vpexpandq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V | V{kz},M"""
    def vpexpandw(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V | V{kz},M"""
    def vpextrb(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32/m8,X,u8"""
    def vpextrd(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32/m32,X,u8"""
    def vpextrq(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r64/m64,X,u8"""
    def vpextrw(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """r32,X,u8 | m16,X,u8"""
    @overload
    def vpgatherdd(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vpgatherdd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vpgatherdq(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vpgatherdq(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vpgatherqd(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    @overload
    def vpgatherqd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    @overload
    def vpgatherqq(self, dst: Reg, src: Mem, /) -> None:
        """x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    @overload
    def vpgatherqq(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    def vphaddd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vphaddsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vphaddw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vphminposuw(self, dst: Reg, src: Operand, /) -> None:
        """X,X/m128"""
    def vphsubd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vphsubsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vphsubw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpinsrb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,r32/m8,u8"""
    def vpinsrd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,r32/m32,u8"""
    def vpinsrq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,r64/m64,u8"""
    def vpinsrw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,r32/m16,u8"""
    def vplzcntd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b32"""
    def vplzcntq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b64"""
    def vpmadd52huq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpmadd52luq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpmaddubsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmaddwd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmaskmovd(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """V,V,M | M,V,V"""
    def vpmaskmovq(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """V,V,M | M,V,V"""
    def vpmaxsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmaxsd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpmaxsq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpmaxsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmaxub(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmaxud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpmaxuq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpmaxuw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpminsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpminsd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpminsq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpminsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpminub(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpminud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpminuq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpminuw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmovb2m(self, dst: Reg, src: Reg, /) -> None:
        """K,V"""
    def vpmovd2m(self, dst: Reg, src: Reg, /) -> None:
        """K,V"""
    def vpmovdb(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | MQ{k},V"""
    def vpmovdw(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovm2b(self, dst: Reg, src: Reg, /) -> None:
        """V,K"""
    def vpmovm2d(self, dst: Reg, src: Reg, /) -> None:
        """V,K"""
    def vpmovm2q(self, dst: Reg, src: Reg, /) -> None:
        """V,K"""
    def vpmovm2w(self, dst: Reg, src: Reg, /) -> None:
        """V,K"""
    def vpmovmskb(self, dst: Reg, src: Reg, /) -> None:
        """r32,V"""
    def vpmovq2m(self, dst: Reg, src: Reg, /) -> None:
        """K,V"""
    def vpmovqb(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | ME{k},V"""
    def vpmovqd(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovqw(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | MQ{k},V"""
    def vpmovsdb(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | MQ{k},V"""
    def vpmovsdw(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovsqb(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | ME{k},V"""
    def vpmovsqd(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovsqw(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | MQ{k},V"""
    def vpmovswb(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovsxbd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/MQ"""
    def vpmovsxbq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/ME"""
    def vpmovsxbw(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH"""
    def vpmovsxdq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH"""
    def vpmovsxwd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH"""
    def vpmovsxwq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/MQ"""
    def vpmovusdb(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | MQ{k},V"""
    def vpmovusdw(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovusqb(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | ME{k},V"""
    def vpmovusqd(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovusqw(self, dst: Operand, src: Reg, /) -> None:
        """X{kz},V | MQ{k},V"""
    def vpmovuswb(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovw2m(self, dst: Reg, src: Reg, /) -> None:
        """K,V"""
    def vpmovwb(self, dst: Operand, src: Reg, /) -> None:
        """H{kz},V | MH{k},V"""
    def vpmovzxbd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/MQ"""
    def vpmovzxbq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/ME"""
    def vpmovzxbw(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH"""
    def vpmovzxdq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH"""
    def vpmovzxwd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},H/MH"""
    def vpmovzxwq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},X/MQ"""
    def vpmuldq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpmulhrsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmulhuw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmulhw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmulld(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpmullq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpmullw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpmultishiftqb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpmuludq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpopcntb(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M"""
    def vpopcntd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b32"""
    def vpopcntq(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b64"""
    def vpopcntw(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M"""
    def vpor(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpord(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vporq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vprold(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b32,u8"""
    def vprolq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b64,u8"""
    def vprolvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vprolvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vprord(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b32,u8"""
    def vprorq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b64,u8"""
    def vprorvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vprorvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpsadbw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpscatterdd(self, dst: Mem, src: Reg, /) -> None:
        """vx32{k},X | vy32{k},Y | vz32{k},Z"""
    def vpscatterdq(self, dst: Mem, src: Reg, /) -> None:
        """vx64{k},X | vx64{k},Y | vy64{k},Z"""
    def vpscatterqd(self, dst: Mem, src: Reg, /) -> None:
        """vx32{k},X | vy32{k},X | vz32{k},Y"""
    def vpscatterqq(self, dst: Mem, src: Reg, /) -> None:
        """vx64{k},X | vy64{k},Y | vz64{k},Z"""
    def vpshldd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b32,u8"""
    def vpshldq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vpshldvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpshldvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpshldvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M"""
    def vpshldw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M,u8"""
    def vpshrdd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b32,u8"""
    def vpshrdq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vpshrdvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b32"""
    def vpshrdvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M/b64"""
    def vpshrdvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:V{kz},V,V/M"""
    def vpshrdw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M,u8"""
    def vpshufb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpshufbitqmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M"""
    def vpshufd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b32,u8"""
    def vpshufhw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M,u8"""
    def vpshuflw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M,u8"""
    def vpsignb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpsignd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpsignw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpslld(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b32,u8"""
    def vpslldq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V,V,u8 | V,V/M,u8"""
    def vpsllq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b64,u8"""
    def vpsllvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpsllvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpsllvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsllw(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M,u8"""
    def vpsrad(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b32,u8"""
    def vpsraq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V{kz},V/M/b64,u8 | V{kz},V,X/m128"""
    def vpsravd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpsravq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpsravw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsraw(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M,u8"""
    def vpsrld(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b32,u8"""
    def vpsrldq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V,V,u8 | V,V/M,u8"""
    def vpsrlq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b64,u8"""
    def vpsrlvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpsrlvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpsrlvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsrlw(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """V,V,u8 | V{kz},V,X/m128 | V{kz},V/M,u8"""
    def vpsubb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsubd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpsubq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpsubsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsubsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsubusb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsubusw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpsubw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpternlogd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """x:V{kz},V,V/M/b32,u8"""
    def vpternlogq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """x:V{kz},V,V/M/b64,u8"""
    def vptest(self, src: Reg, src2: Operand, /) -> None:
        """r:V,V/M"""
    def vptestmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M"""
    def vptestmd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M/b32"""
    def vptestmq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M/b64"""
    def vptestmw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M"""
    def vptestnmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M"""
    def vptestnmd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M/b32"""
    def vptestnmq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M/b64"""
    def vptestnmw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """K{k},V,V/M"""
    def vpunpckhbw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpunpckhdq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpunpckhqdq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpunpckhwd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpunpcklbw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpunpckldq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpunpcklqdq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vpunpcklwd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M"""
    def vpxor(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vpxord(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vpxorq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vrangepd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V,V/M/b64{sae},u8"""
    def vrangeps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V,V/M/b32{sae},u8"""
    def vrangesd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m64{sae},u8"""
    def vrangess(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m32{sae},u8"""
    def vrcp14pd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b64"""
    def vrcp14ps(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b32"""
    def vrcp14sd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X{kz},X,X/m64"""
    def vrcp14ss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X{kz},X,X/m32"""
    def vrcpbf16(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vrcpph(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vrcpps(self, dst: Reg, src: Operand, /) -> None:
        """V,V/M"""
    def vrcpsh(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X{kz},X,X/m16"""
    def vrcpss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X,X,X/m32"""
    def vreducebf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b16,u8"""
    def vreducepd(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b64{sae},u8"""
    def vreduceph(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b16{sae},u8"""
    def vreduceps(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b32{sae},u8"""
    def vreducesd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m64{sae},u8"""
    def vreducesh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m16{sae},u8"""
    def vreducess(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m32{sae},u8"""
    def vrndscalebf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V{kz},V/M/b16,u8"""
    def vrndscalepd(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b64{sae},u8"""
    def vrndscaleph(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b16{sae},u8"""
    def vrndscaleps(self, dst: Reg, src: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """V{kz},V/M/b32{sae},u8"""
    def vrndscalesd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m64{sae},u8"""
    def vrndscalesh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m16{sae},u8"""
    def vrndscaless(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding | int, imm: int = ..., /) -> None:
        """X{kz},X,X/m32{sae},u8"""
    def vroundpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V,V/M,u8"""
    def vroundps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """V,V/M,u8"""
    def vroundsd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,X/m64,u8"""
    def vroundss(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """X,X,X/m32,u8"""
    def vrsqrt14pd(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b64"""
    def vrsqrt14ps(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b32"""
    def vrsqrt14sd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X{kz},X,X/m64"""
    def vrsqrt14ss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X{kz},X,X/m32"""
    def vrsqrtbf16(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vrsqrtph(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vrsqrtps(self, dst: Reg, src: Operand, /) -> None:
        """V,V/M"""
    def vrsqrtsh(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X{kz},X,X/m16"""
    def vrsqrtss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """X,X,X/m32"""
    def vscalefbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vscalefpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b64{er}"""
    def vscalefph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b16{er}"""
    def vscalefps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{er}"""
    def vscalefsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vscalefsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{er}"""
    def vscalefss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{er}"""
    def vscatterdpd(self, dst: Mem, src: Reg, /) -> None:
        """vx64{k},X | vx64{k},Y | vy64{k},Z"""
    def vscatterdps(self, dst: Mem, src: Reg, /) -> None:
        """vx32{k},X | vy32{k},Y | vz32{k},Z"""
    def vscatterqpd(self, dst: Mem, src: Reg, /) -> None:
        """vx64{k},X | vy64{k},Y | vz64{k},Z"""
    def vscatterqps(self, dst: Mem, src: Reg, /) -> None:
        """vx32{k},X | vy32{k},X | vz32{k},Y"""
    def vsha512msg1(self, dst: Reg, src: Reg, /) -> None:
        """x:Y,X"""
    def vsha512msg2(self, dst: Reg, src: Reg, /) -> None:
        """x:Y,Y"""
    def vsha512rnds2(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """x:Y,Y,X"""
    def vshuff32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b32,u8"""
    def vshuff64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vshufi32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b32,u8"""
    def vshufi64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vshufpd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b64,u8"""
    def vshufps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """V{kz},V,V/M/b32,u8"""
    def vsm3msg1(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:X,X,X/m128"""
    def vsm3msg2(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """x:X,X,X/m128"""
    def vsm3rnds2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """x:X,X,X/m128,u8"""
    def vsm4key4(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vsm4rnds4(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V,V,V/M"""
    def vsqrtbf16(self, dst: Reg, src: Operand, /) -> None:
        """V{kz},V/M/b16"""
    def vsqrtpd(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b64{er}"""
    def vsqrtph(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b16{er}"""
    def vsqrtps(self, dst: Reg, src: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V/M/b32{er}"""
    def vsqrtsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vsqrtsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{er}"""
    def vsqrtss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{er}"""
    def vstmxcsr(self, dst: Mem, /) -> None:
        """m32"""
    def vsubbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b16"""
    def vsubpd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b64{er}"""
    def vsubph(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b16{er}"""
    def vsubps(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """V{kz},V,V/M/b32{er}"""
    def vsubsd(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m64{er}"""
    def vsubsh(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m16{er}"""
    def vsubss(self, dst: Reg, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """X{kz},X,X/m32{er}"""
    def vtestpd(self, src: Reg, src2: Operand, /) -> None:
        """r:V,V/M"""
    def vtestps(self, src: Reg, src2: Operand, /) -> None:
        """r:V,V/M"""
    def vucomisd(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m64{sae}"""
    def vucomish(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m16{sae}"""
    def vucomiss(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m32{sae}"""
    def vucomxsd(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m64{sae}"""
    def vucomxsh(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m16{sae}"""
    def vucomxss(self, src: Reg, src2: Operand, rounding: StaticRounding = ..., /) -> None:
        """r:X,X/m32{sae}"""
    def vunpckhpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vunpckhps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vunpcklpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vunpcklps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vxorpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b64"""
    def vxorps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """V{kz},V,V/M/b32"""
    def vzeroall(self) -> None:
        """no operands"""
    def vzeroupper(self) -> None:
        """no operands"""
    def wrfsbase(self, src: Reg, /) -> None:
        """r:Ry"""
    def wrgsbase(self, src: Reg, /) -> None:
        """r:Ry"""
    def wrssd(self, dst: Mem, src: Reg, /) -> None:
        """m32,r32"""
    def wrssq(self, dst: Mem, src: Reg, /) -> None:
        """m64,r64"""
    def xabort(self, imm: int, /) -> None:
        """r:u8"""
    def xadd(self, dst: Operand, dst2: Reg, /) -> None:
        """x:Rv/Mv,x:Rv | x:r8/m8,x:r8"""
    def xbegin(self, target: Label | int, /) -> None:
        """r:rel32"""
    def xchg(self, dst: Operand, dst2: Operand, /) -> None:
        """r:rax,r:rax | x:Mv,x:Rv | x:Rv,x:Mv | x:rax{ne},x:r64 | x:r64{ne},x:rax | x:eax{ne},x:r32 | x:r32{ne},x:eax | x:ax,x:r16 | x:r16,x:ax | x:Rv,x:Rv | x:r8/m8,x:r8 | x:r8,x:m8"""
    def xend(self) -> None:
        """no operands"""
    def xgetbv(self) -> None:
        """no operands"""
    def xlatb(self) -> None:
        """no operands"""
    def xor(self, dst: Operand, src: Operand, /) -> None:
        """x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def xorpd(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def xorps(self, dst: Reg, src: Operand, /) -> None:
        """x:X,X/m128"""
    def xrstor(self, src: Mem, /) -> None:
        """r:m"""
    def xrstor64(self, src: Mem, /) -> None:
        """r:m"""
    def xsave(self, dst: Mem, /) -> None:
        """x:m"""
    def xsave64(self, dst: Mem, /) -> None:
        """x:m"""
    def xsavec(self, dst: Mem, /) -> None:
        """m"""
    def xsavec64(self, dst: Mem, /) -> None:
        """m"""
    def xsaveopt(self, dst: Mem, /) -> None:
        """x:m"""
    def xsaveopt64(self, dst: Mem, /) -> None:
        """x:m"""
    def xtest(self) -> None:
        """no operands"""
