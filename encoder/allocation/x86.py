"""Functions on virtual registers for x86-64, with the System V calling convention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ..errors import EncodeError, shown
from ..form import Form
from ..operands import Label, Unique
from ..x86.abi import ARGUMENTS, CALLEE_SAVED, STACK_ARGUMENT
from ..x86.assembler import TABLE, X86Assembler
from ..x86.effects import implicit
from ..x86.forms import X86Form
from ..x86.registers import R8H, R32, R64, REGISTERS, XMM, YMM, ZMM, K, Mem, Reg, StaticRounding, dword, mem, qword
from ..x86.virtual import BANKS, Virtual, carried, effect, numbers, registers
from ..x86.words import EVEX, LEGACY
from .assembler import Allocating
from .program import GENERAL, MASK, VECTOR, Variable, Written
from .recorder import Passing, RegisterUse

_BANK = {file: bank for bank, files in enumerate(BANKS) for file in files}
_PAGE = 4096
_STACK = R64[4]
_KEPT = frozenset(each.num for each in CALLEE_SAVED)
_EVERY = tuple(frozenset(range(count)) for count in (16, 32, 8))
_CONVENTION = Passing(
    (tuple(each.num for each in ARGUMENTS), tuple(range(8))),
    0,
    (_KEPT, frozenset(), frozenset()),
    (_EVERY[GENERAL] - _KEPT - {_STACK.num}, *_EVERY[VECTOR:]),
)
_ELEMENTS = ("b", "w", "d", "q")
_SAME = frozenset(
    (
        *("xor", "sub", "pxor", "vpxor", "vpxord", "vpxorq", "xorps", "xorpd", "vxorps", "vxorpd"),
        *("pandn", "vpandn", "vpandnd", "vpandnq", "andnps", "andnpd", "vandnps", "vandnpd"),
        *(f"{v}{name}{of}" for v in ("", "v") for name in ("psub", "pcmpeq", "pcmpgt") for of in _ELEMENTS),
        *(f"{name}{of}" for name in ("kxor", "kxnor", "kandn") for of in _ELEMENTS),
    )
)
"""Instructions whose result does not depend on the value of a register that is both of their sources."""
_TERNARY = ("vpternlogd", "vpternlogq")
_ALL_CLEARED = ("vzeroall", "vzeroupper")
_UNKNOWN = ("xrstor", "fxrstor")
"""The beginnings of instructions that write more registers than their rows name."""
_JUMPS = {row[1:] for row in TABLE if row[0] == "j" and row not in ("jmp", "jrcxz")} | {
    name[1:] for name in TABLE.aliases if name[0] == "j"
}
_BITS = ("bt", "btc", "btr", "bts")
"""Instructions that address other words of memory where a bit is beyond the first."""
_CALL = TABLE.emitter("call")
_RET = TABLE.emitter("ret")


def _place(register: Reg) -> tuple[int, int] | None:
    """The bank and the number of a register of the processor; None if no virtual one may be there."""
    if register.file not in _BANK or isinstance(register, Virtual):
        return None
    number = register.num - 4 if register.name in [each.name for each in R8H] else register.num
    return _BANK[register.file], number


class AllocatingX86(Allocating, X86Assembler):
    """A function on virtual registers for x86-64: `r64`, `xmm`, `ymm`, `zmm` and `k` create them. The parts of one are
    its attributes: `i.r32`, `sum.xmm`."""

    convention, stack_pointer = _CONVENTION, _STACK.name
    numbers, carried = staticmethod(numbers), staticmethod(carried)

    def r64(self, name: str = "") -> Virtual:
        """Return a new virtual general register."""
        return self._created(GENERAL, 8, name, "r64")

    def xmm(self, name: str = "") -> Virtual:
        """Return a new virtual vector register, as its lowest 128 bits."""
        return self._created(VECTOR, 16, name, "xmm")

    def ymm(self, name: str = "") -> Virtual:
        """Return a new virtual vector register, as its lowest 256 bits."""
        return self._created(VECTOR, 32, name, "ymm")

    def zmm(self, name: str = "") -> Virtual:
        """Return a new virtual vector register of 512 bits."""
        return self._created(VECTOR, 64, name, "zmm")

    def k(self, name: str = "") -> Virtual:
        """Return a new virtual mask register."""
        return self._created(MASK, 8, name, "k")

    def _created(self, bank: int, width: int, name: str, file: str) -> Virtual:
        made = self._new(bank, width, name)
        assert isinstance(made, Virtual)
        return made.part(file) if made.file != file else made

    def _operand(self, value: Variable) -> Virtual:
        return Virtual(value, ("r64", {16: "xmm", 32: "ymm", 64: "zmm"}.get(value.width, "xmm"), "k")[value.bank])

    def _orders(self) -> tuple[tuple[int, ...], ...]:
        free = [each for each in range(16) if each not in _KEPT and each != _STACK.num]
        masks = "AVX512F" in self.target.features
        return (*free, *sorted(_KEPT)), tuple(range(32 if masks else 16)), tuple(range(1, 8)) if masks else ()

    # Effects

    def _touched(self, form: Form, operands: tuple[object, ...]) -> RegisterUse:
        assert isinstance(form, X86Form)
        plain = [each for each in operands if not isinstance(each, StaticRounding)]
        implied = implicit(form)
        if "rsp" in implied.writes or any(
            access in "wx" and isinstance(each, Reg) and each.name in ("rsp", "esp", "sp", "spl")
            for each, access in zip(plain, form.access)
        ):
            raise EncodeError(
                f"{form.syntax()}: moves the stack pointer, by which the function finds its values; local(bytes) "
                "gives memory"
            )
        if form.mnemonic.startswith(_UNKNOWN) or any(each.name == "pair" for each in form.classes):
            raise EncodeError(f"{form.syntax()}: writes registers that it does not name; no function with virtual ones")
        named = [REGISTERS[name] for name in implied.reads | implied.writes if name in REGISTERS]
        reads: dict[Variable, None] = {}
        keeps: dict[Variable, None] = {}
        writes: dict[Variable, None] = {}
        nothing = _reads_nothing(form, plain)
        for operand, access in zip(plain, form.access):
            named += [each for each in registers(operand) if not isinstance(each, Virtual)]
            mask = getattr(operand, "mask", None)
            if isinstance(mask, Virtual):
                reads[mask.number] = None
                if form.gathers and form.prefix.encoding == EVEX:
                    writes[mask.number] = None  # its bits are cleared one by one
            if isinstance(operand, Mem):
                reads.update(dict.fromkeys(numbers(operand)))
            elif isinstance(operand, Virtual):
                value = operand.number
                value.width = max(value.width, operand.width // 8)
                read, written = effect(operand, access)
                if access in "rx" and not nothing:
                    reads[value] = None
                elif not written or (read and not nothing) or self._keeps(form, operand):
                    keeps[value] = None  # whatever is in it
                if written:
                    writes[value] = None
        if nothing:
            keeps = {value: None for value in keeps if value not in writes}
        places = [place for place in map(_place, named) if place is not None and place != (GENERAL, _STACK.num)]
        apart = form.gathers or any(each.distinct for each in form.classes)
        return RegisterUse((*reads,), (*keeps,), (*writes,), tuple(places), apart)

    def _keeps(self, form: X86Form, operand: Reg) -> bool:
        """Whether a write keeps a part of the register."""
        if operand.mask is not None and not operand.zeroing and operand.file != "k":
            return True
        legacy = form.prefix.encoding == LEGACY and operand.file == "xmm"
        return legacy and "AVX" in self.target.features

    def _append(self, step: Written, values: Iterable[Variable], allowed: Mapping[Variable, frozenset[int]]) -> None:
        if step.form.mnemonic in _ALL_CLEARED:
            step.spoils = frozenset(), _EVERY[VECTOR]
        super()._append(step, values, allowed)

    # Control

    def _extend(self, register: Unique, type: str) -> None:
        assert isinstance(register, Virtual)
        source = register.part(f"r{type[1:]}")
        if type == "u32":
            self.mov(register.r32, source)
        elif type == "i32":
            self.movsxd(register, source)
        elif type[0] == "i":
            self.movsx(register, source)
        else:
            self.movzx(register.r32, source)

    def _jump(self, label: Label, condition: object = None) -> None:
        jump = self.jmp if condition is None else getattr(self, f"j{condition}")
        jump(label)

    def _opposite(self, condition: object) -> str:
        if type(condition) is not str or condition not in _JUMPS:
            raise EncodeError(
                f"condition {shown(condition)}: is what stands behind the j of a jump: {', '.join(sorted(_JUMPS))}"
            )
        opposite = condition[1:] if condition[0] == "n" else f"n{condition}"
        return _ODD.get(condition, opposite)

    def _address(self, function: object) -> Virtual:
        if isinstance(function, Virtual):
            return function.r64
        assert type(function) is int
        address = self.r64("address")
        self.mov(address, function)
        return address

    def _calling(self, where: str, function: Unique) -> Written:
        assert isinstance(function, Virtual)

        def emit(target: Reg) -> None:
            self._end_of_vectors()
            _CALL(self, target)

        step = Written(where, emit, TABLE.match("call", (R64[1],)), (function,))
        step.reads, step.keeps, step.writes = (function.number,), (), ()
        return step

    def _end_of_vectors(self) -> None:
        """Clear what code in a legacy encoding would wait for (Intel SDM volume 1, 14.1.2)."""
        if self._wide():
            self.vzeroupper()

    def _wide(self) -> bool:
        return any(value.bank == VECTOR and value.width > 16 for value in self._values)

    # Moves and frames

    def _move(self, value: Variable, to: int, source: int) -> None:
        if value.bank == GENERAL:
            self.mov(R64[to], R64[source])
        elif value.bank == MASK:
            getattr(self, self._mask_move())(K[to], K[source])
        else:
            self._vector_move(value, max(to, source), lambda file: (file[to], file[source]))

    def _load(self, value: Variable, to: int, place: int) -> None:
        if value.bank == GENERAL:
            self.mov(R64[to], mem(_STACK, place))
        elif value.bank == MASK:
            getattr(self, self._mask_move())(K[to], mem(_STACK, place))
        else:
            self._vector_move(value, to, lambda file: (file[to], mem(_STACK, place)))

    def _load_argument(self, value: Variable, to: int, place: int) -> None:
        if value.bank == GENERAL:
            self.mov(R64[to], mem(_STACK, place))
        else:
            (self.vmovsd if "AVX" in self.target.features else self.movsd)(XMM[to], mem(_STACK, place))

    def _store(self, value: Variable, source: int, place: int) -> None:
        if value.bank == GENERAL:
            self.mov(mem(_STACK, place), R64[source])
        elif value.bank == MASK:
            getattr(self, self._mask_move())(mem(_STACK, place), K[source])
        else:
            self._vector_move(value, source, lambda file: (mem(_STACK, place), file[source]))

    def _accessed(self, step: Written, value: Variable) -> bool:
        """One general register of 64 bits can be memory, where the form of the instruction that has memory does the
        same, and nothing else is memory."""
        named = [each for operand in step.operands for each in numbers(operand) if each is value]
        if len(named) != 1 or step.framed or value in step.stands or step.form.mnemonic in _BITS:
            return False
        whole = [isinstance(each, Virtual) and each.number is value and each.width == 64 for each in step.operands]
        if not any(whole) or any(isinstance(each, Mem) for each in step.operands) or value.bank != GENERAL:
            return False
        others = dict.fromkeys(each for operand in step.operands for each in numbers(operand) if each is not value)
        held = self._trial([*others])
        places = {value: 0}
        real = tuple(self._framed(each, places) or carried(each, held) for each in step.operands)
        return self._form_of(step.form.mnemonic, real) is not None

    def _framed(self, operand: object, places: Mapping[Variable, int]) -> Mem | None:
        if not isinstance(operand, Virtual) or operand.number not in places:
            return None
        return qword[_STACK + places[operand.number]]

    def _mask_move(self) -> str:
        return "kmovq" if "AVX512BW" in self.target.features else "kmovw"

    def _vector_move(
        self, value: Variable, number: int, operands: Callable[[Sequence[Reg]], tuple[Reg | Mem, Reg | Mem]]
    ) -> None:
        """Move the bytes of a vector; no move of a register beyond the first 16 is shorter than 512 bits without
        AVX512VL, and those of memory are as long as the value."""
        file = {16: XMM, 32: YMM, 64: ZMM}[value.width]
        given = operands(file)
        apart = number > 15 and not any(isinstance(each, Mem) for each in given)
        if apart and "AVX512VL" not in self.target.features:
            given = operands(ZMM)
        (self.vmovups if "AVX" in self.target.features else self.movups)(*given)

    def _enter(self, kept: Sequence[tuple[int, int]], frame: int) -> int:
        for _, number in kept:
            self.push(R64[number])
        size = self._claimed(kept, frame)
        for _ in range(size // _PAGE):
            self.sub(_STACK, _PAGE)
            self.test(dword[_STACK], R32[0])
        if size % _PAGE:
            self.sub(_STACK, size % _PAGE)
        return size + 8 * len(kept) + STACK_ARGUMENT

    def _leave(self, kept: Sequence[tuple[int, int]], frame: int) -> None:
        size = self._claimed(kept, frame)
        if size:
            self.add(_STACK, size)
        for _, number in reversed(kept):
            self.pop(R64[number])
        self._end_of_vectors()
        _RET(self)

    def _claimed(self, kept: Sequence[tuple[int, int]], frame: int) -> int:
        """Return the bytes below the saved registers: the stack pointer is a multiple of 16 where slots or calls need
        it, and was 8 more before the return address was pushed."""
        if not frame and not self._calls:
            return 0
        pushed = 8 + 8 * len(kept)
        return frame + -(frame + pushed) % 16


def _reads_nothing(form: X86Form, operands: Sequence[object]) -> bool:
    """Whether the result does not depend on the registers: they are the same, and cancel out."""
    if form.mnemonic in _TERNARY and operands[-1] in (0, 255, -1):
        return all(getattr(each, "mask", None) is None for each in operands[:3])
    if form.mnemonic not in _SAME or len(operands) < 2:
        return False
    first, second = operands[-2:]
    return first is second and isinstance(first, Virtual) and getattr(operands[0], "mask", None) is None


_ODD = {"pe": "po", "po": "pe"}
