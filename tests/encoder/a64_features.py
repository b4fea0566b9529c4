"""Compare the feature column of AArch64 rows with what llvm-mc requires: no feature is missing and none is superfluous.

LLVM must assemble a form for a processor with the row's features and what they imply, and must reject it if any of them
is missing. A feature that either of two others provides is tried as each of them.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

from tests.encoder.a64_instances import instance
from tests.oracles import llvm_a64
from tilesmith.encoder.a64.forms import A64Form
from tilesmith.encoder.a64.targets import IMPLIES
from tilesmith.encoder.features import closure

Features = frozenset[str]

EITHER = {"SME_OR_SVE2p1": ("SME", "SVE2p1"), "SME2_OR_SVE2p1": ("SME2", "SVE2p1")}
# LLVM assembles smstart, which is an msr, for every processor.
BY_HAND = {"smstart": frozenset(("SME",)), "smstop": frozenset(("SME",))}
# LLVM has one name for two features; the mnemonic decides. Source: Arm ARM (DDI 0487) C4.1.96, A2.
TWINS = {
    r"sha1.*": "NEON_SHA1",
    r"sha256.*": "NEON_SHA256",
    r"sha512.*": "NEON_SHA512",
    r"sm3.*": "NEON_SM3",
    r"sm4.*": "NEON_SM4",
    r"eor3|bcax|rax1|xar": "NEON_SHA3",
}
# An instruction that must follow a prefix; LLVM judges both lines.
_PREFIXED = {"": "add {0}.b, {0}.b, #1", "m": "neg {0}.{1}, {2}/m, z31.{1}", "z": "neg {0}.{1}, {2}/m, z31.{1}"}


def wrong(forms: Iterable[A64Form]) -> list[str]:
    """Return what is missing or superfluous in the feature columns of the forms' rows."""
    problems: list[str] = []
    alike: dict[Features, list[A64Form]] = defaultdict(list)
    for form in forms:
        expected = BY_HAND.get(form.mnemonic)
        if expected is None:
            alike[form.features].append(form)
        elif form.features != expected:
            problems.append(f"{form.syntax()}: {sorted(expected)} by definition")
    for features, those in alike.items():
        problems += _judged(features, those)
    return problems


def _judged(features: Features, forms: list[A64Form]) -> Iterator[str]:
    unknown = features - set(llvm_a64.FEATURES) - set(EITHER)
    if unknown:
        yield f"{forms[0].syntax()}: no feature {', '.join(unknown)}"
        return
    texts = [_text(form) for form in forms]
    for has in _processors(features):
        yield from (f"{text}: {error} ({sorted(features)} are too few)" for text, error in _rejected(texts, has))
    for feature in sorted(features):
        if feature in closure(features - {feature}, IMPLIES):
            yield f"{texts[0]}: {feature} is implied by the others of {sorted(features)}"
        for has in _without(features, feature):
            rejected = {text for text, _ in _rejected(texts, has)}
            yield from (f"{text}: {feature} is not needed" for text in texts if text not in rejected)
    for form in forms:
        twin = next((name for names, name in TWINS.items() if re.fullmatch(names, form.mnemonic)), "")
        twins = form.features & set(TWINS.values())
        if twins and twins != {twin}:
            yield f"{form.syntax()}: {twin or 'another feature'} by its name"


def _without(features: Features, feature: str) -> Iterator[Features]:
    """Yield processors that have as many of the features as possible without this one, and without others that provide
    it."""
    left = frozenset(other for other in closure(features, IMPLIES) if not _same(other, feature))
    yield from (has for has in _processors(left) if feature not in has)
    for other in EITHER.get(feature, ()):
        yield closure({*(features - {feature}), other}, IMPLIES) - {other, *EITHER}


def _same(one: str, other: str) -> bool:
    """Whether LLVM has the same name for both features."""
    return one == other or one in llvm_a64.FEATURES and llvm_a64.FEATURES[one] == llvm_a64.FEATURES.get(other)


def _processors(features: Features) -> Iterator[Features]:
    """Yield closed sets of features: one for each choice of the features that provide others."""
    for chosen in product(*(EITHER[name] for name in sorted(features & set(EITHER)))):
        yield closure({*features, *chosen}, IMPLIES)


def _text(form: A64Form) -> str:
    operands = instance(form, random.Random(form.word)).operands
    text = form.text(operands)
    if form.mnemonic != "movprfx":
        return text
    kind = operands[1].kind.partition("/")[2]
    name, _, element = str(operands[0]).partition(".")
    return f"{text}\n{_PREFIXED[kind].format(name, element, str(operands[1])[:2])}"


def _rejected(texts: list[str], features: Features) -> Iterator[tuple[str, str]]:
    """Yield the texts that LLVM does not assemble for a processor with these features; of two lines the first
    counts."""
    lines = [line for text in texts for line in text.split("\n")]
    results = iter(llvm_a64.assemble(lines, features - set(EITHER)))
    for text in texts:
        result = [next(results) for _ in text.split("\n")][0]
        if isinstance(result, str):
            yield text, result
