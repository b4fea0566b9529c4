"""Activations by name: their expressions, and the error bounds and exact values that each promises.

`ACTIVATIONS` maps a name to function(x, accuracy=, tables=). "tanh_inv" and the other gradients take (g, x) and return
the gradient g times the slope at x, which backward passes need. The arithmetic has the type of x, f32 or f64; narrower
types are converted at loads and stores. `tables` is the number of f32 that one instruction of the machine looks up:
from 16 on, f32 activations use forms with a table of 16. f64 has no such forms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

from ...encoder.records import NamedTuple, dataclass
from ..expr.graph import Expr
from .accuracies import ACCURATE, STANDARD, STANDARD_F16
from .exp import exp, exp2, exp2_slope, exp_below, exp_shifted, exp_shifted_rest
from .float_fields import sqrt_nearly
from .forms import EITHER, either
from .gelu import gelu, gelu_slope, gelu_tanh, gelu_tanh_slope
from .log import elu, elu_slope, log, log_slope
from .logistic import sigmoid, sigmoid_slope, silu, silu_slope, softplus
from .polynomials import FEW, INTERVALS
from .power_parts import BELOW, FUNCTIONS_OF_PARTS, SHIFTED
from .standard import FORMS, off_midpoints
from .tanh import tanh, tanh_slope


class Bound(NamedTuple):
    """The largest error in ulp of the result, or in ulp of `floor` if the result is smaller than that."""

    ulp: float
    floor: float


@dataclass(frozen=True)
class Contract:
    """The promises of a function of one number. NaN gives NaN in all of them.

    accurate, fast  largest error in ulp of the result if |result| is at least `floor`, else in ulp of `floor` (near
                    roots, and in the tails of fast forms)
    floor           of the accurate and of the fast form; 0: the error is relative everywhere, denormals included
    standard        bound of the standard form, if it is not 4 ulp with the floor of the accurate one
    tabled          bound of the fast form with a table of 16 f32, if there is one
    tables          the number of f32 that one instruction must look up for that form
    at              (x, f(x)): infinities and zeros with their signs, exact in the accurate form
    odd             f(-x) = -f(x) exactly, in both forms
    monotone        larger arguments never give smaller results in the accurate form, over all of f32
    domain          where the bounds hold; the result is NaN outside
    """

    accurate: float
    fast: float
    floor: tuple[float, float] = (0.0, 0.0)
    tabled: Bound | None = None
    standard: Bound | None = None
    at: tuple[tuple[float, float], ...] = ()
    odd: bool = False
    monotone: bool = False
    domain: tuple[float, float] = (-inf, inf)
    tables: int = INTERVALS

    def bound(self, accuracy: str, tables: int) -> Bound:
        """Return the bound of a form. `tables` is the number of f32 that the machine looks up."""
        if accuracy == ACCURATE:
            return Bound(self.accurate, self.floor[0])
        if accuracy == STANDARD:
            return self.standard or Bound(4.0, self.floor[0])
        return self.tabled if self.tabled and tables >= self.tables else Bound(self.fast, self.floor[1])


class Errors(NamedTuple):
    """The error bounds of a contract in f64, which has no form on cells. 2^20 ulp are 2^-33 to 2^-32 of the result."""

    accurate: float
    fast: float
    floor: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Activation:
    """A function of x and its slope, which is the derivative: their expressions, formulas and contracts.

    formula, gradient        what documentation shows: f(x), and the gradient g times the slope
    double, slope_double     the errors in f64
    """

    function: Callable[..., Expr]
    slope: Callable[..., Expr]
    formula: str
    gradient: str
    contract: Contract
    slope_contract: Contract
    double: Errors
    slope_double: Errors


_TAIL = (0.0, 2.0**-100)  # fast forms end at the value of e^-87, accurate ones go on to 0
_TAIL64 = (0.0, 2.0**-960)  # e^-708 is about 2^-1021
_ONE = 2.0**-1  # fast forms on 16 cells have an absolute error, in ulp of numbers below 1
_ROOT = (2.0**-7, 2.0**-3)
_RELU_LIKE = ((inf, inf), (-inf, -0.0), (0.0, 0.0), (-0.0, -0.0))
_STEP_LIKE = ((inf, 1.0), (-inf, 0.0))
_SLOPE_LIKE = ((inf, 1.0), (-inf, -0.0), (0.0, 0.5), (-0.0, 0.5))

CATALOGUE: dict[str, Activation] = {
    "exp": Activation(
        exp,
        exp,
        "e^x",
        "g * e^x",
        Contract(1, 48, tabled=Bound(128, 0.0), at=((inf, inf), (-inf, 0.0), (0.0, 1.0), (-0.0, 1.0))),
        Contract(1, 48, tabled=Bound(128, 0.0), at=((inf, inf), (-inf, 0.0), (0.0, 1.0), (-0.0, 1.0))),
        Errors(1, 400e3),
        Errors(1, 400e3),
    ),
    "exp2": Activation(
        exp2,
        exp2_slope,
        "2^x",
        "g * 2^x * log(2)",
        Contract(1, 48, at=((inf, inf), (-inf, 0.0), (0.0, 1.0), (3.0, 8.0), (-149.0, 2.0**-149))),
        Contract(2, 48, at=((inf, inf), (-inf, 0.0))),
        Errors(1, 400e3),
        Errors(2, 450e3),
    ),
    "log": Activation(
        log,
        log_slope,
        "the natural logarithm of x",
        "g / x",
        Contract(1, 150, at=((inf, inf), (0.0, -inf), (-0.0, -inf), (1.0, 0.0)), monotone=True, domain=(0.0, inf)),
        Contract(0.5, 0.5, at=((inf, 0.0), (0.0, inf), (-0.0, -inf), (-inf, -0.0))),
        Errors(1, 1e6),
        Errors(0.5, 0.5),
    ),
    "tanh": Activation(
        tanh,
        tanh_slope,
        "the hyperbolic tangent of x",
        "g * (1 - tanh(x)^2)",
        Contract(1, 12, tabled=Bound(1600, 0.0), at=((inf, 1.0), (-inf, -1.0), (0.0, 0.0), (-0.0, -0.0)), odd=True),
        Contract(1, 64, _TAIL, at=((inf, 0.0), (-inf, 0.0), (0.0, 1.0), (-0.0, 1.0))),
        Errors(1, 1.2e6),
        Errors(1, 400e3, _TAIL64),
    ),
    "sigmoid": Activation(
        sigmoid,
        sigmoid_slope,
        "1 / (1 + e^-x)",
        "g * sigmoid(x) * (1 - sigmoid(x))",
        Contract(1, 64, _TAIL, Bound(900, _ONE), at=(*_STEP_LIKE, (0.0, 0.5), (-0.0, 0.5)), monotone=True),
        Contract(1, 64, _TAIL, at=((inf, 0.0), (-inf, 0.0), (0.0, 0.25), (-0.0, 0.25))),
        Errors(1, 400e3, _TAIL64),
        Errors(1, 400e3, _TAIL64),
    ),
    "silu": Activation(
        silu,
        silu_slope,
        "x / (1 + e^-x)",
        "g * sigmoid(x) * (1 + x * (1 - sigmoid(x)))",
        Contract(1, 64, _TAIL, Bound(2900, _ONE), at=_RELU_LIKE),
        Contract(2, 64, _ROOT, at=_SLOPE_LIKE),
        Errors(1, 450e3, _TAIL64),
        Errors(2, 450e3, _ROOT),
    ),
    "gelu": Activation(
        gelu,
        gelu_slope,
        "x * P(x), P(x) the probability that a standard normal variable is below x",
        "g * (P(x) + x * p(x)), p the density of the normal distribution and P the probability below x",
        Contract(1, 160, _TAIL, Bound(450, _ONE), at=_RELU_LIKE, tables=FEW),
        Contract(2, 96, _ROOT, at=_SLOPE_LIKE, standard=Bound(4, 0.0)),
        Errors(1, 700e3, _TAIL64),
        Errors(2, 600e3, _ROOT),
    ),
    "gelu_tanh": Activation(
        gelu_tanh,
        gelu_tanh_slope,
        "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))",
        "g * s * (1 + 2 * x * u' * (1 - s)), s = sigmoid(2 * u), u = sqrt(2 / pi) * (x + 0.044715 * x^3)",
        Contract(1, 160, (0.0, 2.0**-96), at=_RELU_LIKE),
        Contract(2, 64, _ROOT, at=_SLOPE_LIKE),
        Errors(1, 450e3, _TAIL64),
        Errors(2, 450e3, _ROOT),
    ),
    "elu": Activation(
        elu,
        elu_slope,
        "x where x > 0, else e^x - 1",
        "g where x > 0, else g * e^x",
        Contract(1, 12, at=((inf, inf), (-inf, -1.0), (0.0, 0.0), (-0.0, -0.0)), monotone=True),
        Contract(1, 48, tabled=Bound(128, 0.0), at=((inf, 1.0), (-inf, 0.0), (0.0, 1.0), (-0.0, 1.0))),
        Errors(1, 100e3),
        Errors(1, 400e3),
    ),
    "softplus": Activation(
        softplus,
        sigmoid,
        "log(1 + e^x)",
        "g * sigmoid(x)",
        Contract(1, 192, _TAIL, at=((inf, inf), (-inf, 0.0))),
        Contract(1, 64, _TAIL, Bound(900, _ONE), at=(*_STEP_LIKE, (0.0, 0.5), (-0.0, 0.5))),
        Errors(1, 1.3e6, _TAIL64),
        Errors(1, 400e3, _TAIL64),
    ),
}


def contract_of(name: str, dtype: str = "f32") -> Contract:
    """Return the contract of a function or, with "_inv", of its slope, computed in f32 or f64.

    In f64 there is no form on cells. Monotone results are not promised, since not all arguments can be tried.
    """
    plain, slope = name.removesuffix("_inv"), name.endswith("_inv")
    activation = CATALOGUE[plain]
    contract = activation.slope_contract if slope else activation.contract
    if dtype == "f32":
        return contract
    double = activation.slope_double if slope else activation.double
    return replace(contract, **double._asdict(), tabled=None, standard=None, monotone=False)


def _by_type(name: str, function: Callable[..., Expr]) -> Callable[..., Expr]:
    """Return the function that chooses its form by the accuracy, with tables for f32 only."""

    def by_type(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
        tables = tables if x.dtype == "f32" else 0
        if accuracy not in (STANDARD, STANDARD_F16):
            return function(x, accuracy=accuracy, tables=tables)
        form = FORMS[x.dtype].get(name)
        value = form(x, tables) if form else function(x, accuracy=ACCURATE, tables=tables)
        return off_midpoints(name, value, x, tables) if accuracy == STANDARD_F16 and x.dtype == "f32" else value

    return by_type


def _gradient(name: str, slope: Callable[..., Expr]) -> Callable[..., Expr]:
    """Return the function of (g, x) that is g times the slope."""
    slope_of = _by_type(name, slope)

    def gradient(g: Expr, x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
        return g * slope_of(x, accuracy=accuracy, tables=tables)

    return gradient


FUNCTIONS = {name: _by_type(name, activation.function) for name, activation in CATALOGUE.items()}
"""Functions (x, accuracy=, tables=), keyed by name."""
GRADIENTS = {f"{name}_inv": _gradient(f"{name}_inv", activation.slope) for name, activation in CATALOGUE.items()}
"""Functions (g, x, accuracy=, tables=), keyed by name."""
PARTS: dict[str, tuple[int, Callable[..., Expr]]] = {
    SHIFTED: (3, exp_shifted),
    "exp_shifted_rest": (3, exp_shifted_rest),
    EITHER: (2, either),
    BELOW: (1, exp_below),
    "sqrt_nearly": (1, sqrt_nearly),
    **FUNCTIONS_OF_PARTS,
}
"""Parts of composites, with the number of their operands."""
ACTIVATIONS: dict[str, Callable[..., Expr]] = {
    **FUNCTIONS,
    **GRADIENTS,
    **{name: of for name, (_, of) in PARTS.items()},
}
"""Functions, gradients and parts of composites."""
