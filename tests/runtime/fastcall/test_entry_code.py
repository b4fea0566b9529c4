"""The code around calls, for both architectures: an assembler agrees with the decoder, and calling conventions hold."""

import pytest

import tilesmith as ts
from tests.oracles import gnu, gnu_a64
from tilesmith.encoder.a64.registers import Operand, W, X
from tilesmith.encoder.code import Code
from tilesmith.encoder.conventions import convention_of
from tilesmith.encoder.decode import instructions
from tilesmith.encoder.listing import listing
from tilesmith.encoder.walk import frames
from tilesmith.microkernels.gemm.spec import PairBatch
from tilesmith.runtime.fastcall import (
    copied_indices,
    dispatch_code,
    dlpack_code,
    dlpack_result,
    entry,
    entry_code,
    exporters,
    guards,
    guards_array,
)
from tilesmith.runtime.memory import owner
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.scalar.x86 import X86Scalar
from tilesmith.runtime.threads import called, called_code

MACHINES = {"x86": X86Scalar, "a64": A64Scalar}
ASSEMBLERS = {"x86": gnu.assemble, "a64": gnu_a64.assemble}
RUNTIME = entry_code.Runtime(
    96, 104, *(0x7F00_1234_5670 + (i << 20) for i in range(len(entry_code.Runtime._fields) - 2))
)
REQUESTS = {
    "fixed": {},
    "new output": {"beta": 0},
    "batch": {"batch": 3, "lda": ts.RUNTIME, "ldc": ts.RUNTIME},
    "stride": {"batch": ts.STRIDE, "order": "F"},
    "offset": {"batch": ts.OFFSET, "lda": ts.RUNTIME, "ldb": ts.RUNTIME, "ldc": ts.RUNTIME, "dtype": "f64"},
    "address": {"batch": ts.ADDRESS, "beta": 0},
    "nest": {},
    "nest on some threads": {"beta": 0},
    "nest with scratch memory": {"beta": 0},
}
PRODUCT = called_code.JobTable((0, 1, 2), 3, 4, 5)
NETWORK = called_code.JobTable((0, 4, 5, 7, 8, 12), None, 1, 2, inner=(6, 9))
NESTS = {
    "nest": called.Called(1 << 40, 99, None, 0, 0, 0, 0, PRODUCT),
    "nest on some threads": called.Called(1 << 40, 99, 2, 0, 0, 0, 0, PRODUCT),
    "nest with scratch memory": called.Called(1 << 40, 99, None, 4096, 8192, 1 << 41, 4, PRODUCT),
}
CALLED = {
    "called": (PRODUCT, False),
    "called with scratch memory": (PRODUCT, True),
    "called with operands": (PRODUCT._replace(operands=(0, 1, 2, *range(7, 13))), True),
    "called network": (NETWORK, True),
}
FUNCTIONS = exporters.Functions(
    *(0x7F00_0000_1000 + 16 * i for i in range(len(exporters.Functions._fields) - 1)),
    ((0x12002, 4, 0x7F00_0000_2000), (0x11004, 2, 0x7F00_0000_3000)),
)
RELEASE = exporters.Release(*range(0x7F00_0000_1000, 0x7F00_0000_1050, 16))


def words_entry(count: int) -> tuple[guards.CallEntry, list[int]]:
    """Return the structure of calls with so many addresses."""
    builder = guards_array.Builder(9)
    for position in range(count):
        builder.add(guards.WordArgument(position, f"word {position}"))
    found = builder.entry([f"word {position}" for position in range(count)], "always")
    assert found is not None
    return found


def emitted(name: str, arch: str) -> Code:
    """Emit one of the functions, or the entry of a request."""
    machine = MACHINES[arch]()
    if name == "with_gil":
        return entry.with_gil_code(machine)
    if name == "copied_indices":
        return copied_indices.emit(machine, 0x7F00_0000_1000, 0x7F00_0000_2000)
    if name == "indices":
        bag = ts.embedding_bag(ts.RUNTIME, 6, size=ts.RUNTIME, count=9, include_last_offset=False).spec
        structure, values = guards_array.array_entry(bag, "always", 9)
        return entry_code.emit(structure, RUNTIME, machine)
    if name == "capsule":
        return owner.capsule(machine, 0x7F00_0000_1000)
    if name == "unmap":
        return owner.unmap(machine)
    if name in CALLED:
        return called_code.emit(machine, 0x7F00_0000_1000, *CALLED[name])
    if name == "foreign":
        return dlpack_code.emit(FUNCTIONS, machine)
    if name == "released":
        return dlpack_result.deleter(RELEASE, machine)
    if name == "dispatch output":
        return dispatch_code.emit(RUNTIME, machine, (3, 3, 3), output=True)
    if name.startswith("dispatch"):
        return dispatch_code.emit(RUNTIME, machine, axes=(3, 3, 2) if name == "dispatch counted" else (2, 1))
    if name == "words":
        structure, values = words_entry(2)
        return entry_code.emit(called.extended(structure, len(values), NESTS["nest"]), RUNTIME, machine)
    release = "count" if isinstance(REQUESTS[name].get("batch"), PairBatch) else "always"
    structure, values = guards_array.gemm_entry(ts.gemm_spec(5, 6, 7, **REQUESTS[name]), release, 9)
    if name.startswith("nest"):
        structure = called.extended(structure, len(values), NESTS[name])
    return entry_code.emit(structure, RUNTIME, machine)


NAMES = (
    *REQUESTS,
    "words",
    "copied_indices",
    "indices",
    "with_gil",
    "capsule",
    "unmap",
    *CALLED,
    "foreign",
    "released",
    "dispatch counted",
    "dispatch",
    "dispatch output",
)
names = pytest.mark.parametrize("name", NAMES)


def mnemonic(instruction):
    """Return the name of the instruction's row. On A64 the decoder prints MOVZ, and ADD of 0 to the stack pointer, as
    `mov`, the name that the manual prefers."""
    name = instruction and instruction.form.mnemonic
    if name != "mov":
        return name
    return "add" if "sp" in instruction.text else "movz"


@names
@pytest.mark.parametrize("arch", MACHINES)
def test_an_assembler_and_the_decoder_agree(name, arch):
    code = emitted(name, arch)
    assert ASSEMBLERS[arch](listing(code, "gas")) == code.data
    decoded = [found for _, _, found in instructions(code.data[: code.text_size], arch)]
    assert [mnemonic(found) for found in decoded] == [mnemonic(each) for each in code.instructions]


def general_registers(operand):
    """Return the numbers of the general registers in an operand."""
    parts = [operand, getattr(operand, "base", None), getattr(operand, "offset", None), getattr(operand, "reg", None)]
    parts += [getattr(part, "reg", None) for part in parts]
    return {part.num for part in parts if isinstance(part, Operand) and part in (*X, *W)}


@names
def test_rules_of_aapcs64(name):
    """Code begins with a landing pad, branches to other functions through x16 or x17, and does not use x18."""
    code = emitted(name, "a64").instructions
    assert code[0].text == "bti c"
    for instruction in code:
        registers = set().union(*map(general_registers, instruction.operands))
        assert 18 not in registers, instruction.text
        if instruction.form.mnemonic == "br":
            assert registers <= {16, 17}


@names
@pytest.mark.parametrize(("arch", "calls", "pad"), [("x86", ("call",), "endbr64"), ("a64", ("blr",), "bti c")])
def test_the_stack_is_aligned_at_calls(name, arch, calls, pad):
    """The depth of the frame at a call is a multiple of 16 bytes, as the caller's is; on AArch64 at every place."""
    code = emitted(name, arch)
    assert code.instructions[0].text == pad
    convention = convention_of(arch)
    depths = [frame and -frame.values[convention.stack].amount for frame in frames(code)]
    at_calls = [depth for depth, i in zip(depths, code.instructions) if i.form.mnemonic in calls]
    assert at_calls or name.startswith("dispatch")
    assert all(depth % 16 == 0 for depth in at_calls)
    assert arch == "x86" or all(depth % 16 == 0 for depth in depths)


@pytest.mark.parametrize("field", exporters.Functions._fields[:-1])
def test_code_for_other_libraries_uses_each_address(field):
    """No function, object or table that is asked for is left out: the code changes with the address."""
    other = FUNCTIONS._replace(**{field: 0x7E11_2233_4450})
    for arch, machine in MACHINES.items():
        code = dlpack_code.emit(other, machine()).data
        assert code != emitted("foreign", arch).data, arch
