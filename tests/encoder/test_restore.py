"""Code restored from its bytes has the listings and the object of the assembler's own record."""

from dataclasses import replace
from itertools import islice

import pytest

import tilesmith as ts
from tests import bytes as requests
from tests.profiles import scaled
from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import relocatable
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.listing import listing
from tilesmith.encoder.restore import _known_by, features_of, kept, restored
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, mem, ptr

RAX, XMM0 = REGISTERS["rax"], REGISTERS["xmm0"]


def again(code: Code) -> Code:
    return restored(code.name, code.target, code.data, code.text_size, kept(code).text)


def codes(seed: int, count: int):
    """Yield the code of seeded requests, for all targets."""
    for request in islice(requests.requests(seed), count):
        try:
            yield getattr(ts, request.function)(*request.positional, **request.keywords)._code
        except (ts.UnsupportedError, ValueError, TypeError):
            continue


def test_listings_objects_and_features_are_those_of_the_record():
    seen = set()
    for code in codes(5, scaled(25, 2000)):
        made = again(code)
        for syntax in ("intel", "gas"):
            assert listing(made, syntax) == listing(code, syntax)
        assert relocatable(made) == relocatable(code)
        assert made.features == code.features == kept(code).features
        assert made.roles == code.roles
        assert features_of(code.data[: code.text_size], code.arch) == code.features
        seen.add(code.arch)
    assert seen == {"x86", "a64"}


@pytest.mark.seconds
def test_entries_do_not_depend_on_earlier_decoding():
    """Entries do not depend on instructions that were decoded before."""
    others = list(codes(8, 4))
    for code in codes(7, scaled(5, 500)):
        _known_by.cache_clear()
        alone = kept(code)
        for other in others:
            kept(other)
        assert kept(code) == kept(code) == alone


@pytest.mark.parametrize("place", ["displacement", "constant", "register", "immediate"])
def test_bytes_that_say_something_else_are_noticed(place):
    """Changed bytes change the entry if the instruction was decoded before: the record keeps its listing as text."""
    asm = X86Assembler(TARGETS["avx2"])
    asm.vmovups(XMM0, mem(RAX, 64))
    asm.vmovups(XMM0, ptr[asm.const(bytes(16))])
    asm.vmovups(XMM0, ptr[asm.const(bytes(range(16)))])
    asm.vaddps(XMM0, XMM0, XMM0)
    asm.vpermilps(XMM0, XMM0, 3)
    asm.ret()
    code = asm.finish("right")
    assert kept(code) == kept(code)
    data = bytearray(code.data)
    at = {"displacement": 4, "constant": 5 + 4, "register": 5 + 8 + 8 + 3, "immediate": 5 + 8 + 8 + 4 + 5}[place]
    data[at] ^= 16 if place == "constant" else 1
    wrong = replace(code, data=bytes(data))
    found = kept(wrong)
    assert found != kept(code)
    made = restored(code.name, code.target, wrong.data, code.text_size, found.text)
    assert [each.text for each in made.instructions] == [each.text for each in code.instructions]


def test_bytes_that_are_not_recorded_are_refused():
    asm = X86Assembler(TARGETS["avx2"])
    asm.ret()
    code = asm.finish("ret")
    with pytest.raises(EncodeError, match="2 bytes of instructions, of which 1 are recorded"):
        kept(replace(code, data=b"\xc3\xc3", text_size=2))


def test_padding_constants_and_labels_stand_where_they_did():
    asm = X86Assembler(TARGETS["avx2"])
    asm.here("top")
    asm.vmovss(XMM0, ptr[asm.const_f32(1.5)])
    asm.align(32)
    asm.note("the loop")
    asm.jmp(asm.here("loop"))
    code = asm.finish("padded")
    made = again(code)
    assert listing(made) == listing(code)
    assert "nop" in listing(made) and ".LC0" in listing(made) and "the loop" in listing(made)
    assert (made.labels, made.notes, made.pool, made.references) == (
        code.labels,
        code.notes,
        code.pool,
        code.references,
    )


def test_bytes_that_are_no_instruction_are_refused():
    asm = X86Assembler(TARGETS["avx2"])
    asm.ret()
    code = asm.finish("ret")
    wrong = Code("wrong", "x86", code.target, b"\x06", 1, code.record, (), {}, (), frozenset())  # 32-bit push es
    with pytest.raises(EncodeError, match="no instruction of the table"):
        kept(wrong)
    with pytest.raises(EncodeError, match="no instruction of the table"):
        features_of(b"\xc3\x06", "x86")
