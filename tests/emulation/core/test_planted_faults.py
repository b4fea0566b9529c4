"""Faults planted in whole kernels are reported with their instruction, its offset and the address.

The bytes of a kernel are changed in one place: an access is moved out of its operand, an instruction is replaced by
undefined bytes, or the tile configuration is misaligned or invalid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.core.faults import Fault
from tilesmith.emulation.cpu import Region, address_of, execute
from tilesmith.encoder.decode import Decoded, decode, instructions
from tilesmith.encoder.x86.registers import Mem

FAR = 1 << 20  # an offset beyond every operand
REQUESTS = {
    "avx2": ((24, 20, 9), "f32"),
    "avx512": ((24, 20, 9), "f32"),
    "amx": ((32, 32, 96), "i8"),
    "neon": ((24, 20, 9), "f32"),
    "sve256": ((24, 20, 9), "f32"),
}
X86 = ("avx2", "avx512", "amx")
FOREIGN = {
    "avx2": "62 f1 74 48 58 c2",  # vaddps zmm0, zmm1, zmm2
    "avx512": "c4 e2 78 49 c0",  # tilerelease
    "amx": "c4 e2 6b 5c c1",  # tdpfp16ps tmm0, tmm1, tmm2
    "neon": "00 00 a0 65",  # fmla z0.s, p0/m, z0.s, z0.s
    "sve256": "00 00 80 80",  # fmopa za0.s, p0/m, p0/m, z0.s, z0.s
}
"""Instructions that the target lacks."""
each_target = pytest.mark.parametrize("target", REQUESTS)


def kernel_of(target: str) -> ts.Kernel:
    shape, dtype = REQUESTS[target]
    return ts.brgemm(*shape, dtype=dtype, target=target)


def text_of(kernel: ts.Kernel) -> Iterator[tuple[int, bytes, Decoded]]:
    """Yield offset, bytes and instruction of everything before the constants."""
    for offset, chunk, found in instructions(kernel.code, kernel.target.arch):
        assert found is not None
        yield offset, chunk, found
        if found.form.mnemonic == "ret":
            return


def fault_of(kernel: ts.Kernel, code: bytes) -> Fault:
    """Return the fault of a call, and check that the operands did not change."""
    (m, n, k), dtype = REQUESTS[kernel.target.name]
    kinds = (np.int8, np.int8, np.int32) if dtype == "i8" else (np.float32,) * 3
    shapes = ((m, k), (k, n), (m, n))
    arrays = [np.full(shape, i + 1, kind) for i, (shape, kind) in enumerate(zip(shapes, kinds))]
    before = [array.copy() for array in arrays]
    regions = [Region(name, array, name == "c") for name, array in zip("abc", arrays)]
    with pytest.raises(Fault) as caught:
        execute(code, kernel.target, [address_of(array) for array in arrays], regions)
    assert all((array == old).all() for array, old in zip(arrays, before))
    return caught.value


def moved(arch: str, chunk: bytes, found: Decoded) -> bytes | None:
    """Return the instruction with an address far from every operand, or None if its address cannot be changed."""
    if arch == "a64":
        if not found.form.mnemonic.startswith(("ld", "st")) or "sp" in found.text:
            return None
        word = int.from_bytes(chunk, "little")
        return (word & ~(31 << 5) | 30 << 5).to_bytes(4, "little")  # the base is the return address
    memory = next((each for each in found.operands if isinstance(each, Mem)), None)
    if memory is None or memory.base is None or memory.base.name == "rsp" or found.form.mnemonic == "lea":
        return None
    old = memory.disp.to_bytes(4, "little", signed=True)
    if not chunk.endswith(old) or abs(memory.disp) < 128:
        return None
    return chunk[:-4] + (memory.disp + FAR).to_bytes(4, "little")


def planted(code: bytes, offset: int, chunk: bytes) -> bytes:
    return code[:offset] + chunk + code[offset + len(chunk) :]


def few(places: list[Any]) -> list[Any]:
    """Return the first place, the last one, and four between."""
    return [places[i * (len(places) - 1) // 5] for i in range(6)]


@each_target
def test_an_access_outside_of_the_operands(target: str) -> None:
    kernel = kernel_of(target)
    changed = [
        (offset, new)
        for offset, chunk, found in text_of(kernel)
        if (new := moved(kernel.target.arch, chunk, found)) is not None
    ]
    for offset, new in few(changed):
        fault = fault_of(kernel, planted(kernel.code, offset, new))
        there = decode(new, 0, kernel.target.arch)
        assert there is not None and fault.text == there.text
        assert fault.offset == offset
        assert fault.address is not None and fault.outside > 0
        assert f"at {offset:#x}: {fault.text}: " in str(fault) and f"{fault.address:#x}" in str(fault)


@each_target
def test_bytes_that_are_no_instruction(target: str) -> None:
    kernel = kernel_of(target)
    none = b"\xc4\xe2\x7d\xff" if target in X86 else b"\xff" * 4
    assert decode(none + bytes(8), 0, kernel.target.arch) is None
    for offset, _, _ in few([each for each in text_of(kernel) if len(each[1]) >= 4]):
        fault = fault_of(kernel, planted(kernel.code, offset, none))
        assert fault.offset == offset and fault.address is not None
        assert "undefined instruction: " + none.hex(" ") in fault.reason


@each_target
def test_an_instruction_that_raises_an_exception(target: str) -> None:
    """UD2 and UDF are defined instructions, so they are reported by name."""
    kernel = kernel_of(target)
    offset = [offset for offset, chunk, _ in text_of(kernel) if len(chunk) >= 4][3]
    name, chunk = ("ud2", b"\x0f\x0b") if target in X86 else ("udf #0", bytes(4))
    fault = fault_of(kernel, planted(kernel.code, offset, chunk))
    assert (fault.text, fault.offset) == (name, offset) and "raises an exception" in fault.reason


@each_target
def test_an_instruction_that_the_target_lacks(target: str) -> None:
    kernel = kernel_of(target)
    foreign = FOREIGN[target]
    there = decode(bytes.fromhex(foreign), 0, kernel.target.arch)
    assert there is not None
    missing = kernel.target.missing(there.form.features)
    assert missing
    offset = next(offset for offset, chunk, _ in text_of(kernel) if len(chunk) >= 4)
    fault = fault_of(kernel, planted(kernel.code, offset, bytes.fromhex(foreign)))
    assert (fault.text, fault.offset) == (there.text, offset)
    assert f"target {target} lacks {', '.join(missing)}" in fault.reason


def tile_configuration(kernel: ts.Kernel) -> tuple[int, bytes, int]:
    """Return offset and bytes of LDTILECFG, and the offset of its operand."""
    offset, chunk, _ = next(each for each in text_of(kernel) if each[2].form.mnemonic == "ldtilecfg")
    return offset, chunk, offset + len(chunk) + int.from_bytes(chunk[-4:], "little", signed=True)


def test_an_unaligned_tile_configuration() -> None:
    kernel = kernel_of("amx")
    offset, chunk, place = tile_configuration(kernel)
    assert place % 64 == 0
    distance = int.from_bytes(chunk[-4:], "little") - 8
    fault = fault_of(kernel, planted(kernel.code, offset, chunk[:-4] + distance.to_bytes(4, "little")))
    assert fault.offset == offset and fault.text.startswith("ldtilecfg")
    assert "is not aligned to 64 bytes" in fault.reason and f"{place - 8:x}" in fault.reason


@pytest.mark.parametrize(("byte", "value"), [(0, 2), (1 + 1, 7), (48, 17), (16, 65), (55, 0)])
def test_a_tile_configuration_that_no_processor_takes(byte: int, value: int) -> None:
    kernel = kernel_of("amx")
    offset, _, place = tile_configuration(kernel)
    fault = fault_of(kernel, planted(kernel.code, place + byte, bytes([value])))
    assert fault.offset == offset and fault.text.startswith("ldtilecfg") and "#GP(0)" in fault.reason


def test_tiles_of_the_wrong_shape() -> None:
    """A product whose tiles do not fit together raises #UD at the product."""
    kernel = kernel_of("amx")
    _, _, place = tile_configuration(kernel)
    fault = fault_of(kernel, planted(kernel.code, place + 48, bytes([9])))  # rows of tmm0
    assert "tdpbssd" in fault.text and "#UD" in fault.reason
