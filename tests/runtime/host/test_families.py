"""The names of processor families, from the signatures that processors report in leaf 1 of CPUID.

Signatures: InstLatx64's collection of CPUID dumps (github.com/InstLatx64/InstLatx64), Linux' intel-family.h.
"""

import struct

import pytest

from tilesmith.microkernels.tuning.families import FAMILIES as TABLES
from tilesmith.runtime.host import x86
from tilesmith.runtime.host.families import AMD, FAMILIES, HYGON, INTEL
from tilesmith.runtime.host.x86 import Registers

SIGNATURES = {
    "Genoa": (AMD, 0xA10F11, "zen4"),
    "Storm Peak": (AMD, 0xA10F81, "zen4"),
    "Raphael": (AMD, 0xA60F12, "zen4"),
    "Phoenix": (AMD, 0xA70F41, "zen4"),
    "Bergamo": (AMD, 0xAA0F02, "zen4"),
    "Milan": (AMD, 0xA00F11, ""),
    "Vermeer": (AMD, 0xA20F10, ""),
    "Turin": (AMD, 0xB00F21, "zen5"),
    "Turin dense": (AMD, 0xB10F10, "zen5"),
    "Granite Ridge": (AMD, 0xB40F40, "zen5"),
    "Strix Halo": (AMD, 0xB70F00, "zen5"),
    "Strix Point": (AMD, 0xB20F40, "zen5_narrow"),
    "Krackan Point": (AMD, 0xB60F00, "zen5_narrow"),
    "Dhyana": (HYGON, 0x900F02, ""),
    "Skylake-SP": (INTEL, 0x50654, ""),
    "Cascade Lake": (INTEL, 0x50657, "cascade_lake"),
    "Cooper Lake": (INTEL, 0x5065B, ""),
    "Sapphire Rapids": (INTEL, 0x806F8, "sapphire_rapids"),
    "Emerald Rapids": (INTEL, 0xC06F2, "sapphire_rapids"),
    "an Intel with AMD's numbers": (INTEL, 0xA10F11, ""),
}


@pytest.mark.parametrize("vendor,signature,name", SIGNATURES.values(), ids=list(SIGNATURES))
def test_family(vendor, signature, name):
    ebx, edx, ecx = struct.unpack("<3I", vendor)
    leaves = {0: Registers(1, ebx, ecx, edx), 1: Registers(signature, 0, 0, 0)}
    assert x86.family_of(lambda leaf, subleaf: leaves[leaf]) == name


def test_every_tuning_table_has_a_processor():
    assert TABLES.keys() <= {row.name for row in FAMILIES}
