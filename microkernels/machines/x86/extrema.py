"""Running maximum, minimum and largest magnitude of floats on x86, with registers for NaN and signs of zero.

vmaxps loses NaN and the sign of zero; vrangeps loses only NaN. Extra registers keep this information, at the cost of
one instruction for two vectors, or of one that runs on other pipes. At the end both become an integer key in the order
of floats, with NaN beyond all others, so that folding takes one instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from ....encoder.x86.registers import R32
from ...codegen.reducer import MaskedFold, Running, State
from ...codegen.selection import own
from ...expr.graph import BITS, INTEGER_OF, MASK_OF, Expr, bits, constant_bits, from_bits, maximum, minimum, select
from .core import X86Lanes

_INFINITY = {"f32": 0x7F800000, "f64": 0x7FF << 52}
_BITS = R32[0]  # rax is free between a kernel's instructions
_QUIET_NAN = 0x22  # vfixupimm table: a NaN becomes quiet, all other numbers leave dst unchanged


def _sign(dtype: str) -> int:
    return 1 << BITS[dtype] - 1


def _least(op: str, dtype: str) -> int:
    """Return the bits of the neutral element: -infinity (maximum), infinity (minimum) or 0 (largest magnitude)."""
    return 0 if op == "absmax" else _INFINITY[dtype] | (_sign(dtype) if op == "max" else 0)


def _key(op: str, n: Expr) -> Expr:
    """Map the bits of floats to integers of the same order, -0 below +0; an involution. Magnitudes need no mapping."""
    return n if op == "absmax" else n ^ ((n >> BITS[n.dtype] - 1) & constant_bits(_sign(n.dtype) - 1, n.dtype))


def _beyond(op: str, integer: str) -> Expr:
    """Return the key of a NaN, which is above all keys of a maximum and below all keys of a minimum."""
    return constant_bits(_sign(integer) - (op != "min"), integer)


def _nan(dtype: str) -> Expr:
    return constant_bits(_INFINITY[dtype] | _INFINITY[dtype] >> 1, dtype)


def _running(
    op: str,
    dtype: str,
    types: tuple[str, ...],
    start: tuple[int, ...],
    step: Callable[[State, Sequence[Expr]], State],
    key: Callable[[State], Expr],
) -> Running:
    """Return the running reduction whose first register is the best element so far. `types` and `start` are those of
    the further registers; `key` maps a state to the integer that is folded."""
    choose = minimum if op == "min" else maximum

    def result(state: State) -> Expr:
        return from_bits(_key(op, state[0]))

    return Running(
        (dtype, *types),
        (_least(op, dtype), *start),
        step,
        lambda a, b: (choose(a[0], b[0]),),
        lambda state: (key(state),),
        result,
    )


def by_range_alone(op: str, dtype: str) -> Running:
    """AVX-512 with its state in vectors: vrange, and vfixupimm, which keeps a NaN."""
    integer = INTEGER_OF[dtype]
    table = constant_bits(_QUIET_NAN, integer)

    def step(state: State, elements: Sequence[Expr]) -> State:
        best, lost = state
        for x in elements:
            best = own(f"range_{op}", dtype, best, x)
            lost = own("keep_nan", dtype, lost, x, table)
        return best, lost

    def whole(state: State) -> Expr:
        best, lost = state
        return own("keep_nan", dtype, best, lost, table)

    def key(state: State) -> Expr:
        best, lost = state
        return select(lost == lost, _key(op, bits(best)), _beyond(op, integer))

    def first(elements: Sequence[Expr]) -> State:
        return elements[0], elements[0]

    return _running(op, dtype, (dtype,), (0,), step, key)._replace(whole=whole, first=first)


def by_range(op: str, dtype: str) -> Running:
    """AVX-512: vrange, which can also compare magnitudes, and a mask of ordered elements, compared two by two."""
    mask, integer = MASK_OF[dtype], INTEGER_OF[dtype]

    def best_of(a: Expr, b: Expr) -> Expr:
        return own(f"range_{op}", dtype, a, b)

    def step(state: State, elements: Sequence[Expr]) -> State:
        best, sound = state
        sound = own("still_ordered", mask, sound, elements[0], elements[-1])
        return best_of(best, reduce(best_of, elements)), sound

    def first(elements: Sequence[Expr]) -> State:
        return reduce(best_of, elements), own("ordered", mask, elements[0], elements[-1])

    def join(a: State, b: State) -> State:
        return best_of(a[0], b[0]), a[1] & b[1]

    def key(state: State) -> Expr:
        best, sound = state
        return select(sound, _key(op, bits(best)), _beyond(op, integer))

    def result(best: Expr, sound: Expr) -> Expr:
        return select(sound, best, _nan(dtype))

    def whole(state: State) -> Expr:
        return result(*state)

    masked_fold = MaskedFold(best_of, _all_set, result)
    made = _running(op, dtype, (mask,), (-1,), step, key)
    return made._replace(whole=whole, join=join, first=first, together=2, masked_fold=masked_fold)


def _all_set(m: Any, masks: Sequence[Any], collected: Any, lanes: X86Lanes) -> None:
    """Set one bit of a mask for each of `masks` that is all ones, in which case kortest sets the carry flag. The other
    bits are zero: nothing is left in them of a number of the call that the register held."""
    test = m.asm.kortestw if lanes.count > 8 else m.asm.kortestb
    m.asm.xor(_BITS, _BITS)
    for mask in reversed(masks):
        test(mask, mask)
        m.asm.adc(_BITS, _BITS)
    m.asm.kmovw(collected, _BITS)


def by_signs(op: str, dtype: str, together: int) -> Running:
    """AVX2: vmaxps, which ignores NaN; the joined signs of all elements, for the sign of a zero; and a mask of NaN."""
    mask, integer = MASK_OF[dtype], INTEGER_OF[dtype]
    sign = constant_bits(_sign(dtype), integer)

    def signs_of(a: Expr, b: Expr) -> Expr:
        return a & b if op == "max" else a | b

    def taken(best: Expr, signs: Expr, elements: Sequence[Expr]) -> tuple[Expr, Expr]:
        for x in elements:
            best, signs = own(f"{op}_second", dtype, x, best), signs_of(signs, bits(x))
        return best, signs

    def step(state: State, elements: Sequence[Expr]) -> State:
        lost = own("unordered_bits", mask, elements[0], elements[-1])
        return *taken(state[0], state[1], elements), state[2] | lost

    def first(elements: Sequence[Expr]) -> State:
        lost = own("unordered_bits", mask, elements[0], elements[-1])
        return *taken(elements[0], bits(elements[0]), elements[1:]), lost

    def join(a: State, b: State) -> State:
        return own(f"{op}_second", dtype, a[0], b[0]), signs_of(a[1], b[1]), a[2] | b[2]

    def ordered(state: State) -> Expr:
        best, signs, _ = state
        return select(best == 0.0, signs & sign, bits(best))

    def whole(state: State) -> Expr:
        return select(state[2], _nan(dtype), from_bits(ordered(state)))

    def near(state: State) -> Expr:
        return select(state[2], _nan(dtype), state[0])

    def key(state: State) -> Expr:
        return select(state[2], _beyond(op, integer), _key(op, ordered(state)))

    made = _running(op, dtype, (integer, mask), (-(op == "max"), 0), step, key)
    return made._replace(whole=whole, join=join, first=first, together=together, near=near)


def of_avx512(op: str, dtype: str, together: int) -> Running | None:
    """Return AVX-512's running reduction of an operation, or None if the general one is as good."""
    if dtype not in _INFINITY or op not in ("max", "min", "absmax"):
        return None
    if together > 1:
        return by_range(op, dtype)
    return None if op == "absmax" else by_range_alone(op, dtype)


def of_avx2(op: str, dtype: str, together: int) -> Running | None:
    """Return AVX2's running reduction of an operation, or None if it has none."""
    return by_signs(op, dtype, together) if op in ("max", "min") and dtype in _INFINITY else None
