"""Integer, control, atomic and system instructions of x86-64. Columns and letters: grammar.py.

Sources: Intel SDM vol. 2 (order 325383); ISE 319433 for CMPCCXADD and RAO-INT; SDM vol. 1, 18 for CET.
"""

ROWS = (
    """
# Integer arithmetic and logic
[arithmetic]
add              x:Rv/Mv,i8        MI L 83 /0                 -            ; w:flags
add              x:rax,i32         NI L.W1 05                 -            ; w:flags
add              x:eax,i32         NI L 05                    -            ; w:flags
add              x:ax,i16          NI L.66 05                 -            ; w:flags
add              x:al,u8           NI L 04                    -            ; w:flags
add              x:Rv/Mv,iv        MI L 81 /0                 -            ; w:flags
add              x:r8/m8,u8        MI L 80 /0                 -            ; w:flags
add              x:Rv/Mv,Rv        MR L 01 /r                 -            ; w:flags
add              x:Rv,Mv           RM L 03 /r                 -            ; w:flags
add              x:r8/m8,r8        MR L 00 /r                 -            ; w:flags
add              x:r8,m8           RM L 02 /r                 -            ; w:flags
or               x:Rv/Mv,i8        MI L 83 /1                 -            ; w:flags
or               x:rax,i32         NI L.W1 0D                 -            ; w:flags
or               x:eax,i32         NI L 0D                    -            ; w:flags
or               x:ax,i16          NI L.66 0D                 -            ; w:flags
or               x:al,u8           NI L 0C                    -            ; w:flags
or               x:Rv/Mv,iv        MI L 81 /1                 -            ; w:flags
or               x:r8/m8,u8        MI L 80 /1                 -            ; w:flags
or               x:Rv/Mv,Rv        MR L 09 /r                 -            ; w:flags
or               x:Rv,Mv           RM L 0B /r                 -            ; w:flags
or               x:r8/m8,r8        MR L 08 /r                 -            ; w:flags
or               x:r8,m8           RM L 0A /r                 -            ; w:flags
adc              x:Rv/Mv,i8        MI L 83 /2                 -            ; r:cf w:flags
adc              x:rax,i32         NI L.W1 15                 -            ; r:cf w:flags
adc              x:eax,i32         NI L 15                    -            ; r:cf w:flags
adc              x:ax,i16          NI L.66 15                 -            ; r:cf w:flags
adc              x:al,u8           NI L 14                    -            ; r:cf w:flags
adc              x:Rv/Mv,iv        MI L 81 /2                 -            ; r:cf w:flags
adc              x:r8/m8,u8        MI L 80 /2                 -            ; r:cf w:flags
adc              x:Rv/Mv,Rv        MR L 11 /r                 -            ; r:cf w:flags
adc              x:Rv,Mv           RM L 13 /r                 -            ; r:cf w:flags
adc              x:r8/m8,r8        MR L 10 /r                 -            ; r:cf w:flags
adc              x:r8,m8           RM L 12 /r                 -            ; r:cf w:flags
sbb              x:Rv/Mv,i8        MI L 83 /3                 -            ; r:cf w:flags
sbb              x:rax,i32         NI L.W1 1D                 -            ; r:cf w:flags
sbb              x:eax,i32         NI L 1D                    -            ; r:cf w:flags
sbb              x:ax,i16          NI L.66 1D                 -            ; r:cf w:flags
sbb              x:al,u8           NI L 1C                    -            ; r:cf w:flags
sbb              x:Rv/Mv,iv        MI L 81 /3                 -            ; r:cf w:flags
sbb              x:r8/m8,u8        MI L 80 /3                 -            ; r:cf w:flags
sbb              x:Rv/Mv,Rv        MR L 19 /r                 -            ; r:cf w:flags
sbb              x:Rv,Mv           RM L 1B /r                 -            ; r:cf w:flags
sbb              x:r8/m8,r8        MR L 18 /r                 -            ; r:cf w:flags
sbb              x:r8,m8           RM L 1A /r                 -            ; r:cf w:flags
and              x:Rv/Mv,i8        MI L 83 /4                 -            ; w:flags
and              x:rax,i32         NI L.W1 25                 -            ; w:flags
and              x:eax,i32         NI L 25                    -            ; w:flags
and              x:ax,i16          NI L.66 25                 -            ; w:flags
and              x:al,u8           NI L 24                    -            ; w:flags
and              x:Rv/Mv,iv        MI L 81 /4                 -            ; w:flags
and              x:r8/m8,u8        MI L 80 /4                 -            ; w:flags
and              x:Rv/Mv,Rv        MR L 21 /r                 -            ; w:flags
and              x:Rv,Mv           RM L 23 /r                 -            ; w:flags
and              x:r8/m8,r8        MR L 20 /r                 -            ; w:flags
and              x:r8,m8           RM L 22 /r                 -            ; w:flags
sub              x:Rv/Mv,i8        MI L 83 /5                 -            ; w:flags
sub              x:rax,i32         NI L.W1 2D                 -            ; w:flags
sub              x:eax,i32         NI L 2D                    -            ; w:flags
sub              x:ax,i16          NI L.66 2D                 -            ; w:flags
sub              x:al,u8           NI L 2C                    -            ; w:flags
sub              x:Rv/Mv,iv        MI L 81 /5                 -            ; w:flags
sub              x:r8/m8,u8        MI L 80 /5                 -            ; w:flags
sub              x:Rv/Mv,Rv        MR L 29 /r                 -            ; w:flags
sub              x:Rv,Mv           RM L 2B /r                 -            ; w:flags
sub              x:r8/m8,r8        MR L 28 /r                 -            ; w:flags
sub              x:r8,m8           RM L 2A /r                 -            ; w:flags
xor              x:Rv/Mv,i8        MI L 83 /6                 -            ; w:flags
xor              x:rax,i32         NI L.W1 35                 -            ; w:flags
xor              x:eax,i32         NI L 35                    -            ; w:flags
xor              x:ax,i16          NI L.66 35                 -            ; w:flags
xor              x:al,u8           NI L 34                    -            ; w:flags
xor              x:Rv/Mv,iv        MI L 81 /6                 -            ; w:flags
xor              x:r8/m8,u8        MI L 80 /6                 -            ; w:flags
xor              x:Rv/Mv,Rv        MR L 31 /r                 -            ; w:flags
xor              x:Rv,Mv           RM L 33 /r                 -            ; w:flags
xor              x:r8/m8,r8        MR L 30 /r                 -            ; w:flags
xor              x:r8,m8           RM L 32 /r                 -            ; w:flags
cmp              r:Rv/Mv,i8        MI L 83 /7                 -            ; w:flags
cmp              r:rax,i32         NI L.W1 3D                 -            ; w:flags
cmp              r:eax,i32         NI L 3D                    -            ; w:flags
cmp              r:ax,i16          NI L.66 3D                 -            ; w:flags
cmp              r:al,u8           NI L 3C                    -            ; w:flags
cmp              r:Rv/Mv,iv        MI L 81 /7                 -            ; w:flags
cmp              r:r8/m8,u8        MI L 80 /7                 -            ; w:flags
cmp              r:Rv/Mv,Rv        MR L 39 /r                 -            ; w:flags
cmp              r:Rv,Mv           RM L 3B /r                 -            ; w:flags
cmp              r:r8/m8,r8        MR L 38 /r                 -            ; w:flags
cmp              r:r8,m8           RM L 3A /r                 -            ; w:flags
test             r:Rv/Mv,Rv        MR L 85 /r                 -            ; w:flags
test             r:r8/m8,r8        MR L 84 /r                 -            ; w:flags
test             r:rax,i32         NI L.W1 A9                 -            ; w:flags
test             r:eax,i32         NI L A9                    -            ; w:flags
test             r:ax,i16          NI L.66 A9                 -            ; w:flags
test             r:al,u8           NI L A8                    -            ; w:flags
test             r:Rv/Mv,iv        MI L F7 /0                 -            ; w:flags
test             r:r8/m8,u8        MI L F6 /0                 -            ; w:flags
inc              x:Rv/Mv           M L FF /0                  -            ; w:of,sf,zf,af,pf
inc              x:r8/m8           M L FE /0                  -            ; w:of,sf,zf,af,pf
dec              x:Rv/Mv           M L FF /1                  -            ; w:of,sf,zf,af,pf
dec              x:r8/m8           M L FE /1                  -            ; w:of,sf,zf,af,pf
not              x:Rv/Mv           M L F7 /2                  -
not              x:r8/m8           M L F6 /2                  -
neg              x:Rv/Mv           M L F7 /3                  -            ; w:flags
neg              x:r8/m8           M L F6 /3                  -            ; w:flags
mul              r:Rv/Mv           M L F7 /4                  -            ; x:rax w:rdx,flags
mul              r:r8/m8           M L F6 /4                  -            ; x:rax w:flags
imul             r:Rv/Mv           M L F7 /5                  -            ; x:rax w:rdx,flags
imul             r:r8/m8           M L F6 /5                  -            ; x:rax w:flags
imul             x:Rv,Rv/Mv        RM L.0F AF /r              -            ; w:flags
imul             Rv,Rv/Mv,i8       RMI L 6B /r                -            ; w:flags
imul             Rv,Rv/Mv,iv       RMI L 69 /r                -            ; w:flags
div              r:Rv/Mv           M L F7 /6                  -            ; x:rax,rdx w:flags
div              r:r8/m8           M L F6 /6                  -            ; x:rax w:flags
idiv             r:Rv/Mv           M L F7 /7                  -            ; x:rax,rdx w:flags
idiv             r:r8/m8           M L F6 /7                  -            ; x:rax w:flags
cbw                                - L.66 98                  -            ; x:rax
cwde                               - L 98                     -            ; x:rax
cdqe                               - L.W1 98                  -            ; x:rax
cwd                                - L.66 99                  -            ; r:rax w:rdx
cdq                                - L 99                     -            ; r:rax w:rdx
cqo                                - L.W1 99                  -            ; r:rax w:rdx
""",
    """
# Shifts and rotates
[arithmetic]
rol              x:Rv/Mv,1         MN L D1 /0                 -            ; w:cf,of
rol              x:Rv/Mv,u8        MI L C1 /0                 -            ; w:cf,of
rol              x:Rv/Mv,cl        MN L D3 /0                 -            ; w:cf,of
rol              x:r8/m8,1         MN L D0 /0                 -            ; w:cf,of
rol              x:r8/m8,u8        MI L C0 /0                 -            ; w:cf,of
rol              x:r8/m8,cl        MN L D2 /0                 -            ; w:cf,of
ror              x:Rv/Mv,1         MN L D1 /1                 -            ; w:cf,of
ror              x:Rv/Mv,u8        MI L C1 /1                 -            ; w:cf,of
ror              x:Rv/Mv,cl        MN L D3 /1                 -            ; w:cf,of
ror              x:r8/m8,1         MN L D0 /1                 -            ; w:cf,of
ror              x:r8/m8,u8        MI L C0 /1                 -            ; w:cf,of
ror              x:r8/m8,cl        MN L D2 /1                 -            ; w:cf,of
rcl              x:Rv/Mv,1         MN L D1 /2                 -            ; x:cf w:of
rcl              x:Rv/Mv,u8        MI L C1 /2                 -            ; x:cf w:of
rcl              x:Rv/Mv,cl        MN L D3 /2                 -            ; x:cf w:of
rcl              x:r8/m8,1         MN L D0 /2                 -            ; x:cf w:of
rcl              x:r8/m8,u8        MI L C0 /2                 -            ; x:cf w:of
rcl              x:r8/m8,cl        MN L D2 /2                 -            ; x:cf w:of
rcr              x:Rv/Mv,1         MN L D1 /3                 -            ; x:cf w:of
rcr              x:Rv/Mv,u8        MI L C1 /3                 -            ; x:cf w:of
rcr              x:Rv/Mv,cl        MN L D3 /3                 -            ; x:cf w:of
rcr              x:r8/m8,1         MN L D0 /3                 -            ; x:cf w:of
rcr              x:r8/m8,u8        MI L C0 /3                 -            ; x:cf w:of
rcr              x:r8/m8,cl        MN L D2 /3                 -            ; x:cf w:of
shl              x:Rv/Mv,1         MN L D1 /4                 -            ; w:flags
shl              x:Rv/Mv,u8        MI L C1 /4                 -            ; w:flags
shl              x:Rv/Mv,cl        MN L D3 /4                 -            ; w:flags
shl              x:r8/m8,1         MN L D0 /4                 -            ; w:flags
shl              x:r8/m8,u8        MI L C0 /4                 -            ; w:flags
shl              x:r8/m8,cl        MN L D2 /4                 -            ; w:flags
shr              x:Rv/Mv,1         MN L D1 /5                 -            ; w:flags
shr              x:Rv/Mv,u8        MI L C1 /5                 -            ; w:flags
shr              x:Rv/Mv,cl        MN L D3 /5                 -            ; w:flags
shr              x:r8/m8,1         MN L D0 /5                 -            ; w:flags
shr              x:r8/m8,u8        MI L C0 /5                 -            ; w:flags
shr              x:r8/m8,cl        MN L D2 /5                 -            ; w:flags
sar              x:Rv/Mv,1         MN L D1 /7                 -            ; w:flags
sar              x:Rv/Mv,u8        MI L C1 /7                 -            ; w:flags
sar              x:Rv/Mv,cl        MN L D3 /7                 -            ; w:flags
sar              x:r8/m8,1         MN L D0 /7                 -            ; w:flags
sar              x:r8/m8,u8        MI L C0 /7                 -            ; w:flags
sar              x:r8/m8,cl        MN L D2 /7                 -            ; w:flags
shld             x:Rv/Mv,Rv,u8     MRI L.0F A4 /r             -            ; w:flags
shld             x:Rv/Mv,Rv,cl     MRN L.0F A5 /r             -            ; w:flags
shrd             x:Rv/Mv,Rv,u8     MRI L.0F AC /r             -            ; w:flags
shrd             x:Rv/Mv,Rv,cl     MRN L.0F AD /r             -            ; w:flags
sal              = shl
""",
    """
# Moves
[move]
mov              Rv/Mv,Rv          MR L 89 /r                 -
mov              Rv,Mv             RM L 8B /r                 -
mov              r8/m8,r8          MR L 88 /r                 -
mov              r8,m8             RM L 8A /r                 -
mov              r8,u8             OI L B0                    -
mov              r16,u16           OI L.66 B8                 -
mov              r32,u32           OI L B8                    -
mov              r64,i32           MI L.W1 C7 /0              -
mov              r64,u64           OI L.W1 B8                 -
mov              m32,u32           MI L C7 /0                 -
mov              m64,i32           MI L.W1 C7 /0              -
mov              m16,u16           MI L.66 C7 /0              -
mov              m8,u8             MI L C6 /0                 -
movzx            Rv,r8/m8          RM L.0F B6 /r              -
movzx            Ry,r16/m16        RM L.0F B7 /r              -
movsx            Rv,r8/m8          RM L.0F BE /r              -
movsx            Ry,r16/m16        RM L.0F BF /r              -
movsxd           r64,r32/m32       RM L.W1 63 /r              -            ; key:movsx
movbe            Rv,Mv             RM L.0F38 F0 /r            MOVBE
movbe            Mv,Rv             MR L.0F38 F1 /r            MOVBE
movnti           My,Ry             MR L.0F C3 /r              SSE2         ; key:mov
movdiri          My,Ry             MR L.0F38 F9 /r            MOVDIRI
movrs            Rv,Mv             RM L.0F38 8B /r            MOVRS
movrs            r8,m8             RM L.0F38 8A /r            MOVRS
movdir64b        r:r64,r:m512      RM L.66.0F38 F8 /r         MOVDIR64B
[shuffle]
bswap            x:Ry              O L.0F C8                  -            ; key:movbe
[address]
lea              Rv,m              RM L 8D /r                 -
[hint =nothing]
# Before xchg, because 90 is read by the first row that writes it.
nop                                - L 90                     -
nop              r:Rv/Mv           M L.0F 1F /0               -
xchg             r:rax,r:rax       NN L 90                    -
[move]
xchg             x:Mv,x:Rv         MR L 87 /r                 -
xchg             x:Rv,x:Mv         RM L 87 /r                 -
xchg             x:rax{ne},x:r64   NO L.W1 90                 -
xchg             x:r64{ne},x:rax   ON L.W1 90                 -
xchg             x:eax{ne},x:r32   NO L 90                    -
xchg             x:r32{ne},x:eax   ON L 90                    -
xchg             x:ax,x:r16        NO L.66 90                 -
xchg             x:r16,x:ax        ON L.66 90                 -
xchg             x:Rv,x:Rv         MR L 87 /r                 -
xchg             x:r8/m8,x:r8      MR L 86 /r                 -
xchg             x:r8,x:m8         RM L 86 /r                 -
push             r:r64             O L 50                     -            ; x:rsp
push             r:i8              I L 6A                     -            ; x:rsp
push             r:i32             I L 68                     -            ; x:rsp
push             r:m64             M L FF /6                  -            ; x:rsp
pushfq                             - L 9C                     -            ; x:rsp r:flags,df
pop              r64               O L 58                     -            ; x:rsp
pop              m64               M L 8F /0                  -            ; x:rsp
popfq                              - L 9D                     -            ; x:rsp w:flags,df
""",
    """
# Conditions
[branch]
jo               r:rel8            D L 70 or 0F80             -            ; r:of
jno              r:rel8            D L 71 or 0F81             -            ; r:of
jb               r:rel8            D L 72 or 0F82             -            ; r:cf
jae              r:rel8            D L 73 or 0F83             -            ; r:cf
je               r:rel8            D L 74 or 0F84             -            ; r:zf
jne              r:rel8            D L 75 or 0F85             -            ; r:zf
jbe              r:rel8            D L 76 or 0F86             -            ; r:cf,zf
ja               r:rel8            D L 77 or 0F87             -            ; r:cf,zf
js               r:rel8            D L 78 or 0F88             -            ; r:sf
jns              r:rel8            D L 79 or 0F89             -            ; r:sf
jp               r:rel8            D L 7A or 0F8A             -            ; r:pf
jnp              r:rel8            D L 7B or 0F8B             -            ; r:pf
jl               r:rel8            D L 7C or 0F8C             -            ; r:sf,of
jge              r:rel8            D L 7D or 0F8D             -            ; r:sf,of
jle              r:rel8            D L 7E or 0F8E             -            ; r:zf,sf,of
jg               r:rel8            D L 7F or 0F8F             -            ; r:zf,sf,of
[arithmetic]
seto             r8/m8             M L.0F 90 /0               -            ; r:of
setno            r8/m8             M L.0F 91 /0               -            ; r:of
setb             r8/m8             M L.0F 92 /0               -            ; r:cf
setae            r8/m8             M L.0F 93 /0               -            ; r:cf
sete             r8/m8             M L.0F 94 /0               -            ; r:zf
setne            r8/m8             M L.0F 95 /0               -            ; r:zf
setbe            r8/m8             M L.0F 96 /0               -            ; r:cf,zf
seta             r8/m8             M L.0F 97 /0               -            ; r:cf,zf
sets             r8/m8             M L.0F 98 /0               -            ; r:sf
setns            r8/m8             M L.0F 99 /0               -            ; r:sf
setp             r8/m8             M L.0F 9A /0               -            ; r:pf
setnp            r8/m8             M L.0F 9B /0               -            ; r:pf
setl             r8/m8             M L.0F 9C /0               -            ; r:sf,of
setge            r8/m8             M L.0F 9D /0               -            ; r:sf,of
setle            r8/m8             M L.0F 9E /0               -            ; r:zf,sf,of
setg             r8/m8             M L.0F 9F /0               -            ; r:zf,sf,of
cmovo            x:Rv,Rv/Mv        RM L.0F 40 /r              CMOV         ; r:of
cmovno           x:Rv,Rv/Mv        RM L.0F 41 /r              CMOV         ; r:of
cmovb            x:Rv,Rv/Mv        RM L.0F 42 /r              CMOV         ; r:cf
cmovae           x:Rv,Rv/Mv        RM L.0F 43 /r              CMOV         ; r:cf
cmove            x:Rv,Rv/Mv        RM L.0F 44 /r              CMOV         ; r:zf
cmovne           x:Rv,Rv/Mv        RM L.0F 45 /r              CMOV         ; r:zf
cmovbe           x:Rv,Rv/Mv        RM L.0F 46 /r              CMOV         ; r:cf,zf
cmova            x:Rv,Rv/Mv        RM L.0F 47 /r              CMOV         ; r:cf,zf
cmovs            x:Rv,Rv/Mv        RM L.0F 48 /r              CMOV         ; r:sf
cmovns           x:Rv,Rv/Mv        RM L.0F 49 /r              CMOV         ; r:sf
cmovp            x:Rv,Rv/Mv        RM L.0F 4A /r              CMOV         ; r:pf
cmovnp           x:Rv,Rv/Mv        RM L.0F 4B /r              CMOV         ; r:pf
cmovl            x:Rv,Rv/Mv        RM L.0F 4C /r              CMOV         ; r:sf,of
cmovge           x:Rv,Rv/Mv        RM L.0F 4D /r              CMOV         ; r:sf,of
cmovle           x:Rv,Rv/Mv        RM L.0F 4E /r              CMOV         ; r:zf,sf,of
cmovg            x:Rv,Rv/Mv        RM L.0F 4F /r              CMOV         ; r:zf,sf,of
jc               = jb
jnae             = jb
jnb              = jae
jnc              = jae
jz               = je
jnz              = jne
jna              = jbe
jnbe             = ja
jpe              = jp
jpo              = jnp
jnge             = jl
jnl              = jge
jng              = jle
jnle             = jg
setc             = setb
setnae           = setb
setnb            = setae
setnc            = setae
setz             = sete
setnz            = setne
setna            = setbe
setnbe           = seta
setpe            = setp
setpo            = setnp
setnge           = setl
setnl            = setge
setng            = setle
setnle           = setg
cmovc            = cmovb
cmovnae          = cmovb
cmovnb           = cmovae
cmovnc           = cmovae
cmovz            = cmove
cmovnz           = cmovne
cmovna           = cmovbe
cmovnbe          = cmova
cmovpe           = cmovp
cmovpo           = cmovnp
cmovnge          = cmovl
cmovnl           = cmovge
cmovng           = cmovle
cmovnle          = cmovg
""",
    """
# Control
[branch]
jmp              r:rel8            D L EB or E9               -
jmp              r:r64/m64         M L FF /4                  -
jrcxz            r:rel8            D L E3                     -            ; r:rcx
loop             r:rel8            D L E2                     -            ; x:rcx
loope            r:rel8            D L E1                     -            ; x:rcx r:zf
loopne           r:rel8            D L E0                     -            ; x:rcx r:zf
call             r:rel32           D L E8                     -            ; x:rsp
call             r:r64/m64         M L FF /2                  -            ; x:rsp
ret                                - L C3                     -            ; x:rsp
ret              r:u16             I L C2                     -            ; x:rsp
[move]
enter            r:u16,r:u8        II L C8                    -            ; x:rsp,rbp
leave                              - L C9                     -            ; x:rbp w:rsp
[hint =nothing]
endbr64                            - L.F3 0F1EFA              -
[system]
int3                               - L CC                     -            ; key:undefined
ud2                                - L 0F0B                   -            ; key:undefined
syscall                            - L 0F05                   -            ; x:rax w:rcx,r11 r:flags,df
""",
    """
# Flags
[arithmetic]
clc                                - L F8                     -            ; w:cf
stc                                - L F9                     -            ; w:cf
cmc                                - L F5                     -            ; x:cf
cld                                - L FC                     -            ; w:df
std                                - L FD                     -            ; w:df
[move]
xlatb                              - L D7                     -            ; r:rbx x:rax
lahf                               - L 9F                     LAHF         ; w:rax r:sf,zf,af,pf,cf
sahf                               - L 9E                     LAHF         ; r:rax w:sf,zf,af,pf,cf
""",
    """
# Bits
[arithmetic]
bt               r:Rv/Mv,Rv        MR L.0F A3 /r              -            ; w:cf,pf,af,sf,of
bt               r:Rv/Mv,u8        MI L.0F BA /4              -            ; w:cf,pf,af,sf,of
bts              x:Rv/Mv,Rv        MR L.0F AB /r              -            ; w:cf,pf,af,sf,of
bts              x:Rv/Mv,u8        MI L.0F BA /5              -            ; w:cf,pf,af,sf,of
btr              x:Rv/Mv,Rv        MR L.0F B3 /r              -            ; w:cf,pf,af,sf,of
btr              x:Rv/Mv,u8        MI L.0F BA /6              -            ; w:cf,pf,af,sf,of
btc              x:Rv/Mv,Rv        MR L.0F BB /r              -            ; w:cf,pf,af,sf,of
btc              x:Rv/Mv,u8        MI L.0F BA /7              -            ; w:cf,pf,af,sf,of
bsf              x:Rv,Rv/Mv        RM L.0F BC /r              -            ; w:flags
bsr              x:Rv,Rv/Mv        RM L.0F BD /r              -            ; w:flags
popcnt           Rv,Rv/Mv          RM L.F3.0F B8 /r           POPCNT       ; w:flags
lzcnt            Rv,Rv/Mv          RM L.F3.0F BD /r           LZCNT        ; w:flags
tzcnt            Rv,Rv/Mv          RM L.F3.0F BC /r           BMI1         ; w:flags
andn             Ry,Ry,Ry/My       RVM VEX.128.NP.0F38 F2 /r  BMI1         ; w:flags
bextr            Ry,Ry/My,Ry       RMV VEX.128.NP.0F38 F7 /r  BMI1         ; w:flags
blsi             Ry,Ry/My          VM VEX.128.NP.0F38 F3 /3   BMI1         ; w:flags
blsmsk           Ry,Ry/My          VM VEX.128.NP.0F38 F3 /2   BMI1         ; w:flags
blsr             Ry,Ry/My          VM VEX.128.NP.0F38 F3 /1   BMI1         ; w:flags
bzhi             Ry,Ry/My,Ry       RMV VEX.128.NP.0F38 F5 /r  BMI2         ; w:flags
pdep             Ry,Ry,Ry/My       RVM VEX.128.F2.0F38 F5 /r  BMI2
pext             Ry,Ry,Ry/My       RVM VEX.128.F3.0F38 F5 /r  BMI2
mulx             Ry,w:Ry,Ry/My     RVM VEX.128.F2.0F38 F6 /r  BMI2         ; r:rdx
rorx             Ry,Ry/My,u8       RMI VEX.128.F2.0F3A F0 /r  BMI2
shlx             Ry,Ry/My,Ry       RMV VEX.128.66.0F38 F7 /r  BMI2
shrx             Ry,Ry/My,Ry       RMV VEX.128.F2.0F38 F7 /r  BMI2
sarx             Ry,Ry/My,Ry       RMV VEX.128.F3.0F38 F7 /r  BMI2
adcx             x:Ry,Ry/My        RM L.66.0F38 F6 /r         ADX          ; x:cf
adox             x:Ry,Ry/My        RM L.F3.0F38 F6 /r         ADX          ; x:of
crc32            x:r32,r8/m8       RM L.F2.0F38 F0 /r         SSE4_2
crc32            x:r32,r16/m16     RM L.66.F2.0F38 F1 /r      SSE4_2
crc32            x:r32,r32/m32     RM L.F2.0F38 F1 /r         SSE4_2
crc32            x:r64,r8/m8       RM L.F2.0F38.W1 F0 /r      SSE4_2
crc32            x:r64,r64/m64     RM L.F2.0F38.W1 F1 /r      SSE4_2
""",
    """
# Atomics
[arithmetic]
xadd             x:Rv/Mv,x:Rv      MR L.0F C1 /r              -            ; w:flags
xadd             x:r8/m8,x:r8      MR L.0F C0 /r              -            ; w:flags
cmpxchg          x:Rv/Mv,Rv        MR L.0F B1 /r              -            ; x:rax w:flags
cmpxchg          x:r8/m8,r8        MR L.0F B0 /r              -            ; x:rax w:flags
cmpxchg8b        x:m64             M L.0F C7 /1               CX8          ; x:rax,rdx r:rbx,rcx w:zf
cmpxchg16b       x:m128            M L.0F.W1 C7 /1            CX16         ; x:rax,rdx r:rbx,rcx w:zf
lock add         x:Mv,i8           MI L.F0 83 /0              -            ; w:flags
lock add         x:Mv,iv           MI L.F0 81 /0              -            ; w:flags
lock add         x:m8,u8           MI L.F0 80 /0              -            ; w:flags
lock add         x:Mv,Rv           MR L.F0 01 /r              -            ; w:flags
lock add         x:m8,r8           MR L.F0 00 /r              -            ; w:flags
lock or          x:Mv,i8           MI L.F0 83 /1              -            ; w:flags
lock or          x:Mv,iv           MI L.F0 81 /1              -            ; w:flags
lock or          x:m8,u8           MI L.F0 80 /1              -            ; w:flags
lock or          x:Mv,Rv           MR L.F0 09 /r              -            ; w:flags
lock or          x:m8,r8           MR L.F0 08 /r              -            ; w:flags
lock adc         x:Mv,i8           MI L.F0 83 /2              -            ; r:cf w:flags
lock adc         x:Mv,iv           MI L.F0 81 /2              -            ; r:cf w:flags
lock adc         x:m8,u8           MI L.F0 80 /2              -            ; r:cf w:flags
lock adc         x:Mv,Rv           MR L.F0 11 /r              -            ; r:cf w:flags
lock adc         x:m8,r8           MR L.F0 10 /r              -            ; r:cf w:flags
lock sbb         x:Mv,i8           MI L.F0 83 /3              -            ; r:cf w:flags
lock sbb         x:Mv,iv           MI L.F0 81 /3              -            ; r:cf w:flags
lock sbb         x:m8,u8           MI L.F0 80 /3              -            ; r:cf w:flags
lock sbb         x:Mv,Rv           MR L.F0 19 /r              -            ; r:cf w:flags
lock sbb         x:m8,r8           MR L.F0 18 /r              -            ; r:cf w:flags
lock and         x:Mv,i8           MI L.F0 83 /4              -            ; w:flags
lock and         x:Mv,iv           MI L.F0 81 /4              -            ; w:flags
lock and         x:m8,u8           MI L.F0 80 /4              -            ; w:flags
lock and         x:Mv,Rv           MR L.F0 21 /r              -            ; w:flags
lock and         x:m8,r8           MR L.F0 20 /r              -            ; w:flags
lock sub         x:Mv,i8           MI L.F0 83 /5              -            ; w:flags
lock sub         x:Mv,iv           MI L.F0 81 /5              -            ; w:flags
lock sub         x:m8,u8           MI L.F0 80 /5              -            ; w:flags
lock sub         x:Mv,Rv           MR L.F0 29 /r              -            ; w:flags
lock sub         x:m8,r8           MR L.F0 28 /r              -            ; w:flags
lock xor         x:Mv,i8           MI L.F0 83 /6              -            ; w:flags
lock xor         x:Mv,iv           MI L.F0 81 /6              -            ; w:flags
lock xor         x:m8,u8           MI L.F0 80 /6              -            ; w:flags
lock xor         x:Mv,Rv           MR L.F0 31 /r              -            ; w:flags
lock xor         x:m8,r8           MR L.F0 30 /r              -            ; w:flags
lock inc         x:Mv              M L.F0 FF /0               -            ; w:of,sf,zf,af,pf
lock inc         x:m8              M L.F0 FE /0               -            ; w:of,sf,zf,af,pf
lock dec         x:Mv              M L.F0 FF /1               -            ; w:of,sf,zf,af,pf
lock dec         x:m8              M L.F0 FE /1               -            ; w:of,sf,zf,af,pf
lock not         x:Mv              M L.F0 F7 /2               -
lock not         x:m8              M L.F0 F6 /2               -
lock neg         x:Mv              M L.F0 F7 /3               -            ; w:flags
lock neg         x:m8              M L.F0 F6 /3               -            ; w:flags
lock bts         x:Mv,Rv           MR L.F0.0F AB /r           -            ; w:cf,pf,af,sf,of
lock bts         x:Mv,u8           MI L.F0.0F BA /5           -            ; w:cf,pf,af,sf,of
lock btr         x:Mv,Rv           MR L.F0.0F B3 /r           -            ; w:cf,pf,af,sf,of
lock btr         x:Mv,u8           MI L.F0.0F BA /6           -            ; w:cf,pf,af,sf,of
lock btc         x:Mv,Rv           MR L.F0.0F BB /r           -            ; w:cf,pf,af,sf,of
lock btc         x:Mv,u8           MI L.F0.0F BA /7           -            ; w:cf,pf,af,sf,of
lock xadd        x:Mv,x:Rv         MR L.F0.0F C1 /r           -            ; w:flags
lock xadd        x:m8,x:r8         MR L.F0.0F C0 /r           -            ; w:flags
lock cmpxchg     x:Mv,Rv           MR L.F0.0F B1 /r           -            ; x:rax w:flags
lock cmpxchg     x:m8,r8           MR L.F0.0F B0 /r           -            ; x:rax w:flags
lock cmpxchg8b   x:m64             M L.F0.0F C7 /1            CX8          ; x:rax,rdx r:rbx,rcx w:zf
lock cmpxchg16b  x:m128            M L.F0.0F.W1 C7 /1         CX16         ; x:rax,rdx r:rbx,rcx w:zf
cmpoxadd         x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E0 /r  CMPCCXADD    ; w:flags
cmpnoxadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E1 /r  CMPCCXADD    ; w:flags
cmpbxadd         x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E2 /r  CMPCCXADD    ; w:flags
cmpnbxadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E3 /r  CMPCCXADD    ; w:flags
cmpzxadd         x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E4 /r  CMPCCXADD    ; w:flags
cmpnzxadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E5 /r  CMPCCXADD    ; w:flags
cmpbexadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E6 /r  CMPCCXADD    ; w:flags
cmpnbexadd       x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E7 /r  CMPCCXADD    ; w:flags
cmpsxadd         x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E8 /r  CMPCCXADD    ; w:flags
cmpnsxadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 E9 /r  CMPCCXADD    ; w:flags
cmppxadd         x:My,x:Ry,Ry      MRV VEX.128.66.0F38 EA /r  CMPCCXADD    ; w:flags
cmpnpxadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 EB /r  CMPCCXADD    ; w:flags
cmplxadd         x:My,x:Ry,Ry      MRV VEX.128.66.0F38 EC /r  CMPCCXADD    ; w:flags
cmpnlxadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 ED /r  CMPCCXADD    ; w:flags
cmplexadd        x:My,x:Ry,Ry      MRV VEX.128.66.0F38 EE /r  CMPCCXADD    ; w:flags
cmpnlexadd       x:My,x:Ry,Ry      MRV VEX.128.66.0F38 EF /r  CMPCCXADD    ; w:flags
aadd             x:My,Ry           MR L.0F38 FC /r            RAO_INT
aand             x:My,Ry           MR L.66.0F38 FC /r         RAO_INT
aor              x:My,Ry           MR L.F2.0F38 FC /r         RAO_INT
axor             x:My,Ry           MR L.F3.0F38 FC /r         RAO_INT
[branch]
xbegin           r:rel32           D L C7F8                   RTM          ; w:rax
[system]
xend                               - L 0F01D5                 RTM
xabort           r:u8              I L C6F8                   RTM          ; w:rax
xtest                              - L 0F01D6                 RTM          ; w:flags
""",
    """
# Fences and caches
[hint =nothing]
lfence                             - L 0FAEE8                 SSE2
mfence                             - L 0FAEF0                 SSE2
sfence                             - L 0FAEF8                 SSE
[prefetch =nothing]
prefetchnta      r:m8              M L.0F 18 /0               SSE
prefetcht0       r:m8              M L.0F 18 /1               SSE
prefetcht1       r:m8              M L.0F 18 /2               SSE
prefetcht2       r:m8              M L.0F 18 /3               SSE
prefetchw        r:m8              M L.0F 0D /1               PREFETCHW
prefetchwt1      r:m8              M L.0F 0D /2               PREFETCHWT1
[hint =nothing]
clflush          r:m8              M L.0F AE /7               CLFLUSH
clflushopt       r:m8              M L.66.0F AE /7            CLFLUSHOPT
clwb             r:m8              M L.66.0F AE /6            CLWB
[prefetch]
prefetchrst2     r:m8              M L.0F 18 /4               MOVRS        ; key:nothing
[hint]
cldemote         r:m8              M L.0F 1C /0               CLDEMOTE     ; key:nothing
""",
    """
# Strings
[move string]
movsb                              - L A4                     -            ; r:df x:rsi,rdi
movsw                              - L.66 A5                  -            ; r:df x:rsi,rdi
movsd                              - L A5                     -            ; r:df x:rsi,rdi
movsq                              - L.W1 A5                  -            ; r:df x:rsi,rdi
[arithmetic]
rep movsb                          - L.F3 A4                  -            ; r:df x:rsi,rdi,rcx
rep movsw                          - L.66.F3 A5               -            ; r:df x:rsi,rdi,rcx
rep movsd                          - L.F3 A5                  -            ; r:df x:rsi,rdi,rcx
rep movsq                          - L.F3.W1 A5               -            ; r:df x:rsi,rdi,rcx
[arithmetic string]
cmpsb                              - L A6                     -            ; r:df x:rsi,rdi w:flags
cmpsw                              - L.66 A7                  -            ; r:df x:rsi,rdi w:flags
cmpsd                              - L A7                     -            ; r:df x:rsi,rdi w:flags
cmpsq                              - L.W1 A7                  -            ; r:df x:rsi,rdi w:flags
[arithmetic]
repe cmpsb                         - L.F3 A6                  -            ; r:df x:rsi,rdi,rcx w:flags
repe cmpsw                         - L.66.F3 A7               -            ; r:df x:rsi,rdi,rcx w:flags
repe cmpsd                         - L.F3 A7                  -            ; r:df x:rsi,rdi,rcx w:flags
repe cmpsq                         - L.F3.W1 A7               -            ; r:df x:rsi,rdi,rcx w:flags
repne cmpsb                        - L.F2 A6                  -            ; r:df x:rsi,rdi,rcx w:flags
repne cmpsw                        - L.66.F2 A7               -            ; r:df x:rsi,rdi,rcx w:flags
repne cmpsd                        - L.F2 A7                  -            ; r:df x:rsi,rdi,rcx w:flags
repne cmpsq                        - L.F2.W1 A7               -            ; r:df x:rsi,rdi,rcx w:flags
[move string]
stosb                              - L AA                     -            ; r:rax,df x:rdi
stosw                              - L.66 AB                  -            ; r:rax,df x:rdi
stosd                              - L AB                     -            ; r:rax,df x:rdi
stosq                              - L.W1 AB                  -            ; r:rax,df x:rdi
[arithmetic]
rep stosb                          - L.F3 AA                  -            ; r:rax,df x:rdi,rcx
rep stosw                          - L.66.F3 AB               -            ; r:rax,df x:rdi,rcx
rep stosd                          - L.F3 AB                  -            ; r:rax,df x:rdi,rcx
rep stosq                          - L.F3.W1 AB               -            ; r:rax,df x:rdi,rcx
[move string]
lodsb                              - L AC                     -            ; r:df x:rsi w:rax
lodsw                              - L.66 AD                  -            ; r:df x:rsi w:rax
lodsd                              - L AD                     -            ; r:df x:rsi w:rax
lodsq                              - L.W1 AD                  -            ; r:df x:rsi w:rax
[arithmetic]
rep lodsb                          - L.F3 AC                  -            ; r:df x:rsi,rcx w:rax
rep lodsw                          - L.66.F3 AD               -            ; r:df x:rsi,rcx w:rax
rep lodsd                          - L.F3 AD                  -            ; r:df x:rsi,rcx w:rax
rep lodsq                          - L.F3.W1 AD               -            ; r:df x:rsi,rcx w:rax
[arithmetic string]
scasb                              - L AE                     -            ; r:rax,df x:rdi w:flags
scasw                              - L.66 AF                  -            ; r:rax,df x:rdi w:flags
scasd                              - L AF                     -            ; r:rax,df x:rdi w:flags
scasq                              - L.W1 AF                  -            ; r:rax,df x:rdi w:flags
[arithmetic]
repe scasb                         - L.F3 AE                  -            ; r:rax,df x:rdi,rcx w:flags
repe scasw                         - L.66.F3 AF               -            ; r:rax,df x:rdi,rcx w:flags
repe scasd                         - L.F3 AF                  -            ; r:rax,df x:rdi,rcx w:flags
repe scasq                         - L.F3.W1 AF               -            ; r:rax,df x:rdi,rcx w:flags
repne scasb                        - L.F2 AE                  -            ; r:rax,df x:rdi,rcx w:flags
repne scasw                        - L.66.F2 AF               -            ; r:rax,df x:rdi,rcx w:flags
repne scasd                        - L.F2 AF                  -            ; r:rax,df x:rdi,rcx w:flags
repne scasq                        - L.F2.W1 AF               -            ; r:rax,df x:rdi,rcx w:flags
""",
    """
# System
[system]
cpuid                              - L 0FA2                   -            ; x:rax,rcx w:rbx,rdx
rdtsc                              - L 0F31                   -            ; w:rax,rdx
rdtscp                             - L 0F01F9                 RDTSCP       ; w:rax,rcx,rdx
rdpmc                              - L 0F33                   -            ; r:rcx w:rax,rdx
rdpid            r64               M L.F3.0F C7 /7            RDPID
rdrand           Rv                M L.0F C7 /6               RDRAND       ; w:flags
rdseed           Rv                M L.0F C7 /7               RDSEED       ; w:flags
rdfsbase         Ry                M L.F3.0F AE /0            FSGSBASE
rdgsbase         Ry                M L.F3.0F AE /1            FSGSBASE
wrfsbase         r:Ry              M L.F3.0F AE /2            FSGSBASE
wrgsbase         r:Ry              M L.F3.0F AE /3            FSGSBASE
rdsspd           x:r32             M L.F3.0F 1E /1            SHSTK
rdsspq           x:r64             M L.F3.0F.W1 1E /1         SHSTK
wrssd            m32,r32           MR L.0F38 F6 /r            SHSTK
wrssq            m64,r64           MR L.0F38.W1 F6 /r         SHSTK
saveprevssp                        - L.F3 0F01EA              SHSTK
incsspd          r:r32             M L.F3.0F AE /5            SHSTK
incsspq          r:r64             M L.F3.0F.W1 AE /5         SHSTK
[hint]
pause                              - L.F3 90                  -            ; key:nothing
[system]
umonitor         r:r64             M L.F3.0F AE /6            WAITPKG
umwait           r:r32             M L.F2.0F AE /6            WAITPKG      ; r:rax,rdx w:flags
tpause           r:r32             M L.66.0F AE /6            WAITPKG      ; r:rax,rdx w:flags
serialize                          - L 0F01E8                 SERIALIZE
xgetbv                             - L 0F01D0                 XSAVE        ; r:rcx w:rax,rdx
xsave            x:m               M L.0F AE /4               XSAVE        ; r:rax,rdx
xsave64          x:m               M L.0F.W1 AE /4            XSAVE        ; r:rax,rdx
xsavec           m                 M L.0F C7 /4               XSAVEC       ; r:rax,rdx
xsavec64         m                 M L.0F.W1 C7 /4            XSAVEC       ; r:rax,rdx
xsaveopt         x:m               M L.0F AE /6               XSAVEOPT     ; r:rax,rdx
xsaveopt64       x:m               M L.0F.W1 AE /6            XSAVEOPT     ; r:rax,rdx
xrstor           r:m               M L.0F AE /5               XSAVE        ; r:rax,rdx
xrstor64         r:m               M L.0F.W1 AE /5            XSAVE        ; r:rax,rdx
fxsave           m                 M L.0F AE /0               FXSR
fxsave64         m                 M L.0F.W1 AE /0            FXSR
fxrstor          r:m               M L.0F AE /1               FXSR
fxrstor64        r:m               M L.0F.W1 AE /1            FXSR
ldmxcsr          r:m32             M L.0F AE /2               SSE
stmxcsr          m32               M L.0F AE /3               SSE
""",
)
