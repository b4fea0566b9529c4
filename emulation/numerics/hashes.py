"""Steps of hash functions and of SM4 as instructions have them, on lists of words with the lowest element first.

Sources: Intel SDM volume 2, SHA1RNDS4 to SHA256RNDS2; ISE 319433, VSHA512*, VSM3*, VSM4*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .galois import sm4_box

Words = list[int]
_ONES = 0xFFFF_FFFF


def left(x: int, by: int) -> int:
    """Rotate 32 bits."""
    by %= 32
    return (x << by | x >> 32 - by) & _ONES


def _right(x: int, by: int, bits: int) -> int:
    return (x >> by | x << bits - by) & (1 << bits) - 1


def _choose(x: int, y: int, z: int) -> int:
    return x & y | ~x & z


def _majority(x: int, y: int, z: int) -> int:
    return x & y | x & z | y & z


def _parity(x: int, y: int, z: int) -> int:
    return x ^ y ^ z


# SHA-1

_SHA1 = ((_choose, 0x5A82_7999), (_parity, 0x6ED9_EBA1), (_majority, 0x8F1B_BCDC), (_parity, 0xCA62_C1D6))


def sha1rnds4(state: Words, message: Words, which: int) -> Words:
    """Four rounds; `message` holds the words, e is already added to the highest."""
    function, constant = _SHA1[which & 3]
    d, c, b, a = state
    e = 0
    for word in reversed(message):
        following = (function(b, c, d) + left(a, 5) + word + e + constant) & _ONES
        a, b, c, d, e = following, a, left(b, 30), c, d
    return [d, c, b, a]


def sha1nexte(state: Words, message: Words) -> Words:
    """Add e, of four rounds ago, to the highest word."""
    return [*message[:3], (message[3] + left(state[3], 30)) & _ONES]


def sha1msg1(x: Words, y: Words) -> Words:
    """The first half of four words of the schedule."""
    return [x[0] ^ y[2], x[1] ^ y[3], x[2] ^ x[0], x[3] ^ x[1]]


def sha1msg2(x: Words, y: Words) -> Words:
    """The second half of four words of the schedule."""
    first = [left(x[3] ^ y[2], 1), left(x[2] ^ y[1], 1), left(x[1] ^ y[0], 1)]
    return [left(x[0] ^ first[0], 1), *reversed(first)]


# SHA-256, SHA-512: the rotations of both functions of the state, then the two rotations and the shift of the schedule's

_Rotations = tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]
_SHA2: dict[int, _Rotations] = {
    32: ((2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10)),
    64: ((28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6)),
}


def _sum(x: int, by: Sequence[int], bits: int) -> int:
    return _right(x, by[0], bits) ^ _right(x, by[1], bits) ^ _right(x, by[2], bits)


def _small(x: int, by: Sequence[int], bits: int) -> int:
    return _right(x, by[0], bits) ^ _right(x, by[1], bits) ^ x >> by[2]


def sha2_msg1(bits: int, x: Words, y: Words) -> Words:
    """Add to four words of the schedule the function of the words that follow each."""
    following = [*x[1:], y[0]]
    return [w + _small(n, _SHA2[bits][2], bits) & (1 << bits) - 1 for w, n in zip(x, following)]


def sha2_msg2(bits: int, x: Words, y: Words) -> Words:
    """Finish four words of the schedule: each also depends on the one two before it."""
    words = y[2:4]
    for w in x:
        words.append(w + _small(words[-2], _SHA2[bits][3], bits) & (1 << bits) - 1)
    return words[2:]


def sha2_rnds2(bits: int, cdgh: Words, abef: Words, words: Words) -> Words:
    """Two rounds; the words contain the constants."""
    (f, e, b, a), (h, g, d, c), ones = abef, cdgh, (1 << bits) - 1
    for word in words[:2]:
        first = h + _sum(e, _SHA2[bits][1], bits) + _choose(e, f, g) + word
        second = _sum(a, _SHA2[bits][0], bits) + _majority(a, b, c)
        a, b, c, d, e, f, g, h = first + second & ones, a, b, c, d + first & ones, e, f, g
    return [f, e, b, a]


# SM3


def sm3msg1(x: Words, y: Words, z: Words) -> Words:
    """The first step of four words of the schedule: P1 of their linear part, without the last word's missing one."""
    mixed = [x[i] ^ z[i] ^ (left(y[i], 15) if i < 3 else 0) for i in range(4)]
    return [w ^ left(w, 15) ^ left(w, 23) for w in mixed]


def sm3msg2(x: Words, y: Words, z: Words) -> Words:
    """The second step of four words of the schedule."""
    words = [x[i] ^ left(y[i], 7) ^ z[i] for i in range(4)]
    words[3] ^= left(words[0], 6) ^ left(words[0], 15) ^ left(words[0], 30)
    return words


def sm3rnds2(cdgh: Words, abef: Words, words: Words, control: int) -> Words:
    """Two rounds, from the round in the immediate on."""
    count = control & 0x3E
    (f, e, b, a), (h, g, d, c) = abef, cdgh
    c, d, g, h = left(c, 9), left(d, 9), left(g, 19), left(h, 19)
    early = count < 16
    constant = left(0x79CC_4519 if early else 0x7A87_9D8A, count)
    for i in range(2):
        one = left(left(a, 12) + e + constant & _ONES, 7)
        two = one ^ left(a, 12)
        first = ((_parity if early else _majority)(a, b, c) + d + two + (words[i] ^ words[i + 2])) & _ONES
        second = ((_parity if early else _choose)(e, f, g) + h + one + words[i]) & _ONES
        a, b, c, d = first, a, left(b, 9), c
        e, f, g, h = second ^ left(second, 9) ^ left(second, 17), e, left(f, 19), g
        constant = left(constant, 1)
    return [f, e, b, a]


# SM4


def sm4(linear: Callable[[int], int], state: Words, keys: Words) -> Words:
    """Four rounds."""
    words = list(state)
    for key in keys:
        x = words[-3] ^ words[-2] ^ words[-1] ^ key
        substituted = int.from_bytes(sm4_box()[list(x.to_bytes(4, "little"))].tobytes(), "little")
        words.append(words[-4] ^ linear(substituted))
    return words[4:]


def sm4_round(x: int) -> int:
    """The linear part of a round."""
    return x ^ left(x, 2) ^ left(x, 10) ^ left(x, 18) ^ left(x, 24)


def sm4_key(x: int) -> int:
    """The linear part of a round of the key schedule."""
    return x ^ left(x, 13) ^ left(x, 23)
