"""What may follow movprfx, compared with LLVM's assembler, which warns of every sequence that is unpredictable."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator

from tests.encoder.a64_draws import all_forms
from tests.encoder.a64_instances import Instance, instance
from tests.oracles import tools
from tests.oracles.llvm_a64 import assemble
from tests.profiles import scaled
from tilesmith.emulation.a64.prefixes import unpaired
from tilesmith.encoder.decode import decode

REFUSED_HERE = ("bfcvtnt", "cpy", "mov")
"""LLVM accepts bfcvtnt, which GNU as does not, and cpy and mov with a zeroing predicate, which have no use for it."""
_WRONG = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)


def test_sequences_are_those_that_llvm_accepts() -> None:
    rng = random.Random(1)
    forms = [
        form
        for form in all_forms()
        if form.slots and re.match(r"Z[a-z]", form.slots[0].text) and form.mnemonic != "movprfx"
    ]
    pairs = [
        (prefix, made)
        for form in rng.sample(forms, min(scaled(50, 10_000), len(forms)))
        for made in [instance(form, rng)]
        for prefix in _prefixes(made)
    ]
    words = assemble([line for prefix, _ in pairs for line in (prefix, "nop")])[::2]
    pairs, words = zip(*[(pair, word) for pair, word in zip(pairs, words) if isinstance(word, int)])
    lines = [line for prefix, made in pairs for line in (prefix, made.text)]
    said = defaultdict(list)
    stderr = tools.run("llvm-mc-19", "-triple=aarch64-linux", "-mattr=+all", stdin="\n".join(lines), check=False).stderr
    for line, message in _WRONG.findall(stderr):
        said[int(line) - 1].append(message)
    wrong = [
        (prefix, made.text, said[2 * at + 1], mine)
        for at, ((prefix, made), word) in enumerate(zip(pairs, words))
        if bool(mine := _unpaired(word, made)) != bool(said[2 * at + 1])
        and not (mine and made.form.mnemonic in REFUSED_HERE)
    ]
    assert not wrong, wrong[:5]
    assert sum(bool(each) for each in said.values()) > len(pairs) // 2


def test_the_other_sources_of_a_prefixed_instruction() -> None:
    names = [
        "add z0.s, z0.s, z1.s",
        "fmla z0.s, p0/m, z0.s, z1.s",
        "fmla z0.s, p0/m, z1.s, z2.s",
        "abs z0.s, p0/m, z0.s",
        "splice z0.s, p0, z0.s, z0.s",
    ]
    prefix, _, *words = assemble(["movprfx z0, z5", "nop", *names])
    why = ["never prefixes", "z0 as another source", "", "z0 as another source", "z0 as another source"]
    for word, text in zip(words, why):
        said = unpaired(_decoded(prefix), _decoded(word))
        assert (text in said) if text else not said


def _prefixes(made: Instance) -> Iterator[str]:
    number = made.operands[0].num
    free = next(each for each in range(31, -1, -1) if f"z{each}" not in made.text)
    governing = next((each.num for each in made.operands if getattr(each, "kind", "") in ("p/m", "p/z", "p")), 0)
    yield f"movprfx z{number}, z{free}"
    yield f"movprfx z{(number + 1) % 32}, z{number}"
    for size in "bhsd":
        yield f"movprfx z{number}.{size}, p{governing}/m, z{free}.{size}"
        yield f"movprfx z{number}.{size}, p{(governing + 1) % 8}/z, z{free}.{size}"


def _unpaired(prefix: int, made: Instance) -> str:
    return unpaired(_decoded(prefix), _decoded(made.words[-1]))


def _decoded(word: int | str) -> object:
    assert isinstance(word, int)
    return decode(word.to_bytes(4, "little"), 0, "a64")
