"""Feature names with their implications, and Target: what code is generated for. Data only, nothing is probed here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# feature -> what it implies, transitively closed by `closure`
IMPLIES = {
    "SSE2": (),
    "SSE3": ("SSE2",),
    "SSSE3": ("SSE3",),
    "SSE4_1": ("SSSE3",),
    "SSE4_2": ("SSE4_1",),
    "AVX": ("SSE4_2",),
    "F16C": ("AVX",),
    "FMA": ("AVX",),
    "AVX2": ("AVX",),
    "AVX512F": ("AVX2", "FMA", "F16C"),
    "AVX512CD": ("AVX512F",),
    "AVX512BW": ("AVX512F",),
    "AVX512DQ": ("AVX512F",),
    "AVX512VL": ("AVX512F",),
    "AVX512_VNNI": ("AVX512F",),
    "AVX512_BF16": ("AVX512BW",),
    "AVX512_FP16": ("AVX512BW", "AVX512DQ", "AVX512VL"),
    "AMX_BF16": ("AMX_TILE",),
    "AMX_INT8": ("AMX_TILE",),
    "AMX_FP16": ("AMX_TILE",),
}


def closure(features: Iterable[str]) -> frozenset[str]:
    """The features and all that they imply."""
    done: set[str] = set()
    todo = list(features)
    while todo:
        feature = todo.pop()
        if feature not in done:
            done.add(feature)
            todo += IMPLIES.get(feature, ())
    return frozenset(done)


@dataclass(frozen=True)
class Target:
    """A processor to generate code for: what it executes (features), and the facts planners read.

    `fma_bits` is the width in bits of one FMA pipe: a 512-bit FMA occupies two of Zen 4's 256-bit pipes. Sizes of
    caches are bytes, 0 where unknown.
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
    l1d: int = 32 << 10
    l2: int = 1 << 20
    l3: int = 0

    def missing(self, features: Iterable[str]) -> list[str]:
        """Those of `features` that this target does not have."""
        return sorted(set(features) - self.features)


_X86_64 = ("SSE2", "CMOV", "CX8", "FXSR")
_V3 = closure(("AVX2", "FMA", "F16C", "BMI1", "BMI2", "LZCNT", "MOVBE", "POPCNT", *_X86_64))
_V4 = closure(("AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL")) | _V3

TARGETS = {
    target.name: target
    for target in (
        Target("avx2", "x86", "avx2", _V3, vector_bits=256, fma_bits=256),
        Target("avx512", "x86", "avx512", _V4, vector_bits=512, fma_bits=512),
    )
}
"""The named targets: fixed data, so that the same request gives the same bytes on every host."""
