"""libgcc's unwinder as an oracle of call frame information: it is run at every instruction of functions in objects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import relocatable

from . import tools

SOURCE = Path(__file__).with_suffix(".c")
COMPILERS = {"x86": "gcc", "a64": "aarch64-linux-gnu-gcc"}
ROOM = 1 << 18
"""The size in bytes of each of the buffers `room[0]` to `room[7]` that arguments of functions may name."""
_ENDS = 40  # instructions at each end of a function; they include those that save and restore registers

_TABLE = """
struct function { const char *name; unsigned char *code; const int *offsets; int count; long arguments[8]; };
static _Alignas(64) char room[8][%d];
"""


def trapped(
    folder: Path, functions: Sequence[tuple[Code, Sequence[str]]], arch: str, *cpu: str, step: int = 1
) -> dict[str, float]:
    """Return the fraction of each function's instructions that was reached, after checking that every frame from there
    to main was found and is right.

    The functions come with their arguments in C, where `room[0]` to `room[7]` are buffers. Far from the ends of a
    function, only one in `step` instructions is checked.
    """
    table, rows, objects = _TABLE % ROOM, "", []
    for code, arguments in functions:
        objects.append(str(folder / f"{code.symbol}.o"))
        Path(objects[-1]).write_bytes(relocatable(code))
        every = [instruction.offset for instruction in code.instructions]
        chosen = [*every[:_ENDS], *every[_ENDS:-_ENDS:step], *every[max(_ENDS, len(every) - _ENDS) :]]
        offsets = ", ".join(map(str, chosen))
        table += f"extern unsigned char {code.symbol}[];\nstatic const int of_{code.symbol}[] = {{{offsets}}};\n"
        given = ", ".join(f"(long)({each})" for each in arguments)
        rows += f'{{"{code.symbol}", {code.symbol}, of_{code.symbol}, {len(chosen)}, {{{given}}}}},\n'
    (folder / "table.c").write_text(f"{table}struct function FUNCTIONS[] = {{\n{rows}{{0}}}};\n")
    program = str(folder / "program")
    tools.run(COMPILERS[arch], "-O1", "-w", "-static", "-o", program, str(SOURCE), str(folder / "table.c"), *objects)
    runner = (program,) if arch == "x86" else ("qemu-aarch64", *cpu, program)
    done = tools.run(*runner, check=False)
    assert done.returncode == 0 and "!" not in done.stdout, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: int(hit) / int(count) for name, hit, count in lines}
