"""SSE to SSE4.2, AES, PCLMULQDQ, SHA and GFNI in their legacy encodings. Columns and letters: grammar.py.

Source: Intel SDM vol. 2 (order 325383).
"""

ROWS = (
    """
# Moves
[move]
movd              X,r32/m32        RM L.66.0F 6E /r        SSE2
movd              r32/m32,X        MR L.66.0F 7E /r        SSE2
movq              X,X/m64          RM L.F3.0F 7E /r        SSE2
movq              m64,X            MR L.66.0F D6 /r        SSE2
movq              X,r64            RM L.66.0F.W1 6E /r     SSE2
movq              r64,X            MR L.66.0F.W1 7E /r     SSE2
movups            X,X/m128         RM L.0F 10 /r           SSE
movupd            X,X/m128         RM L.66.0F 10 /r        SSE2
movss             x:X,X            RM L.F3.0F 10 /r        SSE
movss             X,m32            RM L.F3.0F 10 /r        SSE
movsd             x:X,X            RM L.F2.0F 10 /r        SSE2
movsd             X,m64            RM L.F2.0F 10 /r        SSE2
movups            m128,X           MR L.0F 11 /r           SSE
movupd            m128,X           MR L.66.0F 11 /r        SSE2
movss             m32,X            MR L.F3.0F 11 /r        SSE
movsd             m64,X            MR L.F2.0F 11 /r        SSE2
movhlps           x:X,X            RM L.0F 12 /r           SSE
movlps            x:X,m64          RM L.0F 12 /r           SSE
movlpd            x:X,m64          RM L.66.0F 12 /r        SSE2
movlps            m64,X            MR L.0F 13 /r           SSE
movlpd            m64,X            MR L.66.0F 13 /r        SSE2
movlhps           x:X,X            RM L.0F 16 /r           SSE
movhps            x:X,m64          RM L.0F 16 /r           SSE
movhpd            x:X,m64          RM L.66.0F 16 /r        SSE2
movhps            m64,X            MR L.0F 17 /r           SSE
movhpd            m64,X            MR L.66.0F 17 /r        SSE2
movaps            X,X/m128         RM L.0F 28 /r           SSE
movapd            X,X/m128         RM L.66.0F 28 /r        SSE2
movaps            m128,X           MR L.0F 29 /r           SSE
movapd            m128,X           MR L.66.0F 29 /r        SSE2
movntps           m128,X           MR L.0F 2B /r           SSE
movntpd           m128,X           MR L.66.0F 2B /r        SSE2
movdqa            X,X/m128         RM L.66.0F 6F /r        SSE2
movdqu            X,X/m128         RM L.F3.0F 6F /r        SSE2
movdqa            m128,X           MR L.66.0F 7F /r        SSE2
movdqu            m128,X           MR L.F3.0F 7F /r        SSE2
movntdq           m128,X           MR L.66.0F E7 /r        SSE2
lddqu             X,m128           RM L.F2.0F F0 /r        SSE3
maskmovdqu        r:X,X            RM L.66.0F F7 /r        SSE2       ; r:rdi
movntdqa          X,m128           RM L.66.0F38 2A /r      SSE4_1
""",
    """
# Broadcasts and duplicates
[shuffle]
movsldup          X,X/m128         RM L.F3.0F 12 /r        SSE3
movddup           X,X/m64          RM L.F2.0F 12 /r        SSE3
movshdup          X,X/m128         RM L.F3.0F 16 /r        SSE3
""",
    """
# Floating-point arithmetic
[arithmetic]
sqrtps            X,X/m128         RM L.0F 51 /r           SSE
sqrtpd            X,X/m128         RM L.66.0F 51 /r        SSE2
sqrtss            x:X,X/m32        RM L.F3.0F 51 /r        SSE
sqrtsd            x:X,X/m64        RM L.F2.0F 51 /r        SSE2
rsqrtps           X,X/m128         RM L.0F 52 /r           SSE
rsqrtss           x:X,X/m32        RM L.F3.0F 52 /r        SSE
rcpps             X,X/m128         RM L.0F 53 /r           SSE
rcpss             x:X,X/m32        RM L.F3.0F 53 /r        SSE
andps             x:X,X/m128       RM L.0F 54 /r           SSE
andpd             x:X,X/m128       RM L.66.0F 54 /r        SSE2
andnps            x:X,X/m128       RM L.0F 55 /r           SSE
andnpd            x:X,X/m128       RM L.66.0F 55 /r        SSE2
orps              x:X,X/m128       RM L.0F 56 /r           SSE
orpd              x:X,X/m128       RM L.66.0F 56 /r        SSE2
xorps             x:X,X/m128       RM L.0F 57 /r           SSE
xorpd             x:X,X/m128       RM L.66.0F 57 /r        SSE2
addps             x:X,X/m128       RM L.0F 58 /r           SSE
addpd             x:X,X/m128       RM L.66.0F 58 /r        SSE2
addss             x:X,X/m32        RM L.F3.0F 58 /r        SSE
addsd             x:X,X/m64        RM L.F2.0F 58 /r        SSE2
mulps             x:X,X/m128       RM L.0F 59 /r           SSE
mulpd             x:X,X/m128       RM L.66.0F 59 /r        SSE2
mulss             x:X,X/m32        RM L.F3.0F 59 /r        SSE
mulsd             x:X,X/m64        RM L.F2.0F 59 /r        SSE2
subps             x:X,X/m128       RM L.0F 5C /r           SSE
subpd             x:X,X/m128       RM L.66.0F 5C /r        SSE2
subss             x:X,X/m32        RM L.F3.0F 5C /r        SSE
subsd             x:X,X/m64        RM L.F2.0F 5C /r        SSE2
minps             x:X,X/m128       RM L.0F 5D /r           SSE
minpd             x:X,X/m128       RM L.66.0F 5D /r        SSE2
minss             x:X,X/m32        RM L.F3.0F 5D /r        SSE
minsd             x:X,X/m64        RM L.F2.0F 5D /r        SSE2
divps             x:X,X/m128       RM L.0F 5E /r           SSE
divpd             x:X,X/m128       RM L.66.0F 5E /r        SSE2
divss             x:X,X/m32        RM L.F3.0F 5E /r        SSE
divsd             x:X,X/m64        RM L.F2.0F 5E /r        SSE2
maxps             x:X,X/m128       RM L.0F 5F /r           SSE
maxpd             x:X,X/m128       RM L.66.0F 5F /r        SSE2
maxss             x:X,X/m32        RM L.F3.0F 5F /r        SSE
maxsd             x:X,X/m64        RM L.F2.0F 5F /r        SSE2
haddpd            x:X,X/m128       RM L.66.0F 7C /r        SSE3
haddps            x:X,X/m128       RM L.F2.0F 7C /r        SSE3
hsubpd            x:X,X/m128       RM L.66.0F 7D /r        SSE3
hsubps            x:X,X/m128       RM L.F2.0F 7D /r        SSE3
addsubpd          x:X,X/m128       RM L.66.0F D0 /r        SSE3
addsubps          x:X,X/m128       RM L.F2.0F D0 /r        SSE3
[convert]
roundps           X,X/m128,u8      RMI L.66.0F3A 08 /r     SSE4_1
roundpd           X,X/m128,u8      RMI L.66.0F3A 09 /r     SSE4_1
roundss           x:X,X/m32,u8     RMI L.66.0F3A 0A /r     SSE4_1
roundsd           x:X,X/m64,u8     RMI L.66.0F3A 0B /r     SSE4_1
""",
    """
# Comparisons and tests
[arithmetic]
ucomiss           r:X,X/m32        RM L.0F 2E /r           SSE        ; w:flags
ucomisd           r:X,X/m64        RM L.66.0F 2E /r        SSE2       ; w:flags
comiss            r:X,X/m32        RM L.0F 2F /r           SSE        ; w:flags
comisd            r:X,X/m64        RM L.66.0F 2F /r        SSE2       ; w:flags
pcmpgtb           x:X,X/m128       RM L.66.0F 64 /r        SSE2
pcmpgtw           x:X,X/m128       RM L.66.0F 65 /r        SSE2
pcmpgtd           x:X,X/m128       RM L.66.0F 66 /r        SSE2
pcmpeqb           x:X,X/m128       RM L.66.0F 74 /r        SSE2
pcmpeqw           x:X,X/m128       RM L.66.0F 75 /r        SSE2
pcmpeqd           x:X,X/m128       RM L.66.0F 76 /r        SSE2
cmpps             x:X,X/m128,u8    RMI L.0F C2 /r          SSE
cmppd             x:X,X/m128,u8    RMI L.66.0F C2 /r       SSE2
cmpss             x:X,X/m32,u8     RMI L.F3.0F C2 /r       SSE
cmpsd             x:X,X/m64,u8     RMI L.F2.0F C2 /r       SSE2
ptest             r:X,X/m128       RM L.66.0F38 17 /r      SSE4_1     ; w:flags
pcmpeqq           x:X,X/m128       RM L.66.0F38 29 /r      SSE4_1
pcmpgtq           x:X,X/m128       RM L.66.0F38 37 /r      SSE4_2
""",
    """
# Conversions
[convert]
cvtsi2ss          x:X,Ry/My        RM L.F3.0F 2A /r        SSE
cvtsi2sd          x:X,Ry/My        RM L.F2.0F 2A /r        SSE2
cvttss2si         Ry,X/m32         RM L.F3.0F 2C /r        SSE
cvttsd2si         Ry,X/m64         RM L.F2.0F 2C /r        SSE2
cvtss2si          Ry,X/m32         RM L.F3.0F 2D /r        SSE
cvtsd2si          Ry,X/m64         RM L.F2.0F 2D /r        SSE2
cvtps2pd          X,X/m64          RM L.0F 5A /r           SSE2
cvtpd2ps          X,X/m128         RM L.66.0F 5A /r        SSE2
cvtss2sd          x:X,X/m32        RM L.F3.0F 5A /r        SSE2
cvtsd2ss          x:X,X/m64        RM L.F2.0F 5A /r        SSE2
cvtdq2ps          X,X/m128         RM L.0F 5B /r           SSE2
cvtps2dq          X,X/m128         RM L.66.0F 5B /r        SSE2
cvttps2dq         X,X/m128         RM L.F3.0F 5B /r        SSE2
cvttpd2dq         X,X/m128         RM L.66.0F E6 /r        SSE2
cvtdq2pd          X,X/m64          RM L.F3.0F E6 /r        SSE2
cvtpd2dq          X,X/m128         RM L.F2.0F E6 /r        SSE2
""",
    """
# Integer arithmetic
[arithmetic]
paddq             x:X,X/m128       RM L.66.0F D4 /r        SSE2
pmullw            x:X,X/m128       RM L.66.0F D5 /r        SSE2
psubusb           x:X,X/m128       RM L.66.0F D8 /r        SSE2
psubusw           x:X,X/m128       RM L.66.0F D9 /r        SSE2
pminub            x:X,X/m128       RM L.66.0F DA /r        SSE2
paddusb           x:X,X/m128       RM L.66.0F DC /r        SSE2
paddusw           x:X,X/m128       RM L.66.0F DD /r        SSE2
pmaxub            x:X,X/m128       RM L.66.0F DE /r        SSE2
pavgb             x:X,X/m128       RM L.66.0F E0 /r        SSE2
pavgw             x:X,X/m128       RM L.66.0F E3 /r        SSE2
pmulhuw           x:X,X/m128       RM L.66.0F E4 /r        SSE2
pmulhw            x:X,X/m128       RM L.66.0F E5 /r        SSE2
psubsb            x:X,X/m128       RM L.66.0F E8 /r        SSE2
psubsw            x:X,X/m128       RM L.66.0F E9 /r        SSE2
pminsw            x:X,X/m128       RM L.66.0F EA /r        SSE2
paddsb            x:X,X/m128       RM L.66.0F EC /r        SSE2
paddsw            x:X,X/m128       RM L.66.0F ED /r        SSE2
pmaxsw            x:X,X/m128       RM L.66.0F EE /r        SSE2
pmuludq           x:X,X/m128       RM L.66.0F F4 /r        SSE2
psadbw            x:X,X/m128       RM L.66.0F F6 /r        SSE2
psubb             x:X,X/m128       RM L.66.0F F8 /r        SSE2
psubw             x:X,X/m128       RM L.66.0F F9 /r        SSE2
psubd             x:X,X/m128       RM L.66.0F FA /r        SSE2
psubq             x:X,X/m128       RM L.66.0F FB /r        SSE2
paddb             x:X,X/m128       RM L.66.0F FC /r        SSE2
paddw             x:X,X/m128       RM L.66.0F FD /r        SSE2
paddd             x:X,X/m128       RM L.66.0F FE /r        SSE2
phaddw            x:X,X/m128       RM L.66.0F38 01 /r      SSSE3
phaddd            x:X,X/m128       RM L.66.0F38 02 /r      SSSE3
phaddsw           x:X,X/m128       RM L.66.0F38 03 /r      SSSE3
phsubw            x:X,X/m128       RM L.66.0F38 05 /r      SSSE3
phsubd            x:X,X/m128       RM L.66.0F38 06 /r      SSSE3
phsubsw           x:X,X/m128       RM L.66.0F38 07 /r      SSSE3
psignb            x:X,X/m128       RM L.66.0F38 08 /r      SSSE3
psignw            x:X,X/m128       RM L.66.0F38 09 /r      SSSE3
psignd            x:X,X/m128       RM L.66.0F38 0A /r      SSSE3
pmulhrsw          x:X,X/m128       RM L.66.0F38 0B /r      SSSE3
pabsb             X,X/m128         RM L.66.0F38 1C /r      SSSE3
pabsw             X,X/m128         RM L.66.0F38 1D /r      SSSE3
pabsd             X,X/m128         RM L.66.0F38 1E /r      SSSE3
pmuldq            x:X,X/m128       RM L.66.0F38 28 /r      SSE4_1
pminsb            x:X,X/m128       RM L.66.0F38 38 /r      SSE4_1
pminsd            x:X,X/m128       RM L.66.0F38 39 /r      SSE4_1
pminuw            x:X,X/m128       RM L.66.0F38 3A /r      SSE4_1
pminud            x:X,X/m128       RM L.66.0F38 3B /r      SSE4_1
pmaxsb            x:X,X/m128       RM L.66.0F38 3C /r      SSE4_1
pmaxsd            x:X,X/m128       RM L.66.0F38 3D /r      SSE4_1
pmaxuw            x:X,X/m128       RM L.66.0F38 3E /r      SSE4_1
pmaxud            x:X,X/m128       RM L.66.0F38 3F /r      SSE4_1
pmulld            x:X,X/m128       RM L.66.0F38 40 /r      SSE4_1
phminposuw        X,X/m128         RM L.66.0F38 41 /r      SSE4_1
mpsadbw           x:X,X/m128,u8    RMI L.66.0F3A 42 /r     SSE4_1
""",
    """
# Dot products
[dot]
pmaddwd           x:X,X/m128       RM L.66.0F F5 /r        SSE2
pmaddubsw         x:X,X/m128       RM L.66.0F38 04 /r      SSSE3
dpps              x:X,X/m128,u8    RMI L.66.0F3A 40 /r     SSE4_1
dppd              x:X,X/m128,u8    RMI L.66.0F3A 41 /r     SSE4_1
""",
    """
# Integer logic and shifts
[arithmetic]
psrlw             x:X,u8           MI L.66.0F 71 /2        SSE2
psraw             x:X,u8           MI L.66.0F 71 /4        SSE2
psllw             x:X,u8           MI L.66.0F 71 /6        SSE2
psrld             x:X,u8           MI L.66.0F 72 /2        SSE2
psrad             x:X,u8           MI L.66.0F 72 /4        SSE2
pslld             x:X,u8           MI L.66.0F 72 /6        SSE2
psrlq             x:X,u8           MI L.66.0F 73 /2        SSE2
psrldq            x:X,u8           MI L.66.0F 73 /3        SSE2
psllq             x:X,u8           MI L.66.0F 73 /6        SSE2
pslldq            x:X,u8           MI L.66.0F 73 /7        SSE2
psrlw             x:X,X/m128       RM L.66.0F D1 /r        SSE2
psrld             x:X,X/m128       RM L.66.0F D2 /r        SSE2
psrlq             x:X,X/m128       RM L.66.0F D3 /r        SSE2
pand              x:X,X/m128       RM L.66.0F DB /r        SSE2
pandn             x:X,X/m128       RM L.66.0F DF /r        SSE2
psraw             x:X,X/m128       RM L.66.0F E1 /r        SSE2
psrad             x:X,X/m128       RM L.66.0F E2 /r        SSE2
por               x:X,X/m128       RM L.66.0F EB /r        SSE2
pxor              x:X,X/m128       RM L.66.0F EF /r        SSE2
psllw             x:X,X/m128       RM L.66.0F F1 /r        SSE2
pslld             x:X,X/m128       RM L.66.0F F2 /r        SSE2
psllq             x:X,X/m128       RM L.66.0F F3 /r        SSE2
""",
    """
# Width changes
[convert]
packsswb          x:X,X/m128       RM L.66.0F 63 /r        SSE2
packuswb          x:X,X/m128       RM L.66.0F 67 /r        SSE2
packssdw          x:X,X/m128       RM L.66.0F 6B /r        SSE2
pmovsxbw          X,X/m64          RM L.66.0F38 20 /r      SSE4_1
pmovsxbd          X,X/m32          RM L.66.0F38 21 /r      SSE4_1
pmovsxbq          X,X/m16          RM L.66.0F38 22 /r      SSE4_1
pmovsxwd          X,X/m64          RM L.66.0F38 23 /r      SSE4_1
pmovsxwq          X,X/m32          RM L.66.0F38 24 /r      SSE4_1
pmovsxdq          X,X/m64          RM L.66.0F38 25 /r      SSE4_1
packusdw          x:X,X/m128       RM L.66.0F38 2B /r      SSE4_1
pmovzxbw          X,X/m64          RM L.66.0F38 30 /r      SSE4_1
pmovzxbd          X,X/m32          RM L.66.0F38 31 /r      SSE4_1
pmovzxbq          X,X/m16          RM L.66.0F38 32 /r      SSE4_1
pmovzxwd          X,X/m64          RM L.66.0F38 33 /r      SSE4_1
pmovzxwq          X,X/m32          RM L.66.0F38 34 /r      SSE4_1
pmovzxdq          X,X/m64          RM L.66.0F38 35 /r      SSE4_1
""",
    """
# Shuffles
[shuffle]
unpcklps          x:X,X/m128       RM L.0F 14 /r           SSE
unpcklpd          x:X,X/m128       RM L.66.0F 14 /r        SSE2
unpckhps          x:X,X/m128       RM L.0F 15 /r           SSE
unpckhpd          x:X,X/m128       RM L.66.0F 15 /r        SSE2
punpcklbw         x:X,X/m128       RM L.66.0F 60 /r        SSE2
punpcklwd         x:X,X/m128       RM L.66.0F 61 /r        SSE2
punpckldq         x:X,X/m128       RM L.66.0F 62 /r        SSE2
punpckhbw         x:X,X/m128       RM L.66.0F 68 /r        SSE2
punpckhwd         x:X,X/m128       RM L.66.0F 69 /r        SSE2
punpckhdq         x:X,X/m128       RM L.66.0F 6A /r        SSE2
punpcklqdq        x:X,X/m128       RM L.66.0F 6C /r        SSE2
punpckhqdq        x:X,X/m128       RM L.66.0F 6D /r        SSE2
pshufd            X,X/m128,u8      RMI L.66.0F 70 /r       SSE2
pshufhw           X,X/m128,u8      RMI L.F3.0F 70 /r       SSE2
pshuflw           X,X/m128,u8      RMI L.F2.0F 70 /r       SSE2
pinsrw            x:X,r32/m16,u8   RMI L.66.0F C4 /r       SSE2
pextrw            r32,X,u8         RMI L.66.0F C5 /r       SSE2
shufps            x:X,X/m128,u8    RMI L.0F C6 /r          SSE
shufpd            x:X,X/m128,u8    RMI L.66.0F C6 /r       SSE2
pshufb            x:X,X/m128       RM L.66.0F38 00 /r      SSSE3
pblendvb          x:X,X/m128,xmm0  RMN L.66.0F38 10 /r     SSE4_1
blendvps          x:X,X/m128,xmm0  RMN L.66.0F38 14 /r     SSE4_1
blendvpd          x:X,X/m128,xmm0  RMN L.66.0F38 15 /r     SSE4_1
blendps           x:X,X/m128,u8    RMI L.66.0F3A 0C /r     SSE4_1
blendpd           x:X,X/m128,u8    RMI L.66.0F3A 0D /r     SSE4_1
pblendw           x:X,X/m128,u8    RMI L.66.0F3A 0E /r     SSE4_1
palignr           x:X,X/m128,u8    RMI L.66.0F3A 0F /r     SSSE3
pextrb            r32/m8,X,u8      MRI L.66.0F3A 14 /r     SSE4_1
pextrw            m16,X,u8         MRI L.66.0F3A 15 /r     SSE4_1
pextrd            r32/m32,X,u8     MRI L.66.0F3A 16 /r     SSE4_1
pextrq            r64/m64,X,u8     MRI L.66.0F3A.W1 16 /r  SSE4_1
extractps         r32/m32,X,u8     MRI L.66.0F3A 17 /r     SSE4_1
pinsrb            x:X,r32/m8,u8    RMI L.66.0F3A 20 /r     SSE4_1
insertps          x:X,X/m32,u8     RMI L.66.0F3A 21 /r     SSE4_1
pinsrd            x:X,r32/m32,u8   RMI L.66.0F3A 22 /r     SSE4_1
pinsrq            x:X,r64/m64,u8   RMI L.66.0F3A.W1 22 /r  SSE4_1
""",
    """
# Masks to vectors and back
[move]
movmskps          r32,X            RM L.0F 50 /r           SSE
movmskpd          r32,X            RM L.66.0F 50 /r        SSE2
pmovmskb          r32,X            RM L.66.0F D7 /r        SSE2
""",
    """
# Strings of characters
[arithmetic]
pcmpestrm         r:X,X/m128,u8    RMI L.66.0F3A 60 /r     SSE4_2     ; r:rax,rdx w:xmm0,flags
pcmpestri         r:X,X/m128,u8    RMI L.66.0F3A 61 /r     SSE4_2     ; r:rax,rdx w:rcx,flags
pcmpistrm         r:X,X/m128,u8    RMI L.66.0F3A 62 /r     SSE4_2     ; w:xmm0,flags
pcmpistri         r:X,X/m128,u8    RMI L.66.0F3A 63 /r     SSE4_2     ; w:rcx,flags
""",
    """
# Cryptography
[arithmetic]
sha1nexte         x:X,X/m128       RM L.0F38 C8 /r         SHA
sha1msg1          x:X,X/m128       RM L.0F38 C9 /r         SHA
sha1msg2          x:X,X/m128       RM L.0F38 CA /r         SHA
sha256rnds2       x:X,X/m128,xmm0  RMN L.0F38 CB /r        SHA
sha256msg1        x:X,X/m128       RM L.0F38 CC /r         SHA
sha256msg2        x:X,X/m128       RM L.0F38 CD /r         SHA
gf2p8mulb         x:X,X/m128       RM L.66.0F38 CF /r      GFNI
aesimc            X,X/m128         RM L.66.0F38 DB /r      AES
aesenc            x:X,X/m128       RM L.66.0F38 DC /r      AES
aesenclast        x:X,X/m128       RM L.66.0F38 DD /r      AES
aesdec            x:X,X/m128       RM L.66.0F38 DE /r      AES
aesdeclast        x:X,X/m128       RM L.66.0F38 DF /r      AES
pclmulqdq         x:X,X/m128,u8    RMI L.66.0F3A 44 /r     PCLMULQDQ
sha1rnds4         x:X,X/m128,u8    RMI L.0F3A CC /r        SHA
gf2p8affineqb     x:X,X/m128,u8    RMI L.66.0F3A CE /r     GFNI
gf2p8affineinvqb  x:X,X/m128,u8    RMI L.66.0F3A CF /r     GFNI
aeskeygenassist   X,X/m128,u8      RMI L.66.0F3A DF /r     AES
""",
)
