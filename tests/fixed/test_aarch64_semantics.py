"""547 AArch64 operations that the assembler offers had no semantics in the emulator: checksums, ciphers, atomics,
saturating products, complex numbers and more. tests/emulation/a64 compares all with qemu; here are known answers."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import numpy as np

from tests.emulation.assembled import SVE, X, assembled
from tests.emulation.numerics.arm import EVERYTHING
from tilesmith.emulation.cpu import call
from tilesmith.encoder.a64.registers import H, Q, S, V, W, listed, mem

TEXT = b"123456789"


def test_crc32_is_that_of_zlib() -> None:
    def emit(m: Any) -> None:
        m.movn(X[2], 0)
        m.ldr(X[1], mem[X[0]])
        m.crc32x(W[2], W[2], X[1])
        m.ldrb(W[1], mem[X[0], 8])
        m.crc32b(W[2], W[2], W[1])
        m.mvn(W[0], W[2])

    assert call(assembled(SVE, emit), SVE, np.frombuffer(TEXT, np.uint8)).result == zlib.crc32(TEXT)


def test_aes_encrypts_as_fips_197_does() -> None:
    key = [bytes.fromhex("000102030405060708090a0b0c0d0e0f")]
    for at in range(10):
        key.append(_next_key(key[-1], at))

    def emit(m: Any) -> None:
        m.ldr(Q[0], mem[X[0]])
        for at in range(10):
            m.ldr(Q[1], mem[X[1], 16 * at])
            m.aese(V[0].b16, V[1].b16)
            if at < 9:
                m.aesmc(V[0].b16, V[0].b16)
        m.ldr(Q[1], mem[X[1], 160])
        m.eor(V[0].b16, V[0].b16, V[1].b16)
        m.str(Q[0], mem[X[0]])

    state = np.frombuffer(bytes.fromhex("00112233445566778899aabbccddeeff"), np.uint8).copy()
    call(assembled(EVERYTHING, emit), EVERYTHING, state, np.frombuffer(b"".join(key), np.uint8))
    assert state.tobytes().hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"  # FIPS 197, C.1


def _next_key(key: bytes, at: int) -> bytes:
    """Return the next round key of AES-128, by the S-box of FIPS 197 for the bytes that this key needs."""
    words = [key[i : i + 4] for i in range(0, 16, 4)]
    turned = bytes(_substituted(byte) for byte in (*words[3][1:], words[3][0]))
    constant = (1, 2, 4, 8, 16, 32, 64, 128, 27, 54)[at]
    result = [bytes(a ^ b ^ (constant if i == 0 else 0) for i, (a, b) in enumerate(zip(words[0], turned)))]
    for word in words[1:]:
        result.append(bytes(a ^ b for a, b in zip(word, result[-1])))
    return b"".join(result)


def _substituted(byte: int) -> int:
    """Return the S-box of a byte: its inverse in GF(2^8), that is its 254th power, and an affine map."""
    power = 1
    for _ in range(254):
        power = _product(power, byte)
    result = 0x63
    for by in range(5):
        result ^= (power << by | power >> 8 - by) & 0xFF
    return result


def _product(a: int, b: int) -> int:
    result = 0
    for _ in range(8):
        result ^= a if b & 1 else 0
        a, b = (a << 1 ^ (0x11B if a & 0x80 else 0)) & 0x1FF, b >> 1
    return result


def test_sha256_of_one_block_is_that_of_hashlib() -> None:
    block = np.frombuffer(b"abc\x80" + bytes(59) + b"\x18", ">u4").astype("<u4")
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, n))]
    roots = np.array([int((n ** (1 / 3) % 1) * 2**32) for n in primes[:64]], np.uint32)
    start = np.array([int((n**0.5 % 1) * 2**32) for n in primes[:8]], np.uint32)

    def emit(m: Any) -> None:
        m.ld1(listed(V[0].s4, V[1].s4, V[2].s4, V[3].s4), mem[X[0]])
        m.ld1(listed(V[4].s4, V[5].s4), mem[X[2]])
        for at in range(16):
            a, b, c, d = (V[(at + i) % 4] for i in range(4))
            m.ldr(Q[16], mem[X[1], 16 * at])
            m.add(V[16].s4, V[16].s4, a.s4)
            if at < 12:
                m.sha256su0(a.s4, b.s4)
                m.sha256su1(a.s4, c.s4, d.s4)
            m.orr(V[17].b16, V[4].b16, V[4].b16)
            m.sha256h(Q[4], Q[5], V[16].s4)
            m.sha256h2(Q[5], Q[17], V[16].s4)
        m.ld1(listed(V[0].s4, V[1].s4), mem[X[2]])
        for at in range(2):
            m.add(V[at].s4, V[at].s4, V[4 + at].s4)
        m.st1(listed(V[0].s4, V[1].s4), mem[X[2]])

    call(assembled(EVERYTHING, emit), EVERYTHING, block, roots, start)
    assert start.astype(">u4").tobytes() == hashlib.sha256(b"abc").digest()


def test_atomics_return_the_old_value_and_store_the_new_one() -> None:
    def emit(m: Any) -> None:
        m.movz(X[1], 5)
        m.ldadd(X[1], X[2], mem[X[0]])  # 10 becomes 15
        m.ldsmaxal(X[1], X[3], mem[X[0]])  # stays
        m.swpb(W[1], W[4], mem[X[0]])  # its lowest byte, 15, becomes 5
        m.movz(X[5], 5)
        m.casa(X[5], X[2], mem[X[0]])  # 5 is expected, so 10 is stored
        m.add(X[0], X[2], X[3].lsl(8))
        m.add(X[0], X[0], X[4].lsl(16))
        m.add(X[0], X[0], X[5].lsl(24))

    word = np.array([10], np.uint64)
    assert call(assembled(SVE, emit), SVE, word).result == 10 | 15 << 8 | 15 << 16 | 5 << 24
    assert word.tolist() == [10]


def test_scalar_doubled_products_saturate() -> None:
    """The rows of scalar sqdmull, sqdmlal and sqdmlsl belonged to the operations of control flow."""

    def emit(m: Any) -> None:
        m.ldr(H[1], mem[X[0]])
        m.sqdmull(S[0], H[1], H[1])
        m.sqdmlal(S[0], H[1], H[1])
        m.sqdmlsl(S[0], H[1], H[1])
        m.fmov(W[0], S[0])

    assert call(assembled(SVE, emit), SVE, np.array([-(1 << 15)], np.int16)).result == 0
    assert call(assembled(SVE, emit), SVE, np.array([3], np.int16)).result == 18
