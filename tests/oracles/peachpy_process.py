"""The side of the PeachPy oracle that runs under the interpreter that has PeachPy. It is started by peachpy.py.

It reads a JSON object from stdin, {"calls": [...], "repeat": n}, with calls like `VADDPS(zmm1(k2.z), zmm3, mem(512,
rax))` as text. It writes {"results": [...], "us": ..., "us_in_function": ...}. Each result is the bytes of a call in
hexadecimal, or "!" followed by the reason why PeachPy rejects it. With n > 0 it also measures the microseconds per call
in the fastest of n passes, with operands made beforehand: for construction and encoding alone, and as part of a
function that is finalized and encoded.
"""

import ast
import json
import sys
import time
import warnings

warnings.simplefilter("ignore")  # PeachPy is from 2021: it imports imp and has invalid escapes

import peachpy.x86_64  # noqa: E402
from peachpy.x86_64 import registers  # noqa: E402
from peachpy.x86_64.operand import MemoryAddress, MemoryOperand, RIPRelativeOffset  # noqa: E402


def mem(size, base=None, index=None, scale=1, disp=0, mask=None, to=None):
    """Return a memory operand of `size` bits (0: not stated); if it is broadcast to `to`, the size of one element."""
    address = MemoryAddress(base, index, scale if index is not None else None, disp)
    return MemoryOperand(address, size // 8 or None, registers.RegisterMask(mask) if mask is not None else None, to)


def rip(size, disp=0):
    """Return a memory operand at a distance from the end of the instruction."""
    return MemoryOperand(RIPRelativeOffset(disp), size // 8 or None)


# `registers` has names that PeachPy itself does not export: rsp, esp.
NAMES = {**vars(registers), **vars(peachpy.x86_64), "mem": mem, "rip": rip}


def parsed(text):
    """Return the class that a call names, and its operands."""
    call = ast.parse(text, mode="eval").body
    operands = ast.Tuple(elts=call.args, ctx=ast.Load(), lineno=1, col_offset=0)
    code = compile(ast.fix_missing_locations(ast.Expression(operands)), text, "eval")
    return NAMES.get(call.func.id), eval(code, NAMES)


def encoded(text):
    """Return the bytes of a call in hexadecimal, or the reason why it is rejected."""
    try:
        instruction, operands = parsed(text)
        return bytes(instruction(*operands).encode()).hex() if instruction else "!unknown instruction"
    except Exception as error:  # whatever PeachPy raises is its answer
        return f"!{type(error).__name__}: {error}"


def timed(calls, repeat, one_pass):
    """Return the microseconds per call in the fastest of `repeat` passes."""
    passes = []
    for _ in range(repeat):
        start = time.perf_counter()
        one_pass(calls)
        passes.append(time.perf_counter() - start)
    return min(passes, default=0.0) / len(calls) * 1e6


def alone(calls):
    """Construct and encode each call by itself."""
    for instruction, operands in calls:
        instruction(*operands).encode()


def in_function(calls):
    """Construct and encode all calls as the body of one function."""
    target = peachpy.x86_64.uarch.default
    for extension in ("avx2", "fma3", "avx512f", "avx512vl", "avx512bw", "avx512dq"):
        target += getattr(peachpy.x86_64.isa, extension)
    function = peachpy.x86_64.Function("kernel", (), target=target)
    function._check_live_registers = lambda: None  # it mistakes our physical registers for virtual ones: too many
    with function:
        for instruction, operands in calls:
            instruction(*operands)
        peachpy.x86_64.RETURN()
    function.finalize(peachpy.x86_64.abi.detect()).encode()


def main():
    """Answer one request."""
    request = json.load(sys.stdin)
    results, repeat = [encoded(text) for text in request["calls"]], request["repeat"]
    calls = [parsed(text) for text in request["calls"]] if repeat else []
    times = {"us": timed(calls, repeat, alone), "us_in_function": timed(calls, repeat, in_function)} if repeat else {}
    json.dump({"results": results, **times}, sys.stdout)


if __name__ == "__main__":
    main()
