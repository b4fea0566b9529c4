"""The x86-64 assembler. Written by `python -m tilesmith.encoder.x86.stubs`; do not edit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import overload

from ..asm import Assembler, method_name
from ..operands import Label
from ..table import Table
from .registers import Mem, Reg, Rounding

TABLE: Table
Operand = Reg | Mem | Label | int

class X86Assembler(Assembler):
    """Appends x86-64 instructions: `asm.vaddps(zmm0, zmm1, zmm2)`."""

    def align(self, boundary: int) -> None:
        """Pad with nops up to a multiple of `boundary` bytes."""
    @contextmanager
    def loop(self, counter: Reg, count: int | Reg | None = None, align: int = 0) -> Iterator[Label]:
        """Run the body `count` times, counting `counter` down to 0; None: the counter is already loaded, at least 1."""
    def aadd(self, dst: Mem, src: Reg, /) -> None:
        """aadd x:My,Ry"""
    def aand(self, dst: Mem, src: Reg, /) -> None:
        """aand x:My,Ry"""
    def adc(self, dst: Operand, src: Operand, /) -> None:
        """adc x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def adcx(self, dst: Reg, src: Operand, /) -> None:
        """adcx x:Ry,Ry/My"""
    def add(self, dst: Operand, src: Operand, /) -> None:
        """add x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def addpd(self, dst: Reg, src: Operand, /) -> None:
        """addpd x:X,X/m128"""
    def addps(self, dst: Reg, src: Operand, /) -> None:
        """addps x:X,X/m128"""
    def addsd(self, dst: Reg, src: Operand, /) -> None:
        """addsd x:X,X/m64"""
    def addss(self, dst: Reg, src: Operand, /) -> None:
        """addss x:X,X/m32"""
    def addsubpd(self, dst: Reg, src: Operand, /) -> None:
        """addsubpd x:X,X/m128"""
    def addsubps(self, dst: Reg, src: Operand, /) -> None:
        """addsubps x:X,X/m128"""
    def adox(self, dst: Reg, src: Operand, /) -> None:
        """adox x:Ry,Ry/My"""
    def aesdec(self, dst: Reg, src: Operand, /) -> None:
        """aesdec x:X,X/m128"""
    def aesdeclast(self, dst: Reg, src: Operand, /) -> None:
        """aesdeclast x:X,X/m128"""
    def aesenc(self, dst: Reg, src: Operand, /) -> None:
        """aesenc x:X,X/m128"""
    def aesenclast(self, dst: Reg, src: Operand, /) -> None:
        """aesenclast x:X,X/m128"""
    def aesimc(self, dst: Reg, src: Operand, /) -> None:
        """aesimc X,X/m128"""
    def aeskeygenassist(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """aeskeygenassist X,X/m128,u8"""
    def and_(self, dst: Operand, src: Operand, /) -> None:
        """and x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def andn(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """andn Ry,Ry,Ry/My"""
    def andnpd(self, dst: Reg, src: Operand, /) -> None:
        """andnpd x:X,X/m128"""
    def andnps(self, dst: Reg, src: Operand, /) -> None:
        """andnps x:X,X/m128"""
    def andpd(self, dst: Reg, src: Operand, /) -> None:
        """andpd x:X,X/m128"""
    def andps(self, dst: Reg, src: Operand, /) -> None:
        """andps x:X,X/m128"""
    def aor(self, dst: Mem, src: Reg, /) -> None:
        """aor x:My,Ry"""
    def axor(self, dst: Mem, src: Reg, /) -> None:
        """axor x:My,Ry"""
    def bextr(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """bextr Ry,Ry/My,Ry"""
    def blendpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """blendpd x:X,X/m128,u8"""
    def blendps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """blendps x:X,X/m128,u8"""
    def blendvpd(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """blendvpd x:X,X/m128,xmm0"""
    def blendvps(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """blendvps x:X,X/m128,xmm0"""
    def blsi(self, dst: Reg, src: Operand, /) -> None:
        """blsi Ry,Ry/My"""
    def blsmsk(self, dst: Reg, src: Operand, /) -> None:
        """blsmsk Ry,Ry/My"""
    def blsr(self, dst: Reg, src: Operand, /) -> None:
        """blsr Ry,Ry/My"""
    def bsf(self, dst: Reg, src: Operand, /) -> None:
        """bsf x:Rv,Rv/Mv"""
    def bsr(self, dst: Reg, src: Operand, /) -> None:
        """bsr x:Rv,Rv/Mv"""
    def bswap(self, dst: Reg, /) -> None:
        """bswap x:Ry"""
    def bt(self, src: Operand, src2: Operand, /) -> None:
        """bt r:Rv/Mv,Rv | r:Rv/Mv,u8"""
    def btc(self, dst: Operand, src: Operand, /) -> None:
        """btc x:Rv/Mv,Rv | x:Rv/Mv,u8"""
    def btr(self, dst: Operand, src: Operand, /) -> None:
        """btr x:Rv/Mv,Rv | x:Rv/Mv,u8"""
    def bts(self, dst: Operand, src: Operand, /) -> None:
        """bts x:Rv/Mv,Rv | x:Rv/Mv,u8"""
    def bzhi(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """bzhi Ry,Ry/My,Ry"""
    def call(self, src: Operand, /) -> None:
        """call r:rel32 | r:r64/m64"""
    def cbw(self) -> None:
        """cbw """
    def cdq(self) -> None:
        """cdq """
    def cdqe(self) -> None:
        """cdqe """
    def clc(self) -> None:
        """clc """
    def cld(self) -> None:
        """cld """
    def cldemote(self, src: Mem, /) -> None:
        """cldemote r:m8"""
    def clflush(self, src: Mem, /) -> None:
        """clflush r:m8"""
    def clflushopt(self, src: Mem, /) -> None:
        """clflushopt r:m8"""
    def clwb(self, src: Mem, /) -> None:
        """clwb r:m8"""
    def cmc(self) -> None:
        """cmc """
    def cmova(self, dst: Reg, src: Operand, /) -> None:
        """cmova x:Rv,Rv/Mv"""
    def cmovae(self, dst: Reg, src: Operand, /) -> None:
        """cmovae x:Rv,Rv/Mv"""
    def cmovb(self, dst: Reg, src: Operand, /) -> None:
        """cmovb x:Rv,Rv/Mv"""
    def cmovbe(self, dst: Reg, src: Operand, /) -> None:
        """cmovbe x:Rv,Rv/Mv"""
    def cmovc(self, dst: Reg, src: Operand, /) -> None:
        """cmovc x:Rv,Rv/Mv"""
    def cmove(self, dst: Reg, src: Operand, /) -> None:
        """cmove x:Rv,Rv/Mv"""
    def cmovg(self, dst: Reg, src: Operand, /) -> None:
        """cmovg x:Rv,Rv/Mv"""
    def cmovge(self, dst: Reg, src: Operand, /) -> None:
        """cmovge x:Rv,Rv/Mv"""
    def cmovl(self, dst: Reg, src: Operand, /) -> None:
        """cmovl x:Rv,Rv/Mv"""
    def cmovle(self, dst: Reg, src: Operand, /) -> None:
        """cmovle x:Rv,Rv/Mv"""
    def cmovna(self, dst: Reg, src: Operand, /) -> None:
        """cmovna x:Rv,Rv/Mv"""
    def cmovnae(self, dst: Reg, src: Operand, /) -> None:
        """cmovnae x:Rv,Rv/Mv"""
    def cmovnb(self, dst: Reg, src: Operand, /) -> None:
        """cmovnb x:Rv,Rv/Mv"""
    def cmovnbe(self, dst: Reg, src: Operand, /) -> None:
        """cmovnbe x:Rv,Rv/Mv"""
    def cmovnc(self, dst: Reg, src: Operand, /) -> None:
        """cmovnc x:Rv,Rv/Mv"""
    def cmovne(self, dst: Reg, src: Operand, /) -> None:
        """cmovne x:Rv,Rv/Mv"""
    def cmovng(self, dst: Reg, src: Operand, /) -> None:
        """cmovng x:Rv,Rv/Mv"""
    def cmovnge(self, dst: Reg, src: Operand, /) -> None:
        """cmovnge x:Rv,Rv/Mv"""
    def cmovnl(self, dst: Reg, src: Operand, /) -> None:
        """cmovnl x:Rv,Rv/Mv"""
    def cmovnle(self, dst: Reg, src: Operand, /) -> None:
        """cmovnle x:Rv,Rv/Mv"""
    def cmovno(self, dst: Reg, src: Operand, /) -> None:
        """cmovno x:Rv,Rv/Mv"""
    def cmovnp(self, dst: Reg, src: Operand, /) -> None:
        """cmovnp x:Rv,Rv/Mv"""
    def cmovns(self, dst: Reg, src: Operand, /) -> None:
        """cmovns x:Rv,Rv/Mv"""
    def cmovnz(self, dst: Reg, src: Operand, /) -> None:
        """cmovnz x:Rv,Rv/Mv"""
    def cmovo(self, dst: Reg, src: Operand, /) -> None:
        """cmovo x:Rv,Rv/Mv"""
    def cmovp(self, dst: Reg, src: Operand, /) -> None:
        """cmovp x:Rv,Rv/Mv"""
    def cmovpe(self, dst: Reg, src: Operand, /) -> None:
        """cmovpe x:Rv,Rv/Mv"""
    def cmovpo(self, dst: Reg, src: Operand, /) -> None:
        """cmovpo x:Rv,Rv/Mv"""
    def cmovs(self, dst: Reg, src: Operand, /) -> None:
        """cmovs x:Rv,Rv/Mv"""
    def cmovz(self, dst: Reg, src: Operand, /) -> None:
        """cmovz x:Rv,Rv/Mv"""
    def cmp(self, src: Operand, src2: Operand, /) -> None:
        """cmp r:Rv/Mv,i8 | r:rax,i32 | r:eax,i32 | r:ax,i16 | r:al,u8 | r:Rv/Mv,iv | r:r8/m8,u8 | r:Rv/Mv,Rv | r:Rv,Mv | r:r8/m8,r8 | r:r8,m8"""
    def cmpbexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpbexadd x:My,x:Ry,Ry"""
    def cmpbxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpbxadd x:My,x:Ry,Ry"""
    def cmplexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmplexadd x:My,x:Ry,Ry"""
    def cmplxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmplxadd x:My,x:Ry,Ry"""
    def cmpnbexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnbexadd x:My,x:Ry,Ry"""
    def cmpnbxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnbxadd x:My,x:Ry,Ry"""
    def cmpnlexadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnlexadd x:My,x:Ry,Ry"""
    def cmpnlxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnlxadd x:My,x:Ry,Ry"""
    def cmpnoxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnoxadd x:My,x:Ry,Ry"""
    def cmpnpxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnpxadd x:My,x:Ry,Ry"""
    def cmpnsxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnsxadd x:My,x:Ry,Ry"""
    def cmpnzxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpnzxadd x:My,x:Ry,Ry"""
    def cmpoxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpoxadd x:My,x:Ry,Ry"""
    def cmppd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """cmppd x:X,X/m128,u8"""
    def cmpps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """cmpps x:X,X/m128,u8"""
    def cmppxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmppxadd x:My,x:Ry,Ry"""
    def cmpsb(self) -> None:
        """cmpsb """
    @overload
    def cmpsd(self) -> None:
        """cmpsd  | x:X,X/m64,u8"""
    @overload
    def cmpsd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """cmpsd  | x:X,X/m64,u8"""
    def cmpsq(self) -> None:
        """cmpsq """
    def cmpss(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """cmpss x:X,X/m32,u8"""
    def cmpsw(self) -> None:
        """cmpsw """
    def cmpsxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpsxadd x:My,x:Ry,Ry"""
    def cmpxchg(self, dst: Operand, src: Reg, /) -> None:
        """cmpxchg x:Rv/Mv,Rv | x:r8/m8,r8"""
    def cmpxchg16b(self, dst: Mem, /) -> None:
        """cmpxchg16b x:m128"""
    def cmpxchg8b(self, dst: Mem, /) -> None:
        """cmpxchg8b x:m64"""
    def cmpzxadd(self, dst: Mem, dst2: Reg, src: Reg, /) -> None:
        """cmpzxadd x:My,x:Ry,Ry"""
    def comisd(self, src: Reg, src2: Operand, /) -> None:
        """comisd r:X,X/m64"""
    def comiss(self, src: Reg, src2: Operand, /) -> None:
        """comiss r:X,X/m32"""
    def cpuid(self) -> None:
        """cpuid """
    def cqo(self) -> None:
        """cqo """
    def crc32(self, dst: Reg, src: Operand, /) -> None:
        """crc32 x:r32,r8/m8 | x:r32,r16/m16 | x:r32,r32/m32 | x:r64,r8/m8 | x:r64,r64/m64"""
    def cvtdq2pd(self, dst: Reg, src: Operand, /) -> None:
        """cvtdq2pd X,X/m64"""
    def cvtdq2ps(self, dst: Reg, src: Operand, /) -> None:
        """cvtdq2ps X,X/m128"""
    def cvtpd2dq(self, dst: Reg, src: Operand, /) -> None:
        """cvtpd2dq X,X/m128"""
    def cvtpd2ps(self, dst: Reg, src: Operand, /) -> None:
        """cvtpd2ps X,X/m128"""
    def cvtps2dq(self, dst: Reg, src: Operand, /) -> None:
        """cvtps2dq X,X/m128"""
    def cvtps2pd(self, dst: Reg, src: Operand, /) -> None:
        """cvtps2pd X,X/m64"""
    def cvtsd2si(self, dst: Reg, src: Operand, /) -> None:
        """cvtsd2si Ry,X/m64"""
    def cvtsd2ss(self, dst: Reg, src: Operand, /) -> None:
        """cvtsd2ss x:X,X/m64"""
    def cvtsi2sd(self, dst: Reg, src: Operand, /) -> None:
        """cvtsi2sd x:X,Ry/My"""
    def cvtsi2ss(self, dst: Reg, src: Operand, /) -> None:
        """cvtsi2ss x:X,Ry/My"""
    def cvtss2sd(self, dst: Reg, src: Operand, /) -> None:
        """cvtss2sd x:X,X/m32"""
    def cvtss2si(self, dst: Reg, src: Operand, /) -> None:
        """cvtss2si Ry,X/m32"""
    def cvttpd2dq(self, dst: Reg, src: Operand, /) -> None:
        """cvttpd2dq X,X/m128"""
    def cvttps2dq(self, dst: Reg, src: Operand, /) -> None:
        """cvttps2dq X,X/m128"""
    def cvttsd2si(self, dst: Reg, src: Operand, /) -> None:
        """cvttsd2si Ry,X/m64"""
    def cvttss2si(self, dst: Reg, src: Operand, /) -> None:
        """cvttss2si Ry,X/m32"""
    def cwd(self) -> None:
        """cwd """
    def cwde(self) -> None:
        """cwde """
    def dec(self, dst: Operand, /) -> None:
        """dec x:Rv/Mv | x:r8/m8"""
    def div(self, src: Operand, /) -> None:
        """div r:Rv/Mv | r:r8/m8"""
    def divpd(self, dst: Reg, src: Operand, /) -> None:
        """divpd x:X,X/m128"""
    def divps(self, dst: Reg, src: Operand, /) -> None:
        """divps x:X,X/m128"""
    def divsd(self, dst: Reg, src: Operand, /) -> None:
        """divsd x:X,X/m64"""
    def divss(self, dst: Reg, src: Operand, /) -> None:
        """divss x:X,X/m32"""
    def dppd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """dppd x:X,X/m128,u8"""
    def dpps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """dpps x:X,X/m128,u8"""
    def endbr64(self) -> None:
        """endbr64 """
    def enter(self, imm: int, imm2: int, /) -> None:
        """enter r:u16,r:u8"""
    def extractps(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """extractps r32/m32,X,u8"""
    def fxrstor(self, src: Mem, /) -> None:
        """fxrstor r:m"""
    def fxrstor64(self, src: Mem, /) -> None:
        """fxrstor64 r:m"""
    def fxsave(self, dst: Mem, /) -> None:
        """fxsave m"""
    def fxsave64(self, dst: Mem, /) -> None:
        """fxsave64 m"""
    def gf2p8affineinvqb(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """gf2p8affineinvqb x:X,X/m128,u8"""
    def gf2p8affineqb(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """gf2p8affineqb x:X,X/m128,u8"""
    def gf2p8mulb(self, dst: Reg, src: Operand, /) -> None:
        """gf2p8mulb x:X,X/m128"""
    def haddpd(self, dst: Reg, src: Operand, /) -> None:
        """haddpd x:X,X/m128"""
    def haddps(self, dst: Reg, src: Operand, /) -> None:
        """haddps x:X,X/m128"""
    def hsubpd(self, dst: Reg, src: Operand, /) -> None:
        """hsubpd x:X,X/m128"""
    def hsubps(self, dst: Reg, src: Operand, /) -> None:
        """hsubps x:X,X/m128"""
    def idiv(self, src: Operand, /) -> None:
        """idiv r:Rv/Mv | r:r8/m8"""
    @overload
    def imul(self, src: Operand, /) -> None:
        """imul r:Rv/Mv | r:r8/m8 | x:Rv,Rv/Mv | Rv,Rv/Mv,i8 | Rv,Rv/Mv,iv"""
    @overload
    def imul(self, dst: Reg, src: Operand, /) -> None:
        """imul r:Rv/Mv | r:r8/m8 | x:Rv,Rv/Mv | Rv,Rv/Mv,i8 | Rv,Rv/Mv,iv"""
    @overload
    def imul(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """imul r:Rv/Mv | r:r8/m8 | x:Rv,Rv/Mv | Rv,Rv/Mv,i8 | Rv,Rv/Mv,iv"""
    def inc(self, dst: Operand, /) -> None:
        """inc x:Rv/Mv | x:r8/m8"""
    def incsspd(self, src: Reg, /) -> None:
        """incsspd r:r32"""
    def incsspq(self, src: Reg, /) -> None:
        """incsspq r:r64"""
    def insertps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """insertps x:X,X/m32,u8"""
    def int3(self) -> None:
        """int3 """
    def ja(self, target: Label | int, /) -> None:
        """ja r:rel8"""
    def jae(self, target: Label | int, /) -> None:
        """jae r:rel8"""
    def jb(self, target: Label | int, /) -> None:
        """jb r:rel8"""
    def jbe(self, target: Label | int, /) -> None:
        """jbe r:rel8"""
    def jc(self, target: Label | int, /) -> None:
        """jc r:rel8"""
    def je(self, target: Label | int, /) -> None:
        """je r:rel8"""
    def jg(self, target: Label | int, /) -> None:
        """jg r:rel8"""
    def jge(self, target: Label | int, /) -> None:
        """jge r:rel8"""
    def jl(self, target: Label | int, /) -> None:
        """jl r:rel8"""
    def jle(self, target: Label | int, /) -> None:
        """jle r:rel8"""
    def jmp(self, src: Operand, /) -> None:
        """jmp r:rel8 | r:r64/m64"""
    def jna(self, target: Label | int, /) -> None:
        """jna r:rel8"""
    def jnae(self, target: Label | int, /) -> None:
        """jnae r:rel8"""
    def jnb(self, target: Label | int, /) -> None:
        """jnb r:rel8"""
    def jnbe(self, target: Label | int, /) -> None:
        """jnbe r:rel8"""
    def jnc(self, target: Label | int, /) -> None:
        """jnc r:rel8"""
    def jne(self, target: Label | int, /) -> None:
        """jne r:rel8"""
    def jng(self, target: Label | int, /) -> None:
        """jng r:rel8"""
    def jnge(self, target: Label | int, /) -> None:
        """jnge r:rel8"""
    def jnl(self, target: Label | int, /) -> None:
        """jnl r:rel8"""
    def jnle(self, target: Label | int, /) -> None:
        """jnle r:rel8"""
    def jno(self, target: Label | int, /) -> None:
        """jno r:rel8"""
    def jnp(self, target: Label | int, /) -> None:
        """jnp r:rel8"""
    def jns(self, target: Label | int, /) -> None:
        """jns r:rel8"""
    def jnz(self, target: Label | int, /) -> None:
        """jnz r:rel8"""
    def jo(self, target: Label | int, /) -> None:
        """jo r:rel8"""
    def jp(self, target: Label | int, /) -> None:
        """jp r:rel8"""
    def jpe(self, target: Label | int, /) -> None:
        """jpe r:rel8"""
    def jpo(self, target: Label | int, /) -> None:
        """jpo r:rel8"""
    def jrcxz(self, target: Label | int, /) -> None:
        """jrcxz r:rel8"""
    def js(self, target: Label | int, /) -> None:
        """js r:rel8"""
    def jz(self, target: Label | int, /) -> None:
        """jz r:rel8"""
    def kaddb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kaddb K,K,K"""
    def kaddd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kaddd K,K,K"""
    def kaddq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kaddq K,K,K"""
    def kaddw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kaddw K,K,K"""
    def kandb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandb K,K,K"""
    def kandd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandd K,K,K"""
    def kandnb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandnb K,K,K"""
    def kandnd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandnd K,K,K"""
    def kandnq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandnq K,K,K"""
    def kandnw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandnw K,K,K"""
    def kandq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandq K,K,K"""
    def kandw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kandw K,K,K"""
    def kmovb(self, dst: Operand, src: Operand, /) -> None:
        """kmovb K,K/m8 | m8,K | K,r32 | r32,K"""
    def kmovd(self, dst: Operand, src: Operand, /) -> None:
        """kmovd K,K/m32 | m32,K | K,r32 | r32,K"""
    def kmovq(self, dst: Operand, src: Operand, /) -> None:
        """kmovq K,K/m64 | m64,K | K,r64 | r64,K"""
    def kmovw(self, dst: Operand, src: Operand, /) -> None:
        """kmovw K,K/m16 | m16,K | K,r32 | r32,K"""
    def knotb(self, dst: Reg, src: Reg, /) -> None:
        """knotb K,K"""
    def knotd(self, dst: Reg, src: Reg, /) -> None:
        """knotd K,K"""
    def knotq(self, dst: Reg, src: Reg, /) -> None:
        """knotq K,K"""
    def knotw(self, dst: Reg, src: Reg, /) -> None:
        """knotw K,K"""
    def korb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """korb K,K,K"""
    def kord(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kord K,K,K"""
    def korq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """korq K,K,K"""
    def kortestb(self, src: Reg, src2: Reg, /) -> None:
        """kortestb r:K,K"""
    def kortestd(self, src: Reg, src2: Reg, /) -> None:
        """kortestd r:K,K"""
    def kortestq(self, src: Reg, src2: Reg, /) -> None:
        """kortestq r:K,K"""
    def kortestw(self, src: Reg, src2: Reg, /) -> None:
        """kortestw r:K,K"""
    def korw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """korw K,K,K"""
    def kshiftlb(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftlb K,K,u8"""
    def kshiftld(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftld K,K,u8"""
    def kshiftlq(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftlq K,K,u8"""
    def kshiftlw(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftlw K,K,u8"""
    def kshiftrb(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftrb K,K,u8"""
    def kshiftrd(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftrd K,K,u8"""
    def kshiftrq(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftrq K,K,u8"""
    def kshiftrw(self, dst: Reg, src: Reg, imm: int, /) -> None:
        """kshiftrw K,K,u8"""
    def ktestb(self, src: Reg, src2: Reg, /) -> None:
        """ktestb r:K,K"""
    def ktestd(self, src: Reg, src2: Reg, /) -> None:
        """ktestd r:K,K"""
    def ktestq(self, src: Reg, src2: Reg, /) -> None:
        """ktestq r:K,K"""
    def ktestw(self, src: Reg, src2: Reg, /) -> None:
        """ktestw r:K,K"""
    def kunpckbw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kunpckbw K,K,K"""
    def kunpckdq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kunpckdq K,K,K"""
    def kunpckwd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kunpckwd K,K,K"""
    def kxnorb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxnorb K,K,K"""
    def kxnord(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxnord K,K,K"""
    def kxnorq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxnorq K,K,K"""
    def kxnorw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxnorw K,K,K"""
    def kxorb(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxorb K,K,K"""
    def kxord(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxord K,K,K"""
    def kxorq(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxorq K,K,K"""
    def kxorw(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """kxorw K,K,K"""
    def lahf(self) -> None:
        """lahf """
    def lddqu(self, dst: Reg, src: Mem, /) -> None:
        """lddqu X,m128"""
    def ldmxcsr(self, src: Mem, /) -> None:
        """ldmxcsr r:m32"""
    def ldtilecfg(self, src: Mem, /) -> None:
        """ldtilecfg r:m"""
    def lea(self, dst: Reg, src: Mem, /) -> None:
        """lea Rv,m"""
    def leave(self) -> None:
        """leave """
    def lfence(self) -> None:
        """lfence """
    def lock_adc(self, dst: Mem, src: Operand, /) -> None:
        """lock adc x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_add(self, dst: Mem, src: Operand, /) -> None:
        """lock add x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_and(self, dst: Mem, src: Operand, /) -> None:
        """lock and x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_btc(self, dst: Mem, src: Operand, /) -> None:
        """lock btc x:Mv,Rv | x:Mv,u8"""
    def lock_btr(self, dst: Mem, src: Operand, /) -> None:
        """lock btr x:Mv,Rv | x:Mv,u8"""
    def lock_bts(self, dst: Mem, src: Operand, /) -> None:
        """lock bts x:Mv,Rv | x:Mv,u8"""
    def lock_cmpxchg(self, dst: Mem, src: Reg, /) -> None:
        """lock cmpxchg x:Mv,Rv | x:m8,r8"""
    def lock_cmpxchg16b(self, dst: Mem, /) -> None:
        """lock cmpxchg16b x:m128"""
    def lock_cmpxchg8b(self, dst: Mem, /) -> None:
        """lock cmpxchg8b x:m64"""
    def lock_dec(self, dst: Mem, /) -> None:
        """lock dec x:Mv | x:m8"""
    def lock_inc(self, dst: Mem, /) -> None:
        """lock inc x:Mv | x:m8"""
    def lock_neg(self, dst: Mem, /) -> None:
        """lock neg x:Mv | x:m8"""
    def lock_not(self, dst: Mem, /) -> None:
        """lock not x:Mv | x:m8"""
    def lock_or(self, dst: Mem, src: Operand, /) -> None:
        """lock or x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_sbb(self, dst: Mem, src: Operand, /) -> None:
        """lock sbb x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_sub(self, dst: Mem, src: Operand, /) -> None:
        """lock sub x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lock_xadd(self, dst: Mem, dst2: Reg, /) -> None:
        """lock xadd x:Mv,x:Rv | x:m8,x:r8"""
    def lock_xor(self, dst: Mem, src: Operand, /) -> None:
        """lock xor x:Mv,i8 | x:Mv,iv | x:m8,u8 | x:Mv,Rv | x:m8,r8"""
    def lodsb(self) -> None:
        """lodsb """
    def lodsd(self) -> None:
        """lodsd """
    def lodsq(self) -> None:
        """lodsq """
    def lodsw(self) -> None:
        """lodsw """
    def loop_(self, target: Label | int, /) -> None:
        """loop r:rel8"""
    def loope(self, target: Label | int, /) -> None:
        """loope r:rel8"""
    def loopne(self, target: Label | int, /) -> None:
        """loopne r:rel8"""
    def lzcnt(self, dst: Reg, src: Operand, /) -> None:
        """lzcnt Rv,Rv/Mv"""
    def maskmovdqu(self, src: Reg, src2: Reg, /) -> None:
        """maskmovdqu r:X,X"""
    def maxpd(self, dst: Reg, src: Operand, /) -> None:
        """maxpd x:X,X/m128"""
    def maxps(self, dst: Reg, src: Operand, /) -> None:
        """maxps x:X,X/m128"""
    def maxsd(self, dst: Reg, src: Operand, /) -> None:
        """maxsd x:X,X/m64"""
    def maxss(self, dst: Reg, src: Operand, /) -> None:
        """maxss x:X,X/m32"""
    def mfence(self) -> None:
        """mfence """
    def minpd(self, dst: Reg, src: Operand, /) -> None:
        """minpd x:X,X/m128"""
    def minps(self, dst: Reg, src: Operand, /) -> None:
        """minps x:X,X/m128"""
    def minsd(self, dst: Reg, src: Operand, /) -> None:
        """minsd x:X,X/m64"""
    def minss(self, dst: Reg, src: Operand, /) -> None:
        """minss x:X,X/m32"""
    def mov(self, dst: Operand, src: Operand, /) -> None:
        """mov Rv/Mv,Rv | Rv,Mv | r8/m8,r8 | r8,m8 | r8,u8 | r16,u16 | r32,u32 | r64,i32 | r64,u64 | m32,u32 | m64,i32 | m16,u16 | m8,u8"""
    def movapd(self, dst: Operand, src: Operand, /) -> None:
        """movapd X,X/m128 | m128,X"""
    def movaps(self, dst: Operand, src: Operand, /) -> None:
        """movaps X,X/m128 | m128,X"""
    def movbe(self, dst: Operand, src: Operand, /) -> None:
        """movbe Rv,Mv | Mv,Rv"""
    def movd(self, dst: Operand, src: Operand, /) -> None:
        """movd X,r32/m32 | r32/m32,X"""
    def movddup(self, dst: Reg, src: Operand, /) -> None:
        """movddup X,X/m64"""
    def movdir64b(self, src: Reg, src2: Mem, /) -> None:
        """movdir64b r:r64,r:m512"""
    def movdiri(self, dst: Mem, src: Reg, /) -> None:
        """movdiri My,Ry"""
    def movdqa(self, dst: Operand, src: Operand, /) -> None:
        """movdqa X,X/m128 | m128,X"""
    def movdqu(self, dst: Operand, src: Operand, /) -> None:
        """movdqu X,X/m128 | m128,X"""
    def movhlps(self, dst: Reg, src: Reg, /) -> None:
        """movhlps x:X,X"""
    def movhpd(self, dst: Operand, src: Operand, /) -> None:
        """movhpd x:X,m64 | m64,X"""
    def movhps(self, dst: Operand, src: Operand, /) -> None:
        """movhps x:X,m64 | m64,X"""
    def movlhps(self, dst: Reg, src: Reg, /) -> None:
        """movlhps x:X,X"""
    def movlpd(self, dst: Operand, src: Operand, /) -> None:
        """movlpd x:X,m64 | m64,X"""
    def movlps(self, dst: Operand, src: Operand, /) -> None:
        """movlps x:X,m64 | m64,X"""
    def movmskpd(self, dst: Reg, src: Reg, /) -> None:
        """movmskpd r32,X"""
    def movmskps(self, dst: Reg, src: Reg, /) -> None:
        """movmskps r32,X"""
    def movntdq(self, dst: Mem, src: Reg, /) -> None:
        """movntdq m128,X"""
    def movntdqa(self, dst: Reg, src: Mem, /) -> None:
        """movntdqa X,m128"""
    def movnti(self, dst: Mem, src: Reg, /) -> None:
        """movnti My,Ry"""
    def movntpd(self, dst: Mem, src: Reg, /) -> None:
        """movntpd m128,X"""
    def movntps(self, dst: Mem, src: Reg, /) -> None:
        """movntps m128,X"""
    def movq(self, dst: Operand, src: Operand, /) -> None:
        """movq X,X/m64 | m64,X | X,r64 | r64,X"""
    def movrs(self, dst: Reg, src: Mem, /) -> None:
        """movrs Rv,Mv | r8,m8"""
    def movsb(self) -> None:
        """movsb """
    @overload
    def movsd(self) -> None:
        """movsd  | x:X,X | X,m64 | m64,X"""
    @overload
    def movsd(self, dst: Operand, src: Operand, /) -> None:
        """movsd  | x:X,X | X,m64 | m64,X"""
    def movshdup(self, dst: Reg, src: Operand, /) -> None:
        """movshdup X,X/m128"""
    def movsldup(self, dst: Reg, src: Operand, /) -> None:
        """movsldup X,X/m128"""
    def movsq(self) -> None:
        """movsq """
    def movss(self, dst: Operand, src: Operand, /) -> None:
        """movss x:X,X | X,m32 | m32,X"""
    def movsw(self) -> None:
        """movsw """
    def movsx(self, dst: Reg, src: Operand, /) -> None:
        """movsx Rv,r8/m8 | Ry,r16/m16"""
    def movsxd(self, dst: Reg, src: Operand, /) -> None:
        """movsxd r64,r32/m32"""
    def movupd(self, dst: Operand, src: Operand, /) -> None:
        """movupd X,X/m128 | m128,X"""
    def movups(self, dst: Operand, src: Operand, /) -> None:
        """movups X,X/m128 | m128,X"""
    def movzx(self, dst: Reg, src: Operand, /) -> None:
        """movzx Rv,r8/m8 | Ry,r16/m16"""
    def mpsadbw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """mpsadbw x:X,X/m128,u8"""
    def mul(self, src: Operand, /) -> None:
        """mul r:Rv/Mv | r:r8/m8"""
    def mulpd(self, dst: Reg, src: Operand, /) -> None:
        """mulpd x:X,X/m128"""
    def mulps(self, dst: Reg, src: Operand, /) -> None:
        """mulps x:X,X/m128"""
    def mulsd(self, dst: Reg, src: Operand, /) -> None:
        """mulsd x:X,X/m64"""
    def mulss(self, dst: Reg, src: Operand, /) -> None:
        """mulss x:X,X/m32"""
    def mulx(self, dst: Reg, dst2: Reg, src: Operand, /) -> None:
        """mulx Ry,w:Ry,Ry/My"""
    def neg(self, dst: Operand, /) -> None:
        """neg x:Rv/Mv | x:r8/m8"""
    @overload
    def nop(self) -> None:
        """nop  | r:Rv/Mv"""
    @overload
    def nop(self, src: Operand, /) -> None:
        """nop  | r:Rv/Mv"""
    def not_(self, dst: Operand, /) -> None:
        """not x:Rv/Mv | x:r8/m8"""
    def or_(self, dst: Operand, src: Operand, /) -> None:
        """or x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def orpd(self, dst: Reg, src: Operand, /) -> None:
        """orpd x:X,X/m128"""
    def orps(self, dst: Reg, src: Operand, /) -> None:
        """orps x:X,X/m128"""
    def pabsb(self, dst: Reg, src: Operand, /) -> None:
        """pabsb X,X/m128"""
    def pabsd(self, dst: Reg, src: Operand, /) -> None:
        """pabsd X,X/m128"""
    def pabsw(self, dst: Reg, src: Operand, /) -> None:
        """pabsw X,X/m128"""
    def packssdw(self, dst: Reg, src: Operand, /) -> None:
        """packssdw x:X,X/m128"""
    def packsswb(self, dst: Reg, src: Operand, /) -> None:
        """packsswb x:X,X/m128"""
    def packusdw(self, dst: Reg, src: Operand, /) -> None:
        """packusdw x:X,X/m128"""
    def packuswb(self, dst: Reg, src: Operand, /) -> None:
        """packuswb x:X,X/m128"""
    def paddb(self, dst: Reg, src: Operand, /) -> None:
        """paddb x:X,X/m128"""
    def paddd(self, dst: Reg, src: Operand, /) -> None:
        """paddd x:X,X/m128"""
    def paddq(self, dst: Reg, src: Operand, /) -> None:
        """paddq x:X,X/m128"""
    def paddsb(self, dst: Reg, src: Operand, /) -> None:
        """paddsb x:X,X/m128"""
    def paddsw(self, dst: Reg, src: Operand, /) -> None:
        """paddsw x:X,X/m128"""
    def paddusb(self, dst: Reg, src: Operand, /) -> None:
        """paddusb x:X,X/m128"""
    def paddusw(self, dst: Reg, src: Operand, /) -> None:
        """paddusw x:X,X/m128"""
    def paddw(self, dst: Reg, src: Operand, /) -> None:
        """paddw x:X,X/m128"""
    def palignr(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """palignr x:X,X/m128,u8"""
    def pand(self, dst: Reg, src: Operand, /) -> None:
        """pand x:X,X/m128"""
    def pandn(self, dst: Reg, src: Operand, /) -> None:
        """pandn x:X,X/m128"""
    def pause(self) -> None:
        """pause """
    def pavgb(self, dst: Reg, src: Operand, /) -> None:
        """pavgb x:X,X/m128"""
    def pavgw(self, dst: Reg, src: Operand, /) -> None:
        """pavgw x:X,X/m128"""
    def pblendvb(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """pblendvb x:X,X/m128,xmm0"""
    def pblendw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pblendw x:X,X/m128,u8"""
    def pclmulqdq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pclmulqdq x:X,X/m128,u8"""
    def pcmpeqb(self, dst: Reg, src: Operand, /) -> None:
        """pcmpeqb x:X,X/m128"""
    def pcmpeqd(self, dst: Reg, src: Operand, /) -> None:
        """pcmpeqd x:X,X/m128"""
    def pcmpeqq(self, dst: Reg, src: Operand, /) -> None:
        """pcmpeqq x:X,X/m128"""
    def pcmpeqw(self, dst: Reg, src: Operand, /) -> None:
        """pcmpeqw x:X,X/m128"""
    def pcmpestri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """pcmpestri r:X,X/m128,u8"""
    def pcmpestrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """pcmpestrm r:X,X/m128,u8"""
    def pcmpgtb(self, dst: Reg, src: Operand, /) -> None:
        """pcmpgtb x:X,X/m128"""
    def pcmpgtd(self, dst: Reg, src: Operand, /) -> None:
        """pcmpgtd x:X,X/m128"""
    def pcmpgtq(self, dst: Reg, src: Operand, /) -> None:
        """pcmpgtq x:X,X/m128"""
    def pcmpgtw(self, dst: Reg, src: Operand, /) -> None:
        """pcmpgtw x:X,X/m128"""
    def pcmpistri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """pcmpistri r:X,X/m128,u8"""
    def pcmpistrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """pcmpistrm r:X,X/m128,u8"""
    def pdep(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """pdep Ry,Ry,Ry/My"""
    def pext(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """pext Ry,Ry,Ry/My"""
    def pextrb(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """pextrb r32/m8,X,u8"""
    def pextrd(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """pextrd r32/m32,X,u8"""
    def pextrq(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """pextrq r64/m64,X,u8"""
    def pextrw(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """pextrw r32,X,u8 | m16,X,u8"""
    def phaddd(self, dst: Reg, src: Operand, /) -> None:
        """phaddd x:X,X/m128"""
    def phaddsw(self, dst: Reg, src: Operand, /) -> None:
        """phaddsw x:X,X/m128"""
    def phaddw(self, dst: Reg, src: Operand, /) -> None:
        """phaddw x:X,X/m128"""
    def phminposuw(self, dst: Reg, src: Operand, /) -> None:
        """phminposuw X,X/m128"""
    def phsubd(self, dst: Reg, src: Operand, /) -> None:
        """phsubd x:X,X/m128"""
    def phsubsw(self, dst: Reg, src: Operand, /) -> None:
        """phsubsw x:X,X/m128"""
    def phsubw(self, dst: Reg, src: Operand, /) -> None:
        """phsubw x:X,X/m128"""
    def pinsrb(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pinsrb x:X,r32/m8,u8"""
    def pinsrd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pinsrd x:X,r32/m32,u8"""
    def pinsrq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pinsrq x:X,r64/m64,u8"""
    def pinsrw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pinsrw x:X,r32/m16,u8"""
    def pmaddubsw(self, dst: Reg, src: Operand, /) -> None:
        """pmaddubsw x:X,X/m128"""
    def pmaddwd(self, dst: Reg, src: Operand, /) -> None:
        """pmaddwd x:X,X/m128"""
    def pmaxsb(self, dst: Reg, src: Operand, /) -> None:
        """pmaxsb x:X,X/m128"""
    def pmaxsd(self, dst: Reg, src: Operand, /) -> None:
        """pmaxsd x:X,X/m128"""
    def pmaxsw(self, dst: Reg, src: Operand, /) -> None:
        """pmaxsw x:X,X/m128"""
    def pmaxub(self, dst: Reg, src: Operand, /) -> None:
        """pmaxub x:X,X/m128"""
    def pmaxud(self, dst: Reg, src: Operand, /) -> None:
        """pmaxud x:X,X/m128"""
    def pmaxuw(self, dst: Reg, src: Operand, /) -> None:
        """pmaxuw x:X,X/m128"""
    def pminsb(self, dst: Reg, src: Operand, /) -> None:
        """pminsb x:X,X/m128"""
    def pminsd(self, dst: Reg, src: Operand, /) -> None:
        """pminsd x:X,X/m128"""
    def pminsw(self, dst: Reg, src: Operand, /) -> None:
        """pminsw x:X,X/m128"""
    def pminub(self, dst: Reg, src: Operand, /) -> None:
        """pminub x:X,X/m128"""
    def pminud(self, dst: Reg, src: Operand, /) -> None:
        """pminud x:X,X/m128"""
    def pminuw(self, dst: Reg, src: Operand, /) -> None:
        """pminuw x:X,X/m128"""
    def pmovmskb(self, dst: Reg, src: Reg, /) -> None:
        """pmovmskb r32,X"""
    def pmovsxbd(self, dst: Reg, src: Operand, /) -> None:
        """pmovsxbd X,X/m32"""
    def pmovsxbq(self, dst: Reg, src: Operand, /) -> None:
        """pmovsxbq X,X/m16"""
    def pmovsxbw(self, dst: Reg, src: Operand, /) -> None:
        """pmovsxbw X,X/m64"""
    def pmovsxdq(self, dst: Reg, src: Operand, /) -> None:
        """pmovsxdq X,X/m64"""
    def pmovsxwd(self, dst: Reg, src: Operand, /) -> None:
        """pmovsxwd X,X/m64"""
    def pmovsxwq(self, dst: Reg, src: Operand, /) -> None:
        """pmovsxwq X,X/m32"""
    def pmovzxbd(self, dst: Reg, src: Operand, /) -> None:
        """pmovzxbd X,X/m32"""
    def pmovzxbq(self, dst: Reg, src: Operand, /) -> None:
        """pmovzxbq X,X/m16"""
    def pmovzxbw(self, dst: Reg, src: Operand, /) -> None:
        """pmovzxbw X,X/m64"""
    def pmovzxdq(self, dst: Reg, src: Operand, /) -> None:
        """pmovzxdq X,X/m64"""
    def pmovzxwd(self, dst: Reg, src: Operand, /) -> None:
        """pmovzxwd X,X/m64"""
    def pmovzxwq(self, dst: Reg, src: Operand, /) -> None:
        """pmovzxwq X,X/m32"""
    def pmuldq(self, dst: Reg, src: Operand, /) -> None:
        """pmuldq x:X,X/m128"""
    def pmulhrsw(self, dst: Reg, src: Operand, /) -> None:
        """pmulhrsw x:X,X/m128"""
    def pmulhuw(self, dst: Reg, src: Operand, /) -> None:
        """pmulhuw x:X,X/m128"""
    def pmulhw(self, dst: Reg, src: Operand, /) -> None:
        """pmulhw x:X,X/m128"""
    def pmulld(self, dst: Reg, src: Operand, /) -> None:
        """pmulld x:X,X/m128"""
    def pmullw(self, dst: Reg, src: Operand, /) -> None:
        """pmullw x:X,X/m128"""
    def pmuludq(self, dst: Reg, src: Operand, /) -> None:
        """pmuludq x:X,X/m128"""
    def pop(self, dst: Operand, /) -> None:
        """pop r64 | m64"""
    def popcnt(self, dst: Reg, src: Operand, /) -> None:
        """popcnt Rv,Rv/Mv"""
    def popfq(self) -> None:
        """popfq """
    def por(self, dst: Reg, src: Operand, /) -> None:
        """por x:X,X/m128"""
    def prefetchnta(self, src: Mem, /) -> None:
        """prefetchnta r:m8"""
    def prefetchrst2(self, src: Mem, /) -> None:
        """prefetchrst2 r:m8"""
    def prefetcht0(self, src: Mem, /) -> None:
        """prefetcht0 r:m8"""
    def prefetcht1(self, src: Mem, /) -> None:
        """prefetcht1 r:m8"""
    def prefetcht2(self, src: Mem, /) -> None:
        """prefetcht2 r:m8"""
    def prefetchw(self, src: Mem, /) -> None:
        """prefetchw r:m8"""
    def prefetchwt1(self, src: Mem, /) -> None:
        """prefetchwt1 r:m8"""
    def psadbw(self, dst: Reg, src: Operand, /) -> None:
        """psadbw x:X,X/m128"""
    def pshufb(self, dst: Reg, src: Operand, /) -> None:
        """pshufb x:X,X/m128"""
    def pshufd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pshufd X,X/m128,u8"""
    def pshufhw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pshufhw X,X/m128,u8"""
    def pshuflw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """pshuflw X,X/m128,u8"""
    def psignb(self, dst: Reg, src: Operand, /) -> None:
        """psignb x:X,X/m128"""
    def psignd(self, dst: Reg, src: Operand, /) -> None:
        """psignd x:X,X/m128"""
    def psignw(self, dst: Reg, src: Operand, /) -> None:
        """psignw x:X,X/m128"""
    def pslld(self, dst: Reg, src: Operand, /) -> None:
        """pslld x:X,u8 | x:X,X/m128"""
    def pslldq(self, dst: Reg, imm: int, /) -> None:
        """pslldq x:X,u8"""
    def psllq(self, dst: Reg, src: Operand, /) -> None:
        """psllq x:X,u8 | x:X,X/m128"""
    def psllw(self, dst: Reg, src: Operand, /) -> None:
        """psllw x:X,u8 | x:X,X/m128"""
    def psrad(self, dst: Reg, src: Operand, /) -> None:
        """psrad x:X,u8 | x:X,X/m128"""
    def psraw(self, dst: Reg, src: Operand, /) -> None:
        """psraw x:X,u8 | x:X,X/m128"""
    def psrld(self, dst: Reg, src: Operand, /) -> None:
        """psrld x:X,u8 | x:X,X/m128"""
    def psrldq(self, dst: Reg, imm: int, /) -> None:
        """psrldq x:X,u8"""
    def psrlq(self, dst: Reg, src: Operand, /) -> None:
        """psrlq x:X,u8 | x:X,X/m128"""
    def psrlw(self, dst: Reg, src: Operand, /) -> None:
        """psrlw x:X,u8 | x:X,X/m128"""
    def psubb(self, dst: Reg, src: Operand, /) -> None:
        """psubb x:X,X/m128"""
    def psubd(self, dst: Reg, src: Operand, /) -> None:
        """psubd x:X,X/m128"""
    def psubq(self, dst: Reg, src: Operand, /) -> None:
        """psubq x:X,X/m128"""
    def psubsb(self, dst: Reg, src: Operand, /) -> None:
        """psubsb x:X,X/m128"""
    def psubsw(self, dst: Reg, src: Operand, /) -> None:
        """psubsw x:X,X/m128"""
    def psubusb(self, dst: Reg, src: Operand, /) -> None:
        """psubusb x:X,X/m128"""
    def psubusw(self, dst: Reg, src: Operand, /) -> None:
        """psubusw x:X,X/m128"""
    def psubw(self, dst: Reg, src: Operand, /) -> None:
        """psubw x:X,X/m128"""
    def ptest(self, src: Reg, src2: Operand, /) -> None:
        """ptest r:X,X/m128"""
    def punpckhbw(self, dst: Reg, src: Operand, /) -> None:
        """punpckhbw x:X,X/m128"""
    def punpckhdq(self, dst: Reg, src: Operand, /) -> None:
        """punpckhdq x:X,X/m128"""
    def punpckhqdq(self, dst: Reg, src: Operand, /) -> None:
        """punpckhqdq x:X,X/m128"""
    def punpckhwd(self, dst: Reg, src: Operand, /) -> None:
        """punpckhwd x:X,X/m128"""
    def punpcklbw(self, dst: Reg, src: Operand, /) -> None:
        """punpcklbw x:X,X/m128"""
    def punpckldq(self, dst: Reg, src: Operand, /) -> None:
        """punpckldq x:X,X/m128"""
    def punpcklqdq(self, dst: Reg, src: Operand, /) -> None:
        """punpcklqdq x:X,X/m128"""
    def punpcklwd(self, dst: Reg, src: Operand, /) -> None:
        """punpcklwd x:X,X/m128"""
    def push(self, src: Operand, /) -> None:
        """push r:r64 | r:i8 | r:i32 | r:m64"""
    def pushfq(self) -> None:
        """pushfq """
    def pxor(self, dst: Reg, src: Operand, /) -> None:
        """pxor x:X,X/m128"""
    def rcl(self, dst: Operand, src: Operand, /) -> None:
        """rcl x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def rcpps(self, dst: Reg, src: Operand, /) -> None:
        """rcpps X,X/m128"""
    def rcpss(self, dst: Reg, src: Operand, /) -> None:
        """rcpss x:X,X/m32"""
    def rcr(self, dst: Operand, src: Operand, /) -> None:
        """rcr x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def rdfsbase(self, dst: Reg, /) -> None:
        """rdfsbase Ry"""
    def rdgsbase(self, dst: Reg, /) -> None:
        """rdgsbase Ry"""
    def rdpid(self, dst: Reg, /) -> None:
        """rdpid r64"""
    def rdpmc(self) -> None:
        """rdpmc """
    def rdrand(self, dst: Reg, /) -> None:
        """rdrand Rv"""
    def rdseed(self, dst: Reg, /) -> None:
        """rdseed Rv"""
    def rdsspd(self, dst: Reg, /) -> None:
        """rdsspd x:r32"""
    def rdsspq(self, dst: Reg, /) -> None:
        """rdsspq x:r64"""
    def rdtsc(self) -> None:
        """rdtsc """
    def rdtscp(self) -> None:
        """rdtscp """
    def rep_lodsb(self) -> None:
        """rep lodsb """
    def rep_lodsd(self) -> None:
        """rep lodsd """
    def rep_lodsq(self) -> None:
        """rep lodsq """
    def rep_lodsw(self) -> None:
        """rep lodsw """
    def rep_movsb(self) -> None:
        """rep movsb """
    def rep_movsd(self) -> None:
        """rep movsd """
    def rep_movsq(self) -> None:
        """rep movsq """
    def rep_movsw(self) -> None:
        """rep movsw """
    def rep_stosb(self) -> None:
        """rep stosb """
    def rep_stosd(self) -> None:
        """rep stosd """
    def rep_stosq(self) -> None:
        """rep stosq """
    def rep_stosw(self) -> None:
        """rep stosw """
    def repe_cmpsb(self) -> None:
        """repe cmpsb """
    def repe_cmpsd(self) -> None:
        """repe cmpsd """
    def repe_cmpsq(self) -> None:
        """repe cmpsq """
    def repe_cmpsw(self) -> None:
        """repe cmpsw """
    def repe_scasb(self) -> None:
        """repe scasb """
    def repe_scasd(self) -> None:
        """repe scasd """
    def repe_scasq(self) -> None:
        """repe scasq """
    def repe_scasw(self) -> None:
        """repe scasw """
    def repne_cmpsb(self) -> None:
        """repne cmpsb """
    def repne_cmpsd(self) -> None:
        """repne cmpsd """
    def repne_cmpsq(self) -> None:
        """repne cmpsq """
    def repne_cmpsw(self) -> None:
        """repne cmpsw """
    def repne_scasb(self) -> None:
        """repne scasb """
    def repne_scasd(self) -> None:
        """repne scasd """
    def repne_scasq(self) -> None:
        """repne scasq """
    def repne_scasw(self) -> None:
        """repne scasw """
    @overload
    def ret(self) -> None:
        """ret  | r:u16"""
    @overload
    def ret(self, imm: int, /) -> None:
        """ret  | r:u16"""
    def rol(self, dst: Operand, src: Operand, /) -> None:
        """rol x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def ror(self, dst: Operand, src: Operand, /) -> None:
        """ror x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def rorx(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """rorx Ry,Ry/My,u8"""
    def roundpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """roundpd X,X/m128,u8"""
    def roundps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """roundps X,X/m128,u8"""
    def roundsd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """roundsd x:X,X/m64,u8"""
    def roundss(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """roundss x:X,X/m32,u8"""
    def rsqrtps(self, dst: Reg, src: Operand, /) -> None:
        """rsqrtps X,X/m128"""
    def rsqrtss(self, dst: Reg, src: Operand, /) -> None:
        """rsqrtss x:X,X/m32"""
    def sahf(self) -> None:
        """sahf """
    def sal(self, dst: Operand, src: Operand, /) -> None:
        """sal x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def sar(self, dst: Operand, src: Operand, /) -> None:
        """sar x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def sarx(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """sarx Ry,Ry/My,Ry"""
    def saveprevssp(self) -> None:
        """saveprevssp """
    def sbb(self, dst: Operand, src: Operand, /) -> None:
        """sbb x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def scasb(self) -> None:
        """scasb """
    def scasd(self) -> None:
        """scasd """
    def scasq(self) -> None:
        """scasq """
    def scasw(self) -> None:
        """scasw """
    def serialize(self) -> None:
        """serialize """
    def seta(self, dst: Operand, /) -> None:
        """seta r8/m8"""
    def setae(self, dst: Operand, /) -> None:
        """setae r8/m8"""
    def setb(self, dst: Operand, /) -> None:
        """setb r8/m8"""
    def setbe(self, dst: Operand, /) -> None:
        """setbe r8/m8"""
    def setc(self, dst: Operand, /) -> None:
        """setc r8/m8"""
    def sete(self, dst: Operand, /) -> None:
        """sete r8/m8"""
    def setg(self, dst: Operand, /) -> None:
        """setg r8/m8"""
    def setge(self, dst: Operand, /) -> None:
        """setge r8/m8"""
    def setl(self, dst: Operand, /) -> None:
        """setl r8/m8"""
    def setle(self, dst: Operand, /) -> None:
        """setle r8/m8"""
    def setna(self, dst: Operand, /) -> None:
        """setna r8/m8"""
    def setnae(self, dst: Operand, /) -> None:
        """setnae r8/m8"""
    def setnb(self, dst: Operand, /) -> None:
        """setnb r8/m8"""
    def setnbe(self, dst: Operand, /) -> None:
        """setnbe r8/m8"""
    def setnc(self, dst: Operand, /) -> None:
        """setnc r8/m8"""
    def setne(self, dst: Operand, /) -> None:
        """setne r8/m8"""
    def setng(self, dst: Operand, /) -> None:
        """setng r8/m8"""
    def setnge(self, dst: Operand, /) -> None:
        """setnge r8/m8"""
    def setnl(self, dst: Operand, /) -> None:
        """setnl r8/m8"""
    def setnle(self, dst: Operand, /) -> None:
        """setnle r8/m8"""
    def setno(self, dst: Operand, /) -> None:
        """setno r8/m8"""
    def setnp(self, dst: Operand, /) -> None:
        """setnp r8/m8"""
    def setns(self, dst: Operand, /) -> None:
        """setns r8/m8"""
    def setnz(self, dst: Operand, /) -> None:
        """setnz r8/m8"""
    def seto(self, dst: Operand, /) -> None:
        """seto r8/m8"""
    def setp(self, dst: Operand, /) -> None:
        """setp r8/m8"""
    def setpe(self, dst: Operand, /) -> None:
        """setpe r8/m8"""
    def setpo(self, dst: Operand, /) -> None:
        """setpo r8/m8"""
    def sets(self, dst: Operand, /) -> None:
        """sets r8/m8"""
    def setz(self, dst: Operand, /) -> None:
        """setz r8/m8"""
    def sfence(self) -> None:
        """sfence """
    def sha1msg1(self, dst: Reg, src: Operand, /) -> None:
        """sha1msg1 x:X,X/m128"""
    def sha1msg2(self, dst: Reg, src: Operand, /) -> None:
        """sha1msg2 x:X,X/m128"""
    def sha1nexte(self, dst: Reg, src: Operand, /) -> None:
        """sha1nexte x:X,X/m128"""
    def sha1rnds4(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """sha1rnds4 x:X,X/m128,u8"""
    def sha256msg1(self, dst: Reg, src: Operand, /) -> None:
        """sha256msg1 x:X,X/m128"""
    def sha256msg2(self, dst: Reg, src: Operand, /) -> None:
        """sha256msg2 x:X,X/m128"""
    def sha256rnds2(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """sha256rnds2 x:X,X/m128,xmm0"""
    def shl(self, dst: Operand, src: Operand, /) -> None:
        """shl x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def shld(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """shld x:Rv/Mv,Rv,u8 | x:Rv/Mv,Rv,cl"""
    def shlx(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """shlx Ry,Ry/My,Ry"""
    def shr(self, dst: Operand, src: Operand, /) -> None:
        """shr x:Rv/Mv,1 | x:Rv/Mv,u8 | x:Rv/Mv,cl | x:r8/m8,1 | x:r8/m8,u8 | x:r8/m8,cl"""
    def shrd(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """shrd x:Rv/Mv,Rv,u8 | x:Rv/Mv,Rv,cl"""
    def shrx(self, dst: Reg, src: Operand, src2: Reg, /) -> None:
        """shrx Ry,Ry/My,Ry"""
    def shufpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """shufpd x:X,X/m128,u8"""
    def shufps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """shufps x:X,X/m128,u8"""
    def sqrtpd(self, dst: Reg, src: Operand, /) -> None:
        """sqrtpd X,X/m128"""
    def sqrtps(self, dst: Reg, src: Operand, /) -> None:
        """sqrtps X,X/m128"""
    def sqrtsd(self, dst: Reg, src: Operand, /) -> None:
        """sqrtsd x:X,X/m64"""
    def sqrtss(self, dst: Reg, src: Operand, /) -> None:
        """sqrtss x:X,X/m32"""
    def stc(self) -> None:
        """stc """
    def std(self) -> None:
        """std """
    def stmxcsr(self, dst: Mem, /) -> None:
        """stmxcsr m32"""
    def stosb(self) -> None:
        """stosb """
    def stosd(self) -> None:
        """stosd """
    def stosq(self) -> None:
        """stosq """
    def stosw(self) -> None:
        """stosw """
    def sttilecfg(self, dst: Mem, /) -> None:
        """sttilecfg m"""
    def sub(self, dst: Operand, src: Operand, /) -> None:
        """sub x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def subpd(self, dst: Reg, src: Operand, /) -> None:
        """subpd x:X,X/m128"""
    def subps(self, dst: Reg, src: Operand, /) -> None:
        """subps x:X,X/m128"""
    def subsd(self, dst: Reg, src: Operand, /) -> None:
        """subsd x:X,X/m64"""
    def subss(self, dst: Reg, src: Operand, /) -> None:
        """subss x:X,X/m32"""
    def syscall(self) -> None:
        """syscall """
    def tcmmimfp16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tcmmimfp16ps x:T{ne},T{ne},T"""
    def tcmmrlfp16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tcmmrlfp16ps x:T{ne},T{ne},T"""
    def tcvtrowd2ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """tcvtrowd2ps Z,T,r32 | Z,T,u8"""
    def tcvtrowps2bf16h(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """tcvtrowps2bf16h Z,T,r32 | Z,T,u8"""
    def tcvtrowps2bf16l(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """tcvtrowps2bf16l Z,T,r32 | Z,T,u8"""
    def tcvtrowps2phh(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """tcvtrowps2phh Z,T,r32 | Z,T,u8"""
    def tcvtrowps2phl(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """tcvtrowps2phl Z,T,r32 | Z,T,u8"""
    def tdpbf16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpbf16ps x:T{ne},T{ne},T"""
    def tdpbf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpbf8ps x:T{ne},T{ne},T"""
    def tdpbhf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpbhf8ps x:T{ne},T{ne},T"""
    def tdpbssd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpbssd x:T{ne},T{ne},T"""
    def tdpbsud(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpbsud x:T{ne},T{ne},T"""
    def tdpbusd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpbusd x:T{ne},T{ne},T"""
    def tdpbuud(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpbuud x:T{ne},T{ne},T"""
    def tdpfp16ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdpfp16ps x:T{ne},T{ne},T"""
    def tdphbf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdphbf8ps x:T{ne},T{ne},T"""
    def tdphf8ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tdphf8ps x:T{ne},T{ne},T"""
    def test(self, src: Operand, src2: Operand, /) -> None:
        """test r:Rv/Mv,Rv | r:r8/m8,r8 | r:rax,i32 | r:eax,i32 | r:ax,i16 | r:al,u8 | r:Rv/Mv,iv | r:r8/m8,u8"""
    def tileloadd(self, dst: Reg, src: Mem, /) -> None:
        """tileloadd T,sib"""
    def tileloaddrs(self, dst: Reg, src: Mem, /) -> None:
        """tileloaddrs T,sib"""
    def tileloaddrst1(self, dst: Reg, src: Mem, /) -> None:
        """tileloaddrst1 T,sib"""
    def tileloaddt1(self, dst: Reg, src: Mem, /) -> None:
        """tileloaddt1 T,sib"""
    def tilemovrow(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """tilemovrow Z,T,r32 | Z,T,u8"""
    def tilerelease(self) -> None:
        """tilerelease """
    def tilestored(self, dst: Mem, src: Reg, /) -> None:
        """tilestored sib,T"""
    def tilezero(self, dst: Reg, /) -> None:
        """tilezero T"""
    def tmmultf32ps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """tmmultf32ps x:T{ne},T{ne},T"""
    def tpause(self, src: Reg, /) -> None:
        """tpause r:r32"""
    def tzcnt(self, dst: Reg, src: Operand, /) -> None:
        """tzcnt Rv,Rv/Mv"""
    def ucomisd(self, src: Reg, src2: Operand, /) -> None:
        """ucomisd r:X,X/m64"""
    def ucomiss(self, src: Reg, src2: Operand, /) -> None:
        """ucomiss r:X,X/m32"""
    def ud2(self) -> None:
        """ud2 """
    def umonitor(self, src: Reg, /) -> None:
        """umonitor r:r64"""
    def umwait(self, src: Reg, /) -> None:
        """umwait r:r32"""
    def unpckhpd(self, dst: Reg, src: Operand, /) -> None:
        """unpckhpd x:X,X/m128"""
    def unpckhps(self, dst: Reg, src: Operand, /) -> None:
        """unpckhps x:X,X/m128"""
    def unpcklpd(self, dst: Reg, src: Operand, /) -> None:
        """unpcklpd x:X,X/m128"""
    def unpcklps(self, dst: Reg, src: Operand, /) -> None:
        """unpcklps x:X,X/m128"""
    def vaddbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vaddbf16 V{kz},V,V/M/b16"""
    def vaddpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vaddpd V{kz},V,V/M/b64{er}"""
    def vaddph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vaddph V{kz},V,V/M/b16{er}"""
    def vaddps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vaddps V{kz},V,V/M/b32{er}"""
    def vaddsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vaddsd X{kz},X,X/m64{er}"""
    def vaddsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vaddsh X{kz},X,X/m16{er}"""
    def vaddss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vaddss X{kz},X,X/m32{er}"""
    def vaddsubpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vaddsubpd V,V,V/M"""
    def vaddsubps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vaddsubps V,V,V/M"""
    def vaesdec(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vaesdec V,V,V/M"""
    def vaesdeclast(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vaesdeclast V,V,V/M"""
    def vaesenc(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vaesenc V,V,V/M"""
    def vaesenclast(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vaesenclast V,V,V/M"""
    def vaesimc(self, dst: Reg, src: Operand, /) -> None:
        """vaesimc X,X/m128"""
    def vaeskeygenassist(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vaeskeygenassist X,X/m128,u8"""
    def valignd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """valignd V{kz},V,V/M/b32,u8"""
    def valignq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """valignq V{kz},V,V/M/b64,u8"""
    def vandnpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vandnpd V{kz},V,V/M/b64"""
    def vandnps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vandnps V{kz},V,V/M/b32"""
    def vandpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vandpd V{kz},V,V/M/b64"""
    def vandps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vandps V{kz},V,V/M/b32"""
    def vbcstnebf162ps(self, dst: Reg, src: Mem, /) -> None:
        """vbcstnebf162ps V,m16"""
    def vbcstnesh2ps(self, dst: Reg, src: Mem, /) -> None:
        """vbcstnesh2ps V,m16"""
    def vblendmpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vblendmpd V{kz},V,V/M/b64"""
    def vblendmps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vblendmps V{kz},V,V/M/b32"""
    def vblendpd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vblendpd V,V,V/M,u8"""
    def vblendps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vblendps V,V,V/M,u8"""
    def vblendvpd(self, dst: Reg, src: Reg, src2: Operand, src3: Reg, /) -> None:
        """vblendvpd V,V,V/M,V"""
    def vblendvps(self, dst: Reg, src: Reg, src2: Operand, src3: Reg, /) -> None:
        """vblendvps V,V,V/M,V"""
    def vbroadcastf128(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcastf128 Y,m128"""
    def vbroadcastf32x2(self, dst: Reg, src: Operand, /) -> None:
        """vbroadcastf32x2 V{kz},X/m64"""
    def vbroadcastf32x4(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcastf32x4 V{kz},m128"""
    def vbroadcastf32x8(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcastf32x8 Z{kz},m256"""
    def vbroadcastf64x2(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcastf64x2 V{kz},m128"""
    def vbroadcastf64x4(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcastf64x4 Z{kz},m256"""
    def vbroadcasti128(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcasti128 Y,m128"""
    def vbroadcasti32x2(self, dst: Reg, src: Operand, /) -> None:
        """vbroadcasti32x2 V{kz},X/m64"""
    def vbroadcasti32x4(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcasti32x4 V{kz},m128"""
    def vbroadcasti32x8(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcasti32x8 Z{kz},m256"""
    def vbroadcasti64x2(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcasti64x2 V{kz},m128"""
    def vbroadcasti64x4(self, dst: Reg, src: Mem, /) -> None:
        """vbroadcasti64x4 Z{kz},m256"""
    def vbroadcastsd(self, dst: Reg, src: Operand, /) -> None:
        """vbroadcastsd Y,X | Y,m64 | V{kz},X/m64"""
    def vbroadcastss(self, dst: Reg, src: Operand, /) -> None:
        """vbroadcastss V,X | V,m32 | V{kz},X/m32"""
    def vcmpbf16(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vcmpbf16 K{k},V,V/M/b16,u8"""
    def vcmppd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vcmppd V,V,V/M,u8 | K{k},V,V/M/b64{sae},u8"""
    def vcmpph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vcmpph K{k},V,V/M/b16{sae},u8"""
    def vcmpps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vcmpps V,V,V/M,u8 | K{k},V,V/M/b32{sae},u8"""
    def vcmpsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vcmpsd X,X,X/m64,u8 | K{k},X,X/m64{sae},u8"""
    def vcmpsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vcmpsh K{k},X,X/m16{sae},u8"""
    def vcmpss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vcmpss X,X,X/m32,u8 | K{k},X,X/m32{sae},u8"""
    def vcomisbf16(self, src: Reg, src2: Operand, /) -> None:
        """vcomisbf16 r:X,X/m16"""
    def vcomisd(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcomisd r:X,X/m64{sae}"""
    def vcomish(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcomish r:X,X/m16{sae}"""
    def vcomiss(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcomiss r:X,X/m32{sae}"""
    def vcompresspd(self, dst: Operand, src: Reg, /) -> None:
        """vcompresspd V{kz},V | M{k},V"""
    def vcompressps(self, dst: Operand, src: Reg, /) -> None:
        """vcompressps V{kz},V | M{k},V"""
    def vcomxsd(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcomxsd r:X,X/m64{sae}"""
    def vcomxsh(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcomxsh r:X,X/m16{sae}"""
    def vcomxss(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcomxss r:X,X/m32{sae}"""
    def vcvt2ph2bf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvt2ph2bf8 V{kz},V,V/M/b16"""
    def vcvt2ph2bf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvt2ph2bf8s V{kz},V,V/M/b16"""
    def vcvt2ph2hf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvt2ph2hf8 V{kz},V,V/M/b16"""
    def vcvt2ph2hf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvt2ph2hf8s V{kz},V,V/M/b16"""
    def vcvt2ps2phx(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvt2ps2phx V{kz},V,V/M/b32{er}"""
    def vcvtbf162ibs(self, dst: Reg, src: Operand, /) -> None:
        """vcvtbf162ibs V{kz},V/M/b16"""
    def vcvtbf162iubs(self, dst: Reg, src: Operand, /) -> None:
        """vcvtbf162iubs V{kz},V/M/b16"""
    def vcvtbiasph2bf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvtbiasph2bf8 H{kz},V,V/M/b16"""
    def vcvtbiasph2bf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvtbiasph2bf8s H{kz},V,V/M/b16"""
    def vcvtbiasph2hf8(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvtbiasph2hf8 H{kz},V,V/M/b16"""
    def vcvtbiasph2hf8s(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvtbiasph2hf8s H{kz},V,V/M/b16"""
    def vcvtdq2pd(self, dst: Reg, src: Operand, /) -> None:
        """vcvtdq2pd V{kz},H/MH/b32"""
    def vcvtdq2ph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtdq2ph H{kz},V/M/b32{er}"""
    def vcvtdq2ps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtdq2ps V{kz},V/M/b32{er}"""
    def vcvthf82ph(self, dst: Reg, src: Operand, /) -> None:
        """vcvthf82ph V{kz},H/MH"""
    def vcvtne2ps2bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vcvtne2ps2bf16 V{kz},V,V/M/b32"""
    def vcvtneebf162ps(self, dst: Reg, src: Mem, /) -> None:
        """vcvtneebf162ps V,M"""
    def vcvtneeph2ps(self, dst: Reg, src: Mem, /) -> None:
        """vcvtneeph2ps V,M"""
    def vcvtneobf162ps(self, dst: Reg, src: Mem, /) -> None:
        """vcvtneobf162ps V,M"""
    def vcvtneoph2ps(self, dst: Reg, src: Mem, /) -> None:
        """vcvtneoph2ps V,M"""
    def vcvtneps2bf16(self, dst: Reg, src: Operand, /) -> None:
        """vcvtneps2bf16 H{kz},V/M/b32"""
    def vcvtpd2dq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtpd2dq H{kz},V/M/b64{er}"""
    def vcvtpd2ph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtpd2ph X{kz},V/M/b64{er}"""
    def vcvtpd2ps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtpd2ps H{kz},V/M/b64{er}"""
    def vcvtpd2qq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtpd2qq V{kz},V/M/b64{er}"""
    def vcvtpd2udq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtpd2udq H{kz},V/M/b64{er}"""
    def vcvtpd2uqq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtpd2uqq V{kz},V/M/b64{er}"""
    def vcvtph2bf8(self, dst: Reg, src: Operand, /) -> None:
        """vcvtph2bf8 H{kz},V/M/b16"""
    def vcvtph2bf8s(self, dst: Reg, src: Operand, /) -> None:
        """vcvtph2bf8s H{kz},V/M/b16"""
    def vcvtph2dq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2dq V{kz},H/MH/b16{er}"""
    def vcvtph2hf8(self, dst: Reg, src: Operand, /) -> None:
        """vcvtph2hf8 H{kz},V/M/b16"""
    def vcvtph2hf8s(self, dst: Reg, src: Operand, /) -> None:
        """vcvtph2hf8s H{kz},V/M/b16"""
    def vcvtph2ibs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2ibs V{kz},V/M/b16{er}"""
    def vcvtph2iubs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2iubs V{kz},V/M/b16{er}"""
    def vcvtph2pd(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2pd V{kz},X/MQ/b16{sae}"""
    def vcvtph2ps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2ps V{kz},H/MH{sae}"""
    def vcvtph2psx(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2psx V{kz},H/MH/b16{sae}"""
    def vcvtph2qq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2qq V{kz},X/MQ/b16{er}"""
    def vcvtph2udq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2udq V{kz},H/MH/b16{er}"""
    def vcvtph2uqq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2uqq V{kz},X/MQ/b16{er}"""
    def vcvtph2uw(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2uw V{kz},V/M/b16{er}"""
    def vcvtph2w(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtph2w V{kz},V/M/b16{er}"""
    def vcvtps2dq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2dq V{kz},V/M/b32{er}"""
    def vcvtps2ibs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2ibs V{kz},V/M/b32{er}"""
    def vcvtps2iubs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2iubs V{kz},V/M/b32{er}"""
    def vcvtps2pd(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2pd V{kz},H/MH/b32{sae}"""
    def vcvtps2ph(self, dst: Operand, src: Reg, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vcvtps2ph X/MH,V,u8 | H{kz},V{sae},u8 | MH{k},V,u8"""
    def vcvtps2phx(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2phx H{kz},V/M/b32{er}"""
    def vcvtps2qq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2qq V{kz},H/MH/b32{er}"""
    def vcvtps2udq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2udq V{kz},V/M/b32{er}"""
    def vcvtps2uqq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtps2uqq V{kz},H/MH/b32{er}"""
    def vcvtqq2pd(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtqq2pd V{kz},V/M/b64{er}"""
    def vcvtqq2ph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtqq2ph X{kz},V/M/b64{er}"""
    def vcvtqq2ps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtqq2ps H{kz},V/M/b64{er}"""
    def vcvtsd2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsd2sh X{kz},X,X/m64{er}"""
    def vcvtsd2si(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsd2si Ry,X/m64{er}"""
    def vcvtsd2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsd2ss X{kz},X,X/m64{er}"""
    def vcvtsd2usi(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsd2usi Ry,X/m64{er}"""
    def vcvtsh2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsh2sd X{kz},X,X/m16{sae}"""
    def vcvtsh2si(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsh2si Ry,X/m16{er}"""
    def vcvtsh2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsh2ss X{kz},X,X/m16{sae}"""
    def vcvtsh2usi(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsh2usi Ry,X/m16{er}"""
    def vcvtsi2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsi2sd X,X,Ry/My | X,X,r32/m32 | X,X,r64/m64{er}"""
    def vcvtsi2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsi2sh X,X,Ry/My{er}"""
    def vcvtsi2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtsi2ss X,X,Ry/My{er}"""
    def vcvtss2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtss2sd X{kz},X,X/m32{sae}"""
    def vcvtss2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtss2sh X{kz},X,X/m32{er}"""
    def vcvtss2si(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtss2si Ry,X/m32{er}"""
    def vcvtss2usi(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtss2usi Ry,X/m32{er}"""
    def vcvttbf162ibs(self, dst: Reg, src: Operand, /) -> None:
        """vcvttbf162ibs V{kz},V/M/b16"""
    def vcvttbf162iubs(self, dst: Reg, src: Operand, /) -> None:
        """vcvttbf162iubs V{kz},V/M/b16"""
    def vcvttpd2dq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2dq H{kz},V/M/b64{sae}"""
    def vcvttpd2dqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2dqs H{kz},V/M/b64{sae}"""
    def vcvttpd2qq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2qq V{kz},V/M/b64{sae}"""
    def vcvttpd2qqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2qqs V{kz},V/M/b64{sae}"""
    def vcvttpd2udq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2udq H{kz},V/M/b64{sae}"""
    def vcvttpd2udqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2udqs H{kz},V/M/b64{sae}"""
    def vcvttpd2uqq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2uqq V{kz},V/M/b64{sae}"""
    def vcvttpd2uqqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttpd2uqqs V{kz},V/M/b64{sae}"""
    def vcvttph2dq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2dq V{kz},H/MH/b16{sae}"""
    def vcvttph2ibs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2ibs V{kz},V/M/b16{sae}"""
    def vcvttph2iubs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2iubs V{kz},V/M/b16{sae}"""
    def vcvttph2qq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2qq V{kz},X/MQ/b16{sae}"""
    def vcvttph2udq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2udq V{kz},H/MH/b16{sae}"""
    def vcvttph2uqq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2uqq V{kz},X/MQ/b16{sae}"""
    def vcvttph2uw(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2uw V{kz},V/M/b16{sae}"""
    def vcvttph2w(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttph2w V{kz},V/M/b16{sae}"""
    def vcvttps2dq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2dq V{kz},V/M/b32{sae}"""
    def vcvttps2dqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2dqs V{kz},V/M/b32{sae}"""
    def vcvttps2ibs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2ibs V{kz},V/M/b32{sae}"""
    def vcvttps2iubs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2iubs V{kz},V/M/b32{sae}"""
    def vcvttps2qq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2qq V{kz},H/MH/b32{sae}"""
    def vcvttps2qqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2qqs V{kz},H/MH/b32{sae}"""
    def vcvttps2udq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2udq V{kz},V/M/b32{sae}"""
    def vcvttps2udqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2udqs V{kz},V/M/b32{sae}"""
    def vcvttps2uqq(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2uqq V{kz},H/MH/b32{sae}"""
    def vcvttps2uqqs(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttps2uqqs V{kz},H/MH/b32{sae}"""
    def vcvttsd2si(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttsd2si Ry,X/m64{sae}"""
    def vcvttsd2sis(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttsd2sis Ry,X/m64{sae}"""
    def vcvttsd2usi(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttsd2usi Ry,X/m64{sae}"""
    def vcvttsd2usis(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttsd2usis Ry,X/m64{sae}"""
    def vcvttsh2si(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttsh2si Ry,X/m16{sae}"""
    def vcvttsh2usi(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttsh2usi Ry,X/m16{sae}"""
    def vcvttss2si(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttss2si Ry,X/m32{sae}"""
    def vcvttss2sis(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttss2sis Ry,X/m32{sae}"""
    def vcvttss2usi(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttss2usi Ry,X/m32{sae}"""
    def vcvttss2usis(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvttss2usis Ry,X/m32{sae}"""
    def vcvtudq2pd(self, dst: Reg, src: Operand, /) -> None:
        """vcvtudq2pd V{kz},H/MH/b32"""
    def vcvtudq2ph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtudq2ph H{kz},V/M/b32{er}"""
    def vcvtudq2ps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtudq2ps V{kz},V/M/b32{er}"""
    def vcvtuqq2pd(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtuqq2pd V{kz},V/M/b64{er}"""
    def vcvtuqq2ph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtuqq2ph X{kz},V/M/b64{er}"""
    def vcvtuqq2ps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtuqq2ps H{kz},V/M/b64{er}"""
    def vcvtusi2sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtusi2sd X,X,r32/m32 | X,X,r64/m64{er}"""
    def vcvtusi2sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtusi2sh X,X,Ry/My{er}"""
    def vcvtusi2ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtusi2ss X,X,Ry/My{er}"""
    def vcvtuw2ph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtuw2ph V{kz},V/M/b16{er}"""
    def vcvtw2ph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vcvtw2ph V{kz},V/M/b16{er}"""
    def vdbpsadbw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vdbpsadbw V{kz},V,V/M,u8"""
    def vdivbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vdivbf16 V{kz},V,V/M/b16"""
    def vdivpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vdivpd V{kz},V,V/M/b64{er}"""
    def vdivph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vdivph V{kz},V,V/M/b16{er}"""
    def vdivps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vdivps V{kz},V,V/M/b32{er}"""
    def vdivsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vdivsd X{kz},X,X/m64{er}"""
    def vdivsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vdivsh X{kz},X,X/m16{er}"""
    def vdivss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vdivss X{kz},X,X/m32{er}"""
    def vdpbf16ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vdpbf16ps x:V{kz},V,V/M/b32"""
    def vdppd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vdppd X,X,X/m128,u8"""
    def vdpphps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vdpphps x:V{kz},V,V/M/b32"""
    def vdpps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vdpps V,V,V/M,u8"""
    def vexpandpd(self, dst: Reg, src: Operand, /) -> None:
        """vexpandpd V{kz},V | V{kz},M"""
    def vexpandps(self, dst: Reg, src: Operand, /) -> None:
        """vexpandps V{kz},V | V{kz},M"""
    def vextractf128(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextractf128 X/m128,Y,u8"""
    def vextractf32x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextractf32x4 X{kz},V,u8 | m128{k},V,u8"""
    def vextractf32x8(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextractf32x8 Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextractf64x2(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextractf64x2 X{kz},V,u8 | m128{k},V,u8"""
    def vextractf64x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextractf64x4 Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextracti128(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextracti128 X/m128,Y,u8"""
    def vextracti32x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextracti32x4 X{kz},V,u8 | m128{k},V,u8"""
    def vextracti32x8(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextracti32x8 Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextracti64x2(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextracti64x2 X{kz},V,u8 | m128{k},V,u8"""
    def vextracti64x4(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextracti64x4 Y{kz},Z,u8 | m256{k},Z,u8"""
    def vextractps(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vextractps r32/m32,X,u8"""
    def vfcmaddcph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfcmaddcph x:V{kz}{ne},V,V/M/b32{er}"""
    def vfcmaddcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfcmaddcsh x:X{kz}{ne},X,X/m32{er}"""
    def vfcmulcph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfcmulcph V{kz}{ne},V,V/M/b32{er}"""
    def vfcmulcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfcmulcsh X{kz}{ne},X,X/m32{er}"""
    def vfixupimmpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vfixupimmpd x:V{kz},V,V/M/b64{sae},u8"""
    def vfixupimmps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vfixupimmps x:V{kz},V,V/M/b32{sae},u8"""
    def vfixupimmsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vfixupimmsd x:X{kz},X,X/m64{sae},u8"""
    def vfixupimmss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vfixupimmss x:X{kz},X,X/m32{sae},u8"""
    def vfmadd132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfmadd132bf16 x:V{kz},V,V/M/b16"""
    def vfmadd132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd132pd x:V{kz},V,V/M/b64{er}"""
    def vfmadd132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd132ph x:V{kz},V,V/M/b16{er}"""
    def vfmadd132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd132ps x:V{kz},V,V/M/b32{er}"""
    def vfmadd132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd132sd x:X{kz},X,X/m64{er}"""
    def vfmadd132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd132sh x:X{kz},X,X/m16{er}"""
    def vfmadd132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd132ss x:X{kz},X,X/m32{er}"""
    def vfmadd213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfmadd213bf16 x:V{kz},V,V/M/b16"""
    def vfmadd213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd213pd x:V{kz},V,V/M/b64{er}"""
    def vfmadd213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd213ph x:V{kz},V,V/M/b16{er}"""
    def vfmadd213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd213ps x:V{kz},V,V/M/b32{er}"""
    def vfmadd213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd213sd x:X{kz},X,X/m64{er}"""
    def vfmadd213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd213sh x:X{kz},X,X/m16{er}"""
    def vfmadd213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd213ss x:X{kz},X,X/m32{er}"""
    def vfmadd231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfmadd231bf16 x:V{kz},V,V/M/b16"""
    def vfmadd231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd231pd x:V{kz},V,V/M/b64{er}"""
    def vfmadd231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd231ph x:V{kz},V,V/M/b16{er}"""
    def vfmadd231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd231ps x:V{kz},V,V/M/b32{er}"""
    def vfmadd231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd231sd x:X{kz},X,X/m64{er}"""
    def vfmadd231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd231sh x:X{kz},X,X/m16{er}"""
    def vfmadd231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmadd231ss x:X{kz},X,X/m32{er}"""
    def vfmaddcph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddcph x:V{kz}{ne},V,V/M/b32{er}"""
    def vfmaddcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddcsh x:X{kz}{ne},X,X/m32{er}"""
    def vfmaddsub132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub132pd x:V{kz},V,V/M/b64{er}"""
    def vfmaddsub132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub132ph x:V{kz},V,V/M/b16{er}"""
    def vfmaddsub132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub132ps x:V{kz},V,V/M/b32{er}"""
    def vfmaddsub213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub213pd x:V{kz},V,V/M/b64{er}"""
    def vfmaddsub213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub213ph x:V{kz},V,V/M/b16{er}"""
    def vfmaddsub213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub213ps x:V{kz},V,V/M/b32{er}"""
    def vfmaddsub231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub231pd x:V{kz},V,V/M/b64{er}"""
    def vfmaddsub231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub231ph x:V{kz},V,V/M/b16{er}"""
    def vfmaddsub231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmaddsub231ps x:V{kz},V,V/M/b32{er}"""
    def vfmsub132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfmsub132bf16 x:V{kz},V,V/M/b16"""
    def vfmsub132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub132pd x:V{kz},V,V/M/b64{er}"""
    def vfmsub132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub132ph x:V{kz},V,V/M/b16{er}"""
    def vfmsub132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub132ps x:V{kz},V,V/M/b32{er}"""
    def vfmsub132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub132sd x:X{kz},X,X/m64{er}"""
    def vfmsub132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub132sh x:X{kz},X,X/m16{er}"""
    def vfmsub132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub132ss x:X{kz},X,X/m32{er}"""
    def vfmsub213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfmsub213bf16 x:V{kz},V,V/M/b16"""
    def vfmsub213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub213pd x:V{kz},V,V/M/b64{er}"""
    def vfmsub213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub213ph x:V{kz},V,V/M/b16{er}"""
    def vfmsub213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub213ps x:V{kz},V,V/M/b32{er}"""
    def vfmsub213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub213sd x:X{kz},X,X/m64{er}"""
    def vfmsub213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub213sh x:X{kz},X,X/m16{er}"""
    def vfmsub213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub213ss x:X{kz},X,X/m32{er}"""
    def vfmsub231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfmsub231bf16 x:V{kz},V,V/M/b16"""
    def vfmsub231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub231pd x:V{kz},V,V/M/b64{er}"""
    def vfmsub231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub231ph x:V{kz},V,V/M/b16{er}"""
    def vfmsub231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub231ps x:V{kz},V,V/M/b32{er}"""
    def vfmsub231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub231sd x:X{kz},X,X/m64{er}"""
    def vfmsub231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub231sh x:X{kz},X,X/m16{er}"""
    def vfmsub231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsub231ss x:X{kz},X,X/m32{er}"""
    def vfmsubadd132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd132pd x:V{kz},V,V/M/b64{er}"""
    def vfmsubadd132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd132ph x:V{kz},V,V/M/b16{er}"""
    def vfmsubadd132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd132ps x:V{kz},V,V/M/b32{er}"""
    def vfmsubadd213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd213pd x:V{kz},V,V/M/b64{er}"""
    def vfmsubadd213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd213ph x:V{kz},V,V/M/b16{er}"""
    def vfmsubadd213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd213ps x:V{kz},V,V/M/b32{er}"""
    def vfmsubadd231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd231pd x:V{kz},V,V/M/b64{er}"""
    def vfmsubadd231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd231ph x:V{kz},V,V/M/b16{er}"""
    def vfmsubadd231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmsubadd231ps x:V{kz},V,V/M/b32{er}"""
    def vfmulcph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmulcph V{kz}{ne},V,V/M/b32{er}"""
    def vfmulcsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfmulcsh X{kz}{ne},X,X/m32{er}"""
    def vfnmadd132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfnmadd132bf16 x:V{kz},V,V/M/b16"""
    def vfnmadd132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd132pd x:V{kz},V,V/M/b64{er}"""
    def vfnmadd132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd132ph x:V{kz},V,V/M/b16{er}"""
    def vfnmadd132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd132ps x:V{kz},V,V/M/b32{er}"""
    def vfnmadd132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd132sd x:X{kz},X,X/m64{er}"""
    def vfnmadd132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd132sh x:X{kz},X,X/m16{er}"""
    def vfnmadd132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd132ss x:X{kz},X,X/m32{er}"""
    def vfnmadd213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfnmadd213bf16 x:V{kz},V,V/M/b16"""
    def vfnmadd213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd213pd x:V{kz},V,V/M/b64{er}"""
    def vfnmadd213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd213ph x:V{kz},V,V/M/b16{er}"""
    def vfnmadd213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd213ps x:V{kz},V,V/M/b32{er}"""
    def vfnmadd213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd213sd x:X{kz},X,X/m64{er}"""
    def vfnmadd213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd213sh x:X{kz},X,X/m16{er}"""
    def vfnmadd213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd213ss x:X{kz},X,X/m32{er}"""
    def vfnmadd231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfnmadd231bf16 x:V{kz},V,V/M/b16"""
    def vfnmadd231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd231pd x:V{kz},V,V/M/b64{er}"""
    def vfnmadd231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd231ph x:V{kz},V,V/M/b16{er}"""
    def vfnmadd231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd231ps x:V{kz},V,V/M/b32{er}"""
    def vfnmadd231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd231sd x:X{kz},X,X/m64{er}"""
    def vfnmadd231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd231sh x:X{kz},X,X/m16{er}"""
    def vfnmadd231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmadd231ss x:X{kz},X,X/m32{er}"""
    def vfnmsub132bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfnmsub132bf16 x:V{kz},V,V/M/b16"""
    def vfnmsub132pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub132pd x:V{kz},V,V/M/b64{er}"""
    def vfnmsub132ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub132ph x:V{kz},V,V/M/b16{er}"""
    def vfnmsub132ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub132ps x:V{kz},V,V/M/b32{er}"""
    def vfnmsub132sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub132sd x:X{kz},X,X/m64{er}"""
    def vfnmsub132sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub132sh x:X{kz},X,X/m16{er}"""
    def vfnmsub132ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub132ss x:X{kz},X,X/m32{er}"""
    def vfnmsub213bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfnmsub213bf16 x:V{kz},V,V/M/b16"""
    def vfnmsub213pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub213pd x:V{kz},V,V/M/b64{er}"""
    def vfnmsub213ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub213ph x:V{kz},V,V/M/b16{er}"""
    def vfnmsub213ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub213ps x:V{kz},V,V/M/b32{er}"""
    def vfnmsub213sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub213sd x:X{kz},X,X/m64{er}"""
    def vfnmsub213sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub213sh x:X{kz},X,X/m16{er}"""
    def vfnmsub213ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub213ss x:X{kz},X,X/m32{er}"""
    def vfnmsub231bf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vfnmsub231bf16 x:V{kz},V,V/M/b16"""
    def vfnmsub231pd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub231pd x:V{kz},V,V/M/b64{er}"""
    def vfnmsub231ph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub231ph x:V{kz},V,V/M/b16{er}"""
    def vfnmsub231ps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub231ps x:V{kz},V,V/M/b32{er}"""
    def vfnmsub231sd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub231sd x:X{kz},X,X/m64{er}"""
    def vfnmsub231sh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub231sh x:X{kz},X,X/m16{er}"""
    def vfnmsub231ss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vfnmsub231ss x:X{kz},X,X/m32{er}"""
    def vfpclassbf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vfpclassbf16 K{k},V/M/b16,u8"""
    def vfpclasspd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vfpclasspd K{k},V/M/b64,u8"""
    def vfpclassph(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vfpclassph K{k},V/M/b16,u8"""
    def vfpclassps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vfpclassps K{k},V/M/b32,u8"""
    def vfpclasssd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vfpclasssd K{k},X/m64,u8"""
    def vfpclasssh(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vfpclasssh K{k},X/m16,u8"""
    def vfpclassss(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vfpclassss K{k},X/m32,u8"""
    @overload
    def vgatherdpd(self, dst: Reg, src: Mem, /) -> None:
        """vgatherdpd x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vgatherdpd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vgatherdpd x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vgatherdps(self, dst: Reg, src: Mem, /) -> None:
        """vgatherdps x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vgatherdps(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vgatherdps x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vgatherqpd(self, dst: Reg, src: Mem, /) -> None:
        """vgatherqpd x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    @overload
    def vgatherqpd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vgatherqpd x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    @overload
    def vgatherqps(self, dst: Reg, src: Mem, /) -> None:
        """vgatherqps x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    @overload
    def vgatherqps(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vgatherqps x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    def vgetexpbf16(self, dst: Reg, src: Operand, /) -> None:
        """vgetexpbf16 V{kz},V/M/b16"""
    def vgetexppd(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vgetexppd V{kz},V/M/b64{sae}"""
    def vgetexpph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vgetexpph V{kz},V/M/b16{sae}"""
    def vgetexpps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vgetexpps V{kz},V/M/b32{sae}"""
    def vgetexpsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vgetexpsd X{kz},X,X/m64{sae}"""
    def vgetexpsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vgetexpsh X{kz},X,X/m16{sae}"""
    def vgetexpss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vgetexpss X{kz},X,X/m32{sae}"""
    def vgetmantbf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vgetmantbf16 V{kz},V/M/b16,u8"""
    def vgetmantpd(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vgetmantpd V{kz},V/M/b64{sae},u8"""
    def vgetmantph(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vgetmantph V{kz},V/M/b16{sae},u8"""
    def vgetmantps(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vgetmantps V{kz},V/M/b32{sae},u8"""
    def vgetmantsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vgetmantsd X{kz},X,X/m64{sae},u8"""
    def vgetmantsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vgetmantsh X{kz},X,X/m16{sae},u8"""
    def vgetmantss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vgetmantss X{kz},X,X/m32{sae},u8"""
    def vgf2p8affineinvqb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vgf2p8affineinvqb V{kz},V,V/M/b64,u8"""
    def vgf2p8affineqb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vgf2p8affineqb V{kz},V,V/M/b64,u8"""
    def vgf2p8mulb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vgf2p8mulb V{kz},V,V/M"""
    def vhaddpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vhaddpd V,V,V/M"""
    def vhaddps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vhaddps V,V,V/M"""
    def vhsubpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vhsubpd V,V,V/M"""
    def vhsubps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vhsubps V,V,V/M"""
    def vinsertf128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinsertf128 Y,Y,X/m128,u8"""
    def vinsertf32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinsertf32x4 V{kz},V,X/m128,u8"""
    def vinsertf32x8(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinsertf32x8 Z{kz},Z,Y/m256,u8"""
    def vinsertf64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinsertf64x2 V{kz},V,X/m128,u8"""
    def vinsertf64x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinsertf64x4 Z{kz},Z,Y/m256,u8"""
    def vinserti128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinserti128 Y,Y,X/m128,u8"""
    def vinserti32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinserti32x4 V{kz},V,X/m128,u8"""
    def vinserti32x8(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinserti32x8 Z{kz},Z,Y/m256,u8"""
    def vinserti64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinserti64x2 V{kz},V,X/m128,u8"""
    def vinserti64x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinserti64x4 Z{kz},Z,Y/m256,u8"""
    def vinsertps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vinsertps X,X,X/m32,u8"""
    def vlddqu(self, dst: Reg, src: Mem, /) -> None:
        """vlddqu V,M"""
    def vldmxcsr(self, src: Mem, /) -> None:
        """vldmxcsr r:m32"""
    def vmaskmovdqu(self, src: Reg, src2: Reg, /) -> None:
        """vmaskmovdqu r:X,X"""
    def vmaskmovpd(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """vmaskmovpd V,V,M | M,V,V"""
    def vmaskmovps(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """vmaskmovps V,V,M | M,V,V"""
    def vmaxbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vmaxbf16 V{kz},V,V/M/b16"""
    def vmaxpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmaxpd V{kz},V,V/M/b64{sae}"""
    def vmaxph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmaxph V{kz},V,V/M/b16{sae}"""
    def vmaxps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmaxps V{kz},V,V/M/b32{sae}"""
    def vmaxsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmaxsd X{kz},X,X/m64{sae}"""
    def vmaxsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmaxsh X{kz},X,X/m16{sae}"""
    def vmaxss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmaxss X{kz},X,X/m32{sae}"""
    def vminbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vminbf16 V{kz},V,V/M/b16"""
    def vminmaxbf16(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vminmaxbf16 V{kz},V,V/M/b16,u8"""
    def vminmaxpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vminmaxpd V{kz},V,V/M/b64{sae},u8"""
    def vminmaxph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vminmaxph V{kz},V,V/M/b16{sae},u8"""
    def vminmaxps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vminmaxps V{kz},V,V/M/b32{sae},u8"""
    def vminmaxsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vminmaxsd X{kz},X,X/m64{sae},u8"""
    def vminmaxsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vminmaxsh X{kz},X,X/m16{sae},u8"""
    def vminmaxss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vminmaxss X{kz},X,X/m32{sae},u8"""
    def vminpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vminpd V{kz},V,V/M/b64{sae}"""
    def vminph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vminph V{kz},V,V/M/b16{sae}"""
    def vminps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vminps V{kz},V,V/M/b32{sae}"""
    def vminsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vminsd X{kz},X,X/m64{sae}"""
    def vminsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vminsh X{kz},X,X/m16{sae}"""
    def vminss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vminss X{kz},X,X/m32{sae}"""
    def vmovapd(self, dst: Operand, src: Operand, /) -> None:
        """vmovapd V{kz},V/M | M{k},V"""
    def vmovaps(self, dst: Operand, src: Operand, /) -> None:
        """vmovaps V{kz},V/M | M{k},V"""
    def vmovd(self, dst: Operand, src: Operand, /) -> None:
        """vmovd X,r32/m32 | r32/m32,X | X,X"""
    def vmovddup(self, dst: Reg, src: Operand, /) -> None:
        """vmovddup X{kz},X/m64 | Y{kz},Y/m256 | Z{kz},Z/m512"""
    def vmovdqa(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqa V,V/M | M,V"""
    def vmovdqa32(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqa32 V{kz},V/M | M{k},V"""
    def vmovdqa64(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqa64 V{kz},V/M | M{k},V"""
    def vmovdqu(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqu V,V/M | M,V"""
    def vmovdqu16(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqu16 V{kz},V/M | M{k},V"""
    def vmovdqu32(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqu32 V{kz},V/M | M{k},V"""
    def vmovdqu64(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqu64 V{kz},V/M | M{k},V"""
    def vmovdqu8(self, dst: Operand, src: Operand, /) -> None:
        """vmovdqu8 V{kz},V/M | M{k},V"""
    def vmovhlps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """vmovhlps X,X,X"""
    @overload
    def vmovhpd(self, dst: Mem, src: Reg, /) -> None:
        """vmovhpd X,X,m64 | m64,X"""
    @overload
    def vmovhpd(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """vmovhpd X,X,m64 | m64,X"""
    @overload
    def vmovhps(self, dst: Mem, src: Reg, /) -> None:
        """vmovhps X,X,m64 | m64,X"""
    @overload
    def vmovhps(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """vmovhps X,X,m64 | m64,X"""
    def vmovlhps(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """vmovlhps X,X,X"""
    @overload
    def vmovlpd(self, dst: Mem, src: Reg, /) -> None:
        """vmovlpd X,X,m64 | m64,X"""
    @overload
    def vmovlpd(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """vmovlpd X,X,m64 | m64,X"""
    @overload
    def vmovlps(self, dst: Mem, src: Reg, /) -> None:
        """vmovlps X,X,m64 | m64,X"""
    @overload
    def vmovlps(self, dst: Reg, src: Reg, src2: Mem, /) -> None:
        """vmovlps X,X,m64 | m64,X"""
    def vmovmskpd(self, dst: Reg, src: Reg, /) -> None:
        """vmovmskpd r32,V"""
    def vmovmskps(self, dst: Reg, src: Reg, /) -> None:
        """vmovmskps r32,V"""
    def vmovntdq(self, dst: Mem, src: Reg, /) -> None:
        """vmovntdq M,V"""
    def vmovntdqa(self, dst: Reg, src: Mem, /) -> None:
        """vmovntdqa V,M"""
    def vmovntpd(self, dst: Mem, src: Reg, /) -> None:
        """vmovntpd M,V"""
    def vmovntps(self, dst: Mem, src: Reg, /) -> None:
        """vmovntps M,V"""
    def vmovq(self, dst: Operand, src: Operand, /) -> None:
        """vmovq X,X | X,m64 | m64,X | X,r64 | r64,X"""
    def vmovrsb(self, dst: Reg, src: Mem, /) -> None:
        """vmovrsb V{kz},M"""
    def vmovrsd(self, dst: Reg, src: Mem, /) -> None:
        """vmovrsd V{kz},M"""
    def vmovrsq(self, dst: Reg, src: Mem, /) -> None:
        """vmovrsq V{kz},M"""
    def vmovrsw(self, dst: Reg, src: Mem, /) -> None:
        """vmovrsw V{kz},M"""
    @overload
    def vmovsd(self, dst: Operand, src: Operand, /) -> None:
        """vmovsd X{kz},X,X | X{kz},m64 | m64{k},X"""
    @overload
    def vmovsd(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """vmovsd X{kz},X,X | X{kz},m64 | m64{k},X"""
    @overload
    def vmovsh(self, dst: Operand, src: Operand, /) -> None:
        """vmovsh X{kz},X,X | X{kz},m16 | m16{k},X"""
    @overload
    def vmovsh(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """vmovsh X{kz},X,X | X{kz},m16 | m16{k},X"""
    def vmovshdup(self, dst: Reg, src: Operand, /) -> None:
        """vmovshdup V{kz},V/M"""
    def vmovsldup(self, dst: Reg, src: Operand, /) -> None:
        """vmovsldup V{kz},V/M"""
    @overload
    def vmovss(self, dst: Operand, src: Operand, /) -> None:
        """vmovss X{kz},X,X | X{kz},m32 | m32{k},X"""
    @overload
    def vmovss(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """vmovss X{kz},X,X | X{kz},m32 | m32{k},X"""
    def vmovupd(self, dst: Operand, src: Operand, /) -> None:
        """vmovupd V{kz},V/M | M{k},V"""
    def vmovups(self, dst: Operand, src: Operand, /) -> None:
        """vmovups V{kz},V/M | M{k},V"""
    def vmovw(self, dst: Operand, src: Operand, /) -> None:
        """vmovw X,r32/m16 | r32/m16,X | X,X"""
    def vmpsadbw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vmpsadbw V,V,V/M,u8 | V{kz},V,V/M,u8"""
    def vmulbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vmulbf16 V{kz},V,V/M/b16"""
    def vmulpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmulpd V{kz},V,V/M/b64{er}"""
    def vmulph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmulph V{kz},V,V/M/b16{er}"""
    def vmulps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmulps V{kz},V,V/M/b32{er}"""
    def vmulsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmulsd X{kz},X,X/m64{er}"""
    def vmulsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmulsh X{kz},X,X/m16{er}"""
    def vmulss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vmulss X{kz},X,X/m32{er}"""
    def vorpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vorpd V{kz},V,V/M/b64"""
    def vorps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vorps V{kz},V,V/M/b32"""
    def vp2intersectd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vp2intersectd P,V,V/M/b32"""
    def vp2intersectq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vp2intersectq P,V,V/M/b64"""
    def vpabsb(self, dst: Reg, src: Operand, /) -> None:
        """vpabsb V{kz},V/M"""
    def vpabsd(self, dst: Reg, src: Operand, /) -> None:
        """vpabsd V{kz},V/M/b32"""
    def vpabsq(self, dst: Reg, src: Operand, /) -> None:
        """vpabsq V{kz},V/M/b64"""
    def vpabsw(self, dst: Reg, src: Operand, /) -> None:
        """vpabsw V{kz},V/M"""
    def vpackssdw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpackssdw V{kz},V,V/M/b32"""
    def vpacksswb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpacksswb V{kz},V,V/M"""
    def vpackusdw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpackusdw V{kz},V,V/M/b32"""
    def vpackuswb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpackuswb V{kz},V,V/M"""
    def vpaddb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddb V{kz},V,V/M"""
    def vpaddd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddd V{kz},V,V/M/b32"""
    def vpaddq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddq V{kz},V,V/M/b64"""
    def vpaddsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddsb V{kz},V,V/M"""
    def vpaddsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddsw V{kz},V,V/M"""
    def vpaddusb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddusb V{kz},V,V/M"""
    def vpaddusw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddusw V{kz},V,V/M"""
    def vpaddw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpaddw V{kz},V,V/M"""
    def vpalignr(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpalignr V{kz},V,V/M,u8"""
    def vpand(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpand V,V,V/M"""
    def vpandd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpandd V{kz},V,V/M/b32"""
    def vpandn(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpandn V,V,V/M"""
    def vpandnd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpandnd V{kz},V,V/M/b32"""
    def vpandnq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpandnq V{kz},V,V/M/b64"""
    def vpandq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpandq V{kz},V,V/M/b64"""
    def vpavgb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpavgb V{kz},V,V/M"""
    def vpavgw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpavgw V{kz},V,V/M"""
    def vpblendd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpblendd V,V,V/M,u8"""
    def vpblendmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpblendmb V{kz},V,V/M"""
    def vpblendmd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpblendmd V{kz},V,V/M/b32"""
    def vpblendmq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpblendmq V{kz},V,V/M/b64"""
    def vpblendmw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpblendmw V{kz},V,V/M"""
    def vpblendvb(self, dst: Reg, src: Reg, src2: Operand, src3: Reg, /) -> None:
        """vpblendvb V,V,V/M,V"""
    def vpblendw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpblendw V,V,V/M,u8"""
    def vpbroadcastb(self, dst: Reg, src: Operand, /) -> None:
        """vpbroadcastb V{kz},X/m8 | V{kz},r32"""
    def vpbroadcastd(self, dst: Reg, src: Operand, /) -> None:
        """vpbroadcastd V{kz},X/m32 | V{kz},r32"""
    def vpbroadcastmb2q(self, dst: Reg, src: Reg, /) -> None:
        """vpbroadcastmb2q V,K"""
    def vpbroadcastmw2d(self, dst: Reg, src: Reg, /) -> None:
        """vpbroadcastmw2d V,K"""
    def vpbroadcastq(self, dst: Reg, src: Operand, /) -> None:
        """vpbroadcastq V{kz},X/m64 | V{kz},r64"""
    def vpbroadcastw(self, dst: Reg, src: Operand, /) -> None:
        """vpbroadcastw V{kz},X/m16 | V{kz},r32"""
    def vpclmulqdq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpclmulqdq V,V,V/M,u8"""
    def vpcmpb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpb K{k},V,V/M,u8"""
    def vpcmpd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpd K{k},V,V/M/b32,u8"""
    def vpcmpeqb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpeqb V,V,V/M | K{k},V,V/M"""
    def vpcmpeqd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpeqd V,V,V/M | K{k},V,V/M/b32"""
    def vpcmpeqq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpeqq V,V,V/M | K{k},V,V/M/b64"""
    def vpcmpeqw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpeqw V,V,V/M | K{k},V,V/M"""
    def vpcmpestri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpestri r:X,X/m128,u8"""
    def vpcmpestrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpestrm r:X,X/m128,u8"""
    def vpcmpgtb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpgtb V,V,V/M | K{k},V,V/M"""
    def vpcmpgtd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpgtd V,V,V/M | K{k},V,V/M/b32"""
    def vpcmpgtq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpgtq V,V,V/M | K{k},V,V/M/b64"""
    def vpcmpgtw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpcmpgtw V,V,V/M | K{k},V,V/M"""
    def vpcmpistri(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpistri r:X,X/m128,u8"""
    def vpcmpistrm(self, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpistrm r:X,X/m128,u8"""
    def vpcmpq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpq K{k},V,V/M/b64,u8"""
    def vpcmpub(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpub K{k},V,V/M,u8"""
    def vpcmpud(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpud K{k},V,V/M/b32,u8"""
    def vpcmpuq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpuq K{k},V,V/M/b64,u8"""
    def vpcmpuw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpuw K{k},V,V/M,u8"""
    def vpcmpw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpcmpw K{k},V,V/M,u8"""
    def vpcompressb(self, dst: Operand, src: Reg, /) -> None:
        """vpcompressb V{kz},V | M{k},V"""
    def vpcompressd(self, dst: Operand, src: Reg, /) -> None:
        """vpcompressd V{kz},V | M{k},V"""
    def vpcompressq(self, dst: Operand, src: Reg, /) -> None:
        """vpcompressq V{kz},V | M{k},V"""
    def vpcompressw(self, dst: Operand, src: Reg, /) -> None:
        """vpcompressw V{kz},V | M{k},V"""
    def vpconflictd(self, dst: Reg, src: Operand, /) -> None:
        """vpconflictd V{kz},V/M/b32"""
    def vpconflictq(self, dst: Reg, src: Operand, /) -> None:
        """vpconflictq V{kz},V/M/b64"""
    def vpdpbssd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbssd x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbssds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbssds x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbsud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbsud x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbsuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbsuds x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbusd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbusd x:V{kz},V,V/M/b32"""
    def vpdpbusds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbusds x:V{kz},V,V/M/b32"""
    def vpdpbuud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbuud x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpbuuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpbuuds x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwssd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwssd x:V{kz},V,V/M/b32"""
    def vpdpwssds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwssds x:V{kz},V,V/M/b32"""
    def vpdpwsud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwsud x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwsuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwsuds x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwusd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwusd x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwusds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwusds x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwuud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwuud x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vpdpwuuds(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpdpwuuds x:V,V,V/M | x:V{kz},V,V/M/b32"""
    def vperm2f128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vperm2f128 Y,Y,Y/m256,u8"""
    def vperm2i128(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vperm2i128 Y,Y,Y/m256,u8"""
    def vpermb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermb V{kz},V,V/M"""
    def vpermd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermd V{kz},V,V/M/b32"""
    def vpermi2b(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermi2b x:V{kz},V,V/M"""
    def vpermi2d(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermi2d x:V{kz},V,V/M/b32"""
    def vpermi2pd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermi2pd x:V{kz},V,V/M/b64"""
    def vpermi2ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermi2ps x:V{kz},V,V/M/b32"""
    def vpermi2q(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermi2q x:V{kz},V,V/M/b64"""
    def vpermi2w(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermi2w x:V{kz},V,V/M"""
    def vpermilpd(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpermilpd V{kz},V,V/M/b64 | V{kz},V/M/b64,u8"""
    def vpermilps(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpermilps V{kz},V,V/M/b32 | V{kz},V/M/b32,u8"""
    def vpermpd(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpermpd V{kz},V/M/b64,u8 | V{kz},V,V/M/b64"""
    def vpermps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermps V{kz},V,V/M/b32"""
    def vpermq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpermq V{kz},V/M/b64,u8 | V{kz},V,V/M/b64"""
    def vpermt2b(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermt2b x:V{kz},V,V/M"""
    def vpermt2d(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermt2d x:V{kz},V,V/M/b32"""
    def vpermt2pd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermt2pd x:V{kz},V,V/M/b64"""
    def vpermt2ps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermt2ps x:V{kz},V,V/M/b32"""
    def vpermt2q(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermt2q x:V{kz},V,V/M/b64"""
    def vpermt2w(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermt2w x:V{kz},V,V/M"""
    def vpermw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpermw V{kz},V,V/M"""
    def vpexpandb(self, dst: Reg, src: Operand, /) -> None:
        """vpexpandb V{kz},V | V{kz},M"""
    def vpexpandd(self, dst: Reg, src: Operand, /) -> None:
        """vpexpandd V{kz},V | V{kz},M"""
    def vpexpandq(self, dst: Reg, src: Operand, /) -> None:
        """vpexpandq V{kz},V | V{kz},M"""
    def vpexpandw(self, dst: Reg, src: Operand, /) -> None:
        """vpexpandw V{kz},V | V{kz},M"""
    def vpextrb(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vpextrb r32/m8,X,u8"""
    def vpextrd(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vpextrd r32/m32,X,u8"""
    def vpextrq(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vpextrq r64/m64,X,u8"""
    def vpextrw(self, dst: Operand, src: Reg, imm: int, /) -> None:
        """vpextrw r32,X,u8 | m16,X,u8"""
    @overload
    def vpgatherdd(self, dst: Reg, src: Mem, /) -> None:
        """vpgatherdd x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vpgatherdd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vpgatherdd x:X,vx32,x:X | x:Y,vy32,x:Y | x:X{k},vx32 | x:Y{k},vy32 | x:Z{k},vz32"""
    @overload
    def vpgatherdq(self, dst: Reg, src: Mem, /) -> None:
        """vpgatherdq x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vpgatherdq(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vpgatherdq x:X,vx64,x:X | x:Y,vx64,x:Y | x:X{k},vx64 | x:Y{k},vx64 | x:Z{k},vy64"""
    @overload
    def vpgatherqd(self, dst: Reg, src: Mem, /) -> None:
        """vpgatherqd x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    @overload
    def vpgatherqd(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vpgatherqd x:X,vx32,x:X | x:X,vy32,x:X | x:X{k},vx32 | x:X{k},vy32 | x:Y{k},vz32"""
    @overload
    def vpgatherqq(self, dst: Reg, src: Mem, /) -> None:
        """vpgatherqq x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    @overload
    def vpgatherqq(self, dst: Reg, src: Mem, dst2: Reg, /) -> None:
        """vpgatherqq x:X,vx64,x:X | x:Y,vy64,x:Y | x:X{k},vx64 | x:Y{k},vy64 | x:Z{k},vz64"""
    def vphaddd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vphaddd V,V,V/M"""
    def vphaddsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vphaddsw V,V,V/M"""
    def vphaddw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vphaddw V,V,V/M"""
    def vphminposuw(self, dst: Reg, src: Operand, /) -> None:
        """vphminposuw X,X/m128"""
    def vphsubd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vphsubd V,V,V/M"""
    def vphsubsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vphsubsw V,V,V/M"""
    def vphsubw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vphsubw V,V,V/M"""
    def vpinsrb(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpinsrb X,X,r32/m8,u8"""
    def vpinsrd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpinsrd X,X,r32/m32,u8"""
    def vpinsrq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpinsrq X,X,r64/m64,u8"""
    def vpinsrw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpinsrw X,X,r32/m16,u8"""
    def vplzcntd(self, dst: Reg, src: Operand, /) -> None:
        """vplzcntd V{kz},V/M/b32"""
    def vplzcntq(self, dst: Reg, src: Operand, /) -> None:
        """vplzcntq V{kz},V/M/b64"""
    def vpmadd52huq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmadd52huq x:V{kz},V,V/M/b64"""
    def vpmadd52luq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmadd52luq x:V{kz},V,V/M/b64"""
    def vpmaddubsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaddubsw V{kz},V,V/M"""
    def vpmaddwd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaddwd V{kz},V,V/M"""
    def vpmaskmovd(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """vpmaskmovd V,V,M | M,V,V"""
    def vpmaskmovq(self, dst: Operand, src: Reg, src2: Operand, /) -> None:
        """vpmaskmovq V,V,M | M,V,V"""
    def vpmaxsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxsb V{kz},V,V/M"""
    def vpmaxsd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxsd V{kz},V,V/M/b32"""
    def vpmaxsq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxsq V{kz},V,V/M/b64"""
    def vpmaxsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxsw V{kz},V,V/M"""
    def vpmaxub(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxub V{kz},V,V/M"""
    def vpmaxud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxud V{kz},V,V/M/b32"""
    def vpmaxuq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxuq V{kz},V,V/M/b64"""
    def vpmaxuw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmaxuw V{kz},V,V/M"""
    def vpminsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminsb V{kz},V,V/M"""
    def vpminsd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminsd V{kz},V,V/M/b32"""
    def vpminsq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminsq V{kz},V,V/M/b64"""
    def vpminsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminsw V{kz},V,V/M"""
    def vpminub(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminub V{kz},V,V/M"""
    def vpminud(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminud V{kz},V,V/M/b32"""
    def vpminuq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminuq V{kz},V,V/M/b64"""
    def vpminuw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpminuw V{kz},V,V/M"""
    def vpmovb2m(self, dst: Reg, src: Reg, /) -> None:
        """vpmovb2m K,V"""
    def vpmovd2m(self, dst: Reg, src: Reg, /) -> None:
        """vpmovd2m K,V"""
    def vpmovdb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovdb X{kz},V | MQ{k},V"""
    def vpmovdw(self, dst: Operand, src: Reg, /) -> None:
        """vpmovdw H{kz},V | MH{k},V"""
    def vpmovm2b(self, dst: Reg, src: Reg, /) -> None:
        """vpmovm2b V,K"""
    def vpmovm2d(self, dst: Reg, src: Reg, /) -> None:
        """vpmovm2d V,K"""
    def vpmovm2q(self, dst: Reg, src: Reg, /) -> None:
        """vpmovm2q V,K"""
    def vpmovm2w(self, dst: Reg, src: Reg, /) -> None:
        """vpmovm2w V,K"""
    def vpmovmskb(self, dst: Reg, src: Reg, /) -> None:
        """vpmovmskb r32,V"""
    def vpmovq2m(self, dst: Reg, src: Reg, /) -> None:
        """vpmovq2m K,V"""
    def vpmovqb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovqb X{kz},V | ME{k},V"""
    def vpmovqd(self, dst: Operand, src: Reg, /) -> None:
        """vpmovqd H{kz},V | MH{k},V"""
    def vpmovqw(self, dst: Operand, src: Reg, /) -> None:
        """vpmovqw X{kz},V | MQ{k},V"""
    def vpmovsdb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovsdb X{kz},V | MQ{k},V"""
    def vpmovsdw(self, dst: Operand, src: Reg, /) -> None:
        """vpmovsdw H{kz},V | MH{k},V"""
    def vpmovsqb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovsqb X{kz},V | ME{k},V"""
    def vpmovsqd(self, dst: Operand, src: Reg, /) -> None:
        """vpmovsqd H{kz},V | MH{k},V"""
    def vpmovsqw(self, dst: Operand, src: Reg, /) -> None:
        """vpmovsqw X{kz},V | MQ{k},V"""
    def vpmovswb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovswb H{kz},V | MH{k},V"""
    def vpmovsxbd(self, dst: Reg, src: Operand, /) -> None:
        """vpmovsxbd V{kz},X/MQ"""
    def vpmovsxbq(self, dst: Reg, src: Operand, /) -> None:
        """vpmovsxbq V{kz},X/ME"""
    def vpmovsxbw(self, dst: Reg, src: Operand, /) -> None:
        """vpmovsxbw V{kz},H/MH"""
    def vpmovsxdq(self, dst: Reg, src: Operand, /) -> None:
        """vpmovsxdq V{kz},H/MH"""
    def vpmovsxwd(self, dst: Reg, src: Operand, /) -> None:
        """vpmovsxwd V{kz},H/MH"""
    def vpmovsxwq(self, dst: Reg, src: Operand, /) -> None:
        """vpmovsxwq V{kz},X/MQ"""
    def vpmovusdb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovusdb X{kz},V | MQ{k},V"""
    def vpmovusdw(self, dst: Operand, src: Reg, /) -> None:
        """vpmovusdw H{kz},V | MH{k},V"""
    def vpmovusqb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovusqb X{kz},V | ME{k},V"""
    def vpmovusqd(self, dst: Operand, src: Reg, /) -> None:
        """vpmovusqd H{kz},V | MH{k},V"""
    def vpmovusqw(self, dst: Operand, src: Reg, /) -> None:
        """vpmovusqw X{kz},V | MQ{k},V"""
    def vpmovuswb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovuswb H{kz},V | MH{k},V"""
    def vpmovw2m(self, dst: Reg, src: Reg, /) -> None:
        """vpmovw2m K,V"""
    def vpmovwb(self, dst: Operand, src: Reg, /) -> None:
        """vpmovwb H{kz},V | MH{k},V"""
    def vpmovzxbd(self, dst: Reg, src: Operand, /) -> None:
        """vpmovzxbd V{kz},X/MQ"""
    def vpmovzxbq(self, dst: Reg, src: Operand, /) -> None:
        """vpmovzxbq V{kz},X/ME"""
    def vpmovzxbw(self, dst: Reg, src: Operand, /) -> None:
        """vpmovzxbw V{kz},H/MH"""
    def vpmovzxdq(self, dst: Reg, src: Operand, /) -> None:
        """vpmovzxdq V{kz},H/MH"""
    def vpmovzxwd(self, dst: Reg, src: Operand, /) -> None:
        """vpmovzxwd V{kz},H/MH"""
    def vpmovzxwq(self, dst: Reg, src: Operand, /) -> None:
        """vpmovzxwq V{kz},X/MQ"""
    def vpmuldq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmuldq V{kz},V,V/M/b64"""
    def vpmulhrsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmulhrsw V{kz},V,V/M"""
    def vpmulhuw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmulhuw V{kz},V,V/M"""
    def vpmulhw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmulhw V{kz},V,V/M"""
    def vpmulld(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmulld V{kz},V,V/M/b32"""
    def vpmullq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmullq V{kz},V,V/M/b64"""
    def vpmullw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmullw V{kz},V,V/M"""
    def vpmultishiftqb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmultishiftqb V{kz},V,V/M/b64"""
    def vpmuludq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpmuludq V{kz},V,V/M/b64"""
    def vpopcntb(self, dst: Reg, src: Operand, /) -> None:
        """vpopcntb V{kz},V/M"""
    def vpopcntd(self, dst: Reg, src: Operand, /) -> None:
        """vpopcntd V{kz},V/M/b32"""
    def vpopcntq(self, dst: Reg, src: Operand, /) -> None:
        """vpopcntq V{kz},V/M/b64"""
    def vpopcntw(self, dst: Reg, src: Operand, /) -> None:
        """vpopcntw V{kz},V/M"""
    def vpor(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpor V,V,V/M"""
    def vpord(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpord V{kz},V,V/M/b32"""
    def vporq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vporq V{kz},V,V/M/b64"""
    def vprold(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vprold V{kz},V/M/b32,u8"""
    def vprolq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vprolq V{kz},V/M/b64,u8"""
    def vprolvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vprolvd V{kz},V,V/M/b32"""
    def vprolvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vprolvq V{kz},V,V/M/b64"""
    def vprord(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vprord V{kz},V/M/b32,u8"""
    def vprorq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vprorq V{kz},V/M/b64,u8"""
    def vprorvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vprorvd V{kz},V,V/M/b32"""
    def vprorvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vprorvq V{kz},V,V/M/b64"""
    def vpsadbw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsadbw V,V,V/M"""
    def vpscatterdd(self, dst: Mem, src: Reg, /) -> None:
        """vpscatterdd vx32{k},X | vy32{k},Y | vz32{k},Z"""
    def vpscatterdq(self, dst: Mem, src: Reg, /) -> None:
        """vpscatterdq vx64{k},X | vx64{k},Y | vy64{k},Z"""
    def vpscatterqd(self, dst: Mem, src: Reg, /) -> None:
        """vpscatterqd vx32{k},X | vy32{k},X | vz32{k},Y"""
    def vpscatterqq(self, dst: Mem, src: Reg, /) -> None:
        """vpscatterqq vx64{k},X | vy64{k},Y | vz64{k},Z"""
    def vpshldd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpshldd V{kz},V,V/M/b32,u8"""
    def vpshldq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpshldq V{kz},V,V/M/b64,u8"""
    def vpshldvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshldvd x:V{kz},V,V/M/b32"""
    def vpshldvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshldvq x:V{kz},V,V/M/b64"""
    def vpshldvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshldvw x:V{kz},V,V/M"""
    def vpshldw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpshldw V{kz},V,V/M,u8"""
    def vpshrdd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpshrdd V{kz},V,V/M/b32,u8"""
    def vpshrdq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpshrdq V{kz},V,V/M/b64,u8"""
    def vpshrdvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshrdvd x:V{kz},V,V/M/b32"""
    def vpshrdvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshrdvq x:V{kz},V,V/M/b64"""
    def vpshrdvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshrdvw x:V{kz},V,V/M"""
    def vpshrdw(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpshrdw V{kz},V,V/M,u8"""
    def vpshufb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshufb V{kz},V,V/M"""
    def vpshufbitqmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpshufbitqmb K{k},V,V/M"""
    def vpshufd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vpshufd V{kz},V/M/b32,u8"""
    def vpshufhw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vpshufhw V{kz},V/M,u8"""
    def vpshuflw(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vpshuflw V{kz},V/M,u8"""
    def vpsignb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsignb V,V,V/M"""
    def vpsignd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsignd V,V,V/M"""
    def vpsignw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsignw V,V,V/M"""
    def vpslld(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpslld V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b32,u8"""
    def vpslldq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vpslldq V,V,u8 | V,V/M,u8"""
    def vpsllq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsllq V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b64,u8"""
    def vpsllvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsllvd V{kz},V,V/M/b32"""
    def vpsllvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsllvq V{kz},V,V/M/b64"""
    def vpsllvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsllvw V{kz},V,V/M"""
    def vpsllw(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsllw V,V,u8 | V{kz},V,X/m128 | V{kz},V/M,u8"""
    def vpsrad(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsrad V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b32,u8"""
    def vpsraq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsraq V{kz},V/M/b64,u8 | V{kz},V,X/m128"""
    def vpsravd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsravd V{kz},V,V/M/b32"""
    def vpsravq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsravq V{kz},V,V/M/b64"""
    def vpsravw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsravw V{kz},V,V/M"""
    def vpsraw(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsraw V,V,u8 | V{kz},V,X/m128 | V{kz},V/M,u8"""
    def vpsrld(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsrld V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b32,u8"""
    def vpsrldq(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vpsrldq V,V,u8 | V,V/M,u8"""
    def vpsrlq(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsrlq V,V,u8 | V{kz},V,X/m128 | V{kz},V/M/b64,u8"""
    def vpsrlvd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsrlvd V{kz},V,V/M/b32"""
    def vpsrlvq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsrlvq V{kz},V,V/M/b64"""
    def vpsrlvw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsrlvw V{kz},V,V/M"""
    def vpsrlw(self, dst: Reg, src: Operand, src2: Operand, /) -> None:
        """vpsrlw V,V,u8 | V{kz},V,X/m128 | V{kz},V/M,u8"""
    def vpsubb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubb V{kz},V,V/M"""
    def vpsubd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubd V{kz},V,V/M/b32"""
    def vpsubq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubq V{kz},V,V/M/b64"""
    def vpsubsb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubsb V{kz},V,V/M"""
    def vpsubsw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubsw V{kz},V,V/M"""
    def vpsubusb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubusb V{kz},V,V/M"""
    def vpsubusw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubusw V{kz},V,V/M"""
    def vpsubw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpsubw V{kz},V,V/M"""
    def vpternlogd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpternlogd x:V{kz},V,V/M/b32,u8"""
    def vpternlogq(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vpternlogq x:V{kz},V,V/M/b64,u8"""
    def vptest(self, src: Reg, src2: Operand, /) -> None:
        """vptest r:V,V/M"""
    def vptestmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestmb K{k},V,V/M"""
    def vptestmd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestmd K{k},V,V/M/b32"""
    def vptestmq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestmq K{k},V,V/M/b64"""
    def vptestmw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestmw K{k},V,V/M"""
    def vptestnmb(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestnmb K{k},V,V/M"""
    def vptestnmd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestnmd K{k},V,V/M/b32"""
    def vptestnmq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestnmq K{k},V,V/M/b64"""
    def vptestnmw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vptestnmw K{k},V,V/M"""
    def vpunpckhbw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpckhbw V{kz},V,V/M"""
    def vpunpckhdq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpckhdq V{kz},V,V/M/b32"""
    def vpunpckhqdq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpckhqdq V{kz},V,V/M/b64"""
    def vpunpckhwd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpckhwd V{kz},V,V/M"""
    def vpunpcklbw(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpcklbw V{kz},V,V/M"""
    def vpunpckldq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpckldq V{kz},V,V/M/b32"""
    def vpunpcklqdq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpcklqdq V{kz},V,V/M/b64"""
    def vpunpcklwd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpunpcklwd V{kz},V,V/M"""
    def vpxor(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpxor V,V,V/M"""
    def vpxord(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpxord V{kz},V,V/M/b32"""
    def vpxorq(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vpxorq V{kz},V,V/M/b64"""
    def vrangepd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrangepd V{kz},V,V/M/b64{sae},u8"""
    def vrangeps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrangeps V{kz},V,V/M/b32{sae},u8"""
    def vrangesd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrangesd X{kz},X,X/m64{sae},u8"""
    def vrangess(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrangess X{kz},X,X/m32{sae},u8"""
    def vrcp14pd(self, dst: Reg, src: Operand, /) -> None:
        """vrcp14pd V{kz},V/M/b64"""
    def vrcp14ps(self, dst: Reg, src: Operand, /) -> None:
        """vrcp14ps V{kz},V/M/b32"""
    def vrcp14sd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrcp14sd X{kz},X,X/m64"""
    def vrcp14ss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrcp14ss X{kz},X,X/m32"""
    def vrcpbf16(self, dst: Reg, src: Operand, /) -> None:
        """vrcpbf16 V{kz},V/M/b16"""
    def vrcpph(self, dst: Reg, src: Operand, /) -> None:
        """vrcpph V{kz},V/M/b16"""
    def vrcpps(self, dst: Reg, src: Operand, /) -> None:
        """vrcpps V,V/M"""
    def vrcpsh(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrcpsh X{kz},X,X/m16"""
    def vrcpss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrcpss X,X,X/m32"""
    def vreducebf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vreducebf16 V{kz},V/M/b16,u8"""
    def vreducepd(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vreducepd V{kz},V/M/b64{sae},u8"""
    def vreduceph(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vreduceph V{kz},V/M/b16{sae},u8"""
    def vreduceps(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vreduceps V{kz},V/M/b32{sae},u8"""
    def vreducesd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vreducesd X{kz},X,X/m64{sae},u8"""
    def vreducesh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vreducesh X{kz},X,X/m16{sae},u8"""
    def vreducess(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vreducess X{kz},X,X/m32{sae},u8"""
    def vrndscalebf16(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vrndscalebf16 V{kz},V/M/b16,u8"""
    def vrndscalepd(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrndscalepd V{kz},V/M/b64{sae},u8"""
    def vrndscaleph(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrndscaleph V{kz},V/M/b16{sae},u8"""
    def vrndscaleps(self, dst: Reg, src: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrndscaleps V{kz},V/M/b32{sae},u8"""
    def vrndscalesd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrndscalesd X{kz},X,X/m64{sae},u8"""
    def vrndscalesh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrndscalesh X{kz},X,X/m16{sae},u8"""
    def vrndscaless(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding | int, imm: int = ..., /) -> None:
        """vrndscaless X{kz},X,X/m32{sae},u8"""
    def vroundpd(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vroundpd V,V/M,u8"""
    def vroundps(self, dst: Reg, src: Operand, imm: int, /) -> None:
        """vroundps V,V/M,u8"""
    def vroundsd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vroundsd X,X,X/m64,u8"""
    def vroundss(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vroundss X,X,X/m32,u8"""
    def vrsqrt14pd(self, dst: Reg, src: Operand, /) -> None:
        """vrsqrt14pd V{kz},V/M/b64"""
    def vrsqrt14ps(self, dst: Reg, src: Operand, /) -> None:
        """vrsqrt14ps V{kz},V/M/b32"""
    def vrsqrt14sd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrsqrt14sd X{kz},X,X/m64"""
    def vrsqrt14ss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrsqrt14ss X{kz},X,X/m32"""
    def vrsqrtbf16(self, dst: Reg, src: Operand, /) -> None:
        """vrsqrtbf16 V{kz},V/M/b16"""
    def vrsqrtph(self, dst: Reg, src: Operand, /) -> None:
        """vrsqrtph V{kz},V/M/b16"""
    def vrsqrtps(self, dst: Reg, src: Operand, /) -> None:
        """vrsqrtps V,V/M"""
    def vrsqrtsh(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrsqrtsh X{kz},X,X/m16"""
    def vrsqrtss(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vrsqrtss X,X,X/m32"""
    def vscalefbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vscalefbf16 V{kz},V,V/M/b16"""
    def vscalefpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vscalefpd V{kz},V,V/M/b64{er}"""
    def vscalefph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vscalefph V{kz},V,V/M/b16{er}"""
    def vscalefps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vscalefps V{kz},V,V/M/b32{er}"""
    def vscalefsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vscalefsd X{kz},X,X/m64{er}"""
    def vscalefsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vscalefsh X{kz},X,X/m16{er}"""
    def vscalefss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vscalefss X{kz},X,X/m32{er}"""
    def vscatterdpd(self, dst: Mem, src: Reg, /) -> None:
        """vscatterdpd vx64{k},X | vx64{k},Y | vy64{k},Z"""
    def vscatterdps(self, dst: Mem, src: Reg, /) -> None:
        """vscatterdps vx32{k},X | vy32{k},Y | vz32{k},Z"""
    def vscatterqpd(self, dst: Mem, src: Reg, /) -> None:
        """vscatterqpd vx64{k},X | vy64{k},Y | vz64{k},Z"""
    def vscatterqps(self, dst: Mem, src: Reg, /) -> None:
        """vscatterqps vx32{k},X | vy32{k},X | vz32{k},Y"""
    def vsha512msg1(self, dst: Reg, src: Reg, /) -> None:
        """vsha512msg1 x:Y,X"""
    def vsha512msg2(self, dst: Reg, src: Reg, /) -> None:
        """vsha512msg2 x:Y,Y"""
    def vsha512rnds2(self, dst: Reg, src: Reg, src2: Reg, /) -> None:
        """vsha512rnds2 x:Y,Y,X"""
    def vshuff32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vshuff32x4 V{kz},V,V/M/b32,u8"""
    def vshuff64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vshuff64x2 V{kz},V,V/M/b64,u8"""
    def vshufi32x4(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vshufi32x4 V{kz},V,V/M/b32,u8"""
    def vshufi64x2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vshufi64x2 V{kz},V,V/M/b64,u8"""
    def vshufpd(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vshufpd V{kz},V,V/M/b64,u8"""
    def vshufps(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vshufps V{kz},V,V/M/b32,u8"""
    def vsm3msg1(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vsm3msg1 x:X,X,X/m128"""
    def vsm3msg2(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vsm3msg2 x:X,X,X/m128"""
    def vsm3rnds2(self, dst: Reg, src: Reg, src2: Operand, imm: int, /) -> None:
        """vsm3rnds2 x:X,X,X/m128,u8"""
    def vsm4key4(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vsm4key4 V,V,V/M"""
    def vsm4rnds4(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vsm4rnds4 V,V,V/M"""
    def vsqrtbf16(self, dst: Reg, src: Operand, /) -> None:
        """vsqrtbf16 V{kz},V/M/b16"""
    def vsqrtpd(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vsqrtpd V{kz},V/M/b64{er}"""
    def vsqrtph(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vsqrtph V{kz},V/M/b16{er}"""
    def vsqrtps(self, dst: Reg, src: Operand, rounding: Rounding = ..., /) -> None:
        """vsqrtps V{kz},V/M/b32{er}"""
    def vsqrtsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsqrtsd X{kz},X,X/m64{er}"""
    def vsqrtsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsqrtsh X{kz},X,X/m16{er}"""
    def vsqrtss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsqrtss X{kz},X,X/m32{er}"""
    def vstmxcsr(self, dst: Mem, /) -> None:
        """vstmxcsr m32"""
    def vsubbf16(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vsubbf16 V{kz},V,V/M/b16"""
    def vsubpd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsubpd V{kz},V,V/M/b64{er}"""
    def vsubph(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsubph V{kz},V,V/M/b16{er}"""
    def vsubps(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsubps V{kz},V,V/M/b32{er}"""
    def vsubsd(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsubsd X{kz},X,X/m64{er}"""
    def vsubsh(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsubsh X{kz},X,X/m16{er}"""
    def vsubss(self, dst: Reg, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vsubss X{kz},X,X/m32{er}"""
    def vtestpd(self, src: Reg, src2: Operand, /) -> None:
        """vtestpd r:V,V/M"""
    def vtestps(self, src: Reg, src2: Operand, /) -> None:
        """vtestps r:V,V/M"""
    def vucomisd(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vucomisd r:X,X/m64{sae}"""
    def vucomish(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vucomish r:X,X/m16{sae}"""
    def vucomiss(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vucomiss r:X,X/m32{sae}"""
    def vucomxsd(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vucomxsd r:X,X/m64{sae}"""
    def vucomxsh(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vucomxsh r:X,X/m16{sae}"""
    def vucomxss(self, src: Reg, src2: Operand, rounding: Rounding = ..., /) -> None:
        """vucomxss r:X,X/m32{sae}"""
    def vunpckhpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vunpckhpd V{kz},V,V/M/b64"""
    def vunpckhps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vunpckhps V{kz},V,V/M/b32"""
    def vunpcklpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vunpcklpd V{kz},V,V/M/b64"""
    def vunpcklps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vunpcklps V{kz},V,V/M/b32"""
    def vxorpd(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vxorpd V{kz},V,V/M/b64"""
    def vxorps(self, dst: Reg, src: Reg, src2: Operand, /) -> None:
        """vxorps V{kz},V,V/M/b32"""
    def vzeroall(self) -> None:
        """vzeroall """
    def vzeroupper(self) -> None:
        """vzeroupper """
    def wrfsbase(self, src: Reg, /) -> None:
        """wrfsbase r:Ry"""
    def wrgsbase(self, src: Reg, /) -> None:
        """wrgsbase r:Ry"""
    def wrssd(self, dst: Mem, src: Reg, /) -> None:
        """wrssd m32,r32"""
    def wrssq(self, dst: Mem, src: Reg, /) -> None:
        """wrssq m64,r64"""
    def xabort(self, imm: int, /) -> None:
        """xabort r:u8"""
    def xadd(self, dst: Operand, dst2: Reg, /) -> None:
        """xadd x:Rv/Mv,x:Rv | x:r8/m8,x:r8"""
    def xbegin(self, target: Label | int, /) -> None:
        """xbegin r:rel32"""
    def xchg(self, dst: Operand, dst2: Operand, /) -> None:
        """xchg x:Mv,x:Rv | x:Rv,x:Mv | x:rax{ne},x:r64 | x:r64{ne},x:rax | x:eax{ne},x:r32 | x:r32{ne},x:eax | x:ax,x:r16 | x:r16,x:ax | x:Rv{ne},x:Rv | x:r8{ne}/m8,x:r8 | x:r8,x:m8"""
    def xend(self) -> None:
        """xend """
    def xgetbv(self) -> None:
        """xgetbv """
    def xlatb(self) -> None:
        """xlatb """
    def xor(self, dst: Operand, src: Operand, /) -> None:
        """xor x:Rv/Mv,i8 | x:rax,i32 | x:eax,i32 | x:ax,i16 | x:al,u8 | x:Rv/Mv,iv | x:r8/m8,u8 | x:Rv/Mv,Rv | x:Rv,Mv | x:r8/m8,r8 | x:r8,m8"""
    def xorpd(self, dst: Reg, src: Operand, /) -> None:
        """xorpd x:X,X/m128"""
    def xorps(self, dst: Reg, src: Operand, /) -> None:
        """xorps x:X,X/m128"""
    def xrstor(self, src: Mem, /) -> None:
        """xrstor r:m"""
    def xrstor64(self, src: Mem, /) -> None:
        """xrstor64 r:m"""
    def xsave(self, dst: Mem, /) -> None:
        """xsave x:m"""
    def xsave64(self, dst: Mem, /) -> None:
        """xsave64 x:m"""
    def xsavec(self, dst: Mem, /) -> None:
        """xsavec m"""
    def xsavec64(self, dst: Mem, /) -> None:
        """xsavec64 m"""
    def xsaveopt(self, dst: Mem, /) -> None:
        """xsaveopt x:m"""
    def xsaveopt64(self, dst: Mem, /) -> None:
        """xsaveopt64 x:m"""
    def xtest(self) -> None:
        """xtest """
