"""Functions on virtual registers for AArch64, with the calling convention AAPCS64."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ..a64.abi import ARGUMENTS, CALLEE_SAVED, FRAME, LINK, PLATFORM, RESULT, STACK_ARGUMENT, VECTOR_CALLEE_SAVED
from ..a64.assembler import TABLE, A64Assembler
from ..a64.forms import A64Form
from ..a64.names import CONDITIONS, Named
from ..a64.registers import D, Mem, Operand, P, Predicate, Q, RegList, Scalable, V, Vector, X, Z, mem, sp, xzr
from ..a64.registers import General as GeneralRegister
from ..a64.virtual import BANKS, Virtual, carried, effect, numbers, registers
from ..errors import EncodeError, shown
from ..form import Form
from ..operands import Label, Unique
from .assembler import Allocating
from .program import GENERAL, MASK, VECTOR, Variable, Written
from .recorder import Passing, RegisterUse

_BANK = {kind: bank for bank, kinds in enumerate(BANKS) for kind in kinds}
_PAGE = 4096
_KEPT = frozenset(each.num for each in (*CALLEE_SAVED, FRAME, LINK))
_KEPT_VECTORS = frozenset(each.num for each in VECTOR_CALLEE_SAVED)
_CONVENTION = Passing(
    (tuple(each.num for each in ARGUMENTS), tuple(range(8))),
    RESULT.num,
    (_KEPT, _KEPT_VECTORS, frozenset()),
    (frozenset(range(31)) - _KEPT, frozenset(range(32)), frozenset(range(16))),
)
_BLOCKS = frozenset(("ld64b", "st64b", "st64bv", "st64bv0"))
"""Instructions that name the first of eight registers."""
_SAME = frozenset(("eor", "bic", "sub", "cmeq", "cmhs", "cmge", "cmhi", "cmgt"))
"""Instructions whose result does not depend on the value of a register that is both of their sources."""
_BLR = TABLE.emitter("blr")
_RET = TABLE.emitter("ret")


class AllocatingA64(Allocating, A64Assembler):
    """A function on virtual registers for AArch64: `x`, `v`, `z` and `p` create them. The parts of one are selected as
    those of the processor's are: `W[i]`, `Q[sum]`."""

    convention, stack_pointer = _CONVENTION, sp.name
    numbers, carried = staticmethod(numbers), staticmethod(carried)

    def x(self, name: str = "") -> GeneralRegister:
        """Return a new virtual general register."""
        made = self._new(GENERAL, 8, name)
        assert isinstance(made, GeneralRegister)
        return made

    def v(self, name: str = "") -> Vector:
        """Return a new virtual vector register of 128 bits."""
        made = self._new(VECTOR, 16, name)
        assert isinstance(made, Vector)
        return made

    def z(self, name: str = "") -> Scalable:
        """Return a new virtual vector register of SVE. It is never moved to the stack."""
        self._scalable()
        made = self._new(VECTOR, 0, name)
        assert isinstance(made, Scalable)
        return made

    def p(self, name: str = "") -> Predicate:
        """Return a new virtual predicate register. It is never moved to the stack."""
        self._scalable()
        made = self._new(MASK, 0, name)
        assert isinstance(made, Predicate)
        return made

    def _scalable(self) -> None:
        if not self.orders[MASK]:
            raise EncodeError(f"target {self.target.name} has no registers of SVE")

    def _operand(self, value: Variable) -> Virtual:
        return Virtual.of(value, ("x", "v" if value.width else "z", "p")[value.bank])

    def _orders(self) -> tuple[tuple[int, ...], ...]:
        free = [each for each in range(29) if each not in _KEPT and each != PLATFORM.num]
        vectors = [each for each in range(32) if each not in _KEPT_VECTORS]
        scalable = not self.target.missing(("SVE",)) or not self.target.missing(("SME",))
        return (
            (*free, *(each.num for each in CALLEE_SAVED)),
            (*vectors, *sorted(_KEPT_VECTORS)),
            tuple(range(16)) if scalable else (),
        )

    # Effects

    def _touched(self, form: Form, operands: tuple[object, ...]) -> RegisterUse:
        assert isinstance(form, A64Form)
        effects = [part.partition(":")[::2] for part in form.row.effects.split()]
        implied = [name for role, names in effects for name in names.split(",") if role in ("r", "w", "x")]
        moved = any(
            getattr(each, "kind", "") in ("sp", "wsp")
            and access != "r"
            or isinstance(each, Mem)
            and each.mode
            and each.base.kind == "sp"
            for each, access in zip(operands, form.access)
        )
        if moved or any("sp" in names.split(",") and role != "r" for role, names in effects):
            raise EncodeError(
                f"{form.syntax()}: moves the stack pointer, by which the function finds its values; local(bytes) "
                "gives memory"
            )
        if form.mnemonic in _BLOCKS:
            raise EncodeError(
                f"{form.syntax()}: accesses registers that it does not name; no function with virtual ones"
            )
        named = [(GENERAL, LINK.num)] if LINK.name in implied else []
        reads: dict[Variable, None] = {}
        writes: dict[Variable, None] = {}
        nothing = (
            form.mnemonic in _SAME
            and len(operands) == 3
            and operands[1] is operands[2]
            and form.row.class_ != "branch"
            and getattr(operands[1], "kind", "")[:2] in ("v.", "z.")
        )
        for operand, access in zip(operands, form.access):
            for each in registers(operand):
                if not isinstance(each, Virtual):
                    named.append((_BANK[each.kind], each.num))
                elif each.kind == "z":
                    each.number.width = 0
            read, written = effect(operand, access)
            values = dict.fromkeys(numbers(operand))
            if read:
                reads.update(values)
            if written:
                writes.update(values)
        keeps = [value for value in reads if nothing and value not in writes]  # whatever is in it
        return RegisterUse(() if nothing else (*reads,), tuple(keeps), (*writes,), tuple(named), bool(form.apart))

    def _emit(self, emit: Callable[..., None], *operands: object) -> None:
        for each in operands:
            those = each.regs if isinstance(each, RegList) else ()
            if len(those) > 1 and any([*numbers(register)] for register in those):
                raise EncodeError(
                    f"{each}: virtual registers need not be neighbours; a list names registers of the processor"
                )
        super()._emit(emit, *operands)

    def _append(self, step: Written, values: Iterable[Variable], allowed: Mapping[Variable, frozenset[int]]) -> None:
        if step.form.mnemonic in ("smstart", "smstop"):
            step.spoils = frozenset(), frozenset(range(32)), frozenset(range(16))
        super()._append(step, values, allowed)

    # Control

    def _extend(self, register: Unique, type: str) -> None:
        assert isinstance(register, Virtual)
        low = register.part("w")
        if type == "u32":
            self.mov(low, low)
        elif type[0] == "u":
            (self.uxtb if type == "u8" else self.uxth)(low, low)
        else:
            {"i8": self.sxtb, "i16": self.sxth, "i32": self.sxtw}[type](register, low)

    def _jump(self, label: Label, condition: object = None) -> None:
        jump = self.b if condition is None else getattr(self, f"b_{condition}")
        jump(label)

    def _opposite(self, condition: object) -> Named:
        if not isinstance(condition, Named) or condition.kind != "cond" or condition.name in ("al", "nv"):
            raise EncodeError(f"condition {shown(condition)}: is one of EQ, NE, HS, LO ... LE")
        return next(each for each in CONDITIONS.values() if each.num == condition.num ^ 1)

    def _address(self, function: object) -> Unique:
        if isinstance(function, Virtual):
            return function.part("x")
        assert type(function) is int
        address = self.x("address")
        self.load_immediate(address, function)
        return address

    def _calling(self, where: str, function: Unique) -> Written:
        assert isinstance(function, Virtual)
        self._reserved[GENERAL].add(LINK.num)
        step = Written(where, lambda target: _BLR(self, target), TABLE.match("blr", (X[1],)), (function,))
        step.reads = (function.number,)
        return step

    # Moves and frames

    def _move(self, value: Variable, to: int, source: int) -> None:
        if value.bank == GENERAL:
            self.mov(X[to], X[source])
        elif value.bank == MASK:
            self.mov(P[to].b, P[source].b)
        elif value.width:
            self.mov(V[to].b16, V[source].b16)
        else:
            self.mov(Z[to].d, Z[source].d)

    def _load(self, value: Variable, to: int, place: int) -> None:
        self.ldr((X, Q)[value.bank][to], mem[sp, place])

    def _load_argument(self, value: Variable, to: int, place: int) -> None:
        self.ldr((X, D)[value.bank][to], mem[sp, place])

    def _store(self, value: Variable, source: int, place: int) -> None:
        self.str((X, Q)[value.bank][source], mem[sp, place])

    def _enter(self, kept: Sequence[tuple[int, int]], frame: int) -> int:
        saves, size = self._layout(kept, frame)
        for _ in range(size // _PAGE):
            self.sub(sp, sp, _PAGE)
            self.str(xzr, mem[sp])
        if size % _PAGE:
            self.sub(sp, sp, size % _PAGE)
        for register, place in saves:
            self.str(register, mem[sp, place])
        return size + STACK_ARGUMENT

    def _leave(self, kept: Sequence[tuple[int, int]], frame: int) -> None:
        saves, size = self._layout(kept, frame)
        for register, place in saves:
            self.ldr(register, mem[sp, place])
        if size // _PAGE:
            self.add(sp, sp, size // _PAGE * _PAGE)
        if size % _PAGE:
            self.add(sp, sp, size % _PAGE)
        _RET(self)

    @staticmethod
    def _layout(kept: Sequence[tuple[int, int]], frame: int) -> tuple[list[tuple[Operand, int]], int]:
        """Return the saved registers with their places above the values, and the bytes of everything."""
        start = frame + -frame % 8
        saves = [((X, D)[bank][number], start + 8 * at) for at, (bank, number) in enumerate(kept)]
        size = start + 8 * len(kept)
        return saves, size + -size % 16
