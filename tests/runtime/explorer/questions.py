"""Requests that tests of the explorer ask for, each with a target: all kinds, both architectures, several types."""

from __future__ import annotations

import json
from typing import Any

from tilesmith.runtime.explorer.answers import LIMITS, QuestionLimits, answer

QUESTIONS = (
    ("brgemm 16 6 64", "avx512"),
    ("brgemm 16 6 64", "neon"),
    ("brgemm 9 35 15 --order F", "avx2"),
    ("brgemm 8 8 8 --dtype f64 --beta 0", "sse"),
    ("brgemm 16 32 64 --dtype bf16,bf16,f32 --b-layout vnni", "amx"),
    ("brgemm 16 16 64 --dtype u8,i8,i32 --b-layout vnni", "avx512_vnni"),
    ("brgemm 16 24 32 --epilogue 'relu(c + bias)'", "sme256"),
    ("brgemm 4 6 8 --batch stride", "avx"),
    ("brgemm 5 7 9 --stack 3", "sve512"),
    ("brgemm runtime 16 16", "avx2"),
    ("unary gelu 16 64", "sve256"),
    ("unary tanh 5 13 --dtype f64", "avx2"),
    ("unary quantize 8 32 --scale 0.5 --out i8", "avx512"),
    ("binary add 8 33 --bcast row,none", "neon"),
    ("ternary muladd 8 16", "sve128"),
    ("equation 'tanh(x) * g + b' 16 64 --row g,b", "avx512"),
    ("equation 'softmax(x * s, axis=1)' 16 64 --scalar s", "neon"),
    ("equation 'gelu(x @ w + b) @ v' 16 32 --shape x=16x32 --shape w=32x64 --shape v=64x32 --shape b=1x64", "avx2"),
    ("equation 'x - mean(x, axis=1), cumsum(x, axis=1, exclusive=True)' 6 20", "sse"),
    ("fused softmax 16 128", "avx512"),
    ("fused layernorm 8 96 --option eps=1e-6", "sve256"),
    ("fused adamw 16 64", "avx2"),
    ("attention 2 32 64 32 --causal --window 20", "avx512"),
    ("attention_inv 1 16 32 16", "avx2"),
    ("transpose 16 16", "avx512"),
    ("transform vnni2 32 32", "neon"),
    ("reduce sum 16 64 --axis 1", "neon"),
    ("gather rows 8 64 --size 100", "avx2"),
    ("scatter rows 8 64 --size 100", "avx512"),
    ("embedding_bag 8 64 --size 100 --count 40", "sve256"),
)


def asked(request: str, target: str, want: str = "kernel", limits: QuestionLimits = LIMITS) -> dict[str, Any]:
    """Return the answer to a question."""
    made: dict[str, Any] = json.loads(answer(json.dumps({"request": request, "target": target, "want": want}), limits))
    return made
