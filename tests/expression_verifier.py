"""Verify expressions at each stage of code generation, independently of the code that generates them.

    verify_graph(outputs)                      types and arity agree with the table of operations; no operation is left
                                               to expand
    verify_program(program)                    the same for plain data; values are defined before they are used, and all
                                               are used
    verify_selection(steps, results, machine)  the same for operations of a machine: each has a row that fits it
    verify_allocation(straight, code, inputs)  registers: the code is executed with symbols instead of numbers

Symbolic execution follows each value through the registers. It finds registers that are overwritten while their values
are still needed, and undefined registers that are read. It also finds constants and loop-invariant inputs that do not
survive the loop, operands that are not where their instructions need them, and results that differ from the expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tilesmith.microkernels.codegen.fitting import Straight
from tilesmith.microkernels.codegen.linear_scan import Inputs
from tilesmith.microkernels.codegen.lowered import GIVEN, LOOP_INVARIANT, MASK, VECTOR, Line, Lowered, NumberedRegister
from tilesmith.microkernels.codegen.selection import Arithmetic, Constant, InstructionRow, NativeStep
from tilesmith.microkernels.expr.graph import (
    BITS,
    FLOAT_OF,
    FLOATS,
    INTEGER_OF,
    INTEGERS,
    MASK_OF,
    MASKS,
    OPS,
    TABLES,
    Expr,
    Program,
)
from tilesmith.microkernels.functions.activations import ACTIVATIONS


class VerificationError(AssertionError):
    """An error in an expression or its code; the message says where."""


def require(condition: object, message: str) -> None:
    if not condition:
        raise VerificationError(message)


# Graphs and programs

_LETTERS = {"F": FLOATS, "I": INTEGERS, "N": FLOATS + INTEGERS, "M": MASKS, "A": INTEGERS + MASKS}
_REINTERPRET = ("bits", "from_bits")
_SHIFTS = ("shl", "sar", "shr", "rotl")


def verify_operation(op: str, dtype: str, args: Sequence[str], value: Any) -> None:
    """Verify a node, given the types of its operands."""
    where = f"{op}({', '.join(args)}): {dtype}"
    require(dtype in BITS, f"{where}: no such type")
    if op == "input":
        require(isinstance(value, str) and not args, f"{where}: an input has a name and no operands")
    elif op == "const":
        elements = value if isinstance(value, tuple) else (value,)
        inside = all(isinstance(bits, int) and 0 <= bits < 1 << BITS[dtype] for bits in elements)
        require(inside and not args, f"{where}: constant {value!r}")
    elif op == "call":  # a function that is expanded when the accuracy is known
        require(len(set(args)) == 1 and args[0] == dtype and dtype in FLOATS, f"{where}: functions are of floats")
        require(value[0] in ACTIVATIONS, f"{where}: no function {value[0]}")
    else:
        require(op in OPS, f"{where}: no such operation")
        _verify_types(where, op, dtype, args, value)


def _verify_types(where: str, op: str, dtype: str, args: Sequence[str], value: Any) -> None:
    row = OPS[op]
    require(len(args) == len(row.takes), f"{where}: takes {len(row.takes)} operands")
    for letter, arg in zip(row.takes, args):
        require(arg in _LETTERS[letter] and BITS[arg] == BITS[args[0]], f"{where}: takes {row.takes}")
    for letter in row.takes:
        same = {arg for other, arg in zip(row.takes, args) if other == letter}
        require(len(same) == 1, f"{where}: operands of one kind have one type")
    last = args[-1]
    gives = {
        "=": last,
        "first": args[0],
        "float": FLOAT_OF.get(last),
        "integer": INTEGER_OF.get(last),
        "mask": MASK_OF.get(last),
        "long": {"i32": "i64"}.get(last),
        "table": value[0] if op == "lookup" else None,
    }[row.gives]
    require(dtype == gives, f"{where}: gives {gives}")
    if op in _SHIFTS:
        require(0 <= value < BITS[dtype], f"{where}: shift by {value}")
    if op == "lookup":
        require(
            len(value[1]) in TABLES and BITS[value[0]] == BITS[last], f"{where}: table of {len(value[1])} {value[0]}"
        )


def _nodes(outputs: Sequence[Expr]) -> Iterator[Expr]:
    """Yield every node once."""
    seen: set[int] = set()
    stack = list(outputs)
    while stack:
        expr = stack.pop()
        if id(expr) not in seen:
            seen.add(id(expr))
            stack += expr.args
            yield expr


def verify_graph(outputs: Sequence[Expr], machine: Arithmetic | None = None) -> None:
    """Verify all nodes; the machine's own operations are verified by their rows."""
    types: dict[str, str] = {}
    for expr in _nodes(outputs):
        args = [arg.dtype for arg in expr.args]
        require(machine is None or expr.op != "call", f"{expr.value}: a function that was not expanded")
        if machine is not None and expr.op in _REINTERPRET:
            require(len(args) == 1, f"{expr.op}: the same bits of one register")  # also for an i32 in a lane of 64 bits
        elif machine is not None and expr.op not in (*OPS, "input", "const"):
            key = expr.op, args[-1] if args else expr.dtype
            require(key in machine.rows and expr.dtype in BITS, f"{key}: this machine has no such operation")
        else:
            verify_operation(expr.op, expr.dtype, args, expr.value)
        if expr.op == "input":
            require(types.setdefault(expr.value, expr.dtype) == expr.dtype, f"{expr.value}: one input of two types")


def verify_program(program: Program) -> None:
    """Verify all steps, their order, and that each step is part of a result."""
    used = set(program.outputs)
    require(all(0 <= output < len(program.steps) for output in program.outputs), "results are steps")
    for number, step in reversed(list(enumerate(program.steps))):
        require(all(0 <= arg < number for arg in step.args), f"step {number}: {step.op} of steps that come later")
        require(number in used, f"step {number}: {step.op} is part of no result")
        used |= set(step.args)
        verify_operation(step.op, step.dtype, [program.steps[arg].dtype for arg in step.args], step.value)


# Operations of a machine


def verify_selection(steps: Sequence[NativeStep], results: Sequence[int], machine: Arithmetic) -> None:
    """Verify all steps, their order and their rows."""
    used = set(results)
    names: set[str] = set()
    constants: set[Constant] = set()
    for number, step in reversed(list(enumerate(steps))):
        where = f"step {number}: {step.op} of {step.type}"
        require(all(0 <= arg < number for arg in step.args), f"{where}: operands come later")
        require(number in used, f"{where}: part of no result")
        used |= set(step.args)
        if step.op == "input":
            require(step.value not in names and not step.args, f"{where}: a second load of {step.value}")
            names.add(step.value)
        elif step.op == "const":
            require(isinstance(step.value, Constant) and step.value not in constants, f"{where}: not one constant")
            constants.add(step.value)
        else:
            row = machine.rows.get((step.op, step.type))
            require(row is not None, f"{where}: this machine has no row for it")
            assert row is not None
            require(all(i < len(step.args) for i in (*row.ties, *row.memory)), f"{where}: a row of more operands")
            require(not machine.masks or row.mask == step.mask, f"{where}: masks lie in mask registers, numbers do not")


# Registers


class _Symbols:
    """Numbers values so that equal operations on equal values have the same number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}

    def of(self, *key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


class _Registers:
    """The contents of each register, and the registers that must not be written."""

    def __init__(self, code: Lowered, symbols: _Symbols, inputs: Inputs) -> None:
        self.contents: dict[NumberedRegister, int] = {}
        self.limits = {VECTOR: code.vectors, MASK: code.masks, GIVEN: code.unroll * len(inputs.given)}
        for register, constant in code.resident:
            self.write(register, symbols.of("const", constant), "constants before the loop")
        for number, name in enumerate(inputs.loop_invariant):
            self.contents[NumberedRegister(LOOP_INVARIANT, number)] = symbols.of("input", name)
        self.stay = dict(self.contents)

    def read(self, register: NumberedRegister, where: str) -> int:
        require(register in self.contents, f"{where}: reads {register}, which holds nothing")
        return self.contents[register]

    def write(self, register: NumberedRegister, value: int, where: str) -> None:
        inside = register.file in self.limits and 0 <= register.number < self.limits[register.file]
        require(inside, f"{where}: writes {register}, beyond {self.limits}")
        self.contents[register] = value

    def destroy(self, register: NumberedRegister) -> None:
        self.contents.pop(register, None)


def verify_allocation(straight: Straight, code: Lowered, inputs: Inputs, moves: bool = True) -> None:
    """Execute two turns of a loop, with the whole body and with a body that is cut to its first copy. moves: whether
    the caller moves a result with the number of a given input to the input's register."""
    for copies in sorted({1, code.unroll}):
        execution = _Execution(straight, code, inputs, copies, moves)
        for turn in ("first turn", "second turn"):
            execution.turn(f"{copies} copies, {turn}")


class _Execution:
    """A symbolic execution of the first copies of the code."""

    def __init__(self, straight: Straight, code: Lowered, inputs: Inputs, copies: int, moves: bool) -> None:
        self.straight, self.code, self.inputs, self.copies = straight, code, inputs, copies
        self.rows = straight.arithmetic.rows
        self.symbols = _Symbols()
        self.registers = _Registers(code, self.symbols, inputs)
        self.wanted = [self._values(copy) for copy in range(copies)]
        homeless = {*inputs.preserved, *inputs.disposable}
        self.homes = {number for number, name in enumerate(inputs.given) if moves and name not in homeless}

    def _input(self, name: str, copy: int) -> int:
        return self.symbols.of("input", name, *(() if name in self.inputs.loop_invariant else (copy,)))

    def _values(self, copy: int) -> list[int]:
        """Return the value of each step, by the definition of the expression."""
        values: list[int] = []
        for step in self.straight.steps:
            if step.op == "input":
                values.append(self._input(step.value, copy))
            elif step.op == "const":
                values.append(self.symbols.of("const", step.value))
            else:
                values.append(
                    self._result(self.rows[step.op, step.type], step.value, [values[arg] for arg in step.args])
                )
        return values

    def _result(self, row: InstructionRow, value: Any, args: Sequence[int]) -> int:
        return self.symbols.of("row", id(row), value, *args)

    def turn(self, where: str) -> None:
        """Execute one turn of the loop: all lines, then the checks of what must have survived."""
        for copy in range(self.copies):
            for number, name in enumerate(self.inputs.given):
                home = NumberedRegister(GIVEN, copy * len(self.inputs.given) + number)
                self.registers.write(home, self._input(name, copy), where)
        stored: dict[tuple[int, int], bool] = {}
        for number, line in enumerate(self.code.lines):
            if line.copy < self.copies:
                self._line(line, stored, f"{where}, line {number}: {line.op}")
        results = range(len(self.straight.results))
        require(
            set(stored) == {(result, copy) for result in results for copy in range(self.copies)},
            f"{where}: not all results are stored",
        )
        for copy in range(self.copies):
            for number, name in enumerate(self.inputs.given):
                if name in self.inputs.preserved:
                    found = self.registers.contents.get(NumberedRegister(GIVEN, copy * len(self.inputs.given) + number))
                    require(found == self._input(name, copy), f"{where}: {name} did not keep its value")
        for register, value in self.registers.stay.items():
            require(self.registers.contents.get(register) == value, f"{where}: {register} did not keep its value")

    def _line(self, line: Line, stored: dict[tuple[int, int], bool], where: str) -> None:
        if line.op == "store":
            self._store(line, stored, where)
            return
        if line.op == "join":  # a store of several copies, without those that are left out
            for copy, source in enumerate(line.srcs[: self.copies - line.copy], line.copy):
                self._store(line._replace(srcs=(source,), copy=copy), stored, where)
            return
        assert line.dst is not None
        if line.row is not None:
            value = self._operation(line, line.row, line.dst, where)
        elif line.op == "load":
            require(not line.srcs, f"{where}: a load has no operands")
            value = self._input(line.value, line.copy)
        elif line.op == "constant":
            value = self.symbols.of("const", line.value)
        else:
            require(line.op == "move" and len(line.srcs) == 1, f"{where}: no such line")
            value = self._read(line, 0, where)
        self.registers.write(line.dst, value, where)

    def _read(self, line: Line, number: int, where: str) -> int:
        source = line.srcs[number]
        if isinstance(source, Constant):
            return self.symbols.of("const", source)
        return self.registers.read(source, where)

    def _operation(self, line: Line, row: InstructionRow, dst: NumberedRegister, where: str) -> int:
        in_memory = [i for i, source in enumerate(line.srcs) if isinstance(source, Constant)]
        require(len(in_memory) <= 1 and set(in_memory) <= set(row.memory), f"{where}: operands {in_memory} in memory")
        require((line.tied in row.ties) if row.ties else line.tied is None, f"{where}: tied to {line.tied}")
        if line.tied is not None:
            require(line.srcs[line.tied] == dst, f"{where}: operand {line.tied} is not in the register of the result")
        if row.early:
            others = [source for i, source in enumerate(line.srcs) if i != line.tied]
            require(dst not in others, f"{where}: the result overwrites an operand that is still read")
        if dst.file in (VECTOR, MASK):
            in_mask = row.mask and self.straight.arithmetic.masks > 0
            require((dst.file == MASK) == in_mask, f"{where}: the result is in a {dst.file} register")
        return self._result(row, line.value, [self._read(line, i, where) for i in range(len(line.srcs))])

    def _store(self, line: Line, stored: dict[tuple[int, int], bool], where: str) -> None:
        key = line.value, line.copy
        require(key not in stored, f"{where}: result {line.value} is stored twice")
        stored[key] = True
        value, source = self._read(line, 0, where), line.srcs[0]
        assert isinstance(source, NumberedRegister)
        wanted = self.wanted[line.copy][self.straight.results[line.value]]
        require(value == wanted, f"{where}: result {line.value} of copy {line.copy} is another value")
        self.registers.destroy(source)  # a store may destroy its source
        if line.value in self.homes:  # the caller moves the result to the input's register
            self.registers.write(NumberedRegister(GIVEN, line.copy * len(self.inputs.given) + line.value), value, where)
