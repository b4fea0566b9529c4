"""What compressed weights of every form have in common."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from ..arguments.arrays import Array, NoArray


class WeightsForm(Protocol):
    """Everything about weights (k, n) but their values."""

    @property
    def k(self) -> int: ...

    @property
    def n(self) -> int: ...


FormT = TypeVar("FormT", bound=WeightsForm)


class ImmutableWeights(NoArray, Generic[FormT]):
    """A matrix (k, n) of weights in fewer bytes. It is never changed, and has its own copy of all bytes.

    form   what it is, without the values: products of equal forms share their code
    data   all bytes
    """

    __slots__ = ("form", "data", "__weakref__")
    taken_by = (
        "ts.matmul(x, weights) and layers of ts.linear, layer(x, weights, bias), take compressed weights as they are, "
        "and weights.dense() is an array"
    )
    form: FormT
    data: Array

    def __init__(self, form: FormT, data: Array) -> None:
        object.__setattr__(self, "form", form)
        object.__setattr__(self, "data", data)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name}: compressed weights are not changed; make new ones by ts.compressed")

    @property
    def compressed_form(self) -> FormT:
        """The form, by which products tell compressed weights from arrays."""
        return self.form

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        return self.form.k, self.form.n

    @property
    def nbytes(self) -> int:
        """All bytes in memory: scales, tables and padding are among them."""
        return int(self.data.size)
