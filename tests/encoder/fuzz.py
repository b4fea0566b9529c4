"""Check random operands of every form with every oracle: `python -m tests.encoder.fuzz --seed 1 --resume --arch x86`.

A run takes the mnemonics in batches and writes its progress to a state file after each batch, so that it can be stopped
and resumed. Another seed draws other operands; the nasty ones are in every run. The exit status is 1 if anything
disagrees.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.encoder import agreement
from tests.encoder.a64_draws import draws as a64_draws
from tests.oracles import gnu_a64, llvm_a64
from tilesmith.encoder.a64.assembler import TABLE as A64
from tilesmith.encoder.a64.forms import UNKNOWN_TO_GNU
from tilesmith.encoder.x86.assembler import TABLE as X86

_BATCH = 12  # mnemonics


@dataclass
class State:
    """The progress of a run."""

    arch: str
    seed: int
    draws: int
    done: int = 0  # mnemonics
    encodings: int = 0
    disagreements: list[str] = field(default_factory=list)


def _check_x86(mnemonics: list[str], draws: int, seed: int) -> tuple[int, list[str]]:
    """Return the number of encodings tried, and the disagreements."""
    forms: list[Any] = [form for mnemonic in mnemonics for form in X86.forms(mnemonic)]
    cases = agreement.cases_of(forms, draws, seed)
    oracles = [
        agreement.disagreements_with_llvm,
        agreement.disagreements_with_gnu,
        agreement.disagreements_with_decoder,
    ]
    if find_spec("ziglang"):
        oracles.append(agreement.disagreements_with_newer_llvm)
    return len(cases), [text for oracle in oracles for text in oracle(cases)]


def _check_a64(mnemonics: list[str], draws: int, seed: int) -> tuple[int, list[str]]:
    """Do the same for AArch64. movprfx is left to its own test, since LLVM judges it by the next line."""
    forms: list[Any] = [form for mnemonic in mnemonics if mnemonic != "movprfx" for form in A64.forms(mnemonic)]
    cases = [(form, word, operands) for form in forms for word, operands in a64_draws(form, draws, seed).items()]
    theirs: list[Any] = llvm_a64.assemble([form.text(operands) for form, _, operands in cases])
    known = [case for case in cases if not case[0].features & UNKNOWN_TO_GNU]
    source = "".join(form.gas(operands, word.to_bytes(4, "little")) + "\n" for form, word, operands in known)
    data = gnu_a64.assemble(source, "-march=all")
    theirs += [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]
    wrong = [
        f"{form.text(operands)}: ours {word:#010x}, theirs {their}"
        for (form, word, operands), their in zip([*cases, *known], theirs, strict=True)
        if their != word
    ]
    wrong += [
        f"{form.text(o)}: decoded and encoded again differs"
        for form, word, o in cases
        if form.encode(o) != word.to_bytes(4, "little")
    ]
    return len(cases), wrong


# The mnemonics of an architecture, and the function that checks some of them.
_ARCHITECTURES: dict[str, tuple[list[str], Callable[[list[str], int, int], tuple[int, list[str]]]]] = {
    "x86": (list(X86), _check_x86),
    "a64": (list(A64), _check_a64),
}


def run(state: State, save: Callable[[State], None]) -> State:
    """Do the rest of the run."""
    mnemonics, check = _ARCHITECTURES[state.arch]
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("mnemonics"),
        TextColumn("{task.fields[encodings]:,} encodings, {task.fields[wrong]} wrong"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as progress:
        task = progress.add_task(
            f"{state.arch} seed {state.seed}",
            total=len(mnemonics),
            completed=state.done,
            encodings=state.encodings,
            wrong=len(state.disagreements),
        )
        while state.done < len(mnemonics):
            batch = mnemonics[state.done : state.done + _BATCH]
            count, wrong = check(batch, state.draws, state.seed)
            state.done += len(batch)
            state.encodings += count
            state.disagreements += wrong
            save(state)
            progress.update(task, completed=state.done, encodings=state.encodings, wrong=len(state.disagreements))
            for text in wrong[:5]:
                progress.console.print(text, style="red", markup=False)
    return state


def main() -> int:
    """Run or resume, and print how it ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", choices=_ARCHITECTURES, default="x86")
    parser.add_argument("--seed", type=int, default=1, help="draws other operands (1)")
    parser.add_argument("--draws", type=int, default=200, help="operand draws for each form (200)")
    parser.add_argument("--resume", action="store_true", help="go on where a run with this seed stopped")
    parser.add_argument("--state", type=Path, help="the state file (.build/fuzz-ARCH-SEED.json)")
    arguments = parser.parse_args()
    path = arguments.state or Path(".build", f"fuzz-{arguments.arch}-{arguments.seed}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    state = State(arguments.arch, arguments.seed, arguments.draws)
    if arguments.resume and path.exists():
        state = State(**json.loads(path.read_text()))
    run(state, lambda now: path.write_text(json.dumps(asdict(now), indent=1)) and None)
    print(f"{state.encodings:,} encodings of {state.done} mnemonics, {len(state.disagreements)} disagreements: {path}")
    return 1 if state.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
