"""Tiles. Columns and letters: grammar.py.

Sources: Intel SDM vol. 2 (order 325383); ISE 319433 for AMX-COMPLEX, FP8, TF32, AVX512 and MOVRS.
"""

ROWS = (
    """
# Tile configuration and moves
[system]
ldtilecfg        r:m              M VEX.128.NP.0F38.W0 49 /0     AMX_TILE
sttilecfg        m                M VEX.128.66.0F38.W0 49 /0     AMX_TILE
tilerelease                       - VEX.128.NP.0F38.W0 49 /0     AMX_TILE
[move]
tilezero         T                R VEX.128.F2.0F38.W0 49 /r     AMX_TILE
tileloadd        T,sib            RM VEX.128.F2.0F38.W0 4B /r    AMX_TILE
tileloaddt1      T,sib            RM VEX.128.66.0F38.W0 4B /r    AMX_TILE  ; key:tileloadd
tilestored       sib,T            MR VEX.128.F3.0F38.W0 4B /r    AMX_TILE
tileloaddrs      T,sib            RM VEX.128.F2.0F38.W0 4A /r    AMX_MOVRS
tileloaddrst1    T,sib            RM VEX.128.66.0F38.W0 4A /r    AMX_MOVRS
""",
    """
# Dot products
[tile]
tdpbssd          x:T{ne},T{ne},T  RMV VEX.128.F2.0F38.W0 5E /r   AMX_INT8
tdpbsud          x:T{ne},T{ne},T  RMV VEX.128.F3.0F38.W0 5E /r   AMX_INT8
tdpbusd          x:T{ne},T{ne},T  RMV VEX.128.66.0F38.W0 5E /r   AMX_INT8
tdpbuud          x:T{ne},T{ne},T  RMV VEX.128.NP.0F38.W0 5E /r   AMX_INT8
tdpbf16ps        x:T{ne},T{ne},T  RMV VEX.128.F3.0F38.W0 5C /r   AMX_BF16
tdpfp16ps        x:T{ne},T{ne},T  RMV VEX.128.F2.0F38.W0 5C /r   AMX_FP16
tcmmimfp16ps     x:T{ne},T{ne},T  RMV VEX.128.66.0F38.W0 6C /r   AMX_COMPLEX
tcmmrlfp16ps     x:T{ne},T{ne},T  RMV VEX.128.NP.0F38.W0 6C /r   AMX_COMPLEX
tmmultf32ps      x:T{ne},T{ne},T  RMV VEX.128.66.0F38.W0 48 /r   AMX_TF32
tdpbf8ps         x:T{ne},T{ne},T  RMV VEX.128.NP.MAP5.W0 FD /r   AMX_FP8
tdpbhf8ps        x:T{ne},T{ne},T  RMV VEX.128.F2.MAP5.W0 FD /r   AMX_FP8
tdphbf8ps        x:T{ne},T{ne},T  RMV VEX.128.F3.MAP5.W0 FD /r   AMX_FP8
tdphf8ps         x:T{ne},T{ne},T  RMV VEX.128.66.MAP5.W0 FD /r   AMX_FP8
""",
    """
# Rows of tiles to vectors
[move]
tilemovrow       Z,T,r32          RMV EVEX.512.66.0F38.W0 4A /r  AMX_AVX512
tilemovrow       Z,T,u8           RMI EVEX.512.66.0F3A.W0 07 /r  AMX_AVX512
[convert]
tcvtrowd2ps      Z,T,r32          RMV EVEX.512.F3.0F38.W0 4A /r  AMX_AVX512
tcvtrowd2ps      Z,T,u8           RMI EVEX.512.F3.0F3A.W0 07 /r  AMX_AVX512
tcvtrowps2bf16h  Z,T,r32          RMV EVEX.512.F2.0F38.W0 6D /r  AMX_AVX512
tcvtrowps2bf16h  Z,T,u8           RMI EVEX.512.F2.0F3A.W0 07 /r  AMX_AVX512
tcvtrowps2bf16l  Z,T,r32          RMV EVEX.512.F3.0F38.W0 6D /r  AMX_AVX512
tcvtrowps2bf16l  Z,T,u8           RMI EVEX.512.F3.0F3A.W0 77 /r  AMX_AVX512
tcvtrowps2phh    Z,T,r32          RMV EVEX.512.NP.0F38.W0 6D /r  AMX_AVX512
tcvtrowps2phh    Z,T,u8           RMI EVEX.512.NP.0F3A.W0 07 /r  AMX_AVX512
tcvtrowps2phl    Z,T,r32          RMV EVEX.512.66.0F38.W0 6D /r  AMX_AVX512
tcvtrowps2phl    Z,T,u8           RMI EVEX.512.F2.0F3A.W0 77 /r  AMX_AVX512
""",
)
