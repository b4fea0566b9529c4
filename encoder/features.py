"""Feature names with their implications, and Target: what code is generated for. This is data only; nothing is
probed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .records import dataclass

# feature -> the features that it implies directly; `closure` adds the indirect ones
IMPLIES = {
    "SSE2": ("SSE",),
    "SSE3": ("SSE2",),
    "SSSE3": ("SSE3",),
    "SSE4_1": ("SSSE3",),
    "SSE4_2": ("SSE4_1",),
    "AES": ("SSE2",),
    "PCLMULQDQ": ("SSE2",),
    "SHA": ("SSE2",),
    "GFNI": ("SSE2",),
    "AVX": ("SSE4_2", "XSAVE"),
    "F16C": ("AVX",),
    "FMA": ("AVX",),
    "VAES": ("AVX", "AES"),
    "VPCLMULQDQ": ("AVX", "PCLMULQDQ"),
    "AVX2": ("AVX",),
    "AVX_VNNI": ("AVX2",),
    "AVX_IFMA": ("AVX2",),
    "AVX_NE_CONVERT": ("AVX2",),
    "AVX_VNNI_INT8": ("AVX2",),
    "AVX_VNNI_INT16": ("AVX2",),
    "SHA512": ("AVX2",),
    "SM3": ("AVX",),
    "SM4": ("AVX2",),
    "AVX512F": ("AVX2", "FMA", "F16C"),
    "AVX512CD": ("AVX512F",),
    "AVX512BW": ("AVX512F",),
    "AVX512DQ": ("AVX512F",),
    "AVX512VL": ("AVX512F",),
    "AVX512_IFMA": ("AVX512F",),
    "AVX512_VBMI": ("AVX512BW",),
    "AVX512_VBMI2": ("AVX512BW",),
    "AVX512_VNNI": ("AVX512F",),
    "AVX512_BITALG": ("AVX512BW",),
    "AVX512_VPOPCNTDQ": ("AVX512F",),
    "AVX512_VP2INTERSECT": ("AVX512F",),
    "AVX512_BF16": ("AVX512BW",),
    "AVX512_FP16": ("AVX512BW", "AVX512DQ", "AVX512VL"),
    "AVX10_1": (
        "AVX512CD",
        "AVX512_FP16",
        "AVX512_BF16",
        "AVX512_IFMA",
        "AVX512_VBMI",
        "AVX512_VBMI2",
        "AVX512_VNNI",
        "AVX512_BITALG",
        "AVX512_VPOPCNTDQ",
    ),
    "AVX10_2": ("AVX10_1",),
    "AMX_BF16": ("AMX_TILE",),
    "AMX_INT8": ("AMX_TILE",),
    "AMX_FP16": ("AMX_TILE",),
    "AMX_COMPLEX": ("AMX_TILE",),
    "AMX_FP8": ("AMX_TILE",),
    "AMX_TF32": ("AMX_TILE",),
    "AMX_AVX512": ("AMX_TILE", "AVX10_2"),
    "AMX_MOVRS": ("AMX_TILE",),
}


def closure(features: Iterable[str], implies: Mapping[str, tuple[str, ...]] = IMPLIES) -> frozenset[str]:
    """The features and all features that they imply."""
    done: set[str] = set()
    todo = list(features)
    while todo:
        feature = todo.pop()
        if feature not in done:
            done.add(feature)
            todo += implies.get(feature, ())
    return frozenset(done)


@dataclass(frozen=True)
class Target:
    """A processor to generate code for: the features that it executes, and the facts that planners read.

    fma_bits       width of one FMA pipe in bits: a 512-bit FMA occupies two of Zen 4's 256-bit pipes
    shuffle_pipes  how many pipes move elements of whole vectors: only port 5 on Intel, two on AMD
    follows_rows   whether the prefetchers follow accesses from row to row, which AMD's do badly
    bf16_slots     the time of a VDPBF16PS in full FMAs: one on AMD, four on the Intel processor that was measured
    chooses_tiles  whether kernels use tile registers only where these are faster
    l1d, l2, l3    sizes of caches in bytes; 0: unknown
    family         the processor family whose tuning table planners use ("zen4"; empty: the default table)
    units          rows of tensor instructions of one's own (microkernels/contract/unit_table.py)
    """

    name: str
    arch: str  # "x86" or "a64"
    isa: str  # the vector machine: "avx512", "avx2", "neon", "sve256"...
    features: frozenset[str]
    vector_bits: int
    fma_bits: int
    fma_pipes: int = 2
    load_bits: int = 0  # width of one load pipe; 0: as wide as a vector
    load_pipes: int = 2
    issue_width: int = 6
    fma_latency: int = 4
    shuffle_pipes: int = 2
    follows_rows: bool = True
    bf16_slots: int = 1
    chooses_tiles: bool = False
    l1d: int = 32 << 10
    l2: int = 1 << 20
    l3: int = 0
    family: str = ""
    units: tuple[object, ...] = ()

    def __repr__(self) -> str:
        has = f"{self.vector_bits}-bit vectors, {len(self.features)} features"
        return f"<Target {self.name}: {self.arch} {self.isa}, {has}>"

    def missing(self, features: Iterable[str]) -> list[str]:
        """Those of `features` that this target lacks."""
        return sorted(set(features) - self.features)


_X86_64 = ("SSE2", "CMOV", "CX8", "FXSR")
_V2 = closure(("SSE4_2", "CX16", "POPCNT", *_X86_64))
_V3 = closure(("AVX2", "FMA", "F16C", "BMI1", "BMI2", "LZCNT", "MOVBE", "POPCNT", *_X86_64))
_CASCADE_LAKE = ("AVX512_VNNI", "PREFETCHW")
_COOPER_LAKE = (*_CASCADE_LAKE, "AVX512_BF16")
_SAPPHIRE_RAPIDS = (*_COOPER_LAKE, "AVX512_FP16")
_AMX = (*_SAPPHIRE_RAPIDS, "AMX_BF16", "AMX_INT8")
_V4 = closure(("AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL")) | _V3

TARGETS = {
    target.name: target
    for target in (
        Target("avx2", "x86", "avx2", _V3, vector_bits=256, fma_bits=256, shuffle_pipes=1),  # Haswell
        Target("avx512", "x86", "avx512", _V4, vector_bits=512, fma_bits=512),
        *(
            Target(name, "x86", isa, base | closure(more), vector_bits=bits, fma_bits=bits, shuffle_pipes=1)
            for name, isa, base, bits, more in (
                ("avx2_vnni", "avx2", _V3, 256, ("AVX_VNNI",)),  # Alder Lake
                ("avx2_vnni_int8", "avx2", _V3, 256, ("AVX_VNNI", "AVX_VNNI_INT8", "AVX_VNNI_INT16")),  # Lunar Lake
                ("avx512_vnni", "avx512", _V4, 512, _CASCADE_LAKE),
                ("avx512_bf16", "avx512", _V4, 512, _COOPER_LAKE),
                ("avx512_fp16", "avx512", _V4, 512, _SAPPHIRE_RAPIDS),
                ("avx10_2", "avx512", _V4, 512, ("AVX10_2",)),  # Diamond Rapids without its tiles
                ("amx", "avx512", _V4, 512, _AMX),
                ("amx_fp16", "avx512", _V4, 512, (*_AMX, "AMX_FP16")),  # Granite Rapids
            )
        ),
        Target("sse", "x86", "sse", _V2, vector_bits=128, fma_bits=128, shuffle_pipes=1),  # Nehalem
        Target("avx", "x86", "avx", _V2 | closure(("AVX",)), vector_bits=256, fma_bits=256, shuffle_pipes=1),
    )
}
"""The named targets. They are fixed data, so that the same request gives the same bytes on every host."""
