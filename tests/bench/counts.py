"""Instructions of kernels, by qemu and the emulator, and cycles by llvm-mca: `tilesmith bench counts --tables NAME`.

    aarch64    what qemu executes of a kernel, by kind, in a whole call and, in brackets, in the loop over k; and the
               cycles of a pass of that loop by llvm-mca-19, with the share in which the pipes of FMAs are busy
    units, n1  the same of matrix units of NEON and SVE, on products of 64 x 64 x 256: the share of the unit's
               instructions in the loop and its multiplications per instruction; n1 has SDOT and UDOT alone
    sme        what the emulator executes of SME kernels of 512 bits: outer products, loads of vectors and of rows of
               ZA, moves out of ZA (and a few of general registers, which have the same name), zips, stores. On
               processors whose cores share an SME unit, general instructions do not occupy it, so one share leaves them
               out
    tiles      what the emulator executes on AMX tiles with rows given at the call / with a fixed number of rows
    shuffles   the code of transposes and layout changes, without what sets a kernel up, beside the count in the paper
               or chapter, and the cycles to which llvm-mca bounds the ports
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tilesmith as ts
from tests.mixed_cases import BF16_F32, INTEGERS, Mixed, call_of
from tests.oracles import mca
from tilesmith.emulation.qemu.trace import executed
from tilesmith.encoder.code import Code, Instruction
from tilesmith.microkernels.gemm import emit
from tilesmith.microkernels.gemm.plan import GemmPlan, plan
from tilesmith.microkernels.gemm.spec import GemmSpec, gemm_spec
from tilesmith.microkernels.machines.registry import TARGETS, machine_class, machine_for
from tilesmith.microkernels.transform.spec import transform_spec, transpose_spec
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.kernel.callable import Kernel

CPUS = ("neoverse-v1", "neoverse-v2")
"""The models of AArch64."""
N1 = "neoverse-n1"
BRANCHES = ("j", "b.", "cbnz", "tbnz")
"""The prefixes of the mnemonics of conditional branches."""
Loop = tuple[Instruction, ...]
"""The instructions of a loop, of which the last is the branch back."""
Counted = Callable[[Instruction], bool]


def code_of(target: str, spec: GemmSpec) -> tuple[Code, GemmPlan]:
    """Return a kernel of a product that reads its operands without a copy, and its plan."""
    machine, found = machine_for(TARGETS[target]), plan(spec, machine_class(TARGETS[target]).facts_of(TARGETS[target]))
    assert isinstance(found, GemmPlan)
    emit.emit(machine, found)
    return machine.asm.finish("kernel"), found


def is_fma(instruction: Instruction) -> bool:
    """Whether an instruction of AArch64 multiplies vectors of floats."""
    return instruction.form.mnemonic in ("fmla", "fmul")


def innermost_loops(code: Code) -> list[Loop]:
    """Return the loops that have no other loop in them."""
    branches = [i for i in code.instructions if i.form.mnemonic.startswith(BRANCHES)]
    back = [(i.operands[-1].offset, i.offset) for i in branches if i.operands[-1].offset < i.offset]
    inner = [loop for loop in back if not any(o != loop and loop[0] <= o[0] and o[1] <= loop[1] for o in back)]
    return [tuple(i for i in code.instructions if first <= i.offset <= last) for first, last in inner]


def innermost(code: Code, counted: Counted = is_fma) -> Loop | None:
    """Return the shortest innermost loop whose body has an instruction that is counted, or None if there is none."""
    return min((loop for loop in innermost_loops(code) if any(map(counted, loop))), key=len, default=None)


def of_models(loop: Loop, counted: Counted = is_fma, cpus: Sequence[str] = CPUS) -> Row:
    """Return the cycles of one pass of a loop as llvm-mca simulates it, and the share of its counted instructions."""
    row: Row = {}
    for cpu in cpus:
        row[cpu], alone = (mca.cycles(body, "a64", cpu).simulated for body in (loop[:-1], list(filter(counted, loop))))
        row[f"{cpu} busy"] = alone / row[cpu]
    return row


def models(cycles: str = "", cpus: Sequence[str] = CPUS) -> str:
    """Return the columns of `of_models`."""
    return "".join(f"; {cpu}{cycles}={cpu}:1; busy %={cpu} busy:0%" for cpu in cpus)


# NEON and SVE

A64 = (("neon", 16, 6, 1), ("neon", 16, 6, 1, True), ("neon", 16, 6, 64), ("neon", 16, 6, 64, True),
       ("neon", 64, 6, 64), ("sve256", 64, 6, 64), ("sve512", 64, 6, 64))
"""Column-major f32 kernels; with True, their leading dimensions are given at the call, as for the course's kernels."""
A64_KINDS = ("FMA", "load", "store", "other")


def _a64_kind(instruction: Instruction) -> str:
    return "FMA" if is_fma(instruction) else {"ld": "load", "st": "store"}.get(instruction.form.mnemonic[:2], "other")


def aarch64(run: Run, target: str, m: int, n: int, k: int, runtime: bool = False) -> Row:
    leading = dict.fromkeys(("lda", "ldb", "ldc"), ts.RUNTIME) if runtime else {}
    code, _ = code_of(target, gemm_spec(m, n, k, order="F", **leading))
    a, b, c = (np.ones((rows, columns), np.float32, order="F") for rows, columns in ((m, k), (k, n), (m, n)))
    times, loop = executed(code, a, b, c, *((m, k, m) if runtime else ())), innermost(code)
    whole, inner = Counter[str](), Counter[str]()
    for counter, instructions in ((whole, code.instructions), (inner, loop or ())):
        for instruction in instructions:
            counter[_a64_kind(instruction)] += times[instruction.offset]
    return {"target": target, "shape": f"{m}x{n}x{k}{' runtime ld' * runtime}",
            **{name: f"{whole[name]} [{inner[name]}]" for name in A64_KINDS}, "share": whole["FMA"] / whole.total(),
            "inner share": inner["FMA"] / (inner.total() or float("nan")), **(of_models(loop) if loop else {})}


BF16, I8, U8I8 = ("bf16", "bf16", "f32"), ("i8", "i8", "i32"), ("u8", "i8", "i32")
PRODUCTS = {"bfmmla": 16, "bfdot": 8, **dict.fromkeys(("smmla", "ummla", "usmmla"), 32),
            **dict.fromkeys(("sdot", "udot", "usdot", "sudot"), 16), "smlal": 4, "smlal2": 4, "fmla": 4}
"""Multiplications per instruction, for each 128 bits of its result."""
SIZE = 64, 64, 256
UNITS: tuple[tuple[Any, ...], ...] = (
    *((target, dtypes, layout, "exact") for target in ("neon_bf16", "sve128", "sve256") for dtypes in (BF16, I8, U8I8)
      for layout in ("mmla", "vnni", "plain")),
    ("neon", ("f32",) * 3, "plain", "exact"), ("neon", BF16, "vnni", "fast"), ("neon", I8, "vnni", "exact"),
)
"""Targets, types, the layout of both operands, numerics."""
UNITS_OF_N1 = tuple((target, dtypes, layout, "exact", (N1,)) for target in ("neon", "neon_dotprod")
                    for dtypes in (I8, U8I8) for layout in ("vnni", "plain"))


def units(run: Run, name: str, dtypes: Any, layout: str, numerics: str, cpus: Sequence[str] = CPUS) -> Row | None:
    spec = ts.gemm_spec(*SIZE, dtype=dtypes, a_layout=layout, b_layout=layout, numerics=numerics)
    code, plan = code_of(name, spec)
    found = {i.form.mnemonic for i in code.instructions} & set(PRODUCTS)
    unit = {each for each in found if PRODUCTS[each] == max(PRODUCTS[other] for other in found)}

    def counted(instruction: Instruction) -> bool:
        return instruction.form.mnemonic in unit

    loop = innermost(code, counted)
    if loop is None:
        return None
    products = TARGETS[name].vector_bits // 128 * sum(PRODUCTS.get(i.form.mnemonic, 0) for i in loop) / len(loop)
    return {"target": name, "types": ",".join(dtypes), "layout": layout, "loop": len(loop), "products": products,
            "unit": plan.product.unit.name if plan.product.unit else "FMLA",
            "share": sum(map(counted, loop)) / len(loop), **of_models(loop, counted, cpus)}


# Tiles: SME and AMX

F32, F64 = ("f32",) * 3, ("f64",) * 3
ALONG = ("F", "C", "C")  # both factors are stored in the order that outer products need
PACKED = ("vnni", "vnni")
SME: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("f32, a F, b C", (64, 64, 64, F32, ALONG)), ("f32, all C", (64, 48, 64, F32)),
    ("f32, a F, b F", (64, 48, 64, F32, ("F", "F", "C"))), ("f64, a F, b C", (64, 64, 64, F64, ALONG)),
    ("f64, all C", (64, 32, 64, F64)), ("bf16, a F, b C, packed", (64, 64, 64, BF16_F32, ALONG, PACKED)),
    ("bf16, a F, b C, plain", (64, 64, 64, BF16_F32, ALONG)),
    ("bf16, all C, b packed", (64, 48, 64, BF16_F32, ("C", "C", "C"), ("plain", "vnni"))),
    ("i8, a F, b C, packed", (64, 64, 64, INTEGERS[2], ALONG, PACKED)),
    ("i8, a F, b C, plain", (64, 64, 64, INTEGERS[2], ALONG)),
)
SME_KINDS = {"products": ("fmopa", "bfmopa", "smopa"), "loads": ("ldr", "ld1b", "ld1h", "ld1w", "ld1d"),
             "moves": ("mova", "mov"), "zips": ("zip1", "zip2"), "stores": ("st1w", "st1d")}


def sme(run: Run, name: str, given: Any) -> Row:
    case = Mixed(*given, beta=0.0)
    call = call_of(case, "end")
    done = ts.brgemm(**case.request, target="sme512").emulate(*call.arguments, **call.keywords)
    found = {kind: sum(done.counts.get(each, 0) for each in names) for kind, names in SME_KINDS.items()}
    return {"product": name, "shape": f"{case.m}x{case.n}x{case.k}", **found, "all": done.steps,
            "share": found["products"] / done.steps, "share of unit": found["products"] / sum(found.values())}


AMX_TYPES = ((BF16, "vnni"), (BF16, "plain"), (("bf16",) * 3, "vnni"), (U8I8, "vnni"))
AMX = [(*types, n, k, m) for types in AMX_TYPES for n, k in ((64, 64), (96, 512), (48, 32), (256, 64), (100, 100))
       for m in (1, 8, 16, 17, 64, 100, 256)]


def on_tiles(kernel: Any, m: int, n: int, k: int, types: tuple[str, str, str]) -> tuple[int, ...]:
    """Return the bytes of a kernel, and the tile products, tile loads and stores, and other instructions of a call."""
    packed = kernel.spec.groups[1]
    b = (-(-k // packed), n, packed) if packed > 1 else (k, n)
    counts = kernel.emulate(*(np.zeros(each, numpy_dtype(t)) for each, t in zip(((m, k), b, (m, n)), types))).counts
    products, moves = (sum(count for name, count in counts.items() if name.startswith(prefix))
                       for prefix in ("tdp", ("tileload", "tilestore")))
    return len(kernel.code), products, moves, sum(counts.values()) - products - moves


def tiles(run: Run, types: Any, layout: str, n: int, k: int, m: int) -> Row:
    request: dict[str, Any] = {"dtype": types, "target": "amx", "beta": 0, "b_layout": layout}
    both = (on_tiles(ts.brgemm(rows, n, k, **request), m, n, k, types) for rows in (ts.RUNTIME, m))
    pairs = dict(zip(("bytes", "products", "moves", "others"), (f"{one} / {other}" for one, other in zip(*both))))
    return {"types": f"{','.join(types)} {layout}", "n x k": f"{n} x {k}", "rows": m, **pairs}


# Shuffles

SHUFFLES: tuple[tuple[Any, ...], ...] = (
    ("avx512", transpose_spec(16, 16, loads="whole"), "TPP paper, figure 5, 64 shuffles: 96"),
    ("avx512", transpose_spec(16, 16, loads="pieces"), ""),
    ("avx512_vnni", transpose_spec(16, 16), ""),
    ("neon", transpose_spec(4, 4), "course chapter, listing 7.3.2: 16"),
    ("avx512", transpose_spec(32, 8, dtype="bf16"), "AMX chapter, example 20-26, lines 9-72: 64"),
    ("avx512", transform_spec("vnni2_to_vnni2t", 16, 4, dtype="bf16"), "20-27, lines 9-22: 14"),
    ("avx512", transform_spec("vnni2t", 16, 8, dtype="bf16"), "20-28, lines 9-36: 28"),
    ("avx512", transform_spec("vnni2", 2, 32, dtype="bf16"), "20-29, lines 3-9: 7"),
    ("avx2", transpose_spec(8, 8, loads="whole"), ""), ("avx2", transpose_spec(8, 8), ""),
    ("avx2", transpose_spec(16, 16, dtype="bf16"), ""), ("avx512", transpose_spec(64, 16, dtype="i8"), ""),
    ("neon", transpose_spec(16, 16, dtype="i8"), ""), ("neon", transform_spec("mmla2x4", 2, 8, dtype="bf16"), ""),
    ("sve256", transpose_spec(8, 8), ""), ("sve512", transpose_spec(16, 16), ""),
    ("sve256", transpose_spec(16, 16, dtype="bf16"), ""),
)
"""Targets, requests, and the number of instructions in the source: loads, shuffles, stores."""
SHUFFLE_KINDS = ("load", "insert", "shuffle", "copy", "store")
SHUFFLE_CPUS = {"x86": ("znver4", "sapphirerapids"), "a64": ("neoverse-v1",)}
SETUP = ("endbr64", "ret", "vzeroupper", "hint", "ptrue", "whilelo", "movz", "mov", "adr", "add", "kmovw", "kmovd",
         "dec", "jne", "sub", "subs", "b.ne", "cbnz")
_PLACES = ("zmmword", "ymmword", "xmmword", "qword", "dword", "[")


def _shuffle_kind(instruction: Instruction) -> str:
    """Return the kind of an instruction: load, store, shuffle, insert (a load that also shuffles), copy or setup."""
    mnemonic, text = instruction.form.mnemonic, instruction.text
    memory, before = "[" in text, text.split("[")[0].replace("{v", "")
    if mnemonic in SETUP or (memory and "rip" in text) or (mnemonic == "ldr" and not memory):
        return "setup"
    if mnemonic.startswith(("vinsert", "vmovhps", "ld1")) and memory and "{" not in before:
        return "insert"
    if mnemonic.startswith(("st", "vextract", "vmovnt")):
        return "store"
    if mnemonic.startswith(("vmov", "ld")):
        return "copy" if not memory else "store" if text.split(None, 1)[1].lstrip().startswith(_PLACES) else "load"
    return "shuffle"


def shuffles(run: Run, target: str, spec: Any, source: str) -> Row:
    code = Kernel(spec, TARGETS[target])._code
    found, arch = Counter(map(_shuffle_kind, code.instructions)), code.target.arch
    body = [each for each in code.instructions if _shuffle_kind(each) != "setup"]
    ports = {cpu: mca.cycles(body, arch, cpu).by_ports for cpu in SHUFFLE_CPUS[arch]}
    return {"target": target, "request": f"{spec}{f' loads={spec.loads}' if spec.loads else ''}",
            **{name: found[name] for name in SHUFFLE_KINDS}, "sum": len(body), "source": source,
            "ports": ", ".join(f"{cpu} {cycles:g}" for cpu, cycles in ports.items())}


OF_UNITS = "target; types; layout; unit; loop; of the unit %=share:0%; mult. an instr.=products:1"
BENCH = Bench("counts", __doc__, (
    Table("aarch64", "target; m x n x k=shape; FMA; load; store; other; FMA of all=share:2; in the loop=inner share:2"
          + models(", cycles a pass"), A64, aarch64,
          "Executed instructions (qemu), one call; in the loop over k in brackets"),
    Table("units", OF_UNITS + models(), UNITS, units, f"Loop over k, {' x '.join(map(str, SIZE))}, both in the layout"),
    Table("n1", OF_UNITS + models(cpus=(N1,)), UNITS_OF_N1, units, "The same on a Neoverse N1"),
    Table("sme", f"product; m x n x k=shape; {'; '.join(f'{kind}:0' for kind in SME_KINDS)}; all:0; products of all %="
          "share:0%; of those of the SME unit %=share of unit:0%", SME, sme, "Executed instructions, one call, sme512"),
    Table("tiles", "types; n x k; rows; bytes; tile products=products; loads, stores=moves; others", AMX, tiles,
          "Executed instructions, rows at the call / a fixed number of rows"),
    Table("shuffles", f"target; request; {'; '.join(f'{name}:0' for name in SHUFFLE_KINDS)}; sum:0; source; ports",
          SHUFFLES, shuffles, "Instructions, and llvm-mca-19's bound of the ports (cycles)")))
