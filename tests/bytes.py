"""Hash the machine code of seeded requests, over all kinds of kernels, element types and named targets.

    python -m tests.bytes --seed 1              compare 2,110 requests with tests/golden/bytes.txt
    python -m tests.bytes --seed 1 --write      replace the file, after an intended change of code

A refactoring must not change a byte. An intended change shows in the lines of the golden file that differ, and its
commit says why they differ. Requests use only the public functions, so that the tool survives any move of modules; the
catalogue of activations gives their names, so that a new activation shows as lines that the file lacks.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, NamedTuple

import tilesmith as ts
from tilesmith.microkernels.functions.activations import CATALOGUE

GOLDEN = Path(__file__).parent / "golden" / "bytes.txt"
DRAWN = 2000
TARGETS = (
    "avx2",
    "avx512",
    "avx2_vnni",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx",
    "amx_fp16",
    "neon",
    "neon_bf16",
    "sve128",
    "sve256",
    "sve512",
    "sme128",
    "sme256",
    "sme512",
)
"""The targets of drawn requests; the list is fixed so that a new target does not change the requests."""
FLOATS = ("f32", "f64", "bf16", "f16", "f8e5m2", "f8e4m3")
FUNCTIONS = tuple(CATALOGUE)
INTEGERS = ("i32", "i16", "u16", "i8", "u8", "i64")
GEMM_TYPES = (
    "f32",
    "f32",
    "f64",
    "bf16",
    "f16",
    "i8",
    "i16",
    "f8e5m2",
    "f8e4m3",
    "f16xf16",
    "f32x3bf16",
    "f64xi8",
    ("bf16", "bf16", "f32"),
    ("f16", "f16", "f32"),
    ("u8", "i8", "i32"),
    ("i8", "u8", "i32"),
    ("u8", "i8", "f32"),
)
EPILOGUES: dict[str, Callable[..., Any]] = {
    "relu(c)": lambda c: ts.relu(c),
    "gelu(c + bias)": lambda c, bias: ts.gelu(c + bias),
    "c * 0.5 + bias": lambda c, bias: c * 0.5 + bias,
}
EQUATIONS: dict[str, Callable[..., Any]] = {
    "tanh(x) + g": lambda x, g: ts.tanh(x) + g,
    "select(x > g, x * g, exp(x))": lambda x, g: ts.select(x > g, x * g, ts.exp(x)),
    "sigmoid(x) * x, maximum(x, g)": lambda x, g: (ts.sigmoid(x) * x, ts.maximum(x, g)),
}
REDUCTIONS = ("sum", "product", "max", "min", "absmax", "argmax", "argmin")
PARAMETERS = {"dropout": {"rate": 0.25}, "dropout_inv": {"rate": 0.25}, "dropout_mask": {"rate": 0.25}}
LAYOUTS = ("vnni2", "vnni4", "vnni2_to_vnni2t", "vnni4_to_plain", "amxa", "amxb", "mmla2x4", "mmla2x8", "plaint")


class Request(NamedTuple):
    """A call of a public function; `shown` has the text of arguments that have no useful repr."""

    function: str
    positional: tuple[Any, ...]
    keywords: dict[str, Any]
    shown: dict[str, str]

    def __str__(self) -> str:
        texts = {name: self.shown.get(name, repr(value)) for name, value in self.keywords.items()}
        positional = [self.shown.get(str(i), repr(value)) for i, value in enumerate(self.positional)]
        return f"{self.function}({', '.join([*positional, *(f'{k}={v}' for k, v in texts.items())])})"


def requests(seed: int) -> Iterator[Request]:
    """Yield requests without end; the same seed yields the same requests."""
    rng = random.Random(seed)
    while True:
        yield rng.choice(_DRAWS)(rng)


def standard() -> list[Request]:
    """Return requests for all functions with accuracy "standard" on several targets."""
    found = []
    for name in FUNCTIONS:
        for target, dtype in (("avx2", "f32"), ("avx512", "f16"), ("sve256", "f64")):
            keywords = {"dtype": dtype, "accuracy": "standard", "target": target}
            found.append(Request("unary", (name, 7, 33), keywords, {}))
        found.append(Request("binary", (f"{name}_inv", 7, 33), {"accuracy": "standard", "target": "neon"}, {}))
    return found


def attentions() -> list[Request]:
    """Return requests for attention with whole blocks and with odd lengths, forward and backward."""
    asked: list[dict[str, Any]] = [
        {},
        {"causal": True},
        {"mask": "full"},
        {"mask": "row", "causal": True},
        {"causal": True, "mask": "full"},
    ]
    found = []
    for number, more in enumerate(asked):
        for function in ("attention", "attention_inv"):
            for target, dtype in (("avx2", "f32"), ("avx512", "f16"), ("neon", "f64"), ("amx", "bf16")):
                lengths = (128, 128, 64) if number % 2 and dtype == "f64" else (133 + number, 101 - 2 * number, 37)
                found.append(Request(function, (2, *lengths), {"dtype": dtype, **more, "target": target}, {}))
    return found


def dot_products() -> list[Request]:
    """Return products of bytes of all signs on a target with SDOT and UDOT alone, which is not drawn."""
    found = []
    for x, y in product(("u8", "i8"), repeat=2):
        for positional, more in (
            ((9, 16, 35), {}),
            ((33, 17, 64), {"b_layout": "vnni"}),
            ((16, 7, 19), {"order": "F"}),
        ):
            keywords = {"dtype": (x, y, "i32"), **more, "target": "neon_dotprod"}
            found.append(Request("brgemm", positional, keywords, {}))
    return found


def fixed_matrices() -> list[Request]:
    """Return products with fixed sparse matrices, as code and as a loop over entries."""
    found = []
    for number, (target, dtype) in enumerate(
        product(("avx2", "avx512", "neon", "sve256", "sse", "sme512"), ("f32", "f64", "bf16"))
    ):
        rows, columns, kept = (50, 80, 1) if number % 7 == 3 else (20, 35, 5)
        a = [[(7 * i + 3 * j) % 11 - 5 if (i * j + i) % kept == 0 else 0 for j in range(columns)] for i in range(rows)]
        more = ({}, {"side": "right", "packed": 5}, {"beta": 1, "ldb": 50}, {"side": "right", "order": "F"})[number % 4]
        keywords = {"dtype": dtype, **more, "target": target}
        text = f"{rows} x {columns}, one of {kept}"
        found.append(Request("sparse_kernel", (a, 40), keywords, {"0": text}))
    return found


def fingerprint(request: Request) -> str:
    """Return the first 64 bits of the code's SHA-256, or the class of the exception that refuses the request."""
    before = ts.set_accuracy("fast")  # for lines that state no accuracy: they are older than the current default
    try:
        kernel = getattr(ts, request.function)(*request.positional, **request.keywords)
    except (ts.UnsupportedError, ValueError, TypeError) as error:
        return type(error).__name__
    finally:
        ts.set_accuracy(before)
    return hashlib.sha256(kernel.code).hexdigest()[:16]


def _extent(rng: random.Random, most: int = 70) -> int:
    return rng.choice((1, 3, 16, 17, 31, 64, rng.randint(1, most)))


def _brgemm(rng: random.Random) -> Request:
    m, n, k = (_extent(rng) for _ in range(3))
    dtype = rng.choice(GEMM_TYPES)
    keywords: dict[str, Any] = {"dtype": dtype}
    shown: dict[str, str] = {}
    same = rng.choice("CF")
    keywords["order"] = rng.choice((same, same, tuple(rng.choice("CF") for _ in range(3))))
    batch = rng.choice((None, None, 1, 4, ts.STRIDE, ts.OFFSET, ts.ADDRESS))
    if batch is not None:
        keywords["batch"] = batch
        shown["batch"] = repr(batch) if isinstance(batch, int) else f"ts.{batch.name}"
    if rng.random() < 0.3:
        keywords["beta"] = 0.0
    if rng.random() < 0.15 and dtype in ("f32", "f64"):
        keywords["alpha"] = 0.5
    if rng.random() < 0.15:
        keywords["ldc"] = ts.RUNTIME
        shown["ldc"] = "ts.RUNTIME"
    if rng.random() < 0.2 and dtype not in ("f32", "f64"):
        keywords[rng.choice(("a_layout", "b_layout"))] = rng.choice(("vnni", "mmla"))
    if rng.random() < 0.25:
        text = rng.choice([*EPILOGUES])
        keywords["epilogue"], shown["epilogue"] = EPILOGUES[text], text
    return _made(rng, "brgemm", (m, n, k), keywords, shown)


def _elementwise(rng: random.Random) -> Request:
    kind = rng.choice(("unary", "unary", "binary", "ternary"))
    name = rng.choice(ts.primitives()[kind])
    keywords: dict[str, Any] = {"dtype": rng.choice((*FLOATS, "f32", "bf16", *INTEGERS))}
    if rng.random() < 0.3:
        keywords["accuracy"] = rng.choice(("fast", "accurate"))
    if rng.random() < 0.2:
        keywords["out"] = rng.choice((*FLOATS, *INTEGERS))
    if kind == "binary" and rng.random() < 0.5:
        keywords["bcast"] = (None, rng.choice(("row", "col", "scalar")))
    keywords |= PARAMETERS.get(name, {})
    return _made(rng, kind, (name, _extent(rng), _extent(rng, 200)), keywords, {})


def _equation(rng: random.Random) -> Request:
    text = rng.choice([*EQUATIONS])
    m, n = _extent(rng), _extent(rng, 200)
    g = rng.choice(((1, n), (m, 1), (1, 1), (m, n)))
    keywords: dict[str, Any] = {"x": (m, n), "g": g, "dtype": rng.choice(("f32", "f64", "bf16", "f16"))}
    return _made(rng, "equation", (EQUATIONS[text],), keywords, {"0": text})


def _reduction(rng: random.Random) -> Request:
    keywords: dict[str, Any] = {"dtype": rng.choice((*FLOATS, "f32", *INTEGERS)), "axis": rng.choice((0, 1, None))}
    if rng.random() < 0.2:
        keywords["squared"] = rng.choice((True, "both"))
    return _made(rng, "reduce", (rng.choice(REDUCTIONS), _extent(rng), _extent(rng, 300)), keywords, {})


def _transpose(rng: random.Random) -> Request:
    m = _extent(rng)
    in_place = rng.random() < 0.2
    keywords: dict[str, Any] = {"dtype": rng.choice(("f32", "f64", "bf16", "i8", "u16", "c128"))}
    if in_place:
        keywords["in_place"] = True
    return _made(rng, "transpose", (m, m if in_place else _extent(rng)), keywords, {})


def _transform(rng: random.Random) -> Request:
    positional = (rng.choice(LAYOUTS), _extent(rng), _extent(rng), rng.choice(("bf16", "i8", "f32", "f16")))
    return _made(rng, "transform", positional, {}, {})


def _moved(rng: random.Random) -> Request:
    m, n = _extent(rng), _extent(rng)
    keywords: dict[str, Any] = {"dtype": rng.choice(("f32", "f64", "bf16", "i8")), "index": rng.choice(("i32", "i64"))}
    if rng.random() < 0.4:
        return _made(rng, "embedding_bag", (m, n), {**keywords, "size": 100, "count": 40}, {})
    by = rng.choice(("rows", "columns", "offsets", "stride"))
    size = {"size": 9000, "step": 2} if by == "stride" else {"size": 9000}
    return _made(rng, rng.choice(("gather", "scatter")), (by, m, n), {**keywords, **size}, {})


def _made(
    rng: random.Random, function: str, positional: tuple[Any, ...], keywords: dict[str, Any], shown: dict[str, str]
) -> Request:
    return Request(function, positional, {**keywords, "target": rng.choice(TARGETS)}, shown)


_DRAWS = (_brgemm, _brgemm, _brgemm, _elementwise, _elementwise, _equation, _reduction, _transpose, _transform, _moved)


def lines(seed: int, step: int = 1) -> Iterator[str]:
    """Yield requests with their fingerprints; only the first of every `step` requests is built."""
    drawn = islice(requests(seed), DRAWN)
    for number, request in enumerate(chain(drawn, standard(), attentions(), dot_products(), fixed_matrices())):
        if number % step == 0:
            yield f"{fingerprint(request)} {request}"


def differences(seed: int, step: int = 1, wanted: Sequence[str] | None = None) -> list[str]:
    """Return the differences from the golden file, or from these lines: other fingerprints, and requests that one of
    the two lacks."""
    golden = _by_request(GOLDEN.read_text().splitlines() if wanted is None else wanted)
    found = _by_request(lines(seed, step))
    changed = [
        f"- {golden[each]} {each}\n+ {now} {each}" for each, now in found.items() if golden.get(each, now) != now
    ]
    new = [f"+ {now} {each}" for each, now in found.items() if each not in golden]
    gone = [f"- {old} {each}" for each, old in golden.items() if each not in found] if step == 1 else []
    return [*changed, *new, *gone]


def _by_request(wanted: Iterable[str]) -> dict[str, str]:
    """Return the fingerprint of each request."""
    return {request: code for code, _, request in (line.partition(" ") for line in wanted)}


def main(arguments: list[str]) -> int:
    """Return 0 if nothing differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.bytes", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"replace {GOLDEN.name}")
    options = parser.parse_args(arguments)
    if options.write:
        GOLDEN.write_text("\n".join(lines(options.seed)) + "\n")
        return 0
    wrong = differences(options.seed)
    print("\n".join([*wrong, f"{len(wrong)} of {len(GOLDEN.read_text().splitlines())} differ"]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
