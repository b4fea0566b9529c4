"""Objects that everyone who makes the same request shares. Their public attributes are set when they are made."""

from __future__ import annotations

_REFUSAL = "{}: a kernel cannot be changed, because everyone who makes the same request has it; make another request"


class Shared:
    """A base class whose public attributes are set by `_keep`. Names that begin with an underscore are internal."""

    __slots__ = ()

    def _keep(self, **values: object) -> None:
        """Set the public attributes of a new object."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError for public attributes."""
        if not name.startswith("_"):
            raise AttributeError(_REFUSAL.format(name))
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(_REFUSAL.format(name))
