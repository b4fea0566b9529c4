"""The side of the PeachPy oracle that runs under the interpreter that has PeachPy; see peachpy.py, which starts it.

Reads a JSON object from stdin, {"calls": [...], "repeat": n}: calls like `VADDPS(zmm1(k2.z), zmm3, mem(512, rax))` as
text. Writes {"results": [...], "us": microseconds per instruction}: of each call the bytes in hexadecimal, or behind
"!" why PeachPy rejects it. With n > 0 construction and encoding of the calls are timed, n times over, operands made
beforehand.
"""

import ast
import json
import sys
import time
import warnings

warnings.simplefilter("ignore")  # imp and invalid escapes: PeachPy is of 2021

import peachpy.x86_64  # noqa: E402
from peachpy.x86_64 import registers  # noqa: E402
from peachpy.x86_64.operand import MemoryAddress, MemoryOperand, RIPRelativeOffset  # noqa: E402


def mem(size, base=None, index=None, scale=1, disp=0, mask=None, to=None):
    """A memory operand: `size` in bits (0: not stated), of one element where it is broadcast to `to`."""
    address = MemoryAddress(base, index, scale if index is not None else None, disp)
    return MemoryOperand(address, size // 8 or None, registers.RegisterMask(mask) if mask is not None else None, to)


def rip(size, disp=0):
    """Memory at a distance from the end of the instruction."""
    return MemoryOperand(RIPRelativeOffset(disp), size // 8 or None)


# `registers` has names that PeachPy does not export: rsp, esp.
NAMES = {**vars(registers), **vars(peachpy.x86_64), "mem": mem, "rip": rip}


def parsed(text):
    """The class of a call and its operands."""
    call = ast.parse(text, mode="eval").body
    operands = ast.Tuple(elts=call.args, ctx=ast.Load(), lineno=1, col_offset=0)
    code = compile(ast.fix_missing_locations(ast.Expression(operands)), text, "eval")
    return NAMES.get(call.func.id), eval(code, NAMES)


def encoded(text):
    """The bytes of a call in hexadecimal, or why it is rejected."""
    try:
        instruction, operands = parsed(text)
        return bytes(instruction(*operands).encode()).hex() if instruction else "!unknown instruction"
    except Exception as error:  # whatever PeachPy raises is its answer
        return f"!{type(error).__name__}: {error}"


def timed(texts, repeat):
    """Microseconds of one call, the fastest of `repeat` passes."""
    calls = [parsed(text) for text in texts]
    passes = []
    for _ in range(repeat):
        start = time.perf_counter()
        for instruction, operands in calls:
            instruction(*operands).encode()
        passes.append(time.perf_counter() - start)
    return min(passes) / len(calls) * 1e6


def main():
    """Answer one request."""
    request = json.load(sys.stdin)
    results = [encoded(text) for text in request["calls"]]
    repeat = request.get("repeat", 0)
    json.dump({"results": results, "us": timed(request["calls"], repeat) if repeat else 0.0}, sys.stdout)


if __name__ == "__main__":
    main()
