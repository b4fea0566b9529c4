"""How long code takes to make, beside the goals and PeachPy:
`tilesmith bench generation [--tables kernels nests instructions] [--only WORD]`.

    kernels        processor time of new fused kernels: see runtime/bench/cases/generation.py, which has fewer kinds
    nests          processor time of a nest with a new string beyond its kernels: tracing, proofs, loops, code in
                   executable pages. Each is a product by the paper's rules with a string that this process has not
                   seen; its three kernels exist already
    instructions   the time to encode an instruction, beside PeachPy: those of a BRGEMM kernel, in the order in which
                   its assembler recorded them, with operands made before. Branches and instructions that PeachPy lacks
                   are left out on both sides, and the fastest of several passes counts. PeachPy is timed twice:
                   instruction objects and their bytes alone, and whole functions, as it is normally used (with its
                   liveness analysis and register allocation, although there is nothing to allocate)

`python -m cProfile -s tottime -m tilesmith bench generation --only gelu` prints where the time goes.
"""

import inspect
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import compress
from math import nan
from typing import Any

import tilesmith as ts
from tests.nest_cases import product_body
from tests.oracles import peachpy
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.encoder.table import Emitter
from tilesmith.encoder.table import InstructionTable as InstructionTable
from tilesmith.encoder.x86.assembler import TABLE, X86Assembler
from tilesmith.encoder.x86.grammar import expand
from tilesmith.encoder.x86.registers import Mem
from tilesmith.encoder.x86.rows import ROWS
from tilesmith.microkernels.gemm import emit as gemm
from tilesmith.microkernels.gemm.plan import plan
from tilesmith.microkernels.machines.registry import TARGETS, machine_for
from tilesmith.runtime.bench.cases import generation
from tilesmith.runtime.bench.cases.generation import heads, rows
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted
from tilesmith.runtime.loops.strings import Candidate, product_rules, strings
from tilesmith.runtime.loops.tuner import blocked

# Kernels

PAIRS = (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b * b + 1.0),
         lambda a, b: ts.maximum(a, b), lambda a, b: ts.minimum(a, b))
SINGLE = (lambda a: -a, abs, lambda a: ts.sqrt(a * a + 1.0), ts.tanh, ts.sigmoid, lambda a: ts.exp(-(a * a)),
          lambda a: a * 0.375)
ALONG = (ts.sum, ts.mean, ts.max, ts.min, ts.absmax, lambda a, axis: ts.prod(1.0 + a * 2.0**-10, axis=axis))


def drawn(seed: int, nodes: int = 40) -> Callable[..., Any]:
    """Return a random graph like those of tests/microkernels/fused/test_random_graphs.py. A node combines two values,
    is a function of one value, or is a reduction along rows, of random nodes before it. At most four unused nodes are
    results."""

    def function(x: Any, w: Any, c: Any, e: Any) -> Any:
        rng = random.Random(seed)
        values, wide, used = [x, w, c, e], {0, 1}, set[int]()
        for number in range(4, 4 + nodes):
            kind, i, j = rng.choice(("pair",) * 7 + ("single",) * 7 + ("along",) * 6), *rng.sample(range(number), 2)
            if kind == "along":
                i = i if i in wide else 0
                values.append(rng.choice(ALONG)(values[i], axis=1))
            elif kind == "single":
                values.append(rng.choice(SINGLE)(values[i]))
            else:
                values.append(rng.choice(PAIRS)(values[i], values[j]))
            parts = {i, j} if kind == "pair" else {i}
            used |= parts
            wide |= {number} if kind != "along" and parts & wide else set()
        free = [value for number, value in enumerate(values) if number > 3 and number not in used]
        return (*free[-4:], 0.0 * x + 0.0 * w + 0.0 * c + 0.0 * e)

    return function


def _drawn(run: int, **more: Any) -> Any:
    n = 2 + (run * 7) % 39
    return ts.equation(drawn(run), x=(4, n), w=(1, n), c=(4, 1), e=(1, 1), **more)


def sizes(length: int = 512, inverse: bool = False, **more: Any) -> generation.Kind:
    """Return requests of attention with heads of other sizes."""
    make: Any = ts.attention_inv if inverse else ts.attention
    return 25e-3, lambda run, **given: make(7, length, length, 40 + 4 * run, **more, **given)


KINDS: dict[str, generation.Kind] = {
    **generation.KINDS,
    "softmax 256 x 32n": rows("softmax", 256, step=32),
    "softmax 4096 x n": rows("softmax", 4096, 1000),
    "softmax of any rows": rows("softmax", ts.RUNTIME),
    "log_softmax": rows("log_softmax"), "softmax_inv": rows("softmax_inv"),
    "layernorm": rows("layernorm"), "batchnorm_training": (None, rows("batchnorm_training")[1]),
    "clip_own_norm": (None, rows("clip_own_norm")[1]),
    "40 nodes drawn": (15e-3, _drawn), "40 nodes drawn, f64": (15e-3, lambda run, **more: _drawn(
        run + 100, dtype="f64", **more)),
    "gather, multiply, sum": (None, lambda run, **more: ts.equation(
        lambda x, i, j: ts.sum(ts.gather(x, i) * ts.gather(x, j), axis=1), x=(64, 384 + 4 * run), i=(99,), j=(99,),
        **more)),
    "softmax(x.T)": (None, lambda run, **more: ts.equation(
        lambda x: ts.softmax(x.T, axis=1), x=(384 + 4 * run, 64), **more)),
    **{f"attention {dtype}": heads(dtype=dtype) for dtype in ("bf16", "f16", "f64")},
    "attention of other sizes": sizes(),
    "attention of other sizes, causal": sizes(causal=True),
    "attention_inv of other sizes": sizes(528, inverse=True),
    "attention bf16 causal": heads(causal=True, dtype="bf16"),
    "attention f16 causal": heads(causal=True, dtype="f16"),
    "attention mask": heads(mask="full"), "attention row mask": heads(mask="row"),
    "attention grouped": heads(kv_heads=2, lse=True), "attention odd": heads(odd=1),
    "attention odd, causal": heads(odd=1, causal=True),
    "attention bf16 odd, causal": heads(odd=1, causal=True, dtype="bf16"),
    "attention odd, mask": heads(odd=1, mask="full"),
    "attention odd, causal, mask": heads(odd=1, causal=True, mask="full"),
    "attention of size 37, odd": heads(size=37, odd=1),
    "attention_inv bf16": heads(inverse=True, dtype="bf16"),
    "attention_inv causal": heads(inverse=True, causal=True),
    "attention_inv odd": heads(inverse=True, odd=1),
    "attention_inv odd, causal": heads(inverse=True, odd=1, causal=True),
    "attention_inv bf16 odd, causal": heads(inverse=True, odd=1, causal=True, dtype="bf16"),
    "attention_inv odd, causal, mask": heads(inverse=True, odd=1, causal=True, mask="full"),
}


# Nests

COUNT, BLOCK = 32, 64
BLOCKED = ((COUNT, COUNT, BLOCK, BLOCK), "f32")
WARM, NESTS = 60, 300


def made(candidate: Candidate, body: Any) -> Any:
    """Return the nest, with its code in executable pages."""
    nest = ts.nest(candidate.string, blocked(dict.fromkeys("abc", (0, COUNT, 1)), candidate), body,
                   A=BLOCKED, B=BLOCKED, C=BLOCKED)
    assert nest.job.block.address
    return nest


def times() -> list[float]:
    """Return the processor time of each nest, in a process that has made some before. The body is a product with an
    activation, as in listing 1 of the paper."""
    first, more = (ts.brgemm(BLOCK, BLOCK, BLOCK, beta=beta) for beta in (0, 1))
    body, taken = product_body(first, more, ts.unary("relu", BLOCK, BLOCK)), []
    for candidate in strings(product_rules(), dict.fromkeys("abc", COUNT), most=WARM + NESTS):
        start = time.thread_time_ns()
        made(candidate, body)
        taken.append((time.thread_time_ns() - start) * 1e-9)
    return taken[WARM:]


def nests(run: Run) -> Row:
    taken = times()
    return {"nests": len(taken), "median": statistics.median(taken), "least": min(taken)}


# Instructions

SHAPE = 64, 48, 64
REPEAT, PEACHPY_REPEAT = 40, 5
MOST, RATIO = 1.2e-6, 20.0
WAYS = {"peachpy_function": "PeachPy, its functions", "peachpy": "PeachPy, instructions alone",
        "first": "ours, the first kernel of a process", "new": "ours, a kernel of a new shape",
        "distinct": "ours, each different instruction once", "again": "ours, a kernel made before"}
"""What is timed. First: forms are compiled. New: forms are known, bytes are not. Again: the bytes are remembered."""
Operands = tuple[Any, ...]


def seconds(target: Target) -> tuple[dict[str, float], int, list[str]]:
    """Encode the kernel of a target in all ways; return the times of an instruction, how many there are, and the
    mnemonics that are left out."""
    machine = machine_for(target)
    gemm.emit(machine, plan(ts.gemm_spec(*SHAPE), machine.facts))
    code = machine.asm.finish()
    shared, calls = _shared(code)
    emitters = {form.mnemonic: TABLE.emitter(form.mnemonic) for form, _ in shared}
    todo = [(emitters[form.mnemonic], operands) for form, operands in shared]
    answer, encode = peachpy.ask(calls, PEACHPY_REPEAT), partial(_encode, X86Assembler(code.target))
    found = {
        "peachpy_function": answer.us_in_function * 1e-6, "peachpy": answer.us * 1e-6, "first": encode(_fresh(shared)),
        "new": min(_forgetting(emitters, encode, todo) for _ in range(REPEAT)),
        "distinct": min(_forgetting(emitters, encode, list(dict.fromkeys(todo))) for _ in range(REPEAT)),
        "again": min(encode(todo) for _ in range(REPEAT)),
    }
    return found, len(shared), sorted({form.mnemonic for form, _, _ in code.record} - set(emitters))


def _shared(code: Code) -> tuple[list[tuple[Any, Operands]], list[str]]:
    """Return the forms and operands of the instructions that PeachPy also has, and its calls for them."""
    record = [(form, operands) for form, operands, _ in code.record if not form.relocates(operands)]
    calls = [peachpy.call(form.mnemonic, [_stated(form, each) for each in operands]) or "UNKNOWN()"
             for form, operands in record]
    known = [not isinstance(answer, str) for answer in peachpy.ask(calls).results]
    return list(compress(record, known)), list(compress(calls, known))


def _stated(form: Any, operand: Any) -> Any:
    """Return an operand with an explicit size of memory, which is implicit in ours."""
    if not isinstance(operand, Mem):
        return operand
    wanted = next(c for c in form.classes if c.touches_memory)
    return operand._with(size=wanted.size, broadcast=wanted.count if operand.broadcast else 0)


def _fresh(shared: list[tuple[Any, Operands]]) -> list[tuple[Emitter, Operands]]:
    """Return the calls with emitters of a new table, which has not read any row yet."""
    table = InstructionTable(ROWS, expand)
    emitters = {form.mnemonic: table.emitter(form.mnemonic) for form, _ in shared}
    return [(emitters[form.mnemonic], operands) for form, operands in shared]


def _encode(asm: X86Assembler, todo: list[tuple[Emitter, Operands]]) -> float:
    """Encode everything once, and return the seconds per instruction."""
    start = time.perf_counter()
    for emitter, operands in todo:
        emitter(asm, *operands)
    return (time.perf_counter() - start) / len(todo)


def _forgetting(emitters: dict[str, Emitter], encode: Callable[..., float], todo: list[Any]) -> float:
    """Do a pass with the remembered bytes cleared; which form takes which kinds of operands stays known."""
    for emitter in emitters.values():
        inspect.getclosurevars(emitter).nonlocals["remembered"].clear()
    return encode(todo)


def encoded(run: Run, name: str) -> Iterator[Row]:
    found, count, left_out = seconds(ts.host() if name == "host" else TARGETS[name])
    shape, without = "x".join(map(str, SHAPE)), " ".join(left_out)
    run.remark(f"BRGEMM {shape} f32 for {name}: {count} instructions (without {without})")
    for way, what in WAYS.items():
        yield {"target": name, "way": way, "what": what, "seconds": found[way], "by": found["peachpy"] / found[way],
               **{f"new by {peer}": found[peer] / found["new"] if way == "new"
                                                          else nan for peer in ("peachpy", "peachpy_function")}}



OF_NESTS = (Wanted("a new nest, median", 1e-3, "median", unit="s"),)
OF_INSTRUCTIONS = (Wanted("{target}: a kernel of a new shape", MOST, "seconds", unit="s", where={"way": "new"}),
                   Wanted("{target}: by PeachPy's instructions", RATIO, "new by peachpy"),
                   Wanted("{target}: by PeachPy's functions", RATIO, "new by peachpy_function"))
BENCH = Bench("generation", __doc__, lambda run: (
    generation.table({name: kind for name, kind in KINDS.items() if run.options.only in name}, "kernels"),
    Table("nests", "nests; median, CPU ms=median:2m; least=least:2m", ((),), nests, goals=OF_NESTS),
    Table("instructions", "target; encoder=what; us each=seconds:3u; times PeachPy's instructions=by:1",
          ("host", "avx2"), encoded, goals=OF_INSTRUCTIONS)),
    {"--only": {"default": "", "help": "kinds of kernels whose name has this in it"},
     "--target": {"help": "the target of kernels; without it, this processor"}}, alone=False, foreign=True, share=2.0)
