"""What requests have in common whose product is composed of products of a narrower type."""

from __future__ import annotations

from typing import Any, TypeVar

from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec, gemm_spec
from ..operands import RUNTIME

Kind = TypeVar("Kind", bound=GemmSpec)


def whole_product(name: str, m: int, n: int, k: int, dtype: str, request: dict[str, Any]) -> GemmSpec:
    """Return the checked request of the whole product in its own type. `name` is the dtype that was asked for."""
    spec = gemm_spec(m, n, k, dtype=dtype, **request)
    if spec.batch is not None or RUNTIME in spec.leading:
        raise UnsupportedError(
            f"{name}: supports one pair of matrices with constant leading dimensions, not {spec}; "
            "ts.ladder takes batches and any leading dimension"
        )
    return spec


def composed_of(spec: GemmSpec) -> dict[str, Any]:
    """Return the arguments that a request of such a kind was made of, besides the extents."""
    return {name: value for name, value in spec.asked.items() if name != "dtype"}


def composed(kind: type[Kind], spec: GemmSpec, numerics: str) -> Kind:
    """Return the same request as one of this kind, with the numerics of the products that it is composed of."""
    names = ("m", "n", "k", "dtypes", "order", "leading", "batch", "alpha", "beta")
    return kind(**{name: getattr(spec, name) for name in names}, numerics=numerics)
