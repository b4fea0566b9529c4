"""Integer, branch, system, load, store and atomic instructions of AArch64. Columns: forms.py, notation.py, pattern.py.

Source: Arm ARM (DDI 0487) C4.1, C6.2.
"""

ROWS = (
    """
# Arithmetic: immediate, shifted register, extended register
[arithmetic general]
add         Rd|sp,Rn|sp,#imm:add          R=WX sf 00100010 imm:13 Rn:5 Rd:5                       -
sub         Rd|sp,Rn|sp,#imm:add          R=WX sf 10100010 imm:13 Rn:5 Rd:5                       -
adds        Rd,Rn|sp,#imm:add             R=WX sf 01100010 imm:13 Rn:5 Rd:5                       -           ; w:nzcv
subs        Rd,Rn|sp,#imm:add             R=WX sf 11100010 imm:13 Rn:5 Rd:5                       -           ; w:nzcv
add         Rd,Rn,Rm{lsl}                 R=WX sf 0001011 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -
sub         Rd,Rn,Rm{lsl}                 R=WX sf 1001011 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -
adds        Rd,Rn,Rm{lsl}                 R=WX sf 0101011 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -           ; w:nzcv
subs        Rd,Rn,Rm{lsl}                 R=WX sf 1101011 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -           ; w:nzcv
add         Rd|sp,Rn|sp,Rm{ext}           R=WX sf 0001011001 Rm:5 option:3 imm3:3 Rn:5 Rd:5       -
sub         Rd|sp,Rn|sp,Rm{ext}           R=WX sf 1001011001 Rm:5 option:3 imm3:3 Rn:5 Rd:5       -
adds        Rd,Rn|sp,Rm{ext}              R=WX sf 0101011001 Rm:5 option:3 imm3:3 Rn:5 Rd:5       -           ; w:nzcv
subs        Rd,Rn|sp,Rm{ext}              R=WX sf 1101011001 Rm:5 option:3 imm3:3 Rn:5 Rd:5       -           ; w:nzcv
cmp         r:Rn|sp,#imm:add              R=WX sf 11100010 imm:13 Rn:5 11111                      -           ; w:nzcv
cmn         r:Rn|sp,#imm:add              R=WX sf 01100010 imm:13 Rn:5 11111                      -           ; w:nzcv
cmp         r:Rn,Rm{lsl}                  R=WX sf 1101011 shift:2 0 Rm:5 imm6:6 Rn:5 11111        -           ; w:nzcv
cmn         r:Rn,Rm{lsl}                  R=WX sf 0101011 shift:2 0 Rm:5 imm6:6 Rn:5 11111        -           ; w:nzcv
cmp         r:Rn|sp,Rm{ext}               R=WX sf 1101011001 Rm:5 option:3 imm3:3 Rn:5 11111      -           ; w:nzcv
cmn         r:Rn|sp,Rm{ext}               R=WX sf 0101011001 Rm:5 option:3 imm3:3 Rn:5 11111      -           ; w:nzcv
neg         Rd,Rm{lsl}                    R=WX sf 1001011 shift:2 0 Rm:5 imm6:6 11111 Rd:5        -
negs        Rd,Rm{lsl}                    R=WX sf 1101011 shift:2 0 Rm:5 imm6:6 11111 Rd:5        -           ; w:nzcv
adc         Rd,Rn,Rm                      R=WX sf 0011010000 Rm:5 000000 Rn:5 Rd:5                -           ; r:nzcv
adcs        Rd,Rn,Rm                      R=WX sf 0111010000 Rm:5 000000 Rn:5 Rd:5                -           ; x:nzcv
sbc         Rd,Rn,Rm                      R=WX sf 1011010000 Rm:5 000000 Rn:5 Rd:5                -           ; r:nzcv
sbcs        Rd,Rn,Rm                      R=WX sf 1111010000 Rm:5 000000 Rn:5 Rd:5                -           ; x:nzcv
ngc         Rd,Rm                         R=WX sf 1011010000 Rm:5 00000011111 Rd:5                -           ; r:nzcv
ngcs        Rd,Rm                         R=WX sf 1111010000 Rm:5 00000011111 Rd:5                -           ; x:nzcv
[fma general]
madd        Rd,Rn,Rm,Ra                   R=WX sf 0011011000 Rm:5 0 Ra:5 Rn:5 Rd:5                -
msub        Rd,Rn,Rm,Ra                   R=WX sf 0011011000 Rm:5 1 Ra:5 Rn:5 Rd:5                -
[arithmetic general]
mul         Rd,Rn,Rm                      R=WX sf 0011011000 Rm:5 011111 Rn:5 Rd:5                -
mneg        Rd,Rn,Rm                      R=WX sf 0011011000 Rm:5 111111 Rn:5 Rd:5                -
[fma general]
smaddl      Xd,Wn,Wm,Xa                   10011011001 Rm:5 0 Ra:5 Rn:5 Rd:5                       -
smsubl      Xd,Wn,Wm,Xa                   10011011001 Rm:5 1 Ra:5 Rn:5 Rd:5                       -
umaddl      Xd,Wn,Wm,Xa                   10011011101 Rm:5 0 Ra:5 Rn:5 Rd:5                       -
umsubl      Xd,Wn,Wm,Xa                   10011011101 Rm:5 1 Ra:5 Rn:5 Rd:5                       -
[arithmetic general]
smull       Xd,Wn,Wm                      10011011001 Rm:5 011111 Rn:5 Rd:5                       -
smnegl      Xd,Wn,Wm                      10011011001 Rm:5 111111 Rn:5 Rd:5                       -
umull       Xd,Wn,Wm                      10011011101 Rm:5 011111 Rn:5 Rd:5                       -
umnegl      Xd,Wn,Wm                      10011011101 Rm:5 111111 Rn:5 Rd:5                       -
smulh       Xd,Xn,Xm                      10011011010 Rm:5 011111 Rn:5 Rd:5                       -
umulh       Xd,Xn,Xm                      10011011110 Rm:5 011111 Rn:5 Rd:5                       -
sdiv        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 000011 Rn:5 Rd:5                -
udiv        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 000010 Rn:5 Rd:5                -
smax        Rd,Rn,#simm                   R=WX sf 0010001110000 simm:8 Rn:5 Rd:5                  CSSC
smin        Rd,Rn,#simm                   R=WX sf 0010001110010 simm:8 Rn:5 Rd:5                  CSSC
umax        Rd,Rn,#imm                    R=WX sf 0010001110001 imm:8 Rn:5 Rd:5                   CSSC
umin        Rd,Rn,#imm                    R=WX sf 0010001110011 imm:8 Rn:5 Rd:5                   CSSC
smax        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 011000 Rn:5 Rd:5                CSSC
smin        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 011010 Rn:5 Rd:5                CSSC
umax        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 011001 Rn:5 Rd:5                CSSC
umin        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 011011 Rn:5 Rd:5                CSSC
abs         Rd,Rn                         R=WX sf 101101011000000001000 Rn:5 Rd:5                 CSSC
cnt         Rd,Rn                         R=WX sf 101101011000000000111 Rn:5 Rd:5                 CSSC
ctz         Rd,Rn                         R=WX sf 101101011000000000110 Rn:5 Rd:5                 CSSC
# Logic
and         Rd|sp,Rn,#bimm:mask.R         R=WX sf 00100100 bimm:13 Rn:5 Rd:5                      -
orr         Rd|sp,Rn,#bimm:mask.R         R=WX sf 01100100 bimm:13 Rn:5 Rd:5                      -
eor         Rd|sp,Rn,#bimm:mask.R         R=WX sf 10100100 bimm:13 Rn:5 Rd:5                      -
ands        Rd,Rn,#bimm:mask.R            R=WX sf 11100100 bimm:13 Rn:5 Rd:5                      -           ; w:nzcv
tst         r:Rn,#bimm:mask.R             R=WX sf 11100100 bimm:13 Rn:5 11111                     -           ; w:nzcv
and         Rd,Rn,Rm{ror}                 R=WX sf 0001010 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -
ands        Rd,Rn,Rm{ror}                 R=WX sf 1101010 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -           ; w:nzcv
bic         Rd,Rn,Rm{ror}                 R=WX sf 0001010 shift:2 1 Rm:5 imm6:6 Rn:5 Rd:5         -
bics        Rd,Rn,Rm{ror}                 R=WX sf 1101010 shift:2 1 Rm:5 imm6:6 Rn:5 Rd:5         -           ; w:nzcv
orr         Rd,Rn,Rm{ror}                 R=WX sf 0101010 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -
orn         Rd,Rn,Rm{ror}                 R=WX sf 0101010 shift:2 1 Rm:5 imm6:6 Rn:5 Rd:5         -
eor         Rd,Rn,Rm{ror}                 R=WX sf 1001010 shift:2 0 Rm:5 imm6:6 Rn:5 Rd:5         -
eon         Rd,Rn,Rm{ror}                 R=WX sf 1001010 shift:2 1 Rm:5 imm6:6 Rn:5 Rd:5         -
tst         r:Rn,Rm{ror}                  R=WX sf 1101010 shift:2 0 Rm:5 imm6:6 Rn:5 11111        -           ; w:nzcv
mvn         Rd,Rm{ror}                    R=WX sf 0101010 shift:2 1 Rm:5 imm6:6 11111 Rd:5        -
[move general]
mov         Rd,Rm                         R=WX sf 0101010000 Rm:5 00000011111 Rd:5                -
mov         Rd|sp,Rn|sp                   R=WX sf 001000100 000000000000 Rn:5 Rd:5                -
mov         Wd,#imm:movz.W                010100101 0 imm:17 Rd:5                           -
mov         Xd,#imm:movz.X                110100101 imm:18 Rd:5                             -
mov         Wd,#imm:movn.W                000100101 0 imm:17 Rd:5                           -
mov         Xd,#imm:movn.X                100100101 imm:18 Rd:5                             -
mov         Rd|sp,#bimm:ones.R            R=WX sf 01100100 bimm:13 11111 Rd:5               -
# Wide moves, addresses
movz        Wd,#imm                       01010010100 imm:16 Rd:5                                 -
movn        Wd,#imm                       00010010100 imm:16 Rd:5                                 -
movz        Xd,#imm                       11010010100 imm:16 Rd:5                                 -
movn        Xd,#imm                       10010010100 imm:16 Rd:5                                 -
movk        x:Wd,#imm                     01110010100 imm:16 Rd:5                                 -
movk        x:Xd,#imm                     11110010100 imm:16 Rd:5                                 -
movz        Wd,#imm,lsl#hw*16             0101001010 hw:1 imm:16 Rd:5                             -
movn        Wd,#imm,lsl#hw*16             0001001010 hw:1 imm:16 Rd:5                             -
movz        Xd,#imm,lsl#hw*16             110100101 hw:2 imm:16 Rd:5                              -
movn        Xd,#imm,lsl#hw*16             100100101 hw:2 imm:16 Rd:5                              -
movk        x:Wd,#imm,lsl#hw*16           0111001010 hw:1 imm:16 Rd:5                             -
movk        x:Xd,#imm,lsl#hw*16           111100101 hw:2 imm:16 Rd:5                              -
[address general]
adr         Xd,label*1                    0 label[1:0] 10000 label[20:2] Rd:5                     -
adrp        Xd,label*4096                 1 label[1:0] 10000 label[20:2] Rd:5               -
# Bit fields, shifts, bit counting
[arithmetic general]
sbfm        Rd,Rn,#immr,#imms             R=X 1001001101 immr:6 imms:6 Rn:5 Rd:5                  -
ubfm        Rd,Rn,#immr,#imms             R=X 1101001101 immr:6 imms:6 Rn:5 Rd:5                  -
sbfm        Rd,Rn,#immr,#imms             R=W 00010011000 immr:5 0 imms:5 Rn:5 Rd:5               -
ubfm        Rd,Rn,#immr,#imms             R=W 01010011000 immr:5 0 imms:5 Rn:5 Rd:5               -
bfm         x:Rd,Rn,#immr,#imms           R=X 1011001101 immr:6 imms:6 Rn:5 Rd:5                  -
bfm         x:Rd,Rn,#immr,#imms           R=W 00110011000 immr:5 0 imms:5 Rn:5 Rd:5               -
sbfx        Rd,Rn,#lsb:start.R,#width:width.R  R=WX sf 00100110 sf immr:6 imms:6 Rn:5 Rd:5        -
ubfx        Rd,Rn,#lsb:start.R,#width:width.R  R=WX sf 10100110 sf immr:6 imms:6 Rn:5 Rd:5        -
bfxil       x:Rd,Rn,#lsb:start.R,#width:width.R  R=WX sf 01100110 sf immr:6 imms:6 Rn:5 Rd:5      -
lsr         Wd,Wn,#immr                   01010011000 immr:5 011111 Rn:5 Rd:5                     -
asr         Wd,Wn,#immr                   00010011000 immr:5 011111 Rn:5 Rd:5                     -
lsr         Xd,Xn,#immr                   1101001101 immr:6 111111 Rn:5 Rd:5                      -
asr         Xd,Xn,#immr                   1001001101 immr:6 111111 Rn:5 Rd:5                      -
lsl         Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001000 Rn:5 Rd:5                -
lsr         Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001001 Rn:5 Rd:5                -
asr         Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001010 Rn:5 Rd:5                -
ror         Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001011 Rn:5 Rd:5                -
lslv        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001000 Rn:5 Rd:5                -           ; key:general.lsl
lsrv        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001001 Rn:5 Rd:5                -           ; key:general.lsr
asrv        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001010 Rn:5 Rd:5                -           ; key:general.asr
rorv        Rd,Rn,Rm                      R=WX sf 0011010110 Rm:5 001011 Rn:5 Rd:5                -           ; key:general.ror
extr        Wd,Wn,Wm,#lsb                 00010011100 Rm:5 0 lsb:5 Rn:5 Rd:5                      -
extr        Xd,Xn,Xm,#lsb                 10010011110 Rm:5 lsb:6 Rn:5 Rd:5                        -
sxtb        Wd,Wn                         0001001100000000000111 Rn:5 Rd:5                        -
sxth        Wd,Wn                         0001001100000000001111 Rn:5 Rd:5                        -
sxtb        Xd,Wn                         1001001101000000000111 Rn:5 Rd:5                        -
sxth        Xd,Wn                         1001001101000000001111 Rn:5 Rd:5                        -
sxtw        Xd,Wn                         1001001101000000011111 Rn:5 Rd:5                        -
uxtb        Wd,Wn                         0101001100000000000111 Rn:5 Rd:5                        -
uxth        Wd,Wn                         0101001100000000001111 Rn:5 Rd:5                        -
clz         Rd,Rn                         R=WX sf 101101011000000000100 Rn:5 Rd:5                 -
cls         Rd,Rn                         R=WX sf 101101011000000000101 Rn:5 Rd:5                 -
rbit        Rd,Rn                         R=WX sf 101101011000000000000 Rn:5 Rd:5                 -
[shuffle general]
rev         Rd,Rn                         R=WX sf 10110101100000000001 sf Rn:5 Rd:5               -
rev16       Rd,Rn                         R=WX sf 101101011000000000001 Rn:5 Rd:5                 -
rev32       Xd,Xn                         1101101011000000000010 Rn:5 Rd:5                        -
rev64       Xd,Xn                         1101101011000000000011 Rn:5 Rd:5                        -
# Conditions
[arithmetic general]
csel        Rd,Rn,Rm,cond                 R=WX sf 0011010100 Rm:5 cond:4 00 Rn:5 Rd:5             -           ; r:nzcv
csinc       Rd,Rn,Rm,cond                 R=WX sf 0011010100 Rm:5 cond:4 01 Rn:5 Rd:5             -           ; r:nzcv
csinv       Rd,Rn,Rm,cond                 R=WX sf 1011010100 Rm:5 cond:4 00 Rn:5 Rd:5             -           ; r:nzcv
csneg       Rd,Rn,Rm,cond                 R=WX sf 1011010100 Rm:5 cond:4 01 Rn:5 Rd:5             -           ; r:nzcv
cset        Rd,!cond                      R=WX sf 001101010011111 cond:4 0111111 Rd:5             -           ; r:nzcv
csetm       Rd,!cond                      R=WX sf 101101010011111 cond:4 0011111 Rd:5             -           ; r:nzcv
ccmp        r:Rn,Rm,#nzcv,cond            R=WX sf 1111010010 Rm:5 cond:4 00 Rn:5 0 nzcv:4         -           ; x:nzcv
ccmn        r:Rn,Rm,#nzcv,cond            R=WX sf 0111010010 Rm:5 cond:4 00 Rn:5 0 nzcv:4         -           ; x:nzcv
ccmp        r:Rn,#imm,#nzcv,cond          R=WX sf 1111010010 imm:5 cond:4 10 Rn:5 0 nzcv:4        -           ; x:nzcv
ccmn        r:Rn,#imm,#nzcv,cond          R=WX sf 0111010010 imm:5 cond:4 10 Rn:5 0 nzcv:4        -           ; x:nzcv
rmif        r:Xn,#imm,#mask               10111010000 imm:6 00001 Rn:5 0 mask:4                   FLAGM       ; x:nzcv
setf8       r:Wn                          0011101000000000000010 Rn:5 01101                       FLAGM       ; x:nzcv
setf16      r:Wn                          0011101000000000010010 Rn:5 01101                       FLAGM       ; x:nzcv
[arithmetic control]
cfinv                                     11010101000000000100000000011111                        FLAGM       ; x:nzcv
# Branches
[branch control]
b           label*4                       000101 label:26                                         -
bl          label*4                       100101 label:26                                         -           ; w:x30
b.eq        label*4                       01010100 label:19 00000                                 -           ; r:nzcv
b.ne        label*4                       01010100 label:19 00001                                 -           ; r:nzcv
b.hs        label*4                       01010100 label:19 00010                                 -           ; r:nzcv
b.cs        label*4                       01010100 label:19 00010                                 -           ; r:nzcv key:control.b.hs
b.lo        label*4                       01010100 label:19 00011                                 -           ; r:nzcv
b.cc        label*4                       01010100 label:19 00011                                 -           ; r:nzcv key:control.b.lo
b.mi        label*4                       01010100 label:19 00100                                 -           ; r:nzcv
b.pl        label*4                       01010100 label:19 00101                                 -           ; r:nzcv
b.vs        label*4                       01010100 label:19 00110                                 -           ; r:nzcv
b.vc        label*4                       01010100 label:19 00111                                 -           ; r:nzcv
b.hi        label*4                       01010100 label:19 01000                                 -           ; r:nzcv
b.ls        label*4                       01010100 label:19 01001                                 -           ; r:nzcv
b.ge        label*4                       01010100 label:19 01010                                 -           ; r:nzcv
b.lt        label*4                       01010100 label:19 01011                                 -           ; r:nzcv
b.gt        label*4                       01010100 label:19 01100                                 -           ; r:nzcv
b.le        label*4                       01010100 label:19 01101                                 -           ; r:nzcv
b.al        label*4                       01010100 label:19 01110                                 -
cbz         r:Rt,label*4                  R=WX sf 0110100 label:19 Rt:5                           -
cbnz        r:Rt,label*4                  R=WX sf 0110101 label:19 Rt:5                           -
tbz         r:Wt,#bit,label*4             00110110 bit:5 label:14 Rt:5                            -
tbnz        r:Wt,#bit,label*4             00110111 bit:5 label:14 Rt:5                            -
br          r:Xn                          1101011000011111000000 Rn:5 00000                       -
blr         r:Xn                          1101011000111111000000 Rn:5 00000                       -           ; w:x30
ret         r:Xn                          1101011001011111000000 Rn:5 00000                       -           ; key:control.br
ret                                       11010110010111110000001111000000                        -           ; r:x30 key:control.br
# System
[hint =control.nothing]
nop                                       11010101000000110010000000011111                        -
yield                                     11010101000000110010000000111111                        -
wfe                                       11010101000000110010000001011111                        -
[hint control]
wfi                                       11010101000000110010000001111111                        -
[hint =control.nothing]
sev                                       11010101000000110010000010011111                        -
sevl                                      11010101000000110010000010111111                        -
csdb                                      11010101000000110010001010011111                        -
clrex                                     11010101000000110011111101011111                        -           ; key:control.clrex
clrex       #imm                          11010101000000110011 imm:4 01011111                     -           ; key:control.clrex
[system control]
eret                                      11010110100111110000001111100000                        -
drps                                      11010110101111110000001111100000                        -
[hint =control.nothing]
esb                                       11010101000000110010001000011111                        RAS
sb                                        11010101000000110011000011111111                        SB
hint        #imm                          11010101000000110010 imm:7 11111                        -
isb                                       11010101000000110011111111011111                        -
dsb         barrier                       11010101000000110011 barrier:4 10011111                 -
dmb         barrier                       11010101000000110011 barrier:4 10111111                 -
[system control]
svc         #imm                          11010100000 imm:16 00001                                -
brk         #imm                          11010100001 imm:16 00000                                -           ; key:control.undefined
hlt         #imm                          11010100010 imm:16 00000                                -           ; key:control.undefined
hvc         #imm                          11010100000 imm:16 00010                                -
smc         #imm                          11010100000 imm:16 00011                                -
udf         #imm                          0000000000000000 imm:16                                 -           ; key:control.undefined
[hint control]
bti                                       11010101000000110010010000011111                        -           ; key:control.nothing
bti         bti                           110101010000001100100100 bti:2 011111                   -           ; key:control.nothing
paciasp                                   11010101000000110010001100111111                        -           ; x:x30 r:sp
autiasp                                   11010101000000110010001110111111                        -           ; x:x30 r:sp
pacibsp                                   11010101000000110010001101111111                        -           ; x:x30 r:sp
autibsp                                   11010101000000110010001111111111                        -           ; x:x30 r:sp
xpaclri                                   11010101000000110010000011111111                        -           ; x:x30
[system control]
mrs         Xt,sysreg                     11010101001 1 sysreg:15 Rt:5                            -
msr         wsysreg,Xt                    11010101000 1 sysreg:15 Rt:5                            -
dc          r:dc,Xt                       11010101000 01 dc[9:7] 0111 dc[6:0] Rt:5                -
ic          r:ic,Xt                       11010101000 01 ic[9:7] 0111 ic[6:0] Rt:5                -
# Loads and stores of general registers
[move memory]
ldrb        Wt,[Xn|sp,#imm]               0011100101 imm:12 Rn:5 Rt:5                             -
ldrh        Wt,[Xn|sp,#imm*2]             0111100101 imm:12 Rn:5 Rt:5                             -
ldrsb       Rt,[Xn|sp,#imm]               R,x=W,1/X,0 001110011 x imm:12 Rn:5 Rt:5                -
ldrsh       Rt,[Xn|sp,#imm*2]             R,x=W,1/X,0 011110011 x imm:12 Rn:5 Rt:5                -
ldrsw       Xt,[Xn|sp,#imm*4]             1011100110 imm:12 Rn:5 Rt:5                             -
strb        r:Wt,w:[Xn|sp,#imm]           0011100100 imm:12 Rn:5 Rt:5                             -
strh        r:Wt,w:[Xn|sp,#imm*2]         0111100100 imm:12 Rn:5 Rt:5                             -
ldr         Wt,[Xn|sp,#imm*4]             1011100101 imm:12 Rn:5 Rt:5                             -
ldr         Xt,[Xn|sp,#imm*8]             1111100101 imm:12 Rn:5 Rt:5                             -
str         r:Wt,w:[Xn|sp,#imm*4]         1011100100 imm:12 Rn:5 Rt:5                             -
str         r:Xt,w:[Xn|sp,#imm*8]         1111100100 imm:12 Rn:5 Rt:5                             -
ldrb        Wt,[Xn|sp,#simm]!             00111000010 simm:9 11 Rn:5 Rt:5                         -
ldrh        Wt,[Xn|sp,#simm]!             01111000010 simm:9 11 Rn:5 Rt:5                         -
ldrsb       Rt,[Xn|sp,#simm]!             R,x=W,1/X,0 001110001 x 0 simm:9 11 Rn:5 Rt:5           -
ldrsh       Rt,[Xn|sp,#simm]!             R,x=W,1/X,0 011110001 x 0 simm:9 11 Rn:5 Rt:5           -
ldrsw       Xt,[Xn|sp,#simm]!             10111000100 simm:9 11 Rn:5 Rt:5                         -
ldr         Rt,[Xn|sp,#simm]!             R=WX 1 sf 111000010 simm:9 11 Rn:5 Rt:5                 -
strb        r:Wt,w:[Xn|sp,#simm]!         00111000000 simm:9 11 Rn:5 Rt:5                         -
strh        r:Wt,w:[Xn|sp,#simm]!         01111000000 simm:9 11 Rn:5 Rt:5                         -
str         r:Rt,w:[Xn|sp,#simm]!         R=WX 1 sf 111000000 simm:9 11 Rn:5 Rt:5                 -
ldrb        Wt,[Xn|sp],#simm              00111000010 simm:9 01 Rn:5 Rt:5                         -
ldrh        Wt,[Xn|sp],#simm              01111000010 simm:9 01 Rn:5 Rt:5                         -
ldrsb       Rt,[Xn|sp],#simm              R,x=W,1/X,0 001110001 x 0 simm:9 01 Rn:5 Rt:5           -
ldrsh       Rt,[Xn|sp],#simm              R,x=W,1/X,0 011110001 x 0 simm:9 01 Rn:5 Rt:5           -
ldrsw       Xt,[Xn|sp],#simm              10111000100 simm:9 01 Rn:5 Rt:5                         -
ldr         Rt,[Xn|sp],#simm              R=WX 1 sf 111000010 simm:9 01 Rn:5 Rt:5                 -
strb        r:Wt,w:[Xn|sp],#simm          00111000000 simm:9 01 Rn:5 Rt:5                         -
strh        r:Wt,w:[Xn|sp],#simm          01111000000 simm:9 01 Rn:5 Rt:5                         -
str         r:Rt,w:[Xn|sp],#simm          R=WX 1 sf 111000000 simm:9 01 Rn:5 Rt:5                 -
ldurb       Wt,[Xn|sp,#simm]              00111000010 simm:9 00 Rn:5 Rt:5                         -           ; key:memory.ldrb
ldurh       Wt,[Xn|sp,#simm]              01111000010 simm:9 00 Rn:5 Rt:5                         -           ; key:memory.ldrh
ldursb      Rt,[Xn|sp,#simm]              R,x=W,1/X,0 001110001 x 0 simm:9 00 Rn:5 Rt:5           -           ; key:memory.ldrsb
ldursh      Rt,[Xn|sp,#simm]              R,x=W,1/X,0 011110001 x 0 simm:9 00 Rn:5 Rt:5           -           ; key:memory.ldrsh
ldursw      Xt,[Xn|sp,#simm]              10111000100 simm:9 00 Rn:5 Rt:5                         -           ; key:memory.ldrsw
ldur        Rt,[Xn|sp,#simm]              R=WX 1 sf 111000010 simm:9 00 Rn:5 Rt:5                 -           ; key:memory.ldr
sturb       r:Wt,w:[Xn|sp,#simm]          00111000000 simm:9 00 Rn:5 Rt:5                         -           ; key:memory.strb
sturh       r:Wt,w:[Xn|sp,#simm]          01111000000 simm:9 00 Rn:5 Rt:5                         -           ; key:memory.strh
stur        r:Rt,w:[Xn|sp,#simm]          R=WX 1 sf 111000000 simm:9 00 Rn:5 Rt:5                 -           ; key:memory.str
ldtr        Rt,[Xn|sp,#simm]              R=WX 1 sf 111000010 simm:9 10 Rn:5 Rt:5                 -           ; key:memory.ldr
sttr        r:Rt,w:[Xn|sp,#simm]          R=WX 1 sf 111000000 simm:9 10 Rn:5 Rt:5                 -           ; key:memory.str
ldrb        Wt,[Xn|sp,Rm,ext#0]           00111000011 Rm:5 option:3 010 Rn:5 Rt:5                 -
ldrh        Wt,[Xn|sp,Rm,ext#1]           01111000011 Rm:5 option:3 S:1 10 Rn:5 Rt:5              -
ldrsb       Gt,[Xn|sp,Rm,ext#0]           G,x=W,1/X,0 001110001 x 1 Rm:5 option:3 010 Rn:5 Rt:5   -
ldrsh       Gt,[Xn|sp,Rm,ext#1]           G,x=W,1/X,0 011110001 x 1 Rm:5 option:3 S:1 10 Rn:5 Rt:5  -
ldrsw       Xt,[Xn|sp,Rm,ext#2]           10111000101 Rm:5 option:3 S:1 10 Rn:5 Rt:5              -
ldr         Wt,[Xn|sp,Rm,ext#2]           10111000011 Rm:5 option:3 S:1 10 Rn:5 Rt:5              -
ldr         Xt,[Xn|sp,Rm,ext#3]           11111000011 Rm:5 option:3 S:1 10 Rn:5 Rt:5              -
strb        r:Wt,w:[Xn|sp,Rm,ext#0]       00111000001 Rm:5 option:3 010 Rn:5 Rt:5                 -
strh        r:Wt,w:[Xn|sp,Rm,ext#1]       01111000001 Rm:5 option:3 S:1 10 Rn:5 Rt:5              -
str         r:Wt,w:[Xn|sp,Rm,ext#2]       10111000001 Rm:5 option:3 S:1 10 Rn:5 Rt:5              -
str         r:Xt,w:[Xn|sp,Rm,ext#3]       11111000001 Rm:5 option:3 S:1 10 Rn:5 Rt:5              -
ldr         Rt,label*4                    R=WX 0 sf 011000 label:19 Rt:5                          -
ldrsw       Xt,label*4                    10011000 label:19 Rt:5                                  -
[prefetch =control.nothing]
prfm        r:prfop,[Xn|sp,#imm*8]        1111100110 imm:12 Rn:5 prfop:5                          -
prfum       r:prfop,[Xn|sp,#simm]         11111000100 simm:9 00 Rn:5 prfop:5                      -
prfm        r:prfop,[Xn|sp,Rm,ext#3]      11111000101 Rm:5 option:3 S:1 10 Rn:5 prfop:5           -
prfm        r:prfop,label*4               11011000 label:19 prfop:5                               -
# Pairs
[move memory]
ldp         Wt1,w:Wt2,[Xn|sp,#simm*4]     0010100101 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldp         Xt1,w:Xt2,[Xn|sp,#simm*8]     1010100101 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldp         Wt1,w:Wt2,[Xn|sp,#simm*4]!    0010100111 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldp         Xt1,w:Xt2,[Xn|sp,#simm*8]!    1010100111 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldp         Wt1,w:Wt2,[Xn|sp],#simm*4     0010100011 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldp         Xt1,w:Xt2,[Xn|sp],#simm*8     1010100011 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldpsw       Xt1,w:Xt2,[Xn|sp,#simm*4]     0110100101 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldpsw       Xt1,w:Xt2,[Xn|sp,#simm*4]!    0110100111 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldpsw       Xt1,w:Xt2,[Xn|sp],#simm*4     0110100011 simm:7 Rt2:5 Rn:5 Rt1:5                      -
stp         r:Wt1,Wt2,w:[Xn|sp,#simm*4]   0010100100 simm:7 Rt2:5 Rn:5 Rt1:5                      -
stp         r:Xt1,Xt2,w:[Xn|sp,#simm*8]   1010100100 simm:7 Rt2:5 Rn:5 Rt1:5                      -
stp         r:Wt1,Wt2,w:[Xn|sp,#simm*4]!  0010100110 simm:7 Rt2:5 Rn:5 Rt1:5                      -
stp         r:Xt1,Xt2,w:[Xn|sp,#simm*8]!  1010100110 simm:7 Rt2:5 Rn:5 Rt1:5                      -
stp         r:Wt1,Wt2,w:[Xn|sp],#simm*4   0010100010 simm:7 Rt2:5 Rn:5 Rt1:5                      -
stp         r:Xt1,Xt2,w:[Xn|sp],#simm*8   1010100010 simm:7 Rt2:5 Rn:5 Rt1:5                      -
ldnp        Wt1,w:Wt2,[Xn|sp,#simm*4]     0010100001 simm:7 Rt2:5 Rn:5 Rt1:5                      -           ; key:memory.ldp
ldnp        Xt1,w:Xt2,[Xn|sp,#simm*8]     1010100001 simm:7 Rt2:5 Rn:5 Rt1:5                      -           ; key:memory.ldp
stnp        r:Wt1,Wt2,w:[Xn|sp,#simm*4]   0010100000 simm:7 Rt2:5 Rn:5 Rt1:5                      -           ; key:memory.stp
stnp        r:Xt1,Xt2,w:[Xn|sp,#simm*8]   1010100000 simm:7 Rt2:5 Rn:5 Rt1:5                      -           ; key:memory.stp
# Exclusive, acquire, release
ldxr        Rt,[Xn|sp]                    R=WX 1 sf 00100001011111011111 Rn:5 Rt:5                -
ldaxr       Rt,[Xn|sp]                    R=WX 1 sf 00100001011111111111 Rn:5 Rt:5                -
ldar        Rt,[Xn|sp]                    R=WX 1 sf 00100011011111111111 Rn:5 Rt:5                -
ldapr       Rt,[Xn|sp]                    R=WX 1 sf 11100010111111110000 Rn:5 Rt:5                RCPC
ldaprb      Wt,[Xn|sp]                    0011100010111111110000 Rn:5 Rt:5                        RCPC
ldaprh      Wt,[Xn|sp]                    0111100010111111110000 Rn:5 Rt:5                        RCPC
ldxrb       Wt,[Xn|sp]                    0000100001011111011111 Rn:5 Rt:5                        -
ldxrh       Wt,[Xn|sp]                    0100100001011111011111 Rn:5 Rt:5                        -
ldaxrb      Wt,[Xn|sp]                    0000100001011111111111 Rn:5 Rt:5                        -
ldaxrh      Wt,[Xn|sp]                    0100100001011111111111 Rn:5 Rt:5                        -
ldarb       Wt,[Xn|sp]                    0000100011011111111111 Rn:5 Rt:5                        -
ldarh       Wt,[Xn|sp]                    0100100011011111111111 Rn:5 Rt:5                        -
stlr        r:Rt,w:[Xn|sp]                R=WX 1 sf 00100010011111111111 Rn:5 Rt:5                -
stlrb       r:Wt,w:[Xn|sp]                0000100010011111111111 Rn:5 Rt:5                        -
stlrh       r:Wt,w:[Xn|sp]                0100100010011111111111 Rn:5 Rt:5                        -
stxr        Ws,Rt,w:[Xn|sp]               R=WX 1 sf 001000000 Rs:5 011111 Rn:5 Rt:5               -
stlxr       Ws,Rt,w:[Xn|sp]               R=WX 1 sf 001000000 Rs:5 111111 Rn:5 Rt:5               -
stxrb       Ws,Wt,w:[Xn|sp]               00001000000 Rs:5 011111 Rn:5 Rt:5                       -
stxrh       Ws,Wt,w:[Xn|sp]               01001000000 Rs:5 011111 Rn:5 Rt:5                       -
stlxrb      Ws,Wt,w:[Xn|sp]               00001000000 Rs:5 111111 Rn:5 Rt:5                       -
stlxrh      Ws,Wt,w:[Xn|sp]               01001000000 Rs:5 111111 Rn:5 Rt:5                       -
ldxp        Rt1,w:Rt2,[Xn|sp]             R=WX 1 sf 001000011111110 Rt2:5 Rn:5 Rt1:5              -
ldaxp       Rt1,w:Rt2,[Xn|sp]             R=WX 1 sf 001000011111111 Rt2:5 Rn:5 Rt1:5              -
stxp        Ws,Rt1,Rt2,w:[Xn|sp]          R=WX 1 sf 001000001 Rs:5 0 Rt2:5 Rn:5 Rt1:5             -
stlxp       Ws,Rt1,Rt2,w:[Xn|sp]          R=WX 1 sf 001000001 Rs:5 1 Rt2:5 Rn:5 Rt1:5             -
ldapur      Rt,[Xn|sp,#simm]              R=WX 1 sf 011001010 simm:9 00 Rn:5 Rt:5                 RCPC2
ldapurb     Wt,[Xn|sp,#simm]              00011001010 simm:9 00 Rn:5 Rt:5                         RCPC2
ldapurh     Wt,[Xn|sp,#simm]              01011001010 simm:9 00 Rn:5 Rt:5                         RCPC2
ldapursb    Rt,[Xn|sp,#simm]              R,x=W,1/X,0 000110011 x 0 simm:9 00 Rn:5 Rt:5           RCPC2
ldapursh    Rt,[Xn|sp,#simm]              R,x=W,1/X,0 010110011 x 0 simm:9 00 Rn:5 Rt:5           RCPC2
ldapursw    Xt,[Xn|sp,#simm]              10011001100 simm:9 00 Rn:5 Rt:5                         RCPC2
stlur       r:Rt,w:[Xn|sp,#simm]          R=WX 1 sf 011001000 simm:9 00 Rn:5 Rt:5                 RCPC2
stlurb      r:Wt,w:[Xn|sp,#simm]          00011001000 simm:9 00 Rn:5 Rt:5                         RCPC2
stlurh      r:Wt,w:[Xn|sp,#simm]          01011001000 simm:9 00 Rn:5 Rt:5                         RCPC2
ldtrb       Wt,[Xn|sp,#simm]              00111000010 simm:9 10 Rn:5 Rt:5                         -           ; key:memory.ldrb
ldtrh       Wt,[Xn|sp,#simm]              01111000010 simm:9 10 Rn:5 Rt:5                         -           ; key:memory.ldrh
ldtrsb      Rt,[Xn|sp,#simm]              R,x=W,1/X,0 001110001 x 0 simm:9 10 Rn:5 Rt:5           -           ; key:memory.ldrsb
ldtrsh      Rt,[Xn|sp,#simm]              R,x=W,1/X,0 011110001 x 0 simm:9 10 Rn:5 Rt:5           -           ; key:memory.ldrsh
ldtrsw      Xt,[Xn|sp,#simm]              10111000100 simm:9 10 Rn:5 Rt:5                         -           ; key:memory.ldrsw
sttrb       r:Wt,w:[Xn|sp,#simm]          00111000000 simm:9 10 Rn:5 Rt:5                         -           ; key:memory.strb
sttrh       r:Wt,w:[Xn|sp,#simm]          01111000000 simm:9 10 Rn:5 Rt:5                         -           ; key:memory.strh
# Atomics
[arithmetic memory]
ldadd       r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 000000 Rn:5 Rt:5               LSE
ldadda      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 000000 Rn:5 Rt:5               LSE
ldaddl      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 000000 Rn:5 Rt:5               LSE
ldaddal     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 000000 Rn:5 Rt:5               LSE
ldclr       r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 000100 Rn:5 Rt:5               LSE
ldclra      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 000100 Rn:5 Rt:5               LSE
ldclrl      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 000100 Rn:5 Rt:5               LSE
ldclral     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 000100 Rn:5 Rt:5               LSE
ldeor       r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 001000 Rn:5 Rt:5               LSE
ldeora      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 001000 Rn:5 Rt:5               LSE
ldeorl      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 001000 Rn:5 Rt:5               LSE
ldeoral     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 001000 Rn:5 Rt:5               LSE
ldset       r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 001100 Rn:5 Rt:5               LSE
ldseta      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 001100 Rn:5 Rt:5               LSE
ldsetl      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 001100 Rn:5 Rt:5               LSE
ldsetal     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 001100 Rn:5 Rt:5               LSE
ldsmax      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 010000 Rn:5 Rt:5               LSE
ldsmaxa     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 010000 Rn:5 Rt:5               LSE
ldsmaxl     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 010000 Rn:5 Rt:5               LSE
ldsmaxal    r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 010000 Rn:5 Rt:5               LSE
ldsmin      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 010100 Rn:5 Rt:5               LSE
ldsmina     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 010100 Rn:5 Rt:5               LSE
ldsminl     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 010100 Rn:5 Rt:5               LSE
ldsminal    r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 010100 Rn:5 Rt:5               LSE
ldumax      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 011000 Rn:5 Rt:5               LSE
ldumaxa     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 011000 Rn:5 Rt:5               LSE
ldumaxl     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 011000 Rn:5 Rt:5               LSE
ldumaxal    r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 011000 Rn:5 Rt:5               LSE
ldumin      r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 011100 Rn:5 Rt:5               LSE
ldumina     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 011100 Rn:5 Rt:5               LSE
lduminl     r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 011100 Rn:5 Rt:5               LSE
lduminal    r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 011100 Rn:5 Rt:5               LSE
[move memory]
swp         r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000001 Rs:5 100000 Rn:5 Rt:5               LSE
swpa        r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000101 Rs:5 100000 Rn:5 Rt:5               LSE
swpl        r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000011 Rs:5 100000 Rn:5 Rt:5               LSE
swpal       r:Rs,w:Rt,x:[Xn|sp]           R=WX 1 sf 111000111 Rs:5 100000 Rn:5 Rt:5               LSE
[arithmetic memory]
ldaddb      r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 000000 Rn:5 Rt:5                       LSE
ldaddh      r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 000000 Rn:5 Rt:5                       LSE
ldaddab     r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 000000 Rn:5 Rt:5                       LSE
ldaddah     r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 000000 Rn:5 Rt:5                       LSE
ldaddlb     r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 000000 Rn:5 Rt:5                       LSE
ldaddlh     r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 000000 Rn:5 Rt:5                       LSE
ldaddalb    r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 000000 Rn:5 Rt:5                       LSE
ldaddalh    r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 000000 Rn:5 Rt:5                       LSE
ldclrb      r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 000100 Rn:5 Rt:5                       LSE
ldclrh      r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 000100 Rn:5 Rt:5                       LSE
ldclrab     r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 000100 Rn:5 Rt:5                       LSE
ldclrah     r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 000100 Rn:5 Rt:5                       LSE
ldclrlb     r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 000100 Rn:5 Rt:5                       LSE
ldclrlh     r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 000100 Rn:5 Rt:5                       LSE
ldclralb    r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 000100 Rn:5 Rt:5                       LSE
ldclralh    r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 000100 Rn:5 Rt:5                       LSE
ldeorb      r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 001000 Rn:5 Rt:5                       LSE
ldeorh      r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 001000 Rn:5 Rt:5                       LSE
ldeorab     r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 001000 Rn:5 Rt:5                       LSE
ldeorah     r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 001000 Rn:5 Rt:5                       LSE
ldeorlb     r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 001000 Rn:5 Rt:5                       LSE
ldeorlh     r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 001000 Rn:5 Rt:5                       LSE
ldeoralb    r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 001000 Rn:5 Rt:5                       LSE
ldeoralh    r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 001000 Rn:5 Rt:5                       LSE
ldsetb      r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 001100 Rn:5 Rt:5                       LSE
ldseth      r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 001100 Rn:5 Rt:5                       LSE
ldsetab     r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 001100 Rn:5 Rt:5                       LSE
ldsetah     r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 001100 Rn:5 Rt:5                       LSE
ldsetlb     r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 001100 Rn:5 Rt:5                       LSE
ldsetlh     r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 001100 Rn:5 Rt:5                       LSE
ldsetalb    r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 001100 Rn:5 Rt:5                       LSE
ldsetalh    r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 001100 Rn:5 Rt:5                       LSE
ldsmaxb     r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsmaxh     r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsmaxab    r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsmaxah    r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsmaxlb    r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsmaxlh    r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsmaxalb   r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsmaxalh   r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 010000 Rn:5 Rt:5                       LSE
ldsminb     r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 010100 Rn:5 Rt:5                       LSE
ldsminh     r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 010100 Rn:5 Rt:5                       LSE
ldsminab    r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 010100 Rn:5 Rt:5                       LSE
ldsminah    r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 010100 Rn:5 Rt:5                       LSE
ldsminlb    r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 010100 Rn:5 Rt:5                       LSE
ldsminlh    r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 010100 Rn:5 Rt:5                       LSE
ldsminalb   r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 010100 Rn:5 Rt:5                       LSE
ldsminalh   r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 010100 Rn:5 Rt:5                       LSE
ldumaxb     r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 011000 Rn:5 Rt:5                       LSE
ldumaxh     r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 011000 Rn:5 Rt:5                       LSE
ldumaxab    r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 011000 Rn:5 Rt:5                       LSE
ldumaxah    r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 011000 Rn:5 Rt:5                       LSE
ldumaxlb    r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 011000 Rn:5 Rt:5                       LSE
ldumaxlh    r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 011000 Rn:5 Rt:5                       LSE
ldumaxalb   r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 011000 Rn:5 Rt:5                       LSE
ldumaxalh   r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 011000 Rn:5 Rt:5                       LSE
lduminb     r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 011100 Rn:5 Rt:5                       LSE
lduminh     r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 011100 Rn:5 Rt:5                       LSE
lduminab    r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 011100 Rn:5 Rt:5                       LSE
lduminah    r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 011100 Rn:5 Rt:5                       LSE
lduminlb    r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 011100 Rn:5 Rt:5                       LSE
lduminlh    r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 011100 Rn:5 Rt:5                       LSE
lduminalb   r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 011100 Rn:5 Rt:5                       LSE
lduminalh   r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 011100 Rn:5 Rt:5                       LSE
[move memory]
swpb        r:Ws,w:Wt,x:[Xn|sp]           00111000001 Rs:5 100000 Rn:5 Rt:5                       LSE
swph        r:Ws,w:Wt,x:[Xn|sp]           01111000001 Rs:5 100000 Rn:5 Rt:5                       LSE
swpab       r:Ws,w:Wt,x:[Xn|sp]           00111000101 Rs:5 100000 Rn:5 Rt:5                       LSE
swpah       r:Ws,w:Wt,x:[Xn|sp]           01111000101 Rs:5 100000 Rn:5 Rt:5                       LSE
swplb       r:Ws,w:Wt,x:[Xn|sp]           00111000011 Rs:5 100000 Rn:5 Rt:5                       LSE
swplh       r:Ws,w:Wt,x:[Xn|sp]           01111000011 Rs:5 100000 Rn:5 Rt:5                       LSE
swpalb      r:Ws,w:Wt,x:[Xn|sp]           00111000111 Rs:5 100000 Rn:5 Rt:5                       LSE
swpalh      r:Ws,w:Wt,x:[Xn|sp]           01111000111 Rs:5 100000 Rn:5 Rt:5                       LSE
[arithmetic memory]
stadd       r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 000000 Rn:5 11111              LSE
staddl      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 000000 Rn:5 11111              LSE
stclr       r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 000100 Rn:5 11111              LSE
stclrl      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 000100 Rn:5 11111              LSE
steor       r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 001000 Rn:5 11111              LSE
steorl      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 001000 Rn:5 11111              LSE
stset       r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 001100 Rn:5 11111              LSE
stsetl      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 001100 Rn:5 11111              LSE
stsmax      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 010000 Rn:5 11111              LSE
stsmaxl     r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 010000 Rn:5 11111              LSE
stsmin      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 010100 Rn:5 11111              LSE
stsminl     r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 010100 Rn:5 11111              LSE
stumax      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 011000 Rn:5 11111              LSE
stumaxl     r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 011000 Rn:5 11111              LSE
stumin      r:Rs,x:[Xn|sp]                R=WX 1 sf 111000001 Rs:5 011100 Rn:5 11111              LSE
stuminl     r:Rs,x:[Xn|sp]                R=WX 1 sf 111000011 Rs:5 011100 Rn:5 11111              LSE
staddb      r:Ws,x:[Xn|sp]                00111000001 Rs:5 000000 Rn:5 11111                LSE
staddh      r:Ws,x:[Xn|sp]                01111000001 Rs:5 000000 Rn:5 11111                LSE
staddlb     r:Ws,x:[Xn|sp]                00111000011 Rs:5 000000 Rn:5 11111                LSE
staddlh     r:Ws,x:[Xn|sp]                01111000011 Rs:5 000000 Rn:5 11111                LSE
stclrb      r:Ws,x:[Xn|sp]                00111000001 Rs:5 000100 Rn:5 11111                LSE
stclrh      r:Ws,x:[Xn|sp]                01111000001 Rs:5 000100 Rn:5 11111                LSE
stclrlb     r:Ws,x:[Xn|sp]                00111000011 Rs:5 000100 Rn:5 11111                LSE
stclrlh     r:Ws,x:[Xn|sp]                01111000011 Rs:5 000100 Rn:5 11111                LSE
steorb      r:Ws,x:[Xn|sp]                00111000001 Rs:5 001000 Rn:5 11111                LSE
steorh      r:Ws,x:[Xn|sp]                01111000001 Rs:5 001000 Rn:5 11111                LSE
steorlb     r:Ws,x:[Xn|sp]                00111000011 Rs:5 001000 Rn:5 11111                LSE
steorlh     r:Ws,x:[Xn|sp]                01111000011 Rs:5 001000 Rn:5 11111                LSE
stsetb      r:Ws,x:[Xn|sp]                00111000001 Rs:5 001100 Rn:5 11111                LSE
stseth      r:Ws,x:[Xn|sp]                01111000001 Rs:5 001100 Rn:5 11111                LSE
stsetlb     r:Ws,x:[Xn|sp]                00111000011 Rs:5 001100 Rn:5 11111                LSE
stsetlh     r:Ws,x:[Xn|sp]                01111000011 Rs:5 001100 Rn:5 11111                LSE
stsmaxb     r:Ws,x:[Xn|sp]                00111000001 Rs:5 010000 Rn:5 11111                LSE
stsmaxh     r:Ws,x:[Xn|sp]                01111000001 Rs:5 010000 Rn:5 11111                LSE
stsmaxlb    r:Ws,x:[Xn|sp]                00111000011 Rs:5 010000 Rn:5 11111                LSE
stsmaxlh    r:Ws,x:[Xn|sp]                01111000011 Rs:5 010000 Rn:5 11111                LSE
stsminb     r:Ws,x:[Xn|sp]                00111000001 Rs:5 010100 Rn:5 11111                LSE
stsminh     r:Ws,x:[Xn|sp]                01111000001 Rs:5 010100 Rn:5 11111                LSE
stsminlb    r:Ws,x:[Xn|sp]                00111000011 Rs:5 010100 Rn:5 11111                LSE
stsminlh    r:Ws,x:[Xn|sp]                01111000011 Rs:5 010100 Rn:5 11111                LSE
stumaxb     r:Ws,x:[Xn|sp]                00111000001 Rs:5 011000 Rn:5 11111                LSE
stumaxh     r:Ws,x:[Xn|sp]                01111000001 Rs:5 011000 Rn:5 11111                LSE
stumaxlb    r:Ws,x:[Xn|sp]                00111000011 Rs:5 011000 Rn:5 11111                LSE
stumaxlh    r:Ws,x:[Xn|sp]                01111000011 Rs:5 011000 Rn:5 11111                LSE
stuminb     r:Ws,x:[Xn|sp]                00111000001 Rs:5 011100 Rn:5 11111                LSE
stuminh     r:Ws,x:[Xn|sp]                01111000001 Rs:5 011100 Rn:5 11111                LSE
stuminlb    r:Ws,x:[Xn|sp]                00111000011 Rs:5 011100 Rn:5 11111                LSE
stuminlh    r:Ws,x:[Xn|sp]                01111000011 Rs:5 011100 Rn:5 11111                LSE
cas         x:Rs,Rt,x:[Xn|sp]             R=WX 1 sf 001000101 Rs:5 011111 Rn:5 Rt:5               LSE
casa        x:Rs,Rt,x:[Xn|sp]             R=WX 1 sf 001000111 Rs:5 011111 Rn:5 Rt:5               LSE
casl        x:Rs,Rt,x:[Xn|sp]             R=WX 1 sf 001000101 Rs:5 111111 Rn:5 Rt:5               LSE
casal       x:Rs,Rt,x:[Xn|sp]             R=WX 1 sf 001000111 Rs:5 111111 Rn:5 Rt:5               LSE
casb        x:Ws,Wt,x:[Xn|sp]             00001000101 Rs:5 011111 Rn:5 Rt:5                       LSE
casab       x:Ws,Wt,x:[Xn|sp]             00001000111 Rs:5 011111 Rn:5 Rt:5                       LSE
caslb       x:Ws,Wt,x:[Xn|sp]             00001000101 Rs:5 111111 Rn:5 Rt:5                       LSE
casalb      x:Ws,Wt,x:[Xn|sp]             00001000111 Rs:5 111111 Rn:5 Rt:5                       LSE
cash        x:Ws,Wt,x:[Xn|sp]             01001000101 Rs:5 011111 Rn:5 Rt:5                       LSE
casah       x:Ws,Wt,x:[Xn|sp]             01001000111 Rs:5 011111 Rn:5 Rt:5                       LSE
caslh       x:Ws,Wt,x:[Xn|sp]             01001000101 Rs:5 111111 Rn:5 Rt:5                       LSE
casalh      x:Ws,Wt,x:[Xn|sp]             01001000111 Rs:5 111111 Rn:5 Rt:5                       LSE
casp        x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]  R=WX 0 sf 001000001 Rs:5 011111 Rn:5 Rt:5         LSE
caspa       x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]  R=WX 0 sf 001000011 Rs:5 011111 Rn:5 Rt:5         LSE
caspl       x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]  R=WX 0 sf 001000001 Rs:5 111111 Rn:5 Rt:5         LSE
caspal      x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]  R=WX 0 sf 001000011 Rs:5 111111 Rn:5 Rt:5         LSE
# Checksums
[arithmetic general]
crc32b      Wd,Wn,Wm                      00011010110 Rm:5 010000 Rn:5 Rd:5                       CRC
crc32h      Wd,Wn,Wm                      00011010110 Rm:5 010001 Rn:5 Rd:5                       CRC
crc32w      Wd,Wn,Wm                      00011010110 Rm:5 010010 Rn:5 Rd:5                       CRC
crc32cb     Wd,Wn,Wm                      00011010110 Rm:5 010100 Rn:5 Rd:5                       CRC
crc32ch     Wd,Wn,Wm                      00011010110 Rm:5 010101 Rn:5 Rd:5                       CRC
crc32cw     Wd,Wn,Wm                      00011010110 Rm:5 010110 Rn:5 Rd:5                       CRC
crc32x      Wd,Wn,Xm                      10011010110 Rm:5 010011 Rn:5 Rd:5                       CRC
crc32cx     Wd,Wn,Xm                      10011010110 Rm:5 010111 Rn:5 Rd:5                       CRC
# Special
lsl         Wd,Wn,#sh:left.W              0101001100 immr:6 imms:6 Rn:5 Rd:5                      -
lsl         Xd,Xn,#sh:left.X              1101001101 immr:6 imms:6 Rn:5 Rd:5                      -
bfi         x:Rd,Rn,#lsb:negated.R,#width:length.R  R=WX sf 01 100110 sf immr:6 imms:6 Rn:5 Rd:5  -
ubfiz       Rd,Rn,#lsb:negated.R,#width:length.R  R=WX sf 10 100110 sf immr:6 imms:6 Rn:5 Rd:5    -
sbfiz       Rd,Rn,#lsb:negated.R,#width:length.R  R=WX sf 00 100110 sf immr:6 imms:6 Rn:5 Rd:5    -
ror         Wd,Wn,#lsb                    00010011100 Rn:5 0 lsb:5 Rn:5 Rd:5                      -
ror         Xd,Xn,#lsb                    10010011110 Rn:5 lsb:6 Rn:5 Rd:5                        -
cinc        Rd,Rn,!cond                   R=WX sf 0011010100 Rn:5 cond:4 01 Rn:5 Rd:5             -           ; r:nzcv
cinv        Rd,Rn,!cond                   R=WX sf 1011010100 Rn:5 cond:4 00 Rn:5 Rd:5             -           ; r:nzcv
cneg        Rd,Rn,!cond                   R=WX sf 1011010100 Rn:5 cond:4 01 Rn:5 Rd:5             -           ; r:nzcv
[branch control]
tbz         r:Xt,#bit,label*4             bit[5] 011011 0 bit[4:0] label:14 Rt:5                  -
tbnz        r:Xt,#bit,label*4             bit[5] 011011 1 bit[4:0] label:14 Rt:5                  -
""",
)
