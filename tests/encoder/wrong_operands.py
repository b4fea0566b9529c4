"""Seeded wrong operands for every mnemonic and every public function of the assemblers.

`python -m tests.encoder.wrong_operands --seed 2` checks all of them. A case is a right call and the same call with one
operand replaced by another value. Whatever that value is, the call must either behave as for the number that the
operand stands for, or raise EncodeError with a message that names the operand. The result must not depend on earlier
calls: each case calls wrong, right, wrong, right on an emitter with empty caches, so that each kind comes before the
other.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.encoder import a64_draws, draws, wrong_values
from tests.encoder.a64_targets import EVERYTHING as A64_EVERYTHING
from tests.encoder.targets import EVERYTHING as X86_EVERYTHING
from tests.encoder.wrong_arguments import FUNCTIONS, Function, fresh
from tilesmith.encoder.a64.assembler import TABLE as A64
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.errors import EncodeError, shown
from tilesmith.encoder.operands import Unique, number
from tilesmith.encoder.x86.assembler import TABLE as X86
from tilesmith.encoder.x86.assembler import X86Assembler

ARCHITECTURES: dict[str, tuple[Any, Callable[[], Any]]] = {
    "x86": (X86, lambda: X86Assembler(X86_EVERYTHING)),
    "a64": (A64, lambda: A64Assembler(A64_EVERYTHING)),
}


class Outcome(NamedTuple):
    """The outcome of a call."""

    data: bytes | None  # the bytes that it appended; None if it raised EncodeError
    message: str = ""
    fault: str = ""  # a description of what it did wrong


def right_calls(arch: str, mnemonic: str, rng: random.Random) -> Iterator[tuple[Any, ...]]:
    """Yield operands that a random form of the mnemonic takes, if it takes any."""
    form: Any = rng.choice(ARCHITECTURES[arch][0].forms(mnemonic))
    seed = rng.randrange(1 << 16)
    made = draws.draws(form, 1, seed) if arch == "x86" else a64_draws.draws(form, 1, seed).values()
    yield from made


def called(arch: str, emit: Callable[..., None], operands: tuple[Any, ...]) -> Outcome:
    """Call an emitter with the operands and return the outcome."""
    asm = ARCHITECTURES[arch][1]()
    try:
        emit(asm, *operands)
    except EncodeError as error:
        left = asm.buffer or asm.record or asm._fixups
        return Outcome(None, str(error), "a refused instruction left something" if left else "")
    except Exception as error:
        return Outcome(None, "", f"raised {type(error).__name__}: {str(error)[:80]}")
    form, kept, _ = asm.record[0]
    odd = [operand for operand in kept if not isinstance(operand, Unique) and type(operand) not in (int, float)]
    text = form.text(kept)
    return Outcome(bytes(asm.buffer), text, f"recorded {shown(odd[0])}" if odd else "")


def answered(function: Function, arguments: tuple[Any, ...]) -> Outcome:
    """Call a public function with the arguments and return the outcome: what it appends, and its result as text."""
    asm = ARCHITECTURES[function.arch][1]()
    try:
        made = function.call(asm, *map(fresh, arguments))
        return Outcome(bytes(asm.buffer), repr(made) + str(asm.notes) + str(list(asm._pool)))
    except EncodeError as error:
        return Outcome(None, str(error))
    except Exception as error:
        if function.name == "mem" and not _hashed(arguments):  # an exception that encoder/errors.py documents
            return Outcome(None, ", ".join(map(shown, arguments)))
        return Outcome(None, "", f"raised {type(error).__name__}: {str(error)[:80]}")


def _hashed(arguments: tuple[Any, ...]) -> bool:
    """Whether the arguments are hashable."""
    try:
        hash(arguments)
    except Exception:
        return False
    return True


Ask = Callable[[tuple[Any, ...]], Outcome]


def faults(
    what: str, new: Callable[[], Ask], right: tuple[Any, ...], wrong: tuple[Any, ...], changed: Any
) -> Iterator[str]:
    """Yield what is wrong with the outcomes of a right and a wrong call; `changed` is the operand that was replaced.

    `new` returns a function that makes the calls, with empty caches.
    """
    ask = new()
    answers = [ask(operands) for operands in (wrong, right, wrong, right)]
    expected = new()(right)
    what = f"{what} {', '.join(map(shown, wrong))} beside {', '.join(map(shown, right))}"
    yield from (f"{what}: {answer.fault}" for answer in answers if answer.fault)
    if answers[0] != answers[2]:
        yield f"{what}: first {answers[0]}, then {answers[2]}"
    if answers[1] != expected or answers[3] != expected:
        yield f"{what}: the right call gives {answers[1]} and {answers[3]}, alone {expected}"
    if expected.data is None:
        yield f"{what}: the right call is refused: {expected.message}"
    if answers[0].data is None and not answers[0].fault:
        if changed is not _COUNT and not any(name in answers[0].message for name in _names(changed)):
            yield f"{what}: the message does not name the operand: {answers[0].message}"
    elif not answers[0].fault:
        plain = new()(tuple(map(number, wrong)))
        if plain != answers[0]:
            yield f"{what}: {answers[0]}, as Python has the numbers {plain}"


def _names(operand: Any) -> Iterator[str]:
    """Yield the ways in which a message may name an operand: as it is, as its number, or by the part that is wrong."""
    yield shown(operand)
    yield shown(number(operand))
    if isinstance(operand, str):
        yield operand
    if isinstance(operand, slice):
        operand = operand.start, operand.stop, operand.step
    if isinstance(operand, tuple):
        yield from map(shown, operand)


_COUNT = object()  # stands for a wrong number of operands


def mutated(rng: random.Random, right: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    """Return the operands with one replaced, left out or added, and the operand that was changed."""
    kind = rng.random()
    if not right or kind < 0.05:
        return (*right, wrong_values.drawn(rng, 1)), _COUNT
    place = rng.randrange(len(right))
    if kind < 0.1:
        return right[:place] + right[place + 1 :], _COUNT
    return replaced(rng, right, place)


def replaced(rng: random.Random, right: tuple[Any, ...], place: int) -> tuple[tuple[Any, ...], Any]:
    """Return the operands with the one at `place` replaced, and the replacement."""
    wrong = wrong_values.drawn(rng, right[place])
    return (*right[:place], wrong, *right[place + 1 :]), wrong


def check(arch: str, mnemonic: str, count: int, seed: int) -> list[str]:
    """Return the faults of `count` wrong calls of a mnemonic."""
    rng = random.Random(f"{arch} {mnemonic} {seed}")
    table = ARCHITECTURES[arch][0]

    def new() -> Ask:
        emit = table.emitter(mnemonic)
        return lambda operands: called(arch, emit, operands)

    found: list[str] = []
    warm = new()  # makes the calls of all cases, one after the other
    for _ in range(count):
        for right in right_calls(arch, mnemonic, rng):
            wrong, changed = mutated(rng, right)
            found += faults(f"{arch} {mnemonic}", new, right, wrong, changed)
            for operands in (right, wrong):
                if warm(operands) != new()(operands):
                    what = f"{arch} {mnemonic} {', '.join(map(shown, operands))}"
                    found.append(f"{what}: {warm(operands)} after other cases, {new()(operands)} alone")
    return found


def check_function(function: Function, count: int, seed: int) -> list[str]:
    """Return the faults of `count` wrong calls of a public function, for each of its arguments."""
    rng = random.Random(f"{function.arch} {function.name} {seed}")
    found: list[str] = []
    for _ in range(count):
        right = function.arguments(rng)
        for place in range(len(right)):
            what = f"{function.arch} {function.name}"
            wrong, changed = replaced(rng, right, place)
            changed = _COUNT if function.adds and type(number(changed)) is int else changed
            found += faults(what, lambda: lambda a: answered(function, a), right, wrong, changed)
    return found


def main() -> int:
    """Check everything, and print what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="draws other operands (1)")
    parser.add_argument(
        "--count", type=int, default=10, help="wrong calls of each mnemonic (10), a tenth of a function's"
    )
    arguments = parser.parse_args()
    count, seed = arguments.count, arguments.seed
    asked = wrong = 0
    every = [(check, (arch, mnemonic, count, seed)) for arch, (table, _) in ARCHITECTURES.items() for mnemonic in table]
    for ask, what in [*every, *((check_function, (function, 10 * count, seed)) for function in FUNCTIONS)]:
        found = ask(*what)  # type: ignore[operator]
        asked, wrong = asked + 1, wrong + bool(found)
        print(*found, sep="\n", end="\n" if found else "")
    print(f"{asked} instructions and functions, {wrong} with a fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
