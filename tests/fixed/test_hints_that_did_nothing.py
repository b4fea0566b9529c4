"""streaming= and prefetch= of an operand that tiles never load from its place, because it is interleaved or padded in
scratch memory first, were accepted and did nothing."""

import random
import re

import pytest

import tilesmith as ts

FOUND = {"streaming": r"\btileloaddt1\b", "prefetch": r"\bprefetch\w+"}
TYPES = [
    ("bf16", "amx"),
    (("bf16", "bf16", "f32"), "amx"),
    (("u8", "i8", "i32"), "amx"),
    (("f16", "f16", "f32"), "amx_fp16"),
]


def drawn(count):
    rng = random.Random(7)
    for _ in range(count):
        shape = [rng.choice((1, 3, 16, 17, 31, 32, 64)) for _ in range(3)]
        dtype, target = rng.choice(TYPES)
        layouts = rng.choice(({}, {"b_layout": "vnni"}, {"a_layout": "vnni"}))
        yield shape, {"dtype": dtype, "target": target, "order": rng.choice("CF"), "beta": 0, **layouts}


def test_a_hint_is_in_the_code_or_refused():
    accepted = refused = 0
    for shape, request in drawn(25):
        for hint, pattern in FOUND.items():
            for letter in "ab":
                try:
                    listing = ts.brgemm(*shape, **request, **{hint: letter}).listing()
                except ts.UnsupportedError:
                    refused += 1
                else:
                    accepted += 1
                    assert re.search(pattern, listing), (shape, request, hint, letter)
    assert accepted >= 10 and refused >= 10


@pytest.mark.parametrize("hint", FOUND)
@pytest.mark.parametrize("order, letter", [("C", "b"), ("F", "a")])
def test_the_reason_and_what_works(hint, order, letter):
    request = {"dtype": "bf16", "target": "amx", "beta": 0, "order": order, hint: letter}
    with pytest.raises(ts.UnsupportedError, match=f'{hint}=.{letter}.: .* interleaved first; {letter}_layout="vnni"'):
        ts.brgemm(64, 64, 64, **request)
    assert re.search(FOUND[hint], ts.brgemm(64, 64, 64, **request, **{f"{letter}_layout": "vnni"}).listing())
    with pytest.raises(ts.UnsupportedError, match="a k that is a multiple of 2 works"):
        ts.brgemm(64, 64, 31, **{**request, hint: "b" if letter == "a" else "a"})
    assert ts.brgemm(64, 64, 30, **{**request, hint: "b" if letter == "a" else "a"})
