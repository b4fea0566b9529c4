"""The x86-64 instruction table. Columns and letters: forms.py. Source: Intel SDM vol. 2 (order 325383)."""

ROWS = (
    """
# Integer and control
add               x:Rv/Mv,i8                    MI L 83 /0                                                                    -
add               x:rax,i32                     NI L.W1 05                                                                    -
add               x:eax,i32                     NI L 05                                                                       -
add               x:ax,i16                      NI L.66 05                                                                    -
add               x:al,u8                       NI L 04                                                                       -
add               x:Rv/Mv,iv                    MI L 81 /0                                                                    -
add               x:r8/m8,u8                    MI L 80 /0                                                                    -
add               x:Rv/Mv,Rv                    MR L 01 /r                                                                    -
add               x:Rv,Mv                       RM L 03 /r                                                                    -
add               x:r8/m8,r8                    MR L 00 /r                                                                    -
add               x:r8,m8                       RM L 02 /r                                                                    -
or                x:Rv/Mv,i8                    MI L 83 /1                                                                    -
or                x:rax,i32                     NI L.W1 0D                                                                    -
or                x:eax,i32                     NI L 0D                                                                       -
or                x:ax,i16                      NI L.66 0D                                                                    -
or                x:al,u8                       NI L 0C                                                                       -
or                x:Rv/Mv,iv                    MI L 81 /1                                                                    -
or                x:r8/m8,u8                    MI L 80 /1                                                                    -
or                x:Rv/Mv,Rv                    MR L 09 /r                                                                    -
or                x:Rv,Mv                       RM L 0B /r                                                                    -
or                x:r8/m8,r8                    MR L 08 /r                                                                    -
or                x:r8,m8                       RM L 0A /r                                                                    -
adc               x:Rv/Mv,i8                    MI L 83 /2                                                                    -
adc               x:rax,i32                     NI L.W1 15                                                                    -
adc               x:eax,i32                     NI L 15                                                                       -
adc               x:ax,i16                      NI L.66 15                                                                    -
adc               x:al,u8                       NI L 14                                                                       -
adc               x:Rv/Mv,iv                    MI L 81 /2                                                                    -
adc               x:r8/m8,u8                    MI L 80 /2                                                                    -
adc               x:Rv/Mv,Rv                    MR L 11 /r                                                                    -
adc               x:Rv,Mv                       RM L 13 /r                                                                    -
adc               x:r8/m8,r8                    MR L 10 /r                                                                    -
adc               x:r8,m8                       RM L 12 /r                                                                    -
sbb               x:Rv/Mv,i8                    MI L 83 /3                                                                    -
sbb               x:rax,i32                     NI L.W1 1D                                                                    -
sbb               x:eax,i32                     NI L 1D                                                                       -
sbb               x:ax,i16                      NI L.66 1D                                                                    -
sbb               x:al,u8                       NI L 1C                                                                       -
sbb               x:Rv/Mv,iv                    MI L 81 /3                                                                    -
sbb               x:r8/m8,u8                    MI L 80 /3                                                                    -
sbb               x:Rv/Mv,Rv                    MR L 19 /r                                                                    -
sbb               x:Rv,Mv                       RM L 1B /r                                                                    -
sbb               x:r8/m8,r8                    MR L 18 /r                                                                    -
sbb               x:r8,m8                       RM L 1A /r                                                                    -
and               x:Rv/Mv,i8                    MI L 83 /4                                                                    -
and               x:rax,i32                     NI L.W1 25                                                                    -
and               x:eax,i32                     NI L 25                                                                       -
and               x:ax,i16                      NI L.66 25                                                                    -
and               x:al,u8                       NI L 24                                                                       -
and               x:Rv/Mv,iv                    MI L 81 /4                                                                    -
and               x:r8/m8,u8                    MI L 80 /4                                                                    -
and               x:Rv/Mv,Rv                    MR L 21 /r                                                                    -
and               x:Rv,Mv                       RM L 23 /r                                                                    -
and               x:r8/m8,r8                    MR L 20 /r                                                                    -
and               x:r8,m8                       RM L 22 /r                                                                    -
sub               x:Rv/Mv,i8                    MI L 83 /5                                                                    -
sub               x:rax,i32                     NI L.W1 2D                                                                    -
sub               x:eax,i32                     NI L 2D                                                                       -
sub               x:ax,i16                      NI L.66 2D                                                                    -
sub               x:al,u8                       NI L 2C                                                                       -
sub               x:Rv/Mv,iv                    MI L 81 /5                                                                    -
sub               x:r8/m8,u8                    MI L 80 /5                                                                    -
sub               x:Rv/Mv,Rv                    MR L 29 /r                                                                    -
sub               x:Rv,Mv                       RM L 2B /r                                                                    -
sub               x:r8/m8,r8                    MR L 28 /r                                                                    -
sub               x:r8,m8                       RM L 2A /r                                                                    -
xor               x:Rv/Mv,i8                    MI L 83 /6                                                                    -
xor               x:rax,i32                     NI L.W1 35                                                                    -
xor               x:eax,i32                     NI L 35                                                                       -
xor               x:ax,i16                      NI L.66 35                                                                    -
xor               x:al,u8                       NI L 34                                                                       -
xor               x:Rv/Mv,iv                    MI L 81 /6                                                                    -
xor               x:r8/m8,u8                    MI L 80 /6                                                                    -
xor               x:Rv/Mv,Rv                    MR L 31 /r                                                                    -
xor               x:Rv,Mv                       RM L 33 /r                                                                    -
xor               x:r8/m8,r8                    MR L 30 /r                                                                    -
xor               x:r8,m8                       RM L 32 /r                                                                    -
cmp               r:Rv/Mv,i8                    MI L 83 /7                                                                    -
cmp               r:rax,i32                     NI L.W1 3D                                                                    -
cmp               r:eax,i32                     NI L 3D                                                                       -
cmp               r:ax,i16                      NI L.66 3D                                                                    -
cmp               r:al,u8                       NI L 3C                                                                       -
cmp               r:Rv/Mv,iv                    MI L 81 /7                                                                    -
cmp               r:r8/m8,u8                    MI L 80 /7                                                                    -
cmp               r:Rv/Mv,Rv                    MR L 39 /r                                                                    -
cmp               r:Rv,Mv                       RM L 3B /r                                                                    -
cmp               r:r8/m8,r8                    MR L 38 /r                                                                    -
cmp               r:r8,m8                       RM L 3A /r                                                                    -
mov               Rv/Mv,Rv                      MR L 89 /r                                                                    -
mov               Rv,Mv                         RM L 8B /r                                                                    -
mov               r8/m8,r8                      MR L 88 /r                                                                    -
mov               r8,m8                         RM L 8A /r                                                                    -
mov               r8,u8                         OI L B0                                                                       -
mov               r16,u16                       OI L.66 B8                                                                    -
mov               r32,u32                       OI L B8                                                                       -
mov               r64,i32                       MI L.W1 C7 /0                                                                 -
mov               r64,u64                       OI L.W1 B8                                                                    -
mov               m32,u32                       MI L C7 /0                                                                    -
mov               m64,i32                       MI L.W1 C7 /0                                                                 -
mov               m16,u16                       MI L.66 C7 /0                                                                 -
mov               m8,u8                         MI L C6 /0                                                                    -
movzx             Rv,r8/m8                      RM L.0F B6 /r                                                                 -
movzx             Ry,r16/m16                    RM L.0F B7 /r                                                                 -
movsx             Rv,r8/m8                      RM L.0F BE /r                                                                 -
movsx             Ry,r16/m16                    RM L.0F BF /r                                                                 -
movsxd            r64,r32/m32                   RM L.W1 63 /r                                                                 -
lea               Rv,m                          RM L 8D /r                                                                    -
test              r:Rv/Mv,Rv                    MR L 85 /r                                                                    -
test              r:r8/m8,r8                    MR L 84 /r                                                                    -
test              r:rax,i32                     NI L.W1 A9                                                                    -
test              r:eax,i32                     NI L A9                                                                       -
test              r:ax,i16                      NI L.66 A9                                                                    -
test              r:al,u8                       NI L A8                                                                       -
test              r:Rv/Mv,iv                    MI L F7 /0                                                                    -
test              r:r8/m8,u8                    MI L F6 /0                                                                    -
inc               x:Rv/Mv                       M L FF /0                                                                     -
inc               x:r8/m8                       M L FE /0                                                                     -
dec               x:Rv/Mv                       M L FF /1                                                                     -
dec               x:r8/m8                       M L FE /1                                                                     -
not               x:Rv/Mv                       M L F7 /2                                                                     -
not               x:r8/m8                       M L F6 /2                                                                     -
neg               x:Rv/Mv                       M L F7 /3                                                                     -
neg               x:r8/m8                       M L F6 /3                                                                     -
mul               r:Rv/Mv                       M L F7 /4                                                                     -
mul               r:r8/m8                       M L F6 /4                                                                     -
div               r:Rv/Mv                       M L F7 /6                                                                     -
div               r:r8/m8                       M L F6 /6                                                                     -
idiv              r:Rv/Mv                       M L F7 /7                                                                     -
idiv              r:r8/m8                       M L F6 /7                                                                     -
imul              x:Rv,Rv/Mv                    RM L.0F AF /r                                                                 -
imul              Rv,Rv/Mv,i8                   RMI L 6B /r                                                                   -
imul              Rv,Rv/Mv,iv                   RMI L 69 /r                                                                   -
rol               x:Rv/Mv,1                     MN L D1 /0                                                                    -
rol               x:Rv/Mv,u8                    MI L C1 /0                                                                    -
rol               x:Rv/Mv,cl                    MN L D3 /0                                                                    -
ror               x:Rv/Mv,1                     MN L D1 /1                                                                    -
ror               x:Rv/Mv,u8                    MI L C1 /1                                                                    -
ror               x:Rv/Mv,cl                    MN L D3 /1                                                                    -
shl               x:Rv/Mv,1                     MN L D1 /4                                                                    -
shl               x:Rv/Mv,u8                    MI L C1 /4                                                                    -
shl               x:Rv/Mv,cl                    MN L D3 /4                                                                    -
shr               x:Rv/Mv,1                     MN L D1 /5                                                                    -
shr               x:Rv/Mv,u8                    MI L C1 /5                                                                    -
shr               x:Rv/Mv,cl                    MN L D3 /5                                                                    -
sar               x:Rv/Mv,1                     MN L D1 /7                                                                    -
sar               x:Rv/Mv,u8                    MI L C1 /7                                                                    -
sar               x:Rv/Mv,cl                    MN L D3 /7                                                                    -
push              r:r64                         O L 50                                                                        -
pop               r64                           O L 58                                                                        -
xchg              x:Mv,x:Rv                     MR L 87 /r                                                                    -
xchg              x:Rv,x:Mv                     RM L 87 /r                                                                    -
jo                r:rel8                        D L 70 or 0F80                                                                -
jno               r:rel8                        D L 71 or 0F81                                                                -
jb                r:rel8                        D L 72 or 0F82                                                                -
jae               r:rel8                        D L 73 or 0F83                                                                -
je                r:rel8                        D L 74 or 0F84                                                                -
jne               r:rel8                        D L 75 or 0F85                                                                -
jbe               r:rel8                        D L 76 or 0F86                                                                -
ja                r:rel8                        D L 77 or 0F87                                                                -
js                r:rel8                        D L 78 or 0F88                                                                -
jns               r:rel8                        D L 79 or 0F89                                                                -
jp                r:rel8                        D L 7A or 0F8A                                                                -
jnp               r:rel8                        D L 7B or 0F8B                                                                -
jl                r:rel8                        D L 7C or 0F8C                                                                -
jge               r:rel8                        D L 7D or 0F8D                                                                -
jle               r:rel8                        D L 7E or 0F8E                                                                -
jg                r:rel8                        D L 7F or 0F8F                                                                -
seto              r8/m8                         M L.0F 90 /0                                                                  -
setno             r8/m8                         M L.0F 91 /0                                                                  -
setb              r8/m8                         M L.0F 92 /0                                                                  -
setae             r8/m8                         M L.0F 93 /0                                                                  -
sete              r8/m8                         M L.0F 94 /0                                                                  -
setne             r8/m8                         M L.0F 95 /0                                                                  -
setbe             r8/m8                         M L.0F 96 /0                                                                  -
seta              r8/m8                         M L.0F 97 /0                                                                  -
sets              r8/m8                         M L.0F 98 /0                                                                  -
setns             r8/m8                         M L.0F 99 /0                                                                  -
setp              r8/m8                         M L.0F 9A /0                                                                  -
setnp             r8/m8                         M L.0F 9B /0                                                                  -
setl              r8/m8                         M L.0F 9C /0                                                                  -
setge             r8/m8                         M L.0F 9D /0                                                                  -
setle             r8/m8                         M L.0F 9E /0                                                                  -
setg              r8/m8                         M L.0F 9F /0                                                                  -
cmovo             x:Rv,Rv/Mv                    RM L.0F 40 /r                                                                 CMOV
cmovno            x:Rv,Rv/Mv                    RM L.0F 41 /r                                                                 CMOV
cmovb             x:Rv,Rv/Mv                    RM L.0F 42 /r                                                                 CMOV
cmovae            x:Rv,Rv/Mv                    RM L.0F 43 /r                                                                 CMOV
cmove             x:Rv,Rv/Mv                    RM L.0F 44 /r                                                                 CMOV
cmovne            x:Rv,Rv/Mv                    RM L.0F 45 /r                                                                 CMOV
cmovbe            x:Rv,Rv/Mv                    RM L.0F 46 /r                                                                 CMOV
cmova             x:Rv,Rv/Mv                    RM L.0F 47 /r                                                                 CMOV
cmovs             x:Rv,Rv/Mv                    RM L.0F 48 /r                                                                 CMOV
cmovns            x:Rv,Rv/Mv                    RM L.0F 49 /r                                                                 CMOV
cmovp             x:Rv,Rv/Mv                    RM L.0F 4A /r                                                                 CMOV
cmovnp            x:Rv,Rv/Mv                    RM L.0F 4B /r                                                                 CMOV
cmovl             x:Rv,Rv/Mv                    RM L.0F 4C /r                                                                 CMOV
cmovge            x:Rv,Rv/Mv                    RM L.0F 4D /r                                                                 CMOV
cmovle            x:Rv,Rv/Mv                    RM L.0F 4E /r                                                                 CMOV
cmovg             x:Rv,Rv/Mv                    RM L.0F 4F /r                                                                 CMOV
jmp               r:rel8                        D L EB or E9                                                                  -
jmp               r:r64/m64                     M L FF /4                                                                     -
call              r:rel32                       D L E8                                                                        -
call              r:r64/m64                     M L FF /2                                                                     -
ret                                             - L C3                                                                        -
nop                                             - L 90                                                                        -
int3                                            - L CC                                                                        -
leave                                           - L C9                                                                        -
cdq                                             - L 99                                                                        -
syscall                                         - L 0F05                                                                      -
ud2                                             - L 0F0B                                                                      -
cpuid                                           - L 0FA2                                                                      -
rdtsc                                           - L 0F31                                                                      -
xgetbv                                          - L 0F01D0                                                                    -
rdtscp                                          - L 0F01F9                                                                    -
lfence                                          - L 0FAEE8                                                                    -
mfence                                          - L 0FAEF0                                                                    -
sfence                                          - L 0FAEF8                                                                    -
cqo                                             - L.W1 99                                                                     -
endbr64                                         - L.F3 0F1EFA                                                                 -
pause                                           - L.F3 90                                                                     -
""",
    """
# Bit manipulation
andn              Ry,Ry,Ry/My                   RVM VEX.128.NP.0F38 F2 /r                                                     BMI1
bzhi              Ry,Ry/My,Ry                   RMV VEX.128.NP.0F38 F5 /r                                                     BMI2
shlx              Ry,Ry/My,Ry                   RMV VEX.128.66.0F38 F7 /r                                                     BMI2
shrx              Ry,Ry/My,Ry                   RMV VEX.128.F2.0F38 F7 /r                                                     BMI2
sarx              Ry,Ry/My,Ry                   RMV VEX.128.F3.0F38 F7 /r                                                     BMI2
popcnt            Rv,Rv/Mv                      RM L.F3.0F B8 /r                                                              POPCNT
lzcnt             Rv,Rv/Mv                      RM L.F3.0F BD /r                                                              LZCNT
tzcnt             Rv,Rv/Mv                      RM L.F3.0F BC /r                                                              BMI1
""",
    """
# Caches, control registers
prefetchnta       r:m8                          M L.0F 18 /0                                                                  -
prefetcht0        r:m8                          M L.0F 18 /1                                                                  -
prefetcht1        r:m8                          M L.0F 18 /2                                                                  -
prefetcht2        r:m8                          M L.0F 18 /3                                                                  -
prefetchw         r:m8                          M L.0F 0D /1                                                                  -
clflush           r:m8                          M L.0F AE /7                                                                  -
ldmxcsr           r:m32                         M L.0F AE /2                                                                  SSE2
stmxcsr           m32                           M L.0F AE /3                                                                  SSE2
vldmxcsr          r:m32                         M VEX.128.NP.0F AE /2                                                         AVX
vstmxcsr          m32                           M VEX.128.NP.0F AE /3                                                         AVX
vzeroupper                                      - VEX.128.NP.0F 77                                                            AVX
vzeroall                                        - VEX.256.NP.0F 77                                                            AVX
""",
    """
# Moves
vmovups           V{kz},V/M                     RM VEX.NP.0F 10 /r | RM EVEX.NP.0F.W0 10 /r                                   AVX | AVX512F
vmovups           M{k},V                        MR VEX.NP.0F 11 /r | MR EVEX.NP.0F.W0 11 /r                                   AVX | AVX512F
vmovupd           V{kz},V/M                     RM VEX.66.0F 10 /r | RM EVEX.66.0F.W1 10 /r                                   AVX | AVX512F
vmovupd           M{k},V                        MR VEX.66.0F 11 /r | MR EVEX.66.0F.W1 11 /r                                   AVX | AVX512F
vmovaps           V{kz},V/M                     RM VEX.NP.0F 28 /r | RM EVEX.NP.0F.W0 28 /r                                   AVX | AVX512F
vmovaps           M{k},V                        MR VEX.NP.0F 29 /r | MR EVEX.NP.0F.W0 29 /r                                   AVX | AVX512F
vmovapd           V{kz},V/M                     RM VEX.66.0F 28 /r | RM EVEX.66.0F.W1 28 /r                                   AVX | AVX512F
vmovapd           M{k},V                        MR VEX.66.0F 29 /r | MR EVEX.66.0F.W1 29 /r                                   AVX | AVX512F
vmovdqu8          V{kz},V/M                     RM EVEX.F2.0F.W0 6F /r                                                        AVX512BW
vmovdqu8          M{k},V                        MR EVEX.F2.0F.W0 7F /r                                                        AVX512BW
vmovdqu16         V{kz},V/M                     RM EVEX.F2.0F.W1 6F /r                                                        AVX512BW
vmovdqu16         M{k},V                        MR EVEX.F2.0F.W1 7F /r                                                        AVX512BW
vmovdqu32         V{kz},V/M                     RM EVEX.F3.0F.W0 6F /r                                                        AVX512F
vmovdqu32         M{k},V                        MR EVEX.F3.0F.W0 7F /r                                                        AVX512F
vmovdqu64         V{kz},V/M                     RM EVEX.F3.0F.W1 6F /r                                                        AVX512F
vmovdqu64         M{k},V                        MR EVEX.F3.0F.W1 7F /r                                                        AVX512F
vmovdqa32         V{kz},V/M                     RM EVEX.66.0F.W0 6F /r                                                        AVX512F
vmovdqa32         M{k},V                        MR EVEX.66.0F.W0 7F /r                                                        AVX512F
vmovdqa64         V{kz},V/M                     RM EVEX.66.0F.W1 6F /r                                                        AVX512F
vmovdqa64         M{k},V                        MR EVEX.66.0F.W1 7F /r                                                        AVX512F
vmovdqu           V,V/M                         RM VEX.F3.0F 6F /r                                                            AVX
vmovdqu           M,V                           MR VEX.F3.0F 7F /r                                                            AVX
vmovdqa           V,V/M                         RM VEX.66.0F 6F /r                                                            AVX
vmovdqa           M,V                           MR VEX.66.0F 7F /r                                                            AVX
vmovss            X{kz},m32                     RM VEX.LIG.F3.0F 10 /r | RM EVEX.LIG.F3.0F.W0 10 /r                           AVX | AVX512F
vmovss            m32{k},X                      MR VEX.LIG.F3.0F 11 /r | MR EVEX.LIG.F3.0F.W0 11 /r                           AVX | AVX512F
vmovss            X{kz},X,X                     RVM VEX.LIG.F3.0F 10 /r | RVM EVEX.LIG.F3.0F.W0 10 /r                         AVX | AVX512F
vmovsd            X{kz},m64                     RM VEX.LIG.F2.0F 10 /r | RM EVEX.LIG.F2.0F.W1 10 /r                           AVX | AVX512F
vmovsd            m64{k},X                      MR VEX.LIG.F2.0F 11 /r | MR EVEX.LIG.F2.0F.W1 11 /r                           AVX | AVX512F
vmovsd            X{kz},X,X                     RVM VEX.LIG.F2.0F 10 /r | RVM EVEX.LIG.F2.0F.W1 10 /r                         AVX | AVX512F
vmovd             X,r32/m32                     RM VEX.128.66.0F 6E /r | RM EVEX.128.66.0F.W0 6E /r                           AVX | AVX512F
vmovd             r32/m32,X                     MR VEX.128.66.0F 7E /r | MR EVEX.128.66.0F.W0 7E /r                           AVX | AVX512F
vmovq             X,X                           RM VEX.128.F3.0F 7E /r | RM EVEX.128.F3.0F.W1 7E /r                           AVX | AVX512F
vmovq             X,m64                         RM VEX.128.F3.0F 7E /r | RM EVEX.128.66.0F.W1 6E /r                           AVX | AVX512F
vmovq             m64,X                         MR VEX.128.66.0F D6 /r | MR EVEX.128.66.0F.W1 7E /r                           AVX | AVX512F
vmovq             X,r64                         RM VEX.128.66.0F.W1 6E /r | RM EVEX.128.66.0F.W1 6E /r                        AVX | AVX512F
vmovq             r64,X                         MR VEX.128.66.0F.W1 7E /r | MR EVEX.128.66.0F.W1 7E /r                        AVX | AVX512F
vmovlps           X,X,m64                       RVM VEX.128.NP.0F 12 /r | RVM EVEX.128.NP.0F.W0 12 /r                         AVX | AVX512F
vmovlps           m64,X                         MR VEX.128.NP.0F 13 /r | MR EVEX.128.NP.0F.W0 13 /r                           AVX | AVX512F
vmovlpd           X,X,m64                       RVM VEX.128.66.0F 12 /r | RVM EVEX.128.66.0F.W1 12 /r                         AVX | AVX512F
vmovlpd           m64,X                         MR VEX.128.66.0F 13 /r | MR EVEX.128.66.0F.W1 13 /r                           AVX | AVX512F
vmovhps           X,X,m64                       RVM VEX.128.NP.0F 16 /r | RVM EVEX.128.NP.0F.W0 16 /r                         AVX | AVX512F
vmovhps           m64,X                         MR VEX.128.NP.0F 17 /r | MR EVEX.128.NP.0F.W0 17 /r                           AVX | AVX512F
vmovhpd           X,X,m64                       RVM VEX.128.66.0F 16 /r | RVM EVEX.128.66.0F.W1 16 /r                         AVX | AVX512F
vmovhpd           m64,X                         MR VEX.128.66.0F 17 /r | MR EVEX.128.66.0F.W1 17 /r                           AVX | AVX512F
vmovhlps          X,X,X                         RVM VEX.128.NP.0F 12 /r | RVM EVEX.128.NP.0F.W0 12 /r                         AVX | AVX512F
vmovlhps          X,X,X                         RVM VEX.128.NP.0F 16 /r | RVM EVEX.128.NP.0F.W0 16 /r                         AVX | AVX512F
vmovntps          M,V                           MR VEX.NP.0F 2B /r | MR EVEX.NP.0F.W0 2B /r                                   AVX | AVX512F
vmovntpd          M,V                           MR VEX.66.0F 2B /r | MR EVEX.66.0F.W1 2B /r                                   AVX | AVX512F
vmaskmovps        V,V,M                         RVM VEX.66.0F38.W0 2C /r                                                      AVX
vmaskmovps        M,V,V                         MVR VEX.66.0F38.W0 2E /r                                                      AVX
vmaskmovpd        V,V,M                         RVM VEX.66.0F38.W0 2D /r                                                      AVX
vmaskmovpd        M,V,V                         MVR VEX.66.0F38.W0 2F /r                                                      AVX
vpmaskmovd        V,V,M                         RVM VEX.66.0F38.W0 8C /r                                                      AVX2
vpmaskmovd        M,V,V                         MVR VEX.66.0F38.W0 8E /r                                                      AVX2
vpmaskmovq        V,V,M                         RVM VEX.66.0F38.W1 8C /r                                                      AVX2
vpmaskmovq        M,V,V                         MVR VEX.66.0F38.W1 8E /r                                                      AVX2
""",
    """
# Broadcasts
vbroadcastss      V{kz},X/m32                   RM VEX.66.0F38.W0 18 /r | RM EVEX.66.0F38.W0 18 /r                            AVX2 | AVX512F
vbroadcastsd      Y,X/m64                       RM VEX.256.66.0F38.W0 19 /r                                                   AVX2
vbroadcastsd      Y{kz},X/m64                   RM EVEX.256.66.0F38.W1 19 /r                                                  AVX512F
vbroadcastsd      Z{kz},X/m64                   RM EVEX.512.66.0F38.W1 19 /r                                                  AVX512F
vmovddup          X{kz},X/m64                   RM VEX.128.F2.0F 12 /r | RM EVEX.128.F2.0F.W1 12 /r                           AVX | AVX512F
vmovddup          Y{kz},Y/m256                  RM VEX.256.F2.0F 12 /r | RM EVEX.256.F2.0F.W1 12 /r                           AVX | AVX512F
vmovddup          Z{kz},Z/m512                  RM EVEX.512.F2.0F.W1 12 /r                                                    AVX512F
vmovshdup         V{kz},V/M                     RM VEX.F3.0F 16 /r | RM EVEX.F3.0F.W0 16 /r                                   AVX | AVX512F
vmovsldup         V{kz},V/M                     RM VEX.F3.0F 12 /r | RM EVEX.F3.0F.W0 12 /r                                   AVX | AVX512F
vbroadcastf128    Y,m128                        RM VEX.256.66.0F38.W0 1A /r                                                   AVX
vbroadcastf32x2   Y{kz},X/m64                   RM EVEX.256.66.0F38.W0 19 /r                                                  AVX512DQ
vbroadcastf32x2   Z{kz},X/m64                   RM EVEX.512.66.0F38.W0 19 /r                                                  AVX512DQ
vbroadcastf32x4   Y{kz},m128                    RM EVEX.256.66.0F38.W0 1A /r                                                  AVX512F
vbroadcastf32x4   Z{kz},m128                    RM EVEX.512.66.0F38.W0 1A /r                                                  AVX512F
vbroadcastf64x2   Y{kz},m128                    RM EVEX.256.66.0F38.W1 1A /r                                                  AVX512DQ
vbroadcastf64x2   Z{kz},m128                    RM EVEX.512.66.0F38.W1 1A /r                                                  AVX512DQ
vbroadcastf32x8   Z{kz},m256                    RM EVEX.512.66.0F38.W0 1B /r                                                  AVX512DQ
vbroadcastf64x4   Z{kz},m256                    RM EVEX.512.66.0F38.W1 1B /r                                                  AVX512F
""",
    """
# Arithmetic
vaddps            V{kz},V,V/M/b32{er}           RVM VEX.NP.0F 58 /r | RVM EVEX.NP.0F.W0 58 /r                                 AVX | AVX512F
vaddpd            V{kz},V,V/M/b64{er}           RVM VEX.66.0F 58 /r | RVM EVEX.66.0F.W1 58 /r                                 AVX | AVX512F
vaddss            X{kz},X,X/m32{er}             RVM VEX.LIG.F3.0F 58 /r | RVM EVEX.LIG.F3.0F.W0 58 /r                         AVX | AVX512F
vaddsd            X{kz},X,X/m64{er}             RVM VEX.LIG.F2.0F 58 /r | RVM EVEX.LIG.F2.0F.W1 58 /r                         AVX | AVX512F
vmulps            V{kz},V,V/M/b32{er}           RVM VEX.NP.0F 59 /r | RVM EVEX.NP.0F.W0 59 /r                                 AVX | AVX512F
vmulpd            V{kz},V,V/M/b64{er}           RVM VEX.66.0F 59 /r | RVM EVEX.66.0F.W1 59 /r                                 AVX | AVX512F
vmulss            X{kz},X,X/m32{er}             RVM VEX.LIG.F3.0F 59 /r | RVM EVEX.LIG.F3.0F.W0 59 /r                         AVX | AVX512F
vmulsd            X{kz},X,X/m64{er}             RVM VEX.LIG.F2.0F 59 /r | RVM EVEX.LIG.F2.0F.W1 59 /r                         AVX | AVX512F
vsubps            V{kz},V,V/M/b32{er}           RVM VEX.NP.0F 5C /r | RVM EVEX.NP.0F.W0 5C /r                                 AVX | AVX512F
vsubpd            V{kz},V,V/M/b64{er}           RVM VEX.66.0F 5C /r | RVM EVEX.66.0F.W1 5C /r                                 AVX | AVX512F
vsubss            X{kz},X,X/m32{er}             RVM VEX.LIG.F3.0F 5C /r | RVM EVEX.LIG.F3.0F.W0 5C /r                         AVX | AVX512F
vsubsd            X{kz},X,X/m64{er}             RVM VEX.LIG.F2.0F 5C /r | RVM EVEX.LIG.F2.0F.W1 5C /r                         AVX | AVX512F
vdivps            V{kz},V,V/M/b32{er}           RVM VEX.NP.0F 5E /r | RVM EVEX.NP.0F.W0 5E /r                                 AVX | AVX512F
vdivpd            V{kz},V,V/M/b64{er}           RVM VEX.66.0F 5E /r | RVM EVEX.66.0F.W1 5E /r                                 AVX | AVX512F
vdivss            X{kz},X,X/m32{er}             RVM VEX.LIG.F3.0F 5E /r | RVM EVEX.LIG.F3.0F.W0 5E /r                         AVX | AVX512F
vdivsd            X{kz},X,X/m64{er}             RVM VEX.LIG.F2.0F 5E /r | RVM EVEX.LIG.F2.0F.W1 5E /r                         AVX | AVX512F
vminps            V{kz},V,V/M/b32{sae}          RVM VEX.NP.0F 5D /r | RVM EVEX.NP.0F.W0 5D /r                                 AVX | AVX512F
vminpd            V{kz},V,V/M/b64{sae}          RVM VEX.66.0F 5D /r | RVM EVEX.66.0F.W1 5D /r                                 AVX | AVX512F
vminss            X{kz},X,X/m32{sae}            RVM VEX.LIG.F3.0F 5D /r | RVM EVEX.LIG.F3.0F.W0 5D /r                         AVX | AVX512F
vminsd            X{kz},X,X/m64{sae}            RVM VEX.LIG.F2.0F 5D /r | RVM EVEX.LIG.F2.0F.W1 5D /r                         AVX | AVX512F
vmaxps            V{kz},V,V/M/b32{sae}          RVM VEX.NP.0F 5F /r | RVM EVEX.NP.0F.W0 5F /r                                 AVX | AVX512F
vmaxpd            V{kz},V,V/M/b64{sae}          RVM VEX.66.0F 5F /r | RVM EVEX.66.0F.W1 5F /r                                 AVX | AVX512F
vmaxss            X{kz},X,X/m32{sae}            RVM VEX.LIG.F3.0F 5F /r | RVM EVEX.LIG.F3.0F.W0 5F /r                         AVX | AVX512F
vmaxsd            X{kz},X,X/m64{sae}            RVM VEX.LIG.F2.0F 5F /r | RVM EVEX.LIG.F2.0F.W1 5F /r                         AVX | AVX512F
vandps            V{kz},V,V/M/b32               RVM VEX.NP.0F 54 /r | RVM EVEX.NP.0F.W0 54 /r                                 AVX | AVX512DQ
vandpd            V{kz},V,V/M/b64               RVM VEX.66.0F 54 /r | RVM EVEX.66.0F.W1 54 /r                                 AVX | AVX512DQ
vandnps           V{kz},V,V/M/b32               RVM VEX.NP.0F 55 /r | RVM EVEX.NP.0F.W0 55 /r                                 AVX | AVX512DQ
vandnpd           V{kz},V,V/M/b64               RVM VEX.66.0F 55 /r | RVM EVEX.66.0F.W1 55 /r                                 AVX | AVX512DQ
vorps             V{kz},V,V/M/b32               RVM VEX.NP.0F 56 /r | RVM EVEX.NP.0F.W0 56 /r                                 AVX | AVX512DQ
vorpd             V{kz},V,V/M/b64               RVM VEX.66.0F 56 /r | RVM EVEX.66.0F.W1 56 /r                                 AVX | AVX512DQ
vxorps            V{kz},V,V/M/b32               RVM VEX.NP.0F 57 /r | RVM EVEX.NP.0F.W0 57 /r                                 AVX | AVX512DQ
vxorpd            V{kz},V,V/M/b64               RVM VEX.66.0F 57 /r | RVM EVEX.66.0F.W1 57 /r                                 AVX | AVX512DQ
vsqrtps           V{kz},V/M/b32{er}             RM VEX.NP.0F 51 /r | RM EVEX.NP.0F.W0 51 /r                                   AVX | AVX512F
vsqrtpd           V{kz},V/M/b64{er}             RM VEX.66.0F 51 /r | RM EVEX.66.0F.W1 51 /r                                   AVX | AVX512F
vsqrtss           X{kz},X,X/m32{er}             RVM VEX.LIG.F3.0F 51 /r | RVM EVEX.LIG.F3.0F.W0 51 /r                         AVX | AVX512F
vsqrtsd           X{kz},X,X/m64{er}             RVM VEX.LIG.F2.0F 51 /r | RVM EVEX.LIG.F2.0F.W1 51 /r                         AVX | AVX512F
vhaddps           V,V,V/M                       RVM VEX.F2.0F 7C /r                                                           AVX
vhaddpd           V,V,V/M                       RVM VEX.66.0F 7C /r                                                           AVX
vhsubps           V,V,V/M                       RVM VEX.F2.0F 7D /r                                                           AVX
vhsubpd           V,V,V/M                       RVM VEX.66.0F 7D /r                                                           AVX
""",
    """
# Fused multiply-add
vfmaddsub132ps    x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 96 /r | RVM EVEX.66.0F38.W0 96 /r                          FMA | AVX512F
vfmaddsub132pd    x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 96 /r | RVM EVEX.66.0F38.W1 96 /r                          FMA | AVX512F
vfmaddsub213ps    x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 A6 /r | RVM EVEX.66.0F38.W0 A6 /r                          FMA | AVX512F
vfmaddsub213pd    x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 A6 /r | RVM EVEX.66.0F38.W1 A6 /r                          FMA | AVX512F
vfmaddsub231ps    x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 B6 /r | RVM EVEX.66.0F38.W0 B6 /r                          FMA | AVX512F
vfmaddsub231pd    x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 B6 /r | RVM EVEX.66.0F38.W1 B6 /r                          FMA | AVX512F
vfmsubadd132ps    x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 97 /r | RVM EVEX.66.0F38.W0 97 /r                          FMA | AVX512F
vfmsubadd132pd    x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 97 /r | RVM EVEX.66.0F38.W1 97 /r                          FMA | AVX512F
vfmsubadd213ps    x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 A7 /r | RVM EVEX.66.0F38.W0 A7 /r                          FMA | AVX512F
vfmsubadd213pd    x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 A7 /r | RVM EVEX.66.0F38.W1 A7 /r                          FMA | AVX512F
vfmsubadd231ps    x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 B7 /r | RVM EVEX.66.0F38.W0 B7 /r                          FMA | AVX512F
vfmsubadd231pd    x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 B7 /r | RVM EVEX.66.0F38.W1 B7 /r                          FMA | AVX512F
vfmadd132ps       x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 98 /r | RVM EVEX.66.0F38.W0 98 /r                          FMA | AVX512F
vfmadd132pd       x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 98 /r | RVM EVEX.66.0F38.W1 98 /r                          FMA | AVX512F
vfmadd132ss       x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 99 /r | RVM EVEX.LIG.66.0F38.W0 99 /r                  FMA | AVX512F
vfmadd132sd       x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 99 /r | RVM EVEX.LIG.66.0F38.W1 99 /r                  FMA | AVX512F
vfmadd213ps       x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 A8 /r | RVM EVEX.66.0F38.W0 A8 /r                          FMA | AVX512F
vfmadd213pd       x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 A8 /r | RVM EVEX.66.0F38.W1 A8 /r                          FMA | AVX512F
vfmadd213ss       x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 A9 /r | RVM EVEX.LIG.66.0F38.W0 A9 /r                  FMA | AVX512F
vfmadd213sd       x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 A9 /r | RVM EVEX.LIG.66.0F38.W1 A9 /r                  FMA | AVX512F
vfmadd231ps       x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 B8 /r | RVM EVEX.66.0F38.W0 B8 /r                          FMA | AVX512F
vfmadd231pd       x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 B8 /r | RVM EVEX.66.0F38.W1 B8 /r                          FMA | AVX512F
vfmadd231ss       x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 B9 /r | RVM EVEX.LIG.66.0F38.W0 B9 /r                  FMA | AVX512F
vfmadd231sd       x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 B9 /r | RVM EVEX.LIG.66.0F38.W1 B9 /r                  FMA | AVX512F
vfmsub132ps       x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 9A /r | RVM EVEX.66.0F38.W0 9A /r                          FMA | AVX512F
vfmsub132pd       x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 9A /r | RVM EVEX.66.0F38.W1 9A /r                          FMA | AVX512F
vfmsub132ss       x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 9B /r | RVM EVEX.LIG.66.0F38.W0 9B /r                  FMA | AVX512F
vfmsub132sd       x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 9B /r | RVM EVEX.LIG.66.0F38.W1 9B /r                  FMA | AVX512F
vfmsub213ps       x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 AA /r | RVM EVEX.66.0F38.W0 AA /r                          FMA | AVX512F
vfmsub213pd       x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 AA /r | RVM EVEX.66.0F38.W1 AA /r                          FMA | AVX512F
vfmsub213ss       x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 AB /r | RVM EVEX.LIG.66.0F38.W0 AB /r                  FMA | AVX512F
vfmsub213sd       x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 AB /r | RVM EVEX.LIG.66.0F38.W1 AB /r                  FMA | AVX512F
vfmsub231ps       x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 BA /r | RVM EVEX.66.0F38.W0 BA /r                          FMA | AVX512F
vfmsub231pd       x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 BA /r | RVM EVEX.66.0F38.W1 BA /r                          FMA | AVX512F
vfmsub231ss       x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 BB /r | RVM EVEX.LIG.66.0F38.W0 BB /r                  FMA | AVX512F
vfmsub231sd       x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 BB /r | RVM EVEX.LIG.66.0F38.W1 BB /r                  FMA | AVX512F
vfnmadd132ps      x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 9C /r | RVM EVEX.66.0F38.W0 9C /r                          FMA | AVX512F
vfnmadd132pd      x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 9C /r | RVM EVEX.66.0F38.W1 9C /r                          FMA | AVX512F
vfnmadd132ss      x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 9D /r | RVM EVEX.LIG.66.0F38.W0 9D /r                  FMA | AVX512F
vfnmadd132sd      x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 9D /r | RVM EVEX.LIG.66.0F38.W1 9D /r                  FMA | AVX512F
vfnmadd213ps      x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 AC /r | RVM EVEX.66.0F38.W0 AC /r                          FMA | AVX512F
vfnmadd213pd      x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 AC /r | RVM EVEX.66.0F38.W1 AC /r                          FMA | AVX512F
vfnmadd213ss      x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 AD /r | RVM EVEX.LIG.66.0F38.W0 AD /r                  FMA | AVX512F
vfnmadd213sd      x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 AD /r | RVM EVEX.LIG.66.0F38.W1 AD /r                  FMA | AVX512F
vfnmadd231ps      x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 BC /r | RVM EVEX.66.0F38.W0 BC /r                          FMA | AVX512F
vfnmadd231pd      x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 BC /r | RVM EVEX.66.0F38.W1 BC /r                          FMA | AVX512F
vfnmadd231ss      x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 BD /r | RVM EVEX.LIG.66.0F38.W0 BD /r                  FMA | AVX512F
vfnmadd231sd      x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 BD /r | RVM EVEX.LIG.66.0F38.W1 BD /r                  FMA | AVX512F
vfnmsub132ps      x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 9E /r | RVM EVEX.66.0F38.W0 9E /r                          FMA | AVX512F
vfnmsub132pd      x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 9E /r | RVM EVEX.66.0F38.W1 9E /r                          FMA | AVX512F
vfnmsub132ss      x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 9F /r | RVM EVEX.LIG.66.0F38.W0 9F /r                  FMA | AVX512F
vfnmsub132sd      x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 9F /r | RVM EVEX.LIG.66.0F38.W1 9F /r                  FMA | AVX512F
vfnmsub213ps      x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 AE /r | RVM EVEX.66.0F38.W0 AE /r                          FMA | AVX512F
vfnmsub213pd      x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 AE /r | RVM EVEX.66.0F38.W1 AE /r                          FMA | AVX512F
vfnmsub213ss      x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 AF /r | RVM EVEX.LIG.66.0F38.W0 AF /r                  FMA | AVX512F
vfnmsub213sd      x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 AF /r | RVM EVEX.LIG.66.0F38.W1 AF /r                  FMA | AVX512F
vfnmsub231ps      x:V{kz},V,V/M/b32{er}         RVM VEX.66.0F38.W0 BE /r | RVM EVEX.66.0F38.W0 BE /r                          FMA | AVX512F
vfnmsub231pd      x:V{kz},V,V/M/b64{er}         RVM VEX.66.0F38.W1 BE /r | RVM EVEX.66.0F38.W1 BE /r                          FMA | AVX512F
vfnmsub231ss      x:X{kz},X,X/m32{er}           RVM VEX.LIG.66.0F38.W0 BF /r | RVM EVEX.LIG.66.0F38.W0 BF /r                  FMA | AVX512F
vfnmsub231sd      x:X{kz},X,X/m64{er}           RVM VEX.LIG.66.0F38.W1 BF /r | RVM EVEX.LIG.66.0F38.W1 BF /r                  FMA | AVX512F
""",
    """
# Shuffles
vunpcklps         V{kz},V,V/M/b32               RVM VEX.NP.0F 14 /r | RVM EVEX.NP.0F.W0 14 /r                                 AVX | AVX512F
vunpckhps         V{kz},V,V/M/b32               RVM VEX.NP.0F 15 /r | RVM EVEX.NP.0F.W0 15 /r                                 AVX | AVX512F
vshufps           V{kz},V,V/M/b32,u8            RVMI VEX.NP.0F C6 /r | RVMI EVEX.NP.0F.W0 C6 /r                               AVX | AVX512F
vunpcklpd         V{kz},V,V/M/b64               RVM VEX.66.0F 14 /r | RVM EVEX.66.0F.W1 14 /r                                 AVX | AVX512F
vunpckhpd         V{kz},V,V/M/b64               RVM VEX.66.0F 15 /r | RVM EVEX.66.0F.W1 15 /r                                 AVX | AVX512F
vshufpd           V{kz},V,V/M/b64,u8            RVMI VEX.66.0F C6 /r | RVMI EVEX.66.0F.W1 C6 /r                               AVX | AVX512F
vpermilps         V{kz},V,V/M/b32               RVM VEX.66.0F38.W0 0C /r | RVM EVEX.66.0F38.W0 0C /r                          AVX | AVX512F
vpermilps         V{kz},V/M/b32,u8              RMI VEX.66.0F3A.W0 04 /r | RMI EVEX.66.0F3A.W0 04 /r                          AVX | AVX512F
vblendps          V,V,V/M,u8                    RVMI VEX.66.0F3A 0C /r                                                        AVX
vblendvps         V,V,V/M,V                     RVMS VEX.66.0F3A.W0 4A /r                                                     AVX
vblendmps         V{kz},V,V/M/b32               RVM EVEX.66.0F38.W0 65 /r                                                     AVX512F
vpermt2ps         x:V{kz},V,V/M/b32             RVM EVEX.66.0F38.W0 7F /r                                                     AVX512F
vpermi2ps         x:V{kz},V,V/M/b32             RVM EVEX.66.0F38.W0 77 /r                                                     AVX512F
vcompressps       V{kz},V                       MR EVEX.66.0F38.W0 8A /r                                                      AVX512F
vcompressps       M{k},V                        MR EVEX.66.0F38.W0 8A /r n4                                                   AVX512F
vexpandps         V{kz},V                       RM EVEX.66.0F38.W0 88 /r                                                      AVX512F
vexpandps         V{kz},M                       RM EVEX.66.0F38.W0 88 /r n4                                                   AVX512F
vpermilpd         V{kz},V,V/M/b64               RVM VEX.66.0F38.W0 0D /r | RVM EVEX.66.0F38.W1 0D /r                          AVX | AVX512F
vpermilpd         V{kz},V/M/b64,u8              RMI VEX.66.0F3A.W0 05 /r | RMI EVEX.66.0F3A.W1 05 /r                          AVX | AVX512F
vblendpd          V,V,V/M,u8                    RVMI VEX.66.0F3A 0D /r                                                        AVX
vblendvpd         V,V,V/M,V                     RVMS VEX.66.0F3A.W0 4B /r                                                     AVX
vblendmpd         V{kz},V,V/M/b64               RVM EVEX.66.0F38.W1 65 /r                                                     AVX512F
vpermt2pd         x:V{kz},V,V/M/b64             RVM EVEX.66.0F38.W1 7F /r                                                     AVX512F
vpermi2pd         x:V{kz},V,V/M/b64             RVM EVEX.66.0F38.W1 77 /r                                                     AVX512F
vcompresspd       V{kz},V                       MR EVEX.66.0F38.W1 8A /r                                                      AVX512F
vcompresspd       M{k},V                        MR EVEX.66.0F38.W1 8A /r n8                                                   AVX512F
vexpandpd         V{kz},V                       RM EVEX.66.0F38.W1 88 /r                                                      AVX512F
vexpandpd         V{kz},M                       RM EVEX.66.0F38.W1 88 /r n8                                                   AVX512F
vpermps           Y,Y,Y/m256                    RVM VEX.256.66.0F38.W0 16 /r                                                  AVX2
vpermps           Y{kz},Y,Y/m256/b32            RVM EVEX.256.66.0F38.W0 16 /r                                                 AVX512F
vpermps           Z{kz},Z,Z/m512/b32            RVM EVEX.512.66.0F38.W0 16 /r                                                 AVX512F
vpermpd           Y,Y/m256,u8                   RMI VEX.256.66.0F3A.W1 01 /r                                                  AVX2
vpermpd           Y{kz},Y,Y/m256/b64            RVM EVEX.256.66.0F38.W1 16 /r                                                 AVX512F
vpermpd           Y{kz},Y/m256/b64,u8           RMI EVEX.256.66.0F3A.W1 01 /r                                                 AVX512F
vpermpd           Z{kz},Z,Z/m512/b64            RVM EVEX.512.66.0F38.W1 16 /r                                                 AVX512F
vpermpd           Z{kz},Z/m512/b64,u8           RMI EVEX.512.66.0F3A.W1 01 /r                                                 AVX512F
vperm2f128        Y,Y,Y/m256,u8                 RVMI VEX.256.66.0F3A.W0 06 /r                                                 AVX
vshuff32x4        Y{kz},Y,Y/m256/b32,u8         RVMI EVEX.256.66.0F3A.W0 23 /r                                                AVX512F
vshuff64x2        Y{kz},Y,Y/m256/b64,u8         RVMI EVEX.256.66.0F3A.W1 23 /r                                                AVX512F
vshuff32x4        Z{kz},Z,Z/m512/b32,u8         RVMI EVEX.512.66.0F3A.W0 23 /r                                                AVX512F
vshuff64x2        Z{kz},Z,Z/m512/b64,u8         RVMI EVEX.512.66.0F3A.W1 23 /r                                                AVX512F
vinsertf128       Y,Y,X/m128,u8                 RVMI VEX.256.66.0F3A.W0 18 /r                                                 AVX
vextractf128      X/m128,Y,u8                   MRI VEX.256.66.0F3A.W0 19 /r                                                  AVX
vinsertf32x4      Y{kz},Y,X/m128,u8             RVMI EVEX.256.66.0F3A.W0 18 /r                                                AVX512F
vextractf32x4     X{kz},Y,u8                    MRI EVEX.256.66.0F3A.W0 19 /r                                                 AVX512F
vextractf32x4     m128{k},Y,u8                  MRI EVEX.256.66.0F3A.W0 19 /r                                                 AVX512F
vinsertf32x4      Z{kz},Z,X/m128,u8             RVMI EVEX.512.66.0F3A.W0 18 /r                                                AVX512F
vextractf32x4     X{kz},Z,u8                    MRI EVEX.512.66.0F3A.W0 19 /r                                                 AVX512F
vextractf32x4     m128{k},Z,u8                  MRI EVEX.512.66.0F3A.W0 19 /r                                                 AVX512F
vinsertf64x2      Y{kz},Y,X/m128,u8             RVMI EVEX.256.66.0F3A.W1 18 /r                                                AVX512DQ
vextractf64x2     X{kz},Y,u8                    MRI EVEX.256.66.0F3A.W1 19 /r                                                 AVX512DQ
vextractf64x2     m128{k},Y,u8                  MRI EVEX.256.66.0F3A.W1 19 /r                                                 AVX512DQ
vinsertf64x2      Z{kz},Z,X/m128,u8             RVMI EVEX.512.66.0F3A.W1 18 /r                                                AVX512DQ
vextractf64x2     X{kz},Z,u8                    MRI EVEX.512.66.0F3A.W1 19 /r                                                 AVX512DQ
vextractf64x2     m128{k},Z,u8                  MRI EVEX.512.66.0F3A.W1 19 /r                                                 AVX512DQ
vinsertf32x8      Z{kz},Z,Y/m256,u8             RVMI EVEX.512.66.0F3A.W0 1A /r                                                AVX512DQ
vextractf32x8     Y{kz},Z,u8                    MRI EVEX.512.66.0F3A.W0 1B /r                                                 AVX512DQ
vextractf32x8     m256{k},Z,u8                  MRI EVEX.512.66.0F3A.W0 1B /r                                                 AVX512DQ
vinsertf64x4      Z{kz},Z,Y/m256,u8             RVMI EVEX.512.66.0F3A.W1 1A /r                                                AVX512F
vextractf64x4     Y{kz},Z,u8                    MRI EVEX.512.66.0F3A.W1 1B /r                                                 AVX512F
vextractf64x4     m256{k},Z,u8                  MRI EVEX.512.66.0F3A.W1 1B /r                                                 AVX512F
vinsertps         X,X,X/m32,u8                  RVMI VEX.128.66.0F3A 21 /r | RVMI EVEX.128.66.0F3A.W0 21 /r                   AVX | AVX512F
vextractps        r32/m32,X,u8                  MRI VEX.128.66.0F3A 17 /r | MRI EVEX.128.66.0F3A.W0 17 /r                     AVX | AVX512F
valignd           V{kz},V,V/M/b32,u8            RVMI EVEX.66.0F3A.W0 03 /r                                                    AVX512F
valignq           V{kz},V,V/M/b64,u8            RVMI EVEX.66.0F3A.W1 03 /r                                                    AVX512F
""",
    """
# Gather and scatter
vgatherdps        x:X,vx32,x:X                  RMV VEX.128.66.0F38.W0 92 /r                                                  AVX2
vgatherdps        x:X{k},vx32                   RM EVEX.128.66.0F38.W0 92 /r n4                                               AVX512F
vscatterdps       x:vx32{k},X                   MR EVEX.128.66.0F38.W0 A2 /r n4                                               AVX512F
vgatherdps        x:Y,vy32,x:Y                  RMV VEX.256.66.0F38.W0 92 /r                                                  AVX2
vgatherdps        x:Y{k},vy32                   RM EVEX.256.66.0F38.W0 92 /r n4                                               AVX512F
vscatterdps       x:vy32{k},Y                   MR EVEX.256.66.0F38.W0 A2 /r n4                                               AVX512F
vgatherdps        x:Z{k},vz32                   RM EVEX.512.66.0F38.W0 92 /r n4                                               AVX512F
vscatterdps       x:vz32{k},Z                   MR EVEX.512.66.0F38.W0 A2 /r n4                                               AVX512F
vgatherqps        x:X,vx32,x:X                  RMV VEX.128.66.0F38.W0 93 /r                                                  AVX2
vgatherqps        x:X{k},vx32                   RM EVEX.128.66.0F38.W0 93 /r n4                                               AVX512F
vscatterqps       x:vx32{k},X                   MR EVEX.128.66.0F38.W0 A3 /r n4                                               AVX512F
vgatherqps        x:X,vy32,x:X                  RMV VEX.256.66.0F38.W0 93 /r                                                  AVX2
vgatherqps        x:X{k},vy32                   RM EVEX.256.66.0F38.W0 93 /r n4                                               AVX512F
vscatterqps       x:vy32{k},X                   MR EVEX.256.66.0F38.W0 A3 /r n4                                               AVX512F
vgatherqps        x:Y{k},vz32                   RM EVEX.512.66.0F38.W0 93 /r n4                                               AVX512F
vscatterqps       x:vz32{k},Y                   MR EVEX.512.66.0F38.W0 A3 /r n4                                               AVX512F
vgatherdpd        x:X,vx64,x:X                  RMV VEX.128.66.0F38.W1 92 /r                                                  AVX2
vgatherdpd        x:X{k},vx64                   RM EVEX.128.66.0F38.W1 92 /r n8                                               AVX512F
vscatterdpd       x:vx64{k},X                   MR EVEX.128.66.0F38.W1 A2 /r n8                                               AVX512F
vgatherdpd        x:Y,vx64,x:Y                  RMV VEX.256.66.0F38.W1 92 /r                                                  AVX2
vgatherdpd        x:Y{k},vx64                   RM EVEX.256.66.0F38.W1 92 /r n8                                               AVX512F
vscatterdpd       x:vx64{k},Y                   MR EVEX.256.66.0F38.W1 A2 /r n8                                               AVX512F
vgatherdpd        x:Z{k},vy64                   RM EVEX.512.66.0F38.W1 92 /r n8                                               AVX512F
vscatterdpd       x:vy64{k},Z                   MR EVEX.512.66.0F38.W1 A2 /r n8                                               AVX512F
vgatherqpd        x:X,vx64,x:X                  RMV VEX.128.66.0F38.W1 93 /r                                                  AVX2
vgatherqpd        x:X{k},vx64                   RM EVEX.128.66.0F38.W1 93 /r n8                                               AVX512F
vscatterqpd       x:vx64{k},X                   MR EVEX.128.66.0F38.W1 A3 /r n8                                               AVX512F
vgatherqpd        x:Y,vy64,x:Y                  RMV VEX.256.66.0F38.W1 93 /r                                                  AVX2
vgatherqpd        x:Y{k},vy64                   RM EVEX.256.66.0F38.W1 93 /r n8                                               AVX512F
vscatterqpd       x:vy64{k},Y                   MR EVEX.256.66.0F38.W1 A3 /r n8                                               AVX512F
vgatherqpd        x:Z{k},vz64                   RM EVEX.512.66.0F38.W1 93 /r n8                                               AVX512F
vscatterqpd       x:vz64{k},Z                   MR EVEX.512.66.0F38.W1 A3 /r n8                                               AVX512F
""",
    """
# Masks
kmovb             K,K/m8                        RM VEX.128.66.0F.W0 90 /r                                                     AVX512DQ
kmovb             m8,K                          MR VEX.128.66.0F.W0 91 /r                                                     AVX512DQ
kmovb             K,r32                         RM VEX.128.66.0F.W0 92 /r                                                     AVX512DQ
kmovb             r32,K                         RM VEX.128.66.0F.W0 93 /r                                                     AVX512DQ
kandb             K,K,K                         RVM VEX.256.66.0F.W0 41 /r                                                    AVX512DQ
kandnb            K,K,K                         RVM VEX.256.66.0F.W0 42 /r                                                    AVX512DQ
korb              K,K,K                         RVM VEX.256.66.0F.W0 45 /r                                                    AVX512DQ
kxnorb            K,K,K                         RVM VEX.256.66.0F.W0 46 /r                                                    AVX512DQ
kxorb             K,K,K                         RVM VEX.256.66.0F.W0 47 /r                                                    AVX512DQ
kaddb             K,K,K                         RVM VEX.256.66.0F.W0 4A /r                                                    AVX512DQ
knotb             K,K                           RM VEX.128.66.0F.W0 44 /r                                                     AVX512DQ
kortestb          r:K,K                         RM VEX.128.66.0F.W0 98 /r                                                     AVX512DQ
ktestb            r:K,K                         RM VEX.128.66.0F.W0 99 /r                                                     AVX512DQ
kshiftlb          K,K,u8                        RMI VEX.128.66.0F3A.W0 32 /r                                                  AVX512DQ
kshiftrb          K,K,u8                        RMI VEX.128.66.0F3A.W0 30 /r                                                  AVX512DQ
kmovw             K,K/m16                       RM VEX.128.NP.0F.W0 90 /r                                                     AVX512F
kmovw             m16,K                         MR VEX.128.NP.0F.W0 91 /r                                                     AVX512F
kmovw             K,r32                         RM VEX.128.NP.0F.W0 92 /r                                                     AVX512F
kmovw             r32,K                         RM VEX.128.NP.0F.W0 93 /r                                                     AVX512F
kandw             K,K,K                         RVM VEX.256.NP.0F.W0 41 /r                                                    AVX512F
kandnw            K,K,K                         RVM VEX.256.NP.0F.W0 42 /r                                                    AVX512F
korw              K,K,K                         RVM VEX.256.NP.0F.W0 45 /r                                                    AVX512F
kxnorw            K,K,K                         RVM VEX.256.NP.0F.W0 46 /r                                                    AVX512F
kxorw             K,K,K                         RVM VEX.256.NP.0F.W0 47 /r                                                    AVX512F
kaddw             K,K,K                         RVM VEX.256.NP.0F.W0 4A /r                                                    AVX512DQ
knotw             K,K                           RM VEX.128.NP.0F.W0 44 /r                                                     AVX512F
kortestw          r:K,K                         RM VEX.128.NP.0F.W0 98 /r                                                     AVX512F
ktestw            r:K,K                         RM VEX.128.NP.0F.W0 99 /r                                                     AVX512DQ
kshiftlw          K,K,u8                        RMI VEX.128.66.0F3A.W1 32 /r                                                  AVX512F
kshiftrw          K,K,u8                        RMI VEX.128.66.0F3A.W1 30 /r                                                  AVX512F
kmovd             K,K/m32                       RM VEX.128.66.0F.W1 90 /r                                                     AVX512BW
kmovd             m32,K                         MR VEX.128.66.0F.W1 91 /r                                                     AVX512BW
kmovd             K,r32                         RM VEX.128.F2.0F.W0 92 /r                                                     AVX512BW
kmovd             r32,K                         RM VEX.128.F2.0F.W0 93 /r                                                     AVX512BW
kandd             K,K,K                         RVM VEX.256.66.0F.W1 41 /r                                                    AVX512BW
kandnd            K,K,K                         RVM VEX.256.66.0F.W1 42 /r                                                    AVX512BW
kord              K,K,K                         RVM VEX.256.66.0F.W1 45 /r                                                    AVX512BW
kxnord            K,K,K                         RVM VEX.256.66.0F.W1 46 /r                                                    AVX512BW
kxord             K,K,K                         RVM VEX.256.66.0F.W1 47 /r                                                    AVX512BW
kaddd             K,K,K                         RVM VEX.256.66.0F.W1 4A /r                                                    AVX512BW
knotd             K,K                           RM VEX.128.66.0F.W1 44 /r                                                     AVX512BW
kortestd          r:K,K                         RM VEX.128.66.0F.W1 98 /r                                                     AVX512BW
ktestd            r:K,K                         RM VEX.128.66.0F.W1 99 /r                                                     AVX512BW
kshiftld          K,K,u8                        RMI VEX.128.66.0F3A.W0 33 /r                                                  AVX512BW
kshiftrd          K,K,u8                        RMI VEX.128.66.0F3A.W0 31 /r                                                  AVX512BW
kmovq             K,K/m64                       RM VEX.128.NP.0F.W1 90 /r                                                     AVX512BW
kmovq             m64,K                         MR VEX.128.NP.0F.W1 91 /r                                                     AVX512BW
kmovq             K,r64                         RM VEX.128.F2.0F.W1 92 /r                                                     AVX512BW
kmovq             r64,K                         RM VEX.128.F2.0F.W1 93 /r                                                     AVX512BW
kandq             K,K,K                         RVM VEX.256.NP.0F.W1 41 /r                                                    AVX512BW
kandnq            K,K,K                         RVM VEX.256.NP.0F.W1 42 /r                                                    AVX512BW
korq              K,K,K                         RVM VEX.256.NP.0F.W1 45 /r                                                    AVX512BW
kxnorq            K,K,K                         RVM VEX.256.NP.0F.W1 46 /r                                                    AVX512BW
kxorq             K,K,K                         RVM VEX.256.NP.0F.W1 47 /r                                                    AVX512BW
kaddq             K,K,K                         RVM VEX.256.NP.0F.W1 4A /r                                                    AVX512BW
knotq             K,K                           RM VEX.128.NP.0F.W1 44 /r                                                     AVX512BW
kortestq          r:K,K                         RM VEX.128.NP.0F.W1 98 /r                                                     AVX512BW
ktestq            r:K,K                         RM VEX.128.NP.0F.W1 99 /r                                                     AVX512BW
kshiftlq          K,K,u8                        RMI VEX.128.66.0F3A.W1 33 /r                                                  AVX512BW
kshiftrq          K,K,u8                        RMI VEX.128.66.0F3A.W1 31 /r                                                  AVX512BW
""",
    """
# Integer vectors
vpaddd            V{kz},V,V/M/b32               RVM VEX.66.0F FE /r | RVM EVEX.66.0F.W0 FE /r                                 AVX2 | AVX512F
vpsubd            V{kz},V,V/M/b32               RVM VEX.66.0F FA /r | RVM EVEX.66.0F.W0 FA /r                                 AVX2 | AVX512F
vpaddq            V{kz},V,V/M/b64               RVM VEX.66.0F D4 /r | RVM EVEX.66.0F.W1 D4 /r                                 AVX2 | AVX512F
vpsubq            V{kz},V,V/M/b64               RVM VEX.66.0F FB /r | RVM EVEX.66.0F.W1 FB /r                                 AVX2 | AVX512F
vpmulld           V{kz},V,V/M/b32               RVM VEX.66.0F38 40 /r | RVM EVEX.66.0F38.W0 40 /r                             AVX2 | AVX512F
vpand             V,V,V/M                       RVM VEX.66.0F DB /r                                                           AVX2
vpandd            V{kz},V,V/M/b32               RVM EVEX.66.0F.W0 DB /r                                                       AVX512F
vpandq            V{kz},V,V/M/b64               RVM EVEX.66.0F.W1 DB /r                                                       AVX512F
vpandn            V,V,V/M                       RVM VEX.66.0F DF /r                                                           AVX2
vpandnd           V{kz},V,V/M/b32               RVM EVEX.66.0F.W0 DF /r                                                       AVX512F
vpandnq           V{kz},V,V/M/b64               RVM EVEX.66.0F.W1 DF /r                                                       AVX512F
vpor              V,V,V/M                       RVM VEX.66.0F EB /r                                                           AVX2
vpord             V{kz},V,V/M/b32               RVM EVEX.66.0F.W0 EB /r                                                       AVX512F
vporq             V{kz},V,V/M/b64               RVM EVEX.66.0F.W1 EB /r                                                       AVX512F
vpxor             V,V,V/M                       RVM VEX.66.0F EF /r                                                           AVX2
vpxord            V{kz},V,V/M/b32               RVM EVEX.66.0F.W0 EF /r                                                       AVX512F
vpxorq            V{kz},V,V/M/b64               RVM EVEX.66.0F.W1 EF /r                                                       AVX512F
vpternlogd        x:V{kz},V,V/M/b32,u8          RVMI EVEX.66.0F3A.W0 25 /r                                                    AVX512F
vpternlogq        x:V{kz},V,V/M/b64,u8          RVMI EVEX.66.0F3A.W1 25 /r                                                    AVX512F
vpbroadcastd      V{kz},X/m32                   RM VEX.66.0F38.W0 58 /r | RM EVEX.66.0F38.W0 58 /r                            AVX2 | AVX512F
vpbroadcastd      V{kz},r32                     RM EVEX.66.0F38.W0 7C /r                                                      AVX512F
vpbroadcastq      V{kz},X/m64                   RM VEX.66.0F38.W0 59 /r | RM EVEX.66.0F38.W1 59 /r                            AVX2 | AVX512F
vpbroadcastq      V{kz},r64                     RM EVEX.66.0F38.W1 7C /r                                                      AVX512F
vpcmpeqd          V,V,V/M                       RVM VEX.66.0F 76 /r                                                           AVX2
vpcmpd            K{k},V,V/M/b32,u8             RVMI EVEX.66.0F3A.W0 1F /r                                                    AVX512F
vcmpps            V,V,V/M,u8                    RVMI VEX.NP.0F C2 /r                                                          AVX
vcmpps            K{k},V,V/M/b32{sae},u8        RVMI EVEX.NP.0F.W0 C2 /r                                                      AVX512F
vcmppd            V,V,V/M,u8                    RVMI VEX.66.0F C2 /r                                                          AVX
vcmppd            K{k},V,V/M/b64{sae},u8        RVMI EVEX.66.0F.W1 C2 /r                                                      AVX512F
""",
)
