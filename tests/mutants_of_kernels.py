"""How strong proofs are: mutants of the bytes of kernels, each against the proof of its request.

    python -m tests.mutants_of_kernels --seed 1                 all kernels, a mutant of each field of each instruction
    python -m tests.mutants_of_kernels --seed 1 --limit 20      at most twenty mutants of each kernel, drawn
    python -m tests.mutants_of_kernels --seed 1 --only sve256   kernels whose name has this
    python -m tests.mutants_of_kernels --seed 1 --minutes 30    verdicts are kept; the next run goes on behind them
    python -m tests.mutants_of_kernels --seed 1 --fresh         without those that earlier runs kept

A mutant differs in one bit, which makes another instruction of the same length: another opcode, register, immediate,
address or mask. It is to be refuted. One that is proved must be equivalent: the emulator executes both on inputs of
several seeds, and every result must be equal. If one is not, the proof was false, and the exit status is 1. Why it is
equivalent is found by executing both side by side: tests/equivalence.py. Verdicts are kept in .build/proofs, by the
hash of the source that decides on them.
"""

from __future__ import annotations

import argparse
import hashlib
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random
from typing import Any, NamedTuple

import numpy as np

import tilesmith as ts
from tests.equivalence import effect
from tests.kept_results import CRASHED, Kept
from tilesmith.emulation.core.faults import TooLong
from tilesmith.emulation.cpu import execute
from tilesmith.encoder.decode import decode
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import every_call, verify

TARGETS = ("sse", "avx2", "avx512", "avx512_bf16", "neon", "neon_bf16", "sve256", "sme512")
MAKERS: dict[str, Callable[[str], Any]] = {
    "transpose f32 5x7": lambda t: ts.transpose(5, 7, target=t),
    "transpose bf16 9x4": lambda t: ts.transpose(9, 4, dtype="bf16", target=t),
    "vnni2 bf16 6x5": lambda t: ts.transform("vnni2", 6, 5, target=t),
    "copy f32 3x9": lambda t: ts.unary("identity", 3, 9, target=t),
    "relu f32 3x5": lambda t: ts.unary("relu", 3, 5, target=t),
    "square f64 2x5": lambda t: ts.unary("square", 2, 5, dtype="f64", target=t),
    "add f32 3x5": lambda t: ts.binary("add", 3, 5, target=t),
    "muladd f32 2x9": lambda t: ts.ternary("muladd", 2, 9, target=t),
    "relu bf16 2x9": lambda t: ts.unary("relu", 2, 9, dtype="bf16", target=t),
    "sum of rows f32 3x11": lambda t: ts.reduce("sum", 3, 11, axis=1, target=t),
    "sum of columns f32 5x6": lambda t: ts.reduce("sum", 5, 6, axis=0, target=t),
    "mean of rows bf16 2x5": lambda t: ts.reduce("mean", 2, 5, axis=1, dtype="bf16", target=t),
    "max of rows f32 3x9": lambda t: ts.reduce("max", 3, 9, axis=1, target=t),
    "min of columns f64 5x3": lambda t: ts.reduce("min", 5, 3, axis=0, dtype="f64", target=t),
    "absmax of all f32 2x9": lambda t: ts.reduce("absmax", 2, 9, target=t),
    "max of rows bf16 2x5": lambda t: ts.reduce("max", 2, 5, axis=1, dtype="bf16", target=t),
    "argmax of columns i32 4x5": lambda t: ts.reduce("argmax", 4, 5, axis=0, dtype="i32", target=t),
    "argmin of columns f32 4x5": lambda t: ts.reduce("argmin", 4, 5, axis=0, target=t),
    "brgemm f32 3x5x4": lambda t: ts.brgemm(3, 5, 4, target=t),
    "brgemm f64 3x3x2 beta 0": lambda t: ts.brgemm(3, 3, 2, dtype="f64", beta=0, target=t),
    "brgemm bf16 3x5x4": lambda t: ts.brgemm(3, 5, 4, dtype="bf16", target=t),
    "brgemm u8xi8 2x5x8": lambda t: ts.brgemm(2, 5, 8, dtype=("u8", "i8", "i32"), target=t),
    "brgemm f32 3x5x4 F": lambda t: ts.brgemm(3, 5, 4, order="F", batch=2, target=t),
    "gather of rows f32 3x5": lambda t: ts.gather("rows", 3, 5, size=4, bounds="kernel", target=t),
    "scatter by offsets f32 2x3": lambda t: ts.scatter("offsets", 2, 3, size=8, target=t),
    "bag f32 3x5": lambda t: ts.embedding_bag(3, 5, size=4, count=6, weights=True, target=t),
    "bag of max f32 3x5": lambda t: ts.embedding_bag(3, 5, size=4, count=6, name="max", target=t),
    "relu f32 of any rows": lambda t: ts.unary("relu", ts.RUNTIME, 3, target=t),
    "brgemm f32 of any rows": lambda t: ts.brgemm(ts.RUNTIME, 5, 3, beta=0, target=t),
    "dropout f32 2x5": lambda t: ts.unary("dropout", 2, 5, rate=0.25, target=t),
    "relu and its mask f32 2x9": lambda t: ts.equation(lambda x: (ts.relu(x), x > 0.0), x=(2, 9), target=t),
    "derivative of dropout f32 2x9": lambda t: ts.binary("dropout_inv", 2, 9, rate=0.1, target=t),
    "add f32 9x160 in a loop": lambda t: ts.binary("add", 9, 160, target=t),
    "transpose f32 160x8 in a loop": lambda t: ts.transpose(160, 8, target=t),
    "softmax f32 2x9": lambda t: ts.fused("softmax", 2, 9, target=t),
    "layernorm f32 2x11": lambda t: ts.fused("layernorm", 2, 11, target=t),
    "adam f32 2x9": lambda t: ts.fused("adam", 2, 9, target=t),
    "chain f32 2x3": lambda t: ts.equation(lambda x, w, b: ts.relu(x @ w + b) - x @ w, x=(2, 3), w=(3, 5), b=(5,),
                                           target=t),  # fmt: skip
    "attention f32 1x2x3x2": lambda t: ts.attention(1, 2, 3, 2, target=t),
    "attention f32 1x2x3x2 with a mask": lambda t: ts.attention(1, 2, 3, 2, mask="full", target=t),
    "attention bf16 1x2x3x2": lambda t: ts.attention(1, 2, 3, 2, dtype="bf16", target=t),
    "rows by an index f32 3x5": lambda t: ts.equation(lambda x, i, e: ts.gather(x, i) * e, x=(4, 5), i=(3,), e=(3, 5),
                                                      target=t),  # fmt: skip
    "rows added by an index f32 3x5": lambda t: ts.equation(lambda x, i: ts.scatter(x * 2.0, i, 4, add=True), x=(3, 5),
                                                            i=(3,), bounds="kernel", target=t),  # fmt: skip
    "batchnorm_training f32 4x5": lambda t: ts.fused("batchnorm_training", 4, 5, target=t),
    "dropout, residual, layernorm f32 2x9": lambda t: ts.fused("bias_dropout_residual_layernorm", 2, 9, target=t),
    "chain of any rows f32": lambda t: ts.equation(lambda x, w: ts.relu(x @ w), x=(ts.RUNTIME, 3), w=(3, 5), target=t),
    "bias and relu f32 3x5x4": lambda t: ts.brgemm(3, 5, 4, epilogue=lambda c, bias: ts.relu(c + bias), target=t),
}
SEEDS = 6
SECONDS = 5
"""Of processor time for a proof."""
REFUTED, OPEN, ENDLESS, EQUIVALENT, FALSE = "refuted", "no proof", "endless", "equivalent", "FALSE PROOF"
VERDICTS = (REFUTED, OPEN, ENDLESS, EQUIVALENT, FALSE)


class Mutant(NamedTuple):
    """One bit of an instruction."""

    offset: int
    bit: int
    field: str
    before: str
    after: str

    def of(self, code: bytes) -> bytes:
        """The code with it."""
        made = bytearray(code)
        made[self.offset + self.bit // 8] ^= 1 << self.bit % 8
        return bytes(made)


def kernels(only: str = "") -> Iterator[tuple[str, Any]]:
    """Those that can be made and are proved, whose names have this."""
    for name, make in MAKERS.items():
        for target in TARGETS:
            if only not in f"{name} for {target}":
                continue
            with suppress(UnsupportedError):
                kernel = make(target)
                if kernel.verify():
                    yield f"{name} for {target}", kernel


def mutants(kernel: Any, random: Random) -> list[Mutant]:
    """One for each field of each instruction."""
    code, arch = kernel.code, kernel.target.arch
    found: list[Mutant] = []
    for instruction in kernel._code.instructions:
        own = decode(code, instruction.offset, arch)
        if own is None or own.length != len(instruction.data):
            continue  # padding
        fields: dict[str, list[Mutant]] = defaultdict(list)
        for bit in range(8 * own.length):
            flip = Mutant(instruction.offset, bit, "", own.text, "")
            other = decode(flip.of(code), instruction.offset, arch)
            if other is not None and other.length == own.length:
                changed = field_of(own, other)
                fields[changed].append(flip._replace(field=changed.split(" ")[0], after=other.text))
        found += [random.choice(those) for those in fields.values()]
    return found


def field_of(own: Any, other: Any) -> str:
    """Which part of an instruction differs; of operands with their number."""
    if own.form is not other.form:
        return "opcode" if own.form.mnemonic != other.form.mnemonic else "form"
    for number, (a, b) in enumerate(zip(own.operands, other.operands)):
        if str(a) == str(b):
            continue
        if getattr(a, "mask", None) is not getattr(b, "mask", None) or str(a).split(" {")[0] == str(b).split(" {")[0]:
            return f"mask {number}"
        if isinstance(a, int) or type(a).__name__ == "Named":
            return f"immediate {number}"
        return f"{'address' if type(a).__name__ == 'Mem' else 'register'} {number}"
    return "ignored"


# Verdicts


class _OutOfTime(Exception):
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """_OutOfTime after so many seconds of processor time: a mutant of a loop's counter may run for ever."""

    def stop(*given: Any) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def verdict(kernel: Any, mutant: Mutant) -> tuple[str, str]:
    """(one of VERDICTS, the reason)."""
    code = mutant.of(kernel.code)
    try:
        with within(SECONDS):
            proof = verify(code, kernel.target, kernel.spec, kernel.kind)
    except _OutOfTime:
        return without_end(kernel, code) or (OPEN, f"no verdict in {SECONDS} s")
    except UnsupportedError as reason:
        return other_results(kernel, code) or (OPEN, str(reason))
    except Exception as error:  # a mutant may lead the emulator anywhere; what it raises is no verdict
        return OPEN, f"the prover raised {type(error).__name__}: {error}"
    if proof.refuted:
        return REFUTED, str(proof.refutation).splitlines()[0]
    if not proof:
        return other_results(kernel, code) or (OPEN, next(str(claim) for claim in proof.claims if not claim.holds))
    different = difference(kernel, code)
    if different:
        return FALSE, different
    return EQUIVALENT, reason_of(kernel, mutant)


def other_results(kernel: Any, code: bytes) -> tuple[str, str] | None:
    """Refuted by the kernel that it is a mutant of, which is proved: the emulator gives other results."""
    with suppress(_OutOfTime), within(SECONDS):
        different = difference(kernel, code)
        return (REFUTED, f"{different}, than of the proved kernel") if different else None
    return without_end(kernel, code)


def without_end(kernel: Any, code: bytes) -> tuple[str, str] | None:
    """Whether it does not return within many times the instructions of the kernel."""
    for _, call in every_call(kernel.spec, kernel.kind)[1]:
        fill(call.arrays, 0, True)
        limit = 1000 + 100 * execute(kernel.code, kernel.target, call.integers, call.regions).steps
        try:
            execute(code, kernel.target, call.integers, call.regions, limit=limit)
        except TooLong:
            return ENDLESS, f"not at its end after {limit} instructions, a hundred times those of the kernel"
        except RuntimeError as error:
            return REFUTED, str(error)
    return None


def reason_of(kernel: Any, mutant: Mutant) -> str:
    """Why another instruction does the same."""
    if mutant.before == mutant.after:
        return "a bit that the processor ignores"
    calls = every_call(kernel.spec, kernel.kind)[1]
    found = []
    for seed, (_, call) in enumerate(calls):
        fill(call.arrays, seed, False)
        found.append(effect(kernel, mutant.of(kernel.code), mutant.offset, call))
        if found[-1]:
            return f"nothing depends on what differs: {found[-1]}"
    if all(each is None for each in found):
        return "no execution comes there"
    if sorted(mutant.before) == sorted(mutant.after):
        return "operands that commute"
    same = mutant.before.split()[0] == mutant.after.split()[0]
    return "operands of the same value" if same else "another instruction of the same effect"


def difference(kernel: Any, code: bytes) -> str:
    """Where the emulator gives other results, in words; empty where it does not."""
    sums = type(kernel.spec).__name__ == "ReduceSpec" and kernel.spec.name in ("sum", "mean", "product")
    exact = hasattr(kernel.spec, "batch") or sums
    for seed in range(SEEDS):
        for _, call in every_call(kernel.spec, kernel.kind)[1]:
            results, steps = [], 0
            for each in (kernel.code, code):
                fill(call.arrays, seed, exact)
                try:
                    steps = execute(each, kernel.target, call.integers, call.regions, junk=seed or None,
                                    limit=1000 + 100 * steps if steps else 10_000_000).steps  # fmt: skip
                except RuntimeError as error:
                    return f"seed {seed}: {error}"
                results.append([np.array(region.array) for region in call.regions if region.writable])
            if not all(_same(*pair) for pair in zip(*results)):
                return f"seed {seed}: another result"
    return ""


def fill(arrays: Sequence[Any], seed: int, exact: bool) -> None:
    """Small numbers, whose sums are exact; without `exact` also bits of any kind, so numbers of all sizes, and NaN, or
    zeros of both signs, infinities and NaN among small numbers."""
    rng = np.random.default_rng(seed)
    for array in arrays:
        if exact or seed == 0:
            low = 0 if array.dtype.kind == "u" else -3
            array[...] = rng.integers(low, 3, array.shape, endpoint=True).astype(array.dtype)
        elif seed % 2 and array.dtype.kind not in "iu":
            array[...] = rng.choice(_STRANGE, array.shape, p=_OFTEN).astype(array.dtype)
        else:
            array.view(f"u{array.itemsize}")[...] = np.frombuffer(rng.bytes(array.nbytes), f"u{array.itemsize}"
                                                                  ).reshape(array.shape)  # fmt: skip


_STRANGE, _OFTEN = (0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan), (0.3, 0.3, 0.1, 0.14, 0.05, 0.05, 0.06)


def _same(first: Any, second: Any) -> bool:
    """Bit for bit; NaN is one value."""
    if first.dtype.kind in "iu":
        return bool((first == second).all())
    raw = f"u{first.itemsize}"
    with np.errstate(all="ignore"):
        nan = np.isnan(first.astype(np.float64)) & np.isnan(second.astype(np.float64))
    return bool(((first.view(raw) == second.view(raw)) | nan).all())


# The table


def main(arguments: list[str]) -> int:
    """1 for a false proof."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants_of_kernels", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, help="mutants of each kernel")
    parser.add_argument("--only", default="", help="part of the names of kernels")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="then it ends; the next goes on")
    parser.add_argument("--fresh", action="store_true", help="without the verdicts of earlier runs, which are kept")
    parser.add_argument("--quiet", action="store_true", help="the table alone, without what is equivalent or open")
    options = parser.parse_args(arguments)
    own = ("tests/mutants_of_kernels.py",)
    run = Run(options, Kept(None) if options.fresh else Kept.of("mutants", options.seed, own))
    count = sum(run.kernel(*each) for each in kernels(options.only))
    notes = [] if options.quiet else run.notes
    print("\n".join([*notes, "", *table(run.found), "", *reasons(run.reasons), "", f"{count} kernels"]))
    if run.left:
        print(f"{run.left} mutants are left: the next run goes on")
    return int(any(what == FALSE for each in run.found.values() for what in each))


class Run:
    """Verdicts on mutants, kernel by kernel."""

    def __init__(self, options: Any, kept: Kept) -> None:
        self.options, self.kept, self.began, self.left = options, kept, time.monotonic(), 0
        self.found: dict[str, Counter[str]] = defaultdict(Counter)
        self.reasons: Counter[str] = Counter()
        self.notes: list[str] = []

    def kernel(self, name: str, kernel: Any) -> int:
        """All mutants of one, as far as the time goes."""
        random = Random(f"{self.options.seed} {name}")
        drawn = mutants(kernel, random)
        if self.options.limit is not None and len(drawn) > self.options.limit:
            drawn = random.sample(drawn, self.options.limit)
        stem = f"{name} {hashlib.sha256(kernel.code).hexdigest()[:8]}"
        for mutant in drawn:
            self._mutant(name, f"{stem} {mutant.offset:#x}.{mutant.bit}", kernel, mutant)
        print(f"{name}: {len(drawn)} mutants, {self._seconds():.0f} s", file=sys.stderr, flush=True)
        return 1

    def _seconds(self) -> float:
        return time.monotonic() - self.began

    def _mutant(self, name: str, key: str, kernel: Any, mutant: Mutant) -> None:
        found = self.kept.known(key)
        if found is None and self._seconds() > 60 * self.options.minutes:
            self.left += 1
            return
        if found is None:
            found = self.kept.judged(key, lambda: verdict(kernel, mutant), (OPEN, CRASHED))
        what, reason = found
        self.found[mutant.field][what] += 1
        if what == EQUIVALENT:
            self.reasons[reason] += 1
        if what in (EQUIVALENT, FALSE, OPEN):
            self.notes.append(f"{what}: {name}, {mutant.offset:#x}.{mutant.bit}: {mutant.before} -> {mutant.after}: "
                              f"{reason}")  # fmt: skip


def table(found: dict[str, Counter[str]]) -> list[str]:
    """A row for each field."""
    rows = [f"{'field':10} {'mutants':>8}" + "".join(f"{each:>13}" for each in VERDICTS)]
    total: Counter[str] = sum(found.values(), Counter())
    for name, counts in [*sorted(found.items()), ("all", total)]:
        cells = "".join(f"{counts[each]:13}" for each in VERDICTS)
        rows.append(f"{name:10} {counts.total():8}{cells}")
    return rows


def reasons(found: Counter[str]) -> list[str]:
    """How many are equivalent for which reason."""
    return [f"{count:6}  {reason}" for reason, count in found.most_common()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
