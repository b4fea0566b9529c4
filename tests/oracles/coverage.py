"""How much of x86-64 our table covers, compared with LLVM 19: `python -m tests.oracles.coverage [--missing]`.

The list of instructions comes from LLVM and is independent of our table: every combination of encoding, map, prefix, W,
length, opcode, /digit, register or memory operand, and broadcast or rounding bit goes through llvm-objdump, and the
texts that it prints are collected. The feature of an instruction comes from GNU as: it is the first `.arch` under which
as accepts the text. Instructions newer than GNU as 2.40 are listed under the feature of our table, or under "newer" if
the table lacks them. An instruction is covered if our decoder reads the same bytes. Aliases of immediates (vcmpeqps)
count as the instruction that they stand for.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tests.oracles import coverage_a64, gnu, llvm
from tilesmith.encoder.decode import decode

_MEMORY = (0x44, b"\x2b\x10")  # modrm and the bytes after it: [rbx + rbp + 16*n]
_REGISTER = (0xC3, b"")
_DIGITS = {
    0x00,
    0x01,
    0x0D,
    0x18,
    0x1C,
    0x1E,
    0x49,
    0x71,
    0x72,
    0x73,
    0x78,
    0x80,
    0x81,
    0x83,
    0x8F,
    *range(0x90, 0xA0),
    0xAE,
    0xBA,
    0xC0,
    0xC1,
    0xC6,
    0xC7,
    0xD0,
    0xD1,
    0xD2,
    0xD3,
    0xD8,
    0xF3,
    0xF6,
    0xF7,
    0xFE,
    0xFF,
}
_LEGACY_MAPS = {0: b"", 1: b"\x0f", 2: b"\x0f\x38", 3: b"\x0f\x3a"}
_PREFIXES = (b"", b"\x66", b"\xf3", b"\xf2", b"\xf0")

# Architecture names of GNU as, in the order in which they are tried, and our features. `+` joins names that are needed
# together.
_ARCHS = """
generic64=base sse=SSE sse2=SSE2 sse3=SSE3 ssse3=SSSE3 sse4.1=SSE4_1 sse4.2=SSE4_2 popcnt=POPCNT lzcnt=LZCNT bmi=BMI1
bmi2=BMI2 adx=ADX movbe=MOVBE cx16=CX16 rdtscp=RDTSCP rdpid=RDPID rdrnd=RDRAND rdseed=RDSEED fsgsbase=FSGSBASE
fxsr=FXSR xsave=XSAVE xsavec=XSAVEC xsaveopt=XSAVEOPT clflushopt=CLFLUSHOPT clwb=CLWB cldemote=CLDEMOTE
prfchw=PREFETCHW prefetchwt1=PREFETCHWT1 waitpkg=WAITPKG serialize=SERIALIZE movdiri=MOVDIRI movdir64b=MOVDIR64B
rtm=RTM cmpccxadd=CMPCCXADD rao_int=RAO_INT ospke=PKU ibt=SHSTK shstk=SHSTK sse2+aes=AES sse2+pclmul=PCLMULQDQ sha=SHA
sse2+gfni=GFNI avx=AVX avx+aes=AVX avx+pclmul=AVX avx+gfni=GFNI f16c=F16C fma=FMA avx2=AVX2 avx_vnni=AVX_VNNI
avx_ifma=AVX_IFMA avx_ne_convert=AVX_NE_CONVERT avx_vnni_int8=AVX_VNNI_INT8 vaes=VAES vpclmulqdq=VPCLMULQDQ
avx512f=AVX512F avx512f+avx512vl=AVX512F avx512cd+avx512vl=AVX512CD avx512bw+avx512vl=AVX512BW
avx512dq+avx512vl=AVX512DQ avx512ifma+avx512vl=AVX512_IFMA avx512vbmi+avx512vl=AVX512_VBMI
avx512_vbmi2+avx512vl=AVX512_VBMI2 avx512_vnni+avx512vl=AVX512_VNNI avx512_bitalg+avx512vl=AVX512_BITALG
avx512_vpopcntdq+avx512vl=AVX512_VPOPCNTDQ avx512_bf16+avx512vl=AVX512_BF16 avx512_fp16+avx512vl=AVX512_FP16
avx512_vp2intersect+avx512vl=AVX512_VP2INTERSECT vaes+avx512vl=VAES vpclmulqdq+avx512vl=VPCLMULQDQ
gfni+avx512vl=GFNI amx_tile=AMX_TILE amx_int8=AMX_INT8 amx_bf16=AMX_BF16 amx_fp16=AMX_FP16
mmx=MMX sse+mmx=MMX sse2+mmx=MMX ssse3+mmx=MMX 387=x87 687=x87 3dnowa=3DNow! sse4a=SSE4A fma4=FMA4 xop=XOP
avx512er=AVX512ER avx512pf=AVX512PF avx512_4fmaps=AVX512_4FMAPS avx512_4vnniw=AVX512_4VNNIW kl=KEYLOCKER
widekl+kl=KEYLOCKER vmx=VMX ept=VMX svme=SVM smx=SMX uintr=UINTR enqcmd=ENQCMD ptwrite=PTWRITE mwaitx=MWAITX
clzero=CLZERO invpcid=INVPCID wbnoinvd=WBNOINVD prefetchi=PREFETCHI xsaves=XSAVES msrlist=MSRLIST wrmsrns=WRMSRNS
pconfig=PCONFIG hreset=HRESET lwp=LWP tbm=TBM snp=SNP rdpru=RDPRU mcommit=MCOMMIT tdx=TDX tsxldtrk=TSXLDTRK
invlpgb=INVLPGB se1=SGX
"""
_BARE = (".arch generic64", ".arch .nosse", ".arch .nommx", ".arch .no387")  # these are followed by one of the above
# Features that are left out on purpose, keyed by the reason; they are listed all the same.
_LEFT_OUT = {
    "superseded by SSE2": "MMX x87",
    "AMD only or withdrawn": "3DNow! SSE4A FMA4 XOP LWP TBM MWAITX CLZERO RDPRU MCOMMIT",
    "Xeon Phi only": "AVX512ER AVX512PF AVX512_4FMAPS AVX512_4VNNIW",
    "privileged": "VMX SVM SMX INVPCID XSAVES WBNOINVD TDX PCONFIG HRESET SNP INVLPGB MSRLIST WRMSRNS",
    "of no use to kernels": "PKU UINTR ENQCMD PTWRITE KEYLOCKER TSXLDTRK SGX",
    "their operand must be code": "PREFETCHI",
    "not asked for": "APX",
}
LEFT_OUT = {feature: why for why, features in _LEFT_OUT.items() for feature in features.split()}
# Mnemonics of the base architecture that cannot be executed in user mode or in 64-bit mode, and prefixes.
_PRIVILEGED = re.compile(
    r"(in|out|ins[bwd]|outs[bwd]|cli|sti|lgdt|lidt|lldt|ltr|sgdt|sidt|sldt|str|lmsw|smsw|clts|invd|wbinvd|invlpg|rdmsr|"
    r"wrmsr|sysret\w?|sysexit\w?|sysenter|rsm|hlt|iret\w?|lar|lsl|verr|verw|lfs|lgs|lss|lkgs|ljmp|lcall|retf\w?|getsec|"
    r"monitor|mwait|xacquire|xrelease|clrssbsy|setssbsy|rstorssp|wruss\w|enc\w+|eret\w|pbndkb|rmp\w+|psmash|"
    r"pvalidate|tlbsync|vmfunc|rex64|cs|ds|es|fs|gs|ss|rep|repne|lock|data16|addr32|wait|int|jecxz|"
    r"mov\w* .*\b([cd]r\d|[cdefgs]s)\b|"
    r"(push|pop) [fg]s|ud[01]|u?[rw]+dmsr|uwrmsr|uiret|clac|stac|clgi|stgi|skinit|swapgs|xsetbv|movabs .*\[.*)( |$)"
)


class Reading(NamedTuple):
    """One encoding that LLVM reads."""

    data: bytes
    text: str

    @property
    def mnemonic(self) -> str:
        """The first word, or the first two if the first is a prefix."""
        parts = re.sub(r"\{\w+\} ", "", self.text).split()
        return " ".join(parts[: 2 if parts[0] in ("lock", "rep", "repne") else 1])


def _modrms(opcode: int) -> Iterator[tuple[int, bytes]]:
    for modrm, tail in (_MEMORY, _REGISTER):
        for reg in range(8) if opcode in _DIGITS else (1,):
            yield modrm & ~0x38 | reg << 3, tail


def legacy_space() -> Iterator[bytes]:
    """Yield every opcode with every prefix, and some opcodes after 0F (01, AE, 1E) also with every register modrm."""
    for (number, map_), prefix, rex, opcode in product(_LEGACY_MAPS.items(), _PREFIXES, (b"", b"\x48"), range(256)):
        if number == 0 and (
            opcode in (0x0F, 0x26, 0x2E, 0x36, 0x3E, 0x62, 0x64, 0x65, 0x66, 0x67, 0xC4, 0xC5)
            or 0x40 <= opcode < 0x50
            or opcode >= 0xF0
            and opcode <= 0xF3
        ):
            continue
        head = prefix + rex + map_ + bytes([opcode])
        if number == 1 and opcode in (0x01, 0xAE, 0x1E):
            yield from (head + bytes([modrm]) for modrm in range(0xC0, 0x100))
        for modrm, tail in _modrms(opcode):
            yield head + bytes([modrm]) + tail


def vex_space() -> Iterator[bytes]:
    """Yield every VEX prefix apart from register numbers, with vvvv used and unused."""
    for map_, pp, w, length, v, opcode in product((1, 2, 3, 5, 7), range(4), (0, 1), (0, 1), (2, 0), range(256)):
        head = bytes([0xC4, 0xE0 | map_, w << 7 | (~v & 15) << 3 | length << 2 | pp, opcode])
        for modrm, tail in _modrms(opcode):
            yield head + bytes([modrm]) + tail


def evex_space() -> Iterator[bytes]:
    """Yield every EVEX prefix apart from register numbers, unmasked and masked, with b clear and set."""
    for map_, pp, w, length, v, mask, opcode in product(
        (1, 2, 3, 5, 6), range(4), (0, 1), range(3), (2, 0), (0, 5, 0x10), range(256)
    ):
        head = bytes([0x62, 0xF0 | map_, w << 7 | (~v & 15) << 3 | 4 | pp, length << 5 | mask | 8, opcode])
        for modrm, tail in _modrms(opcode):
            yield head + bytes([modrm]) + tail


def read(space: Iterator[bytes], step: int = 50_000) -> Iterator[Reading]:
    """Yield the encodings of the space that LLVM reads: one for each text."""
    seen: set[str] = set()
    chunks = list(space)
    for at in range(0, len(chunks), step):
        part = chunks[at : at + step]
        for chunk, found in zip(part, llvm.first_instructions(part)):
            if found is None or not re.match(r"({\w+} )?[a-z]", found[0]):
                continue
            key = re.sub(r"^(j\w+|loop\w*|call|xbegin) 0x\w+$", r"\1 target", found[0])
            if key not in seen:
                seen.add(key)
                yield Reading((chunk + b"\x90" * 16)[: found[1]], found[0])


def gnu_features(readings: list[Reading]) -> dict[Reading, str]:
    """Return the feature of each reading according to GNU as, without the readings that it does not know."""
    found: dict[Reading, str] = {}
    for arch, _, feature in (word.partition("=") for word in _ARCHS.split()):
        left = [reading for reading in readings if reading not in found]
        names = arch.split("+") if arch != "generic64" else []
        header = [*_BARE, *(f".arch .{name}" for name in names)]
        texts = [_for_gnu(reading) for reading in left]
        rejected = gnu.rejected([*header, *texts])[len(header) :]
        found |= {reading: feature for reading, lacks in zip(left, rejected) if not lacks}
    for reading in readings:  # EVEX encodings of general registers are APX; prefetches by gather are Xeon Phi's
        if reading not in found and reading.data[0] == 0x62 and not re.search(r"[xyz]mm\d", reading.text):
            found[reading] = "APX"
        if re.search(r"(gather|scatter)pf", reading.text):
            found[reading] = "AVX512PF"
    return found


def _for_gnu(reading: Reading) -> str:
    text = re.sub(r"\{vex\d?\} |\{evex\} ", "", reading.text)
    text = re.sub(r" (\w+ ptr )?(es:)?\[r[sd]i\].*", "", text) if re.match(r"(rep\w* )?\w+s[bwdq] ", text) else text
    encoding = {0x62: "{evex} ", 0xC4: "{vex} "}.get(reading.data[0], "")
    memory = re.sub(r"\b\w+ ptr (?=\[[^]]*[xyz]mm\d)", "", text)
    return encoding + memory


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missing", action="store_true", help="list every missing encoding, not just mnemonics")
    parser.add_argument("--arch", choices=("x86", "a64"), default="x86", help="a64: see coverage_a64.py")
    arguments = parser.parse_args()
    if arguments.arch == "a64":
        coverage_a64.show(arguments.missing)
        return
    readings = [r for space in (legacy_space(), vex_space(), evex_space()) for r in read(space)]
    readings = [r for r in readings if not _PRIVILEGED.match(r.text) and "{nf}" not in r.text]
    features = gnu_features(readings)
    by_feature: dict[str, list[tuple[Reading, bool]]] = defaultdict(list)
    for reading in readings:
        found = decode(reading.data)
        covered = found is not None and found.length == len(reading.data)
        ours = ", ".join(sorted(found.form.features - {"AVX512VL"})) if found and covered else ""
        by_feature[features.get(reading) or ours or "newer than GNU as"].append((reading, covered))
    _print(by_feature, arguments.missing)


def _print(by_feature: dict[str, list[tuple[Reading, bool]]], every: bool) -> None:
    table = Table("feature", "mnemonics of LLVM", "ours", "encodings of LLVM", "ours", "missing")
    order = [*dict.fromkeys(word.partition("=")[2] for word in _ARCHS.split()), *by_feature]
    for feature in (f for f in dict.fromkeys(order) if f in by_feature):
        rows = by_feature[feature]
        mnemonics = {reading.mnemonic for reading, _ in rows}
        covered = {reading.mnemonic for reading, covers in rows if covers}
        missing = sorted(mnemonics - covered)
        partly = sorted({r.mnemonic for r, covers in rows if not covers} & covered)
        shown = LEFT_OUT.get(feature, "") + (": " if feature in LEFT_OUT and missing else "") + " ".join(missing)
        if partly and feature not in LEFT_OUT:
            shown += f" (forms of {' '.join(partly)})"
        counts = (len(mnemonics), len(covered), len(rows), sum(covers for _, covers in rows))
        table.add_row(feature, *map(str, counts), shown.strip())
        if every:
            for reading, covers in rows:
                if not covers and feature not in LEFT_OUT:
                    print(f"{feature:<20} {reading.data.hex():<24} {reading.text}")
    Console(width=180).print(table)


if __name__ == "__main__":
    main()
