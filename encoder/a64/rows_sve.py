"""SVE and SVE2 instructions. Columns: forms.py, notation.py, pattern.py.

Source: Arm ARM (DDI 0487) C4.1.37, C8.2. The mnemonic gives element sizes in memory, and T gives those in registers.
"""

ROWS = (
    """
# Predicates
[move predicate]
ptrue       Pd.T                                      T=bhsd 00100101 size 011000111000111110 Pd:4                      SVE
ptrues      Pd.T                                      T=bhsd 00100101 size 011001111000111110 Pd:4                      SVE         ; w:nzcv
ptrue       Pd.T,pattern                              T=bhsd 00100101 size 011000111000 pattern:5 0 Pd:4                SVE
ptrues      Pd.T,pattern                              T=bhsd 00100101 size 011001111000 pattern:5 0 Pd:4                SVE         ; w:nzcv
pfalse      Pd.b                                      0010010100011000111001000000 Pd:4                                 SVE
[arithmetic predicate]
ptest       r:Pg,Pn.b                                 001001010101000011 Pg:4 0 Pn:4 00000                              SVE         ; w:nzcv
pfirst      x:Pdn.b,Pg,Pdn.b                          00100101010110001100000 Pg:4 0 Pdn:4                              SVE         ; w:nzcv
pnext       x:Pdn.T,Pg,Pdn.T                          T=bhsd 00100101 size 0110011100010 Pg:4 0 Pdn:4                   SVE         ; w:nzcv
[move predicate]
rdffr       Pd.b                                      0010010100011001111100000000 Pd:4                                 SVE         ; r:ffr !streaming
rdffr       Pd.b,Pg/Z                                 00100101000110001111000 Pg:4 0 Pd:4                               SVE         ; r:ffr !streaming
rdffrs      Pd.b,Pg/Z                                 00100101010110001111000 Pg:4 0 Pd:4                               SVE         ; w:nzcv r:ffr !streaming
wrffr       r:Pn.b                                    00100101001010001001000 Pn:4 00000                                SVE         ; w:ffr !streaming
[move control]
setffr                                                00100101001011001001000000000000                                  SVE         ; w:ffr !streaming
[arithmetic predicate]
and         Pd.b,Pg/Z,Pn.b,Pm.b                       001001010000 Pm:4 01 Pg:4 0 Pn:4 0 Pd:4                           SVE
orr         Pd.b,Pg/Z,Pn.b,Pm.b                       001001011000 Pm:4 01 Pg:4 0 Pn:4 0 Pd:4                           SVE
eor         Pd.b,Pg/Z,Pn.b,Pm.b                       001001010000 Pm:4 01 Pg:4 1 Pn:4 0 Pd:4                           SVE
bic         Pd.b,Pg/Z,Pn.b,Pm.b                       001001010000 Pm:4 01 Pg:4 0 Pn:4 1 Pd:4                           SVE
orn         Pd.b,Pg/Z,Pn.b,Pm.b                       001001011000 Pm:4 01 Pg:4 0 Pn:4 1 Pd:4                           SVE
nor         Pd.b,Pg/Z,Pn.b,Pm.b                       001001011000 Pm:4 01 Pg:4 1 Pn:4 0 Pd:4                           SVE
nand        Pd.b,Pg/Z,Pn.b,Pm.b                       001001011000 Pm:4 01 Pg:4 1 Pn:4 1 Pd:4                           SVE
ands        Pd.b,Pg/Z,Pn.b,Pm.b                       001001010100 Pm:4 01 Pg:4 0 Pn:4 0 Pd:4                           SVE         ; w:nzcv
orrs        Pd.b,Pg/Z,Pn.b,Pm.b                       001001011100 Pm:4 01 Pg:4 0 Pn:4 0 Pd:4                           SVE         ; w:nzcv
eors        Pd.b,Pg/Z,Pn.b,Pm.b                       001001010100 Pm:4 01 Pg:4 1 Pn:4 0 Pd:4                           SVE         ; w:nzcv
bics        Pd.b,Pg/Z,Pn.b,Pm.b                       001001010100 Pm:4 01 Pg:4 0 Pn:4 1 Pd:4                           SVE         ; w:nzcv
orns        Pd.b,Pg/Z,Pn.b,Pm.b                       001001011100 Pm:4 01 Pg:4 0 Pn:4 1 Pd:4                           SVE         ; w:nzcv
nors        Pd.b,Pg/Z,Pn.b,Pm.b                       001001011100 Pm:4 01 Pg:4 1 Pn:4 0 Pd:4                           SVE         ; w:nzcv
nands       Pd.b,Pg/Z,Pn.b,Pm.b                       001001011100 Pm:4 01 Pg:4 1 Pn:4 1 Pd:4                           SVE         ; w:nzcv
[shuffle vector]
sel         Pd.b,Pg,Pn.b,Pm.b                         001001010000 Pm:4 01 Pg:4 1 Pn:4 1 Pd:4                           SVE
[arithmetic predicate]
brka        Pd.b,Pg/Z,Pn.b                            001001010001000001 Pg:4 0 Pn:4 0 Pd:4                             SVE
brkb        Pd.b,Pg/Z,Pn.b                            001001011001000001 Pg:4 0 Pn:4 0 Pd:4                             SVE
brka        x:Pd.b,Pg/M,Pn.b                          001001010001000001 Pg:4 0 Pn:4 1 Pd:4                             SVE
brkb        x:Pd.b,Pg/M,Pn.b                          001001011001000001 Pg:4 0 Pn:4 1 Pd:4                             SVE
brkas       Pd.b,Pg/Z,Pn.b                            001001010101000001 Pg:4 0 Pn:4 0 Pd:4                             SVE         ; w:nzcv
brkbs       Pd.b,Pg/Z,Pn.b                            001001011101000001 Pg:4 0 Pn:4 0 Pd:4                             SVE         ; w:nzcv
brkpa       Pd.b,Pg/Z,Pn.b,Pm.b                       001001010000 Pm:4 11 Pg:4 0 Pn:4 0 Pd:4                           SVE
brkpas      Pd.b,Pg/Z,Pn.b,Pm.b                       001001010100 Pm:4 11 Pg:4 0 Pn:4 0 Pd:4                           SVE         ; w:nzcv
brkpb       Pd.b,Pg/Z,Pn.b,Pm.b                       001001010000 Pm:4 11 Pg:4 0 Pn:4 1 Pd:4                           SVE
brkpbs      Pd.b,Pg/Z,Pn.b,Pm.b                       001001010100 Pm:4 11 Pg:4 0 Pn:4 1 Pd:4                           SVE         ; w:nzcv
brkn        x:Pdm.b,Pg/Z,Pn.b,Pdm.b                   001001010001100001 Pg:4 0 Pn:4 0 Pdm:4                            SVE
brkns       x:Pdm.b,Pg/Z,Pn.b,Pdm.b                   001001010101100001 Pg:4 0 Pn:4 0 Pdm:4                            SVE         ; w:nzcv
[move predicate]
whilelt     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 01 Rn:5 0 Pd:4            SVE         ; w:nzcv
whilele     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 01 Rn:5 1 Pd:4            SVE         ; w:nzcv
whilelo     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 11 Rn:5 0 Pd:4            SVE         ; w:nzcv
whilels     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 11 Rn:5 1 Pd:4            SVE         ; w:nzcv
whilege     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 00 Rn:5 0 Pd:4            SVE2        ; w:nzcv
whilegt     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 00 Rn:5 1 Pd:4            SVE2        ; w:nzcv
whilehs     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 10 Rn:5 0 Pd:4            SVE2        ; w:nzcv
whilehi     Pd.T,Rn,Rm                                T=bhsd R=WX 00100101 size 1 Rm:5 000 sf 10 Rn:5 1 Pd:4            SVE2        ; w:nzcv
mov         Pd.b,Pn.b                                 001001011000 Pn:4 01 Pn:4 0 Pn:4 0 Pd:4                           SVE
[arithmetic predicate]
not         Pd.b,Pg/Z,Pn.b                            001001010000 Pg:4 01 Pg:4 1 Pn:4 0 Pd:4                           SVE
[move predicate]
mov         Pd.b,Pg/Z,Pn.b                            001001010000 Pn:4 01 Pg:4 0 Pn:4 0 Pd:4                           SVE
mov         x:Pd.b,Pg/M,Pn.b                          001001010000 Pd:4 01 Pg:4 1 Pn:4 1 Pd:4                           SVE
movs        Pd.b,Pn.b                                 001001011100 Pn:4 01 Pn:4 0 Pn:4 0 Pd:4                           SVE         ; w:nzcv
movs        Pd.b,Pg/Z,Pn.b                            001001010100 Pn:4 01 Pg:4 0 Pn:4 0 Pd:4                           SVE         ; w:nzcv
[arithmetic predicate]
nots        Pd.b,Pg/Z,Pn.b                            001001010100 Pg:4 01 Pg:4 1 Pn:4 0 Pd:4                           SVE         ; w:nzcv
[move predicate]
whilerw     Pd.T,Xn,Xm                                T=bhsd 00100101 size 1 Rm:5 001100 Rn:5 1 Pd:4                    SVE2        ; w:nzcv
whilewr     Pd.T,Xn,Xm                                T=bhsd 00100101 size 1 Rm:5 001100 Rn:5 0 Pd:4                    SVE2        ; w:nzcv
[arithmetic general]
ctermeq     r:Rn,Rm                                   R=WX 001001011 sf 1 Rm:5 001000 Rn:5 00000                        SVE         ; x:nzcv
ctermne     r:Rn,Rm                                   R=WX 001001011 sf 1 Rm:5 001000 Rn:5 10000                        SVE         ; x:nzcv
[shuffle predicate]
punpklo     Pd.h,Pn.b                                 00000101001100000100000 Pn:4 0 Pd:4                               SVE
punpkhi     Pd.h,Pn.b                                 00000101001100010100000 Pn:4 0 Pd:4                               SVE
[shuffle vector]
rev         Pd.T,Pn.T                                 T=bhsd 00000101 size 1101000100000 Pn:4 0 Pd:4                    SVE
zip1        Pd.T,Pn.T,Pm.T                            T=bhsd 00000101 size 10 Pm:4 0100000 Pn:4 0 Pd:4                  SVE
zip2        Pd.T,Pn.T,Pm.T                            T=bhsd 00000101 size 10 Pm:4 0100010 Pn:4 0 Pd:4                  SVE
uzp1        Pd.T,Pn.T,Pm.T                            T=bhsd 00000101 size 10 Pm:4 0100100 Pn:4 0 Pd:4                  SVE
uzp2        Pd.T,Pn.T,Pm.T                            T=bhsd 00000101 size 10 Pm:4 0100110 Pn:4 0 Pd:4                  SVE
trn1        Pd.T,Pn.T,Pm.T                            T=bhsd 00000101 size 10 Pm:4 0101000 Pn:4 0 Pd:4                  SVE
trn2        Pd.T,Pn.T,Pm.T                            T=bhsd 00000101 size 10 Pm:4 0101010 Pn:4 0 Pd:4                  SVE
[arithmetic vector]
cntp        Xd,Pg,Pn.T                                T=bhsd 00100101 size 10000010 Pg:4 0 Pn:4 Rd:5                    SVE
incp        x:Xdn,Pm.T                                T=bhsd 00100101 size 1011001000100 Pm:4 Rdn:5                     SVE
decp        x:Xdn,Pm.T                                T=bhsd 00100101 size 1011011000100 Pm:4 Rdn:5                     SVE
sqincp      x:Xdn,Pm.T                                T=bhsd 00100101 size 1010001000110 Pm:4 Rdn:5                     SVE
uqincp      x:Xdn,Pm.T                                T=bhsd 00100101 size 1010011000110 Pm:4 Rdn:5                     SVE
sqdecp      x:Xdn,Pm.T                                T=bhsd 00100101 size 1010101000110 Pm:4 Rdn:5                     SVE
uqdecp      x:Xdn,Pm.T                                T=bhsd 00100101 size 1010111000110 Pm:4 Rdn:5                     SVE
uqincp      x:Wdn,Pm.T                                T=bhsd 00100101 size 1010011000100 Pm:4 Rdn:5                     SVE
uqdecp      x:Wdn,Pm.T                                T=bhsd 00100101 size 1010111000100 Pm:4 Rdn:5                     SVE
sqincp      x:Xdn,Pm.T,Wdn                            T=bhsd 00100101 size 1010001000100 Pm:4 Rdn:5                     SVE
sqdecp      x:Xdn,Pm.T,Wdn                            T=bhsd 00100101 size 1010101000100 Pm:4 Rdn:5                     SVE
incp        x:Zdn.T,Pm.T                              T=hsd 00100101 size 1011001000000 Pm:4 Zdn:5                      SVE
decp        x:Zdn.T,Pm.T                              T=hsd 00100101 size 1011011000000 Pm:4 Zdn:5                      SVE
sqincp      x:Zdn.T,Pm.T                              T=hsd 00100101 size 1010001000000 Pm:4 Zdn:5                      SVE
uqincp      x:Zdn.T,Pm.T                              T=hsd 00100101 size 1010011000000 Pm:4 Zdn:5                      SVE
sqdecp      x:Zdn.T,Pm.T                              T=hsd 00100101 size 1010101000000 Pm:4 Zdn:5                      SVE
uqdecp      x:Zdn.T,Pm.T                              T=hsd 00100101 size 1010111000000 Pm:4 Zdn:5                      SVE
# Counting elements
cntb        Xd                                        000001000010000011100011111 Rd:5                                  SVE
cnth        Xd                                        000001000110000011100011111 Rd:5                                  SVE
cntw        Xd                                        000001001010000011100011111 Rd:5                                  SVE
cntd        Xd                                        000001001110000011100011111 Rd:5                                  SVE
cntb        Xd,pattern                                0000010000100000111000 pattern:5 Rd:5                             SVE
cnth        Xd,pattern                                0000010001100000111000 pattern:5 Rd:5                             SVE
cntw        Xd,pattern                                0000010010100000111000 pattern:5 Rd:5                             SVE
cntd        Xd,pattern                                0000010011100000111000 pattern:5 Rd:5                             SVE
cntb        Xd,pattern,mul#imm+1                      000001000010 imm:4 111000 pattern:5 Rd:5                          SVE
cnth        Xd,pattern,mul#imm+1                      000001000110 imm:4 111000 pattern:5 Rd:5                          SVE
cntw        Xd,pattern,mul#imm+1                      000001001010 imm:4 111000 pattern:5 Rd:5                          SVE
cntd        Xd,pattern,mul#imm+1                      000001001110 imm:4 111000 pattern:5 Rd:5                          SVE
incb        x:Xdn                                     000001000011000011100011111 Rdn:5                                 SVE
inch        x:Xdn                                     000001000111000011100011111 Rdn:5                                 SVE
incw        x:Xdn                                     000001001011000011100011111 Rdn:5                                 SVE
incd        x:Xdn                                     000001001111000011100011111 Rdn:5                                 SVE
decb        x:Xdn                                     000001000011000011100111111 Rdn:5                                 SVE
dech        x:Xdn                                     000001000111000011100111111 Rdn:5                                 SVE
decw        x:Xdn                                     000001001011000011100111111 Rdn:5                                 SVE
decd        x:Xdn                                     000001001111000011100111111 Rdn:5                                 SVE
sqincb      x:Xdn                                     000001000011000011110011111 Rdn:5                                 SVE
sqinch      x:Xdn                                     000001000111000011110011111 Rdn:5                                 SVE
sqincw      x:Xdn                                     000001001011000011110011111 Rdn:5                                 SVE
sqincd      x:Xdn                                     000001001111000011110011111 Rdn:5                                 SVE
uqincb      x:Xdn                                     000001000011000011110111111 Rdn:5                                 SVE
uqinch      x:Xdn                                     000001000111000011110111111 Rdn:5                                 SVE
uqincw      x:Xdn                                     000001001011000011110111111 Rdn:5                                 SVE
uqincd      x:Xdn                                     000001001111000011110111111 Rdn:5                                 SVE
sqdecb      x:Xdn                                     000001000011000011111011111 Rdn:5                                 SVE
sqdech      x:Xdn                                     000001000111000011111011111 Rdn:5                                 SVE
sqdecw      x:Xdn                                     000001001011000011111011111 Rdn:5                                 SVE
sqdecd      x:Xdn                                     000001001111000011111011111 Rdn:5                                 SVE
uqdecb      x:Xdn                                     000001000011000011111111111 Rdn:5                                 SVE
uqdech      x:Xdn                                     000001000111000011111111111 Rdn:5                                 SVE
uqdecw      x:Xdn                                     000001001011000011111111111 Rdn:5                                 SVE
uqdecd      x:Xdn                                     000001001111000011111111111 Rdn:5                                 SVE
incb        x:Xdn,pattern                             0000010000110000111000 pattern:5 Rdn:5                            SVE
inch        x:Xdn,pattern                             0000010001110000111000 pattern:5 Rdn:5                            SVE
incw        x:Xdn,pattern                             0000010010110000111000 pattern:5 Rdn:5                            SVE
incd        x:Xdn,pattern                             0000010011110000111000 pattern:5 Rdn:5                            SVE
decb        x:Xdn,pattern                             0000010000110000111001 pattern:5 Rdn:5                            SVE
dech        x:Xdn,pattern                             0000010001110000111001 pattern:5 Rdn:5                            SVE
decw        x:Xdn,pattern                             0000010010110000111001 pattern:5 Rdn:5                            SVE
decd        x:Xdn,pattern                             0000010011110000111001 pattern:5 Rdn:5                            SVE
sqincb      x:Xdn,pattern                             0000010000110000111100 pattern:5 Rdn:5                            SVE
sqinch      x:Xdn,pattern                             0000010001110000111100 pattern:5 Rdn:5                            SVE
sqincw      x:Xdn,pattern                             0000010010110000111100 pattern:5 Rdn:5                            SVE
sqincd      x:Xdn,pattern                             0000010011110000111100 pattern:5 Rdn:5                            SVE
uqincb      x:Xdn,pattern                             0000010000110000111101 pattern:5 Rdn:5                            SVE
uqinch      x:Xdn,pattern                             0000010001110000111101 pattern:5 Rdn:5                            SVE
uqincw      x:Xdn,pattern                             0000010010110000111101 pattern:5 Rdn:5                            SVE
uqincd      x:Xdn,pattern                             0000010011110000111101 pattern:5 Rdn:5                            SVE
sqdecb      x:Xdn,pattern                             0000010000110000111110 pattern:5 Rdn:5                            SVE
sqdech      x:Xdn,pattern                             0000010001110000111110 pattern:5 Rdn:5                            SVE
sqdecw      x:Xdn,pattern                             0000010010110000111110 pattern:5 Rdn:5                            SVE
sqdecd      x:Xdn,pattern                             0000010011110000111110 pattern:5 Rdn:5                            SVE
uqdecb      x:Xdn,pattern                             0000010000110000111111 pattern:5 Rdn:5                            SVE
uqdech      x:Xdn,pattern                             0000010001110000111111 pattern:5 Rdn:5                            SVE
uqdecw      x:Xdn,pattern                             0000010010110000111111 pattern:5 Rdn:5                            SVE
uqdecd      x:Xdn,pattern                             0000010011110000111111 pattern:5 Rdn:5                            SVE
incb        x:Xdn,pattern,mul#imm+1                   000001000011 imm:4 111000 pattern:5 Rdn:5                         SVE
inch        x:Xdn,pattern,mul#imm+1                   000001000111 imm:4 111000 pattern:5 Rdn:5                         SVE
incw        x:Xdn,pattern,mul#imm+1                   000001001011 imm:4 111000 pattern:5 Rdn:5                         SVE
incd        x:Xdn,pattern,mul#imm+1                   000001001111 imm:4 111000 pattern:5 Rdn:5                         SVE
decb        x:Xdn,pattern,mul#imm+1                   000001000011 imm:4 111001 pattern:5 Rdn:5                         SVE
dech        x:Xdn,pattern,mul#imm+1                   000001000111 imm:4 111001 pattern:5 Rdn:5                         SVE
decw        x:Xdn,pattern,mul#imm+1                   000001001011 imm:4 111001 pattern:5 Rdn:5                         SVE
decd        x:Xdn,pattern,mul#imm+1                   000001001111 imm:4 111001 pattern:5 Rdn:5                         SVE
sqincb      x:Xdn,pattern,mul#imm+1                   000001000011 imm:4 111100 pattern:5 Rdn:5                         SVE
sqinch      x:Xdn,pattern,mul#imm+1                   000001000111 imm:4 111100 pattern:5 Rdn:5                         SVE
sqincw      x:Xdn,pattern,mul#imm+1                   000001001011 imm:4 111100 pattern:5 Rdn:5                         SVE
sqincd      x:Xdn,pattern,mul#imm+1                   000001001111 imm:4 111100 pattern:5 Rdn:5                         SVE
uqincb      x:Xdn,pattern,mul#imm+1                   000001000011 imm:4 111101 pattern:5 Rdn:5                         SVE
uqinch      x:Xdn,pattern,mul#imm+1                   000001000111 imm:4 111101 pattern:5 Rdn:5                         SVE
uqincw      x:Xdn,pattern,mul#imm+1                   000001001011 imm:4 111101 pattern:5 Rdn:5                         SVE
uqincd      x:Xdn,pattern,mul#imm+1                   000001001111 imm:4 111101 pattern:5 Rdn:5                         SVE
sqdecb      x:Xdn,pattern,mul#imm+1                   000001000011 imm:4 111110 pattern:5 Rdn:5                         SVE
sqdech      x:Xdn,pattern,mul#imm+1                   000001000111 imm:4 111110 pattern:5 Rdn:5                         SVE
sqdecw      x:Xdn,pattern,mul#imm+1                   000001001011 imm:4 111110 pattern:5 Rdn:5                         SVE
sqdecd      x:Xdn,pattern,mul#imm+1                   000001001111 imm:4 111110 pattern:5 Rdn:5                         SVE
uqdecb      x:Xdn,pattern,mul#imm+1                   000001000011 imm:4 111111 pattern:5 Rdn:5                         SVE
uqdech      x:Xdn,pattern,mul#imm+1                   000001000111 imm:4 111111 pattern:5 Rdn:5                         SVE
uqdecw      x:Xdn,pattern,mul#imm+1                   000001001011 imm:4 111111 pattern:5 Rdn:5                         SVE
uqdecd      x:Xdn,pattern,mul#imm+1                   000001001111 imm:4 111111 pattern:5 Rdn:5                         SVE
uqincb      x:Wdn,pattern,mul#imm+1                   000001000010 imm:4 111101 pattern:5 Rdn:5                         SVE
uqinch      x:Wdn,pattern,mul#imm+1                   000001000110 imm:4 111101 pattern:5 Rdn:5                         SVE
uqincw      x:Wdn,pattern,mul#imm+1                   000001001010 imm:4 111101 pattern:5 Rdn:5                         SVE
uqincd      x:Wdn,pattern,mul#imm+1                   000001001110 imm:4 111101 pattern:5 Rdn:5                         SVE
uqdecb      x:Wdn,pattern,mul#imm+1                   000001000010 imm:4 111111 pattern:5 Rdn:5                         SVE
uqdech      x:Wdn,pattern,mul#imm+1                   000001000110 imm:4 111111 pattern:5 Rdn:5                         SVE
uqdecw      x:Wdn,pattern,mul#imm+1                   000001001010 imm:4 111111 pattern:5 Rdn:5                         SVE
uqdecd      x:Wdn,pattern,mul#imm+1                   000001001110 imm:4 111111 pattern:5 Rdn:5                         SVE
sqincb      x:Xdn,Wdn,pattern,mul#imm+1               000001000010 imm:4 111100 pattern:5 Rdn:5                         SVE
sqinch      x:Xdn,Wdn,pattern,mul#imm+1               000001000110 imm:4 111100 pattern:5 Rdn:5                         SVE
sqincw      x:Xdn,Wdn,pattern,mul#imm+1               000001001010 imm:4 111100 pattern:5 Rdn:5                         SVE
sqincd      x:Xdn,Wdn,pattern,mul#imm+1               000001001110 imm:4 111100 pattern:5 Rdn:5                         SVE
sqdecb      x:Xdn,Wdn,pattern,mul#imm+1               000001000010 imm:4 111110 pattern:5 Rdn:5                         SVE
sqdech      x:Xdn,Wdn,pattern,mul#imm+1               000001000110 imm:4 111110 pattern:5 Rdn:5                         SVE
sqdecw      x:Xdn,Wdn,pattern,mul#imm+1               000001001010 imm:4 111110 pattern:5 Rdn:5                         SVE
sqdecd      x:Xdn,Wdn,pattern,mul#imm+1               000001001110 imm:4 111110 pattern:5 Rdn:5                         SVE
inch        x:Zdn.h,pattern,mul#imm+1                 000001000111 imm:4 110000 pattern:5 Zdn:5                         SVE
dech        x:Zdn.h,pattern,mul#imm+1                 000001000111 imm:4 110001 pattern:5 Zdn:5                         SVE
sqinch      x:Zdn.h,pattern,mul#imm+1                 000001000110 imm:4 110000 pattern:5 Zdn:5                         SVE
uqinch      x:Zdn.h,pattern,mul#imm+1                 000001000110 imm:4 110001 pattern:5 Zdn:5                         SVE
sqdech      x:Zdn.h,pattern,mul#imm+1                 000001000110 imm:4 110010 pattern:5 Zdn:5                         SVE
uqdech      x:Zdn.h,pattern,mul#imm+1                 000001000110 imm:4 110011 pattern:5 Zdn:5                         SVE
incw        x:Zdn.s,pattern,mul#imm+1                 000001001011 imm:4 110000 pattern:5 Zdn:5                         SVE
decw        x:Zdn.s,pattern,mul#imm+1                 000001001011 imm:4 110001 pattern:5 Zdn:5                         SVE
sqincw      x:Zdn.s,pattern,mul#imm+1                 000001001010 imm:4 110000 pattern:5 Zdn:5                         SVE
uqincw      x:Zdn.s,pattern,mul#imm+1                 000001001010 imm:4 110001 pattern:5 Zdn:5                         SVE
sqdecw      x:Zdn.s,pattern,mul#imm+1                 000001001010 imm:4 110010 pattern:5 Zdn:5                         SVE
uqdecw      x:Zdn.s,pattern,mul#imm+1                 000001001010 imm:4 110011 pattern:5 Zdn:5                         SVE
incd        x:Zdn.d,pattern,mul#imm+1                 000001001111 imm:4 110000 pattern:5 Zdn:5                         SVE
decd        x:Zdn.d,pattern,mul#imm+1                 000001001111 imm:4 110001 pattern:5 Zdn:5                         SVE
sqincd      x:Zdn.d,pattern,mul#imm+1                 000001001110 imm:4 110000 pattern:5 Zdn:5                         SVE
uqincd      x:Zdn.d,pattern,mul#imm+1                 000001001110 imm:4 110001 pattern:5 Zdn:5                         SVE
sqdecd      x:Zdn.d,pattern,mul#imm+1                 000001001110 imm:4 110010 pattern:5 Zdn:5                         SVE
uqdecd      x:Zdn.d,pattern,mul#imm+1                 000001001110 imm:4 110011 pattern:5 Zdn:5                         SVE
uqincb      x:Wdn                                     000001000010000011110111111 Rdn:5                                 SVE
uqinch      x:Wdn                                     000001000110000011110111111 Rdn:5                                 SVE
uqincw      x:Wdn                                     000001001010000011110111111 Rdn:5                                 SVE
uqincd      x:Wdn                                     000001001110000011110111111 Rdn:5                                 SVE
uqdecb      x:Wdn                                     000001000010000011111111111 Rdn:5                                 SVE
uqdech      x:Wdn                                     000001000110000011111111111 Rdn:5                                 SVE
uqdecw      x:Wdn                                     000001001010000011111111111 Rdn:5                                 SVE
uqdecd      x:Wdn                                     000001001110000011111111111 Rdn:5                                 SVE
sqincb      x:Xdn,Wdn                                 000001000010000011110011111 Rdn:5                                 SVE
sqinch      x:Xdn,Wdn                                 000001000110000011110011111 Rdn:5                                 SVE
sqincw      x:Xdn,Wdn                                 000001001010000011110011111 Rdn:5                                 SVE
sqincd      x:Xdn,Wdn                                 000001001110000011110011111 Rdn:5                                 SVE
sqdecb      x:Xdn,Wdn                                 000001000010000011111011111 Rdn:5                                 SVE
sqdech      x:Xdn,Wdn                                 000001000110000011111011111 Rdn:5                                 SVE
sqdecw      x:Xdn,Wdn                                 000001001010000011111011111 Rdn:5                                 SVE
sqdecd      x:Xdn,Wdn                                 000001001110000011111011111 Rdn:5                                 SVE
inch        x:Zdn.h                                   000001000111000011000011111 Zdn:5                                 SVE
dech        x:Zdn.h                                   000001000111000011000111111 Zdn:5                                 SVE
sqinch      x:Zdn.h                                   000001000110000011000011111 Zdn:5                                 SVE
uqinch      x:Zdn.h                                   000001000110000011000111111 Zdn:5                                 SVE
sqdech      x:Zdn.h                                   000001000110000011001011111 Zdn:5                                 SVE
uqdech      x:Zdn.h                                   000001000110000011001111111 Zdn:5                                 SVE
incw        x:Zdn.s                                   000001001011000011000011111 Zdn:5                                 SVE
decw        x:Zdn.s                                   000001001011000011000111111 Zdn:5                                 SVE
sqincw      x:Zdn.s                                   000001001010000011000011111 Zdn:5                                 SVE
uqincw      x:Zdn.s                                   000001001010000011000111111 Zdn:5                                 SVE
sqdecw      x:Zdn.s                                   000001001010000011001011111 Zdn:5                                 SVE
uqdecw      x:Zdn.s                                   000001001010000011001111111 Zdn:5                                 SVE
incd        x:Zdn.d                                   000001001111000011000011111 Zdn:5                                 SVE
decd        x:Zdn.d                                   000001001111000011000111111 Zdn:5                                 SVE
sqincd      x:Zdn.d                                   000001001110000011000011111 Zdn:5                                 SVE
uqincd      x:Zdn.d                                   000001001110000011000111111 Zdn:5                                 SVE
sqdecd      x:Zdn.d                                   000001001110000011001011111 Zdn:5                                 SVE
uqdecd      x:Zdn.d                                   000001001110000011001111111 Zdn:5                                 SVE
uqincb      x:Wdn,pattern                             0000010000100000111101 pattern:5 Rdn:5                            SVE
uqinch      x:Wdn,pattern                             0000010001100000111101 pattern:5 Rdn:5                            SVE
uqincw      x:Wdn,pattern                             0000010010100000111101 pattern:5 Rdn:5                            SVE
uqincd      x:Wdn,pattern                             0000010011100000111101 pattern:5 Rdn:5                            SVE
uqdecb      x:Wdn,pattern                             0000010000100000111111 pattern:5 Rdn:5                            SVE
uqdech      x:Wdn,pattern                             0000010001100000111111 pattern:5 Rdn:5                            SVE
uqdecw      x:Wdn,pattern                             0000010010100000111111 pattern:5 Rdn:5                            SVE
uqdecd      x:Wdn,pattern                             0000010011100000111111 pattern:5 Rdn:5                            SVE
sqincb      x:Xdn,Wdn,pattern                         0000010000100000111100 pattern:5 Rdn:5                            SVE
sqinch      x:Xdn,Wdn,pattern                         0000010001100000111100 pattern:5 Rdn:5                            SVE
sqincw      x:Xdn,Wdn,pattern                         0000010010100000111100 pattern:5 Rdn:5                            SVE
sqincd      x:Xdn,Wdn,pattern                         0000010011100000111100 pattern:5 Rdn:5                            SVE
sqdecb      x:Xdn,Wdn,pattern                         0000010000100000111110 pattern:5 Rdn:5                            SVE
sqdech      x:Xdn,Wdn,pattern                         0000010001100000111110 pattern:5 Rdn:5                            SVE
sqdecw      x:Xdn,Wdn,pattern                         0000010010100000111110 pattern:5 Rdn:5                            SVE
sqdecd      x:Xdn,Wdn,pattern                         0000010011100000111110 pattern:5 Rdn:5                            SVE
inch        x:Zdn.h,pattern                           0000010001110000110000 pattern:5 Zdn:5                            SVE
dech        x:Zdn.h,pattern                           0000010001110000110001 pattern:5 Zdn:5                            SVE
sqinch      x:Zdn.h,pattern                           0000010001100000110000 pattern:5 Zdn:5                            SVE
uqinch      x:Zdn.h,pattern                           0000010001100000110001 pattern:5 Zdn:5                            SVE
sqdech      x:Zdn.h,pattern                           0000010001100000110010 pattern:5 Zdn:5                            SVE
uqdech      x:Zdn.h,pattern                           0000010001100000110011 pattern:5 Zdn:5                            SVE
incw        x:Zdn.s,pattern                           0000010010110000110000 pattern:5 Zdn:5                            SVE
decw        x:Zdn.s,pattern                           0000010010110000110001 pattern:5 Zdn:5                            SVE
sqincw      x:Zdn.s,pattern                           0000010010100000110000 pattern:5 Zdn:5                            SVE
uqincw      x:Zdn.s,pattern                           0000010010100000110001 pattern:5 Zdn:5                            SVE
sqdecw      x:Zdn.s,pattern                           0000010010100000110010 pattern:5 Zdn:5                            SVE
uqdecw      x:Zdn.s,pattern                           0000010010100000110011 pattern:5 Zdn:5                            SVE
incd        x:Zdn.d,pattern                           0000010011110000110000 pattern:5 Zdn:5                            SVE
decd        x:Zdn.d,pattern                           0000010011110000110001 pattern:5 Zdn:5                            SVE
sqincd      x:Zdn.d,pattern                           0000010011100000110000 pattern:5 Zdn:5                            SVE
uqincd      x:Zdn.d,pattern                           0000010011100000110001 pattern:5 Zdn:5                            SVE
sqdecd      x:Zdn.d,pattern                           0000010011100000110010 pattern:5 Zdn:5                            SVE
uqdecd      x:Zdn.d,pattern                           0000010011100000110011 pattern:5 Zdn:5                            SVE
[arithmetic control]
addvl       Xd|sp,Xn|sp,#simm                         00000100001 Rn:5 01010 simm:6 Rd:5                                SVE
addpl       Xd|sp,Xn|sp,#simm                         00000100011 Rn:5 01010 simm:6 Rd:5                                SVE
rdvl        Xd,#simm                                  000001001011111101010 simm:6 Rd:5                                 SVE
# Integer arithmetic
[arithmetic vector]
add         Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 000000 Zn:5 Zd:5                      SVE
sub         Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 000001 Zn:5 Zd:5                      SVE
sqadd       Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 000100 Zn:5 Zd:5                      SVE
uqadd       Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 000101 Zn:5 Zd:5                      SVE
sqsub       Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 000110 Zn:5 Zd:5                      SVE
uqsub       Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 000111 Zn:5 Zd:5                      SVE
add         x:Zdn.T,Zdn.T,#imm:wide.T                 T=bhsd 00100101 size 10000011 imm:9 Zdn:5                         SVE
sub         x:Zdn.T,Zdn.T,#imm:wide.T                 T=bhsd 00100101 size 10000111 imm:9 Zdn:5                         SVE
subr        x:Zdn.T,Zdn.T,#imm:wide.T                 T=bhsd 00100101 size 10001111 imm:9 Zdn:5                         SVE
sqadd       x:Zdn.T,Zdn.T,#imm:wide.T                 T=bhsd 00100101 size 10010011 imm:9 Zdn:5                         SVE
uqadd       x:Zdn.T,Zdn.T,#imm:wide.T                 T=bhsd 00100101 size 10010111 imm:9 Zdn:5                         SVE
sqsub       x:Zdn.T,Zdn.T,#imm:wide.T                 T=bhsd 00100101 size 10011011 imm:9 Zdn:5                         SVE
uqsub       x:Zdn.T,Zdn.T,#imm:wide.T                 T=bhsd 00100101 size 10011111 imm:9 Zdn:5                         SVE
add         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 000000000 Pg:3 Zm:5 Zdn:5                    SVE
sub         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 000001000 Pg:3 Zm:5 Zdn:5                    SVE
subr        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 000011000 Pg:3 Zm:5 Zdn:5                    SVE
mul         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010000000 Pg:3 Zm:5 Zdn:5                    SVE
smulh       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010010000 Pg:3 Zm:5 Zdn:5                    SVE
umulh       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010011000 Pg:3 Zm:5 Zdn:5                    SVE
smax        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 001000000 Pg:3 Zm:5 Zdn:5                    SVE
smin        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 001010000 Pg:3 Zm:5 Zdn:5                    SVE
umax        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 001001000 Pg:3 Zm:5 Zdn:5                    SVE
umin        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 001011000 Pg:3 Zm:5 Zdn:5                    SVE
sabd        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 001100000 Pg:3 Zm:5 Zdn:5                    SVE
uabd        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 001101000 Pg:3 Zm:5 Zdn:5                    SVE
and         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 011010000 Pg:3 Zm:5 Zdn:5                    SVE
orr         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 011000000 Pg:3 Zm:5 Zdn:5                    SVE
eor         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 011001000 Pg:3 Zm:5 Zdn:5                    SVE
bic         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 011011000 Pg:3 Zm:5 Zdn:5                    SVE
asr         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010000100 Pg:3 Zm:5 Zdn:5                    SVE
lsl         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010011100 Pg:3 Zm:5 Zdn:5                    SVE
lsr         x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010001100 Pg:3 Zm:5 Zdn:5                    SVE
asrr        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010100100 Pg:3 Zm:5 Zdn:5                    SVE
lslr        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010111100 Pg:3 Zm:5 Zdn:5                    SVE
lsrr        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 00000100 size 010101100 Pg:3 Zm:5 Zdn:5                    SVE
sdiv        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=sd 00000100 size 010100000 Pg:3 Zm:5 Zdn:5                      SVE
udiv        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=sd 00000100 size 010101000 Pg:3 Zm:5 Zdn:5                      SVE
sdivr       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=sd 00000100 size 010110000 Pg:3 Zm:5 Zdn:5                      SVE
udivr       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=sd 00000100 size 010111000 Pg:3 Zm:5 Zdn:5                      SVE
shadd       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010000100 Pg:3 Zm:5 Zdn:5                    SVE2
uhadd       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010001100 Pg:3 Zm:5 Zdn:5                    SVE2
shsub       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010010100 Pg:3 Zm:5 Zdn:5                    SVE2
uhsub       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010011100 Pg:3 Zm:5 Zdn:5                    SVE2
shsubr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010110100 Pg:3 Zm:5 Zdn:5                    SVE2
uhsubr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010111100 Pg:3 Zm:5 Zdn:5                    SVE2
srhadd      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010100100 Pg:3 Zm:5 Zdn:5                    SVE2
urhadd      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010101100 Pg:3 Zm:5 Zdn:5                    SVE2
sqadd       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011000100 Pg:3 Zm:5 Zdn:5                    SVE2
uqadd       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011001100 Pg:3 Zm:5 Zdn:5                    SVE2
sqsub       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011010100 Pg:3 Zm:5 Zdn:5                    SVE2
uqsub       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011011100 Pg:3 Zm:5 Zdn:5                    SVE2
sqsubr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011110100 Pg:3 Zm:5 Zdn:5                    SVE2
uqsubr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011111100 Pg:3 Zm:5 Zdn:5                    SVE2
suqadd      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011100100 Pg:3 Zm:5 Zdn:5                    SVE2
usqadd      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 011101100 Pg:3 Zm:5 Zdn:5                    SVE2
srshl       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 000010100 Pg:3 Zm:5 Zdn:5                    SVE2
urshl       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 000011100 Pg:3 Zm:5 Zdn:5                    SVE2
srshlr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 000110100 Pg:3 Zm:5 Zdn:5                    SVE2
urshlr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 000111100 Pg:3 Zm:5 Zdn:5                    SVE2
sqshl       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001000100 Pg:3 Zm:5 Zdn:5                    SVE2
uqshl       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001001100 Pg:3 Zm:5 Zdn:5                    SVE2
sqshlr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001100100 Pg:3 Zm:5 Zdn:5                    SVE2
uqshlr      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001101100 Pg:3 Zm:5 Zdn:5                    SVE2
sqrshl      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001010100 Pg:3 Zm:5 Zdn:5                    SVE2
uqrshl      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001011100 Pg:3 Zm:5 Zdn:5                    SVE2
sqrshlr     x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001110100 Pg:3 Zm:5 Zdn:5                    SVE2
uqrshlr     x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 001111100 Pg:3 Zm:5 Zdn:5                    SVE2
addp        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010001101 Pg:3 Zm:5 Zdn:5                    SVE2
smaxp       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010100101 Pg:3 Zm:5 Zdn:5                    SVE2
sminp       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010110101 Pg:3 Zm:5 Zdn:5                    SVE2
umaxp       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010101101 Pg:3 Zm:5 Zdn:5                    SVE2
uminp       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=bhsd 01000100 size 010111101 Pg:3 Zm:5 Zdn:5                    SVE2
[fma vector]
mla         x:Zda.T,Pg/M,Zn.T,Zm.T                    T=bhsd 00000100 size 0 Zm:5 010 Pg:3 Zn:5 Zda:5                   SVE
mls         x:Zda.T,Pg/M,Zn.T,Zm.T                    T=bhsd 00000100 size 0 Zm:5 011 Pg:3 Zn:5 Zda:5                   SVE
mad         x:Zdn.T,Pg/M,Zm.T,Za.T                    T=bhsd 00000100 size 0 Zm:5 110 Pg:3 Za:5 Zdn:5                   SVE
msb         x:Zdn.T,Pg/M,Zm.T,Za.T                    T=bhsd 00000100 size 0 Zm:5 111 Pg:3 Za:5 Zdn:5                   SVE
[arithmetic vector]
mul         Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 011000 Zn:5 Zd:5                      SVE2
smulh       Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 011010 Zn:5 Zd:5                      SVE2
umulh       Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 011011 Zn:5 Zd:5                      SVE2
sqdmulh     Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 011100 Zn:5 Zd:5                      SVE2
sqrdmulh    Zd.T,Zn.T,Zm.T                            T=bhsd 00000100 size 1 Zm:5 011101 Zn:5 Zd:5                      SVE2
pmul        Zd.b,Zn.b,Zm.b                            00000100001 Zm:5 011001 Zn:5 Zd:5                                 SVE2
[fma vector]
sqrdmlah    x:Zda.T,Zn.T,Zm.T                         T=bhsd 01000100 size 0 Zm:5 011100 Zn:5 Zda:5                     SVE2
sqrdmlsh    x:Zda.T,Zn.T,Zm.T                         T=bhsd 01000100 size 0 Zm:5 011101 Zn:5 Zda:5                     SVE2
[arithmetic vector]
saba        x:Zda.T,Zn.T,Zm.T                         T=bhsd 01000101 size 0 Zm:5 111110 Zn:5 Zda:5                     SVE2
uaba        x:Zda.T,Zn.T,Zm.T                         T=bhsd 01000101 size 0 Zm:5 111111 Zn:5 Zda:5                     SVE2
smax        x:Zdn.T,Zdn.T,#simm                       T=bhsd 00100101 size 101000110 simm:8 Zdn:5                       SVE
smin        x:Zdn.T,Zdn.T,#simm                       T=bhsd 00100101 size 101010110 simm:8 Zdn:5                       SVE
umax        x:Zdn.T,Zdn.T,#imm                        T=bhsd 00100101 size 101001110 imm:8 Zdn:5                        SVE
umin        x:Zdn.T,Zdn.T,#imm                        T=bhsd 00100101 size 101011110 imm:8 Zdn:5                        SVE
mul         x:Zdn.T,Zdn.T,#simm                       T=bhsd 00100101 size 110000110 simm:8 Zdn:5                       SVE
abs         x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 010110101 Pg:3 Zn:5 Zd:5                     SVE
neg         x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 010111101 Pg:3 Zn:5 Zd:5                     SVE
cls         x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 011000101 Pg:3 Zn:5 Zd:5                     SVE
clz         x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 011001101 Pg:3 Zn:5 Zd:5                     SVE
cnt         x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 011010101 Pg:3 Zn:5 Zd:5                     SVE
cnot        x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 011011101 Pg:3 Zn:5 Zd:5                     SVE
not         x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 011110101 Pg:3 Zn:5 Zd:5                     SVE
sqabs       x:Zd.T,Pg/M,Zn.T                          T=bhsd 01000100 size 001000101 Pg:3 Zn:5 Zd:5                     SVE2
sqneg       x:Zd.T,Pg/M,Zn.T                          T=bhsd 01000100 size 001001101 Pg:3 Zn:5 Zd:5                     SVE2
urecpe      x:Zd.s,Pg/M,Zn.s                          0100010010000000101 Pg:3 Zn:5 Zd:5                                SVE2
ursqrte     x:Zd.s,Pg/M,Zn.s                          0100010010000001101 Pg:3 Zn:5 Zd:5                                SVE2
sxtb        x:Zd.T,Pg/M,Zn.T                          T=hsd 00000100 size 010000101 Pg:3 Zn:5 Zd:5                      SVE
uxtb        x:Zd.T,Pg/M,Zn.T                          T=hsd 00000100 size 010001101 Pg:3 Zn:5 Zd:5                      SVE
sxth        x:Zd.T,Pg/M,Zn.T                          T=sd 00000100 size 010010101 Pg:3 Zn:5 Zd:5                       SVE
uxth        x:Zd.T,Pg/M,Zn.T                          T=sd 00000100 size 010011101 Pg:3 Zn:5 Zd:5                       SVE
sxtw        x:Zd.d,Pg/M,Zn.d                          0000010011010100101 Pg:3 Zn:5 Zd:5                                SVE
uxtw        x:Zd.d,Pg/M,Zn.d                          0000010011010101101 Pg:3 Zn:5 Zd:5                                SVE
sadalp      x:Zda.Ta,Pg/M,Zn.T                        Ta,T=h,b/s,h/d,s 01000100 size 000100101 Pg:3 Zn:5 Zda:5          SVE2
uadalp      x:Zda.Ta,Pg/M,Zn.T                        Ta,T=h,b/s,h/d,s 01000100 size 000101101 Pg:3 Zn:5 Zda:5          SVE2
and         Zd.d,Zn.d,Zm.d                            00000100001 Zm:5 001100 Zn:5 Zd:5                                 SVE
orr         Zd.d,Zn.d,Zm.d                            00000100011 Zm:5 001100 Zn:5 Zd:5                                 SVE
eor         Zd.d,Zn.d,Zm.d                            00000100101 Zm:5 001100 Zn:5 Zd:5                                 SVE
bic         Zd.d,Zn.d,Zm.d                            00000100111 Zm:5 001100 Zn:5 Zd:5                                 SVE
and         x:Zdn.T,Zdn.T,#bimm:mask.T                T=bhsd 00000101100000 bimm:13 Zdn:5                               SVE
orr         x:Zdn.T,Zdn.T,#bimm:mask.T                T=bhsd 00000101000000 bimm:13 Zdn:5                               SVE
eor         x:Zdn.T,Zdn.T,#bimm:mask.T                T=bhsd 00000101010000 bimm:13 Zdn:5                               SVE
[move vector]
dupm        Zd.T,#bimm:mask.T                         T=bhsd 00000101110000 bimm:13 Zd:5                                   SVE      ; key:vector.dup
[arithmetic vector]
eor3        x:Zdn.d,Zdn.d,Zm.d,Zk.d                   00000100001 Zm:5 001110 Zk:5 Zdn:5                                SVE2
bcax        x:Zdn.d,Zdn.d,Zm.d,Zk.d                   00000100011 Zm:5 001110 Zk:5 Zdn:5                                SVE2
bsl         x:Zdn.d,Zdn.d,Zm.d,Zk.d                   00000100001 Zm:5 001111 Zk:5 Zdn:5                                SVE2
bsl1n       x:Zdn.d,Zdn.d,Zm.d,Zk.d                   00000100011 Zm:5 001111 Zk:5 Zdn:5                                SVE2
bsl2n       x:Zdn.d,Zdn.d,Zm.d,Zk.d                   00000100101 Zm:5 001111 Zk:5 Zdn:5                                SVE2
nbsl        x:Zdn.d,Zdn.d,Zm.d,Zk.d                   00000100111 Zm:5 001111 Zk:5 Zdn:5                                SVE2
xar         x:Zdn.T,Zdn.T,Zm.T,#-sh                   T=bhsd 00000100 tszsh[6:5] 1 tszsh[4:0] 001101 Zm:5 Zdn:5         SVE2
eorbt       x:Zd.T,Zn.T,Zm.T                          T=bhsd 01000101 size 0 Zm:5 100100 Zn:5 Zd:5                      SVE2
eortb       x:Zd.T,Zn.T,Zm.T                          T=bhsd 01000101 size 0 Zm:5 100101 Zn:5 Zd:5                      SVE2
adclb       x:Zda.T,Zn.T,Zm.T                         T=sd 010001010 sz 0 Zm:5 110100 Zn:5 Zda:5                        SVE2
adclt       x:Zda.T,Zn.T,Zm.T                         T=sd 010001010 sz 0 Zm:5 110101 Zn:5 Zda:5                        SVE2
sbclb       x:Zda.T,Zn.T,Zm.T                         T=sd 01000101 size 0 Zm:5 110100 Zn:5 Zda:5                       SVE2
sbclt       x:Zda.T,Zn.T,Zm.T                         T=sd 01000101 size 0 Zm:5 110101 Zn:5 Zda:5                       SVE2
sclamp      x:Zd.T,Zn.T,Zm.T                          T=bhsd 01000100 size 0 Zm:5 110000 Zn:5 Zd:5                      SME_OR_SVE2p1
uclamp      x:Zd.T,Zn.T,Zm.T                          T=bhsd 01000100 size 0 Zm:5 110001 Zn:5 Zd:5                      SME_OR_SVE2p1
# Shifts
asr         Zd.T,Zn.T,#-sh                            T=bhsd 00000100 tszsh[6:5] 1 tszsh[4:0] 100100 Zn:5 Zd:5          SVE
lsr         Zd.T,Zn.T,#-sh                            T=bhsd 00000100 tszsh[6:5] 1 tszsh[4:0] 100101 Zn:5 Zd:5          SVE
lsl         Zd.T,Zn.T,#sh                             T=bhsd 00000100 tszsh[6:5] 1 tszsh[4:0] 100111 Zn:5 Zd:5          SVE
asr         Zd.T,Zn.T,Zm.d                            T=bhs 00000100 size 1 Zm:5 100000 Zn:5 Zd:5                       SVE
lsl         Zd.T,Zn.T,Zm.d                            T=bhs 00000100 size 1 Zm:5 100011 Zn:5 Zd:5                       SVE
lsr         Zd.T,Zn.T,Zm.d                            T=bhs 00000100 size 1 Zm:5 100001 Zn:5 Zd:5                       SVE
asr         x:Zdn.T,Pg/M,Zdn.T,Zm.d                   T=bhs 00000100 size 011000100 Pg:3 Zm:5 Zdn:5                     SVE
lsl         x:Zdn.T,Pg/M,Zdn.T,Zm.d                   T=bhs 00000100 size 011011100 Pg:3 Zm:5 Zdn:5                     SVE
lsr         x:Zdn.T,Pg/M,Zdn.T,Zm.d                   T=bhs 00000100 size 011001100 Pg:3 Zm:5 Zdn:5                     SVE
asr         x:Zdn.T,Pg/M,Zdn.T,#-sh                   T=bhsd 00000100 tszsh[6:5] 000000100 Pg:3 tszsh[4:0] Zdn:5        SVE
lsr         x:Zdn.T,Pg/M,Zdn.T,#-sh                   T=bhsd 00000100 tszsh[6:5] 000001100 Pg:3 tszsh[4:0] Zdn:5        SVE
asrd        x:Zdn.T,Pg/M,Zdn.T,#-sh                   T=bhsd 00000100 tszsh[6:5] 000100100 Pg:3 tszsh[4:0] Zdn:5        SVE
srshr       x:Zdn.T,Pg/M,Zdn.T,#-sh                   T=bhsd 00000100 tszsh[6:5] 001100100 Pg:3 tszsh[4:0] Zdn:5        SVE2
urshr       x:Zdn.T,Pg/M,Zdn.T,#-sh                   T=bhsd 00000100 tszsh[6:5] 001101100 Pg:3 tszsh[4:0] Zdn:5        SVE2
lsl         x:Zdn.T,Pg/M,Zdn.T,#sh                    T=bhsd 00000100 tszsh[6:5] 000011100 Pg:3 tszsh[4:0] Zdn:5        SVE
sqshl       x:Zdn.T,Pg/M,Zdn.T,#sh                    T=bhsd 00000100 tszsh[6:5] 000110100 Pg:3 tszsh[4:0] Zdn:5        SVE2
uqshl       x:Zdn.T,Pg/M,Zdn.T,#sh                    T=bhsd 00000100 tszsh[6:5] 000111100 Pg:3 tszsh[4:0] Zdn:5        SVE2
sqshlu      x:Zdn.T,Pg/M,Zdn.T,#sh                    T=bhsd 00000100 tszsh[6:5] 001111100 Pg:3 tszsh[4:0] Zdn:5        SVE2
ssra        x:Zda.T,Zn.T,#-sh                         T=bhsd 01000101 tszsh[6:5] 0 tszsh[4:0] 111000 Zn:5 Zda:5         SVE2
usra        x:Zda.T,Zn.T,#-sh                         T=bhsd 01000101 tszsh[6:5] 0 tszsh[4:0] 111001 Zn:5 Zda:5         SVE2
srsra       x:Zda.T,Zn.T,#-sh                         T=bhsd 01000101 tszsh[6:5] 0 tszsh[4:0] 111010 Zn:5 Zda:5         SVE2
ursra       x:Zda.T,Zn.T,#-sh                         T=bhsd 01000101 tszsh[6:5] 0 tszsh[4:0] 111011 Zn:5 Zda:5         SVE2
sri         x:Zd.T,Zn.T,#-sh                          T=bhsd 01000101 tszsh[6:5] 0 tszsh[4:0] 111100 Zn:5 Zd:5          SVE2
sli         x:Zd.T,Zn.T,#sh                           T=bhsd 01000101 tszsh[6:5] 0 tszsh[4:0] 111101 Zn:5 Zd:5          SVE2
sshllb      Zd.Ta,Zn.T,#sh                            T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 0 tszsh[4:0] 101000 Zn:5 Zd:5  SVE2
sshllt      Zd.Ta,Zn.T,#sh                            T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 0 tszsh[4:0] 101001 Zn:5 Zd:5  SVE2
ushllb      Zd.Ta,Zn.T,#sh                            T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 0 tszsh[4:0] 101010 Zn:5 Zd:5  SVE2
ushllt      Zd.Ta,Zn.T,#sh                            T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 0 tszsh[4:0] 101011 Zn:5 Zd:5  SVE2
shrnb       Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000100 Zn:5 Zd:5  SVE2
rshrnb      Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000110 Zn:5 Zd:5  SVE2
sqshrnb     Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001000 Zn:5 Zd:5  SVE2
sqrshrnb    Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001010 Zn:5 Zd:5  SVE2
uqshrnb     Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001100 Zn:5 Zd:5  SVE2
uqrshrnb    Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001110 Zn:5 Zd:5  SVE2
sqshrunb    Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000000 Zn:5 Zd:5  SVE2
sqrshrunb   Zd.T,Zn.Ta,#-sh                           T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000010 Zn:5 Zd:5  SVE2
shrnt       x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000101 Zn:5 Zd:5  SVE2
rshrnt      x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000111 Zn:5 Zd:5  SVE2
sqshrnt     x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001001 Zn:5 Zd:5  SVE2
sqrshrnt    x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001011 Zn:5 Zd:5  SVE2
uqshrnt     x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001101 Zn:5 Zd:5  SVE2
uqrshrnt    x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 001111 Zn:5 Zd:5  SVE2
sqshrunt    x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000001 Zn:5 Zd:5  SVE2
sqrshrunt   x:Zd.T,Zn.Ta,#-sh                         T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 tszsh[4:0] 000011 Zn:5 Zd:5  SVE2
# Widening and narrowing
saddlb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000000 Zn:5 Zd:5            SVE2
saddlt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000001 Zn:5 Zd:5            SVE2
uaddlb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000010 Zn:5 Zd:5            SVE2
uaddlt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000011 Zn:5 Zd:5            SVE2
ssublb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000100 Zn:5 Zd:5            SVE2
ssublt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000101 Zn:5 Zd:5            SVE2
usublb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000110 Zn:5 Zd:5            SVE2
usublt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 000111 Zn:5 Zd:5            SVE2
sabdlb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 001100 Zn:5 Zd:5            SVE2
sabdlt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 001101 Zn:5 Zd:5            SVE2
uabdlb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 001110 Zn:5 Zd:5            SVE2
uabdlt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 001111 Zn:5 Zd:5            SVE2
smullb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 011100 Zn:5 Zd:5            SVE2
smullt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 011101 Zn:5 Zd:5            SVE2
umullb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 011110 Zn:5 Zd:5            SVE2
umullt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 011111 Zn:5 Zd:5            SVE2
sqdmullb    Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 011000 Zn:5 Zd:5            SVE2
sqdmullt    Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 011001 Zn:5 Zd:5            SVE2
saddlbt     Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 100000 Zn:5 Zd:5            SVE2
ssublbt     Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 100010 Zn:5 Zd:5            SVE2
ssubltb     Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 100011 Zn:5 Zd:5            SVE2
saddwb      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010000 Zn:5 Zd:5            SVE2
saddwt      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010001 Zn:5 Zd:5            SVE2
uaddwb      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010010 Zn:5 Zd:5            SVE2
uaddwt      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010011 Zn:5 Zd:5            SVE2
ssubwb      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010100 Zn:5 Zd:5            SVE2
ssubwt      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010101 Zn:5 Zd:5            SVE2
usubwb      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010110 Zn:5 Zd:5            SVE2
usubwt      Zd.Ta,Zn.Ta,Zm.T                          Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 010111 Zn:5 Zd:5            SVE2
[fma vector]
smlalb      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010000 Zn:5 Zda:5           SVE2
smlalt      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010001 Zn:5 Zda:5           SVE2
umlalb      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010010 Zn:5 Zda:5           SVE2
umlalt      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010011 Zn:5 Zda:5           SVE2
smlslb      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010100 Zn:5 Zda:5           SVE2
smlslt      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010101 Zn:5 Zda:5           SVE2
umlslb      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010110 Zn:5 Zda:5           SVE2
umlslt      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 010111 Zn:5 Zda:5           SVE2
[arithmetic vector]
sabalb      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 110000 Zn:5 Zda:5           SVE2
sabalt      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 110001 Zn:5 Zda:5           SVE2
uabalb      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 110010 Zn:5 Zda:5           SVE2
uabalt      x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000101 size 0 Zm:5 110011 Zn:5 Zda:5           SVE2
[fma vector]
sqdmlalb    x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 011000 Zn:5 Zda:5           SVE2
sqdmlalt    x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 011001 Zn:5 Zda:5           SVE2
sqdmlslb    x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 011010 Zn:5 Zda:5           SVE2
sqdmlslt    x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 011011 Zn:5 Zda:5           SVE2
sqdmlalbt   x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 000010 Zn:5 Zda:5           SVE2
sqdmlslbt   x:Zda.Ta,Zn.T,Zm.T                        Ta,T=h,b/s,h/d,s 01000100 size 0 Zm:5 000011 Zn:5 Zda:5           SVE2
[arithmetic vector]
pmullb      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/d,s 01000101 size 0 Zm:5 011010 Zn:5 Zd:5                SVE2
pmullt      Zd.Ta,Zn.T,Zm.T                           Ta,T=h,b/d,s 01000101 size 0 Zm:5 011011 Zn:5 Zd:5                SVE2
pmullb      Zd.q,Zn.d,Zm.d                            01000101000 Zm:5 011010 Zn:5 Zd:5                                 SVE2_AES
pmullt      Zd.q,Zn.d,Zm.d                            01000101000 Zm:5 011011 Zn:5 Zd:5                                 SVE2_AES
addhnb      Zd.T,Zn.Ta,Zm.Ta                          Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011000 Zn:5 Zd:5            SVE2
raddhnb     Zd.T,Zn.Ta,Zm.Ta                          Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011010 Zn:5 Zd:5            SVE2
subhnb      Zd.T,Zn.Ta,Zm.Ta                          Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011100 Zn:5 Zd:5            SVE2
rsubhnb     Zd.T,Zn.Ta,Zm.Ta                          Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011110 Zn:5 Zd:5            SVE2
addhnt      x:Zd.T,Zn.Ta,Zm.Ta                        Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011001 Zn:5 Zd:5            SVE2
raddhnt     x:Zd.T,Zn.Ta,Zm.Ta                        Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011011 Zn:5 Zd:5            SVE2
subhnt      x:Zd.T,Zn.Ta,Zm.Ta                        Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011101 Zn:5 Zd:5            SVE2
rsubhnt     x:Zd.T,Zn.Ta,Zm.Ta                        Ta,T=h,b/s,h/d,s 01000101 size 1 Zm:5 011111 Zn:5 Zd:5            SVE2
[convert vector]
sqxtnb      Zd.T,Zn.Ta                                T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 sz imm5[0] 000010000 Zn:5 Zd:5  SVE2
uqxtnb      Zd.T,Zn.Ta                                T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 sz imm5[0] 000010010 Zn:5 Zd:5  SVE2
sqxtunb     Zd.T,Zn.Ta                                T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 sz imm5[0] 000010100 Zn:5 Zd:5  SVE2
sqxtnt      x:Zd.T,Zn.Ta                              T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 sz imm5[0] 000010001 Zn:5 Zd:5  SVE2
uqxtnt      x:Zd.T,Zn.Ta                              T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 sz imm5[0] 000010011 Zn:5 Zd:5  SVE2
sqxtunt     x:Zd.T,Zn.Ta                              T,Ta=b,h/h,s/s,d 01000101 tszsh[6:5] 1 sz imm5[0] 000010101 Zn:5 Zd:5  SVE2
# Integer by element, dot products, matrices
[arithmetic vector]
mul         Zd.h,Zn.h,Zm.h[i]                         010001000 i[2] 1 i[1:0] Zm:3 111110 Zn:5 Zd:5                     SVE2
sqdmulh     Zd.h,Zn.h,Zm.h[i]                         010001000 i[2] 1 i[1:0] Zm:3 111100 Zn:5 Zd:5                     SVE2
sqrdmulh    Zd.h,Zn.h,Zm.h[i]                         010001000 i[2] 1 i[1:0] Zm:3 111101 Zn:5 Zd:5                     SVE2
mul         Zd.s,Zn.s,Zm.s[i]                         01000100101 i:2 Zm:3 111110 Zn:5 Zd:5                             SVE2
sqdmulh     Zd.s,Zn.s,Zm.s[i]                         01000100101 i:2 Zm:3 111100 Zn:5 Zd:5                             SVE2
sqrdmulh    Zd.s,Zn.s,Zm.s[i]                         01000100101 i:2 Zm:3 111101 Zn:5 Zd:5                             SVE2
mul         Zd.d,Zn.d,Zm.d[i]                         01000100111 i:1 Zm:4 111110 Zn:5 Zd:5                             SVE2
sqdmulh     Zd.d,Zn.d,Zm.d[i]                         01000100111 i:1 Zm:4 111100 Zn:5 Zd:5                             SVE2
sqrdmulh    Zd.d,Zn.d,Zm.d[i]                         01000100111 i:1 Zm:4 111101 Zn:5 Zd:5                             SVE2
[fma vector]
mla         x:Zda.h,Zn.h,Zm.h[i]                      010001000 i[2] 1 i[1:0] Zm:3 000010 Zn:5 Zda:5                    SVE2
mls         x:Zda.h,Zn.h,Zm.h[i]                      010001000 i[2] 1 i[1:0] Zm:3 000011 Zn:5 Zda:5                    SVE2
sqrdmlah    x:Zda.h,Zn.h,Zm.h[i]                      010001000 i[2] 1 i[1:0] Zm:3 000100 Zn:5 Zda:5                    SVE2
sqrdmlsh    x:Zda.h,Zn.h,Zm.h[i]                      010001000 i[2] 1 i[1:0] Zm:3 000101 Zn:5 Zda:5                    SVE2
mla         x:Zda.s,Zn.s,Zm.s[i]                      01000100101 i:2 Zm:3 000010 Zn:5 Zda:5                            SVE2
mls         x:Zda.s,Zn.s,Zm.s[i]                      01000100101 i:2 Zm:3 000011 Zn:5 Zda:5                            SVE2
sqrdmlah    x:Zda.s,Zn.s,Zm.s[i]                      01000100101 i:2 Zm:3 000100 Zn:5 Zda:5                            SVE2
sqrdmlsh    x:Zda.s,Zn.s,Zm.s[i]                      01000100101 i:2 Zm:3 000101 Zn:5 Zda:5                            SVE2
mla         x:Zda.d,Zn.d,Zm.d[i]                      01000100111 i:1 Zm:4 000010 Zn:5 Zda:5                            SVE2
mls         x:Zda.d,Zn.d,Zm.d[i]                      01000100111 i:1 Zm:4 000011 Zn:5 Zda:5                            SVE2
sqrdmlah    x:Zda.d,Zn.d,Zm.d[i]                      01000100111 i:1 Zm:4 000100 Zn:5 Zda:5                            SVE2
sqrdmlsh    x:Zda.d,Zn.d,Zm.d[i]                      01000100111 i:1 Zm:4 000101 Zn:5 Zda:5                            SVE2
[arithmetic vector]
smullb      Zd.s,Zn.h,Zm.h[i]                         01000100101 i[2:1] Zm:3 1100 i[0] 0 Zn:5 Zd:5                     SVE2
smullt      Zd.s,Zn.h,Zm.h[i]                         01000100101 i[2:1] Zm:3 1100 i[0] 1 Zn:5 Zd:5                     SVE2
umullb      Zd.s,Zn.h,Zm.h[i]                         01000100101 i[2:1] Zm:3 1101 i[0] 0 Zn:5 Zd:5                     SVE2
umullt      Zd.s,Zn.h,Zm.h[i]                         01000100101 i[2:1] Zm:3 1101 i[0] 1 Zn:5 Zd:5                     SVE2
sqdmullb    Zd.s,Zn.h,Zm.h[i]                         01000100101 i[2:1] Zm:3 1110 i[0] 0 Zn:5 Zd:5                     SVE2
sqdmullt    Zd.s,Zn.h,Zm.h[i]                         01000100101 i[2:1] Zm:3 1110 i[0] 1 Zn:5 Zd:5                     SVE2
smullb      Zd.d,Zn.s,Zm.s[i]                         01000100111 i[1] Zm:4 1100 i[0] 0 Zn:5 Zd:5                       SVE2
smullt      Zd.d,Zn.s,Zm.s[i]                         01000100111 i[1] Zm:4 1100 i[0] 1 Zn:5 Zd:5                       SVE2
umullb      Zd.d,Zn.s,Zm.s[i]                         01000100111 i[1] Zm:4 1101 i[0] 0 Zn:5 Zd:5                       SVE2
umullt      Zd.d,Zn.s,Zm.s[i]                         01000100111 i[1] Zm:4 1101 i[0] 1 Zn:5 Zd:5                       SVE2
sqdmullb    Zd.d,Zn.s,Zm.s[i]                         01000100111 i[1] Zm:4 1110 i[0] 0 Zn:5 Zd:5                       SVE2
sqdmullt    Zd.d,Zn.s,Zm.s[i]                         01000100111 i[1] Zm:4 1110 i[0] 1 Zn:5 Zd:5                       SVE2
[fma vector]
smlalb      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1000 i[0] 0 Zn:5 Zda:5                    SVE2
smlalt      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1000 i[0] 1 Zn:5 Zda:5                    SVE2
umlalb      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1001 i[0] 0 Zn:5 Zda:5                    SVE2
umlalt      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1001 i[0] 1 Zn:5 Zda:5                    SVE2
smlslb      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1010 i[0] 0 Zn:5 Zda:5                    SVE2
smlslt      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1010 i[0] 1 Zn:5 Zda:5                    SVE2
umlslb      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1011 i[0] 0 Zn:5 Zda:5                    SVE2
umlslt      x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 1011 i[0] 1 Zn:5 Zda:5                    SVE2
sqdmlalb    x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 0010 i[0] 0 Zn:5 Zda:5                    SVE2
sqdmlalt    x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 0010 i[0] 1 Zn:5 Zda:5                    SVE2
sqdmlslb    x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 0011 i[0] 0 Zn:5 Zda:5                    SVE2
sqdmlslt    x:Zda.s,Zn.h,Zm.h[i]                      01000100101 i[2:1] Zm:3 0011 i[0] 1 Zn:5 Zda:5                    SVE2
smlalb      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1000 i[0] 0 Zn:5 Zda:5                      SVE2
smlalt      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1000 i[0] 1 Zn:5 Zda:5                      SVE2
umlalb      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1001 i[0] 0 Zn:5 Zda:5                      SVE2
umlalt      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1001 i[0] 1 Zn:5 Zda:5                      SVE2
smlslb      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1010 i[0] 0 Zn:5 Zda:5                      SVE2
smlslt      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1010 i[0] 1 Zn:5 Zda:5                      SVE2
umlslb      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1011 i[0] 0 Zn:5 Zda:5                      SVE2
umlslt      x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 1011 i[0] 1 Zn:5 Zda:5                      SVE2
sqdmlalb    x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 0010 i[0] 0 Zn:5 Zda:5                      SVE2
sqdmlalt    x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 0010 i[0] 1 Zn:5 Zda:5                      SVE2
sqdmlslb    x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 0011 i[0] 0 Zn:5 Zda:5                      SVE2
sqdmlslt    x:Zda.d,Zn.s,Zm.s[i]                      01000100111 i[1] Zm:4 0011 i[0] 1 Zn:5 Zda:5                      SVE2
[dot vector]
sdot        x:Zda.Ta,Zn.T,Zm.T                        Ta,T=s,b/d,h 01000100 size 0 Zm:5 000000 Zn:5 Zda:5               SVE
udot        x:Zda.Ta,Zn.T,Zm.T                        Ta,T=s,b/d,h 01000100 size 0 Zm:5 000001 Zn:5 Zda:5               SVE
sdot        x:Zda.s,Zn.b,Zm.b[i]                      01000100101 i:2 Zm:3 000000 Zn:5 Zda:5                            SVE
udot        x:Zda.s,Zn.b,Zm.b[i]                      01000100101 i:2 Zm:3 000001 Zn:5 Zda:5                            SVE
sdot        x:Zda.d,Zn.h,Zm.h[i]                      01000100111 i:1 Zm:4 000000 Zn:5 Zda:5                            SVE
udot        x:Zda.d,Zn.h,Zm.h[i]                      01000100111 i:1 Zm:4 000001 Zn:5 Zda:5                            SVE
usdot       x:Zda.s,Zn.b,Zm.b                         01000100100 Zm:5 011110 Zn:5 Zda:5                                SVE+I8MM
usdot       x:Zda.s,Zn.b,Zm.b[i]                      01000100101 i:2 Zm:3 000110 Zn:5 Zda:5                            SVE+I8MM
sudot       x:Zda.s,Zn.b,Zm.b[i]                      01000100101 i:2 Zm:3 000111 Zn:5 Zda:5                            SVE+I8MM
[dot sve2p1]
sdot        x:Zda.s,Zn.h,Zm.h                         01000100000 Zm:5 110010 Zn:5 Zda:5                                SME2_OR_SVE2p1
udot        x:Zda.s,Zn.h,Zm.h                         01000100000 Zm:5 110011 Zn:5 Zda:5                                SME2_OR_SVE2p1
sdot        x:Zda.s,Zn.h,Zm.h[i]                      01000100100 i:2 Zm:3 110010 Zn:5 Zda:5                            SME2_OR_SVE2p1
udot        x:Zda.s,Zn.h,Zm.h[i]                      01000100100 i:2 Zm:3 110011 Zn:5 Zda:5                            SME2_OR_SVE2p1
[dot vector]
smmla       x:Zda.s,Zn.b,Zm.b                         01000101000 Zm:5 100110 Zn:5 Zda:5                                SVE+I8MM    ; !streaming
ummla       x:Zda.s,Zn.b,Zm.b                         01000101110 Zm:5 100110 Zn:5 Zda:5                                SVE+I8MM    ; !streaming
usmmla      x:Zda.s,Zn.b,Zm.b                         01000101100 Zm:5 100110 Zn:5 Zda:5                                SVE+I8MM    ; !streaming
[arithmetic vector]
cadd        x:Zdn.T,Zdn.T,Zm.T,#rot:90|270            T=bhsd 01000101 size 00000011011 rot:1 Zm:5 Zdn:5                 SVE2
sqcadd      x:Zdn.T,Zdn.T,Zm.T,#rot:90|270            T=bhsd 01000101 size 00000111011 rot:1 Zm:5 Zdn:5                 SVE2
[fma vector]
cmla        x:Zda.T,Zn.T,Zm.T,#rot*90                 T=bhsd 01000100 size 0 Zm:5 0010 rot:2 Zn:5 Zda:5                 SVE2
sqrdcmlah   x:Zda.T,Zn.T,Zm.T,#rot*90                 T=bhsd 01000100 size 0 Zm:5 0011 rot:2 Zn:5 Zda:5                 SVE2
[dot vector]
cdot        x:Zda.Ta,Zn.T,Zm.T,#rot*90                Ta,T=s,b/d,h 01000100 size 0 Zm:5 0001 rot:2 Zn:5 Zda:5           SVE2
[fma vector]
cmla        x:Zda.h,Zn.h,Zm.h[i],#rot*90              01000100101 i:2 Zm:3 0110 rot:2 Zn:5 Zda:5                        SVE2
sqrdcmlah   x:Zda.h,Zn.h,Zm.h[i],#rot*90              01000100101 i:2 Zm:3 0111 rot:2 Zn:5 Zda:5                        SVE2
cmla        x:Zda.s,Zn.s,Zm.s[i],#rot*90              01000100111 i:1 Zm:4 0110 rot:2 Zn:5 Zda:5                        SVE2
sqrdcmlah   x:Zda.s,Zn.s,Zm.s[i],#rot*90              01000100111 i:1 Zm:4 0111 rot:2 Zn:5 Zda:5                        SVE2
[dot vector]
cdot        x:Zda.s,Zn.b,Zm.b[i],#rot*90              01000100101 i:2 Zm:3 0100 rot:2 Zn:5 Zda:5                        SVE2
cdot        x:Zda.d,Zn.h,Zm.h[i],#rot*90              01000100111 i:1 Zm:4 0100 rot:2 Zn:5 Zda:5                        SVE2
# Compares
[arithmetic vector]
cmpeq       Pd.T,Pg/Z,Zn.T,Zm.T                       T=bhsd 00100100 size 0 Zm:5 101 Pg:3 Zn:5 0 Pd:4                  SVE         ; w:nzcv key:vector.cmeq
cmpne       Pd.T,Pg/Z,Zn.T,Zm.T                       T=bhsd 00100100 size 0 Zm:5 101 Pg:3 Zn:5 1 Pd:4                  SVE         ; w:nzcv key:vector.cmne
cmpge       Pd.T,Pg/Z,Zn.T,Zm.T                       T=bhsd 00100100 size 0 Zm:5 100 Pg:3 Zn:5 0 Pd:4                  SVE         ; w:nzcv key:vector.cmge
cmpgt       Pd.T,Pg/Z,Zn.T,Zm.T                       T=bhsd 00100100 size 0 Zm:5 100 Pg:3 Zn:5 1 Pd:4                  SVE         ; w:nzcv key:vector.cmgt
cmphi       Pd.T,Pg/Z,Zn.T,Zm.T                       T=bhsd 00100100 size 0 Zm:5 000 Pg:3 Zn:5 1 Pd:4                  SVE         ; w:nzcv key:vector.cmhi
cmphs       Pd.T,Pg/Z,Zn.T,Zm.T                       T=bhsd 00100100 size 0 Zm:5 000 Pg:3 Zn:5 0 Pd:4                  SVE         ; w:nzcv key:vector.cmhs
cmpeq       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 001 Pg:3 Zn:5 0 Pd:4                   SVE         ; w:nzcv key:vector.cmeq
cmpne       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 001 Pg:3 Zn:5 1 Pd:4                   SVE         ; w:nzcv key:vector.cmne
cmpge       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 010 Pg:3 Zn:5 0 Pd:4                   SVE         ; w:nzcv key:vector.cmge
cmpgt       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 010 Pg:3 Zn:5 1 Pd:4                   SVE         ; w:nzcv key:vector.cmgt
cmple       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 011 Pg:3 Zn:5 1 Pd:4                   SVE         ; w:nzcv key:vector.cmle
cmplt       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 011 Pg:3 Zn:5 0 Pd:4                   SVE         ; w:nzcv key:vector.cmlt
cmphi       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 110 Pg:3 Zn:5 1 Pd:4                   SVE         ; w:nzcv key:vector.cmhi
cmphs       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 110 Pg:3 Zn:5 0 Pd:4                   SVE         ; w:nzcv key:vector.cmhs
cmplo       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 111 Pg:3 Zn:5 0 Pd:4                   SVE         ; w:nzcv key:vector.cmlo
cmpls       Pd.T,Pg/Z,Zn.T,Zm.d                       T=bhs 00100100 size 0 Zm:5 111 Pg:3 Zn:5 1 Pd:4                   SVE         ; w:nzcv key:vector.cmls
cmpeq       Pd.T,Pg/Z,Zn.T,#simm                      T=bhsd 00100101 size 0 simm:5 100 Pg:3 Zn:5 0 Pd:4                SVE         ; w:nzcv key:vector.cmeq
cmpne       Pd.T,Pg/Z,Zn.T,#simm                      T=bhsd 00100101 size 0 simm:5 100 Pg:3 Zn:5 1 Pd:4                SVE         ; w:nzcv key:vector.cmne
cmpge       Pd.T,Pg/Z,Zn.T,#simm                      T=bhsd 00100101 size 0 simm:5 000 Pg:3 Zn:5 0 Pd:4                SVE         ; w:nzcv key:vector.cmge
cmpgt       Pd.T,Pg/Z,Zn.T,#simm                      T=bhsd 00100101 size 0 simm:5 000 Pg:3 Zn:5 1 Pd:4                SVE         ; w:nzcv key:vector.cmgt
cmple       Pd.T,Pg/Z,Zn.T,#simm                      T=bhsd 00100101 size 0 simm:5 001 Pg:3 Zn:5 1 Pd:4                SVE         ; w:nzcv key:vector.cmle
cmplt       Pd.T,Pg/Z,Zn.T,#simm                      T=bhsd 00100101 size 0 simm:5 001 Pg:3 Zn:5 0 Pd:4                SVE         ; w:nzcv key:vector.cmlt
cmphi       Pd.T,Pg/Z,Zn.T,#imm                       T=bhsd 00100100 size 1 imm:7 0 Pg:3 Zn:5 1 Pd:4                   SVE         ; w:nzcv key:vector.cmhi
cmphs       Pd.T,Pg/Z,Zn.T,#imm                       T=bhsd 00100100 size 1 imm:7 0 Pg:3 Zn:5 0 Pd:4                   SVE         ; w:nzcv key:vector.cmhs
cmplo       Pd.T,Pg/Z,Zn.T,#imm                       T=bhsd 00100100 size 1 imm:7 1 Pg:3 Zn:5 0 Pd:4                   SVE         ; w:nzcv key:vector.cmlo
cmpls       Pd.T,Pg/Z,Zn.T,#imm                       T=bhsd 00100100 size 1 imm:7 1 Pg:3 Zn:5 1 Pd:4                   SVE         ; w:nzcv key:vector.cmls
cmple       Pd.T,Pg/Z,Zm.T,Zn.T                       T=bhsd 00100100 size 0 Zm:5 100 Pg:3 Zn:5 0 Pd:4                  SVE         ; w:nzcv key:vector.cmle
cmplt       Pd.T,Pg/Z,Zm.T,Zn.T                       T=bhsd 00100100 size 0 Zm:5 100 Pg:3 Zn:5 1 Pd:4                  SVE         ; w:nzcv key:vector.cmlt
cmplo       Pd.T,Pg/Z,Zm.T,Zn.T                       T=bhsd 00100100 size 0 Zm:5 000 Pg:3 Zn:5 1 Pd:4                  SVE         ; w:nzcv key:vector.cmlo
cmpls       Pd.T,Pg/Z,Zm.T,Zn.T                       T=bhsd 00100100 size 0 Zm:5 000 Pg:3 Zn:5 0 Pd:4                  SVE         ; w:nzcv key:vector.cmls
[arithmetic predicate]
match       Pd.T,Pg/Z,Zn.T,Zm.T                       T=bh 01000101 size 1 Zm:5 100 Pg:3 Zn:5 0 Pd:4                    SVE2        ; w:nzcv !streaming
nmatch      Pd.T,Pg/Z,Zn.T,Zm.T                       T=bh 01000101 size 1 Zm:5 100 Pg:3 Zn:5 1 Pd:4                    SVE2        ; w:nzcv !streaming
[arithmetic vector]
histcnt     Zd.T,Pg/Z,Zn.T,Zm.T                       T=sd 01000101 size 1 Zm:5 110 Pg:3 Zn:5 Zd:5                      SVE2        ; !streaming
histseg     Zd.b,Zn.b,Zm.b                            01000101001 Zm:5 101000 Zn:5 Zd:5                                 SVE2        ; !streaming
# Reductions
saddv       Dd,Pg,Zn.T                                T=bhs 00000100 size 000000001 Pg:3 Zn:5 Rd:5                      SVE
uaddv       Dd,Pg,Zn.T                                T=bhsd 00000100 size 000001001 Pg:3 Zn:5 Rd:5                     SVE
smaxv       Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000100 size 001000001 Pg:3 Zn:5 Rd:5        SVE
sminv       Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000100 size 001010001 Pg:3 Zn:5 Rd:5        SVE
umaxv       Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000100 size 001001001 Pg:3 Zn:5 Rd:5        SVE
uminv       Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000100 size 001011001 Pg:3 Zn:5 Rd:5        SVE
andv        Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000100 size 011010001 Pg:3 Zn:5 Rd:5        SVE
orv         Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000100 size 011000001 Pg:3 Zn:5 Rd:5        SVE
eorv        Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000100 size 011001001 Pg:3 Zn:5 Rd:5        SVE
# Permutes, moves
[shuffle vector]
zip1        Zd.T,Zn.T,Zm.T                            T=bhsd 00000101 size 1 Zm:5 011000 Zn:5 Zd:5                      SVE
zip2        Zd.T,Zn.T,Zm.T                            T=bhsd 00000101 size 1 Zm:5 011001 Zn:5 Zd:5                      SVE
uzp1        Zd.T,Zn.T,Zm.T                            T=bhsd 00000101 size 1 Zm:5 011010 Zn:5 Zd:5                      SVE
uzp2        Zd.T,Zn.T,Zm.T                            T=bhsd 00000101 size 1 Zm:5 011011 Zn:5 Zd:5                      SVE
trn1        Zd.T,Zn.T,Zm.T                            T=bhsd 00000101 size 1 Zm:5 011100 Zn:5 Zd:5                      SVE
trn2        Zd.T,Zn.T,Zm.T                            T=bhsd 00000101 size 1 Zm:5 011101 Zn:5 Zd:5                      SVE
zip1        Zd.q,Zn.q,Zm.q                            00000101101 Zm:5 000000 Zn:5 Zd:5                                 F64MM
zip2        Zd.q,Zn.q,Zm.q                            00000101101 Zm:5 000001 Zn:5 Zd:5                                 F64MM
uzp1        Zd.q,Zn.q,Zm.q                            00000101101 Zm:5 000010 Zn:5 Zd:5                                 F64MM
uzp2        Zd.q,Zn.q,Zm.q                            00000101101 Zm:5 000011 Zn:5 Zd:5                                 F64MM
trn1        Zd.q,Zn.q,Zm.q                            00000101101 Zm:5 000110 Zn:5 Zd:5                                 F64MM
trn2        Zd.q,Zn.q,Zm.q                            00000101101 Zm:5 000111 Zn:5 Zd:5                                 F64MM
tbl         Zd.T,{Zn.T*1},Zm.T                        T=bhsd 00000101 size 1 Zm:5 001100 Zn:5 Zd:5                      SVE
tbl         Zd.T,{Zn.T*2},Zm.T                        T=bhsd 00000101 size 1 Zm:5 001010 Zn:5 Zd:5                      SVE2
tbx         x:Zd.T,Zn.T,Zm.T                          T=bhsd 00000101 size 1 Zm:5 001011 Zn:5 Zd:5                      SVE2
ext         x:Zdn.b,Zdn.b,Zm.b,#imm                   00000101001 imm[7:3] 000 imm[2:0] Zm:5 Zdn:5                      SVE
ext         Zd.b,{Zn.b*2},#imm                        00000101011 imm[7:3] 000 imm[2:0] Zn:5 Zd:5                       SVE2
dup         Zd.T,Zn.T[i]                              T=bhsdq 00000101 tsz[6:5] 1 tsz[4:0] 001000 Zn:5 Zd:5             SVE
[move vector]
mov         Zd.T,Fn                                   T,F,x=b,B,00001/h,H,00010/s,S,00100/d,D,01000/q,Q,10000 00000101001 x 001000 Zn:5 Zd:5  SVE  ; key:vector.dup
mov         Zd.T,Zn.T[i]                              T=bhsdq 00000101 tsz[6:5] 1 tsz[4:0] 001000 Zn:5 Zd:5             SVE         ; key:vector.dup
[shuffle vector]
dup         Zd.T,Wn|sp                                T=bhs 00000101 size 100000001110 Rn:5 Zd:5                        SVE
[move vector]
mov         Zd.T,Wn|sp                                T=bhs 00000101 size 100000001110 Rn:5 Zd:5                        SVE         ; key:vector.dup
[shuffle vector]
dup         Zd.d,Xn|sp                                0000010111100000001110 Rn:5 Zd:5                                  SVE
[move vector]
mov         Zd.d,Xn|sp                                0000010111100000001110 Rn:5 Zd:5                                  SVE         ; key:vector.dup
[shuffle vector]
dup         Zd.T,#imm:swide.T                         T=bhsd 00100101 size 11100011 imm:9 Zd:5                          SVE
[move =vector.dup]
mov         Zd.T,#imm:swide.T                         T=bhsd 00100101 size 11100011 imm:9 Zd:5                          SVE
cpy         x:Zd.T,Pg/M,#imm:swide.T                  T=bhsd 00000101 size 01 Pg:4 01 imm:9 Zd:5                        SVE
mov         x:Zd.T,Pg/M,#imm:swide.T                  T=bhsd 00000101 size 01 Pg:4 01 imm:9 Zd:5                        SVE
cpy         Zd.T,Pg/Z,#imm:swide.T                    T=bhsd 00000101 size 01 Pg:4 00 imm:9 Zd:5                        SVE
mov         Zd.T,Pg/Z,#imm:swide.T                    T=bhsd 00000101 size 01 Pg:4 00 imm:9 Zd:5                        SVE
cpy         x:Zd.T,Pg/M,Wn|sp                         T=bhs 00000101 size 101000101 Pg:3 Rn:5 Zd:5                      SVE
mov         x:Zd.T,Pg/M,Wn|sp                         T=bhs 00000101 size 101000101 Pg:3 Rn:5 Zd:5                      SVE
cpy         x:Zd.d,Pg/M,Xn|sp                         0000010111101000101 Pg:3 Rn:5 Zd:5                                SVE
mov         x:Zd.d,Pg/M,Xn|sp                         0000010111101000101 Pg:3 Rn:5 Zd:5                                SVE
cpy         x:Zd.T,Pg/M,Fn                            T,F=b,B/h,H/s,S/d,D 00000101 size 100000100 Pg:3 Rn:5 Zd:5        SVE
mov         x:Zd.T,Pg/M,Fn                            T,F=b,B/h,H/s,S/d,D 00000101 size 100000100 Pg:3 Rn:5 Zd:5        SVE
mov         Zd.d,Zn.d                                 00000100011 Zn:5 001100 Zn:5 Zd:5                                 SVE
mov         x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000101 size 1 Zd:5 11 Pg:4 Zn:5 Zd:5                     SVE
[shuffle vector]
insr        x:Zdn.T,Wm                                T=bhs 00000101 size 100100001110 Rm:5 Zdn:5                       SVE
insr        x:Zdn.d,Xm                                0000010111100100001110 Rm:5 Zdn:5                                 SVE
insr        x:Zdn.T,Fm                                T,F=b,B/h,H/s,S/d,D 00000101 size 110100001110 Rm:5 Zdn:5         SVE
rev         Zd.T,Zn.T                                 T=bhsd 00000101 size 111000001110 Zn:5 Zd:5                       SVE
[arithmetic vector]
rbit        x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000101 size 100111100 Pg:3 Zn:5 Zd:5                     SVE
[shuffle vector]
revb        x:Zd.T,Pg/M,Zn.T                          T=hsd 00000101 size 100100100 Pg:3 Zn:5 Zd:5                      SVE
revh        x:Zd.T,Pg/M,Zn.T                          T=sd 00000101 size 100101100 Pg:3 Zn:5 Zd:5                       SVE
revw        x:Zd.d,Pg/M,Zn.d                          0000010111100110100 Pg:3 Zn:5 Zd:5                                SVE
revd        x:Zd.q,Pg/M,Zn.q                          0000010100101110100 Pg:3 Zn:5 Zd:5                                SME_OR_SVE2p1
[convert vector]
sunpklo     Zd.Ta,Zn.T                                Ta,T=h,b/s,h/d,s 00000101 size 110000001110 Zn:5 Zd:5             SVE
sunpkhi     Zd.Ta,Zn.T                                Ta,T=h,b/s,h/d,s 00000101 size 110001001110 Zn:5 Zd:5             SVE
uunpklo     Zd.Ta,Zn.T                                Ta,T=h,b/s,h/d,s 00000101 size 110010001110 Zn:5 Zd:5             SVE
uunpkhi     Zd.Ta,Zn.T                                Ta,T=h,b/s,h/d,s 00000101 size 110011001110 Zn:5 Zd:5             SVE
[shuffle vector]
sel         Zd.T,Pg,Zn.T,Zm.T                         T=bhsd 00000101 size 1 Zm:5 11 Pg:4 Zn:5 Zd:5                     SVE
splice      x:Zdn.T,Pg,Zdn.T,Zm.T                     T=bhsd 00000101 size 101100100 Pg:3 Zm:5 Zdn:5                    SVE
splice      Zd.T,Pg,{Zn.T*2}                          T=bhsd 00000101 size 101101100 Pg:3 Zn:5 Zd:5                     SVE2
compact     Zd.T,Pg,Zn.T                              T=sd 00000101 size 100001100 Pg:3 Zn:5 Zd:5                       SVE         ; !streaming
lasta       Wd,Pg,Zn.T                                T=bhs 00000101 size 100000101 Pg:3 Zn:5 Rd:5                      SVE
lastb       Wd,Pg,Zn.T                                T=bhs 00000101 size 100001101 Pg:3 Zn:5 Rd:5                      SVE
lasta       Xd,Pg,Zn.d                                0000010111100000101 Pg:3 Zn:5 Rd:5                                SVE
lastb       Xd,Pg,Zn.d                                0000010111100001101 Pg:3 Zn:5 Rd:5                                SVE
lasta       Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000101 size 100010100 Pg:3 Zn:5 Rd:5        SVE
lastb       Fd,Pg,Zn.T                                T,F=b,B/h,H/s,S/d,D 00000101 size 100011100 Pg:3 Zn:5 Rd:5        SVE
[shuffle general]
clasta      x:Wdn,Pg,Wdn,Zm.T                         T=bhs 00000101 size 110000101 Pg:3 Zm:5 Rdn:5                     SVE
clastb      x:Wdn,Pg,Wdn,Zm.T                         T=bhs 00000101 size 110001101 Pg:3 Zm:5 Rdn:5                     SVE
clasta      x:Xdn,Pg,Xdn,Zm.d                         0000010111110000101 Pg:3 Zm:5 Rdn:5                               SVE
clastb      x:Xdn,Pg,Xdn,Zm.d                         0000010111110001101 Pg:3 Zm:5 Rdn:5                               SVE
[shuffle vector]
clasta      x:Fdn,Pg,Fdn,Zm.T                         T,F=b,B/h,H/s,S/d,D 00000101 size 101010100 Pg:3 Zm:5 Rdn:5       SVE
clastb      x:Fdn,Pg,Fdn,Zm.T                         T,F=b,B/h,H/s,S/d,D 00000101 size 101011100 Pg:3 Zm:5 Rdn:5       SVE
clasta      x:Zdn.T,Pg,Zdn.T,Zm.T                     T=bhsd 00000101 size 101000100 Pg:3 Zm:5 Zdn:5                    SVE
clastb      x:Zdn.T,Pg,Zdn.T,Zm.T                     T=bhsd 00000101 size 101001100 Pg:3 Zm:5 Zdn:5                    SVE
[arithmetic vector]
index       Zd.T,Wn,Wm                                T=bhs 00000100 size 1 Rm:5 010011 Rn:5 Zd:5                       SVE
index       Zd.d,Xn,Xm                                00000100111 Rm:5 010011 Rn:5 Zd:5                                 SVE
index       Zd.T,#simm,#simm2                         T=bhsd 00000100 size 1 simm2:5 010000 simm:5 Zd:5                 SVE
index       Zd.T,#simm,Wm                             T=bhs 00000100 size 1 Rm:5 010010 simm:5 Zd:5                     SVE
index       Zd.d,#simm,Xm                             00000100111 Rm:5 010010 simm:5 Zd:5                               SVE
index       Zd.T,Wn,#simm                             T=bhs 00000100 size 1 simm:5 010001 Rn:5 Zd:5                     SVE
index       Zd.d,Xn,#simm                             00000100111 simm:5 010001 Rn:5 Zd:5                               SVE
[move vector]
movprfx     Zd,Zn                                     0000010000100000 101111 Zn:5 Zd:5                                 SVE
movprfx     x:Zd.T,Pg/M,Zn.T                          T=bhsd 00000100 size 010001001 Pg:3 Zn:5 Zd:5                     SVE
movprfx     Zd.T,Pg/Z,Zn.T                            T=bhsd 00000100 size 010000001 Pg:3 Zn:5 Zd:5                     SVE
[address vector]
adr         Zd.T,[Zn.T,Zm.T,lsl#sh]                   T=sd 00000100 size 1 Zm:5 1010 sh:2 Zn:5 Zd:5                     SVE         ; !streaming
adr         Zd.d,[Zn.d,Zm.d,sxtw#sh]                  00000100001 Zm:5 1010 sh:2 Zn:5 Zd:5                              SVE         ; !streaming
adr         Zd.d,[Zn.d,Zm.d,uxtw#sh]                  00000100011 Zm:5 1010 sh:2 Zn:5 Zd:5                              SVE         ; !streaming
# Floating point
[arithmetic vector]
fadd        Zd.T,Zn.T,Zm.T                            T=hsd 01100101 size 0 Zm:5 000000 Zn:5 Zd:5                       SVE
fsub        Zd.T,Zn.T,Zm.T                            T=hsd 01100101 size 0 Zm:5 000001 Zn:5 Zd:5                       SVE
fmul        Zd.T,Zn.T,Zm.T                            T=hsd 01100101 size 0 Zm:5 000010 Zn:5 Zd:5                       SVE
ftsmul      Zd.T,Zn.T,Zm.T                            T=hsd 01100101 size 0 Zm:5 000011 Zn:5 Zd:5                       SVE         ; !streaming
frecps      Zd.T,Zn.T,Zm.T                            T=hsd 01100101 size 0 Zm:5 000110 Zn:5 Zd:5                       SVE
frsqrts     Zd.T,Zn.T,Zm.T                            T=hsd 01100101 size 0 Zm:5 000111 Zn:5 Zd:5                       SVE
fadd        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000000100 Pg:3 Zm:5 Zdn:5                     SVE
fsub        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000001100 Pg:3 Zm:5 Zdn:5                     SVE
fsubr       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000011100 Pg:3 Zm:5 Zdn:5                     SVE
fmul        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000010100 Pg:3 Zm:5 Zdn:5                     SVE
fdiv        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 001101100 Pg:3 Zm:5 Zdn:5                     SVE
fdivr       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 001100100 Pg:3 Zm:5 Zdn:5                     SVE
fmulx       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 001010100 Pg:3 Zm:5 Zdn:5                     SVE
fabd        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 001000100 Pg:3 Zm:5 Zdn:5                     SVE
fmax        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000110100 Pg:3 Zm:5 Zdn:5                     SVE
fmin        x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000111100 Pg:3 Zm:5 Zdn:5                     SVE
fmaxnm      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000100100 Pg:3 Zm:5 Zdn:5                     SVE
fminnm      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 000101100 Pg:3 Zm:5 Zdn:5                     SVE
fscale      x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100101 size 001001100 Pg:3 Zm:5 Zdn:5                     SVE
faddp       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100100 size 010000100 Pg:3 Zm:5 Zdn:5                     SVE2
fmaxp       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100100 size 010110100 Pg:3 Zm:5 Zdn:5                     SVE2
fminp       x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100100 size 010111100 Pg:3 Zm:5 Zdn:5                     SVE2
fmaxnmp     x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100100 size 010100100 Pg:3 Zm:5 Zdn:5                     SVE2
fminnmp     x:Zdn.T,Pg/M,Zdn.T,Zm.T                   T=hsd 01100100 size 010101100 Pg:3 Zm:5 Zdn:5                     SVE2
fadd        x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0             T=hsd 01100101 size 011000100 Pg:3 0000 i:1 Zdn:5                 SVE
fsub        x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0             T=hsd 01100101 size 011001100 Pg:3 0000 i:1 Zdn:5                 SVE
fsubr       x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0             T=hsd 01100101 size 011011100 Pg:3 0000 i:1 Zdn:5                 SVE
fmul        x:Zdn.T,Pg/M,Zdn.T,#i:0.5|2.0             T=hsd 01100101 size 011010100 Pg:3 0000 i:1 Zdn:5                 SVE
fmax        x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0             T=hsd 01100101 size 011110100 Pg:3 0000 i:1 Zdn:5                 SVE
fmin        x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0             T=hsd 01100101 size 011111100 Pg:3 0000 i:1 Zdn:5                 SVE
fmaxnm      x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0             T=hsd 01100101 size 011100100 Pg:3 0000 i:1 Zdn:5                 SVE
fminnm      x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0             T=hsd 01100101 size 011101100 Pg:3 0000 i:1 Zdn:5                 SVE
[fma vector]
fmla        x:Zda.T,Pg/M,Zn.T,Zm.T                    T=hsd 01100101 size 1 Zm:5 000 Pg:3 Zn:5 Zda:5                    SVE
fmls        x:Zda.T,Pg/M,Zn.T,Zm.T                    T=hsd 01100101 size 1 Zm:5 001 Pg:3 Zn:5 Zda:5                    SVE
fnmla       x:Zda.T,Pg/M,Zn.T,Zm.T                    T=hsd 01100101 size 1 Zm:5 010 Pg:3 Zn:5 Zda:5                    SVE
fnmls       x:Zda.T,Pg/M,Zn.T,Zm.T                    T=hsd 01100101 size 1 Zm:5 011 Pg:3 Zn:5 Zda:5                    SVE
fmad        x:Zdn.T,Pg/M,Zm.T,Za.T                    T=hsd 01100101 size 1 Za:5 100 Pg:3 Zm:5 Zdn:5                    SVE
fmsb        x:Zdn.T,Pg/M,Zm.T,Za.T                    T=hsd 01100101 size 1 Za:5 101 Pg:3 Zm:5 Zdn:5                    SVE
fnmad       x:Zdn.T,Pg/M,Zm.T,Za.T                    T=hsd 01100101 size 1 Za:5 110 Pg:3 Zm:5 Zdn:5                    SVE
fnmsb       x:Zdn.T,Pg/M,Zm.T,Za.T                    T=hsd 01100101 size 1 Za:5 111 Pg:3 Zm:5 Zdn:5                    SVE
fmla        x:Zda.h,Zn.h,Zm.h[i]                      011001000 i[2] 1 i[1:0] Zm:3 000000 Zn:5 Zda:5                    SVE
fmls        x:Zda.h,Zn.h,Zm.h[i]                      011001000 i[2] 1 i[1:0] Zm:3 000001 Zn:5 Zda:5                    SVE
fmla        x:Zda.s,Zn.s,Zm.s[i]                      01100100101 i:2 Zm:3 000000 Zn:5 Zda:5                            SVE
fmls        x:Zda.s,Zn.s,Zm.s[i]                      01100100101 i:2 Zm:3 000001 Zn:5 Zda:5                            SVE
fmla        x:Zda.d,Zn.d,Zm.d[i]                      01100100111 i:1 Zm:4 000000 Zn:5 Zda:5                            SVE
fmls        x:Zda.d,Zn.d,Zm.d[i]                      01100100111 i:1 Zm:4 000001 Zn:5 Zda:5                            SVE
[arithmetic vector]
fmul        Zd.h,Zn.h,Zm.h[i]                         011001000 i[2] 1 i[1:0] Zm:3 001000 Zn:5 Zd:5                     SVE
fmul        Zd.s,Zn.s,Zm.s[i]                         01100100101 i:2 Zm:3 001000 Zn:5 Zd:5                             SVE
fmul        Zd.d,Zn.d,Zm.d[i]                         01100100111 i:1 Zm:4 001000 Zn:5 Zd:5                             SVE
fabs        x:Zd.T,Pg/M,Zn.T                          T=hsd 00000100 size 011100101 Pg:3 Zn:5 Zd:5                      SVE
fneg        x:Zd.T,Pg/M,Zn.T                          T=hsd 00000100 size 011101101 Pg:3 Zn:5 Zd:5                      SVE
fsqrt       x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 001101101 Pg:3 Zn:5 Zd:5                      SVE
frecpx      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 001100101 Pg:3 Zn:5 Zd:5                      SVE
[convert vector]
frinta      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 000100101 Pg:3 Zn:5 Zd:5                      SVE
frinti      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 000111101 Pg:3 Zn:5 Zd:5                      SVE
frintm      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 000010101 Pg:3 Zn:5 Zd:5                      SVE
frintn      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 000000101 Pg:3 Zn:5 Zd:5                      SVE
frintp      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 000001101 Pg:3 Zn:5 Zd:5                      SVE
frintx      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 000110101 Pg:3 Zn:5 Zd:5                      SVE         ; key:vector.frinti
frintz      x:Zd.T,Pg/M,Zn.T                          T=hsd 01100101 size 000011101 Pg:3 Zn:5 Zd:5                      SVE
[arithmetic vector]
flogb       x:Zd.T,Pg/M,Zn.T                          T=hsd 0110010100011 size 0101 Pg:3 Zn:5 Zd:5                      SVE2
frecpe      Zd.T,Zn.T                                 T=hsd 01100101 size 001110001100 Zn:5 Zd:5                        SVE
frsqrte     Zd.T,Zn.T                                 T=hsd 01100101 size 001111001100 Zn:5 Zd:5                        SVE
[arithmetic vector]
fexpa       Zd.T,Zn.T                                 T=hsd 00000100 size 100000101110 Zn:5 Zd:5                        SVE         ; !streaming
ftssel      Zd.T,Zn.T,Zm.T                            T=hsd 00000100 size 1 Zm:5 101100 Zn:5 Zd:5                       SVE         ; !streaming
ftmad       x:Zdn.T,Zdn.T,Zm.T,#imm                   T=hsd 01100101 size 010 imm:3 100000 Zm:5 Zdn:5                   SVE         ; !streaming
[move vector]
fdup        Zd.T,#imm:float                           T=hsd 00100101 size 111001110 imm:8 Zd:5                          SVE         ; key:vector.fmov
fmov        Zd.T,#imm:float                           T=hsd 00100101 size 111001110 imm:8 Zd:5                          SVE
fcpy        x:Zd.T,Pg/M,#imm:float                    T=hsd 00000101 size 01 Pg:4 110 imm:8 Zd:5                        SVE         ; key:vector.fmov
fmov        x:Zd.T,Pg/M,#imm:float                    T=hsd 00000101 size 01 Pg:4 110 imm:8 Zd:5                        SVE
[arithmetic vector]
fcmeq       Pd.T,Pg/Z,Zn.T,Zm.T                       T=hsd 01100101 size 0 Zm:5 011 Pg:3 Zn:5 0 Pd:4                   SVE
fcmne       Pd.T,Pg/Z,Zn.T,Zm.T                       T=hsd 01100101 size 0 Zm:5 011 Pg:3 Zn:5 1 Pd:4                   SVE
fcmge       Pd.T,Pg/Z,Zn.T,Zm.T                       T=hsd 01100101 size 0 Zm:5 010 Pg:3 Zn:5 0 Pd:4                   SVE
fcmgt       Pd.T,Pg/Z,Zn.T,Zm.T                       T=hsd 01100101 size 0 Zm:5 010 Pg:3 Zn:5 1 Pd:4                   SVE
fcmuo       Pd.T,Pg/Z,Zn.T,Zm.T                       T=hsd 01100101 size 0 Zm:5 110 Pg:3 Zn:5 0 Pd:4                   SVE
facge       Pd.T,Pg/Z,Zn.T,Zm.T                       T=hsd 01100101 size 0 Zm:5 110 Pg:3 Zn:5 1 Pd:4                   SVE
facgt       Pd.T,Pg/Z,Zn.T,Zm.T                       T=hsd 01100101 size 0 Zm:5 111 Pg:3 Zn:5 1 Pd:4                   SVE
fcmeq       Pd.T,Pg/Z,Zn.T,#0.0                       T=hsd 01100101 size 010010001 Pg:3 Zn:5 0 Pd:4                    SVE
fcmne       Pd.T,Pg/Z,Zn.T,#0.0                       T=hsd 01100101 size 010011001 Pg:3 Zn:5 0 Pd:4                    SVE
fcmge       Pd.T,Pg/Z,Zn.T,#0.0                       T=hsd 01100101 size 010000001 Pg:3 Zn:5 0 Pd:4                    SVE
fcmgt       Pd.T,Pg/Z,Zn.T,#0.0                       T=hsd 01100101 size 010000001 Pg:3 Zn:5 1 Pd:4                    SVE
fcmle       Pd.T,Pg/Z,Zn.T,#0.0                       T=hsd 01100101 size 010001001 Pg:3 Zn:5 1 Pd:4                    SVE
fcmlt       Pd.T,Pg/Z,Zn.T,#0.0                       T=hsd 01100101 size 010001001 Pg:3 Zn:5 0 Pd:4                    SVE
fcmle       Pd.T,Pg/Z,Zm.T,Zn.T                       T=hsd 01100101 size 0 Zm:5 010 Pg:3 Zn:5 0 Pd:4                   SVE
fcmlt       Pd.T,Pg/Z,Zm.T,Zn.T                       T=hsd 01100101 size 0 Zm:5 010 Pg:3 Zn:5 1 Pd:4                   SVE
facle       Pd.T,Pg/Z,Zm.T,Zn.T                       T=hsd 01100101 size 0 Zm:5 110 Pg:3 Zn:5 1 Pd:4                   SVE
faclt       Pd.T,Pg/Z,Zm.T,Zn.T                       T=hsd 01100101 size 0 Zm:5 111 Pg:3 Zn:5 1 Pd:4                   SVE
faddv       Fd,Pg,Zn.T                                T,F=h,H/s,S/d,D 01100101 size 000000001 Pg:3 Zn:5 Rd:5            SVE
fmaxv       Fd,Pg,Zn.T                                T,F=h,H/s,S/d,D 01100101 size 000110001 Pg:3 Zn:5 Rd:5            SVE
fminv       Fd,Pg,Zn.T                                T,F=h,H/s,S/d,D 01100101 size 000111001 Pg:3 Zn:5 Rd:5            SVE
fmaxnmv     Fd,Pg,Zn.T                                T,F=h,H/s,S/d,D 01100101 size 000100001 Pg:3 Zn:5 Rd:5            SVE
fminnmv     Fd,Pg,Zn.T                                T,F=h,H/s,S/d,D 01100101 size 000101001 Pg:3 Zn:5 Rd:5            SVE
fadda       x:Fdn,Pg,Fdn,Zm.T                         T,F=h,H/s,S/d,D 01100101 size 011000001 Pg:3 Zm:5 Rdn:5           SVE         ; !streaming
fcadd       x:Zdn.T,Pg/M,Zdn.T,Zm.T,#rot:90|270       T=hsd 01100100 size 00000 rot:1 100 Pg:3 Zm:5 Zdn:5               SVE
[fma vector]
fcmla       x:Zda.T,Pg/M,Zn.T,Zm.T,#rot*90            T=hsd 01100100 size 0 Zm:5 0 rot:2 Pg:3 Zn:5 Zda:5                SVE
fcmla       x:Zda.h,Zn.h,Zm.h[i],#rot*90              01100100101 i:2 Zm:3 0001 rot:2 Zn:5 Zda:5                        SVE
fcmla       x:Zda.s,Zn.s,Zm.s[i],#rot*90              01100100111 i:1 Zm:4 0001 rot:2 Zn:5 Zda:5                        SVE
[dot vector]
fmmla       x:Zda.s,Zn.s,Zm.s                         01100100101 Zm:5 111001 Zn:5 Zda:5                                F32MM       ; !streaming
fmmla       x:Zda.d,Zn.d,Zm.d                         01100100111 Zm:5 111001 Zn:5 Zda:5                                F64MM       ; !streaming
[fma vector]
fmlalb      x:Zda.s,Zn.h,Zm.h                         01100100101 Zm:5 100000 Zn:5 Zda:5                                SVE2
fmlalt      x:Zda.s,Zn.h,Zm.h                         01100100101 Zm:5 100001 Zn:5 Zda:5                                SVE2
fmlslb      x:Zda.s,Zn.h,Zm.h                         01100100101 Zm:5 101000 Zn:5 Zda:5                                SVE2
fmlslt      x:Zda.s,Zn.h,Zm.h                         01100100101 Zm:5 101001 Zn:5 Zda:5                                SVE2
fmlalb      x:Zda.s,Zn.h,Zm.h[i]                      01100100101 i[2:1] Zm:3 0100 i[0] 0 Zn:5 Zda:5                    SVE2
fmlalt      x:Zda.s,Zn.h,Zm.h[i]                      01100100101 i[2:1] Zm:3 0100 i[0] 1 Zn:5 Zda:5                    SVE2
fmlslb      x:Zda.s,Zn.h,Zm.h[i]                      01100100101 i[2:1] Zm:3 0110 i[0] 0 Zn:5 Zda:5                    SVE2
fmlslt      x:Zda.s,Zn.h,Zm.h[i]                      01100100101 i[2:1] Zm:3 0110 i[0] 1 Zn:5 Zda:5                    SVE2
bfmlalb     x:Zda.s,Zn.h,Zm.h                         01100100111 Zm:5 100000 Zn:5 Zda:5                                SVE+BF16
bfmlalt     x:Zda.s,Zn.h,Zm.h                         01100100111 Zm:5 100001 Zn:5 Zda:5                                SVE+BF16
bfmlalb     x:Zda.s,Zn.h,Zm.h[i]                      01100100111 i[2:1] Zm:3 0100 i[0] 0 Zn:5 Zda:5                    SVE+BF16
bfmlalt     x:Zda.s,Zn.h,Zm.h[i]                      01100100111 i[2:1] Zm:3 0100 i[0] 1 Zn:5 Zda:5                    SVE+BF16
[dot vector]
bfdot       x:Zda.s,Zn.h,Zm.h                         01100100011 Zm:5 100000 Zn:5 Zda:5                                SVE+BF16
bfmmla      x:Zda.s,Zn.h,Zm.h                         01100100011 Zm:5 111001 Zn:5 Zda:5                                SVE+BF16    ; !streaming
bfdot       x:Zda.s,Zn.h,Zm.h[i]                      01100100011 i:2 Zm:3 010000 Zn:5 Zda:5                            SVE+BF16
[convert vector]
bfcvt       x:Zd.h,Pg/M,Zn.s                          0110010110001010101 Pg:3 Zn:5 Zd:5                                SVE+BF16
bfcvtnt     x:Zd.h,Pg/M,Zn.s                          0110010010001010101 Pg:3 Zn:5 Zd:5                                SVE+BF16
[dot sve2p1]
fdot        x:Zda.s,Zn.h,Zm.h                         01100100001 Zm:5 100000 Zn:5 Zda:5                                SME2_OR_SVE2p1
fdot        x:Zda.s,Zn.h,Zm.h[i]                      01100100001 i:2 Zm:3 010000 Zn:5 Zda:5                            SME2_OR_SVE2p1
[fma sve2p1]
bfmlslb     x:Zda.s,Zn.h,Zm.h                         01100100111 Zm:5 101000 Zn:5 Zda:5                                SME2_OR_SVE2p1
bfmlslt     x:Zda.s,Zn.h,Zm.h                         01100100111 Zm:5 101001 Zn:5 Zda:5                                SME2_OR_SVE2p1
bfmlslb     x:Zda.s,Zn.h,Zm.h[i]                      01100100111 i[2:1] Zm:3 0110 i[0] 0 Zn:5 Zda:5                    SME2_OR_SVE2p1
bfmlslt     x:Zda.s,Zn.h,Zm.h[i]                      01100100111 i[2:1] Zm:3 0110 i[0] 1 Zn:5 Zda:5                    SME2_OR_SVE2p1
[arithmetic sve2p1]
bfadd       Zd.h,Zn.h,Zm.h                            01100101000 Zm:5 000000 Zn:5 Zd:5                                 B16B16
bfsub       Zd.h,Zn.h,Zm.h                            01100101000 Zm:5 000001 Zn:5 Zd:5                                 B16B16
bfmul       Zd.h,Zn.h,Zm.h                            01100101000 Zm:5 000010 Zn:5 Zd:5                                 B16B16
bfadd       x:Zdn.h,Pg/M,Zdn.h,Zm.h                   0110010100000000100 Pg:3 Zm:5 Zdn:5                               B16B16
bfsub       x:Zdn.h,Pg/M,Zdn.h,Zm.h                   0110010100000001100 Pg:3 Zm:5 Zdn:5                               B16B16
bfmul       x:Zdn.h,Pg/M,Zdn.h,Zm.h                   0110010100000010100 Pg:3 Zm:5 Zdn:5                               B16B16
bfmax       x:Zdn.h,Pg/M,Zdn.h,Zm.h                   0110010100000110100 Pg:3 Zm:5 Zdn:5                               B16B16
bfmin       x:Zdn.h,Pg/M,Zdn.h,Zm.h                   0110010100000111100 Pg:3 Zm:5 Zdn:5                               B16B16
bfmaxnm     x:Zdn.h,Pg/M,Zdn.h,Zm.h                   0110010100000100100 Pg:3 Zm:5 Zdn:5                               B16B16
bfminnm     x:Zdn.h,Pg/M,Zdn.h,Zm.h                   0110010100000101100 Pg:3 Zm:5 Zdn:5                               B16B16
[fma sve2p1]
bfmla       x:Zda.h,Pg/M,Zn.h,Zm.h                    01100101001 Zm:5 000 Pg:3 Zn:5 Zda:5                              B16B16
bfmls       x:Zda.h,Pg/M,Zn.h,Zm.h                    01100101001 Zm:5 001 Pg:3 Zn:5 Zda:5                              B16B16
bfmla       x:Zda.h,Zn.h,Zm.h[i]                      011001000 i[2] 1 i[1:0] Zm:3 000010 Zn:5 Zda:5                    B16B16
bfmls       x:Zda.h,Zn.h,Zm.h[i]                      011001000 i[2] 1 i[1:0] Zm:3 000011 Zn:5 Zda:5                    B16B16
[arithmetic sve2p1]
bfmul       Zd.h,Zn.h,Zm.h[i]                         011001000 i[2] 1 i[1:0] Zm:3 001010 Zn:5 Zd:5                     B16B16
bfclamp     x:Zd.h,Zn.h,Zm.h                          01100100001 Zm:5 001001 Zn:5 Zd:5                                 B16B16
fclamp      x:Zd.T,Zn.T,Zm.T                          T=hsd 01100100 size 1 Zm:5 001001 Zn:5 Zd:5                       SME2_OR_SVE2p1
# Conversions
[convert vector]
fcvt        x:Zd.Ta,Pg/M,Zn.T                         Ta,T,p,q=h,s,10,00/h,d,11,00/s,h,10,01/s,d,11,10/d,h,11,01/d,s,11,11 01100101 p 0010 q 101 Pg:3 Zn:5 Zd:5  SVE
fcvtx       x:Zd.s,Pg/M,Zn.d                          0110010100001010101 Pg:3 Zn:5 Zd:5                                SVE2
fcvtlt      x:Zd.Ta,Pg/M,Zn.T                         Ta,T,p,q=s,h,10,01/d,s,11,11 01100100 p 0010 q 101 Pg:3 Zn:5 Zd:5  SVE2
fcvtnt      x:Zd.Ta,Pg/M,Zn.T                         Ta,T,p,q=h,s,10,00/s,d,11,10 011001001 q 010 q 101 Pg:3 Zn:5 Zd:5  SVE2
fcvtxnt     x:Zd.s,Pg/M,Zn.d                          0110010000001010101 Pg:3 Zn:5 Zd:5                                SVE2
scvtf       x:Zd.Ta,Pg/M,Zn.T                         Ta,T,p,q=h,h,01,01/h,s,01,10/h,d,01,11/s,s,10,10/s,d,11,10/d,s,11,00/d,d,11,11 01100101 p 010 q 0101 Pg:3 Zn:5 Zd:5  SVE
ucvtf       x:Zd.Ta,Pg/M,Zn.T                         Ta,T,p,q=h,h,01,01/h,s,01,10/h,d,01,11/s,s,10,10/s,d,11,10/d,s,11,00/d,d,11,11 01100101 p 010 q 1101 Pg:3 Zn:5 Zd:5  SVE
fcvtzs      x:Zd.Ta,Pg/M,Zn.T                         Ta,T,p,q=h,h,01,01/s,h,01,10/d,h,01,11/s,s,10,10/s,d,11,00/d,s,11,10/d,d,11,11 01100101 p 011 q 0101 Pg:3 Zn:5 Zd:5  SVE
fcvtzu      x:Zd.Ta,Pg/M,Zn.T                         Ta,T,p,q=h,h,01,01/s,h,01,10/d,h,01,11/s,s,10,10/s,d,11,00/d,s,11,10/d,d,11,11 01100101 p 011 q 1101 Pg:3 Zn:5 Zd:5  SVE
# Loads and stores
[move memory]
ld1b        {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=b,00/h,01/s,10/d,11 101001000 x 0 simm:4 101 Pg:3 Rn:5 Zt:5   SVE
ld1b        {Zt.T*1},Pg/Z,[Xn|sp,Xm]                  T,x=b,00/h,01/s,10/d,11 101001000 x Rm:5 010 Pg:3 Rn:5 Zt:5       SVE
ldff1b      {Zt.T*1},Pg/Z,[Xn|sp,Xm]                  T,x=b,00/h,01/s,10/d,11 101001000 x Rm:5 011 Pg:3 Rn:5 Zt:5       SVE         ; x:ffr !streaming
ldff1b      {Zt.T*1},Pg/Z,[Xn|sp]                     T,x=b,00/h,01/s,10/d,11 101001000 x 11111 011 Pg:3 Rn:5 Zt:5      SVE         ; x:ffr !streaming
ldnf1b      {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=b,00/h,01/s,10/d,11 101001000 x 1 simm:4 101 Pg:3 Rn:5 Zt:5   SVE         ; x:ffr !streaming
ld1b        {Zt.s*1},Pg/Z,[Zn.s,#imm]                 10000100001 imm:5 110 Pg:3 Zn:5 Zt:5                              SVE
ld1b        {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001000 xs:1 0 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ldff1b      {Zt.s*1},Pg/Z,[Zn.s,#imm]                 10000100001 imm:5 111 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1b      {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001000 xs:1 0 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ld1b        {Zt.d*1},Pg/Z,[Zn.d,#imm]                 11000100001 imm:5 110 Pg:3 Zn:5 Zt:5                              SVE
ld1b        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001000 xs:1 0 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1b        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100010 Zm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ldff1b      {Zt.d*1},Pg/Z,[Zn.d,#imm]                 11000100001 imm:5 111 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1b      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001000 xs:1 0 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1b      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100010 Zm:5 111 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ld1sb       {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=h,10/s,01/d,00 101001011 x 0 simm:4 101 Pg:3 Rn:5 Zt:5        SVE
ld1sb       {Zt.T*1},Pg/Z,[Xn|sp,Xm]                  T,x=h,10/s,01/d,00 101001011 x Rm:5 010 Pg:3 Rn:5 Zt:5            SVE
ldff1sb     {Zt.T*1},Pg/Z,[Xn|sp,Xm]                  T,x=h,10/s,01/d,00 101001011 x Rm:5 011 Pg:3 Rn:5 Zt:5            SVE         ; x:ffr !streaming
ldff1sb     {Zt.T*1},Pg/Z,[Xn|sp]                     T,x=h,10/s,01/d,00 101001011 x 11111 011 Pg:3 Rn:5 Zt:5           SVE         ; x:ffr !streaming
ldnf1sb     {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=h,10/s,01/d,00 101001011 x 1 simm:4 101 Pg:3 Rn:5 Zt:5        SVE         ; x:ffr !streaming
ld1sb       {Zt.s*1},Pg/Z,[Zn.s,#imm]                 10000100001 imm:5 100 Pg:3 Zn:5 Zt:5                              SVE
ld1sb       {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001000 xs:1 0 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ldff1sb     {Zt.s*1},Pg/Z,[Zn.s,#imm]                 10000100001 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1sb     {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001000 xs:1 0 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ld1sb       {Zt.d*1},Pg/Z,[Zn.d,#imm]                 11000100001 imm:5 100 Pg:3 Zn:5 Zt:5                              SVE
ld1sb       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001000 xs:1 0 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ld1sb       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100010 Zm:5 100 Pg:3 Rn:5 Zt:5                               SVE
ldff1sb     {Zt.d*1},Pg/Z,[Zn.d,#imm]                 11000100001 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1sb     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001000 xs:1 0 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1sb     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100010 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ld1h        {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=h,01/s,10/d,11 101001001 x 0 simm:4 101 Pg:3 Rn:5 Zt:5        SVE
ld1h        {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1]            T,x=h,01/s,10/d,11 101001001 x Rm:5 010 Pg:3 Rn:5 Zt:5            SVE
ldff1h      {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1]            T,x=h,01/s,10/d,11 101001001 x Rm:5 011 Pg:3 Rn:5 Zt:5            SVE         ; x:ffr !streaming
ldff1h      {Zt.T*1},Pg/Z,[Xn|sp]                     T,x=h,01/s,10/d,11 101001001 x 11111 011 Pg:3 Rn:5 Zt:5           SVE         ; x:ffr !streaming
ldnf1h      {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=h,01/s,10/d,11 101001001 x 1 simm:4 101 Pg:3 Rn:5 Zt:5        SVE         ; x:ffr !streaming
ld1h        {Zt.s*1},Pg/Z,[Zn.s,#imm*2]               10000100101 imm:5 110 Pg:3 Zn:5 Zt:5                              SVE
ld1h        {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001001 xs:1 0 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1h        {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1]          100001001 xs:1 1 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ldff1h      {Zt.s*1},Pg/Z,[Zn.s,#imm*2]               10000100101 imm:5 111 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1h      {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001001 xs:1 0 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1h      {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1]          100001001 xs:1 1 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ld1h        {Zt.d*1},Pg/Z,[Zn.d,#imm*2]               11000100101 imm:5 110 Pg:3 Zn:5 Zt:5                              SVE
ld1h        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001001 xs:1 0 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1h        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1]          110001001 xs:1 1 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1h        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100110 Zm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld1h        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]          11000100111 Zm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ldff1h      {Zt.d*1},Pg/Z,[Zn.d,#imm*2]               11000100101 imm:5 111 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1h      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001001 xs:1 0 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1h      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1]          110001001 xs:1 1 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1h      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100110 Zm:5 111 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldff1h      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]          11000100111 Zm:5 111 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ld1sh       {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=s,01/d,00 101001010 x 0 simm:4 101 Pg:3 Rn:5 Zt:5             SVE
ld1sh       {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1]            T,x=s,01/d,00 101001010 x Rm:5 010 Pg:3 Rn:5 Zt:5                 SVE
ldff1sh     {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1]            T,x=s,01/d,00 101001010 x Rm:5 011 Pg:3 Rn:5 Zt:5                 SVE         ; x:ffr !streaming
ldff1sh     {Zt.T*1},Pg/Z,[Xn|sp]                     T,x=s,01/d,00 101001010 x 11111 011 Pg:3 Rn:5 Zt:5                SVE         ; x:ffr !streaming
ldnf1sh     {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=s,01/d,00 101001010 x 1 simm:4 101 Pg:3 Rn:5 Zt:5             SVE         ; x:ffr !streaming
ld1sh       {Zt.s*1},Pg/Z,[Zn.s,#imm*2]               10000100101 imm:5 100 Pg:3 Zn:5 Zt:5                              SVE
ld1sh       {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001001 xs:1 0 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ld1sh       {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1]          100001001 xs:1 1 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ldff1sh     {Zt.s*1},Pg/Z,[Zn.s,#imm*2]               10000100101 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1sh     {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001001 xs:1 0 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1sh     {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1]          100001001 xs:1 1 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ld1sh       {Zt.d*1},Pg/Z,[Zn.d,#imm*2]               11000100101 imm:5 100 Pg:3 Zn:5 Zt:5                              SVE
ld1sh       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001001 xs:1 0 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ld1sh       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1]          110001001 xs:1 1 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ld1sh       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100110 Zm:5 100 Pg:3 Rn:5 Zt:5                               SVE
ld1sh       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]          11000100111 Zm:5 100 Pg:3 Rn:5 Zt:5                               SVE
ldff1sh     {Zt.d*1},Pg/Z,[Zn.d,#imm*2]               11000100101 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1sh     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001001 xs:1 0 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1sh     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1]          110001001 xs:1 1 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1sh     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000100110 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldff1sh     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]          11000100111 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ld1w        {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=s,10/d,11 101001010 x 0 simm:4 101 Pg:3 Rn:5 Zt:5             SVE
ld1w        {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#2]            T,x=s,10/d,11 101001010 x Rm:5 010 Pg:3 Rn:5 Zt:5                 SVE
ldff1w      {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#2]            T,x=s,10/d,11 101001010 x Rm:5 011 Pg:3 Rn:5 Zt:5                 SVE         ; x:ffr !streaming
ldff1w      {Zt.T*1},Pg/Z,[Xn|sp]                     T,x=s,10/d,11 101001010 x 11111 011 Pg:3 Rn:5 Zt:5                SVE         ; x:ffr !streaming
ldnf1w      {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]        T,x=s,10/d,11 101001010 x 1 simm:4 101 Pg:3 Rn:5 Zt:5             SVE         ; x:ffr !streaming
ld1w        {Zt.s*1},Pg/Z,[Zn.s,#imm*4]               10000101001 imm:5 110 Pg:3 Zn:5 Zt:5                              SVE
ld1w        {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001010 xs:1 0 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1w        {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#2]          100001010 xs:1 1 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ldff1w      {Zt.s*1},Pg/Z,[Zn.s,#imm*4]               10000101001 imm:5 111 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1w      {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw]            100001010 xs:1 0 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1w      {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#2]          100001010 xs:1 1 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ld1w        {Zt.d*1},Pg/Z,[Zn.d,#imm*4]               11000101001 imm:5 110 Pg:3 Zn:5 Zt:5                              SVE
ld1w        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001010 xs:1 0 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1w        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2]          110001010 xs:1 1 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1w        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000101010 Zm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld1w        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]          11000101011 Zm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ldff1w      {Zt.d*1},Pg/Z,[Zn.d,#imm*4]               11000101001 imm:5 111 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1w      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001010 xs:1 0 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1w      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2]          110001010 xs:1 1 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1w      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000101010 Zm:5 111 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldff1w      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]          11000101011 Zm:5 111 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ld1sw       {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001001000 simm:4 101 Pg:3 Rn:5 Zt:5                            SVE
ld1sw       {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#2]            10100100100 Rm:5 010 Pg:3 Rn:5 Zt:5                               SVE
ldff1sw     {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#2]            10100100100 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldff1sw     {Zt.d*1},Pg/Z,[Xn|sp]                     10100100100 11111 011 Pg:3 Rn:5 Zt:5                              SVE         ; x:ffr !streaming
ldnf1sw     {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001001001 simm:4 101 Pg:3 Rn:5 Zt:5                            SVE         ; x:ffr !streaming
ld1sw       {Zt.d*1},Pg/Z,[Zn.d,#imm*4]               11000101001 imm:5 100 Pg:3 Zn:5 Zt:5                              SVE
ld1sw       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001010 xs:1 0 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ld1sw       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2]          110001010 xs:1 1 Zm:5 000 Pg:3 Rn:5 Zt:5                          SVE
ld1sw       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000101010 Zm:5 100 Pg:3 Rn:5 Zt:5                               SVE
ld1sw       {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]          11000101011 Zm:5 100 Pg:3 Rn:5 Zt:5                               SVE
ldff1sw     {Zt.d*1},Pg/Z,[Zn.d,#imm*4]               11000101001 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1sw     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001010 xs:1 0 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1sw     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2]          110001010 xs:1 1 Zm:5 001 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1sw     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000101010 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldff1sw     {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]          11000101011 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ld1d        {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001011110 simm:4 101 Pg:3 Rn:5 Zt:5                            SVE
ld1d        {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101111 Rm:5 010 Pg:3 Rn:5 Zt:5                               SVE
ldff1d      {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101111 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldff1d      {Zt.d*1},Pg/Z,[Xn|sp]                     10100101111 11111 011 Pg:3 Rn:5 Zt:5                              SVE         ; x:ffr !streaming
ldnf1d      {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001011111 simm:4 101 Pg:3 Rn:5 Zt:5                            SVE         ; x:ffr !streaming
ld1d        {Zt.d*1},Pg/Z,[Zn.d,#imm*8]               11000101101 imm:5 110 Pg:3 Zn:5 Zt:5                              SVE
ld1d        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001011 xs:1 0 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1d        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#3]          110001011 xs:1 1 Zm:5 010 Pg:3 Rn:5 Zt:5                          SVE
ld1d        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000101110 Zm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld1d        {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#3]          11000101111 Zm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ldff1d      {Zt.d*1},Pg/Z,[Zn.d,#imm*8]               11000101101 imm:5 111 Pg:3 Zn:5 Zt:5                              SVE         ; x:ffr !streaming
ldff1d      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw]            110001011 xs:1 0 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1d      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#3]          110001011 xs:1 1 Zm:5 011 Pg:3 Rn:5 Zt:5                          SVE         ; x:ffr !streaming
ldff1d      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]                11000101110 Zm:5 111 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldff1d      {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#3]          11000101111 Zm:5 111 Pg:3 Rn:5 Zt:5                               SVE         ; x:ffr !streaming
ldnt1b      {Zt.b*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001000000 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.ld1b
ldnt1b      {Zt.b*1},Pg/Z,[Xn|sp,Xm]                  10100100000 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.ld1b
ldnt1h      {Zt.h*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001001000 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.ld1h
ldnt1h      {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1]            10100100100 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.ld1h
ldnt1w      {Zt.s*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001010000 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.ld1w
ldnt1w      {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2]            10100101000 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.ld1w
ldnt1d      {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001011000 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.ld1d
ldnt1d      {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101100 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.ld1d
[move =memory.ld1b]
ldnt1b      {Zt.s*1},Pg/Z,[Zn.s,Xm]                   10000100000 Rm:5 101 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1b      {Zt.s*1},Pg/Z,[Zn.s]                      10000100000 11111 101 Pg:3 Zn:5 Zt:5                              SVE2
ldnt1b      {Zt.d*1},Pg/Z,[Zn.d,Xm]                   11000100000 Rm:5 110 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1b      {Zt.d*1},Pg/Z,[Zn.d]                      11000100000 11111 110 Pg:3 Zn:5 Zt:5                              SVE2
[move =memory.ld1sb]
ldnt1sb     {Zt.s*1},Pg/Z,[Zn.s,Xm]                   10000100000 Rm:5 100 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1sb     {Zt.s*1},Pg/Z,[Zn.s]                      10000100000 11111 100 Pg:3 Zn:5 Zt:5                              SVE2
ldnt1sb     {Zt.d*1},Pg/Z,[Zn.d,Xm]                   11000100000 Rm:5 100 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1sb     {Zt.d*1},Pg/Z,[Zn.d]                      11000100000 11111 100 Pg:3 Zn:5 Zt:5                              SVE2
[move =memory.ld1h]
ldnt1h      {Zt.s*1},Pg/Z,[Zn.s,Xm]                   10000100100 Rm:5 101 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1h      {Zt.s*1},Pg/Z,[Zn.s]                      10000100100 11111 101 Pg:3 Zn:5 Zt:5                              SVE2
ldnt1h      {Zt.d*1},Pg/Z,[Zn.d,Xm]                   11000100100 Rm:5 110 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1h      {Zt.d*1},Pg/Z,[Zn.d]                      11000100100 11111 110 Pg:3 Zn:5 Zt:5                              SVE2
[move =memory.ld1sh]
ldnt1sh     {Zt.s*1},Pg/Z,[Zn.s,Xm]                   10000100100 Rm:5 100 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1sh     {Zt.s*1},Pg/Z,[Zn.s]                      10000100100 11111 100 Pg:3 Zn:5 Zt:5                              SVE2
ldnt1sh     {Zt.d*1},Pg/Z,[Zn.d,Xm]                   11000100100 Rm:5 100 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1sh     {Zt.d*1},Pg/Z,[Zn.d]                      11000100100 11111 100 Pg:3 Zn:5 Zt:5                              SVE2
[move =memory.ld1w]
ldnt1w      {Zt.s*1},Pg/Z,[Zn.s,Xm]                   10000101000 Rm:5 101 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1w      {Zt.s*1},Pg/Z,[Zn.s]                      10000101000 11111 101 Pg:3 Zn:5 Zt:5                              SVE2
ldnt1w      {Zt.d*1},Pg/Z,[Zn.d,Xm]                   11000101000 Rm:5 110 Pg:3 Zn:5 Zt:5                               SVE2
ldnt1w      {Zt.d*1},Pg/Z,[Zn.d]                      11000101000 11111 110 Pg:3 Zn:5 Zt:5                              SVE2
[move memory]
ldnt1sw     {Zt.d*1},Pg/Z,[Zn.d,Xm]                   11000101000 Rm:5 100 Pg:3 Zn:5 Zt:5                               SVE2        ; key:memory.ld1sw
ldnt1sw     {Zt.d*1},Pg/Z,[Zn.d]                      11000101000 11111 100 Pg:3 Zn:5 Zt:5                              SVE2        ; key:memory.ld1sw
ldnt1d      {Zt.d*1},Pg/Z,[Zn.d,Xm]                   11000101100 Rm:5 110 Pg:3 Zn:5 Zt:5                               SVE2        ; key:memory.ld1d
ldnt1d      {Zt.d*1},Pg/Z,[Zn.d]                      11000101100 11111 110 Pg:3 Zn:5 Zt:5                              SVE2        ; key:memory.ld1d
ld2b        {Zt.b*2},Pg/Z,[Xn|sp,#simm*2,mul vl]      101001000010 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld2b        {Zt.b*2},Pg/Z,[Xn|sp,Xm]                  10100100001 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld2h        {Zt.h*2},Pg/Z,[Xn|sp,#simm*2,mul vl]      101001001010 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld2h        {Zt.h*2},Pg/Z,[Xn|sp,Xm,lsl#1]            10100100101 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld2w        {Zt.s*2},Pg/Z,[Xn|sp,#simm*2,mul vl]      101001010010 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld2w        {Zt.s*2},Pg/Z,[Xn|sp,Xm,lsl#2]            10100101001 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld2d        {Zt.d*2},Pg/Z,[Xn|sp,#simm*2,mul vl]      101001011010 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld2d        {Zt.d*2},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101101 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld3b        {Zt.b*3},Pg/Z,[Xn|sp,#simm*3,mul vl]      101001000100 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld3b        {Zt.b*3},Pg/Z,[Xn|sp,Xm]                  10100100010 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld3h        {Zt.h*3},Pg/Z,[Xn|sp,#simm*3,mul vl]      101001001100 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld3h        {Zt.h*3},Pg/Z,[Xn|sp,Xm,lsl#1]            10100100110 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld3w        {Zt.s*3},Pg/Z,[Xn|sp,#simm*3,mul vl]      101001010100 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld3w        {Zt.s*3},Pg/Z,[Xn|sp,Xm,lsl#2]            10100101010 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld3d        {Zt.d*3},Pg/Z,[Xn|sp,#simm*3,mul vl]      101001011100 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld3d        {Zt.d*3},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101110 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld4b        {Zt.b*4},Pg/Z,[Xn|sp,#simm*4,mul vl]      101001000110 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld4b        {Zt.b*4},Pg/Z,[Xn|sp,Xm]                  10100100011 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld4h        {Zt.h*4},Pg/Z,[Xn|sp,#simm*4,mul vl]      101001001110 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld4h        {Zt.h*4},Pg/Z,[Xn|sp,Xm,lsl#1]            10100100111 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld4w        {Zt.s*4},Pg/Z,[Xn|sp,#simm*4,mul vl]      101001010110 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld4w        {Zt.s*4},Pg/Z,[Xn|sp,Xm,lsl#2]            10100101011 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
ld4d        {Zt.d*4},Pg/Z,[Xn|sp,#simm*4,mul vl]      101001011110 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
ld4d        {Zt.d*4},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101111 Rm:5 110 Pg:3 Rn:5 Zt:5                               SVE
[move =memory.ld1rq]
ld1rqb      {Zt.b*1},Pg/Z,[Xn|sp,#simm*16]            101001000000 simm:4 001 Pg:3 Rn:5 Zt:5                            SVE
ld1rqb      {Zt.b*1},Pg/Z,[Xn|sp,Xm]                  10100100000 Rm:5 000 Pg:3 Rn:5 Zt:5                               SVE
ld1rqh      {Zt.h*1},Pg/Z,[Xn|sp,#simm*16]            101001001000 simm:4 001 Pg:3 Rn:5 Zt:5                            SVE
ld1rqh      {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1]            10100100100 Rm:5 000 Pg:3 Rn:5 Zt:5                               SVE
ld1rqw      {Zt.s*1},Pg/Z,[Xn|sp,#simm*16]            101001010000 simm:4 001 Pg:3 Rn:5 Zt:5                            SVE
ld1rqw      {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2]            10100101000 Rm:5 000 Pg:3 Rn:5 Zt:5                               SVE
ld1rqd      {Zt.d*1},Pg/Z,[Xn|sp,#simm*16]            101001011000 simm:4 001 Pg:3 Rn:5 Zt:5                            SVE
ld1rqd      {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101100 Rm:5 000 Pg:3 Rn:5 Zt:5                               SVE
[move =memory.ld1ro]
ld1rob      {Zt.b*1},Pg/Z,[Xn|sp,#simm*32]            101001000010 simm:4 001 Pg:3 Rn:5 Zt:5                            F64MM       ; !streaming
ld1rob      {Zt.b*1},Pg/Z,[Xn|sp,Xm]                  10100100001 Rm:5 000 Pg:3 Rn:5 Zt:5                               F64MM       ; !streaming
ld1roh      {Zt.h*1},Pg/Z,[Xn|sp,#simm*32]            101001001010 simm:4 001 Pg:3 Rn:5 Zt:5                            F64MM       ; !streaming
ld1roh      {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1]            10100100101 Rm:5 000 Pg:3 Rn:5 Zt:5                               F64MM       ; !streaming
ld1row      {Zt.s*1},Pg/Z,[Xn|sp,#simm*32]            101001010010 simm:4 001 Pg:3 Rn:5 Zt:5                            F64MM       ; !streaming
ld1row      {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2]            10100101001 Rm:5 000 Pg:3 Rn:5 Zt:5                               F64MM       ; !streaming
ld1rod      {Zt.d*1},Pg/Z,[Xn|sp,#simm*32]            101001011010 simm:4 001 Pg:3 Rn:5 Zt:5                            F64MM       ; !streaming
ld1rod      {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101101 Rm:5 000 Pg:3 Rn:5 Zt:5                               F64MM       ; !streaming
[move memory]
ld1rb       {Zt.T*1},Pg/Z,[Xn|sp,#imm]                T,x=b,00/h,01/s,10/d,11 1000010001 imm:6 1 x Pg:3 Rn:5 Zt:5       SVE
ld1rsb      {Zt.T*1},Pg/Z,[Xn|sp,#imm]                T,x=h,10/s,01/d,00 1000010111 imm:6 1 x Pg:3 Rn:5 Zt:5            SVE
ld1rh       {Zt.T*1},Pg/Z,[Xn|sp,#imm*2]              T,x=h,01/s,10/d,11 1000010011 imm:6 1 x Pg:3 Rn:5 Zt:5            SVE
ld1rsh      {Zt.T*1},Pg/Z,[Xn|sp,#imm*2]              T,x=s,01/d,00 1000010101 imm:6 1 x Pg:3 Rn:5 Zt:5                 SVE
ld1rw       {Zt.T*1},Pg/Z,[Xn|sp,#imm*4]              T,x=s,10/d,11 1000010101 imm:6 1 x Pg:3 Rn:5 Zt:5                 SVE
ld1rsw      {Zt.d*1},Pg/Z,[Xn|sp,#imm*4]              1000010011 imm:6 100 Pg:3 Rn:5 Zt:5                               SVE
ld1rd       {Zt.d*1},Pg/Z,[Xn|sp,#imm*8]              1000010111 imm:6 111 Pg:3 Rn:5 Zt:5                               SVE
st1b        r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl]      T,x=b,00/h,01/s,10/d,11 111001000 x 0 simm:4 111 Pg:3 Rn:5 Zt:5   SVE
st1b        r:{Zt.T*1},Pg,w:[Xn|sp,Xm]                T,x=b,00/h,01/s,10/d,11 111001000 x Rm:5 010 Pg:3 Rn:5 Zt:5       SVE
st1b        r:{Zt.s*1},Pg,w:[Zn.s,#imm]               11100100011 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE
st1b        r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw]          11100100010 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1b        r:{Zt.d*1},Pg,w:[Zn.d,#imm]               11100100010 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE
st1b        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw]          11100100000 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1b        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d]              11100100000 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE
st1h        r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl]      T,x=h,01/s,10/d,11 111001001 x 0 simm:4 111 Pg:3 Rn:5 Zt:5        SVE
st1h        r:{Zt.T*1},Pg,w:[Xn|sp,Xm,lsl#1]          T,x=h,01/s,10/d,11 111001001 x Rm:5 010 Pg:3 Rn:5 Zt:5            SVE
st1h        r:{Zt.s*1},Pg,w:[Zn.s,#imm*2]             11100100111 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE
st1h        r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw]          11100100110 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1h        r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw#1]        11100100111 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1h        r:{Zt.d*1},Pg,w:[Zn.d,#imm*2]             11100100110 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE
st1h        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw]          11100100100 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1h        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#1]        11100100101 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1h        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d]              11100100100 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE
st1h        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#1]        11100100101 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE
st1w        r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl]      T,x=s,10/d,11 111001010 x 0 simm:4 111 Pg:3 Rn:5 Zt:5             SVE
st1w        r:{Zt.T*1},Pg,w:[Xn|sp,Xm,lsl#2]          T,x=s,10/d,11 111001010 x Rm:5 010 Pg:3 Rn:5 Zt:5                 SVE
st1w        r:{Zt.s*1},Pg,w:[Zn.s,#imm*4]             11100101011 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE
st1w        r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw]          11100101010 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1w        r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw#2]        11100101011 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1w        r:{Zt.d*1},Pg,w:[Zn.d,#imm*4]             11100101010 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE
st1w        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw]          11100101000 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1w        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#2]        11100101001 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1w        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d]              11100101000 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE
st1w        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#2]        11100101001 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE
st1d        r:{Zt.d*1},Pg,w:[Xn|sp,#simm,mul vl]      111001011110 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st1d        r:{Zt.d*1},Pg,w:[Xn|sp,Xm,lsl#3]          11100101111 Rm:5 010 Pg:3 Rn:5 Zt:5                               SVE
st1d        r:{Zt.d*1},Pg,w:[Zn.d,#imm*8]             11100101110 imm:5 101 Pg:3 Zn:5 Zt:5                              SVE
st1d        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw]          11100101100 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1d        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#3]        11100101101 Zm:5 1 xs:1 0 Pg:3 Rn:5 Zt:5                          SVE
st1d        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d]              11100101100 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE
st1d        r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#3]        11100101101 Zm:5 101 Pg:3 Rn:5 Zt:5                               SVE
stnt1b      r:{Zt.b*1},Pg,w:[Xn|sp,#simm,mul vl]      111001000001 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.st1b
stnt1b      r:{Zt.b*1},Pg,w:[Xn|sp,Xm]                11100100000 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.st1b
stnt1h      r:{Zt.h*1},Pg,w:[Xn|sp,#simm,mul vl]      111001001001 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.st1h
stnt1h      r:{Zt.h*1},Pg,w:[Xn|sp,Xm,lsl#1]          11100100100 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.st1h
stnt1w      r:{Zt.s*1},Pg,w:[Xn|sp,#simm,mul vl]      111001010001 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.st1w
stnt1w      r:{Zt.s*1},Pg,w:[Xn|sp,Xm,lsl#2]          11100101000 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.st1w
stnt1d      r:{Zt.d*1},Pg,w:[Xn|sp,#simm,mul vl]      111001011001 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE         ; key:memory.st1d
stnt1d      r:{Zt.d*1},Pg,w:[Xn|sp,Xm,lsl#3]          11100101100 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE         ; key:memory.st1d
[move =memory.st1b]
stnt1b      r:{Zt.s*1},Pg,w:[Zn.s,Xm]                 11100100010 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2
stnt1b      r:{Zt.s*1},Pg,w:[Zn.s]                    11100100010 11111 001 Pg:3 Zn:5 Zt:5                              SVE2
stnt1b      r:{Zt.d*1},Pg,w:[Zn.d,Xm]                 11100100000 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2
stnt1b      r:{Zt.d*1},Pg,w:[Zn.d]                    11100100000 11111 001 Pg:3 Zn:5 Zt:5                              SVE2
[move =memory.st1h]
stnt1h      r:{Zt.s*1},Pg,w:[Zn.s,Xm]                 11100100110 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2
stnt1h      r:{Zt.s*1},Pg,w:[Zn.s]                    11100100110 11111 001 Pg:3 Zn:5 Zt:5                              SVE2
stnt1h      r:{Zt.d*1},Pg,w:[Zn.d,Xm]                 11100100100 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2
stnt1h      r:{Zt.d*1},Pg,w:[Zn.d]                    11100100100 11111 001 Pg:3 Zn:5 Zt:5                              SVE2
[move =memory.st1w]
stnt1w      r:{Zt.s*1},Pg,w:[Zn.s,Xm]                 11100101010 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2
stnt1w      r:{Zt.s*1},Pg,w:[Zn.s]                    11100101010 11111 001 Pg:3 Zn:5 Zt:5                              SVE2
stnt1w      r:{Zt.d*1},Pg,w:[Zn.d,Xm]                 11100101000 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2
stnt1w      r:{Zt.d*1},Pg,w:[Zn.d]                    11100101000 11111 001 Pg:3 Zn:5 Zt:5                              SVE2
[move memory]
stnt1d      r:{Zt.d*1},Pg,w:[Zn.d,Xm]                 11100101100 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2        ; key:memory.st1d
stnt1d      r:{Zt.d*1},Pg,w:[Zn.d]                    11100101100 11111 001 Pg:3 Zn:5 Zt:5                              SVE2        ; key:memory.st1d
st2b        r:{Zt.b*2},Pg,w:[Xn|sp,#simm*2,mul vl]    111001000011 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st2b        r:{Zt.b*2},Pg,w:[Xn|sp,Xm]                11100100001 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st2h        r:{Zt.h*2},Pg,w:[Xn|sp,#simm*2,mul vl]    111001001011 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st2h        r:{Zt.h*2},Pg,w:[Xn|sp,Xm,lsl#1]          11100100101 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st2w        r:{Zt.s*2},Pg,w:[Xn|sp,#simm*2,mul vl]    111001010011 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st2w        r:{Zt.s*2},Pg,w:[Xn|sp,Xm,lsl#2]          11100101001 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st2d        r:{Zt.d*2},Pg,w:[Xn|sp,#simm*2,mul vl]    111001011011 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st2d        r:{Zt.d*2},Pg,w:[Xn|sp,Xm,lsl#3]          11100101101 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st3b        r:{Zt.b*3},Pg,w:[Xn|sp,#simm*3,mul vl]    111001000101 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st3b        r:{Zt.b*3},Pg,w:[Xn|sp,Xm]                11100100010 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st3h        r:{Zt.h*3},Pg,w:[Xn|sp,#simm*3,mul vl]    111001001101 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st3h        r:{Zt.h*3},Pg,w:[Xn|sp,Xm,lsl#1]          11100100110 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st3w        r:{Zt.s*3},Pg,w:[Xn|sp,#simm*3,mul vl]    111001010101 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st3w        r:{Zt.s*3},Pg,w:[Xn|sp,Xm,lsl#2]          11100101010 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st3d        r:{Zt.d*3},Pg,w:[Xn|sp,#simm*3,mul vl]    111001011101 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st3d        r:{Zt.d*3},Pg,w:[Xn|sp,Xm,lsl#3]          11100101110 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st4b        r:{Zt.b*4},Pg,w:[Xn|sp,#simm*4,mul vl]    111001000111 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st4b        r:{Zt.b*4},Pg,w:[Xn|sp,Xm]                11100100011 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st4h        r:{Zt.h*4},Pg,w:[Xn|sp,#simm*4,mul vl]    111001001111 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st4h        r:{Zt.h*4},Pg,w:[Xn|sp,Xm,lsl#1]          11100100111 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st4w        r:{Zt.s*4},Pg,w:[Xn|sp,#simm*4,mul vl]    111001010111 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st4w        r:{Zt.s*4},Pg,w:[Xn|sp,Xm,lsl#2]          11100101011 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
st4d        r:{Zt.d*4},Pg,w:[Xn|sp,#simm*4,mul vl]    111001011111 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE
st4d        r:{Zt.d*4},Pg,w:[Xn|sp,Xm,lsl#3]          11100101111 Rm:5 011 Pg:3 Rn:5 Zt:5                               SVE
[prefetch =control.nothing]
prfb        r:vprfop,Pg,[Xn|sp,#simm,mul vl]          1000010111 simm:6 000 Pg:3 Rn:5 0 prfop:4                         SVE
prfh        r:vprfop,Pg,[Xn|sp,#simm,mul vl]          1000010111 simm:6 001 Pg:3 Rn:5 0 prfop:4                         SVE
prfw        r:vprfop,Pg,[Xn|sp,#simm,mul vl]          1000010111 simm:6 010 Pg:3 Rn:5 0 prfop:4                         SVE
prfd        r:vprfop,Pg,[Xn|sp,#simm,mul vl]          1000010111 simm:6 011 Pg:3 Rn:5 0 prfop:4                         SVE
prfb        r:vprfop,Pg,[Xn|sp,Xm]                    10000100000 Rm:5 110 Pg:3 Rn:5 0 prfop:4                          SVE
prfh        r:vprfop,Pg,[Xn|sp,Xm,lsl#1]              10000100100 Rm:5 110 Pg:3 Rn:5 0 prfop:4                          SVE
prfw        r:vprfop,Pg,[Xn|sp,Xm,lsl#2]              10000101000 Rm:5 110 Pg:3 Rn:5 0 prfop:4                          SVE
prfd        r:vprfop,Pg,[Xn|sp,Xm,lsl#3]              10000101100 Rm:5 110 Pg:3 Rn:5 0 prfop:4                          SVE
prfb        r:vprfop,Pg,[Zn.s,#imm]                   10000100000 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfb        r:vprfop,Pg,[Xn|sp,Zm.s,xtw]              100001000 xs:1 1 Zm:5 000 Pg:3 Rn:5 0 prfop:4                     SVE
prfb        r:vprfop,Pg,[Zn.d,#imm]                   11000100000 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfb        r:vprfop,Pg,[Xn|sp,Zm.d,xtw]              110001000 xs:1 1 Zm:5 000 Pg:3 Rn:5 0 prfop:4                     SVE
prfb        r:vprfop,Pg,[Xn|sp,Zm.d]                  11000100011 Zm:5 100 Pg:3 Rn:5 0 prfop:4                          SVE
prfh        r:vprfop,Pg,[Zn.s,#imm*2]                 10000100100 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfh        r:vprfop,Pg,[Xn|sp,Zm.s,xtw#1]            100001000 xs:1 1 Zm:5 001 Pg:3 Rn:5 0 prfop:4                     SVE
prfh        r:vprfop,Pg,[Zn.d,#imm*2]                 11000100100 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfh        r:vprfop,Pg,[Xn|sp,Zm.d,xtw#1]            110001000 xs:1 1 Zm:5 001 Pg:3 Rn:5 0 prfop:4                     SVE
prfh        r:vprfop,Pg,[Xn|sp,Zm.d,lsl#1]            11000100011 Zm:5 101 Pg:3 Rn:5 0 prfop:4                          SVE
prfw        r:vprfop,Pg,[Zn.s,#imm*4]                 10000101000 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfw        r:vprfop,Pg,[Xn|sp,Zm.s,xtw#2]            100001000 xs:1 1 Zm:5 010 Pg:3 Rn:5 0 prfop:4                     SVE
prfw        r:vprfop,Pg,[Zn.d,#imm*4]                 11000101000 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfw        r:vprfop,Pg,[Xn|sp,Zm.d,xtw#2]            110001000 xs:1 1 Zm:5 010 Pg:3 Rn:5 0 prfop:4                     SVE
prfw        r:vprfop,Pg,[Xn|sp,Zm.d,lsl#2]            11000100011 Zm:5 110 Pg:3 Rn:5 0 prfop:4                          SVE
prfd        r:vprfop,Pg,[Zn.s,#imm*8]                 10000101100 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfd        r:vprfop,Pg,[Xn|sp,Zm.s,xtw#3]            100001000 xs:1 1 Zm:5 011 Pg:3 Rn:5 0 prfop:4                     SVE
prfd        r:vprfop,Pg,[Zn.d,#imm*8]                 11000101100 imm:5 111 Pg:3 Zn:5 0 prfop:4                         SVE
prfd        r:vprfop,Pg,[Xn|sp,Zm.d,xtw#3]            110001000 xs:1 1 Zm:5 011 Pg:3 Rn:5 0 prfop:4                     SVE
prfd        r:vprfop,Pg,[Xn|sp,Zm.d,lsl#3]            11000100011 Zm:5 111 Pg:3 Rn:5 0 prfop:4                          SVE
[move memory]
ldr         Zt,[Xn|sp,#simm,mul vl]                   1000010110 simm[8:3] 010 simm[2:0] Rn:5 Zt:5                      SVE
str         r:Zt,w:[Xn|sp,#simm,mul vl]               1110010110 simm[8:3] 010 simm[2:0] Rn:5 Zt:5                      SVE
ldr         Pt,[Xn|sp,#simm,mul vl]                   1000010110 simm[8:3] 000 simm[2:0] Rn:5 0 Pt:4                    SVE
str         r:Pt,w:[Xn|sp,#simm,mul vl]               1110010110 simm[8:3] 000 simm[2:0] Rn:5 0 Pt:4                    SVE
# Cryptography
[arithmetic vector]
aese        x:Zdn.b,Zdn.b,Zm.b                        0100010100100010111000 Zm:5 Zdn:5                                 SVE2_AES    ; !streaming
aesd        x:Zdn.b,Zdn.b,Zm.b                        0100010100100010111001 Zm:5 Zdn:5                                 SVE2_AES    ; !streaming
aesmc       x:Zdn.b,Zdn.b                             010001010010000011100000000 Zdn:5                                 SVE2_AES    ; !streaming
aesimc      x:Zdn.b,Zdn.b                             010001010010000011100100000 Zdn:5                                 SVE2_AES    ; !streaming
rax1        Zd.d,Zn.d,Zm.d                            01000101001 Zm:5 111101 Zn:5 Zd:5                                 SVE2_SHA3   ; !streaming
sm4e        x:Zdn.s,Zdn.s,Zm.s                        0100010100100011111000 Zm:5 Zdn:5                                 SVE2_SM4    ; !streaming
sm4ekey     Zd.s,Zn.s,Zm.s                            01000101001 Zm:5 111100 Zn:5 Zd:5                                 SVE2_SM4    ; !streaming
bdep        Zd.T,Zn.T,Zm.T                            T=bhsd 01000101 size 0 Zm:5 101101 Zn:5 Zd:5                      SVE2_BITPERM  ; !streaming
bext        Zd.T,Zn.T,Zm.T                            T=bhsd 01000101 size 0 Zm:5 101100 Zn:5 Zd:5                      SVE2_BITPERM  ; !streaming
bgrp        Zd.T,Zn.T,Zm.T                            T=bhsd 01000101 size 0 Zm:5 101110 Zn:5 Zd:5                      SVE2_BITPERM  ; !streaming
# Predicate as counter, SVE2.1
[move sve2p1]
ptrue       PNd.T                                     T=bhsd 00100101 size 1000000111100000010 PNd:3                    SME2_OR_SVE2p1
[arithmetic sve2p1]
cntp        Xd,PNn.T,vlx                              T=bhsd 00100101 size 10000010000 vlx:1 1 PNn:4 Rd:5               SME2_OR_SVE2p1
pext        Pd.T,PNn[i]                               T=bhsd 00100101 size 100000011100 i:2 PNn:3 1 Pd:4                SME2_OR_SVE2p1
pext        {Pd.T*2},PNn[i]                           T=bhsd 00100101 size 1000000111010 i:1 PNn:3 1 Pd:4               SME2_OR_SVE2p1
[move sve2p1]
whilelt     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010101 Rn:5 1 Pd:3 0                  SME2_OR_SVE2p1  ; w:nzcv
whilele     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010101 Rn:5 1 Pd:3 1                  SME2_OR_SVE2p1  ; w:nzcv
whilelo     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010111 Rn:5 1 Pd:3 0                  SME2_OR_SVE2p1  ; w:nzcv
whilels     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010111 Rn:5 1 Pd:3 1                  SME2_OR_SVE2p1  ; w:nzcv
whilege     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010100 Rn:5 1 Pd:3 0                  SME2_OR_SVE2p1  ; w:nzcv
whilegt     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010100 Rn:5 1 Pd:3 1                  SME2_OR_SVE2p1  ; w:nzcv
whilehs     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010110 Rn:5 1 Pd:3 0                  SME2_OR_SVE2p1  ; w:nzcv
whilehi     {Pd.T*2},Xn,Xm                            T=bhsd 00100101 size 1 Rm:5 010110 Rn:5 1 Pd:3 1                  SME2_OR_SVE2p1  ; w:nzcv
whilelt     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 001 Rn:5 10 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
whilele     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 001 Rn:5 11 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
whilelo     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 011 Rn:5 10 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
whilels     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 011 Rn:5 11 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
whilege     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 000 Rn:5 10 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
whilegt     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 000 Rn:5 11 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
whilehs     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 010 Rn:5 10 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
whilehi     PNd.T,Xn,Xm,vlx                           T=bhsd 00100101 size 1 Rm:5 01 vlx:1 010 Rn:5 11 PNd:3            SME2_OR_SVE2p1  ; w:nzcv
[shuffle predicate]
psel        Pd,Pn,Pm.T[Wv+12,i]                       T=bhsd 00100101 imm5[4:3] 1 imm5[2:0] Rv:2 01 Pn:4 0 Pm:4 0 Pd:4  SME_OR_SVE2p1
[convert sve2p1]
sqcvtn      Zd.h,{Zn.s*2}                             0100010100110001010000 Zn:4 0 Zd:5                                SME2_OR_SVE2p1
uqcvtn      Zd.h,{Zn.s*2}                             0100010100110001010010 Zn:4 0 Zd:5                                SME2_OR_SVE2p1
sqcvtun     Zd.h,{Zn.s*2}                             0100010100110001010100 Zn:4 0 Zd:5                                SME2_OR_SVE2p1
[arithmetic sve2p1]
sqrshrn     Zd.h,{Zn.s*2},#-sh                        010001011011 sh:4 001010 Zn:4 0 Zd:5                              SME2_OR_SVE2p1
uqrshrn     Zd.h,{Zn.s*2},#-sh                        010001011011 sh:4 001110 Zn:4 0 Zd:5                              SME2_OR_SVE2p1
sqrshrun    Zd.h,{Zn.s*2},#-sh                        010001011011 sh:4 000010 Zn:4 0 Zd:5                              SME2_OR_SVE2p1

# SVE2.1: 128-bit segments
[shuffle sve2p1]
zipq1       Zd.T,Zn.T,Zm.T                            T=bhsd 01000100 size 0 Zm:5 111000 Zn:5 Zd:5                      SVE2p1
zipq2       Zd.T,Zn.T,Zm.T                            T=bhsd 01000100 size 0 Zm:5 111001 Zn:5 Zd:5                      SVE2p1
uzpq1       Zd.T,Zn.T,Zm.T                            T=bhsd 01000100 size 0 Zm:5 111010 Zn:5 Zd:5                      SVE2p1
uzpq2       Zd.T,Zn.T,Zm.T                            T=bhsd 01000100 size 0 Zm:5 111011 Zn:5 Zd:5                      SVE2p1
tblq        Zd.T,{Zn.T*1},Zm.T                        T=bhsd 01000100 size 0 Zm:5 111110 Zn:5 Zd:5                      SVE2p1
tbxq        x:Zd.T,Zn.T,Zm.T                          T=bhsd 00000101 size 1 Zm:5 001101 Zn:5 Zd:5                      SVE2p1
[move sve2p1]
pmov        Pd.b,Zn                                   000001010010101 0001110 Zn:5 0 Pd:4                               SVE2p1
pmov        Pd.h,Zn[i]                                00000101001011 i:1 0001110 Zn:5 0 Pd:4                            SVE2p1
pmov        Pd.s,Zn[i]                                0000010101101 i:2 0001110 Zn:5 0 Pd:4                             SVE2p1
pmov        Pd.d,Zn[i]                                000001011 i[2] 101 i[1:0] 0001110 Zn:5 0 Pd:4                     SVE2p1
pmov        Zd,Pn.b                                   000001010010101 10011100 Pn:4 Zd:5                                SVE2p1
pmov        x:Zd[i],Pn.h                              00000101001011 i:1 10011100 Pn:4 Zd:5                             SVE2p1
pmov        x:Zd[i],Pn.s                              0000010101101 i:2 10011100 Pn:4 Zd:5                              SVE2p1
pmov        x:Zd[i],Pn.d                              000001011 i[2] 101 i[1:0] 10011100 Pn:4 Zd:5                      SVE2p1
[shuffle sve2p1]
dupq        Zd.T,Zn.T[i]                              T=bhsd 00000101001 imm5 001001 Zn:5 Zd:5                          SVE2p1
extq        x:Zdn.b,Zdn.b,Zm.b,#imm                   000001010110 imm:4 001001 Zm:5 Zdn:5                              SVE2p1
[arithmetic sve2p1]
addqv       Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 000101001 Pg:3 Zn:5 Rd:5  SVE2p1
smaxqv      Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 001100001 Pg:3 Zn:5 Rd:5  SVE2p1
sminqv      Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 001110001 Pg:3 Zn:5 Rd:5  SVE2p1
umaxqv      Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 001101001 Pg:3 Zn:5 Rd:5  SVE2p1
uminqv      Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 001111001 Pg:3 Zn:5 Rd:5  SVE2p1
andqv       Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 011110001 Pg:3 Zn:5 Rd:5  SVE2p1
orqv        Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 011100001 Pg:3 Zn:5 Rd:5  SVE2p1
eorqv       Vd.Ta,Pg,Zn.T                             T,Ta=b,16b/h,8h/s,4s/d,2d 00000100 size 011101001 Pg:3 Zn:5 Rd:5  SVE2p1
faddqv      Vd.Ta,Pg,Zn.T                             T,Ta=h,8h/s,4s/d,2d 01100100 size 010000101 Pg:3 Zn:5 Rd:5        SVE2p1
fmaxqv      Vd.Ta,Pg,Zn.T                             T,Ta=h,8h/s,4s/d,2d 01100100 size 010110101 Pg:3 Zn:5 Rd:5        SVE2p1
fminqv      Vd.Ta,Pg,Zn.T                             T,Ta=h,8h/s,4s/d,2d 01100100 size 010111101 Pg:3 Zn:5 Rd:5        SVE2p1
fmaxnmqv    Vd.Ta,Pg,Zn.T                             T,Ta=h,8h/s,4s/d,2d 01100100 size 010100101 Pg:3 Zn:5 Rd:5        SVE2p1
fminnmqv    Vd.Ta,Pg,Zn.T                             T,Ta=h,8h/s,4s/d,2d 01100100 size 010101101 Pg:3 Zn:5 Rd:5        SVE2p1
[move sve2p1]
ld1w        {Zt.q*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001010001 simm:4 001 Pg:3 Rn:5 Zt:5                            SVE2p1
ld1d        {Zt.q*1},Pg/Z,[Xn|sp,#simm,mul vl]        101001011001 simm:4 001 Pg:3 Rn:5 Zt:5                            SVE2p1
st1w        r:{Zt.q*1},Pg,w:[Xn|sp,#simm,mul vl]      111001010000 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE2p1
st1d        r:{Zt.q*1},Pg,w:[Xn|sp,#simm,mul vl]      111001011100 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE2p1
ld1w        {Zt.q*1},Pg/Z,[Xn|sp,Xm,lsl#2]            10100101000 Rm:5 100 Pg:3 Rn:5 Zt:5                               SVE2p1
ld1d        {Zt.q*1},Pg/Z,[Xn|sp,Xm,lsl#3]            10100101100 Rm:5 100 Pg:3 Rn:5 Zt:5                               SVE2p1
st1w        r:{Zt.q*1},Pg,w:[Xn|sp,Xm,lsl#2]          11100101000 Rm:5 010 Pg:3 Rn:5 Zt:5                               SVE2p1
st1d        r:{Zt.q*1},Pg,w:[Xn|sp,Xm,lsl#3]          11100101110 Rm:5 010 Pg:3 Rn:5 Zt:5                               SVE2p1
ld1q        {Zt.q*1},Pg/Z,[Zn.d,Xm]                   11000100000 Rm:5 101 Pg:3 Zn:5 Zt:5                               SVE2p1
ld1q        {Zt.q*1},Pg/Z,[Zn.d]                      11000100000 11111 101 Pg:3 Zn:5 Zt:5                              SVE2p1
st1q        r:{Zt.q*1},Pg,w:[Zn.d,Xm]                 11100100001 Rm:5 001 Pg:3 Zn:5 Zt:5                               SVE2p1
st1q        r:{Zt.q*1},Pg,w:[Zn.d]                    11100100001 11111 001 Pg:3 Zn:5 Zt:5                              SVE2p1
ld2q        {Zt.q*2},Pg/Z,[Xn|sp,#simm*2,mul vl]      101001001001 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE2p1
ld2q        {Zt.q*2},Pg/Z,[Xn|sp,Xm,lsl#4]            10100100101 Rm:5 100 Pg:3 Rn:5 Zt:5                               SVE2p1
st2q        r:{Zt.q*2},Pg,w:[Xn|sp,#simm*2,mul vl]    111001000100 simm:4 000 Pg:3 Rn:5 Zt:5                            SVE2p1
st2q        r:{Zt.q*2},Pg,w:[Xn|sp,Xm,lsl#4]          11100100011 Rm:5 000 Pg:3 Rn:5 Zt:5                               SVE2p1
ld3q        {Zt.q*3},Pg/Z,[Xn|sp,#simm*3,mul vl]      101001010001 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE2p1
ld3q        {Zt.q*3},Pg/Z,[Xn|sp,Xm,lsl#4]            10100101001 Rm:5 100 Pg:3 Rn:5 Zt:5                               SVE2p1
st3q        r:{Zt.q*3},Pg,w:[Xn|sp,#simm*3,mul vl]    111001001000 simm:4 000 Pg:3 Rn:5 Zt:5                            SVE2p1
st3q        r:{Zt.q*3},Pg,w:[Xn|sp,Xm,lsl#4]          11100100101 Rm:5 000 Pg:3 Rn:5 Zt:5                               SVE2p1
ld4q        {Zt.q*4},Pg/Z,[Xn|sp,#simm*4,mul vl]      101001011001 simm:4 111 Pg:3 Rn:5 Zt:5                            SVE2p1
ld4q        {Zt.q*4},Pg/Z,[Xn|sp,Xm,lsl#4]            10100101101 Rm:5 100 Pg:3 Rn:5 Zt:5                               SVE2p1
st4q        r:{Zt.q*4},Pg,w:[Xn|sp,#simm*4,mul vl]    111001001100 simm:4 000 Pg:3 Rn:5 Zt:5                            SVE2p1
st4q        r:{Zt.q*4},Pg,w:[Xn|sp,Xm,lsl#4]          11100100111 Rm:5 000 Pg:3 Rn:5 Zt:5                               SVE2p1
""",
)
