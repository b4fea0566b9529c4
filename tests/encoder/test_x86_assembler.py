"""Labels, jumps, loops, alignment and the constant pool of the x86-64 assembler."""

from __future__ import annotations

import struct

import pytest

from tests.encoder.targets import EVERYTHING
from tests.oracles import gnu
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.listing import listing
from tilesmith.encoder.operands import Label
from tilesmith.encoder.x86 import names
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, XMM, YMM, ZMM, Mem, mem, ptr

rax, rcx, rdi = (REGISTERS[name] for name in ("rax", "rcx", "rdi"))


def assembler() -> X86Assembler:
    return X86Assembler(EVERYTHING)


@pytest.mark.parametrize("distance", [0, 1, 100, 125, 126, 127, 128, 129, 130, 131, 132, 133, 300])
def test_backward_jumps_are_as_short_as_gnu_makes_them(distance: int):
    asm = assembler()
    top = asm.here()
    for _ in range(distance):
        asm.nop()
    asm.jne(top)
    asm.jmp(top)
    code = asm.finish()
    text = listing(code, "gas")
    assert "{disp32}" not in text
    assert gnu.assemble(text) == code.data


@pytest.mark.parametrize("distance", [0, 127, 128, 300])
def test_forward_jumps_are_near(distance: int):
    """The target is unknown when the jump is emitted, so the listing asks for four bytes where GNU as would use one."""
    asm = assembler()
    end = asm.label()
    asm.jne(end)
    asm.jmp(end)
    for _ in range(distance):
        asm.nop()
    asm.bind(end)
    asm.ret()
    code = asm.finish()
    assert len(code.data) == 6 + 5 + distance + 1
    text = listing(code, "gas")
    assert text.count("{disp32}") == (2 if distance <= 122 else 1 if distance <= 127 else 0)
    assert gnu.assemble(text) == code.data


def test_a_jump_by_a_distance_counts_from_its_end():
    asm = assembler()
    for distance in (0, 5, -2, 127, -128, 128, -129, 1 << 30):
        asm.jmp(distance)
        asm.call(distance)
    code = asm.finish()
    assert gnu.assemble(listing(code, "gas")) == code.data


@pytest.mark.parametrize("body", [1, 40, 200])
def test_loop_counts_down_to_its_top(body: int):
    asm = assembler()
    with asm.loop(rcx, 16, align=32) as top:
        assert len(asm.buffer) % 32 == 0
        for _ in range(body):
            asm.nop()
    code = asm.finish()
    assert top.offset == 32
    assert [i.form.mnemonic for i in code.instructions if i.form.mnemonic != "nop"] == ["mov", "dec", "jne"]
    assert gnu.assemble(listing(code, "gas")) == code.data


def test_loop_with_a_loaded_counter():
    asm = assembler()
    with asm.loop(rcx):
        asm.nop()
    assert [form.mnemonic for form, _, _ in asm.record] == ["nop", "dec", "jne"]


@pytest.mark.parametrize("gap", range(1, 64))
def test_alignment_is_nops_of_the_right_length(gap: int):
    asm = assembler()
    for _ in range(64 - gap):
        asm.nop()
    asm.align(64)
    asm.align(64)
    code = asm.finish()
    assert len(code.data) == 64
    decoded = gnu.disassemble(code.data)[64 - gap :]
    assert sum(len(data) for _, data, _ in decoded) == gap
    assert all("nop" in text or text == "xchg ax,ax" for _, _, text in decoded)
    assert len(decoded) == -(-gap // 9)


def test_labels_of_equal_names_stay_apart():
    asm = assembler()
    first, second = asm.label("again"), asm.label("again")
    asm.jmp(second)
    asm.bind(first)
    asm.nop()
    asm.bind(second)
    asm.jmp(first)
    code = asm.finish()
    assert sorted(code.labels.values()) == [5, 6]
    assert gnu.assemble(listing(code, "gas")) == code.data


def test_unnamed_labels_made_before_they_are_bound():
    asm = assembler()
    labels = [asm.label() for _ in range(5)]
    for label in labels:
        asm.jmp(label)
    for label in labels:
        asm.bind(label)
        asm.nop()
    code = asm.finish()
    assert len(code.labels) == 5
    assert gnu.assemble(listing(code, "gas")) == code.data


def test_a_label_of_another_assembler_is_unbound_here():
    other = assembler().here("there")
    asm = assembler()
    asm.jmp(other)
    with pytest.raises(EncodeError, match="there is bound by another assembler"):
        asm.finish()


def test_pool_holds_a_constant_once():
    asm = assembler()
    one, again = asm.const_f32(1.0), asm.const(struct.pack("<f", 1.0))
    assert one is again
    assert asm.const_f32(2.0) is not one
    assert asm.const_f64(1.0) is not one
    asm.vaddss(XMM[0], XMM[0], ptr[one])
    assert [entry.data for entry in asm.finish().pool] == [
        struct.pack("<d", 1),
        *(struct.pack("<f", v) for v in (1, 2)),
    ]


def test_negative_zero_is_another_constant():
    asm = assembler()
    assert asm.const_f32(0.0) is not asm.const_f32(-0.0)


def test_pool_is_aligned_and_padded_with_traps():
    asm = assembler()
    asm.ret()
    data = {size: bytes(range(size)) for size in (1, 3, 4, 8, 12, 16, 32, 64)}
    labels = {size: asm.const(value) for size, value in data.items()}
    wide = asm.const(b"\1\2\3\4", align=64)
    code = asm.finish()
    for size, label in labels.items():
        assert label.offset % (1 << (size - 1).bit_length()) == 0
        assert code.data[label.offset : label.offset + size] == data[size]
    assert wide.offset % 64 == 0
    covered = {i for entry in code.pool for i in range(entry.offset, entry.offset + len(entry.data))}
    padding = [code.data[i] for i in range(code.text_size, len(code.data)) if i not in covered]
    assert set(padding) == {0xCC}
    assert len(padding) == sum(entry.padding for entry in code.pool)


def test_rip_relative_operands_reach_their_constant_behind_an_immediate():
    asm = assembler()
    label = asm.const(bytes(range(64)))
    asm.vshufps(YMM[0], YMM[1], ptr[label], 3)
    asm.vblendvps(YMM[0], YMM[1], ptr[label], YMM[2])
    asm.vaddps(ZMM[0], ZMM[1], ptr[label].offset(4).bcast)
    asm.mov(ptr[label]._with(size=32), 7)
    asm.lea(rax, ptr[label])
    code = asm.finish()
    assert gnu.assemble(listing(code, "gas")) == code.data


def test_features_are_those_of_the_forms_used():
    asm = assembler()
    asm.vaddps(XMM[0], XMM[1], XMM[2])
    asm.add(rax, 1)
    assert asm.finish().features == {"AVX"}
    asm = assembler()
    asm.vaddps(XMM[0], XMM[1], mem(rdi, broadcast=True))
    assert asm.finish().features == {"AVX512F", "AVX512VL"}


def test_keyword_mnemonics_take_an_underscore():
    asm = assembler()
    asm.and_(rax, 1)
    asm.or_(rax, 1)
    asm.not_(rax)
    assert [form.mnemonic for form, _, _ in asm.record] == ["and", "or", "not"]


def test_equal_programs_give_equal_bytes():
    def program() -> bytes:
        asm = assembler()
        with asm.loop(rcx, 3):
            asm.vfmadd231ps(ZMM[0], ZMM[1], mem(rdi, 64, broadcast=True))
        return asm.finish().data

    assert program() == program()


def test_bytes_of_instructions_join_to_the_text():
    asm = assembler()
    with asm.loop(rcx, 3, align=16):
        asm.vaddss(XMM[0], XMM[0], ptr[asm.const_f32(1.0)])
    code = asm.finish()
    assert b"".join(i.data for i in code.instructions) == code.data[: code.text_size]
    assert all(i.text for i in code.instructions)


def test_names_are_all_registers():
    assert {name: reg for name, reg in vars(names).items() if name in REGISTERS} == REGISTERS


def test_rip_relative_by_a_distance():
    asm = assembler()
    asm.lea(rax, Mem(disp=16, rip=True))
    asm.vaddps(ZMM[0], ZMM[1], Mem(disp=-8, rip=True, broadcast=1))
    code = asm.finish()
    assert "[rip + 16]" in listing(code) and "dword ptr [rip - 8]{1to16}" in listing(code)
    assert gnu.assemble(listing(code, "gas")) == code.data
    with pytest.raises(EncodeError, match="neither base nor index"):
        Mem(rax, rip=True)


def test_prefixed_mnemonics_have_two_words():
    asm = assembler()
    asm.lock_add(Mem(rdi, size=32), 1)
    asm.rep_stosb()
    asm.lock_cmpxchg16b(Mem(rdi))
    code = asm.finish()
    assert [form.mnemonic for form, _, _ in code.record] == ["lock add", "rep stosb", "lock cmpxchg16b"]
    assert gnu.assemble(listing(code, "gas")) == code.data


def test_aliases_are_the_instruction_they_stand_for():
    asm = assembler()
    asm.setz(REGISTERS["al"])
    asm.sal(rax, 3)
    assert [form.mnemonic for form, _, _ in asm.record] == ["sete", "shl"]


def test_a_bare_label_needs_no_assembler():
    asm = assembler()
    end = Label("end")
    asm.jmp(end)
    asm.bind(end)
    assert asm.finish().labels == {"end": 5}


def with_removed(removed: bool) -> X86Assembler:
    """Emit a loop, a forward jump and a constant after instructions that are removed again."""
    asm, end = assembler(), Label("end")
    asm.endbr64()
    start = len(asm.buffer)
    if removed:
        asm.note("not needed")
        asm.mov(rax, rcx)
        asm.jne(Label("nowhere"))
    taken = start, len(asm.buffer)
    with asm.loop(rcx, 3):
        asm.note("needed")
        asm.vaddss(XMM[0], XMM[0], Mem(label=asm.const_f32(1.5), size=32))
        asm.je(end)
    asm.bind(end)
    asm.ret()
    if removed:
        asm.remove(*taken)
    return asm


def test_code_after_removed_instructions_moves_up():
    code, plain = (with_removed(removed).finish() for removed in (True, False))
    assert (listing(code), code.data, code.labels) == (listing(plain), plain.data, plain.labels)
    assert gnu.assemble(listing(code, "gas")) == code.data


def test_a_removed_instruction_asks_for_no_feature():
    asm = X86Assembler(TARGETS["avx2"])
    asm.nop()
    start = len(asm.buffer)
    asm.vmovups(ZMM[0], ZMM[1])
    assert {form.mnemonic for form in asm.forms} == {"nop", "vmovups"}
    asm.remove(start, len(asm.buffer))
    asm.vaddps(YMM[0], YMM[1], YMM[2])
    assert {form.mnemonic for form in asm.forms} == {"nop", "vaddps"}
    assert asm.finish().features == {"AVX"}


def test_instructions_with_dependents_are_not_removed():
    asm = assembler()
    asm.nop()
    asm.here()
    asm.nop()
    with pytest.raises(EncodeError, match="a label is bound there"):
        asm.remove(0, 2)
    asm.align(16)
    with pytest.raises(EncodeError, match="aligned to 16 bytes"):
        asm.remove(0, 1)
