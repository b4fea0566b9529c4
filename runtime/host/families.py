"""The processor families of x86-64 that have tuning tables, by what CPUID reports."""

from __future__ import annotations

from ...encoder.records import NamedTuple

AMD, HYGON, INTEL = b"AuthenticAMD", b"HygonGenuine", b"GenuineIntel"
ZEN5 = 0x1A
"""AMD's family number of Zen 5. With its first microcode, RDSEED returns zeros (AMD-SB-7055), and Linux disables it if
that is not fixed; under a hypervisor, CPUID still reports it."""
ZEN5_NARROW = (0x2, 0x6)
"""Models of that family, by their upper digit, whose pipes are 256 bits wide: Strix Point and Krackan Point. Turin,
Granite Ridge and Strix Halo have 512 bits. Source: A. Yee, Zen5's AVX512 Teardown, 2024. On model 2, a Turin whose
hypervisor hides FP512, two 512-bit FMAs per cycle were measured."""


class Processors(NamedTuple):
    """The processors of one family."""

    name: str  # as in Target.family and microkernels/tuning/families.py
    vendor: bytes
    family: int
    models: tuple[range, ...]
    steppings: range = range(16)


FAMILIES = (
    Processors("zen4", AMD, 0x19, (range(0x10, 0x20), range(0x60, 0xB0))),
    Processors("zen5_narrow", AMD, ZEN5, tuple(range(upper << 4, upper + 1 << 4) for upper in ZEN5_NARROW)),
    Processors("zen5", AMD, ZEN5, (range(0x00, 0x20), range(0x40, 0x50), range(0x70, 0x80))),
    Processors("cascade_lake", INTEL, 6, (range(0x55, 0x56),), range(5, 8)),  # between Skylake and Cooper Lake
    Processors("sapphire_rapids", INTEL, 6, (range(0x8F, 0x90), range(0xCF, 0xD0))),
)
"""Sources: Linux, arch/x86/kernel/cpu/amd.c (models of Zen 4 and Zen 5) and arch/x86/include/asm/intel-family.h; for
the steppings of model 55H, the specification updates of Intel's Xeon Scalable processors."""


def named(vendor: bytes, family: int, model: int, stepping: int) -> str:
    """Return the name of a processor's family; empty if it belongs to none of these."""
    for row in FAMILIES:
        alike = (row.vendor, row.family) == (vendor, family) and stepping in row.steppings
        if alike and any(model in models for models in row.models):
            return row.name
    return ""
