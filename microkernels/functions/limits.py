"""The coefficients of the activations' formulas for each type, and the arguments at which the formulas end."""

from __future__ import annotations

from typing import Any

from ...encoder.records import dataclass
from . import coefficients_f32, coefficients_f64


@dataclass(frozen=True)
class Limits:
    """Arguments and exponents at which a formula of one type ends; y is |x|.

    low, high          e^x has become 0 (below half the smallest denormal), and infinity
    low2, high2        the same for 2^x
    reach, far         |n| that `ldexp` covers with one product, and with two
    least              2^least is negligible beside 1, in double words too
    normal             e^x and e^-x are normal numbers: fast forms stop there
    vanished           y e^-y is below half the smallest denormal
    flat               e^x - 1 is -1 to less than half an ulp
    one                tanh is 1 to less than half an ulp
    ratio              the rational function of fast tanh holds up to here
    normal_gelu, normal_gelu_tanh        where fast gelu and gelu_tanh stop following x
    vanished_gelu, vanished_gelu_tanh    where the accurate ones and their slopes have become 0, for negative x
    saturated, saturated_gelu_tanh       1 / (1 + e^-x) is 1 to less than half an ulp, and rounds to 1
    smallest           the smallest normal number
    root_half          the bits of sqrt(1/2)
    """

    low: float
    high: float
    low2: float
    high2: float
    reach: int
    far: int
    least: float
    normal: float
    vanished: float
    flat: float
    one: float
    ratio: float
    normal_gelu: float
    normal_gelu_tanh: float
    vanished_gelu: float
    vanished_gelu_tanh: float
    saturated: float
    saturated_gelu_tanh: float
    smallest: float
    root_half: int


LIMITS = {
    "f32": Limits(
        low=-104.0,
        high=89.0,
        low2=-151.0,
        high2=129.0,
        reach=126,
        far=252,
        least=-60.0,
        normal=87.0,
        vanished=112.0,
        flat=-17.5,
        one=9.02,
        ratio=8.0,
        normal_gelu=13.0,
        normal_gelu_tanh=9.9,
        vanished_gelu=14.6,
        vanished_gelu_tanh=10.9,
        saturated=18.0,
        saturated_gelu_tanh=5.2,
        smallest=2.0**-126,
        root_half=0x3F3504F3,
    ),
    "f64": Limits(
        low=-746.0,
        high=710.0,
        low2=-1076.0,
        high2=1025.0,
        reach=1022,
        far=2044,
        least=-120.0,
        normal=708.0,
        vanished=752.0,
        flat=-37.5,
        one=19.07,
        ratio=12.5,
        normal_gelu=37.6,
        normal_gelu_tanh=21.1,
        vanished_gelu=38.7,
        vanished_gelu_tanh=21.7,
        saturated=38.0,
        saturated_gelu_tanh=7.3,
        smallest=2.0**-1022,
        root_half=0x3FE6A09E667F3BCD,
    ),
}
"""The limits of each type."""

_COEFFICIENTS = {"f32": coefficients_f32, "f64": coefficients_f64}


def coefficients(dtype: str) -> Any:
    """Return the constants of a type by name. Tables of 16 exist only for f32."""
    return _COEFFICIENTS[dtype]
