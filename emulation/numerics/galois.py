"""Bytes as polynomials over two elements, which ciphers and GFNI multiply, and the ciphers' rounds on arrays of bytes.

AES reduces by x^8 + x^4 + x^3 + x + 1 (FIPS 197), SM4 by x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1 (GB/T 32907). Blocks of
16 bytes lie along the last axis.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

AES_POLYNOMIAL, SM4_POLYNOMIAL = 0x11B, 0x1F5
_FORWARD, _BACK = (2, 3, 1, 1), (14, 11, 13, 9)  # the first rows of MixColumns and of its inverse
_COLUMNS = np.arange(16)
_ROWS_LEFT = (_COLUMNS + 4 * (_COLUMNS % 4)) % 16  # ShiftRows: byte i comes from here
_ROWS_RIGHT = (_COLUMNS - 4 * (_COLUMNS % 4)) % 16


def carryless(a: int, b: int) -> int:
    """Return the product of two polynomials over two elements."""
    product = 0
    while b:
        low = b & -b
        product ^= a * low
        b ^= low
    return product


@cache
def _products(factor: int, polynomial: int) -> Array:
    """Return the products of all bytes with a byte."""

    def reduced(word: int) -> int:
        for bit in range(14, 7, -1):
            word ^= polynomial << bit - 8 if word >> bit & 1 else 0
        return word

    return np.array([reduced(carryless(x, factor)) for x in range(256)], np.uint8)


def multiplied(a: Array, b: Array, polynomial: int = AES_POLYNOMIAL) -> Array:
    """Return the products of bytes."""
    table = np.stack([_products(factor, polynomial) for factor in range(256)])
    result: Array = table[b, a]
    return result


@cache
def inverses(polynomial: int = AES_POLYNOMIAL) -> Array:
    """Return the multiplicative inverse of each byte, and 0 for 0."""
    found = np.zeros(256, np.uint8)
    for factor in range(1, 256):
        found[factor] = int(np.flatnonzero(_products(factor, polynomial) == 1)[0])
    return found


def affine(a: Array, rows: Array, constant: int) -> Array:
    """Return, for each byte, the parities of its AND with eight rows, row 0 for the highest bit, XOR a constant. The
    last axis of `rows` has the eight rows."""
    common: Array = (a[..., None] & rows).astype(np.uint8)
    parity = np.unpackbits(common[..., None], axis=-1).sum(-1) & 1
    result: Array = np.packbits(parity.astype(bool), axis=-1)[..., 0] ^ np.uint8(constant)
    return result


@cache
def aes_box() -> Array:
    """Return the substitution of AES."""
    return affine(inverses(), _rotations(0xF1), 0x63)


def _rotations(lowest: int) -> Array:
    """Return the rows of a circulant matrix, from the one of the highest bit to the one of the lowest, `lowest`."""
    return np.array([(lowest << bit | lowest >> 8 - bit) & 0xFF for bit in range(7, -1, -1)], np.uint8)


@cache
def _aes_box_back() -> Array:
    return np.argsort(aes_box()).astype(np.uint8)


@cache
def sm4_box() -> Array:
    """Return the substitution of SM4."""
    rows = _rotations(0xA7)
    inner = affine(np.arange(256, dtype=np.uint8), rows, 0xD3)
    return affine(inverses(SM4_POLYNOMIAL)[inner], rows, 0xD3)


def mixed(block: Array, row: tuple[int, ...]) -> Array:
    """MixColumns, or its inverse by another row."""
    columns = block.reshape(*block.shape[:-1], 4, 4)
    tables = [_products(factor, AES_POLYNOMIAL) for factor in row]
    result = np.zeros_like(columns)
    for at, table in enumerate(tables):
        result ^= np.roll(table[columns], -at, axis=-1)
    whole: Array = result.reshape(block.shape)
    return whole


def aes_round(block: Array, key: Array, last: bool = False) -> Array:
    """Return a round of AES: ShiftRows, SubBytes, MixColumns except in the last round, and the key."""
    moved = aes_box()[block[..., _ROWS_LEFT]]
    return (moved if last else mixed(moved, _FORWARD)) ^ key


def aes_round_back(block: Array, key: Array, last: bool = False) -> Array:
    """Return a round of the equivalent inverse cipher."""
    moved = _aes_box_back()[block[..., _ROWS_RIGHT]]
    return (moved if last else mixed(moved, _BACK)) ^ key


def aes_key_back(key: Array) -> Array:
    """Return a round key of the equivalent inverse cipher."""
    return mixed(key, _BACK)


def aes_key_assist(block: Array, constant: int) -> Array:
    """AESKEYGENASSIST: of words 1 and 3, the substituted word and the same rotated, with a round constant."""
    words = aes_box()[block.reshape(*block.shape[:-1], 4, 4)[..., [1, 1, 3, 3], :]]
    words[..., 1::2, :] = np.roll(words[..., 1::2, :], -1, axis=-1)
    words[..., 1::2, 0] ^= np.uint8(constant & 0xFF)
    assist: Array = words.reshape(block.shape)
    return assist
