"""SHA-512, SM3 and SM4 by instructions that no processor at hand has: whole digests and blocks."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from tests.emulation.x86.exact import execute, state_with
from tilesmith.encoder.x86 import registers as regs

X, Y = regs.XMM, regs.YMM


def _padded(text: bytes, block: int) -> bytes:
    size = block // 8
    return text + b"\x80" + bytes(-(len(text) + 1 + size) % block) + (8 * len(text)).to_bytes(size, "big")


def _constants(bits: int, count: int) -> list[int]:
    """Return the fractional parts of the cube roots of the first primes."""
    primes = [p for p in range(2, 600) if all(p % q for q in range(2, math.isqrt(p) + 1))][:count]
    return [_cube_root(p << 3 * bits) & (1 << bits) - 1 for p in primes]


def _cube_root(value: int) -> int:
    root = 1 << -(-value.bit_length() // 3)
    while True:
        less = (2 * root + value // root**2) // 3
        if less >= root:
            return root
        root = less


def test_sha512_of_a_text() -> None:
    text = b"The emulator computes a digest."
    state = state_with()
    k = _constants(64, 80)
    initial = [math.isqrt(p << 128) & (1 << 64) - 1 for p in (2, 3, 5, 7, 11, 13, 17, 19)]
    a, b, c, d, e, f, g, h = initial
    message = _padded(text, 128)
    w = [int.from_bytes(message[8 * i : 8 * i + 8], "big") for i in range(16)]

    def ymm(number: int, words: list[int]) -> None:
        state.vectors[number].view(np.uint64)[: len(words)] = words

    for t in range(16, 80, 4):
        ymm(1, w[t - 16 : t - 12])
        ymm(2, w[t - 12 : t - 10])
        execute(state, "vsha512msg1", Y[1], X[2])
        sums = [(int(x) + y) % (1 << 64) for x, y in zip(state.vectors[1].view(np.uint64), w[t - 7 : t - 3])]
        ymm(1, sums)
        ymm(2, w[t - 4 : t])
        execute(state, "vsha512msg2", Y[1], Y[2])
        w += [int(word) for word in state.vectors[1].view(np.uint64)[:4]]
    ymm(3, [f, e, b, a])
    ymm(4, [h, g, d, c])
    for t in range(0, 80, 2):
        ymm(5, [(w[t + i] + k[t + i]) % (1 << 64) for i in range(2)])
        execute(state, "vsha512rnds2", Y[4], Y[3], X[5])
        state.vectors[[3, 4]] = state.vectors[[4, 3]]
    f, e, b, a = (int(x) for x in state.vectors[3].view(np.uint64)[:4])
    h, g, d, c = (int(x) for x in state.vectors[4].view(np.uint64)[:4])
    digest = b"".join(((x + y) % (1 << 64)).to_bytes(8, "big") for x, y in zip((a, b, c, d, e, f, g, h), initial))
    assert digest == hashlib.sha512(text).digest()


def test_sm4_of_the_standard() -> None:
    """GB/T 32907, A.1."""
    plain = bytes.fromhex("0123456789abcdeffedcba9876543210")
    system = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
    words = [int.from_bytes(plain[4 * i : 4 * i + 4], "big") for i in range(4)]
    state = state_with({1: np.array([x ^ y for x, y in zip(words, system)], np.uint32), 2: np.array(words, np.uint32)})
    for first in range(0, 32, 4):
        fixed = [sum(((4 * (first + i) + j) * 7 % 256) << 24 - 8 * j for j in range(4)) for i in range(4)]
        state.vectors[3].view(np.uint32)[:4] = fixed
        execute(state, "vsm4key4", X[1], X[1], X[3])
        execute(state, "vsm4rnds4", X[2], X[2], X[1])
    out = state.vectors[2].view(np.uint32)[:4][::-1]
    assert b"".join(int(x).to_bytes(4, "big") for x in out).hex() == "681edf34d206965e86b3e94f536e4246"


def test_sm3_of_the_standard() -> None:
    """GB/T 32905, A.1: the digest of abc."""
    initial = [0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600, 0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E]
    message = _padded(b"abc", 64)
    w = [int.from_bytes(message[4 * i : 4 * i + 4], "big") for i in range(16)]
    state = state_with()

    def xmm(number: int, words: list[int]) -> None:
        state.vectors[number].view(np.uint32)[:4] = words

    for t in range(16, 68, 4):
        xmm(1, w[t - 9 : t - 5])
        xmm(2, [*w[t - 3 : t], 0])
        xmm(3, w[t - 16 : t - 12])
        execute(state, "vsm3msg1", X[1], X[2], X[3])
        xmm(2, w[t - 13 : t - 9])
        xmm(3, w[t - 6 : t - 2])
        execute(state, "vsm3msg2", X[1], X[2], X[3])
        w += [int(word) for word in state.vectors[1].view(np.uint32)[:4]]
    a, b, c, d, e, f, g, h = initial
    right = lambda x, by: (x >> by | x << 32 - by) & 0xFFFF_FFFF  # noqa: E731
    xmm(4, [f, e, b, a])
    xmm(5, [right(h, 19), right(g, 19), right(d, 9), right(c, 9)])
    for t in range(0, 64, 2):
        xmm(6, [w[t], w[t + 1], w[t + 4], w[t + 5]])
        execute(state, "vsm3rnds2", X[5], X[4], X[6], t)
        state.vectors[[4, 5]] = state.vectors[[5, 4]]
    left = lambda x, by: right(x, 32 - by)  # noqa: E731
    f, e, b, a = (int(x) for x in state.vectors[4].view(np.uint32)[:4])
    h, g, d, c = (int(x) for x in state.vectors[5].view(np.uint32)[:4])
    final = [a, b, left(c, 9), left(d, 9), e, f, left(g, 19), left(h, 19)]
    digest = "".join(f"{x ^ y:08x}" for x, y in zip(final, initial))
    assert digest == "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"
